"""Processes, pipes, terminals and the event loop of a keeper on Linux and macOS.

Above it: `commands` and `program`, which know none of these calls. `windows` offers the same names.

    event_loop   descriptors, timers, signals, ended children
    pipes        readers and writers
    starting     a command with its pipes or its terminal
    children     reaping and signalling
    end_watch    the ends of processes that are not our children
    own_process  the keeper's own session, descriptors and log
"""

from __future__ import annotations

import os

from nacre.keeper.posix.children import (
    CONTINUE,
    KILL,
    STOP,
    TERM,
    Reaped,
    has_ended,
    own_peak_rss_bytes,
    reap,
    send_signal,
    send_signal_to_group,
    signal_name,
    signal_number,
)
from nacre.keeper.posix.event_loop import Loop
from nacre.keeper.posix.own_process import (
    PR_SET_CHILD_SUBREAPER,
    input_name,
    link_descriptors,
    log,
    pipe_name,
    prepare,
    unread_bytes,
)
from nacre.keeper.posix.pipes import Reader, TerminalReader, Writer, is_filling, read_short, was_opened
from nacre.keeper.posix.starting import (
    LIMITS,
    Started,
    find_program,
    hides_lines,
    make_pipes_ahead,
    resize,
    start,
)

__all__ = [
    "CONTINUE",
    "END_OF_INPUT",
    "KILL",
    "LIMITS",
    "PR_SET_CHILD_SUBREAPER",
    "SCRIPT_SUFFIX",
    "STOP",
    "TERM",
    "LinkReader",
    "LinkWriter",
    "Loop",
    "Reader",
    "Reaped",
    "Started",
    "TerminalReader",
    "Writer",
    "find_program",
    "has_ended",
    "hides_lines",
    "input_name",
    "is_filling",
    "link_descriptors",
    "log",
    "make_pipes_ahead",
    "own_peak_rss_bytes",
    "pipe_name",
    "prepare",
    "read_short",
    "reap",
    "resize",
    "script_bytes",
    "send_signal",
    "send_signal_to_group",
    "signal_name",
    "signal_number",
    "start",
    "unread_bytes",
    "was_opened",
]

END_OF_INPUT = b"\x04"  # on a terminal
SCRIPT_SUFFIX = ".cmd"  # for cmd.exe under wine; no other shell cares
script_bytes = os.fsencode  # the encoding of a command's text in a file
LinkReader, LinkWriter = Reader, Writer  # on Windows these differ
