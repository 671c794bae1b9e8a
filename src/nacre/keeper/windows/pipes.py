"""The keeper's ends of the pipes of commands on Windows.

Above it: `streams` and `shells`, through `host`. Below: `event_loop`, `win32`.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from nacre.keeper import win32
from nacre.keeper.windows.children import CHILDREN, FROM_PIPE

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.windows.event_loop import Loop

CHUNK_BYTES = 1 << 16
DRAIN_PATIENCE_S = 0.05  # how long to wait for bytes if a process left behind holds the pipe
CERTAIN_END_PATIENCE_S = 5.0  # how long to wait for a certain end: a bound, in case Windows surprises us
DRAIN_LIMIT_BYTES = 1 << 20  # how much of what such a process writes belongs to the result


class Reader:
    """Our end of a pipe that a command writes to: chunks in order, then the end.

    It starts paused: the output of a short command is read in one go at its end, without being watched.
    """

    def __init__(
        self,
        loop: Loop,
        handle: int,
        on_chunk: Callable[[bytes], None],
        on_end: Callable[[], None],
        owner: int = 0,
    ) -> None:
        self.open = True  # whether more may come
        self.widens = False  # pipes keep their size here
        self.is_scarce = False  # there may be millions of handles
        self._loop = loop
        self._owner = owner
        self._handle = handle
        self.on_chunk = on_chunk
        self._on_end = on_end
        self._paused = True
        self._buffer: Any = None
        self._reading: win32.Operation | None = None
        loop.port.attach(handle, FROM_PIPE)

    def pause(self) -> None:
        """Stop reading, except for one chunk that may be in transit."""
        self._paused = True

    def resume(self) -> None:
        """Read whenever there is something to read."""
        if self._paused and self.open:
            self._paused = False
            if self._begin() is None:
                self._loop.post(self._finish, self._owner)

    def take(self) -> None:
        """Read what is in the pipe now, and no more: another process may continue to write."""
        taken = 0
        while self.open and taken < DRAIN_LIMIT_BYTES:
            reading = self._begin()
            if reading is None:
                self._finish()
                return
            if not self._loop.settle(reading, self._patience_s()):
                return  # empty and still held: later output comes from processes left behind
            taken += self._take(reading)

    def was_opened(self) -> bool:
        """True: here both ends of a pipe are open from its beginning."""
        return True

    def see_end(self) -> None:
        """Nothing: the end of a pipe is reported like its bytes, so `take` has seen it."""

    def _patience_s(self) -> float:
        """Without a process in the job, the end of the pipe is certain; otherwise it may not come."""
        return DRAIN_PATIENCE_S if CHILDREN.is_held(self._handle) else CERTAIN_END_PATIENCE_S

    def close(self) -> None:
        """Close the pipe without waiting for its end."""
        if self.open:
            self.open = False
            if self._reading is not None:
                self._reading.cancel()
                self._reading = None
            CHILDREN.let_go(self._handle)
            win32.close_handle(self._handle)

    def _begin(self) -> win32.Operation | None:
        """The pending read, a new one if need be; None at the end of the pipe."""
        if self._reading is None:
            if self._buffer is None:
                self._buffer = ctypes.create_string_buffer(CHUNK_BYTES)
            operation = win32.Operation(self._handle, self._buffer, self._arrived, self._owner)
            if win32.begin_read(operation):
                self._reading = operation
                self._loop.under_way(operation)
        return self._reading

    def _arrived(self, reading: win32.Operation) -> None:
        self._take(reading)
        if self.open and not self._paused and self._begin() is None:
            self._finish()

    def _take(self, reading: win32.Operation) -> int:
        self._reading = None
        if reading.failure:
            self._finish()
        else:
            self.on_chunk(ctypes.string_at(reading.buffer, reading.count))
        return reading.count

    def _finish(self) -> None:
        if self.open:
            self.close()
            self._on_end()


TerminalReader = Reader  # a console hands over its output through a pipe


class Writer:
    """Our end of a pipe that a command reads from; what does not fit waits in memory."""

    fd = -1  # there are no descriptors to look at

    def __init__(self, loop: Loop, handle: int, *, owner: int = 0) -> None:
        self._loop = loop
        self._handle = handle
        self._owner = owner
        self._buffer = bytearray()
        self._writing: win32.Operation | None = None
        self._closing = False
        loop.port.attach(handle, FROM_PIPE)

    def write(self, data: bytes) -> None:
        """Write as soon as the reader takes it."""
        if self._handle >= 0 and not self._closing:
            self._buffer += data
            self._begin()

    def close(self) -> None:
        """Close once everything is written."""
        self._closing = True
        if self._writing is None:
            self._shut()

    def abandon(self) -> None:
        """Close now, and drop what is queued: there is no reader any more."""
        self._buffer.clear()
        self._shut()

    def _begin(self) -> None:
        if self._writing is not None or not self._buffer:
            return
        piece = bytes(self._buffer[:CHUNK_BYTES])
        operation = win32.Operation(self._handle, piece, self._written, self._owner)
        if win32.begin_write(operation):
            self._writing = operation
            self._loop.under_way(operation)
        else:
            self.abandon()

    def _written(self, done: win32.Operation) -> None:
        self._writing = None
        if done.failure:
            self.abandon()
            return
        del self._buffer[: done.count]
        if self._buffer:
            self._begin()
        elif self._closing:
            self._shut()

    def _shut(self) -> None:
        if self._handle >= 0:
            if self._writing is not None:
                self._writing.cancel()
                self._writing = None
            win32.close_handle(self._handle)
            self._handle = -1
