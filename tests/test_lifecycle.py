"""Nothing is left behind: every descendant dies when nacre ends, however it ends."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import Bell, Gate, carrying, gone, keeper_of, unique_seconds, wait_for_end
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

# Each kind of descendant that is hard to find or to end.
DESCENDANTS = """
sleep {mark} &
setsid sleep {mark} &
(setsid sh -c 'sleep {mark} & exit' &)
nohup sleep {mark} >/dev/null 2>&1 &
(trap '' TERM HUP INT; sleep {mark}; sleep {mark}) &
env -i /usr/bin/setsid /bin/sh -c '/bin/sleep {mark} &'
"""
EXPECTED = 6  # sleeps; the subshells around them carry the mark too


def with_descendants(server: WireClient, tmp_path: Path) -> str:
    """Start all kinds of descendants, some of them in a command that still runs; their mark."""
    mark, bell = unique_seconds(), Bell(tmp_path)
    script = DESCENDANTS.format(mark=mark)
    server.post_call("shell", {"command": f"{script}\n{bell.ring}\nsleep {mark}"})
    server.post_call("shell", {"command": f"{script}\n{bell.ring}"})
    bell.wait(2)
    bell.close()
    assert len(carrying(mark)) >= 2 * EXPECTED - 2
    return mark


@pytest.mark.req("end-everything")
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129), (signal.SIGKILL, -9)],
)
def test_every_descendant_dies_with_a_signal(
    start: Start, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    server = start()
    mark = with_descendants(server, tmp_path)
    keeper = keeper_of(server.process.pid)
    server.process.send_signal(number)
    assert server.wait(5) == code
    assert gone(mark)
    assert wait_for_end([keeper])


@pytest.mark.req("end-everything")
def test_every_descendant_dies_when_the_client_is_gone(start: Start, tmp_path: Path) -> None:
    server = start()
    mark = with_descendants(server, tmp_path)
    assert server.process.stdout
    server.process.stdout.close()
    assert server.wait(5) == 1
    assert gone(mark)


@pytest.mark.req("end-everything")
@pytest.mark.req("end-eof")
def test_a_client_that_hangs_up_still_gets_its_answer_and_then_all_is_gone(
    start: Start, tmp_path: Path
) -> None:
    server = start()
    mark, bell, gate = unique_seconds(), Bell(tmp_path), Gate(tmp_path)
    command = f"setsid sleep {mark} & {bell.ring}; cat {gate.path}; echo end"
    call = server.post_call("shell", {"command": command})
    bell.wait()
    server.hang_up()
    gate.open()
    assert server.answer_to(call)["result"]["structuredContent"]["stdout"] == "open\nend\n"
    assert server.wait(5) == 0
    assert gone(mark)
    bell.close()


@pytest.mark.req("end-everything")
def test_a_client_that_dies_takes_its_commands_with_it(start: Start, tmp_path: Path) -> None:
    """A dead client closes both pipes; nobody waits for the command's end then."""
    server = start()
    mark = with_descendants(server, tmp_path)
    server.hang_up()
    assert server.process.stdout
    server.process.stdout.close()
    assert server.wait(5) == 1
    assert gone(mark)


@pytest.mark.req("keeper-lost")
def test_a_killed_keeper_is_reported_replaced_and_cleaned_up_after(start: Start, tmp_path: Path) -> None:
    server = start()
    mark, bell = unique_seconds(), Bell(tmp_path)
    call = server.post_call("shell", {"command": f"setsid sleep {mark} & {bell.ring}; sleep {mark}"})
    bell.wait()
    os.kill(keeper_of(server.process.pid), signal.SIGKILL)
    result = server.answer_to(call)["result"]
    assert result["isError"] is True
    assert "keeper process that ran the command is gone" in result["content"][0]["text"]
    assert server.shell("echo again")["stdout"] == "again\n"
    assert gone(mark)
    bell.close()


@pytest.mark.req("end-everything")
def test_no_spool_is_left_behind(start: Start) -> None:
    server = start()
    reply = server.shell("seq 100000")
    spool = Path(reply["spool"] + ".out")
    assert spool.exists()
    assert spool.parent.stat().st_mode & 0o777 == 0o700
    server.hang_up()
    assert server.wait() == 0
    assert not spool.parent.exists()


@pytest.mark.req("keeper-late")
def test_old_spools_make_room_for_new_ones_but_not_those_that_grow(start: Start) -> None:
    server = start()
    growing = Path(server.shell(f"sleep {unique_seconds()} & echo hi")["spool"] + ".out")
    first = Path(server.shell("seq 20000")["spool"] + ".out")
    assert first.exists()
    for _ in range(64):
        server.shell("seq 20000")
    assert not first.exists()
    assert growing.read_text() == "hi\n"
