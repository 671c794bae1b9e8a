"""A program table: which programs may run, with which first argument, and where (specification 003).

Above: the gate, which refuses what is objected to here. Below: `paths` and `effects`. It judges lists of
arguments, never text for a shell: where only listed programs run, a shell's text has no place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.policy.paths import Fence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from nacre.filesystem import FileSystem

# npm takes its global configuration, and so the shell it runs scripts with, from below the first two.
_MORE_DANGEROUS_VARIABLES = r"(?:PREFIX|DESTDIR|INIT_CWD|NACRE_.*)\Z"


@dataclass(frozen=True, slots=True)
class ProgramTable:
    """The programs and the directory that commands stay in."""

    commands: Mapping[str, tuple[str, ...]]  # a program -> its first arguments; none named: any
    workspace: str
    files: FileSystem

    def objection(
        self, argv: Sequence[str] | None, directory: str, variables: Iterable[str] = ()
    ) -> str | None:
        """Why this may not run, in the words of the document; None if it may."""
        if not argv:
            return "Only the programs of the table run here, without a shell"
        return (
            object_to_argv(argv, self.commands)
            or self._object_to_directory(directory)
            or _object_to_variables(variables)
        )

    def _object_to_directory(self, directory: str) -> str | None:
        if Fence([self.workspace], self.files).holds(directory, self.workspace):
            return None
        return f"Working directory '{directory}' not allowed: it is outside of {self.workspace}"


def table_name(command: str, commands: Mapping[str, tuple[str, ...]]) -> str:
    """A program's name as the table spells it, whatever its capitals; in small letters if it is not there."""
    wanted = command.lower()
    return next((name for name in commands if name.lower() == wanted), wanted)


def object_to_argv(argv: Sequence[str], commands: Mapping[str, tuple[str, ...]]) -> str | None:
    """What specification 003's validateCommand says about a program and its first argument."""
    allowed = commands.get(table_name(argv[0], commands))
    name = argv[0].lower()
    if allowed is None:
        return f"Command '{name}' not allowed"
    if allowed and len(argv) > 1 and argv[1] not in allowed:
        return f"Command '{name}' with argument '{argv[1]}' not allowed"
    return None


def _object_to_variables(names: Iterable[str]) -> str | None:
    names = tuple(names)
    if not names:
        return None
    from nacre.policy.variables import is_dangerous_variable  # noqa: PLC0415  # its tables, only if one is set

    for name in names:
        if is_dangerous_variable(name) or re.match(_MORE_DANGEROUS_VARIABLES, name):
            return f"Environment variable '{name}' not allowed: it changes what runs or how"
    return None
