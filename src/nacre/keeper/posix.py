"""Processes, pipes, terminals and the event loop of a keeper on Linux and macOS.

Above it: `commands` and `program`, which know none of these calls. `windows` offers the same names.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource
import select
import signal
import stat
import struct
import sys
import termios
from functools import lru_cache, partial

from nacre.keeper.descriptors import is_scarce, within_limit
from nacre.keeper.heap import return_large_blocks
from nacre.keeper.inheritance import Inheritance
from nacre.keeper.records import dataclass
from nacre.keeper.timers import Timers

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import Any

    from nacre.keeper.frames import Spawn

SHORT_BYTES = 1 << 14  # what most commands print is shorter
PIPE_BYTES = 1 << 16  # what a pipe holds if nobody has changed that
WIDE_PIPE_BYTES = 1 << 20
PIPES_AHEAD = 2  # stdout and stderr
SIGNAL_BYTES, SIGNAL_SET_BYTES = 128, 128  # signalfd_siginfo and sigset_t of Linux
LOG_BYTES = 4000  # below what a pipe takes in one piece
RESERVED_FDS = 20  # commands may be given private channels on numbers below this one
FOLLOWED_SIGNALS = (
    "SIGHUP",
    "SIGINT",
    "SIGQUIT",
    "SIGTERM",
    "SIGPIPE",
    "SIGXFSZ",
    "SIGCHLD",
    "SIGTSTP",
    "SIGTTIN",
)
DEFAULT_SIGNALS = [getattr(signal, name) for name in FOLLOWED_SIGNALS]
LIMITS = {
    "cpu_s": resource.RLIMIT_CPU,
    "memory_bytes": resource.RLIMIT_AS,
    "processes": getattr(resource, "RLIMIT_NPROC", None),
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
}
PR_SET_CHILD_SUBREAPER = 36
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
SCRIPT_SUFFIX = ".cmd"  # for cmd.exe under wine; to all others it is one name among others
script_bytes = os.fsencode  # how the text of a command is written to a file
_inheritance = Inheritance()


class Loop(Timers):
    """One thread: readable and writable descriptors, timers, ended children."""

    def __init__(
        self,
        on_children: Callable[[], None],
        on_terminate: Callable[[], None],
        on_failure: Callable[[int, Exception], None],
    ) -> None:
        epoll = hasattr(select, "epoll")
        super().__init__(1.0 if epoll else 1000.0, on_failure)
        self._poller = select.epoll() if epoll else select.poll()
        self._watched: dict[int, tuple[Callable[[], object], int]] = {}  # callback and owner by descriptor
        self._on_children = on_children
        self._on_terminate = on_terminate
        self._running = True
        self._wake_read, self._wake_write = os.pipe()
        for fd in (self._wake_read, self._wake_write):
            os.set_blocking(fd, False)
        self.watch(self._wake_read, self._woken)

    def watch(self, fd: int, callback: Callable[[], object], owner: int = 0) -> None:
        """Call back whenever `fd` can be read."""
        self._poller.register(fd, select.POLLIN)
        self._watched[fd] = callback, owner

    def watch_write(self, fd: int, callback: Callable[[], object], owner: int = 0) -> None:
        """Call back whenever `fd` can be written."""
        self._poller.register(fd, select.POLLOUT)
        self._watched[fd] = callback, owner

    def unwatch(self, fd: int) -> None:
        """Forget `fd`."""
        if self._watched.pop(fd, None) is not None:
            self._poller.unregister(fd)

    def stop(self) -> None:
        """Leave `run` after the present round."""
        self._running = False

    def run(self, after_round: Callable[[], None]) -> None:
        """Serve events until `stop`; `after_round` runs before each wait."""
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, _note_signal)
        if (children := _child_signals()) >= 0:
            self.watch(children, lambda: self._child_ended(children))
        else:
            signal.signal(signal.SIGCHLD, _note_signal)
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        while self._running:
            self.attempt(after_round, 0)
            for fd, _ in self._poller.poll(self._patience()):
                watched = self._watched.get(fd)
                if watched is not None:  # an earlier callback of this round may have closed it
                    self._serve(fd, watched)
            self._ring_timers()

    def _serve(self, fd: int, watched: tuple[Callable[[], object], int]) -> None:
        callback, owner = watched
        try:
            callback()
        except Exception as error:  # noqa: BLE001  # whatever it is: it must not end the commands of others
            if self._watched.get(fd) is watched:  # it would fail again, and again
                self.unwatch(fd)
            self._on_failure(owner, error)

    def _woken(self) -> None:
        signals = os.read(self._wake_read, 512)
        if signal.SIGTERM in signals:
            self.attempt(self._on_terminate, 0)
        if signal.SIGCHLD in signals:
            self.attempt(self._on_children, 0)

    def _child_ended(self, fd: int) -> None:
        os.read(fd, SIGNAL_BYTES)
        self.attempt(self._on_children, 0)


def _child_signals() -> int:
    """A descriptor that tells of ended children without interrupting anything; -1 where there is none."""
    if sys.platform != "linux":
        return -1
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # commands are started with an empty mask
    mask = (1 << (signal.SIGCHLD - 1)).to_bytes(SIGNAL_SET_BYTES, "little")
    return ctypes.CDLL(None).signalfd(-1, mask, os.O_CLOEXEC | os.O_NONBLOCK)


def _note_signal(_number: int, _frame: FrameType | None) -> None:
    """Nothing to do: that it came is read from the wake-up descriptor."""


class Reader:
    """The reading end of a pipe or terminal: chunks in the order they come, then the end.

    It starts paused: what a short command prints is taken in one go at its end, without being watched.
    """

    def __init__(
        self,
        loop: Loop,
        fd: int,
        on_chunk: Callable[[Any], None],
        on_end: Callable[[], None],
        owner: int = 0,
    ) -> None:
        self.open = True  # whether more may come
        self.widens = False  # whether the pipe may be made wider for it, and its chunks lent, not given
        self._loop = loop
        self._fd = fd
        self._owner = owner
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._paused = True
        self._short = True  # until a read was full
        self._wide = False

    def pause(self) -> None:
        """Leave what comes in the pipe, so that the writer has to wait."""
        if not self._paused and self.open:
            self._paused = True
            self._loop.unwatch(self._fd)

    def resume(self) -> None:
        """Read on whenever something comes."""
        if self._paused and self.open:
            self._paused = False
            self._loop.watch(self._fd, self._ready, self._owner)

    @property
    def is_scarce(self) -> bool:
        """Whether its descriptor is needed for something else than waiting."""
        return is_scarce(self._fd)

    def take(self) -> None:
        """Take what is in the pipe now, and no more: another process may go on writing."""
        if self.open and (chunk := self._read()):
            self._short = len(chunk) < SHORT_BYTES
            self._on_chunk(chunk)
            left = self._waiting_bytes() if not self._short else 0
            while self.open and left > 0:
                left -= self._ready()

    def was_opened(self) -> bool:
        """After `take`, of a named pipe: whether anybody has ever opened its other end.

        The kernel tells a hang-up only where somebody was there, and an end only where nobody is.
        """
        if not self.open:
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(0)) or self._read() is None

    def see_end(self) -> None:
        """After `take`: tell the end of the stream from an empty pipe."""
        if self.open:
            self._ready()

    def close(self) -> None:
        """Let go of the pipe without waiting for its end."""
        if self.open:
            self.open = False
            if not self._paused:
                self._loop.unwatch(self._fd)
            os.close(self._fd)

    def _read(self) -> bytes | memoryview | None:
        """What is there: None for nothing yet, no bytes at the end."""
        try:
            if self._short:
                return os.read(self._fd, SHORT_BYTES)
            return _read_long(self._fd) if self._wide else bytes(_read_long(self._fd))
        except BlockingIOError:
            return None
        except OSError:  # EIO: the last process has let go of the terminal
            return b""

    def _ready(self) -> int:
        chunk = self._read()
        if chunk is None:
            return 0
        if chunk:
            self._short = len(chunk) < SHORT_BYTES
            if self.widens and len(chunk) == PIPE_BYTES:
                self._widen()
            self._on_chunk(chunk)
        else:
            self.close()
            self._on_end()
        return len(chunk)

    def _widen(self) -> None:
        """A stream that fills its pipe gets a wider one: fewer wake-ups for the same bytes."""
        self.widens = False
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            try:
                fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ, WIDE_PIPE_BYTES)
            except OSError:  # a terminal, or the user's quota of pipe memory is used up
                return
            self._wide = True

    def _waiting_bytes(self) -> int:
        answer = fcntl.ioctl(self._fd, termios.FIONREAD, b"\0\0\0\0")
        return struct.unpack("i", answer)[0]


_long_buffer = memoryview(b"")


def _read_long(fd: int) -> memoryview:
    """What a pipe holds, until the next read. A fresh block for each one would scatter the heap."""
    global _long_buffer  # noqa: PLW0603  # made when it is needed first
    if not _long_buffer:
        _long_buffer = memoryview(bytearray(WIDE_PIPE_BYTES))
    return _long_buffer[: os.readv(fd, (_long_buffer,))]


class TerminalReader(Reader):
    """Our end of a terminal, which hands over what it holds in pieces of any size."""

    def take(self) -> None:
        """Take piece after piece until there is none, or it is too much: somebody goes on writing."""
        left = WIDE_PIPE_BYTES
        while self.open and left > 0 and (size := self._ready()):
            left -= size


class Writer:
    """The writing end of a pipe or terminal; what does not fit waits in memory."""

    def __init__(
        self, loop: Loop, fd: int, on_broken: Callable[[], None] | None = None, *, owner: int = 0
    ) -> None:
        self._loop = loop
        self._fd = fd
        self._owner = owner
        self._buffer = bytearray()
        self._watching = False
        self._closing = False
        self._on_broken = on_broken
        os.set_blocking(fd, False)

    def write(self, data: bytes) -> None:
        """Write now what can be written, the rest when there is room."""
        if self._fd < 0 or self._closing:
            return
        self._buffer += data
        if not self._watching:
            self._flush()

    def close(self) -> None:
        """Close once everything is written."""
        self._closing = True
        if not self._buffer:
            self._shut()

    def abandon(self) -> None:
        """Close now; nobody is left to read what still waits."""
        self._buffer.clear()
        self._shut()

    def _flush(self) -> None:
        try:
            while self._buffer:
                del self._buffer[: os.write(self._fd, self._buffer[:WIDE_PIPE_BYTES])]
        except BlockingIOError:
            pass
        except OSError:  # nobody reads any more
            self._buffer.clear()
            self._shut()
            if self._on_broken:
                self._on_broken()
            return
        self._settle()

    def _settle(self) -> None:
        if self._buffer and not self._watching:
            self._watching = True
            self._loop.watch_write(self._fd, self._flush, self._owner)
        elif not self._buffer and self._watching:
            self._watching = False
            self._loop.unwatch(self._fd)
        if self._closing and not self._buffer:
            self._shut()

    def _shut(self) -> None:
        if self._fd >= 0:
            if self._watching:
                self._loop.unwatch(self._fd)
                self._watching = False
            os.close(self._fd)
            self._fd = -1


@dataclass(slots=True)
class Started:
    """A command that runs: its first process and our ends of its streams (-1 where there is none)."""

    pid: int
    stdin: int
    stdout: int
    stderr: int
    control: int


@dataclass(slots=True)
class Reaped:
    """How a child ended, and what it and the children it waited for have used."""

    pid: int
    code: int | None
    signal: str | None
    cpu_ms: int
    max_rss_bytes: int


def prepare() -> bool:
    """Make this process a keeper: own session, child subreaper, low descriptors reserved.

    Returns whether the kernel gives orphans to us (Linux), so that none can slip away.
    """
    if os.getpgid(0) != os.getpid():
        os.setsid()  # a terminal's ^C is meant for nacre, not for us
    _inheritance.take()
    null = os.open(os.devnull, os.O_RDWR)
    while null < RESERVED_FDS:
        null = os.dup(null)
    if sys.platform != "linux":
        return False
    return_large_blocks()
    return ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


def pipe_name(fd: int) -> str:
    """What a pipe is called in /proc, at both of its ends; nothing for no pipe."""
    if fd < 0 or sys.platform != "linux":
        return ""
    status = os.fstat(fd)
    return f"pipe:[{status.st_ino}]" if stat.S_ISFIFO(status.st_mode) else ""


def link_descriptors() -> tuple[int, int]:
    """The link to nacre on private descriptors; the standard ones lead nowhere from now on."""
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return reading, writing


def log(text: str) -> None:
    """Write to stderr what fits there now; nobody may be reading it."""
    try:
        poller = select.poll()
        poller.register(2, select.POLLOUT)
        if poller.poll(0):
            os.write(2, text.encode(errors="backslashreplace")[-LOG_BYTES:])
    except OSError:  # it was closed
        return


def find_program(name: str, environment: dict[bytes, bytes], directory: str) -> str:
    """The file that a program's name means, as execvp would find it from that directory. Raises OSError."""
    if "/" in name:
        return name
    trouble = FileNotFoundError(errno.ENOENT, "not found on PATH", name)
    for entry in os.fsdecode(environment.get(b"PATH", os.fsencode(os.defpath))).split(":"):
        path = os.path.join(directory, entry, name)
        if os.path.isfile(path):
            if os.access(path, os.X_OK):
                return path
            trouble = PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    raise trouble


