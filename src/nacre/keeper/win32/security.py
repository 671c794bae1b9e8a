"""Who is who on Windows: the user of a process, who is at the other end of a pipe, and who is a command.

Above it: `watch.named_pipes`; a keeper does not load this. Below: `headers`, and `jobs`, which marks keepers.
Every answer is certain, or an OSError.
"""

from __future__ import annotations

import contextlib
import ctypes
from ctypes import byref, sizeof
from ctypes.wintypes import HANDLE, LPCWSTR, LPVOID, LPWSTR
from typing import TYPE_CHECKING, Any

from nacre.keeper.win32.headers import (
    BOOL,
    DWORD,
    FILE_FLAG_FIRST_PIPE_INSTANCE,
    FILE_FLAG_OVERLAPPED,
    INVALID_HANDLE,
    PIPE_BYTES,
    PIPE_REJECT_REMOTE_CLIENTS,
    SecurityAttributes,
    check,
    close_handle,
    kernel32,
    last_error,
    library,
)
from nacre.keeper.win32.jobs import keeper_mark

if TYPE_CHECKING:
    from collections.abc import Generator

TOKEN_QUERY, TOKEN_USER = 8, 1
PROCESS_QUERY_INFORMATION = 0x400
JOB_OBJECT_QUERY = 4
PIPE_ACCESS_DUPLEX, PIPE_UNLIMITED_INSTANCES = 3, 255
ERROR_FILE_NOT_FOUND = 2
SDDL_REVISION = 1

advapi32 = library("advapi32")
_SIGNATURES: dict[str, list[Any]] = {
    "ConvertSidToStringSidW": [LPVOID, LPVOID],
    "ConvertStringSecurityDescriptorToSecurityDescriptorW": [LPCWSTR, DWORD, LPVOID, LPVOID],
    "GetTokenInformation": [HANDLE, ctypes.c_int, LPVOID, DWORD, LPVOID],
    "OpenProcessToken": [HANDLE, DWORD, LPVOID],
}
for _name, _arguments in _SIGNATURES.items():
    _function = getattr(advapi32, _name)
    _function.restype, _function.argtypes = BOOL, _arguments
kernel32.GetNamedPipeClientProcessId.argtypes = [HANDLE, LPVOID]
kernel32.GetNamedPipeServerProcessId.argtypes = [HANDLE, LPVOID]
kernel32.IsProcessInJob.argtypes = [HANDLE, HANDLE, LPVOID]
kernel32.K32EnumProcesses.argtypes = [LPVOID, DWORD, LPVOID]
kernel32.LocalFree.argtypes = [LPVOID]
kernel32.OpenJobObjectW.restype, kernel32.OpenJobObjectW.argtypes = HANDLE, [DWORD, BOOL, LPCWSTR]


# -- users


def own_user() -> str:
    """The user of this process, as Windows numbers them (a SID)."""
    return _user_of(kernel32.GetCurrentProcess())


def user_of(pid: int) -> str:
    """The user of a process."""
    with _opened(pid) as process:
        return _user_of(process)


def _user_of(process: int) -> str:
    token = HANDLE()
    check(advapi32.OpenProcessToken(process, TOKEN_QUERY, byref(token)))
    try:
        size = DWORD()
        advapi32.GetTokenInformation(token, TOKEN_USER, None, 0, byref(size))
        answer = ctypes.create_string_buffer(size.value)
        check(advapi32.GetTokenInformation(token, TOKEN_USER, answer, size, byref(size)))
    finally:
        close_handle(token.value or 0)
    text = LPWSTR()
    check(advapi32.ConvertSidToStringSidW(LPVOID.from_buffer(answer), byref(text)))
    try:
        return text.value or ""
    finally:
        kernel32.LocalFree(text)


@contextlib.contextmanager
def _opened(pid: int) -> Generator[int]:
    process: int = kernel32.OpenProcess(PROCESS_QUERY_INFORMATION, False, pid) or 0
    check(process)
    try:
        yield process
    finally:
        close_handle(process)


# -- pipes


def make_private_pipe(name: str, *, is_first: bool) -> int:
    """An instance of a named pipe for both directions, open to programs of this user on this machine alone.

    The first one makes the name, and fails where there is such a name already.
    """
    descriptor = LPVOID()
    only_us = f"D:P(A;;GA;;;{own_user()})"
    check(
        advapi32.ConvertStringSecurityDescriptorToSecurityDescriptorW(
            only_us, SDDL_REVISION, byref(descriptor), None
        )
    )
    attributes = SecurityAttributes(sizeof(SecurityAttributes), descriptor, False)
    flags = PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | (FILE_FLAG_FIRST_PIPE_INSTANCE if is_first else 0)
    limits = (PIPE_UNLIMITED_INSTANCES, PIPE_BYTES, PIPE_BYTES, 0)
    try:
        pipe: int = kernel32.CreateNamedPipeW(
            name, flags, PIPE_REJECT_REMOTE_CLIENTS, *limits, byref(attributes)
        )
        check(pipe != INVALID_HANDLE, name)
    finally:
        kernel32.LocalFree(descriptor)
    return pipe


def client_of(pipe: int) -> int:
    """The process that has connected to our end of a pipe."""
    pid = DWORD()
    check(kernel32.GetNamedPipeClientProcessId(pipe, byref(pid)))
    return pid.value


def server_of(pipe: int) -> int:
    """The process that has made the pipe to which we have connected."""
    pid = DWORD()
    check(kernel32.GetNamedPipeServerProcessId(pipe, byref(pid)))
    return pid.value


# -- processes and commands


def lives(pid: int) -> bool:
    """Whether there is such a process."""
    return pid in _process_ids()


def is_of_a_command(pid: int) -> bool:
    """Whether a keeper, or what one has started, is that process: of any server but those around us."""
    with _opened(pid) as process:
        return any(_is_in(process, job) for job in _keepers_jobs())


def _keepers_jobs() -> Generator[int]:
    for pid in _process_ids():
        job: int = kernel32.OpenJobObjectW(JOB_OBJECT_QUERY, False, keeper_mark(pid)) or 0
        if not job:
            check(last_error() == ERROR_FILE_NOT_FOUND)
            continue
        try:
            if not _is_in(kernel32.GetCurrentProcess(), job):
                yield job
        finally:
            close_handle(job)


def _is_in(process: int, job: int) -> bool:
    answer = BOOL()
    check(kernel32.IsProcessInJob(process, job, byref(answer)))
    return bool(answer.value)


def _process_ids() -> list[int]:
    room = 1024
    while True:
        listing, used = (DWORD * room)(), DWORD()
        check(kernel32.K32EnumProcesses(listing, sizeof(listing), byref(used)))
        if used.value < sizeof(listing):
            return list(listing[: used.value // sizeof(DWORD)])
        room *= 2
