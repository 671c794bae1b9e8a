"""What a sandbox would let a command do, for a person: each path that its text names, and why.

Above it: `nacre sandbox explain`. Pure, given the profile and the files. It reads words, not a shell's
grammar: paths that a command opens without naming them do not appear here, but are restricted all the same.
"""

from __future__ import annotations

import os.path
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.filesystem import FileSystem
    from nacre.sandbox.profile import Profile, Refusal

WRITING = frozenset({">", ">>", ">|", "&>", "<>"})
SHOWN = 12  # paths of one kind


@dataclass(frozen=True, slots=True)
class PathAccess:
    """What may be done with one path of a command."""

    path: str
    named_for_writing: bool
    not_read: Refusal | None  # why it cannot be read; None: it can
    not_written: Refusal | None  # the same for writing

    @property
    def refused(self) -> bool:
        """Whether what the command obviously wants is refused."""
        return bool(self.not_read or (self.named_for_writing and self.not_written))

    def __str__(self) -> str:
        if self.not_read:
            return f"{self.path}: cannot be read or written: {_why(self.not_read)}"
        if self.not_written:
            return f"{self.path}: can be read, not written: {_why(self.not_written)}"
        return f"{self.path}: can be read and written"


def _why(refusal: Refusal) -> str:
    return f"{refusal.reason} (to allow it: {refusal.opening})"


def describe(profile: Profile, home: str) -> list[str]:
    """The restrictions on every command, one per line."""
    lines = [
        f"may write: {_few(profile.writable, home)}, and a /tmp of its own"
        if profile.writable
        else "may write: a /tmp of its own",
        f"hidden: {_few(profile.hidden, home)}",
    ]
    protected = dict.fromkeys((*profile.protected, *(each.path for each in profile.placeholders)))
    if protected:
        lines.append(f"cannot be changed: {_few(tuple(protected), home)}")
    lines.append(f"sockets of services: {_few(profile.sockets, home) or 'none'}")
    lines.append(f"network: {profile.reach}")
    lines.append(f"other processes: {'not seen' if profile.own_processes_only else 'seen, out of reach'}")
    return lines


def _few(paths: tuple[str, ...], home: str) -> str:
    shown = [f"~{path[len(home) :]}" if path.startswith(f"{home}/") else path for path in paths]
    more = len(shown) - SHOWN
    return ", ".join([*shown[:SHOWN], *([f"{more} more"] if more > 0 else [])])


def explain(command: str, directory: str, profile: Profile, files: FileSystem) -> list[PathAccess]:
    """The paths that a command names, and what may be done with each."""
    found: dict[str, bool] = {}
    for word, writes in _paths(command, directory, files):
        real = files.real_path(os.path.join(directory, files.expand_home(word)))
        found[real] = found.get(real, False) or writes
    return [
        PathAccess(path, writes, profile.why_not_read(path, files.home), profile.why_not_written(path))
        for path, writes in found.items()
    ]


def _paths(command: str, directory: str, files: FileSystem) -> Iterator[tuple[str, bool]]:
    """Words that are paths, and whether something is redirected to them."""
    before = ""
    for word in _words(command):
        writes = before in WRITING
        before = word
        value = word.partition("=")[2] if word.startswith("-") or _is_assignment(word) else word
        if not value or "://" in value or set(value) <= set("();<>|&"):
            continue
        looks_like_one = writes or value.startswith(("/", "~", "./", "../")) or "/" in value
        if looks_like_one or _is_there(os.path.join(directory, value), files):
            yield value, writes


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # an open quote: the shell will say so
        return command.split()


def _is_assignment(word: str) -> bool:
    return word.partition("=")[0].isidentifier() and "=" in word


def _is_there(path: str, files: FileSystem) -> bool:
    return files.is_file(path) or files.is_directory(path)
