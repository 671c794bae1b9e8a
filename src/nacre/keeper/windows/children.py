"""The processes of commands on Windows: the job, the first process and the end of each.

Above it: everything else here. Below: `win32`. The completion port is here, because it reports the ends of
processes and jobs; `event_loop` waits on it.
"""

from __future__ import annotations

import os

from nacre.keeper import win32
from nacre.keeper.records import dataclass

FROM_PIPE, FROM_THREAD, FROM_PROCESS, FROM_JOB = 1, 2, 3, 4  # keys of the port; jobs count on from the last
KILLED_CODE = 0x4E414352  # the exit code of processes that we ended; no program uses it by itself
INTERRUPTED_CODE = 0xC000013A  # the exit code of processes that Ctrl+C has ended
END_BY_SIGNAL = {KILLED_CODE: "SIGKILL", INTERRUPTED_CODE: "SIGINT"}
CONSOLE_HOSTS = ("conhost.exe", "openconsole.exe")
COMMAND_LINE_LIMIT = 200


@dataclass(slots=True)
class Started:
    """A started command: its first process, its job, our ends of its streams (-1: none)."""

    pid: int
    stdin: int
    stdout: int
    stderr: int
    control: int
    job: win32.Job
    number: int  # the port's key for the job


@dataclass(slots=True)
class Reaped:
    """How a process ended, and what its job has used (wine does not record that).

    An empty job is reported as a process with the job's negative number.
    """

    pid: int
    code: int | None = None
    signal: str | None = None
    cpu_ms: int = 0
    max_rss_bytes: int = 0


class Children:
    """The first processes of all commands, from start to reaping."""

    def __init__(self) -> None:
        self.port = win32.Port()
        self.keepers_job: win32.Job | None = None
        self.ended: list[int] = []
        self.emptied: list[int] = []
        self._children: dict[int, tuple[win32.Process, win32.Job, win32.Wait]] = {}
        self._jobs: dict[int, win32.Job] = {}
        self._job_number = 0
        self._streams: dict[int, win32.Job] = {}
        self._consoles: dict[int, win32.PseudoConsole] = {}  # by the number of the job

    def job(self, limits: dict[str, int]) -> tuple[win32.Job, int]:
        """Create the job of a new command; its number is its key at the port."""
        self._job_number += 1
        job = win32.Job(limits)
        job.tell(self.port, FROM_JOB + self._job_number)
        return job, self._job_number

    def is_held(self, stream: int) -> bool:
        """Whether a process of the command that owns a stream still lives."""
        return bool(living_in(self._streams[stream])) if stream in self._streams else True

    def let_go(self, stream: int) -> None:
        """Note that a stream is closed."""
        self._streams.pop(stream, None)

    def add(self, process: win32.Process, job: win32.Job, number: int, streams: tuple[int, ...]) -> None:
        """Add a first process."""
        self._streams |= dict.fromkeys(streams, job)
        self._jobs[number] = job
        self._children[process.pid] = (process, job, win32.Wait(process, self.port, FROM_PROCESS))

    def add_console(self, console: win32.PseudoConsole, number: int) -> None:
        """A job's processes are on a console, which goes with the last of them: its output ends with it."""
        self._consoles[number] = console

    def console_of(self, number: int) -> win32.PseudoConsole:
        """The console of a job."""
        return self._consoles[number]

    def _end_console(self, number: int) -> None:
        if number in self._consoles:
            self._consoles.pop(number).close()

    def forget(self, number: int) -> None:
        """Forget a job."""
        self._jobs.pop(number, None)
        self._end_console(number)

    def reap(self) -> list[Reaped]:
        """What has ended since the last call."""
        reaped = [self._take_end(pid) for pid in self.ended]
        self.ended.clear()
        for number in list(self._consoles):
            if number not in self._jobs or not living_in(self._jobs[number]):
                self._end_console(number)
        for number in self.emptied:
            self._jobs.pop(number, None)
            reaped.append(Reaped(-number))
        self.emptied.clear()
        return reaped

    def _take_end(self, pid: int) -> Reaped:
        process, job, wait = self._children.pop(pid)
        wait.close()
        code = win32.exit_code(process)
        end = Reaped(
            pid,
            code=None if code in END_BY_SIGNAL else code,
            signal=END_BY_SIGNAL.get(code),
            cpu_ms=job.cpu_ms(),
            max_rss_bytes=job.peak_memory_bytes(),
        )
        win32.close_handle(process.handle)
        return end

    @property
    def some(self) -> bool:
        """Whether any command still has a process."""
        return bool(self._children) or any(living_in(job) for job in self._jobs.values())


def living_in(job: win32.Job) -> set[int]:
    """The processes in a job except console hosts, which Windows starts and ends by itself."""
    pids = job.pids() if job.handle else []
    return {pid for pid in pids if os.path.basename(win32.image_of(pid)).lower() not in CONSOLE_HOSTS}


def command_line(pid: int, limit: int = COMMAND_LINE_LIMIT) -> str:
    """The command line of a process, for a person to read."""
    text = win32.command_line_of(pid) or win32.image_of(pid)
    return text if len(text) <= limit else text[: limit - 1] + "…"


CHILDREN = Children()


def reap(_awaited: set[int] | None = None) -> tuple[list[Reaped], bool]:
    """The first processes that have ended, the jobs that are empty now, and whether any process is left."""
    return CHILDREN.reap(), CHILDREN.some


def has_ended(pid: int) -> bool:  # noqa: ARG001  # as in `posix`
    """False: this is needed only where a process can exec."""
    return False


def own_peak_rss_bytes() -> int:
    """0: Windows counts the memory of a process from its own start."""
    return 0
