"""The messages that are sent, on both roads: results, errors, listings, questions, progress. Pure.

Above it: the fast path and the SDK's side, which must give the same answers; a test compares them byte for
byte, so the members of an object stand in the order in which the SDK writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.errors import Asking
from nacre.protocol.messages import INVALID_PARAMS, METHOD_NOT_FOUND
from nacre.tools.tool import SILENT, Caller, CallError, Written, quote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.gate import Answer, Question
    from nacre.protocol.messages import Id
    from nacre.tools.surface import Prompt, Surface
    from nacre.tools.tasks import Tasks
    from nacre.tools.tool import Progress, Reply, Tool

INVALID_CALL = CallError(INVALID_PARAMS, "Invalid request parameters", "")
_SCHEMA_FIRST = ("$schema", "properties", "required", "type")


class NeedsAnswer(Asking):
    """A question in the 2026 protocol: a special answer, after which the client repeats the call."""

    def __init__(self, params: dict[str, Any]) -> None:
        super().__init__("the person is being asked")
        self.params = params  # of the elicitation


def mapping(value: Any) -> dict[str, Any]:
    """An object from a client; anything else counts as an empty one."""
    return value if value.__class__ is dict else {}


# -- errors


def error_body(error: CallError) -> dict[str, Any]:
    """The body of an error."""
    body: dict[str, Any] = {"code": error.code, "message": error.message}
    return body if error.data is None else {**body, "data": error.data}


def named_error(name: str, message: str) -> CallError:
    """An error of the caller, under its name in the specification."""
    if not name:
        return CallError(INVALID_PARAMS, message)
    # JSON-RPC's own words ("Invalid params") are not a name for programs.
    return CallError(INVALID_PARAMS, f"{name}: {message}", {"code": name} if name.isidentifier() else None)


def no_method(method: str) -> CallError:
    """An unknown method, named where a person reads it (specification 002)."""
    return CallError(METHOD_NOT_FOUND, f"Method not found: {method}".removesuffix(": "))


def check_call(params: dict[str, Any], surface: Surface) -> None:
    """Raise CallError for a call that reaches no tool.

    The SDK answers an unknown tool as a tool's failure, and the others without a reason.
    """
    name = params.get("name")
    if not isinstance(name, str):
        raise named_error(surface.deviations.bad_call, "Missing tool name: `name` must be a string")
    if name not in surface.tools:
        if surface.deviations.unknown_tool:
            raise named_error(surface.deviations.unknown_tool, f"there is no tool '{name}'")
        raise named_error("", f"Unknown tool: {name}")
    if not isinstance(params.get("arguments", {}), dict):
        raise named_error(surface.deviations.bad_call, "`arguments` must be an object")


# -- results


def call_result(reply: Reply) -> dict[str, Any]:
    """The result of a tool call."""
    meta, data = reply.meta, reply.structured
    content = [{"text": reply.text, "type": "text"}]
    if (
        isinstance(meta, Written)
        and isinstance(data, Written)
        and not reply.asides
        and reply.is_error is False
    ):
        return _written(content, meta, data)
    result: dict[str, Any] = {} if meta is None else {"_meta": meta}
    result["content"] = content
    if reply.asides:
        content += [{"text": text, "type": "text"} for text in reply.asides]
    if reply.is_error is not None:
        result["isError"] = reply.is_error
    if data is not None:
        result["structuredContent"] = data
    return result


def _written(content: list[dict[str, str]], meta: Written, data: Written) -> Written:
    """The result of a call that has succeeded and whose data are JSON already."""
    written = Written(_meta=meta, content=content, isError=False, structuredContent=data)
    written.json = (
        f'{{"_meta":{meta.json},"content":[{{"text":{quote(content[0]["text"])},"type":"text"}}],'
        f'"isError":false,"structuredContent":{data.json}}}'
    )
    return written


def server_info(surface: Surface) -> dict[str, Any]:
    """Our name and version."""
    return {"name": surface.name, "version": surface.version}


def capabilities(surface: Surface) -> dict[str, Any]:
    """Our capabilities; those we lack are omitted (as in specification 002)."""
    offered: dict[str, Any] = {"prompts": {}} if surface.prompts else {}
    if surface.resources is not None:
        offered["resources"] = {"listChanged": True, "subscribe": True}
    offered["tools"] = {"listChanged": True} if surface.tools_change else {}
    return offered


def initialize_result(surface: Surface, version: str) -> dict[str, Any]:
    """The answer to a handshake."""
    result: dict[str, Any] = {"capabilities": capabilities(surface)}
    if surface.instructions:
        result["instructions"] = surface.instructions
    return {**result, "protocolVersion": version, "serverInfo": server_info(surface)}


def tools_listed(surface: Surface) -> list[dict[str, Any]]:
    """The tools for handshake clients."""
    return [_listed(tool) for tool in surface.tools.values()]


def _listed(tool: Tool) -> dict[str, Any]:
    members = {
        "_meta": tool.meta,
        "annotations": dict(sorted(tool.annotations.items())),
        "description": tool.description,
        "inputSchema": _schema_in_order(tool.input_schema),
        "name": tool.name,
        "outputSchema": _schema_in_order(tool.output_schema or {}),
        "title": tool.title,
    }
    return {name: value for name, value in members.items() if value or name == "description"}


def _schema_in_order(schema: dict[str, Any]) -> dict[str, Any]:
    first = {name: schema[name] for name in _SCHEMA_FIRST if name in schema}
    return {**first, **schema}


def prompts_listed(surface: Surface) -> list[dict[str, Any]]:
    """The prompts; none of ours takes arguments."""
    return [
        {"arguments": [], "description": prompt.description, "name": prompt.name, "title": prompt.title}
        for prompt in surface.prompts.values()
    ]


def prompt_result(prompt: Prompt) -> dict[str, Any]:
    """The current text of a prompt."""
    content = {"text": prompt.text(), "type": "text"}
    return {"description": prompt.description, "messages": [{"content": content, "role": "user"}]}


def progress_params(token: Id, amount: float, message: str) -> dict[str, Any]:
    """The parameters of a progress notification."""
    return {"progressToken": token, "progress": amount, "message": message}


# -- questions to the person


def _choices(question: Question) -> dict[str, Answer]:
    """The person's choices, in words."""
    choices: dict[str, Answer] = {"run once": "once", "no": "no"}
    if question.rememberable:
        choices[question.remembering] = "session"
    return choices


