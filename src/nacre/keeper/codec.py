"""The records of the link as bytes: encoding and decoding of `frames`.

Above it: `link` (nacre's side), and on the keeper's side everything that receives or sends frames.
Below: `frames`, the records, and `wire`, which cuts bytes into frames.

On the wire a record is a JSON object of the fields that were given; the others have their defaults. The two
that are sent for every command, `Exit` and `TurnEnd`, are JSON arrays of all fields, followed by the kept
output as raw bytes. An ordinary end, as nearly all are, has numbers of fixed size instead of the JSON, whose
length is 0 then: a fifth of the cost. So has an ordinary `TurnStart`, followed by its texts. INPUT, OUTPUT
and CONTROL are raw bytes and have no record.

Decoding checks the type of each field, and raises a ValueError that names one that does not fit.
"""

from __future__ import annotations

import struct

from nacre.keeper import quickjson
from nacre.keeper.frames import (
    NOTHING,
    Credit,
    Ended,
    Error,
    Exit,
    Hello,
    Kill,
    Leaving,
    LeftEnd,
    News,
    Part,
    Read,
    Resize,
    Setup,
    Signal,
    Spawn,
    Started,
    Stream,
    TurnEnd,
    TurnStart,
    Unguarded,
    Watch,
)
from nacre.keeper.wire import HEADER, Kind, frame, json_frame, mixed_frame, split_mixed_body

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Record = TypeVar("Record")

SHAPES_KEPT = 64  # a link uses ten
# An ordinary end after the 0: how, two times, memory (0: unknown); size and line count of both streams.
_PLAIN_EXIT = struct.Struct(">IIIIQIIII")
# The same for a turn, with its pair of pipes, and the lengths of its record and its directory.
_PLAIN_TURN = struct.Struct(">IIIIQIIIIII")
_PLAIN_START = struct.Struct(">IIIQQ")  # turn, pair, what is kept, the size of a spool
_EXIT_FRAME, _TURN_FRAME, _START_FRAME = (  # with the header in front
    struct.Struct(HEADER.format + plain.format[1:]) for plain in (_PLAIN_EXIT, _PLAIN_TURN, _PLAIN_START)
)
_MOST = (1 << 31) - 1  # the largest number of four bytes
_START_TEXTS = 5  # marker, feed, report, and the suffix and the text of a file
_START_FIELDS = {"turn", "marker", "feed", "pair", "files", "report", "keep_bytes", "spool_bytes"}
_NO_JSON = bytes(4)
_NO_SPOOL = [None, 0, "", False, "", ""]


# -- to bytes


def encode(record: Any, command_id: int = 0) -> bytes:
    """The frame of a record."""
    return json_frame(_KINDS[type(record)], command_id, record.__dict__)


def encode_again(argv: list[str], command_id: int) -> bytes:
    """AGAIN: the last SPAWN with other arguments; empty where one holds a NUL, which separates them here."""
    words = "\0".join(argv).encode("utf-8", "surrogatepass")
    if words.count(b"\0") != len(argv) - 1:
        return b""
    return HEADER.pack(len(words), Kind.AGAIN, command_id) + words


def encode_turn_start(start: TurnStart, command_id: int) -> bytes:
    """The frame of a command for a persistent shell."""
    most = max(start.turn, start.pair, start.keep_bytes >> 32, start.spool_bytes >> 32)
    if (
        start.__dict__.keys() <= _START_FIELDS
        and len(start.files) <= 1
        and "" not in start.files
        and most <= _MOST
    ):
        file = next(iter(start.files.items()), ("", ""))
        texts = "\0".join((start.marker, start.feed, start.report, *file)).encode("utf-8", "surrogatepass")
        if texts.count(b"\0") == _START_TEXTS - 1:
            size, kept = _PLAIN_START.size + len(texts), (start.keep_bytes, start.spool_bytes)
            header = size, Kind.TURN_START, command_id
            return _START_FRAME.pack(*header, 0, start.turn, start.pair, *kept) + texts
    return encode(start, command_id)


