"""Bytes into and out of this process on the event loop, for any kind of descriptor.

Used by the stdio transport and by the link to a keeper. Pipes, sockets and terminals are watched by the loop;
regular files and /dev/null, which a loop cannot watch, are read in a thread and written directly. On Windows,
inherited pipes cannot be watched: a thread reads and a thread writes. asyncio's own pipe transports refuse
those and cost slightly more per message.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import stat
import sys
import threading
from typing import TYPE_CHECKING

from nacre.direct_loop import add_reader, remove_reader

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_BYTES = 1 << 16
SHORT_BYTES = 1 << 14  # most messages are shorter
LONG_BYTES = 1 << 18  # the capacity of an enlarged pipe
_long_buffer = memoryview(bytearray(LONG_BYTES))  # it takes no memory before it is used


def _is_watchable(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(fd))


def _waiting_bytes(fd: int) -> int:
    """How much can be read without waiting."""
    import fcntl  # noqa: PLC0415  # not on Windows, where nothing can be watched
    import termios  # noqa: PLC0415  # as above

    return int.from_bytes(fcntl.ioctl(fd, termios.FIONREAD, bytes(4)), sys.byteorder)


class PipeReader:
    """Calls back with every chunk that arrives on a descriptor, then once at its end."""

    def __init__(self, fd: int, on_bytes: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._fd = fd
        self._on_bytes = on_bytes
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._closed = False
        self._paused = False
        self._held: threading.Event | None = None  # what the thread waits for
        self._watching = _is_watchable(fd)
        if self._watching:
            add_reader(self._loop, fd, self._ready)
        else:  # not asyncio.to_thread: the end of the loop would wait for a read that never returns
            threading.Thread(target=self._read_in_thread, daemon=True).start()

    def _ready(self) -> None:
        try:
            chunk = os.read(self._fd, SHORT_BYTES)
            if len(chunk) == SHORT_BYTES:
                chunk = self._with_rest(chunk)
        except BlockingIOError:
            return
        except OSError:  # a reset socket, a terminal that hung up: nothing more comes
            chunk = b""
        if chunk:
            self._on_bytes(chunk)
        else:
            self.close()
            self._on_end()

    def _with_rest(self, chunk: bytes) -> bytes:
        """A chunk and what else is available: a long message comes in one piece.

        All reads share one permanent buffer: new blocks for long reads would fragment the heap.
        """
        if not (more := _waiting_bytes(self._fd)):
            return chunk
        return b"".join((chunk, _long_buffer[: os.readv(self._fd, (_long_buffer[:more],))]))

    def _read_in_thread(self) -> None:
        taken = threading.Event()
        while not self._closed:
            chunk = self._read_blocking()
            taken.clear()
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._take, chunk, taken)
            if not chunk:
                return
            taken.wait()  # one chunk at a time: a slow consumer makes the writer wait

    def _take(self, chunk: bytes, taken: threading.Event) -> None:
        self._held = taken
        if not self._paused:
            self._release()
        if self._closed:
            return
        if chunk:
            self._on_bytes(chunk)
        else:
            self._closed = True
            self._on_end()

    def _read_blocking(self) -> bytes:
        try:
            return os.read(self._fd, CHUNK_BYTES)
        except OSError:
            return b""

    def pause(self) -> None:
        """Stop reading; a thread may deliver one more chunk."""
        self._paused = True
        if self._watching:
            remove_reader(self._loop, self._fd)

    def resume(self) -> None:
        """Read again."""
        self._paused = False
        if self._watching:
            add_reader(self._loop, self._fd, self._ready)
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            self._held.set()
            self._held = None

    def close(self) -> None:
        """Stop listening. The descriptor stays open: it is not ours."""
        self._closed = True
        self._release()
        if self._watching:
            self._watching = False
            remove_reader(self._loop, self._fd)


class WatchedPipeWriter:
    """Writes bytes in order without ever blocking the loop; `drained` waits for a slow reader."""

    def __init__(
        self, fd: int, on_broken: Callable[[], None], on_drained: Callable[[], None] | None = None
    ) -> None:
        self._fd = fd
        self._on_broken = on_broken
        self._on_drained = on_drained
        self._loop = asyncio.get_running_loop()
        self._buffer = bytearray()
        self._watching = False
        self._broken = False
        self._emptied = asyncio.Event()
        self._emptied.set()
        self._watchable = _is_watchable(fd)
        if self._watchable and not os.isatty(fd):  # a terminal is shared: its mode must stay as it is
            os.set_blocking(fd, False)

    def write(self, data: bytes) -> bool:
        """Queue bytes; as many as fit are written at once. Returns whether nothing has to wait."""
        if self._broken:
            return True
        if self._buffer:
            self._buffer += data
            return False
        try:
            sent = os.write(self._fd, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._break()
            return True
        return sent == len(data) or self._write_rest(data[sent:])

    def _write_rest(self, data: bytes) -> bool:
        rest = self._write_now(data)
        if not rest:
            return True
        self._buffer += rest
        self._emptied.clear()
        if self._watchable:
            self._watching = True
            self._loop.add_writer(self._fd, self._flush)
        return False

    @property
    def waiting_bytes(self) -> int:
        """How many bytes are still queued."""
        return len(self._buffer)

    async def drained(self) -> None:
        """Wait until everything written so far has left."""
        await self._emptied.wait()

    def abandon(self) -> None:
        """Write no more: what still waits is dropped, and the descriptor may be closed."""
        self._broken = True
        self._buffer.clear()
        self._settle()

    def _write_now(self, data: bytes) -> bytes:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except BlockingIOError:
            return bytes(view)
        except OSError:
            self._break()
        return b""

    def _flush(self) -> None:
        rest = self._write_now(bytes(self._buffer[:CHUNK_BYTES]))
        sent = min(len(self._buffer), CHUNK_BYTES) - len(rest)
        del self._buffer[:sent]
        if not self._buffer:
            self._settle()

    def _settle(self) -> None:
        if self._watching:
            self._watching = False
            self._loop.remove_writer(self._fd)
        self._emptied.set()
        if self._on_drained is not None:
            self._on_drained()

    def _break(self) -> None:
        if not self._broken:
            self._broken = True
            self._buffer.clear()
            self._settle()
            self._on_broken()


class ThreadedPipeWriter:
    """The same, where the loop cannot tell when a pipe has room."""

    def __init__(
        self, fd: int, on_broken: Callable[[], None], on_drained: Callable[[], None] | None = None
    ) -> None:
        self._fd = fd
        self._on_broken = on_broken
        self._on_drained = on_drained
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._broken = False
        self._emptied = asyncio.Event()
        self._emptied.set()
        self.waiting_bytes = 0
        threading.Thread(target=self._write_in_thread, daemon=True).start()

    def write(self, data: bytes) -> bool:
        """Queue bytes. Returns whether nothing has to wait."""
        if self._broken or not data:
            return True
        self.waiting_bytes += len(data)
        self._emptied.clear()
        self._queue.put(data)
        return False

    async def drained(self) -> None:
        """Wait until everything written so far has left."""
        await self._emptied.wait()

    def abandon(self) -> None:
        """Write no more: what still waits is dropped, and the descriptor may be closed."""
        self._broken = True
        self._emptied.set()

    def _write_in_thread(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            while True:
                data = self._queue.get()
                try:
                    view = memoryview(data)
                    while view:
                        view = view[os.write(self._fd, view) :]
                except OSError:
                    self._loop.call_soon_threadsafe(self._break)
                    return
                self._loop.call_soon_threadsafe(self._left, len(data))

    def _left(self, count: int) -> None:
        self.waiting_bytes -= count
        if not self.waiting_bytes:
            self._emptied.set()
            if self._on_drained is not None:
                self._on_drained()

    def _break(self) -> None:
        self._broken = True
        self.waiting_bytes = 0
        self._emptied.set()
        self._on_broken()


PipeWriter = ThreadedPipeWriter if sys.platform == "win32" else WatchedPipeWriter