def start(spec: Spawn, environment: dict[bytes, bytes]) -> Started:
    """Start a command. Raises OSError whose `filename` tells the directory from the program."""
    os.chdir(spec.cwd)
    try:
        return _start_on_terminal(spec, environment) if spec.terminal else _start_on_pipes(spec, environment)
    finally:
        os.chdir("/")  # standing in a directory would keep its file system from being unmounted


def _start_on_pipes(spec: Spawn, environment: dict[bytes, bytes]) -> Started:
    ends = _Pipes()
    try:
        ends.open(spec)
        if spec.limits:
            pid = _fork_exec(spec, environment, ends.actions())
        else:
            pid = _spawn(spec, environment, ends.actions())
    except BaseException:  # whatever it is, no descriptor stays open
        ends.close_all()
        raise
    ends.close_theirs()
    _make_pipes_ahead()
    return Started(pid, ends.stdin, ends.stdout, ends.stderr, ends.control)


@lru_cache(maxsize=1)
def _null_fd() -> int:
    """What a command reads that is given nothing to read: one descriptor serves all."""
    return os.open(os.devnull, os.O_RDWR)


def _pipe() -> tuple[int, int]:
    """A pipe that stays open for long. Raises OSError when there are too many."""
    reading, writing = os.pipe()
    within_limit(reading, writing)
    return reading, writing


