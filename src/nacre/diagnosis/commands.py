"""Whether commands run: with the chosen shell, with every other one, with the person's PATH, in each sandbox.

Above it: `nacre doctor`. Below: trials. It changes nothing but a directory that it is given.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nacre.diagnosis.finding import Finding
from nacre.diagnosis.trial import TrialError, run, say
from nacre.dialects import DIALECTS, find_shell
from nacre.environment import is_bare
from nacre.errors import NacreError
from nacre.places.local_files import LOCAL_FILES
from nacre.sandbox.profile import Level

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from nacre.config import Config
    from nacre.dialects.dialect import Shell

PROBED = ".nacre-doctor"  # made in the home directory by a sandbox that does not hold
SCOPES_SINCE = 6
READY = "ready"
RESTRICTED = ("rbash",)  # no shell for sessions, and not meant to be one


async def examine(config: Config, wanted_level: str) -> AsyncIterator[Finding]:
    """All of it, in this order whatever ends first; `config` has no rules and no sandbox."""
    levels = [level for level in Level if level is not Level.OFF]
    checks: list[Coroutine[Any, Any, list[Finding]]] = [
        _shells(config),
        *([_search_path(config)] if os.name == "posix" else []),
        *(_level_as_wanted(config, level, wanted_level) for level in levels),
    ]
    running = [asyncio.create_task(check) for check in checks]  # each waits for other processes, mostly
    for check in running:
        for finding in await check:
            yield finding
    yield _exec_gate()


async def _shells(config: Config) -> list[Finding]:
    """The chosen shell, or whether any command runs; then every other shell."""
    try:
        chosen = find_shell(config.shell, os.environ, LOCAL_FILES)
    except NacreError as error:
        missing = Finding("problem", "shell", error.message, error.hint or "Name one with --shell.")
        return [missing, await _keeper(replace(config, shell=None))]
    first = await _chosen_shell(config, chosen)
    if first.status == "ok":
        keeper = Finding("ok", "keeper", "it started and ran a command")
    else:
        keeper = await _keeper(replace(config, shell=None))
    return [first, keeper, await _other_shells(config, chosen)]


async def _keeper(config: Config) -> Finding:
    """Whether the process that runs commands starts, and runs one."""
    try:
        said = await say(f"echo {READY}", config, "sh" if os.name == "posix" else None)
    except TrialError as error:
        fix = "Look at the limits of processes and open files (ulimit -a), and at the log."
        return Finding("problem", "keeper", f"no command runs: {error}", fix)
    if said.strip() != READY:
        return Finding("problem", "keeper", f"`echo {READY}` printed {said!r}", "Try another --shell.")
    return Finding("ok", "keeper", "it started and ran a command")


# -- shells


async def _chosen_shell(config: Config, shell: Shell) -> Finding:
    if why := await _why_not(config, shell.path):
        return Finding("problem", "shell", f"{shell.path} does not work: {why}", "Name another with --shell.")
    return Finding("ok", "shell", f"{shell.path} ran a command")


async def _other_shells(config: Config, chosen: Shell) -> Finding:
    """Every other shell that is installed, tried."""
    names = dict.fromkeys(name for dialect in DIALECTS for name in dialect.programs)
    names = [name for name in names if name not in RESTRICTED]
    here = {name: LOCAL_FILES.find_program(name, os.environ.get("PATH")) for name in names}
    others = {name: path for name, path in here.items() if path and not _is_same(path, chosen.path)}
    said = await asyncio.gather(*(_why_not(config, path) for path in others.values()))
    failed = {name: why for name, why in zip(others, said, strict=True) if why}
    working = ", ".join(sorted(others.keys() - failed.keys())) or "none"
    if failed:
        failures = "; ".join(f"{name} does not: {why}" for name, why in sorted(failed.items()))
        fix = "Install it again, or take it out of PATH."
        return Finding("warning", "other shells", f"these work: {working}; {failures}", fix)
    return Finding("ok", "other shells", f"these work: {working}")


def _is_same(path: str, other: str) -> bool:
    """Whether both are the same program, as /bin/bash and /usr/bin/bash may be; sh is not bash."""
    names_alike = os.path.basename(path) == os.path.basename(other)
    return names_alike and LOCAL_FILES.real_path(path) == LOCAL_FILES.real_path(other)


async def _why_not(config: Config, shell: str) -> str:
    """Why a shell does not run a command; empty: it does."""
    try:
        said = await say(f"echo {READY}", config, shell)
    except TrialError as error:
        return str(error)
    return "" if said.strip() == READY else f"`echo {READY}` printed {said!r}"


async def _search_path(config: Config) -> list[Finding]:
    """Whether a desktop program's bare PATH can be mended: by the login shell, if it answers."""
    own = os.environ.get("PATH", "").split(os.pathsep)
    held = "has your PATH" if not is_bare(dict(os.environ)) else "was started with a bare PATH"
    if config.login_environment == "never":
        return [Finding("ok", "PATH", f"{len(own)} directories; the login shell is never asked")]
    try:
        shell = find_shell(None, os.environ, LOCAL_FILES)
        if not shell.dialect.login_flags:
            return [Finding("ok", "PATH", f"{len(own)} directories; {shell.name} has no login files")]
        asked = [shell.path, *shell.dialect.login_flags, f'echo "{READY}:$PATH"']
        said = (await run(shlex.join(asked), config, "sh", stdin="")).stdout.text
    except (NacreError, TrialError) as error:
        said = str(error)
    answers = [line for line in said.splitlines() if line.startswith(f"{READY}:")]
    if not answers:
        fix = 'Look at its start-up files, or set login_environment = "never" and PATH in environment_set.'
        text = f"this terminal {held}, but the login shell does not tell its PATH to desktop clients"
        return [Finding("warning", "PATH", text, fix)]
    count = len(answers[-1].split(":")) - 1
    return [
        Finding("ok", "PATH", f"this terminal {held}; the login shell has {count} directories in its PATH")
    ]


