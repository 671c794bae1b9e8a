"""The connection to one client: what it has declared, requests in flight, and our requests to it.

Above it: the fast path and the SDK's side, which share it. Below: the transport. It decides nothing about
messages.
"""

from __future__ import annotations

import asyncio
import itertools
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from nacre.eager import EagerFuture, eager_starter
from nacre.model import record
from nacre.protocol.results import error_body, mapping
from nacre.protocol.roots import Roots

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from nacre.protocol.messages import Id, Message
    from nacre.protocol.resource_requests import ResourceRequests
    from nacre.protocol.stdio import Stdio
    from nacre.protocol.subscriptions import Subscriptions
    from nacre.tools.surface import Surface
    from nacre.tools.tool import CallError

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSION = "2026-07-28"


class Era(Enum):
    """The version of the protocol that a client speaks, fixed with its first message."""

    UNDECIDED = "undecided"
    HANDSHAKE = "handshake"  # `initialize`, then plain requests
    MODERN = "modern"  # every request names its sender in `_meta`


@record
class Client:
    """What a client has declared in its handshake."""

    name: str = ""
    version: str = ""
    protocol: str = HANDSHAKE_VERSIONS[-1]
    asks: bool = False  # whether its person can be asked (elicitation)
    has_roots: bool = False
    takes_tasks: bool = False  # whether a call may be answered as a task (2026)


ANONYMOUS = Client()  # before the handshake


class Connection:
    """One client, from the first line to the last."""

    def __init__(self, stdio: Stdio, surface: Surface, on_root: Callable[[str], None] | None) -> None:
        self.stdio = stdio
        self.surface = surface
        self.era = Era.UNDECIDED
        self.client = ANONYMOUS
        self.initialised = False  # the client has confirmed it
        self.sdk_serves = False  # whether anything was left to the SDK
        self.pending_in_sdk: set[Id] = set()  # calls that the SDK answers, until it has
        self.on_root = on_root  # called with the client's first root; None: it is not requested
        self.roots = None if on_root is None else Roots(partial(self.request, "roots/list", {}), on_root)
        self.resource_requests: ResourceRequests | None = None  # created on first use
        self.subscriptions: Subscriptions | None = None  # the same
        self._start = eager_starter()
        self._calls: dict[Id, asyncio.Task[None]] = {}
        self._questions: dict[Id, asyncio.Future[Any]] = {}
        self._numbers = itertools.count(1)

    # -- requests under way

    def start(self, identity: Id, answering: Coroutine[Any, Any, None]) -> None:
        """Begin to answer a request."""
        call = self._start(answering)
        if not call.done():
            self._calls[identity] = call

    def over(self, identity: Id) -> None:
        """Note that a request is answered. After a cancellation, the id may already belong to another one."""
        if self._calls.get(identity) is asyncio.current_task():
            del self._calls[identity]

    def cancel(self, identity: Id) -> bool:
        """Cancel a request; whether it was ours to answer."""
        self.pending_in_sdk.discard(identity)
        call = self._calls.pop(identity, None)
        if call is None:
            return False
        call.cancel()
        return True

    def answer(self, identity: Id, result: dict[str, Any]) -> None:
        """Answer a request at once."""
        self.stdio.tell({"jsonrpc": "2.0", "id": identity, "result": result})

    def refuse(self, identity: Id, error: CallError) -> None:
        """Answer a request by an error."""
        self.stdio.tell({"jsonrpc": "2.0", "id": identity, "error": error_body(error)})

    # -- our questions to the client

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request to the client; an error counts as an empty answer."""
        identity = f"nacre-{next(self._numbers)}"
        asked: EagerFuture[dict[str, Any]] = EagerFuture()  # the answer applies to the next call
        self._questions[identity] = asked
        self.stdio.tell({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        try:
            return await asked
        except asyncio.CancelledError:
            if self._questions.pop(identity, None) is not None and not self.stdio.at_end:
                cancelled = {"requestId": identity, "reason": "The answer is not needed any more"}
                self.stdio.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})
            raise

    def take_reply(self, message: Message) -> bool:
        """Whether a message is an answer to one of our requests."""
        asked = self._questions.pop(message["id"], None)
        if asked is None:
            return False
        if not asked.done():
            asked.set_result(mapping(message.get("result")))
        return True
