"""Starting a command on Linux and macOS: its pipes or its terminal, its descriptors, its limits.

Above it: `program`, through `host`. Below: `inheritance`, for what a command must not inherit from the
keeper. posix_spawn is used where possible; what it cannot do takes a fork.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import struct
import termios
from functools import lru_cache

from nacre.keeper.descriptors import within_limit
from nacre.keeper.inheritance import COMMAND, KEEPER, Inheritance
from nacre.keeper.records import dataclass

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.frames import Spawn

PIPES_AHEAD = 2  # stdout and stderr
RESERVED_FDS = 20  # private channels of commands have numbers below this
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
LIMITS = {  # per process; `limits` checks all processes of a command together
    "cpu_s": resource.RLIMIT_CPU,
    "memory_bytes": resource.RLIMIT_DATA,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
}
CPU_GRACE_S = 5
MEMORY_RESERVE_BYTES = 1 << 28
INHERITANCE = Inheritance()


@dataclass(slots=True)
class Started:
    """A started command: its first process and our ends of its streams (-1: none)."""

    pid: int
    stdin: int
    stdout: int
    stderr: int
    control: int


def find_program(name: str, environment: dict[bytes, bytes], directory: str) -> str:
    """The file of a program, as execvp would find it from that directory. Raises OSError."""
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


def start(spec: Spawn, environment: dict[bytes, bytes], joins: tuple[str, ...] = ()) -> Started:
    """Start a command. Raises OSError, whose `filename` is the directory or the program.

    `joins` are the files through which it joins its control groups.
    """
    os.chdir(spec.cwd)
    try:
        if spec.terminal:
            return _start_on_terminal(spec, environment, joins)
        special = spec.stdin or spec.merge or spec.silent or spec.control or spec.limits
        if special or len(_pipes_ahead) < PIPES_AHEAD:
            return _start_on_pipes(spec, environment, joins)
        return _start_simply(spec, environment)
    finally:
        os.chdir("/")  # a current directory would keep its file system from being unmounted


def _start_simply(spec: Spawn, environment: dict[bytes, bytes]) -> Started:
    """Start a command that only prints, as most do, on the pipes that were created ahead."""
    (out, to_out), (err, to_err) = _pipes_ahead
    _pipes_ahead.clear()
    try:
        pid = _spawn(spec, environment, [(_null_fd(), 0), (to_out, 1), (to_err, 2)])
    except BaseException:  # whatever it is, no descriptor stays open
        os.close(out)
        os.close(err)
        raise
    finally:
        os.close(to_out)
        os.close(to_err)
    return Started(pid, -1, out, err, -1)


def _start_on_pipes(spec: Spawn, environment: dict[bytes, bytes], joins: tuple[str, ...]) -> Started:
    ends = _Pipes()
    try:
        ends.open(spec)
        if spec.limits:
            pid = _fork_exec(spec, environment, ends.theirs, joins)
        else:
            pid = _spawn(spec, environment, ends.theirs)
    except BaseException:  # whatever it is, no descriptor stays open
        ends.close_all()
        raise
    ends.close_theirs()
    return Started(pid, ends.stdin, ends.stdout, ends.stderr, ends.control)


@lru_cache(maxsize=1)
def _null_fd() -> int:
    """The stdin of commands without input: one descriptor serves all."""
    return os.open(os.devnull, os.O_RDWR)


def _pipe() -> tuple[int, int]:
    """Create a pipe that may stay open for long. Raises OSError when there are too many."""
    reading, writing = os.pipe()
    within_limit(reading, writing)
    return reading, writing


def _output_pipe() -> tuple[int, int]:
    ours, theirs = _pipe()
    os.set_blocking(ours, False)
    return ours, theirs


_pipes_ahead: list[tuple[int, int]] = []


def make_pipes_ahead() -> None:
    """Create the pipes of the next command while the last one runs: then there is time."""
    try:
        while len(_pipes_ahead) < PIPES_AHEAD:
            _pipes_ahead.append(_output_pipe())
    except OSError:  # no descriptors left: the next command will get an error
        return


class _Pipes:
    """The pipes of one command: our ends and its own."""

    def __init__(self) -> None:
        self.stdin = self.stdout = self.stderr = self.control = -1
        self.theirs: list[tuple[int, int]] = []  # (descriptor here, number in the command)

    def open(self, spec: Spawn) -> None:
        """Create them. Raises OSError; then `close_all` closes those that were created."""
        if spec.stdin:
            theirs, self.stdin = _pipe()
        else:
            theirs = _null_fd()
        self.theirs.append((theirs, 0))
        self.stdout = self._outgoing(1) if 1 not in spec.silent else self._nowhere(1)
        if spec.merge:
            self.theirs.append((self.theirs[-1][0], 2))
        else:
            self.stderr = self._outgoing(2) if 2 not in spec.silent else self._nowhere(2)  # noqa: PLR2004  # stderr
        if spec.control:
            self.control = self._outgoing(spec.control)

    def _outgoing(self, number: int) -> int:
        ours, theirs = _pipes_ahead.pop() if _pipes_ahead else _output_pipe()
        self.theirs.append((theirs, number))
        return ours

    def _nowhere(self, number: int) -> int:
        self.theirs.append((_null_fd(), number))
        return -1

    def close_theirs(self) -> None:
        """Close the command's ends: it has its own copies now."""
        for fd in dict(self.theirs):  # each once
            if fd != _null_fd():
                os.close(fd)

    def close_all(self) -> None:
        """Close all ends: nothing was started."""
        self.close_theirs()
        for fd in (self.stdin, self.stdout, self.stderr, self.control):
            if fd >= 0:
                os.close(fd)


