"""Calls that are answered as tasks (SEP-2663), by wire and by the SDK's own client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.extension import ClaimContext, ClientExtension, ResultClaim
from mcp_types import CallToolResult, Request, RequestParams, Result
from process_table import Gate, gone, unique_seconds
from test_sdk_comparison import CAPABILITIES, SDK_ONLY
from wire_client import MODERN, NACRE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., WireClient]

EXTENSION = "io.modelcontextprotocol/tasks"
DECLARED: dict[str, Any] = {**MODERN, CAPABILITIES: {"extensions": {EXTENSION: {}}}}
ROADS = pytest.mark.parametrize("environment", [{}, SDK_ONLY], ids=["fast path", "SDK"])


def call(server: WireClient, command: str, meta: dict[str, Any] = DECLARED) -> dict[str, Any]:
    arguments = {"command": command, "answer_within": 1}
    return server.answer_to(server.post_call("shell", arguments, meta))["result"]


def ask(server: WireClient, method: str, task: Any, meta: dict[str, Any] = DECLARED) -> dict[str, Any]:
    return server.request(f"tasks/{method}", {"taskId": task, "_meta": meta})


def wait_for(server: WireClient, job: str) -> None:
    """Until the job behind a task has ended."""
    arguments = {"action": "wait", "id": job, "seconds": 60}
    server.answer_to(server.post_call("job", arguments, MODERN))


@pytest.mark.req("tasks")
@ROADS
def test_a_call_that_takes_long_is_a_task_and_its_result_is_that_of_the_call(
    start: Start, tmp_path: Path, environment: dict[str, str]
) -> None:
    server, gate = start("--shell", "bash", env=environment, greet=False), Gate(tmp_path)
    offered = server.request("server/discover", {"_meta": MODERN})["result"]["capabilities"]["extensions"]
    assert offered == {EXTENSION: {}}
    task = call(server, f"echo early; read x < {gate.path}; echo late; exit 3")
    assert {"resultType": "task", "status": "working"}.items() <= task.items()
    state = ask(server, "get", task["taskId"])["result"]
    assert (state["status"], state["resultType"], "result" in state) == ("working", "complete", False)
    assert ask(server, "update", task["taskId"])["result"]["resultType"] == "complete"
    gate.open()
    wait_for(server, task["taskId"])
    done = ask(server, "get", task["taskId"])["result"]
    assert (done["status"], done["createdAt"]) == ("completed", task["createdAt"])
    assert done["result"]["isError"] is True
    data = done["result"]["structuredContent"]
    assert (data["stdout"], data["exit_code"]) == ("early\nlate\n", 3)


@pytest.mark.req("tasks")
def test_a_cancelled_task_ends_with_all_that_it_has_started(start: Start) -> None:
    server, mark = start("--shell", "bash", greet=False), unique_seconds()
    task = call(server, f"sleep {mark} & setsid sleep {mark} & sleep {mark}")["taskId"]
    acknowledged = ask(server, "cancel", task)["result"]
    assert (acknowledged["resultType"], "status" in acknowledged) == ("complete", False)
    wait_for(server, task)
    assert ask(server, "get", task)["result"]["status"] == "cancelled"
    assert gone(mark)
    assert ask(server, "cancel", task)["result"]["resultType"] == "complete"


@pytest.mark.req("tasks")
def test_who_has_not_declared_it_gets_no_task(start: Start, tmp_path: Path) -> None:
    server, gate = start("--shell", "bash", greet=False), Gate(tmp_path)
    answer = call(server, f"read x < {gate.path}", MODERN)
    job = answer["structuredContent"]["job"]
    assert (answer["resultType"], answer["structuredContent"]["ended"]) == ("complete", "running")
    for method in ("get", "cancel", "update"):
        error = ask(server, method, job, MODERN)["error"]
        assert error["code"] == -32021
        assert error["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
        assert ask(server, method, "none")["error"]["code"] == -32602
        assert ask(server, method, 5)["error"]["code"] == -32602
    gate.open()
    wait_for(server, job)


class Created(Result):
    """A task, as the client sees it."""

    result_type: Literal["task"] = "task"
    taskId: str  # noqa: N815  # as on the wire


class TaskParams(RequestParams):
    """Which task."""

    taskId: str  # noqa: N815  # as on the wire


class GetTask(Request[TaskParams, Literal["tasks/get"]]):
    """Polls a task."""

    method: Literal["tasks/get"] = "tasks/get"
    params: TaskParams


class State(Result):
    """A task, polled."""

    status: str
    result: dict[str, Any] | None = None


class Tasks(ClientExtension):
    """The extension, in the SDK's client."""

    identifier = EXTENSION

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self.polled = 0

    def claims(self) -> list[ResultClaim[Created]]:
        return [ResultClaim(result_type="task", model=Created, resolve=self.resolve)]

    async def resolve(self, created: Created, context: ClaimContext) -> CallToolResult:
        while True:
            self.polled += 1
            request = GetTask(params=TaskParams(taskId=created.taskId))
            state = await context.session.send_request(request, State)
            if state.result is not None:
                return CallToolResult.model_validate(state.result)
            if self.polled == 1:
                await anyio.to_thread.run_sync(self._gate.open)


@pytest.mark.req("tasks")
def test_the_sdks_own_client_polls_a_task_to_its_end(tmp_path: Path) -> None:
    gate = Gate(tmp_path)
    extension = Tasks(gate)

    async def talk() -> CallToolResult:
        parameters = StdioServerParameters(command=NACRE[0], args=[*NACRE[1:], "--shell", "bash"])
        async with Client(stdio_client(parameters), extensions=[extension]) as client:
            command = f"read x < {gate.path}; echo done"
            return await client.call_tool("shell", {"command": command, "answer_within": 1})

    result = anyio.run(talk)
    assert result.structured_content is not None
    assert result.structured_content["stdout"] == "done\n"
    assert extension.polled > 0
