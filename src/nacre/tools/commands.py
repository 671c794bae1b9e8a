"""One tool for each command of the list, `restart`, `list_commands` and the intro prompt (000).

All of them work in one shell, the session `main`, which is started with the server. What may run is decided
at the gate, which knows the same list; this module only shows it, and shows it anew when it changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.errors import NacreError, RequestError
from nacre.model import Command, Ended
from nacre.stderr import log
from nacre.tools.plain_exec import TIMEOUT_ADVICE
from nacre.tools.results import is_failure, is_truncated
from nacre.tools.session import outcome
from nacre.tools.shell import run
from nacre.tools.surface import Prompt
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.model import Result
    from nacre.service import Service
    from nacre.tools.surface import Surface
    from nacre.tools.tool import Caller

SESSION = "main"
NO_OUTPUT = "(no output)"
# Every reply of every tool here has these fields. The others are described in docs/presets/commands.md and
# appear when they have something to say. A schema in each of the tools would be a third of the list.
_ALWAYS = ("success", "output")
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def register(surface: Surface, service: Service) -> None:
    """Show the commands, and start their shell."""

    async def start_shell() -> None:
        try:
            await service.start_session(SESSION)
        except NacreError as error:  # the first call will say so, too
            log.error("the shell could not be started: %s", error)

    surface.add(*_tools(service))
    surface.starts_at_root = False  # the shell has a directory before a client can send its roots
    surface.instructions = f"{_WHAT} Use list_commands to see them."
    surface.prompts["intro"] = Prompt(
        "intro", "Introduction", "What the tools of this server do, as they are now.", lambda: intro(service)
    )
    surface.background_tasks.append(start_shell)


_ARGUMENTS = (
    "The optional parameter `args` holds the command-line arguments on one line. Shell operators "
    "(&& || ; | > >> < << & ^ % $ !) are refused outside of quotes."
)
_WHAT = "Each tool is one command; all run in one shell that keeps its directory and variables."


def _tools(service: Service) -> list[Tool]:
    return [
        *(_command_tool(service, name) for name in service.commands),
        _restart_tool(service),
        _list_tool(service),
    ]


def describe(service: Service, name: str) -> str:
    """What a command does, as far as we know it."""
    texts = service.config.preset.texts
    family = f"{service.shell.dialect.name}_{name}"
    known = texts.get(family) or texts.get(name) or texts.get("generic", "Run the command {command}.")
    return known.replace("{command}", name)


def _command_tool(service: Service, name: str) -> Tool:
    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        text = command_line(name, arguments)
        _check_length(text, service)
        command = Command(
            text=text,
            working_directory="",
            timeout_s=service.config.default_timeout_s,
            session=SESSION,
        )
        return reply(await run(service, command, caller), service.config)

    lists = service.shell.dialect.lists
    advice = f"; text in {lists.quotes}" if lists else ""
    return Tool(
        name=name,
        description=describe(service, name),
        input_schema={
            "type": "object",
            "properties": {
                "args": {
                    "type": "string",
                    "description": f"Command-line arguments, one line, no shell operators{advice}.",
                }
            },
            "additionalProperties": False,
        },
        call=call,
        failed=lambda arguments, error: failure(command_line(name, arguments), error, service.config),
    )


def _check_length(text: str, service: Service) -> None:
    """Refuse a command that is too long for the shell, in the words of these tools."""
    dialect = service.shell.dialect
    if dialect.one_line and len(text) > dialect.limit_bytes:
        most = f"{service.shell.name} reads no line of more than {dialect.limit_bytes:,} characters"
        raise RequestError(
            f"args is too long: {most}.",
            hint="Nothing was run. Give it fewer or shorter arguments.",
        )


def command_line(name: str, arguments: dict[str, Any]) -> str:
    """The text for the shell: the name and the arguments, unchanged."""
    given = arguments.get("args", "")
    return f"{name} {given}" if isinstance(given, str) and given.strip(" ") else name


def _restart_tool(service: Service) -> Tool:
    async def call(_arguments: dict[str, Any], _caller: Caller) -> Reply:
        left = await service.restart_session(SESSION)
        directory = service.resolve_directory(".", SESSION)
        return _done(
            "restart",
            f"The shell and {outcome(left)}. A new shell is there, with a clean environment, in {directory}.",
            service.config,
            working_directory=directory,
        )

    return Tool(
        name="restart",
        title="Restart the shell",
        description=(
            "End the shell with all it has started, also a command that still runs, and start a new one: "
            "variables and directory are as at the beginning."
        ),
        input_schema=_NOTHING,
        annotations={"openWorldHint": False},
        call=call,
        failed=lambda _, error: failure("restart", error, service.config),
    )


def _list_tool(service: Service) -> Tool:
    async def call(_arguments: dict[str, Any], _caller: Caller) -> Reply:
        listed = [{"name": name, "description": describe(service, name)} for name in service.commands]
        lines = "\n".join(f"{each['name']}: {each['description']}" for each in listed)
        said = lines or "There are no commands on the list."
        return _done("list_commands", said, service.config, commands=listed)

    return Tool(
        name="list_commands",
        title="List the commands",
        description="All commands that can be run here, with what they do.",
        input_schema=_NOTHING,
        annotations={"readOnlyHint": True, "openWorldHint": False},
        call=call,
        failed=lambda _, error: failure("list_commands", error, service.config),
    )


def intro(service: Service) -> str:
    """The intro prompt: the current tools."""
    lines = [f"- {name}: {describe(service, name)}" for name in service.commands]
    return "\n".join(
        [
            f"This server runs commands in {service.shell.name}, one tool for each command. {_WHAT}",
            "",
            *lines,
            "- restart: End the shell and start a clean one.",
            "- list_commands: This list.",
            "",
            f"{_ARGUMENTS} A command may run for {service.config.default_timeout_s} seconds.",
        ]
    )


# -- replies


def reply(result: Result, config: Config) -> Reply:
    """A command's end in the one shape of this preset."""
    output = combined(result.stdout.text, result.stderr.text if config.include_stderr else "")
    reason = None if result.ok else _reason(result)
    hints = list(result.hints)
    if result.ended is Ended.TIMED_OUT:
        hints.append(TIMEOUT_ADVICE)
    shown: dict[str, Any] = {"success": result.ok, "output": output, "exit_code": result.exit_code}
    shown |= {"reason": reason, "code": "ok" if result.ok else _CODES.get(result.ended, "failed")}
    shown |= {"note": result.note, "hints": hints, "truncated": is_truncated(result)}
    metadata: dict[str, Any] = {
        "command": result.command,
        "working_directory": result.working_directory,
        "execution_time_ms": result.execution_time_ms,
    }
    lines = [] if reason is None else [f"Failed: {reason}."]
    lines += [f"Note: {result.note}"] if result.note else []
    lines += [f"Hint: {hint}" for hint in hints]
    if output or not lines:
        lines.append(output or NO_OUTPUT)
    return _with_data("\n".join(lines), shown, metadata, config, is_error=is_failure(result, config))


