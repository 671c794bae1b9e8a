"""Reports on a running command: its output so far, that there is more, that it waits for input.

Above it: `program`, which loads this with the first command that is watched. Below: `streams`, which has the
output, and `processes`, which finds out what a process waits for.
"""

from __future__ import annotations

import time

from nacre.keeper import processes
from nacre.keeper.codec import encode
from nacre.keeper.frames import News, Part
from nacre.keeper.host import command_line, host

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from nacre.keeper.commands import Command
    from nacre.keeper.frames import Read, Watch
    from nacre.keeper.outlet import Outlet
    from nacre.keeper.streams import Streams
    from nacre.keeper.timers import Timer

STDOUT, STDERR = 1, 2
PROGRAMS_LIMIT = 200
TIMED_WAIT_S = 0.3
LOOK_S = 0.04  # the interval between looks for processes that wait for input


def read(command: Command, asked: Read) -> Part:
    """The requested part of the output, as far as it is kept."""
    streams = command.streams_of(asked.turn)
    if streams is None:
        return Part(asked.ticket, known=False)
    capture = streams.capture(asked.stream)
    if capture is None:
        return Part(asked.ticket, known=True)
    missing_from, missing_bytes, data = capture.read(asked.offset, asked.limit_bytes)
    return Part(
        ticket=asked.ticket,
        known=True,
        total_bytes=capture.total_bytes,
        line_ends=capture.line_ends,
        missing_from=missing_from,
        missing_bytes=missing_bytes,
        data=data,
    )


def watch(outlet: Outlet, command: Command, asked: Watch) -> None:
    """Start or stop reporting on a command."""
    if command.watcher is not None:
        command.watcher.stop()
        command.watcher = None
    streams = command.streams_of(asked.turn)
    if asked.every_ms and streams is not None:
        command.watcher = Watcher(outlet, command, streams, asked)


class Watcher:
    """Reports to nacre when there is more output of a command."""

    def __init__(self, outlet: Outlet, command: Command, streams: Streams, asked: Watch) -> None:
        self._outlet = outlet
        self._command = command
        self._streams = streams
        self._turn = asked.turn
        self._every_s = asked.every_ms / 1000
        self._timer: Timer | None = None
        self._reader = ""
        self._input_name = host.input_name(command.input_fd) if asked.input else ""
        self._look_timer: Timer | None = None
        self._timed: dict[int, float] = {}  # processes in a timed wait for input, and since when
        self._printed_bytes = -1
        streams.tell_growth(self._grown)
        self._tell(self._programs())
        if self._input_name:
            self._look_later()

    def _look_later(self) -> None:
        self._look_timer = self._outlet.loop.call_later(LOOK_S, self._look, self._command.id)

    def _look(self) -> None:
        """Look for a process that waits for input: there is no event for that."""
        self._look_timer = None
        if not self._is_current:
            return
        reader = self._find_reader()
        if reader != self._reader:
            self._reader = reader
            self._tell()
        self._look_later()

    def _find_reader(self) -> str:
        """The process that waits for input, if all earlier input has been read."""
        command = self._command
        if command.input_fd < 0 or host.unread_bytes(command.input_fd):
            return ""
        members = sorted(self._outlet.tree.members(command.id))[:PROGRAMS_LIMIT]
        waits = {pid: how for pid in members if (how := processes.input_wait(pid, self._input_name))}
        endless = [pid for pid, how in waits.items() if how == processes.ENDLESS]
        waiting = endless or self._long_in_timed_wait(set(waits))
        return f"{waiting[0]} {command_line(waiting[0])}" if waiting else ""

    def _long_in_timed_wait(self, waiting: set[int]) -> list[int]:
        """The processes that have been in timed waits for input for a while, without output.

        An editor that waits for keys wakes up now and then to do something else (vim after 4 s).
        """
        now, printed = time.monotonic(), self._streams.total_bytes
        if printed != self._printed_bytes:
            self._printed_bytes, self._timed = printed, {}
        self._timed = {pid: self._timed.get(pid, now) for pid in waiting}
        return [pid for pid, since in self._timed.items() if now - since >= TIMED_WAIT_S]

    @property
    def _is_current(self) -> bool:
        return not self._command.reported and self._command.streams_of(self._turn) is self._streams

    def _programs(self) -> tuple[str, ...]:
        """The names of all programs that it runs; its own shell counts only if it has been replaced."""
        command = self._command
        members = sorted(self._outlet.tree.members(command.id))[:PROGRAMS_LIMIT]
        own = " ".join(command.spec.argv)
        lines = {pid: command_line(pid) for pid in members}
        return tuple(
            name
            for pid, line in lines.items()
            if pid != command.pid or line != own
            for name in {processes.name(pid), _program_of(line)}
            if name
        )

    def _grown(self) -> None:
        if self._timer is None:
            self._timer = self._outlet.loop.call_later(self._every_s, self._tell, self._command.id)

    def _tell(self, programs: tuple[str, ...] = ()) -> None:
        self._timer = None
        if not self._is_current:
            return
        captures = self._streams.captures
        totals = [captures[one].total_bytes if one in captures else 0 for one in (STDOUT, STDERR)]
        news = News(stdout_bytes=totals[0], stderr_bytes=totals[1])
        if programs:
            news.programs = programs
        if self._reader:
            news.reader = self._reader
        self._outlet.send(encode(news, self._command.id))

    def stop(self) -> None:
        """Stop reporting."""
        self._streams.tell_growth(None)
        for timer in (self._timer, self._look_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._look_timer = None


def _program_of(line: str) -> str:
    """The name of the program of a command line; that of a login shell begins with a dash."""
    return line.partition(" ")[0].replace("\\", "/").rpartition("/")[2].lstrip("-")
