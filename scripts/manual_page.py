"""The manual page nacre(1), written from the command line and the table of settings.

Pure: from data to roff. `generate_reference.py` writes it to packages/nacre.1 and checks that it is fresh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from command_parsers import commands, server

from nacre import __version__, presets
from nacre.settings.table import SETTINGS, default_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from command_parsers import Argument, Command

INTRODUCTION = r"""
.SH NAME
nacre \- MCP server through which AI agents run shell commands
.SH SYNOPSIS
.B nacre
.RI [ options ]
.br
.B nacre
.I command
.RI [ arguments ]
.SH DESCRIPTION
Without a command,
.B nacre
serves one MCP client on its standard input and output, and logs to standard error.
The client starts it and ends it.
.B nacre install
.I client
adds it to the settings of a client.
.PP
Commands run as the user who started the server, under the rules and in the sandbox that the settings ask for.
When the server ends, everything it started is ended.
"""
ROFF = {"\\": r"\e", "-": r"\-", "`": r"\(ga", "'": r"\(aq", "~": r"\(ti", "^": r"\(ha"}
FILES = {
    "/etc/nacre/config.toml": "settings for everybody on the machine",
    "~/.config/nacre/config.toml": "your settings",
    "nacre.toml": "settings of a project; they may only tighten until nacre trust accepts them",
}
EXIT_STATUS = {
    "0": "The client has ended the conversation, or the command succeeded.",
    "1": "A check found a problem, or nobody reads standard output.",
    "2": "The command line, the settings or the machine do not allow a start; standard error says why.",
}


def escaped(text: str) -> str:
    """Text that roff prints as it stands, whatever the encoding of the terminal."""
    for character, name in ROFF.items():
        text = text.replace(character, name)
    text = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in text)
    return "\n".join(rf"\&{line}" if line.startswith(".") else line for line in text.splitlines())


def tagged(tag: str, text: str) -> str:
    """An entry of a list."""
    return f".TP\n{tag}\n{escaped(text)}"


def argument(one: Argument) -> str:
    """An option with what it does."""
    flags = ", ".join(rf"\fB{escaped(flag)}\fR" for flag in one.flags)
    value = rf"\fI{escaped(one.value)}\fR" if one.value else ""
    return tagged(" ".join(filter(None, [flags, value])), sentence(one.help))


def sentence(text: str) -> str:
    """A line of help as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."


def command(one: Command) -> Iterator[str]:
    """What a command does, with its arguments."""
    yield f".SS {escaped(one.name)}"
    yield f".nh\n.B {escaped(one.usage)}\n.hy"
    for text in one.about:
        yield f".PP\n{escaped(text if text.endswith('.') else text + '.')}"
    yield from map(argument, one.arguments)


def settings() -> Iterator[str]:
    """All settings, each with its default."""
    for setting in SETTINGS:
        meaning = setting.help.format(presets=", ".join(presets.names()))
        yield tagged(rf"\fB{setting.name}\fR", sentence(f"{meaning} (default: {default_text(setting)})"))


def manual_page() -> str:
    """The whole page."""
    parts = [
        r".\" Written by scripts/generate_reference.py; a test keeps it true.",
        f'.TH NACRE 1 "" "nacre {__version__}" "User Commands"',
        INTRODUCTION.strip(),
        ".SH OPTIONS",
        *map(argument, server().arguments),
        ".SH COMMANDS",
        *(line for each in commands() for line in command(each)),
        ".SH SETTINGS",
        "They stand in a TOML file, or in variables of the environment: NACRE_ and the name in capitals.",
        *settings(),
        ".SH FILES",
        *(tagged(rf"\fB{escaped(name)}\fR", text) for name, text in FILES.items()),
        ".SH EXIT STATUS",
        *(tagged(rf"\fB{code}\fR", text) for code, text in EXIT_STATUS.items()),
    ]
    return "\n".join(parts) + "\n"
