"""The records that travel through nacre: what is asked, what happened. Never changed, without behaviour.

Every floor above may import this one; it imports nothing of nacre.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar, dataclass_transform

LOCAL = "local"  # the place that this machine is

Plain = TypeVar("Plain")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(plain: type[Plain]) -> type[Plain]:
    """A record that the type checker holds to be frozen.

    At run time it is not: several are made for every command, and freezing triples what that costs.
    """
    return dataclass(slots=True)(plain)


class Ended(StrEnum):
    """How a command ended."""

    EXITED = "exited"
    SIGNALED = "signaled"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    DENIED = "denied"
    RUNNING = "running"
    SHELL_DIED = "shell_died"


class ShellState(StrEnum):
    """What a command of a session found, and left behind."""

    NEW = "new"  # the session's first shell
    KEPT = "kept"  # the shell as the command before has left it
    REBORN = "reborn"  # a new shell, because the one before has died
    LOST = "lost"  # the shell died in this command


@record
class Command:
    """What the caller asks to run."""

    text: str
    working_directory: str
    timeout_s: float
    environment: dict[str, str] = field(default_factory=dict[str, str])
    stdin: str | None = None  # None: nothing to read
    session: str | None = None  # None: a fresh shell; else its working_directory may be "": where it stands
    wait: bool = True  # whether it may wait for its turn in a session that is busy
    output_limit_bytes: int | None = None  # of each stream in the reply; None: as configured
    run_text: str = ""  # what the shell gets in the place of `text`: the same with its program's full path
    argv: tuple[str, ...] | None = None  # a program started without a shell; `text` then only shows it
    place: str = LOCAL  # where it runs
    answer_within_s: float | None = None  # then it goes on as a job; 0: at once, with a stdin; None: never
    terminal: tuple[int, int] | None = None  # rows and columns; None: pipes


def located(command: Command, directory: str) -> Command:
    """The same command in a directory; `dataclasses.replace` takes five times as long."""
    return Command(
        command.text,
        directory,
        command.timeout_s,
        command.environment,
        command.stdin,
        command.session,
        command.wait,
        command.output_limit_bytes,
        command.run_text,
        command.argv,
        command.place,
        command.answer_within_s,
        command.terminal,
    )


@record
class Text:
    """One output stream as the caller sees it."""

    text: str
    truncated: bool = False
    total_bytes: int = 0  # printed, shown or not
    omitted_bytes: int = 0
    omitted_lines: int = 0
    spool: str | None = None  # the file that holds the stream as it was printed
    goes_on: bool = False  # a process left behind may print more, into that file
    rest_lost: str = ""  # why what it prints later is not kept
    rest: str = ""  # of a text that was cut: where all of it is found, in words
    sha256: str = ""  # of all that was printed; empty: nobody wanted to know, or nothing was


@record
class LeftProcess:
    """A process that still runs after its command has ended."""

    pid: int
    command: str


@record
class Result:
    """What happened to a command. Exit code or signal, never both."""

    command: str
    working_directory: str
    ended: Ended
    exit_code: int | None
    signal: str | None
    stdout: Text
    stderr: Text
    execution_time_ms: int
    timeout_s: float
    cpu_ms: int = 0
    max_rss_bytes: int | None = None  # None: too little to be measured
    left_running: tuple[LeftProcess, ...] = ()
    left_running_total: int = 0
    output_id: str = ""  # what all that was printed is found by (`Outputs.open`)
    hints: tuple[str, ...] = ()
    news: tuple[str, ...] = ()  # what has become of earlier work, where its caller has not heard of it
    limit: str = ""  # which limit of the settings it has passed: memory, cpu, …; empty: none
    session: str | None = None
    shell_state: ShellState | None = None
    directory_changed: bool = False  # whether the session stands elsewhere than before the command
    note: str = ""  # what happened to the session's shell, where that is worth a sentence

    @property
    def spool(self) -> str | None:
        """The path of the files with all that was printed, without their endings `.out` and `.err`."""
        path = self.stdout.spool or self.stderr.spool
        return path and path.rpartition(".")[0]

    @property
    def ok(self) -> bool:
        """Whether the command did what it was asked to: it ended by itself, with code 0."""
        return self.ended is Ended.EXITED and self.exit_code == 0
