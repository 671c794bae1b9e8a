"""`nacre install`, then the client itself: its (scripted) model runs a command through what was installed."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import agents
import pytest
from scripted_model import ScriptedModel, ToolCall

if TYPE_CHECKING:
    from pathlib import Path

CLIENT_LIMIT_S = 60


@pytest.mark.req("install-runs")
@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_client_runs_a_command_through_what_was_installed(name: str, tmp_path: Path) -> None:
    def install(home: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "nacre", "install", name, "--", "--max-sessions", "3"],
            env={"PATH": os.environ["PATH"], "HOME": str(home)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    agent = agents.AGENTS[name]
    with ScriptedModel([ToolCall("shell", {"command": "echo pearl; pwd"})]) as model:
        printed = agents.run(agent, model.url, [], tmp_path, CLIENT_LIMIT_S, install)
    assert any(tool.endswith("shell") for tool in model.offered), (model.offered, printed)
    assert len(model.shown) == 1, printed
    assert "pearl" in agent.shows(model.shown[0])
    assert str(tmp_path) in agent.shows(model.shown[0])
