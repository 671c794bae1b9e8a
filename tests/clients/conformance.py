"""The official conformance suite against our server, and its results as a page: `make conformance` writes it.

The suite speaks HTTP only; `http_shim` translates. It wants tools, prompts and resources of certain
names, which `conformance_server` adds to nacre. Run as a program, this writes docs/conformance.md;
`test_conformance` checks that the page is true.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import agents
from http_shim import HttpShim

if TYPE_CHECKING:
    from collections.abc import Iterable

VERSIONS = ("2025-11-25", "2026-07-28")
PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
SUITE = agents.PACKAGES / "@modelcontextprotocol" / "conformance"
SERVER = Path(__file__).with_name("conformance_server.py")
PATIENCE_S = 300
TRIES = 3  # of a scenario that waits for fractions of a second only, on a machine that may be busy
PASSING = {"SUCCESS", "INFO", "SKIPPED"}
# What these ask, only the shim could answer.
OF_HTTP = (
    "dns-rebinding-protection",
    "http-custom-header-server-validation",
    "http-header-validation",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-sse-polling",
)
EXTENSION = "tasks-"  # optional; the scenarios want tasks that are not commands
HEAD = """# The official conformance suite

What `@modelcontextprotocol/conformance` {version} says about nacre, scenario by scenario, for the protocol
versions {versions}. `make conformance` runs the suite and writes this page; a test in CI checks
that it is true.

- The suite speaks HTTP, which nacre does not: a shim in the tests translates. Scenarios that test HTTP
  itself would test only that shim, and are not listed: {of_http}.
- The suite looks for tools, prompts and resources of certain names. A program in the tests
  (`tests/clients/conformance_server.py`) adds them to nacre's server; the product does not have them.
- Tasks are an optional extension. nacre's tasks are long commands, which its own tests cover; the suite's
  scenarios want tasks that compute, fail and ask in certain ways, and are not listed: {tasks}.

A dash: the scenario is not part of that version.

| scenario | {columns} |
|---|{lines}
"""


class Results:
    """What the suite says about one protocol version."""

    def __init__(self, version: str) -> None:
        scenarios = _run(["--requirements", version], version)
        self.extensions = sorted(name for name in scenarios if name.startswith(EXTENSION))
        self.missing = {
            name: text for name, text in scenarios.items() if name not in (*OF_HTTP, *self.extensions)
        }
        for _ in range(TRIES - 1):
            for name in [name for name, text in self.missing.items() if text]:
                self.missing |= _run(["--scenario", name, "--spec-version", version], version)


def _run(asked: list[str], version: str) -> dict[str, str]:
    """Each scenario: an empty text where it passes, else what is missing."""
    program = [str(agents.new_node() / "node"), str(SUITE / "dist" / "index.js"), "server"]
    with (
        tempfile.TemporaryDirectory() as folder,
        HttpShim([sys.executable, str(SERVER), "-w", folder], folder) as shim,
    ):
        if version == VERSIONS[-1]:
            shim.warm_up(version)
        output = Path(folder) / "output"
        subprocess.run(
            [*program, "--url", shim.url, *asked, "-o", str(output)],
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return {
            re.sub(r"^server-|-\d{4}-\d\d-\d\dT[\dZ-]+$", "", path.parent.name): _missing(path)
            for path in sorted(output.glob("*/checks.json"))
        }


def page(results: Iterable[Results]) -> str:
    """The results of all versions, as Markdown."""
    columns = [each.missing for each in results]
    package = json.loads((SUITE / "package.json").read_text())
    scenarios = sorted({scenario for column in columns for scenario in column})
    head = HEAD.format(
        version=package["version"],
        versions=" and ".join(VERSIONS),
        columns=" | ".join(VERSIONS),
        of_http=", ".join(OF_HTTP),
        tasks=", ".join(dict.fromkeys(name for each in results for name in each.extensions)),
        lines="---|" * len(VERSIONS),
    )
    return head + "".join(
        _line(scenario, [column.get(scenario) for column in columns]) for scenario in scenarios
    )


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
    marks = ["-" if missing is None else f"fails: {missing}" if missing else "passes" for missing in found]
    return f"| {scenario} | {' | '.join(marks)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page([Results(version) for version in VERSIONS]))
