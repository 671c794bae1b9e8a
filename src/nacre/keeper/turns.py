"""One turn: one command inside a shell that lives on, its own output streams and its true end.

Above it: `commands`, whose command is the shell. Below: `streams` and the host module.

The command's output comes through a pair of named pipes that only this turn reads, so that whatever an
earlier command left running cannot print into it. Its end comes on the shell's private channel, as a
record between two marks that were made up for this turn; what else comes there is passed over.
A shell that can have neither (cmd.exe) is talked to in its own streams instead, see `conversation`.
"""

from __future__ import annotations

import os
import time
from functools import partial

from nacre.keeper import processes
from nacre.keeper.conversation import LINE_END
from nacre.keeper.host import host
from nacre.keeper.quickjson import decode
from nacre.keeper.records import dataclass, field
from nacre.keeper.streams import STDERR, STDOUT, Keeping, Streams

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nacre.keeper.conversation import Conversation
    from nacre.keeper.program import Keeper
    from nacre.keeper.timers import Timer

UNWATCHED_S = 0.003  # a command that ends sooner has its output taken in one go
RECORD_LIMIT_BYTES = 1 << 16  # a code and a directory are shorter; the rest of the channel is noise


@dataclass(slots=True)
class Run:
    """What one turn is, as a RUN frame says it."""

    turn: int
    marker: str
    feed: str  # what the shell is given to read; in a conversation line by line, each character a byte
    pair: int = 0  # which pair of named pipes `feed` names
    files: dict[str, str] = field(default_factory=dict[str, str])  # by suffix: what `feed` has it read
    stdin: str | None = None  # what the command is to read, by the suffix `stdin`
    keep_bytes: int = 65536
    spool_bytes: int = 0
    follow_ms: int = 0

    @staticmethod
    def parse(body: bytes) -> Run:
        """Read a RUN frame. Raises ValueError that says what is wrong with it."""
        try:
            return Run(**decode(body.decode()))
        except TypeError as error:
            raise ValueError(str(error).replace("Run.__init__()", "run")) from None


