"""An allowlist as the only files that can be executed: race-free, by file, not by name.

Above it: `places`, which hands the list to a keeper. Below: the policy. Landlock grants EXECUTE to these
files and no others, so that a copy, or a program that a command has written, cannot start, whatever the exec
gate is made to believe. A rule that may start anything cannot be put into a list: then there is none.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from nacre.policy.children import ANY, children_of
from nacre.policy.matching import WILDCARD
from nacre.policy.model import SYSTEM_DIRECTORIES
from nacre.policy.tables import transparent_wrappers
from nacre.sandbox.exec_rules import FREE, SHELL_HELPERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from nacre.policy import Policy
    from nacre.policy.matching import Rule

# Where the programs of a child such as `*/git-core/*` lie.
HELPER_DIRECTORIES = ("/usr/lib", "/usr/libexec")
MOST = 2_000


class TooWideError(Exception):
    """A rule cannot be put into a list of files."""


class Executables:
    """The files that an allowlist lets run, in one place."""

    def __init__(
        self,
        search_path: Sequence[str],
        real_file: Callable[[str], str],
        interpreter: Callable[[str], Sequence[str]],
    ) -> None:
        """`real_file` finds a file's real path, or nothing; `interpreter` reads what runs it."""
        self._directories = tuple(dict.fromkeys((*search_path, *sorted(SYSTEM_DIRECTORIES))))
        self._real_file = real_file
        self._interpreter = interpreter
        self._found: dict[str, None] = {}

    def of(self, policy: Policy, shell: str) -> tuple[str, ...]:
        """All of them. TooWideError: what a rule lets start cannot be listed."""
        self._found = {}
        self._add(shell)
        for name in (*FREE, *transparent_wrappers(), *SHELL_HELPERS.get(os.path.basename(shell), ())):
            self._add_program(name)
        if policy.mode != "allowlist":
            raise TooWideError("everything that is not denied may run")
        for rule in (*policy.allows, *policy.asks):
            self._add_rule(rule)
        return tuple(self._found)

    def _add_rule(self, rule: Rule) -> None:
        if WILDCARD.search(rule.name):
            raise TooWideError(f"`{rule.text}` names programs by a pattern")
        children = children_of(rule, rule.name, (rule.name, *rule.tokens[1:]))
        if ANY[0] in children:
            raise TooWideError(f"`{rule.text}` may start anything")
        self._add_named(rule.name)
        for child in children:
            self._add_named(child.split()[0])

    def _add_named(self, name: str) -> None:
        if name.startswith("*/") and name.endswith("/*"):
            for directory in HELPER_DIRECTORIES:
                self._found[os.path.join(directory, name[2:-2])] = None
        elif WILDCARD.search(name) or (name.startswith((".", "~"))):
            raise TooWideError(f"`{name}` is not one file")
        elif "/" in name:
            self._add(name)
        else:
            self._add_program(name)

    def _add_program(self, name: str) -> None:
        for directory in self._directories:
            self._add(os.path.join(directory, name))

    def _add(self, path: str) -> None:
        real = self._real_file(path)
        if not real or real in self._found:
            return
        if len(self._found) >= MOST:
            raise TooWideError("there are too many programs")
        self._found[real] = None
        words = self._interpreter(real)
        for word in words[:1]:
            self._add(word)
        if words and os.path.basename(words[0]) == "env":
            for word in words[1:2]:
                self._add_named(word)


def words_of(head: bytes) -> Iterator[str]:
    """The interpreter that the first bytes of a file name: that of a script, or the loader of a program."""
    if head.startswith(b"#!"):
        yield from head[2:].partition(b"\n")[0].decode("utf-8", "surrogateescape").split()
    elif head.startswith(b"\x7fELF\x02\x01"):
        yield from _loader(head)


def _loader(head: bytes) -> Iterable[str]:
    table, size, count = (
        int.from_bytes(head[32:40], "little"),
        int.from_bytes(head[54:56], "little"),
        int.from_bytes(head[56:58], "little"),
    )
    for at in range(table, table + size * count, size or 1):
        if int.from_bytes(head[at : at + 4], "little") == INTERPRETER:
            start = int.from_bytes(head[at + 8 : at + 16], "little")
            length = int.from_bytes(head[at + 32 : at + 40], "little")
            return [head[start : start + length].rstrip(b"\0").decode("utf-8", "surrogateescape")]
    return []


INTERPRETER = 3  # the kind of an ELF program header that names the loader
HEAD_BYTES = 4096
