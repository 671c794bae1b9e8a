"""A level as what Windows can enforce: the limits of a job object, and a restricted token.

Above it: `places`, once `keeper.win32` makes such a token. Pure: numbers and names, no call of Windows. No
server starts with it yet: asking for a sandbox on Windows ends the start.

Windows has no view of the files for each process. A restricted token with a low integrity level cannot write
outside of directories that are marked for it, but it reads what its user reads: secrets are not hidden. What
this enforces and what it does not is listed in `held`, for the documentation and the start-up line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.sandbox.profile import Level

if TYPE_CHECKING:
    from nacre.sandbox.profile import Profile

# winnt.h: limits of a job.
KILL_ON_JOB_CLOSE, DIE_ON_UNHANDLED_EXCEPTION = 0x2000, 0x400
ACTIVE_PROCESS, JOB_MEMORY, JOB_TIME = 0x8, 0x200, 0x4
# What a job keeps its processes from in the user's desktop: handles, clipboard, settings, logging off.
UI_HANDLES, UI_READ_CLIPBOARD, UI_WRITE_CLIPBOARD = 0x1, 0x2, 0x4
UI_SYSTEM_PARAMETERS, UI_DISPLAY_SETTINGS, UI_GLOBAL_ATOMS = 0x8, 0x10, 0x20
UI_DESKTOP, UI_EXIT_WINDOWS = 0x40, 0x80
ALL_UI = 0xFF
# CreateRestrictedToken: all privileges but the one that every process needs to walk directories.
DISABLE_MAX_PRIVILEGE, WRITE_RESTRICTED = 0x1, 0x8
LOW_INTEGRITY = "S-1-16-4096"
ADMINISTRATORS, POWER_USERS = "S-1-5-32-544", "S-1-5-32-547"
EVERYONE, USERS, RESTRICTED = "S-1-1-0", "S-1-5-32-545", "S-1-5-12"
TICKS_PER_S = 10_000_000  # of 100 ns


@dataclass(frozen=True, slots=True)
class JobLimits:
    """What a Job Object holds; 0: no limit."""

    flags: int
    ui_restrictions: int
    processes: int = 0
    memory_bytes: int = 0
    cpu_ticks: int = 0


@dataclass(frozen=True, slots=True)
class TokenPlan:
    """What is removed from the user's token before the keeper is started with it."""

    flags: int
    disabled_groups: tuple[str, ...]  # they can only deny from then on
    restricting_groups: tuple[str, ...]  # a write must be allowed to one of these as well
    integrity: str


@dataclass(frozen=True, slots=True)
class WindowsPlan:
    """A level on Windows."""

    job: JobLimits
    token: TokenPlan
    marked_low: tuple[str, ...]  # directories that a process of low integrity may write to
    held: tuple[str, ...]
    not_held: tuple[str, ...]


def build_windows_plan(
    profile: Profile, spool_directory: str, *, processes: int = 0, memory_bytes: int = 0, cpu_s: int = 0
) -> WindowsPlan:
    """How a keeper is started at a level, and what that enforces."""
    limits = {ACTIVE_PROCESS: processes, JOB_MEMORY: memory_bytes, JOB_TIME: cpu_s}
    flags = KILL_ON_JOB_CLOSE | DIE_ON_UNHANDLED_EXCEPTION
    flags |= sum(flag for flag, value in limits.items() if value)
    job = JobLimits(flags, ALL_UI, processes, memory_bytes, cpu_s * TICKS_PER_S)
    token = TokenPlan(
        DISABLE_MAX_PRIVILEGE | WRITE_RESTRICTED,
        (ADMINISTRATORS, POWER_USERS),
        (EVERYONE, USERS, RESTRICTED),
        LOW_INTEGRITY,
    )
    marked = (*(profile.writable if profile.level is not Level.READ_ONLY else ()), spool_directory)
    return WindowsPlan(job, token, tuple(dict.fromkeys(marked)), _held(profile), _not_held(profile))


def _held(profile: Profile) -> tuple[str, ...]:
    where = (
        "its own directory" if profile.level is Level.READ_ONLY else "the directories that are marked for it"
    )
    return (
        f"writes outside of {where}",
        "windows and clipboard of the desktop",
        "privileges and the rights of administrators",
        "memory of processes outside, and ending them",
        "everything ends with the server",
    )


def _not_held(profile: Profile) -> tuple[str, ...]:
    found = [
        "reading secrets",
        "protected files of the workspace",
        "a directory for temporary files of its own",
    ]
    if not profile.network:
        found.append("the network")
    if profile.own_processes_only:
        found.append("seeing other processes")
    return tuple(found)
