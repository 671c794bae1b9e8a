"""What a program gets of a list in PowerShell: `sed -n 1,5p f` has one argument `1,5p`, not two.

Windows PowerShell joins the elements with a comma; newer versions cut the text of the list at blanks. Both
give one argument only where nothing in it is quoted, put in or apart. Above: `windows_names`. Below: `model`.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from nacre.policy.model import Word
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BETWEEN = regex(r"\s*,")
_ACTIVE = regex(r"[*?\[]")
# Nothing that would be an option, or a path that leads elsewhere, if it came as an argument of its own.
_PLAIN = regex(r"(?:(?!,[-~/.\\])[^\s'\"`$(){}@])+")


def _lists(words: Sequence[Word], source: str) -> Iterator[list[Word]]:
    """The arguments, those together that are elements of one list."""
    together = [*words[1:2]]
    for before, word in itertools.pairwise(words[1:]):
        if _BETWEEN.match(source, before.end, word.start) is None:
            yield together
            together = []
        together.append(word)
    yield together


def divided_list(words: Sequence[Word], source: str) -> list[Word] | None:
    """The elements of the first list that is not surely one argument, else of the first one."""
    lists = [found for found in _lists(words, source) if len(found) > 1]
    return next((found for found in lists if not is_one_argument(found, source)), next(iter(lists), None))


def is_one_argument(elements: Sequence[Word], source: str) -> bool:
    """Whether all versions make one argument of a list, which is what is written."""
    return _PLAIN.fullmatch(source, elements[0].start, elements[-1].end) is not None


def with_lists(words: Sequence[Word], source: str) -> Sequence[Word]:
    """The words of a command, each list one of them; others are refused elsewhere."""
    found = [words[0], *(_joined(elements, source) for elements in _lists(words, source) if elements)]
    return tuple(found) if len(found) < len(words) else words


def _joined(elements: Sequence[Word], source: str) -> Word:
    start, end = elements[0].start, elements[-1].end
    if len(elements) == 1:
        return elements[0]
    text = source[start:end]
    active = _ACTIVE.search(text)
    return Word(text, start, end, glob=active.start() if active is not None else None)
