"""Jobs: commands that outlive their call, through a client on stdio."""

from __future__ import annotations

import base64
import os
import platform
import re
import shutil
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell, Gate, carrying, gone, keeper_of, unique_seconds, wait_for_end
from wire_client import NACRE, ended_records, text_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from wire_client import WireClient

    Start = Callable[..., WireClient]

# Since Linux 6.15 the exit status of a process can be had that its parent has taken already.
KERNEL_KEEPS_STATUS = tuple(map(int, re.findall(r"\d+", platform.release())[:2])) >= (6, 15)
# Not elvish: it may report the end of a command before it has started what that leaves in the background.
ALL_SHELLS = ["bash", "dash", "zsh", "ksh", "mksh", "yash", "busybox", "fish"]
SESSIONS = pytest.mark.parametrize("session", [{}, {"session": "jobs"}], ids=["once", "session"])


def background(server: WireClient, command: str, **more: Any) -> str:
    """Start a job; its id."""
    result = server.call("shell", command=command, background=True, **more)
    assert result["isError"] is False, result
    assert result["structuredContent"]["ended"] == "running"
    return result["structuredContent"]["job"]


def do(server: WireClient, action: str, job: str = "", **more: Any) -> dict[str, Any]:
    """Call the tool `job`; its data."""
    result = server.call("job", action=action, **({"id": job} if job else {}), **more)
    assert result["isError"] is False, result
    return result["structuredContent"]


def refusal(server: WireClient, tool: str, **arguments: Any) -> str:
    result = server.call(tool, **arguments)
    assert result["isError"] is True, result
    return text_of(result)


# -- starting and ending


@pytest.mark.req("job-background")
def test_a_background_command_answers_at_once_and_tells_its_end_when_asked(
    server: WireClient, tmp_path: Path
) -> None:
    gate = Gate(tmp_path)
    job = background(server, f"echo first; read x < {gate.path}; echo last; echo odd >&2; exit 4")
    assert {"job": job, "state": "running"}.items() <= do(server, "list")["jobs"][-1].items()
    gate.open()
    end = do(server, "wait", job)
    assert (end["reason"], end["state"], end["exit_code"]) == ("ended", "ended", 4)
    assert (end["stdout"], end["stderr"]) == ("first\nlast\n", "odd\n")
    again = do(server, "wait", job)  # the end is kept; what was shown is not shown again
    assert (again["exit_code"], "stdout" in again) == (4, False)
    assert server.call("output", id=job)["structuredContent"]["output"] == "first\nlast\n"


@pytest.mark.req("job-background")
def test_a_background_command_that_cannot_start_is_reported_at_once(server: WireClient) -> None:
    words = refusal(server, "shell", command="true", background=True, working_directory="/no/such")
    assert "working_directory does not exist" in words
    assert "exclude each other" in refusal(server, "shell", command="true", background=True, session="s")


@pytest.mark.req("job-answer-within")
@SESSIONS
def test_a_command_that_takes_longer_than_its_caller_waits_goes_on_as_a_job(
    server: WireClient, tmp_path: Path, session: dict[str, str]
) -> None:
    gate = Gate(tmp_path)
    command = f"echo early; read x < {gate.path}; echo late; exit 0"
    command = command if not session else command.removesuffix("; exit 0")
    result = server.call("shell", command=command, answer_within=1, **session)
    data = result["structuredContent"]
    assert (result["isError"], data["ended"], data["stdout"]) == (False, "running", "early\n")
    assert f"Command is still running: job {data['job']}" in text_of(result)
    gate.open()
    end = do(server, "wait", data["job"])
    assert (end["exit_code"], end["stdout"]) == (0, "late\n")
    if session:
        assert server.shell("echo next", **session)["stdout"] == "next\n"


@pytest.mark.req("job-answer-within")
def test_no_call_waits_longer_for_its_turn_in_a_session_than_its_caller_does(
    server: WireClient, tmp_path: Path
) -> None:
    gate = Gate(tmp_path)
    job = server.shell(f"read x < {gate.path}", session="busy", answer_within=1)["job"]
    words = refusal(server, "shell", command="echo hi", session="busy", answer_within=1)
    assert words.startswith(f"Session 'busy' is still busy with: read x < {gate.path}.")
    gate.open()
    assert do(server, "wait", job)["exit_code"] == 0


