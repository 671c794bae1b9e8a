"""The client's roots: requested after the handshake, and again when they have changed.

Above it: the connection to a handshake client. Calls wait for the answer, so that their commands start in the
right directory; but not for long, and never again once the client has failed to answer in time. There is one
question at a time, however often the client has news.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any, cast

from nacre.stderr import log

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PATIENCE_S = 2.0  # a client that does not answer must not block its own calls


class Roots:
    """The roots of one client."""

    def __init__(self, request: Callable[[], Awaitable[Any]], on_root: Callable[[str], None]) -> None:
        self._request = request
        self._on_root = on_root
        self._asking: asyncio.Task[None] | None = None
        self._asked_at = 0.0
        self._news = False  # whether there was a change since the request
        self._patient = True

    @property
    def unsettled(self) -> bool:
        """Whether a call should wait."""
        return self._patient and self._asking is not None and not self._asking.done()

    def ask(self) -> None:
        """Request the roots, again after a pending request."""
        self._news = True
        if self._asking is not None and not self._asking.done():
            if self._left_s() > 0:
                return
            self._asking.cancel()  # the pending request will not be answered any more
        self._asked_at = asyncio.get_running_loop().time()  # a call may come before the task has begun
        self._asking = asyncio.create_task(self._learn())

    def _left_s(self) -> float:
        return self._asked_at + PATIENCE_S - asyncio.get_running_loop().time()

    async def _learn(self) -> None:
        while self._news:
            self._news = False
            self._asked_at = asyncio.get_running_loop().time()
            root = first_root(await self._request())
            if root is not None:
                self._on_root(root)

    async def settled(self) -> None:
        """Wait a moment until the client has answered; if it does not, never wait again."""
        if self._asking is not None:
            await asyncio.wait({self._asking}, timeout=max(0.0, self._left_s()))
            if self.unsettled:
                self._patient = False
                log.warning("the client does not answer roots/list; calls do not wait for it any more")


def first_root(answer: Any) -> str | None:
    """The first directory among a client's roots; None if there is none."""
    roots: Any = cast("dict[str, Any]", answer).get("roots") if isinstance(answer, dict) else None
    for root in cast("list[Any]", roots) if isinstance(roots, list) else []:
        uri: Any = cast("dict[str, Any]", root).get("uri") if isinstance(root, dict) else None
        path = _local_path(uri) if isinstance(uri, str) else None
        if path is not None:
            return path
    return None


def _local_path(uri: str) -> str | None:
    """The path in a file: URI as this system writes it; None: there is none."""
    from urllib.parse import unquote_to_bytes, urlsplit  # noqa: PLC0415  # few clients have roots

    try:
        split = urlsplit(uri)
        plain = os.fsdecode(unquote_to_bytes(split.path))
    except ValueError:  # an invalid host, half a surrogate pair
        return None
    path = plain.lstrip("/") if os.name == "nt" else plain
    return path if split.scheme == "file" and os.path.isabs(path) and "\0" not in path else None
