"""The tool `output`: whatever a command printed can be read, in any part, under any rules."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from process_table import Bell, Gate
from wire_client import text_of

from nacre.binary import is_binary
from nacre.errors import RequestError
from nacre.output_query import Query
from nacre.output_reader import read
from nacre.outputs import Printed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wire_client import WireClient

    from nacre.output_query import Excerpt

    Start = Callable[..., WireClient]

LINES = "".join(f"{number}\n" for number in range(1, 20001)).encode()


def checked_data(result: dict[str, Any]) -> dict[str, Any]:
    assert result["isError"] is False, result
    return result["structuredContent"]


def read_on(server: WireClient, output_id: str, **arguments: Any) -> bytes:
    """All of an output, part after part, each from where the one before has ended."""
    whole, offset = b"", 0
    while True:
        part = checked_data(server.call("output", id=output_id, offset=offset, base64=True, **arguments))
        assert part["offset"] == offset
        whole += base64.b64decode(part["output"])
        if part["next_offset"] == part["total_bytes"]:
            return whole
        assert part["next_offset"] > offset
        offset = part["next_offset"]


# -- what can be read


@pytest.mark.req("output-tool")
@pytest.mark.parametrize("session", [{}, {"session": "s"}], ids=["once", "session"])
def test_what_a_reply_left_out_is_read_in_parts_that_follow_on_each_other(
    server: WireClient, session: dict[str, str]
) -> None:
    result = server.shell("seq 20000", **session)
    assert result["truncated"] is True
    assert read_on(server, result["output_id"], limit=10_000) == LINES


@pytest.mark.req("output-tool")
def test_lines_the_last_lines_and_a_byte_range_are_read(server: WireClient) -> None:
    output_id = server.shell("seq 20000")["output_id"]
    assert (
        checked_data(server.call("output", id=output_id, line=15000, lines=2))["output"] == "15000\n15001\n"
    )
    last = checked_data(server.call("output", id=output_id, tail=2))
    assert (last["output"], last["line"]) == ("19999\n20000\n", 19999)
    assert checked_data(server.call("output", id=output_id, offset=4, limit=4))["output"] == "3\n4\n"
    text = text_of(server.call("output", id=output_id, line=7, lines=2))
    assert text == f"stdout of {output_id}: bytes 12 to 16 of 108894; from line 7; next_offset 16\n7\n8"


@pytest.mark.req("output-tool")
def test_without_an_id_it_is_the_last_command_and_a_short_output_is_read_too(server: WireClient) -> None:
    server.shell("echo out; echo err >&2")
    assert checked_data(server.call("output"))["output"] == "out\n"
    assert checked_data(server.call("output", stream="stderr"))["output"] == "err\n"


@pytest.mark.req("output-tool")
@pytest.mark.parametrize("session", [{}, {"session": "s"}], ids=["once", "session"])
def test_after_a_timeout_all_that_was_printed_is_read(server: WireClient, session: dict[str, str]) -> None:
    result = server.shell("seq 20000; sleep 60", timeout=1, **session)
    assert result["ended"] == "timed_out"
    assert read_on(server, result["output_id"]) == LINES


@pytest.mark.req("output-tool")
def test_what_a_process_left_behind_prints_later_is_read(server: WireClient, tmp_path: Path) -> None:
    gate, bell = Gate(tmp_path), Bell(tmp_path)
    result = server.shell(f"echo early; {{ read x < {gate.path}; echo late; {bell.ring}; }} &")
    first = checked_data(server.call("output", id=result["output_id"]))
    assert (first["output"], first["goes_on"]) == ("early\n", True)
    gate.open()
    bell.wait()
    bell.close()
    seen, offset = "", first["next_offset"]
    while not seen:  # the keeper reads what was printed before the bell when it comes to it
        part = checked_data(server.call("output", id=result["output_id"], offset=offset))
        seen, offset = seen + part["output"], part["next_offset"]
    assert seen == "late\n"


@pytest.mark.req("output-tool")
@pytest.mark.parametrize(
    "rules",
    [
        '[policy]\nallow = ["seq"]\n',
        '[policy]\nallow = ["seq"]\nallowed_directories = ["/usr"]\n',
        '[policy]\ndeny = ["cat"]\n',
        '[shell_tool]\nallowed_directories = ["/usr"]\n',
    ],
)
def test_no_rule_and_no_allowed_directory_stands_before_it(start: Start, tmp_path: Path, rules: str) -> None:
    (file := tmp_path / "nacre.toml").write_text(rules)
    server = start("--config", str(file), "--shell", "bash")
    output_id = server.shell("seq 20000", working_directory="/usr")["output_id"]
    assert read_on(server, output_id) == LINES


@pytest.mark.req("output-tool")
def test_of_more_than_is_kept_the_beginning_and_the_end_are_read_and_the_gap_is_reported(
    start: Start,
) -> None:
    server = start("--shell", "bash", "--max-output", "10000")
    output_id = server.shell("seq 20000", output_limit=1000)["output_id"]
    head = checked_data(server.call("output", id=output_id))
    assert (head["output"][:4], head["next_offset"], head["total_bytes"]) == ("1\n2\n", 5000, len(LINES))
    rest = checked_data(server.call("output", id=output_id, offset=5000))
    assert (rest["not_kept_bytes"], rest["offset"]) == (len(LINES) - 10_000, len(LINES) - 5000)
    assert rest["output"].encode() == LINES[-5000:]
    assert rest["line"] == LINES[:-5000].count(b"\n") + 1
    last = checked_data(server.call("output", id=output_id, tail=1))
    assert (last["output"], last["line"]) == ("20000\n", 20000)
    found = checked_data(server.call("output", id=output_id, search="^(15|19999)$"))
    assert found["output"] == "15:15\n19999:19999\n"
    assert "98,894 bytes before it were not kept" in text_of(server.call("output", id=output_id, offset=5000))


# -- search


@pytest.mark.req("output-search")
def test_lines_that_match_are_shown_with_their_numbers_and_context(server: WireClient) -> None:
    output_id = server.shell("seq 20000")["output_id"]
    found = checked_data(server.call("output", id=output_id, search="^150[0-9]0$", context=1, lines=15015))
    assert (
        found["output"]
        == "14999-14999\n15000:15000\n15001-15001\n--\n15009-15009\n15010:15010\n15011-15011\n"
    )
    assert found["matches"] == 2
    nothing = server.call("output", id=output_id, search="no such line")
    assert (checked_data(nothing)["matches"], checked_data(nothing)["output"]) == (0, "")
    assert "0 lines match" in text_of(nothing)


@pytest.mark.req("output-search")
def test_more_matches_than_fit_are_counted_and_searched_on_from_where_it_stopped(server: WireClient) -> None:
    output_id = server.shell("seq 20000")["output_id"]
    seen, offset, parts = "", 0, 0
    while True:
        found = checked_data(server.call("output", id=output_id, search="7$", limit=4000, offset=offset))
        seen, offset, parts = seen + found["output"], found["next_offset"], parts + 1
        if offset == found["total_bytes"]:
            break
    numbers = [line.partition(":")[2] for line in seen.splitlines()]
    assert numbers == [str(number) for number in range(7, 20001, 10)]
    assert parts > 2


@pytest.mark.req("output-search")
def test_colours_do_not_hide_a_word(server: WireClient) -> None:
    server.shell(r"printf 'a\n\033[31mer\033[1mror\033[0m: b\n'")
    assert checked_data(server.call("output", search="^error:"))["output"] == "2:error: b\n"


@pytest.mark.req("output-search")
def test_an_expression_that_is_invalid_or_never_ends_is_reported_and_holds_nothing_up(
    server: WireClient,
) -> None:
    server.shell("printf 'a%.0s' {1..60}; echo b")
    bad = server.call("output", search="(a")
    assert bad["isError"] is True
    assert "This is not a valid regular expression: missing )" in text_of(bad)
    slow = server.post_call("output", {"search": "(a|aa)+$"})
    assert server.shell("echo meanwhile")["stdout"] == "meanwhile\n"
    answer = server.answer_to(slow)["result"]
    assert answer["isError"] is True
    assert "The search took more than 2 s." in text_of(answer)


# -- binary output


@pytest.mark.req("output-binary")
def test_binary_output_is_described_and_read_as_base64(server: WireClient) -> None:
    server.shell(r"printf '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'")
    described = checked_data(server.call("output"))
    assert described["encoding"] == "binary"
    assert described["output"].startswith("[a PNG image: 16 bytes, beginning with 89 50 4e 47 ")
    data = checked_data(server.call("output", base64=True))
    assert data["encoding"] == "base64"
    assert base64.b64decode(data["output"]) == b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.req("output-binary")
@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"plain\n", False),
        ("grüße, 日本語\n".encode(), False),
        (b"\x1b[31mred\x1b[0m\r\n\tx\x08y\n", False),
        (b"one odd \xff byte in a long line of text\n", False),
        (b"a\0b", True),
        (bytes(range(1, 256)), True),
        (b"\x1f\x8b\x08\x01\x01\x01\x01\x01", True),
    ],
)
def test_binary_data_is_told_from_text(data: bytes, *, binary: bool) -> None:
    assert is_binary(data) is binary


# -- arguments


@pytest.mark.req("output-tool")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"id": "nonsense"}, "There is no output 'nonsense'."),
        ({"offset": 0, "tail": 1}, "offset and tail exclude each other."),
        ({"line": 0}, "line must be at least 1, not 0."),
        ({"stream": "both"}, "stream must be one of: stdout, stderr."),
    ],
)
def test_what_cannot_be_read_is_reported(
    server: WireClient, arguments: dict[str, Any], sentence: str
) -> None:
    server.shell("true")
    result = server.call("output", **arguments)
    assert result["isError"] is True
    assert text_of(result).startswith(sentence)


@pytest.mark.req("output-tool")
def test_before_the_first_command_there_is_no_output(start: Start) -> None:
    assert text_of(start().call("output")) == "There is no output yet: no command has ended."


# -- every byte once


def of(data: bytes, missing_from: int = 0, missing: int = 0, *, goes_on: bool = False) -> Printed:
    kept = data[:missing_from] + data[missing_from + missing :]
    return Printed(
        lambda at, limit: kept[at : at + limit], len(data), missing_from, missing, goes_on, data.count(b"\n")
    )


pieces = st.lists(
    st.sampled_from(
        [b"a", b"line\n", b"\n", "ü".encode(), "日本".encode(), b"\xff", b"\xc3", b"\r", b"\x1b[1m"]
    ),
    max_size=60,
).map(b"".join)


@pytest.mark.req("output-every-byte-once")
@given(data=pieces, limit_bytes=st.integers(1, 20), as_base64=st.booleans())
def test_reads_that_follow_on_each_other_see_every_byte_once(
    data: bytes, limit_bytes: int, *, as_base64: bool
) -> None:
    offset, seen = 0, b""
    while offset < len(data):
        part = read(of(data), Query(limit_bytes=limit_bytes, offset=offset, as_base64=as_base64))
        assert part.offset == offset < part.next_offset
        seen += base64.b64decode(part.text) if as_base64 else data[offset : part.next_offset]
        offset = part.next_offset
    assert seen == data


@pytest.mark.req("output-every-byte-once")
@given(pieces, st.lists(st.integers(0, 30), max_size=8), st.integers(4, 40))
def test_a_cursor_that_follows_a_growing_output_cuts_no_character_and_misses_none(
    data: bytes, growth: list[int], limit_bytes: int
) -> None:
    text = data.decode("utf-8", "ignore").replace("\r", "").replace("\x1b[1m", "").encode()
    offset, seen, size = 0, "", 0
    for more in [*growth, len(text)]:
        size = min(len(text), size + more)
        goes_on = size < len(text)
        while offset < size:
            part = read(of(text[:size], goes_on=goes_on), Query(limit_bytes=limit_bytes, offset=offset))
            if part.next_offset == offset:
                assert goes_on
                break
            seen, offset = seen + part.text, part.next_offset
    assert seen.encode() == text


@pytest.mark.req("output-every-byte-once")
@given(pieces, st.integers(0, 100), st.integers(1, 100), st.integers(1, 30))
def test_where_the_middle_was_not_kept_the_rest_is_seen_once_and_the_gap_is_counted(
    data: bytes, missing_from: int, missing: int, limit_bytes: int
) -> None:
    missing_from = min(missing_from, len(data))
    missing = min(missing, len(data) - missing_from)
    printed, offset, seen, skipped = of(data, missing_from, missing), 0, b"", 0
    while offset < len(data):
        part = read(printed, Query(limit_bytes=limit_bytes, offset=offset, as_base64=True))
        seen, skipped = seen + base64.b64decode(part.text), skipped + part.skipped_bytes
        offset = part.next_offset
    assert (seen, skipped) == (data[:missing_from] + data[missing_from + missing :], missing)


def test_lines_and_last_lines_are_those_that_python_counts() -> None:
    data = b"a\nbb\n\nccc\nd"
    lines = data.splitlines(keepends=True)
    for first in range(1, 7):
        for count in range(1, 7):
            part = read(of(data), Query(limit_bytes=100, line=first, lines=count))
            assert part.text.encode() == b"".join(lines[first - 1 : first - 1 + count])
            tail = read(of(data), Query(limit_bytes=100, tail=count))
            assert tail.text.encode() == b"".join(lines[-count:])


@pytest.mark.req("output-search")
@given(st.lists(st.sampled_from(["a", "b", "ab", "", "c" * 30]), max_size=30), st.integers(0, 3))
def test_a_search_shows_what_grep_would(lines: list[str], context: int) -> None:
    part = read(
        of("".join(f"{line}\n" for line in lines).encode()),
        Query(limit_bytes=100_000, search="a", context=context),
    )
    hits = {number for number, line in enumerate(lines, 1) if "a" in line}
    near = sorted({n for hit in hits for n in range(hit - context, hit + context + 1) if 0 < n <= len(lines)})
    shown = [line for line in part.text.splitlines() if line != "--"]
    assert shown == [f"{n}{':' if n in hits else '-'}{lines[n - 1]}" for n in near]
    assert part.matches == part.shown_matches == len(hits)


@pytest.mark.req("output-search")
def test_an_expression_has_a_bounded_length() -> None:
    with pytest.raises(RequestError, match="at most 2,000 characters"):
        read(of(b"a"), Query(limit_bytes=1, search="a" * 2001))


def test_excerpts_say_where_they_are() -> None:
    part: Excerpt = read(of(b"one\ntwo\n"), Query(limit_bytes=100, offset=4))
    assert (part.text, part.offset, part.next_offset, part.first_line) == ("two\n", 4, 8, 2)


@pytest.mark.req("output-binary")
def test_short_binary_output_is_described_behind_the_text_before_it_and_read_by_its_id(
    server: WireClient,
) -> None:
    command = r"printf 'Type: image\n\n\x89PNG\r\n\x1a\n'; head -c 100 /dev/zero; printf '\xff\xfe'"
    result = server.call("shell", command=command)
    data = result["structuredContent"]
    described = (
        "[a PNG image: 110 bytes from byte 13 on, beginning with 89 50 4e 47 0d 0a 1a 0a"
        f"{' 00' * 8}; whole output: tool output, id {data['output_id']}, base64: true shows it]"
    )
    assert data["stdout"] == f"Type: image\n\n{described}\n"
    assert described in text_of(result)
    assert data["truncated"]
    whole = server.call("output", id=data["output_id"], offset=13, base64=True)["structuredContent"]
    assert base64.b64decode(whole["output"]) == b"\x89PNG\r\n\x1a\n" + bytes(100) + b"\xff\xfe"


@pytest.mark.req("output-binary")
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (r"printf 'a long enough name\0another one\0a third that ends\0'", r"name\x00another"),
        (r"printf '\x01\x02\xff\xfe'", r"\x01\x02\xff\xfe"),
        (r"printf 'one odd \xff byte in a long line of text'", r"odd \xff byte"),
    ],
)
def test_a_few_odd_bytes_are_shown_as_they_are(server: WireClient, command: str, shown: str) -> None:
    data = server.call("shell", command=command)["structuredContent"]
    assert shown in data["stdout"]
    assert "truncated" not in data
