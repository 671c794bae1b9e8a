"""What nacre aims at, as limits of ratios within one run. The only place where they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bench.figures import BASH, BWRAP_LOOP, SDK_NOOP, SDK_SHELL, SPAWN
from bench.samples import Spread, difference, pooled, quantile, ratio, spread

if TYPE_CHECKING:
    from bench.report import Report

BEST_PEER = "best peer"  # whichever of the run is best at that figure


@dataclass(frozen=True)
class Aim:
    """Ours over theirs, at most so much; without theirs, the figure itself in seconds or bytes."""

    what: str
    figure: str
    at_most: float
    server: str = "nacre"
    versus: str = ""
    versus_figure: str = ""  # empty: the same figure
    beyond: bool = False  # ours less theirs, in seconds or bytes, and no ratio


AIMS = (
    Aim("start → `initialize` / ten-line SDK server", "initialize", 0.2, versus=SDK_SHELL),
    Aim("start → first result / ten-line SDK server", "first_result", 0.2, versus=SDK_SHELL),
    Aim("memory of the tree (RSS) / ten-line SDK server", "rss", 0.55, versus=SDK_SHELL),
    Aim("memory of the tree (RSS) / mcp-server-commands", "rss", 1.0, versus="mcp-server-commands"),
    Aim("memory of the tree (PSS) / ten-line SDK server", "pss", 0.9, versus=SDK_SHELL),
    Aim("`tools/list`, bytes", "tools_list", 6000),
    Aim("`echo hi` / posix_spawn", "echo", 1.5, versus=SPAWN),
    Aim("`echo hi` / best peer", "echo", 1.0, versus=BEST_PEER),
    Aim("`echo hi` with rules and audit log / without", "echo", 1.2, server="nacre-rules", versus="nacre"),
    Aim("builtin in a session / SDK tool that does nothing", "echo", 0.55, "nacre-session", SDK_NOOP),
    Aim("program in a session / in a fresh shell", "program", 1.0, "nacre-session", "nacre"),
    Aim("new shell of a session / new bash on a pipe", "new_shell", 3.0, "nacre-session", BASH),
    Aim("verdict / posix_spawn of `echo hi`", "verdict", 0.15, "nacre-rules", SPAWN, "echo"),
    Aim("verdict about a text that is new, seconds", "new_verdict", 120e-6, "nacre-rules"),
    Aim("`echo hi` in the sandbox / without", "echo", 1.05, server="nacre-sandbox", versus="nacre"),
    Aim("`echo hi` in the sandbox / each command in bubblewrap", "echo", 0.6, "nacre-sandbox", BWRAP_LOOP),
    Aim("500 echoes in the sandbox / without", "flight", 1.05, server="nacre-sandbox", versus="nacre"),
    Aim(
        "start → first result in the sandbox, more than without, seconds",
        "first_result",
        0.04,
        "nacre-sandbox",
        "nacre",
        beyond=True,
    ),
    Aim(
        "memory in the sandbox (RSS), more than without, bytes",
        "rss",
        6e6,
        "nacre-sandbox",
        "nacre",
        beyond=True,
    ),
    Aim("`sh -c 'echo hi'`, rules in the kernel / read only", "nested", 1.25, "nacre-gate", "nacre-rules"),
    Aim("500 programs in a loop, rules in the kernel / read only", "execs", 1.5, "nacre-gate", "nacre-rules"),
    Aim("500 echoes, 16 in flight / posix_spawn", "flight", 1.25, versus=SPAWN),
    Aim("500 echoes, 16 in flight / best peer", "flight", 1.0, versus=BEST_PEER),
    Aim("16 × `sleep 0.2` / posix_spawn", "sleeps", 1.2, versus=SPAWN),
    Aim("1 MB of output / posix_spawn", "output_1", 1.5, versus=SPAWN),
    Aim("10 MB of output / posix_spawn", "output_10", 1.5, versus=SPAWN),
    Aim("100 MB of output / posix_spawn", "output_100", 1.5, versus=SPAWN),
    Aim("peak memory, 100 MB of output / 10 MB", "peak_100", 1.1, "nacre", "nacre", "peak_10"),
    Aim("cancelled → everything dead, seconds", "cancel", 0.1),
    Aim("timeout → everything dead, seconds", "timeout", 0.1),
    Aim("a line of a job → answer of a wait, seconds", "wait_line", 0.05),
    Aim("end of a job → answer of a wait, seconds", "wait_end", 0.05),
)


class Checked(NamedTuple):
    """An aim and what a run came to."""

    aim: Aim
    found: Spread
    versus: str  # who it was held against

    @property
    def met(self) -> bool:
        """Whether the median is within the limit."""
        return self.found.median <= self.aim.at_most


def check(report: Report) -> list[Checked]:
    """Every aim that the run has measured."""
    checked = list[Checked]()
    for aim in AIMS:
        ours = report.rounds(aim.figure, aim.server)
        versus = _best_peer(report, aim.figure) if aim.versus == BEST_PEER else aim.versus
        theirs = report.rounds(aim.versus_figure or aim.figure, versus)
        compare = difference if aim.beyond else ratio
        found = compare(ours, theirs) if aim.versus else spread(pooled(ours))
        if found:
            checked.append(Checked(aim, found, versus))
    return checked


def all_met(report: Report) -> bool:
    """Whether every aim is met, and nacre did all that it was asked."""
    failed = any(report.servers[name].kind == "nacre" for name in report.failures)
    return not failed and all(each.met for each in check(report))


def _best_peer(report: Report, figure: str) -> str:
    """The peer with the lowest median; an empty name where none was measured."""
    medians = {
        server: quantile(samples, 0.5)
        for server, rounds in report.figures.get(figure, {}).items()
        if report.servers[server].kind == "peer" and (samples := pooled(rounds))
    }
    return min(medians, key=lambda server: medians[server], default="")
