"""The few calls of Windows that a keeper makes, typed: pipes, processes, job objects, a completion port.

Above it: `windows`, which knows what they are for. Every failure is an OSError with the number that
Windows gave. Importing this module works on Windows only; reading it with a type checker works anywhere.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
from ctypes import POINTER, byref, c_size_t, sizeof
from ctypes.wintypes import BOOL, BYTE, DWORD, HANDLE, LARGE_INTEGER, LPCWSTR, LPVOID, LPWSTR, WORD
from typing import TYPE_CHECKING, Any, ClassVar

from nacre.keeper.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

# Windows' own names and numbers, from its headers.
CREATE_SUSPENDED, CREATE_UNICODE_ENVIRONMENT = 0x4, 0x400
EXTENDED_STARTUPINFO_PRESENT, CREATE_NO_WINDOW = 0x80000, 0x08000000
STARTF_USESTDHANDLES = 0x100
PROC_THREAD_ATTRIBUTE_HANDLE_LIST = 0x20002
GENERIC_READ, GENERIC_WRITE = 0x80000000, 0x40000000
FILE_READ_ATTRIBUTES, FILE_WRITE_ATTRIBUTES = 0x80, 0x100
FILE_SHARE_READ_WRITE, OPEN_EXISTING = 3, 3
PIPE_ACCESS_INBOUND, PIPE_ACCESS_OUTBOUND = 1, 2
FILE_FLAG_OVERLAPPED, FILE_FLAG_FIRST_PIPE_INSTANCE = 0x40000000, 0x80000
PIPE_REJECT_REMOTE_CLIENTS = 8
HANDLE_FLAG_INHERIT = 1
INFINITE = 0xFFFFFFFF
WT_EXECUTEINWAITTHREAD_ONCE = 0x4 | 0x8
PROCESS_QUERY_LIMITED_INFORMATION = 0x1000
ERROR_BROKEN_PIPE, ERROR_MORE_DATA, ERROR_PIPE_CONNECTED, ERROR_IO_PENDING = 109, 234, 535, 997
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


def _library(name: str) -> Any:
    return getattr(ctypes, "WinDLL")(name, use_last_error=True)  # noqa: B009  # type checkers on Linux do not know WinDLL


_kernel32 = _library("kernel32")
_ntdll = _library("ntdll")
_WAIT_CALLBACK: Any = ctypes.CFUNCTYPE(None, c_size_t, ctypes.c_ubyte)
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
    "RegisterWaitForSingleObject": (BOOL, [LPVOID, HANDLE, _WAIT_CALLBACK, c_size_t, DWORD, DWORD]),
    "ResumeThread": (DWORD, [HANDLE]),
    "SetHandleInformation": (BOOL, [HANDLE, DWORD, DWORD]),
    "SetInformationJobObject": (BOOL, [HANDLE, ctypes.c_int, LPVOID, DWORD]),
    "TerminateJobObject": (BOOL, [HANDLE, DWORD]),
    "TerminateProcess": (BOOL, [HANDLE, DWORD]),
    "UnregisterWait": (BOOL, [HANDLE]),
    "UpdateProcThreadAttribute": (BOOL, [LPVOID, DWORD, c_size_t, LPVOID, c_size_t, LPVOID, LPVOID]),
    "WriteFile": (BOOL, [HANDLE, LPVOID, DWORD, LPVOID, LPVOID]),
}
for _name, (_result, _arguments) in _SIGNATURES.items():
    _function = getattr(_kernel32, _name)
    _function.restype, _function.argtypes = _result, _arguments
_ntdll.NtQueryInformationProcess.argtypes = [HANDLE, ctypes.c_int, LPVOID, DWORD, LPVOID]
_INVALID_HANDLE = HANDLE(-1).value


def _last_error() -> int:
    return getattr(ctypes, "get_last_error")()  # noqa: B009  # type checkers on Linux do not know it


def error(number: int, file: str | None = None) -> OSError:
    """An OSError for one of Windows' error numbers; Python translates it to an errno."""
    text: str = getattr(ctypes, "FormatError")(number)  # noqa: B009  # type checkers on Linux do not know it
    return OSError(0, text.strip(), file, number)


def _check(worked: object, file: str | None = None) -> None:
    if not worked:
        raise error(_last_error(), file)


