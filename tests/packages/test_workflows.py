"""The GitHub workflows: read by GitHub's own language service, and by zizmor for what could be abused."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from building import ROOT, TOOLS, node, run

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
CHECK = ROOT / "packages" / "check_workflows.mjs"


@pytest.mark.req("packages-workflows")
def test_github_finds_no_fault_in_the_workflows() -> None:
    assert run(node(), CHECK, TOOLS, *WORKFLOWS) == ""


@pytest.mark.req("packages-workflows")
def test_a_fault_would_be_found(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yml"
    broken.write_text(WORKFLOWS[0].read_text().replace("runs-on:", "run-on:"))
    check = subprocess.run([node(), CHECK, TOOLS, broken], capture_output=True, text=True, check=False)
    assert check.returncode == 1
    assert "run-on" in check.stdout


@pytest.mark.req("packages-workflows")
def test_zizmor_finds_nothing_to_abuse() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    run(zizmor, "--offline", "--quiet", "--strict-collection", "--persona", "pedantic", GITHUB)


@pytest.mark.req("packages-workflows")
def test_every_action_is_pinned_to_a_commit_and_says_which_version_that_is() -> None:
    used = [line for path in WORKFLOWS for line in path.read_text().splitlines() if "uses:" in line]
    pinned = re.compile(r"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
    own = re.compile(r"uses: \$/\.github/workflows/[\w-]+\.yml$")
    assert used
    assert [line for line in used if not pinned.search(line) and not own.search(line)] == []


@pytest.mark.req("packages-workflows")
def test_a_release_publishes_without_a_stored_secret() -> None:
    text = (GITHUB / "workflows" / "release.yml").read_text()
    assert "id-token: write" in text
    assert "secrets." not in text
    assert "password" not in text
