"""The MCP bundle and server.json, by the rules of those who read them."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from building import ROOT, TOOLS, node, run
from wire_client import WireClient

import nacre

sys.path.insert(0, str(ROOT / "scripts"))
from readme_for_index import for_index

MCPB = [node(), TOOLS / "node_modules" / "@anthropic-ai" / "mcpb" / "dist" / "cli" / "cli.js"]
# What the registry's schema of 2025-12-11 says about the parts that nacre uses. Its program for checking and
# publishing, mcp-publisher, is in no package that could be installed here; where it asks for more than
# the schema, the rule is that program's.
TEXT: dict[str, Any] = {"type": "string", "minLength": 1, "maxLength": 100}
ARGUMENT: dict[str, Any] = {
    "properties": {
        "type": {"const": "named"},
        "name": {"type": "string", "pattern": "^[^<>$ ]+$"},
        "description": {"type": "string"},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
    },
    "required": ["type", "name"],
    "additionalProperties": False,
}
PACKAGE: dict[str, Any] = {
    "properties": {
        "registryType": {"enum": ["npm", "pypi", "oci", "nuget", "mcpb", "maven"]},
        "identifier": {"type": "string", "pattern": r"^\S+$"},
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
        "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
        "runtimeHint": {"type": "string"},
        "transport": {"const": {"type": "stdio"}},
        "packageArguments": {"type": "array", "items": ARGUMENT},
    },
    "required": ["registryType", "identifier", "transport"],
    "additionalProperties": False,
}
SERVER: dict[str, Any] = {
    "properties": {
        "$schema": {"const": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"},
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$", "maxLength": 200},
        "title": TEXT,
        "description": TEXT,
        "version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+", "maxLength": 255},
        "repository": {"type": "object", "required": ["url", "source"]},
        "packages": {"type": "array", "items": PACKAGE},
    },
    "required": ["name", "description", "version"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle, which `mcpb validate` and `mcpb pack` have accepted."""
    file = tmp_path_factory.mktemp("bundle") / "nacre.mcpb"
    run(sys.executable, ROOT / "scripts" / "make_bundle.py", file)
    return file


@pytest.mark.req("packages-bundle")
def test_a_client_runs_a_command_through_an_unpacked_bundle(bundle: Path, tmp_path: Path) -> None:
    unpacked = tmp_path / "unpacked"
    run(*MCPB, "unpack", bundle, unpacked)
    manifest = json.loads((unpacked / "manifest.json").read_text())
    assert manifest["version"] == nacre.__version__
    server = manifest["server"]
    place = {"${__dirname}": str(unpacked), "${user_config.working_directory}": str(tmp_path)}
    arguments: list[str] = [str(place.get(each, each)) for each in server["mcp_config"]["args"]]
    command: list[str] = [server["mcp_config"]["command"], *arguments]
    assert command[:5] == ["uv", "run", "--no-dev", "--directory", str(unpacked)]
    assert command[5] == "nacre"  # uv installs the project and runs its script; here its module runs
    program = [sys.executable, str(unpacked / server["entry_point"]), *command[6:]]
    with WireClient(program=program, env={"PYTHONPATH": str(unpacked / "src")}, cwd="/") as client:
        client.shake_hands()
        assert client.shell("pwd")["stdout"] == f"{os.path.realpath(tmp_path)}\n"
        listed = client.request("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in manifest["tools"]] == [tool["name"] for tool in listed]


@pytest.mark.req("packages-bundle")
def test_a_bundle_holds_all_that_its_project_is_built_from(bundle: Path, tmp_path: Path) -> None:
    run(*MCPB, "unpack", bundle, tmp_path / "unpacked")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=tmp_path / "unpacked")
    assert list(tmp_path.glob("nacre-*.whl"))


@pytest.mark.req("packages-registry")
def test_the_entry_for_the_registry_follows_its_schema_and_names_this_bundle(
    bundle: Path, tmp_path: Path
) -> None:
    file = tmp_path / "server.json"
    run(sys.executable, ROOT / "scripts" / "make_server_json.py", "someone/nacre", bundle, file)
    made = json.loads(file.read_text())
    jsonschema.validate(made, SERVER)
    assert all(part[0].isalnum() and part[-1].isalnum() for part in made["name"].split("/"))
    package, packed = made["packages"]
    assert (made["name"], made["version"]) == ("io.github.someone/nacre", nacre.__version__)
    assert (package["identifier"], package["version"]) == ("nacre", nacre.__version__)
    assert packed["fileSha256"] == hashlib.sha256(bundle.read_bytes()).hexdigest()
    assert packed["identifier"].startswith("https://github.com/someone/nacre/releases/download/v")
    assert packed["identifier"].endswith(".mcpb"), "an address without `mcp` in it is not taken"
    assert f"mcp-name: {made['name']} " in for_index("", "someone/nacre"), (
        "whose package it is, is told there"
    )
