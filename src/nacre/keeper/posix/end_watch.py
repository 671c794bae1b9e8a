"""The end of a process that is not our child: that it has come, and how, as far as the kernel tells.

Above it: `left_behind`. A process that a shell has left running is the shell's child, and only that gets
its exit status. But who holds a descriptor of a process hears of its end, and then:

    Linux 6.15 and later   tell the status of a process that was reaped to who holds its descriptor
    all before             show the status of one that waits for being reaped in its stat file: some shells
                           (dash, busybox) leave it there for a while, others are quicker than we are

Where there are no such descriptors, or too few, it is looked every now and then whether the process is there.
"""

from __future__ import annotations

import fcntl
import os
import struct

from nacre.keeper import processes
from nacre.keeper.descriptors import is_scarce
from nacre.keeper.posix.children import signal_name

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.posix.event_loop import Loop
    from nacre.keeper.timers import Timer

    How = tuple[int | None, str | None]  # exit code, signal; neither: nobody can tell

PIDFD_GET_INFO, INFO_BYTES, INFO_EXIT = 0xC040FF0B, 64, 1 << 3
EXIT_CODE_AT = 60  # the last field of `struct pidfd_info` in its first form
LOOKS = 3  # between being shown as dead and being reaped a process can slip from one source to the other
LOOK_S = 0.25  # how often a process is looked for that cannot be waited for


class EndWatch:
    """Calls back once when a process has ended."""

    def __init__(self, loop: Loop, pid: int, on_end: Callable[[int | None, str | None], None]) -> None:
        self._loop = loop
        self._pid = pid
        self._on_end = on_end
        self._timer: Timer | None = None
        self._fd = _descriptor_of(pid)
        if self._fd >= 0:
            loop.watch(self._fd, self._ended)
        else:
            self._began = _start_of(pid)
            self._timer = loop.call_later(0, self._look)

    def _ended(self) -> None:
        how = _how_it_ended(self._fd, self._pid)
        self.close()
        self._on_end(*how)

    def _look(self) -> None:
        if _start_of(self._pid) == self._began is not None:
            self._timer = self._loop.call_later(LOOK_S, self._look)
        else:
            self._timer = None
            self._on_end(*(_of_dead(self._pid) or (None, None)))

    def close(self) -> None:
        """Wait no more."""
        if self._timer is not None:
            self._timer.cancel()
        if self._fd >= 0:
            self._loop.unwatch(self._fd)
            os.close(self._fd)
            self._fd = -1


def _descriptor_of(pid: int) -> int:
    """A descriptor of a process; -1: there is none to be had."""
    if not hasattr(os, "pidfd_open"):
        return -1
    try:
        fd = os.pidfd_open(pid)
    except OSError:  # it is gone, or there are no descriptors left, or the kernel is older than these
        return -1
    if is_scarce(fd):
        os.close(fd)
        return -1
    return fd


def _start_of(pid: int) -> int | None:
    """When a process was started; None: it has ended."""
    if processes.LINUX:
        process = processes.row(pid)
        return process.started if process is not None and not process.zombie else None
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        return 0
    return 0


def _how_it_ended(fd: int, pid: int) -> How:
    for _ in range(LOOKS):
        if (how := _of_reaped(fd) or _of_dead(pid)) is not None:
            return how
    return None, None


def _of_reaped(fd: int) -> How | None:
    """The status of a process that was reaped; None: it was not, or the kernel does not keep it."""
    info = bytearray(INFO_BYTES)
    struct.pack_into("Q", info, 0, INFO_EXIT)
    try:
        fcntl.ioctl(fd, PIDFD_GET_INFO, info)
    except OSError:
        return None
    (told,) = struct.unpack_from("Q", info)
    return _from_status(struct.unpack_from("i", info, EXIT_CODE_AT)[0]) if told & INFO_EXIT else None


def _of_dead(pid: int) -> How | None:
    """The status of a process of ours that waits for being reaped; None: there is none, or not of ours."""
    status = processes.status_of_dead(pid)
    try:
        is_ours = status is not None and os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        return None
    return _from_status(status) if is_ours and status is not None else None


def _from_status(status: int) -> How:
    code = os.waitstatus_to_exitcode(status)
    return (code, None) if code >= 0 else (None, signal_name(-code))
