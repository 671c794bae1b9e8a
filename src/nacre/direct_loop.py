"""asyncio's event loop with direct descriptors, whose callbacks are called the moment they are readable.

asyncio turns each event into a key, a handle and an entry of its queue, walks through that queue, and enters
a context before it calls back: twice for each command, each time with a cold processor cache. The two pipes
that every command uses, the client's and the keeper's, skip that. Everything else is asyncio's.

It uses only documented interfaces of asyncio and `selectors`: the loop gets a selector with two epolls. The
first has the direct descriptors and the second epoll; the second one is asyncio's own.

Used by the server (`server`) and the pipes. On other systems than Linux the usual loop serves as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import selectors
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

if sys.platform == "linux":

    class _DirectSelector(selectors.EpollSelector):
        """asyncio's usual selector, behind an epoll for direct descriptors."""

        def __init__(self) -> None:
            super().__init__()
            self.callbacks: dict[int, Callable[[], None]] = {}
            self.first = select.epoll()
            self.first.register(self.fileno(), select.EPOLLIN)

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            """Serve the direct descriptors; returns asyncio's events."""
            try:
                ready = self.first.poll(timeout)
            except InterruptedError:
                return []
            others = False
            for fd, _ in ready:
                callback = self.callbacks.get(fd)
                if callback is None:  # asyncio's epoll; or an earlier callback of this iteration removed it
                    others = True
                    continue
                try:
                    callback()
                except Exception as error:  # noqa: BLE001  # in any case the other pipe is still to be served
                    _report(callback, error)
            return super().select(0) if others else []

        def close(self) -> None:
            """Close both epolls."""
            self.first.close()
            super().close()

    def _report(callback: Callable[[], None], error: Exception) -> None:
        """Report an exception as asyncio does: it ends nothing."""
        message = f"Exception in callback {callback!r}"
        asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})

    class DirectLoop(asyncio.SelectorEventLoop):
        """The event loop of a server."""

        def __init__(self) -> None:
            self._direct = _DirectSelector()
            super().__init__(self._direct)

        def add_direct_reader(self, fd: int, callback: Callable[[], None]) -> None:
            """Call back whenever `fd` can be read, at once."""
            if fd not in self._direct.callbacks:
                self._direct.first.register(fd, select.EPOLLIN)
            self._direct.callbacks[fd] = callback

        def remove_direct_reader(self, fd: int) -> None:
            """Forget `fd`."""
            if self._direct.callbacks.pop(fd, None) is not None:
                with contextlib.suppress(OSError):  # it was closed already
                    self._direct.first.unregister(fd)


def new_loop() -> asyncio.AbstractEventLoop:
    """The quickest event loop of this system."""
    return DirectLoop() if sys.platform == "linux" else asyncio.new_event_loop()


def add_reader(loop: asyncio.AbstractEventLoop, fd: int, callback: Callable[[], None]) -> None:
    """Call back whenever `fd` can be read: at once, if the loop can do that."""
    if sys.platform == "linux" and isinstance(loop, DirectLoop):
        loop.add_direct_reader(fd, callback)
    else:
        loop.add_reader(fd, callback)


def remove_reader(loop: asyncio.AbstractEventLoop, fd: int) -> None:
    """Forget `fd`."""
    if sys.platform == "linux" and isinstance(loop, DirectLoop):
        loop.remove_direct_reader(fd)
    else:
        loop.remove_reader(fd)
