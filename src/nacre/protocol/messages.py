"""JSON-RPC messages: what they look like on the wire, and what is wrong with one. Pure.

Above it: the transport, the fast path and the SDK's side. It knows nothing of MCP's methods.
"""

from __future__ import annotations

from typing import Any, cast

from nacre.keeper import quickjson
from nacre.tools.tool import Written

Message = dict[str, Any]
Id = int | str

ID_TYPES, PARAMS_TYPES = (str, int), (dict, type(None))
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
TOO_MANY = -32000  # of the numbers that are a server's own
FAILED = {"code": INTERNAL_ERROR, "message": "nacre failed; its log has the details"}
_ANSWER_MEMBERS = 3  # jsonrpc, id, result
_encode, _encode_ascii = quickjson.encoder(ascii_only=False), quickjson.encoder(ascii_only=True)
_encode_long = quickjson.encoder(ascii_only=False, long_text=True)


def encode(message: Any) -> bytes:
    """A message as a line of JSON."""
    result: Any = message.get("result") if message.__class__ is dict else None
    try:
        if isinstance(result, Written) and len(message) == _ANSWER_MEMBERS:
            return _around(result.json, message["id"]).encode()
        return (_encode_long if _has_long_text(result) else _encode)(message).encode()
    except UnicodeEncodeError:
        if isinstance(message, dict):
            return _without_surrogates(cast("Message", message))
        return _encode_ascii(message).encode()


def _around(result: str, identity: Id | None) -> str:
    shown = identity if identity.__class__ is int else _encode(identity)
    return f'{{"jsonrpc":"2.0","id":{shown},"result":{result}}}'


def _has_long_text(result: Any) -> bool:
    """Whether it is a tool's result of many lines."""
    try:
        return len(result["content"][0]["text"]) >= quickjson.LONG_CHARACTERS
    except (KeyError, TypeError, IndexError):
        return False


def _without_surrogates(message: Message) -> bytes:
    """Replace lone surrogates (from file names that are not UTF-8), which JSON cannot contain.

    An id is returned unchanged, since the client recognizes its answer by it.
    """
    rest = {name: value for name, value in message.items() if name != "id"}
    data = _encode(rest).encode("utf-8", "replace")
    if "id" not in message:
        return data
    return b'{"id":' + _encode_ascii(message["id"]).encode() + b"," + data[1:]


def is_id(value: object) -> bool:
    """Whether a value can be a request's id, or a progress token: text, or a number without a point."""
    return type(value) in ID_TYPES  # exactly: to Python, True is an integer


def is_request(message: Any) -> bool:
    """Whether a message is a valid request, as nearly all are."""
    return (
        message.__class__ is dict
        and message.get("jsonrpc") == "2.0"
        and message.get("id").__class__ in ID_TYPES
        and message.get("method").__class__ is str
        and message.get("params").__class__ in PARAMS_TYPES
    )


def is_answer(message: Any) -> bool:
    """Whether a message is meant as an answer."""
    if not isinstance(message, dict) or "method" in message:
        return False
    return "result" in message or "error" in message


def is_whole_answer(fields: Message) -> bool:
    """Whether an answer is complete."""
    return fields.get("jsonrpc") == "2.0" and is_id(fields.get("id"))


def problem_of(message: Any) -> tuple[int, str] | None:
    """Why a JSON value is not a valid request or notification."""
    if message.__class__ is not dict:
        batch = isinstance(message, list)
        return INVALID_REQUEST, (
            "This protocol has no batches: send one message per line"
            if batch
            else "A message is a JSON object"
        )
    fields: Message = message
    if fields.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, 'A message carries "jsonrpc": "2.0"'
    if "id" in fields and type(fields["id"]) not in ID_TYPES:
        return INVALID_REQUEST, "An id is a string or a whole number"
    return _problem_of_call(fields)


def _problem_of_call(fields: Message) -> tuple[int, str] | None:
    if not isinstance(fields.get("method"), str):
        return INVALID_REQUEST, "A method is a string" if "method" in fields else "A message has a method"
    if not isinstance(fields.get("params"), PARAMS_TYPES):  # some encoders write null for missing members
        return INVALID_PARAMS, "params is an object"
    return None
