"""The private Unix socket of a server, through which it is watched (Linux and macOS).

Above it: `listener` and `client`, by the names that `named_pipes` has as well. Below: `paths`, where the
sockets are, and `peers`, who may connect.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from typing import TYPE_CHECKING

from nacre.watch import paths, peers

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
    Meet = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

ENDING = ".sock"
NOT_READY = ".new"  # of a socket that does not accept yet
WAITING = 8  # who may wait to be accepted
KNOWS_COMMANDS = peers.KNOWS_COMMANDS


class Endpoint:
    """The socket of one server."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._name = f"{os.getpid()}-{os.urandom(2).hex()}{ENDING}"
        self._server: asyncio.Server | None = None

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self._directory, self._name)

    async def open(self, meet: Meet, limit_bytes: int) -> None:
        """Accept whoever comes. Raises OSError."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with paths.opened(self._directory) as here:
                remove_stale(here)
                # It gets its name once it accepts: a socket that cannot be reached belongs to a dead server.
                listener.bind(f"{here}/{self._name}{NOT_READY}")
                listener.listen(WAITING)
                os.rename(f"{here}/{self._name}{NOT_READY}", f"{here}/{self._name}")
        except OSError:
            listener.close()
            raise
        self._server = await asyncio.start_unix_server(meet, sock=listener, limit=limit_bytes)

    def close(self) -> None:
        """Accept nobody any more, and leave nothing. Who is connected stays so."""
        if self._server is None:
            return
        self._server.close()
        with contextlib.suppress(OSError):
            os.unlink(self.path)
        paths.remove_if_empty(self._directory)


def refusal(writer: asyncio.StreamWriter) -> str:
    """Why whoever has connected may not watch; empty: they may."""
    return peers.refusal(writer.get_extra_info("socket"))


async def connect(here: str, name: str, limit_bytes: int) -> Streams:
    """Connect to a server. Raises OSError; what a dead server has left is removed."""
    try:
        return await asyncio.open_unix_connection(f"{here}/{name}", limit=limit_bytes)
    except ConnectionRefusedError:
        os.unlink(f"{here}/{name}")
        raise


def remove_stale(directory: str) -> None:
    """Remove the sockets of servers that were killed."""
    for name in os.listdir(directory):
        pid = name.partition("-")[0]
        if not pid.isdecimal() or peers.lives(int(pid)):
            continue
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            try:
                probe.setblocking(False)  # one of another container takes it at once, or has no room now
                probe.connect(f"{directory}/{name}")
            except ConnectionRefusedError:
                os.unlink(f"{directory}/{name}")
