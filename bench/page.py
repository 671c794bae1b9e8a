"""docs/benchmarks.md and its plot, made from a report. Nobody writes a figure there by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bench import aims, report, svg, table
from bench.figures import FIGURES, SPAWN, UNITS
from bench.samples import NOISY, noise, pooled, quantile

if TYPE_CHECKING:
    from bench.figures import Figure
    from bench.report import Report

DOCS = Path(__file__).parents[1] / "docs"
SAVED = DOCS / "benchmarks.json"
INTRODUCTION = """\
# Benchmarks

<!-- Written by `make bench ARGS=--save` from benchmarks.json beside it; a test keeps it so. -->

nacre beside floors (what the system and the SDK cost by themselves) and peers (other servers that run shell
commands), all asked by the same client in one run. Every round asks each server in turn, in a new order; a
ratio is taken round by round, and its median told. **Read the ratios**: milliseconds belong to the machine.
`make bench` repeats all of it on yours ([how](../bench/README.md))."""


def save(run: Report) -> None:
    """Report, page and plot, into docs/."""
    report.write(run, SAVED)
    kept = report.read(SAVED)  # the page is of what the file has, rounding and all
    (DOCS / "benchmarks.md").write_text(page(kept))
    (DOCS / "benchmarks.svg").write_text(plot(kept))


def page(run: Report) -> str:
    """The page."""
    parts = [
        INTRODUCTION,
        _in_short(run),
        "![medians of four figures, as bars](benchmarks.svg)",
        *table.sections(run),
        _about(run),
    ]
    return "\n\n".join(parts) + "\n"


def _in_short(run: Report) -> str:
    checked = aims.check(run)
    text = f"{sum(each.met for each in checked)} of {len(checked)} aims are met in this run."
    if (_noise(run) or 0) > NOISY:
        text += " **Its machine was busy** (see the end of the page): a quiet one gives better ratios."
    return text


def _noise(run: Report) -> float | None:
    return noise(run.rounds("echo", SPAWN))


def noise_line(run: Report) -> str:
    """How quiet the machine was, by how far the floor's own rounds are apart."""
    found = _noise(run)
    apart = "not known" if found is None else f"{found:.0%}"
    return f"noise: the quartiles of the `{SPAWN}` floor's own rounds are {apart} apart"


def _about(run: Report) -> str:
    machine = "\n".join(f"- {name}: {value}" for name, value in run.machine.items())
    rows = "\n".join(
        f"| {name} | {server.kind} | {server.title} | {server.version} |"
        for name, server in run.servers.items()
    )
    return (
        f"## The run\n\n- date: {run.date}\n- commit: {run.commit}\n{machine}\n"
        f"- {noise_line(run)}\n\n"
        f"| server | kind | what it is | version |\n|---|---|---|---|\n{rows}"
    )


def plot(run: Report) -> str:
    """The plotted figures, best first."""
    panels = [_panel(run, figure) for figure in FIGURES.values() if figure.plotted]
    return svg.draw("nacre beside floors and peers: medians", [panel for panel in panels if panel.bars])


def _panel(run: Report, figure: Figure) -> svg.Panel:
    bars = [
        svg.Bar(name, quantile(samples, 0.5) * UNITS[figure.unit], run.servers[name].kind)
        for name, rounds in run.figures.get(figure.name, {}).items()
        if (samples := pooled(rounds))
    ]
    title = f"{figure.title.replace('`', '')}, {figure.unit}"
    return svg.Panel(title, sorted(bars, key=lambda bar: bar.value))
