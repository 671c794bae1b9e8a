"""What a function of a text is called with: its parameters are known where every call of it is known.

Above: `values` asks for the arguments behind `$1`. Below: `model`.

A function runs by its name as the first word of a command. Where its name stands anywhere else
(`trap f EXIT`, `export -f f`, `x=f`), where the name of a command is only known when it runs, where the
function is defined twice, or where its body moves its parameters (`shift`, `set --`) or makes variables that
take values in another way (`local -a x`), nothing is known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.model import Definition, SimpleCommand, Word

PARAMETER = regex(r"[1-9]\Z")
# Shells in which nothing but a call gives a function its parameters: to zsh `argv` is a variable like others.
FOLLOWED_SHELLS = frozenset({"bash", "dash", "sh"})
_MOST_CALLS = 64
# What may stand before a builtin that runs in this very shell.
_BEFORE = frozenset({"command", "builtin", "time"})
_DECLARING = frozenset({"local", "declare", "typeset"})
_ATTRIBUTES = regex(r"-[A-Za-z]*[aAin]")
# `set -eu -o pipefail`: a word that is no option, and all behind it (`set - -o`, `set x -o`), are parameters.
_ONLY_OPTIONS = regex(r"(?: [-+](?:[a-np-zA-Z]+|[a-np-zA-Z]*o [a-z]+))+\Z")


class Calls:
    """The calls of the functions that a text defines."""

    def __init__(self, commands: Sequence[SimpleCommand], definitions: Sequence[Definition]) -> None:
        self._commands = commands
        self._definitions = definitions
        self._found: dict[int, Sequence[SimpleCommand] | None] = {}

    def of_function_at(self, at: int) -> Sequence[SimpleCommand] | None:
        """Every call of the function whose body this place belongs to; None if that is not known."""
        around = [item for item in self._definitions if item.head_end <= at < item.end]
        if not around:
            return None
        innermost = max(around, key=lambda item: item.start)
        if innermost.start not in self._found:
            self._found[innermost.start] = self._calls_of(innermost)
        return self._found[innermost.start]

    def _calls_of(self, definition: Definition) -> Sequence[SimpleCommand] | None:
        if sum(item.name == definition.name for item in self._definitions) != 1:
            return None
        mentioned = re.compile(rf"(?<![\w.-]){re.escape(definition.name)}(?![\w.-])")
        calls: list[SimpleCommand] = []
        for command in self._commands:
            called = _called(command)
            if called and (called[0].expansions or called[0].glob is not None or called[0].braces):
                return None  # its name is only known when it runs
            inside = definition.start <= command.start < definition.end
            if (inside and (_moves_parameters(command) or _gives_attributes(command))) or _mentions(
                command, mentioned
            ):
                return None
            if command.words and command.words[0].text == definition.name:
                calls.append(command)
        return calls if len(calls) <= _MOST_CALLS else None


def _called(command: SimpleCommand) -> Sequence[Word]:
    """The words of a command from the name on that this shell itself looks up."""
    words = command.words
    if not words or words[0].text not in _BEFORE:
        return words
    at = 0
    while at < len(words) and (words[at].text in _BEFORE or words[at].text.startswith("-")):
        at += 1
    return words[at:]


def _moves_parameters(command: SimpleCommand) -> bool:
    """`shift`, `set -- a b`; options of the shell (`set -e`) leave the parameters alone."""
    name, *texts = [word.text for word in _called(command)] or [""]
    return name == "shift" or (
        name == "set" and _ONLY_OPTIONS.match("".join(f" {text}" for text in texts)) is None
    )


def _gives_attributes(command: SimpleCommand) -> bool:
    """`local -a x`: bash takes a text with parentheses for a list then, and evaluates what is in it."""
    texts = [word.text for word in command.words]
    declares = any(word.text in _DECLARING for word in _called(command)[:1])
    return declares and any(map(_ATTRIBUTES.match, texts))


def _mentions(command: SimpleCommand, name: re.Pattern[str]) -> bool:
    """Whether a function's name stands where something else than this command could call it by that name."""
    values = [item.value.text for item in command.assignments if item.value is not None]
    return any(name.search(text) for text in (*(word.text for word in command.words[1:]), *values))
