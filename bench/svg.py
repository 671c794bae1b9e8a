"""Bars as SVG, without a library: panels side by side, each with its own scale, readable on light and dark.

Pure: values in, text out. A bar that would dwarf the others is cut, visibly; its number tells the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.model import Kind

ROW, BAR, HEAD, GAP = 22, 13, 40, 28
LABEL, LENGTH, NUMBER = 150, 170, 70  # widths of a panel's three columns
COLUMNS = 2
LEGEND = {"nacre": "nacre", "peer": "other servers", "floor": "floors: system and SDK alone"}
LEGEND_STEP = 120
CUT_AT = 6.0  # times the value that matters
# The colours are legible on both grounds; a viewer that knows which one it is gets better ones.
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #6e7781 }
.title { font-weight: 600 }
.us { font-weight: 600; fill: #2f81f7 }
.bar-nacre { fill: #2f81f7 } .bar-floor { fill: #afb8c1 } .bar-peer { fill: #8c959f }
.cut { stroke: #ffffff; stroke-width: 3 }
@media (prefers-color-scheme: dark) {
  text { fill: #9198a1 } .us { fill: #4493f8 }
  .bar-floor { fill: #484f58 } .bar-peer { fill: #6e7681 }
  .cut { stroke: #0d1117 }
}"""


class Bar(NamedTuple):
    """One value of one server."""

    label: str
    value: float
    kind: Kind


class Panel(NamedTuple):
    """The bars of one figure, in the order they are drawn."""

    title: str
    bars: Sequence[Bar]


def draw(title: str, panels: Sequence[Panel]) -> str:
    """The whole picture."""
    width, across = LABEL + LENGTH + NUMBER, min(COLUMNS, len(panels))
    rows = [panels[first : first + COLUMNS] for first in range(0, len(panels), COLUMNS)]
    parts, top = list[str](), 0
    for row in rows:
        for column, panel in enumerate(row):
            parts += _panel(panel, column * (width + GAP), top)
        top += HEAD + ROW * max(len(panel.bars) for panel in row) + GAP
    parts += _legend(top)
    top += ROW
    size = f'width="{across * (width + GAP)}" height="{top}" viewBox="0 0 {across * (width + GAP)} {top}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            *parts,
            "</svg>\n",
        ]
    )


def _legend(top: int) -> list[str]:
    """What the colours mean."""
    parts = list[str]()
    for number, (kind, word) in enumerate(LEGEND.items()):
        left = LABEL + number * LEGEND_STEP
        parts.append(f'<rect class="bar-{kind}" x="{left}" y="{top}" width="{BAR}" height="{BAR}" rx="2"/>')
        parts.append(f'<text x="{left + BAR + 6}" y="{top + BAR - 2}">{word}</text>')
    return parts


def limit_of(bars: Sequence[Bar]) -> float:
    """The value of a bar of full length: beyond it bars are cut."""
    ours = [bar.value for bar in bars if bar.kind == "nacre"] or [bar.value for bar in bars]
    sensible = CUT_AT * max(ours)
    return max((bar.value for bar in bars if bar.value <= sensible), default=sensible) or 1.0


def _panel(panel: Panel, left: int, top: int) -> list[str]:
    limit = limit_of(panel.bars)
    parts = [f'<text class="title" x="{left + LABEL}" y="{top + 24}">{escape(panel.title)}</text>']
    for number, bar in enumerate(panel.bars):
        parts += _bar(bar, limit, left + LABEL, top + HEAD + number * ROW)
    return parts


def _bar(bar: Bar, limit: float, left: int, top: int) -> list[str]:
    cut = bar.value > limit
    length = LENGTH if cut else max(1.0, LENGTH * bar.value / limit)
    ours = ' class="us"' if bar.kind == "nacre" else ""
    line = top + BAR - 2
    parts = [
        f'<text{ours} x="{left - 8}" y="{line}" text-anchor="end">{escape(bar.label)}</text>',
        f'<rect class="bar-{bar.kind}" x="{left}" y="{top}" width="{length:.1f}" height="{BAR}" rx="2"/>',
        f'<text{ours} x="{left + length + 6:.1f}" y="{line}">{_number(bar.value)}</text>',
    ]
    if cut:
        at = left + LENGTH - 16
        parts.insert(2, f'<path class="cut" d="M{at - 4} {top + BAR + 2} L{at + 4} {top - 2}"/>')
    return parts


def _number(value: float) -> str:
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"
