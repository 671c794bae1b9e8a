"""The processes of commands on Linux and macOS: reaping, resource usage, signals.

Above it: `program`, `commands` and `process_tree`, through `host`. It does not know which process belongs to
which command.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

from nacre.keeper.records import dataclass

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Iterable

RSS_UNIT = 1 if sys.platform == "darwin" else 1024
TERM, KILL, STOP, CONTINUE = signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT


@dataclass(slots=True)
class Reaped:
    """How a child ended, and what it and the children it waited for have used."""

    pid: int
    code: int | None
    signal: str | None
    cpu_ms: int
    max_rss_bytes: int


def reap(awaited: Iterable[int] | None = None) -> tuple[list[Reaped], bool]:
    """The children that have ended, and whether any child is left at all.

    The kernel looks at every child for that; with `awaited` only at these.
    """
    if awaited is not None:
        waits = [os.wait4(pid, os.WNOHANG) for pid in awaited]
        return [_reaped(*wait) for wait in waits if wait[0]], True
    ended: list[Reaped] = []
    while True:
        try:
            wait = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if wait[0] == 0:
            return ended, True
        ended.append(_reaped(*wait))


def _reaped(pid: int, status: int, usage: resource.struct_rusage) -> Reaped:
    code = os.waitstatus_to_exitcode(status)  # below zero: a signal
    cpu_ms, max_rss_bytes = round((usage.ru_utime + usage.ru_stime) * 1000), usage.ru_maxrss * RSS_UNIT
    if code >= 0:
        return Reaped(pid, code, None, cpu_ms, max_rss_bytes)
    return Reaped(pid, None, signal_name(-code), cpu_ms, max_rss_bytes)


def has_ended(pid: int) -> bool:
    """Whether a child has ended but is not reaped yet; False also if unknown."""
    return hasattr(os, "waitid") and bool(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))


def own_peak_rss_bytes() -> int:
    """Our own peak memory: the kernel counts it for a child until exec, so a lower peak means nothing."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def signal_name(number: int) -> str:
    """SIGKILL for 9; real-time signals have a number instead of a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def signal_number(name: str) -> int:
    """9 for KILL or SIGKILL. Raises KeyError for an unknown name."""
    return signal.Signals[name if name.startswith("SIG") else "SIG" + name].value


def send_signal(pids: Iterable[int], number: int) -> None:
    """Signal each process; those that are gone, or that we may not signal, are skipped."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def send_signal_to_group(pid: int, number: int) -> None:
    """Signal the process group that a command was started in."""
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return
