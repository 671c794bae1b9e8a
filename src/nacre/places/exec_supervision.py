"""The exec gate at work: a keeper's questions, answered from the event loop by the rules.

Above it: `local`, which has one for all keepers of its place. Below: `sandbox.exec_gate`, which reads and
answers, and `sandbox.exec_rules`, which decides. A verdict that may take long is found in a thread; only the
program that it is about waits for it. Without us nothing starts: when the listener is closed, every exec
below that keeper fails.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from nacre.keeper.wire import SCRIPT_MARK
from nacre.sandbox.exec_gate import ExecGate, Judge

if TYPE_CHECKING:
    from nacre.keeper.frames import Spawn
    from nacre.keeper.link import Link
    from nacre.sandbox.exec_gate import Exec
    from nacre.sandbox.exec_rules import Decision, ExecRules, Process

_log = logging.getLogger("nacre")


@functools.cache
def _verdict_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="exec")


class ExecSupervision:
    """Answers the keepers of one place, one after the other."""

    def __init__(self, rules: ExecRules) -> None:
        self.rules = rules
        self._loop = asyncio.get_running_loop()
        self._channels: set[socket.socket] = set()
        self._gates: set[ExecGate] = set()

    def attend(self, channel: int) -> None:
        """Wait for the listener that a new keeper sends through its channel."""
        if channel < 0:
            raise RuntimeError("this keeper asks nobody")
        ours = socket.socket(fileno=channel)
        ours.setblocking(False)
        self._channels.add(ours)
        self._loop.add_reader(channel, self._take_listener, ours)

    def expect(self, link: Link, command: int, spawn: Spawn) -> None:
        """A keeper is told to start this."""
        argv = spawn.argv
        if spawn.script is not None:
            from nacre.keeper.posix import SCRIPT_SUFFIX  # noqa: PLC0415  # a text is seldom that long

            argv = [word.replace(SCRIPT_MARK, f"{link.spool_dir}/{command}{SCRIPT_SUFFIX}") for word in argv]
        self.rules.expect(command, spawn.program, argv)

    def close(self) -> None:
        """Answer no more."""
        for channel in tuple(self._channels):
            self._forget(channel)
        for gate in tuple(self._gates):
            self._let_go(gate)
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
        def judge(asked: Exec) -> bool | None:
            return self._judge(gate, asked)

        rules = self.rules
        gate = ExecGate(listener, Judge(judge, rules.is_expected, self._confirm, rules.is_fixed), memory)
        self._gates.add(gate)
        self._loop.add_reader(listener, self._answer, gate)

    def _forget(self, channel: socket.socket) -> None:
        self._loop.remove_reader(channel.fileno())
        self._channels.discard(channel)
        channel.close()

    def _answer(self, gate: ExecGate) -> None:
        if not gate.answer():
            self._let_go(gate)

    def _let_go(self, gate: ExecGate) -> None:
        self._loop.remove_reader(gate.listener)
        self._gates.discard(gate)
        gate.close()

    def _judge(self, gate: ExecGate, asked: Exec) -> bool | None:
        if asked.script or not self.rules.is_long(asked):
            return self._attempt(asked)
        caller = self.rules.caller(asked)
        verdict = self._loop.run_in_executor(_verdict_thread(), self.rules.decide, asked, caller)
        verdict.add_done_callback(partial(self._settle, gate, asked, caller))
        return None

    def _attempt(self, asked: Exec) -> bool:
        try:
            return self.rules.judge(asked)
        except Exception:  # noqa: BLE001  # whatever it is, who asked must be answered, and not with yes
            _log.exception("no verdict about %s", asked.path)
            return False

    def _confirm(self, asked: Exec, environment: bytes) -> bool:
        try:
            return self.rules.confirm(asked, environment)
        except Exception:  # noqa: BLE001  # as above
            _log.exception("no verdict about the environment of %s", asked.path)
            return False

    def _settle(
        self, gate: ExecGate, asked: Exec, caller: Process, verdict: asyncio.Future[Decision]
    ) -> None:
        if gate not in self._gates:
            return
        if verdict.cancelled() or verdict.exception() is not None:
            _log.error("no verdict about %s: %s", asked.path, verdict)
            gate.settle(asked, allowed=False)
        else:
            gate.settle(asked, allowed=self.rules.conclude(asked, caller, verdict.result()))
