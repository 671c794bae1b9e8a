"""Tests of POSIX shells: `[[ ... ]]`, read as the expression that it is.

Above: `posix`. Below: `simple` reads words. Operators in a test run nothing, but those that compare
numbers evaluate both sides as arithmetic, and `-v` evaluates a subscript: what they are given is written
down (or, if it is no plain name, refused). So are the files that a test looks at.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.model import LOOKED_AT, Redirection, SimpleCommand, names
from nacre.policy.patterns import regex
from nacre.policy.pieces import Pieces
from nacre.policy.refusal import NotUnderstood
from nacre.policy.simple import SimpleScanner

if TYPE_CHECKING:
    import re

    from nacre.policy.model import Word

_UNARY = names("-a -b -c -d -e -f -g -h -k -n -o -p -r -s -t -u -v -w -x -z -G -L -N -O -S")
_OF_FILES = _UNARY - names("-n -o -t -v -z")
_COMPARES_FILES = names("-nt -ot -ef")
_NUMERIC = names("-eq -ne -lt -le -gt -ge")
_BINARY = names("= == != < > =~ -nt -ot -ef") | _NUMERIC
_NUMBER = regex(r"-?[0-9]+\Z")
_NAME = regex(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_BLANK = regex(r"[ \t]+")
_OPERATOR = regex(r"(?:=~|==|!=|=|-[a-z]{2}|[<>](?!\())(?=[ \t])")
_END = regex(r"\]\](?=[ \t\n;&|)]|\Z)")
_LOGIC = regex(r"&&|\|\|")
_NOT = regex(r"!(?=[ \t])")
# A regular expression without quotes: no blank, no operator outside of parentheses, a dollar only at an end.
_REGEX_PLAIN = regex(r"(?:[A-Za-z0-9_.^*+?:,/=@%~{}\[\]-]|\\[][.^$*+?(){}|/\\-]|\$(?=[)| \t]))+")
_PLAIN = "write the parts of the test as plain words, and texts in quotes"


class ConditionScanner(SimpleScanner):
    """Reads `[[ ... ]]`."""

    def __init__(self, text: str, shell: str) -> None:
        super().__init__(text, shell)
        self.looked_at: list[Redirection] = []

    def read_test(self, start: int) -> None:
        """From `[[` to `]]`."""
        if not self.grammar.extended_test:
            raise NotUnderstood("this shell has no `[[`", start, hint="use `[ ... ]`")
        self.pos = start + 2
        outer, self.looked_at = self.looked_at, []
        self._gap(start)
        self._either(start)
        if not self._take(_END):
            raise NotUnderstood("this test is not understood", self.pos, hint=_PLAIN)
        files, self.looked_at = self.looked_at, outer
        self.report_nothing(start, tuple(files))

    def report_nothing(self, start: int, files: tuple[Redirection, ...] = ()) -> None:
        """A test or a calculation: something that runs, although no command has a name in it."""
        self.commands.append(SimpleCommand((), (), files, start, self.pos, expanded_at=self.expanded_at))

    def _look_at(self, word: Word) -> None:
        """A test looks at this file; the shell looks for no pattern here."""
        file = replace(word, glob=None)
        self.looked_at.append(Redirection(LOOKED_AT, "", file, word.start, word.end))

    def _take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.pos, self.end)
        if found is None:
            return ""
        self.pos = found.end()
        return found.group()

    def _gap(self, start: int) -> None:
        if not self._take(_BLANK):
            raise NotUnderstood(
                "a blank is missing in a test", self.pos if self.pos < self.end else start, hint=_PLAIN
            )

    def _either(self, start: int) -> None:
        """Terms between `&&` and `||`."""
        self.descend(start)
        while True:
            while self._take(_NOT):
                self._gap(start)
            if self._peek() == "(":
                self.pos += 1
                self._take(_BLANK)
                self._either(start)
                if self._peek() != ")":
                    raise NotUnderstood("a parenthesis in a test is not closed", start, hint=_PLAIN)
                self.pos += 1
            else:
                self._term()
            self._take(_BLANK)
            if not self._take(_LOGIC):
                break
            self._linebreaks_in_test()
        self.depth -= 1

    def _linebreaks_in_test(self) -> None:
        while self._take(_BLANK) or self._peek() == "\n":
            if self._peek() == "\n":
                if self.pending:
                    raise NotUnderstood("a here-document begins before a test", self.pos, hint=_PLAIN)
                self.pos += 1

    def _term(self) -> None:
        """`-f x`, `x == y`, or a word alone."""
        if self._peek() in "<>|&;#" or not self._peek():
            raise NotUnderstood("this test is not understood", self.pos, hint=_PLAIN)
        left = self._operand()
        unary = not left.quoted and left.text in _UNARY
        if unary and self._take(_BLANK):
            if _END.match(self.text, self.pos, self.end) or _LOGIC.match(self.text, self.pos, self.end):
                raise NotUnderstood("an operator without its operand in a test", left.start, hint=_PLAIN)
            self._check_unary(left.text, self._operand())
            return
        self._take(_BLANK)
        operator = self._take(_OPERATOR)
        if not operator:
            return
        if operator not in _BINARY:
            raise NotUnderstood(f"the operator `{operator}` of a test is not known", self.pos, hint=_PLAIN)
        self._gap(left.start)
        if operator == "=~":
            self._regular_expression()
            return
        right = self._operand()
        if operator in _COMPARES_FILES:
            self._look_at(left)
            self._look_at(right)
        if operator in _NUMERIC:
            self._number(left)
            self._number(right)

    def _operand(self) -> Word:
        if _END.match(self.text, self.pos, self.end):
            raise NotUnderstood("this test is not understood", self.pos, hint=_PLAIN)
        word = self.word()
        if any(expansion.kind == "process" for expansion in word.expansions):
            raise NotUnderstood("a process substitution in a test", word.start, hint=_PLAIN)
        return word

    def _check_unary(self, operator: str, operand: Word) -> None:
        if operator == "-v" and not (operand.literal and _NAME.match(operand.text)):
            raise NotUnderstood(
                "`-v` evaluates what is no plain name", operand.start, hint="write a plain name"
            )
        if operator in _OF_FILES:
            self._look_at(operand)
        if operator == "-t":
            self._number(operand)

    def _number(self, word: Word) -> None:
        """A side of a comparison of numbers."""
        if word.expansions and _only_expansions(word):
            for expansion in word.expansions:
                self.evaluate(expansion, word.start, word.end)
        elif not word.literal or not _NUMBER.match(word.text):
            hint = "compare numbers, and variables that hold one: `[[ $n -eq 1 ]]`"
            raise NotUnderstood("this is evaluated as arithmetic", word.start, word.end, hint=hint)

    def _regular_expression(self) -> None:
        """The right side of `=~`: plain characters, quotes and variables, up to a blank."""
        start, opened = self.pos, 0
        pieces = Pieces()
        while self.pos < self.end:
            char = self.text[self.pos]
            if self._take(_REGEX_PLAIN):
                continue
            if char == "(" or (char in "|)" and opened):
                opened += (char == "(") - (char == ")")
                self.pos += 1
            elif char in "'\"" or (char == "$" and not self.text.startswith(("$(", "$'", '$"'), self.pos)):
                self.special(char, pieces, start)
            else:
                break
        if opened or self.pos == start or self.text[self.pos : self.pos + 1] not in {" ", "\t"}:
            hint = "put the expression into a variable first: re='...'; [[ $x =~ $re ]]"
            raise NotUnderstood("this regular expression is not understood", start, hint=hint)


def _only_expansions(word: Word) -> bool:
    return not word.text.strip("\0")
