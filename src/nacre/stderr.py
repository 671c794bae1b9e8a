"""Lines on stderr: the log's output, which can neither block the server nor end it.

Above it: every module that logs (`log`). A client that never reads our stderr, has closed it, or redirects it
to a full disk loses lines and nothing else: they are counted instead of written, and the count is logged as
soon as there is room. A partially written line is ended before the next one. On Windows, where a pipe does
not report whether it has room, a thread writes, and its queue is bounded.
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

PIPE_ROOM_BYTES = 4096  # what a writable pipe takes without blocking
LINES_AHEAD = 200  # how far the reader of stderr may fall behind on Windows
GOODBYE_PATIENCE_S = 0.3

_dropped_lines = 0
_torn = False  # whether the last line was written only in part


def hide(text: str) -> str:
    """What may be written of a line; whoever knows secrets puts their own function here."""
    return text


def write_lines(lines: Iterable[tuple[float, str]]) -> None:
    """Write lines with the time and our name, as many at once as a pipe takes."""
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
    """Write one line, unless that would block or fail."""
    _send([_line(text)])


def _stamp(when: float) -> str:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when))
    return f"{stamp}.{int(when * 1000) % 1000:03d}Z nacre "


def _line(text: str, before: str = "", *, first: bool = True) -> bytes:
    """A line; the first one of a batch says how many were dropped before it."""
    if first and _dropped_lines:
        text = f"({_dropped_lines:,} lines before this one could not be written) {text}"
    return f"{before}{hide(text)}".encode("utf-8", "replace")[: PIPE_ROOM_BYTES - 2] + b"\n"


def _send(lines: list[bytes]) -> None:
    """Write the lines, or count them as dropped."""
    global _dropped_lines  # noqa: PLW0603  # there is one stderr, and one count, per process
    data = b"".join(lines)
    written = _put(data) if _has_room() else 0
    if written == len(data):
        _dropped_lines = 0
        return
    ends = list(itertools.accumulate(map(len, lines)))
    dropped = sum(end > written for end in ends)
    _dropped_lines = dropped if dropped < len(lines) else _dropped_lines + dropped


def _put(data: bytes) -> int:
    """Write, and return how many bytes were written."""
    global _torn  # noqa: PLW0603  # as above
    if _thread is not None:
        _thread.write(data)
        return len(data)
    start = b"\n" if _torn else b""
    try:
        written = os.write(2, start + data)
    except OSError:  # no reader, disk full, terminal gone
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
    """A thread that writes to stderr, so that nothing else waits for its reader."""

    def __init__(self) -> None:
        self._lines: queue.Queue[bytes] = queue.Queue(LINES_AHEAD)
        threading.Thread(target=self._write, name="stderr", daemon=True).start()

    @property
    def has_room(self) -> bool:
        """Whether a line can be taken."""
        return not self._lines.full()

    def write(self, line: bytes) -> None:
        """Queue a line, after a look at `has_room`."""
        self._lines.put_nowait(line)

    def finish(self) -> None:
        """Give the reader a moment to take what is left."""
        with self._lines.all_tasks_done:
            self._lines.all_tasks_done.wait_for(lambda: not self._lines.unfinished_tasks, GOODBYE_PATIENCE_S)

    def _write(self) -> None:
        while True:
            line = self._lines.get()
            with contextlib.suppress(OSError):  # stderr has been closed
                os.write(2, line)
            self._lines.task_done()


_thread: StderrThread | None = None


class StderrHandler(logging.Handler):
    """Writes log records, ours and those of libraries, in the same way."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        name = "" if record.name == "nacre" else f"[{record.name}] "
        write_lines([(record.created, name + self.format(record))])


def take_over_logging() -> None:
    """Route all logging here, before the SDK configures its own."""
    global _thread  # noqa: PLW0603  # as above
    if sys.platform == "win32":
        _thread = StderrThread()
    logging.basicConfig(handlers=[StderrHandler()], level=logging.WARNING, format="%(message)s")


def finish() -> None:
    """The process is about to end."""
    if _thread is not None:
        _thread.finish()
