"""Processes, pipes and the event loop of a keeper on Windows, and who belongs to a command there.

Above it: `commands` and `program`, which know none of this; its names are those of `posix`, `process_tree`.
Below: `win32`, the calls themselves.

Every command lives in a job object of its own, inside the keeper's: whatever it starts is in there, and
all of it dies with the keeper, however that ends. One completion port tells everything: bytes that came,
processes that ended, jobs that emptied. The link to nacre is a plain pipe, which no port can watch; two
threads serve it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import queue
import subprocess
import sys
import threading
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from nacre.keeper import win32
from nacre.keeper.records import dataclass
from nacre.keeper.timers import Timers

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from nacre.keeper.frames import Spawn

CHUNK_BYTES = 1 << 16
DRAIN_PATIENCE_S = 0.05  # a process left behind holds the pipe: how long bytes on their way may take
CERTAIN_END_PATIENCE_S = 5.0  # nobody is left who could: a bound for the day Windows surprises us
DRAIN_LIMIT_BYTES = 1 << 20  # and how much of what it goes on writing belongs to the result
LINK_CHUNKS_AHEAD = 16
GOODBYE_PATIENCE_S = 1.0
FROM_PIPE, FROM_THREAD, FROM_PROCESS, FROM_JOB = 1, 2, 3, 4  # keys of the port; jobs count on from the last
PROGRAM_ENDINGS = ("", ".exe", ".com")
KILLED_CODE = 0x4E414352  # what a process that we ended leaves as its exit code: no program does by itself
LIMITS = ("cpu_s", "memory_bytes", "processes")
SIGNALS = {"SIGINT": 2, "SIGTERM": 15, "SIGKILL": 9}  # the first two are a Ctrl+C, the last is the end
INTERRUPTED_CODE = 0xC000013A  # what a process leaves that a Ctrl+C has ended
DETACHED_PROCESS = 8
SCRIPT_SUFFIX = ".cmd"  # cmd.exe takes no other file for a batch file
CONSOLE_HOSTS = ("conhost.exe", "openconsole.exe")
COMMAND_LINE_LIMIT = 200
END_BY_SIGNAL = {KILLED_CODE: "SIGKILL", INTERRUPTED_CODE: "SIGINT"}
# Runs as a program of its own, because Ctrl+C reaches everybody on a console: who sends it must be there too.
PRESS_CTRL_C = """\
import ctypes, sys
kernel32 = ctypes.windll.kernel32
if kernel32.AttachConsole(int(sys.argv[1])):
    kernel32.SetConsoleCtrlHandler(None, True)
    kernel32.GenerateConsoleCtrlEvent(0, 0)
"""


class Loop(Timers):
    """One thread on a completion port: finished reads and writes, timers, ended processes."""

    def __init__(
        self,
        on_children: Callable[[], None],
        _on_terminate: Callable[[], None],
        on_failure: Callable[[int, Exception], None],
    ) -> None:
        super().__init__(1000.0, on_failure)
        self.port = _children_of_commands.port
        self._operations: dict[int, win32.Operation] = {}
        self._posted: deque[tuple[Callable[[], None], int]] = deque()
        self._put_off: deque[win32.Packet] = deque()
        self._on_children = on_children
        self._running = True

    def post(self, callback: Callable[[], None], owner: int = 0) -> None:
        """Call back soon, in the loop's thread; may be called from any."""
        self._posted.append((callback, owner))
        self.port.post(FROM_THREAD)

    def stop(self) -> None:
        """Leave `run` after the present round."""
        self._running = False

    def run(self, after_round: Callable[[], None]) -> None:
        """Serve events until `stop`; `after_round` runs before each wait."""
        while self._running:
            self.attempt(after_round, 0)
            packet = self._put_off.popleft() if self._put_off else self.port.next(self._patience())
            while packet is not None:
                self._serve(packet)
                packet = self._put_off.popleft() if self._put_off else self.port.next(0)
            self._ring_timers()

    def _serve(self, packet: win32.Packet) -> None:
        if packet.address and packet.key == FROM_PIPE:
            operation = self._finished(packet)
            if operation.callback:
                self.attempt(partial(operation.callback, operation), operation.owner)
        elif packet.key == FROM_THREAD:
            self.attempt(*self._posted.popleft())
        elif packet.key == FROM_PROCESS:
            _children_of_commands.ended.append(packet.number)
            self.attempt(self._on_children, 0)
        elif packet.number == win32.JOB_IS_EMPTY:
            _children_of_commands.emptied.append(packet.key - FROM_JOB)
            self.attempt(self._on_children, 0)

    def _finished(self, packet: win32.Packet) -> win32.Operation:
        operation = self._operations.pop(packet.address)
        operation.count, operation.failure = packet.number, packet.failure
        return operation

    def under_way(self, operation: win32.Operation) -> None:
        """Keep an operation alive until the port tells its end."""
        self._operations[operation.address] = operation

    def settle(self, operation: win32.Operation, patience_s: float) -> bool:
        """Wait for one operation before everything else; False when it was not over in that time."""
        for packet in self._put_off:
            if packet.address == operation.address:
                self._put_off.remove(packet)
                self._finished(packet)
                return True
        until = time.monotonic() + patience_s
        while packet := self.port.next(max(0.0, until - time.monotonic()) * 1000):
            if packet.address == operation.address:
                self._finished(packet)
                return True
            self._put_off.append(packet)
        return False


