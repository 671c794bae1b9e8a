"""The small languages inside commands: what a sed script, an awk program or a line of code would do.

Above: `programs` asks about the text that follows `sed`, `awk`, `python3 -c`. Below: nothing. Each reader is
strict: what it does not understand is reported as `unknown`, which the judge takes as a refusal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from nacre.policy.model import names

Kind = Literal["run", "write", "unknown"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a program text would do beyond printing."""

    kind: Kind
    reason: str
    target: str = ""


class _UnknownError(Exception):
    """The text is not understood."""


# -- sed -----------------------------------------------------------------------------------------------------

_SED_SPACE = re.compile(r"[ \t\n;]*")
_SED_NUMBER = re.compile(r"[0-9]+(?:~[0-9]+)?|\$|\+[0-9]+|~[0-9]+")
_SED_ALONE = frozenset("=dDgGhHnNpPxzF")
_SED_FLAGS = re.compile(r"[0-9gpiImM]*")
_SED_LINE = re.compile(r"[^\n]*")
_SED_TEXT = re.compile(r"(?:[^\\\n]|\\.)*+(?:\\\Z)?", re.DOTALL)
_SED_CLASS = re.compile(r":[a-z]+:\]")
_SED_LABEL = re.compile(r"[^\n;}]*")
_SED_EXIT = re.compile(r"[ \t]*[0-9]*")


class _Sed:
    def __init__(self, script: str) -> None:
        self.text = script
        self.pos = 0
        self.findings: list[Finding] = []

    def read(self) -> None:
        while True:
            self._skip(_SED_SPACE)
            if self.pos >= len(self.text):
                return
            self._address()
            self._command()

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.pos)
        if found is None:
            raise _UnknownError
        self.pos = found.end()
        return found.group()

    def _next(self) -> str:
        if self.pos >= len(self.text):
            raise _UnknownError
        self.pos += 1
        return self.text[self.pos - 1]

    def _peek(self) -> str:
        return self.text[self.pos : self.pos + 1]

    def _address(self) -> None:
        if not self._one_address():
            return
        self._skip(re.compile(r"[ \t]*"))
        if self._peek() == ",":
            self.pos += 1
            self._skip(re.compile(r"[ \t]*"))
            if not self._one_address():
                raise _UnknownError
        self._skip(re.compile(r"[ \t!]*"))

    def _one_address(self) -> bool:
        number = _SED_NUMBER.match(self.text, self.pos)
        if number is not None:
            self.pos = number.end()
            return True
        if self._peek() == "/":
            self.pos += 1
            self._delimited("/", regex=True)
        elif self._peek() == "\\":
            self.pos += 1
            self._delimited(self._next(), regex=True)
        else:
            return False
        self._skip(re.compile(r"[IM]*"))
        return True

    def _delimited(self, delimiter: str, *, regex: bool) -> None:
        """Step over text up to an unescaped delimiter; in brackets it is an ordinary character."""
        if delimiter in "\n\\":
            raise _UnknownError
        while True:
            char = self._next()
            if char == "\\":
                self._next()
            elif char == "\n" and regex:
                raise _UnknownError
            elif char == delimiter:
                return
            elif regex and char == "[":
                self._bracket()

    def _bracket(self) -> None:
        """`[^/]`, `[[:alpha:]_]`: up to the closing bracket; what seds read differently is refused."""
        self._bracket_start()
        while True:
            char = self._next()
            if char == "]":
                return
            if char == "\n" or (char == "\\" and self._peek() in {"]", "\n", ""}):
                raise _UnknownError
            if char == "[" and self._peek() in {":", ".", "="}:
                self._skip(_SED_CLASS)

    def _bracket_start(self) -> None:
        """`[]abc]` and `[^]abc]`: a bracket that comes first is a member."""
        if self._peek() == "^":
            self.pos += 1
        if self._peek() == "]":
            self.pos += 1

    def _command(self) -> None:  # noqa: C901 - one branch per command of sed
        self._skip(re.compile(r"[ \t!]*"))
        if self.pos >= len(self.text):
            raise _UnknownError
        char = self._next()
        if char in _SED_ALONE or char == "{":
            return
        if char == "}":
            return
        if char == "s":
            self._substitute()
        elif char == "y":
            delimiter = self._next()
            self._delimited(delimiter, regex=False)
            self._delimited(delimiter, regex=False)
        elif char in "aic":
            self._skip(_SED_TEXT)
        elif char in ":btT":
            self._skip(_SED_LABEL)
        elif char in "qQlL":
            self._skip(_SED_EXIT)
        elif char in "rR#":
            self._skip(_SED_LINE)
        elif char in "wW":
            self.findings.append(Finding("write", "sed's `w` writes a file", self._skip(_SED_LINE).strip()))
        elif char == "e":
            self.findings.append(Finding("run", "sed's `e` runs a command"))
            self._skip(_SED_LINE)
        else:
            raise _UnknownError

    def _substitute(self) -> None:
        delimiter = self._next()
        self._delimited(delimiter, regex=True)
        self._delimited(delimiter, regex=False)
        while True:
            self._skip(_SED_FLAGS)
            char = self._peek()
            if char == "e":
                self.findings.append(Finding("run", "the `e` flag of `s` runs the result as a command"))
                self.pos += 1
            elif char == "w":
                self.pos += 1
                target = self._skip(_SED_LINE).strip()
                self.findings.append(Finding("write", "the `w` flag of `s` writes a file", target))
            elif not char or char in " \t\n;}#":
                return
            else:
                raise _UnknownError


