"""What a run ran on: the machine, its load, the commit."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
GIGABYTE = 1e9
BUSY = 0.5  # processes that want to run, for each core


def describe() -> dict[str, str]:
    """The machine in a few words."""
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(errors="replace"))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / GIGABYTE
    return {
        "processor": f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB",
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
    }


def load() -> str:
    """How many processes wanted to run in the last minute."""
    return f"{os.getloadavg()[0]:.1f}"


def is_busy() -> bool:
    """Whether others need so much of the machine that figures would be theirs."""
    return os.getloadavg()[0] > BUSY * (os.cpu_count() or 1)


def commit() -> str:
    """Which nacre it was: the last commit that changed its source, and whether files differ from it."""
    last = _git("log", "-1", "--format=%h", "--abbrev=10", "--", "src")
    changed = _git("status", "--porcelain", "--", "src")
    return (last + " and changes" * bool(changed)) if last else "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()
