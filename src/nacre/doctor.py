"""`nacre doctor`: what works here and what does not, found out by doing it, each with what would fix it.

Above it: the command line. Below: the Python API, with which it runs commands as a server would: without a
sandbox and at each level. It changes nothing but a directory of its own, which it removes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Literal

from nacre import __version__, configuration, layers, open_files
from nacre.api import Session
from nacre.dialects import DIALECTS, find_shell
from nacre.errors import NacreError
from nacre.places.local_files import LOCAL_FILES
from nacre.sandbox.profile import Level

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from nacre.config import Config

PROBLEM = 1
PATIENCE_S = 20
PROBED = ".nacre-doctor"  # made in the home directory by a sandbox that does not hold
SCOPES_SINCE, FEW_FILES = 6, 1024
LOW_SPACE_BYTES = 100 * 1000 * 1000


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    status: Literal["ok", "warning", "problem"]
    name: str
    text: str
    fix: str = ""  # what the person can do

    def __str__(self) -> str:
        fix = f"\n{'':9}{'':12}-> {self.fix}" if self.fix else ""
        return f"{self.status:8} {self.name:11} {self.text}{fix}"


def main(arguments: Sequence[str]) -> int:
    """Print the report; 1 if something is wrong."""
    top = argparse.ArgumentParser(
        prog="nacre doctor", description="What works here and what does not, and what would fix it."
    )
    top.add_argument("--json", action="store_true", help="the report as JSON")
    top.add_argument("--config", metavar="FILE", help="configuration file")
    options = top.parse_args(arguments)
    findings = asyncio.run(_examine(options.config))
    if options.json:
        sys.stdout.write(json.dumps([asdict(each) for each in findings], ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{each}\n" for each in findings))
    return PROBLEM if any(each.status == "problem" for each in findings) else 0


async def _examine(file: str | None) -> list[Finding]:
    config, about_settings = _settings(file)
    findings = [_version(), about_settings, *_shells(config)]
    with tempfile.TemporaryDirectory(prefix="nacre-doctor-") as directory:
        here = replace(config, working_directory=directory, policy=None, commands=None, audit_log=None)
        findings.append(await _keeper(replace(here, sandbox="off")))
        findings += [finding async for finding in _levels(here, config.sandbox)]
        findings.append(_exec_gate())
    return [*findings, *_limits()]


def _version() -> Finding:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # only this needs it

    python = ".".join(map(str, sys.version_info[:3]))
    try:
        return Finding("ok", "version", f"nacre {__version__}, Python {python}, mcp {version('mcp')}")
    except PackageNotFoundError:
        fix = "Install nacre again with its dependencies (pip install --force-reinstall)."
        return Finding("problem", "version", f"nacre {__version__}, Python {python}, no package mcp", fix)


def _settings(file: str | None) -> tuple[Config, Finding]:
    path = file or configuration.default_path()
    try:
        config = configuration.configure(layers.load(file).table, source=path)
    except NacreError as error:
        return configuration.configure({}, source=path), Finding("problem", "settings", str(error), path)
    there = LOCAL_FILES.is_file(path)
    return config, Finding("ok", "settings", path if there else f"{path} is not there: the defaults hold")


def _shells(config: Config) -> Iterator[Finding]:
    try:
        chosen = find_shell(config.shell, os.environ, LOCAL_FILES)
    except NacreError as error:
        yield Finding("problem", "shell", str(error), "Name one with --shell.")
        return
    names = dict.fromkeys(name for dialect in DIALECTS for name in dialect.programs)
    others = [name for name in names if LOCAL_FILES.find_program(name, os.environ.get("PATH"))]
    yield Finding("ok", "shell", f"{chosen.path}; installed: {', '.join(sorted(others))}")


async def _keeper(config: Config) -> Finding:
    try:
        said = await _say("echo ready", config)
    except (NacreError, OSError, TimeoutError) as error:
        fix = "Look at the limits of processes and open files (ulimit -a), and at the log."
        return Finding("problem", "keeper", f"no command runs: {error}", fix)
    if said.strip() != "ready":
        return Finding("problem", "keeper", f"`echo ready` printed {said!r}", "Try another --shell.")
    return Finding("ok", "keeper", "a command ran")


async def _say(command: str, config: Config, shell: str | None = None) -> str:
    """What a command prints in a session of its own."""
    async with asyncio.timeout(PATIENCE_S), Session(shell, config=config) as session:
        return (await session.run(command)).stdout.text


# -- the sandbox


async def _levels(config: Config, wanted: str) -> AsyncIterator[Finding]:
    """Each level, started as a server would start it, and tried."""
    for level in (each for each in Level if each is not Level.OFF):
        finding = await _level(replace(config, sandbox=level.value, shell=None), level)
        if finding.status == "problem" and level != wanted and finding.fix:
            finding = replace(finding, status="warning")  # nobody has asked for it
        yield finding


def _exec_gate() -> Finding:
    """Whether rules can hold for what really starts."""
    if sys.platform != "linux":
        return Finding("warning", "exec gate", "rules hold for the text of commands only: this is not Linux")
    from nacre.keeper.confinement import can_decide_execs  # noqa: PLC0415  # Linux only

    if can_decide_execs():
        return Finding("ok", "exec gate", "in a sandbox, rules hold for every program that starts")
    told = "rules hold for the text of commands only: what we run in lets nobody decide what a process starts"
    return Finding("warning", "exec gate", told, "Start nacre outside of the container or sandbox it is in.")


async def _level(config: Config, level: Level) -> Finding:
    name = f"{level}"
    writes_there = "touch inside 2>/dev/null && echo inside"
    # What can be written at home is removed again: that would be a sandbox that does not hold.
    writes_home = f'touch "$HOME/{PROBED}" 2>/dev/null && rm -f "$HOME/{PROBED}" && echo outside'
    try:
        said = set((await _say(f"{writes_there}; {writes_home}; true", config, "sh")).split())
    except (NacreError, OSError, TimeoutError) as error:
        hint = getattr(error, "hint", "") or "Look at docs/sandbox.md."
        return Finding("problem", name, str(error), hint)
    expected = set[str]() if level is Level.READ_ONLY else {"inside"}
    if said != expected:
        fix = f"Do not rely on it here. Please report this: expected {expected}, found {said}."
        return Finding("problem", name, "the sandbox started and does not hold", fix)
    return _held(name)


def _held(name: str) -> Finding:
    from nacre.keeper.confinement import landlock_version  # noqa: PLC0415  # Linux only
    from nacre.keeper.launch import why_it_fails  # noqa: PLC0415  # the same

    version = landlock_version()
    problem = why_it_fails(["bwrap", "--ro-bind", "/", "/", "true"])
    if problem:
        text = f"holds, by Landlock {version} and seccomp alone: bubblewrap does not work ({problem})"
        return Finding("warning", name, text, "Install the package bubblewrap, and allow user namespaces.")
    if version < SCOPES_SINCE:
        return Finding("ok", name, f"holds: bubblewrap, Landlock {version} (signals by a process namespace)")
    return Finding("ok", name, f"holds: bubblewrap, Landlock {version}, seccomp")


# -- limits


def _limits() -> Iterator[Finding]:
    if few := open_files.shortage():
        yield Finding("problem", "open files", few, "ulimit -n 1024")
    elif sys.platform != "win32":
        import resource  # noqa: PLC0415  # there is none on Windows

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        enough = hard == resource.RLIM_INFINITY or hard >= FEW_FILES
        fix = "" if enough else "Raise the hard limit (ulimit -Hn): many commands at once need files."
        yield Finding("ok" if enough else "warning", "open files", f"{soft}, at most {hard}", fix)
    directory = tempfile.gettempdir()
    free = LOCAL_FILES.free_bytes(directory)
    if free is not None and free < LOW_SPACE_BYTES:
        yield Finding(
            "warning", "disk", f"{directory} has {free // 10**6} MB free", "Long output needs room there."
        )
    else:
        yield Finding("ok", "disk", f"{directory}: {'?' if free is None else free // 10**6} MB free")
