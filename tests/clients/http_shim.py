"""Streamable HTTP in front of a server on stdio: for the conformance suite, which speaks HTTP only.

For tests alone: nacre itself never opens a port. Each HTTP session gets a server process of its own. Requests
without a session, as clients of the 2026 protocol send them, share one process, and there the ids of requests
are exchanged for our own, because several clients may choose the same.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PATIENCE_S = 10
SHARED = ""  # the session of requests that have none
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
HEADER_MISMATCH = -32020
STATUS_OF_ERRORS = {-32601: 404, -32602: 400, HEADER_MISMATCH: 400, -32021: 400, -32022: 400}  # of 2026


class Child:
    """One server process; its messages go to whoever waits for them."""

    def __init__(self, program: list[str], directory: str) -> None:
        self._process = subprocess.Popen(
            program, cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._lock = threading.Lock()
        self._waiting: dict[Any, queue.Queue[Any]] = {}  # by the id of a request
        self.unasked: queue.Queue[Any] = queue.Queue()  # what nobody's request has led to
        self._ended = threading.Event()
        self._hearing = threading.Thread(target=self._hear, daemon=True)
        self._hearing.start()

    def send(self, message: Any) -> None:
        """Hand a message on."""
        assert self._process.stdin
        with self._lock:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def ask(self, request: Any) -> Iterator[Any]:
        """Hand a request on; what comes until its answer, and the answer."""
        answers: queue.Queue[Any] = queue.Queue()
        self._waiting[request["id"]] = answers
        if self._ended.is_set():
            answers.put(None)
        else:
            self.send(request)
        while True:
            try:
                message = answers.get(timeout=PATIENCE_S)
            except queue.Empty:  # a subscription, which has no answer while it lasts
                return
            if message is None:  # the server has ended
                return
            yield message
            if message.get("id") == request["id"] and "method" not in message:
                del self._waiting[request["id"]]
                return

    def close(self) -> None:
        """End the server in the usual way, and with it whoever still listens."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._hearing.join()
        self._process.stdout.close()

    def _hear(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            message = json.loads(line)
            self._waiting.get(self._asker(message), self.unasked).put(message)
        self._ended.set()
        for listener in (self.unasked, *list(self._waiting.values())):
            listener.put(None)

    def _asker(self, message: Any) -> Any:
        """The id of the request that a message belongs to."""
        if "method" not in message:
            return message["id"]
        meta = message.get("params", {}).get("_meta", {})
        # What belongs to no subscription belongs to the request that was sent last.
        return meta.get(SUBSCRIPTION_KEY) or next(reversed(self._waiting), None)


class HttpShim:
    """From `with` to its end, `program` can be reached at `url`; it works in `directory`."""

    def __init__(self, program: list[str], directory: str) -> None:
        self._program = program
        self._directory = directory
        self._children: dict[str, Child] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._server = ShimServer(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}/mcp"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        for child in self._children.values():
            child.close()
        self._server.server_close()

    def open(self) -> str:
        """A new session."""
        session = uuid.uuid4().hex
        self._children[session] = Child(self._program, self._directory)
        return session

    def child(self, session: str) -> Child | None:
        """The process of a session."""
        with self._lock:
            if session == SHARED and SHARED not in self._children:
                self._children[SHARED] = Child(self._program, self._directory)
        return self._children.get(session)

    def warm_up(self, version: str) -> None:
        """Let the process without a session load all that it may need: some scenarios wait very briefly."""
        meta: dict[str, Any] = {VERSION_KEY: version, "io.modelcontextprotocol/clientCapabilities": {}}
        request: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": 0,
            "method": "prompts/list",
            "params": {"_meta": meta},
        }
        assert list(self.ask_shared(request)), "the server does not answer"

    def close(self, session: str) -> None:
        """End a session."""
        child = self._children.pop(session, None)
        if child is not None:
            child.close()

    def ask_shared(self, request: Any) -> Iterator[Any]:
        """Ask the shared process under an id of our own."""
        child = self.child(SHARED)
        assert child
        identity = f"shim-{next(self._numbers)}"
        for message in child.ask({**request, "id": identity}):
            renamed = {**message, "id": request["id"]} if message.get("id") == identity else message
            meta = message.get("params", {}).get("_meta", {})
            if meta.get(SUBSCRIPTION_KEY) == identity:
                meta[SUBSCRIPTION_KEY] = request["id"]
            yield renamed


def _version(request: Any) -> Any:
    """The protocol that a request of 2026 names; None: it is an older one's."""
    return request.get("params", {}).get("_meta", {}).get(VERSION_KEY)


class Handler(BaseHTTPRequestHandler):
    """One HTTP request; the server it came to knows the shim."""

    server: ShimServer  # pyright: ignore[reportIncompatibleVariableOverride]  # the class says what it is made by

    def do_POST(self) -> None:
        """A message for a server."""
        shim = self.server.shim
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        session = self.headers.get("mcp-session-id", SHARED)
        if message.get("method") == "initialize" and _version(message) is None:
            session = shim.open()
        child = shim.child(session)
        if child is None:
            self.send_error(404)
        elif "method" in message and "id" in message:
            self._answer(message) if session == SHARED else self._stream(child.ask(message), session)
        else:
            child.send(message)
            self.send_response(202)
            self.end_headers()

    def do_GET(self) -> None:
        """A standing stream of what a server says unasked."""
        child = self.server.shim.child(self.headers.get("mcp-session-id", SHARED))
        if child is None:
            self.send_error(404)
        else:
            self._stream(iter(child.unasked.get, None), "")

    def do_DELETE(self) -> None:
        """The end of a session."""
        self.server.shim.close(self.headers.get("mcp-session-id", SHARED))
        self.send_response(200)
        self.end_headers()

    def _answer(self, request: Any) -> None:
        """Answer a request without a session; the status shows an error."""
        messages = self._asked(request)
        first = list(itertools.islice(messages, 1))
        code: int = first[0].get("error", {}).get("code", 0) if first else 0
        self._stream(itertools.chain(first, messages), SHARED, STATUS_OF_ERRORS.get(code, 200))

    def _asked(self, request: Any) -> Iterator[Any]:
        """The answers to a request without a session; what HTTP alone can get wrong is answered here."""
        params, version = request.get("params", {}), _version(request)
        said = {"mcp-method": request["method"], "mcp-name": params.get("name", params.get("uri"))}
        expected = {**said, "mcp-protocol-version": version}
        if any(self.headers.get(name, "").strip() != value for name, value in expected.items() if value):
            error = {"code": HEADER_MISMATCH, "message": "A header says something else than the request"}
            return iter([{"jsonrpc": "2.0", "id": request["id"], "error": error}])
        return self.server.shim.ask_shared(request)

    def _stream(self, messages: Iterable[Any], session: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", "text/event-stream")
        if session:
            self.send_header("mcp-session-id", session)
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the client has heard enough
            for message in messages:
                self.wfile.write(f"event: message\ndata: {json.dumps(message)}\n\n".encode())
                self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class calls it so
        """The test's output is no access log."""


class ShimServer(ThreadingHTTPServer):
    """An HTTP server that knows its shim."""

    daemon_threads = False  # `server_close` waits for them: nothing may be open when the test ends

    def __init__(self, shim: HttpShim) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.shim = shim
