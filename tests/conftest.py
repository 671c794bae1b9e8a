"""What all tests share: a server to talk to, and the rules about skips and requirements."""

from __future__ import annotations

import compileall
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import hypothesis
import pytest
import skips
from wine_recovery import run_with_recovery
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

# A slow moment of the machine is no failure: time is measured in the benchmark, never in a test.
# In CI the same examples are tried every time; elsewhere each run tries new ones.
hypothesis.settings.register_profile(
    "nacre", hypothesis.settings(deadline=None, derandomize=bool(os.environ.get("CI")))
)
hypothesis.settings.load_profile("nacre")


def pytest_sessionstart() -> None:
    """Cache byte code before a test limits the size of files: Python would leave half of it there."""
    source = Path(__file__).parents[1] / "src"
    compileall.compile_dir(source, quiet=2)


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
    """A skip hides a fault, unless its reason is one that no package can mend."""
    report = yield
    if report.skipped and (objection := skips.objection(_reason(report), in_ci=bool(os.environ.get("CI")))):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped. {objection}: {_reason(report)}"
        if hasattr(report, "wasxfail"):
            del report.wasxfail  # or it would count as a failure that was expected
    return report


def _reason(report: pytest.TestReport) -> str:
    return getattr(report, "wasxfail", None) or str(report.longrepr)


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A test that fails under wine runs again in a fresh wine."""
    if item.get_closest_marker("wine") is None:
        return None
    run_with_recovery(item, nextitem)
    return True


# -- which tests show which requirement (see test_requirements)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--write-requirements", metavar="FILE", help="write the ids that the collected tests carry"
    )


def pytest_collection_finish(session: pytest.Session) -> None:
    file: str | None = session.config.getoption("--write-requirements")
    if file is None:
        return
    carried: dict[str, list[str]] = {}
    for item in session.items:
        if not _is_skipped(item):
            for mark in item.iter_markers("req"):
                carried.setdefault(mark.args[0], []).append(item.nodeid)
    Path(file).write_text(json.dumps(carried))


def _is_skipped(item: pytest.Item) -> bool:
    conditions = [mark.args[0] for mark in item.iter_markers("skipif")]
    return item.get_closest_marker("skip") is not None or any(conditions)
