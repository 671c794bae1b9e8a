"""A trial: one command, run as a server would run it. What the other modules find things out with.

Above it: the checks that need a command. Below: the Python API.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from nacre.api import Session
from nacre.errors import NacreError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from nacre.config import Config
    from nacre.model import Result

PATIENCE_S = 20
AT_ONCE = asyncio.Semaphore(4)  # trials; each has a keeper, and limits of processes may be low


class TrialError(Exception):
    """The command could not be run; the text says why."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error) or f"no answer within {PATIENCE_S} s")
        self.hint: str = getattr(error, "hint", "")
        self.message: str = getattr(error, "message", str(self))


async def run(
    command: str,
    config: Config,
    shell: str | None = None,
    stdin: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Result:
    """The result of a command in a session of its own. TrialError: it could not be run."""
    with _told():
        async with AT_ONCE, asyncio.timeout(2 * PATIENCE_S), Session(shell, config=config) as session:
            return await session.run(
                command, timeout_s=PATIENCE_S, stdin=stdin, environment=dict(environment or {})
            )


async def say(command: str, config: Config, shell: str | None = None) -> str:
    """What a command prints."""
    return (await run(command, config, shell)).stdout.text


@contextlib.contextmanager
def _told() -> Generator[None]:
    try:
        yield
    except (NacreError, OSError, TimeoutError) as error:
        raise TrialError(error) from None
