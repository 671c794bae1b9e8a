"""What makes the MCP SDK start twice as fast for a stdio server. Without each trick it is only slower.

The SDK builds 550 pydantic models and imports web servers, HTTP clients and OAuth before it answers its
first line. A stdio server needs a few dozen of those models and none of the rest. `NACRE_PLAIN_SDK=1` in
the environment switches every trick off; a test runs the server both ways and fails when an SDK
release breaks one.

Above it: `sdk`, which calls `apply` before it imports the SDK and `settle` after. It knows module names of
the SDK, and nothing of nacre.
"""

from __future__ import annotations

import functools
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import types
import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAIN = bool(os.environ.get("NACRE_PLAIN_SDK"))

# Imported by the SDK's server modules, used by HTTP transports, OAuth and the client only.
UNUSED_ON_STDIO = (
    "httpx2",
    "mcp.client",
    "mcp.server._streamable_http_modern",
    "mcp.server.auth.handlers",
    "mcp.server.auth.middleware",
    "mcp.server.auth.provider",
    "mcp.server.auth.routes",
    "mcp.server.sse",
    "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager",
    "sse_starlette",
    "starlette",
    "uvicorn",
)
# Models of the protocol without a handshake, which most clients do not speak yet.
NEWEST_ERA = "mcp_types._v2026_07_28"


class _Named:
    """What a name of an absent module stands for; `Name[...]` is the name itself."""

    def __class_getitem__(cls, _: object) -> type[_Named]:
        return cls


class _Absent(types.ModuleType):
    """A module that is not loaded: every name in it is an empty class, good for annotations and bases."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (_Named,), {})
        setattr(self, name, made)
        return made


class _LaterModule(types.ModuleType):
    """A module of models that is loaded when one of them is used: a client speaks one era's protocol only."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _LaterModel(self.__name__, name)


class _LaterModel:
    """What a model of such a module stands for in the SDK's tables; pydantic asks it for the real one."""

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def model_validate(self, value: Any, **more: Any) -> Any:
        return self._load().model_validate(value, **more)

    def __get_pydantic_core_schema__(self, _source: Any, handler: Any) -> Any:
        return handler(self._load())

    def _load(self) -> Any:
        if isinstance(sys.modules[self._module], _LaterModule):
            del sys.modules[self._module]
            _define_models_quickly()
            try:
                importlib.import_module(self._module)
            finally:
                _define_models_as_usual()
        return getattr(sys.modules[self._module], self._name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers the import of a module that is unused, or used later, with one that takes its place."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  # the import system's signature
        target: types.ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == NEWEST_ERA or any(
            fullname == name or fullname.startswith(name + ".") for name in UNUSED_ON_STDIO
        ):
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _LaterModule(spec.name) if spec.name == NEWEST_ERA else _Absent(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


_finder = _Finder()
_restore: list[tuple[Any, str, Any]] = []


def apply() -> None:
    """Before the SDK is imported."""
    if PLAIN or "mcp" in sys.modules:
        return
    gc.disable()  # nothing that imports make is garbage; looking for it costs a tenth of the time
    sys.meta_path.insert(0, _finder)
    _define_models_quickly()
    _skip_package_init("mcp")


def _define_models_quickly() -> None:
    _build_models_on_first_use()
    _compile_annotations_once()


def _define_models_as_usual() -> None:
    from pydantic import BaseModel  # noqa: PLC0415  # only here: this module loads before pydantic

    BaseModel.model_config.pop("defer_build", None)
    for owner, name, value in _restore:
        setattr(owner, name, value)
    _restore.clear()
    typing.__dict__.pop("compile", None)


def _build_models_on_first_use() -> None:
    """Validators are built when a model is first used, not when it is defined (pydantic's `defer_build`)."""
    import pydantic  # noqa: PLC0415  # see above

    adapter: Any = pydantic.TypeAdapter
    pydantic.BaseModel.model_config["defer_build"] = True
    plain_init = adapter.__init__

    def deferred_init(self: Any, type: Any, *, config: Any = None, **more: Any) -> None:  # noqa: A002  # pydantic's name
        more["_parent_depth"] = more.get("_parent_depth", 2) + 1
        plain_init(self, type, config=config or {"defer_build": True}, **more)

    _replace(adapter, "__init__", deferred_init)
    # `Model.model_rebuild()` at the end of a module would build it there and then; first use does the same,
    # with arguments of its own.
    rebuild = pydantic.BaseModel.__dict__["model_rebuild"].__func__

    def rebuild_on_first_use(cls: Any, **more: Any) -> Any:
        more["_parent_namespace_depth"] = more.get("_parent_namespace_depth", 2) + 1
        return rebuild(cls, **more) if len(more) > 1 else None

    _replace(pydantic.BaseModel, "model_rebuild", classmethod(rebuild_on_first_use))


def _compile_annotations_once() -> None:
    """2,200 annotations are compiled from their text, and only 540 of them differ."""
    typing.__dict__["compile"] = functools.cache(compile)


def _replace(owner: Any, name: str, value: Any) -> None:
    _restore.append((owner, name, owner.__dict__[name]))
    setattr(owner, name, value)


def _skip_package_init(name: str) -> None:
    """`import mcp` alone loads the client; its server modules can be had without."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.submodule_search_locations is None:
        return
    package = types.ModuleType(name)
    package.__path__ = list(spec.submodule_search_locations)
    package.__spec__ = spec
    sys.modules[name] = package


def settle() -> None:
    """After the SDK is imported: undo what would surprise later imports; leave its objects to themselves."""
    if _finder not in sys.meta_path:
        return
    _define_models_as_usual()
    sys.meta_path.remove(_finder)
    gc.enable()
    gc.freeze()  # these objects live as long as the process: never look at them again
    gc.set_threshold(20_000, 20, 20)  # a call makes few hundred objects and no cycles; look seldom
