"""Start a keeper process on this machine, before anything heavy is imported.

Above it: the command line, which calls it first of all, and `link`, which talks to the started keeper.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, replace

TYPE_CHECKING = False  # without `typing`
if TYPE_CHECKING:
    from collections.abc import Sequence

TRIAL_S = 10
PROGRAM_S = 30  # a password manager may have to ask the person
_BECOME = (
    "import sys; sys.path.insert(0, sys.argv[1]); from nacre.keeper.launch import become;"
    " become(sys.argv[2], sys.argv[3:])"
)
_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from nacre.keeper.program import main; main()"


@dataclass(frozen=True, slots=True)
class Launched:
    """A started keeper: its process and our two ends of the link."""

    process: subprocess.Popen[bytes]
    reading: int
    writing: int
    gate: int = -1  # our end of the channel on which a keeper has its execs decided

    def abandon(self) -> None:
        """End a keeper that is not needed, and wait for its end. It has started nothing yet."""
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        if self.gate >= 0:
            os.close(self.gate)
        self.process.kill()  # its own children notice that we are gone
        self.process.wait()


def local_argv() -> list[str]:
    """The command line of a keeper on this machine: this Python, isolated, without site packages."""
    source = os.path.abspath(f"{__file__}/../../..")
    return [sys.executable, "-I", "-S", "-c", _BOOT, source]


def confined_argv(plan: str, program: Sequence[str]) -> list[str]:
    """The command line of a process that confines itself by a plan and executes a program."""
    *python, source = local_argv()
    return [*python[:-1], _BECOME, source, plan, *program]


def become(plan: str, program: list[str]) -> None:
    """Confine this process and turn it into a program."""
    from nacre.keeper.confinement import confine  # noqa: PLC0415  # few want it
    from nacre.keeper.quickjson import decode as read_json  # noqa: PLC0415  # as above

    confine(read_json(plan))
    os.execvp(program[0], program)  # noqa: S606  # without a shell is what is wanted


def run_for_person(argv: list[str], environment: dict[str, str], directory: str) -> int:
    """Run a program on the person's terminal; returns its exit code."""
    import signal  # noqa: PLC0415  # few want it

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program
    try:
        return subprocess.call(argv, env=environment, cwd=directory)  # noqa: S603  # what the person asked for
    finally:
        signal.signal(signal.SIGINT, before)


def why_it_fails(argv: list[str]) -> str:
    """Try a program that ends at once; returns its error message, empty if it works."""
    try:
        done = subprocess.run(  # noqa: S603  # a fixed program, before anything else runs
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=TRIAL_S, check=False
        )
    except FileNotFoundError:
        return f"there is no {argv[0]}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if not done.returncode:
        return ""
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"exit code {done.returncode}"


def output_of_program(argv: list[str]) -> tuple[str, str]:
    """The output of a program from the settings, and why it failed; one of the two is empty."""
    try:
        done = subprocess.run(  # noqa: S603  # from the person's own settings, before anything else runs
            argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROGRAM_S, check=False
        )
        printed = done.stdout.decode()
    except UnicodeDecodeError:
        return "", "what it printed is no text"
    except (OSError, IndexError) as error:
        return "", getattr(error, "strerror", None) or "there is no such program"
    except subprocess.TimeoutExpired:
        return "", f"it took longer than {PROGRAM_S} s"
    return ("", f"exit code {done.returncode}") if done.returncode else (printed, "")


def launch(
    argv: list[str] | None = None, environment: dict[str, str] | None = None, passed: tuple[int, ...] = ()
) -> Launched:
    """Start a keeper, with our own environment or another. Its hello is awaited later, by the link.

    `passed` are descriptors that it inherits.
    """
    return _launch(argv or local_argv(), environment, passed)


def launch_gated(
    argv: list[str], environment: dict[str, str], passed: tuple[int, ...] = (), executables: str = "[]"
) -> Launched:
    """Start a keeper in a sandbox whose every exec is decided at the other end of `gate`.

    `executables`, a JSON list, are the only files that can be executed; none: any.
    """
    import socket  # noqa: PLC0415  # most keepers have no gate

    ours, theirs = socket.socketpair()
    with ours, theirs:
        number = theirs.fileno()
        launched = _launch([*argv, str(number), executables], environment, (*passed, number))
        return replace(launched, gate=ours.detach())


def _launch(argv: list[str], environment: dict[str, str] | None, passed: tuple[int, ...]) -> Launched:
    process = subprocess.Popen(  # noqa: S603  # the only process that nacre itself starts
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=environment,
        pass_fds=passed,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    if process.stdin is None or process.stdout is None:  # impossible: both are pipes
        raise RuntimeError
    return Launched(process, process.stdout.fileno(), process.stdin.fileno())
