"""A profile as the command line of bubblewrap, which gives the keeper its own view of the file system.

Above it: `places`. Pure: what is mounted where, in which order. Later mounts cover earlier ones.
"""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING

from nacre.sandbox.profile import TMP, is_below, private_directories

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nacre.filesystem import FileSystem
    from nacre.sandbox.profile import Profile

# Only this is visible of /run: it is needed to resolve host names. Sockets of services are not.
RUN_SHOWN = ("/run/systemd/resolve", "/run/resolvconf")


def bubblewrap_argv(
    profile: Profile, files: FileSystem, spool_directory: str, unreadable: str, needed: Iterable[str]
) -> list[str]:
    """The arguments before the keeper's own argv.

    `unreadable` is a file that cannot be read; `needed` are directories that the keeper itself needs,
    wherever they are.
    """
    return ["bwrap", *_words(profile, files, spool_directory, unreadable, needed), "--"]


def _words(
    profile: Profile, files: FileSystem, spool_directory: str, unreadable: str, needed: Iterable[str]
) -> Iterator[str]:
    yield from ("--ro-bind", "/", "/", "--dev", "/dev")
    yield from ("--tmpfs", "/run")
    for path in RUN_SHOWN:
        yield from ("--ro-bind-try", path, path)
    for source, path in zip(private_directories(profile.private_tmp), TMP, strict=True):
        if profile.tmp_bytes:
            yield from ("--perms", "1777", "--size", str(profile.tmp_bytes), "--tmpfs", path)
        else:
            yield from ("--bind", source, path)
    for path in (profile.workspace, *needed):
        if any(is_below(path, root) for root in TMP):  # where it would be hidden
            yield from ("--ro-bind", path, path)
    for path in profile.writable:
        yield from ("--bind", path, path)
    yield from _covers(profile, files, unreadable)
    yield from ("--bind", spool_directory, spool_directory)  # its neighbours are covered
    for path in profile.sockets:
        yield from ("--bind", path, path)
    if not profile.network:
        yield "--unshare-net"
    if profile.own_processes_only:
        yield from ("--unshare-pid", "--unshare-ipc", "--proc", "/proc")


def _covers(profile: Profile, files: FileSystem, unreadable: str) -> Iterator[str]:
    """The mounts that cover secrets, and protect what must not change."""
    protected = dict.fromkeys((*profile.protected, *(each.path for each in profile.placeholders)))
    parents = (parent for path in (*protected, *profile.hidden) for parent in _way_to(path, profile))
    for parent in dict.fromkeys(parents):  # a mount point cannot be renamed and replaced
        yield from ("--bind", parent, parent)
    for path in protected:
        yield from ("--ro-bind", path, path)
    for path in (path for path in profile.hidden if not _is_gone(path, profile)):
        if files.is_directory(path):
            yield from ("--perms", "0000", "--tmpfs", path)
        else:
            yield from ("--ro-bind", unreadable, path)


def _is_gone(path: str, profile: Profile) -> bool:
    """Whether something is hidden already, with the machine's own /tmp and /run."""
    return any(is_below(path, root) for root in (*TMP, "/run")) and not profile.holds(path)


def _way_to(path: str, profile: Profile) -> Iterator[str]:
    """The directories between something protected and the writable directory around it."""
    parent = os.path.dirname(path)
    if parent not in profile.writable and any(is_below(parent, root) for root in profile.writable):
        yield from _way_to(parent, profile)
        yield parent
