"""What the container tests share: an image of the server, built with podman as the docs say."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).parents[2]
USER = 1000  # who commands are inside of the image


def _set_up() -> ModuleType:
    """The script that has prepared podman: it knows where everything lies."""
    spec = importlib.util.spec_from_file_location("set_up", ROOT / "scripts" / "container" / "set_up.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def podman_environment() -> dict[str, str]:
    """What makes `podman` use the store of these tests."""
    set_up = _set_up()
    if not shutil.which("podman") or not (set_up.HOME / "storage.conf").exists():
        pytest.skip("podman is not set up: `make test-container` does it")
    return set_up.environment()


@pytest.fixture(scope="session")
def image(podman_environment: dict[str, str]) -> Iterator[str]:
    """The image, built without network; what is left of its containers goes with the tests."""
    base = ["--build-arg", f"BASE={_set_up().BASE}"]
    build = ["podman", "build", "--network", "none", *base, "-t", "mcp-shell-server", str(ROOT)]
    done = subprocess.run(build, env=podman_environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    yield "mcp-shell-server"
    subprocess.run(
        ["podman", "rm", "--all", "--force"], env=podman_environment, capture_output=True, check=False
    )


@pytest.fixture(scope="session")
def podman_compose() -> str:
    """The program, as `make test-container` has installed it."""
    return str(_set_up().COMPOSE / "bin" / "podman-compose")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A directory that the user inside may write to."""
    path = tmp_path / "workspace"
    path.mkdir()
    shutil.chown(path, USER, USER)
    return path
