"""Where settings come from: the system's file, the person's file, the project's file, the environment.

Later layers override earlier ones; rules that deny or ask are combined. A project's `nacre.toml` comes with
the project, so it may only tighten: what would widen the rules, the sandbox or a limit is ignored, with a
warning, until the person trusts exactly that content (`nacre trust`). The command line overrides all of them.
Above this module: the command lines. Below: `configuration`, which makes a Config of the merged table.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from nacre.errors import RequestError
from nacre.settings import configuration
from nacre.settings.table import SETTINGS, TABLES
from nacre.spelling import close_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nacre.config import Config
    from nacre.settings.table import Setting

PROJECT_FILE = "nacre.toml"
PREFIX = "NACRE_"
# The cookie of a command; a switch for clients (README.md); what the exec gate hands to its helper.
_OTHER_VARIABLES = ("NACRE_COMMAND", "NACRE_PLAIN_SDK", "NACRE_LISTENER")
_DENYING = ("deny", "deny_patterns", "blocked_commands")
_ADDED_UP = (*_DENYING, "ask", "ask_patterns")  # combined, not replaced, by a later file
_LEVELS = {"off": 0, "": 0, "workspace": 1, "read-only": 2, "strict": 2}
# Less is tighter, and 0 means unlimited.
_LIMITS = ("timeout", "max_timeout", "reply_limit", "max_output_size", "spool_total", "max_sessions")
_LIMITS_OF_COMMANDS = tuple(setting.name for setting in SETTINGS if setting.name.startswith("limit_"))


@dataclass(frozen=True)
class Layer:
    """The settings of one source."""

    name: str
    source: str
    """A file's path, or the name of a variable."""
    table: Mapping[str, Any]


@dataclass(frozen=True)
class Layered:
    """All layers below the command line, merged."""

    layers: tuple[Layer, ...]
    table: dict[str, Any]
    warnings: tuple[str, ...] = ()
    origins: Mapping[str, str] = field(default_factory=dict[str, str])
    """By the name of a setting (`policy.deny` for one of a table): which sources it comes from."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files among them."""
        return tuple(layer.source for layer in self.layers if layer.name != "environment")


def system_path(platform: str = sys.platform) -> str:
    """The settings file of the administrator, for all users."""
    if platform == "win32":
        return os.path.join(os.environ.get("PROGRAMDATA", r"C:\ProgramData"), "nacre", "config.toml")
    return (
        "/Library/Application Support/nacre/config.toml" if platform == "darwin" else "/etc/nacre/config.toml"
    )


