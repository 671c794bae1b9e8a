"""The scanner against real shells: whatever a shell tries to run, the scanner must have reported or refused.

Ground truth comes from the shells themselves, in a sandbox (see `shell_oracle`). A failure prints the seed
and the script; `Generator(seed, shell)` makes the same scripts again.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from script_generator import Generator
from shell_oracle import observed, sandbox

from nacre.policy.posix import scan

pytestmark = pytest.mark.req("policy-fuzz")

_BATCH = 1_000
_SEED = int(os.environ.get("NACRE_FUZZ_SEED", "20261"))


@dataclass(frozen=True)
class Outcome:
    """Figures of one run."""

    generated: int
    refused: int
    executed: int
    commands_run: int
    misses: tuple[str, ...]


def reported(script: str, shell: str) -> set[str] | None:
    """The names that the scanner reports; None when it refuses or says that a name is not known."""
    found = scan(script, shell)
    if found.refusal is not None:
        return None
    words = [command.words[0] for command in found.commands if command.words]
    if any(word.dynamic or word.pattern or word.braces or word.tilde for word in words):
        return None
    return {word.text for word in words}


def compare(shell: str, seed: int, executed: int) -> Outcome:
    """Run as many accepted scripts as asked for, and collect every command that was not reported."""
    prefix = sandbox()
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    if prefix is None and os.getuid() != 0:
        pytest.skip(
            "made-up scripts are only run in bubblewrap or as an unprivileged user, and neither is possible"
        )
    generator = Generator(seed, shell)
    generated = refused = commands_run = 0
    misses: list[str] = []
    left = executed
    while left > 0:
        batch: list[tuple[str, set[str]]] = []
        while len(batch) < min(left, _BATCH):
            script = generator.script()
            generated += 1
            names = reported(script, shell)
            if names is None:
                refused += 1
            else:
                batch.append((script, names))
        left -= len(batch)
        for (script, names), tried in zip(
            batch, observed(shell, [s for s, _ in batch], prefix or []), strict=True
        ):
            commands_run += len(tried or ())
            missed = [name for name in tried or () if name and name not in names]
            if missed:
                misses.append(f"seed {seed}: {script!r} ran {missed}, reported {sorted(names)}")
    return Outcome(generated, refused, executed, commands_run, tuple(misses))


@pytest.mark.parametrize(("shell", "executed"), [("bash", 250), ("dash", 120), ("zsh", 120)])
def test_nothing_runs_that_was_not_reported(shell: str, executed: int) -> None:
    outcome = compare(shell, _SEED, executed)
    assert "\n".join(outcome.misses) == ""
    assert outcome.commands_run > executed


@pytest.mark.soak
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize(
    ("shell", "executed"),
    [("bash", 20_000), ("dash", 4_000), ("zsh", 4_000), ("mksh", 1_500), ("ksh", 1_500)],
)
def test_nothing_runs_that_was_not_reported_in_many_scripts(
    shell: str, executed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = compare(shell, _SEED + 1, executed)
    figures = f"{outcome.executed} scripts, {outcome.commands_run} commands, {len(outcome.misses)} misses"
    refusals = f"{outcome.refused} of {outcome.generated} refused"
    with capsys.disabled():
        sys.stdout.write(f"\n{shell}: seed {_SEED + 1}, {figures}, {refusals}\n")
    assert "\n".join(outcome.misses) == ""


def test_ordinary_commands_are_not_refused() -> None:
    """The scanner must not win by refusing: texts that people write are read."""
    lines = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    ordinary = [case["command"] for case in cases if case["expect"] == "allow" and case["shell"] == "bash"]
    refused = [text for text in ordinary if scan(text).refusal is not None]
    assert len(ordinary) > 120
    assert refused == []


def test_generated_scripts_without_disorder_are_mostly_read() -> None:
    generator = Generator(7)
    scripts = [generator.orderly() for _ in range(500)]
    refused = sum(scan(script).refusal is not None for script in scripts)
    assert refused < len(scripts) * 0.45
