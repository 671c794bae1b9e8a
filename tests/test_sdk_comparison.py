"""The fast path and the SDK give the same answers, byte for byte; an SDK release that differs fails here."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Bell, gone, unique_seconds
from wire_client import HANDSHAKE, MODERN, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]
    Messages = list[dict[str, Any]]
    Scenario = Callable[[WireClient], list[Any]]

VERSION, CAPABILITIES, LOG_LEVEL = (
    f"io.modelcontextprotocol/{name}" for name in ("protocolVersion", "clientCapabilities", "logLevel")
)
SDK_ONLY = {"NACRE_PLAIN_SDK": "1"}
HANDSHAKE_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
# What differs from run to run, and the ids of our own questions.
VARYING = [
    (re.compile(rb'("(?:execution_time_ms|cpu_ms|max_rss_bytes)":)(?:\d+|null)'), rb"\1N"),
    (re.compile(rb'("output_id":)"[0-9a-f]+-([0-9.]+)"'), rb'\1"ID-\2"'),
    (re.compile(rb"\((?:\d+ ms|\d+\.\d+ s)\)"), rb"(T)"),
    (re.compile(rb'"progress":[\d.]+'), rb'"progress":N'),
    (re.compile(rb'"id":(?:"nacre-\d+"|\d+),"method"'), rb'"id":N,"method"'),
    (
        re.compile(rb'"method":"elicitation/create","params":\{"mode":"form",'),
        rb'"method":"elicitation/create","params":{',
    ),
]
INITIALIZED: dict[str, Any] = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def request(identity: Any, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}


def call(identity: Any, command: str, **meta: Any) -> dict[str, Any]:
    params: dict[str, Any] = {"name": "shell", "arguments": {"command": command}}
    return request(identity, "tools/call", **params, **({"_meta": meta} if meta else {}))


def bare(method: str, identity: Any = None) -> dict[str, Any]:
    """A message without parameters."""
    message = {"jsonrpc": "2.0", "method": method}
    return message if identity is None else {**message, "id": identity}


def lines_for(message: dict[str, Any]) -> int:
    """How many lines a message brings: an answer to a request, nothing for the rest."""
    return 1 if "id" in message and "method" in message else 0


def heard(server: WireClient, messages: Messages) -> list[tuple[str, list[bytes]]]:
    """Each message, and the lines that came for it."""
    exchanged: list[tuple[str, list[bytes]]] = []
    for message in messages:
        server.send(message)
        lines = [normal(server.receive_line()) for _ in range(lines_for(message))]
        exchanged.append((json.dumps(message), lines))
    return exchanged


def normal(line: bytes) -> bytes:
    for pattern, replacement in VARYING:
        line = pattern.sub(replacement, line)
    return line


def has_loaded_the_sdk(server: WireClient) -> bool:
    """By its compiled half, which the kernel knows of."""
    return "pydantic_core" in Path(f"/proc/{server.process.pid}/maps").read_text()


def compare(
    start: Start,
    *options: str,
    plain: Scenario | Messages,
    odd: Messages | None = None,
    loads: bool = False,
) -> None:
    """The same conversation with both: the fast path must need no SDK for the plain part of it."""
    fast, slow = start(*options, greet=False), start(*options, greet=False, env=SDK_ONLY)
    scenario: Scenario = plain if callable(plain) else lambda server: heard(server, plain)
    for mine, other in zip(scenario(fast), scenario(slow), strict=True):
        assert mine == other
    assert has_loaded_the_sdk(fast) is loads
    if odd is not None:
        for mine, other in zip(heard(fast, odd), heard(slow, odd), strict=True):
            assert mine == other
        assert has_loaded_the_sdk(fast)
    assert has_loaded_the_sdk(slow)
    for server in (fast, slow):
        server.hang_up()
        assert server.read_rest() == [], "nothing is answered twice"
        assert server.wait() == 0


PLAIN_REQUESTS: Messages = [
    bare("tools/list", 2),
    request("two", "tools/list", cursor="x"),
    request(3, "tools/list", cursor=None, _meta=None),
    call(4, "echo out; echo err >&2"),
    call("4", "exit 3"),
    call(5, ""),
    request(6, "tools/call", name="shell", arguments={"comand": "x"}),
    request(7, "tools/call", name="shell"),
    request(8, "tools/call", name="shell", arguments=[]),
    request(9, "tools/call", name="nope", arguments={}),
    request(10, "tools/call", name=7, arguments={}),
    bare("tools/call", 11),
    request(12, "tools/call", name="session", arguments={"action": "list"}, more=1),
    request(13, "resources/list"),
    request(14, "resources/templates/list"),
]
PLAIN_HANDSHAKE: Messages = [
    bare("ping", "ping"),
    request(15, "ping", _meta={"progressToken": 1, "more": {}}),
    request(16, "prompts/list"),
    request(17, "prompts/get", name="x"),
    request(18, "logging/setLevel", level="debug"),
    request(19, "server/discover"),
    bare("notifications/initialized"),
    bare("notifications/nonsense"),
    {**bare("notifications/progress"), "params": {"progressToken": 1, "progress": 1}},
    {**bare("notifications/cancelled"), "params": {"requestId": 99}},
    {"jsonrpc": "2.0", "id": 5, "result": {}},
]
ODD_REQUESTS: Messages = [
    request(30, "tools/list", cursor=5),
    request(31, "tools/list", _meta=5),
    request(32, "tools/call", name="shell", arguments={"command": "true"}, _meta=[]),
    request(33, "tools/call", name="shell", arguments={"command": "echo 33"}, _meta={"progressToken": 1.5}),
    call(34, "echo 34"),
    request(35, "resources/read", uri="file:///x"),
    request(36, "resources/read"),
    request(37, "resources/subscribe", uri=[]),
    request(38, "completion/complete"),
    request(39, "prompts/get"),
    request(40, "prompts/list", _meta=5),
    request(41, "tasks/get", taskId="x"),
    request(42, "no/such"),
    request(43, ""),
    request(44, "tools/list"),
    request(45, "subscriptions/listen"),
]
CALL = call(20, "echo hi")
ODD_HANDSHAKE: Messages = [
    request(50, "ping", _meta=5),
    request(51, "logging/setLevel", level=5),
    request(52, "tools/call", name="shell", arguments={"command": "true"}, task={"ttl": 1}),
    request(53, "tools/call", name="shell", arguments={"command": "true"}, _meta={"progressToken": None}),
    bare("notifications/initialized"),
    bare("notifications/roots/list_changed"),
    {**bare("notifications/cancelled"), "params": {"requestId": "99"}},
    {"jsonrpc": "2.0", "id": 77, "result": {}},
    {"jsonrpc": "2.0", "id": 78, "error": {}},
    request(54, "initialize", **HANDSHAKE),
    bare("ping", 55),
]


def greeting(version: str = "2025-11-25", **capabilities: Any) -> Messages:
    hello = {**HANDSHAKE, "protocolVersion": version, "capabilities": capabilities}
    return [request(1, "initialize", **hello), INITIALIZED]


def with_envelope(messages: Messages, **more: Any) -> Messages:
    """Requests as a client of 2026 sends them."""
    wrapped: Messages = []
    for message in messages:
        params = dict(message.get("params", {}))
        meta = params.get("_meta")
        if meta is None or isinstance(meta, dict):
            params["_meta"] = {**MODERN, **more, **(meta or {})}
        wrapped.append({**message, "params": params})
    return wrapped


@pytest.mark.req("sdk-comparison")
@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_every_message_of_a_handshake_client_is_answered_alike(start: Start, version: str) -> None:
    plain = [*greeting(version), *PLAIN_REQUESTS, *PLAIN_HANDSHAKE]
    compare(start, plain=plain, odd=[*ODD_REQUESTS, *ODD_HANDSHAKE])


@pytest.mark.req("sdk-comparison")
def test_every_message_of_a_client_of_2026_is_answered_alike(start: Start) -> None:
    capable: dict[str, Any] = {CAPABILITIES: {"sampling": {}, "elicitation": {"form": {}}}}
    plain = [
        *with_envelope([request(1, "server/discover"), *PLAIN_REQUESTS]),
        *with_envelope([CALL], **capable),
    ]
    without = [request(60, "tools/list"), bare("tools/call", 61), request(62, "server/discover", _meta={})]
    other_version = with_envelope([request(63, "tools/list")], **{VERSION: "2027-01-01"})
    odd_client = with_envelope([request(64, "tools/list")], **{CAPABILITIES: {"roots": 5}})
    logged = with_envelope([request(65, "tools/list"), CALL], **{LOG_LEVEL: "debug"})
    odd = [*without, *other_version, *odd_client, *logged, *with_envelope(ODD_REQUESTS)]
    compare(
        start, plain=plain, odd=[message for message in odd if message["method"] != "subscriptions/listen"]
    )


@pytest.mark.req("sdk-comparison")
def test_a_preset_with_prompts_and_changing_tools_is_shown_alike(start: Start) -> None:
    asked = [request(2, "prompts/list"), request(3, "prompts/get", name="intro"), bare("tools/list", 4)]
    asked += [request(5, "prompts/get", name="intro", arguments={}), request(6, "prompts/get", name=5)]
    compare(start, "--preset", "commands", plain=[*greeting(), *asked[:-1]], odd=[asked[-1], asked[0]])


@pytest.mark.req("sdk-comparison")
def test_prompts_and_tools_of_a_preset_are_shown_alike_in_2026(start: Start) -> None:
    plain = with_envelope([request(1, "server/discover"), request(2, "tools/list")])
    odd = with_envelope([request(3, "prompts/list"), request(4, "prompts/get", name="intro")])
    compare(start, "--preset", "commands", plain=plain, odd=odd)


@pytest.mark.req("sdk-comparison")
@pytest.mark.parametrize("meta", [{}, MODERN], ids=["handshake", "2026"])
def test_progress_and_cancellation_are_alike(start: Start, tmp_path: Path, meta: dict[str, Any]) -> None:
    def scenario(server: WireClient) -> list[bytes]:
        received: list[bytes] = []
        if not meta:
            received += [line for _, lines in heard(server, greeting()) for line in lines]
        for token in (7, "7"):
            bell = Bell(tmp_path)
            server.send(call(token, f"echo up; read line < {bell.path}", progressToken=token, **meta))
            received.append(normal(server.receive_line()))
            bell.path.write_text("go on\n")
            received.append(normal(server.receive_line()).replace(bytes(bell.path), b"BELL"))
            bell.close()
        mark = unique_seconds()
        server.send(call(8, f"echo up; sleep {mark}", progressToken="news", **meta))
        received.append(normal(server.receive_line()))
        server.notify("notifications/cancelled", {"requestId": 8})
        assert gone(mark)
        server.send(request(9, "tools/list", **({"_meta": meta} if meta else {})))
        return [*received, normal(server.receive_line())]

    compare(start, plain=scenario)


@pytest.mark.req("sdk-comparison")
def test_questions_to_the_person_are_alike(start: Start, tmp_path: Path) -> None:
    (tmp_path / "ask.toml").write_text('[policy]\nask = ["echo"]\n')
    answers: Messages = [
        {"result": {"action": "accept", "content": {"decision": "run once"}}},
        {"result": {"action": "decline"}},
        {"error": {"code": -1, "message": "no"}},
    ]

    def scenario(server: WireClient) -> list[bytes]:
        received = [line for _, lines in heard(server, greeting(elicitation={})) for line in lines]
        for identity, answer in enumerate(answers, 10):
            server.send(call(identity, "echo hi"))
            question = server.receive_line()
            received.append(normal(question))
            server.send({"jsonrpc": "2.0", "id": json.loads(question)["id"], **answer})
            received.append(normal(server.receive_line()))
        return received

    compare(start, "--config", str(tmp_path / "ask.toml"), plain=scenario)


@pytest.mark.req("sdk-comparison")
def test_a_client_of_2026_is_asked_alike(start: Start, tmp_path: Path) -> None:
    """The question is part of the SDK's answer; its seal differs from run to run."""
    (tmp_path / "ask.toml").write_text('[policy]\nask = ["echo"]\n')
    capable: dict[str, Any] = {CAPABILITIES: {"elicitation": {}}}

    def scenario(server: WireClient) -> list[bytes]:
        server.send(*with_envelope([call(1, "echo hi")], **capable))
        line = server.receive_line()
        asked = json.loads(line)["result"]
        reply = {"approve": {"action": "accept", "content": {"decision": "run once"}}}
        again = {
            **call(2, "echo hi")["params"],
            "inputResponses": reply,
            "requestState": asked["requestState"],
        }
        server.send(*with_envelope([request(2, "tools/call", **again)], **capable))
        sealed = re.sub(rb'"requestState":"[^"]+"', b'"requestState":S', line)
        return [sealed, normal(server.receive_line())]

    compare(start, "--config", str(tmp_path / "ask.toml"), plain=scenario, loads=True)


