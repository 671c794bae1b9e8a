"""Advice on errors of the operating system, for the person or the agent. Pure.

Above it: `link`, which adds it to the errors that a keeper reports.
"""

from __future__ import annotations

import errno

_TOO_MANY_PROCESSES = (
    "Nothing was run: no process can be started now. End some, or raise the limit"
    " (ulimit -u, or the pids limit of the container), and try again."
)
_NO_MEMORY = "Nothing was run: memory is short. End something that uses much of it, and try again."
_TOO_MANY_FILES = (
    "Nothing was run. End background processes that earlier commands have left behind, or close sessions;"
    " or raise the limit (ulimit -n) and start the server again."
)
_DISK_FULL = "Nothing was run. Make room on that disk, or start the server with TMPDIR on another one."
_NOT_WRITABLE = "Nothing was run. Start the server with TMPDIR set to a directory that can be written."
_HINTS = {
    errno.EAGAIN: _TOO_MANY_PROCESSES,
    errno.ENOMEM: _NO_MEMORY,
    errno.EMFILE: _TOO_MANY_FILES,
    errno.ENFILE: _TOO_MANY_FILES,
    errno.ENOSPC: _DISK_FULL,
    errno.EDQUOT: _DISK_FULL,
    errno.EROFS: _NOT_WRITABLE,
    errno.E2BIG: "Nothing was run: arguments and environment are too long together. Use a file, or stdin.",
}


def advice(number: int, *, own_file: bool = False) -> str:
    """What helps; empty where the error says enough. `own_file`: it is about a file of nacre's."""
    if own_file and number in (errno.EACCES, errno.EPERM, errno.ENOENT):
        return _NOT_WRITABLE
    return _HINTS.get(number, "")
