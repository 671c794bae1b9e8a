"""Running a corpus of labelled commands: how often the verdict is what a person expects.

Above: the command line, and the tests. Below: `evaluation` and `rules`. The lines come in as texts; opening
files is the caller's business.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from nacre.policy.evaluation import judge
from nacre.policy.model import PolicyError, Verdict
from nacre.policy.rules import Policy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nacre.filesystem import FileSystem


FALSE_ALLOW = "false allow (it would have run)"
FALSE_DENY = "false deny (it should have run)"
OTHER_FAILURE = "other (asked instead of denied, or the other way round)"
FAILURE_KINDS = (FALSE_ALLOW, FALSE_DENY, OTHER_FAILURE)


@dataclass(frozen=True, slots=True)
class Failure:
    """A case in which the verdict was not the expected one."""

    id: str
    family: str
    command: str
    expected: str
    verdict: Verdict
    why: str

    @property
    def kind(self) -> str:
        """Which of the two errors it is: a security hole, or a nuisance."""
        if self.expected == "allow":
            return FALSE_DENY
        return FALSE_ALLOW if self.verdict.allowed else OTHER_FAILURE


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a run."""

    total: int
    passed: int
    false_allow: int
    false_deny: int
    failures: tuple[Failure, ...]

    @property
    def summary(self) -> str:
        """The last line that the command line prints."""
        errors = f"false_allow={self.false_allow} false_deny={self.false_deny}"
        return f"{errors} passed={self.passed} total={self.total}"

    @property
    def good(self) -> bool:
        """Every case passed."""
        return self.passed == self.total


def case_policy(table: Mapping[str, object], files: FileSystem) -> Policy:
    """A case's policy, its paths held against `files`; in a corpus an absent `allow_writes` means false."""
    return replace(Policy.from_mapping({"allow_writes": False, **table}), files=files)


def run(lines: Iterable[str], files: FileSystem) -> Report:
    """Judge every case, its paths against `files`; blank lines and lines that begin with `#` are skipped."""
    total = passed = false_allow = false_deny = 0
    failures: list[Failure] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        case = _parse(line, number)
        total += 1
        verdict = judge(
            str(case["command"]),
            case_policy(cast("Mapping[str, object]", case["policy"]), files),
            shell=str(case.get("shell", "bash")),
        )
        expected = str(case["expect"])
        accepted = cast("list[str]", case.get("accept", [expected]))
        if verdict.decision in accepted:
            passed += 1
            continue
        false_allow += expected != "allow" and verdict.decision == "allow"
        false_deny += expected == "allow"
        failures.append(
            Failure(
                str(case.get("id", number)),
                str(case.get("family", "")),
                str(case["command"]),
                expected,
                verdict,
                str(case.get("why", "")),
            )
        )
    return Report(total, passed, false_allow, false_deny, tuple(failures))


def _parse(line: str, number: int) -> Mapping[str, object]:
    try:
        case: object = json.loads(line)
    except json.JSONDecodeError as error:
        raise PolicyError(f"line {number} is not JSON: {error}") from None
    if not isinstance(case, dict):
        raise PolicyError(f"line {number} is not an object")
    found = cast("dict[str, object]", case)
    missing = {"command", "policy", "expect"} - found.keys()
    if missing:
        raise PolicyError(f"line {number} has no {min(missing)!r}")
    return found
