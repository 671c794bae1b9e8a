"""Draw docs/demo.svg: a short run of the real server, as a client sees it. `--check` fails where it is stale.

The run is like the demo's (demo.py); ids, which are new in every run, are replaced by fixed ones.
"""

from __future__ import annotations

import contextlib
import html
import io
import os
import re
import sys
import textwrap
from pathlib import Path

import anyio
import stage
from mcp import Client, StdioServerParameters, stdio_client

FILE = Path(__file__).parents[1] / "docs" / "demo.svg"
COLUMNS = 96
LINE_HEIGHT, CHARACTER_WIDTH, MARGIN, BAR = 18, 7.83, 20, 34
COLOURS = {"1": "#ffffff", "2": "#7d8590", "31": "#ff7b72", "32": "#7ee787", "33": "#d29922", "36": "#79c0ff"}
PLAIN = "#c9d1d9"
NO_BREAK = "\xa0"  # SVG drops ordinary spaces at the beginning of a line
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace"
PAINTED = re.compile(r"\x1b\[([\d;]+)m(.*?)\x1b\[0m", re.DOTALL)
TIMES = re.compile(r"^.*\(answered in .* ms\).*\n", re.MULTILINE)
IDS = re.compile(r"\b[0-9a-f]{4}-(\d+)\b")


async def play(*options: str) -> Client:
    """A client of a new server."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "nacre", "--shell", "bash", *options],
        env={**os.environ, "XDG_CONFIG_HOME": os.devnull},  # not the settings of whoever draws it
    )
    return Client(stdio_client(server, errlog=stage.quiet()), mode="legacy")


async def scenes() -> None:
    """What the picture shows."""
    async with await play("--working-dir", "/tmp") as client:  # noqa: S108  # shown in the picture
        person = stage.Stage(client)
        print(stage.paint("A timeout kills everything that a command has started; its output is kept.", "1"))
        await person.shell("echo compiling; setsid sleep 600 & sleep 600", timeout=3)
        print("\n" + stage.paint("A session keeps its directory, variables and functions.", "1"))
        await person.shell("cd /usr; NAME=pearl", session="work")
        await person.shell('echo "$NAME in $PWD"; (exit 3)', session="work")
    async with await play("--allow", "ls,wc,git log", "--sandbox", "off") as client:
        person = stage.Stage(client)
        print("\n" + stage.paint("With rules, every part of a command is checked before anything runs.", "1"))
        await person.shell("ls | wc -l; rm -rf build")


def transcript() -> str:
    """What the run prints, without what differs from run to run."""
    stage.COLOUR = True
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        anyio.run(scenes)
    return IDS.sub(r"5f0c-\1", TIMES.sub("", printed.getvalue()))


def rows(text: str) -> list[tuple[str, str]]:
    """Lines with their colours, wrapped where they are too long."""
    found: list[tuple[str, str]] = []
    for line in text.splitlines():
        painted = PAINTED.search(line)
        colour = COLOURS[painted[1]] if painted else PLAIN
        plain = PAINTED.sub(r"\2", line)
        indent = " " * (len(plain) - len(plain.lstrip()) + 2)
        parts = textwrap.wrap(plain, COLUMNS, subsequent_indent=indent, drop_whitespace=False) or [""]
        found += [(part, colour) for part in parts]
    return found


def picture(text: str) -> str:
    """The transcript as the window of a terminal."""
    lines = rows(text)
    width = round(2 * MARGIN + COLUMNS * CHARACTER_WIDTH)
    height = BAR + len(lines) * LINE_HEIGHT + MARGIN
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    buttons = [
        f'<circle cx="{MARGIN + 18 * number}" cy="17" r="5.5" fill="{colour}"/>'
        for number, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    ]
    texts = [
        f'<text x="{MARGIN}" y="{BAR + (number + 1) * LINE_HEIGHT - 5}" fill="{colour}">'
        f"{html.escape(line.replace(' ', NO_BREAK), quote=False)}</text>"
        for number, (line, colour) in enumerate(lines)
        if line
    ]
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="a run of nacre">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
        *buttons,
        f'<g font-family="{FONTS}" font-size="13">',
        *texts,
        "</g>",
        "</svg>",
    ]
    return "\n".join(drawn) + "\n"


def main() -> int:
    """Draw it, or compare."""
    drawn = picture(transcript())
    if "--check" in sys.argv:
        if drawn == FILE.read_text():
            return 0
        print(f"{FILE} is stale; run: {sys.executable} {__file__}")
        return 1
    FILE.write_text(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
