"""File work: read a page, write a whole file, list a directory; only inside the allowed directories.

Above it: `local`, the place whose files these are. Below: `file_records`, and `spelling`. It knows no rules
and no tools.

How it stays inside: a path is resolved with all its links, the result must lie below a root, and then it is
opened name by name from that root, following no link. If a directory is swapped for a link in between, that
is an error. Windows cannot open relative to a directory; there the path is resolved again after opening.
Nothing here waits for a pipe or a device, and a page of a large file costs no more memory than the page.
"""

from __future__ import annotations

import contextlib
import errno
import heapq
import os
import secrets
import stat
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.errors import NacreError, PlaceError, Refused, RequestError
from nacre.file_records import Entry, FileDone, ListDirectory, Listing, Page, ReadFile, WriteFile, Written
from nacre.output import counted, leaving_file, page_text
from nacre.spelling import close_names

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType
    from typing import BinaryIO, Self

    from nacre.file_records import FileWork

CHUNK_BYTES = 1 << 20
COUNTED_BYTES = 256 << 20  # the lines of a larger file are not counted: that would take seconds
_HOLDS_FOLDERS = os.open in os.supports_dir_fd
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_PLAIN = _NO_LINK | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


@dataclass(frozen=True, slots=True)
class ResolvedPath:
    """A path without links: an allowed directory, and the names from there."""

    root: str
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        """The whole of it."""
        return os.path.join(self.root, *self.names)


class AllowedRoots:
    """The directories that files may be in."""

    def __init__(self, roots: Iterable[str], directory: str, untouchable: Iterable[str] = ()) -> None:
        """Relative paths are resolved against `directory`; `untouchable` files are never written."""
        self._directory = directory
        self._roots = tuple(os.path.realpath(os.path.expanduser(root)) for root in roots)
        # Some systems take names that differ in capitals for the same.
        self._untouchable = {os.path.realpath(os.path.expanduser(path)).casefold() for path in untouchable}

    def find(self, work: FileWork) -> ResolvedPath:
        """Resolve the path of the work. Refused: it is outside, or one of nacre's own files."""
        real = os.path.realpath(os.path.join(self._directory, os.path.expanduser(work.path)))
        if work.writes and real.casefold() in self._untouchable:
            message = f"Denied: {work.path} belongs to nacre itself."
            raise Refused(message, hint="Write another file.", rule="nacre's own files")
        for root in self._roots:
            names = names_below(real, root)
            if names is not None:
                return ResolvedPath(root, names)
        raise Refused(
            f"Denied: {work.path} is outside of {', '.join(self._roots)}.",
            hint="Stay inside; links that lead out count as outside.",
            rule="allowed_directories",
        )


def names_below(path: str, root: str, flavour: ModuleType = os.path) -> tuple[str, ...] | None:
    """The names that lead from a root to a path, both resolved; None when it lies elsewhere. Pure."""
    drive, names = _taken_apart(path, flavour)
    root_drive, root_names = _taken_apart(root, flavour)
    alike = [flavour.normcase(name) for name in (root_drive, *root_names)]
    if [flavour.normcase(name) for name in (drive, *names[: len(root_names)])] != alike:
        return None
    below = names[len(root_names) :]
    forbidden = ":" if flavour.sep == "\\" else "\0"  # an alternate stream; impossible in a name
    if any(name in {".", ".."} or forbidden in name for name in below):
        return None
    return below


def _taken_apart(path: str, flavour: ModuleType) -> tuple[str, tuple[str, ...]]:
    drive, rest = flavour.splitdrive(path)
    if flavour.altsep:
        rest = rest.replace(flavour.altsep, flavour.sep)
    return drive, tuple(name for name in rest.split(flavour.sep) if name)


def perform(work: FileWork, found: ResolvedPath, page_bytes: int) -> FileDone:
    """Do the work at a path that was found for it. NacreError says why it cannot be done."""
    try:
        match work:
            case ReadFile():
                return _read(work, found, page_bytes)
            case WriteFile():
                return _write(work, found)
            case ListDirectory():
                return _list(work, found)
    except OSError as error:
        raise _explained(error, work, found) from None


# -- directories


