"""A person's settings: a TOML file and the command line, put together into one frozen Config.

Above it: the command line. It reads one file and refuses what it does not know, by name: a misspelt
setting must not be an open door. No tool can reach it.

    preset = "agent"         # docs/presets.md
    shell = "bash"
    working_directory = "/srv/project"
    timeout = 300
    commands = ["ls", "cat"] # docs/presets/commands.md
    [policy]                 # docs/policy.md
    allow = ["git status", "ls"]
    [shell_tool]             # the table of specification 004, as it stands
    max_timeout = 1800
    [container]              # the preset of that name
    workspace = "/workspace"
    [container.allowed_commands]
    npm = ["install", "test"]
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from nacre import presets
from nacre.config import Config
from nacre.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nacre.policy import Policy

_UNITS = {
    "": 1,
    "B": 1,
    "KB": 1000,
    "MB": 1000**2,
    "GB": 1000**3,
    "KIB": 1024,
    "MIB": 1024**2,
    "GIB": 1024**3,
}
# A command of the list is a tool of that name.
_COMMAND_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}")
_RESERVED_NAMES = ("restart", "list_commands")  # tools that are there beside the commands
_FAMILIES = frozenset({"cmd", "posix"})


def default_path() -> str:
    """Where a person's own settings are looked for."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(base, "nacre", "config.toml")