def question_params(question: Question) -> dict[str, Any]:
    """The parameters of an elicitation."""
    decision = {"type": "string", "title": "Decision", "enum": list(_choices(question))}
    schema = {"type": "object", "properties": {"decision": decision}, "required": ["decision"]}
    return {"message": question.text, "requestedSchema": schema}


def parse_answer(reply: dict[str, Any], question: Question) -> Answer:
    """The person's decision; anything but a clear yes is a no."""
    decision: Any = mapping(reply.get("content")).get("decision")
    if reply.get("action") != "accept" or not isinstance(decision, str):
        return "no"
    return _choices(question).get(decision, "no")


def secret_params(text: str) -> dict[str, Any]:
    """An elicitation of one secret line."""
    secret = {"type": "string", "title": "Password"}
    schema = {"type": "object", "properties": {"password": secret}, "required": ["password"]}
    return {"message": text, "requestedSchema": schema}


def parse_secret(reply: dict[str, Any]) -> str | None:
    """The line that the person has typed; None: nothing, or more than one line."""
    typed: Any = mapping(reply.get("content")).get("password")
    if reply.get("action") != "accept" or not isinstance(typed, str) or not typed.isprintable():
        return None
    return typed


def caller_with(
    progress: Progress | None,
    elicit: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]] | None,
    tasks: Callable[[], Tasks] | None = None,
) -> Caller:
    """A caller whose client can be asked by an elicitation with these parameters."""
    if elicit is None:
        return SILENT if progress is None and tasks is None else Caller(progress, tasks=tasks)

    async def ask(question: Question) -> Answer:
        return parse_answer(await elicit(question_params(question)), question)

    async def ask_secret(text: str) -> str | None:
        return parse_secret(await elicit(secret_params(text)))

    return Caller(progress, ask, ask_secret, tasks)