def encode_exit(end: Exit, command_id: int) -> bytes:
    """The frame of a command's end."""
    code = -1 if end.code is None or end.signal is not None or end.why is not None else end.code
    if 0 <= code <= _MOST and _is_ordinary(end):
        numbers = code, end.wall_ms, end.cpu_ms, end.max_rss_bytes or 0
        out, err = end.stdout, end.stderr
        counts = out.total_bytes, out.line_ends, err.total_bytes, err.line_ends
        return frame(Kind.EXIT, command_id, _PLAIN_EXIT.pack(0, *numbers, *counts) + out.head + err.head)
    content = [end.code, end.signal, end.why, end.wall_ms, end.cpu_ms, end.max_rss_bytes]
    content += [end.left, end.left_total, end.limit]
    return _with_streams(Kind.EXIT, command_id, content, (end.stdout, end.stderr))


def encode_short_exit(  # noqa: PLR0913, PLR0917  # a record would be taken apart again at once
    command_id: int, code: int, wall_ms: int, cpu_ms: int, max_rss_bytes: int | None, out: bytes, err: bytes
) -> bytes:
    """The frame of an ordinary end after short output, as most are."""
    rss_bytes = max_rss_bytes or 0
    if max(code, wall_ms, cpu_ms, rss_bytes >> 32) > _MOST:
        used = wall_ms, cpu_ms, max_rss_bytes or None
        return encode_exit(Exit(code, None, None, *used, (), 0, "", _whole(out), _whole(err)), command_id)
    size = _PLAIN_EXIT.size + len(out) + len(err)
    numbers = code, wall_ms, cpu_ms, rss_bytes
    counts = len(out), out.count(b"\n"), len(err), err.count(b"\n")
    return _EXIT_FRAME.pack(size, Kind.EXIT, command_id, 0, *numbers, *counts) + out + err


def encode_turn_end(end: TurnEnd, command_id: int) -> bytes:
    """The frame of a turn's end."""
    odd = end.replaced or end.mute or end.unread
    if end.record is not None and end.directory is not None and not odd and _is_ordinary(end):
        record, directory = _to_bytes(end.record), _to_bytes(end.directory)
        numbers = end.pair, end.wall_ms, end.cpu_ms, end.max_rss_bytes or 0, len(record), len(directory)
        out, err = end.stdout, end.stderr
        counts = out.total_bytes, out.line_ends, err.total_bytes, err.line_ends
        head = _PLAIN_TURN.pack(0, *numbers, *counts)
        return frame(Kind.TURN_END, command_id, head + record + directory + out.head + err.head)
    content = [end.record, end.pair, end.wall_ms, end.cpu_ms, end.max_rss_bytes, end.directory]
    content += [end.left, end.left_total, end.replaced, end.mute, end.unread, end.limit]
    return _with_streams(Kind.TURN_END, command_id, content, (end.stdout, end.stderr))


def encode_short_turn_end(  # noqa: PLR0913, PLR0917  # as above
    command_id: int, record: str, pair: int, wall_ms: int, directory: str, out: bytes, err: bytes
) -> bytes:
    """The frame of a turn's ordinary end after short output, where nothing else was measured."""
    if wall_ms > _MOST:
        used, streams = (pair, wall_ms, 0, None), (_whole(out), _whole(err))
        end = TurnEnd(record, *used, directory, (), 0, "", False, False, "", *streams)
        return encode_turn_end(end, command_id)
    said, where = _to_bytes(record), _to_bytes(directory)
    size = _PLAIN_TURN.size + len(said) + len(where) + len(out) + len(err)
    numbers = pair, wall_ms, 0, 0, len(said), len(where)
    counts = len(out), out.count(b"\n"), len(err), err.count(b"\n")
    head = _TURN_FRAME.pack(size, Kind.TURN_END, command_id, 0, *numbers, *counts)
    return head + said + where + out + err


def _whole(output: bytes) -> Stream:
    return Stream(len(output), output.count(b"\n"), output) if output else NOTHING


