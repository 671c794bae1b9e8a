"""A word while it is being read: its literal text, its expansions, its braces.

Above: `words` adds the pieces. Below: `model` and `refusal`. Braces are expanded here, before anything
else, as the shells do: one word with braces is several words.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, Expansion, Word
from nacre.policy.patterns import regex
from nacre.policy.refusal import NotUnderstood

if TYPE_CHECKING:
    from nacre.policy.grammar import Grammar
    from nacre.policy.model import ExpansionKind

_MOST_WORDS = 64
_CHOICES = regex(r"\{([A-Za-z0-9_./:@%+*?-]*(?:,[A-Za-z0-9_./:@%+*?-]*)+)\}")
_SEQUENCE = regex(r"\{(-?[0-9]{1,9})\.\.(-?[0-9]{1,9})\}")
# Braces that no shell expands: `{}`, `stash@{0}`, `{{.Name}}`.
_LITERAL = regex(
    r"\{\}|\{[A-Za-z0-9_:~^+-]+(?:\.[A-Za-z0-9_:~^+-]+)*\}|\{\{\.?[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*\}\}"
)
_FILE_CHARACTER = regex(r"[*?]")
# Where an expansion surely ends: `${x}`, `$(cmd)`, "$x".
_ENDS_EXPANSION = '})"`'
_QUOTE_IT = "put text with braces into single quotes"


class Pieces:
    """The pieces of one word, in order."""

    __slots__ = ("_braces_last", "_count", "_glob", "choices", "expansions", "quoted", "text", "tilde")

    def __init__(self) -> None:
        self.text: list[str] = []
        self.expansions: list[Expansion] = []
        self.quoted = False
        self.tilde = False
        # Braces: at this index of `text` stands one of these texts.
        self.choices: dict[int, tuple[str, ...]] = {}
        self._count = 1  # of the words that these make
        self._braces_last = False  # ksh expands them when values have been filled in and split
        self._glob: int | None = None

    def unknown(self, kind: ExpansionKind, name: str, *, quoted: bool, first: int = 0, last: int = 0) -> None:
        """Add a piece whose text is only known when the command runs."""
        self.add(Expansion(kind, name, quoted, first, last, each=name == "@"))

    def add(self, expansion: Expansion) -> None:
        """The same, for a piece about which more is known."""
        self.text.append(UNKNOWN)
        self.expansions.append(expansion)

    @property
    def has_pattern(self) -> bool:
        """Whether an active pattern character stands in the word so far."""
        return self._glob is not None

    def matches_files(self) -> None:
        """The next piece is a character of a pattern."""
        if self._glob is None:
            self._glob = len(self.text)

    def braces(self, text: str, pos: int, end: int, grammar: Grammar) -> int:
        """Add the braces that open at `pos`; where they end."""
        literal = _LITERAL.match(text, pos, end)
        if literal is not None and (literal.group() == "{}" or grammar.name != "zsh"):
            self._braces_last = self._braces_last or grammar.name == "ksh"
            self.text.append(literal.group())
            return literal.end()
        if self.text and self.text[-1] == UNKNOWN and text[pos - 1] not in _ENDS_EXPANSION:
            reason = "some shells expand the braces first, so that they become a part of the variable's name"
            raise NotUnderstood(reason, pos, hint='write the name in braces: "${x}"')
        found = _CHOICES.match(text, pos, end)
        if found is not None and grammar.braces:
            self._braces_last = grammar.name == "ksh"
            self._choose(tuple(found.group(1).split(",")), pos)
            return found.end()
        found = _SEQUENCE.match(text, pos, end)
        if found is None or not grammar.brace_sequences:
            raise NotUnderstood("braces that shells read in different ways", pos, hint=_QUOTE_IT)
        self._sequence(found.group(1), found.group(2), pos)
        return found.end()

    def _choose(self, texts: tuple[str, ...], pos: int) -> None:
        """One of these texts stands here; refused as soon as they make too many words."""
        self._count *= len(texts)
        if self._count > _MOST_WORDS:
            raise NotUnderstood(f"braces that become more than {_MOST_WORDS} words", pos, hint="use a loop")
        self.choices[len(self.text)] = texts
        self.text.append("")

    def _sequence(self, first: str, last: str, pos: int) -> None:
        """`{1..5}`: a few numbers are words, many are only known to be numbers."""
        low, high = int(first), int(last)
        padded = any(len(text.lstrip("-")) > 1 and text.lstrip("-").startswith("0") for text in (first, last))
        if abs(high - low) < _MOST_WORDS // 2 and not padded:
            step = 1 if high >= low else -1
            self._choose(tuple(str(number) for number in range(low, high + step, step)), pos)
        else:
            shape = "digits" if min(low, high) >= 0 else "number"
            self.add(Expansion("arithmetic", "", quoted=False, shape=shape, each=True))

    def words(self, start: int, end: int) -> list[Word]:
        """The words that this word becomes; more than one only with braces."""
        if self._braces_last and any(self.choices or not piece.quoted for piece in self.expansions):
            reason = "ksh takes braces in a value for its own, and splits no value behind a brace"
            raise NotUnderstood(reason, start, end, hint=_QUOTE_IT)
        if not self.choices:
            return [self._word(self.text, start, end)]
        found: list[Word] = []
        for chosen in itertools.product(*self.choices.values()):
            text = list(self.text)
            for index, choice in zip(self.choices, chosen, strict=True):
                text[index] = choice
            found.append(self._word(text, start, end))
        if not all(word.text or word.quoted for word in found):
            raise NotUnderstood("braces with an empty word", start, end, hint="write the words out")
        return found

    def _word(self, text: list[str], start: int, end: int) -> Word:
        joined = "".join(text)
        glob = self._glob_in(text)
        if joined == "[":
            glob = None  # alone it is the name of `test`
        tilde = self.tilde or (bool(self.choices) and joined.startswith("~"))
        return Word(joined, start, end, self.quoted, glob, False, tilde, tuple(self.expansions))

    def _glob_in(self, text: list[str]) -> int | None:
        places = [] if self._glob is None else [sum(map(len, text[: self._glob]))]
        for index in self.choices:
            found = _FILE_CHARACTER.search(text[index])
            if found is not None:
                places.append(sum(map(len, text[:index])) + found.start())
        return min(places, default=None)
