"""How many requests a client may have in flight, and which wait: bounded, whatever the client does. Pure.

Above it: the transport, which asks before it accepts a request and reports when one is answered. A limited
number of requests is served at once; the others wait as unparsed lines, in order. Nothing is refused here: if
there are too many, stdin is not read until there is room.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nacre.protocol.messages import Id

AT_ONCE = 512  # far more than the commands that run at once: those that wait for a session count, too
WAITING_BYTES = 16 * 1024 * 1024
ENTRY_BYTES = 512  # the cost of a waiting line besides its length


class Admission:
    """The unanswered requests of one client."""

    def __init__(self, at_once_bytes: int) -> None:
        self._at_once_bytes = at_once_bytes
        self._open: dict[Id, int] = {}  # id -> length of its line
        self._open_bytes = 0
        self._endless: set[Id] = set()
        self.waiting: dict[Id, bytes] = {}  # for room; id -> line
        self._waiting_bytes = 0

    def __contains__(self, identity: Id) -> bool:
        return identity in self._open or identity in self.waiting

    def __len__(self) -> int:
        return len(self._open) + len(self.waiting)

    @property
    def unfinished(self) -> bool:
        """Whether there are requests that will be answered by themselves."""
        return len(self) > len(self._endless)

    def keep_open(self, identity: Id) -> None:
        """Note a request that stays open until its client ends it."""
        if identity in self._open:
            self._endless.add(identity)

    @property
    def full(self) -> bool:
        """Whether no more lines should be read."""
        return self._waiting_bytes > WAITING_BYTES

    def admit(self, identity: Id, size: int) -> bool:
        """Accept a request, if it is new, there is room and no earlier one waits."""
        if self.waiting or (self._open and (identity in self._open or not self._fits(size))):
            return False
        self._open[identity] = size
        self._open_bytes += size
        return True

    def _fits(self, size: int) -> bool:
        if not self._open:
            return True
        return len(self._open) < AT_ONCE and self._open_bytes + size <= self._at_once_bytes

    def hold(self, identity: Id, line: bytes) -> None:
        """Let a request wait."""
        self.waiting[identity] = line
        self._waiting_bytes += len(line) + ENTRY_BYTES

    def next(self) -> bytes | None:
        """The first waiting request, if there is room for it now; it counts as in flight then."""
        if not self.waiting:
            return None
        identity, line = next(iter(self.waiting.items()))
        if not self._fits(len(line)):
            return None
        self._release(identity)
        self._open[identity] = len(line)
        self._open_bytes += len(line)
        return line

    def settle(self, identity: Id) -> bool:
        """Note that a request was answered, or never will be; whether it was in flight."""
        size = self._open.pop(identity, None)
        if size is None:
            return False
        self._open_bytes -= size
        self._endless.discard(identity)
        return True

    def cancel(self, identity: Id) -> bool:
        """Cancel a request; whether it was in flight. A waiting one is dropped."""
        if identity in self.waiting:
            self._release(identity)
            return False
        return self.settle(identity)

    def _release(self, identity: Id) -> None:
        self._waiting_bytes -= len(self.waiting.pop(identity)) + ENTRY_BYTES

    def clear(self) -> None:
        """Forget all requests: no answer can be sent any more."""
        self._open.clear()
        self.waiting.clear()
        self._endless.clear()
        self._open_bytes = self._waiting_bytes = 0
