"""A session: one shell that lives from command to command; directory, variables, options live on.

Above it: `sessions`, which knows sessions by name. Below: a shell's dialect, a link to a keeper, `output`.

Commands of one session run one after the other. A command that runs too long, or that nobody waits for any
more, is brought to its end by a ladder that loses as little as possible:

    1 interrupt what it runs            the shell and its state live on
    2 kill what it has started           the shell and its state live on
    3 kill the shell with everything     the next command gets a new shell

Who cancels a command hears nothing more of it: so all it has started is killed, also in the background.
What earlier commands have left there is spared while the shell lives.

A shell that died by itself gives its command a result (`shell_died`), and the next command a new shell in
the last known directory.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nacre.dialects import Ask, is_identifier
from nacre.errors import NacreError, RequestError
from nacre.keeper import records
from nacre.keeper.frames import Spawn, TurnStart
from nacre.keeper.link import NotTakenError, SpawnError
from nacre.model import Ended, LeftProcess, Result, ShellState
from nacre.once import FOLLOW_MS, explain
from nacre.output import LOSSY, kept_bytes, render

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.config import Config
    from nacre.dialects import Ending, Persistent
    from nacre.filesystem import FileSystem
    from nacre.keeper.frames import Exit, Left, Stream, TurnEnd
    from nacre.keeper.link import Link, Running
    from nacre.model import Command
    from nacre.places.place import Place

_CHANGED = "something that it does this with was changed (a builtin, an option, a trap, a descriptor)"
_MUTE = (
    "was ended with all it had started, because it could not tell any more how a command ended: " + _CHANGED
)
_UNFIT = "was ended with all it had started, because it could not take a command any more: " + _CHANGED
_CRIPPLED = (
    "was ended with all it had started, because the command had closed descriptors that it needs to be given "
    "the next one"
)
KILL_PATIENCE_S = 1.0  # what a shell gets to come back after what it waited for was killed


class LivingShell:
    """One shell process and what is known of it."""

    def __init__(self, link: Link, running: Running, directory: str, prompt: str) -> None:
        self.link = link
        self.running = running
        self.prompt = prompt.encode()
        self.base = f"{link.spool_dir}/{running.id}"
        self.first_directory = directory
        self.turns = 0
        self.pair = 0
        self.last_code = 0
        self.replaced = ""  # the program that has taken its place
        self.ended_because = ""  # of us: it was not its own doing

    @property
    def exit(self) -> Exit | None:
        """How it ended; None while it lives, and when its keeper was lost with it."""
        told = self.running.exit
        return told.result() if told.done() and not told.cancelled() and not told.exception() else None

    @property
    def alive(self) -> bool:
        """Whether it can take a command."""
        return not self.running.exit.done()


@dataclass(slots=True)  # not frozen: one is made for every command
class Turn:
    """A command that has got its turn."""

    command: Command
    shell: LivingShell
    state: ShellState
    ask: Ask
    directory_before: str  # where the session stood


class Session:
    """A name, a directory, and a shell that is started when it is needed."""

    def __init__(
        self,
        name: str,
        place: Place,
        config: Config,
        directory: str,
    ) -> None:
        self.name = name
        self.shell = place.shell
        self.directory = self._first_directory = directory  # the last one known, and where it began
        self.commands = 0
        self.running: str | None = None  # the command that runs now
        self.used = time.monotonic()
        self._config = config
        self._place = place
        self._dialect: Persistent = place.shell.persistent()
        self._living: LivingShell | None = None
        self._former: list[LivingShell] = []  # dead shells that have left processes behind
        self._lock = asyncio.Lock()
        self._restarts = 0  # how many restarts are under way: they go before the commands that wait
        self._restarted = asyncio.Event()
        self._ladder: asyncio.Task[None] | None = None
        self._brought_back = ""  # what the ladder had to do
        self._loss = ""  # why the shell before this one is gone, until a command has been told
        self._closed = ""  # why the session itself is gone: it never gets a shell again

    def succeed(self, directory: str, loss: str) -> None:
        """Be the next one of a session that was closed without its user's knowledge, and say so."""
        self.directory, self._loss = directory, loss

    @property
    def busy(self) -> bool:
        """Whether a command runs, or waits for its turn."""
        return self._lock.locked()

    @property
    def state(self) -> str:
        """idle, busy, or dead: the next command starts a shell."""
        if self.busy:
            return "busy"
        return "idle" if self._living is not None and self._living.alive else "dead"

    def summary(self) -> dict[str, Any]:
        """What a caller is told who asks for all sessions."""
        return {
            "name": self.name,
            "state": self.state,
            "shell": self.shell.name,
            "directory": self.directory,
            "commands": self.commands,
            "idle_seconds": 0 if self.busy else round(time.monotonic() - self.used),
            "running": self.running,
        }

    # -- commands

    async def run(
        self,
        command: Command,
        on_output: Callable[[int, bytes], None] | None = None,
        admit: Callable[[Command], Awaitable[Command]] | None = None,
    ) -> Result:
        """Run a command in the shell. Cancelling interrupts it; the shell lives on if it can.

        `admit` is asked when the command's turn has come, with the directory it will run in; it may write the
        command in another way.
        """
        if not command.wait and self.busy:
            raise RequestError(
                f"Session '{self.name}' is busy with another command.",
                code="busy",
                hint="Wait for it, use another session, or let the call wait its turn (wait: true).",
            )
        _check(command)
        await self._acquire()
        try:
            self._check_open()
            if admit is not None:
                where = command.working_directory or self._existing_directory()
                admitted = await admit(replace(command, working_directory=where))
                command = replace(command, run_text=admitted.run_text)
                self._check_open()
            self._dialect.check(_ask(command))
            try:
                return await self._take_turn(await self._turn_for(command), on_output)
            except NotTakenError:  # the shell had just died, unknown to us, or is unfit; nothing was run
                await self._end_unfit()
                return await self._take_turn(await self._turn_for(command), on_output)
        except SpawnError as error:
            raise explain(error, command.working_directory or self.directory, self._place.files) from None
        finally:
            if self._ladder is None or self._ladder.done():
                self._lock.release()
            else:  # cancelled: the session stays busy until the command is really over
                self._ladder.add_done_callback(lambda _: self._lock.release())

    async def _acquire(self) -> None:
        """Wait for the turn of a command; a restart comes first."""
        await self._lock.acquire()
        while self._restarts:
            self._lock.release()
            await self._restarted.wait()
            await self._lock.acquire()

    async def _take_turn(self, turn: Turn, on_output: Callable[[int, bytes], None] | None) -> Result:
        shell, command = turn.shell, turn.command
        shell.running.on_output = on_output
        end = shell.link.turn(shell.running, self._frame(turn, follow=on_output is not None))
        end.add_done_callback(lambda end: self._note(shell, end))
        self._ladder = None
        self.running = command.text
        self.commands += 1
        timer = asyncio.get_running_loop().call_later(command.timeout_s, self._start_ladder, turn, end)
        try:
            told = await asyncio.shield(end)
        except asyncio.CancelledError:
            self._start_ladder(turn, end)
            self._abandon(turn, end)
            raise
        finally:
            timer.cancel()
            self.running = None
            self.used = time.monotonic()
        ending = self._dialect.read(told.record) if told.record is not None else None
        if ending is None:
            unsure = told.mute or told.record is not None  # a record that it cannot have told rightly
            last = await (self._end_for(shell, _MUTE) if unsure else self._last_words(shell))
            if self._ladder is not None:  # it was to be ended with all it started: wait for that
                await asyncio.shield(self._ladder)
                last = records.replace(last, left=(), left_total=0)
            return self._died(turn, told, last)
        if told.mute:
            last = await self._end_for(shell, _CRIPPLED)
            told = records.replace(told, left=last.left, left_total=last.left_total)
        return self._ended(turn, told, ending)

    def _frame(self, turn: Turn, *, follow: bool) -> TurnStart:
        ask = turn.ask
        feed, files = self._dialect.feed(ask)
        turn.shell.turns = ask.turn
        start = TurnStart(
            turn=ask.turn,
            marker=ask.marker,
            feed=feed,
            report="" if self._dialect.prompt else self._dialect.report(ask),
            pair=ask.pair,
            keep_bytes=kept_bytes(turn.command.output_limit_bytes, self._config.reply_limit_bytes),
            spool_bytes=self._config.max_output_bytes,
        )
        if files:
            start.files = files
        if ask.stdin is not None and not self._dialect.prompt:
            start.stdin = ask.stdin
        if follow:
            start.follow_ms = FOLLOW_MS
        return start

    def _note(self, shell: LivingShell, end: asyncio.Future[TurnEnd]) -> None:
        """Whoever waits or does not wait for it: a turn that is over says where the shell stands."""
        if end.cancelled() or end.exception() is not None:
            return
        told = end.result()
        shell.pair = told.pair
        shell.replaced = told.replaced
        ending = self._dialect.read(told.record) if told.record is not None else None
        if ending is not None:
            shell.last_code = ending.code
            real = told.directory if not self._dialect.prompt else None  # wine stands where it was started
            self.directory = _true_directory(ending.directory, real, self._place.files) or self.directory

    # -- the shell

    async def _turn_for(self, command: Command) -> Turn:
        before = self.directory
        shell, state = await self._shell_for(command)
        return Turn(command, shell, state, _ask(command, shell), before)

    async def _shell_for(self, command: Command) -> tuple[LivingShell, ShellState]:
        living = self._living
        if living is not None and living.alive and not living.link.lost:
            if command.working_directory:
                check_directory(command.working_directory, self._place.files)
            return living, ShellState.REBORN if self._loss else ShellState.KEPT
        if living is not None:
            self._loss = _how_it_ended(living)
        directory = command.working_directory or self._existing_directory()
        return await self._start(directory), ShellState.REBORN if self._loss else ShellState.NEW

    def _existing_directory(self) -> str:
        """The last known directory; where it is gone, the one the session began in."""
        return self.directory if self._place.files.is_directory(self.directory) else self._first_directory

    async def _start(self, directory: str) -> LivingShell:
        link = await self._place.link()
        self._check_open()  # or a shell would stay that nobody knows
        dialect = self._dialect
        ready = f"READY_{os.urandom(16).hex()} " if dialect.shows_prompt else ""
        running = link.run(
            Spawn(
                argv=self.shell.argv(dialect),
                program=self.shell.executable,
                cwd=directory,
                environment=dialect.environment,
                stdin=True,
                persistent=True,
                silent=dialect.silent,
                control=dialect.control,
                told=dialect.names_channel,
                ready=ready,
                **_opening(dialect),
            )
        )
        if init := dialect.init(ready):
            link.feed(running, init.encode())
        self.directory = directory
        before = self._living.exit if self._living is not None else None
        if self._living is not None and before is not None and before.left_total:
            self._former.append(self._living)
        self._living = LivingShell(link, running, directory, ready)
        return self._living

    async def start(self) -> None:
        """Start the shell before the first command needs it."""
        async with self._lock:
            if self._living is None:
                await self._start(self.directory)

    async def restart(self) -> Left:
        """End the shell and everything it started, also a command that runs; start a new one, clean.

        Commands that wait for their turn go on waiting, and get the new shell. Returns what does not die.
        """
        self._restarts += 1
        self._restarted.clear()
        try:
            left = await self._end_shell("was restarted")
            async with self._lock:
                left += await self._end_shell("was restarted")  # one that another restart has just started
                self.directory = self._first_directory
                await self._start(self.directory)
                self._loss = ""
        finally:
            self._restarts -= 1
            if not self._restarts:
                self._restarted.set()
        return tuple(dict(left).items())

    def shut(self, why: str = "was closed") -> None:
        """From now on nothing is run: commands that wait for their turn are refused."""
        self._closed = why

    async def close(self) -> Left:
        """End the shell and everything it started; returns what does not die."""
        self._closed = self._closed or "was closed"
        return await self._end_shell(self._closed)

    def _check_open(self) -> None:
        if self._closed:
            raise RequestError(
                f"Session '{self.name}' {self._closed} before the command had its turn. Nothing was run.",
                code="session_closed",
                hint="Sent again, it gets a new session of that name.",
            )

    async def _end_shell(self, why: str) -> Left:
        """End the shell, and what it and those before it have left behind; returns what does not die."""
        shells, self._former = self._former, []
        living = self._living
        left: Left = ()
        if living is not None and living.alive:
            living.ended_because = why
            left = await self._end_living(living)
        elif living is not None:
            shells.append(living)
        for shell in shells:
            left += await shell.link.end_rest(shell.running)
        return left

    async def _end_living(self, living: LivingShell) -> Left:
        grace_ms = round(self._config.kill_grace_s * 1000)
        if self._dialect.interrupt is None:
            living.link.kill(living.running, 0)  # it would not understand
        else:
            living.link.kill(living.running, grace_ms, hang_up=True)
        try:
            return (await asyncio.shield(living.running.exit)).left
        except NacreError:
            return ()

    async def _end_unfit(self) -> None:
        """End a shell that lives but does not take a command."""
        living = self._living
        if living is not None and living.alive and not living.link.lost:
            await self._end_for(living, _UNFIT)

    async def _end_for(self, shell: LivingShell, why: str) -> Exit:
        """End a shell that has come back from its command, but is of no use any more."""
        shell.ended_because = why
        shell.link.kill(shell.running, 0)
        end = await asyncio.shield(shell.running.exit)
        if end.why is None:  # it has ended by itself just before
            shell.ended_because = ""
            return end
        return records.replace(end, code=None, signal=None)  # these are our own doing

    async def _last_words(self, shell: LivingShell) -> Exit:
        """How a shell ended that told nothing more."""
        return await asyncio.shield(shell.running.exit)

    # -- the ladder

    def _start_ladder(self, turn: Turn, end: asyncio.Future[TurnEnd]) -> None:
        if (self._ladder is None or self._ladder.done()) and not end.done():
            self._ladder = asyncio.create_task(self._bring_back(turn, end))

    def _abandon(self, turn: Turn, end: asyncio.Future[TurnEnd]) -> None:
        """Nobody will be told what the command has left behind: kill that as soon as it is over."""
        shell = turn.shell
        end.add_done_callback(lambda _: shell.alive and shell.link.signal(shell.running, "KILL", "left"))

    async def _bring_back(self, turn: Turn, end: asyncio.Future[TurnEnd]) -> None:
        """End the command that runs, and lose as little of the shell as possible."""
        shell, interrupt = turn.shell, self._dialect.interrupt
        report = self._dialect.report(turn.ask).encode()
        # A shell that cannot be interrupted would go on with the rest of the command if its child was killed.
        rungs = interrupt and (
            ("interrupted", *interrupt, self._config.kill_grace_s),
            ("killed", "KILL", "turn", KILL_PATIENCE_S),
        )
        for done, name, scope, patience_s in rungs or ():
            self._brought_back = done
            shell.link.signal(shell.running, name, scope)
            if report:  # some shells throw away what they had read when they are interrupted
                shell.link.feed(shell.running, report)
            if await _settled(end, patience_s):
                break
        else:
            shell.link.kill(shell.running, 0)
            await _settled(end, None)
        if not end.exception() and end.result().record is None:
            await self._end_rest(shell)

    async def _end_rest(self, shell: LivingShell) -> None:
        """The shell did not survive its interrupt: what it had started must not survive it either."""
        with contextlib.suppress(NacreError):
            if (await self._last_words(shell)).left_total:
                await shell.link.end_rest(shell.running)

    # -- results

    def _ended(self, turn: Turn, told: TurnEnd, ending: Ending) -> Result:
        timed_out = self._ladder is not None
        if timed_out:
            remark = f"The command was {self._brought_back}; the shell and its state live on."
        else:
            remark = self._dialect.remark(turn.ask, printed=told.stdout.total_bytes > 0)
        if told.mute:
            loss = _how_it_ended(turn.shell)
            remark = f"The shell {loss}. The next command gets a new one, in {self.directory}."
        return self._result(
            turn,
            told.stdout,
            told.stderr,
            ended=Ended.TIMED_OUT if timed_out else Ended.EXITED,
            exit_code=None if timed_out else ending.code,
            signal=None,
            execution_time_ms=told.wall_ms,
            cpu_ms=told.cpu_ms,
            left_running=tuple(LeftProcess(pid, line) for pid, line in told.left),
            left_running_total=told.left_total,
            shell_state=ShellState.LOST if told.mute else turn.state,
            note=_sentences(self._tell_loss(), remark),
        )

    def _tell_loss(self) -> str:
        """What became of the shell before, told once."""
        loss, self._loss = self._loss, ""
        return f"A new shell: the one before it {loss}. Only the directory lives on." if loss else ""

    def _died(self, turn: Turn, told: TurnEnd, end: Exit) -> Result:
        if self._closed:
            remark = f"The session {self._closed}, and its shell was ended with all it had started."
        else:
            loss = _how_it_ended(turn.shell)
            remark = f"The shell {loss}. The next command gets a new one, in {self.directory}."
        return self._result(
            turn,
            told.stdout,
            told.stderr,
            ended=Ended.SHELL_DIED if self._ladder is None else Ended.TIMED_OUT,
            exit_code=end.code,
            signal=end.signal,
            execution_time_ms=told.wall_ms,
            left_running=tuple(LeftProcess(pid, line) for pid, line in end.left),
            left_running_total=end.left_total,
            shell_state=ShellState.LOST,
            note=_sentences(self._tell_loss(), remark),
        )

    def _result(self, turn: Turn, stdout: Stream, stderr: Stream, **more: Any) -> Result:
        limit_bytes = turn.command.output_limit_bytes or self._config.reply_limit_bytes
        encoding = self._dialect.output_encoding or (LOSSY if self._config.lossy_utf8 else None)
        out = render(self._clean(turn, 1, stdout), limit_bytes, encoding)
        err = render(self._clean(turn, 2, stderr), limit_bytes, encoding)
        return Result(
            command=turn.command.text,
            working_directory=self.directory,
            stdout=out,
            stderr=err,
            timeout_s=turn.command.timeout_s,
            session=self.name,
            directory_changed=self.directory != turn.directory_before,
            output_id=os.path.splitext(out.spool or err.spool or "")[0] or None,
            **more,
        )

    def _clean(self, turn: Turn, number: int, stream: Stream) -> Stream:
        head = self._dialect.clean(turn.ask, number, stream.head)
        tail = self._dialect.clean(turn.ask, number, stream.tail) if stream.tail else b""
        if turn.shell.prompt and (
            turn.shell.ended_because or not turn.shell.alive
        ):  # it may have shown it in the command's streams
            head, tail = (part.replace(turn.shell.prompt, b"") for part in (head, tail))
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


