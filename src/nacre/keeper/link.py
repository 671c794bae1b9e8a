"""nacre's side of a keeper: run commands through it, learn how they end.

Above it: the living things (`once`, later sessions, jobs and terminals). Below: `frames` and the pipes.
It knows frames and command ids, nothing of shells, policies or replies.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nacre.eager import EagerFuture
from nacre.errors import InternalError, PlaceError
from nacre.keeper.codec import (
    decode,
    decode_exit,
    decode_part,
    decode_turn_end,
    encode,
    encode_again,
    encode_turn_start,
)
from nacre.keeper.error_advice import advice
from nacre.keeper.frames import (
    Credit,
    Ended,
    Error,
    Exit,
    Hello,
    Kill,
    Left,
    LeftEnd,
    News,
    Part,
    Read,
    Resize,
    Setup,
    Signal,
    Spawn,
    Started,
    TurnEnd,
    TurnStart,
    Watch,
)
from nacre.keeper.keeper_process import KeeperProcess
from nacre.keeper.wire import VERSION, Decoder, Kind, WireError, frame
from nacre.pipes import PipeReader, PipeWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.keeper.launch import Launched

HELLO_PATIENCE_S = 10.0
HELLO_ROUNDS = 3  # so many times a keeper may be late; then it is replaced
REST_LIMIT = 1000  # ends of processes left behind that are remembered for a command
WATCH_S = 5.0  # how often we look whether a keeper that somebody waits for says anything at all
SILENCE_LIMIT_S = 20.0  # one that leaves a PING unanswered for so long is replaced
LATE_S = 1.0  # a look that is so late counts nothing: we were held up ourselves
GOODBYE_PATIENCE_S = 0.8  # the keeper gives commands 0.3 s, then kills; clients wait 2 s for us
GUARDIAN_PATIENCE_S = 0.2  # the guardian ends right after its keeper, unless that has died
LET_GO_S = 1.0  # how often we look whether what we had started to keep commands has ended
BROKEN_PATIENCE_S = 1.0  # a keeper that does not take frames any more is gone; it has this to tell its last

_log = logging.getLogger("nacre")


class NotTakenError(PlaceError):
    """A shell did not take a command, which has therefore not been run: it had ended, or it is unfit."""

    code = "not_taken"


class SpawnError(PlaceError):
    """The keeper could not start a command: `file` is the program or the directory that failed."""

    code = "spawn_failed"

    def __init__(self, message: str, errno: int, file: str, *, own_file: bool = False) -> None:
        sentence = f"{file}: {message}." if file else f"The command could not be started: {message}."
        super().__init__(sentence, hint=advice(errno, own_file=own_file))
        self.errno = errno
        self.file = file


@dataclass(slots=True)
class Rest:
    """What a command has left behind."""

    ended: dict[int, LeftEnd] = field(default_factory=dict[int, LeftEnd])  # by process number
    gone: bool = False  # whether all of it has ended
    on_change: Callable[[], None] | None = None


@dataclass(slots=True)
class Running:
    """A command under way."""

    id: int
    exit: asyncio.Future[Exit]
    on_output: Callable[[int, bytes], None] | None = None
    on_control: Callable[[bytes], None] | None = None
    pid: asyncio.Future[int] | None = field(default=None)
    turn: asyncio.Future[TurnEnd] | None = None
    on_news: Callable[[News], None] | None = None
    rest: Rest | None = None  # what it has left behind, from its end on
    turn_number: int = 0  # of the last turn
    turn_rest: Rest | None = None  # what that has left behind, from its end on
    takes_turns: bool = False

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for its end, or for that of its turn."""
        return not self.takes_turns or (self.turn is not None and not self.turn.done())


