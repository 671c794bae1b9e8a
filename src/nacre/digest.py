r"""What is shown of an output that is too long for a reply: its ends, and between them the lines that answer.

    head                                    lines that repeat are folded, with their count (`folding`)
    [... 9,812 lines, 700,123 bytes left out; whole output: ... ...]
    [picked from there, line number first:]
    4012:main.c:12:5: error: ...            a line that tells how it went (`picking`)
    4013-   12 |     retrun 0;              a line beside one
    [end of picked lines]
    tail                                    folded as the head

Above it: `service`, which loads it while the first command runs. Below:
`outputs`, which has the bytes, already without secrets. It decides nothing but what is shown: every line that
is shown stands in the output at the number that is told, every count is exact, and all of it stays readable.
Binary data is described: thousands of `\xNN` are useless.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.binary import describe, is_unreadable, lines_before
from nacre.folding import ended, folded, folds_in, runs_back_through, runs_through
from nacre.keeper.records import dataclass
from nacre.model import Text
from nacre.output import LOSSY, counted, fitting, left_out, readable, size_of
from nacre.output_lines import blocks, line_number
from nacre.picking import (
    LINE_BYTES,
    LOOKED_BYTES_OF_SUCCESS,
    LOOKED_LINES_OF_SUCCESS,
    Choice,
    Found,
    cost_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nacre.outputs import Printed
    from nacre.picking import Row

ECHO_BYTES = 1 << 14  # cmd.exe reads no line of half that
LEAST_BYTES = 2048  # in less room only the two ends are shown
WINDOW_BYTES = 120 << 10  # of each end, that is folded to be shown
PART_BYTES = 1 << 15  # of it, at least, that is read at once
PICKED_SHARE = 0.4  # of the room, at most, for picked lines and those beside them
FRAME_BYTES = 260  # the text around the picked lines


def digest_since(printed: Printed, begin: int, limit_bytes: int, rest: str) -> Text | None:
    """What was printed from an offset on, that is too long; None: the limit is too small for a choice."""
    cut = Text("", truncated=True, rest=rest)
    number = line_number(printed, begin)
    shown = digest(printed.since(begin), cut, limit_bytes, first_line=number)
    return None if shown is cut else shown


def digest_spoken(
    printed: Printed, cut: Text, limit_bytes: int, encoding: str | None = None, *, succeeded: bool = False
) -> Text:
    """The same of a turn whose file may begin with the echo of its command, a line that `cut` is without."""
    echo = printed.read(0, ECHO_BYTES).partition(b"\n")[0] + b"\n"
    begin = len(echo) if len(echo) == printed.total_bytes - cut.total_bytes else 0
    output = printed.since(begin) if begin else printed
    return digest(output, cut, limit_bytes, encoding, 2 if begin else 1, succeeded=succeeded)


def digest(  # noqa: PLR0913  # what is cut, and what is known of it
    printed: Printed,
    cut: Text,
    limit_bytes: int,
    encoding: str | None = None,
    first_line: int | None = 1,
    *,
    succeeded: bool = False,
) -> Text:
    """A text that was cut, made anew from the output itself, within the same limit.

    `first_line` is the number of the line that the output begins with; None: it is not known.
    """
    room = limit_bytes - FRAME_BYTES - size_of(left_out(printed.total_bytes, printed.total_bytes, cut.rest))
    if limit_bytes < LEAST_BYTES or room < limit_bytes // 2:
        return cut
    beginning = printed.read(0, min(limit_bytes, printed.total_bytes))
    if is_unreadable(beginning, utf_8=encoding in (None, LOSSY)):
        begin = lines_before(beginning[: room // 2])
        rest_bytes = printed.total_bytes - begin
        description = describe(beginning[begin:], rest_bytes, f"{cut.rest}, base64: true shows it", begin)
        return replace(
            cut, text=f"{readable(beginning[:begin], encoding)}{description}\n", omitted_bytes=rest_bytes
        )
    ends = _Ends(printed, beginning, limit_bytes, encoding)
    share = int(room * (1 - PICKED_SHARE)) // 2
    near, far = ends.both(share, share)
    found = Found(LOOKED_BYTES_OF_SUCCESS, LOOKED_LINES_OF_SUCCESS) if succeeded else Found()
    number = None if first_line is None else first_line + near.lines
    found.look(printed, near.size, printed.total_bytes - far.size, number, encoding)
    rows = Choice(printed, encoding, int(room * PICKED_SHARE)).of(found)
    left = room - sum(map(cost_of, rows))
    head, tail = ends.both(left // 2, left)
    for begin, end in (
        (near.size, head.size),
        (printed.total_bytes - tail.size, printed.total_bytes - far.size),
    ):
        if begin < end:
            shown = Found()
            shown.look(printed, begin, end, 0, encoding)
            found.subtract(shown)
    begin, end = head.size, printed.total_bytes - tail.size
    picked = [row for row in rows if begin <= row.offset and row.offset + row.size <= end]
    return _assembled(printed, cut, head, tail, _Middle(picked, found))


class _Middle:
    """The picked lines as they are shown."""

    def __init__(self, rows: list[Row], found: Found) -> None:
        whole = [row for row in rows if row.size <= LINE_BYTES]  # of others, a part is shown
        self.lines = len(whole)
        self.shown_bytes = sum(row.size for row in whole)
        self.text = ""
        if not rows:
            return
        picked = [row for row in rows if row.shape is not None]
        unshown = found.kinds - Counter(row.shape for row in picked if row.shape is not None)
        last = {row.shape: row for row in picked}  # of each kind
        lines = [
            f"{row.shown} [{unshown[row.shape]:,} more like it]\n"
            if row.shape is not None and unshown[row.shape] and last[row.shape] is row
            else f"{row.shown}\n"
            for row in rows
        ]
        self.text = f"[picked from there, line number first{_others(found, picked)}:]\n"
        self.text += f"{''.join(lines)}[end of picked lines]\n"


def _others(found: Found, picked: list[Row]) -> str:
    """How many more there are that could have been picked."""
    more = found.total - len(picked)
    unread = "" if found.looked_to is None else f"; from byte {found.looked_to:,} on none was looked for"
    few = f"; {counted(more, 'more line')} of such kinds" if more > 0 else ""
    return few + unread


@dataclass(slots=True)
class _End:
    """What is shown of one end of an output."""

    text: str = ""
    lines: int = 0
    size: int = 0
    hidden_bytes: int = 0  # of lines that are counted only


def _assembled(printed: Printed, cut: Text, head: _End, tail: _End, middle: _Middle) -> Text:
    hidden_bytes = head.hidden_bytes + tail.hidden_bytes
    gap_bytes = printed.total_bytes - head.size - tail.size - middle.shown_bytes
    gap_lines = 0
    if not gap_bytes and not middle.text:
        text = f"{ended(head.text + tail.text)}[... {cut.rest} ...]\n"
    else:
        total_lines = _total_lines(printed)
        gap_lines = 0 if total_lines is None else max(0, total_lines - head.lines - tail.lines - middle.lines)
        note = left_out(gap_bytes, gap_lines, cut.rest)
        text = f"{ended(head.text)}[{note}]\n{middle.text}{tail.text}"
    return replace(
        cut,
        text=text,
        total_bytes=printed.total_bytes,
        omitted_bytes=gap_bytes + hidden_bytes,
        omitted_lines=gap_lines,
    )


def _total_lines(printed: Printed) -> int | None:
    """How many lines end in it; None where some are missing and were not counted."""
    if printed.line_ends is not None or printed.missing_bytes:
        return printed.line_ends
    return sum(block.count(b"\n") for _, block in blocks(printed, 0))


class _Ends:
    """Both ends of an output, in any size up to a limit.

    Lines that repeat are followed further, up to the size of a window. They are read in parts: to use memory
    for the first time takes longer than to look at what is in it.
    """

    def __init__(self, printed: Printed, beginning: bytes, limit_bytes: int, encoding: str | None) -> None:
        total = printed.total_bytes
        window_bytes = max(WINDOW_BYTES, 2 * limit_bytes)
        self._printed = printed
        self._encoding = encoding
        self._part_bytes = max(PART_BYTES, window_bytes // 8)
        self._first = beginning
        self._first_end = min(window_bytes, printed.missing_from if printed.missing_bytes else total)
        missing_to = printed.missing_from + printed.missing_bytes if printed.missing_bytes else 0
        self._last_begin = max(0, missing_to, total - window_bytes)
        self._last_read_from = max(self._last_begin, total - limit_bytes)
        self._last = self._read(self._last_read_from, total)
        self._complete: dict[tuple[bool, int], _End] = {}  # with all of a window: see `_folded`

    def _read(self, begin: int, end: int) -> bytes:
        return b"".join([block for _, block in blocks(self._printed, begin, end)])

    def both(self, head_bytes: int, both_bytes: int) -> tuple[_End, _End]:
        """As much of the beginning as fits, and as much of the end in the room that is left."""
        head = self._head(head_bytes)
        return head, self._tail(head.size, max(both_bytes - size_of(head.text), head_bytes))

    def _head(self, limit_bytes: int) -> _End:
        data = self._first[:limit_bytes]
        end = None
        if folds_in(data):
            end = self._folded(runs_through(self._parts()), 0, limit_bytes, backwards=False)
        return end or self._as_it_is(data, limit_bytes, from_start=True)

    def _tail(self, head_size: int, limit_bytes: int) -> _End:
        begin = max(self._last_begin, head_size)
        data = self._last_from(begin)[-limit_bytes:]
        end = None
        if folds_in(data):
            is_whole = head_size > self._last_begin or not self._last_begin
            runs = runs_back_through(self._parts_backwards(begin), from_border=is_whole)
            end = self._folded(runs, begin, limit_bytes, backwards=True)
        return end or self._as_it_is(data, limit_bytes, from_start=False)

    def _last_from(self, begin: int) -> bytes:
        return self._last[max(0, begin - self._last_read_from) :]

    def _parts(self) -> Iterator[bytes]:
        """The beginning, up to the end of its window."""
        yield self._first
        for at in range(len(self._first), self._first_end, self._part_bytes):
            yield self._printed.read(at, min(self._part_bytes, self._first_end - at))

    def _parts_backwards(self, begin: int) -> Iterator[bytes]:
        """The end, the last part first."""
        yield self._last_from(begin)
        end = self._last_read_from
        while end > begin:
            at = max(begin, end - self._part_bytes)
            yield self._read(at, end)
            end = at

    def _folded(
        self, runs: Iterable[tuple[bytes, int]], begin: int, limit_bytes: int, *, backwards: bool
    ) -> _End | None:
        """As much as fits of lines that are folded; None: not even one."""
        known = self._complete.get((backwards, begin))
        if known is not None and size_of(known.text) <= limit_bytes:
            return known  # with more room, it would be the same
        end, texts = _End(), list[str]()
        for item in folded(runs, backwards=backwards):
            text = item.text(self._encoding)
            limit_bytes -= size_of(text)
            if limit_bytes < 0:
                break
            texts.append(text)
            end.lines += item.lines if item.last.endswith(b"\n") else item.lines - 1
            end.size += item.size
            end.hidden_bytes += item.hidden_bytes
        else:
            self._complete[backwards, begin] = end
        end.text = "".join(reversed(texts) if backwards else texts)
        return end if end.size else None

    def _as_it_is(self, data: bytes, limit_bytes: int, *, from_start: bool) -> _End:
        """Whole lines, or a part of one that is longer than the room."""
        part, text = fitting(data, limit_bytes, self._encoding, from_start=from_start)
        return _End(text, part.count(b"\n"), len(part))
