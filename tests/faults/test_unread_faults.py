"""A client that does not read, or sends without end: memory stays bounded, and nothing is lost."""

from __future__ import annotations

import json
import os
import select
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell, gone, unique_seconds
from wire_client import HANDSHAKE, MODERN, PATIENCE_S, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Start = Callable[..., WireClient]

MIB = 1024 * 1024
BOUND_KB = 150 * 1024  # 16 MiB unread, 16 MiB waiting, 512 answers of 128 KiB, and the interpreter's slack


def highest_memory_kb(server: WireClient) -> int:
    lines = Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


class Flood:
    """Lines that go to a server while nobody reads, then while somebody does."""

    def __init__(self, server: WireClient, messages: Iterable[Any]) -> None:
        assert server.process.stdin
        assert server.process.stdout
        assert server.process.stderr
        self._server = server
        self._in, self._out = server.process.stdin.fileno(), server.process.stdout.fileno()
        self._err = server.process.stderr.fileno()
        self._data = memoryview(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        os.set_blocking(self._in, False)

    @property
    def unsent_bytes(self) -> int:
        return len(self._data)

    def pour(self, quiet_s: float = 2.0) -> None:
        """Write without reading, until everything is written or the server has taken nothing for a while."""
        while self._data and select.select([], [self._in], [], quiet_s)[1]:
            self._write()

    def _write(self) -> None:
        try:
            self._data = self._data[os.write(self._in, self._data[:65536]) :]
        except BlockingIOError:
            return

    def read(self, count: int) -> list[dict[str, Any]]:
        """Read so many answers; what was not written yet is."""
        answers: list[dict[str, Any]] = []
        rest, deadline = b"", time.monotonic() + 3 * PATIENCE_S
        while len(answers) < count:
            left = deadline - time.monotonic()
            assert left > 0, f"{len(answers)} answers of {count}"
            sources = [self._out, self._err]
            ready, room, _ = select.select(sources, [self._in] if self._data else [], [], left)
            if room:
                self._write()
            if self._err in ready:
                os.read(self._err, 1 << 16)
            if self._out in ready:
                *lines, rest = (rest + os.read(self._out, 1 << 20)).split(b"\n")
                answers += [message for message in map(json.loads, lines) if "method" not in message]
        os.set_blocking(self._in, True)
        return answers


def request(identity: int | str, method: str, modern: bool, **params: Any) -> dict[str, Any]:  # noqa: FBT001  # an era
    meta: dict[str, Any] = {"_meta": MODERN} if modern else {}
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": {**params, **meta}}


def call(identity: int | str, command: str, modern: bool = False, **more: Any) -> dict[str, Any]:  # noqa: FBT001, FBT002  # the same
    return request(identity, "tools/call", modern, name="shell", arguments={"command": command, **more})


BIG = "head -c 32000 /dev/zero | tr '\\0' x"
FLOODS: dict[str, tuple[int, Callable[[int, bool], Any]]] = {
    "calls with long answers": (1200, lambda number, modern: call(number, BIG, modern)),
    "lists": (8_000, lambda number, modern: request(number, "tools/list", modern)),
    "pings": (20_000, lambda number, modern: request(number, "ping", modern)),
    "malformed lines": (180_000, lambda _number, _modern: 7),
    "requests for nothing": (10_000, lambda number, modern: request(number, "no/such", modern)),
    "calls of no tool": (10_000, lambda number, modern: request(number, "tools/call", modern, name="x")),
}


@pytest.mark.req("fault-unread")
@pytest.mark.parametrize("modern", [False, True], ids=["handshake", "2026"])
@pytest.mark.parametrize("kind", FLOODS)
def test_who_does_not_read_costs_bounded_memory_and_gets_everything_later(
    start: Start, kind: str, *, modern: bool
) -> None:
    server = start("--shell", "sh", greet=not modern)
    if modern:
        server.request("tools/list", {"_meta": MODERN})
    count, make = FLOODS[kind]
    count = count // 4 if modern else count  # the SDK's road is slower
    flood = Flood(server, (make(number, modern) for number in range(count)))
    flood.pour()
    answers = flood.read(count)
    assert highest_memory_kb(server) < BOUND_KB
    expected = [None] * count if kind == "malformed lines" else list(range(count))
    assert sorted((answer["id"] for answer in answers), key=str) == sorted(expected, key=str)
    if kind == "calls with long answers":
        assert {answer["result"]["structuredContent"]["stdout"] for answer in answers} == {"x" * 32000}
    server.hang_up()
    assert server.wait() == 0


@pytest.mark.req("fault-unread")
def test_notifications_without_end_cost_bounded_memory(start: Start) -> None:
    server = start(greet=False)
    server.request("tools/list", {"_meta": MODERN})
    news: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/whatever", "params": {}}
    flood = Flood(server, [news] * 15_000)
    flood.pour(PATIENCE_S)
    assert flood.unsent_bytes == 0
    assert "result" in server.request("tools/list", {"_meta": MODERN})
    assert highest_memory_kb(server) < BOUND_KB


@pytest.mark.req("fault-unread")
def test_progress_that_nobody_reads_costs_bounded_memory_and_its_calls_can_be_cancelled(
    start: Start, tmp_path: Path
) -> None:
    server, bell, mark = start("--shell", "sh"), Bell(tmp_path), unique_seconds()
    printing = "for i in $(seq 40); do head -c 4000 /dev/zero | tr '\\0' x; sleep 0.1; done"
    for number in range(40):
        command = f"{printing}; {bell.ring}; sleep {mark}"
        params = {"name": "shell", "arguments": {"command": command}, "_meta": {"progressToken": number}}
        server.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    bell.wait(40, 2 * PATIENCE_S)
    assert highest_memory_kb(server) < BOUND_KB
    for number in range(40):
        server.notify("notifications/cancelled", {"requestId": number})
    assert gone(mark, PATIENCE_S)
    assert server.request("ping")["result"] == {}
    sent_chars = sum(len(message["params"]["message"]) for message in server.others)
    assert sent_chars < 4 * MIB, "what nobody read was not gathered"
    bell.close()


# -- more requests than there is room for


@pytest.mark.req("fault-too-many")
def test_a_thousand_requests_wait_and_a_cancellation_overtakes_them(start: Start, tmp_path: Path) -> None:
    server, bell, mark = start("--shell", "sh"), Bell(tmp_path), unique_seconds()
    for number in range(70):  # more than run at once
        server.send(call(f"hold {number}", f"echo ding > {bell.path}; exec sleep {mark}"))
    bell.wait(64)
    for number in range(1000):
        server.send(call(number, f"echo {number}"))
    for number in range(0, 1000, 2):
        server.notify("notifications/cancelled", {"requestId": number})
    for number in range(70):
        server.notify("notifications/cancelled", {"requestId": f"hold {number}"})
    answers = [server.receive() for _ in range(500)]
    assert sorted(answer["id"] for answer in answers) == list(range(1, 1000, 2))
    assert {answer["result"]["structuredContent"]["stdout"] == f"{answer['id']}\n" for answer in answers} == {
        True
    }
    assert server.request("ping")["result"] == {}
    assert gone(mark)
    bell.close()


@pytest.mark.req("fault-too-many")
def test_more_input_than_there_is_room_for_is_left_unread_then_served(start: Start, tmp_path: Path) -> None:
    server, bell = start("--shell", "sh"), Bell(tmp_path)
    fifo = tmp_path / "go"
    os.mkfifo(fifo)
    server.send(call("first", f"echo ding > {bell.path}; read line < {fifo}", session="one"))
    bell.wait()
    text = "x" * MIB
    flood = Flood(server, (call(number, "wc -c", stdin=text, session="one") for number in range(120)))
    flood.pour()
    assert flood.unsent_bytes > 0, "120 MB do not fit"
    assert highest_memory_kb(server) < 2 * BOUND_KB
    fifo.write_text("go\n")
    answers = flood.read(121)
    counted = [answer["result"]["structuredContent"]["stdout"].strip() for answer in answers[1:]]
    assert counted == [str(MIB)] * 120
    assert [answer["id"] for answer in answers] == ["first", *range(120)]
    bell.close()


@pytest.mark.req("fault-too-many")
def test_an_answer_to_our_question_is_heard_behind_any_number_of_requests(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "ask.toml").write_text('[policy]\nask = ["echo"]\nallow = ["true"]\n')
    server = start("--config", "ask.toml", greet=False)
    server.request("initialize", {**HANDSHAKE, "capabilities": {"elicitation": {}}})
    server.notify("notifications/initialized")
    for number in range(512):  # as many as are worked on at once: all of them wait for the person
        server.send(call(number, "echo asked"))
    questions = [server.receive() for _ in range(512)]
    assert {question["method"] for question in questions} == {"elicitation/create"}
    padding = "x" * 100_000
    yes = {"action": "accept", "content": {"decision": "run once"}}
    flood = Flood(
        server,
        [
            *(call(f"more {number}", "true", stdin=padding) for number in range(400)),
            *({"jsonrpc": "2.0", "id": question["id"], "result": yes} for question in questions),
        ],
    )
    answers = {answer["id"]: answer for answer in flood.read(912)}
    asked = [answers[number]["result"]["structuredContent"]["stdout"] for number in range(512)]
    assert asked == ["asked\n"] * 512
    more = [answers[f"more {number}"] for number in range(400)]
    refused = [answer["error"]["code"] for answer in more if "error" in answer]
    assert set(refused) == {-32000}
    assert all(
        answer["result"]["structuredContent"]["exit_code"] == 0 for answer in more if "result" in answer
    )
    assert 0 < len(refused) < 400


@pytest.mark.req("fault-unread")
def test_who_hangs_up_without_having_read_gets_everything_all_the_same(start: Start) -> None:
    server = start("--shell", "sh")
    Flood(server, (call(number, BIG) for number in range(400))).pour(PATIENCE_S)
    server.hang_up()
    answers = server.read_rest()
    assert sorted(answer["id"] for answer in answers) == list(range(400))
    assert server.wait() == 0
