"""What a keeper or its guardian tells the person on stderr, when there is no link that could carry it."""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

NAMED_LIMIT = 20


def say(sentence: str) -> None:
    """Write a line like those of the log; where nobody reads it, it is lost."""
    now = time.time()
    moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now))
    line = f"{moment}.{int(now * 1000) % 1000:03}Z nacre {sentence}\n"
    try:
        os.write(2, line.encode(errors="replace"))
    except OSError:
        return


def unkillable(pids: set[int], command_line: Callable[[int], str]) -> str:
    """A sentence about processes that did not die."""
    named = "; ".join(f"{pid} {command_line(pid)}" for pid in sorted(pids)[:NAMED_LIMIT])
    more = f" and {len(pids) - NAMED_LIMIT} more" if len(pids) > NAMED_LIMIT else ""
    return f"these processes could not be ended: {named}{more}"