class Link:
    """One keeper and the commands that run through it."""

    def __init__(self, launched: Launched, before: Link | None = None) -> None:
        self._process = KeeperProcess(launched)
        # A keeper that follows a killed one must not meet its files: it goes on counting.
        self.ids: itertools.count[int] = before.ids if before is not None else itertools.count(1)
        self._follows = before is not None
        self._running: dict[int, Running] = {}
        self._endings: dict[int, asyncio.Future[Left]] = {}
        self._rests: dict[int, dict[int, Rest]] = {}  # by command, and by turn of a shell (else 0)
        self._reads: dict[int, asyncio.Future[Part]] = {}
        self._tickets = itertools.count(1)
        # What is asked of the keeper, by the kind of its answer and by command, in the order it was asked.
        self._asked: dict[tuple[int, int], list[asyncio.Future[bytes]]] = {}
        self._last: Spawn | None = None
        self._decoder = Decoder()
        self._loop = asyncio.get_running_loop()
        self._hello: asyncio.Future[Hello] = self._loop.create_future()
        self._lost = False
        self._closing = False
        self._distrusted = False  # it has sent what is no frame
        self._leaving = False  # it has said that it ends everything
        self._guarded = True
        self._late = 0  # how often its hello was waited for in vain
        self._heard = False  # whether it has said anything since the last look
        self._silent_s = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self._gone = asyncio.Event()
        self._reader = PipeReader(launched.reading, self._received, self._ended)
        self._writer = PipeWriter(launched.writing, self._broken)
        self.cookie = ""
        self.spool_dir = ""
        self.on_spawn: Callable[[int, Spawn], None] | None = None  # who has to know what is started

    @property
    def lost(self) -> bool:
        """Whether the keeper is gone."""
        return self._lost

    @property
    def guarded(self) -> bool:
        """Whether a guardian ends what a killed keeper leaves."""
        return self._guarded

    async def open(
        self,
        environment: dict[str, str],
        spool_dir: str,
        sweep: str = "",
        spools: dict[str, int] | None = None,
    ) -> None:
        """Wait for the keeper's hello and tell it what all commands share."""
        try:
            async with asyncio.timeout(HELLO_PATIENCE_S):
                hello = await asyncio.shield(self._hello)
        except TimeoutError:
            self._late += 1
            if self._late >= HELLO_ROUNDS:
                raise self._replace(f"was not ready after {HELLO_ROUNDS * HELLO_PATIENCE_S:.0f} s") from None
            raise PlaceError(
                f"The keeper process is not ready after {HELLO_PATIENCE_S:.0f} s; it is still awaited.",
                code="keeper_late",
                hint="Nothing was run. The machine may be very busy: try again.",
            ) from None
        if hello.version != VERSION:
            raise PlaceError(
                f"The keeper speaks version {hello.version} of the link, nacre speaks {VERSION}."
            )
        self.cookie, self._guarded = hello.cookie, hello.guarded
        self.set_up(environment, spool_dir, sweep, spools)

    def set_up(
        self,
        environment: dict[str, str],
        spool_dir: str,
        sweep: str = "",
        spools: dict[str, int] | None = None,
    ) -> None:
        """Tell the keeper the environment of all commands to come, where spools go, and their limits."""
        self.spool_dir = spool_dir
        setup = Setup(environment=environment, spool_dir=spool_dir, sweep=sweep)
        if spools is not None:
            setup.spools, setup.follows = spools, self._follows
        self._writer.write(encode(setup))

    def run(
        self,
        spawn: Spawn,
        *,
        on_output: Callable[[int, bytes], None] | None = None,
        on_control: Callable[[bytes], None] | None = None,
    ) -> Running:
        """Start a command; its `exit` future has the rest."""
        if self._lost:
            raise _keeper_lost()
        running = Running(next(self.ids), EagerFuture(), on_output, on_control, takes_turns=spawn.persistent)
        if spawn.announce:
            running.pid = asyncio.get_running_loop().create_future()
        self._running[running.id] = running
        if self._watch is None:
            self._watch_on()
        if self.on_spawn is not None:
            self.on_spawn(running.id, spawn)
        self._writer.write(self._spawn_frame(running.id, spawn))
        return running

    def _spawn_frame(self, command_id: int, spawn: Spawn) -> bytes:
        """Most commands differ from the one before in their arguments only; then no more is sent."""
        if self._last is not None and vars(spawn) == {**vars(self._last), "argv": spawn.argv}:
            return encode_again(spawn.argv, command_id)
        # What the keeper has to find or to write for each command anew is no pattern for the next one.
        self._last = spawn if spawn.program and spawn.script is None else None
        return encode(spawn, command_id)

    def turn(self, running: Running, start: TurnStart) -> asyncio.Future[TurnEnd]:
        """Give a persistent shell a command; the future has its end."""
        if self._lost:
            raise _keeper_lost()
        turn: EagerFuture[TurnEnd] = EagerFuture()
        running.turn, running.turn_number, running.turn_rest = turn, start.turn, None
        if self._watch is None:
            self._watch_on()
        self._writer.write(encode_turn_start(start, running.id))
        return turn

    def feed(self, running: Running, data: bytes) -> None:
        """Give bytes to the command's stdin; none closes it."""
        self._writer.write(frame(Kind.INPUT, running.id, data))

    async def feed_hidden(self, running: Running, data: bytes) -> bool:
        """Give bytes to a terminal that does not show them; whether it was given them. None only ask."""
        return await self._ask(Kind.INPUT_TAKEN, running, frame(Kind.HIDDEN_INPUT, running.id, data)) == b"1"

    async def _ask(self, answer: Kind, running: Running, question: bytes) -> bytes:
        """Send a frame that is answered by one; questions of a kind are answered in their order."""
        if self._lost:
            raise _keeper_lost()
        awaited: asyncio.Future[bytes] = self._loop.create_future()
        self._asked.setdefault((answer, running.id), []).append(awaited)
        self._writer.write(question)
        return await awaited

    def signal(self, running: Running, name: str, scope: str = "group", turn: int = 0) -> None:
        """Send a signal to the command's process group, or to its whole tree."""
        asked = Signal(signal=name, scope=scope)
        if turn:
            asked.turn = turn
        self._writer.write(encode(asked, running.id))

    def kill(self, running: Running, grace_ms: int, *, hang_up: bool = False) -> None:
        """TERM, grace, KILL for everything the command started; its exit is reported when all of it is gone.

        An interactive shell ignores TERM: it gets a HUP.
        """
        self._writer.write(encode(Kill(grace_ms=grace_ms, hang_up=hang_up), running.id))

    async def end_rest(self, running: Running) -> Left:
        """Kill what a command has left behind that has ended itself; returns what does not die of it."""
        if self._lost:
            return ()
        if running.id not in self._endings:
            self._endings[running.id] = self._loop.create_future()
        if self._watch is None:
            self._watch_on()
        self.kill(running, 0)
        return await asyncio.shield(self._endings[running.id])

    async def read(self, running: Running, stream: int, offset: int, limit_bytes: int, turn: int = 0) -> Part:
        """Some of what a command, or a turn of a shell, has printed; also when it has just ended."""
        if self._lost:
            raise _keeper_lost()
        ticket = next(self._tickets)
        self._reads[ticket] = answer = self._loop.create_future()
        asked = Read(ticket=ticket, stream=stream, offset=offset, limit_bytes=limit_bytes)
        if turn:
            asked.turn = turn
        self._writer.write(encode(asked, running.id))
        return await answer

    def watch(self, running: Running, every_ms: int, turn: int = 0) -> None:
        """Have `on_news` called when a command or turn has printed more, at most this often; 0: no more.

        It is also called when it begins to wait for input, or has what it waited for.
        """
        asked = Watch(every_ms=every_ms, input=True)
        if turn:
            asked.turn = turn
        self._writer.write(encode(asked, running.id))

    async def resize(self, running: Running, rows: int, columns: int) -> str:
        """Change the size of the command's terminal; why it could not be changed, or nothing."""
        question = encode(Resize(rows=rows, columns=columns), running.id)
        return (await self._ask(Kind.RESIZED, running, question)).decode(errors="replace")

    def credit(self, running: Running, taken_bytes: int) -> None:
        """Say that streamed output was taken, so that more may come."""
        self._writer.write(encode(Credit(taken_bytes=taken_bytes), running.id))

    # -- whether the keeper is awake

    def _watch_on(self) -> None:
        due = self._loop.time() + WATCH_S
        self._watch = self._loop.call_at(due, self._look, due)

    def _look(self, due: float) -> None:
        """A keeper that is stopped, or caught in the kernel, says nothing, and never would."""
        self._watch = None
        awaited = self._endings or any(running.is_awaited for running in self._running.values())
        if self._lost or not awaited:
            self._silent_s = 0.0
            return
        late = self._loop.time() - due > LATE_S
        self._silent_s = 0.0 if self._heard or late else self._silent_s + WATCH_S
        self._heard = False
        if self._silent_s >= SILENCE_LIMIT_S:
            self._fail_all(self._replace(f"did not answer for {self._silent_s:.0f} s"))
        else:
            self._writer.write(frame(Kind.PING, 0))
            self._watch_on()

    def _replace(self, why: str) -> PlaceError:
        """Kill a keeper that is of no use; the next command starts another. Returns what to say about it."""
        _log.warning("the keeper process %s and is killed; another one follows", why)
        self._lost = True
        self._process.kill()
        return PlaceError(
            f"The keeper process {why} and was killed, with all commands and sessions that it had.",
            code="keeper_lost",
            hint="The next command starts a new keeper. If this repeats, something stops nacre's processes.",
        )

    # -- the end

    async def close(self) -> None:
        """End the keeper and everything it keeps.

        Returns when all is gone, or after a bounded wait: a keeper that is at it goes on alone, one that
        does not even answer is killed, and its guardian ends the rest.
        """
        self._closing = True
        if self._watch is not None:
            self._watch.cancel()
        self._writer.abandon()
        self._process.close_input()
        try:
            async with asyncio.timeout(GOODBYE_PATIENCE_S):
                await self._gone.wait()
        except TimeoutError:
            self._part()
        else:
            # A guardian that is at it goes on alone.
            await asyncio.to_thread(self._process.wait, GUARDIAN_PATIENCE_S)

    def _part(self) -> None:
        if self._leaving:
            _log.warning("some processes are hard to end; the keeper goes on ending them alone")
        else:
            _log.warning("the keeper did not answer and was killed; its guardian ends what it had started")
            self._process.kill()
        self._reader.close()
        self._process.close_output()

    def _let_go(self) -> None:
        """Let go of what we had started; a guardian that ends the commands of a dead keeper takes a while."""
        if not self._process.has_ended and not self._loop.is_closed():
            self._loop.call_later(LET_GO_S, self._let_go)

    # -- frames

    def _received(self, data: bytes) -> None:
        if self._distrusted:
            return
        self._heard = True
        try:
            for kind, command_id, body in self._decoder.feed(data):
                self._hear(kind, command_id, body)
        except WireError as error:
            self._distrust(f"The keeper sent what is not a frame: {error}.")

    def _hear(self, kind: int, command_id: int, body: bytes) -> None:
        running = self._running.get(command_id)
        try:
            if kind in (Kind.INPUT_TAKEN, Kind.RESIZED):
                self._heard_answer(kind, command_id, body)
            elif running is not None and kind != Kind.PART:
                self._heard_of_command(kind, running, body)
            elif kind in (Kind.LEFT_END, Kind.ENDED):
                self._heard_of_rest(kind, command_id, body)
            elif kind == Kind.PART:
                self._heard_part(decode_part(body))
            else:
                self._heard_of_keeper(kind, body)
        except ValueError as error:
            self._misheard(kind, running, error)

    def _heard_of_command(self, kind: int, running: Running, body: bytes) -> None:
        if kind == Kind.EXIT:
            end = decode_exit(body)
            if end.left_total:
                running.rest = self._add_rest(running.id, 0)
            else:
                self._end_rests(running.id)
            _heard_exit(running, end)
            del self._running[running.id]
        elif kind == Kind.TURN_END:
            if running.turn is not None and not running.turn.done():
                turn_end = decode_turn_end(body)
                if turn_end.left_total:
                    running.turn_rest = self._add_rest(running.id, running.turn_number)
                _heard_turn_end(running.turn, turn_end)
        elif kind in (Kind.LEFT_END, Kind.ENDED):
            self._heard_of_rest(kind, running.id, body)
        else:
            self._heard_meanwhile(kind, running, body)

    def _heard_meanwhile(self, kind: int, running: Running, body: bytes) -> None:
        """Something about a command that runs."""
        if kind == Kind.OUTPUT:
            if running.on_output is not None:
                running.on_output(body[0], body[1:])
        elif kind == Kind.ERROR:
            self._heard_error(running, decode(Error, body))
        elif kind == Kind.CONTROL and running.on_control is not None:
            running.on_control(body)
        elif kind == Kind.NEWS and running.on_news is not None:
            running.on_news(decode(News, body))
        elif kind == Kind.STARTED and running.pid is not None:
            running.pid.set_result(decode(Started, body).pid)

    def _heard_answer(self, kind: int, command_id: int, body: bytes) -> None:
        asked = self._asked.get((kind, command_id), [])
        awaited = asked.pop(0) if asked else None
        if not asked:
            self._asked.pop((kind, command_id), None)
        if awaited is not None and not awaited.done():
            awaited.set_result(body)

    def _heard_part(self, part: Part) -> None:
        answer = self._reads.pop(part.ticket, None)
        if answer is not None and not answer.done():
            answer.set_result(part)

    def _add_rest(self, command_id: int, turn: int) -> Rest:
        rests = self._rests.setdefault(command_id, {})
        rests[turn] = rest = Rest()
        return rest

    def _end_rests(self, command_id: int) -> None:
        """Nothing is left of a command, nor of what its turns had left behind."""
        for rest in self._rests.pop(command_id, {}).values():
            _note_gone(rest)

    def _heard_of_rest(self, kind: int, command_id: int, body: bytes) -> None:
        if kind == Kind.ENDED:
            self._heard_ended(command_id, decode(Ended, body))
        else:
            self._heard_left_end(command_id, decode(LeftEnd, body))

    def _heard_left_end(self, command_id: int, end: LeftEnd) -> None:
        rest = self._rests.get(command_id, {}).get(end.turn)
        if rest is not None and len(rest.ended) < REST_LIMIT:
            rest.ended[end.pid] = end
            if rest.on_change is not None:
                rest.on_change()

    def _heard_ended(self, command_id: int, end: Ended) -> None:
        if end.turn:
            _note_gone(self._rests.get(command_id, {}).pop(end.turn, None))
            return
        if not end.left:
            self._end_rests(command_id)
        if (rest := self._endings.pop(command_id, None)) is not None:
            rest.set_result(tuple((pid, line) for pid, line in end.left))

    def _heard_of_keeper(self, kind: int, body: bytes) -> None:
        if kind == Kind.HELLO:
            self._hello.set_result(decode(Hello, body))
        elif kind == Kind.LEAVING:
            self._lost = self._leaving = True
        elif kind == Kind.UNGUARDED:
            self._guarded = False
            _log.warning("the keeper's guardian is gone: if the keeper is killed, too, processes may be left")
        elif kind == Kind.ERROR and (error := decode(Error, body)).code == "malformed_frame":
            _log.error("the keeper could not read a frame: %s", error.message)

    def _heard_error(self, running: Running, report: Error) -> None:
        if report.code == "turn_failed" and running.turn is not None:
            running.turn.set_exception(
                PlaceError(
                    f"The command could not be given to its shell: {report.message}.",
                    hint=advice(report.errno, own_file=True),
                )
            )
            return
        del self._running[running.id]
        if report.code == "spawn_failed":
            own_file = bool(self.spool_dir) and report.file.startswith(os.path.dirname(self.spool_dir))
            error: Exception = SpawnError(report.message, report.errno, report.file, own_file=own_file)
        elif report.code == "internal_error":
            error = InternalError(
                f"nacre failed in handling this command ({report.message}); all it started was killed.",
                hint="Other commands and sessions go on. The log on stderr has the details.",
            )
        else:
            error = InternalError(f"The keeper refused a frame: {report.message}.")
        _fail(running, error)

    def _misheard(self, kind: int, running: Running | None, error: ValueError) -> None:
        """A frame says what it cannot say: the command that it was about is ended, all others go on."""
        name = Kind(kind).name if kind in list(Kind) else f"kind {kind}"
        if running is None:
            self._distrust(f"The keeper sent a frame that cannot be read: {name}: {error}.")
            return
        self._running.pop(running.id, None)
        self.kill(running, 0)
        _fail(
            running,
            InternalError(
                f"The keeper sent a frame that cannot be read ({name}: {error}); the command is ended.",
                hint="Other commands and sessions go on.",
            ),
        )

    def _distrust(self, why: str) -> None:
        """Nothing that it sends can be trusted: the keeper has to end everything, and another is started."""
        self._lost = self._distrusted = True
        _log.error("%s", why)
        self._fail_all(InternalError(why, hint="The next command starts a new keeper."))
        self._writer.abandon()
        self._process.close_input()

    def _broken(self) -> None:
        """It takes no more frames; what it has sent before comes first, then the end."""
        self._lost = True
        self._loop.call_later(BROKEN_PATIENCE_S, self._ended)

    def _ended(self) -> None:
        if self._gone.is_set():
            return
        self._lost = True
        self._gone.set()
        if not self._closing:
            self._fail_all(_keeper_lost())
        self._writer.abandon()
        self._process.close_input()
        self._process.close_output()
        self._let_go()

    def _fail_all(self, error: Exception) -> None:
        if not self._hello.done():
            self._hello.set_exception(error)
            self._hello.exception()  # nobody may wait for it any more: no warning that nobody looked
        for running in self._running.values():
            _fail(running, error)
        self._running.clear()
        for rest in self._endings.values():
            rest.set_result(())  # nothing survives a keeper
        self._endings.clear()
        for answer in self._reads.values():
            if not answer.done():
                answer.set_exception(error)
                answer.exception()
        self._reads.clear()
        for kind, command_id in list(self._asked):
            while (kind, command_id) in self._asked:
                self._heard_answer(kind, command_id, b"")
        for command_id in list(self._rests):
            self._end_rests(command_id)


