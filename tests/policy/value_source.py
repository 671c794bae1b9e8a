"""Scripts in which a value that is known meets every way to use one.

Above: `fuzz_sources` runs them in campaigns. A value is drawn from a list of those that some shell treats in
a special way (blanks at its ends, patterns, braces, tildes, dashes, quotes, other alphabets). It may change
on its way: a part of it is cut off, it is joined with another one, it goes through a second variable, a loop
or a function. Then it is used in every form that shells have, next to other text, in every place of a
command. The policy knows all of these values: a word that a shell makes of one and that the policy did not
expect is a miss.
"""

from __future__ import annotations

import random
import re

from claims import accepted
from crossing_source import Learned, own_sections
from fragments import fragments
from script_generator import RULES

from nacre.policy import Policy

_POLICY = Policy.from_mapping(
    {"allow": [*RULES, "k1 *"], "allow_writes": False, "allowed_variables": ["x", "y", "n"]}
)
_HOLE = re.compile(r"%(name|text|value|use|glue)%")
_NAMES = ("x", "x", "x", "y")
_TRIES = 20


class ValueSource:
    """Values and uses, for one shell from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"value/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        self.givers = own_sections("value givers", shell)
        self.changes = own_sections("value changes", shell)
        self.places = own_sections("value places", shell)
        self.pieces = {
            "name": _NAMES,
            "text": fragments("value texts"),
            "value": own_sections("value words", shell),
            "use": own_sections("value uses", shell),
            "glue": fragments("value glue"),
        }

    def next(self) -> tuple[list[str], Policy]:
        """An accepted script, or the last of some that were not."""
        text = ""
        for _ in range(_TRIES):
            text = self._script()
            taken = accepted([text], _POLICY, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return [text], _POLICY

    def _script(self) -> str:
        parts = [self._drawn(self.givers)]
        parts += [self._drawn(self.changes) for _ in range(self.random.choice((0, 0, 1, 1, 2)))]
        parts += [self._drawn(self.places) for _ in range(self.random.choice((1, 2, 2, 3)))]
        return self.random.choice(("\n", "\n", "; ")).join(parts)

    def _drawn(self, section: tuple[str, ...]) -> str:
        return self._filled(self.learned.pick(section))

    def _filled(self, text: str) -> str:
        return _HOLE.sub(lambda hole: self._piece(hole[1]), text)

    def _piece(self, kind: str) -> str:
        if kind in {"name", "text", "glue"}:
            return self.random.choice(self.pieces[kind])
        return self._filled(self.learned.pick(self.pieces[kind]))
