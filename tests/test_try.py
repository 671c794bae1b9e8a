"""`nacre try`: a person sees what an agent would get, through a real server, at a real terminal."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from process_table import Bell, children_of, gone, unique_seconds, wait_for_end
from wire_client import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wire_client import WireClient

PATIENCE_S = 60.0
NACRE = [sys.executable, "-m", "nacre", "try"]


def attempt(*words: str, cwd: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """One `nacre try` that is no terminal."""
    return subprocess.run(
        [*NACRE, *words],
        input=typed,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=PATIENCE_S,
        check=False,
    )


def _sit_at(terminal: int) -> None:
    """Begin as a login does: what runs in the background ignores Ctrl-C, and so would all that it starts."""
    os.login_tty(terminal)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Person:
    """Somebody at a terminal who runs `nacre try`."""

    def __init__(self, *words: str, cwd: Path) -> None:
        ours, theirs = os.openpty()
        self._terminal = ours
        self.seen = ""
        self.process = subprocess.Popen(
            [*NACRE, *words],
            cwd=cwd,
            env={**os.environ, "TERM": "dumb"},
            preexec_fn=lambda: _sit_at(theirs),  # noqa: PLW1509  # a terminal of its own
        )
        os.close(theirs)

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def expect(self, text: str) -> str:
        """Everything up to a text that comes; what follows it stays for the next one."""
        deadline = time.monotonic() + PATIENCE_S
        while text not in self.seen:
            ready, _, _ = select.select([self._terminal], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"no {text!r} in {self.seen!r}"
            try:
                self.seen += os.read(self._terminal, 65536).decode().replace("\r\n", "\n")
            except OSError:
                raise AssertionError(f"it ended without {text!r}: {self.seen!r}") from None
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def leave(self) -> int:
        """End the input, once it is asked for; the exit code."""
        self.expect("> ")
        self.type("\x04")
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        os.close(self._terminal)


@pytest.fixture
def sit_down(tmp_path: Path) -> Iterator[Callable[..., Person]]:
    """Have somebody sit down at a terminal; they are gone after the test."""
    people: list[Person] = []

    def sit(*words: str) -> Person:
        people.append(Person(*words, cwd=tmp_path))
        return people[-1]

    yield sit
    for person in people:
        person.close()


@pytest.mark.req("try")
@pytest.mark.parametrize("command", ["echo hi", "echo out; echo err >&2; exit 3", "seq 9000"])
def test_one_command_shows_what_an_agent_gets_to_the_letter(
    start: Callable[..., WireClient], tmp_path: Path, command: str
) -> None:
    agent = start("--shell", "bash").call("shell", command=command)
    done = attempt("--shell", "bash", command, cwd=tmp_path)
    assert without_ids(done.stdout) == without_ids(text_of(agent) + "\n")
    assert (done.returncode, done.stderr) == (int(agent["isError"]), "")


def without_ids(text: str) -> str:
    """A reply without what is another in each server: the id of an output, and its file."""
    head, mark, rest = text.partition("tool output, id ")
    return head + mark + rest.partition(" ...]")[2]


@pytest.mark.req("try")
def test_the_data_of_a_reply_is_shown_where_it_is_wanted(tmp_path: Path) -> None:
    done = attempt("--data", "--shell", "bash", "echo hi", cwd=tmp_path)
    text, _, data = done.stdout.partition("\n{")
    shown = json.loads("{" + data)
    assert text == "Command executed successfully\n--- stdout\nhi"
    assert shown["structuredContent"] == {"stdout": "hi\n", "stderr": "", "exit_code": 0}
    assert shown["_meta"]["metadata"]["command"] == "echo hi"
    assert shown["isError"] is False


@pytest.mark.req("try")
def test_rules_settings_and_presets_are_those_of_a_server(tmp_path: Path) -> None:
    (file := tmp_path / "rules.toml").write_text('[policy]\ndeny = ["rm"]\n')
    denied = attempt("--config", str(file), "--shell", "bash", "rm x", cwd=tmp_path)
    assert denied.returncode == 1
    assert "Denied by the policy" in denied.stdout
    other = attempt("--preset", "execute-command", "--data", "echo hi", cwd=tmp_path)
    assert '"return_code"' in other.stdout
    none = attempt("--config", str(tmp_path / "nowhere"), "echo hi", cwd=tmp_path)
    assert none.returncode == 2
    assert "The configuration file does not exist" in none.stderr


@pytest.mark.req("try")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--no-such-option", "echo"], "unrecognized arguments: --no-such-option"),
        (["echo", "hi"], "unrecognized arguments: hi"),
        (["--session"], "argument --session: expected one argument"),
        (["--timeout", "soon", "echo"], "it must be"),
    ],
)
def test_a_mistake_on_the_command_line_is_reported(tmp_path: Path, words: list[str], said: str) -> None:
    done = attempt(*words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


@pytest.mark.req("try")
def test_its_help_tells_what_can_be_given_and_typed(tmp_path: Path) -> None:
    done = attempt("--help", cwd=tmp_path)
    assert done.returncode == 0
    for word in ("--data", "--terminal", "--session", ":tools", ":keys"):
        assert word in done.stdout


@pytest.mark.req("try")
def test_lines_that_are_not_typed_at_a_terminal_are_commands_too(tmp_path: Path) -> None:
    typed = 'echo a\n:session s\ncd /\npwd\n:output {"tail": 1}\n:output {\n:nothing\n'
    done = attempt("--shell", "bash", cwd=tmp_path, typed=typed)
    assert done.returncode == 0
    assert "--- stdout\na\n" in done.stdout
    assert "--- stdout\n/\n" in done.stdout
    assert "from line 1\n/\n" in done.stdout
    assert "The arguments must be a JSON object" in done.stdout
    assert "There is no tool 'nothing'; there are: shell, session, job, output." in done.stdout


@pytest.mark.req("try")
def test_at_a_terminal_there_is_a_prompt_a_history_a_session_and_an_end_that_leaves_nothing(
    sit_down: Callable[..., Person],
) -> None:
    person = sit_down("--shell", "bash", "--session", "mine")
    person.expect("mine> ")
    person.type("cd / && x=5\n")
    person.expect("mine> ")
    person.type("echo $x in $PWD\n")
    person.expect("--- stdout\n5 in /\n")
    person.expect("mine> ")
    person.type("\x10\n")  # Ctrl-P: the line before
    person.expect("--- stdout\n5 in /\n")
    servers = children_of(person.process.pid)
    assert servers
    assert person.leave() == 0
    assert wait_for_end(servers)


@pytest.mark.req("try")
def test_an_interrupt_cancels_the_command_and_the_next_one_runs(
    sit_down: Callable[..., Person], tmp_path: Path
) -> None:
    bell, mark = Bell(tmp_path), unique_seconds()
    person = sit_down("--shell", "bash")
    person.expect("fresh shell> ")
    person.type(f"{bell.ring}; sleep {mark}\n")
    bell.wait()
    bell.close()
    person.type("\x03")
    person.expect("The call was cancelled.")
    assert gone(mark)
    person.expect("fresh shell> ")
    person.type("echo still $((40+2))\n")
    person.expect("still 42\n")
    assert person.leave() == 0


@pytest.mark.req("try")
@pytest.mark.parametrize(
    ("answer", "said"), [("1", "--- stdout\nran\n"), ("", "The person was asked and said no.")]
)
def test_what_the_server_asks_is_put_to_the_person(
    sit_down: Callable[..., Person], tmp_path: Path, answer: str, said: str
) -> None:
    (tmp_path / "rules.toml").write_text('[policy]\nask = ["echo"]\n')
    person = sit_down("--shell", "bash", "--config", str(tmp_path / "rules.toml"))
    person.expect("fresh shell> ")
    person.type("echo ran\n")
    person.expect("number, or nothing to decline> ")
    person.type(f"{answer}\n")
    person.expect(said)
    assert person.leave() == 0


@pytest.mark.req("try")
def test_on_a_terminal_the_screen_of_a_job_is_shown_and_what_is_typed_reaches_it(
    sit_down: Callable[..., Person],
) -> None:
    person = sit_down("--shell", "bash", "--terminal", "cat -v")
    person.expect("job> ")
    person.type("some words\n")
    assert "--- screen, cursor at 3:1\nsome words\nsome words\n" in person.expect("job> ")
    person.type(":text more\n")
    assert "--- screen, cursor at 3:5\n3: more\n" in person.expect("job> ")
    person.type(":keys enter ctrl-d\n")
    person.expect("it has ended")
    assert person.process.wait(PATIENCE_S) == 0
