"""The processes that one command of a session left running, until the last of them has ended.

Above it: `shells`, which loads this when the first process was left behind. Below: `end_watch` of the host.
Each end is reported to nacre, with the exit code or signal where it is known, and also that nothing is left.
What such a process starts itself is not counted, and is listed by no reply.
"""

from __future__ import annotations

import sys
from functools import partial

from nacre.keeper.codec import encode
from nacre.keeper.frames import Ended, LeftEnd

if sys.platform == "win32":
    from nacre.keeper.windows.end_watch import EndWatch
else:
    from nacre.keeper.posix.end_watch import EndWatch

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.outlet import Outlet

WATCHED_LIMIT = 100  # watched at a time, with a descriptor each; the others wait


class LeftBehind:
    """The processes that one turn has left behind."""

    def __init__(
        self, outlet: Outlet, command_id: int, turn: int, pids: set[int], on_gone: Callable[[int], object]
    ) -> None:
        self._outlet = outlet
        self._command_id = command_id
        self._turn = turn
        self._on_gone = on_gone
        self._waiting = sorted(pids, reverse=True)
        self._watches: dict[int, EndWatch] = {}
        self._watch_more()

    @property
    def pids(self) -> set[int]:
        """Those that have not ended, as far as is known."""
        return {*self._watches, *self._waiting}

    def _watch_more(self) -> None:
        while self._waiting and len(self._watches) < WATCHED_LIMIT:
            pid = self._waiting.pop()
            self._watches[pid] = EndWatch(self._outlet.loop, pid, partial(self.note_end, pid))

    def note_end(self, pid: int, code: int | None, signal: str | None) -> None:
        """Note the end of one of them that had become our child."""
        watch = self._watches.pop(pid, None)
        if watch is None:
            return
        watch.close()
        end = LeftEnd(pid=pid, code=code, signal=signal, turn=self._turn)
        self._outlet.send(encode(end, self._command_id))
        self._watch_more()
        if not self._watches:
            self._outlet.send(encode(Ended(turn=self._turn), self._command_id))
            self._on_gone(self._turn)

    def close(self) -> None:
        """Stop watching."""
        for watch in self._watches.values():
            watch.close()
        self._watches.clear()
