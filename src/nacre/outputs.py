"""What commands have printed, by id: short outputs are held in memory, long ones are in their files.

Above it: `results`, which enters every output, and `output_reader`, which reads parts of one. Below:
`spools`, which knows the files. It knows bytes and where they are missing, nothing of lines, text or replies.

Both are bounded: the files by their keeper (`keeper.spools`), what is held here by `MEMORY_BYTES`. The newest
output is always there.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from nacre.keeper import records
from nacre.output import context_bytes, leaving_part
from nacre.spools import read_at

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from nacre.keeper.frames import Stream
    from nacre.spools import Spools, StreamName

    Streams = tuple[Stream, Stream]

REMEMBERED = 1000  # outputs of which the sizes are known
MEMORY_BYTES = 1 << 20  # of short outputs together


@dataclass(frozen=True, slots=True)
class Printed:
    """One stream as it was printed. `missing_bytes` of it, from `missing_from` on, were not kept.

    Offsets count what was printed, not what is kept.
    """

    read_at: Callable[[int, int], bytes]  # of what is kept: from there, so many
    total_bytes: int
    missing_from: int = 0
    missing_bytes: int = 0
    goes_on: bool = False  # a process left behind may print more
    line_ends: int | None = None  # in all that was printed; None: they were not counted

    def read(self, offset: int, limit_bytes: int) -> bytes:
        """The bytes from an offset up to the limit, the end, or where bytes are missing."""
        end = min(offset + limit_bytes, self.total_bytes)
        at = offset
        if self.missing_bytes and offset < self.missing_from:
            end = min(end, self.missing_from)
        elif self.missing_bytes:
            offset = self.skip_missing(offset)
            at = offset - self.missing_bytes
        return self._read_hidden(at, max(0, end - offset))

    def _read_hidden(self, at: int, limit_bytes: int) -> bytes:
        """The kept bytes with secrets masked, which may take the bytes around them to recognize."""
        around_bytes = context_bytes()
        if not around_bytes:
            return self.read_at(at, limit_bytes)
        border = self.missing_from if self.missing_bytes else 0
        first = border if border and at >= border else 0
        last = border if border and at < border else self.total_bytes
        begin = max(first, at - around_bytes)
        data = self.read_at(begin, min(at + limit_bytes + around_bytes, last) - begin)
        is_cut_before = bool(border) and begin == border
        at_end = self.goes_on and begin + len(data) >= self.total_bytes - self.missing_bytes
        is_cut_after = at_end or (bool(border) and begin + len(data) == border)
        hidden = leaving_part(data, cut_before=is_cut_before, cut_after=is_cut_after)
        return hidden[at - begin :][:limit_bytes]

    def since(self, begin: int) -> Printed:
        """What was printed from an offset on, as if it were all."""
        end = self.missing_from + self.missing_bytes
        missing_bytes = max(0, end - max(begin, self.missing_from)) if self.missing_bytes else 0
        missing_from = max(0, self.missing_from - begin)

        def read_at(at: int, limit_bytes: int) -> bytes:
            return self.read(begin + (at if at < missing_from else at + missing_bytes), limit_bytes)

        return Printed(read_at, self.total_bytes - begin, missing_from, missing_bytes, self.goes_on)

    def skip_missing(self, offset: int) -> int:
        """The first offset from there on at which there is something to read."""
        after = self.missing_from + self.missing_bytes
        return after if self.missing_bytes and self.missing_from <= offset < after else offset


class Outputs:
    """The outputs of this server."""

    def __init__(self, spools: Spools) -> None:
        self._spools = spools
        self._streams: dict[str, Streams] = {}  # by the command's number, the oldest first
        self._held_bytes = 0
        self.newest_id: str | None = None  # of the command that was told of last

    def keep(self, number: str, stdout: Stream, stderr: Stream) -> str:
        """Remember what a command has printed; its id."""
        streams = stdout, stderr
        if stdout.spool is not None or stderr.spool is not None:
            streams = _beyond_file(stdout), _beyond_file(stderr)
        held = self._streams
        held[number] = streams
        self._held_bytes += _size(streams)
        while (self._held_bytes > MEMORY_BYTES and len(held) > 1) or len(held) > REMEMBERED:
            self._held_bytes -= _size(held.pop(next(iter(held))))
        self.newest_id = output_id = self._spools.id_for(number)
        return output_id

    def mention(self, number: str) -> str:
        """The id of what a command prints that still runs."""
        self.newest_id = output_id = self._spools.id_for(number)
        return output_id

    def id_of(self, number: str) -> str:
        """The id of what a command prints."""
        return self._spools.id_for(number)

    def command_of(self, output_id: str) -> int:
        """The command that an output is of, as its keeper numbers it; in a session, its shell."""
        return int(self._spools.number_of(output_id).partition(".")[0])

    def path_of(self, number: str, stream: StreamName) -> str:
        """The file that a long stream is in."""
        return self._spools.path_for(number, stream)

    @contextlib.contextmanager
    def open(self, output_id: str, stream: StreamName) -> Generator[Printed]:
        """One stream of an output. It blocks. RequestError: there is no such output, or not any more."""
        streams = self._streams.get(self._spools.number_of(output_id))
        known = streams[stream == "stderr"] if streams is not None else None
        if known is not None and known.spool is None:
            yield _in_memory(known)
            return
        fd = self._spools.open(output_id, stream)
        try:
            size_bytes = os.fstat(fd).st_size
            missing_bytes = known.spool_omitted_bytes if known is not None else 0
            goes_on = known is not None and known.goes_on
            line_ends = known.line_ends if known is not None and not goes_on else None
            # A file that lacks something is full: it has the first half of its limit, and the last.
            half_bytes = size_bytes // 2
            read = partial(read_at, fd)
            yield Printed(read, size_bytes + missing_bytes, half_bytes, missing_bytes, goes_on, line_ends)
        finally:
            os.close(fd)


def _beyond_file(stream: Stream) -> Stream:
    """A stream without the bytes that its file has."""
    return stream if stream.spool is None else records.replace(stream, head=b"", tail=b"")


def _size(streams: Streams) -> int:
    stdout, stderr = streams
    return len(stdout.head) + len(stdout.tail) + len(stderr.head) + len(stderr.tail)


def _in_memory(stream: Stream) -> Printed:
    kept = stream.head + stream.tail
    missing_bytes = stream.total_bytes - len(kept)
    return Printed(
        lambda at, limit_bytes: kept[at : at + limit_bytes],
        stream.total_bytes,
        len(stream.head),
        missing_bytes,
        line_ends=stream.line_ends,
    )
