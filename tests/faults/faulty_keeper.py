"""A keeper with a fault built in: the real program, one function of which fails when it meets a victim."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from session_harness import Harness

from nacre.keeper.launch import launch
from nacre.places.local import Local
from nacre.service import Service

if TYPE_CHECKING:
    from nacre.config import Config

SOURCE = Path(__file__).parents[2] / "src"
# `fail` makes a function raise where a condition on its arguments holds.
PRELUDE = """
import os, sys
sys.path.insert(0, sys.argv[1])
os.dup2(os.open(sys.argv.pop(), os.O_CREAT | os.O_WRONLY | os.O_APPEND), 2)
from nacre.keeper import capture, commands, posix, process_tree, processes, program, streams, turns

def fail(place, name, when, error=RuntimeError("injected")):
    real = getattr(place, name)
    def failing(*given, **named):
        if when(*given, **named):
            raise error
        return real(*given, **named)
    setattr(place, name, failing)

def victim(command):
    return "VICTIM" in command.spec.argv[-1]

"""


def faulty_argv(faults: str, log: Path) -> list[str]:
    """What starts a keeper in which these statements were run first; its stderr is a file."""
    return [sys.executable, "-I", "-S", "-c", f"{PRELUDE}\n{faults}\nprogram.main()", str(SOURCE), str(log)]


class FaultyHarness(Harness):
    """A service whose keeper has a fault."""

    def __init__(self, shell: str, faults: str, log: Path) -> None:
        self.log = log
        self._faults = faults
        super().__init__(shell)

    async def _open(self, config: Config) -> Service:
        return Service(config, Local(config, launch(faulty_argv(self._faults, self.log))))
