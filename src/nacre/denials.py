"""Why the system said "permission denied": which file, whose it is, which permission is missing, what helps.

Above it: `hints`. Below: `filesystem`, which answers for the place that the command ran in. Programs and
shells word the error in many ways; the message is searched for a plausible path, and the file itself tells
the rest. The advice is never to open up another user's file.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Literal

from nacre.model import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.filesystem import FileSystem, Status

    Act = Literal["read", "write", "remove", "run", "list", "enter", "use", "change"]

OTHERS_READ, OTHERS_ENTER = 0o004, 0o001
CANNOT_RUN = 126  # a shell's exit code for a file that may not be executed
_SAID = re.compile(
    r"permission denied|operation not permitted|EACCES|EPERM|can't cd to |exists but is not an executable",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""'([^']+)'|"([^"]+)"|\u2018([^\u2019]+)\u2019|`([^`']+)['`]""")
# A path without quotes, and what may precede and follow it.
_PATH = re.compile(r"(?:^|\s)([/~].*)$")
_BEFORE = re.compile(r"^(?:cannot|can't|could not|unable to|failed to) \w+ (?:to )?|^(?:open|chdir|mkdir) ")
_BEHIND = re.compile(r"\s*[\[(]permission denied[\])].*$", re.IGNORECASE)
_SHOWN_LINES = 40  # the last lines of the output


@record
class _Denial:
    """A file that a message names, and what was tried with it."""

    path: str
    act: Act


def explain_denial(errors: str, exit_code: int | None, directory: str, files: FileSystem) -> str | None:
    """The first file that was denied, and why; None: the output names none."""
    lines = errors.splitlines()[-_SHOWN_LINES:]
    for number, line in enumerate(lines):
        if not _SAID.search(line):
            continue
        message = (
            f"{lines[number - 1]}: {line}" if number and line.startswith("open:") else line
        )  # fish, in two lines
        for written in _candidates(message):
            path = os.path.normpath(os.path.join(directory, files.expand_home(written)))
            denial = _Denial(path, _act(message, written, exit_code))
            if reason := _reason(denial, files, is_sure=written.startswith(("/", "~", "."))):
                return reason
    return None


def _candidates(line: str) -> Iterator[str]:
    """Candidates for the path: quoted text, then the parts between colons, the last one first."""
    for groups in _QUOTED.findall(line):
        yield next(filter(None, groups))
    first, *rest = re.split(r":\s+|, ", line)
    for part in (*reversed(rest), *_PATH.findall(first)):  # the first part is usually the program's name
        bare = _BEHIND.sub("", part).strip()
        if bare and not _SAID.fullmatch(bare):
            found = _PATH.search(bare)
            yield found[1] if found else _BEFORE.sub("", bare)


_ACTS: tuple[tuple[re.Pattern[str], Act], ...] = (
    (re.compile(r"operation not permitted|eperm"), "change"),
    (re.compile(r"remov|mov(?:e|ing)|unlink|rmdir|delet|renam"), "remove"),
    (re.compile(r"creat|touch|writ|mkdir|redirecting|saving"), "write"),
    (re.compile(r"(?:open|reading) directory"), "list"),
    (re.compile(r"\bcd\b|chdir"), "enter"),
    (re.compile(r"\bexec\b|execut"), "run"),
    (re.compile(r"for reading"), "read"),
)


def _act(line: str, path: str, exit_code: int | None) -> Act:
    """The attempted operation, as far as the message says."""
    words = line.replace(path, "").lower()
    for pattern, act in _ACTS:
        if pattern.search(words):
            return act
    return "run" if exit_code == CANNOT_RUN else "use"


