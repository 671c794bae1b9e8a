"""Words of POSIX shells: quotes, escapes and expansions, read exactly or refused.

Above: `posix` adds the grammar (lists, loops, here-documents) and supplies `nested`, which reads the
commands inside a substitution. Below: `parameters`, `pieces`, `model` and `grammar`. This module knows no
rule and no program, and it never guesses: it reads the plain part of the language, which every version of
every shell reads alike, and refuses the rest with a hint at the plainer way to write it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, Certain, Evaluated, Expansion, Refusal, SimpleCommand, Word
from nacre.policy.parameters import NAME, SPECIAL_PARAMETERS, ParameterScanner
from nacre.policy.patterns import regex
from nacre.policy.pieces import Pieces
from nacre.policy.refusal import NotUnderstood

if TYPE_CHECKING:
    from nacre.policy.grammar import Grammar
    from nacre.policy.model import ExpansionKind

# Every open bracket, group or substitution costs about ten Python frames; 40 of them stay far below the
# interpreter's limit, and nobody writes a command that deep by hand.
MAX_DEPTH = 40
# A verdict costs about 20 microseconds a word: beyond these bounds it would keep the server busy.
MAX_WORDS = 10_000

# Spaces that are no blanks for a shell, but look like one, and may be one in some locale.
_ODD_SPACES = "\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SPECIAL = r" \t\n|&;()<>'\"`\\$*?\[{}~#" + _ODD_SPACES
_SIMPLE_WORD = regex(rf"[^{_SPECIAL}=]++[^{_SPECIAL}]*+(?=[ \t\n|&;)]|[<>](?!\()|\Z)")
# An argument that is nothing but itself, with the blanks before it; a digit may belong to a redirection.
_PLAIN_ARGUMENT = regex(rf"[ \t]*+([^{_SPECIAL}=0-9][^{_SPECIAL}]*+)(?=[ \t\n|&;)]|[<>](?!\()|\Z)")
_PLAIN = regex(rf"[^{_SPECIAL}]+")
_WORD_END = frozenset(" \t\n|&;()<>")
_DOUBLE_WHOLE = regex(r'"([^"\\$`]*+)"')
_DOUBLE_PLAIN = regex(r'[^"\\$`]+')
_HEREDOC_PLAIN = regex(r"[^\\$`]+")
_ANSI = regex(r"(?:[^'\\]|\\.)*+", re.DOTALL)
_DESCRIPTOR_VARIABLE = regex(r"\{[A-Za-z_][A-Za-z0-9_]*\}(?:\\\n)*[<>]")
_ANSI_ESCAPE = regex(r"\\(?:x([0-7][0-9A-Fa-f])(?![0-9A-Fa-f])|([01][0-7]{2})|(.))", re.DOTALL)
_ANSI_LETTERS = {
    "n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b",
    "\\": "\\", "'": "'", '"': '"',
}  # fmt: skip
_HOSTILE = regex(r"\$[({\[]|`")
_AFTER_COUNT = frozenset(" \t\n'\"`;|&<>()]},./:+%")
_SUBSTITUTION = "write it as `$(...)`"
_QUALIFIER = regex(r"\([./@]\)(?=[ \t\n;|&)]|\Z)")
_SINGLE = "put the text into single quotes"
_PROGRAM_PATH = "zsh replaces =name with a program's path"


class WordScanner(ParameterScanner):
    """Reads words at `pos`; `nested` is supplied by the grammar above."""

    def __init__(self, text: str, grammar: Grammar) -> None:
        self.text = text
        self.end: int = len(text)
        self.pos: int = 0
        self.depth: int = 0
        # How many command substitutions are open, how many words there were so far.
        self.substitutions: int = 0
        self.count = 0
        self.grammar = grammar
        self.zsh: bool = grammar.name == "zsh"
        self.commands: list[SimpleCommand] = []
        self.unresolved: list[Refusal] = []
        self.evaluated: list[Evaluated] = []
        self.keyed: list[Certain] = []
        self.expanded_at: int | None = None
        # Literal text that would be live if something evaluated it again.
        self.hostile = False

    def spend(self, at: int, amount: int = 1) -> None:
        """Count what was read; beyond the bound the text is refused."""
        self.count += amount
        if self.count > MAX_WORDS:
            raise NotUnderstood(f"more than {MAX_WORDS} words", at, hint="run it as several commands")

    def nested(self, closer: str, opened_at: int) -> None:
        """Read commands up to `closer` (the grammar's part)."""
        raise NotImplementedError

    # -- words ---------------------------------------------------------------------------------------------

    def words(self) -> list[Word]:
        """The word that begins at `pos`, as the words that its braces make of it."""
        start = self.pos
        self.spend(start)
        simple = _SIMPLE_WORD.match(self.text, start, self.end)
        if simple is not None:
            self.pos = simple.end()
            return [Word(simple.group(), start, self.pos)]
        pieces = Pieces()
        if self.text.startswith(("<(", ">("), start):
            self._process_substitution(pieces)
        else:
            self._read_pieces(pieces, start)
        if self.pos == start:
            raise NotUnderstood("a word is missing here", start)
        found = pieces.words(start, self.pos)
        self.spend(start, len(found) - 1)
        return found

    def plain_arguments(self, words: list[Word]) -> None:
        """Add the arguments that follow as long as there is nothing special about them."""
        while (found := _PLAIN_ARGUMENT.match(self.text, self.pos, self.end)) is not None:
            start, self.pos = found.span(1)
            self.spend(start)
            words.append(Word(found[1], start, self.pos))

    def word(self) -> Word:
        """The one word that begins at `pos`."""
        start = self.pos
        found = self.words()
        if len(found) != 1:
            raise NotUnderstood("braces where one word is expected", start, self.pos, hint=_SINGLE)
        return found[0]

    def _read_pieces(self, pieces: Pieces, start: int) -> None:
        text = self.text
        # By itself it is no name: `[ "$x" = y ]`.
        if self.zsh and text.startswith("=", start) and not text.startswith(("= ", "=\t"), start):
            raise NotUnderstood(_PROGRAM_PATH, start, hint=_SINGLE)
        while self.pos < self.end:
            plain = _PLAIN.match(text, self.pos, self.end)
            if plain is not None:
                if self.zsh and pieces.text and not any(pieces.text) and plain.group().startswith("="):
                    raise NotUnderstood(_PROGRAM_PATH, start, hint=_SINGLE)  # also behind empty quotes
                pieces.text.append(plain.group())
                self.pos = plain.end()
                continue
            char = text[self.pos]
            if char in _WORD_END:
                if char in "<>" and text.startswith("(", self.pos + 1):
                    raise NotUnderstood(
                        "a process substitution inside a word", self.pos, hint="put a blank before it"
                    )
                if char == "(":
                    self._qualifier(pieces)
                return
            if char == "\\" and text.startswith("\n", self.pos + 1):
                self._continuation(start)
                return
            self.special(char, pieces, start)

    def _qualifier(self, pieces: Pieces) -> None:
        """`*.md(.)` of zsh: only files, directories or links; other letters run code, or bring more names."""
        found = _QUALIFIER.match(self.text, self.pos, self.end)
        if not self.zsh or not pieces.has_pattern or found is None:
            raise NotUnderstood("an unquoted parenthesis inside a word", self.pos, hint=_SINGLE)
        self.pos = found.end()

    def _continuation(self, start: int) -> None:
        """A line that goes on directly after a word: it ends there, if the next line begins with a blank."""
        following = self.text[self.pos + 2 : self.pos + 3]
        if self.pos == start or (following and following not in " \t\n"):
            hint = "put a blank before the backslash, or write the word on one line"
            raise NotUnderstood("a continued line inside a word", self.pos, self.pos + 2, hint=hint)

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
        elif char in "{}":
            self._brace(pieces)
        else:
            self._pattern_character(char, pieces, start)

    def _pattern_character(self, char: str, pieces: Pieces, start: int) -> None:
        if char in "*?[":
            pieces.matches_files()
            if self.zsh:
                self.note_abort()  # a pattern that matches nothing is an error
        elif char == "~":
            # zsh expands it after empty quotes and values, too
            first = not any(piece and not (self.zsh and piece == UNKNOWN) for piece in pieces.text)
            # mksh where a value has ended in a blank
            split = self.grammar.name == "ksh" and pieces.text[-1:] == [UNKNOWN]
            pieces.tilde = pieces.tilde or first or split or self.text[self.pos - 1] in "=:"
        elif char != "#":
            hint = "write a plain blank, or put it into quotes"
            raise NotUnderstood(f"the odd space U+{ord(char):04X}", self.pos, hint=hint)
        elif self.pos == start:
            # A hash that begins a word begins a comment; callers skip comments before they ask for a word.
            raise NotUnderstood("a comment where a word should be", start, hint="put the hash into quotes")
        pieces.text.append(char)
        self.pos += 1

    def _brace(self, pieces: Pieces) -> None:
        if self.text[self.pos] == "}":
            raise NotUnderstood("a closing brace without an opening one", self.pos, hint=_SINGLE)
        if _DESCRIPTOR_VARIABLE.match(self.text, self.pos, self.end):
            raise NotUnderstood(
                "a redirection whose descriptor is a variable", self.pos, hint="write its number"
            )
        self.pos = pieces.braces(self.text, self.pos, self.end, self.grammar)

    def _escape(self, pieces: Pieces) -> None:
        if self.pos + 1 >= self.end:
            raise NotUnderstood("a backslash with nothing after it", self.pos, hint="leave it out")
        escaped = self.text[self.pos + 1]
        if escaped == "&" and self.substitutions:
            # bash 5.2 writes a substitution out and reads it again, and puts no `;` behind an ampersand.
            raise NotUnderstood("an escaped ampersand in a substitution", self.pos, hint=_SINGLE)
        self.pos += 2
        pieces.quoted = True
        if escaped in "$`":
            self.hostile = True
        pieces.text.append(escaped)

    def _single_quotes(self) -> str:
        closing = self.text.find("'", self.pos + 1, self.end)
        if closing < 0:
            raise NotUnderstood(
                "a single quote is not closed", self.pos, hint="close it; inside, write '\\'' for one"
            )
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
            raise NotUnderstood(
                "a double quote is not closed", opened, hint='close it; inside, write \\" for one'
            )
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
            self.spend(self.pos)
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
                raise NotUnderstood("a double quote is not closed", self.pos, hint="close it")
            pieces.text.append("\\")
            self.pos += 1
            return
        escaped = self.text[self.pos + 1]
        if escaped == "\n":
            if self.substitutions or not closer:
                raise NotUnderstood(
                    "a continued line inside quotes in a substitution", self.pos, hint=_SINGLE
                )
            self.pos += 2
            return
        self.pos += 2
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
        self.spend(start)
        following = self.text[start + 1 : start + 2] if start + 1 < self.end else ""
        name = NAME.match(self.text, start + 1, self.end)
        if name is not None:
            self.pos = name.end()
            self._after_variable(start, name.group())
            self.note_unset(name.group())
            pieces.unknown("variable", name.group(), quoted=quoted)
        elif following and following in SPECIAL_PARAMETERS:
            self.pos = start + 2
            self._after_variable(start, following)
            self.note_unset(following)
            pieces.unknown("variable", following, quoted=quoted)
        elif following == "(":
            self._parenthesis(pieces, quoted=quoted)
        elif following == "{":
            self.parameter(pieces, quoted=quoted)
        elif following and following in "'\"" and not quoted:
            self._dollar_quotes(pieces, following)
        else:
            self._lone_dollar(pieces, following, heredoc=heredoc)

    def _after_variable(self, start: int, name: str) -> None:
        """What stands directly after a name must not be part of it in any shell."""
        following = self.text[self.pos : self.pos + 2]
        if following == "\\\n" or (following and not following[0].isascii()):
            hint = f"write `${{{name}}}` before it"
            raise NotUnderstood("a continued line or a letter directly after a variable", self.pos, hint=hint)
        longer = (name.isdigit() and following[:1].isdigit()) or (
            name == "#" and bool(following) and following[0] not in _AFTER_COUNT
        )
        # `:h`, `:&`, also on the next line.
        modified = following[:1] == ":" and (following[1:].isalpha() or following[1:] in {"&", "\\"})
        subscript = self.zsh and (following[:1] == "[" or modified)
        if longer or subscript:
            hint = f"write `${{{name}}}`, then what follows"
            raise NotUnderstood("shells disagree where this variable's name ends", start, self.pos, hint=hint)

    def _lone_dollar(self, pieces: Pieces, following: str, *, heredoc: bool) -> None:
        if following == "[":
            raise NotUnderstood("old arithmetic `$[...]`", self.pos, self.pos + 2, hint="write `$((...))`")
        if self.text.startswith("\\\n", self.pos + 1):
            raise NotUnderstood("a continued line after a dollar sign", self.pos, hint="write it on one line")
        if following and not following.isascii():
            hint = "write \\$ for a plain dollar sign"
            raise NotUnderstood("a dollar sign before what may be a name in some shells", self.pos, hint=hint)
        if self.zsh and following and following in "~=^+:":
            raise NotUnderstood("zsh expands this in its own way", self.pos, hint=_SINGLE)
        if heredoc and following and following in "'\"":
            hint = "write \\$, or quote the delimiter"
            raise NotUnderstood("a dollar sign before a quote in a here-document", self.pos, hint=hint)
        pieces.text.append("$")
        self.pos += 1

    def _dollar_quotes(self, pieces: Pieces, quote: str) -> None:
        pieces.quoted = True
        if quote == '"':
            hint = "leave out the dollar sign"
            raise NotUnderstood(
                '$"..." is looked up in a catalogue of messages', self.pos, self.pos + 2, hint=hint
            )
        if not self.grammar.ansi_quotes:
            raise NotUnderstood("this shell has no $'...' strings", self.pos, hint="use printf")
        pieces.text.append(self._ansi_quotes())

    def _ansi_quotes(self) -> str:
        start = self.pos
        found = _ANSI.match(self.text, start + 2, self.end)
        closing = found.end() if found is not None else self.end
        if closing >= self.end:
            raise NotUnderstood("a $'...' string is not closed", start, hint="close it")
        content = self.text[start + 2 : closing]
        self.pos = closing + 1
        if "\\" in content:
            if self.substitutions and "\\'" in content:
                raise NotUnderstood(
                    "an escaped quote in a $'...' string in a substitution", start, hint=_SINGLE
                )
            content = _ANSI_ESCAPE.sub(lambda match: self._ansi_character(match, start), content)
        self.note_literal(content)
        return content

    def _ansi_character(self, match: re.Match[str], start: int) -> str:
        hexadecimal, octal, letter = match.groups()
        if letter is not None:
            plain = _ANSI_LETTERS.get(letter)
            if plain is None:
                hint = "use \\n, \\t, \\\\, \\', \\xHH or the character itself"
                raise NotUnderstood(
                    "an escape in a $'...' string that shells read differently", start, hint=hint
                )
            return plain
        code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
        if code == 0:
            raise NotUnderstood("a NUL in a $'...' string ends it in some shells", start, hint="leave it out")
        return chr(code)

    # -- substitutions -------------------------------------------------------------------------------------

    def descend(self, at: int) -> None:
        """Open one more level of nesting; the caller closes it with `depth -= 1`."""
        self.depth += 1
        self.spend(at)
        if self.depth > MAX_DEPTH:
            raise NotUnderstood(
                f"more than {MAX_DEPTH} levels of nesting", at, hint="run it as several commands"
            )

    def _parenthesis(self, pieces: Pieces, *, quoted: bool) -> None:
        start = self.pos
        self.descend(start)
        if self.text.startswith("((", start + 1):
            self.pos = start + 3
            self.parenthesised(start)
            pieces.unknown("arithmetic", "", quoted=quoted)
        else:
            self.pos = start + 2
            self._commands("command", pieces, start, quoted=quoted)
        self.depth -= 1

    def _process_substitution(self, pieces: Pieces) -> None:
        start = self.pos
        if not self.grammar.process_substitution:
            raise NotUnderstood("this shell has no process substitution", start, hint="use a file or a pipe")
        if self.text.startswith("(", start + 2):
            # bash looks for the end of `<((` as if it were arithmetic, without minding comments and patterns.
            raise NotUnderstood(
                "two parentheses begin a process substitution", start, hint="put a blank between them"
            )
        self.descend(start)
        self.pos = start + 2
        self._commands("process", pieces, start, quoted=True)  # one name, never split
        self.depth -= 1
        if self.pos < self.end and self.text[self.pos] not in " \t\n;&|)":
            raise NotUnderstood("a process substitution inside a word", self.pos, hint="put a blank after it")

    def _commands(self, kind: ExpansionKind, pieces: Pieces, start: int, *, quoted: bool) -> None:
        """The commands of a substitution, up to its parenthesis."""
        if self.text.startswith("\\\n", self.pos):
            raise NotUnderstood("a continued line after `(`", self.pos, hint="write it on one line")
        first = len(self.commands)
        self.substitutions += 1
        self.nested(")", start)
        self.substitutions -= 1
        if len(self.commands) == first:
            raise NotUnderstood("an empty substitution", start, self.pos, hint="leave it out")
        pieces.unknown(
            kind,
            "",
            quoted=quoted,
            first=first,
            last=len(self.commands),
        )

    def backtick(self, pieces: Pieces, *, quoted: bool, heredoc: bool = False) -> None:
        """An old-style command substitution; with anything that is escaped in it, it is refused."""
        start = self.pos
        closing = self.text.find("`", start + 1, self.end)
        if closing < 0:
            raise NotUnderstood("a backtick is not closed", start, hint=_SUBSTITUTION)
        script = self.text[start + 1 : closing]
        odd = "\\'\"#" if heredoc else '\\"#' if quoted else "\\#"
        if any(char in script for char in odd) or "<<" in script:
            raise NotUnderstood(
                "an escape, quote or hash inside backticks", start, closing + 1, hint=_SUBSTITUTION
            )
        self.descend(start)
        first = len(self.commands)
        outer_end, self.end = self.end, closing
        self.pos = start + 1
        self.substitutions += 1
        self.nested("", start)
        self.substitutions -= 1
        self.end = outer_end
        self.depth -= 1
        self.pos = closing + 1
        pieces.unknown("command", "", quoted=quoted, first=first, last=len(self.commands))


def unknown_word(start: int, end: int) -> Word:
    """A word about which nothing is known."""
    return Word(UNKNOWN, start, end, quoted=True, expansions=(Expansion("variable", "", quoted=True),))
