"""The telling lines of a long output: found in one pass, and chosen for the room that there is.

Above it: `digest`, which shows them. Below: `failure_lines`, which knows what tools print, and `outputs`,
which has the bytes. It blocks while it reads.

What is kept while it looks is bounded: of each weight the first lines and the last ones, and a number for
each kind of line. Those that are like none before them are chosen first, or one message a thousand times over
would hide the one that counts.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from functools import lru_cache
from itertools import islice
from operator import eq
from typing import TYPE_CHECKING

from nacre.failure_lines import TRIGGER_PATTERNS, TRIGGERS, Weight, weight_of
from nacre.folding import lines_backwards, lines_of, runs_of, shape_of
from nacre.keeper.records import dataclass
from nacre.output import counted, readable, size_of
from nacre.output_lines import missing_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.outputs import Printed

WEIGHTS = tuple(sorted(Weight, reverse=True))  # to walk through an enumeration takes ten times as long
LOOKED_BYTES = 16 << 20  # are searched, at most
LOOKED_BYTES_OF_SUCCESS = 1 << 18  # failures are rarely in it, and who prints much should not wait for that
SAMPLE_BYTES = 2048  # that tell whether lines repeat
LOOKED_BLOCK_BYTES = 1 << 16  # at once; the heap gives large blocks back each time, which takes as long again
LOOKED_LINES = 50_000  # that have a word of failure in them are looked at, at most
LOOKED_LINES_OF_SUCCESS = 2_000  # as above; no other call waits for them longer than a few milliseconds
CANDIDATES = 200  # lines of each weight, the first ones; and as many of the last ones
SHAPES = 4000  # kinds of lines that are counted apart
WORD_SIGNS = "abcdefghijklmnopqrstuvwxyz*:!_"  # what words of failure are made of, besides other alphabets
LONGEST_WORD = 200  # bytes; no word of failure is in what is longer
LINE_BYTES = 1024  # of a line that is looked at; of a longer one, what is around the word
SHOWN_CHARACTERS = 400  # of a picked line
BESIDE_CHARACTERS = 200  # of a line beside one
BESIDE_BYTES = 800  # that are read before and after a picked line
BEFORE, AFTER = 2, 3  # lines beside one
FIRST_SHARE = 0.6  # of the room, for picked lines before those beside them
WARNINGS = 8  # at most: they seldom are what is asked
MORE_BYTES = 24  # for how many more there are


@dataclass(slots=True)
class Candidate:
    """A line that may be picked."""

    offset: int
    size: int  # in bytes, of the line
    number: int | None  # None: lines before it were not counted
    weight: Weight
    shape: bytes
    line: bytes  # or the part of it that was looked at

    def text(self, encoding: str | None) -> str:
        """As it is shown."""
        whole = readable(self.line, encoding).strip("\r\n").replace("\n", " ")
        return f"... {whole} ..." if len(self.line) < self.size else whole


@dataclass(slots=True)
class Row:
    """A line that is shown."""

    offset: int
    size: int
    number: int | None
    text: str
    shape: bytes | None = None  # None: it is only next to one that was picked

    @property
    def shown(self) -> str:
        """With its number, as a search shows lines."""
        place = "?" if self.number is None else self.number
        return f"{place}{'-' if self.shape is None else ':'}{self.text}"


class Found:
    """The telling lines of a part of an output."""

    def __init__(self, look_bytes: int = LOOKED_BYTES, look_lines: int = LOOKED_LINES) -> None:
        self._look_bytes = look_bytes
        self._look_lines = look_lines
        self.kinds: Counter[bytes] = Counter()  # how many of each; of too many kinds, those that came first
        self.total = 0  # that are more than warnings
        self.looked_to: int | None = None  # where it was stopped; None: all was looked at
        self._distinct, self._triggers = b"", ()  # lines of the last part, and the triggers in them
        self._weights: dict[bytes, Weight] = {}  # of each kind
        self._first: dict[Weight, list[Candidate]] = {weight: [] for weight in WEIGHTS}
        self._last: dict[Weight, deque[Candidate]] = {weight: deque(maxlen=CANDIDATES) for weight in WEIGHTS}

    def look(self, printed: Printed, begin: int, end: int, number: int | None, encoding: str | None) -> None:
        """Look through a part that begins with a line, which has that number."""
        looked_to, looked_lines = begin, 0
        for at, data, size in _parts_of(printed, begin, end):
            if at != looked_to:  # bytes are missing between
                number = _after_missing(printed, number)
            looked_to = at + size
            distinct, line_ends = distinct_lines(data, size)
            for looked_at in lines_with_triggers(data, size, at, number, self._triggers_in(distinct)):
                looked_lines += 1
                if looked_lines > self._look_lines:
                    self.looked_to = looked_at.offset
                    return
                if weight := self._weigh(looked_at, encoding):
                    looked_at.weight = weight
                    self._add(looked_at)
            if number is not None:
                number += line_ends
            is_enough = at + len(data) - begin >= self._look_bytes
            del data  # so that the next part takes its place: memory that was not used before takes longer
            if looked_to < end and is_enough:
                self.looked_to = looked_to
                break

    def _triggers_in(self, distinct: bytes) -> tuple[bytes, ...]:
        """The triggers of some lines; where a part has the same lines as the one before, they are known."""
        if distinct != self._distinct:
            self._distinct, self._triggers = distinct, triggers_in(distinct)
        return self._triggers

    def _weigh(self, candidate: Candidate, encoding: str | None) -> Weight:
        weight = self._weights.get(candidate.shape)
        if weight is None:
            weight = weight_of(candidate.text(encoding))
            if len(self._weights) < SHAPES:
                self._weights[candidate.shape] = weight
        return weight

    def _add(self, candidate: Candidate) -> None:
        weight, shape = candidate.weight, candidate.shape
        is_new = shape not in self.kinds
        if not is_new or len(self.kinds) < SHAPES:
            self.kinds[shape] += 1
        self.total += weight > Weight.WARNING
        first = self._first[weight]
        if len(first) < CANDIDATES or (is_new and len(first) < 2 * CANDIDATES):
            first.append(candidate)
        else:
            self._last[weight].append(candidate)

    def subtract(self, other: Found) -> None:
        """Those of another part, which are shown as they stand, are not counted any more."""
        self.kinds.subtract(other.kinds)
        self.total -= other.total

    def by_merit(self) -> Iterator[Candidate]:
        """The best first: of each kind one, the weightier before the others; then the rest of failures."""
        rest: list[Candidate] = []
        for weight in WEIGHTS:
            seen: set[bytes] = set()
            for one in (*self._first[weight], *self._last[weight]):
                if one.shape not in seen:
                    seen.add(one.shape)
                    yield one
                elif weight >= Weight.FAILURE:
                    rest.append(one)
        yield from rest


def _parts_of(printed: Printed, begin: int, end: int) -> Iterator[tuple[int, bytes, int]]:
    """Many lines at once: where they begin, the bytes, and how many of these are whole lines.

    What was read of the line behind them is read again with it: that takes no longer than to join both.
    """
    at = read_to = begin
    while (start := printed.skip_missing(read_to)) < end:
        if start != read_to:
            at = start
        data = printed.read(at, min(start + LOOKED_BLOCK_BYTES, end) - at)
        if len(data) <= start - at:
            return
        read_to = at + len(data)
        border = len(data) if read_to >= end else data.rfind(b"\n") + 1 or len(data)
        yield at, data, border
        del data
        at += border


def _after_missing(printed: Printed, number: int | None) -> int | None:
    missing = missing_lines(printed)
    return None if missing is None or number is None else number + missing


def lines_with_triggers(
    data: bytes, size: int, offset: int, number: int | None, triggers: tuple[bytes, ...]
) -> Iterator[Candidate]:
    """Those of the whole lines in `data` that may tell something.

    `size` bytes of it are whole lines; `offset` and `number` are those of the first one.
    """
    if not triggers:
        return
    plain = b"\n" + data.translate(_PLAIN)  # one further: a trigger may stand at the beginning of a line
    search = _any_of(triggers).search
    counted_to = position = 0
    while (hit := search(plain, position, size + 1)) is not None:
        place = hit.end() - 2
        begin = data.rfind(b"\n", 0, place) + 1
        position = data.find(b"\n", place) + 1 or len(data) + 1
        if number is not None:
            number += data.count(b"\n", counted_to, begin)
            counted_to = begin
        line = data[begin:position]
        looked = _looked_at(line, place - begin)
        yield Candidate(offset + begin, len(line), number, Weight.NOTHING, shape_of(looked), looked)


def distinct_lines(data: bytes, size: int) -> tuple[bytes, int]:
    """Each of the whole lines in `data` once, behind a line end, in small letters; and how many there are.

    `size` bytes of it are whole lines. Those that differ in numbers only are one.
    """
    sample = data[:SAMPLE_BYTES].split(b"\n")
    if 2 * sum(map(eq, sample, sample[1:])) > len(sample):  # the same again and again: a tenth of the time
        return _distinct_of_runs(data, size)
    lines = data.translate(_PLAIN).split(b"\n")
    line_ends = len(lines) - 1
    if size < len(data):
        lines.pop()
    return b"\n" + b"\n".join(set(lines)), line_ends


def _distinct_of_runs(data: bytes, size: int) -> tuple[bytes, int]:
    kinds, line_ends = set[bytes](), 0
    for line, count in runs_of(data):
        kinds.add(line)
        line_ends += count
    rest = data[data.rfind(b"\n", 0, size) + 1 : size]
    lines = (b"".join(kinds) + rest).translate(_PLAIN).split(b"\n")
    return b"\n" + b"\n".join(set(lines)), line_ends


def triggers_in(lines: bytes) -> tuple[bytes, ...]:
    """The triggers that are in some lines; they are sought only if a word of theirs is there.

    Seventy searches through all lines would take ten times as long: what is not there is sought to the end.
    """
    words = {word for word in set(lines.translate(_WORDS_APART).split()) if len(word) <= LONGEST_WORD}
    text = b" ".join(words)
    found = (re.escape(trigger) for trigger, key in _KEYS if key in text and trigger in lines)
    patterns = (pattern for part, pattern in TRIGGER_PATTERNS if part in lines and re.search(pattern, lines))
    return (*found, *patterns)


# Small letters, and each digit a zero: lines that differ in numbers only are the same.
_PLAIN = bytes(range(256)).lower().translate(bytes.maketrans(b"123456789", b"0" * 9))
# Of a trigger, the longest word is sought first. Digits and most signs only stand between words.
_WORDS_APART = bytes(
    32 if chr(byte).isascii() and chr(byte) not in WORD_SIGNS else byte for byte in range(256)
)
_KEYS = [
    (trigger, max(trigger.translate(_WORDS_APART).split(), key=len, default=b""))
    for trigger in (trigger.translate(_PLAIN) for trigger in TRIGGERS)
]


@lru_cache(maxsize=16)
def _any_of(triggers: tuple[bytes, ...]) -> re.Pattern[bytes]:
    return re.compile(b"|".join(triggers))


def _looked_at(line: bytes, place: int) -> bytes:
    """A line; of a very long one, what is around its word."""
    if len(line) <= LINE_BYTES:
        return line
    begin = max(0, place - SHOWN_CHARACTERS // 4)
    return line[begin : begin + SHOWN_CHARACTERS]


class Choice:
    """Which of them are shown, in so much room."""

    def __init__(self, printed: Printed, encoding: str | None, room: int) -> None:
        self._printed = printed
        self._encoding = encoding
        self._room = room
        self._rows: dict[int, Row] = {}

    def of(self, found: Found) -> list[Row]:
        """The lines with those beside them, in order."""
        reserved = int(self._room * (1 - FIRST_SHARE))
        self._room -= reserved
        chosen = [one for one in self._worthy(found) if self._take(self._picked(one))]
        self._room += reserved
        for candidate in chosen:
            if candidate.weight >= Weight.FAILURE:
                self._take_beside(candidate)
        for candidate in self._worthy(found):
            self._take(self._picked(candidate))
        return [self._rows[offset] for offset in sorted(self._rows)]

    @staticmethod
    def _worthy(found: Found) -> Iterator[Candidate]:
        """All but most of the warnings."""
        warnings = 0
        for candidate in found.by_merit():
            warnings += candidate.weight is Weight.WARNING
            if candidate.weight is not Weight.WARNING or warnings <= WARNINGS:
                yield candidate

    def _take(self, row: Row) -> bool:
        """Whether a line is shown: there is room."""
        before = self._rows.get(row.offset)
        if before is not None and (before.shape is not None or row.shape is None):
            return True
        cost = cost_of(row) - (cost_of(before) if before is not None else 0)
        if cost > self._room:
            return False
        self._room -= cost
        self._rows[row.offset] = row
        return True

    def _take_beside(self, picked: Candidate) -> None:
        for row in self._beside(picked):
            self._take(row)

    def _beside(self, picked: Candidate) -> Iterator[Row]:
        begin = max(0, picked.offset - BESIDE_BYTES)
        after_missing = self._printed.missing_from + self._printed.missing_bytes
        if self._printed.missing_bytes and after_missing <= picked.offset:
            begin = max(begin, after_missing)
        before = lines_backwards(self._printed.read(begin, picked.offset - begin), from_border=begin == 0)
        offset, number = picked.offset, picked.number
        for line in islice(before, BEFORE):
            offset, number = offset - len(line), number and number - 1
            yield self._row_of(line, offset, number)
        offset, number = picked.offset + picked.size, picked.number
        for line in islice(lines_of(self._printed.read(offset, BESIDE_BYTES)), AFTER):
            number = number and number + 1
            yield self._row_of(line, offset, number)
            offset += len(line)

    def _picked(self, one: Candidate) -> Row:
        text = _clipped(one.text(self._encoding), SHOWN_CHARACTERS)
        return Row(one.offset, one.size, one.number, text, one.shape)

    def _row_of(self, line: bytes, offset: int, number: int | None) -> Row:
        text = _clipped(readable(line, self._encoding).rstrip("\r\n"), BESIDE_CHARACTERS)
        return Row(offset, len(line), number, text)


def cost_of(row: Row) -> int:
    """The room that a line takes."""
    return size_of(row.shown) + 1 + (0 if row.shape is None else MORE_BYTES)


def _clipped(text: str, characters: int) -> str:
    if len(text) <= characters:
        return text
    return f"{text[:characters]} [{counted(len(text) - characters, 'more character')}]"
