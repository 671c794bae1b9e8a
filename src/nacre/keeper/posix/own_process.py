"""The keeper's own process on Linux and macOS: its session, its descriptors, its log.

Above it: `program` and `guardian`. Below: `starting` and `pipes`.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import select
import stat
import struct
import sys
import termios

from nacre.keeper.heap import return_large_blocks
from nacre.keeper.posix.pipes import widen
from nacre.keeper.posix.starting import INHERITANCE, RESERVED_FDS

PR_SET_CHILD_SUBREAPER = 36
LOG_BYTES = 4000  # less than a pipe takes atomically


def prepare() -> bool:
    """Make this process a keeper: a session of its own, child subreaper, low descriptors reserved.

    Returns whether orphans become our children (Linux), so that none can escape.
    """
    if os.getpgid(0) != os.getpid():
        os.setsid()  # a terminal's ^C is for nacre, not for the keeper
    INHERITANCE.take()
    null = os.open(os.devnull, os.O_RDWR)
    while null < RESERVED_FDS:
        null = os.dup(null)
    if sys.platform != "linux":
        return False
    return_large_blocks()
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def link_descriptors() -> tuple[int, int]:
    """Move the link to private descriptors; the standard ones lead to /dev/null from now on."""
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    widen(writing)  # so that a frame with much output is written in one go
    return reading, writing


def log(text: str) -> None:
    """Write to stderr as much as it takes without blocking."""
    try:
        poller = select.poll()
        poller.register(2, select.POLLOUT)
        if poller.poll(0):
            os.write(2, text.encode(errors="backslashreplace")[-LOG_BYTES:])
    except OSError:  # it was closed
        return


TIOCGPTN = 0x80045430  # the number of a terminal's other end; in `termios` from Python 3.13 on


def input_name(fd: int) -> str:
    """The name of the other end of a pipe or terminal in /proc; empty: unknown."""
    if fd < 0 or sys.platform != "linux":
        return ""
    if not os.isatty(fd):
        return pipe_name(fd)
    (number,) = struct.unpack("I", fcntl.ioctl(fd, TIOCGPTN, b"\0\0\0\0"))
    return f"/dev/pts/{number}"


def unread_bytes(fd: int) -> int:
    """How much in a pipe has not been read yet; 0 for a terminal, where that is unknown."""
    if os.isatty(fd):
        return 0
    return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))[0]


def pipe_name(fd: int) -> str:
    """The name of a pipe in /proc, at both of its ends; empty: not a pipe."""
    if fd < 0 or sys.platform != "linux":
        return ""
    status = os.fstat(fd)
    return f"pipe:[{status.st_ino}]" if stat.S_ISFIFO(status.st_mode) else ""
