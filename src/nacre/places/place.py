"""What may be asked of a place where commands run.

Above it: the service and its executions, which know this and no machine. Below: the records that travel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

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
        """What a `Command` calls it by."""
        ...

    @property
    def files(self) -> FileSystem:
        """The files that its commands see."""
        ...

    @property
    def shell(self) -> Shell:
        """What its commands are written for."""
        ...

    @property
    def spools(self) -> Spools:
        """The files with long output."""
        ...

    @property
    def outputs(self) -> Outputs:
        """What its commands have printed."""
        ...

    @property
    def output_directory(self) -> str:
        """The directory with the files that long outputs are kept in."""
        ...

    @property
    def confinement(self) -> Confinement | None:
        """The sandbox around its commands, if there is one."""
        ...

    def open(self) -> None:
        """Begin: its keeper is there, or is started."""
        ...

    def release(self) -> None:
        """Take away what it has put into directories of the person: nothing will run in it."""
        ...

    @property
    def secrets(self) -> Mapping[str, str]:
        """The values of the secrets of the settings, which rules give to commands by name."""
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
        """Raise RequestError for a variable of a call that no command here is given."""
        ...

    @property
    def inherited_names(self) -> Collection[str]:
        """The variables that its commands inherit."""
        ...

    def widen(self, grants: tuple[Grant, ...], *, for_all: bool) -> KeeperConnection | None:
        """A keeper in a wider sandbox for one command; for all from now on, it is the usual one."""
        ...

    def refused_hosts(self, since: float, command: int) -> tuple[Refusal, ...]:
        """The hosts that its sandbox has refused a command since a moment (`time.monotonic`), each once."""
        ...

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not hold here, though it should."""
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
        """Who decides what its commands start, where the kernel asks; None: nobody."""
        ...

    def hold(self, policy: Policy) -> None:
        """Have rules hold for what its commands really start, too, where that can be done."""
        ...

    async def link(self) -> Link:
        """The link to its keeper, ready for commands. PlaceError: there is none to be had."""
        ...

    def start_directory(self) -> str:
        """Where commands run that name no directory. RequestError: the one in the settings is not there."""
        ...

    async def check_shell(self) -> None:
        """Raise RequestError for a shell that we do not know by name and that does not speak POSIX."""
        ...

    async def find_file(self, work: FileWork, roots: tuple[str, ...], directory: str) -> ResolvedPath:
        """The file that is meant, resolved. Refused: it is outside of the roots, or nacre's own."""
        ...

    async def work_on_file(self, work: FileWork, found: ResolvedPath) -> FileDone:
        """Do the work there. NacreError says why it cannot be done."""
        ...

    async def close(self) -> None:
        """End its keeper and with it everything that still runs."""
        ...
