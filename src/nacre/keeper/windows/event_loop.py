"""The event loop of a keeper on Windows: one thread on a completion port.

Above it: everything that waits. Below: `children`, whose ends the port reports; `timers`, which this loop
shares with that of Linux and macOS.
"""

from __future__ import annotations

import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from nacre.keeper import win32
from nacre.keeper.timers import Timers
from nacre.keeper.windows.children import CHILDREN, FROM_JOB, FROM_PIPE, FROM_PROCESS, FROM_THREAD

if TYPE_CHECKING:
    from collections.abc import Callable


class Loop(Timers):
    """One thread on a completion port: finished reads and writes, timers, ended processes."""

    def __init__(
        self,
        on_children: Callable[[], None],
        _on_terminate: Callable[[], None],
        on_failure: Callable[[int, Exception], None],
    ) -> None:
        super().__init__(1000.0, on_failure)
        self.port = CHILDREN.port
        self._operations: dict[int, win32.Operation] = {}
        self._posted: deque[tuple[Callable[[], None], int]] = deque()
        self._put_off: deque[win32.Packet] = deque()
        self._on_children = on_children
        self._running = True

    def post(self, callback: Callable[[], None], owner: int = 0) -> None:
        """Call back soon, in the loop's thread; may be called from any."""
        self._posted.append((callback, owner))
        self.port.post(FROM_THREAD)

    def stop(self) -> None:
        """Leave `run` after the current round."""
        self._running = False

    def run(self, after_round: Callable[[], None]) -> None:
        """Serve events until `stop`; `after_round` runs before each wait."""
        while self._running:
            self.attempt(after_round, 0)
            packet = self._put_off.popleft() if self._put_off else self.port.next(self._patience())
            while packet is not None:
                self._serve(packet)
                packet = self._put_off.popleft() if self._put_off else self.port.next(0)
            self._ring_timers()

    def _serve(self, packet: win32.Packet) -> None:
        if packet.address and packet.key == FROM_PIPE:
            operation = self._finished(packet)
            if operation.callback:
                self.attempt(partial(operation.callback, operation), operation.owner)
        elif packet.key == FROM_THREAD:
            self.attempt(*self._posted.popleft())
        elif packet.key == FROM_PROCESS:
            CHILDREN.ended.append(packet.number)
            self.attempt(self._on_children, 0)
        elif packet.number == win32.JOB_IS_EMPTY:
            CHILDREN.emptied.append(packet.key - FROM_JOB)
            self.attempt(self._on_children, 0)

    def _finished(self, packet: win32.Packet) -> win32.Operation:
        operation = self._operations.pop(packet.address)
        operation.count, operation.failure = packet.number, packet.failure
        return operation

    def under_way(self, operation: win32.Operation) -> None:
        """Keep an operation alive until the port reports its end."""
        self._operations[operation.address] = operation

    def settle(self, operation: win32.Operation, patience_s: float) -> bool:
        """Wait for one operation before everything else; False: it did not end in that time."""
        for packet in self._put_off:
            if packet.address == operation.address:
                self._put_off.remove(packet)
                self._finished(packet)
                return True
        until = time.monotonic() + patience_s
        while packet := self.port.next(max(0.0, until - time.monotonic()) * 1000):
            if packet.address == operation.address:
                self._finished(packet)
                return True
            self._put_off.append(packet)
        return False
