"""The generators, ready for campaigns: one or two texts, and the policy that judges them."""

from __future__ import annotations

import re
from collections.abc import Callable

from corpus_mutator import Mutator, load
from fuzz_campaign import Source
from script_generator import RULES, Generator

from nacre.policy import Policy
from nacre.policy.corpus import case_policy

_SESSION = 0.15
_OPEN = Policy.from_lists(["*"], deny=["c9", "rm"], allow_writes=False)
_STRICT = Policy.from_lists(RULES, allow_writes=False)
_CASES = load(("bash",))
# Every name that a script could run: shells without a handler find a stand-in for each of them.
NAMES = tuple(
    sorted(
        {f"c{i}" for i in range(10)}
        | {rule.split()[0] for rule in RULES}
        | {word for case in _CASES for word in re.findall(r"[A-Za-z][A-Za-z0-9_.-]{0,30}", case.command)}
    )
)


class GrammarSource:
    """Scripts by a grammar, under an allowlist or a deny list."""

    def __init__(self, seed: int, shell: str) -> None:
        self.generator = Generator(seed, shell)

    def next(self) -> tuple[list[str], Policy]:
        """One script; sometimes two of one session."""
        chance = self.generator.random
        texts = [self.generator.script() for _ in range(2 if chance.random() < _SESSION else 1)]
        return texts, _OPEN if chance.random() < 0.1 else _STRICT


class CorpusSource:
    """Mutated cases of the corpora, each under its own policy."""

    def __init__(self, seed: int, shell: str) -> None:
        cases = _CASES + (load((shell,)) * 10 if shell != "bash" else [])
        self.mutator = Mutator(seed, cases)
        self.policies: dict[str, Policy] = {}

    def next(self) -> tuple[list[str], Policy]:
        """One mutated case; sometimes after another one of the same session."""
        text, table = self.mutator.next()
        texts = [text]
        if self.mutator.random.random() < _SESSION:
            texts.insert(0, self.mutator.next()[0])
        key = repr(table)
        if key not in self.policies:
            self.policies[key] = case_policy(table)
        return texts, self.policies[key]


SOURCES: dict[str, Callable[[int, str], Source]] = {"grammar": GrammarSource, "corpus": CorpusSource}
