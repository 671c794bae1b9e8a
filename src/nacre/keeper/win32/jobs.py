"""Job objects of Windows: what is started in one stays in it, and dies with it.

Above it: `windows`. Below: `headers`, and the completion port of `pipes`.
"""

from __future__ import annotations

import os
from ctypes import byref, c_size_t, sizeof
from typing import TYPE_CHECKING

from nacre.keeper.win32.headers import (
    ERROR_MORE_DATA,
    INFINITE,
    JOB_BASIC_ACCOUNTING,
    JOB_EXTENDED_LIMITS,
    JOB_LIMIT_ACTIVE_PROCESS,
    JOB_LIMIT_JOB_MEMORY,
    JOB_LIMIT_JOB_TIME,
    JOB_LIMIT_KILL_ON_CLOSE,
    JOB_PORT,
    JOB_PROCESS_IDS,
    TICKS_PER_MS,
    JobAccounting,
    JobLimits,
    JobPort,
    check,
    close_handle,
    kernel32,
    last_error,
)

if TYPE_CHECKING:
    import ctypes

    from nacre.keeper.win32.pipes import Port


KEEPERS = "Global\\nacre-keeper-"


def keeper_mark(pid: int) -> str:
    """The name of the job that tells a keeper and its commands from other processes."""
    return f"{KEEPERS}{pid}"


def mark_as_keeper() -> None:
    """Put this process, and all that it will ever start, into the job of that name, as long as it lives.

    It is a mark and no more: whoever has taken the name before us has marked us as well.
    """
    job: int = kernel32.CreateJobObjectW(None, keeper_mark(os.getpid()))
    check(job)
    check(kernel32.AssignProcessToJobObject(job, kernel32.GetCurrentProcess()))


class Job:
    """A job object: what is started in it stays in it, and dies with it."""

    def __init__(self, limits: dict[str, int] | None = None) -> None:
        self.handle: int = kernel32.CreateJobObjectW(None, None)
        check(self.handle)
        self._limit(limits or {})

    def _limit(self, limits: dict[str, int]) -> None:
        limit_information = JobLimits()
        limit_information.flags = JOB_LIMIT_KILL_ON_CLOSE
        if "memory_bytes" in limits:
            limit_information.flags |= JOB_LIMIT_JOB_MEMORY
            limit_information.job_memory = limits["memory_bytes"]
        if "processes" in limits:
            limit_information.flags |= JOB_LIMIT_ACTIVE_PROCESS
            limit_information.active_processes = limits["processes"]
        if "cpu_s" in limits:
            limit_information.flags |= JOB_LIMIT_JOB_TIME
            limit_information.job_time = limits["cpu_s"] * 1000 * TICKS_PER_MS
        self._set(JOB_EXTENDED_LIMITS, limit_information)

    def _set(self, what: int, value: ctypes.Structure) -> None:
        check(kernel32.SetInformationJobObject(self.handle, what, byref(value), sizeof(value)))

    def tell(self, port: Port, key: int) -> None:
        """Have the port report the end of the last process."""
        self._set(JOB_PORT, JobPort(key, port.handle))

    def add(self, process: int) -> None:
        """Put a process into the job, and with it all that it will ever start."""
        check(kernel32.AssignProcessToJobObject(self.handle, process))

    def add_self(self) -> None:
        """Put this process into the job."""
        self.add(kernel32.GetCurrentProcess())

    def pids(self) -> list[int]:
        """Every process in it."""
        room = 64
        while True:
            listing = (c_size_t * (room + 1))()  # two 32-bit counts, then the ids
            worked = kernel32.QueryInformationJobObject(
                self.handle, JOB_PROCESS_IDS, listing, sizeof(listing), None
            )
            assigned, listed = listing[0] & INFINITE, listing[0] >> 32
            if worked and listed >= assigned:
                return list(listing[1 : listed + 1])
            if not worked and last_error() != ERROR_MORE_DATA:
                return []
            room = 2 * max(room, assigned)

    def cpu_ms(self) -> int:
        """CPU time of all its processes."""
        accounts = JobAccounting()
        kernel32.QueryInformationJobObject(
            self.handle, JOB_BASIC_ACCOUNTING, byref(accounts), sizeof(accounts), None
        )
        return (accounts.user + accounts.kernel) // TICKS_PER_MS

    def peak_memory_bytes(self) -> int:
        """The peak memory of all its processes together."""
        used = JobLimits()
        kernel32.QueryInformationJobObject(self.handle, JOB_EXTENDED_LIMITS, byref(used), sizeof(used), None)
        return used.peak_job_memory

    def terminate(self, exit_code: int) -> None:
        """End every process in it at once."""
        kernel32.TerminateJobObject(self.handle, exit_code)

    def close(self) -> None:
        """Close it; processes that are still in it die."""
        if self.handle:
            close_handle(self.handle)
            self.handle = 0
