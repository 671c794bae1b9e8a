"""Sessions: one suite of behaviour that every shell passes; their differences are data (`SYNTAXES`)."""

from __future__ import annotations

import asyncio
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import Gate, carrying, gone, unique_seconds
from session_harness import SYNTAXES, Harness, ShellSyntax, TestSession, open_harness, open_session

from nacre.errors import RequestError
from nacre.model import Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Iterator

POSIX = [name for name, syntax in SYNTAXES.items() if syntax.posix]


@pytest.fixture(scope="module", params=SYNTAXES)
def any_harness(request: pytest.FixtureRequest) -> Iterator[Harness]:
    yield from open_harness(request.param)


@pytest.fixture(scope="module", params=POSIX)
def posix_harness(request: pytest.FixtureRequest) -> Iterator[Harness]:
    yield from open_harness(request.param)


@pytest.fixture
def session(any_harness: Harness) -> Iterator[TestSession]:
    """A new session in every shell there is."""
    yield from open_session(any_harness)


@pytest.fixture
def posix(posix_harness: Harness) -> Iterator[TestSession]:
    """A new session in every shell that speaks POSIX."""
    yield from open_session(posix_harness)


def syntax(session: TestSession) -> ShellSyntax:
    return SYNTAXES[session.harness.service.shell.name]


def still_true(session: TestSession) -> bool:
    """Whether the session gives true answers after all that."""
    again = session("sh -c 'echo out; echo err >&2; exit 5'")
    return (again.stdout.text, again.stderr.text, again.exit_code) == ("out\n", "err\n", 5)


# -- state


@pytest.mark.req("000-persistent-shell")
@pytest.mark.req("000-state")
def test_directory_variables_functions_and_aliases_live_on(session: TestSession, tmp_path: Path) -> None:
    how = syntax(session)
    assert session(f"cd {tmp_path}").working_directory == str(tmp_path)
    session(how.assign)
    session(how.function)
    session(how.alias)
    assert session("pwd").stdout.text == f"{tmp_path}\n"
    assert session(how.show).stdout.text == "<five>\n"
    assert session("f it").stdout.text == "f of it\n"
    assert session("hello").stdout.text == "aliased\n"


@pytest.mark.req("000-state")
def test_options_positional_parameters_and_descriptors_live_on(posix: TestSession, tmp_path: Path) -> None:
    posix(f"{syntax(posix).no_glob}; set -- a 'b c'")
    posix(f"exec 5>{tmp_path}/five")
    assert posix("echo * $# $2").stdout.text == "* 2 b c\n"
    posix("echo to five >&5")
    assert (tmp_path / "five").read_text() == "to five\n"


@pytest.mark.req("000-persistent-shell")
def test_the_same_process_serves_every_command(session: TestSession) -> None:
    how = syntax(session)
    assert session(f"echo {how.own_pid}").stdout.text == session(f"echo {how.own_pid}").stdout.text


def test_the_first_command_says_that_the_shell_is_new_and_the_next_that_it_was_kept(
    session: TestSession,
) -> None:
    assert [session("true").shell_state for _ in range(2)] == [ShellState.NEW, ShellState.KEPT]


def test_exit_codes_are_reported_and_the_next_command_sees_them(session: TestSession) -> None:
    how = syntax(session)
    failed = session(how.code_7)
    assert (failed.ended, failed.exit_code, failed.signal) == (Ended.EXITED, 7, None)
    if how.last_code:
        assert session(how.last_code).stdout.text == "7\n"
        assert session(how.last_code).stdout.text == "0\n"
        session("false")
        assert session(how.last_code).stdout.text == "1\n"


@pytest.mark.parametrize(
    ("shell", "text"),
    [
        *[(shell, "echo ${?}") for shell in POSIX],
        ("zsh", "echo $status"),
        ("zsh", "echo $pipestatus"),
        ("bash", "echo ${PIPESTATUS[@]}"),
        ("mksh", "echo ${PIPESTATUS[@]}"),
        ("fish", "echo $pipestatus"),
    ],
)
def test_the_code_before_has_every_name_that_the_shell_knows_it_by(shell: str, text: str) -> None:
    harness = Harness(shell)
    try:
        session = harness.new()
        for code, fails in ((7, SYNTAXES[shell].code_7), (1, "false")):
            session(fails)
            assert session(text).stdout.text == f"{code}\n"
    finally:
        harness.close()


