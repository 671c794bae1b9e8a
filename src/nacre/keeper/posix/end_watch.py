"""The end of a process that is not our child: when and, as far as the kernel says, how.

Above it: `left_behind`. A process that a shell has left running is the shell's child, and only the shell gets
its exit status. A pidfd reports the end to us, and then:

    Linux 6.15 and later   the pidfd has the status of a reaped process
    before                 the stat file has the status of a zombie: some shells (dash, busybox) leave it for
                           a while, others reap it before we look

Where there are no pidfds, or too few descriptors, the process is polled.
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

    How = tuple[int | None, str | None]  # exit code, signal; neither: unknown

PIDFD_GET_INFO, INFO_BYTES, INFO_EXIT = 0xC040FF0B, 64, 1 << 3
EXIT_CODE_AT = 60  # the last field of `struct pidfd_info` in its first form
LOOKS = 3  # a process may be reaped between a look at one source and at the other
LOOK_S = 0.25  # how often a process without a pidfd is polled


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
        """Stop watching."""
        if self._timer is not None:
            self._timer.cancel()
        if self._fd >= 0:
            self._loop.unwatch(self._fd)
            os.close(self._fd)
            self._fd = -1


def _descriptor_of(pid: int) -> int:
    """A pidfd; -1: not available."""
    if not hasattr(os, "pidfd_open"):
        return -1
    try:
        fd = os.pidfd_open(pid)
    except OSError:  # it is gone, no descriptors are left, or the kernel is too old
        return -1
    if is_scarce(fd):
        os.close(fd)
        return -1
    return fd


def _start_of(pid: int) -> int | None:
    """The start time of a process; None: it has ended."""
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
    """The status of a reaped process; None: not reaped, or not kept by the kernel."""
    info = bytearray(INFO_BYTES)
    struct.pack_into("Q", info, 0, INFO_EXIT)
    try:
        fcntl.ioctl(fd, PIDFD_GET_INFO, info)
    except OSError:
        return None
    (given,) = struct.unpack_from("Q", info)
    return _from_status(struct.unpack_from("i", info, EXIT_CODE_AT)[0]) if given & INFO_EXIT else None


def _of_dead(pid: int) -> How | None:
    """The status of a zombie of our user; None: it is none, or another user's."""
    status = processes.status_of_dead(pid)
    try:
        is_ours = status is not None and os.stat(f"/proc/{pid}").st_uid == os.geteuid()
    except OSError:
        return None
    return _from_status(status) if is_ours and status is not None else None


def _from_status(status: int) -> How:
    code = os.waitstatus_to_exitcode(status)
    return (code, None) if code >= 0 else (None, signal_name(-code))
