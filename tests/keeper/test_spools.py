"""Spool files one by one and all together: what they hold, and how much room they take at most."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.keeper import spools
from nacre.keeper.directory import Directory
from nacre.keeper.spools import Spools

if TYPE_CHECKING:
    from pathlib import Path

    from nacre.keeper.spools import Spool

CHUNKS = st.lists(st.binary(min_size=1, max_size=40), max_size=40)


def spool_in(directory: Path, limit_bytes: int) -> Spool:
    return Spools(Directory(str(directory))).open("out", limit_bytes)


@given(CHUNKS, CHUNKS, st.integers(2, 60), st.booleans())
def test_a_spool_in_order_can_be_written_on(
    tmp_path_factory: pytest.TempPathFactory,
    first: list[bytes],
    second: list[bytes],
    limit: int,
    goes_on: bool,  # noqa: FBT001  # hypothesis gives it
) -> None:
    directory = tmp_path_factory.mktemp("spool")
    spool, path = spool_in(directory, limit), directory / "out"
    whole = b""
    for chunks in (first, second):
        for chunk in chunks:
            spool.write(chunk)
        whole += b"".join(chunks)
        with mock.patch.object(spools, "PIECE_BYTES", 7):  # the ring is turned piece by piece
            spool.order()
        kept = path.read_bytes() if path.exists() else b""
        expected = whole if len(whole) <= limit else whole[: limit // 2] + whole[-(limit - limit // 2) :]
        assert kept == expected
        assert spool.omitted_bytes == max(0, len(whole) - limit)
        spool.ended(goes_on=goes_on)


STEPS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["write", "end", "linger"]), st.integers(1, 50)),
    max_size=60,
)


@pytest.mark.req("spools-bounded")
@given(STEPS, st.integers(1, 4), st.integers(20, 120))
def test_all_spools_together_stay_within_their_bounds(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str, int]], kept: int, total: int
) -> None:
    directory = tmp_path_factory.mktemp("spools")
    spools = Spools(Directory(str(directory)), kept, total)
    present: dict[int, Spool] = {}
    ended: set[int] = set()
    for number, step, size in steps:
        spool = present.setdefault(number, spools.open(f"{number}.out", 40))
        try:
            spool.write(b"x" * size)
        except OSError:  # it is too large, or has made room for another
            spool.remove()
        if step != "write":
            spool.ended(goes_on=step == "linger")
            spools.trim()
            ended.add(number)
        sizes = {int(path.stem): path.stat().st_size for path in directory.iterdir()}
        assert sum(sizes.values()) <= total
        assert len(sizes.keys() & ended) <= 2 * kept


@pytest.mark.req("spools-bounded")
def test_the_oldest_spool_makes_room_and_those_that_grow_go_last(tmp_path: Path) -> None:
    spools = Spools(Directory(str(tmp_path)), kept=10, total_bytes=100)
    growing, old, young, newest = (spools.open(f"{name}.out", 1000) for name in "abcd")
    for spool, goes_on in ((growing, True), (old, False), (young, False)):
        spool.write(b"x" * 30)
        spool.ended(goes_on=goes_on)
    newest.write(b"x" * 40)
    assert [spool.is_there for spool in (growing, old, young, newest)] == [True, False, True, True]
    newest.write(b"x" * 60)
    assert [spool.is_there for spool in (growing, old, young, newest)] == [False, False, False, True]
    with pytest.raises(OSError, match="all spools together are limited to 100 bytes"):
        newest.write(b"x")


@pytest.mark.req("spools-bounded")
def test_a_keeper_that_follows_a_lost_one_counts_its_spools_and_removes_the_rest(tmp_path: Path) -> None:
    for age, name in enumerate(["3.out", "2.err", "1.out"]):
        (tmp_path / name).write_bytes(b"x" * 30)
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    for name in ("4.run", "4.0o", "5.cmd"):
        (tmp_path / name).touch()
    spools = Spools(Directory(str(tmp_path)), kept=2, total_bytes=100)
    spools.directory.ensure()
    spools.adopt()
    assert {path.name for path in tmp_path.iterdir()} == {"3.out", "2.err"}
    spools.open("6.out", 1000).write(b"x" * 50)
    assert {path.name for path in tmp_path.iterdir()} == {"3.out", "6.out"}
