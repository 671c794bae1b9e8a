"""`nacre config …` and `nacre trust`: what holds and where it comes from, a schema, a first settings file.

Above it: the command line. Below: `layers` and the table of settings. It starts no server.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from nacre import presets
from nacre.config import SECRET_SOURCES
from nacre.errors import NacreError, RequestError
from nacre.settings import kinds, layers
from nacre.settings.configuration import configure, default_path
from nacre.settings.table import SETTINGS, TABLES, default_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nacre.settings.kinds import Kind
    from nacre.settings.table import Setting

USAGE_ERROR = 2
INTENTS = {
    "read-only-helper": 'It looks around and changes nothing.\nsandbox = "read-only"\n\n'
    '[policy]\ninclude = ["read-only", "git-read"]\n',
    "project-developer": "It works in one project, with its tools, and asks before it reaches further.\n"
    'sandbox = "workspace"\n\n[policy]\nask = ["git push", "ssh", "curl", "wget"]\ndeny = ["sudo", "su"]\n',
    "locked-down-operator": "It runs what is named here and nothing else; every command is recorded.\n"
    'sandbox = "strict"\naudit_log = "{audit}"\naudit_required = true\n\n'
    '[policy]\nallow = ["systemctl status", "journalctl", "df", "free", "uptime"]\n',
}


def parser() -> argparse.ArgumentParser:
    """The sub-commands, with their help."""
    top = argparse.ArgumentParser(prog="nacre config", description="Settings: what holds, and why.")
    subcommands = top.add_subparsers(dest="subcommand", required=True, metavar="COMMAND")
    show = subcommands.add_parser("show", help="every setting, its value, and where that comes from")
    show.add_argument("--config", metavar="FILE", help="a file in the place of your own")
    show.add_argument("-w", "--working-dir", help="the project's directory (default: here)")
    show.add_argument("--changed", action="store_true", help="only those that something has set")
    show.add_argument("--json", action="store_true", help="as JSON")
    subcommands.add_parser("schema", help="a JSON Schema of the settings file, for editors")
    init = subcommands.add_parser("init", help="write a first settings file; asks what it is for")
    init.add_argument(
        "--for", dest="intent", choices=list(INTENTS), help="what it is for, instead of a question"
    )
    init.add_argument("--file", metavar="FILE", help=f"where (default: {default_path()})")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run one of the sub-commands; the exit code."""
    options = parser().parse_args(arguments)
    run: dict[str, Callable[[argparse.Namespace], int]] = {"show": _show, "schema": _schema, "init": _init}
    try:
        return run[options.subcommand](options)
    except NacreError as error:
        sys.stderr.write(f"nacre config: {error}\n")
        return USAGE_ERROR


def trust_parser() -> argparse.ArgumentParser:
    """The options of `nacre trust`, with their help."""
    top = argparse.ArgumentParser(
        prog="nacre trust",
        description="Accept a project's nacre.toml as it is now. Without it the file may only tighten what"
        " your own settings say; a changed file must be trusted again.",
    )
    top.add_argument("file", nargs="?", help="the file (default: the nearest nacre.toml)")
    top.add_argument("--revoke", action="store_true", help="trust it no longer")
    return top


def trust_main(arguments: Sequence[str]) -> int:
    """`nacre trust`: accept a project's file as it is now."""
    options = trust_parser().parse_args(arguments)
    try:
        path = options.file or next(reversed(layers.find_projects(os.getcwd())), None)
        if options.revoke and path is not None:
            was = layers.distrust(path)
            sys.stdout.write(f"{path} {'is no longer' if was else 'was not'} trusted.\n")
            return 0
        if path is None or not os.path.isfile(path):
            raise RequestError(
                f"There is no file {path or layers.PROJECT_FILE} here.",
                hint="Name the file, or go to the project's directory.",
            )
        freed = layers.trust(path)
    except NacreError as error:
        sys.stderr.write(f"nacre trust: {error}\n")
        return USAGE_ERROR
    sys.stdout.write(_trusted(path, freed))
    return 0


def _trusted(path: str, freed: list[str]) -> str:
    """What trusting a file has done."""
    effect = f"Now in force: {', '.join(freed)}" if freed else "It only tightens, so nothing changes now"
    return (
        f"{path} is trusted until it changes. {effect}.\n"
        "Running servers take over rules and time limits at once, everything else when they start again.\n"
    )


def _show(options: argparse.Namespace) -> int:
    layered = layers.load(options.config, directory=options.working_dir)
    config = configure(layered.table)
    rows = [
        (setting.name, _shown(config, setting), layered.origins.get(setting.name, "default"))
        for setting in SETTINGS
        if setting.field or setting.name == "preset"
    ]
    rows += [
        (name, _in_toml(_at(layered.table, name)), origin)
        for name, origin in layered.origins.items()
        if "." in name
    ]
    if options.changed:
        rows = [row for row in rows if row[2] != "default"]
    if options.json:
        listed = [{"name": name, "value": value, "from": origin} for name, value, origin in rows]
        sys.stdout.write(json.dumps({"settings": listed, "warnings": layered.warnings}, indent=2) + "\n")
        return 0
    for name, value, origin in rows:
        sys.stdout.write(f"{name} = {value}  # {origin}\n")
    for warning in layered.warnings:
        sys.stderr.write(f"warning: {warning}\n")
    return 0


