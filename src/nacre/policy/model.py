"""The records of the policy engine: what a scanner found, and what was decided about it.

Above: every other module of the package makes or reads these records. Below: nothing but the standard
library. This module knows no shell, no rule and no program; it only names the things the others speak about.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeVar, dataclass_transform

Decision = Literal["allow", "ask", "deny"]
ExpansionKind = Literal["variable", "parameter", "command", "arithmetic", "process", "file"]
# What is proven about a piece whose text is not: nothing; that it is not empty and begins with no dash; also
# that no blank and no pattern character is in it; that it is a number; that it is a number without a sign.
# Shapes of what no file and no other machine has a say in.
_PARTS = frozenset({"token", "number", "digits"})
_SAID = frozenset({"operand", "fresh", "clock", "token", "number", "digits"})
Shape = Literal["any", "operand", "fresh", "field", "clock", "token", "number", "digits"]

# Stands in `Word.text` for a piece whose value is known only when the command runs. A NUL cannot be in a
# command (scanners refuse control characters), so no literal text can look like it.
UNKNOWN = "\0"

# The operator of `${!x[@]}`: the numbers of an array's elements, or their keys.
INDICES = "![@]"

# The name of a piece that is a block of PowerShell as it is written, and not what a value holds.
BLOCK = "{"

# Where a bare name is looked up; a program of that name elsewhere is another program.
SYSTEM_DIRECTORIES = frozenset({"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin"})

Kind = TypeVar("Kind")


@dataclass_transform(frozen_default=True)
def record(kind: type[Kind]) -> type[Kind]:
    """A frozen dataclass, as far as the type checker knows.

    At run time nothing is frozen: that would cost a microsecond for each, and a verdict makes dozens of them.
    """
    return dataclass(slots=True, unsafe_hash=True)(kind)


_STRICTNESS: dict[Decision, int] = {"allow": 0, "ask": 1, "deny": 2}


class PolicyError(ValueError):
    """A policy that cannot be used: the message names the rule or setting that is wrong."""


def names(text: str) -> frozenset[str]:
    """A set of words written as one text, which reads better in tables than a hundred quotes."""
    return frozenset(text.split())


def strictness(decision: Decision) -> int:
    """How strict a decision is: deny beats ask, ask beats allow."""
    return _STRICTNESS[decision]


@record
class Expansion:
    """A piece of a word that the shell fills in: `$x`, `${x:-y}`, `$(cmd)`, `$((1+1))`, `<(cmd)`.

    After `Context.readings` only pieces are left whose text is not proven; `shape` says what is.
    """

    kind: ExpansionKind
    name: str
    quoted: bool
    # The simple commands of a command or process substitution: a slice of the scan's commands.
    first: int = 0
    last: int = 0
    # `${x:-word}`: the operator, and the word after it where it is one that can be followed.
    operator: str = ""
    argument: Word | None = None
    shape: Shape = "any"
    # Becomes several words even in quotes: `"$@"`, `"${x[@]}"`.
    each: bool = False
    # May be nothing at all, where its command fails: outside of quotes there is no word then.
    empty: bool = False
    # Kind "file": the name of one file that matches this pattern (a loop over `*.py`).
    pattern: str = ""
    # What find has found below these places of the working directory: no way upwards.
    below: tuple[str, ...] = ()


@record
class Word:
    """One word of a command, after quote removal, with its place in the original text."""

    text: str
    start: int
    end: int
    quoted: bool = False
    # Where in `text` the first active pattern character stands.
    glob: int | None = None
    braces: bool = False
    tilde: bool = False
    expansions: tuple[Expansion, ...] = ()

    @property
    def pattern(self) -> bool:
        """The shell replaces it with the names of files, if there are any that match."""
        return self.glob is not None

    @property
    def dynamic(self) -> bool:
        """Part of the text is known only when the command runs."""
        return bool(self.expansions)

    @property
    def splits(self) -> bool:
        """May become no word or several words: an expansion that is not quoted, or `"$@"`."""
        return bool(self.expansions) and any(
            e.each or (not e.quoted and e.shape in {"any", "operand", "fresh"} and e.kind != "process")
            for e in self.expansions
        )

    @property
    def several(self) -> bool:
        """May become no word or several words, by splitting or as a pattern."""
        return self.glob is not None or self.braces or (bool(self.expansions) and self.splits)

    @property
    def may_vanish(self) -> bool:
        """It is nothing but the output of commands, not quoted: one that fails prints nothing, so no word."""
        return (
            not self.quoted
            and not self.text.strip(UNKNOWN)
            and any(e.kind == "command" for e in self.expansions)
        )

    @property
    def may_be_nothing(self) -> bool:
        """Outside of quotes, from a command that may fail: the next word would take its place."""
        return (
            bool(self.expansions)
            and not self.text.strip(UNKNOWN)
            and all(e.empty and not e.quoted for e in self.expansions)
        )

    @property
    def literal(self) -> bool:
        """The text is exactly what the program receives."""
        return not (self.expansions or self.glob is not None or self.braces or self.tilde)

    @property
    def prefix(self) -> str:
        """The text that it begins with, whatever is filled in: of `--out="$x"` this is `--out=`."""
        if self.tilde and self.text.startswith("~"):
            return ""
        known = self.text[: self.glob].partition(UNKNOWN)[0]
        return known.partition("{")[0] if self.braces else known

    @property
    def may_be_option(self) -> bool:
        """It, or one of the words that it becomes, could begin with a dash."""
        if self.splits:
            return True
        prefix = self.prefix
        if prefix:
            return prefix.startswith("-")
        if self.tilde and self.text.startswith("~"):
            return False
        if self.expansions and self.text.startswith(UNKNOWN):
            return self.expansions[0].shape in {"any", "number", "field"} or self._may_lose_its_head
        return self.several

    @property
    def _may_lose_its_head(self) -> bool:
        """Before a dash nothing is left where a command fails: `"$(mktemp -t x)-ofile"`.

        So does `pwd` in a directory that is not there any more.
        """
        rest = self.text.lstrip(UNKNOWN)
        before = self.expansions[: len(self.text) - len(rest)]
        return rest.startswith("-") and all(e.empty or e.shape == "operand" for e in before)

    @property
    def number(self) -> bool:
        """It is a number without a sign, whichever."""
        known = self.text.replace(UNKNOWN, "")
        digits = all(e.shape == "digits" for e in self.expansions)
        return digits and not self.several and (known.isdigit() if known else bool(self.expansions))

    @property
    def known(self) -> bool:
        """It is made of what the machine itself says (`$(pwd)/x`, `$(nproc)`), and is no option."""
        said = all(e.kind != "process" and e.shape in _SAID for e in self.expansions)
        return bool(self.expansions) and said and not self.several and not self.may_be_option

    @property
    def known_value(self) -> bool:
        """The same for the value of an option that is written out: `--prefix="$PWD/out"`."""
        said = all(e.kind != "process" and e.shape in _SAID for e in self.expansions)
        return bool(self.expansions) and said and not self.several and "=" in self.prefix

    @property
    def spelled(self) -> bool:
        """All that is not written out are numbers, dates, names of the machine: no part of it is a path."""
        return bool(self.expansions) and not self.several and all(e.shape in _PARTS for e in self.expansions)

    @property
    def file_pattern(self) -> str | None:
        """It is the name of one file that matches this pattern."""
        if len(self.expansions) == 1 and self.expansions[0].kind == "file":
            found = self.expansions[0].pattern
            return found if self.text == self.text.partition(UNKNOWN)[0] + UNKNOWN else None
        return None

    def with_text(self, text: str) -> Word:
        """The same place, another known text."""
        return Word(text, self.start, self.end, quoted=True)


# The operator of what is no redirection: a file that `[[ -f x ]]` looks at.
LOOKED_AT = "[["


@record
class Redirection:
    """`2> file`: operator without its descriptor, the descriptor, the target (None for a here-document)."""

    operator: str
    descriptor: str
    target: Word | None
    start: int
    end: int


@record
class Assignment:
    """`NAME=value`; an array's elements are one assignment each. No value: it is not known at all."""

    name: str
    value: Word | None
    start: int
    end: int
    # A word of a loop or an array: it is split and matched against files like the words of a command.
    listed: bool = False
    array: bool = False
    # An element of `x+=(a b)`: what `x` holds then is not this alone.
    appended: Word | None = None
    # This shell has no other variables than those that programs see (cmd.exe, `$env:x`).
    exported: bool = False


