"""The register of requirements holds both ways: every id has a test, every id in a test is known."""

from __future__ import annotations

import re
from pathlib import Path

from requirements import REQUIREMENTS

TESTS = Path(__file__).parent
MARK = re.compile(r"mark\.req\(([^)]*)\)")


def carried_ids() -> set[str]:
    marks = (found for path in TESTS.rglob("test_*.py") for found in MARK.findall(path.read_text()))
    return {name for mark in marks for name in re.findall(r'"([^"]+)"', mark)}


def test_every_requirement_has_a_test_that_carries_it() -> None:
    assert sorted(set(REQUIREMENTS) - carried_ids()) == []


def test_every_id_that_a_test_carries_is_a_known_requirement() -> None:
    assert sorted(carried_ids() - set(REQUIREMENTS)) == []