def close_handle(handle: int) -> None:
    """Let go of anything."""
    _kernel32.CloseHandle(handle)


def keep_from_children(handle: int) -> None:
    """Make sure that no process started later gets a copy of a handle."""
    _kernel32.SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0)


# -- pipes


class Operation:
    """One read or write under way: nothing of it may move or be freed until Windows says that it is over."""

    __slots__ = ("address", "buffer", "callback", "count", "failure", "handle", "overlapped", "owner")

    def __init__(
        self, handle: int, buffer: Any, callback: Callable[[Operation], None], owner: int = 0
    ) -> None:
        self.handle = handle
        self.owner = owner  # the command that it works for
        self.buffer = buffer
        self.callback: Callable[[Operation], None] | None = callback
        self.overlapped = Overlapped()
        self.address = ctypes.addressof(self.overlapped)
        self.count = 0
        self.failure = 0

    def cancel(self) -> None:
        """Give it up; its end is told all the same, to nobody."""
        self.callback = None
        _kernel32.CancelIoEx(self.handle, self.address)


def begin_read(operation: Operation) -> bool:
    """Read into the operation's buffer. False: the pipe is at its end, and nothing is under way."""
    return _begun(
        _kernel32.ReadFile(operation.handle, operation.buffer, len(operation.buffer), None, operation.address)
    )


def begin_write(operation: Operation) -> bool:
    """Write the operation's buffer. False: nobody reads any more, and nothing is under way."""
    return _begun(
        _kernel32.WriteFile(
            operation.handle, operation.buffer, len(operation.buffer), None, operation.address
        )
    )


def _begun(at_once: object) -> bool:
    return bool(at_once) or _last_error() in (ERROR_IO_PENDING, ERROR_MORE_DATA)


_pipe_numbers = itertools.count(1)
_inheritable = SecurityAttributes(sizeof(SecurityAttributes), None, True)


def make_pipe(*, incoming: bool) -> tuple[int, int]:
    """A pipe that is asynchronous at our end and plain at theirs: (ours, theirs).

    Anonymous pipes cannot be asynchronous, so it has a name, which nobody can guess or take first.
    """
    name = rf"\\.\pipe\nacre-{os.getpid()}-{next(_pipe_numbers)}-{os.urandom(8).hex()}"
    access = PIPE_ACCESS_INBOUND if incoming else PIPE_ACCESS_OUTBOUND
    flags = access | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE
    ours: int = _kernel32.CreateNamedPipeW(
        name, flags, PIPE_REJECT_REMOTE_CLIENTS, 1, PIPE_BYTES, PIPE_BYTES, 0, None
    )
    _check(ours != _INVALID_HANDLE)
    try:
        # The attributes are what an anonymous pipe grants too; some runtimes ask a pipe about itself.
        write, read = GENERIC_WRITE | FILE_READ_ATTRIBUTES, GENERIC_READ | FILE_WRITE_ATTRIBUTES
        theirs = open_file(name, write if incoming else read)
        connected = Overlapped()
        if not _kernel32.ConnectNamedPipe(ours, byref(connected)):
            _check(_last_error() == ERROR_PIPE_CONNECTED)
    except OSError:
        close_handle(ours)
        raise
    return ours, theirs


def open_file(name: str, access: int) -> int:
    """Open a file for a command: an inheritable handle."""
    handle: int = _kernel32.CreateFileW(
        name, access, FILE_SHARE_READ_WRITE, byref(_inheritable), OPEN_EXISTING, 0, None
    )
    _check(handle != _INVALID_HANDLE, name)
    return handle


# -- the completion port


@dataclass(slots=True)
class Packet:
    """What the port has to tell: an operation that is over (by its address), or a number posted to a key."""

    key: int
    number: int
    address: int
    failure: int