def _is_ordinary(end: Exit | TurnEnd) -> bool:
    """Whether nothing was left, no limit exceeded, all output kept, and every number fits."""
    if end.left or end.left_total or end.limit:
        return False
    for stream in (end.stdout, end.stderr):
        if stream is not NOTHING and not _is_whole(stream):
            return False
    rss_bytes = 1 if end.max_rss_bytes is None else end.max_rss_bytes
    return 0 < rss_bytes <= _MOST << 32 and max(end.wall_ms, end.cpu_ms) <= _MOST


def _is_whole(stream: Stream) -> bool:
    """Whether its head is the whole stream."""
    if not stream.head or not stream.line_ends <= stream.total_bytes == len(stream.head) <= _MOST:
        return False
    if stream.tail or stream.spool is not None or stream.spool_omitted_bytes or stream.spool_failed:
        return False
    return not (stream.goes_on or stream.rest_lost or stream.sha256)


def _to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _with_streams(kind: Kind, command_id: int, content: list[Any], streams: tuple[Stream, Stream]) -> bytes:
    """The sizes of the kept output in the JSON, the bytes themselves after it."""
    parts: list[bytes] = []
    for stream in streams:
        if stream is NOTHING:
            content.append(None)
            continue
        counts: list[Any] = [stream.total_bytes, stream.line_ends, len(stream.head), len(stream.tail)]
        spool = [
            stream.spool,
            stream.spool_omitted_bytes,
            stream.spool_failed,
            stream.goes_on,
            stream.rest_lost,
            stream.sha256,
        ]
        if spool != _NO_SPOOL:
            counts += spool
        content.append(counts)
        parts += (stream.head, stream.tail)
    return mixed_frame(kind, command_id, content, parts)


def encode_part(part: Part, command_id: int) -> bytes:
    """The frame of a part of an output."""
    content = [part.ticket, part.known, part.total_bytes, part.line_ends]
    content += [part.missing_from, part.missing_bytes]
    return mixed_frame(Kind.PART, command_id, content, [part.data])


# -- from bytes


def decode_part(body: bytes) -> Part:
    """A part of an output. Raises ValueError like `decode`."""
    values, at = split_mixed_body(body)
    if values.__class__ is not list or [*map(type, values)] != [int, bool, int, int, int, int]:
        raise ValueError("Part is a JSON array of six values")
    part = Part(*values)
    part.data = body[at:]
    return part


def decode(record: type[Record], body: bytes) -> Record:
    """The record in a frame. Raises ValueError that says what is wrong with it."""
    given: Any = quickjson.decode(body.decode())
    if given.__class__ is not dict:
        raise ValueError(f"{record.__name__} is a JSON object")
    shape = (record, *given, *map(type, given.values()))
    checks = _CHECKS.get(shape)
    if checks is None:
        checks = _checks_of_object(record, given, shape)
    for _, name, fits in checks:
        if not fits(given[name]):
            raise _unfitting(record, name, given[name])
    return record(**given)


def _checks_of_object(record: type, given: dict[str, Any], shape: tuple[Any, ...]) -> Checks:
    """Check names and types; returns the checks that remain for each record of the same shape."""
    fields, required = _FIELDS[record]
    if not required <= given.keys() <= fields.keys():
        missing, unknown = sorted(required - given.keys()), sorted(given.keys() - fields.keys())
        raise ValueError(f"{record.__name__} lacks {missing} and does not take {unknown}")
    return _checks(record, [*given.items()], shape)


def _checks(record: type, given: list[tuple[str, Any]], shape: tuple[Any, ...]) -> Checks:
    """Check the type of each value by its name. A few shapes make up nearly all records."""
    fields, _ = _FIELDS[record]
    checks: Checks = []
    for place, (name, value) in enumerate(given):
        types, fits = fields[name]
        if value.__class__ not in types:
            raise _unfitting(record, name, value)
        if fits is not None and value is not None:
            checks.append((place, name, fits))
    if len(_CHECKS) < SHAPES_KEPT:
        _CHECKS[shape] = checks
    return checks


def decode_again(body: bytes, last: Spawn) -> Spawn:
    """The last spawn with other arguments. Raises ValueError like `decode`."""
    spawn = Spawn.__new__(Spawn)
    spawn.__dict__ = {**last.__dict__, "argv": body.decode("utf-8", "surrogatepass").split("\0")}
    return spawn


