"""Sessions of cmd.exe, for real, under wine: the truths of every other shell, said in cmd.exe's words."""

from __future__ import annotations

import asyncio
import os
import signal
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import carrying, gone, wait_for_end
from session_harness import Harness, TestSession, open_session
from wine_harness import PREFIX, cmd_harness, unique_pings, windows_path, wine_environment
from wire_client import WireClient, text_of

from nacre.errors import RequestError
from nacre.keeper import processes
from nacre.model import Command, Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nacre.model import Result

    Start = Callable[..., WireClient]

pytestmark = pytest.mark.wine

BATCH_WITH_ECHO = "echo loud\r\ncmd /c exit 4\r\n"


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    yield from cmd_harness()


@pytest.fixture
def session(harness: Harness) -> Iterator[TestSession]:
    yield from open_session(harness)


def still_true(session: TestSession) -> bool:
    """Whether the session gives true answers after all that."""
    again = session("echo out& echo err>&2& cmd /c exit 5")
    return (again.stdout.text, again.stderr.text, again.exit_code) == ("out\n", "err\n", 5)


def shell_pid(session: TestSession) -> int:
    living = session.harness.service.sessions.find(session.name)
    (pid,) = carrying(living.dialect.prompt)
    return pid


# -- state


@pytest.mark.req("000.cmd.persistent")
@pytest.mark.req("000-state")
def test_directory_and_variables_live_on_in_one_process(session: TestSession, tmp_path: Path) -> None:
    moved = session(f"cd /d {windows_path(tmp_path)}")
    assert moved.working_directory == str(tmp_path)
    pid = shell_pid(session)
    session("set X=five")
    assert session("echo [%X%]").stdout.text == "[five]\n"
    assert session("cd").stdout.text == f"{windows_path(tmp_path)}\n"
    assert shell_pid(session) == pid


@pytest.mark.req("000.cmd.persistent")
def test_the_first_command_says_that_the_shell_is_new_and_the_next_that_it_was_kept(
    session: TestSession,
) -> None:
    assert [session("cd").shell_state for _ in range(2)] == [ShellState.NEW, ShellState.KEPT]


def test_a_directory_on_another_drive_is_reported_as_linux_calls_it(session: TestSession) -> None:
    result = session("cd /d C:\\windows")
    assert os.path.samefile(result.working_directory, PREFIX / "drive_c" / "windows")
    session("exit")
    assert session("cd").stdout.text == "C:\\windows\n"


def test_a_directory_of_any_name_is_reported_correctly(session: TestSession, tmp_path: Path) -> None:
    session("cd")
    for name in (
        "with space",
        "a&b",
        "100% %PATH%",
        "(x)",
        "é",
        "^caret",
        "it's",
        "semi;colon",
        "a=b",
        "!x!",
    ):
        odd = tmp_path / name
        odd.mkdir()
        result = session("cd", working_directory=str(odd))
        assert result.stdout.text == f"{windows_path(odd)}\n"
        assert result.working_directory == str(odd)
        assert result.exit_code == 0


def test_environment_stays_and_working_directory_moves_the_session(
    session: TestSession, tmp_path: Path
) -> None:
    values = {"A": '"q" & | < > ^ %PATH% (x) !y! ', "B": "café", "C": "1"}
    assert session("set A", environment=values).stdout.text.splitlines()[0] == f"A={values['A']}"
    assert session("echo %B%%C%").stdout.text == "café1\n"
    assert session("cd", working_directory=str(tmp_path)).working_directory == str(tmp_path)
    assert session("cd").stdout.text == f"{windows_path(tmp_path)}\n"


# -- exit codes


@pytest.mark.req("000.cmd.errorlevel")
@pytest.mark.parametrize(("text", "code"), [("exit 7", 7), ("exit 255", 255), ("exit -1", 0xFFFFFFFF)])
def test_exit_codes_are_reported_and_not_left_to_the_next_command(
    session: TestSession, text: str, code: int
) -> None:
    result = session(f"cmd /c {text}")
    assert (result.ended, result.exit_code, result.signal) == (Ended.EXITED, code, None)
    assert session("echo hi").exit_code == 0, "echo leaves %ERRORLEVEL% as it finds it"


