"""The processes below the keeper, from the process table (Linux and macOS).

Above it: `process_tree`, which attributes processes to commands. It only reads.

On Linux the kernel lists the children of every process, so that looking at one command costs in proportion to
what that command has started. Where there are no such lists (macOS, kernels built without them) the whole
table is read; one reading serves all queries of the same moment.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from nacre.keeper.records import dataclass
from nacre.keeper.wire import COOKIE_NAME

if sys.platform != "win32":
    import resource

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

SHORT_BYTES = 2048
MOMENT_S = 0.005  # how old a reading of the whole table may be
FLAGS_FIELD, PF_EXITING = 6, 4  # of /proc/PID/stat, counted after the name
STATUS_FIELD = 49
TERMINAL_FIELD, CONTROLLING_TERMINAL = 4, "/dev/tty"
ENDLESS, TIMED = "endless", "timed"  # ways to wait for input
LIMIT_MARK = b"Max realtime timeout"
LINUX = sys.platform == "linux"
HAS_LISTS = LINUX and os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
PAGE_BYTES = os.sysconf("SC_PAGESIZE") if LINUX else 4096
TICKS_PER_S = os.sysconf("SC_CLK_TCK") if LINUX else 100


@dataclass(frozen=True, slots=True)
class Process:
    """One row of the process table."""

    pid: int
    parent: int
    group: int
    session: int
    started: int  # clock ticks since boot; orders processes by age
    zombie: bool
    threads: int = 1


def table() -> dict[int, Process]:
    """All processes that can be seen."""
    return _proc_table() if LINUX else _ps_table()


def recent_table() -> dict[int, Process]:
    """All processes that can be seen, as of now or a moment ago."""
    global _reading  # noqa: PLW0603  # one reading for all queries
    if time.monotonic() - _reading[0] > MOMENT_S:
        rows = table()
        _reading = time.monotonic(), rows
    return _reading[1]


_reading: tuple[float, dict[int, Process]] = float("-inf"), {}


def _proc_table() -> dict[int, Process]:
    rows = (row(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {row.pid: row for row in rows if row is not None}


def _open(path: str) -> int:
    """Open a file of /proc, with the spare descriptor if no other is free."""
    try:
        return os.open(path, os.O_RDONLY)
    except OSError as error:
        if error.errno != errno.EMFILE or not _spare:
            raise
        os.close(_spare.pop())
        return os.open(path, os.O_RDONLY)


_spare: list[int] = []


def keep_spare() -> None:
    """Reserve a descriptor, so that processes can be found when commands have used up all others."""
    try:
        if not _spare:
            _spare.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:  # try again next time
        return


def _read(path: str) -> bytes | None:
    """A file of /proc, with as few system calls as possible; None where it cannot be read."""
    try:
        fd = _open(path)
    except OSError:
        return None
    try:
        content = part = os.read(fd, 65536)
        while len(part) > SHORT_BYTES:  # the kernel fills pages; less than half of a page is the end
            part = os.read(fd, 65536)
            content += part
    except OSError:
        return None
    else:
        return content
    finally:
        os.close(fd)
        if not _spare:
            keep_spare()


def row(pid: int) -> Process | None:
    """One row of the table (Linux)."""
    stat = _read(f"/proc/{pid}/stat")
    if not stat:  # it ended meanwhile
        return None
    # The name in parentheses may contain anything, so fields are counted from the last parenthesis.
    fields = stat[stat.rindex(b")") + 2 :].split()
    threads = int(fields[17])
    return Process(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        started=int(fields[19]),
        zombie=fields[0] in (b"Z", b"X") and threads <= 1,  # with more threads, only the first has ended
        threads=threads,
    )


def is_dead(pid: int) -> bool:
    """Whether a process has ended: it is reaped, or waits for that (Linux)."""
    process = row(pid)
    return process is None or process.zombie


def status_of_dead(pid: int) -> int | None:
    """The exit status of a zombie; None: it lives, or has been reaped (Linux)."""
    stat = _read(f"/proc/{pid}/stat") if LINUX else None
    fields = (stat or b"").rpartition(b")")[2].split()
    if len(fields) <= STATUS_FIELD or fields[0] != b"Z":
        return None
    return int(fields[STATUS_FIELD])


def _ps_table() -> dict[int, Process]:
    rows: dict[int, Process] = {}
    for line in _ps("-axo", "pid=,ppid=,pgid=,stat=").splitlines():
        pid, parent, group, state = line.split()[:4]
        rows[int(pid)] = Process(int(pid), int(parent), int(group), int(group), 0, state.startswith("Z"))
    return rows


def _ps(*arguments: str) -> str:
    """macOS has no /proc: ask `ps`."""
    import subprocess  # noqa: PLC0415  # costs the Linux keeper a third of its start-up for nothing

    return subprocess.run(["/bin/ps", *arguments], capture_output=True, check=False, text=True).stdout  # noqa: S603


class Children:
    """The direct children of this process, each reported once, when it is first seen.

    The kernel lists them in the order in which they became ours. The file stays open at its last position, so
    that a look costs the same for any number of children; it is read from the beginning when a known child
    has been reaped, because the others move up then.
    """

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._moved = False
        self._me = os.getpid()
        self._fd = os.open(f"/proc/{self._me}/task/{self._me}/children", os.O_RDONLY) if HAS_LISTS else -1

    def newcomers(self) -> list[int]:
        """Those that were not seen before."""
        if self._fd < 0:
            listed = {pid for pid, process in recent_table().items() if process.parent == self._me}
        elif not (text := self._list()):  # as nearly always: orphans are rare
            return []
        else:
            listed = map(int, text.split())
        fresh = [pid for pid in listed if pid not in self._seen]
        self._seen.update(fresh)
        return fresh

    def _list(self) -> bytes:
        if self._moved:
            os.lseek(self._fd, 0, os.SEEK_SET)
            self._moved = False
        listed = b""
        while part := os.read(self._fd, 65536):
            listed += part
        return listed

    def reaped(self, pid: int) -> None:
        """A child is gone from the list."""
        if pid in self._seen:
            self._seen.discard(pid)
            self._moved = True


def children_of(pid: int, threads: int = 1) -> list[int]:
    """The direct children of any process, of all its threads (Linux)."""
    if threads == 1:  # true of most
        return _children_of_thread(pid, pid)
    try:
        ids = [int(thread) for thread in os.listdir(f"/proc/{pid}/task")]
    except OSError:  # it ended meanwhile
        return []
    return [child for thread in ids for child in _children_of_thread(pid, thread)]


def _children_of_thread(pid: int, thread: int) -> list[int]:
    listed = _read(f"/proc/{pid}/task/{thread}/children")
    return [int(child) for child in listed.split()] if listed else []


def is_childless(pid: int) -> bool:
    """Whether a single-threaded process has no children, not even zombies; False also if unknown.

    One file is read: the link count of a directory in /proc is the number of threads.
    """
    if not HAS_LISTS:
        return False
    try:
        threads = os.stat(f"/proc/{pid}/task").st_nlink - 2
    except OSError:  # it ended meanwhile
        return False
    return threads == 1 and _read(f"/proc/{pid}/task/{pid}/children") == b""


def below(roots: Iterable[int], without: AbstractSet[int] = frozenset()) -> set[int]:
    """The roots and all their living descendants, except for `without` and theirs."""
    return set(rows_below(roots, without))


def rows_below(roots: Iterable[int], without: AbstractSet[int] = frozenset()) -> dict[int, Process]:
    """The same, with the row of each.

    A process that ends while its parent's children are listed can hide a sibling for that moment: to find
    all, stop them first, and look again.
    """
    if not HAS_LISTS:
        rows = recent_table()
        return {pid: rows[pid] for pid in descendants(rows, roots, without)}
    found: dict[int, Process] = {}
    waiting = [pid for pid in roots if pid not in without]
    while waiting:
        pid = waiting.pop()
        process = row(pid) if pid not in found else None
        if process is not None and not process.zombie:
            found[pid] = process
            waiting.extend(child for child in children_of(pid, process.threads) if child not in without)
    return found


def cpu_ms(pid: int) -> int:
    """CPU time of a process and the children it waited for; 0: unknown."""
    stat = _read(f"/proc/{pid}/stat") if LINUX else None
    if not stat:
        return 0
    fields = stat[stat.rindex(b")") + 2 :].split()
    return sum(map(int, fields[11:15])) * 1000 // TICKS_PER_S


def usage(pid: int) -> tuple[int, int]:
    """CPU time in ms, as above, and private memory in bytes; 0: unknown."""
    sizes = (_read(f"/proc/{pid}/statm") or b"0 0 0").split()
    return cpu_ms(pid), max(0, int(sizes[1]) - int(sizes[2])) * PAGE_BYTES


def working_directory(pid: int) -> str | None:
    """The directory of a process, links resolved; None: unknown."""
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None


def descendants(
    rows: dict[int, Process], roots: Iterable[int], without: AbstractSet[int] = frozenset()
) -> set[int]:
    """The same as `below`, from a reading of the whole table."""
    children: dict[int, list[int]] = {}
    for process in rows.values():
        children.setdefault(process.parent, []).append(process.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found and pid not in without:
            found.add(pid)
            waiting.extend(children.get(pid, ()))
    return {pid for pid in found if pid in rows and not rows[pid].zombie}


def cookie_of(pid: int) -> str | None:
    """The cookie in the environment of a process; empty: it has none.

    None if the environment cannot be read: it has ended, is another user's, or is in the middle of exec.
    """
    environment = _read(f"/proc/{pid}/environ")
    if not environment:
        return None
    start = (b"\0" + environment).find(b"\0" + COOKIE_NAME.encode() + b"=")
    if start < 0:
        return ""
    return environment[start + len(COOKIE_NAME) + 1 :].split(b"\0", 1)[0].decode(errors="replace")


def limit_of(pid: int) -> int:
    """The RLIMIT_RTTIME of a process; -1: it has none, or it cannot be read (Linux)."""
    _, found, rest = (_read(f"/proc/{pid}/limits") or b"").partition(LIMIT_MARK)
    soft = rest.split(None, 1)[0] if found else b""
    return int(soft) if soft.isdigit() else -1


def bearers(cookie: str) -> set[int]:
    """Every process whose cookie begins with `cookie`, anywhere in the tree."""
    if LINUX:
        return {
            int(name)
            for name in os.listdir("/proc")
            if name.isdigit() and (cookie_of(int(name)) or "").startswith(cookie)
        }
    wanted = f" {COOKIE_NAME}={cookie}"
    return {
        int(line.split()[0]) for line in _ps("-axEww", "-o", "pid=,command=").splitlines() if wanted in line
    }


def name(pid: int) -> str:
    """The name of a program, up to 15 letters, also of a zombie; empty: unknown."""
    raw = _read(f"/proc/{pid}/comm") if LINUX else None
    return (raw or b"").rstrip(b"\n").decode(errors="replace")


def command_line(pid: int, limit: int = 200) -> str:
    """The command line of a process, for a person to read."""
    if LINUX:
        raw = _read(f"/proc/{pid}/cmdline") or b""
        text = raw.rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
    else:
        text = _ps("-ww", "-o", "command=", "-p", str(pid)).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


# The number of read(2): the kernel shows the system call that a process waits in as a number.
_READ = {"x86_64": b"0", "aarch64": b"63", "riscv64": b"63"}.get(os.uname().machine) if LINUX else None


def waits_to_read(pid: int, file: str) -> bool:
    """Whether it waits to read from a pipe, given by its name in /proc; False also if unknown."""
    return _thread_waits(f"/proc/{pid}", f"/proc/{pid}", file)


def waits_to_read_in_thread(pid: int, file: str) -> bool:
    """The same for a program with many threads (as all Go programs), any of which may be reading."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return False
    return any(_thread_waits(f"/proc/{pid}/task/{thread}", f"/proc/{pid}", file) for thread in threads)