def _output_pipe() -> tuple[int, int]:
    ours, theirs = _pipe()
    os.set_blocking(ours, False)
    return ours, theirs


_pipes_ahead: list[tuple[int, int]] = []


def _make_pipes_ahead() -> None:
    """While a command runs there is time to make the pipes of the next one."""
    try:
        while len(_pipes_ahead) < PIPES_AHEAD:
            _pipes_ahead.append(_output_pipe())
    except OSError:  # no descriptors left: who needs one will be told
        return


class _Pipes:
    """The pipes of one command: ours and theirs."""

    def __init__(self) -> None:
        self.stdin = self.stdout = self.stderr = self.control = -1
        self._theirs: list[tuple[int, int]] = []  # (descriptor here, number in the command)

    def open(self, spec: Spawn) -> None:
        """Make them. Raises OSError; then those that were made wait for `close_all`."""
        if spec.stdin:
            theirs, self.stdin = _pipe()
        else:
            theirs = _null_fd()
        self._theirs.append((theirs, 0))
        self.stdout = self._outgoing(1) if 1 not in spec.silent else self._nowhere(1)
        if spec.merge:
            self._theirs.append((self._theirs[-1][0], 2))
        else:
            self.stderr = self._outgoing(2) if 2 not in spec.silent else self._nowhere(2)  # noqa: PLR2004  # stderr
        if spec.control:
            self.control = self._outgoing(spec.control)

    def _outgoing(self, number: int) -> int:
        ours, theirs = _pipes_ahead.pop() if _pipes_ahead else _output_pipe()
        self._theirs.append((theirs, number))
        return ours

    def _nowhere(self, number: int) -> int:
        self._theirs.append((_null_fd(), number))
        return -1

    def actions(self) -> list[tuple[int, int]]:
        """Which descriptor becomes which number in the command."""
        return self._theirs

    def close_theirs(self) -> None:
        """The command has its own copies now."""
        for fd in {fd for fd, _ in self._theirs}:
            if fd != _null_fd():
                os.close(fd)

    def close_all(self) -> None:
        """Nothing was started."""
        self.close_theirs()
        for fd in (self.stdin, self.stdout, self.stderr, self.control):
            if fd >= 0:
                os.close(fd)


