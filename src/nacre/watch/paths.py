"""Where the sockets of running servers are, through which a person watches them; on Windows, names of pipes.

Above it: `unix_sockets` and `named_pipes`, which make one for a server, `client`, which finds them all, and
the sandbox, which hides them from commands. Each is in a directory that is closed to other
users; the path of a socket may be longer than the kernel takes, so that Linux is given the directory's
descriptor for it.

    /run/user/1000/nacre/4711-5f0c.sock
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from typing import TYPE_CHECKING

from nacre.keeper.directory import make_private

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

FALLBACK = "/tmp/nacre-watch-"  # noqa: S108  # made private, or not used


def socket_directory(environment: Mapping[str, str]) -> str:
    """The directory of this user's sockets, or of the names of pipes, whether it is there or not."""
    if os.name == "nt":
        local = environment.get("LOCALAPPDATA") or os.path.join(os.path.expanduser("~"), "AppData", "Local")
        return os.path.join(local, "nacre-watch")
    user = os.geteuid()
    for base in (environment.get("XDG_RUNTIME_DIR", ""), f"/run/user/{user}"):
        if os.path.isabs(base) and _is_ours(base, user):
            return os.path.join(base, "nacre")
    return f"{FALLBACK}{user}"


def _is_ours(base: str, user: int) -> bool:
    try:
        found = os.stat(base)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == user


@contextlib.contextmanager
def opened(path: str) -> Generator[str]:
    """A short name of the directory while it is used; it is made if need be. Raises OSError."""
    make_private(path)
    if os.name == "nt":  # its path is never too long: no socket is in it
        yield path
        return
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield f"/proc/self/fd/{fd}" if sys.platform == "linux" else path
    finally:
        os.close(fd)


def remove_if_empty(path: str) -> None:
    """Leave nothing in /tmp. Elsewhere it stays: what hides it from commands has to find it."""
    if path.startswith(FALLBACK):
        with contextlib.suppress(OSError):  # others are in it
            os.rmdir(path)


def make_to_be_hidden(path: str) -> None:
    """What is not there cannot be hidden, and may be there later. The machine's /tmp is hidden as a whole."""
    if not path.startswith(FALLBACK):
        with contextlib.suppress(OSError):
            make_private(path)
