"""Whatever a client sends, every request is answered and the server lives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from wire_client import WireClient

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
METHODS = [
    "tools/call",
    "tools/list",
    "ping",
    "notifications/cancelled",
    "initialize",
    "nonsense",
    "prompts/get",
]
PARAMS = st.dictionaries(
    st.sampled_from(["name", "arguments", "_meta", "requestId", "task", "protocolVersion", "capabilities"]),
    JSON | st.just("shell") | st.just({"command": "true"}) | st.just({"progressToken": 1}),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(METHODS) | st.text(max_size=5), params=PARAMS | JSON, with_params=st.booleans())
def test_every_request_is_answered(
    server: WireClient, method: str, params: Any, *, with_params: bool
) -> None:
    message: dict[str, Any] = {"jsonrpc": "2.0", "id": "odd", "method": method}
    if with_params:
        message["params"] = params
    server.send(message)
    answer = server.answer_to("odd")
    assert ("result" in answer) != ("error" in answer)
    server.others.clear()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(METHODS), params=PARAMS | JSON)
def test_no_notification_ends_the_server(server: WireClient, method: str, params: Any) -> None:
    server.send({"jsonrpc": "2.0", "method": method, "params": params})
    assert server.request("ping")["result"] == {}
    server.others.clear()