@pytest.mark.req("000.cmd.errorlevel")
def test_who_asks_for_the_code_of_the_command_before_gets_it(session: TestSession) -> None:
    session("cmd /c exit 7")
    assert session("echo %ERRORLEVEL%").stdout.text == "7\n"
    assert session("if errorlevel 7 echo seven").stdout.text == "seven\n"


@pytest.mark.req("000.cmd.errorlevel")
def test_a_variable_named_errorlevel_hides_no_code_for_long(session: TestSession) -> None:
    session("set ERRORLEVEL=5")
    assert session("echo hi").exit_code == 0
    assert session("cmd /c exit 3").exit_code == 3


# -- streams


@pytest.mark.req("000.cmd.clean")
@pytest.mark.req("session-streams")
def test_stdout_and_stderr_stay_apart_without_prompts_or_echoes(session: TestSession) -> None:
    result = session("echo out& echo err>&2")
    assert (result.stdout.text, result.stderr.text, result.exit_code) == ("out\n", "err\n", 0)


@pytest.mark.req("000.cmd.clean")
@pytest.mark.parametrize(
    "text", ["echo off", "prompt $P$G", "set PROMPT=", "@echo off", "prompt", "cls", "title x"]
)
def test_what_a_command_does_to_the_prompt_does_not_confuse_it(session: TestSession, text: str) -> None:
    session(text)
    assert still_true(session)


@pytest.mark.req("000.cmd.clean")
def test_a_batch_file_with_echo_on_shows_neither_prompts_nor_its_lines(
    session: TestSession, tmp_path: Path
) -> None:
    (tmp_path / "loud.bat").write_text(BATCH_WITH_ECHO, newline="")
    result = session(windows_path(tmp_path / "loud.bat"))
    assert (result.stdout.text, result.exit_code) == ("loud\n", 4)
    assert still_true(session)


@pytest.mark.req("000.cmd.code-page")
def test_letters_of_the_code_page_go_both_ways(session: TestSession, tmp_path: Path) -> None:
    assert session("echo café Ä ß").stdout.text == "café Ä ß\n"
    (tmp_path / "größe").mkdir()
    assert session(f"dir /b {windows_path(tmp_path)}").stdout.text == "größe\n"


@pytest.mark.req("session-streams")
def test_a_long_output_keeps_both_ends_and_picks_lines_between_them(
    session: TestSession, tmp_path: Path
) -> None:
    padding = "x" * 40
    lines = [f"line {number} {padding}" for number in range(1, 5001)]
    lines[2499] = "main.c:1:2: error: broken"
    (tmp_path / "long.log").write_bytes("".join(f"{line}\r\n" for line in lines).encode())
    result = session(f"type {windows_path(tmp_path / 'long.log')}", timeout_s=60)
    assert result.stdout.truncated
    assert result.stdout.text.startswith(f"line 1 {padding}\n")
    assert "\n2500:main.c:1:2: error: broken\n" in result.stdout.text, "it is picked as in other shells"
    assert result.stdout.text.endswith(f"line 5000 {padding}\n")
    assert result.stdout.spool
    assert Path(result.stdout.spool).read_bytes().count(b"\n") == 5000
    assert still_true(session)


# -- the mark


@pytest.mark.req("000.cmd.marker")
@pytest.mark.req("session-marker")
def test_forged_marks_and_prompts_are_only_output(session: TestSession, tmp_path: Path) -> None:
    living = session.harness.service.sessions.find(session.name) if session("cd") else None
    assert living is not None
    prompt = living.dialect.prompt
    old = f"Marker_{uuid.uuid4()}"
    forged = f"\r\n{prompt}\r\n{old} 0\r\nC:\\forged\r\n{old}\r\n\r\n{prompt}"
    (tmp_path / "forged.txt").write_bytes(forged.encode())
    result = session(f"type {windows_path(tmp_path / 'forged.txt')}& echo {old}>&2& cmd /c exit 4")
    assert result.exit_code == 4
    assert result.stdout.text == forged.replace("\r\n", "\n")
    assert result.stderr.text == f"{old}\n"
    assert result.working_directory != "C:\\forged"
    assert session("echo %PROMPT%").stdout.text == f"{prompt}\n"
    assert still_true(session)