def _with_data(
    text: str, shown: dict[str, Any], metadata: dict[str, Any], config: Config, *, is_error: bool = False
) -> Reply:
    """The reply, with as much data as the person wants."""
    if config.structured == "full":
        return Reply(text, {**shown, **metadata}, is_error=is_error)
    lean = {name: value for name, value in shown.items() if _tells(name, value)}
    rest = {name: value for name, value in shown.items() if name not in ("output", "hints")}
    return Reply(text, lean, is_error=is_error, meta={"metadata": {**rest, **metadata}})


def _tells(name: str, value: Any) -> bool:
    """Whether a field of the data says something."""
    return name in _ALWAYS or (value is not None and value not in ("", "ok", [], False))


_CODES = {Ended.TIMED_OUT: "timed_out", Ended.STOPPED: "stopped", Ended.SHELL_DIED: "shell_died"}


def combined(stdout: str, stderr: str) -> str:
    """Stdout, followed by stderr if it is not empty; no line break at the end."""
    gap = "\n" if stdout and stderr.strip() and not stdout.endswith("\n") else ""
    return (stdout + gap + stderr if stderr.strip() else stdout).removesuffix("\n")


def _reason(result: Result) -> str:
    if result.ended is Ended.TIMED_OUT:
        return f"timed out after {result.timeout_s:g} seconds"
    if result.ended is Ended.STOPPED:
        return "stopped by the person"
    if result.signal is None and result.exit_code is None:
        return "the shell could not tell how the command ended"
    how = f"signal {result.signal}" if result.signal else f"exit code {result.exit_code}"
    return f"the shell ended with {how}" if result.ended is Ended.SHELL_DIED else how


def failure(command: str, error: NacreError, config: Config) -> Reply:
    """The reply when nothing was run, with the reason."""
    shown = {"success": False, "output": "", "exit_code": None, "reason": str(error), "code": error.code}
    return _with_data(f"Failed: {error}", shown, {"command": command}, config, is_error=True)


def _done(command: str, output: str, config: Config, **more: Any) -> Reply:
    shown = {"success": True, "output": output, "exit_code": None, "reason": None, "code": "ok"}
    return _with_data(output, shown, {"command": command, **more}, config)
