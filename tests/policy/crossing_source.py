"""Generators that learn what is accepted, so that most of what they write is run.

Above: `fuzz_sources` runs them in campaigns. `CrossingSource` crosses features of the shells' languages:
constructs around commands, commands with words, words with quotes, expansions and names of files; a piece
that is always refused is drawn seldom. `EvolvingSource` breeds: an accepted text is a parent of others,
which differ from it by a character, a token, a feature, or a part of another parent. Both ask the judge while
they write; what really happens is for the campaign.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Sequence

from claims import accepted
from corpus_mutator import Case, Mutator
from fragments import fragments
from script_generator import RULES, Generator

from nacre.policy import Policy

_POLICY = Policy.from_lists(RULES, allow_writes=False)
_PLACE = re.compile(r"%(construct|command|word|name|pattern)%")
_NAMES = ("x", "y", "f", "n", "file", "i")
_DEEPEST = 3
_SESSION = 0.08
_PARENTS = 600
_MOST_TEXT = 400
_SETTLED = 12


def own_sections(section: str, shell: str) -> tuple[str, ...]:
    """The pieces of one section: those of all shells, and those that this one is known for."""
    own = {"bash": "bash", "zsh": "zsh", "mksh": "ksh", "ksh": "ksh", "dash": "", "fish": "fish"}[shell]
    shared = () if shell == "fish" else fragments(section)
    return (*shared, *fragments(f"{section} of {own}")) if own else shared


class Learned:
    """Pieces with what became of the texts they were in."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.tried: dict[str, int] = defaultdict(int)
        self.taken: dict[str, int] = defaultdict(int)
        self.used: list[str] = []

    def pick(self, pieces: Sequence[str]) -> str:
        piece = self.chance.choices(pieces, [self._weight(piece) for piece in pieces])[0]
        self.used.append(piece)
        return piece

    def _weight(self, piece: str) -> float:
        tried = self.tried[piece]
        return 1.0 if tried < _SETTLED else max(self.taken[piece] / tried, 0.01)

    def learn(self, *, taken: bool) -> None:
        for piece in set(self.used):
            self.tried[piece] += 1
            self.taken[piece] += taken
        self.used.clear()


class CrossingSource:
    """Features crossed with each other."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"crossing/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        kinds = ("construct", "command", "word", "pattern")
        self.pieces = {kind: own_sections(f"crossed {kind}s", shell) for kind in kinds}

    def next(self) -> tuple[list[str], Policy]:
        """One accepted text, or the last of some that were not; sometimes two of one session."""
        texts: list[str] = []
        for _ in range(20):
            texts = [self._text() for _ in range(2 if self.random.random() < _SESSION else 1)]
            taken = accepted(texts, _POLICY, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return texts, _POLICY

    def _text(self) -> str:
        parts = [self._filled("%construct%", 0) for _ in range(self.random.choice((1, 1, 2, 2, 3)))]
        return self.random.choice(("\n", "; ", "\n", " && ")).join(parts)

    def _filled(self, text: str, depth: int) -> str:
        return _PLACE.sub(lambda place: self._piece(place[1], depth), text)

    def _piece(self, kind: str, depth: int) -> str:
        if kind == "name":
            return self.random.choice(_NAMES)
        if kind == "construct" and (depth >= _DEEPEST or self.random.random() < 0.3):
            kind = "command"
        if kind == "word" and (depth > _DEEPEST + 2 or self.random.random() < 0.3):
            return self.random.choice(fragments("plain words"))
        return self._filled(self.learned.pick(self.pieces[kind]), depth + 1)


class EvolvingSource:
    """Texts bred from accepted ones."""

    def __init__(self, seed: int, shell: str) -> None:
        self.shell = shell
        crossing = CrossingSource(seed, shell)
        generator = Generator(seed, shell)
        first = [crossing.next()[0][0] for _ in range(200)]
        first += [generator.script() for _ in range(0 if shell == "fish" else 400)]
        parents = [Case(text, {}) for text in first if accepted([text], _POLICY, shell)]
        self.mutator = Mutator(seed, parents)
        self.parents = parents
        self.random = self.mutator.random

    def next(self) -> tuple[list[str], Policy]:
        """A child that was accepted, or the last of some that were not."""
        text = ""
        for _ in range(20):
            text = self.mutator.next()[0]
            if len(text) <= _MOST_TEXT and accepted([text], _POLICY, self.shell):
                self._adopt(text)
                break
        return [text], _POLICY

    def _adopt(self, text: str) -> None:
        """Make it a parent, in the place of another one when there are many."""
        if len(self.parents) < _PARENTS:
            self.parents.append(Case(text, {}))
        else:
            self.parents[self.random.randrange(_PARENTS)] = Case(text, {})
