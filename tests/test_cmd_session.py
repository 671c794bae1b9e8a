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
from session_house import House, Room, open_room
from wine_house import PREFIX, cmd_house, unique_pings, windows_path, wine_environment
from wire_client import WireClient, text_of

from nacre.errors import RequestError
from nacre.keeper import processes
from nacre.model import Command, Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

BATCH_WITH_ECHO = "echo loud\r\ncmd /c exit 4\r\n"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    yield from cmd_house()


@pytest.fixture
def room(house: House) -> Iterator[Room]:
    yield from open_room(house)


def still_true(room: Room) -> bool:
    """Whether the session gives true answers after all that."""
    again = room("echo out& echo err>&2& cmd /c exit 5")
    return (again.stdout.text, again.stderr.text, again.exit_code) == ("out\n", "err\n", 5)


def shell_pid(room: Room) -> int:
    session = room.house.service.sessions.find(room.name)
    (pid,) = carrying(session._dialect.prompt)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return pid


# -- state


@pytest.mark.req("000.cmd.persistent")
@pytest.mark.req("000-state")
def test_directory_and_variables_live_on_in_one_process(room: Room, tmp_path: Path) -> None:
    moved = room(f"cd /d {windows_path(tmp_path)}")
    assert moved.working_directory == str(tmp_path)
    pid = shell_pid(room)
    room("set X=five")
    assert room("echo [%X%]").stdout.text == "[five]\n"
    assert room("cd").stdout.text == f"{windows_path(tmp_path)}\n"
    assert shell_pid(room) == pid


@pytest.mark.req("000.cmd.persistent")
def test_the_first_command_says_that_the_shell_is_new_and_the_next_that_it_was_kept(room: Room) -> None:
    assert [room("cd").shell_state for _ in range(2)] == [ShellState.NEW, ShellState.KEPT]


def test_a_directory_on_another_drive_is_told_as_linux_calls_it(room: Room) -> None:
    told = room("cd /d C:\\windows")
    assert os.path.samefile(told.working_directory, PREFIX / "drive_c" / "windows")
    room("exit")
    assert room("cd").stdout.text == "C:\\windows\n"


def test_a_directory_of_any_name_is_told_right(room: Room, tmp_path: Path) -> None:
    room("cd")
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
        told = room("cd", working_directory=str(odd))
        assert told.stdout.text == f"{windows_path(odd)}\n"
        assert told.working_directory == str(odd)
        assert told.exit_code == 0


def test_environment_stays_and_working_directory_moves_the_session(room: Room, tmp_path: Path) -> None:
    values = {"A": '"q" & | < > ^ %PATH% (x) !y! ', "B": "café", "C": "1"}
    assert room("set A", environment=values).stdout.text.splitlines()[0] == f"A={values['A']}"
    assert room("echo %B%%C%").stdout.text == "café1\n"
    assert room("cd", working_directory=str(tmp_path)).working_directory == str(tmp_path)
    assert room("cd").stdout.text == f"{windows_path(tmp_path)}\n"


# -- exit codes


@pytest.mark.req("000.cmd.errorlevel")
@pytest.mark.parametrize(("text", "code"), [("exit 7", 7), ("exit 255", 255), ("exit -1", 0xFFFFFFFF)])
def test_exit_codes_are_told_and_not_left_to_the_next_command(room: Room, text: str, code: int) -> None:
    told = room(f"cmd /c {text}")
    assert (told.ended, told.exit_code, told.signal) == (Ended.EXITED, code, None)
    assert room("echo hi").exit_code == 0, "echo leaves %ERRORLEVEL% as it finds it"


@pytest.mark.req("000.cmd.errorlevel")
def test_who_asks_for_the_code_of_the_command_before_gets_it(room: Room) -> None:
    room("cmd /c exit 7")
    assert room("echo %ERRORLEVEL%").stdout.text == "7\n"
    assert room("if errorlevel 7 echo seven").stdout.text == "seven\n"


