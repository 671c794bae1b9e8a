"""`nacre sandbox explain`, `nacre sandbox try` and `nacre doctor`, as a person calls them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_harness import TestHome, scratch_directory

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUE = "PRIVATE"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")


@pytest.fixture
def home() -> Iterator[TestHome]:
    """A home directory with a secret, and a repository as workspace."""
    files = {".aws/credentials": "PRIVATE", "project/.git/config": "", "project/plain": "plain"}
    with scratch_directory() as base, TestHome(base, files) as made:
        yield made


def nacre(home: TestHome, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nacre", *arguments],
        cwd=home.workspace,
        env=home.environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.req("sandbox-explain")
def test_explain_tells_what_a_command_may_do_and_why_not(home: TestHome) -> None:
    command = "cat ~/.aws/credentials plain > out; cp out ~/elsewhere; echo x >> .git/config"
    done = nacre(home, "sandbox", "explain", command)
    assert done.returncode == 1
    for line in (
        "level: workspace, held by bubblewrap, Landlock",
        "/.aws/credentials: cannot be read or written: secrets are hidden (to allow it: sandbox_readable",
        f"{home.workspace}/plain: can be read and written",
        f"{home.workspace}/out: can be read and written",
        f"{home.home}/elsewhere: can be read, not written: it is outside of the workspace",
        f"{home.workspace}/.git/config: can be read, not written: it is protected (to allow it: sandbox_un",
    ):
        assert line in done.stdout
    assert sorted(path.name for path in home.workspace.iterdir()) == [".git", "plain"]


@pytest.mark.req("sandbox-explain")
def test_explain_follows_the_level_that_is_asked_for(home: TestHome) -> None:
    done = nacre(home, "sandbox", "explain", "--sandbox", "strict", "make > log")
    assert (done.returncode, done.stderr) == (0, "")
    assert "level: strict" in done.stdout
    assert "network: no" in done.stdout
    refused = nacre(home, "sandbox", "explain", "--sandbox", "read-only", "make > log")
    assert refused.returncode == 1
    assert 'sandbox = "workspace"' in refused.stdout
    assert nacre(home, "sandbox", "explain", "--sandbox", "tight", "ls").returncode == 2


@pytest.mark.req("sandbox-explain")
def test_try_runs_a_program_inside_and_leaves_nothing(home: TestHome) -> None:
    program = "touch inside; touch ~/outside; cat ~/.aws/credentials; echo $SOME_TOKEN; exit 7"
    done = nacre(home, "sandbox", "try", "--", "sh", "-c", program, SOME_TOKEN=VALUE)
    assert done.returncode == 7
    assert "sandbox workspace (bubblewrap" in done.stderr
    assert "PRIVATE" not in done.stdout
    assert not (home.home / "outside").exists()
    assert sorted(path.name for path in home.workspace.iterdir()) == [".git", "inside", "plain"]


def report(done: subprocess.CompletedProcess[str]) -> dict[str, dict[str, Any]]:
    return {finding["name"]: finding for finding in json.loads(done.stdout)}


@pytest.mark.req("doctor")
def test_doctor_finds_that_all_is_well(home: TestHome) -> None:
    done = nacre(home, "doctor")
    assert done.returncode == 0, done.stdout
    assert "problem" not in done.stdout
    for name in (
        "version",
        "settings",
        "shell",
        "keeper",
        "workspace",
        "read-only",
        "strict",
        "exec gate",
        "open files",
    ):
        assert f"ok       {name}" in done.stdout
    assert not list(home.home.glob(".nacre*"))


@pytest.mark.req("doctor")
def test_doctor_says_what_is_missing_and_what_would_mend_it(home: TestHome) -> None:
    settings = home.write("settings.toml", 'sandbox = "strict"\n')
    path = str(home.path_without("bwrap"))
    done = nacre(home, "doctor", "--json", "--config", str(settings), PATH=path)
    found = report(done)
    assert done.returncode == 1
    assert found["keeper"]["status"] == "ok"
    assert found["workspace"]["status"] == "warning"
    assert "bubblewrap" in found["workspace"]["fix"]
    assert found["strict"]["status"] == "problem"  # it is asked for
    assert "bubblewrap" in found["strict"]["fix"]


@pytest.mark.req("doctor")
def test_doctor_explains_what_a_home_directory_in_tmp_means_for_commands(home: TestHome) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as private:  # it is about that one
        found = report(nacre(home, "doctor", "--json", HOME=private))["workspace"]
    assert found["status"] == "warning", found
    assert "works: bubblewrap" in found["text"]
    assert (
        f"commands do not see your home directory {private}: they have a /tmp of their own" in found["text"]
    )
    assert found["fix"] == "Start nacre with a HOME that is not in /tmp or /var/tmp."


@pytest.mark.req("doctor")
def test_doctor_reads_settings_that_cannot_be_used(home: TestHome) -> None:
    settings = home.write("settings.toml", 'sandbax = "strict"\n')
    done = nacre(home, "doctor", "--json", "--config", str(settings))
    assert done.returncode == 1
    finding = report(done)["settings"]
    assert "Unknown setting: sandbax" in finding["text"]
    assert "Did you mean sandbox?" in finding["fix"]
