"""The output streams of a command, or of one turn in a persistent shell: read, kept, sent.

Most commands print a few lines and end before their streams are watched. Those are read at the end, straight
from the descriptor; reader, capture and spool are created for all others.

Above it: `commands` and `turns`. Below: `capture` for what is kept, the host module for the pipes.
"""

from __future__ import annotations

import os
import sys
from functools import partial

from nacre.keeper.capture import Capture, is_short
from nacre.keeper.frames import NOTHING, Stream
from nacre.keeper.host import host
from nacre.keeper.records import dataclass
from nacre.keeper.wire import Kind, frame

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.frames import Spawn
    from nacre.keeper.outlet import Outlet
    from nacre.keeper.spools import Spool
    from nacre.keeper.timers import Timer

FOLLOW_BYTES = 4096
STDOUT, STDERR = 1, 2
_NAMES = {STDOUT: "out", STDERR: "err"}


@dataclass(slots=True)  # created for every turn: freezing would cost
class CaptureLimits:
    """How much is kept of each stream, and how it is sent while the command runs; as in `Spawn`."""

    keep_bytes: int = 65536
    spool_bytes: int = 0
    follow_ms: int = 0  # the newest output in a frame, at most this often
    window_bytes: int = 0  # all output in frames, at most this much ahead of the reader
    hashed: bool = False  # whether to hash output that is not kept completely
    whole_ends: bool = False  # whether all that is kept is reported, also of what is only in the spool


