"""Tasks: a call of `shell` that takes long, as clients with that extension poll it (SEP-2663).

Above it: the protocol, which loads this when the first call becomes a task. Below: the service only. A task
is a job by another name: same id, same end; its result is what the call would have answered at that end.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nacre.errors import NacreError, RequestError
from nacre.model import Ended
from nacre.tools.results import reply
from nacre.tools.tool import Reply

if TYPE_CHECKING:
    from nacre.jobs.registry import Job
    from nacre.service import Service

POLL_MS = 1000
KEPT_MS = 3_600_000  # how long it is kept at least, from now on


class Tasks:
    """The tasks of one service."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def state(self, task_id: str) -> dict[str, Any]:
        """What a task is and does. RequestError: there is none of that id."""
        job = self._find(task_id)
        return {
            "createdAt": _timestamp(job.began_at),
            "lastUpdatedAt": _timestamp(job.ended_at or job.began_at),
            "pollIntervalMs": POLL_MS,
            "status": _status(job),
            "statusMessage": job.how_it_ended() if job.outcome is not None else f"runs: {job.name}",
            "taskId": task_id,
            "ttlMs": round(job.seconds * 1000) + KEPT_MS,
        }

    def outcome(self, task_id: str) -> Reply | None:
        """The final answer to its call; None: it runs, or was cancelled."""
        job = self._find(task_id)
        if _status(job) != "completed":
            return None
        self._service.note_end_seen(task_id)
        outcome = job.outcome
        if isinstance(outcome, NacreError):
            return Reply(str(outcome), is_error=True)
        return reply(outcome, self._service.config) if outcome is not None else None

    def cancel(self, task_id: str) -> None:
        """End it with all that it has started; its end is reported later."""
        self._find(task_id)
        self._service.cancel_job(task_id)

    def _find(self, task_id: str) -> Job:
        try:
            return self._service.job(task_id)
        except RequestError:
            raise RequestError(f"Task not found: {task_id}") from None


def _status(job: Job) -> str:
    outcome = job.outcome
    if outcome is None:
        return "working"
    is_cancelled = not isinstance(outcome, NacreError) and outcome.ended is Ended.CANCELLED
    return "cancelled" if is_cancelled else "completed"


def _timestamp(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
