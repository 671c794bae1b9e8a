"""The keeper's ends of pipes and terminals: readers give chunks in order, writers never block.

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

SHORT_BYTES = 1 << 14  # what most commands print is shorter
WIDE_PIPE_BYTES = 1 << 18  # wider ones are not quicker: what is read then leaves the processor's cache


class Reader:
    """The reading end of a pipe or terminal: chunks in the order they come, then the end.

    It starts paused: what a short command prints is taken in one go at its end, without being watched.
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
        self.widens = False  # whether the pipe may be made wider for it, and its chunks lent, not given
        self._loop = loop
        self._fd = fd
        self._owner = owner
        self.on_chunk = on_chunk
        self._on_end = on_end
        self._paused = True
        self._short = True  # until a read was full
        self._wide = False
        self._used = False  # something has come
        self._ended = False  # the last read has met the end

    def pause(self) -> None:
        """Leave what comes in the pipe, so that the writer has to wait."""
        if not self._paused and self.open:
            self._paused = True
            self._loop.unwatch(self._fd)

    def resume(self) -> None:
        """Read on whenever something comes."""
        if self._paused and self.open:
            self._paused = False
            self._loop.watch(self._fd, self._ready, self._owner)

    @property
    def is_scarce(self) -> bool:
        """Whether its descriptor is needed for something else than waiting."""
        return is_scarce(self._fd)

    def accept(self, chunk: bytes) -> None:
        """Take what somebody has read before there was this reader."""
        self._used = True
        self._short = len(chunk) < SHORT_BYTES
        self.on_chunk(chunk)

    def take(self) -> None:
        """Take what is in the pipe now, and no more: another process may go on writing."""
        chunk = self._read() if self.open else None
        if chunk:
            self._used = True
            self._short = len(chunk) < SHORT_BYTES
            self.on_chunk(chunk)
            left = self._waiting_bytes() if not self._short else 0
            while self.open and left > 0:
                left -= self._ready()
        elif chunk is not None:
            self._ended = True

    def was_opened(self) -> bool:
        """After `take`, of a named pipe: whether anybody has ever opened its other end."""
        return self._used or not self.open or was_opened(self._fd)

    def see_end(self) -> None:
        """After `take`: tell the end of the stream from an empty pipe."""
        if self._ended and self.open:
            self._end()
        elif self.open:
            self._ready()

    def close(self) -> None:
        """Let go of the pipe without waiting for its end."""
        if self.open:
            self.open = False
            if not self._paused:
                self._loop.unwatch(self._fd)
            os.close(self._fd)

    def _read(self) -> bytes | memoryview | None:
        """What is there: None for nothing yet, no bytes at the end."""
        try:
            if self._short:
                return os.read(self._fd, SHORT_BYTES)
            return _read_long(self._fd) if self._wide else bytes(_read_long(self._fd))
        except BlockingIOError:
            return None
        except OSError:  # EIO: the last process has let go of the terminal
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
        """A stream of more than a little gets a wider pipe: fewer wake-ups for the same bytes."""
        self.widens = False
        self._wide = widen(self._fd)

    def _waiting_bytes(self) -> int:
        answer = fcntl.ioctl(self._fd, termios.FIONREAD, b"\0\0\0\0")
        return struct.unpack("i", answer)[0]


def widen(fd: int) -> bool:
    """Let a pipe hold more; whether it does."""
    if not hasattr(fcntl, "F_SETPIPE_SZ"):
        return False
    try:
        fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, WIDE_PIPE_BYTES)
    except OSError:  # a terminal, or the user's quota of pipe memory is used up
        return False
    return True


def read_short(fd: int) -> bytes | None:
    """What a pipe holds, unless that is long: None for nothing yet, no bytes at the end."""
    try:
        return os.read(fd, SHORT_BYTES)
    except BlockingIOError:
        return None


def was_opened(fd: int) -> bool:
    """Whether anybody has ever opened the other end of a named pipe from which nothing has come.

    The kernel reports a hang-up only if a writer was there, and an end only if none is.
    """
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0)) or read_short(fd) is None


_long_buffer = memoryview(b"")


def _read_long(fd: int) -> memoryview:
    """What a pipe holds, until the next read. A fresh block for each one would scatter the heap."""
    global _long_buffer  # noqa: PLW0603  # made when it is needed first
    if not _long_buffer:
        _long_buffer = memoryview(bytearray(WIDE_PIPE_BYTES))
    return _long_buffer[: os.readv(fd, (_long_buffer,))]


class TerminalReader(Reader):
    """Our end of a terminal, which hands over what it holds in pieces of any size."""

    def take(self) -> None:
        """Take piece after piece until there is none, or it is too much: somebody goes on writing."""
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
        """Where it writes; -1: no more."""
        return -1 if self._closing else self._fd

    def write(self, data: bytes) -> None:
        """Write now what can be written, the rest when there is room."""
        if self._fd < 0 or self._closing:
            return
        if not self._buffer:  # nearly always: what fits leaves without being copied
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
        """Close now; nobody is left to read what still waits."""
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
        """Nobody reads any more."""
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
