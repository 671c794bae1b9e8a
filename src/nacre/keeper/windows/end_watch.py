"""The end of a process that another one has started: when and how.

Above it: `left_behind`. Below: `win32`. Windows gives the exit code of a process to every holder of a handle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.keeper import win32
from nacre.keeper.windows.children import END_BY_SIGNAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.timers import Timer
    from nacre.keeper.windows.event_loop import Loop

LOOK_S = 0.1
STILL_ACTIVE = 259  # the exit code of a running process


class EndWatch:
    """Calls back once when a process has ended."""

    def __init__(self, loop: Loop, pid: int, on_end: Callable[[int | None, str | None], None]) -> None:
        self._loop = loop
        self._process = win32.Process(pid, win32.open_process(pid))  # while we hold it, its id is not reused
        self._on_end = on_end
        self._timer: Timer = loop.call_later(0, self._look)

    def _look(self) -> None:
        code = win32.exit_code(self._process) if self._process.handle else None
        if code == STILL_ACTIVE:
            self._timer = self._loop.call_later(LOOK_S, self._look)
            return
        self.close()
        signal = END_BY_SIGNAL.get(code) if code is not None else None
        self._on_end(None if signal else code, signal)

    def close(self) -> None:
        """Stop watching."""
        self._timer.cancel()
        if self._process.handle:
            win32.close_handle(self._process.handle)
            self._process.handle = 0
