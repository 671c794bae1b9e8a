"""Waiting for jobs: for an end, a line of output, a port, silence or a prompt, whichever comes first.

Above it: `control`. Below: `registry`. The keeper reports when a command has printed, ended, or begun to wait
for input. Only a port, and the output file of processes left behind, have to be polled.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from nacre.model import record
from nacre.output import readable
from nacre.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.jobs.registry import Job
    from nacre.keeper.frames import News

PORT_PAUSE_S = 0.02
REST_PAUSE_S = 0.02  # the keeper does not report the output of processes left behind
PATTERN_S = 5.0  # the time for all matching of one wait
LINE_BYTES = 1 << 16  # of an unfinished line that is searched
READ_BYTES = 1 << 18
_HOSTS = ("127.0.0.1", "::1")


@record
class Until:
    """What to wait for besides the end."""

    limit_s: float
    pattern: str | None = None  # in a line that is new to the caller
    port: int | None = None  # on this machine, until it accepts connections
    silence_s: float | None = None  # without output
    input: bool = False  # until it waits for input


@record
class Waited:
    """Why a wait is over (ended, matched, port, silent, input or time), and which job it was."""

    reason: str
    job: Job
    line: str = ""  # the matching one
    waiting_for_input: str = ""  # the process that waits


async def wait_for(jobs: list[Job], until: Until) -> Waited:
    """Return with the first thing that happens. Cancelling it changes nothing."""
    loop, wake = asyncio.get_running_loop(), asyncio.Event()
    deadline = loop.time() + until.limit_s
    watches = [_JobWatch(job, until, wake.set) for job in jobs]
    port = asyncio.create_task(_accepts(until.port, wake.set)) if until.port is not None else None
    try:
        while True:
            wake.clear()
            for watch in watches:
                if (waited := await watch.look()) is not None:
                    return waited
            if port is not None and port.done():
                return Waited("port", jobs[0])
            now = loop.time()
            if now >= deadline:
                return Waited("time", jobs[0], waiting_for_input=watches[0].reader)
            due = min([deadline, *(watch.next_look(now) for watch in watches)])
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await wake.wait()
    finally:
        if port is not None:
            port.cancel()
        for watch in watches:
            watch.stop()


class _JobWatch:
    """One job, for the time of one wait."""

    def __init__(self, job: Job, until: Until, wake: Callable[[], None]) -> None:
        self._job = job
        self._until = until
        self._wake = wake
        self._pattern = Pattern(until.pattern, PATTERN_S) if until.pattern is not None else None
        self._read_bytes = list(job.shown_bytes)
        self._lines = [b"", b""]  # of each stream, what its last line begins with
        self._loop = asyncio.get_running_loop()
        self._grown = self._loop.time()
        self._printed = (0, 0)
        self._reader = ""
        job.listeners.append(wake)
        job.watch(self._hear)

    def next_look(self, now: float) -> float:
        """The time of the next look, if nothing is reported before."""
        return min(self.silent_at, now + REST_PAUSE_S) if self._job.is_rest else self.silent_at

    @property
    def silent_at(self) -> float:
        """The time at which it will have been silent for long enough."""
        return self._grown + self._until.silence_s if self._until.silence_s is not None else float("inf")

    @property
    def reader(self) -> str:
        """The process that waits for input."""
        return self._reader

    def _hear(self, news: News) -> None:
        printed = news.stdout_bytes, news.stderr_bytes
        if printed != self._printed:
            self._printed = printed
            self._grown = self._loop.time()
        self._reader = news.reader
        self._wake()

    async def look(self) -> Waited | None:
        """What has happened, if it is something that is waited for."""
        job, until = self._job, self._until
        if self._pattern is not None and (line := await self._match(self._pattern)) is not None:
            return Waited("matched", job, line)
        if self._pattern is None and job.is_rest and until.silence_s is not None:
            await self._new_bytes(0)
            await self._new_bytes(1)
        if not job.runs:
            return Waited("ended", job)
        if until.input and self._reader:
            return Waited("input", job, waiting_for_input=self._reader)
        if self._loop.time() >= self.silent_at:
            return Waited("silent", job, waiting_for_input=self._reader)
        return None

    async def _match(self, pattern: Pattern) -> str | None:
        for index in (0, 1):
            while data := await self._new_bytes(index):
                lines = (self._lines[index] + data).split(b"\n")
                self._lines[index] = lines[-1][-LINE_BYTES:]
                line = await asyncio.to_thread(_first_match, pattern, lines)
                if line is not None:
                    return line
        return None

    async def _new_bytes(self, index: int) -> bytes:
        """The output since the last look; for a job that has just ended, all the rest."""
        job, offset = self._job, self._read_bytes[index]
        if job.outcome is None and self._printed[index] <= offset:
            return b""
        offset, data = await job.read("stderr" if index else "stdout", offset, READ_BYTES)
        self._read_bytes[index] = offset + len(data)
        if data and job.is_rest:
            self._grown = self._loop.time()
        return data

    def stop(self) -> None:
        """Stop listening."""
        self._job.listeners.remove(self._wake)
        self._job.unwatch(self._hear)


def _first_match(pattern: Pattern, lines: list[bytes]) -> str | None:
    return next((text for text in map(readable, lines) if pattern.is_in(text)), None)


async def _accepts(port: int, wake: Callable[[], None]) -> None:
    """Wait until a port on this machine accepts connections."""
    while True:
        for host in _HOSTS:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection(host, port)
                writer.close()
                wake()
                return
        await asyncio.sleep(PORT_PAUSE_S)
