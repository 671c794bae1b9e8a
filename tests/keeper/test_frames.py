"""The records of the link: what one side says is what the other hears, and what cannot be is refused."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.errors import InternalError
from nacre.keeper import codec, frames
from nacre.keeper.frames import NOTHING, Exit, Kill, Spawn, Stream, TurnEnd, TurnStart
from nacre.keeper.launch import launch
from nacre.keeper.link import Link
from nacre.keeper.wire import Decoder, Kind, json_frame, mixed_frame

SOURCE = Path(__file__).parents[2] / "src"
LEFT = st.lists(st.tuples(st.integers(1, 1 << 22), st.text())).map(tuple)
STREAMS = st.just(NOTHING) | st.builds(
    Stream,
    st.integers(0),
    st.integers(0),
    st.binary(),
    st.binary(),
    st.none() | st.text(),
    st.integers(0),
    st.text(),
    st.booleans(),
    st.text(),
)
EXITS = st.builds(
    Exit,
    st.none() | st.integers(),
    st.none() | st.text(),
    st.sampled_from([None, "timeout", "killed", "limit"]),
    st.integers(0),
    st.integers(0),
    st.none() | st.integers(0),
    LEFT,
    st.integers(0),
    st.sampled_from(["", "memory_bytes"]),
    STREAMS,
    STREAMS,
)


def body_of(data: bytes) -> bytes:
    ((_, _, body),) = Decoder().feed(data)
    return body


@pytest.mark.req("keeper-frames")
@given(EXITS)
def test_the_end_of_a_command_is_decoded_as_it_was_sent(end: Exit) -> None:
    heard = codec.decode_exit(body_of(codec.encode_exit(end, 7)))
    assert heard == end


PLAIN_STREAMS = st.just(NOTHING) | st.binary(min_size=1).map(
    lambda head: Stream(len(head), head.count(b"\n"), head)
)
NUMBERS = st.sampled_from([0, 1, 255, (1 << 31) - 1, 1 << 31, 0xC0000005, 1 << 33, 1 << 64])
SIZES = st.sampled_from([None, 0, 1, 1 << 31, 1 << 40, 1 << 63, 1 << 64])


@pytest.mark.req("keeper-frames")
@given(NUMBERS, NUMBERS, NUMBERS, SIZES, PLAIN_STREAMS, PLAIN_STREAMS)
def test_an_ordinary_end_is_decoded_as_it_was_sent_whatever_its_numbers(  # noqa: PLR0913, PLR0917  # all of them
    code: int, wall_ms: int, cpu_ms: int, rss_bytes: int | None, stdout: Stream, stderr: Stream
) -> None:
    end = Exit(code, None, None, wall_ms, cpu_ms, rss_bytes, (), 0, "", stdout, stderr)
    assert codec.decode_exit(body_of(codec.encode_exit(end, 7))) == end
    texts, streams = ("0 /tmp/\udcff", "/tmp/\udcff"), (stdout, stderr)
    used = code % 3, wall_ms, cpu_ms, rss_bytes
    turn = TurnEnd(texts[0], *used, texts[1], (), 0, "", False, False, "", *streams)
    assert codec.decode_turn_end(body_of(codec.encode_turn_end(turn, 7))) == turn


@pytest.mark.req("keeper-frames")
@given(NUMBERS, NUMBERS, SIZES, st.binary(), st.binary())
def test_an_end_after_short_output_is_decoded_like_any_other(
    code: int, wall_ms: int, rss_bytes: int | None, out: bytes, err: bytes
) -> None:
    streams = [Stream(len(one), one.count(b"\n"), one) if one else NOTHING for one in (out, err)]
    end = Exit(code, None, None, wall_ms, 5, rss_bytes or None, (), 0, "", *streams)
    sent = codec.encode_short_exit(7, code, wall_ms, 5, rss_bytes, out, err)
    assert codec.decode_exit(body_of(sent)) == end
    said, where = "0 /tmp/\udcff", "/tmp/\udcff"
    turn = TurnEnd(said, 2, wall_ms, 0, None, where, (), 0, "", False, False, "", *streams)
    sent = codec.encode_short_turn_end(7, said, 2, wall_ms, where, out, err)
    assert codec.decode_turn_end(body_of(sent)) == turn


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize("taken", [1, 3, 30])
def test_an_ordinary_end_that_is_cut_short_is_refused(taken: int) -> None:
    streams = Stream(3, 1, b"hi\n"), NOTHING
    end = body_of(codec.encode_exit(Exit(0, None, None, 1, 1, None, (), 0, "", *streams), 7))
    turn = TurnEnd("0", 0, 1, 1, None, "/", (), 0, "", False, False, "", *streams)
    turn_end = body_of(codec.encode_turn_end(turn, 7))
    assert end.startswith(bytes(4))
    assert turn_end.startswith(bytes(4))
    with pytest.raises(ValueError, match="end"):
        codec.decode_exit(end[:-taken])
    with pytest.raises(ValueError, match="end"):
        codec.decode_turn_end(turn_end[:-taken])


@pytest.mark.req("keeper-frames")
@given(st.none() | st.text(), STREAMS, STREAMS, st.booleans())
def test_the_end_of_a_turn_is_decoded_as_it_was_sent(
    record: str | None, stdout: Stream, stderr: Stream, unread: object
) -> None:
    end = TurnEnd(
        record, 3, 20, 10, 4096, "/tmp", (), 0, "python3", True, bool(unread), "cpu_s", stdout, stderr
    )
    heard = codec.decode_turn_end(body_of(codec.encode_turn_end(end, 7)))
    assert heard == end


@pytest.mark.req("keeper-frames")
def test_what_a_record_does_not_say_is_the_default_on_the_other_side() -> None:
    heard = codec.decode(Spawn, body_of(codec.encode(Spawn(argv=["x"], cwd="/", program=""), 1)))
    assert (heard.argv, heard.grace_ms, heard.environment, heard.script) == (["x"], 1000, {}, None)
    assert heard == Spawn(argv=["x"], cwd="/", program="")


@pytest.mark.req("keeper-frames")
@given(st.lists(st.text(st.characters(exclude_characters="\0")), min_size=1))
def test_other_arguments_of_the_last_command_are_decoded_as_they_were_sent(argv: list[str]) -> None:
    last = Spawn(argv=["x"], cwd="/", program="")
    again = codec.decode_again(body_of(codec.encode_again([*argv, "\udcff"], 2)), last)
    assert (again.argv, again.cwd, last.argv) == ([*argv, "\udcff"], "/", ["x"])


@pytest.mark.req("keeper-frames")
def test_arguments_that_a_nul_would_divide_are_not_sent_alone() -> None:
    assert codec.encode_again(["sh", "-c", "echo a\0rm b"], 2) == b""


WRONG: dict[str, list[Any]] = {
    "int": ["1", None, True, 1.5, []],
    "bool": [0, "true", None],
    "str": [1, None, ["x"]],
    "int | None": ["1", True],
    "str | None": [1, False],
    "list[str]": ["x", [], [1], None],
    "tuple[str, ...]": [["x", 1], "x"],
    "tuple[int, ...]": [["x"], 1],
    "tuple[str, str]": [["x"], ["x", "y", "z"], ["x", 1]],
    "tuple[int, int] | None": [[24], [24, "80"], 24],
    "dict[str, str]": [{"a": 1}, [], "x"],
    "dict[str, int]": [{"a": "1"}, {"a": True}, []],
    "Left": [[1], [[1]], [["1", "sleep"]], [[1, "sleep", 2]], None],
    "Stream": [[], [1, 2, 3], ["1", 2, 3, 4], [1, 2, 0, 0, 5, 0, "", False, ""], "x"],
}
RIGHT: dict[str, Any] = {
    "int": 1,
    "bool": True,
    "str": "x",
    "int | None": None,
    "str | None": None,
    "list[str]": ["x"],
    "tuple[str, ...]": ["x"],
    "tuple[int, ...]": [1],
    "tuple[str, str]": ["x", "y"],
    "tuple[int, int] | None": [24, 80],
    "dict[str, str]": {"a": "b"},
    "dict[str, int]": {"a": 1},
    "Left": [[1, "sleep"]],
    "Stream": None,
}
OBJECTS = [
    getattr(frames, name)
    for name in (
        "Setup",
        "Spawn",
        "TurnStart",
        "Signal",
        "Kill",
        "Resize",
        "Credit",
        "Hello",
        "Started",
        "Error",
        "Ended",
    )
]


_TEXTS = st.text(st.characters(codec=None, categories=["L", "N", "P", "Z", "Cc", "Cs"]), max_size=8)
_STARTS = st.builds(
    TurnStart,
    turn=st.integers(0, 1 << 33),
    marker=_TEXTS,
    feed=_TEXTS,
    report=_TEXTS,
    pair=st.integers(0, 1 << 33),
    keep_bytes=st.integers(0, 1 << 65),
    files=st.dictionaries(_TEXTS, _TEXTS, max_size=2),
)


@pytest.mark.req("keeper-frames")
@given(_STARTS, st.sampled_from([{}, {"stdin": "x"}, {"follow_ms": 5}, {"hashed": True}]))
def test_a_turn_arrives_as_it_was_sent_whatever_its_texts_are(start: TurnStart, more: dict[str, Any]) -> None:
    sent = TurnStart(**start.__dict__, **more)
    came = codec.decode_turn_start(body_of(codec.encode_turn_start(sent, 1)))
    assert [getattr(came, name) for name in TurnStart.__annotations__] == [
        getattr(sent, name) for name in TurnStart.__annotations__
    ]


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize(
    ("body", "says"), [(bytes(8), "ends before its numbers"), (bytes(28) + b"a\0b", "has 5 texts, not 2")]
)
def test_a_turn_that_is_not_whole_is_refused(body: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        codec.decode_turn_start(body)


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize("record", OBJECTS, ids=lambda record: record.__name__)
def test_every_field_of_every_record_is_checked(record: type) -> None:
    right = {name: RIGHT[kind] for name, kind in record.__annotations__.items()}
    codec.decode(record, json.dumps(right).encode())
    for name, kind in record.__annotations__.items():
        for wrong in WRONG[kind]:
            with pytest.raises(ValueError, match=f"{record.__name__}.{name} does not fit"):
                codec.decode(record, json.dumps({**right, name: wrong}).encode())


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize(("record", "decode"), [(Exit, codec.decode_exit), (TurnEnd, codec.decode_turn_end)])
def test_every_field_of_an_end_is_checked(record: type, decode: Any) -> None:
    right = [RIGHT[kind] for kind in record.__annotations__.values()]
    decode(body_of(mixed_frame(Kind.EXIT, 1, right, [])))
    for place, (name, kind) in enumerate(record.__annotations__.items()):
        for wrong in WRONG[kind]:
            content = [*right[:place], wrong, *right[place + 1 :]]
            with pytest.raises(ValueError, match=f"{name} does not fit"):
                decode(body_of(mixed_frame(Kind.EXIT, 1, content, [])))


@pytest.mark.req("keeper-frames")
@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "ends before its JSON"),
        (body_of(mixed_frame(Kind.EXIT, 1, {}, [])), "a JSON array of 11 values"),
        (body_of(mixed_frame(Kind.EXIT, 1, [1, 2], [])), "a JSON array of 11 values"),
        (
            body_of(
                mixed_frame(
                    Kind.EXIT, 1, [0, None, None, 1, 1, None, [], 0, "", [9, 0, 9, 0], None], [b"short"]
                )
            ),
            "announces",
        ),
    ],
)
def test_an_end_whose_shape_is_wrong_is_refused(body: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        codec.decode_exit(body)


# -- a keeper that says what cannot be


PRELUDE = """
import sys; sys.path.insert(0, sys.argv[1])
from nacre.keeper import commands, program
from nacre.keeper.wire import Kind, frame, json_frame, mixed_frame
"""
BAD_EXIT = """
real = commands.Command._exit_frame
def bad(self, left):
    return mixed_frame(Kind.EXIT, self.id, ["zero"], []) if self.id == 1 else real(self, left)
