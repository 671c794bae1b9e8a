"""Looking for processes in tests by a mark in their command line, and waiting for events without sleeping."""

from __future__ import annotations

import contextlib
import os
import random
import select
import time
from pathlib import Path


def unique_seconds() -> str:
    """An argument for `sleep` that is also a mark no other process carries."""
    return f"3{random.randrange(10**3)}.{random.randrange(10**8, 10**9)}"  # noqa: S311  # a mark, not a secret


def carrying(mark: str) -> list[int]:
    """The living processes with that mark in their command line."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and mark.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return [pid for pid in found if lives(pid)]


def lives(pid: int) -> bool:
    """Whether a process is there, and more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children_of(pid: int) -> list[int]:
    """The living children of a process's first thread."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if lives(int(child))]


def guardian_of(server: int) -> int:
    """The guardian of a server's keeper."""
    (guardian,) = children_of(server)
    return guardian


def keeper_of(server: int) -> int:
    """The keeper of a server: the one process below its guardian."""
    (keeper,) = children_of(guardian_of(server))
    return keeper


def wait_for_end(pids: list[int], patience_s: float = 5.0) -> bool:
    """Whether all these processes end in time (the kernel says so, nobody polls)."""
    deadline = time.monotonic() + patience_s
    for pid in pids:
        try:
            fd = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        try:
            ended, _, _ = select.select([fd], [], [], max(0.0, deadline - time.monotonic()))
        finally:
            os.close(fd)
        if not ended:
            return False
    return True


def gone(mark: str, patience_s: float = 10.0) -> bool:
    """Whether every process with the mark is gone within the patience, those too that just began."""
    deadline = time.monotonic() + patience_s
    while found := carrying(mark):
        if not wait_for_end(found, deadline - time.monotonic()):
            return False
    return True


class Bell:
    """A FIFO that a command rings (`echo > path`) and a test waits for."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / f"bell{random.randrange(10**9)}"  # noqa: S311  # a name
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)

    @property
    def ring(self) -> str:
        """The shell command that rings it."""
        return f"echo ding > {self.path}"

    def wait(self, times: int = 1, patience_s: float = 20.0) -> None:
        """Wait until it has been rung so many times."""
        heard, deadline = 0, time.monotonic() + patience_s
        while heard < times:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"the bell rang {heard} times, not {times}, within {patience_s} s"
            heard += os.read(self._fd, 65536).count(b"ding")

    def close(self) -> None:
        os.close(self._fd)


class Gate:
    """A FIFO that a command waits at (`cat path`) until the test opens it."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / f"gate{random.randrange(10**9)}"  # noqa: S311  # a name
        os.mkfifo(self.path)

    def open(self) -> None:
        """Let the command go on; waits for it to come to the gate."""
        self.path.write_text("open\n")
