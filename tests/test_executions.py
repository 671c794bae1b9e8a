"""One sequence for every kind of work: validate, its turn, admit, a slot, record the start, run, the end."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate as Barrier
from session_harness import Harness, TestSession, open_harness, open_session
from wire_client import ended_records

from nacre.errors import Refused, RequestError
from nacre.executions.once import Once
from nacre.executions.turn import Turn
from nacre.model import Command, Ended, located
from nacre.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wire_client import WireClient

    from nacre.gate import Question
    from nacre.model import Result

    Start = Callable[..., WireClient]

# Sessions in each preset that has them: options, the session's name, a call that is denied, one that fails.
PRESETS: dict[str, tuple[tuple[str, ...], str, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]]]] = {
    "agent": (
        ("--deny", "uname"),
        "s",
        ("shell", {"command": "uname", "session": "s"}),
        ("shell", {"command": "false", "session": "s"}),
    ),
    "commands": (
        ("--preset", "commands"),
        "main",
        ("ls", {"args": "; uname"}),
        ("ls", {"args": "no-such-file"}),
    ),
}


@pytest.fixture(scope="module")
def bash() -> Iterator[Harness]:
    yield from open_harness("bash")


@pytest.fixture
def session(bash: Harness) -> Iterator[TestSession]:
    yield from open_session(bash)


@pytest.fixture
def harness_with() -> Iterator[Callable[..., Harness]]:
    """Make harnesses with settings; each is closed with the test."""
    harnesses: list[Harness] = []

    def make(**config: Any) -> Harness:
        harnesses.append(Harness("bash", **config))
        return harnesses[-1]

    yield make
    for harness in harnesses:
        harness.close()


# -- the records


@pytest.mark.req("session-records")
@pytest.mark.parametrize("preset", PRESETS)
def test_a_command_of_a_session_is_recorded_with_its_directory_and_session(
    start: Start, tmp_path: Path, preset: str
) -> None:
    options, name, denied, failing = PRESETS[preset]
    trail, abort = tmp_path / "trail", tmp_path / "abort"
    records = ("--audit-log", str(trail), "--abort-file", str(abort), "--verbose")
    client = start("--shell", "bash", "--working-dir", str(tmp_path), *records, *options)
    left: list[dict[str, Any]] = []
    for tool, arguments in (denied, failing):
        client.call(tool, **arguments)
        left.append(json.loads(abort.read_text()))
    client.hang_up()
    client.wait()
    client.read_rest()
    lines = ended_records(trail.read_text())
    for entry in (*lines, *left):
        assert (entry["working_directory"], entry["session"]) == (str(tmp_path), name)
    assert [entry["ended"] for entry in lines] == ["not run", "exited"]
    assert [entry["ended"] for entry in left] == ["not run", "exited"]
    said = [line for line in client.stderr.decode().splitlines() if "starting (" in line]
    assert len(said) == 1, said  # what was denied has not been started
    assert f"starting (in {tmp_path}, session {name}, " in said[0]
    assert "uname" not in said[0]


@pytest.mark.req("session-records")
def test_file_work_is_recorded_like_a_command(start: Start, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("x")
    client = start("--tools", "files", "--verbose", "--audit-log", str(tmp_path / "trail"))
    client.call("read_file", path="text")
    client.call("read_file", path="/etc/passwd")
    client.hang_up()
    client.wait()
    client.read_rest()
    lines = ended_records((tmp_path / "trail").read_text())
    assert [(entry["path"], entry["ended"]) for entry in lines] == [
        ("text", "done"),
        ("/etc/passwd", "not run"),
    ]
    said = client.stderr.decode()
    assert "starting: read_file text" in said
    assert "starting: read_file /etc/passwd" not in said


# -- slots and turns


async def come_to(condition: Callable[[], bool]) -> None:
    """Let the loop run until something is so."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110  # nothing announces what is waited for
            await asyncio.sleep(0)


@pytest.mark.req("session-slots")
def test_commands_of_sessions_take_slots_like_all_others(
    harness_with: Callable[..., Harness], tmp_path: Path
) -> None:
    harness, barrier = harness_with(concurrent_commands=1), Barrier(tmp_path)
    service, first, second = harness.service, harness.new(), harness.new()

    async def both() -> list[Result]:
        running = asyncio.create_task(first.start(f"cat {barrier.path}"))
        await come_to(lambda: any(session.running for session in service.sessions))
        waiting = asyncio.create_task(second.start("echo second"))
        await come_to(lambda: service.sessions.directory_of(second.name) is not None)
        await come_to(lambda: service.sessions.find(second.name).busy)
        await asyncio.sleep(0)
        assert service.sessions.find(second.name).running is None
        await asyncio.to_thread(barrier.open)
        return [await running, await waiting]

    assert [result.stdout.text for result in harness.do(both())] == ["open\n", "second\n"]


