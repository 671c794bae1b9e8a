"""One running command in the keeper: its streams, its time limit, its kill ladder, its truthful end.

Above it: `program`, which owns all commands and the link. Below: `capture` for output, and `host` for
everything the operating system does: `posix` and `kin`, or `windows`.

A command ends when its first process has ended. Output that is in the pipes by then belongs to the
result; a process left behind may go on printing, which goes to the spool. A command that is being
killed ends when its whole tree is gone.
"""

from __future__ import annotations

import os
import time
from functools import partial

from nacre.keeper.conversation import Conversation
from nacre.keeper.host import command_line, host
from nacre.keeper.quickjson import decode
from nacre.keeper.streams import STDERR, STDOUT, Keeping, Streams
from nacre.keeper.turns import FILE_MISSING, Household, Pipes, Turn
from nacre.keeper.wire import Kind, frame, json_frame, mixed_body

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nacre.keeper.program import Keeper
    from nacre.keeper.timers import Timer
    from nacre.keeper.turns import Run

UNWATCHED_S = 0.003  # a command that ends sooner has its output taken in one go
LEFT_LIMIT = 100  # how many processes left behind are named; all are counted
KILL_PATIENCE_S = 0.5  # how long killed processes may take to vanish before they are called survivors
SETTLE_S, SETTLE_ROUNDS = 0.002, 5


_NOTHING: dict[str, Any] = {}


class Spec:
    """What to run, as a spawn frame says it; what the frame does not say is as it stands here.

    Not a dataclass: one is made for every command, and most of its fields are never set.
    """

    argv: list[str]
    cwd: str
    program: str  # empty: argv[0], looked for on the command's own PATH
    environment: dict[str, str] = _NOTHING
    unset: tuple[str, ...] = ()
    script: str | None = None  # too long for argv: goes to a file, whose path replaces SCRIPT_MARK in argv
    stdin: bool = False  # whether INPUT frames feed it; otherwise it reads nothing
    merge: bool = False  # stderr into stdout, in the order it is printed
    silent: tuple[int, ...] = ()  # which of stdout and stderr nobody reads
    persistent: bool = False  # a shell that is given turns: what it prints itself counts to the present one
    control: int = 0  # number of the private channel in the command; 0 for none
    prompt: str = ""  # of a persistent shell without such a channel: it is talked to, see `conversation`
    opening: tuple[str, str] = ("", "")  # its first mark, and the line that makes it report with that
    terminal: tuple[int, int] | None = None  # rows and columns
    limits: dict[str, int] = _NOTHING
    timeout_ms: int = 0
    grace_ms: int = 1000
    keep_bytes: int = 65536
    spool_bytes: int = 0
    follow_ms: int = 0  # newest output in a frame, at most this often
    window_bytes: int = 0  # all output in frames, at most this much ahead of the reader
    announce: bool = False  # whether a STARTED frame is wanted

    @property
    def keeping(self) -> Keeping:
        """What is kept of its output."""
        return Keeping(self.keep_bytes, self.spool_bytes, self.follow_ms, self.window_bytes)

    @staticmethod
    def parse(body: bytes) -> Spec:
        """Read a spawn frame. Raises ValueError that says what is wrong with it."""
        content: Any = decode(body.decode())
        if not isinstance(content, dict):
            raise TypeError("a spawn frame holds a JSON object")
        given: Any = content.keys()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # JSON
        if not _REQUIRED <= given <= _FIELDS:
            unknown, missing = sorted(given - _FIELDS), sorted(_REQUIRED - given)
            raise ValueError(f"spawn lacks {missing} and does not take {unknown}")
        spec = _filled(content)  # pyright: ignore[reportUnknownArgumentType]  # JSON
        if spec.limits and (unknown := set(spec.limits) - set(host.LIMITS)):
            raise ValueError(f"unknown limits: {', '.join(sorted(unknown))}; known: {', '.join(host.LIMITS)}")
        return spec

    def again(self, body: bytes) -> Spec:
        """Read a frame that tells other arguments and nothing else. Raises ValueError like `parse`."""
        return _filled({**self.__dict__, "argv": decode(body.decode())})


