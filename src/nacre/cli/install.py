"""`nacre install` and `nacre uninstall`: nacre in the settings of a client, and out of them again.

Above it: the command line. Below: `install/`. It starts no server.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING

from nacre.argument_parser import Parser
from nacre.cli.options import parser as server_parser
from nacre.errors import NacreError
from nacre.install import settings_file
from nacre.install.clients import CLIENTS, World, client_named, snippet

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nacre.install.clients import Client
    from nacre.install.settings_file import Change

USAGE_ERROR = 2


def parser(verb: str) -> argparse.ArgumentParser:
    """The options, with their help."""
    adds = verb == "install"
    top = Parser(
        prog=f"nacre {verb}",
        usage=f"nacre {verb} [CLIENT] [options]" + (" [-- options of the server]" if adds else ""),
        description="Add nacre to the settings of an MCP client."
        if adds
        else "Remove nacre from the settings of an MCP client.",
        epilog="Clients: " + ", ".join(client.name for client in CLIENTS) + "."
        " Without a client, it lists them, and whether they have nacre."
        " A backup of the file is kept next to it; comments and other servers are kept.",
    )
    top.add_argument("client", nargs="?", metavar="CLIENT", help="the client")
    top.add_argument("--name", default="nacre", help="the server's name there (default: nacre)")
    top.add_argument("--project", metavar="DIR", help="the settings of that project instead of yours")
    top.add_argument("--file", metavar="FILE", help="another settings file in that client's format")
    if adds:
        top.add_argument("--print", action="store_true", help="only print what the file should contain")
    top.add_argument("--dry-run", action="store_true", help="only print the change, as a diff")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run `install` or `uninstall`, the first argument; the exit code."""
    verb, *given = arguments
    given, server_options = _cut(given)
    options = parser(verb).parse_args(given)
    if verb == "install":
        server_parser().parse_args(server_options)  # a mistake is reported now, not in the client's log
    world = World(sys.platform, os.path.expanduser("~"), os.environ)
    try:
        if options.client is None:
            _list_clients(world, options.name)
            return 0
        client = client_named(options.client)
        path = _path(client, world, options)
        if verb == "uninstall":
            return _uninstall(client, path, options)
        return _install(client, path, [*own_command(), *server_options], options)
    except NacreError as error:
        sys.stderr.write(f"nacre {verb}: {error}\n")
        return USAGE_ERROR


def own_command() -> list[str]:
    """How this nacre is started from anywhere: desktop programs have a PATH of their own."""
    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program).lower() in ("nacre", "nacre.exe") and os.access(program, os.X_OK):
        return [program]
    return [sys.executable, "-m", "nacre"]


def _cut(given: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and those behind `--`, which are the server's."""
    at = given.index("--") if "--" in given else len(given)
    return given[:at], given[at + 1 :]


def _path(client: Client, world: World, options: argparse.Namespace) -> str:
    if options.file:
        return os.path.abspath(options.file)
    if options.project is None:
        return client.where(world)
    if not client.project_file:
        raise NacreError(
            f"{client.title} has no settings of a project that can hold servers.", hint="Leave out --project."
        )
    if not os.path.isdir(options.project):
        raise NacreError(f"{options.project} is not a directory.")
    return os.path.join(os.path.abspath(options.project), client.project_file)


def _install(client: Client, path: str, command: list[str], options: argparse.Namespace) -> int:
    if options.print:
        sys.stderr.write(f"{path} should contain:\n")
        sys.stdout.write(snippet(client, options.name, command))
        return 0
    entry = client.entry(command[0], command[1:])
    change = settings_file.adding(path, client.text_format, (client.key, options.name), entry)
    already = f"{client.title} already has it: {path}"
    done = f"{client.title} will run: {shlex.join(command)}\nWritten to {path}"
    if _carry_out(change, already, done, dry_run=options.dry_run):
        sys.stdout.write(f"Next: {client.then}\n")
    return 0


def _uninstall(client: Client, path: str, options: argparse.Namespace) -> int:
    change = settings_file.removing(path, client.text_format, (client.key, options.name))
    already = f"{client.title} has no server named {options.name}: {path}"
    _carry_out(change, already, f"{options.name} is no longer in {path}", dry_run=options.dry_run)
    return 0


def _carry_out(change: Change, already: str, done: str, *, dry_run: bool) -> bool:
    """Write a change and report it, or only show it; whether it was written."""
    if not change.is_one:
        sys.stdout.write(f"{already}\n")
        return False
    if dry_run:
        sys.stdout.write(change.as_diff())
        return False
    backup = settings_file.write(change)
    sys.stdout.write(f"{done}\n")
    if backup is not None:
        sys.stdout.write(f"Backup of what it was before: {backup}\n")
    return True


def _list_clients(world: World, name: str) -> None:
    for client in CLIENTS:
        path = client.where(world)
        sys.stdout.write(f"{client.name:<15} {_state(client, path, name):<24} {path}\n")
    sys.stdout.write("\n`nacre install CLIENT` adds nacre to one of them.\n")


def _state(client: Client, path: str, name: str) -> str:
    if not os.path.exists(path):
        return "no settings file" if os.path.isdir(os.path.dirname(path)) else "not found"
    try:
        servers = settings_file.servers_in(path, client.text_format, client.key)
    except NacreError:
        return "cannot be read"
    return f"has {name}" if name in servers else f"without {name}"
