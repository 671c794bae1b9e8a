"""Messages of a keeper or its guardian to the person, on stderr, when there is no link to send them on."""

from __future__ import annotations

import time

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

NAMED_LIMIT = 20


def line(sentence: str) -> str:
    """A line like those of nacre's log."""
    now = time.time()
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    return f"{moment}.{int(now * 1000) % 1000:03}Z nacre {sentence}\n"


def unkillable(pids: set[int], command_line: Callable[[int], str]) -> str:
    """A sentence about processes that could not be killed."""
    named = "; ".join(f"{pid} {command_line(pid)}" for pid in sorted(pids)[:NAMED_LIMIT])
    more = f" and {len(pids) - NAMED_LIMIT} more" if len(pids) > NAMED_LIMIT else ""
    return f"these processes could not be ended: {named}{more}"
