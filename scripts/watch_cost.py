"""What the socket of `nacre watch` costs a server: its CPU time per call with it, without, and watched.

    python scripts/watch_cost.py [CALLS]

Three servers get the same calls in turns, so that a slow minute of the machine affects all of them. The
kernel counts the CPU time of each server's threads in nanoseconds; what keeper and command use is not in it.
"""

from __future__ import annotations

import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from wire_client import WireClient  # noqa: E402  # the path is needed first

BLOCK = 50


def main() -> None:
    """Measure, and print a line for each."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory(prefix="w-") as base:
        servers = {name: begin(Path(base) / name) for name in ("off", "on", "watched")}
        for name in ("on", "watched"):
            socket_in(Path(base) / name / "nacre")
        follow(socket_in(Path(base) / "watched" / "nacre"))
        spent: dict[str, list[float]] = {name: [] for name in servers}
        for _ in range(calls // BLOCK):
            for name in random.sample(list(servers), len(servers)):  # who comes first differs
                spent[name].append(block(servers[name]))
        off = spent["off"]
        for name, times in spent.items():
            more = statistics.median(mine - other for mine, other in zip(times, off, strict=True))
            print(f"{name:8} {statistics.median(times):7.1f} µs a call, {more:+6.1f} µs over off")
        for server in servers.values():
            server.close()


def begin(runtime: Path) -> WireClient:
    """A server, with its socket in a directory of its own; the one named off has none."""
    runtime.mkdir(mode=0o700)
    off = ("--no-watch",) if runtime.name == "off" else ()
    server = WireClient("--shell", "sh", *off, env={"XDG_RUNTIME_DIR": str(runtime)})
    server.shake_hands()
    return server


def socket_in(directory: Path) -> Path:
    """The socket of the only server that has one there, as soon as it is there."""
    while not (found := [*directory.glob("*.sock")]):
        time.sleep(0.05)
    return found[0]


def follow(path: Path) -> None:
    """Read all that a server tells, in a thread."""
    watcher = socket.socket(socket.AF_UNIX)
    watcher.connect(str(path))
    threading.Thread(target=lambda: all(iter(lambda: watcher.recv(1 << 16), b"")), daemon=True).start()


def block(server: WireClient) -> float:
    """The CPU time of the server for each of some calls, in µs."""
    before = cpu_ns(server.process.pid)
    for _ in range(BLOCK):
        server.shell("true")
    return (cpu_ns(server.process.pid) - before) / BLOCK / 1000


def cpu_ns(pid: int) -> int:
    """The CPU time of all threads of a process."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


if __name__ == "__main__":
    main()
