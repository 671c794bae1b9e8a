"""Replays labelled commands with nobody reading their texts: what the kernel alone stops, and what not.

Each command runs twice, in a workspace of its own. Once observed, in a strict sandbox that decides nothing:
what it starts and which files it changes is its effect. Once under its rules, held by the kernel only.
A command has been stopped when something that it started was refused, or when no file has changed.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gated_service import Gated, workspace

from nacre.errors import NacreError
from nacre.model import Command
from nacre.places.local_files import LOCAL_FILES
from nacre.policy.corpus import case_policy
from nacre.sandbox.exec_rules import Process

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from nacre.policy import Policy
    from nacre.sandbox.exec_gate import Exec
    from nacre.sandbox.exec_rules import Decision, ExecRules

LONGEST_S = 1
# For a command that a busy machine may have ended before it came to what is forbidden, or what it has left in
# the background did (`coproc rm x`).
PATIENCE_S = 15
MOST_AGAIN = 3
FILES = {
    "a": "a\n",
    "x": "x\n",
    "f": "f\n",
    "file": "one\ntwo\n",
    "file.txt": "text\n",
    "data.json": "{}",
    "src/a.py": "",
    "build/out": "",
}
EVERYTHING = {"deny": ["there-is-no-such-program"]}


@dataclass(frozen=True)
class Replayed:
    """What became of a command."""

    id: str
    command: str
    effect: str  # what it did where nothing held it; empty: nothing that a rule forbids
    stopped: str  # by what; empty: by nothing
    left: str  # what it did nevertheless


class _Place:
    """A service and the directories that its commands can change."""

    def __init__(self, directory: Path, level: str) -> None:
        self.directory = directory
        self.home = directory / "home"
        self.home.mkdir()
        os.environ["HOME"] = str(self.home)
        self.run = Gated(directory, EVERYTHING, "bash", sandbox=level, sandbox_network="off")
        execs = self.run.service.place.execs
        assert execs is not None
        self.rules: ExecRules = execs.rules
        self.started: list[Exec] = []
        self.refused = 0
        self._cases = itertools.count(1)
        self.case = directory / "case0"

    def watch(self) -> None:
        """Keep what is started, and how much of it is refused."""
        conclude = self.rules.conclude

        def note(asked: Exec, caller: Process, decision: Decision) -> bool:
            self.started.append(asked)
            allowed = conclude(asked, caller, decision)
            self.refused += not allowed
            return allowed

        self.rules.conclude = note

    def perform(self, text: str, policy: Policy | None, longest_s: float = LONGEST_S) -> set[str]:
        """Run a command; the files that it has changed."""
        shutil.rmtree(self.case, ignore_errors=True)
        # What the command before it has left running does not meet these files.
        case = self.case = self.directory / f"case{next(self._cases)}"
        for name, content in FILES.items():
            (case / name).parent.mkdir(parents=True, exist_ok=True)
            (case / name).write_text(content)
        confinement = self.run.service.place.confinement
        assert confinement is not None
        roots = [str(case), str(self.home), confinement.profile.private_tmp]
        self.started.clear()
        self.refused = 0
        if policy is not None:
            self.rules.adopt(policy)
        before = dict(_files(roots))
        with contextlib.suppress(NacreError):  # it has ended its keeper, or cannot be run at all
            self.run.harness.do(self.run.service.run(Command(text, str(case), longest_s)))
        after = dict(_files(roots))
        return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def _files(roots: Iterable[str]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    for root in roots:
        for directory, _, names in os.walk(root):
            for name in names:
                path = os.path.join(directory, name)
                try:
                    status = os.lstat(path)
                except FileNotFoundError:  # what still runs has just removed it
                    continue
                yield path, (status.st_mtime_ns, status.st_size, status.st_mode)


def replay(lines: Iterable[str]) -> list[Replayed]:
    """Every command for bash that must be denied."""
    cases = [json.loads(line) for line in lines if line.strip()]
    cases = [case for case in cases if case["expect"] == "deny" and case["shell"] == "bash"]
    with workspace() as free_directory, workspace() as held_directory:
        free, held = _Place(free_directory, "strict"), _Place(held_directory, "read-only")
        free.watch()
        held.watch()
        try:
            return [_replay(case, free, held) for case in cases]
        finally:
            free.run.close()
            held.run.close()


def _replay(case: dict[str, Any], free: _Place, held: _Place) -> Replayed:
    policy = case_policy(case["policy"], LOCAL_FILES)
    text = case["command"]
    changed = free.perform(text, None)
    started = list(free.started)
    held.rules.adopt(policy)
    forbidden = [each for each in started if not _allows(held.rules, each)]
    effect = (
        f"starts {forbidden[0].argv}" if forbidden else f"writes {sorted(changed)[:3]}" if changed else ""
    )
    left = held.perform(text, policy)
    for _ in range(MOST_AGAIN if effect else 0):
        if held.refused or left:
            break
        left = held.perform(text, policy, PATIENCE_S)
    stopped = "exec" if held.refused else "files" if changed and not left else ""
    return Replayed(case["id"], text, effect, stopped, f"writes {sorted(left)[:3]}" if left else "")


def _allows(rules: ExecRules, asked: Exec) -> bool:
    decision = rules.decide(asked, Process(0, 0, ()))
    return decision.allowed and not decision.asks
