"""Changing one table of a TOML text without touching the rest. Pure.

Above it: `settings_file`, which compares what the result means with what was wanted: a text written in a way
that this module does not follow (inline tables, dotted keys) is refused there, never damaged.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HEADER = re.compile(r"[ \t]*\[{1,2}[ \t]*([^\]#]+?)[ \t]*\]{1,2}[ \t]*(?:#.*)?$")


def parse(text: str) -> dict[str, object]:
    """What the text means. RequestError: it is broken, with its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(str(error), code="broken_settings") from None


def with_entry(text: str, path: Sequence[str], entry: Mapping[str, object]) -> str:
    """The text with that table, at its old place or at the end."""
    parse(text)
    table = "\n".join([f"[{'.'.join(path)}]", *(f"{key} = {_written(entry[key])}" for key in entry)])
    lines = text.splitlines(keepends=True)
    spans = _spans(lines, path)
    if not spans:
        before = text.rstrip()
        return (before + "\n\n" if before else "") + table + "\n"
    kept = [line for index, line in enumerate(lines) if not any(index in span for span in spans)]
    at = spans[0].start
    gap = "\n" if at < len(kept) and kept[at].strip() else ""
    return "".join(kept[:at]) + table + "\n" + gap + "".join(kept[at:])


def without_entry(text: str, path: Sequence[str]) -> str:
    """The text without that table and the tables below it."""
    parse(text)
    lines = text.splitlines(keepends=True)
    spans = _spans(lines, path)
    kept = "".join(line for index, line in enumerate(lines) if not any(index in span for span in spans))
    at_end = bool(spans) and spans[-1].stop == len(lines)
    return kept.rstrip() + "\n" if at_end and kept.strip() else kept


def entries_of(text: str, key: str) -> dict[str, object]:
    """The entries of a top-level key, by name."""
    data: Any = parse(text)
    below: Any = data.get(key) if isinstance(data, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # TOML
    return dict(below) if isinstance(below, dict) else {}  # pyright: ignore[reportUnknownArgumentType]  # the same


def _spans(lines: list[str], path: Sequence[str]) -> list[range]:
    """The lines of a table and of those below it; blank lines behind it belong to it, comments do not."""
    headers = [
        (index, _keys(found[1]))
        for index, line in enumerate(lines)
        if (found := _HEADER.match(line.rstrip("\n")))
    ]
    spans: list[range] = []
    for number, (index, keys) in enumerate(headers):
        if keys[: len(path)] == list(path):
            end = headers[number + 1][0] if number + 1 < len(headers) else len(lines)
            while end > index + 1 and lines[end - 1].lstrip().startswith("#"):
                end -= 1  # the comment above the next table is about that one
            spans.append(range(index, end))
    return spans


def _keys(header: str) -> list[str]:
    return [bare or quoted for quoted, bare in re.findall(r'"([^"]*)"|([A-Za-z0-9_-]+)', header)]


def _written(value: object) -> str:
    """A value in TOML; strings, numbers, truth values and lists of strings are written as in JSON."""
    return json.dumps(value, ensure_ascii=False)