@record
class SimpleCommand:
    """One simple command. `words` is empty for bare assignments and for redirections of a group or loop."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...]
    redirections: tuple[Redirection, ...]
    start: int
    end: int
    # Its input is the output of another command.
    piped: bool = False
    # Where in the text its words are expanded, if not where it stands (the body of a here-document).
    expanded_at: int | None = None


@record
class Certain:
    """Between these two places of the text a variable has surely been assigned by the text itself."""

    name: str
    start: int
    end: int


@record
class Refusal:
    """Why a text was not understood, where, and how to write it in a plainer way."""

    reason: str
    start: int
    end: int
    hint: str = ""


@record
class Evaluated:
    """A value that the shell evaluates as an arithmetic expression: it must be a number at that place."""

    word: Word
    at: int


@record
class Definition:
    """A function: `name()` from `start` to `head_end`, its body after that."""

    name: str
    start: int
    head_end: int
    end: int


@record
class Scan:
    """All that a scanner found in a text. With a refusal, `commands` is what was found before it."""

    commands: tuple[SimpleCommand, ...]
    refusal: Refusal | None = None
    # Functions that certainly exist for the commands after them: name -> index of the first such command.
    functions: tuple[tuple[str, int], ...] = ()
    # Every function that the text defines, certain or not.
    definitions: tuple[Definition, ...] = ()
    # Variables that surely hold what this text gave them, and where.
    certain: tuple[Certain, ...] = ()
    # Here-documents in which nothing is expanded: where the operator stands, where the lines begin and end.
    bodies: tuple[tuple[int, int, int], ...] = ()
    # Values that are evaluated as arithmetic.
    evaluated: tuple[Evaluated, ...] = ()
    # Things that parse but whose meaning is only known when they run (reason, start, end).
    unresolved: tuple[Refusal, ...] = ()
    # Where `( ... )` begin and end: what is changed in there ends with them.
    subshells: tuple[tuple[int, int], ...] = ()
    # Some literal text in it would run a command if it were evaluated.
    hostile: bool = False


@record
class Finding:
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


@record
class Verdict:
    """The answer about a whole command text: the strictest of the answers about its parts."""

    decision: Decision
    rule: str
    reason: str
    start: int = 0
    end: int = 0
    hint: str = ""
    commands: tuple[Finding, ...] = ()
    # May a person's approval of exactly this text be remembered for the session?
    rememberable: bool = False
    # The variables that the text exports: programs of later commands see them, too.
    exported: frozenset[str] = frozenset()
    # What later commands of the session may meet: the functions that it defines, `trap` if it sets one,
    # and as `$name` the variables whose elements have keys.
    kept: frozenset[str] = frozenset()

    @property
    def allowed(self) -> bool:
        """The command may run without asking the person."""
        return self.decision == "allow"
