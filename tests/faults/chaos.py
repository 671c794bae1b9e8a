"""Many mixed calls while things break: a client that knows the right answer to every call it makes.

`test_chaos` runs it as a program, and so can a person (see `--help`). Each call is answered rightly, or with
an error that a fault of that moment explains; each is answered once; nothing outlives its server. Every
choice comes from one seed, so that a run can be repeated.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a program it has its own directory only

from async_client import Connection, command_line
from chaos_calls import Call, Calls
from process_table import carrying, wait_for_end

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


PATIENCE_S = 60.0  # an answer that takes longer counts as lost
IN_FLIGHT = 12
CANCELLED_SHARE = SHORT_SESSION_SHARE = 0.03
SAMPLES = 40
PIDS_CGROUP = Path("/sys/fs/cgroup/pids")

# What an answer may say instead of the result while a fault of that name is at work.
EXCUSES = {
    "end": ("server ends", "SIGTERM", "keeper"),
    "keeper": ("keeper",),
    "disk": ("No space left",),
    "descriptors": ("open files",),
    "processes": ("fork", "Resource temporarily unavailable", "processes"),
    "spool": ("spool", "No such file or directory"),
}


@dataclass
class Tally:
    """What a run has seen."""

    right: int = 0
    excused: Counter[str] = field(default_factory=Counter[str])
    cut_off: int = 0  # the server was killed before it could answer
    cancelled: int = 0
    faults: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    left: list[str] = field(default_factory=list[str])
    left_by_both: int = 0  # after the kill of a guardian and of its keeper, which nothing can make up for


class Chaos:
    """A run: calls, faults, and what came of them."""

    def __init__(self, seed: int, directory: Path, disk: Path | None = None) -> None:
        self.tally = Tally()
        self.impossible = {  # what cannot be done to a server here
            *(() if disk else ("disk full",)),
            *(() if os.access(PIDS_CGROUP / "cgroup.procs", os.W_OK) else ("no processes",)),
        }
        self._random = random.Random(seed)  # noqa: S311  # repeatable choices, not secrets
        self._calls = Calls(self._random)
        self._directory = directory  # where servers put their files
        self._disk = disk  # a small file system that holds the directory, and can be filled
        self._connection: Connection | None = None
        self._calm = False
        self._at_work: set[str] = set()  # faults of this moment
        self._orphaned: set[Connection] = set()  # whose keeper was killed when it had no guardian
        self._pending: dict[asyncio.Task[None], set[str]] = {}  # calls, and the faults they have met

    async def run(self, calls: int, faults_every: int) -> None:
        """Make so many calls, with a fault after about so many of them (0: none)."""
        self._calm = not faults_every
        for number in range(calls):
            if faults_every and self._random.randrange(faults_every) == 0:
                await self._break_something(await self._connected())
            self._start(await self._connected(), number)
            if len(self._pending) >= IN_FLIGHT:
                await asyncio.wait(self._pending, return_when=asyncio.FIRST_COMPLETED)
        await self._all_answered()

    async def close(self) -> None:
        """End the last server, and look for what it has left."""
        if self._connection is not None:
            await self._connection.finish()
            await self._retire(self._connection)
            self._connection = None

    @property
    def server_pids(self) -> list[int]:
        """nacre's own processes, for who measures them."""
        assert self._connection is not None
        return [pid for pids in self._connection.own_processes().values() for pid in pids]

    # -- calls

    def _start(self, connection: Connection, number: int) -> None:
        kind = self._random.random()
        if kind < CANCELLED_SHARE:
            making = self._give_up(connection)
        elif kind < CANCELLED_SHARE + SHORT_SESSION_SHARE:
            making = self._use_session_once(connection, number)
        else:
            making = self._make_call(
                connection, self._calls.make(connection.mark, number, leave=not self._calm)
            )
        task = asyncio.ensure_future(making)
        self._pending[task] = set(self._at_work)
        task.add_done_callback(self._pending.pop)

    async def _all_answered(self) -> None:
        if self._pending:
            await asyncio.gather(*self._pending)

    async def _use_session_once(self, connection: Connection, number: int) -> None:
        """A session that is opened, used and closed again."""
        name = f"short{number}"
        call = Call({"command": f"X={number}; echo $X", "session": name}, f"{number}\n")
        await self._make_call(connection, call)
        await self._make_call(connection, Call({"action": "close", "name": name}, tool="session"))

    async def _make_call(self, connection: Connection, call: Call) -> None:
        _, answer = connection.request("tools/call", {"name": call.tool, "arguments": call.arguments})
        try:
            message = await asyncio.wait_for(asyncio.shield(answer), PATIENCE_S)
        except TimeoutError:
            self.tally.lost.append(f"{call.arguments}"[:300])
            return
        task = asyncio.current_task()
        assert task is not None
        self._judge(call, message, self._pending[task])

    async def _give_up(self, connection: Connection) -> None:
        """A call that is cancelled, sooner or later: all that it started has to go."""
        mark = connection.mark
        identity, _ = connection.call(command=f"sleep {mark} & (env -i setsid sleep {mark} &); sleep {mark}")
        for _ in range(self._random.randrange(3)):
            await connection.request("ping", {})[1]
        connection.cancel(identity)
        self.tally.cancelled += 1

    def _judge(self, call: Call, message: dict[str, Any] | None, faults: set[str]) -> None:
        if message is None:
            self._calls.failed(call)
            self.tally.cut_off += 1
            return
        if call.is_answered_rightly(message.get("result", {}), at_end="end" in faults):
            self.tally.right += 1
            return
        self._calls.failed(call)
        text = re.sub("x{99,}", "x...", json.dumps(message))
        for fault in sorted(faults):
            if any(word.lower() in text.lower() for word in EXCUSES[fault]):
                self.tally.excused[fault] += 1
                return
        self.tally.wrong.append(f"{str(call.arguments)[:300]} during {sorted(faults)}: {text[:600]}")

    # -- servers

    async def _connected(self) -> Connection:
        if self._connection is None or self._connection.ended:
            if self._connection is not None:
                await self._retire(self._connection)
            self._calls.forget_sessions()
            self._connection = await Connection.open(self._directory)
        return self._connection

    async def _retire(self, connection: Connection) -> None:
        await self._all_answered()
        await asyncio.wait_for(connection.process.wait(), PATIENCE_S)
        self.tally.wrong += [f"nobody asked for {str(message)[:300]}" for message in connection.unasked]
        await asyncio.to_thread(wait_for_end, carrying(connection.mark), 20.0)
        if survivors := carrying(connection.mark):
            if connection in self._orphaned:
                self.tally.left_by_both += len(survivors)
            else:
                self.tally.left.append(f"{[command_line(pid) for pid in survivors]}")
            for pid in survivors:  # they shall not outlive the test, too
                os.kill(pid, signal.SIGKILL)

    # -- faults

    async def _break_something(self, connection: Connection) -> None:
        name = self._random.choice([name for name in FAULTS if name not in self.impossible])
        self.tally.faults[name] += 1
        await FAULTS[name](self, connection)

    def _excuse(self, fault: str) -> None:
        """Every call that is under way may fail of this."""
        for faults in self._pending.values():
            faults.add(fault)

    async def _calls_during(self, fault: str, connection: Connection) -> None:
        """Make some calls while a fault lasts."""
        self._at_work.add(fault)
        self._excuse(fault)
        for number in range(IN_FLIGHT):
            self._start(connection, number)
        await self._all_answered()
        self._at_work.discard(fault)

    async def kill(self, connection: Connection, *kinds: str) -> None:
        """SIGKILL to some of nacre's own processes."""
        own = connection.own_processes()
        if "keeper" in kinds:
            self._excuse("keeper")
            if not own["guardian"]:
                self._orphaned.add(connection)
        for pid in [pid for kind in kinds for pid in own[kind]]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if "server" in kinds:
            await connection.over()
        elif "keeper" in kinds:  # a call may come before the server knows
            await self._calls_during("keeper", connection)

    async def terminate(self, connection: Connection) -> None:
        """SIGTERM to the server."""
        self._excuse("end")
        connection.process.terminate()
        await connection.over()

    async def hang_up(self, connection: Connection) -> None:
        """The client goes away without a word."""
        connection.drop()
        await connection.over()

    async def delete_spools(self, connection: Connection) -> None:
        """What `rm -rf /tmp/*` does."""
        self._excuse("spool")
        for entry in self._directory.iterdir():
            shutil.rmtree(entry, ignore_errors=True)
        await self._calls_during("spool", connection)

    async def fill_disk(self, connection: Connection) -> None:
        """No space for a while."""
        assert self._disk is not None
        filler = self._disk / "filler"
        with filler.open("wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError as error:
                assert error.errno == errno.ENOSPC  # noqa: PT017  # anything else is the test's own fault
        try:
            await self._calls_during("disk", connection)
        finally:
            filler.unlink()

    async def exhaust_descriptors(self, connection: Connection) -> None:
        """The keeper may open hardly anything for a while."""
        for pid in connection.own_processes()["keeper"]:
            with contextlib.suppress(ProcessLookupError, FileNotFoundError):  # it was killed just before
                before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
                highest = max(map(int, os.listdir(f"/proc/{pid}/fd")))
                limit = min(before[0], highest + self._random.randrange(1, 8))
                resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, before[1]))
                await self._calls_during("descriptors", connection)
                resource.prlimit(pid, resource.RLIMIT_NOFILE, before)

    async def exhaust_processes(self, connection: Connection) -> None:
        """No further process may be started for a while."""
        group = PIDS_CGROUP / f"nacre-{os.getpid()}"
        group.mkdir(exist_ok=True)
        for pid in self.server_pids:
            with contextlib.suppress(ProcessLookupError):  # a keeper that was killed just before
                (group / "cgroup.procs").write_text(str(pid))
        (group / "pids.max").write_text(str(len(self.server_pids) + self._random.randrange(4)))
        await self._calls_during("processes", connection)
        (group / "pids.max").write_text("max")
        for pid in (group / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):  # it has just ended
                (PIDS_CGROUP / "cgroup.procs").write_text(pid)
        with contextlib.suppress(OSError):  # a process that has just started; the next fault uses it again
            group.rmdir()


