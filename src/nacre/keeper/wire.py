"""Frames between nacre and a keeper: length, kind, command id, body.

Above it: `link` (nacre's side) and `program` (the keeper's side). It knows bytes and the names of the
frame kinds, nothing of processes. A body is JSON, raw bytes, or JSON followed by raw bytes.
Text in JSON is ASCII-escaped, so file names that are not UTF-8 travel as surrogate escapes unharmed.
"""

from __future__ import annotations

import struct
from enum import IntEnum

from nacre.keeper import quickjson

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

VERSION = 1
SCRIPT_MARK = (
    "\0script\0"  # stands in argv for the file of a command too long for it; no argument holds a NUL
)
COOKIE_NAME = "NACRE_COMMAND"  # the environment variable that tells whose a process is
HEADER = struct.Struct(">IBI")
LENGTH = struct.Struct(">I")
_encode = quickjson.encoder(ascii_only=True)
BODY_LIMIT_BYTES = 80 * 1024 * 1024  # a 64 MiB request line, escaped, with room to spare


class Kind(IntEnum):
    """What a frame is. Below 64: nacre to keeper. From 64: keeper to nacre."""

    SETUP = 1  # {environment, spool_dir, spools, follows, sweep}: before the first command, or to change it
    SPAWN = 2  # what to run, see `commands.Spec`
    INPUT = 3  # raw bytes for the command's stdin or terminal; an empty body closes it
    SIGNAL = 4  # {signal, scope}: scope is "group", "tree", of a turn "turn", "shell" or "left"
    KILL = 5  # {grace_ms, hang_up}: TERM, grace, KILL on the whole tree; EXIT or ENDED answers
    RESIZE = 6  # {rows, columns} of the command's terminal
    CREDIT = 7  # {bytes}: the reader has taken that many streamed bytes
    RUN = 8  # one command for a persistent shell, see `turns.Run`
    AGAIN = 9  # [argv]: run these as the last SPAWN, in everything else like it

    HELLO = 64  # {version, pid, platform, cookie, guarded}
    STARTED = 65  # {pid}: only when the spawn asked for it
    OUTPUT = 66  # one byte stream number, then raw bytes
    CONTROL = 67  # raw bytes from the command's private channel; empty when it closed
    EXIT = 68  # the fields of `link.Exit` in their order, and the kept output
    ERROR = 69  # {code, message}: this frame or this spawn could not be done
    ENDED = 70  # {left, left_total}: nothing of a reported command is left; or all that KILL could not end
    TURN = 71  # {turn, record, ...} and the kept output: that command is over, the shell may live on
    LEAVING = 72  # {}: the link has ended, and now everything is being ended
    UNGUARDED = 73  # {}: the guardian is gone; a killed keeper would leave its processes behind


class WireError(Exception):
    """The bytes on the link are not frames. The link cannot be trusted any more."""


def frame(kind: Kind, command_id: int, body: bytes = b"") -> bytes:
    """One frame, ready to be written."""
    return HEADER.pack(len(body), kind, command_id) + body


def json_frame(kind: Kind, command_id: int, content: Any) -> bytes:
    """One frame whose body is JSON."""
    return frame(kind, command_id, _encode(content).encode())


def mixed_body(content: Any, parts: list[bytes]) -> bytes:
    """JSON with its length in front, then raw bytes."""
    head = _encode(content).encode()
    return b"".join([LENGTH.pack(len(head)), head, *parts])


def split_mixed_body(body: bytes) -> tuple[Any, int]:
    """The JSON that `mixed_body` was given, and where the raw bytes begin."""
    (size,) = LENGTH.unpack_from(body)
    start = LENGTH.size + size
    return quickjson.decode(body[LENGTH.size : start].decode()), start


class Decoder:
    """Cuts a byte stream into frames; keeps what is not yet a whole one."""

    def __init__(self, limit_bytes: int = BODY_LIMIT_BYTES) -> None:
        self._buffer = bytearray()
        self._limit_bytes = limit_bytes

    def feed(self, data: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Yield (kind, command id, body) of every frame that `data` completes.

        The kind is yielded as the number that came, so that an unknown one can be answered by name.
        """
        if not self._buffer and len(data) >= HEADER.size:
            size, kind, command_id = HEADER.unpack_from(data)
            if len(data) == HEADER.size + size <= self._limit_bytes:  # one whole frame: nearly always
                yield kind, command_id, data[HEADER.size :]
                return
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
