"""The transport: what is answered to odd lines, and how a conversation ends."""

from __future__ import annotations

import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate
from wire_client import HANDSHAKE, MODERN, NACRE, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]


@pytest.mark.req("wire-errors")
@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        (b"garbage", -32700, "Not JSON"),
        (b"{", -32700, "Not JSON"),
        (b"\xff\xfe", -32700, "Not JSON"),
        (b"[" * 100_000, -32700, "Not JSON"),
        (b"[]", -32600, "one message per line"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, "one message per line"),
        (b'"hello"', -32600, "JSON object"),
        (b'{"id":5,"method":"ping"}', -32600, "jsonrpc"),
        (b'{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, "jsonrpc"),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, "id"),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, "id"),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, "id"),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, "id"),
        (b'{"jsonrpc":"2.0","id":7}', -32600, "method"),
        (b'{"jsonrpc":"2.0","id":7,"method":3}', -32600, "method"),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}', -32602, "params"),
    ],
)
def test_what_is_not_a_message_is_answered(server: WireClient, line: bytes, code: int, says: str) -> None:
    server.send_bytes(line + b"\n")
    answer = server.receive()
    assert answer["error"]["code"] == code
    assert says in answer["error"]["message"]
    assert server.request("ping")["result"] == {}


@pytest.mark.req("wire-errors")
def test_an_error_carries_the_id_where_there_is_one(server: WireClient) -> None:
    server.send({"id": 5, "method": "ping"})
    assert server.receive()["id"] == 5
    server.send_bytes(b"nonsense\n")
    assert server.receive()["id"] is None


@pytest.mark.req("002-unknown-method")
def test_an_unknown_method_is_method_not_found(server: WireClient) -> None:
    assert server.request("no/such")["error"]["code"] == -32601


@pytest.mark.req("wire-unknown-tool")
def test_an_unknown_tool_is_invalid_params(server: WireClient) -> None:
    answer = server.request("tools/call", {"name": "no_such_tool", "arguments": {}})
    assert answer["error"] == {"code": -32602, "message": "Unknown tool: no_such_tool"}


def test_a_request_before_the_handshake_is_refused(start: Start) -> None:
    server = start(greet=False)
    assert server.request("tools/list")["error"]["code"] == -32602
    call = server.request("tools/call", {"name": "shell", "arguments": {"command": "true"}})
    assert call["error"]["code"] == -32602
    assert server.request("ping")["result"] == {}


@pytest.mark.req("002-json-lines")
@pytest.mark.req("002-initialized")
@pytest.mark.req("wire-kind")
def test_a_byte_order_mark_crlf_and_the_bare_initialized_are_accepted(start: Start) -> None:
    server = start(greet=False)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE}
    server.send_bytes(b"\xef\xbb\xbf" + json.dumps(hello).encode() + b"\r\n")
    assert server.answer_to(1)["result"]["serverInfo"]["name"] == "nacre"
    server.send_bytes(b'{"jsonrpc":"2.0","method":"initialized"}\r\n\r\n   \n')
    assert server.request("ping")["result"] == {}
    assert server.others == []


@pytest.mark.req("wire-kind")
def test_a_raw_byte_travels_as_a_surrogate_and_half_a_pair_does_not_kill(server: WireClient) -> None:
    reply = server.shell("printf '%s' '\udcff' | od -An -tx1")
    assert reply["stdout"].strip() == "ff"
    assert reply["command"] == "printf '%s' '?' | od -An -tx1"
    assert server.shell("echo alive")["stdout"] == "alive\n"


@pytest.mark.req("wire-long-line")
def test_a_line_beyond_the_limit_is_answered_and_skipped(start: Start) -> None:
    server = start()
    server.send_bytes(b"x" * (65 * 1024 * 1024) + b"\n")
    answer = server.receive()
    assert answer["error"]["code"] == -32600
    assert "longer than 67,108,864 bytes" in answer["error"]["message"]
    assert server.shell("echo next")["stdout"] == "next\n"


def test_an_id_that_is_still_being_answered_is_not_taken_twice(server: WireClient, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    call: dict[str, Any] = {"name": "shell", "arguments": {"command": f"cat {fifo}"}}
    message = {"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": call}
    server.send(message)
    server.send(message)
    assert server.receive()["error"]["code"] == -32600
    fifo.write_text("now\n")
    assert server.answer_to("same")["result"]["structuredContent"]["stdout"] == "now\n"


def outlasting_lines(gate: Gate) -> str:
    """A handshake and a command that lasts longer than the input, with no newline at the very end."""
    call: dict[str, Any] = {"name": "shell", "arguments": {"command": f"cat {gate.path}"}}
    lines: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HANDSHAKE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
    ]
    return "\n".join(json.dumps(line) for line in lines)


