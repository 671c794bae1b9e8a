"""Many commands that are killed at once cost the keeper so much work each, however many they are."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from process_table import gone, unique_seconds

from nacre.keeper.frames import Spawn
from nacre.keeper.launch import launch
from nacre.keeper.link import Link

SOURCE = Path(__file__).parents[2] / "src"
# A keeper that leaves a byte in a file whenever it reads about a process.
COUNTING = """
import os, sys
sys.path.insert(0, sys.argv[1])
from nacre.keeper import processes, program
counted, real = os.open({file!r}, os.O_CREAT | os.O_WRONLY | os.O_APPEND), processes._read
processes._read = lambda path: (os.write(counted, b"."), real(path))[1]
program.main()
"""
READS_EACH = 40  # about ten; looks at the whole crowd for each of its members would be hundreds
GRACE_MS = 60_000  # nothing here outlives a TERM: the hard rungs are not reached on slow machines either


async def kill_many(count: int, command: str, counted: Path, spool_dir: str) -> list[str | None]:
    program = COUNTING.format(file=str(counted))
    link = Link(launch([sys.executable, "-I", "-S", "-c", program, str(SOURCE)]))
    await link.open(dict(os.environ), spool_dir)
    try:
        async with asyncio.timeout(100):
            running = [
                link.run(Spawn(argv=["sh", "-c", command], program="/bin/sh", cwd="/")) for _ in range(count)
            ]
            for one in running:
                link.kill(one, GRACE_MS)
            return [(await one.exit).why for one in running]
    finally:
        await link.close()


@pytest.mark.req("fault-many-cancels")
def test_the_work_of_killing_many_commands_grows_with_their_number_only(tmp_path: Path) -> None:
    count, mark, counted = 120, unique_seconds(), tmp_path / "reads"
    whys = asyncio.run(kill_many(count, f"sleep {mark} & sleep {mark}", counted, str(tmp_path / "spools")))
    assert whys == ["killed"] * count
    assert gone(mark)
    assert counted.stat().st_size < count * READS_EACH
