"""Which processes belong to which command on Windows, by the kernel's own account; how they are ended.

Above it: `program` and `commands`, through `host`; its class is like the one of `keeper.process_tree`.
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
# Runs as a program of its own, because Ctrl+C reaches everybody on a console: who sends it must be there too.
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
    """Presses Ctrl+C on the hidden console of a command, for all who are on it."""

    def __init__(self) -> None:
        self._pressing: list[subprocess.Popen[bytes]] = []

    def press(self, pid: int) -> None:
        """Nobody waits for it: who must be gone is killed later on."""
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
    """Which processes belong to which command: those in its job, by the kernel's own account."""

    def __init__(self, _cookie: str, *, subreaper: bool) -> None:  # noqa: ARG002  # the job does it
        self._started: dict[int, Started] = {}  # by command id
        self._owners: dict[int, int] = {}  # pid of a first process, or a job's number, negative -> command id

    def mark(self, command_id: int) -> None:
        """No mark is needed: the job is one."""

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
        """Commands of which nothing may be left: each is asked, which is cheap."""
        return set(self._started)

    def note_children(self, *, some: bool) -> None:
        """Nothing to note: a job knows its processes."""

    def awaited(self) -> None:
        """Windows reports which processes have ended: none has to be looked for."""

    def may_have_left(self, command_id: int) -> bool:
        """Whether anything of a command lives."""
        return bool(self.members(command_id))

    def members(self, command_id: int) -> set[int]:
        """Every living process of a command, without the host of its hidden console."""
        return living_in(self._started[command_id].job)

    def others(self, command_id: int, known: AbstractSet[int] = frozenset()) -> set[int]:
        """Every living process of a shell but itself and those that are known."""
        return self.members(command_id) - known - {self._started[command_id].pid}

    def signal_tree(self, command_id: int, number: int) -> None:
        """A Ctrl+C, or the end."""
        if number == SIGNALS["SIGKILL"]:
            self.force_end(command_id)
        else:
            self.ask_to_end(command_id)

    def signal_group(self, command_id: int, number: int) -> None:
        """There are no process groups apart from the tree."""
        self.signal_tree(command_id, number)

    def ask_to_end(self, command_id: int) -> None:
        """The first rung: Ctrl+C, which whoever wants to can answer with an orderly end."""
        members = self.members(command_id)
        first = self._started[command_id].pid
        if members:
            _ctrl_c.press(first if first in members else min(members))

    def force_end(self, command_id: int) -> None:
        """End the whole job."""
        self._started[command_id].job.terminate(KILLED_CODE)

    def end_below(self, pids: AbstractSet[int]) -> None:
        """End some processes; what they have started goes on, and is its own affair."""
        for pid in pids:
            win32.terminate(pid, KILLED_CODE)

    def ask_all_to_end(self) -> None:
        """nacre is gone: nobody waits for an orderly end."""
        self.force_all_to_end()

    def force_all_to_end(self) -> set[int]:
        """End every command; nobody is left whom that did not end."""
        for command_id in self._started:
            self.force_end(command_id)
        return set()

    def sweep(self, _cookie: str) -> None:
        """A keeper that was killed took its commands with it: its job was closed."""
