"""The short road of a call: check, run, write; and the questions that a call may have for the person.

Above it: `sdk`, which puts it under the SDK's server. Below: the tools and the transport. It knows the
messages of the handshake protocols and nothing of the SDK.
"""

from __future__ import annotations

import asyncio
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from nacre.audit import log
from nacre.eager import EagerFuture, start_eagerly
from nacre.errors import Asking, NacreError, RequestError
from nacre.protocol.messages import FAILED, INVALID_PARAMS, is_id
from nacre.protocol.roots import Roots
from nacre.tools.arguments import check
from nacre.tools.tool import Caller, CallError, Reply

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from nacre.gate import Answer, Question
    from nacre.protocol.messages import Id, Message
    from nacre.protocol.stdio import Stdio
    from nacre.tools.surface import Method, Surface
    from nacre.tools.tool import Progress, Tool


ROOTS_NEWS = ("notifications/initialized", "notifications/roots/list_changed")


class NeedsAnswer(Asking):
    """The 2026 protocol asks by an answer of its own kind; the client then calls again with the reply."""

    def __init__(self, question: Question) -> None:
        super().__init__("the person is being asked")
        self.question = question


def _choices(question: Question) -> dict[str, Answer]:
    """What the person can choose, in words."""
    choices: dict[str, Answer] = {"run once": "once", "no": "no"}
    if question.rememberable:
        choices["allow this exact command for this session"] = "session"
    return choices


def question_params(question: Question) -> dict[str, Any]:
    """An elicitation, as it goes over the wire."""
    decision = {"type": "string", "title": "Decision", "enum": list(_choices(question))}
    schema = {"type": "object", "properties": {"decision": decision}, "required": ["decision"]}
    return {"message": question.text, "requestedSchema": schema}


def understood(reply: Any, question: Question) -> Answer:
    """What the person meant; anything but a clear yes is a no."""
    told = mapping(reply if isinstance(reply, dict) else reply.model_dump(by_alias=True))
    decision: Any = mapping(told.get("content")).get("decision")
    if told.get("action") != "accept" or not isinstance(decision, str):
        return "no"
    return _choices(question).get(decision, "no")


async def answer(tool: Tool, arguments: dict[str, Any], caller: Caller) -> dict[str, Any]:
    """Call a tool; what the caller can fix, or the policy forbids, is an error result that says so.

    CallError: the answer is a JSON-RPC error.
    """
    try:
        check(arguments, tool.input_schema)
        reply = await tool.call(arguments, caller)
    except (NeedsAnswer, CallError):
        raise
    except NacreError as error:
        if tool.bad_arguments and isinstance(error, RequestError):
            raise named_error(tool.bad_arguments, str(error)) from None
        reply = Reply(str(error), is_error=True) if tool.failed is None else tool.failed(arguments, error)
    except Exception:  # noqa: BLE001  # the SDK would send the exception's own text, which may hold secrets
        log.exception("the tool %s failed; please report this", tool.name)
        reply = Reply(
            f"nacre failed inside {tool.name}; its log has the details. The command may have run.",
            is_error=True,
        )
    result: dict[str, Any] = {
        "content": [{"type": "text", "text": text} for text in (reply.text, *reply.asides)]
    }
    if reply.is_error is not None:
        result["isError"] = reply.is_error
    if reply.structured is not None:
        result["structuredContent"] = reply.structured
    if reply.meta is not None:
        result["_meta"] = reply.meta
    return result


def named_error(name: str, message: str) -> CallError:
    """An error of the caller's, by the name that a document gives it."""
    # JSON-RPC's own words ("Invalid params") are no name that a program would look for.
    return CallError(INVALID_PARAMS, f"{name}: {message}", {"code": name} if name.isidentifier() else None)


def error_of(error: CallError) -> dict[str, Any]:
    """An error as it goes over the wire."""
    told: dict[str, Any] = {"code": error.code, "message": error.message}
    return told if error.data is None else {**told, "data": error.data}


