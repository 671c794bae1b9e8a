"""Pipes of Windows: overlapped reads and writes, and the completion port that reports their end.

Above it: `windows`. Below: `headers`.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from ctypes import byref, c_size_t, sizeof
from typing import TYPE_CHECKING, Any

from nacre.keeper.records import dataclass
from nacre.keeper.win32.headers import (
    DWORD,
    ERROR_IO_PENDING,
    ERROR_MORE_DATA,
    ERROR_PIPE_CONNECTED,
    FILE_FLAG_FIRST_PIPE_INSTANCE,
    FILE_FLAG_OVERLAPPED,
    FILE_READ_ATTRIBUTES,
    FILE_SHARE_READ_WRITE,
    FILE_WRITE_ATTRIBUTES,
    GENERIC_READ,
    GENERIC_WRITE,
    INFINITE,
    INVALID_HANDLE,
    OPEN_EXISTING,
    PIPE_ACCESS_INBOUND,
    PIPE_ACCESS_OUTBOUND,
    PIPE_BYTES,
    PIPE_REJECT_REMOTE_CLIENTS,
    Overlapped,
    SecurityAttributes,
    check,
    close_handle,
    kernel32,
    last_error,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Operation:
    """One pending read or write: nothing of it may move or be freed until Windows reports its end."""

    __slots__ = ("address", "buffer", "callback", "count", "failure", "handle", "overlapped", "owner")

    def __init__(
        self, handle: int, buffer: Any, callback: Callable[[Operation], None], owner: int = 0
    ) -> None:
        self.handle = handle
        self.owner = owner  # the id of its command
        self.buffer = buffer
        self.callback: Callable[[Operation], None] | None = callback
        self.overlapped = Overlapped()
        self.address = ctypes.addressof(self.overlapped)
        self.count = 0
        self.failure = 0

    def cancel(self) -> None:
        """Cancel it; its end is still reported, and ignored."""
        self.callback = None
        kernel32.CancelIoEx(self.handle, self.address)


def begin_read(operation: Operation) -> bool:
    """Read into the operation's buffer. False: the pipe is at its end, and nothing is pending."""
    return _begun(
        kernel32.ReadFile(operation.handle, operation.buffer, len(operation.buffer), None, operation.address)
    )


def begin_write(operation: Operation) -> bool:
    """Write the operation's buffer. False: there is no reader any more, and nothing is pending."""
    return _begun(
        kernel32.WriteFile(operation.handle, operation.buffer, len(operation.buffer), None, operation.address)
    )


def _begun(at_once: object) -> bool:
    return bool(at_once) or last_error() in (ERROR_IO_PENDING, ERROR_MORE_DATA)


_pipe_numbers = itertools.count(1)
_inheritable = SecurityAttributes(sizeof(SecurityAttributes), None, True)


def make_pipe(*, incoming: bool) -> tuple[int, int]:
    """A pipe that is asynchronous at our end and synchronous at theirs: (ours, theirs).

    Anonymous pipes cannot be asynchronous, so it has a random name, and is the first of that name.
    """
    name = rf"\\.\pipe\nacre-{os.getpid()}-{next(_pipe_numbers)}-{os.urandom(8).hex()}"
    access = PIPE_ACCESS_INBOUND if incoming else PIPE_ACCESS_OUTBOUND
    flags = access | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE
    ours: int = kernel32.CreateNamedPipeW(
        name, flags, PIPE_REJECT_REMOTE_CLIENTS, 1, PIPE_BYTES, PIPE_BYTES, 0, None
    )
    check(ours != INVALID_HANDLE)
    try:
        # The attributes are those of an anonymous pipe; some runtimes query a pipe.
        write, read = GENERIC_WRITE | FILE_READ_ATTRIBUTES, GENERIC_READ | FILE_WRITE_ATTRIBUTES
        theirs = open_file(name, write if incoming else read)
        connected = Overlapped()
        if not kernel32.ConnectNamedPipe(ours, byref(connected)):
            check(last_error() == ERROR_PIPE_CONNECTED)
    except OSError:
        close_handle(ours)
        raise
    return ours, theirs


def open_file(name: str, access: int) -> int:
    """Open a file for a command: an inheritable handle."""
    handle: int = kernel32.CreateFileW(
        name, access, FILE_SHARE_READ_WRITE, byref(_inheritable), OPEN_EXISTING, 0, None
    )
    check(handle != INVALID_HANDLE, name)
    return handle


@dataclass(slots=True)
class Packet:
    """A report of the port: a finished operation (by its address), or a number posted to a key."""

    key: int
    number: int
    address: int
    failure: int


class Port:
    """A completion port: what an event loop waits on."""

    def __init__(self) -> None:
        self.handle: int = kernel32.CreateIoCompletionPort(INVALID_HANDLE, None, 0, 1)
        check(self.handle)

    def attach(self, handle: int, key: int) -> None:
        """Have the port report operations on a handle."""
        check(kernel32.CreateIoCompletionPort(handle, self.handle, key, 0))

    def post(self, key: int, number: int = 0) -> None:
        """Put a packet into the port, from any thread."""
        kernel32.PostQueuedCompletionStatus(self.handle, number, key, None)

    def next(self, patience_ms: float | None) -> Packet | None:
        """Wait for a packet; None: there was none in that time."""
        number, key, address = DWORD(), c_size_t(), c_size_t()
        wait = INFINITE if patience_ms is None else min(int(patience_ms + 0.999), INFINITE - 1)
        worked = kernel32.GetQueuedCompletionStatus(
            self.handle, byref(number), byref(key), byref(address), wait
        )
        failure = 0 if worked else last_error()
        if failure and not address.value:
            return None
        return Packet(key.value, number.value, address.value, failure)
