"""The command line: `nacre` serves MCP on stdin and stdout.

The keeper is started here, before anything heavy is imported, so that its start-up hides behind ours.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from nacre import __version__, presets
from nacre.config import Config
from nacre.errors import NacreError
from nacre.options import PATTERN_LIST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.config import Preset

WELCOME = """\
nacre {version}: an MCP server that runs shell commands. It waits for a client's JSON lines on stdin.
To connect one:
  Claude Code   claude mcp add nacre -- {program}
  others        command "{program}", transport stdio; the README has the exact snippets
End with Ctrl-D. `nacre --help` lists the options."""


def parser() -> argparse.ArgumentParser:
    """The options, with their help."""
    top = argparse.ArgumentParser(
        prog="nacre",
        description="MCP server (stdio) through which AI agents run shell commands.",
        epilog="`nacre policy --help`: see, test and find rules. `nacre server shell --help`: the same server"
        " with the command line of specification 002. Logs go to stderr.",
    )
    top.add_argument(
        "--preset",
        metavar="NAME",
        help=f"the tools and defaults of a specification: {', '.join(presets.names())} (default: agent)",
    )
    top.add_argument(
        "--tools", metavar="SETS", default="", help="further tools beside the preset's, with commas: files"
    )
    top.add_argument(
        "-s",
        "--shell",
        metavar="PATH",
        help="shell to use, by name or path (default: $SHELL, then /bin/bash, /bin/sh, on Windows cmd.exe)",
    )
    top.add_argument(
        "-w",
        "--working-dir",
        metavar="PATH",
        help="where commands start (default: the client's first root, the current directory, home)",
    )
    top.add_argument(
        "-t",
        "--timeout",
        metavar="SECONDS",
        type=_seconds,
        help="default timeout of a command, 1 to 1800"
        f" (default: {Config.default_timeout_s}, or the preset's)",
    )
    top.add_argument("--allow", **PATTERN_LIST, help='only these commands, with commas: "ls*,cat*,git log"')
    top.add_argument("--deny", **PATTERN_LIST, help='never these commands: "rm*,sudo*"')
    top.add_argument(
        "--config", metavar="FILE", help="settings and rules (default: ~/.config/nacre/config.toml)"
    )
    top.add_argument("--audit-log", metavar="FILE", help="append one JSON line for every command")
    top.add_argument(
        "--abort-file", metavar="FILE", help="write the result of a command that failed there, as JSON"
    )
    top.add_argument(
        "--max-sessions",
        metavar="N",
        type=_count,
        help=f"how many persistent shells there may be at once (default: {Config.max_sessions})",
    )
    top.add_argument(
        "--session-idle",
        metavar="SECONDS",
        type=_count,
        help="close a persistent shell that nobody has used for so long; 0: never"
        f" (default: {Config.session_idle_s})",
    )
    top.add_argument("--no-stderr", action="store_true", help="leave stderr out of replies")
    top.add_argument(
        "--login-env",
        choices=("auto", "always", "never"),
        help="read the login shell's environment once; auto: when a desktop application"
        " started the server without it (default: auto)",
    )
    top.add_argument(
        "--no-announce",
        action="store_true",
        help="preset container: do not send the document's first message, which strict clients mind",
    )
    top.add_argument("-v", "--verbose", action="store_true", help="log more to stderr")
    top.add_argument("-V", "--version", action="version", version=f"nacre {__version__}")
    return top


def _seconds(text: str) -> int:
    if not text.isdecimal() or not Config.min_timeout_s <= int(text) <= Config.max_timeout_s:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a whole number from {Config.min_timeout_s} to {Config.max_timeout_s}"
        )
    return int(text)


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def configuration(options: argparse.Namespace) -> Config:
    """The file's settings, and over them what the command line says."""
    from nacre import settings  # noqa: PLC0415  # loads while the keeper starts

    config = settings.configure(
        settings.read(options.config),
        preset=options.preset,
        allow=options.allow or "",
        deny=options.deny or "",
    )
    more_tools = tuple(name.strip() for name in options.tools.split(",") if name.strip())
    said = {
        "more_tools": (*config.more_tools, *more_tools),
        "shell": options.shell,
        "working_directory": options.working_dir,
        "default_timeout_s": options.timeout,
        "max_timeout_s": max(config.max_timeout_s, options.timeout or 0),  # a default must be allowed
        "max_sessions": options.max_sessions,
        "session_idle_s": options.session_idle,
        "include_stderr": False if options.no_stderr else None,
        "login_environment": options.login_env,
        "audit_log": options.audit_log,
        "abort_file": options.abort_file,
        "announce": False if options.no_announce else None,
        "verbose": options.verbose or _wants_debugging(config.preset) or None,
    }
    return replace(
        config,
        file=options.config or settings.default_path(),
        reread=lambda: configuration(options),
        **{name: value for name, value in said.items() if value is not None},
    )


def read_options(given: list[str]) -> argparse.Namespace:
    """What the person wants; help and mistakes end the program here."""
    if given[:1] != ["server"]:
        return parser().parse_args(given)
    from nacre.shell_server import read_arguments  # noqa: PLC0415  # few want it

    return parser().parse_args([], read_arguments(given[1:]))


def _wants_debugging(preset: Preset) -> bool:
    """Whether DEBUG names what a preset's document calls itself (003), as npm's `debug` reads it."""
    name, said = preset.texts.get("debug"), os.environ.get("DEBUG")
    if not name or not said:
        return False
    from fnmatch import fnmatchcase  # noqa: PLC0415  # seldom

    return any(fnmatchcase(name, pattern) for pattern in said.replace(",", " ").split())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Serve, and end the process."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["policy"]:
        from nacre.workbench import main as policy_main  # noqa: PLC0415  # a server never needs it

        sys.exit(policy_main(given[1:]))
    options = read_options(given)
    from nacre.keeper.launch import launch  # noqa: PLC0415  # after --help and bad options have had their say

    launched = launch()
    from nacre import audit  # noqa: PLC0415  # asyncio loads while the keeper starts
    from nacre.stdio import claim_standard_streams  # noqa: PLC0415

    try:
        config = configuration(options)
        audit.configure(
            verbose=config.verbose,
            commands=config.log_commands,
            trail=config.audit_log,
            words=config.preset.texts,
        )
    except NacreError as error:
        sys.stderr.write(f"nacre: {error}\n")
        sys.exit(2)
    if os.isatty(0):
        program = " ".join((sys.argv[0], *(given[:2] if given[:1] == ["server"] else ())))
        sys.stderr.write(WELCOME.format(version=__version__, program=program) + "\n")
    reading, writing = claim_standard_streams()
    from nacre.server import serve  # noqa: PLC0415

    code = serve(config, launched, reading, writing)
    audit.finish()
    os._exit(code)  # everything is cleaned up; a reader thread parked on stdin must not hold us