commands.Command._exit_frame = bad
"""
BAD_STREAM = """
commands.Command._exit_frame = lambda self, left: b"\\xff" * 9
"""


async def end_of(link: Link, spawn: Spawn) -> Any:
    (end,) = await asyncio.gather(link.run(spawn).exit, return_exceptions=True)
    return end


async def ends_of(faults: str, spool_dir: str) -> tuple[Any, Any, bool]:
    """How two commands of one faulty keeper end, and whether that keeper is given up."""
    argv = [sys.executable, "-I", "-S", "-c", f"{PRELUDE}\n{faults}\nprogram.main()", str(SOURCE)]
    link = Link(launch(argv))
    await link.open(dict(os.environ), spool_dir)
    spawn = Spawn(argv=["sh", "-c", "echo hi"], program="/bin/sh", cwd="/")
    try:
        async with asyncio.timeout(30):
            first = await end_of(link, spawn)
            return first, None if link.lost else await end_of(link, spawn), link.lost
    finally:
        await link.close()


@pytest.mark.req("keeper-frames")
def test_an_impossible_end_is_reported_to_its_command_and_others_go_on(tmp_path: Path) -> None:
    first, second, lost = asyncio.run(ends_of(BAD_EXIT, str(tmp_path)))
    assert isinstance(first, InternalError)
    assert "EXIT: Exit is a JSON array" in str(first)
    assert second.stdout.head == b"hi\n"
    assert not lost


@pytest.mark.req("keeper-frames")
def test_a_keeper_that_sends_no_frames_is_given_up(tmp_path: Path) -> None:
    first, _, lost = asyncio.run(ends_of(BAD_STREAM, str(tmp_path)))
    assert isinstance(first, InternalError)
    assert "not a frame" in str(first)
    assert lost


@pytest.mark.req("keeper-frames")
def test_records_show_what_they_hold() -> None:
    assert repr(Kill(grace_ms=5)) == "Kill(grace_ms=5)"
    assert Kill(grace_ms=5) != Kill(grace_ms=6)
    assert TurnStart(turn=1, marker="m", feed="f").files == {}
    assert json_frame(Kind.KILL, 2, {"grace_ms": 5}) == codec.encode(Kill(grace_ms=5), 2)
