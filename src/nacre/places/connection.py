"""The link to the keeper of one place: opened once, and replaced when the keeper was killed.

Above it: a place, which knows how its keeper is started and set up. Below: `keeper.link`. It knows no shells
and no commands.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from nacre.errors import PlaceError
from nacre.keeper.error_advice import advice
from nacre.keeper.link import Link

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from nacre.keeper.launch import Launched

    # Sends a new keeper what all commands share, and the cookie of a lost one whose processes it must end.
    Greet = Callable[[Link, str], Coroutine[Any, Any, None]]

_log = logging.getLogger("nacre")


class KeeperConnection:
    """A link that works as long as a keeper can be started."""

    def __init__(
        self,
        launched: Launched,
        relaunch: Callable[[], Launched],
        greet: Greet,
        beside: KeeperConnection | None = None,
    ) -> None:
        """`relaunch` starts the next keeper, should this one be lost; one `beside` shares its directory."""
        self._relaunch = relaunch
        self._greet = greet
        self.current = Link(launched, before=beside.current if beside is not None else None)
        self._lost_cookie: str = ""
        self._opening = asyncio.create_task(greet(self.current, ""))

    @property
    def ready_link(self) -> Link | None:
        """The link, if its keeper is ready, as nearly always."""
        opened = self._opening.done() and self._opening.exception() is None
        return self.current if opened and not self.current.lost else None

    async def link(self) -> Link:
        """The link, once its keeper is ready. PlaceError: no keeper can be started."""
        if self.current.lost:
            self._revive()
        elif self._opening.done() and self._opening.exception() is not None:  # it may be ready by now
            self._opening = asyncio.create_task(self._greet(self.current, self._lost_cookie))
        if not self._opening.done():
            await asyncio.shield(self._opening)
        return self.current

    def _revive(self) -> None:
        """Start another keeper after a loss; it ends the old one's processes if no guardian does."""
        if not self._opening.done():
            return
        _log.warning("the keeper process is gone; another one is started")
        lost = self.current
        try:
            self.current = Link(self._relaunch(), before=lost)
        except OSError as error:
            raise PlaceError(
                f"nacre's keeper process cannot be started: {error.strerror}.", hint=advice(error.errno or 0)
            ) from None
        self._lost_cookie = "" if lost.guarded else lost.cookie
        self._opening = asyncio.create_task(self._greet(self.current, self._lost_cookie))

    async def close(self) -> None:
        """End the keeper and everything it keeps."""
        self._opening.cancel()
        await self.current.close()
