"""nacre with what the conformance suite wants to find in a server: tools, prompts, resources of its names.

Run as a program it serves on stdin and stdout, like `nacre`. It is no part of the product: it is nacre's
server with more on its surface. What nacre's tools can do (text, errors, progress, schemas, questions to the
client) is done by tools of that kind, on the fast path. What nacre has no use for (resources, prompts with
arguments, completions, rounds of questions) is given to the SDK behind it, and the fast path leaves it there.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

from nacre import cli, server
from nacre.errors import RequestError
from nacre.model import record
from nacre.protocol import calls, conversation, modern, results
from nacre.protocol.connection import Connection, Era
from nacre.protocol.fast_path import FastPath
from nacre.protocol.results import NeedsAnswer
from nacre.tools import catalogue
from nacre.tools.surface import Prompt
from nacre.tools.tool import Caller, CallError, Reply, Tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.protocol.messages import Id
    from nacre.service import Service
    from nacre.tools.surface import Surface

PNG = base64.b64encode(
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\x90wS\xde\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0"
    b"\0\x03\x01\x01\0\xc9\xfe\x92\xef\0\0\0\0IEND\xaeB`\x82"
).decode()
WAV = base64.b64encode(
    b"RIFF&\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\x02\0\0\0\0\0"
).decode()
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
MISSING_CAPABILITY = -32021
LEFT_TO_SDK = ("prompts/", "resources/", "completion/", "logging/")
own_capabilities, own_call_result = results.capabilities, results.call_result
own_load_sdk = conversation._load_sdk  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # what it does, and more
connections: list[Connection] = []  # the one that is served


@record
class RichReply(Reply):
    """A reply with more than text in it."""

    content: tuple[dict[str, Any], ...] = ()


def rich_result(reply: Reply) -> dict[str, Any]:
    """What nacre makes of a reply, with other content where there is any."""
    result = own_call_result(reply)
    return {**result, "content": list(reply.content)} if isinstance(reply, RichReply) else result


def embedded(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    """A resource inside of a message."""
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


# -- tools of nacre's kind


def tool(name: str, call: Any, schema: dict[str, Any] | None = None) -> Tool:
    """One more tool."""
    return Tool(name, f"For the conformance suite: {name}.", schema or NO_ARGUMENTS, call)


def showing(*content: dict[str, Any]) -> Any:
    """A call that always answers with this."""

    async def call(_arguments: dict[str, Any], _caller: Caller) -> Reply:
        return RichReply("", content=content)

    return call


async def say_simply(_arguments: dict[str, Any], _caller: Caller) -> Reply:
    return Reply("This is a simple text response for testing.")


async def fail(_arguments: dict[str, Any], _caller: Caller) -> Reply:
    raise RequestError("This tool intentionally returns an error for testing")


async def tell_progress(_arguments: dict[str, Any], caller: Caller) -> Reply:
    if caller.progress is not None:
        for done in (0, 50, 100):
            await caller.progress(done, f"{done} of 100")
    return Reply("done")


async def tell_log(_arguments: dict[str, Any], _caller: Caller) -> Reply:
    for news in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        params = {"level": "info", "data": news}
        await connections[0].stdio.send(
            {"jsonrpc": "2.0", "method": "notifications/message", "params": params}
        )
    return Reply("done")


async def sample(arguments: dict[str, Any], _caller: Caller) -> Reply:
    message = {"role": "user", "content": {"type": "text", "text": arguments["prompt"]}}
    said = await connections[0].request("sampling/createMessage", {"messages": [message], "maxTokens": 100})
    return Reply(f"LLM response: {said['content']['text']}")


def eliciting(properties: dict[str, Any]) -> Any:
    """A call that asks the client's person for these."""

    async def call(arguments: dict[str, Any], _caller: Caller) -> Reply:
        schema: dict[str, Any] = {"type": "object", "properties": properties}
        asked: dict[str, Any] = {
            "message": arguments.get("message", "Please answer"),
            "requestedSchema": schema,
        }
        answer = await connections[0].request("elicitation/create", asked)
        content = json.dumps(answer.get("content", {}))
        return Reply(f"Elicitation completed: action={answer.get('action')}, content={content}")

    return call


async def miss_capability(_arguments: dict[str, Any], _caller: Caller) -> Reply:
    raise CallError(MISSING_CAPABILITY, "This needs sampling", {"requiredCapabilities": {"sampling": {}}})


async def leave_to_sdk(_arguments: dict[str, Any], _caller: Caller) -> Reply:
    """Nothing has run yet, and the client has to be asked: from here the SDK goes on."""
    raise NeedsAnswer(None)  # pyright: ignore[reportArgumentType]  # the SDK's own tool of this name will ask


