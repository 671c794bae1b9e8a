"""Ask a real shell which commands it would run: the ground truth for the scanner.

The scripts use names that no machine has (`c0` .. `c9`). bash and zsh hand an unknown name to a handler,
which writes it down; for other shells a directory of tiny scripts with these names does the same, and their
"not found" messages are read too. Many scripts share one start of the sandbox: no network, a read-only root,
an unprivileged user, limits.

Run as a program, this file is the driver inside the sandbox: a JSON line per script in, a JSON line per
script out.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAMES = tuple(f"c{i}" for i in range(10))
SCRIPT_TIMEOUT_S = 1.0
_BATCH_TIMEOUT_S = 600.0
_NOBODY = 65534
_COUNTER = itertools.count()
# Only plain names: lines of several processes can be mixed, and a name may hold anything.
_NOT_FOUND = re.compile(r": ([A-Za-z0-9_+=-]+): (?:inaccessible or )?not found$", re.MULTILINE)
_BASH_HANDLER = (
    """() { printf '%s\\0' "$1" >> "$ORACLE_LOG"; case "$1" in *[02468]) return 0;; esac; return 1; }"""
)
_ZSH_HANDLER = """command_not_found_handler() {
  print -rN -- "$1" >> "$ORACLE_LOG"
  case "$1" in *[02468]) return 0;; esac
  return 1
}
"""
_STAND_IN = """#!/bin/sh
printf '%s\\0' "${0##*/}" >> "$ORACLE_LOG"
case "$0" in *[02468]) exit 0;; esac
exit 1
"""


def sandbox() -> list[str] | None:
    """The command that confines the driver, or None where bubblewrap is missing or may not work."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    prefix = [bwrap, "--unshare-all", "--uid", str(_NOBODY), "--gid", str(_NOBODY), "--ro-bind", "/", "/"]
    prefix += ["--tmpfs", "/tmp"]
    for needed in (sys.prefix, str(Path(__file__).parent)):  # this checkout may lie in /tmp itself
        prefix += ["--ro-bind", needed, needed]
    prefix += ["--proc", "/proc", "--dev", "/dev", "--die-with-parent", "--new-session"]
    probe = subprocess.run([*prefix, "/bin/true"], capture_output=True, check=False, timeout=20)
    return prefix if probe.returncode == 0 else None


def observed(shell: str, scripts: Sequence[str], prefix: Sequence[str]) -> list[list[str] | None]:
    """For every script the names that the shell tried to run; None when it did not end in time."""
    driver = [sys.executable, str(Path(__file__).resolve()), shell]
    lines = "".join(json.dumps(script) + "\n" for script in scripts)
    done = subprocess.run(
        [*prefix, *driver], input=lines, capture_output=True, text=True, check=False, timeout=_BATCH_TIMEOUT_S
    )
    answers = [cast("list[str] | None", json.loads(line)) for line in done.stdout.splitlines()]
    if len(answers) != len(scripts):
        raise AssertionError(
            f"the driver gave {len(answers)} of {len(scripts)} answers: {done.stderr[-2000:]}"
        )
    return answers


def _limit() -> None:
    if os.getuid() == 0:
        # Outside of a sandbox, as root: never run made-up scripts with root's rights.
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)
    for kind, most in (
        (resource.RLIMIT_FSIZE, 1 << 20),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, 1 << 30),
    ):
        resource.setrlimit(kind, (most, most))


def _prepare(shell: str, home: Path) -> dict[str, str]:
    """The environment in which a shell tells what it tries to run."""
    environment = {"PATH": "/nonexistent", "LC_ALL": "C.UTF-8", "HOME": str(home)}
    if shell == "bash":
        environment["BASH_FUNC_command_not_found_handle%%"] = _BASH_HANDLER
    elif shell == "zsh":
        (home / ".zshenv").write_text(_ZSH_HANDLER, encoding="utf-8")
        environment["ZDOTDIR"] = str(home)
    else:
        programs = home / "bin"
        programs.mkdir()
        for name in NAMES:
            program = programs / name
            program.write_text(_STAND_IN, encoding="utf-8")
            program.chmod(0o755)
        environment["PATH"] = str(programs)
    return environment


def _run(command: list[str], environment: dict[str, str], work: Path) -> list[str] | None:
    # A log for every script: what an earlier one left running must not write into this one's.
    log = work.parent / f"log{next(_COUNTER)}"
    environment = {**environment, "ORACLE_LOG": str(log)}
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    ended = True
    try:
        # Reading to the end of both pipes waits for background commands too.
        _, errors = process.communicate(timeout=SCRIPT_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        ended = False
        os.killpg(process.pid, signal.SIGKILL)
        _, errors = process.communicate()
    names = log.read_text(encoding="utf-8", errors="replace").split("\0")[:-1] if log.exists() else []
    log.unlink(missing_ok=True)
    if "bin" in environment["PATH"]:
        names += _NOT_FOUND.findall(errors.decode("utf-8", "replace"))
    return names if ended or names else None


def _clean(work: Path) -> None:
    for item in work.iterdir():
        if item.is_dir() and not item.is_symlink():
            shutil.rmtree(item)
        else:
            item.unlink()


def _drive(shell: str, lines: Iterable[str]) -> None:
    _limit()
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        work = home / "work"
        work.mkdir()
        environment = _prepare(shell, home)
        path = shutil.which(shell) or shell
        for line in lines:
            script = cast("str", json.loads(line))
            names = _run([path, "-c", script], environment, work)
            _clean(work)
            sys.stdout.write(json.dumps(names) + "\n")


if __name__ == "__main__":
    _drive(sys.argv[1], sys.stdin)
