"""A model that says what it is told to: an HTTP server on loopback that clients take for their provider's.

It speaks as much of three APIs as the clients use: Anthropic's Messages, OpenAI's Responses and Gemini's
streamGenerateContent. Its script is a list of tool calls. Whenever a client asks it for the next message, it
answers with the call whose turn it is: as many as the conversation has results of. What the client shows it
as a result is what a real model would be shown; tests read it from `shown`.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Iterator

    Event = tuple[str | None, Any]  # its name, where an API names its events, and its data

LAST_WORDS = "The script is over."


class ToolCall(NamedTuple):
    """One step of the script. The tool is found by the end of its name: clients put a prefix before it."""

    tool: str
    arguments: dict[str, Any]


class Asked(NamedTuple):
    """A client's question, in the words that the three APIs share."""

    tools: list[str]
    results: list[Any]  # what the client shows as the results of tool calls, as it shows it


class ScriptedModel:
    """The provider, from `with` to its end. A test gives its `url` to a client."""

    def __init__(self, script: list[ToolCall]) -> None:
        self.script = script
        self.offered: list[str] = []  # the tools in the first question that had any
        self.shown: list[Any] = []  # of the longest conversation so far
        self.requests: list[tuple[str, Any]] = []
        self._server = ModelServer(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: Any) -> Iterator[Event]:
        """The events of one answer: their names, where the API names them, and their data."""
        self.requests.append((path, body))
        for ending, speak in APIS.items():
            if path.partition("?")[0].endswith(ending):
                read, say = speak
                asked = read(body)
                return say(*self._next(asked))
        return iter(())

    def _next(self, asked: Asked) -> tuple[ToolCall | None, int]:
        if asked.tools and not self.offered:
            self.offered = asked.tools
        if len(asked.results) > len(self.shown):
            self.shown = asked.results
        step = len(asked.results)
        if step >= len(self.script):
            return None, step
        wanted = self.script[step]
        names = [name for name in asked.tools if name.endswith(wanted.tool)]
        return (ToolCall(names[0], wanted.arguments) if names else None), step


# -- Anthropic: Messages


def _read_messages(body: Any) -> Asked:
    blocks = [
        block
        for message in body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
    ]
    results = [block for block in blocks if block["type"] == "tool_result"]
    return Asked([tool["name"] for tool in body.get("tools", [])], results)


def _say_messages(call: ToolCall | None, step: int) -> Iterator[Event]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    if call:
        block: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{step}", "name": call.tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": LAST_WORDS}
    message: dict[str, Any] = {
        "id": f"msg_{step}",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": [],
    }
    start: dict[str, Any] = {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": usage},
        {"type": "message_stop"},
    ]
    return ((event["type"], event) for event in events)


# -- OpenAI: Responses


def _read_responses(body: Any) -> Asked:
    results = [item for item in body["input"] if item.get("type") == "function_call_output"]
    names: list[str] = []
    for tool in body.get("tools", []):
        inner = tool.get("tools")  # of a namespace: Codex makes one of each server
        names += [f"{tool['name']}/{each['name']}" for each in inner] if inner else [tool.get("name", "")]
    return Asked(names, results)


def _say_responses(call: ToolCall | None, step: int) -> Iterator[Event]:
    if call:
        namespace, _, name = call.tool.rpartition("/")
        item: dict[str, Any] = {"type": "function_call", "call_id": f"call_{step}", "name": name}
        item |= {"namespace": namespace or None, "arguments": json.dumps(call.arguments)}
    else:
        item = {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": LAST_WORDS}],
        }
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    identity = {"id": f"resp_{step}"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": identity},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**identity, "usage": usage}},
    ]
    return ((event["type"], event) for event in events)


# -- Google: streamGenerateContent


def _read_gemini(body: Any) -> Asked:
    tools = [
        tool["name"] for group in body.get("tools", []) for tool in group.get("functionDeclarations", [])
    ]
    parts = [part for content in body["contents"] for part in content["parts"]]
    return Asked(tools, [part["functionResponse"] for part in parts if "functionResponse" in part])


def _say_gemini(call: ToolCall | None, _step: int) -> Iterator[Event]:
    part: dict[str, Any] = (
        {"functionCall": {"name": call.tool, "args": call.arguments}} if call else {"text": LAST_WORDS}
    )
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    yield (
        None,
        {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage},
    )


APIS = {
    "/v1/messages": (_read_messages, _say_messages),
    "/responses": (_read_responses, _say_responses),
    ":streamGenerateContent": (_read_gemini, _say_gemini),
}


# -- HTTP


class Handler(BaseHTTPRequestHandler):
    """One HTTP request; the server it came to knows the model."""

    server: ModelServer  # pyright: ignore[reportIncompatibleVariableOverride]  # the class says what it is made by

    def do_POST(self) -> None:
        """A question to the model."""
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        events = list(self.server.model.answer(self.path, body))
        self.send_response(200 if events else 404)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        for name, data in events:
            line = f"event: {name}\n" if name else ""
            self.wfile.write(f"{line}data: {json.dumps(data)}\n\n".encode())

    def do_GET(self) -> None:
        """Lists of models and the like: there are none."""
        self.send_error(404)

    def do_HEAD(self) -> None:
        """Whether the provider is there."""
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """The test's output is no access log."""


class ModelServer(ThreadingHTTPServer):
    """An HTTP server that knows its model."""

    def __init__(self, model: ScriptedModel) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.model = model
