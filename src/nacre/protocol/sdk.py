"""The one module that imports the MCP SDK.

Its high-level server class is called `FastMCP` in specification 000 and in SDK 1; SDK 2 renamed it
`MCPServer` without changing what it is. We keep the specification's name here and nowhere else.

Above it: `conversation`, which loads it when a message comes that the fast path does not know. It shows our
tools to the SDK and moves messages between the SDK and our transport. A client that has shaken hands with the
fast path shakes hands with the SDK once more, without knowing it.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from typing import TYPE_CHECKING, Any, Self

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
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from nacre.protocol import modern
from nacre.protocol.calls import answer
from nacre.protocol.connection import ANONYMOUS, Era
from nacre.protocol.fast_path import INITIALISED, LISTEN, REPLAY_ID
from nacre.protocol.handshake import handshake_again
from nacre.protocol.heartbeat import Heartbeat
from nacre.protocol.messages import FAILED, INTERNAL_ERROR, is_id
from nacre.protocol.resource_requests import requests_of
from nacre.protocol.results import NeedsAnswer, caller_with, check_call, mapping
from nacre.protocol.roots import first_root
from nacre.protocol.subscriptions import SUBSCRIPTION_KEY
from nacre.stderr import log
from nacre.tools.tool import CallError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from types import TracebackType

    from nacre.protocol.connection import Connection
    from nacre.protocol.messages import Id, Message
    from nacre.protocol.resource_requests import Watch
    from nacre.protocol.stdio import Stdio
    from nacre.tools.surface import Prompt
    from nacre.tools.tasks import Tasks
    from nacre.tools.tool import Tool

ASK_KEY, ASKED_STATE = "approve", "asked"
ROOTS_KEY, ROOTS_STATE = "roots", "asked for roots"


class _Shown(SdkTool):
    """One of our tools as the SDK sees it: our schemas, our checks, our reply."""

    def __init__(self, tool: Tool, calls: Calls) -> None:
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
            meta=tool.meta,
        )
        object.__setattr__(self, "_tool", tool)  # not a field: pydantic is not to look at it
        object.__setattr__(self, "_calls", calls)

    @property
    def output_schema(self) -> dict[str, Any] | None:  # pyright: ignore[reportIncompatibleVariableOverride]  # cached there
        """What structured results look like."""
        tool: Tool = object.__getattribute__(self, "_tool")
        return tool.output_schema

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:  # noqa: ARG002, FBT001, FBT002  # the SDK's signature
        tool: Tool = object.__getattribute__(self, "_tool")
        calls: Calls = object.__getattribute__(self, "_calls")
        if _must_ask_for_roots(calls.connection, context):
            return types.InputRequiredResult(
                input_requests={ROOTS_KEY: types.ListRootsRequest()}, request_state=ROOTS_STATE
            )
        request = context.request_context
        heartbeat = _heartbeat_of(request.session, request.params)
        tasks = _tasks_of(calls.connection, context)
        caller = caller_with(None if heartbeat is None else heartbeat.tell, _elicit_of(context), tasks)
        try:
            meta = mapping(mapping(request.params).get("_meta"))
            result = await answer(tool, arguments, caller, meta)
            if result.get("resultType") == "task":
                calls.tasks[request.request_id] = result
                return types.CallToolResult(content=[])  # the middleware sends the task instead
            if "isError" not in result:
                calls.silent.add(request.request_id)
            return types.CallToolResult.model_validate(result)
        except CallError as error:
            raise _protocol_error(error) from None
        except NeedsAnswer as need:
            return types.InputRequiredResult(
                input_requests={ASK_KEY: _elicitation(need.params)},
                request_state=ASKED_STATE,
            )
        finally:
            if heartbeat is not None:
                heartbeat.stop()


def _must_ask_for_roots(connection: Connection, context: Any) -> bool:
    """Whether a 2026 client has to be asked first, by the answer to its call; takes the reply if it is there.

    Handshake clients are asked by a request, on the fast path.
    """
    on_root, declared = connection.on_root, context.client_capabilities
    if on_root is None or declared is None or declared.roots is None or not _modern(context):
        return False
    replies: dict[str, Any] = context.input_responses or {}
    if ROOTS_KEY not in replies:  # a client that was asked and says nothing has none
        return context.request_state != ROOTS_STATE
    connection.on_root = None  # it has been delivered
    root = first_root(replies[ROOTS_KEY].model_dump(by_alias=True, mode="json"))
    if root is not None:
        on_root(root)
    return False


def _modern(context: Any) -> bool:
    return context.request_context.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS


def _protocol_error(error: CallError) -> MCPError:
    return MCPError(code=error.code, message=error.message, data=error.data)


def _elicitation(params: dict[str, Any]) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams.model_validate(params))


def _elicit_of(context: Any) -> Callable[[dict[str, Any]], Awaitable[dict[str, Any]]] | None:
    """How to ask on the SDK's road: a request of our own to a handshake client, else a round of its own."""
    declared = context.client_capabilities
    if declared is None or declared.elicitation is None:
        return None
    is_modern = _modern(context)

    async def elicit(params: dict[str, Any]) -> dict[str, Any]:
        if not is_modern:
            try:
                reply = await context.session.elicit_form(params["message"], params["requestedSchema"])
            except (MCPError, ValidationError):  # the client's own error, or no answer to that question
                return {}
            return reply.model_dump(by_alias=True)
        replies: dict[str, Any] = context.input_responses or {}
        # Without the sealed state of this very call an answer was not given to our question.
        if ASK_KEY not in replies or context.request_state != ASKED_STATE:
            raise NeedsAnswer(params)
        return replies[ASK_KEY].model_dump(by_alias=True)

    return elicit


