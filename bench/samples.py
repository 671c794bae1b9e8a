"""Samples to figures: medians, spreads, ratios. Pure.

A ratio is taken round by round, from blocks that were measured right after each other, and its median is
told: a slow minute of the machine moves both sides of the rounds it falls into, and hardly their ratio.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Rounds = Sequence[Sequence[float]]


class Spread(NamedTuple):
    """A median between its quartiles."""

    low: float
    median: float
    high: float


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values is; between two of them, in proportion."""
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def spread(values: Sequence[float]) -> Spread | None:
    """Quartiles; None of nothing."""
    if not values:
        return None
    return Spread(quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75))


def pooled(rounds: Rounds) -> list[float]:
    """The samples of all rounds."""
    return [sample for block in rounds for sample in block]


def ratio(ours: Rounds, theirs: Rounds) -> Spread | None:
    """Ours over theirs, round by round; None where no round has both."""
    ratios = list[float]()
    for mine, other in zip(ours, theirs, strict=False):  # a server that failed has fewer rounds
        if mine and other and (below := quantile(other, 0.5)):
            ratios.append(quantile(mine, 0.5) / below)
    return spread(ratios)


def difference(ours: Rounds, theirs: Rounds) -> Spread | None:
    """Ours less theirs, round by round; None where no round has both."""
    pairs = zip(ours, theirs, strict=False)  # a server that failed has fewer rounds
    return spread([quantile(mine, 0.5) - quantile(other, 0.5) for mine, other in pairs if mine and other])


NOISY = 0.15  # beyond it a run says more about its machine than about the servers


def noise(rounds: Rounds) -> float | None:
    """How far apart the quartiles of the rounds' medians are, as a share of their median."""
    found = spread([quantile(block, 0.5) for block in rounds if block])
    return (found.high - found.low) / found.median if found and found.median else None
