"""The house rules: imports go down the floors only, and one place starts processes."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "nacre"

# From the ground up. A module may import from its own floor's package and from floors below it.
FLOORS = [
    [
        "errors",
        "model",
        "file_records",
        "config",
        "kinds",
        "policy",
        "eager",
        "keeper.quickjson",
        "keeper.records",
    ],
    [
        "keeper",
        "keeper.wire",
        "keeper.descriptors",
        "keeper.inheritance",
        "keeper.directory",
        "keeper.spools",
        "keeper.troubles",
        "keeper.capture",
        "keeper.processes",
        "keeper.posix",
        "keeper.windows",
        "keeper.host",
    ],
    ["keeper.streams", "keeper.turns", "keeper.shells"],
    ["keeper.commands", "keeper.program", "keeper.launch"],
    ["pipes", "keeper.link", "output", "environment", "spools", "watch", "stderr", "trail"],
    ["dialects", "presets"],
    ["settings"],
    ["configuration"],
    ["once"],
    ["session"],
    ["sessions"],
    ["audit", "hints", "gate", "files"],
    ["abort"],
    ["service"],
    ["api"],
    ["tools.tool", "tools.arguments"],
    ["tools.surface"],
    ["tools"],
    ["tools.catalogue"],
    ["protocol", "protocol.messages", "protocol.admission", "protocol.roots"],
    ["protocol.sdk_tricks", "protocol.stdio"],
    ["protocol.fast_path"],
    ["protocol.sdk"],
    ["server"],
    ["options"],
    ["policy_cli", "server_shell_cli"],
    ["cli"],
    ["__main__"],
]
# Only these may start a process.
STARTERS = {
    "keeper/posix.py",
    "keeper/windows.py",
    "keeper/launch.py",
    "keeper/guardian.py",
    "keeper/processes.py",
}
STARTING = re.compile(
    r"subprocess\.(run|Popen|call|check_\w+)|os\.(posix_spawn|fork|exec\w+|spawn\w+|system|popen)\b|create_subprocess"
)


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def floor_of(name: str) -> int:
    """The highest floor that names this module or a package it is in; the longest name counts."""
    matches = [
        (len(entry), number)
        for number, floor in enumerate(FLOORS)
        for entry in floor
        if name == entry or name.startswith(entry + ".")
    ]
    assert matches, f"nacre.{name} stands on no floor: give it one in FLOORS"
    return max(matches)[1]


def imports_of(path: Path) -> set[str]:
    """The modules of nacre that a file imports when it runs (imports for type checkers do not count)."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            node.body = []
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "nacre":
            base = node.module.removeprefix("nacre").removeprefix(".")
            for alias in node.names:
                inner = f"{base}.{alias.name}".removeprefix(".")
                is_module = (SOURCE / f"{inner.replace('.', '/')}.py").exists() or (
                    SOURCE / inner.replace(".", "/")
                ).is_dir()
                found.add(inner if is_module else base)
    return found - {""}


@pytest.mark.req("house-floors")
@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_imports_go_down_only(path: Path) -> None:
    name = name_of(path)
    if name in ("", "keeper"):
        lazily = {"api"} if name == "" else set[str]()  # inside a function, when nacre.Session is named
        assert imports_of(path) <= lazily
        return
    for imported in imports_of(path):
        same_package = imported.partition(".")[0] == name.partition(".")[0] and "keeper" not in name
        assert (
            floor_of(imported) <= floor_of(name)
            if same_package or floor_of(imported) == floor_of(name)
            else (floor_of(imported) < floor_of(name))
        ), f"nacre.{name} imports nacre.{imported}, which stands above it"


@pytest.mark.req("house-one-road")
@pytest.mark.parametrize("path", modules(), ids=name_of)
def test_only_the_keeper_and_its_launcher_start_processes(path: Path) -> None:
    if str(path.relative_to(SOURCE)) not in STARTERS:
        assert STARTING.findall(path.read_text()) == []


@pytest.mark.req("house-one-road")
def test_tools_reach_processes_through_the_service_only() -> None:
    for path in sorted((SOURCE / "tools").glob("*.py")):
        low = {
            name
            for name in imports_of(path)
            if name.startswith("keeper") or name in ("once", "session", "sessions")
        }
        assert low == set(), f"{path.name} goes past the service: {low}"


def test_the_sdk_is_imported_in_one_module() -> None:
    for path in modules():
        if path.name not in ("sdk.py", "sdk_tricks.py"):
            assert not re.search(
                r"^\s*(from|import) (mcp|pydantic|anyio)\b", path.read_text(), re.MULTILINE
            ), path


def test_every_module_says_what_it_is() -> None:
    for path in modules():
        assert ast.get_docstring(ast.parse(path.read_text())), f"{path} has no docstring"


def test_nine_functions_of_ten_are_short() -> None:
    lengths = [
        node.end_lineno - node.lineno + 1
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]
    assert sum(length <= 30 for length in lengths) >= 0.9 * len(lengths)
