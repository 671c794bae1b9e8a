"""Parameters of POSIX shells: `${x}`, `${x:-word}`, `${x%.py}`, `${#x}`, `${x[1]}`, read exactly or refused.

Above: `words` meets them and reads the words inside them. Below: `arithmetic`, `pieces`, `model` and
`grammar`. What a parameter becomes is for `values`.
"""

from __future__ import annotations

from nacre.policy.arithmetic import ArithmeticScanner
from nacre.policy.model import INDICES, Assignment, Expansion, Refusal, SimpleCommand, Word
from nacre.policy.patterns import regex
from nacre.policy.pieces import Pieces
from nacre.policy.refusal import NotUnderstood

NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*")
SPECIAL_PARAMETERS = frozenset("@*#?$!-0123456789")
# A subscript, a part of a value, an error that is asked for.
_MAY_ABORT = regex(r"\[|\?|:(?![-=+])")
# Operators that ask whether a variable is set: to them it is no error if it is not.
_HAS_DEFAULT = regex(r":?[-=+]\Z")
_DIGITS = regex(r"[0-9]+")
_TAIL = regex(r"[^}'\"\\$`{<>\n()#]+")
_PLAIN_TAIL = regex(r"[A-Za-z0-9_./:=@%+,-]*\Z")
_OPERATOR = regex(r":?[-=?+]|##?|%%?")
_RICH_OPERATOR = regex(r"//?|/[#%]|\^\^?|,,?|:|@")


