"""The audit log's file: whole lines, in order, and an honest gap where there was no room for them.

Above it: `recorder`, which makes the lines. When the file cannot be written (a full disk, a quota, a reader
that is gone) lines are kept, up to a bound; beyond it they are counted. As soon as there is room, what was
kept is written, then a line that says how many are missing, then what comes next. A line that was written in
part is taken back, or ended before the next one. A file that was moved away or deleted is created again.

Every line is sealed when it is written (`chain`), under a lock: several servers may write to one file.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections import deque
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

KEPT_BYTES = 1 << 20
FOLLOW_TRIES = 3
LOCK_TRIES, LOCK_WAIT_S = 10, 0.001  # another server writes for less than a millisecond
LAST_LINE_BYTES = 1 << 16  # where the last line is looked for first; then in all of the file
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Trail:
    """One file that lines are appended to."""

    def __init__(self, path: str, rotate_bytes: int = 0) -> None:
        """A file that has grown to `rotate_bytes` is moved aside; 0: never. Raises OSError."""
        self._rotate_bytes = rotate_bytes
        self.path = os.path.abspath(path)
        self.failing = ""  # why the file cannot be written; nothing: it can
        self.missing = 0  # lines that were not kept since it cannot
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0
        self._fd = -1
        self.torn = False  # the last line has no end
        self._seal = ""  # of the last line that we have written or read
        self._end = -1  # how long the file was then
        self._open()

    @property
    def behind(self) -> bool:
        """Whether something waits for room."""
        return bool(self._kept or self.missing)

    def write(self, lines: list[bytes]) -> None:
        """Append lines; those that cannot be written now are kept or counted."""
        self.catch_up()
        if self.missing:  # nothing is kept behind a gap: the file is in order of time
            self.missing += len(lines)
            return
        self._kept.extend(lines)
        self._kept_bytes += sum(map(len, lines))
        self.catch_up()
        while self._kept_bytes > KEPT_BYTES:
            self._kept_bytes -= len(self._kept.pop())
            self.missing += 1

    def catch_up(self) -> None:
        """Write what waits, if there is room."""
        if not self.behind:
            return
        try:
            self._write_kept()
        except OSError as error:
            self.failing = error.strerror or str(error)
        else:
            self.failing = ""

    def _write_kept(self) -> None:
        """Write what waits to the file that has its name now, with no other server in between."""
        for _ in range(FOLLOW_TRIES):
            self._follow()
            with _locked(self._fd):
                if self._is_there():  # or another server has just moved it aside
                    self._write_locked()
                    return
        raise FileNotFoundError(errno.ENOENT, "it is moved away again and again", self.path)

    def _write_locked(self) -> None:
        lines = [*self._kept, self._gap_line()] if self.missing else list(self._kept)
        sealed = self._sealed(lines)
        written, error = self._append(b"".join(line for line, _ in sealed))
        for line, own in sealed:
            if written < len(line):
                break
            written -= len(line)
            self._seal = own
            if self._kept:
                self._kept_bytes -= len(self._kept.popleft())
        if error is not None:
            self._take_back(written)
        self._end = os.fstat(self._fd).st_size
        if error is not None:
            raise error
        self.missing = 0
        if 0 < self._rotate_bytes <= self._end:
            self._move_aside()

    def _move_aside(self) -> None:
        """Give the file a name with the time; the next line begins a new one, and names its last seal."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        for number in range(1, 1000):
            aside = f"{self.path}.{now}.{number:03}"
            if not os.path.lexists(aside):
                os.rename(self.path, aside)
                return

    def _sealed(self, lines: list[bytes]) -> list[tuple[bytes, str]]:
        """Lines with their seals, behind what is in the file now."""
        from nacre.audit.chain import seal  # noqa: PLC0415  # only servers with an audit log hash

        size = os.fstat(self._fd).st_size
        is_new = not size and self._end != 0  # a pipe has no size after it was written to, either
        if size != self._end and size:
            self._seal = _last_seal(self.path) or self._seal
        sealed: list[tuple[bytes, str]] = []
        before = self._seal
        for line in lines:
            sealed.append(seal(line, before, first=is_new and not sealed))
            before = sealed[-1][1]
        return sealed

    def _append(self, data: bytes) -> tuple[int, OSError | None]:
        """How much of it was written, and why not all."""
        start = b"\n" if self.torn else b""
        view, failure = memoryview(start + data), None
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError as error:
            failure = error
        written = len(start) + len(data) - len(view)
        self.torn = self.torn and not written
        return max(0, written - len(start)), failure

    def _take_back(self, count: int) -> None:
        """Undo the part of a line that was written last, or remember that it has no end."""
        if not count:
            return
        try:
            end = os.lseek(self._fd, 0, os.SEEK_CUR)
            if os.fstat(self._fd).st_size == end:  # nobody else has written behind it
                os.ftruncate(self._fd, end - count)
                return
        except OSError:
            pass
        self.torn = True

    def _gap_line(self) -> bytes:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        gap = {"time": now, "ended": "not recorded", "missing": self.missing, "reason": self.failing}
        return json.dumps(gap).encode() + b"\n"

    # -- the file

    def _open(self) -> None:
        fd = os.open(self.path, _FLAGS, 0o600)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self.torn, self._end = fd, _ends_inside_a_line(self.path), -1

    def _is_there(self) -> bool:
        """Whether the file that we have open is the one of that name."""
        opened = os.fstat(self._fd)
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)

    def _follow(self) -> None:
        """A file that somebody has moved away, or deleted, is not the audit log any more."""
        if self._is_there():
            return
        if os.fstat(self._fd).st_size != self._end:  # another server has written to it since
            self._seal = _last_seal(f"/proc/self/fd/{self._fd}") or self._seal
        self._open()


@contextmanager
def _locked(fd: int) -> Generator[None]:
    """Keep other servers from writing meanwhile. Raises OSError when somebody holds on to the file."""
    try:
        import fcntl  # noqa: PLC0415  # Windows has none, and there nobody else has the file open
    except ImportError:
        yield
        return
    for left in reversed(range(LOCK_TRIES)):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if not left:
                raise
            time.sleep(LOCK_WAIT_S)
        except OSError:  # a file system without locks
            break
    try:
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)


def _last_seal(path: str) -> str:
    """The seal of the last line that has one; nothing where the file cannot be read."""
    from nacre.audit.chain import seal_of  # noqa: PLC0415  # as above

    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            for wanted in (min(size, LAST_LINE_BYTES), size):
                file.seek(size - wanted)
                for line in reversed(file.read().splitlines()):
                    if found := seal_of(line):
                        return found
    except OSError:
        pass
    return ""


def _ends_inside_a_line(path: str) -> bool:
    """Whether whoever wrote there before us did not come to the end of a line."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return False
        with open(path, "rb") as file:
            return bool(file.seek(0, os.SEEK_END)) and _last_byte(file.fileno()) != b"\n"
    except OSError:  # it may be written and not be read
        return False


def _last_byte(fd: int) -> bytes:
    os.lseek(fd, -1, os.SEEK_END)
    return os.read(fd, 1)
