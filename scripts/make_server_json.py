"""Write server.json, with which a release is announced to the MCP registry.

make_server_json.py OWNER/REPOSITORY BUNDLE FILE

The registry knows a server by the GitHub account that publishes it, so its name is known where the release
is made.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path
from typing import Any

from nacre import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
STDIO = {"type": "stdio"}


def server(repository: str, bundle: Path) -> dict[str, Any]:
    """The server and where to get it: from the Python package index, or as a bundle of the release."""
    address = f"https://github.com/{repository}"
    directory = {
        "type": "named",
        "name": "--working-dir",
        "description": "where commands start, for example your project",
        "format": "filepath",
        "isRequired": False,
    }
    package = {
        "registryType": "pypi",
        "identifier": PROJECT["name"],
        "version": __version__,
        "runtimeHint": "uvx",
        "transport": STDIO,
        "packageArguments": [directory],
    }
    packed = {
        "registryType": "mcpb",
        "identifier": f"{address}/releases/download/v{__version__}/{bundle.name}",
        "version": __version__,
        "fileSha256": hashlib.sha256(bundle.read_bytes()).hexdigest(),
        "transport": STDIO,
    }
    return {
        "$schema": SCHEMA,
        "name": f"io.github.{repository.partition('/')[0]}/{PROJECT['name']}",
        "title": PROJECT["name"],
        "description": PROJECT["description"],
        "version": __version__,
        "repository": {"url": address, "source": "github"},
        "packages": [package, packed],
    }


def main(repository: str, bundle: str, file: str) -> None:
    """Write the file."""
    Path(file).write_text(json.dumps(server(repository, Path(bundle)), indent=2) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