# -- texts that are hard


@pytest.mark.req("session-hard")
@pytest.mark.parametrize(
    "text", [")", "&", "echo a &", "|", "nosuch", "call nosuch", "goto x", 'echo "never closed']
)
def test_wrong_syntax_is_an_error_of_that_command_only(session: TestSession, text: str) -> None:
    assert session(text, timeout_s=5).ended is Ended.EXITED
    assert still_true(session)


@pytest.mark.req("session-hard")
def test_several_lines_run_as_a_batch_file_in_the_same_shell(session: TestSession, tmp_path: Path) -> None:
    result = session(
        f"set X=1\ncd /d {windows_path(tmp_path)}\nfor %%i in (a b) do (\n  echo %%i\n)\nexit /b 4\n"
    )
    assert (result.stdout.text, result.exit_code, result.working_directory) == ("a\nb\n", 4, str(tmp_path))
    assert session("echo %X%").stdout.text == "1\n"
    assert session("if 1==1 (\necho unfinished").ended is Ended.EXITED
    assert still_true(session)


@pytest.mark.req("session-hard")
def test_a_block_that_is_not_closed_ends_with_the_timeout_and_is_reported(
    session: TestSession, tmp_path: Path
) -> None:
    session(f"cd /d {windows_path(tmp_path)}")
    result = session("if 1==1 (echo a", timeout_s=0.5)
    assert result.ended is Ended.TIMED_OUT
    assert f"gets a new one, in {tmp_path}" in result.note
    again = session("cd")
    assert (again.shell_state, again.stdout.text) == (ShellState.REBORN, f"{windows_path(tmp_path)}\n")


@pytest.mark.req("000.cmd.code-page")
@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("echo € > never", {}, "'€' at offset 5"),
        ("echo \0 > never", {}, "NUL"),
        ("echo never > never ^", {}, "ends in ^"),
        ("echo " + "x" * 9000 + "> never", {}, "a line of more than 8,000 characters"),
        ("echo > never & cd", {"stdin": "x"}, "one simple command or pipeline only"),
        ("echo > never", {"environment": {"A": "1\n2"}}, "several lines"),
        ("echo > never", {"working_directory": "/no/such"}, "does not exist"),
    ],
)
def test_what_it_cannot_be_given_truly_is_refused_before_anything_runs(
    session: TestSession, tmp_path: Path, text: str, more: dict[str, object], message: str
) -> None:
    session("cd", working_directory=str(tmp_path))
    with pytest.raises(RequestError) as refused:
        session(text, **more)
    assert message in str(refused.value)
    assert list(tmp_path.iterdir()) == []
    assert still_true(session)


# -- stdin


@pytest.mark.req("session-stdin")
@pytest.mark.parametrize(
    "text", ["pause", "set /p X=", 'find "x"', "more", "cmd", "cd & more", 'echo a| find "b"']
)
def test_who_reads_finds_nothing_and_never_the_next_command(session: TestSession, text: str) -> None:
    assert session(text, timeout_s=10).ended is Ended.EXITED
    assert still_true(session)


@pytest.mark.req("session-stdin")
def test_stdin_can_be_given_as_text(session: TestSession) -> None:
    given = "alpha\r\nxray\r\nxenon, no end"
    assert session('find "x"', stdin=given).stdout.text.splitlines() == ["xray", "xenon, no end"]
    assert session('find "x" | find "y"', stdin=given).stdout.text == "xray\n"
    assert "xray" in session("rem of several lines\nmore", stdin=given).stdout.text
    assert session("more").stdout.text == ""
    assert still_true(session)


# -- time


