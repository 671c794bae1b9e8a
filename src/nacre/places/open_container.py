"""A container that is more open than specification 003 wants: what is open, and how commands are confined.

Above it: `local`. Below: `keeper.confinement`, which applies the plan. It reads what the kernel says about
this server's container, and changes nothing. What the runtime has closed is left to the runtime; what only it
can close (memory, processors, processes) is reported to the person.
"""

from __future__ import annotations

import errno
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nacre.keeper.confinement import ALL_FILE_RIGHTS, IOCTL_DEV, landlock_version
from nacre.keeper.launch import local_argv
from nacre.sandbox.plan import READING, REFUSED_CALLS, TIOCLINUX, TIOCSTI

if TYPE_CHECKING:
    from collections.abc import Callable

MARKS = ("/.dockerenv", "/run/.containerenv")  # files that Docker and podman leave in a container
MARK_VARIABLE = "container"  # systemd's convention; podman and our own image set it
ALWAYS_WRITABLE = ("/dev", "/tmp", "/var/tmp")  # noqa: S108  # the directories themselves are meant
NOT_FILES = ("/proc", "/sys", "/dev")  # mounts that are no place for files
V1_UNLIMITED = 1 << 60  # version 1 of cgroups has no word for it, only a number that is too large
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
DATAGRAM, SEQUENCED, SOCKET_FLAGS = 2, 5, (0, 0x800, 0x80000, 0x80800)
ANY_PROTOCOL, TCP = 0, 6
FAST_OPEN = 0x20000000  # a connection without `connect`


@dataclass(frozen=True, slots=True)
class Opening:
    """One thing that a container's runtime has left open."""

    name: str
    text: str  # for the person
    option: str  # of `docker run`, closes it


NETWORK = Opening("network", "it has a network", "--network none")
PRIVILEGES = Opening("privileges", "programs may gain privileges", "--security-opt no-new-privileges")
CAPABILITIES = Opening("capabilities", "it has capabilities", "--cap-drop ALL")
ROOT = Opening("root", "its user is root", "--user 1000:1000")
FILES = Opening("files", "its root file system can be written", "--read-only")
MEMORY = Opening("memory", "its memory is not limited", "--memory 512m")
PROCESSORS = Opening("processors", "its CPU time is not limited", "--cpus 0.5")
PROCESSES = Opening("processes", "its number of processes is not limited", "--pids-limit 256")

_LIMITS = (  # a file of version 2 of cgroups, one of version 1
    (MEMORY, "memory.max", "memory/memory.limit_in_bytes"),
    (PROCESSORS, "cpu.max", "cpu/cpu.cfs_quota_us"),
    (PROCESSES, "pids.max", "pids/pids.max"),
)
_HELD = {
    NETWORK: "commands can listen but connect to nothing, not even in here",
    PRIVILEGES: "commands cannot",
    CAPABILITIES: "commands can get none",
    ROOT: "commands lose most of its power",
    FILES: "commands can write to what is mounted, /tmp and the workspace",
}


def is_container() -> bool:
    """Whether this server runs in one."""
    return MARK_VARIABLE in os.environ or any(os.path.exists(mark) for mark in MARKS)


def find_openings(read: Callable[[str], str]) -> tuple[Opening, ...]:
    """What is open in here. `read` gives a file's text, an empty one where there is none."""
    status = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
    interfaces = {line.split(":")[0].strip() for line in read("/proc/net/dev").splitlines()[2:]}
    found = {
        NETWORK: bool(interfaces - {"lo"}),
        PRIVILEGES: status.get("NoNewPrivs") != "1",
        CAPABILITIES: int(status.get("CapBnd", "0"), 16) != 0,
        ROOT: status.get("Uid", "").split()[1:2] == ["0"],
        FILES: any(path == "/" and writable for path, writable in _mounts(read)),
    }
    for limit, new, old in _LIMITS:
        found[limit] = _is_unlimited(read(f"/sys/fs/cgroup/{new}"), read(f"/sys/fs/cgroup/{old}"))
    return tuple(opening for opening, is_open in found.items() if is_open)