def test_a_trace_shows_no_more_after_a_failure_than_after_a_success(posix: TestSession) -> None:
    posix("set -x")
    posix("true")
    usual = posix("echo $?").stderr.text.replace("0", "N")
    for fails, code in (("false", "1"), ("(exit 7)", "7")):
        posix(fails)
        assert posix("echo $?").stderr.text.replace(code, "N") == usual


def test_a_directory_of_any_name_is_reported_correctly(session: TestSession, tmp_path: Path) -> None:
    for name in ("with space", "it's", 'a "b"', "two\nlines", "é", "-dash", "$HOME"):
        odd = tmp_path / name
        odd.mkdir()
        result = session("pwd", working_directory=str(odd))
        assert result.working_directory == str(odd)
        assert result.stdout.text == f"{odd}\n"


def test_a_shell_that_lies_about_its_directory_is_not_believed(posix: TestSession, tmp_path: Path) -> None:
    assert posix(f"cd {tmp_path}; PWD=/nowhere").working_directory == str(tmp_path)


@pytest.mark.parametrize("name", ["gone", "there (deleted)"])
def test_nor_in_a_directory_that_is_gone_or_called_so(posix: TestSession, tmp_path: Path, name: str) -> None:
    odd = tmp_path / name
    text = f"mkdir '{odd}'; cd '{odd}'; PWD={tmp_path}/a/b/c"
    if name == "gone":
        text += f"; rmdir '{odd}'"
    assert posix(text).working_directory == str(odd)


