"""Where the output files of a server are: a private directory that stays no longer than the server.

Above it: `service`. Below: `keeper.directory`. Which files are in it, and which go first when there are too
many, is the keeper's business (`keeper.spools`): every byte passes there.

    /tmp/nacre-1000/       one for each user, closed to all others
        5f0c/              one for each server, held by a lock for as long as it or its keeper lives
            7.out  7.err   what command 7 has printed

The keeper removes a server's directory. Where both were killed, the next start of a server does: it takes the
lock that nobody holds.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from typing import TYPE_CHECKING

from nacre.keeper.directory import PARENT_PREFIX, PRIVATE, Directory, make_private, remove_if_dead

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ATTEMPTS = 50


class Spools:
    """The directory of this server."""

    def __init__(self, environment: Mapping[str, str], kept: int, total_bytes: int) -> None:
        self.limits = {"kept": kept, "total_bytes": total_bytes}
        self.problem = ""  # why it is not where it should be, or not at all
        self._directory = self._choose(list(_temporary_directories(environment)))

    @property
    def path(self) -> str:
        """What the keeper is told."""
        return self._directory.path

    def _choose(self, candidates: list[str]) -> Directory:
        """The first place that can be used; where there is none, the keeper will try again when it must."""
        refusals: list[str] = []
        for base in candidates:
            try:
                made = _make_in(base)
            except OSError as error:
                refusals.append(f"{base} ({error.strerror})")
                continue
            if refusals:
                self.problem = f"cannot be made in {', '.join(refusals)}; it is {made.path}"
            return made
        self.problem = (
            f"cannot be made in {', '.join(refusals)}: long output is cut, and sessions cannot run."
            " Set TMPDIR to a directory that can be written"
        )
        return Directory(os.path.join(candidates[0], _parent_name(), _new_name()))

    def ensure(self) -> None:
        """Make it again for a new keeper, should it be gone."""
        with contextlib.suppress(OSError):  # the keeper will say so
            self._directory.ensure()

    def sweep(self) -> None:
        """Remove what dead servers have left, in the background."""
        others = self._others()
        if others:
            with contextlib.suppress(RuntimeError):  # no thread can be started: the next server may do it
                threading.Thread(target=_remove_dead, args=(others,), name="sweep", daemon=True).start()

    def _others(self) -> list[str]:
        parent, own = os.path.split(self.path)
        try:
            return [os.path.join(parent, name) for name in os.listdir(parent) if name != own]
        except OSError:
            return []

    def remove(self) -> None:
        """The keeper has done it, unless it was killed."""
        self._directory.remove()


def _remove_dead(directories: list[str]) -> None:
    for path in directories:
        remove_if_dead(path)


def _temporary_directories(environment: Mapping[str, str]) -> Iterator[str]:
    """Where temporary files go, the best place first."""
    for name in ("TMPDIR", "TEMP", "TMP"):
        if environment.get(name):
            yield os.path.abspath(environment[name])
    if os.name == "nt":
        import tempfile  # noqa: PLC0415  # it knows the rest of Windows' places

        yield tempfile.gettempdir()
    else:
        yield from ("/tmp", "/var/tmp")  # noqa: S108  # a private directory is made in there


def _make_in(base: str) -> Directory:
    """A new directory that we hold. Raises OSError."""
    parent = os.path.join(base, _parent_name())
    try:
        make_private(parent)
    except (PermissionError, FileExistsError):  # somebody else has taken the name
        parent = f"{parent}-{os.urandom(8).hex()}"
    for _ in range(ATTEMPTS):
        directory = Directory(os.path.join(parent, _new_name()))
        try:
            make_private(parent)
            os.mkdir(directory.path, PRIVATE)
            directory.ensure()
        except (FileExistsError, BlockingIOError, FileNotFoundError):
            continue  # another server's; or another one swept it, or the parent, away before it was held
        return directory
    raise FileExistsError(errno.EEXIST, "too many servers use it", parent)


def _parent_name() -> str:
    return f"{PARENT_PREFIX}{os.geteuid() if os.name != 'nt' else 'server'}"


def _new_name() -> str:
    return os.urandom(2).hex()  # short: bash reads the names of its files byte by byte
