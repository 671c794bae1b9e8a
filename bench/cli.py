"""The command line of the benchmark: choose, measure, print, keep."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import aims, machine, page, report, servers, table
from bench.install import CannotInstall, installed
from bench.peers import PEERS
from bench.report import BadReport, Participant, Report
from bench.run import measure
from bench.stage import Stage
from bench.workloads import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.model import Server

LAST = Path(__file__).parents[1] / ".bench" / "results.json"


def parser() -> argparse.ArgumentParser:
    """The options, with their help."""
    top = argparse.ArgumentParser(
        prog="python -m bench",
        description="nacre beside floors and peers, in one interleaved run, as ratios.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"{_listed('servers', known())}\n{_listed('workloads', NAMES)}",
    )
    top.add_argument("--quick", action="store_true", help="floors and nacre only, fewer rounds: two minutes")
    top.add_argument("--only", metavar="NAMES", type=_names, help="only these servers, with commas")
    top.add_argument("--workloads", metavar="NAMES", type=_names, help="only these workloads, with commas")
    top.add_argument("--rounds", metavar="N", type=int, help="so many rounds of everything")
    top.add_argument(
        "--json", metavar="FILE", type=Path, default=LAST, help="where the report goes (.bench/results.json)"
    )
    top.add_argument(
        "--from", dest="source", metavar="FILE", type=Path, help="measure nothing: show a report"
    )
    top.add_argument("--save", action="store_true", help="write docs/benchmarks.json, .md and .svg")
    top.add_argument("--check", action="store_true", help="exit with 1 when an aim is missed")
    return top


def _listed(what: str, names: Sequence[str]) -> str:
    return textwrap.fill(f"{what}: {', '.join(names)}", 100, subsequent_indent="  ", break_on_hyphens=False)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def known() -> list[str]:
    """The names of all servers."""
    return [server.name for server in [*servers.floors(), *servers.ours()]] + [
        peer.server.name for peer in PEERS
    ]


def taking_part(only: Sequence[str] | None, *, quick: bool) -> tuple[list[Server], dict[str, str]]:
    """The servers of a run, peers installed; and those that are left out, with the reason."""
    wanted = only or known()
    chosen = [server for server in [*servers.floors(), *servers.ours()] if server.name in wanted]
    left_out = dict[str, str]()
    for peer in PEERS:
        name = peer.server.name
        if name not in wanted or (quick and not only):
            continue
        try:
            chosen.append(installed(peer))
        except CannotInstall as error:
            left_out[name] = str(error)
            print(f"{name} could not be installed and is left out: {error}", file=sys.stderr)
    return chosen, left_out


def run(options: argparse.Namespace) -> Report:
    """Measure."""
    chosen, left_out = taking_part(options.only, quick=options.quick)
    before, commit = machine.load(), machine.commit()
    if machine.is_busy():
        print(f"The machine is busy (load {before}): figures will be worse than they are.", file=sys.stderr)
    scratch = tempfile.TemporaryDirectory(prefix="nacre-bench-", ignore_cleanup_errors=True)
    with scratch as folder, Stage(Path(folder)) as stage:
        measured = measure(stage, chosen, options.workloads or NAMES, options.rounds, quick=options.quick)
    return Report(
        date=time.strftime("%Y-%m-%d"),
        commit=commit,
        quick=options.quick,
        machine={**machine.describe(), "load": f"{before} before the run, {machine.load()} after it"},
        servers={server.name: Participant(server.kind, server.title, server.version) for server in chosen},
        left_out=left_out,
        figures=measured.figures,
        failures=measured.failures,
        behaviours=measured.behaviours,
    )


def complaint(options: argparse.Namespace) -> str:
    """What is wrong with the options; empty: nothing."""
    for given, there, what in (
        (options.only, known(), "server"),
        (options.workloads, NAMES, "workload"),
    ):
        if unknown := sorted(set(given or ()) - set(there)):
            return f"no such {what}: {', '.join(unknown)}; there are {', '.join(there)}"
    if options.rounds is not None and options.rounds < 1:
        return "--rounds must be 1 or more"
    if options.save and not options.source and (options.quick or options.only or options.workloads):
        return "--save keeps whole runs only: not with --quick, --only or --workloads"
    if not os.access(servers.NACRE, os.X_OK):
        return f"there is no {servers.NACRE}: start it with `make bench`, or with .venv/bin/python"
    return ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure or read, print, keep; 1 where an aim is missed and that was asked, 2 for bad options."""
    options = parser().parse_args(arguments)
    if wrong := complaint(options):
        print(f"bench: {wrong}", file=sys.stderr)
        return 2
    try:
        found = report.read(options.source) if options.source else run(options)
    except BadReport as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if not options.source:
        report.write(found, options.json)
    print("\n\n".join(table.sections(found)))
    print(f"\n{found.date}, {found.commit}; {page.noise_line(found)}")
    if options.save:
        page.save(found)
    return 1 if options.check and not aims.all_met(found) else 0
