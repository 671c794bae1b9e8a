"""How many descriptors this process may open, and what the last ones are reserved for.

Above it: `posix`, `turns` and `spools`, which open what stays open.

    up to the last 48   anything, including the pipes of processes that commands have left behind
    the next 32         running commands, so that some can always run: for example to end those processes
    the last 16         nothing for long: without them a keeper could not even list its processes
"""

from __future__ import annotations

import errno
import os

RESERVE, ROOM = 16, 32
UNLIMITED = 1 << 30

_limit = UNLIMITED


def set_limit(limit: int) -> None:
    """Set the number that the kernel allows."""
    global _limit  # noqa: PLW0603  # there is one limit per process
    _limit = limit


def within_limit(*opened: int) -> None:
    """Close these and raise OSError if they are among the reserved ones."""
    highest = max(opened)
    if highest < _limit - RESERVE:
        return
    for fd in opened:
        os.close(fd)
    raise OSError(errno.EMFILE, f"too many open files: {highest} of {_limit} are in use")


def is_scarce(opened: int) -> bool:
    """Whether a descriptor is one of those that must not be held for long.

    The kernel assigns the lowest free number: a high one means that all below are taken.
    """
    return opened >= _limit - RESERVE - ROOM
