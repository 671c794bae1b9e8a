"""JSON lines on stdin and stdout: the transport, stricter and kinder than the SDK's own.

- A line that is not JSON, or not a JSON-RPC message, is answered (-32700, -32600), never dropped in silence.
  An answer of the client is never answered, whatever is wrong with it: two sides could go on for ever.
- No message ends the server or costs another line: what goes wrong with one is logged, and its sender told.
- An id keeps its type: 7 and "7" are two requests, and a cancellation of one leaves the other alone.
- A byte order mark, CRLF line ends and the bare `initialized` of old documents are accepted.
- A line longer than the limit is answered and skipped; the next one is served.
- At the end of stdin every request already received is finished and answered; when stdout is closed the
  client is gone, and so is the reason to go on.

Above it: `server`. It speaks in dicts and knows JSON-RPC, nothing of MCP's methods or of the SDK.
"""

from __future__ import annotations

import asyncio
import os
import select
import stat
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, cast

from nacre.audit import log
from nacre.keeper import quickjson
from nacre.pipes import PipeReader, PipeWriter

if TYPE_CHECKING:
    from collections.abc import Callable

Message = dict[str, Any]

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32602, -32603
FAILED = {"code": INTERNAL_ERROR, "message": "nacre failed; its log has the details"}
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_encode, _encode_ascii = quickjson.encoder(ascii_only=False), quickjson.encoder(ascii_only=True)
CROWDED_BYTES = 16 * 1024 * 1024  # a client that does not read makes senders wait beyond this


def claim_standard_streams() -> tuple[int, int]:
    """Take the protocol's streams away from everybody else in this process.

    Returns private descriptors; 0 then reads nothing and 1 writes to stderr, so that neither a stray
    print nor a library can touch the wire.
    """
    reading, writing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return reading, writing


class Stdio:
    """The conversation with one client."""

    def __init__(
        self, reading: int, writing: int, line_limit_bytes: int, on_gone: Callable[[], None]
    ) -> None:
        self._line_limit_bytes = line_limit_bytes
        self._on_gone = on_gone
        self._loop = asyncio.get_running_loop()
        self._inbox: deque[Message] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._unanswered: set[int | str] = set()
        self._partial: list[bytes] = []
        self._partial_bytes = 0
        self._skipping = False
        self._first = True
        self._at_end = False
        self.express: Callable[[Message], bool] | None = (
            None  # may take a message before anybody else sees it
        )
        self._writing = writing
        self._writer = PipeWriter(writing, self._gone)
        self._reader = PipeReader(reading, self._received, self._ended)
        self._watch_for_hang_up()

    # -- for the server

    async def receive(self) -> Message | None:
        """The next message; None once stdin has ended and everything is answered."""
        while not self._inbox:
            if self._at_end and not self._unanswered:
                return None
            self._waiter = self._loop.create_future()
            await self._waiter
        return self._inbox.popleft()

    async def send(self, message: Message) -> None:
        """Write one message."""
        self._settle(message)
        self._write(message)
        if self._writer.waiting_bytes > CROWDED_BYTES:
            await self._writer.drained()

    async def flushed(self) -> None:
        """Wait until the client has taken everything."""
        await self._writer.drained()

    # -- lines in

    def _received(self, data: bytes) -> None:
        if self._first:
            self._first = False
            data = data.removeprefix(BYTE_ORDER_MARK)
        if (
            not self._partial
            and not self._skipping
            and data.find(b"\n") == len(data) - 1 <= self._line_limit_bytes
        ):
            self._line(data)  # one whole line: nearly always
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._line_part(line)
            self._line_end()
        if rest:
            self._line_part(rest)

    def _line_part(self, part: bytes) -> None:
        if self._skipping:
            return
        self._partial.append(part)
        self._partial_bytes += len(part)
        if self._partial_bytes > self._line_limit_bytes:
            self._skipping = True
            self._partial.clear()
            self._refuse(
                None,
                INVALID_REQUEST,
                f"The line is longer than {self._line_limit_bytes:,} bytes and was skipped",
            )

    def _line_end(self) -> None:
        line = b"".join(self._partial)
        self._partial.clear()
        self._partial_bytes = 0
        if self._skipping:
            self._skipping = False
        else:
            self._line(line)

    def _line(self, line: bytes) -> None:
        if not line or line.isspace():
            return
        try:
            message = quickjson.decode(line.decode())
        except (ValueError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            self._refuse(None, PARSE_ERROR, f"Not JSON: {reason}")
            return
        try:
            self._judge(message)
        except Exception:  # noqa: BLE001  # whatever it is: it must cost neither the server nor the next line
            log.exception("a message could not be handled; please report this")
            self._fail(message)

    def _judge(self, message: Any) -> None:
        if is_answer(message):
            if _is_whole_answer(message):
                self._pass_on(message)
            else:
                log.debug("an answer without a use was dropped")
        elif problem := _problem(message):
            identity = cast("Message", message).get("id") if isinstance(message, dict) else None
            self._refuse(identity if is_id(identity) else None, *problem)
        else:
            self._accept(message)

    def _fail(self, message: Any) -> None:
        """Answer what asked, if it can have an answer."""
        identity = cast("Message", message).get("id") if isinstance(message, dict) else None
        if is_id(identity) and not is_answer(message):
            self._unanswered.discard(cast("int | str", identity))
            self._write({"jsonrpc": "2.0", "id": identity, "error": FAILED})

    def _accept(self, message: Message) -> None:
        method, identity = message["method"], message.get("id")
        if identity is not None:
            if identity in self._unanswered:
                self._refuse(identity, INVALID_REQUEST, f"Request {identity!r} is still being answered")
                return
            self._unanswered.add(identity)
        elif method == "initialized":
            message["method"] = "notifications/initialized"
        elif method == "notifications/cancelled" and not self._forget(message):
            return
        self._pass_on(message)

    def _forget(self, cancellation: Message) -> bool:
        """A cancelled request is not answered any more; one that is not there cannot be cancelled."""
        identity = cancellation.get("params", {}).get("requestId")
        if not is_id(identity) or identity not in self._unanswered:
            return False
        self._unanswered.discard(identity)
        return True

    def _pass_on(self, message: Message) -> None:
        if self.express is not None and self.express(message):
            return
        self._inbox.append(message)
        self._wake()

    def _ended(self) -> None:
        self._line_end()  # a last line without its newline counts
        self._at_end = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # -- lines out

    def _refuse(self, identity: int | str | None, code: int, reason: str) -> None:
        self._write({"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": reason}})

    def _settle(self, message: Message) -> None:
        if "method" not in message and message.get("id") in self._unanswered:
            self._unanswered.discard(message["id"])
            if self._at_end:
                self._wake()

    def _write(self, message: Message) -> None:
        try:
            data = _encode(message).encode()
        except UnicodeEncodeError:
            data = _without_surrogates(message)
        except (TypeError, ValueError, RecursionError):
            log.exception("a message could not be written; please report this")
            if "id" not in message:
                return
            data = _encode({"jsonrpc": "2.0", "id": message["id"], "error": FAILED}).encode()
        self._writer.write(data + b"\n")

    # -- the client goes away

    def _gone(self) -> None:
        self._at_end = True
        self._unanswered.clear()
        self._on_gone()
        self._wake()

    def _watch_for_hang_up(self) -> None:
        """Notice that nobody reads any more, without having to write."""
        mode = os.fstat(self._writing).st_mode
        if sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
            self._loop.add_reader(self._writing, self._maybe_hung_up)

    def _maybe_hung_up(self) -> None:
        poll = select.poll()
        poll.register(self._writing, 0)
        if any(events & (select.POLLERR | select.POLLHUP) for _, events in poll.poll(0)):
            self._loop.remove_reader(self._writing)
            self._gone()
        elif stat.S_ISSOCK(os.fstat(self._writing).st_mode):
            self._loop.remove_reader(self._writing)  # the peer will send no more; it may still read


