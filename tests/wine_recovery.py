"""Wine is not what is tested here, and it has faults of its own.

Now and then its server stops answering, so that no Windows program starts any more, or it refuses one program
start with an internal error. A fault of ours is there again in a fresh wine. So a failed test that is marked
`wine` is followed by the end of wine and another run (the first program that it runs starts wine again), and
the failure stands where it happens three times. Each such run is reported.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from _pytest.runner import runtestprotocol
from process_table import wait_for_end

if TYPE_CHECKING:
    import pytest

PREFIX = Path(__file__).parents[1] / ".windows" / "prefix"
RUNS = 3


def run_with_recovery(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Run a test under wine; after a failure, again in a fresh wine."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for _ in range(RUNS - 1):
        failed = [report for report in reports if report.failed]
        if not failed:
            break
        end_wine(PREFIX)
        _tell(item, failed[0])
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _tell(item: pytest.Item, failed: pytest.TestReport) -> None:
    if terminal := item.config.pluginmanager.get_plugin("terminalreporter"):  # a worker has none
        terminal.write_line(f"\nfailed; once more in a fresh wine: {item.nodeid}")
        terminal.write_line(failed.longreprtext.rpartition("\nE ")[2])


def end_wine(prefix: Path) -> None:
    """End the wineserver without asking it, then every program of its prefix that outlived it."""
    wineserver(prefix, "-k9")
    left = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _is_of(prefix, pid)]
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for_end(left)


def wineserver(prefix: Path, option: str) -> None:
    """Start the wineserver of a prefix, or end it."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        subprocess.run(
            ["wineserver", option],
            env=_environment(prefix),
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=30,
        )


def _environment(prefix: Path) -> dict[str, str]:
    return {**os.environ, "WINEPREFIX": str(prefix), "WINEDEBUG": "-all"}


def _is_of(prefix: Path, pid: int) -> bool:
    """Whether a process is a program of that wine (and not a keeper that starts such programs)."""
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        return f"WINEPREFIX={prefix}".encode() in environment and "wine" in os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return False
