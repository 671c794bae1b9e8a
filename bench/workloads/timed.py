"""Starts, commands one after the other, many at once, and verdicts: what is told in time alone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from bench import processes
from bench.client import Client
from bench.floors import Spawn
from bench.model import ECHO, Failed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.model import Reply, Samples, Server
    from bench.stage import Running, Stage

CALLS, BLOCK_S = 10, 0.5  # a block ends with whichever comes first
NEW_SHELLS = 3
IN_FLIGHT, ECHOES = 16, 500
MANY_PATIENCE_S = 30.0
EXIT_PATIENCE_S = 3.0
VERDICTS = 25
EXECS = 500
now = time.perf_counter


def start(stage: Stage, server: Server) -> Samples:
    """From the start of the process to the first result; the size of the whole tree then; its end."""
    with stage.fresh(server) as client:
        initialize_s = client.initialize()
        tools = client.request("tools/list", {})
        client.prepare()
        _run(client, ECHO, "hi")
        first_result_s = now() - client.started
        pids = client.pids()
        samples: Samples = {
            "initialize": [initialize_s],
            "first_result": [first_result_s],
            "rss": [processes.rss(pids)],
            "pss": [processes.pss(pids)],
            "tools_list": [len(tools)],
        }
        client.hang_up()
        exit_s = client.wait(EXIT_PATIENCE_S)
        return samples if exit_s is None else {**samples, "exit": [exit_s]}


def echo(stage: Stage, server: Server) -> Samples:
    """A builtin of the shell, again and again."""
    return {"echo": _block(stage.resident(server), ECHO)}


def program(stage: Stage, server: Server) -> Samples:
    """A program, again and again."""
    return {"program": _block(stage.resident(server), f"/bin/{ECHO}")}


def nested(stage: Stage, server: Server) -> Samples:
    """A shell inside the shell, again and again."""
    return {"nested": _block(stage.resident(server), f"sh -c '{ECHO}'")}


def execs(stage: Stage, server: Server) -> Samples:
    """One command that starts a program so many times."""
    loop = f"for word in {' '.join(['x'] * EXECS)}; do /bin/cat /dev/null; done; {ECHO}"
    return {"execs": [_run(stage.resident(server), loop, "hi").seconds]}


def _block(running: Running, command: str) -> list[float]:
    taken, began = list[float](), now()
    while len(taken) < CALLS and (not taken or now() - began < BLOCK_S):
        taken.append(_run(running, command, "hi").seconds)
    return taken


def _run(running: Running, command: str, expected: str) -> Reply:
    """The reply, which must be right: a wrong answer has no speed."""
    reply = running.call(command)
    if not reply.says(expected):
        said = reply.failure or f"answered {reply.text[:100]!r}"
        raise Failed(f"{command[:40]}: {said}")
    return reply


def new_shell(stage: Stage, server: Server) -> Samples:
    """From a command that finds no shell of its session to its result."""
    taken = list[float]()
    for _ in range(NEW_SHELLS):
        if server.argv:
            stage.resident(server).call("exit")
            taken.append(_run(stage.resident(server), ECHO, "hi").seconds)
        else:
            began = now()
            bash = stage.floor(server)
            bash.call(ECHO)
            taken.append(now() - began)
            bash.close()
    return {"new_shell": taken}


def verdict(_stage: Stage, _server: Server) -> Samples:
    """What the rules cost by themselves, without a server: of texts that come again, and of new ones."""
    return {"verdict": _verdicts(), "new_verdict": _verdicts("new")}


def _verdicts(*arguments: str) -> list[float]:
    command = [sys.executable, "-m", "bench.programs.verdicts", str(VERDICTS), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise Failed(done.stderr.decode(errors="replace")[-200:])
    return json.loads(done.stdout)


def flight(stage: Stage, server: Server) -> Samples:
    """Many small commands, several in flight; every answer must belong to its question."""
    words = [f"word-{number}-" if server.runs_commands else "hi" for number in range(ECHOES)]
    return {"flight": [_many(stage, server, [f"echo {word}" for word in words], words)]}


def sleeps(stage: Stage, server: Server) -> Samples:
    """Commands that only wait, side by side."""
    return {"sleeps": [_many(stage, server, ["sleep 0.2"] * IN_FLIGHT, [""] * IN_FLIGHT)]}


def _many(stage: Stage, server: Server, commands: Sequence[str], expected: Sequence[str]) -> float:
    running = stage.resident(server)
    assert isinstance(running, Client | Spawn)
    took_s, replies = running.many(commands, IN_FLIGHT, MANY_PATIENCE_S)
    bad = [reply for reply, word in zip(replies, expected, strict=True) if not reply.says(word)]
    if bad:
        missing = sum(reply.failure == "no answer" for reply in bad)
        raise Failed(
            f"of {len(commands)} calls {len(bad) - missing} failed or were answered wrongly,"
            f" {missing} not within {MANY_PATIENCE_S:g} s"
        )
    return took_s
