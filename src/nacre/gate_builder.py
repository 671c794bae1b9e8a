"""Build the gate that enforces the person's settings; without rules there is none, and nothing is loaded.

Above it: `service`. Below: `gate` and the policy, the dialects, and the files of a place.
"""

from __future__ import annotations

import functools
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.dialects import examples
from nacre.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Collection

    from nacre.config import Config, ContainerConfig
    from nacre.dialects import Dialect
    from nacre.filesystem import FileSystem
    from nacre.gate import Gate
    from nacre.places.place import Place
    from nacre.policy import Policy
    from nacre.policy.program_table import ProgramTable


def build_gate(config: Config, place: Place, directory: str) -> Gate | None:
    """The gate of a server whose commands start in `directory`; None without rules."""
    shell, container = place.shell, config.preset.container
    table = _program_table(container, directory, place.files) if container else None
    policy, commands = config.policy, config.commands_for(shell.dialect.name)
    if commands is None and table is None and (policy is None or policy.empty):
        return None
    from nacre.gate import Gate  # noqa: PLC0415  # see above
    from nacre.policy import Policy  # noqa: PLC0415  # the same
    from nacre.policy.grammar import KNOWN_SHELLS  # noqa: PLC0415  # the same

    policy, name = policy or Policy(allow_writes=commands is None), shell.language
    policy = replace(
        policy,
        own_files=config.own_files,
        files=place.files,
        output_directories=(place.output_directory,),
        start_directory=directory,
    )
    if name not in KNOWN_SHELLS and table is None and not policy.empty:  # a program table needs no shell
        _check_unread(config, place, policy)
    if commands is None:
        inherited = functools.partial(_inherited_names, place)
        writes = container is None or container.write_files
        return Gate(
            policy, name, program_table=table, write_files=writes, directory=directory, inherited=inherited
        )
    from nacre.policy.single_command import single_command_check  # noqa: PLC0415  # the same

    lists = shell.dialect.lists
    if lists is None:
        raise RequestError(
            f"{shell.name}: a list of commands cannot be enforced in this shell.",
            hint=f"Use --shell with {examples(lambda dialect: dialect.lists)}.",
        )
    check = single_command_check(commands, lists.quoting)
    inherited = functools.partial(_inherited_names, place)
    # Its sessions keep variables (specification 000), except those that change what runs.
    policy = replace(policy.allowing(commands), allowed_variables=(*policy.allowed_variables, "*"))
    return Gate(policy, name, check, table, directory=directory, inherited=inherited)


def _inherited_names(place: Place) -> Collection[str]:
    """The variables that commands inherit; the login shell may have answered since the start."""
    return place.inherited_names


def _check_unread(config: Config, place: Place, policy: Policy) -> None:
    """Raise RequestError where rules cannot be enforced because the policy cannot read the shell's language.

    The kernel controls what commands start, not what a shell does by itself: whether that may write depends
    on the sandbox level, and which files it reads is unknown.
    """
    shell, why = place.shell, ""
    if not place.decides_execs:
        why = "without a sandbox that decides what starts (--sandbox workspace)"
    elif policy.allowed_directories:
        why = "with allowed_directories"
    elif not policy.allow_writes and config.sandbox != "read-only" and config.sandbox_chosen:
        why = 'unless allow_writes is true, or the sandbox "read-only"'
    if why:
        raise RequestError(
            f"{shell.name}: rules cannot be enforced {why}: nacre cannot parse the language of this shell.",
            hint=f"Use --shell with {examples(_is_readable)}, or start without rules.",
        )


def check_start(config: Config, place: Place, directory: str) -> None:
    """Raise RequestError when nothing may run in the configured directory (specification 004)."""
    policy = config.policy
    if policy is None or not policy.allowed_directories or config.working_directory is None:
        return
    real = place.files.real_path
    here, allowed = real(directory), [real(each) for each in policy.allowed_directories]
    if not any(here == each or here.startswith(each.rstrip(os.sep) + os.sep) for each in allowed):
        raise RequestError(
            f"The working directory is outside of allowed_directories: {directory}.",
            code="no_directory",
            hint=f"Give --working-dir a directory inside of {', '.join(policy.allowed_directories)}.",
        )


def _is_readable(dialect: Dialect) -> bool:
    """Whether the policy can read the shell's language."""
    return dialect.language != ""


def _program_table(container: ContainerConfig, directory: str, files: FileSystem) -> ProgramTable:
    from nacre.policy.program_table import ProgramTable  # noqa: PLC0415  # seldom needed

    return ProgramTable(container.allowed_commands, directory, files)
