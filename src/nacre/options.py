"""The options of the command line, with their help; and lists of patterns, which other command lines share.

Above it: the command lines. They load it when what they are given is not plain.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from nacre import __version__, presets
from nacre.settings import CONTAINER_SETTINGS, NOTHING, SETTINGS, default_text

if TYPE_CHECKING:
    from nacre.kinds import Kind
    from nacre.settings import Setting


def patterns(text: str) -> str:
    """An empty list is refused: whoever writes `--allow "$LIST"` does not mean to allow everything."""
    if not text.replace(",", "").strip():
        raise argparse.ArgumentTypeError("it holds no pattern")
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


OTHER_COMMANDS = """\
other commands, each with --help:
  nacre install CLIENT     add nacre to a client's settings; `nacre uninstall CLIENT` takes it out
  nacre config ...         what holds and where it comes from; a first settings file; a schema
  nacre trust              accept a project's nacre.toml, which may only tighten otherwise
  nacre policy ...         see, test and find rules
  nacre audit ...          check audit logs, read them, make a page of them
  nacre sandbox ...        what the sandbox holds; a shell inside it
  nacre try [COMMAND]      run commands as an agent would, and see what it gets
  nacre doctor             what works on this machine, and what does not
  nacre server shell ...   the same server with the command line of specification 002

Logs go to stderr."""

PATTERN_LIST: dict[str, Any] = {"action": Gathered, "type": patterns, "metavar": "PATTERNS"}


def parser() -> argparse.ArgumentParser:
    """The options, with their help; most of them are settings."""
    top = argparse.ArgumentParser(
        prog="nacre",
        description="MCP server (stdio) through which AI agents run shell commands.",
        epilog=OTHER_COMMANDS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--config", metavar="FILE", help="settings and rules (default: ~/.config/nacre/config.toml)"
    )
    top.add_argument("--allow", **PATTERN_LIST, help='only these commands, with commas: "ls*,cat*,git log"')
    top.add_argument("--deny", **PATTERN_LIST, help='never these commands: "rm*,sudo*"')
    for setting in (*SETTINGS, *CONTAINER_SETTINGS):
        if setting.flags:
            _add_setting(top, setting)
    top.add_argument("-V", "--version", action="version", version=f"nacre {__version__}")
    return top


def _add_setting(top: argparse.ArgumentParser, setting: Setting) -> None:
    help_text = (setting.flag_help or setting.help).format(presets=", ".join(presets.names()))
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
        type=lambda text: read_value(setting.kind, text),
        help=f"{help_text} (default: {default_text(setting)})",
    )


def read_value(kind: Kind, text: str) -> Any:
    """What the text behind a flag means. ArgumentTypeError: nothing of that kind."""
    try:
        return kind.read(kind.from_text(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"it must be {error}, not '{text}'") from None
