"""The words that one word can become: pieces put together, values split into fields, many readings made few.

Above: `values` knows which value stands where. Below: `model`. Pure operations on words; nothing here knows a
text or a variable.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, Expansion, Shape, Word
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MOST_READINGS = 24  # of one command; beyond, words with many values count as unproven
MOST_PIECES = 16  # of one word
_MOST_MISSING = 4  # pieces that may be nothing, in all combinations
_MOST_WAYS = 128
_LONGEST_VALUE = 4_096
_NUMBER = regex(r"-?[0-9]+\Z")
_FIELDS = regex(r"[ \t\n]+")
_GLOB_CHARACTER = regex(r"[*?\[\\]")

# Alternatives for one word: each is the list of words that it becomes.
Alternatives = list[tuple[Word, ...]]


@dataclass(slots=True)
class Draft:
    """A word while its pieces are put in; a split finishes it and begins another one."""

    done: tuple[Word, ...] = ()
    text: str = ""
    expansions: tuple[Expansion, ...] = ()
    glob: int | None = None

    def copy(self) -> Draft:
        """The same once more, for another way to go on."""
        return Draft(self.done, self.text, self.expansions, self.glob)

    def finish(self, word: Word) -> None:
        """The word is complete; an empty one that is not quoted is no word."""
        if self.text or word.quoted:
            self.done += (
                replace(word, text=self.text, expansions=self.expansions, glob=self.glob, quoted=word.quoted),
            )
        self.text, self.expansions, self.glob = "", (), None


def add_literal(draft: Draft, literal: str, word: Word, offset: int, *, zsh: bool = False) -> None:
    """Put text in as it is written; in zsh `$x=ls` is the path of ls where x holds nothing."""
    if zsh and offset and not draft.text and literal.startswith("="):
        path = Expansion("variable", "", quoted=True, shape="operand")
        add_whole(draft, unknown_piece(path), quoted=True)
        return
    if draft.glob is None and word.glob is not None and offset <= word.glob < offset + len(literal):
        draft.glob = len(draft.text) + word.glob - offset
    draft.text += literal


def add_whole(draft: Draft, value: Word, *, quoted: bool) -> None:
    """Put a value in as it is; what is not proven about it may still become several words."""
    draft.text += value.text
    draft.expansions += tuple(replace(e, quoted=quoted or e.kind == "process") for e in value.expansions)


def add_fields(draft: Draft, text: str, word: Word, expansion: Expansion) -> None:
    """Put a known value in outside of quotes: it is split, and may become a pattern."""
    fields = _FIELDS.split(text)
    if word.quoted and len(fields) > 1:
        # Which of the fields holds the quotes decides whether an empty one stays: not followed.
        draft.text += UNKNOWN
        draft.expansions += (replace(expansion, shape="any"),)
        return
    for position, field in enumerate(fields):
        if position:
            draft.finish(word)
        found = _GLOB_CHARACTER.search(field)
        if found is not None and draft.glob is None:
            draft.glob = len(draft.text) + found.start()
        draft.text += field


def bound_readings(choices: list[Alternatives]) -> None:
    """Replace words by what all their values share, until there are few enough readings."""
    while True:
        readings = 1
        for item in choices:
            readings *= len(item)
        if readings <= _MOST_READINGS:
            return
        widest = max(range(len(choices)), key=lambda index: len(choices[index]))
        choices[widest][:] = [merged_words(choices[widest])]


def merged_words(alternatives: Alternatives) -> tuple[Word, ...]:
    """One list of words for several."""
    if all(len(words) == 1 for words in alternatives):
        return (merged([words[0] for words in alternatives]),)
    first = next(words[0] for words in alternatives if words)
    return (replace(first, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=False),)),)


def merged(values: Sequence[Word]) -> Word:
    """One word for several: the beginning that they share, and what is proven about the rest."""
    first = values[0]
    if len(values) == 1:
        return first
    if any(value.several for value in values):
        return replace(first, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=False),))
    shape: Shape = "any"
    if all(value.number for value in values):
        shape = "digits"
    elif all(value.literal and _NUMBER.match(value.text) for value in values):
        shape = "number"
    elif not any(value.may_be_option or not value.text for value in values):
        shape = "operand"
    prefix = _common([value.prefix for value in values]) if shape in {"any", "operand"} else ""
    empty = any(piece.empty for value in values for piece in value.expansions)
    piece = Expansion("variable", "", quoted=True, shape=shape if not prefix else "any", empty=empty)
    return replace(first, text=prefix + UNKNOWN, tilde=False, expansions=(piece,))


def _common(texts: list[str]) -> str:
    low, high = min(texts), max(texts)
    length = 0
    while length < min(len(low), len(high)) and low[length] == high[length]:
        length += 1
    return low[:length]


def with_nothing(alternatives: Alternatives) -> Alternatives:
    """The same, and what they are where commands fail that print nothing then.

    `"$(git describe)-ofile"` is an option without its beginning, and outside of quotes a word is none at all.
    """
    missing = [sum(_may_be_missing(e) for word in words for e in word.expansions) for words in alternatives]
    if not any(missing):
        return alternatives
    if max(missing) > _MOST_MISSING or sum(2**count for count in missing) > _MOST_WAYS:
        return unique(tuple(map(_unknown_if_missing, words)) for words in alternatives)
    return unique(
        tuple(itertools.chain.from_iterable(chosen))
        for words in alternatives
        for chosen in itertools.product(*map(_with_and_without, words))
    )


def _may_be_missing(expansion: Expansion) -> bool:
    """What is known about a piece does not hold where there is nothing.

    What may be anything may be that, too; of a fresh name those who ask for it think themselves.
    """
    return expansion.empty and expansion.shape not in {"any", "fresh"}


def _unknown_if_missing(word: Word) -> Word:
    if not any(map(_may_be_missing, word.expansions)):
        return word
    return replace(word, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=word.quoted),))


def _with_and_without(word: Word) -> list[tuple[Word, ...]]:
    """A word with and without each piece that may be nothing."""
    missing = [index for index, expansion in enumerate(word.expansions) if _may_be_missing(expansion)]
    chosen = itertools.product((False, True), repeat=len(missing))
    return [_without(word, set(itertools.compress(missing, dropped))) for dropped in chosen]


def _without(word: Word, dropped: set[int]) -> tuple[Word, ...]:
    """A word without these pieces; where nothing is left and no quotes are, it is no word."""
    if not dropped:
        return (word,)
    draft = Draft()
    offset = 0
    for index, literal in enumerate(word.text.split(UNKNOWN)):
        add_literal(draft, literal, word, offset)
        offset += len(literal) + 1
        if index < len(word.expansions) and index not in dropped:
            draft.text += UNKNOWN
            draft.expansions += (word.expansions[index],)
    draft.finish(word)
    return draft.done


def unknown_piece(expansion: Expansion) -> Word:
    """A word that is nothing but this piece."""
    return Word(UNKNOWN, 0, 0, quoted=True, expansions=(expansion,))


def unproven(expansion: Expansion, given: Iterable[Word] | None) -> list[Word]:
    """An unknown piece, and the options that the text itself may give it: rules can forbid those."""
    return [unknown_piece(expansion), *(value for value in given or () if value.text.startswith("-"))]


def unknown_word(word: Word, expansion: Expansion) -> Word:
    """A word at the same place of which nothing is proven."""
    return replace(unknown_piece(replace(expansion, shape="any")), start=word.start, end=word.end)


def unique(items: Iterable[tuple[Word, ...]]) -> Alternatives:
    """Each alternative once."""
    return list(dict.fromkeys(items))


def as_value(word: Word) -> Word:
    """A word as the value of a variable: a pattern has become one file's name, a tilde a directory."""
    if len(word.text) > _LONGEST_VALUE or len(word.expansions) > MOST_PIECES:
        return replace(word, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=True),))
    expansions = tuple(replace(e, quoted=True, each=False) for e in word.expansions)
    if word.splits and not all(e.shape in {"digits", "number"} for e in word.expansions):
        return replace(word, text=UNKNOWN, glob=None, expansions=(Expansion("variable", "", quoted=True),))
    if word.tilde:
        # `--output=a:~` begins as it is written; only a tilde at the very beginning becomes a path.
        known = word.text.partition("~")[0].partition(UNKNOWN)[0]
        begins = word.text.startswith("~")
        home = Expansion("variable", "HOME", quoted=True, shape="operand" if begins else "any")
        return replace(word, text=known + UNKNOWN, glob=None, tilde=False, expansions=(home,))
    if word.glob is not None:
        prefix = word.prefix
        # A star in quotes is none of the pattern's.
        plain = not expansions and not _GLOB_CHARACTER.search(prefix)
        file = Expansion("file", "", quoted=True, shape="any", pattern=word.text if plain else "")
        return replace(word, text=prefix + UNKNOWN, glob=None, expansions=(file,))
    return replace(word, expansions=expansions, quoted=True)


