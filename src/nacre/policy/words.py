"""Words of POSIX shells: quotes, escapes and expansions, read exactly or refused.

Above: `posix` adds the grammar (lists, loops, here-documents) and supplies `nested`, which reads the
commands inside a substitution. Below: `model` and `dialect`. This module knows no rule and no program, and
it never guesses: text that two shells could read differently raises `Refused`, which `posix.scan` turns into
a refusal with an offset.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, Assignment, Expansion, ExpansionKind, Refusal, SimpleCommand, Word

if TYPE_CHECKING:
    from nacre.policy.dialect import Dialect

# Every open bracket, group or substitution costs about ten Python frames; 40 of them stay far below the
# interpreter's limit, and nobody writes a command that deep by hand.
MAX_DEPTH = 40
MAX_NESTINGS = 50_000

_SIMPLE_WORD = re.compile(
    r"[^ \t\n|&;()<>'\"`\\$*?\[{}~#=]++[^ \t\n|&;()<>'\"`\\$*?\[{}~#]*+(?=[ \t\n|&;<>)]|\Z)"
)
_PLAIN = re.compile(r"[^ \t\n|&;()<>'\"`\\$*?\[{}~#]+")
_WORD_END = frozenset(" \t\n|&;()<>")
_DOUBLE_WHOLE = re.compile(r'"([^"\\$`]*+)"')
_DOUBLE_PLAIN = re.compile(r'[^"\\$`]+')
_HEREDOC_PLAIN = re.compile(r"[^\\$`]+")
_ANSI = re.compile(r"(?:[^'\\]|\\.)*+", re.DOTALL)
_BACKTICK = re.compile(r"(?:[^`\\]|\\.)*+", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLAIN_BRACES = re.compile(r"\{(?:[A-Za-z0-9_./-]*(?:,[A-Za-z0-9_./-]*)+)?\}")
_DESCRIPTOR_VARIABLE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}(?:\\\n)*[<>]")
_DIGITS = re.compile(r"[0-9]+")
_SPECIAL_PARAMETERS = frozenset("@*#?$!-0123456789")
_ANSI_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ANSI_LETTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "E": "\x1b",
    "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_ASCII_LAST = 0x7F
_UNICODE_LAST = 0x10FFFF
_SURROGATES = (0xD800, 0xDFFF)
_ARITHMETIC_PLAIN = re.compile(r"(?:[A-Za-z0-9_ \t\n+\-*/%=!&|^~?:,.@\[\]]|(?<=[0-9])#|[<>](?!\())+")
_HARMLESS_QUOTES = re.compile(r'"[^"()\\`]*"')
_AMBIGUOUS_ARITHMETIC = re.compile(r"['\"\\`\n]|(?<![0-9$])#|<<(?![0-9 ])|\bcase\b|\besac\b")
_IDENTIFIER = re.compile(r"(?<![0-9A-Za-z_#])[A-Za-z_]")
_PARAMETER_TAIL = re.compile(r"[^}'\"\\$`{<>\n]+")
_PLAIN_TAIL = re.compile(r"[A-Za-z0-9_./:=@%+,-]*\Z")
_PARAMETER_OPERATOR = re.compile(r":?[-=?+]|##?|%%?")
_RICH_OPERATOR = re.compile(r"//?|/[#%]|\^\^?|,,?|:|@")
_SUBSCRIPT = re.compile(r"\[([@*]|[A-Za-z0-9_$+ -]*)\]")
_HOSTILE = re.compile(r"\$[({\[]|`")


class Refused(Exception):  # noqa: N818 - a control flow signal inside the scanner, never seen outside
    """The text is not understood at this offset."""

    def __init__(self, reason: str, at: int, end: int | None = None) -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason, at, at + 1 if end is None else end)


class Pieces:
    """A word while it is being read."""

    __slots__ = ("braces", "expansions", "glob", "quoted", "text", "tilde")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.expansions: list[Expansion] = []
        self.quoted = False
        self.glob: int | None = None
        self.braces = False
        self.tilde = False

    def unknown(self, kind: ExpansionKind, name: str, *, quoted: bool, first: int = 0, last: int = 0) -> None:
        """Add a piece whose text is only known when the command runs."""
        self.add(Expansion(kind, name, quoted, first, last, each=name == "@"))

    def add(self, expansion: Expansion) -> None:
        """The same, for a piece about which more is known."""
        self.text.append(UNKNOWN)
        self.expansions.append(expansion)

    def matches_files(self) -> None:
        """The next character is one of a pattern."""
        if self.glob is None:
            self.glob = sum(map(len, self.text))


class WordScanner:
    """Reads words at `pos`; `nested` is supplied by the grammar above."""

    def __init__(self, text: str, dialect: Dialect, depth: int = 0) -> None:
        self.text = text
        self.end: int = len(text)
        self.pos: int = 0
        self.depth: int = depth
        self.nestings: int = 0
        self.dialect = dialect
        self.zsh = dialect.name == "zsh"
        self.commands: list[SimpleCommand] = []
        self.unresolved: list[Refusal] = []
        # Literal text that would be live if something evaluated it again, and the places where values are.
        self.hostile = False
        self.evaluated: Refusal | None = None

    def nested(self, closer: str, opened_at: int) -> None:
        """Read commands up to `closer` (the grammar's part)."""
        raise NotImplementedError

    def quoted_script(self, script: str, start: int, end: int) -> None:
        """Read a script whose text differs from the source between `start` and `end` (the grammar's part)."""
        raise NotImplementedError

    # -- words ---------------------------------------------------------------------------------------------

    def word(self) -> Word:
        """The word that begins at `pos`; its text is empty only if it is written as an empty quote."""
        start = self.pos
        simple = _SIMPLE_WORD.match(self.text, start, self.end)
        if simple is not None:
            self.pos = simple.end()
            return Word(simple.group(), start, self.pos)
        pieces = Pieces()
        self._read_pieces(pieces, start)
        if self.pos == start:
            raise Refused("a word is missing here", start)
        text = "".join(pieces.text)
        return Word(
            text,
            start,
            self.pos,
            pieces.quoted,
            pieces.glob if text != "[" else None,  # alone it is the name of `test`
            pieces.braces,
            pieces.tilde,
            tuple(pieces.expansions),
        )

    def _read_pieces(self, pieces: Pieces, start: int) -> None:
        text = self.text
        if self.zsh and text.startswith("=", start):
            raise Refused("zsh replaces =name with a program's path", start)
        while self.pos < self.end:
            plain = _PLAIN.match(text, self.pos, self.end)
            if plain is not None:
                pieces.text.append(plain.group())
                self.pos = plain.end()
                continue
            char = text[self.pos]
            if char in _WORD_END:
                if char in "<>" and text.startswith("(", self.pos + 1):
                    self._process_substitution(pieces)
                    continue
                if char == "(":
                    raise Refused("an unquoted parenthesis inside a word", self.pos)
                return
            self.special(char, pieces, start)

    def special(self, char: str, pieces: Pieces, start: int) -> None:
        """One quote, escape, expansion or pattern character outside quotes."""
        if char == "'":
            pieces.quoted = True
            pieces.text.append(self._single_quotes())
        elif char == '"':
            pieces.quoted = True
            self._double_quotes(pieces)
        elif char == "\\":
            self._escape(pieces)
        elif char == "$":
            self.dollar(pieces, quoted=False)
        elif char == "`":
            self.backtick(pieces, quoted=False)
        else:
            self._pattern_character(char, pieces, start)

    def _pattern_character(self, char: str, pieces: Pieces, start: int) -> None:
        if char in "*?[":
            pieces.matches_files()
        elif char == "~":
            pieces.tilde = pieces.tilde or self.pos == start or self.text[self.pos - 1] in "=:"
        elif char in "{}":
            self._brace(pieces, start)
            char = self.text[self.pos]
        elif self.pos == start:
            # A hash that begins a word begins a comment; callers skip comments before they ask for a word.
            raise Refused("a comment where a word should be", start)
        pieces.text.append(char)
        self.pos += 1

    def _brace(self, pieces: Pieces, start: int) -> None:
        if self.zsh:
            self._zsh_brace(pieces)
        elif self.text[self.pos] == "{":
            if _DESCRIPTOR_VARIABLE.match(self.text, self.pos, self.end):
                raise Refused("a redirection whose descriptor is a variable", self.pos)
            alone = self.pos == start and self.text[self.pos + 1 : self.pos + 2] in {"", "}", " ", "\t", "\n"}
            pieces.braces = pieces.braces or not alone

    def _zsh_brace(self, pieces: Pieces) -> None:
        """Zsh ends a group at any `}`: only `{}` and a plain `{a,b}` are sure to be part of a word."""
        found = _PLAIN_BRACES.match(self.text, self.pos, self.end)
        if found is None:
            raise Refused("zsh reads unquoted braces in its own way", self.pos)
        pieces.braces = pieces.braces or len(found.group()) > 2  # noqa: PLR2004 - more than `{}`
        pieces.text.append(found.group()[:-1])
        self.pos = found.end() - 1

    def _escape(self, pieces: Pieces) -> None:
        if self.pos + 1 >= self.end:
            raise Refused("a backslash with nothing after it", self.pos)
        escaped = self.text[self.pos + 1]
        self.pos += 2
        if escaped == "\n":
            return
        pieces.quoted = True
        if escaped in "$`":
            self.hostile = True
        pieces.text.append(escaped)

    def _single_quotes(self) -> str:
        closing = self.text.find("'", self.pos + 1, self.end)
        if closing < 0:
            raise Refused("a single quote is not closed", self.pos)
        content = self.text[self.pos + 1 : closing]
        self.pos = closing + 1
        self.note_literal(content)
        return content

    def note_literal(self, content: str) -> None:
        """Remember that some literal text would run commands if it were evaluated."""
        if not self.hostile and _HOSTILE.search(content) is not None:
            self.hostile = True

    def _double_quotes(self, pieces: Pieces) -> None:
        opened = self.pos
        plain = _DOUBLE_WHOLE.match(self.text, opened, self.end)
        if plain is not None:
            pieces.text.append(plain.group(1))
            self.pos = plain.end()
            return
        self.pos += 1
        self._quoted_run(pieces, _DOUBLE_PLAIN, '"')
        if self.pos >= self.end:
            raise Refused("a double quote is not closed", opened)
        self.pos += 1

    def heredoc_run(self, pieces: Pieces) -> None:
        """The body of an unquoted here-document, up to `end`."""
        self._quoted_run(pieces, _HEREDOC_PLAIN, "")

    def _quoted_run(self, pieces: Pieces, plain: re.Pattern[str], closer: str) -> None:
        """Text in which only backslash, dollar and backtick are special, up to `closer` or the end."""
        text = self.text
        while self.pos < self.end:
            run = plain.match(text, self.pos, self.end)
            if run is not None:
                pieces.text.append(run.group())
                self.pos = run.end()
                continue
            char = text[self.pos]
            if char == closer:
                return
            if char == "\\":
                self._double_escape(pieces, closer)
            elif char == "$":
                self.dollar(pieces, quoted=True, heredoc=not closer)
            else:
                self.backtick(pieces, quoted=True, heredoc=not closer)

    def _double_escape(self, pieces: Pieces, closer: str) -> None:
        if self.pos + 1 >= self.end:
            if closer:
                raise Refused("a double quote is not closed", self.pos)
            pieces.text.append("\\")
            self.pos += 1
            return
        escaped = self.text[self.pos + 1]
        self.pos += 2
        if escaped == "\n":
            return
        if escaped in "$`":
            self.hostile = True
        if escaped in "$`\\" or escaped == closer:
            pieces.text.append(escaped)
        else:
            pieces.text.append("\\" + escaped)

    # -- dollars -------------------------------------------------------------------------------------------

    def dollar(self, pieces: Pieces, *, quoted: bool, heredoc: bool = False) -> None:
        """Whatever a `$` begins here."""
        start = self.pos
        following = self.text[start + 1 : start + 2] if start + 1 < self.end else ""
        name = _NAME.match(self.text, start + 1, self.end)
        if name is not None:
            self.pos = name.end()
            self._after_variable(start)
            pieces.unknown("variable", name.group(), quoted=quoted)
        elif following and following in _SPECIAL_PARAMETERS:
            self.pos = start + 2
            self._after_variable(start)
            pieces.unknown("variable", following, quoted=quoted)
        elif following == "(":
            self._parenthesis(pieces, quoted=quoted)
        elif following == "{":
            self._parameter(pieces, quoted=quoted)
        elif following and following in "'\"" and not quoted:
            self._dollar_quotes(pieces, following)
        else:
            self._lone_dollar(pieces, following, heredoc=heredoc)

    def _after_variable(self, start: int) -> None:
        if self.text.startswith("\\\n", self.pos):
            raise Refused("a continued line inside a variable's name", self.pos)
        if self.zsh and self.text.startswith("[", self.pos):
            raise Refused("zsh evaluates what is between the brackets", start)

    def _lone_dollar(self, pieces: Pieces, following: str, *, heredoc: bool) -> None:
        if following == "[":
            raise Refused("old arithmetic `$[...]`; write `$((...))`", self.pos, self.pos + 2)
        if self.text.startswith("\\\n", self.pos + 1):
            raise Refused("a continued line after a dollar sign", self.pos)
        if self.zsh and following and following in "~=^+:":
            raise Refused("zsh expands this in its own way", self.pos)
        if heredoc and following and following in "'\"":
            raise Refused("a dollar sign before a quote in a here-document", self.pos)
        pieces.text.append("$")
        self.pos += 1

    def _dollar_quotes(self, pieces: Pieces, quote: str) -> None:
        pieces.quoted = True
        if quote == '"':
            if not self.dialect.locale_quotes:
                raise Refused('this shell has no $"..." strings', self.pos)
            self.pos += 1
            self._double_quotes(pieces)
            return
        if not self.dialect.ansi_quotes:
            raise Refused("this shell has no $'...' strings", self.pos)
        pieces.text.append(self._ansi_quotes())

    def _ansi_quotes(self) -> str:
        start = self.pos
        found = _ANSI.match(self.text, start + 2, self.end)
        closing = found.end() if found is not None else self.end
        if closing >= self.end:
            raise Refused("a $'...' string is not closed", start)
        content = self.text[start + 2 : closing]
        self.pos = closing + 1
        if "\\" in content:
            content = _ANSI_ESCAPE.sub(lambda match: self._ansi_character(match, start), content)
        self.note_literal(content)
        return content

    def _ansi_character(self, match: re.Match[str], start: int) -> str:
        hexadecimal, short, long, octal, letter = match.groups()
        if letter is not None:
            plain = _ANSI_LETTERS.get(letter)
            if plain is None:
                raise Refused("an unusual escape in a $'...' string", start)
            return plain
        digits = hexadecimal or short or long
        code = int(digits, 16) if digits else int(octal, 8)
        if code == 0 or code > _UNICODE_LAST or _SURROGATES[0] <= code <= _SURROGATES[1]:
            # A NUL ends the string in some shells.
            raise Refused("an unusual escape in a $'...' string", start)
        if code > _ASCII_LAST and not (short or long):
            return "\N{REPLACEMENT CHARACTER}"  # one byte of a longer character: never a letter of a name
        return chr(code)

    # -- substitutions -------------------------------------------------------------------------------------

    def descend(self, at: int) -> None:
        """Open one more level of nesting; the caller closes it with `depth -= 1`."""
        self.depth += 1
        self.nestings += 1
        if self.nestings > MAX_NESTINGS:
            raise Refused(f"more than {MAX_NESTINGS} substitutions and groups", at)
        if self.depth > MAX_DEPTH:
            raise Refused(f"more than {MAX_DEPTH} levels of nesting", at)

    def _parenthesis(self, pieces: Pieces, *, quoted: bool) -> None:
        start = self.pos
        self.descend(start)
        if self.text.startswith("((", start + 1):
            self.pos = start + 3
            self.arithmetic(start)
            pieces.unknown("arithmetic", "", quoted=quoted)
        else:
            self.pos = start + 2
            if self.text.startswith("\\\n", self.pos):
                raise Refused("a continued line after `$(`", self.pos)
            first = len(self.commands)
            self.nested(")", start)
            pieces.unknown("command", "", quoted=quoted, first=first, last=len(self.commands))
        self.depth -= 1

    def _process_substitution(self, pieces: Pieces) -> None:
        start = self.pos
        if not self.dialect.process_substitution:
            raise Refused("this shell has no process substitution", start)
        if self.text.startswith(("(", "\\\n"), start + 2):
            # bash looks for the end of `<((` as if it were arithmetic, without minding comments and patterns.
            raise Refused("a parenthesis or a continued line directly after a process substitution's", start)
        self.descend(start)
        self.pos = start + 2
        first = len(self.commands)
        self.nested(")", start)
        pieces.unknown("process", "", quoted=False, first=first, last=len(self.commands))
        self.depth -= 1

    def arithmetic(self, opened_at: int, *, semicolons: bool = False) -> None:
        """An arithmetic expression up to its `))`, which must close both parentheses at once."""
        text = self.text
        open_parentheses = 0
        inner = Pieces()
        while self.pos < self.end:
            run = _ARITHMETIC_PLAIN.match(text, self.pos, self.end)
            if run is not None:
                if _IDENTIFIER.search(run.group()) is not None:
                    self.note_evaluation(opened_at)
                self.pos = run.end()
                continue
            char = text[self.pos]
            if char == "(":
                open_parentheses += 1
                self.pos += 1
            elif char == ")" and open_parentheses:
                open_parentheses -= 1
                self.pos += 1
            elif char == ")" and text.startswith("))", self.pos) and self.pos + 1 < self.end:
                self.pos += 2
                self._surely_arithmetic(opened_at)
                return
            elif char == ";" and semicolons and not open_parentheses:
                self.pos += 1
            else:
                self._arithmetic_expansion(char, inner, opened_at)
        raise Refused("an arithmetic expression is not closed", opened_at)

    def _surely_arithmetic(self, opened_at: int) -> None:
        """Refuse where bash, which counts parentheses, could take `$((` for a subshell in `$(`."""
        raw = _HARMLESS_QUOTES.sub("", self.text[opened_at : self.pos])
        if raw.count("[") != raw.count("]") or (self.zsh and "[" in raw):
            raise Refused("brackets in an arithmetic expression", opened_at)
        if ("(" in raw[3:-2] and _AMBIGUOUS_ARITHMETIC.search(raw)) or raw.count("(") != raw.count(")"):
            raise Refused("arithmetic that could be read as commands", opened_at)

    def _arithmetic_expansion(self, char: str, inner: Pieces, opened_at: int) -> None:
        if char == "$":
            before = self.pos
            self.dollar(inner, quoted=True)
            if self.text[before + 1 : before + 2] not in {"#", "?"}:
                self.note_evaluation(opened_at)
        elif char == "`":
            self.backtick(inner, quoted=True)
        else:
            raise Refused(f"{char!r} in an arithmetic expression", self.pos)

    def note_evaluation(self, at: int) -> None:
        """Remember that a variable's value is evaluated as an expression, which can run commands."""
        if self.evaluated is None:
            self.evaluated = Refusal("arithmetic evaluates a value that may hold a command", at, at + 2)

    def backtick(self, pieces: Pieces, *, quoted: bool, heredoc: bool = False) -> None:
        """An old-style command substitution; only a backslash is special while its end is looked for."""
        start = self.pos
        found = _BACKTICK.match(self.text, start + 1, self.end)
        closing = found.end() if found is not None else self.end
        if closing >= self.end:
            raise Refused("a backtick is not closed", start)
        self.descend(start)
        first = len(self.commands)
        script = self.text[start + 1 : closing]
        if "\\" not in script:
            outer_end, self.end = self.end, closing
            self.pos = start + 1
            self.nested("", start)
            self.end = outer_end
        else:
            if heredoc and '\\"' in script:
                raise Refused("an escaped quote inside backticks in a here-document", start)
            escapes = r"\\([`\\$\"])" if quoted and not heredoc else r"\\([`\\$])"
            self.quoted_script(re.sub(escapes, r"\1", script), start, closing + 1)
        self.depth -= 1
        self.pos = closing + 1
        pieces.unknown("command", "", quoted=quoted, first=first, last=len(self.commands))

    # -- parameters ----------------------------------------------------------------------------------------

    def _parameter(self, pieces: Pieces, *, quoted: bool) -> None:
        start = self.pos
        self.descend(start)
        self.pos = start + 2
        expansion = self._parameter_body(start, quoted=quoted)
        if not self.text.startswith("}", self.pos) or self.pos >= self.end:
            raise Refused("this `${...}` is not understood", start)
        self.pos += 1
        self.depth -= 1
        pieces.add(expansion)

    def _parameter_body(self, start: int, *, quoted: bool) -> Expansion:
        """Everything up to the closing brace."""
        text = self.text
        if text.startswith("#", self.pos) and not text.startswith("#}", self.pos):
            self.pos += 1
            return Expansion("parameter", self._parameter_name(start)[0], quoted, operator="length")
        if text.startswith("!", self.pos) and not text.startswith("!}", self.pos):
            self.pos += 1
            return Expansion("parameter", self._indirect(start), quoted, operator="!", each=True)
        name, subscript = self._parameter_name(start)
        each = subscript == "@" or name == "@"
        operator = _PARAMETER_OPERATOR.match(text, self.pos, self.end)
        if operator is None and self.dialect.rich_parameters:
            operator = _RICH_OPERATOR.match(text, self.pos, self.end)
        if operator is None:
            return Expansion(
                "variable" if not subscript else "parameter",
                name,
                quoted,
                operator="[" if subscript else "",
                each=each,
            )
        self.pos = operator.end()
        argument: Word | None = None
        if operator.group() == "@":
            self._transformation(start)
        else:
            if operator.group() == ":":
                self._offset(start)
            if operator.group() in {"=", ":="}:
                self._assigned(name, start)
            argument = self._parameter_tail(start, quoted=quoted)
        if subscript:
            argument = None
        return Expansion("parameter", name, quoted, operator=operator.group(), argument=argument, each=each)

    def _parameter_name(self, start: int) -> tuple[str, str]:
        """The name, and the subscript if there is one."""
        text = self.text
        found = _NAME.match(text, self.pos, self.end)
        if found is None:
            if self.pos >= self.end or text[self.pos] not in _SPECIAL_PARAMETERS:
                raise Refused("this `${...}` is not understood", start)
            digits = _DIGITS.match(text, self.pos, self.end)
            begin = self.pos
            self.pos = digits.end() if digits is not None else begin + 1
            return text[begin : self.pos], ""
        self.pos = found.end()
        if not text.startswith("[", self.pos):
            return found.group(), ""
        subscript = _SUBSCRIPT.match(text, self.pos, self.end)
        if subscript is None or not self.dialect.arrays:
            raise Refused("this array subscript is not understood", self.pos)
        self.pos = subscript.end()
        if _IDENTIFIER.search(subscript.group(1)) is not None:
            self.note_evaluation(start)
        return found.group(), subscript.group(1)

    def _indirect(self, start: int) -> str:
        if not self.dialect.rich_parameters:
            raise Refused("this shell has no `${!...}`", start)
        name, _ = self._parameter_name(start)
        if self.text.startswith(("*}", "@}"), self.pos):
            self.pos += 1
        elif not self.text.startswith("]", self.pos - 1):
            self.unresolved.append(Refusal("`${!name}` reads a variable chosen at run time", start, self.pos))
        return name

    def _transformation(self, start: int) -> None:
        letter = self.text[self.pos : self.pos + 1]
        if not letter or letter not in "QEAaUuLkK" or not self.text.startswith("}", self.pos + 1):
            raise Refused("`${x@P}` and unknown transformations run what a value holds", start)
        self.pos += 1

    def _offset(self, start: int) -> None:
        """`${x:offset:length}` is arithmetic: identifiers in it are evaluated."""
        closing = self.text.find("}", self.pos, self.end)
        if _IDENTIFIER.search(self.text, self.pos, closing if closing >= 0 else self.end) is not None:
            self.note_evaluation(start)

    def _assigned(self, name: str, start: int) -> None:
        assignment = Assignment(name, None, start, self.pos)
        self.commands.append(SimpleCommand((), (assignment,), (), start, self.pos))

    def _parameter_tail(self, start: int, *, quoted: bool) -> Word | None:
        """The word inside `${x:-word}`, if it is plain; quotes that depend on outer quotes are refused."""
        inner = Pieces()
        text = self.text
        begin = self.pos
        while self.pos < self.end and text[self.pos] != "}":
            run = _PARAMETER_TAIL.match(text, self.pos, self.end)
            if run is not None:
                self.pos = run.end()
                continue
            char = text[self.pos]
            if char in "<>" and not text.startswith("(", self.pos + 1):
                self.pos += 1
            elif char == "\\" and not text.startswith(("\\\n", "\\}"), self.pos):
                self.pos += 2
            elif char == "$":
                self.dollar(inner, quoted=quoted)
            elif char == "`":
                self.backtick(inner, quoted=quoted)
            elif char in "'\"" and not quoted:
                self.special(char, inner, start)
            else:
                raise Refused(f"{char!r} inside `${{...}}`", self.pos)
        raw = text[begin : self.pos]
        plain = _PLAIN_TAIL.match(raw) is not None
        return Word(raw, begin, self.pos, quoted=True) if plain else None
