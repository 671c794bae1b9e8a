"""The one module that imports the MCP SDK.

Its high-level server class is called `FastMCP` in specification 000 and in SDK 1; SDK 2 renamed it
`MCPServer` without changing what it is. We keep the specification's name here and nowhere else.

Above it: `server`. It shows our tools to the SDK, moves messages between the SDK and our transport, and
answers the calls of handshake clients itself, faster.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from typing import TYPE_CHECKING, Any, Self, cast

from nacre import sdk_tricks
from nacre.audit import log
from nacre.errors import Asking, NacreError
from nacre.tools.arguments import check
from nacre.tools.tool import Caller, Reply

sdk_tricks.apply()

# ruff: noqa: E402  # the tricks have to come first
import mcp_types as types
from mcp.server.mcpserver import MCPServer as FastMCP
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.request_state import RequestStateSecurity
from mcp.server.runner import serve_dual_era_loop, serve_loop
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

sdk_tricks.settle()

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from types import TracebackType

    from nacre.gate import Answer, Ask, Question
    from nacre.stdio import Message, Stdio
    from nacre.tools.tool import Progress, Tool

ASK_KEY, ASKED_STATE = "approve", "asked"
ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"


class _Shown(SdkTool):
    """One of our tools as the SDK sees it: our schemas, our checks, our reply."""

    def __init__(self, tool: Tool) -> None:
        super().__init__(
            fn=tool.call,
            name=tool.name,
            title=tool.title,
            description=tool.description,
            parameters=tool.input_schema,
            fn_metadata=FuncMetadata(arg_model=ArgModelBase),
            is_async=True,
            context_kwarg=None,
            annotations=types.ToolAnnotations.model_validate(tool.annotations),
        )
        object.__setattr__(self, "_tool", tool)  # not a field: pydantic is not to look at it

    @property
    def output_schema(self) -> dict[str, Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride]  # cached there
        """What structured results look like."""
        tool: Tool = object.__getattribute__(self, "_tool")
        return tool.output_schema

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002  # the SDK's signature
        tool: Tool = object.__getattribute__(self, "_tool")
        request = context.request_context
        caller = Caller(_progress_of(request.session, request.meta), _ask_of(context))
        try:
            return types.CallToolResult.model_validate(await answer(tool, arguments, caller))
        except NeedsAnswer as need:
            return types.InputRequiredResult(
                input_requests={ASK_KEY: types.ElicitRequest(params=_question_params(need.question))},
                request_state=ASKED_STATE,
            )


class NeedsAnswer(Asking):
    """The 2026 protocol asks by an answer of its own kind; the client then calls again with the reply."""

    def __init__(self, question: Question) -> None:
        super().__init__("the person is being asked")
        self.question = question


def _choices(question: Question) -> dict[str, Answer]:
    """What the person can choose, in words."""
    choices: dict[str, Answer] = {"run once": "once", "no": "no"}
    if question.rememberable:
        choices["allow this exact command for this session"] = "session"
    return choices


def _question(question: Question) -> dict[str, Any]:
    """An elicitation, as it goes over the wire."""
    decision = {"type": "string", "title": "Decision", "enum": list(_choices(question))}
    schema = {"type": "object", "properties": {"decision": decision}, "required": ["decision"]}
    return {"message": question.text, "requestedSchema": schema}


def _question_params(question: Question) -> Any:
    return types.ElicitRequestFormParams.model_validate(_question(question))


def _understood(reply: Any, question: Question) -> Answer:
    """What the person meant; anything but a clear yes is a no."""
    told: dict[str, Any] = cast("Any", reply) if isinstance(reply, dict) else reply.model_dump(by_alias=True)
    content: dict[str, Any] = told.get("content") or {}
    if told.get("action") != "accept":
        return "no"
    return _choices(question).get(content.get("decision", ""), "no")


def _ask_of(context: Any) -> Ask | None:
    """How to ask on the SDK's road: a request of our own to a handshake client, else a round of its own."""
    declared = context.client_capabilities
    if declared is None or declared.elicitation is None:
        return None
    modern = context.request_context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS

    async def ask(question: Question) -> Answer:
        if not modern:
            asked = _question(question)
            reply = await context.session.elicit_form(asked["message"], asked["requestedSchema"])
            return _understood(reply, question)
        replies: dict[str, Any] = context.input_responses or {}
        # Without the sealed state of this very call an answer was not given to our question.
        if ASK_KEY not in replies or context.request_state != ASKED_STATE:
            raise NeedsAnswer(question)
        return _understood(replies[ASK_KEY], question)

    return ask