def text_argument(name: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


def choice(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def titled(**titles: str) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in titles.items()]


WITH_DEFAULTS: dict[str, Any] = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {**choice("active", "inactive", "pending"), "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
ENUMS: dict[str, Any] = {
    "untitledSingle": choice("option1", "option2", "option3"),
    "titledSingle": {"type": "string", "oneOf": titled(value1="First", value2="Second", value3="Third")},
    "legacyEnum": {**choice("opt1", "opt2", "opt3"), "enumNames": ["One", "Two", "Three"]},
    "untitledMulti": {"type": "array", "items": choice("option1", "option2", "option3")},
    "titledMulti": {"type": "array", "items": {"anyOf": titled(value1="First", value2="Second")}},
}
SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
TEXT_RESOURCE = embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
MIXED = (
    {"type": "text", "text": "Multiple content types test:"},
    IMAGE,
    embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
)


def own_tools(surface: Surface) -> list[Tool]:
    """The tools that are nacre's own kind, and the names of those that the SDK has."""

    async def change_tools(_arguments: dict[str, Any], _caller: Caller) -> Reply:
        await surface.offer_tools(list(surface.tools.values()))
        return Reply("changed")

    return [
        tool("test_simple_text", say_simply),
        tool("test_image_content", showing(IMAGE)),
        tool("test_audio_content", showing({"type": "audio", "data": WAV, "mimeType": "audio/wav"})),
        tool("test_embedded_resource", showing(TEXT_RESOURCE)),
        tool("test_multiple_content_types", showing(*MIXED)),
        tool("test_error_handling", fail),
        tool("test_tool_with_progress", tell_progress),
        tool("test_tool_with_logging", tell_log),
        tool("test_logging_tool", say_simply),
        tool("test_sampling", sample, text_argument("prompt")),
        tool("test_elicitation", eliciting({"username": {"type": "string"}}), text_argument("message")),
        tool("test_elicitation_sep1034_defaults", eliciting(WITH_DEFAULTS)),
        tool("test_elicitation_sep1330_enums", eliciting(ENUMS)),
        tool("test_missing_capability", miss_capability),
        tool("test_trigger_tool_change", change_tools),
        tool("json_schema_2020_12_tool", say_simply, SCHEMA_2020_12),
        *(tool(name, leave_to_sdk) for name in ROUNDS),
        tool("test_trigger_prompt_change", leave_to_sdk),
    ]


# -- what the SDK has behind nacre


def elicitation(message: str, name: str, kind: str) -> dict[str, Any]:
    """A question to the person, inside of a result."""
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(text: str, most: int) -> dict[str, Any]:
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": most}}


ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}
ASK_NAME = elicitation("What is your name?", "name", "string")
# For each tool its rounds: what it asks in each, by key. With a state, it must come back unchanged.
ROUNDS: dict[str, tuple[dict[str, Any], ...]] = {
    "test_input_required_result_elicitation": ({"user_name": ASK_NAME},),
    "test_input_required_result_sampling": (
        {"capital_question": sampling("What is the capital of France?", 100)},
    ),
    "test_input_required_result_list_roots": ({"client_roots": ROOTS},),
    "test_input_required_result_request_state": (
        {"confirm": elicitation("Please confirm", "ok", "boolean")},
    ),
    "test_input_required_result_tampered_state": (
        {"confirm": elicitation("Please confirm", "ok", "boolean")},
    ),
    "test_input_required_result_multiple_inputs": (
        {"user_name": ASK_NAME, "greeting": sampling("Generate a greeting", 50), "client_roots": ROOTS},
    ),
    "test_input_required_result_multi_round": (
        {"step1": elicitation("Step 1: What is your name?", "name", "string")},
        {"step2": elicitation("Step 2: What is your favorite color?", "color", "string")},
    ),
    "test_input_required_result_capabilities": (
        {"user_name": ASK_NAME, "greeting": sampling("Generate a greeting", 50)},
    ),
    "test_streaming_elicitation": ({"user_name": ASK_NAME},),
}
STATELESS = ("test_input_required_result_elicitation", "test_input_required_result_sampling")
CAPABILITY = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}


