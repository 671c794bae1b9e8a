"""The seals of an audit log: each record carries a hash of itself and of the seal before it. Pure.

Above it: `trail`, which seals what it writes, and `nacre audit verify`, which checks it. So no record can be
changed, removed or moved without the next one showing it. What is cut off at the end leaves no trace: whoever
has to prove that nothing is missing there keeps the last seal elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SEALED = re.compile(rb'(\{.*), "seal": "([0-9a-f]{64})"\}\n?', re.DOTALL)
_AFTER = re.compile(rb'\{"after": "([0-9a-f]{64})", ')


def seal(line: bytes, before: str, *, first: bool = False) -> tuple[bytes, str]:
    """A line of JSON with its seal, and the seal. The first line of a file names the seal it comes after."""
    body = line.removesuffix(b"\n").removesuffix(b"}")
    if first and before:
        body = b'{"after": "' + before.encode() + b'", ' + body.removeprefix(b"{")
    own = _hash(before, body)
    return body + b', "seal": "' + own.encode() + b'"}\n', own


def _hash(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()


def seal_of(line: bytes) -> str:
    """The seal that a line carries; nothing for one without."""
    found = _SEALED.fullmatch(line)
    return found[2].decode() if found else ""


def seal_before(line: bytes) -> str:
    """The seal that the first line of a file names as the one before it; nothing where it names none."""
    found = _AFTER.match(line)
    return found[1].decode() if found else ""


@dataclass(frozen=True, slots=True)
class Checked:
    """One line of an audit log, and what is wrong with it."""

    number: int  # from 1, in its file
    record: dict[str, Any] | None  # None: it is not JSON
    seal: str
    problem: str = ""


def check_lines(lines: Iterable[bytes], before: str | None = None) -> Iterator[Checked]:
    """Look at each line of a file. `before`: the last seal of the file before it, if that was checked."""
    known, began = before or "", False
    for number, line in enumerate(lines, 1):
        found = _SEALED.fullmatch(line)
        if found is None:
            yield Checked(number, _parsed(line), "", _without_seal(line, began=began))
            continue
        body, own = found[1], found[2].decode()
        after = _AFTER.match(body)
        if after is not None and number == 1:
            problem = _wrong_start(after[1].decode(), before)
            known = after[1].decode()
        else:
            problem = ""
        if number == 1 and before and _hash("", body) == own:
            problem = "it begins a chain of its own, and does not follow the file before it"
        elif _hash(known, body) != own:
            problem = (
                "it was changed, or records before it were removed or moved"
                if began or known
                else "it was changed, or it is not the first: records before it are missing"
            )
        yield Checked(number, _parsed(line), own, problem)
        known, began = own, True


def _wrong_start(after: str, before: str | None) -> str:
    if before is None or before == after:
        return ""
    return "it does not follow the file before it: records are missing between them"


def _without_seal(line: bytes, *, began: bool) -> str:
    """A line that was torn is the trace of a killed server, and what came before the first seal is older."""
    if _parsed(line) is None:
        return (
            "" if not line.strip() else "it is torn: its server was killed while it wrote, or it was changed"
        )
    return "it has no seal: nacre did not write it, or it was changed" if began else ""


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", record) if isinstance(record, dict) else None
