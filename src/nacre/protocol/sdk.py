"""The one module that imports the MCP SDK.

Its high-level server class is called `FastMCP` in specification 000 and in SDK 1; SDK 2 renamed it
`MCPServer` without changing what it is. We keep the specification's name here and nowhere else.

Above it: `server`. It shows our tools to the SDK, moves messages between the SDK and our transport, and
answers the calls of handshake clients itself, faster.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from nacre.audit import log
from nacre.protocol import sdk_tricks
from nacre.protocol.fast_path import (
    Express,
    NeedsAnswer,
    answer,
    mapping,
    named_error,
    question_params,
    understood,
)
from nacre.protocol.messages import FAILED, INTERNAL_ERROR, is_id
from nacre.protocol.roots import first_root
from nacre.tools.tool import Caller, CallError

sdk_tricks.apply()

# ruff: noqa: E402  # the tricks have to come first
import mcp_types as types
from mcp.server.lowlevel import NotificationOptions
from mcp.server.mcpserver import MCPServer as FastMCP
from mcp.server.mcpserver.tools import Tool as SdkTool
from mcp.server.mcpserver.tools.tool_manager import ToolManager
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.request_state import RequestStateSecurity
from mcp.server.runner import serve_dual_era_loop, serve_loop
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

sdk_tricks.settle()

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from types import TracebackType

    from nacre.gate import Answer, Ask, Question
    from nacre.protocol.messages import Id, Message
    from nacre.protocol.stdio import Stdio
    from nacre.tools.surface import Prompt, Surface
    from nacre.tools.tool import Progress, Tool

ASK_KEY, ASKED_STATE = "approve", "asked"
ROOTS_KEY, ROOTS_STATE = "roots", "asked for roots"
SILENT_KEY = "nacre/silent"  # on a result, between a tool and the middleware: isError is not to be sent
ENVELOPE_KEY = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"  # a request's id, on what follows from it


class _Shown(SdkTool):
    """One of our tools as the SDK sees it: our schemas, our checks, our reply."""

    def __init__(self, tool: Tool, surface: Surface) -> None:
        super().__init__(
            fn=tool.call,
            name=tool.name,
            title=tool.title,
            description=tool.description,
            parameters=tool.input_schema,
            fn_metadata=FuncMetadata(arg_model=ArgModelBase),
            is_async=True,
            context_kwarg=None,
            annotations=types.ToolAnnotations.model_validate(tool.annotations) if tool.annotations else None,
        )
        object.__setattr__(self, "_tool", tool)  # not a field: pydantic is not to look at it
        object.__setattr__(self, "_surface", surface)

    @property
    def output_schema(self) -> dict[str, Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride]  # cached there
        """What structured results look like."""
        tool: Tool = object.__getattribute__(self, "_tool")
        return tool.output_schema

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002  # the SDK's signature
        tool: Tool = object.__getattribute__(self, "_tool")
        if _must_ask_for_roots(object.__getattribute__(self, "_surface"), context):
            return types.InputRequiredResult(
                input_requests={ROOTS_KEY: types.ListRootsRequest()}, request_state=ROOTS_STATE
            )
        request = context.request_context
        caller = Caller(_progress_of(request.session, request.params), _ask_of(context))
        try:
            result = await answer(tool, arguments, caller)
            if "isError" not in result:
                result["_meta"] = {**result.get("_meta", {}), SILENT_KEY: True}
            return types.CallToolResult.model_validate(result)
        except CallError as error:
            raise _protocol_error(error) from None
        except NeedsAnswer as need:
            return types.InputRequiredResult(
                input_requests={ASK_KEY: _elicitation(need.question)},
                request_state=ASKED_STATE,
            )


def _must_ask_for_roots(surface: Surface, context: Any) -> bool:
    """Whether a 2026 client has to be asked first, by the answer to its call; takes the reply if it is there.

    Handshake clients are asked by a request, on the short road.
    """
    on_root, declared = surface.on_root, context.client_capabilities
    if on_root is None or declared is None or declared.roots is None or not _modern(context):
        return False
    replies: dict[str, Any] = context.input_responses or {}
    if ROOTS_KEY not in replies:  # a client that was asked and says nothing has none
        return context.request_state != ROOTS_STATE
    surface.on_root = None  # nobody has to know it any more
    root = first_root(replies[ROOTS_KEY].model_dump(by_alias=True, mode="json"))
    if root is not None:
        on_root(root)
    return False


def _modern(context: Any) -> bool:
    return context.request_context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS


def _protocol_error(error: CallError) -> MCPError:
    return MCPError(code=error.code, message=error.message, data=error.data)


def _elicitation(question: Question) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams.model_validate(question_params(question)))


def _ask_of(context: Any) -> Ask | None:
    """How to ask on the SDK's road: a request of our own to a handshake client, else a round of its own."""
    declared = context.client_capabilities
    if declared is None or declared.elicitation is None:
        return None
    modern = _modern(context)

    async def ask(question: Question) -> Answer:
        if not modern:
            asked = question_params(question)
            try:
                reply = await context.session.elicit_form(asked["message"], asked["requestedSchema"])
            except (MCPError, ValidationError):  # the client's own error, or no answer to that question
                return "no"
            return understood(reply, question)
        replies: dict[str, Any] = context.input_responses or {}
        # Without the sealed state of this very call an answer was not given to our question.
        if ASK_KEY not in replies or context.request_state != ASKED_STATE:
            raise NeedsAnswer(question)
        return understood(replies[ASK_KEY], question)

    return ask


