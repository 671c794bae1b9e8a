"""The few Windows API calls that a keeper makes, typed.

Above it: `windows`, which knows what they are for. Importing this package works on Windows only; reading it
with a type checker works anywhere.

    headers    numbers, structures, signatures, errors
    pipes      pipes, reads and writes under way, the completion port
    jobs       job objects
    consoles   pseudoconsoles
    processes  starting a process, waiting for its end, asking what it is
    security   users, who is at the other end of a pipe; for nacre, not for a keeper
"""

from __future__ import annotations

from nacre.keeper.win32.consoles import PseudoConsole
from nacre.keeper.win32.headers import GENERIC_READ, JOB_IS_EMPTY, close_handle
from nacre.keeper.win32.jobs import Job, mark_as_keeper
from nacre.keeper.win32.pipes import Operation, Packet, Port, begin_read, begin_write, make_pipe, open_file
from nacre.keeper.win32.processes import (
    Launch,
    Process,
    Wait,
    command_line_of,
    create_process,
    exit_code,
    image_of,
    open_process,
    terminate,
)

__all__ = [
    "GENERIC_READ",
    "JOB_IS_EMPTY",
    "Job",
    "Launch",
    "Operation",
    "Packet",
    "Port",
    "Process",
    "PseudoConsole",
    "Wait",
    "begin_read",
    "begin_write",
    "close_handle",
    "command_line_of",
    "create_process",
    "exit_code",
    "image_of",
    "make_pipe",
    "mark_as_keeper",
    "open_file",
    "open_process",
    "terminate",
]