def _spawn_from_above(spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]]) -> int:
    """glibc's posix_spawn refuses descriptors above the command's limit: move them to low numbers first."""
    highest = min(RESERVED_FDS, INHERITANCE.files)
    slots = {fd: highest - 1 - place for place, fd in enumerate({fd for fd, _ in actions})}
    try:
        for fd, slot in slots.items():
            os.dup2(fd, slot, inheritable=False)
        return _spawn(spec, environment, [(slots[fd], number) for fd, number in actions])
    finally:
        for slot in slots.values():
            os.dup2(_null_fd(), slot, inheritable=False)


def _spawn(spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]]) -> int:
    """Start without a copy of this process, where that is possible."""
    if max(actions)[0] >= INHERITANCE.files:
        return _spawn_from_above(spec, environment, actions)
    INHERITANCE.change(COMMAND)
    try:
        return os.posix_spawn(
            spec.program,
            spec.argv,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for fd, number in actions],
            setsid=True,
            setsigmask=(),
            setsigdef=DEFAULT_SIGNALS,
        )
    except NotImplementedError:  # on a macOS whose posix_spawn has no setsid
        pass
    finally:
        INHERITANCE.change(KEEPER)
    return _fork_exec(spec, environment, actions)


def _fork_exec(
    spec: Spawn,
    environment: dict[bytes, bytes],
    actions: list[tuple[int, int]],
    joins: tuple[str, ...] = (),
    tty: int = -1,
) -> int:
    """Fork, for what posix_spawn cannot do: limits and a controlling terminal."""
    failed, report = os.pipe()
    try:
        pid = INHERITANCE.starting(os.fork)
        if pid == 0:
            _join(joins)
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


before_exec: list[Callable[[], None]] = []  # run in the child before it becomes a command


def _become(
    spec: Spawn, environment: dict[bytes, bytes], actions: list[tuple[int, int]], tty: int, report: int
) -> None:
    """In the child: execute the command. Never returns; an error is sent through `report`."""
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
        _limit_self(spec)
        for prepare in before_exec:
            prepare()
        os.execve(spec.program, spec.argv, environment)  # noqa: S606  # a shell is what it starts
    except OSError as error:
        os.write(report, (error.errno or errno.EINVAL).to_bytes(4, "big"))
    except ValueError:  # a limit above the hard one
        os.write(report, errno.EPERM.to_bytes(4, "big"))
    finally:
        os._exit(127)


def _join(files: tuple[str, ...]) -> None:
    """Join the control groups before the command runs; if that fails, only the keeper enforces limits."""
    for path in files:
        try:
            descriptor = os.open(path, os.O_WRONLY)
            os.write(descriptor, b"0")
            os.close(descriptor)
        except OSError:
            continue


def _limit_self(spec: Spawn) -> None:
    """Set the limits that the kernel enforces per process. Raises OSError, ValueError."""
    for name, kind in LIMITS.items():
        if name not in spec.limits or (name == "cpu_s" and spec.persistent):  # a shell has many commands
            continue
        soft = hard = spec.limits[name]
        if name == "cpu_s":
            hard += CPU_GRACE_S  # the hard limit kills without a message
        elif name == "memory_bytes":  # this counts address space, often more than what is used
            soft = hard = 2 * hard + MEMORY_RESERVE_BYTES
        most = resource.getrlimit(kind)[1]
        if 0 <= most < hard:
            soft, hard = min(soft, most), most
        resource.setrlimit(kind, (soft, hard))


def _start_on_terminal(spec: Spawn, environment: dict[bytes, bytes], joins: tuple[str, ...]) -> Started:
    ours, theirs = os.openpty()
    within_limit(ours, theirs)
    held = [ours, theirs]
    try:
        _set_size(ours, *(spec.terminal or (24, 80)))
        os.set_blocking(ours, False)
        held.append(os.dup(ours))
        pid = _fork_exec(spec, environment, [], joins, tty=theirs)
    except BaseException:  # whatever it is, no descriptor stays open
        for fd in held:
            os.close(fd)
        raise
    os.close(theirs)
    return Started(pid, held[-1], ours, -1, -1)


def hides_lines(fd: int) -> bool:
    """Whether a program reads a line from this terminal without echo: it asks for a password.

    One that reads key by key (an editor, a shell's line editor) shows them itself.
    """
    try:
        local = termios.tcgetattr(fd)[3]
    except (OSError, termios.error):
        return False
    return bool(local & termios.ICANON) and not local & termios.ECHO


def resize(started: Started, rows: int, columns: int) -> None:
    """Tell a command's terminal, and the programs on it, its size."""
    _set_size(started.stdout, rows, columns)


def _set_size(fd: int, rows: int, columns: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
