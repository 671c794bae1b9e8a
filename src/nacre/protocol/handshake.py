"""The handshake and the plain parameters of its eras, as the specification writes them. Pure.

Above it: the fast path. What is not as plain as this module wants it is not wrong: the SDK will say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.protocol.connection import HANDSHAKE_VERSIONS, Client
from nacre.protocol.messages import is_id
from nacre.protocol.results import INVALID_CALL, mapping

if TYPE_CHECKING:
    from nacre.protocol.messages import Message


def parse_handshake(params: dict[str, Any]) -> Client:
    """The client of a handshake. An unknown version is answered with our latest. CallError: invalid."""
    version, declared, client = (
        params.get(name) for name in ("protocolVersion", "capabilities", "clientInfo")
    )
    name, release = mapping(client).get("name"), mapping(client).get("version")
    if not (isinstance(version, str) and isinstance(name, str) and isinstance(release, str)):
        raise INVALID_CALL
    if not isinstance(declared, dict):
        raise INVALID_CALL
    return Client(
        name=name,
        version=release,
        protocol=version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1],
        asks=isinstance(mapping(declared).get("elicitation"), dict),
        has_roots=isinstance(mapping(declared).get("roots"), dict),
    )


def handshake_again(client: Client, identity: str) -> Message:
    """The handshake of a client, for the SDK."""
    params: dict[str, Any] = {
        "protocolVersion": client.protocol,
        "capabilities": {
            **({"elicitation": {}} if client.asks else {}),
            **({"roots": {}} if client.has_roots else {}),
        },
        "clientInfo": {"name": client.name, "version": client.version},
    }
    return {"jsonrpc": "2.0", "id": identity, "method": "initialize", "params": params}


def has_plain_meta(params: dict[str, Any]) -> bool:
    """Whether `_meta` is absent or plain."""
    meta = params.get("_meta")
    return meta is None or (isinstance(meta, dict) and is_id(mapping(meta).get("progressToken", "")))


def is_plain_list(params: dict[str, Any]) -> bool:
    """Whether these are plain parameters of a listing."""
    cursor = params.get("cursor")
    return (cursor is None or isinstance(cursor, str)) and has_plain_meta(params)
