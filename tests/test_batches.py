"""Batches of JSON-RPC, which the protocol of 2025-03-26 has, and no other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell
from wire_client import HANDSHAKE, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]


@pytest.fixture(params=[{}, {"NACRE_PLAIN_SDK": "1"}], ids=["fast", "SDK"])
def client(start: Start, request: pytest.FixtureRequest) -> WireClient:
    server = start(greet=False, env=request.param)
    assert server.shake_hands("2025-03-26")["protocolVersion"] == "2025-03-26"
    return server


def request(identity: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def call(identity: Any, command: str) -> dict[str, Any]:
    return request(identity, "tools/call", name="shell", arguments={"command": command})


def answers(client: WireClient) -> dict[Any, Any]:
    """The next line, which is a batch of answers."""
    batch = json.loads(client.receive_line())
    assert isinstance(batch, list)
    assert len({json.dumps(answer["id"]) for answer in batch}) == len(batch)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]  # JSON
    return {answer["id"]: answer for answer in batch}  # pyright: ignore[reportUnknownVariableType]  # JSON


@pytest.mark.req("wire-batches")
def test_the_answers_to_a_batch_come_back_together(client: WireClient) -> None:
    odd = {"jsonrpc": "2.0", "id": 5, "method": 7}
    news = {"jsonrpc": "2.0", "method": "notifications/nothing"}
    client.send(
        [request(1, "ping"), call(2, "echo hi"), news, call("2", "exit 3"), odd, request(6, "no/such")]
    )
    replies = answers(client)
    assert set(replies) == {1, 2, "2", 5, 6}
    assert replies[1]["result"] == {}
    assert replies[2]["result"]["structuredContent"]["stdout"] == "hi\n"
    assert replies["2"]["result"]["structuredContent"]["exit_code"] == 3
    assert replies[5]["error"]["code"] == -32600
    assert replies[6]["error"]["code"] == -32601
    assert client.request("ping")["result"] == {}


@pytest.mark.req("wire-batches")
def test_a_batch_of_notifications_has_no_answer_and_an_empty_one_is_refused(client: WireClient) -> None:
    client.send(
        [{"jsonrpc": "2.0", "method": "notifications/nothing"}, {"jsonrpc": "2.0", "id": 9, "result": {}}]
    )
    client.send([])
    assert client.receive()["error"]["code"] == -32600
    client.send([1, None])
    batch = json.loads(client.receive_line())
    assert [answer["error"]["code"] for answer in batch] == [-32600, -32600]


@pytest.mark.req("wire-batches")
def test_a_batch_holds_up_no_other_request_and_lacks_what_was_cancelled(
    client: WireClient, tmp_path: Path
) -> None:
    bell = Bell(tmp_path)
    client.send([call(1, f"read line < {bell.path}; echo $line"), call(2, "sleep 60"), call(1, "echo twice")])
    assert client.shell("echo between")["stdout"] == "between\n"
    client.notify("notifications/cancelled", {"requestId": 2})
    assert client.request("ping")["result"] == {}
    bell.path.write_text("whole\n")
    batch = json.loads(client.receive_line())
    bell.close()
    assert sorted("error" in answer for answer in batch) == [False, True], "the second request 1 is refused"
    assert {answer["id"] for answer in batch} == {1}
    assert client.others == []


@pytest.mark.req("wire-batches")
def test_a_batch_is_answered_after_the_end_of_stdin(client: WireClient) -> None:
    client.send([call(1, "sleep 0.2; echo late"), call(2, "echo soon")])
    client.hang_up()
    assert set(answers(client)) == {1, 2}
    assert client.wait() == 0


@pytest.mark.req("wire-batches")
@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25"])
def test_other_versions_have_no_batches(start: Start, version: str) -> None:
    server = start(greet=False)
    server.send([request(1, "initialize", **HANDSHAKE)])
    assert server.receive()["error"]["code"] == -32600, "nor has a client that has not shaken hands"
    server.shake_hands(version)
    server.send([request(1, "ping")])
    assert "no batches" in server.receive()["error"]["message"]
    assert server.request("ping")["result"] == {}
