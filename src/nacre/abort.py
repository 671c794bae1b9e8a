"""The abort file: the result of a failed command, for a workflow that has to stop (specification 004).

Above it: `service`, which reports every command to it, as it does to the log. The file is written for
failures only, completely or not at all; the workflow that waits for it removes it. Its path comes from the
settings: no tool can choose another, and an error while writing it fails no command. A result that did not
fit on the disk is written as soon as there is room, unless a newer one has replaced it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import tempfile
import time
from typing import TYPE_CHECKING

from nacre.audit.records import plain_record
from nacre.errors import Asking, NacreError, RequestError
from nacre.model import Result
from nacre.output import leaving_value
from nacre.stderr import log

if TYPE_CHECKING:
    from nacre.model import Command


RETRY_S = 1.0


class AbortFile:
    """A file that exists after a command has failed: it did not run, or ended with a code other than 0."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(os.path.expanduser(path))
        directory = os.path.dirname(self._path)
        if os.path.isdir(self._path) or not os.access(directory, os.W_OK | os.X_OK):
            raise RequestError(
                f"The abort file cannot be written: {self._path}.",
                hint="Give --abort-file a file in a directory that is there and can be written.",
            )
        self._owed = ""  # what could not be written yet
        self._retry: asyncio.TimerHandle | None = None

    def record(self, command: Command, outcome: Result | NacreError | None) -> None:
        """Record a failed command. One that was cancelled, or that waits for a person, has not failed."""
        if outcome is None or isinstance(outcome, Asking):
            return
        if isinstance(outcome, Result) and outcome.ok:
            return
        entry = plain_record(time.time(), command, outcome)
        if isinstance(outcome, NacreError):
            entry["hint"] = outcome.hint
        else:
            entry |= {"timeout_seconds": outcome.timeout_s, "session": outcome.session}
            entry |= {"stdout": outcome.stdout.text, "stderr": outcome.stderr.text}
        was_reported = bool(self._owed)
        self._owed = json.dumps(leaving_value(entry), indent=2) + "\n"
        self._settle(was_reported=was_reported)

    def finish(self) -> None:
        """Try once more before the server ends."""
        if self._retry is not None:
            self._retry.cancel()
            self._settle(was_reported=True)

    def _settle(self, *, was_reported: bool) -> None:
        """Write the pending result, now or later."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        try:
            self._write(self._owed)
        except OSError as error:
            if not was_reported:
                reason = error.strerror or error
                log.error("the abort file %s cannot be written yet: %s", self._path, reason)
            self._retry = asyncio.get_running_loop().call_later(
                RETRY_S, lambda: self._settle(was_reported=True)
            )
        else:
            self._owed = ""
            if was_reported:
                log.warning("the abort file %s could be written at last", self._path)

    def _write(self, text: str) -> None:
        """Replace the file atomically; it is readable by this user only, since it may hold output."""
        directory, name = os.path.split(self._path)
        descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=directory)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
            os.replace(temporary, self._path)
        except OSError:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