@pytest.mark.req("sdk-comparison")
def test_roots_are_asked_for_alike(start: Start, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()

    def scenario(server: WireClient) -> list[bytes]:
        hello, initialized = greeting(roots={"listChanged": True})
        server.send(hello)
        received = [normal(server.receive_line())]
        server.send(initialized)
        question = server.receive_line()
        server.send(
            {
                "jsonrpc": "2.0",
                "id": json.loads(question)["id"],
                "result": {"roots": [{"uri": root.as_uri()}]},
            }
        )
        server.send(call(2, "pwd"))
        return [*received, normal(question), normal(server.receive_line())]

    compare(start, plain=scenario)


@pytest.mark.req("sdk-comparison")
def test_claude_code_as_it_begins_is_answered_alike(start: Start, tmp_path: Path) -> None:
    """Its own messages, in their order: it listens, has roots, and puts keys of its own into `_meta`."""
    capable: dict[str, Any] = {
        CAPABILITIES: {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}}
    }
    kinds = {"toolsListChanged": True, "resourcesListChanged": True}
    more = {"resourceSubscriptions": ["job://none"], "promptsListChanged": False}
    sealed = re.compile(rb'"requestState":"([^"]+)"')

    def scenario(server: WireClient) -> list[bytes]:
        server.send(*with_envelope([request("probe", "server/discover")], **capable))
        received = [normal(server.receive_line())]
        for identity, wished in (("listen:0", kinds), (1, more), (2, {})):
            server.send(
                *with_envelope([request(identity, "subscriptions/listen", notifications=wished)], **capable)
            )
            received.append(normal(server.receive_line()))
        server.notify("notifications/cancelled", {"requestId": 2})
        server.send(*with_envelope([request(2, "tools/list")], **capable))
        received.append(normal(server.receive_line()))
        own = {**capable, "claudecode/toolUseId": "toolu_0"}
        server.send(*with_envelope([call(3, "pwd", progressToken=3)], **own))
        asked = server.receive_line()
        found = sealed.search(asked)
        assert found is not None, asked
        again = {
            "inputResponses": {"roots": {"roots": [{"uri": tmp_path.as_uri()}]}},
            "requestState": found[1].decode(),
        }
        for identity, answered in ((4, again), (5, {})):
            params = {**call(identity, "pwd")["params"], **answered}
            server.send(*with_envelope([request(identity, "tools/call", **params)], **own))
            received.append(normal(server.receive_line()).replace(str(tmp_path).encode(), b"ROOT"))
        background = request(6, "tools/call", name="shell", arguments={"command": "cat", "background": True})
        server.send(*with_envelope([background], **own))
        news = [line for line in (server.receive_line(), server.receive_line()) if b"list_changed" in line]
        for identity in ("listen:0", 1):
            server.notify("notifications/cancelled", {"requestId": identity})
        return [*received, sealed.sub(b"", asked), *news]

    compare(start, plain=scenario)