class Reader:
    """Our end of a pipe that a command writes to: chunks in the order they come, then the end.

    It starts paused: what a short command prints is taken in one go at its end, without being watched.
    """

    def __init__(
        self,
        loop: Loop,
        handle: int,
        on_chunk: Callable[[bytes], None],
        on_end: Callable[[], None],
        owner: int = 0,
    ) -> None:
        self.open = True  # whether more may come
        self.widens = False  # pipes keep their size here
        self.is_scarce = False  # and there is room for millions of them
        self._loop = loop
        self._owner = owner
        self._handle = handle
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._paused = True
        self._buffer: Any = None
        self._reading: win32.Operation | None = None
        loop.port.attach(handle, FROM_PIPE)

    def pause(self) -> None:
        """Leave what comes in the pipe, but for one chunk that may be on its way."""
        self._paused = True

    def resume(self) -> None:
        """Read on whenever something comes."""
        if self._paused and self.open:
            self._paused = False
            if self._begin() is None:
                self._loop.post(self._finish, self._owner)

    def take(self) -> None:
        """Take what is in the pipe now, and no more: another process may go on writing."""
        taken = 0
        while self.open and taken < DRAIN_LIMIT_BYTES:
            reading = self._begin()
            if reading is None:
                self._finish()
                return
            if not self._loop.settle(reading, self._patience_s()):
                return  # empty, and somebody holds it: what comes now belongs to those left behind
            taken += self._take(reading)

    def was_opened(self) -> bool:
        """Here both ends of a pipe are there from its beginning."""
        return True

    def see_end(self) -> None:
        """Here the end of a pipe is told like its bytes: `take` has seen it."""

    def _patience_s(self) -> float:
        """Without a process in the job the end of the pipe must come; otherwise it need not."""
        return DRAIN_PATIENCE_S if _children_of_commands.is_held(self._handle) else CERTAIN_END_PATIENCE_S

    def close(self) -> None:
        """Let go of the pipe without waiting for its end."""
        if self.open:
            self.open = False
            if self._reading is not None:
                self._reading.cancel()
                self._reading = None
            _children_of_commands.let_go(self._handle)
            win32.close_handle(self._handle)

    def _begin(self) -> win32.Operation | None:
        """The read that is under way, if need be a new one; None at the end of the pipe."""
        if self._reading is None:
            if self._buffer is None:
                self._buffer = ctypes.create_string_buffer(CHUNK_BYTES)
            operation = win32.Operation(self._handle, self._buffer, self._arrived, self._owner)
            if win32.begin_read(operation):
                self._reading = operation
                self._loop.under_way(operation)
        return self._reading

    def _arrived(self, reading: win32.Operation) -> None:
        self._take(reading)
        if self.open and not self._paused and self._begin() is None:
            self._finish()

    def _take(self, reading: win32.Operation) -> int:
        self._reading = None
        if reading.failure:
            self._finish()
        else:
            self._on_chunk(ctypes.string_at(reading.buffer, reading.count))
        return reading.count

    def _finish(self) -> None:
        if self.open:
            self.close()
            self._on_end()


