"""argparse as every command line of nacre uses it: sub-commands describe themselves, slips get a suggestion.

Above it: the command lines. Below: names that are nearly alike.
"""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, NoReturn, cast

from nacre.spelling import close_names

if TYPE_CHECKING:
    from collections.abc import Iterator


class Parser(argparse.ArgumentParser):
    """A parser whose errors name the nearest option, command or value for one that it does not know."""

    def add_commands(self) -> Any:
        """The sub-commands; `add_command` adds one of them."""
        return self.add_subparsers(dest="subcommand", required=True, metavar="COMMAND")

    def error(self, message: str) -> NoReturn:
        """End the program, with the usage."""
        super().error(message + "".join(f". Did you mean {near}?" for near in self._meant(message)))

    def _meant(self, message: str) -> list[str]:
        if found := re.search(r"invalid choice: '(.*)' \(choose from (.*)\)", message):
            return close_names(found[1], re.findall(r"[\w-]+", found[2]))[:1]
        if found := re.match(r"unrecognized arguments: (--[\w-]+)", message):
            return close_names(found[1], sorted(set(_flags(self))))[:1]
        return []


def add_command(commands: Any, name: str, summary: str) -> Parser:
    """A sub-command with one sentence about it, which the list of them and its own help show."""
    return commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")


def _flags(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Every option of a parser and of its sub-commands."""
    for action in parser._actions:  # noqa: SLF001  # argparse has no other way to ask
        yield from (flag for flag in action.option_strings if flag.startswith("--"))
        inner = cast("object", action.choices)  # of sub-commands: their parsers by name
        if isinstance(inner, dict):
            for each in cast("dict[str, argparse.ArgumentParser]", inner).values():
                yield from _flags(each)
