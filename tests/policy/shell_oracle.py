"""Ask a real shell what it would run, with which arguments: the ground truth for the scanner and the judge.

Many scripts share one start of the sandbox: no network, a read-only root, a private /tmp, limits. `Oracle` is
a running driver (see `oracle_driver`); it answers batches of trials. A trial is a script and what surrounds
it, which is hostile on purpose: variables, arguments, file names and the output of programs all try to become
options, commands or expressions.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, cast

_NOBODY = 65534
_MOST_ENDED = 5
_HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Trial:
    """One script and what surrounds it."""

    script: str
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    arguments: tuple[str, ...] = ()
    # What every program prints, and a pattern for the last letters of those that fail.
    says: str = ""
    fails: str = "[13579]"


@dataclass(frozen=True)
class Observation:
    """What really happened."""

    commands: tuple[tuple[str, ...], ...]
    # Names that a shell without a handler did not find: their arguments are not known.
    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    ended: bool = True
    torn: bool = False
    # Of a watched trial: what was started, as its own mark, that of its starter, and its arguments.
    started: tuple[tuple[str, ...], ...] = ()


def sandbox() -> list[str] | None:
    """The command that confines the driver, or None where bubblewrap is missing or may not work."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return None
    prefix = [bwrap, "--unshare-all", "--uid", str(_NOBODY), "--gid", str(_NOBODY), "--ro-bind", "/", "/"]
    prefix += ["--tmpfs", "/tmp"]
    for needed in (sys.prefix, str(_HERE)):  # this checkout may lie in /tmp itself
        prefix += ["--ro-bind", needed, needed]
    prefix += ["--tmpfs", "/usr/sbin"]
    prefix += ["--proc", "/proc", "--dev", "/dev", "--die-with-parent", "--new-session"]
    probe = subprocess.run([*prefix, "/bin/true"], capture_output=True, check=False, timeout=20)
    return prefix if probe.returncode == 0 else None


class Oracle:
    """A driver for one shell in its sandbox, with stand-ins for programs, or `real` ones, maybe `watched`."""

    def __init__(
        self,
        shell: str,
        names: Sequence[str],
        prefix: Sequence[str],
        *,
        real: bool = False,
        watched: bool = False,
    ) -> None:
        self.command = [*prefix, sys.executable, "-I", str(_HERE / "oracle_driver.py")]
        head = {"shell": shell, "names": sorted(set(names)), "real": real, "watched": watched}
        self.head = json.dumps(head)
        self.ended = 0
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self._write(self.head)
        return self.process

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self.process.kill()  # --die-with-parent and the pid namespace take everything with it
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        self.process.wait()

    def observe(self, trials: Sequence[Trial]) -> list[Observation]:
        """The observations of a batch, in its order."""
        return [self._observe(json.dumps(asdict(trial))) for trial in trials]

    def _observe(self, trial: str) -> Observation:
        """What one script did; one that ended the driver itself (`kill -1`) is over, with no more to tell."""
        with suppress(BrokenPipeError):
            self._write(trial)
        line = self.process.stdout.readline() if self.process.stdout is not None else ""
        if line:
            self.ended = 0
            return _read(line)
        self.ended += 1
        if self.ended > _MOST_ENDED:
            raise AssertionError("the driver ends again and again")
        self._end()
        self._start()
        return Observation((), ended=False)

    def _write(self, line: str) -> None:
        if self.process.stdin is None:
            raise AssertionError("the driver has no input")
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()


def _read(line: str) -> Observation:
    answer = cast("dict[str, object]", json.loads(line))
    return Observation(
        tuple(tuple(command) for command in cast("list[list[str]]", answer["commands"])),
        tuple(cast("list[str]", answer["names"])),
        tuple(cast("list[str]", answer["files"])),
        tuple(cast("list[str]", answer["notes"])),
        bool(answer["ended"]),
        bool(answer["torn"]),
        tuple(tuple(start) for start in cast("list[list[str]]", answer["started"])),
    )
