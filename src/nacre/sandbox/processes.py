"""Who a process is: its parent, and a mark of its own, because its number may be another process's later.

Above it: `exec_gate` and `exec_rules`, and the proxy, which asks whose a connection is. The first two
ask about every exec, so that each of their questions takes as few system calls as the kernel allows. It knows
nothing of rules.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import struct
from collections import OrderedDict
from functools import cache
from typing import NamedTuple

from nacre.keeper.wire import COOKIE_NAME

PIDFD_INFO, PIDFD_INFO_BYTES, PARENT_AT = 0xC040FF0B, 64, 24
PARENT = struct.Struct("=I")
CONTENTS_BYTES = 1 << 13  # more would make a thread's heap grow and shrink each time
HANDLES_HELD = 64


class Identity(NamedTuple):
    """A process, its parent, and its mark, which no later process of its number has."""

    pid: int
    parent: int
    mark: int


def identify(thread: int) -> Identity:
    """The process of a thread: an exec replaces all of them. OSError: there is none."""
    try:
        handle = os.pidfd_open(thread)  # there are such handles of whole processes only
    except OSError:
        status = contents(f"/proc/{thread}/status").splitlines()
        thread = next(int(line[5:]) for line in status if line.startswith(b"Tgid:"))
        handle = os.pidfd_open(thread)
    try:
        if _knows_parents():
            info = bytearray(PIDFD_INFO_BYTES)
            fcntl.ioctl(handle, PIDFD_INFO, info)
            (parent,) = PARENT.unpack_from(info, PARENT_AT)
            return Identity(thread, parent, os.fstat(handle).st_ino)
    finally:
        os.close(handle)
    fields = contents(f"/proc/{thread}/stat").rpartition(b") ")[2].split(maxsplit=20)
    return Identity(thread, int(fields[1]), int(fields[19]))  # the time at which it began


def mark_of(pid: int) -> int:
    """The mark of a process; 0: there is none of this number."""
    try:
        return identify(pid).mark
    except (OSError, StopIteration):
        return 0


def process_numbers() -> set[int]:
    """The numbers of all processes that there are."""
    return {int(name) for name in os.listdir("/proc") if name.isdigit()}


class LivingProcesses:
    """Some processes, known to live by handles that are held: asking these is quick."""

    def __init__(self) -> None:
        self._handles: OrderedDict[tuple[int, int], int] = OrderedDict()

    def has(self, pid: int, mark: int) -> bool:
        """Whether the process of this number and this mark lives."""
        handle = self._handles.get((pid, mark))
        if handle is None:
            return self._hold(pid, mark)
        try:
            signal.pidfd_send_signal(handle, 0)
        except ProcessLookupError:
            os.close(self._handles.pop((pid, mark)))
            return False
        except PermissionError:  # it is there, and another user's
            pass
        return True

    def close(self) -> None:
        """Hold none."""
        while self._handles:
            os.close(self._handles.popitem()[1])

    def hold(self, pid: int) -> int:
        """The mark of a process, which is asked about soon; 0: there is none of this number."""
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return 0
        # In /proc it is looked for after the handle was made: it is the handle's own.
        mark = os.fstat(handle).st_ino if _knows_parents() else mark_of(pid)
        before = self._handles.pop((pid, mark), None)
        if before is not None or not mark:
            os.close(handle if before is None else before)
        if mark:
            self._handles[pid, mark] = handle
        if len(self._handles) > HANDLES_HELD:
            os.close(self._handles.popitem(last=False)[1])
        return mark

    def _hold(self, pid: int, mark: int) -> bool:
        found = self.hold(pid)
        if found and found != mark:
            os.close(self._handles.pop((pid, found)))
        return found == mark


@cache
def _knows_parents() -> bool:
    """Whether the kernel says it of a handle (since 6.13); reading it in /proc takes longer."""
    try:
        handle = os.pidfd_open(os.getpid())
    except OSError:
        return False
    info = bytearray(PIDFD_INFO_BYTES)
    try:
        fcntl.ioctl(handle, PIDFD_INFO, info)
        return PARENT.unpack_from(info, PARENT_AT) == (os.getppid(),)
    except OSError:
        return False
    finally:
        os.close(handle)


def environment_of(pid: int) -> bytes:
    """The environment that a process was started with. OSError: it cannot be read."""
    return contents(f"/proc/{pid}/environ")


def command_of(pid: int) -> int:
    """The command that a process says it belongs to, by its environment; 0: it says nothing."""
    try:
        environment = environment_of(pid)
    except OSError:
        return 0
    mark = b"\0" + COOKIE_NAME.encode() + b"="
    said = (b"\0" + environment).partition(mark)[2].partition(b"\0")[0].rpartition(b":")[2]
    return int(said) if said.isdigit() else 0


def command_with_port(port: int, proxy_port: int) -> int:
    """The command whose process has a connection from one port of a sandbox to another; 0: none is found.

    It looks at all processes that say they belong to a command: refusals are few. It gives no rights.
    """
    for pid in process_numbers():
        if command := command_of(pid):
            with contextlib.suppress(OSError):
                if _sockets_between(pid, port, proxy_port) & _open_sockets(pid):
                    return command
    return 0


def _sockets_between(pid: int, port: int, other_port: int) -> set[str]:
    """The sockets in the network of a process that have these two ports."""
    lines = [
        line.split() for name in ("tcp", "tcp6") for line in contents(f"/proc/{pid}/net/{name}").splitlines()
    ]
    ends = (f":{port:04X}".encode(), f":{other_port:04X}".encode())
    return {
        f"socket:[{fields[9].decode()}]"
        for fields in lines
        if fields[1].endswith(ends[0]) and fields[2].endswith(ends[1])
    }


def _open_sockets(pid: int) -> set[str]:
    found: set[str] = set()
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/{pid}/fd/{descriptor}"))
    return found


def contents(path: str) -> bytes:
    """All of a small file of the kernel's; Python's own way takes three times as long."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        read = more = os.read(descriptor, CONTENTS_BYTES)
        while len(more) == CONTENTS_BYTES:
            read += (more := os.read(descriptor, CONTENTS_BYTES))
    finally:
        os.close(descriptor)
    return read
