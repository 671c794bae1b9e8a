"""One running command in the keeper: its streams, its time limit, its kill ladder, its end.

Above it: `program`, which owns all commands and the link, and `shells`, whose commands are given turns.
Below: `streams` for output, and `host` for everything the operating system does: `posix` and `process_tree`,
or `windows`. It knows nothing of turns.

A command ends when its first process has ended. Output that is in the pipes by then belongs to the result;
later output of processes left behind goes to the spool. A command that is being killed ends when its whole
tree is gone.
"""

from __future__ import annotations

import time
from functools import partial

from nacre.keeper.codec import encode, encode_exit, encode_short_exit
from nacre.keeper.frames import Exit, LeftEnd, Started
from nacre.keeper.host import command_line, host
from nacre.keeper.streams import STDOUT, Streams
from nacre.keeper.wire import Kind, frame

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.keeper.frames import Left, Spawn, TurnStart
    from nacre.keeper.limits import LimitWatch
    from nacre.keeper.outlet import CommandOutlet
    from nacre.keeper.timers import Timer
    from nacre.keeper.watching import Watcher

UNWATCHED_MS = 2  # a command that ends sooner has its output taken in one go
FIRST_LOOK_S, LOOK_S = 0.001, 0.0005  # one that fills its pipes sooner is watched sooner
LEFT_LIMIT = 100  # how many processes left behind are named; all are counted
SETTLE_S, SETTLE_ROUNDS = 0.002, 5
KILL_PAUSES_S = (0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.2)  # then survivors are reported


def named(left: set[int]) -> tuple[Left, int]:
    """The processes left behind, a limited number with their command lines, and their total number."""
    return tuple([(pid, command_line(pid)) for pid in sorted(left)[:LEFT_LIMIT]]), len(left)


def _watch_of(outlet: CommandOutlet, command: Command) -> LimitWatch:
    from nacre.keeper.limits import LimitWatch  # noqa: PLC0415  # few commands have limits

    return LimitWatch(outlet, command)


def _peak_of_its_own(max_rss_bytes: int) -> int | None:
    """The peak memory of a process; None where it does not exceed our own, and so says nothing.

    Our own peak only grows: it is queried again only when the last value might be exceeded.
    """
    global _own_peak_rss_bytes  # noqa: PLW0603  # one for all commands
    if max_rss_bytes > _own_peak_rss_bytes:
        _own_peak_rss_bytes = host.own_peak_rss_bytes()
    return max_rss_bytes if max_rss_bytes > _own_peak_rss_bytes else None


_own_peak_rss_bytes = 0