def _spawn(spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]]) -> int:
    if max(actions)[0] >= _inheritance.files:
        return _spawn_from_above(spec, environment, actions)
    return _spawn_from_below(spec, environment, actions)


def _spawn_from_above(spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]]) -> int:
    """glibc's posix_spawn takes no descriptor above the command's limit: such get a low number first."""
    highest = min(RESERVED_FDS, _inheritance.files)
    slots = {fd: highest - 1 - place for place, fd in enumerate({fd for fd, _ in actions})}
    try:
        for fd, slot in slots.items():
            os.dup2(fd, slot, inheritable=False)
        return _spawn_from_below(spec, environment, [(slots[fd], number) for fd, number in actions])
    finally:
        for slot in slots.values():
            os.dup2(_null_fd(), slot, inheritable=False)


def _spawn_from_below(spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]]) -> int:
    try:
        return _inheritance.starting(partial(_posix_spawn, spec, environment, actions))
    except NotImplementedError:  # a macOS whose posix_spawn makes no sessions
        return _fork_exec(spec, environment, actions)


def _posix_spawn(spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]]) -> int:
    """The fast way: no copy of this process is made."""
    return os.posix_spawn(
        spec.program,
        spec.argv,
        environment,
        file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for fd, number in actions],
        setsid=True,
        setsigmask=(),
        setsigdef=DEFAULT_SIGNALS,
    )


