"""Head and tail of a stream, for any sequence of chunks, and what is spooled of it."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.keeper.capture import Capture
from nacre.keeper.directory import Directory
from nacre.keeper.frames import Stream
from nacre.keeper.spools import Spools
from nacre.keeper.streams import CaptureLimits, Streams

if TYPE_CHECKING:
    from pathlib import Path

    from nacre.keeper.outlet import Outlet
    from nacre.keeper.spools import Spool

CHUNKS = st.lists(st.binary(min_size=1, max_size=40), max_size=40)


def spool_in(directory: Path) -> Spool:
    return Spools(Directory(str(directory))).open("out", 1000)


@given(CHUNKS, st.integers(1, 60))
def test_head_and_tail_are_the_true_ends_of_the_stream(chunks: list[bytes], keep: int) -> None:
    capture = Capture(keep, lambda: None)
    for chunk in chunks:
        capture.feed(chunk)
    whole = b"".join(chunks)
    stream = capture.report()
    assert stream.total_bytes == len(whole)
    assert stream.line_ends == whole.count(b"\n")
    assert stream.head == whole[:keep]
    assert stream.tail == whole[keep:][-keep:]


def test_of_what_is_only_in_the_spool_as_much_of_each_end_is_reported_as_is_wanted(tmp_path: Path) -> None:
    capture = Capture(8, lambda: spool_in(tmp_path), ends_bytes=4)
    for chunk in (b"0123456", b"789abcdef", b"g", b"hij"):
        capture.feed(chunk)
    kept = capture.report()
    assert (kept.total_bytes, kept.head, kept.tail) == (20, b"0123", b"ghij")
    assert (tmp_path / "out").read_bytes() == b"0123456789abcdefghij"


def test_all_of_both_ends_is_reported_where_nothing_is_between_them_or_the_spool_is_lost(
    tmp_path: Path,
) -> None:
    whole = Capture(8, lambda: spool_in(tmp_path), ends_bytes=4)
    whole.feed(b"0123456789abcdef")
    assert (whole.report().head, whole.report().tail) == (b"01234567", b"89abcdef")
    lost = Capture(8, lambda: spool_in(tmp_path / "missing" / "missing" / "missing"), ends_bytes=4)
    lost.feed(b"0123456789abcdefghij")
    assert (lost.report().head, lost.report().tail) == (b"01234567", b"cdefghij")


def test_small_plain_output_makes_no_file(tmp_path: Path) -> None:
    path = tmp_path / "out"
    capture = Capture(100, lambda: spool_in(tmp_path))
    capture.feed(b"hello\n")
    capture.settle()
    assert not path.exists()


def test_output_that_the_reply_would_fold_is_spooled_raw(tmp_path: Path) -> None:
    path = tmp_path / "out"
    capture = Capture(100, lambda: spool_in(tmp_path))
    capture.feed(b"10%\r20%\n")
    capture.settle()
    capture.finish()
    assert path.read_bytes() == b"10%\r20%\n"


def test_a_spool_that_cannot_be_written_is_reported_and_does_not_end_the_command(tmp_path: Path) -> None:
    capture = Capture(4, lambda: spool_in(tmp_path / "missing" / "missing" / "missing"))
    capture.feed(b"0123456789")
    stream = capture.report()
    assert stream == Stream(10, 0, b"0123", b"6789", None, 0, "No such file or directory")


def test_what_comes_after_the_end_goes_to_the_spool_from_the_first_byte(tmp_path: Path) -> None:
    capture = Capture(8, lambda: spool_in(tmp_path))
    capture.feed(b"now ")
    capture.keep_on()
    assert capture.report() == Stream(4, 0, b"now ", b"", str(tmp_path / "out"), goes_on=True)
    capture.feed(b"and ")
    capture.feed(b"later, ")
    capture.feed(b"too")
    capture.finish()
    assert (tmp_path / "out").read_bytes() == b"now and later, too"


@pytest.mark.skipif(sys.platform == "win32", reason="where every pipe is watched from the start")
def test_a_pipe_with_more_than_a_short_output_is_filling() -> None:
    reading, writing = os.pipe()
    streams = Streams(cast("Outlet", None), 1, "1", CaptureLimits(), lambda: None)
    streams.add(reading, -1)
    os.write(writing, b"hello\n")
    assert not streams.are_filling
    os.write(writing, bytes(1 << 14))
    assert streams.are_filling
    os.close(writing)
    streams.release()
    assert not streams.are_filling
