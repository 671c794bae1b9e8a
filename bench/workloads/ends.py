"""Cancelled calls and timeouts: how long until everything that a command has started is dead.

The kernel tells the ends; nobody polls for them.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bench import processes
from bench.client import Client
from bench.model import Failed

if TYPE_CHECKING:
    from bench.model import Samples, Server
    from bench.stage import Stage

SECONDS = 60
PARTIAL = "partial-out"  # what the command prints, and what its text has not
START_PATIENCE_S, END_PATIENCE_S = 5.0, 4.0
TIMEOUT_S = 1.0
now = time.perf_counter


def two_sleeps(mark: str) -> str:
    """A command that prints, and then waits with a process in the background."""
    return f"printf 'partial-%s\\n' out; sleep {mark} & sleep {mark}"


def started(mark: str) -> list[int]:
    """Everything of a marked command, once both of its sleeps run."""
    deadline = now() + START_PATIENCE_S
    while now() < deadline:
        found = processes.with_argument(mark)
        if sum(processes.runs(pid, "sleep") for pid in found) >= 2:
            return found
        time.sleep(0.01)
    raise Failed("the command did not start")


def cancel(stage: Stage, server: Server) -> Samples:
    """From the notification to the last death."""
    client, mark = stage.resident(server), processes.unique_seconds(SECONDS)
    assert isinstance(client, Client)
    identity = client.post_call(two_sleeps(mark))
    with processes.Watched(started(mark)) as watched:
        began = now()
        client.notify("notifications/cancelled", {"requestId": identity, "reason": "bench"})
        if not watched.wait(END_PATIENCE_S):
            watched.kill()
            raise Failed(f"not dead {END_PATIENCE_S:g} s after it was cancelled")
        return {"cancel": [now() - began]}


def timeout(stage: Stage, server: Server) -> Samples:
    """From the moment the time is over to the last death."""
    if server.timeout is None:
        raise Failed("has no timeout")
    mark = processes.unique_seconds(SECONDS)
    with stage.ready(server, server.timeout.env) as client:
        began = now()
        client.post_call(two_sleeps(mark), server.timeout.arguments)
        with processes.Watched(started(mark)) as watched:
            if not watched.wait(TIMEOUT_S + END_PATIENCE_S):
                watched.kill()
                raise Failed(f"not dead {END_PATIENCE_S:g} s after its timeout")
            return {"timeout": [max(0.0, now() - began - TIMEOUT_S)]}
