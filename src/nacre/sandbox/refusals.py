"""What the sandbox has refused a command: found in its messages, checked against the profile.

Above it: `service`, which asks only when a command in a sandbox has failed. A message alone proves nothing:
each path in it is checked against the rules, and only what they refuse is reported.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING, Literal

from nacre.sandbox.profile import Refusal

Says = Literal["surely", "unless it is another user's", "nothing"]

if TYPE_CHECKING:
    from nacre.filesystem import FileSystem
    from nacre.model import Result
    from nacre.sandbox.profile import Profile

_WHY = (
    "(?i:Read-only file system|Permission denied|No such file or directory|Operation not permitted"
    "|Is a directory|Device or resource busy|Not a directory|File exists)"
)
# These are said of what is missing or in the way as well, wherever that is: only covers are known by them.
_OTHER_WHY = re.compile(
    "(?i:No such file|Is a directory|Not a directory|File exists|E(?:EXIST|ISDIR|NOENT|NOTDIR))"
)
# Said of the files of other users, too. Where bubblewrap gives a command its own view of the files, what it
# may not write is read-only instead.
_DENIED = re.compile(r"(?i:Permission denied|Operation not permitted|\bE(?:ACCES|PERM)\b|Errno (?:1|13)\b)")
# How programs name the file that they could not open, and why.
_MESSAGES = (
    # cat: /path: Read-only file system; mkdir: cannot create directory '/path': Permission denied
    rf"(?P<path>[^\s:'\"\u2018\u2019`][^:'\"\u2018\u2019`\n]*)['\"\u2019`]?: {_WHY}",
    r"Error: \[Errno (?:1|2|13|16|17|20|21|30)\] [^:\n]+: '(?P<path>[^'\n]+)'",  # Python
    r"\bE(?:ACCES|BUSY|EXIST|ISDIR|NOENT|NOTDIR|PERM|ROFS): [^,\n]+, \w+ '(?P<path>[^'\n]+)'",  # Node
    rf"\b[a-z/]+ (?P<path>/[^:\n]+): {_WHY}",  # Go: open /path: read-only file system
    rf"Exception: (?P<path>/[^(\n]+) \({_WHY}\)",  # Java
    rf"{_WHY} @ \w+ - (?P<path>[^\s)]+)",  # Ruby
    rf"\w\((?P<path>/[^)\n]+)\): [\w ]+: {_WHY}",  # PHP
    rf"(?P<path>/[^:()\n]+): [A-Z][\w ]+: {_WHY}",  # tar: /path: Cannot open: Read-only file system
)
# What programs say whose system calls are refused at every level; some of those are root's alone anywhere.
_CALLS = (
    (
        r"(?i)\bptrace\b[^\n]*operation not permitted|PTRACE_\w+[^\n]*: Operation not permitted",
        "tracing",
        False,
    ),
    (
        r"No permission to enable \S+ event|perf_event_open[^\n]*(?:EPERM|not permitted)",
        "performance counters",
        False,
    ),
    (r"(?m)^(?:mount|umount): [^\n]*(?:permission denied|must be superuser)", "mounting", True),
    (r"(?m)^chroot: cannot change root directory[^\n]*not permitted", "another root directory", True),
    (
        r"(?m)^(?:unshare|nsenter|bwrap): [^\n]*(?:not permitted|[Pp]ermission denied)",
        "other namespaces",
        True,
    ),
    (r"(?m)^date: cannot set date[^\n]*|^hostname: you must be[^\n]*", "settings of the kernel", True),
    (
        r"(?m)^sysctl: permission denied[^\n]*|^dmesg: read kernel buffer[^\n]*",
        "settings of the kernel",
        True,
    ),
)
_SOCKET = re.compile(r"unix:(?://)?(?P<path>/[^\s'\":,]+)")  # as Docker and D-Bus write it
_NO_NETWORK = (
    "Could not resolve host",
    "Couldn't connect to server",
    "Network is unreachable",
    "Temporary failure in name resolution",
    "Name or service not known",
    "EAI_AGAIN",
    "ENETUNREACH",
    "Failed to establish a new connection",
)
SHOWN = 3


def find_refusals(
    result: Result, profile: Profile, files: FileSystem, *, mounts: bool = False
) -> tuple[Refusal, ...]:
    """Each thing that the command was kept from, as far as its messages say.

    `mounts`: it had a view of the files of its own.
    """
    calls, errors = _of_calls(result.stderr.text, files.user == "root")
    named: list[tuple[str, Says]] = [
        (match["path"], _says_of_writing(match[0], mounts=mounts))
        for pattern in _MESSAGES
        for match in re.finditer(pattern, errors)
    ]
    found = [
        _of_file(path, says, result.working_directory, profile, files) for path, says in dict.fromkeys(named)
    ]
    found += calls
    sockets = [match["path"].rstrip(".") for match in _SOCKET.finditer(errors)]  # the end of a sentence
    found += [profile.why_no_socket(files.real_path(path)) for path in sockets]
    if not profile.network and any(words in errors for words in _NO_NETWORK):
        found.append(Refusal("the network", _why_no_network(profile), "sandbox_network", "on"))
    return tuple(dict.fromkeys(each for each in found if each is not None))[:SHOWN]


def _of_calls(errors: str, is_root: bool) -> tuple[list[Refusal], str]:  # noqa: FBT001  # its only choice
    """The kinds of system calls that were refused, and the messages without those that show them."""
    found: list[Refusal] = []
    for pattern, what, root_only in _CALLS:
        if (is_root or not root_only) and re.search(pattern, errors):
            found.append(Refusal(what, "no level permits it", "sandbox", "off"))
            errors = re.sub(pattern, "", errors)
    return found, errors


def _why_no_network(profile: Profile) -> str:
    if not profile.proxy:
        return "there is none at this level"
    return "hosts are reached only through the proxy in HTTPS_PROXY and the like, which it has not used"


def _says_of_writing(message: str, *, mounts: bool) -> Says:
    """Whether a message says that something may not be written."""
    if _OTHER_WHY.search(message) or (mounts and _DENIED.search(message)):
        return "nothing"
    return "unless it is another user's" if _DENIED.search(message) else "surely"


def _of_file(path: str, says: Says, directory: str, profile: Profile, files: FileSystem) -> Refusal | None:
    for name in dict.fromkeys((path.strip(), path.strip().rpartition(" ")[2])):  # words may stand before it
        try:
            real = files.real_path(os.path.join(directory, files.expand_home(name)))
        except OSError:  # a link that may not be read, as some in /proc
            continue
        why = profile.why_not_read(real, files.home)
        if why is None and files.is_directory(os.path.dirname(real)):
            why = profile.why_not_written(real)
            is_other = says == "nothing" or (says != "surely" and not _is_ours_to_write(real, files))
            if why is not None and why.setting != "sandbox_unprotected" and is_other:
                why = None
        if why is not None:
            return why
    return None


def _is_ours_to_write(path: str, files: FileSystem) -> bool:
    """Whether its owner and mode would let us write it, or create it."""
    for each in (path, os.path.dirname(path)):
        try:
            return files.status(each).writable
        except FileNotFoundError:
            continue
        except OSError:
            return False
    return False


def sentence(refusal: Refusal, level: str, advice: str) -> str:
    """The sentence for the caller: the level, the path, the rule, and who can change it."""
    return f"The sandbox ({level}) refused {refusal.path}: {refusal}. {advice}"
