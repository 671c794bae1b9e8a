"""A run as text: tables that read well on a terminal and are Markdown at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import aims
from bench.figures import GROUPS, UNITS
from bench.samples import pooled, quantile, ratio, spread
from bench.workloads.behaviour import ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.figures import Figure, Group
    from bench.report import Report
    from bench.samples import Spread

NOTHING = "–"
# Below: six digits after the point, three, two, one; above: none.
_MINUTE, _TINY, _SMALL, _MIDDLE = 0.001, 0.1, 10, 100


def sections(report: Report) -> list[str]:
    """All tables of a run, each under its heading."""
    found = [aims_section(report), *(group_section(group, report) for group in GROUPS)]
    found += [behaviour_section(report), failures_section(report)]
    return [section for section in found if section]


def aims_section(report: Report) -> str:
    """The ratios that are aimed at, and whether they are met."""
    rows = [
        [
            checked.aim.what + (f" ({checked.versus})" if checked.aim.versus == aims.BEST_PEER else ""),
            plain(checked.found.median),
            f"{plain(checked.found.low)} to {plain(checked.found.high)}",
            f"≤ {plain(checked.aim.at_most)}",
            "met" if checked.met else "MISSED",
        ]
        for checked in aims.check(report)
    ]
    return _section("Aims", ["figure", "median", "quartiles", "aim", ""], rows)


def group_section(group: Group, report: Report) -> str:
    """Medians with their quartiles, and ratios to the floor, of every server that was measured."""
    measured = [figure for figure in group.figures if any(map(pooled, _of(report, figure).values()))]
    head = ["server", *(title for figure in measured for title in _titles(figure))]
    rows = [
        [server, *(cell for figure in measured for cell in _cells(report, figure, server))]
        for server in report.servers
        if any(pooled(report.rounds(figure.name, server)) for figure in measured)
    ]
    return _section(group.title, head, rows)


def _of(report: Report, figure: Figure) -> dict[str, Sequence[Sequence[float]]]:
    return dict(report.figures.get(figure.name, {}))


def _titles(figure: Figure) -> list[str]:
    return [
        f"{figure.column or figure.title}, {figure.unit}",
        *(["p90"] if figure.tail else []),
        *([f"× {figure.floor}"] if figure.floor else []),
    ]


def _cells(report: Report, figure: Figure, server: str) -> list[str]:
    rounds = report.rounds(figure.name, server)
    samples = pooled(rounds)
    against = ratio(rounds, report.rounds(figure.name, figure.floor))
    return [
        _spread(spread(samples), figure.unit),
        *([_shown(quantile(samples, 0.9), figure.unit) if samples else NOTHING] if figure.tail else []),
        *([plain(against.median) if against else NOTHING] if figure.floor else []),
    ]


def _spread(found: Spread | None, unit: str) -> str:
    if found is None:
        return NOTHING
    apart = (found.high - found.low) / 2 / found.median if found.median else 0.0
    return _shown(found.median, unit) + (f" ±{apart:.0%}" if apart else "")


def _shown(value: float, unit: str) -> str:
    return plain(value * UNITS[unit]) if unit != "bytes" else f"{value:,.0f}"


def plain(value: float) -> str:
    """A number with the digits that mean something."""
    if 0 < value < _MINUTE:
        return f"{value:.6f}"
    if value < _TINY:
        return f"{value:.3f}"
    if value < _SMALL:
        return f"{value:.2f}"
    return f"{value:.1f}" if value < _MIDDLE else f"{value:,.0f}"


def behaviour_section(report: Report) -> str:
    """What each server does when a command does not behave."""
    rows_there = [row for row in ROWS if row in report.behaviours]
    servers = [name for name in report.servers if any(name in report.behaviours[row] for row in rows_there)]
    rows = [[ROWS[row], *(_outcome(report, row, server) for server in servers)] for row in rows_there]
    return _section("Behaviour", ["", *servers], rows)


def _outcome(report: Report, row: str, server: str) -> str:
    outcome = report.behaviours[row].get(server)
    return f"{'✓' if outcome.good else '✗'} {outcome.says}" if outcome else NOTHING


def failures_section(report: Report) -> str:
    """Who did not do what was asked, and who was left out."""
    rows = [
        [server, workload, why.replace("|", "/").replace("\n", " ")]
        for server, failures in report.failures.items()
        for workload, why in failures.items()
    ]
    rows += [[server, "all", f"left out: {why}"] for server, why in report.left_out.items()]
    return _section("Not measured", ["server", "workload", "why"], rows)


def _section(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    ruler = [
        "-" * (width + 2) if not column else "-" * (width + 1) + ":" for column, width in enumerate(widths)
    ]
    lines = [_line(head, widths), f"|{'|'.join(ruler)}|", *(_line(row, widths) for row in rows)]
    return "\n".join([f"## {title}", "", *lines])


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = zip(cells, widths, strict=True)
    return f"| {' | '.join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)])} |"