@pytest.mark.req("job-answer-within")
def test_out_of_the_box_it_is_two_minutes_and_a_setting_changes_it(
    start: Start, server: WireClient, tmp_path: Path
) -> None:
    listed = server.request("tools/list")["result"]["tools"][0]
    assert listed["inputSchema"]["properties"]["answer_within"]["default"] == 120
    mine, gate = start("--shell", "bash", "--answer-within", "1"), Gate(tmp_path)
    job = mine.shell(f"read x < {gate.path}")["job"]
    gate.open()
    assert do(mine, "wait", job)["exit_code"] == 0


@pytest.mark.req("job-timeout")
@SESSIONS
def test_a_timeout_that_was_given_ends_a_job(server: WireClient, session: dict[str, str]) -> None:
    mark = unique_seconds()
    if session:
        reply = server.shell(f"echo some; sleep {mark}", timeout=2, answer_within=1, **session)
        job = reply["job"]
    else:
        job = background(server, f"echo some; sleep {mark}", timeout=1)
    end = do(server, "wait", job)
    assert (end["state"], end["ended"]) == ("ended", "timed_out")
    assert gone(mark)


@pytest.mark.req("job-timeout")
@pytest.mark.parametrize("how", ["flag", "setting", "004's setting"])
def test_a_timeout_that_the_person_has_set_holds_in_the_background_and_a_default_does_not(
    start: Start, server: WireClient, tmp_path: Path, how: str
) -> None:
    def limit(server: WireClient) -> str:
        tool = server.request("tools/list")["result"]["tools"][0]
        return tool["inputSchema"]["properties"]["background"]["description"]

    assert "no time limit" in limit(server)
    settings = tmp_path / "settings.toml"
    settings.write_text("timeout = 1\n" if how == "setting" else "[shell_tool]\ndefault_timeout = 1\n")
    options = ["--timeout", "1"] if how == "flag" else ["--config", str(settings)]
    mine, mark = start("--shell", "bash", *options), unique_seconds()
    assert "ended after 1 s" in limit(mine)
    end = do(mine, "wait", background(mine, f"sleep {mark}"))
    assert (end["state"], end["ended"]) == ("ended", "timed_out")
    assert gone(mark)


@pytest.mark.req("job-end")
@SESSIONS
def test_ending_a_job_ends_all_that_it_has_started(server: WireClient, session: dict[str, str]) -> None:
    mark = unique_seconds()
    command = f"sleep {mark} & setsid sleep {mark} & sleep {mark}"
    job = server.shell(command, answer_within=1, **session)["job"]
    assert len(carrying(mark)) >= 3
    end = do(server, "end", job)
    assert (end["state"], end["ended"]) == ("ended", "cancelled")
    assert gone(mark)
    if session:
        assert server.shell("echo alive", **session)["stdout"] == "alive\n"


@pytest.mark.req("job-end")
def test_the_end_of_the_server_ends_its_jobs(start: Start) -> None:
    mark, server = unique_seconds(), start("--shell", "bash")
    background(server, f"echo begun; sleep {mark}")
    do(server, "wait", do(server, "list")["jobs"][0]["job"], until="begun")
    server.hang_up()
    assert server.wait() == 0
    assert gone(mark)


# -- what a command leaves behind


@pytest.mark.req("job-left-behind")
def test_processes_left_behind_are_a_job_and_their_ends_are_reported(
    server: WireClient, tmp_path: Path
) -> None:
    gate, bell = Gate(tmp_path), Bell(tmp_path)
    script = f"{bell.ring}; read x < {gate.path}; echo late; exit 3"
    reply = server.shell(f"sh -c '{script}' & echo started")
    job, pid = reply["job"], reply["left_running"][0]["pid"]
    bell.wait()
    bell.close()
    assert do(server, "list")["jobs"][-1]["state"] == "left running"
    gate.open()
    assert wait_for_end([pid])
    end = do(server, "wait", job)
    assert (end["reason"], end["state"], end["stdout"]) == ("ended", "ended", "late\n")
    assert end["processes"][0] | {"command": ""} == {"pid": pid, "command": "", "exit_code": 3}


