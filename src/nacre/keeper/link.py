"""nacre's side of a keeper: run commands through it, and learn how they end.

Above it: the executions and the places. Below: `codec`, `frames` and the pipes. It knows frames and command
ids, nothing of shells, policies or replies.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
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
from nacre.keeper.running import Rest, Running, SpawnError, end_turn
from nacre.keeper.wire import VERSION, Decoder, Kind, WireError, frame
from nacre.pipes import PipeReader, PipeWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.keeper.launch import Launched

HELLO_PATIENCE_S = 10.0
HELLO_ROUNDS = 3  # how often a keeper may be late before it is replaced
WATCH_S = 5.0  # how often a keeper that a caller waits for is checked for signs of life
SILENCE_LIMIT_S = 20.0  # a keeper that does not answer a PING in this time is replaced
LATE_S = 1.0  # a check that is this late does not count: we were held up ourselves
GOODBYE_PATIENCE_S = 0.8  # the keeper kills commands after 0.3 s; clients wait 2 s for us
GUARDIAN_PATIENCE_S = 0.2  # the guardian ends right after its keeper, unless that has died
LET_GO_S = 1.0  # how often we check whether the started process has ended
BROKEN_PATIENCE_S = 1.0  # how long to read from a keeper that takes no more frames

_log = logging.getLogger("nacre")


class Link:
    """One keeper and the commands that run through it."""

    def __init__(self, launched: Launched, before: Link | None = None) -> None:
        self._process = KeeperProcess(launched)
        # A keeper that replaces a killed one must not reuse its file names: the numbers continue.
        self.ids: itertools.count[int] = before.ids if before is not None else itertools.count(1)
        self._follows = before is not None
        self._running: dict[int, Running] = {}
        self._endings: dict[int, asyncio.Future[Left]] = {}
        self._rests: dict[int, dict[int, Rest]] = {}  # by command, and by turn of a shell (else 0)
        self._reads: dict[int, asyncio.Future[Part]] = {}
        self._tickets = itertools.count(1)
        # Requests to the keeper, by the kind of the answer and by command, in order.
        self._asked: dict[tuple[int, int], list[asyncio.Future[bytes]]] = {}
        self._last: Spawn | None = None
        self._decoder = Decoder()
        self._loop = asyncio.get_running_loop()
        self._hello: asyncio.Future[Hello] = self._loop.create_future()
        self._lost = False
        self._closing = False
        self._distrusted = False  # it has sent invalid frames
        self._leaving = False  # it has announced that it ends everything
        self._guarded = True
        self._late = 0  # how often its hello did not come in time
        self._heard = False  # whether it has sent anything since the last check
        self._silent_s = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self._gone = asyncio.Event()
        self._reader = PipeReader(launched.reading, self._received, self._ended)
        self._writer = PipeWriter(launched.writing, self._broken)
        self.cookie = ""
        self.spool_dir = ""
        self.on_spawn: Callable[[int, Spawn], None] | None = None  # called with everything that is started

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
        """Wait for the keeper's hello, and send it what all commands share."""
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
        """Send the keeper the environment of all later commands, the spool directory and its limits."""
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
        """Start a command; its `exit` future has the end."""
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
        """The frame for a command; only the arguments, if nothing else differs from the previous one."""
        if (
            self._last is not None
            and vars(spawn) == {**vars(self._last), "argv": spawn.argv}
            and (again := encode_again(spawn.argv, command_id))
        ):
            return again
        # A spawn for which the keeper has to find or write a file is no template for the next one.
        self._last = spawn if spawn.program and spawn.script is None else None
        return encode(spawn, command_id)

    def turn(self, running: Running, start: TurnStart) -> asyncio.Future[TurnEnd]:
        """Run a command in a persistent shell; the future has its end."""
        if self._lost:
            raise _keeper_lost()
        turn: EagerFuture[TurnEnd] = EagerFuture()
        running.turn, running.turn_number, running.turn_rest = turn, start.turn, None
        if self._watch is None:
            self._watch_on()
        self._writer.write(encode_turn_start(start, running.id))
        return turn

    def feed(self, running: Running, data: bytes) -> None:
        """Write to the command's stdin; no bytes close it."""
        self._writer.write(frame(Kind.INPUT, running.id, data))

    async def feed_hidden(self, running: Running, data: bytes) -> bool:
        """Type into a terminal if it does not echo; whether it does not. No bytes: only ask."""
        return await self._ask(Kind.INPUT_TAKEN, running, frame(Kind.HIDDEN_INPUT, running.id, data)) == b"1"

    async def _ask(self, answer: Kind, running: Running, question: bytes) -> bytes:
        """Send a frame that is answered by another; requests of a kind are answered in order."""
        if self._lost:
            raise _keeper_lost()
        awaited: asyncio.Future[bytes] = self._loop.create_future()
        self._asked.setdefault((answer, running.id), []).append(awaited)
        self._writer.write(question)
        return await awaited

    def signal(
        self, running: Running, name: str, scope: str = "group", turn: int = 0, before: Sequence[str] = ()
    ) -> None:
        """Send a signal to the command's process group, or to its whole tree."""
        asked = Signal(signal=name, scope=scope)
        if turn:
            asked.turn = turn
        if before:
            asked.before = [*before]
        self._writer.write(encode(asked, running.id))

    def kill(self, running: Running, grace_ms: int, *, hang_up: bool = False) -> None:
        """TERM, grace, KILL for everything the command started; its exit is reported when all is gone.

        An interactive shell ignores TERM: it gets a HUP.
        """
        self._writer.write(encode(Kill(grace_ms=grace_ms, hang_up=hang_up), running.id))

    async def end_rest(self, running: Running) -> Left:
        """Kill what an ended command has left behind; returns processes that could not be killed."""
        if self._lost:
            return ()
        if running.id not in self._endings:
            self._endings[running.id] = self._loop.create_future()
        if self._watch is None:
            self._watch_on()
        self.kill(running, 0)
        return await asyncio.shield(self._endings[running.id])

    async def read(self, running: Running, stream: int, offset: int, limit_bytes: int, turn: int = 0) -> Part:
        """A part of the output of a command, or of a turn of a shell; also if it has just ended."""
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
        """Call `on_news` when there is more output of a command or turn, at most this often; 0: stop.

        It is also called when the command begins or ceases to wait for input.
        """
        asked = Watch(every_ms=every_ms, input=True)
        if turn:
            asked.turn = turn
        self._writer.write(encode(asked, running.id))

    async def resize(self, running: Running, rows: int, columns: int) -> str:
        """Resize the command's terminal; returns why that failed, or nothing."""
        question = encode(Resize(rows=rows, columns=columns), running.id)
        return (await self._ask(Kind.RESIZED, running, question)).decode(errors="replace")

    def credit(self, running: Running, taken_bytes: int) -> None:
        """Report that streamed output was consumed, so that more may come."""
        self._writer.write(encode(Credit(taken_bytes=taken_bytes), running.id))

    # -- whether the keeper is awake

    def _watch_on(self) -> None:
        due = self._loop.time() + WATCH_S
        self._watch = self._loop.call_at(due, self._look, due)

    def _look(self, due: float) -> None:
        """Check for signs of life: a keeper that is stopped, or stuck in the kernel, sends nothing."""
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
        """Kill an unusable keeper; the next command starts another. Returns the error to raise."""
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
        """End the keeper and everything it runs.

        Returns when all is gone, or after a bounded wait: a keeper that is still ending processes continues
        alone, one that does not answer is killed, and its guardian ends the rest.
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
            # A guardian that is still ending processes continues alone.
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
        """Reap the started process; a guardian that ends the commands of a dead keeper takes a while."""
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
            if running is not None and kind == Kind.TURN_END:
                self._heard_turn_end(running, body)
            elif running is not None and kind == Kind.EXIT:
                self._heard_exit(running, body)
            elif kind in (Kind.INPUT_TAKEN, Kind.RESIZED):
                self._heard_answer(kind, command_id, body)
            elif kind == Kind.PART:
                self._heard_part(decode_part(body))
            elif kind in (Kind.LEFT_END, Kind.ENDED):
                self._heard_of_rest(kind, command_id, body)
            elif running is not None:
                self._heard_meanwhile(kind, running, body)
            else:
                self._heard_of_keeper(kind, body)
        except ValueError as error:
            self._misheard(kind, running, error)

    def _heard_exit(self, running: Running, body: bytes) -> None:
        end = decode_exit(body)
        if end.left_total:
            running.rest = self._add_rest(running.id, 0)
        elif running.id in self._rests:
            self._end_rests(running.id)
        running.end(end)
        del self._running[running.id]

    def _heard_turn_end(self, running: Running, body: bytes) -> None:
        if running.turn is not None and not running.turn.done():
            end = decode_turn_end(body)
            if end.left_total:
                running.turn_rest = self._add_rest(running.id, running.turn_number)
            end_turn(running.turn, end)

    def _heard_meanwhile(self, kind: int, running: Running, body: bytes) -> None:
        """Handle a frame about a running command."""
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
        """Note that nothing is left of a command and its turns."""
        for rest in self._rests.pop(command_id, {}).values():
            rest.note_gone()

    def _heard_of_rest(self, kind: int, command_id: int, body: bytes) -> None:
        if kind == Kind.ENDED:
            self._heard_ended(command_id, decode(Ended, body))
        else:
            self._heard_left_end(command_id, decode(LeftEnd, body))

    def _heard_left_end(self, command_id: int, end: LeftEnd) -> None:
        rest = self._rests.get(command_id, {}).get(end.turn)
        if rest is not None:
            rest.note_end(end)

    def _heard_ended(self, command_id: int, end: Ended) -> None:
        if end.turn:
            if (gone := self._rests.get(command_id, {}).pop(end.turn, None)) is not None:
                gone.note_gone()
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
        running.fail(error)

    def _misheard(self, kind: int, running: Running | None, error: ValueError) -> None:
        """Handle an invalid frame: its command is ended, all others continue."""
        name = Kind(kind).name if kind in list(Kind) else f"kind {kind}"
        if running is None:
            self._distrust(f"The keeper sent a frame that cannot be read: {name}: {error}.")
            return
        self._running.pop(running.id, None)
        self.kill(running, 0)
        running.fail(
            InternalError(
                f"The keeper sent a frame that cannot be read ({name}: {error}); the command is ended.",
                hint="Other commands and sessions go on.",
            ),
        )

    def _distrust(self, why: str) -> None:
        """Give up a keeper that sends garbage: it has to end everything, and another is started."""
        self._lost = self._distrusted = True
        _log.error("%s", why)
        self._fail_all(InternalError(why, hint="The next command starts a new keeper."))
        self._writer.abandon()
        self._process.close_input()

    def _broken(self) -> None:
        """Handle a keeper that takes no more frames: read what it has sent, then treat it as lost."""
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
            self._hello.exception()  # retrieved, so that asyncio does not warn if nothing awaits it
        for running in self._running.values():
            running.fail(error)
        self._running.clear()
        for rest in self._endings.values():
            rest.set_result(())  # nothing survives the keeper
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


def _keeper_lost() -> PlaceError:
    return PlaceError(
        "The keeper process that ran the command is gone; what it printed is lost.",
        code="keeper_lost",
        hint="The next command starts a new keeper. If this repeats, something kills nacre's processes.",
    )
