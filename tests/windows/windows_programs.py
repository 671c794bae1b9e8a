"""nacre and its keeper as Windows programs, started from Linux under wine."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

from nacre.keeper.launch import Launched

ROOT = Path(__file__).parents[2]
HOME = ROOT / ".windows"
PYTHON = HOME / "python" / "python.exe"
WINE = {"WINEPREFIX": str(HOME / "prefix"), "WINEDEBUG": "-all"}
NACRE = ["wine", str(PYTHON), "-m", "nacre"]
CMD = r"C:\windows\system32\cmd.exe"
KEEPER_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from nacre.keeper.program import main; main()"


def windows_path(path: Path) -> str:
    """What a file of Linux is called on wine's drive Z."""
    return "Z:" + str(path).replace("/", "\\")


def unique_pings() -> str:
    """An argument for `ping -n`: seconds enough for any test, and a mark that no other process carries."""
    return str(random.randrange(10**8, 10**9))  # noqa: S311  # a mark, not a secret


def launch_keeper() -> Launched:
    """A Windows keeper on pipes; stderr is a pipe too, because Windows' Python dies on a file under wine."""
    process = subprocess.Popen(
        ["wine", str(PYTHON), "-I", "-S", "-c", KEEPER_BOOT, windows_path(ROOT / "src")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **WINE},
        bufsize=0,
        start_new_session=True,
    )
    assert process.stdin
    assert process.stdout
    return Launched(process, process.stdout.fileno(), process.stdin.fileno())
