"""Faults of sessions: each is brought about for real, and the reply tells the truth about it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate, carrying, gone, unique_seconds
from session_harness import SYNTAXES, Harness, ShellSyntax, TestSession, open_harness, open_session
from wire_client import WireClient, text_of, told_of

from nacre.errors import RequestError
from nacre.model import Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]


POSIX = [name for name, syntax in SYNTAXES.items() if syntax.posix]


@pytest.fixture(scope="module", params=SYNTAXES)
def any_harness(request: pytest.FixtureRequest) -> Iterator[Harness]:
    yield from open_harness(request.param)


@pytest.fixture
def any_session(any_harness: Harness) -> Iterator[TestSession]:
    """A new session in every shell there is."""
    yield from open_session(any_harness)


@pytest.fixture(scope="module", params=POSIX)
def posix_harness(request: pytest.FixtureRequest) -> Iterator[Harness]:
    yield from open_harness(request.param)


@pytest.fixture
def posix(posix_harness: Harness) -> Iterator[TestSession]:
    """A new session in every shell that speaks POSIX."""
    yield from open_session(posix_harness)


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    harness = Harness("bash", max_sessions=1000)
    yield harness
    harness.close()


@pytest.fixture
def session(harness: Harness) -> Iterator[TestSession]:
    session = harness.new()
    yield session
    session.close()


def syntax(session: TestSession) -> ShellSyntax:
    return SYNTAXES[session.harness.service.shell.name]


def cancel_when_it_prints(session: TestSession, text: str) -> None:
    """Run a command, and cancel it as soon as it has printed something."""

    async def cancel() -> None:
        begun = asyncio.Event()
        running = session.harness.service.run(session.command(text), lambda _stream, _chunk: begun.set())
        task = asyncio.create_task(running)
        await begun.wait()
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    session.harness.do(cancel())


def keeper_children(client: WireClient) -> list[int]:
    """What runs directly below the keeper, but for the shell that looks."""
    reply = client.shell("read -r all < /proc/$PPID/task/$PPID/children; echo $$ $all")
    own, *all_of_them = map(int, reply["stdout"].split())
    return [pid for pid in all_of_them if pid != own]


def begin(client: WireClient, command: str, session: str = "a") -> int:
    """Start a command that prints at once, and wait until it runs."""
    call = client.post_call("shell", {"command": command, "session": session}, {"progressToken": 1})
    while client.receive().get("method") != "notifications/progress":
        pass
    return call


# -- a session is closed


@pytest.mark.req("fault-session-closed-with-queue")
@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish", "elvish"])
def test_commands_that_wait_in_a_closed_session_are_refused_and_no_shell_stays(
    start: Start, shell: str
) -> None:
    client = start("--shell", shell)
    running = begin(client, "echo up; sh -c 'sleep 60'")
    waiting = [client.post_call("shell", {"command": "echo never", "session": "a"}) for _ in range(3)]
    assert "was closed" in text_of(client.call("session", action="close", name="a"))
    ended = client.answer_to(running)["result"]
    # Its shell dies after it, and may still have time to report that the command was killed.
    assert told_of(ended)["ended"] in ("shell_died", "exited")
    assert "session: The session was closed, and its shell was ended" in text_of(ended)
    for call in waiting:
        refused = client.answer_to(call)["result"]
        assert refused["isError"]
        assert "Session 'a' was closed before the command could run. Nothing was run." in text_of(refused)
    assert text_of(client.call("session", action="list")) == "There are no sessions."
    if shell == "bash":
        assert keeper_children(client) == []
    assert client.shell("echo new", session="a")["session"]["shell"] == "new"


@pytest.mark.req("fault-session-closed-with-queue")
def test_a_session_that_is_closed_while_its_shell_starts_gets_none(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def close_at_once() -> list[Any]:
        session = harness.new()
        service, ready = harness.service, harness.service.place.link
        living = service.sessions.open(session.name, service.default_directory)
        let_go = asyncio.Event()

        async def slow_link() -> Any:
            await let_go.wait()
            return await ready()

        monkeypatch.setattr(service.place, "link", slow_link)  # a keeper that takes long
        calls = [asyncio.create_task(session.start("echo never")) for _ in range(2)]
        calls.append(asyncio.create_task(living.restart()))  # pyright: ignore[reportArgumentType]  # any task
        await asyncio.sleep(0)
        closing = asyncio.create_task(service.close_session(session.name))
        await asyncio.sleep(0)
        let_go.set()
        errors = await asyncio.gather(*calls, return_exceptions=True)
        await closing
        assert living.state == "dead"
        return errors

    for error in harness.do(close_at_once()):
        assert isinstance(error, RequestError)
        assert error.code == "session_closed"


@pytest.mark.req("fault-session-closed-with-queue")
def test_closing_restarting_and_using_one_name_at_once_leaves_one_session_at_most(start: Start) -> None:
    client = start("--shell", "bash")
    calls: list[int] = []
    for n in range(30):
        calls.append(client.post_call("shell", {"command": f"echo {n}", "session": "a"}))
        action = ("restart", "close", "list")[n % 3]
        calls.append(client.post_call("session", {"action": action, "name": "a"}))
    for call in calls:
        result = client.answer_to(call)["result"]
        if result.get("isError"):
            text = text_of(result)
            assert "was closed" in text or "There is no session" in text or "was restarted" in text
    client.call("session", action="close", name="a")
    assert keeper_children(client) == []


@pytest.mark.req("fault-session-closed-with-queue")
def test_commands_that_wait_when_the_server_ends_start_no_keeper(start: Start, tmp_path: Path) -> None:
    client = start("--shell", "bash")
    begin(client, "echo up; sleep 60")
    for n in range(3):
        client.post_call("shell", {"command": f"touch {tmp_path}/{n}; sleep 60", "session": "a"})
    client.request("ping")
    client.close()
    assert [path.name for path in tmp_path.iterdir() if path.name in "012"] == []


@pytest.mark.req("fault-session-idle")
def test_the_next_command_of_an_idle_session_says_that_it_was_closed(
    harness: Harness, tmp_path: Path
) -> None:
    session, sessions = harness.new(), harness.service.sessions
    session(f"cd {tmp_path}; X=1")

    async def let_time_pass() -> None:
        sessions.find(session.name).used -= harness.service.config.session_idle_s + 1
        sessions.close_idle()
        again = await session.start('pwd; echo "<$X>"')  # in the same moment: it must not meet the old shell
        assert again.ended is Ended.EXITED
        assert again.stdout.text == f"{tmp_path}\n<>\n"
        assert again.shell_state is ShellState.REBORN
        assert again.note.startswith("A new shell: the one before it was closed after 3,600 s without use.")
        assert (await session.start("true")).note == ""

    harness.do(let_time_pass())
    session.close()


# -- the shell becomes another program


@pytest.mark.req("fault-session-exec")
def test_a_program_that_takes_the_shells_place_runs_to_its_own_end(
    any_session: TestSession, tmp_path: Path
) -> None:
    gate = Gate(tmp_path)
    any_session(f"cd {tmp_path}")

    async def run() -> Any:
        program = any_session.start(f"exec env -- perl -e 'open F, q({gate.path}); print <F>; exit 5'")
        running = asyncio.create_task(program)
        await asyncio.to_thread(gate.open)
        return await running

    result = any_session.harness.do(run())
    assert (result.ended, result.exit_code, result.signal) == (Ended.SHELL_DIED, 5, None)
    assert result.stdout.text == "open\n"
    assert "The shell was replaced by perl (exec), which ended with code 5." in result.note
    again = any_session("pwd")
    assert again.shell_state is ShellState.REBORN
    assert again.stdout.text == f"{tmp_path}\n"
    assert "the one before it was replaced by perl (exec)" in again.note


@pytest.mark.req("fault-session-exec")
def test_a_short_program_in_the_shells_place_loses_no_output(any_session: TestSession) -> None:
    for _ in range(10):
        result = any_session("exec seq 1 2000")
        assert (result.exit_code, result.stdout.text) == (0, "".join(f"{n}\n" for n in range(1, 2001)))


@pytest.mark.req("fault-session-exec")
def test_a_program_in_the_shells_place_can_be_killed_by_a_signal_or_a_timeout(
    any_session: TestSession,
) -> None:
    killed = any_session("exec perl -e 'kill 9, $$'")
    assert (killed.ended, killed.exit_code, killed.signal) == (Ended.SHELL_DIED, None, "SIGKILL")
    mark = unique_seconds()
    late = any_session(f"exec sleep {mark}", timeout_s=0.3)
    assert (late.ended, late.shell_state) == (Ended.TIMED_OUT, ShellState.LOST)
    assert "The shell was replaced by sleep (exec), which was ended by" in late.note
    assert carrying(mark) == []
    assert any_session("echo on").stdout.text == "on\n"


@pytest.mark.req("fault-session-exec")
def test_a_program_in_the_shells_place_is_gone_when_its_call_is_cancelled(any_session: TestSession) -> None:
    mark = unique_seconds()
    cancel_when_it_prints(any_session, f"exec sh -c 'echo up; sleep {mark}; :'")
    assert any_session("echo on").stdout.text == "on\n"
    assert gone(mark)


@pytest.mark.req("fault-session-exec")
def test_what_ran_beside_a_program_in_the_shells_place_is_named(any_session: TestSession) -> None:
    mark, how = unique_seconds(), syntax(any_session)
    result = any_session(f"{how.sleep} {mark} {how.beside} exec sh -c 'exit 6'")
    assert result.exit_code == 6
    assert result.left_running_total == 1 or how.name == "elvish"  # it starts its jobs later than it goes on


@pytest.mark.req("fault-session-exec")
def test_a_program_that_is_not_there_gives_a_true_end_of_the_command_or_of_the_shell(
    any_session: TestSession,
) -> None:
    result = any_session("exec /no/such/program")
    assert result.ended in (Ended.EXITED, Ended.SHELL_DIED)
    assert result.exit_code in (126, 127, 2)
    assert "/no/such/program" in result.stderr.text
    kept = result.ended is Ended.EXITED
    assert any_session("echo on").shell_state is (ShellState.KEPT if kept else ShellState.REBORN)


@pytest.mark.req("fault-session-exec")
def test_exec_without_a_program_or_in_a_subshell_keeps_the_shell(posix: TestSession, tmp_path: Path) -> None:
    (tmp_path / "read").write_text("first\nsecond\n")
    posix(f"X=1; exec 3<{tmp_path}/read 4>{tmp_path}/written")
    assert posix("(exec sh -c 'exit 9')").exit_code == 9
    assert posix("read line <&3; echo $X $line >&4").exit_code == 0
    result = posix("read line <&3; echo $X $line; exec >/dev/null 2>&1")
    assert (result.stdout.text, result.shell_state) == ("1 second\n", ShellState.KEPT)
    assert posix("echo $X").stdout.text == "1\n"
    assert (tmp_path / "written").read_text() == "1 first\n"


# -- the shell comes back without a report


@pytest.mark.req("fault-session-mute")
def test_a_shell_that_cannot_tell_any_more_is_noticed_at_once_and_replaced(
    posix: TestSession, tmp_path: Path
) -> None:
    prompts = syntax(posix).name != "busybox"  # the only one that shows none
    posix(f"cd {tmp_path}; X=1")
    result = posix(
        "echo printed; command() { :; }; builtin() { :; }; print() { :; }; test() { :; }",
        timeout_s=30 if prompts else 1,
    )
    if prompts:
        assert (result.ended, result.exit_code, result.signal) == (Ended.SHELL_DIED, None, None)
        assert "could not tell any more how a command ended" in result.note
    assert result.stdout.text == "printed\n"
    again = posix('pwd; echo "<$X>"')
    assert again.stdout.text == f"{tmp_path}\n<>\n"
    assert again.shell_state is ShellState.REBORN


@pytest.mark.req("fault-session-mute")
def test_a_shell_whose_channel_was_deleted_tells_when_it_is_asked_again(posix: TestSession) -> None:
    posix("X=1")
    result = posix(f"rm -r {posix.harness.service.place.spools.path}; (exit 5)", timeout_s=30)
    assert (result.ended, result.exit_code, result.shell_state) == (Ended.EXITED, 5, ShellState.KEPT)
    assert posix("echo $X").stdout.text == "1\n"


# -- a call is cancelled


@pytest.mark.req("fault-session-cancel-background")
def test_a_cancelled_call_leaves_nothing_in_the_background_but_what_was_there(
    any_session: TestSession,
) -> None:
    how = syntax(any_session)
    old, new, deep, apart = (unique_seconds() for _ in range(4))
    any_session(f"{how.sleep} {old} &")
    cancel_when_it_prints(
        any_session,
        f"sh -c 'sleep {new} & (sleep {deep} &) ; setsid sleep {apart} & echo up' {how.beside} "
        f"{how.sleep} 60",
    )
    any_session("true")
    assert gone(new)
    assert gone(deep)
    assert gone(apart)
    assert bool(carrying(old)) == how.jobs_survive_interrupt
