"""The SDK's side: its client on both eras, and the same answers with and without our tricks."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from wire_client import MODERN, NACRE, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

PLAIN = {"NACRE_PLAIN_SDK": "1"}


@pytest.mark.req("wire-eras")
@pytest.mark.req("000-fastmcp")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_lists_and_calls(mode: str) -> None:
    async def talk() -> None:
        parameters = StdioServerParameters(command=NACRE[0], args=NACRE[1:])
        async with Client(stdio_client(parameters), mode=mode) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["shell", "session"]
            result = await client.call_tool("shell", {"command": "echo hi; exit 3"})
            assert result.is_error is True
            assert result.structured_content is not None
            assert result.structured_content["stdout"] == "hi\n"
            assert result.structured_content["exit_code"] == 3

    anyio.run(talk)


def conversation(server: WireClient, meta: dict[str, Any] | None) -> list[dict[str, Any]]:
    """Requests that touch every road; what varies from run to run is taken out."""

    def ask(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return server.request(method, {**(params or {}), "_meta": meta} if meta else params)

    told = [ask("server/discover") if meta else server.shake_hands()]
    told.append(ask("tools/list"))
    calls: tuple[dict[str, str], ...] = (
        {"command": "echo out; echo err >&2; exit 3"},
        {"command": ""},
        {"comand": "x"},
        {},
    )
    told += [ask("tools/call", {"name": "shell", "arguments": given}) for given in calls]
    told.append(ask("tools/call", {"name": "nope", "arguments": {}}))
    told.append(ask("tools/call", {"name": "shell"}))
    told.append(ask("tools/call", {"arguments": {}}))
    told.append(ask("prompts/list"))
    told.append(ask("resources/list"))
    told.append(ask("no/such"))
    for answer in told:
        answer.pop("id", None)
        result: dict[str, Any] = answer.get("result", {})
        for name in ("execution_time_ms", "cpu_ms"):
            result.get("_meta", {}).get("metadata", {}).pop(name, None)
        for part in result.get("content", []):
            part["text"] = part["text"].partition(" (")[0]
    return told


@pytest.mark.req("sdk-tricks")
@pytest.mark.parametrize("meta", [None, MODERN], ids=["handshake", "modern"])
def test_the_server_answers_the_same_without_its_tricks(start: Start, meta: dict[str, Any] | None) -> None:
    """If an SDK release breaks a trick, this fails, and NACRE_PLAIN_SDK=1 is the way out."""
    assert conversation(start(greet=False), meta) == conversation(start(greet=False, env=PLAIN), meta)


@pytest.mark.req("sdk-tricks")
def test_the_tricks_are_in_force() -> None:
    """No web server, no HTTP client, no OAuth, no other era is loaded; deferred models are built on use."""
    probe = (
        "import sys, nacre.protocol.sdk as s; "
        "names = ('starlette.applications', 'uvicorn.main', 'httpx2._client', 'mcp_types._v2026_07_28'); "
        "heavy = [name for name in names if getattr(sys.modules.get(name), '__file__', None)]; "
        "print(heavy, s.types.CallToolResult.__pydantic_complete__)"
    )
    fast = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert fast.stdout == "[] False\n"


@pytest.mark.req("sdk-tricks")
@pytest.mark.req("end-cancel")
def test_without_tricks_a_cancelled_call_kills_all_the_same(start: Start) -> None:
    server = start(env=PLAIN)
    call = server.post_call("shell", {"command": "echo up; sleep 60"}, {"progressToken": 1})
    assert server.receive()["params"]["message"] == "up"
    server.notify("notifications/cancelled", {"requestId": call})
    assert server.shell("echo next")["stdout"] == "next\n"
    server.hang_up()
    assert server.wait() == 0
