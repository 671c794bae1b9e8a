"""Commands that run through a keeper, as nacre sees them: what is awaited of each, and what it left behind.

Above it: `link`, which keeps them up to date, and the executions. Below: `frames`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nacre.errors import PlaceError
from nacre.keeper.error_advice import advice
from nacre.keeper.frames import LeftEnd

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from nacre.keeper.frames import Exit, News, TurnEnd

REST_LIMIT = 1000  # ends of processes left behind that are remembered for a command


class NotTakenError(PlaceError):
    """A shell did not take a command, which has not been run: it had ended, or it is unfit."""

    code = "not_taken"


class SpawnError(PlaceError):
    """The keeper could not start a command: `file` is the program or the directory that failed."""

    code = "spawn_failed"

    def __init__(self, message: str, errno: int, file: str, *, own_file: bool = False) -> None:
        sentence = f"{file}: {message}." if file else f"The command could not be started: {message}."
        super().__init__(sentence, hint=advice(errno, own_file=own_file))
        self.errno = errno
        self.file = file


@dataclass(slots=True)
class Rest:
    """The processes that a command has left behind."""

    ended: dict[int, LeftEnd] = field(default_factory=dict[int, LeftEnd])  # by process number
    gone: bool = False  # whether all of it has ended
    on_change: Callable[[], None] | None = None

    def note_end(self, end: LeftEnd) -> None:
        """One of them has ended."""
        if len(self.ended) < REST_LIMIT:
            self.ended[end.pid] = end
            self._changed()

    def note_gone(self) -> None:
        """All of them have ended."""
        self.gone = True
        self._changed()

    def _changed(self) -> None:
        if self.on_change is not None:
            self.on_change()


@dataclass(slots=True)
class Running:
    """A running command."""

    id: int
    exit: asyncio.Future[Exit]
    on_output: Callable[[int, bytes], None] | None = None
    on_control: Callable[[bytes], None] | None = None
    pid: asyncio.Future[int] | None = field(default=None)
    turn: asyncio.Future[TurnEnd] | None = None
    on_news: Callable[[News], None] | None = None
    rest: Rest | None = None  # what it has left behind, from its end on
    turn_number: int = 0  # of the last turn
    turn_rest: Rest | None = None  # what that has left behind, from its end on
    takes_turns: bool = False

    @property
    def is_awaited(self) -> bool:
        """Whether its end, or that of its turn, is awaited."""
        return not self.takes_turns or (self.turn is not None and not self.turn.done())

    def end(self, end: Exit) -> None:
        """It has ended."""
        if not self.exit.done():
            self.exit.set_result(end)
        if self.turn is not None and not self.turn.done():
            # The end of a turn that the keeper has got comes before the end of its shell.
            self.turn.set_exception(NotTakenError("The shell ended before it got the command."))

    def fail(self, error: Exception) -> None:
        """Nothing more will be heard of it."""
        for future in (self.exit, self.turn, self.pid):
            if future is not None and not future.done():
                future.set_exception(error)
                future.exception()  # retrieved, so that asyncio does not warn if nothing awaits it


def end_turn(turn: asyncio.Future[TurnEnd], end: TurnEnd) -> None:
    """A turn has ended; or its shell did not read it."""
    if not end.unread:
        turn.set_result(end)
    elif end.mute:
        turn.set_exception(NotTakenError("The shell could not read the command."))
    else:
        turn.set_exception(
            PlaceError(
                "The command was not run: its files in nacre's spool directory were removed before its shell"
                " could read them.",
                code="spool_lost",
                hint="Send it again. If this repeats, something deletes files in the temporary directory.",
            )
        )
