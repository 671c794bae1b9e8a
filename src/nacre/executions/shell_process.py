"""The process of a persistent shell, and what is known of it.

Above it: `session`, which has one at a time, and `turn`, which gives it a command. Below: the shell's dialect
and the link to the keeper. It knows nothing of queues, rules and results.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from nacre.dialects import TurnRequest
from nacre.errors import NacreError
from nacre.keeper import records
from nacre.keeper.frames import Spawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.dialects import Ending, Persistent, Shell
    from nacre.keeper.frames import Exit, Left, TurnEnd
    from nacre.keeper.link import Link
    from nacre.keeper.running import Running
    from nacre.model import Command

_CHANGED = "something that it does this with was changed (a builtin, an option, a trap, a descriptor)"
MUTE = (
    "was ended with all it had started, because it could not tell any more how a command ended: " + _CHANGED
)
UNFIT = "was ended with all it had started, because it could not take a command any more: " + _CHANGED
CRIPPLED = (
    "was ended with all it had started, because the command had closed descriptors that it needs to be given "
    "the next one, or left it too few (ulimit -n)"
)


class ShellProcess:
    """One shell, from its start to its end."""

    def __init__(
        self, link: Link, shell: Shell, dialect: Persistent, directory: str, limits: dict[str, int]
    ) -> None:
        """Start it in a directory, under limits for it and all that it starts."""
        self.link = link
        self.dialect = dialect
        self._prompt = f"READY_{os.urandom(16).hex()} " if dialect.shows_prompt else ""
        self.running = self._start(shell, directory, limits)
        self.base = f"{link.spool_dir}/{self.running.id}"
        self.first_directory = directory
        self.turns = 0
        self.pair = 0
        self.last_code = 0
        self.replaced = ""  # the program that replaced it (`exec`)
        self.ended_because = ""  # set when nacre ended it

    def _start(self, shell: Shell, directory: str, limits: dict[str, int]) -> Running:
        dialect = self.dialect
        running = self.link.run(
            Spawn(
                argv=shell.argv(dialect),
                program=shell.executable,
                cwd=directory,
                environment=dialect.environment,
                stdin=True,
                persistent=True,
                silent=dialect.silent,
                control=dialect.control,
                names_channel=dialect.names_channel,
                ready=self._prompt,
                limits=limits,
                **_opening(dialect),
            )
        )
        if init := dialect.init(self._prompt):
            self.link.feed(running, init.encode())
        return running

    @property
    def exit(self) -> Exit | None:
        """How it ended; None while it runs, and when its keeper was lost."""
        end = self.running.exit
        return end.result() if end.done() and not end.cancelled() and not end.exception() else None

    @property
    def alive(self) -> bool:
        """Whether it can take a command."""
        return not self.running.exit.done()

    # -- a command

    def request(self, command: Command, directory: str) -> TurnRequest:
        """A command as the dialect needs it; the shell changes to the directory first, if one is named."""
        there = not self.turns and self.first_directory == directory
        return TurnRequest(
            command.run_text or command.text,
            new_marker(),
            self.base,
            self.pair,
            None if there else directory or None,
            command.environment,
            command.stdin,
            self.last_code,
            self.turns + 1,
        )

    def note(self, end: TurnEnd) -> Ending | None:
        """Update what is known after a command; returns the shell's own report, if there is one."""
        self.pair = end.pair
        self.replaced = end.replaced
        ending = self.dialect.read(end.record) if end.record is not None else None
        if ending is not None:
            self.last_code = ending.code
        return ending

    def clean(self, request: TurnRequest, number: int, part: bytes) -> bytes:
        """The output of a command without what belongs to the conversation with the shell."""
        part = self.dialect.clean(request, number, part)
        if self._prompt and (self.ended_because or not self.alive):  # its prompt may be in these streams
            return part.replace(self._prompt.encode(), b"")
        return part

    def signal(self, name: str, scope: str, before: Sequence[str] = ()) -> None:
        """Signal what the current command has started or left, or the shell as well."""
        self.link.signal(self.running, name, scope, before=before)

    # -- the end

    async def end(self, why: str, grace_ms: int) -> Left:
        """End it with all it started; returns processes that could not be killed."""
        self.ended_because = why
        if self.dialect.prompt:
            self.link.kill(self.running, 0)  # it would ignore anything milder
        else:
            self.link.kill(self.running, grace_ms, hang_up=True)
        try:
            return (await self.wait_for_exit()).left
        except NacreError:
            return ()

    async def end_for(self, why: str) -> Exit:
        """End a shell that has finished its command, but cannot take another one."""
        self.ended_because = why
        self.link.kill(self.running, 0)
        end = await self.wait_for_exit()
        if end.why is None:  # it ended by itself just before
            self.ended_because = ""
            return end
        return records.replace(end, code=None, signal=None)  # those come from our own kill

    async def wait_for_exit(self) -> Exit:
        """Wait for its end, and return how it ended."""
        return await asyncio.shield(self.running.exit)

    async def end_rest(self) -> Left:
        """After its own end, end what it left behind; returns processes that could not be killed."""
        return await self.link.end_rest(self.running)

    def how_it_ended(self) -> str:
        """How it ended, in words that follow `The shell`."""
        end = self.exit
        if self.ended_because:
            return self.ended_because
        if end is None:
            return "was lost with its keeper"
        how = f"was ended by {end.signal}" if end.signal else f"ended with code {end.code}"
        return f"was replaced by {self.replaced} (exec), which {how}" if self.replaced else how


def new_marker() -> str:
    """A random marker in the form that specification 000 gives."""
    digits = os.urandom(16).hex()
    variant = "89ab"[int(digits[16], 16) & 3]  # a random UUID, without the cost of importing `uuid`
    return f"Marker_{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"


def _opening(dialect: Persistent) -> dict[str, Any]:
    """The first report of a shell without a private channel: all that it prints before is noise."""
    if not dialect.prompt:
        return {}
    request = TurnRequest("", new_marker(), "", 0)
    return {"prompt": dialect.prompt, "opening": (request.marker, dialect.report(request))}