class Port:
    """The one thing an event loop waits on."""

    def __init__(self) -> None:
        self.handle: int = _kernel32.CreateIoCompletionPort(_INVALID_HANDLE, None, 0, 1)
        _check(self.handle)

    def attach(self, handle: int, key: int) -> None:
        """Let the port tell of operations on a handle."""
        _check(_kernel32.CreateIoCompletionPort(handle, self.handle, key, 0))

    def post(self, key: int, number: int = 0) -> None:
        """Put a packet into the port, from any thread."""
        _kernel32.PostQueuedCompletionStatus(self.handle, number, key, None)

    def next(self, patience_ms: float | None) -> Packet | None:
        """Wait for a packet; None when there was none in that time."""
        number, key, address = DWORD(), c_size_t(), c_size_t()
        wait = INFINITE if patience_ms is None else min(int(patience_ms + 0.999), INFINITE - 1)
        worked = _kernel32.GetQueuedCompletionStatus(
            self.handle, byref(number), byref(key), byref(address), wait
        )
        failure = 0 if worked else _last_error()
        if failure and not address.value:
            return None
        return Packet(key.value, number.value, address.value, failure)


# -- job objects


class Job:
    """A job object: what is started in it stays in it, and dies with it."""

    def __init__(self, limits: dict[str, int] | None = None) -> None:
        self.handle: int = _kernel32.CreateJobObjectW(None, None)
        _check(self.handle)
        self._limit(limits or {})

    def _limit(self, limits: dict[str, int]) -> None:
        told = JobLimits()
        told.flags = JOB_LIMIT_KILL_ON_CLOSE
        if "memory_bytes" in limits:
            told.flags |= JOB_LIMIT_JOB_MEMORY
            told.job_memory = limits["memory_bytes"]
        if "processes" in limits:
            told.flags |= JOB_LIMIT_ACTIVE_PROCESS
            told.active_processes = limits["processes"]
        if "cpu_s" in limits:
            told.flags |= JOB_LIMIT_JOB_TIME
            told.job_time = limits["cpu_s"] * 1000 * TICKS_PER_MS
        self._set(JOB_EXTENDED_LIMITS, told)

    def _set(self, what: int, value: ctypes.Structure) -> None:
        _check(_kernel32.SetInformationJobObject(self.handle, what, byref(value), sizeof(value)))

    def tell(self, port: Port, key: int) -> None:
        """Let the port tell when the last process has gone."""
        self._set(JOB_PORT, JobPort(key, port.handle))

    def add(self, process: int) -> None:
        """Put a process into the job, and with it all that it will ever start."""
        _check(_kernel32.AssignProcessToJobObject(self.handle, process))

    def add_self(self) -> None:
        """Put this very process into the job."""
        self.add(_kernel32.GetCurrentProcess())

    def pids(self) -> list[int]:
        """Every process in it."""
        room = 64
        while True:
            told = (c_size_t * (room + 1))()  # two 32-bit counts, then the ids
            worked = _kernel32.QueryInformationJobObject(
                self.handle, JOB_PROCESS_IDS, told, sizeof(told), None
            )
            assigned, listed = told[0] & INFINITE, told[0] >> 32
            if worked and listed >= assigned:
                return list(told[1 : listed + 1])
            if not worked and _last_error() != ERROR_MORE_DATA:
                return []
            room = 2 * max(room, assigned)

    def cpu_ms(self) -> int:
        """What all its processes have used."""
        told = JobAccounting()
        _kernel32.QueryInformationJobObject(
            self.handle, JOB_BASIC_ACCOUNTING, byref(told), sizeof(told), None
        )
        return (told.user + told.kernel) // TICKS_PER_MS

    def peak_memory_bytes(self) -> int:
        """The most that all its processes had together."""
        told = JobLimits()
        _kernel32.QueryInformationJobObject(self.handle, JOB_EXTENDED_LIMITS, byref(told), sizeof(told), None)
        return told.peak_job_memory

    def terminate(self, exit_code: int) -> None:
        """End every process in it, at once and for good."""
        _kernel32.TerminateJobObject(self.handle, exit_code)

    def close(self) -> None:
        """Let go of it; a process that is still in it dies."""
        if self.handle:
            close_handle(self.handle)
            self.handle = 0


# -- processes


@dataclass(slots=True)
class Process:
    """A process we started."""

    pid: int
    handle: int


@dataclass(frozen=True, slots=True)
class Launch:
    """What CreateProcess is to be told."""

    program: str
    command_line: str
    environment: str  # NAME=value, each ended by a NUL, sorted
    directory: str
    streams: tuple[int, int, int]