@pytest.mark.req("job-left-behind")
def test_the_next_reply_tells_of_an_end_that_nobody_has_asked_for(server: WireClient) -> None:
    mark = unique_seconds()
    job = server.shell(f"sleep {mark} & echo started")["job"]
    (pid,) = carrying(f"sleep\0{mark}")
    os.kill(pid, 9)
    assert wait_for_end([pid])
    news: list[str] = []
    while not news:  # the keeper hears of it when it comes to it
        news = server.call("shell", command="true")["structuredContent"].get("news", [])
    (notice,) = [line for line in news if job in line]
    assert notice.endswith(" has left processes behind; they have ended with signal SIGKILL.")
    assert "news" not in server.call("shell", command="true")["structuredContent"]


@pytest.mark.req("job-left-behind")
def test_what_was_left_behind_is_ended_as_a_job(server: WireClient) -> None:
    mark = unique_seconds()
    job = server.shell(f"sleep {mark} & setsid sleep {mark} & sleep 0")["job"]
    assert do(server, "end", job)["state"] == "ended"
    assert gone(mark)


@pytest.mark.req("job-left-in-session")
@pytest.mark.parametrize("name", ALL_SHELLS)
def test_what_a_command_of_a_session_left_behind_is_a_job_whose_end_is_reported(
    start: Start, tmp_path: Path, name: str
) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    server, first, second = start("--shell", name), Gate(tmp_path), Gate(tmp_path)
    ends = [f"read x < {first.path}; echo late; exit 3", f"read x < {second.path}; kill -TERM $$"]
    reply = server.shell("\n".join(f"sh -c '{end}' &" for end in ends), session="s")
    job, left = reply["job"], [process["pid"] for process in reply["left_running"]]
    assert server.shell("echo next", session="s")["stdout"] == "next\n"
    first.open()
    second.open()
    assert wait_for_end(left)
    end = do(server, "wait", job, seconds=60)
    assert (end["reason"], end["state"], end["stdout"]) == ("ended", "ended", "late\n")
    codes = {str(each.get("exit_code", each.get("signal"))) for each in end["processes"]}
    if KERNEL_KEEPS_STATUS:
        assert codes == {"3", "SIGTERM"}
    else:  # some shells are quicker than we are: then it is said that nobody knows
        assert codes <= {"3", "SIGTERM", "unknown"}


@pytest.mark.req("job-left-in-session")
def test_what_was_left_in_a_session_is_ended_as_a_job_and_the_session_and_its_other_jobs_go_on(
    start: Start,
) -> None:
    server, mark, other = start("--shell", "bash"), unique_seconds(), unique_seconds()
    kept = server.shell(f"x=1; sleep {other} &", session="s")
    job = server.shell(f"(sleep {mark}; true) & sleep {mark} &", session="s")["job"]
    assert do(server, "end", job)["state"] == "ended"
    assert gone(mark)
    assert server.shell("echo $x", session="s")["stdout"] == "1\n"
    os.kill(kept["left_running"][0]["pid"], 0)  # it is there
    assert server.call("session", action="close", name="s")["isError"] is False
    assert gone(other)
    assert do(server, "wait", kept["job"])["state"] == "ended"


@pytest.mark.req("job-left-in-session")
@SESSIONS
def test_a_job_that_leaves_processes_behind_tells_its_own_end_as_well(
    start: Start, tmp_path: Path, session: dict[str, str]
) -> None:
    server, mark, gate = start("--shell", "bash"), unique_seconds(), Gate(tmp_path)
    command = f"sleep {mark} & read x < {gate.path}; (exit 4)"
    job = server.shell(command, answer_within=1, **session)["job"]
    gate.open()
    reply = do(server, "wait", job, seconds=1)
    while reply["state"] == "running":
        reply = do(server, "wait", job, seconds=1)
    assert (reply["state"], reply["exit_code"], len(reply["processes"])) == ("left running", 4, 1)
    assert do(server, "end", job)["state"] == "ended"
    assert gone(mark)


@pytest.mark.req("job-left-in-session")
def test_the_next_reply_of_a_session_tells_the_end_of_what_was_left_there(start: Start) -> None:
    server, mark = start("--shell", "bash"), unique_seconds()
    reply = server.shell(f"sleep {mark} &", session="s")
    os.kill(reply["left_running"][0]["pid"], 9)
    news: list[str] = []
    while not news:  # the keeper hears of it when it comes to it
        news = server.call("shell", command="true", session="s")["structuredContent"].get("news", [])
    assert news[0].startswith(f"Job {reply['job']} (sleep {mark} &) has left processes behind")


