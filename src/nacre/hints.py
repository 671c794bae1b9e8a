"""What to do next, told beside a failure: a misspelt command, a file that may not be used, nothing left.

Above it: `service`, which asks only when a command has failed. It looks at the file system, never changes it.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from functools import lru_cache
from typing import TYPE_CHECKING

from nacre import dialects
from nacre.model import Ended

if TYPE_CHECKING:
    from nacre.model import Result

LONG_NAME = 5  # a name of so many letters may be two slips away
_DENIED = re.compile(r"(?:^|: )'?(?P<file>[^:'\n]+)'?: Permission denied$", re.MULTILINE)

_NO_MEMORY = ("Cannot allocate memory", "MemoryError", "bad_alloc", "ut of memory", "memory exhausted")
_KILLED = "SIGKILL ended it. If nobody sent that, the system ran out of memory."
_CPU_SPENT = "It has used up the CPU time that a limit allows (`ulimit -t`)."
_TOO_LARGE = "It wrote a file that is larger than a limit allows (`ulimit -f`)."
# A signal's name, or 128 and its number where a shell tells how its child ended.
_ENDINGS: dict[str | int | None, str] = {
    "SIGKILL": _KILLED,
    128 + 9: _KILLED,
    "SIGXCPU": _CPU_SPENT,
    128 + 24: _CPU_SPENT,
    "SIGXFSZ": _TOO_LARGE,
    128 + 25: _TOO_LARGE,
}


def hints_for(result: Result, path: str) -> tuple[str, ...]:
    """Advice for a result; none for most."""
    if result.ok or result.ended is Ended.TIMED_OUT:
        return ()
    if exhausted := _what_is_used_up(result):
        return (exhausted,)
    errors = result.stderr.text
    if name := _missing_name(errors, result.exit_code):
        return (_did_you_mean(name, path),)
    if "Permission denied" in errors and (found := _DENIED.search(errors)):
        return (_why_denied(found["file"].strip(), result.working_directory),)
    return ()


def _what_is_used_up(result: Result) -> str:
    """Memory, disk or CPU time, as far as an ending or a message tells."""
    errors = result.stderr.text
    if ending := _ENDINGS.get(result.signal or result.exit_code):
        return ending
    if "No space left on device" in errors:
        return _how_full(result.working_directory)
    if any(words in errors for words in _NO_MEMORY):
        return "It got no more memory: a limit was reached, or the machine has none left."
    return ""


def _missing_name(errors: str, exit_code: int | None) -> str | None:
    """The command that a shell did not find: any shell's message, because one may start another."""
    patterns = (
        pattern
        for dialect in dialects.DIALECTS
        if dialect.missing_code in (None, exit_code)
        for pattern in dialect.missing
    )
    return next((found["name"] for pattern in patterns if (found := pattern.search(errors))), None)


def _did_you_mean(name: str, path: str) -> str:
    if "/" in name or "\\" in name:
        return f"There is no file {name}."
    if close := close_names(name, programs_on(path)):
        return f"There is no command '{name}'. Did you mean {' or '.join(close)}?"
    return f"There is no command '{name}' on PATH, nor one of a similar name. It may have to be installed."


def close_names(name: str, known: tuple[str, ...]) -> list[str]:
    """The names that a slip of the fingers turns into this one, the likeliest first."""
    slips = 1 if len(name) < LONG_NAME else 2
    near = [other for other in known if abs(len(other) - len(name)) <= slips and set(other) & set(name)]
    ranked = sorted((distance(name, other), other) for other in near)
    return [other for far, other in ranked if far <= slips][:3]


def distance(one: str, other: str) -> int:
    """How many letters were left out, put in, changed or swapped with their neighbour."""
    before, last = list[int](), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, opposite in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != opposite))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == opposite:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]


@lru_cache(maxsize=4)
def programs_on(path: str) -> tuple[str, ...]:
    """The names of all programs on a PATH."""
    names: set[str] = set()
    for directory in path.split(os.pathsep):
        try:
            names.update(_called(entry.name) for entry in os.scandir(directory or "."))
        except OSError:
            continue
    return tuple(sorted(names))


def _called(file: str) -> str:
    """What a program is called by: on Windows without the ending that makes it one."""
    if os.name != "nt":
        return file
    name, ending = os.path.splitext(file)
    return name if ending.lower() in (".exe", ".com", ".bat", ".cmd") else file


def _why_denied(file: str, working_directory: str) -> str:
    full = os.path.join(working_directory, os.path.expanduser(file))
    try:
        status = os.stat(full)
    except PermissionError:
        return f"{file}: a directory on the way to it may not be entered by this user."
    except OSError:
        return f"{file}: permission denied."
    if stat.S_ISDIR(status.st_mode):
        return f"{file} is a directory."
    rights = f"mode {stat.S_IMODE(status.st_mode):o}, owner {_owner(status.st_uid)}"
    if not status.st_mode & 0o111 and os.access(full, os.R_OK):
        return (
            f"{file} is not executable ({rights}). `chmod +x {file}` or naming its interpreter would run it."
        )
    return f"{file} may not be used by this user ({rights}; commands run as {_owner(_uid())})."


def _uid() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _how_full(directory: str) -> str:
    try:
        free = f"{directory} has {shutil.disk_usage(directory).free:,} bytes left."
    except OSError:
        free = ""
    return f"The disk that it wrote to is full. {free}".rstrip()


def _owner(uid: int) -> str:
    try:
        import pwd  # noqa: PLC0415  # not on Windows

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError):
        return str(uid)
