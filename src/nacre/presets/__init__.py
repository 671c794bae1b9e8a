"""Presets: one server with several interfaces. Each is data, a TOML file in this directory.

    specification = "002"            # the specification that it implements
    server_name = "mcpz-shell"       # the name that clients see
    tools = ["execute_command"]      # families of nacre.tools.catalogue
    [settings]                       # defaults, written as in a settings file
    timeout = 30
    [texts]                          # wording that the specification prescribes
    denied = "Command denied by security policy"

Above it: `settings.configuration`, which overrides a preset's values with the person's. A preset can set
nothing that a person could not, and cannot run anything.
"""

from __future__ import annotations

import os
from typing import Any

from nacre.config import Preset
from nacre.errors import RequestError

_HERE = os.path.dirname(__file__)
_SUFFIX = ".toml"


def names() -> list[str]:
    """The names of all presets."""
    return sorted(file.removesuffix(_SUFFIX) for file in os.listdir(_HERE) if file.endswith(_SUFFIX))


def read(name: str) -> tuple[Preset, dict[str, Any]]:
    """A preset and its default settings."""
    if name not in names():
        raise RequestError(f"There is no preset '{name}'.", hint=f"There are: {', '.join(names())}.")
    if name == Preset().name:  # its file says the same (a test compares them), and most servers are this one
        return Preset(), {}
    table = _table(name)
    settings: dict[str, Any] = table.pop("settings", {})
    table["tools"] = tuple(table["tools"])
    return Preset(name=name, **table), settings


def _table(name: str) -> dict[str, Any]:
    """The content of a preset's file."""
    import tomllib  # noqa: PLC0415  # half a megabyte and 7 ms, for those who want it

    with open(os.path.join(_HERE, name + _SUFFIX), "rb") as file:
        return tomllib.load(file)
