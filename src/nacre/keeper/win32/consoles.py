"""Pseudoconsoles (ConPTY): a console whose screen and keyboard are two pipes.

Above it: `windows`. Below: `headers`. Windows has them since version 1809 of Windows 10.
"""

from __future__ import annotations

import ctypes
import errno
import threading
from ctypes import byref
from ctypes.wintypes import HANDLE, LPVOID
from typing import Any

from nacre.keeper.win32.headers import DWORD, Coordinates, kernel32

_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "CreatePseudoConsole": (ctypes.c_int32, [Coordinates, HANDLE, HANDLE, DWORD, LPVOID]),
    "ResizePseudoConsole": (ctypes.c_int32, [HANDLE, Coordinates]),
    "ClosePseudoConsole": (None, [HANDLE]),
}


def _call(name: str, *arguments: Any) -> None:
    """One of the calls; OSError: it failed, or this Windows does not have it."""
    function = getattr(kernel32, name, None)
    if function is None:
        raise OSError(
            errno.ENOTSUP,
            "this Windows has no terminals for other programs: they came with version 1809 of Windows 10;"
            " run it without a terminal",
        )
    function.restype, function.argtypes = _SIGNATURES[name]
    code: int | None = function(*arguments)
    if code:
        text: str = getattr(ctypes, "FormatError")(code)  # noqa: B009  # type checkers on Linux do not know it
        raise OSError(0, f"{name}: {text.strip().rstrip('.')} (0x{code & 0xFFFFFFFF:08X})", None, code)


class PseudoConsole:
    """One console. What programs print on it comes out of a pipe, what goes into the other is typed."""

    def __init__(self, rows: int, columns: int, reads: int, writes: int) -> None:
        self._handle = HANDLE()
        _call("CreatePseudoConsole", Coordinates(columns, rows), reads, writes, 0, byref(self._handle))

    @property
    def handle(self) -> int:
        """What a process is started with that is to be on it."""
        return self._handle.value or 0

    def resize(self, rows: int, columns: int) -> None:
        """Tell it, and the programs on it, its size."""
        _call("ResizePseudoConsole", self._handle, Coordinates(columns, rows))

    def close(self) -> None:
        """End it, with every program that is still on it; then its output ends.

        Windows lets this call wait until all output was read, which is done by the thread that calls us.
        """
        if self._handle:
            handle, self._handle = self._handle, HANDLE()
            threading.Thread(target=_call, args=("ClosePseudoConsole", handle), daemon=True).start()
