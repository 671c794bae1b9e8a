"""Lines in a row that are the same, or progress that only counts on, as one with a count. Pure.

Above it: `digest`, which shows a long output. It works on bytes, from the first line on or from the last one
back, and looks at no more runs of lines than its caller takes.
"""

from __future__ import annotations

import re
from functools import cache
from operator import eq
from typing import TYPE_CHECKING

from nacre.keeper.records import dataclass
from nacre.output import counted, readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FOLDED_LEAST = 4  # from so many lines on
PIECE_BYTES = 4096  # compared at once where lines repeat
SAMPLE_BYTES = 512  # looked at first: where lines repeat, they mostly do so from the beginning
# These are compiled when they are first needed: most outputs need none of them.
_NUMBER = rb"[0-9][0-9.,:]*"
_SOME = rb"[1-9][0-9.,:]*|0[0-9.,:]+"
_BAR = rb"(?:[#=>*\-.\s]|\xe2[\x94-\x97][\x80-\xbf])+"
# A share, a counter, a size: lines that differ only in numbers are progress then; all others are data.
_PROGRESS = rb"\d\s?%|(?<![\d/.])\d+\s?(?:/|of)\s?\d+(?![\d/.])|\b\d+(?:\.\d+)?\s?[kKMG]i?B\b|\bETA\b"
# One of these signs stands in each, with a digit before it. They are sought first: an expression that begins
# with a plain character is found 100 times as quickly as the one above.
_SIZE = rb"B(?:(?<=\d[kKMG]B)|(?<=\d\s[kKMG]B)|(?<=\d[kKMG]iB)|(?<=\d\s[kKMG]iB))"
_SIGNS = (
    (b"%", rb"%(?:(?<=\d%)|(?<=\d\s%))"),
    (b"/", rb"/(?:(?<=\d/)|(?<=\d\s/))\s?\d"),
    (b"of", rb"of(?:(?<=\dof)|(?<=\d\sof))\s?\d"),
    *((unit, _SIZE) for unit in (b"kB", b"KB", b"MB", b"GB", b"iB")),
    (b"ETA", rb"ETA"),
)
_compiled = cache(re.compile)


@dataclass(slots=True)
class Folded:
    """A line, or several in a row, in the order in which they were printed."""

    first: bytes
    last: bytes
    lines: int
    size: int  # of all of them, in bytes
    same: bool = True  # else they differ in numbers

    def text(self, encoding: str | None) -> str:
        """As it is shown."""
        first = ended(readable(self.first, encoding))
        if self.lines == 1:
            return first
        if self.same:
            return f"{first}[the same line {counted(self.lines - 1, 'more time')}]\n"
        between = f"[{counted(self.lines - 2, 'more line')} like it, with other numbers; the last one:]\n"
        return first + between + ended(readable(self.last, encoding))

    @property
    def hidden_bytes(self) -> int:
        """Of lines that are counted only."""
        return self.size - len(self.first) - (0 if self.same else len(self.last))


def folded(runs: Iterable[tuple[bytes, int]], *, backwards: bool = False) -> Iterator[Folded]:
    """Lines with how often each comes in a row, those that are alike as one; `backwards`: the last first."""
    run: _Run | None = None
    for line, count in runs:
        if run is not None and run.takes(line, count):
            continue
        if run is not None:
            yield from run.folded(backwards=backwards)
        run = _Run(line, count)
    if run is not None:
        yield from run.folded(backwards=backwards)


def runs_of(data: bytes) -> Iterator[tuple[bytes, int]]:
    """Line after line, with how often it comes in a row; the last one only if it has an end.

    Nothing is split that nobody takes, and what repeats is compared in large pieces: 20 times as quick.
    """
    begin = 0
    while border := data.find(b"\n", begin) + 1:
        line, end = data[begin:border], border
        for piece in _pieces(line) if data.startswith(line, end) else ():
            while data.startswith(piece, end):
                end += len(piece)
        yield line, (end - begin) // len(line)
        begin = end


def runs_backwards(data: bytes, *, from_border: bool) -> Iterator[tuple[bytes, int]]:
    """The same from the last line on; the first line only if the data begins with a line."""
    data = b"\n" + data if from_border else data  # so that each line has an end before it
    end = len(data)
    while begin := data.rfind(b"\n", 0, end - 1) + 1:
        line, last = data[begin:end], end
        for piece in _pieces(line) if data.endswith(line, 0, begin) else ():
            while data.endswith(b"\n" + piece, 0, begin):
                begin -= len(piece)
        yield line, (last - begin) // len(line)
        end = begin


