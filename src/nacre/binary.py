"""Binary data: recognised by its beginning, and described instead of shown. Pure.

Above it: whoever makes text of what a command has printed.
"""

from __future__ import annotations

import re

_CONTROLS = bytes({*range(32), 127} - {*b"\t\n\r\x1b\b\f"})
_LOOK_BYTES = 8192  # the beginning of a part, by which binary data is known
_MANY_CONTROLS = 10  # one byte of so many
_SIGNATURES = (
    (b"\x89PNG\r\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "gzip data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"BZh", "bzip2 data"),
    (b"SQLite format 3", "an SQLite database"),
)


def is_binary(data: bytes) -> bool:
    """Whether this is no text: it has a NUL, or many control characters or bytes that are no UTF-8."""
    return b"\0" in data[:_LOOK_BYTES] or is_unreadable(data)


def is_unreadable(data: bytes, *, utf_8: bool = True) -> bool:
    """Whether it has many control characters, so that to show it helps nobody.

    Bytes that are no UTF-8 count as such, unless it may be in an encoding where every byte is a letter. Who
    has a short part of something does not end it inside of a character.
    """
    look = data[:_LOOK_BYTES]
    odd = len(look) - len(look.translate(None, _CONTROLS))
    if utf_8:
        odd += look.decode("utf-8", "replace").count("\ufffd")
    return odd * _MANY_CONTROLS > len(look)


def lines_before(data: bytes) -> int:
    """How many bytes the lines of text take that come before binary data: the head of an answer, say."""
    control = re.search(b"[" + re.escape(_CONTROLS) + b"]", data)  # seldom: not worth an expression at import
    end = control.start() if control else len(data)
    try:
        data[:end].decode()
    except UnicodeDecodeError as error:
        end = error.start
    return data.rfind(b"\n", 0, end) + 1


def describe(data: bytes, total_bytes: int, where: str, offset: int = 0) -> str:
    """What binary data looks like of which this is all or the beginning; `offset`: behind so much text."""
    kind = next((name for signature, name in _SIGNATURES if data.startswith(signature)), "binary data")
    place = f" from byte {offset:,} on" if offset else ""
    return f"[{kind}: {total_bytes:,} bytes{place}, beginning with {data[:16].hex(' ')}; {where}]"
