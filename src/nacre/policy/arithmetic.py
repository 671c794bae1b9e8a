"""Arithmetic of POSIX shells: numbers, names and operators, and nothing that could be anything else.

Above: `words` reads `$((...))` and `${x:1:2}` with it, `posix` reads `((...))`. Below: `model` and
`refusal`. An expression evaluates the values of the variables it names: a value such as `a[$(cmd)]` runs
a command. So every name and every expansion in an expression is written down (`Evaluated`), and `values`
proves that it is a number. What an expression assigns is an assignment like any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from nacre.policy.model import UNKNOWN, Assignment, Evaluated, Expansion, SimpleCommand, Word
from nacre.policy.patterns import regex
from nacre.policy.pieces import Pieces
from nacre.policy.refusal import NotUnderstood

if TYPE_CHECKING:
    from nacre.policy.grammar import Grammar

_TOKEN = regex(
    r"(?P<blank>[ \t]+)"
    r"|(?P<number>(?:0[xX][0-9A-Fa-f]{1,15}|[0-9]{1,18})(?![0-9A-Za-z_#.]))"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<assign>(?:\*\*|<<|>>|[-+*/%&|^])=|=(?!=))"
    r"|(?P<step>\+\+|--)"
    r"|(?P<parenthesis>[()])"
    r"|(?P<operator>\*\*|&&|\|\||[=!<>]=|<<(?=[ 0-9])|>>|[-+*/%&|^<>!~?:,])"
)
_OPERANDS_END = frozenset({"name", "number", "value", ")"})
_OPERANDS_BEGIN = frozenset({"name", "number", "value"})
_SURE_OPERATORS = frozenset("+-*()")
_SURE_NUMBER = regex(r"(?:0|[1-9][0-9]*)\Z")
_LENGTH = regex(r"\$(?:\{#[A-Za-z_][A-Za-z0-9_]*\}|#)\Z")
_UNARY = frozenset("+-!~")
_PLAIN = "write numbers, names of variables that hold numbers, and operators; nothing else"


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


class ArithmeticScanner:
    """Reads an expression at `pos`; `dollar` is supplied by the scanner for words."""

    text: str
    pos: int
    end: int
    commands: list[SimpleCommand]
    evaluated: list[Evaluated]
    expanded_at: int | None
    grammar: Grammar

    def dollar(self, pieces: Pieces, *, quoted: bool, heredoc: bool = False) -> None:
        """Whatever a `$` begins here (the part of the scanner for words)."""
        raise NotImplementedError

    def spend(self, at: int, amount: int = 1) -> None:
        """Count what was read (the same)."""
        raise NotImplementedError

    def note_abort(self) -> None:
        """Here the shell may give up the line and go on with the next one (the grammar's part)."""
        raise NotImplementedError

    def parenthesised(self, opened_at: int, *, semicolons: bool = False) -> list[tuple[str, int]]:
        """An expression up to its `))`; the names that it assigns first of all, and since where."""
        self.note_abort()  # a division by nothing, 08
        first = [(name, self.pos) for name in self._expression(opened_at, ("))",))]
        if semicolons:
            for _ in range(2):
                if not self.text.startswith(";", self.pos):
                    raise NotUnderstood(
                        "a loop's `((...))` without its two semicolons", opened_at, hint=_PLAIN
                    )
                self.pos += 1
                self._expression(opened_at, ("))",))
        if not self.text.startswith("))", self.pos) or self.pos + 1 >= self.end:
            raise NotUnderstood("an arithmetic expression is not closed", opened_at, hint=_PLAIN)
        self.pos += 2
        return first

    def offset(self, opened_at: int) -> None:
        """The numbers of `${x:offset:length}`."""
        self._expression(opened_at, (":", "}"))
        if self.text.startswith(":", self.pos):
            self.pos += 1
            self._expression(opened_at, ("}",))

    def subscript(self, opened_at: int) -> None:
        """The number in `${x[...]}`."""
        self._expression(opened_at, ("]",))

    def evaluate(self, expansion: Expansion, start: int, end: int) -> None:
        """Write down that a value is evaluated as an expression."""
        word = Word(UNKNOWN, start, end, quoted=True, expansions=(expansion,))
        at = start if self.expanded_at is None else self.expanded_at
        self.evaluated.append(Evaluated(word, at))

    def _expression(self, opened_at: int, closers: tuple[str, ...]) -> list[str]:
        """Tokens up to a closer or a semicolon; the names that are assigned at the very beginning."""
        tokens: list[_Token] = []
        opened = 0
        while self.pos < self.end:
            if not opened and self.text.startswith((";", *closers), self.pos):
                return self._interpret(tokens)
            token = self._token(tokens[-1].kind if tokens else "")
            opened += (token.kind == "(") - (token.kind == ")")
            if opened < 0:
                raise NotUnderstood("a parenthesis too many in arithmetic", token.start, hint=_PLAIN)
            if token.kind != "blank":
                tokens.append(token)
        raise NotUnderstood("an arithmetic expression is not closed", opened_at, hint=_PLAIN)

    def _token(self, previous: str) -> _Token:
        """The next token; two values side by side would become one when the text is put together."""
        start = self.pos
        self.spend(start)
        char = self.text[start]
        found = _TOKEN.match(self.text, start, self.end)
        kind = "value" if char == "$" else (found.lastgroup or "") if found is not None else ""
        if not kind or (char == "*" and self.text.startswith("**", start) and self.grammar.name != "bash"):
            # Elsewhere a power may be a fraction, or `-inf`, which is no number to a program.
            raise NotUnderstood(f"{char!r} in an arithmetic expression", start, hint=_PLAIN)
        if previous in _OPERANDS_END and (kind in _OPERANDS_BEGIN or char == "("):
            raise NotUnderstood(
                "values side by side in arithmetic", start, hint="put an operator between them"
            )
        if found is not None:
            self.pos = found.end()
        else:
            self._value()
        return _Token(kind if kind != "parenthesis" else char, self.text[start : self.pos], start)

    def _interpret(self, tokens: list[_Token]) -> list[str]:
        """Write down every name that is read, and every name that is assigned."""
        _check_order(tokens)
        first: list[str] = []
        for index, token in enumerate(tokens):
            if token.kind != "name":
                continue
            if self.grammar.name == "ksh" and token.text.casefold() in {"inf", "nan"}:
                raise NotUnderstood(f"to ksh `{token.text}` is a number", token.start, hint=_PLAIN)
            before = tokens[index - 1].kind if index else ""
            after = tokens[index + 1] if index + 1 < len(tokens) else _Token("", "", 0)
            assigned = after.kind == "assign" or "step" in {before, after.kind}
            if assigned:
                self._assigned(token)
            if after.text == "=":
                first += [token.text] if not index and _cannot_fail(tokens[2:]) else []
            else:
                end = token.start + len(token.text)
                self.evaluate(Expansion("variable", token.text, quoted=True), token.start, end)
        return first

    def _assigned(self, token: _Token) -> None:
        end = token.start + len(token.text)
        number = Expansion("arithmetic", "", quoted=True, shape="number")
        value = Word(UNKNOWN, token.start, end, quoted=True, expansions=(number,))
        item = Assignment(token.text, value, token.start, end)
        self.commands.append(SimpleCommand((), (item,), (), token.start, end, expanded_at=self.expanded_at))

    def _value(self) -> None:
        start = self.pos
        pieces = Pieces()
        self.dollar(pieces, quoted=True)
        for expansion in pieces.expansions:
            self.evaluate(expansion, start, self.pos)
        if not pieces.expansions:
            raise NotUnderstood("a dollar sign in an arithmetic expression", start, hint=_PLAIN)


def _cannot_fail(tokens: list[_Token]) -> bool:
    """Whether an expression surely has a value: 08 is no number, 1/0 is none, a name may hold such."""
    return all(
        token.text in _SURE_OPERATORS
        or (token.kind == "number" and _SURE_NUMBER.match(token.text))
        or (token.kind == "value" and _LENGTH.match(token.text))
        for token in tokens
    )


def _check_order(tokens: list[_Token]) -> None:
    """An expression that is none fails when it runs, and assigns nothing."""
    wanted = True  # an operand
    for token in tokens:
        if wanted:
            prefix = token.kind in {"(", "step"} or token.text in _UNARY
            if not prefix and token.kind not in _OPERANDS_BEGIN:
                raise NotUnderstood("a value is missing in arithmetic", token.start, hint=_PLAIN)
            wanted = prefix
        elif token.kind not in {")", "step"}:
            wanted = True
    if tokens and wanted:
        raise NotUnderstood("a value is missing in arithmetic", tokens[-1].start, hint=_PLAIN)
