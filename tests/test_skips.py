"""A skip is a failure unless its reason is one that no package can mend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from skips import objection

TESTS = Path(__file__).parent


@pytest.mark.req("tests-no-skips")
@pytest.mark.parametrize(
    ("reason", "anywhere", "in_ci"),
    [
        ("fish is not installed", False, False),
        ("wine is not set up: `make test` does it", False, False),
        ("could not import 'jsonschema'", False, False),
        ("later", False, False),
        ("no memory cgroup can be made here: [Errno 13]", True, False),
        ("corpus is not beside this checkout", True, True),
    ],
)
def test_a_skip_is_true_only_for_what_no_package_brings(reason: str, *, anywhere: bool, in_ci: bool) -> None:
    assert (objection(reason, in_ci=False) == "") is anywhere
    assert (objection(reason, in_ci=True) == "") is in_ci


SOURCE = """
import pytest
missing = pytest.mark.skipif(True, reason="fish is not installed")

@missing
def test_with_a_mark(): ...

def test_in_the_middle(): pytest.skip("fish is not installed")

@pytest.fixture
def fish(): pytest.skip("fish is not installed")

def test_with_a_fixture(fish): ...

@pytest.mark.xfail(reason="later")
def test_that_is_known_to_fail(): assert False

def test_without_data(): pytest.skip("corpus is not beside this checkout")
"""


@pytest.mark.req("tests-no-skips")
def test_every_way_of_skipping_fails_the_run(tmp_path: Path) -> None:
    (tmp_path / "test_them.py").write_text(SOURCE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "test_them.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "1 skipped" in done.stdout
    for name in ("with_a_mark", "in_the_middle", "with_a_fixture", "that_is_known_to_fail"):
        assert f"::test_{name} - " in done.stdout or f"::test_{name}\n" in done.stdout, done.stdout
    assert "a skip hides a fault" in done.stdout
