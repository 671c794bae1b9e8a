"""The interface of a place where commands run.

Above it: the service and its executions, which know places only through it. Below: the records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping

    from nacre.config import Config
    from nacre.dialects import Shell
    from nacre.file_records import FileDone, FileWork
    from nacre.filesystem import FileSystem
    from nacre.keeper.link import Link
    from nacre.outputs import Outputs
    from nacre.places.confined import Confinement
    from nacre.places.connection import KeeperConnection
    from nacre.places.exec_supervision import ExecSupervision
    from nacre.places.file_work import ResolvedPath
    from nacre.policy import Policy
    from nacre.sandbox.grants import Grant
    from nacre.sandbox.profile import Refusal
    from nacre.spools import Spools


class Place(Protocol):
    """One place: its keeper, its files, the shell and the environment of its commands, their output."""

    @property
    def name(self) -> str:
        """Its name in a `Command`."""
        ...

    @property
    def files(self) -> FileSystem:
        """The files that its commands see."""
        ...

    @property
    def shell(self) -> Shell:
        """The shell that runs its commands."""
        ...

    @property
    def spools(self) -> Spools:
        """The files with long output."""
        ...

    @property
    def outputs(self) -> Outputs:
        """The output of its commands."""
        ...

    @property
    def output_directory(self) -> str:
        """The directory of the files with long output."""
        ...

    @property
    def confinement(self) -> Confinement | None:
        """The sandbox around its commands, if there is one."""
        ...

    def open(self) -> None:
        """Begin; its keeper is started, if it is not running yet."""
        ...

    def release(self) -> None:
        """Remove what it has put into the person's directories: nothing will run here any more."""
        ...

    @property
    def secrets(self) -> Mapping[str, str]:
        """The values of the configured secrets, which rules pass to commands by name."""
        ...

    @property
    def quiet_variables(self) -> tuple[str, ...]:
        """Variables that are set only for commands without a terminal."""
        ...

    @property
    def search_path(self) -> str:
        """The PATH of its commands."""
        ...

    def check_environment(self, environment: Mapping[str, str]) -> None:
        """Raise RequestError for a variable that a call may not set here."""
        ...

    @property
    def inherited_names(self) -> Collection[str]:
        """The variables that its commands inherit."""
        ...

    def widen(self, grants: tuple[Grant, ...], *, for_all: bool) -> KeeperConnection | None:
        """A keeper in a wider sandbox, for one command or as the usual one from now on."""
        ...

    def refused_hosts(self, since: float, command: int) -> tuple[Refusal, ...]:
        """The hosts that its sandbox has refused a command since a moment (`time.monotonic`), each once."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """Settings that cannot be enforced here."""
        ...

    @property
    def decides_execs(self) -> bool:
        """Whether its keepers ask before each exec: there is a sandbox, and there are rules."""
        ...

    @property
    def open_execution(self) -> str:
        """Why any file can be executed, as far as the rules allow it; empty: only those that they name."""
        ...

    @property
    def execs(self) -> ExecSupervision | None:
        """Decides what its commands may start, where the kernel can ask; None where it cannot."""
        ...

    def hold(self, policy: Policy) -> None:
        """Enforce rules on what its commands actually start, too, where possible."""
        ...

    def change_rules(self, config: Config, policy: Policy | None) -> bool:
        """Other rules apply from now on. True: what was started before keeps the restrictions it had."""
        ...

    @property
    def ready_link(self) -> Link | None:
        """The link, if its keeper is ready for commands, as nearly always."""
        ...

    def link(self) -> Coroutine[Any, Any, Link]:
        """The link to its keeper, ready for commands. PlaceError: no keeper can be started."""
        ...

    def start_directory(self) -> str:
        """The directory of commands that name none. RequestError: the configured one does not exist."""
        ...

    async def check_shell(self) -> None:
        """Raise RequestError for a shell that is unknown and not a POSIX shell."""
        ...

    async def find_file(self, work: FileWork, roots: tuple[str, ...], directory: str) -> ResolvedPath:
        """The file that is meant, resolved. Refused: it is outside of the roots, or nacre's own."""
        ...

    async def work_on_file(self, work: FileWork, found: ResolvedPath) -> FileDone:
        """Do the work. NacreError says why it cannot be done."""
        ...

    async def close(self) -> None:
        """End its keeper and with it everything that still runs."""
        ...
