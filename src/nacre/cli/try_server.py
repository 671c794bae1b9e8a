"""`nacre try`: a person types commands and sees what an agent would get, to the letter.

Above it: the command line. Below: `stdio_client`, which starts a server as agents' programs do and talks to
it over stdin and stdout: the same settings, rules, sandbox and replies. It shows replies, and adds nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import getpass
import itertools
import json
import sys
from textwrap import indent
from typing import TYPE_CHECKING, Any

from nacre.argument_parser import Parser
from nacre.cli.options import parser as server_parser
from nacre.cli.stdio_client import CallError, StdioClient
from nacre.errors import NacreError
from nacre.settings.table import CONTAINER_SETTINGS, NOTHING, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.cli.stdio_client import Message

FAILED, USAGE_ERROR = 1, 2
QUIET_S = 0.4  # a terminal that has been silent for this long is shown
PATIENCE_S = 10  # and after this long in any case
_OWN_FLAGS = ("-h", "--help", "--data", "--terminal", "--session")
COMMAND_TOOLS = ("shell", "execute_command", "shell_exec")

PROMPT_HELP = """\
COMMAND              run it
:TOOL {"name": ...}  call any tool with these arguments (JSON), for instance :output {"tail": 5}
:tools               the tools that an agent sees
:session [NAME]      run commands in a session from now on; without a name in fresh shells
:data                show the data of replies, or stop showing it
:help, :quit         (also Ctrl-D); Ctrl-C cancels the running command"""

TERMINAL_HELP = """\
TEXT                 type it and press enter
:keys NAMES          press keys: esc ctrl-c up f1 tab ...
:text TEXT           type it without enter
:screen              all of the screen
:end                 end the job and leave (also Ctrl-D)"""


def parser() -> argparse.ArgumentParser:
    """Our own arguments, with their help."""
    top = Parser(
        prog="nacre try",
        usage="nacre try [--data] [--session NAME] [--terminal] [OPTIONS OF THE SERVER] [COMMAND]",
        description="Run a command through a server, as an agent would, and see what the agent gets.\nThe"
        " server is a real one: its options, settings files, rules and sandbox are those of `nacre`.\nThe"
        " exit code is 0, or 1 where the reply is an error.",
        epilog=f"At the prompt:\n\n{indent(PROMPT_HELP, '    ')}\n\nOn a terminal:\n\n"
        f"{indent(TERMINAL_HELP, '    ')}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--data", action="store_true", help="also the data of replies (structuredContent, _meta), as JSON"
    )
    top.add_argument(
        "--session", metavar="NAME", help="run in a session, which keeps its directory and variables"
    )
    top.add_argument(
        "--terminal",
        action="store_true",
        help="run on a terminal, as a job: what is typed is sent to it, and its screen is shown",
    )
    top.add_argument(
        "command", nargs="?", help="the command, as one argument (default: a prompt for one after the other)"
    )
    return top


def main(arguments: Sequence[str]) -> int:
    """Run one command, or read commands; the exit code."""
    own, server_options = _divided(arguments)
    server_parser().parse_args(server_options)  # mistakes end here, as they would for the server
    is_person = sys.stdin.isatty() and sys.stdout.isatty()
    show_log = bool({"-v", "--verbose"} & set(server_options))
    client = StdioClient(server_options, _fill_in if is_person else None, show_log=show_log)
    try:
        return Trial(client, _Screen(data=own.data), own.session).run(own.command, terminal=own.terminal)
    except NacreError as error:
        sys.stderr.write(f"nacre try: {error}\n")
        return USAGE_ERROR
    finally:
        client.close()


def _divided(given: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """What is for us, and the options of the server."""
    takes_value = {"--config": True, "--allow": True, "--deny": True}
    for setting in (*SETTINGS, *CONTAINER_SETTINGS):
        takes_value.update(dict.fromkeys(setting.flags, setting.flag_means is NOTHING))
    own: list[str] = []
    server: list[str] = []
    words = iter(given)
    for word in words:
        flag = word.partition("=")[0]
        if flag in _OWN_FLAGS or not word.startswith("-"):
            own.append(word)
            own.extend(itertools.islice(words, word == "--session"))
        elif word == "--":
            own += [word, *words]
        else:
            server.append(word)
            server.extend(itertools.islice(words, takes_value.get(word, False)))
    return parser().parse_args(own), server


class _Screen:
    """Where replies are shown."""

    def __init__(self, *, data: bool) -> None:
        self.data = data

    def show(self, result: Message) -> None:
        """A reply as the agent gets it: its text, and its data where that is wanted."""
        texts = [part.get("text", json.dumps(part)) for part in result.get("content", [])]
        self.say("\n".join(texts))
        if self.data:
            parts = {
                name: result[name] for name in ("structuredContent", "_meta", "isError") if name in result
            }
            self.say(json.dumps(parts, ensure_ascii=False, indent=2))

    @staticmethod
    def say(text: str) -> None:
        """Write a text."""
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


class Trial:
    """A person at a server."""

    def __init__(self, client: StdioClient, screen: _Screen, session: str | None) -> None:
        self._client = client
        self._screen = screen
        self._session = session
        client.shake_hands()
        self._tools = client.tools()

    def run(self, command: str | None, *, terminal: bool) -> int:
        """One command, or as many as are typed; the exit code."""
        if terminal:
            return self._on_terminal(command or _typed("command on a terminal> ") or "")
        if command is not None:
            return self._call(*self._command_call(command))
        if sys.stdin.isatty():
            self._screen.say(":help tells what can be typed; Ctrl-D ends it.")
        self._read_lines(lambda: f"{self._session or 'fresh shell'}> ", self._take_line)
        return 0

    def _command_call(self, command: str) -> tuple[str, Message]:
        """The tool that runs commands, with its arguments."""
        tool = next((name for name in COMMAND_TOOLS if name in self._tools), None)
        if tool is None:
            raise CallError(
                f"This server has no tool for any command; call one of: {', '.join(self._tools)}."
            )
        return tool, {"command": command} | ({"session": self._session} if self._session else {})

    def _call(self, tool: str, arguments: Message) -> int:
        result = self._client.call(tool, arguments)
        self._screen.show(result)
        return FAILED if result.get("isError") else 0

    # -- at the prompt

    def _read_lines(self, prompt: Callable[[], str], take: Callable[[str], bool]) -> None:
        """Give each line that is typed to `take`, until that wants no more."""
        goes_on = True
        while goes_on and (line := _typed(prompt())) is not None:
            try:
                goes_on = not line.strip() or take(line)
            except KeyboardInterrupt:
                self._screen.say("The call was cancelled.")
            except CallError as error:
                self._screen.say(str(error))

    def _take_line(self, line: str) -> bool:
        if not line.startswith(":"):
            self._call(*self._command_call(line))
            return True
        word, _, rest = line[1:].partition(" ")
        if word in ("quit", "exit"):
            return False
        if word == "help":
            self._screen.say(PROMPT_HELP)
        elif word == "data":
            self._screen.data = not self._screen.data
        elif word == "session":
            if rest.strip().startswith("{"):
                self._call_by_name(word, rest)
            else:
                self._session = rest.strip() or None
        elif word == "tools":
            for name, tool in self._tools.items():
                self._screen.say(f"{name}: {tool.get('description', '')}")
        else:
            self._call_by_name(word, rest)
        return True

    def _call_by_name(self, tool: str, text: str) -> None:
        if tool not in self._tools:
            raise CallError(f"There is no tool {tool!r}; there are: {', '.join(self._tools)}.")
        try:
            arguments = json.loads(text or "{}")
        except ValueError as error:
            raise CallError(f"The arguments must be a JSON object: {error}") from None
        self._call(tool, arguments)

    # -- on a terminal

    def _on_terminal(self, command: str) -> int:
        """A command as a job on a terminal: its screen, and what is typed to it."""
        if "job" not in self._tools or not command:
            raise CallError("This server has no jobs." if command else "There is no command to run.")
        started = self._client.call("shell", {"command": command, "terminal": True})
        job = started.get("structuredContent", {}).get("job")
        if job is None:
            self._screen.show(started)
            return FAILED if started.get("isError") else 0
        if self._look(job, "wait"):
            self._read_lines(lambda: "job> ", lambda line: self._take_terminal_line(job, line))
            if self._runs(job):
                self._call("job", {"action": "end", "id": job})
        return 0

    def _look(self, job: str, action: str, **more: Any) -> bool:
        """Show what is new on the screen; whether the job still runs."""
        wait = {"silence": QUIET_S, "seconds": PATIENCE_S}
        result = self._client.call("job", {"action": action, "id": job, **more, **wait})
        self._screen.show(result)
        return result.get("structuredContent", {}).get("state") == "running"

    def _runs(self, job: str) -> bool:
        jobs = self._client.call("job", {"action": "list"})["structuredContent"]["jobs"]
        return any(each["job"] == job and each["state"] == "running" for each in jobs)

    def _take_terminal_line(self, job: str, line: str) -> bool:
        word, _, rest = line.partition(" ")
        if word == ":help":
            self._screen.say(TERMINAL_HELP)
            return True
        if word == ":end":
            return False
        if word == ":screen":
            self._call("job", {"action": "screen", "id": job})
            return True
        if word == ":keys":
            return self._look(job, "send", keys=rest)
        if word == ":text":
            return self._look(job, "send", text=rest)
        return self._look(job, "send", text=line, keys="enter")


# -- the person


def _typed(prompt: str) -> str | None:
    """A line that the person has typed; None at the end."""
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):  # Windows has none
            __import__("readline")  # gives `input` its history and editing
    try:
        return input(prompt if sys.stdin.isatty() else "")
    except EOFError:
        return None
    except KeyboardInterrupt:
        _Screen.say("")
        return ""


def _fill_in(form: Message) -> Message | None:
    """Ask the person what the server asks; None: they do not want to say."""
    _Screen.say(str(form.get("message", "")))
    answers: Message = {}
    for name, kind in form.get("requestedSchema", {}).get("properties", {}).items():
        answer = _choice(kind["enum"]) if kind.get("enum") else _text(kind.get("title", name), kind)
        if answer is None:
            return None
        answers[name] = answer
    return answers


def _choice(choices: list[str]) -> str | None:
    for number, choice in enumerate(choices, 1):
        _Screen.say(f"  {number}  {choice}")
    line = (_typed("number, or nothing to decline> ") or "").strip()
    return choices[int(line) - 1] if line.isdecimal() and 0 < int(line) <= len(choices) else None


def _text(title: str, kind: Message) -> Any:
    if kind.get("type") == "boolean":
        return (_typed(f"{title} [y/N] ") or "").strip().lower() in ("y", "yes")
    return getpass.getpass(f"{title} (not shown): ") or None