TerminalReader = Reader  # there are no terminals here


class Writer:
    """Our end of a pipe that a command reads from; what does not fit waits in memory."""

    def __init__(self, loop: Loop, handle: int, *, owner: int = 0) -> None:
        self._loop = loop
        self._handle = handle
        self._owner = owner
        self._buffer = bytearray()
        self._writing: win32.Operation | None = None
        self._closing = False
        loop.port.attach(handle, FROM_PIPE)

    def write(self, data: bytes) -> None:
        """Write as soon as the reader takes it."""
        if self._handle >= 0 and not self._closing:
            self._buffer += data
            self._begin()

    def close(self) -> None:
        """Close once everything is written."""
        self._closing = True
        if self._writing is None:
            self._shut()

    def abandon(self) -> None:
        """Close now; nobody is left to read what still waits."""
        self._buffer.clear()
        self._shut()

    def _begin(self) -> None:
        if self._writing is not None or not self._buffer:
            return
        piece = bytes(self._buffer[:CHUNK_BYTES])
        operation = win32.Operation(self._handle, piece, self._written, self._owner)
        if win32.begin_write(operation):
            self._writing = operation
            self._loop.under_way(operation)
        else:
            self.abandon()

    def _written(self, done: win32.Operation) -> None:
        self._writing = None
        if done.failure:
            self.abandon()
            return
        del self._buffer[: done.count]
        if self._buffer:
            self._begin()
        elif self._closing:
            self._shut()

    def _shut(self) -> None:
        if self._handle >= 0:
            if self._writing is not None:
                self._writing.cancel()
                self._writing = None
            win32.close_handle(self._handle)
            self._handle = -1


# -- the link


