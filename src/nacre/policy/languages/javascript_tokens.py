"""The words of a JavaScript text: names, numbers, strings, regular expressions, templates, operators.

Above: `javascript_values` and `javascript` read what they mean. Below: nothing. Whether a slash divides or
begins a regular expression, in which quotes mean nothing, is known from what stands before it. Where it is
not, the text is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from nacre.policy.model import names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

# template: its texts are left out, what is filled in is in `parts`.
Kind = Literal["name", "number", "string", "regex", "template", "sign", "end"]


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text, and whether it is the first of its line."""

    kind: Kind
    text: str
    begins_line: bool = False
    parts: tuple[tuple[Token, ...], ...] = ()


class NotPlainError(Exception):
    """The text is not made of known pieces."""


# A file that is read, by a name without escapes.
_FILE = regex(r"[^'\"\\\n]+\Z")
_BLANKS = regex(r"(?:[ \t\n]+|//[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)+")
_NAME = regex(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = regex(r"(?>0[xX][0-9a-fA-F]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)n?(?![0-9A-Za-z_$.])")
_STRING = regex(r"""'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*\"""")
_REGEX = regex(r"/(?![*/])(?:[^/\\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+/[a-z]*")
_SIGN = regex(
    r"=>|\.\.\.|\?\.(?![0-9])|\?\?|===?|!==?|\*\*|\+\+|&&|\|\||\+=|--|[<>]=|[.,;:?(){}\[\]+*/%<>!&|~^=-]"
)
_TEXT_OF_TEMPLATE = regex(r"(?:[^`\\$]|\\[^\n]|\$(?!\{))*")
# What no list of types has between its words.
_NO_TYPES = frozenset({"&&", "||", "??", "+", "==", "===", "!=", "!==", "<=", ">=", ";"})
# Templates within templates.
_DEEPEST = 10
# Before what begins in `(`: its end is no value, so that a slash behind it would not divide.
_HEADS = names("if for while with")
# Words before a value.
_BEFORE_VALUE = names("return of in typeof else do case new delete void throw instanceof")


def tokens_of(code: str) -> tuple[Token, ...]:
    """The words of a text, with an empty one at the end."""
    # Ends of lines that end a comment, too.
    if any(sign in code for sign in "\r\u2028\u2029"):
        raise NotPlainError
    lexer = _Lexer(code)
    return _with_end(lexer.read(""))


def _with_end(found: list[Token]) -> tuple[Token, ...]:
    """The words, and the empty one; not `f<a>(b)`, which is a call where types are taken out first."""
    tokens = (*found, Token("end", ""))
    compares = [False]  # in each pair of brackets, whether `<` can begin a list of types
    for at, token in enumerate(tokens):
        if token.kind != "sign":
            continue
        if token.text in {"(", "[", "{"}:
            compares.append(False)
        elif token.text in {")", "]", "}"}:
            compares.pop()
        elif token.text == "<":
            compares[-1] = True
        elif token.text in _NO_TYPES:
            compares[-1] = False
        elif token.text == ">" and compares[-1]:
            behind = tokens[at + 1]
            if behind.kind not in {"name", "number", "string"} or behind.begins_line:
                raise NotPlainError
            compares[-1] = False
    return tokens


class _Lexer:
    def __init__(self, code: str) -> None:
        self.code = code
        self.at = 0
        self.depth = 0

    def read(self, closing: str) -> list[Token]:
        """The words up to the end, or to the brace that ends what is filled into a template."""
        found: list[Token] = []
        open_at: list[tuple[str, bool]] = []  # brackets, and whether one is the head of a loop or a condition
        head_ended = False
        while True:
            begins_line = self._blanks()
            if self.at >= len(self.code):
                if closing:
                    raise NotPlainError
                return found
            if closing and not open_at and self.code[self.at] == closing:
                self.at += 1
                return found
            token = self._token(found, begins_line=begins_line, head_ended=head_ended)
            head_ended = False
            if token.kind == "sign" and token.text in {"(", "[", "{"}:
                is_head = bool(found) and found[-1].kind == "name" and found[-1].text in _HEADS
                open_at.append((token.text, is_head))
            elif token.kind == "sign" and token.text in {")", "]", "}"}:
                opened, is_head = open_at.pop() if open_at else ("", False)
                if opened + token.text not in {"()", "[]", "{}"}:
                    raise NotPlainError
                head_ended = is_head
            found.append(token)

    def _blanks(self) -> bool:
        found = _BLANKS.match(self.code, self.at)
        if found is None:
            return self.at == 0
        self.at = found.end()
        return "\n" in found.group()

    def _token(self, before: list[Token], *, begins_line: bool, head_ended: bool) -> Token:
        sign = self.code[self.at]
        divides = sign == "/" and _is_value(before)
        if sign == "/" and (head_ended or _ends_block(before)):
            raise NotPlainError
        if sign == "`":
            return self._template(before, begins_line=begins_line)
        for kind, pattern in _PATTERNS:
            found = pattern.match(self.code, self.at)
            if found is not None and not (kind == "regex" and divides):
                self.at = found.end()
                return Token(kind, found.group(), begins_line)
        raise NotPlainError

    def _template(self, before: list[Token], *, begins_line: bool) -> Token:
        if _is_value(before) or _ends_block(before):
            raise NotPlainError  # it would call what stands before it
        parts: list[tuple[Token, ...]] = []
        self.at += 1
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotPlainError
        while True:
            found = _TEXT_OF_TEMPLATE.match(self.code, self.at)
            self.at = found.end() if found is not None else self.at
            if self.code.startswith("`", self.at):
                self.at += 1
                self.depth -= 1
                return Token("template", "", begins_line, tuple(parts))
            if not self.code.startswith("${", self.at):
                raise NotPlainError
            self.at += 2
            parts.append(_with_end(self.read("}")))


_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("name", _NAME),
    ("number", _NUMBER),
    ("string", _STRING),
    ("regex", _REGEX),
    ("sign", _SIGN),
)


