"""Subscriptions of 2026 clients: an open request for notifications of the kinds it names.

Above it: the fast path, which opens and ends them, and the conversation, which reports changes. The SDK
serves the requests that the fast path leaves to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from nacre.model import record
from nacre.protocol.resource_requests import requests_of
from nacre.tools.tool import CallError

if TYPE_CHECKING:
    from nacre.protocol.connection import Connection
    from nacre.protocol.messages import Id
    from nacre.protocol.resource_requests import Watch

SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"  # the request's id, in its notifications
FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
URIS = "resourceSubscriptions"
URI_LIMIT = 256  # of one request; with more, the SDK serves it


@record
class _Subscription:
    """One open request."""

    kinds: frozenset[str]
    watches: list[Watch]


def wanted(params: dict[str, Any]) -> dict[str, Any] | None:
    """The kinds that a request names, without empty ones; None: leave it to the SDK."""
    named: Any = params.get("notifications")
    if not isinstance(named, dict) or not {*FLAGS, URIS}.issuperset(cast("dict[str, Any]", named)):
        return None
    kinds = cast("dict[str, Any]", named)
    if kinds.get("promptsListChanged"):
        return None  # our prompts never change; any others are the SDK's
    uris: Any = kinds.get(URIS, [])
    if not all(isinstance(kinds.get(flag, False), bool) for flag in FLAGS) or not isinstance(uris, list):
        return None
    listed = cast("list[Any]", uris)
    if len(listed) > URI_LIMIT or not all(isinstance(uri, str) for uri in listed):
        return None
    found: dict[str, Any] = {flag: True for flag in FLAGS if kinds.get(flag)}
    return {**found, **({URIS: listed} if listed else {})}


class Subscriptions:
    """All subscriptions of one client."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open: dict[Id, _Subscription] = {}

    def open(self, identity: Id, kinds: dict[str, Any]) -> None:
        """Acknowledge a request, and notify from now on."""
        self._tell(identity, "notifications/subscriptions/acknowledged", notifications=kinds)
        watches = [watch for uri in kinds.get(URIS, ()) if (watch := self._watch(identity, uri))]
        self._open[identity] = _Subscription(frozenset(kinds), watches)

    def end(self, identity: Id) -> bool:
        """End a subscription; whether there was one."""
        ended = self._open.pop(identity, None)
        for watch in ended.watches if ended is not None else ():
            watch.stop()
        return ended is not None

    def tools_changed(self) -> None:
        """Notify of changed tools."""
        self._tell_all("toolsListChanged", "notifications/tools/list_changed")

    def resources_changed(self) -> None:
        """Notify of changed resources."""
        self._tell_all("resourcesListChanged", "notifications/resources/list_changed")

    def _watch(self, identity: Id, uri: str) -> Watch | None:
        if self._connection.surface.resources is None:
            return None
        try:
            return requests_of(self._connection).watch(
                uri, lambda: self._tell(identity, "notifications/resources/updated", uri=uri)
            )
        except CallError:  # any URI is accepted; an unknown one never changes
            return None

    def _tell_all(self, kind: str, method: str) -> None:
        for identity, each in self._open.items():
            if kind in each.kinds:
                self._tell(identity, method)

    def _tell(self, identity: Id, method: str, **params: Any) -> None:
        if not self._connection.stdio.at_end:
            labelled = {"_meta": {SUBSCRIPTION_KEY: identity}, **params}
            self._connection.stdio.tell({"jsonrpc": "2.0", "method": method, "params": labelled})
