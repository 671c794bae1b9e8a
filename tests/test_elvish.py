"""elvish: what the suite of all shells cannot say in its words, in a real one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from process_table import Gate, gone, unique_seconds
from session_harness import Harness, TestSession, open_harness, open_session
from wire_client import WireClient, text_of

from nacre.dialects import Ending, TurnRequest
from nacre.dialects.elvish import PERSISTENT, quote
from nacre.model import Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

needs_elvish = pytest.mark.skipif(shutil.which("elvish") is None, reason="elvish is not installed")
STILL = "sh -c 'echo out; echo err >&2; exit 5'"


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    yield from open_harness("elvish")


@pytest.fixture
def session(harness: Harness) -> Iterator[TestSession]:
    yield from open_session(harness)


def still_true(session: TestSession) -> bool:
    again = session(STILL)
    return (again.stdout.text, again.stderr.text, again.exit_code, again.shell_state) == (
        "out\n",
        "err\n",
        5,
        ShellState.KEPT,
    )


# -- how a command ends


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("sh -c 'exit 7'; echo not reached", 7, ""),
        ("sh -c 'kill -9 $$'", 137, "Exception: sh killed by signal killed\n"),
        ("sh -c 'exit 3' | sh -c 'exit 4'", 4, "Exception: (sh exited with 3 | sh exited with 4)\n"),
        ("sh -c 'exit 3' | e:true", 3, ""),
        ("sh -c 'exit 3' | sh -c 'exit 4' | e:true", 4, "Exception: (sh exited with 3 | sh exited with 4 | "),
        ("fail oh", 2, "Exception: oh\nTraceback:\n  [eval "),
        ("return", 2, "Exception: return\n"),
        ("break", 2, "Exception: break\n"),
        ("nosuchprogram", 2, 'Exception: exec: "nosuchprogram": executable file not found in $PATH\n'),
        ("cat < /no/such", 2, "Exception: failed to open file /no/such"),
        ("try { fail oh } catch e { nop }", 0, ""),
        ("yes | head -n 1", 0, ""),
    ],
)
def test_exceptions_are_reported_as_codes_and_messages(
    session: TestSession, text: str, code: int, message: str
) -> None:
    result = session(text)
    assert (result.ended, result.exit_code) == (Ended.EXITED, code)
    assert result.stderr.text.startswith(message)
    assert bool(result.stderr.text) == bool(message)
    assert "code from -c" not in result.stderr.text
    assert still_true(session)


def test_a_trace_shows_the_command_and_nothing_of_ours(session: TestSession) -> None:
    session("fn inner { fail deep }")
    message = session("fn outer { inner }\nouter").stderr.text
    assert message.splitlines()[:2] == ["Exception: deep", "Traceback:"]
    assert [line.strip() for line in message.splitlines()[3::2]] == [
        "fn inner { fail deep }",
        "fn outer { inner }",
        "outer",
    ]


@pytest.mark.req("session-hard")
@pytest.mark.parametrize(
    "text",
    [
        "echo 'never closed",
        'echo "never closed',
        "if true",
        ")",
        "}",
        "echo (",
        "echo [",
        "a | ",
        "fn",
        "echo $no",
    ],
)
def test_unfinished_and_wrong_syntax_is_an_error_of_that_command_only(
    session: TestSession, text: str
) -> None:
    session("var kept = 1")
    result = session(text)
    assert (result.ended, result.exit_code) == (Ended.EXITED, 2)
    assert "error" in result.stderr.text
    assert "Traceback" not in result.stderr.text
    assert session("echo $kept").stdout.text == "1\n"
    assert still_true(session)


def test_what_a_command_defined_before_it_failed_lives_on(session: TestSession) -> None:
    session("var x = 1; fn f { echo f }; fail oh")
    assert session("echo $x; f").stdout.text == "1\nf\n"
    session("use str; set x = 2; sh -c 'exit 3'")
    assert session("echo $x (str:join , [a b])").stdout.text == "2 a,b\n"
    session("del x")
    assert session("echo $x").exit_code == 2


@pytest.mark.req("session-hard")
def test_comments_and_many_lines_run_as_typed(session: TestSession) -> None:
    result = session(
        "# a comment\necho one # another\n\nfor x [a b] {\n  echo $x\n}\necho 'two\nlines'\r\necho é"
    )
    assert result.stdout.text == "one\na\nb\ntwo\nlines\né\n"


@pytest.mark.req("session-hard")
@pytest.mark.parametrize(
    "text",
    [
        "set notify-bg-job-success = $true",
        "set value-out-indicator = X",
        "set E:PWD = /nowhere",
        "unset-env PWD; unset-env HOME",
        "set before-chdir = [{|d| fail no }]",
        "var pwd = /etc; var pid = 1; var ok = no; var num-bg-jobs = 7",
        "var ns = x; var held = y; var known = z; var fresh = 1; var code = 9",
        "fn print {|@a| fail no }; fn show {|@a| fail no }; fn eval {|@a| fail no }; fn cd {|@a| fail no }",
        "fn turn {|@a| fail no }; fn tell {|@a| fail no }; fn code-of {|@a| fail no }",
        "use builtin; set builtin:print~ = { }",
        "nop ?(read-line)",
        "echo forged >&3",
        "print forged > /dev/fd/3",
        "set E:LC_ALL = C",
    ],
)
def test_what_a_command_does_to_the_shell_does_not_confuse_it(session: TestSession, text: str) -> None:
    assert session(text).ended is Ended.EXITED
    assert still_true(session)
    where = session("echo here", working_directory="/", environment={"GIVEN": "1"})
    refused = "before-chdir" in text  # a hook that fails only warns, in elvish
    assert where.stdout.text.endswith("here\n")
    assert refused or where.working_directory == "/"


def test_a_missing_path_is_an_error_of_that_command_only(session: TestSession) -> None:
    session("set paths = []")
    assert session("ls").exit_code == 2
    session("set paths = [/usr/bin /bin]")
    assert still_true(session)


def test_a_directory_that_is_gone_is_not_called_by_another_name(session: TestSession, tmp_path: Path) -> None:
    lost = tmp_path / "lost"
    lost.mkdir()
    session(f"cd {lost}")
    assert session(f"rmdir {lost}").working_directory == str(lost)


# -- values


@pytest.mark.req("session-streams")
def test_who_may_have_printed_values_is_told_that_they_are_not_shown(session: TestSession) -> None:
    assert "are not shown" in session("echo first").note
    assert session("echo second").note == ""
    silent = session("put lost")
    assert silent.stdout.text == ""
    assert "are not shown" in silent.note
    assert session("var x = [(put kept)]").note == session("cd /").note == ""
    assert session("pprint $x; put a b | to-lines").stdout.text == "[\n kept\n]\na\nb\n"


# -- background


@needs_elvish
@pytest.mark.req("job-left-behind")
@pytest.mark.parametrize("session", [None, "one"])
def test_a_program_in_the_background_is_a_job_whose_exit_code_is_reported(
    start: Start, tmp_path: Path, session: str | None
) -> None:
    server, gate = start("--shell", "elvish"), Gate(tmp_path)
    command = f"e:sh -c 'cat {gate.path}; exit 3' &"
    job = server.call("shell", command=command, session=session)["structuredContent"]["job"]
    gate.open()
    data = server.call("job", action="wait", id=job)["structuredContent"]
    assert data["state"] == "ended"
    assert next(each["exit_code"] for each in data["processes"] if "exit 3" in each["command"]) == 3


@pytest.mark.req("session-background")
def test_a_block_in_the_background_keeps_its_streams(session: TestSession, tmp_path: Path) -> None:
    gate, done = Gate(tmp_path), Gate(tmp_path)
    began = session(
        f"{{ cat {gate.path}; sh -c 'echo late; echo late >&2'; cat {done.path} }} &; echo at once"
    )
    assert (began.stdout.text, began.stderr.text, began.left_running_total) == ("at once\n", "", 1)
    assert session("echo next").stdout.text == "next\n"
    gate.open()
    done.open()  # by now it has printed
    for _ in range(3):
        again = session("echo quiet")
        assert (again.stdout.text, again.stderr.text) == ("quiet\n", "")
    assert still_true(session)


@pytest.mark.req("session-background")
def test_a_job_that_takes_the_place_of_another_is_named(session: TestSession, tmp_path: Path) -> None:
    gate, mark = Gate(tmp_path), unique_seconds()
    assert session(f"cat {gate.path} &").left_running_total == 1
    result = session(f"sh -c 'echo open > {gate.path}'; e:sleep {mark} &")
    assert [left.command.rpartition("/")[2] for left in result.left_running] == [f"sleep {mark}"]
    session.close()
    assert gone(mark)


@pytest.mark.req("session-background")
def test_many_jobs_one_after_the_other_are_all_let_go(session: TestSession, tmp_path: Path) -> None:
    forever, mark = Gate(tmp_path), unique_seconds()
    session(f"cat {forever.path} &")
    for number in range(30):
        result = session(f"sh -c 'echo {number} >> {tmp_path}/all; : {mark}' &; echo on")
        assert result.stdout.text == "on\n"
    count = session("count [/proc/$pid/fd/*] | to-lines").stdout.text
    assert int(count) < 30 * 5
    forever.open()
    assert still_true(session)
    assert gone(mark)
    assert sorted(map(int, (tmp_path / "all").read_text().split())) == list(range(30))


# -- time


@pytest.mark.req("session-timeout")
def test_elvishs_own_sleep_cannot_be_interrupted_which_the_result_says(session: TestSession) -> None:
    result = session("echo begun; sleep 60", timeout_s=0.3)
    assert (result.ended, result.stdout.text) == (Ended.TIMED_OUT, "begun\n")
    assert result.shell_state is ShellState.LOST
    assert "gets a new one" in result.note
    assert session("echo on").shell_state is ShellState.REBORN


# -- death


@pytest.mark.req("000-death")
def test_what_takes_the_shells_place_is_heard(session: TestSession) -> None:
    result = session("echo first; exec sh -c 'echo out; echo err >&2; exit 4'")
    assert (result.ended, result.exit_code) == (Ended.SHELL_DIED, 4)
    assert (result.stdout.text, result.stderr.text) == ("first\nout\n", "err\n")
    assert session("echo on").shell_state is ShellState.REBORN


# -- a fresh shell


@needs_elvish
@pytest.mark.req("001-various-shells")
def test_a_fresh_shell_runs_what_is_elvishs(start: Start) -> None:
    client = start("--shell", "elvish")
    assert client.shell("put a [b]")["stdout"] == "▶ a\n▶ [b]\n"
    assert client.shell("- 5 3")["stdout"] == "▶ (num 2)\n"
    assert client.shell("exit 3")["exit_code"] == 3
    assert client.shell("sh -c 'exit 7'")["exit_code"] == 2  # elvish's own code for every failure
    assert client.shell(f"echo {'x' * 500_000} | wc -c")["stdout"].strip() == "500001"
    assert client.shell("cat", stdin="given")["stdout"] == "given"
    missing = client.call("shell", command="sleeep 1")
    assert "Did you mean sleep?" in text_of(missing)


@needs_elvish
def test_a_client_works_in_a_session(start: Start, tmp_path: Path) -> None:
    client = start("--shell", "elvish")
    first = client.shell(f"cd {tmp_path}; var x = 1; fn f {{ echo f }}", session="work")
    assert first["working_directory"] == str(tmp_path)
    assert client.shell("echo $x; f; pwd", session="work")["stdout"] == f"1\nf\n{tmp_path}\n"
    assert "Did you mean sleep?" in text_of(client.call("shell", command="sleeep 1", session="work"))


# -- rules


@needs_elvish
@pytest.mark.req("policy-every-part")
@pytest.mark.parametrize(
    "rule", [("--allow", "ls", "--sandbox", "off"), ("--deny", "rm"), ("--preset", "commands")]
)
def test_rules_are_refused_at_the_start_without_a_sandbox(start: Start, rule: tuple[str, ...]) -> None:
    client = start(*rule, "--shell", "elvish", greet=False)
    assert client.read_rest() == []
    assert client.wait() == 2
    assert b"elvish" in client.stderr
    assert b"Use --shell with bash" in client.stderr


# -- the text


def test_a_quoted_text_is_one_word() -> None:
    assert quote("it's\n\\ $x") == "'it''s\n\\ $x'"


def test_a_record_holds_what_comes_before_apart() -> None:
    feed, files = PERSISTENT.feed(TurnRequest("echo 1", "M", "/b", 2, "/a b", {"X": "it's"}, "given"))
    assert feed == "/b.run\n"
    assert files["run"].split("\0") == [
        "M",
        "/b.stdin",
        "/b.2o",
        "/b.2e",
        "no",
        "set E:X = 'it''s'\ncd '/a b'",
        "echo 1",
        "",
    ]
    assert PERSISTENT.read("0 /unknown/pwd") == Ending(0, "")
    assert PERSISTENT.read("x") is None
