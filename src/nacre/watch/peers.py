"""Who is at the other end of a socket of `nacre watch`, and whether they may watch.

Above it: `unix_sockets`. One boundary for what systems tell of it: Linux and macOS name the process and
its user. Only the same user is let in, and none that a server of ours has started: its parents are looked
at, up to one that is also above this server. Who cannot be looked at is not let in.

Linux keeps all that a command starts below its server. Elsewhere an orphan of a command has no parent that
tells where it came from: there, nobody may type into terminals, which would be a way past the rules.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

KNOWS_COMMANDS = sys.platform == "linux"  # whether no process of a command can pass for the person's
GUARDIAN = b"nacre-guardian"  # what is above all commands of a server
CREDENTIALS = struct.Struct("3i")  # Linux: pid, user, group
SOL_LOCAL, LOCAL_PEERCRED, LOCAL_PEERPID = 0, 1, 2  # macOS
XUCRED = struct.Struct("=IIh")  # its version, the user, how many groups follow
XUCRED_BYTES, XUCRED_VERSION = 76, 0


def refusal(peer: socket.socket) -> str:
    """Why whoever is at the other end may not watch; empty: they may."""
    try:
        pid, user = pid_and_user_on_macos(peer) if sys.platform == "darwin" else _pid_and_user(peer)
        if user != os.geteuid():
            return "It belongs to another user."
        return _started_by_a_server(pid)
    except (OSError, ValueError, IndexError, struct.error):
        return "Who it is cannot be found out."


def _pid_and_user(peer: socket.socket) -> tuple[int, int]:
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size)
    pid, user, _ = CREDENTIALS.unpack(credentials)
    return pid, user


def pid_and_user_on_macos(peer: socket.socket) -> tuple[int, int]:
    """The same from two questions. Raises OSError, ValueError, struct.error."""
    version, user, _ = XUCRED.unpack_from(peer.getsockopt(SOL_LOCAL, LOCAL_PEERCRED, XUCRED_BYTES))
    if version != XUCRED_VERSION:
        raise ValueError(version)
    return struct.unpack("=i", peer.getsockopt(SOL_LOCAL, LOCAL_PEERPID, 4))[0], user


def lives(pid: int) -> bool:
    """Whether there is such a process."""
    if sys.platform == "linux":
        return os.path.exists(f"/proc/{pid}")
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _started_by_a_server(pid: int) -> str:
    """Why a process is taken for a command's, by what is above it. Raises OSError, ValueError."""
    above_us = set(_with_parents(os.getpid())) - {os.getpid()}
    for each in _with_parents(pid):
        if each in above_us:
            return ""
        if each == os.getpid() or GUARDIAN in _words_of(each):
            return f"Process {pid} was started by a command."
    return ""


def _with_parents(pid: int) -> Iterator[int]:
    """A process and all above it, as far as they can be seen."""
    if not pid:  # it is in a namespace that is not ours
        raise ValueError
    parents = {} if sys.platform == "linux" else _all_parents()
    while pid:
        yield pid
        pid = _parent(pid) if sys.platform == "linux" else parents.get(pid, 0)


def _parent(pid: int) -> int:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])


def _all_parents() -> dict[int, int]:
    from nacre.keeper.processes import table  # noqa: PLC0415  # where the kernel has no files of it

    return {row.pid: row.parent for row in table().values()}


def _words_of(pid: int) -> list[bytes]:
    """The command line of a process, where it can be read."""
    if sys.platform != "linux":
        return []
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().split(b"\0")