class Streams:
    """Open streams, each with its capture. They are not watched before `watch`.

    A stream starts as a descriptor in `_unwatched`, and what `settle` reads from it is in `_short`. Once it
    is watched, or its output is not short and plain, it has a reader and a capture instead.
    """

    def __init__(
        self,
        outlet: Outlet,
        command_id: int,
        name: str,
        limits: CaptureLimits | Spawn,
        on_end: Callable[[], None],
    ) -> None:
        self.captures: dict[int, Capture] = {}
        self._unwatched: dict[int, int] = {}  # descriptors by stream
        self._short: dict[int, bytes] = {}  # their output; if there is none, they have ended
        self._readers: dict[int, host.Reader] = {}
        self._outlet = outlet
        self._command_id = command_id
        self._name = name  # of the spool files
        self._limits = limits
        self._on_end = on_end
        self._fresh: dict[int, bytes] = {}
        self._follow_timer: Timer | None = None
        self._ahead_bytes = 0
        self.let_go = False  # of a stream that some process still holds

    def take(self, stream: int) -> Callable[[bytes], None]:
        """Add a stream whose chunks the caller provides."""
        limits = self._limits
        self.captures[stream] = Capture(
            limits.keep_bytes,
            partial(self._spool, stream),
            ends_bytes=None if limits.whole_ends else limits.keep_bytes // 2,
            hashed=limits.hashed,
        )
        return self.taker(stream)

    def taker(self, stream: int) -> Callable[[bytes], None]:
        """The function that takes the chunks of a stream."""
        watched = self._limits.follow_ms or self._limits.window_bytes
        return partial(self._watched_chunk, stream) if watched else self.captures[stream].feed

    def put(self, stream: int, chunk: bytes) -> None:
        """Add bytes from elsewhere as if they had been read from that stream."""
        self._make_readers()
        take = self.taker(stream) if stream in self.captures else self.take(stream)
        take(chunk)

    def add(self, out: int, err: int, *, terminal: bool = False) -> None:
        """Add the streams that are read from descriptors (-1: none)."""
        for stream, fd in ((STDOUT, out), (STDERR, err)):
            if fd < 0:
                continue
            if terminal or sys.platform == "win32":
                self._make_reader(stream, fd, terminal=terminal)
            else:
                self._unwatched[stream] = fd

    def _make_reader(self, stream: int, fd: int, *, terminal: bool = False) -> None:
        take, limits = self.take(stream), self._limits
        # A wide pipe is for output that is only counted; a reader with a window wants it in small pieces.
        kind = host.TerminalReader if terminal else host.Reader
        reader = kind(self._outlet.loop, fd, take, self._on_end, self._command_id)
        reader.widens = not limits.window_bytes
        self._readers[stream] = reader

    def _make_readers(self) -> None:
        """Create readers for streams that are to be watched, or whose output is not short."""
        while self._unwatched:
            stream, fd = self._unwatched.popitem()
            self._make_reader(stream, fd)
            if kept := self._short.pop(stream, None):
                self._readers[stream].accept(kept)

    def _spool(self, stream: int) -> Spool | None:
        spools = self._outlet.spools
        if not self._limits.spool_bytes or spools is None:
            return None
        return spools.open(f"{self._name}.{_NAMES[stream]}", self._limits.spool_bytes)

    @property
    def open(self) -> bool:
        """Whether some process still holds one of the streams."""
        if self._unwatched:
            return True
        for reader in self._readers.values():  # noqa: SIM110  # asked for every command: `any` costs two calls
            if reader.open:
                return True
        return False

    @property
    def total_bytes(self) -> int:
        """The size of the output of all of them."""
        return sum(capture.total_bytes for capture in self.captures.values())

    def is_open(self, stream: int) -> bool:
        """Whether some process still holds that stream."""
        return stream in self._unwatched or (stream in self._readers and self._readers[stream].open)

    @property
    def are_filling(self) -> bool:
        """Whether one that is not watched has so much output that the command may soon have to wait."""
        return any([host.is_filling(fd) for fd in self._unwatched.values()])  # noqa: C419  # two items: a list is quicker

    def watch(self) -> None:
        """Read from now on whenever there is something to read."""
        self._make_readers()
        for reader in self._readers.values():
            reader.resume()

    def _watched_chunk(self, stream: int, chunk: bytes) -> None:
        self.captures[stream].feed(chunk)
        if self._limits.window_bytes:
            self._outlet.send(frame(Kind.OUTPUT, self._command_id, bytes([stream]) + chunk))
            self._ahead_bytes += len(chunk)
            if self._ahead_bytes >= self._limits.window_bytes:
                for reader in self._readers.values():
                    reader.pause()
        else:
            # One byte more than is sent shows that there was more.
            fresh = self._fresh.get(stream, b"") + chunk[-FOLLOW_BYTES - 1 :]
            self._fresh[stream] = fresh[-FOLLOW_BYTES - 1 :]
            if self._follow_timer is None:
                self._follow_timer = self._outlet.loop.call_later(
                    self._limits.follow_ms / 1000, self._send_fresh, self._command_id
                )

    def _send_fresh(self) -> None:
        self._follow_timer = None
        for stream, newest in self._fresh.items():
            self._outlet.send(
                frame(Kind.OUTPUT, self._command_id, bytes([stream]) + _from_line_start(newest))
            )
        self._fresh.clear()

    def capture(self, stream: int) -> Capture | None:
        """The capture of a stream."""
        self._make_readers()
        return self.captures.get(stream)

    def tell_growth(self, grown: Callable[[], None] | None) -> None:
        """Call back with each new output; None ends that."""
        self._make_readers()
        for stream, reader in self._readers.items():
            take = self.taker(stream)
            reader.on_chunk = take if grown is None else partial(_take_and_tell, take, grown)

    def credit(self, taken_bytes: int) -> None:
        """The reader has taken streamed output: resume reading when it has caught up."""
        self._ahead_bytes = max(0, self._ahead_bytes - taken_bytes)
        if self._ahead_bytes < self._limits.window_bytes:
            self.watch()

    def settle(self) -> None:
        """At the command's end: read what is in the pipes; later output goes to the spool."""
        if self._unwatched:
            self._take_short()
        if self._follow_timer is not None:
            self._follow_timer.cancel()
        for reader in self._readers.values():
            reader.take()
        if self._fresh:
            self._send_fresh()

    def _take_short(self) -> None:
        """Read unwatched streams, and be done with those whose output is short and plain."""
        for stream, fd in self._unwatched.items():
            chunk = host.read_short(fd)
            if chunk is None:  # some process still holds it
                continue
            if chunk and not is_short(chunk, self._limits.keep_bytes):
                self._make_readers()
                self._readers[stream].accept(chunk)
                return
            self._short[stream] = chunk

    def were_opened(self) -> bool:
        """After `settle`: whether the command has opened its streams; if not, it cannot have run."""
        for stream, fd in self._unwatched.items():
            if not self._short.get(stream) and not host.was_opened(fd):
                return False
        for reader in self._readers.values():  # noqa: SIM110  # as in `open`
            if not reader.was_opened():
                return False
        return True

    def part(self) -> None:
        """Close streams that have ended; those that some process still holds are read into the spool."""
        if self._unwatched:
            self._part_short()
        for stream, reader in self._readers.items():
            reader.see_end()
            if reader.open and reader.is_scarce:
                self.let_go = True
                self.captures[stream].lose_rest("too many open files")
                reader.close()
            elif reader.open:
                self.captures[stream].keep_on()
                if not self._ahead_bytes:
                    reader.resume()

    def _part_short(self) -> None:
        """Close what has ended; all other streams get a reader."""
        for stream, fd in [*self._unwatched.items()]:
            rest = b"" if self._short.get(stream) == b"" else host.read_short(fd)
            if rest == b"":
                del self._unwatched[stream]
                os.close(fd)
            elif rest:
                self._make_readers()
                self._readers[stream].accept(rest)
                return
        if self._unwatched:
            self._make_readers()

    def short(self) -> tuple[bytes, bytes] | None:
        """All of stdout and stderr, if both are short and plain, as they usually are."""
        return None if self.captures else (self._short.get(STDOUT, b""), self._short.get(STDERR, b""))

    def report(self) -> tuple[Stream, Stream]:
        """What was kept of stdout and of stderr."""
        return self._kept(STDOUT), self._kept(STDERR)

    def _kept(self, stream: int) -> Stream:
        if kept := self._short.get(stream):
            return Stream(len(kept), kept.count(b"\n"), kept)
        capture = self.captures.get(stream)
        if capture is None or capture.silent:
            return NOTHING
        capture.settle()
        return capture.report()

    def release(self) -> None:
        """Close the pipes and finish the spools: there is no writer any more."""
        while self._unwatched:
            os.close(self._unwatched.popitem()[1])
        for reader in self._readers.values():
            reader.close()
        for capture in self.captures.values():
            capture.finish()
        self._readers.clear()  # break the reference cycles
        self.captures.clear()
        self._on_end = _nothing
        self._follow_timer = None


def _take_and_tell(take: Callable[[bytes], None], grown: Callable[[], None], chunk: bytes) -> None:
    take(chunk)
    grown()


def _nothing() -> None:
    """The callback after the end."""


def _from_line_start(newest: bytes) -> bytes:
    """The newest output; where the part before it is omitted, from the start of a line or a character."""
    if len(newest) <= FOLLOW_BYTES:
        return newest
    start = newest.find(b"\n", 1, FOLLOW_BYTES // 2) + 1 or 1
    while start < 4 and newest[start] & 0xC0 == 0x80:  # noqa: PLR2004  # UTF-8: a character has three more bytes at most
        start += 1
    return newest[start:]
