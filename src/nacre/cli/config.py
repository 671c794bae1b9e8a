"""`nacre config …` and `nacre trust`: what holds and where it comes from, a schema, a first settings file.

Above it: the command line. Below: `layers` and the table of settings. It starts no server.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from nacre.argument_parser import Parser, add_command
from nacre.cli.first_file import INTENTS, help_of, write_first_file
from nacre.config import SECRET_SOURCES
from nacre.errors import NacreError, RequestError
from nacre.settings import kinds, layers
from nacre.settings.configuration import configure
from nacre.settings.table import SETTINGS, TABLES, default_text

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nacre.settings.kinds import Kind
    from nacre.settings.table import Setting

USAGE_ERROR = 2


def parser() -> Parser:
    """The sub-commands, with their help."""
    top = Parser(prog="nacre config", description="Settings: which are in force, and why.")
    commands = top.add_commands()
    show = add_command(commands, "show", "show every setting, its value, and where the value comes from")
    show.add_argument("--config", metavar="FILE", help="a settings file instead of your own")
    show.add_argument("-w", "--working-dir", metavar="DIR", help="the project's directory (default: here)")
    show.add_argument("--changed", action="store_true", help="only settings that are not at their default")
    show.add_argument("--json", action="store_true", help="print JSON")
    add_command(commands, "schema", "print a JSON Schema of the settings file, for editors")
    init = add_command(
        commands,
        "init",
        "write a first settings file; up to three questions about what the agent may do",
    )
    init.add_argument("--for", dest="intent", choices=list(INTENTS), help="answer the questions in advance")
    init.add_argument(
        "--file", metavar="FILE", help="the file to write (default: ~/.config/nacre/config.toml)"
    )
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


def trust_parser() -> Parser:
    """The options of `nacre trust`, with their help."""
    top = Parser(
        prog="nacre trust",
        description="Accept everything that a project's nacre.toml says, as it is now. A file that is not"
        " trusted can only tighten your own settings. After any change to it, it must be trusted again.",
    )
    top.add_argument("file", metavar="FILE", nargs="?", help="the file (default: the nearest nacre.toml)")
    top.add_argument("--revoke", action="store_true", help="stop trusting it")
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


def _init(options: argparse.Namespace) -> int:
    return write_first_file(options.file, options.intent)


def _show(options: argparse.Namespace) -> int:
    layered = layers.load(options.config, directory=options.working_dir)
    rows = [row for row in _rows(layered) if not options.changed or row.origin != "default"]
    if options.json:
        listed = [{"name": row.name, "value": row.value, "from": row.origin} for row in rows]
        shown = {"settings": listed, "warnings": layered.warnings}
        sys.stdout.write(json.dumps(shown, indent=2, ensure_ascii=False, default=str) + "\n")
        return 0
    if not rows:
        sys.stdout.write("Every setting is at its default. `nacre config init` writes a first file.\n")
    for row in rows:
        sys.stdout.write(f"{row.name} = {row.text}  # {row.origin}\n")
    for warning in layered.warnings:
        sys.stderr.write(f"warning: {warning}\n")
    return 0


class _Row(NamedTuple):
    """One setting that is shown."""

    name: str
    value: Any  # as JSON has it; None: not set, and what happens then is in words
    text: str
    origin: str


def _rows(layered: layers.Layered) -> Iterator[_Row]:
    config = configure(layered.table)
    for setting in SETTINGS:
        if not setting.field and setting.name != "preset":
            continue
        value: Any = config.preset.name if setting.name == "preset" else getattr(config, setting.field)
        is_unset = value is None or value in ("", (), {}, 0)
        words = default_text(setting) if is_unset else ""
        origin = layered.origins.get(setting.name, "default")
        yield _Row(setting.name, None if words else value, words or _in_toml(value), origin)
    for name, origin in layered.origins.items():
        if "." in name:
            yield _Row(name, _at(layered.table, name), _in_toml(_at(layered.table, name)), origin)


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
        setting.name: {**_type_of(setting.kind), "description": help_of(setting), **_default(setting)}
        for setting in settings
    }


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
