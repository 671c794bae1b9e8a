"""The tool `shell_exec`: what a command printed, as plain text; a failure with its details (001).

Above it: the catalogue. Below: `service`, as for every tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.errors import RequestError
from nacre.model import Command
from nacre.tools.results import is_failure, left_line, reply
from nacre.tools.shell import run
from nacre.tools.surface import Deviations, Surface
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.model import Result
    from nacre.service import Service
    from nacre.tools.tool import Caller

TIMEOUT_ADVICE = "If it needs longer, the person can start the server with a higher --timeout."
INVALID_PARAMETERS, TOOL_NOT_FOUND = "InvalidParameters", "ToolNotFound"


def offer_plain_exec(surface: Surface, service: Service) -> None:
    """Register the tool, with the specification's names for errors of the caller."""
    surface.add(shell_exec_tool(service))
    surface.deviations = Deviations(
        arguments_key="parameters", bad_call=INVALID_PARAMETERS, unknown_tool=TOOL_NOT_FOUND
    )


def shell_exec_tool(service: Service) -> Tool:
    """The tool as this server offers it, with its shell in the description."""
    shell = service.shell.name
    return Tool(
        name="shell_exec",
        title="Execute a shell command",
        description=(
            f"Executes commands in the specified shell ({shell}); multi-line scripts and heredocs as typed"
        ),
        input_schema={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The shell command to execute", "minLength": 1}
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        bad_arguments=INVALID_PARAMETERS,
        call=lambda arguments, caller: _call(service, arguments["command"], caller),
    )


async def _call(service: Service, text: str, caller: Caller) -> Reply:
    command = Command(text, service.default_directory, service.config.default_timeout_s)
    try:
        result = await run(service, command, caller)
    except RequestError as error:
        if error.code == RequestError.code:
            raise
        return Reply(str(error), is_error=True)  # a directory that is gone is no parameter of this tool
    return plain(result, service.config)


def plain(result: Result, config: Config) -> Reply:
    """The reply: the output alone in the first block; for a failure, what happened."""
    if not result.ok:
        return Reply(reply(result, config, TIMEOUT_ADVICE).text, is_error=is_failure(result, config))
    stderr = result.stderr.text if config.include_stderr else ""
    asides = [f"--- stderr\n{stderr}"] if stderr and result.stdout.text else []
    if result.left_running_total:
        asides.append(left_line(result))
    return Reply(result.stdout.text or stderr, asides=tuple(asides))