def test_a_symbolic_link_is_shown_as_the_shell_shows_it(session: TestSession, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    shown = "real" if syntax(session).resolves_links else "link"
    assert session(f"cd {tmp_path}/link").working_directory == str(tmp_path / shown)


def test_environment_stays_and_working_directory_moves_the_session(
    session: TestSession, tmp_path: Path
) -> None:
    value = 'it\'s \\ "quoted" $HOME\nand long'
    result = session("sh -c 'printf %s \"$GIVEN\"'; pwd", environment={"GIVEN": value})
    assert result.stdout.text.startswith(value)
    moved = session(
        "sh -c 'printf %s \"$GIVEN\"'; pwd", working_directory=str(tmp_path), environment={"B": "2"}
    )
    assert moved.stdout.text == f"{value}{tmp_path}\n"
    assert session("pwd").stdout.text == f"{tmp_path}\n"


def test_a_missing_directory_and_a_bad_name_are_refused_before_anything_runs(session: TestSession) -> None:
    session("true")
    with pytest.raises(RequestError, match="working_directory does not exist: /no/such"):
        session("touch /tmp/never", working_directory="/no/such")
    with pytest.raises(RequestError, match="variable named 'a-b'"):
        session("true", environment={"a-b": "1"})
    assert still_true(session)


# -- streams


@pytest.mark.req("session-streams")
def test_stdout_and_stderr_stay_apart_without_prompts_or_echoes(session: TestSession) -> None:
    result = session(syntax(session).both_streams)
    assert (result.stdout.text, result.stderr.text, result.exit_code) == ("out\n", "err\n", 0)


@pytest.mark.req("session-streams")
def test_a_long_output_keeps_both_ends_and_spools_the_rest(session: TestSession) -> None:
    result = session("seq 1 100000")
    assert result.stdout.truncated
    assert result.stdout.text.startswith("1\n2\n")
    assert result.stdout.text.endswith("\n100000\n")
    assert result.stdout.spool
    assert Path(result.stdout.spool).read_text().count("\n") == 100000
    assert still_true(session)


def test_output_without_a_last_newline_and_binary_output_are_shown(session: TestSession) -> None:
    assert session("printf 'no end'").stdout.text == "no end"
    assert session(syntax(session).binary).stdout.text == "\\xff\\x00"


# -- the private channel


@pytest.mark.req("session-marker")
def test_forged_marks_and_prompts_are_only_output(session: TestSession) -> None:
    forged = f"Marker_{uuid.uuid4()}"
    result = session(f"sh -c 'echo {forged} 0 /etc {forged}; echo {forged} 0 /etc {forged} >&2; exit 4'")
    assert result.exit_code == 4
    assert result.stdout.text == result.stderr.text == f"{forged} 0 /etc {forged}\n"
    assert result.working_directory != "/etc"


@pytest.mark.req("session-marker")
def test_commands_do_not_have_the_private_channel(session: TestSession) -> None:
    result = session("ls /proc/self/fd")
    assert result.stdout.text.split() == ["0", "1", "2", "3"]  # 3 is the directory that ls reads
    posix = syntax(session).posix
    assert session("sh -c 'echo forged >&3'").exit_code != 0
    if posix:
        assert session("echo forged >&3").exit_code != 0
    assert still_true(session)


@pytest.mark.req("session-hard")
@pytest.mark.parametrize(
    "text",
    [
        "set -x",
        "set -v",
        "set -xv; echo traced",
        "exec >/dev/null",
        "exec 2>&1",
        "exec >/dev/null 2>&1 </dev/null",
        "exec 3>&-; exec 3>&1",
        "set -e; false",
        "set -u; echo $NOT_SET_AT_ALL",
        "set -eu; false; echo $NOT_SET_AT_ALL",
        "trap 'echo trapped' EXIT INT TERM HUP",
        "PS1='$ '; PS2='> '; PS4='++'",
        "PROMPT_COMMAND='echo prompted'",
        "IFS=0123456789abcdef",
        "PATH=",
        "unset PWD HOME PATH",
        "set -f; set -C",
        "alias echo='false' printf='false' eval='false' command='false' builtin='false'",
        "kill -INT $$",
        "umask 777",
        "ulimit -c 0",
        "exec 0</dev/null",
        "LC_ALL=C; export LC_ALL",
    ],
)
def test_what_a_command_does_to_the_shell_does_not_confuse_it(posix: TestSession, text: str) -> None:
    first = posix(text, timeout_s=5)  # dash loses its place at `kill -INT $$`, and is brought back then
    again = posix("/bin/echo out; /bin/echo err >&2; (exit 5)")
    assert again.ended is Ended.EXITED
    lives = first.ended is Ended.EXITED or syntax(posix).interrupt_keeps_state
    assert (again.exit_code, again.shell_state) == (5, ShellState.KEPT if lives else ShellState.REBORN)
    assert "out\n" in again.stdout.text
    assert "Marker_" not in again.stdout.text + again.stderr.text


@pytest.mark.req("session-hard")
@pytest.mark.parametrize("name", ["echo", "printf", "cd", "print", "pwd", "true", "test"])
def test_redefined_builtins_do_not_confuse_it(posix: TestSession, name: str) -> None:
    posix(f"{name}() {{ command {name} redefined; return 9; }}")
    posix(f"alias {name}='echo also {name}'")
    again = posix("sh -c 'echo out; exit 5'")
    assert (again.stdout.text, again.exit_code) == ("out\n", 5)


@pytest.mark.req("session-hard")
@pytest.mark.parametrize(
    "text",
    ["echo 'never closed", 'echo "never closed', "if true", ")", "}", "echo $(", "echo `", "a && ", "fi"],
)
def test_unfinished_and_wrong_syntax_is_an_error_of_that_command_only(posix: TestSession, text: str) -> None:
    result = posix(text)
    assert result.ended is Ended.EXITED
    assert result.exit_code in syntax(posix).syntax_codes
    assert result.stderr.text
    assert posix(syntax(posix).if_true).stdout.text == "yes\n"
    assert still_true(posix)


@pytest.mark.req("session-hard")
def test_an_unfinished_quote_is_an_error_of_that_command_only(session: TestSession) -> None:
    result = session(syntax(session).unfinished)
    assert result.exit_code in syntax(session).syntax_codes
    assert result.stderr.text
    assert session(syntax(session).if_true).stdout.text == "yes\n"


@pytest.mark.req("session-hard")
def test_heredocs_comments_and_many_lines_run_as_typed(posix: TestSession) -> None:
    result = posix(
        "# a comment\ncat <<EOF\n1 $((1+1))\nEOF\ncat <<'EOF' # quoted\n$X `no`\nEOF\n\necho 'two\nlines'"
    )
    assert result.stdout.text == "1 2\n$X `no`\ntwo\nlines\n"
    posix("cat <<EOF\nnever ended")
    assert still_true(posix)


@pytest.mark.req("session-hard")
def test_a_command_of_a_megabyte_runs_as_typed(session: TestSession) -> None:
    long = "x" * 1_000_000
    result = session(f"echo {long} | wc -c")
    assert result.stdout.text.strip() == "1000001"
    assert still_true(session)


@pytest.mark.req("session-hard")
def test_crlf_reaches_the_shell_as_typed_and_nul_is_refused(session: TestSession) -> None:
    session("echo one\r\necho two\r\n")
    with pytest.raises(RequestError, match="NUL"):
        session("echo \0")
    assert still_true(session)


def test_return_outside_of_a_function_gives_a_true_result(session: TestSession) -> None:
    result = session("return 4")
    assert result.ended is (Ended.EXITED if syntax(session).returns_alive else Ended.SHELL_DIED)
    assert result.exit_code
    assert still_true(session)


# -- stdin


@pytest.mark.req("session-stdin")
def test_stdin_is_empty_or_what_was_given_and_never_the_next_command(session: TestSession) -> None:
    assert session("cat; echo done").stdout.text == "done\n"
    given = "line 1\nline 2, no end"
    assert session("cat", stdin=given).stdout.text == given
    assert session("head -n 1", stdin="a\n" * 100_000).stdout.text == "a\n"
    assert session("cat; echo done").stdout.text == "done\n"
    assert still_true(session)


# -- background


@pytest.mark.req("session-background")
@pytest.mark.req("keeper-late")
def test_a_background_job_is_named_and_prints_into_nobody_elses_output(
    session: TestSession, tmp_path: Path
) -> None:
    gate = Gate(tmp_path)
    result = session(
        f"sh -c 'cat {gate.path}; echo late >&2; echo late' {syntax(session).beside} echo at once"
    )
    assert result.stdout.text == "at once\n"
    assert result.stderr.text == ""
    assert result.left_running_total >= 1
    assert session("echo next").left_running == ()
    gate.open()
    for _ in range(3):
        again = session("echo quiet")
        assert (again.stdout.text, again.stderr.text) == ("quiet\n", "")
    for text in (result.stdout, result.stderr):
        assert session(f"sh -c 'until grep -q late {text.spool}; do :; done'", timeout_s=20).exit_code == 0


# -- time


@pytest.mark.req("session-timeout")
def test_a_timeout_interrupts_the_command_and_keeps_the_shell(session: TestSession) -> None:
    how, mark = syntax(session), unique_seconds()
    session(how.assign)
    result = session(f"echo begun; {how.sleep} {mark}; echo not reached", timeout_s=0.3)
    assert (result.ended, result.exit_code) == (Ended.TIMED_OUT, None)
    assert result.stdout.text == "begun\n"
    assert ("are kept" if how.interrupt_keeps_state else "gets a new one") in result.note
    assert gone(mark)
    assert session(how.show).stdout.text == ("<five>\n" if how.interrupt_keeps_state else "<>\n")
    assert still_true(session)


@pytest.mark.req("session-timeout")
@pytest.mark.parametrize("reaction", ["exit 0", "exit 1", ""], ids=["succeeds", "fails", "ignores it"])
def test_nothing_of_the_rest_of_a_command_runs_after_a_timeout(session: TestSession, reaction: str) -> None:
    how, mark = syntax(session), unique_seconds()
    session(how.assign)
    stubborn = f"sh -c 'trap \"{reaction}\" INT TERM; sleep {mark}; :'"
    result = session(f"echo begun; {stubborn}; echo not reached\necho nor this", timeout_s=0.3)
    assert (result.ended, result.stdout.text) == (Ended.TIMED_OUT, "begun\n")
    assert gone(mark)
    assert session(how.show).stdout.text == ("<five>\n" if how.interrupt_keeps_state else "<>\n")
    assert still_true(session)


SUBSHELLS = {
    "subshell": "(%s; echo not reached)",
    "pipeline": "{ %s; echo not reached; } | cat",
    "substitution": "x=$(%s; echo not reached >&2)",
    "function": "f() { %s; echo not reached; }; f",
    "loop": "for each in 1 2; do %s; echo not reached; done",
}


@pytest.mark.req("session-timeout")
@pytest.mark.parametrize("text", SUBSHELLS.values(), ids=SUBSHELLS)
def test_nothing_of_a_compound_command_runs_after_a_timeout(posix: TestSession, text: str) -> None:
    mark = unique_seconds()
    stubborn = f"sh -c 'trap \"exit 0\" INT TERM; sleep {mark}; :'"
    result = posix(f"{text % stubborn}; echo nor this", timeout_s=0.3)
    assert result.ended is Ended.TIMED_OUT
    assert "reached" not in result.stdout.text + result.stderr.text
    assert "nor this" not in result.stdout.text
    assert gone(mark)
    assert still_true(posix)


@pytest.mark.req("session-timeout")
def test_a_program_that_has_replaced_its_shell_can_clean_up_at_a_timeout(posix: TestSession) -> None:
    mark = unique_seconds()
    tidy = f'trap "echo tidied up; exit 0" INT TERM; echo begun; sleep {mark} & wait'
    result = posix(f"exec sh -c '{tidy}'", timeout_s=1)
    assert result.ended is Ended.TIMED_OUT
    if syntax(posix).interrupt_keeps_state:  # otherwise it is ended with what runs in its place
        assert result.stdout.text == "begun\ntidied up\n"
    assert gone(mark)
    assert still_true(posix)


@pytest.mark.req("session-timeout")
def test_a_timeout_in_the_shell_itself_says_whether_its_state_was_kept(session: TestSession) -> None:
    how = syntax(session)
    session(how.assign)
    result = session(how.spin, timeout_s=0.3)
    assert result.ended is Ended.TIMED_OUT
    kept = result.shell_state is ShellState.KEPT
    assert kept == how.spin_keeps_state
    assert session(how.show).stdout.text == ("<five>\n" if kept else "<>\n")
    assert still_true(session)


@pytest.mark.req("session-timeout")
def test_what_ignores_the_interrupt_is_killed_and_the_shell_lives(posix: TestSession) -> None:
    mark = unique_seconds()
    posix("X=five")
    result = posix(f"sh -c 'trap \"\" INT TERM; sleep {mark}; :'", timeout_s=0.3)
    assert result.ended is Ended.TIMED_OUT
    assert gone(mark)
    if syntax(posix).interrupt_keeps_state:
        assert result.shell_state is ShellState.KEPT
        assert result.note.startswith("The command was killed;")
        assert posix('echo "<$X>"').stdout.text == "<five>\n"
    assert still_true(posix)


@pytest.mark.req("session-timeout")
def test_a_job_of_an_earlier_command_survives_a_timeout(session: TestSession) -> None:
    how, mark = syntax(session), unique_seconds()
    session(f"{how.sleep} {mark} &")
    session(f"{how.sleep} 60", timeout_s=0.3)
    assert bool(carrying(mark)) == how.jobs_survive_interrupt


@pytest.mark.req("session-cancel")
def test_a_cancelled_command_is_interrupted_and_the_shell_lives(session: TestSession) -> None:
    how, mark = syntax(session), unique_seconds()
    session(how.assign)

    async def cancel() -> None:
        begun = asyncio.Event()
        command = session.command(f"echo begun; {how.sleep} {mark}")
        task = asyncio.create_task(session.harness.service.run(command, lambda _stream, _chunk: begun.set()))
        await begun.wait()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    session.harness.do(cancel())
    assert session(how.show).stdout.text == ("<five>\n" if how.interrupt_keeps_state else "<>\n")
    assert gone(mark)
    assert still_true(session)


# -- death


@pytest.mark.req("000-death")
@pytest.mark.parametrize("how_it_dies", ["exit", "kill", "exec"])
def test_a_shell_that_dies_is_reported_truthfully_and_is_reborn_in_its_directory(
    session: TestSession, tmp_path: Path, how_it_dies: str
) -> None:
    how = syntax(session)
    session(f"cd {tmp_path}")
    session(how.assign)
    ends = {
        "exit": (how.exit_3, 3, None),
        "kill": (f"kill -9 {how.own_pid}", None, "SIGKILL"),
        "exec": (how.exec_false, 1, None),
    }
    text, code, signal = ends[how_it_dies]
    result = session(f"echo last words; {text}")
    assert result.ended is Ended.SHELL_DIED
    assert (result.exit_code, result.signal, result.stdout.text) == (code, signal, "last words\n")
    assert result.shell_state is ShellState.LOST
    assert str(tmp_path) in result.note
    again = session("pwd")
    assert again.shell_state is ShellState.REBORN
    assert again.note.startswith("A new shell: the one before it")
    assert again.stdout.text == f"{tmp_path}\n"
    assert session(how.show).stdout.text == "<>\n"
    assert session("true").shell_state is ShellState.KEPT


@pytest.mark.req("000-death")
def test_a_shell_whose_directory_is_gone_is_reborn_where_it_began(
    session: TestSession, tmp_path: Path
) -> None:
    lost = tmp_path / "lost"
    lost.mkdir()
    session(f"cd {lost}")
    session(f"rmdir {lost}; kill -9 {syntax(session).own_pid}")
    assert session("pwd").stdout.text == f"{Path.cwd()}\n"


@pytest.mark.req("000-restart")
def test_a_restart_ends_all_and_begins_clean(session: TestSession) -> None:
    how, mark = syntax(session), unique_seconds()
    session("cd /")
    session(how.assign)
    pid = session(f"{how.sleep} {mark} {how.beside} echo {how.own_pid}").stdout.text
    session.harness.do(session.harness.service.restart_session(session.name))
    assert gone(mark)
    assert session(f"echo {how.own_pid}").stdout.text != pid
    assert session(how.show).stdout.text == "<>\n"
    assert session("pwd").stdout.text == f"{Path.cwd()}\n"


@pytest.mark.req("000-restart")
def test_closing_a_session_ends_everything_it_started(session: TestSession) -> None:
    how, mark = syntax(session), unique_seconds()
    session(f"{how.sleep} {mark} {how.beside} echo up")
    session.close()
    assert gone(mark)


# -- side by side


@pytest.mark.req("session-apart")
def test_sessions_run_side_by_side_and_never_mix(any_harness: Harness) -> None:
    sessions = [any_harness.new() for _ in range(4)]

    async def all_at_once() -> list[str]:
        calls = [
            session.start(
                f"sh -c 'for i in 1 2 3 4 5 6 7 8 9; do echo {session.name}; echo {session.name} >&2; done'"
            )
            for session in sessions
            for _ in range(5)
        ]
        results = await asyncio.gather(*calls)
        assert [result.stdout.text == result.stderr.text for result in results] == [True] * len(results)
        return [result.stdout.text for result in results]

    printed = any_harness.do(all_at_once())
    assert printed == [f"{session.name}\n" * 9 for session in sessions for _ in range(5)]
    for session in sessions:
        session.close()


@pytest.mark.req("session-busy")
def test_a_busy_session_says_so_or_lets_the_call_wait_its_turn(any_harness: Harness, tmp_path: Path) -> None:
    session = any_harness.new()
    gate = Gate(tmp_path)

    async def use() -> list[str]:
        begun = asyncio.Event()
        command = session.command(f"echo begun; cat {gate.path}")
        first = asyncio.create_task(any_harness.service.run(command, lambda _stream, _chunk: begun.set()))
        await begun.wait()
        assert any_harness.service.list_sessions()[-1]["state"] == "busy"
        with pytest.raises(RequestError, match="is busy") as refused:
            await session.start("echo now", wait=False)
        assert refused.value.code == "busy"
        second, third = (asyncio.create_task(session.start(f"echo {n}")) for n in ("second", "third"))
        await asyncio.to_thread(gate.open)
        return [result.stdout.text for result in await asyncio.gather(first, second, third)]

    results = any_harness.do(use())
    assert results[0].startswith("begun\n")
    assert results[1:] == ["second\n", "third\n"]
    session.close()


def test_nothing_of_a_session_is_left_in_the_private_directory(any_harness: Harness) -> None:
    session = any_harness.new()
    session("cat", stdin="x")
    spools = Path(any_harness.service.place.spools.path)
    before = set(spools.iterdir())
    session.close()
    any_harness.new()("true")  # the keeper has done with the one when it answers the other
    assert len({path.name.split(".")[0] for path in before - set(spools.iterdir())}) == 1


@pytest.mark.req("keeper-usage")
def test_the_memory_of_a_program_in_a_session_is_reported(session: TestSession) -> None:
    holds = "import time; x = bytearray(80_000_000); time.sleep(1)"
    result = session(f'{sys.executable} -c "{holds}"')
    assert result.exit_code == 0
    assert result.max_rss_bytes is not None
    assert result.max_rss_bytes > 80_000_000
    assert session(syntax(session).assign).max_rss_bytes is None