def next_round(name: str, context: Any) -> Any:
    """What a tool still has to ask, or its last words."""
    import mcp_types as types  # noqa: PLC0415  # as nacre does: not before somebody needs it

    replies: dict[str, Any] = context.input_responses or {}
    for number, asked in enumerate(ROUNDS[name]):
        if asked.keys() <= replies.keys() or (context.request_state or "") > f"{name} {number}":
            continue
        state = None if name in STATELESS else f"{name} {number}"
        return types.InputRequiredResult.model_validate(
            {"inputRequests": askable(asked, context), "requestState": state}
        )
    answers = json.dumps({key: reply.model_dump(mode="json") for key, reply in replies.items()})
    return f"state-ok {answers}"


def askable(asked: dict[str, Any], context: Any) -> dict[str, Any]:
    """Of several questions, those that the client can answer; a single one is asked whoever it is."""
    able = context.client_capabilities
    if len(asked) == 1:
        return asked
    return {
        key: question
        for key, question in asked.items()
        if getattr(able, CAPABILITY[question["method"]], None) is not None
    }


def sdk_tool(name: str) -> Any:
    """A tool as the SDK makes them."""
    from mcp.server.mcpserver import Context  # noqa: PLC0415  # as nacre does
    from mcp.server.mcpserver.tools import Tool as SdkTool  # noqa: PLC0415

    async def call(context: Context) -> Any:
        if name in ROUNDS:
            return next_round(name, context)
        await context.notify_prompts_changed()
        return "changed"

    call.__annotations__ = {"context": Context, "return": Any}
    return SdkTool.from_function(
        call, name=name, description="For the conformance suite.", structured_output=False
    )


def add_to_sdk(app: Any) -> None:
    """Resources, prompts, completions and the level of a log."""
    import mcp_types as types  # noqa: PLC0415
    from mcp.server.mcpserver.prompts.base import UserMessage  # noqa: PLC0415  # as nacre does

    text = "This is the content of the static text resource."
    app.resource("test://static-text", name="text", mime_type="text/plain")(lambda: text)
    app.resource("test://static-binary", name="binary", mime_type="image/png")(lambda: base64.b64decode(PNG))
    app.resource("test://watched-resource", name="watched", mime_type="text/plain")(lambda: text)

    @app.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002  # the suite's name
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})

    def message(content: dict[str, Any]) -> UserMessage:
        return UserMessage(types.PromptMessage.model_validate({"role": "user", "content": content}).content)

    @app.prompt(description="For the conformance suite.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @app.prompt(description="For the conformance suite.")
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[Any]:  # noqa: N803  # the suite's name
        resource = embedded(resourceUri, "text/plain", "Embedded resource content for testing.")
        return [message(resource), UserMessage("Please process the embedded resource above.")]

    @app.prompt(description="For the conformance suite.")
    def test_prompt_with_image() -> list[Any]:
        return [message(IMAGE), UserMessage("Please analyze the image above.")]

    @app.completion()
    async def complete(ref: Any, argument: Any, context: Any) -> Any:
        del ref, argument, context
        return types.Completion(values=["paris", "park"], total=2, has_more=False)

    add_asking_prompt(app)


def add_asking_prompt(app: Any) -> None:
    """A prompt that asks before it says anything."""
    import mcp_types as types  # noqa: PLC0415  # as nacre does
    from mcp.server.mcpserver import Context  # noqa: PLC0415

    async def ask(context: Context) -> Any:
        if replies := context.input_responses:
            return f"Context: {replies['user_context'].model_dump(mode='json')}"
        asked = {"user_context": elicitation("What context should the prompt use?", "context", "string")}
        return types.InputRequiredResult.model_validate({"inputRequests": asked})

    ask.__annotations__ = {"context": Context, "return": Any}
    app.prompt(name="test_input_required_result_prompt", description="It asks first.")(ask)


def with_fixtures(sdk: Any) -> None:
    """Put them into the SDK's server whenever nacre builds one."""
    build, shown = sdk.build_server, sdk._Shown  # noqa: SLF001  # the one place where tools become the SDK's

    class Server(sdk.FastMCP):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)  # pyright: ignore[reportUnknownMemberType]  # loaded late
            add_to_sdk(self)
            self.handlers = dict(self._lowlevel_server._request_handlers)  # noqa: SLF001  # nacre removes some

    def build_server(connection: Connection) -> Any:
        app = build(connection)
        app._lowlevel_server._request_handlers.update(app.handlers)  # noqa: SLF001
        return app

    of_sdk = {*ROUNDS, "test_trigger_prompt_change"}

    def show(tool: Tool, calls: Any) -> Any:
        return sdk_tool(tool.name) if tool.name in of_sdk else shown(tool, calls)

    sdk._Shown = show  # noqa: SLF001  # as above
    sdk.FastMCP, sdk.build_server = Server, build_server


# -- the same for clients that shake hands, each of which has a process: it is spared the SDK

