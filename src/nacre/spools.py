"""The output files of a server: where they are, by what id they are known, and how they are read.

Above it: places. Below: `keeper.directory`. Which files there are, and which go first when they are too many,
is the keeper's business (`keeper.spools`): every byte passes there.

An output is known by an id, which stays the same as long as it is kept. What an id looks like is nobody's
business but this module's; whoever has one can read the output, or learns that it has made room for newer
ones.

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
import re
import threading
from typing import TYPE_CHECKING, Literal

from nacre.errors import PlaceError, RequestError
from nacre.keeper.directory import PARENT_PREFIX, PRIVATE, Directory, make_private, remove_if_dead

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    StreamName = Literal["stdout", "stderr"]

ATTEMPTS = 50
_ENDINGS: dict[StreamName, str] = {"stdout": ".out", "stderr": ".err"}
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")  # a command's, and a turn's in its shell
_READ_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)


class Spools:
    """The directory of this server."""

    def __init__(self, environment: Mapping[str, str], kept: int, total_bytes: int) -> None:
        self.limits = {"kept": kept, "total_bytes": total_bytes}
        self.problem = ""  # why it is not where it should be, or not at all
        self._directory = self._choose(list(_temporary_directories(environment)))
        self._name = os.path.basename(self.path)

    @property
    def path(self) -> str:
        """What the keeper is given."""
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

    def id_for(self, number: str) -> str:
        """The id of what a command has printed."""
        return f"{self._name}-{number}"

    def path_for(self, number: str, stream: StreamName) -> str:
        """The file that a stream is in, if it is in one."""
        return os.path.join(self.path, number + _ENDINGS[stream])

    def number_of(self, output_id: str) -> str:
        """The number of the command that an id is for. RequestError: it is none of ours."""
        server, _, number = output_id.partition("-")
        if server != self._name or not _NUMBER.fullmatch(number):
            raise _no_output(output_id)
        return number

    def open(self, output_id: str, stream: StreamName) -> int:
        """A descriptor of the file with a stream. RequestError: there is no such output, or not any more."""
        number = self.number_of(output_id)
        try:
            return os.open(self.path_for(number, stream), _READ_FLAGS)
        except FileNotFoundError:
            if any(os.path.exists(self.path_for(number, name)) for name in _ENDINGS):
                raise RequestError(
                    f"The {stream} of {output_id} is no longer kept: the reply showed all of it.",
                    code="no_output",
                ) from None
            raise _no_output(output_id) from None
        except OSError as error:
            raise PlaceError(f"The output {output_id} cannot be read: {error.strerror}.") from None

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


def read_at(fd: int, at: int, limit_bytes: int) -> bytes:
    """A part of an open file."""
    if hasattr(os, "pread"):
        return os.pread(fd, limit_bytes, at)
    os.lseek(fd, at, os.SEEK_SET)
    return os.read(fd, limit_bytes)


def _no_output(output_id: str) -> RequestError:
    return RequestError(
        f"There is no output {output_id!r}.",
        code="no_output",
        hint="It may have been removed to make room for newer ones. Run the command again, with less output"
        " or into a file.",
    )


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
    except (PermissionError, FileExistsError):  # the name is taken
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
