"""Reads Python sources for the tests of the architecture: what a module imports and uses, how long it is.

It resolves names the way Python does: aliases, relative imports, `from x import y`, attributes of imported
modules, `importlib.import_module` and `getattr` with a constant. What only a running program could tell (a
computed module name) is reported as such. Imports for type checkers alone do not count.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_IMPORTERS = frozenset({"importlib.import_module", "importlib.__import__", "__import__", "runpy.run_module"})
_BROAD = frozenset({"Exception", "BaseException"})


@dataclass
class Reading:
    """What one source names, by absolute dotted names."""

    imported: set[str] = field(default_factory=set[str])  # `from os import fork` is os.fork
    used: set[str] = field(default_factory=set[str])  # what is reached through an import
    attributes: set[str] = field(default_factory=set[str])  # names of attributes, of whatever object
    computed: set[int] = field(default_factory=set[int])  # lines that import a module by a computed name

    @property
    def names(self) -> set[str]:
        """All of them."""
        return self.imported | self.used


@functools.lru_cache(maxsize=400)
def parse(source: str) -> ast.Module:
    """The tree of a source: several tests look at each."""
    return ast.parse(source)


def read(source: str, module: str = "module", *, is_package: bool = False) -> Reading:
    """Read one source; `module` is its full name."""
    tree = parse(source)
    reader = _Reader(module if is_package else module.rpartition(".")[0])
    reader.bind(tree)
    reader.visit(tree)
    return reader.reading


class _Reader(ast.NodeVisitor):
    def __init__(self, package: str) -> None:
        self._package = package
        self._bound: dict[str, str] = {}  # a name in this source -> the dotted name it stands for
        self.reading = Reading()

    def bind(self, tree: ast.Module) -> None:
        """Learn what the names stand for, wherever in the file that is said."""
        nodes = list(_running_nodes(tree))
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self._bound[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self._bound[alias.asname or alias.name] = f"{self._base(node)}.{alias.name}"
        for node in nodes:  # `run = subprocess.run`
            if isinstance(node, ast.Assign) and (dotted := self._dotted(node.value)):
                self._bound.update(
                    (target.id, dotted) for target in node.targets if isinstance(target, ast.Name)
                )

    def _base(self, node: ast.ImportFrom) -> str:
        """The module that `from … import` names."""
        if not node.level:
            return node.module or ""
        package = self._package.split(".")
        package = package[: len(package) - node.level + 1]
        return ".".join([*package, *([node.module] if node.module else [])])

    def _dotted(self, node: ast.expr) -> str | None:
        """What an expression stands for, if it is an imported name or something inside one."""
        if isinstance(node, ast.Name):
            return self._bound.get(node.id, "__import__" if node.id == "__import__" else None)
        if isinstance(node, ast.Attribute) and (base := self._dotted(node.value)):
            return f"{base}.{node.attr}"
        if isinstance(node, ast.Call) and node.args and self._dotted(node.func) in _IMPORTERS:
            first = node.args[0]  # `__import__("subprocess").run`
            return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else None
        return None

    def visit(self, node: ast.AST) -> None:
        """Take down what this node names, and go into what runs below it."""
        if isinstance(node, ast.Import):
            self.reading.imported.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = self._base(node)
            self.reading.imported.update(
                base if alias.name == "*" else f"{base}.{alias.name}" for alias in node.names
            )
        elif isinstance(node, ast.Attribute | ast.Name):
            self._take_name(node)
        elif isinstance(node, ast.Call):
            self._take_call(node)
        for child in _running_children(node):
            self.visit(child)

    def is_sleep(self, node: ast.Call) -> bool:
        """Whether a call does nothing but wait."""
        called, arguments = self._dotted(node.func) or "", [ast.unparse(item) for item in node.args]
        if called == "select.select":
            return arguments[:3] == ["[]"] * 3
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):  # of a new object
            made = self._dotted(node.func.value.func) or ""
            return node.func.attr == "wait" and made in ("threading.Event", "threading.Condition")
        return called in _SLEEPS or (called == "asyncio.sleep" and arguments != ["0"])

    def _take_name(self, node: ast.Attribute | ast.Name) -> None:
        if isinstance(node, ast.Attribute):
            self.reading.attributes.add(node.attr)
        if dotted := self._dotted(node):
            self.reading.used.add(dotted)

    def _take_call(self, node: ast.Call) -> None:
        called, first = self._dotted(node.func), node.args[0] if node.args else None
        if called in _IMPORTERS:
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                name = first.value
                relative = len(name) - len(name.lstrip("."))
                self.reading.imported.add(f"{self._package}.{name[relative:]}" if relative else name)
            else:
                self.reading.computed.add(node.lineno)
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) > 1:
            base, name = self._dotted(node.args[0]), node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.reading.attributes.add(name.value)
                if base:
                    self.reading.used.add(f"{base}.{name.value}")


def _running_children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below one, without what only a type checker reads."""
    if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        yield from node.orelse
    else:
        yield from ast.iter_child_nodes(node)


def _running_nodes(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in _running_children(node):
        yield from _running_nodes(child)


_SLEEPS = frozenset({"time.sleep", "anyio.sleep", "trio.sleep"})


def sleeps(source: str) -> list[int]:
    """The lines that wait for time to pass; `asyncio.sleep(0)` does not, it only lets others run."""
    tree = parse(source)
    reader = _Reader("module")
    reader.bind(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [node.lineno for node in calls if reader.is_sleep(node)]


def function_lengths(source: str) -> dict[str, int]:
    """How many lines each function has, by its name and line; decorators do not count."""
    return {
        f"{node.name}:{node.lineno}": node.end_lineno - node.lineno + 1
        for node in ast.walk(parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    }


def broad_excepts(source: str) -> list[int]:
    """The lines that catch every exception: a bare `except`, `except Exception`, `suppress(Exception)`."""
    found: list[int] = []
    for node in ast.walk(parse(source)):
        if isinstance(node, ast.ExceptHandler) and (node.type is None or _is_broad(node.type)):
            found.append(node.lineno)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("suppress", "contextlib.suppress"):
            found.extend(argument.lineno for argument in node.args if _is_broad(argument))
    return found


def _is_broad(caught: ast.expr) -> bool:
    if isinstance(caught, ast.Tuple):
        return any(map(_is_broad, caught.elts))
    return ast.unparse(caught).removeprefix("builtins.") in _BROAD


def cycle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """A circle of names that lead to each other, the first one again at its end; empty: there is none."""
    done: set[str] = set()

    def follow(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for after in sorted(graph.get(name, ())):
            if found := follow(after, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := follow(name, []))), list[str]())
