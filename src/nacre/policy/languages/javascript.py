"""JavaScript: short texts that only read files, compute, print and write files whose names are written out.

Above: `interpreters` asks about `node -e`. Below: `javascript_values` knows what their expressions are.
"""

from __future__ import annotations

from nacre.policy.languages.javascript_names import MODULES
from nacre.policy.languages.javascript_tokens import NotPlainError, tokens_of
from nacre.policy.languages.javascript_values import Values, part
from nacre.policy.model import names

_LONGEST = 10_000
_DECLARES = names("const let var")


def files_of_plain_javascript(code: str) -> list[str] | None:
    """The files that a text reads, if it is made only of what reads them, computes and prints."""
    used = uses_of_plain_javascript(code)
    return None if used is None or used[1] else used[0]


def uses_of_plain_javascript(code: str) -> tuple[list[str], list[str]] | None:
    """The files that a text reads and writes, each by a name that is written out, if it does no more."""
    # To `node -p` an empty text is none, and a dash begins an option: it would read its input.
    if not code or code.startswith("-") or len(code) > _LONGEST:
        return None
    try:
        script = _Script(tokens_of(code))
        script.statements("end")
    except NotPlainError:
        return None
    return script.reads, script.writes


class _Script(Values):
    """The statements of a text."""

    def statements(self, closing: str) -> None:
        """All up to the end of a block, or of the text."""
        while not (self.peek().kind == "end" if closing == "end" else self.sees(closing)):
            if self.peek().kind == "end":
                raise NotPlainError
            self._statement()

    def block(self) -> None:
        self.expect("{")
        self.statements("}")
        self.expect("}")

    def _statement(self) -> None:
        word = self.peek().text if self.peek().kind == "name" else ""
        known = {
            **dict.fromkeys(_DECLARES, self._declaration),
            "if": self._condition,
            "for": self._loop,
            "while": self._condition,
            "function": self._function,
            "try": self._try,
        }.get(word)
        if self.takes(";"):
            return
        if known is not None:
            known()
        elif self.sees("{"):
            with self.scope():
                self.block()
        elif word in {"return", "throw"}:
            self._return()
        elif word in {"break", "continue"}:
            self.take()
            self.end_of_statement()
        else:
            self.expressions()
            self.end_of_statement()

    def _declaration(self) -> None:
        hoisted = self.take().text == "var"
        self._declarators(hoisted=hoisted)
        self.end_of_statement()

    def _declarators(self, *, hoisted: bool) -> None:
        while True:
            if not self._module():
                self._declarator(hoisted=hoisted)
            if not self.takes(","):
                return

    def _declarator(self, *, hoisted: bool) -> None:
        """The name stands before its value, which must not know it."""
        start = self.at
        self.at = self.behind(self.at)
        value = self.expression() if self.takes("=") else "data"
        end, self.at = self.at, start
        self.pattern(value, hoisted=hoisted)
        self.at = end

    def _module(self) -> bool:
        """`fs = require('fs')`."""
        name, module = self.peek().text, self.peek(4).text[1:-1].removeprefix("node:")
        is_module = self.peek(4).kind == "string" and module in MODULES
        found = self.sees(name, "=", "require", "(") and is_module and self.peek(5).text == ")"
        if not found or self.peek(6).text in {".", "[", "(", "?."}:
            return False
        if len(self.scopes) > 1:
            raise NotPlainError
        self.declare(name, "data")
        self.modules[name] = module
        self.at += 6
        return True

    def _condition(self) -> None:
        self.take()
        self.expect("(")
        self.expressions()
        self.expect(")")
        self._body()
        if self.takes("else"):
            self._body()

    def _body(self) -> None:
        with self.scope():
            if self.peek().kind == "name" and self.peek().text in {*_DECLARES, "function"}:
                raise NotPlainError
            self._statement()

    def _loop(self) -> None:
        """`for (const x of y)`, `for (let i = 0; i < n; i++)`."""
        self.take()
        self.expect("(")
        with self.scope():
            declares = self.peek().kind == "name" and self.peek().text in _DECLARES
            if not declares:
                raise NotPlainError
            hoisted = self.take().text == "var"
            behind = self.behind(self.at)
            word = self.tokens[min(behind, len(self.tokens) - 1)].text
            if word in {"of", "in"}:
                start, self.at = self.at, behind + 1
                value = self.expression()
                end, self.at = self.at, start
                self.pattern("data" if word == "in" else part(value), hoisted=hoisted)
                self.at = end
            else:
                self._declarators(hoisted=hoisted)
                self.expect(";")
                if not self.takes(";"):
                    self.expressions()
                    self.expect(";")
                if not self.sees(")"):
                    self.expressions()
            self.expect(")")
            self._body()

    def _try(self) -> None:
        self.take()
        with self.scope():
            self.block()
        if self.takes("catch"):
            with self.scope():
                if self.takes("("):
                    self.pattern("data")
                    self.expect(")")
                self.block()
        if self.takes("finally"):
            with self.scope():
                self.block()

    def _return(self) -> None:
        word = self.take().text
        if self.sees(";") or self.sees("}") or self.peek().begins_line:
            self.end_of_statement()
            return
        value = self.expressions()
        if word == "throw" and value == "opaque":
            raise NotPlainError
        self.returned.append(value)
        self.end_of_statement()

    def _function(self) -> None:
        self.take()
        name = self.take()
        if name.kind != "name" or not self.sees("("):
            raise NotPlainError
        value = self.function_value("data")
        self.declare(name.text, "opaque" if value == "opaque" else "function", hoisted=True)
