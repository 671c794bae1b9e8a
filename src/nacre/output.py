r"""From the bytes a command printed to the text an agent reads: decoded, folded, shortened honestly.

Pure. Above it: the living things. Below: the record of what a keeper kept (`keeper.frames.Stream`).

- Invalid UTF-8 and control characters are shown as `\xNN`, never dropped and never fatal; a row of the same
  once, with its length: `\x00[20 times]`. On Windows cmd.exe and its kind speak the console's code page
  and newer programs UTF-8: there a line is one or the other.
- What a terminal would have overwritten (progress bars) or not shown (colour) is folded; the spool keeps it.
- A long stream keeps its beginning and its end, cut at line borders, with an honest count between them. The
  limit is one for the text that is sent, whatever became of the bytes.
"""

from __future__ import annotations

import base64
import contextlib
import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from nacre.model import Text

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

    from nacre.keeper.frames import Stream
    from nacre.masking import Mask

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movement
    r"|\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # OSC: titles, hyperlinks; an unfinished one ends with its line
    r"|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two-character sequences, character sets
)
_ERASE_LINE = re.compile(r"\x1b\[[02]?K")
_OTHER_ENCODING = "oem" if sys.platform == "win32" else None
# Control characters, and bytes that are no text (as the `surrogateescape` of Python has them); many of one.
_UNSHOWABLE = re.compile("([\x00-\x08\x0b-\x1f\x7f\udc80-\udcff])\\1*")
_PLAIN = bytes([*b"\t\n", *range(0x20, 0x7F)])  # of ASCII: shown as it is
_RUN = 8  # from so many on, a row of the same is counted
_UNFINISHED = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b\n]*\x1b?|[ -/]*)?\Z"  # an escape sequence without its end
    rb"|\r\Z"  # a line's end, or the start of what covers the line
)
LOSSY = "lossy"  # no encoding: bytes that are no UTF-8 become U+FFFD
HELD_BYTES = 256  # how long an escape sequence without its end is waited for
DESCRIBED_BYTES = 32  # binary data that is shorter is shown
CUT_BYTES = 2048  # a chunk of newest output that is shorter follows on the one before


NO_TEXT = Text("")


