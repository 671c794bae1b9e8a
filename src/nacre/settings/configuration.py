"""One frozen Config from a preset, a table of settings and the command line; later ones take precedence.

Above it: `layers`, which merges the tables of several files, and the command line. Below: `table`, which
has them all. Unknown settings are refused by name: a misspelt one must not be an open door.
No tool can reach it.

    preset = "agent"         # docs/presets.md
    timeout = 300            # docs/configuration.md has every setting
    [policy]                 # docs/policy.md
    allow = ["git status", "ls"]
    [secrets]                # docs/sandbox.md
    GITHUB_TOKEN = {file = "~/.config/token"}
    [shell_tool]             # the table of specification 004, as it stands
    max_timeout = 1800
    [container]              # the preset of that name
    workspace = "/workspace"
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from nacre import presets
from nacre.config import SECRET_SOURCES, Config, ContainerConfig, SecretSource
from nacre.errors import RequestError
from nacre.settings.kinds import comma_list
from nacre.settings.table import CONTAINER_SETTINGS, SETTINGS, SHELL_TOOL_SETTINGS, TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nacre.policy import Policy
    from nacre.settings.table import Setting


def default_path() -> str:
    """The default path of the person's own settings file."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "nacre", "config.toml")


def read(path: str, *, must_exist: bool = True) -> dict[str, Any]:
    """The settings in a file; one that was named explicitly must exist."""
    if not must_exist and not os.path.exists(path):
        return {}
    return parse(path, content(path))