@pytest.mark.req("000.cmd.errorlevel")
def test_a_variable_named_errorlevel_hides_no_code_for_long(room: Room) -> None:
    room("set ERRORLEVEL=5")
    assert room("echo hi").exit_code == 0
    assert room("cmd /c exit 3").exit_code == 3


# -- streams


@pytest.mark.req("000.cmd.clean")
@pytest.mark.req("session-streams")
def test_stdout_and_stderr_stay_apart_without_prompts_or_echoes(room: Room) -> None:
    told = room("echo out& echo err>&2")
    assert (told.stdout.text, told.stderr.text, told.exit_code) == ("out\n", "err\n", 0)


@pytest.mark.req("000.cmd.clean")
@pytest.mark.parametrize(
    "text", ["echo off", "prompt $P$G", "set PROMPT=", "@echo off", "prompt", "cls", "title x"]
)
def test_what_a_command_does_to_the_prompt_does_not_confuse_it(room: Room, text: str) -> None:
    room(text)
    assert still_true(room)


@pytest.mark.req("000.cmd.clean")
def test_a_batch_file_with_echo_on_shows_neither_prompts_nor_its_lines(room: Room, tmp_path: Path) -> None:
    (tmp_path / "loud.bat").write_text(BATCH_WITH_ECHO, newline="")
    told = room(windows_path(tmp_path / "loud.bat"))
    assert (told.stdout.text, told.exit_code) == ("loud\n", 4)
    assert still_true(room)


@pytest.mark.req("000.cmd.code-page")
def test_letters_of_the_code_page_go_both_ways(room: Room, tmp_path: Path) -> None:
    assert room("echo café Ä ß").stdout.text == "café Ä ß\n"
    (tmp_path / "größe").mkdir()
    assert room(f"dir /b {windows_path(tmp_path)}").stdout.text == "größe\n"


@pytest.mark.req("session-streams")
def test_a_long_output_keeps_both_ends_and_spools_the_rest(room: Room) -> None:
    padding = "x" * 40
    told = room(f"for /l %i in (1,1,5000) do @echo line %i {padding}", timeout_s=60)
    assert told.stdout.truncated
    assert told.stdout.text.startswith(f"line 1 {padding}\nline 2 {padding}\n")
    assert told.stdout.text.endswith(f"line 5000 {padding}\n")
    assert told.stdout.spool
    assert Path(told.stdout.spool).read_bytes().count(b"\n") == 5000
    assert still_true(room)


# -- the mark


@pytest.mark.req("000.cmd.marker")
@pytest.mark.req("session-marker")
def test_forged_marks_and_prompts_are_only_output(room: Room, tmp_path: Path) -> None:
    session = room.house.service.sessions.find(room.name) if room("cd") else None
    assert session is not None
    prompt = session._dialect.prompt  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    old = f"Marker_{uuid.uuid4()}"
    forged = f"\r\n{prompt}\r\n{old} 0\r\nC:\\forged\r\n{old}\r\n\r\n{prompt}"
    (tmp_path / "forged.txt").write_bytes(forged.encode())
    told = room(f"type {windows_path(tmp_path / 'forged.txt')}& echo {old}>&2& cmd /c exit 4")
    assert told.exit_code == 4
    assert told.stdout.text == forged.replace("\r\n", "\n")
    assert told.stderr.text == f"{old}\n"
    assert told.working_directory != "C:\\forged"
    assert room("echo %PROMPT%").stdout.text == f"{prompt}\n"
    assert still_true(room)


# -- texts that are hard


@pytest.mark.req("session-hard")
@pytest.mark.parametrize(
    "text", [")", "&", "echo a &", "|", "nosuch", "call nosuch", "goto x", 'echo "never closed']
)
def test_wrong_syntax_is_an_error_of_that_command_only(room: Room, text: str) -> None:
    assert room(text, timeout_s=5).ended is Ended.EXITED
    assert still_true(room)