@pytest.mark.req("job-given-up")
@SESSIONS
def test_a_call_that_the_client_gave_up_on_is_reported_in_the_next_reply(
    server: WireClient, tmp_path: Path, session: dict[str, str]
) -> None:
    bell, mark = Bell(tmp_path), unique_seconds()
    command = f"echo some; : {mark}; {bell.ring}; sleep {mark}"
    identity = server.post_call("shell", {"command": command, **session})
    bell.wait()
    bell.close()
    server.notify("notifications/cancelled", {"requestId": identity})
    news = server.call("shell", command="true")["structuredContent"]["news"]
    (notice,) = [line for line in news if mark in line]
    assert notice.startswith(f"The call of `{command[:80]}")
    assert gone(mark)
    server.shell("true", **session)  # behind it in the session: what was ended is over
    output_id = notice.rpartition(" ")[2].removesuffix(".")
    assert server.call("output", id=output_id)["structuredContent"]["output"] == "some\n"


# -- input and signals


@pytest.mark.req("job-input")
def test_a_job_reads_what_it_is_sent_until_its_input_ends(server: WireClient) -> None:
    job = background(server, 'while read line; do echo "<$line>"; done; echo over')
    assert do(server, "send", job, text="one\ntwo\n", until="<two>")["stdout"] == "<one>\n<two>\n"
    end = do(server, "send", job, text="three\n", eof=True, seconds=30)
    assert (end["reason"], end["stdout"], end["exit_code"]) == ("ended", "<three>\nover\n", 0)
    assert "has ended with exit code 0" in refusal(server, "job", action="send", id=job, text="x")


@pytest.mark.req("job-input")
def test_fifty_exchanges_with_a_program_that_answers(server: WireClient) -> None:
    job = background(server, "python3 -uic 'import sys; sys.ps1 = sys.ps2 = str()'")
    do(server, "wait", job, until="Python", seconds=1)
    for number in range(50):
        reply = do(
            server, "send", job, text=f"print({number} * {number}, 'is it')\n", until=f"^{number**2} is it$"
        )
        assert (reply["reason"], reply["line"]) == ("matched", f"{number**2} is it")
    end = do(server, "send", job, text="exit(5)\n", seconds=30)
    assert (end["state"], end["exit_code"]) == ("ended", 5)


@pytest.mark.req("job-input")
@SESSIONS
def test_a_command_without_input_says_so(server: WireClient, tmp_path: Path, session: dict[str, str]) -> None:
    gate = Gate(tmp_path)
    job = server.shell(f"read x < {gate.path}", answer_within=1, **session)["job"]
    words = refusal(server, "job", action="send", id=job, text="x\n")
    assert words.startswith("This command takes no input: it was started without any.")
    gate.open()
    assert do(server, "wait", job)["exit_code"] == 0


@pytest.mark.req("job-signal")
def test_a_signal_by_name_reaches_the_job(server: WireClient) -> None:
    job = background(server, "trap 'echo got it; exit 6' USR1; echo ready; while :; do sleep 0.05; done")
    do(server, "wait", job, until="ready")
    do(server, "signal", job, signal="SIGUSR1")
    assert do(server, "wait", job, until="got it")["line"] == "got it"
    do(server, "end", job)
    assert "There is no signal 'NONSENSE' here." in refusal(
        server, "job", action="signal", id=background(server, "sleep 9"), signal="nonsense"
    )
    for each in do(server, "list")["jobs"]:
        if each["state"] == "running":
            do(server, "end", each["job"])


# -- waits


