"""Tell when a file has changed, by looking at it now and then: one `stat`, a few times a second.

Above it: `service`, which follows a person's settings. It reads no file. It works on every system, for a
file that does not exist yet, that is written in place, replaced or deleted; a file that is just being
written is left alone until it has come to rest.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LOOK_S = 0.25


def _look(path: str) -> tuple[int, ...] | None:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino, seen.st_dev


async def changes(path: str) -> AsyncIterator[None]:
    """Yield after every change that has come to rest, for as long as somebody wants to know."""
    known = before = _look(path)
    while True:
        await asyncio.sleep(LOOK_S)
        now = _look(path)
        if now == before != known:
            known = now
            yield
        before = now
