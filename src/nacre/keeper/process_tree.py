"""Which processes belong to which command, and how all of them are ended (Linux and macOS).

Above it: `program` and `commands`, through `host`. Below: `processes`, which reads the process table.
On Windows the kernel answers these questions itself; `windows` has a `ProcessTree` of the same shape.

On Linux the keeper is the child subreaper: whatever a command starts stays below the keeper, also after
setsid and double forks. A process whose parents are gone becomes a child of the keeper, and is told to its
command by what it has inherited, the surest first:

    the limit     RLIMIT_RTTIME, which the keeper sets to a number of its own before each start. It goes
                  through fork, exec, setsid and a cleared environment, and can be seen at any time. It
                  means nothing to who does not work in real time, and 146,000 years to who does.
    the session   and the process group, of which the command's first process was the leader
    the cookie    NACRE_COMMAND in the environment; some programs (su) reset limits and keep that
    elimination   there is only one command that can have started it

macOS has no subreaper: there the cookie, the parents and the process groups are all there is.
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

# What the first program of wine starts for all that come after it, also for those of others. It belongs to
# no command, and ends by itself when the last one has gone.
WINE_SERVERS = re.compile(
    r"(?:\S*/wine\S*\s+)*(?:\S*/wineserver\S*|C:\\windows\\system32\\"
    r"(?:services|winedevice|plugplay|svchost|rpcss|explorer|wineboot|winemenubuilder)\.exe)(?:\s|$)"
)
NOBODY, WINE = 0, -1  # owners that are no command
MANY = 50  # children: with more, those that nobody waits for are reaped in rounds, see `program`
KILL_ROUNDS = 50  # a fork bomb is stopped first, then killed: each round catches what the last one missed
STUCK_PATIENCE_S = 1.0  # how long nothing may change below us before what is left is called unkillable
END_PATIENCE_S = 30.0  # and how long it may take when something does change
FIRST_PAUSE_S, LAST_PAUSE_S = 0.001, 0.02  # between two rounds of killing
OUR_LIMITS = 1 << 62  # microseconds: no limit that a person would set is as high
KEEPER_BITS, COMMAND_BITS = 28, 32


class ProcessTree:
    """Every process below the keeper, attributed to the command it came from."""

    def __init__(self, cookie: str, *, subreaper: bool) -> None:
        self._cookie = cookie
        self._children = processes.Children() if subreaper else None
        self._limit = _limit_for(cookie) if subreaper else 0
        self._firsts: dict[int, int] = {}  # command id -> pid of its first process
        self._running: set[int] = set()  # those that have not ended
        self._owners: dict[int, int] = {}  # pid of a child of ours -> command id, NOBODY or WINE
        self._roots: dict[int, set[int]] = {}  # the same by owner: all that is a command's hangs below these
        self._unsure: set[int] = set()  # children whose owner is not certain yet
        self._emptied: set[int] = set()  # owners whose roots are all gone, until somebody asks
        self._childless = True

    def mark(self, command_id: int) -> None:
        """Whatever is started next belongs to this command, and shows it."""
        if self._limit:
            limit = self._limit | command_id & ((1 << COMMAND_BITS) - 1)
            resource.setrlimit(resource.RLIMIT_RTTIME, (limit, resource.RLIM_INFINITY))

    def adopt(self, command_id: int, started: posix.Started) -> None:
        """A command was started."""
        self._firsts[command_id] = started.pid
        self._running.add(started.pid)
        self._assign(started.pid, command_id)
        self._childless = False

    def child_ended(self, pid: int) -> int:
        """A child has ended: the command it belonged to, NOBODY if that was never asked for."""
        if self._children is not None:
            self._children.reaped(pid)
        self._running.discard(pid)
        self._unsure.discard(pid)
        owner = self._owners.pop(pid, NOBODY)
        self._take_root(pid, owner)
        return owner

    def _take_root(self, pid: int, owner: int) -> None:
        roots = self._roots.get(owner)
        if roots is not None:
            roots.discard(pid)
            if not roots:
                self._emptied.add(owner)

    def emptied(self) -> set[int]:
        """Commands below which nothing was left at some time since this was asked last."""
        if self._children is None:  # nobody tells without a subreaper
            return set(self._firsts)
        emptied, self._emptied = self._emptied, set()
        return emptied

    def awaited(self) -> set[int] | None:
        """The first processes of commands that run, when they are few among many; else None."""
        return self._running if len(self._owners) > MANY else None

    def forget(self, command_id: int) -> None:
        """Nothing of a command is left."""
        self._firsts.pop(command_id, None)
        self._roots.pop(command_id, None)
        self._emptied.discard(command_id)

    def note_children(self, *, some: bool) -> None:
        """Whether the kernel knows of any child at all: without one, and as subreaper, nobody is below us."""
        self._childless = self._children is not None and not some

    # -- who

    def may_have_left(self, command_id: int) -> bool:
        """Whether anything of a command lives, or has died just now and is not yet reaped.

        Costs no more for many processes than for few: all of a command hangs below its roots.
        """
        if self._childless:
            return False
        if self._children is None:
            return bool(self.members(command_id))
        self._look()
        return bool(self._roots.get(command_id))

    def members(self, command_id: int) -> set[int]:
        """Every living process of a command, found afresh."""
        return set(self._rows(command_id))

    def _rows(self, command_id: int) -> dict[int, Process]:
        if self._childless:
            return {}
        if self._children is None:
            return processes.rows_below(self._traceable(command_id))
        self._look()
        return processes.rows_below(self._roots.get(command_id, ()))

    def others(self, command_id: int, known: AbstractSet[int] = frozenset()) -> set[int]:
        """Every living process of a shell but itself, the `known` ones and what is below those.

        Costs what is new.
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
        """Without a subreaper: the first process, its group, and who carries the cookie."""
        first = self._firsts.get(command_id)
        rows = processes.recent_table().values()
        group = {process.pid for process in rows if first in (process.pid, process.group)}
        return group | processes.bearers(f"{self._cookie}:{command_id}")

    def _look(self) -> None:
        """Tell every child that is new to us, an orphan, to the command it came from."""
        if self._children is not None:
            self._unsure.update(pid for pid in self._children.newcomers() if pid not in self._owners)
        for pid in list(self._unsure):
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
        """The command that a child of ours belongs to, and whether that is certain."""
        line = processes.command_line(pid)
        if WINE_SERVERS.match(line):
            return WINE, True
        owner = self._by_limit(pid) or self._by_session(pid)
        if owner:  # in the midst of exec it has no line, and may be about to serve wine; the dead have none
            return owner, bool(line) or processes.is_dead(pid)
        cookie = processes.cookie_of(pid)
        owner = self._by_cookie(cookie or "") or self._by_elimination(pid)
        return owner, (bool(line) and cookie is not None) or processes.is_dead(pid)

    def _by_limit(self, pid: int) -> int:
        limit = processes.limit_of(pid) if self._limit else -1
        known = limit >> COMMAND_BITS == self._limit >> COMMAND_BITS
        return limit & ((1 << COMMAND_BITS) - 1) if known else NOBODY

    def _by_session(self, pid: int) -> int:
        process = processes.row(pid)
        if process is not None:
            for command_id, first in self._firsts.items():
                if first in (process.session, process.group):
                    return command_id
        return NOBODY

    def _by_cookie(self, value: str) -> int:
        cookie, _, number = value.partition(":")
        return int(number) if cookie == self._cookie and number.isdigit() else NOBODY

    def _by_elimination(self, pid: int) -> int:
        """A process that wiped every trace belongs to the one command that can have started it."""
        process = processes.row(pid)
        if process is None:
            return NOBODY
        firsts = {command_id: processes.row(first) for command_id, first in self._firsts.items()}
        able = [
            command_id
            for command_id, first in firsts.items()
            if first is None or first.started <= process.started
        ]
        return able[0] if len(able) == 1 else NOBODY

    def _everyone(self) -> set[int]:
        """Our children that have to be ended with us; all others hang below these."""
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
        """The shell of a command, then all others: it would remark on their end, or end by itself before."""
        members, first = self.members(command_id), {self._firsts[command_id]}
        return members & first, members - first

    def force_end(self, command_id: int) -> None:
        """The last rung: stop what is there until nothing new appears, then KILL."""
        stopped: set[int] = set()
        unseen = self.may_have_left(command_id)
        for _ in range(KILL_ROUNDS):
            rows = self._rows(command_id)
            if rows and rows.keys() <= stopped:
                _force(rows, posix.KILL)  # this reading alone: the ids of the dead are used again
                return
            if not rows and not unseen:
                return  # what is left is dead, and waits for being reaped
            unseen = bool(rows)  # one look can miss a process: two that see none are believed
            _force(rows, posix.STOP)
            stopped |= rows.keys()
        _force(self._rows(command_id), posix.KILL)

    @staticmethod
    def end_below(pids: AbstractSet[int]) -> None:
        """KILL some processes with everything below them, stopped first so that nobody slips away."""
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
            rows = processes.rows_below(everyone)
            _force(rows, posix.STOP)
            _force(rows, posix.KILL)
            time.sleep(pause_s)  # the last thing a keeper does: nobody waits for it
            pause_s = min(2 * pause_s, LAST_PAUSE_S)
            for end in posix.reap()[0]:
                self.child_ended(end.pid)
        return processes.below(everyone)

    def sweep(self, cookie: str) -> None:
        """A keeper before this one was killed: end what it could not end itself."""
        bearers = processes.bearers(cookie)
        posix.send_signal({pid for pid in bearers if not _serves_wine(pid)}, posix.KILL)


def _limit_for(cookie: str) -> int:
    """The limits that this keeper marks its commands with, without a command's number; 0 if it cannot.

    A hard limit, or a soft one that somebody has chosen, is left alone.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_RTTIME)
    if hard != resource.RLIM_INFINITY or (soft != resource.RLIM_INFINITY and soft < OUR_LIMITS):
        return 0
    return OUR_LIMITS | (int(cookie or "0", 16) & ((1 << KEEPER_BITS) - 1)) << COMMAND_BITS


def _serves_wine(pid: int) -> bool:
    return WINE_SERVERS.match(processes.command_line(pid)) is not None


def _force(rows: dict[int, Process], number: int) -> None:
    """STOP or KILL processes and their groups: who forks and ends faster than we look is caught by these."""
    for group in {process.group for process in rows.values()} - {0, os.getpgrp()}:  # 0: not of this namespace
        posix.send_signal_to_group(group, number)
    posix.send_signal(rows, number)


def _ask(pids: set[int]) -> None:
    posix.send_signal(pids, posix.TERM)
    posix.send_signal(pids, posix.CONTINUE)  # a stopped process would not get the TERM
