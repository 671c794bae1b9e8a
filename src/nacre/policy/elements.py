"""The elements of an array that a text fills itself: `"${x[@]}"`.

Above: `values`, which says what each word can become. Below: `alternatives`, `model`.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.alternatives import as_value, is_one_field, unique
from nacre.policy.model import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.alternatives import Alternatives
    from nacre.policy.model import Assignment, Expansion, Word

    Becomes = Callable[[Word, int], Alternatives]
    Given = Sequence[tuple[Assignment, int]]

_MOST_ADDITIONS = 5  # to an array, with its first words


def known_elements(
    given: Given, word: Word, expansion: Expansion, becomes: Becomes, *, repeated: bool
) -> Alternatives | None:
    """Those of an array that is assigned once, from known words, and added to."""
    groups = [list(items) for _, items in itertools.groupby(given, key=lambda pair: pair[1])]
    if len(groups) > _MOST_ADDITIONS or (len(groups) > 1 and repeated):
        return None
    parts = [_part(items, word, expansion, becomes, added=bool(at)) for at, items in enumerate(groups)]
    if any(part is None for part in parts):
        return None
    # What stands behind a condition is added or not.
    first, *more = (part or () for part in parts)
    return unique(
        (*first, *itertools.chain.from_iterable(itertools.compress(more, chosen)))
        for chosen in itertools.product((False, True), repeat=len(more))
    )


def _part(
    items: Given, word: Word, expansion: Expansion, becomes: Becomes, *, added: bool
) -> tuple[Word, ...] | None:
    """The words that one `x=(a b)` or `x+=(c)` puts into an array."""
    elements: list[Word] = []
    for item, place in items:
        value = item.appended if added else item.value
        if not item.array or value is None:
            return None
        if not item.listed:
            continue  # `x=()`
        # The words of a loop are listed, too, but its variable holds one of them at a time.
        found = becomes(value, place)
        if len(found) != 1 or any(value.several for value in found[0]):
            return None
        elements += (replace(value, start=word.start, end=word.end) for value in found[0])
    plain = expansion.quoted or all(is_one_field(value) for value in elements)
    return tuple(elements) if plain else None


def adds_number(item: Assignment, at: int, becomes: Becomes, is_certain: Callable[[str, int], bool]) -> bool:
    """`pids=()`, `pids+=($!)`, `pids=("${pids[@]}" $!)` if it surely held what this text gave it."""
    value = item.appended or item.value
    if not item.array or value is None:
        return False
    if value.text == UNKNOWN and value.expansions[0].each and value.expansions[0].name == item.name:
        return value.expansions[0].kind == "variable" and is_certain(item.name, at)
    found = becomes(value, at) if item.listed else ()
    return all(len(words) == 1 and as_value(words[0]).number for words in found)
