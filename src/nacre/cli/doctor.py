"""`nacre doctor`: what works here and what does not, found out by doing it, each with what would fix it.

Above it: the command line. Below: `diagnosis/`, whose checks run commands as a server would. It changes
nothing but a directory of its own, which it removes.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from nacre.argument_parser import Parser
from nacre.diagnosis import commands, machine, setup

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Sequence

    from nacre.diagnosis.finding import Finding

PROBLEM = 1


def parser() -> argparse.ArgumentParser:
    """The options, with their help."""
    top = Parser(
        prog="nacre doctor",
        description="Check what works on this machine by trying it, and say how to fix the rest.",
        epilog="Each line is ok, a warning or a problem. Exit code 1: there is a problem. With --json:"
        ' a list of objects with the texts "status" (ok, warning or problem), "name" (what was checked),'
        ' "text" (what was found) and "fix" (what to do; empty if there is nothing to do).',
    )
    top.add_argument("--json", action="store_true", help="print JSON")
    top.add_argument("--config", metavar="FILE", help="a settings file instead of your own")
    return top


def main(arguments: Sequence[str]) -> int:
    """Print the report; 1 if something is wrong."""
    options = parser().parse_args(arguments)
    return asyncio.run(_report(options.config, as_json=options.json))


async def _report(file: str | None, *, as_json: bool) -> int:
    findings: list[Finding] = []
    async for finding in _examine(file):
        findings.append(finding)
        if not as_json:  # some checks take a moment: each line when it is known
            sys.stdout.write(f"{finding}\n")
            sys.stdout.flush()
    if as_json:
        sys.stdout.write(json.dumps([asdict(each) for each in findings], ensure_ascii=False) + "\n")
    return PROBLEM if any(each.status == "problem" for each in findings) else 0


async def _examine(file: str | None) -> AsyncIterator[Finding]:
    yield machine.version()
    config, about_settings = setup.settings(file)
    for finding in about_settings:
        yield finding
    yield setup.place(config)
    yield setup.audit_log(config)
    with tempfile.TemporaryDirectory(prefix="nacre-doctor-") as directory:
        here = replace(
            config, working_directory=directory, policy=None, commands=None, audit_log=None, sandbox="off"
        )
        async for finding in commands.examine(here, config.sandbox):
            yield finding
        async for finding in setup.clients(replace(here, shell=None)):
            yield finding
    for finding in machine.examine(config):
        yield finding