def new_marker() -> str:
    """A mark that nobody can guess (specification 000 gives its form)."""
    from uuid import uuid4  # noqa: PLC0415  # it loads much, which a server starts without

    return f"Marker_{uuid4()}"


def _ask(command: Command, shell: LivingShell | None = None) -> Ask:
    """What a shell is asked; without one, to see whether it could be."""
    there = shell is not None and not shell.turns and shell.first_directory == command.working_directory
    return Ask(
        command.run_text or command.text,
        new_marker() if shell else "",
        shell.base if shell else "",
        shell.pair if shell else 0,
        None if there else command.working_directory or None,
        command.environment,
        command.stdin,
        shell.last_code if shell else 0,
        shell.turns + 1 if shell else 0,
    )


def _opening(dialect: Persistent) -> dict[str, Any]:
    """What a shell that is talked to reports with at first: whatever it prints before is noise."""
    if not dialect.prompt:
        return {}
    ask = Ask("", new_marker(), "", 0)
    return {"prompt": dialect.prompt, "opening": (ask.marker, dialect.report(ask))}


async def _settled(future: asyncio.Future[Any], patience_s: float | None) -> bool:
    """Whether something has come to its end within a time; how, does not matter here."""
    done, _ = await asyncio.wait({future}, timeout=patience_s)
    return bool(done)


def _sentences(*parts: str) -> str:
    return " ".join(filter(None, parts))


def _how_it_ended(shell: LivingShell) -> str:
    end = shell.exit
    if shell.ended_because:
        return shell.ended_because
    if end is None:
        return "was lost with its keeper"
    how = f"was ended by {end.signal}" if end.signal else f"ended with code {end.code}"
    return f"was replaced by {shell.replaced} (exec), which {how}" if shell.replaced else how


def _true_directory(told: str, real: str | None, files: FileSystem) -> str | None:
    """What the shell calls its directory, unless the kernel knows better (`PWD=nonsense`)."""
    if real is None or told == real:
        return told if os.path.isabs(told) else None
    if os.path.isabs(told) and files.real_path(told) == real:
        return told
    return told if real.endswith(" (deleted)") else real


def check_directory(directory: str, files: FileSystem) -> None:
    """Raise RequestError when a shell could not go there."""
    if error := files.why_not_entered(directory):
        raise explain(SpawnError(os.strerror(error), error, directory), directory, files)


def _check(command: Command) -> None:
    for name in command.environment:
        if not is_identifier(name):
            raise RequestError(
                f"environment: a shell cannot have a variable named {name!r}.",
                hint="In a session, names are letters, digits and underscores.",
            )
