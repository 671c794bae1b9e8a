"""Frames between nacre and a keeper: length, kind, command id, body.

Above it: `frames`, the records in the bodies, `link` (nacre's side) and `program` (the keeper's side). It
knows only bytes and the names of the kinds. A body is JSON, raw bytes, or JSON followed by raw bytes. Text in
JSON is ASCII-escaped, so file names that are not UTF-8 survive as surrogate escapes.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from nacre.keeper import quickjson

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

VERSION = 6
SCRIPT_MARK = "\0script\0"  # stands for the script file in argv; no real argument contains a NUL
COOKIE_NAME = "NACRE_COMMAND"  # the environment variable that attributes a process to its command
HEADER = struct.Struct(">IBI")
LENGTH = struct.Struct(">I")
_encode = quickjson.encoder(ascii_only=True)
BODY_LIMIT_BYTES = 80 * 1024 * 1024  # room for a 64 MiB request line with escapes


class Kind(IntEnum):
    """The kinds of frames. Below 64: nacre to keeper. From 64: keeper to nacre. `frames` has the records."""

    SETUP = 1
    SPAWN = 2
    INPUT = 3  # raw bytes for the command's stdin or terminal; an empty body ends its input
    SIGNAL = 4
    KILL = 5
    RESIZE = 6  # RESIZED answers
    CREDIT = 7
    TURN_START = 8
    PING = 10  # answered with PONG at once, if the keeper is awake
    READ = 11
    WATCH = 12
    HIDDEN_INPUT = 13  # raw bytes for a terminal, if it does not echo now; INPUT_TAKEN answers
    AGAIN = 9  # the last SPAWN with these arguments, separated by NULs

    HELLO = 64
    STARTED = 65
    OUTPUT = 66  # one byte stream number, then raw bytes
    CONTROL = 67  # raw bytes from the command's private channel; empty when it closed
    EXIT = 68
    ERROR = 69
    ENDED = 70
    TURN_END = 71
    LEAVING = 72
    UNGUARDED = 73
    PONG = 74
    PART = 75
    NEWS = 76
    LEFT_END = 77
    INPUT_TAKEN = 78  # "1": HIDDEN_INPUT was typed into the terminal; "0": it would have been echoed
    RESIZED = 79  # why the terminal could not be resized; empty: it was, or there is none any more


class WireError(Exception):
    """The bytes on the link are not frames: the link is unusable."""


def frame(kind: Kind, command_id: int, body: bytes = b"") -> bytes:
    """One frame, ready to be written."""
    return HEADER.pack(len(body), kind, command_id) + body


def json_frame(kind: Kind, command_id: int, content: Any) -> bytes:
    """One frame whose body is JSON."""
    return frame(kind, command_id, _encode(content).encode())


def mixed_frame(kind: Kind, command_id: int, content: Any, parts: list[bytes]) -> bytes:
    """One frame whose body is JSON, with its length in front, then raw bytes."""
    head = _encode(content).encode()
    size = LENGTH.size + len(head) + sum(map(len, parts))
    return b"".join([HEADER.pack(size, kind, command_id), LENGTH.pack(len(head)), head, *parts])


def split_mixed_body(body: bytes) -> tuple[Any, int]:
    """The JSON in the body of a `mixed_frame`, and where the raw bytes begin. Raises ValueError."""
    if len(body) < LENGTH.size:
        raise ValueError("the frame ends before its JSON")
    (size,) = LENGTH.unpack_from(body)
    start = LENGTH.size + size
    return quickjson.decode(body[LENGTH.size : start].decode()), start


class Decoder:
    """Cuts a byte stream into frames; keeps an incomplete one."""

    def __init__(self, limit_bytes: int = BODY_LIMIT_BYTES) -> None:
        self._buffer = bytearray()
        self._limit_bytes = limit_bytes

    def feed(self, data: bytes) -> Iterable[tuple[int, int, bytes]]:
        """The kind, command id and body of every frame that `data` completes. Iterating raises WireError.

        The kind is a plain number, so that an unknown one can be answered with an error.
        """
        if not self._buffer and len(data) >= HEADER.size:
            size, kind, command_id = HEADER.unpack_from(data)
            if len(data) == HEADER.size + size <= self._limit_bytes:  # exactly one frame: the usual case
                return ((kind, command_id, data[HEADER.size :]),)
        return self._cut(data)

    def _cut(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        self._buffer += data
        start, end = 0, len(self._buffer)
        try:
            while end - start >= HEADER.size:
                size, kind, command_id = HEADER.unpack_from(self._buffer, start)
                if size > self._limit_bytes:
                    raise WireError(
                        f"a frame announces {size} bytes, more than the {self._limit_bytes} allowed"
                    )
                if end - start < HEADER.size + size:
                    break
                body = bytes(memoryview(self._buffer)[start + HEADER.size : start + HEADER.size + size])
                start += HEADER.size + size
                yield kind, command_id, body
        finally:
            del self._buffer[:start]
