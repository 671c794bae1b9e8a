r"""The private named pipe of a server, through which it is watched (Windows).

Above it: `listener` and `client`, by the names that `unix_sockets` has as well. Below: `paths`, and the calls
of Windows. An empty file in the user's own directory tells that there is a pipe, and its name:

    %LOCALAPPDATA%\nacre-watch\4711-5f0c….pipe      \\.\pipe\nacre-watch-4711-5f0c…

Only programs of the same user on this machine can connect. Both sides ask Windows who is at the other end,
before a byte is read. What a command has started is not let in: every keeper, and with it all that its
commands start, is in a job object that it cannot leave, and whose name has the keeper's id.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from typing import TYPE_CHECKING, Any

from nacre.keeper import win32
from nacre.keeper.win32 import security
from nacre.stderr import log
from nacre.watch import paths

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
    Meet = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

ENDING = ".pipe"
PIPES = r"\\.\pipe\nacre-watch-"
KNOWS_COMMANDS = True  # no process can leave a job


class _Instance:
    """One end of a pipe, as asyncio takes it."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def fileno(self) -> int:
        """Its handle."""
        return self._handle

    def close(self) -> None:
        """Close it, once."""
        if self._handle:
            win32.close_handle(self._handle)
            self._handle = 0


class Endpoint:
    """The pipe of one server."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._name = f"{os.getpid()}-{os.urandom(8).hex()}{ENDING}"
        self._accepting: asyncio.Task[None] | None = None

    @property
    def path(self) -> str:
        """Where it is."""
        return _pipe_of(self._name)

    async def open(self, meet: Meet, limit_bytes: int) -> None:
        """Accept whoever comes. Raises OSError."""
        first = _Instance(security.make_private_pipe(self.path, is_first=True))
        try:
            with paths.opened(self._directory) as here:
                remove_stale(here)
                os.close(os.open(os.path.join(here, self._name), os.O_CREAT | os.O_EXCL))
        except OSError:
            first.close()
            raise
        self._accepting = asyncio.create_task(self._accept(first, meet, limit_bytes))

    async def _accept(self, waiting: _Instance, meet: Meet, limit_bytes: int) -> None:
        """Connect whoever comes to an instance of the pipe, while the next one waits and keeps the name."""
        try:
            while True:
                connected = await _connected(waiting)
                taken, waiting = waiting, _Instance(security.make_private_pipe(self.path, is_first=False))
                if connected:
                    reader = asyncio.StreamReader(limit_bytes)
                    _begin(taken, asyncio.StreamReaderProtocol(reader, meet))
                else:
                    taken.close()
        except OSError as error:
            log.warning("nacre watch cannot follow this server any more: %s", error)
        finally:
            waiting.close()

    def close(self) -> None:
        """Accept nobody any more, and leave nothing. Who is connected stays so."""
        if self._accepting is None:
            return
        self._accepting.cancel()
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(self._directory, self._name))


async def _connected(instance: _Instance) -> bool:
    """Wait until somebody connects; False: who did has gone already."""
    loop: Any = asyncio.get_running_loop()
    try:
        # What asyncio's own pipe server calls. That one leaves the pipe open to other users.
        await loop._proactor.accept_pipe(instance)  # noqa: SLF001  # as explained above
    except OSError:
        return False
    return True


def _begin(instance: _Instance, protocol: asyncio.StreamReaderProtocol) -> None:
    loop: Any = asyncio.get_running_loop()
    loop._make_duplex_pipe_transport(instance, protocol)  # noqa: SLF001  # as in _connected


def refusal(writer: asyncio.StreamWriter) -> str:
    """Why whoever has connected may not watch; empty: they may."""
    try:
        pid = security.client_of(writer.get_extra_info("pipe").fileno())
        if security.user_of(pid) != security.own_user():
            return "It belongs to another user."
        return f"Process {pid} was started by a command." if security.is_of_a_command(pid) else ""
    except OSError:
        return "Who it is cannot be found out."


async def connect(here: str, name: str, limit_bytes: int) -> Streams:
    """Connect to a server. Raises OSError; what a dead server has left is removed."""
    loop: Any = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit_bytes)
    protocol = asyncio.StreamReaderProtocol(reader)
    try:
        transport, _ = await loop.create_pipe_connection(lambda: protocol, _pipe_of(name))
    except FileNotFoundError:
        os.unlink(os.path.join(here, name))
        raise
    try:
        server = security.server_of(transport.get_extra_info("pipe").fileno())
        if security.user_of(server) != security.own_user():
            raise PermissionError(f"{_pipe_of(name)} belongs to another user")
    except OSError:
        transport.close()
        raise
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


def _pipe_of(name: str) -> str:
    return PIPES + name.removesuffix(ENDING)


def remove_stale(directory: str) -> None:
    """Remove what servers that were killed have left."""
    for name in os.listdir(directory):
        pid = name.partition("-")[0]
        if pid.isdecimal() and not security.lives(int(pid)):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(directory, name))
