"""A profile as what the keeper does to itself at its start: rules for Landlock, a filter for seccomp.

Above it: `places`. Below: `keeper.confinement`, which applies it. With bubblewrap around it, Landlock is the
second lock on writing, and the one that keeps commands from processes outside: their memory, their open
files, their sockets without a name, signals. Without it, Landlock is the only lock on files.
"""

from __future__ import annotations

import errno
import os.path
from typing import TYPE_CHECKING, Any

from nacre.keeper.confinement import ALL_FILE_RIGHTS, EXECUTE, READ_DIR, READ_FILE
from nacre.sandbox.profile import TMP, names_in, private_directories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.filesystem import FileSystem
    from nacre.sandbox.profile import Profile

READING = EXECUTE | READ_FILE | READ_DIR
# The devices of the machine that are harmless; bubblewrap's /dev has no others.
DEVICES = (
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/random",
    "/dev/shm",  # noqa: S108  # the directory itself is meant
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
)
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # both insert text into a terminal as if it were typed
NEW_USER_NAMESPACE = 0x10000000
UNIX_SOCKETS = 1
# Pipes between processes, the internet, questions to the kernel. Others do not stay in a network namespace
# (vsock, Bluetooth), or are little more than a way into the kernel.
USUAL_SOCKETS = [UNIX_SOCKETS, 2, 10, 16]
OWN_PROCESS = 0  # as the number of a process
REFUSED_CALLS = (
    "acct",
    "add_key",
    "bpf",
    "chroot",
    "delete_module",
    "finit_module",
    "fsconfig",
    "fsmount",
    "fsopen",
    "fspick",
    "init_module",
    "io_uring_enter",
    "io_uring_register",
    "io_uring_setup",
    "kexec_file_load",
    "kexec_load",
    "keyctl",
    "mount",
    "mount_setattr",
    "move_mount",
    "open_by_handle_at",
    "open_tree",
    "open_tree_attr",
    "perf_event_open",
    "pidfd_getfd",
    "pivot_root",
    "process_vm_readv",
    "process_vm_writev",
    "ptrace",
    "quotactl",
    "reboot",
    "request_key",
    "setns",
    "swapoff",
    "swapon",
    "umount2",
    "userfaultfd",
)


def build_plan(profile: Profile, files: FileSystem, spool_directory: str, *, mounts: bool) -> dict[str, Any]:
    """What `keeper.confinement.confine` is given. `mounts`: bubblewrap holds the files as well."""
    writable = [*profile.writable, spool_directory, *private_directories(profile.private_tmp)]
    writable += [*TMP, "/run", "/dev"] if mounts else DEVICES  # in there these are its own
    readable = ["/"] if mounts else _all_but((*profile.hidden, *_devices(files)), files)
    rules: list[list[Any]] = [["/", READ_DIR], *([path, READING] for path in readable)]
    rules += [[path, ALL_FILE_RIGHTS] for path in writable]
    return {
        "rules": rules,
        "network": profile.network or profile.proxy,  # then bubblewrap holds it
        "listens": profile.proxy,
        "scopes": True,
        "private": True,
        "filter": _filter(profile, mounts=mounts),
    }


def _devices(files: FileSystem) -> Iterator[str]:
    """Disks, memory, terminals: what is in /dev and belongs to the machine or to others."""
    harmless = {*DEVICES, "/dev/fd", "/dev/stderr", "/dev/stdin", "/dev/stdout"}
    return (path for name in names_in("/dev", files) if (path := f"/dev/{name}") not in harmless)


def _filter(profile: Profile, *, mounts: bool) -> list[list[Any]]:
    refused: list[list[Any]] = [[name, errno.EPERM] for name in REFUSED_CALLS]
    refused.append(["ioctl", errno.EPERM, "equal", 1, [TIOCSTI, TIOCLINUX]])
    if not profile.own_processes_only:  # a limit can kill; and Landlock lets it be set outside
        refused.append(["prlimit64", errno.EPERM, "other", 0, [OWN_PROCESS]])
    if profile.own_processes_only:
        refused.append(["unshare", errno.EPERM])
        refused.append(["clone", errno.EPERM, "bits", 0, [NEW_USER_NAMESPACE]])
        refused.append(["clone3", errno.ENOSYS])  # its flags are in memory; the C library falls back to clone
    if not profile.network and not mounts:
        refused.append(["socket", errno.EACCES, "other", 0, [UNIX_SOCKETS]])
    else:
        refused.append(["socket", errno.EAFNOSUPPORT, "other", 0, USUAL_SOCKETS])
    return refused


def _all_but(hidden: tuple[str, ...], files: FileSystem) -> list[str]:
    """Paths that together cover everything that exists now except what is hidden."""
    found: list[str] = []

    def walk(directory: str) -> None:
        inside = [path for path in hidden if path.startswith(directory.rstrip("/") + "/")]
        if not inside:
            found.append(directory)
            return
        for name in names_in(directory, files):
            path = os.path.join(directory, name)
            if path not in hidden and files.real_path(path) == path:  # a link grants access to its target
                walk(path)

    walk("/")
    return found
