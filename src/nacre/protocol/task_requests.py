"""Requests of the Tasks extension (SEP-2663), with which a client polls a long call.

Above it: the fast path, which answers them all, because the SDK has no such methods. Below: the tools' side
of tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.protocol.messages import INVALID_PARAMS
from nacre.protocol.modern import TASKS_EXTENSION
from nacre.protocol.results import call_result
from nacre.tools.tool import CallError

if TYPE_CHECKING:
    from nacre.tools.tasks import Tasks

MISSING_CAPABILITY = -32021
NOT_DECLARED = CallError(
    MISSING_CAPABILITY,
    f"Missing required client capability: the extension {TASKS_EXTENSION}",
    {"requiredCapabilities": {"extensions": {TASKS_EXTENSION: {}}}},
)


def answer(tasks: Tasks, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request about a task. CallError: there is no such task."""
    task_id = params.get("taskId")
    if not isinstance(task_id, str):
        raise CallError(INVALID_PARAMS, "`taskId` must be a string")
    try:
        if method == "tasks/cancel":
            tasks.cancel(task_id)
            return {}
        state = tasks.state(task_id)
        if method == "tasks/update":  # our tasks never need input
            return {}
        outcome = tasks.outcome(task_id)
    except RequestError as error:
        raise CallError(INVALID_PARAMS, str(error)) from None
    return state if outcome is None else {**state, "result": call_result(outcome)}
