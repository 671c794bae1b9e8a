"""Processes of Windows: starting one in a job, waiting for its end, its program and command line.

Above it: `windows`. Below: `headers`, `jobs`, and the completion port of `pipes`.
"""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref, c_size_t, sizeof
from ctypes.wintypes import HANDLE
from typing import TYPE_CHECKING, Any, ClassVar

from nacre.keeper.records import dataclass
from nacre.keeper.win32.headers import (
    CREATE_NO_WINDOW,
    CREATE_SUSPENDED,
    CREATE_UNICODE_ENVIRONMENT,
    DWORD,
    EXTENDED_STARTUPINFO_PRESENT,
    INFINITE,
    PATH_CHARACTERS,
    PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
    PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE,
    PROCESS_COMMAND_LINE,
    PROCESS_QUERY_LIMITED_INFORMATION,
    PROCESS_TERMINATE,
    STARTF_USESTDHANDLES,
    WAIT_CALLBACK,
    WT_EXECUTEINWAITTHREAD_ONCE,
    CountedString,
    ProcessInformation,
    StartupInfo,
    check,
    close_handle,
    kernel32,
    ntdll,
)

if TYPE_CHECKING:
    from collections.abc import Generator

    from nacre.keeper.win32.jobs import Job
    from nacre.keeper.win32.pipes import Port


@dataclass(slots=True)
class Process:
    """A process we started."""

    pid: int
    handle: int


@dataclass(frozen=True, slots=True)
class Launch:
    """The arguments of CreateProcess."""

    program: str
    command_line: str
    environment: str  # NAME=value, each ended by a NUL, sorted
    directory: str
    streams: tuple[int, int, int] = (0, 0, 0)
    console: int = 0  # a pseudoconsole, which then has all three


def create_process(launch: Launch, job: Job) -> Process:
    """Start a program in a job, without a window, with its three streams and no other handle of ours."""
    created = ProcessInformation()
    flags = CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT
    if not launch.console:
        flags |= CREATE_NO_WINDOW  # with it, a program on a pseudoconsole would get another console
    block = ctypes.create_unicode_buffer(launch.environment, len(launch.environment) + 1)
    line = ctypes.create_unicode_buffer(launch.command_line)  # Windows may write into it
    with _startup_info(launch) as startup:
        check(
            kernel32.CreateProcessW(
                *(launch.program, line, None, None, not launch.console, flags, block, launch.directory),
                *(byref(startup), byref(created)),
            ),
            launch.program,
        )
    try:
        job.add(created.process)  # before its first instruction, so that nothing it starts can be outside
        check(kernel32.ResumeThread(created.thread) != INFINITE, launch.program)
    except OSError:
        kernel32.TerminateProcess(created.process, 1)
        close_handle(created.process)
        raise
    finally:
        close_handle(created.thread)
    return Process(created.pid, created.process)


@contextlib.contextmanager
def _startup_info(launch: Launch) -> Generator[StartupInfo]:
    """Standard handles, and the list that keeps every other handle from being inherited.

    On a pseudoconsole the handles are given as none: otherwise Windows would copy our own.
    """
    size = c_size_t()
    kernel32.InitializeProcThreadAttributeList(None, 1, 0, byref(size))
    attributes = ctypes.create_string_buffer(size.value)
    check(kernel32.InitializeProcThreadAttributeList(attributes, 1, 0, byref(size)))
    inherited = (HANDLE * len(set(launch.streams)))(*set(launch.streams))
    list_of_handles = (PROC_THREAD_ATTRIBUTE_HANDLE_LIST, inherited, sizeof(inherited))
    console = (PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, launch.console, sizeof(HANDLE))
    attribute = console if launch.console else list_of_handles
    try:
        check(kernel32.UpdateProcThreadAttribute(attributes, 0, *attribute, None, None))
        startup = StartupInfo()
        startup.size = sizeof(StartupInfo)
        startup.flags = STARTF_USESTDHANDLES
        startup.stdin, startup.stdout, startup.stderr = launch.streams
        startup.attributes = ctypes.addressof(attributes)
        yield startup
    finally:
        kernel32.DeleteProcThreadAttributeList(attributes)


class Wait:
    """Posts a process's id to a port when it has ended."""

    _ports: ClassVar[
        dict[int, tuple[Port, int]]
    ] = {}  # by process id: for the callback, which runs in another thread

    def __init__(self, process: Process, port: Port, key: int) -> None:
        self._ports[process.pid] = (port, key)
        self._handle = HANDLE()
        check(
            kernel32.RegisterWaitForSingleObject(
                byref(self._handle),
                *(process.handle, _when_ended, process.pid, INFINITE, WT_EXECUTEINWAITTHREAD_ONCE),
            )
        )

    @classmethod
    def ended(cls, pid: int) -> None:
        """In a thread of Windows: post the end to the port."""
        port, key = cls._ports.pop(pid)
        port.post(key, pid)

    def close(self) -> None:
        """Stop waiting."""
        kernel32.UnregisterWait(self._handle)


def _process_ended(pid: int, _timed_out: int) -> None:
    Wait.ended(pid)


_when_ended: Any = WAIT_CALLBACK(_process_ended)


def exit_code(process: Process) -> int:
    """The exit code of an ended process."""
    code = DWORD()
    kernel32.GetExitCodeProcess(process.handle, byref(code))
    return code.value


def open_process(pid: int) -> int:
    """A handle for the end of a process; 0: it is gone."""
    return kernel32.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid) or 0


def terminate(pid: int, code: int) -> None:
    """End a process; one that is gone, or that we may not end, is skipped."""
    handle: int = kernel32.OpenProcess(PROCESS_TERMINATE, False, pid) or 0
    if handle:
        kernel32.TerminateProcess(handle, code)
        close_handle(handle)


def image_of(pid: int) -> str:
    """The file a process was started from; empty when it is gone."""
    with _opened(pid) as handle:
        path, size = ctypes.create_unicode_buffer(PATH_CHARACTERS), DWORD(PATH_CHARACTERS)
        worked = handle and kernel32.QueryFullProcessImageNameW(handle, 0, path, byref(size))
        return path.value if worked else ""


def command_line_of(pid: int) -> str:
    """The command line of a process; empty: unknown."""
    with _opened(pid) as handle:
        answer = ctypes.create_string_buffer(2 * PATH_CHARACTERS + sizeof(CountedString))
        if not handle or ntdll.NtQueryInformationProcess(
            handle, PROCESS_COMMAND_LINE, answer, sizeof(answer), None
        ):
            return ""
        text = CountedString.from_buffer(answer)
        return ctypes.string_at(text.text, text.size_bytes).decode("utf-16-le", "replace")


@contextlib.contextmanager
def _opened(pid: int) -> Generator[int]:
    handle: int = kernel32.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, False, pid) or 0
    try:
        yield handle
    finally:
        if handle:
            close_handle(handle)
