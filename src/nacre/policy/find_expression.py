"""The arguments of find: where it looks, and an expression of which every word must be known.

Above: `programs` looks through the commands that the expression runs. Below: `effects`, and the words of its
language in `tables`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.effects import Effects, is_free, shown, unlisted, unresolved, writes
from nacre.policy.model import UNKNOWN, Expansion, Word
from nacre.policy.tables.files import (
    FIND_FLAGS,
    FIND_FOLLOWS,
    FIND_READS,
    FIND_RUNS,
    FIND_VALUES,
    FIND_WRITES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# More than the values that any program takes before the name of another one: timeout -k 5 5 name.
_MANY = 4


class FindExpression:
    """The arguments of find while they are read."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = list(words)
        self.found = Effects()
        self.inner: list[tuple[Word, ...]] = []
        # So far, what it finds are files: no links, which another program would follow.
        self.only_files = False
        self.opened = 0
        self.negated = False
        self.deleting: list[Word] = []

    def read(self) -> None:
        """Options, places, then the expression, of which every word must be known."""
        while self.words and self.words[0].text in {"-H", "-L", "-P"}:
            word = self.words.pop(0)
            if word.text != "-P":
                self.found.uses(word, "leave")
        while self.words and not self._begins_expression(self.words[0]):
            self._place(self.words.pop(0))
        while self.words:
            self._word(self.words.pop(0))

    def _begins_expression(self, word: Word) -> bool:
        return word.literal and (word.text[:1] == "-" or word.text in {"(", ")", "!", ","})

    def _place(self, word: Word) -> None:
        """Where find looks; an unproven one could be the beginning of an expression."""
        self.found.uses(word, "read")
        if word.may_be_option:
            hint = "write ./ before it"
            reason = "this value can turn out to be a word of find's expression"
            self.found.add(unresolved(word, f"{reason}; {hint}", hint=hint))

    def _word(self, word: Word) -> None:
        text = word.text
        if not word.literal:
            reason = "a word of find's expression is only known when it runs"
            self.found.add(unresolved(word, reason, hint="write it out"))
        elif text in _FIND_RUNS:
            end = _find_end(self.words)
            if not self.only_files and any("{}" in item.text for item in self.words[:end]):
                self.found.uses(word, "leave")
            self._check_ends(self.words[:end], closed=end < len(self.words))
            many = end < len(self.words) and self.words[end].text == "+"
            self.inner.append(tuple(with_found_paths(self.words[:end], many=many)))
            del self.words[: end + 1]
        elif text == "-delete":
            self.found.add(writes(word, "`-delete` removes files", text))
            self.deleting.append(word)
        elif text in _FIND_WRITES or text == "-fprintf":
            self._write(word)
        elif text in _FIND_VALUES or text in _FIND_READS:
            self._value(word)
        elif text in _FIND_FOLLOWS:
            self.found.uses(word, "leave")
        elif text in _FIND_LOGIC:
            self._logic(text)
        elif text not in _FIND_FLAGS:
            reason = f"`{shown(text)}` is not known to be a harmless word of find's"
            self.found.add(unlisted(word, reason, text))

    def _check_ends(self, command: Sequence[Word], *, closed: bool) -> None:
        """A value that turns out to be `;` ends the command: what follows it is find's again."""
        if not closed and not all(word.literal for word in command):
            reason = "a command without its end, which a value can turn out to be"
            self.found.add(unresolved(command[0], reason, hint="write it out"))
        for at, word in enumerate(command):
            if word.several or word.may_vanish:
                reason = (
                    "an unquoted value or pattern can become several words, and one of them the end of this"
                )
                self.found.add(unresolved(word, reason, hint="put it into quotes"))
            elif _may_be_end(word) and any(self._begins_expression(item) for item in command[at + 1 :]):
                reason = "a value that turns out to be `;` would end this command before its options"
                self.found.add(unresolved(word, reason, hint="put options before values"))

    def _logic(self, text: str) -> None:
        """`-type f` holds for all that follows it up to an alternative, if it stands in no parentheses."""
        self.negated = text in {"!", "-not"}
        self.opened += (text == "(") - (text == ")")
        if text in {"-o", "-or", ","} and not self.opened:
            self.only_files = False

    def _value(self, word: Word) -> None:
        value = self.words.pop(0) if self.words else None
        if word.text == "-type" and value is not None and value.literal:
            self.only_files = self.only_files or not (self.opened or self.negated or value.text != "f")
        self.negated = False
        if word.text == "-files0-from":
            self.found.uses(word, "leave")
        if value is not None and (value.several or value.may_be_nothing):
            reason = "an unquoted value or pattern can become several words"
            self.found.add(unresolved(value, reason, hint="put it into quotes"))
        if word.text in _FIND_READS:
            self.found.uses(value, "read")

    def _write(self, word: Word) -> None:
        target = self.words.pop(0) if self.words else word
        if word.text == "-fprintf" and self.words:
            self.words.pop(0)
        if not is_free(target):
            self.found.add(writes(word, f"`{word.text}` writes a file", word.text, target))
            self.found.uses(target, "write")


_FIND_FLAGS = frozenset(FIND_FLAGS.split())
_FIND_VALUES = frozenset(FIND_VALUES.split())
_FIND_READS = frozenset(FIND_READS.split())
_FIND_WRITES = frozenset(FIND_WRITES.split())
_FIND_FOLLOWS = frozenset(FIND_FOLLOWS.split())
_FIND_RUNS = frozenset(FIND_RUNS.split())
_FIND_LOGIC = frozenset({"-o", "-or", "!", "-not", ",", "(", ")"})


def _find_end(words: Sequence[Word]) -> int:
    """Where the command of an -exec ends."""
    for at, word in enumerate(words):
        if word.text == ";" or (word.text == "+" and at and words[at - 1].text == "{}"):
            return at
    return len(words)


def _may_be_end(word: Word) -> bool:
    """Nothing but a value, which could be anything."""
    only_values = bool(word.expansions) and not word.text.strip(UNKNOWN)
    return only_values and not all(e.shape in {"digits", "number"} for e in word.expansions)


def with_found_paths(words: Sequence[Word], *, many: bool) -> Iterator[Word]:
    """The command with what was found; where it is run once for many, `{}` is several words."""
    for word in words:
        yield from [with_found_path(word)] * (_MANY if many and word.text == "{}" else 1)


def with_found_path(word: Word) -> Word:
    """`{}` becomes a path that find prints: it begins where find started, never with a dash."""
    if "{}" not in word.text:
        return word
    text = "./" + UNKNOWN if word.text == "{}" else word.text.replace("{}", UNKNOWN)
    pieces = tuple(Expansion("variable", "{}", quoted=True) for _ in range(text.count(UNKNOWN)))
    return replace(word, text=text, expansions=pieces, braces=False, glob=None)
