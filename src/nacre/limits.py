"""Which configured limit a command has exceeded, and the sentence that says so. Pure.

Above it: `service`, which asks only where there are limits. Some limits are enforced by the keeper, which
names them; others by the kernel for each process, where the signal or the error message identifies them.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from nacre.errors import RequestError

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.model import Result


class Limit(NamedTuple):
    """One limit: its setting, and how it is recognized."""

    field: str  # of `Config`
    did: str  # what the command did; completes "It …"
    keeper: str = ""  # the keeper's name for it
    endings: tuple[str | int, ...] = ()  # signals, and the exit codes with which shells report them
    messages: tuple[str, ...] = ()


LIMITS = {
    "memory": Limit(
        "limit_memory_bytes",
        "used more memory",
        "memory_bytes",
        messages=("Cannot allocate memory", "MemoryError", "bad_alloc", "ut of memory", "memory exhausted"),
    ),
    "cpu": Limit(
        "limit_cpu_s", "used more CPU time", "cpu_s", ("SIGXCPU", 128 + 24), ("CPU time limit exceeded",)
    ),
    "processes": Limit("limit_processes", "had more processes at once", "processes"),
    "output": Limit("limit_output_bytes", "printed more", "output_bytes"),
    "file_size": Limit(
        "limit_file_bytes", "wrote a larger file", "file_bytes", ("SIGXFSZ", 128 + 25), ("File too large",)
    ),
    "open_files": Limit("limit_open_files", "opened more files", messages=("Too many open files", "EMFILE")),
    "tmp": Limit("limit_tmp_bytes", "put more into /tmp", messages=("No space left on device", "ENOSPC")),
}
_NOT_ON = {  # where nothing can enforce them
    "win32": ("limit_open_files", "limit_file_size"),
    "darwin": ("limit_memory", "limit_processes"),
}


def with_limit(result: Result, config: Config) -> Result:
    """The result with the name of the exceeded limit's setting, and a sentence about it."""
    name = _passed(result, config)
    if not name:
        return result
    setting, value = _setting(name, config)
    sentence = (
        f"It {LIMITS[name].did} than the settings permit ({setting} = {value})"
        f"{' and was ended' if result.limit else ''}. Only the person can raise that."
    )
    return replace(result, limit=name, hints=(sentence, *result.hints))


def check_limits(config: Config, *, own_tmp: bool) -> None:
    """Raise RequestError for a limit that cannot be enforced here."""
    for name in LIMITS:
        setting, value = _setting(name, config)
        if value and setting in _NOT_ON.get(sys.platform, ()):
            raise RequestError(f"{setting} cannot be enforced on this system.", hint="Leave it out.")
    if config.limit_tmp_bytes and not own_tmp:
        raise RequestError(
            "limit_tmp needs a sandbox with bubblewrap: only that has a private /tmp.",
            hint="Set sandbox, install bubblewrap, or leave limit_tmp out.",
        )


def _passed(result: Result, config: Config) -> str:
    for name, limit in LIMITS.items():
        if result.limit:
            if result.limit == limit.keeper:
                return name
        elif not result.ok and getattr(config, limit.field) and _tells(result, limit):
            return name
    return ""


def _tells(result: Result, limit: Limit) -> bool:
    """Whether the exit or the messages of a failed command show that the kernel enforced this limit."""
    if (result.signal or result.exit_code) in limit.endings:
        return True
    return any(message in result.stderr.text for message in limit.messages)


def _setting(name: str, config: Config) -> tuple[str, int]:
    return f"limit_{name}", getattr(config, LIMITS[name].field)
