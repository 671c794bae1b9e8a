"""Binary output: what is sent stays within its limit, and no message cuts a character in two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_client import WireClient, told_of

from nacre.keeper.frames import Stream
from nacre.output import Newest, readable, render

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

LIMIT = 32 * 1024
NOTE_CHARACTERS = 300  # what stands between the beginning and the end of a shortened output

ODD = st.text(alphabet="\0\x01\xff\n\rab€\x1b[", max_size=400)

# -- the limit holds for what is sent

BINARY = {
    "NUL": "head -c 32768 /dev/zero",
    "a megabyte of NUL": "head -c 1000000 /dev/zero",
    "control characters": "head -c 16384 /dev/zero | sed 's/\\x00/\\x01\\x02/g'",
    "bytes that are no UTF-8": "head -c 32768 /dev/zero | tr '\\0' '\\377'",
    "two bytes that are none, in turn": "head -c 16384 /dev/zero | sed 's/\\x00/\\xff\\xfe/g'",
    "text with controls": "head -c 8000 /dev/zero | sed 's/\\x00/ok\\x01\\x7f/g'",
    "deleted": "head -c 30000 /dev/zero | tr '\\0' '\\177'",
    "random": "head -c 32768 /dev/urandom",
}


@pytest.mark.req("fault-binary-output")
@pytest.mark.parametrize("session", [None, "one"])
@pytest.mark.parametrize("command", BINARY.values(), ids=BINARY)
def test_the_limit_of_a_reply_holds_whatever_is_printed(
    server: WireClient, command: str, session: str | None
) -> None:
    more = {"session": session} if session else {}
    reply = server.shell(f"export LC_ALL=C; {command}", **more)
    assert reply["exit_code"] == 0
    assert len(reply["stdout"].encode()) <= LIMIT + NOTE_CHARACTERS
    if reply["truncated"]:
        assert "whole output: " in reply["stdout"] or "beginning and end: " in reply["stdout"]


@pytest.mark.req("fault-binary-output")
def test_what_a_reply_has_no_room_for_is_in_the_spool(server: WireClient) -> None:
    reply = server.shell("head -c 20000 /dev/zero | LC_ALL=C sed 's/\\x00/\\x01/g;s/\\x01\\x01/\\x01\\xff/g'")
    assert reply["truncated"] is True
    assert server.shell(f"wc -c < {reply['spool']}.out")["stdout"].strip() == "20000"


@pytest.mark.req("fault-binary-output")
def test_a_run_of_the_same_byte_is_shown_once_with_its_length(server: WireClient) -> None:
    assert server.shell("head -c 20 /dev/zero")["stdout"] == "\\x00[20 times]"
    assert server.shell("head -c 32768 /dev/zero")["stdout"].startswith("[binary data: 32,768 bytes, ")
    assert server.shell("printf 'a\\0\\0\\0b\\n'")["stdout"] == "a\\x00\\x00\\x00b\n"
    literal = "\\x00" * 20
    assert server.shell(f"printf '%s' '{literal}'")["stdout"] == literal, "a program's own text stays"


@pytest.mark.req("fault-binary-output")
@given(
    st.binary(max_size=600) | st.text(alphabet="\0\x01\xff\n\rab€\x1b[", max_size=400), st.integers(16, 400)
)
def test_any_bytes_are_shown_within_any_limit(printed: bytes | str, limit: int) -> None:
    data = printed if isinstance(printed, bytes) else printed.encode("latin-1", "replace")
    shown = render(Stream(len(data), data.count(b"\n"), data, b"", "/spool/1.out"), limit)
    note = shown.text[shown.text.find("[... ") : shown.text.find(" ...]\n") + 6] if shown.truncated else ""
    assert len(shown.text.encode()) <= limit + len(note.encode()) + 1
    if not shown.truncated:
        assert shown.text == readable(data)
    else:
        assert 0 < shown.omitted_bytes <= len(data)


# -- progress


@pytest.mark.req("fault-cut-progress")
@given(
    st.text(alphabet="aé€😀\n", max_size=60),
    st.lists(st.integers(1, 7), min_size=1, max_size=80),
)
def test_however_text_is_cut_into_chunks_the_same_text_is_shown(text: str, sizes: list[int]) -> None:
    newest, shown, data = Newest(), "", text.encode()
    while data:
        size = sizes[len(shown) % len(sizes)]
        chunk, data = data[:size], data[size:]
        shown += newest.feed(chunk)
    assert shown + newest.rest() == text


@pytest.mark.req("fault-cut-progress")
@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        ([b"\x1b[3", b"1mred\x1b", b"[0m\n"], "red\n"),
        ([b"\x1b]0;ti", b"tle\x07text"], "text"),
        ([b"\x1b]8;;http://x\x1b", b"\\link"], "link"),
        ([b"one\r", b"\ntwo"], "one\ntwo"),
        ([b"50%\r", b"60%\r", b"70%"], "50%60%70%"),
        ([b"caf\xe9", b"\n"], "caf\\xe9\n"),
        ([b"\xff", b"x"], "\\xffx"),
        ([b"\xe2\x82", b"y" * 4000], "y" * 4000),
        ([b"\xe2\x82", b"\xac" + b"y" * 4000], "€" + "y" * 4000),
        ([b"\xf0\x9f\x98"], "\\xf0\\x9f\\x98"),
    ],
)
def test_nothing_is_cut_in_two_by_a_message(chunks: list[bytes], text: str) -> None:
    newest = Newest()
    assert "".join([newest.feed(chunk) for chunk in chunks]) + newest.rest() == text


def progress_of(server: WireClient, command: str) -> tuple[list[str], dict[str, Any]]:
    call = server.post_call("shell", {"command": command}, {"progressToken": 1})
    answer = server.answer_to(call)
    messages = [message["params"]["message"] for message in server.others]
    server.others.clear()
    return messages, told_of(answer["result"])


@pytest.mark.req("fault-cut-progress")
def test_progress_shows_characters_whole_when_a_program_prints_them_byte_by_byte(server: WireClient) -> None:
    one_by_one = 'for byte in 342 202 254 360 237 230 200; do printf "\\\\$byte"; sleep 0.15; done'
    messages, reply = progress_of(server, one_by_one)
    assert reply["stdout"] == "€😀"
    assert "".join(messages) == "€😀"


@pytest.mark.req("fault-cut-progress")
def test_progress_of_two_streams_at_once_mixes_no_characters(server: WireClient) -> None:
    both = "printf '\\342\\202'; printf '\\303' >&2; sleep 0.3; printf '\\254'; printf '\\251' >&2; sleep 0.3"
    messages, reply = progress_of(server, both)
    assert (reply["stdout"], reply["stderr"]) == ("€", "é")
    assert sorted("".join(messages)) == ["é", "€"]


@pytest.mark.req("fault-cut-progress")
def test_progress_of_much_output_starts_at_characters_and_has_no_false_bytes(server: WireClient) -> None:
    much = "for i in 1 2 3 4 5; do yes '日本語テキスト' | head -c 99990; sleep 0.12; done"
    messages, _ = progress_of(server, much)
    assert messages
    assert not [message for message in messages if "\\x" in message]
