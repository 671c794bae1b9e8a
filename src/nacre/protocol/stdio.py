"""JSON lines on stdin and stdout: a transport that is stricter and more robust than the SDK's.

- A line that is not JSON, or not a JSON-RPC message, is answered (-32700, -32600), never dropped in silence.
  An answer of the client is never answered, whatever is wrong with it: two sides could go on for ever.
- No message ends the server or costs another line: what goes wrong with one is logged, and its sender told.
- An id keeps its type: 7 and "7" are two requests, and a cancellation of one leaves the other alone.
- A batch is taken from clients whose protocol has them; its answers are one line, too.
- A byte order mark, CRLF line ends and the bare `initialized` of old documents are accepted.
- A line longer than the limit is answered and skipped; the next one is served.
- At the end of stdin every request already received is finished and answered; when stdout is closed the
  client is gone, and so is the reason to go on.
- What a client can make us hold is bounded. While more than `UNREAD_BYTES` wait to be read by it, or there
  are more requests than `admission` has room for, stdin is left unread. Nobody waits for ever: the client can
  take its answers, requests end by themselves, and cancellations and answers overtake requests that wait.
  While we have a question to the client, its answer may stand behind any number of requests: then stdin is
  read on, and those that there is no room for are refused (-32000).

Above it: the connection, the fast path and the SDK's side. It speaks in dicts and knows JSON-RPC, nothing of
MCP's methods or of the SDK.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import select
import stat
import sys
from collections import deque
from typing import TYPE_CHECKING, Any, cast

from nacre.keeper import quickjson
from nacre.output import leaving_value, may_leave
from nacre.pipes import PipeReader, PipeWriter
from nacre.protocol.admission import Admission
from nacre.protocol.batches import Batch, Batches
from nacre.protocol.messages import (
    FAILED,
    INVALID_REQUEST,
    PARSE_ERROR,
    TOO_MANY,
    encode,
    is_answer,
    is_id,
    is_request,
    is_whole_answer,
    problem_of,
)
from nacre.stderr import log

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.protocol.messages import Id, Message

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
UNREAD_BYTES = 16 * 1024 * 1024
NEWS_BYTES = 1024 * 1024  # far less: progress alone must not keep us from hearing a cancellation
INBOX_MESSAGES = 1000  # how far the SDK may be behind


def claim_standard_streams() -> tuple[int, int]:
    """Reserve the protocol's streams, so that nothing else in this process can use them.

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
    """The connection to one client."""

    def __init__(
        self, reading: int, writing: int, line_limit_bytes: int, on_gone: Callable[[], None]
    ) -> None:
        self._line_limit_bytes = line_limit_bytes
        self._on_gone = on_gone
        self._loop = asyncio.get_running_loop()
        self._inbox: deque[Message] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._requests = Admission(line_limit_bytes)
        self.batches = Batches()
        self._asked: set[Id] = set()  # our own requests to the client
        self._crowded = False  # the client has much to read
        self._paused = False  # stdin is left unread
        self._admitting = False
        self._partial: list[bytes] = []
        self._partial_bytes = 0
        self._skipping = False
        self._first = True
        self.at_end = False  # the client sends no more
        self.takes_bare_lines = (
            False  # whether a line without `jsonrpc` is a request, as one document has them
        )
        self._line_numbers = itertools.count(1)
        self._nameless: set[Id] = set()  # ids that we gave to requests without one
        self._reading = reading
        self._writing = writing
        self._writer = PipeWriter(writing, self._gone, self._drained)

    # -- for the modules above

    def start(self, serve: Callable[[Message], bool]) -> None:
        """Begin to read. `serve` returns whether it takes a message; others can be received."""
        self._serve = serve
        self._reader = PipeReader(self._reading, self._received, self._ended)
        self._watch_for_hang_up()

    async def receive(self) -> Message | None:
        """The next message that is left to the receiver; None once stdin has ended and all is answered."""
        while not self._inbox:
            if self.at_end and not self._requests.unfinished:
                return None
            self._waiter = self._loop.create_future()
            await self._waiter
        message = self._inbox.popleft()
        if self._paused:
            self._read_or_wait()
        return message

    async def send(self, message: Message) -> None:
        """Write one message. Notifications wait until the client has read earlier ones, if there are many."""
        self.tell(message)
        if "method" in message and self._writer.waiting_bytes > NEWS_BYTES:
            await self._writer.drained()

    def tell(self, message: Message) -> None:
        """Write one message."""
        if "method" in message:
            self._note_question(message)
        else:
            identity = message["id"]
            if self._requests.settle(identity) and (self._requests.waiting or self.at_end):
                self._make_room()
            if self.batches.pending and (batch := self.batches.settle(identity, message)) is not None:
                self._write_batch(batch)
                return
        self._put(_encoded(self._as_asked(message) if self._nameless else message))

    def keep_open(self, identity: Id) -> None:
        """Keep a request open until the client ends it, at the latest at the end of stdin."""
        self._requests.keep_open(identity)

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
        else:
            self._split(data)
        if self._inbox or self._requests.waiting:
            self._read_or_wait()

    def _split(self, data: bytes) -> None:
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
        try:
            message = quickjson.decode(line.decode())
        except (ValueError, RecursionError) as error:
            if not line or line.isspace():
                return
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            self._refuse(None, PARSE_ERROR, f"Not JSON: {reason}")
            return
        if message.__class__ is list and message and self.batches.allowed:
            self._take_batch(cast("list[Any]", message))
        else:
            self._take(message, line)

    def _take_batch(self, messages: list[Any]) -> None:
        batch = self.batches.reading = Batch()
        for message in messages:
            self._take(message, encode(message))
        self.batches.reading = None
        batch.settle()
        self._write_batch(batch)

    def _take(self, message: Any, line: bytes) -> None:
        try:
            if self.takes_bare_lines:
                self._complete(message)
            if is_request(message):
                if self._crowded or not self._requests.admit(message["id"], len(line)):
                    self._put_off(message, line)
                    return
                if self.batches.reading is not None:
                    self.batches.note(message["id"])
                if not self._serve(message):
                    self.leave(message)
            elif is_answer(message):
                self._take_answer(message)
            elif problem := problem_of(message):
                identity = cast("Message", message).get("id") if isinstance(message, dict) else None
                self._refuse(identity if is_id(identity) else None, *problem)
            else:
                self._take_notification(message)
        except Exception:  # noqa: BLE001  # whatever it is: it must cost neither the server nor the next line
            self._fail(message)

    def _take_answer(self, message: Message) -> None:
        if is_whole_answer(message):
            self._asked.discard(message["id"])
            self._pass_on(message)
        else:
            log.debug("an answer without a use was dropped")

    def _complete(self, message: Any) -> None:
        """Make a request of a line that has only a method; its answer has no id either."""
        fields: Message = cast("Message", message) if isinstance(message, dict) else {}
        if "jsonrpc" in fields or "method" not in fields:
            return
        fields["jsonrpc"] = "2.0"
        if "id" not in fields:
            fields["id"] = f"nacre-line-{next(self._line_numbers)}"
            self._nameless.add(fields["id"])

    def _fail(self, message: Any) -> None:
        """Answer a faulty request, if it can have an answer."""
        log.exception("a message could not be handled; please report this")
        identity = cast("Message", message).get("id") if isinstance(message, dict) else None
        if is_id(identity) and not is_answer(message):
            self.tell({"jsonrpc": "2.0", "id": identity, "error": FAILED})

    def _put_off(self, message: Message, line: bytes) -> None:
        """Let a request wait that there is no room for, or refuse it."""
        identity = message["id"]
        if identity in self._requests:
            self._refuse(identity, INVALID_REQUEST, f"Request {identity!r} is still being answered")
        elif self._requests.full and self._asked:
            self._refuse(identity, TOO_MANY, "Too many requests wait for their turn; this one was not taken")
        else:
            self.batches.note(identity)
            self._requests.hold(identity, encode(message) if self.takes_bare_lines else line)

    def _take_notification(self, message: Message) -> None:
        if message["method"] == "initialized":
            message["method"] = "notifications/initialized"
        if message["method"] == "notifications/cancelled":
            params: dict[str, Any] = message.get("params") or {}
            identity: Any = params.get("requestId")
            if is_id(identity) and (batch := self.batches.settle(identity)) is not None:
                self._write_batch(batch)
            if not is_id(identity) or not self._requests.cancel(identity):
                return  # no request of that id is in flight
            self._make_room()
        self._pass_on(message)

    def _pass_on(self, message: Message) -> None:
        if not self._serve(message):
            self.leave(message)

    def leave(self, message: Message) -> None:
        """Leave a message to `receive`."""
        self._inbox.append(message)
        self._wake()

    # -- room

    def _note_question(self, message: Message) -> None:
        """Note our own requests to the client, and their cancellations."""
        if "id" in message:
            self._asked.add(message["id"])
            if self._paused:
                self._read_or_wait()
        elif message["method"] == "notifications/cancelled":
            self._asked.discard(message["params"]["requestId"])

    def _make_room(self) -> None:
        """A request has ended: let waiting ones continue, but not inside the current callback."""
        if self.at_end:
            self._wake()
        if self._requests.waiting and not self._admitting:
            self._admitting = True
            self._loop.call_soon(self._admit)

    def _admit(self) -> None:
        self._admitting = False
        while not self._crowded and (line := self._requests.next()) is not None:
            message = quickjson.decode(line.decode())
            try:
                self._pass_on(message)
            except Exception:  # noqa: BLE001  # as above: neither the server nor the next line may suffer
                self._fail(message)
        if self._paused:
            self._read_or_wait()

    def _read_or_wait(self) -> None:
        """Stop reading stdin while there is no room for more requests."""
        no_room = self._requests.full and not self._asked
        wait = self._crowded or no_room or len(self._inbox) > INBOX_MESSAGES
        if wait != self._paused:
            self._paused = wait
            (self._reader.pause if wait else self._reader.resume)()

    def _drained(self) -> None:
        """The client has read everything."""
        if self._crowded:
            self._crowded = False
            self._make_room()
            self._read_or_wait()

    def _ended(self) -> None:
        self._line_end()  # a last line without its newline counts
        self.at_end = True
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    # -- lines out

    def _refuse(self, identity: Id | None, code: int, reason: str) -> None:
        answer: Message = {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": reason}}
        if self.batches.reading is None:
            self._put(_encoded(self._as_asked(answer)))
        else:
            self.batches.reading.answers.append(answer)

    def _write_batch(self, batch: Batch) -> None:
        """Answer a batch once it is complete; a batch of notifications has no answer."""
        if batch.whole and batch.answers:
            self._put(b"[" + b",".join(map(_encoded, batch.answers)) + b"]")

    def _as_asked(self, message: Message) -> Message:
        """The answer to a request without an id has none either."""
        if message.get("id") not in self._nameless:
            return message
        self._nameless.discard(message["id"])
        return {**message, "id": None}

    def _put(self, data: bytes) -> None:
        if not data or self._writer.write(data + b"\n"):
            return  # nearly always
        if self._writer.waiting_bytes > UNREAD_BYTES and not self._crowded:
            self._crowded = True
            self._read_or_wait()

    # -- the client goes away

    def _gone(self) -> None:
        self.at_end = True
        self._requests.clear()
        self._on_gone()
        self._wake()

    def _watch_for_hang_up(self) -> None:
        """Notice that the reader is gone, without having to write."""
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


def _encoded(message: Message) -> bytes:
    """The line of a message, without secrets; an answer that cannot be written becomes an error."""
    try:
        data = encode(message)
        return data if may_leave(data) else encode(_as_it_may_leave(message))
    except (TypeError, ValueError, RecursionError):
        log.exception("a message could not be written; please report this")
        return encode({"jsonrpc": "2.0", "id": message["id"], "error": FAILED}) if "id" in message else b""


def _as_it_may_leave(message: Message) -> Message:
    """A message without secrets, also such as the client itself has sent: no transcript must repeat them.

    What it recognizes its own request by stays.
    """
    shown: Message = leaving_value(message)
    if "id" in message:
        shown["id"] = message["id"]
    params: Any = message.get("params")
    if isinstance(params, dict):
        own = cast("Message", params)
        shown["params"] |= {name: own[name] for name in ("progressToken", "requestId") if name in own}
    return shown
