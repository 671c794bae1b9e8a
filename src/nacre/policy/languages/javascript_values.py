"""JavaScript: which values the expressions of a short text can have.

Above: `javascript` reads its statements. Below: `javascript_tokens` finds its words. Every name is made by
the text, where it is used, or is listed in `javascript_names`; no function is called that is not, and no
member is asked for that leads to one. A member whose name is computed (`x[k]`) may be anything, `constructor`
too: it is shown, compared and calculated with, and never handed on.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from nacre.policy.languages.javascript_names import (
    BINARY,
    CALLED,
    CHOOSES,
    FUNCTIONS,
    JSON_FILE,
    KEYWORDS,
    MADE,
    MEMBERS,
    METHODS,
    MODULES,
    NEVER,
    OF_MODULE,
    OF_STREAMS,
    PACKAGE,
    PREFIXES,
    PROPERTY,
    READS,
    VALUES,
    WAYS_TO_READ,
    WRITES,
)
from nacre.policy.languages.javascript_tokens import NotPlainError, Reader, Token

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

_DEEPEST = 40

# What a value is: data, or functions that are known. One of the text's own (`function`) may be called.
# `opaque` may be any function, so that nothing may call it.
Value = Literal["data", "function", "opaque"]


@dataclass(slots=True)
class _Scope:
    """The variables of a block, or of a function (`of_function`), by name.

    `outer` are the names that were used in it while it did not have them: they belong to what is around it.
    """

    of_function: bool
    known: dict[str, Value] = field(default_factory=dict[str, Value])
    outer: set[str] = field(default_factory=set[str])


class Values(Reader):
    """Variables, and expressions of them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.scopes = [_Scope(of_function=True)]
        self.modules: dict[str, str] = {}
        self.returned: list[Value] = []
        self.depth = 0

    # -- names ---------------------------------------------------------------------------------------------

    @contextmanager
    def scope(self, *, function: bool = False) -> Generator[None]:
        """A block or a function, whose variables end with it."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotPlainError
        self.scopes.append(_Scope(function))
        yield
        self.scopes.pop()
        self.depth -= 1

    def declare(self, name: str, value: Value, *, hoisted: bool = False) -> None:
        """A variable of the block that is read; `hoisted`: of the whole function around it."""
        taken = name in MEMBERS or name in FUNCTIONS or name in VALUES or name in MADE
        if taken or name in KEYWORDS or name in NEVER or name in self.modules:
            raise NotPlainError
        if not PROPERTY.match(name) or name.startswith("__"):
            raise NotPlainError
        at = len(self.scopes) - 1
        while hoisted and not self.scopes[at].of_function:
            if name in self.scopes[at].known or value != "data":
                raise NotPlainError
            at -= 1
        scope = self.scopes[at]
        again = hoisted and value == "data" and scope.known.get(name) == "data"
        # `{ const g = () => f(1); const f = x }`: there `f` is not what it was read as.
        if name in scope.outer or (name in scope.known and not again):
            raise NotPlainError
        scope.known[name] = value

    def _value_of(self, name: str) -> Value | None:
        for scope in reversed(self.scopes):
            if name in scope.known:
                return scope.known[name]
            scope.outer.add(name)
        return None

    def pattern(self, value: Value, *, hoisted: bool = False) -> None:
        """What a value is taken apart into: `x`, `[a, b]`, `{a, b: c}`."""
        closing = {"[": "]", "{": "}"}.get(self.peek().text if self.peek().kind == "sign" else "")
        if closing is None:
            token = self.take()
            if token.kind != "name":
                raise NotPlainError
            self.declare(token.text, value, hoisted=hoisted)
            return
        value = part(value)
        self.take()
        while not self.takes(closing):
            if self.takes("...") or closing == "]":
                if not self.sees(","):
                    self.pattern(value, hoisted=hoisted)
            elif self.peek(1).text == ":":
                self._key()
                self.expect(":")
                self.pattern(value, hoisted=hoisted)
            else:
                self._is_safe(self.peek().text)
                self.pattern(value, hoisted=hoisted)
            if not self.takes(",") and not self.sees(closing):
                raise NotPlainError

    def _is_safe(self, name: str) -> None:
        if name in NEVER or name.startswith("__"):
            raise NotPlainError

    def _key(self) -> None:
        """The name of a member that is written out."""
        token = self.take()
        text = token.text if token.kind in {"name", "number"} else token.text[1:-1]
        if token.kind not in {"name", "number", "string"} or "\\" in text:
            raise NotPlainError
        self._is_safe(text)

    def function_value(self, given: Value) -> Value:
        """Parameters and the body of a function; what it gives back."""
        outer, self.returned = self.returned, []
        with self.scope(function=True):
            if self.takes("("):
                while not self.takes(")"):
                    self.takes("...")
                    self.pattern(given)
                    if self.takes("="):
                        self.data()
                    if not self.takes(",") and not self.sees(")"):
                        raise NotPlainError
            else:
                self.pattern(given)
            if self.takes("=>") and not self.sees("{"):
                self.returned.append(self.expression())
            else:
                self.block()
        returned, self.returned = self.returned, outer
        return "opaque" if "opaque" in returned else "function"

    def block(self) -> None:
        """The body of a function."""
        raise NotImplementedError

    # -- expressions ---------------------------------------------------------------------------------------

    def expressions(self) -> Value:
        """Expressions between commas: the last one's value."""
        value = self.expression()
        while self.takes(","):
            value = _either(value, self.expression())
        return value

    def data(self) -> None:
        """A value that is handed on."""
        if self.expression() == "opaque":
            raise NotPlainError

    def expression(self) -> Value:
        """An expression, up to a comma or its end."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotPlainError
        value = self._choice()
        self.depth -= 1
        return value

    def _choice(self) -> Value:
        if self._is_function():
            return self.function_value("data")
        if self._assignment():
            return "data"
        value = self._operation()
        if self.takes("?"):
            first = self.expression()
            self.expect(":")
            return _either(first, self.expression())
        return value

    def _is_function(self) -> bool:
        """`x =>`, `(a, b) =>`."""
        if self.peek().kind == "name":
            return self.sees(self.peek().text, "=>")
        if not self.sees("("):
            return False
        return self.tokens[self.behind(self.at)].text == "=>"

    def _assignment(self) -> bool:
        """`x = 1`, `x += 1`, `x++`, `data.version = '1.2'`, `counts[x] = 1`."""
        token, index = self.peek(), self.at + 1
        if token.kind != "name" or self._value_of(token.text) != "data" or token.text in self.modules:
            return False
        while self.tokens[index].text == "." and self.tokens[index + 1].kind == "name":
            index += 2
        # An index stands at the end: behind it there could be what all objects have in common.
        sign = self.tokens[self.behind(index)] if self.tokens[index].text == "[" else self.tokens[index]
        if (
            sign.kind != "sign"
            or sign.text not in {"=", "+=", "++"}
            or (sign.text == "++" and sign.begins_line)
        ):
            return False
        for member in self.tokens[self.at + 1 : index]:
            self._is_safe(member.text)
        self.at = index
        if self.takes("["):
            self.expressions()
            self.expect("]")
        self.take()
        if sign.text == "=":
            self.data()
        elif sign.text == "+=":
            self.expression()  # a sum is a number or a text
        return True

    def _operation(self) -> Value:
        value = self._operand()
        while True:
            text = self.peek().text if self.peek().kind in {"sign", "name"} else ""
            if text in CHOOSES:
                self.take()
                value = _either(value, self._operand())
            elif text in BINARY:
                self.take()
                if text == "instanceof":
                    if self.take().text not in MADE:
                        raise NotPlainError
                else:
                    self._operand()
                value = "data"
            else:
                return value

    def _operand(self) -> Value:
        prefixed = False
        while self.peek().kind in {"sign", "name"} and self.peek().text in {*PREFIXES, "typeof"}:
            self.take()
            prefixed = True
        value = self._members(self._root())
        return "data" if prefixed else value

    def _root(self) -> Value:
        token = self.peek()
        match token.kind:
            case "number" | "string" | "regex":
                self.take()
                return "data"
            case "template":
                self.take()
                self._template(token)
                return "data"
            case "name":
                return self._named()
            case _:
                return self._bracket()

    def _template(self, token: Token) -> None:
        tokens, at = self.tokens, self.at
        for part in token.parts:
            self.tokens, self.at = part, 0
            self.expressions()
            if self.peek().kind != "end":
                raise NotPlainError
        self.tokens, self.at = tokens, at

    def _bracket(self) -> Value:
        if self.takes("("):
            value = self.expressions()
            self.expect(")")
            return value
        if self.takes("["):
            return self._list("]")
        if not self.takes("{"):
            raise NotPlainError
        value: Value = "data"
        while not self.takes("}"):
            value = _either(value, self.expression() if self.takes("...") else self._entry())
            if not self.takes(",") and not self.sees("}"):
                raise NotPlainError
        return part(value)

    def _entry(self) -> Value:
        """`a: 1`, or the variable `a`. What may be any function gets no name by which it is called."""
        name = self.peek().text.strip("'\"")
        if self.peek(1).text == ":" and self.peek(1).kind == "sign":
            self._key()
            self.expect(":")
            value = self.expression()
        else:
            self._is_safe(name)
            value = self._variable()
        if value == "opaque" and (name in METHODS or name in CALLED):
            raise NotPlainError
        return value

    def _list(self, closing: str) -> Value:
        """Values between commas: all of them are data, or one is not."""
        value: Value = "data"
        while not self.takes(closing):
            self.takes("...")
            value = _either(value, self.expression())
            if not self.takes(",") and not self.sees(closing):
                raise NotPlainError
        return part(value)

    def _variable(self) -> Value:
        token = self.take()
        value = self._value_of(token.text)
        if token.kind != "name" or value is None or token.text in self.modules:
            raise NotPlainError
        return value

    def _named(self) -> Value:
        """A name, and what makes a value of it."""
        name = self.peek().text
        if name in self.modules:
            self.take()
            return self._of_module(self.modules[name])
        value = self._value_of(name)
        if value is not None:
            self.take()
            return self._called(value) if self.sees("(") else value
        if name in VALUES:
            self.take()
            return "data"
        if name in MODULES:  # a text of `-e` and `-p` has them by their names
            self.take()
            return self._of_module(name)
        return self._known(name)

    def _called(self, value: Value) -> Value:
        """A function of the text's own, which gives back data."""
        if value != "function":
            raise NotPlainError
        self.take()
        self._arguments()
        return "data"

    def _known(self, name: str) -> Value:
        self.take()
        if name == "new":
            if self.take().text not in MADE:
                raise NotPlainError
            self.expect("(")
            self._arguments()
            return "data"
        if name == "require":
            return self._require()
        if name in MEMBERS and self.takes("."):
            return self._member(name)
        if name in FUNCTIONS:
            if self.takes("("):
                self._list(")")
            return "data"
        raise NotPlainError

    def _member(self, name: str) -> Value:
        """`console.log(x)`, `process.version`."""
        member = self.take().text
        if member not in MEMBERS[name]:
            raise NotPlainError
        if member in OF_STREAMS:
            self._stream(OF_STREAMS[member])
        elif self.takes("("):
            if name in {"console", "Math", "Number", "String"}:
                self._list(")")  # shown, or made a text or a number of
            elif name == "Object" and member in {"keys", "values", "entries"}:
                return self._list(")")
            elif member == "stringify":
                self._stringify()
            else:
                self._arguments()
        return "data"

    def _stream(self, known: frozenset[str]) -> None:
        """`process.stdin.on('data', f).on('end', g)`."""
        self.expect(".")
        while True:
            if self.take().text not in known:
                raise NotPlainError
            self.expect("(")
            self._arguments()
            if not self.takes("."):
                return

    def _stringify(self) -> None:
        """A function among what follows the value is given all that it holds."""
        if self.sees("...") or self.expression() != "opaque":
            self.takes(",")
            self._arguments()
            return
        while self.takes(","):
            if self.peek().kind not in {"number", "string"} and self.peek().text not in VALUES:
                raise NotPlainError
            self.take()
        self.expect(")")

    def _arguments(self) -> None:
        if self._list(")") == "opaque":
            raise NotPlainError

    def _require(self) -> Value:
        if self.takes(".", "resolve", "("):
            if not PACKAGE.match(self.string()):
                raise NotPlainError
            self.expect(")")
            return "data"
        self.expect("(")
        name = self.string()
        self.expect(")")
        if name.removeprefix("node:") in MODULES:
            return self._of_module(name.removeprefix("node:"))
        if not JSON_FILE.match(name):
            raise NotPlainError
        self.reads.append(name)
        return "data"

    def _of_module(self, module: str) -> Value:
        self.expect(".")
        member = self.take().text
        if module == "fs":
            self._file(member)
        elif member not in OF_MODULE[module]:
            raise NotPlainError
        elif self.takes("("):
            self._arguments()
        return "data"

    def _file(self, member: str) -> None:
        """`readFileSync('x', 'utf8')`, `writeFileSync('x', text)`."""
        self.expect("(")
        if member in READS:
            if self.peek().text == "0":
                self.take()
            else:
                self.reads.append(self.string())
            self._how_to_read()
        elif member in WRITES:
            self.writes.append(self.string())
            if not self.takes(")"):
                self.expect(",")
                self._arguments()
        else:
            raise NotPlainError

    def _how_to_read(self) -> None:
        """`, 'utf8')`, `, {encoding: 'utf8'})`: with another `flag` the file would be emptied."""
        if self.takes(",") and not self.sees(")"):
            if self.takes("{"):
                while not self.takes("}"):
                    if self.take().text not in WAYS_TO_READ:
                        raise NotPlainError
                    self.expect(":")
                    self._written_out()
                    if not self.takes(",") and not self.sees("}"):
                        raise NotPlainError
            else:
                self._written_out()
            self.takes(",")
        self.expect(")")

    def _written_out(self) -> None:
        token = self.take()
        if token.kind != "string" and token.text not in VALUES:
            raise NotPlainError

    def _members(self, value: Value) -> Value:
        """What is asked of a value: no member that leads to code, no call but of methods that are listed."""
        while True:
            if self.takes(".") or self.takes("?."):
                name = self.take()
                if name.kind != "name":
                    raise NotPlainError
                self._is_safe(name.text)
                if self.sees("("):
                    self.take()
                    value = self._method(name.text, value)
                elif value == "function":
                    value = "data"
            elif self.takes("["):
                value = self._index(value)
            elif self.sees("("):
                raise NotPlainError
            else:
                return value

    def _index(self, value: Value) -> Value:
        """`x[0]`, `x['a']`, and `x[k]`, which may be anything."""
        token = self.peek()
        if token.kind in {"number", "string"} and self.peek(1).text == "]":
            self._key()
            self.expect("]")
            return part(value)
        self.expressions()
        self.expect("]")
        return "opaque"

    def _method(self, name: str, value: Value) -> Value:
        """The arguments of a method, functions among them, which are given what the value holds."""
        if name not in METHODS:
            raise NotPlainError
        given = returned = part(value)
        while not self.takes(")"):
            spread = self.takes("...")
            if self._is_function():
                result = self.function_value(given)
                if result == "opaque" and name == "reduce":
                    raise NotPlainError  # which gives it back to the function
                returned = _either(returned, result)
            elif (
                (given == "opaque" and not self._is_plain_argument())
                or self.expression() == "opaque"
                or (spread and given == "opaque")
            ):
                raise NotPlainError
            if not self.takes(",") and not self.sees(")"):
                raise NotPlainError
        return returned

    def _is_plain_argument(self) -> bool:
        """A text or a number that is written out, or a function that makes one: `Boolean`."""
        token = self.peek()
        plain = token.kind in {"string", "number", "regex"} or token.text in {"Boolean", "String", "Number"}
        return plain and self.peek(1).text in {",", ")"}


def _either(first: Value, second: Value) -> Value:
    return "opaque" if "opaque" in {first, second} else "data"


def part(value: Value) -> Value:
    """What a list or an object holds."""
    return "opaque" if value == "opaque" else "data"
