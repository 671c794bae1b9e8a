"""Where settings come from: the system's file, the person's file, the project's file, the environment.

Later layers replace what earlier ones say; rules that deny or ask are added up. A project's `nacre.toml`
comes with the project, so it may only tighten: what would widen the rules, the sandbox or a limit is left
out, with a warning, until the person trusts that very content (`nacre trust`). The command line stands
above all of them. Above this module: the command lines. Below: `configuration`, which makes a Config of the
merged table.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from nacre.errors import RequestError
from nacre.settings import configuration
from nacre.settings.table import SETTINGS, TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from nacre.config import Config
    from nacre.settings.table import Setting

PROJECT_FILE = "nacre.toml"
PREFIX = "NACRE_"
_DENYING = ("deny", "deny_patterns", "blocked_commands")
_ADDED_UP = (*_DENYING, "ask", "ask_patterns")  # a later file adds to what an earlier one says
_LEVELS = {"off": 0, "": 0, "workspace": 1, "read-only": 2, "strict": 2}
# Less is tighter, and 0 is no limit at all.
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
    """Where whoever answers for the machine keeps settings for everybody."""
    if platform == "win32":
        return os.path.join(os.environ.get("PROGRAMDATA", r"C:\ProgramData"), "nacre", "config.toml")
    return (
        "/Library/Application Support/nacre/config.toml" if platform == "darwin" else "/etc/nacre/config.toml"
    )


def load(named: str | None, *, preset: str | None = None, directory: str | None = None) -> Layered:
    """All layers. `named` is a file in the place of the person's own; `directory` is where the project is."""
    own = named or configuration.default_path()
    layers = [
        Layer(name, path, table)
        for name, path, must in (("system", system_path(), False), ("user", own, named is not None))
        if (table := configuration.read(path, must_exist=must))
    ]
    for layer in layers:
        _check(layer)
    warnings: list[str] = []
    project = find_project(directory or os.getcwd(), {own, system_path()})
    if project is not None and (layer := _project_layer(project, _merged(layers), preset, warnings)):
        layers.append(layer)
    layers += _environment_layers(os.environ)
    origins = {key: ", ".join(sources) for key, sources in _origins(layers).items()}
    return Layered(tuple(layers), _merged(layers), tuple(warnings), origins)


def find_project(directory: str, others: Iterable[str]) -> str | None:
    """The nearest `nacre.toml` of a directory and those above it, if it is none of the other files."""
    known = {os.path.realpath(path) for path in others}
    here = os.path.realpath(directory)
    while True:
        path = os.path.join(here, PROJECT_FILE)
        if os.path.isfile(path):
            return None if os.path.realpath(path) in known else path
        above = os.path.dirname(here)
        if above == here:
            return None
        here = above


def watched_paths(named: str | None, directory: str | None) -> tuple[str, ...]:
    """Every file that may hold settings, whether it is there or not, the nearest project's first."""
    here, projects = os.path.realpath(directory or os.getcwd()), list[str]()
    while not projects or os.path.dirname(here) != here:
        projects.append(os.path.join(here, PROJECT_FILE))
        here = os.path.dirname(here)
    own = os.path.abspath(named or configuration.default_path())
    return tuple(dict.fromkeys((own, *projects, trust_path(), system_path())))


def _project_layer(path: str, below: dict[str, Any], preset: str | None, warnings: list[str]) -> Layer | None:
    layer = Layer("project", path, configuration.read(path))
    _check(layer)
    if is_trusted(path):
        return layer
    kept, left_out = tightened(layer.table, configuration.configure(below, preset=preset), below)
    if left_out:
        warnings.append(
            f"{path}: {', '.join(left_out)} would widen what commands may do, or is not a project's to set;"
            f" ignored. `nacre trust {path}` accepts the file as it is now."
        )
    return Layer("project", path, kept) if kept else None


def _check(layer: Layer) -> None:
    """A mistake is told with the file that it stands in, and its line."""
    try:
        configuration.configure(layer.table, source=layer.source)
    except RequestError as error:
        raise _with_line(error, layer) from None


def _with_line(error: RequestError, layer: Layer) -> RequestError:
    named = [key for key in _all_keys(layer.table) if re.search(rf"\b{re.escape(key)}\b", error.message)]
    line = _line_of(layer.source, named[-1] if named else "")
    if layer.source not in error.message:
        where = layer.source if line is None else f"{layer.source}, line {line}"
        return RequestError(f"{where}: {error.message}", hint=error.hint, code=error.code)
    if line is None:
        return error
    return RequestError(
        error.message.replace(f"({layer.source})", f"({layer.source}, line {line})"),
        hint=error.hint,
        code=error.code,
    )


def _all_keys(table: Mapping[str, Any]) -> list[str]:
    """The keys of a table, each before the keys inside it."""
    keys: list[str] = []
    for key, value in table.items():
        keys.append(key)
        if isinstance(value, dict):
            keys += [str(inner) for inner in cast("dict[str, Any]", value)]
    return keys


def _line_of(path: str, key: str) -> int | None:
    if not key:
        return None
    with open(path, encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.split("=")[0].strip().strip('"[]') == key:
                return number
    return None


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
            table[key] = [*below[key], *above[key]]
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


def _environment_layers(environment: Mapping[str, str]) -> list[Layer]:
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
    return layers


# -- what a project may say


def tightened(
    table: Mapping[str, Any], below: Config, below_table: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """What of a project's table tightens what holds already, and the names of the rest."""
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
    """Rules that deny; and where all was allowed, rules that ask, or a list of what is allowed.

    Where a list says what is allowed, a question about anything else would be more than a no.
    """
    allowed = below.policy is not None and below.policy.allows
    open_so_far = not allowed and below.commands is None and below.preset.container is None
    narrowing = {"allow", "include", "ask", "ask_patterns"} if open_so_far else set[str]()
    if open_so_far and (below.policy is None or not below.policy.allowed_directories):
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
    """Rules that give no command a secret: which the person has, and not the project."""
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


def is_trusted(path: str) -> bool:
    """Whether the person has trusted that file with the content that it has now."""
    return _trusted().get(os.path.realpath(path)) == _digest(path)


def trust(path: str) -> None:
    """Trust a file as it is now."""
    _write_trusted({**_trusted(), os.path.realpath(path): _digest(path)})


def distrust(path: str) -> bool:
    """Trust it no longer; whether it was."""
    trusted = _trusted()
    was = trusted.pop(os.path.realpath(path), None) is not None
    _write_trusted(trusted)
    return was


def _digest(path: str) -> str:
    import hashlib  # noqa: PLC0415  # where there is a project's file only

    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _trusted() -> dict[str, str]:
    import json  # noqa: PLC0415  # the same

    try:
        with open(trust_path(), encoding="utf-8") as file:
            data: object = json.load(file)
    except (OSError, ValueError):
        return {}  # trust that cannot be read is no trust
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
