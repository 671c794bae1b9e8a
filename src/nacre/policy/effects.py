"""What a command amounts to: steps, effects and scripts, and the small questions everybody asks about words.

Above: `inspector`, `interpreters` and `programs` find these; `court` judges them. Below: `model` and
`tables`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from nacre.policy import tables
from nacre.policy.model import SYSTEM_DIRECTORIES, UNKNOWN, Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.tables import Interpreter, Program, Wrapper

EffectKind = Literal["run", "write", "unresolved", "inline"]
Role = Literal["command", "wrapper", "outer"]

FREE_TARGETS = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "-", "nul", "NUL", "$null"}
)
ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=")
_VERSIONED = re.compile(r"(python|pypy|perl|ruby|lua|php|node|pip)[0-9.]+\Z")
PROGRAMS: dict[str, Program] = {name: entry for entry in tables.PROGRAMS for name in entry.names.split()}
WRAPPERS: dict[str, Wrapper] = {name: entry for entry in tables.WRAPPERS for name in entry.names.split()}
INTERPRETERS: dict[str, Interpreter] = {
    name: entry for entry in tables.INTERPRETERS for name in entry.names.split()
}


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a command does beyond what its name says; a rule that spells `flag` permits it."""

    kind: EffectKind
    reason: str
    flag: str
    start: int
    end: int
    target: Word | None = None
    plain: bool = False
    # How to write it so that it is allowed.
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One command as it will be started; `role` says whether it needs a rule of its own."""

    words: tuple[Word, ...]
    role: Role
    effects: tuple[Effect, ...]
    # Words as rules see them: harmless options before a sub-command left out.
    rule_words: tuple[Word, ...] = ()
    remembers: bool = True
    # A harmless use of a builtin: it needs no rule.
    free: bool = False


@dataclass(frozen=True, slots=True)
class Script:
    """A text that a shell will read, and where it stands."""

    text: str
    shell: str
    start: int
    end: int
    exact: bool


@dataclass(slots=True)
class Inspection:
    """All that one simple command amounts to."""

    steps: list[Step] = field(default_factory=list[Step])
    scripts: list[Script] = field(default_factory=list[Script])
    assigned: list[tuple[str, Word]] = field(default_factory=list["tuple[str, Word]"])


def is_dangerous_variable(name: str) -> bool:
    """Tell whether a variable changes what runs, or which code or configuration is loaded."""
    # `re` keeps what it has compiled; compiling this at import time would cost every start of the server.
    return re.match(tables.DANGEROUS_VARIABLE + r"\Z", name) is not None


def is_system_name(text: str) -> bool:
    """A bare name, or a path in one of the system's directories: not some other program of that name."""
    return "/" not in text or text.rpartition("/")[0] in SYSTEM_DIRECTORIES


def base_name(text: str) -> str:
    """The name by which the tables know a program."""
    name = text.rpartition("/")[2]
    versioned = _VERSIONED.match(name)
    return versioned.group(1) if versioned is not None and name not in PROGRAMS else name


def unresolved(word: Word, reason: str, flag: str = "", *, hint: str = "") -> Effect:
    """Something whose meaning is only known when the command runs."""
    return Effect("unresolved", reason, flag, word.start, word.end, hint=hint)


def runs(word: Word, reason: str, flag: str = "") -> Effect:
    """Something that runs another program, loads code, or takes instructions from elsewhere."""
    return effect_at(word, "run", reason, flag)


def writes(word: Word, reason: str, flag: str = "", target: Word | None = None) -> Effect:
    """Something that writes a file."""
    return effect_at(word, "write", reason, flag, target)


def effect_at(word: Word, kind: EffectKind, reason: str, flag: str, target: Word | None = None) -> Effect:
    """An effect at the place of a word."""
    return Effect(kind, reason, flag, word.start, word.end, target)


def shown(text: str) -> str:
    """A text for a message: unknown pieces as `...`, and not too long."""
    text = text.replace(UNKNOWN, "...")
    return text if len(text) <= 60 else text[:57] + "..."  # noqa: PLR2004 - a line's worth


def position(words: Sequence[Word], word: Word) -> int:
    """The index of this very word."""
    return next(i for i, item in enumerate(words) if item is word)


def option_effect(program: Program, kind: str, flag: str, word: Word, value: Word | None) -> Effect | None:
    """What one option does, by its kind in the table."""
    if kind == "runs":
        return effect_at(word, "run", f"`{flag}`: {program.reason}", flag)
    if kind == "writes":
        if value is not None and value.literal and value.text in FREE_TARGETS:
            return None
        return effect_at(word, "write", f"`{flag}`: {program.reason}", flag, value)
    if kind == "places" and (value is None or not is_near(value)):
        return effect_at(word, "run", f"`{flag}` takes instructions from elsewhere: {program.reason}", flag)
    return None


def is_near(word: Word) -> bool:
    """A plain relative path that stays below the working directory."""
    return word.literal and not word.text.startswith(("/", "~", "-")) and ".." not in word.text.split("/")


def is_free(effect: Effect) -> bool:
    """A write that touches no file: /dev/null and its kin."""
    return (
        effect.kind == "write"
        and effect.target is not None
        and effect.target.literal
        and effect.target.text in FREE_TARGETS
    )
