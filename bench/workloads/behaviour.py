"""What a server does when a command does not behave. Each probe has a new server and tells outcomes in words.

The words that a command prints never stand in its text, so that a server which repeats the command back
is not taken for one that ran it.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from bench import processes
from bench.model import Failed, Gone, Outcome, Reply
from bench.workloads import ends, output

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.client import Client
    from bench.model import Server
    from bench.stage import Stage

PATIENCE_S = 6.0
AT_ONCE_S = 3.0
SETTLE_S = 2.0
LONG_COMMAND_BYTES = 200_000
BIG_OUTPUT_BYTES = 10 * output.MEGABYTE
ROWS = {
    "timeout": "timeout of 1 s on `sleep 60 & sleep 60`",
    "timeout_partial": "… what was printed before",
    "timeout_left": "… processes left",
    "cancel": "call cancelled: processes left",
    "hang_up": "client hangs up during a command",
    "hang_up_left": "… processes left",
    "background": "`sleep 30 & echo hi`",
    "stdin": "`cat` with nothing to read",
    "long_command": "command of 200 kB",
    "big_output": "10 MB of output: comes back",
    "left_behind": "after the server's end, of `setsid sleep 60 &`",
}
Outcomes = dict[str, Outcome]
now = time.perf_counter


def on_timeout(stage: Stage, server: Server) -> Outcomes:
    """Whether there is an answer, with what was printed, and everything is dead then."""
    if server.timeout is None:
        return {"timeout": Outcome("has none", good=False)}
    mark = processes.unique_seconds(ends.SECONDS)
    with stage.ready(server, server.timeout.env) as client:
        reply = client.call(ends.two_sleeps(mark), PATIENCE_S, server.timeout.arguments)
        left = _left(mark)
        answered = Outcome("answers", good=True) if not reply.failure else _failure(reply)
        kept = ends.PARTIAL in reply.text
        return {
            "timeout": _and_after(client, answered),
            "timeout_partial": Outcome("kept" if kept else "lost", good=kept),
            "timeout_left": _count(left, named_in=reply.text),
        }


def on_cancel(stage: Stage, server: Server) -> Outcomes:
    """Whether a cancelled call ends its command."""
    mark = processes.unique_seconds(ends.SECONDS)
    with stage.ready(server) as client:
        identity = client.post_call(ends.two_sleeps(mark))
        ends.started(mark)
        client.notify("notifications/cancelled", {"requestId": identity, "reason": "bench"})
        left = _left(mark)
        return {"cancel": _and_after(client, _count(left))}


def on_hang_up(stage: Stage, server: Server) -> Outcomes:
    """Whether a server whose client has left ends, and its command with it."""
    mark = processes.unique_seconds(ends.SECONDS)
    with stage.ready(server) as client:
        client.post_call(ends.two_sleeps(mark))
        ends.started(mark)
        client.hang_up()
        ended = client.wait(PATIENCE_S) is not None
        return {
            "hang_up": Outcome("ends" if ended else "lives on", good=ended),
            "hang_up_left": _count(_left(mark)),
        }


def on_background(stage: Stage, server: Server) -> Outcomes:
    """Whether a process in the background holds the answer back."""
    mark = processes.unique_seconds(30)
    with stage.ready(server) as client:
        reply = client.call(f"sleep {mark} & printf 'hi-%s\\n' there", PATIENCE_S)
        if reply.failure:
            outcome = _failure(reply)
        elif "hi-there" not in reply.text:
            outcome = Outcome("output lost", good=False)
        elif reply.seconds > AT_ONCE_S:
            outcome = Outcome(f"answers after {reply.seconds:.0f} s", good=False)
        else:
            outcome = Outcome("answers at once", good=True)
        processes.kill(processes.with_argument(mark))
        return {"background": _and_after(client, outcome)}


def on_stdin(stage: Stage, server: Server) -> Outcomes:
    """What a command reads that was given nothing to read."""
    with stage.ready(server) as client:
        began = now()
        identity = client.post_call("cat; printf 'after-%s\\n' cat")
        reply = client.reply(identity, began, AT_ONCE_S)
        if reply.failure == "no answer":
            pong = client.answer(client.post("ping", {}), AT_ONCE_S)
            says = "hangs" if pong else "hangs, and the server with it"
            return {"stdin": Outcome(says, good=False)}
        ended = "after-cat" in reply.text
        return {"stdin": Outcome("ends", good=True) if ended else _failure(reply)}


def on_long_command(stage: Stage, server: Server) -> Outcomes:
    """Whether a command may be longer than the system lets an argument be."""
    with stage.ready(server) as client:
        reply = client.call("printf 'long-%s\\n' ok # " + "x" * LONG_COMMAND_BYTES, PATIENCE_S)
        runs = "long-ok" in reply.text
        outcome = Outcome("runs", good=True) if runs else _failure(reply)
        return {"long_command": _and_after(client, outcome)}


def on_big_output(stage: Stage, server: Server) -> Outcomes:
    """What of it the agent sees."""
    done = stage.place(server, "work") / "done"
    with stage.ready(server) as client:
        reply = client.call(output.command(BIG_OUTPUT_BYTES, done), 2 * PATIENCE_S)
        begun, ended = output.BEGIN in reply.text, output.END in reply.text
        if reply.failure or not reply.text:
            outcome = _failure(reply)
        elif begun and ended:
            whole = len(reply.text) >= BIG_OUTPUT_BYTES
            outcome = Outcome("all of it" if whole else "beginning and end", good=True)
        else:
            outcome = Outcome("beginning" if begun else "end" if ended else "nothing", good=False)
        return {"big_output": _and_after(client, outcome)}


def on_left_behind(stage: Stage, server: Server) -> Outcomes:
    """What is there of a server and its commands after both have ended."""
    mark, temporary = processes.unique_seconds(ends.SECONDS), stage.place(server, "tmp")
    before = _files(temporary)
    with stage.ready(server) as client:
        client.call(f"setsid sleep {mark} >/dev/null 2>&1 </dev/null & printf x", PATIENCE_S)
        client.hang_up()
        client.wait(PATIENCE_S)
        left = len(_left(mark))
    files = len(_files(temporary) - before)
    parts = [f"{left} process"] if left else []
    parts += [f"{files} temporary file{'s' * (files > 1)}"] if files else []
    return {"left_behind": Outcome(", ".join(parts) or "nothing", good=not parts)}


PROBES: tuple[Callable[[Stage, Server], Outcomes], ...] = (
    on_timeout,
    on_cancel,
    on_hang_up,
    on_background,
    on_stdin,
    on_long_command,
    on_big_output,
    on_left_behind,
)


def probe(stage: Stage, server: Server) -> Outcomes:
    """All outcomes of a server; one that fails to start for a probe has none of its rows."""
    found: Outcomes = {}
    for ask in PROBES:
        try:
            found.update(ask(stage, server))
        except (Failed, OSError) as error:
            row = ask.__name__.removeprefix("on_")
            found[row] = Outcome("gone" if isinstance(error, Gone) else str(error), good=False)
    return found


def _files(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if not path.is_dir()}


def _left(mark: str) -> list[int]:
    """The marked processes that live on after a moment; they are ended here."""
    with processes.Watched(processes.with_argument(mark)) as watched:
        watched.wait(SETTLE_S)
    left = processes.with_argument(mark)
    processes.kill(left)
    return left


def _count(left: list[int], *, named_in: str = "") -> Outcome:
    """How many; those that the reply names are not behind anybody's back."""
    if not left:
        return Outcome("none", good=True)
    named = all(str(pid) in named_in for pid in left)
    return Outcome(f"{len(left)}{', named' * named}", good=named)


def _failure(reply: Reply) -> Outcome:
    """A call that came to nothing, in words."""
    if reply.failure == "no answer":
        return Outcome("hangs", good=False)
    if reply.failure == "gone":
        return Outcome("the server dies", good=False)
    refused = re.search("too long|too large|exceed|E2BIG|limit", reply.text, re.IGNORECASE)
    return Outcome("refused" if refused else "an error" if reply.is_error else "output lost", good=False)


def _and_after(client: Client, outcome: Outcome) -> Outcome:
    """The outcome, and whether the server is of use afterwards."""
    if outcome.says == "hangs":
        return outcome
    usable = client.is_alive() and client.call("printf 'still-%s\\n' ok", PATIENCE_S).says("still-ok")
    return outcome if usable else Outcome(f"{outcome.says}; then no command works", good=False)