TEXT = "This is the content of the static text resource."
PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
}


def read_resource(params: dict[str, Any]) -> dict[str, Any]:
    uri: str = params["uri"]
    if uri == "test://static-binary":
        return {"contents": [{"uri": uri, "mimeType": "image/png", "blob": PNG}]}
    if uri.startswith("test://template/"):
        number = uri.split("/")[3]
        data = json.dumps({"id": number, "templateTest": True, "data": f"Data for ID: {number}"})
        return {"contents": [{"uri": uri, "mimeType": "application/json", "text": data}]}
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": TEXT}]}


def get_prompt(params: dict[str, Any]) -> dict[str, Any]:
    given = params.get("arguments", {})
    embedding = embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing.")
    with_arguments = f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
    content = {
        "test_simple_prompt": [text_block("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [text_block(with_arguments)],
        "test_prompt_with_embedded_resource": [embedding, text_block("Please process it.")],
        "test_prompt_with_image": [IMAGE, text_block("Please analyze the image above.")],
    }
    return {"messages": [{"role": "user", "content": block} for block in content[params["name"]]]}


def text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def listed_prompt(name: str) -> dict[str, Any]:
    arguments = [{"name": argument, "required": True} for argument in PROMPTS[name]]
    return {"name": name, "description": "For the conformance suite.", "arguments": arguments}


def listed_resource(name: str, mime_type: str) -> dict[str, Any]:
    return {"uri": f"test://{name}", "name": name, "mimeType": mime_type}


PLAINLY_ANSWERED: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "prompts/list": lambda _: {"prompts": [listed_prompt(name) for name in PROMPTS]},
    "prompts/get": get_prompt,
    "resources/list": lambda _: {
        "resources": [
            listed_resource("static-text", "text/plain"),
            listed_resource("static-binary", "image/png"),
            listed_resource("watched-resource", "text/plain"),
        ]
    },
    "resources/read": read_resource,
    "resources/subscribe": lambda _: {},
    "resources/unsubscribe": lambda _: {},
    "completion/complete": lambda _: {"completion": {"values": ["paris"], "total": 1, "hasMore": False}},
    "logging/setLevel": lambda _: {},
}


# -- nacre with all of it


class FixturePath(FastPath):
    """The fast path, which leaves to the SDK what only the fixtures have."""

    def _take_in_its_era(self, method: str, identity: Id, params: dict[str, Any]) -> bool:
        connection = self._connection
        if connection.era is Era.UNDECIDED and modern.has_envelope(params):
            connection.era = Era.MODERN
        if connection.era is Era.HANDSHAKE and method in PLAINLY_ANSWERED:
            connection.answer(identity, PLAINLY_ANSWERED[method](params))
            return True
        if connection.era is Era.MODERN and method.startswith(LEFT_TO_SDK):
            return False
        return super()._take_in_its_era(method, identity, params)


def register(surface: Surface, service: Service) -> None:
    """nacre's own tools, and those of the suite."""
    catalogue.register(surface, service)
    surface.add(*own_tools(surface))
    simple = Prompt(
        "test_simple_prompt", "Simple", "No arguments", lambda: "This is a simple prompt for testing."
    )
    surface.prompts[simple.name] = simple


def capabilities(surface: Surface) -> dict[str, Any]:
    """nacre's own, and those of the suite."""
    more = {"completions": {}, "logging": {}, "resources": {"subscribe": True}}
    return dict(sorted({**own_capabilities(surface), **more}.items()))


def modern_capabilities(surface: Surface) -> dict[str, Any]:
    """The same, of the protocol of 2026."""
    return {**own_capabilities(surface), "completions": {}, "resources": {}}


async def load_sdk() -> Any:
    """The SDK's side, with the suite's fixtures in it."""
    sdk = await own_load_sdk()
    with_fixtures(sdk)
    return sdk


def connect(*arguments: Any) -> Connection:
    """The connection, known to the tools that ask the client."""
    connections.append(Connection(*arguments))
    return connections[-1]


# All that is put in the place of something else, by the module that uses it.
IN_PLACE: tuple[tuple[Any, str, Any], ...] = (
    (server, "register", register),
    (server, "Connection", connect),
    (results, "capabilities", capabilities),
    (modern, "capabilities", modern_capabilities),
    (calls, "call_result", rich_result),
    (conversation, "FastPath", FixturePath),
    (conversation, "_load_sdk", load_sdk),
)

if __name__ == "__main__":
    for module, name, replacement in IN_PLACE:
        setattr(module, name, replacement)
    cli.main()
