"""What differs between shells: how one is recognised and how it is given a command. Pure.

Above it: `once` (and sessions). It starts nothing and reads no files but to see whether a shell is there.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import PurePath

from nacre.errors import RequestError
from nacre.keeper.wire import SCRIPT_MARK

ARGUMENT_LIMIT_BYTES = 120_000  # Linux takes 128 KiB in one argument; longer commands go through a file


@dataclass(frozen=True, slots=True)
class Dialect:
    """One family of shells."""

    name: str
    flags: tuple[str, ...]  # what stands before the command text
    source: str  # a command that runs the text in a file
    known_as: tuple[str, ...]
    limit_bytes: int = ARGUMENT_LIMIT_BYTES  # what it takes as an argument
    one_line: bool = False  # whether it takes only one line as an argument
    prelude: str = ""  # what stands before the text in a file


POSIX = Dialect(
    "posix", ("-c",), f". '{SCRIPT_MARK}'", ("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "busybox")
)
FISH = Dialect("fish", ("-c",), f"source '{SCRIPT_MARK}'", ("fish",))
CMD = Dialect(
    "cmd",
    ("/d", "/s", "/c"),
    f'"{SCRIPT_MARK}"',  # no `call`: wine's cmd loses the exit code with it
    ("cmd",),
    limit_bytes=8000,  # it reads no line longer than 8191 characters
    one_line=True,  # and stops at the end of the first
    prelude="@echo off\n",
)
POWERSHELL = Dialect(
    "powershell",
    ("-NoLogo", "-NoProfile", "-NonInteractive", "-Command"),
    f". '{SCRIPT_MARK}'",
    ("pwsh", "powershell"),
)
_ALL = (POSIX, FISH, CMD, POWERSHELL)


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell that is there: its file and the family it belongs to."""

    path: str
    dialect: Dialect
    name: str  # what its error messages and a person call it by

    def once(self, text: str) -> tuple[list[str], str | None]:
        """The argv that runs one command in a fresh shell; with it the text itself where that is too long."""
        dialect = self.dialect
        fits = len(text) * 4 < dialect.limit_bytes or len(os.fsencode(text)) < dialect.limit_bytes
        if fits and not (dialect.one_line and "\n" in text.strip()):
            return [self.name, *dialect.flags, text.strip() if dialect.one_line else text], None
        return [self.name, *dialect.flags, dialect.source], dialect.prelude + text


def dialect_of(path: str) -> Dialect:
    """The family of a shell, by its name; an unknown one is taken for a POSIX shell."""
    name = PurePath(path).stem.lower()
    return next((dialect for dialect in _ALL if name in dialect.known_as), POSIX)


def find_shell(wanted: str | None, environment: dict[str, str]) -> Shell:
    """The shell to use: the one asked for, else `$SHELL`, else what the platform has."""
    if wanted:
        path = shutil.which(wanted, path=environment.get("PATH"))
        if path is None:
            raise RequestError(
                f"No shell '{wanted}' was found.",
                code="no_shell",
                hint="Give --shell the name of a shell on PATH, or its full path.",
            )
        return _shell(path)
    for candidate in _defaults(environment):
        if path := shutil.which(candidate, path=environment.get("PATH")):
            return _shell(path)
    raise RequestError("No shell was found on this machine.", code="no_shell", hint="Name one with --shell.")


def _shell(path: str) -> Shell:
    return Shell(os.path.abspath(path), dialect_of(path), PurePath(path).name)


def _defaults(environment: dict[str, str]) -> list[str]:
    if sys.platform == "win32":
        return [environment.get("COMSPEC", "cmd.exe"), "cmd.exe"]
    return [shell for shell in (environment.get("SHELL"), "/bin/bash", "/bin/sh") if shell]