class Folder:
    """A directory that is held open, so that it cannot be replaced."""

    def __init__(self, root: str, names: tuple[str, ...]) -> None:
        self.path = os.path.join(root, *names)
        self._held: int | None = _hold(root, names) if _HOLDS_FOLDERS else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            os.close(self._held)

    def open(self, name: str, flags: int, mode: int = 0) -> int:
        """Open a file in it, which must not be a link."""
        descriptor = os.open(self._called(name), flags | _PLAIN, mode, dir_fd=self._held)
        if self._held is None and os.path.realpath(self.path) != self.path:
            os.close(descriptor)
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), self.path)
        return descriptor

    def status(self, name: str) -> os.stat_result | None:
        """The status of a name; None: it does not exist."""
        with contextlib.suppress(FileNotFoundError):
            return os.stat(self._called(name), dir_fd=self._held, follow_symlinks=False)
        return None

    def target(self, name: str) -> str:
        """The target of a link."""
        return os.readlink(self._called(name), dir_fd=self._held)

    def put(self, new: str, name: str, *, only_if_free: bool) -> None:
        """Give a file its name atomically. FileExistsError: the name is taken, but must be free."""
        source, goal = self._called(new), self._called(name)
        if not only_if_free:
            os.replace(source, goal, src_dir_fd=self._held, dst_dir_fd=self._held)
        elif os.name == "nt":
            os.rename(source, goal)  # fails if the name is taken
        else:
            os.link(source, goal, src_dir_fd=self._held, dst_dir_fd=self._held, follow_symlinks=False)
            os.unlink(source, dir_fd=self._held)

    def remove(self, name: str) -> None:
        """Remove a file of ours, if it still exists."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._called(name), dir_fd=self._held)

    def save(self) -> None:
        """Wait until its names are on the disk, where the system supports that."""
        if self._held is not None:
            with contextlib.suppress(OSError):
                descriptor = self._readable()
                try:
                    os.fsync(descriptor)
                finally:
                    os.close(descriptor)

    def names(self) -> Iterable[str]:
        """All names in it, in the order of the system."""
        reading = self.path if self._held is None else self._readable()
        try:
            with os.scandir(reading) as entries:
                yield from (entry.name for entry in entries)
        finally:
            if isinstance(reading, int):
                os.close(reading)

    def _readable(self) -> int:
        return os.open(".", os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _PLAIN, dir_fd=self._held)

    def _called(self, name: str) -> str:
        return os.path.join(self.path, name) if self._held is None else name


def _hold(root: str, names: tuple[str, ...]) -> int:
    """Open a directory name by name, following no link below the root."""
    held = os.open(root, _FOLDER | getattr(os, "O_CLOEXEC", 0))
    try:
        for name in names:
            following = os.open(name, _FOLDER | _PLAIN, dir_fd=held)
            os.close(held)
            held = following
    except OSError:
        os.close(held)
        raise
    return held


# -- reading


def _read(work: ReadFile, found: ResolvedPath, page_bytes: int) -> Page:
    if not found.names:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with Folder(found.root, found.names[:-1]) as folder:
        _must_be_plain(folder.status(found.names[-1]), work)
        descriptor = folder.open(found.names[-1], os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(descriptor, "rb") as file:
            _must_be_plain(os.fstat(descriptor), work)
            return _page(leaving_file(file), work, found.path, page_bytes)


def _must_be_plain(status: os.stat_result | None, work: FileWork) -> None:
    """Refuse directories, which have another tool, and pipes and devices, which may never end."""
    if status is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise RequestError(
            f"{work.path} is not a regular file but a pipe, a socket or a device.", code="no_file"
        )


def _page(file: BinaryIO, work: ReadFile, path: str, page_bytes: int) -> Page:
    by_lines = work.unit == "lines"
    start = _line_start(file, work.offset) if by_lines else work.offset
    room = page_bytes if by_lines else min(work.limit or page_bytes, page_bytes)
    file.seek(start)
    data = file.read(room + 1)
    at_end = len(data) <= room
    page = _whole_lines(data, room, work.limit) if by_lines else _cut(data, room)
    whole = by_lines and page.endswith(b"\n")
    count = page.count(b"\n") + (1 if page and not page.endswith(b"\n") else 0) if by_lines else len(page)
    following = None
    if not (at_end and len(page) == len(data)):
        following = ("lines", work.offset + count) if whole else ("bytes", start + len(page))
    total_bytes, total_lines = _totals(file, start + len(page), counted=by_lines)
    encoding, content = page_text(page)
    return Page(
        path=path,
        summary=f"{counted(len(page), 'byte')} read",
        content=content,
        encoding=encoding,
        unit=work.unit,
        offset=work.offset,
        count=count,
        next=following,
        total_bytes=total_bytes,
        total_lines=total_lines,
    )


def _line_start(file: BinaryIO, skip: int) -> int:
    """The offset after a number of lines; the file's end, if it has fewer."""
    position = 0
    while skip and (chunk := file.read(CHUNK_BYTES)):
        ends = chunk.count(b"\n")
        if ends >= skip:
            at = -1
            for _ in range(skip):
                at = chunk.index(b"\n", at + 1)
            return position + at + 1
        skip -= ends
        position += len(chunk)
    return position


def _whole_lines(data: bytes, room: int, limit: int | None) -> bytes:
    """As many whole lines as fit; the beginning of a line that is too long by itself."""
    end, lines = 0, 0
    while (limit is None or lines < limit) and (border := data.find(b"\n", end, room) + 1):
        end, lines = border, lines + 1
    if lines == limit:
        return data[:end]
    if len(data) <= room:
        return data
    return data[:end] if end else _cut(data, room)


def _cut(data: bytes, room: int) -> bytes:
    """At most this many bytes, without cutting a UTF-8 character."""
    if len(data) <= room:
        return data
    for back in range(1, min(4, room) + 1):
        byte = data[room - back]
        if byte & 0xC0 == 0x80:  # noqa: PLR2004  # UTF-8's own numbers: a byte inside a character
            continue
        size = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1  # noqa: PLR2004  # as above
        return data[: room - back] if size > back and room > back else data[:room]
    return data[:room]


