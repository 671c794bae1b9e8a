"""One command of a list, and nothing beside it: no operator, no expansion, no second command. Pure.

Specification 000 asks for it. A text passes if it is the name of a listed command, alone or followed by a
blank and arguments in which the shell finds nothing to do but split words, take quotes away and match file
names. The characters of operators pass where the shell takes them as text, inside quotes, and nowhere else:

    POSIX shells   'all of them'   "all but $ ` !"
    cmd.exe        "all but % !"   (a backslash does not escape its quotes)

Above: the gate, which also holds the text against the rules (what an argument makes a program do is their
business). Below: `model`. Shells that quote in another way are not guessed: there is no such check for them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.policy.model import PolicyError, Refusal
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OPERATORS = "&|;<>^%$!"  # the characters in specification 000
WORDS = frozenset({"call", "start"})  # and its words
# The document's commands and the like elsewhere: they run none of their words, so that `echo call me` and
# `podman start NAME` are what they seem. Of any other command of a list that is not known.
RUNS_NO_WORD = frozenset(
    "dir echo curl type find findstr cd where set podman ls cat grep which export".split()  # noqa: SIM905  # a list
)
# A line break ends a command, other control characters hide one from a reader. A tab is a blank.
_CONTROL = regex("[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
_LONG = regex(r"&&|\|\||>>|<<|\$\(")
_HIDDEN = "\0"  # stands for a character that the shell takes as text


@dataclass(frozen=True, slots=True)
class Quoting:
    """How a family of shells quotes."""

    refused: Mapping[str, str]  # quote character -> what is refused inside; "" -> outside of quotes
    escaping: frozenset[str]  # inside which of them a backslash makes the next character text
    separators: str
    folds_case: bool
    advice: str


QUOTING = {
    "posix": Quoting(
        {"": OPERATORS + "`()", "'": "", '"': "$`!"},
        frozenset({"", '"'}),
        " \t",
        folds_case=False,
        advice="one call runs one command; text with such characters goes into 'single quotes'",
    ),
    "cmd": Quoting(
        {"": OPERATORS + "()", '"': "%!"},
        frozenset(),
        " \t,;=@",
        folds_case=True,
        advice='one call runs one command; text with such characters goes into "double quotes", '
        "where % and ! cannot stand either",
    ),
}


@dataclass(frozen=True, slots=True)
class SingleCommandCheck:
    """The commands of a list, each by itself, in one family of shells."""

    commands: Sequence[str]
    quoting: Quoting

    def refusal(self, text: str) -> Refusal | None:
        """Why a text may not run; None if it may."""
        name, _, arguments = text.partition(" ")
        if name not in self.commands:
            listed = ", ".join(self.commands) or "none"
            return Refusal(f"Command '{name}' is not on the list of commands ({listed})", 0, len(name))
        control = _CONTROL.search(text)
        if control is not None:
            reason = "a line break or control character; arguments are one line of plain text"
            return Refusal(reason, control.start(), control.end())
        refused, plain = _read_arguments(arguments, len(text) - len(arguments), self.quoting)
        if refused is not None or name in RUNS_NO_WORD:
            return refused
        return _word(plain, len(text) - len(arguments), self.quoting)


def single_command_check(commands: Sequence[str], family: str) -> SingleCommandCheck:
    """The check for a family of shells. Raises PolicyError for one whose quoting is not known here."""
    if family not in QUOTING:
        raise PolicyError(f"a list of commands cannot be enforced in the shell family '{family}'")
    return SingleCommandCheck(commands, QUOTING[family])


def _read_arguments(arguments: str, offset: int, quoting: Quoting) -> tuple[Refusal | None, str]:
    """Read the arguments as the shell will: why they are refused, or what of them is not quoted."""
    plain: list[str] = []
    quote, opened, at = "", 0, 0
    while at < len(arguments):
        char = arguments[at]
        if char == "\\" and quote in quoting.escaping:
            plain.append(_HIDDEN)
            at += 1
            if at == len(arguments):
                return Refusal("a backslash at the end", offset + at - 1, offset + at), ""
            char = arguments[at]
            if char not in quoting.refused[quote]:
                plain.append(_HIDDEN)
                at += 1
                continue
        if char in quoting.refused[quote]:
            return _operator(arguments, at, offset, quote), ""
        if char == quote:
            quote = ""
        elif not quote and char in quoting.refused:
            quote, opened = char, at
        plain.append(_HIDDEN if quote else char)
        at += 1
    if quote:
        return Refusal("a quote that is not closed", offset + opened, offset + opened + 1), ""
    return None, "".join(plain)


def _operator(arguments: str, at: int, offset: int, quote: str) -> Refusal:
    found = _LONG.match(arguments, at)
    shown = found.group() if found is not None else arguments[at]
    where = " also inside these quotes" if quote else ""
    return Refusal(f"{shown} is a shell operator{where}", offset + at, offset + at + len(shown))


def _word(plain: str, offset: int, quoting: Quoting) -> Refusal | None:
    for found in re.finditer(f"[^{re.escape(quoting.separators)}]+", plain):
        word = found.group().casefold() if quoting.folds_case else found.group()
        if word in WORDS:
            reason = f"{found.group()} starts another command"
            return Refusal(reason, offset + found.start(), offset + found.end())
    return None