def _progress_of(session: Any, params: Mapping[str, Any] | None) -> Progress | None:
    token = mapping(mapping(params).get("_meta")).get("progressToken")  # as it came: the SDK makes true a 1
    if not is_id(token):
        return None

    async def progress(amount: float, message: str) -> None:
        await session.send_progress_notification(token, amount, message=message)

    return progress


class Calls:
    """Middleware: calls that reach no tool are protocol errors (-32602) that say what is wrong.

    The SDK answers an unknown tool as a tool's failure, and the others without a reason. It also says
    `isError` where a document's reply has none.
    """

    def __init__(self, surface: Surface) -> None:
        self._surface = surface

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Refuse, or pass on."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        self._check(mapping(ctx.params))
        result = await call_next(ctx)
        meta = mapping(mapping(result).get("_meta"))
        if meta.pop(SILENT_KEY, None):
            del result["isError"]
            if not meta:
                del result["_meta"]
        return result

    def _check(self, params: dict[str, Any]) -> None:
        surface, name = self._surface, params.get("name")
        if not isinstance(name, str):
            raise _refused(surface.bad_call, "Missing tool name: `name` must be a string")
        if name not in surface.tools:
            if surface.unknown_tool:
                raise _refused(surface.unknown_tool, f"there is no tool '{name}'")
            raise _refused("", f"Unknown tool: {name}")
        if not isinstance(params.get("arguments", {}), dict):
            raise _refused(surface.bad_call, "`arguments` must be an object")


def _refused(name: str, message: str) -> MCPError:
    return _protocol_error(named_error(name, message) if name else CallError(types.INVALID_PARAMS, message))


def build_server(surface: Surface) -> Any:
    """The SDK's server with our tools in it, and nothing offered that is not there."""
    app: Any = FastMCP(
        surface.name,
        version=surface.version,
        instructions=surface.instructions or None,
        tools=[_Shown(tool, surface) for tool in surface.tools.values()],
        # On stdio there is no login that a question could be bound to.
        request_state_security=RequestStateSecurity(keys=[os.urandom(32)], bind_principal=None),
    )
    app.middleware.append(Calls(surface))
    for prompt in surface.prompts.values():
        app.add_prompt(_shown_prompt(prompt))
    handlers = app._lowlevel_server._request_handlers  # noqa: SLF001  # what is served is what is told
    absent = ("resources/",) if surface.prompts else ("resources/", "prompts/")
    for method in [name for name in handlers if name.startswith(absent)]:
        del handlers[method]
    return app


def _shown_prompt(prompt: Prompt) -> Any:
    from mcp.server.mcpserver.prompts import Prompt as SdkPrompt  # noqa: PLC0415  # few presets have one

    return SdkPrompt.from_function(
        prompt.text, name=prompt.name, title=prompt.title, description=prompt.description
    )


async def serve(app: Any, stdio: Stdio, surface: Surface) -> None:
    """Drive the SDK's server over our transport until the conversation is over."""
    express = Express(stdio, surface, takes_calls=not sdk_tricks.PLAIN)
    stdio.express = express.take
    surface.on_change = lambda: _tell_change(app, stdio, surface, greeted=express.greeted)
    low = app._lowlevel_server  # noqa: SLF001  # the SDK's own way to bring a transport; see its migration guide
    first = await stdio.receive()
    if first is None:
        return
    # A handshake client needs no era detection on every message, which costs two task switches each.
    tells_era = "method" in first and "id" in first
    loop = serve_loop if tells_era and not _is_modern(first) else serve_dual_era_loop
    async with low.lifespan(low) as state:
        await loop(
            low,
            _Incoming(stdio, first),
            _Outgoing(stdio, express),
            lifespan_state=state,
            init_options=low.create_initialization_options(
                NotificationOptions(tools_changed=surface.tools_change)
            ),
        )


