"""What differs between shells: how one is recognised and how it is given a command. Pure.

Above it: `once` (and sessions). It starts nothing and reads no files but to see whether a shell is there.
"""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from dataclasses import dataclass
from pathlib import PurePath

from nacre.dialects import cmd, elvish, fish, posix, powershell
from nacre.dialects.dialect import Ask, Dialect, Ending, Persistent, is_identifier, split_record
from nacre.errors import RequestError

__all__ = [
    "CMD",
    "ELVISH",
    "FISH",
    "POSIX",
    "POWERSHELL",
    "Ask",
    "Dialect",
    "Ending",
    "Persistent",
    "Shell",
    "dialect_of",
    "find_shell",
    "is_identifier",
    "split_record",
]

POSIX, FISH, ELVISH = posix.DIALECT, fish.DIALECT, elvish.DIALECT
CMD, POWERSHELL = cmd.DIALECT, powershell.DIALECT
_ALL = (POSIX, posix.BUSYBOX, FISH, ELVISH, CMD, POWERSHELL)


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell that is there: its file and the family it belongs to."""

    path: str
    dialect: Dialect
    name: str  # what its error messages and a person call it by
    wine: str = ""  # what runs it, where it is Windows' shell on another system
    wine_prefix: str = ""  # and where wine keeps its files

    @property
    def executable(self) -> str:
        """The program that is started."""
        return self.wine or self.path

    @property
    def environment(self) -> dict[str, str]:
        """What it needs besides the environment of all commands."""
        return cmd.WINE_ENVIRONMENT if self.wine else {}

    @property
    def output_encoding(self) -> str | None:
        """What a line of output is in that is not UTF-8; None for what is usual on this system."""
        return cmd.WINE_ENCODINGS[1] if self.wine else None

    def once(self, text: str) -> tuple[list[str], str | None]:
        """The argv that runs one command in a fresh shell; with it the text itself where that is too long."""
        dialect = self.dialect
        if self.wine:
            return cmd.once_under_wine(self.path, text)
        fits = len(text) * 4 < dialect.limit_bytes or len(os.fsencode(text)) < dialect.limit_bytes
        if fits and not (dialect.one_line and "\n" in text.strip()):
            return [self.name, *dialect.flags, text.strip() if dialect.one_line else text], None
        return [self.name, *dialect.flags, dialect.source], dialect.prelude + text

    def argv(self, dialect: Persistent) -> list[str]:
        """What starts one that lives on."""
        return ["wine", *dialect.argv(self.path)] if self.wine else dialect.argv(self.name)

    @property
    def known(self) -> bool:
        """Whether its name says what it is; others are tried before they are used."""
        return _known(self.name) is not None

    def persistent(self) -> Persistent:
        """How this shell is kept alive from one command to the next."""
        if self.dialect is CMD:
            return cmd.CmdShell(f"READY_{uuid.uuid4().hex}", self.wine_prefix or None)
        if self.dialect is POWERSHELL:
            return powershell.PowerShell(f"READY_{uuid.uuid4().hex}")
        if self.dialect.name == "posix":
            real = PurePath(os.path.realpath(self.path)).stem.lower()
            return posix.persistent(PurePath(self.path).stem.lower(), real)
        return elvish.PERSISTENT if self.dialect is ELVISH else fish.PERSISTENT


def dialect_of(path: str) -> Dialect:
    """The family of a shell, by its name; an unknown one is taken for a POSIX shell."""
    return _known(path) or POSIX


def _known(path: str) -> Dialect | None:
    name = PurePath(path).stem.lower()
    return next((dialect for dialect in _ALL if name in dialect.known_as), None)


def find_shell(wanted: str | None, environment: dict[str, str]) -> Shell:
    """The shell to use: the one asked for, else `$SHELL`, else what the platform has."""
    if wanted:
        path = shutil.which(wanted, path=environment.get("PATH"))
        if (
            sys.platform != "win32"
            and dialect_of(wanted) is CMD
            and (wine := _under_wine(wanted, environment))
        ):
            return wine
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


def _under_wine(wanted: str, environment: dict[str, str]) -> Shell | None:
    """Windows' shell on another system: the file that was named, or wine's own; None without wine."""
    wine = shutil.which("wine", path=environment.get("PATH"))
    named = os.path.sep in wanted
    if wine is None or (named and not os.path.isfile(wanted)):
        return None
    prefix = environment.get("WINEPREFIX") or os.path.join(environment.get("HOME", "/"), ".wine")
    program = os.path.abspath(wanted) if named else cmd.WINE_CMD
    return Shell(program, CMD, "cmd.exe", wine, prefix)


def _shell(path: str) -> Shell:
    return Shell(os.path.abspath(path), dialect_of(path), PurePath(path).name)


def _defaults(environment: dict[str, str]) -> list[str]:
    if sys.platform == "win32":
        return [environment.get("COMSPEC", "cmd.exe"), "cmd.exe"]
    return [shell for shell in (environment.get("SHELL"), "/bin/bash", "/bin/sh") if shell]
