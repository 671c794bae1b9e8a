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
import re
import stat
import sys
import time
from collections import deque

KEPT_BYTES = 1 << 20
FOLLOW_TRIES = 3
LOCK_TRIES, LOCK_WAIT_S = 10, 0.001  # another server writes for less than a millisecond
LOOKED_AT = 200  # files that were moved aside, when a new one is begun
AFTER_BYTES = 128  # in which a file says what it comes after
LAST_LINE_BYTES = 1 << 16  # where the last line is looked for first; then in all of the file
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


_ASIDE = re.compile(r"\.\d{8}T\d{6}Z\.\d{3}")


class Trail:
    """One file that lines are appended to."""

    def __init__(self, path: str, rotate_bytes: int = 0) -> None:
        """A file that has grown to `rotate_bytes` is moved aside; 0: never. Raises OSError."""
        self._rotate_bytes = rotate_bytes
        self.path = os.path.realpath(path)  # what is moved aside is the file, not a link to it
        self.not_rotated = ""  # why it could not be moved aside; nothing: it could, or is not to be
        self.cut = False  # whether records that we had written were found missing at the end
        self.failing = ""  # why the file cannot be written; nothing: it can
        self.missing = 0  # lines that were not kept since it cannot
        self._kept: deque[bytes] = deque()
        self._kept_bytes = 0
        self._fd = -1
        self.torn = False  # the last line has no end
        self._seal = ""  # of the last line that we have written or read
        self._end = -1  # how long the file was then
        self._own_end = 0  # where the last line that we have written ends; 0: we have written none to it
        self._own_seal = ""  # that line's
        self._open()

    @property
    def behind(self) -> bool:
        """Whether something waits for room."""
        return bool(self._kept or self.missing)

    @property
    def exposed(self) -> str:
        """How others can change it, or read what commands it has; nothing: they cannot."""
        found, directory = os.fstat(self._fd), os.stat(os.path.dirname(self.path))
        if os.name == "nt" or not stat.S_ISREG(found.st_mode):
            return ""
        if found.st_mode & 0o022:
            return "can be changed by other users: chmod 600 it"
        if directory.st_mode & 0o022 and not directory.st_mode & stat.S_ISVTX:
            return "can be replaced by other users, who may write its directory: chmod go-w that"
        return "can be read by all users: chmod 600 it" if found.st_mode & 0o004 else ""

    def write(self, lines: list[bytes]) -> None:
        """Append lines; those that cannot be written now are kept or counted."""
        if self.missing:
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
        if not self._kept and not self.missing:
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
            fd = self._fd
            _lock(fd)
            try:
                if self._is_there():  # nearly always; or it was moved aside
                    self._write_locked()
                    return
            finally:
                _unlock(fd)
            self._follow()
        raise FileNotFoundError(errno.ENOENT, "it is moved away again and again", self.path)

    def _write_locked(self) -> None:
        lines = [*self._kept, self._gap_line()] if self.missing else list(self._kept)
        sealed = self._sealed(lines)
        written, error = self._append(b"".join(line for line, _ in sealed))
        whole = 0
        for line, own in sealed:
            if written < len(line):
                break
            written -= len(line)
            whole += 1
            self._seal = own
            if self._kept:
                self._kept_bytes -= len(self._kept.popleft())
        torn_bytes = self._take_back(written) if error is not None else 0
        self._end = os.fstat(self._fd).st_size
        if whole:
            self._own_end, self._own_seal = self._end - torn_bytes, self._seal
        if error is not None:
            raise error
        self.missing = 0
        if 0 < self._rotate_bytes <= self._end:
            self._move_aside()

    def _move_aside(self) -> None:
        """Give the file a name with the time; the next line begins a new one, and names its last seal.

        A file that cannot be moved grows on: what was to be written is written.
        """
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        for number in range(1, 1000):
            aside = f"{self.path}.{now}.{number:03}"
            if not os.path.lexists(aside):
                try:
                    os.rename(self.path, aside)
                except OSError as error:
                    self.not_rotated = error.strerror or str(error)
                else:
                    self.not_rotated = ""
                return

    def _sealed(self, lines: list[bytes]) -> list[tuple[bytes, str]]:
        """Lines with their seals, behind what is in the file now."""
        from nacre.audit.chain import seal  # noqa: PLC0415  # only servers with an audit log hash

        size = os.fstat(self._fd).st_size
        is_new = not size and self._end != 0  # a pipe has no size after it was written to, either
        if is_new:
            self._own_end = 0
            self._seal = self._seal_before_new()
        if size != self._end and size:  # another server has written, or somebody has changed it
            self.torn = _ends_inside_a_line(self.path)
            if self._own_end and not _has_seal_at(self.path, self._own_end, self._own_seal):
                self.cut, self._seal = True, self._own_seal  # carried on, so that the chain shows it
            else:
                self._seal = last_seal(self.path) or self._seal
        sealed: list[tuple[bytes, str]] = []
        before = self._seal
        for line in lines:
            sealed.append(seal(line, before, first=is_new and not sealed))
            before = sealed[-1][1]
        return sealed

    def _seal_before_new(self) -> str:
        """The seal that a new file comes after: ours, or that of what others have filled and moved since."""
        files = sorted(_moved_aside(self.path), key=os.path.getmtime)[-LOOKED_AT:]
        filled = [(seal_before_file(path), last_seal(path)) for path in files]
        after = dict(filled)
        seal = self._seal or next((last for _, last in reversed(filled) if last not in after), "")
        while seal and seal in after:
            seal = after.pop(seal)
        return seal

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

    def _take_back(self, count: int) -> int:
        """Undo the part of a line that was written last, or remember that it has no end; how much is left."""
        if not count:
            return 0
        try:
            end = os.lseek(self._fd, 0, os.SEEK_CUR)
            if os.fstat(self._fd).st_size == end:  # no other server has appended to it
                os.ftruncate(self._fd, end - count)
                return 0
        except OSError:
            pass
        self.torn = True
        return count

    def _gap_line(self) -> bytes:
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        gap = {"time": now, "ended": "not recorded", "missing": self.missing, "reason": self.failing}
        return json.dumps(gap).encode() + b"\n"

    # -- the file

    def _open(self) -> None:
        fd = os.open(self.path, _FLAGS, 0o600)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self.torn, self._end, self._own_end = fd, _ends_inside_a_line(self.path), -1, 0

    def _is_there(self) -> bool:
        """Whether the file that we have open is the one of that name."""
        opened = os.fstat(self._fd)
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return False
        return (there.st_dev, there.st_ino) == (opened.st_dev, opened.st_ino)

    def _follow(self) -> None:
        """Reopen the audit log if the file was moved or deleted."""
        if self._is_there():
            return
        if os.fstat(self._fd).st_size != self._end:  # another server has written to it since
            self._seal = last_seal(f"/proc/self/fd/{self._fd}") or self._seal
        self._open()