def read(path: str | None) -> dict[str, Any]:
    """The settings in a file; the default file need not be there, one that was named must."""
    chosen = path or default_path()
    if path is None and not os.path.exists(chosen):
        return {}
    import tomllib  # noqa: PLC0415  # only who has a file pays for reading it

    try:
        with open(chosen, "rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        if path is None:
            return {}
        raise RequestError(
            f"The configuration file does not exist: {path}.", hint="Check --config."
        ) from None
    except OSError as error:
        raise RequestError(f"The configuration file cannot be read: {chosen}: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{chosen} is not TOML: {error}.") from None


def configure(
    table: Mapping[str, Any], *, preset: str | None = None, allow: str = "", deny: str = ""
) -> Config:
    """A preset's values, over them a file's table, over them two comma lists of rules (specification 002)."""
    face, defaults = presets.read(preset or _text(table.get("preset", Config().preset.name)))
    # A person's own table of commands replaces the preset's; what they do not mention stays.
    container = {**defaults.get("container", {}), **_table(table.get("container", {}), "container")}
    table = {name: value for name, value in {**defaults, **table}.items() if name != "container"}
    shell_tool = _table(table.pop("shell_tool", {}), "shell_tool")
    rules = _table(table.pop("policy", {}), "policy")
    config = _applied(Config(preset=face), table, _SETTINGS, "")
    config = _applied(config, shell_tool, _SHELL_TOOL, "shell_tool.")
    if config.commands is not None:
        rules.setdefault("allow_writes", False)  # as under every allowlist
    enclosed = _applied(config, container, _CONTAINER, "container.")
    config = enclosed if "container" in defaults else config  # of that preset only; mistakes are told in all
    config = replace(config, write_files=rules.get("allow_writes", config.allowed_commands is None))
    return _settled(replace(config, policy=_policy(rules, shell_tool, allow, deny)))


def _settled(config: Config) -> Config:
    """Where one limit is within another, the stricter one holds for both."""
    return replace(
        config,
        default_timeout_s=min(config.default_timeout_s, config.max_timeout_s),
        reply_limit_bytes=min(config.reply_limit_bytes, config.max_output_bytes),
    )


def _table(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise RequestError(f"{name} must be a table.")
    return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # TOML


def _policy(rules: dict[str, Any], shell_tool: Mapping[str, Any], allow: str, deny: str) -> Policy | None:
    for name, more in (("allow", _comma_list(allow)), ("deny", _comma_list(deny))):
        if more:
            rules[name] = [*rules.get(name, []), *more]
    for name in ("allowed_directories", "blocked_commands"):
        if name in shell_tool:
            rules[name] = [*rules.get(name, []), *shell_tool[name]]
    if not rules:
        return None
    from nacre.policy import Policy, PolicyError  # noqa: PLC0415  # only who writes rules pays for them

    try:
        return Policy.from_mapping(rules)
    except PolicyError as error:
        raise RequestError(f"The policy cannot be used: {error}.") from None


def _comma_list(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("a text that is not empty")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError("a list of texts")  # noqa: TRY004  # as below
    return tuple(_text(item) for item in cast("list[Any]", value))


def _commands(value: Any) -> dict[str, tuple[str, ...]]:
    """One list for whatever shell there is, or a table: a list for each family of shells."""
    if isinstance(value, dict):
        lists = cast("dict[str, Any]", value)
        if unknown := set(lists) - _FAMILIES:
            raise ValueError(f"a list, or a table of lists for {', '.join(sorted(_FAMILIES))} ({unknown})")
        return {family: _names(names) for family, names in lists.items()}
    return {"": _names(value)}


def _names(value: Any) -> tuple[str, ...]:
    names = _texts(value)
    for name in names:
        if not _COMMAND_NAME.fullmatch(name) or name in _RESERVED_NAMES:
            raise ValueError(
                f"a list of commands by their plain names, without {' and '.join(_RESERVED_NAMES)} ({name!r})"
            )
    return tuple(dict.fromkeys(names))


def _allowed_commands(value: Any) -> dict[str, tuple[str, ...]]:
    """Programs and their first arguments (specification 003), as the person spells them."""
    wanted = 'a table such as {npm = ["install", "test"], cat = []}, each program once, whatever its capitals'
    if not isinstance(value, dict):
        raise ValueError(wanted)  # noqa: TRY004  # as above
    commands = {str(name): _first_arguments(first) for name, first in cast("dict[Any, Any]", value).items()}
    if len({name.lower() for name in commands}) < len(commands) or not all(commands):
        raise ValueError(wanted)
    return commands


def _first_arguments(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast("list[Any]", value)):
        raise ValueError("a table of lists of texts")
    return tuple(cast("list[str]", value))


def _seconds(value: Any) -> int:
    if type(value) is not int or not Config.min_timeout_s <= value <= Config.max_timeout_s:
        raise ValueError(f"a whole number of seconds from {Config.min_timeout_s} to {Config.max_timeout_s}")
    return value


def _count(value: Any) -> int:
    if type(value) is not int or value < 1:
        raise ValueError("a whole number, 1 or more")
    return value


def _count_or_never(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("a whole number, 0 for never")
    return value


def size_bytes(value: Any) -> int:
    """A size such as 4096, "32KB" or "10 MiB"."""
    found = re.fullmatch(r"(\d+)\s*([A-Za-z]*)", str(value)) if type(value) in (int, str) else None
    if found is None or found[2].upper() not in _UNITS or int(found[1]) == 0:
        raise ValueError('a size such as "10MB"')
    return int(found[1]) * _UNITS[found[2].upper()]


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("true or false")  # noqa: TRY004  # all of these tell what was wanted
    return value


def _choice(value: Any) -> str:
    if value not in ("auto", "always", "never"):
        raise ValueError("auto, always or never")
    return str(value)


# name in the file -> (field of Config, how it is read)
_SETTINGS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "shell": ("shell", _text),
    "preset": ("", _text),  # read before all others
    "tools": ("more_tools", _texts),
    "working_directory": ("working_directory", _text),
    "timeout": ("default_timeout_s", _seconds),
    "max_timeout": ("max_timeout_s", _seconds),
    "reply_limit": ("reply_limit_bytes", size_bytes),
    "max_output_size": ("max_output_bytes", size_bytes),
    "spools_kept": ("spools_kept", _count),
    "max_sessions": ("max_sessions", _count),
    "session_idle": ("session_idle_s", _count_or_never),
    "concurrent_commands": ("concurrent_commands", _count),
    "line_limit": ("line_limit_bytes", size_bytes),
    "include_stderr": ("include_stderr", _flag),
    "login_environment": ("login_environment", _choice),
    "commands": ("commands", _commands),
    "audit_log": ("audit_log", _text),
    "abort_file": ("abort_file", _text),
    "environment_exclude": ("environment_exclude", _texts),
    "verbose": ("verbose", _flag),
}
_SHELL_TOOL: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "default_timeout": ("default_timeout_s", _seconds),
    "max_timeout": ("max_timeout_s", _seconds),
    "max_output_size": ("max_output_bytes", size_bytes),
    "log_commands": ("log_commands", _flag),
    "abort_file": ("abort_file", _text),
    "environment_exclude": ("environment_exclude", _texts),
    "allowed_directories": ("", _texts),  # the policy's
    "blocked_commands": ("", _texts),
}

_CONTAINER: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "workspace": ("workspace", _text),
    "announce": ("announce", _flag),
    "allowed_commands": ("allowed_commands", _allowed_commands),
}


def _applied(
    config: Config, table: Mapping[str, Any], known: dict[str, tuple[str, Callable[[Any], Any]]], prefix: str
) -> Config:
    changes: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            raise RequestError(f"Unknown setting: {prefix}{name}.", hint=f"Known: {', '.join(known)}.")
        attribute, reading = known[name]
        try:
            read_value = reading(value)
        except ValueError as error:
            raise RequestError(f"The setting {prefix}{name} must be {error}, not {value!r}.") from None
        if attribute:
            changes[attribute] = read_value
    return replace(config, **changes)
