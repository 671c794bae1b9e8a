"""Megabytes of output: how long they take and how much memory the server needs for them meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import processes
from bench.model import ECHO, Failed

if TYPE_CHECKING:
    from pathlib import Path

    from bench.model import Reply, Samples, Server
    from bench.stage import Stage

MEGABYTE = 1_000_000
PATIENCE_S = 30.0
BEGIN, END = "BEGIN-", "-END"  # what the command prints, and what its text has not
LINE = "abcdefghijklmnopqrstuvwxyz0123456789"


def command(size_bytes: int, done: Path) -> str:
    """Lines of 37 bytes between two marks, and a file that says that it ran to its end."""
    begin, end = "printf 'BEGIN%s\\n' -", "printf '\\n-%s\\n' END"
    return f"{begin}; yes {LINE} | head -c {size_bytes}; {end}; : > {done}"


def one_megabyte(stage: Stage, server: Server) -> Samples:
    """1 MB."""
    return _measure(stage, server, 1)


def ten_megabytes(stage: Stage, server: Server) -> Samples:
    """10 MB."""
    return _measure(stage, server, 10)


def hundred_megabytes(stage: Stage, server: Server) -> Samples:
    """100 MB."""
    return _measure(stage, server, 100)


def _measure(stage: Stage, server: Server, megabytes: int) -> Samples:
    """On a new server each time, so that the memory of one run is not the next one's."""
    time_of, peak_of = f"output_{megabytes}", f"peak_{megabytes}"
    done = stage.place(server, "work") / "done"
    done.unlink(missing_ok=True)
    asked = command(megabytes * MEGABYTE, done)
    if not server.argv:
        return {time_of: [_whole(stage.resident(server).call(asked), done)]}
    with stage.ready(server) as client:
        client.call(ECHO)
        pids = client.pids()
        processes.forget_peak(pids)
        reply = client.call(asked, PATIENCE_S)
        return {time_of: [_whole(reply, done)], peak_of: [processes.peak_rss(pids)]}


def _whole(reply: Reply, done: Path) -> float:
    """The seconds of a command that ran to its end and whose output came back, at least in part."""
    if reply.failure:
        raise Failed(reply.failure)
    if not done.exists():
        raise Failed("answered before the command had ended, or ended it")
    if LINE not in reply.text:
        raise Failed("nothing of the output came back")
    return reply.seconds