def _totals(file: BinaryIO, seen_bytes: int, *, counted: bool) -> tuple[int, int | None]:
    """Bytes and lines of the whole file. Files of /proc claim to be empty: what was read counts."""
    size = max(os.fstat(file.fileno()).st_size, seen_bytes)
    if not counted or size > COUNTED_BYTES:
        return size, None
    lines, total, last = 0, 0, b"\n"
    file.seek(0)
    while chunk := file.read(CHUNK_BYTES):
        lines, total, last = lines + chunk.count(b"\n"), total + len(chunk), chunk[-1:]
        if total > COUNTED_BYTES:  # it grows as fast as we read
            return total, None
    return total, lines + (last != b"\n")


# -- writing


def _write(work: WriteFile, found: ResolvedPath) -> Written:
    if not found.names:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    name, new = found.names[-1], f".nacre-{secrets.token_hex(8)}"
    with Folder(found.root, found.names[:-1]) as folder:
        old = folder.status(name)
        _must_suit(old, work)
        # The umask sets the mode of a new file; a replacement is private until it is complete.
        descriptor = folder.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if old is None else 0o600)
        try:
            _fill(descriptor, work.content, old)
            folder.put(new, name, only_if_free=work.mode == "create")
        except BaseException:  # in any case no half-written file stays
            folder.remove(new)
            raise
        folder.save()
    size = len(work.content)
    return Written(
        path=found.path, summary=f"{counted(size, 'byte')} written", size_bytes=size, created=old is None
    )


def _must_suit(old: os.stat_result | None, work: WriteFile) -> None:
    if old is not None:
        _must_be_plain(old, work)
        if work.mode == "create":
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    elif work.mode == "replace":
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def _fill(descriptor: int, content: bytes, old: os.stat_result | None) -> None:
    """Write all of it to the disk, with the owner and mode of the file that it replaces."""
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        if old is not None and hasattr(os, "fchmod"):
            new = os.fstat(descriptor)
            if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
                with contextlib.suppress(PermissionError):  # then it becomes ours, as an editor does it
                    os.fchown(descriptor, old.st_uid, old.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
        os.fsync(descriptor)


# -- listing


def _list(work: ListDirectory, found: ResolvedPath) -> Listing:
    with Folder(found.root, found.names) as folder:
        total = 0

        def counted() -> Iterable[str]:
            nonlocal total
            for name in folder.names():
                total += 1
                yield name

        first = heapq.nsmallest(work.offset + work.limit, counted())
        entries = tuple(_entry(folder, name) for name in first[work.offset :])
    end = work.offset + len(entries)
    return Listing(
        path=found.path,
        summary=f"{len(entries):,} of {total:,} entries",
        entries=entries,
        offset=work.offset,
        next=end if entries and end < total else None,
        total=total,
    )


def _entry(folder: Folder, name: str) -> Entry:
    shown = os.fsencode(name).decode("utf-8", "backslashreplace")
    try:
        status = folder.status(name)
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "other") if status else "gone"
        target = folder.target(name) if kind == "link" else None
    except OSError:
        return Entry(shown, "unknown")
    if status is None:
        return Entry(shown, kind)
    modified = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(status.st_mtime))
    size_bytes = status.st_size if kind == "file" else None
    link = None if target is None else os.fsencode(target).decode("utf-8", "backslashreplace")
    return Entry(shown, kind, size_bytes, modified, link)


# -- errors


def _explained(error: OSError, work: FileWork, found: ResolvedPath) -> NacreError:
    reason = os.strerror(error.errno) if error.errno else str(error)
    explanations: dict[int | None, tuple[str, str]] = {
        errno.ENOENT: ("does not exist", _nearest(found)),
        errno.EISDIR: ("is a directory", "list_directory shows what is in it."),
        errno.ENOTDIR: ("does not lead through directories", _nearest(found)),
        errno.EEXIST: ("exists already", "Mode write or replace would put the new content in its place."),
        errno.ELOOP: ("was a link, or became one just now", "Nothing was done. Try again."),
        errno.EACCES: (f"cannot be used: {reason}", "The user that nacre runs as may not."),
        errno.EPERM: (f"cannot be used: {reason}", "The user that nacre runs as may not."),
        errno.ENAMETOOLONG: ("has a name that is too long", ""),
    }
    if error.errno in explanations:
        said, hint = explanations[error.errno]
        return RequestError(f"{work.path} {said}.", code="no_file", hint=hint)
    return PlaceError(f"{work.path}: {reason}.")


def _nearest(found: ResolvedPath) -> str:
    """What exists instead: the nearest directory, and a similar name in it."""
    there = 0
    while there < len(found.names) and os.path.isdir(os.path.join(found.root, *found.names[: there + 1])):
        there += 1
    directory = os.path.join(found.root, *found.names[:there])
    if there == len(found.names):
        return f"{directory} is there now."
    with contextlib.suppress(OSError):
        close = close_names(found.names[there], tuple(os.listdir(directory)))
        if close:
            return f"{directory} has {' and '.join(close)}."
    return f"The nearest directory that exists is {directory}."