class Command:
    """A command from its start until the last of its processes has ended and its streams are closed."""

    def __init__(self, outlet: CommandOutlet, command_id: int, spec: Spawn, started: host.Started) -> None:
        self.id = command_id
        self.spec = spec
        self.pid = started.pid
        self.reported = False  # the EXIT frame was sent
        self.left_some = False  # and listed processes or open streams as left behind
        self._outlet = outlet
        self._started = started
        self._began = time.monotonic()
        self._end: host.Reaped | None = None
        self.over = False  # whether its first process has ended
        self._wall_ms = 0
        self._why: str | None = None  # "timeout", "killed" or "limit"
        self.limit = ""  # the limit that it, or the current turn, has exceeded
        self._limits = _watch_of(outlet, self) if spec.limits else None
        self._dying = False
        self.watcher: Watcher | None = None  # reports to nacre while it runs
        self._timer: Timer | None = None
        self._watch_timer: Timer | None = None
        self._stdin = (
            host.Writer(outlet.loop, started.stdin, owner=command_id) if started.stdin >= 0 else None
        )
        self._control: host.Reader | None = None
        self._streams = Streams(outlet, command_id, str(command_id), spec, self.stream_ended)
        self._open_streams(started)
        if spec.timeout_ms and (self._watch_timer is None or spec.timeout_ms <= UNWATCHED_MS):
            self._set_time_limit()
        if self._limits is not None:
            self._limits.begin()

    def _open_streams(self, started: host.Started) -> None:
        self._streams.add(started.stdout, started.stderr, terminal=self.spec.terminal is not None)
        if started.control >= 0:
            self._control = host.Reader(
                self._outlet.loop,
                started.control,
                self._control_chunk,
                lambda: self._control_chunk(b""),
                self.id,
            )
        if self.spec.follow_ms or self.spec.window_bytes or self._control:
            self._watch()
        else:
            self._watch_timer = self._outlet.loop.call_later(FIRST_LOOK_S, self._look, self.id)

    def _look(self) -> None:
        """It has not ended yet; it must not have to wait until its output is read."""
        left_s = self._began + UNWATCHED_MS / 1000 - time.monotonic()
        if left_s <= 0 or self._streams.are_filling:
            self._takes_long()
        else:
            self._watch_timer = self._outlet.loop.call_later(min(left_s, LOOK_S), self._look, self.id)

    def _takes_long(self) -> None:
        """It has not ended at once, as most do: watch its streams and its time limit from now on."""
        self._watch()
        if self.spec.timeout_ms > UNWATCHED_MS and self._end is None and not self._dying:
            self._set_time_limit()

    def _set_time_limit(self) -> None:
        left_s = self._began + self.spec.timeout_ms / 1000 - time.monotonic()
        self.set_timer(left_s, self._time_is_up)

    def _watch(self) -> None:
        self._watch_timer = None
        self._streams.watch()
        if self._control is not None:
            self._control.resume()

    # -- output

    def credit(self, taken_bytes: int) -> None:
        """The reader has taken streamed output: resume reading when it has caught up."""
        self._streams.credit(taken_bytes)

    def _control_chunk(self, chunk: bytes) -> None:
        self._outlet.send(frame(Kind.CONTROL, self.id, chunk))

    def stream_ended(self) -> None:
        """One of its output pipes was closed by its last holder."""
        if self.reported:
            self._outlet.retire_if_over(self)

    @property
    def streams_open(self) -> bool:
        """Whether some process still holds one of the command's output pipes."""
        return self._streams.open

    def streams_of(self, turn: int) -> Streams | None:
        """Its streams, or those of a turn of a persistent shell; None: that turn has ended."""
        return self._streams if not turn else None

    def run(self, _turn: TurnStart) -> None:
        """Refuse: only a persistent shell takes turns."""
        raise ValueError("only a persistent shell takes turns")

    # -- input and signals

    @property
    def input_fd(self) -> int:
        """The descriptor of its input; -1: it has none, or it is closed."""
        return self._stdin.fd if self._stdin is not None else -1

    def feed(self, data: bytes) -> None:
        """Give it bytes to read; none ends its input."""
        if self._stdin is None:
            return
        if self.spec.terminal is not None:
            self._stdin.write(data or host.END_OF_INPUT)
        elif data:
            self._stdin.write(data)
        else:
            self._stdin.close()

    def feed_hidden(self, data: bytes) -> bool:
        """Type into its terminal only if that does not echo; whether it did."""
        if self.spec.terminal is None or self._stdin is None or not host.hides_lines(self.input_fd):
            return False
        if data:
            self._stdin.write(data)
        return True

    def resize(self, rows: int, columns: int) -> str:
        """Change the size of the command's terminal; why it could not be changed, or nothing."""
        if self._started.stdout >= 0 and self.spec.terminal and self._streams.is_open(STDOUT):
            try:
                host.resize(self._started, rows, columns)
            except OSError as error:
                return error.strerror or str(error)
        return ""

    def signal(self, number: int, scope: str, turn: int = 0, before: Sequence[int] = ()) -> None:  # noqa: ARG002  # a shell has turns
        """Signal the command's process group, or everything it started."""
        if scope == "tree":
            self._outlet.tree.signal_tree(self.id, number)
        elif self._end is None:
            self._outlet.tree.signal_group(self.id, number)

    # -- the end

    def ended(self, end: host.Reaped) -> None:
        """The first process was reaped."""
        self._end, self.over = end, True
        self._wall_ms = round((time.monotonic() - self._began) * 1000)
        if self.reported and not self._dying:  # it was reported as unkillable, and has died after all
            self._outlet.retire_if_over(self)
            return
        if self._dying:  # also after an internal error: `check_death` does the rest
            return
        if self._limits is not None and self.note_limit():
            self.kill("limit", 0)
        elif self._outlet.tree.may_have_left(self.id):
            self._report_when_settled(SETTLE_ROUNDS)
        else:
            self.report(set())

    def note_left_end(self, end: host.Reaped) -> None:
        """A child of ours that belongs to it, but is not its first process, has ended."""
        if self.reported:
            if self.left_some:
                self._outlet.send(encode(LeftEnd(pid=end.pid, code=end.code, signal=end.signal), self.id))
            self._outlet.retire_if_over(self)

    def _report_when_settled(self, rounds: int) -> None:
        """Give a background process a moment to exec, so that it is listed under its own name."""
        left = self._outlet.tree.members(self.id)
        if rounds and self.just_forked(left):
            self.set_timer(SETTLE_S, lambda: self._report_when_settled(rounds - 1))
        else:
            self.report(left)

    def just_forked(self, left: set[int]) -> bool:
        """Whether one of these has been forked, but has not executed its program yet."""
        own = " ".join(self.spec.argv)[:100]
        lines = [command_line(pid) for pid in left]
        return any(not line or line.startswith(own) for line in lines)

    def _time_is_up(self) -> None:
        """The time limit has passed; the command may have ended in time without having been reaped yet."""
        self._outlet.reap()
        if self._end is None:
            self.kill("timeout", self.spec.grace_ms)

    @property
    def at_work(self) -> bool:
        """Whether it still runs, as far as its caller is concerned."""
        return not self.over

    @property
    def printed_bytes(self) -> int:
        """The size of its output."""
        return self._streams.total_bytes

    def reach_limit(self, name: str, *, by_itself: bool) -> None:  # noqa: ARG002  # used by shells only
        """End all of it, because it has exceeded a limit."""
        self.limit = self.limit or name
        self.kill("limit", 0)

    def kill(self, why: str, grace_ms: int, *, hang_up: bool = False) -> None:
        """The ladder: TERM to the whole tree, a grace period, KILL to what is left; without grace, KILL."""
        if self._dying:
            return
        self._why = self._why or why
        self._start_dying()
        if hang_up:  # interactive shells ignore TERM; some (mksh, ksh) notice a HUP only at their next line
            self.signal(host.signal_number("HUP"), "group")
            if self._stdin is not None:
                self._stdin.close()
        if grace_ms:
            self._outlet.tree.ask_to_end(self.id)
            self.set_timer(grace_ms / 1000, self._kill_hard)
        else:
            self._kill_hard()
        self.check_death()

    def _start_dying(self) -> None:
        self._dying = True
        self._outlet.dying[self.id] = self

    def _stop_dying(self) -> None:
        self._dying = False
        self._outlet.dying.pop(self.id, None)

    def _kill_hard(self, rounds: int = 0) -> None:
        """KILL what is left, and what it has forked meanwhile, until all is gone or some cannot be killed."""
        self._outlet.tree.force_end(self.id)
        if rounds < len(KILL_PAUSES_S):
            self.set_timer(KILL_PAUSES_S[rounds], partial(self._kill_hard, rounds + 1))
        else:
            self._give_up()

    def _give_up(self) -> None:
        """Report processes that cannot be killed (another user's, or stuck in the kernel) as left behind."""
        self._stop_dying()
        if not self.reported:
            self.report()
        else:
            self._outlet.report_rest(self)

    def check_death(self) -> None:
        """While being killed: report as soon as nothing of the tree is left."""
        if self._dying and self._end is not None and not self._outlet.tree.may_have_left(self.id):
            self._stop_dying()
            self._cancel_timers()
            if not self.reported:
                self.report(set())
            else:
                self._outlet.report_rest(self)

    def set_timer(self, delay_s: float, callback: Callable[[], None]) -> None:
        """Call back later; replaces the previous timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._outlet.loop.call_later(delay_s, callback, self.id)

    def report(self, left: set[int] | None = None) -> None:
        """Send the EXIT frame: how it ended, its output, what is left running."""
        self._cancel_timers()
        self._take_rest()
        if left is None:
            left = self._outlet.tree.members(self.id)
        if left:
            self._streams.part()
        self._outlet.flush(self._exit_frame(left))  # the caller need not wait for what follows
        if not left:
            self._streams.part()
        self.left_some = bool(left) or self.streams_open
        self.reported = True
        if not self.left_some:
            self._outlet.retire(self)

    def _exit_frame(self, left: set[int]) -> bytes:
        outcome, printed = self._outcome(), self._streams.short()
        code, _, why, wall_ms, cpu_ms, max_rss_bytes = outcome
        if code is None or why is not None or left or self.limit or printed is None:
            left_behind = named(left) if left else ((), 0)
            return encode_exit(Exit(*outcome, *left_behind, self.limit, *self._streams.report()), self.id)
        return encode_short_exit(self.id, code, wall_ms, cpu_ms, max_rss_bytes, *printed)

    def note_limit(self) -> bool:
        """At its end: whether the kernel has enforced a limit since the last look."""
        if self._limits is None or self.limit:
            return False
        self.limit = self._limits.last_look()
        return bool(self.limit)

    def _take_rest(self) -> None:
        """At its end: read what is still in its pipes."""
        if self._control is not None:
            self._control.take()
            self._control.see_end()
        self._streams.settle()

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._watch_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._watch_timer = None

    def _outcome(self) -> tuple[int | None, str | None, str | None, int, int, int | None]:
        """Code, signal, why, wall time, CPU time, memory: in the order of `frames.Exit`."""
        end = self._end
        if end is None:
            return None, None, self._why, round((time.monotonic() - self._began) * 1000), 0, None
        rss_bytes = _peak_of_its_own(end.max_rss_bytes)
        return end.code, end.signal, self._why, self._wall_ms, end.cpu_ms, rss_bytes

    def fail(self) -> None:
        """End all of it after an internal error, which has been sent already."""
        self.reported = True
        self._start_dying()
        attempt = self._outlet.loop.attempt
        attempt(self.release, 0)
        if self._end is None:  # this works even if reading the process table fails
            attempt(partial(self.signal, host.signal_number("KILL"), "group"), 0)
        attempt(partial(self._outlet.tree.force_end, self.id), 0)
        self._outlet.loop.call_later(0, self.check_death)  # no process may be left whose end would trigger it

    def release(self) -> None:
        """Close its pipes and its spool: nothing of the command runs any more."""
        if self._timer is not None or self._watch_timer is not None:
            self._cancel_timers()  # processes left behind may have ended before a timer to kill them
        if self._limits is not None:
            self._limits.end()
            self._limits = None
            self._outlet.give_up_group(self.id)
        for let_go in self._holdings():
            self._outlet.loop.attempt(let_go, 0)  # each of them, even if another fails
        self._control = self._stdin = None

    def _holdings(self) -> list[Callable[[], object]]:
        """The functions that release what a command holds."""
        held: list[Callable[[], object]] = [self._streams.release]
        if self._control is not None:
            held.append(self._control.close)
        if self._stdin is not None:
            held.append(self._stdin.abandon)
        if self.spec.script is not None:
            held.append(partial(self._outlet.directory.discard, self._outlet.script_name(self.id)))
        return held

    def announce(self) -> None:
        """Send the STARTED frame."""
        self._outlet.send(encode(Started(pid=self.pid), self.id))
