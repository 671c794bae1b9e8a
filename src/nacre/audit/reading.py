"""Reading audit logs: selecting records, and one row for each command.

Above it: the command lines that show logs and report on them. Below: `chain`. It reads files and writes
none; it believes nothing of a record but that it is a JSON object.
"""

from __future__ import annotations

import os
import re
import time
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nacre.audit.chain import check_lines
from nacre.audit.trail import last_seal, seal_before_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from nacre.audit.chain import Checked

    _Identity = tuple[int, int]  # of a file: its device and number

NO_END = "no end"
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGO = re.compile(r"(\d+)([smhdw])")


def checked_lines(paths: Sequence[str]) -> Iterator[tuple[str, Checked]]:
    """All lines of some files, each file held against the end of the one before it."""
    before: str | None = None
    for path in in_order(paths):
        with open(path, "rb") as file:
            for line in check_lines(file, before):
                before = line.seal or before
                yield path, line


def in_order(paths: Sequence[str]) -> list[str]:
    """Files so that each follows the one whose last seal its first record names; else as they are given.

    A pattern of the shell (`audit.jsonl*`) has the newest first, and a clock may have been set back.
    """
    if len(paths) < 2 or not all(map(os.path.isfile, paths)):  # noqa: PLR2004  # one is in order
        return list(paths)
    ends = {path: (seal_before_file(path), last_seal(path)) for path in paths}
    by_last = {last: path for path, (_, last) in ends.items() if last}
    followers = {by_last.get(after, ""): path for path, (after, _) in ends.items() if after}
    ordered: dict[str, None] = {}
    firsts = [path for path in paths if ends[path][0] not in by_last]
    for path in (*firsts, *paths):
        following: str | None = path
        while following is not None and following not in ordered:
            ordered[following] = None
            following = followers.get(following)
    return list(ordered)


def commands(records: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One record for each command, and those that are of no command.

    The record of a start stands for its command only where no end follows: the server was killed, or the
    command runs still.
    """
    begun: dict[str, dict[str, Any]] = {}
    for record in records:
        identity = str(record.get("id"))
        if record.get("event") == "started":
            begun[identity] = record
        else:
            begun.pop(identity, None)
            yield record
    for record in begun.values():
        yield {**record, "ended": NO_END}


def moment(text: str) -> float:
    """A time that a person names: 2026-11-17, 2026-11-17T08:30, or how long ago: 90m, 2h, 7d. ValueError."""
    if found := _AGO.fullmatch(text):
        return time.time() - int(found[1]) * _UNITS[found[2]]
    when = datetime.fromisoformat(text)
    try:
        return (when if when.tzinfo else when.astimezone()).timestamp()
    except OverflowError:  # years that no clock of this machine knows
        raise ValueError(text) from None


def time_of(record: dict[str, Any]) -> float:
    """The time of a record; 0: unknown."""
    try:
        return datetime.fromisoformat(str(record.get("time"))).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The conditions that a record must meet, all of them."""

    session: str | None = None
    client: str | None = None
    since: float | None = None
    until: float | None = None
    ended: str | None = None
    text: str | None = None
    denied: bool = False
    failed: bool = False

    def holds(self, record: dict[str, Any]) -> bool:
        """Whether a record is one of them."""
        return (
            (self.session is None or record.get("session") == self.session)
            and (self.client is None or self.client.casefold() in str(record.get("client", "")).casefold())
            and (self.ended is None or record.get("ended") == self.ended)
            and (self.text is None or self.text.casefold() in what_of(record).casefold())
            and (not self.denied or is_denied(record))
            and (not self.failed or is_failed(record))
            and self._in_time(record)
        )

    def _in_time(self, record: dict[str, Any]) -> bool:
        if self.since is None and self.until is None:
            return True
        when = time_of(record)
        return (self.since is None or when >= self.since) and (self.until is None or when < self.until)


def is_denied(record: dict[str, Any]) -> bool:
    """Whether something was tried that is not allowed."""
    return bool(record.get("security_violation")) or record.get("verdict") == "deny"


def is_failed(record: dict[str, Any]) -> bool:
    """Whether a command did not end with code 0."""
    return "ended" in record and not (record.get("exit_code") == 0 or record["ended"] == "done")


def what_of(record: dict[str, Any]) -> str:
    """What was asked, in one text."""
    if record.get("missing"):
        return f"{record['missing']} records are missing: {record.get('reason', '')}"
    if "command" in record and record.get("event", "ended") in ("started", "ended"):
        return str(record["command"])
    if "tool" in record:
        return f"{record['tool']} {record.get('path', '')}"
    known = ("time", "event", "pid", "seal", "after")
    more = ", ".join(f"{name} {value}" for name, value in record.items() if name not in known)
    return f"{record.get('event', '?')}: {more}" if more else str(record.get("event", "?"))


def how_of(record: dict[str, Any]) -> str:
    """How it ended, in two words."""
    code = record.get("exit_code")
    reason = f"({record['code']})" if record.get("code") else ""
    how = f"exit {code}" if code is not None else record.get("signal") or reason
    ended = str(record.get("ended", ""))
    return str(how) if ended == "exited" and how else " ".join(filter(None, [ended, str(how)]))


def follow(path: str) -> Iterator[dict[str, Any] | None]:
    """All records of a file and those that are written from then on, also where it was moved aside.

    It never ends: None says that there is nothing new just now.
    """
    known = {identity for _, identity in _moved_aside(path)}
    file, pending, newer = open(path, "rb"), b"", deque["BinaryIO"]()  # noqa: SIM115  # closed below
    try:
        while True:
            if not newer:  # searched first: a rotated file no longer changes
                newer.extend(_newer(path, file, known))
            pending += file.read()
            *lines, pending = pending.split(b"\n")
            for line in check_lines(line + b"\n" for line in lines):
                if line.record is not None:
                    yield line.record
            if newer:
                file.close()
                file, pending = newer.popleft(), b""
            elif os.fstat(file.fileno()).st_size < file.tell():
                file.seek(0)  # it was emptied
            elif not lines:
                yield None
    finally:
        for each in (file, *newer):
            each.close()


def _newer(path: str, file: BinaryIO, known: set[_Identity]) -> list[BinaryIO]:
    """What is written to now, if that is another file; before it, those that were moved aside in between.

    `known` are those that were aside before; from now on, all that are: numbers are given to other files.
    """
    current = _identity(os.fstat(file.fileno()))
    if not os.path.exists(path) or _identity(os.stat(path)) == current:
        return []
    newest = open(path, "rb")  # noqa: SIM115  # the caller closes it
    aside = _moved_aside(path)
    seen = {*known, current, _identity(os.fstat(newest.fileno()))}
    between = [open(name, "rb") for name, identity in aside if identity not in seen]  # noqa: SIM115  # as that
    known.clear()
    known.update(identity for _, identity in aside)
    return [*between, newest]


def _moved_aside(path: str) -> list[tuple[str, _Identity]]:
    """The files beside a log whose names begin with its name, in the order in which they were written."""
    directory, base = os.path.split(os.path.abspath(path))
    with os.scandir(directory) as entries:
        found = [entry for entry in entries if entry.name.startswith(base) and entry.name != base]
    files = [(entry.stat(), entry.path) for entry in found if entry.is_file()]
    files.sort(key=lambda each: each[0].st_mtime_ns)
    return [(name, _identity(stat)) for stat, name in files]


def _identity(stat: os.stat_result) -> _Identity:
    return stat.st_dev, stat.st_ino