@pytest.mark.req("job-wait")
def test_a_wait_ends_with_the_line_that_matches_on_either_stream(server: WireClient, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    job = background(server, f"echo one; echo 'ready: 7' >&2; read x < {gate.path}")
    reply = do(server, "wait", job, until=r"ready: \d")
    assert (reply["reason"], reply["line"], reply["state"]) == ("matched", "ready: 7", "running")
    assert do(server, "wait", job, until="one|ready", seconds=0)["reason"] == "time"  # it is not new any more
    gate.open()
    assert do(server, "wait", job)["reason"] == "ended"


@pytest.mark.req("job-wait")
def test_a_wait_ends_when_a_port_accepts(server: WireClient) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    job = background(server, f"exec python3 -u -m http.server --bind 127.0.0.1 {port}")
    assert do(server, "wait", job, port=port)["reason"] == "port"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(b"GET /no-such-page HTTP/1.0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.0 404")
    assert do(server, "wait", job, until="404")["reason"] == "matched"
    found = server.call("output", id=job, stream="stderr", search="no-such-page")["structuredContent"]
    assert found["matches"] >= 1
    assert do(server, "end", job)["state"] == "ended"
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port)).close()


@pytest.mark.req("job-wait")
def test_a_wait_ends_with_silence_or_with_the_time(server: WireClient, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    job = background(server, f"echo a; echo b; read x < {gate.path}")
    reply = do(server, "wait", job, silence=0.2)
    assert (reply["reason"], reply["stdout"]) == ("silent", "a\nb\n")
    assert do(server, "wait", job, seconds=0.1)["reason"] == "time"
    gate.open()
    assert do(server, "wait", job, silence=20)["reason"] == "ended"


@pytest.mark.req("job-wait")
def test_of_several_jobs_the_first_that_ends_is_reported(server: WireClient, tmp_path: Path) -> None:
    first, second = Gate(tmp_path), Gate(tmp_path)
    jobs = [
        background(server, f"read x < {gate.path}; exit {code}") for gate, code in ((first, 1), (second, 2))
    ]
    second.open()
    reply = do(server, "wait", " ".join(jobs))
    assert (reply["reason"], reply["job"], reply["exit_code"]) == ("ended", jobs[1], 2)
    assert [other["job"] for other in reply["others"]] == [jobs[0]]
    first.open()
    assert do(server, "wait", jobs[0])["exit_code"] == 1


@pytest.mark.req("job-wait")
def test_a_wait_can_be_cancelled_and_the_job_goes_on(server: WireClient, tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    job = background(server, f"read x < {gate.path}; echo done")
    waits = [server.post_call("job", {"action": "wait", "id": job, "until": "done"}) for _ in range(2)]
    server.notify("notifications/cancelled", {"requestId": waits[0]})
    gate.open()
    answer = server.answer_to(waits[1])["result"]["structuredContent"]
    assert answer["reason"] == "matched"
    assert do(server, "wait", job)["exit_code"] == 0


# -- waiting for input


@pytest.mark.req("job-waits-for-input")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process waits for")
@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("printf 'Name: '; read x", "Name: "),
        ("echo first; echo last; cat", "last"),
        ("printf 'Proceed? [y/N] ' >&2; head -n 1", "Proceed? [y/N] "),
        ("""python3 -c 'input("Age? ")'""", "Age? "),
        ("python3 -c 'import select, sys; print(1, flush=True); select.select([sys.stdin], [], [])'", "1"),
        (
            "python3 -c 'import select; p = select.poll(); p.register(0); print(2, flush=True); p.poll()'",
            "2",
        ),
        (
            "python3 -c 'import select; e = select.epoll(); e.register(0); print(3, flush=True); e.poll()'",
            "3",
        ),
        ("python3 -c 'import select, sys; print(4, flush=True); select.select([0], [], [], 600)'", "4"),
        ("bash -c 'read -p \"Inner: \" x; echo $x'", ""),  # it shows a prompt on a terminal only
    ],
)
def test_a_wait_for_input_is_reported_with_the_last_line(server: WireClient, command: str, line: str) -> None:
    job = background(server, command)
    reply = do(server, "wait", job, for_input=True)
    assert (reply["reason"], reply["waiting_for_input"], reply.get("line", "")) == ("input", True, line)
    end = do(server, "send", job, text="y\n", eof=True, seconds=30)
    assert (end["state"], "waiting_for_input" in end) == ("ended", False)


@pytest.mark.req("job-waits-for-input")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process waits for")
@pytest.mark.parametrize(
    "command",
    [
        "sleep 30",
        "while :; do :; done",
        "python3 -c 'import time; time.sleep(30)'",
        "python3 -c 'import socket; s = socket.create_server((str(), 0)); s.accept()'",
    ],
)
def test_what_does_not_read_is_not_said_to_wait_for_input(server: WireClient, command: str) -> None:
    job = background(server, command)
    reply = do(server, "wait", job, for_input=True, seconds=0.4)
    assert (reply["reason"], "waiting_for_input" in reply) == ("time", False)
    do(server, "end", job)