@pytest.mark.req("session-slots")
def test_a_command_that_waits_for_its_session_holds_no_slot(
    harness_with: Callable[..., Harness], tmp_path: Path
) -> None:
    harness, barrier = harness_with(concurrent_commands=2), Barrier(tmp_path)
    service, session = harness.service, harness.new()

    async def queue_up() -> list[Result]:
        running = asyncio.create_task(session.start(f"cat {barrier.path}"))
        await come_to(lambda: any(session.running for session in service.sessions))
        waiting = [asyncio.create_task(session.start(f"echo {number}")) for number in range(3)]
        await asyncio.sleep(0)
        other = await service.run(Command("echo other", "/", 30))  # the second slot is free
        await asyncio.to_thread(barrier.open)
        return [other, await running, *[await task for task in waiting]]

    printed = [result.stdout.text for result in harness.do(queue_up())]
    assert printed == ["other\n", "open\n", "0\n", "1\n", "2\n"]


@pytest.mark.req("session-slots")
def test_a_restart_does_not_wait_for_a_command_that_waits_for_a_slot(
    harness_with: Callable[..., Harness], tmp_path: Path
) -> None:
    harness, barrier = harness_with(concurrent_commands=1), Barrier(tmp_path)
    service, session = harness.service, harness.new()
    session("X=old")

    async def restart_between() -> tuple[Result, Result]:
        running = asyncio.create_task(service.run(Command(f"cat {barrier.path}", "/", 30)))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(session.start('echo "<$X>"'))
        await come_to(lambda: service.sessions.find(session.name).busy)
        await service.restart_session(session.name)
        await asyncio.to_thread(barrier.open)
        return await running, await waiting

    other, result = harness.do(restart_between())
    assert (other.stdout.text, result.stdout.text) == ("open\n", "<>\n")


@pytest.mark.req("session-slots")
def test_a_command_runs_where_it_was_admitted_for_even_after_a_restart(
    harness_with: Callable[..., Harness], tmp_path: Path
) -> None:
    harness = harness_with(policy=Policy.from_lists(["*"], ask=["pwd"]))
    service, session = harness.service, harness.new()
    session(f"cd {tmp_path}")

    async def restart_while_asked() -> tuple[Question, Result]:
        asked: asyncio.Future[Question] = asyncio.get_running_loop().create_future()
        answered = asyncio.Event()

        async def ask(question: Question) -> Any:
            asked.set_result(question)
            await answered.wait()
            return "once"

        running = asyncio.create_task(service.run(session.command("pwd"), ask=ask))
        question = await asked
        await service.restart_session(session.name)
        answered.set()
        return question, await running

    question, result = harness.do(restart_while_asked())
    assert question.working_directory == str(tmp_path)
    assert result.stdout.text == f"{tmp_path}\n"


@pytest.mark.req("session-slots")
def test_a_command_that_is_refused_or_cancelled_lets_the_next_one_have_its_turn(
    harness_with: Callable[..., Harness],
) -> None:
    harness = harness_with(policy=Policy.from_lists(["*"], deny=["uname"], ask=["id"]), concurrent_commands=1)
    session = harness.new()

    async def cancel_while_asked() -> None:
        asked = asyncio.Event()

        async def ask(_: Question) -> Any:
            asked.set()
            await asyncio.Event().wait()

        running = asyncio.create_task(harness.service.run(session.command("id"), ask=ask))
        await asked.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    for _ in range(3):
        with pytest.raises(Refused):
            session("uname")
        with pytest.raises(RequestError):
            session("echo x", working_directory="/no/such/directory")
        harness.do(cancel_while_asked())
    assert session("echo still").stdout.text == "still\n"


# -- the executions


@pytest.mark.req("execution-signal")
@pytest.mark.parametrize(
    ("kind", "ended", "code", "name"),
    [("once", Ended.SIGNALED, None, "SIGTERM"), ("turn", Ended.EXITED, 128 + 15, None)],
)
def test_a_signal_reaches_what_a_command_runs(  # noqa: PLR0913, PLR0917  # the fixtures, and how each kind ends
    bash: Harness,
    session: TestSession,
    tmp_path: Path,
    kind: str,
    ended: Ended,
    code: int | None,
    name: str | None,
) -> None:
    service, fifo = bash.service, tmp_path / "fifo"
    os.mkfifo(fifo)

    async def signalled() -> Result:
        if kind == "once":
            execution: Once | Turn = Once(Command(f"cat {fifo}", "/", 30), service.place, service.config)
        else:
            execution = Turn(session.command(f"cat {fifo}"), service.sessions, "/")
        execution.validate()
        try:
            await execution.prepare()
            await execution.start()
            held = await asyncio.to_thread(os.open, fifo, os.O_WRONLY)  # when cat has come there
            execution.signal("TERM")
            try:
                return await execution.wait()
            finally:
                os.close(held)
        finally:
            execution.close()

    result = bash.do(signalled())
    assert (result.ended, result.exit_code, result.signal) == (ended, code, name)


@pytest.mark.req("places")
@pytest.mark.parametrize("session", [None, "s"])
def test_a_command_for_a_place_that_there_is_not_is_refused(bash: Harness, session: str | None) -> None:
    with pytest.raises(RequestError, match=r"no place 'moon'.*'local'") as caught:
        bash.do(bash.service.run(Command("true", "/", 30, place="moon", session=session)))
    assert caught.value.code == "no_place"


def test_a_command_in_another_directory_is_otherwise_the_same() -> None:
    given = Command("a", "b", 1, {"c": "d"}, "e", "f", False, 7, "r", ("g",), "h")  # every field
    assert located(given, "x") == replace(given, working_directory="x")