@pytest.mark.req("session-timeout")
def test_a_timeout_ends_the_whole_tree_and_says_that_the_shell_is_new(
    session: TestSession, tmp_path: Path
) -> None:
    mark = unique_pings()
    session(f"cd /d {windows_path(tmp_path)}")
    session("set X=five")
    text = (
        f"echo begun& start /b ping -n {mark} 127.0.0.1 >nul& cmd /c ping -n {mark} 127.0.0.1& echo more>late"
    )
    result = session(text, timeout_s=1)
    assert (result.ended, result.exit_code) == (Ended.TIMED_OUT, None)
    assert result.stdout.text.startswith("begun\n")
    assert (result.shell_state, result.left_running_total) == (ShellState.LOST, 0)
    assert gone(mark)
    again = session("echo [%X%]& cd")
    assert again.shell_state is ShellState.REBORN
    assert again.stdout.text == f"[%X%]\n{windows_path(tmp_path)}\n"
    assert list(tmp_path.iterdir()) == [], "the rest of the command does not run"


@pytest.mark.req("session-cancel")
def test_a_cancelled_command_is_ended_and_the_session_goes_on(session: TestSession) -> None:
    mark = unique_pings()

    async def cancel() -> None:
        begun = asyncio.Event()
        command = session.command(f"echo begun& ping -n {mark} 127.0.0.1 >nul")
        task = asyncio.create_task(session.harness.service.run(command, lambda _stream, _chunk: begun.set()))
        await asyncio.wait_for(begun.wait(), 20)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    session.harness.do(cancel())
    assert still_true(session)
    assert gone(mark)


# -- death


@pytest.mark.req("000.cmd.death")
@pytest.mark.req("000-death")
@pytest.mark.parametrize("text", ["exit 3", "exit /b 3", "cd\nexit 3"])
def test_a_shell_that_exits_is_reported_truthfully_and_is_reborn_in_its_directory(
    session: TestSession, tmp_path: Path, text: str
) -> None:
    session(f"cd /d {windows_path(tmp_path)}")
    result = session(f"echo last words& {text}")
    assert (result.ended, result.exit_code, result.shell_state) == (Ended.SHELL_DIED, 3, ShellState.LOST)
    assert result.stdout.text.startswith("last words\n")
    again = session("cd")
    assert again.shell_state is ShellState.REBORN
    assert again.note.startswith("A new shell: the one before it ended with code 3")
    assert again.stdout.text == f"{windows_path(tmp_path)}\n"
    assert session("cd").shell_state is ShellState.KEPT


@pytest.mark.req("000.cmd.death")
def test_a_shell_that_was_killed_between_commands_is_replaced(session: TestSession) -> None:
    session("set X=1")
    living = session.harness.service.sessions.find(session.name)._process  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert living is not None
    os.kill(shell_pid(session), signal.SIGKILL)

    async def hear_of_it() -> None:
        await asyncio.wait({living.running.exit})

    session.harness.do(hear_of_it())
    again = session("echo [%X%]")
    assert again.stdout.text == "[%X%]\n"
    assert again.shell_state is ShellState.REBORN


@pytest.mark.req("000.cmd.death")
@pytest.mark.req("fault-session-ends-whole")
@pytest.mark.parametrize("end", ["restart_session", "close_session"])
def test_what_a_shell_had_started_that_was_killed_is_named_and_ended_with_its_session(
    harness: Harness, end: str
) -> None:
    session, mark = harness.new(), unique_pings()
    session("set X=1")
    pid = shell_pid(session)

    async def kill_it_midway() -> Result:
        begun = asyncio.Event()
        command = session.command(f"echo begun& ping -n {mark} 127.0.0.1")
        task = asyncio.create_task(harness.service.run(command, lambda _stream, _chunk: begun.set()))
        await asyncio.wait_for(begun.wait(), 20)
        while not await asyncio.to_thread(carrying, mark):  # it prints before ping is there
            pass
        os.kill(pid, signal.SIGKILL)
        return await task

    result = harness.do(kill_it_midway())
    assert (result.ended, result.signal, result.shell_state) == (Ended.SHELL_DIED, "SIGKILL", ShellState.LOST)
    assert ["ping" in process.command for process in result.left_running] == [True]
    assert session("echo next").stdout.text == "next\n"
    assert carrying(mark), "it goes on, as the result says"
    harness.do(getattr(harness.service, end)(session.name))
    assert gone(mark)
    session.close()


