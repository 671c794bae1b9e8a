"""What the parameters of a function hold, where every call of it is known.

Above: `values`, which finds the calls and says what their words can be. Below: `alternatives`, `calls`.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.alternatives import as_value, merged, unique, with_nothing
from nacre.policy.command_facts import place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.policy.alternatives import Alternatives
    from nacre.policy.calls import Called
    from nacre.policy.model import Expansion, SimpleCommand, Word

    Becomes = Callable[[Word, int], Alternatives]

MOST_VALUES = 32


def values_of_parameter(called: Called, number: int, becomes: Becomes) -> tuple[Word, ...] | None:
    """The values of `$1` in all calls; None where a word before it may become several or none.

    So may the last word, as it counts for nothing else; but `shift 2` does nothing where there is only one.
    """
    found: dict[tuple[str, tuple[Expansion, ...]], Word] = {}
    number += called.shifted
    for command in called.commands:
        value = [command.words[0].with_text("")]
        surely_shifted = called.shifted <= 1 or len(command.words) > called.shifted + 1
        for word in command.words[1 : number + 1]:
            readings = with_nothing(becomes(word, place_of(command)))
            if word is command.words[-1] and surely_shifted:
                readings = [words or (word.with_text(""),) for words in readings]
            if any(len(words) != 1 or words[0].several for words in readings):
                return None
            value = [as_value(words[0]) for words in readings]
        if len(command.words) <= number:
            value = [command.words[0].with_text("")]
        found |= {(item.text, item.expansions): item for item in value}
    if len(found) > MOST_VALUES:
        return (merged(list(found.values())),)
    return tuple(found.values())


def lists_of_parameters(called: Called, at: Word, becomes: Becomes) -> Alternatives | None:
    """What `"$@"` becomes in all calls; None where it is not known how many words that are."""
    found: Alternatives = []
    for command in called.commands:
        lists = _lists_of(command, called.shifted, becomes)
        if lists is None or len(found) + len(lists) > MOST_VALUES:
            return None
        found += (tuple(replace(word, start=at.start, end=at.end) for word in words) for words in lists)
    return unique(found)


def _lists_of(command: SimpleCommand, shifted: int, becomes: Becomes) -> Alternatives | None:
    """The words of one call, behind those that have been shifted away."""
    choices = [with_nothing(becomes(word, place_of(command))) for word in command.words[1:]]
    ways = 1
    for readings in choices:
        if any(len(words) != 1 or words[0].several for words in readings):
            return None
        ways *= len(readings)
        if ways > MOST_VALUES:
            return None
    return [tuple(as_value(words[0]) for words in chosen) for chosen in itertools.product(*choices[shifted:])]
