"""The running servers of this user, as they are watched: found, followed, asked.

Above it: `cli` and `app`. Below: `endpoint` and `paths`. It speaks the protocol of `listener`, and
knows nothing of how it is shown.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
from typing import TYPE_CHECKING, Any

from nacre.errors import PlaceError, RequestError
from nacre.watch import paths
from nacre.watch.endpoint import endpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nacre.errors import NacreError

LOOK_S = 1.0  # how often servers are looked for
PATIENCE_S = 30.0
LINE_BYTES = 1 << 26  # a command may be long


class WatchedServer:
    """One server that is followed."""

    def __init__(self, name: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.name = name  # of its socket
        self.hello: dict[str, Any] = {}
        self.gone = False
        self._reader, self._writer = reader, writer
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[dict[str, Any]]] = {}

    @property
    def pid(self) -> int:
        """Its process."""
        return int(self.hello.get("pid", 0))

    async def follow(self, hear: Callable[[WatchedServer, dict[str, Any]], None]) -> None:
        """Tell what happens, from its hello to its end."""
        try:
            while line := await self._reader.readline():
                message: dict[str, Any] = json.loads(line)
                waiting = self._asked.pop(message.get("id", 0), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(message)
                elif message.get("event") == "hello":
                    self.hello = message
                if "event" in message:
                    hear(self, message)
        except (OSError, ValueError):
            return
        finally:
            was_let_go = self.gone
            self.close()
            if self.hello and not was_let_go:
                hear(self, {"event": "gone"})

    async def ask(self, what: str, **more: object) -> Any:
        """The answer to a request. NacreError: there is none, and why."""
        if self.gone:
            raise _is_gone()
        number = next(self._numbers)
        answer = self._asked[number] = asyncio.get_running_loop().create_future()
        self._writer.write(json.dumps({"ask": what, "id": number, **more}).encode() + b"\n")
        try:
            async with asyncio.timeout(PATIENCE_S):
                message = await answer
        except TimeoutError:
            raise PlaceError(f"The server did not answer within {PATIENCE_S:g} s.") from None
        if "error" in message:
            raise RequestError(message["error"])
        return message["answer"]

    def close(self) -> None:
        """Watch it no more."""
        self.gone = True
        self._writer.close()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(_is_gone())


def _is_gone() -> NacreError:
    return PlaceError("The server has ended.")


class Servers:
    """All servers of this user; new ones are found while they are followed."""

    def __init__(self, directory: str, hear: Callable[[WatchedServer, dict[str, Any]], None]) -> None:
        self._directory = directory
        self._hear = hear
        self._known: dict[str, WatchedServer] = {}
        self._following: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Iterator[WatchedServer]:
        return iter([server for server in self._known.values() if server.hello and not server.gone])

    async def follow(self) -> None:
        """Find servers and follow them, for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        """Find those that are there now. PlaceError: their directory cannot be used."""
        try:
            with paths.opened(self._directory) as here:
                names = [name for name in os.listdir(here) if name.endswith(endpoint.ENDING)]
                for name in sorted({*names} - {*self._known}):
                    await self._meet(here, name)
            if not names:
                paths.remove_if_empty(self._directory)
        except OSError as error:
            raise PlaceError(f"{self._directory} cannot be used: {error.strerror}.") from None
        for name in {*self._known} - {*names}:
            if self._known[name].gone:
                del self._known[name]

    async def _meet(self, here: str, name: str) -> None:
        try:
            streams = await endpoint.connect(here, name, LINE_BYTES)
        except OSError:  # it was killed, or takes nobody now
            return
        server = self._known[name] = WatchedServer(name, *streams)
        met = asyncio.get_running_loop().create_future()

        def hear(server: WatchedServer, message: dict[str, Any]) -> None:
            if not met.done():
                met.set_result(None)
            self._hear(server, message)

        task = asyncio.create_task(server.follow(hear))
        self._following.add(task)
        task.add_done_callback(self._following.discard)
        await asyncio.wait({task, met}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        met.cancel()

    def close(self) -> None:
        """Stop watching all of them."""
        for server in self._known.values():
            server.close()
