"""A small, strict reader for PowerShell: commands, pipelines, strings, script blocks and plain expressions.

Above: `evaluation`. Below: `model` and `refusal`. PowerShell is a large language; what is not read here with
certainty (method calls, types, most keywords and operators, stop-parsing, comments in the middle of a line,
values glued to other text) is refused. Names keep their spelling; aliases are not this module's
business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.policy import powershell_tokens as tokens
from nacre.policy.model import (
    BLOCK,
    LOOKED_AT,
    UNKNOWN,
    Assignment,
    Expansion,
    Redirection,
    Refusal,
    Scan,
    SimpleCommand,
    Word,
)
from nacre.policy.patterns import ON_ANOTHER_MACHINE
from nacre.policy.refusal import PLAINER, NotUnderstood

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 30
MAX_TEXT = 100_000
_MAX_COMMANDS = 1_000
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_QUOTES = "put the text into single quotes"
_TABLE = "write @{ name = 'value'; other = 1 }"
_FOREACH = "write foreach ($x in ...) { ... }"


@dataclass(slots=True)
class _WordState:
    """What is known about a word while it is read: whether it has quotes, and values outside of them."""

    quoted: bool = False
    listed: bool = False


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = len(text)
        self.pos = 0
        self.depth = 0
        self.commands: list[SimpleCommand] = []
        # Whether there is anything but comments.
        self.says_something = False

    def _peek(self) -> str:
        return self.text[self.pos] if self.pos < self.end else ""

    def _blanks(self) -> None:
        found = tokens.BLANK.match(self.text, self.pos)
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
            raise NotUnderstood("too many levels of nesting", self.pos, hint="run it as several commands")
        while True:
            self._blanks()
            char = self._peek()
            if char == "#":
                self._comment()
            elif char and char in "\n;":
                self.pos += 1
            elif char == closer:  # the end of the text closes the outermost list, whose closer is empty
                self.pos += len(closer)
                self.depth -= 1
                return
            elif not char or char in ")}":
                raise NotUnderstood(
                    "brackets do not match", min(self.pos, self.end), hint="close every bracket"
                )
            else:
                self._pipeline()

    def _comment(self) -> None:
        if not self._take(tokens.COMMENT):
            raise NotUnderstood("`#requires` is no comment", self.pos, hint="leave it out")

    def _pipeline(self) -> None:
        head = True
        while True:
            self._blanks()
            assigned = tokens.ASSIGN.match(self.text, self.pos)
            if assigned is not None:
                self._assign(assigned)
                continue
            self._element(head=head)
            head = False
            self._blanks()
            if self.text.startswith(("&&", "||"), self.pos):
                self.pos += 2
            elif self._peek() == "|":
                self.pos += 1
                self._check_piped()
            else:
                break
            self._skip_lines()
            if not self._peek() or self._peek() in ";)}|":
                raise NotUnderstood("no command after the operator", min(self.pos, self.end))
        if self._peek() and self._peek() not in "\n;)}#":
            raise NotUnderstood(f"{self._peek()!r} is not expected here", self.pos, hint=_QUOTES)

    def _check_piped(self) -> None:
        """What a command gets is looked for right before it."""
        if tokens.BEHIND_PIPE.match(self.text, self.pos):
            raise NotUnderstood("a comment behind a pipe", self.pos, hint="leave the comment out")

    def _skip_lines(self) -> None:
        while True:
            self._blanks()
            if self._peek() == "#":
                self._comment()
            elif self._peek() == "\n":
                self.pos += 1
            else:
                return

    def _assign(self, found: re.Match[str]) -> None:
        name = found.group(1).strip("{}")
        scope, colon, rest = name.rpartition(":")
        if colon:
            self._check_scope(scope)
        exported = scope.casefold() == "env"
        self._check_variable(rest if not exported else "")
        name = rest.upper() if exported else rest
        given = self._plain_value(found) if exported else None
        value = Assignment(name, given, found.start(), found.end(), exported=exported)
        self.commands.append(SimpleCommand((), (value,), (), found.start(), found.end()))
        self.pos = found.end()
        self._skip_lines()

    def _plain_value(self, found: re.Match[str]) -> Word | None:
        """The value of `$env:NODE_ENV = 'test'`, if it is a text or a number that is written out."""
        given = tokens.PLAIN_VALUE.match(self.text, found.end())
        if given is None or not tokens.SETS.search(found[0]):
            return None
        start, end = given.span("text")
        return Word(given["text"], start, end, quoted=True)

    def _check_scope(self, scope: str) -> None:
        """Before a colon stands a scope or a drive: `$temp:x` is a file, `$function:ls` what a name means."""
        if scope.casefold() not in tokens.SCOPES:
            reason, hint = "a variable on a drive: a file, or what a name means", "use a plain variable"
            raise NotUnderstood(reason, self.pos, hint=hint)

    def _take_variable(self) -> bool:
        start = self.pos
        found = self._take(tokens.VARIABLE)
        if ":" in found:
            self.pos = start
            self._check_scope(found.strip("${}").rpartition(":")[0])
            self.pos = start + len(found)
        return bool(found)

    def _check_variable(self, name: str) -> None:
        if tokens.OWN_VARIABLE.match(name):
            hint = "give the variable another name"
            raise NotUnderstood(f"${name} changes what commands are given", self.pos, hint=hint)

    def _element(self, *, head: bool) -> None:
        """A command, or an expression whose value goes on; `head`: nothing stands before it."""
        self.says_something = True
        char, following = self._peek(), self.text[self.pos + 1 : self.pos + 2]
        if char == "&" and following in {" ", "\t", "'", '"'}:
            self._called()
            return
        if char == "." and following not in {"/", "\\", "."}:
            reason = "dot-sourcing runs the commands of a file"
            raise NotUnderstood(reason, self.pos, hint="run the commands themselves")
        if char in "$'\"(@[!+," or char.isdigit() or char == "-":
            self._expression()
            self._redirections([])
            return
        keyword = tokens.BLOCK.match(self.text, self.pos)
        if keyword is not None and head:
            self._block(keyword)
            return
        if head and self._take(tokens.TRY):
            self._try()
            return
        if not (head and self._take(tokens.ENDS)):
            self._command(self.pos)

    def _block(self, keyword: re.Match[str]) -> None:
        """`if (...) {...} else {...}`, `foreach ($x in ...) {...}`, `while (...) {...}`."""
        self.pos = keyword.end()
        if keyword.group(1).casefold() == "foreach":
            loop = tokens.LOOP.match(self.text, self.pos)
            if loop is None:
                raise NotUnderstood("this loop is not understood", self.pos, hint=_FOREACH)
            self._check_variable(loop.group(1))
            self.pos = loop.end()
        self.statements(")")
        self._braces()
        while True:
            before = self.pos
            self._skip_lines()
            another = tokens.ELSE.match(self.text, self.pos)
            if another is None or keyword.group(1).casefold() != "if":
                self.pos = before
                return
            self.pos = another.end()
            if another.group(1) is not None:
                self.statements(")")
            self._braces()

    def _try(self) -> None:
        """`try {...} catch {...} finally {...}`: all of them may run."""
        self._braces()
        while True:
            before = self.pos
            self._skip_lines()
            if not self._take(tokens.CATCH):
                self.pos = before
                return
            self._braces()

    def _braces(self) -> None:
        self._skip_lines()
        if self._peek() != "{":
            raise NotUnderstood("a block is missing here", self.pos, hint="write { ... }")
        self.pos += 1
        self.statements("}")

    def _called(self) -> None:
        start = self.pos
        self.pos += 1
        self._blanks()
        self._command(start)

    def _expression(self) -> None:
        """Values, properties and operators; anything that could call something is refused."""
        texts = False  # whether only texts may follow
        while True:
            self._blanks()
            char = self._peek()
            if not char or char in "\n;)}|&<>#]":
                return
            if texts and char not in "'\"{,-0123456789":
                reason = "-replace and -split run a block, which this value can be"
                raise NotUnderstood(reason, self.pos, hint='put it into double quotes: "$x"')
            if self._value(char):
                continue
            operator = self._take(tokens.OPERATOR)
            if not operator:
                raise NotUnderstood(f"{char!r} in an expression", self.pos, hint=_QUOTES)
            texts = (texts and operator == ",") or tokens.RUNS_BLOCKS.match(operator) is not None

    def _value(self, char: str) -> bool:
        bracket = tokens.BRACKET.match(self.text, self.pos)
        if bracket is not None:
            self._bracketed(bracket)
        elif char == "$":
            counted = tokens.COUNTED.match(self.text, self.pos)
            if counted is not None:
                self._check_variable(counted.group(1))
                self.pos = counted.end()
            elif not self._take_variable():
                raise NotUnderstood("a dollar sign that is not understood", self.pos, hint=_QUOTES)
        elif char == "'":
            self._look_at(self._single())
        elif char == '"':
            self._look_at(self._double())
        elif self.text.startswith(("@'", '@"'), self.pos):
            self._look_at(self._here_string())
        elif char.isdigit():
            if not self._take(tokens.NUMBER):
                raise NotUnderstood("a number that is not understood", self.pos, hint="put it into quotes")
        else:
            return False
        self._members()
        return True

    def _bracketed(self, bracket: re.Match[str]) -> None:
        if bracket.group() == "@{":  # `@{ name = 'x'; age = 3 }`
            self._pairs(self._expression)
            return
        self.pos = bracket.end()
        self.statements("}" if bracket.group() == "{" else ")")

    def _calculated(self) -> None:
        """`@{ n = 'KB'; e = { $_.Length / 1KB } }`: a value from elsewhere could hold a block of commands."""
        self._pairs(self._text_or_block)

    def _text_or_block(self) -> None:
        if self._peek() in {"'", '"', "{"} or tokens.TRUTH.match(self.text, self.pos):
            self._value(self._peek())
            self._blanks()

    def _pairs(self, read_value: Callable[[], None]) -> None:
        """Names that are written out, and values."""
        self.pos += len("@{")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise NotUnderstood("too many levels of nesting", self.pos, hint=PLAINER)
        while True:
            self._skip_lines()
            if self._peek() == "}":
                break
            if not self._take(tokens.KEY):
                raise NotUnderstood("a hash table that is not understood", self.pos, hint=_TABLE)
            self._blanks()
            start = self.pos
            read_value()
            if self.pos == start or self._peek() not in {";", "\n", "}"}:
                raise NotUnderstood("a hash table that is not understood", self.pos, hint=_TABLE)
            if self._peek() == ";":
                self.pos += 1
        self.pos += 1
        self.depth -= 1

    def _look_at(self, text: str) -> None:
        r"""`'\\host\x' | Get-Content`: a text that names a file on another machine, for some command."""
        if ON_ANOTHER_MACHINE.search(text):
            target = Word(text.replace(UNKNOWN, "x"), self.pos, self.pos, quoted=True)
            looked_at = Redirection(LOOKED_AT, "", target, self.pos, self.pos)
            self.commands.append(SimpleCommand((), (), (looked_at,), self.pos, self.pos))

    def _members(self) -> None:
        """`.Name` and `[0]` after a value; a call of a method is refused."""
        while True:
            if self._take(tokens.PROPERTY):
                if self._peek() in {"(", "{"}:  # `$file.CopyTo{x}` calls it with a block
                    raise NotUnderstood("a method call", self.pos, hint="use a cmdlet or a program instead")
            elif self._peek() == "[":
                self.pos += 1
                self._expression()
                if self._peek() != "]":
                    raise NotUnderstood(
                        "an index that is not understood", self.pos, hint="use a plain number"
                    )
                self.pos += 1
            elif self.text.startswith("::", self.pos) or self._peek() == "(":
                raise NotUnderstood("a method call", self.pos, hint="use a cmdlet or a program instead")
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
            if char == ",":
                # The elements of a list: to a program, one argument each.
                self.pos += 1
                self._skip_lines()
                continue
            if char == "<":
                raise NotUnderstood(
                    "PowerShell has no input redirection", self.pos, hint="use Get-Content and a pipe"
                )
            found = tokens.REDIRECTION.match(self.text, self.pos)
            if found is not None:
                self._redirections(redirections)
                continue
            word = self._word(first=not words, program=words[0].text if words else "")
            if not words and not word.quoted and word.text.casefold() in tokens.KEYWORDS:
                hint = _FOREACH if word.text.casefold() == "for" else PLAINER
                raise NotUnderstood(f"`{word.text}` is not understood", word.start, hint=hint)
            words.append(word)
        if not words:
            raise NotUnderstood("a command is missing here", self.pos)
        if len(self.commands) > _MAX_COMMANDS:
            raise NotUnderstood(f"more than {_MAX_COMMANDS} commands", start, hint="run it as several calls")
        self.commands.append(SimpleCommand(tuple(words), (), tuple(redirections), start, self.pos))

    def _redirections(self, redirections: list[Redirection]) -> None:
        alone: list[Redirection] = []
        while True:
            self._blanks()
            start = self.pos
            found = tokens.REDIRECTION.match(self.text, start)
            if found is None:
                break
            if start and self.text[start - 1] not in " \t\n":
                reason = "PowerShell may take this for a part of what stands before it"
                raise NotUnderstood(reason, start, hint="put a blank before it")
            self.pos = found.end()
            if found.group(3):
                if not self._at_word_end():
                    raise NotUnderstood(
                        "something follows a redirection", self.pos, hint="put a blank after it"
                    )
                continue
            self._blanks()
            if self._take(tokens.NOTHING):
                continue
            target = self._word(first=False)
            if self._peek() == ",":
                raise NotUnderstood("a list of files to write", self.pos, hint=_QUOTES)
            alone.append(Redirection(found.group(2), found.group(1), target, start, self.pos))
        redirections.extend(alone)
        if alone:
            self.commands.append(SimpleCommand((), (), tuple(alone), alone[0].start, self.pos))

    def _word(self, *, first: bool, program: str = "") -> Word:
        start = self.pos
        parts: list[str] = []
        state = _WordState()
        while self._word_piece(parts, state, first=first):
            if self.text.startswith(("'", '"', "@'", '@"'), start) and not self._at_word_end():
                reason = "PowerShell begins another argument behind a quoted text, or asks for a part of it"
                raise NotUnderstood(reason, self.pos, hint="put all of it into one pair of quotes")
        if self.pos == start:
            raise NotUnderstood(f"{self._peek()!r} is not understood", start, hint=_QUOTES)
        if tokens.BROKEN_PARAMETER.match(self.text, start, self.pos):
            raise NotUnderstood("PowerShell makes two arguments of this", start, self.pos, hint=_QUOTES)
        text = "".join(parts)
        if text == "--%" or ("::" in text and program.casefold() not in tokens.TAKE_TEXTS):
            raise NotUnderstood("a part that is not read as PowerShell, or a type's member", start)
        # A value outside of quotes may be a list, which becomes several arguments.
        alone = text.count(UNKNOWN) == 1 and tokens.BLOCK_ALONE.match(self.text, start, self.pos)
        name = BLOCK if alone else ""
        piece = Expansion("variable", name, quoted=not state.listed)
        # Elsewhere than on Windows, what does not begin with a quote is a pattern for programs: `a'*'`, too.
        found = None if self.text[start] in "'\"@" else tokens.ACTIVE.search(text)
        glob = found.start() if found is not None and not (first and found.group() != "*") else None
        return Word(text, start, self.pos, state.quoted, glob, expansions=(piece,) * text.count(UNKNOWN))

    def _at_word_end(self) -> bool:
        return not self._peek() or self._peek() in " \t\r\n;|)}<>&,"

    def _word_piece(self, parts: list[str], state: _WordState, *, first: bool) -> bool:
        """One piece of an argument; False at its end."""
        char = self._peek()
        if self._at_word_end() or (char == "#" and not parts):
            return False
        if char == "'":
            state.quoted = True
            parts.append(self._single())
        elif char == '"':
            state.quoted = True
            parts.append(self._double())
        elif self.text.startswith(("@'", '@"'), self.pos):
            state.quoted = True
            parts.append(self._here_string())
        elif char == "`" and not (parts and tokens.PARAMETER.match(parts[0])):
            parts.append(self._escaped(plain=True))
        elif char in "$({" or self.text.startswith(("@(", "@{"), self.pos):
            if first and (char in "({" or self.text.startswith("@{", self.pos)):
                hint = "put a blank before the block" if parts else "write the command's name"
                raise NotUnderstood("the command's name is only known when it runs", self.pos, hint=hint)
            state.listed = True
            self._put_in(parts)
        elif char in "@`" or (char == "[" and first):
            raise NotUnderstood(f"{char!r} is not understood here", self.pos, hint=_QUOTES)
        elif char in "[]#":
            self.pos += 1
            parts.append(char)
        else:
            parts.append(self._take(tokens.PLAIN))
        return True

    def _put_in(self, parts: list[str]) -> None:
        """A value alone, behind `-Name:`, or before a path; a variable or `$(...)` inside of other text."""
        text, start = "".join(parts), self.pos
        if text and not tokens.BEFORE_VALUE.match(text):
            if self._peek() != "$" or (tokens.PARAMETER.match(text) and self.text.startswith("$(", start)):
                raise NotUnderstood("PowerShell begins another argument here", start, hint=_QUOTES)
            parts.append(self._expanded_piece())
            return
        if self.text.startswith("@{", start):
            self._calculated()
        else:
            self._value(self._peek())
        parts.append(UNKNOWN)
        before_path = self._peek() in {"/", "\\"} and tokens.VARIABLE.fullmatch(self.text, start, self.pos)
        if not before_path and not self._at_word_end():
            raise NotUnderstood("PowerShell begins another argument here", self.pos, hint=_QUOTES)

    def _escaped(self, *, plain: bool = False) -> str:
        """The character after a backtick, as far as all versions agree about it."""
        if self.pos + 1 >= self.end:
            raise NotUnderstood("a backtick at the end", self.pos, hint="leave it out")
        char = self.text[self.pos + 1]
        if char in "\r\n" or (char.isalnum() and (plain or char not in _ESCAPES)):
            raise NotUnderstood(
                "a backtick that is not understood", self.pos, hint="put the text into single quotes"
            )
        self.pos += 2
        return _ESCAPES.get(char, char)

    def _single(self) -> str:
        start = self.pos
        found = re.compile(r"'((?:[^']|'')*+)'").match(self.text, start)
        if found is None:
            raise NotUnderstood("a quote is not closed", start, hint="close it")
        self.pos = found.end()
        return found.group(1).replace("''", "'")

    def _double(self) -> str:
        """A string with expansions; its sub-expressions are read as statements."""
        start = self.pos
        self.pos += 1
        parts: list[str] = []
        while self.pos < self.end:
            if self.text.startswith('""', self.pos):
                parts.append('"')
                self.pos += 2
            elif self.text[self.pos] == '"':
                self.pos += 1
                return "".join(parts)
            else:
                parts.append(self._expanded_piece())
        raise NotUnderstood("a quote is not closed", start, hint='close it; inside, write `" for one')

    def _expanded_piece(self) -> str:
        """One piece of a text in which variables and sub-expressions are put in."""
        char = self.text[self.pos]
        if char == "`":
            return self._escaped()
        if self.text.startswith("$(", self.pos):
            self.pos += 2
            self.statements(")")
            return UNKNOWN
        if char == "$" and self._take_variable():
            return UNKNOWN
        if char == "$" and not tokens.NO_VARIABLE.match(self.text, self.pos):
            raise NotUnderstood("a dollar sign that is not understood", self.pos, hint=_QUOTES)
        plain = self._take(tokens.STRING_PLAIN)
        if not plain:
            self.pos += 1
        return plain or char

    def _here_string(self) -> str:
        """`@'`, lines, and `'@` at the beginning of a line; with double quotes, values are put in."""
        start = self.pos
        quote = self.text[start + 1]
        opening = tokens.HERE_OPENING.match(self.text, start + 2)
        if opening is None:
            raise NotUnderstood(
                "text after the opening of a here-string", start, hint="begin its text on the next line"
            )
        self.pos = opening.end() - 1  # the line's end also ends an empty one
        parts: list[str] = []
        while self.pos < self.end:
            if self.text.startswith(f"\n{quote}@", self.pos):
                self.pos += 3
                return "".join(parts)
            if quote == '"' and self.text[self.pos] != "\n":
                parts.append(self._expanded_piece())
            else:
                closing = self.text.find("\n", self.pos + 1)
                stop = self.pos + 1 if quote == '"' else closing if closing >= 0 else self.end
                parts.append(self.text[self.pos : stop])
                self.pos = stop
        raise NotUnderstood(
            "a here-string is not closed", start, hint=f"end it with {quote}@ on a line of its own"
        )


def scan(text: str) -> Scan:
    """Every command of a text for PowerShell, or a refusal. Never raises."""
    if len(text) > MAX_TEXT:
        reason = f"the command is longer than {MAX_TEXT} characters"
        return Scan((), Refusal(reason, 0, len(text), "give large data as `stdin`, or write it to a file"))
    control = tokens.CONTROL.search(text) or tokens.TYPOGRAPHIC.search(text) or re.search("\r(?!\n)", text)
    if control is not None:
        reason = "a character that PowerShell reads in its own way"
        return Scan(
            (), Refusal(reason, control.start(), control.end(), "write plain quotes, dashes and spaces")
        )
    reader = _Reader(text)
    refusal = None
    try:
        reader.statements("")
    except NotUnderstood as error:
        refusal = error.refusal
    if not reader.commands and reader.says_something:
        # A value that is shown.
        reader.commands.append(SimpleCommand((), (), (), 0, len(text)))
    return Scan(tuple(reader.commands), refusal)