def file_without_end(word: Word, operator: str, end: str) -> Word | None:
    """`${f%.in}` in a loop over `cases/*.in`: a name that begins as before; None for what is not followed."""
    pattern = word.file_pattern
    if operator not in {"%", "%%"} or not end or pattern is None or word.text != word.prefix + UNKNOWN:
        return None
    if _GLOB_CHARACTER.search(end) or not pattern.endswith(f"*{end}"):
        return None
    file = replace(word.expansions[0], pattern=pattern.removesuffix(end))
    return replace(word, expansions=(file,))


def last_parts(values: Sequence[Word]) -> list[Word]:
    """`${x##*/}`: what stands behind the last slash of each value; none if one of them is not followed."""
    found = [
        _file_without_path(value) if value.expansions else value.with_text(value.text.rpartition("/")[2])
        for value in values
    ]
    return [value for value in found if value is not None] if all(found) else []


def _file_without_path(word: Word) -> Word | None:
    """`${f##*/}` in a loop over `old/*.txt`: what the last part of it matches; None: it is not followed."""
    pattern = word.file_pattern
    if pattern is None or word.text != word.prefix + UNKNOWN or "[" in pattern or "{" in pattern:
        return None
    name = pattern.rpartition("/")[2]
    found = _GLOB_CHARACTER.search(name)
    if found is None or "**" in name:
        return None
    file = replace(word.expansions[0], pattern=name)
    return replace(word, text=name[: found.start()] + UNKNOWN, expansions=(file,))