def sed_findings(script: str) -> list[Finding]:
    """What a sed script would run or write."""
    reader = _Sed(script)
    try:
        reader.read()
    except _UnknownError:
        return [*reader.findings, Finding("unknown", "this sed script is not understood")]
    return reader.findings


# -- awk -----------------------------------------------------------------------------------------------------

_AWK_TOKEN = re.compile(
    r"""(?P<space>[ \t\r]+|\\\n)|(?P<comment>\#[^\n]*)|(?P<string>"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<operator>\|\||\|&|&&|>>|>=|<=|==|!=|!~|\+\+|--|[-+*/%^]=|\*\*=?|[-+*/%^!<>|?:,;~$=(){}\[\]\n@&.])""",
    re.DOTALL | re.VERBOSE,
)
_AWK_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?+\]?+(?:[^\]\\\n/]|\\.)*+\])*+/")
_AWK_WORDS_BEFORE_REGEX = names("print printf return in if while for do else case getline delete")
_AWK_FREE = frozenset({"/dev/stdout", "/dev/stderr", "/dev/null", "-"})


class _Awk:
    """A lexer that knows just enough grammar to tell a redirection from a comparison."""

    def __init__(self, program: str) -> None:
        self.text = program
        self.pos = 0
        self.findings: list[Finding] = []
        self.previous = "\n"
        self.depth = 0
        self.print_depth = -1

    def read(self) -> None:
        while self.pos < len(self.text):
            if self.text[self.pos] == "/" and self._regex_may_begin():
                found = _AWK_REGEX.match(self.text, self.pos)
                if found is None:
                    raise _UnknownError
                self.pos = found.end()
                self.previous = "operand"
                continue
            token = _AWK_TOKEN.match(self.text, self.pos)
            if token is None:
                raise _UnknownError
            self.pos = token.end()
            self._take(token.lastgroup or "", token.group())

    def _regex_may_begin(self) -> bool:
        return self.previous not in {"operand", ")", "]", "++", "--", "$"}

    def _take(self, kind: str, text: str) -> None:
        if kind in {"space", "comment"}:
            return
        if kind == "name":
            self._name(text)
        elif kind in {"string", "number"}:
            self.previous = "operand"
        else:
            self._operator(text)

    def _name(self, text: str) -> None:
        if text == "system":
            self.findings.append(Finding("run", "awk's system() runs a command"))
        elif text == "getline":
            self.findings.append(Finding("run", "awk's getline can run a command or read any file"))
        elif text in {"print", "printf"}:
            self.print_depth = self.depth
        self.previous = text if text in _AWK_WORDS_BEFORE_REGEX else "operand"

    def _operator(self, text: str) -> None:
        if text in {"|", "|&"}:
            self.findings.append(Finding("run", "awk's `|` runs a command"))
        elif text == "@":
            self.findings.append(Finding("run", "awk's `@` loads code or calls a function by its name"))
        elif text in "([{":
            self.depth += 1
            if text == "{":
                self.print_depth = -1
        elif text in ")]}":
            self.depth -= 1
            if text == "}":
                self.print_depth = -1
        elif text in {">", ">>"} and (text == ">>" or self.print_depth == self.depth):
            self.findings.append(Finding("write", "awk's `>` writes a file", self._target()))
        if text == ";" or (text == "\n" and self.previous not in {",", "&&", "||", "?", ":"}):
            self.print_depth = -1
        self.previous = text

    def _target(self) -> str:
        found = re.compile(r'[ \t]*"([^"\\]*)"[ \t]*(?=[;}\n]|\Z)').match(self.text, self.pos)
        return found.group(1) if found is not None else ""


def awk_findings(program: str) -> list[Finding]:
    """What an awk program would run or write."""
    reader = _Awk(program)
    try:
        reader.read()
    except _UnknownError:
        return [*reader.findings, Finding("unknown", "this awk program is not understood")]
    return [item for item in reader.findings if not (item.kind == "write" and item.target in _AWK_FREE)]


# -- code ----------------------------------------------------------------------------------------------------

# Names that a short, harmless line of code uses. Anything else may open files, sockets or processes.
_PLAIN_CODE_WORDS = names(
    "print console log puts say printf echo import from as in is not and or if else elif for while lambda "
    "def return None True False true false null undefined json sys math re datetime time random string "
    "itertools functools collections statistics decimal fractions textwrap uuid hashlib base64 binascii "
    "struct calendar platform loads load dumps stdin stdout indent sort_keys sorted len range sum min max "
    "abs round int float str list dict set tuple bool enumerate zip map filter any all repr ord chr hex "
    "bin join split strip upper lower replace format items keys values get append now today isoformat "
    "strftime utcnow version version_info executable pi sqrt floor ceil gcd factorial pprint const let var "
    "JSON parse stringify Math process platform arch hexdigest sha256 md5 encode decode b64encode "
    "b64decode uuid4 uuid1 randint choice randbelow token_hex secrets next unless foreach my our use "
    "strict warnings each do end map select length toUpperCase toLowerCase forEach push sub gsub match "
    "search findall end sep flush read readline readlines line lines name value data key n m k v x y z i j "
    "a b c d e f s t obj"
)
_CODE_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n{`]|\\.)*\"", re.DOTALL)
_CODE_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_plain_code(code: str) -> bool:
    """Is a line of code made only of words that compute and print? Strings in it are data."""
    rest = _CODE_STRING.sub(" ", code)
    if re.search(r"[`@\\]|\bimport\s*\(|<<|#|__|%x|\bqx\b|'|\"|\$\(|\|[^|]*$", rest):
        return False
    return all(word in _PLAIN_CODE_WORDS for word in _CODE_WORD.findall(rest))