def assert_all_answered(server: subprocess.Popen[str], gate: Gate) -> None:
    """Its input has ended; the command ends when the last line of it is answered."""
    assert server.stdout
    answers: dict[int, Any] = {}
    for line in server.stdout:
        answer = json.loads(line)
        answers[answer["id"]] = answer
        if answer["id"] == 3:
            gate.open()
    assert set(answers) == {1, 2, 3}
    assert answers[2]["result"]["structuredContent"]["stdout"] == "open\n"
    assert server.wait(60) == 0


@pytest.mark.req("end-eof")
def test_when_a_pipe_ends_everything_received_is_answered_then_exit_0(tmp_path: Path) -> None:
    """As in `printf … | nacre`."""
    gate = Gate(tmp_path)
    with subprocess.Popen(NACRE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        server.stdin.write(outlasting_lines(gate))
        server.stdin.close()
        assert_all_answered(server, gate)


@pytest.mark.req("end-eof")
def test_when_a_file_ends_everything_received_is_answered_then_exit_0(tmp_path: Path) -> None:
    """As in `nacre < file`."""
    gate = Gate(tmp_path)
    (tmp_path / "in").write_text(outlasting_lines(gate))
    with (
        (tmp_path / "in").open() as file,
        subprocess.Popen(NACRE, stdin=file, stdout=subprocess.PIPE, text=True) as server,
    ):
        assert_all_answered(server, gate)


def test_dev_null_as_stdin_ends_at_once_with_0() -> None:
    done = subprocess.run(NACRE, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.req("wire-eras")
@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_version_is_served(start: Start, version: str) -> None:
    server = start(greet=False)
    hello = server.shake_hands(version)
    assert hello["protocolVersion"] == version
    assert server.shell("echo hi")["stdout"] == "hi\n"


@pytest.mark.req("wire-eras")
def test_a_client_of_2026_is_served_without_a_handshake(start: Start) -> None:
    server = start(greet=False)
    tools = server.request("tools/list", {"_meta": MODERN})["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["shell", "session", "job", "output"]
    params: dict[str, Any] = {"name": "shell", "arguments": {"command": "echo hi; exit 4"}, "_meta": MODERN}
    result = server.request("tools/call", params)["result"]
    assert result["resultType"] == "complete"
    assert result["structuredContent"]["stdout"] == "hi\n"
    assert result["isError"] is True
    params["name"] = "nope"
    assert server.request("tools/call", params)["error"]["code"] == -32602
    params = {"name": "shell", "arguments": {"command": "true", "nope": 1}, "_meta": MODERN}
    assert "Unknown argument: nope" in server.request("tools/call", params)["result"]["content"][0]["text"]


@pytest.mark.req("wire-eras")
@pytest.mark.req("end-cancel")
def test_a_client_of_2026_hears_progress_and_can_cancel(start: Start) -> None:
    server = start(greet=False)
    params: dict[str, Any] = {
        "name": "shell",
        "arguments": {"command": "echo started; sleep 60"},
        "_meta": {**MODERN, "progressToken": 1},
    }
    call = server.post("tools/call", params)
    news = server.receive()
    assert news["method"] == "notifications/progress"
    assert news["params"]["message"] == "started"
    server.notify("notifications/cancelled", {"requestId": call})
    server.hang_up()
    assert server.wait() == 0


@pytest.mark.req("wire-stderr-full")
def test_a_client_that_never_reads_stderr_cannot_stop_the_server(start: Start) -> None:
    server = start("--verbose", greet=False)
    server.shake_hands()
    loud = "true " + "x" * 400
    for _ in range(300):  # more than the 64 KiB that a pipe holds
        call = server.post_call("shell", {"command": loud})
        answer = _read_only_stdout(server, call)
        assert answer["result"]["structuredContent"]["exit_code"] == 0


def _read_only_stdout(server: WireClient, identity: int) -> dict[str, Any]:
    assert server.process.stdout
    line = server.process.stdout.readline()
    answer = json.loads(line)
    assert answer["id"] == identity
    return answer


@pytest.mark.req("000-stdio-only")
def test_no_port_is_opened(server: WireClient) -> None:
    sockets = server.shell(f"ls -l /proc/{server.process.pid}/fd | grep -c socket")
    listening = server.shell(
        f"cat /proc/{server.process.pid}/net/tcp /proc/{server.process.pid}/net/tcp6 | wc -l"
    )
    assert listening["exit_code"] == 0
    # The event loop's own socket pair is all there is.
    assert int(sockets["stdout"]) <= 2
