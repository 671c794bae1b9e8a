"""A persistent shell: it runs one turn after another, and reports the end of each.

Above it: `program`. Below: `commands`, because the shell is a command as well, with an end and a kill ladder;
`turns`, `prompts`, `conversation`, the host module.

A turn ends when the shell has written its record, or when its process has ended. A shell that becomes another
program (`exec`) cannot report any more: its turn ends with that program.

A command can keep its shell from reporting: it deletes the channel, or redefines the builtins that the report
uses. Then the shell returns to its prompt without a record. It is asked once more, with all pipes in place;
if that does not help, the turn is over and the shell unusable. So is a shell that has lost the input it reads
its lines from, or that keeps a command's streams open, because a command has closed the descriptors in which
it had saved its own.
"""

from __future__ import annotations

import os
import time
from functools import partial

from nacre.keeper import processes
from nacre.keeper.commands import SETTLE_ROUNDS, SETTLE_S, Command, named
from nacre.keeper.conversation import Conversation
from nacre.keeper.host import command_line, host
from nacre.keeper.prompts import Prompts
from nacre.keeper.streams import STDERR, STDOUT
from nacre.keeper.turns import ENCODING, ERRORS, ShellFiles, Turn

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.keeper.frames import TurnStart
    from nacre.keeper.left_behind import LeftBehind
    from nacre.keeper.outlet import Outlet
    from nacre.keeper.streams import Streams
    from nacre.keeper.timers import Timer

KILL_ROUNDS = 50  # each round catches what the last one missed
NAME_LIMIT = 15  # how much Linux keeps of a program's name
LINES_OF_A_TURN = 2  # the command, and the report
KNOWN_LIMIT = 64  # reported processes; with more, ended ones are forgotten
QUIET_S = 0.05  # how long a prompt must show before the shell counts as waiting
LOOK_S = 0.25  # how often a long turn is checked for a waiting shell
MEMORY_SAMPLE_S = 0.01  # the first look at the memory of a turn's processes; the intervals grow
FEWEST_OPEN_FILES = 32  # with fewer it cannot open what a command needs
LOST_LOOKS = 4  # after this many looks, an idle shell without input is given up


