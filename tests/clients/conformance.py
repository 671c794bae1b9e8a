"""The official conformance suite against our server, and its results as a page: `make conformance` writes it.

The suite speaks HTTP only; `http_shim` stands between. Run as a program, this writes docs/conformance.md;
`test_conformance` holds that the page is true.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import agents
from http_shim import HttpShim

VERSIONS = ("2025-11-25", "2026-07-28")
PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
SUITE = agents.PACKAGES / "@modelcontextprotocol" / "conformance"
PATIENCE_S = 300
PASSING = {"SUCCESS", "INFO", "SKIPPED", "WARNING"}
HEAD = """# The official conformance suite

What `@modelcontextprotocol/conformance` {version} says of `nacre` (preset `agent`), scenario by scenario.
`make conformance` writes this page, and a test holds that it is true. The suite speaks HTTP, which nacre does
not: a shim of the tests stands between, so what a scenario asks of HTTP itself is not asked of nacre. Most
scenarios want tools, prompts and resources with names of their own, which a server for shell commands lacks.
A dash: the scenario is not part of that version.

| scenario | {versions} | what is missing |
|---|{lines}---|
"""


def results(version: str) -> dict[str, str]:
    """Each scenario of a protocol version: an empty text where it passes, else what is missing."""
    program = [str(agents.new_node() / "node"), str(SUITE / "dist" / "index.js"), "server"]
    with tempfile.TemporaryDirectory() as folder, HttpShim([sys.executable, "-m", "nacre"], folder) as shim:
        told = Path(folder) / "told"
        asked = [*program, "--url", shim.url, "--requirements", version, "-o", str(told)]
        subprocess.run(asked, capture_output=True, timeout=PATIENCE_S, check=False)
        return {
            re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\dZ-]+$", "", path.parent.name): _missing(path)
            for path in sorted(told.glob("*/checks.json"))
        }


def page() -> str:
    """The results of both versions, as Markdown."""
    columns = [results(version) for version in VERSIONS]
    package = json.loads((SUITE / "package.json").read_text())
    scenarios = sorted({scenario for column in columns for scenario in column})
    lines = [_line(scenario, [column.get(scenario) for column in columns]) for scenario in scenarios]
    head = HEAD.format(
        version=package["version"], versions=" | ".join(VERSIONS), lines="---|" * len(VERSIONS)
    )
    return head + "".join(lines)


def _missing(checks: Path) -> str:
    """What the first check that fails says, on one line."""
    failed: list[dict[str, Any]] = [
        check for check in json.loads(checks.read_text()) if check["status"] not in PASSING
    ]
    if not failed:
        return ""
    said = " ".join(str(failed[0].get("errorMessage", failed[0]["id"])).split())
    return said.removeprefix("Failed: ").replace("|", "/")


def _line(scenario: str, found: list[str | None]) -> str:
    marks = ["-" if missing is None else "no" if missing else "yes" for missing in found]
    reasons = dict.fromkeys(missing for missing in found if missing)
    return f"| {scenario} | {' | '.join(marks)} | {'; '.join(reasons)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page())
