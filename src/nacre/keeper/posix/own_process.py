"""The keeper's own process on Linux and macOS: its session, its descriptors, its log.

Above it: `program` and `guardian`. Below: `starting` and `pipes`.
"""

from __future__ import annotations

import ctypes
import os
import select
import stat
import sys

from nacre.keeper.heap import return_large_blocks
from nacre.keeper.posix.pipes import widen
from nacre.keeper.posix.starting import INHERITANCE, RESERVED_FDS

PR_SET_CHILD_SUBREAPER = 36
LOG_BYTES = 4000  # below what a pipe takes in one piece


def prepare() -> bool:
    """Make this process a keeper: own session, child subreaper, low descriptors reserved.

    Returns whether the kernel gives orphans to us (Linux), so that none can slip away.
    """
    if os.getpgid(0) != os.getpid():
        os.setsid()  # a terminal's ^C is meant for nacre, not for us
    INHERITANCE.take()
    null = os.open(os.devnull, os.O_RDWR)
    while null < RESERVED_FDS:
        null = os.dup(null)
    if sys.platform != "linux":
        return False
    return_large_blocks()
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def link_descriptors() -> tuple[int, int]:
    """The link to nacre on private descriptors; the standard ones lead nowhere from now on."""
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    widen(writing)  # the frame of a command that has printed much is then written in one go
    return reading, writing


def log(text: str) -> None:
    """Write to stderr what fits there now; nobody may be reading it."""
    try:
        poller = select.poll()
        poller.register(2, select.POLLOUT)
        if poller.poll(0):
            os.write(2, text.encode(errors="backslashreplace")[-LOG_BYTES:])
    except OSError:  # it was closed
        return


def pipe_name(fd: int) -> str:
    """What a pipe is called in /proc, at both of its ends; nothing for no pipe."""
    if fd < 0 or sys.platform != "linux":
        return ""
    status = os.fstat(fd)
    return f"pipe:[{status.st_ino}]" if stat.S_ISFIFO(status.st_mode) else ""
