"""What a function of a text is called with: its parameters are known where every call of it is known.

Above: `values` asks for the arguments behind `$1` and `"$@"`. Below: `model`.

A function runs by its name as the first word of a command. Where its name stands anywhere else
(`trap f EXIT`, `export -f f`, `x=f`), where the name of a command is only known when it runs, where the
function is defined twice, or where its body moves its parameters (`set --`) or makes variables that take
values in another way (`local -a x`), nothing is known. A `shift` is followed where it surely takes place, and
once. A command that is nothing but `"$@"` runs what the calls of its function name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from nacre.policy.command_facts import ASSIGNING, OPAQUE
from nacre.policy.model import UNKNOWN, names
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
_COUNT = regex(r"[1-9]\Z")
# Builtins that change the shell itself: not followed where `"$@"` runs them.
_CHANGE_THE_SHELL = (
    ASSIGNING
    | OPAQUE
    | _BEFORE
    | names(
        "shift set cd chdir pushd popd exec hash enable alias unalias shopt setopt unsetopt emulate noglob"
    )
    | names("nocorrect - coproc bind complete compgen autoload functions unfunction integer float")
)


class Called(NamedTuple):
    """The calls of a function, and how many of their arguments have been shifted away."""

    commands: Sequence[SimpleCommand]
    shifted: int


class Calls:
    """The calls of the functions that a text defines."""

    def __init__(
        self,
        commands: Sequence[SimpleCommand],
        definitions: Sequence[Definition],
        surely_shifted: Sequence[tuple[int, int]],
    ) -> None:
        self._commands = commands
        self._definitions = definitions
        # Where a `shift` has surely taken place.
        self._surely_shifted = surely_shifted
        self._found: dict[int, Sequence[SimpleCommand] | None] = {}
        self._known_names: bool | None = None

    def of_function_at(self, at: int) -> Called | None:
        """Every call of the function whose body this place belongs to; None if that is not known."""
        innermost = self._function_at(at)
        if innermost is None:
            return None
        if innermost.start not in self._found:
            self._found[innermost.start] = self._calls_of(innermost)
        calls = self._found[innermost.start]
        count = self._shifted_at(innermost, at)
        if calls is None or count is None:
            return None
        # A shift by more than there is does nothing; by one of none, it makes no difference.
        if count > 1 and not all(len(command.words) > count for command in calls):
            return None
        return Called(calls, count)

    def _function_at(self, at: int) -> Definition | None:
        around = [item for item in self._definitions if item.head_end <= at < item.end]
        return max(around, key=lambda item: item.start, default=None)

    def _calls_of(self, definition: Definition) -> Sequence[SimpleCommand] | None:
        if not self._has_known_names():
            return None
        inside = self._inside(definition)
        if any(_sets_parameters(command) or _gives_attributes(command) for command in inside):
            return None
        return self._all_calls(definition)

    def _inside(self, definition: Definition) -> Sequence[SimpleCommand]:
        return [item for item in self._commands if definition.start <= item.start < definition.end]

    def _all_calls(self, definition: Definition) -> Sequence[SimpleCommand] | None:
        """The commands that begin with its name, if it stands nowhere else."""
        if sum(item.name == definition.name for item in self._definitions) != 1:
            return None
        mentioned = re.compile(rf"(?<![\w.-]){re.escape(definition.name)}(?![\w.-])")
        if any(_mentions(command, mentioned) for command in self._commands):
            return None
        calls = [item for item in self._commands if item.words and item.words[0].text == definition.name]
        return calls if len(calls) <= _MOST_CALLS else None

    def _has_known_names(self) -> bool:
        """Whether every command's name is written out, if only among the arguments of a call."""
        if self._known_names is None:
            dynamic = [item for item in self._commands if _has_dynamic_name(item)]
            self._known_names = all(map(self._runs_its_arguments, dynamic))
        return self._known_names

    def _runs_its_arguments(self, command: SimpleCommand) -> bool:
        """It is `"$@"` in a function, and every call names a command that leaves the shell as it is."""
        definition = self._function_at(command.start)
        if definition is None or not _is_all_parameters(command.words[0]):
            return False
        count = self._shifted_at(definition, command.start)
        if count is None or any(map(_sets_parameters, self._inside(definition))):
            return False
        calls = self._all_calls(definition)
        return calls is not None and all(
            all(word.literal for word in call.words[1 : count + 2])
            and not any(word.text in _CHANGE_THE_SHELL for word in call.words[count + 1 : count + 2])
            for call in calls
        )

    def _shifted_at(self, definition: Definition, at: int) -> int | None:
        """How many parameters a function has shifted away at this place of its body."""
        shifts = [item for item in self._inside(definition) if _name_of(item) == "shift"]
        if not shifts:
            return 0
        first, *others = shifts
        ends_with_function = [start for start, end in self._surely_shifted if end == definition.end]
        if others or not ends_with_function or not first.end <= ends_with_function[0]:
            return None
        if at < first.start:
            return 0
        count, *more = [word.text for word in first.words[1:]] or ["1"]
        followed = not more and _COUNT.match(count) and at >= ends_with_function[0]
        return int(count) if followed else None


def _name_of(command: SimpleCommand) -> str:
    called = _called(command)
    return called[0].text if called else ""


def _has_dynamic_name(command: SimpleCommand) -> bool:
    called = _called(command)
    return bool(called) and bool(called[0].expansions or called[0].glob is not None or called[0].braces)


def _is_all_parameters(word: Word) -> bool:
    """`"$@"`, and nothing else."""
    if word.text != UNKNOWN:
        return False
    piece = word.expansions[0]
    return piece.kind == "variable" and piece.name == "@" and piece.quoted


def _called(command: SimpleCommand) -> Sequence[Word]:
    """The words of a command from the name on that this shell itself looks up."""
    words = command.words
    if not words or words[0].text not in _BEFORE:
        return words
    at = 0
    while at < len(words) and (words[at].text in _BEFORE or words[at].text.startswith("-")):
        at += 1
    return words[at:]


def _sets_parameters(command: SimpleCommand) -> bool:
    """`set -- a b`; options of the shell (`set -e`) leave the parameters alone."""
    name, *texts = [word.text for word in _called(command)] or [""]
    return name == "set" and _ONLY_OPTIONS.match("".join(f" {text}" for text in texts)) is None


def _gives_attributes(command: SimpleCommand) -> bool:
    """`local -a x`: bash takes a text with parentheses for a list then, and evaluates what is in it."""
    texts = [word.text for word in command.words]
    declares = any(word.text in _DECLARING for word in _called(command)[:1])
    return declares and any(map(_ATTRIBUTES.match, texts))


def _mentions(command: SimpleCommand, name: re.Pattern[str]) -> bool:
    """Whether a function's name stands where something else than this command could call it by that name."""
    values = [item.value.text for item in command.assignments if item.value is not None]
    return any(name.search(text) for text in (*(word.text for word in command.words[1:]), *values))
