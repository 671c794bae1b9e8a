"""The records of the policy engine: what a scanner found, and what was decided about it.

Above: every other module of the package makes or reads these records. Below: nothing but the standard
library. This module knows no shell, no rule and no program; it only names the things the others speak about.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Decision = Literal["allow", "ask", "deny"]
ExpansionKind = Literal["variable", "parameter", "command", "arithmetic", "process"]

# Stands in `Word.text` for a piece whose value is known only when the command runs. A NUL cannot be in a
# command (scanners refuse control characters), so no literal text can look like it.
UNKNOWN = "\0"

# Where a bare name is looked up; a program of that name elsewhere is another program.
SYSTEM_DIRECTORIES = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"})

_STRICTNESS: dict[Decision, int] = {"allow": 0, "ask": 1, "deny": 2}


class PolicyError(ValueError):
    """A policy that cannot be used: the message names the rule or setting that is wrong."""


def names(text: str) -> frozenset[str]:
    """A set of words written as one text, which reads better in tables than a hundred quotes."""
    return frozenset(text.split())


def strictness(decision: Decision) -> int:
    """How strict a decision is: deny beats ask, ask beats allow."""
    return _STRICTNESS[decision]


@dataclass(frozen=True, slots=True)
class Expansion:
    """A piece of a word that the shell fills in: `$x`, `${x:-y}`, `$(cmd)`, `$((1+1))`, `<(cmd)`."""

    kind: ExpansionKind
    name: str
    quoted: bool
    # The simple commands of a command or process substitution: a slice of the scan's commands.
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command, after quote removal, with its place in the original text."""

    text: str
    start: int
    end: int
    quoted: bool = False
    pattern: bool = False
    braces: bool = False
    tilde: bool = False
    expansions: tuple[Expansion, ...] = ()

    @property
    def dynamic(self) -> bool:
        """Part of the text is known only when the command runs."""
        return bool(self.expansions)

    @property
    def splits(self) -> bool:
        """May become no word or several words: an expansion that is not quoted, or `"$@"`."""
        return any(
            (not e.quoted and e.kind not in {"process", "arithmetic"}) or e.name in {"@", "[@]"}
            for e in self.expansions
        )

    @property
    def literal(self) -> bool:
        """The text is exactly what the program receives."""
        return not (self.expansions or self.pattern or self.braces or self.tilde)

    def with_text(self, text: str) -> Word:
        """The same place, another known text."""
        return replace(self, text=text, quoted=True, pattern=False, braces=False, tilde=False, expansions=())


@dataclass(frozen=True, slots=True)
class Redirection:
    """`2> file`: operator without its descriptor, the descriptor, the target (None for a here-document)."""

    operator: str
    descriptor: str
    target: Word | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=value`; an array's elements are one assignment each. No value: it is not known at all."""

    name: str
    value: Word | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SimpleCommand:
    """One simple command. `words` is empty for bare assignments and for redirections of a group or loop."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    redirections: tuple[Redirection, ...]
    start: int
    end: int
    # Its input is the output of another command.
    piped: bool = False


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a text was not understood, and where."""

    reason: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scan:
    """All that a scanner found in a text. With a refusal, `commands` is what was found before it."""

    commands: tuple[SimpleCommand, ...]
    refusal: Refusal | None = None
    # Functions that certainly exist for the commands after them: name -> index of the first such command.
    functions: tuple[tuple[str, int], ...] = ()
    # Things that parse but whose meaning is only known when they run (reason, start, end).
    unresolved: tuple[Refusal, ...] = ()


@dataclass(frozen=True, slots=True)
class Judged:
    """One simple command as it would run (seen through wrappers) and what the rules said about it."""

    text: str
    name: str
    decision: Decision
    rule: str
    reason: str
    start: int
    end: int
    hint: str = ""
    via: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer about a whole command text: the strictest of the answers about its parts."""

    decision: Decision
    rule: str
    reason: str
    start: int = 0
    end: int = 0
    hint: str = ""
    commands: tuple[Judged, ...] = ()
    # May a person's approval of exactly this text be remembered for the session?
    rememberable: bool = False

    @property
    def allowed(self) -> bool:
        """The command may run without asking anybody."""
        return self.decision == "allow"
