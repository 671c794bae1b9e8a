"""A person's home directory with a workspace in it, for tests of the sandbox, and servers that start there.

Not in /tmp, which commands in a sandbox have for themselves.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from wire_client import HANDSHAKE, WireClient

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

BWRAP = "bwrap"


@contextmanager
def scratch_directory() -> Generator[Path]:
    """A directory that is the same inside of a sandbox and outside."""
    place = next(path for path in ("/srv", "/opt", Path.home()) if os.access(path, os.W_OK))
    with tempfile.TemporaryDirectory(dir=place, prefix="nacre-test-") as directory:
        yield Path(directory).resolve()


class TestHome:
    """A home directory, and servers whose commands start in `project` below it."""

    __test__ = False  # pytest: no class of tests

    def __init__(self, base: Path, files: Mapping[str, str] | None = None) -> None:
        self.base = base
        self.home, self.workspace = base / "home", base / "home" / "project"
        self._clients: list[WireClient] = []
        self.workspace.mkdir(parents=True)
        for name, text in (files or {}).items():
            self.write(name, text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    def write(self, name: str, text: str) -> Path:
        """A file below the home directory."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def start(
        self,
        level: str,
        *options: str,
        without: str = "",
        settings: str = "",
        handshake: dict[str, Any] | None = None,
        **more: str,
    ) -> WireClient:
        """A server at a level; `without` names a program that it shall not find; `more` are variables."""
        environment = {"SOME_TOKEN": "PRIVATE", "PLAIN": "plain", **more}
        if without:
            environment["PATH"] = str(self.path_without(without))
        if settings:
            (self.base / "settings.toml").write_text(settings)
            options = (*options, "--config", str(self.base / "settings.toml"))
        client = WireClient(
            "--shell",
            "bash",
            "--sandbox",
            level,
            *options,
            cwd=self.workspace,
            env=self.environment(**environment),
        )
        self._clients.append(client)
        client.request("initialize", handshake or HANDSHAKE)
        client.notify("notifications/initialized")
        return client

    def environment(self, **more: str) -> dict[str, str]:
        """The variables of somebody who lives here."""
        return {**os.environ, "HOME": str(self.home), **more}

    def path_without(self, program: str) -> Path:
        """A directory for PATH that has all programs of this machine but one."""
        directory = self.base / f"without-{program}"
        if not directory.exists():
            directory.mkdir()
            for source in ("/usr/bin", "/bin"):
                for found in Path(source).iterdir():
                    if found.name != program and not (directory / found.name).exists():
                        (directory / found.name).symlink_to(found)
        return directory

    def end(self, client: WireClient) -> None:
        """Have a server end by itself, and wait for that."""
        client.hang_up()
        assert client.wait() == 0
        client.close()
        self._clients.remove(client)


def has(*programs: str) -> bool:
    """Whether these are installed here."""
    return all(map(shutil.which, programs))