def _tasks_of(connection: Connection, context: Any) -> Callable[[], Tasks] | None:
    """Where a 2026 client takes tasks."""
    declared = context.client_capabilities
    extensions = declared.extensions if declared is not None else None
    return connection.surface.tasks if modern.TASKS_EXTENSION in (extensions or {}) else None


def _heartbeat_of(session: Any, params: Mapping[str, Any] | None) -> Heartbeat | None:
    token = mapping(mapping(params).get("_meta")).get("progressToken")  # as it came: the SDK makes true a 1
    if not is_id(token):
        return None

    async def send(amount: float, message: str) -> None:
        await session.send_progress_notification(token, amount, message=message)

    return Heartbeat(send)


class Calls:
    """Middleware: calls that reach no tool are protocol errors (-32602) that say what is wrong.

    The SDK also says `isError` where a document's reply has none.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.silent: set[Id] = set()  # requests whose result does not say `isError`
        self.tasks: dict[Id, dict[str, Any]] = {}  # requests that are answered as a task

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Refuse, or pass on."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        try:
            check_call(mapping(ctx.params), self.connection.surface)
        except CallError as error:
            raise _protocol_error(error) from None
        try:
            result = await call_next(ctx)
            if (task := self.tasks.pop(ctx.request_id, None)) is not None:
                return modern.complete(task, self.connection.surface)
            if ctx.request_id in self.silent:
                del result["isError"]
            return result
        finally:
            self.silent.discard(ctx.request_id)


def build_server(connection: Connection) -> Any:
    """The SDK's server with our tools in it, and nothing offered that is not there."""
    surface, calls = connection.surface, Calls(connection)
    app: Any = FastMCP(
        surface.name,
        version=surface.version,
        instructions=surface.instructions or None,
        tools=[_Shown(tool, calls) for tool in surface.tools.values()],
        # On stdio there is no login that a question could be bound to.
        request_state_security=RequestStateSecurity(keys=[os.urandom(32)], bind_principal=None),
    )
    app.middleware.append(calls)
    for prompt in surface.prompts.values():
        app.add_prompt(_shown_prompt(prompt))
    handlers = app._lowlevel_server._request_handlers  # noqa: SLF001  # what is announced is what is served
    absent = ("resources/",) if surface.prompts else ("resources/", "prompts/")
    for method in [name for name in handlers if name.startswith(absent)]:
        del handlers[method]
    surface.listeners.append(lambda: _show_other_tools(app, calls))
    if surface.tasks is not None:
        app._lowlevel_server.extensions[modern.TASKS_EXTENSION] = {}  # noqa: SLF001  # served by the fast path
    if surface.resources is not None:
        _serve_resources(app, connection)
    return app


