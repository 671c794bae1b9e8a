"""From the headers of Windows: constants, structures, and the signatures of the functions that are used.

Above it: the other modules of this package. Every failure is an OSError with the number from Windows.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_size_t
from ctypes.wintypes import BYTE, HANDLE, LARGE_INTEGER, LPCWSTR, LPVOID, LPWSTR, WORD
from typing import Any, ClassVar

# Windows' own names and numbers, from its headers. Elsewhere `wintypes` has 64 bits for these two.
BOOL, DWORD = ctypes.c_int32, ctypes.c_uint32
CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT = 0x4, 0x400
EXTENDED_STARTUPINFO_PRESENT, CREATE_NO_WINDOW = 0x80000, 0x08000000
STARTF_USESTDHANDLES = 0x100
PROC_THREAD_ATTRIBUTE_HANDLE_LIST, PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE = 0x20002, 0x20016
GENERIC_READ, GENERIC_WRITE = 0x80000000, 0x40000000
FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES = 0x80, 0x100
FILE_SHARE_READ_WRITE, OPEN_EXISTING = 3, 3
PIPE_ACCESS_INBOUND, PIPE_ACCESS_OUTBOUND = 1, 2
FILE_FLAG_OVERLAPPED, FILE_FLAG_FIRST_PIPE_INSTANCE = 0x40000000, 0x80000
PIPE_REJECT_REMOTE_CLIENTS = 8
INFINITE = 0xFFFFFFFF
WT_EXECUTEINWAITTHREAD_ONCE = 0x4 | 0x8
PROCESS_TERMINATE, PROCESS_QUERY_LIMITED_INFORMATION = 0x0001, 0x1000
ERROR_MORE_DATA, ERROR_PIPE_CONNECTED, ERROR_IO_PENDING = 234, 535, 997
JOB_BASIC_ACCOUNTING, JOB_PROCESS_IDS, JOB_PORT, JOB_EXTENDED_LIMITS = 1, 3, 7, 9
JOB_LIMIT_JOB_TIME, JOB_LIMIT_ACTIVE_PROCESS = 0x4, 0x8
JOB_LIMIT_JOB_MEMORY, JOB_LIMIT_KILL_ON_CLOSE = 0x200, 0x2000
JOB_IS_EMPTY = 4
PROCESS_COMMAND_LINE = 60
TICKS_PER_MS = 10_000  # Windows counts time in units of 100 ns
PIPE_BYTES = 1 << 16
PATH_CHARACTERS = 32768


class SecurityAttributes(ctypes.Structure):
    """SECURITY_ATTRIBUTES: only ever used to make a handle inheritable."""

    _fields_: ClassVar[Any] = [("size", DWORD), ("descriptor", LPVOID), ("inherit", BOOL)]


class StartupInfo(ctypes.Structure):
    """STARTUPINFOEXW."""

    _fields_: ClassVar[Any] = [
        *(("size", DWORD), ("reserved", LPWSTR), ("desktop", LPWSTR), ("title", LPWSTR)),
        *((name, DWORD) for name in ("x", "y", "width", "height", "columns", "rows", "fill", "flags")),
        *(("show", WORD), ("reserved_size", WORD), ("reserved_bytes", POINTER(BYTE))),
        *(("stdin", HANDLE), ("stdout", HANDLE), ("stderr", HANDLE), ("attributes", LPVOID)),
    ]


class Coordinates(ctypes.Structure):
    """COORD."""

    _fields_: ClassVar[Any] = [("x", ctypes.c_int16), ("y", ctypes.c_int16)]


class ProcessInformation(ctypes.Structure):
    """PROCESS_INFORMATION."""

    _fields_: ClassVar[Any] = [("process", HANDLE), ("thread", HANDLE), ("pid", DWORD), ("tid", DWORD)]


class JobPort(ctypes.Structure):
    """JOBOBJECT_ASSOCIATE_COMPLETION_PORT."""

    _fields_: ClassVar[Any] = [("key", c_size_t), ("port", HANDLE)]


class JobAccounting(ctypes.Structure):
    """JOBOBJECT_BASIC_ACCOUNTING_INFORMATION."""

    _fields_: ClassVar[Any] = [
        *((name, LARGE_INTEGER) for name in ("user", "kernel", "period_user", "period_kernel")),
        *((name, DWORD) for name in ("faults", "total", "active", "terminated")),
    ]


class JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION."""

    _fields_: ClassVar[Any] = [
        *(("process_time", LARGE_INTEGER), ("job_time", LARGE_INTEGER), ("flags", DWORD)),
        *(("least_set", c_size_t), ("most_set", c_size_t), ("active_processes", DWORD)),
        *(("affinity", c_size_t), ("priority", DWORD), ("scheduling", DWORD)),
        ("io_counters", ctypes.c_uint64 * 6),
        *(("process_memory", c_size_t), ("job_memory", c_size_t)),
        *(("peak_process_memory", c_size_t), ("peak_job_memory", c_size_t)),
    ]


