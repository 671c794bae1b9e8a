"""What is known about variables inside one text, and whether an argument could turn out to be an option.

Above: `programs` asks before it trusts `"$x"` in front of a program whose options matter. Below: `model`.
Only assignments in the same text are known. A variable from elsewhere is taken to be data when it is quoted.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, Expansion, SimpleCommand, Word, names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_CANDIDATES = 32
_MOST_DEPTH = 4
_MOST_VALUES = 256
# Commands whose output is a name, number or path, not text that an attacker writes into the same line.
_PLAIN_OUTPUT = names(
    "git pwd date dirname basename realpath readlink nproc whoami id uname hostname mktemp which wc arch "
    "go rustc"
)
_ASSIGNING = names("read mapfile readarray printf getopts declare local export typeset readonly")


@dataclass(frozen=True, slots=True)
class Context:
    """The text around a command: its source, its simple commands, and what its variables may hold."""

    source: str = ""
    commands: Sequence[SimpleCommand] = ()
    values: Mapping[str, tuple[Word | None, ...]] = field(default_factory=dict[str, tuple[Word | None, ...]])
    shell: str = "bash"

    @classmethod
    def of(cls, source: str, commands: Sequence[SimpleCommand], shell: str = "bash") -> Context:
        """Collect every assignment of a text; `read x` assigns something unknown."""
        found: dict[str, list[Word | None]] = {}
        for command in commands:
            for item in command.assignments:
                found.setdefault(item.name, []).append(item.value)
            if command.words and command.words[0].text in _ASSIGNING:
                _declared(command, found)
        values = {name: tuple(items) for name, items in found.items()}
        return cls(source, commands, values, shell)

    def candidates(self, word: Word, depth: int = 0) -> list[str] | None:
        """Every text that a word can have, as far as this text decides it; None when it does not."""
        if not word.expansions:
            return [word.text]
        if depth > _MOST_DEPTH or word.pattern or word.braces:
            return None
        choices: list[list[str]] = []
        for expansion in word.expansions:
            known = self._known(expansion, depth)
            if known is None:
                return None
            choices.append(known)
        pieces = word.text.split(UNKNOWN)
        if len(pieces) != len(choices) + 1:
            return None
        combinations = itertools.islice(itertools.product(*choices), _MOST_CANDIDATES + 1)
        texts = [
            "".join(itertools.chain.from_iterable(zip(pieces, (*combination, ""), strict=True)))
            for combination in combinations
        ]
        return texts if len(texts) <= _MOST_CANDIDATES else None

    def _known(self, expansion: Expansion, depth: int) -> list[str] | None:
        if expansion.kind == "arithmetic":
            return ["1"]
        if expansion.kind != "variable" or expansion.name not in self.values:
            return None
        texts: list[str] = []
        if len(self.values[expansion.name]) > _MOST_CANDIDATES:
            return None
        for value in self.values[expansion.name]:
            if value is None or value.pattern or value.tilde or value.braces:
                return None
            found = self.candidates(value, depth + 1)
            if found is None:
                return None
            texts += found
        return texts

    def may_be_option(self, word: Word, depth: int = 0) -> bool:  # noqa: PLR0911 - one answer per kind
        """Tell whether this argument could begin with a dash when the command runs."""
        if not word.text.startswith(UNKNOWN):
            return any(text.startswith("-") for text in _spellings(word))
        if depth > _MOST_DEPTH:
            return True
        first = word.expansions[0]
        if first.kind == "command":
            return self._output_may_be_option(first)
        if first.kind == "parameter" and self._default_has_dash(word):
            return True
        if first.kind in {"arithmetic", "process"}:
            return False
        if first.name == "{}":
            return True
        values = self.values.get(first.name, ())
        return len(values) > _MOST_VALUES or any(
            v is None or self.may_be_option(v, depth + 1) for v in values
        )

    def _output_may_be_option(self, expansion: Expansion) -> bool:
        commands = self.commands[expansion.first : expansion.last]
        if not commands:
            return True
        return not all(command.words and command.words[0].text in _PLAIN_OUTPUT for command in commands)

    def _default_has_dash(self, word: Word) -> bool:
        raw = self.source[word.start : word.end]
        return any(mark in raw for mark in ("--", "=-", "+-", "?-", "/-"))


def _declared(command: SimpleCommand, found: dict[str, list[Word | None]]) -> None:
    for word in command.words[1:]:
        name, equals, value = word.text.partition("=")
        known = word.with_text(value) if equals and not word.dynamic else None
        found.setdefault(name, []).append(known)


def _spellings(word: Word) -> list[str]:
    """What a word can be after braces; too many to tell counts as an option."""
    if not word.braces:
        return [word.text]
    expanded = expand_braces(word.text)
    return ["-"] if expanded is None else expanded


def expand_braces(text: str) -> list[str] | None:
    """`a{b,c}` as `ab ac`; None when it becomes too many words to look at."""
    done: list[str] = []
    todo = [text]
    while todo:
        if len(todo) + len(done) > _MOST_CANDIDATES:
            return None
        current = todo.pop(0)
        group = _innermost_group(current)
        if group is None:
            done.append(current)
            continue
        begin, end = group
        todo = [
            current[:begin] + choice + current[end + 1 :] for choice in current[begin + 1 : end].split(",")
        ] + todo
    return done


def _innermost_group(text: str) -> tuple[int, int] | None:
    opened: list[int] = []
    for at, char in enumerate(text):
        if char == "{":
            opened.append(at)
        elif char == "}" and opened:
            begin = opened.pop()
            if "," in text[begin:at]:
                return begin, at
    return None