def _reason(denial: _Denial, files: FileSystem, *, is_sure: bool) -> str | None:
    try:
        status = files.status(denial.path)
    except PermissionError:
        return _closed_way(denial.path, files)
    except OSError:
        if not is_sure and denial.act not in ("write", "remove"):
            return None  # a word, not a file
        return _in_directory(denial, files)
    if denial.act == "remove":
        return _in_directory(denial, files)
    ran_as_another = denial.act != "run" and status.readable and status.writable
    closed = _closed_to_others(denial.path, files) if ran_as_another else None
    return closed or _not_permitted(denial, status, files)


def _closed_to_others(path: str, files: FileSystem) -> str | None:
    """The first directory on the path that only its owner may enter."""
    above, way = os.path.dirname(path), list[str]()
    while above != os.path.dirname(above):
        way.append(above)
        above = os.path.dirname(above)
    for directory in reversed(way):
        status = files.status(directory)
        if not status.mode & OTHERS_ENTER:
            return _sentence(f"entering {directory}", "x", status, files, may=True)
    return None


def _closed_way(path: str, files: FileSystem) -> str:
    """The nearest visible ancestor is the directory that may not be entered."""
    above = os.path.dirname(path)
    while above != os.path.dirname(above):
        try:
            status = files.status(above)
        except OSError:
            above = os.path.dirname(above)
            continue
        return _sentence(f"entering {above}", "x", status, files, may=False)
    return f"{path}: a directory on the way to it may not be entered by {files.user}."


def _in_directory(denial: _Denial, files: FileSystem) -> str | None:
    """Creating, removing or finding a file needs a permission of its directory."""
    above = os.path.dirname(denial.path)
    while not files.is_directory(above) and above != os.path.dirname(above):
        above = os.path.dirname(above)
    status = files.status(above)
    closed = not status.executable or (status.writable and not status.mode & OTHERS_ENTER)
    if closed and denial.act != "remove":
        return _sentence(f"entering {above}", "x", status, files, may=status.executable)
    return _sentence(f"writing in {above}", "w", status, files, may=status.writable)


def _not_permitted(denial: _Denial, status: Status, files: FileSystem) -> str:
    path, act = denial.path, denial.act
    if act == "change":
        return f"Only {_masters(status)} may change {path} {_rights(status)}. Use files of your own."
    if act == "run" and status.is_directory:
        return f"{path} is a directory: it cannot be run."
    if act == "run" and not status.executable:
        is_own = status.owner == files.user
        how = f"`chmod +x {path}`, or naming its interpreter," if is_own else "Naming its interpreter"
        return f"{path} is not executable {_rights(status)}. {how} would run it."
    if status.is_directory:
        letter = "w" if act == "write" else "r" if act == "list" else "x"
    else:
        lets_read = status.readable and (not status.writable or bool(status.mode & OTHERS_READ))
        letter = "w" if act == "write" or (act == "use" and lets_read) else "r"
    doing = {
        "w": f"writing in {path}" if status.is_directory else f"writing {path}",
        "r": f"listing {path}" if status.is_directory else f"reading {path}",
        "x": f"entering {path}",
    }[letter]
    may = {"w": status.writable, "r": status.readable, "x": status.executable}[letter]
    return _sentence(doing, letter, status, files, may=may)


def _sentence(doing: str, letter: str, status: Status, files: FileSystem, *, may: bool) -> str:
    sentence = f"{doing[0].upper()}{doing[1:]} is not permitted {_rights(status)}"
    if may:
        return (
            f"{sentence}. {files.user} may: it ran as another user, or something beyond the mode forbids it."
        )
    if status.owner == files.user:
        return f"{sentence}: {files.user} owns it, but has not given itself `{letter}` (`chmod u+{letter}`)."
    return f"{sentence} to {files.user}.{_ask(status)}"


def _ask(status: Status) -> str:
    return f" Use files of your own, or ask the person: only {_masters(status)} can permit it."


def _masters(status: Status) -> str:
    return "root" if status.owner == "root" else f"{status.owner} or root"


def _rights(status: Status) -> str:
    return f"(mode {status.mode:o}, owner {status.owner}, group {status.group})"
