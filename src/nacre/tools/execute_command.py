"""The tool `execute_command`: the reply is three fields as JSON text, whatever happened (specification 002).

Above it: the catalogue. Below: `service`, as for every tool. A refusal is told in the preset's words; its
true reason is in the log.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from nacre.errors import Asking, NacreError, Refused
from nacre.model import Command, Ended
from nacre.tools.results import left_line, status_line
from nacre.tools.shell import run
from nacre.tools.tool import CallError, Reply, Tool

if TYPE_CHECKING:
    from nacre.model import Result
    from nacre.service import Service
    from nacre.tools.tool import Caller

INVALID_PARAMS = -32602
NO_CODE = -1  # it was not run, or did not end by itself


def execute_command_tool(service: Service) -> Tool:
    """The tool, word for word as the document lists it."""
    return Tool(
        name="execute_command",
        title=None,
        description="Execute a shell command and return its output",
        input_schema={
            "type": "object",
            "properties": {"command": {"type": "string", "description": "Shell command to execute"}},
            "required": ["command"],
        },
        bad_arguments="Invalid params",
        precheck=_check_command,
        call=lambda arguments, caller: _call(service, arguments["command"], caller),
    )


def _check_command(arguments: dict[str, Any]) -> None:
    """The document's own words for a command that is not there or no text."""
    if not isinstance(arguments.get("command"), str):
        raise CallError(INVALID_PARAMS, "Missing command argument")


async def _call(service: Service, text: str, caller: Caller) -> Reply:
    config = service.config
    texts = config.preset.texts
    command = Command(text, service.default_directory, config.default_timeout_s)
    try:
        result = await run(service, command, caller)
    except Asking:
        raise
    except Refused as error:
        return _reply(text, texts.get("denied", str(error)), NO_CODE)
    except NacreError as error:
        return _reply(text, texts.get("failed", "{error}").format(error=error), NO_CODE)
    output = output_of(result, include_stderr=config.include_stderr)
    return _reply(text, output, return_code(result))


def _reply(command: str, output: str, code: int) -> Reply:
    fields = {"command": command, "output": output, "return_code": code}
    return Reply(json.dumps(fields, ensure_ascii=False, indent=2), is_error=None)


def return_code(result: Result) -> int:
    """The exit code of a command that has ended by itself."""
    return NO_CODE if result.exit_code is None or result.ended is not Ended.EXITED else result.exit_code


def output_of(result: Result, *, include_stderr: bool) -> str:
    """What it printed, stdout first; behind it what the three fields have no other room for."""
    printed = result.stdout.text + (result.stderr.text if include_stderr else "")
    notes = [] if result.ended is Ended.EXITED else [status_line(result)]
    if result.left_running_total:
        notes.append(left_line(result))
    if notes and printed and not printed.endswith("\n"):
        printed += "\n"
    return printed + "".join(f"{note}\n" for note in notes)
