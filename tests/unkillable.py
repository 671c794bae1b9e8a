"""A process that does not die of KILL, without a broken kernel: one that is traced, and held at its exit."""

from __future__ import annotations

import contextlib
import ctypes
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

PTRACE_DETACH, PTRACE_SEIZE = 17, 0x4206
PTRACE_O_TRACEEXIT = 0x40
_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request: int, pid: int, data: int) -> None:
    if _libc.ptrace(request, pid, None, data) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextlib.contextmanager
def unkillable(pid: int) -> Generator[None]:
    """Inside, KILL brings the process to the door and no further; afterwards it dies of it."""
    _ptrace(PTRACE_SEIZE, pid, PTRACE_O_TRACEEXIT)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # it was never killed, or runs
            os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
            _ptrace(PTRACE_DETACH, pid, 0)
