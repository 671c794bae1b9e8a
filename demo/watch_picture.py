"""Draw docs/watch.svg: `nacre watch` beside a real server that runs a few commands."""

from __future__ import annotations

import asyncio
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


async def draw(directory: str, job: str) -> str:
    """The view, as soon as it shows what the job has printed."""
    app = WatchApp(directory)
    async with app.run_test(size=SIZE) as pilot:
        while True:
            await pilot.pause(0.1)
            picture = app.export_screenshot(title="nacre watch", simplify=True)
            if job in picture and "test_6.py" in picture:
                return picture


def main() -> None:
    """Run a server, and write the picture."""
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
    (ROOT / "docs" / "watch.svg").write_text(picture)


if __name__ == "__main__":
    main()
