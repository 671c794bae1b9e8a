"""`make bench`: nacre beside floors and peers, in one run, as ratios.

Drives every server with the yardstick `mcpbench.py`, interleaved, and holds the ratios against our aims.
Milliseconds depend on the machine; ratios of one run do not. The yardstick and the peers come from a
folder beside the project (`NACRE_YARDSTICK` names another); without it there is nothing to measure with.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
YARDSTICK = Path(os.environ.get("NACRE_YARDSTICK", ROOT.parent / "shared" / "bench"))
WORK = ROOT / ".bench"
OURS = """
[[server]]
name = "nacre"
argv = ["{nacre}", "--shell", "/bin/sh"]
tool = "shell"
args = {{ command = "{{cmd}}" }}
timeout = {{ seconds = 1, args = {{ timeout = 1 }} }}

# A builtin and an external program in a persistent shell, and the same program in a fresh one.
[[server]]
name = "nacre:session"
argv = ["{nacre}", "--shell", "bash"]
tool = "shell"
args = {{ command = "{{cmd}}", session = "bench" }}
workloads = ["latency", "state"]
[[server]]
name = "nacre:program"
argv = ["{nacre}", "--shell", "bash"]
tool = "shell"
args = {{ command = "/bin/{{cmd}}", session = "bench" }}
workloads = ["latency"]
[[server]]
name = "nacre:once"
argv = ["{nacre}", "--shell", "bash"]
tool = "shell"
args = {{ command = "/bin/{{cmd}}" }}
workloads = ["latency"]
"""
WCGW_VERSION = "5.6.7"
WCGW = """
[[server]]
name = "wcgw"
argv = ["{wcgw}"]
tool = "BashCommand"
args = {{ type = "command", command = "{{cmd}}", thread_id = "{{thread}}" }}
workloads = ["cold", "latency", "state"]
[[server.setup]]
method = "tools/call"
capture = {{ thread = 'thread_id=([0-9a-z]+)' }}
[server.setup.params]
name = "Initialize"
[server.setup.params.arguments]
type = "first_call"
mode_name = "wcgw"
any_workspace_path = ""
initial_files_to_read = []
task_id_to_resume = ""
thread_id = ""
"""
FLOOR, TEN_LINES, NO_OP, US = "floor:spawn", "sdk:shell", "sdk:noop", "nacre"
SESSIONS_STARTED = 20

Results = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Aim:
    """One figure: what is compared with what, and what the ratio should be at most."""

    what: str
    ours: Callable[[Results], float]
    theirs: Callable[[Results], float]
    at_most: float


def median(workload: str, server: str, key: str) -> Callable[[Results], float]:
    """The median of a list of measurements."""
    return lambda results: statistics.median(results[workload][server][key])


def rate(server: str) -> Callable[[Results], float]:
    """Seconds for one of many echoes in flight."""
    return lambda results: 1 / statistics.median(results["throughput"][server]["echo_per_s"])


def big(server: str) -> Callable[[Results], float]:
    """Seconds for the largest output of the run."""
    return lambda results: statistics.median(list(results["big"][server].values())[-1]["seconds"])


def versus(
    workload: str, key: str, floor: str
) -> tuple[Callable[[Results], float], Callable[[Results], float]]:
    """Ours and a floor's median of the same measurement."""
    return median(workload, US, key), median(workload, floor, key)


AIMS = [
    Aim("start-up to first result / 10-line SDK server", *versus("cold", "first_echo", TEN_LINES), 0.65),
    Aim("idle memory of the tree (PSS) / 10-line SDK server", *versus("cold", "pss", TEN_LINES), 1.0),
    Aim("idle memory of the tree (RSS) / 10-line SDK server", *versus("cold", "rss", TEN_LINES), 1.0),
    Aim("`echo hi` p50 / posix_spawn", *versus("latency", "seconds", FLOOR), 1.6),
    Aim("500 echoes, 16 in flight / posix_spawn", rate(US), rate(FLOOR), 2.0),
    Aim("16 x sleep 0.2, seconds", median("throughput", US, "sleep_seconds"), lambda _: 1.0, 0.3),
    Aim("largest output / posix_spawn", big(US), big(FLOOR), 2.0),
    Aim(
        "builtin in a session p50 / SDK's no-op tool",
        median("latency", "nacre:session", "seconds"),
        median("latency", NO_OP, "seconds"),
        0.9,
    ),
    Aim(
        "program in a session p50 / the same in a fresh shell",
        median("latency", "nacre:program", "seconds"),
        median("latency", "nacre:once", "seconds"),
        1.0,
    ),
]