if sys.platform == "win32":  # where no other server has the file open

    def _lock(fd: int) -> None:
        pass

    def _unlock(fd: int) -> None:
        pass

else:
    import fcntl

    def _lock(fd: int) -> None:
        """Keep other servers from writing. Raises OSError if the lock stays taken."""
        for left in reversed(range(LOCK_TRIES)):
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not left:
                    raise
                time.sleep(LOCK_WAIT_S)
            except OSError:  # a file system without locks
                return
            else:
                return

    def _unlock(fd: int) -> None:
        """Let them write again."""
        try:
            fcntl.flock(fd, fcntl.LOCK_UN)
        except OSError:  # the same
            return


def _moved_aside(path: str) -> list[str]:
    """The files that servers have moved aside."""
    directory, base = os.path.split(path)
    return [
        os.path.join(directory, name)
        for name in os.listdir(directory)
        if name.startswith(base) and _ASIDE.fullmatch(name, len(base))
    ]


def seal_before_file(path: str) -> str:
    """The seal that a file says it comes after; nothing where it says none."""
    from nacre.audit.chain import seal_before  # noqa: PLC0415  # as above

    try:
        with open(path, "rb") as file:
            return seal_before(file.read(AFTER_BYTES))
    except OSError:
        return ""


def last_seal(path: str) -> str:
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


def _has_seal_at(path: str, end: int, own: str) -> bool:
    """Whether a line with that seal still ends there; True also where the file cannot be read."""
    expected = own.encode() + b'"}\n'
    try:
        with open(path, "rb") as file:
            file.seek(max(0, end - len(expected)))
            return file.read(len(expected)) == expected
    except OSError:
        return True


def _ends_inside_a_line(path: str) -> bool:
    """Whether an earlier writer left an incomplete line."""
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