class Express:
    """Answers `tools/call` of a client that has shaken hands, past the SDK's own machinery.

    The SDK moves every call through two streams, a task group, a cancel scope and four layers of models:
    0.3 ms, more than all of our own work. A call is simple: check, run, write. Everything else, and
    every 2026 client, takes the SDK's road, which gives the same answers (a test compares them).

    Methods outside MCP are answered here, too: the SDK would want a handshake first.
    """

    def __init__(
        self,
        stdio: Stdio,
        surface: Surface,
        *,
        takes_calls: bool = True,
    ) -> None:
        self._stdio = stdio
        self._tools = surface.tools
        self._methods = surface.methods
        self._arguments_key = surface.arguments_key
        self._takes_calls = takes_calls
        ask = partial(self._request, "roots/list", {})
        self._roots = Roots(ask, surface.on_root) if surface.on_root is not None else None
        self._has_roots = False
        self._calls: dict[Id, asyncio.Task[None]] = {}
        self._on_long_road: set[Id] = set()  # calls that the SDK answers, until it has
        self._questions: dict[Id, asyncio.Future[Any]] = {}
        self._asks = False  # whether the client's person can be asked
        self.greeted = False

    def take(self, message: Message) -> bool:
        """Whether this message is served here."""
        method = message.get("method")
        if method == "tools/call":
            self._use_our_words(message)
            # While a call is still on the long road, none may overtake it here: their order may matter.
            if self.greeted and self._takes_calls and not self._on_long_road and self._take_call(message):
                return True
            if "id" in message:
                self._on_long_road.add(message["id"])
            return False
        if method in self._methods and "id" in message:
            self._start(message["id"], self._answer_method(message, self._methods[method]))
            return True
        if method is None:
            return self._take_reply(message)
        if method == "initialize":
            capabilities = mapping(mapping(message.get("params")).get("capabilities"))
            self._asks, self._has_roots = "elicitation" in capabilities, "roots" in capabilities
        if method in ROOTS_NEWS and self._has_roots and self._roots is not None:
            self._roots.ask()
        if method == "notifications/cancelled":
            identity = mapping(message.get("params"))["requestId"]  # of a request that is there
            self.arrived(identity)
            call = self._calls.pop(identity, None)
            if call is not None:
                call.cancel()
                return True
        return False

    def arrived(self, identity: Id | None) -> None:
        """The SDK has answered a request, or never will."""
        if identity is not None:
            self._on_long_road.discard(identity)

    def _use_our_words(self, message: Message) -> None:
        """A call in its document's words becomes one in MCP's, whichever road it takes."""
        if self._arguments_key is None:
            return
        params = mapping(message.get("params"))
        if self._arguments_key in params:
            params.setdefault("arguments", params[self._arguments_key])

    def _take_call(self, message: Message) -> bool:
        params = mapping(message.get("params"))
        tool = self._tools.get(str(params.get("name")))
        arguments: Any = params.get("arguments", {})
        if tool is None or "id" not in message or not isinstance(arguments, dict) or "task" in params:
            return False
        meta = mapping(params.get("_meta"))
        token: Any = meta.get("progressToken")
        if meta is not params.get("_meta", meta) or ("progressToken" in meta and not is_id(token)):
            return False  # the SDK has an answer to that
        self._start(
            message["id"], self._answer(message["id"], tool, cast("dict[str, Any]", arguments), token)
        )
        return True

    def _start(self, identity: Id, answering: Coroutine[Any, Any, None]) -> None:
        call = start_eagerly(answering)
        if not call.done():
            self._calls[identity] = call

    def _over(self, identity: Id) -> None:
        """A call is over. The id may already be another call's: the client had cancelled ours."""
        if self._calls.get(identity) is asyncio.current_task():
            del self._calls[identity]

    async def _answer_method(self, message: Message, method: Method) -> None:
        try:
            told = {"result": await method(mapping(message.get("params")))}
        except CallError as error:
            told = {"error": error_of(error)}
        except Exception:  # noqa: BLE001  # as in `answer`
            log.exception("the method %s failed; please report this", message["method"])
            told = {"error": FAILED}
        finally:
            self._over(message["id"])
        await self._stdio.send({"jsonrpc": "2.0", "id": message["id"], **told})

    async def _answer(self, identity: Id, tool: Tool, arguments: dict[str, Any], token: Id | None) -> None:
        try:
            if self._roots is not None and self._roots.unsettled:
                await self._roots.settled()
            caller = Caller(
                None if token is None else self._progress(token), self._ask if self._asks else None
            )
            result = await answer(tool, arguments, caller)
            await self._stdio.send({"jsonrpc": "2.0", "id": identity, "result": result})
        except CallError as error:
            await self._stdio.send({"jsonrpc": "2.0", "id": identity, "error": error_of(error)})
        finally:
            self._over(identity)

    def _take_reply(self, message: Message) -> bool:
        asked = self._questions.pop(message["id"], None)
        if asked is None:
            return False
        if not asked.done():
            asked.set_result(mapping(message.get("result")))
        return True

    async def _ask(self, question: Question) -> Answer:
        return understood(await self._request("elicitation/create", question_params(question)), question)

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the client something; an error of its own is an empty answer."""
        identity = f"nacre-{uuid.uuid4()}"
        asked: EagerFuture[Any] = EagerFuture()  # what it tells holds for the call that stands behind it
        self._questions[identity] = asked
        self._stdio.tell({"jsonrpc": "2.0", "id": identity, "method": method, "params": params})
        try:
            return await asked
        except asyncio.CancelledError:
            if self._questions.pop(identity, None) is not None and not self._stdio.at_end:
                told = {"requestId": identity, "reason": "The answer is not needed any more"}
                self._stdio.tell({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": told})
            raise

    def _progress(self, token: Id) -> Progress:
        async def progress(amount: float, message: str) -> None:
            params = {"progressToken": token, "progress": amount, "message": message}
            await self._stdio.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": params})

        return progress


def mapping(value: Any) -> dict[str, Any]:
    """What a client sent where an object is expected; anything else counts as an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
