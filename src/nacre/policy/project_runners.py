"""Programs that run another one in a project's environment: `uv run pytest`, `bundle exec rspec`, `npx x`.

Above: `inspector`, which writes down what they amount to. Below: `options` and the tables. It knows no rule:
that the inner command needs one of its own is said by `check`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import position
from nacre.policy.model import Word, names
from nacre.policy.options import compiled, read
from nacre.policy.tables.shells import MULTICALL, RUNNERS, SHELLS, UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.options import Argument
    from nacre.policy.tables.schema import Program

# Kinds of programs that packages can be.
_OF_PROJECTS = names("javascript python python_packages interpreters build compilers toolchains")


def inner_command(entry: Program, word: Word, words: Sequence[Word]) -> tuple[Word, ...]:
    """`uv run pytest -q`, `bundle exec rspec`: the command that is run in the project's environment."""
    command = next((item for item in entry.commands if item.passes and word.text in item.names.split()), None)
    if command is None:
        return ()
    rest = words[position(words, word) + 1 :]
    given = read(compiled(command, entry if entry.persistent else None), rest)
    first = next((item.word for item in given if item.kind in {"operand", "unproven"}), None)
    if first is None:
        return ()
    inner = tuple(rest[position(rest, first) :])
    if "://" in first.text:
        return ()  # uv fetches a script
    if any(item.flag in {"-m", "--module"} for item in given):
        return (first.with_text("python3"), first.with_text("-m"), *inner)
    return (first.with_text("python3"), *inner) if first.text.endswith(".py") else inner


def inner_module(
    entry: Program, given: list[Argument], words: Sequence[Word]
) -> tuple[Word | None, Sequence[Word], list[Argument]]:
    """`coverage run -m pytest -q`: the module, what is meant for it, and the options before it."""
    at = next((at for at, item in enumerate(given) if item.flag in entry.runs_module.split()), None)
    value = given[at].value if at is not None else None
    if at is None or value is None:
        return None, (), given
    last = given[at].word if value.start == given[at].word.start else value
    rest = words[next(i for i, word in enumerate(words) if word.start == last.start) + 1 :]
    return value, rest, given[: at + 1]


def is_of_the_system(name: str) -> bool:
    """A shell, a wrapper, a tool: no package for JavaScript or Python."""
    home = tables.home_of(name)
    if home is not None:
        return home not in _OF_PROJECTS
    return "/" in name or name in SHELLS or name in MULTICALL or name in RUNNERS or name in UNRESOLVABLE
