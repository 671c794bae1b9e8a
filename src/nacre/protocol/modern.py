"""The protocol of 2026: every request names its sender in `_meta`, every result who answers. Pure.

Above it: the fast path. What is not as plain as this module wants it is left to the SDK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.protocol.connection import MODERN_VERSION, Client
from nacre.protocol.handshake import has_plain_meta
from nacre.protocol.messages import INVALID_PARAMS
from nacre.protocol.results import capabilities, mapping, server_info, tools_listed
from nacre.tools.tool import CallError

if TYPE_CHECKING:
    from nacre.protocol.messages import Message
    from nacre.tools.surface import Surface

_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY, CAPABILITIES_KEY = f"{_PREFIX}protocolVersion", f"{_PREFIX}clientCapabilities"
CLIENT_KEY, SERVER_KEY = f"{_PREFIX}clientInfo", f"{_PREFIX}serverInfo"
TASKS_EXTENSION = f"{_PREFIX}tasks"
_TRACE_KEYS = ("traceparent", "tracestate", "baggage")
_KNOWN_KEYS = {VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, "progressToken", *_TRACE_KEYS}
NO_ENVELOPE = CallError(
    INVALID_PARAMS,
    f"params._meta must be an object carrying the required '{VERSION_KEY}' and '{CAPABILITIES_KEY}' "
    "envelope keys",
)


def has_envelope(params: dict[str, Any]) -> bool:
    """Whether a request is one of this protocol."""
    return VERSION_KEY in mapping(params.get("_meta"))


def parse_envelope(params: dict[str, Any]) -> Client | None:
    """The sender of a request; None: leave it to the SDK."""
    meta = mapping(params.get("_meta"))
    declared, client = meta.get(CAPABILITIES_KEY), mapping(meta.get(CLIENT_KEY))
    if (
        meta.get(VERSION_KEY) != MODERN_VERSION
        or not isinstance(declared, dict)
        or not has_plain_meta(params)
        or not all(isinstance(meta.get(key, ""), str) for key in _TRACE_KEYS)
    ):
        return None
    name, release = client.get("name"), client.get("version")
    others = meta.keys() - _KNOWN_KEYS  # the client's own keys, which we ignore
    if any(key.startswith(_PREFIX) for key in others):
        return None
    if not isinstance(name, str) or not isinstance(release, str):
        return None
    if not all(_is_plain_capability(name, value) for name, value in mapping(declared).items()):
        return None
    return Client(
        name,
        release,
        MODERN_VERSION,
        asks="elicitation" in declared,
        has_roots="roots" in declared,
        takes_tasks=TASKS_EXTENSION in mapping(mapping(declared).get("extensions")),
    )


def sender(params: dict[str, Any]) -> tuple[str, str]:
    """The name and version of the sender, as it declares them."""
    client = mapping(mapping(params.get("_meta")).get(CLIENT_KEY))
    return str(client.get("name", "")), str(client.get("version", ""))


def _is_plain_capability(name: str, value: Any) -> bool:
    """Whether a capability is an object of objects; roots may also say that they change."""
    members = mapping(value)
    if name == "roots" and isinstance(members.get("listChanged"), bool):
        members = {key: member for key, member in members.items() if key != "listChanged"}
    return isinstance(value, dict) and all(isinstance(member, dict) for member in members.values())


def opening(identity: str) -> Message:
    """A request by which the SDK knows that a connection speaks this protocol."""
    meta = {VERSION_KEY: MODERN_VERSION, CAPABILITIES_KEY: {}, CLIENT_KEY: {"name": "nacre", "version": ""}}
    return {"jsonrpc": "2.0", "id": identity, "method": "server/discover", "params": {"_meta": meta}}


def is_first_round(params: dict[str, Any]) -> bool:
    """Whether a call brings no answers to questions that an earlier round has asked."""
    return not params.keys() & {"inputResponses", "requestState", "task"}


def without_answers(params: dict[str, Any]) -> dict[str, Any]:
    """The call without answers to earlier questions."""
    return {name: value for name, value in params.items() if name not in ("inputResponses", "requestState")}


def asking_for_roots(state: str, surface: Surface) -> dict[str, Any]:
    """The answer to a call that asks for the client's roots first."""
    asked = {"inputRequests": {"roots": {"method": "roots/list"}}, "requestState": state}
    return complete({**asked, "resultType": "input_required"}, surface)


def complete(result: dict[str, Any], surface: Surface) -> dict[str, Any]:
    """A result as this protocol wants it."""
    members: dict[str, Any] = dict(sorted({"resultType": "complete", **result}.items()))
    members["_meta"] = {**(members.get("_meta") or {}), SERVER_KEY: server_info(surface)}
    return members


def discovered(surface: Surface) -> dict[str, Any]:
    """Our name, version and capabilities."""
    extensions: dict[str, Any] = {TASKS_EXTENSION: {}} if surface.tasks is not None else {}
    offered = {"extensions": extensions, **capabilities(surface)} if extensions else capabilities(surface)
    result: dict[str, Any] = {"cacheScope": "private", "capabilities": offered}
    offered["tools"] = {"listChanged": True}  # to clients that listen
    if surface.prompts:
        offered["prompts"] = {"listChanged": True}
    if surface.instructions:
        result["instructions"] = surface.instructions
    return complete({**result, "supportedVersions": [MODERN_VERSION], "ttlMs": 0}, surface)


def tools_result(surface: Surface) -> dict[str, Any]:
    """The tools."""
    listed = tools_listed(surface)
    for entry, tool in zip(listed, surface.tools.values(), strict=True):
        entry["inputSchema"] = tool.input_schema  # this era's models keep the order of a schema
        if tool.output_schema is not None:
            entry["outputSchema"] = tool.output_schema
    return complete({"cacheScope": "private", "tools": listed, "ttlMs": 0}, surface)
