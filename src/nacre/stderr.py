"""Lines on stderr: the log's own way out, which can neither hold the server up nor end it.

Above it: everybody who has something to log (`log`). A client that never reads our stderr, has closed it, or
gave us a file on a disk that is full, loses lines and nothing else: they are counted instead of written,
and the count is told as soon as there is room. A line that was written in part is ended before the next.
Windows does not tell whether a pipe has room; there a thread writes, and its queue is what gets full.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import queue
import select
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

log = logging.getLogger("nacre")

PIPE_ROOM_BYTES = 4096  # what a pipe that polls writable takes without blocking
LINES_AHEAD = 200  # how far a reader of stderr may fall behind on Windows
GOODBYE_PATIENCE_S = 0.3

_dropped_lines = 0
_torn = False  # the last line has no end


def write_lines(lines: Iterable[tuple[float, str]]) -> None:
    """Lines with their time and our name, as many at once as a pipe takes."""
    piece: list[bytes] = []
    size = 0
    for when, text in lines:
        line = _line(text, _stamp(when), first=not piece)
        if piece and size + len(line) >= PIPE_ROOM_BYTES:
            _send(piece)
            piece, size = [], 0
            line = _line(text, _stamp(when))
        piece.append(line)
        size += len(line)
    if piece:
        _send(piece)


def say(text: str) -> None:
    """One line, unless that would block or cannot be done."""
    _send([_line(text)])


def _stamp(when: float) -> str:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when))
    return f"{stamp}.{int(when * 1000) % 1000:03d}Z nacre "


def _line(text: str, before: str = "", *, first: bool = True) -> bytes:
    """A line; the first of those that are written together tells how many were dropped before it."""
    if first and _dropped_lines:
        text = f"({_dropped_lines:,} lines before this one could not be written) {text}"
    return f"{before}{text}".encode("utf-8", "replace")[: PIPE_ROOM_BYTES - 2] + b"\n"


def _send(lines: list[bytes]) -> None:
    """Write these, or count them."""
    global _dropped_lines  # noqa: PLW0603  # stderr is one for the process, so is its count
    data = b"".join(lines)
    written = _put(data) if _has_room() else 0
    if written == len(data):
        _dropped_lines = 0
        return
    ends = list(itertools.accumulate(map(len, lines)))
    dropped = sum(end > written for end in ends)
    _dropped_lines = dropped if dropped < len(lines) else _dropped_lines + dropped


def _put(data: bytes) -> int:
    """How much of it is written."""
    global _torn  # noqa: PLW0603  # as above
    if _thread is not None:
        _thread.write(data)
        return len(data)
    start = b"\n" if _torn else b""
    try:
        written = os.write(2, start + data)
    except OSError:  # nobody reads, the disk is full, the terminal is gone
        return 0
    _torn = written < len(start + data) if written else _torn
    return max(0, written - len(start))


def _has_room() -> bool:
    if sys.platform == "win32":
        return _thread is None or _thread.has_room
    poll = select.poll()
    poll.register(2, select.POLLOUT)
    return any(events & select.POLLOUT for _, events in poll.poll(0))


class StderrThread:
    """A thread that writes to stderr, so that nobody else has to wait for its reader."""

    def __init__(self) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue(LINES_AHEAD)
        threading.Thread(target=self._write, name="stderr", daemon=True).start()

    @property
    def has_room(self) -> bool:
        """Whether a line can be taken."""
        return not self._lines.full()

    def write(self, line: bytes) -> None:
        """Take a line; `has_room` was asked before."""
        self._lines.put_nowait(line)

    def finish(self) -> None:
        """Give the reader a moment to take what is left."""
        with self._lines.all_tasks_done:
            self._lines.all_tasks_done.wait_for(lambda: not self._lines.unfinished_tasks, GOODBYE_PATIENCE_S)

    def _write(self) -> None:
        while True:
            line = self._lines.get()
            with contextlib.suppress(OSError):  # nobody has a stderr of ours any more
                os.write(2, line)
            self._lines.task_done()


_thread: StderrThread | None = None


class StderrHandler(logging.Handler):
    """What is logged, by us or by a library, on the same terms."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        name = "" if record.name == "nacre" else f"[{record.name}] "
        write_lines([(record.created, name + self.format(record))])


def take_over_logging() -> None:
    """Everything that is logged comes here; before the SDK has its own idea of that."""
    global _thread  # noqa: PLW0603  # as above
    if sys.platform == "win32":
        _thread = StderrThread()
    logging.basicConfig(handlers=[StderrHandler()], level=logging.WARNING, format="%(message)s")


def finish() -> None:
    """The process is about to end."""
    if _thread is not None:
        _thread.finish()
