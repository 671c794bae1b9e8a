"""How a program's options are read: which word is an option, which is a value, which is an operand.

Above: `programs` asks what the options of a command do. Below: `model` and `tables`. Two styles are known:
GNU (clusters `-xvf`, `--name=value`, shortened long names) and words (`-name`, as go and find have). Reading
errs on the strict side: a shortened name counts as every option it could mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.model import Word
    from nacre.policy.tables import Program

Kind = Literal["runs", "writes", "places", "value", "other", "operand"]
_VALUED = frozenset({"value", "writes", "places"})
_SHORTEST_ABBREVIATION = 3  # dashes included


@dataclass(frozen=True, slots=True)
class Option:
    """One option (or operand) as it was given: what it does, how a person spells it, its value if any."""

    kind: Kind
    flag: str
    word: Word
    value: Word | None = None


@dataclass(frozen=True, slots=True)
class _Compiled:
    exact: dict[str, Kind]
    long: tuple[tuple[str, Kind], ...]
    operands: re.Pattern[str] | None


@lru_cache(maxsize=512)
def compiled(program: Program) -> _Compiled:
    """The option table of a program, ready for lookups; the first of runs, writes, places, values wins."""
    exact: dict[str, Kind] = {}
    groups: tuple[tuple[str, Kind], ...] = (
        (program.runs, "runs"),
        (program.writes, "writes"),
        (program.places, "places"),
        (program.values, "value"),
    )
    for listed, kind in groups:
        for name in listed.split():
            exact.setdefault(name, kind)
    long: tuple[tuple[str, Kind], ...] = tuple(
        (name, kind)
        for name, kind in exact.items()
        if program.abbreviates and name.startswith("--") and kind != "value"
    )
    return _Compiled(exact, long, re.compile(program.operands) if program.operands else None)


def read_options(program: Program, arguments: Sequence[Word]) -> Iterator[Option]:
    """Every option and operand of a command, in order."""
    table = compiled(program)
    index = 0
    while index < len(arguments):
        word = arguments[index]
        text = word.text
        index += 1
        if text == "--" and program.style == "gnu":
            for rest in arguments[index:]:
                yield Option("operand", "--", rest)
            return
        if len(text) < 2 or text[0] != "-":  # noqa: PLR2004 - a lone dash is an operand
            yield Option("operand", "", word)
            if program.stops:
                for rest in arguments[index:]:
                    yield Option("operand", "--", rest)
                return
            continue
        following = arguments[index] if index < len(arguments) else None
        if program.style == "words":
            found, used = _word_option(table, word, following)
            yield found
        elif text.startswith("--"):
            found, used = _long_option(table, word, following)
            yield found
        else:
            used = False
            for found in _cluster(table, word, following):
                used = used or (
                    found.kind in _VALUED and found.value is not None and found.value is following
                )
                yield found
        index += used


def _word_option(table: _Compiled, word: Word, following: Word | None) -> tuple[Option, bool]:
    name, equals, value = word.text.partition("=")
    kind = (
        table.exact.get(name)
        or table.exact.get(name.removeprefix("-"))
        or table.exact.get("-" + name)
        or "other"
    )
    if equals:
        return Option(kind, name, word, word.with_text(value)), False
    if kind in _VALUED:
        return Option(kind, name, word, following), following is not None
    return Option(kind, name, word, following), False


def _long_option(table: _Compiled, word: Word, following: Word | None) -> tuple[Option, bool]:
    name, equals, value = word.text.partition("=")
    kind: Kind = table.exact.get(name, "other")
    if kind == "other" and len(name) >= _SHORTEST_ABBREVIATION:
        for full, meant in table.long:
            if full.startswith(name):
                kind = meant
                break
    if equals:
        return Option(kind, name, word, word if word.dynamic else word.with_text(value)), False
    if kind in _VALUED:
        return Option(kind, name, word, following), kind == "value" and following is not None
    return Option(kind, name, word, following), False


def _cluster(table: _Compiled, word: Word, following: Word | None) -> Iterator[Option]:
    """The letters of `-xvf`; a letter with a value takes the rest of the word, or the next one."""
    text = word.text
    exact = table.exact.get(text)
    if exact is not None and len(text) > 2:  # noqa: PLR2004 - an option of several letters after one dash
        yield Option(exact, text, word, following)
        return
    for at in range(1, len(text)):
        flag = "-" + text[at]
        kind = table.exact.get(flag, "other")
        if kind in _VALUED:
            rest = text[at + 1 :]
            yield Option(kind, flag, word, word.with_text(rest) if rest else following)
            return
        yield Option(kind, flag, word, following)
        if kind == "runs":
            return