HELLOS: Messages = [
    {**HANDSHAKE, "protocolVersion": "2026-07-28"},
    {**HANDSHAKE, "protocolVersion": "1999-01-01"},
    {**HANDSHAKE, "_meta": MODERN},
    {**HANDSHAKE, "capabilities": {"roots": None, "experimental": {"x": {}}, "extensions": {}, "tasks": {}}},
    {**HANDSHAKE, "clientInfo": {"name": "", "version": "", "title": "T", "websiteUrl": "https://x.example"}},
    {**HANDSHAKE, "clientInfo": {"name": "x"}},
    {**HANDSHAKE, "clientInfo": {"name": 5, "version": "1"}},
    {**HANDSHAKE, "clientInfo": None},
    {**HANDSHAKE, "capabilities": None},
    {**HANDSHAKE, "protocolVersion": 5},
    {},
]


@pytest.mark.req("sdk-comparison")
def test_every_handshake_is_answered_alike(start: Start) -> None:
    compare(start, plain=[request(number, "initialize", **hello) for number, hello in enumerate(HELLOS)])


# What the SDK answers otherwise than the specification wants, or worse than a person can use.
EXCEPTIONS: dict[str, tuple[tuple[str, ...], Messages, dict[str, Any]]] = {
    "an unknown prompt is -32602 (server/prompts, Error Handling); the SDK says 0": (
        ("--preset", "commands"),
        [*greeting(), request(2, "prompts/get", name="nope")],
        {"code": -32602, "message": "Unknown prompt: nope"},
    ),
    "arguments of a prompt that takes none are -32602; the SDK says 0": (
        ("--preset", "commands"),
        [*greeting(), request(2, "prompts/get", name="intro", arguments={"x": "y"})],
        {"code": -32602, "message": "The prompt intro takes no arguments"},
    ),
    "a capability of the wrong type is none; the SDK refuses the whole handshake": (
        (),
        [*greeting(roots=[]), bare("ping", 2)],
        {},
    ),
}


@pytest.mark.req("sdk-comparison")
@pytest.mark.parametrize("reason", EXCEPTIONS)
def test_where_the_sdk_is_wrong_the_fast_path_is_not(start: Start, reason: str) -> None:
    options, messages, error = EXCEPTIONS[reason]
    fast, slow = start(*options, greet=False), start(*options, greet=False, env=SDK_ONLY)
    ours, theirs = heard(fast, messages), heard(slow, messages)
    assert json.loads(ours[-1][1][0]).get("error", {}) == error
    assert ours != theirs, "the SDK is right now: this exception can go"
    assert not has_loaded_the_sdk(fast)