def decode_turn_start(body: bytes) -> TurnStart:
    """A command for a persistent shell. Raises ValueError like `decode`."""
    if not body.startswith(_NO_JSON):
        return decode(TurnStart, body)
    if len(body) < _PLAIN_START.size:
        raise _without_numbers()
    _, turn, pair, keep_bytes, spool_bytes = _PLAIN_START.unpack_from(body)
    texts = body[_PLAIN_START.size :].decode("utf-8", "surrogatepass").split("\0")
    if len(texts) != _START_TEXTS:
        raise ValueError(f"TurnStart has {_START_TEXTS} texts, not {len(texts)}")
    marker, feed, report, suffix, text = texts
    return TurnStart(
        turn=turn,
        marker=marker,
        feed=feed,
        pair=pair,
        files={suffix: text} if suffix else {},
        report=report,
        keep_bytes=keep_bytes,
        spool_bytes=spool_bytes,
    )


def decode_exit(body: bytes) -> Exit:
    """The end of a command. Raises ValueError like `decode`."""
    if body.startswith(_NO_JSON):
        if len(body) < _PLAIN_EXIT.size:
            raise _without_numbers()
        _, code, wall_ms, cpu_ms, rss_bytes, *counts = _PLAIN_EXIT.unpack_from(body)
        streams = _plain_streams(body, _PLAIN_EXIT.size, counts)
        return Exit(code, None, None, wall_ms, cpu_ms, rss_bytes or None, (), 0, "", *streams)
    end = Exit(*_read_report(Exit, body))
    end.left = tuple([(pid, line) for pid, line in end.left]) if end.left else ()
    return end


def decode_turn_end(body: bytes) -> TurnEnd:
    """The end of a turn. Raises ValueError like `decode`."""
    if body.startswith(_NO_JSON):
        if len(body) < _PLAIN_TURN.size:
            raise _without_numbers()
        _, pair, wall_ms, cpu_ms, rss_bytes, record, directory, *counts = _PLAIN_TURN.unpack_from(body)
        middle = _PLAIN_TURN.size + record
        at = middle + directory
        said = body[_PLAIN_TURN.size : middle].decode("utf-8", "surrogatepass")
        where = body[middle:at].decode("utf-8", "surrogatepass")
        streams = _plain_streams(body, at, counts)
        used = pair, wall_ms, cpu_ms, rss_bytes or None
        return TurnEnd(said, *used, where, (), 0, "", False, False, "", *streams)
    end = TurnEnd(*_read_report(TurnEnd, body))
    end.left = tuple([(pid, line) for pid, line in end.left]) if end.left else ()
    return end


def _without_numbers() -> ValueError:
    return ValueError("the frame ends before its numbers")


def _plain_streams(body: bytes, at: int, counts: list[int]) -> tuple[Stream, Stream]:
    out_bytes, out_lines, err_bytes, err_lines = counts
    middle, end = at + out_bytes, at + out_bytes + err_bytes
    if end != len(body):
        raise ValueError(f"an end announces {end} bytes and has {len(body)}")
    return (
        Stream(out_bytes, out_lines, body[at:middle]) if out_bytes else NOTHING,
        Stream(err_bytes, err_lines, body[middle:end]) if err_bytes else NOTHING,
    )


def _read_report(record: type, body: bytes) -> list[Any]:
    values, at = split_mixed_body(body)
    if values.__class__ is not list:
        raise ValueError(f"{record.__name__} is a JSON array of {len(_FIELDS[record][0])} values")
    shape = (record, *map(type, values))
    checks = _CHECKS.get(shape)
    if checks is None:
        checks = _checks_of_array(record, values, shape)
    for place, name, fits in checks:
        if not fits(values[place]):
            raise _unfitting(record, name, values[place])
    for place in (-2, -1):
        counts = values[place]
        if counts is None:
            values[place] = NOTHING
        else:
            total, lines, head, tail, *spool = counts
            middle, end = at + head, at + head + tail
            values[place] = Stream(total, lines, body[at:middle], body[middle:end], *spool)
            at = end
    if at != len(body):
        raise ValueError(f"{record.__name__} announces {at} bytes and has {len(body)}")
    return values


