"""JSON without the per-call overhead of the `json` module.

Its C encoder and scanner are created once and called directly, which halves the time for the short messages
of a server. Where an interpreter has no C encoder, `json` itself is used.

Above it: the frames of the link, and the messages of the stdio transport.
"""

from __future__ import annotations

import json
from json import encoder as _encoder

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LINE_ENDS = ("\n", "\r\n")
LONG_CHARACTERS = 1000
_ESCAPES = ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\t", b"\\t"))
_UNESCAPED = bytes([*b"\t\n", *range(0x20, 0x100)])  # what JSON takes as it is, or is replaced below


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


# NaN and infinities are not JSON.
_decoder = json.JSONDecoder(parse_constant=_refuse)
_scan: Any = getattr(_decoder, "scan_once")  # noqa: B009  # exists, though type checkers do not know it
_decode_carefully = _decoder.decode


def encoder(*, ascii_only: bool, long_text: bool = False) -> Callable[[Any], str]:
    """A function that writes compact JSON; `long_text`: one that is quicker with long strings."""
    plain = json.JSONEncoder(ensure_ascii=ascii_only, separators=(",", ":"))
    make: Any = getattr(_encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    string: Any = _encoder.encode_basestring_ascii if ascii_only else _encoder.encode_basestring
    if long_text and not ascii_only:
        string = _quoted
    # markers (none: our values hold no cycles), default, strings, indent, separators, sort, skip, nan
    chunks = make(None, plain.default, string, None, ":", ",", False, False, True)
    return lambda value: "".join(chunks(value, 0))


def _quoted(text: str) -> str:
    """A text as JSON; the few characters that need escapes are searched in bulk."""
    if len(text) < LONG_CHARACTERS:
        return _encoder.encode_basestring(text)
    data = text.encode("utf-8", "surrogatepass")
    if data.translate(None, _UNESCAPED):  # other control characters, which are rare
        return _encoder.encode_basestring(text)
    for byte, escaped in _ESCAPES:
        data = data.replace(byte, escaped)
    return f'"{data.decode("utf-8", "surrogatepass")}"'


def decode(text: str) -> Any:
    """The value of a JSON text. Raises a ValueError that says what is wrong."""
    try:
        value, end = _scan(text, 0)
    except StopIteration:  # leading white space, or not JSON
        return _decode_carefully(text)
    return value if end == len(text) or text[end:] in _LINE_ENDS else _decode_carefully(text)