@pytest.mark.req("session-hard")
def test_several_lines_run_as_a_batch_file_in_the_same_shell(room: Room, tmp_path: Path) -> None:
    told = room(f"set X=1\ncd /d {windows_path(tmp_path)}\nfor %%i in (a b) do (\n  echo %%i\n)\nexit /b 4\n")
    assert (told.stdout.text, told.exit_code, told.working_directory) == ("a\nb\n", 4, str(tmp_path))
    assert room("echo %X%").stdout.text == "1\n"
    assert room("if 1==1 (\necho unfinished").ended is Ended.EXITED
    assert still_true(room)


@pytest.mark.req("session-hard")
def test_a_block_that_is_not_closed_ends_with_the_timeout_and_is_told(room: Room, tmp_path: Path) -> None:
    room(f"cd /d {windows_path(tmp_path)}")
    told = room("if 1==1 (echo a", timeout_s=0.5)
    assert told.ended is Ended.TIMED_OUT
    assert f"gets a new one, in {tmp_path}" in told.note
    again = room("cd")
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
    room: Room, tmp_path: Path, text: str, more: dict[str, object], message: str
) -> None:
    room("cd", working_directory=str(tmp_path))
    with pytest.raises(RequestError) as refused:
        room(text, **more)
    assert message in str(refused.value)
    assert list(tmp_path.iterdir()) == []
    assert still_true(room)


# -- stdin


@pytest.mark.req("session-stdin")
@pytest.mark.parametrize(
    "text", ["pause", "set /p X=", 'find "x"', "more", "cmd", "cd & more", 'echo a| find "b"']
)
def test_who_reads_finds_nothing_and_never_the_next_command(room: Room, text: str) -> None:
    assert room(text, timeout_s=10).ended is Ended.EXITED
    assert still_true(room)


@pytest.mark.req("session-stdin")
def test_stdin_can_be_given_as_text(room: Room) -> None:
    given = "alpha\r\nxray\r\nxenon, no end"
    assert room('find "x"', stdin=given).stdout.text.splitlines() == ["xray", "xenon, no end"]
    assert room('find "x" | find "y"', stdin=given).stdout.text == "xray\n"
    assert "xray" in room("rem of several lines\nmore", stdin=given).stdout.text
    assert room("more").stdout.text == ""
    assert still_true(room)


# -- time


@pytest.mark.req("session-timeout")
def test_a_timeout_ends_the_whole_tree_and_says_that_the_shell_is_new(room: Room, tmp_path: Path) -> None:
    mark = unique_pings()
    room(f"cd /d {windows_path(tmp_path)}")
    room("set X=five")
    text = (
        f"echo begun& start /b ping -n {mark} 127.0.0.1 >nul& cmd /c ping -n {mark} 127.0.0.1& echo more>late"
    )
    told = room(text, timeout_s=1)
    assert (told.ended, told.exit_code) == (Ended.TIMED_OUT, None)
    assert told.stdout.text.startswith("begun\n")
    assert (told.shell_state, told.left_running_total) == (ShellState.LOST, 0)
    assert gone(mark)
    again = room("echo [%X%]& cd")
    assert again.shell_state is ShellState.REBORN
    assert again.stdout.text == f"[%X%]\n{windows_path(tmp_path)}\n"
    assert list(tmp_path.iterdir()) == [], "the rest of the command does not run"


@pytest.mark.req("session-cancel")
def test_a_cancelled_command_is_ended_and_the_session_goes_on(room: Room) -> None:
    mark = unique_pings()

    async def cancel() -> None:
        begun = asyncio.Event()
        command = room.command(f"echo begun& ping -n {mark} 127.0.0.1 >nul")
        task = asyncio.create_task(room.house.service.run(command, lambda _stream, _chunk: begun.set()))
        await asyncio.wait_for(begun.wait(), 20)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    room.house.do(cancel())
    assert still_true(room)
    assert gone(mark)


# -- death


