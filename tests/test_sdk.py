"""The SDK: its client on both eras, and how it takes over what is not answered without it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from process_table import Bell, gone, unique_seconds
from wire_client import HANDSHAKE, MODERN, NACRE, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]


@pytest.mark.req("wire-eras")
@pytest.mark.req("000-fastmcp")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_lists_and_calls(mode: str) -> None:
    async def talk() -> None:
        parameters = StdioServerParameters(command=NACRE[0], args=NACRE[1:])
        async with Client(stdio_client(parameters), mode=mode) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["shell", "session", "job", "output"]
            result = await client.call_tool("shell", {"command": "echo hi; exit 3"})
            assert result.is_error is True
            assert result.structured_content is not None
            assert result.structured_content["stdout"] == "hi\n"
            assert result.structured_content["exit_code"] == 3

    anyio.run(talk)


def has_loaded_the_sdk(server: WireClient) -> bool:
    """By its compiled half, which the kernel knows of."""
    return "pydantic_core" in Path(f"/proc/{server.process.pid}/maps").read_text()


@pytest.mark.req("sdk-on-demand")
def test_the_first_message_that_only_the_sdk_knows_loads_it_and_calls_go_on_meanwhile(
    start: Start, tmp_path: Path
) -> None:
    server, bell = start(), Bell(tmp_path)
    running = server.post_call("shell", {"command": f"read line < {bell.path}; echo $line"})
    assert server.shell("echo hi")["stdout"] == "hi\n"
    assert not has_loaded_the_sdk(server)
    unknown = server.post("tasks/get", {"taskId": "x"})
    assert server.shell("echo meanwhile")["stdout"] == "meanwhile\n"
    assert server.answer_to(unknown)["error"]["code"] == -32601
    assert has_loaded_the_sdk(server)
    bell.path.write_text("whole\n")
    assert server.answer_to(running)["result"]["structuredContent"]["stdout"] == "whole\n"
    bell.close()


@pytest.mark.req("sdk-on-demand")
def test_a_call_in_the_sdk_is_not_overtaken_and_can_be_cancelled(start: Start) -> None:
    server, mark = start(), unique_seconds()
    arguments = {"command": f"echo up; sleep {mark}"}
    params = {"name": "shell", "arguments": arguments, "task": None, "_meta": {"progressToken": 1}}
    slow = server.post("tools/call", params)
    assert server.receive()["params"]["message"] == "up"
    behind = server.post_call("shell", {"command": "echo behind"})
    assert server.answer_to(behind)["result"]["structuredContent"]["stdout"] == "behind\n"
    server.notify("notifications/cancelled", {"requestId": slow})
    assert gone(mark)
    server.hang_up()
    assert server.read_rest() == []
    assert server.wait() == 0


@pytest.mark.req("sdk-on-demand")
def test_requests_that_wait_for_the_sdk_are_answered_after_the_end_of_stdin(start: Start) -> None:
    server = start()
    asked = {server.post("no/such") for _ in range(5)}
    server.hang_up()
    assert {answer["id"] for answer in server.read_rest()} == asked
    assert server.wait() == 0


@pytest.mark.req("sdk-on-demand")
def test_a_request_that_waits_for_the_sdk_can_be_cancelled(start: Start) -> None:
    server = start()
    call = server.post("tools/call", {"name": "shell", "arguments": {"command": "echo x"}, "task": None})
    server.notify("notifications/cancelled", {"requestId": call})
    assert server.request("no/such")["error"]["code"] == -32601
    assert server.others == []


@pytest.mark.req("sdk-on-demand")
def test_without_the_sdk_only_what_needs_it_is_refused(start: Start, tmp_path: Path) -> None:
    (tmp_path / "mcp_types.py").write_text("raise ImportError('broken on purpose')")
    server = start(env={"PYTHONPATH": str(tmp_path)})
    for _ in range(2):
        assert server.request("tasks/get", {"taskId": "x"})["error"]["code"] == -32603
        assert server.shell("echo hi")["stdout"] == "hi\n"
    server.wait_for_log("broken on purpose")
    server.hang_up()
    assert server.wait() == 0


@pytest.mark.req("end-cancel")
def test_a_call_that_the_sdk_answers_is_killed_when_it_is_cancelled(start: Start) -> None:
    server = start(env={"NACRE_PLAIN_SDK": "1"})
    call = server.post_call("shell", {"command": "echo up; sleep 60"}, {"progressToken": 1})
    assert server.receive()["params"]["message"] == "up"
    server.notify("notifications/cancelled", {"requestId": call})
    assert server.shell("echo next")["stdout"] == "next\n"
    server.hang_up()
    assert server.wait() == 0


PROBE: dict[str, Any] = {
    **MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "tests", "title": "Tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {
        "roots": {"listChanged": True},
        "elicitation": {"form": {}, "url": {}},
    },
}


@pytest.mark.req("protocol-fall-back")
def test_a_client_that_gives_its_first_question_up_shakes_hands_and_is_served(start: Start) -> None:
    server = start(greet=False)
    server.post("server/discover", {"_meta": PROBE})
    refused = server.request("initialize", {**HANDSHAKE, "_meta": PROBE})
    assert refused["error"]["code"] == -32601  # who speaks as of 2026 does not shake hands
    assert server.shake_hands()["protocolVersion"] == HANDSHAKE["protocolVersion"]
    assert server.request("tools/list")["result"]["tools"]
    assert not has_loaded_the_sdk(server)
