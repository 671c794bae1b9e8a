"""Advice after a failure: a misspelt command, a file without permission, no memory or disk space left.

Above it: `service`, which asks only when a command has failed. Below: `filesystem`, which answers for the
place that the command ran in, and `spelling`.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from nacre import dialects
from nacre.denials import explain_denial
from nacre.model import Ended
from nacre.spelling import close_names

if TYPE_CHECKING:
    from nacre.filesystem import FileSystem
    from nacre.model import Result

_LAST_WORDS = 1000  # characters at the end of the output
# Messages of programs that asked a question, or tried to read, and got no input. Only the program can tell:
# reading from an empty input leaves no trace in the kernel (no offset, no time, no event).
_NO_INPUT = re.compile(
    r"EOF when reading a line|EOFError|unexpected end of (?:input|file) while reading|no input"
    r"|(?:input device|stdin|standard input) is not a (?:TTY|terminal)|a terminal is required|no tty present"
    r"|could not read (?:Username|Password)|\[[Yy]/[Nn]\]\s*(?:Abort\.)?\s*\Z|\((?:yes/no|y/n)\)\??\s*:?\s*\Z"
    r"|[Pp]assword(?: for \S+)?:\s*\Z",
)
_EMPTY_STDIN = (
    "It wanted to read from stdin, which is empty unless the call has `stdin`. An option that answers in its"
    " place (--yes and the like) helps where there is one."
)

_NO_MEMORY = ("Cannot allocate memory", "MemoryError", "bad_alloc", "ut of memory", "memory exhausted")
_KILLED = "SIGKILL ended it. If nobody sent that, the system ran out of memory."
_CPU_SPENT = "It has used up the CPU time that a limit allows (`ulimit -t`)."
# Of what was ended for a reason that its command does not know.
_ON_DEMAND = {Ended.TIMED_OUT: (), Ended.STOPPED: ("Ask the person before you run it again.",)}
_TOO_LARGE = "It wrote a file that is larger than a limit allows (`ulimit -f`)."
# A signal's name, or 128 plus its number where a shell reports how its child ended.
_ENDINGS: dict[str | int | None, str] = {
    "SIGKILL": _KILLED,
    128 + 9: _KILLED,
    "SIGXCPU": _CPU_SPENT,
    128 + 24: _CPU_SPENT,
    "SIGXFSZ": _TOO_LARGE,
    128 + 25: _TOO_LARGE,
}


def hints_for(result: Result, path: str, files: FileSystem) -> tuple[str, ...]:
    """Advice for a result; none for most. `path` is the PATH of commands."""
    if result.ok or result.ended in _ON_DEMAND:
        return _ON_DEMAND.get(result.ended, ())
    if exhausted := _what_is_used_up(result, files):
        return (exhausted,)
    errors = result.stderr.text
    if name := _missing_name(errors, result.exit_code):
        return (_did_you_mean(name, path, files),)
    if denied := explain_denial(errors, result.exit_code, result.working_directory, files):
        return (denied,)
    if _NO_INPUT.search(f"{result.stdout.text[-_LAST_WORDS:]}\n{errors[-_LAST_WORDS:]}"):
        return (_EMPTY_STDIN,)
    return ()


def _what_is_used_up(result: Result, files: FileSystem) -> str:
    """Whether memory, disk space or CPU time ran out, judging by exit code, signal or message."""
    errors = result.stderr.text
    if ending := _ENDINGS.get(result.signal or result.exit_code):
        return ending
    if "No space left on device" in errors:
        return _how_full(result.working_directory, files)
    if any(words in errors for words in _NO_MEMORY):
        return "It got no more memory: a limit was reached, or the machine has none left."
    return ""


def _missing_name(errors: str, exit_code: int | None) -> str | None:
    """The command that a shell did not find, in any shell's wording, because one may start another."""
    patterns = (
        pattern
        for dialect in dialects.DIALECTS
        if dialect.missing_code in (None, exit_code)
        for pattern in dialect.missing
    )
    return next((found["name"] for pattern in patterns if (found := pattern.search(errors))), None)


def _did_you_mean(name: str, path: str, files: FileSystem) -> str:
    if "/" in name or "\\" in name:
        return f"There is no file {name}."
    close = [other for other in close_names(name, programs_on(path, files)) if other != name]
    if close:
        return f"There is no command '{name}'. Did you mean {' or '.join(close)}?"
    return f"There is no command '{name}' on PATH, nor one of a similar name. It may have to be installed."


@lru_cache(maxsize=4)
def programs_on(path: str, files: FileSystem) -> tuple[str, ...]:
    """The names of all programs on a PATH."""
    names: set[str] = set()
    for directory in path.split(os.pathsep):
        try:
            names.update(_called(entry.name) for entry in files.entries(directory or "."))
        except OSError:
            continue
    return tuple(sorted(names))


def _called(file: str) -> str:
    """The name that a program is called by: on Windows without its extension."""
    if os.name != "nt":
        return file
    name, ending = os.path.splitext(file)
    return name if ending.lower() in (".exe", ".com", ".bat", ".cmd") else file


def _how_full(directory: str, files: FileSystem) -> str:
    free_bytes = files.free_bytes(directory)
    free = "" if free_bytes is None else f"{directory} has {free_bytes:,} bytes left."
    return f"The disk that it wrote to is full. {free}".rstrip()
