"""The peers: other servers that run shell commands, by package name and version, and how each is asked.

`{peer}` is where its packages are, `{node}` the node that runs them, `{machine}` and `{arch}` two spellings
of the processor. Telemetry is switched off where a peer has a switch; nothing else is changed for speed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from bench.model import Server, ShortTimeout, Step
from bench.servers import ENDS, ORDINARY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ALL = ORDINARY | ENDS
_MODULES = "{peer}/node_modules"
_CODEX = f"{_MODULES}/@openai/codex-shell-tool-mcp/vendor/{{machine}}-unknown-linux-musl"


@dataclass(frozen=True)
class Peer:
    """A server of somebody else's, and the packages it comes in. The first package names the version."""

    server: Server
    manager: Literal["pip", "npm"]
    packages: Sequence[str]
    overrides: Mapping[str, str] = field(default_factory=dict[str, str])  # npm: of what they depend on
    links: Mapping[str, str] = field(default_factory=dict[str, str])  # name in its folder -> program


CODEX = Peer(
    Server(
        "codex-shell-tool-mcp",
        "peer",
        "Rust; a fresh bash for each command",
        argv=(
            f"{_CODEX}/codex-exec-mcp-server",
            *("--execve", f"{_CODEX}/codex-execve-wrapper"),
            *("--bash", f"{_CODEX}/bash/debian-12/bash"),
        ),
        tool="shell",
        arguments={"command": "{command}", "workdir": "{directory}", "login": False},
        text="output",
        setup=(
            Step(
                "codex/sandbox-state/update",
                {"sandboxPolicy": {"type": "danger-full-access"}, "sandboxCwd": "{directory}"},
            ),
        ),
        timeout=ShortTimeout(arguments={"timeout_ms": 1000}),
        workloads=ALL,
    ),
    "npm",
    ["@openai/codex-shell-tool-mcp@0.97.0"],
)

SERVER_COMMANDS = Peer(
    Server(
        "mcp-server-commands",
        "peer",
        "Node; a fresh shell for each command",
        argv=("{node}", f"{_MODULES}/mcp-server-commands/build/index.js"),
        tool="run_command",
        arguments={"command": "{command}"},
        workloads=ALL,
    ),
    "npm",
    ["mcp-server-commands@0.5.0"],
)

CLI_MCP_SERVER = Peer(
    Server(
        "cli-mcp-server",
        "peer",
        "Python; a fresh shell for each command",
        argv=("{peer}/bin/cli-mcp-server",),
        tool="run_command",
        arguments={"command": "true; {command}"},  # with an operator it uses a shell
        env={
            "ALLOWED_DIR": "/",
            "ALLOWED_COMMANDS": "all",
            "ALLOWED_FLAGS": "all",
            "ALLOW_SHELL_OPERATORS": "true",
            "MAX_COMMAND_LENGTH": "1000000",
        },
        timeout=ShortTimeout(env={"COMMAND_TIMEOUT": "1"}),
        workloads=ALL,
    ),
    "pip",
    ["cli-mcp-server==0.2.5", "mcp==1.30.0"],
)

SHELL_SERVER = Peer(
    Server(
        "mcp-shell-server",
        "peer",
        "Python; each command on the stdin of an allowed shell",
        argv=("{peer}/bin/mcp-shell-server",),
        tool="shell_execute",
        arguments={"command": ["benchsh"], "stdin": "{command}"},  # it refuses a shell by its own name
        env={"ALLOW_COMMANDS": "benchsh", "MCP_SHELL_SAFE_PATH": "{peer}/bin:/usr/bin:/bin"},
        timeout=ShortTimeout(arguments={"timeout": 1}),
        workloads=ALL,
    ),
    "pip",
    ["mcp-shell-server==1.1.14", "mcp==1.30.0"],
    links={"bin/benchsh": "bash"},
)

CLAUDE = Peer(
    Server(
        "claude-mcp-serve",
        "peer",
        "the tool `Bash` of Claude Code",
        argv=(f"{_MODULES}/@anthropic-ai/claude-code-linux-{{arch}}/claude", "mcp", "serve"),
        tool="Bash",
        arguments={"command": "{command}", "description": "bench"},
        text="stdout",
        env={
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
        },
        timeout=ShortTimeout(arguments={"timeout": 1000}),
        workloads=ALL,
    ),
    "npm",
    ["@anthropic-ai/claude-code@2.1.325"],
)

DESKTOP_COMMANDER = Peer(
    Server(
        "desktop-commander",
        "peer",
        "Node; a fresh shell for each command",
        argv=("{node}", f"{_MODULES}/@wonderwhy-er/desktop-commander/dist/index.js"),
        tool="start_process",
        arguments={"command": "{command}", "timeout_ms": 30000},
        files={".claude-server-commander/config.json": '{"telemetryEnabled": false}'},
        timeout=ShortTimeout(arguments={"timeout_ms": 1000}),
        workloads=ALL,
    ),
    "npm",
    ["@wonderwhy-er/desktop-commander@0.2.52"],
    {"typedarray.prototype.slice": "1.0.5"},
)

WCGW = Peer(
    Server(
        "wcgw",
        "peer",
        "Python; one persistent shell",
        argv=("{peer}/bin/wcgw_mcp",),
        tool="BashCommand",
        arguments={"type": "command", "command": "{command}", "thread_id": "{thread}"},
        setup=(
            Step(
                "tools/call",
                {
                    "name": "Initialize",
                    "arguments": {
                        "type": "first_call",
                        "mode_name": "wcgw",
                        "any_workspace_path": "",
                        "initial_files_to_read": [],
                        "task_id_to_resume": "",
                        "thread_id": "",
                    },
                },
                {"thread": r"thread_id=([0-9a-z]+)"},
            ),
        ),
        timeout=ShortTimeout(arguments={"wait_for_seconds": 1}),
        workloads=ALL,
    ),
    "pip",
    ["wcgw==5.6.7", "mcp==1.30.0"],
)

PEERS = (CODEX, SERVER_COMMANDS, CLI_MCP_SERVER, SHELL_SERVER, CLAUDE, DESKTOP_COMMANDER, WCGW)