def _checks_of_array(record: type, values: list[Any], shape: tuple[Any, ...]) -> Checks:
    """Like `_checks_of_object`."""
    fields, _ = _FIELDS[record]
    if len(values) != len(fields):
        raise ValueError(f"{record.__name__} is a JSON array of {len(fields)} values")
    return _checks(record, [*zip(fields, values, strict=True)], shape)


def _unfitting(record: type, name: str, value: object) -> ValueError:
    """The error for a value, which is not shown: it may be secret."""
    return ValueError(f"{record.__name__}.{name} does not fit ({type(value).__name__})")


# -- types: the annotation of a field says what fits: a set of types, or a function where that is not enough


def _is_words(value: list[Any]) -> bool:
    return bool(value) and all([type(word) is str for word in value])  # noqa: C419  # a list is quicker


def _holds(kind: type, size: int = 0) -> Callable[[Any], bool]:
    return lambda value: all(type(one) is kind for one in value) and len(value) == (size or len(value))


def _maps_to(kind: type) -> Callable[[Any], bool]:
    return lambda value: all(type(one) is kind for one in value.values())


def _is_left(value: list[Any]) -> bool:
    return not value or all(type(one) is list and [*map(type, one)] == [int, str] for one in value)


def _is_stream(value: list[Any]) -> bool:
    return [*map(type, value)] in _STREAM_SHAPES


if TYPE_CHECKING:
    Fits = tuple[tuple[type, ...], Callable[[Any], bool] | None]
    Checks = list[tuple[int, str, Callable[[Any], bool]]]  # for records of one shape: position, name, check

_NONE = type(None)
_COUNTS = [int, int, int, int]
_STREAM_SHAPES = [_COUNTS, *([*_COUNTS, spool, int, str, bool, str, str] for spool in (str, _NONE))]
_WORDS: Fits = ((list,), _is_words)
_FITTING: dict[str, Fits] = {
    "int": ((int,), None),
    "bool": ((bool,), None),
    "str": ((str,), None),
    "int | None": ((int, _NONE), None),
    "str | None": ((str, _NONE), None),
    "list[str]": _WORDS,
    "tuple[str, ...]": ((list,), _holds(str)),
    "tuple[int, ...]": ((list,), _holds(int)),
    "tuple[str, str]": ((list,), _holds(str, 2)),
    "tuple[int, int] | None": ((list, _NONE), lambda value: value is None or _holds(int, 2)(value)),
    "dict[str, str]": ((dict,), _maps_to(str)),
    "dict[str, int]": ((dict,), _maps_to(int)),
    "Left": ((list,), _is_left),
    "Stream": ((list, _NONE), _is_stream),
}
_KINDS = {
    Setup: Kind.SETUP,
    Spawn: Kind.SPAWN,
    TurnStart: Kind.TURN_START,
    Signal: Kind.SIGNAL,
    Kill: Kind.KILL,
    Resize: Kind.RESIZE,
    Credit: Kind.CREDIT,
    Read: Kind.READ,
    Watch: Kind.WATCH,
    News: Kind.NEWS,
    LeftEnd: Kind.LEFT_END,
    Hello: Kind.HELLO,
    Started: Kind.STARTED,
    Error: Kind.ERROR,
    Ended: Kind.ENDED,
    Leaving: Kind.LEAVING,
    Unguarded: Kind.UNGUARDED,
}


def _fields(record: type) -> tuple[dict[str, Fits], set[str]]:
    """How each field of a record is checked, and which are required."""
    named: dict[str, str] = record.__annotations__
    return {name: _FITTING[kind] for name, kind in named.items()}, named.keys() - record.__dict__.keys()


_CHECKS: dict[tuple[Any, ...], Checks] = {}  # by shape: the record, the given names, their types
_FIELDS: dict[type, tuple[dict[str, Fits], set[str]]] = {
    record: _fields(record) for record in (*_KINDS, Exit, TurnEnd)
}
