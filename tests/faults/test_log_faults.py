"""Trouble with stderr, the audit log, the abort file: commands are answered, and what is lost is counted."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from small_disk import FILL, servers_with_small_disk
from wire_client import NACRE, WireClient, ended_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]


def under(script: str) -> list[str]:
    """The server behind a line of bash that ends in `"$@"`."""
    return ["bash", "-c", script, "bash", *NACRE]


# -- stderr

STDERRS = {
    "closed": 'exec "$@" 2>&-',
    "full": 'exec "$@" 2>/dev/full',
    "read-only": 'exec "$@" 2</dev/null',
    "no reader from the start": 'exec "$@" 2> >(exec true)',
    "no reader after ten bytes": 'exec "$@" 2> >(exec head -c 10 >/dev/null)',
    "never read": 'exec "$@" 2> >(exec sleep 1000)',
    "a file that may not grow": 'ulimit -f 1; exec "$@" 2> stderr',
}


@pytest.mark.req("fault-stderr")
@pytest.mark.parametrize("verbose", [True, False], ids=["verbose", "quiet"])
@pytest.mark.parametrize("script", STDERRS.values(), ids=STDERRS)
def test_no_trouble_with_stderr_takes_the_server_down(start: Start, script: str, *, verbose: bool) -> None:
    server = start(*(["--verbose"] if verbose else []), program=under(script))
    for turn in range(60):
        assert server.shell(f"echo {turn} # {'x' * 400}")["stdout"] == f"{turn}\n"
    assert server.shell("echo in", session="s")["stdout"] == "in\n"
    server.notify("notifications/cancelled", {"requestId": "nobody's"})
    server.send_bytes(b"nonsense\n")
    assert server.receive()["error"]["code"] == -32700
    server.hang_up()
    assert server.wait() == 0


@pytest.mark.req("fault-stderr")
def test_a_stderr_that_is_closed_leaves_its_number_to_nobody(start: Start, tmp_path: Path) -> None:
    """Or log lines would land in the next file that is opened: the audit log, or the link to the keeper."""
    trail = tmp_path / "audit.jsonl"
    server = start("--verbose", "--audit-log", str(trail), program=under('exec "$@" 2>&-'))
    assert server.shell("echo hi; ls -l /proc/self/fd/2 >/dev/null")["exit_code"] == 0
    server.hang_up()
    assert server.wait() == 0
    assert [record["ended"] for record in ended_records(trail.read_text())] == ["exited"]


@pytest.mark.req("fault-stderr")
def test_lines_that_could_not_be_written_are_counted_when_there_is_room(start: Start) -> None:
    server = start()
    assert server.process.stderr
    size = fcntl.fcntl(server.process.stderr.fileno(), fcntl.F_GETPIPE_SZ)
    for _ in range(size // 400):
        call = server.post_call("shell", {"command": "true " + "x" * 800})
        assert server.process.stdout
        assert json.loads(server.process.stdout.readline())["id"] == call
    server.stderr = os.read(server.process.stderr.fileno(), size)
    server.shell("true")
    server.wait_for_log("lines before this one could not be written)")


@pytest.mark.req("fault-audit-torn")
def test_a_log_line_written_in_part_does_not_run_into_the_next(start: Start, tmp_path: Path) -> None:
    server = start(program=under('exec "$@" 2>> stderr'))
    file = tmp_path / "stderr"
    server.shell("echo first")
    while "echo first" not in file.read_text():  # lines are written a moment after their commands have ended
        server.request("ping")
    whole = file.read_text()
    limit = len(whole) + 50  # in the middle of the next line
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    while file.stat().st_size < limit:
        server.shell("echo between")
    resource.prlimit(
        server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    )
    server.shell("echo last")
    server.hang_up()
    assert server.wait() == 0
    torn, *rest = file.read_text().removeprefix(whole).splitlines()
    assert len(torn) == 50
    assert "lines before this one could not be written)" in rest[0]
    assert rest[-1].endswith("echo last")


# -- the audit log


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[..., WireClient]]:
    """Start servers that see a file system of 256 KiB in `disk`."""
    with servers_with_small_disk(tmp_path, 256) as starter:
        yield starter


def entries(server: WireClient, path: str = "disk/audit.jsonl") -> list[dict[str, Any]]:
    """The lines of an audit log that only the server's commands can see."""
    reply = server.shell(f"cat {path}", output_limit=32768)
    return ended_records(reply["stdout"])


