"""An execution: one piece of work on its way, whatever its kind, as the service's one sequence sees it.

    validate → prepare → admit → (a slot, the record of the start) → start → wait → close

Above it: `service`, which takes every execution through that sequence and knows no kind apart. The kinds are
modules of their own: `once` (a fresh process), `turn` (a command of a session), `file_execution`.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Protocol, TypeVar

from nacre.errors import RequestError
from nacre.model import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.file_records import FileWork
    from nacre.filesystem import FileSystem
    from nacre.gate import Admission, Ask, Gate
    from nacre.keeper.frames import News, Part
    from nacre.keeper.link import Rest, SpawnError
    from nacre.model import Command

Done = TypeVar("Done", covariant=True)  # noqa: PLC0105  # the plain word

NEWS_MS = 10  # how long output may wait until it is told to who waits for it
FOLLOW_MS = 100  # progress at most ten times a second


class Execution(Protocol[Done]):
    """What the service needs to know of any work."""

    @property
    def asked(self) -> Command | FileWork:
        """What is recorded: once `prepare` has returned, also where it runs."""
        ...

    def validate(self) -> None:
        """Raise RequestError for what nobody can do."""
        ...

    async def prepare(self) -> None:
        """Wait for its turn, and find out where it will run."""
        ...

    async def admit(self, gate: Gate, ask: Ask | None) -> Admission:
        """Return if the rules and the person allow it; raise Refused if not."""
        ...

    async def start(self) -> None:
        """Begin. PlaceError: that cannot be done here and now."""
        ...

    async def wait(self) -> Done:
        """What became of it, at its end. Cancelling this ends the work."""
        ...

    def close(self) -> None:
        """Let go of all that was taken for it, whether it ran or not."""
        ...


class CommandExecution(Execution[Result], Protocol):
    """A command: there are processes that a signal can reach, and output while it runs."""

    @property
    def asked(self) -> Command:
        """The command."""
        ...

    @property
    def number(self) -> str:
        """What its output is kept by."""
        ...

    @property
    def over(self) -> bool:
        """Whether it has ended, so that `wait` returns at once."""
        ...

    @property
    def rest(self) -> Rest | None:
        """What it has left behind, once it has ended."""
        ...

    def detach(self) -> None:
        """Have `wait` return at once, with `so_far`; the command runs on, and the next `wait` waits on."""
        ...

    async def so_far(self) -> Result:
        """A command that runs: what it has printed by now."""
        ...

    async def read(self, stream: int, offset: int, limit_bytes: int) -> Part:
        """Some of what it has printed by now."""
        ...

    def watch(self, on_news: Callable[[News], None] | None) -> None:
        """Have somebody called when it has printed more."""
        ...

    def resize(self, rows: int, columns: int) -> None:
        """Give its terminal another size."""
        ...

    def feed(self, data: bytes) -> None:
        """Give it bytes to read; none ends its input. RequestError: it was started without."""
        ...

    async def feed_hidden(self, data: bytes) -> bool:
        """Give its terminal bytes if it does not show them; whether it does not. None: only say that."""
        ...

    def signal(self, name: str) -> None:
        """Send a signal to what the command runs."""
        ...

    async def end_rest(self) -> None:
        """End what it has left behind."""
        ...

    def kill(self) -> None:
        """End it with all it has started; `wait` tells when that is done."""
        ...


class DetachedError(Exception):
    """Who waits for a command is let go."""


def explain(error: SpawnError, directory: str, files: FileSystem) -> Exception:
    """Tell a missing directory, which the caller can fix, from a missing shell, which is the place's."""
    if error.file != directory:
        return error
    if error.errno == errno.ENOENT:
        parent = directory
        while parent != os.path.dirname(parent) and not files.is_directory(parent):
            parent = os.path.dirname(parent)
        return RequestError(
            f"working_directory does not exist: {directory}.",
            code="no_directory",
            hint=f"Nothing was run. The nearest directory that exists is {parent}.",
        )
    return RequestError(
        f"working_directory cannot be entered: {directory}: {os.strerror(error.errno)}.",
        code="no_directory",
        hint="Nothing was run.",
    )


def no_input() -> RequestError:
    """A command that runs cannot be given anything to read."""
    return RequestError(
        "This command was started with nothing to read.",
        code="no_input",
        hint="Give it stdin when you start it, or start it with background: true.",
    )
