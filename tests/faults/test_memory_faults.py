"""Memory of ended commands, sessions and calls: it is let go at once, without a garbage collection.

Server and keeper look for circles of objects seldom, so whatever is in one stays for thousands of calls.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from faults.faulty_keeper import FaultyHarness

from nacre.errors import NacreError
from nacre.model import Command

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

ROUNDS = 8
# A keeper that lists, before it starts a command with this word, what a collection would find.
LISTING = """
import gc
real_start = posix.start

def listing_start(spec, environment):
    if "LIST_GARBAGE" in spec.argv[-1]:
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found = " ".join(sorted({type(thing).__name__ for thing in gc.garbage}))
        os.write(2, f"garbage: {found}\\n".encode())
        gc.set_debug(0)
        gc.garbage.clear()
        gc.collect()
    return real_start(spec, environment)

posix.start = listing_start
"""


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultyHarness]:
    harness = FaultyHarness("bash", LISTING, tmp_path_factory.mktemp("keeper") / "log")
    yield harness
    harness.close()


class Calls:
    """What a server is asked for, over and over."""

    def __init__(self, harness: FaultyHarness, directory: Path) -> None:
        self._service = harness.service
        self._directory = str(directory)

    async def run(
        self, text: str, session: str | None = None, timeout_s: float = 30, directory: str = ""
    ) -> None:
        await self._service.run(Command(text, directory or self._directory, timeout_s, session=session))

    async def short(self) -> None:
        await self.run("echo out; echo err >&2")

    async def long_output(self) -> None:
        await self.run("seq 100000")

    async def left_behind(self) -> None:
        await self.run("sleep 0.01 & echo left")

    async def not_startable(self) -> None:
        with contextlib.suppress(NacreError):
            await self.run("echo never", directory=f"{self._directory}/missing")

    async def timed_out(self) -> None:
        await self.run("sleep 60", timeout_s=0.05)

    async def timed_out_in_session(self) -> None:
        await self.run("sleep 60", "s", timeout_s=0.05)

    async def cancelled(self, session: str | None = None) -> None:
        begun = asyncio.Event()
        command = Command("echo begun; sleep 60", self._directory, 60, session=session)
        call = asyncio.create_task(self._service.run(command, lambda _stream, _chunk: begun.set()))
        await begun.wait()
        call.cancel()
        await asyncio.wait({call})

    async def cancelled_in_session(self) -> None:
        await self.cancelled("s")

    async def session_ended(self) -> None:
        await self.run("exit 3", "s")

    async def session_restarted(self) -> None:
        await self.run("echo 1", "s")
        await self._service.restart_session("s")

    async def session_closed(self) -> None:
        await self.run("sleep 0.01 & echo 1", "s")
        await self._service.close_session("s")


KINDS: dict[str, Callable[[Calls], Awaitable[None]]] = {
    name: call for name, call in vars(Calls).items() if not name.startswith("_") and name != "run"
}


@pytest.mark.req("fault-circles")
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_over_is_let_go_without_a_garbage_collection(
    harness: FaultyHarness, tmp_path: Path, kind: str
) -> None:
    calls = Calls(harness, tmp_path)

    async def many() -> None:
        for _ in range(ROUNDS):
            await KINDS[kind](calls)

    harness.do(many())  # what is made once, and kept
    harness.do(calls.run("LIST_GARBAGE=1"))
    log_before = harness.log.read_text()
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        harness.do(many())
        harness.do(calls.run("LIST_GARBAGE=1"))
        gc.collect()
        ours = Counter(type(thing).__name__ for thing in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not [name for name, count in ours.items() if count >= ROUNDS]
    assert harness.log.read_text().removeprefix(log_before).split() == ["garbage:"]
