"""What happens when wine itself hangs in the middle of the tests.

Wine is not what is tested here, and now and then its own server stops answering: no Windows program starts
any more. So a failed test that is marked `wine` is followed by a question to wine alone: can it still run
`cmd /c exit`? If it can, the failure stands. If not, wine is ended, and the test runs once more (the first
program that it runs starts wine again).
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
WINE_ANSWERS_WITHIN_S = 30
"""A healthy wine needs well under a second, also on a busy machine."""


def run_with_recovery(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Run a test under wine; where it failed because wine hangs, end wine and run it once more."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    if any(report.failed for report in reports) and not wine_answers():
        end_wine(PREFIX)
        if terminal := item.config.pluginmanager.get_plugin("terminalreporter"):  # a worker has none
            terminal.write_line(f"\nwine hung and was ended; once more: {item.nodeid}")
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def wine_answers() -> bool:
    """Whether wine can still start a program of its own."""
    asked = subprocess.Popen(
        ["wine", "cmd", "/c", "exit"],
        env=_environment(PREFIX),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        return asked.wait(WINE_ANSWERS_WITHIN_S) == 0
    except subprocess.TimeoutExpired:
        asked.kill()
        asked.wait()
        return False


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