class PersistentShell:
    """The turns of one shell, and its state between them: pipes, CPU time, directory, children."""

    def __init__(self, outlet: Outlet, command: ShellCommand, started: host.Started) -> None:
        spec = command.spec
        self.files = ShellFiles(outlet.directory, str(command.id))
        self.conversation = Conversation(spec.prompt.encode(), command.write) if spec.prompt else None
        self._outlet = outlet
        self._command = command
        self._prompts = Prompts(spec.ready) if spec.ready else None
        self._known: set[int] = set()  # processes that earlier turns left behind and reported
        self._known_limit = KNOWN_LIMIT
        self._known_before: set[int] = set()  # those that existed before the last turn
        self._turn: Turn | None = None
        self._lingering: list[Turn] = []  # turns whose streams some process still holds
        self._left: dict[int, LeftBehind] = {}  # what turns have left running, by turn
        self._replaced_by = ""  # the program that had replaced the shell at its end
        self._cpu_ms = 0
        self.peak_rss_bytes = 0  # of the current turn's processes, as far as they were seen
        self._memory_timer: Timer | None = None
        self._timer: Timer | None = None
        self._look_timer: Timer | None = None
        self._looks_lost = 0  # how often in a row it was seen without its input
        self._lines_from = host.pipe_name(started.stdin)
        self._asked_again = self._mute = False  # whether the current turn's report was lost once, and again
        self._channel = self._reader(started.control, self._channel_chunk)
        self._own = [  # the output of the shell itself, not of its commands
            reader
            for stream, fd in ((STDOUT, started.stdout), (STDERR, started.stderr))
            if (reader := self._reader(fd, partial(self._own_chunk, stream))) is not None
        ]
        if self.conversation is not None:
            self.conversation.open(spec.opening[0], [spec.opening[1].encode()])
        if self._channel is not None:
            self._channel.resume()
        if self._prompts is None:  # prompts are checked while a record is overdue
            self._watch_own()

    def _reader(self, fd: int, take: Callable[[bytes], None]) -> host.Reader | None:
        if fd < 0:
            return None
        return host.Reader(self._outlet.loop, fd, take, self._command.stream_ended, self._command.id)

    def _watch_own(self) -> None:
        for reader in self._own:
            reader.resume()

    # -- a turn

    def run(self, start: TurnStart) -> None:
        """Run a command in the shell; a TURN_END frame reports its end. Raises OSError."""
        if self._turn is not None:
            raise ValueError(f"turn {self._turn.number} is not over")
        self._asked_again = self._mute = False
        if self.conversation is None:
            self._open_channel()
            self.files.provide(start)
            self._run_on_pipes(start)
        else:  # it gets its lines when it shows its prompt
            self.files.provide_anew(start)
            self._turn = Turn(self._outlet, start, self, self._command, time.monotonic())
        self._outlet.in_turn.add(self)

    def _run_on_pipes(self, start: TurnStart) -> None:
        """Feed the shell once everything that its lines name exists; the rest is done while it reads."""
        began, pipes = time.monotonic(), self.files.open(start.pair)
        try:
            self._give(start.feed + start.report, LINES_OF_A_TURN)
            self._turn = Turn(self._outlet, start, self, self._command, began, pipes)
        except BaseException:  # whatever it is, no descriptor stays open
            for fd in pipes:
                os.close(fd)
            raise

    def _open_channel(self) -> None:
        """Make sure that a shell that opens its channel by name will find it. Raises OSError."""
        if self._command.spec.names_channel and not (
            self._channel is not None and self.files.channel_is_there
        ):
            channel = self._reader(self.files.open_channel(), self._channel_chunk)
            if self._channel is not None:
                self._channel.close()
            self._channel = channel
            if channel is not None:
                channel.resume()

    def _give(self, text: str, lines: int) -> None:
        if self._prompts is not None:
            self._prompts.give(lines)
        self._command.write(text.encode(ENCODING, ERRORS))

    def feed(self, data: bytes) -> None:
        """Feed the shell a line outside of a turn, or for the current one."""
        if self._prompts is not None:
            self._prompts.give(1)
        self._command.write(data)

    def turn_takes_long(self) -> None:
        """Measure CPU time from now on; shorter turns use less than the kernel's clock resolves."""
        self._cpu_ms = processes.cpu_ms(self._command.pid)
        self._watch_own()
        self._looks_lost = self.peak_rss_bytes = 0
        if processes.LINUX:
            self._sample_memory_later(MEMORY_SAMPLE_S)
        if self._turn is not None and self._lines_from:
            self._look_timer = self._outlet.loop.call_later(LOOK_S, self._look_at_shell, self._command.id)

    def _channel_chunk(self, chunk: bytes) -> None:
        """Process bytes of the private channel; between two turns they are noise."""
        if self._turn is not None and self._turn.record is None and self._turn.hear(chunk):
            self._over_when_settled(SETTLE_ROUNDS)

    def _own_chunk(self, stream: int, chunk: bytes) -> None:
        """Process the shell's own stderr: its error messages (fish) belong to the current turn."""
        if self._prompts is not None:
            self._prompts.hear(chunk)
            if self._turn is not None and self._turn.record is None and self._prompts.waits:
                self._look_later()
        elif self.conversation is not None:
            record = self.conversation.hear(stream, chunk)
            if record is not None and self._turn is not None:
                self._turn.record = record
                self._over_when_settled(SETTLE_ROUNDS)
        elif self._turn is not None:
            self._turn.streams.put(stream, chunk)

    def _over_when_settled(self, rounds: int) -> None:
        """Give a background process a moment to exec, so that it is listed under its own name."""
        if self._turn is None:
            return
        if self._command.note_limit():
            self.kill_all_but(set())
            rounds = KILL_ROUNDS
        fresh = self._outlet.tree.others(self._command.id, self._known)
        if fresh and rounds and (self._command.just_forked(fresh) or self._command.limit):
            self._command.set_timer(SETTLE_S, lambda: self._over_when_settled(rounds - 1))
        else:
            self._known_before = self._known
            if fresh:
                self._remember(fresh)
            self.turn_over(fresh)

    def turn_over(self, left: set[int]) -> None:
        """Send the TURN_END frame: the record has come, or never will."""
        turn = self._turn
        if turn is None:
            return
        self._cancel_timers()
        if self._prompts is None:
            self._hear_own(turn)
        self._turn = None
        self._outlet.in_turn.discard(self)
        turn.settle()
        self._mute = self._mute or self._is_unusable(turn)
        left_behind = named(left) if left else ((), 0)
        limit = self._command.limit
        end = turn.close(left_behind, replaced=self._replaced_by, mute=self._mute, limit=limit)
        self._outlet.flush(end)  # the caller need not wait for what follows
        if turn.streams.open:
            self._lingering.append(turn)
        elif turn.streams.captures:
            turn.streams.release()
        if left:
            self._watch_left(turn.number, left)
        if self._prompts is not None:
            self._hear_prompts()

    def _watch_left(self, turn: int, left: set[int]) -> None:
        """Report the ends of the processes that a turn has left behind."""
        from nacre.keeper.left_behind import LeftBehind  # noqa: PLC0415  # few turns leave any

        self._left[turn] = LeftBehind(
            self._outlet, self._command.id, turn, left, lambda turn: self._left.pop(turn, None)
        )

    def note_left_end(self, end: host.Reaped) -> None:
        """Note the end of our child that a turn may have left behind."""
        for left in list(self._left.values()):
            left.note_end(end.pid, end.code, end.signal)

    def _hear_own(self, turn: Turn) -> None:
        """Read what the shell itself has printed up to now."""
        for reader in self._own:
            if turn.record is None or self.conversation is None:  # in a conversation all of it has been read
                reader.take()
                reader.see_end()

    def _hear_prompts(self) -> None:
        for reader in self._own:
            reader.pause()
            reader.take()

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._look_timer, self._memory_timer):
            if timer is not None:
                timer.cancel()
        self._timer = self._look_timer = self._memory_timer = None

    def take_rest(self) -> None:
        """At the shell's end: read what it has reported before."""
        if self._channel is not None:
            self._channel.take()

    # -- a shell that returns without a record

    def _look_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._outlet.loop.call_later(QUIET_S, self._look, self._command.id)

    def _look(self) -> None:
        """Check a shell that shows its prompt without having reported."""
        self._timer = None
        turn = self._turn
        if turn is None or turn.record is not None or self._command.over:
            return
        if not self._asked_again:
            self._asked_again = True
            self._open_channel()
            self._give(turn.report, 1)
        else:
            self._give_up()

    def _give_up(self) -> None:
        self._mute = True
        self._over_when_settled(SETTLE_ROUNDS)

    def _look_at_shell(self) -> None:
        """Check a long turn: its shell may wait for a line silently, or never return."""
        turn, pid = self._turn, self._command.pid
        if turn is None or turn.record is not None or self._command.over:
            return
        self._look_timer = self._outlet.loop.call_later(LOOK_S, self._look_at_shell, self._command.id)
        if turn.report and processes.waits_to_read(pid, self._lines_from):
            self._look()
        elif self._is_stuck(turn) if turn.report else self._reads_in_its_place():
            self._looks_lost += 1
            if self._looks_lost == LOST_LOOKS:
                self._give_up()
        else:
            self._looks_lost = 0

    def _is_stuck(self, turn: Turn) -> bool:
        """Whether it runs nothing and has lost its input, or has returned from its command silently."""
        pid = self._command.pid
        if self._outlet.tree.others(self._command.id, self._known) or not self._is_still_the_shell():
            return False
        if processes.standard_input(pid) == self._lines_from:  # its commands read from elsewhere
            return turn.streams.were_opened()
        return not processes.holds(pid, self._lines_from)

    def _reads_in_its_place(self) -> bool:
        """Whether a program that has replaced the shell waits for lines, which are not meant for it."""
        pid = self._command.pid
        return not self._is_still_the_shell() and processes.waits_to_read_in_thread(pid, self._lines_from)

    def _is_still_the_shell(self) -> bool:
        """Whether no other program has replaced the shell, not even one of the same name."""
        return self._is_the_shell(self._command.pid)

    def _is_the_shell(self, pid: int) -> bool:
        """Whether a process is the shell, or forked from it without running another program."""
        started_as = " ".join(self._command.spec.argv)
        return command_line(pid, len(started_as)) == started_as

    def _is_unusable(self, turn: Turn) -> bool:
        """Whether it cannot take another command although it has reported the end of this one."""
        pid = self._command.pid
        if turn.record is None or not self._lines_from:
            return False
        if self._command.over or processes.open_files_limit(pid) < FEWEST_OPEN_FILES:
            return True
        if processes.standard_input(pid) == self._lines_from:
            if turn.pipes_are_free:
                return False
            return not self.files.names_of_pair.isdisjoint(processes.standard_output(pid))
        pair = self.files.names_of_pair
        return not processes.holds(pid, self._lines_from) or any(processes.holds(pid, name) for name in pair)

    # -- what it is

    def note_name(self) -> None:
        """If the shell has just ended, remember its last program: after reaping, that is lost."""
        if not self._command.over and host.has_ended(self._command.pid):
            self._replaced_by = self.replaced_by()

    def replaced_by(self) -> str:
        """The program that has replaced the shell (`exec`); empty if none has."""
        if self.conversation is not None:  # there is no exec on Windows, and wine has names of its own
            return ""
        spec, name = self._command.spec, processes.name(self._command.pid)
        own = [os.path.basename(word)[:NAME_LIMIT] for word in (spec.program, *spec.argv[:2])]
        return "" if name in own else name

    # -- directory, time and children

    @property
    def directory(self) -> str | None:
        """Its real directory; None: unknown, or it has ended."""
        return None if self._command.over else processes.working_directory(self._command.pid)

    def spent_ms(self) -> int:
        """CPU time since the measurement began, including children that were waited for."""
        return max(0, processes.cpu_ms(self._command.pid) - self._cpu_ms)

    def _sample_memory_later(self, delay_s: float) -> None:
        self._memory_timer = self._outlet.loop.call_later(
            delay_s, partial(self._sample_memory, min(2 * delay_s, LOOK_S)), self._command.id
        )

    def _sample_memory(self, next_s: float) -> None:
        """Sample the memory of the turn's processes: at their end only their parent learns it."""
        for pid in self._outlet.tree.others(self._command.id, self._known):
            self.peak_rss_bytes = max(self.peak_rss_bytes, processes.peak_rss_bytes(pid))
        self._sample_memory_later(next_s)

    def _remember(self, fresh: set[int]) -> None:
        """Note reported processes. Ended ones are forgotten when the number has doubled, not each turn."""
        self._known = self._known | fresh  # a new set: the one before is `_known_before`
        if len(self._known) > self._known_limit:
            self._known &= self._outlet.tree.members(self._command.id)
            self._known_limit = max(KNOWN_LIMIT, 2 * len(self._known))

    def signal(self, number: int, *, with_shell: bool, before: Sequence[int] = ()) -> None:
        """Signal what the current turn has started, including a program that has replaced the shell.

        The shell and its subshells come first: they may continue when the process that they wait for ends.
        """
        others = self._outlet.tree.others(self._command.id, self._known)
        shell = [] if self._command.over else [self._command.pid]
        forked = [*filter(self._is_the_shell, others)]
        for earlier in before:
            host.send_signal(filter(self._is_the_shell, shell), earlier)
            host.send_signal(forked, earlier)
        if with_shell or self.replaced_by():
            host.send_signal(shell, number)
        host.send_signal(forked, number)
        host.send_signal(others.difference(forked), number)

    def itself_and_subshells(self) -> set[int]:
        """The shell, and what is forked from it without running another program."""
        others = self._outlet.tree.others(self._command.id, self._known)
        return {self._command.pid, *filter(self._is_the_shell, others)}

    def kill_left(self, turn: int) -> None:
        """End what a turn has left behind; 0: the last turn, which no reply will list."""
        if not turn:
            self.kill_all_but(self._known_before)
        elif turn in self._left:
            self._outlet.tree.end_below(self._left[turn].pids)

    def kill_all_but(self, spared: set[int]) -> None:
        """End everything that the shell has started, except some processes of earlier turns."""
        stopped: set[int] = set()
        for _ in range(KILL_ROUNDS):  # stopped first, so that none escapes by forking
            fresh = self._outlet.tree.others(self._command.id, spared) - stopped
            if not fresh:
                break
            host.send_signal(fresh, host.signal_number("STOP"))
            stopped |= fresh
        host.send_signal(stopped, host.signal_number("KILL"))

    # -- streams

    def streams_of(self, turn: int) -> Streams | None:
        """The streams of a turn that runs, or that some process still writes to."""
        turns = self._lingering if self._turn is None else [self._turn, *self._lingering]
        return next((one.streams for one in turns if one.number == turn), None)

    @property
    def in_turn(self) -> bool:
        """Whether a turn is under way."""
        return self._turn is not None

    @property
    def printed_bytes(self) -> int:
        """How much the present turn has printed."""
        return self._turn.streams.total_bytes if self._turn is not None else 0

    @property
    def streams_open(self) -> bool:
        """Whether some process still holds the output pipes of a turn that is over."""
        return any(turn.streams.open for turn in self._lingering)

    def release_ended(self) -> None:
        """Release turns whose streams no process holds any more."""
        for turn in self._lingering:
            if not turn.streams.open:
                turn.streams.release()
        self._lingering = [turn for turn in self._lingering if turn.streams.open]

    def holdings(self) -> list[Callable[[], object]]:
        """The functions that release what it holds."""
        self._outlet.in_turn.discard(self)
        self._cancel_timers()
        turns = self._lingering if self._turn is None else [*self._lingering, self._turn]
        held: list[Callable[[], object]] = [turn.streams.release for turn in turns]
        held += [reader.close for reader in (self._channel, *self._own) if reader is not None]
        held += [left.close for left in self._left.values()]
        return [*held, self.files.remove, self._forget_readers]

    def _forget_readers(self) -> None:
        """Break the reference cycle with the readers, which call us."""
        self._channel = None
        self._own = []
        self._left = {}