def _thread_waits(thread: str, process: str, file: str) -> bool:
    number, *arguments = (_read(f"{thread}/syscall") or b"unknown").split(maxsplit=2)
    if number != _READ or not arguments:
        return False
    return _link(f"{process}/fd/{int(arguments[0], 16)}") == file


# The system calls that wait for several files, by number: the awaited files, and the time limit.
_CALLS = {
    "x86_64": {
        b"7": "poll",
        b"271": "ppoll",
        b"23": "select",
        b"270": "select",
        b"232": "epoll",
        b"281": "epoll",
    },
    "aarch64": {b"73": "ppoll", b"72": "select", b"22": "epoll"},
    "riscv64": {b"73": "ppoll", b"72": "select", b"22": "epoll"},
}.get(os.uname().machine if LINUX else "", {})
_TIME_ARGUMENT = {"poll": 2, "ppoll": 2, "select": 4, "epoll": 3}
_FOREVER = (0, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)  # a null pointer, or -1


def input_wait(pid: int, file: str) -> str:
    """Whether it waits to read from a pipe or terminal by that name in /proc.

    "endless": for as long as it takes; "timed": for some time at most; else nothing.
    """
    number, *rest = (_read(f"/proc/{pid}/syscall") or b"unknown").split()
    if number == _READ and rest:
        return ENDLESS if _leads_to(pid, str(int(rest[0], 16)), file) else ""
    call = _CALLS.get(number)
    if call is None or len(rest) < 6:  # noqa: PLR2004  # the kernel shows six arguments
        return ""
    arguments = [int(argument, 16) for argument in rest[:6]]
    limit = arguments[_TIME_ARGUMENT[call]]
    if limit == 0 and call in ("poll", "epoll"):  # here 0 means: do not wait
        return ""
    fds = _polled(pid, arguments[0]) if call == "epoll" else ["0"]
    if not any(_leads_to(pid, fd, file) for fd in fds):
        return ""
    return ENDLESS if limit in _FOREVER else TIMED


