"""Which settings a running server adopts from a changed file, and which need a restart. Pure.

Above it: `service`. A restart is needed for everything that is built at the start: the preset, the shell, the
sandbox and its keeper, the environment, secrets, limits of the kernel, the logs.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from nacre.settings.table import SETTINGS

if TYPE_CHECKING:
    from nacre.config import Config

LIVE = frozenset(
    {
        "policy",
        "commands",
        "default_timeout_s",
        "max_timeout_s",
        "kill_grace_s",
        "reply_limit_bytes",
        "max_output_bytes",
        "max_sessions",
        "answer_within_s",
        "include_stderr",
        "lossy_utf8",
        "pick_lines",
        "failed_command_is_error",
    }
)
_QUIET = frozenset({"file", "files", "watched", "warnings", "reread", "sandbox_chosen"})  # not settings
_DERIVED = ("files", "warnings", "timeout_chosen")  # follow from live settings


def taken_over(old: Config, new: Config) -> tuple[Config, list[str], list[str]]:
    """The Config from now on, the names of the changed settings, and of those that need a restart."""
    differing = [
        field.name
        for field in fields(old)
        if field.name not in (*_QUIET, *_DERIVED) and getattr(old, field.name) != getattr(new, field.name)
    ]
    live = {name: getattr(new, name) for name in differing if name in LIVE}
    config = replace(old, **live, **{name: getattr(new, name) for name in _DERIVED})
    return config, sorted(map(_name, live)), sorted(_name(name) for name in differing if name not in LIVE)


def _name(field: str) -> str:
    """The name of a setting in the file."""
    return next((setting.name for setting in SETTINGS if setting.field == field), field)
