"""The options of the command line, with their help; and lists of patterns, which other command lines share.

Above it: the command lines. They load it when what they are given is not plain.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from nacre import __version__, presets
from nacre.argument_parser import Parser
from nacre.settings.table import CONTAINER_SETTINGS, NOTHING, SETTINGS, default_text
from nacre.spelling import close_names

if TYPE_CHECKING:
    from nacre.settings.kinds import Kind
    from nacre.settings.table import Setting


def patterns(text: str) -> str:
    """Refuse an empty list: `--allow "$LIST"` with an empty variable must not allow everything."""
    if not text.replace(",", "").strip():
        raise argparse.ArgumentTypeError("it has no pattern")
    return text


class Gathered(argparse.Action):
    """A comma list that may be given in several parts: the last one does not undo those before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002  # argparse's signature
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002  # the same
    ) -> None:
        """Put what was given behind what was there."""
        before: str | None = getattr(namespace, self.dest)
        setattr(namespace, self.dest, f"{before},{values}" if before else values)


WHAT_IT_IS = """\
An MCP server (stdio) through which AI agents run shell commands. Clients start it as
`nacre [OPTIONS]`; `nacre install CLIENT` sets them up.

commands (each has --help):
  nacre install CLIENT     add nacre to a client's settings; `nacre uninstall CLIENT` removes it
  nacre config ...         write a first settings file; show the settings in force; a JSON Schema
  nacre doctor             check what works on this machine
  nacre try [COMMAND]      run commands as an agent would, and see what it gets
  nacre watch              follow running servers: commands, sessions, jobs
  nacre audit ...          read and verify audit logs; write a report
  nacre policy ...         explain, list, test and find rules
  nacre sandbox ...        explain the sandbox; run a shell in it
  nacre trust              accept a project's nacre.toml, which can otherwise only tighten
  nacre server shell ...   the server with the command line of specification 002
  nacre completions SHELL  print completions for bash, zsh, fish or PowerShell"""

FURTHER = """\
examples:
  nacre install claude-code            let Claude Code run commands here
  nacre --sandbox workspace            commands can write in this project only
  nacre --allow "ls*,cat*,git log"     these commands and no others
  nacre try 'make test'                what an agent would get

files:
  ~/.config/nacre/config.toml  your settings and rules (`nacre config init`)
  nacre.toml                   a project's, in this directory or above; it can only tighten
  /etc/nacre/config.toml       the machine's
Every setting can also be a variable: NACRE_SANDBOX=strict.

Logs go to stderr. Exit codes: 0: the client ended the connection; 1: the client vanished;
2: wrong options or settings."""

COMMANDS = tuple(
    dict.fromkeys(re.findall(r"(?:^ +|`)nacre ([a-z]+)", WHAT_IT_IS.partition("commands (")[2], re.MULTILINE))
)  # as the help names them


def refuse_command(word: str) -> NoReturn:
    """End the program: the first word is neither a command nor an option."""
    near = close_names(word, COMMANDS)
    hint = f"Did you mean `nacre {near[0]}`?" if near else f"There are: {', '.join(COMMANDS)}."
    sys.stderr.write(f"nacre: There is no command '{word}'. {hint} `nacre --help` shows all.\n")
    sys.exit(2)


PATTERN_LIST: dict[str, Any] = {"action": Gathered, "type": patterns, "metavar": "PATTERNS"}


# The options by what they are for; one that is not named here is shown among the others.
GROUPS = {
    "what may run": ("--config", "--allow", "--deny", "--sandbox"),
    "where and how commands run": (
        "--shell", "--working-dir", "--timeout", "--answer-within", "--login-env", "--max-sessions",
        "--session-idle",
    ),
    "what agents see": (
        "--preset", "--tools", "--structured", "--failures-are-results", "--no-stderr", "--max-output",
        "--spool-total",
    ),
    "what is recorded": ("--audit-log", "--audit-required", "--abort-file", "--no-watch", "--verbose"),
    "the preset container": ("--no-announce", "--no-confine", "--container-network"),
}  # fmt: skip


def parser() -> argparse.ArgumentParser:
    """The options, with their help; most of them are settings."""
    top = Parser(
        prog="nacre",
        usage="nacre [OPTIONS]\n       nacre COMMAND ...",
        description=WHAT_IT_IS,
        epilog=FURTHER,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    groups = {flag: top.add_argument_group(title) for title, flags in GROUPS.items() for flag in flags[:1]}
    group_of = {flag: groups[flags[0]] for flags in GROUPS.values() for flag in flags}
    group_of["--config"].add_argument(
        "--config", metavar="FILE", help="settings and rules (default: ~/.config/nacre/config.toml)"
    )
    group_of["--allow"].add_argument(
        "--allow", **PATTERN_LIST, help='only these commands, with commas: "ls*,cat*,git log"'
    )
    group_of["--deny"].add_argument("--deny", **PATTERN_LIST, help='never these commands: "rm*,sudo*"')
    for setting in (*SETTINGS, *CONTAINER_SETTINGS):
        if setting.flags:
            _add_setting(group_of.get(setting.flags[-1], top), setting)
    top.add_argument("-V", "--version", action=Version, help="versions of nacre, its SDK and the protocol")
    return top


class Version(argparse.Action):
    """Prints the versions; only here the SDK's is looked up, which is not loaded for it."""

    def __init__(self, option_strings: list[str], dest: str, **more: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, default=argparse.SUPPRESS, **more)
        del dest

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print and end."""
        sys.stdout.write(f"{versions()}\n")
        parser.exit()


def versions() -> str:
    """nacre's version, the SDK's, and those of the protocol."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # seldom

    from nacre.protocol.connection import HANDSHAKE_VERSIONS, MODERN_VERSION  # noqa: PLC0415  # seldom

    try:
        sdk = version("mcp")
    except PackageNotFoundError:
        sdk = "not installed"
    spoken = ", ".join((*HANDSHAKE_VERSIONS, MODERN_VERSION))
    return f"nacre {__version__}\nMCP SDK {sdk}\nMCP {spoken}"


def _add_setting(top: Any, setting: Setting) -> None:
    help_text = (setting.flag_help or setting.help).format(presets=", ".join(presets.names()))

    def read(text: str) -> Any:
        return read_value(setting.kind, text)

    if setting.flag_means is not NOTHING:
        top.add_argument(
            *setting.flags,
            action="store_const",
            const=setting.flag_means,
            dest=setting.option,
            help=help_text,
        )
        return
    top.add_argument(
        *setting.flags,
        metavar=setting.kind.metavar,
        type=read,
        help=f"{help_text} (default: {default_text(setting)})",
    )


def read_value(kind: Kind, text: str) -> Any:
    """What the text behind a flag means. ArgumentTypeError: nothing of that kind."""
    try:
        return kind.read(kind.from_text(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"it must be {error}, not '{text}'") from None
