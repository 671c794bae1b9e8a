"""`nacre server shell`: the command line of specification 002, word for word. It only reads arguments.

Above it: the command line, which starts the preset `execute-command` with what it finds here. It comes before
the keeper and imports nothing heavy.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from nacre.cli.options import patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

SERVER_HELP = """\
Run a built-in MCP server

Usage: nacre server <COMMAND>

Commands:
  shell  Start an MCP server for shell command execution

Options:
  -h, --help  Print help
"""
SHELL_HELP = """\
Start an MCP server for shell command execution

Usage: nacre server shell [OPTIONS]

Options:
  -w, --working-dir <PATH>      Working directory for command execution
                                [default: current directory]
  -t, --timeout <SECONDS>       Command execution timeout in seconds
                                [default: 30]
  -s, --shell <PATH>            Shell to use for command execution
                                [default: /bin/sh]
      --allow <PATTERNS>        Only allow commands matching these patterns
                                (comma-separated, supports wildcards)
                                Example: --allow "ls*,cat*,echo*"
      --deny <PATTERNS>         Deny commands matching these patterns
                                (comma-separated, supports wildcards)
                                Example: --deny "rm*,sudo*,chmod*"
      --no-stderr               Suppress stderr in command output
  -v, --verbose                 Enable verbose logging to stderr
  -h, --help                    Print help
"""
USAGE_ERROR = 2
LONGEST_TIMEOUT_S = 1_000_000  # the document names no limit; the system's timers have one


class _Parser(argparse.ArgumentParser):
    """Says help and errors in the document's manner."""

    def format_help(self) -> str:
        return SHELL_HELP

    def error(self, message: str) -> NoReturn:
        _complain(message, "nacre server shell [OPTIONS]")


class _Once(argparse.Action):
    """A value that is given twice is a mistake: the last one must not silently undo a rule."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002  # argparse's signature
    ) -> None:
        seen = vars(namespace).setdefault("_seen", set[str]())
        if self.dest in seen:
            parser.error(f"the argument '--{self.dest.replace('_', '-')}' cannot be used multiple times")
        seen.add(self.dest)
        setattr(namespace, self.dest, values)


def read_arguments(given: Sequence[str]) -> argparse.Namespace:
    """The arguments after `nacre server`, as options of nacre. Ends the program for help and mistakes."""
    if not given or given[0] != "shell":
        _tell_what_there_is(given[0] if given else "")
    options = _shell_parser().parse_args(given[1:], argparse.Namespace(preset="execute-command"))
    vars(options).pop("_seen", None)
    return options


def _tell_what_there_is(wanted: str) -> NoReturn:
    if wanted in ("-h", "--help"):
        sys.stdout.write(SERVER_HELP)
        sys.exit(0)
    if not wanted:
        sys.stderr.write(SERVER_HELP)
        sys.exit(USAGE_ERROR)
    _complain(f"there is no server '{wanted}'; there is: shell", "nacre server <COMMAND>")


def _shell_parser() -> argparse.ArgumentParser:
    shell = _Parser(allow_abbrev=False, argument_default=argparse.SUPPRESS)
    shell.add_argument("-w", "--working-dir", action=_Once)
    shell.add_argument("-t", "--timeout", action=_Once, type=_seconds)
    shell.add_argument("-s", "--shell", action=_Once)
    shell.add_argument("--allow", action=_Once, type=patterns)
    shell.add_argument("--deny", action=_Once, type=patterns)
    shell.add_argument("--no-stderr", action="store_const", const=False)  # what the setting then is
    shell.add_argument("-v", "--verbose", action="store_true")
    return shell


def _seconds(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= LONGEST_TIMEOUT_S):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number from 1 to {LONGEST_TIMEOUT_S}")
    return int(text)


def _complain(message: str, usage: str) -> NoReturn:
    sys.stderr.write(f"error: {message}\n\nUsage: {usage}\n\nFor more information, try '--help'.\n")
    sys.exit(USAGE_ERROR)
