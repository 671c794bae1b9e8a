"""Faults of sessions: each is brought about for real, and the reply tells the truth about it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from session_house import House, Room
from wire_client import WireClient, text_of

from nacre.errors import RequestError
from nacre.model import Ended, ShellState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    house = House("bash", max_sessions=1000)
    yield house
    house.close()


@pytest.fixture
def room(house: House) -> Iterator[Room]:
    room = house.new()
    yield room
    room.close()


def keeper_children(client: WireClient) -> list[int]:
    """What runs directly below the keeper, but for the shell that looks."""
    told = client.shell("read -r all < /proc/$PPID/task/$PPID/children; echo $$ $all")
    own, *all_of_them = map(int, told["stdout"].split())
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
    assert ended["structuredContent"]["ended"] == "shell_died"
    assert "session: The session was closed, and its shell was ended" in text_of(ended)
    for call in waiting:
        refused = client.answer_to(call)["result"]
        assert refused["isError"]
        assert "Session 'a' was closed before the command had its turn. Nothing was run." in text_of(refused)
    assert text_of(client.call("session", action="list")) == "There are no sessions."
    if shell == "bash":
        assert keeper_children(client) == []
    assert client.shell("echo new", session="a")["session"]["shell"] == "new"


@pytest.mark.req("fault-session-closed-with-queue")
def test_a_session_that_is_closed_while_its_shell_starts_gets_none(house: House) -> None:
    async def close_at_once() -> list[Any]:
        room = house.new()
        service, ready = house.service, house.service._ready_link  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        session = service.sessions.open(room.name, service.default_directory)
        let_go = asyncio.Event()

        async def slow_link() -> Any:
            await let_go.wait()
            return await ready()

        session._ready_link = slow_link  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # a keeper that takes long
        calls = [asyncio.create_task(room.start("echo never")) for _ in range(2)]
        calls.append(asyncio.create_task(session.restart()))  # pyright: ignore[reportArgumentType]  # any task
        await asyncio.sleep(0)
        closing = asyncio.create_task(service.close_session(room.name))
        await asyncio.sleep(0)
        let_go.set()
        told = await asyncio.gather(*calls, return_exceptions=True)
        await closing
        assert session.state == "dead"
        return told

    for error in house.do(close_at_once()):
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
            told = text_of(result)
            assert "was closed" in told or "There is no session" in told or "was restarted" in told
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
def test_the_next_command_of_an_idle_session_says_that_it_was_closed(house: House, tmp_path: Path) -> None:
    room, sessions = house.new(), house.service.sessions
    room(f"cd {tmp_path}; X=1")

    async def let_time_pass() -> None:
        sessions.find(room.name).used -= house.service.config.session_idle_s + 1
        sessions.close_idle()
        again = await room.start('pwd; echo "<$X>"')  # in the same moment: it must not meet the old shell
        assert again.ended is Ended.EXITED
        assert again.stdout.text == f"{tmp_path}\n<>\n"
        assert again.shell_state is ShellState.REBORN
        assert again.note.startswith("A new shell: the one before it was closed after 3,600 s without use.")
        assert (await room.start("true")).note == ""

    house.do(let_time_pass())
    room.close()
