"""Which processes belong to which command on Windows, as the kernel knows it, and how they are ended.

Above it: `program` and `commands`, through `host`; the class has the interface of `keeper.process_tree`.
Below: `children`.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import TYPE_CHECKING

from nacre.keeper import win32
from nacre.keeper.windows.children import CHILDREN, KILLED_CODE, Started, living_in

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

SIGNALS = {"SIGINT": 2, "SIGTERM": 15, "SIGKILL": 9}  # the first two are a Ctrl+C, the last is the end
DETACHED_PROCESS = 8
# A program of its own, because the sender of a Ctrl+C must be on the same console, and gets it as well.
PRESS_CTRL_C = """\
import ctypes, sys
kernel32 = ctypes.windll.kernel32
if kernel32.AttachConsole(int(sys.argv[1])):
    kernel32.SetConsoleCtrlHandler(None, True)
    kernel32.GenerateConsoleCtrlEvent(0, 0)
"""


def signal_number(name: str) -> int:
    """9 for KILL or SIGKILL. Raises ValueError for what Windows cannot send."""
    full = name if name.startswith("SIG") else "SIG" + name
    if full not in SIGNALS:
        raise ValueError(f"Windows has no {full}, only {', '.join(SIGNALS)}")
    return SIGNALS[full]


class _CtrlC:
    """Sends Ctrl+C to all processes on the hidden console of a command."""

    def __init__(self) -> None:
        self._pressing: list[subprocess.Popen[bytes]] = []

    def press(self, pid: int) -> None:
        """Send it without waiting: what must end is killed later."""
        self._pressing = [one for one in self._pressing if one.poll() is None]
        nothing = subprocess.DEVNULL
        argv = [sys.executable, "-I", "-S", "-c", PRESS_CTRL_C, str(pid)]
        with contextlib.suppress(OSError):
            self._pressing.append(
                subprocess.Popen(  # noqa: S603  # this Python with our own text
                    argv, stdin=nothing, stdout=nothing, stderr=nothing, creationflags=DETACHED_PROCESS
                )
            )


_ctrl_c = _CtrlC()


class ProcessTree:
    """Which processes belong to which command: those in its job."""

    def __init__(self, _cookie: str, *, subreaper: bool) -> None:  # noqa: ARG002  # the job does it
        self._started: dict[int, Started] = {}  # by command id
        self._owners: dict[int, int] = {}  # pid of a first process, or a job's number, negative -> command id

    def mark(self, command_id: int) -> None:
        """Nothing: the job is the mark."""

    def adopt(self, command_id: int, started: Started) -> None:
        """A command was started."""
        self._started[command_id] = started
        self._owners[started.pid] = self._owners[-started.number] = command_id

    def child_ended(self, pid: int) -> int:
        """A first process has ended, or a job is empty: the command it belonged to."""
        return self._owners.pop(pid, 0)

    def forget(self, command_id: int) -> None:
        """Nothing of a command is left."""
        started = self._started.pop(command_id)
        self._owners.pop(-started.number, None)
        CHILDREN.forget(started.number)
        started.job.close()

    def emptied(self) -> set[int]:
        """Commands that may have no process left: all of them, since checking is cheap."""
        return set(self._started)

    def note_children(self, *, some: bool) -> None:
        """Nothing to note: a job knows its processes."""

    def awaited(self) -> None:
        """None: Windows reports which processes have ended."""

    def may_have_left(self, command_id: int) -> bool:
        """Whether anything of a command lives."""
        return bool(self.members(command_id))

    def members(self, command_id: int) -> set[int]:
        """Every living process of a command, except the host of its hidden console."""
        return living_in(self._started[command_id].job)

    def others(self, command_id: int, known: AbstractSet[int] = frozenset()) -> set[int]:
        """Every living process of a shell except itself and the known ones."""
        return self.members(command_id) - known - {self._started[command_id].pid}

    def signal_tree(self, command_id: int, number: int) -> None:
        """Send a Ctrl+C, or end the job."""
        if number == SIGNALS["SIGKILL"]:
            self.force_end(command_id)
        else:
            self.ask_to_end(command_id)

    def signal_group(self, command_id: int, number: int) -> None:
        """The same: there are no process groups."""
        self.signal_tree(command_id, number)

    def ask_to_end(self, command_id: int) -> None:
        """The first rung: Ctrl+C, after which a program can end in order."""
        members = self.members(command_id)
        first = self._started[command_id].pid
        if members:
            _ctrl_c.press(first if first in members else min(members))

    @staticmethod
    def end_these(pids: AbstractSet[int]) -> None:
        """End some processes, and nothing else."""
        for pid in pids:
            win32.terminate(pid, KILLED_CODE)

    def force_end(self, command_id: int) -> None:
        """End the whole job."""
        self._started[command_id].job.terminate(KILLED_CODE)

    def end_below(self, pids: AbstractSet[int]) -> None:
        """End some processes, but not what they have started."""
        for pid in pids:
            win32.terminate(pid, KILLED_CODE)

    def ask_all_to_end(self) -> None:
        """End everything at once: nacre is gone."""
        self.force_all_to_end()

    def force_all_to_end(self) -> set[int]:
        """End every command; returns nothing, since no process survives that."""
        for command_id in self._started:
            self.force_end(command_id)
        return set()

    def sweep(self, _cookie: str) -> None:
        """Nothing: the commands of a killed keeper ended with its job."""