@pytest.mark.req("no-editor")
def test_an_editor_or_pager_nobody_asked_for_fails_fast_or_does_not_page(
    start: Start, tmp_path: Path
) -> None:
    bare = ("env", "-u", "EDITOR", "-u", "VISUAL", "-u", "PAGER", "-u", "TERM", *NACRE)
    environment = {"HOME": str(tmp_path), "GIT_CONFIG_GLOBAL": "/dev/null"}
    server = start("--shell", "bash", env=environment, program=list(bare))
    server.shell("git init -q . && git config user.email a@b && git config user.name n")
    reply = server.shell("git commit --allow-empty")
    assert (reply["exit_code"], "problem with the editor 'false'" in reply["stderr"]) == (1, True)
    server.shell("git commit -qm one --allow-empty")
    assert "one" in server.shell("git log")["stdout"]
    own = start(
        "--shell", "bash", env={"EDITOR": "mine", "TERM": "xterm"}, program=list(bare[:1] + bare[-3:])
    )
    assert own.shell("echo $EDITOR $TERM")["stdout"] == "mine xterm\n"


# -- limits, rules, records


@pytest.mark.req("job-limits")
def test_there_are_only_so_many_jobs_and_calls_wait_on_when_there_is_no_room(
    start: Start, tmp_path: Path
) -> None:
    (file := tmp_path / "nacre.toml").write_text("max_jobs = 1\nconcurrent_commands = 1\n")
    server, gate, other = start("--config", str(file), "--shell", "bash"), Gate(tmp_path), Gate(tmp_path)
    job = background(server, f"read x < {gate.path}")
    assert "There are 1 jobs already" in refusal(server, "shell", command="true", background=True)
    assert server.shell("echo free")["stdout"] == "free\n"  # a job holds no slot of the commands
    waiting = server.post_call("shell", {"command": f"read x < {other.path}; echo end", "answer_within": 1})
    assert do(server, "wait", job, seconds=1.2)["reason"] == "time"
    other.open()
    assert server.answer_to(waiting)["result"]["structuredContent"]["stdout"] == "end\n"
    gate.open()
    assert do(server, "wait", job)["exit_code"] == 0


@pytest.mark.req("job-policy")
def test_jobs_are_admitted_like_any_command_and_input_of_a_shell_is_judged(
    start: Start, tmp_path: Path
) -> None:
    (file := tmp_path / "nacre.toml").write_text(
        '[policy]\nallow = [{command = "bash", options = ["-"]}, "cat", "echo"]\n'
    )
    server = start("--config", str(file), "--shell", "bash")
    assert "rule" in refusal(server, "shell", command="uname", background=True)
    shell, cat = background(server, "bash"), background(server, "cat")
    assert "uname" in refusal(server, "job", action="send", id=shell, text="uname\n")
    assert do(server, "send", shell, text="echo $((6 * 7))\n", until="42")["reason"] == "matched"
    assert do(server, "send", cat, text="uname\n", until="uname")["reason"] == "matched"
    for job in (shell, cat):
        assert do(server, "send", job, eof=True, seconds=30)["exit_code"] == 0


@pytest.mark.req("policy-input")
def test_a_job_that_takes_commands_from_its_input_is_given_none(start: Start, tmp_path: Path) -> None:
    (client := tmp_path / "sqlite3").write_text("#!/bin/sh\nexec cat\n")
    client.chmod(0o755)
    file = tmp_path / "settings.toml"
    file.write_text(f'[policy]\nallow = [{{command = "{client}", children = "any"}}, "cat"]\n')
    server = start("--config", str(file), "--shell", "bash")
    database, cat = background(server, f"{client} x.db"), background(server, "cat")
    said = refusal(server, "job", action="send", id=database, text=".shell touch pwn\n")
    assert "sqlite3 takes commands from its input" in said
    assert do(server, "send", cat, text=".shell touch pwn\n", until="pwn")["reason"] == "matched"
    for job in (database, cat):
        do(server, "end", job)


