"""Head and tail of a stream, for any sequence of chunks, and what is spooled of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from nacre.keeper.capture import Capture
from nacre.keeper.directory import Directory
from nacre.keeper.frames import Stream
from nacre.keeper.spools import Spools

if TYPE_CHECKING:
    from pathlib import Path

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
    told = capture.report()
    assert told.total_bytes == len(whole)
    assert told.line_ends == whole.count(b"\n")
    assert told.head == whole[:keep]
    assert told.tail == whole[keep:][-keep:]


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


def test_a_spool_that_cannot_be_written_is_told_and_does_not_end_the_command(tmp_path: Path) -> None:
    capture = Capture(4, lambda: spool_in(tmp_path / "missing" / "missing" / "missing"))
    capture.feed(b"0123456789")
    told = capture.report()
    assert told == Stream(10, 0, b"0123", b"6789", None, 0, "No such file or directory")


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