def _without_surrogates(message: Message) -> bytes:
    """Half a surrogate pair (a file name that is not UTF-8) has no place in JSON; we live on.

    An id is the client's own, by which it knows its answer: that goes back as it came.
    """
    rest = {name: value for name, value in message.items() if name != "id"}
    data = _encode(rest).encode("utf-8", "replace")
    if "id" not in message:
        return data
    return b'{"id":' + _encode_ascii(message["id"]).encode() + b"," + data[1:]


def is_id(value: object) -> bool:
    """Whether a value can be a request's id, or a progress token: text, or a number without a point."""
    return type(value) in (str, int)  # exactly: to Python, True is an integer


def is_answer(message: Any) -> bool:
    """Whether a message is an answer, or wants to be one."""
    if not isinstance(message, dict) or "method" in message:
        return False
    return "result" in message or "error" in message


def _is_whole_answer(fields: Message) -> bool:
    return fields.get("jsonrpc") == "2.0" and is_id(fields.get("id"))


def _problem(message: Any) -> tuple[int, str] | None:
    """Why a JSON value is not a JSON-RPC message of MCP."""
    if isinstance(message, list):
        return INVALID_REQUEST, "Batches are not supported: send one message per line"
    if not isinstance(message, dict):
        return INVALID_REQUEST, "A message is a JSON object"
    fields = cast("Message", message)
    if fields.get("jsonrpc") != "2.0":
        return INVALID_REQUEST, 'A message carries "jsonrpc": "2.0"'
    if "id" in fields and not is_id(fields["id"]):
        return INVALID_REQUEST, "An id is a string or a whole number"
    return _problem_of_call(fields)


def _problem_of_call(fields: Message) -> tuple[int, str] | None:
    if not isinstance(fields.get("method"), str):
        return INVALID_REQUEST, "A method is a string" if "method" in fields else "A message has a method"
    if not isinstance(fields.get("params", {}), dict):
        return INVALID_PARAMS, "params is an object"
    return None
