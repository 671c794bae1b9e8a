"""Presets: one product, several faces. Each is data, a TOML file in this directory.

    specification = "002"            # the document it honours
    server_name = "mcpz-shell"       # the name that clients see
    tools = ["execute_command"]      # families of nacre.tools.catalogue
    [settings]                       # defaults, in the words of a person's own file
    timeout = 30
    [texts]                          # what is said in the document's own words
    denied = "Command denied by security policy"

Above it: `configuration`, which lays a person's own values over a preset's. A preset can say nothing that the
person could not: it has no way to run anything.
"""

from __future__ import annotations

import os
from typing import Any

from nacre.config import Preset
from nacre.errors import RequestError

_HERE = os.path.dirname(__file__)
_SUFFIX = ".toml"


def names() -> list[str]:
    """The presets there are."""
    return sorted(file.removesuffix(_SUFFIX) for file in os.listdir(_HERE) if file.endswith(_SUFFIX))


def read(name: str) -> tuple[Preset, dict[str, Any]]:
    """A preset and the settings it begins with."""
    if name not in names():
        raise RequestError(f"There is no preset '{name}'.", hint=f"There are: {', '.join(names())}.")
    if name == Preset().name:  # its file says the same (a test compares them), and most servers are this one
        return Preset(), {}
    table = _table(name)
    settings: dict[str, Any] = table.pop("settings", {})
    table["tools"] = tuple(table["tools"])
    return Preset(name=name, **table), settings


def _table(name: str) -> dict[str, Any]:
    """What a preset's file holds."""
    import tomllib  # noqa: PLC0415  # half a megabyte and 7 ms, for those who want it

    with open(os.path.join(_HERE, name + _SUFFIX), "rb") as file:
        return tomllib.load(file)
