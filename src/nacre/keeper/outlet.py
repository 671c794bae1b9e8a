"""The part of the keeper that commands may use. For type checkers only: nothing of it runs.

Above it: `streams`, `turns`, `shells` and `commands`, which are given an outlet instead of the whole keeper.
`program.Keeper` implements both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from nacre.keeper.cgroups import Group
    from nacre.keeper.commands import Command
    from nacre.keeper.directory import Directory
    from nacre.keeper.host import ProcessTree, host
    from nacre.keeper.shells import PersistentShell
    from nacre.keeper.spools import Spools


class Outlet(Protocol):
    """For streams, turns and shells: the link, the event loop, the files, the process tree."""

    directory: Directory
    spools: Spools | None
    loop: host.Loop
    tree: ProcessTree
    in_turn: set[PersistentShell]  # shells in which a command runs
    groups: dict[int, Group]  # control groups of commands with limits

    def send(self, data: bytes) -> None:
        """Queue a frame."""
        ...

    def flush(self, last: bytes = b"") -> None:
        """Write what is queued, and one frame more."""
        ...


class CommandOutlet(Outlet, Protocol):
    """For commands: also their end."""

    dying: dict[int, Command]  # those that are being killed

    def give_up_group(self, command_id: int) -> None:
        """Remove the control group of a command of which nothing is left."""
        ...

    def reap(self) -> None:
        """Reap the processes that have ended."""
        ...

    def retire(self, command: Command) -> None:
        """Forget a command of which nothing is left."""
        ...

    def retire_if_over(self, command: Command) -> None:
        """Forget a reported command once its streams are closed and its processes are gone."""
        ...

    def report_rest(self, command: Command) -> None:
        """Report that nothing is left of a reported command, or what could not be killed."""
        ...

    def script_name(self, command_id: int) -> str:
        """The name of the file with a text that is too long for an argument."""
        ...
