"""Nothing is left behind: whoever of server, keeper and guardian dies, stops or is killed first."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import Bell, carrying, gone, guardian_of, keeper_of, unique_seconds, wait_for_end
from unkillable import unkillable

if TYPE_CHECKING:
    from collections.abc import Callable

    from wire_client import WireClient

    Start = Callable[..., WireClient]

# Two that run, of which one has wiped every trace of where it came from, and one that ignores TERM.
DESCENDANTS = (
    "(env -i /usr/bin/setsid /bin/sleep {mark} >/dev/null 2>&1 &)\n"
    "(trap '' TERM; setsid sleep {mark} & exit)\n"
    "sleep {mark} &"
)
STUBBORN = 300


def leave_some(server: WireClient, tmp_path: Path) -> tuple[str, int]:
    """One command that has left processes behind, one that runs: their mark, and the call that waits."""
    mark, bell = unique_seconds(), Bell(tmp_path)
    server.shell(DESCENDANTS.format(mark=mark))
    call = server.post_call(
        "shell", {"command": f"{DESCENDANTS.format(mark=mark)}\n{bell.ring}; sleep {mark}"}
    )
    bell.wait()
    bell.close()
    return mark, call


def wait_for_line(server: WireClient, words: bytes) -> None:
    """Wait until the server, or what it has started, says something on stderr; it may end meanwhile."""
    while words not in server.stderr:
        assert server.hear_stderr(), server.stderr


@pytest.mark.req("fault-keeper-killed")
def test_a_killed_keeper_takes_all_its_processes_with_it_without_a_next_command(
    start: Start, tmp_path: Path
) -> None:
    server = start()
    mark, call = leave_some(server, tmp_path)
    os.kill(keeper_of(server.process.pid), signal.SIGKILL)
    assert "keeper process that ran the command is gone" in str(server.answer_to(call))
    assert gone(mark)
    assert server.shell("echo again")["stdout"] == "again\n"


@pytest.mark.req("fault-keeper-killed")
def test_a_keeper_that_is_told_to_go_leaves_the_files_to_the_server(start: Start, tmp_path: Path) -> None:
    server = start()
    spool = Path(server.shell("seq 100000")["spool"] + ".out")
    mark, call = leave_some(server, tmp_path)
    os.kill(keeper_of(server.process.pid), signal.SIGTERM)
    assert "result" in server.answer_to(call)
    assert gone(mark)
    assert server.shell("echo again")["stdout"] == "again\n"
    assert spool.exists()
    server.hang_up()
    assert server.wait() == 0
    assert not spool.parent.exists()


@pytest.mark.req("fault-keeper-killed")
def test_replaced_keepers_leave_no_descriptor_and_no_process(start: Start) -> None:
    server = start()
    server.shell("true")
    descriptors = Path(f"/proc/{server.process.pid}/fd")
    before = len(list(descriptors.iterdir()))
    for _ in range(3):
        guardian, keeper = guardian_of(server.process.pid), keeper_of(server.process.pid)
        os.kill(keeper, signal.SIGKILL)
        assert wait_for_end([keeper, guardian])
        while server.call("shell", command="echo again")["isError"]:
            pass  # the server may not have seen the end yet: then it says that the keeper is gone
        assert len(list(descriptors.iterdir())) == before


@pytest.mark.req("fault-keeper-killed-then-term")
def test_a_server_that_is_told_to_end_right_after_its_keeper_was_killed_leaves_nothing(
    start: Start, tmp_path: Path
) -> None:
    server = start()
    mark, _ = leave_some(server, tmp_path)
    os.kill(keeper_of(server.process.pid), signal.SIGKILL)
    server.process.terminate()
    assert server.wait() == 128 + signal.SIGTERM
    assert gone(mark)


@pytest.mark.req("fault-all-killed")
@pytest.mark.parametrize("first", ["keeper", "server"])
def test_a_server_and_a_keeper_that_are_killed_together_leave_nothing(
    start: Start, tmp_path: Path, first: str
) -> None:
    server = start()
    spool = Path(server.shell("seq 100000")["spool"] + ".out")
    mark, _ = leave_some(server, tmp_path)
    both = [keeper_of(server.process.pid), server.process.pid]
    guardian = guardian_of(server.process.pid)
    for pid in both if first == "keeper" else reversed(both):
        os.kill(pid, signal.SIGKILL)
    assert server.wait() == -signal.SIGKILL
    assert wait_for_end([guardian])
    assert carrying(mark) == []
    assert not spool.parent.exists()


@pytest.mark.req("fault-guardian-killed")
def test_without_its_guardian_a_keeper_goes_on_and_the_log_says_so(start: Start, tmp_path: Path) -> None:
    server = start()
    mark, call = leave_some(server, tmp_path)
    keeper = keeper_of(server.process.pid)
    os.kill(guardian_of(server.process.pid), signal.SIGKILL)
    wait_for_line(server, b"guardian is gone")
    assert server.shell("echo still here")["stdout"] == "still here\n"
    os.kill(keeper, signal.SIGKILL)
    assert "keeper process that ran the command is gone" in str(server.answer_to(call))
    assert server.shell("echo again")["stdout"] == "again\n"
    bare = [pid for pid in carrying(mark) if b"NACRE" not in Path(f"/proc/{pid}/environ").read_bytes()]
    for pid in bare:  # two were killed: what no mark shows to be ours is ended by the test
        os.kill(pid, signal.SIGKILL)
    assert gone(mark)


@pytest.mark.req("fault-keeper-hangs-at-the-end")
@pytest.mark.parametrize("end", ["eof", "term"])
def test_a_keeper_that_hangs_when_the_server_ends_leaves_nothing(
    start: Start, tmp_path: Path, end: str
) -> None:
    server = start()
    mark, _ = leave_some(server, tmp_path)
    keeper, guardian = keeper_of(server.process.pid), guardian_of(server.process.pid)
    os.kill(keeper, signal.SIGSTOP)
    if end == "term":
        server.process.terminate()
    else:
        assert server.process.stdout
        server.process.stdout.close()
        server.hang_up()
    server.wait()
    assert wait_for_end([keeper, guardian])
    assert carrying(mark) == []


@pytest.mark.req("fault-stubborn-at-the-end")
@pytest.mark.parametrize("end", ["eof", "term", "kill"])
def test_processes_that_ignore_term_do_not_survive_an_orderly_end(start: Start, end: str) -> None:
    server = start()
    mark = unique_seconds()
    many = f"trap '' TERM HUP INT; for i in $(seq {STUBBORN}); do sleep {mark} >/dev/null 2>&1 & done"
    server.shell(many)
    assert len(carrying(mark)) >= STUBBORN
    guardian = guardian_of(server.process.pid)
    if end == "eof":
        server.hang_up()
    else:
        server.process.send_signal(signal.SIGTERM if end == "term" else signal.SIGKILL)
    server.wait()
    assert wait_for_end([guardian], patience_s=30)
    assert carrying(mark) == []


@pytest.mark.req("fault-unkillable-at-the-end")
def test_a_process_that_cannot_be_killed_does_not_hold_the_server_and_is_named(start: Start) -> None:
    server = start()
    mark = unique_seconds()
    (left,) = server.shell(f"sleep {mark} >/dev/null 2>&1 &")["left_running"]
    guardian = guardian_of(server.process.pid)
    with unkillable(left["pid"]):
        server.hang_up()
        assert server.wait() == 0
        assert wait_for_end([guardian])
        wait_for_line(server, f"could not be ended: {left['pid']} ".encode())
    assert gone(mark)
