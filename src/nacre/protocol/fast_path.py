"""The fast path: what nearly every client sends, answered without the SDK, which need not even be loaded.

The SDK takes most of a second and 40 MB to load, and moves every call through two streams, a task group, a
cancel scope and four layers of models: 0.3 ms, more than all of our own work. A call is simple: check, run,
write. What this module does not know is left to the SDK, which gives the same answers; a test compares them.

Methods outside MCP are answered here, too: the SDK would want a handshake first.

Above it: `conversation`. Below: the connection and the tools. It knows the messages of the protocol and
nothing of the SDK.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from nacre.audit import recorder
from nacre.protocol import modern
from nacre.protocol.calls import answer
from nacre.protocol.connection import Client, Era
from nacre.protocol.handshake import handshake_again, has_plain_meta, is_plain_list, parse_handshake
from nacre.protocol.heartbeat import Heartbeat
from nacre.protocol.messages import FAILED, ID_TYPES, INVALID_PARAMS
from nacre.protocol.results import (
    NeedsAnswer,
    caller_with,
    check_call,
    error_body,
    initialize_result,
    mapping,
    named_error,
    no_method,
    progress_params,
    prompt_result,
    prompts_listed,
    tools_listed,
)
from nacre.protocol.roots import first_root
from nacre.stderr import log
from nacre.tools.tool import SILENT, CallError

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.protocol.connection import Connection
    from nacre.protocol.messages import Id, Message
    from nacre.protocol.resource_requests import ResourceRequests
    from nacre.tools.surface import Method
    from nacre.tools.tool import Tool

REPLAY_ID = "nacre-handshake"  # of the handshake that the SDK is given again
INITIALISED: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NO_META: dict[str, Any] = {}
NOT_INITIALISED = CallError(
    INVALID_PARAMS,
    "The connection is not initialized: send `initialize` first. (A client of 2026-07-28 names its version "
    "and capabilities in the `_meta` of each request instead.)",
)
# Methods of the protocol that we do not serve, whose parameters need not be looked at.
NOT_OFFERED = ("resources/list", "resources/templates/list", "server/discover", "tasks/list")
RESOURCE_LISTS = ("resources/list", "resources/templates/list")
RESOURCE_METHODS = (*RESOURCE_LISTS, "resources/read", "resources/subscribe", "resources/unsubscribe")
TASK_METHODS = ("tasks/get", "tasks/cancel", "tasks/update")  # the SDK has none of them
LISTEN = "subscriptions/listen"
VERSION_WITH_BATCHES = "2025-03-26"
ROOTS_NEWS = ("notifications/initialized", "notifications/roots/list_changed")


class FastPath:
    """Answers one client."""

    def __init__(self, connection: Connection, *, sdk_only: bool = False) -> None:
        self._connection = connection
        self._surface = connection.surface
        self._sdk_only = sdk_only  # all that the SDK can answer is left to it
        self._takes_plain_calls = not sdk_only and "tools/call" not in self._surface.deviations.methods
        self._only_probed = True  # a client of 2026 has asked nothing yet but what we are
        self._roots_state = f"roots-{os.urandom(8).hex()}"  # on the calls that have asked for roots
        self._methods: dict[str, Callable[[Id, dict[str, Any]], bool]] = {
            "initialize": self._initialize,
            "ping": self._ping,
            "tools/list": self._list_tools,
            "prompts/list": self._list_prompts,
            "prompts/get": self._get_prompt,
            "logging/setLevel": self._set_level,
        }

    def take(self, message: Message) -> bool:
        """Whether this message is served here; if not, it is the SDK's."""
        method = message.get("method")
        if method == "tools/call" and self._take_plain_call(message):
            return True
        if method is None:
            return self._connection.take_reply(message) or not self._connection.sdk_serves
        if "id" not in message:
            return self._take_notification(method, message)
        served = self._take_request(method, message["id"], message)
        if not served:
            self._connection.sdk_serves = True
        return served

    # -- notifications

    def _take_notification(self, method: str, message: Message) -> bool:
        connection = self._connection
        if method == "notifications/initialized":
            self._be_initialised()
        if method in ROOTS_NEWS and connection.client.has_roots and connection.roots is not None:
            connection.roots.ask()
        if method == "notifications/cancelled":
            identity = mapping(message.get("params"))["requestId"]  # of a request that is there
            if connection.cancel(identity):
                return True
            if connection.subscriptions is not None and connection.subscriptions.end(identity):
                return True
        return not connection.sdk_serves  # the SDK does nothing with any other, unless it is at work

    def _be_initialised(self) -> None:
        """Some clients say only this, and are served."""
        self._connection.initialised = True
        if self._connection.era is Era.UNDECIDED:
            self._connection.era = Era.HANDSHAKE

    # -- requests

    def _take_request(self, method: str, identity: Id, message: Message) -> bool:
        params = mapping(message.get("params"))
        if other := self._surface.deviations.methods.get(method):
            self._connection.start(identity, self._answer_method(message, other))
            return True
        self._normalise_arguments(method, params)
        try:
            return self._take_in_its_era(method, identity, params)
        except CallError as error:
            self._connection.refuse(identity, error)
            return True

    def _take_in_its_era(self, method: str, identity: Id, params: dict[str, Any]) -> bool:
        """CallError: the request is refused."""
        connection = self._connection
        if self._sdk_only and method == "initialize" and connection.era is not Era.MODERN:
            return self._leave_handshake(params)
        if connection.era is Era.UNDECIDED:
            self._decide_era(method, params)
        if method == "initialize":
            self._fall_back(params)
        if connection.era is Era.MODERN:
            return self._take_modern(method, identity, params)
        if method == "tools/call":
            return self._take_call(identity, params)
        serve = self._methods.get(method)
        if serve is not None and not self._sdk_only:
            return serve(identity, params)
        if method in RESOURCE_METHODS and self._surface.resources is not None:
            return not self._sdk_only and self._take_resource_request(method, identity, params)
        if method in NOT_OFFERED and is_plain_list(params) and not self._sdk_only:
            raise no_method(method)
        return False

    def _decide_era(self, method: str, params: dict[str, Any]) -> None:
        if method == "initialize":
            return
        if modern.has_envelope(params):
            self._connection.era = Era.MODERN
        elif method == "server/discover":
            raise modern.NO_ENVELOPE
        elif method == "tools/call" or (method != "ping" and method in self._methods):
            raise NOT_INITIALISED
        elif method != "ping":
            raise no_method(method)

    def _fall_back(self, params: dict[str, Any]) -> None:
        """A client whose first question was not answered in time takes us for an older server."""
        connection = self._connection
        if connection.era is not Era.MODERN or not self._only_probed or modern.has_envelope(params):
            return
        with contextlib.suppress(CallError):  # a client that does not really shake hands stays where it is
            parse_handshake(params)
            connection.era = Era.UNDECIDED

    def _leave_handshake(self, params: dict[str, Any]) -> bool:
        """The SDK answers; we note what the client has said."""
        with contextlib.suppress(CallError):
            self._note_handshake(parse_handshake(params))
        return False

    def _note_handshake(self, client: Client) -> None:
        self._connection.client = client
        recorder.identify(client.name, client.version)
        self._connection.era = Era.HANDSHAKE
        self._connection.stdio.batches.allowed = client.protocol == VERSION_WITH_BATCHES

    def _initialize(self, identity: Id, params: dict[str, Any]) -> bool:
        connection = self._connection
        self._note_handshake(parse_handshake(params))
        connection.answer(identity, initialize_result(self._surface, connection.client.protocol))
        if connection.sdk_serves:
            connection.stdio.leave(handshake_again(connection.client, REPLAY_ID))
        return True

    def _ping(self, identity: Id, params: dict[str, Any]) -> bool:
        if not has_plain_meta(params):
            return False
        self._connection.answer(identity, {})
        return True

    def _list_tools(self, identity: Id, params: dict[str, Any]) -> bool:
        if not is_plain_list(params):
            return False
        self._connection.answer(identity, {"tools": tools_listed(self._surface)})
        return True

    def _list_prompts(self, identity: Id, params: dict[str, Any]) -> bool:
        if not is_plain_list(params):
            return False
        if not self._surface.prompts:
            raise no_method("prompts/list")
        self._connection.answer(identity, {"prompts": prompts_listed(self._surface)})
        return True

    def _get_prompt(self, identity: Id, params: dict[str, Any]) -> bool:
        name, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(arguments, dict) or not has_plain_meta(params):
            return False
        if not self._surface.prompts:
            raise no_method("prompts/get")
        prompt = self._surface.prompts.get(name)
        if prompt is None:
            raise named_error("", f"Unknown prompt: {name}")
        if arguments:
            raise named_error("", f"The prompt {name} takes no arguments")
        self._connection.answer(identity, prompt_result(prompt))
        return True

    def _set_level(self, _identity: Id, params: dict[str, Any]) -> bool:
        """Our log goes to stderr; clients are sent none of it."""
        if not isinstance(params.get("level"), str) or not has_plain_meta(params):
            return False
        raise no_method("logging/setLevel")

    # -- resources

    def _take_resource_request(self, method: str, identity: Id, params: dict[str, Any]) -> bool:
        from nacre.protocol.resource_requests import requests_of  # noqa: PLC0415  # few clients read any

        connection, requests = self._connection, requests_of(self._connection)
        if method in RESOURCE_LISTS:
            if not is_plain_list(params):
                return False
            listed = requests.listed() if method == "resources/list" else requests.templates()
            connection.answer(identity, self._complete_list(listed))
            return True
        uri = params.get("uri")
        if not isinstance(uri, str) or not has_plain_meta(params):
            return False
        if method == "resources/read":
            connection.start(identity, self._answer_read(identity, requests, uri))
        else:
            (requests.subscribe if method == "resources/subscribe" else requests.unsubscribe)(uri)
            connection.answer(identity, {})
        return True

    def _complete_list(self, result: dict[str, Any]) -> dict[str, Any]:
        if self._connection.era is not Era.MODERN:
            return result
        return modern.complete({"cacheScope": "private", "ttlMs": 0, **result}, self._surface)

    async def _answer_read(self, identity: Id, requests: ResourceRequests, uri: str) -> None:
        connection = self._connection
        try:
            result = self._complete_list(await requests.read(uri))
            await connection.stdio.send({"jsonrpc": "2.0", "id": identity, "result": result})
        except CallError as error:
            await connection.stdio.send({"jsonrpc": "2.0", "id": identity, "error": error_body(error)})
        except Exception:  # noqa: BLE001  # in any case the request is answered
            log.exception("a resource could not be read; please report this")
            await connection.stdio.send({"jsonrpc": "2.0", "id": identity, "error": FAILED})
        finally:
            connection.over(identity)

    # -- calls

    def _take_plain_call(self, message: Message) -> bool:
        """Begin to answer a call that is as nearly all are; others are looked at step by step."""
        connection = self._connection
        params: Any = message.get("params")
        if connection.era is not Era.HANDSHAKE or connection.pending_in_sdk or params.__class__ is not dict:
            return False
        name, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta", NO_META)
        if (
            self._takes_plain_calls
            and "id" in message
            and name.__class__ is str
            and arguments.__class__ is dict
            and meta.__class__ is dict
            and meta.get("progressToken", "").__class__ in ID_TYPES
            and "task" not in params
            and (tool := self._surface.tools.get(name)) is not None
        ):
            connection.start(message["id"], self._answer_call(message["id"], tool, arguments, meta))
            return True
        return False

    def _normalise_arguments(self, method: str, params: dict[str, Any]) -> None:
        """A call in its document's words becomes one in MCP's, whoever answers it; null means absent."""
        if "arguments" in params and params["arguments"] is None:
            del params["arguments"]
        key = self._surface.deviations.arguments_key
        if method == "tools/call" and key is not None and params.get(key) is not None:
            params.setdefault("arguments", params[key])

    def _take_call(self, identity: Id, params: dict[str, Any]) -> bool:
        connection = self._connection
        # While a call is still pending in the SDK, none may overtake it here: their order may matter.
        if self._sdk_only or connection.pending_in_sdk or "task" in params or not has_plain_meta(params):
            connection.pending_in_sdk.add(identity)
            return False
        check_call(params, self._surface)
        arguments: dict[str, Any] = params.get("arguments", {})
        meta: dict[str, Any] = params.get("_meta") or {}
        tool = self._surface.tools[params["name"]]
        connection.start(identity, self._answer_call(identity, tool, arguments, meta))
        return True

    async def _answer_call(
        self, identity: Id, tool: Tool, arguments: dict[str, Any], meta: dict[str, Any]
    ) -> None:
        connection = self._connection
        heartbeat = self._heartbeat(meta["progressToken"]) if "progressToken" in meta else None
        try:
            if connection.client.has_roots and connection.roots is not None and connection.roots.unsettled:
                await connection.roots.settled()
            caller = SILENT
            if heartbeat is not None or connection.client.asks:
                caller = caller_with(
                    None if heartbeat is None else heartbeat.tell,
                    self._elicit if connection.client.asks else None,
                )
            result = await answer(tool, arguments, caller, meta)
            connection.stdio.tell({"jsonrpc": "2.0", "id": identity, "result": result})
        except CallError as error:
            connection.refuse(identity, error)
        finally:
            if heartbeat is not None:
                heartbeat.stop()
            connection.over(identity)

    async def _elicit(self, params: dict[str, Any]) -> dict[str, Any]:
        return await self._connection.request("elicitation/create", params)

    def _heartbeat(self, token: Id | None) -> Heartbeat | None:
        """How a call reports its progress, if the client wants that."""
        if token is None:
            return None

        async def send(amount: float, message: str) -> None:
            params = progress_params(token, amount, message)
            await self._connection.stdio.send(
                {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}
            )

        return Heartbeat(send)

    # -- the protocol of 2026

    def _take_modern(self, method: str, identity: Id, params: dict[str, Any]) -> bool:
        if method == "initialize":
            raise no_method(method)
        self._only_probed = self._only_probed and method == "server/discover" and not self._sdk_only
        if method == LISTEN:
            self._connection.stdio.keep_open(identity)
        envelope = modern.parse_envelope(params)
        if method == "tools/call":
            recorder.identify(*modern.sender(params))
        if envelope is None:
            self._only_probed = False  # the SDK has it, which does not change its mind
            return False
        if method in TASK_METHODS and self._surface.tasks is not None:
            return self._take_task_request(method, identity, params, envelope)
        return not self._sdk_only and self._answer_modern(method, identity, params, envelope)

    def _answer_modern(self, method: str, identity: Id, params: dict[str, Any], envelope: Client) -> bool:
        surface, connection = self._surface, self._connection
        if method == "server/discover":
            connection.answer(identity, modern.discovered(surface))
        elif method == "tools/list" and is_plain_list(params):
            connection.answer(identity, modern.tools_result(surface))
        elif method == "tools/call":
            return self._take_modern_call(identity, params, envelope)
        elif method == LISTEN:
            return self._listen(identity, params)
        elif method in (*RESOURCE_LISTS, "resources/read") and surface.resources is not None:
            return modern.is_first_round(params) and self._take_resource_request(method, identity, params)
        elif method in ("ping", *RESOURCE_LISTS) and is_plain_list(params):
            raise no_method(method)
        else:
            return False
        return True

    def _listen(self, identity: Id, params: dict[str, Any]) -> bool:
        from nacre.protocol.subscriptions import Subscriptions, wanted  # noqa: PLC0415  # not every client listens

        if (kinds := wanted(params)) is None:
            return False
        connection = self._connection
        if connection.subscriptions is None:
            connection.subscriptions = Subscriptions(connection)
        connection.subscriptions.open(identity, kinds)
        return True

    def _take_modern_call(self, identity: Id, params: dict[str, Any], envelope: Client) -> bool:
        connection = self._connection
        asked_for_roots = params.get("requestState") == self._roots_state
        plain = modern.without_answers(params) if asked_for_roots else params
        if connection.pending_in_sdk or not modern.is_first_round(plain):
            connection.pending_in_sdk.add(identity)
            return False
        check_call(params, self._surface)
        if envelope.has_roots and (on_root := connection.on_root) is not None:
            if not asked_for_roots:
                connection.answer(identity, modern.asking_for_roots(self._roots_state, self._surface))
                return True
            answers = mapping(params.get("inputResponses"))
            if "roots" in answers:  # a client that was asked and says nothing has none
                connection.on_root = None  # nobody has to know it any more
                if (root := first_root(answers["roots"])) is not None:
                    on_root(root)
        params = plain
        connection.start(identity, self._answer_modern_call(identity, params, envelope))
        return True

    async def _answer_modern_call(self, identity: Id, params: dict[str, Any], envelope: Client) -> None:
        connection = self._connection
        tool, arguments = self._surface.tools[params["name"]], params.get("arguments", {})
        meta = mapping(params["_meta"])
        heartbeat = self._heartbeat(meta.get("progressToken"))
        caller = caller_with(
            None if heartbeat is None else heartbeat.tell,
            _elicit_by_answer if envelope.asks else None,
            self._surface.tasks if envelope.takes_tasks else None,
        )
        try:
            result = modern.complete(await answer(tool, arguments, caller, meta), self._surface)
            await connection.stdio.send({"jsonrpc": "2.0", "id": identity, "result": result})
        except CallError as error:
            await connection.stdio.send({"jsonrpc": "2.0", "id": identity, "error": error_body(error)})
        except NeedsAnswer:  # nothing has run yet: the SDK asks, in that protocol's own way
            connection.pending_in_sdk.add(identity)
            connection.sdk_serves = True
            connection.stdio.leave(
                {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}
            )
        finally:
            if heartbeat is not None:
                heartbeat.stop()
            connection.over(identity)

    def _take_task_request(self, method: str, identity: Id, params: dict[str, Any], envelope: Client) -> bool:
        from nacre.protocol import task_requests  # noqa: PLC0415  # few clients know tasks

        if not envelope.takes_tasks:
            raise task_requests.NOT_DECLARED
        if (load := self._surface.tasks) is None:
            return False
        result = task_requests.answer(load(), method, params)
        self._connection.answer(identity, modern.complete(result, self._surface))
        return True

    # -- methods outside MCP

    async def _answer_method(self, message: Message, method: Method) -> None:
        try:
            outcome = {"result": await method(mapping(message.get("params")))}
        except CallError as error:
            outcome = {"error": error_body(error)}
        except Exception:  # noqa: BLE001  # in any case the request is answered
            log.exception("the method %s failed; please report this", message["method"])
            outcome = {"error": FAILED}
        finally:
            self._connection.over(message["id"])
        await self._connection.stdio.send({"jsonrpc": "2.0", "id": message["id"], **outcome})


async def _elicit_by_answer(params: dict[str, Any]) -> dict[str, Any]:
    raise NeedsAnswer(params)
