"""Who runs below the keeper, and which command each process belongs to (Linux and macOS).

Above it: `kin`. It reads the process table and never changes anything.

On Linux the keeper is the child subreaper: whatever a command starts stays below the keeper, also after
setsid and double forks. A process whose parents are gone hangs directly below the keeper; it is then told
to its command by the cookie in its environment, by its session, or, when it has wiped both, by being
possible for one living command only. macOS has no subreaper: there the cookie, the parents and the
process groups are all there is.
"""

from __future__ import annotations

import os
import sys

from nacre.keeper.records import dataclass
from nacre.keeper.wire import COOKIE_NAME

SHORT_BYTES = 2048
LINKS_OF_ONE_THREAD = 3  # of /proc/PID/task: a directory has two, and each thread adds one
LINUX = sys.platform == "linux"
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


def table() -> dict[int, Process]:
    """All processes that can be seen."""
    return _proc_table() if LINUX else _ps_table()


def _proc_table() -> dict[int, Process]:
    rows = (_proc_row(int(name)) for name in os.listdir("/proc") if name.isdigit())
    return {row.pid: row for row in rows if row is not None}


def _read(path: str) -> bytes | None:
    """A file of /proc, with no more system calls than it takes; None where it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        content = part = os.read(fd, 65536)
        while len(part) > SHORT_BYTES:  # the kernel fills pages; less than half of one is the end
            part = os.read(fd, 65536)
            content += part
    except OSError:
        return None
    else:
        return content
    finally:
        os.close(fd)


def _proc_row(pid: int) -> Process | None:
    stat = _read(f"/proc/{pid}/stat")
    if not stat:  # it ended meanwhile
        return None
    # The name in parentheses may hold anything, so count fields from the last parenthesis.
    fields = stat[stat.rindex(b")") + 2 :].split()
    return Process(
        pid=pid,
        parent=int(fields[1]),
        group=int(fields[2]),
        session=int(fields[3]),
        started=int(fields[19]),
        zombie=fields[0] in (b"Z", b"X"),
    )


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


def children_of_keeper() -> list[int] | None:
    """The direct children of this process, cheaply; None where the kernel does not tell."""
    return children_of_thread(os.getpid())


def children_of_thread(pid: int) -> list[int] | None:
    """The direct children that the first thread of a process has made; None where it is not told."""
    listed = _read(f"/proc/{pid}/task/{pid}/children")
    return None if listed is None else [int(child) for child in listed.split()]


def children_of(pid: int) -> list[int] | None:
    """The direct children of any process, whichever of its threads made them; None where it is not told."""
    tasks = f"/proc/{pid}/task"
    try:
        if os.stat(tasks).st_nlink == LINKS_OF_ONE_THREAD:  # quicker than a listing, and true of most
            return children_of_thread(pid)
        threads = os.listdir(tasks)
    except OSError:
        return None
    listed = [_read(f"/proc/{pid}/task/{thread}/children") for thread in threads]
    return [int(child) for lines in listed if lines for child in lines.split()]


def below(roots: list[int]) -> set[int]:
    """The roots and everything below them that lives, without looking at the whole process table (Linux)."""
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        row = _proc_row(pid)
        if pid not in found and row is not None and not row.zombie:
            found.add(pid)
            waiting.extend(children_of(pid) or ())
    return found


def cpu_ms(pid: int) -> int:
    """CPU time that a process and the children it waited for have used; 0 where the kernel does not tell."""
    stat = _read(f"/proc/{pid}/stat") if LINUX else None
    if not stat:
        return 0
    fields = stat[stat.rindex(b")") + 2 :].split()
    return sum(map(int, fields[11:15])) * 1000 // TICKS_PER_S


def working_directory(pid: int) -> str | None:
    """Where a process stands, symbolic links resolved; None where the kernel does not tell."""
    try:
        return os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None


def descendants(rows: dict[int, Process], roots: set[int]) -> set[int]:
    """The roots that live and everything below them, zombies left out."""
    children: dict[int, list[int]] = {}
    for row in rows.values():
        children.setdefault(row.parent, []).append(row.pid)
    found: set[int] = set()
    waiting = list(roots)
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting.extend(children.get(pid, ()))
    return {pid for pid in found if pid in rows and not rows[pid].zombie}


def cookie_of(pid: int) -> str:
    """The cookie a process carries in its environment; empty where there is none to be seen."""
    environment = _read(f"/proc/{pid}/environ")
    if not environment:  # ended, or another user's
        return ""
    start = (b"\0" + environment).find(b"\0" + COOKIE_NAME.encode() + b"=")
    if start < 0:
        return ""
    return environment[start + len(COOKIE_NAME) + 1 :].split(b"\0", 1)[0].decode(errors="replace")


def bearers(cookie: str) -> set[int]:
    """Every process whose cookie begins with `cookie`, wherever it hangs in the tree."""
    if LINUX:
        return {
            int(name)
            for name in os.listdir("/proc")
            if name.isdigit() and cookie_of(int(name)).startswith(cookie)
        }
    wanted = f" {COOKIE_NAME}={cookie}"
    return {
        int(line.split()[0]) for line in _ps("-axEww", "-o", "pid=,command=").splitlines() if wanted in line
    }


def name(pid: int) -> str:
    """What a program is called, in 15 letters, also after its end until it is reaped; empty if untold."""
    raw = _read(f"/proc/{pid}/comm") if LINUX else None
    return (raw or b"").rstrip(b"\n").decode(errors="replace")


def command_line(pid: int, limit: int = 200) -> str:
    """What a process was started as, for a person to read."""
    if LINUX:
        raw = _read(f"/proc/{pid}/cmdline") or b""
        text = raw.rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
    else:
        text = _ps("-ww", "-o", "command=", "-p", str(pid)).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"