def create_process(launch: Launch, job: Job) -> Process:
    """Start a program in a job, without a window, with its three streams and no other handle of ours."""
    told = ProcessInformation()
    flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT
    block = ctypes.create_unicode_buffer(launch.environment, len(launch.environment) + 1)
    line = ctypes.create_unicode_buffer(launch.command_line)  # Windows wants to be able to write into it
    with _startup_info(launch.streams) as startup:
        _check(
            _kernel32.CreateProcessW(
                *(launch.program, line, None, None, True, flags, block, launch.directory),
                *(byref(startup), byref(told)),
            ),
            launch.program,
        )
    try:
        job.add(told.process)  # before its first instruction, so that nothing it starts can be outside
        _check(_kernel32.ResumeThread(told.thread) != INFINITE, launch.program)
    except OSError:
        _kernel32.TerminateProcess(told.process, 1)
        close_handle(told.process)
        raise
    finally:
        close_handle(told.thread)
    return Process(told.pid, told.process)


@contextlib.contextmanager
def _startup_info(streams: tuple[int, int, int]) -> Generator[StartupInfo]:
    """Standard handles, and the list that keeps every other handle from being inherited."""
    size = c_size_t()
    _kernel32.InitializeProcThreadAttributeList(None, 1, 0, byref(size))
    attributes = ctypes.create_string_buffer(size.value)
    _check(_kernel32.InitializeProcThreadAttributeList(attributes, 1, 0, byref(size)))
    inherited = (HANDLE * len(set(streams)))(*set(streams))
    try:
        _check(
            _kernel32.UpdateProcThreadAttribute(
                attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited, sizeof(inherited), None, None
            )
        )
        startup = StartupInfo()
        startup.size = sizeof(StartupInfo)
        startup.flags = STARTF_USESTDHANDLES
        startup.stdin, startup.stdout, startup.stderr = streams
        startup.attributes = ctypes.addressof(attributes)
        yield startup
    finally:
        _kernel32.DeleteProcThreadAttributeList(attributes)


class Wait:
    """Posts a process's id to a port when it has ended."""

    _ports: ClassVar[
        dict[int, tuple[Port, int]]
    ] = {}  # by process id: what the callback, in another thread, needs

    def __init__(self, process: Process, port: Port, key: int) -> None:
        self._ports[process.pid] = (port, key)
        self._handle = HANDLE()
        _check(
            _kernel32.RegisterWaitForSingleObject(
                byref(self._handle),
                *(process.handle, _when_ended, process.pid, INFINITE, WT_EXECUTEINWAITTHREAD_ONCE),
            )
        )

    @classmethod
    def ended(cls, pid: int) -> None:
        """In a thread of Windows' own: pass the news on."""
        port, key = cls._ports.pop(pid)
        port.post(key, pid)

    def close(self) -> None:
        """Stop waiting."""
        _kernel32.UnregisterWait(self._handle)


def _process_ended(pid: int, _timed_out: int) -> None:
    Wait.ended(pid)


_when_ended: Any = _WAIT_CALLBACK(_process_ended)


def exit_code(process: Process) -> int:
    """How an ended process ended."""
    code = DWORD()
    _kernel32.GetExitCodeProcess(process.handle, byref(code))
    return code.value


def image_of(pid: int) -> str:
    """The file a process was started from; empty when it is gone."""
    with _opened(pid) as handle:
        path, size = ctypes.create_unicode_buffer(PATH_CHARACTERS), DWORD(PATH_CHARACTERS)
        worked = handle and _kernel32.QueryFullProcessImageNameW(handle, 0, path, byref(size))
        return path.value if worked else ""


def command_line_of(pid: int) -> str:
    """What a process was started as; empty when Windows does not tell."""
    with _opened(pid) as handle:
        told = ctypes.create_string_buffer(2 * PATH_CHARACTERS + sizeof(CountedString))
        if not handle or _ntdll.NtQueryInformationProcess(
            handle, PROCESS_COMMAND_LINE, told, sizeof(told), None
        ):
            return ""
        text = CountedString.from_buffer(told)
        return ctypes.string_at(text.text, text.size_bytes).decode("utf-16-le", "replace")


@contextlib.contextmanager
def _opened(pid: int) -> Generator[int]:
    handle: int = _kernel32.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid) or 0
    try:
        yield handle
    finally:
        if handle:
            close_handle(handle)
