"""What the Windows tests share: wine itself, and one server that most of them talk to."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from windows_programs import HOME, NACRE, WINE
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def wine() -> Iterator[None]:
    """One wineserver for all tests, and nothing of it afterwards."""
    if not shutil.which("wine") or not (HOME / "stamp").exists():
        pytest.skip("Windows CPython is not set up under wine: `make test-windows` does it")
    environment = {**os.environ, **WINE}
    subprocess.run(["wineserver", "-p"], env=environment, check=False, stdin=subprocess.DEVNULL)
    yield
    subprocess.run(["wineserver", "-k"], env=environment, check=False, stdin=subprocess.DEVNULL)


@pytest.fixture
def windows_server() -> Iterator[WireClient]:
    """A server of its own for a test that ends it."""
    with WireClient(program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        yield client


@pytest.fixture(scope="session")
def server(wine: None) -> Iterator[WireClient]:  # noqa: ARG001  # needed first
    """A server that many tests use one after the other: commands leave no trace in it."""
    with WireClient(program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        yield client
