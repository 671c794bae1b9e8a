"""A small, strict reader for PowerShell: commands, pipelines, strings, script blocks and plain expressions.

Above: `judge`. Below: `model`. PowerShell is a large language; what is not read here with certainty (method
calls, types, keywords such as `if`, hash tables, stop-parsing) is refused. Names keep their spelling;
aliases are the judge's business.
"""

from __future__ import annotations

import re

from nacre.policy.model import (
    UNKNOWN,
    Assignment,
    Expansion,
    Redirection,
    Refusal,
    Scan,
    SimpleCommand,
    Word,
    names,
)

MAX_DEPTH = 30
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# PowerShell takes typographic dashes, quotes and spaces for the plain ones.
_TYPOGRAPHIC = re.compile("[\u00a0\u2013-\u2015\u2018-\u201e\u2028\u2029\u0085]")
_BLANK = re.compile(r"(?:[ \t\r]|`\r?\n|<#.*?#>)+", re.DOTALL)
_COMMENT = re.compile(r"#[^\n]*")
_VARIABLE = re.compile(r"\$(?:\{[^}`{]+\}|[A-Za-z_][A-Za-z0-9_]*(?::[A-Za-z_][A-Za-z0-9_]*)?|[_$?^])")
_PROPERTY = re.compile(r"\.[A-Za-z_][A-Za-z0-9_]*")
_ASSIGN = re.compile(r"\$(\{[^}`{]+\}|[A-Za-z_][A-Za-z0-9_:]*)[ \t]*(?:[-+*/%]|\?\?)?=(?!=)")
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[kmgtp]b)?(?![A-Za-z0-9_])", re.IGNORECASE)
_OPERATOR = re.compile(r"-[A-Za-z]+(?![A-Za-z0-9_])|\.\.|[-+*/%!,]")
_PLAIN = re.compile(r"[^ \t\r\n;|&(){}<>'\"`$@#,\[\]]+")
_REDIRECTION = re.compile(r"([0-9*]?)(>>|>)(&[0-9])?")
_BLOCK = re.compile(r"(if|foreach|while)[ \t]*\(", re.IGNORECASE)
_LOOP = re.compile(r"[ \t]*\$[A-Za-z_][A-Za-z0-9_]*[ \t]+in[ \t]", re.IGNORECASE)
_ELSE = re.compile(r"else(?:(if)[ \t]*\(|(?=[ \t\n{]))", re.IGNORECASE)
_ESCAPES = {"n": "\n", "t": "\t", "0": "", "a": "\a", "b": "\b", "f": "\f", "r": "\r", "v": "\v", "e": "\x1b"}
_KEYWORDS = names(
    "begin break catch class continue data define do dynamicparam else elseif end enum exit filter finally "
    "for foreach from function hidden if in param process return static switch throw trap try until using "
    "var while workflow parallel sequence inlinescript configuration clean"
)


