"""Notice changed files by polling: a `stat` for each, twice a second.

Above it: `service`, which follows the settings. It reads no file. It works on every system, for files that do
not exist yet, that are written in place, replaced or deleted; a file that is just being written is left alone
until it has come to rest.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    Seen = tuple[int, ...] | None

LOOK_S = 0.5


def _look(path: str) -> Seen:
    try:
        seen = os.stat(path)
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino, seen.st_dev


async def changes(paths: Sequence[str]) -> AsyncIterator[list[str]]:
    """Yield changed files as soon as they no longer change."""
    known = before = [_look(path) for path in paths]
    while True:
        await asyncio.sleep(LOOK_S)
        now = [_look(path) for path in paths]
        if now == before != known:
            changed = [path for path, old, new in zip(paths, known, now, strict=True) if old != new]
            known = now
            yield changed
        before = now
