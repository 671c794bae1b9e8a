"""What is kept of one output stream: head and tail in memory, the whole of it in a bounded spool file.

Above it: `commands`, which feeds it. It knows bytes and one file, never decoding, lines or limits of a
reply; those belong to nacre's `output`. Memory stays at twice `keep_bytes` whatever a command prints.
"""

from __future__ import annotations

import os
from collections import deque

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable


class Spool:
    """A file with the first and the last half of a stream; the middle is counted, not kept.

    The second half of the file is a ring. `order` turns it, so that a reader finds the beginning, then
    the end.
    """

    def __init__(self, path: str, limit_bytes: int) -> None:
        self.path = path
        self.total_bytes = 0
        self._head_bytes = limit_bytes // 2
        self._ring_bytes = limit_bytes - self._head_bytes
        self._turned = 0  # by how much `order` has turned the ring
        self._fd = -1

    @property
    def omitted_bytes(self) -> int:
        """How much of the middle is not in the file."""
        return max(0, self.total_bytes - self._head_bytes - self._ring_bytes)

    def write(self, data: bytes | memoryview) -> None:
        """Add bytes; beyond the limit they overwrite the oldest of the second half."""
        if self._fd < 0:
            self._fd = os.open(
                self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
            )
        view = memoryview(data)
        while view:
            offset, room = self._place()
            written = _write_at(self._fd, view[:room], offset)
            self.total_bytes += written
            view = view[written:]

    def _place(self) -> tuple[int, int]:
        """Where the next byte goes, and how many fit there in one piece."""
        if self.total_bytes < self._head_bytes:
            return self.total_bytes, self._head_bytes - self.total_bytes
        at = self._ring_position()
        return self._head_bytes + at, self._ring_bytes - at

    def _ring_position(self) -> int:
        return (self.total_bytes - self._head_bytes - self._turned) % self._ring_bytes

    def order(self) -> None:
        """Turn the ring so that a reader finds it in order; more may be written afterwards."""
        at = self._ring_position()
        if self._fd >= 0 and self.omitted_bytes and at:
            ring = _read_at(self._fd, self._ring_bytes, self._head_bytes)
            _write_all_at(self._fd, ring[at:] + ring[:at], self._head_bytes)
            self._turned += at

    def finish(self) -> None:
        """Nothing more comes: put the ring in order and close the file."""
        if self._fd >= 0:
            self.order()
            os.close(self._fd)
            self._fd = -1


class Capture:
    """One stream of a command: count, head, tail, spool."""

    def __init__(self, keep_bytes: int, open_spool: Callable[[], Spool | None]) -> None:
        self.total_bytes = 0
        self.line_ends = 0
        self.head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._keep_bytes = keep_bytes
        self._open_spool = open_spool
        self._spool: Spool | None = None
        self._spool_failed = ""
        self._goes_on = False  # someone may print more after the command's end

    def feed(self, chunk: bytes) -> None:
        """Take what the command printed."""
        room = self._keep_bytes - self.total_bytes
        self.total_bytes += len(chunk)
        self.line_ends += chunk.count(b"\n")
        if self._spool is not None:
            self._spool_write(chunk)
        if room >= len(chunk):
            self.head += chunk
            return
        if room > 0:
            self.head += chunk[:room]
            chunk = chunk[room:]
        if self._spool is None:
            self._spool_head()
            self._spool_write(chunk)
        self._push_tail(chunk)

    def _push_tail(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail[0]) >= self._keep_bytes:
            self._tail_bytes -= len(self._tail.popleft())

    def _spool_head(self) -> None:
        self._spool = self._open_spool()
        self._spool_write(bytes(self.head))

    def _spool_write(self, data: bytes) -> None:
        """A full disk must not end the command: the spool is given up, and said so."""
        if self._spool is None or self._spool_failed:
            return
        try:
            self._spool.write(data)
        except OSError as error:
            self._spool_failed = os.strerror(error.errno or 0)

    def tail(self) -> bytes:
        """The last `keep_bytes` of what did not fit into the head."""
        return b"".join(self._tail)[-self._keep_bytes :]

    @property
    def silent(self) -> bool:
        """Whether there is nothing to tell of the stream."""
        return not self.total_bytes and self._spool is None

    def keep_on(self) -> None:
        """The command ended, but someone it left behind may go on printing: that is found in the spool."""
        self._goes_on = True
        if self._spool is None:
            self._spool_head()

    def settle(self) -> None:
        """The command ended: put the spool in order, or spool what the reply will fold away."""
        if self._spool is not None:
            self._spool.order()
        head = self.head
        if self._spool is None and (b"\x1b" in head or b"\b" in head or _overwrites(head)):
            self._spool_head()

    def finish(self) -> None:
        """The stream is closed for good."""
        if self._spool is not None:
            self._spool.finish()

    def report(self) -> tuple[list[object], list[bytes]]:
        """The counts (total, lines, head, tail; of a spool: path, omitted, failure, goes on); the bytes."""
        if self._spool is None and self.total_bytes == len(self.head):
            return [self.total_bytes, self.line_ends, self.total_bytes, 0], [bytes(self.head)]
        head, tail = bytes(self.head), self.tail()
        spool = self._spool if self._spool is not None and not self._spool_failed else None
        told = [spool.path, spool.omitted_bytes, ""] if spool else [None, 0, self._spool_failed]
        told.append(self._goes_on)
        return [self.total_bytes, self.line_ends, len(head), len(tail), *told], [head, tail]


def _overwrites(data: bytearray) -> bool:
    """Whether a carriage return goes back over a line; those at its end are Windows' way to end one."""
    return b"\r" in data and data.count(b"\r") != data.count(b"\r\n")


def _write_at(fd: int, data: memoryview, offset: int) -> int:
    if hasattr(os, "pwrite"):
        return os.pwrite(fd, data, offset)
    os.lseek(fd, offset, os.SEEK_SET)
    return os.write(fd, data)


def _write_all_at(fd: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = _write_at(fd, view, offset)
        offset += written
        view = view[written:]


def _read_at(fd: int, size: int, offset: int) -> bytes:
    os.lseek(fd, offset, os.SEEK_SET)
    parts: list[bytes] = []
    while size > 0 and (part := os.read(fd, size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
