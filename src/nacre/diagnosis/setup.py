"""What the person has set up: settings files and their effect, the audit log, clients and their way to nacre.

Above it: `nacre doctor`. Below: `layers`, `audit`, `install/`, and trials, with which a client's entry
is started as the client would start it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any, cast

from nacre.audit.chain import check_lines
from nacre.diagnosis.finding import Finding
from nacre.diagnosis.trial import TrialError, run
from nacre.errors import NacreError
from nacre.install import settings_file
from nacre.install.clients import CLIENTS, World
from nacre.settings import configuration, layers

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from nacre.config import Config
    from nacre.install.clients import Client

HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "nacre doctor", "version": "1"},
        },
    }
)
RUNNERS = ("python", "py", "uv", "pipx")  # programs that start others


# -- settings


def settings(file: str | None) -> tuple[Config, list[Finding]]:
    """What holds, and a line for each file that says something; the defaults if one cannot be read."""
    try:
        layered = layers.load(file)
        config = configuration.configure(layered.table)
    except NacreError as error:
        fix = error.hint or "Fix the file; `nacre config schema` lets an editor show what is allowed."
        return configuration.configure({}), [Finding("problem", "settings", error.message, fix)]
    return config, list(_layers(layered))


def _layers(layered: layers.Layered) -> Iterator[Finding]:
    if not layered.layers:
        path = configuration.default_path()
        yield Finding("ok", "settings", f"defaults; `nacre config init` writes {path}")
    for layer in layered.layers:
        yield Finding("ok", "settings", f"{layer.source} ({layer.name}): {', '.join(layer.table)}")
    for warning in layered.warnings:
        yield Finding(
            "warning", "settings", warning, "Read the file, then run `nacre trust`, or leave it ignored."
        )


def place(config: Config) -> Finding:
    """Where commands run."""
    directory = config.chosen_directory or os.getcwd()
    if not os.path.isdir(directory):
        return Finding("problem", "place", f"{directory} is not a directory", "Fix working_directory.")
    return Finding("ok", "place", f"this machine ({sys.platform}); commands start in {directory}")


# -- the audit log


def audit_log(config: Config) -> Finding:
    """Whether the log can be written, and whether its chain is whole."""
    path = config.audit_log
    if path is None:
        return Finding("ok", "audit log", "off (audit_log)")
    if os.path.exists(path):
        return _written_log(path)
    above = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(above) and os.access(above, os.W_OK):
        return Finding("ok", "audit log", f"{path} will be made")
    return Finding("problem", "audit log", f"{path} cannot be made", f"Make {above}, writable for you.")


def _written_log(path: str) -> Finding:
    try:
        with open(path, "rb") as file:
            checked = list(check_lines(file))
    except OSError as error:
        return Finding("problem", "audit log", f"{path}: {error.strerror}", "Name another file (audit_log).")
    wrong = [line for line in checked if line.problem]
    if wrong:
        text = f"{path}: line {wrong[0].number}: {wrong[0].problem}"
        return Finding("problem", "audit log", text, f"nacre audit verify {shlex.quote(path)}")
    if not os.access(path, os.W_OK):
        return Finding("problem", "audit log", f"{path} cannot be written", "Change its owner or mode.")
    return Finding("ok", "audit log", f"{path}: {len(checked)} records, none changed")


# -- clients


async def clients(config: Config) -> AsyncIterator[Finding]:
    """Each client that has nacre, and whether it starts from there; the others in one line."""
    here = _clients_here()
    found = await asyncio.gather(*(_client(client, path, config) for client, path in here))
    for finding in filter(None, found):
        yield finding
    without = [client.name for (client, _), finding in zip(here, found, strict=True) if finding is None]
    if without:
        yield Finding("ok", "clients", f"nacre is not in {', '.join(without)}", "nacre install CLIENT")
    if not here:
        yield Finding("ok", "clients", "no settings of a client that nacre knows", "nacre install CLIENT")


def _clients_here() -> list[tuple[Client, str]]:
    world = World(sys.platform, os.path.expanduser("~"), os.environ)
    files = [(client, client.where(world)) for client in CLIENTS]
    return [(client, path) for client, path in files if os.path.exists(path)]


def _own_entries(client: Client, path: str) -> dict[str, object]:
    servers = settings_file.servers_in(path, client.text_format, client.key)
    return {name: entry for name, entry in servers.items() if _is_ours(entry)}


async def _client(client: Client, path: str, config: Config) -> Finding | None:
    """Whether nacre starts from a client's settings; None: it is not there."""
    try:
        named = _own_entries(client, path)
    except NacreError as error:
        fix = "Fix that file: the client cannot read it either."
        return Finding("problem", client.name, error.message, fix)
    if not named:
        return None
    fix = f"nacre install {client.name}"
    failed = [why for name, entry in named.items() if (why := await _start(name, entry, config))]
    if failed:
        otherwise = f"If it says what to fix, do that; otherwise `{fix}` writes a new entry."
        return Finding("problem", client.name, f"{path}: {failed[0]}", otherwise)
    by_name = [name for name, entry in named.items() if not os.path.isabs(_command(entry)[0])]
    if by_name and client.is_desktop:
        text = f"{path}: {by_name[0]} is started by name, which desktop applications may not find"
        return Finding("warning", client.name, text, f"`{fix}` writes the full path.")
    return Finding("ok", client.name, f"{', '.join(named)} started from {path} and answered")


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _command(entry: object) -> list[str]:
    """The words of an entry, in whichever form a client writes them."""
    fields = _mapping(entry)
    program: Any = fields.get("command") or fields.get("cmd") or []
    words = [program] if isinstance(program, str) else list(program)
    return [str(word) for word in (*words, *fields.get("args", ()))]


def _is_ours(entry: object) -> bool:
    """Whether an entry starts nacre: by its name, as a module of Python, or through uvx and the like."""
    words = [os.path.basename(word).lower().removesuffix(".exe") for word in _command(entry)]
    return words[:1] == ["nacre"] or (bool(words) and words[0].startswith(RUNNERS) and "nacre" in words[1:])


async def _start(name: str, entry: object, config: Config) -> str:
    """Why an entry's server does not answer; empty: it does."""
    if os.name != "posix":
        return ""  # the words are not for a shell of this system
    environment: dict[str, Any] = _mapping(entry).get("env") or _mapping(entry).get("envs") or {}
    try:
        done = await run(
            shlex.join(_command(entry)),
            config,
            "sh",
            stdin=HELLO + "\n",
            environment={key: str(value) for key, value in environment.items()},
        )
    except TrialError as error:
        return f"{name} does not start: {error}"
    if '"serverInfo"' in done.stdout.text:
        return ""
    said = done.stderr.text.strip().splitlines() if done.stderr else []
    return f"{name} does not answer: {said[-1] if said else 'it says nothing'}"
