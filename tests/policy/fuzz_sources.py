"""The generators, ready for campaigns.

Run as a program, this file prints what one campaign finds:

    python tests/policy/fuzz_sources.py SHELL GENERATOR SEED ACCEPTED
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claims import misses
from corpus_mutator import Mutator, load
from crossing_source import CrossingSource, EvolvingSource
from effect_sources import NAMES as FORBIDDEN
from effect_sources import DangerSource, OptionSource, OutsideSource, effects
from flow_source import ExportSource, FlowSource, exported
from fuzz_campaign import Campaign, Compare, Join, Source, one_text, turns, turns_if_several
from growth_source import GrowthSource
from interference_source import InterferenceSource
from language_source import LanguageSource, computed
from layout_source import LayoutSource
from place_source import PlaceSource, misplaced
from relay_source import RelaySource
from script_generator import RULES, Generator
from session_source import ContextSource, SessionSource
from shell_oracle import Oracle, sandbox
from table_source import TableSource, told
from value_source import ValueSource

from nacre.places.local_files import LOCAL_FILES
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
        | {"f1", "g1", "k1", "g9"}
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
            self.policies[key] = case_policy(table, LOCAL_FILES)
        return texts, self.policies[key]


@dataclass(frozen=True)
class Kit:
    """A generator with what belongs to it: the names that are stand-ins, and how the outcome is looked at."""

    source: Callable[[int, str], Source]
    names: tuple[str, ...] = NAMES
    compare: Compare = misses
    join: Join = one_text
    real: bool = False
    # Every program that is started tells so.
    watched: bool = False

    def oracle(self, shell: str, prefix: Sequence[str]) -> Oracle:
        """The shell that answers this generator."""
        return Oracle(shell, self.names, prefix, real=self.real, watched=self.watched)


KITS = {
    "grammar": Kit(GrammarSource),
    "corpus": Kit(CorpusSource),
    "danger": Kit(DangerSource, FORBIDDEN, effects, real=True),
    "option": Kit(OptionSource, FORBIDDEN, effects, real=True),
    "outside": Kit(OutsideSource, FORBIDDEN, effects, real=True),
    "flow": Kit(FlowSource),
    "crossing": Kit(CrossingSource),
    "evolving": Kit(EvolvingSource),
    "session": Kit(SessionSource, join=turns),
    "layout": Kit(LayoutSource),
    "growth": Kit(GrowthSource, join=turns_if_several),
    "interference": Kit(InterferenceSource, join=turns_if_several),
    "value": Kit(ValueSource),
    "relay": Kit(RelaySource, (*NAMES, "g2", "g3"), join=turns_if_several),
    "context": Kit(ContextSource, join=turns),
    "export": Kit(ExportSource, FORBIDDEN, exported, real=True),
    "table": Kit(TableSource, FORBIDDEN, told, real=True, watched=True),
    "place": Kit(PlaceSource, FORBIDDEN, misplaced, real=True, watched=True),
    "language": Kit(LanguageSource, FORBIDDEN, computed, real=True, watched=True),
}


def main(arguments: Sequence[str]) -> None:
    """A campaign from the command line."""
    shell, kind, seed, wanted = arguments[0], arguments[1], int(arguments[2]), int(arguments[3])
    prefix = sandbox()
    if prefix is None:
        raise SystemExit("made-up scripts are only run in bubblewrap")
    kit = KITS[kind]
    with kit.oracle(shell, prefix) as oracle:
        campaign = Campaign(oracle, shell, kit.source(seed, shell), seed, kit.compare, join=kit.join)
        campaign.report = lambda line: sys.stdout.write(line + "\n") and sys.stdout.flush()
        sys.stdout.write(f"{kind} {campaign.run(wanted)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
