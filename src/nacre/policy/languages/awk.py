# ruff: noqa: E501 - lists of names
"""awk: patterns, expressions and printing, as gawk, mawk, busybox and the original read them alike.

Above: `interpreters`. Below: the records of this package. The hard question is whether a slash divides or begins a
regular expression: where the versions could disagree, the program is not understood. `system`, `getline`, `|`
and `@` run things; `>` after `print` writes.
"""

from __future__ import annotations

import re

from nacre.policy.languages import LONGEST, TOO_LONG, Action, UnknownTextError
from nacre.policy.model import names
from nacre.policy.patterns import regex

_TOKEN = regex(
    r"""(?P<space>[ \t]+|\\\n)|(?P<comment>\#[^\n]*)|(?P<string>"(?:[^"\\\n]|\\[^\n])*")"""
    # With a letter behind it the versions read different numbers: `0x1system("x")` is 0x1 and a call, or 0 and a name.
    r"""|(?P<number>(?>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)(?![A-Za-z_]))"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<operator>\|\||&&|>>|>=|<=|==|!=|!~|\+\+|--|[-+*/%^]=|\*\*=?|[-+*/%^!<>|?:,;~$=(){}\[\]\n@&])""",
    re.DOTALL,
)
_REGEX = regex(r"/(?:[^/\\\n\[]|\\[^\n]|\[\^?+\]?+(?:[^\]\\\n/\[]|\[:[a-z]+:\]|\\[^\n])*+\])*+/")
_TARGET = regex(r'[ \t]*"([^"\\]*)"[ \t]*(?=[;}\n]|\Z)')
# After these a slash begins a regular expression in every awk.
_BEFORE_REGEX = frozenset(
    {
        "\n",
        ";",
        "{",
        "}",
        "(",
        ",",
        "!",
        "~",
        "!~",
        "&&",
        "||",
        "=",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "?",
        ":",
    }
)
# After these it divides.
_BEFORE_DIVISION = frozenset({"name", "number", "string", "]", ")"})
# After these every awk takes the end of a line for the end of a statement, or every awk reads on.
_BEFORE_NEWLINE = _BEFORE_DIVISION | {
    *("regex", "postfix", "\n", ";", "{", "}", ",", "&&", "||", "?", ":"),
    *("print", "next", "nextfile", "exit", "return", "break", "continue", "else", "do", "length"),
}
# Words of the language, in one version or another: after them a slash could be either.
_WORDS = names(
    "BEGIN END BEGINFILE ENDFILE if else while for do in break continue next nextfile exit return delete function func "
    "print printf getline switch case default length "
    # Functions: without parentheses some versions read them as a value, others not at all.
    "atan2 cos exp int log rand sin sqrt srand gsub index match split sprintf sub substr tolower toupper close fflush "
    "system asort asorti gensub patsplit strtonum mktime strftime systime and compl lshift or rshift xor isarray typeof"
)
_STATEMENTS = names("if while for")
_RUNS = names("system getline")
# gawk's extensions by the name of a function or file.
_OTHER = names("namespace include load extension")
_PRINTS = names("print printf")
_READS = names("ARGV ARGC SYMTAB")
# An element that is only looked at: `FILENAME == ARGV[1]`.
_ELEMENT = regex(r"[ \t]*+\[[ \t]*+[0-9]++[ \t]*+\][ \t]*+(?!\\|\+\+|--|(?:\*\*|[-+*/%^])?=(?!=))")
_BEFORE_ELEMENT = frozenset({"==", "!=", "print"})
_FREE = frozenset({"/dev/stdout", "/dev/stderr", "/dev/null"})
# To gawk a connection to another machine.
_CONNECTION = "/inet"


