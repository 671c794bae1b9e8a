"""The timers of a keeper's event loop: `posix.Loop` and `windows.Loop` are built on them."""

from __future__ import annotations

import heapq
import time

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

TIMERS_KEPT = 256


class Timer:
    """A call that is due at a time; `cancel` takes it back."""

    __slots__ = ("callback", "due")  # a few are made for every command

    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Let it not happen."""
        self.callback = None

    def __lt__(self, other: Timer) -> bool:
        return self.due < other.due


class Timers:
    """Calls that are due later, in order. `_tick` says how many of the poller's units make a second."""

    def __init__(self, tick: float) -> None:
        self._tick = tick
        self._timers: list[Timer] = []
        self._timers_limit = TIMERS_KEPT

    def call_later(self, delay_s: float, callback: Callable[[], None]) -> Timer:
        """Call back once, after a while."""
        timer = Timer(time.monotonic() + delay_s, callback)
        if len(self._timers) > self._timers_limit:
            self._drop_cancelled()
        heapq.heappush(self._timers, timer)
        return timer

    def _drop_cancelled(self) -> None:
        """Most timers are cancelled long before they are due; they must not pile up until then."""
        self._timers = [timer for timer in self._timers if timer.callback is not None]
        heapq.heapify(self._timers)
        self._timers_limit = max(TIMERS_KEPT, 2 * len(self._timers))

    def _patience(self) -> float | None:
        while self._timers and self._timers[0].callback is None:
            heapq.heappop(self._timers)
        return max(0.0, self._timers[0].due - time.monotonic()) * self._tick if self._timers else None

    def _ring_timers(self) -> None:
        while self._timers and (self._timers[0].callback is None or self._timers[0].due <= time.monotonic()):
            if callback := heapq.heappop(self._timers).callback:
                callback()
