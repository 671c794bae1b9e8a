"""The package is a house: imports go down only, and only the floor of paths touches the file system."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import nacre.policy

_PACKAGE = Path(nacre.policy.__file__).parent
_FLOORS = [
    {"model", "dialect"},
    {"refusal", "tables", "operators"},
    {"pieces", "options", "filters", "values", "cmd", "powershell", "fish"},
    {"arithmetic", "effects"},
    {"words", "builtins"},
    {"simple"},
    {"conditions"},
    {"posix"},
    {"inspector", "rules", "paths"},
    {"interpreters", "hearing", "enclosure"},
    {"programs"},
    {"part"},
    {"court"},
    {"corpus", "explain", "learn"},
]
_HEIGHT = {name: height for height, floor in enumerate(_FLOORS) for name in floor}
_ALLOWED_OUTSIDE = {
    *("__future__", "collections", "dataclasses", "fnmatch", "functools", "importlib", "itertools"),
    *("json", "re", "typing", "unicodedata"),
}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "nacre.policy":
            found |= {f"nacre.policy.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("name", sorted(_HEIGHT))
def test_imports_go_down_only(name: str) -> None:
    for module in _imports(_PACKAGE / f"{name}.py"):
        if module.startswith("nacre"):
            assert _HEIGHT[module.removeprefix("nacre.policy.")] < _HEIGHT[name], module
        elif name != "paths":
            assert module.partition(".")[0] in _ALLOWED_OUTSIDE, module


def test_every_module_has_its_floor() -> None:
    assert {path.stem for path in _PACKAGE.glob("*.py")} == {*_HEIGHT, "__init__"}
