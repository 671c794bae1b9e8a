"""Limits of commands and sessions, with real hogs. Each hog is bounded by itself, should the limit fail."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import WireClient, configured

from nacre.keeper.cgroups import PREFIX, find_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="trees of processes are looked at on Linux")

# At most 400 MB, 120 processes, 20 s of CPU time, 40 MB on disk, 300 MB of output.
MEMORY_HOG = "import time; hog = [bytearray(b'x') * (20 << 20) for _ in range(20)]; time.sleep(20)"
# Of small processes: as many as are allowed take less memory than is allowed.
FORK_BOMB = "sh -c 'i=0; while [ $i -lt 120 ]; do sleep 20 & i=$((i + 1)); done; wait'"
OUTPUT_HOG = "yes | head -c 300000000"
DISK_HOG = "head -c 40000000 /dev/zero"
SHORT_SPINNER = "for ((i = 0; i < 100000; i++)); do :; done"
SPINNER = "ulimit -t 20; while :; do :; done"
SESSIONS: list[dict[str, str]] = [{}, {"session": "one"}]


def python(text: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(text)}"


def check_limit_is_named(result: dict[str, Any], name: str) -> None:
    assert result["limit"] == name
    assert f"limit_{name} = " in " ".join(result["hints"])
    assert "Only the person can raise that" in " ".join(result["hints"])


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """A server with all limits, which many hogs meet one after the other."""
    directory = tmp_path_factory.mktemp("work")
    file = directory / "settings.toml"
    file.write_text(
        'limit_memory = "100MB"\nlimit_processes = 40\nlimit_cpu = 1\nlimit_output = "2MB"\n'
        'limit_file_size = "1MB"\nlimit_open_files = 50\n'
    )
    with WireClient("--shell", "bash", "--config", str(file), cwd=directory) as client:
        client.shake_hands()
        yield client


@pytest.mark.req("limits-contained")
@pytest.mark.req("limits-named")
@pytest.mark.req("limits-session")
@pytest.mark.parametrize("session", SESSIONS)
@pytest.mark.parametrize(
    ("name", "hog"),
    [
        ("memory", python(MEMORY_HOG)),
        ("processes", FORK_BOMB),
        ("output", OUTPUT_HOG),
        ("file_size", f"{DISK_HOG} > big"),
        ("open_files", python("x = [open('/dev/null') for _ in range(100)]")),
    ],
)
def test_a_hog_is_ended_and_reported_and_the_next_command_runs(
    limited: WireClient, name: str, hog: str, session: dict[str, str]
) -> None:
    limited.shell("kept=yes", session="one")
    limited.shell("kept=yes", session="other")
    done = limited.shell(hog, timeout=30, **session)
    check_limit_is_named(done, name)
    assert done.get("exit_code") != 0
    assert not done.get("left_running")
    assert limited.shell("echo fine", **session)["stdout"] == "fine\n"
    assert limited.shell("echo $kept", session="one")["stdout"] == "yes\n"
    assert limited.shell("echo $kept", session="other")["stdout"] == "yes\n"


@pytest.mark.req("limits-contained")
@pytest.mark.req("limits-named")
@pytest.mark.parametrize(
    "hog", [SPINNER, f"for _ in $(seq 60); do bash -c {shlex.quote(SHORT_SPINNER)}; done"]
)
def test_a_spinner_is_ended_alone_and_as_a_tree_of_short_ones(limited: WireClient, hog: str) -> None:
    done = limited.shell(hog, timeout=60)
    check_limit_is_named(done, "cpu")
    assert limited.shell("echo fine")["stdout"] == "fine\n"


@pytest.mark.req("limits-session")
def test_a_shell_that_is_the_hog_itself_is_ended_and_its_session_goes_on(limited: WireClient) -> None:
    limited.shell("cd /; true", session="spun")
    done = limited.shell(SPINNER, session="spun", timeout=30)
    assert done["ended"] == "shell_died"
    check_limit_is_named(done, "cpu")
    assert limited.shell("pwd", session="spun")["stdout"] == "/\n"


@pytest.mark.req("limits-contained")
def test_what_a_command_has_left_behind_is_held_to_its_limits_too(start: Start, tmp_path: Path) -> None:
    server = configured(start, tmp_path, "limit_processes = 40\n")
    left = server.shell(f"({FORK_BOMB}) > /dev/null 2>&1 & echo $! > pid")
    assert left["exit_code"] == 0
    gone = 'for _ in $(seq 200); do kill -0 "$(cat pid)" 2>/dev/null || exit 0; sleep 0.1; done; exit 1'
    assert server.shell(gone, timeout=30)["exit_code"] == 0


@pytest.mark.req("limits-contained")
@pytest.mark.req("limits-named")
def test_a_private_tmp_holds_what_it_may(start: Start, tmp_path: Path) -> None:
    server = configured(start, tmp_path, 'sandbox = "workspace"\nlimit_tmp = "4MB"\n')
    for place in ("/tmp/x", "/var/tmp/x"):
        check_limit_is_named(server.shell(f"{DISK_HOG} > {place}"), "tmp")
        assert int(server.shell(f"stat -c %s {place}; rm {place}")["stdout"]) <= 4_100_000
    assert server.shell("echo a > /tmp/y && cat /tmp/y")["stdout"] == "a\n"


@pytest.mark.req("limits-contained")
def test_limits_hold_inside_of_a_sandbox(start: Start, tmp_path: Path) -> None:
    settings = 'sandbox = "strict"\nlimit_memory = "100MB"\nlimit_processes = 40\n'
    server = configured(start, tmp_path, settings)
    for name, hog in (("memory", python(MEMORY_HOG)), ("processes", FORK_BOMB)):
        check_limit_is_named(server.shell(hog, timeout=30), name)
    assert server.shell("echo fine")["stdout"] == "fine\n"


@pytest.mark.req("limits-named")
def test_the_result_of_a_command_within_its_limits_does_not_mention_them(
    start: Start, tmp_path: Path
) -> None:
    server = configured(start, tmp_path, 'limit_cpu = 5\nlimit_memory = "1GB"\nlimit_processes = 50\n')
    for session in SESSIONS:
        done = server.shell("seq 3; exit_code=3; (exit 3)", **session)
        assert (done["stdout"], done["exit_code"]) == ("1\n2\n3\n", 3)
        assert "limit" not in done


@pytest.mark.req("limits-fail-closed")
def test_a_limit_that_nothing_can_hold_ends_the_start(start: Start, tmp_path: Path) -> None:
    server = configured(start, tmp_path, 'limit_tmp = "4MB"\n', greet=False)
    assert server.wait() == 2
    server.wait_for_log("limit_tmp needs a sandbox")


@pytest.mark.req("limits-groups")
def test_no_control_group_is_left_when_the_server_has_ended(start: Start, tmp_path: Path) -> None:
    server = configured(start, tmp_path, 'limit_memory = "100MB"\nlimit_processes = 40\n')
    for session in SESSIONS:
        check_limit_is_named(server.shell(python(MEMORY_HOG), timeout=30, **session), "memory")
    keeper = server.shell("echo $PPID")["stdout"].strip()
    server.shell("sleep 30 & true")
    server.hang_up()
    assert server.wait() == 0
    for parent in find_groups().parents.values():
        assert not [name for name in os.listdir(parent.path) if name.startswith(f"{PREFIX}{keeper}-")]
