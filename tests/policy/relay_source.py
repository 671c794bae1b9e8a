"""Scripts in which values are handed on: from container to container, along functions that call each other.

Above: `fuzz_sources` runs them in campaigns. A value lives in a scalar, an array, the parameters of the
script or of a function, a variable that one function makes local and another one sees, a here-document,
what a function prints. A script is a few functions whose bodies pass on what they were given (as it is,
cut, shifted, doubled, in another order, behind a default), among statements that fill and empty containers;
and everywhere stands what would show another value: options, names of commands. Functions call others by
name, and themselves; they are called in pipes, substitutions, tests, traps and loops, before and after they
are there, and from a later text of the session. Pieces that are always refused are drawn seldom.
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
    {"allow": [*RULES, "trap"], "allow_writes": False, "allowed_variables": ["x", "y"]}
)
_OPEN_NAME = Policy.from_mapping(
    {"allow": [*RULES, "trap", "g1 *"], "allow_writes": False, "allowed_variables": ["x", "y"]}
)
_HOLE = re.compile(r"%(name|list|text|value|use|put|call|function|statement)%")
_FUNCTIONS = ("f1", "g1", "g2", "g3")
_DEEPEST = 3
_TRIES = 20
_SESSION = 0.25


class RelaySource:
    """Containers and functions, for one shell from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"relay/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        self.plain: dict[str, tuple[str, ...]] = {
            "name": ("x", "x", "y"),
            "list": ("a", "a", "b"),
            "function": _FUNCTIONS,
        }
        kinds = ("value", "use", "put", "call", "statement")
        self.pieces = {kind: own_sections(f"relayed {kind}s", shell) for kind in kinds}
        self.bodies = own_sections("relayed functions", shell)

    def next(self) -> tuple[list[str], Policy]:
        """An accepted session, mostly of one text, or the last of some that were not."""
        policy = _OPEN_NAME if self.random.random() < 0.1 else _POLICY
        texts: list[str] = []
        for _ in range(_TRIES):
            texts = self._texts()
            taken = accepted(texts, policy, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return texts, policy

    def _texts(self) -> list[str]:
        names = self.random.sample(_FUNCTIONS, self.random.choice((1, 1, 2)))
        self.plain["function"] = tuple(names)
        parts = [self._definition(name) for name in names]
        parts += [self._filled("%put%", 0) for _ in range(self.random.choice((1, 1, 2)))]
        if self.random.random() < 0.2:
            self.random.shuffle(parts)
        parts.append(self._filled(self.random.choice(("%call%", "%call%", "%use%", "%statement%")), 0))
        if self.random.random() < _SESSION:
            at = self.random.randrange(1, len(parts))
            return [_orderly("\n".join(parts[:at])), _orderly("\n".join(parts[at:]))]
        return [_orderly(self.random.choice(("\n", "\n", "\n", "; ")).join(parts))]

    def _definition(self, name: str) -> str:
        count = self.random.choice((1, 1, 2))
        body = "; ".join(self._filled("%statement%", 1) for _ in range(count))
        head = self.learned.pick(self.bodies)
        return head.replace("%function%", name).replace("%body%", body)

    def _filled(self, text: str, depth: int) -> str:
        return _HOLE.sub(lambda hole: self._piece(hole[1], depth), text)

    def _piece(self, kind: str, depth: int) -> str:
        if kind in self.plain:
            return self.random.choice(self.plain[kind])
        if kind == "text" or (kind == "value" and (depth > _DEEPEST or self.random.random() < 0.3)):
            return self.random.choice(fragments("relayed texts"))
        if kind == "statement":
            kind = self.random.choice(("use", "put", "put", "call", "statement"))
            kind = "use" if depth >= _DEEPEST else kind
        return self._filled(self.learned.pick(self.pieces[kind]), depth + 1)


def _orderly(text: str) -> str:
    """Behind the end of a here-document a command needs no other end."""
    return re.sub(r"(?<=\nE\n); ?", "", text)
