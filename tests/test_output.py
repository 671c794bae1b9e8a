"""From bytes to readable text: pure functions, shown with examples and with anything hypothesis finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.keeper.frames import Stream
from nacre.output import fold, readable, render

ODD = st.text(alphabet=st.sampled_from("ab \n\r\b\x1b[]0;mK\x07\\é\x00"), max_size=60)


def stream_of(whole: bytes, keep: int, spool: str | None = "/spool/1.out") -> Stream:
    """What a keeper would have kept of a stream."""
    head, rest = whole[:keep], whole[keep:]
    return Stream(len(whole), whole.count(b"\n"), head, rest[-keep:], spool if rest else None)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\n", "plain\n"),
        ("a\r\nb\r\n", "a\nb\n"),
        ("10%\r20%\r100%\n", "100%\n"),
        ("working...\rdone\n", "doneing...\n"),
        ("working...\r\x1b[Kdone\n", "done\n"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(B\x1b[mtext\x1b=", "text"),
        ("N\bNA\bAM\bME\bE", "NAME"),
        ("\x1b[2J\x1b[Hscreen", "screen"),
        ("unfinished \x1b]0;title", "unfinished "),
        ("unfinished \x1b]0;title\nnext line", "unfinished \nnext line"),
    ],
)
def test_the_text_is_folded_as_a_terminal_would_show_it(text: str, shown: str) -> None:
    assert fold(text) == shown


@given(ODD)
def test_folding_never_fails_and_leaves_no_escape_sequences_of_colour(text: str) -> None:
    folded = fold(text)
    assert "\x1b[0m" not in folded
    assert "\r" not in folded
    assert folded.count("\n") == text.count("\n")


@given(st.binary(max_size=200))
def test_any_bytes_become_text_that_can_be_shown(data: bytes) -> None:
    text = readable(data)
    text.encode("utf-8")
    assert all(character in "\n\t" or ord(character) >= 0x20 for character in text)


@given(st.text(max_size=200))
def test_plain_text_is_left_alone(text: str) -> None:
    if text.isprintable():
        assert readable(text.encode()) == text


@given(st.lists(st.text(alphabet="aé€😀", max_size=30), max_size=60), st.integers(20, 400))
def test_shortened_output_keeps_true_ends_and_counts_exactly(lines: list[str], limit: int) -> None:
    whole = "".join(line + "\n" for line in lines).encode()
    shown = render(stream_of(whole, max(limit, 40)), limit)
    if not shown.truncated:
        assert shown.text == whole.decode()
        return
    head, _, rest = shown.text.partition("[... ")
    tail = rest.partition(" ...]\n")[2]
    assert len(head.encode()) + len(tail.encode()) <= limit + 1  # a newline may be added after a cut line
    assert whole.decode().startswith(head.removesuffix("\n"))
    assert whole.decode().endswith(tail)
    assert shown.omitted_bytes >= len(whole) - limit
    assert shown.omitted_lines <= whole.count(b"\n")


def test_a_stream_whose_folded_text_fits_is_not_cut() -> None:
    whole = b"".join(b"\r%d%%" % n for n in range(100)) * 50 + b"\n"
    shown = render(stream_of(whole, 100_000), 1000)
    assert shown.truncated is False
    assert shown.text == "99%\n"


def test_the_note_tells_where_the_rest_is_or_why_it_is_not() -> None:
    lost = Stream(1000, 10, b"a" * 100, b"b" * 100, None, 0, "No space left on device")
    assert "the rest is lost: No space left on device" in render(lost, 100).text
    middle = Stream(10**9, 10, b"a" * 100, b"b" * 100, "/s/1.out", 500, "")
    assert "beginning and end: /s/1.out, 500 bytes between them lost" in render(middle, 100).text
