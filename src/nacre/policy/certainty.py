"""What a text has surely assigned and defined, while it is being read.

Above: `simple` and `posix` say what they have read and where blocks and lines end. Below: `words`. A variable
is certain from its assignment to the end of its block, unless something can keep the assignment from
happening: a redirection that fails, or an error that makes bash give up the line and go on with the next one
(a division by nothing, a part of a value that is not there, an assignment to a read-only variable).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.grammar import behind_prefixes
from nacre.policy.model import UNKNOWN, Certain, names
from nacre.policy.patterns import regex
from nacre.policy.words import WordScanner

if TYPE_CHECKING:
    from nacre.policy.grammar import Grammar
    from nacre.policy.model import Assignment, Word

# Made read-only by bash itself, or by a careful administrator.
READ_ONLY = names(
    "UID EUID PPID BASHOPTS SHELLOPTS BASH_VERSINFO TMOUT HISTFILE HISTSIZE HISTFILESIZE HISTCONTROL "
    "PATH HOME"
)
_MOST_LOOKED_AT = 64  # of the variables that are certain, the latest
# Parameters that are always set, or of which it is no error that they are not.
_ALWAYS_SET = frozenset("@*#?$-0")
# The same in these shells, unless something takes it away, which is refused.
_COUNTED = frozenset({"SECONDS", "RANDOM"})
_COUNTING = frozenset({"bash", "zsh"})
# Options with which a builtin assigns in every shell that has it.
_SURE_OPTIONS = {
    "declare": regex(r"--|-[xag]+"),
    **dict.fromkeys(("typeset", "local"), regex(r"--|-[xa]+")),
    **dict.fromkeys(("export", "readonly"), regex(r"--")),
}


class CertaintyScanner(WordScanner):
    """Keeps what is certain up to the place that is being read."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        super().__init__(text, grammar)
        # Variables that this text has assigned for sure, as long as their block lasts: name, since where.
        self.opened: list[tuple[str, int]] = []
        self.certain: list[Certain] = []
        # Functions that surely exist: name, and the first command that may call it.
        self.functions: list[tuple[str, int]] = []
        self.in_function = 0
        # May this line be given up? May a function's body give up any line that calls it?
        self.may_abort = False
        self.bodies_may_abort = False
        # May a command have taken a variable away again?
        self.may_unset = False
        # How many variables and functions were certain when the line began, and when it first could fail.
        self._at_start = (0, 0)
        self._safe = (0, 0)
        # How many variables were certain when the body of the function began that is being read.
        self._body_begins = 0

    def close_certain(self, mark: int) -> None:
        """A block ends: what it has assigned is not certain after it."""
        for name, start in self.opened[mark:]:
            self.certain.append(Certain(name, start, self.pos))
        del self.opened[mark:]
        self._safe = (min(self._safe[0], mark), self._safe[1])

    def has_keys(self, name: str) -> bool:
        """Whether this function, or the text outside of functions, has surely declared an array with keys."""
        return any(item[0] == f"{name}[" for item in self.opened[self._body_begins :])

    def note_abort(self) -> None:
        """From here on, nothing in this line is certain for the next one."""
        if not self.may_abort:
            self.may_abort = True
            self._safe = (len(self.opened), len(self.functions))

    def note_unset(self, name: str) -> None:
        """Under `set -u` an interactive bash gives up the line at a variable that is not set, and goes on."""
        if self.substitutions:
            return  # only the substitution is given up
        if name in _ALWAYS_SET or self.may_abort:
            return  # or this line may be given up anyway
        if name in _COUNTED and self.grammar.name in _COUNTING and not (self.in_function or self.may_unset):
            return
        latest = self.opened[-_MOST_LOOKED_AT:]
        if self.in_function or self.may_unset or not any(name == item[0] for item in latest):
            self.note_abort()

    def end_line(self, *, expands: bool) -> None:
        """A command ends that bash runs, or gives up, as one; here-documents of it may be expanded yet."""
        if expands:
            self.may_abort = True
            self._safe = self._at_start
        if self.may_abort:
            variables, functions = self._safe
            self.close_certain(variables)
            del self.functions[functions:]
        self.may_abort = False
        self._at_start = (len(self.opened), len(self.functions))

    def enter_body(self) -> tuple[bool, tuple[int, int], int, int]:
        """The body of a function begins: what is in it is evaluated when it is called, not here."""
        before = (self.may_abort, self._safe, len(self.opened), self._body_begins)
        self._body_begins = len(self.opened)
        self.may_abort = False
        self.in_function += 1
        return before

    def leave_body(self, before: tuple[bool, tuple[int, int], int, int]) -> None:
        """The body ends; lines that may call it may be given up if something in it may fail."""
        self.in_function -= 1
        self.bodies_may_abort = self.bodies_may_abort or self.may_abort
        self.close_certain(before[2])
        self.may_abort, self._safe = before[:2]
        self._body_begins = before[3]

    def assigned(self, words: list[Word], assignments: list[Assignment], *, redirected: bool) -> None:
        """A simple command has been read; what it surely assigns is certain from here on."""
        if words and self.bodies_may_abort and not self.in_function:
            self.note_abort()
        called = behind_prefixes(tuple(words[:8]))
        self.may_unset = self.may_unset or any(
            word.text == "unset" or UNKNOWN in word.text for word in called[:1]
        )
        if redirected:
            return
        if words and words[0].text == "shift":
            self.opened.append(("@", self.pos))  # the parameters are others from here on
        if not words:
            self.opened += [(item.name, self.pos) for item in assignments if item.value is not None]
        elif words[0].text in self.grammar.declaring and (words[0].text != "local" or self.in_function):
            self._declared(words, [item for item in assignments if item.start > words[0].start])

    def _declared(self, words: list[Word], arrays: list[Assignment]) -> None:
        sure = _SURE_OPTIONS[words[0].text]
        options = [word.text for word in words[1:] if word.text.startswith(("-", "+", UNKNOWN))]
        if options == ["-A"] == [word.text for word in words[1:2]] and self.grammar.keyed_arrays:
            named = [word.text for word in words[1:] if word.text.isidentifier()]
            self.opened += [(f"{name}[", self.pos) for name in (*named, *(item.name for item in arrays))]
        if not all(sure.fullmatch(option) for option in options):
            return  # `export -g x=a` is an error in bash, and assigns nothing
        self.opened += [(item.name, self.pos) for item in arrays if item.value is not None]
        for word in words[1:]:
            name, equals, _ = word.text.partition("=")
            if equals and name.isidentifier() and name.isascii():
                self.opened.append((name, self.pos))
