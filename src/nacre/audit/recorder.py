"""The log: one line on stderr for every command that was run or refused, and, if wanted, an audit file.

Never the values of an environment: its names only.

Above it: `service`, which calls `record` in a `finally` that every call passes.

No reply waits for its line: lines on stderr are gathered and written a moment later, many at once, and the
record of an end is written as soon as its reply is, or together with the next one, where other commands run;
`flush` writes what is left. That a command starts is in the audit file before it does: a server that is
killed leaves the trace of what it had begun. No trouble with the log reaches a command: lines on
stderr are dropped and counted (`stderr`), those of the audit file are kept, then counted (`trail`). Only
where a person wants no command without its record are commands refused until the file can be written again.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import time
from typing import TYPE_CHECKING, Protocol

from nacre import stderr
from nacre.audit.records import (
    Circumstances,
    Entry,
    end_record,
    how_it_failed,
    is_violation,
    start_record,
    time_text,
)
from nacre.errors import PlaceError, Refused, RequestError
from nacre.model import Command, Result
from nacre.output import leaving, leaving_text
from nacre.stderr import log, say, write_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nacre.audit.records import Asked, Outcome
    from nacre.audit.trail import Trail

SHOWN_CHARACTERS = 500
GATHER_S = 0.02
RETRY_S = 1.0  # how often an audit log that cannot be written is tried again


class Work(Protocol):
    """A command, or file work, on its way; what else an observer may ask of it is up to the two of them."""

    @property
    def asked(self) -> Asked:
        """What is recorded of it."""
        ...


class Observer(Protocol):
    """Who is told of commands while they come and go."""

    def started(self, work: Work, entry: Entry) -> None:
        """One is about to start."""
        ...

    def ended(self, asked: Asked, outcome: Outcome, entry: Entry) -> None:
        """One has ended, or was not run."""
        ...

    def noted(self, event: str, more: Mapping[str, object]) -> None:
        """Something else has happened."""
        ...


circumstances = Circumstances()
observers: list[Observer] = []  # called with every command
_unsaid: list[tuple[float, Asked, Outcome, Entry]] = []  # ends whose lines on stderr are still to come
_unrecorded: list[tuple[float, Asked, Outcome, Entry]] = []  # ends that the audit log still lacks
_under_way: set[str] = set()  # commands whose start is in the audit log, and whose end is not known yet
_server_id = ""  # of this run of the server, in the ids of its records
_numbers = itertools.count(1)
_commands_logged = True
_verbose = False
_trail: Trail | None = None  # the audit log
_required = False  # whether no command runs without it
_retrying = False
_not_rotated = ""  # why the file could not be moved aside, as far as that was said
_words: Mapping[
    str, str
] = {}  # a document's own lines (`executing`, `exit_code`, `error`); said when verbose


def check() -> None:
    """Raise PlaceError when no command may run, because it could not be recorded."""
    if not _required or _trail is None or not _trail.failing:
        return
    _catch_up()
    if _trail.failing:
        raise _not_recorded(_trail)


def _not_recorded(trail: Trail) -> PlaceError:
    return PlaceError(
        f"Nothing was run: the audit log cannot be written ({trail.failing}), and it is required.",
        code="no_audit",
        hint=f"Make room for {trail.path}; commands run again as soon as it can be written.",
    )


def record(asked: Asked, outcome: Outcome, entry: Entry) -> None:
    """What became of a command, or of file work; no outcome means that the caller has cancelled it."""
    if not _unsaid and not _required:
        asyncio.get_running_loop().call_later(GATHER_S, flush)
    if entry.began:
        entry.took_ms = round((time.monotonic() - entry.began) * 1000)
    end = (time.time(), asked, outcome, entry)
    _unsaid.append(end)
    if _trail is not None:
        entry.id = entry.id or _next_id()
        _unrecorded.append(end)
        _under_way.discard(entry.id)
    if _required:
        flush()  # so that trouble is known before the next command
    elif _trail is not None and not _under_way:
        asyncio.get_running_loop().call_soon(_write_records)  # behind the reply, which is about to be sent
    for observer in observers:
        observer.ended(asked, outcome, entry)
    if _words and _verbose and isinstance(asked, Command):
        _say_the_end(outcome)  # at once: the next command's first line comes after it


def started(work: Work, entry: Entry) -> None:
    """It is about to start; what says so is in the audit log before it does.

    PlaceError: it is not, and has to be. On stderr only when verbose: the line at the end says more.
    """
    entry.began = time.monotonic()
    if _trail is not None:
        entry.id = _next_id()
        _write_records(start_record(time.time(), work.asked, entry, circumstances))
        if _required and _trail.failing:
            entry.began = 0.0
            raise _not_recorded(_trail)
        _under_way.add(entry.id)
    for observer in observers:
        observer.started(work, entry)
    if _verbose:
        _say_the_start(work.asked)


def _next_id() -> str:
    return f"{_server_id}-{next(_numbers)}"


def note(event: str, **more: object) -> None:
    """Something that is not a command: other settings, input for a job, a person who takes over."""
    if _trail is not None:
        _write_records({"time": time_text(time.time()), "event": event, "pid": os.getpid(), **more})
    for observer in observers:
        observer.noted(event, more)


def identify(client: str, version: str) -> None:
    """Who sends the commands, by its own account."""
    circumstances.client, circumstances.client_version = client, version


def _say_the_start(asked: Asked) -> None:
    if not isinstance(asked, Command):
        log.debug("starting: %s", one_line(_what(asked)))
        return
    names = ",".join(sorted(asked.environment)) or "nothing"
    session = f", session {one_line(asked.session)}" if asked.session is not None else ""
    where = f"in {asked.working_directory}{session}, timeout {asked.timeout_s:g} s, sets {names}"
    log.debug("starting (%s): %s", where, one_line(asked.text))
    _say_in_words("executing", command=one_line(asked.text))


def flush() -> None:
    """Write what was gathered."""
    gathered = _unsaid.copy()
    _unsaid.clear()
    if gathered and _commands_logged and log.isEnabledFor(logging.INFO):
        write_lines(
            (when, f"{_how(outcome, entry)}: {one_line(_what(asked))}")
            for when, asked, outcome, entry in gathered
        )
    _write_records()


def _write_records(latest: dict[str, object] | None = None) -> None:
    """Write the ends that the audit log lacks, and one more record behind them."""
    if _trail is None or not (_unrecorded or latest):
        return
    lines = [_line(end_record(*end, circumstances)) for end in _unrecorded]
    _unrecorded.clear()
    if latest is not None:
        lines.append(_line(latest))
    _catch_up(lines)


def _line(found: dict[str, object]) -> bytes:
    """A record as JSON: what `nacre policy learn` reads, and a person's tools."""
    return leaving(json.dumps(found).encode())[0] + b"\n"


