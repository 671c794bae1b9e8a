"""Sessions: what earlier commands leave behind, and values where a shell evaluates them.

Above: `fuzz_sources` runs them in campaigns, each text as a turn of its own. `SessionSource` changes the
state of a shell in every way that it has (functions, traps, options, variables with a meaning, descriptors)
and then runs commands whose reading could depend on it. `ContextSource` gives a variable a value in one turn
and has it evaluated in the next: as a number, a subscript, a name, a prompt, a pattern.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from claims import accepted
from crossing_source import Learned, own_sections
from fragments import fragments
from script_generator import RULES

from nacre.policy import Policy

_BUILTINS = (
    "shopt umask ulimit trap hash pushd popd dirs print alias unalias setopt unsetopt exec command builtin "
    "times jobs enable disable emulate autoload functions integer float nameref bind complete history fc "
    "zmodload whence typeset unfunction unhash limit disown bg fg vared zstyle sched status math string "
    "count contains set_color random argparse emit"
)
_POLICY = Policy.from_lists([*RULES, *_BUILTINS.split()], allow_writes=False)
_PLACE = re.compile(r"%(word|name|value|function)%")
_NAMES = ("x", "y", "f", "n", "REPLY", "i")
_FUNCTIONS = ("c1", "c2", "g", "c3")
_TRIES = 12
_FAVOURITE = 0.75


class _Turns:
    def __init__(self, seed: int, shell: str, first: str, then: str) -> None:
        self.random = random.Random(f"{first}/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        self.first = own_sections(first, shell)
        self.then = own_sections(then, shell)
        # The variable and the function that most of one session is about.
        self.favourites = {"name": _NAMES[0], "function": _FUNCTIONS[0]}

    def next(self) -> tuple[list[str], Policy]:
        """An accepted session, or the last of some that were not."""
        texts: list[str] = []
        for _ in range(_TRIES):
            texts = self._session()
            taken = accepted(texts, _POLICY, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return texts, _POLICY

    def _session(self) -> list[str]:
        self.favourites = {
            "name": self.random.choice(_NAMES),
            "function": self.random.choice(_FUNCTIONS),
        }
        parts = [self._filled(self.learned.pick(self.first)) for _ in range(self.random.choice((1, 1, 2, 3)))]
        parts += [self._filled(self.learned.pick(self.then)) for _ in range(self.random.choice((1, 1, 2)))]
        texts = [parts[0]]
        for part in parts[1:]:
            if self.random.random() < 0.3:
                texts[-1] += self.random.choice(("\n", "; ", "\n")) + part
            else:
                texts.append(part)
        return texts

    def _filled(self, text: str) -> str:
        return _PLACE.sub(lambda place: self._piece(place[1]), text)

    def _piece(self, kind: str) -> str:
        if kind in self.favourites and self.random.random() < _FAVOURITE:
            return self.favourites[kind]
        choices: Sequence[str] = {"name": _NAMES, "function": _FUNCTIONS}.get(kind, ())
        if not choices:
            choices = fragments("session values" if kind == "value" else "session words")
        return self.random.choice(choices)


class SessionSource(_Turns):
    """State that is left behind, and commands that could be read by it."""

    def __init__(self, seed: int, shell: str) -> None:
        super().__init__(seed, shell, "session states", "session probes")


class ContextSource(_Turns):
    """Values that are given, and places at which a shell evaluates them."""

    def __init__(self, seed: int, shell: str) -> None:
        super().__init__(seed, shell, "context values", "context uses")
