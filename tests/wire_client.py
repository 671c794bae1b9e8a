"""A raw MCP client for tests: JSON lines in, JSON lines out, every wait bounded, nothing of the SDK."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

NACRE = [sys.executable, "-m", "nacre"]
PATIENCE_S = 30.0
HANDSHAKE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "tests", "version": "1"},
}
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def ended_records(text: str) -> list[dict[str, Any]]:
    """The records of ends in an audit log; those of starts and of other things are left out."""
    records = [json.loads(line) for line in text.splitlines()]
    return [record for record in records if record.get("event", "ended") == "ended"]


class Gone(Exception):  # noqa: N818  # what happened, not a fault
    """The server closed its stdout."""


class WireClient:
    """One server process and the conversation with it."""

    def __init__(
        self,
        *options: str,
        cwd: str | Path | None = None,
        env: dict[str, str] | None = None,
        program: list[str] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            [*(program or NACRE), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env={**_without_watching(env or {}), **os.environ, **(env or {})},
            bufsize=0,
            start_new_session=True,
        )
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stderr
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        self._err = self.process.stderr.fileno()
        self._buffer = b""
        self._next_id = 100
        self.stderr = b""
        self.others: list[dict[str, Any]] = []  # notifications, and answers nobody waited for

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- raw

    def send_bytes(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._in, view) :]

    def send(self, message: Any) -> None:
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def receive(self, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The next message."""
        message = json.loads(self.receive_line(patience_s))
        assert isinstance(message, dict)
        return message  # pyright: ignore[reportUnknownVariableType]  # JSON

    def receive_line(self, patience_s: float = PATIENCE_S) -> bytes:
        """The next message, as it stands on the wire."""
        deadline = time.monotonic() + patience_s
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"no message within {patience_s} s; stderr: {self.stderr[-2000:]!r}")
            ready, _, _ = select.select([self._out, self._err], [], [], left)
            if self._err in ready and not self._take_stderr() and self._out not in ready:
                select.select([self._out], [], [], max(0.0, deadline - time.monotonic()))
            if self._out in ready:
                data = os.read(self._out, 1 << 20)
                if not data:
                    raise Gone(self.stderr.decode(errors="replace"))
                self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def wait_for_log(self, text: str, patience_s: float = PATIENCE_S) -> None:
        """Read stderr until it says that."""
        deadline = time.monotonic() + patience_s
        while text.encode() not in self.stderr:
            ready, _, _ = select.select([self._err], [], [], max(0.0, deadline - time.monotonic()))
            if not ready or not self._take_stderr():
                raise TimeoutError(f"stderr does not say {text!r}: {self.stderr[-2000:]!r}")

    def _take_stderr(self) -> bool:
        data = os.read(self._err, 1 << 16)
        self.stderr += data
        return bool(data)

    def hear_stderr(self, patience_s: float = PATIENCE_S) -> bool:
        """Wait for something on stderr, which is added to `stderr`; whether anything can still come."""
        ready, _, _ = select.select([self._err], [], [], patience_s)
        return bool(ready) and self._take_stderr()

    # -- JSON-RPC

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})})

    def post(self, method: str, params: dict[str, Any] | None = None) -> int:
        """Send a request without waiting; its id."""
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method}
        self.send({**message, **({"params": params} if params is not None else {})})
        return self._next_id

    def answer_to(self, identity: int | str, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The answer to a request, whatever comes before it."""
        for index, message in enumerate(self.others):
            if message.get("id") == identity and "method" not in message:
                return self.others.pop(index)
        deadline = time.monotonic() + patience_s
        while True:
            message = self.receive(max(0.01, deadline - time.monotonic()))
            if message.get("id") == identity and "method" not in message:
                return message
            self.others.append(message)

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.answer_to(self.post(method, params))

    # -- MCP

    def shake_hands(self, version: str = "2025-06-18") -> dict[str, Any]:
        answer = self.request("initialize", {**HANDSHAKE, "protocolVersion": version})
        self.notify("notifications/initialized")
        return answer["result"]

    def post_call(self, tool: str, arguments: dict[str, Any], meta: dict[str, Any] | None = None) -> int:
        params: dict[str, Any] = {"name": tool, "arguments": arguments}
        return self.post("tools/call", {**params, "_meta": meta} if meta else params)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its result."""
        answer = self.answer_to(self.post_call(tool, arguments))
        assert "result" in answer, answer
        return answer["result"]

    def shell(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Run a command; its result as data."""
        return told_of(self.call("shell", command=command, **arguments))

    # -- the end

    def hang_up(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()

    def wait(self, patience_s: float = PATIENCE_S) -> int:
        """Wait for the server's end; its exit code."""
        return self.process.wait(patience_s)

    def read_rest(self) -> list[dict[str, Any]]:
        """Everything the server still says until it ends."""
        rest: list[dict[str, Any]] = []
        try:
            while True:
                rest.append(self.receive())
        except Gone:
            return rest

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and not stream.closed:
                stream.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def _without_watching(env: dict[str, str]) -> dict[str, str]:
    """No socket for `nacre watch` in the person's own directory: it is not theirs.

    It comes a second after the start, with a module: tests that count files, descriptors or memory would
    depend on whether they are faster than that.
    """
    return {} if "XDG_RUNTIME_DIR" in env else {"NACRE_WATCH": "false"}


def told_of(result: dict[str, Any]) -> dict[str, Any]:
    """The data of a tool result, which must be there: what models see, and what only programs do."""
    assert "structuredContent" in result, result
    return {**result["structuredContent"], **result.get("_meta", {}).get("metadata", {})}


def configured(
    start: Callable[..., WireClient], directory: Path, settings: str, *options: str, **more: Any
) -> WireClient:
    """A server with a settings file of its own, which starts in the directory that has the file."""
    file = directory / "settings.toml"
    file.write_text(settings)
    return start("--shell", "bash", "--config", str(file), *options, cwd=directory, **more)


def text_of(result: dict[str, Any]) -> str:
    """The text of a tool result."""
    return "".join(part["text"] for part in result["content"])
