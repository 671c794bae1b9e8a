"""The demo that the README begins with does what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[1] / "demo" / "demo.py"


@pytest.mark.req("demo")
def test_every_step_of_the_demo_does_what_it_says() -> None:
    shown = subprocess.run(
        [sys.executable, str(DEMO)], capture_output=True, text=True, timeout=110, check=False
    )
    assert shown.returncode == 0, shown.stdout[-2000:] + shown.stderr[-2000:]
    assert "steps did what they say." in shown.stdout
