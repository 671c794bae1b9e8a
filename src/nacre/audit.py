"""The log: one line on stderr for every command that was run or refused, and, if wanted, an audit file.

Never the values of an environment: its names only.

Above it: `service`, which calls `record` in the one `finally` nobody can pass by.

Lines are gathered and written a moment later, many at once, so that no reply waits for its line; `flush`
writes what is left at the end. A client that never reads our stderr must not be able to stop us: when
the pipe is full, lines are counted instead of written, and the count is told as soon as there is room.
Windows does not tell whether a pipe has room; there a thread writes, and its queue is what gets full.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import select
import sys
import threading
import time
from typing import TYPE_CHECKING

from nacre.errors import Refused, RequestError
from nacre.model import Command, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nacre.errors import NacreError
    from nacre.file_records import FileDone, FileWork

    Asked = Command | FileWork
    Outcome = Result | FileDone | NacreError | None

log = logging.getLogger("nacre")

SHOWN_CHARACTERS = 500
GATHER_S = 0.02
PIPE_ROOM_BYTES = 4096  # what a pipe that polls writable takes without blocking

LINES_AHEAD = 200  # how far a reader of stderr may fall behind on Windows
GOODBYE_PATIENCE_S = 0.3

_waiting: list[tuple[float, Asked, Outcome]] = []
_dropped_lines = 0
_commands_logged = True
_trail: int | None = None  # the descriptor of the audit log
_words: Mapping[
    str, str
] = {}  # a document's own lines (`executing`, `exit_code`, `error`); said when verbose


def record(asked: Asked, outcome: Outcome) -> None:
    """What became of a command, or of file work; no outcome means that the caller has cancelled it."""
    if not _waiting:
        asyncio.get_running_loop().call_later(GATHER_S, flush)
    _waiting.append((time.time(), asked, outcome))
    if _words and isinstance(asked, Command) and log.isEnabledFor(logging.DEBUG):
        _say_the_end(outcome)  # at once: the next command's first line comes after it


def started(command: Command) -> None:
    """Said only when verbose: the end of the command tells the same and more."""
    if log.isEnabledFor(logging.DEBUG):
        names = ",".join(sorted(command.environment)) or "nothing"
        where = f"in {command.working_directory}, timeout {command.timeout_s:g} s, sets {names}"
        log.debug("starting (%s): %s", where, one_line(command.text))
        _say_in_words("executing", command=one_line(command.text))


def flush() -> None:
    """Write the lines that were gathered."""
    if _commands_logged and log.isEnabledFor(logging.INFO):
        for when, asked, outcome in _waiting:
            write_line(when, f"{_how(outcome)}: {one_line(_what(asked))}")
    if _trail is not None:
        os.write(_trail, b"".join(_trail_line(*entry) for entry in _waiting))
    _waiting.clear()


def _say_the_end(outcome: Outcome) -> None:
    """The end of a command in a document's words; a refusal has no such line there."""
    if isinstance(outcome, Refused):
        return
    if isinstance(outcome, Exception):
        _say_in_words("error", error=one_line(outcome.message))
    elif isinstance(outcome, Result):
        _say_in_words("exit_code", code=-1 if outcome.exit_code is None else outcome.exit_code)


def _say_in_words(name: str, **values: object) -> None:
    if name in _words:
        say(_words[name].format(**values))


def _what(asked: Asked) -> str:
    return asked.text if isinstance(asked, Command) else f"{asked.tool} {asked.path}"


def _trail_line(when: float, asked: Asked, outcome: Outcome) -> bytes:
    """One command as JSON: what `nacre policy learn` reads, and a person's tools."""
    return json.dumps(told(when, asked, outcome)).encode() + b"\n"


def told(when: float, asked: Asked, outcome: Outcome) -> dict[str, object]:
    """What became of it, as data: without output or content, and without values of an environment."""
    entry: dict[str, object] = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))}
    if isinstance(asked, Command):
        entry |= {"command": asked.text, "working_directory": asked.working_directory}
        entry |= {"environment": sorted(asked.environment)}
    else:
        entry |= {"tool": asked.tool, "path": asked.path}
    if outcome is None:
        entry["ended"] = "cancelled"
    elif isinstance(outcome, Exception):
        entry |= {"ended": "not run", "code": outcome.code, "reason": outcome.message}
    elif not isinstance(outcome, Result):
        entry |= {"ended": "done", "real_path": outcome.path, "summary": outcome.summary}
    else:
        entry |= {"ended": outcome.ended.value, "exit_code": outcome.exit_code, "signal": outcome.signal}
        entry |= {"execution_time_ms": outcome.execution_time_ms}
        if outcome.hints:  # a command that is not there, a file that may not be used
            entry["hints"] = list(outcome.hints)
    return entry


def _how(outcome: Outcome) -> str:
    if outcome is None:
        return "cancelled"
    if isinstance(outcome, Exception):
        return f"not run ({outcome.code}, {one_line(outcome.message)})"
    if not isinstance(outcome, Result):
        return f"done, {outcome.summary}"
    end = outcome.signal or f"exit {outcome.exit_code}"
    why = "".join(f", {one_line(hint)}" for hint in outcome.hints)
    return f"{outcome.ended.value}, {end}, {outcome.execution_time_ms} ms{why}"


def one_line(text: str) -> str:
    """A text on one line, so that no command can pass for a log line of its own."""
    shown = (
        text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}… ({len(text):,} characters)"
    )
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode("ascii")


def write_line(when: float, text: str) -> None:
    """One line on stderr, with the time and our name."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(when))
    say(text, f"{stamp}.{int(when * 1000) % 1000:03d}Z nacre ")


def say(text: str, before: str = "") -> None:
    """One line on stderr, unless that would block."""
    global _dropped_lines  # noqa: PLW0603  # stderr is one for the process, so is its count
    if not _has_room():
        _dropped_lines += 1
        return
    if _dropped_lines:
        text = f"({_dropped_lines} lines before this one were dropped: nobody read stderr) {text}"
        _dropped_lines = 0
    data = f"{before}{text}\n".encode("utf-8", "replace")[:PIPE_ROOM_BYTES]
    if _pen is not None:
        _pen.write(data)
    else:
        os.write(2, data)


def _has_room() -> bool:
    if sys.platform == "win32":
        return _pen is None or _pen.has_room
    poll = select.poll()
    poll.register(2, select.POLLOUT)
    return any(events & select.POLLOUT for _, events in poll.poll(0))


class Pen:
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


_pen: Pen | None = None


def finish() -> None:
    """Write what is left; the process is about to end."""
    flush()
    if _pen is not None:
        _pen.finish()


class StderrHandler(logging.Handler):
    """Everything else that is logged, ours or a library's, on the same terms."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        name = "" if record.name == "nacre" else f"[{record.name}] "
        write_line(record.created, name + self.format(record))


def configure(
    *, verbose: bool, commands: bool = True, trail: str | None = None, words: Mapping[str, str] | None = None
) -> None:
    """Take root logging over before the SDK does; open the audit trail, if one is wanted."""
    global _pen, _commands_logged, _trail, _words  # noqa: PLW0603  # the log is one for the process
    if sys.platform == "win32":
        _pen = Pen()
    logging.basicConfig(handlers=[StderrHandler()], level=logging.WARNING, format="%(message)s")
    log.setLevel(logging.DEBUG if verbose else logging.INFO)
    _commands_logged = commands
    _words = words or {}
    if trail is not None:
        try:
            _trail = os.open(trail, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise RequestError(f"The audit log cannot be written: {trail}: {error.strerror}.") from None
