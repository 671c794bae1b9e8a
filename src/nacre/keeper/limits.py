"""The resource usage of a command, with everything it has started, against its limits.

Above it: `commands` and `shells`, which end what exceeds a limit. Below: `processes`, which reads the CPU
time and memory of a process.

The kernel enforces limits per process (`posix.starting`: open files, size of a file, CPU time, and a bound on
memory); a tree of processes is examined every 50 ms as long as it is active. That works for every user, also
for root, which the kernel lets start any number of processes, and in a sandbox. Where a control group can be
created (`cgroups`), the kernel limits memory and processes of the whole tree as well. The usage of an orphan
that has ended between two looks is not counted.
"""

from __future__ import annotations

from nacre.keeper import processes

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from nacre.keeper.commands import Command
    from nacre.keeper.outlet import Outlet
    from nacre.keeper.timers import Timer

    Usage = dict[int, tuple[int, int]]  # of each process: CPU time in ms, memory in bytes

CHECK_S = 0.05


class LimitWatch:
    """Watches one command or shell while it, or something that it left behind, runs."""

    def __init__(self, outlet: Outlet, command: Command) -> None:
        self._outlet = outlet
        self._command = command
        self._limits = command.spec.limits
        self._held: dict[str, int] = {}  # how often the kernel has enforced each limit, as far as was seen
        self._cpu_before_ms = 0  # used by earlier turns of a shell
        self._timer: Timer | None = None

    def begin(self) -> None:
        """Begin a command: CPU time counts from here."""
        self._cpu_before_ms = sum(cpu_ms for cpu_ms, _ in self._usage().values())
        if self._timer is None:
            self._check_later()

    def end(self) -> None:
        """Stop: nothing of it is left."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check_later(self) -> None:
        self._timer = self._outlet.loop.call_later(CHECK_S, self._check, self._command.id)

    def _check(self) -> None:
        self._timer = None
        usage = self._usage()
        reached = self.last_look() or self._reached(usage, self._command.printed_bytes)
        if reached:
            first = self._command.pid
            alone = {first: usage[first]} if first in usage else {}
            self._command.reach_limit(reached, by_itself=bool(self._reached(alone, 0)))
        if self._command.at_work or usage.keys() - {self._command.pid}:
            self._check_later()

    def last_look(self) -> str:
        """The limit that the kernel has enforced since the last look; empty: none."""
        group = self._outlet.groups.get(self._command.id)
        if group is None:
            return ""
        before, self._held = self._held, group.events()
        return next((kind for kind, count in self._held.items() if count > before.get(kind, 0)), "")

    def _usage(self) -> Usage:
        if not processes.LINUX:
            return {}
        return {pid: processes.usage(pid) for pid in self._outlet.tree.members(self._command.id)}

    def _reached(self, usage: Usage, printed_bytes: int) -> str:
        """The limit that these exceed; empty: none."""
        cpu_ms = sum(cpu_ms for cpu_ms, _ in usage.values()) - self._cpu_before_ms
        used = {
            "processes": len(usage),
            "memory_bytes": sum(size for _, size in usage.values()),
            "cpu_s": cpu_ms / 1000,
            "output_bytes": printed_bytes,
        }
        passed = (name for name, amount in used.items() if amount > self._limits.get(name, amount))
        return next(passed, "")
