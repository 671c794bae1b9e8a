"""`nacre config init` on a terminal: three questions, and servers that behave as the answers say."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from sandbox_harness import scratch_directory
from wire_client import WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE_S = 60
END = "Written:"


@pytest.fixture
def home() -> Iterator[Path]:
    """A home directory that a sandbox does not replace by a private one."""
    with scratch_directory() as directory:
        (directory / "project").mkdir()
        yield directory


def answer_questions(home: Path, *answers: str) -> Path:
    """Run it on a terminal and answer each question when it is asked; the file that it wrote."""
    ours, theirs = pty.openpty()
    file = home / "config.toml"
    process = subprocess.Popen(
        [sys.executable, "-m", "nacre", "config", "init", "--file", str(file)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "HOME": str(home)},
        cwd=home,
    )
    os.close(theirs)
    screen = ""
    for count, answer in enumerate(answers, 1):
        while screen.count("[y/n]") < count:
            screen += os.read(ours, 4096).decode()
        os.write(ours, f"{answer}\n".encode())
    while END not in screen:
        screen += os.read(ours, 4096).decode()
    assert process.wait(PATIENCE_S) == 0, screen
    os.close(ours)
    return file


def run(home: Path, file: Path, *commands: str) -> list[str]:
    """What a server with that file answers to commands in a project."""
    program = [sys.executable, "-m", "nacre", "--config", str(file)]
    with WireClient(program=program, cwd=home / "project", env={"HOME": str(home)}) as client:
        client.shake_hands()
        return [text_of(client.call("shell", command=command)) for command in commands]


@pytest.mark.req("config-init")
def test_a_helper_that_may_change_nothing_looks_around_and_no_more(home: Path) -> None:
    looked, written, other = run(home, answer_questions(home, "n"), "pwd", "touch made", "python3 -c 1")
    assert str(home / "project") in looked
    assert not (home / "project" / "made").exists()
    assert "touch" in written
    assert "python3" in other


@pytest.mark.req("config-init")
def test_an_answer_that_is_neither_yes_nor_no_is_asked_for_again(home: Path) -> None:
    file = answer_questions(home, "2", "", "Y", "no", "maybe", "yes")
    assert 'sandbox = "workspace"' in file.read_text()


@pytest.mark.req("config-init")
def test_a_developer_writes_in_the_project_and_not_beside_it(home: Path) -> None:
    file = answer_questions(home, "y", "n", "y")
    run(home, file, "touch made", f"touch {home}/beside", "sudo touch made-by-root")
    assert [path.name for path in (home / "project").iterdir()] == ["made"]
    assert not (home / "beside").exists()


@pytest.mark.req("config-init")
def test_an_operator_runs_what_is_named_and_every_command_is_recorded(home: Path) -> None:
    allowed, refused = run(home, answer_questions(home, "y", "y"), "uptime", "touch made")
    assert "load" in allowed
    assert "touch" in refused
    assert not list((home / "project").iterdir())
    log = (home / "audit.jsonl").read_text()
    assert "uptime" in log
    assert "touch made" in log
