"""Make the MCP bundle (.mcpb) that desktop clients install with one click: make_bundle.py FILE.

A bundle is an archive with a manifest. This one is of the type `uv`: the client brings uv, which makes an
environment from pyproject.toml, so that one bundle serves every system. The manifest is checked and the
bundle packed by the format's own program, which scripts/install-package-tools.sh installs.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from generate_reference import tools

from nacre import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MCPB = ROOT / ".clients" / "packages" / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"
CONTENTS = ("pyproject.toml", "README.md", "LICENSE", "packages/nacre.1", "src/nacre")


def manifest() -> dict[str, Any]:
    """What a client shows, asks for and runs."""
    directory = {
        "type": "directory",
        "title": "Working directory",
        "description": "Where commands start: your project, for example.",
        "default": "${HOME}",
        "required": True,
    }
    return {
        "manifest_version": "0.4",
        "name": PROJECT["name"],
        "version": __version__,
        "description": PROJECT["description"],
        "author": {"name": "The nacre authors"},
        "license": PROJECT["license"],
        "keywords": PROJECT["keywords"],
        "server": {
            "type": "uv",
            "entry_point": "src/nacre/__main__.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--no-dev", "--directory", "${__dirname}", "nacre", *working_directory()],
            },
        },
        "tools": [{"name": tool["name"], "description": first_sentence(tool)} for tool in tools()],
        "compatibility": {
            "platforms": ["darwin", "linux", "win32"],
            "runtimes": {"python": PROJECT["requires-python"]},
        },
        "user_config": {"working_directory": directory},
    }


def working_directory() -> list[str]:
    """The option that the client fills in."""
    return ["--working-dir", "${user_config.working_directory}"]


def first_sentence(tool: dict[str, Any]) -> str:
    """What the list of tools says about one."""
    return tool["description"].partition("\n")[0].partition(". ")[0].rstrip(".") + "."


def gather(directory: Path) -> None:
    """Put the contents of the bundle there."""
    for name in CONTENTS:
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(ROOT / name, target)
    (directory / "manifest.json").write_text(json.dumps(manifest(), indent=2) + "\n")


def main(file: str) -> None:
    """Check the manifest and pack."""
    with tempfile.TemporaryDirectory() as made:
        gather(Path(made))
        for command in ("validate", f"{made}/manifest.json"), ("pack", made, str(Path(file).absolute())):
            done = subprocess.run(["node", MCPB, *command], capture_output=True, text=True, check=False)  # noqa: S603, S607  # as installed
            if done.returncode:
                sys.exit(f"mcpb {command[0]} failed:\n{done.stdout}{done.stderr}")
    print(file)


if __name__ == "__main__":
    main(*sys.argv[1:])
