"""asyncio's event loop with direct descriptors, whose callbacks are called the moment they are readable.

asyncio turns each event into a key, a handle and an entry of its queue, walks through that queue, and enters
a context before it calls back: twice for each command, each time with a cold processor cache. The two pipes
that every command uses, the client's and the keeper's, skip that. Everything else is asyncio's, which is not
even asked as long as there is nothing for it to do.

It uses only documented interfaces of asyncio and `selectors`: the loop gets a selector with two epolls. The
first has the direct descriptors and the second epoll; the second one is asyncio's own.

Used by the server (`server`), the pipes and `eager`. On other systems than Linux, the usual loop serves.
"""

from __future__ import annotations

import asyncio
import contextlib
import select
import selectors
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from contextvars import Context

if sys.platform == "linux":

    class _DirectSelector(selectors.EpollSelector):
        """asyncio's usual selector, behind an epoll for direct descriptors."""

        def __init__(self) -> None:
            super().__init__()
            self.callbacks: dict[int, Callable[[], None]] = {}
            self.is_awaited = False  # asyncio has something to do, or another time limit
            self.first = select.epoll()
            self.first.register(self.fileno(), select.EPOLLIN)

        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            """Serve the direct descriptors until asyncio has something to do; returns its events."""
            until = None if timeout is None else time.monotonic() + timeout
            self.is_awaited = False
            others = False
            while not others and not self.is_awaited:
                try:
                    ready = self.first.poll(timeout)
                except InterruptedError:
                    break
                for fd, _ in ready:
                    callback = self.callbacks.get(fd)
                    if callback is None:  # asyncio's epoll; or an earlier callback of this round removed it
                        others = True
                        continue
                    try:
                        callback()
                    except Exception as error:  # noqa: BLE001  # in any case the other pipe is still to be served
                        _report(callback, error)
                if until is not None and (timeout := until - time.monotonic()) <= 0:
                    break
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
            self._first_step: tuple[Callable[[], object], Context] | None = None
            self._is_starting = False  # whether an eager task is just being created
            super().__init__(self._direct)
            self.set_debug(self.get_debug())

        def set_debug(self, enabled: bool) -> None:  # noqa: FBT001  # asyncio's signature
            """Debug mode; every new future asks for it, so the answer is not a function of Python."""
            super().set_debug(enabled)
            self.get_debug = partial(bool, enabled)

        def call_soon(
            self, callback: Callable[..., object], *args: Any, context: Context | None = None
        ) -> asyncio.Handle:
            """As asyncio does; but the first step of an eager task is left to who starts it."""
            if self._is_starting and context is not None and not args:
                self._first_step = callback, context
                return cast("asyncio.Handle", None)  # which a new task does not look at
            self._direct.is_awaited = True
            return super().call_soon(callback, *args, context=context)

        def call_at(
            self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
        ) -> asyncio.TimerHandle:
            """As asyncio does."""
            self._direct.is_awaited = True
            return super().call_at(when, callback, *args, context=context)

        def stop(self) -> None:
            """As asyncio does."""
            self._direct.is_awaited = True
            super().stop()

        def start_eagerly(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
            """Start a task and run it up to its first wait, as Python 3.12 does."""
            self._is_starting = True
            try:
                task = asyncio.Task(coroutine, loop=self)
            finally:
                self._is_starting = False
            if self._first_step is not None:
                (step, context), self._first_step = self._first_step, None
                context.run(step)
            return task

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