def keeping(asked_bytes: int | None, usual_bytes: int) -> dict[str, Any]:
    """What has to be kept at each end of a stream, where a caller has asked for so much: fields of a frame.

    Together that is twice what is shown, so that folding gains; for who asks for more than usual, as much.
    """
    limit_bytes = asked_bytes or usual_bytes
    if limit_bytes <= usual_bytes:
        return {"keep_bytes": limit_bytes}
    return {"keep_bytes": max(usual_bytes, (limit_bytes + 1) // 2), "whole_ends": True}


def render(
    stream: Stream, limit_bytes: int, encoding: str | None = None, output_id: str | None = None
) -> Text:
    """The text of a stream within `limit_bytes`, with what was left out counted.

    `encoding` is what a line is in that is not UTF-8, if that is not what is usual on this system; with LOSSY
    it is shown as U+FFFD. `output_id` is told where the agent has a tool that reads by it.
    """
    if not stream.total_bytes:
        has_more = stream.spool or stream.rest_lost
        return _text("", stream) if has_more else NO_TEXT
    if stream.total_bytes == len(stream.head):  # nearly always
        data, _ = leaving(stream.head)
        if len(data) <= limit_bytes and _is_plain(data):
            return _text(data.decode("ascii"), stream)
    if _is_complete(stream):
        text = readable(stream.head + stream.tail, encoding)
        if (
            "\\x" in text
            and output_id is not None
            and (binary := _described(stream, limit_bytes, encoding, output_id))
        ):
            return binary
        if size_of(text) <= limit_bytes:
            return _text(text, stream)
    return _shorten(stream, limit_bytes, encoding, output_id)


def _described(stream: Stream, limit_bytes: int, encoding: str | None, output_id: str) -> Text | None:
    rest = f"whole output: tool output, id {output_id}"
    described = describe_binary(_kept(stream), limit_bytes, rest, encoding)
    if described is None:
        return None
    text, omitted_bytes = described
    return _text(text, stream, truncated=True, omitted_bytes=omitted_bytes, rest=rest)


def describe_binary(
    data: bytes, limit_bytes: int, where: str, encoding: str | None = None, offset: int = 0
) -> tuple[str, int] | None:
    """In place of binary data that is not just a few bytes: what it is, how to read it, and its size.

    The lines of text before it are shown. None: it is text.
    """
    from nacre.binary import describe, is_unreadable, lines_before  # noqa: PLC0415  # few commands print such

    utf_8 = (encoding or _OTHER_ENCODING) in (None, LOSSY)
    if len(data) < DESCRIBED_BYTES or not is_unreadable(data, utf_8=utf_8):
        return None
    begin = lines_before(data[: limit_bytes // 2])
    size_bytes = len(data) - begin
    description = describe(data[begin:], size_bytes, f"{where}, base64: true shows it", offset + begin)
    return f"{_readable(data[:begin], encoding)}{description}\n", size_bytes


def size_of(text: str) -> int:
    """How many bytes a text takes."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def _shorten(stream: Stream, limit_bytes: int, encoding: str | None, output_id: str | None) -> Text:
    half_bytes = limit_bytes // 2
    first, last = _kept_ends(stream)
    if min(len(first), len(last)) < half_bytes or _is_complete(stream):  # one may go on into the other
        first, last = _kept(stream), b""
    head, shown_head = fitting(first, half_bytes, encoding, from_start=True)
    tail, shown_tail = fitting(last or first[len(head) :], half_bytes, encoding, from_start=False)
    omitted_bytes = stream.total_bytes - len(head) - len(tail)
    omitted_lines = max(0, stream.line_ends - head.count(b"\n") - tail.count(b"\n"))
    rest = _where_rest_is(stream, output_id)
    note = left_out(omitted_bytes, omitted_lines, rest)
    text = f"{_ending_in_newline(shown_head)}[{note}]\n{shown_tail}"
    return _text(
        text, stream, truncated=True, omitted_bytes=omitted_bytes, omitted_lines=omitted_lines, rest=rest
    )


def _is_complete(stream: Stream) -> bool:
    return stream.total_bytes == len(stream.head) + len(stream.tail)


def _kept(stream: Stream) -> bytes:
    """What may leave of all that was kept."""
    if _is_complete(stream):
        return leaving(stream.head + stream.tail)[0]
    return b"".join(_kept_ends(stream))


def _kept_ends(stream: Stream) -> tuple[bytes, bytes]:
    """What may leave of both ends of a stream. What was between them is gone, and may have cut a secret."""
    head = leaving_part(stream.head, cut_before=False, cut_after=True)
    return head, leaving_part(stream.tail, cut_before=True, cut_after=False)


def _text(text: str, stream: Stream, **shortened: Any) -> Text:
    return Text(
        text,
        total_bytes=stream.total_bytes,
        spool=stream.spool,
        goes_on=stream.goes_on,
        rest_lost=stream.rest_lost,
        sha256=stream.sha256,
        **shortened,
    )


def fitting(data: bytes, limit_bytes: int, encoding: str | None, *, from_start: bool) -> tuple[bytes, str]:
    """The beginning or the end of a stream whose text is within a limit, and that text."""
    count = limit_bytes
    while count:
        part = _first_lines(data, count) if from_start else _last_lines(data, count)
        text = readable(part, encoding)
        size = size_of(text)
        if size <= limit_bytes:
            return part, text
        count = min(count - 1, len(part) * limit_bytes // size)
    return b"", ""


def left_out(omitted_bytes: int, omitted_lines: int, rest: str) -> str:
    """The line that replaces the middle of a long output."""
    amount = counted(omitted_bytes, "byte")
    if omitted_lines:
        amount = f"{counted(omitted_lines, 'line')}, {amount}"
    return f"... {amount} left out; {rest} ..."  # in ASCII: one other character makes long text slow to send


def _where_rest_is(stream: Stream, output_id: str | None) -> str:
    """Where all of a long output is found, or why it is not."""
    if stream.spool is None:
        return f"the rest is lost: {stream.spool_failed}" if stream.spool_failed else "the rest was not kept"
    where = f"tool output, id {output_id} (file {stream.spool})" if output_id else stream.spool
    if not stream.spool_omitted_bytes:
        return f"whole output: {where}"
    return f"beginning and end: {where}, {counted(stream.spool_omitted_bytes, 'byte')} between them lost"


def without_spool(text: Text) -> Text:
    """The same for an agent that cannot read the file with the whole: it is not told where that is."""
    if text.spool is None:
        return text
    shown = text.text.replace(f" (file {text.spool})", "")  # it has a tool that reads it
    lost = r"(?:, [\d,]+ bytes? between them lost)?"
    location = re.compile(rf"(?:whole output|beginning and end): {re.escape(text.spool)}{lost}")
    shown = location.sub("what was left out cannot be read under the rules here; ask for less", shown)
    return replace(text, text=shown, spool=None)


def counted(amount: int, noun: str) -> str:
    """An amount with its noun: 1 byte, 2,000 bytes."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def _first_lines(data: bytes, count: int) -> bytes:
    """The lines that end within so many bytes; where it is one long line, cut at a character."""
    border = data.rfind(b"\n", 0, count) + 1
    return data[: border or character_border(data, min(count, len(data)))]


def _last_lines(data: bytes, count: int) -> bytes:
    """The lines that begin so many bytes before the end, or later; one long line is cut at a character."""
    start = max(0, len(data) - count)
    border = data.find(b"\n", start) + 1
    if border and border < len(data):
        return data[border:]
    for _ in range(min(4, len(data) - start)):
        if data[start] & 0xC0 != 0x80:  # noqa: PLR2004  # a UTF-8 continuation byte
            break
        start += 1
    return data[start:]


def character_border(data: bytes, end: int) -> int:
    """The last position up to `end` that does not cut a UTF-8 character in two."""
    start = end
    while start > max(0, end - 4) and data[start - 1] & 0xC0 == 0x80:  # noqa: PLR2004  # a continuation byte
        start -= 1
    lead = data[start - 1] if start else 0
    size = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2 if lead >= 0xC0 else 1  # noqa: PLR2004  # UTF-8's own numbers
    return end if start - 1 + size <= end else start - 1


def _ending_in_newline(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


_mask: Mask | None = None


def hide(mask: Mask | None) -> None:
    """From now on nothing leaves this process that the mask hides."""
    global _mask  # noqa: PLW0603  # there is one way out of a process
    _mask = mask


def leaving(data: bytes, *, more_follows: bool = False) -> tuple[bytes, bytes]:
    """What may leave of some bytes, and what of them has to wait for those that follow.

    All that leaves passes here: replies, progress, pages of files, what the Python API hands over. So secrets
    are hidden here. The beginning of one at the end of a chunk waits, if more follows.
    """
    if _mask is None:
        return data, b""
    end = _mask.waits_from(data) if more_follows else len(data)
    return _mask.hide(data[:end]), data[end:]


def leaving_text(text: str) -> str:
    """What may leave of a text: of a log line, of the command line of a process."""
    if _mask is None:
        return text
    return _mask.hide(text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")


def leaving_beginning(text: str, limit: int) -> str:
    """The beginning of a text, as it may leave: no part of a secret stands where it is cut."""
    text = leaving_text(text)
    return text if len(text) <= limit else f"{text[:limit]}…"


def leaving_cut(text: str) -> str:
    """What may leave of a text that was cut already, if it ends with an ellipsis."""
    if _mask is None or not text.endswith("…"):
        return leaving_text(text)
    beginning = text[:-1].encode("utf-8", "surrogatepass")
    return _mask.hide(beginning, cut_after=True).decode("utf-8", "surrogatepass") + "…"


def may_leave(data: bytes) -> bool:
    """Whether there is nothing to hide in some bytes."""
    return _mask is None or not _mask.finds(data)


def leaving_value(value: Any) -> Any:
    """What may leave of a value of JSON: every text in it, names as well."""
    if isinstance(value, str):
        return leaving_text(value)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        return {leaving_text(name): leaving_value(each) for name, each in fields.items()}
    if isinstance(value, list):
        return [leaving_value(each) for each in cast("list[Any]", value)]
    return value


def leaving_file(file: BinaryIO) -> BinaryIO:
    """A file that shows only what may leave, wherever a part of it begins and ends."""
    if _mask is None:
        return file
    from nacre.masking import masked_file  # noqa: PLC0415  # few have secrets

    return masked_file(file, _mask)


def leaving_part(data: bytes, *, cut_before: bool, cut_after: bool) -> bytes:
    """What may leave of bytes beside which others are missing."""
    return data if _mask is None else _mask.hide(data, cut_before=cut_before, cut_after=cut_after)


def context_bytes() -> int:
    """How far before and behind some bytes one has to look to know what of them may leave."""
    return 0 if _mask is None else _mask.longest_bytes


def _joined(held: bytes, chunk: bytes) -> bytes:
    """What waited and what follows on it, where a long chunk may only be the newest of what has come."""
    if _mask is None or len(chunk) < CUT_BYTES:
        return held + chunk
    waited = leaving_part(held, cut_before=False, cut_after=True)
    return waited + leaving_part(chunk, cut_before=True, cut_after=False)


class LeavingStreams:
    """What may leave of the streams of a command that runs, as bytes; what has to wait is held until then."""

    def __init__(self, pass_on: Callable[[int, bytes], None]) -> None:
        self._pass_on = pass_on
        self._held: dict[int, bytes] = {}

    def feed(self, stream: int, chunk: bytes) -> None:
        """Pass on what may leave of one more chunk."""
        data = _joined(self._held.get(stream, b""), chunk)
        shown, self._held[stream] = leaving(data, more_follows=True)
        if shown:
            self._pass_on(stream, shown)

    def finish(self) -> None:
        """Pass on what still waited: nothing follows."""
        for stream, held in self._held.items():
            if shown := leaving(held)[0]:
                self._pass_on(stream, shown)
        self._held.clear()


def page_text(data: bytes) -> tuple[str, str]:
    """The encoding and the text that carries bytes unchanged: themselves, or base64 if they are no text."""
    data, _ = leaving(data)
    if b"\0" not in data:
        with contextlib.suppress(UnicodeDecodeError):
            return "utf-8", data.decode()
    return "base64", base64.b64encode(data).decode("ascii")


def readable(data: bytes, encoding: str | None = None) -> str:
    """Bytes as text that can be shown: decoded, folded, control characters made visible."""
    return _readable(leaving(data)[0], encoding)


def _readable(data: bytes, encoding: str | None = None) -> str:
    if _is_plain(data):
        return data.decode("ascii")
    encoding = encoding or _OTHER_ENCODING
    if encoding == LOSSY:
        text = data.decode("utf-8", "replace")
    else:
        text = _decode(data, encoding) if encoding else data.decode("utf-8", "surrogateescape")
    if text.replace("\n", "").isprintable():  # nothing to fold and nothing to make visible
        return text
    folded = fold(text)
    if _mask is not None:  # colours may have stood in the midst of it
        folded = _mask.hide(folded.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
    return _UNSHOWABLE.sub(_visible, folded)


def _is_plain(data: bytes) -> bool:
    """Whether it can be shown as it is; six times as quick as the rest."""
    return data.isascii() and not data.translate(None, _PLAIN)


def _visible(found: re.Match[str]) -> str:
    escaped, count = f"\\x{ord(found[1]) & 0xFF:02x}", len(found[0])
    return escaped * count if count < _RUN else f"{escaped}[{count:,} times]"


def _decode(data: bytes, encoding: str) -> str:
    """Line by line, because one command may run programs of both kinds."""
    return "\n".join(_decode_line(line, encoding) for line in data.split(b"\n"))


def _decode_line(line: bytes, encoding: str) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode(encoding, "surrogateescape")


class Newest:
    """The newest output of a command that runs, as text: no character and no escape sequence is cut in two.

    What follows may not be all that came: the keeper leaves out what is too much for one message.
    """

    def __init__(self) -> None:
        self._held = b""

    def feed(self, chunk: bytes) -> str:
        """The text of one more chunk; what is unfinished waits for the next."""
        held = self._held
        if len(chunk) >= CUT_BYTES and held[:1] >= b"\x80" and chunk[0] & 0xC0 != 0x80:  # noqa: PLR2004  # UTF-8
            held = b""  # the rest of that character was left out
        data = _joined(held, chunk)
        end = character_border(data, len(data))
        unfinished = _UNFINISHED.search(data, max(0, end - HELD_BYTES), end)
        end = unfinished.start() if unfinished else end
        shown, waiting = leaving(data[:end], more_follows=True)
        self._held = waiting + data[end:]
        return _readable(shown)

    def rest(self) -> str:
        """The text of what still waited: nothing follows."""
        held, self._held = self._held, b""
        return readable(held)


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
