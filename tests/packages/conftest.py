"""What the tests of the packages share: both distributions, each built once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from building import ROOT, run

if TYPE_CHECKING:
    from pathlib import Path


def build(kind: str, source: Path, directory: Path) -> Path:
    """The distribution that the build backend makes of these sources."""
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", directory, cwd=source)
    (built,) = directory.iterdir()
    return built


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution of this checkout."""
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="session")
def source(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the source distribution holds, unpacked."""
    directory = tmp_path_factory.mktemp("source")
    run("tar", "-xzf", sdist, "-C", directory)
    (unpacked,) = directory.iterdir()
    return unpacked


@pytest.fixture(scope="session")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source distribution, which therefore holds all that it takes."""
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))