def _leads_to(pid: int, fd: str, file: str) -> bool:
    """Whether a descriptor of a process leads to a file; a password prompt opens the terminal anew."""
    name = _link(f"/proc/{pid}/fd/{fd}")
    if name != CONTROLLING_TERMINAL:
        return name == file
    stat = (_read(f"/proc/{pid}/stat") or b"").rpartition(b")")[2].split()
    try:
        return len(stat) > TERMINAL_FIELD and int(stat[TERMINAL_FIELD]) == _device_number(
            os.stat(file).st_rdev
        )
    except OSError:
        return False


def _device_number(device: int) -> int:
    """A device number as /proc shows it, with bits of the minor number on both sides of the major one."""
    minor = os.minor(device)
    return minor & 0xFF | os.major(device) << 8 | (minor & ~0xFF) << 12


def _polled(pid: int, epoll_fd: int) -> list[str]:
    """The descriptors that an epoll descriptor watches."""
    lines = (_read(f"/proc/{pid}/fdinfo/{epoll_fd}") or b"").splitlines()
    return [line.split()[1].decode() for line in lines if line.startswith(b"tfd:")]


def holds(pid: int, file: str) -> bool:
    """Whether one of its descriptors leads there, and is not just being closed; True also if unknown."""
    if not LINUX or _link(f"/proc/{pid}/fd/0") == file:
        return True
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return True
    return any(_link(f"/proc/{pid}/fd/{number}") == file for number in numbers) and not _is_ending(pid)


def _is_ending(pid: int) -> bool:
    """Whether the kernel is just closing its descriptors, one after another."""
    fields = (_read(f"/proc/{pid}/stat") or b"").rpartition(b")")[2].split()
    return len(fields) > FLAGS_FIELD and bool(int(fields[FLAGS_FIELD]) & PF_EXITING)


def open_files_limit(pid: int) -> int:
    """How many files a process may have open; unlimited if unknown."""
    if sys.platform != "linux":
        return sys.maxsize
    try:
        soft = resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]
    except OSError:  # it has ended, or is another user's
        return sys.maxsize
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def peak_rss_bytes(pid: int) -> int:
    """The peak memory of a process since its exec; 0: unknown."""
    status = _read(f"/proc/{pid}/status") or b""
    peak = status.partition(b"VmHWM:")[2].split(maxsplit=1)
    return int(peak[0]) * 1024 if peak else 0


def standard_input(pid: int) -> str:
    """Where its stdin leads; empty: unknown."""
    return _link(f"/proc/{pid}/fd/0")


def standard_output(pid: int) -> tuple[str, str]:
    """Where its stdout and stderr lead; empty: unknown."""
    return _link(f"/proc/{pid}/fd/1"), _link(f"/proc/{pid}/fd/2")


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
