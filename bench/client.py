"""A raw MCP client: one server process, JSON lines, every wait bounded, nothing of the SDK.

The time of a reply is taken when its last byte arrives, before anything is decoded.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import subprocess
import time
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from bench import processes
from bench.model import Failed, Gone, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.model import Arguments, Server

COOKIE = "BENCH_COOKIE"  # a variable by which all that a server starts is known
PATIENCE_S = 30.0
START_PATIENCE_S = 60.0
READ_BYTES = 1 << 20
HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
now = time.perf_counter


def fill(value: Any, names: Mapping[str, str]) -> Any:
    """A JSON value with `{name}` replaced in all of its texts."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), value)
    if isinstance(value, list | tuple):
        return [fill(item, names) for item in cast("Sequence[Any]", value)]
    if isinstance(value, dict):
        return {key: fill(item, names) for key, item in cast("dict[str, Any]", value).items()}
    return value


class Answer(NamedTuple):
    """A line that answers a request, and when its last byte came."""

    arrived: float
    line: bytes
    message: dict[str, Any] | None  # None: long, not decoded yet


class Client:
    """A running server and the conversation with it."""

    def __init__(self, server: Server, directory: str, env: Mapping[str, str]) -> None:
        self.server = server
        self._names = {"directory": directory, "home": env["HOME"]}
        self._cookie = f"{COOKIE}={env[COOKIE]}"
        self.started = now()
        self.process = subprocess.Popen(
            fill(list(server.argv), self._names),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=directory,
            env=dict(env),
            bufsize=0,
            start_new_session=True,
        )
        assert self.process.stdin
        assert self.process.stdout
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._unsent = bytearray()
        self._parts: list[bytes] = []  # of a line that has not ended
        self._answers: dict[int, Answer] = {}
        self._last_id = 0

    # -- bytes

    def _send(self, message: Mapping[str, Any]) -> None:
        self._unsent += json.dumps(message, separators=(",", ":")).encode() + b"\n"
        self._flush()

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: os.write(self._in, self._unsent)]
        except BlockingIOError:
            pass
        except OSError as error:
            raise Gone("the server has closed its stdin") from error

    def _pump(self, patience_s: float) -> None:
        """Wait for the next piece of the conversation, and take it."""
        writing = [self._in] if self._unsent else []
        readable, writable, _ = select.select([self._out], writing, [], max(0.0, patience_s))
        if writable:
            self._flush()
        if not readable:
            return
        data = os.read(self._out, READ_BYTES)
        if not data:
            raise Gone("the server has closed its stdout")
        arrived = now()
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._take(arrived, b"".join([*self._parts, end]))
            self._parts.clear()
        if rest:
            self._parts.append(rest)

    def _take(self, arrived: float, line: bytes) -> None:
        # The id of a long answer is found without decoding it: that is done when somebody wants its text.
        message = _decoded(line) if len(line) < READ_BYTES else None
        identity = _id_of_long(line) if message is None else message.get("id")
        if message and "method" in message:
            if identity is not None:
                refusal = {"error": {"code": -32601, "message": "not supported"}}
                self._send({"jsonrpc": "2.0", "id": identity, **refusal})
        elif isinstance(identity, int):
            self._answers[identity] = Answer(arrived, line, message)

    # -- JSON-RPC

    def notify(self, method: str, params: Arguments | None = None) -> None:
        """Send what needs no answer."""
        self._send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def post(self, method: str, params: Arguments) -> int:
        """Send a request; its id."""
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        return self._last_id

    def answer(self, identity: int, patience_s: float = PATIENCE_S) -> Answer | None:
        """The answer to a request; None: not in time."""
        deadline = now() + patience_s
        while identity not in self._answers:
            left_s = deadline - now()
            if left_s <= 0:
                return None
            self._pump(left_s)
        return self._answers.pop(identity)

    def request(self, method: str, params: Arguments, patience_s: float = START_PATIENCE_S) -> bytes:
        """The line that answers a request."""
        answer = self.answer(self.post(method, params), patience_s)
        if answer is None:
            raise Failed(f"{method} was not answered within {patience_s:g} s")
        return answer.line

    # -- MCP

    def initialize(self) -> float:
        """Shake hands; seconds from the start of the process to the answer."""
        answer = self.answer(self.post("initialize", HANDSHAKE), START_PATIENCE_S)
        if answer is None:
            raise Failed(f"initialize was not answered within {START_PATIENCE_S:g} s")
        took_s = answer.arrived - self.started
        self.notify("notifications/initialized")
        return took_s

    def prepare(self) -> None:
        """Send what the server wants before its first command."""
        for step in self.server.setup:
            line = self.request(step.method, fill(step.params, self._names)).decode(errors="replace")
            for name, pattern in step.capture.items():
                found = re.search(pattern, line)
                if not found:
                    raise Failed(f"{step.method} gave no {name}: {line[:200]}")
                self._names[name] = found[1]

    def post_call(self, command: str, more: Arguments | None = None) -> int:
        """Ask for a command; the id of the request."""
        names = {**self._names, "command": command, "quoted": shlex.quote(command)}
        arguments = {**fill(dict(self.server.arguments), names), **(more or {})}
        return self.post("tools/call", {"name": self.server.tool, "arguments": arguments})

    def call(self, command: str, patience_s: float = PATIENCE_S, more: Arguments | None = None) -> Reply:
        """Run a command and wait for what it came to."""
        began = now()
        try:
            return self.reply(self.post_call(command, more), began, patience_s)
        except Gone:
            return Reply(now() - began, "", failure="gone")

    def reply(self, identity: int, began: float, patience_s: float = PATIENCE_S) -> Reply:
        """What a call came to that was posted earlier."""
        answer = self.answer(identity, patience_s)
        if answer is None:
            return Reply(patience_s, "", failure="no answer")
        message, took_s = answer.message or _decoded(answer.line), answer.arrived - began
        result = message.get("result")
        if not isinstance(result, dict):
            return Reply(took_s, str(message.get("error")), is_error=True, failure="refused")
        said = cast("dict[str, Any]", result)
        return Reply(took_s, text_of(said, self.server.text), bool(said.get("isError")))

    def many(self, commands: Sequence[str], in_flight: int, patience_s: float) -> tuple[float, list[Reply]]:
        """Run all, so many at a time; seconds for all, and what each came to, in order."""
        waiting, flying = deque(enumerate(commands)), dict[int, tuple[int, float]]()
        replies = [Reply(patience_s, "", failure="no answer")] * len(commands)
        began = now()
        while (waiting or flying) and now() - began < patience_s:
            while waiting and len(flying) < in_flight:
                index, command = waiting.popleft()
                flying[self.post_call(command)] = (index, now())
            self._pump(1.0)
            for identity in [known for known in flying if known in self._answers]:
                index, sent = flying.pop(identity)
                replies[index] = self.reply(identity, sent)
        return now() - began, replies

    # -- the end

    def pids(self) -> list[int]:
        """The server's process and everything below it."""
        return processes.tree(self.process.pid)

    def is_alive(self) -> bool:
        """Whether the server's process is there."""
        return self.process.poll() is None

    def hang_up(self) -> None:
        """Close the conversation in both directions, as the end of a client does."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()

    def wait(self, patience_s: float) -> float | None:
        """Seconds until the server ends by itself; None: not in time."""
        began = now()
        with processes.Watched([self.process.pid]) as watched:
            return now() - began if watched.wait(patience_s) else None

    def descendants(self) -> list[int]:
        """What the server has started, whoever its parents are by now."""
        return [pid for pid in processes.with_variable(self._cookie) if pid != self.process.pid]

    def close(self) -> None:
        """End the server with all that it started."""
        processes.kill({*self.pids(), *self.descendants()})
        processes.kill(self.descendants())  # what was started meanwhile
        self.process.wait()
        self.hang_up()


def _decoded(line: bytes) -> dict[str, Any]:
    try:
        message = json.loads(line)
    except ValueError:
        return {}  # a server that prints to the protocol's stream
    return cast("dict[str, Any]", message) if isinstance(message, dict) else {}


def _id_of_long(line: bytes) -> int | None:
    ends = line[:200] + b" " + line[-200:]
    found = re.search(rb'"id":\s*(\d+)', ends)
    return int(found[1]) if found else _decoded(line).get("id")


def text_of(result: Mapping[str, Any], key: str = "") -> str:
    """The text of a tool's result; with a key, that field of the JSON which the text is."""
    parts = cast("list[dict[str, Any]]", result.get("content") or [])
    text = "".join(str(part.get("text", "")) for part in parts)
    if not key:
        return text
    inner = _decoded(text.encode(errors="replace"))
    return str(inner.get(key) or "") if inner else text
