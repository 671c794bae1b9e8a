"""Ordinary commands do in a sandbox what they do without one: same exit code, output and files."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_harness import TestHome, has, scratch_directory
from wire_client import told_of

if TYPE_CHECKING:
    from wire_client import WireClient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

CORPUS = Path(__file__).with_name("ordinary_commands.txt")
SET_UP = {
    ".gitconfig": "[user]\n\tname = Ordinary\n\temail = ordinary@example.invalid\n"
    "[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n",
}
KEPT = {  # toolchains are the person's own; the home directory of the tests is another
    "RUSTUP_HOME": str(Path.home() / ".rustup"),
    "GIT_AUTHOR_DATE": "2020-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE": "2020-01-01T00:00:00Z",
    "npm_config_update_notifier": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
LEAST = 60


def corpus() -> list[str]:
    """The commands whose programs are installed here."""
    lines = [line for line in CORPUS.read_text().splitlines() if line and not line.startswith("#")]
    cases = [tuple(map(str.strip, line.split("|", 1))) for line in lines]
    return [command for programs, command in cases if has(*programs.split())]


def run_all(server: WireClient, commands: list[str], workspace: Path) -> list[dict[str, Any]]:
    """All of them at once, each in a directory of its own; what came of each."""
    posted: list[int] = []
    for number, command in enumerate(commands):
        directory = workspace / f"case-{number}"
        directory.mkdir()
        posted.append(
            server.post_call(
                "shell", {"command": command, "working_directory": str(directory), "timeout": 60}
            )
        )
    results = [told_of(server.answer_to(identity, 90)["result"]) for identity in posted]
    return [
        {
            "exit code": result.get("exit_code"),
            "stdout": result.get("stdout", "timed out"),
            "stderr": result.get("stderr", ""),
            "files": sorted(path.name for path in (workspace / f"case-{number}").iterdir()),
        }
        for number, result in enumerate(results)
    ]


@pytest.fixture(scope="module")
def outcomes() -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """What came of each command without a sandbox, and with one, in a home directory of the same name."""
    commands, runs = corpus(), list[list[dict[str, Any]]]()
    with scratch_directory() as base:
        for level in ("off", "workspace"):
            with TestHome(base, SET_UP) as home:
                server = home.start(level, handshake=None, **KEPT)
                runs.append(run_all(server, commands, home.workspace))
                home.end(server)
            shutil.rmtree(home.home)
    return dict(zip(commands, zip(*runs, strict=True), strict=True))


@pytest.mark.req("sandbox-ordinary")
@pytest.mark.parametrize("command", corpus())
def test_an_ordinary_command_does_in_a_sandbox_what_it_does_without(
    outcomes: dict[str, tuple[dict[str, Any], dict[str, Any]]], command: str
) -> None:
    without, within = outcomes[command]
    assert within == without


@pytest.mark.req("sandbox-ordinary")
def test_the_corpus_of_ordinary_commands_is_as_large_as_it_is_said_to_be() -> None:
    assert len(corpus()) >= LEAST
