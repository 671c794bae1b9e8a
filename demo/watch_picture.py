"""Draw docs/watch.svg, or another file: `nacre watch` beside a real server that runs a few commands.

python demo/watch_picture.py [FILE]
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from wire_client import HANDSHAKE, WireClient  # noqa: E402  # from the tests

from nacre.watch.app import WatchApp  # noqa: E402  # as above
from nacre.watch.paths import socket_directory  # noqa: E402  # as above

COMMANDS = (
    "git init -q",
    "git status --short",
    "python3 -m compileall -q .",
    "rm -rf /",
    "grep -rn TODO . | head",
)
JOB = 'for n in 1 2 3 4 5 6; do echo "tests/test_$n.py ... ok"; done; exec sleep 600'
SIZE = (150, 34)
SHOWN_CHARACTERS = 12  # of a cell: wider ones are cut where others need room
IDS = re.compile(r"\b[0-9a-f]{4}-\d+\b")


async def draw(directory: str, job: str) -> str:
    """The view, as soon as it shows what the job has printed."""
    app = WatchApp(directory)
    async with app.run_test(size=SIZE) as pilot:
        while True:
            await pilot.pause(0.1)
            picture = app.export_screenshot(title="nacre watch", simplify=True)
            if job in picture and "test_6.py" in picture:
                return picture


def structure(picture: str) -> list[list[str]]:
    """What a picture shows, line by line, without what differs from run to run: numbers, times, paths."""
    lines: dict[float, list[str]] = {}
    for found in re.finditer(r'<text[^>]* y="([\d.]+)"[^>]*>(.*?)</text>', picture, re.DOTALL):
        text = html.unescape(found[2]).replace("\xa0", " ").strip(" ╭─╮│")
        text = re.sub(r"[\d.:]*\d", "#", IDS.sub("ID", text))[:SHOWN_CHARACTERS]
        if text[:1] != "/" and any(map(str.isalnum, text)):
            lines.setdefault(float(found[1]), []).append(text)
    return [lines[height] for height in sorted(lines)]


def main() -> None:
    """Run a server, and write the picture."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "watch.svg"
    with tempfile.TemporaryDirectory(prefix="nacre-demo-") as base:
        runtime, project = Path(base, "run"), Path(base, "project")
        runtime.mkdir(0o700)
        project.mkdir()
        environment = {"XDG_RUNTIME_DIR": str(runtime)}
        options = ("--shell", "bash", "-v", "--deny", "rm -rf /")
        with WireClient(*options, cwd=project, env=environment) as client:
            client.request("initialize", {**HANDSHAKE, "clientInfo": {"name": "demo", "version": "1"}})
            client.notify("notifications/initialized")
            client.wait_for_log("nacre watch: ")
            for command in COMMANDS:
                client.call("shell", command=command, session="main")
            client.call("shell", command=JOB, background=True)
            directory = socket_directory({**os.environ, **environment})
            picture = asyncio.run(asyncio.wait_for(draw(directory, "test_1.py"), 60))
    # The picture asks no other host for a font.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL).replace("Fira Code, ", "")
    target.write_text(picture)


if __name__ == "__main__":
    main()