def _is_unlimited(new: str, old: str) -> bool:
    """What a limit's file of either version says; where there is none, nothing is known."""
    words = (new or old).split()[:1]
    return words in (["max"], ["-1"]) or (words != [] and int(words[0]) >= V1_UNLIMITED)


def _mounts(read: Callable[[str], str]) -> list[tuple[str, bool]]:
    """Where something is mounted, and whether it may be written."""
    fields = [line.split() for line in read("/proc/self/mounts").splitlines()]
    return [(path.replace("\\040", " "), "rw" in options.split(",")) for _, path, _, options, *_ in fields]


def read_file(path: str) -> str:
    """A file's text; nothing where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


@dataclass(frozen=True, slots=True)
class Hold:
    """How commands are confined in an open container."""

    openings: tuple[Opening, ...]
    plan: dict[str, Any]
    network: bool  # whether commands keep the network

    @property
    def is_needed(self) -> bool:
        """Whether anything is open that a server can close."""
        return any(opening in _HELD for opening in self.openings)

    @property
    def argv(self) -> list[str]:
        """The command line of a confined keeper."""
        return [*local_argv(), json.dumps(self.plan)]

    def warnings(self) -> list[str]:
        """Warnings for the person: what is open, what is done about it, and what they can do."""
        return [
            f"this container is open: {opening.text}; {self._held(opening)} (close it with {opening.option})"
            for opening in self.openings
            if opening is not NETWORK or not self.network
        ]

    def _held(self, opening: Opening) -> str:
        if opening is FILES and "rules" not in self.plan:
            return "this kernel has no Landlock, so only the files' own permissions hold commands"
        return _HELD.get(opening, "a server cannot limit that from inside")


def hold(workspace: str, spool_directory: str, *, network: bool) -> Hold:
    """Examine our container, and decide how to confine commands."""
    openings = find_openings(read_file)
    refused: list[list[Any]] = [[name, errno.EPERM] for name in REFUSED_CALLS]
    refused.append(["ioctl", errno.EPERM, "equal", 1, [TIOCSTI, TIOCLINUX]])
    if NETWORK in openings and not network:
        refused += without_connections()
    plan: dict[str, Any] = {"filter": refused, "network": True, "scopes": False}
    if FILES in openings and landlock_version():
        mounted = [path for path, writable in _mounts(read_file) if writable and not _is_system(path)]
        writable = [workspace, spool_directory, *ALWAYS_WRITABLE, *mounted]
        plan["rules"] = [["/", READING | IOCTL_DEV], *([path, ALL_FILE_RIGHTS] for path in writable)]
    return Hold(openings, plan, network)


def _is_system(path: str) -> bool:
    return path == "/" or path.startswith(NOT_FILES)


def without_connections() -> list[list[Any]]:
    """A filter that allows no network connections; servers can still listen.

    A filter cannot see addresses, so `connect` fails for Unix sockets and the loopback, too. Datagrams need
    no connection, and some protocols none that it could see: such sockets cannot be made.
    """
    datagrams = [kind | flags for kind in (DATAGRAM, SEQUENCED) for flags in SOCKET_FLAGS]
    return [
        ["connect", errno.EACCES],
        ["socket", errno.EACCES, "other", 0, [UNIX, INET, INET6, NETLINK]],
        ["socket", errno.EACCES, "equal", 1, datagrams],
        ["socket", errno.EACCES, "other", 2, [ANY_PROTOCOL, TCP]],
        ["sendto", errno.EACCES, "bits", 3, [FAST_OPEN]],
        ["sendmsg", errno.EACCES, "bits", 2, [FAST_OPEN]],
        ["sendmmsg", errno.EACCES, "bits", 3, [FAST_OPEN]],
    ]
