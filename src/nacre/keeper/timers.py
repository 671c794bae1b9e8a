"""What the event loops of a keeper share: timers, and callbacks that cannot end the loop by failing.

`posix.Loop` and `windows.Loop` are built on it. Every callback has an owner, the id of its command, so that a
failure ends that command alone; 0 is the keeper itself.
"""

from __future__ import annotations

import heapq
import time

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

TIMERS_KEPT = 256


class Timer:
    """A call that is due at a time."""

    __slots__ = ("callback", "due", "owner")  # a few are created for every command

    def __init__(self, due: float, callback: Callable[[], None], owner: int) -> None:
        self.due = due
        self.callback: Callable[[], None] | None = callback
        self.owner = owner

    def cancel(self) -> None:
        """Call off."""
        self.callback = None

    def __lt__(self, other: Timer) -> bool:
        return self.due < other.due


class Timers:
    """Calls that are due later, in order. `_tick` is the number of the poller's units in a second."""

    def __init__(self, tick: float, on_failure: Callable[[int, Exception], None]) -> None:
        self._tick = tick
        self._on_failure = on_failure
        self._timers: list[Timer] = []
        self._timers_limit = TIMERS_KEPT

    def attempt(self, callback: Callable[[], object], owner: int) -> None:
        """Call now; an exception is reported with the owner, and goes no further."""
        try:
            callback()
        except Exception as error:  # noqa: BLE001  # in any case it must not end other commands
            self._on_failure(owner, error)

    def call_later(self, delay_s: float, callback: Callable[[], None], owner: int = 0) -> Timer:
        """Call back once, after a while."""
        timer = Timer(time.monotonic() + delay_s, callback, owner)
        if len(self._timers) > self._timers_limit:
            self._drop_cancelled()
        heapq.heappush(self._timers, timer)
        return timer

    def _drop_cancelled(self) -> None:
        """Drop cancelled timers, which most are long before they are due, so that they do not pile up."""
        self._timers = [timer for timer in self._timers if timer.callback is not None]
        heapq.heapify(self._timers)
        self._timers_limit = max(TIMERS_KEPT, 2 * len(self._timers))

    def _patience(self) -> float | None:
        """How long to wait for the next timer, in the poller's units; None: there is none."""
        timers = self._timers
        while timers and timers[0].callback is None:
            heapq.heappop(timers)
        return max(0.0, timers[0].due - time.monotonic()) * self._tick if timers else None

    def _ring_timers(self) -> None:
        now = time.monotonic()  # once: timers that set others must not keep events waiting forever
        while self._timers and (self._timers[0].callback is None or self._timers[0].due <= now):
            timer = heapq.heappop(self._timers)
            if timer.callback is not None:
                self.attempt(timer.callback, timer.owner)
