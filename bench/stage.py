"""Where servers are opened and ended: a home, a directory and a cookie for each.

The cookie is a variable in a server's environment, so whatever the server starts is known by it, whoever
its parents are by then. Closing a server ends everything that carries its cookie and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from typing import TYPE_CHECKING, Self

from bench.client import COOKIE, Client
from bench.figures import SPAWN
from bench.floors import BashPipe, Spawn
from bench.model import Failed

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

    from bench.model import Server

Running = Client | Spawn | BashPipe


class Stage:
    """Opens servers; residents stay open until they are dropped or the stage is left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._residents: dict[str, Running] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def place(self, server: Server, name: str) -> Path:
        """A folder of the server's own: `home`, `tmp` or `work`, where it is started."""
        folder = self._folder / server.name / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _environment(self, server: Server, more: Mapping[str, str]) -> dict[str, str]:
        """What a server started from a terminal would find, with a home of its own."""
        home = self.place(server, "home")
        for name, content in server.files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(content)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": str(home),
            "TMPDIR": str(self.place(server, "tmp")),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "SHELL": "/bin/sh",  # as the floors: who follows it does not pay for a larger shell
            "SHLVL": "1",
            "USER": "bench",
            **server.env,
            **more,
            COOKIE: uuid.uuid4().hex,
        }

    def resident(self, server: Server) -> Running:
        """The server, ready for commands; opened once and kept."""
        if server.name not in self._residents:
            self._residents[server.name] = self._open(server)
        return self._residents[server.name]

    def _open(self, server: Server) -> Running:
        if not server.argv:
            return self.floor(server)
        client = Client(server, str(self.place(server, "work")), self._environment(server, {}))
        try:
            client.initialize()
            client.prepare()
        except Failed:
            client.close()
            raise
        return client

    def floor(self, server: Server) -> Spawn | BashPipe:
        """A floor inside the benchmark, new."""
        return (Spawn if server.name == SPAWN else BashPipe)(self._environment(server, {}))

    @contextlib.contextmanager
    def fresh(self, server: Server, more: Mapping[str, str] | None = None) -> Generator[Client]:
        """A server just started and not yet greeted; ended afterwards with all that it started."""
        client = Client(server, str(self.place(server, "work")), self._environment(server, more or {}))
        try:
            yield client
        finally:
            client.close()

    @contextlib.contextmanager
    def ready(self, server: Server, more: Mapping[str, str] | None = None) -> Generator[Client]:
        """A server just started, ready for commands."""
        with self.fresh(server, more) as client:
            client.initialize()
            client.prepare()
            yield client

    def drop(self, server: Server) -> None:
        """Close a resident that is of no more use."""
        if resident := self._residents.pop(server.name, None):
            resident.close()

    def close(self) -> None:
        """Close every resident."""
        while self._residents:
            self._residents.popitem()[1].close()
