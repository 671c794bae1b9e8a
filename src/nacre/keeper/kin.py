"""Which processes belong to which command, and how all of them are ended (Linux and macOS).

Above it: `program` and `commands`, through `host`. Below: `processes`, which reads the process table.
On Windows the kernel answers these questions itself; `windows` has a `Kin` of the same shape.
"""

from __future__ import annotations

import os
import re
import time

from nacre.keeper import posix, processes

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from nacre.keeper.processes import Process

# What the first program of wine starts for all that come after it, also for those of others. It belongs to
# no command, and ends by itself when the last one has gone.
WINE_SERVERS = re.compile(
    r"(?:\S*/wine\S*\s+)*(?:\S*/wineserver\S*|C:\\windows\\system32\\"
    r"(?:services|winedevice|plugplay|svchost|rpcss|explorer|wineboot|winemenubuilder)\.exe)(?:\s|$)"
)
KILL_ROUNDS = 50  # a fork bomb is stopped first, then killed: each round catches what the last one missed
STUCK_PATIENCE_S = 1.0  # how long nothing may change below us before what is left is called unkillable
END_PATIENCE_S = 30.0  # and how long it may take when something does change
FIRST_PAUSE_S, LAST_PAUSE_S = 0.001, 0.02  # between two rounds of killing


