"""The policy against real shells: whatever a shell runs, the policy must have seen, with its arguments.

Ground truth comes from the shells themselves, in a sandbox (see `shell_oracle`); `claims` compares. A failure
prints the seed and the smallest script that still shows it; the same seed makes the same scripts again:

    python tests/policy/fuzz_sources.py SHELL GENERATOR SEED ACCEPTED
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from claims import Claim, command_misses
from fuzz_campaign import Campaign, Outcome
from fuzz_sources import KITS
from script_generator import Generator
from shell_oracle import Oracle, Trial, sandbox

from nacre.policy import Policy
from nacre.policy.model import Word
from nacre.policy.posix import scan

pytestmark = pytest.mark.req("policy-fuzz")

_SEED = int(os.environ.get("NACRE_FUZZ_SEED", "20261"))
# Shell, generator, and how many accepted scripts are run; the long runs count generated ones.
_SHORT = [
    *(("bash", "grammar", 500), ("bash", "corpus", 400), ("zsh", "grammar", 200), ("zsh", "corpus", 150)),
    *(("dash", "grammar", 200), ("dash", "corpus", 150), ("mksh", "grammar", 100), ("mksh", "corpus", 100)),
    *(("ksh", "grammar", 100), ("ksh", "corpus", 100), ("fish", "corpus", 100)),
    *(("bash", "flow", 40), ("zsh", "flow", 30), ("dash", "flow", 30)),
    *(("bash", "crossing", 120), ("zsh", "crossing", 80), ("mksh", "crossing", 60), ("dash", "crossing", 60)),
    *(("fish", "crossing", 60), ("bash", "evolving", 100), ("zsh", "evolving", 60)),
    *(("bash", "session", 60), ("zsh", "session", 40), ("ksh", "session", 30)),
    *(("bash", "context", 50), ("zsh", "context", 20), ("bash", "layout", 25), ("zsh", "layout", 25)),
    *((shell, "growth", 60) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "interference", 60) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "value", 60) for shell in ("bash", "zsh", "dash", "mksh", "ksh")),
    *((shell, "relay", 60) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
]
_LONG = [
    *(("bash", "grammar", 250_000), ("bash", "corpus", 300_000), ("zsh", "grammar", 80_000)),
    *(("zsh", "corpus", 80_000), ("dash", "grammar", 60_000), ("dash", "corpus", 60_000)),
    *(("mksh", "grammar", 40_000), ("mksh", "corpus", 40_000), ("ksh", "grammar", 30_000)),
    *(("ksh", "corpus", 30_000), ("fish", "corpus", 30_000), ("bash", "flow", 80_000)),
    *(("zsh", "flow", 40_000), ("dash", "flow", 30_000), ("mksh", "flow", 30_000), ("ksh", "flow", 20_000)),
    *((shell, "crossing", 20_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "evolving", 20_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "session", 10_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "context", 10_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh")),
    *((shell, "layout", 40_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "growth", 20_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "interference", 20_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "value", 20_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh")),
    *((shell, "relay", 20_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
]
# The same with real programs.
_SHORT_REAL = [
    *(("bash", "danger", 250), ("bash", "option", 250), ("bash", "outside", 150)),
    *(("bash", "export", 80), ("dash", "export", 50), ("mksh", "export", 50)),
    *(("bash", "table", 60), ("fish", "table", 30), ("bash", "language", 30)),
    *(("bash", "place", 60), ("zsh", "place", 30), ("mksh", "place", 20)),
]
_LONG_REAL = [
    *(("bash", "danger", 60_000), ("bash", "option", 30_000), ("bash", "outside", 30_000)),
    *((shell, "export", 10_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh")),
    *((shell, "table", 10_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "place", 5_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
    *((shell, "language", 5_000) for shell in ("bash", "zsh", "dash", "mksh", "ksh", "fish")),
]


def campaign(shell: str, kind: str, seed: int, executed: int, most_generated: int = 0) -> Outcome:
    """Run accepted scripts, and collect everything that was not claimed or allowed."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    prefix = sandbox()
    if prefix is None:
        pytest.skip("made-up scripts are only run in bubblewrap, which does not work here")
    kit = KITS[kind]
    with kit.oracle(shell, prefix) as oracle:
        ready = Campaign(oracle, shell, kit.source(seed, shell), seed, kit.compare, join=kit.join)
        return ready.run(executed, most_generated=most_generated)


