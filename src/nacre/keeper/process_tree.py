"""Which processes belong to which command, and how all of them are ended (Linux and macOS).

Above it: `program` and `commands`, through `host`. Below: `processes`, which reads the process table.
On Windows the kernel answers these questions itself; `windows` has a `ProcessTree` of the same shape.

On Linux the keeper is a child subreaper: whatever a command starts stays below the keeper, also after setsid
and double forks. An orphan becomes a child of the keeper, and is attributed to its command by what it has
inherited, the most reliable first:

    the limit     RLIMIT_RTTIME, which the keeper sets to a number of its own before each start. It survives
                  fork, exec, setsid and a cleared environment, and is always readable. It has no effect
                  without real-time scheduling, and amounts to 146,000 years with it.
    the session   and the process group, whose leader was the command's first process
    the cookie    NACRE_COMMAND in the environment; some programs (su) reset limits but keep this
    elimination   only one running command can have started it

macOS has no subreaper: there only the cookie, the parents and the process groups are available.
"""

from __future__ import annotations

import os
import re
import resource
import time

from nacre.keeper import posix, processes

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from nacre.keeper.processes import Process

# Services that the first program under wine starts for all later ones, of other commands, too. They belong to
# no command, and end by themselves after the last one.
WINE_SERVERS = re.compile(
    r"(?:\S*/wine\S*\s+)*(?:\S*/wineserver\S*|C:\\windows\\system32\\"
    r"(?:services|winedevice|plugplay|svchost|rpcss|explorer|wineboot|winemenubuilder)\.exe)(?:\s|$)"
)
NO_COMMAND, WINE = 0, -1  # owners other than commands
MANY = 50  # children: with more, those of ended commands are reaped in rounds, see `program`
KILL_ROUNDS = 50  # a fork bomb is stopped first, then killed: each round catches what the last one missed
STUCK_PATIENCE_S = 1.0  # without a change for this long, what is left counts as unkillable
END_PATIENCE_S = 30.0  # the limit if there are changes
FIRST_PAUSE_S, LAST_PAUSE_S = 0.001, 0.02  # between two rounds
OUR_LIMITS = 1 << 62  # microseconds: higher than any limit that a person would set
KEEPER_BITS, COMMAND_BITS = 28, 32


