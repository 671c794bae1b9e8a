"""The records of the audit log: one before a command starts, one when it has ended, whatever happens."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from small_disk import FILL, servers_with_small_disk
from wire_client import MODERN, NACRE, WireClient, ended_records

from nacre.audit.chain import check_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]

BASH = ("--shell", "bash")


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def end(server: WireClient) -> None:
    server.hang_up()
    server.wait()


@pytest.mark.req("audit-start-and-end")
def test_a_record_says_who_ran_what_where_under_which_rule_and_what_it_has_used(
    start: Start, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    server = start(*BASH, "--allow", "echo,cd,true", "--sandbox", "off", "--audit-log", str(log))
    server.call("shell", command="cd /usr; echo out; echo err >&2", session="s")
    end(server)
    started, ended = records(log)
    same = {
        "client": "tests",
        "client_version": "1",
        "place": "local",
        "session": "s",
        "command": "cd /usr; echo out; echo err >&2",
        "working_directory": str(tmp_path),
        "sandbox": "off",
        "verdict": "allow",
        "rule": "cd",
        "pid": server.process.pid,
    }
    assert started["event"] == "started"
    assert ended["event"] == "ended"
    assert started["id"] == ended["id"]
    assert started["time"] <= ended["time"]
    for record in (started, ended):
        assert same.items() <= record.items()
    assert (ended["ended"], ended["exit_code"], ended["signal"]) == ("exited", 0, None)
    assert ended.keys() >= {"execution_time_ms", "cpu_ms", "max_rss_bytes"}
    assert (ended["stdout_bytes"], ended["stderr_bytes"]) == (4, 4)
    assert ended["stdout_sha256"] == hashlib.sha256(b"out\n").hexdigest()
    assert ended["stderr_sha256"] == hashlib.sha256(b"err\n").hexdigest()


@pytest.mark.req("audit-hash")
@pytest.mark.parametrize("session", [None, "s"], ids=["fresh shell", "session"])
@pytest.mark.parametrize("size", [0, 1, 32768, 65536, 65537, 1_000_000], ids=str)
def test_the_hash_is_that_of_every_byte_that_was_printed(
    start: Start, tmp_path: Path, session: str | None, size: int
) -> None:
    log, data = tmp_path / "audit.jsonl", tmp_path / "data"
    data.write_bytes(content := os.urandom(size))
    server = start(*BASH, "--audit-log", str(log), "--max-output", "100000")  # the file keeps a part of it
    server.call("shell", command="cat data", **({"session": session} if session else {}))
    end(server)
    (ended,) = ended_records(log.read_text())
    assert ended["stdout_bytes"] == size
    expected = hashlib.sha256(content).hexdigest() if size else None
    assert ended.get("stdout_sha256") == expected
    assert "stderr_sha256" not in ended


@pytest.mark.req("audit-start-and-end")
def test_a_client_of_2026_is_named_too(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    server = start(*BASH, "--audit-log", str(log), greet=False)
    who = {**MODERN, "io.modelcontextprotocol/clientInfo": {"name": "newer", "version": "9"}}
    server.request("tools/call", {"name": "shell", "arguments": {"command": "true"}, "_meta": who})
    end(server)
    assert [(record["client"], record["client_version"]) for record in records(log)] == [("newer", "9")] * 2


@pytest.mark.req("audit-start-and-end")
def test_what_is_refused_has_one_record_with_the_rule(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    server = start(*BASH, "--deny", "rm", "--audit-log", str(log))
    server.call("shell", command="rm x")
    server.call("shell", command="true", environment={"LD_PRELOAD": "x"})
    end(server)
    denied, variable = records(log)
    assert (denied["ended"], denied["verdict"], denied["rule"]) == ("not run", "deny", "rm")
    assert (variable["verdict"], variable["rule"]) == ("deny", "environment.LD_PRELOAD")


@pytest.mark.req("audit-start-and-end")
def test_a_call_that_is_cancelled_is_recorded_as_such(start: Start, tmp_path: Path) -> None:
    log, fifo = tmp_path / "audit.jsonl", tmp_path / "fifo"
    os.mkfifo(fifo)
    server = start(*BASH, "--audit-log", str(log))
    call = server.post_call("shell", {"command": "echo runs > fifo; sleep 1000"})
    assert fifo.read_text() == "runs\n"
    server.notify("notifications/cancelled", {"requestId": call})
    assert server.shell("echo after")["stdout"] == "after\n"
    end(server)
    cancelled = next(record for record in ended_records(log.read_text()) if "sleep" in record["command"])
    assert cancelled["ended"] == "cancelled"
    assert cancelled["execution_time_ms"] >= 0


@pytest.mark.req("audit-start-and-end")
@pytest.mark.parametrize("background", [False, True], ids=["call", "job"])
def test_what_runs_when_the_client_hangs_up_or_kills_the_server_politely_has_an_end(
    start: Start, tmp_path: Path, *, background: bool
) -> None:
    log, fifo = tmp_path / "audit.jsonl", tmp_path / "fifo"
    os.mkfifo(fifo)
    server = start(*BASH, "--audit-log", str(log))
    server.post_call("shell", {"command": "echo runs > fifo; sleep 1000", "background": background})
    assert fifo.read_text() == "runs\n"
    server.process.send_signal(signal.SIGTERM)
    server.wait()
    (ended,) = ended_records(log.read_text())
    assert ended["ended"] in ("cancelled", "signaled")  # whether its call or its process was over first


@pytest.mark.req("audit-start-and-end")
def test_a_command_whose_keeper_is_killed_is_recorded_as_crashed(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    server = start(*BASH, "--audit-log", str(log))
    server.call("shell", command="kill -9 $PPID; sleep 1000")
    end(server)
    (crashed,) = ended_records(log.read_text())
    assert (crashed["ended"], crashed["code"]) == ("crashed", "keeper_lost")


@pytest.mark.req("audit-killed")
def test_a_server_that_is_killed_has_recorded_what_it_had_started(start: Start, tmp_path: Path) -> None:
    """Whatever the command does, its record is there before it can do it."""
    log = tmp_path / "audit.jsonl"
    for number in range(3):
        server = start(*BASH, "--audit-log", str(log))
        server.post_call("shell", {"command": f"kill -9 {server.process.pid} # {number}"})
        server.wait()
    found = records(log)
    assert [record["command"].split()[-1] for record in found if record["event"] == "started"] == list("012")
    assert not [line for line in check_lines(log.read_bytes().splitlines(keepends=True)) if line.problem]


@pytest.mark.req("audit-killed")
def test_a_line_that_a_killed_server_has_torn_is_set_apart_and_reported(start: Start, tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    server = start(*BASH, "--audit-log", str(log))
    server.shell("echo one")
    server.process.kill()
    server.wait()
    whole = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(whole[:-1]) + whole[-1][:37])  # as far as it had come
    server = start(*BASH, "--audit-log", str(log))
    server.wait_for_log("its last record is not whole: its server was killed while it wrote")
    server.shell("echo two")
    end(server)
    problems = [line for line in check_lines(log.read_bytes().splitlines(keepends=True)) if line.problem]
    assert [line.number for line in problems] == [len(whole)]
    assert "it is torn" in problems[0].problem
    assert [line["command"] for line in map(json.loads, log.read_text().splitlines()[len(whole) :])] == [
        "echo two",
        "echo two",
    ]


@pytest.mark.req("audit-start-and-end")
def test_what_is_typed_into_a_job_and_done_to_it_and_to_sessions_is_recorded(
    start: Start, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    server = start(*BASH, "--audit-log", str(log))
    job = server.shell("cat", background=True)["job"]
    server.call("job", action="send", id=job, text="echo typed\n")
    server.call("job", action="signal", id=job, signal="TERM")
    server.shell("true", session="s")
    server.call("session", action="close", name="s")
    end(server)
    noted = [record for record in records(log) if record["event"] not in ("started", "ended")]
    assert [record["event"] for record in noted] == ["input", "signal", "session closed"]
    assert (noted[0]["text"], noted[0]["command"], noted[0]["job"]) == ("echo typed\n", "cat", job)
    assert (noted[1]["signal"], noted[2]["session"]) == ("TERM", "s")
    shown = subprocess.run(
        [*NACRE, "audit", "show", "--text", "typed", str(log)], capture_output=True, text=True, check=True
    )
    assert "input: job" in shown.stdout


# -- a full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[..., WireClient]]:
    """Start servers that see a file system of 64 KiB in `disk`."""
    with servers_with_small_disk(tmp_path, 64) as starter:
        yield starter


@pytest.mark.req("fault-audit-required")
def test_on_a_full_disk_not_even_one_command_runs_where_records_are_required(
    small_disk: Start, tmp_path: Path
) -> None:
    server = small_disk(*BASH, "--audit-log", "disk/audit.jsonl", "--audit-required")
    server.shell(FILL)
    refused = server.call("shell", command="touch ran # " + "x" * 5000)
    assert refused["isError"] is True
    assert "Nothing was run: the audit log cannot be written (No space left on device)" in str(refused)
    assert not (tmp_path / "ran").exists()
    server.wait_for_log("commands are refused")


@pytest.mark.req("audit-rotation")
def test_a_running_server_rotates_and_the_chain_holds_over_all_files(start: Start, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('audit_log = "audit.jsonl"\naudit_rotate = "4KB"\n')
    server = start(*BASH, "--config", "config.toml")
    for number in range(12):
        server.shell(f"echo {number}")
    end(server)
    files = [*sorted(tmp_path.glob("audit.jsonl.*")), *tmp_path.glob("audit.jsonl")]
    assert len(files) > 2
    done = subprocess.run(
        [*NACRE, "audit", "verify", *map(str, files)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.split(".")[0]) == (0, "24 records")