def are_formats(readings: Alternatives) -> bool:
    """Whether the first word of printf is a known text, and no option: `-vx` would assign to x."""
    return all(words and words[0].literal and words[0].text[:1] != "-" for words in readings)


def is_number(words: Sequence[Word], *, or_nothing: bool = False) -> bool:
    """Tell whether a list of words is one number, known or not."""
    if len(words) != 1 or words[0].several:
        return False
    word = words[0]
    if word.text == UNKNOWN:
        return word.expansions[0].shape in {"digits", "number"}
    return _NUMBER.match(word.text) is not None or (or_nothing and not word.text)


def is_one_field(word: Word) -> bool:
    """Tell whether a value stays one word outside of quotes."""
    return word.literal and bool(word.text) and not re.search(r"[ \t\n*?\[\\]", word.text)


def operated(text: str, operator: str, argument: str) -> str | None:
    """`${x:-y}`, `${x#y}` and `${x%y}` on a known text; None for what is not followed."""
    if operator in {":-", ":=", ":?"}:
        return text or (argument if operator != ":?" else "")
    if operator in {"-", "=", "?"}:
        return text
    if _GLOB_CHARACTER.search(argument):
        return None
    if operator in {"#", "##"}:
        return text.removeprefix(argument)
    if operator in {"%", "%%"}:
        return text.removesuffix(argument)
    return None
