"""The files with the output of commands, from the first byte: each is bounded, and so is their total.

Above it: `capture`, which writes one, and `program`, which has them all. Below: `directory`.

Every byte of output passes here, also of cancelled commands and of processes left behind. So this is where
room is made: the oldest files are removed first, and those that still grow last.
"""

from __future__ import annotations

import errno
import os

from nacre.keeper.descriptors import is_scarce
from nacre.keeper.directory import LOCK_NAME, Directory, identity

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from nacre.keeper.directory import Identity

SUFFIXES = (".out", ".err")
KEPT = 64
TOTAL_BYTES = 1000 * 1000 * 1000
PIECE_BYTES = 1 << 16  # copied at a time; small enough to stay in the heap


class Spools:
    """All of them, in the order in which their commands ended."""

    def __init__(self, directory: Directory, kept: int = KEPT, total_bytes: int = TOTAL_BYTES) -> None:
        self.directory = directory
        self.kept = kept
        self.total_bytes = total_bytes
        self._bytes = 0
        self._finished: dict[Spool, None] = {}
        self.is_trim_due = False  # whether there may be too many
        self._growing: dict[Spool, None] = {}  # their commands have ended, but other processes may print more

    def adopt(self) -> None:
        """Take over the spools of a lost keeper, and remove the rest of its files."""
        found: list[tuple[float, Spool]] = []
        for name in self.directory.names():
            if not name.endswith(SUFFIXES):
                if name != LOCK_NAME:
                    self.directory.discard(name)
                continue
            status = os.lstat(self.directory.path_of(name))
            found.append((status.st_mtime, Spool(self, name, 0, status.st_size)))
        for _, spool in sorted(found, key=lambda pair: pair[0]):
            self._bytes += spool.size
            self.ended(spool, goes_on=False)
        self.trim()

    def open(self, name: str, limit_bytes: int) -> Spool:
        """Create one; its file is created with the first write."""
        return Spool(self, name, limit_bytes)

    def ended(self, spool: Spool, *, goes_on: bool) -> None:
        """The command of a spool has ended, or its last writer. There may be too many now: see `trim`."""
        (self._finished if goes_on else self._growing).pop(spool, None)
        (self._growing if goes_on else self._finished)[spool] = None
        self.is_trim_due = True

    def trim(self) -> None:
        """Remove the oldest beyond the limit. That takes a while, so a reply is sent first."""
        self.is_trim_due = False
        for kept in (self._finished, self._growing):
            while len(kept) > self.kept:
                next(iter(kept)).remove()

    def grow(self, spool: Spool, more_bytes: int) -> None:
        """Make room. Raises OSError where removing other files is not enough."""
        self._bytes += more_bytes
        while self._bytes > self.total_bytes:
            others = [kept for kept in (*self._finished, *self._growing) if kept is not spool]
            if not others:
                self._bytes -= more_bytes
                raise OSError(errno.ENOSPC, f"all spools together are limited to {self.total_bytes:,} bytes")
            others[0].remove()

    def forget(self, spool: Spool) -> None:
        """Note that a spool is gone."""
        self._finished.pop(spool, None)
        self._growing.pop(spool, None)
        self._bytes -= spool.size


