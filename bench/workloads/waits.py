"""Waiting for a job: how long after the event the answer comes.

The job reads from a named pipe, so the benchmark itself makes the event, when the wait has been taken.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

from bench.client import Client
from bench.model import Failed

if TYPE_CHECKING:
    from pathlib import Path

    from bench.model import Arguments, Samples, Server
    from bench.stage import Stage

PATIENCE_S = 10.0
WORD = "came-line"  # what the job prints, and what its text has not
now = time.perf_counter


def wait(stage: Stage, server: Server) -> Samples:
    """From a line that is waited for, and from the end of the job, to the answer."""
    client, pipe = stage.resident(server), stage.place(server, "work") / "event"
    assert isinstance(client, Client)
    if not pipe.exists():
        os.mkfifo(pipe)
    job = _start(client, f"read x < {pipe}; printf 'came-%s\\n' line; read x < {pipe}")
    return {
        "wait_line": [_answered(client, pipe, {"id": job, "until": WORD}, WORD)],
        "wait_end": [_answered(client, pipe, {"id": job}, "ended")],
    }


def _start(client: Client, command: str) -> str:
    """The id of a job."""
    said = client.call(command, PATIENCE_S, {"background": True}).text
    found = re.search(r"job (\S+)", said)
    if found is None:
        raise Failed(f"no job was started: {said[:100]!r}")
    return found[1]


def _answered(client: Client, pipe: Path, wanted: Arguments, expected: str) -> float:
    """Seconds from the event to the answer of a wait that was there before it."""
    waiting = client.post("tools/call", {"name": "job", "arguments": {"action": "wait", **wanted}})
    client.request("ping", {})  # answered after the wait has been taken
    with pipe.open("w"):  # returns when the job has come to read
        began = now()
    reply = client.reply(waiting, began, PATIENCE_S)
    if not reply.says(expected):
        raise Failed(f"a wait answered {reply.failure or reply.text[:100]!r}")
    return reply.seconds
