"""The clients: where each keeps its settings on each platform, and how an entry for nacre is written. Pure.

Above it: `settings_file` and the command line.
"""

from __future__ import annotations

import ntpath
import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.errors import RequestError
from nacre.spelling import close_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Entry = dict[str, object]

AT_ONCE = "Nothing more: the client loads it at once."
LONGEST_CALL_S = 1860
"""Longer than any limit of nacre's, so that a client does not give up first and lose the output."""


@dataclass(frozen=True)
class World:
    """What decides where settings are kept."""

    platform: str
    home: str
    environment: Mapping[str, str]

    def path(self, *parts: str) -> str:
        """Parts of a path, joined as on that platform."""
        return (ntpath if self.platform == "win32" else posixpath).join(*parts)

    def application_data(self, *parts: str) -> str:
        """Where desktop programs keep their settings."""
        if self.platform == "win32":
            roaming = self.environment.get("APPDATA") or self.path(self.home, "AppData", "Roaming")
            return self.path(roaming, *parts)
        if self.platform == "darwin":
            return self.path(self.home, "Library", "Application Support", *parts)
        return self.xdg(*parts)

    def xdg(self, *parts: str) -> str:
        """Below XDG_CONFIG_HOME, which some programs use on every platform."""
        return self.path(self.environment.get("XDG_CONFIG_HOME") or self.path(self.home, ".config"), *parts)


@dataclass(frozen=True)
class Client:
    """One client: its names, its file, and how an entry is written there."""

    name: str
    title: str
    where: Callable[[World], str]
    key: str = "mcpServers"
    """The top-level key whose members are the servers."""
    text_format: str = "json"
    entry: Callable[[str, list[str]], Entry] = lambda command, args: {"command": command, "args": args}
    project_file: str = ""
    """The file of a project, where the client has one, below the project's directory."""
    then: str = "Restart it."
    """What the person does next."""
    is_desktop: bool = False
    """Whether it is started from a desktop, where PATH is not a terminal's."""


def _stdio(command: str, args: list[str]) -> Entry:
    return {"type": "stdio", "command": command, "args": args}


def _claude_code_entry(command: str, args: list[str]) -> Entry:
    # Otherwise its tools are found only by a search, and are missing in the first turn of a quick start.
    return {**_stdio(command, args), "alwaysLoad": True}


def _codex(command: str, args: list[str]) -> Entry:
    # Tools of a server that is not ready in the first moments would be missing in the first turn.
    return {"command": command, "args": args, "required": True, "tool_timeout_sec": LONGEST_CALL_S}


def _gemini(command: str, args: list[str]) -> Entry:
    return {"command": command, "args": args, "timeout": LONGEST_CALL_S * 1000}


def _goose(command: str, args: list[str]) -> Entry:
    return {
        "enabled": True,
        "type": "stdio",
        "name": "nacre",
        "cmd": command,
        "args": args,
        "envs": {},
        "timeout": LONGEST_CALL_S,
    }


def _opencode(command: str, args: list[str]) -> Entry:
    return {"type": "local", "command": [command, *args], "enabled": True}


def _cline(command: str, args: list[str]) -> Entry:
    return {"command": command, "args": args, "disabled": False, "timeout": LONGEST_CALL_S}


def _zed(command: str, args: list[str]) -> Entry:
    return {"source": "custom", "command": command, "args": args, "env": {}}


def _claude_code(world: World) -> str:
    return world.path(world.environment.get("CLAUDE_CONFIG_DIR") or world.home, ".claude.json")


def _codex_file(world: World) -> str:
    return world.path(world.environment.get("CODEX_HOME") or world.path(world.home, ".codex"), "config.toml")


def _zed_file(world: World) -> str:
    return (
        world.application_data("Zed", "settings.json")
        if world.platform == "win32"
        else world.xdg("zed", "settings.json")
    )


def _goose_file(world: World) -> str:
    if world.platform == "win32":
        return world.application_data("Block", "goose", "config", "config.yaml")
    return world.xdg("goose", "config.yaml")


def _cline_file(world: World) -> str:
    storage = ("Code", "User", "globalStorage", "saoudrizwan.claude-dev", "settings")
    return world.application_data(*storage, "cline_mcp_settings.json")


CLIENTS = (
    Client("claude-code", "Claude Code", _claude_code, entry=_claude_code_entry, project_file=".mcp.json",
           then="Start a new session; `/mcp` shows it."),
    Client("claude-desktop", "Claude Desktop",
           lambda world: world.application_data("Claude", "claude_desktop_config.json"),
           then="Quit it completely and start it again.", is_desktop=True),
    Client("cursor", "Cursor", lambda world: world.path(world.home, ".cursor", "mcp.json"),
           project_file=".cursor/mcp.json", then="Switch it on in Settings, MCP.", is_desktop=True),
    Client("vscode", "VS Code", lambda world: world.application_data("Code", "User", "mcp.json"),
           key="servers", entry=_stdio, project_file=".vscode/mcp.json",
           then='Run "MCP: List Servers", choose nacre, and start it.', is_desktop=True),
    Client("zed", "Zed", _zed_file, key="context_servers", entry=_zed, then=AT_ONCE, is_desktop=True),
    Client("codex", "Codex", _codex_file, key="mcp_servers", text_format="toml", entry=_codex,
           then="Start a new session; `codex mcp list` shows it."),
    Client("gemini", "Gemini CLI", lambda world: world.path(world.home, ".gemini", "settings.json"),
           entry=_gemini, project_file=".gemini/settings.json",
           then="Start a new session in a trusted folder; `/mcp` shows it."),
    Client("goose", "Goose", _goose_file, key="extensions", text_format="yaml", entry=_goose,
           then="Start a new session."),
    Client("windsurf", "Windsurf",
           lambda world: world.path(world.home, ".codeium", "windsurf", "mcp_config.json"),
           then="Press the refresh button of its MCP servers.", is_desktop=True),
    Client("lm-studio", "LM Studio", lambda world: world.path(world.home, ".lmstudio", "mcp.json"),
           then=AT_ONCE, is_desktop=True),
    Client("opencode", "opencode", lambda world: world.xdg("opencode", "opencode.json"), key="mcp",
           entry=_opencode, project_file="opencode.json", then="Start it again."),
    Client("cline", "Cline", _cline_file, entry=_cline, then=AT_ONCE, is_desktop=True),
)  # fmt: skip


def client_named(name: str) -> Client:
    """The client with that name. RequestError: there is none, with the nearest."""
    known = tuple(client.name for client in CLIENTS)
    for client in CLIENTS:
        if name.lower() in (client.name, client.title.lower()):
            return client
    near = close_names(name.lower(), known)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise RequestError(
        f'nacre does not know a client "{name}".',
        hint=f"{hint}It knows {', '.join(known)}.",
        code="unknown_client",
    )


def snippet(client: Client, name: str, command: Sequence[str]) -> str:
    """What the client's file has to hold, for a person who writes it by hand."""
    from nacre.install import json_text, toml_text, yaml_text  # noqa: PLC0415  # only here

    writers = {"json": json_text.with_entry, "toml": toml_text.with_entry, "yaml": yaml_text.with_entry}
    return writers[client.text_format]("", (client.key, name), client.entry(command[0], list(command[1:])))
