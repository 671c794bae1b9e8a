"""Processes as Linux shows them: trees, memory, marks, and ends that the kernel tells.

Above it: the client, the stage and the workloads. It knows no server.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import select
import signal
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

KIB = 1024
_DEAD = (b"Z", b"X")


def unique_seconds(seconds: int) -> str:
    """An argument for `sleep` that is also a mark no other process carries."""
    return f"{seconds}.{random.randrange(10**8, 10**9)}"  # noqa: S311  # a mark, not a secret


def _read(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:  # it has ended, or belongs to somebody else
        return b""


def _stat(pid: int) -> list[bytes]:
    """The fields of /proc/PID/stat after the name: the state, the parent and so on."""
    return _read(pid, "stat").rpartition(b")")[2].split()


def _is_alive(pid: int) -> bool:
    stat = _stat(pid)
    return bool(stat) and stat[0] not in _DEAD


def _all() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _with(file: str, mark: str) -> list[int]:
    wanted, own = mark.encode(), os.getpid()
    return [pid for pid in _all() if pid != own and wanted in _read(pid, file) and _is_alive(pid)]


def with_argument(mark: str) -> list[int]:
    """The living processes with a mark in their command line."""
    return _with("cmdline", mark)


def with_variable(assignment: str) -> list[int]:
    """The living processes that were started with `NAME=value` in their environment."""
    return _with("environ", assignment)


def runs(pid: int, program: str) -> bool:
    """Whether a process runs a program of that name."""
    return _read(pid, "comm").strip() == program.encode()


def tree(pid: int) -> list[int]:
    """A process and its living descendants."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for other in _all():
        if stat := _stat(other):
            children[int(stat[1])].append(other)
    found, waiting = list[int](), [pid]
    while waiting:
        current = waiting.pop()
        if _is_alive(current):
            found.append(current)
        waiting += children[current]
    return found


def _total(pids: Iterable[int], file: str, key: str) -> int:
    pattern = re.compile(rf"^{key}:\s+(\d+) kB".encode(), re.MULTILINE)
    found = (pattern.search(_read(pid, file)) for pid in pids)
    return sum(int(match[1]) * KIB for match in found if match)


def rss(pids: Iterable[int]) -> int:
    """Resident memory, shared pages counted once for each process."""
    return _total(pids, "status", "VmRSS")


def pss(pids: Iterable[int]) -> int:
    """Resident memory, shared pages divided among those who share them."""
    return _total(pids, "smaps_rollup", "Pss")


def peak_rss(pids: Iterable[int]) -> int:
    """The sum of the highest resident memory of each since `forget_peak`."""
    return _total(pids, "status", "VmHWM")


def forget_peak(pids: Iterable[int]) -> None:
    """Let the highest memory start again from the present one."""
    for pid in pids:
        with contextlib.suppress(OSError), open(f"/proc/{pid}/clear_refs", "w") as file:
            file.write("5")


class Watched:
    """Processes held by descriptor, so that their ends are heard and nobody else is ever killed."""

    def __init__(self, pids: Iterable[int]) -> None:
        self._open: list[int] = []
        for pid in pids:
            with contextlib.suppress(OSError):  # it has ended
                self._open.append(os.pidfd_open(pid))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()

    def __len__(self) -> int:
        return len(self._open)

    def wait(self, patience_s: float) -> bool:
        """Whether all of them end in time."""
        deadline = time.perf_counter() + patience_s
        for descriptor in self._open:
            left_s = max(0.0, deadline - time.perf_counter())
            if not select.select([descriptor], [], [], left_s)[0]:
                return False
        return True

    def kill(self) -> None:
        """End them all, at once."""
        for descriptor in self._open:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)


def kill(pids: Iterable[int]) -> None:
    """End these processes, at once, and wait for their ends."""
    with Watched(pids) as watched:
        watched.kill()
        watched.wait(5)
