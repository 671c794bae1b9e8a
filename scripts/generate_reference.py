"""Write docs/reference.md from what the program itself says: `--help`, the tool list, the configuration.

`--print` shows the page instead of writing it; a test compares the two.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "reference", "version": "1"},
}


def help_text() -> str:
    """What `nacre --help` prints, at a width that does not depend on the terminal."""
    environment = {**os.environ, "COLUMNS": "100"}
    shown = subprocess.run(  # our own program
        [sys.executable, "-m", "nacre", "--help"], capture_output=True, text=True, check=True, env=environment
    )
    return shown.stdout.strip()


def tools() -> list[dict[str, Any]]:
    """What a client of the default server is shown."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    answered = subprocess.run(
        [sys.executable, "-m", "nacre", "--shell", "bash", "--working-dir", "/tmp"],  # noqa: S108  # shown in the page
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        check=True,
    )
    last = json.loads(answered.stdout.splitlines()[-1])
    return last["result"]["tools"]


def tool_section(tool: dict[str, Any]) -> str:
    """One tool with its arguments and the fields of its result."""
    required = tool["inputSchema"].get("required", [])
    rows = [
        f"| `{name}` | {schema['type']} | {'yes' if name in required else 'no'} | {notes(schema)} |"
        for name, schema in tool["inputSchema"]["properties"].items()
    ]
    fields = ", ".join(f"`{name}`" for name in tool["outputSchema"]["properties"])
    table = "\n".join(["| argument | type | required | |", "|---|---|---|---|", *rows])
    return f"### `{tool['name']}`\n\n{tool['description']}\n\n{table}\n\nStructured result: {fields}.\n"


def notes(schema: dict[str, Any]) -> str:
    """An argument's description and limits."""
    limits = [
        f"{key} {schema[key]}" for key in ("minLength", "minimum", "maximum", "default") if key in schema
    ]
    return "; ".join([*filter(None, [schema.get("description")]), *limits])


def page() -> str:
    """The whole page."""
    sections = "\n".join(tool_section(tool) for tool in tools())
    text = (
        "# Reference\n\n<!-- Written by scripts/generate_reference.py; a test keeps it true. -->\n\n"
        f"## Command line\n\n```\n{help_text()}\n```\n\n## Tools\n\n{sections}"
    )
    return re.sub(r"\n{3,}", "\n\n", text)


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(page())
    else:
        (ROOT / "docs" / "reference.md").write_text(page())