@pytest.mark.req("job-wait")
def test_what_a_command_left_behind_is_waited_for_like_any_other(server: WireClient, tmp_path: Path) -> None:
    first, second = Gate(tmp_path), Gate(tmp_path)
    result = server.shell(f"{{ read x < {first.path}; echo ready; read x < {second.path}; }} & echo started")
    job = result["job"] if "job" in result else result["output_id"]
    wait = server.post_call("job", {"action": "wait", "id": job, "until": "ready", "seconds": 1800})
    first.open()
    data = server.answer_to(wait)["result"]["structuredContent"]
    assert (data["reason"], data["line"]) == ("matched", "ready")
    second.open()
    assert do(server, "wait", job, seconds=1800)["reason"] == "ended"


@pytest.mark.req("policy-input")
def test_a_shell_under_rules_stays_where_what_it_is_sent_is_judged_for(start: Start, tmp_path: Path) -> None:
    """Else `..` would lead elsewhere than the rules think."""
    deep = tmp_path / "inside" / "a" / "b"
    deep.mkdir(parents=True)
    file = tmp_path / "rules.toml"
    file.write_text(f'[policy]\nallowed_directories = ["{tmp_path / "inside"}"]\n')
    server = start("--config", str(file), "--shell", "bash", cwd=tmp_path / "inside")
    job = background(server, "bash", working_directory=str(deep))
    for text in (f"cd {tmp_path}/inside\n", "pushd ..\n", "f() { cd /; }\n"):
        assert refusal(server, "job", action="send", id=job, text=text)
    assert do(server, "send", job, text="echo here\n", until="here")["reason"] == "matched"
    for starts in (f"env -C {tmp_path}/inside bash", f"cd {tmp_path}/inside && bash"):
        other = background(server, starts, working_directory=str(deep))
        assert "stays in" in refusal(server, "job", action="send", id=other, text="ls ..\n")
    deep.rename(tmp_path / "inside" / "c")
    sentence = refusal(server, "job", action="send", id=job, text="ls ..\n")
    assert sentence.startswith("A shell under rules stays in the directory that it was started in.")
    do(server, "end", job)


@pytest.mark.req("job-records")
def test_a_job_is_recorded_once_at_its_end(start: Start, tmp_path: Path) -> None:
    log, gate = tmp_path / "audit.jsonl", Gate(tmp_path)
    server = start("--shell", "bash", "--audit-log", str(log))
    job = background(server, f"read x < {gate.path}; exit 5")
    gate.open()
    do(server, "wait", job)
    server.hang_up()
    server.wait()
    records = ended_records(log.read_text())
    assert [(each["ended"], each["exit_code"]) for each in records if "exit 5" in each["command"]] == [
        ("exited", 5)
    ]


@pytest.mark.req("job-arguments")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"action": "wait"}, "id must name a job to wait."),
        ({"action": "wait", "id": "nonsense"}, "There is no job 'nonsense'."),
        ({"action": "end", "id": "a b"}, "id must name one job to end."),
        ({"action": "send", "id": "x"}, "There is nothing to send."),
        ({"action": "signal", "id": "x"}, "Missing argument: signal."),
    ],
)
def test_what_cannot_be_done_is_refused_with_advice(
    server: WireClient, arguments: dict[str, str], sentence: str
) -> None:
    assert refusal(server, "job", **arguments).startswith(sentence)


# -- many


def many_jobs(server: WireClient, count: int, lines: int) -> None:
    """Run so many at once; every line of each is in its output."""
    script = f"read go; i=0; while [ $i -lt {lines} ]; do echo line $i; i=$((i+1)); done"
    jobs = [background(server, script) for _ in range(count)]
    for job in jobs:
        do(server, "send", job, text="go\n")
    expected = "".join(f"line {number}\n" for number in range(lines))
    for job in jobs:
        assert do(server, "wait", job)["exit_code"] == 0
        seen, offset = "", 0
        while offset < len(expected):
            part = server.call("output", id=job, offset=offset)["structuredContent"]
            seen, offset = seen + part["output"], part["next_offset"]
        assert seen == expected


