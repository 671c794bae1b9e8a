"""A terminal's screen as a person sees it, from the bytes that a program has printed.

Above it: `registry`, which has one for each command on a terminal. It emulates with pyte, which is loaded
with the first screen; pyte has no alternate screen (which vim, less and top draw on), so this adds one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyte

from nacre.model import record
from nacre.output import leaving_text

if TYPE_CHECKING:
    from collections.abc import Callable

SCROLLBACK_LINES = 1000
ALTERNATE = {47, 1047, 1049}
APPLICATION_CURSOR = 1 << 5  # DECCKM, as pyte counts it
EVENTS: frozenset[str] = pyte.Stream.events
# What pyte raises in the middle of a known sequence with unknown parameters.
NOT_KNOWN = (TypeError, ValueError, NameError, LookupError, AttributeError, OverflowError)


@record
class View:
    """The visible part of a terminal."""

    lines: tuple[str, ...]  # without the empty ones at the end
    row: int  # of the cursor; the first is 1
    column: int
    title: str
    is_alternate: bool
    scrolled_lines: int  # above the screen


@record
class Changes:
    """What is new on a screen."""

    lines: dict[int, str]  # by row
    moved_up: int  # by how many rows the earlier content has moved


class _Terminal(pyte.HistoryScreen):
    """pyte's screen with an alternate one; it ignores what it does not know."""

    is_alternate = False
    _before: tuple[Any, Any] | None = None

    def __getattribute__(self, name: str) -> Any:
        """Make sure that no method that the parser calls can fail: that would end the parser."""
        found = super().__getattribute__(name)
        return _deaf(found) if name in EVENTS else found

    def set_mode(self, *modes: int, **kwargs: Any) -> None:
        """Switch modes on; the alternate screen begins empty."""
        if kwargs.get("private") and ALTERNATE.intersection(modes) and not self.is_alternate:
            self.is_alternate = True
            self._before = (
                {y: line.copy() for y, line in self.buffer.items()},
                (self.cursor.x, self.cursor.y),
            )
            self.erase_in_display(2)
        super().set_mode(*modes, **kwargs)

    def reset_mode(self, *modes: int, **kwargs: Any) -> None:
        """Switch modes off; after the alternate screen all is as before."""
        super().reset_mode(*modes, **kwargs)
        if kwargs.get("private") and ALTERNATE.intersection(modes) and self.is_alternate:
            self.is_alternate = False
            lines, (x, y) = self._before or ({}, (0, 0))
            self.erase_in_display(2)
            for number, line in lines.items():
                self.buffer[number].update(line)
            self.cursor_position(y + 1, x + 1)

    def index(self) -> None:
        """Scroll; what leaves an alternate screen is gone."""
        if self.is_alternate:
            pyte.Screen.index(self)
        else:
            super().index()

    def select_graphic_rendition(self, *attributes: int, **_kwargs: Any) -> None:
        """Colours; a private form (modifyOtherKeys) is none."""
        if not _kwargs:
            super().select_graphic_rendition(*attributes)

    def report_device_status(self, mode: int, **_kwargs: Any) -> None:
        """Send no answer."""

    def report_device_attributes(self, mode: int = 0, **_kwargs: Any) -> None:
        """As above."""


def _deaf(handler: Callable[..., None]) -> Callable[..., None]:
    def handle(*arguments: Any, **more: Any) -> None:
        try:
            handler(*arguments, **more)
        except NOT_KNOWN:
            return

    return handle


class Screen:
    """One terminal."""

    def __init__(self, rows: int, columns: int) -> None:
        self._terminal = _Terminal(columns, rows, history=SCROLLBACK_LINES, ratio=0.5)
        self._stream = pyte.ByteStream(self._terminal)
        self._shown: View | None = None
        self.fed_bytes = 0  # of what the program has printed

    def feed(self, data: bytes) -> None:
        """Draw more output of the program."""
        self._stream.feed(data)

    def resize(self, rows: int, columns: int) -> None:
        """Change its size."""
        self._terminal.resize(rows, columns)
        self._shown = None

    @property
    def rows(self) -> int:
        """How many lines it has."""
        return self._terminal.lines

    @property
    def application_cursor(self) -> bool:
        """Whether arrow keys are sent in their other form."""
        return APPLICATION_CURSOR in self._terminal.mode

    def view(self) -> View:
        """What is visible now."""
        terminal = self._terminal
        lines = [leaving_text(line.rstrip()) for line in terminal.display]
        while lines and not lines[-1]:
            lines.pop()
        cursor = terminal.cursor
        return View(
            tuple(lines),
            cursor.y + 1,
            cursor.x + 1,
            leaving_text(terminal.title),
            terminal.is_alternate,
            len(terminal.history.top),
        )

    def scrollback(self, count: int) -> tuple[str, ...]:
        """The last lines that have scrolled away above the screen."""
        lines = list(self._terminal.history.top)[-count:] if count > 0 else []
        columns = range(self._terminal.columns)
        return tuple(leaving_text("".join(line[x].data for x in columns).rstrip()) for line in lines)

    def changes(self) -> tuple[View, Changes | None]:
        """What is visible now, and what has changed since the last call; None: all of it."""
        view, shown = self.view(), self._shown
        self._shown = view
        if shown is None:
            return view, None
        return view, changes_between(shown.lines, view.lines, self.rows)


def changes_between(then: tuple[str, ...], now: tuple[str, ...], rows: int) -> Changes:
    """The shortest way from one screen to the next: by how much its lines have moved up, and the new ones."""
    before, after = [[*lines, *[""] * (rows - len(lines))] for lines in (then, now)]
    ways = [Changes(_new_lines(before[up:] + [""] * up, after), up) for up in range(rows)]
    return min(ways, key=lambda way: len(way.lines))


def _new_lines(before: list[str], after: list[str]) -> dict[int, str]:
    return {row + 1: line for row, line in enumerate(after) if line != before[row]}
