"""Processes, pipes and the event loop of a keeper on Windows, and which process belongs to which command.

Above it: `commands` and `program`, which know none of this; the names are those of `posix` and
`process_tree`. Below: `win32`, the API calls.

Every command has a job object of its own, inside the keeper's: whatever it starts is in there, and all of it
dies with the keeper, however that ends. One completion port reports everything: bytes that were read,
processes that ended, jobs that became empty.

    children      the job and the first process of each command
    end_watch     the ends of processes that commands have left behind
    event_loop    one thread on the completion port
    pipes         readers and writers of commands
    link_pipes    the link to nacre, and the log
    starting      a command with its pipes or its console
    process_tree  who belongs to a command; signals, as far as Windows has any
"""

from __future__ import annotations

from nacre.keeper import win32
from nacre.keeper.windows.children import (
    CHILDREN,
    Reaped,
    Started,
    command_line,
    has_ended,
    own_peak_rss_bytes,
    reap,
)
from nacre.keeper.windows.event_loop import Loop
from nacre.keeper.windows.link_pipes import LinkReader, LinkWriter, link_descriptors, log
from nacre.keeper.windows.pipes import Reader, TerminalReader, Writer
from nacre.keeper.windows.process_tree import ProcessTree, signal_number
from nacre.keeper.windows.starting import (
    END_OF_INPUT,
    LIMITS,
    SCRIPT_SUFFIX,
    find_program,
    hides_lines,
    make_pipes_ahead,
    resize,
    script_bytes,
    start,
)

__all__ = [
    "END_OF_INPUT",
    "LIMITS",
    "SCRIPT_SUFFIX",
    "LinkReader",
    "LinkWriter",
    "Loop",
    "ProcessTree",
    "Reader",
    "Reaped",
    "Started",
    "TerminalReader",
    "Writer",
    "command_line",
    "find_program",
    "has_ended",
    "hides_lines",
    "link_descriptors",
    "log",
    "make_pipes_ahead",
    "own_peak_rss_bytes",
    "pipe_name",
    "prepare",
    "reap",
    "resize",
    "script_bytes",
    "signal_number",
    "start",
    "start_guardian",
]


def prepare() -> bool:
    """Make this process a keeper: inside a job that ends with us, so that everything does.

    Returns that no process can escape.
    """
    win32.mark_as_keeper()
    CHILDREN.keepers_job = win32.Job()
    CHILDREN.keepers_job.add_self()
    return True


def input_name(_handle: int) -> str:
    """Unknown here: empty."""
    return ""


def unread_bytes(_handle: int) -> int:
    """Unknown here: 0."""
    return 0


def pipe_name(_handle: int) -> str:
    """The ends of a pipe have no common name here."""
    return ""


def start_guardian() -> None:
    """None is needed: the keeper's job ends with it, however it ends."""
