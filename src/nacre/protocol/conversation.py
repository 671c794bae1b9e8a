"""A conversation, from its first message to its last: the fast path answers, or else the SDK.

Above it: the server. The SDK is loaded for the first message that is its own, beside the event loop: calls
that the fast path answers go on meanwhile. `NACRE_PLAIN_SDK=1` in the environment leaves to the SDK all that
it can answer, for a comparison.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import threading
from typing import TYPE_CHECKING, Any

from nacre.protocol.connection import Era
from nacre.protocol.fast_path import FastPath
from nacre.protocol.messages import INTERNAL_ERROR
from nacre.stderr import log
from nacre.tools.tool import CallError

if TYPE_CHECKING:
    from nacre.protocol.connection import Connection
    from nacre.protocol.messages import Message

NO_SDK = CallError(INTERNAL_ERROR, "This needs the MCP SDK, which cannot be loaded; nacre's log says why")


async def converse(connection: Connection) -> None:
    """Serve until the client sends no more and everything is answered."""

    async def tell_change() -> None:
        if connection.era is Era.HANDSHAKE and connection.surface.tools_change:
            await connection.stdio.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        if connection.subscriptions is not None:
            connection.subscriptions.tools_changed()

    def tell_resources() -> None:
        requests = connection.resource_requests  # a client that has never listed resources is not notified
        if (
            requests is not None
            and requests.listed_some
            and connection.era is Era.HANDSHAKE
            and not connection.stdio.at_end
        ):
            connection.stdio.tell({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"})
        if connection.subscriptions is not None:
            connection.subscriptions.resources_changed()

    connection.surface.listeners.append(tell_change)
    connection.surface.resource_listeners.append(tell_resources)
    connection.stdio.start(FastPath(connection, sdk_only=bool(os.environ.get("NACRE_PLAIN_SDK"))).take)
    first = await connection.stdio.receive()
    if first is None:
        return
    log.debug("the SDK is loaded for %s", first.get("method"))
    try:
        sdk = await _load_sdk()
    except ImportError as error:
        log.error("the MCP SDK cannot be loaded, so that some requests are refused: %s", error)
        await _refuse_from(connection, first)
    else:
        await sdk.serve(connection, first)


async def _refuse_from(connection: Connection, first: Message) -> None:
    """Without the SDK, refuse what the fast path does not know; the rest continues."""
    message: Message | None = first
    while message is not None:
        if "method" in message and "id" in message:
            connection.pending_in_sdk.discard(message["id"])
            connection.refuse(message["id"], NO_SDK)
        message = await connection.stdio.receive()


async def _load_sdk() -> Any:
    """The SDK's side, loaded in a thread; the end of the program does not wait for it."""
    loop = asyncio.get_running_loop()
    loaded: asyncio.Future[Any] = loop.create_future()

    def settle(module: Any, error: BaseException | None) -> None:
        if loaded.done():
            return
        if error is None:
            loaded.set_result(module)
        else:
            loaded.set_exception(error)

    def load() -> None:
        module, failure = None, None
        try:
            from nacre.protocol import sdk as module  # noqa: PLC0415  # few clients need it

            gc.freeze()  # imported modules live as long as the process: the collector can ignore them
        except BaseException as error:  # noqa: BLE001  # passed on to the waiting task
            failure = error
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, module, failure)

    threading.Thread(target=load, daemon=True).start()
    return await loaded
