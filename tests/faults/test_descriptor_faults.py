"""Descriptors run out, or memory does: one command is refused or killed, and everything else goes on."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import Gate, carrying, gone, unique_seconds, wait_for_end
from wire_client import NACRE, WireClient, text_of, told_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

TOO_MANY = "what it prints from now on is lost: too many open files"


def limited(soft: int, hard: int) -> list[str]:
    """A server with that limit of open files."""
    return ["bash", "-c", f'ulimit -Sn {soft} && ulimit -Hn {hard}; exec "$@"', "limited", *NACRE]


def keeper_of(server: WireClient) -> int:
    """The process that all commands are below."""
    return int(server.shell("echo $PPID")["stdout"])


def descriptors_of(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def end_all(server: WireClient, mark: str) -> None:
    """End all processes with a mark by a command, as an agent would."""
    pids = " ".join(map(str, carrying(mark)))
    assert server.shell(f"kill {pids}")["exit_code"] == 0
    assert gone(mark)


@pytest.mark.req("fault-descriptors")
def test_processes_left_behind_cannot_use_up_the_descriptors(start: Start) -> None:
    server = start("--shell", "bash", program=limited(160, 160))
    server.shell("X=kept", session="state")
    mark, before = unique_seconds(), descriptors_of(keeper_of(server))
    results = [server.call("shell", command=f"sleep {mark} & echo left") for _ in range(80)]
    assert {told_of(one)["stdout"] for one in results} == {"left\n"}
    kept = [told_of(one)["spool"] is not None for one in results]
    assert kept == sorted(kept, reverse=True), "what was there first is not touched"
    lost = [TOO_MANY in text_of(one) for one in results]
    assert lost == sorted(lost)
    assert lost.count(True) - kept.count(False) in (0, 1), "of one command, one stream may be kept"
    assert 30 < sum(kept) < 80
    turns = [server.call("shell", command=f"sleep {mark} & echo $X", session="state") for _ in range(3)]
    assert {told_of(one)["stdout"] for one in turns} == {"kept\n"}
    assert all(TOO_MANY in text_of(one) for one in turns)
    assert len(carrying(mark)) == 83
    end_all(server, mark)
    assert server.shell("echo $X", session="state")["stdout"] == "kept\n"
    assert descriptors_of(keeper_of(server)) <= before + 8  # pipes made ahead, and those of the last command


@pytest.mark.req("fault-descriptors")
def test_a_command_too_many_is_refused_with_the_number_and_all_others_go_on(
    start: Start, tmp_path: Path
) -> None:
    server = start("--shell", "bash", program=limited(128, 128))
    server.shell("X=kept", session="state")
    keeper, gate = keeper_of(server), Gate(tmp_path)
    before = descriptors_of(keeper)
    for _ in range(2):
        calls = [
            server.post_call("shell", {"command": f"dd bs=3 count=1 status=none < {gate.path}"})
            for _ in range(60)
        ]
        refused = [server.call("shell", command="echo no", **more) for more in ({}, {"session": "new"})]
        for one in refused:
            assert one["isError"] is True
            assert "too many open files: 11" in text_of(one)
            assert "of 128 are in use. Nothing was run. End background processes" in text_of(one)
        results = released(server, calls, gate)
        assert 20 < results.count("go\n") < 60
        assert all(result == "go\n" or "too many open files" in result for result in results)
        assert server.shell("echo $X", session="state")["stdout"] == "kept\n"
        assert keeper_of(server) == keeper
        assert descriptors_of(keeper) <= before + 8  # as above


def released(server: WireClient, calls: list[int], gate: Gate) -> list[str]:
    """What all calls have answered, the refused ones with their error, when the gate was opened."""
    fd = os.open(gate.path, os.O_RDWR)
    os.write(fd, b"go\n" * len(calls))
    answers = [server.answer_to(call)["result"] for call in calls]
    os.close(fd)
    return [text_of(answer) if answer.get("isError") else told_of(answer)["stdout"] for answer in answers]


@pytest.mark.req("fault-descriptors")
def test_the_keeper_takes_all_descriptors_it_may_have_and_commands_get_the_person_s_limit(
    start: Start,
) -> None:
    server = start("--shell", "bash", program=limited(100, 1000))
    mark, asked = unique_seconds(), "ulimit -Sn; ulimit -Hn"
    assert "Max open files            1000                 1000" in limits_of(keeper_of(server))
    for _ in range(60):  # then it holds more than a command may have
        assert server.shell(f"sleep {mark} & {asked}")["stdout"] == "100\n1000\n"
    assert descriptors_of(keeper_of(server)) > 120
    assert server.shell(asked, session="new")["stdout"] == "100\n1000\n"
    assert server.shell(f"({asked}); ulimit -Sn 500; {asked}")["stdout"] == "100\n1000\n500\n1000\n"
    end_all(server, mark)


def limits_of(pid: int) -> str:
    return Path(f"/proc/{pid}/limits").read_text()


# -- memory


def score(pid: int | str) -> int:
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())


@pytest.mark.req("fault-memory")
def test_the_kernel_is_told_to_kill_commands_before_the_server(start: Start) -> None:
    server = start("--shell", "bash")
    own, shown = score("self"), "cat /proc/self/oom_score_adj"
    expected = f"{min(own + 500, 1000)}\n"
    assert server.shell(shown)["stdout"] == expected
    assert server.shell(shown, session="new")["stdout"] == expected
    assert score(server.process.pid) == score(keeper_of(server)) == own


@pytest.fixture
def memory_cgroup() -> Iterator[Path]:
    """A memory cgroup of our own, in the hierarchy of version 1 or 2."""
    old, new = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    base = old if old.is_dir() else new
    group = base / f"nacre-test-{os.getpid()}"
    try:
        group.mkdir()
        limit = next(
            group / name for name in ("memory.limit_in_bytes", "memory.max") if (group / name).exists()
        )
        limit.write_text(str(200 << 20))
    except (OSError, StopIteration) as error:
        with contextlib.suppress(OSError):
            group.rmdir()
        pytest.skip(f"no memory cgroup can be made here: {error}")
    yield group
    wait_for_end([int(pid) for pid in (group / "cgroup.procs").read_text().split()])
    group.rmdir()


# Not all of these have room; each uses less than the server, which is what the kernel would take otherwise.
USE_MEMORY = "x = b'x' * (25 << 20); open('{gate}').read()"


@pytest.mark.req("fault-memory")
def test_when_memory_runs_out_commands_are_killed_and_not_the_server(
    memory_cgroup: Path, start: Start, tmp_path: Path
) -> None:
    join = f'echo $$ > {memory_cgroup}/cgroup.procs; exec "$@"'
    server = start("--shell", "bash", program=["bash", "-c", join, "join", *NACRE])
    server.shell("X=kept", session="state")
    keeper, gate = keeper_of(server), Gate(tmp_path)
    use = f'{sys.executable} -c "{USE_MEMORY.format(gate=gate.path)}"'
    calls = {server.post_call("shell", {"command": use}) for _ in range(12)}
    ends = [told_of(server.receive()["result"]) for _ in range(6)]
    assert {(end["signal"], end["exit_code"]) for end in ends} <= {("SIGKILL", None), (None, 137)}
    assert server.shell("echo $X", session="state")["stdout"] == "kept\n"
    assert keeper_of(server) == keeper
    assert len(calls) == 12


def take_descriptors(pid: int) -> tuple[int, int]:
    """Let a process open nothing more, from now on; the limits it had."""
    held = set(map(int, os.listdir(f"/proc/{pid}/fd")))
    free = next(number for number in range(len(held) + 1) if number not in held)
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (free, before[1]))
    return before


@pytest.mark.req("fault-server-descriptors")
def test_a_server_without_descriptors_serves_on_and_starts_a_keeper_when_it_can(start: Start) -> None:
    server = start("--shell", "bash", "--max-sessions", "40")
    server.shell("X=kept", session="state")
    keeper, limits = keeper_of(server), take_descriptors(server.process.pid)
    assert server.shell("echo once")["stdout"] == "once\n"
    assert server.shell("echo $X", session="state")["stdout"] == "kept\n"
    for number in range(30):
        assert server.shell(f"echo {number}", session=f"s{number}")["stdout"] == f"{number}\n"
    os.kill(keeper, signal.SIGKILL)
    answers = [text_of(server.call("shell", command="echo never")) for _ in range(3)]
    assert "keeper process cannot be started: Too many open files. Nothing was run." in answers[-1]
    assert not any("--- stdout" in answer for answer in answers)
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, limits)
    assert server.shell("echo again")["stdout"] == "again\n"
    assert server.shell('echo "<$X>"', session="state")["stdout"] == "<>\n"


@pytest.mark.req("fault-server-descriptors")
@pytest.mark.parametrize("limit", [12, 20, 40, 63])
def test_a_server_that_may_open_too_few_files_does_not_start_and_says_why(limit: int) -> None:
    ran = subprocess.run(
        limited(limit, limit), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert ran.stderr == (
        f"nacre: at most {limit} files may be open here, and it needs 64. Raise the limit (ulimit -n).\n"
    )


@pytest.mark.req("fault-server-descriptors")
@pytest.mark.parametrize("soft", [12, 24, 63])
def test_a_soft_limit_that_is_too_low_is_raised_for_the_server(start: Start, soft: int) -> None:
    server = start("--shell", "bash", program=limited(soft, 4096))
    assert server.shell("echo here", session="a")["stdout"] == "here\n"


def memory_mb(pid: int) -> int:
    (line,) = (line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if "VmRSS" in line)
    return int(line.split()[1]) // 1024


@pytest.mark.req("fault-large-commands")
def test_the_keeper_gives_back_the_memory_of_large_commands(start: Start) -> None:
    server = start("--shell", "bash")
    keeper = keeper_of(server)
    before = memory_mb(keeper)
    for more in ({}, {"session": "state"}):
        for _ in range(4):  # 80 MB together
            assert server.shell(f"# {'x' * 5_000_000}\necho done", **more)["stdout"] == "done\n"
            assert server.shell("wc -c", stdin="x" * 5_000_000, **more)["stdout"] == "5000000\n"
    assert memory_mb(keeper) < before + 30
