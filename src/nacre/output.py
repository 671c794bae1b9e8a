r"""From the bytes a command printed to the text an agent reads: decoded, folded, shortened honestly.

Pure. Above it: the living things. Below: the record of what a keeper kept (`keeper.link.Stream`).

- Invalid UTF-8 and control characters are shown as `\xNN`, never dropped and never fatal. On Windows cmd.exe
  and its kind speak the console's code page and newer programs UTF-8: there a line is one or the other.
- What a terminal would have overwritten (progress bars) or not shown (colour) is folded; the spool keeps it.
- A long stream keeps its beginning and its end, cut at line borders, with an honest count between them.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from nacre.model import Text

if TYPE_CHECKING:
    from nacre.keeper.link import Stream

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, hyperlinks; an unfinished one ends with its line
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two-character sequences, character sets
)
_ERASE_LINE = re.compile(r"\x1b\[[02]?K")
_OTHER_ENCODING = "oem" if sys.platform == "win32" else None
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


NO_TEXT = Text("")


def render(stream: Stream, limit_bytes: int, encoding: str | None = None) -> Text:
    """The text of a stream within `limit_bytes`, with what was left out counted.

    `encoding` is what a line is in that is not UTF-8, if that is not what is usual on this system.
    """
    if not stream.total_bytes:
        return Text("", spool=stream.spool, goes_on=stream.goes_on) if stream.spool else NO_TEXT
    complete = stream.total_bytes == len(stream.head) + len(stream.tail)
    if complete:
        text = readable(stream.head + stream.tail, encoding)
        if stream.total_bytes <= limit_bytes or len(text.encode(errors="replace")) <= limit_bytes:
            return Text(text, spool=stream.spool, goes_on=stream.goes_on)
    return _shorten(stream, limit_bytes, encoding)


def _shorten(stream: Stream, limit_bytes: int, encoding: str | None) -> Text:
    whole = stream.head + stream.tail
    head = _whole_lines(whole[: limit_bytes // 2], from_start=True)
    tail = _whole_lines(whole[-(limit_bytes // 2) :], from_start=False)
    omitted_bytes = stream.total_bytes - len(head) - len(tail)
    omitted_lines = max(0, stream.line_ends - head.count(b"\n") - tail.count(b"\n"))
    note = left_out_note(omitted_bytes, omitted_lines, stream)
    text = f"{_ending_in_newline(readable(head, encoding))}[{note}]\n{readable(tail, encoding)}"
    return Text(text, True, omitted_bytes, omitted_lines, stream.spool, stream.goes_on)


def left_out_note(omitted_bytes: int, omitted_lines: int, stream: Stream) -> str:
    """What stands in the place of the middle of a long output."""
    amount = (
        f"{omitted_bytes:,} bytes"
        if omitted_lines == 0
        else f"{omitted_lines:,} lines, {omitted_bytes:,} bytes"
    )
    if stream.spool is None:
        where = f"the rest is lost: {stream.spool_failed}" if stream.spool_failed else "the rest was not kept"
    elif stream.spool_omitted_bytes:
        where = f"beginning and end in {stream.spool}, {stream.spool_omitted_bytes:,} bytes between them lost"
    else:
        where = f"whole output: {stream.spool}"
    return f"… {amount} left out; {where} …"


def _whole_lines(data: bytes, *, from_start: bool) -> bytes:
    """Cut a beginning or an end of a stream at a line border; where it is one long line, at a character."""
    if from_start:
        border = data.rfind(b"\n") + 1
        return data[:border] if border else data[: _character_border(data, len(data))]
    border = data.find(b"\n") + 1
    if border and border < len(data):
        return data[border:]
    start = 0
    while start < min(4, len(data)) and data[start] & 0xC0 == 0x80:  # noqa: PLR2004  # a UTF-8 continuation byte
        start += 1
    return data[start:]


def _character_border(data: bytes, end: int) -> int:
    """The last position up to `end` that does not cut a UTF-8 character in two."""
    start = end
    while start > max(0, end - 4) and data[start - 1] & 0xC0 == 0x80:  # noqa: PLR2004  # a continuation byte
        start -= 1
    lead = data[start - 1] if start else 0
    size = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2 if lead >= 0xC0 else 1  # noqa: PLR2004  # UTF-8's own numbers
    return end if start - 1 + size <= end else start - 1


def _ending_in_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def readable(data: bytes, encoding: str | None = None) -> str:
    """Bytes as text that can be shown: decoded, folded, control characters made visible."""
    encoding = encoding or _OTHER_ENCODING
    text = _decode(data, encoding) if encoding else data.decode("utf-8", "backslashreplace")
    if text.replace("\n", "").isprintable():  # nearly always: nothing to fold and nothing to make visible
        return text
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", fold(text))


def _decode(data: bytes, encoding: str) -> str:
    """Line by line, because one command may run programs of both kinds."""
    return "\n".join(_decode_line(line, encoding) for line in data.split(b"\n"))


def _decode_line(line: bytes, encoding: str) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode(encoding, "backslashreplace")


def fold(text: str) -> str:
    """The text as it would stand on a terminal at the end, line by line."""
    text = text.replace("\r\n", "\n")
    if "\r" in text or "\b" in text:
        text = "\n".join(_fold_line(line) for line in text.split("\n"))
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def _fold_line(line: str) -> str:
    if "\r" in line:
        line = _overwrite(line.split("\r"))
    return _back_up(_ESCAPES.sub("", line)) if "\b" in line else line


def _overwrite(segments: list[str]) -> str:
    """Each carriage return goes back to the start of the line; what follows covers what stood there."""
    shown = ""
    for segment in segments:
        visible = _ESCAPES.sub("", segment)
        shown = visible if _ERASE_LINE.search(segment) else visible + shown[len(visible) :]
    return shown


def _back_up(line: str) -> str:
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)