class ShellCommand(Command):
    """A persistent shell as a command, from start to end; `PersistentShell` has its turns."""

    _shell: PersistentShell | None = None

    def _open_streams(self, started: host.Started) -> None:
        self._shell = PersistentShell(self._outlet, self, started)

    def run(self, turn: TurnStart) -> None:
        """Give the shell a command of its own; a TURN_END frame says how it ended."""
        if self._shell is not None and not self.over and not self.reported:  # otherwise that is reported
            self._shell.run(turn)
            self.limit = ""
            if self._limits is not None:
                self._limits.begin()

    def streams_of(self, turn: int) -> Streams | None:
        """The streams of a turn; None: it has ended."""
        return self._shell.streams_of(turn) if self._shell is not None else None

    @property
    def at_work(self) -> bool:
        """Whether a turn is under way."""
        return self._shell is not None and self._shell.in_turn

    @property
    def printed_bytes(self) -> int:
        """How much the present turn has printed."""
        return self._shell.printed_bytes if self._shell is not None else 0

    def reach_limit(self, name: str, *, by_itself: bool) -> None:
        """End what the shell has started, because a limit is exceeded; the shell itself only if need be."""
        if by_itself or self.limit or self._shell is None:
            super().reach_limit(name, by_itself=by_itself)
        else:
            self.limit = name
            self._shell.kill_all_but(set())

    def kill(self, why: str, grace_ms: int, *, hang_up: bool = False) -> None:
        """The ladder; in the middle of a turn, the shell gets no grace: it would continue with the text."""
        if self._shell is not None and self._shell.in_turn and not self.over:
            self._outlet.tree.end_these(self._shell.itself_and_subshells())
        super().kill(why, grace_ms, hang_up=hang_up)

    def feed(self, data: bytes) -> None:
        """Feed the shell a line; no bytes close its stdin."""
        if self._shell is not None:
            self._shell.feed(data)

    def write(self, data: bytes) -> None:
        """Write to the shell's stdin; no bytes close it."""
        if data and self._stdin is not None and self.spec.terminal is None:
            self._stdin.write(data)
        else:
            super().feed(data)

    def signal(self, number: int, scope: str, turn: int = 0, before: Sequence[int] = ()) -> None:
        """Signal the current turn (or its shell, too), what a turn has left, or the whole command."""
        if self._shell is None or scope not in ("turn", "shell", "left"):
            super().signal(number, scope)
        elif scope == "left":
            self._shell.kill_left(turn)
        else:
            self._shell.signal(number, with_shell=scope == "shell", before=before)

    @property
    def streams_open(self) -> bool:
        """Whether some process still holds the output pipes of a turn that is over."""
        return self._shell is not None and self._shell.streams_open

    def stream_ended(self) -> None:
        """A pipe of the shell or of a turn was closed by its last holder."""
        if self._shell is not None:
            self._shell.release_ended()
        super().stream_ended()

    def note_left_end(self, end: host.Reaped) -> None:
        """A process that it had left behind has ended."""
        super().note_left_end(end)
        if self._shell is not None:
            self._shell.note_left_end(end)

    def _take_rest(self) -> None:
        if self._shell is not None:
            self._shell.take_rest()
            self._shell.turn_over(set())

    def release(self) -> None:
        """Close its pipes, files and turns: nothing of the shell runs any more."""
        super().release()
        self._shell = None

    def _holdings(self) -> list[Callable[[], object]]:
        turns = self._shell.holdings() if self._shell is not None else []
        return [*turns, *super()._holdings()]
