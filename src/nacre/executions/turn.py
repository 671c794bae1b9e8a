"""A turn: one command of a session, from the moment it is next to the record of its end.

An execution. Above it: `service`. Below: `sessions` and `session`, whose shell it uses.

A command that runs too long, or was cancelled, is ended by a ladder that loses as little as possible:

    1 interrupt what it runs            the shell and its state are kept
    2 kill what it has started           the shell and its state are kept
    3 kill the shell with everything     the next command gets a new shell

A cancelled command has no result that could list what it left behind, so everything it started is killed,
also in the background. What earlier commands left there is spared as long as the shell lives.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

from nacre.dialects import TurnRequest, is_identifier
from nacre.eager import EagerFuture
from nacre.errors import NacreError, RequestError
from nacre.executions.execution import FOLLOW_MS, NEWS_MS, DetachedError, explain, no_input
from nacre.executions.results import refused_execs, result_of, result_so_far
from nacre.executions.shell_process import CRIPPLED, MUTE, UNFIT
from nacre.executions.validation import check_command
from nacre.keeper import records
from nacre.keeper.frames import NOTHING, TurnStart
from nacre.keeper.running import NotTakenError, SpawnError
from nacre.model import Ended, ShellState, located
from nacre.output import keeping

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.dialects import Ending
    from nacre.executions.session import Session
    from nacre.executions.sessions import Sessions
    from nacre.executions.shell_process import ShellProcess
    from nacre.gate import Admission, Ask, Gate
    from nacre.keeper.frames import Exit, News, Part, Stream, TurnEnd
    from nacre.keeper.running import Rest
    from nacre.model import Command, Result

KILL_PATIENCE_S = 1.0  # for a shell to return after the process it waited for was killed


class Turn:
    """One command of a session."""

    __slots__ = (
        "_approved",
        "_began",
        "_brought_back",
        "_directory_before",
        "_end",
        "_ending",
        "_first_directory",
        "_has_shell",
        "_is_judged",
        "_is_next",
        "_killed",
        "_ladder",
        "_named_directory",
        "_on_output",
        "_process",
        "_request",
        "_rest",
        "_rewrite",
        "_session",
        "_sessions",
        "_state",
        "_waiter",
        "_withheld",
        "asked",
    )

    def __init__(
        self,
        command: Command,
        sessions: Sessions,
        first_directory: str,
        rewrite: Callable[[Command], Command] = lambda command: command,
        on_output: Callable[[int, bytes], None] | None = None,
    ) -> None:
        """A new session starts in `first_directory`.

        `rewrite` makes of an admitted command the one that is run.
        """
        self.asked = command
        self._named_directory = command.working_directory  # empty: the session's current one
        self._sessions = sessions
        self._first_directory = first_directory
        self._rewrite = rewrite
        self._on_output = on_output
        self._session: Session
        self._process: ShellProcess
        self._state: ShellState
        self._request: TurnRequest
        self._end: asyncio.Future[TurnEnd]
        self._rest: Rest | None = None
        self._ending: Ending | None = None  # the shell's report of its end
        self._waiter: EagerFuture[None]
        self._began = 0.0
        self._killed: Ended | None = None  # at the caller's request, or the person's
        self._approved = False  # whether a person has approved it
        self._withheld: frozenset[str] = frozenset()  # secrets that it would get without a session
        self._directory_before = ""
        self._is_next = False
        self._is_judged = False  # whether rules decided about it
        self._has_shell = False
        self._ladder: asyncio.Task[None] | None = None
        self._brought_back = ""  # what the ladder had to do

    # -- before it runs

    def validate(self) -> None:
        """Raise RequestError for what no session can run, and when there are too many sessions."""
        command = self.asked
        check_command(command, self._sessions.place)
        for name in command.environment:
            if not is_identifier(name):
                raise RequestError(
                    f"environment: a shell cannot have a variable named {name!r}.",
                    hint="In a session, names are letters, digits and underscores.",
                )
        self._session = self._sessions.open(command.session or "", self._first_directory)
        if self._session.dialect.prompt:
            self._check_text()

    def _check_text(self) -> None:
        """Raise RequestError for a text that cannot be said in a conversation; other shells take all."""
        command, directory = self.asked, self._named_directory or None
        text = command.run_text or command.text
        self._session.dialect.check(
            TurnRequest(text, "", "", 0, directory, command.environment, command.stdin)
        )

    async def prepare(self) -> None:
        """Wait until it is the session's next command, and find out its directory."""
        session = self._session
        if session.busy or not session.queue.take():
            await self._reach_front(session)
        self._is_next = True
        if session.closed:
            session.check_open()
        if not self._named_directory:
            self.asked = located(self.asked, session.next_directory)

    async def _reach_front(self, session: Session) -> None:
        """Wait for the commands before it, but no longer than its caller waits for a reply."""
        if not self.asked.wait:
            raise RequestError(
                f"Session '{session.name}' is busy with another command.",
                code="busy",
                hint="Wait for it, use another session, or let the call wait its turn (wait: true).",
            )
        try:
            async with asyncio.timeout(self.asked.answer_within_s or None):
                await session.queue.acquire()
        except TimeoutError:
            raise RequestError(
                f"Session '{session.name}' is still busy with: {session.running or 'another command'}.",
                code="busy",
                hint="Nothing was run. Wait for its job, end it, or use another session.",
            ) from None

    async def admit(self, gate: Gate, ask: Ask | None) -> Admission:
        """Return if the rules and the person allow it; raise Refused if not."""
        admission = await gate.admit(self.asked, ask)
        self._is_judged = not gate.policy.empty
        self._approved, self._withheld = admission.approved, admission.secrets
        self.asked = self._rewrite(self.asked)
        if self._session.dialect.prompt:
            self._check_text()
        return admission

    # -- running

    async def start(self) -> None:
        """Pass it to the session's shell."""
        if not self._session.take_free_shell():
            await self._session.take_shell()
        self._has_shell = True
        if self._session.closed:
            self._session.check_open()
        await self._begin()

    async def _begin(self) -> None:
        session, command = self._session, self.asked
        # The directory it was admitted for, even if the session has been restarted since.
        elsewhere = self._named_directory or command.working_directory != session.directory
        # A shell stays in a directory that is moved, and what it was judged for is then another place.
        elsewhere = elsewhere or (self._is_judged and session.has_moved)
        directory = command.working_directory if elsewhere else ""
        self._directory_before = session.directory
        self._ladder = None
        process, self._state = session.living_shell, ShellState.KEPT
        if process is None:
            process, self._state = await session.new_shell(command.working_directory), ShellState.NEW
        elif elsewhere:
            session.check_directory(directory)
        if session.loss:
            self._state = ShellState.REBORN
        self._process = process
        self._request = process.request(command, directory)
        process.running.on_output = self._on_output
        if session.place.execs is not None:
            session.place.execs.rules.approve(process.running.id, approved=self._approved)
        self._waiter = EagerFuture()
        self._end = process.link.turn(process.running, self._frame())
        self._end.add_done_callback(self._note_end)
        session.note_start(command.text)
        self._began = time.monotonic()
        if command.timeout_s:
            session.deadline.set(command.timeout_s, self._start_ladder)

    def _note_end(self, end: asyncio.Future[TurnEnd]) -> None:
        """Learn what the end tells of the shell, whether a caller still waits or not; then wake that one."""
        self._ending = self._session.note(self._process, end)
        if not self._killed:  # otherwise everything it left is being killed, too
            self._rest = self._process.running.turn_rest
        self._waiter.resume(end)

    def _frame(self) -> TurnStart:
        request, dialect, config = self._request, self._session.dialect, self._session.config
        feed, files = dialect.feed(request)
        self._process.turns = request.turn
        start = TurnStart(
            turn=request.turn,
            marker=request.marker,
            feed=feed,
            report="" if dialect.prompt else dialect.report(request),
            pair=request.pair,
            spool_bytes=config.max_output_bytes,
            **keeping(self.asked.output_limit_bytes, config.reply_limit_bytes),
        )
        if config.audit_log is not None:
            start.hashed = True
        if files:
            start.files = files
        if request.stdin is not None and not dialect.prompt:
            start.stdin = request.stdin
        if self._on_output is not None:
            start.follow_ms = FOLLOW_MS
        return start

    async def wait(self) -> Result:
        """Wait for the end and return the result. Cancelling interrupts it; the shell is kept if possible."""
        try:
            try:
                return await self._outcome()
            except NotTakenError:  # the shell had just died, or is unfit; nothing was run
                if self._process.alive and not self._process.link.lost:
                    await self._process.end_for(UNFIT)
                await self._begin()
                return await self._outcome()
        except NacreError as error:
            # The future holds the error, whose traceback holds this frame: a reference cycle
            del self._end
            if isinstance(error, SpawnError):
                raise explain(error, self.asked.working_directory, self._session.place.files) from None
            raise

    async def _outcome(self) -> Result:
        if self._waiter.done():  # it was detached before
            self._waiter = EagerFuture()
        try:
            if not self._end.done():
                await self._waiter
            end = self._end.result()
        except DetachedError:
            return await self.so_far()
        except asyncio.CancelledError:
            self._start_ladder()
            self._abandon()
            self._session.deadline.clear()
            raise
        if self._ending is not None:
            if end.mute:
                last = await self._process.end_for(CRIPPLED)
                self._rest = self._process.running.rest
                end = records.replace(end, left=last.left, left_total=last.left_total)
            return self._ended(end, self._ending)
        unsure = end.mute or end.record is not None  # a record that the shell cannot have written correctly
        last = await (self._process.end_for(MUTE) if unsure else self._process.wait_for_exit())
        if self._ladder is not None:  # all it started is being ended: wait for that
            await asyncio.shield(self._ladder)
            last = records.replace(last, left=(), left_total=0)
        return self._died(end, last)

    # -- while it runs

    @property
    def number(self) -> str:
        """The number under which its output is kept."""
        return f"{self._process.running.id}.{self._request.turn}"

    @property
    def begun(self) -> bool:
        """Whether its shell was given it."""
        return hasattr(self, "_end")

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._end.done()

    @property
    def rest(self) -> Rest | None:
        """The processes left behind, once it has ended; if its shell ended, also by earlier commands."""
        return self._rest

    @property
    def has_moved(self) -> bool:
        """Whether its shell's directory has another name since it was last seen there."""
        return self._session.has_moved

    def detach(self) -> None:
        """Make `wait` return at once; the command continues."""
        if not self._waiter.done():
            self._waiter.set_exception(DetachedError())

    async def so_far(self) -> Result:
        """The result with its output up to now."""
        session = self._session
        encoding = session.dialect.output_encoding
        return await result_so_far(self, self._began, session.config, session.place.outputs, encoding)

    async def read(self, stream: int, offset: int, limit_bytes: int) -> Part:
        """A part of its output up to now."""
        process = self._process
        return await process.link.read(process.running, stream, offset, limit_bytes, self._request.turn)

    def watch(self, on_news: Callable[[News], None] | None) -> None:
        """Call back whenever there is more output; None ends that."""
        process = self._process
        process.running.on_news = on_news
        process.link.watch(process.running, NEWS_MS if on_news is not None else 0, self._request.turn)

    async def resize(self, rows: int, columns: int) -> None:
        """It has no terminal."""

    def feed(self, data: bytes) -> None:  # noqa: ARG002  # it takes none
        """Refuse: a command of a session reads what it was given at its start."""
        raise no_input()

    async def feed_hidden(self, data: bytes) -> bool:  # noqa: ARG002  # it takes none
        """It has no terminal."""
        return False

    def signal(self, name: str) -> None:
        """Signal what the command has started."""
        self._process.signal(name, "turn")

    async def end_rest(self) -> None:
        """End the processes it left behind, but not its shell and what other commands left."""
        process = self._process
        if self._rest is process.running.rest:
            await process.end_rest()
        else:
            process.link.signal(process.running, "KILL", "left", self._request.turn)

    def kill(self, *, by_person: bool = False) -> None:
        """End it with all it has started; the shell lives on if it can."""
        self._killed = Ended.STOPPED if by_person else Ended.CANCELLED
        self._start_ladder()
        self._abandon()

    def close(self) -> None:
        """Let the next command run; after a cancelled one, as soon as that has really ended."""
        if self._ladder is None or self._ladder.done():
            self._let_go()
        else:
            self._ladder.add_done_callback(lambda _: self._let_go())

    def _let_go(self) -> None:
        if self._has_shell:
            self._session.release_shell()
        if self._is_next:
            self._session.queue.release()

    # -- the ladder

    def _start_ladder(self) -> None:
        if (self._ladder is None or self._ladder.done()) and not self._end.done():
            self._ladder = asyncio.create_task(self._bring_back())

    def _abandon(self) -> None:
        """Kill what the command leaves behind as soon as it ends: no result will list it."""
        process = self._process
        self._end.add_done_callback(lambda _: process.alive and process.signal("KILL", "left"))
        self._end.add_done_callback(self._keep_output)

    def _keep_output(self, end: asyncio.Future[TurnEnd]) -> None:
        """Keep its output readable."""
        if not end.cancelled() and end.exception() is None:
            done = end.result()
            self._session.place.outputs.keep(self.number, done.stdout, done.stderr)

    async def _bring_back(self) -> None:
        """End the running command, losing as little of the shell as possible."""
        process, grace_s = self._process, self._session.config.kill_grace_s
        interrupts = process.dialect.interrupts
        if not interrupts:  # it would continue with the rest of the command if its child were ended
            process.link.kill(process.running, round(grace_s * 1000))
            await _settled(self._end, None)
        elif not await self._interrupt(interrupts, grace_s) and not await self._kill_children():
            process.link.kill(process.running, 0)
            await _settled(self._end, None)
        if not self._end.exception() and self._end.result().record is None:
            await self._end_rest()

    async def _interrupt(self, signals: tuple[str, ...], patience_s: float) -> bool:
        """Interrupt the shell and what it runs; whether it then reports the end of the command."""
        self._brought_back = "interrupted"
        self._process.signal(signals[-1], "shell", signals[:-1])
        return await self._reported(patience_s)

    async def _kill_children(self) -> bool:
        """Kill what the command has started; whether the shell then reports its end."""
        self._brought_back = "killed"
        self._process.signal("KILL", "turn")
        return await self._reported(KILL_PATIENCE_S)

    async def _reported(self, patience_s: float) -> bool:
        """Whether the shell reports the end of the command, for which it is asked once more."""
        report = self._process.dialect.report(self._request).encode()
        if report:  # some shells discard buffered input when they are interrupted
            self._process.link.feed(self._process.running, report)
        return await _settled(self._end, patience_s)

    async def _end_rest(self) -> None:
        """The shell did not survive the interrupt: end what it had started, too."""
        with contextlib.suppress(NacreError):
            if (await self._process.wait_for_exit()).left_total:
                await self._process.end_rest()

    # -- results

    def _ended(self, end: TurnEnd, ending: Ending) -> Result:
        brought_back = self._ladder is not None
        if brought_back:
            remark = f"The command was {self._brought_back}; the shell and its state are kept."
        else:
            remark = self._session.dialect.remark(self._request, printed=end.stdout.total_bytes > 0)
        lost = end.mute or bool(self._process.ended_because)  # a close kills the command before its shell
        if lost:
            remark = self._shell_end_remark()
        return self._result(
            end,
            ended=self._why_brought_back if brought_back else Ended.EXITED,
            exit_code=None if brought_back else ending.code,
            signal=None,
            shell_state=ShellState.LOST if lost else self._state,
            remark=remark,
        )

    def _died(self, end: TurnEnd, last: Exit) -> Result:
        self._rest = self._process.running.rest
        return self._result(
            records.replace(end, left=last.left, left_total=last.left_total),
            ended=Ended.SHELL_DIED if self._ladder is None else self._why_brought_back,
            exit_code=last.code,
            signal=last.signal,
            shell_state=ShellState.LOST,
            remark=self._shell_end_remark(),
        )

    @property
    def _why_brought_back(self) -> Ended:
        return self._killed or Ended.TIMED_OUT

    def _shell_end_remark(self) -> str:
        session = self._session
        if session.closed:
            return f"The session {session.closed}, and its shell was ended with all it had started."
        loss = self._process.how_it_ended()
        return f"The shell {loss}. The next command gets a new one, in {session.directory}."

    def _result(self, end: TurnEnd, *, remark: str, exit_code: int | None, **more: Any) -> Result:
        session = self._session
        hints = refused_execs(session.place, self._process.running.id)
        if self._withheld and exit_code:
            hints += self._lacks()
        return result_of(
            self.asked,
            end,
            config=session.config,
            outputs=session.place.outputs,
            number=self.number,
            encoding=session.dialect.output_encoding,
            streams=self._clean_streams(end),
            working_directory=session.directory,
            session=session.name,
            directory_changed=session.directory != self._directory_before,
            exit_code=exit_code,
            hints=hints,
            note=f"{session.report_loss()} {remark}".strip() if session.loss else remark,
            **more,
        )

    def _lacks(self) -> tuple[str, ...]:
        """A hint for a failed command that lacked secrets."""
        names = ", ".join(sorted(self._withheld))
        return (f"It had no {names}: secrets are given to commands without a session only.",)

    def _clean_streams(self, end: TurnEnd) -> tuple[Stream, Stream]:
        """The streams without what belongs to the conversation with the shell; most shells add nothing."""
        process = self._process
        if not process.dialect.adds_output and process.alive and not process.ended_because:
            return end.stdout, end.stderr
        return self._clean(1, end.stdout), self._clean(2, end.stderr)

    def _clean(self, number: int, stream: Stream) -> Stream:
        """One of them."""
        if stream is NOTHING:
            return stream
        clean = self._process.clean
        head = clean(self._request, number, stream.head)
        tail = clean(self._request, number, stream.tail) if stream.tail else b""
        gone_bytes = len(stream.head) + len(stream.tail) - len(head) - len(tail)
        if not gone_bytes:
            return stream
        gone_lines = (stream.head + stream.tail).count(b"\n") - (head + tail).count(b"\n")
        return records.replace(
            stream,
            head=head,
            tail=tail,
            total_bytes=stream.total_bytes - gone_bytes,
            line_ends=stream.line_ends - gone_lines,
        )


async def _settled(future: asyncio.Future[Any], patience_s: float | None) -> bool:
    """Whether a future is done within a time, in whatever way."""
    done, _ = await asyncio.wait({future}, timeout=patience_s)
    return bool(done)
