"""A client of a server on its stdin and stdout, as agents have one: it starts the server and calls its tools.

Above it: `try_server`. It knows MCP's messages and nothing of the server's inside: it gets the answers that
any client gets. What the server asks is put to the person at the terminal.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import sys
import threading
from collections import deque
from typing import IO, TYPE_CHECKING, Any, cast

from nacre import __version__
from nacre.errors import NacreError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Message = dict[str, Any]

PROTOCOL = "2025-11-25"
KEPT_LOG_LINES = 30  # shown if the server ends
NOTICE_S = 0.5  # a Ctrl-C that comes just before a wait begins is noticed after this time at the latest
END_S = 10.0  # what a server may take to end once its stdin is closed
METHOD_NOT_FOUND = -32601
WRONG_SETTINGS = 2  # the exit code of a server that did not start


class ServerEndedError(NacreError):
    """The server has ended, or does not speak MCP."""


class CallError(NacreError):
    """The server has answered a request with an error."""


class StdioClient:
    """One server, from its start to its end."""

    def __init__(
        self,
        options: Sequence[str],
        ask: Callable[[Message], Message | None] | None = None,
        *,
        show_log: bool = False,
    ) -> None:
        """`ask` shows a form to the person and returns it filled in, or None; without it, none is shown."""
        self._ask = ask
        self._numbers = itertools.count(1)
        self._log: deque[str] = deque(maxlen=KEPT_LOG_LINES)
        self._server = subprocess.Popen(  # noqa: S603  # this program itself, with the person's options
            [sys.executable, "-m", "nacre", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if show_log else subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is meant for the call, not for the server
        )
        self._to_server = cast("IO[bytes]", self._server.stdin)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()  # from the server; the last one is empty
        self._begin_thread(self._gather_lines, cast("IO[bytes]", self._server.stdout))
        if self._server.stderr is not None:
            self._begin_thread(self._gather_log, self._server.stderr)

    def _begin_thread(self, gather: Callable[[IO[bytes]], None], stream: IO[bytes]) -> None:
        threading.Thread(target=gather, args=(stream,), name=gather.__name__, daemon=True).start()

    def _gather_lines(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._lines.put(line)
        self._lines.put(b"")

    def _gather_log(self, log: IO[bytes]) -> None:
        for line in log:
            self._log.append(line.decode("utf-8", "replace").rstrip("\n"))

    def shake_hands(self) -> Message:
        """Begin the conversation; what the server says of itself."""
        capabilities: Message = {} if self._ask is None else {"elicitation": {}}
        hello = self.request(
            "initialize",
            {
                "protocolVersion": PROTOCOL,
                "capabilities": capabilities,
                "clientInfo": {"name": "nacre-try", "version": __version__},
            },
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return hello

    def tools(self) -> dict[str, Message]:
        """The tools of the server, by name."""
        return {tool["name"]: tool for tool in self.request("tools/list", {})["tools"]}

    def call(self, tool: str, arguments: Message) -> Message:
        """The result of a tool. KeyboardInterrupt cancels the call."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def request(self, method: str, parameters: Message) -> Message:
        """The result of a request. CallError: the server has refused it."""
        number = next(self._numbers)
        try:
            self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
            answer = self._answer_to(number)
        except KeyboardInterrupt:
            self._send(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
            )
            raise
        if "error" in answer:
            raise CallError(str(answer["error"].get("message", answer["error"])))
        return answer["result"]

    def _answer_to(self, number: int) -> Message:
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                self._answer(message)
            elif message.get("id") == number or _tells_of_no_request(message):
                return message

    def _answer(self, request: Message) -> None:
        """Answer what the server asks."""
        reply: Message = {"jsonrpc": "2.0", "id": request["id"]}
        if request["method"] == "elicitation/create" and self._ask is not None:
            content = self._ask(request["params"])
            decline: Message = {"action": "decline"}
            reply["result"] = decline if content is None else {"action": "accept", "content": content}
        elif request["method"] == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND, "message": f"Unknown method: {request['method']}"}
        self._send(reply)

    def _send(self, message: Message) -> None:
        line = json.dumps(message).encode()  # escaped: a byte of an argument that is no text passes, too
        try:
            self._to_server.write(line + b"\n")
            self._to_server.flush()
        except OSError:
            raise self._ended() from None

    def _receive(self) -> Message:
        line = self._next_line()
        if not line:
            self._lines.put(b"")  # whoever asks again learns it, too
            raise self._ended()
        try:
            return json.loads(line)
        except ValueError:
            raise ServerEndedError(
                f"The server sent something that is not an MCP message: {line[:200]!r}"
            ) from None

    def _next_line(self) -> bytes:
        while True:
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=NOTICE_S)

    def _ended(self) -> ServerEndedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._server.wait(END_S)
        log = "\n".join(self._log)
        if self._server.returncode == WRONG_SETTINGS and log:
            return ServerEndedError(log.removeprefix("nacre: "))  # which says what is wrong, and what to do
        return ServerEndedError(f"The server has ended.\n{log}" if log else "The server has ended.")

    def close(self) -> None:
        """End the server as a client does: close its stdin, and wait."""
        with contextlib.suppress(OSError):
            self._to_server.close()
        try:
            self._server.wait(END_S)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()


def _tells_of_no_request(message: Message) -> bool:
    """Whether the server could not read what was sent, and so does not know which request it answers."""
    return "error" in message and message.get("id") is None
