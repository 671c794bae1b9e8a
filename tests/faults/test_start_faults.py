"""A keeper or a command that cannot be started: a clear error, and the next try works."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from faults.faulty_keeper import FaultyHarness
from process_table import Gate, wait_for_end
from wire_client import NACRE, WireClient, text_of

from nacre.errors import PlaceError
from nacre.keeper import link
from nacre.model import Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]


@pytest.mark.req("fault-keeper-late")
def test_a_keeper_that_is_late_is_waited_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "HELLO_PATIENCE_S", 0.2)
    gate = Gate(tmp_path)
    harness = FaultyHarness("bash", f"open({str(gate.path)!r}).read()", tmp_path / "log")
    command = Command("echo here", "/", 5)
    for _ in range(2):
        with pytest.raises(PlaceError, match="not ready after") as caught:
            harness.do(harness.service.run(command))
        assert caught.value.code == "keeper_late"
    monkeypatch.setattr(link, "HELLO_PATIENCE_S", 30.0)
    gate.open()
    assert harness.do(harness.service.run(command)).stdout.text == "here\n"
    harness.close()


@pytest.fixture
def pids_cgroup() -> Iterator[Path]:
    """A cgroup of our own that can limit the number of processes."""
    old = Path("/sys/fs/cgroup/pids")
    group = (old if old.is_dir() else old.parent) / f"nacre-test-{os.getpid()}"
    try:
        group.mkdir()
        (group / "pids.max").write_text("max")
    except OSError as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        pytest.skip(f"no cgroup for processes can be made here: {error}")
    yield group
    wait_for_end([int(pid) for pid in (group / "cgroup.procs").read_text().split()])
    group.rmdir()


@pytest.mark.req("fault-processes")
def test_without_a_process_to_spare_commands_are_refused_and_run_again_later(
    pids_cgroup: Path, start: Start
) -> None:
    join = f'echo $$ > {pids_cgroup}/cgroup.procs; exec "$@"'
    server = start("--shell", "bash", program=["bash", "-c", join, "join", *NACRE])
    server.shell("X=kept", session="state")
    keeper = int(server.shell("echo $PPID")["stdout"])
    limit = pids_cgroup / "pids.max"
    limit.write_text("1")
    for more in ({}, {"session": "new"}):
        refused = server.call("shell", command="echo no", **more)
        assert refused["isError"] is True
        assert "Resource temporarily unavailable. Nothing was run: no process can be started" in text_of(
            refused
        )
    assert server.shell("echo $X", session="state")["stdout"] == "kept\n"
    os.kill(keeper, signal.SIGKILL)
    refused = server.call("shell", command="echo no")
    while "the command is gone" in text_of(refused):
        refused = server.call("shell", command="echo no")
    assert "keeper process cannot be started: Resource temporarily unavailable" in text_of(refused)
    limit.write_text("max")
    assert server.shell("echo again")["stdout"] == "again\n"


@pytest.mark.req("fault-not-startable")
def test_what_the_system_cannot_start_is_reported_and_the_next_command_runs(
    start: Start, tmp_path: Path
) -> None:
    shell, directory = tmp_path / "bash", tmp_path / "directory"
    shutil.copy("/bin/bash", shell)
    directory.mkdir()
    server = start("--shell", str(shell))
    long = server.call("shell", command="echo no", environment={"LONG": "x" * 200_000})
    assert "Argument list too long. Nothing was run" in text_of(long)
    directory.rmdir()
    lost = server.call("shell", command="echo no", working_directory=str(directory))
    assert f"working_directory does not exist: {directory}" in text_of(lost)
    shell.rename(tmp_path / "away")
    gone = server.call("shell", command="echo no")
    assert f"{shell}: No such file or directory" in text_of(gone)
    shell.mkdir()
    denied = server.call("shell", command="echo no")
    assert f"{shell}: Permission denied" in text_of(denied)
    shell.rmdir()
    (tmp_path / "away").rename(shell)
    assert server.shell("echo fine")["stdout"] == "fine\n"