@pytest.mark.req("fault-audit-room")
def test_a_full_disk_costs_no_record_and_the_order_stays(small_disk: Start) -> None:
    server = small_disk("--audit-log", "disk/audit.jsonl")
    server.shell(FILL)
    for turn in range(20):
        assert server.shell(f"echo {turn} # {'x' * 100}")["stdout"] == f"{turn}\n"
    server.wait_for_log("cannot be written: No space left on device; commands run all the same")
    server.shell("rm disk/filler")
    server.wait_for_log("can be written again; 0 records are missing")
    commands = [entry["command"].partition(" #")[0] for entry in entries(server)]
    assert commands == [FILL, *(f"echo {turn}" for turn in range(20)), "rm disk/filler"]


@pytest.mark.req("fault-audit-room")
def test_beyond_a_bound_records_are_counted_and_the_gap_is_reported(small_disk: Start) -> None:
    server = small_disk("--audit-log", "disk/audit.jsonl")
    server.shell(FILL)
    for turn in range(30):  # 3 MB of records
        server.shell(f"echo {turn} # {'x' * 100_000}")
    server.shell("rm disk/filler; mount -o remount,size=8m disk")
    server.wait_for_log("can be written again")
    server.shell("echo after")
    reply = server.shell(
        "python3 -c 'import json; print(json.dumps("
        '[{**json.loads(line), "command": json.loads(line).get("command", "")[:20]}'
        ' for line in open("disk/audit.jsonl")]))\''
    )
    written: list[dict[str, Any]] = json.loads(reply["stdout"])
    (gap,) = [number for number, entry in enumerate(written) if entry.get("ended") == "not recorded"]
    assert written[gap]["reason"] == "No space left on device"
    commands = ["head", *map(str, range(30)), "disk/filler;", "after", "-c"]
    asked = [word for word in commands for _ in ("started", "ended")]
    words = [entry["command"].split()[1] if entry["command"] else "" for entry in written]
    words[:2] = ["head", "head"]
    missing = written[gap]["missing"]
    assert missing > 10
    assert words == [*asked[:gap], "", *asked[gap + missing :]][: len(words)]


