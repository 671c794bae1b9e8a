"""sed: the commands that print and change text, as GNU, BSD and busybox read them alike.

Above: `interpreters`. Below: the records of this package. GNU's `e` runs commands, `w` writes files, `r`
reads them; what the versions read differently (labels with blanks, a newline inside a regular expression)
is not understood.
"""

from __future__ import annotations

import re

from nacre.policy.languages import LONGEST, TOO_LONG, Action, UnknownTextError
from nacre.policy.patterns import regex

_SPACE = regex(r"[ \t\n;]*")
_BLANKS = regex(r"[ \t]*")
_NEGATION = regex(r"[ \t]*(?:![ \t]*)*")
_NUMBER = regex(r"[0-9]+(?:~[0-9]+)?|\$|\+[0-9]+|~[0-9]+")
_MODIFIERS = regex(r"[IM]*")
_ALONE = frozenset("=dDgGhHnNpPxzF")
_FLAGS = regex(r"[0-9gpiImM]*")
_LINE = regex(r"[^\n]*")
# The text of a, i and c: to the end of the line, and on after a backslash.
_TEXT = regex(r"(?:[^\\\n]|\\.)*+(?:\\\Z)?", re.DOTALL)
_BLANK_LINE = regex(r"[ \t]*\\[ \t]+(?:\n|\Z)")
_CLASS = regex(r":[a-z]+:\]")
# A label is one word and ends its command: after a blank, GNU reads another command and BSD more label.
_LABEL = regex(r"[ \t]*([A-Za-z0-9_.-]*)[ \t]*(?=[;}\n]|\Z)")
_EXIT = regex(r"[ \t]*[0-9]*[ \t]*(?=[;}#\n]|\Z)")
# After a command that stands alone only its end may follow.
_END = regex(r"[ \t]*(?=[;}#\n]|\Z)")
_FREE = frozenset({"/dev/stdout", "/dev/stderr"})


class _Sed:
    def __init__(self, script: str) -> None:
        self.text = script
        self.pos = 0
        self.actions: list[Action] = []

    def read(self) -> None:
        while True:
            self._skip(_SPACE)
            if self.pos >= len(self.text):
                return
            self._address()
            self._command()

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.pos)
        if found is None:
            raise UnknownTextError
        self.pos = found.end()
        return found.group()

    def _next(self) -> str:
        if self.pos >= len(self.text):
            raise UnknownTextError
        self.pos += 1
        return self.text[self.pos - 1]

    def _peek(self) -> str:
        return self.text[self.pos : self.pos + 1]

    # -- addresses -----------------------------------------------------------------------------------------

    def _address(self) -> None:
        if not self._one_address():
            return
        self._skip(_BLANKS)
        if self._peek() == ",":
            self.pos += 1
            self._skip(_BLANKS)
            self._one_address()  # where it is missing (`5,${n}p` without n), sed refuses the whole script
        self._skip(_NEGATION)

    def _one_address(self) -> bool:
        number = _NUMBER.match(self.text, self.pos)
        if number is not None:
            self.pos = number.end()
            return True
        if self._peek() == "/":
            self.pos += 1
            self._delimited("/", regex=True)
        elif self._peek() == "\\":
            self.pos += 1
            self._delimited(self._next(), regex=True)
        else:
            return False
        self._skip(_MODIFIERS)
        return True

    def _delimited(self, delimiter: str, *, regex: bool) -> None:
        """Step over text up to an unescaped delimiter; in brackets it is an ordinary character."""
        if delimiter in "\n\\[]" or delimiter.isalnum() or delimiter.isspace():
            raise UnknownTextError
        while True:
            char = self._next()
            if char == "\\":
                self._next()
            elif char == "\n":  # only toybox takes it in what is put in
                raise UnknownTextError
            elif char == delimiter:
                return
            elif regex and char == "[":
                self._bracket()

    def _bracket(self) -> None:
        """`[^/]`, `[[:alpha:]_]`: up to the closing bracket; what seds read differently is refused."""
        if self._peek() == "^":
            self.pos += 1
        if self._peek() == "]":  # a bracket that comes first is a member
            self.pos += 1
        while True:
            char = self._next()
            if char == "]":
                return
            if char == "\n" or (char == "\\" and self._peek() in {"]", "\n", ""}):
                raise UnknownTextError
            if char == "[" and self._peek() in {":", ".", "="}:
                self._skip(_CLASS)

    # -- commands ------------------------------------------------------------------------------------------

    def _command(self) -> None:
        self._skip(_NEGATION)
        char = self._next()
        if char in "{}":
            return
        if char in _ALONE:
            self._skip(_END)
        elif char == "s":
            self._substitute()
        elif char == "y":
            delimiter = self._next()
            self._delimited(delimiter, regex=False)
            self._delimited(delimiter, regex=False)
            self._skip(_END)
        elif char in "aic":
            if _BLANK_LINE.match(self.text, self.pos):
                raise UnknownTextError  # some versions pass over the blanks, others take them for the text
            self._skip(_TEXT)
        elif char in ":btT":
            self._skip(_LABEL)
        elif char in "qQlL":
            self._skip(_EXIT)
        else:
            self._opening(char)

    def _opening(self, char: str) -> None:
        """Commands whose argument is the rest of the line: a comment, a file, a command."""
        rest = self._skip(_LINE).strip()
        if char in "rR":
            self.actions.append(Action("read", f"sed's `{char}` reads a file", rest))
        elif char in "wW":
            self._write(f"sed's `{char}` writes a file", rest)
        elif char == "e":
            self.actions.append(Action("run", "sed's `e` runs a command"))
        elif char != "#":
            raise UnknownTextError

    def _substitute(self) -> None:
        delimiter = self._next()
        self._delimited(delimiter, regex=True)
        self._delimited(delimiter, regex=False)
        while True:
            self._skip(_FLAGS)
            char = self._peek()
            if char == "e":
                self.actions.append(Action("run", "the `e` flag of `s` runs the result as a command"))
                self.pos += 1
            elif char == "w":
                self.pos += 1
                self._write("the `w` flag of `s` writes a file", self._skip(_LINE).strip())
            else:
                self._skip(_END)
                return

    def _write(self, reason: str, target: str) -> None:
        if target not in _FREE:
            self.actions.append(Action("write", reason, target))


def sed_actions(script: str) -> list[Action]:
    """What a sed script would run, write or read."""
    if len(script) > LONGEST:
        return [TOO_LONG]
    reader = _Sed(script)
    try:
        reader.read()
    except UnknownTextError:
        return [*reader.actions, Action("unknown", "this sed script is not understood")]
    return reader.actions
