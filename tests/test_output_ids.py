"""Output files by id, and the one function through which all bytes leave."""

from __future__ import annotations

import base64
import os
from typing import TYPE_CHECKING, Any

import pytest
from session_harness import Harness, TestSession, open_harness, open_session

from nacre import output, outputs
from nacre.errors import PlaceError, RequestError
from nacre.model import Command
from nacre.output import Newest
from nacre.output_query import Query

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nacre.model import Result
    from nacre.output_query import Excerpt
    from nacre.spools import StreamName

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


def part_of(bash: Harness, output_id: str | None, stream: StreamName = "stdout", **query: Any) -> Excerpt:
    asked = Query(query.pop("limit_bytes", 1 << 20), **query)
    return bash.do(bash.service.read_output(output_id, stream, asked))


@pytest.mark.req("output-ids")
@pytest.mark.parametrize("kind", ["once", "session"])
def test_a_long_output_is_read_by_its_id_in_any_ranges(
    bash: Harness, session: TestSession, kind: str
) -> None:
    result = once(bash, LONG) if kind == "once" else session(LONG)
    whole = part_of(bash, result.output_id)
    assert (whole.text.encode(), whole.offset, whole.total_bytes) == (ALL, 0, len(ALL))
    middle = part_of(bash, result.output_id, offset=50_000, limit_bytes=10, as_base64=True)
    assert (base64.b64decode(middle.text), middle.next_offset) == (ALL[50_000:50_010], 50_010)
    assert part_of(bash, result.output_id, offset=len(ALL) + 5).text == ""


@pytest.mark.req("output-ids")
def test_an_id_is_no_path_and_belongs_to_one_output(bash: Harness) -> None:
    ids = {once(bash, LONG).output_id for _ in range(3)}
    assert len(ids) == 3
    assert not any(os.sep in output_id for output_id in ids)


@pytest.mark.req("output-ids")
@pytest.mark.parametrize("kind", ["once", "session"])
def test_a_short_output_is_read_by_its_id_too(bash: Harness, session: TestSession, kind: str) -> None:
    command = "echo out; echo err >&2"
    result = once(bash, command) if kind == "once" else session(command)
    assert part_of(bash, result.output_id).text == "out\n"
    assert part_of(bash, result.output_id, "stderr").text == "err\n"
    assert part_of(bash, None).output_id == result.output_id


@pytest.mark.req("output-ids")
def test_each_stream_is_found_where_it_is_kept(bash: Harness) -> None:
    result = once(bash, f"{LONG}; echo short >&2")
    assert part_of(bash, result.output_id, "stderr").text == "short\n"
    both = once(bash, f"{LONG}; {LONG} >&2")
    assert part_of(bash, both.output_id, "stderr").text.encode() == ALL


@pytest.mark.req("output-ids")
def test_short_outputs_make_room_for_newer_ones(bash: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outputs, "MEMORY_BYTES", 100)
    oldest, older = once(bash, "printf %090d 1"), once(bash, "printf %060d 2")
    with pytest.raises(RequestError, match="There is no output"):
        part_of(bash, oldest.output_id)
    assert part_of(bash, older.output_id).text.endswith("02")
    large = once(bash, "printf %0300d 3")
    assert part_of(bash, large.output_id).text.endswith("03")  # the newest is always there
    with pytest.raises(RequestError, match="There is no output"):
        part_of(bash, older.output_id)


@pytest.mark.req("output-ids")
def test_what_is_gone_or_was_never_there_is_no_output(bash: Harness) -> None:
    result = once(bash, LONG)
    os.unlink(f"{result.spool}.out")
    server = result.output_id.partition("-")[0]
    odd = ["-", "7", f"{server}-", f"{server}-../1", f"{server}-1/../1", f"{server}-\u0661", "0000-1"]
    for output_id in [result.output_id, f"{server}-999999", *odd]:
        with pytest.raises(RequestError, match="There is no output") as caught:
            part_of(bash, output_id)
        assert caught.value.code == "no_output"


@pytest.mark.req("output-ids")
def test_a_link_in_the_place_of_an_output_is_not_followed(bash: Harness, tmp_path: Path) -> None:
    result = once(bash, LONG)
    (tmp_path / "secret").write_text("secret")
    os.unlink(f"{result.spool}.out")
    os.symlink(tmp_path / "secret", f"{result.spool}.out")
    with pytest.raises(PlaceError, match="cannot be read"):
        part_of(bash, result.output_id)


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
    for result in (once(bash, "echo SECRET; echo SECRET >&2"), session("echo SECRET; echo SECRET >&2")):
        assert (result.stdout.text, result.stderr.text) == ("******\n", "******\n")
    long = once(bash, "echo SECRET; seq 20000; echo SECRET")
    assert long.stdout.truncated
    assert (long.stdout.text[:7], long.stdout.text[-7:]) == ("******\n", "******\n")


@pytest.mark.req("output-one-way-out")
def test_pages_of_files_leave_by_the_same_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "leaving", hide)
    assert output.page_text(b"a SECRET") == ("utf-8", "a ******")