FAULTS: dict[str, Callable[[Chaos, Connection], Awaitable[None]]] = {
    "keeper killed": lambda chaos, to: chaos.kill(to, "keeper"),
    "guardian killed": lambda chaos, to: chaos.kill(to, "guardian"),
    "server killed": lambda chaos, to: chaos.kill(to, "server"),
    "server and keeper killed": lambda chaos, to: chaos.kill(to, "server", "keeper"),
    "server terminated": Chaos.terminate,
    "client gone": Chaos.hang_up,
    "spool directory deleted": Chaos.delete_spools,
    "disk full": Chaos.fill_disk,
    "no descriptors": Chaos.exhaust_descriptors,
    "no processes": Chaos.exhaust_processes,
}


@dataclass
class Growth:
    """How memory and descriptors of a server's own processes change with the calls it serves."""

    samples: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def take(self, calls: int, pids: list[int]) -> None:
        """Note what they hold now."""
        memory_kb = sum(_resident_kb(pid) for pid in pids)
        self.samples.append((calls, memory_kb, sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in pids)))

    def slope(self, column: int) -> float:
        """The line through the last half of the samples (least squares), for each 1,000 calls.

        The first half is for what a server learns and keeps once: it has seen every kind of call by then.
        """
        late = self.samples[len(self.samples) // 2 :]
        middle = sum(sample[0] for sample in late) / len(late)
        level = sum(sample[column] for sample in late) / len(late)
        spread = sum((sample[0] - middle) ** 2 for sample in late)
        return 1000 * sum((sample[0] - middle) * (sample[column] - level) for sample in late) / spread


def _resident_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


async def run(chaos: Chaos, calls: int, faults_every: int, calm_calls: int) -> Growth:
    """Calls while things break, then some in peace, in one server, which is measured."""
    if calls:
        await chaos.run(calls, faults_every)
        await chaos.close()
    growth, step = Growth(), max(1, calm_calls // SAMPLES)
    for number in range(SAMPLES):
        await chaos.run(step, 0)
        growth.take((number + 1) * step, chaos.server_pids)
    await chaos.close()
    return growth


def main() -> None:
    """Run, and print the report as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--faults-every", type=int, default=100, help="calls between two faults, about")
    parser.add_argument("--calm-calls", type=int, default=400, help="calls in peace at the end, measured")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--directory", type=Path, required=True, help="where servers put their files")
    parser.add_argument("--disk", type=Path, help="the small file system with that directory, to be filled")
    options = parser.parse_args()
    options.directory.mkdir(exist_ok=True)
    chaos = Chaos(options.seed, options.directory, options.disk)
    growth = asyncio.run(run(chaos, options.calls, options.faults_every, options.calm_calls))
    report = {
        **vars(chaos.tally),
        "seed": options.seed,
        "impossible": sorted(chaos.impossible),
        "left_files": sorted(str(path) for path in options.directory.rglob("*") if not path.is_dir()),
        "memory_kb_per_1000_calls": round(growth.slope(1), 1),
        "descriptors_per_1000_calls": round(growth.slope(2), 3),
        "calls_memory_kb_descriptors": growth.samples[:: SAMPLES // 10],
    }
    json.dump(report, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