class _Awk:
    """A lexer that knows just enough grammar to tell a redirection from a comparison."""

    def __init__(self, program: str) -> None:
        self.text = program
        self.pos = 0
        self.actions: list[Action] = []
        self.previous = "\n"
        # For each open bracket: does it follow `if`, `while` or `for`?
        self.open: list[bool] = []
        self.print_depth = -1
        self.after_condition = False

    def read(self) -> None:
        while self.pos < len(self.text):
            if self.text[self.pos] == "/" and self._begins_regex():
                found = _REGEX.match(self.text, self.pos)
                if found is None:
                    raise UnknownTextError
                self.pos = found.end()
                self._set("regex")
                continue
            token = _TOKEN.match(self.text, self.pos)
            if token is None:
                raise UnknownTextError
            self.pos = token.end()
            self._take(token.lastgroup or "", token.group())
        if self.open:
            raise UnknownTextError

    def _begins_regex(self) -> bool:
        if self.after_condition and self.previous == ")":
            raise UnknownTextError
        if self.previous in _BEFORE_REGEX:
            return True
        if self.previous in _BEFORE_DIVISION:
            return False
        raise UnknownTextError

    def _set(self, previous: str) -> None:
        self.previous = previous

    def _take(self, kind: str, text: str) -> None:
        if kind in {"space", "comment"}:
            return
        if kind == "name":
            self._name(text)
        elif kind in {"string", "number"}:
            self._set(kind)
        else:
            self._operator(text)

    def _name(self, text: str) -> None:
        if text in _RUNS:
            self.actions.append(Action("run", f"awk's {text} can run a command"))
        elif text in _OTHER:
            raise UnknownTextError
        elif text in _READS:
            self.actions.append(Action("read", f"awk opens what {text} says"))
            if text != "ARGC" and not self._looks_at():
                self.actions.append(Action("run", f"gawk connects to an address that {text} is given"))
        elif text in _PRINTS:
            self.print_depth = len(self.open)
        self._set(text if text in _WORDS else "name")

    def _operator(self, text: str) -> None:
        if text == "|":
            self.actions.append(Action("run", "awk's `|` runs a command"))
        elif text == "@":
            self.actions.append(Action("run", "awk's `@` loads code or calls a function by its name"))
        elif text in {"(", "[", "{"}:
            self.open.append(text == "(" and self.previous in _STATEMENTS)
        elif text in {")", "]", "}"}:
            self._close(text)
        elif text in {">", ">>"} and (text == ">>" or self._prints()):
            self._write()
        elif text == "&":
            raise UnknownTextError
        if text == "\n" and self.previous not in _BEFORE_NEWLINE:
            raise UnknownTextError  # to busybox the expression goes on
        if text in {";", "{", "}"} or (text == "\n" and self.previous not in {",", "&&", "||", "?", ":"}):
            self.print_depth = -1
        after_value = self.previous in _BEFORE_DIVISION or self.previous in {"regex", "postfix"}
        self.previous = "postfix" if text in {"++", "--"} and after_value else text

    def _close(self, text: str) -> None:
        if not self.open:
            raise UnknownTextError
        self.after_condition = self.open.pop() and text == ")"

    def _looks_at(self) -> bool:
        return self.previous in _BEFORE_ELEMENT and _ELEMENT.match(self.text, self.pos) is not None

    def _prints(self) -> bool:
        return self.print_depth == len(self.open)

    def _write(self) -> None:
        found = _TARGET.match(self.text, self.pos)
        target = found.group(1) if found is not None else ""
        if target.startswith(_CONNECTION):
            self.actions.append(Action("run", "gawk connects to another machine"))
        elif target not in _FREE:
            self.actions.append(Action("write", "awk's `>` writes a file", target))


def awk_actions(program: str) -> list[Action]:
    """What an awk program would run, write or read."""
    if len(program) > LONGEST:
        return [TOO_LONG]
    reader = _Awk(program)
    try:
        reader.read()
    except UnknownTextError:
        return [*reader.actions, Action("unknown", "this awk program is not understood")]
    return reader.actions