def _is_value(before: list[Token]) -> bool:
    """Whether what stands before is a value: then a slash divides it, and a template is given to it."""
    if not before:
        return False
    last = before[-1]
    if last.kind == "sign":
        return last.text in {")", "]", "++", "--"}
    is_member = len(before) > 1 and before[-2].text in {".", "?."}
    return last.kind != "name" or is_member or last.text not in _BEFORE_VALUE


def _ends_block(before: list[Token]) -> bool:
    """Whether a value or a block has ended: only the parser of the language would know which."""
    return bool(before) and before[-1].kind == "sign" and before[-1].text == "}"


class Reader:
    """The words of a text, one after the other."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, ahead: int = 0) -> Token:
        """The next word, or one behind it; at the end an empty one."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        """The next word, which is read then."""
        token = self.peek()
        self.at += 1
        return token

    def sees(self, *texts: str) -> bool:
        """Whether these signs or words follow."""
        return all(
            self.peek(ahead).text == text and self.peek(ahead).kind in {"sign", "name"}
            for ahead, text in enumerate(texts)
        )

    def takes(self, *texts: str) -> bool:
        """The same, and they are read then."""
        if not self.sees(*texts):
            return False
        self.at += len(texts)
        return True

    def expect(self, text: str) -> None:
        """What must follow."""
        if not self.takes(text):
            raise NotPlainError

    def string(self) -> str:
        """A text that is written out, without escapes."""
        token = self.take()
        text = token.text[1:-1]
        if token.kind != "string" or not _FILE.match(text):
            raise NotPlainError
        return text

    def behind(self, index: int) -> int:
        """Where a word or a pair of brackets ends."""
        depth = 0
        while index < len(self.tokens) - 1:
            token = self.tokens[index]
            if token.kind == "sign":
                depth += (token.text in {"(", "[", "{"}) - (token.text in {")", "]", "}"})
            index += 1
            if depth == 0:
                return index
        raise NotPlainError

    def end_of_statement(self) -> None:
        """A semicolon, or the end of a line, where one would be put in."""
        token = self.peek()
        if not (self.takes(";") or token.kind == "end" or self.sees("}") or token.begins_line):
            raise NotPlainError
