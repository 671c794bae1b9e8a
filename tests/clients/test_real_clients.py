"""Clients of other makers, each against every preset: they connect, list the tools and run a command.

`scripts/install-test-clients.sh` installs them; their exact versions stand in package-lock.json and
requirements.lock.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from agents import INSTALLED, require_installed

from nacre import presets

HERE = Path(__file__).parent
NODE = INSTALLED / "node"
PYTHON_V1 = INSTALLED / "python" / "bin" / "python"
PATIENCE_S = 60


class Call(NamedTuple):
    """What is asked of a preset: everywhere it comes to `echo pearl`."""

    tool: str
    arguments: dict[str, Any]
    options: tuple[str, ...] = ()


# A preset that is not here yet gets its line when it comes; the test below says so.
CALLS = {
    "agent": Call("shell", {"command": "echo pearl"}),
    "commands": Call("echo", {"args": "pearl"}),
    "shell-exec": Call("shell_exec", {"command": "echo pearl"}),
    "execute-command": Call("execute_command", {"command": "echo pearl"}),
    "container": Call("shell_exec", {"command": "echo", "args": ["pearl"]}, ("--no-announce",)),
}


def converse(program: list[str], cwd: Path | None = None) -> Any:
    """Run a client; what it prints."""
    require_installed()
    done = subprocess.run(program, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


def one_line(server: list[str], call: Call, cwd: Path) -> str:
    """A conversation in the words of our own two drivers."""
    command, *args = server
    return json.dumps(
        {"command": command, "args": args, "cwd": str(cwd), "tool": call.tool, "arguments": call.arguments}
    )


def with_inspector(server: list[str], call: Call, _cwd: Path) -> tuple[list[Any], Any, list[str]]:
    """Two runs of the Inspector's command line: it does one thing at a time."""
    # It looks for its own package.json from the current directory.
    build = NODE / "node_modules" / "@modelcontextprotocol" / "inspector-cli" / "build"
    program = ["node", "cli.js", "--cli", *server, "--method"]
    given = [
        word
        for name, value in call.arguments.items()
        for word in ("--tool-arg", f"{name}={value if isinstance(value, str) else json.dumps(value)}")
    ]
    listed = converse([*program, "tools/list"], build)
    result = converse([*program, "tools/call", "--tool-name", call.tool, *given], build)
    return listed["tools"], result, []


def with_typescript(server: list[str], call: Call, cwd: Path) -> tuple[list[Any], Any, list[str]]:
    """The TypeScript SDK's own client class."""
    driver = shutil.copy(HERE / "typescript_client.mjs", NODE) if NODE.exists() else ""
    report = converse(["node", str(driver), one_line(server, call, cwd)])
    return report["tools"], report["result"], report["complaints"]


def with_python_v1(server: list[str], call: Call, cwd: Path) -> tuple[list[Any], Any, list[str]]:
    """The Python SDK before version 2."""
    driver = HERE / "python_v1_client.py"
    report = converse([str(PYTHON_V1), str(driver), one_line(server, call, cwd)])
    return report["tools"], report["result"], report["complaints"]


CLIENTS: dict[str, Callable[[list[str], Call, Path], tuple[list[Any], Any, list[str]]]] = {
    "inspector": with_inspector,
    "typescript-sdk": with_typescript,
    "python-sdk-1": with_python_v1,
}


@pytest.mark.req("real-clients")
@pytest.mark.parametrize("preset", presets.names())
@pytest.mark.parametrize("client", CLIENTS)
def test_a_real_client_lists_the_tools_and_runs_a_command(client: str, preset: str, tmp_path: Path) -> None:
    assert preset in CALLS, f"say in CALLS how `echo pearl` is asked of the preset {preset}"
    call = CALLS[preset]
    server = [sys.executable, "-m", "nacre", "--preset", preset, "--working-dir", str(tmp_path)]
    tools, result, complaints = CLIENTS[client]([*server, *call.options], call, tmp_path)
    assert call.tool in [tool["name"] for tool in tools]
    assert "pearl" in result["content"][0]["text"]
    assert result.get("isError", False) is False
    assert complaints == []
