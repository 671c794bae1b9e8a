# ruff: noqa: SLF001  # it stops what nobody else sees
# pyright: reportPrivateUsage=false
"""A keeper that is stopped: it is replaced, and nothing that it ran is left."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from faulty_keeper import FaultyHarness
from process_table import gone, unique_seconds

from nacre.errors import PlaceError
from nacre.keeper import link
from nacre.keeper.frames import Spawn
from nacre.keeper.launch import launch
from nacre.keeper.processes import children_of
from nacre.model import Command

if TYPE_CHECKING:
    from nacre.keeper.link import Link

SHORT_S = 0.05


def keeper_of(one: Link) -> int:
    """The keeper's process: the only child of its guardian."""
    (pid,) = children_of(one._process.started.pid)
    return pid


@pytest.mark.req("fault-keeper-stopped")
@pytest.mark.parametrize("guardian_too", [False, True], ids=["keeper", "keeper and guardian"])
def test_a_stopped_keeper_is_killed_and_its_commands_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guardian_too: object
) -> None:
    mark = unique_seconds()

    async def use() -> PlaceError:
        one = link.Link(launch())
        await one.open(dict(os.environ), str(tmp_path / "spools"))
        spawn = Spawn(argv=["sh", "-c", f"sleep {mark} & setsid sleep {mark}"], program="/bin/sh", cwd="/")
        spawn.announce = True
        running = one.run(spawn)
        assert running.pid is not None
        await running.pid
        if guardian_too:
            os.kill(one._process.started.pid, signal.SIGSTOP)
        os.kill(keeper_of(one), signal.SIGSTOP)
        monkeypatch.setattr(link, "WATCH_S", SHORT_S)
        monkeypatch.setattr(link, "SILENCE_LIMIT_S", 4 * SHORT_S)
        one._watch_on()  # the one of before is seconds away
        with pytest.raises(PlaceError) as caught:
            await running.exit
        assert one.lost
        await one.close()
        one._process.wait(30)  # its guardian, which ends the commands
        return caught.value

    error = asyncio.run(use())
    assert error.code == "keeper_lost"
    assert "did not answer" in str(error)
    assert gone(mark)


@pytest.mark.req("fault-keeper-stopped")
def test_a_keeper_that_is_stopped_before_its_hello_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "HELLO_PATIENCE_S", SHORT_S)
    harness = FaultyHarness("bash", "import signal; os.kill(os.getpid(), signal.SIGSTOP)", tmp_path / "log")
    first, command = harness.link._process, Command("echo here", "/", 5)
    errors: list[str] = []
    while "was killed" not in (errors or [""])[-1]:
        with pytest.raises(PlaceError) as caught:
            harness.do(harness.service.run(command))
        errors.append(str(caught.value))
    assert len(errors) == link.HELLO_ROUNDS
    monkeypatch.setattr(link, "HELLO_PATIENCE_S", 30.0)
    assert harness.do(harness.service.run(command)).stdout.text == "here\n"
    harness.close()
    first.wait(30)


@pytest.mark.req("fault-keeper-stopped")
def test_an_idle_shell_keeps_nobody_looking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "WATCH_S", 0.0)

    async def use() -> None:
        one = link.Link(launch())
        await one.open(dict(os.environ), str(tmp_path / "spools"))
        shell = one.run(
            Spawn(argv=["sh"], program="/bin/sh", cwd="/", stdin=True, persistent=True, announce=True)
        )
        assert shell.pid is not None
        await shell.pid
        while one._watch is not None:
            await asyncio.to_thread(int)
        one.kill(shell, 0)
        await shell.exit
        await one.close()

    asyncio.run(use())