async def answer(tool: Tool, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
    """Call a tool; what the caller can fix, or the policy forbids, is an error result that says so."""
    try:
        check(arguments, tool.input_schema)
        reply = await tool.call(arguments, caller)
    except NeedsAnswer:
        raise
    except NacreError as error:
        reply = Reply(str(error), is_error=True)
    except Exception:  # noqa: BLE001  # the SDK would send the exception's own text, which may hold secrets
        log.exception("the tool %s failed; please report this", tool.name)
        reply = Reply(
            f"nacre failed inside {tool.name}; its log has the details. The command may have run.",
            is_error=True,
        )
    result: dict[str, Any] = {"content": [{"type": "text", "text": reply.text}], "isError": reply.is_error}
    if reply.structured is not None:
        result["structuredContent"] = reply.structured
    return result


def _progress_of(session: Any, meta: Mapping[str, Any] | None) -> Progress | None:
    token = (meta or {}).get("progress_token")
    if token is None:
        return None

    async def progress(amount: float, message: str) -> None:
        await session.send_progress_notification(token, amount, message=message)

    return progress


class UnknownTool:
    """Middleware: an unknown tool is a protocol error (-32602), which the SDK answers as a tool's failure."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Refuse, or pass on."""
        params: dict[str, Any] = ctx.params or {}
        name = params.get("name")
        if ctx.method == "tools/call" and isinstance(name, str) and name not in self._names:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {name}")
        return await call_next(ctx)


class Express:
    """Answers `tools/call` of a client that has shaken hands, past the SDK's own machinery.

    The SDK moves every call through two streams, a task group, a cancel scope and four layers of models:
    0.3 ms, more than all of our own work. A call is simple: check, run, write. Everything else, and
    every 2026 client, takes the SDK's road, which gives the same answers (a test compares them).
    """

    def __init__(self, stdio: Stdio, tools: dict[str, Tool]) -> None:
        self._stdio = stdio
        self._tools = tools
        self._calls: dict[int | str, asyncio.Task[None]] = {}
        self._questions: dict[str, asyncio.Future[Any]] = {}
        self._asks = False  # whether the client's person can be asked
        self.greeted = False

    def take(self, message: Message) -> bool:
        """Whether this message is served here."""
        method = message.get("method")
        if method == "tools/call" and self.greeted:
            return self._take_call(message)
        if method is None:
            return self._take_reply(message)
        if method == "initialize":
            hello: dict[str, Any] = message.get("params") or {}
            capabilities: dict[str, Any] = hello.get("capabilities") or {}
            self._asks = capabilities.get("elicitation") is not None
        if method == "notifications/cancelled":
            params: dict[str, Any] = message.get("params") or {}
            call = self._calls.get(params.get("requestId", ""))
            if call is not None:
                call.cancel()
                return True
        return False

    def _take_call(self, message: Message) -> bool:
        params: dict[str, Any] = message.get("params", {})
        tool = self._tools.get(params.get("name", ""))
        arguments: Any = params.get("arguments", {})
        if tool is None or "id" not in message or not isinstance(arguments, dict) or "task" in params:
            return False
        meta: dict[str, Any] = params.get("_meta") or {}
        token = meta.get("progressToken")
        call = asyncio.create_task(self._answer(message["id"], tool, arguments, token))  # pyright: ignore[reportUnknownArgumentType]
        self._calls[message["id"]] = call
        return True

    async def _answer(
        self, identity: int | str, tool: Tool, arguments: dict[str, Any], token: int | str | None
    ) -> None:
        try:
            caller = Caller(
                None if token is None else self._progress(token), self._ask if self._asks else None
            )
            result = await answer(tool, arguments, caller)
            await self._stdio.send({"jsonrpc": "2.0", "id": identity, "result": result})
        finally:
            del self._calls[identity]

    def _take_reply(self, message: Message) -> bool:
        asked = self._questions.pop(str(message.get("id")), None)
        if asked is None:
            return False
        if not asked.done():
            asked.set_result(message.get("result") or {})
        return True

    async def _ask(self, question: Question) -> Answer:
        identity = f"nacre-{uuid.uuid4()}"
        asked = self._questions[identity] = asyncio.get_running_loop().create_future()
        params = _question(question)
        await self._stdio.send(
            {"jsonrpc": "2.0", "id": identity, "method": "elicitation/create", "params": params}
        )
        try:
            return _understood(await asked, question)
        except asyncio.CancelledError:
            self._questions.pop(identity, None)
            raise

    def _progress(self, token: int | str) -> Progress:
        async def progress(amount: float, message: str) -> None:
            params = {"progressToken": token, "progress": amount, "message": message}
            await self._stdio.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

        return progress


def build_server(name: str, version: str, instructions: str, tools: list[Tool]) -> Any:
    """The SDK's server with our tools in it."""
    app = FastMCP(
        name,
        version=version,
        instructions=instructions,
        tools=[_Shown(tool) for tool in tools],
        # On stdio there is no login that a question could be bound to.
        request_state_security=RequestStateSecurity(keys=[os.urandom(32)], bind_principal=None),
    )
    app.middleware.append(UnknownTool({tool.name for tool in tools}))
    return app


async def serve(app: Any, stdio: Stdio, tools: list[Tool]) -> None:
    """Drive the SDK's server over our transport until the conversation is over."""
    express = Express(stdio, {tool.name: tool for tool in tools})
    if not sdk_tricks.PLAIN:
        stdio.express = express.take
    low = app._lowlevel_server  # noqa: SLF001  # the SDK's own way to bring a transport; see its migration guide
    first = await stdio.receive()
    if first is None:
        return
    # A handshake client needs no era detection on every message, which costs two task switches each.
    loop = serve_dual_era_loop if _is_modern(first) or "method" not in first else serve_loop
    async with low.lifespan(low) as state:
        await loop(
            low,
            _Incoming(stdio, first),
            _Outgoing(stdio, express),
            lifespan_state=state,
            init_options=low.create_initialization_options(),
        )


def _is_modern(message: Message) -> bool:
    params: dict[str, Any] = message.get("params") or {}
    return ENVELOPE_KEY in (params.get("_meta") or {})


class _Ends:
    """What the SDK expects of a stream's end. Nothing is closed: the transport outlives the session."""

    async def aclose(self) -> None:
        """Leave it open."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        return None


class _Incoming(_Ends):
    """Our transport as the SDK's read stream."""

    def __init__(self, stdio: Stdio, first: Message) -> None:
        self._stdio = stdio
        self._first: Message | None = first

    async def receive(self) -> SessionMessage:
        """The next message, as the SDK wants it."""
        try:
            return await self.__anext__()
        except StopAsyncIteration:
            raise EOFError from None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage:
        message, self._first = self._first, None
        if message is None:
            message = await self._stdio.receive()
        if message is None:
            raise StopAsyncIteration
        return SessionMessage(_typed(message))


class _Outgoing(_Ends):
    """Our transport as the SDK's write stream."""

    def __init__(self, stdio: Stdio, express: Express) -> None:
        self._stdio = stdio
        self._express = express

    async def send(self, item: SessionMessage, /) -> None:
        """Write what the SDK has to say."""
        message = item.message
        if isinstance(message, types.JSONRPCResponse):
            if message.result.get("protocolVersion") in HANDSHAKE_PROTOCOL_VERSIONS:
                self._express.greeted = True  # the SDK has accepted the handshake
            await self._stdio.send({"jsonrpc": "2.0", "id": message.id, "result": message.result})
        else:
            await self._stdio.send(message.model_dump(by_alias=True, exclude_unset=True, mode="json"))


def _typed(message: Message) -> Any:
    """A message our transport has checked, without checking it a second time."""
    if "method" in message:
        kind = types.JSONRPCRequest if "id" in message else types.JSONRPCNotification
    else:
        kind = types.JSONRPCError if "error" in message else types.JSONRPCResponse
        if kind is types.JSONRPCError:
            return types.JSONRPCError.model_validate(message)
    return kind.model_construct(**message)


__all__ = ["Express", "FastMCP", "UnknownTool", "answer", "build_server", "serve"]
