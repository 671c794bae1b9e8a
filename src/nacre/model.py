"""The records that travel through nacre: requests and results. Never modified, without behaviour.

Every floor above may import this one; it imports nothing of nacre.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar, dataclass_transform

LOCAL = "local"  # the name of the place that is this machine

Plain = TypeVar("Plain")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(plain: type[Plain]) -> type[Plain]:
    """Declare a record that the type checker treats as frozen.

    At run time it is not: each command creates several, and freezing triples the cost of creation.
    """
    return dataclass(slots=True)(plain)


class Ended(StrEnum):
    """How a command ended."""

    EXITED = "exited"
    SIGNALED = "signaled"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    STOPPED = "stopped"  # by the person who watches
    DENIED = "denied"
    RUNNING = "running"
    SHELL_DIED = "shell_died"


class ShellState(StrEnum):
    """What became of the session's shell, for one command."""

    NEW = "new"  # the session's first shell
    KEPT = "kept"  # the shell of the previous command
    REBORN = "reborn"  # a new shell, because the previous one died
    LOST = "lost"  # the shell died during this command


@record
class Command:
    """What the caller asks to run."""

    text: str
    working_directory: str
    timeout_s: float
    environment: dict[str, str] = field(default_factory=dict[str, str])
    stdin: str | None = None  # None: nothing to read
    session: str | None = None  # None: a fresh shell; in a session, working_directory "" is the current one
    wait: bool = True  # whether it waits while its session is busy
    output_limit_bytes: int | None = None  # for each stream of the reply; None: as configured
    run_text: str = ""  # what the shell gets instead of `text`: the same with the program's full path
    argv: tuple[str, ...] | None = None  # a program started without a shell; `text` then only shows it
    place: str = LOCAL  # where it runs
    answer_within_s: float | None = None  # then it becomes a job; 0: at once, with a stdin; None: never
    terminal: tuple[int, int] | None = None  # rows and columns; None: pipes


def located(command: Command, directory: str) -> Command:
    """The same command in another directory; `dataclasses.replace` takes five times as long."""
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
    total_bytes: int = 0  # all that was printed, shown or not
    omitted_bytes: int = 0
    omitted_lines: int = 0
    spool: str | None = None  # the file with the complete stream
    goes_on: bool = False  # a process left behind may print more, into that file
    rest_lost: str = ""  # why later output is not kept
    rest: str = ""  # for a text that was cut: where the rest is, in words
    sha256: str = ""  # of the complete stream; empty: not computed, or nothing was printed


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
    max_rss_bytes: int | None = None  # None: too short to be measured
    left_running: tuple[LeftProcess, ...] = ()
    left_running_total: int = 0
    output_id: str = ""  # the id of its complete output (`Outputs.open`)
    hints: tuple[str, ...] = ()
    news: tuple[str, ...] = ()  # news of earlier jobs that the caller has not had yet
    limit: str = ""  # the configured limit that it exceeded: memory, cpu, …; empty: none
    session: str | None = None
    shell_state: ShellState | None = None
    directory_changed: bool = False  # whether the command changed the session's directory
    note: str = ""  # a sentence about the session's shell, where there is something to say

    @property
    def spool(self) -> str | None:
        """The path of the files with the complete output, without `.out` and `.err`."""
        path = self.stdout.spool or self.stderr.spool
        return path and path.rpartition(".")[0]

    @property
    def ok(self) -> bool:
        """Whether the command succeeded: it ended by itself, with code 0."""
        return self.ended is Ended.EXITED and self.exit_code == 0
