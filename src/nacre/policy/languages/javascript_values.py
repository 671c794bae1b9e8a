# ruff: noqa: E501 - lists of names
"""JavaScript: which values the expressions of a short text can have.

Above: `javascript` reads its statements. Below: `javascript_tokens` finds its words. Every name is made by the text, where it is
used, or is listed here; no function is called that is not, and no member is asked for that leads to one. A member whose
name is computed (`x[k]`) may be anything, `constructor` too: it is shown, compared and calculated with, and never handed on.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from nacre.policy.languages.javascript_tokens import NotPlainError, Reader, Token
from nacre.policy.model import names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

_DEEPEST = 40
_VALUES = names("true false null undefined NaN Infinity")
# Objects and what may be asked of them.
_MEMBERS: dict[str, frozenset[str]] = {
    "console": names("log error info warn table"),
    "process": names(
        "version versions platform arch pid cwd uptime memoryUsage hrtime argv title release env exit stdin stdout"
    ),
    "JSON": names("parse stringify"),
    "Math": names(
        "PI E abs ceil floor round max min pow sqrt cbrt log log2 log10 exp sin cos tan atan atan2 trunc sign random hypot"
    ),
    "Date": names("now parse UTC"),
    "Buffer": names("from byteLength"),
    "Array": names("isArray from of"),
    "Object": names("keys values entries fromEntries"),
    "Number": names(
        "MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON parseInt parseFloat isInteger isNaN isFinite isSafeInteger"
    ),
    "String": names("fromCharCode raw"),
}
_FUNCTIONS = names(
    "parseInt parseFloat Number String Boolean isNaN isFinite encodeURIComponent decodeURIComponent"
)
# Methods of texts, numbers, lists, dates and tables.
_METHODS = names(
    "trim trimStart trimEnd split join slice includes indexOf lastIndexOf toUpperCase toLowerCase toString toFixed toPrecision "
    "startsWith endsWith padStart padEnd concat reverse sort replace replaceAll at flat map filter reduce forEach some every find "
    "findIndex findLast flatMap match matchAll test repeat charCodeAt codePointAt charAt substring substr localeCompare fill splice "
    "push pop shift unshift get set has add delete keys values entries toSorted toReversed "
    "toISOString toJSON getTime getFullYear getMonth getDate getDay getHours getMinutes getSeconds toLocaleString toLocaleDateString "
    "toLocaleTimeString toDateString update digest"
)
# Of what is read from the input, and of where is printed.
_OF_STREAMS = {"stdin": names("on setEncoding resume"), "stdout": names("write")}
MODULES = names("fs os path crypto")
_READS = names("readFileSync existsSync readdirSync statSync")
_WRITES = names("writeFileSync appendFileSync")
# Modules and what may be asked of them; of the one that reads files `_READS` and `_WRITES`.
_OF_MODULE: dict[str, frozenset[str]] = {
    "os": names(
        "cpus totalmem freemem hostname platform arch release type uptime tmpdir homedir loadavg EOL"
    ),
    "path": names("join basename dirname extname resolve relative normalize sep"),
    "crypto": names("randomBytes randomUUID randomInt createHash"),
}
_MADE = names("Date Set Map RegExp Error Array")
_PACKAGE = regex(r"[@A-Za-z][A-Za-z0-9@/_-]*\Z")
_JSON_FILE = regex(r"\./(?:(?!\.\.)[A-Za-z0-9_./-])+\.json\Z")
_PROPERTY = regex(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_NEVER = names("constructor prototype mainModule binding dlopen bind call apply caller arguments callee")
_KEYWORDS = names(
    "async await break case catch class const continue debugger default delete do else enum export extends finally for function get "
    "if implements import in instanceof interface let new of package private protected public return set static super switch this "
    "throw try typeof var void while with yield arguments eval globalThis global window self require module exports"
)
_BINARY = names("+ - * / % ** == != === !== < > <= >= & | ^ in instanceof")
# Their value is one of both sides.
_CHOOSES = names("&& || ??")
_PREFIXES = names("! - + ~")

# What a value is: data, or functions that are known. A list of the text's own (`function`) may be called. `opaque` may be
# any function, so that nothing may call it.
Value = Literal["data", "function", "opaque"]


class Values(Reader):
    """Variables, and expressions of them."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        super().__init__(tokens)
        self.reads: list[str] = []
        self.writes: list[str] = []
        # What is known where: the variables of each block, by name; whether it is a function's.
        self.scopes: list[tuple[dict[str, Value], bool]] = [({}, True)]
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
        self.scopes.append(({}, function))
        yield
        self.scopes.pop()
        self.depth -= 1

    def declare(self, name: str, value: Value, *, hoisted: bool = False) -> None:
        """A variable of the block that is read; `hoisted`: of the whole function around it."""
        known, of_function = self.scopes[-1]
        taken = name in _MEMBERS or name in _FUNCTIONS or name in _VALUES or name in _MADE
        if taken or name in _KEYWORDS or name in _NEVER or name in known or name in self.modules:
            raise NotPlainError
        if not _PROPERTY.match(name) or name.startswith("__") or (hoisted and not of_function):
            raise NotPlainError
        known[name] = value

    def _value_of(self, name: str) -> Value | None:
        return next((known[name] for known, _ in reversed(self.scopes) if name in known), None)

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
        if name in _NEVER or name.startswith("__"):
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
            if text in _CHOOSES:
                self.take()
                value = _either(value, self._operand())
            elif text in _BINARY:
                self.take()
                if text == "instanceof":
                    if self.take().text not in _MADE:
                        raise NotPlainError
                else:
                    self._operand()
                value = "data"
            else:
                return value

    def _operand(self) -> Value:
        prefixed = False
        while self.peek().kind in {"sign", "name"} and self.peek().text in {*_PREFIXES, "typeof"}:
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
            if self.takes("..."):
                value = _either(value, self.expression())
            elif self.peek(1).text == ":" and self.peek(1).kind == "sign":
                self._key()
                self.expect(":")
                value = _either(value, self.expression())
            else:
                self._is_safe(self.peek().text)
                value = _either(value, self._variable())
            if not self.takes(",") and not self.sees("}"):
                raise NotPlainError
        return part(value)

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
        if name in _VALUES:
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
            if self.take().text not in _MADE:
                raise NotPlainError
            self.expect("(")
            self._arguments()
            return "data"
        if name == "require":
            return self._require()
        if name in _MEMBERS and self.takes("."):
            return self._member(name)
        if name in _FUNCTIONS:
            if self.takes("("):
                self._list(")")
            return "data"
        raise NotPlainError

    def _member(self, name: str) -> Value:
        """`console.log(x)`, `process.version`."""
        member = self.take().text
        if member not in _MEMBERS[name]:
            raise NotPlainError
        if member in _OF_STREAMS:
            self._stream(_OF_STREAMS[member])
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
            if self.peek().kind not in {"number", "string"} and self.peek().text not in _VALUES:
                raise NotPlainError
            self.take()
        self.expect(")")

    def _arguments(self) -> None:
        if self._list(")") == "opaque":
            raise NotPlainError

    def _require(self) -> Value:
        if self.takes(".", "resolve", "("):
            if not _PACKAGE.match(self.string()):
                raise NotPlainError
            self.expect(")")
            return "data"
        self.expect("(")
        name = self.string()
        self.expect(")")
        if name.removeprefix("node:") in MODULES:
            return self._of_module(name.removeprefix("node:"))
        if not _JSON_FILE.match(name):
            raise NotPlainError
        self.reads.append(name)
        return "data"

    def _of_module(self, module: str) -> Value:
        self.expect(".")
        member = self.take().text
        if module == "fs":
            self._file(member)
        elif member not in _OF_MODULE[module]:
            raise NotPlainError
        elif self.takes("("):
            self._arguments()
        return "data"

    def _file(self, member: str) -> None:
        """`readFileSync('x', 'utf8')`, `writeFileSync('x', text)`."""
        self.expect("(")
        if member in _READS and self.peek().text == "0":
            self.take()
        elif member in _READS:
            self.reads.append(self.string())
        elif member in _WRITES:
            self.writes.append(self.string())
        else:
            raise NotPlainError
        if self.takes(","):
            self._arguments()
        else:
            self.expect(")")

    def _members(self, value: Value) -> Value:
        """What is asked of a value: no member that leads to code, and no call but of a method that is listed."""
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
            elif self.sees("[") and not (self.peek().begins_line and value == "function"):
                self.take()
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
        if name not in _METHODS:
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
