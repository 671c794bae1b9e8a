"""One running command in the keeper: its streams, its time limit, its kill ladder, its truthful end.

Above it: `program`, which owns all commands and the link. Below: `capture` for output, and `host` for
everything the operating system does: `posix` and `kin`, or `windows`.

A command ends when its first process has ended. Output that is in the pipes by then belongs to the
result; a process left behind may go on printing, which goes to the spool. A command that is being
killed ends when its whole tree is gone.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from nacre.keeper.capture import Capture, Spool
from nacre.keeper.host import command_line, host
from nacre.keeper.wire import Kind, frame, json_frame, mixed_body

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nacre.keeper.program import Keeper
    from nacre.keeper.timers import Timer

FOLLOW_BYTES = 4096
UNWATCHED_S = 0.003  # a command that ends sooner has its output taken in one go
LEFT_LIMIT = 100  # how many processes left behind are named; all are counted
KILL_PATIENCE_S = 0.5  # how long killed processes may take to vanish before they are called survivors
SETTLE_S, SETTLE_ROUNDS = 0.002, 5
STDOUT, STDERR = 1, 2


@dataclass(slots=True)  # not frozen: one is made for every command, and freezing triples its cost
class Spec:
    """What to run, as a spawn frame says it."""

    argv: list[str]
    cwd: str
    program: str
    environment: dict[str, str] = field(default_factory=dict[str, str])
    unset: list[str] = field(default_factory=list[str])
    script: str | None = None  # too long for argv: goes to a file, whose path replaces SCRIPT_MARK in argv
    stdin: bool = False  # whether INPUT frames feed it; otherwise it reads nothing
    merge: bool = False  # stderr into stdout, in the order it is printed
    control: int = 0  # number of the private channel in the command; 0 for none
    terminal: tuple[int, int] | None = None  # rows and columns
    limits: dict[str, int] = field(default_factory=dict[str, int])
    timeout_ms: int = 0
    grace_ms: int = 1000
    keep_bytes: int = 65536
    spool_bytes: int = 0
    follow_ms: int = 0  # newest output in a frame, at most this often
    window_bytes: int = 0  # all output in frames, at most this much ahead of the reader
    announce: bool = False  # whether a STARTED frame is wanted

    @staticmethod
    def parse(body: bytes) -> Spec:
        """Read a spawn frame. Raises ValueError that says what is wrong with it."""
        content: Any = json.loads(body)
        if not isinstance(content, dict):
            raise TypeError("a spawn frame holds a JSON object")
        try:
            spec = Spec(**content)  # pyright: ignore[reportUnknownArgumentType]  # checked below
        except TypeError as error:
            raise ValueError(str(error).replace("Spec.__init__()", "spawn")) from None
        if not spec.argv or not all(isinstance(word, str) for word in spec.argv):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError("spawn needs argv, a list of strings that is not empty")
        if unknown := set(spec.limits) - set(host.LIMITS):
            raise ValueError(f"unknown limits: {', '.join(sorted(unknown))}; known: {', '.join(host.LIMITS)}")
        return spec


class Command:
    """A command from its start to the moment the last of its processes has let go of it."""

    def __init__(self, keeper: Keeper, command_id: int, spec: Spec, started: host.Started) -> None:
        self.id = command_id
        self.spec = spec
        self.pid = started.pid
        self.reported = False  # the EXIT frame was sent
        self.left_some = False  # and said that processes or open streams were left behind
        self._keeper = keeper
        self._started = started
        self._baseline_rss_bytes = host.own_peak_rss_bytes()
        self._began = time.monotonic()
        self._end: host.Reaped | None = None
        self._wall_ms = 0
        self._why: str | None = None  # "timeout" or "killed"
        self._dying = False
        self._timer: Timer | None = None
        self._captures: dict[int, Capture] = {}
        self._readers: dict[int, host.Reader] = {}
        self._fresh: dict[int, bytes] = {}
        self._follow_timer: Timer | None = None
        self._ahead_bytes = 0
        self._stdin = host.Writer(keeper.loop, started.stdin) if started.stdin >= 0 else None
        self._control: host.Reader | None = None
        self._open_streams(started)
        if spec.follow_ms or spec.window_bytes or self._control:
            self._watch()
        else:
            self._follow_timer = keeper.loop.call_later(UNWATCHED_S, self._watch)
        if spec.timeout_ms:
            self._timer = keeper.loop.call_later(
                spec.timeout_ms / 1000, lambda: self.kill("timeout", spec.grace_ms)
            )

    def _open_streams(self, started: host.Started) -> None:
        for stream, fd in ((STDOUT, started.stdout), (STDERR, started.stderr)):
            if fd >= 0:
                self._captures[stream] = Capture(self.spec.keep_bytes, partial(self._spool, stream))
                self._readers[stream] = self._reader(stream, fd)
        if started.control >= 0:
            self._control = host.Reader(
                self._keeper.loop, started.control, self._control_chunk, lambda: self._control_chunk(b"")
            )

    def _watch(self) -> None:
        self._follow_timer = None
        for reader in self._readers.values():
            reader.resume()
        if self._control is not None:
            self._control.resume()

    def _reader(self, stream: int, fd: int) -> host.Reader:
        if self.spec.follow_ms or self.spec.window_bytes:
            take = partial(self._watched_chunk, stream)
        else:
            take = self._captures[stream].feed
        # A wide pipe is for output that is only counted; a reader with a window wants it in small pieces.
        return host.Reader(self._keeper.loop, fd, take, self._stream_end, widens=not self.spec.window_bytes)

    def _spool(self, stream: int) -> Spool | None:
        if not self.spec.spool_bytes or not self._keeper.spool_dir:
            return None
        name = f"{self.id}.{'out' if stream == STDOUT else 'err'}"
        return Spool(os.path.join(self._keeper.spool_dir, name), self.spec.spool_bytes)

    # -- output

    def _watched_chunk(self, stream: int, chunk: bytes) -> None:
        self._captures[stream].feed(chunk)
        if self.spec.window_bytes:
            self._keeper.send(frame(Kind.OUTPUT, self.id, bytes([stream]) + chunk))
            self._ahead_bytes += len(chunk)
            if self._ahead_bytes >= self.spec.window_bytes:
                for reader in self._readers.values():
                    reader.pause()
        else:
            self._fresh[stream] = (self._fresh.get(stream, b"") + chunk[-FOLLOW_BYTES:])[-FOLLOW_BYTES:]
            if self._follow_timer is None:
                self._follow_timer = self._keeper.loop.call_later(
                    self.spec.follow_ms / 1000, self._send_fresh
                )

    def _send_fresh(self) -> None:
        self._follow_timer = None
        for stream, newest in self._fresh.items():
            self._keeper.send(frame(Kind.OUTPUT, self.id, bytes([stream]) + newest))
        self._fresh.clear()

    def credit(self, taken_bytes: int) -> None:
        """The reader has taken streamed output: go on reading when it has caught up."""
        self._ahead_bytes = max(0, self._ahead_bytes - taken_bytes)
        if self._ahead_bytes < self.spec.window_bytes:
            for reader in self._readers.values():
                reader.resume()

    def _control_chunk(self, chunk: bytes) -> None:
        self._keeper.send(frame(Kind.CONTROL, self.id, chunk))

    def _stream_end(self) -> None:
        if self.reported:
            self._keeper.retire_if_over(self)

    @property
    def streams_open(self) -> bool:
        """Whether some process still holds one of the command's output pipes."""
        return any([reader.open for reader in self._readers.values()])  # noqa: C419  # two items: a list is quicker

    # -- input and signals

    def feed(self, data: bytes) -> None:
        """Give bytes to stdin; none closes it."""
        if self._stdin is not None:
            if data:
                self._stdin.write(data)
            else:
                self._stdin.close()

    def resize(self, rows: int, columns: int) -> None:
        """Change the size of the command's terminal."""
        if self._started.stdout >= 0 and self.spec.terminal and self._readers[STDOUT].open:
            host.resize(self._started.stdout, rows, columns)

    def signal(self, number: int, scope: str) -> None:
        """Signal the command's process group, or everything it started."""
        if scope == "tree":
            self._keeper.kin.signal_tree(self.id, number)
        elif self._end is None:
            self._keeper.kin.signal_group(self.id, number)

    # -- the end

    def ended(self, end: host.Reaped) -> None:
        """The first process was reaped."""
        self._end = end
        self._wall_ms = round((time.monotonic() - self._began) * 1000)
        if not self._dying:
            self._report_when_settled(SETTLE_ROUNDS)

    def _report_when_settled(self, rounds: int) -> None:
        """A background process that has not yet become its program gets a moment, to be named truly."""
        left = self._keeper.kin.members(self.id) if self._keeper.kin.may_have_left(self.id) else set[int]()
        own = " ".join(self.spec.argv)[:100]
        if rounds and any(command_line(pid).startswith(own) for pid in left):
            self._set_timer(SETTLE_S, lambda: self._report_when_settled(rounds - 1))
        else:
            self.report(left)

    def kill(self, why: str, grace_ms: int) -> None:
        """The ladder: TERM to the whole tree, a grace, KILL to what is left of it."""
        if self._dying or (self.reported and not self._keeper.kin.members(self.id)):
            return
        self._why = self._why or why
        self._dying = True
        self._keeper.kin.ask_to_end(self.id)
        self._set_timer(grace_ms / 1000, self._kill_hard)
        self.check_death()

    def _kill_hard(self) -> None:
        self._keeper.kin.force_end(self.id)
        self._set_timer(KILL_PATIENCE_S, self._give_up)

    def _give_up(self) -> None:
        """Some process does not die (another user's, or stuck in the kernel): report it as left behind."""
        self._dying = False
        if not self.reported:
            self.report()

    def check_death(self) -> None:
        """While being killed: report as soon as nothing of the tree is left."""
        if self._dying and self._end is not None and not self._keeper.kin.members(self.id):
            self._dying = False
            if not self.reported:
                self.report()
            else:
                self._keeper.retire_if_over(self)

    def _set_timer(self, delay_s: float, callback: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._keeper.loop.call_later(delay_s, callback)

    def report(self, left: set[int] | None = None) -> None:
        """Send the EXIT frame: how it ended, what it printed, who is left."""
        for timer in (self._timer, self._follow_timer):
            if timer is not None:
                timer.cancel()
        if self._control is not None:
            self._control.drain()
        for reader in self._readers.values():
            reader.drain()
            if reader.open and not self._ahead_bytes:
                reader.resume()  # someone it left behind still holds the stream
        if self._fresh:
            self._send_fresh()
        if left is None:
            left = self._keeper.kin.members(self.id)
        content: dict[str, Any] = {**self._how(), "streams": []}
        if left:
            content |= self._named(left)
        parts: list[bytes] = []
        for capture in self._captures.values():
            capture.settle()
            counts, kept = capture.report()
            content["streams"].append(counts)
            parts += kept
        self.reported = True
        self.left_some = bool(left) or self.streams_open
        self._keeper.send(frame(Kind.EXIT, self.id, mixed_body(content, parts)))
        self._keeper.flush()  # what follows need not keep the caller waiting
        self._keeper.retire_if_over(self)

    def _how(self) -> Mapping[str, Any]:
        end = self._end
        return {
            "code": end.code if end else None,
            "signal": end.signal if end else None,
            "why": self._why,
            "wall_ms": self._wall_ms if end else round((time.monotonic() - self._began) * 1000),
            "cpu_ms": end.cpu_ms if end else 0,
            "rss": end.max_rss_bytes if end and end.max_rss_bytes > self._baseline_rss_bytes else None,
        }

    @staticmethod
    def _named(left: set[int]) -> Mapping[str, Any]:
        shown = [(pid, command_line(pid)) for pid in sorted(left)[:LEFT_LIMIT]]
        return {"left": shown, "left_total": len(left)}

    def release(self) -> None:
        """Nothing of the command runs any more: let go of its pipes and its spool."""
        for reader in self._readers.values():
            reader.close()
        if self._control is not None:
            self._control.close()
        if self._stdin is not None:
            self._stdin.abandon()
        if self.spec.script is not None:
            os.unlink(self._keeper.script_path(self.id))
        for capture in self._captures.values():
            capture.finish()
        self._readers.clear()  # they hold us and we hold them: nobody has to look for that cycle
        self._control = self._timer = self._follow_timer = None

    def announce(self) -> None:
        """Say that it runs."""
        self._keeper.send(json_frame(Kind.STARTED, self.id, {"pid": self.pid}))
