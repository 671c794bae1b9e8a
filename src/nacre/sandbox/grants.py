"""What a person may open in a sandbox while it lasts: from what was refused to the setting that allows it.

Above it: `widening`, which asks, and `places`, which builds the wider sandbox. Pure. A grant is one more
value of a list that the settings have: a path, or a host of the network's list.
"""

from __future__ import annotations

import os.path
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.filesystem import FileSystem
    from nacre.sandbox.profile import Refusal

# What each setting lets a command do, in words for a person. No other setting is opened by a question.
DOING = {
    "sandbox_writable": "write",
    "sandbox_readable": "read the secret",
    "sandbox_unprotected": "change the protected",
    "sandbox_sockets": "speak to",
    "sandbox_network": "reach",
}


@dataclass(frozen=True, slots=True)
class Grant:
    """One thing that a person can open."""

    setting: str
    value: str

    def __str__(self) -> str:
        return f"{DOING[self.setting]} {self.value}"


def grant_for(refusal: Refusal, files: FileSystem, own_files: tuple[str, ...]) -> Grant | None:
    """The grant that would allow something that was refused; None: the person is not asked about that."""
    if refusal.setting not in DOING or _is_own(refusal.path, own_files):
        return None
    if refusal.value in {"on", "off"}:  # a whole network is no answer to a question about one host
        return None
    if refusal.setting != "sandbox_writable":
        return Grant(refusal.setting, refusal.value)
    there = files.is_file(refusal.path) or files.is_directory(refusal.path)
    return Grant(refusal.setting, refusal.path if there else os.path.dirname(refusal.path))


def _is_own(path: str, own_files: tuple[str, ...]) -> bool:
    """Whether it is nacre's: settings, audit log, output of servers; or what such a file is in."""
    return any(f"{own}/".startswith(f"{path}/") or f"{path}/".startswith(f"{own}/") for own in own_files)


def widened(config: Config, grants: tuple[Grant, ...]) -> Config:
    """The settings with what was granted."""
    changes: dict[str, Any] = {}
    for grant in grants:
        before = changes.get(grant.setting, getattr(config, grant.setting))
        changes[grant.setting] = (*before, grant.value)
    return replace(config, **changes)