def runs_through(parts: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    """The same as `runs_of`, of parts that follow one another: no more than one is held at a time."""
    return _joined(_runs_of_parts(parts))


def runs_back_through(parts: Iterable[bytes], *, from_border: bool) -> Iterator[tuple[bytes, int]]:
    """The same as `runs_backwards`, of parts of which each comes before the one that was given earlier."""
    return _joined(_runs_of_parts_backwards(parts, from_border=from_border))


def _runs_of_parts(parts: Iterable[bytes]) -> Iterator[tuple[bytes, int]]:
    rest = b""
    for part in parts:
        data = rest + part
        del part  # so that the next one takes its place: memory that was not used before takes longer
        yield from runs_of(data)
        rest = data[data.rfind(b"\n") + 1 :]
        del data


def _runs_of_parts_backwards(parts: Iterable[bytes], *, from_border: bool) -> Iterator[tuple[bytes, int]]:
    rest = b""
    for part in parts:
        data = part + rest
        del part  # as above
        yield from runs_backwards(data, from_border=False)
        rest = data[: data.find(b"\n") + 1] or data
        del data
    yield from runs_backwards(rest, from_border=from_border)


def _joined(runs: Iterable[tuple[bytes, int]]) -> Iterator[tuple[bytes, int]]:
    """Runs of the same line, one after another, as one."""
    current, total = b"", 0
    for line, count in runs:
        if line == current:
            total += count
            continue
        if total:
            yield current, total
        current, total = line, count
    if total:
        yield current, total


def _pieces(line: bytes) -> tuple[bytes, ...]:
    """A line many times, some times, and once."""
    return line * max(1, PIECE_BYTES // len(line)), line * max(1, SAMPLE_BYTES // len(line)), line


def folds_in(data: bytes) -> bool:
    """Whether anything in it may be folded; quick, for most of what is printed has nothing of that kind."""
    return repeats_in(data[:SAMPLE_BYTES]) or repeats_in(data) or _tells_progress(data)


def repeats_in(data: bytes) -> bool:
    """Whether a line comes twice in a row."""
    lines = data.split(b"\n")
    return any(map(eq, lines, lines[1:]))


def _tells_progress(data: bytes) -> bool:
    signs = [sign for sign, near_number in _SIGNS if sign in data and _compiled(near_number).search(data)]
    return bool(signs) and _compiled(_PROGRESS).search(data) is not None


class _Run:
    """Lines in a row that are alike."""

    def __init__(self, line: bytes, count: int) -> None:
        self._begin = [line] * min(count, FOLDED_LEAST)  # the first few, should it stay at those
        self._latest = line
        self._shape = progress_shape(line)
        self._lines, self._size = count, count * len(line)
        self._same = True

    def takes(self, line: bytes, count: int) -> bool:
        """Whether another line, so many times, belongs to it."""
        if self._shape is None or progress_shape(line) != self._shape:
            return False
        self._same = False
        self._latest = line
        self._lines += count
        self._size += count * len(line)
        self._begin += [line] * min(count, FOLDED_LEAST - len(self._begin))
        return True

    def folded(self, *, backwards: bool) -> list[Folded]:
        """All of them in one, or each by itself where they are few."""
        if self._lines < FOLDED_LEAST:
            return [Folded(line, line, 1, len(line)) for line in self._begin]
        ends = (self._latest, self._begin[0]) if backwards else (self._begin[0], self._latest)
        return [Folded(*ends, self._lines, self._size, self._same)]


def progress_shape(line: bytes) -> bytes | None:
    """What lines of progress have in common that only count on; None: it is no such line."""
    if not _tells_progress(line):
        return None
    return _compiled(_BAR).sub(b" ", _compiled(_NUMBER).sub(b"0", line))


def shape_of(line: bytes) -> bytes:
    """What lines have in common that differ only in numbers; none is another thing than some."""
    return _compiled(_SOME).sub(b"1", line)


def lines_of(data: bytes) -> Iterator[bytes]:
    """Line after line; the last one only if it has an end, for more may follow."""
    return (line + b"\n" for line in data.split(b"\n")[:-1])


def lines_backwards(data: bytes, *, from_border: bool) -> Iterator[bytes]:
    """The last line first; the first one only if the data begins with a line."""
    *lines, last = data.split(b"\n")
    whole = [line + b"\n" for line in lines]
    if last:
        whole.append(last)
    return reversed(whole if from_border else whole[1:])


def ended(text: str) -> str:
    """A text with a line end behind it."""
    return text if not text or text.endswith("\n") else text + "\n"