class Kin:
    """Every process below the keeper, told to the command it came from."""

    def __init__(self, cookie: str, *, subreaper: bool) -> None:
        self._cookie = cookie
        self._subreaper = subreaper
        self._owners: dict[int, int] = {}  # pid of a known direct child -> command id
        self._firsts: dict[int, int] = {}  # command id -> pid of its first process
        self._childless = True

    def adopt(self, command_id: int, started: posix.Started) -> None:
        """A command was started."""
        self._owners[started.pid] = command_id
        self._firsts[command_id] = started.pid
        self._childless = False

    def bury(self, pid: int) -> int:
        """A child has ended: the command it belonged to, 0 if that was never asked for."""
        return self._owners.pop(pid, 0)

    def forget(self, command_id: int) -> None:
        """Nothing of a command is left."""
        self._firsts.pop(command_id, None)

    def note_children(self, *, some: bool) -> None:
        """Whether the kernel knows of any child at all: without one, and as subreaper, nobody is below us."""
        self._childless = self._subreaper and not some

    # -- who

    def may_have_left(self, command_id: int) -> bool:
        """Whether a command that ended can have left processes behind: cheap, and never a wrong no."""
        if self._childless:
            return False
        children = processes.children_of_keeper()
        return children is None or any(self._owners.get(pid, command_id) == command_id for pid in children)

    def members(self, command_id: int) -> set[int]:
        """Every living process of a command, found afresh."""
        if self._childless:
            return set()
        rows = processes.table()
        if self._subreaper:
            me = os.getpid()
            roots = {
                row.pid for row in rows.values() if row.parent == me and self._owner(row, rows) == command_id
            }
        else:
            first = self._firsts.get(command_id)
            roots = {row.pid for row in rows.values() if first in (row.pid, row.group)}
            roots |= processes.bearers(f"{self._cookie}:{command_id}")
        return processes.descendants(rows, roots)

    def others(self, command_id: int) -> set[int]:
        """Every living process of a shell but itself; looks at the whole process table only if it must."""
        shell = self._firsts[command_id]
        children = processes.children_of(shell) if self._subreaper else None
        ours = processes.children_of_keeper()
        if children is None or ours is None or any(pid not in self._owners for pid in ours):
            return self.members(command_id) - {shell}  # perhaps an orphan has come to us: whose it is
        orphans = [pid for pid in ours if self._owners[pid] == command_id and pid != shell]
        return processes.below(children + orphans) if children or orphans else set()

    def _owner(self, row: Process, rows: dict[int, Process]) -> int:
        """The command that a direct child of the keeper belongs to; 0 when that cannot be told."""
        if row.pid not in self._owners:
            found = self._by_cookie(row.pid) or self._by_session(row) or self._by_elimination(row, rows)
            self._owners[row.pid] = 0 if _serves_wine(row.pid) else found
        return self._owners[row.pid]

    def _by_cookie(self, pid: int) -> int:
        cookie, _, number = processes.cookie_of(pid).partition(":")
        return int(number) if cookie == self._cookie and number.isdigit() else 0

    def _by_session(self, row: Process) -> int:
        for command_id, first in self._firsts.items():
            if first in (row.session, row.group):
                return command_id
        return 0

    def _by_elimination(self, row: Process, rows: dict[int, Process]) -> int:
        """A process that wiped every trace belongs to the one command that can have started it."""
        able = [
            command_id
            for command_id, first in self._firsts.items()
            if first not in rows or rows[first].started <= row.started
        ]
        return able[0] if len(able) == 1 else 0

    def _everyone(self) -> set[int]:
        rows = processes.table()
        me = os.getpid()
        children = {row.pid for row in rows.values() if row.parent == me and not _serves_wine(row.pid)}
        below = processes.descendants(rows, children)
        if processes.LINUX:
            return below
        return below | processes.bearers(self._cookie)

    # -- signals and the ladder

    def signal_tree(self, command_id: int, number: int) -> None:
        """Signal everything a command started."""
        for pids in self._shell_first(command_id):
            posix.send_signal(pids, number)

    def signal_group(self, command_id: int, number: int) -> None:
        """Signal the process group that a command was started in."""
        posix.send_signal_to_group(self._firsts[command_id], number)

    def ask_to_end(self, command_id: int) -> None:
        """The first rung: TERM to the whole tree."""
        for pids in self._shell_first(command_id):
            _ask(pids)

    def _shell_first(self, command_id: int) -> tuple[set[int], set[int]]:
        """The shell of a command, then all others: it would remark on their end, or end by itself before."""
        members, first = self.members(command_id), {self._firsts[command_id]}
        return members & first, members - first

    def force_end(self, command_id: int) -> None:
        """The last rung: stop what is there until nothing new appears, then KILL."""
        stopped: set[int] = set()
        for _ in range(KILL_ROUNDS):
            fresh = self.members(command_id) - stopped
            if not fresh:
                break
            posix.send_signal(fresh, posix.STOP)
            stopped |= fresh
        posix.send_signal(stopped, posix.KILL)

    def ask_all_to_end(self) -> None:
        """TERM to everything below the keeper."""
        if not self._childless:
            _ask(self._everyone())

    def force_all_to_end(self) -> set[int]:
        """Stop, then kill, until nothing is below us; given back is what does not die of it."""
        began = moved = time.monotonic()
        before: set[int] = set()
        pause_s = FIRST_PAUSE_S
        while everyone := self._everyone():
            now = time.monotonic()
            if everyone != before:
                before, moved = everyone, now
            if now - moved > STUCK_PATIENCE_S or now - began > END_PATIENCE_S:
                break
            posix.send_signal(everyone, posix.STOP)
            posix.send_signal(everyone, posix.KILL)
            posix.reap()
            time.sleep(pause_s)  # the last thing a keeper does: nobody waits for it
            pause_s = min(2 * pause_s, LAST_PAUSE_S)
        return everyone

    def sweep(self, cookie: str) -> None:
        """A keeper before this one was killed: end what it could not end itself."""
        bearers = processes.bearers(cookie)
        posix.send_signal({pid for pid in bearers if not _serves_wine(pid)}, posix.KILL)


def _serves_wine(pid: int) -> bool:
    return WINE_SERVERS.match(processes.command_line(pid)) is not None


def _ask(pids: set[int]) -> None:
    posix.send_signal(pids, posix.TERM)
    posix.send_signal(pids, posix.CONTINUE)  # a stopped process would not get the TERM
