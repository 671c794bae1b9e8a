"""What the sandbox has refused a command: found in its messages, checked against the profile.

Above it: `service`, which asks only when a command in a sandbox has failed. A message alone proves nothing:
each path in it is held against the rules, and only what they refuse is told as refused.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

from nacre.sandbox.profile import Refusal

if TYPE_CHECKING:
    from nacre.filesystem import FileSystem
    from nacre.model import Result
    from nacre.sandbox.profile import Profile

_REFUSED = re.compile(
    r"(?P<path>[^\s:'\"\u2018\u2019`][^:'\"\u2018\u2019`\n]*)['\"\u2019`]?"
    r": (?:Read-only file system|Permission denied|No such file or directory|Operation not permitted"
    r"|Is a directory|Device or resource busy|Not a directory|File exists)"
)
_PYTHON = re.compile(
    r"Error: \[Errno (?:1|2|13|16|17|20|21|30)\] [^:\n]+: '(?P<path>[^'\n]+)'"
)  # PermissionError and the like
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


def find_refusals(result: Result, profile: Profile, files: FileSystem) -> tuple[Refusal, ...]:
    """Each thing that the command was kept from, as far as its messages tell."""
    errors = result.stderr.text
    paths = [match["path"] for pattern in (_REFUSED, _PYTHON) for match in pattern.finditer(errors)]
    found = [_of_file(path, result.working_directory, profile, files) for path in dict.fromkeys(paths)]
    sockets = [match["path"].rstrip(".") for match in _SOCKET.finditer(errors)]  # the end of a sentence
    found += [profile.why_no_socket(files.real_path(path)) for path in sockets]
    if not profile.network and any(words in errors for words in _NO_NETWORK):
        found.append(Refusal("the network", _why_no_network(profile), "sandbox_network", "on"))
    return tuple(dict.fromkeys(each for each in found if each is not None))[:SHOWN]


def _why_no_network(profile: Profile) -> str:
    if not profile.proxy:
        return "there is none at this level"
    return "hosts are reached by the proxy in HTTPS_PROXY and its kin only, which it has not used"


def _of_file(path: str, directory: str, profile: Profile, files: FileSystem) -> Refusal | None:
    real = files.real_path(os.path.join(directory, files.expand_home(path.strip())))
    why = profile.why_not_read(real, files.home)
    if why is None and files.is_directory(os.path.dirname(real)):
        why = profile.why_not_written(real)
    return why


def sentence(refusal: Refusal, level: str, advice: str) -> str:
    """What the caller is told: the level, the path, the rule, and who can change it."""
    return f"The sandbox ({level}) refused {refusal.path}: {refusal}. {advice}"
