"""The family `container`: programs from a table, without a shell (specification 003).

Two functions in two forms: the tools `shell_exec` and `shell_allowed` for clients that shake hands, and the
plain JSON-RPC methods `shell/exec` and `shell/allowed` for those that do not. The gate decides what may run.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from nacre.config import ContainerConfig
from nacre.errors import NacreError, Refused, RequestError
from nacre.model import Command, Ended
from nacre.policy.program_table import table_name
from nacre.tools.arguments import check
from nacre.tools.surface import Deviations, Surface
from nacre.tools.tool import CallError, Reply, Tool

if TYPE_CHECKING:
    from nacre.gate import Ask
    from nacre.model import Result
    from nacre.service import Service
    from nacre.tools.tool import Caller

SERVER_ERROR, INVALID_PARAMS = -32000, -32602
PROTOCOL_VERSION = "2024-11-05"
EXEC_WORDS, ALLOWED_WORDS = "Execute allowed shell commands", "List allowed commands"
_TEXT = {"type": "string"}
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}


def register_container(surface: Surface, service: Service) -> None:
    """Register both forms, and the first message that the specification wants."""
    execution = Execution(service)
    surface.add(_exec_tool(execution), _allowed_tool(execution))
    container = service.config.preset.container
    surface.deviations = Deviations(
        announcement=announcement() if container is not None and container.announce else None,
        methods={"shell/exec": execution.exec_method, "shell/allowed": execution.allowed_method},
        takes_bare_lines=True,  # its workflow has such
    )


def announcement() -> dict[str, Any]:
    """The initialization message of the specification."""
    tools = [
        {"name": "shell_exec", "description": EXEC_WORDS},
        {"name": "shell_allowed", "description": ALLOWED_WORDS},
    ]
    result = {"protocolVersion": PROTOCOL_VERSION, "capabilities": {"tools": tools}}
    return {"jsonrpc": "2.0", "id": None, "result": result}


class Execution:
    """Running and listing, as the specification words it."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._commands = (service.config.preset.container or ContainerConfig()).allowed_commands
        self._texts = service.config.preset.texts
        self.schema = _exec_schema(service.default_directory)

    # -- without a handshake

    async def exec_method(self, params: dict[str, Any]) -> dict[str, Any]:
        """`shell/exec`."""
        return await self.run(_check(params, self.schema), None)

    async def allowed_method(self, params: dict[str, Any]) -> dict[str, Any]:
        """`shell/allowed`."""
        _check(params, _NOTHING)
        return self.allowed()

    # -- both

    def allowed(self) -> dict[str, Any]:
        """The table that applies now."""
        return {"allowedCommands": {name: list(first) for name, first in self._commands.items()}}

    async def run(self, arguments: dict[str, Any], ask: Ask | None) -> dict[str, Any]:
        """Run a program to its end; CallError where the specification wants an error."""
        argv = (table_name(arguments["command"], self._commands), *arguments.get("args", ()))
        command = Command(
            text=shlex.join(argv),
            argv=argv,
            working_directory=self._service.resolve_directory(arguments.get("cwd")),
            timeout_s=self._service.config.default_timeout_s,
            environment=arguments.get("env", {}),
        )
        try:
            return self._answer(argv, await self._service.run(command, ask=ask))
        except Refused as error:
            raise CallError(SERVER_ERROR, str(error)) from None
        except RequestError as error:
            if error.code == RequestError.code:
                raise CallError(INVALID_PARAMS, str(error)) from None
            raise self._failed(error.message) from None  # a directory that is not there
        except NacreError as error:
            raise self._failed(error.message) from None

    def _answer(self, argv: tuple[str, ...], result: Result) -> dict[str, Any]:
        stdout, stderr = result.stdout.text.rstrip("\n"), result.stderr.text.rstrip("\n")
        so_far = {name: text for name, text in (("stdout", stdout), ("stderr", stderr)) if text} or None
        if result.ended is Ended.TIMED_OUT:
            said = self._texts["timeout"].format(seconds=f"{result.timeout_s:g}")
            raise CallError(SERVER_ERROR, said, so_far)
        if result.ended is Ended.STOPPED:
            raise self._failed("stopped by the person", so_far)
        if result.exit_code is None:  # a program that crashed has no exit code, and we do not invent one
            raise self._failed(f"ended by {result.signal}", so_far)
        return {
            "command": " ".join(argv),
            "exitCode": result.exit_code,
            "stdout": stdout,
            "stderr": stderr if self._service.config.include_stderr else "",
            "success": result.ok,
        }

    def _failed(self, error: str, data: dict[str, Any] | None = None) -> CallError:
        return CallError(SERVER_ERROR, self._texts["failed"].format(error=error.removesuffix(".")), data)


def _check(params: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    try:
        return check(params, schema)
    except RequestError as error:
        raise CallError(INVALID_PARAMS, str(error)) from None


def _exec_schema(workspace: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "A program of shell_allowed", "minLength": 1},
            "args": {"type": "array", "description": "Its arguments, as they are", "items": _TEXT},
            "cwd": {"type": "string", "description": f"Inside {workspace}, which is the default"},
            "env": {
                "type": "object",
                "description": "Additional environment variables",
                "additionalProperties": _TEXT,
            },
        },
        "required": ["command"],
        "additionalProperties": False,
    }


def _exec_tool(execution: Execution) -> Tool:
    async def call(arguments: dict[str, Any], caller: Caller) -> Reply:
        try:
            data = await execution.run(arguments, caller.ask)
        except CallError as error:
            return Reply(_with_output(error), is_error=True)
        return Reply(json.dumps(data, ensure_ascii=False), data)

    return Tool(
        name="shell_exec",
        description=f"{EXEC_WORDS}: a program and its arguments, started without a shell, so that pipes, "
        "globs and variables are plain text.",
        input_schema=execution.schema,
        output_schema={
            "type": "object",
            "properties": {
                "command": _TEXT,
                "exitCode": {"type": "integer"},
                "stdout": _TEXT,
                "stderr": _TEXT,
                "success": {"type": "boolean"},
            },
            "required": ["command", "exitCode", "stdout", "stderr", "success"],
        },
        call=call,
    )


def _with_output(error: CallError) -> str:
    """An error with what was printed before it."""
    printed = error.data if isinstance(error.data, dict) else {}
    parts = [f"--- {name}\n{text}" for name, text in printed.items()]
    return "\n".join([error.message, *parts])


def _allowed_tool(execution: Execution) -> Tool:
    async def call(_arguments: dict[str, Any], _caller: Caller) -> Reply:
        data = execution.allowed()
        return Reply(json.dumps(data, ensure_ascii=False), data)

    return Tool(
        name="shell_allowed",
        description=f"{ALLOWED_WORDS} and, for each, its permitted first arguments (none named: any).",
        input_schema=_NOTHING,
        output_schema={
            "type": "object",
            "properties": {
                "allowedCommands": {
                    "type": "object",
                    "additionalProperties": {"type": "array", "items": _TEXT},
                }
            },
            "required": ["allowedCommands"],
        },
        annotations={"readOnlyHint": True, "openWorldHint": False},
        call=call,
    )