class _RefusedError(Exception):
    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason, at, at + 1)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.depth = 0
        self.commands: list[SimpleCommand] = []

    def _peek(self) -> str:
        return self.text[self.pos] if self.pos < self.end else ""

    def _blanks(self) -> None:
        found = _BLANK.match(self.text, self.pos)
        if found is not None:
            self.pos = found.end()

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.pos)
        if found is None:
            return ""
        self.pos = found.end()
        return found.group()

    def statements(self, closer: str) -> None:
        """Statements up to a closing bracket, or to the end."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise _RefusedError("too many levels of nesting", self.pos)
        while True:
            self._blanks()
            char = self._peek()
            if char == "#":
                self._take(_COMMENT)
            elif char and char in "\n;":
                self.pos += 1
            elif char == closer:  # the end of the text closes the outermost list, whose closer is empty
                self.pos += len(closer)
                self.depth -= 1
                return
            elif not char or char in ")}":
                raise _RefusedError("brackets do not match", min(self.pos, self.end))
            else:
                self._pipeline()

    def _pipeline(self) -> None:
        while True:
            self._blanks()
            assigned = _ASSIGN.match(self.text, self.pos)
            if assigned is not None:
                self._assign(assigned)
                continue
            self._element()
            self._blanks()
            if self.text.startswith(("&&", "||"), self.pos):
                self.pos += 2
            elif self._peek() == "|":
                self.pos += 1
            else:
                break
            self._skip_lines()
        if self._peek() == "&":
            self.pos += 1
        elif self._peek() and self._peek() not in "\n;)}#":
            raise _RefusedError(f"{self._peek()!r} is not expected here", self.pos)

    def _skip_lines(self) -> None:
        while True:
            self._blanks()
            if self._peek() == "#":
                self._take(_COMMENT)
            elif self._peek() == "\n":
                self.pos += 1
            else:
                return

    def _assign(self, found: re.Match[str]) -> None:
        name = found.group(1).strip("{}")
        scope, _, rest = name.rpartition(":")
        if scope.casefold() in {"function", "alias", "variable"}:
            raise _RefusedError("an assignment that gives a name another meaning", self.pos)
        value = Assignment(
            rest.upper() if scope.casefold() == "env" else rest, None, found.start(), found.end()
        )
        self.commands.append(SimpleCommand((), (value,), (), found.start(), found.end()))
        self.pos = found.end()
        self._skip_lines()

    def _element(self) -> None:
        """A command, or an expression whose value goes on."""
        char = self._peek()
        if char in {"&", "."} and self.text[self.pos + 1 : self.pos + 2] in {
            " ",
            "\t",
            "'",
            '"',
            "$",
            "(",
            "{",
        }:
            self._called(char)
            return
        if char in "$'\"(@[!+," or char.isdigit() or char == "-":
            self._expression()
            self._redirections([])
            return
        keyword = _BLOCK.match(self.text, self.pos)
        if keyword is not None:
            self._block(keyword)
            return
        self._command(self.pos)

    def _block(self, keyword: re.Match[str]) -> None:
        """`if (...) {...} else {...}`, `foreach ($x in ...) {...}`, `while (...) {...}`."""
        self.pos = keyword.end()
        if keyword.group(1).casefold() == "foreach":
            loop = _LOOP.match(self.text, self.pos)
            if loop is None:
                raise _RefusedError("this loop is not understood", self.pos)
            self.pos = loop.end()
        self.statements(")")
        self._braces()
        while True:
            before = self.pos
            self._skip_lines()
            another = _ELSE.match(self.text, self.pos)
            if another is None or keyword.group(1).casefold() != "if":
                self.pos = before
                return
            self.pos = another.end()
            if another.group(1) is not None:
                self.statements(")")
            self._braces()

    def _braces(self) -> None:
        self._skip_lines()
        if self._peek() != "{":
            raise _RefusedError("a block is missing here", self.pos)
        self.pos += 1
        self.statements("}")

    def _called(self, operator: str) -> None:
        start = self.pos
        self.pos += 1
        self._blanks()
        if operator == ".":
            raise _RefusedError("dot-sourcing runs the commands of a file", start)
        self._command(start)

    def _expression(self) -> None:
        """Values, properties and operators; anything that could call something is refused."""
        while True:
            self._blanks()
            char = self._peek()
            if not char or char in "\n;)}|&<>#]":
                return
            if self._value(char):
                continue
            if not self._take(_OPERATOR):
                raise _RefusedError(f"{char!r} in an expression", self.pos)

    def _value(self, char: str) -> bool:
        if char == "$" and self.text.startswith("$(", self.pos):
            self.pos += 2
            self.statements(")")
        elif char == "$":
            if not self._take(_VARIABLE):
                raise _RefusedError("a dollar sign that is not understood", self.pos)
        elif char == "'":
            self._single()
        elif char == '"':
            self._double()
        elif char == "(" or self.text.startswith("@(", self.pos):
            self.pos += 1 if char == "(" else 2
            self.statements(")")
        elif char == "{":
            self.pos += 1
            self.statements("}")
        elif char.isdigit():
            if not self._take(_NUMBER):
                raise _RefusedError("a number that is not understood", self.pos)
        else:
            return False
        self._members()
        return True

    def _members(self) -> None:
        """`.Name` and `[0]` after a value; a call of a method is refused."""
        while True:
            if self._take(_PROPERTY):
                if self._peek() == "(":
                    raise _RefusedError("a method call", self.pos)
            elif self._peek() == "[":
                self.pos += 1
                self._expression()
                if self._peek() != "]":
                    raise _RefusedError("an index that is not understood", self.pos)
                self.pos += 1
            elif self.text.startswith("::", self.pos) or self._peek() == "(":
                raise _RefusedError("a method call", self.pos)
            else:
                return

    def _command(self, start: int) -> None:
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            self._blanks()
            char = self._peek()
            if not char or char in "\n;|)}#" or (char == "&" and not self.text.startswith("&>", self.pos)):
                break
            if char == "<":
                raise _RefusedError("PowerShell has no input redirection", self.pos)
            found = _REDIRECTION.match(self.text, self.pos)
            if found is not None:
                self._redirections(redirections)
                continue
            word = self._word(first=not words)
            if not words and not word.quoted and word.text.casefold() in _KEYWORDS:
                raise _RefusedError(f"`{word.text}` is not understood", word.start)
            words.append(word)
        if not words:
            raise _RefusedError("a command is missing here", self.pos)
        self.commands.append(SimpleCommand(tuple(words), (), tuple(redirections), start, self.pos))

    def _redirections(self, redirections: list[Redirection]) -> None:
        alone: list[Redirection] = []
        while True:
            self._blanks()
            start = self.pos
            found = _REDIRECTION.match(self.text, start)
            if found is None:
                break
            self.pos = found.end()
            if found.group(3):
                continue
            self._blanks()
            if self.text[self.pos : self.pos + 5].casefold() == "$null":
                self.pos += 5
                continue
            target = self._word(first=False)
            alone.append(Redirection(found.group(2), found.group(1), target, start, self.pos))
        redirections.extend(alone)
        if alone:
            self.commands.append(SimpleCommand((), (), tuple(alone), alone[0].start, self.pos))

    def _word(self, *, first: bool) -> Word:
        start = self.pos
        parts: list[str] = []
        state = [False, False]  # quoted, dynamic
        while self._word_piece(parts, state, first=first):
            pass
        if self.pos == start:
            raise _RefusedError(f"{self._peek()!r} is not understood", start)
        text = "".join(parts)
        if text == "--%" or "::" in text:
            raise _RefusedError("a part that is not read as PowerShell, or a type's member", start)
        expansions = (Expansion("variable", "", quoted=True),) if state[1] else ()
        glob = text.index("*") if "*" in text and not state[0] else None
        return Word(text, start, self.pos, state[0], glob, expansions=expansions)

    def _word_piece(self, parts: list[str], state: list[bool], *, first: bool) -> bool:
        """One piece of an argument; False at its end."""
        char = self._peek()
        if not char or char in " \t\r\n;|)}<>&" or (char == "#" and not parts):
            return False
        if char == "'":
            state[0] = True
            parts.append(self._single())
        elif char == '"':
            state[0] = True
            text = self._double()
            state[1] = state[1] or UNKNOWN in text
            parts.append(text)
        elif char == "`":
            parts.append(self._escaped(plain=True))
        elif char in "$({" or self.text.startswith("@(", self.pos):
            if first and char in "({":
                raise _RefusedError("the command's name is only known when it runs", self.pos)
            state[1] = True
            self._value(char)
            parts.append(UNKNOWN)
        elif char == "@" or (char == "[" and first):
            raise _RefusedError(f"{char!r} is not understood here", self.pos)
        elif char in ",[]#":
            self.pos += 1
            parts.append(char)
        else:
            parts.append(self._take(_PLAIN))
        return True

    def _escaped(self, *, plain: bool = False) -> str:
        """The character after a backtick; letters have a meaning of their own only inside quotes."""
        if self.pos + 1 >= self.end:
            raise _RefusedError("a backtick at the end", self.pos)
        char = self.text[self.pos + 1]
        if char in "\r\n" or (char == "u" and not plain):
            raise _RefusedError("a backtick that is not understood", self.pos)
        self.pos += 2
        return char if plain else _ESCAPES.get(char, char)

    def _single(self) -> str:
        start = self.pos
        found = re.compile(r"'((?:[^']|'')*+)'").match(self.text, start)
        if found is None:
            raise _RefusedError("a quote is not closed", start)
        self.pos = found.end()
        return found.group(1).replace("''", "'")

    def _double(self) -> str:
        """A string with expansions; its sub-expressions are read as statements."""
        start = self.pos
        self.pos += 1
        parts: list[str] = []
        while self.pos < self.end:
            char = self.text[self.pos]
            if char == '"' and self.text.startswith('""', self.pos):
                parts.append('"')
                self.pos += 2
            elif char == '"':
                self.pos += 1
                return "".join(parts)
            elif char == "`":
                parts.append(self._escaped())
            elif self.text.startswith("$(", self.pos):
                self.pos += 2
                self.statements(")")
                parts.append(UNKNOWN)
            elif char == "$" and self._take(_VARIABLE):
                parts.append(UNKNOWN)
            else:
                parts.append(char)
                self.pos += 1
        raise _RefusedError("a quote is not closed", start)


def scan(text: str) -> Scan:
    """Every command of a text for PowerShell, or a refusal. Never raises."""
    control = _CONTROL.search(text) or _TYPOGRAPHIC.search(text) or re.search("\r(?!\n)|@['\"]", text)
    if control is not None:
        reason = "a character or here-string that PowerShell reads in its own way"
        return Scan((), Refusal(reason, control.start(), control.end()))
    reader = _Reader(text)
    refusal = None
    try:
        reader.statements("")
    except _RefusedError as error:
        refusal = error.refusal
    return Scan(tuple(reader.commands), refusal)
