"""What is kept of one output stream: head and tail in memory, the whole of it in a bounded spool file.

Above it: `streams`, which feeds it. Below: `spools`. It knows bytes and one file, never decoding, lines or
limits of a reply; those belong to nacre's `output`. Memory stays at twice `keep_bytes` whatever is printed.
"""

from __future__ import annotations

from collections import deque
from errno import ENOENT

from nacre.keeper.frames import Stream

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nacre.keeper.spools import Spool

SHORTER = 4  # an output this many times shorter than the limit fits into a reply, whatever its bytes are
_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\r"})


def is_short(chunk: bytes, keep_bytes: int) -> bool:
    """Whether a stream with only these bytes is reported as it is; anything else takes a `Capture`."""
    return len(chunk) * SHORTER <= keep_bytes and not _is_folded(chunk)


class Capture:
    """One stream of a command: count, head, tail, spool."""

    def __init__(
        self,
        keep_bytes: int,
        open_spool: Callable[[], Spool | None],
        *,
        ends_bytes: int | None = None,
        hashed: bool = False,
    ) -> None:
        """`ends_bytes` of each end are reported of what is only in the spool; None: all that is kept."""
        self.total_bytes = 0
        self.line_ends = 0
        self.head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self._keep_bytes = keep_bytes
        self._ends_bytes = keep_bytes if ends_bytes is None else ends_bytes
        self._hashed = hashed  # whether to hash output beyond the head
        self._hash: Any = None  # of all so far, created with the first byte after the head
        self._open_spool = open_spool
        self._spool: Spool | None = None
        self._spool_failed = ""
        self._goes_on = False  # another process may print more after the command's end
        self._rest_lost = ""  # why that is not kept

    def feed(self, chunk: bytes | memoryview) -> None:
        """Add output; what is kept of a memoryview is copied."""
        room = self._keep_bytes - self.total_bytes
        self.total_bytes += len(chunk)
        self.line_ends += _line_ends(chunk)
        if self._spool is not None:
            self._spool_write(chunk)
        if room >= len(chunk):
            self.head += chunk
            return
        if room > 0:
            self.head += chunk[:room]
            chunk = chunk[room:]
        if self._hashed:
            self._add_to_hash(chunk)
        if self._spool is None:
            self._spool_head()
            self._spool_write(chunk)
        self._push_tail(chunk)

    def _add_to_hash(self, chunk: bytes | memoryview) -> None:
        if self._hash is None:
            from hashlib import sha256  # noqa: PLC0415  # few servers hash, and only what is long

            self._hash = sha256(self.head)
        self._hash.update(chunk)

    def _push_tail(self, chunk: bytes | memoryview) -> None:
        chunk = bytes(chunk[-self._keep_bytes :])
        self._tail.append(chunk)
        self._tail_bytes += len(chunk)
        while self._tail_bytes - len(self._tail[0]) >= self._keep_bytes:
            self._tail_bytes -= len(self._tail.popleft())

    def _spool_head(self) -> None:
        self._spool = self._open_spool()
        self._spool_write(memoryview(self.head))

    def _spool_write(self, data: bytes | memoryview) -> None:
        """Write to the spool; if the disk is full, the spool is given up, not the command."""
        if self._spool is None or self._spool_failed:
            return
        try:
            self._spool.write(data)
        except OSError as error:
            self._give_up_spool(error)

    def _give_up_spool(self, error: OSError) -> None:
        """Remove the spool: half of an output would pass for all of it, and take scarce room."""
        self._spool_failed = error.strerror or str(error)
        if self._spool is not None:
            self._spool.remove()

    def tail(self, limit_bytes: int | None = None) -> bytes:
        """The end of what did not fit into the head: `keep_bytes`, or fewer."""
        limit_bytes = self._keep_bytes if limit_bytes is None else limit_bytes
        parts, excess_bytes = [*self._tail], self._tail_bytes - limit_bytes
        while parts and excess_bytes >= len(parts[0]):
            excess_bytes -= len(parts.pop(0))
        if excess_bytes > 0:
            parts[0] = parts[0][excess_bytes:]
        return b"".join(parts)

    def read(self, offset: int, limit_bytes: int) -> tuple[int, int, bytes]:
        """Where bytes are missing, how many, and the output from an offset on."""
        spool = self._spool
        if spool is not None and not self._spool_failed:
            try:
                return spool.missing_from, spool.omitted_bytes, spool.read(offset, limit_bytes)
            except OSError as error:
                self._give_up_spool(error)
        head, tail = self.head, self.tail()
        missing = self.total_bytes - len(head) - len(tail)
        if offset < len(head):
            data = bytes(head[offset : offset + limit_bytes])
            if missing or len(data) == limit_bytes:
                return len(head), missing, data
            return len(head), 0, data + tail[: limit_bytes - len(data)]
        at = offset - len(head) - missing
        return len(head), missing, tail[at : at + limit_bytes] if at >= 0 else b""

    @property
    def silent(self) -> bool:
        """Whether there is nothing to report of the stream."""
        return not self.total_bytes and self._spool is None and not self._rest_lost

    def keep_on(self) -> None:
        """After the command's end: keep the later output of processes left behind in the spool."""
        self._goes_on = True
        if self._spool is None:
            self._spool_head()
        self._close_spool()

    def lose_rest(self, why: str) -> None:
        """After the command's end: later output of processes left behind cannot be kept."""
        self._rest_lost = why

    def settle(self) -> None:
        """After the command's end: put the spool in order, or spool what the reply will fold away."""
        self._order_spool()
        if self._spool is None and (_is_folded(self.head) or self._grows()):
            self._spool_head()

    def _grows(self) -> bool:
        """Whether a reply may be too small for it: a byte that cannot be shown becomes four characters."""
        if len(self.head) * SHORTER <= self._keep_bytes:
            return False
        try:
            self.head.decode()
        except ValueError:
            return True
        return len(self.head.translate(None, _CONTROLS)) < len(self.head)

    def _order_spool(self) -> None:
        if self._spool is None or self._spool_failed:
            return
        try:
            self._spool.order()
        except OSError as error:
            self._give_up_spool(error)

    def _close_spool(self) -> None:
        if self._spool is not None:
            self._spool.ended(goes_on=self._goes_on)

    def finish(self) -> None:
        """Finish after the stream was closed."""
        self._order_spool()
        self._goes_on = False
        self._close_spool()

    def report(self) -> Stream:
        """The report of the stream."""
        if self._spool is None and self.total_bytes == len(self.head) and not self._rest_lost:
            return Stream(self.total_bytes, self.line_ends, bytes(self.head))
        spool = self._spool
        if spool is not None and not self._spool_failed and not spool.is_there:
            self._give_up_spool(OSError(ENOENT, "its file was removed while the command ran"))
        spool = None if self._spool_failed else spool
        kept = (spool.path, spool.omitted_bytes, "") if spool else (None, 0, self._spool_failed)
        is_whole = self.total_bytes <= len(self.head) + min(self._tail_bytes, self._keep_bytes)
        ends_bytes = self._ends_bytes if spool and not is_whole else self._keep_bytes
        rest_lost = self._rest_lost or (self._spool_failed if self._goes_on else "")
        self._close_spool()
        return Stream(
            self.total_bytes,
            self.line_ends,
            bytes(memoryview(self.head)[:ends_bytes]),
            self.tail(ends_bytes),
            *kept,
            goes_on=self._goes_on,
            rest_lost=rest_lost,
            sha256=self._hash.hexdigest() if self._hash is not None else "",
        )


def _line_ends(chunk: bytes | memoryview) -> int:
    """The number of line ends; a memoryview cannot count, but its underlying buffer can."""
    if isinstance(chunk, memoryview):
        whole: bytearray = chunk.obj  # pyright: ignore[reportAssignmentType]  # see `posix`
        return whole.count(b"\n", 0, len(chunk))
    return chunk.count(b"\n")


def _is_folded(data: bytes | bytearray) -> bool:
    """Whether a reply folds some of it away: colours, and overwritten parts of lines.

    Carriage returns at the ends of lines are Windows line ends.
    """
    if b"\x1b" in data or b"\b" in data:
        return True
    return b"\r" in data and data.count(b"\r") != data.count(b"\r\n")