class Spool:
    """A file with the first and the last half of a stream; the middle is counted, not kept.

    The second half of the file is a ring buffer. `order` rotates it, so that the file can be read from start
    to end.
    """

    def __init__(self, spools: Spools, name: str, limit_bytes: int, size: int = 0) -> None:
        self.path = spools.directory.path_of(name)
        self.total_bytes = 0
        self.size = size  # of the file
        self._spools = spools
        self._name = name
        self._head_bytes = limit_bytes // 2
        self._ring_bytes = limit_bytes - self._head_bytes
        self._turned = 0  # how far `order` has rotated the ring
        self._fd = -1
        self._identity: Identity | None = None  # None: there is no file yet
        self._resting = False  # whether the file is closed after each use
        self._removed = False

    @property
    def omitted_bytes(self) -> int:
        """The size of the middle that is not in the file."""
        return max(0, self.total_bytes - self._head_bytes - self._ring_bytes)

    @property
    def is_there(self) -> bool:
        """Whether the file is still at its path."""
        return self._identity is not None and self._spools.directory.holds(self._name, self._identity)

    def write(self, data: bytes | memoryview) -> None:
        """Add bytes; beyond the limit they overwrite the oldest of the second half. Raises OSError."""
        self._open()
        view = memoryview(data)
        while view:
            offset, room = self._place()
            written = self._write_at(view[:room], offset)
            self.total_bytes += written
            view = view[written:]
        if self._resting:
            self._close()

    def _open(self) -> None:
        if self._removed:
            raise FileNotFoundError(errno.ENOENT, "the file has made room for newer ones", self.path)
        if self._fd >= 0:
            return
        if self._identity is None:
            self._fd = self._spools.directory.create(self._name)
            self._identity = identity(os.fstat(self._fd))
            self._resting |= is_scarce(self._fd)
        else:
            self._fd = self._spools.directory.reopen(self._name, self._identity)

    def _write_at(self, data: memoryview, offset: int) -> int:
        more_bytes = offset + len(data) - self.size
        if more_bytes > 0:
            self._spools.grow(self, more_bytes)
            self.size += more_bytes
        return _write_at(self._fd, data, offset)

    def _place(self) -> tuple[int, int]:
        """The position of the next byte, and how many fit there contiguously."""
        if self.total_bytes < self._head_bytes:
            return self.total_bytes, self._head_bytes - self.total_bytes
        at = self._ring_position()
        return self._head_bytes + at, self._ring_bytes - at

    def read(self, offset: int, limit_bytes: int) -> bytes:
        """The output from an offset on, up to the limit or to missing bytes. Raises OSError."""
        end = min(offset + limit_bytes, self.total_bytes)
        after = self._head_bytes + self.omitted_bytes
        if offset < self._head_bytes:
            end = min(end, self._head_bytes)
        elif offset < after:
            return b""
        if offset >= end or self._identity is None:
            return b""
        self._open()
        try:
            return self._read_kept(offset, end)
        finally:
            if self._resting:
                self._close()

    def _read_kept(self, offset: int, end: int) -> bytes:
        if offset < self._head_bytes:
            return _read_at(self._fd, end - offset, offset)
        at = (offset - self._head_bytes - self._turned) % self._ring_bytes
        first = min(end - offset, self._ring_bytes - at)
        data = _read_at(self._fd, first, self._head_bytes + at)
        return data + _read_at(self._fd, end - offset - first, self._head_bytes)

    @property
    def missing_from(self) -> int:
        """The offset of the part that is not in the file."""
        return self._head_bytes

    def _ring_position(self) -> int:
        return (self.total_bytes - self._head_bytes - self._turned) % self._ring_bytes

    def order(self) -> None:
        """Rotate the ring into order; more may be written afterwards. Raises OSError."""
        at = self._ring_position()
        if self._identity is None or not self.omitted_bytes or not at:
            return
        self._open()
        _turn_left(self._fd, self._head_bytes, self._ring_bytes, at)
        self._turned += at
        if self._resting:
            self._close()

    def ended(self, *, goes_on: bool) -> None:
        """Note the end of its command. Other processes may print for days: no descriptor is kept for that."""
        self._resting = True
        self._close()
        if self._identity is not None and not self._removed:
            self._spools.ended(self, goes_on=goes_on)

    def remove(self) -> None:
        """Discard it with its file."""
        if not self._removed:
            self._removed = True
            self._close()
            self._spools.forget(self)
            self._spools.directory.discard(self._name)

    def _close(self) -> None:
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)


def _write_at(fd: int, data: memoryview, offset: int) -> int:
    if hasattr(os, "pwrite"):
        return os.pwrite(fd, data, offset)
    os.lseek(fd, offset, os.SEEK_SET)
    return os.write(fd, data)


def _turn_left(fd: int, start: int, size: int, by: int) -> None:
    """Rotate a part of a file left by `by` bytes; the smaller side is buffered in memory."""
    end = start + size
    if 2 * by <= size:
        waiting = _read_at(fd, by, start)
        for offset in range(start, end - by, PIECE_BYTES):
            piece = _read_at(fd, min(PIECE_BYTES, end - by - offset), offset + by)
            _write_all_at(fd, piece, offset)
        _write_all_at(fd, waiting, end - by)
    else:
        rest = size - by
        waiting = _read_at(fd, rest, start + by)
        for offset in range(end, start + rest, -PIECE_BYTES):
            length = min(PIECE_BYTES, offset - start - rest)
            _write_all_at(fd, _read_at(fd, length, offset - length - rest), offset - length)
        _write_all_at(fd, waiting, start)


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
