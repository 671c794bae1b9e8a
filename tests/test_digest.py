"""What is shown of an output that is too long: folded ends, picked lines, exact counts, within its limit."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from process_table import Gate
from wire_client import text_of

from nacre import output
from nacre.digest import digest, digest_spoken
from nacre.failure_lines import TRIGGERS, Weight, letter_first, weight_of
from nacre.folding import folded, progress_shape, runs_back_through, runs_backwards, runs_of, runs_through
from nacre.keeper.frames import Stream
from nacre.masking import Mask
from nacre.output import readable, render
from nacre.outputs import Printed
from nacre.picking import distinct_lines, lines_with_triggers, triggers_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wire_client import WireClient

    from nacre.model import Text

    Start = Callable[..., WireClient]

NOTE = re.compile(r"\[\.\.\. (?:([\d,]+) lines?, )?([\d,]+) bytes? left out; .* \.\.\.\]")
ROW = re.compile(r"(\d+)[:-](.*)")
FOLD = re.compile(
    r"\[the same line ([\d,]+) more times?\]|\[([\d,]+) more lines? like it, with other numbers"
)


def printed_of(whole: bytes, missing: tuple[int, int] = (0, 0)) -> Printed:
    """An output of which some bytes may be missing."""
    begin, size = missing
    kept = whole[:begin] + whole[begin + size :]
    return Printed(
        lambda at, limit: kept[at : at + limit], len(whole), begin, size, line_ends=whole.count(b"\n")
    )


def shown_of(whole: bytes, limit: int, missing: tuple[int, int] = (0, 0)) -> Text:
    """What a reply shows of an output."""
    stream = Stream(len(whole), whole.count(b"\n"), whole[:limit], whole[limit:][-limit:], "/s/1.out")
    cut = render(stream, limit, None, "s-1")
    return digest(printed_of(whole, missing), cut, limit) if cut.truncated else cut


def numbered(lines: int, **others: str) -> bytes:
    """Harmless lines, and others at their numbers."""
    plain = (
        others.get(f"at_{n}", f"unit {chr(97 + n % 26)}{n} was handled as usual") for n in range(1, lines + 1)
    )
    return "".join(f"{line}\n" for line in plain).encode()


# -- what is picked


@pytest.mark.req("cut-picks")
def test_the_echo_at_the_beginning_of_a_turn_of_cmd_is_not_shown_and_counts_as_a_line() -> None:
    output, echo = numbered(5000, at_2500="main.c:1:2: error: broken"), b"echo of the command\r\n"
    stream = Stream(len(output), 5000, output[:4096], output[-4096:], "/s/1.out")
    cut = render(stream, 4096, None, "s-1")
    plain = digest_spoken(printed_of(output), cut, 4096).text
    spoken = digest_spoken(printed_of(echo + output), cut, 4096).text
    assert "\n2500:main.c:1:2: error: broken\n" in plain
    assert "\n2501:main.c:1:2: error: broken\n" in spoken
    assert ROW.sub(r"\2", spoken) == ROW.sub(r"\2", plain)


@pytest.mark.req("cut-picks")
def test_a_line_that_tells_of_a_failure_is_picked_with_its_number_and_those_beside_it() -> None:
    text = shown_of(
        numbered(9000, at_4000="main.c:12:5: error: 'x' undeclared", at_4001="   12 | x = 1;"), 8000
    ).text
    assert "\n4000:main.c:12:5: error: 'x' undeclared\n4001-   12 | x = 1;\n" in text
    assert "\n3999-unit v3999 was handled as usual\n4000:" in text
    assert "[picked from there, line number first:]\n" in text


@pytest.mark.req("cut-picks")
def test_one_message_many_times_over_does_not_hide_another() -> None:
    noise = {f"at_{n}": f"job {n}: error: the cache is cold" for n in range(1000, 8000)}
    noise["at_5000"] = "job 5000: error: the disk is full"
    text = shown_of(numbered(9000, **noise), 4096).text
    assert "5000:job 5000: error: the disk is full" in text
    found = re.search(r"error: the cache is cold \[([\d,]+) more like it\]", text)
    assert found
    shown = len(re.findall(r"^\d+[:].*cache is cold", text, re.MULTILINE))
    assert int(found[1].replace(",", "")) + shown == 6999


@pytest.mark.req("cut-picks")
def test_of_a_command_that_succeeded_less_is_searched_and_the_reply_says_how_far() -> None:
    early, late = 1000, 60_000
    whole = numbered(80_000, at_1000="main.c:1:2: error: early", at_60000="main.c:3:4: error: late")
    cut = shown_of(whole, 8192)
    assert f"{early}:main.c:1:2: error: early" in cut.text
    assert f"{late}:main.c:3:4: error: late" in cut.text
    shown = digest(printed_of(whole), cut, 8192, succeeded=True).text
    assert f"{early}:main.c:1:2: error: early" in shown
    assert "error: late" not in shown
    looked_to = re.search(r"from byte ([\d,]+) on none was looked for", shown)
    assert looked_to is not None
    assert (1 << 18) < int(looked_to[1].replace(",", "")) <= whole.index(b"main.c:3:4")


@pytest.mark.req("cut-picks")
def test_of_a_command_that_succeeded_few_lines_of_failure_are_looked_at() -> None:
    whole = b"".join(b"error: number %d\n" % number for number in range(9000))
    cut = shown_of(whole, 4096)
    assert "none was looked for" not in cut.text
    shown = digest(printed_of(whole), cut, 4096, succeeded=True).text
    looked_to = re.search(r"from byte ([\d,]+) on none was looked for", shown)
    assert looked_to is not None
    begin = int(looked_to[1].replace(",", ""))
    assert whole[begin - 1 :].startswith(b"\nerror: number ")
    assert 2000 <= whole.count(b"\n", 0, begin) < 2300  # and those at the beginning that are shown


@pytest.mark.req("cut-picks")
@given(st.lists(st.sampled_from([*TRIGGERS, b"x", b"7", b" ", b"\n", b"-" * 300, b"y" * 300, b"\xc3\xa9"])))
def test_every_line_with_a_word_of_failure_is_looked_at_whatever_stands_around_it(parts: list[bytes]) -> None:
    whole = b"".join(part.upper() if index % 2 else part for index, part in enumerate(parts))
    lines = whole.lower().splitlines()
    wanted = {number for number, line in enumerate(lines, 1) if any(word in line for word in TRIGGERS)}
    unread = {number for number, line in enumerate(lines, 1) if re.search(rb"[a-z*:!_]{201}", line)}
    triggers = triggers_in(distinct_lines(whole, len(whole))[0])
    seen = {candidate.number for candidate in lines_with_triggers(whole, len(whole), 0, 1, triggers)}
    assert wanted - unread <= seen


@pytest.mark.req("cut-picks")
def test_where_nothing_tells_of_a_failure_both_ends_have_all_the_room() -> None:
    whole = numbered(9000)
    shown = shown_of(whole, 8000)
    assert "picked" not in shown.text
    assert len(shown.text) > 7500


@pytest.mark.req("cut-picks")
@pytest.mark.parametrize(
    ("line", "weight"),
    [
        ("src/a.c:3:1: error: expected ';'", Weight.FAILURE),
        ("0 errors, 0 warnings", Weight.SUMMARY),
        ("errors: 0", Weight.NOTHING),
        ("cc -Werror -c error.c -o build/error.o", Weight.NOTHING),
        ("no failures", Weight.NOTHING),
        ("the build failed for reasons of its own", Weight.SUMMARY),
        ("something failed", Weight.MENTION),
        ("warning: unused variable", Weight.WARNING),
        ("=== 1 failed, 20 passed in 0.31s ===", Weight.SUMMARY),
        ("all went well", Weight.NOTHING),
    ],
)
def test_a_line_weighs_what_it_tells(line: str, weight: Weight) -> None:
    assert weight_of(line) is weight


@pytest.mark.req("cut-picks")
@given(st.lists(st.sampled_from(["error", "Error", "x", "_", " ", "-", "\u00e9", "7", "fail", "ed"])))
def test_an_expression_with_letters_first_finds_the_same(parts: list[str]) -> None:
    line = "".join(parts)
    for expression in (
        r"\berror\b|\bfail(?:ed)?\b",
        r"(?i)x\berror|\be.*\bfailed",
        r"(?x) -\b fail | \bError",
    ):
        found = [match.span() for match in re.finditer(expression, line)]
        assert [match.span() for match in re.finditer(letter_first(expression), line)] == found


# -- what is folded


@pytest.mark.req("cut-folds")
@pytest.mark.parametrize("backwards", [False, True])
def test_the_same_line_is_shown_once_with_a_count_and_progress_with_its_first_and_last(
    *, backwards: bool
) -> None:
    progress = b"".join(b"Downloading %3d%% [%s]\n" % (n, (b"#" * (n // 10)).ljust(10)) for n in range(101))
    whole = (
        b"begin\n" + b"same\n" * 40 + progress + b"one 1\none 2\none 3\none 4\none 5\ntwo\ntwo\ntwo\nend\n"
    )
    runs = runs_backwards(whole, from_border=True) if backwards else runs_of(whole)
    parts = [part.text(None) for part in folded(runs, backwards=backwards)]
    text = "".join(reversed(parts) if backwards else parts)
    assert text == (
        "begin\nsame\n[the same line 39 more times]\nDownloading   0% [          ]\n"
        "[99 more lines like it, with other numbers; the last one:]\nDownloading 100% [##########]\n"
        "one 1\none 2\none 3\none 4\none 5\ntwo\ntwo\ntwo\nend\n"
    )


@pytest.mark.req("cut-folds")
@given(st.lists(st.sampled_from([b"a\n", b"b\n", b"1/9 x\n", b"2/9 x\n", b"3/9 x\n", b"\n"]), max_size=60))
def test_folding_counts_every_line_and_every_byte_in_both_directions(lines: list[bytes]) -> None:
    whole = b"".join(lines)
    there = list(folded(runs_of(whole)))
    back = list(folded(runs_backwards(whole, from_border=True), backwards=True))
    for parts in (there, back):
        assert sum(part.lines for part in parts) == len(lines)
        assert sum(part.size for part in parts) == len(whole)
        assert all(0 <= part.hidden_bytes < max(1, part.size) for part in parts)
    assert [(part.first, part.last, part.lines) for part in there] == [
        (part.first, part.last, part.lines) for part in reversed(back)
    ]


@pytest.mark.req("cut-folds")
@given(
    pieces=st.lists(st.sampled_from([b"a\n", b"a", b"bc\n", b"\n", b"bc\nbc\nbc\n", b"a\na\n"]), max_size=40),
    cuts=st.lists(st.integers(0, 80), max_size=6),
    from_border=st.booleans(),
)
def test_lines_that_repeat_are_the_same_in_parts_as_in_one_piece(
    *, pieces: list[bytes], cuts: list[int], from_border: bool
) -> None:
    whole = b"".join(pieces)
    borders = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    parts = [whole[begin:end] for begin, end in pairwise(borders)]
    assert list(runs_through(parts)) == list(runs_of(whole))
    backwards = runs_back_through(reversed(parts), from_border=from_border)
    assert list(backwards) == list(runs_backwards(whole, from_border=from_border))


@pytest.mark.req("cut-folds")
@pytest.mark.parametrize(
    ("line", "is_progress"),
    [
        *(
            (line, True)
            for line in (b"50%", b"50 % done", b"3/7 x", b"3 / 7", b"3 of 7", b"1.5 MB", b"12kB", b"ETA 3")
        ),
        *(
            (line, False)
            for line in (b"a/b", b"2026/11/17", b"1.2/3", b"of 7", b"10 B", b"7 Keys", b"META 3", b"%d")
        ),
    ],
)
def test_a_share_a_counter_a_size_and_a_time_to_go_are_progress(line: bytes, *, is_progress: bool) -> None:
    assert (progress_shape(line + b"\n") is not None) is is_progress


@pytest.mark.req("cut-folds")
def test_an_output_that_fits_when_it_is_folded_is_shown_from_beginning_to_end() -> None:
    shown = shown_of(b"start\n" + b"waiting for the database\n" * 4000 + b"done\n", 4096)
    assert shown.text.startswith(
        "start\nwaiting for the database\n[the same line 3,999 more times]\ndone\n[... "
    )
    assert "whole output: tool output, id s-1" in shown.text
    assert (shown.truncated, shown.omitted_lines) == (True, 0)


@pytest.mark.req("cut-folds")
def test_lines_of_data_that_differ_in_numbers_are_not_folded() -> None:
    text = shown_of(b"".join(b"%d\n" % n for n in range(1, 20001)), 4096).text
    assert text.startswith("1\n2\n3\n4\n5\n6\n")
    assert text.endswith("\n19999\n20000\n")


# -- exact, within its limit, and bounded

_LINES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "a.c:1:2: error: no",
                "warning: old",
                "FAILED tests/x.py::test_y",
                "5% done",
                "6% done",
                "same",
                "",
                "\x1b[31merror:\x1b[0m red",
                "10%\r20%\r30%",
                "é" * 30,
                "word " * 100,
            ]
        ),
        st.text(alphabet="abcé \t", max_size=40),
    ),
    min_size=100,
    max_size=300,
)


def lines_accounted_for(text: str) -> int:
    """How many lines a reply shows or counts."""
    number, in_picked = 0, False
    for line in text.splitlines():
        if (note := NOTE.fullmatch(line)) is not None:
            number += int((note[1] or "0").replace(",", ""))
        elif line.startswith("[picked from there"):
            in_picked = True
        elif line == "[end of picked lines]":
            in_picked = False
        elif (fold := FOLD.match(line)) is not None and not in_picked:
            number += int((fold[1] or fold[2]).replace(",", ""))
        elif not line.startswith("[... "):
            number += 1
    return number


@pytest.mark.req("cut-exact")
@settings(max_examples=40)
@given(_LINES, st.integers(4096, 6000))
def test_every_shown_line_is_where_it_is_said_to_be_every_other_is_counted_and_the_limit_holds(
    lines: list[str], limit: int
) -> None:
    whole = "".join(f"{line}\n" for line in lines).encode()
    shown = shown_of(whole, limit)
    if not shown.truncated:
        return
    assert len(shown.text.encode()) <= limit
    assert lines_accounted_for(shown.text) == len(lines)
    picked = shown.text.partition("[picked from there")[2].partition("[end of picked lines]")[0]
    for row in picked.splitlines()[1:]:
        found = ROW.match(row)
        assert found
        text = re.sub(r" \[[\d,]+ more (?:like it|characters?)\]$", "", found[2])
        text = re.sub(r" \[[\d,]+ more characters?\]$", "", text)
        assert readable(lines[int(found[1]) - 1].encode()).startswith(
            text.removeprefix("... ").removesuffix(" ...")
        )


@pytest.mark.req("cut-exact")
def test_where_bytes_were_not_kept_the_numbers_behind_them_are_still_right() -> None:
    whole = numbered(20_000, at_500="error: early", at_9000="error: first", at_15000="error: late")
    after = whole.index(b"error: first") - 10  # in the line before it
    text = shown_of(whole, 4096, missing=(200_000, after - 200_000)).text
    assert "\n9000:error: first\n" in text
    assert "\n8998-" not in text  # it was not kept
    assert "\n500:error: early\n" in text
    assert "\n15000:error: late\n" in text


@pytest.mark.req("cut-exact")
@pytest.mark.parametrize(
    "whole",
    [
        b"x error y" * 100_000,
        b"\n" * 300_000,
        bytes(range(256)) * 3000,
        b"error: " + b"x" * 300_000 + b"\n" + b"error: short\n",
        "é".encode() * 200_000,
        b"".join(b"error %d failed\n" % n for n in range(60_000)),
    ],
    ids=["one line", "empty lines", "binary", "long lines", "no ASCII", "all errors"],
)
@pytest.mark.parametrize("limit", [2048, 32_768])
def test_odd_output_stays_within_the_limit(whole: bytes, limit: int) -> None:
    shown = shown_of(whole, limit)
    assert len(shown.text.encode()) <= limit
    assert shown.truncated is True


@pytest.mark.req("cut-exact")
def test_in_very_little_room_only_the_two_ends_are_shown() -> None:
    whole = numbered(9000, at_4000="fatal: no")
    cut = render(Stream(len(whole), 9000, whole[:300], whole[-300:], "/s/1.out"), 300)
    assert digest(printed_of(whole), cut, 300) is cut


@pytest.mark.req("output-binary")
def test_of_long_binary_output_a_description_is_shown_and_text_with_zero_bytes_is_text(
    server: WireClient,
) -> None:
    shown = shown_of(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 300, 4096)
    assert shown.text.startswith("[a PNG image: 76,808 bytes, beginning with 89 50 4e 47 0d 0a 1a 0a 00 01")
    assert "tool output, id s-1" in shown.text
    result = server.shell("head -c 100000 /dev/urandom")
    assert result["stdout"].startswith("[binary data: 100,000 bytes, beginning with ")
    assert "\\x" not in result["stdout"]
    read = server.call("output", id=result["output_id"], base64=True, limit=30)["structuredContent"]
    assert (read["encoding"], len(read["output"])) == ("base64", 40)
    assert "./directory/file100\\x00./directory" in shown_of(b"./directory/file100\0" * 9000, 4096).text


@pytest.mark.req("cut-exact")
def test_what_is_picked_is_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_mask", Mask([b"hunter2hunter2"]))
    whole = numbered(9000, at_4000="fatal: login with hunter2hunter2 failed")
    text = shown_of(whole, 4096).text
    assert "4000:fatal: login with ************** failed" in text
    assert "hunter2" not in text


# -- through a server


@pytest.mark.req("cut-picks")
@pytest.mark.parametrize("session", [{}, {"session": "digest"}], ids=["once", "session"])
def test_a_reply_shows_the_line_that_answers_and_the_tool_output_reads_around_it(
    server: WireClient, session: dict[str, Any]
) -> None:
    script = "seq -f 'step %g of the work' 20000 | sed '9000s/.*/fatal: the disk is full/'"
    for stream, redirect in (("stdout", ""), ("stderr", " >&2")):
        result = server.call("shell", command=script + redirect, **session)
        data = result["structuredContent"]
        assert "\n9000:fatal: the disk is full\n" in data[stream]
        assert "\n9000:fatal: the disk is full\n" in text_of(result)
        assert len(data[stream].encode()) <= 32 * 1024
        around = server.call("output", id=data["output_id"], stream=stream, line=8999, lines=2)
        assert around["structuredContent"]["output"] == "step 8999 of the work\nfatal: the disk is full\n"


@pytest.mark.req("cut-picks")
def test_what_a_job_has_printed_since_is_shown_the_same_way_with_the_numbers_of_all_of_it(
    server: WireClient, tmp_path: Path
) -> None:
    gate = Gate(tmp_path)
    script = f"seq -f 'begin %g' 100; read x < {gate.path}; seq -f 'step %g' 20000"
    script += " | sed '9000s/.*/fatal: no disk/'"
    job = server.call("shell", command=script, background=True)["structuredContent"]["job"]
    first = server.call("job", action="wait", id=job, until="begin 100")["structuredContent"]
    assert first["stdout"].startswith("begin 1\n")
    gate.open()
    last = server.call("job", action="wait", id=job)["structuredContent"]
    assert last["reason"] == "ended"
    assert last["stdout"].startswith("step 1\n")
    assert "\n9100:fatal: no disk\n" in last["stdout"]
    assert f"left out; tool output, id {job}, offset 892 ...]" in last["stdout"]
    assert last["stdout"].endswith("\nstep 20000\n")
    assert len(last["stdout"].encode()) <= 32 * 1024
    around = server.call("output", id=job, line=9099, lines=2)["structuredContent"]["output"]
    assert around == "step 8999\nfatal: no disk\n"


@pytest.mark.req("cut-picks")
def test_a_person_can_turn_it_off_and_other_presets_show_both_ends_alone(
    start: Start, tmp_path: Path
) -> None:
    (file := tmp_path / "nacre.toml").write_text("pick_lines = false\n")
    script = "seq 20000 | sed '9000s/.*/fatal: the disk is full/'"
    plain = start("--config", str(file), "--shell", "bash").shell(script)["stdout"]
    assert "the disk is full" not in plain
    assert "left out" in plain
    other = start("--preset", "shell-exec", "--shell", "bash")
    text = text_of(other.call("shell_exec", command=script))
    assert "the disk is full" not in text
    assert "left out" in text


@pytest.mark.req("cut-picks")
def test_both_ends_together_are_as_long_as_was_asked_for_less_or_more_than_usual(
    start: Start, tmp_path: Path
) -> None:
    (file := tmp_path / "nacre.toml").write_text("pick_lines = false\n")
    server = start("--config", str(file), "--shell", "bash")
    for limit in (10_000, 32 * 1024, 60_000, 200_000):
        for session in ({}, {"session": "one"}):
            shown = server.shell("seq 100000", output_limit=limit, **session)["stdout"]
            head, _, tail = shown.partition("[... ")
            assert limit * 0.49 <= len(head) <= limit * 0.5, (limit, session)
            assert limit * 0.49 <= len(tail.partition("...]\n")[2]) <= limit * 0.5, (limit, session)


@pytest.mark.req("cut-picks")
def test_nothing_of_it_is_loaded_before_the_first_command_and_all_of_it_with_that(start: Start) -> None:
    parts = ("digest", "picking", "failure_lines", "folding")
    loaded = "import nacre.server, nacre.tools.shell, sys; print(sorted(sys.modules))"
    server = start("--shell", "bash")
    modules = server.shell(f'{sys.executable} -c "{loaded}"', output_limit=1 << 20)["stdout"]
    assert "'nacre.service'" in modules
    assert not [name for name in parts if f"nacre.{name}" in modules]
    after = """
import asyncio, sys
from nacre.api import Session
async def main():
    async with Session(shell="bash") as session:
        print(sorted(sys.modules))
        run = asyncio.create_task(session.run("true"))
        for _ in range(8):  # the first one starts it
            await asyncio.sleep(0)
            print(sorted(sys.modules))
        await run
asyncio.run(main())
"""
    printed = subprocess.run([sys.executable, "-c", after], capture_output=True, text=True, check=True).stdout
    loaded_by_then = [{name for name in parts if f"'nacre.{name}'" in line} for line in printed.splitlines()]
    assert loaded_by_then[0] == set()
    assert loaded_by_then[-1] == {*parts}
    steps = [len(later - before) for before, later in pairwise(loaded_by_then)]
    assert max(steps) == 1  # between them, the loop serves what has come


def test_a_digest_loads_nothing_that_only_those_need_who_read_parts() -> None:
    loaded = "import nacre.digest, sys; print(sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    ).stdout
    assert "'nacre.output_lines'" in modules
    others = ("output_reader", "output_query", "patterns")
    assert not [name for name in others if f"'nacre.{name}'" in modules]
