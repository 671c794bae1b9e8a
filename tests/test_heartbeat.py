"""Signs of life of a call that prints nothing."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell
from wire_client import MODERN, WireClient

from nacre.protocol import heartbeat
from nacre.protocol.heartbeat import Heartbeat

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]

QUICKLY = """
from nacre.protocol import heartbeat
from nacre.cli import main
heartbeat.INTERVAL_S = 0.2
main()
"""


@pytest.mark.req("progress-heartbeat")
def test_amounts_grow_whoever_tells_and_nothing_comes_after_the_end() -> None:
    async def main() -> list[float]:
        amounts: list[float] = []
        third = asyncio.Event()

        async def send(amount: float, _: str) -> None:
            amounts.append(amount)
            if len(amounts) > 2:
                third.set()

        beating = Heartbeat(send, interval_s=0.01)
        await beating.tell(0.0, "news")
        await beating.tell(0.0, "more")
        await third.wait()
        beating.stop()
        count = len(amounts)
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(0.05, later.set)
        await later.wait()
        assert len(amounts) == count
        return amounts

    amounts = asyncio.run(main())
    assert amounts == sorted(set(amounts))


@pytest.mark.req("progress-heartbeat")
def test_a_client_that_does_not_read_is_not_sent_more() -> None:
    async def main() -> int:
        sent, unread, later = 0, asyncio.Event(), asyncio.Event()

        async def send(_amount: float, _message: str) -> None:
            nonlocal sent
            sent += 1
            await unread.wait()

        beating = Heartbeat(send, interval_s=0.001)
        asyncio.get_running_loop().call_later(0.1, later.set)
        await later.wait()
        beating.stop()
        return sent

    assert asyncio.run(main()) == 1


@pytest.mark.req("progress-heartbeat")
def test_a_quiet_command_gives_a_sign_of_life_whatever_serves_it(start: Start, tmp_path: Path) -> None:
    """By handshake, by the protocol of 2026, through the SDK: servers with a short interval."""
    assert heartbeat.INTERVAL_S == 5
    program = [sys.executable, "-c", QUICKLY]
    kinds: list[tuple[dict[str, Any], dict[str, str]]] = [
        ({}, {}),
        (MODERN, {}),
        ({}, {"NACRE_PLAIN_SDK": "1"}),
    ]
    waiting: list[tuple[WireClient, Bell, int]] = []
    for number, (meta, env) in enumerate(kinds):
        directory = tmp_path / str(number)
        directory.mkdir()
        server, bell = start(greet=not meta, env=env, program=program), Bell(directory)
        server.answer_to(server.post_call("shell", {"command": "true"}, {**meta, "progressToken": "over"}))
        command = {"command": f"read line < {bell.path}"}
        call = server.post_call("shell", command, {**meta, "progressToken": "t"})
        waiting.append((server, bell, call))
    for server, bell, call in waiting:
        signs: list[str] = []
        while signs.count("t") < 2:
            news = server.receive()
            assert news["method"] == "notifications/progress"
            assert "still running" in news["params"]["message"]
            signs.append(news["params"]["progressToken"])
        assert signs.count("over") <= 1  # on its way when that call ended; then it would have come twice
        bell.path.write_text("now\n")
        assert "result" in server.answer_to(call)
        bell.close()