def _catch_up(lines: list[bytes] | None = None) -> None:
    """Bring the audit log up to date if possible; say when it begins to fail, and when it works again."""
    if _trail is None:
        return
    failed_before, missing = _trail.failing, _trail.missing
    _trail.write(lines or [])
    if _trail.failing and not failed_before:
        refused = "commands are refused" if _required else "commands run all the same"
        log.error("the audit log %s cannot be written: %s; %s", _trail.path, _trail.failing, refused)
        _retry_later()
    elif failed_before and not _trail.failing:
        log.warning("the audit log %s can be written again; %d records are missing", _trail.path, missing)
    _tell_of(_trail)


def _tell_of(trail: Trail) -> None:
    """Say once what else is wrong with the file."""
    global _not_rotated  # noqa: PLW0603  # the log is one for the process
    if trail.cut:
        trail.cut = False
        log.error("the audit log %s lacks records that this server had written: it was changed", trail.path)
    if trail.not_rotated and trail.not_rotated != _not_rotated:
        log.error("the audit log %s cannot be moved aside, and grows on: %s", trail.path, trail.not_rotated)
    _not_rotated = trail.not_rotated


def _retry_later() -> None:
    global _retrying  # noqa: PLW0603  # the log is one for the process
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # the process is about to end
        return
    if not _retrying:
        _retrying = True
        loop.call_later(RETRY_S, _retry)


def _retry() -> None:
    global _retrying  # noqa: PLW0603  # as above
    _retrying = False
    if _trail is not None and _trail.failing:
        _catch_up()
        _retry_later()


def _say_the_end(outcome: Outcome) -> None:
    """The end of a command in a document's words; a refusal has no such line there."""
    if isinstance(outcome, Refused):
        return
    if isinstance(outcome, Exception):
        _say_in_words("error", error=one_line(outcome.message))
    elif isinstance(outcome, Result):
        _say_in_words("exit_code", code=-1 if outcome.exit_code is None else outcome.exit_code)


def _say_in_words(name: str, **values: object) -> None:
    if name in _words:
        say(_words[name].format(**values))


def _what(asked: Asked) -> str:
    return asked.text if isinstance(asked, Command) else f"{asked.tool} {asked.path}"


def _how(outcome: Outcome, entry: Entry) -> str:
    if outcome is None:
        return "cancelled"
    violation = "security violation, " if is_violation(outcome) else ""
    if isinstance(outcome, Exception):
        ended = how_it_failed(outcome, entry)["ended"]
        return f"{violation}{ended} ({outcome.code}, {one_line(outcome.message)})"
    if not isinstance(outcome, Result):
        return f"done, {outcome.summary}"
    end = outcome.signal or f"exit {outcome.exit_code}"
    why = "".join(f", {one_line(hint)}" for hint in outcome.hints)
    return f"{violation}{outcome.ended.value}, {end}, {outcome.execution_time_ms} ms{why}"


def one_line(text: str) -> str:
    """A text on one line, so that no command can pass for a log line of its own."""
    text = leaving_text(text)
    shown = (
        text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}… ({len(text):,} characters)"
    )
    return shown if shown.isprintable() else shown.encode("unicode_escape").decode("ascii")


def finish() -> None:
    """Write what is left; the process is about to end."""
    flush()
    if _trail is not None and _trail.behind:
        _trail.catch_up()
        if _trail.failing:
            log.error("the audit log %s lacks the last records: %s", _trail.path, _trail.failing)
    stderr.finish()


def configure(  # noqa: PLR0913  # by name
    *,
    verbose: bool,
    commands: bool = True,
    trail: str | None = None,
    rotate_bytes: int = 0,
    required: bool = False,
    words: Mapping[str, str] | None = None,
) -> None:
    """Take root logging over before the SDK does; open the audit trail, if one is wanted."""
    global _commands_logged, _verbose, _trail, _required, _words, _server_id  # noqa: PLW0603  # the log is one for the process
    stderr.take_over_logging()
    stderr.hide = leaving_text
    log.setLevel(logging.DEBUG if verbose else logging.INFO)
    _commands_logged, _verbose = commands, verbose
    _words = words or {}
    _required = required
    if trail is not None:
        from nacre.audit.trail import Trail  # noqa: PLC0415  # only servers with an audit log

        _server_id = os.urandom(4).hex()
        try:
            _trail = Trail(trail, rotate_bytes)
        except OSError as error:
            raise RequestError(f"The audit log cannot be written: {trail}: {error.strerror}.") from None
        if _trail.exposed:
            log.warning("the audit log %s %s", _trail.path, _trail.exposed)
        if _trail.torn:
            log.warning("%s: its last record is not whole: its server was killed while it wrote", _trail.path)
    elif required:
        raise RequestError("An audit log that is required needs a file.", hint="Give --audit-log FILE.")
