"""Starting a command on Windows: the program that a name means, its command line, its environment, its pipes.

Above it: `program`, through `host`. Below: `children`, which gives it a job; `win32`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from typing import TYPE_CHECKING

from nacre.keeper import win32
from nacre.keeper.windows.children import CHILDREN, Started

if TYPE_CHECKING:
    from nacre.keeper.frames import Spawn

PROGRAM_ENDINGS = ("", ".exe", ".com")
LIMITS = ("cpu_s", "memory_bytes", "processes")
SCRIPT_SUFFIX = ".cmd"  # cmd.exe takes no other file for a batch file


def find_program(name: str, environment: dict[bytes, bytes], directory: str) -> str:
    """The file that a program's name means. Raises OSError.

    Batch files are not found: they take their arguments apart by rules that no quoting can hold.
    """
    path = next((os.fsdecode(value) for key, value in environment.items() if key.upper() == b"PATH"), "")
    for entry in path.split(";"):
        for ending in PROGRAM_ENDINGS:
            file = os.path.join(directory, entry, name + ending)
            if file.lower().endswith(PROGRAM_ENDINGS[1:]) and os.path.isfile(file):
                return file
    raise FileNotFoundError(errno.ENOENT, "not found on PATH", name)


def start(spec: Spawn, environment: dict[bytes, bytes]) -> Started:
    """Start a command. Raises OSError, whose `filename` is the directory or the program."""
    if spec.terminal:
        raise OSError(errno.ENOTSUP, "terminals are not supported on Windows", spec.program)
    if spec.control:
        raise OSError(errno.ENOTSUP, "Windows has no private channel for commands", spec.program)
    if not os.path.isdir(spec.cwd):
        number = errno.ENOTDIR if os.path.exists(spec.cwd) else errno.ENOENT
        raise OSError(number, os.strerror(number), spec.cwd)
    job, number = CHILDREN.job(spec.limits)
    try:
        ends, process = _start_on_pipes(spec, _environment_block(environment), job)
    except OSError:
        job.close()
        raise
    CHILDREN.add(process, job, number, ends[1:])
    return Started(process.pid, *ends, -1, job, number)


def _start_on_pipes(
    spec: Spawn, environment: str, job: win32.Job
) -> tuple[tuple[int, int, int], win32.Process]:
    with contextlib.ExitStack() as theirs, contextlib.ExitStack() as ours:

        def pipe(*, incoming: bool) -> tuple[int, int]:
            near, far = win32.make_pipe(incoming=incoming)
            ours.callback(win32.close_handle, near)
            theirs.callback(win32.close_handle, far)
            return near, far

        if spec.stdin:
            stdin, reads = pipe(incoming=False)
        else:
            stdin, reads = -1, win32.open_file("NUL", win32.GENERIC_READ)
            theirs.callback(win32.close_handle, reads)
        stdout, writes = pipe(incoming=True)
        stderr, complains = (-1, writes) if spec.merge else pipe(incoming=True)
        launch = win32.Launch(
            spec.program, command_line_text(spec), environment, spec.cwd, (reads, writes, complains)
        )
        process = win32.create_process(launch, job)
        ours.pop_all()  # they are the command's from here on
    return (stdin, stdout, stderr), process


def command_line_text(spec: Spawn) -> str:
    """The one string that Windows hands to a program.

    Most programs take it apart again by the C runtime's rules. cmd.exe does not: with /s it drops the first
    and the last quote and takes what is between them as it stands.
    """
    if os.path.basename(spec.program).lower() in ("cmd.exe", "cmd") and len(spec.argv) > 1:
        *before, text = spec.argv
        return f'{" ".join(before)} "{text}"'
    return subprocess.list2cmdline(spec.argv)


def _environment_block(environment: dict[bytes, bytes]) -> str:
    """NAME=value, NUL, sorted; names differ by more than case, and the one set last counts."""
    pairs: dict[str, tuple[str, str]] = {}
    for name, value in environment.items():
        text = os.fsdecode(name)
        pairs[text.upper()] = (text, os.fsdecode(value))
    return "".join(f"{name}={value}\0" for _, (name, value) in sorted(pairs.items())) or "\0"


def script_bytes(text: str) -> bytes:
    """A batch file as cmd.exe reads it: in the console's code page, else in UTF-8 after a `chcp`."""
    lines = text.replace("\r\n", "\n").replace("\n", "\r\n")
    try:
        return lines.encode("oem")
    except UnicodeEncodeError:
        return b"@chcp 65001 >nul\r\n" + lines.encode("utf-8", "surrogatepass")


def make_pipes_ahead() -> None:
    """A command's pipes are made with it: each has a name of its own."""


def hides_lines(_handle: int) -> bool:
    """Nobody can tell here."""
    return False


def resize(_handle: int, _rows: int, _columns: int) -> None:
    """There are no terminals yet."""
    raise ValueError("terminals are not supported on Windows")
