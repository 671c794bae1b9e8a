"""`nacre watch` over a named pipe: server and watcher are Windows programs, started from Linux under wine."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from windows_programs import HOME, NACRE, PYTHON, WINE, unique_pings, windows_path
from wire_client import WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.wine

PATIENCE_S = 120.0
WINDOWS_PYTHON = windows_path(PYTHON)
DETACHED = 0x8 | 0x200  # DETACHED_PROCESS, CREATE_NEW_PROCESS_GROUP
ORPHAN = (
    "import subprocess, sys; argv = [sys.executable, '-m', 'nacre', 'watch', '--plain', '--once']; "
    f"subprocess.Popen(argv, creationflags={DETACHED})"
)
TYPE = """
import asyncio, sys
from nacre.watch.client import Servers

async def type_into(directory, job):
    servers = Servers(directory, lambda _, __: None)
    await servers.look()
    for server in servers:
        print(await server.ask("type", job=job, text="Ada", keys="Enter"))
    servers.close()

asyncio.run(type_into(*sys.argv[1:]))
"""


# wine sets %LOCALAPPDATA% itself: all tests have the same.
LOCAL = HOME / "prefix" / "drive_c" / "users" / getpass.getuser() / "AppData" / "Local" / "nacre-watch"
WATCHED = {**WINE, "NACRE_WATCH": "true"}


def begin(*options: str) -> WireClient:
    client = WireClient("-v", *options, program=NACRE, env=WATCHED, cwd="/tmp")
    client.shake_hands()
    return client


def file_of(client: WireClient) -> Path:
    """What tells of the server's pipe."""
    client.wait_for_log("nacre watch: ")
    return LOCAL / (client.stderr.decode().rpartition("nacre-watch-")[2].strip() + ".pipe")


@pytest.fixture
def watched() -> Iterator[WireClient]:
    """A server that can be watched."""
    with begin() as client:
        client.wait_for_log("nacre watch: ")
        yield client


def watch(*options: str) -> subprocess.CompletedProcess[str]:
    return run([*NACRE, "watch", *options])


def run(argv: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        env={**os.environ, **WATCHED},
        input="",  # a pipe: Windows' Python under wine cannot start on a file
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def job_of(client: WireClient, command: str, **more: object) -> str:
    return client.call("shell", command=command, background=True, **more)["structuredContent"]["job"]


@pytest.mark.req("watch-windows")
def test_a_person_sees_a_command_with_its_output_and_stops_it(watched: WireClient) -> None:
    watched.shell("echo before")
    job = job_of(watched, f"echo begun& ping -n {unique_pings()} 127.0.0.1 >nul")
    watched.call("job", action="wait", id=job, until="begun")
    plain = watch("--plain", "--once")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert "tests, preset agent" in plain.stdout
    assert f"job {job}: running" in plain.stdout
    assert ": echo before" in plain.stdout
    reply = json.loads(watch("--json", "--once").stdout)
    assert (reply["event"], reply["jobs"][0]["job"]) == ("hello", job)
    assert watch("--output", job).stdout == "begun\n"
    stopped = watch("--stop", job)
    assert (stopped.returncode, stopped.stdout) == (0, f"{job} is being stopped.\n")
    assert "stopped" in text_of(watched.call("job", action="wait", id=job))
    again = watch("--stop", job)
    assert (again.returncode, "has ended" in again.stderr) == (1, True)


@pytest.mark.req("watch-windows")
def test_a_person_types_into_a_terminal_and_the_agent_is_told(watched: WireClient) -> None:
    reading = "k = open('CONIN$'); print(k.readline(), file=open('CONOUT$', 'w')); raise SystemExit(7)"
    command = f'"{WINDOWS_PYTHON}" -c "{reading}"'
    job = watched.call("shell", command=command, terminal=True)["structuredContent"]["job"]
    typed = run(["wine", str(PYTHON), "-c", TYPE, windows_path(LOCAL), job])
    assert (typed.returncode, typed.stdout.strip()) == (0, "{}"), typed.stderr
    reply = watched.call("job", action="wait", id=job)
    assert reply["structuredContent"]["exit_code"] == 7
    assert f"The person has typed into job {job}" in text_of(watched.call("shell", command="echo hi"))


@pytest.mark.req("watch-windows")
@pytest.mark.parametrize("how", ["-m nacre watch --plain --once", f'-c "{ORPHAN}"'])
def test_no_process_of_a_command_is_let_in(watched: WireClient, how: str) -> None:
    watched.shell(f'"{WINDOWS_PYTHON}" {how}')
    watched.wait_for_log("nacre watch was refused: Process")
    assert b"was started by a command" in watched.stderr


@pytest.mark.req("watch-windows")
def test_a_command_of_another_server_is_not_let_in_either(watched: WireClient) -> None:
    with begin("--no-watch") as other:
        reply = other.shell(f'"{WINDOWS_PYTHON}" -m nacre watch --plain --once')
        assert reply["stdout"].count("was started by a command") == 1
    assert watched.process.poll() is None


@pytest.mark.req("watch-windows")
def test_a_server_that_is_not_to_be_watched_has_no_pipe_and_a_killed_one_leaves_no_name() -> None:
    with begin("--no-watch") as client:
        client.shell("echo hi")
        nothing = watch("--plain", "--once")
        assert (nothing.returncode, nothing.stdout) == (1, "")
        assert "No server of yours" in nothing.stderr
    with begin() as client:
        file = file_of(client)
        client.process.kill()
        client.wait()
    assert file.exists()
    assert watch("--plain", "--once").returncode == 1
    assert not file.exists()


@pytest.mark.req("watch-windows")
def test_the_name_of_the_pipe_is_gone_after_the_end(watched: WireClient) -> None:
    file = file_of(watched)
    assert file.exists()
    watched.hang_up()
    assert watched.wait() == 0
    assert not file.exists()