class CountedString(ctypes.Structure):
    """UNICODE_STRING."""

    _fields_: ClassVar[Any] = [("size_bytes", WORD), ("room_bytes", WORD), ("text", LPVOID)]


class Overlapped(ctypes.Structure):
    """OVERLAPPED."""

    _fields_: ClassVar[Any] = [
        *(("internal", c_size_t), ("internal_high", c_size_t)),
        *(("offset", DWORD), ("offset_high", DWORD), ("event", HANDLE)),
    ]


def library(name: str) -> Any:
    """A library of Windows."""
    return getattr(ctypes, "WinDLL")(name, use_last_error=True)  # noqa: B009  # type checkers on Linux do not know WinDLL


kernel32 = library("kernel32")
ntdll = library("ntdll")
WAIT_CALLBACK: Any = ctypes.CFUNCTYPE(None, c_size_t, ctypes.c_ubyte)
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "AssignProcessToJobObject": (BOOL, [HANDLE, HANDLE]),
    "CancelIoEx": (BOOL, [HANDLE, LPVOID]),
    "CloseHandle": (BOOL, [HANDLE]),
    "ConnectNamedPipe": (BOOL, [HANDLE, LPVOID]),
    "CreateFileW": (HANDLE, [LPCWSTR, DWORD, DWORD, LPVOID, DWORD, DWORD, HANDLE]),
    "CreateIoCompletionPort": (HANDLE, [HANDLE, HANDLE, c_size_t, DWORD]),
    "CreateJobObjectW": (HANDLE, [LPVOID, LPCWSTR]),
    "CreateNamedPipeW": (HANDLE, [LPCWSTR, DWORD, DWORD, DWORD, DWORD, DWORD, DWORD, LPVOID]),
    "CreateProcessW": (
        BOOL,
        [LPCWSTR, LPWSTR, LPVOID, LPVOID, BOOL, DWORD, LPVOID, LPCWSTR, LPVOID, LPVOID],
    ),
    "DeleteProcThreadAttributeList": (None, [LPVOID]),
    "GetCurrentProcess": (HANDLE, []),
    "GetExitCodeProcess": (BOOL, [HANDLE, LPVOID]),
    "GetQueuedCompletionStatus": (BOOL, [HANDLE, LPVOID, LPVOID, LPVOID, DWORD]),
    "InitializeProcThreadAttributeList": (BOOL, [LPVOID, DWORD, DWORD, LPVOID]),
    "OpenProcess": (HANDLE, [DWORD, BOOL, DWORD]),
    "PostQueuedCompletionStatus": (BOOL, [HANDLE, DWORD, c_size_t, LPVOID]),
    "QueryFullProcessImageNameW": (BOOL, [HANDLE, DWORD, LPWSTR, LPVOID]),
    "QueryInformationJobObject": (BOOL, [HANDLE, ctypes.c_int, LPVOID, DWORD, LPVOID]),
    "ReadFile": (BOOL, [HANDLE, LPVOID, DWORD, LPVOID, LPVOID]),
    "RegisterWaitForSingleObject": (BOOL, [LPVOID, HANDLE, WAIT_CALLBACK, c_size_t, DWORD, DWORD]),
    "ResumeThread": (DWORD, [HANDLE]),
    "SetInformationJobObject": (BOOL, [HANDLE, ctypes.c_int, LPVOID, DWORD]),
    "TerminateJobObject": (BOOL, [HANDLE, DWORD]),
    "TerminateProcess": (BOOL, [HANDLE, DWORD]),
    "UnregisterWait": (BOOL, [HANDLE]),
    "UpdateProcThreadAttribute": (BOOL, [LPVOID, DWORD, c_size_t, LPVOID, c_size_t, LPVOID, LPVOID]),
    "WriteFile": (BOOL, [HANDLE, LPVOID, DWORD, LPVOID, LPVOID]),
}
for _name, (_result, _arguments) in _SIGNATURES.items():
    _function = getattr(kernel32, _name)
    _function.restype, _function.argtypes = _result, _arguments
ntdll.NtQueryInformationProcess.argtypes = [HANDLE, ctypes.c_int, LPVOID, DWORD, LPVOID]
INVALID_HANDLE = HANDLE(-1).value


def last_error() -> int:
    """The number of the error of the last call in this thread."""
    return getattr(ctypes, "get_last_error")()  # noqa: B009  # type checkers on Linux do not know it


def error(number: int, file: str | None = None) -> OSError:
    """An OSError for one of Windows' error numbers; Python translates it to an errno."""
    text: str = getattr(ctypes, "FormatError")(number)  # noqa: B009  # type checkers on Linux do not know it
    return OSError(0, text.strip(), file, number)


def check(worked: object, file: str | None = None) -> None:
    """Raise the last error unless a call worked."""
    if not worked:
        raise error(last_error(), file)


def close_handle(handle: int) -> None:
    """Close any handle."""
    kernel32.CloseHandle(handle)
