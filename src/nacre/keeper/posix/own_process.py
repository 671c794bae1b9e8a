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


TIOCGPTN = 0x80045430  # the number of a terminal's other end; `termios` has it from Python 3.13 on


def input_name(fd: int) -> str:
    """What the other end of a pipe or terminal is called in /proc; nothing where nobody can tell."""
    if fd < 0 or sys.platform != "linux":
        return ""
    if not os.isatty(fd):
        return pipe_name(fd)
    (number,) = struct.unpack("I", fcntl.ioctl(fd, TIOCGPTN, b"\0\0\0\0"))
    return f"/dev/pts/{number}"


def unread_bytes(fd: int) -> int:
    """How much of what was written to a pipe has not been read yet; of a terminal that is not known: none."""
    if os.isatty(fd):
        return 0
    return struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0"))[0]


def pipe_name(fd: int) -> str:
    """What a pipe is called in /proc, at both of its ends; nothing for no pipe."""
    if fd < 0 or sys.platform != "linux":
        return ""
    status = os.fstat(fd)
    return f"pipe:[{status.st_ino}]" if stat.S_ISFIFO(status.st_mode) else ""