class ProcessTree:
    """Every process below the keeper, attributed to the command it came from."""

    def __init__(self, cookie: str, *, subreaper: bool) -> None:
        self._cookie = cookie
        self._children = processes.Children() if subreaper else None
        self._limit = _limit_for(cookie) if subreaper else 0
        self._firsts: dict[int, int] = {}  # command id -> pid of its first process
        self._running: set[int] = set()  # those that have not ended
        self._owners: dict[int, int] = {}  # pid of a child -> command id, NO_COMMAND or WINE
        self._roots: dict[int, set[int]] = {}  # the same by owner: all of a command is below these
        self._unsure: set[int] = set()  # children whose owner is not certain yet
        self._emptied: set[int] = set()  # owners whose roots have all ended, until `emptied` is called
        self._childless = True

    def mark(self, command_id: int) -> None:
        """Mark the next process as one of this command."""
        if self._limit:
            limit = self._limit | command_id & ((1 << COMMAND_BITS) - 1)
            resource.setrlimit(resource.RLIMIT_RTTIME, (limit, resource.RLIM_INFINITY))

    def adopt(self, command_id: int, started: posix.Started) -> None:
        """A command was started."""
        pid = started.pid
        self._firsts[command_id] = pid
        self._owners[pid] = command_id
        self._running.add(pid)
        self._roots[command_id] = {pid}
        self._childless = False

    def child_ended(self, pid: int) -> int:
        """Note the end of a child; returns its command, NO_COMMAND if it was never attributed."""
        if self._children is not None:
            self._children.reaped(pid)
        self._running.discard(pid)
        self._unsure.discard(pid)
        owner = self._owners.pop(pid, NO_COMMAND)
        self._take_root(pid, owner)
        return owner

    def _take_root(self, pid: int, owner: int) -> None:
        roots = self._roots.get(owner)
        if roots is not None:
            roots.discard(pid)
            if not roots:
                self._emptied.add(owner)

    def emptied(self) -> set[int]:
        """Commands that had no process left at some time since the last call."""
        if self._children is None:  # unknown without a subreaper
            return set(self._firsts)
        emptied, self._emptied = self._emptied, set()
        return emptied

    def awaited(self) -> set[int] | None:
        """The first processes of running commands, if they are few among many children; otherwise None."""
        return self._running if len(self._owners) > MANY else None

    def forget(self, command_id: int) -> None:
        """Nothing of a command is left."""
        self._firsts.pop(command_id, None)
        self._roots.pop(command_id, None)
        self._emptied.discard(command_id)

    def note_children(self, *, some: bool) -> None:
        """Note whether there are any children: a subreaper without children has no descendants."""
        self._childless = self._children is not None and not some

    # -- who

    def may_have_left(self, command_id: int) -> bool:
        """Whether any process of a command lives, or has not been reaped yet.

        The cost does not depend on the number of processes: all of a command are below its roots.
        """
        if self._childless:
            return False
        if self._children is None:
            return bool(self.members(command_id))
        self._look()
        return bool(self._roots.get(command_id))

    def members(self, command_id: int) -> set[int]:
        """Every living process of a command, from a new look."""
        return set(self._rows(command_id))

    def _rows(self, command_id: int) -> dict[int, Process]:
        if self._childless:
            return {}
        if self._children is None:
            return processes.rows_below(self._traceable(command_id))
        self._look()
        return processes.rows_below(self._roots.get(command_id, ()))

    def others(self, command_id: int, known: AbstractSet[int] = frozenset()) -> set[int]:
        """Every living process of a shell except itself, the `known` ones and their descendants.

        The cost depends on what is new.
        """
        shell = self._firsts[command_id]
        if self._children is None:
            return processes.below(self._traceable(command_id), known) - {shell}
        self._look()
        roots = self._roots.get(command_id, ())
        if len(roots) == 1 and shell in roots and processes.is_childless(shell):  # after most turns
            return set()
        return processes.below(roots, known) - {shell}

    def _traceable(self, command_id: int) -> set[int]:
        """Without a subreaper: the first process, its group, and all that carry the cookie."""
        first = self._firsts.get(command_id)
        rows = processes.recent_table().values()
        group = {process.pid for process in rows if first in (process.pid, process.group)}
        return group | processes.bearers(f"{self._cookie}:{command_id}")

    def _look(self) -> None:
        """Attribute every new child, which is an orphan, to the command it came from."""
        if self._children is not None and (fresh := self._children.newcomers()):
            self._unsure.update(pid for pid in fresh if pid not in self._owners)
        for pid in [*self._unsure]:
            owner, sure = self._whose(pid)
            self._assign(pid, owner)
            if sure:
                self._unsure.discard(pid)

    def _assign(self, pid: int, owner: int) -> None:
        before = self._owners.get(pid, owner)
        if before != owner:
            self._take_root(pid, before)
        self._owners[pid] = owner
        self._roots.setdefault(owner, set()).add(pid)

    def _whose(self, pid: int) -> tuple[int, bool]:
        """The command that a child belongs to, and whether that is certain."""
        line = processes.command_line(pid)
        if WINE_SERVERS.match(line):
            return WINE, True
        owner = self._by_limit(pid) or self._by_session(pid)
        if owner:  # without a command line it is dead, or in the middle of exec and perhaps a service of wine
            return owner, bool(line) or processes.is_dead(pid)
        cookie = processes.cookie_of(pid)
        owner = self._by_cookie(cookie or "") or self._by_elimination(pid)
        return owner, (bool(line) and cookie is not None) or processes.is_dead(pid)

    def _by_limit(self, pid: int) -> int:
        limit = processes.limit_of(pid) if self._limit else -1
        known = limit >> COMMAND_BITS == self._limit >> COMMAND_BITS
        return limit & ((1 << COMMAND_BITS) - 1) if known else NO_COMMAND

    def _by_session(self, pid: int) -> int:
        process = processes.row(pid)
        if process is not None:
            for command_id, first in self._firsts.items():
                if first in (process.session, process.group):
                    return command_id
        return NO_COMMAND

    def _by_cookie(self, value: str) -> int:
        cookie, _, number = value.partition(":")
        return int(number) if cookie == self._cookie and number.isdigit() else NO_COMMAND

    def _by_elimination(self, pid: int) -> int:
        """A process without any mark belongs to the only command that can have started it."""
        process = processes.row(pid)
        if process is None:
            return NO_COMMAND
        firsts = {command_id: processes.row(first) for command_id, first in self._firsts.items()}
        able = [
            command_id
            for command_id, first in firsts.items()
            if first is None or first.started <= process.started
        ]
        return able[0] if len(able) == 1 else NO_COMMAND

    def _everyone(self) -> set[int]:
        """Our children that must end with us; all others are below these."""
        if self._children is None:
            me = os.getpid()
            rows = processes.recent_table().values()
            children = {row.pid for row in rows if row.parent == me and not _serves_wine(row.pid)}
            return children | processes.bearers(self._cookie)
        self._unsure.update(pid for pid in self._children.newcomers() if pid not in self._owners)
        ours = {pid for pid, owner in self._owners.items() if owner != WINE and pid not in self._unsure}
        return ours | {pid for pid in self._unsure if not _serves_wine(pid)}

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
        """The shell of a command, then all others: it would comment on their end, or end before."""
        members, first = self.members(command_id), {self._firsts[command_id]}
        return members & first, members - first

    @staticmethod
    def end_these(pids: AbstractSet[int]) -> None:
        """KILL some processes, and nothing else."""
        posix.send_signal(pids, posix.KILL)

    def force_end(self, command_id: int) -> None:
        """The last rung: stop what is there until nothing new appears, then KILL."""
        stopped: set[int] = set()
        unseen = self.may_have_left(command_id)
        for _ in range(KILL_ROUNDS):
            rows = self._rows(command_id)
            if rows and rows.keys() <= stopped:
                _force(rows, posix.KILL)  # only what this reading shows: process ids are reused
                return
            if not rows and not unseen:
                return  # what is left is dead, and waits to be reaped
            unseen = bool(rows)  # one reading can miss a process: two empty ones count
            _force(rows, posix.STOP)
            stopped |= rows.keys()
        _force(self._rows(command_id), posix.KILL)

    @staticmethod
    def end_below(pids: AbstractSet[int]) -> None:
        """KILL some processes with everything below them, stopped first so that none escapes."""
        stopped: set[int] = set()
        for _ in range(KILL_ROUNDS):
            fresh = processes.below(pids) - stopped
            if not fresh:
                break
            posix.send_signal(fresh, posix.STOP)
            stopped |= fresh
        posix.send_signal(stopped, posix.KILL)

    def ask_all_to_end(self) -> None:
        """TERM to everything below the keeper."""
        if not self._childless:
            _ask(processes.below(self._everyone()))

    def force_all_to_end(self) -> set[int]:
        """Stop, then kill, until nothing is below us; returns what could not be killed."""
        began = moved = time.monotonic()
        before: set[int] = set()
        pause_s = FIRST_PAUSE_S
        while everyone := self._everyone():
            now = time.monotonic()
            if everyone != before:
                before, moved = everyone, now
            if now - moved > STUCK_PATIENCE_S or now - began > END_PATIENCE_S:
                break
            rows = processes.rows_below(everyone)
            _force(rows, posix.STOP)
            _force(rows, posix.KILL)
            time.sleep(pause_s)  # the last thing a keeper does: nothing else has to run
            pause_s = min(2 * pause_s, LAST_PAUSE_S)
            for end in posix.reap()[0]:
                self.child_ended(end.pid)
        return processes.below(everyone)

    def sweep(self, cookie: str) -> None:
        """End the processes of an earlier keeper that was killed."""
        bearers = processes.bearers(cookie)
        posix.send_signal({pid for pid in bearers if not _serves_wine(pid)}, posix.KILL)


def _limit_for(cookie: str) -> int:
    """The limit that marks this keeper's commands, without a command's number; 0: it cannot be used.

    A hard limit, or a soft one that was set on purpose, is left alone.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_RTTIME)
    if hard != resource.RLIM_INFINITY or (soft != resource.RLIM_INFINITY and soft < OUR_LIMITS):
        return 0
    return OUR_LIMITS | (int(cookie or "0", 16) & ((1 << KEEPER_BITS) - 1)) << COMMAND_BITS


def _serves_wine(pid: int) -> bool:
    return WINE_SERVERS.match(processes.command_line(pid)) is not None


def _force(rows: dict[int, Process], number: int) -> None:
    """STOP or KILL processes and their groups, which include those that fork faster than we look."""
    for group in {process.group for process in rows.values()} - {0, os.getpgrp()}:  # 0: not of this namespace
        posix.send_signal_to_group(group, number)
    posix.send_signal(rows, number)


def _ask(pids: set[int]) -> None:
    posix.send_signal(pids, posix.TERM)
    posix.send_signal(pids, posix.CONTINUE)  # a stopped process would not receive the TERM
