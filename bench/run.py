"""A run: in every round each server has its block, in a new order, so that a slow moment hits all alike."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bench.figures import FIGURES
from bench.model import Failed, Outcome
from bench.workloads import BEHAVIOUR, WORKLOADS, behaviour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.model import Samples, Server
    from bench.stage import Stage
    from bench.workloads import Workload

AT_A_TIME = 2  # servers whose behaviour is probed at once: nothing is timed there
Rounds = list[list[float]]  # one list of samples for each round; empty where a block had none


@dataclass
class Measured:
    """What came of a run so far."""

    figures: dict[str, dict[str, Rounds]] = field(default_factory=dict[str, dict[str, Rounds]])
    failures: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    behaviours: dict[str, dict[str, Outcome]] = field(default_factory=dict[str, dict[str, Outcome]])

    def add(self, workload: Workload, server: Server, samples: Samples) -> None:
        """One more round of a server."""
        for figure in FIGURES.values():
            if figure.workload == workload.name:
                rounds = self.figures.setdefault(figure.name, {}).setdefault(server.name, [])
                rounds.append(samples.get(figure.name, []))

    def fail(self, workload: str, server: Server, reason: str) -> None:
        """A server that did not do what was asked."""
        self.failures.setdefault(server.name, {})[workload] = reason


def measure(
    stage: Stage, servers: Sequence[Server], wanted: Sequence[str], rounds: int | None, *, quick: bool
) -> Measured:
    """Every wanted workload on every server that takes part in it."""
    measured = Measured()
    for workload in WORKLOADS:
        count = rounds or (workload.quick_rounds if quick else workload.rounds)
        if workload.name in wanted and (count if not quick else workload.quick_rounds):
            taking_part = [server for server in servers if workload.name in server.workloads]
            _measure_one(stage, taking_part, workload, count, measured)
    stage.close()
    if BEHAVIOUR in wanted:
        _probe_all(stage, [server for server in servers if BEHAVIOUR in server.workloads], measured)
    return measured


def _measure_one(
    stage: Stage, servers: list[Server], workload: Workload, count: int, measured: Measured
) -> None:
    order = random.Random(workload.name)  # noqa: S311  # the same order in every run
    waiting = list(servers)
    for number in range(0 if workload.warm_up else 1, count + 1):
        _tell(f"{workload.name}: {'warming up' if number == 0 else f'round {number} of {count}'}")
        order.shuffle(waiting)
        for server in list(waiting):
            try:
                samples = workload.block(stage, server)
            except (Failed, OSError) as error:
                measured.fail(workload.name, server, str(error))
                stage.drop(server)
                waiting.remove(server)
                continue
            if number:
                measured.add(workload, server, samples)


def _probe_all(stage: Stage, servers: list[Server], measured: Measured) -> None:
    _tell("behaviour")
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        probed = pool.map(partial(behaviour.probe, stage), servers)
        for server, outcomes in zip(servers, probed, strict=True):
            for row, outcome in outcomes.items():
                measured.behaviours.setdefault(row, {})[server.name] = outcome


def _tell(what: str) -> None:
    print(f"\r\x1b[K{what} …" if sys.stderr.isatty() else what, end="", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        print(file=sys.stderr)
