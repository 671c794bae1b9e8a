"""All sessions of one server, by name: created on first use, limited in number, closed when idle.

Above it: `service`. Below: `session`.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from nacre.errors import RequestError
from nacre.executions.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.config import Config
    from nacre.keeper.frames import Left
    from nacre.places.place import Place

NAME_LIMIT = 64
REMEMBERED = 1000  # sessions that were closed when idle


class Sessions:
    """The open sessions."""

    def __init__(self, place: Place, config: Config) -> None:
        self.place = place
        self._config = config
        self._sessions: dict[str, Session] = {}
        self._watch: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[Left]] = set()
        self._closed_idle: dict[str, tuple[str, str]] = {}  # their last directory, and why they were closed

    def adopt(self, config: Config) -> None:
        """Use other settings from now on."""
        self._config = config
        for session in self:
            session.config = config

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._sessions.values()))

    def open(self, name: str, directory: str) -> Session:
        """The session of that name; a new one begins in `directory`."""
        session = self._sessions.get(name)
        if session is None:
            session = self._make(name, directory)
        return session

    def _make(self, name: str, directory: str) -> Session:
        if not name.strip() or len(name) > NAME_LIMIT or not name.isprintable():
            raise RequestError(f"session must be a name of 1 to {NAME_LIMIT} printable characters.")
        if len(self._sessions) >= self._config.max_sessions:
            raise RequestError(
                f"There are {self._config.max_sessions} sessions already, which is the limit.",
                code="too_many_sessions",
                hint=f"Close one, or use one of: {', '.join(self._sessions)}.",
            )
        session = Session(name, self.place, self._config, directory)
        self._sessions[name] = session
        if name in self._closed_idle:
            session.continue_from(*self._closed_idle.pop(name))
        if self._watch is None and self._config.session_idle_s:
            self._watch_idle(self._config.session_idle_s)
        return session

    def directory_of(self, name: str) -> str | None:
        """The directory of a session, or the one it would start in; None if it never existed."""
        if name in self._sessions:
            return self._sessions[name].directory
        return self._closed_idle[name][0] if name in self._closed_idle else None

    def find(self, name: str) -> Session:
        """The session of that name. Raises RequestError when there is none."""
        if name not in self._sessions:
            known = f"There are: {', '.join(self._sessions)}." if self._sessions else "There are none."
            raise RequestError(f"There is no session '{name}'.", code="no_session", hint=known)
        return self._sessions[name]

    async def close(self, name: str) -> Left:
        """End a session and everything that it started; returns processes that could not be killed."""
        session = self.find(name)
        del self._sessions[name]
        session.refuse_commands()
        return await session.close()

    def stop(self) -> None:
        """Refuse waiting commands, since the server ends; its keeper ends the shells."""
        if self._watch is not None:
            self._watch.cancel()
        for session in self:
            session.refuse_commands("was closed because the server ends")

    # -- idle sessions

    def _watch_idle(self, delay_s: float) -> None:
        self._watch = asyncio.get_running_loop().call_later(delay_s, self.close_idle)

    def close_idle(self) -> None:
        """Close the sessions that were idle too long, and look again when the next one is due."""
        if self._watch is not None:
            self._watch.cancel()
        self._watch = None
        now, limit_s = time.monotonic(), self._config.session_idle_s
        rests: list[float] = []
        for name, session in list(self._sessions.items()):
            rest_s = session.used + limit_s - now
            if session.busy or rest_s > 0:
                rests.append(rest_s if rest_s > 0 else limit_s)
            else:
                self._close_idle(name)
        if rests:
            self._watch_idle(min(rests))

    def _close_idle(self, name: str) -> None:
        """Close one at once: the next command gets a new session, and its result says why."""
        session = self._sessions.pop(name)
        why = f"was closed after {self._config.session_idle_s:,} s without use"
        session.refuse_commands(why)
        self._closed_idle[name] = session.directory, why
        while len(self._closed_idle) > REMEMBERED:
            del self._closed_idle[next(iter(self._closed_idle))]
        closing = asyncio.create_task(session.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
