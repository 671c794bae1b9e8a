"""The frames: whatever is packed comes out again, however the bytes are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.keeper.wire import (
    HEADER,
    Decoder,
    Kind,
    WireError,
    frame,
    json_frame,
    mixed_frame,
    split_mixed_body,
)

FRAMES = st.lists(st.tuples(st.sampled_from(list(Kind)), st.integers(0, 2**32 - 1), st.binary(max_size=300)))


@given(FRAMES, st.lists(st.integers(1, 50), min_size=1))
def test_frames_survive_any_cutting_of_the_stream(
    frames: list[tuple[Kind, int, bytes]], cuts: list[int]
) -> None:
    stream = b"".join(frame(*one) for one in frames)
    got: list[tuple[int, int, bytes]] = []
    decoder, at, turn = Decoder(), 0, 0
    while at < len(stream):
        size = cuts[turn % len(cuts)]
        got += list(decoder.feed(stream[at : at + size]))
        at, turn = at + size, turn + 1
    assert got == frames


@given(st.dictionaries(st.text(), st.integers() | st.text() | st.none()), st.lists(st.binary()))
def test_json_with_raw_bytes_behind_it_comes_apart_again(
    content: dict[str, object], parts: list[bytes]
) -> None:
    ((_, _, body),) = Decoder().feed(mixed_frame(Kind.EXIT, 7, content, parts))
    decoded, start = split_mixed_body(body)
    assert decoded == content
    assert body[start:] == b"".join(parts)


def test_surrogate_escapes_travel_in_json() -> None:
    ((_, _, body),) = Decoder().feed(json_frame(Kind.SETUP, 0, {"name": "caf\udce9"}))
    assert b"\\udce9" in body


def test_a_frame_that_announces_too_much_is_an_error() -> None:
    with pytest.raises(WireError, match="more than the 100 allowed"):
        list(Decoder(limit_bytes=100).feed(HEADER.pack(101, Kind.INPUT, 1)))
