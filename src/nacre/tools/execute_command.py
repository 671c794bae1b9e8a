"""The tool `execute_command`: the reply is three fields as JSON text, whatever happened (specification 002).

Above it: the catalogue. Below: `service`, as for every tool. A refusal is worded by the preset; its true
reason is in the log.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nacre.audit.recorder import one_line
from nacre.errors import Asking, NacreError, Refused
from nacre.model import Command, Ended
from nacre.stderr import log
from nacre.tools.results import left_line, status_line
from nacre.tools.shell import run
from nacre.tools.tool import CallError, Reply, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nacre.config import Config
    from nacre.model import Result
    from nacre.policy import Policy
    from nacre.policy.matching import Rule
    from nacre.service import Service
    from nacre.tools.tool import Caller

INVALID_PARAMS = -32602
NO_CODE = -1  # it was not run, or did not end by itself


def execute_command_tool(service: Service) -> Tool:
    """The tool, word for word as the specification lists it."""
    return Tool(
        name="execute_command",
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
    """Check the command, with the specification's own error messages."""
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
        return _denied(text, error, config)
    except NacreError as error:
        return _reply(text, texts.get("failed", "{error}").format(error=error), NO_CODE)
    output = output_of(result, include_stderr=config.include_stderr)
    return _reply(text, output, return_code(result))


def _denied(text: str, error: Refused, config: Config) -> Reply:
    """The specification's words; the reason is in the log and in `_meta`."""
    denial: dict[str, Any] = {"reason": str(error)}
    if config.policy is not None and first_word_passes(text, config.policy):
        denial["stricter_than_document"] = True
        log.info("specification 002 looks at the first word only, and would have run: %s", one_line(text))
    reply = _reply(text, config.preset.texts.get("denied", str(error)), NO_CODE)
    return replace(reply, meta={"denial": denial})


def first_word_passes(text: str, policy: Policy) -> bool:
    """The specification's own check, which judges a text by its first word."""
    first = (text.split() or [""])[0]

    def named(rules: Iterable[Rule]) -> bool:
        return any(
            first.startswith(rule.text[:-1]) if rule.text.endswith("*") else first == rule.text
            for rule in rules
        )

    return not named(policy.denies) and (not policy.allows or named(policy.allows))


def _reply(command: str, output: str, code: int) -> Reply:
    fields = {"command": command, "output": output, "return_code": code}
    return Reply(json.dumps(fields, ensure_ascii=False, indent=2), is_error=None)


def return_code(result: Result) -> int:
    """The exit code of a command that has ended by itself."""
    return NO_CODE if result.exit_code is None or result.ended is not Ended.EXITED else result.exit_code


def output_of(result: Result, *, include_stderr: bool) -> str:
    """Its output, stdout first, followed by what has no place in the three fields."""
    printed = result.stdout.text + (result.stderr.text if include_stderr else "")
    notes = [] if result.ended is Ended.EXITED else [status_line(result)]
    if result.left_running_total:
        notes.append(left_line(result))
    if notes and printed and not printed.endswith("\n"):
        printed += "\n"
    return printed + "".join(f"{note}\n" for note in notes)
