"""The exec gate at work: the questions of keepers, each keeper's answered in a thread of its own.

Above it: `local`, which has one for all keepers of its place. Below: `sandbox.exec_gate`, which reads and
answers, and `sandbox.exec_rules`, which decides. A verdict that may take long is computed in another thread:
only the program that it is about waits for it. It fails closed: when the listener is closed, every exec below
that keeper fails.

Why a thread, and not the event loop: a process that executes a program is blocked until we have answered, and
every program takes two answers. A thread that waits for the listener itself is woken on the processor of the
asking process; the loop's poll would wake another processor first. Besides, a busy loop delays no program,
and many programs do not delay the loop.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import select
import socket
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from nacre.keeper.wire import SCRIPT_MARK
from nacre.sandbox.exec_gate import ExecGate, Judge

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from nacre.keeper.frames import Spawn
    from nacre.keeper.link import Link
    from nacre.sandbox.exec_gate import Exec
    from nacre.sandbox.exec_rules import Decision, ExecRules, Process

END_PATIENCE_S = 1.0  # a thread ends after its current question

_log = logging.getLogger("nacre")


@functools.cache
def _verdict_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="exec")


class ExecSupervision:
    """Answers the keepers of one place."""

    def __init__(self, rules: ExecRules) -> None:
        self.rules = rules
        self._loop = asyncio.get_running_loop()
        self._channels: set[socket.socket] = set()
        self._gates: set[GateThread] = set()

    def attend(self, channel: int) -> None:
        """Wait for the listener that a new keeper sends through its channel."""
        if channel < 0:
            raise RuntimeError("this keeper asks nobody")
        ours = socket.socket(fileno=channel)
        ours.setblocking(False)
        self._channels.add(ours)
        self._loop.add_reader(channel, self._take_listener, ours)

    def expect(self, link: Link, command: int, spawn: Spawn) -> None:
        """Note what a keeper is about to start."""
        argv = spawn.argv
        if spawn.script is not None:
            from nacre.keeper.posix import SCRIPT_SUFFIX  # noqa: PLC0415  # a text is seldom that long

            argv = [word.replace(SCRIPT_MARK, f"{link.spool_dir}/{command}{SCRIPT_SUFFIX}") for word in argv]
        self.rules.expect(command, spawn.program, argv)

    def close(self) -> None:
        """Answer no more."""
        for channel in tuple(self._channels):
            self._forget(channel)
        for gate in self._gates:
            gate.close()
        self.rules.close()

    def _take_listener(self, channel: socket.socket) -> None:
        try:
            _, handed, _, _ = socket.recv_fds(channel, 16, 2)
        except BlockingIOError:
            return
        except OSError as error:
            _log.error("the keeper's execs cannot be decided: %s", error.strerror)
            handed = []
        self._forget(channel)
        if handed:
            self._open(*handed)

    def _open(self, listener: int, memory: int) -> None:
        self._gates = {gate for gate in self._gates if gate.is_alive()}
        self._gates.add(GateThread(listener, memory, self.rules))

    def _forget(self, channel: socket.socket) -> None:
        self._loop.remove_reader(channel.fileno())
        self._channels.discard(channel)
        channel.close()


class GateThread:
    """A thread that answers one keeper, until that is gone or `close` is called. The gate is its own."""

    def __init__(self, listener: int, memory: int, rules: ExecRules) -> None:
        self._rules = rules
        judge = Judge(self._judge, rules.is_expected, rules.confirm, rules.is_fixed)
        self._gate = ExecGate(listener, judge, memory)
        self._wake = os.eventfd(0)
        self._handed: deque[Callable[[], None]] = deque()  # calls for this thread from others
        self._lock = threading.Lock()  # of the two lines above
        self._ending = False
        self._thread = threading.Thread(target=self._serve, name="exec gate", daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether questions can still come."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Answer no more."""
        self._hand_over(self._end)
        self._thread.join(END_PATIENCE_S)

    def _hand_over(self, work: Callable[[], None]) -> None:
        """Run this in the thread, unless that has ended."""
        with self._lock:
            if self._wake >= 0:
                self._handed.append(work)
                os.eventfd_write(self._wake, 1)

    # -- in the thread

    def _serve(self) -> None:
        poll, listener = select.poll(), self._gate.listener
        poll.register(listener, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while not self._ending:
            for descriptor, events in poll.poll():
                if descriptor != listener:
                    self._do_handed()
                elif events & select.POLLIN:
                    self._answer()
                else:  # no process below the keeper is left
                    self._end()
        with self._lock:
            os.close(self._wake)
            self._wake = -1
        self._gate.close()

    def _end(self) -> None:
        self._ending = True

    def _do_handed(self) -> None:
        os.eventfd_read(self._wake)
        while self._handed:
            self._handed.popleft()()

    def _answer(self) -> None:
        try:
            self._gate.answer()
        except Exception:  # noqa: BLE001  # in any case the exec was refused, and others will come
            _log.exception("no verdict about a program, which was refused")

    def _judge(self, asked: Exec) -> bool | None:
        if asked.script or not self._rules.is_long(asked):
            return self._rules.judge(asked)
        caller = self._rules.caller(asked)
        verdict = _verdict_thread().submit(self._rules.decide, asked, caller)
        verdict.add_done_callback(lambda found: self._hand_over(partial(self._settle, asked, caller, found)))
        return None

    def _settle(self, asked: Exec, caller: Process, verdict: Future[Decision]) -> None:
        allowed = False
        try:
            allowed = self._rules.conclude(asked, caller, verdict.result())
        except Exception:  # noqa: BLE001  # in any case the exec must be answered, and not with yes
            _log.exception("no verdict about %s", asked.path)
        self._gate.settle(asked, allowed=allowed)
