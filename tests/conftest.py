"""What all tests share: a server to talk to, and the rule that a skip in CI is a failure."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import hypothesis
import pytest
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

# A slow moment of the machine is no failure: time is measured in the benchmark, never in a test.
hypothesis.settings.register_profile("nacre", hypothesis.settings(deadline=None))
hypothesis.settings.load_profile("nacre")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., WireClient]]:
    """Start servers; each is ended with the test."""
    clients: list[WireClient] = []

    def starter(*options: str, greet: bool = True, **more: object) -> WireClient:
        client = WireClient(*options, **{"cwd": tmp_path, **more})  # pyright: ignore[reportArgumentType]  # passed on
        clients.append(client)
        if greet:
            client.shake_hands()
        return client

    yield starter
    for client in clients:
        client.close()


@pytest.fixture(scope="session")
def _shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    with WireClient("--shell", "bash", cwd=tmp_path_factory.mktemp("work")) as client:
        client.shake_hands()
        yield client


@pytest.fixture
def server(_shared_server: WireClient) -> WireClient:
    """A server with bash that many tests use one after the other: commands leave no trace in it."""
    return _shared_server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI all that tests need is installed, so a skip there hides a fault; data beside us may lack."""
    report = yield
    if report.skipped and os.environ.get("CI") and "not beside this checkout" not in str(report.longrepr):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped in CI: {report.longrepr}"
    return report
