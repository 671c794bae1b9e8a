"""The persistent cmd.exe in the server as a Windows program: specification 000, driven by a client."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from process_table import carrying, gone
from windows_programs import CMD, PYTHON, launch_keeper, unique_pings, windows_path
from wire_client import WireClient, text_of, told_of

from nacre.dialects import TurnRequest
from nacre.dialects.cmd import CmdShell
from nacre.keeper.frames import Spawn, TurnStart
from nacre.keeper.link import Link

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.wine

WINDOWS_PYTHON = windows_path(PYTHON)
# Whether a console is there, and whether anybody could see its window.
ASK_FOR_WINDOW = (
    "import ctypes; k, u = ctypes.windll.kernel32, ctypes.windll.user32; "
    "print(bool(k.GetConsoleCP()), bool(u.IsWindowVisible(k.GetConsoleWindow())))"
)


def stdout(client: WireClient, command: str, **more: Any) -> str:
    return client.shell(command, session="cmd", **more)["stdout"]


@pytest.fixture
def cmd(server: WireClient) -> WireClient:
    """The shared server with a clean session."""
    names = told_of(server.call("session", action="list"))["sessions"]
    if names:
        server.call("session", action="close", name="cmd")
    return server


@pytest.mark.req("000.cmd.persistent")
@pytest.mark.req("000-state")
def test_directory_and_variables_live_on(cmd: WireClient, tmp_path: Path) -> None:
    first = cmd.shell(f"cd /d {windows_path(tmp_path)}", session="cmd")
    assert first["session"]["shell"] == "new"
    assert first["working_directory"] == windows_path(tmp_path)
    assert cmd.shell("set X=five", session="cmd")["session"]["shell"] == "kept"
    assert stdout(cmd, "echo [%X%]& cd") == f"[five]\n{windows_path(tmp_path)}\n"


@pytest.mark.req("000.cmd.errorlevel")
@pytest.mark.req("000.cmd.clean")
def test_codes_and_streams_are_the_commands_own(cmd: WireClient) -> None:
    reply = cmd.shell("echo out& echo err>&2& cmd /c exit 7", session="cmd")
    assert (reply["stdout"], reply["stderr"], reply["exit_code"]) == ("out\n", "err\n", 7)
    assert stdout(cmd, "echo %ERRORLEVEL%") == "7\n"
    assert cmd.shell("echo hi", session="cmd")["exit_code"] == 0
    assert cmd.shell("cmd /c exit -1", session="cmd")["exit_code"] == 0xFFFFFFFF
    for noise in ("echo off", "prompt $P$G"):
        cmd.shell(noise, session="cmd")
        assert stdout(cmd, "echo clean") == "clean\n"


@pytest.mark.req("000.cmd.line-ends")
@pytest.mark.req("000.cmd.code-page")
def test_several_lines_odd_letters_environment_and_stdin(cmd: WireClient, tmp_path: Path) -> None:
    reply = cmd.shell("set X=1\nfor %%i in (a b) do echo %%i %X%\nexit /b 4", session="cmd")
    assert (reply["stdout"], reply["exit_code"]) == ("a 1\nb 1\n", 4)
    assert stdout(cmd, "echo café") == "café\n"
    refused = cmd.call("shell", command="echo €", session="cmd")
    assert refused["isError"]
    assert "'€' at offset 5, which cmd.exe's code page lacks" in text_of(refused)
    odd = tmp_path / "a&b 100%"
    odd.mkdir()
    reply = cmd.shell("set GIVEN", session="cmd", environment={"GIVEN": '"q" %PATH% & x'})
    assert reply["stdout"] == 'GIVEN="q" %PATH% & x\n'
    moved = cmd.shell("cd", session="cmd", working_directory=windows_path(odd))
    assert moved["stdout"] == f"{moved['working_directory']}\n" == f"{windows_path(odd)}\n"
    assert stdout(cmd, 'find "x"', stdin="alpha\nxray\n") == "xray\n"
    assert stdout(cmd, "more") == ""
    reads = f'"{WINDOWS_PYTHON}" -c "import sys; print(repr(sys.stdin.read()))"'
    assert stdout(cmd, reads) == "''\n"


@pytest.mark.req("000.cmd.marker")
def test_a_printed_prompt_and_an_old_marker_end_nothing(cmd: WireClient) -> None:
    old = "Marker_12345678-1234-4123-8123-123456789abc"
    reply = cmd.shell(f"echo %PROMPT%& echo {old} 0& cd& echo {old}& cmd /c exit 4", session="cmd")
    assert reply["exit_code"] == 4
    assert reply["stdout"].startswith("READY_")
    assert reply["stdout"].endswith(f"{old}\n")


@pytest.mark.req("000.cmd.no-window")
def test_its_console_has_no_window(cmd: WireClient) -> None:
    assert stdout(cmd, f'"{WINDOWS_PYTHON}" -c "{ASK_FOR_WINDOW}"') == "True False\n"


@pytest.mark.req("000.cmd.death")
def test_a_shell_that_exits_is_told_and_replaced_in_its_directory(cmd: WireClient, tmp_path: Path) -> None:
    cmd.shell(f"cd /d {windows_path(tmp_path)}", session="cmd")
    reply = cmd.shell("echo last words& exit 3", session="cmd")
    assert (reply["ended"], reply["exit_code"], reply["stdout"]) == ("shell_died", 3, "last words\n")
    again = cmd.shell("cd", session="cmd")
    assert again["session"]["shell"] == "reborn"
    assert "ended with code 3" in again["session"]["note"]
    assert again["stdout"] == f"{windows_path(tmp_path)}\n"


@pytest.mark.req("windows-job")
@pytest.mark.req("session-timeout")
def test_a_timeout_ends_the_job_and_the_next_command_has_a_new_shell(cmd: WireClient) -> None:
    mark = unique_pings()
    cmd.shell("set X=five", session="cmd")
    text = f"echo early& start /b ping -n {mark} 127.0.0.1 >nul& cmd /c ping -n {mark} 127.0.0.1"
    reply = cmd.shell(text, session="cmd", timeout=2)
    assert reply["ended"] == "timed_out"
    assert reply["partial_stdout"].startswith("early\n")
    assert reply["session"]["shell"] == "lost"
    assert gone(mark)
    assert stdout(cmd, "echo [%X%]") == "[%X%]\n"


@pytest.mark.req("000.cmd.restart")
@pytest.mark.req("windows-job")
def test_a_restart_ends_what_was_left_running_and_begins_clean(cmd: WireClient) -> None:
    mark = unique_pings()
    cmd.shell("set X=five", session="cmd")
    reply = cmd.shell(f"start /b ping -n {mark} 127.0.0.1 >nul", session="cmd")
    assert len(reply["left_running"]) == 1
    assert cmd.shell("cd", session="cmd")["left_running"] == []
    assert "was restarted" in text_of(cmd.call("session", action="restart", name="cmd"))
    assert gone(mark)
    assert stdout(cmd, "echo [%X%]") == "[%X%]\n"


@pytest.mark.req("windows-job")
def test_the_shell_and_what_it_started_end_with_the_server(windows_server: WireClient) -> None:
    mark = unique_pings()
    windows_server.shell(f"start /b ping -n {mark} 127.0.0.1 >nul", session="cmd")
    assert carrying(mark)
    windows_server.hang_up()
    assert windows_server.wait() == 0
    assert gone(mark)


@pytest.mark.req("session-apart")
def test_two_sessions_and_many_commands_do_not_mix(cmd: WireClient) -> None:
    calls = {
        cmd.post_call("shell", {"command": f"echo {name} {n}", "session": name}): f"{name} {n}\n"
        for n in range(50)
        for name in ("cmd", "other")
    }
    for call, shown in calls.items():
        result = cmd.answer_to(call)["result"]
        assert "structuredContent" in result, result
        assert told_of(result)["stdout"] == shown
    cmd.call("session", action="close", name="other")


@pytest.mark.req("000.cmd.persistent")
def test_the_keeper_serves_a_hundred_turns_of_one_shell(tmp_path: Path) -> None:
    shell, mark = CmdShell("READY_0123456789abcdef"), "Marker_12345678-1234-4123-8123-123456789abc"

    async def use() -> None:
        launched = launch_keeper()
        link = Link(launched)
        try:
            async with asyncio.timeout(60):
                await link.open({"SYSTEMROOT": r"C:\windows", "COMSPEC": CMD}, windows_path(tmp_path))
                opening = (mark, shell.report(TurnRequest("", mark, "", 0)))
                spawn = Spawn(argv=shell.argv("cmd.exe"), program=CMD, cwd="C:\\", opening=opening)
                spawn.stdin, spawn.persistent, spawn.prompt = True, True, shell.prompt
                running = link.run(spawn)
                for turn in range(1, 101):
                    fresh = f"{mark}{turn}"
                    feed = f"echo {turn}\r\n{shell.report(TurnRequest('', fresh, '', 0))}"
                    reply = await link.turn(running, TurnStart(turn=turn, marker=fresh, feed=feed))
                    assert (reply.record, reply.stdout.head) == ("0 C:\\", b"%d\r\n" % turn)
                link.kill(running, 0)
                await running.exit
        finally:
            await link.close()
            for stream in (launched.process.stdout, launched.process.stderr):
                if stream:
                    stream.close()

    asyncio.run(use())