class ParameterScanner(ArithmeticScanner):
    """Reads a parameter at `pos`; what may stand inside one is supplied by the scanner for words."""

    depth: int
    substitutions: int
    zsh: bool
    unresolved: list[Refusal]
    # The word after an operator, in the parameter that was read last, is several words even in quotes.
    tail_is_each: bool = False

    def descend(self, at: int) -> None:
        """One more level of nesting (the part of the scanner for words)."""
        raise NotImplementedError

    def backtick(self, pieces: Pieces, *, quoted: bool, heredoc: bool = False) -> None:
        """A substitution in backticks (the same)."""
        raise NotImplementedError

    def special(self, char: str, pieces: Pieces, start: int) -> None:
        """A character that is special in a word (the same)."""
        raise NotImplementedError

    def parameter(self, pieces: Pieces, *, quoted: bool) -> None:
        """A whole `${...}`."""
        start = self.pos
        self.descend(start)
        self.pos = start + 2
        expansion = self._parameter_body(start, quoted=quoted)
        if not self.text.startswith("}", self.pos) or self.pos >= self.end:
            raise _odd_parameter(start)
        if _MAY_ABORT.search(self.text, start, self.pos):
            self.note_abort()
        elif not _HAS_DEFAULT.match(expansion.operator):
            self.note_unset(expansion.name)
        self.pos += 1
        self.depth -= 1
        pieces.add(expansion)

    def note_unset(self, name: str) -> None:
        """Here a variable is read that may not be set (the grammar's part)."""
        raise NotImplementedError

    def _parameter_body(self, start: int, *, quoted: bool) -> Expansion:
        """Everything up to the closing brace."""
        text = self.text
        if text.startswith("#", self.pos) and not text.startswith("#}", self.pos):
            self.pos += 1
            return Expansion("parameter", self._parameter_name(start)[0], quoted, operator="length")
        if text.startswith("!", self.pos) and not text.startswith("!}", self.pos):
            self.pos += 1
            name = self._indirect(start)
            operator = INDICES if text.startswith("[@]", self.pos - 3) else "!"
            return Expansion("parameter", name, quoted, operator=operator, each=True)
        name, subscript = self._parameter_name(start)
        each = subscript == "@" or name == "@"
        operator = self._operator()
        if not operator:
            if subscript and subscript != "@":
                return Expansion("parameter", name, quoted, operator="[", each=False)
            return Expansion("variable", name, quoted, each=each)
        self.tail_is_each = False
        argument = self._argument_of(operator, name, start, quoted=quoted)
        each = each or self.tail_is_each
        if subscript or name == "@":
            argument = None
        return Expansion("parameter", name, quoted, operator=operator, argument=argument, each=each)

    def _operator(self) -> str:
        found = _OPERATOR.match(self.text, self.pos, self.end)
        if found is None and self.grammar.rich_parameters:
            found = _RICH_OPERATOR.match(self.text, self.pos, self.end)
        if found is None:
            return ""
        self.pos = found.end()
        return found.group()

    def _argument_of(self, operator: str, name: str, start: int, *, quoted: bool) -> Word | None:
        """What follows an operator; the word, if it is plain."""
        if operator == "@":
            self._transformation(start)
        elif operator == ":":
            if self.zsh and self.text[self.pos : self.pos + 1].isalpha():
                raise _odd_parameter(start)
            self.offset(start)
        elif operator[0] in "^,":
            pass  # `${x^^}`; with a pattern behind it, no brace follows and it is refused
        else:
            argument = self._parameter_tail(start, quoted=quoted)
            if operator in {"=", ":="}:
                self._assigned_default(name, start)
            return argument
        return None

    def _parameter_name(self, start: int) -> tuple[str, str]:
        """The name, and the subscript if there is one."""
        text = self.text
        found = NAME.match(text, self.pos, self.end)
        if found is None:
            if self.pos >= self.end or text[self.pos] not in SPECIAL_PARAMETERS:
                raise _odd_parameter(start)
            digits = _DIGITS.match(text, self.pos, self.end)
            begin = self.pos
            self.pos = digits.end() if digits is not None else begin + 1
            return text[begin : self.pos], ""
        self.pos = found.end()
        if not text.startswith("[", self.pos):
            return found.group(), ""
        if not self.grammar.arrays:
            raise NotUnderstood("this shell has no arrays", start)
        begin = self.pos = self.pos + 1
        if text.startswith(("@]", "*]"), begin):
            self.pos += 1
        else:
            self.subscript(start)
        subscript = text[begin : self.pos]
        self.pos += 1
        return found.group(), subscript

    def _indirect(self, start: int) -> str:
        if not self.grammar.rich_parameters or self.zsh:
            raise _odd_parameter(start)
        name, subscript = self._parameter_name(start)
        if self.text.startswith(("*}", "@}"), self.pos) and not subscript:
            self.pos += 1
        elif subscript not in {"@", "*"}:
            reason = "`${!name}` reads a variable chosen at run time"
            self.unresolved.append(Refusal(reason, start, self.pos, "name the variable itself"))
        return name

    def _transformation(self, start: int) -> None:
        letter = self.text[self.pos : self.pos + 1]
        if letter != "Q" or not self.text.startswith("}", self.pos + 1) or self.zsh:
            hint = "leave the transformation out"
            raise NotUnderstood(
                "`${x@P}` and unknown transformations run what a value holds", start, hint=hint
            )
        self.pos += 1

    def _assigned_default(self, name: str, start: int) -> None:
        assignment = Assignment(name, None, start, self.pos)
        self.commands.append(
            SimpleCommand((), (assignment,), (), start, self.pos, expanded_at=self.expanded_at)
        )

    def _parameter_tail(self, start: int, *, quoted: bool) -> Word | None:
        """The word inside `${x:-word}`, if it is plain; quotes that depend on outer quotes are refused."""
        inner = Pieces()
        text = self.text
        begin = self.pos
        if self.zsh and not quoted and text.startswith("=", begin):
            raise NotUnderstood("zsh replaces =name with a program's path", begin, hint="put it into quotes")
        while self.pos < self.end and text[self.pos] != "}":
            run = _TAIL.match(text, self.pos, self.end)
            if run is not None:
                self.pos = run.end()
                continue
            char = text[self.pos]
            if self._is_plain_in_tail(char, quoted=quoted):
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
                raise NotUnderstood(
                    f"{char!r} inside `${{...}}`", self.pos, hint="put it into a variable first"
                )
        self.tail_is_each = any(item.each for item in inner.expansions)
        raw = text[begin : self.pos]
        if raw == "*/":  # the one pattern that is followed: `${f##*/}`
            return Word(raw, begin, self.pos, glob=0)
        plain = _PLAIN_TAIL.match(raw) is not None
        return Word(raw, begin, self.pos, quoted=True) if plain else None

    def _is_plain_in_tail(self, char: str, *, quoted: bool) -> bool:
        """A character that only looks special; in a substitution, older shells look for its end by them.

        zsh takes this word for a pattern, and runs what a qualifier says: `${x:-*(e:cmd:)}`.
        """
        if char in "<>":
            return not self.text.startswith("(", self.pos + 1)
        if char == "#":
            return not self.substitutions or self.text[self.pos - 1] not in " \t"
        return char in "()" and not self.substitutions and (quoted or not self.zsh)


def _odd_parameter(start: int) -> NotUnderstood:
    return NotUnderstood(
        "this `${...}` is not understood", start, hint="use `${name}` and the plain operators"
    )
