"""The judge against labelled commands: our own set, and the shared corpus where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy.corpus import run
from nacre.policy.model import PolicyError

pytestmark = pytest.mark.req("policy-corpus")

_HERE = Path(__file__).resolve()
_SHARED = _HERE.parents[3] / "shared" / "corpus"


def _failures(path: Path) -> list[str]:
    report = run(path.read_text(encoding="utf-8").splitlines(), LOCAL_FILES)
    assert report.total > 0
    return [
        f"{f.id} {f.command!r}: expected {f.expected}, got {f.verdict.decision} ({f.verdict.reason})"
        for f in report.failures
    ]


def test_our_own_cases_are_judged_as_labelled() -> None:
    assert _failures(_HERE.with_name("cases.jsonl")) == []


def test_our_own_cases_do_not_depend_on_where_the_checkout_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _failures(_HERE.with_name("cases.jsonl")) == []


@pytest.mark.parametrize("directory", ["/", "/usr"])
def test_no_case_raises_wherever_it_is_judged(directory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(directory)
    lines = _HERE.with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert run(lines, LOCAL_FILES).total == len(lines)


def test_our_own_cases_are_many_and_of_both_kinds() -> None:
    lines = _HERE.with_name("cases.jsonl").read_text(encoding="utf-8").splitlines()
    allowed = sum('"expect": "allow"' in line for line in lines)
    assert len(lines) >= 250
    assert allowed >= 150


@pytest.mark.parametrize("name", ["policy.jsonl", "policy-2.jsonl"])
def test_a_corpus_beside_the_checkout_is_judged_as_labelled(name: str) -> None:
    path = _SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not beside this checkout")
    assert _failures(path) == []


def test_the_two_kinds_of_errors_are_counted_apart() -> None:
    report = run(
        [
            '{"id": "1", "policy": {"allow": ["ls"]}, "command": "ls", "expect": "deny"}',
            '{"id": "2", "policy": {"allow": ["ls"]}, "command": "rm", "expect": "allow"}',
            '{"policy": {"allow": ["ls"]}, "command": "rm", "expect": "ask", "accept": ["ask", "deny"]}',
            "",
            "# a comment",
        ],
        LOCAL_FILES,
    )
    assert report.summary == "false_allow=1 false_deny=1 passed=1 total=3"
    assert not report.good
    assert [failure.id for failure in report.failures] == ["1", "2"]


@pytest.mark.parametrize("line", ["{", "[]", '{"command": "ls"}'])
def test_a_broken_line_is_named(line: str) -> None:
    with pytest.raises(PolicyError, match="line 1"):
        run([line], LOCAL_FILES)
