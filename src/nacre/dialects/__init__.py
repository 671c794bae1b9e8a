"""Shells: how one is found, and the registry of what differs between them. Pure: a place says what exists.

A new shell is one file in this package, which defines a `Dialect`, and one entry in `DIALECTS`. Everything
specific to it is reached from there: how it is started, fed and interrupted, its message for a missing
command, what the policy calls its language, how lists of allowed commands are enforced in it.

Above it: the executions, `settings`, `hints`. It starts nothing.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from nacre.dialects import cmd, elvish, fish, posix, powershell
from nacre.dialects.dialect import (
    Dialect,
    Ending,
    Persistent,
    Shell,
    TurnRequest,
    is_identifier,
    program_name,
    split_record,
)
from nacre.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nacre.filesystem import FileSystem

__all__ = [
    "DIALECTS",
    "Dialect",
    "Ending",
    "Persistent",
    "Shell",
    "TurnRequest",
    "dialect_of",
    "examples",
    "find_shell",
    "is_identifier",
    "is_known",
    "split_record",
]

DIALECTS: tuple[Dialect, ...] = (
    posix.DIALECT,
    posix.BUSYBOX,
    fish.DIALECT,
    elvish.DIALECT,
    cmd.DIALECT,
    powershell.DIALECT,
)


def dialect_of(path: str) -> Dialect:
    """The dialect of a shell, by its name; an unknown one is treated as a POSIX shell."""
    return _known(path) or posix.DIALECT


def is_known(shell: Shell) -> bool:
    """Whether a shell is known by its name; others are tested before they are used."""
    return _known(shell.name) is not None


def _known(path: str) -> Dialect | None:
    name = program_name(path)
    return next((dialect for dialect in DIALECTS if name in dialect.programs), None)


def examples(suits: Callable[[Dialect], object] = bool) -> str:
    """Names of shells for a message, such as `bash, sh or fish`: those of suitable dialects."""
    names = [name for dialect in DIALECTS if suits(dialect) for name in dialect.examples]
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def find_shell(wanted: str | None, environment: Mapping[str, str], files: FileSystem) -> Shell:
    """The shell to use: the requested one, or `$SHELL`, or the platform's default."""
    if wanted:
        find = dialect_of(wanted).find
        if found := find and find(wanted, environment, files):
            return found
        if path := files.find_program(wanted, environment.get("PATH")):
            return _shell(path, files)
        raise RequestError(
            f"No shell '{wanted}' was found.",
            code="no_shell",
            hint="Give --shell the name of a shell on PATH, or its full path.",
        )
    for candidate in _defaults(environment):
        if path := files.find_program(candidate, environment.get("PATH")):
            return _shell(path, files)
    raise RequestError("No shell was found on this machine.", code="no_shell", hint="Name one with --shell.")


def _shell(path: str, files: FileSystem) -> Shell:
    real_name = program_name(files.real_path(path))
    return Shell(os.path.abspath(path), dialect_of(path), os.path.basename(path), real_name)


def _defaults(environment: Mapping[str, str]) -> list[str]:
    if sys.platform == "win32":
        return [environment.get("COMSPEC", "cmd.exe"), "cmd.exe"]
    return [shell for shell in (environment.get("SHELL"), "/bin/bash", "/bin/sh") if shell]
