"""Ready-made sets of allow rules: `[policy] include = ["read-only", "git-read"]`. Each is a file here.

Above: `rules` adds them to what a person wrote. Below: nothing. In a file, `allow` holds rules as texts and
`[[rules]]` those with conditions, both as a person would write them. `read-only` and `git-read` only look;
the others run what a project's files say. Each set has its own cases in `tests/policy/rulesets`.
"""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_SUFFIX = ".toml"


def available() -> list[str]:
    """The names of all sets."""
    files = (entry.name for entry in resources.files(__name__).iterdir())
    return sorted(name.removesuffix(_SUFFIX) for name in files if name.endswith(_SUFFIX))


def rules_of(name: str) -> list[str | Mapping[str, object]]:
    """The rules of a set that there is."""
    content = tomllib.loads(resources.files(__name__).joinpath(name + _SUFFIX).read_text(encoding="utf-8"))
    return [*content["allow"], *content.get("rules", ())]
