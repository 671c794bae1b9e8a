"""One turn: one command in a persistent shell, with its own output streams and its end record.

Above it: `shells`, which gives turns. Below: `streams` and `directory`.

The command's output comes through a pair of named pipes that only this turn reads, so that processes left by
earlier commands cannot print into it. Its end comes on the shell's private channel, as a record between two
marks that are new for this turn; anything else there is ignored. A shell that opens the channel by name
cannot lose it, whatever a command does to descriptors. With a shell that supports neither (cmd.exe) the
keeper converses through its own streams instead, see `conversation`.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from nacre.keeper.codec import encode_short_turn_end, encode_turn_end
from nacre.keeper.conversation import LINE_END
from nacre.keeper.descriptors import within_limit
from nacre.keeper.directory import identity
from nacre.keeper.frames import TurnEnd
from nacre.keeper.streams import STDERR, STDOUT, CaptureLimits, Streams

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from nacre.keeper.directory import Directory, Identity
    from nacre.keeper.frames import Left, TurnStart
    from nacre.keeper.outlet import Outlet
    from nacre.keeper.shells import PersistentShell, ShellCommand
    from nacre.keeper.timers import Timer

UNWATCHED_S = 0.003  # a command that ends sooner has its output taken in one go
FIRST_LOOK_S, LOOK_S = 0.001, 0.0005  # one that fills its pipes sooner is watched sooner
NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
CHANNEL = "channel"
RECORD_LIMIT_BYTES = 1 << 16  # a code and a directory are shorter
# As in os.fsencode, which costs three calls more.
ENCODING, ERRORS = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


class ShellFiles:
    """The named pipes and files that the turns of one shell use, one turn after another.

    A pair is used again by the next turn if no process holds it any more, as is nearly always the case;
    otherwise it is abandoned to its holders, and the next turn gets a new one. Missing files are created
    again.

    One more pipe serves all turns: `channel`, in which a shell that opens it by name reports their ends.
    """

    def __init__(self, directory: Directory, base: str) -> None:
        self.pair = 0
        self._directory = directory
        self._base = base
        self._names = self._names_of(0)  # of the pair
        self._channel_name = f"{base}.{CHANNEL}"
        self._made = -1
        self._files: dict[str, tuple[int, Identity]] = {}
        self._passing: list[str] = []
        self._has_stdin = False
        self._channel: Identity | None = None

    def open(self, wanted: int) -> tuple[int, int]:
        """Open our ends of a pair, which is created if need be. Raises OSError."""
        if wanted != self.pair:
            raise ValueError(f"the pair of this turn is {self.pair}, not {wanted}")
        if self._made == wanted:
            try:
                return self._open_both()
            except OSError as error:
                if error.errno in NO_ROOM:
                    raise  # it may exist
        for name in self._names:
            self._directory.make_pipe(name)
        self._made = wanted
        return self._open_both()

    def _open_both(self) -> tuple[int, int]:
        to_out, to_err = self._names
        out = self._directory.open_pipe(to_out)
        try:
            err = self._directory.open_pipe(to_err)
        except OSError:
            os.close(out)
            raise
        within_limit(out, err)
        return out, err

    def open_channel(self) -> int:
        """Create the pipe for the ends of turns. We hold both of its ends: it never ends. Raises OSError."""
        self._directory.make_pipe(self._channel_name)
        fd = self._directory.hold_pipe(self._channel_name)
        within_limit(fd)
        self._channel = identity(os.fstat(fd))
        return fd

    @property
    def channel_is_there(self) -> bool:
        """Whether a shell that opens it by name would find it."""
        return self._channel is None or self._directory.size_of(self._channel_name, self._channel) is not None

    @property
    def names_of_pair(self) -> set[str]:
        """The names of the current pair in /proc."""
        return {*map(self._directory.path_of, self._names)}

    @property
    def are_there(self) -> bool:
        """Whether a shell would find its pipes, its files and its channel by their names."""
        files = all(self._directory.holds(name, known) for name, (_, known) in self._files.items())
        return files and self.channel_is_there and all(map(os.path.exists, self.names_of_pair))

    def _names_of(self, pair: int) -> tuple[str, str]:
        return f"{self._base}.{pair}o", f"{self._base}.{pair}e"

    def provide(self, turn: TurnStart) -> None:
        """Write the files that a turn needs. Raises OSError."""
        for suffix, text in turn.files.items():
            self._write_file(f"{self._base}.{suffix}", text.encode(ENCODING, ERRORS))
        if turn.stdin is not None:
            self._write_stdin(turn.stdin)

    def provide_anew(self, turn: TurnStart) -> None:
        """The same in a conversation: a character is a byte, and no file stays open, as Windows requires."""
        self._remove_passing()
        for suffix, text in turn.files.items():
            name = f"{self._base}.{suffix}"
            self._passing.append(name)
            self._directory.write(name, text.encode("latin-1"))

    def _remove_passing(self) -> None:
        """On Windows, a file that a process still holds cannot be removed; a later call does it."""
        self._passing = [name for name in self._passing if not self._directory.discard(name)]

    def _write_file(self, name: str, data: bytes) -> None:
        """Write a text that the shell reads in one go, so that the next turn can use the file again.

        It stays open: opening it with O_TRUNC takes a third of a millisecond on a journalling file system.
        """
        fd, known = self._files.get(name, (-1, (0, 0)))
        size = self._directory.size_of(name, known) if fd >= 0 else None
        if size is None:
            fd, size = self._new_file(name, fd), 0
        try:
            written = os.pwrite(fd, data, 0) if data else 0
            while written < len(data):
                written += os.pwrite(fd, memoryview(data)[written:], written)
            if size > written:
                os.ftruncate(fd, written)
        except OSError as error:
            error.filename = self._directory.path_of(name)
            raise

    def _new_file(self, name: str, lost: int) -> int:
        """Create a file; `lost` is the descriptor of one that is no longer there under its name."""
        if lost >= 0:
            del self._files[name]
            os.close(lost)
        fd = self._directory.create(name)
        within_limit(fd)
        self._files[name] = fd, identity(os.fstat(fd))
        return fd

    def _write_stdin(self, text: str) -> None:
        """Write a new file for every turn: processes of an earlier one may still read theirs."""
        name = f"{self._base}.stdin"
        if self._has_stdin:
            self._directory.discard(name)
        self._has_stdin = True
        self._directory.write(name, os.fsencode(text))

    def abandon_pair(self) -> None:
        """Leave this pair to the processes that still write to it."""
        self._unlink_pair()
        self.pair += 1
        self._names = self._names_of(self.pair)

    def _unlink_pair(self) -> None:
        if self._made == self.pair:
            for name in self._names:
                self._directory.discard(name)

    def remove(self) -> None:
        """Remove everything after the end of the shell."""
        self._unlink_pair()
        self._remove_passing()
        self._made = -1
        for name, (fd, _) in self._files.items():
            os.close(fd)
            self._directory.discard(name)
        self._files.clear()
        if self._channel is not None:
            self._directory.discard(self._channel_name)
        if self._has_stdin:
            self._directory.discard(f"{self._base}.stdin")


class Turn:
    """A command in a persistent shell, from its input to its end record."""

    def __init__(  # noqa: PLR0913, PLR0917  # created in one place
        self,
        outlet: Outlet,
        start: TurnStart,
        shell: PersistentShell,
        command: ShellCommand,
        began: float,
        pipes: tuple[int, int] | None = None,
    ) -> None:
        """`pipes` are our ends of its output; a conversation has none."""
        self.number = start.turn
        self.record: str | None = None
        self.report = start.report
        self._open_mark = f"{start.marker} ".encode()
        self._close_mark = f" {start.marker}\n".encode()
        self._heard = b""
        self._began = began
        self._wall_ms = 0
        self._unread = False
        self.pipes_are_free = True  # after `settle`: whether no process holds the named pipes any more
        self._shell = shell
        limits = CaptureLimits(
            start.keep_bytes,
            start.spool_bytes,
            start.follow_ms,
            hashed=start.hashed,
            whole_ends=start.whole_ends,
        )
        name = f"{command.id}.{start.turn}"
        self.streams = Streams(outlet, command.id, name, limits, command.stream_ended)
        conversation = shell.conversation
        if pipes is not None:
            self.streams.add(*pipes)
        elif conversation is not None:
            takers = {stream: self.streams.take(stream) for stream in (STDOUT, STDERR)}
            conversation.begin(start.marker, start.feed.encode("latin-1").split(LINE_END), takers)
        self._outlet = outlet
        self._command_id = command.id
        self._timer: Timer | None = outlet.loop.call_later(FIRST_LOOK_S, self._look, command.id)
        if start.follow_ms:
            self.streams.watch()

    def _look(self) -> None:
        left_s = self._began + UNWATCHED_S - time.monotonic()
        if left_s <= 0 or self.streams.are_filling:
            self._takes_long()
        else:
            self._timer = self._outlet.loop.call_later(min(left_s, LOOK_S), self._look, self._command_id)

    def _takes_long(self) -> None:
        self._timer = None
        self._shell.turn_takes_long()
        self.streams.watch()

    def hear(self, chunk: bytes) -> bool:
        """Process bytes of the private channel; whether they complete the record of this turn."""
        self._heard += chunk
        start = self._heard.rfind(self._open_mark)
        end = self._heard.find(self._close_mark, start)
        if start < 0 or end < 0:
            self._heard = self._heard[-RECORD_LIMIT_BYTES:]
            return False
        self.record = self._heard[start + len(self._open_mark) : end].decode(ENCODING, ERRORS)
        return True

    def settle(self) -> None:
        """At the end of the turn: read its output."""
        self._wall_ms = round((time.monotonic() - self._began) * 1000)
        if self._timer is not None:
            self._timer.cancel()
        if self._shell.conversation is not None and self.record is None:
            self._shell.conversation.end()
        self.streams.settle()
        # Its files may have been deleted before the shell read them: then a record proves nothing.
        self._unread = self.record is not None and not self.streams.were_opened()
        self.streams.part()
        self.pipes_are_free = not self.streams.open and not self.streams.let_go

    def close(self, left: tuple[Left, int], *, replaced: str, mute: bool, limit: str) -> bytes:
        """After `settle`: the frame that reports its end."""
        shell, counted, printed = self._shell, self._timer is None, self.streams.short()
        self._timer = None
        if self._unread and shell.files.are_there:
            mute = True  # the shell itself did not read them
        odd = mute or self._unread or counted or replaced or limit or left[1] or not self.pipes_are_free
        directory = shell.directory
        if not odd and self.record is not None and directory is not None and printed is not None:
            used = shell.files.pair, self._wall_ms
            return encode_short_turn_end(self._command_id, self.record, *used, directory, *printed)
        streams = self.streams.report()
        if not self.pipes_are_free:
            shell.files.abandon_pair()
        end = TurnEnd(
            self.record,
            shell.files.pair,
            self._wall_ms,
            shell.spent_ms() if counted else 0,
            (shell.peak_rss_bytes or None) if counted else None,
            directory,
            *left,
            replaced,
            mute,
            self._unread,
            limit,
            *streams,
        )
        return encode_turn_end(end, self._command_id)