class Pipes:
    """The named pipes and files that the turns of one shell use, one turn after the other.

    A pair serves the next turn too when nobody holds it any more, which is nearly always; else it is left
    to who holds it, and the next turn gets a fresh one.
    """

    def __init__(self, base: str) -> None:
        self.pair = 0
        self._base = base
        self._made = -1
        self._files: dict[str, int] = {}
        self._passing: list[str] = []
        self._has_stdin = False

    def open(self, wanted: int) -> tuple[int, int]:
        """Our ends of a pair, which is made if it is not there."""
        if wanted != self.pair:
            raise ValueError(f"the pair of this turn is {self.pair}, not {wanted}")
        if self._made != wanted:
            host.make_named_pipe(self._path("o"))
            host.make_named_pipe(self._path("e"))
            self._made = wanted
        return host.open_named_pipe(self._path("o")), host.open_named_pipe(self._path("e"))

    def _path(self, stream: str) -> str:
        return f"{self._base}.{self.pair}{stream}"

    def provide(self, run: Run) -> None:
        """Write the files that a turn needs."""
        for suffix, text in run.files.items():
            self._write_file(suffix, text)
        if run.stdin is not None:
            self._write_stdin(run.stdin)

    def provide_anew(self, run: Run) -> None:
        """The same in a conversation: each character a byte, and nothing is kept open, for Windows' sake."""
        self._remove_passing()
        for suffix, text in run.files.items():
            path = f"{self._base}.{suffix}"
            self._passing.append(path)
            with open(path, "xb", opener=partial(os.open, mode=0o600)) as file:
                file.write(text.encode("latin-1"))

    def _remove_passing(self) -> None:
        """What a process left behind still holds cannot be removed on Windows; the last call does it."""
        self._passing = [path for path in self._passing if not _unlinked(path)]

    def _write_file(self, suffix: str, text: str) -> None:
        """Put a text where the shell reads it in one go, so that the next turn may use the file again.

        It stays open: opening it anew with O_TRUNC takes a journalling file system a third of a millisecond.
        """
        if suffix not in self._files:
            self._files[suffix] = self._create(suffix)
        data = os.fsencode(text)
        view = memoryview(data)
        while view:
            view = view[os.pwrite(self._files[suffix], view, len(data) - len(view)) :]
        os.ftruncate(self._files[suffix], len(data))

    def _write_stdin(self, text: str) -> None:
        """A fresh file for every turn: what an earlier one left running may still read its own."""
        if self._has_stdin:
            os.unlink(f"{self._base}.stdin")
        self._has_stdin = True
        with open(self._create("stdin"), "wb") as file:
            file.write(os.fsencode(text))

    def _create(self, suffix: str) -> int:
        return os.open(f"{self._base}.{suffix}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)

    def abandon_pair(self) -> None:
        """Someone still writes into this pair: it is theirs from now on."""
        self._unlink_pair()
        self.pair += 1

    def _unlink_pair(self) -> None:
        if self._made == self.pair:
            os.unlink(self._path("o"))
            os.unlink(self._path("e"))

    def remove(self) -> None:
        """The shell is gone."""
        self._unlink_pair()
        self._remove_passing()
        self._made = -1
        for suffix, fd in self._files.items():
            os.close(fd)
            os.unlink(f"{self._base}.{suffix}")
        if self._has_stdin:
            os.unlink(f"{self._base}.stdin")


def _unlinked(path: str) -> bool:
    try:
        os.unlink(path)
    except OSError:
        return not os.path.exists(path)
    return True


class Household:
    """What belongs to a persistent shell from turn to turn: its pipes, its time, its place, its children."""

    def __init__(self, pid: int, base: str, conversation: Conversation | None) -> None:
        self.pipes = Pipes(base)
        self.conversation = conversation
        self.known: set[int] = set()  # processes that earlier turns left behind, and told of
        self._pid = pid
        self._cpu_ms = 0

    def start_counting(self) -> None:
        """From here on CPU time counts; what ends sooner uses less than the kernel's clock can tell."""
        self._cpu_ms = processes.cpu_ms(self._pid)

    def spent_ms(self) -> int:
        """CPU time since the counting began, children that were waited for included."""
        return max(0, processes.cpu_ms(self._pid) - self._cpu_ms)

    def directory(self) -> str | None:
        """Where the shell really stands; None where the kernel does not tell."""
        return processes.working_directory(self._pid)

    def newcomers(self, living: set[int]) -> set[int]:
        """Of all processes below the shell, those that no earlier turn has told of."""
        fresh = living - self.earlier()
        self.known = living
        return fresh

    def earlier(self) -> set[int]:
        """What earlier turns have left behind, and what that has started since."""
        return self.known | processes.below(list(self.known)) if self.known else set()


class Turn:
    """A command in a persistent shell, from the moment it is fed to the record of its end."""

    def __init__(
        self, keeper: Keeper, shell_id: int, run: Run, household: Household, on_stream_end: Callable[[], None]
    ) -> None:
        self.number = run.turn
        self.record: str | None = None
        self._start = f"{run.marker} ".encode()
        self._stop = f" {run.marker}\n".encode()
        self._heard = b""
        self._began = time.monotonic()
        self._pipes = pipes = household.pipes
        self.streams = Streams(
            keeper,
            shell_id,
            f"{shell_id}.{run.turn}",
            Keeping(run.keep_bytes, run.spool_bytes, run.follow_ms),
            on_stream_end,
        )
        conversation = household.conversation
        if conversation is None:
            out, err = pipes.open(run.pair)
            self.streams.add(STDOUT, out)
            self.streams.add(STDERR, err)
        else:
            takers = {stream: self.streams.take(stream) for stream in (STDOUT, STDERR)}
            conversation.begin(run.marker, run.feed.encode("latin-1").split(LINE_END), takers)
        self._household = household
        self._timer: Timer | None = keeper.loop.call_later(UNWATCHED_S, self._takes_long, shell_id)
        if run.follow_ms:
            self.streams.watch()

    def _takes_long(self) -> None:
        self._timer = None
        self._household.start_counting()
        self.streams.watch()

    def hear(self, chunk: bytes) -> bool:
        """Take bytes of the private channel; whether they tell the end of this turn."""
        self._heard += chunk
        start = self._heard.rfind(self._start)
        end = self._heard.find(self._stop, start)
        if start < 0 or end < 0:
            self._heard = self._heard[-RECORD_LIMIT_BYTES:]
            return False
        self.record = os.fsdecode(self._heard[start + len(self._start) : end])
        return True

    def close(self) -> tuple[dict[str, Any], list[bytes]]:
        """The turn is over: what is told of it, and the bytes that were kept."""
        counted = self._timer is None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        wall_ms = round((time.monotonic() - self._began) * 1000)
        if self._household.conversation is not None and self.record is None:
            self._household.conversation.end()
        self.streams.settle()
        self.streams.part()
        counts, parts = self.streams.report()
        if self.streams.open:
            self._pipes.abandon_pair()
        else:
            self.streams.release()
        content = {
            "turn": self.number,
            "record": self.record,
            "pair": self._pipes.pair,
            "wall_ms": wall_ms,
            "cpu_ms": self._household.spent_ms() if counted else 0,
            "streams": counts,
        }
        return content, parts
