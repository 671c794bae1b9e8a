"""Properties that hold for every text: no exceptions, linear time, and verdicts that never weaken."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from script_generator import Generator

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge
from nacre.policy.corpus import case_policy
from nacre.policy.evaluation import scan_for
from nacre.policy.grammar import KNOWN_SHELLS
from nacre.policy.languages.awk import awk_actions
from nacre.policy.languages.javascript import files_of_plain_javascript
from nacre.policy.languages.python import files_of_plain_python
from nacre.policy.languages.sed import sed_actions
from nacre.policy.languages.sql import sql_actions
from nacre.policy.model import strictness
from nacre.policy.posix import scan

pytestmark = pytest.mark.req("policy-scanner")

_PIECES = st.sampled_from(
    [
        *"'\"`\\$(){}[]<>|&;#!=~*? \n\t%^@,.-",
        "$(",
        "${",
        "$((",
        "))",
        "<<E",
        "\nE\n",
        "\\\n",
        "ls",
        "rm",
        "case x in",
        "esac",
        "if ",
        "fi",
    ]
)
_TEXTS = st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=40).map("".join))
_SHELLS = st.sampled_from([*sorted(KNOWN_SHELLS), "unknown"])
_POLICIES = [
    Policy.from_lists(
        ["ls", "git log", "find", "sed", "awk", "xargs", "tar", "bash", "curl", "make"], allow_writes=False
    ),
    Policy.from_lists(["*"], deny=["rm", "git push --force"]),
    Policy.from_lists(deny=["rm -rf"], ask=["git *"]),
]
_MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@_MANY
@given(_TEXTS, _SHELLS)
def test_the_scanners_never_raise(text: str, shell: str) -> None:
    found = scan_for(text, shell)
    for command in found.commands:
        assert 0 <= command.start <= command.end <= len(text)
    if found.refusal is not None:
        assert found.refusal.reason


@_MANY
@given(_TEXTS, _SHELLS, st.sampled_from(_POLICIES))
def test_the_judge_never_raises(text: str, shell: str, policy: Policy) -> None:
    verdict = judge(text, policy, shell=shell, cwd="/")
    assert verdict.decision in {"allow", "ask", "deny"}
    assert verdict.reason


@_MANY
@given(
    st.lists(
        st.sampled_from(
            [
                "find",
                "sed",
                "-e",
                "s/a/b/e",
                "awk",
                "tar",
                "-xf",
                "git",
                "-c",
                "xargs",
                "-I",
                "{}",
                "env",
                "bash",
                "-c",
                "--",
                "$x",
                '"$x"',
                "-exec",
                ";",
                "curl",
                "-o",
                "{a,b}",
                "*",
                "ssh",
                "make",
                "python3",
                "-m",
                "set",
                "trap",
            ]
        ),
        min_size=1,
        max_size=12,
    )
)
def test_looking_through_programs_never_raises(words: list[str]) -> None:
    for policy in _POLICIES:
        judge(" ".join(words), policy)


@_MANY
@given(_TEXTS)
def test_the_readers_of_small_languages_never_raise(text: str) -> None:
    sed_actions(text)
    awk_actions(text)
    sql_actions(text, "sqlite3")
    files_of_plain_python(text)
    files_of_plain_javascript(text)


def _calls(text: str) -> int:
    """How many Python calls a scan makes: a measure of work that does not depend on the machine."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(tick)
    try:
        scan(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        "$((",
        "\\",
        "\\\\",
        "\"'\"'",
        "'\"",
        "`",
        "(",
        "{ ",
        "$(",
        "${x:-",
        "ls;",
        "ls|",
        "x=1 ",
        "<<E ",
        "\\\n",
        "a ",
        "$x",
        "[[ ",
        "case x in ",
        "f() { ",
        "#",
        "\n",
        "<(",
        "$'",
        "if a; then ",
        "a\\\n",
        "$(( 1 + ",
    ],
)
def test_work_grows_with_the_length_and_not_faster(unit: str) -> None:
    short = unit * (2_000 // len(unit))
    long = unit * (16_000 // len(unit))
    assert _calls(long) <= 8 * _calls(short) * 1.5 + 2_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["$((", "\\", "\"'", "`", "(", "${x:-", "'", "a"])
def test_a_megabyte_of_anything_is_answered(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert scan(text) is not None


_CASES = [
    cast("dict[str, object]", json.loads(line))
    for line in Path(__file__).with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
]
_BASH_CASES = [case for case in _CASES if case["shell"] == "bash" and len(str(case["command"])) < 200]


@pytest.mark.parametrize(
    "tail", ["; ls", " && ls", " || ls", " | ls", " & ls", "\nls", "; rm x", "\nrm x", ";", "\n"]
)
def test_a_verdict_never_gets_weaker_when_text_is_appended(tail: str) -> None:
    for case in _BASH_CASES:
        policy = case_policy(cast("dict[str, object]", case["policy"]), LOCAL_FILES)
        text = str(case["command"])
        before, after = judge(text, policy).decision, judge(text + tail, policy).decision
        if before == "deny" and not text.strip():
            continue  # nothing to allow, until something is appended
        joined = (
            text.rstrip(" \t").endswith(("|", "&", "&&", "\\", "#", ";")) or "#" in text.rpartition("\n")[2]
        )
        if joined or "<<" in text or _unfinished(text):
            continue  # the tail completes the text or disappears in it: another text altogether
        assert strictness(after) >= strictness(before), (text, tail)


def _unfinished(text: str) -> bool:
    """The text does not parse as it stands; a tail may make another, complete text of it."""
    return scan(text).refusal is not None


@pytest.mark.parametrize("seed", range(3))
def test_generated_scripts_never_get_a_weaker_verdict_either(seed: int) -> None:
    policy = Policy.from_lists(["c0", "c1", "c2", "c3", "c4"])
    generator = Generator(seed)
    for _ in range(300):
        text = generator.script()
        found = scan(text)
        if not found.commands or found.refusal is not None or "#" in text or text.endswith("\\\n"):
            continue
        before = judge(text, policy).decision
        for tail in ("\nc9", "\nc1"):
            after = judge(text + tail, policy).decision
            assert strictness(after) >= strictness(before), (text, tail)
            assert tail != "\nc9" or after == "deny", text