def _shown(config: Any, setting: Setting) -> str:
    if setting.name == "preset":
        return _in_toml(config.preset.name)
    value = getattr(config, setting.field)
    if value is None or value in ("", (), {}, 0):
        return default_text(setting) or _in_toml(value)
    return _in_toml(value)


def _in_toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _at(table: Mapping[str, Any], name: str) -> Any:
    outer, _, inner = name.partition(".")
    return table[outer][inner]


# -- schema

_TYPES: dict[int, dict[str, Any]] = {
    id(kinds.TEXTS): {"type": "array", "items": {"type": "string"}},
    id(kinds.SECONDS): {
        "type": "integer",
        "minimum": kinds.LEAST_TIMEOUT_S,
        "maximum": kinds.MOST_TIMEOUT_S,
    },
    id(kinds.COUNT): {"type": "integer", "minimum": 1},
    id(kinds.IDLE_SECONDS): {"type": "integer", "minimum": 0},
    id(kinds.SIZE): {
        "anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[0-9]+ *[A-Za-z]*$"}]
    },
    id(kinds.YES_OR_NO): {"type": "boolean"},
    id(kinds.NETWORK): {"anyOf": [{"enum": ["on", "off"]}, {"type": "array", "items": {"type": "string"}}]},
    id(kinds.VARIABLES): {"type": "object", "additionalProperties": {"type": "string"}},
    id(kinds.PROGRAM_TABLE): {
        "type": "object",
        "additionalProperties": {"type": "array", "items": {"type": "string"}},
    },
}


def _schema(_options: argparse.Namespace) -> int:
    properties = _properties(TABLES[""])
    for name, settings in TABLES.items():
        if name:
            properties[name] = {
                "type": "object",
                "properties": _properties(settings),
                "additionalProperties": False,
            }
    properties["policy"] = {"type": "object", "description": "rules for commands (docs/policy.md)"}
    properties["secrets"] = {
        "type": "object",
        "description": "secrets by name, and where their values come from (docs/sandbox.md)",
        "additionalProperties": {
            "type": "object",
            "properties": {source: {"type": "string"} for source in SECRET_SOURCES},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nacre settings",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    sys.stdout.write(json.dumps(schema, indent=2) + "\n")
    return 0


def _properties(settings: tuple[Setting, ...]) -> dict[str, Any]:
    return {
        setting.name: {**_type_of(setting.kind), "description": _help(setting), **_default(setting)}
        for setting in settings
    }


def _help(setting: Setting) -> str:
    return setting.help.replace("{presets}", ", ".join(presets.names()))


def _type_of(kind: Kind) -> dict[str, Any]:
    if found := _TYPES.get(id(kind)):
        return found
    words = kind.name.replace(" or ", ", ").split(", ")
    try:
        return {"enum": [kind.read(word) for word in words]} if len(words) > 1 else _text_or_any(kind)
    except ValueError:
        return _text_or_any(kind)


def _text_or_any(kind: Kind) -> dict[str, Any]:
    return {} if "table" in kind.name or "list" in kind.name else {"type": "string"}


def _default(setting: Setting) -> dict[str, Any]:
    text = default_text(setting)
    return {"$comment": f"default: {text}"} if text else {}


# -- the first file


def _init(options: argparse.Namespace) -> int:
    path = os.path.abspath(options.file or default_path())
    if os.path.exists(path):
        raise RequestError(
            f"{path} is there already.", hint="Change it by hand; `nacre config show` shows what holds."
        )
    intent = options.intent or _ask_intent()
    text = _first_file(intent, os.path.join(os.path.dirname(path), "audit.jsonl"))
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise RequestError(f"{path} cannot be written: {error.strerror}.") from None
    sys.stdout.write(
        f"Written: {path}\n`nacre config show` shows what holds,"
        " `nacre policy explain 'CMD'` what the rules say of a command.\n"
    )
    return 0


def _ask_intent() -> str:
    """Three questions, each with a yes or no."""
    if not sys.stdin.isatty():
        raise RequestError(
            "There is nobody to ask.", hint=f"Say what it is for: --for {' | '.join(INTENTS)}."
        )
    if not _yes("May the agent change files?"):
        return "read-only-helper"
    if _yes("Is this a machine that others depend on (a server, production)?"):
        return "locked-down-operator"
    if not _yes("May it use the tools of the project that it works in?"):
        return "locked-down-operator"
    return "project-developer"


def _yes(question: str) -> bool:
    sys.stdout.write(f"{question} [y/n] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower().startswith("y")


def _first_file(intent: str, audit: str) -> str:
    sentence, _, settings = INTENTS[intent].replace("{audit}", audit.replace("\\", "\\\\")).partition("\n")
    others = [setting for setting in SETTINGS if setting.flags and f"{setting.name} =" not in settings]
    table = settings.index("[policy]")
    commented = "".join(
        f"\n# {_help(setting)}\n# {setting.name} =   (default: {default_text(setting)})\n"
        for setting in others
    )
    head = f"# {intent}: {sentence}\n# docs/configuration.md has every setting.\n\n"
    return (
        f"{head}{settings[:table].rstrip()}\n{commented}\n# docs/policy.md has the rules.\n{settings[table:]}"
    )