@pytest.mark.req("job-waits-for-input")
def test_a_prompt_is_shown_once_where_it_is_new_and_beside_the_reason_later(server: WireClient) -> None:
    job = background(server, "read go; printf 'one\\n%s: ' Name; read name")
    more = {"id": job, "for_input": True, "seconds": 30}
    first = text_of(server.call("job", action="send", text="go\n", **more))
    again = text_of(server.call("job", action="wait", **more))
    assert first.startswith("it waits for input\n")
    assert first.endswith("--- stdout\none\nName: ")
    assert again.startswith("it waits for input: Name: \n")
    do(server, "end", job)


@pytest.mark.req("output-binary")
def test_binary_output_of_a_job_is_described(server: WireClient) -> None:
    job = background(server, r"read go; printf 'text\n\x1f\x8b'; head -c 100 /dev/zero")
    assert do(server, "send", job, text="go\n", seconds=30)["stdout"] == (
        f"text\n[gzip data: 102 bytes from byte 5 on, beginning with 1f 8b{' 00' * 14}; "
        f"tool output, id {job}, base64: true shows it]\n"
    )


@pytest.mark.req("job-many")
def test_fifty_jobs_at_once_lose_no_line(start: Start) -> None:
    many_jobs(start("--shell", "bash"), 50, 1000)


def held(server: WireClient, directory: Path) -> tuple[int, int, list[str]]:
    """Descriptors of the server and of its keeper, and files in its directory."""
    pids = server.process.pid, keeper_of(server.process.pid)
    server_fds, keeper_fds = [len(os.listdir(f"/proc/{pid}/fd")) for pid in pids]
    return server_fds, keeper_fds, sorted(os.listdir(directory))


def jobs_that_leave_nothing(server: WireClient, count: int) -> None:
    for _ in range(20):  # what is made once is there
        do(server, "send", background(server, "cat"), eof=True, seconds=30)
    directory = Path(server.shell("seq 20000")["spool"]).parent
    server.shell(
        "true"
    )  # the pipes of a command are closed after its end is reported, and before the next one
    before, mark = held(server, directory), unique_seconds()
    assert any(name.endswith(".out") for name in before[2])
    for number in range(count):
        job = background(server, f"echo {number}; cat; sleep {mark if number % 3 else 0}")
        if number % 3:
            do(server, "end", job)
        else:
            assert do(server, "send", job, eof=True, seconds=30)["exit_code"] == 0
    assert gone(mark)
    for _ in range(100):
        server.shell("true")
        if held(server, directory) == before:
            break
    assert held(server, directory) == before


@pytest.mark.req("job-many")
def test_jobs_that_have_ended_leave_no_descriptor_process_or_file(start: Start) -> None:
    jobs_that_leave_nothing(start("--shell", "bash"), 40)


@pytest.mark.soak
@pytest.mark.req("job-many")
def test_a_thousand_jobs_leave_no_descriptor_process_or_file(start: Start) -> None:
    jobs_that_leave_nothing(start("--shell", "bash"), 1000)


PRINTER = (
    "import time\n"
    "began = time.monotonic()\n"
    "for second in range(20):\n"
    "    print(*(f'line {second * 1000 + n}' for n in range(1000)), sep='\\n', flush=True)\n"
    "    time.sleep(max(0, began + second + 1 - time.monotonic()))\n"
)


@pytest.mark.soak
@pytest.mark.req("job-many")
def test_fifty_jobs_that_print_for_twenty_seconds_lose_no_line_and_cost_little_memory(
    start: Start, tmp_path: Path
) -> None:
    (script := tmp_path / "printer.py").write_text(PRINTER)
    server = start("--shell", "bash")
    jobs = [background(server, f"python3 -u {script}") for _ in range(50)]
    expected = b"".join(b"line %d\n" % number for number in range(20_000))
    for job in jobs:
        assert do(server, "wait", job, seconds=120)["exit_code"] == 0
        assert read_all(server, job) == expected
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    peak_kib = int(status.partition("VmHWM:")[2].split()[0])
    assert peak_kib < 120 * 1024


def read_all(server: WireClient, job: str) -> bytes:
    whole, offset = b"", 0
    while True:
        arguments = {"id": job, "offset": offset, "limit": 1 << 20, "base64": True}
        part = server.call("output", **arguments)["structuredContent"]
        whole += base64.b64decode(part["output"])
        offset = part["next_offset"]
        if offset == part["total_bytes"]:
            return whole
