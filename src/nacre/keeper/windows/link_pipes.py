"""The link to nacre on Windows: a plain pipe, which no completion port can watch, so two threads serve it.

Above it: `program`. Below: `event_loop`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.windows.event_loop import Loop

CHUNK_BYTES = 1 << 16
LINK_CHUNKS_AHEAD = 16
GOODBYE_PATIENCE_S = 1.0


class LinkReader:
    """Reads from nacre: a thread reads, the loop gets the chunks; a few are read ahead."""

    def __init__(
        self, loop: Loop, fd: int, on_chunk: Callable[[bytes], None], on_end: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._room = threading.BoundedSemaphore(LINK_CHUNKS_AHEAD)

    def resume(self) -> None:
        """Begin."""
        threading.Thread(target=self._read, name="link in", daemon=True).start()

    def _read(self) -> None:
        while chunk := _read_blocking(self._fd):
            self._room.acquire()
            self._loop.post(partial(self._give, chunk))
        self._loop.post(self._on_end)

    def _give(self, chunk: bytes) -> None:
        self._room.release()
        self._on_chunk(chunk)


def _read_blocking(fd: int) -> bytes:
    try:
        return os.read(fd, CHUNK_BYTES)
    except OSError:  # nacre is gone
        return b""


class LinkWriter:
    """Writes to nacre: the loop never waits for the reader."""

    def __init__(self, loop: Loop, fd: int, on_broken: Callable[[], None]) -> None:
        self._loop = loop
        self._fd = fd
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="link out", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes."""
        self._queue.put(data)

    def close(self) -> None:
        """Wait a moment for nacre to take what is queued."""
        self._queue.put(None)
        self._thread.join(GOODBYE_PATIENCE_S)

    def _write(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                _write_all(self._fd, data)
            except OSError:  # nobody reads any more
                self._loop.post(self._on_broken)
                return


def link_descriptors() -> tuple[int, int]:
    """Move the link to private descriptors; the standard ones lead to NUL from now on."""
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0, inheritable=False)
    os.dup2(null, 1, inheritable=False)
    os.close(null)
    return reading, writing


def log(text: str) -> None:
    """Write to stderr in a thread, since there may be no reader."""
    data = text.encode(errors="backslashreplace")
    threading.Thread(target=_log_in_thread, args=(data,), daemon=True).start()


def _log_in_thread(data: bytes) -> None:
    with contextlib.suppress(OSError):
        _write_all(2, data)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]
