"""Requests about resources, for both roads: lists, contents, and notifications of changes.

Above it: the fast path and the SDK's side, which share one of these for each connection. Below: the tools'
side of resources, which is loaded with the first of them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.protocol.messages import INVALID_PARAMS
from nacre.tools.tool import CallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.protocol.connection import Connection
    from nacre.tools.resources import Resources

PAUSE_S = 1.0  # between two notifications about the same resource
WATCHED_LIMIT = 256  # resources that a client can subscribe to


class ResourceRequests:
    """The requests of one client about resources."""

    def __init__(self, connection: Connection, resources: Resources) -> None:
        self._connection = connection
        self._resources = resources
        self.listed_some = False  # whether it has listed them
        self._watches: dict[str, Watch] = {}  # what a handshake client has subscribed to

    def listed(self) -> dict[str, Any]:
        """The answer to resources/list."""
        self.listed_some = True
        return {"resources": self._resources.listed()}

    @staticmethod
    def templates() -> dict[str, Any]:
        """The answer to resources/templates/list."""
        from nacre.tools.resources import TEMPLATES  # noqa: PLC0415  # it is loaded by now

        return {"resourceTemplates": [dict(template) for template in TEMPLATES]}

    async def read(self, uri: str) -> dict[str, Any]:
        """The answer to resources/read. CallError: there is no such resource."""
        try:
            return {"contents": await self._resources.read(uri)}
        except RequestError as error:
            raise unknown_resource(uri, error) from None

    def subscribe(self, uri: str) -> None:
        """Notify the client of changes, as a handshake client asks for it. CallError: it cannot be."""
        if uri in self._watches:
            return
        if len(self._watches) >= WATCHED_LIMIT:
            raise CallError(INVALID_PARAMS, f"There are {WATCHED_LIMIT} subscriptions, which is the limit.")
        stdio = self._connection.stdio
        message = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
        self._watches[uri] = self.watch(uri, lambda: stdio.tell(message))

    def unsubscribe(self, uri: str) -> None:
        """Stop notifying the client."""
        watch = self._watches.pop(uri, None)
        if watch is not None:
            watch.stop()

    def watch(self, uri: str, notify: Callable[[], None]) -> Watch:
        """Call back when a resource has changed, but not too often. CallError: there is none."""
        try:
            return Watch(self._resources, uri, notify)
        except RequestError as error:
            raise unknown_resource(uri, error) from None


class Watch:
    """One watched resource: the first change is reported at once, the next after a pause."""

    def __init__(self, resources: Resources, uri: str, notify: Callable[[], None]) -> None:
        self._notify = notify
        self._loop = asyncio.get_running_loop()
        self._pause: asyncio.TimerHandle | None = None
        self._changed = False  # since the last notification
        self._end = resources.watch(uri, self._hear)

    def _hear(self) -> None:
        self._changed = True
        if self._pause is None:
            self._tell()

    def _tell(self) -> None:
        self._pause = None
        if self._changed:
            self._changed = False
            self._notify()
            self._pause = self._loop.call_later(PAUSE_S, self._tell)

    def stop(self) -> None:
        """Stop calling back."""
        self._end()
        if self._pause is not None:
            self._pause.cancel()


def requests_of(connection: Connection) -> ResourceRequests:
    """Those of this connection, whose server has resources."""
    if connection.resource_requests is None:
        load = connection.surface.resources
        if load is None:
            raise LookupError("this server has no resources")
        connection.resource_requests = ResourceRequests(connection, load())
    return connection.resource_requests


def unknown_resource(uri: str, error: RequestError) -> CallError:
    """The error for an unknown resource, worded as by the SDK."""
    return CallError(INVALID_PARAMS, str(error), {"uri": uri})
