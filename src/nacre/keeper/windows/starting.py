"""Starting a command on Windows: finding its program, its command line, its environment, its pipes.

Above it: `program`, through `host`. Below: `children`, which gives it a job; `win32`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import subprocess
from typing import TYPE_CHECKING, Self

from nacre.keeper import win32
from nacre.keeper.windows.children import CHILDREN, Started

if TYPE_CHECKING:
    from nacre.keeper.frames import Spawn

PROGRAM_ENDINGS = ("", ".exe", ".com")
LIMITS = ("cpu_s", "memory_bytes", "processes")
END_OF_INPUT = b"\x1a\r"  # on a console: Ctrl+Z on a line of its own
SCRIPT_SUFFIX = ".cmd"  # cmd.exe takes no other file for a batch file


def find_program(name: str, environment: dict[bytes, bytes], directory: str) -> str:
    """The file of a program. Raises OSError.

    Batch files are not found: no quoting is safe against the rules by which they split their arguments.
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
    if spec.control:
        raise OSError(errno.ENOTSUP, "Windows has no private channel for commands", spec.program)
    if not os.path.isdir(spec.cwd):
        number = errno.ENOTDIR if os.path.exists(spec.cwd) else errno.ENOENT
        raise OSError(number, os.strerror(number), spec.cwd)
    job, number = CHILDREN.job(spec.limits)
    try:
        start = _start_on_console if spec.terminal else _start_on_pipes
        ends, process, console = start(spec, _environment_block(environment), job)
    except OSError:
        job.close()
        raise
    CHILDREN.add(process, job, number, ends[1:])
    if console is not None:
        CHILDREN.add_console(console, number)
    return Started(process.pid, *ends, -1, job, number)


class _Pipes:
    """Pipes for a new command; at the end the far ends are closed, and the near ones unless they are kept."""

    def __init__(self) -> None:
        self._near, self._far = contextlib.ExitStack(), contextlib.ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._far.close()
        self._near.close()

    def make(self, *, incoming: bool) -> tuple[int, int]:
        near, far = win32.make_pipe(incoming=incoming)
        self._near.callback(win32.close_handle, near)
        self._far.callback(win32.close_handle, far)
        return near, far

    def open_nothing(self) -> int:
        far = win32.open_file("NUL", win32.GENERIC_READ)
        self._far.callback(win32.close_handle, far)
        return far

    def keep(self) -> None:
        """The command runs: they are its own from here on."""
        self._near.pop_all()


_Ends = tuple[tuple[int, int, int], win32.Process, win32.PseudoConsole | None]


def _start_on_pipes(spec: Spawn, environment: str, job: win32.Job) -> _Ends:
    with _Pipes() as pipes:
        stdin, reads = pipes.make(incoming=False) if spec.stdin else (-1, pipes.open_nothing())
        stdout, writes = pipes.make(incoming=True)
        stderr, complains = (-1, writes) if spec.merge else pipes.make(incoming=True)
        launch = win32.Launch(
            spec.program, command_line_text(spec), environment, spec.cwd, (reads, writes, complains)
        )
        process = win32.create_process(launch, job)
        pipes.keep()
    return (stdin, stdout, stderr), process, None


def _start_on_console(spec: Spawn, environment: str, job: win32.Job) -> _Ends:
    with _Pipes() as pipes:
        stdin, reads = pipes.make(incoming=False)
        stdout, writes = pipes.make(incoming=True)
        console = win32.PseudoConsole(*(spec.terminal or (24, 80)), reads, writes)
        launch = win32.Launch(
            spec.program, command_line_text(spec), environment, spec.cwd, console=console.handle
        )
        try:
            process = win32.create_process(launch, job)
        except OSError:
            console.close()
            raise
        pipes.keep()
    return (stdin, stdout, -1), process, console


def command_line_text(spec: Spawn) -> str:
    """The one string that Windows passes to a program.

    Most programs split it by the C runtime's rules. cmd.exe does not: with /s it drops the first and the last
    quote and uses what is between them unchanged.
    """
    if os.path.basename(spec.program).lower() in ("cmd.exe", "cmd") and len(spec.argv) > 1:
        *before, text = spec.argv
        return f'{" ".join(before)} "{text}"'
    return subprocess.list2cmdline(spec.argv)


def _environment_block(environment: dict[bytes, bytes]) -> str:
    """NAME=value, NUL, sorted; names are case-insensitive, and the last value wins."""
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
    """Nothing: each pipe has a name of its own, and is created with its command."""


def hides_lines(_handle: int) -> bool:
    """Unknown here: False."""
    return False


def resize(started: Started, rows: int, columns: int) -> None:
    """Tell a command's console, and the programs on it, its size."""
    CHILDREN.console_of(started.number).resize(rows, columns)
