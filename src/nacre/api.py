"""The Python API: a session without MCP, with the same keeper and the same results.

    async with nacre.Session(shell="bash") as session:
        result = await session.run("make test", timeout_s=600)

Above it: programs. Below: `service`, the only way to a process; the place is this machine.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from nacre.config import Config
from nacre.errors import NacreError, RequestError
from nacre.keeper.launch import launch
from nacre.model import Command
from nacre.output import LeavingStreams
from nacre.places.local import Local
from nacre.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.model import Result

NAME = "session"


class Session:
    """A persistent shell; `async with` starts it, and ends it with everything it started."""

    def __init__(
        self, shell: str | None = None, *, working_directory: str | None = None, config: Config | None = None
    ) -> None:
        """`shell` by name or path (default: $SHELL); `config` for limits and everything else."""
        given = config or Config()
        self._config = replace(
            given,
            shell=shell or given.shell,
            working_directory=working_directory or given.working_directory,
        )
        self._service: Service | None = None

    async def __aenter__(self) -> Self:
        launched = launch() if self._config.sandbox == "off" else None
        try:
            self._service = Service(self._config, Local(self._config, launched))
        except NacreError:
            if launched is not None:
                launched.abandon()
            raise
        try:
            await self._service.check_shell()
        except BaseException:  # whatever it is, the keeper must not be left running
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._service is not None:
            await self._service.close()
            self._service = None

    async def run(  # noqa: PLR0913  # the words of the tool `shell`, all but one optional
        self,
        command: str,
        *,
        timeout_s: float | None = None,
        stdin: str | None = None,
        working_directory: str | None = None,
        environment: dict[str, str] | None = None,
        on_output: Callable[[int, bytes], None] | None = None,
    ) -> Result:
        """Run a command in the shell to its end. Cancelling interrupts it; the shell is kept if possible.

        `on_output` is called with a stream (1 or 2) and new bytes of it while the command runs.
        """
        service = self._open_service()
        asked = Command(
            text=command,
            working_directory=service.resolve_directory(working_directory, NAME),
            timeout_s=self._config.default_timeout_s if timeout_s is None else timeout_s,
            environment=environment or {},
            stdin=stdin,
            session=NAME,
        )
        if on_output is None:
            return await service.run(asked)
        streams = LeavingStreams(on_output)
        result = await service.run(asked, streams.feed)
        streams.finish()
        return result

    async def restart(self) -> None:
        """End the shell with all it started; a clean one takes its place."""
        await self._open_service().restart_session(NAME)

    @property
    def directory(self) -> str:
        """The shell's directory."""
        service = self._open_service()
        return service.sessions.directory_of(NAME) or service.default_directory

    def _open_service(self) -> Service:
        if self._service is None:
            raise RequestError(
                "The session is not open.", hint="Use it inside `async with nacre.Session() …`."
            )
        return self._service
