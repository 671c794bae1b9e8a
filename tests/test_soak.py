"""Long runs: what must stay true after thousands of commands or gigabytes. The short ones run every time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import gone, unique_seconds

if TYPE_CHECKING:
    from collections.abc import Callable

    from wire_client import WireClient

    Start = Callable[..., WireClient]


def tree(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(process for child in children for process in tree(int(child)))]


def memory_kb(server: WireClient) -> int:
    """What the server and its keeper hold."""
    lines = [
        line
        for pid in tree(server.process.pid)
        for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    ]
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def descriptors(server: WireClient) -> int:
    return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in tree(server.process.pid))


def settled_descriptors(server: WireClient) -> int:
    """The same after the keeper has heard of the end of every process that is gone, and is done with it.

    It hears of the ends that have come before it hears of the end of a command that was started later. It
    closes the pipes of a command after the reply: while it does, it does not sleep.
    """
    assert server.shell("echo settled")["stdout"] == "settled\n"
    deadline = time.monotonic() + 10
    while not all(is_asleep(pid) for pid in tree(server.process.pid)):
        assert time.monotonic() < deadline, "something goes on working"
    return descriptors(server)


def is_asleep(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


@pytest.mark.req("true-memory")
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(300, id="short"),
        pytest.param(20_000, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
)
def test_memory_and_descriptors_stay_where_they_are(start: Start, count: int) -> None:
    server = start("--shell", "sh")
    for _ in range(200):
        server.shell("echo warm; echo up >&2")
    before_kb, before_fds = memory_kb(server), settled_descriptors(server)
    for turn in range(count):
        assert server.shell(f"echo {turn}")["stdout"] == f"{turn}\n"
    assert memory_kb(server) - before_kb < 4 * 1024
    assert settled_descriptors(server) == before_fds


@pytest.mark.req("true-memory")
@pytest.mark.parametrize(
    "size",
    [
        pytest.param(200_000_000, id="short"),
        pytest.param(10_000_000_000, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
)
def test_gigabytes_of_output_cost_no_memory(start: Start, size: int) -> None:
    server = start("--shell", "sh")
    server.shell("true")
    before_kb = memory_kb(server)
    reply = server.shell(f"yes | head -c {size}", timeout=600)
    assert reply["exit_code"] == 0
    assert f"{size - 10_000_000:,} bytes between them lost" in reply["stdout"]
    assert memory_kb(server) - before_kb < 32 * 1024


@pytest.mark.req("end-cancel")
@pytest.mark.parametrize(
    "count",
    [
        pytest.param(30, id="short"),
        pytest.param(1000, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
)
def test_cancelled_calls_leave_nothing(start: Start, count: int) -> None:
    server = start("--shell", "sh")
    mark = unique_seconds()
    before = 0
    for turn in range(count):
        call = server.post_call("shell", {"command": f"echo up; sleep {mark}"}, {"progressToken": 1})
        assert server.receive()["params"]["message"] == "up"
        server.notify("notifications/cancelled", {"requestId": call})
        if turn == 0:  # the first one opens what is kept for all that follow
            assert gone(mark)
            before = settled_descriptors(server)
    assert gone(mark)
    assert settled_descriptors(server) == before
