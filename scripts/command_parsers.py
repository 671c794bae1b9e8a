"""The command line of `nacre` as data: every command with its arguments, from the program's own parsers.

The reference page and the manual page are written from it, so that neither knows an option by heart.
"""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest import mock

from nacre import cli
from nacre.cli.options import COMMANDS
from nacre.cli.options import parser as server_parser

if TYPE_CHECKING:
    from collections.abc import Iterator

# The help of some options names files of the person who runs it.
HOME = "/home/you"


@dataclass(frozen=True)
class Argument:
    """One option or positional argument."""

    flags: tuple[str, ...]
    value: str  # what stands for its value; empty: it takes none
    help: str


@dataclass(frozen=True)
class Command:
    """One thing that can be typed."""

    name: str
    usage: str
    about: tuple[str, ...]  # paragraphs
    arguments: tuple[Argument, ...]


class _Shown(Exception):  # noqa: N818  # what happened, not a fault
    """A parser was about to print its help."""

    def __init__(self, parser: argparse.ArgumentParser) -> None:
        super().__init__(parser.prog)
        self.parser = parser


def _raise(parser: argparse.ArgumentParser, *_: object) -> None:
    raise _Shown(parser)


def parser_of(*words: str) -> argparse.ArgumentParser:
    """The parser that answers `nacre WORDS --help`."""
    try:
        with mock.patch.object(argparse.ArgumentParser, "print_help", _raise):
            cli.run_subcommand([*words, "--help"])
    except _Shown as shown:
        return shown.parser
    raise LookupError(f"`nacre {' '.join(words)} --help` shows no help")


def _subcommands(parser: argparse.ArgumentParser) -> dict[str, str]:
    """What a parser can do, where it can do several things, each with a line about it."""
    for action in parser._actions:  # noqa: SLF001  # argparse has no other way to ask
        if action.nargs == argparse.PARSER:
            listed: list[argparse.Action] = vars(action)["_choices_actions"]
            return {each.dest: each.help or "" for each in listed}
    return {}


def _arguments(parser: argparse.ArgumentParser) -> Iterator[Argument]:
    expand = parser._get_formatter()._expand_help  # noqa: SLF001  # as above
    for action in parser._actions:  # noqa: SLF001  # as above
        if action.help == argparse.SUPPRESS or action.dest == "help" or action.nargs == argparse.PARSER:
            continue
        name = action.metavar or action.dest.upper()
        value = "" if action.nargs == 0 else name if isinstance(name, str) else " ".join(name)
        help_text = expand(action).replace(HOME, "~") if action.help else ""
        yield Argument(tuple(action.option_strings), value, help_text)


def _command(parser: argparse.ArgumentParser, about: str = "") -> Command:
    usage = re.sub(r"\s+", " ", parser.format_usage()).removeprefix("usage: ").replace(" [-h]", "")
    texts = (parser.description or about, parser.epilog)
    paragraphs = tuple(text[0].upper() + text[1:] for text in texts if text)
    return Command(parser.prog, usage.strip(), paragraphs, tuple(_arguments(parser)))


def server() -> Command:
    """`nacre` without a command."""
    return _command(server_parser())


def command_names() -> list[str]:
    """The commands that `nacre --help` names, in its order."""
    return [name for name in COMMANDS if name != "server"]  # its help is a document's own text


def commands() -> list[Command]:
    """The other commands, each followed by its own commands."""
    found: list[Command] = []
    with mock.patch.dict(os.environ, {"HOME": HOME, "XDG_CONFIG_HOME": "", "COLUMNS": "100"}):
        for name in command_names():
            parser = parser_of(name)
            found.append(_command(parser))
            found += [_command(parser_of(name, each), about) for each, about in _subcommands(parser).items()]
    return found
