"""What is measured: every figure once, with its unit and what it is held against.

Samples are kept in seconds and bytes; a unit only says how they are shown.
"""

from __future__ import annotations

from dataclasses import dataclass

UNITS = {"ms": 1e3, "s": 1.0, "µs": 1e6, "MB": 1e-6, "bytes": 1.0}  # times a sample in seconds or bytes


@dataclass(frozen=True)
class Figure:
    """One measured quantity."""

    name: str
    workload: str
    title: str
    unit: str
    column: str = ""  # the title in a table; empty: the same
    floor: str = ""  # the server that ratios are shown against
    tail: bool = False  # whether the ninth decile is shown, too
    plotted: bool = False


@dataclass(frozen=True)
class Group:
    """Figures that stand in one table."""

    title: str
    figures: tuple[Figure, ...]


SPAWN, BASH, JSON_LOOP, SDK_NOOP, SDK_SHELL = "spawn", "bash-pipe", "json-loop", "sdk-noop", "sdk-shell"
BWRAP_LOOP, RELAY, RELAY_SESSION = "bwrap-loop", "relay", "relay-session"

GROUPS = (
    Group(
        "Start (→ from the start of the process) and size (of its whole tree)",
        (
            Figure("initialize", "start", "start → `initialize` answered", "ms", "→ `initialize`", SDK_SHELL),
            Figure(
                "first_result", "start", "start → first result", "ms", "→ result", SDK_SHELL, plotted=True
            ),
            Figure("rss", "start", "memory of the tree (RSS)", "MB", "RSS", SDK_SHELL, plotted=True),
            Figure("pss", "start", "memory of the tree (PSS)", "MB", "PSS", SDK_SHELL),
            Figure("tools_list", "start", "`tools/list`", "bytes"),
            Figure("exit", "start", "hang-up → ended", "ms", "→ ended"),
        ),
    ),
    Group(
        "One command after the other",
        (
            Figure("echo", "echo", "`echo hi`", "ms", floor=SPAWN, tail=True, plotted=True),
            Figure("program", "program", "`/bin/echo hi`", "ms", floor=SPAWN),
            Figure("nested", "nested", "`sh -c 'echo hi'`", "ms"),
            Figure("execs", "execs", "500 programs in a loop", "s"),
            Figure("new_shell", "new_shell", "new shell → first result", "ms", floor=BASH),
            Figure("verdict", "verdict", "verdict about a command", "µs", "verdict"),
            Figure("new_verdict", "verdict", "verdict about a new text", "µs", "new verdict"),
        ),
    ),
    Group(
        "Many at once",
        (
            Figure("flight", "flight", "500 echoes, 16 in flight", "s", floor=SPAWN, plotted=True),
            Figure("sleeps", "sleeps", "16 × `sleep 0.2`", "s", floor=SPAWN),
        ),
    ),
    Group(
        "Output",
        (
            Figure("output_1", "output_1", "1 MB", "ms", floor=SPAWN),
            Figure("peak_1", "output_1", "peak memory", "MB"),
            Figure("output_10", "output_10", "10 MB", "ms", floor=SPAWN),
            Figure("peak_10", "output_10", "peak memory", "MB"),
            Figure("output_100", "output_100", "100 MB", "ms", floor=SPAWN),
            Figure("peak_100", "output_100", "peak memory", "MB"),
        ),
    ),
    Group(
        "The end of `sleep & sleep`",
        (
            Figure("cancel", "cancel", "cancelled → all dead", "ms"),
            Figure("timeout", "timeout", "timeout → all dead", "ms"),
        ),
    ),
    Group(
        "A wait for a job (from the event to the answer)",
        (
            Figure("wait_line", "wait", "a line is printed", "ms"),
            Figure("wait_end", "wait", "the job ends", "ms"),
        ),
    ),
)

FIGURES = {figure.name: figure for group in GROUPS for figure in group.figures}