def _fork_exec(
    spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]], tty: int = -1
) -> int:
    """The way for what posix_spawn cannot do: limits and a controlling terminal."""
    failed, report = os.pipe()
    try:
        pid = _inheritance.starting(os.fork)
        if pid == 0:
            _become(spec, environment, actions, tty, report)
    except OSError:
        os.close(failed)
        raise
    finally:
        os.close(report)
    trouble = os.read(failed, 4)
    os.close(failed)
    if trouble:
        os.waitpid(pid, 0)
        number = int.from_bytes(trouble, "big")
        raise OSError(number, os.strerror(number), spec.program)
    return pid


def _become(
    spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]], tty: int, report: int
) -> None:
    """In the child: turn into the command. Never returns; a failure is told through `report`."""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        for number in DEFAULT_SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        if tty >= 0:
            os.login_tty(tty)
        else:
            os.setsid()
        for fd, number in actions:
            os.dup2(fd, number)
        for name, value in spec.limits.items():
            if (kind := LIMITS[name]) is not None:
                resource.setrlimit(kind, (value, value))
        os.execve(spec.program, spec.argv, environment)  # noqa: S606  # a shell is what it starts
    except OSError as error:
        os.write(report, (error.errno or errno.EINVAL).to_bytes(4, "big"))
    except ValueError:  # a limit above the hard one
        os.write(report, errno.EPERM.to_bytes(4, "big"))
    finally:
        os._exit(127)


def _start_on_terminal(spec: Spawn, environment: dict[bytes, bytes]) -> Started:
    ours, theirs = os.openpty()
    within_limit(ours, theirs)
    held = [ours, theirs]
    try:
        resize(ours, *(spec.terminal or (24, 80)))
        os.set_blocking(ours, False)
        held.append(os.dup(ours))
        pid = _fork_exec(spec, environment, [], tty=theirs)
    except BaseException:  # whatever it is, no descriptor stays open
        for fd in held:
            os.close(fd)
        raise
    os.close(theirs)
    return Started(pid, held[-1], ours, -1, -1)


def resize(fd: int, rows: int, columns: int) -> None:
    """Tell a terminal, and the programs on it, its size."""
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def reap(awaited: Iterable[int] | None = None) -> tuple[list[Reaped], bool]:
    """The children that have ended, and whether any child is left at all.

    For that the kernel looks at each child there is; with `awaited` it looks at these alone.
    """
    if awaited is None:
        return _reap_all()
    waits = [os.wait4(pid, os.WNOHANG) for pid in awaited]
    return [_reaped(*wait) for wait in waits if wait[0]], True


def _reap_all() -> tuple[list[Reaped], bool]:
    ended: list[Reaped] = []
    while True:
        try:
            wait = os.wait4(-1, os.WNOHANG)
        except ChildProcessError:
            return ended, False
        if wait[0] == 0:
            return ended, True
        ended.append(_reaped(*wait))


def _reaped(pid: int, status: int, usage: resource.struct_rusage) -> Reaped:
    code = os.waitstatus_to_exitcode(status)  # below zero: a signal
    how = (code, None) if code >= 0 else (None, signal_name(-code))
    cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000)
    return Reaped(pid, *how, cpu_ms, usage.ru_maxrss * RSS_UNIT)


def has_ended(pid: int) -> bool:
    """Whether a child has ended that is not reaped yet; False where the system does not tell."""
    return hasattr(os, "waitid") and bool(os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT))


def own_peak_rss_bytes() -> int:
    """The kernel counts our pages to a child until it becomes its program: below this it tells nothing."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def signal_name(number: int) -> str:
    """SIGKILL for 9; real-time signals, which have no name of their own, by number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def signal_number(name: str) -> int:
    """9 for KILL or SIGKILL. Raises KeyError for a name that is none."""
    return signal.Signals[name if name.startswith("SIG") else "SIG" + name].value


def send_signal(pids: Iterable[int], number: int) -> None:
    """Signal each process; one that is gone, or not ours to signal, is passed over."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def send_signal_to_group(pid: int, number: int) -> None:
    """Signal the process group that a command was started in."""
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


LinkReader, LinkWriter = Reader, Writer  # on Windows the link is another kind of pipe
TERM, KILL, STOP, CONTINUE = signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT
