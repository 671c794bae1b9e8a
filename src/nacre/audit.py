"""The log: one line on stderr for every command that was run or refused. Never the values of an environment.

Above it: `service`, which calls `record` in the one `finally` nobody can pass by.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nacre.errors import NacreError
    from nacre.model import Command, Result

log = logging.getLogger("nacre")

SHOWN_CHARACTERS = 500


def one_line(text: str) -> str:
    """A command on one line, so that no output can pass for a log line."""
    shown = text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}… ({len(text):,} characters)"
    return shown.encode("unicode_escape").decode("ascii")


def started(command: Command) -> None:
    """Said only when verbose: the end of the command tells the same and more."""
    if log.isEnabledFor(logging.DEBUG):
        names = ",".join(sorted(command.environment)) or "-"
        log.debug("run in %s (timeout %gs, sets %s): %s", command.working_directory, command.timeout_s, names,
                  one_line(command.text))  # fmt: skip


def record(command: Command, outcome: Result | NacreError | None) -> None:
    """What became of a command; no outcome means that the caller has cancelled it."""
    if outcome is None:
        log.info("cancelled: %s", one_line(command.text))
    elif isinstance(outcome, Exception):
        log.warning("%s: %s -- %s", outcome.code, one_line(command.text), outcome.message)
    else:
        how = outcome.signal or f"exit {outcome.exit_code}"
        log.info("%s, %s, %d ms: %s", outcome.ended.value, how, outcome.execution_time_ms, one_line(command.text))