@pytest.mark.req("000.cmd.death")
@pytest.mark.req("000-death")
@pytest.mark.parametrize("text", ["exit 3", "exit /b 3", "cd\nexit 3"])
def test_a_shell_that_exits_is_told_truly_and_is_reborn_in_its_directory(
    room: Room, tmp_path: Path, text: str
) -> None:
    room(f"cd /d {windows_path(tmp_path)}")
    told = room(f"echo last words& {text}")
    assert (told.ended, told.exit_code, told.shell_state) == (Ended.SHELL_DIED, 3, ShellState.LOST)
    assert told.stdout.text.startswith("last words\n")
    again = room("cd")
    assert again.shell_state is ShellState.REBORN
    assert again.note.startswith("A new shell: the one before it ended with code 3")
    assert again.stdout.text == f"{windows_path(tmp_path)}\n"
    assert room("cd").shell_state is ShellState.KEPT


@pytest.mark.req("000.cmd.death")
def test_a_shell_that_was_killed_between_commands_is_replaced(room: Room) -> None:
    room("set X=1")
    living = room.house.service.sessions.find(room.name)._living  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    assert living is not None
    os.kill(shell_pid(room), signal.SIGKILL)

    async def hear_of_it() -> None:
        await asyncio.wait({living.running.exit})

    room.house.do(hear_of_it())
    again = room("echo [%X%]")
    assert again.stdout.text == "[%X%]\n"
    assert again.shell_state is ShellState.REBORN


@pytest.mark.req("000.cmd.restart")
@pytest.mark.req("000-restart")
def test_a_restart_ends_all_and_begins_clean(room: Room) -> None:
    mark = unique_pings()
    room("set X=five")
    told = room(f"start /b ping -n {mark} 127.0.0.1 >nul")
    assert [process.command.rpartition("\\")[2].split()[0] for process in told.left_running] == ["ping.exe"]
    assert room("cd").left_running == ()
    pid = shell_pid(room)
    room.house.do(room.house.service.restart_session(room.name))
    assert gone(mark)
    assert room("echo [%X%]").stdout.text == "[%X%]\n"
    assert shell_pid(room) != pid


# -- side by side, and many


@pytest.mark.req("session-apart")
def test_sessions_run_side_by_side_and_never_mix(house: House) -> None:
    rooms = [house.new() for _ in range(4)]

    async def all_at_once() -> list[tuple[str, str]]:
        calls = [room.start(f"echo {room.name}& echo {room.name}>&2") for room in rooms for _ in range(5)]
        return [(result.stdout.text, result.stderr.text) for result in await asyncio.gather(*calls)]

    assert house.do(all_at_once()) == [(f"{room.name}\n",) * 2 for room in rooms for _ in range(5)]
    rooms[0].close()
    assert still_true(rooms[1]), "wine's servers outlive the session that started them"
    for room in rooms[1:]:
        room.close()


@pytest.mark.req("000.cmd.persistent")
def test_a_thousand_commands_in_a_row_each_get_their_own_answer(room: Room) -> None:
    async def all_of_them() -> None:
        for number in range(1000):
            told = await room.start(f"echo {number}")
            assert (told.stdout.text, told.stderr.text, told.exit_code) == (f"{number}\n", "", 0)

    room.house.do(all_of_them())


def test_nothing_is_left_behind() -> None:
    opened = cmd_house()
    house, mark = next(opened), unique_pings()
    room = house.new()
    room(f"start /b ping -n {mark} 127.0.0.1 >nul")
    room("more", stdin="x")
    room("cd\ncd", environment={"A": "1"})
    cookie, spools = house.service.place.keeper.current.cookie, Path(house.service.place.spools.path)
    room.close()
    house.new()("cd")
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
def test_a_fresh_cmd_runs_one_command(house: House, tmp_path: Path, text: str, shown: str, code: int) -> None:
    told = house.do(house.service.run(Command(text, str(tmp_path), 30)))
    assert (told.stdout.text, told.exit_code, told.left_running_total) == (shown, code, 0)


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