@pytest.mark.req("fault-audit-torn")
@pytest.mark.req("fault-audit-room")
def test_a_file_that_may_not_grow_holds_whole_lines_only(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    trail.write_text("{}\n" * 4000)
    server = start("--audit-log", "audit.jsonl", program=under('ulimit -f 16; exec "$@"'))
    for turn in range(10):  # 12 KB
        server.shell(f"echo {turn} # {'x' * 100}")
    server.wait_for_log("cannot be written: File too large")
    # It tries again every second: what it takes back at once may be there for a moment, without a line end.
    written = ended_records(trail.read_text().rpartition("\n")[0])[4000:]
    os.truncate(trail, 0)  # as logrotate's `copytruncate` does it
    server.wait_for_log("can be written again")
    written += ended_records(trail.read_text())
    assert [int(entry["command"].split()[1]) for entry in written] == list(range(10))


@pytest.mark.req("fault-audit-torn")
def test_a_line_that_somebody_else_has_torn_is_ended_first(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    trail.write_text('{"time": "20')
    server = start("--audit-log", str(trail))
    server.shell("echo hi")
    server.hang_up()
    assert server.wait() == 0
    torn, started, ended = trail.read_text().splitlines()
    assert torn == '{"time": "20'
    assert [json.loads(line)["command"] for line in (started, ended)] == ["echo hi", "echo hi"]


@pytest.mark.req("fault-audit-gone")
@pytest.mark.parametrize("how", ["rm audit.jsonl", "mv audit.jsonl audit.jsonl.1"])
def test_an_audit_log_that_is_taken_away_is_made_anew(start: Start, tmp_path: Path, how: str) -> None:
    trail = tmp_path / "audit.jsonl"
    server = start("--audit-log", str(trail))
    server.shell("echo before")
    server.shell(how)
    server.shell("echo after")
    server.hang_up()
    assert server.wait() == 0
    assert json.loads(trail.read_text().splitlines()[-1])["command"] == "echo after"


@pytest.mark.req("fault-audit-room")
def test_an_audit_log_whose_reader_comes_back_goes_on(start: Start, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "audit")
    reader = os.open(tmp_path / "audit", os.O_RDONLY | os.O_NONBLOCK)
    server = start("--audit-log", "audit")
    os.close(reader)
    server.shell("echo unheard")
    server.wait_for_log("cannot be written: Broken pipe")
    reader = os.open(tmp_path / "audit", os.O_RDONLY | os.O_NONBLOCK)
    server.wait_for_log("can be written again")
    (unheard,) = ended_records(os.read(reader, 65536).decode())
    assert unheard["command"] == "echo unheard"
    os.close(reader)


@pytest.mark.req("fault-audit-room")
def test_an_audit_log_that_nobody_reads_is_refused_at_the_start(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "audit")
    done = subprocess.run(
        [*NACRE, "--audit-log", str(tmp_path / "audit")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, "The audit log cannot be written" in done.stderr) == (2, True)


@pytest.mark.req("fault-audit-required")
@pytest.mark.parametrize("by", ["flag", "file"])
def test_without_a_record_no_command_where_that_is_wanted(start: Start, tmp_path: Path, by: str) -> None:
    trail = tmp_path / "audit.jsonl"
    (tmp_path / "config.toml").write_text('audit_log = "audit.jsonl"\naudit_required = true\n')
    options = ["--config", "config.toml"] if by == "file" else ["--audit-log", str(trail), "--audit-required"]
    trail.write_text("{}\n" * 5400)
    server = start(*options, "--tools", "files", program=under('ulimit -f 16; exec "$@"'))
    for tool, argument in (("shell", "command"), ("read_file", "path")):
        refused = server.call(tool, **{argument: "touch ran"})
        assert refused["isError"] is True
        assert "Nothing was run: the audit log cannot be written (File too large)" in str(refused["content"])
    server.wait_for_log("commands are refused")
    os.truncate(trail, 0)
    assert server.shell("ls ran 2>/dev/null; echo again")["stdout"] == "again\n"
    server.hang_up()
    assert server.wait() == 0
    codes = [json.loads(line).get("code", "") for line in trail.read_text().splitlines()]
    # The first one was about to start when its record found no room; of the second nothing was tried.
    assert codes == ["", "no_audit", "no_audit", "", ""]


@pytest.mark.req("fault-audit-required")
def test_an_audit_log_that_is_required_needs_a_name() -> None:
    done = subprocess.run([*NACRE, "--audit-required"], capture_output=True, text=True, check=False)
    assert (done.returncode, "--audit-log" in done.stderr) == (2, True)


@pytest.mark.req("fault-audit-room")
def test_rules_are_learnt_from_an_audit_log_with_a_gap(tmp_path: Path) -> None:
    gap = {"time": "2026-01-01T00:00:00Z", "ended": "not recorded", "missing": 3, "reason": "Full"}
    run = {"time": "2026-01-01T00:00:00Z", "ended": "exited", "exit_code": 0, "command": "git status"}
    (tmp_path / "log").write_text(f"{json.dumps(gap)}\n{json.dumps(run)}\n")
    done = subprocess.run(
        [*NACRE, "policy", "learn", str(tmp_path / "log")], capture_output=True, text=True, check=True
    )
    assert "git status" in done.stdout


# -- the abort file


@pytest.mark.req("fault-abort-room")
def test_an_abort_file_that_finds_no_room_is_written_later_and_whole(small_disk: Start) -> None:
    server = small_disk("--abort-file", "disk/abort")
    server.shell(FILL)
    server.shell("echo broken; exit 3")
    server.wait_for_log("the abort file")
    assert server.shell("ls -A disk")["stdout"] == "filler\n"
    server.shell("rm disk/filler")
    server.wait_for_log("could be written at last")
    record = json.loads(server.shell("cat disk/abort")["stdout"])
    assert (record["exit_code"], record["stdout"]) == (3, "broken\n")
