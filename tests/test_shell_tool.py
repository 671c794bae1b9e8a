"""The tool `shell`, end to end: a real server process, a real client over stdio, real commands."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell, carrying, gone, keeper_of, unique_seconds
from wire_client import MODERN, WireClient, text_of, told_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]


def listed(server: WireClient) -> dict[str, Any]:
    tools = server.request("tools/list")["result"]["tools"]
    return next(tool for tool in tools if tool["name"] == "shell")


@pytest.mark.req("004-tool")
@pytest.mark.req("004-parameters")
@pytest.mark.req("004-default-timeout")
@pytest.mark.req("004-timeout-limits")
def test_the_tool_has_exactly_the_parameters_of_the_specification(server: WireClient) -> None:
    tool = listed(server)
    schema = tool["inputSchema"]
    assert tool["name"] == "shell"
    ours = ["output_limit", "stdin", "background", "terminal", "answer_within", "session", "wait"]
    assert list(schema["properties"]) == ["command", "working_directory", "timeout", "environment", *ours]
    assert schema["required"] == ["command"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["command"]["minLength"] == 1
    timeout = schema["properties"]["timeout"]
    assert (timeout["minimum"], timeout["maximum"], timeout["default"]) == (1, 1800, 300)
    assert schema["properties"]["environment"]["additionalProperties"] == {"type": "string"}


# Whatever changes the list of tools: rules bring a tool (and a sandbox, which brings none), data that is
# always complete a larger schema, limits and the directory other words. Of a long directory the description
# has the end, so no path makes the list longer. Counted is the whole line that answers, as it is sent.
LISTS = {
    "plain": "",
    "rules": '[policy]\nallow = ["ls"]',
    "all data": 'structured = "full"',
    "everything": """
