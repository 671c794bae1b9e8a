"""Messages that are wrong, odd or hostile: each is answered as it must be, once, and the next is served."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from process_table import Bell, carrying, gone, unique_seconds
from wire_client import HANDSHAKE, MODERN, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]

PLAIN = {"NACRE_PLAIN_SDK": "1"}
ROADS: dict[str, tuple[dict[str, Any] | None, dict[str, str]]] = {
    "handshake": (None, {}),
    "handshake, all by the SDK": (None, PLAIN),
    "2026": (MODERN, {}),
    "2026, plain SDK": (MODERN, PLAIN),
}


class Talk:
    """A conversation of one era."""

    def __init__(self, client: WireClient, meta: dict[str, Any] | None) -> None:
        self.client = client
        self.meta = meta
        self.ids = itertools.count(10)
        if meta is None:
            client.shake_hands()
        else:
            client.request("tools/list", {"_meta": meta})

    def params(self, params: dict[str, Any]) -> dict[str, Any]:
        """Parameters as this era sends them."""
        return params if self.meta is None else {**params, "_meta": {**self.meta, **params.get("_meta", {})}}

    def request(self, identity: Any, method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": identity, "method": method, "params": self.params(params)}

    def call(self, identity: Any, command: str, **meta: Any) -> dict[str, Any]:
        arguments = {"command": command}
        return self.request(identity, "tools/call", name="shell", arguments=arguments, _meta=meta)

    def fence(self) -> list[dict[str, Any]]:
        """What comes before the answer to a request that is sent now."""
        identity = f"fence {next(self.ids)}"
        self.client.send(self.request(identity, "tools/list"))
        before: list[dict[str, Any]] = []
        while (message := self.client.receive()).get("id") != identity:
            before.append(message)
        return before


@pytest.fixture(scope="module", params=ROADS, ids=lambda road: str(road).replace(" ", "-"))
def talk(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    meta, env = ROADS[request.param]
    with WireClient("--shell", "bash", cwd=tmp_path_factory.mktemp("work"), env=env) as client:
        yield Talk(client, meta)


# -- every shape of a message

NO_METHOD: list[Any] = [None, 3, []]
ERRORS: list[Any] = [{}, {"code": 1, "message": "x"}, {"code": "x", "message": []}]
NO_ID: list[Any] = [None, True, 1.5, -0.0, [], {}, [7], {"a": 1}]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=4)
)
JSON: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
METHODS = st.sampled_from(
    [
        "ping",
        "tools/list",
        "tools/call",
        "initialize",
        "server/discover",
        "prompts/get",
        "resources/read",
        "logging/setLevel",
        "completion/complete",
        "roots/list",
        "elicitation/create",
        "notifications/initialized",
        "notifications/progress",
        "notifications/roots/list_changed",
        "notifications/nonsense",
        "nonsense",
        "",
        "\ud800",
    ]
)
PARAMS = st.dictionaries(
    st.sampled_from(
        ["name", "arguments", "_meta", "task", "protocolVersion", "capabilities", "uri", "level", "ref"]
    ),
    JSON | st.sampled_from(["shell", {"command": "true"}, {"progressToken": 1}, {"progressToken": 1.5}]),
)
EXTRA = st.dictionaries(st.sampled_from(["cls", "self", "_fields_set", "__class__", "x"]), JSON, max_size=2)
SHAPES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.sampled_from(["2.0"] * 9 + ["1.0", 2.0, None]),
        "id": st.sampled_from(["whole", "text", "digits", "odd text", *map(repr, NO_ID)]),
        "method": METHODS | st.sampled_from(NO_METHOD),
        "params": PARAMS | PARAMS | JSON,
        "result": JSON,
        "error": JSON | st.sampled_from(ERRORS),
    },
)
LINES = st.lists(st.tuples(SHAPES, EXTRA), min_size=1, max_size=6)


def an_id(kind: str, number: int) -> Any:
    """An id of that kind that nobody else uses; of two kinds those with one number look alike."""
    valid = {"whole": number, "text": f"id {number}", "digits": str(number), "odd text": f"\ud800 {number}"}
    return valid[kind] if kind in valid else next(odd for odd in NO_ID if repr(odd) == kind)


def expected_answer(message: dict[str, Any]) -> tuple[str, Any, int | None] | None:
    """The kind of id, the id and the error code that a message must be answered with; None: by nothing."""
    given = message.get("id")
    identity = given if type(given) in (int, str) else None
    named = (type(identity).__name__, identity)
    if "method" not in message and ("result" in message or "error" in message):
        return None
    sound = message.get("jsonrpc") == "2.0" and ("id" not in message or identity is not None)
    if not sound or not isinstance(message.get("method"), str):
        return (*named, -32600)
    if not isinstance(message.get("params"), dict | None):  # null is what is not there
        return (*named, -32602)
    return (*named, None) if "id" in message else None


@pytest.mark.req("fault-any-message")
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shapes=LINES, together=st.booleans())
def test_every_line_is_answered_as_it_must_be_exactly_once(
    talk: Talk, shapes: list[tuple[dict[str, Any], dict[str, Any]]], *, together: bool
) -> None:
    messages: list[dict[str, Any]] = []
    number = next(talk.ids)
    for shape, extra in shapes:
        message = {**shape, **extra}
        if "id" in message:
            number = next(talk.ids) if message["id"] != "digits" else number  # "7" right after 7
            message["id"] = an_id(message["id"], number)
        messages.append(message)
    ids = [json.dumps(message["id"]) for message in messages if type(message.get("id")) in (int, str)]
    if len(set(ids)) < len(ids):
        return  # one that is still being answered is another story
    wanted = sorted(map(repr, filter(None, map(expected_answer, messages))))
    lines = [json.dumps(message).encode() + b"\n" for message in messages]
    for data in [b"".join(lines)] if together else lines:
        talk.client.send_bytes(data)
    got: list[dict[str, Any]] = []
    while len(got) < len(wanted):
        got += [message for message in [talk.client.receive()] if "method" not in message]
    got += [message for message in talk.fence() if "method" not in message]
    answers = sorted(_as_expected(message, wanted) for message in got)
    assert answers == wanted


def _as_expected(message: dict[str, Any], wanted: list[str]) -> str:
    assert ("result" in message) != ("error" in message), message
    identity = message["id"]
    code = message["error"]["code"] if "error" in message else None
    exact = repr((type(identity).__name__, identity, code))
    return exact if exact in wanted else repr((type(identity).__name__, identity, None))


ENDED_THE_SERVER_ONCE = [
    '{"jsonrpc":"2.0","id":5,"error":{}}',
    '{"jsonrpc":"2.0","id":5,"error":null}',
    '{"jsonrpc":"2.0","id":5,"error":{"code":"x","message":[]}}',
    '{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    '{"jsonrpc":"2.0","id":1.5,"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":{},"result":{}}',
    '{"jsonrpc":"2.0","id":[],"error":{"code":1,"message":"x"}}',
    '{"jsonrpc":"2.0","id":1,"result":null}',
    '{"jsonrpc":"2.0","id":1,"result":[]}',
    '{"jsonrpc":"2.0","id":9999999999999999999999,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":[],"progress":{}}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
    '{"jsonrpc":"2.0","method":"notifications/nothing","cls":1}',
]


@pytest.mark.req("fault-any-message")
@pytest.mark.parametrize("line", ENDED_THE_SERVER_ONCE)
def test_an_answer_that_nobody_waits_for_is_dropped_and_the_same_write_goes_on(talk: Talk, line: str) -> None:
    after = json.dumps(talk.request("after", "tools/list"))
    talk.client.send_bytes(f"{line}\n{after}\n".encode())
    assert talk.client.receive()["id"] == "after"
    assert talk.fence() == []


@pytest.mark.req("fault-any-message")
def test_a_request_whose_id_is_an_object_costs_no_other_line(talk: Talk) -> None:
    after = json.dumps(talk.request("after", "tools/list"))
    talk.client.send_bytes(f'{{"id":{{}},"method":"ping","error":1,"jsonrpc":"2.0"}}\n{after}\n'.encode())
    first, second = talk.client.receive(), talk.client.receive()
    assert (first["id"], first["error"]["code"]) == (None, -32600)
    assert second["id"] == "after"


@pytest.mark.req("fault-any-message")
@pytest.mark.parametrize("name", ["cls", "_fields_set", "self", "error", "result"])
def test_a_member_that_no_request_has_is_ignored(talk: Talk, name: str) -> None:
    identity = next(talk.ids)
    talk.client.send({**talk.request(identity, "tools/list"), name: 1})
    assert "result" in talk.client.answer_to(identity)


@pytest.mark.req("fault-any-message")
@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_no_json_is_refused(talk: Talk, value: str) -> None:
    talk.client.send_bytes(f'{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":{value}}}}}\n'.encode())
    assert talk.client.receive()["error"]["code"] == -32700


@pytest.mark.req("fault-any-message")
@pytest.mark.parametrize("token", [1.5, {}, [], None, True])
def test_a_progress_token_that_is_none_gets_no_progress_on_any_road(talk: Talk, token: Any) -> None:
    identity = next(talk.ids)
    talk.client.send(talk.call(identity, "echo up; sleep 0.2", progressToken=token))
    answer = talk.client.receive()
    assert answer.get("id") == identity, "nothing comes before the answer"


# -- ids keep their type


def wait_for_both(talk: Talk, number: int) -> dict[Any, dict[str, Any]]:
    answers: dict[Any, dict[str, Any]] = {}
    while len(answers) < 2:
        message = talk.client.receive()
        if message.get("id") in (number, str(number)):
            answers[message["id"]] = message
    return answers


@pytest.mark.req("fault-id-types")
def test_a_number_and_its_digits_are_two_requests(talk: Talk, tmp_path: Path) -> None:
    number, bell = next(talk.ids), Bell(tmp_path)
    talk.client.send(talk.call(number, f"read line < {bell.path}; echo number"))
    talk.client.send(talk.call(str(number), "echo digits"))
    digits = talk.client.receive()
    assert (digits["id"], digits["result"]["structuredContent"]["stdout"]) == (str(number), "digits\n")
    bell.path.write_text("now\n")
    answer = talk.client.receive()
    assert (answer["id"], answer["result"]["structuredContent"]["stdout"]) == (number, "number\n")
    bell.close()


@pytest.mark.req("fault-id-types")
@pytest.mark.parametrize("as_text", [True, False])
def test_a_cancellation_reaches_the_request_of_its_type_alone(talk: Talk, *, as_text: bool) -> None:
    number, marks = next(talk.ids), {True: unique_seconds(), False: unique_seconds()}
    for text, mark in marks.items():
        identity = str(number) if text else number
        talk.client.send(talk.call(identity, f"echo up; sleep {mark}", progressToken=identity))
    tokens = {repr(talk.client.receive()["params"]["progressToken"]) for _ in range(2)}
    assert tokens == {repr(number), repr(str(number))}
    cancelled: Any = str(number) if as_text else number
    talk.client.notify("notifications/cancelled", {"requestId": cancelled})
    assert gone(marks[as_text])
    assert carrying(marks[not as_text]), "the other one goes on"
    talk.client.notify("notifications/cancelled", {"requestId": number if as_text else str(number)})
    assert gone(marks[not as_text])
    assert talk.fence() == []


@pytest.mark.req("fault-id-types")
@pytest.mark.parametrize("other", ["102", 102.0, -102, " 102", None, [102]], ids=repr)
@pytest.mark.parametrize("road", ROADS)
def test_a_cancellation_of_another_id_leaves_everything_and_the_server_ends_after_eof(
    start: Start, tmp_path: Path, road: str, other: Any
) -> None:
    meta, env = ROADS[road]
    talk, bell = Talk(start(greet=False, env=env), meta), Bell(tmp_path)
    talk.client.send(talk.call(102, f"read line < {bell.path}; echo $line"))
    talk.client.notify("notifications/cancelled", {"requestId": other})
    assert talk.fence() == []
    talk.client.hang_up()
    bell.path.write_text("whole\n")
    (answer,) = talk.client.read_rest()
    assert (answer["id"], answer["result"]["structuredContent"]["stdout"]) == (102, "whole\n")
    assert talk.client.wait() == 0
    bell.close()


@pytest.mark.req("fault-id-types")
def test_an_id_that_was_cancelled_can_be_used_again_and_cancelled_again(talk: Talk) -> None:
    identity, marks = next(talk.ids), [unique_seconds() for _ in range(3)]
    for mark in marks:
        talk.client.send(talk.call(identity, f"trap '' TERM; echo up; sleep {mark}", progressToken=mark))
        assert talk.client.receive()["params"]["progressToken"] == mark
        talk.client.notify("notifications/cancelled", {"requestId": identity})
    assert all(gone(mark) for mark in marks)
    assert talk.fence() == []


@pytest.mark.req("fault-id-types")
def test_a_subscription_is_named_by_the_id_it_was_asked_with(start: Start) -> None:
    talk = Talk(start(greet=False), MODERN)
    for identity in (7, "7"):
        wanted = {"toolsListChanged": True}
        talk.client.send(talk.request(identity, "subscriptions/listen", notifications=wanted))
        news = talk.client.receive()
        assert news["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == identity


# -- answers to our own questions

ASKING: dict[str, Any] = {"elicitation": {}}
ODD_ANSWERS: list[dict[str, Any]] = [
    {"error": {}},
    {"error": None},
    {"error": {"code": -1, "message": "no"}},
    {"result": None},
    {"result": []},
    {"result": {"action": "accept"}},
    {"result": {"action": "accept", "content": []}},
    {"result": {"action": "accept", "content": {"decision": []}}},
    {"result": {"action": "accept", "content": {"decision": "whatever"}}},
    {"result": {"action": {}, "content": 5}},
]


@pytest.mark.req("fault-any-message")
@pytest.mark.parametrize("env", [{}, PLAIN], ids=["short", "plain"])
def test_an_odd_answer_to_a_question_is_a_no(start: Start, tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "ask.toml").write_text('[policy]\nask = ["echo"]\nallow = ["true"]\n')
    client = start("--config", str(tmp_path / "ask.toml"), greet=False, env=env)
    client.request("initialize", {**HANDSHAKE, "capabilities": ASKING})
    client.notify("notifications/initialized")
    for odd in ODD_ANSWERS:
        call = client.post_call("shell", {"command": "echo hi"})
        question = client.receive()
        assert question["method"] == "elicitation/create"
        client.send({"jsonrpc": "2.0", "id": question["id"], **odd})
        answer = client.answer_to(call)
        assert answer["result"]["isError"] is True
        assert "person" in answer["result"]["content"][0]["text"], answer
