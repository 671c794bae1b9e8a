"""A fuzzing campaign: generate, judge, run what was accepted, compare, minimise what was missed.

Above: `test_fuzz` runs short and long campaigns. Below: the generators, `shell_oracle` for the truth,
`claims` for the comparison.
"""

from __future__ import annotations

import random
import shlex
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from claims import Miss, accepted, misses
from fragments import fragments
from shell_oracle import Observation, Oracle, Trial

from nacre.policy import Policy

_BATCH = 400
_MOST_ROUNDS = 60
_MOST_MINIMISING_S = 8.0
_MOST_CANDIDATES = 40
_MOST_MINIMISED = 12
# What comes from outside of a text is hostile: values, arguments, and what programs print.
_VALUES = fragments("hostile values")
_VARIABLES = ("x", "y", "z", "f", "i", "n", "a", "b", "file", "dir", "line", "name", "v", "var", "e", "E")
_FAILS = ("[13579]", "[02468]", "/", "[a-z]", "[1-5]")


class Source(Protocol):
    """A generator: the texts of one session, and the policy under which they are judged."""

    def next(self) -> tuple[list[str], Policy]:
        """The next session."""
        ...


Compare = Callable[[Sequence[str], Policy, str, Observation], list[Miss]]
# How the texts of a session become the script that a shell is given.
Join = Callable[[Sequence[str], str], str]


def one_text(texts: Sequence[str], shell: str) -> str:
    """The texts of a session as one."""
    del shell
    return "\n".join(texts)


# Sessions are interactive shells, in which aliases are expanded; the stand-ins wrap `eval` in some.
_TURNS = {"bash": ("shopt -s expand_aliases\n", "builtin eval "), "zsh": ("", "builtin eval ")}


def turns(texts: Sequence[str], shell: str) -> str:
    """The texts of a session, one after the other, each read when the one before it has run."""
    start, evaluate = _TURNS.get(shell, ("", "eval "))
    quoted = (_fish_quoted(text) if shell == "fish" else shlex.quote(text) for text in texts)
    return start + "\n".join(evaluate + text for text in quoted)


def turns_if_several(texts: Sequence[str], shell: str) -> str:
    """One text as it is, several as turns."""
    return texts[0] if len(texts) == 1 else turns(texts, shell)


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@dataclass
class Outcome:
    """Figures of a campaign."""

    shell: str
    seed: int
    generated: int = 0
    executed: int = 0
    commands_run: int = 0
    unfinished: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter[str])
    misses: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        rate = self.executed / self.seconds if self.seconds else 0.0
        share = self.executed / max(self.generated, 1)
        figures = (
            f"{self.generated} generated, {self.executed} accepted ({share:.0%}), {rate:.0f} run per second"
        )
        misses = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items())) or "none"
        return f"{self.shell}: seed {self.seed}, {figures}, {self.commands_run} commands; misses: {misses}"


def surroundings(chance: random.Random, script: str) -> Trial:
    """A script among hostile values."""
    environment = {name: chance.choice(_VALUES) for name in _VARIABLES}
    arguments = tuple(chance.choice(_VALUES) for _ in range(3))
    return Trial(script, environment, arguments, chance.choice(_VALUES), chance.choice(_FAILS))


@dataclass(frozen=True)
class _Session:
    texts: tuple[str, ...]
    policy: Policy
    trial: Trial