def _filled(content: Any) -> Spec:
    spec = Spec()
    spec.__dict__ = content
    if not spec.argv or not all([isinstance(word, str) for word in spec.argv]):  # noqa: C419  # pyright: ignore[reportUnnecessaryIsInstance]  # a list is quicker
        raise ValueError("spawn needs argv, a list of strings that is not empty")
    return spec


_FIELDS = Spec.__annotations__.keys()
_REQUIRED = {"argv", "cwd", "program"}


def named(left: set[int]) -> tuple[list[tuple[int, str]], int]:
    """Processes that were left behind, a bounded number with their command lines; and how many there are."""
    return [(pid, command_line(pid)) for pid in sorted(left)[:LEFT_LIMIT]], len(left)


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
        self._watch_timer: Timer | None = None
        self._stdin = (
            host.Writer(keeper.loop, started.stdin, owner=command_id) if started.stdin >= 0 else None
        )
        self._control: host.Reader | None = None
        self._own: list[host.Reader] = []  # what a persistent shell itself prints, not its commands
        self._conversation = Conversation(spec.prompt.encode(), self.feed) if spec.prompt else None
        self._turn: Turn | None = None
        self._household: Household | None = None
        self._lingering: list[Turn] = []  # turns whose streams someone still holds
        self._streams = Streams(keeper, command_id, str(command_id), spec.keeping, self._stream_end)
        self._open_streams(started)
        if self._conversation is not None:
            self._conversation.open(spec.opening[0], [spec.opening[1].encode()])
        if spec.follow_ms or spec.window_bytes or self._control or self._conversation:
            self._watch()
        else:
            self._watch_timer = keeper.loop.call_later(UNWATCHED_S, self._watch, command_id)
        if spec.timeout_ms:
            self._set_timer(spec.timeout_ms / 1000, lambda: self.kill("timeout", spec.grace_ms))

    def _open_streams(self, started: host.Started) -> None:
        for stream, fd in ((STDOUT, started.stdout), (STDERR, started.stderr)):
            if fd >= 0 and self.spec.persistent:
                take = partial(self._own_chunk, stream)
                self._own.append(host.Reader(self._keeper.loop, fd, take, self._stream_end, self.id))
            elif fd >= 0:
                self._streams.add(stream, fd, terminal=self.spec.terminal is not None)
        if started.control >= 0:
            self._control = host.Reader(
                self._keeper.loop,
                started.control,
                self._control_chunk,
                lambda: self._control_chunk(b""),
                self.id,
            )

    def _watch(self) -> None:
        self._watch_timer = None
        self._streams.watch()
        if self._control is not None:
            self._control.resume()
        for reader in self._own:
            reader.resume()

    # -- output

    def credit(self, taken_bytes: int) -> None:
        """The reader has taken streamed output: go on reading when it has caught up."""
        self._streams.credit(taken_bytes)

    def _control_chunk(self, chunk: bytes) -> None:
        turn = self._turn
        if turn is None:
            self._keeper.send(frame(Kind.CONTROL, self.id, chunk))
        elif turn.record is None and (not chunk or turn.hear(chunk)):
            self._turn_over_when_settled(SETTLE_ROUNDS)
        elif chunk == FILE_MISSING:  # the command has removed our files: the shell is told in words
            self.feed(os.fsencode(turn.report))

    def _stream_end(self) -> None:
        for turn in self._lingering:
            if not turn.streams.open:
                turn.streams.release()
        self._lingering = [turn for turn in self._lingering if turn.streams.open]
        if self.reported:
            self._keeper.retire_if_over(self)

    @property
    def streams_open(self) -> bool:
        """Whether some process still holds one of the command's output pipes."""
        return self._streams.open or any(turn.streams.open for turn in self._lingering)

    # -- turns of a persistent shell

    def _own_chunk(self, stream: int, chunk: bytes) -> None:
        """A shell that complains on its own stderr (fish) means the command of the present turn."""
        if self._conversation is not None:
            record = self._conversation.hear(stream, chunk)
            if record is not None and self._turn is not None:
                self._turn.record = record
                self._turn_over_when_settled(SETTLE_ROUNDS)
        elif self._turn is not None:
            self._turn.streams.captures[stream].feed(chunk)

    def run(self, run: Run) -> None:
        """Give the shell a command of its own; a TURN frame tells how it ended."""
        if self._end is not None or self.reported:
            return  # the shell is gone, or about to; a frame has said so
        if self._turn is not None:
            raise ValueError(f"turn {self._turn.number} is not over")
        household = self._household
        if household is None:
            pipes = Pipes(self._keeper.directory, str(self.id))
            household = self._household = Household(self.pid, pipes, self._conversation)
        if self._conversation is None:
            household.pipes.provide(run)
        else:
            household.pipes.provide_anew(run)
        self._turn = Turn(self._keeper, self.id, run, household, self._stream_end)
        if self._conversation is None:  # otherwise it gets its lines when it is ready for them
            self.feed(os.fsencode(run.feed))

    def _turn_over_when_settled(self, rounds: int) -> None:
        household = self._household
        if self._turn is None or household is None:
            return
        left = self._keeper.kin.others(self.id)
        if rounds and self._just_forked(left - household.earlier()):
            self._set_timer(SETTLE_S, lambda: self._turn_over_when_settled(rounds - 1))
        else:
            self._turn_over(household.newcomers(left))

    def _turn_over(self, left: set[int]) -> None:
        """The record has come, or never will: send the TURN frame."""
        turn, household = self._turn, self._household
        if turn is None or household is None:
            return
        if turn.record is None or self._conversation is None:  # in a conversation all of it has come
            for reader in self._own:
                reader.take()
                reader.see_end()
        self._turn = None
        content, parts = turn.close()
        if turn.streams.open:
            self._lingering.append(turn)
        if self._end is None:
            content["cwd"] = household.directory()
        if left:
            content["left"], content["left_total"] = named(left)
        self._keeper.send(frame(Kind.TURN, self.id, mixed_body(content, parts)))
        self._keeper.flush()

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
        if self._started.stdout >= 0 and self.spec.terminal and self._streams.is_open(STDOUT):
            host.resize(self._started.stdout, rows, columns)

    def signal(self, number: int, scope: str) -> None:
        """Signal the command's process group, or everything it started."""
        if scope == "tree":
            self._keeper.kin.signal_tree(self.id, number)
        elif scope in ("turn", "shell"):  # what the present turn has started; what was there before is spared
            known = self._household.earlier() if self._household else set[int]()
            shell = {self.pid} if scope == "shell" and self._end is None else set[int]()
            host.send_signal((self._keeper.kin.others(self.id) - known) | shell, number)
        elif self._end is None:
            self._keeper.kin.signal_group(self.id, number)

    # -- the end

    def ended(self, end: host.Reaped) -> None:
        """The first process was reaped."""
        self._end = end
        self._wall_ms = round((time.monotonic() - self._began) * 1000)
        if self._dying:  # also when nacre itself has failed with it: the rest is up to `check_death`
            return
        if self._keeper.kin.may_have_left(self.id):
            self._report_when_settled(SETTLE_ROUNDS)
        else:
            self.report(set())

    def _report_when_settled(self, rounds: int) -> None:
        """A background process that has not yet become its program gets a moment, to be named truly."""
        left = self._keeper.kin.members(self.id)
        if rounds and self._just_forked(left):
            self._set_timer(SETTLE_S, lambda: self._report_when_settled(rounds - 1))
        else:
            self.report(left)

    def _just_forked(self, left: set[int]) -> bool:
        """Whether one of these still looks like the command itself, or like nothing yet."""
        own = " ".join(self.spec.argv)[:100]
        lines = [command_line(pid) for pid in left]
        return any(not line or line.startswith(own) for line in lines)

    def kill(self, why: str, grace_ms: int) -> None:
        """The ladder: TERM to the whole tree, a grace, KILL to what is left; without a grace KILL alone."""
        if self._dying or (self.reported and not self._keeper.kin.members(self.id)):
            return
        self._why = self._why or why
        self._dying = True
        if grace_ms:
            self._keeper.kin.ask_to_end(self.id)
            self._set_timer(grace_ms / 1000, self._kill_hard)
        else:
            self._kill_hard()
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
        self._timer = self._keeper.loop.call_later(delay_s, callback, self.id)

    def report(self, left: set[int] | None = None) -> None:
        """Send the EXIT frame: how it ended, what it printed, who is left."""
        self._cancel_timers()
        if self._control is not None:
            self._control.take()
            self._control.see_end()
        self._streams.settle()
        self._turn_over(set())
        if left is None:
            left = self._keeper.kin.members(self.id)
        if left:
            self._streams.part()
        counts, parts = self._streams.report()
        content = [*self._how(), *(named(left) if left else ((), 0)), counts]
        self._keeper.send(frame(Kind.EXIT, self.id, mixed_body(content, parts)))
        self._keeper.flush()  # what follows need not keep the caller waiting
        if not left:
            self._streams.part()
        self.left_some = bool(left) or self.streams_open
        self.reported = True
        self._keeper.retire_if_over(self)

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._watch_timer):
            if timer is not None:
                timer.cancel()

    def _how(self) -> tuple[int | None, str | None, str | None, int, int, int | None]:
        """Code, signal, why, wall time, CPU time, memory: in the order of `link.Exit`."""
        end = self._end
        if end is None:
            return None, None, self._why, round((time.monotonic() - self._began) * 1000), 0, None
        rss_bytes = end.max_rss_bytes if end.max_rss_bytes > self._baseline_rss_bytes else None
        return end.code, end.signal, self._why, self._wall_ms, end.cpu_ms, rss_bytes

    def fail(self) -> None:
        """Something unexpected happened in handling it: end all of it; who waits has been told already."""
        self.reported = self._dying = True
        attempt = self._keeper.loop.attempt
        attempt(self.release, 0)
        if self._end is None:  # this needs no look at the process table, should that be what fails
            attempt(partial(self.signal, host.signal_number("KILL"), "group"), 0)
        attempt(partial(self._keeper.kin.force_end, self.id), 0)

    def release(self) -> None:
        """Nothing of the command runs any more: let go of its pipes and its spool."""
        self._cancel_timers()  # what was left behind may have been gone before it was to be killed
        for let_go in self._holdings():
            self._keeper.loop.attempt(let_go, 0)  # each of them, whatever becomes of the others
        self._own.clear()
        self._lingering.clear()
        self._turn = self._household = None
        self._control = self._stdin = self._timer = self._watch_timer = None

    def _holdings(self) -> list[Callable[[], object]]:
        """How to let go of each thing that a command holds."""
        turns = self._lingering if self._turn is None else [*self._lingering, self._turn]
        held: list[Callable[[], object]] = [self._streams.release, *[turn.streams.release for turn in turns]]
        held += [reader.close for reader in self._own]
        if self._household is not None:
            held.append(self._household.pipes.remove)
        if self._control is not None:
            held.append(self._control.close)
        if self._stdin is not None:
            held.append(self._stdin.abandon)
        if self.spec.script is not None:
            held.append(partial(self._keeper.directory.discard, self._keeper.script_name(self.id)))
        return held

    def announce(self) -> None:
        """Say that it runs."""
        self._keeper.send(json_frame(Kind.STARTED, self.id, {"pid": self.pid}))