def install() -> Path:
    """Floors and peers by package name; returns the list of servers."""
    WORK.mkdir(exist_ok=True)
    extra = WORK / "nacre.toml"
    extra.write_text(OURS.format(nacre=Path(sys.executable).with_name("nacre")))
    if wcgw := install_wcgw():
        with extra.open("a") as file:
            file.write(WCGW.format(wcgw=wcgw))
    print(f"Installing floors and peers into {WORK} (once) ...")
    subprocess.run(["bash", YARDSTICK / "peers.sh", WORK, extra], check=True, stdout=subprocess.DEVNULL)
    return WORK / "servers.toml"


def install_wcgw() -> Path | None:
    """A peer with persistent shells, in an environment of its own; None where it cannot be had."""
    program = WORK / "wcgw" / "bin" / "wcgw_mcp"
    if not program.exists():
        steps = [
            [sys.executable, "-m", "venv", WORK / "wcgw"],
            [WORK / "wcgw" / "bin" / "pip", "-q", "install", f"wcgw=={WCGW_VERSION}"],
        ]
        if any(subprocess.run(step, check=False).returncode for step in steps):
            print("wcgw could not be installed; it is left out.")
            return None
    return program


def session_start_milliseconds() -> float:
    """The median time from nothing to the first result of a new session's shell."""
    import nacre  # noqa: PLC0415  # measured apart from the servers
    from nacre.config import Config  # noqa: PLC0415

    async def start_many() -> list[float]:
        times: list[float] = []
        async with nacre.Session("bash", config=Config(login_environment="never")) as session:
            for _ in range(SESSIONS_STARTED):
                await session.run("exit")  # the next command finds no shell
                began = time.perf_counter()
                await session.run("true")
                times.append(time.perf_counter() - began)
        return times

    return statistics.median(asyncio.run(start_many())) * 1000


def measure(servers: Path, workloads: str, *, quick: bool, only: str) -> Results:
    """One interleaved run; its tables are printed as they come."""
    out = WORK / "results.json"
    options = [
        "--workloads",
        workloads,
        "--out",
        out,
        *(["--quick"] if quick else []),
        *(["--only", only] if only else []),
    ]
    subprocess.run([sys.executable, YARDSTICK / "mcpbench.py", servers, *options], check=True)
    return json.loads(out.read_text())["results"]


def verdict_microseconds() -> float:
    """The median time of a verdict about ordinary commands under an allowlist."""
    from nacre.policy import Policy, judge  # noqa: PLC0415  # measured apart from the servers

    rules = Policy.from_lists(
        ["ls", "cat", "git log", "git diff", "npm run *", "grep", "find"], deny=["rm -rf"]
    )
    commands = ["git log --oneline | head -5", "ls -la src", "grep -rn foo . | wc -l", "find . -name '*.py'"]
    times: list[float] = []
    for command in commands * 500:
        began = time.perf_counter()
        judge(command, rules)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def report(results: Results) -> bool:
    """Print every ratio beside its aim; whether all are met."""
    met = True
    print("\n### our aims, as ratios of this run\n")
    print(f"| {'figure':56} | ratio | aim    |      |\n|{'-' * 58}|------:|-------:|------|")
    for aim in AIMS:
        try:
            ratio = aim.ours(results) / aim.theirs(results)
        except KeyError:  # that workload was not asked for
            continue
        met = met and ratio <= aim.at_most
        verdict = "met" if ratio <= aim.at_most else "MISSED"
        print(f"| {aim.what:56} | {ratio:5.2f} | <= {aim.at_most:.2f} | {verdict} |")
    micro = verdict_microseconds()
    print(f"\nA policy verdict takes {micro:.0f} µs (median; aim: under 150).")
    started = session_start_milliseconds()
    print(f"A session's shell starts and answers in {started:.1f} ms (median; aim: under 30).")
    return met and micro < 150 and started < 30


def main() -> int:
    """Measure, print, and tell by the exit code whether every aim is met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer repetitions")
    parser.add_argument("--only", default="", help="only these servers, by name, with commas")
    parser.add_argument("--workloads", default="cold,latency,throughput,big,timeout,cancel,survival")
    options = parser.parse_args()
    if not (YARDSTICK / "mcpbench.py").exists():
        print(f"No yardstick at {YARDSTICK}: nothing to measure with. Set NACRE_YARDSTICK to its folder.")
        return 0
    results = measure(install(), options.workloads, quick=options.quick, only=options.only)
    return 0 if report(results) else 1


if __name__ == "__main__":
    sys.exit(main())
