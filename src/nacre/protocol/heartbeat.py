"""Progress of one call: what its tool reports, and a sign of life while that is nothing.

Clients give up on calls that are silent for long; many wait on while there is progress. Above it: the fast
path and the SDK's side, which say how a message is sent. It knows asyncio and nothing of messages.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

INTERVAL_S = 5.0


class Heartbeat:
    """Sends progress that always grows: the seconds since the call began."""

    def __init__(
        self, send: Callable[[float, str], Awaitable[None]], interval_s: float | None = None
    ) -> None:
        self._send = send
        self._interval_s = INTERVAL_S if interval_s is None else interval_s
        self._loop = asyncio.get_running_loop()
        self._began = self._sent_at = self._loop.time()
        self._amount = 0.0
        self._beating: asyncio.Task[None] | None = None
        self._timer = self._loop.call_later(self._interval_s, self._beat)

    async def tell(self, _amount: float, message: str) -> None:
        """Send what a tool has to report."""
        self._sent_at = self._loop.time()
        await self._send(self._next_amount(), message)

    def _next_amount(self) -> float:
        self._amount = round(max(self._loop.time() - self._began, self._amount + 0.001), 3)
        return self._amount

    def _beat(self) -> None:
        now = self._loop.time()
        left_s = self._sent_at + self._interval_s - now
        if left_s <= 0 and (self._beating is None or self._beating.done()):  # else the client does not read
            self._sent_at, left_s = now, self._interval_s
            message = f"still running after {now - self._began:.0f} s"
            self._beating = self._loop.create_task(self._send_beat(message))
        self._timer = self._loop.call_later(left_s if left_s > 0 else self._interval_s, self._beat)

    async def _send_beat(self, message: str) -> None:
        await self._send(self._next_amount(), message)

    def stop(self) -> None:
        """The call is over."""
        self._timer.cancel()
        if self._beating is not None:
            self._beating.cancel()
