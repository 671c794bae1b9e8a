"""`nacre sandbox ...`: what the sandbox would do to a command, and a shell inside of it, for a person.

Above it: the command line. Below: the place, which builds the sandbox as for a server, and `sandbox.explain`.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.argument_parser import Parser, add_command
from nacre.cli.options import read_value
from nacre.errors import NacreError, RequestError
from nacre.settings import configuration, kinds, layers

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from nacre.config import Config
    from nacre.places.local import Local

REFUSED = 1
USAGE_ERROR = 2


def parser() -> Parser:
    """The sub-commands, with their help."""
    top = Parser(prog="nacre sandbox", description="See what the sandbox lets commands do (docs/sandbox.md).")
    commands = top.add_commands()
    explain = add_command(
        commands,
        "explain",
        "show what a command may read and write; exit code 1 if something that it obviously needs is refused",
    )
    explain.add_argument(
        "command",
        metavar="COMMAND",
        nargs="?",
        default="",
        help="the command, as one argument (default: only what holds for every command)",
    )
    attempt = add_command(
        commands, "try", "run a shell or a program in the sandbox, to look around; exits with its exit code"
    )
    attempt.add_argument(
        "program", metavar="PROGRAM", nargs="*", help="the program and its arguments (default: your shell)"
    )
    for subcommand in (explain, attempt):
        subcommand.add_argument("--config", metavar="FILE", help="a settings file instead of your own")
        subcommand.add_argument(
            "--sandbox",
            metavar="LEVEL",
            type=lambda text: read_value(kinds.SANDBOX, text),
            help="the level (default: as in the settings, else workspace)",
        )
        subcommand.add_argument("-w", "--working-dir", metavar="DIR", help="the workspace (default: here)")
    return top


def main(arguments: Sequence[str]) -> int:
    """Run one of the sub-commands; the exit code."""
    options = parser().parse_args(arguments)
    try:
        config = _config(options)
        return _explain(config, options.command) if options.subcommand == "explain" else _try(config, options)
    except NacreError as error:
        sys.stderr.write(f"nacre sandbox: {error}\n")
        return USAGE_ERROR


def _config(options: argparse.Namespace) -> Config:
    path = options.config or configuration.default_path()
    flags = {"sandbox": options.sandbox}
    table = layers.load(options.config, directory=options.working_dir, flags=flags).table
    config = configuration.configure(table, source=path)
    level = options.sandbox or (config.sandbox if config.sandbox != "off" else "workspace")
    directory = options.working_dir or config.working_directory
    return replace(config, sandbox=level, working_directory=directory, file=path)


def _inside(config: Config) -> Local:
    from nacre.places.local import Local  # noqa: PLC0415  # after the options have had their say

    return Local(config, None)


def _explain(config: Config, command: str) -> int:
    from nacre.sandbox.explain import describe, explain  # noqa: PLC0415

    if config.sandbox == "off":
        raise RequestError("There is no sandbox at the level off.", hint="Name another with --sandbox.")
    place = _inside(config)
    confinement = place.confinement
    try:
        if confinement is None:  # cannot be: the level is not off
            return USAGE_ERROR
        profile, files = confinement.profile, place.files
        rows = [f"level: {profile.level}, held by {confinement.held_by}", f"workspace: {profile.workspace}"]
        rows += describe(profile, files.home)
        named = explain(command, profile.workspace, profile, files)
        rows += [str(access) for access in named]
        sys.stdout.write("\n".join(rows) + "\n")
        return REFUSED if any(access.refused for access in named) else 0
    finally:
        _leave(place)


def _try(config: Config, options: argparse.Namespace) -> int:
    from nacre.keeper.launch import run_for_person  # noqa: PLC0415

    place = _inside(config)
    try:
        confinement = place.confinement
        if confinement is None:
            raise RequestError("There is no sandbox at the level off.", hint="Name another with --sandbox.")
        program = options.program or [place.shell.path]
        sys.stderr.write(f"sandbox {confinement.profile.level} ({confinement.held_by})\n")
        sys.stderr.flush()
        return run_for_person(confinement.argv_of(program), place.environment, place.start_directory())
    finally:
        _leave(place)


def _leave(place: Local) -> None:
    place.release()
    place.spools.remove()