def content(path: str) -> bytes:
    """The current content of a file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise RequestError(
            f"The configuration file does not exist: {path}.", hint="Check --config."
        ) from None
    except OSError as error:
        raise RequestError(f"The configuration file cannot be read: {path}: {error.strerror}.") from None


def parse(path: str, found: bytes) -> dict[str, Any]:
    """The settings in the content of a file. RequestError names `path`."""
    import tomllib  # noqa: PLC0415  # loaded only if there is a file

    try:
        return tomllib.loads(found.decode("utf-8-sig"))  # some editors put a byte order mark there
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"{path} is not TOML: {error}.") from None


def as_list(value: Any) -> list[Any]:
    """A list of rules; a single text is a list of one."""
    return [value] if isinstance(value, str) else list(value)


def configure(
    table: Mapping[str, Any], *, preset: str | None = None, allow: str = "", deny: str = "", source: str = ""
) -> Config:
    """The values of a preset, overridden by a file's table and two comma lists of rules (specification 002).

    The error for a mistake in the table names `source`, the file that it was read from.
    """
    try:
        return _layered(table, preset, allow, deny)
    except SettingError as error:
        where = f" ({source})" if source else ""
        raise RequestError(f"{error.message}{where}.", hint=error.hint) from None


class SettingError(RequestError):
    """An unknown setting or an invalid value; the caller completes the sentence."""


def _layered(table: Mapping[str, Any], preset: str | None, allow: str, deny: str) -> Config:
    chosen, defaults = presets.read(preset or _preset_name(table))
    file = {**defaults, **table}
    shell_tool, rules = _table(file, "shell_tool"), _table(file, "policy")
    # The person's table of programs replaces the preset's; programs that it does not mention stay.
    container = _values(
        {**_table(defaults, "container"), **_table(table, "container")}, CONTAINER_SETTINGS, "container."
    )
    plain = {name: value for name, value in file.items() if name not in (*TABLES, "policy", "secrets")}
    config = replace(Config(preset=chosen), **_values(plain, SETTINGS))
    config = replace(config, **_values(shell_tool, SHELL_TOOL_SETTINGS, "shell_tool."))
    if config.commands is not None:
        rules.setdefault("allow_writes", False)  # as under every allowlist
    if "container" in defaults:  # of that preset only; mistakes in the table are errors in all
        own = ContainerConfig(**container, write_files=rules.get("allow_writes", False))
        config = replace(config, preset=replace(chosen, container=own))
    secrets = {name: _secret(name, source) for name, source in _table(file, "secrets").items()}
    policy = _policy(rules, shell_tool, allow, deny)
    return _consistent(
        replace(
            config,
            policy=policy,
            secrets=secrets,
            sandbox_chosen="sandbox" in file,
            timeout_chosen="timeout" in table or "default_timeout" in _table(table, "shell_tool"),
        )
    )


def _secret(name: str, value: Any) -> SecretSource:
    """One line of [secrets]. No error repeats its value, which may be the secret itself."""
    wanted = f'The secret {name} must be {{env = "…"}}, {{file = "…"}} or {{command = "…"}}'
    if not name.isidentifier() or not name.isascii():
        raise SettingError(f"The secret {name!r} must have the name of a variable")
    if not isinstance(value, dict):
        raise SettingError(wanted)
    ((kind, origin), *more) = cast("dict[str, Any]", value).items() or [("", "")]
    if more or kind not in SECRET_SOURCES or not isinstance(origin, str) or not origin:
        raise SettingError(wanted)
    return SecretSource(kind, origin)


def with_flags(config: Config, flags: Mapping[str, Any]) -> Config:
    """The Config with the values of a command line, by the names of their options; None: not given."""
    said = {name: value for name, value in flags.items() if value is not None}
    changes = {setting.field: said[setting.option] for setting in SETTINGS if _is_said(setting, said)}
    if "default_timeout_s" in changes:  # a default must be allowed
        changes["timeout_chosen"] = True
        changes["max_timeout_s"] = max(config.max_timeout_s, changes["default_timeout_s"])
    if "more_tools" in changes:
        changes["more_tools"] = (*config.more_tools, *changes["more_tools"])
    if (container := config.preset.container) is not None:
        more = {
            setting.field: said[setting.option] for setting in CONTAINER_SETTINGS if _is_said(setting, said)
        }
        changes["preset"] = replace(config.preset, container=replace(container, **more))
    if "sandbox" in changes:
        changes["sandbox_chosen"] = True
    return _consistent(replace(config, **changes))


def _is_said(setting: Setting, said: Mapping[str, Any]) -> bool:
    return bool(setting.flags and setting.field) and setting.option in said


def _preset_name(table: Mapping[str, Any]) -> str:
    name = table.get("preset", Config().preset.name)
    return _value(name, next(setting for setting in SETTINGS if setting.name == "preset"), "")


def _consistent(config: Config) -> Config:
    """Apply the stricter of two related limits to both; an allowlist implies a sandbox."""
    level = "workspace" if config.has_allowlist else "off"
    return replace(
        config,
        sandbox=config.sandbox if config.sandbox_chosen else level,
        default_timeout_s=min(config.default_timeout_s, config.max_timeout_s),
        reply_limit_bytes=min(config.reply_limit_bytes, config.max_output_bytes),
    )


def _table(file: Mapping[str, Any], name: str) -> dict[str, Any]:
    value: Any = file.get(name, {})
    if not isinstance(value, dict):
        raise SettingError(f"{name} must be a table")
    return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # TOML


def _policy(rules: dict[str, Any], shell_tool: Mapping[str, Any], allow: str, deny: str) -> Policy | None:
    for name, more in (("allow", comma_list(allow)), ("deny", comma_list(deny))):
        if more:
            rules[name] = [*as_list(rules.get(name, [])), *more]
    for name in ("allowed_directories", "blocked_commands"):
        if name in shell_tool:
            rules[name] = [*as_list(rules.get(name, [])), *shell_tool[name]]
    if not rules:
        return None
    from nacre.policy import Policy, PolicyError  # noqa: PLC0415  # loaded only if there are rules
    from nacre.policy.rules import KEYS  # noqa: PLC0415  # the same

    try:
        return Policy.from_mapping(rules)
    except PolicyError as error:
        near = [_known_names(name, sorted(KEYS)) for name in sorted(set(rules) - KEYS)]
        raise RequestError(f"The policy cannot be used: {error}.", hint=near[0] if near else "") from None


def _values(table: Mapping[str, Any], settings: tuple[Setting, ...], prefix: str = "") -> dict[str, Any]:
    """The values of a table of the file, by the fields of its record."""
    known = {setting.name: setting for setting in settings}
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            raise SettingError(f"Unknown setting: {prefix}{name}", hint=_known_names(name, list(known)))
        read_value = _value(value, known[name], prefix)
        if known[name].field:
            values[known[name].field] = read_value
    return values


def _value(value: Any, setting: Setting, prefix: str) -> Any:
    try:
        return setting.kind.read(value)
    except ValueError as error:
        raise SettingError(f"The setting {prefix}{setting.name} must be {error}, not {value!r}") from None


def _known_names(name: str, known: list[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415  # for mistakes only

    near = get_close_matches(name, known, 1)
    return f"Did you mean {near[0]}?" if near else f"Known: {', '.join(known)}."
