"""What the sandbox has refused a command: found in its messages, checked against the profile.

Above it: `service`, which asks only when a command in a sandbox has failed. A message alone proves nothing:
each path in it is held against the rules, and only what they refuse is told as refused.
"""

from __future__ import annotations

import os.path
import re
from typing import TYPE_CHECKING

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
)  # PermissionError and its kin
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


def refusals(result: Result, profile: Profile, files: FileSystem) -> tuple[str, ...]:
    """A sentence for each thing that the command was kept from, with the setting that opens it."""
    errors = result.stderr.text
    found = [match["path"] for pattern in (_REFUSED, _PYTHON) for match in pattern.finditer(errors)]
    sentences = [_why(path, result.working_directory, profile, files) for path in dict.fromkeys(found)]
    sentences += [_why_no_service(match["path"], profile, files) for match in _SOCKET.finditer(errors)]
    if not profile.network and any(words in errors for words in _NO_NETWORK):
        sentences.append(f'The sandbox ({profile.level}) has no network (sandbox_network = "on").')
    return tuple(dict.fromkeys(filter(None, sentences)))[:SHOWN]


def _why_no_service(path: str, profile: Profile, files: FileSystem) -> str:
    real = files.real_path(path.rstrip("."))  # the end of a sentence
    return _sentence(real, profile.why_no_socket(real), profile)


def _why(path: str, directory: str, profile: Profile, files: FileSystem) -> str:
    real = files.real_path(os.path.join(directory, files.expand_home(path.strip())))
    why = profile.why_not_read(real, files.home)
    if not why and files.is_directory(os.path.dirname(real)):
        why = profile.why_not_written(real)
    return _sentence(real, why, profile)


def _sentence(path: str, why: str, profile: Profile) -> str:
    sentence = f"The sandbox ({profile.level}) refused {path}: {why}. Only the person can change that."
    return sentence if why else ""