def load(
    named: str | None,
    *,
    preset: str | None = None,
    directory: str | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Layered:
    """All layers. `named` is a file in the place of the person's own; `directory` is where the project is.

    `flags` is the command line, which a project may not widen either.
    """
    own = named or configuration.default_path()
    layers = [
        Layer(name, path, table)
        for name, path, must in (("system", system_path(), False), ("user", own, named is not None))
        if (table := configuration.read(path, must_exist=must))
    ]
    for layer in layers:
        _check(layer)
    environment, warnings = _environment_layers(os.environ)
    for path in find_projects(directory or os.getcwd(), {own, system_path()}):
        below = _said(_merged([*layers, *environment]), preset, flags or {})
        layer, left_out = _project_layer(path, below, _merged(layers))
        if left_out:
            warnings.append(
                f"{path}: {', '.join(left_out)} would widen what commands may do, or cannot be set by a"
                f" project; ignored. `nacre trust {path}` accepts the file as it is now."
            )
        layers += [layer] if layer.table else []
    layers += environment
    origins = {key: ", ".join(sources) for key, sources in _origins(layers).items()}
    return Layered(tuple(layers), _merged(layers), tuple(warnings), origins)


def _said(table: Mapping[str, Any], preset: str | None, flags: Mapping[str, Any]) -> Config:
    """The Config of these settings and the command line."""
    rules = {name: flags.get(name) or "" for name in ("allow", "deny")}
    return configuration.with_flags(configuration.configure(table, preset=preset, **rules), flags)


def find_projects(directory: str, others: Iterable[str] = ()) -> list[str]:
    """Every `nacre.toml` of a directory and those above it, the outermost first, without the other files.

    All of them apply: a nearer one must not undo an outer one.
    """
    known = {os.path.realpath(path) for path in others}
    paths = [path for path in _project_paths(directory) if os.path.isfile(path)]
    return [path for path in reversed(paths) if os.path.realpath(path) not in known]


def _project_paths(directory: str) -> list[str]:
    here, paths = os.path.realpath(directory), list[str]()
    while not paths or os.path.dirname(here) != here:
        paths.append(os.path.join(here, PROJECT_FILE))
        here = os.path.dirname(here)
    root = os.path.join(here, PROJECT_FILE)
    return paths if root in paths else [*paths, root]


def watched_paths(named: str | None, directory: str | None) -> tuple[str, ...]:
    """Every file that settings may come from, whether it exists or not, the nearest project's first."""
    projects = _project_paths(directory or os.getcwd())
    own = os.path.abspath(named or configuration.default_path())
    return tuple(dict.fromkeys((own, *projects, trust_path(), system_path())))


def _project_layer(path: str, below: Config, table_below: Mapping[str, Any]) -> tuple[Layer, list[str]]:
    """The applicable part of a project's file, and the names of the rest; read once, as it is trusted."""
    content = configuration.content(path)
    layer = Layer("project", path, configuration.parse(path, content))
    _check(layer)
    if is_trusted(path, content):
        return layer, []
    kept, left_out = tightened(layer.table, below, table_below)
    return Layer("project", path, kept), left_out


def _check(layer: Layer) -> None:
    """Add the file and the line to an error message."""
    try:
        configuration.configure(layer.table, source=layer.source)
    except RequestError as error:
        raise _with_line(error, layer) from None


def _with_line(error: RequestError, layer: Layer) -> RequestError:
    from nacre.settings.lines import line_of  # noqa: PLC0415  # for mistakes only

    text = configuration.content(layer.source).decode("utf-8-sig", "replace")
    line = line_of(text, layer.table, error.message)
    where = layer.source if line is None else f"{layer.source}, line {line}"
    named = f"({layer.source})"
    message = (
        error.message.replace(named, f"({where})") if named in error.message else f"{where}: {error.message}"
    )
    return RequestError(message, hint=error.hint, code=error.code)


# -- merging


def _merged(layers: Iterable[Layer]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.table.items():
            if isinstance(value, dict) and isinstance(merged.get(key), dict):
                merged[key] = _merged_table(merged[key], cast("dict[str, Any]", value))
            else:
                merged[key] = value
    return merged


def _merged_table(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    table = {**below, **above}
    for key in _ADDED_UP:
        if key in below and key in above:
            table[key] = [*configuration.as_list(below[key]), *configuration.as_list(above[key])]
    return table


def _origins(layers: Iterable[Layer]) -> dict[str, list[str]]:
    origins: dict[str, list[str]] = {}
    for layer in layers:
        for key, value in layer.table.items():
            names = [f"{key}.{inner}" for inner in value] if key in ("policy", *TABLES) else [key]  # pyright: ignore[reportUnknownVariableType]
            for name in names:
                adds_up = name.startswith("policy.") and name.removeprefix("policy.") in _ADDED_UP
                origins[name] = [*(origins.get(name, []) if adds_up else []), layer.source]
    return origins


def _environment_layers(environment: Mapping[str, str]) -> tuple[list[Layer], list[str]]:
    """A layer for each variable, and warnings about variables that match no setting."""
    layers: list[Layer] = []
    for setting in SETTINGS:
        name = PREFIX + setting.name.upper()
        if (text := environment.get(name)) is None:
            continue
        value = setting.kind.from_text(text)
        if isinstance(value, str) and value in ("true", "false"):
            value = value == "true"
        layers.append(Layer("environment", name, {setting.name: value}))
        configuration.configure(layers[-1].table, source=name)
    known = {PREFIX + setting.name.upper() for setting in SETTINGS}
    unknown = [name for name in environment if name.startswith(PREFIX) and name not in known]
    return layers, [_unknown_variable(name, known) for name in unknown if name not in _OTHER_VARIABLES]


def _unknown_variable(name: str, known: Iterable[str]) -> str:
    """A warning. RequestError: it is a misspelt setting."""
    if near := close_names(name, known):
        raise RequestError(f"Unknown setting: {name}.", hint=f"Did you mean {near[0]}?")
    return f"{name} is no setting; ignored. `nacre config show` lists the settings."


# -- what a project may say


def tightened(
    table: Mapping[str, Any], below: Config, below_table: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """The part of a project's table that tightens the settings below it, and the names of the rest."""
    kept: dict[str, Any] = {}
    left_out: list[str] = []
    for key, value in table.items():
        if key == "policy":
            rules, refused = _tightened_rules(value, below)
            kept.update({"policy": rules} if rules else {})
            left_out += refused
        elif key == "environment_exclude":
            kept[key] = [*below_table.get(key, []), *value]
        elif _is_same(key, value, below):
            continue  # nor does it make a default a choice, which may mean less
        elif _tightens(key, value, below):
            kept[key] = value
        else:
            left_out.append(key)
    return kept, left_out


def _is_same(key: str, value: Any, below: Config) -> bool:
    setting = _setting_named(key)
    return setting is not None and setting.kind.read(value) == getattr(below, setting.field)


def _setting_named(key: str) -> Setting | None:
    return next((each for each in SETTINGS if each.name == key and each.field), None)


def _tightens(key: str, value: Any, below: Config) -> bool:
    setting = _setting_named(key)
    if setting is None:
        return False
    new, old = setting.kind.read(value), getattr(below, setting.field)
    if key in _LIMITS:
        return new <= old
    if key in _LIMITS_OF_COMMANDS:
        return not old or new <= old
    if key == "sandbox":
        return _LEVELS[new] > _LEVELS[old]
    return (key, new) in (("sandbox_network", "off"), ("audit_required", True))


def _tightened_rules(rules: Mapping[str, Any], below: Config) -> tuple[dict[str, Any], list[str]]:
    """Deny rules; and where everything was allowed, also ask rules or an allowlist.

    Under an allowlist, an ask rule for anything else would widen it.
    """
    allowed = below.policy is not None and below.policy.allows
    open_so_far = not allowed and below.commands is None and below.preset.container is None
    narrowing = {"allow", "include", "ask", "ask_patterns"} if open_so_far else set[str]()
    fenced = below.policy is not None and below.policy.allowed_directories
    if open_so_far and not fenced and "files" not in below.more_tools:  # which else stay where commands start
        narrowing.add("allowed_directories")
    kept: dict[str, Any] = {}
    for key, value in rules.items():
        if (
            key in narrowing
            or key in _DENYING
            or (key in ("allow_writes", "free_builtins") and value is False)
        ):
            kept[key] = _without_secrets(value)
    giving = [f"policy.{key} with secrets" for key in kept if kept[key] != rules[key]]
    return kept, [*(f"policy.{key}" for key in rules if key not in kept), *giving]


def _without_secrets(value: Any) -> Any:
    """Rules without their secrets, which belong to the person, not to the project."""
    if not isinstance(value, list):
        return value
    items = cast("list[Any]", value)
    return [
        {name: each for name, each in cast("dict[str, Any]", item).items() if name != "secrets"}
        if isinstance(item, dict)
        else item
        for item in items
    ]


# -- trust


def trust_path() -> str:
    """The file with the contents that the person trusts."""
    return os.path.join(os.path.dirname(configuration.default_path()), "trusted.json")


def is_trusted(path: str, content: bytes) -> bool:
    """Whether the person trusts this content at that path."""
    return _trusted().get(_place(path)) == _digest(content)


def trust(path: str) -> list[str]:
    """Trust the current content of a file; the names of the settings that apply only because of that.

    RequestError: it cannot be used.
    """
    content = configuration.content(path)
    layer = Layer("project", path, configuration.parse(path, content))
    _check(layer)
    below = _merged(
        Layer("", "", configuration.read(file, must_exist=False))
        for file in (system_path(), configuration.default_path())
    )
    _write_trusted({**_trusted(), _place(path): _digest(content)})
    return tightened(layer.table, configuration.configure(below), below)[1]


def distrust(path: str) -> bool:
    """Revoke the trust; whether it was trusted."""
    trusted = _trusted()
    was = trusted.pop(_place(path), None) is not None
    _write_trusted(trusted)
    return was


def _place(path: str) -> str:
    """The key of a trusted file: a link differs from its target, which may belong to a trusted project."""
    directory, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(directory), name)


def _digest(content: bytes) -> str:
    import hashlib  # noqa: PLC0415  # where there is a project's file only

    return hashlib.sha256(content).hexdigest()


def _trusted() -> dict[str, str]:
    import json  # noqa: PLC0415  # the same

    try:
        with open(trust_path(), encoding="utf-8") as file:
            data: object = json.load(file)
    except (OSError, ValueError):
        return {}  # an unreadable file trusts nothing
    return cast("dict[str, str]", data) if isinstance(data, dict) else {}


def _write_trusted(trusted: Mapping[str, str]) -> None:
    import json  # noqa: PLC0415  # the same

    path = trust_path()
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        temporary = f"{path}.{os.getpid()}"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(fd, "w", encoding="utf-8") as file:
            json.dump(trusted, file, indent=2)
        os.replace(temporary, path)
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}.", code="not_written") from None
