"""The records of the audit log, as data: what is written before a command starts, and when it has ended.

Above it: `recorder`, which writes them, and the abort file. It writes nothing itself. No record has the
content of an output, of a file or of an environment: sizes, a hash, names only.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.errors import NacreError, Refused
from nacre.model import Command, Result

if TYPE_CHECKING:
    from nacre.file_records import FileDone, FileWork

    Asked = Command | FileWork
    Outcome = Result | FileDone | NacreError | None

_CRASHES = ("keeper_lost", "internal")  # codes of errors that end a command which ran


@dataclass(slots=True)
class Entry:
    """One call in the log, from its beginning to its end: what its records have in common."""

    id: str = ""  # of both records; empty: there is no audit log
    began: float = 0.0  # time.monotonic() at the start; 0: it has not started
    verdict: str = ""  # allow, approved (by a person), deny
    rule: str = ""  # that has decided
    took_ms: int = 0  # from the start to the end


@dataclass(slots=True)
class Circumstances:
    """What is the same for all commands of a server, or for many of them."""

    client: str = ""
    client_version: str = ""
    sandbox: str = "off"


def time_text(when: float) -> str:
    """A time as it is written: UTC, in milliseconds."""
    whole, milliseconds = divmod(int(when * 1000), 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{milliseconds:03}Z"


def start_record(when: float, asked: Asked, entry: Entry, circumstances: Circumstances) -> dict[str, object]:
    """What is known before it starts."""
    return {"time": time_text(when), "event": "started", **_known(asked, entry, circumstances)}


def end_record(
    when: float, asked: Asked, outcome: Outcome, entry: Entry, circumstances: Circumstances
) -> dict[str, object]:
    """What became of it."""
    known = _known(asked, entry, circumstances)
    found: dict[str, object] = {"time": time_text(when), "event": "ended", **known, **end_of(outcome, entry)}
    if entry.began:
        found.setdefault("execution_time_ms", entry.took_ms)
    return found


def plain_record(when: float, asked: Asked, outcome: Outcome) -> dict[str, object]:
    """A command and its end, without details (for the abort file)."""
    return {"time": time_text(when), **_what(asked), **end_of(outcome, Entry())}


def _known(asked: Asked, entry: Entry, circumstances: Circumstances) -> dict[str, object]:
    known: dict[str, object] = {"id": entry.id, "pid": os.getpid()}
    if circumstances.client:
        known |= {"client": circumstances.client, "client_version": circumstances.client_version}
    if isinstance(asked, Command):
        known["place"] = asked.place
    known |= _what(asked)
    known["sandbox"] = circumstances.sandbox
    if entry.began:
        known |= {"verdict": entry.verdict or "allow", **({"rule": entry.rule} if entry.rule else {})}
    return known


def _what(asked: Asked) -> dict[str, object]:
    if not isinstance(asked, Command):
        return {"tool": asked.tool, "path": asked.path}
    what: dict[str, object] = {"command": asked.text, "working_directory": asked.working_directory}
    if asked.session is not None:
        what["session"] = asked.session
    what["environment"] = sorted(asked.environment)
    return what


def end_of(outcome: Outcome, entry: Entry) -> dict[str, object]:
    """How it ended, and what it has used and printed."""
    if outcome is None:
        return {"ended": "cancelled"}
    violation = {"security_violation": True} if is_violation(outcome) else {}
    if isinstance(outcome, NacreError):
        return {**how_it_failed(outcome, entry), "reason": outcome.message, **violation}
    if not isinstance(outcome, Result):
        return {"ended": "done", "real_path": outcome.path, "summary": outcome.summary}
    found: dict[str, object] = {
        "ended": outcome.ended.value,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "execution_time_ms": outcome.execution_time_ms,
        "cpu_ms": outcome.cpu_ms,
        "max_rss_bytes": outcome.max_rss_bytes,
        "stdout_bytes": outcome.stdout.total_bytes,
        "stderr_bytes": outcome.stderr.total_bytes,
    }
    if outcome.limit:
        found["limit"] = outcome.limit
    for name, stream in (("stdout", outcome.stdout), ("stderr", outcome.stderr)):
        if stream.sha256:
            found[f"{name}_sha256"] = stream.sha256
    if outcome.left_running_total:
        found["left_running"] = outcome.left_running_total
    if outcome.hints:  # a command that is not there, a file that may not be used
        found["hints"] = list(outcome.hints)
    return {**found, **violation}


def how_it_failed(error: NacreError, entry: Entry) -> dict[str, object]:
    """Whether nothing was run, or what ran was lost."""
    crashed = bool(entry.began) and error.code in _CRASHES
    found: dict[str, object] = {"ended": "crashed" if crashed else "not run", "code": error.code}
    if isinstance(error, Refused):
        found |= {"verdict": "deny", **({"rule": error.rule} if error.rule else {})}
    return found


def is_violation(outcome: Outcome) -> bool:
    """Whether something was tried that is not allowed: by the rules, or by a file's permissions (004)."""
    if isinstance(outcome, Refused):
        return True
    return isinstance(outcome, Result) and bool(outcome.hints) and "ermission denied" in outcome.stderr.text
