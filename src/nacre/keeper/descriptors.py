"""How many descriptors this process may hold, and who may have the last ones.

Above it: `posix`, `directory` and `spools`, which open what stays open.

    up to the last 48   all comers: also the pipes of processes that commands have left behind
    the next 32         commands that are under way, so that some can always run: to end those, for example
    the last 16         nobody: without them a keeper could not even see the processes that hold the others
"""

from __future__ import annotations

import errno
import os

RESERVE, ROOM = 16, 32
UNLIMITED = 1 << 30

_limit = UNLIMITED


def set_limit(limit: int) -> None:
    """So many there may be, by the kernel's account."""
    global _limit  # noqa: PLW0603  # there is one such limit in a process
    _limit = limit


def within_limit(*opened: int) -> None:
    """Close these again and raise OSError if they are among the last ones."""
    highest = max(opened)
    if highest < _limit - RESERVE:
        return
    for fd in opened:
        os.close(fd)
    raise OSError(errno.EMFILE, f"too many open files: {highest} of {_limit} are in use")


def is_scarce(opened: int) -> bool:
    """Whether a descriptor is one of those that nobody may hold for long.

    The kernel gives the lowest number that is free: whoever gets a high one knows that all below are taken.
    """
    return opened >= _limit - RESERVE - ROOM