@pytest.mark.parametrize(("shell", "kind", "executed"), _SHORT)
def test_nothing_runs_that_the_policy_did_not_see(shell: str, kind: str, executed: int) -> None:
    outcome = campaign(shell, kind, _SEED, executed)
    assert "\n".join(outcome.misses) == "", outcome
    assert outcome.commands_run > executed / 2


@pytest.mark.parametrize(("shell", "kind", "executed"), _SHORT_REAL)
def test_nothing_happens_that_no_rule_allows(shell: str, kind: str, executed: int) -> None:
    outcome = campaign(shell, kind, _SEED, executed)
    assert "\n".join(outcome.misses) == "", outcome


@pytest.mark.soak
@pytest.mark.timeout(7_200)
@pytest.mark.parametrize(("shell", "kind", "generated"), _LONG + _LONG_REAL)
def test_nothing_runs_that_the_policy_did_not_see_in_a_million_scripts(
    shell: str, kind: str, generated: int, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = campaign(shell, kind, _SEED + 1, generated, generated)
    with capsys.disabled():
        sys.stdout.write(f"\n{kind} {outcome}\n")
    assert "\n".join(outcome.misses) == ""


def test_a_name_that_begins_with_a_dash_is_compared_as_it_is() -> None:
    """In zsh `-x` is a command; `- x` runs x, and shows it with a dash before it."""
    claimed = [Claim((Word("-x", 0, 2),)), Claim((Word("y", 0, 1),))]
    open_to_all = Policy.from_lists(["*"])
    assert command_misses(("-x",), claimed, open_to_all, "zsh") == []
    assert command_misses(("-y",), claimed, open_to_all, "zsh") == []
    assert [miss.kind for miss in command_misses(("-z",), claimed, open_to_all, "zsh")] == ["name"]


def test_a_text_that_begins_with_a_dash_is_run_as_one() -> None:
    """And not taken for an option of the shell, which would then run its first argument."""
    prefix = sandbox()
    if prefix is None:
        pytest.skip("made-up scripts are only run in bubblewrap, which does not work here")
    with Oracle("bash", (), prefix) as oracle:
        assert oracle.observe([Trial("-x", arguments=("c9",))])[0].commands == (("-x",),)


def test_what_a_script_leaves_running_is_not_charged_to_the_next_one() -> None:
    prefix = sandbox()
    if prefix is None:
        pytest.skip("made-up scripts are only run in bubblewrap, which does not work here")
    late = "(echo a > late; sleep 9; echo a > too-late) > /dev/null 2>&1 &"
    with Oracle("bash", (), prefix, real=True) as oracle:
        seen = oracle.observe([Trial(late), Trial("true")])
    assert [(one.files, one.ended) for one in seen] == [(("late",), False), ((), True)]


def test_ordinary_commands_are_not_refused() -> None:
    """The scanner must not win by refusing: texts that people write are read."""
    lines = Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    ordinary = [case["command"] for case in cases if case["expect"] == "allow" and case["shell"] == "bash"]
    refused = [text for text in ordinary if scan(text).refusal is not None]
    assert len(ordinary) > 120
    assert refused == []


def test_a_good_part_of_generated_scripts_is_read() -> None:
    """The generator writes what only the grammar allows; the plain core leaves much of it out."""
    generator = Generator(7)
    scripts = [generator.orderly() for _ in range(500)]
    refused = sum(scan(script).refusal is not None for script in scripts)
    assert refused < len(scripts) * 0.6
