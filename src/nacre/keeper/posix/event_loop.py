"""The event loop of a keeper on Linux and macOS: descriptors, timers, signals, ended children.

Above it: everything that waits. Below: `timers`, which this loop shares with that of Windows.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
from functools import partial

from nacre.keeper.timers import Timers

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

FINE_S = 0.0007  # shorter waits are not rounded up to a millisecond
SELECTABLE = 1024  # the first descriptor that select does not take
SIGNAL_BYTES, SIGNAL_SET_BYTES = 128, 128  # signalfd_siginfo and sigset_t of Linux


class Loop(Timers):
    """One thread: readable and writable descriptors, timers, ended children."""

    def __init__(
        self,
        on_children: Callable[[], None],
        on_terminate: Callable[[], None],
        on_failure: Callable[[int, Exception], None],
    ) -> None:
        epoll = hasattr(select, "epoll")
        super().__init__(1.0 if epoll else 1000.0, on_failure)
        self._poller = select.epoll() if epoll else select.poll()
        self._epoll_fd = self._poller.fileno() if isinstance(self._poller, select.epoll) else SELECTABLE
        self._watched: dict[int, tuple[Callable[[], object], int]] = {}  # callback and owner by descriptor
        self._on_children = on_children
        self._on_terminate = on_terminate
        self._running = True
        self._wake_read, self._wake_write = os.pipe()
        for fd in (self._wake_read, self._wake_write):
            os.set_blocking(fd, False)
        self.watch(self._wake_read, self._woken)

    def watch(self, fd: int, callback: Callable[[], object], owner: int = 0) -> None:
        """Call back whenever `fd` can be read."""
        self._poller.register(fd, select.POLLIN)
        self._watched[fd] = callback, owner

    def watch_write(self, fd: int, callback: Callable[[], object], owner: int = 0) -> None:
        """Call back whenever `fd` can be written."""
        self._poller.register(fd, select.POLLOUT)
        self._watched[fd] = callback, owner

    def unwatch(self, fd: int) -> None:
        """Forget `fd`."""
        if self._watched.pop(fd, None) is not None:
            self._poller.unregister(fd)

    def stop(self) -> None:
        """Leave `run` after the current round."""
        self._running = False

    def run(self, after_round: Callable[[], None]) -> None:
        """Serve events until `stop`; `after_round` runs before each wait."""
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGTERM, _note_signal)
        if (children := _child_signals()) >= 0:
            self.watch(children, partial(self._child_ended, children))
        else:
            signal.signal(signal.SIGCHLD, _note_signal)
        for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE):
            signal.signal(ignored, signal.SIG_IGN)
        while self._running:
            try:
                after_round()
            except Exception as error:  # noqa: BLE001  # in any case it must not end the commands
                self._on_failure(0, error)
            patience = self._patience() if self._timers else None
            if patience and patience < FINE_S and self._epoll_fd < SELECTABLE:
                # An epoll waits for whole milliseconds; for less, a select on it waits.
                select.select((self._epoll_fd,), (), (), patience)
                patience = 0
            events = self._poller.poll(patience)
            for fd, _ in events:
                watched = self._watched.get(fd)
                if watched is None:  # an earlier callback of this round has closed it
                    continue
                try:
                    watched[0]()
                except Exception as error:  # noqa: BLE001  # in any case it must not end other commands
                    self._fail(fd, watched, error)
            if not events or patience == 0:  # otherwise none was due; one that is by now has its turn next
                self._ring_timers()

    def _fail(self, fd: int, watched: tuple[Callable[[], object], int], error: Exception) -> None:
        if self._watched.get(fd) is watched:  # it would fail again
            self.unwatch(fd)
        self._on_failure(watched[1], error)

    def _woken(self) -> None:
        signals = os.read(self._wake_read, 512)
        if signal.SIGTERM in signals:
            self.attempt(self._on_terminate, 0)
        if signal.SIGCHLD in signals:
            self.attempt(self._on_children, 0)

    def _child_ended(self, fd: int) -> None:
        os.read(fd, SIGNAL_BYTES)
        try:
            self._on_children()
        except Exception as error:  # noqa: BLE001  # it is watched on, and no command is affected
            self._on_failure(0, error)


def _child_signals() -> int:
    """A signalfd for the ends of children; -1 where there is none."""
    if sys.platform != "linux":
        return -1
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # commands are started with an empty mask
    mask = (1 << (signal.SIGCHLD - 1)).to_bytes(SIGNAL_SET_BYTES, "little")
    return ctypes.CDLL(None).signalfd(-1, mask, os.O_CLOEXEC | os.O_NONBLOCK)


def _note_signal(_number: int, _frame: FrameType | None) -> None:
    """Nothing: the wake-up descriptor reports the signal."""
