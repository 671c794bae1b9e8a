"""A session: a name, a directory, and one shell process after another; variables last as long as a shell.

Above it: `turn`, one command of a session, and `sessions`, which knows them by name. Below: `shell_process`.

The commands of a session run one after another. Each holds the queue from the moment it is next, so that the
directory for which the policy judges it cannot change, and the shell while it runs. A restart needs only the
shell: it does not wait for a command that waits for a person or for a free slot.

When a shell dies by itself, its command gets a result (`shell_died`), and the next command a new shell in the
last known directory.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any

from nacre.eager import Deadline, Semaphore
from nacre.errors import RequestError
from nacre.executions.execution import explain
from nacre.executions.shell_process import ShellProcess
from nacre.keeper.running import SpawnError

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.dialects import Ending, Persistent
    from nacre.filesystem import FileSystem
    from nacre.keeper.frames import Left, TurnEnd
    from nacre.places.place import Place

_DELETED = (
    " (deleted)"  # what the kernel adds to the path of a directory that is gone; a name may end so, too
)


class Session:
    """A shell that is started when it is needed, and its predecessors."""

    def __init__(self, name: str, place: Place, config: Config, directory: str) -> None:
        self.name = name
        self.place = place
        self.config = config
        self.shell = place.shell
        self.dialect: Persistent = place.shell.persistent()
        self.directory = self._first_directory = directory  # the last known one, and the initial one
        self._identity: tuple[int, int] | None = None  # of the directory that its shell was last seen in
        self.commands = 0
        self.running: str | None = None  # the text of the running command
        self.used = time.monotonic()
        self.deadline = Deadline()  # of the running command
        self.queue = Semaphore(1)  # held by the command that is next or runs
        self._shell_lock = Semaphore(1)  # held by the user of the shell: that command, or a restart
        self._process: ShellProcess | None = None
        self._former: list[ShellProcess] = []  # dead shells that have left processes behind
        self._restarts = 0  # restarts in progress; they come before waiting commands
        self._restarted = asyncio.Event()
        self.loss = ""  # why the previous shell is gone, until a result has reported it
        self.closed = ""  # why the session is closed; it never gets a shell again

    def continue_from(self, directory: str, loss: str) -> None:
        """Continue a session that was closed for idleness; the next result reports that."""
        self.directory, self.loss = directory, loss

    @property
    def busy(self) -> bool:
        """Whether a command runs or waits."""
        return not (self.queue.free and self._shell_lock.free)

    @property
    def state(self) -> str:
        """idle, busy, or dead (the next command starts a shell)."""
        if self.busy:
            return "busy"
        return "idle" if self.living_shell is not None else "dead"

    def summary(self) -> dict[str, Any]:
        """Its entry in the list of sessions."""
        return {
            "name": self.name,
            "state": self.state,
            "shell": self.shell.name,
            "directory": self.directory,
            "commands": self.commands,
            "idle_seconds": 0 if self.busy else round(time.monotonic() - self.used),
            "running": self.running,
        }

    def check_open(self) -> None:
        """Raise RequestError when the session was closed while a command waited."""
        if self.closed:
            raise RequestError(
                f"Session '{self.name}' {self.closed} before the command could run. Nothing was run.",
                code="session_closed",
                hint="Send it again to run it in a new session of that name.",
            )

    # -- for the command whose turn it is

    @property
    def next_directory(self) -> str:
        """The directory of a command that names none.

        The last known one; if both it and the shell are gone, the initial one.
        """
        if self.living_shell is not None or self.place.files.is_directory(self.directory):
            return self.directory
        return self._first_directory

    def take_free_shell(self) -> bool:
        """Take the shell if nobody uses it and no restart is in progress; whether that is so."""
        return not self._restarts and self._shell_lock.take()

    async def take_shell(self) -> None:
        """Wait until the shell is free; a restart comes first."""
        await self._shell_lock.acquire()
        while self._restarts:
            self._shell_lock.release()
            await self._restarted.wait()
            await self._shell_lock.acquire()

    def release_shell(self) -> None:
        """Let the next user have the shell."""
        self._shell_lock.release()

    @property
    def living_shell(self) -> ShellProcess | None:
        """The shell, if there is one that can take a command."""
        process = self._process
        if process is None or process.running.exit.done() or process.link.lost:
            return None
        return process

    @property
    def has_moved(self) -> bool:
        """Whether the directory of its shell has another name since it was last seen there, or none."""
        return self.place.files.identity(self.directory) != self._identity

    def check_directory(self, directory: str) -> None:
        """Raise RequestError when its shell could not go there."""
        if error := self.place.files.why_not_entered(directory):
            raise explain(SpawnError(os.strerror(error), error, directory), directory, self.place.files)

    async def new_shell(self, directory: str) -> ShellProcess:
        """A shell in place of the one that is gone, if there was one."""
        if self._process is not None:
            self.loss = self._process.how_it_ended()
        return await self._start(directory)

    def note_start(self, text: str) -> None:
        """Note that a command has started."""
        self.running = text
        self.commands += 1

    def note(self, process: ShellProcess, end: asyncio.Future[TurnEnd]) -> Ending | None:
        """Learn from the end of a command what became of the shell, whether its caller still waits or not."""
        self.deadline.clear()
        self.running = None
        self.used = time.monotonic()
        if end.cancelled() or end.exception() is not None:
            return None
        done = end.result()
        ending = process.note(done)
        if ending is not None and not ending.directory == done.directory == self.directory:
            # under wine, the kernel knows only the directory of the start
            real = done.directory if not self.dialect.prompt else None
            self.directory = _true_directory(ending.directory, real, self.place.files) or self.directory
            self._identity = self.place.files.identity(self.directory)
        return ending

    def report_loss(self) -> str:
        """What became of the previous shell; reported once."""
        loss, self.loss = self.loss, ""
        return f"A new shell: the one before it {loss}. Only the directory was kept." if loss else ""

    # -- its shells

    async def start(self) -> None:
        """Start the shell before the first command needs it."""
        await self._shell_lock.acquire()
        try:
            if self._process is None:
                await self._start(self.directory)
        finally:
            self._shell_lock.release()

    async def _start(self, directory: str) -> ShellProcess:
        link = await self.place.link()
        self.check_open()  # a shell of a closed session would never be ended
        process = ShellProcess(link, self.shell, self.dialect, directory, self.config.limits)
        self.directory, self._identity = directory, self.place.files.identity(directory)
        before = self._process.exit if self._process is not None else None
        if self._process is not None and before is not None and before.left_total:
            self._former.append(self._process)
        self._process = process
        return process

    async def restart(self) -> Left:
        """End the shell and everything it started, including a running command; start a clean one.

        Waiting commands keep waiting, and get the new shell. Returns processes that could not be killed.
        """
        self._restarts += 1
        self._restarted.clear()
        try:
            left = await self._end_shell("was restarted")
            await self._shell_lock.acquire()
            try:
                left += await self._end_shell("was restarted")  # one that another restart has just started
                self.directory = self._first_directory
                await self._start(self.directory)
                self.loss = ""
            finally:
                self._shell_lock.release()
        finally:
            self._restarts -= 1
            if not self._restarts:
                self._restarted.set()
        return tuple(dict(left).items())

    def refuse_commands(self, why: str = "was closed") -> None:
        """Run nothing from now on: waiting commands are refused."""
        self.closed = why

    async def close(self) -> Left:
        """End the shell and everything it started; returns processes that could not be killed."""
        self.closed = self.closed or "was closed"
        return await self._end_shell(self.closed)

    async def _end_shell(self, why: str) -> Left:
        """End the shell, and what it and its predecessors left behind; returns what could not be killed."""
        former, self._former = self._former, []
        process = self._process
        left: Left = ()
        if process is not None and process.alive:
            left = await process.end(why, round(self.config.kill_grace_s * 1000))
        elif process is not None:
            former.append(process)
        for dead in former:
            left += await dead.end_rest()
        return left


def _true_directory(reported: str, real: str | None, files: FileSystem) -> str | None:
    """The directory as the shell reports it, unless the kernel contradicts (`PWD=nonsense`)."""
    if real is not None and real.endswith(_DELETED) and not files.is_directory(real):
        real = real.removesuffix(_DELETED)
    if real is None or reported == real:
        return reported if os.path.isabs(reported) else None
    return reported if os.path.isabs(reported) and files.real_path(reported) == real else real
