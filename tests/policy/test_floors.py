"""Imports inside the policy go down only, and only `paths` touches more than texts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import nacre.policy

_PACKAGE = Path(nacre.policy.__file__).parent
_FLOORS = [
    {"model", "patterns", "rulesets"},
    {
        "grammar",
        "hidden_files",
        "refusal",
        "tables",
        "single_command",
        "languages",
        "alternatives",
        "outputs",
        "matching",
        "powershell_drives",
        "powershell_lists",
    },
    {"pieces", "options", "plain_code", "command_facts", "cmd", "powershell_tokens", "fish"},
    {"calls", "elements"},
    {"given_parameters"},
    {"values", "argument_facts", "powershell"},
    {"arithmetic", "effects"},
    {
        *("parameters", "builtins", "project_runners", "unpacking", "filter_versions"),
        *("cmdlets", "windows_commands"),
    },
    {"words"},
    {"certainty"},
    {"simple"},
    {"conditions", "plain"},
    {"compounds"},
    {"posix"},
    {"argument_inspector", "rules", "paths"},
    {"inspector"},
    {"renames"},
    {"interpreters", "findings", "keyed_arrays", "variables", "find_expression"},
    {"git_commands", "link_check", "arrivals", "command_input", "program_table", "windows_paths"},
    {"boundaries"},
    {"network_programs", "variable_check", "redirection_check"},
    {"programs"},
    {"windows_names", "windows_switches", "children", "own_mentions"},
    {"rule_search"},
    {"effect_check"},
    {"check"},
    {"evaluation"},
    {"corpus", "explain", "learn"},
]
_HEIGHT = {name: height for height, floor in enumerate(_FLOORS) for name in floor}
_ALLOWED_OUTSIDE = {
    *("__future__", "collections", "contextlib", "dataclasses", "fnmatch"),
    *("functools", "importlib", "itertools"),
    *("ast", "json", "re", "tomllib", "typing", "unicodedata", "warnings"),
}


# Packages inside the package: what they hold stands on one floor.
_SUBPACKAGES = ("tables", "languages", "rulesets")


def _part(module: str) -> str:
    """The module or sub-package that a module belongs to."""
    return module.removeprefix("nacre.policy.").partition(".")[0]


def _files(name: str) -> list[Path]:
    return sorted((_PACKAGE / name).glob("*.py")) if name in _SUBPACKAGES else [_PACKAGE / f"{name}.py"]


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "nacre.policy":
            found |= {f"nacre.policy.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name}:{node.lineno} imports by a relative name"
            found.add(node.module or "")
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@pytest.mark.parametrize("name", sorted(_HEIGHT))
def test_imports_go_down_only(name: str) -> None:
    for module in {module for path in _files(name) for module in _imports(path)}:
        if module == "nacre.filesystem":
            continue  # the questions about files that somebody else answers: below all of this
        if module.startswith("nacre"):
            below = _part(module)
            assert below == name in _SUBPACKAGES or _HEIGHT[below] < _HEIGHT[name], module
        elif (name, module) == ("languages", "sys"):
            continue  # the names of Python's own modules
        elif name != "paths":
            assert module.partition(".")[0] in _ALLOWED_OUTSIDE, module


def test_every_module_has_its_floor() -> None:
    parts = {path.stem for path in _PACKAGE.glob("*.py")} | {
        path.parent.name for path in _PACKAGE.glob("*/__init__.py")
    }
    assert parts == {*_HEIGHT, "__init__"}


def test_no_module_is_too_long_to_be_read_at_once() -> None:
    long = {
        str(path.relative_to(_PACKAGE)): len(path.read_text("utf-8").splitlines())
        for path in _PACKAGE.rglob("*.py")
    }
    assert {name: lines for name, lines in long.items() if lines > 600} == {}
