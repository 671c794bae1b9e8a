# ruff: noqa: E501 - lists of names
"""JavaScript: short texts that only compute and print.

Above: `interpreters` asks about `node -e`. Below: nothing. There is no parser for it here: a text must be made of plain
expressions, `console.log(...)`, variables, lists, short functions, files that are read and data of a `package.json`. An
index, which reaches every method, is a number that is written out, and no method is called that is not listed.
"""

from __future__ import annotations

from dataclasses import dataclass

from nacre.policy.model import names
from nacre.policy.patterns import regex

_LONGEST = 2_000
_TOKEN = regex(
    r"""\s+|'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*"|(?>0[xX][0-9a-fA-F]+|[0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)n?(?![0-9A-Za-z_$.])|[A-Za-z_$][A-Za-z0-9_$]*|=>|\.\.\.|\?\?|\?\.(?![0-9])|[<>!]=(?!=)|!==|\{\s*\}|[.,;:?(){}\[\]+*/%<>!&|~^-]|===?|="""
)
_VALUES = names("true false null undefined NaN Infinity")
# Objects and what may be asked of them.
_MEMBERS: dict[str, frozenset[str]] = {
    "console": names("log error info warn table"),
    "process": names(
        "version versions platform arch pid cwd uptime memoryUsage hrtime argv title release env exit"
    ),
    "JSON": names("parse stringify"),
    "Math": names(
        "PI E abs ceil floor round max min pow sqrt cbrt log log2 log10 exp sin cos tan atan atan2 trunc sign random hypot"
    ),
    "Date": names("now"),
    "Buffer": names("from byteLength"),
    "Array": names("isArray"),
    "Object": names("keys values entries"),
    "Number": names("MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON parseInt parseFloat isInteger"),
}
_FUNCTIONS = names(
    "parseInt parseFloat Number String Boolean isNaN isFinite encodeURIComponent decodeURIComponent"
)
_CALLED = names(
    "log error info warn table cwd uptime memoryUsage hrtime parse stringify now abs ceil floor round max min pow sqrt cbrt log2 log10 exp "
    "sin cos tan atan atan2 trunc sign random hypot isInteger parseInt parseFloat keys values entries from byteLength isArray exit"
)
# Methods of texts, numbers and lists.
_METHODS = names(
    "trim split join slice includes indexOf toUpperCase toLowerCase toString toFixed startsWith endsWith padStart padEnd concat reverse sort "
    "replace replaceAll at flat map filter reduce forEach some every find findIndex flatMap match test "
    "toISOString getTime getFullYear toLocaleString update digest"
)
_READS = names("readFileSync existsSync readdirSync statSync")
_MODULE = regex(r"""(['"])(?:node:)?(fs|os|path|crypto)\1\Z""")
# Modules and what may be asked of them; of the one that reads files `_READS`.
_OF_MODULE: dict[str, frozenset[str]] = {
    "os": names(
        "cpus totalmem freemem hostname platform arch release type uptime tmpdir homedir loadavg EOL"
    ),
    "path": names("join basename dirname extname resolve relative normalize sep"),
    "crypto": names("randomBytes randomUUID randomInt createHash"),
}
# Modules that a text of `-e` and `-p` has by their names.
_GIVEN = frozenset({"fs", *_OF_MODULE})
_MADE = names("Date Set Map")
_PACKAGE = regex(r"""(['"])[@A-Za-z][A-Za-z0-9@/_-]*\1\Z""")
_FILE = regex(r"""(['"])([^'"\\\n]+)\1\Z""")
_DECLARES = names("const let var")
_JSON_FILE = regex(r"""['"](\./(?:(?!\.\.)[A-Za-z0-9_./-])+\.json)['"]\Z""")
_PROPERTY = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NEVER = names("constructor prototype __proto__ mainModule binding dlopen bind call apply")
# Before a slash that divides: a value. Anywhere else it begins a regular expression, in which quotes mean nothing.
_VALUE_END = regex(r"[\w$'\")\]]")
_INDEX = regex(r"[0-9]+\Z")
# Before a list that is written out, or an empty object.
_BEFORE_VALUE = names("( , = | ? ?? : [ => + && || ...")
# Where a line ends behind a value, and the next begins with a name, a statement ends.
_ENDS_VALUE = regex(r"[\w$'\")\]}]\Z")
_BEGINS_NAME = regex(r"[A-Za-z_$]")


class _NotPlainError(Exception):
    """The text is not made of known pieces."""


def files_of_plain_javascript(code: str) -> list[str] | None:
    """The files that a text reads, if it is made only of what reads them, computes and prints."""
    # To `node -p` an empty text is none, and a dash begins an option: it would read its input.
    if not code or code.startswith("-") or len(code) > _LONGEST:
        return None
    try:
        return _Script(_pieces(code)).read()
    except _NotPlainError:
        return None


