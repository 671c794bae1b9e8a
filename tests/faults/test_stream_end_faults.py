"""stdin and stdout in odd states: closed, of the wrong kind, half closed, hung up. No line is lost."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import tty
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate, gone, unique_seconds, wait_for_end
from wire_client import HANDSHAKE, MODERN, NACRE, PATIENCE_S, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]


def lines(*commands: str) -> bytes:
    """A handshake and a call for each command."""
    messages: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HANDSHAKE},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    for number, command in enumerate(commands, 1):
        params = {"name": "shell", "arguments": {"command": command}}
        messages.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def run(script: str, cwd: Path, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", script, "bash", *NACRE],
        input=given,
        cwd=cwd,
        capture_output=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )


@pytest.mark.req("fault-streams")
@pytest.mark.parametrize(
    ("script", "code", "says"),
    [
        ('exec "$@" <&-', 0, ""),
        ('exec "$@" >&-', 1, "stdout is closed"),
        ('exec "$@" <&- >&-', 1, "stdout is closed"),
        ('exec "$@" <&- >&- 2>&-', 1, ""),
        ('exec "$@" <&- 2>&-', 0, ""),
        ('exec "$@" 0> file', 0, ""),
        ('exec "$@" 1</dev/null', 1, ""),
        ('exec "$@" >/dev/full', 1, ""),
        ('ulimit -f 1; exec "$@" > file', 1, ""),
    ],
)
def test_streams_that_are_closed_or_of_the_wrong_kind_end_the_server_in_order(
    tmp_path: Path, script: str, code: int, says: str
) -> None:
    done = run(script, tmp_path, lines("printf %2000s x", "echo hi"))
    assert (done.returncode, done.stdout) == (code, b"")
    assert says in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


@pytest.mark.req("fault-streams")
def test_a_reader_that_leaves_ends_the_server_and_all_it_runs(start: Start) -> None:
    server, mark = start(), unique_seconds()
    call = server.post_call("shell", {"command": f"echo up; sleep {mark}"}, {"progressToken": 1})
    assert server.receive()["params"]["message"] == "up", call
    assert server.process.stdout
    server.process.stdout.close()
    assert server.wait() == 1
    assert gone(mark)


@pytest.mark.req("fault-streams")
@pytest.mark.parametrize("one", [True, False], ids=["one socket", "two sockets"])
def test_a_socket_that_is_half_closed_gets_every_answer(tmp_path: Path, *, one: bool) -> None:
    ours, theirs = socket.socketpair()
    our_out, their_out = (ours, theirs) if one else socket.socketpair()
    process = subprocess.Popen(
        NACRE, stdin=theirs.fileno(), stdout=their_out.fileno(), stderr=subprocess.DEVNULL, cwd=tmp_path
    )
    theirs.close()
    their_out.close()
    gate = Gate(tmp_path)
    ours.sendall(lines("echo one", f"cat {gate.path}"))
    ours.shutdown(socket.SHUT_WR)
    if not one:
        our_out.shutdown(socket.SHUT_WR)
    gate.open()
    our_out.settimeout(PATIENCE_S)
    received = b""
    while data := our_out.recv(65536):
        received += data
    answers = {answer["id"]: answer for answer in map(json.loads, received.splitlines())}
    assert [answers[n]["result"]["structuredContent"]["stdout"] for n in (1, 2)] == ["one\n", "open\n"]
    assert process.wait(PATIENCE_S) == 0
    ours.close()
    our_out.close()


@pytest.mark.req("fault-streams")
def test_a_terminal_that_hangs_up_leaves_nothing(tmp_path: Path) -> None:
    mark = unique_seconds()
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execv(NACRE[0], NACRE)  # noqa: S606  # the server itself
    tty.setraw(terminal)
    os.write(terminal, lines(f"echo up; sleep {mark} & echo started"))
    seen = b""
    while b'"id":1' not in seen:
        seen += os.read(terminal, 65536)
    os.close(terminal)
    assert wait_for_end([pid], PATIENCE_S)
    os.waitpid(pid, 0)
    assert gone(mark)


@pytest.mark.req("fault-streams")
def test_a_terminal_that_somebody_made_nonblocking_loses_no_byte(tmp_path: Path) -> None:
    """Node does that, and the setting holds for everybody who has the terminal open."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    os.set_blocking(slave, False)
    process = subprocess.Popen(
        NACRE, stdin=subprocess.PIPE, stdout=slave, stderr=subprocess.DEVNULL, cwd=tmp_path
    )
    os.close(slave)
    assert process.stdin
    process.stdin.write(lines("head -c 30000 /dev/zero | tr '\\0' x"))
    process.stdin.flush()
    seen = b""
    while seen.count(b"\n") < 2:  # a terminal holds 4 KiB; the server has to come back for the rest
        seen += os.read(master, 65536)
    answers = {answer["id"]: answer for answer in map(json.loads, seen.splitlines())}
    assert answers[1]["result"]["structuredContent"]["stdout"] == "x" * 30000
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 0
    os.close(master)


@pytest.mark.req("end-eof")
def test_a_subscription_does_not_keep_the_server_after_the_end_of_stdin(start: Start) -> None:
    server = start(greet=False)
    wanted = {"notifications": {"toolsListChanged": True}, "_meta": MODERN}
    server.post("subscriptions/listen", wanted)
    assert server.receive()["method"] == "notifications/subscriptions/acknowledged"
    command = {"name": "shell", "arguments": {"command": "sleep 0.3; echo late"}, "_meta": MODERN}
    call = server.post("tools/call", command)
    server.hang_up()
    answer = server.answer_to(call)
    assert answer["result"]["structuredContent"]["stdout"] == "late\n"
    assert server.wait() == 0
