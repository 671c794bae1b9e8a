"""What the Windows tests share: wine, and one server that most of them talk to."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

import pytest
from windows_programs import HOME, NACRE, WINE
from wine_recovery import wineserver
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session", autouse=True)
def wine() -> Iterator[None]:
    """One wineserver for all tests, and nothing of it afterwards."""
    if not shutil.which("wine") or not (HOME / "stamp").exists():
        pytest.skip("Windows CPython is not set up under wine: `make test-windows` does it")
    wineserver(HOME / "prefix", "-p")
    yield
    wineserver(HOME / "prefix", "-k")


@pytest.fixture
def windows_server() -> Iterator[WireClient]:
    """A server of its own for a test that ends it."""
    with WireClient(program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        yield client


class SharedServer:
    """The server that many tests use; another one follows where wine had to be started again."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._stack = stack
        self._client: WireClient | None = None

    def client(self) -> WireClient:
        if self._client is None or self._client.process.poll() is not None:
            self._client = self._stack.enter_context(WireClient(program=NACRE, env=WINE, cwd="/tmp"))
            self._client.shake_hands()
        return self._client


@pytest.fixture(scope="session")
def shared_server(wine: None) -> Iterator[SharedServer]:  # noqa: ARG001  # needed first
    with contextlib.ExitStack() as stack:
        yield SharedServer(stack)


@pytest.fixture
def server(shared_server: SharedServer) -> WireClient:
    """A server that many tests use one after the other: commands leave no trace in it."""
    return shared_server.client()