class LinkReader:
    """What nacre sends: a thread reads it, the loop gets it. A few chunks ahead and no more."""

    def __init__(
        self, loop: Loop, fd: int, on_chunk: Callable[[bytes], None], on_end: Callable[[], None]
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._room = threading.BoundedSemaphore(LINK_CHUNKS_AHEAD)

    def resume(self) -> None:
        """Begin."""
        threading.Thread(target=self._read, name="link in", daemon=True).start()

    def _read(self) -> None:
        while chunk := _read_blocking(self._fd):
            self._room.acquire()
            self._loop.post(partial(self._give, chunk))
        self._loop.post(self._on_end)

    def _give(self, chunk: bytes) -> None:
        self._room.release()
        self._on_chunk(chunk)


def _read_blocking(fd: int) -> bytes:
    try:
        return os.read(fd, CHUNK_BYTES)
    except OSError:  # nacre is gone
        return b""


class LinkWriter:
    """What nacre is told: the loop never waits for it to be read."""

    def __init__(self, loop: Loop, fd: int, on_broken: Callable[[], None]) -> None:
        self._loop = loop
        self._fd = fd
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="link out", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Queue bytes."""
        self._queue.put(data)

    def close(self) -> None:
        """Wait a moment for nacre to take what is queued."""
        self._queue.put(None)
        self._thread.join(GOODBYE_PATIENCE_S)

    def _write(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                _write_all(self._fd, data)
            except OSError:  # nobody reads any more
                self._loop.post(self._on_broken)
                return


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


# -- commands


@dataclass(slots=True)
class Started:
    """A command that runs: its first process, its job, our ends of its streams (-1 where there is none)."""

    pid: int
    stdin: int
    stdout: int
    stderr: int
    control: int
    job: win32.Job
    number: int  # of the job, as the port calls it


@dataclass(slots=True)
class Reaped:
    """How a process ended, and what its job has used (wine keeps no such accounts).

    An emptied job is told as a process whose number is the job's, negative.
    """

    pid: int
    code: int | None = None
    signal: str | None = None
    cpu_ms: int = 0
    max_rss_bytes: int = 0


class _Children:
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

    def job(self, limits: dict[str, int]) -> tuple[win32.Job, int]:
        """A job for a new command; the port knows it by its number."""
        self._job_number += 1
        job = win32.Job(limits)
        job.tell(self.port, FROM_JOB + self._job_number)
        return job, self._job_number

    def is_held(self, stream: int) -> bool:
        """Whether a process of the command that a stream belongs to still lives."""
        return bool(living_in(self._streams[stream])) if stream in self._streams else True

    def let_go(self, stream: int) -> None:
        """A stream is closed."""
        self._streams.pop(stream, None)

    def add(self, process: win32.Process, job: win32.Job, number: int, streams: tuple[int, ...]) -> None:
        """A first process runs."""
        self._streams |= dict.fromkeys(streams, job)
        self._jobs[number] = job
        self._children[process.pid] = (process, job, win32.Wait(process, self.port, FROM_PROCESS))

    def forget(self, number: int) -> None:
        """A job is not needed any more."""
        self._jobs.pop(number, None)

    def reap(self) -> list[Reaped]:
        """What has ended since the last time."""
        told = [self._take_end(pid) for pid in self.ended]
        self.ended.clear()
        for number in self.emptied:
            self._jobs.pop(number, None)
            told.append(Reaped(-number))
        self.emptied.clear()
        return told

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


_children_of_commands = _Children()


def prepare() -> bool:
    """Make this process a keeper: inside a job that ends with us, so that everything does.

    Returns that no process can slip away.
    """
    _children_of_commands.keepers_job = win32.Job()
    _children_of_commands.keepers_job.add_self()
    return True


def pipe_name(_handle: int) -> str:
    """There are no names for both ends of a pipe here."""
    return ""


def link_descriptors() -> tuple[int, int]:
    """The link to nacre on private descriptors; the standard ones lead nowhere from now on."""
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0, inheritable=False)
    os.dup2(null, 1, inheritable=False)
    os.close(null)
    return reading, writing


def log(text: str) -> None:
    """Write to stderr; nobody may be reading it, so a thread does it."""
    data = text.encode(errors="backslashreplace")
    threading.Thread(target=_log_in_thread, args=(data,), daemon=True).start()


def _log_in_thread(data: bytes) -> None:
    with contextlib.suppress(OSError):
        _write_all(2, data)


def find_program(name: str, environment: dict[bytes, bytes], directory: str) -> str:
    """The file that a program's name means. Raises OSError.

    Batch files are not found: they take their arguments apart by rules that no quoting can hold.
    """
    path = next((os.fsdecode(value) for key, value in environment.items() if key.upper() == b"PATH"), "")
    for entry in path.split(";"):
        for ending in PROGRAM_ENDINGS:
            file = os.path.join(directory, entry, name + ending)
            if file.lower().endswith(PROGRAM_ENDINGS[1:]) and os.path.isfile(file):
                return file
    raise FileNotFoundError(errno.ENOENT, "not found on PATH", name)


def start(spec: Spawn, environment: dict[bytes, bytes]) -> Started:
    """Start a command. Raises OSError whose `filename` tells the directory from the program."""
    if spec.terminal:
        raise OSError(errno.ENOTSUP, "terminals are not supported on Windows", spec.program)
    if spec.control:
        raise OSError(errno.ENOTSUP, "Windows has no private channel for commands", spec.program)
    if not os.path.isdir(spec.cwd):
        number = errno.ENOTDIR if os.path.exists(spec.cwd) else errno.ENOENT
        raise OSError(number, os.strerror(number), spec.cwd)
    job, number = _children_of_commands.job(spec.limits)
    try:
        ends, process = _start_on_pipes(spec, _environment_block(environment), job)
    except OSError:
        job.close()
        raise
    _children_of_commands.add(process, job, number, ends[1:])
    return Started(process.pid, *ends, -1, job, number)


def _start_on_pipes(
    spec: Spawn, environment: str, job: win32.Job
) -> tuple[tuple[int, int, int], win32.Process]:
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:

        def pipe(*, incoming: bool) -> tuple[int, int]:
            near, far = win32.make_pipe(incoming=incoming)
            ours.callback(win32.close_handle, near)
            theirs.callback(win32.close_handle, far)
            return near, far

        if spec.stdin:
            stdin, reads = pipe(incoming=False)
        else:
            stdin, reads = -1, win32.open_file("NUL", win32.GENERIC_READ)
            theirs.callback(win32.close_handle, reads)
        stdout, writes = pipe(incoming=True)
        stderr, complains = (-1, writes) if spec.merge else pipe(incoming=True)
        launch = win32.Launch(
            spec.program, command_line_text(spec), environment, spec.cwd, (reads, writes, complains)
        )
        process = win32.create_process(launch, job)
        ours.pop_all()  # they are the command's from here on
    return (stdin, stdout, stderr), process


def command_line_text(spec: Spawn) -> str:
    """The one string that Windows hands to a program.

    Most programs take it apart again by the C runtime's rules. cmd.exe does not: with /s it drops the first
    and the last quote and takes what is between them as it stands.
    """
    if os.path.basename(spec.program).lower() in ("cmd.exe", "cmd") and len(spec.argv) > 1:
        *before, text = spec.argv
        return f'{" ".join(before)} "{text}"'
    return subprocess.list2cmdline(spec.argv)


def _environment_block(environment: dict[bytes, bytes]) -> str:
    """NAME=value, NUL, sorted; names differ by more than case, and the one set last counts."""
    pairs: dict[str, tuple[str, str]] = {}
    for name, value in environment.items():
        text = os.fsdecode(name)
        pairs[text.upper()] = (text, os.fsdecode(value))
    return "".join(f"{name}={value}\0" for _, (name, value) in sorted(pairs.items())) or "\0"


def resize(_handle: int, _rows: int, _columns: int) -> None:
    """There are no terminals yet."""
    raise ValueError("terminals are not supported on Windows")


def reap(_awaited: set[int] | None = None) -> tuple[list[Reaped], bool]:
    """The first processes that have ended, the jobs that are empty now, and whether any process is left."""
    return _children_of_commands.reap(), _children_of_commands.some


def has_ended(pid: int) -> bool:  # noqa: ARG001  # asked for what no process does here: become another
    """Whether a process has ended that nobody has asked for yet: never."""
    return False


def own_peak_rss_bytes() -> int:
    """Windows counts a process from its own start: nothing has to be taken off."""
    return 0


# -- signals, as far as Windows has any


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


# -- who belongs to whom


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
        _children_of_commands.forget(started.number)
        started.job.close()

    def emptied(self) -> set[int]:
        """Commands of which nothing may be left: each is asked, which is cheap."""
        return set(self._started)

    def note_children(self, *, some: bool) -> None:
        """Nothing to note: a job knows its processes."""

    def awaited(self) -> None:
        """Windows tells who has ended: nobody has to be looked for."""

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
        """There are no process groups that could be told apart from the tree."""
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


def post_guardian() -> None:
    """None is needed: whatever way a keeper ends, its job ends with it."""


def living_in(job: win32.Job) -> set[int]:
    """The processes in a job but for console hosts, which Windows starts and ends by itself."""
    pids = job.pids() if job.handle else []
    return {pid for pid in pids if os.path.basename(win32.image_of(pid)).lower() not in CONSOLE_HOSTS}


def command_line(pid: int, limit: int = COMMAND_LINE_LIMIT) -> str:
    """What a process was started as, for a person to read."""
    text = win32.command_line_of(pid) or win32.image_of(pid)
    return text if len(text) <= limit else text[: limit - 1] + "…"


# -- scripts


def script_bytes(text: str) -> bytes:
    """A batch file as cmd.exe reads it: in the console's code page, else in UTF-8, after it was told so."""
    lines = text.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        return lines.encode("oem")
    except UnicodeEncodeError:
        return b"@chcp 65001 >nul\r\n" + lines.encode("utf-8", "surrogatepass")
