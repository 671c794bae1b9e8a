"""For tests of cmd.exe on Linux: a wine of the project's own, and marks that its processes carry."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from session_harness import Harness

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = Path(__file__).parents[1] / ".windows" / "prefix"


def wine_environment() -> dict[str, str]:
    """What a server needs to find that wine; skips the test where there is none."""
    if not shutil.which("wine") or not (PREFIX / "stamp").exists():
        pytest.skip("wine is not set up: `make test` does it")
    return {"WINEPREFIX": str(PREFIX)}


def cmd_harness() -> Iterator[Harness]:
    """A service whose shell is wine's cmd.exe."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in wine_environment().items():
            patch.setenv(name, value)
        harness = Harness("cmd.exe", max_sessions=1000)
    yield harness
    harness.close()


def windows_path(path: Path) -> str:
    """What a file of Linux is called on wine's drive Z."""
    return "Z:" + str(path).replace("/", "\\")


def unique_pings() -> str:
    """An argument for `ping -n`: seconds enough for any test, and a mark that no other process carries."""
    return str(random.randrange(10**8, 10**9))  # noqa: S311  # a mark, not a secret
