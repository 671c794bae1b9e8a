"""Clients that declare roots and then do not send them, or send nonsense: its calls go on."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import HANDSHAKE, PATIENCE_S, WireClient, told_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]

WITH_ROOTS: dict[str, Any] = {**HANDSHAKE, "capabilities": {"roots": {"listChanged": True}}}

USELESS: list[dict[str, Any]] = [
    {"error": {"code": -32601, "message": "no roots here"}},
    {"error": None},
    {"result": None},
    {"result": []},
    {"result": {"roots": 5}},
    {"result": {"roots": [5, None, {}, {"uri": 7}, {"uri": []}]}},
    {"result": {"roots": [{"uri": "file://["}, {"uri": "file:relative"}, {"uri": "file:"}]}},
    {"result": {"roots": [{"uri": "file:///no%00where"}, {"uri": "file:///" + "x" * 5000}]}},
    {"result": {"roots": [{"uri": "file:///\ud800"}, {"uri": "http://example.org/"}]}},
]


def greet(server: WireClient) -> dict[str, Any]:
    """Shake hands as a client with roots; the question for them."""
    server.request("initialize", WITH_ROOTS)
    server.notify("notifications/initialized")
    question = server.receive()
    assert question["method"] == "roots/list"
    return question


@pytest.mark.req("fault-roots")
def test_a_client_that_never_tells_its_roots_is_waited_for_once(start: Start) -> None:
    server = start(greet=False)
    greet(server)
    first = [server.post_call("shell", {"command": "echo hi"}) for _ in range(3)]
    for call in first:
        assert "result" in server.answer_to(call)
    server.wait_for_log("does not answer roots/list")
    deadline = time.monotonic() + PATIENCE_S  # for all of them: if each waited for two seconds, it were 80
    for _ in range(40):
        call = server.post_call("shell", {"command": "echo hi"})
        assert "result" in server.answer_to(call, deadline - time.monotonic())


@pytest.mark.req("fault-roots")
@pytest.mark.parametrize("response", USELESS, ids=lambda response: str(response)[:60])
def test_roots_that_are_no_use_leave_commands_where_they_start(
    start: Start, tmp_path: Path, response: dict[str, Any]
) -> None:
    server = start(greet=False)
    question = greet(server)
    call = server.post_call("shell", {"command": "pwd -P"})
    server.send({"jsonrpc": "2.0", "id": question["id"], **response})
    answer = told_of(server.answer_to(call)["result"])
    assert answer["stdout"].strip() == str(tmp_path.resolve())
    assert "Traceback" not in server.stderr.decode()


@pytest.mark.req("fault-roots")
def test_roots_that_come_late_hold_from_then_on(start: Start, tmp_path: Path) -> None:
    server, late = start(greet=False), tmp_path / "späte Wurzel %"
    late.mkdir()
    question = greet(server)
    assert server.shell("true")["exit_code"] == 0
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": late.as_uri()}]}})
    assert server.shell("pwd -P")["stdout"].strip() == str(late.resolve())


@pytest.mark.req("fault-roots")
def test_a_call_in_the_same_write_as_the_greeting_waits_for_the_roots(start: Start, tmp_path: Path) -> None:
    server, root = start(greet=False), tmp_path / "root"
    root.mkdir()
    server.request("initialize", WITH_ROOTS)
    params = {"name": "shell", "arguments": {"command": "pwd -P"}}
    call = {"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}
    greeting = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    server.send_bytes(b"".join(json.dumps(message).encode() + b"\n" for message in (greeting, call)))
    question = server.receive()
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": root.as_uri()}]}})
    answer = told_of(server.answer_to("call")["result"])
    assert answer["stdout"].strip() == str(root.resolve())


@pytest.mark.req("fault-roots")
def test_a_storm_of_changes_is_one_question_at_a_time(start: Start, tmp_path: Path) -> None:
    server, root = start(greet=False), tmp_path / "root"
    root.mkdir()
    question = greet(server)
    for _ in range(500):
        server.notify("notifications/roots/list_changed")
    assert server.request("ping")["result"] == {}
    assert [message for message in server.others if message.get("method") == "roots/list"] == []
    answer = {"jsonrpc": "2.0", "result": {"roots": [{"uri": root.as_uri()}]}}
    server.send({**answer, "id": question["id"]})
    again = server.receive()
    assert again["method"] == "roots/list"
    server.send({**answer, "id": again["id"]})
    assert server.shell("pwd -P")["stdout"].strip() == str(root.resolve())
    assert server.others == []


@pytest.mark.req("fault-roots")
def test_a_change_after_a_question_that_was_never_answered_is_asked_for_anew(
    start: Start, tmp_path: Path
) -> None:
    server, root = start(greet=False), tmp_path / "root"
    root.mkdir()
    first = greet(server)
    assert server.shell("true")["exit_code"] == 0  # has waited in vain
    server.notify("notifications/roots/list_changed")
    messages = [server.receive(), server.receive()]
    methods = {message["method"]: message for message in messages}
    assert methods["notifications/cancelled"]["params"]["requestId"] == first["id"]
    answer = {"roots": [{"uri": root.as_uri()}]}
    server.send({"jsonrpc": "2.0", "id": methods["roots/list"]["id"], "result": answer})
    assert server.shell("pwd -P")["stdout"].strip() == str(root.resolve())