def _serve_resources(app: Any, connection: Connection) -> None:
    """Have the SDK's server answer requests about our resources, and tell those who listen."""
    requests, low = requests_of(connection), app._lowlevel_server  # noqa: SLF001  # as below

    async def list_all(_ctx: Any, _params: Any) -> types.ListResourcesResult:
        return types.ListResourcesResult.model_validate(requests.listed())

    async def list_templates(_ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult.model_validate(requests.templates())

    async def read(_ctx: Any, params: Any) -> types.ReadResourceResult:
        try:
            return types.ReadResourceResult.model_validate(await requests.read(params.uri))
        except CallError as error:
            raise _protocol_error(error) from None

    async def subscribe(_ctx: Any, params: Any) -> types.EmptyResult:
        try:
            requests.subscribe(params.uri)
        except CallError as error:
            raise _protocol_error(error) from None
        return types.EmptyResult()

    async def unsubscribe(_ctx: Any, params: Any) -> types.EmptyResult:
        requests.unsubscribe(params.uri)
        return types.EmptyResult()

    low.add_request_handler("resources/list", types.PaginatedRequestParams, list_all)
    low.add_request_handler("resources/templates/list", types.PaginatedRequestParams, list_templates)
    low.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
    low.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    low.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)
    publisher = _Publisher(app._subscriptions)  # noqa: SLF001  # no other way to it
    connection.surface.resource_listeners.append(lambda: publisher.publish(ResourcesListChanged()))
    app.middleware.append(_Listening(connection, publisher))


