"""What the parts of a command may ask of the keeper, and no more. For type checkers: nothing of it runs.

Above it: `streams`, `turns`, `shells` and `commands`, which are given an outlet instead of the whole keeper.
`program.Keeper` is one, which its type says.
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
    """For streams, turns and shells: where frames go, what is watched, where files are, who is below."""

    directory: Directory
    spools: Spools | None
    loop: host.Loop
    tree: ProcessTree
    in_turn: set[PersistentShell]  # shells in which a command runs
    groups: dict[int, Group]  # control groups of commands that have limits

    def send(self, data: bytes) -> None:
        """Queue a frame."""
        ...

    def flush(self) -> None:
        """Write what is queued."""
        ...


class CommandOutlet(Outlet, Protocol):
    """For commands: also that they are dying, over, or to be forgotten."""

    dying: dict[int, Command]  # those that are being killed

    @property
    def running(self) -> int:
        """How many commands there are."""
        ...

    def give_up_group(self, command_id: int) -> None:
        """Nothing of a command is left: neither is its control group."""
        ...

    def reap(self) -> None:
        """Take note of the processes that have ended."""
        ...

    def retire(self, command: Command) -> None:
        """Forget a command of which nothing is left."""
        ...

    def retire_if_over(self, command: Command) -> None:
        """Forget a reported command once its streams are closed and its processes are gone."""
        ...

    def report_rest(self, command: Command) -> None:
        """Say that nothing is left of a reported command, or name who does not die."""
        ...

    def script_name(self, command_id: int) -> str:
        """The file with the text of a command that is too long for an argument."""
        ...