def _pieces(code: str) -> list[str]:
    pieces: list[str] = []
    at, line_ended = 0, False
    while at < len(code):
        found = _TOKEN.match(code, at)
        if found is None:
            raise _NotPlainError
        at = found.end()
        piece = found.group()
        if piece.isspace():
            line_ended = line_ended or "\n" in piece
            continue
        if line_ended and pieces and _ENDS_VALUE.search(pieces[-1]) and _BEGINS_NAME.match(piece):
            pieces.append(";")
        # What `?.` asks for is a property, too, if there is one.
        pieces.append("." if piece == "?." else piece)
        line_ended = False
    return pieces


def _is_new_name(name: str) -> bool:
    """Whether a variable of this name hides nothing that is known."""
    taken = name in _MEMBERS or name in _FUNCTIONS or name in _VALUES or name == "require"
    return not taken and _PROPERTY.match(name) is not None


@dataclass(slots=True)
class _Function:
    """A short function: its parameters, how many brackets are open around it, and `?` without their `:`."""

    depth: int
    parameters: set[str]
    asked: int = 0


class _Script:
    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.at = 0
        self.files: list[str] = []
        # Names of variables, those of the statement that is read, which have no value yet (`var eval = eval`
        # is the function of that name), and names of modules.
        self.variables: set[str] = set()
        self.declared: set[str] = set()
        self.modules: dict[str, str] = {}
        # What is behind a function does not have its parameters: `[1].map(eval => 1); [x].map(eval)`.
        self.functions: list[_Function] = []
        self.depth = 0

    def read(self) -> list[str]:
        while self.at < len(self.pieces):
            piece = self.pieces[self.at]
            if piece in _DECLARES:
                self._declare()
            elif piece[0].isalpha() or piece[0] in "_$":
                self._chain()
            elif piece in {".", "["} and self._peek(-1)[-1:] in {")", "]", "'", '"'}:
                self._properties()
            elif piece == "(" and self._is_function():
                self._function()
            else:
                self._operator(piece)
                self.at += 1
        return self.files

    def _peek(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.pieces[index] if 0 <= index < len(self.pieces) else ""

    def _operator(self, piece: str) -> None:
        before, after = self._peek(-1), self._peek(1)
        calls = piece == "(" and before[:1] in {")", "]", "{", "}"}
        spreads = piece == "..." and before not in {"[", "(", ","}
        shifts = piece in {"<=", ">="} and before in {"<", ">"}
        doubled = piece in "+-" and after == piece
        regex = piece == "/" and (not before or not _VALUE_END.match(before) or after in {"/", "*"})
        begins = piece == "[" and before in {"", ";"}
        value = (piece == "[" or piece[0] == "{") and before not in _BEFORE_VALUE and not begins
        block = piece == "{" and before == "=>"
        if piece in {".", "=", "=>"} or calls or doubled or shifts or regex or value or block or spreads:
            raise _NotPlainError
        self._end_functions(piece)

    def _end_functions(self, piece: str) -> None:
        """A function ends where a comma, a bracket, the end of the statement or a `:` is not its own."""
        if piece in {"(", "[", "{"}:
            self.depth += 1
        elif piece in {")", "]", "}"}:
            self.depth -= 1
            self.functions = [item for item in self.functions if item.depth <= self.depth]
        elif piece in {",", ";"}:
            self.functions = [item for item in self.functions if item.depth < self.depth]
        elif piece == "?" and self.functions and self.functions[-1].depth == self.depth:
            self.functions[-1].asked += 1
        elif piece == ":":
            while self.functions and self.functions[-1].depth == self.depth and not self.functions[-1].asked:
                self.functions.pop()
            if self.functions and self.functions[-1].depth == self.depth:
                self.functions[-1].asked -= 1
        if piece == ";":
            self.variables |= self.declared
            self.declared = set()

    def _has(self, name: str) -> bool:
        """Whether a name is one that the text has made, where it stands."""
        return name in self.variables or any(name in item.parameters for item in self.functions)

    def _is_function(self) -> bool:
        """`(a, b) =>`."""
        end = self.at + 1
        while end < len(self.pieces) and (self.pieces[end] == "," or _PROPERTY.match(self.pieces[end])):
            end += 1
        return self.pieces[end : end + 2] == [")", "=>"] and self._peek(-1) in _BEFORE_VALUE

    def _function(self) -> None:
        """Its parameters; its value is an expression like others."""
        parameters: set[str] = set()
        while self._peek() != "=>":
            if self._peek() not in {"(", ",", ")"}:
                parameters.add(self._new(self._peek()))
            self.at += 1
        self.at += 1
        self.functions.append(_Function(self.depth, parameters))

    def _new(self, name: str) -> str:
        """The name of a parameter, or of a variable."""
        if not _is_new_name(name) or name in self.modules:
            raise _NotPlainError
        return name

    def _declare(self) -> None:
        """`const x =`, `const {a, b} =`, `const fs = require('fs');`."""
        if self._peek(1) == "{":
            self._take_apart()
            return
        name = self._peek(1)
        if not _is_new_name(name) or self._peek(2) != "=":
            raise _NotPlainError
        self.at += 3
        module = self.pieces[self.at : self.at + 5]
        found = _MODULE.match(module[2]) if len(module) > 3 and module[0] == "require" else None  # noqa: PLR2004 - its words
        if found is not None and module[3:] in ([")"], [")", ";"]):
            if module[1] != "(" or self._has(name) or name in self.declared:
                raise _NotPlainError
            self.modules[name] = found.group(2)
            self.at += 4
        else:
            self.declared.add(self._new(name))

    def _take_apart(self) -> None:
        """`const {a, b} =`: properties by their own names."""
        self.at += 1
        while self._peek() != "}":
            self.at += 1
            if self._peek() in _NEVER:
                raise _NotPlainError
            self.declared.add(self._new(self._peek()))
            self.at += 1
            if self._peek() not in {",", "}"}:
                raise _NotPlainError
        if self._peek(1) != "=":
            raise _NotPlainError
        self.at += 2

    def _begins_value(self, root: str) -> bool:
        """`x =>`, `{x: `, `new Date(`."""
        following, before = self._peek(), self._peek(-2)
        if following == "=>" and before in _BEFORE_VALUE:
            self.functions.append(_Function(self.depth, {self._new(root)}))
            self.at += 1
        elif following == ":" and before in {"{", ","} and root not in _NEVER:
            pass
        elif root == "new" and following in _MADE and self._peek(1) == "(":
            self.at += 1
        else:
            return False
        return True

    def _chain(self) -> None:
        """A name and its members."""
        root = self._peek()
        self.at += 1
        if self._begins_value(root):
            return
        if root in _VALUES or (root in _FUNCTIONS and self._peek() == "("):
            if self._peek() in {".", "["}:
                raise _NotPlainError
        elif root in self.modules:
            self._of_module(self.modules[root])
        elif self._has(root):
            self._properties()
        elif root in _GIVEN and self._peek() == ".":
            self._of_module(root)
        elif root == "require":
            self._require()
        elif root in _MEMBERS and self._peek() == "." and self._peek(1) in _MEMBERS[root]:
            self._member()
        else:
            raise _NotPlainError

    def _reads_file(self) -> None:
        """`.readFileSync('x', 'utf8')`."""
        found = _FILE.match(self._peek(3))
        if self._peek() != "." or self._peek(1) not in _READS or self._peek(2) != "(" or found is None:
            raise _NotPlainError
        self.files.append(found.group(2))
        self.at += 4
        if self._peek() == "," and _FILE.match(self._peek(1)):
            self.at += 2
        if self._peek() != ")":
            raise _NotPlainError
        self.at += 1
        self._properties()

    def _of_module(self, module: str) -> None:
        if module == "fs":
            self._reads_file()
            return
        if self._peek() != "." or self._peek(1) not in _OF_MODULE[module]:
            raise _NotPlainError
        self.at += 2
        if self._peek() != "(":
            self._properties()

    def _require(self) -> None:
        module = _MODULE.match(self._peek(1))
        if self._peek() == "(" and module is not None and self._peek(2) == ")":
            self.at += 3
            self._of_module(module.group(2))
            return
        if self.pieces[self.at : self.at + 3] == [".", "resolve", "("]:
            if not _PACKAGE.match(self._peek(3)) or self._peek(4) != ")":
                raise _NotPlainError
            self.at += 5
            return
        found = _JSON_FILE.match(self._peek(1))
        if self._peek() != "(" or self._peek(2) != ")" or found is None:
            raise _NotPlainError
        self.files.append(found.group(1))
        self.at += 3
        self._properties()

    def _member(self) -> None:
        name = self._peek(1)
        self.at += 2
        if self._peek() != "(":
            self._properties()
        elif name not in _CALLED:
            raise _NotPlainError

    def _properties(self) -> None:
        """Properties of data: none that leads to code, and no call but of a method that is listed."""
        while self._peek() in {".", "["}:
            if self._peek() == "[":
                if not _INDEX.match(self._peek(1)) or self._peek(2) != "]":
                    raise _NotPlainError
                self.at += 3
                continue
            name = self._peek(1)
            if not _PROPERTY.match(name) or name in _NEVER:
                raise _NotPlainError
            self.at += 2
            if self._peek() == "(":
                if name not in _METHODS:
                    raise _NotPlainError
                return  # what follows are its arguments
        if self._peek() == "(":
            raise _NotPlainError
