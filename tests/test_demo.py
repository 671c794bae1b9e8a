"""The demo that the README begins with does what it says."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo" / "demo.py"
WATCH_PICTURE = ROOT / "demo" / "watch_picture.py"


@pytest.mark.req("demo")
def test_every_step_of_the_demo_does_what_it_says() -> None:
    shown = subprocess.run(
        [sys.executable, str(DEMO)], capture_output=True, text=True, timeout=110, check=False
    )
    assert shown.returncode == 0, shown.stdout[-2000:] + shown.stderr[-2000:]
    assert "steps did what they say." in shown.stdout


@pytest.mark.req("watch-picture")
def test_the_picture_of_nacre_watch_shows_what_it_shows_today(tmp_path: Path) -> None:
    drawn = tmp_path / "watch.svg"
    subprocess.run([sys.executable, str(WATCH_PICTURE), str(drawn)], timeout=110, check=True)
    structure = runpy.run_path(str(WATCH_PICTURE))["structure"]
    shown = structure(drawn.read_text())
    assert ["servers", "output of ID"] in shown
    kept = structure((ROOT / "docs" / "watch.svg").read_text())
    assert shown == kept, "draw it anew: python demo/watch_picture.py"