async def _tell_change(app: Any, stdio: Stdio, surface: Surface, *, greeted: bool) -> None:
    """Other tools are shown from now on: put them into the SDK's server, and tell the client in its way."""
    app._tool_manager = ToolManager(tools=[_Shown(tool, surface) for tool in surface.tools.values()])  # noqa: SLF001  # no way to replace them
    if greeted:
        await stdio.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    await app._subscriptions.publish(ToolsListChanged())  # noqa: SLF001  # 2026: to whoever listens


def _is_modern(message: Message) -> bool:
    return ENVELOPE_KEY in mapping(mapping(message.get("params")).get("_meta"))


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
        while True:
            message, self._first = self._first, None
            if message is None:
                message = await self._stdio.receive()
            if message is None:
                raise StopAsyncIteration
            if (typed := _typed(message)) is not None:
                return SessionMessage(typed)


class _Outgoing(_Ends):
    """Our transport as the SDK's write stream."""

    def __init__(self, stdio: Stdio, express: Express) -> None:
        self._stdio = stdio
        self._express = express

    async def send(self, item: SessionMessage, /) -> None:
        """Write what the SDK has to say."""
        try:
            told = self._told(item.message)
        except Exception:  # noqa: BLE001  # an exception here would end the SDK's loop, and the server
            log.exception("an answer could not be written; please report this")
            told = {"jsonrpc": "2.0", "id": _as_sent(getattr(item.message, "id", None)), "error": FAILED}
        await self._stdio.send(told)

    def _told(self, message: Any) -> Message:
        if isinstance(message, types.JSONRPCResponse):
            identity, result = self._arrived(message), message.result
            if result.get("protocolVersion") in HANDSHAKE_PROTOCOL_VERSIONS:
                self._express.greeted = True  # the SDK has accepted the handshake
                _without_noes(result)
            _restore_subscription(result)
            return {"jsonrpc": "2.0", "id": identity, "result": result}
        told: Message = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if isinstance(message, types.JSONRPCError):
            told["id"] = self._arrived(message)
            _name_the_method(told["error"])
        else:
            _restore_subscription(mapping(told.get("params")))
        return told

    def _arrived(self, message: Any) -> Id | None:
        identity = _as_sent(message.id)
        self._express.arrived(identity)
        return identity


def _restore_subscription(told: dict[str, Any]) -> None:
    meta = mapping(told.get("_meta"))
    if SUBSCRIPTION_KEY in meta:
        meta[SUBSCRIPTION_KEY] = _as_sent(meta[SUBSCRIPTION_KEY])


def _name_the_method(error: dict[str, Any]) -> None:
    """An unknown method is named in the message (specification 002), where a person reads it."""
    if error.get("code") == types.METHOD_NOT_FOUND and error.get("message") == "Method not found":
        error["message"] = f"Method not found: {error.pop('data', '')}".removesuffix(": ")


def _without_noes(result: dict[str, Any]) -> None:
    """What a server does not do is not worth a word in its capabilities (specification 002 shows none)."""
    result["capabilities"] = {
        area: {name: flag for name, flag in flags.items() if flag is not False}
        for area, flags in mapping(result.get("capabilities")).items()
    }


def _for_sdk(identity: Id) -> Id:
    """An id that the SDK, to whom 7 and "7" are one, does not take for another."""
    return f"={identity}" if isinstance(identity, str) else identity


def _as_sent(identity: Id | None) -> Id | None:
    return identity[1:] if isinstance(identity, str) else identity


def _typed(message: Message) -> Any:
    """A message our transport has checked, without checking it a second time; None: it is nobody's."""
    if "method" not in message:
        return _typed_answer(message)
    fields: Message = {"jsonrpc": "2.0", "method": message["method"]}
    if "params" in message:
        fields["params"] = message["params"]
    if "id" in message:
        return types.JSONRPCRequest.model_construct(**fields, id=_for_sdk(message["id"]))
    if message["method"] == "notifications/cancelled":
        params: Message = fields["params"]  # of a request that is there
        fields["params"] = {**params, "requestId": _for_sdk(params["requestId"])}
    return types.JSONRPCNotification.model_construct(**fields)


def _typed_answer(message: Message) -> Any:
    """An answer to a request of the SDK's, which numbers them; whatever is wrong with it, it ends a wait."""
    identity = message["id"]
    if not isinstance(identity, int):
        return None
    if "error" not in message:
        result = mapping(message["result"])
        return types.JSONRPCResponse.model_construct(jsonrpc="2.0", id=identity, result=result)
    told = mapping(message["error"])
    code, text = told.get("code"), told.get("message")
    error = types.ErrorData.model_construct(
        code=code if isinstance(code, int) else INTERNAL_ERROR,
        message=text if isinstance(text, str) else "",
        data=told.get("data"),
    )
    return types.JSONRPCError.model_construct(jsonrpc="2.0", id=identity, error=error)


__all__ = ["Calls", "FastMCP", "build_server", "serve"]
