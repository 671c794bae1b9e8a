"""An execution: one piece of work of any kind, as the service's one sequence sees it.

    validate → prepare → admit → (a slot, the record of the start) → start → wait → close

Above it: `service`, which takes every execution through that sequence and treats all kinds alike. The kinds
are modules of their own: `once` (a fresh process), `turn` (a command of a session), `file_execution`.
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
    from nacre.keeper.running import Rest, SpawnError
    from nacre.model import Command

Done = TypeVar("Done", covariant=True)  # noqa: PLC0105  # the plain word

NEWS_MS = 10  # how long new output may wait before a job's watcher is notified
FOLLOW_MS = 100  # progress at most ten times a second


class Execution(Protocol[Done]):
    """What the service needs of any kind of work."""

    @property
    def asked(self) -> Command | FileWork:
        """The request as it is recorded; after `prepare` it includes the directory."""
        ...

    def validate(self) -> None:
        """Raise RequestError for what cannot be done at all."""
        ...

    async def prepare(self) -> None:
        """Wait until it is next, and find out where it will run."""
        ...

    async def admit(self, gate: Gate, ask: Ask | None) -> Admission:
        """Return if the rules and the person allow it; raise Refused if not."""
        ...

    async def start(self) -> None:
        """Begin. PlaceError: the place cannot do it now."""
        ...

    async def wait(self) -> Done:
        """Wait for the end, and return the outcome. Cancelling this ends the work."""
        ...

    def close(self) -> None:
        """Release all that was taken for it, whether it ran or not."""
        ...


class CommandExecution(Execution[Result], Protocol):
    """A command: it has processes that can be signalled, and output while it runs."""

    @property
    def asked(self) -> Command:
        """The command."""
        ...

    @property
    def number(self) -> str:
        """The number under which its output is kept."""
        ...

    @property
    def begun(self) -> bool:
        """Whether it runs, or has run: all that follows needs that."""
        ...

    @property
    def over(self) -> bool:
        """Whether it has ended, so that `wait` returns at once."""
        ...

    @property
    def rest(self) -> Rest | None:
        """The processes that it left behind, once it has ended."""
        ...

    @property
    def has_moved(self) -> bool:
        """Whether its directory has another name by now, or none."""
        ...

    def detach(self) -> None:
        """Make `wait` return `so_far` at once; the command continues, and can be waited for again."""
        ...

    async def so_far(self) -> Result:
        """The result of a running command: its output up to now."""
        ...

    async def read(self, stream: int, offset: int, limit_bytes: int) -> Part:
        """A part of its output up to now."""
        ...

    def watch(self, on_news: Callable[[News], None] | None) -> None:
        """Call back whenever there is more output; None ends that."""
        ...

    async def resize(self, rows: int, columns: int) -> None:
        """Resize its terminal. PlaceError: it cannot have that size."""
        ...

    def feed(self, data: bytes) -> None:
        """Write to its stdin; no bytes end its input. RequestError: it was started without stdin."""
        ...

    async def feed_hidden(self, data: bytes) -> bool:
        """Type into its terminal if that does not echo; whether it does not. No bytes: only find out."""
        ...

    def signal(self, name: str) -> None:
        """Signal the processes of the command."""
        ...

    async def end_rest(self) -> None:
        """End the processes that it left behind."""
        ...

    def kill(self, *, by_person: bool = False) -> None:
        """End it with all it has started; `wait` returns when that is done, and says who wanted it."""
        ...


class DetachedError(Exception):
    """`wait` is to return although the command still runs."""


def explain(error: SpawnError, directory: str, files: FileSystem) -> Exception:
    """Make a missing directory, which the caller can fix, a RequestError; other errors stay."""
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
    """The error for input to a command without stdin."""
    return RequestError(
        "This command takes no input: it was started without any.",
        code="no_input",
        hint="Give it stdin when you start it, or start it with background: true.",
    )