class _Publisher:
    """Publishes events in the order in which they come, from where nothing can be awaited."""

    def __init__(self, bus: Any) -> None:
        self._bus = bus
        self._tasks: set[asyncio.Task[None]] = set()

    def publish(self, event: Any) -> None:
        """Tell all who listen."""
        task = asyncio.ensure_future(self._bus.publish(event))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Listening:
    """Middleware: as long as a client listens (2026), the resources that it names are watched."""

    def __init__(self, connection: Connection, publisher: _Publisher) -> None:
        self._connection = connection
        self._publisher = publisher

    async def __call__(self, ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Watch, and pass on."""
        if ctx.method != LISTEN:
            return await call_next(ctx)
        watches = self._watches(
            mapping(mapping(ctx.params).get("notifications")).get("resourceSubscriptions")
        )
        try:
            return await call_next(ctx)
        finally:
            for watch in watches:
                watch.stop()

    def _watches(self, uris: Any) -> list[Watch]:
        watches: list[Watch] = []
        for uri in uris if isinstance(uris, list) else ():  # pyright: ignore[reportUnknownVariableType]  # a client's
            try:
                watches.append(self._watch(str(uri)))  # pyright: ignore[reportUnknownArgumentType]  # as above
            except CallError:  # the SDK honours any URI; of one that is not there it never hears
                continue
        return watches

    def _watch(self, uri: str) -> Watch:
        return requests_of(self._connection).watch(uri, lambda: self._publisher.publish(ResourceUpdated(uri)))


def _shown_prompt(prompt: Prompt) -> Any:
    from mcp.server.mcpserver.prompts import Prompt as SdkPrompt  # noqa: PLC0415  # few presets have one

    return SdkPrompt.from_function(
        prompt.text, name=prompt.name, title=prompt.title, description=prompt.description
    )


async def _show_other_tools(app: Any, calls: Calls) -> None:
    """Put the tools that are shown from now on into the SDK's server, and tell those who listen (2026)."""
    shown: list[SdkTool] = [_Shown(tool, calls) for tool in calls.connection.surface.tools.values()]
    app._tool_manager = ToolManager(tools=shown)  # noqa: SLF001  # no way to replace them
    await app._subscriptions.publish(ToolsListChanged())  # noqa: SLF001


async def serve(connection: Connection, first: Message) -> None:
    """Drive the SDK's server over our transport, from this message on, until the conversation is over."""
    low = build_server(connection)._lowlevel_server  # noqa: SLF001  # the SDK's own way to bring a transport; see its migration guide
    # A handshake client needs no era detection on every message, which costs two task switches each.
    loop = serve_dual_era_loop if connection.era is Era.MODERN else serve_loop
    surface = connection.surface
    has_resources = surface.resources is not None
    options = NotificationOptions(tools_changed=surface.tools_change, resources_changed=has_resources)
    async with low.lifespan(low) as state:
        await loop(
            low,
            _Incoming(connection.stdio, [*_replay(connection), first]),
            _Outgoing(connection),
            lifespan_state=state,
            init_options=low.create_initialization_options(options),
        )


def _replay(connection: Connection) -> list[Message]:
    """What the client has said to the fast path, for the SDK."""
    if connection.era is Era.MODERN:
        return [modern.opening(REPLAY_ID)]
    replay: list[Message] = []
    if connection.client is not ANONYMOUS:
        replay.append(handshake_again(connection.client, REPLAY_ID))
    if connection.initialised:
        replay.append(INITIALISED)
    return replay


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

    def __init__(self, stdio: Stdio, first: list[Message]) -> None:
        self._stdio = stdio
        self._first = deque(first)

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
            message = self._first.popleft() if self._first else await self._stdio.receive()
            if message is None:
                raise StopAsyncIteration
            if (typed := _typed(message)) is not None:
                return SessionMessage(typed)


class _Outgoing(_Ends):
    """Our transport as the SDK's write stream."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def send(self, item: SessionMessage, /) -> None:
        """Write what the SDK has to say."""
        if getattr(item.message, "id", None) == _for_sdk(REPLAY_ID):
            return  # the client has had its answer
        try:
            sent = self._as_sent_message(item.message)
        except Exception:  # noqa: BLE001  # an exception here would end the SDK's loop, and the server
            log.exception("an answer could not be written; please report this")
            sent = {"jsonrpc": "2.0", "id": _as_sent(getattr(item.message, "id", None)), "error": FAILED}
        await self._connection.stdio.send(sent)

    def _as_sent_message(self, message: Any) -> Message:
        if isinstance(message, types.JSONRPCResponse):
            identity, result = self._answered(message), message.result
            if result.get("protocolVersion") in HANDSHAKE_PROTOCOL_VERSIONS:
                _drop_false(result)
            _restore_subscription(result)
            return {"jsonrpc": "2.0", "id": identity, "result": result}
        sent: Message = message.model_dump(by_alias=True, exclude_unset=True, mode="json")
        if isinstance(message, types.JSONRPCError):
            sent["id"] = self._answered(message)
            _name_the_method(sent["error"])
        else:
            _restore_subscription(mapping(sent.get("params")))
        return sent

    def _answered(self, message: Any) -> Id | None:
        identity = _as_sent(message.id)
        if identity is not None:
            self._connection.pending_in_sdk.discard(identity)
        return identity


def _restore_subscription(sent: dict[str, Any]) -> None:
    meta = mapping(sent.get("_meta"))
    if SUBSCRIPTION_KEY in meta:
        meta[SUBSCRIPTION_KEY] = _as_sent(meta[SUBSCRIPTION_KEY])


def _name_the_method(error: dict[str, Any]) -> None:
    """An unknown method is named in the message (specification 002), where a person reads it."""
    if error.get("code") == types.METHOD_NOT_FOUND and error.get("message") == "Method not found":
        error["message"] = f"Method not found: {error.pop('data', '')}".removesuffix(": ")


def _drop_false(result: dict[str, Any]) -> None:
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
    """A message that our transport has checked, without a second check; None: of no known kind."""
    if "method" not in message:
        return _typed_answer(message)
    fields: Message = {"jsonrpc": "2.0", "method": message["method"]}
    if message.get("params") is not None:
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
    sent = mapping(message["error"])
    code, text = sent.get("code"), sent.get("message")
    error = types.ErrorData.model_construct(
        code=code if isinstance(code, int) else INTERNAL_ERROR,
        message=text if isinstance(text, str) else "",
        data=sent.get("data"),
    )
    return types.JSONRPCError.model_construct(jsonrpc="2.0", id=identity, error=error)


__all__ = ["Calls", "FastMCP", "serve"]
