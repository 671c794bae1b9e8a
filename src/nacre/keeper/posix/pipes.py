"""The keeper's ends of pipes and terminals: readers deliver chunks in order, writers never block.

Above it: `streams`, `shells` and `program`. Below: `event_loop`.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import termios

from nacre.keeper.descriptors import is_scarce

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nacre.keeper.posix.event_loop import Loop

SHORT_BYTES = 1 << 14  # most commands print less
WIDE_PIPE_BYTES = 1 << 18  # larger ones are not faster: the data no longer fits the processor's cache


class Reader:
    """The reading end of a pipe or terminal: chunks in order, then the end.

    It starts paused: the output of a short command is read in one go at its end, without being watched.
    """

    def __init__(
        self,
        loop: Loop,
        fd: int,
        on_chunk: Callable[[Any], None],
        on_end: Callable[[], None],
        owner: int = 0,
    ) -> None:
        self.open = True  # whether more may come
        self.widens = False  # whether the pipe may be enlarged, and chunks share one buffer
        self._loop = loop
        self._fd = fd
        self._owner = owner
        self.on_chunk = on_chunk
        self._on_end = on_end
        self._paused = True
        self._short = True  # until a read fills the buffer
        self._wide = False
        self._used = False  # whether anything was read
        self._ended = False  # whether the last read met the end

    def pause(self) -> None:
        """Stop reading, so that the writer has to wait."""
        if not self._paused and self.open:
            self._paused = True
            self._loop.unwatch(self._fd)

    def resume(self) -> None:
        """Read whenever there is something to read."""
        if self._paused and self.open:
            self._paused = False
            self._loop.watch(self._fd, self._ready, self._owner)

    @property
    def is_scarce(self) -> bool:
        """Whether its descriptor is one of the reserved last ones."""
        return is_scarce(self._fd)

    def accept(self, chunk: bytes) -> None:
        """Add what was read before this reader existed."""
        self._used = True
        self._short = len(chunk) < SHORT_BYTES
        self.on_chunk(chunk)

    def take(self) -> None:
        """Read what is in the pipe now, and no more: another process may continue to write."""
        chunk = self._read() if self.open else None
        if chunk:
            self._used = True
            self._short = len(chunk) < SHORT_BYTES
            self.on_chunk(chunk)
            left = _waiting_bytes(self._fd) if not self._short else 0
            while self.open and left > 0:
                left -= self._ready()
        elif chunk is not None:
            self._ended = True

    def was_opened(self) -> bool:
        """After `take`, for a named pipe: whether its other end was ever opened."""
        return self._used or not self.open or was_opened(self._fd)

    def see_end(self) -> None:
        """After `take`: distinguish the end of the stream from an empty pipe."""
        if self._ended and self.open:
            self._end()
        elif self.open:
            self._ready()

    def close(self) -> None:
        """Close the pipe without waiting for its end."""
        if self.open:
            self.open = False
            if not self._paused:
                self._loop.unwatch(self._fd)
            os.close(self._fd)

    def _read(self) -> bytes | memoryview | None:
        """Read what is available: None for nothing yet, no bytes at the end."""
        try:
            if self._short:
                return os.read(self._fd, SHORT_BYTES)
            return _read_long(self._fd) if self._wide else bytes(_read_long(self._fd))
        except BlockingIOError:
            return None
        except OSError:  # EIO: the last process has closed the terminal
            return b""

    def _ready(self) -> int:
        chunk = self._read()
        if chunk is None:
            return 0
        if chunk:
            self._used = True
            self._short = len(chunk) < SHORT_BYTES
            if self.widens and not self._short:
                self._widen()
            self.on_chunk(chunk)
        else:
            self._end()
        return len(chunk)

    def _end(self) -> None:
        self.close()
        self._on_end()

    def _widen(self) -> None:
        """Enlarge the pipe of a stream with much output: fewer wake-ups for the same bytes."""
        self.widens = False
        self._wide = widen(self._fd)


def widen(fd: int) -> bool:
    """Enlarge a pipe; whether that worked."""
    if not hasattr(fcntl, "F_SETPIPE_SZ"):
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, WIDE_PIPE_BYTES)
    except OSError:  # a terminal, or the user's quota of pipe memory is used up
        return False
    return True


def read_short(fd: int) -> bytes | None:
    """Read a short output from a pipe: None for nothing yet, no bytes at the end."""
    try:
        return os.read(fd, SHORT_BYTES)
    except BlockingIOError:
        return None


def is_filling(fd: int) -> bool:
    """Whether so much waits in a pipe that its writer may soon have to wait as well."""
    return _waiting_bytes(fd) >= SHORT_BYTES


def _waiting_bytes(fd: int) -> int:
    answer = fcntl.ioctl(fd, termios.FIONREAD, b"\0\0\0\0")
    return struct.unpack("i", answer)[0]


def was_opened(fd: int) -> bool:
    """Whether the other end of a named pipe without output was ever opened.

    The kernel reports a hang-up only if there was a writer, and an end only if there is none.
    """
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0)) or read_short(fd) is None


_long_buffer = memoryview(b"")


def _read_long(fd: int) -> memoryview:
    """Read into the shared buffer, valid until the next read. New blocks would fragment the heap."""
    global _long_buffer  # noqa: PLW0603  # allocated on first use
    if not _long_buffer:
        _long_buffer = memoryview(bytearray(WIDE_PIPE_BYTES))
    return _long_buffer[: os.readv(fd, (_long_buffer,))]


class TerminalReader(Reader):
    """Our end of a terminal, which returns its content in pieces of any size."""

    def take(self) -> None:
        """Read pieces until there are none, or too many because a process continues to write."""
        left = WIDE_PIPE_BYTES
        while self.open and left > 0 and (size := self._ready()):
            left -= size


class Writer:
    """The writing end of a pipe or terminal; what does not fit waits in memory."""

    def __init__(
        self, loop: Loop, fd: int, on_broken: Callable[[], None] | None = None, *, owner: int = 0
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._owner = owner
        self._buffer = bytearray()
        self._watching = False
        self._closing = False
        self._on_broken = on_broken
        os.set_blocking(fd, False)

    @property
    def fd(self) -> int:
        """Its descriptor; -1: closed."""
        return -1 if self._closing else self._fd

    def write(self, data: bytes) -> None:
        """Write as much as possible now, the rest when there is room."""
        if self._fd < 0 or self._closing:
            return
        if not self._buffer:  # the usual case: written without a copy
            try:
                data = data[os.write(self._fd, data) :]
            except BlockingIOError:
                pass
            except OSError:
                self._break()
                return
            if not data:
                return
        self._buffer += data
        self._settle()

    def close(self) -> None:
        """Close once everything is written."""
        self._closing = True
        if not self._buffer:
            self._shut()

    def abandon(self) -> None:
        """Close now, and drop what is queued: there is no reader any more."""
        self._buffer.clear()
        self._shut()

    def _flush(self) -> None:
        try:
            while self._buffer:
                del self._buffer[: os.write(self._fd, self._buffer[:WIDE_PIPE_BYTES])]
        except BlockingIOError:
            pass
        except OSError:
            self._break()
            return
        self._settle()

    def _break(self) -> None:
        """Handle the loss of the reader."""
        self._buffer.clear()
        self._shut()
        if self._on_broken:
            self._on_broken()

    def _settle(self) -> None:
        if self._buffer and not self._watching:
            self._watching = True
            self._loop.watch_write(self._fd, self._flush, self._owner)
        elif not self._buffer and self._watching:
            self._watching = False
            self._loop.unwatch(self._fd)
        if self._closing and not self._buffer:
            self._shut()

    def _shut(self) -> None:
        if self._fd >= 0:
            if self._watching:
                self._loop.unwatch(self._fd)
                self._watching = False
            os.close(self._fd)
            self._fd = -1
