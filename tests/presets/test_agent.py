"""The preset `agent`: specification 004, clause by clause. `test_shell_tool` has more about the tool."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from wire_client import NACRE, WireClient, ended_records, text_of, told_of

Start = Callable[..., WireClient]

# As it stands in the document.
TABLE = """\
[shell_tool]
default_timeout = 300  # seconds
max_timeout = 1800     # seconds
max_output_size = "10MB"
allowed_directories = ["/project", "/tmp"]
blocked_commands = ["rm -rf", "format", "dd"]
log_commands = true
"""


def configured(start: Start, tmp_path: Path, text: str, *options: str, **more: Any) -> WireClient:
    """A server with a settings file of its own."""
    path = tmp_path / "settings.toml"
    path.write_text(text)
    return start("--shell", "bash", "--config", str(path), *options, **more)


def properties(client: WireClient) -> dict[str, Any]:
    tools = client.request("tools/list")["result"]["tools"]
    return next(tool for tool in tools if tool["name"] == "shell")["inputSchema"]["properties"]


def ended_log(client: WireClient) -> str:
    """All that the server said on stderr, after its end."""
    client.hang_up()
    client.read_rest()
    client.wait()
    return client.stderr.decode()


def script(path: Path, text: str) -> None:
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


# -- the tool


@pytest.mark.req("004-schema-words")
def test_the_schema_is_the_documents(server: WireClient) -> None:
    given = properties(server)
    assert given["command"] == {
        "type": "string",
        "description": "The shell command to execute",
        "minLength": 1,
    }
    assert given["working_directory"]["type"] == "string"
    timeout = {key: value for key, value in given["timeout"].items() if key != "description"}
    assert timeout == {"type": "integer", "minimum": 1, "maximum": 1800, "default": 300}
    assert given["environment"]["type"] == "object"
    assert given["environment"]["additionalProperties"] == {"type": "string"}


@pytest.mark.req("004-texts")
@pytest.mark.req("004-metadata")
def test_the_three_replies_of_the_document(server: WireClient, tmp_path: Path) -> None:
    good = server.call("shell", command="ls -la", working_directory=str(tmp_path))
    assert text_of(good).startswith("Command executed successfully")
    assert good["isError"] is False
    data = told_of(good)
    assert (data["command"], data["exit_code"], data["stderr"]) == ("ls -la", 0, "")
    assert data["stdout"].startswith("total ")
    assert data["working_directory"] == str(tmp_path)
    assert isinstance(data["execution_time_ms"], int)

    bad = server.call("shell", command="ls /nonexistent; exit 1")
    assert text_of(bad).startswith("Command failed with exit code 1")
    assert bad["isError"] is True
    data = told_of(bad)
    assert (data["exit_code"], data["stdout"]) == (1, "")
    assert "No such file or directory" in data["stderr"]

    late = server.call("shell", command="echo out; echo err >&2; sleep 99", timeout=1)
    assert text_of(late).startswith("Command timed out after 1 seconds")
    assert late["isError"] is True
    data = told_of(late)
    assert (data["timeout_seconds"], data["partial_stdout"], data["partial_stderr"]) == (1, "out\n", "err\n")
    assert data["working_directory"]
    assert "stdout" not in data


@pytest.mark.req("004-interrupt")
def test_a_command_can_clean_up_when_it_is_interrupted(server: WireClient, tmp_path: Path) -> None:
    command = f"trap 'echo bye > {tmp_path}/said; exit' TERM; while :; do sleep 0.05; done"
    assert server.shell(command, timeout=1)["ended"] == "timed_out"
    assert (tmp_path / "said").read_text() == "bye\n"


@pytest.mark.req("004-async")
def test_a_command_that_waits_holds_nobody_up(server: WireClient, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    waiting = server.post_call("shell", {"command": f"cat {tmp_path}/gate"})
    assert server.shell("echo meanwhile")["stdout"] == "meanwhile\n"
    (tmp_path / "gate").write_text("through\n")
    assert told_of(server.answer_to(waiting)["result"])["stdout"] == "through\n"


@pytest.mark.req("004-injection")
def test_only_the_command_is_read_by_a_shell(server: WireClient, tmp_path: Path) -> None:
    bait = f"$(touch {tmp_path}/caught); touch {tmp_path}/caught #`touch {tmp_path}/caught`"
    odd = tmp_path / "a b; touch caught $(touch caught)"
    odd.mkdir()
    reply = server.shell(
        'printf %s "$BAIT"', environment={"BAIT": bait}, working_directory=str(odd), stdin=bait
    )
    assert reply["stdout"] == bait
    assert reply["working_directory"] == str(odd)
    for arguments in (
        {"command": "true", "environment": {"A=B;touch caught": "x"}},
        {"command": "true", "environment": {"": "x"}},
        {"command": "true\0touch caught"},
    ):
        assert server.call("shell", **arguments)["isError"] is True
    assert not list(tmp_path.rglob("caught"))


@pytest.mark.req("004-purposes")
@pytest.mark.req("004-isolation")
@pytest.mark.req("004-monitoring")
@pytest.mark.req("004-user")
def test_a_command_is_a_separate_process_of_the_same_user_and_its_usage_is_reported(
    server: WireClient,
) -> None:
    reply = server.shell(
        "id -u; ps -o sid= -p $$; ls /proc/self/fd | wc -l; head -c 50000000 /dev/zero | md5sum"
    )
    uid, session, descriptors, _ = reply["stdout"].split("\n", 3)
    assert int(uid) == os.getuid()
    assert int(session) != os.getsid(server.process.pid)
    assert int(descriptors) <= 4  # three, and the directory that ls reads
    assert reply["cpu_ms"] > 0
    assert reply["max_rss_bytes"] is None or reply["max_rss_bytes"] > 0


# -- use cases, with programs of the test's own


@pytest.mark.req("004-case-development")
def test_the_development_workflow(server: WireClient, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script(tmp_path / "bin" / "cargo", 'echo "running $1 in $(pwd)"; echo "1 failed" >&2; exit 101')
    path = f"{tmp_path}/bin:{os.environ['PATH']}"
    reply = server.shell(
        command="cargo test", working_directory=str(tmp_path), timeout=600, environment={"PATH": path}
    )
    assert (reply["exit_code"], reply["stderr"]) == (101, "1 failed\n")
    assert reply["stdout"] == f"running test in {tmp_path}\n"


@pytest.mark.req("004-case-system")
def test_system_information(server: WireClient) -> None:
    reply = server.shell(command="uname -a && df -h", timeout=30)
    assert reply["stdout"].startswith(os.uname().sysname)
    assert "Filesystem" in reply["stdout"]


@pytest.mark.req("004-case-build")
def test_build_automation(server: WireClient, tmp_path: Path) -> None:
    script(tmp_path / "build.sh", 'echo "$1 $RUST_LOG $BUILD_ENV"')
    reply = server.shell(
        working_directory=str(tmp_path),
        command="./build.sh --release",
        environment={"RUST_LOG": "debug", "BUILD_ENV": "production"},
        timeout=900,
    )
    assert reply["stdout"] == "--release debug production\n"


@pytest.mark.req("004-case-files")
def test_file_operations(server: WireClient, tmp_path: Path) -> None:
    for name in ("a.rs", "b.rs", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "d.rs").mkdir()
    reply = server.shell("find . -name '*.rs' -type f | wc -l", working_directory=str(tmp_path))
    assert reply["stdout"].strip() == "2"


# -- configuration


@pytest.mark.req("004-table")
@pytest.mark.req("004-table-timeouts")
@pytest.mark.req("004-lists")
@pytest.mark.req("004-sensitive-directories")
@pytest.mark.req("004-disk-protection")
def test_the_table_of_the_document_holds_as_it_stands(start: Start, tmp_path: Path) -> None:
    assert str(tmp_path).startswith("/tmp/")
    client = configured(start, tmp_path, TABLE)
    timeout = properties(client)["timeout"]
    assert (timeout["minimum"], timeout["maximum"], timeout["default"]) == (1, 1800, 300)
    (tmp_path / "x").touch()
    for blocked in ("rm -rf x", "rm -r -f x", "ls; rm -fr x", "format c:", "dd if=x of=y", "sudo dd if=x"):
        assert "Denied by the policy" in text_of(client.call("shell", command=blocked)), blocked
    assert (tmp_path / "x").exists()
    assert client.shell("echo format dd; rm -f x")["exit_code"] == 0  # names only, and not every rm
    for outside in (
        {"command": "true", "working_directory": "/"},
        {"command": "cat /etc/passwd"},
        {"command": "echo x > /var/tmp/x"},
        {"command": "cd /; true"},
    ):
        assert "outside of /project, /tmp" in text_of(client.call("shell", **outside)), outside
    assert client.shell("pwd; echo y > y; cat y")["stdout"] == f"{tmp_path}\ny\n"
    assert "at most 1800" in text_of(client.call("shell", command="true", timeout=1801))


@pytest.mark.req("004-table-timeouts")
def test_the_tables_limits_stand_in_the_schema_and_are_held(start: Start, tmp_path: Path) -> None:
    client = configured(start, tmp_path, "[shell_tool]\ndefault_timeout = 1\nmax_timeout = 60\n")
    timeout = properties(client)["timeout"]
    assert (timeout["maximum"], timeout["default"]) == (60, 1)
    assert "timeout must be at most 60, not 61" in text_of(client.call("shell", command="true", timeout=61))
    assert client.shell("sleep 99")["timeout_seconds"] == 1
    lower = configured(start, tmp_path, "[shell_tool]\nmax_timeout = 20\n")
    timeout = properties(lower)["timeout"]
    assert (timeout["maximum"], timeout["default"]) == (20, 20)  # never a default that may not be asked for
    said = configured(start, tmp_path, "[shell_tool]\nmax_timeout = 20\n", "--timeout", "30")
    assert (properties(said)["timeout"]["maximum"], properties(said)["timeout"]["default"]) == (30, 30)


@pytest.mark.req("004-table-output")
def test_the_output_size_of_the_table_bounds_the_reply_and_the_spool(start: Start, tmp_path: Path) -> None:
    client = configured(start, tmp_path, '[shell_tool]\nmax_output_size = "1KB"\n')
    reply = client.shell("seq 100000")
    assert reply["truncated"] is True
    assert len(reply["stdout"]) < 1500
    assert reply["stdout"].startswith("1\n2\n")
    assert reply["stdout"].endswith("\n100000\n")
    assert Path(reply["spool"] + ".out").stat().st_size <= 1000


@pytest.mark.req("004-table-log")
def test_commands_stay_out_of_the_log_if_that_is_wanted(start: Start, tmp_path: Path) -> None:
    quiet = configured(start, tmp_path, "[shell_tool]\nlog_commands = false\n")
    quiet.shell("echo unlogged")
    assert "unlogged" not in ended_log(quiet)


@pytest.mark.req("004-table-mistakes")
@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("max_timeuot = 5", "Unknown setting: shell_tool.max_timeuot"),
        ("max_timeout = 1801", "from 1 to 1800"),
        ('max_output_size = "10 apples"', "shell_tool.max_output_size must be a size"),
        ('blocked_commands = "rm"', "shell_tool.blocked_commands must be a list of texts"),
        ("allowed_directories = [1]", "shell_tool.allowed_directories must be"),
        ('log_commands = "yes"', "shell_tool.log_commands must be true or false"),
    ],
)
def test_a_mistake_in_the_table_ends_the_start(
    start: Start, tmp_path: Path, line: str, complaint: str
) -> None:
    client = configured(start, tmp_path, f"[shell_tool]\n{line}\n", greet=False)
    assert client.wait() == 2
    assert complaint in ended_log(client)


@pytest.mark.req("004-regex")
def test_commands_are_filtered_by_regular_expressions(start: Start, tmp_path: Path) -> None:
    client = configured(start, tmp_path, "[policy]\ndeny_patterns = ['--force\\b', '(?i)drop\\s+table']\n")
    assert "Denied by the policy" in text_of(client.call("shell", command="echo push --force"))
    assert "Denied by the policy" in text_of(client.call("shell", command="echo 'DROP  table x'"))
    assert client.shell("echo --forceful")["exit_code"] == 0


@pytest.mark.req("004-environment-filter")
def test_variables_are_kept_from_commands_by_pattern(start: Start, tmp_path: Path) -> None:
    given = {"AWS_SECRET_KEY": "s3cret", "aws_other": "s3cret", "MY_TOKEN": "s3cret", "HARMLESS": "fine"}
    client = configured(start, tmp_path, 'environment_exclude = ["AWS_*", "*_TOKEN"]\n', env=given)
    assert "s3cret" not in client.shell("env")["stdout"]
    assert "s3cret" not in client.shell("env", session="one")["stdout"]
    assert client.shell("echo $HARMLESS")["stdout"] == "fine\n"
    assert client.shell("echo $MY_TOKEN", environment={"MY_TOKEN": "own"})["stdout"] == "own\n"
    assert "s3cret" not in ended_log(client)


@pytest.mark.req("004-per-execution")
def test_a_call_sets_its_own_limits_within_the_servers(server: WireClient, tmp_path: Path) -> None:
    sessions: list[dict[str, str]] = [{}, {"session": "limited"}]
    for session in sessions:
        reply = server.shell("seq 10000", output_limit=300, **session)
        assert reply["truncated"] is True
        assert len(reply["stdout"]) < 600
        assert reply["stdout"].startswith("1\n2\n")
        assert reply["stdout"].endswith("10000\n")
        assert "left out; whole output: " in reply["stdout"]
    server.call("session", action="close", name="limited")
    limit = properties(server)["output_limit"]
    assert "output_limit must be at most" in text_of(
        server.call("shell", command="true", output_limit=limit["maximum"] + 1)
    )
    reply = server.shell(
        "pwd; echo $A", working_directory=str(tmp_path), environment={"A": "b"}, timeout=5, output_limit=300
    )
    assert reply["stdout"] == f"{tmp_path}\nb\n"


# -- errors


@pytest.mark.req("004-not-found-logged")
@pytest.mark.req("004-permission-logged")
@pytest.mark.req("004-violation-logged")
@pytest.mark.req("004-permission-alternative")
@pytest.mark.req("004-timestamps")
@pytest.mark.req("004-structured-log")
@pytest.mark.req("004-trail")
def test_attempts_and_violations_are_reported_and_logged_with_time_and_reason(
    start: Start, tmp_path: Path
) -> None:
    trail = tmp_path / "trail.jsonl"
    (tmp_path / "plain.sh").write_text("echo hi\n")
    client = configured(start, tmp_path, TABLE, "--audit-log", str(trail))
    missing = text_of(client.call("shell", command="unmae -a"))
    assert "command not found" in missing
    assert "Did you mean uname" in missing
    denied = text_of(client.call("shell", command="./plain.sh"))
    assert "Permission denied" in denied
    assert f"`chmod +x {tmp_path}/plain.sh`, or naming its interpreter, would run it" in denied
    client.call("shell", command="dd if=/dev/zero")
    log = ended_log(client)
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z nacre "
    assert re.search(stamp + r"exited, exit 127, \d+ ms, There is no command 'unmae'.*: unmae -a\n", log)
    violation = stamp + "security violation, "
    assert re.search(violation + r"exited, exit 126, \d+ ms, .*not executable.*: \./plain\.sh\n", log)
    assert re.search(violation + r"not run \(denied, Denied by the policy.*\): dd if=/dev/zero\n", log)
    entries = ended_records(trail.read_text())
    assert [entry["command"] for entry in entries] == ["unmae -a", "./plain.sh", "dd if=/dev/zero"]
    assert [entry["ended"] for entry in entries] == ["exited", "exited", "not run"]
    assert "Did you mean uname" in entries[0]["hints"][0]
    assert "not executable" in entries[1]["hints"][0]
    assert entries[2]["code"] == "denied"
    assert [entry.get("security_violation") for entry in entries] == [None, True, True]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"]) for entry in entries)
    assert all(entry["working_directory"] == str(tmp_path) for entry in entries)


@pytest.mark.req("004-out-of-memory")
def test_a_command_that_gets_no_memory_is_reported_as_it_ended(server: WireClient) -> None:
    grow = f"{sys.executable} -c 'x = bytearray(1 << 32)'"
    failed = server.call("shell", command=f"ulimit -v 200000; {grow}")
    assert told_of(failed)["exit_code"] == 1
    assert "MemoryError" in told_of(failed)["stderr"]
    assert "hint: It got no more memory" in text_of(failed)
    killed = server.call("shell", command="sh -c 'kill -KILL $$'; exit $?")  # as the kernel does it
    assert told_of(killed)["exit_code"] == 137
    assert "ran out of memory" in text_of(killed)


@pytest.mark.req("004-cpu")
def test_a_command_that_spins_is_ended_by_its_limits(server: WireClient) -> None:
    spent = server.call("shell", command="ulimit -St 1; while :; do :; done")
    assert told_of(spent)["signal"] == "SIGXCPU"
    assert "used up the CPU time" in text_of(spent)
    assert told_of(spent)["cpu_ms"] > 100
    assert server.shell("while :; do :; done", timeout=1)["ended"] == "timed_out"


@pytest.mark.req("004-disk-full")
def test_a_full_disk_is_reported_and_so_is_a_spool_that_has_no_room(start: Start, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    box = ["bwrap", "--dev-bind", "/", "/", "--size", "131072", "--tmpfs", str(small)]
    client = start("--shell", "bash", program=[*box, *NACRE], env={"TMPDIR": str(small)})
    reply = client.shell("seq 200000")  # more than the spool's disk holds
    assert reply["exit_code"] == 0
    assert reply["truncated"] is True
    assert reply["stdout"].endswith("200000\n")
    assert "No space left" in reply["stdout"]
    assert "whole output" not in reply["stdout"]
    failed = client.call("shell", command=f"head -c 1000000 /dev/zero > {small}/x")
    assert told_of(failed)["exit_code"] == 1
    assert "hint: The disk that it wrote to is full." in text_of(failed)
    assert client.shell(f"rm {small}/x; echo fine")["stdout"] == "fine\n"


# -- workflows


@pytest.mark.req("004-workflow")
def test_output_goes_on_to_the_next_call_and_exit_codes_decide(server: WireClient) -> None:
    first = server.shell("printf 'b\\na\\n'")
    assert server.shell("sort", stdin=first["stdout"])["stdout"] == "a\nb\n"
    assert server.shell("false && echo yes || echo no; exit 3")["stdout"] == "no\n"


ABORTING: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("exit 7", {}, {"ended": "exited", "exit_code": 7}),
    ("kill -TERM $$", {}, {"ended": "signaled", "signal": "SIGTERM", "exit_code": None}),
    ("echo so far; sleep 99", {"timeout": 1}, {"ended": "timed_out", "stdout": "so far\n"}),
    ("exit 3", {"session": "one"}, {"ended": "shell_died", "session": "one"}),
    ("rm -rf x", {}, {"ended": "not run", "code": "denied"}),
    ("true", {"working_directory": "/tmp/no/such"}, {"ended": "not run", "code": "no_directory"}),
]


@pytest.mark.req("004-abort-file")
def test_a_failure_is_left_in_the_abort_file_and_a_success_is_not(start: Start, tmp_path: Path) -> None:
    abort = tmp_path / "abort.json"
    client = configured(start, tmp_path, TABLE, "--abort-file", str(abort))
    client.shell("echo fine", environment={"KEY": "s3cret"})
    assert not abort.exists()
    for command, more, expected in ABORTING:
        client.call("shell", command=command, **more)
        record = json.loads(abort.read_text())
        assert record["command"] == command
        assert expected.items() <= record.items(), (command, record)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["time"])
        client.shell("echo fine")
        assert json.loads(abort.read_text()) == record  # a success leaves it alone
        abort.unlink()
    assert abort.parent.stat()
    client.call("shell", command="false", environment={"KEY": "s3cret"})
    assert json.loads(abort.read_text())["environment"] == ["KEY"]
    assert "s3cret" not in abort.read_text()
    assert abort.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"abort.json", "settings.toml"}


@pytest.mark.req("004-abort-file")
def test_a_cancelled_command_is_no_failure(start: Start, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")
    client = start("--abort-file", str(tmp_path / "abort"))
    call = client.post_call("shell", {"command": f"echo > {tmp_path}/started; sleep 99"})
    (tmp_path / "started").read_text()
    client.notify("notifications/cancelled", {"requestId": call})
    assert client.shell("echo next")["exit_code"] == 0
    assert not (tmp_path / "abort").exists()


@pytest.mark.req("004-abort-file")
def test_the_abort_file_is_whole_whenever_it_is_read(start: Start, tmp_path: Path) -> None:
    abort = tmp_path / "abort"
    client = configured(start, tmp_path, f'[shell_tool]\nabort_file = "{abort}"\n')
    client.shell("exit 1")
    stop, seen = threading.Event(), set[int]()

    def watch() -> None:
        while not stop.is_set():
            seen.add(len(json.loads(abort.read_text())["stdout"]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    for size in (10, 30_000, 10, 30_000):
        client.shell(f"head -c {size} /dev/zero | tr '\\0' x; exit 1")
    stop.set()
    watcher.join()
    assert seen <= {0, 10, 30_000}


@pytest.mark.req("004-abort-file")
def test_an_abort_file_that_cannot_be_written_ends_the_start(start: Start, tmp_path: Path) -> None:
    client = start("--abort-file", str(tmp_path / "no" / "such"), greet=False)
    assert client.wait() == 2
    assert "The abort file cannot be written" in ended_log(client)


@pytest.mark.req("004-mcp-errors")
@pytest.mark.req("004-degradation")
def test_failures_are_results_and_the_next_command_works(server: WireClient) -> None:
    for failing in (
        {"command": "exit 9"},
        {"command": "kill -9 $$"},
        {"command": "sleep 99", "timeout": 1},
        {"command": "true", "working_directory": "/no/such"},
        {"command": "'unfinished"},
        {"command": 5},
    ):
        assert server.call("shell", **failing)["isError"] is True
        assert server.shell("echo fine")["stdout"] == "fine\n"
    assert server.request("tools/call", {"name": "nothing", "arguments": {}})["error"]["code"] == -32602
    assert server.request("shell/unknown")["error"]["code"] == -32601


# -- what the document hopes for


@pytest.mark.req("004-interactive")
def test_a_shell_lives_on_and_a_command_can_be_given_input(server: WireClient, tmp_path: Path) -> None:
    server.shell(f"cd {tmp_path}; greeting=hello; greet() {{ echo $greeting $1; }}", session="live")
    reply = server.shell("read name; greet $name; pwd", session="live", stdin="world\n")
    assert reply["stdout"] == f"hello world\n{tmp_path}\n"
    server.call("session", action="close", name="live")


@pytest.mark.req("004-progress")
def test_progress_is_reported_while_a_command_runs(server: WireClient, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "gate")
    command = {"command": f"echo half way; cat {tmp_path}/gate"}
    call = server.post_call("shell", command, {"progressToken": "p"})
    news = server.receive()
    assert news["method"] == "notifications/progress"
    assert news["params"]["message"] == "half way"
    (tmp_path / "gate").write_text("done\n")
    assert told_of(server.answer_to(call)["result"])["stdout"] == "half way\ndone\n"
    server.others.clear()  # the last of the news


@pytest.mark.req("004-highlighting")
def test_colours_are_no_part_of_what_is_shown(server: WireClient) -> None:
    assert server.shell(r"printf '\033[31mred\033[0m\n'")["stdout"] == "red\n"


@pytest.mark.req("004-parameter-words")
def test_the_parameters_are_described_in_the_documents_words(start: Start, tmp_path: Path) -> None:
    given = properties(start("--working-dir", str(tmp_path)))
    directory = f"Working directory for command execution (optional, defaults to {tmp_path})"
    assert given["working_directory"]["description"] == directory
    timeout = "Command timeout in seconds (optional, defaults to 300 seconds / 5 minutes)"
    assert given["timeout"]["description"].startswith(timeout)
    assert given["environment"]["description"] == "Additional environment variables to set (optional)"
    other = properties(start("--timeout", "45"))["timeout"]["description"]
    assert other.startswith("Command timeout in seconds (optional, defaults to 45 seconds)")


@pytest.mark.req("004-directory-inside")
def test_a_working_directory_outside_of_the_allowed_ones_ends_the_start(tmp_path: Path) -> None:
    (inside := tmp_path / "project").mkdir()
    (file := tmp_path / "nacre.toml").write_text(f'[shell_tool]\nallowed_directories = ["{inside}"]\n')
    options = [*NACRE, "--config", str(file), "--working-dir"]
    wrong = subprocess.run([*options, "/"], input="", capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    said = f"outside of allowed_directories: /. Give --working-dir a directory inside of {inside}."
    assert said in wrong.stderr
    right = subprocess.run([*options, str(inside)], input="", capture_output=True, text=True, check=False)
    assert right.returncode == 0
