"""Scripts that make, move, link and enter places, and then read or write there.

Above: `fuzz_sources` runs them with real programs. A script is a few operations on files, one after another,
in loops, groups, functions and subshells, on paths that are drawn from few names, so that one operation meets
what another has made: a link that was moved, a directory that was entered by another name, a second name of
the same file, a directory that a loop enters again. Patterns, values, tildes and the names that the kernel
gives to a process's own places stand among the paths. Operations that are always refused are drawn seldom.

`misplaced` compares: whatever the names are, nothing outside of the allowed directories is read or written,
and neither are the file that plays the part of nacre's own and what git runs ever changed.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from claims import Miss, accepted
from crossing_source import Learned
from fragments import filled, fragments
from oracle_driver import ROOT, WORK, build_project
from shell_oracle import Observation

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy

_OWN = "sub/c.txt"
_OPERATIONS = fragments("place operations")
_AROUND = fragments("place constructs")
_PATHS = fragments("place paths")
_STEPS = fragments("place steps")
_WALKS = tuple(step for step in _STEPS if step.startswith(("cd", "pushd")))
_GOALS = fragments("place goals")
_NAMED = ("c.txt", "./c.txt", "config", "secret", "n1/secret", "n1/c.txt", "n2/c.txt", "n2", "*.txt", "c.*")
_REAL = fragments("place real paths")
_STARTS = fragments("place starts")
_PROGRAMS = sorted({line.split()[0] for line in _OPERATIONS if line[0].islower()} - {"echo", "x=", "for"})
_RULES: dict[str, object] = {"allow": [*_PROGRAMS, "cat", "true"], "allow_writes": True}
_FENCED = replace(
    Policy.from_mapping({**_RULES, "allowed_directories": [str(WORK)]}),
    files=LOCAL_FILES,
    own_files=(str(WORK / _OWN),),
)
_UNFENCED = replace(Policy.from_mapping(_RULES), files=LOCAL_FILES, own_files=(str(WORK / _OWN),))
_TRIES = 20


def misplaced(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """What was read or written at a place where nothing may be."""
    del texts, shell
    found = [Miss("own", name) for name in seen.files if name == _OWN or name.startswith(".git/")]
    if policy.allowed_directories:
        found += [Miss("outside", name) for name in seen.files if name.startswith("/")]
        found += [Miss("read", "a file outside of the allowed directories")] * ("secret" in seen.notes)
    return found


class PlaceSource:
    """Operations on few places, for one shell from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        self.random = random.Random(f"place/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        build_project(ROOT)  # links are followed when a command is judged, too

    def next(self) -> tuple[list[str], Policy]:
        """An accepted script, or the last of some that were not."""
        policy = self.random.choice((_FENCED, _UNFENCED))
        text = ""
        for _ in range(_TRIES):
            text = self._script()
            taken = accepted([text], policy, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return [text], policy

    def _script(self) -> str:
        count = self.random.choice((1, 2, 2, 3, 3, 4, 5))
        if self.random.random() < 0.6:
            return self._journey(count)
        return self._joined([self._part() for _ in range(count)])

    def _joined(self, parts: Sequence[str]) -> str:
        return self.random.choice(("\n", "; ", " && ")).join(parts)

    def _journey(self, count: int) -> str:
        """Steps through few directories, and at their end (or among them, in a loop) something is opened."""
        # What is often refused is what matters here: nothing is drawn seldom.
        kinds = _STEPS if self.random.random() < 0.5 else _WALKS
        steps = [self._with_paths(self.random.choice(kinds)) for _ in range(count)]
        goal = self.random.choice(_GOALS).replace("%goal%", self.random.choice(_NAMED))
        if self.random.random() < 0.3:
            steps.insert(self.random.randrange(len(steps) + 1), goal)
            return f"for i in 1 2 3; do {'; '.join(steps)}; done"
        return self._joined([*steps, goal])

    def _part(self) -> str:
        if self.random.random() < 0.7:
            return self._operation()
        text = self.learned.pick(_AROUND)
        while "%operation%" in text:
            text = text.replace("%operation%", self._operation(), 1)
        return self._with_paths(text)

    def _operation(self) -> str:
        return self._with_paths(self.learned.pick(_OPERATIONS))

    def _with_paths(self, text: str) -> str:
        while "%path%" in text:
            text = text.replace("%path%", self._path(), 1)
        return text

    def _path(self) -> str:
        if self.random.random() < 0.6:  # one that is there, seen from some directory
            return self.random.choice(_REAL)
        parts = [self.learned.pick(_PATHS) for _ in range(self.random.choice((1, 1, 1, 2, 2, 3)))]
        start = self.learned.pick(_STARTS) if self.random.random() < 0.15 else ""
        return filled(start, {"%work%": str(WORK), "%root%": str(ROOT)}) + "/".join(parts)