class Campaign:
    """One shell, one generator, one seed."""

    def __init__(  # noqa: PLR0913 - what makes a campaign
        self,
        oracle: Oracle,
        shell: str,
        source: Source,
        seed: int,
        compare: Compare = misses,
        *,
        join: Join = one_text,
    ) -> None:
        self.oracle = oracle
        self.shell = shell
        self.source = source
        self.compare = compare
        self.join = join
        self.chance = random.Random(f"{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.outcome = Outcome(shell, seed)
        self.report: Callable[[str], object] | None = None
        self.seen: set[tuple[str, ...]] = set()

    def run(self, wanted: int, *, most_generated: int = 0) -> Outcome:
        """Run as many accepted sessions as wanted, or what can be made of so many generated ones."""
        started = time.monotonic()
        sessions = self._sessions(wanted, most_generated or wanted * 50)
        while batch := [session for _, session in zip(range(_BATCH), sessions, strict=False)]:
            for session, found in self._try(batch):
                self._note(session, found)
        self.outcome.seconds = time.monotonic() - started
        return self.outcome

    def _sessions(self, wanted: int, most: int) -> Iterator[_Session]:
        accepted_so_far = 0
        while accepted_so_far < wanted and self.outcome.generated < most:
            texts, policy = self.source.next()
            self.outcome.generated += 1
            trial = surroundings(self.chance, self.join(texts, self.shell))
            if (
                policy.mode != "allowlist"
            ):  # a guard rail looks at the text and the call, not at what is printed
                trial = replace(trial, says="v", arguments=())
            if self._accepted(texts, policy, trial):
                accepted_so_far += 1
                yield _Session(tuple(texts), policy, trial)

    def _accepted(self, texts: Sequence[str], policy: Policy, trial: Trial) -> bool:
        # Under an allowlist everything from outside is hostile anyway, whether the judge knows it or not.
        environment = trial.environment if policy.mode != "allowlist" else None
        try:
            return accepted(texts, policy, self.shell, environment)
        except Exception as error:  # noqa: BLE001 - a judge that raises is a finding like any other
            self.outcome.kinds["raised"] += 1
            message = f"raised: {self.shell}: {list(texts)!r} -> {error!r}"
            if self.outcome.kinds["raised"] <= _MOST_MINIMISED:
                self.outcome.misses.append(message)
                if self.report is not None:
                    self.report(message)
            return False

    def _try(self, batch: Sequence[_Session]) -> Iterator[tuple[_Session, list[Miss]]]:
        for session, seen in zip(batch, self.oracle.observe([s.trial for s in batch]), strict=True):
            self.outcome.executed += 1
            self.outcome.commands_run += len(seen.commands) + len(seen.names)
            self.outcome.unfinished += not seen.ended
            found = self.compare(session.texts, session.policy, self.shell, seen)
            if found and not seen.torn:
                yield session, found

    def _note(self, session: _Session, found: Sequence[Miss]) -> None:
        kind = found[0].kind
        self.outcome.kinds[kind] += 1
        if len(self.outcome.misses) >= _MOST_MINIMISED:
            return
        small, miss = self._minimised(session, kind)
        if small.texts in self.seen:
            return
        self.seen.add(small.texts)
        trial = small.trial
        line = (
            f"{kind}: {self.shell}: {list(small.texts)!r} -> {miss.detail} "
            f"[allow {[rule.text for rule in small.policy.rules][:12]}; says {trial.says!r}, "
            f"environment { {n: v for n, v in trial.environment.items() if n in trial.script}!r}]"
        )
        self.outcome.misses.append(line)
        if self.report is not None:
            self.report(line)

    # -- minimising ----------------------------------------------------------------------------------------

    def _minimised(self, session: _Session, kind: str) -> tuple[_Session, Miss]:
        """A smallest session that is still missed in the same way."""
        miss = Miss(kind, "not seen again")
        deadline = time.monotonic() + _MOST_MINIMISING_S
        for _ in range(_MOST_ROUNDS):
            if time.monotonic() > deadline:
                break
            smaller = self._smaller(session, kind)
            if smaller is None:
                break
            session, miss = smaller
        if miss.detail == "not seen again":
            seen = self.oracle.observe([session.trial])[0]
            found = self.compare(session.texts, session.policy, self.shell, seen)
            miss = next((other for other in found if other.kind == kind), miss)
        return session, miss

    def _smaller(self, session: _Session, kind: str) -> tuple[_Session, Miss] | None:
        candidates: list[_Session] = []
        for texts in _reductions(session.texts):
            if self._accepted(texts, session.policy, session.trial):
                trial = replace(session.trial, script=self.join(texts, self.shell))
                candidates.append(_Session(texts, session.policy, trial))
            if len(candidates) >= _MOST_CANDIDATES:
                break
        for candidate, seen in zip(
            candidates, self.oracle.observe([c.trial for c in candidates]), strict=True
        ):
            found = self.compare(candidate.texts, candidate.policy, self.shell, seen)
            miss = next((other for other in found if other.kind == kind), None)
            if miss is not None:
                return candidate, miss
        return None


def _reductions(texts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Shorter sessions, the boldest first."""
    if len(texts) > 1:
        for at in range(len(texts)):
            yield texts[:at] + texts[at + 1 :]
    for at, text in enumerate(texts):
        for shorter in _shorter(text):
            yield (*texts[:at], shorter, *texts[at + 1 :])


def _shorter(text: str) -> Iterator[str]:
    size = max(len(text) // 2, 1)
    while size >= 1:
        for start in range(0, len(text), max(size // 2, 1)):
            if start + size <= len(text):
                yield text[:start] + text[start + size :]
        size = size // 2 if size > 1 else 0
