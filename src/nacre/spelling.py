"""Similar names: what was meant by a name that does not exist. Pure.

Above it: the hints after a failure and the file tools. It knows nothing of nacre.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONG_NAME = 5  # names of at least this length may differ by two edits


def close_names(name: str, known: Iterable[str]) -> list[str]:
    """The known names that a typing error could turn into this one, the likeliest first."""
    slips = 1 if len(name) < LONG_NAME else 2
    near = [other for other in known if abs(len(other) - len(name)) <= slips and set(other) & set(name)]
    ranked = sorted((distance(name, other), other) for other in near)
    return [other for far, other in ranked if far <= slips][:3]


def distance(one: str, other: str) -> int:
    """How many letters were omitted, inserted, changed or swapped with their neighbour."""
    before, last = list[int](), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, opposite in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != opposite))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == opposite:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
