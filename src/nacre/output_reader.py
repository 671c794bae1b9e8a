"""Parts of what a command printed: from a byte or a line on, the last lines, or the lines that match.

Above it: `service`. Below: `output_lines`, which has the bytes block by block, and `output`, which makes them
text. It blocks while it reads, so it is called in a thread.

Every part says where the next one begins. Who goes on from there sees each byte once, also of an output that
still grows: a character or a line that is not complete yet is left for the next part, if more may come.
"""

from __future__ import annotations

import base64
import itertools
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from nacre.binary import describe, is_binary
from nacre.output import character_border, fitting, leaving, readable, size_of
from nacre.output_lines import BLOCK_BYTES, blocks, line_number, missing_lines
from nacre.output_query import Excerpt
from nacre.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.output_query import Query
    from nacre.outputs import Printed

LONGEST_LINE_BYTES = 1 << 16  # what is longer is searched in pieces
SEARCH_S = 2.0  # what a search may take


class _Line(NamedTuple):
    number: int
    offset: int
    data: bytes


def read(printed: Printed, query: Query) -> Excerpt:
    """The part that is asked for. RequestError: a regular expression that is none, or takes too long."""
    wanted = _begin(printed, query)
    offset = printed.skip_missing(wanted)
    if query.search is not None:
        return _search(printed, query, offset, offset - wanted)
    end = _after_lines(printed, offset, query.lines) if query.lines is not None else printed.total_bytes
    if printed.missing_bytes and offset < printed.missing_from:
        end = min(end, printed.missing_from)
    data = printed.read(offset, min(query.limit_bytes, end - offset))
    part, text, encoding = _shown(
        data, query, is_cut=offset + len(data) < end, goes_on=printed.goes_on and end == printed.total_bytes
    )
    return Excerpt(
        text=text,
        offset=offset,
        next_offset=offset + len(part),
        total_bytes=printed.total_bytes,
        first_line=line_number(printed, offset),
        skipped_bytes=offset - wanted,
        goes_on=printed.goes_on,
        encoding=encoding,
    )


def _shown(data: bytes, query: Query, *, is_cut: bool, goes_on: bool) -> tuple[bytes, str, str]:
    """As much of some bytes as fits when it is shown, how that looks, and what it is if it is no text."""
    if query.as_base64:
        return data, base64.b64encode(leaving(data)[0]).decode("ascii"), "base64"
    if is_binary(data[: character_border(data, len(data))]):
        return data, describe(data, len(data), "base64: true shows them"), "binary"
    if not is_cut:
        part = data[: character_border(data, len(data))] if goes_on else data
        text = readable(part)
        if size_of(text) <= query.limit_bytes:
            return part, text, ""
    part, text = fitting(data, query.limit_bytes, None, from_start=True)
    if part:
        return part, text, ""
    return data, readable(data), ""  # one character that is wider than the limit: the next part follows on it


# -- where a part begins and ends


def _begin(printed: Printed, query: Query) -> int:
    if query.tail is not None:
        return _tail_offset(printed, query.tail)
    if query.line is not None:
        return _after_lines(printed, 0, query.line - 1)
    return min(query.offset or 0, printed.total_bytes)


def _after_lines(printed: Printed, offset: int, count: int) -> int:
    """Where the line begins that follows on so many; the end, where there are fewer."""
    if not count:
        return offset
    for at, block in blocks(printed, offset):
        ends = block.count(b"\n")
        if ends < count:
            count -= ends
            continue
        border = -1
        for _ in range(count):
            border = block.index(b"\n", border + 1)
        return at + border + 1
    return printed.total_bytes


def _tail_offset(printed: Printed, count: int) -> int:
    """Where the last lines begin; no further back than what is kept in one piece with the end."""
    first = printed.skip_missing(printed.missing_from) if printed.missing_bytes else 0
    end, wanted = printed.total_bytes, count + 1
    if end and printed.read(end - 1, 1) != b"\n":
        wanted = count  # the last line has no end
    while end > first:
        begin = max(first, end - BLOCK_BYTES)
        block = printed.read(begin, end - begin)
        ends = block.count(b"\n")
        if ends < wanted:
            end, wanted = begin, wanted - ends
            continue
        border = len(block)
        for _ in range(wanted):
            border = block.rindex(b"\n", 0, border)
        return begin + border + 1
    return first


# -- search


def _search(printed: Printed, query: Query, offset: int, skipped_bytes: int) -> Excerpt:
    pattern = Pattern(query.search or "", SEARCH_S)
    first_line = line_number(printed, offset)
    found = _Found(query.limit_bytes, query.context)
    lines = itertools.islice(_lines(printed, offset, first_line or 1), query.lines)
    for line in lines:
        text = readable(line.data)
        found.take(line, text, matches=pattern.is_in(text.removesuffix("\n")))
    end = found.cut_at if found.cut_at is not None else _after_lines(printed, offset, query.lines or 0)
    if query.lines is None and found.cut_at is None:
        end = printed.total_bytes
    return Excerpt(
        text="".join(found.shown),
        offset=offset,
        next_offset=end,
        total_bytes=printed.total_bytes,
        first_line=first_line,
        skipped_bytes=skipped_bytes,
        goes_on=printed.goes_on,
        matches=found.matches,
        shown_matches=found.shown_matches,
    )


def _lines(printed: Printed, offset: int, number: int) -> Iterator[_Line]:
    """Line after line; what is longer than a line should be comes in pieces."""
    rest, begin = b"", offset
    for at, block in blocks(printed, offset):
        if at != begin + len(rest):  # bytes are missing between
            if rest:
                yield _Line(number, begin, rest)
            number += missing_lines(printed) or 0
            rest, begin = b"", at
        data = rest + block
        position = 0
        while (border := data.find(b"\n", position)) >= 0 or len(data) - position > LONGEST_LINE_BYTES:
            end = min(border + 1 or len(data), position + LONGEST_LINE_BYTES)
            yield _Line(number, begin + position, data[position:end])
            number += data[end - 1 : end] == b"\n"
            position = end
        rest, begin = data[position:], begin + position
    if rest:
        yield _Line(number, begin, rest)


class _Found:
    """The lines that match, with those around them, up to a limit; after that they are only counted."""

    def __init__(self, limit_bytes: int, context: int) -> None:
        self.shown: list[str] = []
        self.matches = self.shown_matches = 0
        self.cut_at: int | None = None  # where the first line begins that was not shown
        self._room = limit_bytes
        self._context = context
        self._before: deque[tuple[_Line, str]] = deque(maxlen=context)
        self._after = 0  # how many more lines are shown
        self._last = 0  # the last one that was

    def take(self, line: _Line, text: str, *, matches: bool) -> None:
        """One more line."""
        self.matches += matches
        if self.cut_at is not None:
            return
        if matches:
            group = [*self._before, (line, text)]
            self._before.clear()
            self._after = self._context
        elif self._after:
            group, self._after = [(line, text)], self._after - 1
        else:
            self._before.append((line, text))
            return
        self._show(group, line, matches=matches)

    def _show(self, group: list[tuple[_Line, str]], line: _Line, *, matches: bool) -> None:
        gap = "--\n" if self._context and self._last and group[0][0].number > self._last + 1 else ""
        shown = gap + "".join(
            f"{one.number}{':' if matches and one is line else '-'}{text.removesuffix(chr(10))}\n"
            for one, text in group
        )
        if size_of(shown) > self._room and self.shown:
            self.cut_at = line.offset
            return
        shown = shown[: self._room]
        self._room -= size_of(shown)
        self._last = line.number
        self.shown_matches += matches
        self.shown.append(shown)
