"""The tool `session`: list, restart and close persistent shells (specification 000's `restart`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.model import LeftProcess
    from nacre.service import Service


def session_tool(service: Service) -> Tool:
    """The tool as this server offers it."""
    return Tool(
        name="session",
        description=(
            "List sessions; restart one (its shell and all it started are ended, a clean one takes its "
            "place); close one. Sessions are made by `shell`."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["list", "restart", "close"]},
                "name": {"type": "string", "description": "Which; not for list"},
            },
            "required": ["action"],
            "additionalProperties": False,
        },
        annotations={"openWorldHint": False},
        call=lambda arguments, _progress: _call(service, arguments),
    )


async def _call(service: Service, arguments: dict[str, Any]) -> Reply:
    action, name = arguments["action"], arguments.get("name")
    if action == "list":
        return _reply(service, "")
    if name is None:
        raise RequestError(f"Missing argument: name, the session to {action}.")
    if action == "restart":
        fate = outcome(await service.restart_session(name))
        done = f"Session '{name}' was restarted: its shell and {fate}; a new one is there."
    else:
        fate = outcome(await service.close_session(name))
        done = f"Session '{name}' was closed; its shell and {fate}."
    return _reply(service, done)


def outcome(left: tuple[LeftProcess, ...]) -> str:
    """What became of all that a shell had started."""
    if not left:
        return "all it had started are gone"
    named = "; ".join(f"{each.pid} {each.command}" for each in left)
    return f"all it had started were sent KILL, but these have not died of it: {named}"


def _reply(service: Service, done: str) -> Reply:
    sessions = service.list_sessions()
    lines = [done] if done else []
    lines += [
        f"{each['name']}: {each['state']}, {each['shell']} in {each['directory']}, "
        f"{each['commands']} commands, unused for {each['idle_seconds']} s"
        for each in sessions
    ]
    return Reply("\n".join(lines) or "There are no sessions.", {"sessions": sessions})