@pytest.mark.req("000.cmd.restart")
@pytest.mark.req("000-restart")
def test_a_restart_ends_all_and_begins_clean(session: TestSession) -> None:
    mark = unique_pings()
    session("set X=five")
    result = session(f"start /b ping -n {mark} 127.0.0.1 >nul")
    names = {process.command.rpartition("\\")[2].split()[0] for process in result.left_running}
    assert names - {"start.exe"} == {"ping.exe"}, (
        "wine's `start` ends a moment later where the machine is busy"
    )
    assert session("cd").left_running == ()
    pid = shell_pid(session)
    session.harness.do(session.harness.service.restart_session(session.name))
    assert gone(mark)
    assert session("echo [%X%]").stdout.text == "[%X%]\n"
    assert shell_pid(session) != pid


# -- side by side, and many


@pytest.mark.req("session-apart")
def test_sessions_run_side_by_side_and_never_mix(harness: Harness) -> None:
    sessions = [harness.new() for _ in range(4)]

    async def all_at_once() -> list[tuple[str, str]]:
        calls = [
            session.start(f"echo {session.name}& echo {session.name}>&2")
            for session in sessions
            for _ in range(5)
        ]
        return [(result.stdout.text, result.stderr.text) for result in await asyncio.gather(*calls)]

    assert harness.do(all_at_once()) == [(f"{session.name}\n",) * 2 for session in sessions for _ in range(5)]
    sessions[0].close()
    assert still_true(sessions[1]), "wine's servers outlive the session that started them"
    for session in sessions[1:]:
        session.close()


@pytest.mark.req("000.cmd.persistent")
def test_a_thousand_commands_in_a_row_each_get_their_own_answer(session: TestSession) -> None:
    async def all_of_them() -> None:
        for number in range(1000):
            result = await session.start(f"echo {number}")
            assert (result.stdout.text, result.stderr.text, result.exit_code) == (f"{number}\n", "", 0)

    session.harness.do(all_of_them())


def test_nothing_is_left_behind() -> None:
    opened = cmd_harness()
    harness, mark = next(opened), unique_pings()
    session = harness.new()
    session(f"start /b ping -n {mark} 127.0.0.1 >nul")
    session("more", stdin="x")
    session("cd\ncd", environment={"A": "1"})
    cookie, spools = harness.link.cookie, Path(harness.service.place.spools.path)
    session.close()
    harness.new()("cd")
    assert {path.name.split(".")[0] for path in spools.iterdir()} == set()
    assert next(opened, None) is None
    assert gone(mark)
    assert wait_for_end(list(processes.bearers(cookie)), 20), "wine's servers end when the last program has"


# -- a fresh shell, and a client


@pytest.mark.parametrize(
    ("text", "shown", "code"),
    [
        ("echo hi& exit 4", "hi\n", 4),
        ('echo "a b" c', '"a b" c\n', 0),
        ("echo é\nexit /b 7", "é\n", 7),
        ("echo €", "€\n", 0),
        ("echo a\\", "a\\\n", 0),
    ],
)
def test_a_fresh_cmd_runs_one_command(
    harness: Harness, tmp_path: Path, text: str, shown: str, code: int
) -> None:
    result = harness.do(harness.service.run(Command(text, str(tmp_path), 30)))
    assert (result.stdout.text, result.exit_code, result.left_running_total) == (shown, code, 0)


@pytest.mark.req("000.cmd.persistent")
@pytest.mark.req("000.cmd.restart")
def test_a_client_works_in_a_session_under_rules(start: Start, tmp_path: Path) -> None:
    client = start("--shell", "cmd.exe", "--allow", "cd,echo,set", env=wine_environment(), cwd=tmp_path)
    assert client.shell("set X=1", session="a")["session"] == {"name": "a", "shell": "new", "note": ""}
    assert client.shell("set X", session="a")["stdout"] == "X=1\n"
    assert client.shell("cd", session="a")["working_directory"] == str(tmp_path)
    denied = client.call("shell", command="echo hi & del x", session="a")
    assert "Denied by the policy" in text_of(denied)
    assert "was restarted" in text_of(client.call("session", action="restart", name="a"))
    assert client.shell("set X", session="a")["exit_code"] == 1
