"""Output files by id, and the one function through which all bytes leave."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from session_harness import Harness, TestSession, open_harness, open_session

from nacre import output
from nacre.errors import PlaceError, RequestError
from nacre.model import Command
from nacre.output import Newest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wire_client import WireClient

    from nacre.model import Result

    Start = Callable[..., WireClient]

LONG = "seq 20000"
ALL = "".join(f"{number}\n" for number in range(1, 20001)).encode()


@pytest.fixture(scope="module")
def bash() -> Iterator[Harness]:
    yield from open_harness("bash")


@pytest.fixture
def session(bash: Harness) -> Iterator[TestSession]:
    yield from open_session(bash)


def once(bash: Harness, text: str) -> Result:
    return bash.do(bash.service.run(Command(text, "/", 30)))


def id_of(result: Result) -> str:
    assert result.output_id is not None
    return result.output_id


@pytest.mark.req("output-ids")
@pytest.mark.parametrize("kind", ["once", "session"])
def test_a_long_output_is_read_by_its_id_in_any_ranges(
    bash: Harness, session: TestSession, kind: str
) -> None:
    told = once(bash, LONG) if kind == "once" else session(LONG)
    spools = bash.service.place.spools
    whole = spools.read(id_of(told), "stdout", limit_bytes=1 << 20)
    assert (whole.data, whole.offset, whole.size_bytes) == (ALL, 0, len(ALL))
    middle = spools.read(id_of(told), "stdout", 50_000, 10)
    assert (middle.data, middle.offset, middle.size_bytes) == (ALL[50_000:50_010], 50_000, len(ALL))
    assert spools.read(id_of(told), "stdout", len(ALL) + 5).data == b""


@pytest.mark.req("output-ids")
def test_an_id_is_no_path_and_belongs_to_one_output(bash: Harness) -> None:
    ids = {id_of(once(bash, LONG)) for _ in range(3)}
    assert len(ids) == 3
    assert not any(os.sep in output_id for output_id in ids)


@pytest.mark.req("output-ids")
def test_a_stream_that_the_reply_has_shown_whole_is_told_as_such(bash: Harness) -> None:
    told = once(bash, f"{LONG}; echo short >&2")
    assert told.stderr.text == "short\n"
    with pytest.raises(RequestError, match="its reply has shown all of it"):
        bash.service.place.spools.read(id_of(told), "stderr")
    both = once(bash, f"{LONG}; {LONG} >&2")
    assert bash.service.place.spools.read(id_of(both), "stderr", limit_bytes=1 << 20).data == ALL


@pytest.mark.req("output-ids")
def test_what_is_gone_or_was_never_there_is_no_output(bash: Harness) -> None:
    told, spools = once(bash, LONG), bash.service.place.spools
    os.unlink(f"{told.spool}.out")
    server = id_of(told).partition("-")[0]
    odd = ["", "-", "7", f"{server}-", f"{server}-../1", f"{server}-1/../1", f"{server}-\u0661", "0000-1"]
    for output_id in [id_of(told), f"{server}-999999", *odd]:
        with pytest.raises(RequestError, match="There is no output") as caught:
            spools.read(output_id, "stdout")
        assert caught.value.code == "no_output"


@pytest.mark.req("output-ids")
def test_a_link_in_the_place_of_an_output_is_not_followed(bash: Harness, tmp_path: Path) -> None:
    told = once(bash, LONG)
    (tmp_path / "secret").write_text("secret")
    os.unlink(f"{told.spool}.out")
    os.symlink(tmp_path / "secret", f"{told.spool}.out")
    with pytest.raises(PlaceError, match="cannot be read"):
        bash.service.place.spools.read(id_of(told), "stdout")


@pytest.mark.req("output-ids")
def test_a_short_output_has_no_id(bash: Harness, session: TestSession) -> None:
    assert (once(bash, "echo hi").output_id, session("echo hi").output_id) == (None, None)


# -- all that leaves


def hide(data: bytes, *, more_follows: bool = False) -> tuple[bytes, bytes]:
    """A mask for the word SECRET: its beginning at the end of a chunk waits."""
    data = data.replace(b"SECRET", b"******")
    waiting = max((n for n in range(6) if more_follows and data.endswith(b"SECRET"[:n])), default=0)
    return data[: len(data) - waiting], data[len(data) - waiting :]


@pytest.mark.req("output-one-way-out")
@pytest.mark.parametrize("size", [1, 2, 3, 5, 6, 7])
def test_what_is_hidden_is_hidden_across_chunks_of_progress(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(output, "leaving", hide)
    said, newest = b"a SECRET, SECSECRET and SECRE\nSECRET", Newest()
    shown = "".join(newest.feed(said[at : at + size]) for at in range(0, len(said), size)) + newest.rest()
    assert shown == "a ******, SEC****** and SECRE\n******"


@pytest.mark.req("output-one-way-out")
def test_replies_of_every_kind_leave_by_one_function(
    bash: Harness, session: TestSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "leaving", hide)
    for told in (once(bash, "echo SECRET; echo SECRET >&2"), session("echo SECRET; echo SECRET >&2")):
        assert (told.stdout.text, told.stderr.text) == ("******\n", "******\n")
    long = once(bash, "echo SECRET; seq 20000; echo SECRET")
    assert long.stdout.truncated
    assert (long.stdout.text[:7], long.stdout.text[-7:]) == ("******\n", "******\n")


@pytest.mark.req("output-one-way-out")
def test_pages_of_files_leave_by_the_same_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "leaving", hide)
    assert output.page_text(b"a SECRET") == ("utf-8", "a ******")
