"""The server as a Windows program: a raw client on Linux talks to it through wine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from process_table import carrying, gone
from windows_programs import HOME, NACRE, PYTHON, WINE, unique_pings, windows_path
from wire_client import WireClient, ended_records, text_of, told_of

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.wine

WINDOWS_PYTHON = windows_path(PYTHON)


def wait_until_running(mark: str, client: WireClient) -> list[int]:
    """The processes with the mark; commands of the server go by while it starts them."""
    for _ in range(100):
        if found := carrying(mark):
            return found
        client.shell("cd")
    raise AssertionError(f"no process carries {mark}")


@pytest.mark.req("windows-server")
@pytest.mark.req("004-cross-platform")
def test_it_says_that_it_runs_cmd_on_windows() -> None:
    with WireClient(program=NACRE, env=WINE, cwd="/tmp") as client:
        hello = client.shake_hands()
        assert r"shell C:\windows\system32\cmd.exe, platform Windows" in hello["instructions"]
        assert r"else in Z:\tmp." in hello["instructions"]
        tools = client.request("tools/list")["result"]["tools"]
        assert "shell" in [tool["name"] for tool in tools]


@pytest.mark.req("windows-server")
def test_a_command_answers_with_its_output_and_no_spool(server: WireClient) -> None:
    reply = server.shell("echo hi")
    assert (reply["ended"], reply["exit_code"], reply["stdout"], reply["stderr"]) == ("exited", 0, "hi\n", "")
    assert reply["spool"] is None, "line ends of Windows are nothing that a reply folds away"
    assert reply["left_running"] == []


@pytest.mark.req("windows-server")
@pytest.mark.parametrize("code", [1, 3, 255, 0xC0000005])
def test_exit_codes_are_told_as_windows_has_them(server: WireClient, code: int) -> None:
    reply = server.shell(f'"{WINDOWS_PYTHON}" -c "import ctypes; ctypes.windll.kernel32.ExitProcess({code})"')
    assert (reply["exit_code"], reply["signal"]) == (code, None)


@pytest.mark.req("windows-server")
def test_stderr_stays_apart(server: WireClient) -> None:
    reply = server.shell("echo out& echo err>&2& exit 5")
    assert (reply["stdout"], reply["stderr"], reply["exit_code"]) == ("out\n", "err\n", 5)


@pytest.mark.req("windows-quoting")
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ('echo "a b" c', '"a b" c\n'),
        ('echo "two" "words"', '"two" "words"\n'),
        ("echo 100%", "100%\n"),
        ('echo "a & b"& echo c', '"a & b"\nc\n'),
        ("echo a^&b", "a&b\n"),
        (f'"{WINDOWS_PYTHON}" -c "print(1 + 1)"', "2\n"),
        (f'"{WINDOWS_PYTHON}" -c "import sys; print(sys.argv[1:])" "x y" z', "['x y', 'z']\n"),
    ],
)
def test_cmd_gets_the_command_as_it_was_typed(server: WireClient, command: str, shown: str) -> None:
    assert server.shell(command)["stdout"] == shown


@pytest.mark.req("windows-quoting")
def test_several_lines_run_as_a_batch_file(server: WireClient) -> None:
    reply = server.shell("set X=1\nif %X%==1 (\n  echo one\n) else (\n  echo other\n)\nexit /b 4")
    assert (reply["stdout"], reply["exit_code"]) == ("one\n", 4)


@pytest.mark.req("windows-quoting")
def test_a_command_longer_than_a_line_of_cmd_runs(server: WireClient) -> None:
    lines = "\n".join(f"echo {number} {'x' * 60}" for number in range(200))
    reply = server.shell(lines)
    assert reply["stdout"].endswith(f"199 {'x' * 60}\n")
    assert reply["stdout"].count("\n") == 200


@pytest.mark.req("windows-text")
def test_output_in_the_console_code_page_is_read(server: WireClient) -> None:
    assert server.shell("echo café")["stdout"] == "café\n"


@pytest.mark.req("windows-text")
def test_output_in_utf_8_is_read(server: WireClient) -> None:
    reply = server.shell(f'"{WINDOWS_PYTHON}" -X utf8 -c "print(chr(8364) + chr(20013))"')
    assert reply["stdout"] == "€中\n"


@pytest.mark.req("windows-server")
def test_environment_and_directory(server: WireClient, tmp_path: Path) -> None:
    (tmp_path / "with space").mkdir()
    directory = windows_path(tmp_path / "with space")
    reply = server.shell(
        "echo [%FOO%] [%path%]& cd",
        environment={"FOO": "b r", "Path": r"C:\here"},
        working_directory=directory,
    )
    assert reply["stdout"] == f"[b r] [C:\\here]\n{directory}\n"
    assert reply["working_directory"] == directory


@pytest.mark.req("windows-server")
def test_a_missing_directory_is_told_before_anything_runs(server: WireClient) -> None:
    result = server.call("shell", command="echo hi", working_directory=r"C:\windows\nope\deeper")
    assert result["isError"]
    assert r"does not exist: C:\windows\nope\deeper" in text_of(result)
    assert r"The nearest directory that exists is C:\windows." in text_of(result)


@pytest.mark.req("windows-server")
def test_a_misspelt_command_gets_a_suggestion(server: WireClient) -> None:
    result = server.call("shell", command="pingg 127.0.0.1")
    assert "There is no command 'pingg'. Did you mean ping" in text_of(result)


@pytest.mark.req("windows-server")
def test_stdin_is_empty(server: WireClient) -> None:
    reply = server.shell(f'"{WINDOWS_PYTHON}" -c "import sys; print(repr(sys.stdin.read()))"')
    assert reply["stdout"] == "''\n"


@pytest.mark.req("windows-server")
def test_big_output_keeps_beginning_and_end(server: WireClient) -> None:
    code = "import sys; sys.stdout.write(''.join(str(n) + chr(10) for n in range(300000)))"
    reply = server.shell(f'"{WINDOWS_PYTHON}" -c "{code}"')
    assert reply["truncated"]
    assert reply["stdout"].startswith("0\n1\n2\n")
    assert reply["stdout"].endswith("299998\n299999\n")
    assert len(reply["stdout"]) < 40_000


@pytest.mark.req("windows-job")
def test_a_timeout_kills_the_whole_tree(server: WireClient) -> None:
    mark = unique_pings()
    reply = server.shell(
        f"echo early& start /b ping -n {mark} 127.0.0.1& cmd /c ping -n {mark} 127.0.0.1", timeout=2
    )
    assert reply["ended"] == "timed_out"
    assert reply["partial_stdout"].startswith("early\n")
    assert gone(mark)


@pytest.mark.req("windows-job")
def test_a_program_that_ignores_ctrl_c_is_killed(server: WireClient) -> None:
    mark = unique_pings()
    ignore = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    code = f"{ignore}; print('up', flush=True); import time; time.sleep({mark})"
    reply = server.shell(f'"{WINDOWS_PYTHON}" -c "{code}"', timeout=2)
    assert reply["ended"] == "timed_out"
    assert reply["partial_stdout"] == "up\n"
    assert gone(mark)


@pytest.mark.req("windows-server")
def test_progress_carries_new_output_while_a_command_runs(server: WireClient) -> None:
    call = server.post_call(
        "shell", {"command": "echo first& ping -n 3 127.0.0.1 >nul& echo last"}, {"progressToken": "p"}
    )
    assert told_of(server.answer_to(call)["result"])["stdout"] == "first\nlast\n"
    news = [
        message["params"] for message in server.others if message.get("method") == "notifications/progress"
    ]
    assert any("first" in one.get("message", "") for one in news)


@pytest.mark.req("windows-server")
def test_a_client_that_never_reads_stderr_cannot_stop_the_server() -> None:
    with WireClient("--verbose", program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        assert client.process.stdout
        loud = {"command": "x" * 500, "working_directory": r"C:\nowhere"}  # refused: quick, and logged
        for _ in range(500):  # more than a pipe and the log's own queue hold
            call = client.post_call("shell", loud)
            assert json.loads(client.process.stdout.readline())["id"] == call


@pytest.mark.req("windows-job")
def test_a_cancelled_call_kills_the_tree_and_is_not_answered(server: WireClient) -> None:
    mark = unique_pings()
    call = server.post_call("shell", {"command": f"cmd /c ping -n {mark} 127.0.0.1"})
    running = wait_until_running(mark, server)
    server.notify("notifications/cancelled", {"requestId": call})
    assert running
    assert gone(mark)
    assert server.shell("echo alive")["stdout"] == "alive\n"
    assert all(message.get("id") != call for message in server.others)


@pytest.mark.req("windows-job")
def test_what_is_left_running_is_named_and_ends_with_the_server(windows_server: WireClient) -> None:
    mark = unique_pings()
    reply = windows_server.shell(f"start /b ping -n {mark} 127.0.0.1 >nul& echo left")
    assert reply["stdout"] == "left\n"
    assert [process["command"].rpartition("\\")[2].split()[0] for process in reply["left_running"]] == [
        "ping.exe"
    ]
    assert carrying(mark)
    windows_server.hang_up()
    assert windows_server.wait() == 0
    assert gone(mark)


@pytest.mark.req("windows-server")
def test_many_commands_run_at_once(server: WireClient) -> None:
    calls = [server.post_call("shell", {"command": f"echo {number}& exit {number}"}) for number in range(8)]
    reply = [told_of(server.answer_to(call)["result"]) for call in calls]
    assert [(one["stdout"], one["exit_code"]) for one in reply] == [(f"{n}\n", n) for n in range(8)]


@pytest.mark.req("windows-server")
def test_at_the_end_of_stdin_everything_is_answered(windows_server: WireClient) -> None:
    call = windows_server.post_call("shell", {"command": "ping -n 2 127.0.0.1 >nul& echo late"})
    windows_server.hang_up()
    assert told_of(windows_server.answer_to(call)["result"])["stdout"] == "late\n"
    assert windows_server.wait() == 0


@pytest.mark.req("windows-job")
def test_a_killed_server_leaves_nothing(windows_server: WireClient) -> None:
    mark = unique_pings()
    windows_server.post_call(
        "shell", {"command": f"start /b ping -n {mark} 127.0.0.1& ping -n {mark} 127.0.0.1"}
    )
    wait_until_running(mark, windows_server)
    os.kill(windows_server.process.pid, signal.SIGKILL)
    windows_server.wait()
    assert gone(mark)


@pytest.mark.req("windows-server")
def test_the_sdk_client_can_use_it() -> None:
    async def talk() -> str:
        parameters = StdioServerParameters(command=str(HOME / "winpy"), args=["-m", "nacre"])
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            result = await session.call_tool("shell", {"command": "echo from the SDK"})
            assert result.structured_content is not None
            return result.structured_content["stdout"]

    assert asyncio.run(asyncio.wait_for(talk(), 60)) == "from the SDK\n"


@pytest.mark.req("windows-server")
def test_rules_are_held_against_every_part_of_a_cmd_command(tmp_path: Path) -> None:
    log = tmp_path / "audit.jsonl"
    options = ("--allow", "echo", "--audit-log", windows_path(log))
    with WireClient(*options, program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        assert client.shell("echo hi")["stdout"] == "hi\n"
        for smuggled in (
            "ping 127.0.0.1",
            "echo hi & ping 127.0.0.1",
            "echo hi\nping 127.0.0.1",
            "echo hi\r\nP^ING.EXE 127.0.0.1",
            "echo hi ^\n& ping 127.0.0.1",
            "for %i in (ping) do %i 127.0.0.1",
        ):
            result = client.call("shell", command=smuggled)
            assert result["isError"], smuggled
            assert "Denied by the policy" in text_of(result), smuggled
    assert len(ended_records(log.read_text())) == 7


@pytest.mark.req("001-cmd")
def test_the_preset_of_specification_001_runs_cmd() -> None:
    with WireClient("--preset", "shell-exec", program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        reply = client.call("shell_exec", command="echo Hello, World!")
        assert reply == {"content": [{"type": "text", "text": "Hello, World!\n"}], "isError": False}
        several = client.call("shell_exec", command="echo one\necho two\nexit /b 7")
        assert several["isError"] is True
        assert text_of(several).startswith("Command failed with exit code 7\n")
        assert text_of(several).endswith("--- stdout\none\ntwo")


def test_the_preset_of_specification_002_runs_the_shell_that_it_is_given() -> None:
    options = ("server", "shell", "--shell", "cmd.exe", "--deny", "ping*")
    with WireClient(*options, program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        reply = client.call("execute_command", command="echo err>&2& echo out& exit 5")
        fields = json.loads(text_of(reply))
        assert (fields["output"], fields["return_code"]) == ("out\nerr\n", 5)
        denied = json.loads(text_of(client.call("execute_command", command="echo hi & ping localhost")))
        assert denied["output"] == "Command denied by security policy"


@pytest.mark.req("policy-directories")
def test_commands_and_file_tools_stay_inside_allowed_directories(tmp_path: Path) -> None:
    inside, outside = tmp_path / "inside", tmp_path / "inside-not"
    inside.mkdir()
    outside.mkdir()
    config = tmp_path / "config.toml"
    config.write_text(f"[policy]\nallowed_directories = ['{windows_path(inside)}']\n")
    options = ("--config", windows_path(config), "--working-dir", windows_path(inside), "--tools", "files")
    with WireClient(*options, program=NACRE, env=WINE, cwd="/tmp") as client:
        client.shake_hands()
        assert client.shell("echo hi")["stdout"] == "hi\n"
        written = client.call("write_file", path="note.txt", content="kept")
        assert written["isError"] is False, written
        assert (inside / "note.txt").read_text() == "kept"
        assert client.call("read_file", path="NOTE.TXT")["isError"] is False
        for directory in (outside, tmp_path):
            refused = client.call("shell", command="echo hi", working_directory=windows_path(directory))
            assert refused["isError"]
            assert "Denied by the policy" in text_of(refused)
            assert client.call("list_directory", path=windows_path(directory))["isError"]


@pytest.mark.req("windows-terminal")
def test_a_terminal_has_a_screen_takes_what_is_typed_and_keeps_its_size(server: WireClient) -> None:
    program = (
        "s, k = open('CONOUT$', 'w'), open('CONIN$'); print('name?', file=s, flush=True); "
        "print('hello', k.readline().strip(), file=s, flush=True); raise SystemExit(7)"
    )
    command = f'"{WINDOWS_PYTHON}" -c "{program}"'
    job = server.call("shell", command=command, terminal=True)["structuredContent"]["job"]
    asked = server.call("job", action="wait", id=job, until="name")
    assert "name?" in text_of(asked)
    kept = server.call("job", action="resize", id=job, rows=40, columns=100)
    assert kept["isError"]
    assert "cannot be resized: ResizePseudoConsole" in text_of(kept), "wine 8 has no such call"
    server.call("job", action="send", id=job, text="Ada\r")
    ended = server.call("job", action="wait", id=job)
    assert ended["structuredContent"]["exit_code"] == 7
    assert "hello Ada" in text_of(server.call("job", action="screen", id=job))


@pytest.mark.req("windows-doctor")
@pytest.mark.usefixtures("server")  # wine's own processes are there then, and do not keep our pipes open
def test_doctor_says_what_works_on_windows_and_what_needs_linux() -> None:
    done = subprocess.run(
        [*NACRE, "doctor", "--json"],
        env={**os.environ, **WINE},
        input="",  # a pipe: Windows' Python under wine cannot start on a file
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    findings = {each["name"]: each for each in json.loads(done.stdout)}
    assert done.returncode == 0, "a sandbox that nobody asked for is no problem"
    assert findings["shell"]["text"] == r"C:\windows\system32\cmd.exe ran a command"
    assert findings["keeper"]["status"] == "ok"
    for level in ("workspace", "read-only", "strict"):
        assert (findings[level]["status"], findings[level]["text"]) == ("warning", "the sandbox needs Linux")
    assert [each for each in findings.values() if each["fix"] and each["fix"] in each["text"]] == []