structured = "full"
timeout = 1799
answer_within = 1799
sandbox = "workspace"
[secrets]
TOKEN = {env = "PATH"}
[policy]
allow = [{command = "ls", secrets = ["TOKEN"]}]
deny = ["rm"]
""",
}


@pytest.mark.req("small-list")
@pytest.mark.parametrize("name", LISTS)
def test_the_whole_tool_list_is_small(start: Start, tmp_path: Path, name: str) -> None:
    here = tmp_path.joinpath(*["ü" * 60] * 5)
    here.mkdir(parents=True)
    settings = tmp_path / "settings.toml"
    settings.write_text(LISTS[name])
    for params in ({}, {"_meta": MODERN}):
        server = start("--config", str(settings), greet=not params, cwd=here)
        number = server.post("tools/list", params)
        line = server.receive_line()
        answer = json.loads(line)
        assert answer["id"] == number
        assert len(line) < 5900, params
        assert len(answer["result"]["tools"]) == (5 if "allow" in LISTS[name] else 4)


@pytest.mark.req("default-annotations")
def test_a_tool_is_annotated_with_what_is_not_the_protocols_default(start: Start) -> None:
    server = start("--allow", "ls", "--tools", "files")
    shown = {
        tool["name"]: tool.get("annotations", {}) for tool in server.request("tools/list")["result"]["tools"]
    }
    assert shown == {
        "shell": {},  # may change anything, anywhere: what a client has to assume of any tool
        "job": {},
        "session": {"openWorldHint": False},
        "output": {"openWorldHint": False, "readOnlyHint": True},
        "allowed": {"openWorldHint": False, "readOnlyHint": True},
        "read_file": {"openWorldHint": False, "readOnlyHint": True},
        "list_directory": {"openWorldHint": False, "readOnlyHint": True},
        "write_file": {"idempotentHint": True, "openWorldHint": False},
    }


@pytest.mark.req("004-success")
@pytest.mark.req("004-capture")
def test_a_command_that_succeeds(server: WireClient) -> None:
    result = server.call("shell", command="echo out; echo err >&2")
    data = told_of(result)
    assert result["isError"] is False
    assert data["command"] == "echo out; echo err >&2"
    assert (data["exit_code"], data["stdout"], data["stderr"]) == (0, "out\n", "err\n")
    assert data["ended"] == "exited"
    assert data["signal"] is None
    assert data["truncated"] is False
    assert data["spool"] is None
    assert data["left_running"] == []
    assert isinstance(data["execution_time_ms"], int)
    assert Path(data["working_directory"]).is_dir()
    text = text_of(result)
    assert text == "Command executed successfully\n--- stdout\nout\n--- stderr\nerr"


@pytest.mark.req("004-failure")
@pytest.mark.req("004-exit-code")
def test_a_command_that_fails_is_a_result_with_its_exit_code(server: WireClient) -> None:
    result = server.call("shell", command="ls /nonexistent")
    assert result["isError"] is True
    assert told_of(result)["exit_code"] == 2
    assert "No such file or directory" in told_of(result)["stderr"]
    assert text_of(result).startswith("Command failed with exit code 2")


@pytest.mark.req("004-signal")
def test_a_command_ended_by_a_signal_has_a_signal_and_no_exit_code(server: WireClient) -> None:
    result = server.call("shell", command="kill -SEGV $$")
    data = told_of(result)
    assert (data["ended"], data["signal"], data["exit_code"]) == ("signaled", "SIGSEGV", None)
    assert result["isError"] is True
    assert "SIGSEGV" in text_of(result)


@pytest.mark.req("004-timeout-kills-tree")
@pytest.mark.req("004-timeout-partial-output")
@pytest.mark.req("004-timeout-reply")
def test_a_timeout_kills_the_whole_tree_and_returns_what_was_printed(server: WireClient) -> None:
    mark = unique_seconds()
    command = f"echo before; echo oops >&2; sleep {mark} & setsid sleep {mark} & sleep {mark}"
    result = server.call("shell", command=command, timeout=1)
    data = told_of(result)
    assert result["isError"] is True
    assert data["ended"] == "timed_out"
    assert data["timeout_seconds"] == 1
    assert (data["partial_stdout"], data["partial_stderr"]) == ("before\n", "oops\n")
    assert "stdout" not in data
    assert text_of(result).startswith("Command timed out after 1 seconds")
    assert carrying(mark) == []


@pytest.mark.req("004-timeout-kills-tree")
def test_a_timeout_also_ends_what_ignores_sigterm(server: WireClient) -> None:
    mark = unique_seconds()
    stubborn = f"trap '' TERM; (trap '' TERM; sleep {mark}; sleep {mark}) & while :; do sleep {mark}; done"
    reply = server.shell(stubborn, timeout=1)
    assert reply["ended"] == "timed_out"
    assert reply["left_running"] == []
    assert carrying(mark) == []


@pytest.mark.req("004-timeout-kills-tree")
def test_a_timeout_finds_a_daemon_that_wiped_its_environment(start: Start) -> None:
    mark = unique_seconds()
    daemon = f"env -i /usr/bin/setsid /bin/sh -c '/bin/sleep {mark} & exit'"
    reply = start().shell(f"{daemon}; sleep {mark}", timeout=1)
    assert reply["ended"] == "timed_out"
    assert carrying(mark) == []


@pytest.mark.req("true-background")
@pytest.mark.req("keeper-left")
def test_a_background_process_does_not_hold_the_answer_and_is_named(server: WireClient) -> None:
    mark = unique_seconds()
    result = server.call("shell", command=f"sleep {mark} & echo hi")
    data = told_of(result)
    assert (data["ended"], data["stdout"]) == ("exited", "hi\n")
    (left,) = data["left_running"]
    assert left["command"] == f"sleep {mark}"
    assert carrying(mark) == [left["pid"]]
    assert f"still running: {left['pid']} sleep {mark}" in text_of(result)
    server.shell(f"kill {left['pid']}")
    assert gone(mark)


@pytest.mark.req("keeper-late")
def test_what_a_process_left_behind_prints_later_is_found_in_the_spool(
    server: WireClient, tmp_path: Path
) -> None:
    os.mkfifo(gate := tmp_path / "gate")
    result = server.call("shell", command=f"{{ read x < {gate}; echo late; echo later >&2; }} & echo hi")
    data = told_of(result)
    out, err = f"{data['spool']}.out", f"{data['spool']}.err"
    left = f"; job {data['output_id']}, whose output is kept"
    assert any(line.endswith(left) for line in text_of(result).splitlines())
    assert (Path(out).read_text(), Path(err).read_text()) == ("hi\n", "")
    waiting = (
        f"echo go > {gate}; until grep -q later {err} && grep -q late {out}; do :; done; cat {out} {err}"
    )
    assert server.shell(waiting)["stdout"] == "hi\nlate\nlater\n"


@pytest.mark.req("keeper-late")
def test_a_process_left_behind_that_prints_elsewhere_needs_no_spool(server: WireClient) -> None:
    result = server.call("shell", command=f"sleep {unique_seconds()} >/dev/null 2>&1 & echo hi")
    data = told_of(result)
    assert (data["spool"], len(data["left_running"])) == (None, 1)
    assert "output is kept" not in text_of(result)
    server.shell(f"kill {data['left_running'][0]['pid']}")


@pytest.mark.req("true-empty-stdin")
def test_a_command_that_reads_stdin_finds_it_empty(server: WireClient) -> None:
    assert server.shell("cat; echo done")["stdout"] == "done\n"


@pytest.mark.req("001-multi-line")
@pytest.mark.req("004-separate-process")
def test_multi_line_text_and_heredocs_run_as_typed_and_leave_no_state(server: WireClient) -> None:
    script = "cat << EOF | grep 'example'\nThis is an example text.\nAnother line without the keyword.\nEOF"
    assert server.shell(script)["stdout"] == "This is an example text.\n"
    server.shell("STATE=1; cd /")
    assert server.shell('echo "[$STATE]"; pwd')["stdout"].splitlines()[0] == "[]"


@pytest.mark.req("004-directory-and-environment")
def test_directory_and_environment_are_those_of_the_call(server: WireClient, tmp_path: Path) -> None:
    reply = server.shell(
        'pwd; echo "$GREETING"', working_directory=str(tmp_path), environment={"GREETING": "grüß dich"}
    )
    assert reply["stdout"] == f"{tmp_path}\ngrüß dich\n"
    assert reply["working_directory"] == str(tmp_path)


@pytest.mark.req("true-directory")
def test_a_missing_directory_is_reported_before_anything_runs(server: WireClient, tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    result = server.call(
        "shell", command=f"touch {witness}", working_directory=str(tmp_path / "no" / "where")
    )
    assert result["isError"] is True
    assert "working_directory does not exist" in text_of(result)
    assert f"The nearest directory that exists is {tmp_path}" in text_of(result)
    assert not witness.exists()


@pytest.mark.req("true-directory")
def test_a_directory_that_is_a_file_is_reported(server: WireClient, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    text = text_of(server.call("shell", command="pwd", working_directory=str(tmp_path / "file")))
    assert "cannot be entered" in text
    assert "Not a directory" in text


@pytest.mark.req("true-arguments")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "Missing argument: command"),
        ({"command": ""}, "command must not be empty"),
        ({"command": 3}, "command must be a string, not an integer"),
        ({"command": "true", "cmd": "x"}, "Unknown argument: cmd"),
        ({"command": "true", "timeout": 0}, "timeout must be at least 1"),
        ({"command": "true", "timeout": 1801}, "timeout must be at most 1800"),
        ({"command": "true", "timeout": "5"}, "timeout must be an integer, not a string"),
        ({"command": "true", "timeout": True}, "timeout must be an integer, not a boolean"),
        ({"command": "true", "environment": {"A": 1}}, "environment.A must be a string"),
        ({"command": "true", "environment": {"A=B": "1"}}, "not a variable name"),
        ({"command": "echo a\0b"}, "command contains a NUL character at offset 6"),
        ({"command": "echo \ud800"}, "half of a surrogate pair"),
    ],
)
def test_bad_arguments_are_refused_by_name(
    server: WireClient, arguments: dict[str, Any], complaint: str
) -> None:
    result = server.call("shell", **arguments)
    assert result["isError"] is True
    assert complaint in text_of(result)


@pytest.mark.req("004-not-found")
def test_a_misspelt_command_gets_the_shells_message_and_a_suggestion(server: WireClient) -> None:
    result = server.call("shell", command="sleeep 1")
    assert told_of(result)["exit_code"] == 127
    assert "sleeep: command not found" in told_of(result)["stderr"]
    assert "Did you mean" in text_of(result)
    assert "sleep" in text_of(result)


@pytest.mark.req("004-permission")
def test_a_script_without_the_execute_bit_is_explained(server: WireClient, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("echo ran\n")
    script.chmod(0o644)
    result = server.call("shell", command=str(script))
    assert told_of(result)["exit_code"] == 126
    assert f"{script} is not executable (mode 644, owner" in text_of(result)


@pytest.mark.req("004-use-cases")
@pytest.mark.parametrize(
    ("command", "more", "expected"),
    [
        ("uname -a && df -h", {"timeout": 30}, "Linux"),
        ("find . -name '*.rs' -type f | wc -l", {}, "0\n"),
        (
            "./build.sh --release",
            {"environment": {"RUST_LOG": "debug", "BUILD_ENV": "production"}, "timeout": 900},
            "--release debug production\n",
        ),
    ],
)
def test_the_use_cases_of_the_specification(
    server: WireClient, tmp_path: Path, command: str, more: dict[str, Any], expected: str
) -> None:
    build = tmp_path / "build.sh"
    build.write_text('#!/bin/sh\necho "$1 $RUST_LOG $BUILD_ENV"\n')
    build.chmod(0o755)
    reply = server.shell(command, working_directory=str(tmp_path), **more)
    assert reply["exit_code"] == 0
    assert expected in reply["stdout"]


@pytest.mark.req("004-truncate")
@pytest.mark.req("keeper-spool")
def test_long_output_keeps_whole_lines_at_both_ends_and_counts_the_rest(server: WireClient) -> None:
    result = server.call("shell", command="seq 100000")
    data = told_of(result)
    head, _, tail = data["stdout"].partition("[... ")
    note, _, tail = tail.partition(" ...]\n")
    first, last = head.splitlines(), tail.splitlines()
    assert first == [str(n) for n in range(1, len(first) + 1)]
    assert last == [str(n) for n in range(100000 - len(last) + 1, 100001)]
    assert f"{100000 - len(first) - len(last):,} lines" in note
    assert data["truncated"] is True
    assert len(data["stdout"]) < 34 * 1024
    spool = data["spool"] + ".out"
    assert note.endswith(f"; whole output: tool output, id {data['output_id']} (file {spool})")
    assert Path(spool).read_text() == "".join(f"{n}\n" for n in range(1, 100001))


@pytest.mark.req("keeper-spool")
@pytest.mark.parametrize("session", [{}, {"session": "spooling"}])
def test_whatever_a_reply_leaves_out_is_in_the_spool(server: WireClient, session: dict[str, str]) -> None:
    for lines in (7000, 9000, 14_000, 30_000):  # a little more than a reply holds, and much more
        reply = server.shell(f"seq {lines}", **session)
        assert reply["truncated"] is True
        expected = "".join(f"{number}\n" for number in range(1, lines + 1))
        assert Path(reply["spool"] + ".out").read_text() == expected


@pytest.mark.req("keeper-spool")
def test_output_beyond_the_spool_keeps_beginning_and_end_of_it(server: WireClient) -> None:
    reply = server.shell("seq 3000000")
    spool = f"{reply['spool']}.out"
    assert f"beginning and end: tool output, id {reply['output_id']} (file {spool}), " in reply["stdout"]
    kept = Path(spool).read_bytes()
    assert len(kept) == 10_000_000
    assert kept.startswith(b"1\n2\n3\n")
    assert kept.endswith(b"2999999\n3000000\n")
    whole = sum(len(str(n)) + 1 for n in range(1, 3000001))
    assert f"{whole - 10_000_000:,} bytes between them lost" in reply["stdout"]


@pytest.mark.req("true-fold")
def test_progress_bars_and_colours_are_folded_and_the_spool_is_raw(server: WireClient) -> None:
    command = r"""for n in 10 50 100; do printf '\r%d%%' $n; done; printf '\n\033[1;31mred\033[0m\n'"""
    reply = server.shell(command)
    assert reply["stdout"] == "100%\nred\n"
    raw = Path(reply["spool"] + ".out").read_bytes()
    assert raw == b"\r10%\r50%\r100%\n\x1b[1;31mred\x1b[0m\n"


@pytest.mark.req("004-binary")
@pytest.mark.req("true-odd-output")
@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (r"printf 'a\0b\n'", "a\\x00b\n"),
        (r"printf 'caf\351\n'", "caf\\xe9\n"),
        (r"printf '\355\240\200\n'", "\\xed\\xa0\\x80\n"),
        ("exec >&-; echo lost", ""),
        ("exec 2>&-; echo kept", "kept\n"),
        ("printf 'no newline'", "no newline"),
    ],
)
def test_odd_output_is_shown_and_never_fatal(server: WireClient, command: str, expected: str) -> None:
    assert server.shell(command)["stdout"] == expected
    assert server.shell("echo alive")["stdout"] == "alive\n"


@pytest.mark.req("true-odd-output")
def test_a_line_of_fifty_megabytes_is_cut_at_characters(server: WireClient) -> None:
    reply = server.shell("yes äöü | tr -d '\\n' | head -c 50000000")
    assert reply["truncated"] is True
    head, _, rest = reply["stdout"].partition("\n[... ")
    assert set(head) <= set("äöü")
    assert "bytes left out" in rest
    assert set(rest.rpartition(" ...]\n")[2]) <= set(
        "äöü\\xcb6a4"
    )  # the very last character may be cut by head


@pytest.mark.req("true-odd-output")
def test_a_thousand_children_are_counted(start: Start) -> None:
    server = start("--shell", "sh")
    mark = unique_seconds()
    result = server.call("shell", command=f"for i in $(seq 1000); do sleep {mark} & done; echo started")
    data = told_of(result)
    assert data["stdout"] == "started\n"
    assert len(data["left_running"]) == 100
    assert "and 995 more" in text_of(result)
    server.hang_up()
    assert server.wait() == 0
    assert gone(mark)


@pytest.mark.req("true-odd-output")
def test_two_thousand_lines_a_second_all_arrive(server: WireClient) -> None:
    reply = server.shell("for i in $(seq 2000); do echo line $i; done")
    assert reply["stdout"].splitlines() == [f"line {n}" for n in range(1, 2001)]


@pytest.mark.req("true-text")
@pytest.mark.parametrize(
    "shell", ["bash", "sh", "dash", "zsh", "mksh", "ksh", "yash", "busybox", "fish", "elvish"]
)
def test_a_text_that_looks_like_options_is_a_text(start: Start, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    server = start("--shell", shell)
    for text in ("-x; echo on", "-c; echo on", "--; echo on", "+x; echo on", "-- echo; echo on"):
        reply = server.shell(text)
        assert reply["stdout"].endswith("on\n") or shell == "elvish", reply  # which ends at the first failure
        assert "requires" not in reply["stderr"], reply
        assert "option" not in reply["stderr"], reply


@pytest.mark.req("true-long-command")
def test_a_command_of_a_megabyte_runs_as_typed(server: WireClient) -> None:
    lines = 20000
    script = (
        "total=0\n" + "total=$((total + 1)) # a comment to make it long enough\n" * lines + "echo $total $0\n"
    )
    assert len(script) > 1_000_000
    reply = server.shell(script)
    assert reply["exit_code"] == 0
    assert reply["stdout"].split()[0] == str(lines)


@pytest.mark.req("keeper-descriptors")
def test_a_command_has_three_descriptors_and_not_the_protocols(server: WireClient) -> None:
    reply = server.shell("ls /proc/self/fd; readlink /proc/self/fd/0")
    assert reply["stdout"].split() == ["0", "1", "2", "3", "/dev/null"]  # 3 is ls reading the directory


@pytest.mark.req("end-cancel")
def test_a_cancelled_call_kills_the_tree_and_is_not_answered(server: WireClient, tmp_path: Path) -> None:
    mark, bell = unique_seconds(), Bell(tmp_path)
    call = server.post_call("shell", {"command": f"setsid sleep {mark} & {bell.ring}; sleep {mark}"})
    bell.wait()
    pids = carrying(mark)
    server.notify("notifications/cancelled", {"requestId": call, "reason": "changed my mind"})
    assert pids
    assert gone(mark)
    assert server.shell("echo next")["stdout"] == "next\n"
    assert not [message for message in server.others if message.get("id") == call]
    bell.close()


@pytest.mark.req("progress")
@pytest.mark.req("004-stream")
def test_progress_carries_new_lines_and_the_last_one_always(server: WireClient, tmp_path: Path) -> None:
    gate = Bell(tmp_path)
    command = f"echo one; head -1 {gate.path}; echo two >&2; echo three"
    call = server.post_call("shell", {"command": command}, {"progressToken": "p1"})
    first = server.receive()
    assert first["method"] == "notifications/progress"
    assert first["params"]["progressToken"] == "p1"
    assert first["params"]["message"] == "one"
    gate_fd = os.open(gate.path, os.O_WRONLY)
    os.write(gate_fd, b"go\n")
    answer = server.answer_to(call)
    assert told_of(answer["result"])["exit_code"] == 0
    news = [m["params"] for m in server.others if m.get("method") == "notifications/progress"]
    server.others.clear()
    said = "\n".join(one["message"] for one in news)
    assert "two" in said
    assert "three" in said
    assert [one["progress"] for one in news] == sorted(one["progress"] for one in news)
    os.close(gate_fd)
    gate.close()


@pytest.mark.req("progress")
def test_progress_comes_at_most_ten_times_a_second(server: WireClient) -> None:
    call = server.post_call(
        "shell", {"command": "for i in $(seq 300); do echo $i; sleep 0.003; done"}, {"progressToken": 7}
    )
    answer = server.answer_to(call)
    took_s = told_of(answer["result"])["execution_time_ms"] / 1000
    news = [m for m in server.others if m.get("method") == "notifications/progress"]
    server.others.clear()
    assert 2 <= len(news) <= took_s * 10 + 2
    assert news[-1]["params"]["message"].endswith("300")


def test_commands_run_side_by_side(server: WireClient, tmp_path: Path) -> None:
    """Each waits for the other: one after the other they would never end."""
    bell_a, bell_b = Bell(tmp_path), Bell(tmp_path)
    first = server.post_call("shell", {"command": f"{bell_a.ring}; head -1 {bell_b.path}"})
    second = server.post_call("shell", {"command": f"head -1 {bell_a.path}; {bell_b.ring}"})
    assert told_of(server.answer_to(second)["result"])["stdout"] == "ding\n"
    assert told_of(server.answer_to(first)["result"])["stdout"] == "ding\n"
    bell_a.close()
    bell_b.close()


def test_a_hundred_calls_at_once_get_their_own_answers(server: WireClient) -> None:
    calls = {server.post_call("shell", {"command": f"echo answer {n}"}): n for n in range(100)}
    for call, n in calls.items():
        assert told_of(server.answer_to(call)["result"])["stdout"] == f"answer {n}\n"


@pytest.mark.req("keeper-usage")
def test_cpu_time_and_memory_are_reported(server: WireClient) -> None:
    busy = f"{sys.executable} -c 'x = bytearray(80_000_000); sum(range(3_000_000))'"
    reply = server.shell(busy)
    assert reply["cpu_ms"] > 20
    assert reply["max_rss_bytes"] > 80_000_000


@pytest.mark.req("002-no-stderr")
def test_no_stderr_leaves_stderr_out(start: Start) -> None:
    result = start("--no-stderr").call("shell", command="echo out; echo err >&2")
    assert told_of(result)["stderr"] == ""
    assert "err" not in text_of(result)


@pytest.mark.req("002-working-dir")
def test_commands_start_in_the_working_directory_that_was_asked_for(start: Start, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    server = start("--working-dir", str(tmp_path / "sub"))
    assert server.shell("pwd")["stdout"] == f"{tmp_path}/sub\n"
    assert server.shell("pwd", working_directory="..")["stdout"] == f"{tmp_path}\n"


@pytest.mark.req("002-timeout-option")
def test_the_timeout_option_is_applied(start: Start) -> None:
    mark = unique_seconds()
    reply = start("--timeout", "1").shell(f"sleep {mark}")
    assert (reply["ended"], reply["timeout_seconds"]) == ("timed_out", 1)
    assert carrying(mark) == []


@pytest.mark.req("001-shell-option")
@pytest.mark.parametrize(("shell", "expected"), [("dash", "dash"), ("/bin/bash", "bash")])
def test_the_shell_option_takes_a_name_or_a_path(start: Start, shell: str, expected: str) -> None:
    assert start("--shell", shell).shell("echo $0")["stdout"] == f"{expected}\n"


@pytest.mark.req("001-shell-default")
def test_the_default_shell_is_the_users(start: Start) -> None:
    assert start(env={"SHELL": "/bin/dash"}).shell("echo $0")["stdout"] == "dash\n"
    assert start(env={"SHELL": ""}).shell("echo $0")["stdout"] == "bash\n"


@pytest.mark.req("true-memory")
def test_endless_output_costs_the_server_no_memory(start: Start) -> None:
    server = start()
    server.shell("true")

    def memory_kb() -> int:
        tree = [server.process.pid, keeper_of(server.process.pid)]
        return sum(int(line.split()[1]) for pid in tree for line in status(pid) if line.startswith("VmRSS"))

    before = memory_kb()
    reply = server.shell("yes 'a line that never ends to come'", timeout=1)
    assert reply["ended"] == "timed_out"
    assert reply["truncated"] is True
    assert memory_kb() - before < 32 * 1024


def status(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/status").read_text().splitlines()
