"""The log: one line on stderr for every command that was run or refused, and, if wanted, an audit file.

Never the values of an environment: its names only.

Above it: `service`, which calls `record` in a `finally` that every call passes.

Lines are gathered and written a moment later, many at once, so that no reply waits for its line; `flush`
writes what is left at the end. No trouble with the log reaches a command: lines on stderr are dropped and
counted (`stderr`), those of the audit file are kept, then counted (`trail`). Only where a person wants no
command without its record are commands refused until the file can be written again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import TYPE_CHECKING

from nacre import stderr
from nacre.errors import PlaceError, Refused, RequestError
from nacre.model import Command, Result
from nacre.output import leaving, leaving_text
from nacre.stderr import say, write_lines
from nacre.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nacre.errors import NacreError
    from nacre.file_records import FileDone, FileWork

    Asked = Command | FileWork
    Outcome = Result | FileDone | NacreError | None

log = logging.getLogger("nacre")

SHOWN_CHARACTERS = 500
GATHER_S = 0.02
RETRY_S = 1.0  # how often an audit log that cannot be written is tried again

_waiting: list[tuple[float, Asked, Outcome]] = []
_commands_logged = True
_trail: Trail | None = None  # the audit log
_required = False  # whether no command runs without it
_retrying = False
_words: Mapping[
    str, str
] = {}  # a document's own lines (`executing`, `exit_code`, `error`); said when verbose


def check() -> None:
    """Raise PlaceError when no command may run, because it could not be recorded."""
    if not _required or _trail is None or not _trail.failing:
        return
    _catch_up()
    if _trail.failing:
        raise PlaceError(
            f"Nothing was run: the audit log cannot be written ({_trail.failing}), and it is required.",
            code="no_audit",
            hint=f"Make room for {_trail.path}; commands run again as soon as it can be written.",
        )


def record(asked: Asked, outcome: Outcome) -> None:
    """What became of a command, or of file work; no outcome means that the caller has cancelled it."""
    if not _waiting and not _required:
        asyncio.get_running_loop().call_later(GATHER_S, flush)
    _waiting.append((time.time(), asked, outcome))
    if _required:
        flush()  # trouble is to be known before the next command
    if _words and isinstance(asked, Command) and log.isEnabledFor(logging.DEBUG):
        _say_the_end(outcome)  # at once: the next command's first line comes after it


def started(asked: Asked) -> None:
    """Logged only when verbose: the line at the end says the same and more."""
    if not log.isEnabledFor(logging.DEBUG):
        return
    if not isinstance(asked, Command):
        log.debug("starting: %s", one_line(_what(asked)))
        return
    names = ",".join(sorted(asked.environment)) or "nothing"
    session = f", session {one_line(asked.session)}" if asked.session is not None else ""
    where = f"in {asked.working_directory}{session}, timeout {asked.timeout_s:g} s, sets {names}"
    log.debug("starting (%s): %s", where, one_line(asked.text))
    _say_in_words("executing", command=one_line(asked.text))


def flush() -> None:
    """Write the lines that were gathered."""
    gathered = _waiting.copy()
    _waiting.clear()
    if _commands_logged and log.isEnabledFor(logging.INFO):
        write_lines((when, f"{_how(outcome)}: {one_line(_what(asked))}") for when, asked, outcome in gathered)
    if _trail is not None and gathered:
        _catch_up([_trail_line(*entry) for entry in gathered])


def _catch_up(lines: list[bytes] | None = None) -> None:
    """Bring the audit log up to date, as far as that can be done, and say when its fortune has changed."""
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


def _trail_line(when: float, asked: Asked, outcome: Outcome) -> bytes:
    """One command as JSON: what `nacre policy learn` reads, and a person's tools."""
    return leaving(json.dumps(entry(when, asked, outcome)).encode())[0] + b"\n"


def entry(when: float, asked: Asked, outcome: Outcome) -> dict[str, object]:
    """What became of it, as data: without output or content, and without values of an environment."""
    entry: dict[str, object] = {"time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))}
    if isinstance(asked, Command):
        entry |= {"command": asked.text, "working_directory": asked.working_directory}
        if asked.session is not None:
            entry["session"] = asked.session
        entry |= {"environment": sorted(asked.environment)}
    else:
        entry |= {"tool": asked.tool, "path": asked.path}
    if outcome is None:
        entry["ended"] = "cancelled"
    elif isinstance(outcome, Exception):
        entry |= {"ended": "not run", "code": outcome.code, "reason": outcome.message}
        if is_violation(outcome):
            entry["security_violation"] = True
    elif not isinstance(outcome, Result):
        entry |= {"ended": "done", "real_path": outcome.path, "summary": outcome.summary}
    else:
        entry |= {"ended": outcome.ended.value, "exit_code": outcome.exit_code, "signal": outcome.signal}
        entry |= {"execution_time_ms": outcome.execution_time_ms, "cpu_ms": outcome.cpu_ms}
        entry |= {"max_rss_bytes": outcome.max_rss_bytes}
        entry |= {"stdout_bytes": outcome.stdout.total_bytes, "stderr_bytes": outcome.stderr.total_bytes}
        if outcome.hints:  # a command that is not there, a file that may not be used
            entry["hints"] = list(outcome.hints)
        if is_violation(outcome):
            entry["security_violation"] = True
    return entry


def _how(outcome: Outcome) -> str:
    if outcome is None:
        return "cancelled"
    violation = "security violation, " if is_violation(outcome) else ""
    if isinstance(outcome, Exception):
        return f"{violation}not run ({outcome.code}, {one_line(outcome.message)})"
    if not isinstance(outcome, Result):
        return f"done, {outcome.summary}"
    end = outcome.signal or f"exit {outcome.exit_code}"
    why = "".join(f", {one_line(hint)}" for hint in outcome.hints)
    return f"{violation}{outcome.ended.value}, {end}, {outcome.execution_time_ms} ms{why}"


def is_violation(outcome: Outcome) -> bool:
    """Whether something was tried that is not allowed: by the rules, or by a file's permissions (004)."""
    if isinstance(outcome, Refused):
        return True
    return isinstance(outcome, Result) and bool(outcome.hints) and "ermission denied" in outcome.stderr.text


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
    global _commands_logged, _trail, _required, _words  # noqa: PLW0603  # the log is one for the process
    stderr.take_over_logging()
    log.setLevel(logging.DEBUG if verbose else logging.INFO)
    _commands_logged = commands
    _words = words or {}
    _required = required
    if trail is not None:
        try:
            _trail = Trail(trail, rotate_bytes)
        except OSError as error:
            raise RequestError(f"The audit log cannot be written: {trail}: {error.strerror}.") from None
    elif required:
        raise RequestError("An audit log that is required needs a file.", hint="Give --audit-log FILE.")