def _note_gone(rest: Rest | None) -> None:
    if rest is not None:
        rest.gone = True
        if rest.on_change is not None:
            rest.on_change()


def _heard_turn_end(turn: asyncio.Future[TurnEnd], end: TurnEnd) -> None:
    if end.unread and end.mute:
        turn.set_exception(NotTakenError("The shell could not read the command."))
    elif end.unread:
        turn.set_exception(
            PlaceError(
                "The command was not run: its files in nacre's spool directory were removed before its shell"
                " could read them.",
                code="spool_lost",
                hint="Send it again. If this repeats, something deletes files in the temporary directory.",
            )
        )
    else:
        turn.set_result(end)


def _heard_exit(running: Running, end: Exit) -> None:
    if not running.exit.done():
        running.exit.set_result(end)
    if running.turn is not None and not running.turn.done():
        # The end of a turn that the keeper has got comes before the end of its shell.
        running.turn.set_exception(NotTakenError("The shell ended before it got the command."))


def _keeper_lost() -> PlaceError:
    return PlaceError(
        "The keeper process that ran the command is gone; what it printed is lost.",
        code="keeper_lost",
        hint="The next command starts a new keeper. If this repeats, something kills nacre's processes.",
    )


def _fail(running: Running, error: Exception) -> None:
    for future in (running.exit, running.turn, running.pid):
        if future is not None and not future.done():
            future.set_exception(error)
            future.exception()  # of a shell that nobody waits for: no warning that nobody looked
