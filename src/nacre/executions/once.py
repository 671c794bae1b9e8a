"""Once: one command in a fresh process, with or without a shell; no state is kept.

An execution. Above it: `service`. Below: a place, its shell's dialect and its keeper's link, and `results`.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import TYPE_CHECKING

from nacre.eager import EagerFuture
from nacre.errors import PlaceError
from nacre.executions.execution import FOLLOW_MS, NEWS_MS, DetachedError, explain, no_input
from nacre.executions.results import refused_execs, result_of, result_so_far
from nacre.executions.validation import check_command
from nacre.keeper.frames import Spawn
from nacre.keeper.running import SpawnError
from nacre.model import Ended
from nacre.output import keeping

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.config import Config
    from nacre.gate import Admission, Ask, Gate
    from nacre.keeper.frames import Exit, News, Part
    from nacre.keeper.link import Link
    from nacre.keeper.running import Rest, Running
    from nacre.model import Command, Result
    from nacre.places.connection import KeeperConnection
    from nacre.places.place import Place

_ENDS: dict[str | None, Ended] = {"timeout": Ended.TIMED_OUT, "killed": Ended.CANCELLED}


TERMINAL_TYPE = "xterm-256color"


class Once:
    """A command in a process of its own."""

    def __init__(
        self,
        command: Command,
        place: Place,
        config: Config,
        rewrite: Callable[[Command], Command] = lambda command: command,
        on_output: Callable[[int, bytes], None] | None = None,
    ) -> None:
        """`rewrite` makes of an admitted command the one that is run."""
        self.asked = command
        self._place = place
        self._config = config
        self._rewrite = rewrite
        self._on_output = on_output
        self._secrets: frozenset[str] = frozenset()  # the names of the secrets that it gets
        self.keeper: KeeperConnection | None = None  # the keeper that runs it, if not the place's usual one
        self._began: float
        self._link: Link
        self._running: Running
        self._approved = False  # whether a person has approved it
        self._stopped = False  # whether a person has stopped it
        self._identity: tuple[int, int] | None = None  # of its directory, if it takes input while it runs

    def validate(self) -> None:
        """Raise RequestError for what no system can run."""
        check_command(self.asked, self._place)

    async def prepare(self) -> None:
        """Nothing: it waits for no other command, and its directory is known."""

    async def admit(self, gate: Gate, ask: Ask | None) -> Admission:
        """Return if the rules and the person allow it; raise Refused if not."""
        admission = await gate.admit(self.asked, ask)
        self._secrets, self._approved = admission.secrets, admission.approved
        self.asked = self._rewrite(self.asked)
        return admission

    async def start(self) -> None:
        """Pass it to the keeper."""
        self._began = time.monotonic()
        where = self._place if self.keeper is None else self.keeper
        self._link = link = where.ready_link or await where.link()
        self._running = link.run(self._spawn(), on_output=self._on_output)
        if self._approved and self._place.execs is not None:
            self._place.execs.rules.approve(self._running.id, approved=True)
        if self.asked.stdin:
            link.feed(self._running, os.fsencode(self.asked.stdin))
            if self._running.pid is None:
                link.feed(self._running, b"")
        if self._running.pid is not None:
            with contextlib.suppress(SpawnError):  # `wait` reports it
                await self._running.pid

    def _spawn(self) -> Spawn:
        command, config, shell = self.asked, self._config, self._place.shell
        text = command.run_text or command.text
        argv, script = shell.once(text) if command.argv is None else (list(command.argv), None)
        spawn = Spawn(
            argv=argv,
            program=shell.executable if command.argv is None else "",
            cwd=command.working_directory,
            timeout_ms=round(command.timeout_s * 1000),
            grace_ms=round(config.kill_grace_s * 1000),
            spool_bytes=config.max_output_bytes,
            **keeping(command.output_limit_bytes, config.reply_limit_bytes),
        )
        if command.environment or shell.dialect.environment:
            spawn.environment = {**shell.dialect.environment, **command.environment}
        if self._secrets:
            known = self._place.secrets
            spawn.environment = {**spawn.environment, **{name: known[name] for name in self._secrets}}
        if config.limits:
            spawn.limits = config.limits
        if config.audit_log is not None:
            spawn.hashed = True
        if script is not None:
            spawn.script = script
        if self._on_output is not None:
            spawn.follow_ms = FOLLOW_MS
        if command.stdin or command.answer_within_s == 0:
            spawn.stdin = True
        if command.answer_within_s == 0:
            spawn.announce = True
            self._identity = self._place.files.identity(command.working_directory)
        if command.terminal is not None:
            spawn.terminal = command.terminal
            spawn.unset = self._place.quiet_variables
            spawn.environment = {"TERM": TERMINAL_TYPE, **spawn.environment}
        return spawn

    async def wait(self) -> Result:
        """Wait for the end, and return the result. Cancelling kills everything it started."""
        try:
            end = await self._running.exit
        except DetachedError:
            return await self.so_far()
        except asyncio.CancelledError:
            self._running.on_output = None  # the caller has cancelled, and wants no more output
            self._running.exit = EagerFuture()
            self._running.exit.add_done_callback(self._keep_output)
            self._link.kill(self._running, round(self._config.kill_grace_s * 1000))
            raise
        except SpawnError as error:
            # The future holds the error, whose traceback holds this frame: a reference cycle
            del self._running
            raise explain(error, self.asked.working_directory, self._place.files) from None
        return result_of(
            self.asked,
            end,
            ended=self._how_ended(end),
            exit_code=end.code,
            signal=end.signal,
            config=self._config,
            outputs=self._place.outputs,
            number=str(self._running.id),
            encoding=self._place.shell.dialect.output_encoding,
            hints=refused_execs(self._place, self._running.id),
        )

    def _how_ended(self, end: Exit) -> Ended:
        if self._stopped and end.why == "killed":
            return Ended.STOPPED
        return _ENDS.get(end.why) or (Ended.SIGNALED if end.signal else Ended.EXITED)

    def _keep_output(self, end: asyncio.Future[Exit]) -> None:
        """Keep the output of a cancelled command readable."""
        if not end.cancelled() and end.exception() is None:
            self._place.outputs.keep(self.number, end.result().stdout, end.result().stderr)

    # -- while it runs

    @property
    def number(self) -> str:
        """The number under which its output is kept."""
        return str(self._running.id)

    @property
    def begun(self) -> bool:
        """Whether its keeper was given it."""
        return hasattr(self, "_running")

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._running.exit.done()

    @property
    def rest(self) -> Rest | None:
        """The processes that it left behind, once it has ended."""
        return self._running.rest

    @property
    def has_moved(self) -> bool:
        """Whether its directory has another name since it was started, or none."""
        return self._place.files.identity(self.asked.working_directory) != self._identity

    def detach(self) -> None:
        """Make `wait` return at once; the command continues."""
        awaited = self._running.exit
        if not awaited.done():
            self._running.exit = EagerFuture()
            awaited.set_exception(DetachedError())

    async def so_far(self) -> Result:
        """The result with its output up to now."""
        encoding = self._place.shell.dialect.output_encoding
        return await result_so_far(self, self._began, self._config, self._place.outputs, encoding)

    async def read(self, stream: int, offset: int, limit_bytes: int) -> Part:
        """A part of its output up to now."""
        return await self._link.read(self._running, stream, offset, limit_bytes)

    def watch(self, on_news: Callable[[News], None] | None) -> None:
        """Call back whenever there is more output; None ends that."""
        self._running.on_news = on_news
        self._link.watch(self._running, NEWS_MS if on_news is not None else 0)

    async def resize(self, rows: int, columns: int) -> None:
        """Resize its terminal. PlaceError: it cannot have that size."""
        if refused := await self._link.resize(self._running, rows, columns):
            raise PlaceError(
                f"The terminal cannot be resized: {refused}.",
                code="not_resized",
                hint="Programs keep the size they have.",
            )

    def feed(self, data: bytes) -> None:
        """Write to its stdin; no bytes end its input. RequestError: it was started without stdin."""
        if self.asked.answer_within_s != 0:
            raise no_input()
        self._link.feed(self._running, data)

    async def feed_hidden(self, data: bytes) -> bool:
        """Type into its terminal if that does not echo; whether it does not."""
        return await self._link.feed_hidden(self._running, data)

    def signal(self, name: str) -> None:
        """Send a signal to everything it has started."""
        self._link.signal(self._running, name, "tree")

    async def end_rest(self) -> None:
        """End the processes that it left behind."""
        await self._link.end_rest(self._running)

    def kill(self, *, by_person: bool = False) -> None:
        """End it with all it has started."""
        self._stopped = by_person
        self._link.kill(self._running, round(self._config.kill_grace_s * 1000))

    def close(self) -> None:
        """Nothing to release."""
