"""What the servers are asked to do. A workload is a function that asks one server for one block of samples.

timed       starts, commands one after the other, many at once, verdicts
output      megabytes, and what they cost in memory
ends        cancelled calls and timeouts, until everything is dead
waits       jobs that are waited for, from the event to the answer
behaviour   what happens when a command does not behave; outcomes, no samples
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bench.workloads import ends, output, timed, waits

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.model import Samples, Server
    from bench.stage import Stage


class Workload(NamedTuple):
    """One kind of work; a round has one block for each server."""

    name: str
    block: Callable[[Stage, Server], Samples]
    rounds: int
    quick_rounds: int  # 0: not in a quick run
    warm_up: bool = True  # whether a first block is thrown away


WORKLOADS = (
    Workload("start", timed.start, 10, 3),
    Workload("echo", timed.echo, 40, 12),
    Workload("program", timed.program, 20, 8),
    Workload("nested", timed.nested, 20, 8),
    Workload("execs", timed.execs, 8, 3),
    Workload("new_shell", timed.new_shell, 10, 3),
    Workload("verdict", timed.verdict, 5, 2, warm_up=False),
    Workload("flight", timed.flight, 5, 3),
    Workload("sleeps", timed.sleeps, 4, 3),
    Workload("output_1", output.one_megabyte, 7, 4, warm_up=False),
    Workload("output_10", output.ten_megabytes, 4, 3, warm_up=False),
    Workload("output_100", output.hundred_megabytes, 3, 0, warm_up=False),
    Workload("cancel", ends.cancel, 5, 2),
    Workload("timeout", ends.timeout, 3, 1, warm_up=False),
    Workload("wait", waits.wait, 10, 4),
)
BEHAVIOUR = "behaviour"  # the one workload without rounds
NAMES = (*(workload.name for workload in WORKLOADS), BEHAVIOUR)
