"""The register of requirements holds both ways, by tests that run: collected, selected, not skipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from requirements import REQUIREMENTS

TESTS = Path(__file__).parent
ROOT = TESTS.parent


def carried_by(*options: str, cwd: Path, file: Path) -> dict[str, list[str]]:
    """The tests of a run by the ids they carry, as pytest collects them."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", f"--write-requirements={file}", *options],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return json.loads(file.read_text())


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What CI runs: `make test test-windows test-container`."""
    file = tmp_path_factory.mktemp("collected") / "requirements.json"
    return carried_by("-m", "not soak", str(TESTS), cwd=ROOT, file=file)


def test_every_requirement_has_a_test_that_runs(carried: dict[str, list[str]]) -> None:
    assert sorted(set(REQUIREMENTS) - set(carried)) == []


def test_every_id_that_a_test_carries_is_a_known_requirement(carried: dict[str, list[str]]) -> None:
    assert {name: tests for name, tests in carried.items() if name not in REQUIREMENTS} == {}


SOURCE = """
import pytest

@pytest.mark.req("a")
@pytest.mark.req("b")
def test_that_runs(): ...

@pytest.mark.req("skipped")
@pytest.mark.skip(reason="later")
def test_that_is_skipped(): ...

@pytest.mark.req("skipped-here")
@pytest.mark.skipif(True, reason="later")
def test_that_is_skipped_here(): ...

@pytest.mark.req("not-skipped-here")
@pytest.mark.skipif(False, reason="later")
def test_that_is_not_skipped_here(): ...

@pytest.mark.req("long")
@pytest.mark.soak
def test_that_takes_long(): ...

@pytest.mark.req("empty")
@pytest.mark.parametrize("x", [])
def test_of_nothing(x): ...

@pytest.mark.req("no-test")
def helper(): ...

# @pytest.mark.req("comment")
TEXT = '@pytest.mark.req("text")'

class TestThings:
    pytestmark = pytest.mark.req("class")
    def test_it(self): ...
"""


@pytest.mark.req("tests-requirements")
def test_only_tests_that_run_carry_a_requirement(tmp_path: Path) -> None:
    (tmp_path / "test_them.py").write_text(SOURCE)
    options = ("-p", "conftest", "-p", "no:cacheprovider", "-m", "not soak", "test_them.py")
    found = carried_by(*options, cwd=tmp_path, file=tmp_path / "found.json")
    assert set(found) == {"a", "b", "not-skipped-here", "class"}
    assert found["a"] == found["b"] == ["test_them.py::test_that_runs"]