# -- the sandbox


def _exec_gate() -> Finding:
    """Whether rules can hold for what really starts."""
    if sys.platform != "linux":
        return Finding(
            "warning", "exec gate", "rules are enforced for the text of commands only: this is not Linux"
        )
    from nacre.keeper.confinement import can_decide_execs  # noqa: PLC0415  # Linux only

    if can_decide_execs():
        return Finding("ok", "exec gate", "in a sandbox, rules are enforced for every program that starts")
    limits = "rules are enforced for the text of commands only: this container allows no more"
    return Finding(
        "warning", "exec gate", limits, "Start nacre outside of the container or sandbox it is in."
    )


async def _level_as_wanted(config: Config, level: Level, wanted: str) -> list[Finding]:
    finding = await _level(replace(config, sandbox=level.value, shell=None), level)
    if finding.status == "problem" and level != wanted and finding.fix:
        finding = replace(finding, status="warning")  # it was not requested
    return [finding]


async def _level(config: Config, level: Level) -> Finding:
    name = f"{level}"
    if sys.platform != "linux":
        fix = "Here only the rules hold; an account or a container for the agent does what a sandbox would."
        return Finding("problem", name, "the sandbox needs Linux", fix)
    writes_there = "touch inside 2>/dev/null && echo inside"
    probed = f"{PROBED}-{level}"  # the levels are tried at the same time
    writes_home = f'touch "$HOME/{probed}" 2>/dev/null && echo home'
    home = LOCAL_FILES.home
    try:
        said = set((await say(f"{writes_there}; {writes_home}; true", config, "sh")).split())
        if outside := LOCAL_FILES.is_file(os.path.join(home, probed)):
            await say(f'rm -f "$HOME/{probed}"', config, "sh")
    except TrialError as error:
        return Finding("problem", name, error.message, error.hint or "Look at docs/sandbox.md.")
    expected = set[str]() if level is Level.READ_ONLY else {"inside"}
    if outside or said - {"home"} != expected:
        fix = f"Do not rely on it here. Please report this: expected {expected}, found {said}."
        return Finding("problem", name, "the sandbox started but does not confine", fix)
    return _held(name) if "home" not in said else _without_home(_held(name), home)


def _without_home(finding: Finding, home: str) -> Finding:
    """A home directory in /tmp: commands in a sandbox have another one there, in a /tmp of their own."""
    text = (
        f"{finding.text}; but commands do not see your home directory {home}: they have a /tmp of their own"
    )
    fix = finding.fix or "Start nacre with a HOME that is not in /tmp or /var/tmp."
    return replace(finding, status="warning", text=text, fix=fix)


def _held(name: str) -> Finding:
    from nacre.keeper.confinement import landlock_version  # noqa: PLC0415  # Linux only
    from nacre.keeper.launch import why_it_fails  # noqa: PLC0415  # the same

    version = landlock_version()
    problem = why_it_fails(["bwrap", "--ro-bind", "/", "/", "true"])
    if problem:
        text = f"works, with Landlock {version} and seccomp alone: bubblewrap does not work ({problem})"
        return Finding("warning", name, text, "Install the package bubblewrap, and allow user namespaces.")
    if version < SCOPES_SINCE:
        return Finding("ok", name, f"works: bubblewrap, Landlock {version} (signals by a process namespace)")
    return Finding("ok", name, f"works: bubblewrap, Landlock {version}, seccomp")
