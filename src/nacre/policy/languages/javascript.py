# ruff: noqa: E501 - lists of names
"""JavaScript: short texts that only compute and print.

Above: `interpreters` asks about `node -e`. Below: nothing. There is no parser for it here: a text must be made of plain
expressions, `console.log(...)` and data of a `package.json`. Brackets, which reach every method, do not occur.
"""

from __future__ import annotations

from nacre.policy.model import names
from nacre.policy.patterns import regex

_LONGEST = 2_000
_TOKEN = regex(
    r"""\s+|'(?:[^'\\\n]|\\[^\n])*'|"(?:[^"\\\n]|\\[^\n])*"|[0-9][0-9a-zA-Z_.]*|[A-Za-z_$][A-Za-z0-9_$]*|[.,;:?()+*/%<>!&|~^-]|===?|="""
)
_VALUES = names("true false null undefined NaN Infinity")
# Objects and what may be asked of them.
_MEMBERS: dict[str, frozenset[str]] = {
    "console": names("log error info warn table"),
    "process": names(
        "version versions platform arch pid cwd uptime memoryUsage hrtime argv title release env"
    ),
    "JSON": names("parse stringify"),
    "Math": names(
        "PI E abs ceil floor round max min pow sqrt cbrt log log2 log10 exp sin cos tan atan atan2 trunc sign random hypot"
    ),
    "Date": names("now"),
    "Number": names("MAX_SAFE_INTEGER MIN_SAFE_INTEGER EPSILON parseInt parseFloat isInteger"),
}
_FUNCTIONS = names(
    "parseInt parseFloat Number String Boolean isNaN isFinite encodeURIComponent decodeURIComponent"
)
_CALLED = names(
    "log error info warn table cwd uptime memoryUsage hrtime parse stringify now abs ceil floor round max min pow sqrt cbrt log2 log10 exp "
    "sin cos tan atan atan2 trunc sign random hypot isInteger parseInt parseFloat"
)
_JSON_FILE = regex(r"""['"](\./(?:(?!\.\.)[A-Za-z0-9_./-])+\.json)['"]\Z""")
_PROPERTY = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_NEVER = names("constructor prototype __proto__ mainModule binding dlopen bind call apply")
# Before a slash that divides: a value. Anywhere else it begins a regular expression, in which quotes mean nothing.
_VALUE_END = regex(r"[\w$'\")]")


class _NotPlainError(Exception):
    """The text is not made of known pieces."""


def files_of_plain_javascript(code: str) -> list[str] | None:
    """The files that a text reads, if it is made only of what reads them, computes and prints."""
    if len(code) > _LONGEST:
        return None
    try:
        return _Script(_pieces(code)).read()
    except _NotPlainError:
        return None


def _pieces(code: str) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(code):
        found = _TOKEN.match(code, at)
        if found is None:
            raise _NotPlainError
        at = found.end()
        if not found.group().isspace():
            pieces.append(found.group())
    return pieces


class _Script:
    def __init__(self, pieces: list[str]) -> None:
        self.pieces = pieces
        self.at = 0
        self.files: list[str] = []

    def read(self) -> list[str]:
        while self.at < len(self.pieces):
            piece = self.pieces[self.at]
            if piece[0].isalpha() or piece[0] in "_$":
                self._chain()
            else:
                self._operator(piece)
                self.at += 1
        return self.files

    def _peek(self, ahead: int = 0) -> str:
        index = self.at + ahead
        return self.pieces[index] if 0 <= index < len(self.pieces) else ""

    def _operator(self, piece: str) -> None:
        before, after = self._peek(-1), self._peek(1)
        calls = piece == "(" and before == ")"
        doubled = piece in "+-" and after == piece
        regex = piece == "/" and (not before or not _VALUE_END.match(before) or after in {"/", "*"})
        if piece in {".", "="} or calls or doubled or regex:
            raise _NotPlainError

    def _chain(self) -> None:
        """A name and its members."""
        root = self._peek()
        self.at += 1
        if root in _VALUES or (root in _FUNCTIONS and self._peek() == "("):
            if self._peek() == ".":
                raise _NotPlainError
        elif root == "require":
            self._require()
        elif root in _MEMBERS and self._peek() == "." and self._peek(1) in _MEMBERS[root]:
            self._member()
        else:
            raise _NotPlainError

    def _require(self) -> None:
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
        """Properties of data: names without a call, and none that leads to code."""
        while self._peek() == ".":
            name = self._peek(1)
            if not _PROPERTY.match(name) or name in _NEVER:
                raise _NotPlainError
            self.at += 2
        if self._peek() == "(":
            raise _NotPlainError
