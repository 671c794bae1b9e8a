"""Changing one entry below a top-level key of a YAML text, line by line. Pure.

Above it: `settings_file`. Only block style is followed, which is what the client itself writes; anything else
at that key is refused with its line.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from nacre.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def with_entry(text: str, path: Sequence[str], entry: Mapping[str, object]) -> str:
    """The text with that entry, at its old place or as the first below its key."""
    top, name = path
    lines = _lines(text)
    start = _top_level(lines, top)
    if start is None:
        if lines and lines[-1].strip():
            lines[-1] = lines[-1].rstrip("\n") + "\n"
        return "".join([*lines, f"{top}:\n", *_written(name, entry, "  ")])
    margin = _margin_below(lines, start)
    lines[start] = f"{top}:\n"
    span = _span(lines, start, margin, name) or range(start + 1, start + 1)
    return "".join([*lines[: span.start], *_written(name, entry, margin), *lines[span.stop :]])


def without_entry(text: str, path: Sequence[str]) -> str:
    """The text without that entry, which may be missing."""
    top, name = path
    lines = _lines(text)
    start = _top_level(lines, top)
    if start is None or (span := _span(lines, start, _margin_below(lines, start), name)) is None:
        return text
    del lines[span.start : span.stop]
    if not _block(lines, start):
        lines[start] = f"{top}: {{}}\n"
    return "".join(lines)


def entry_of(text: str, path: Sequence[str]) -> object:
    """The lines of an entry, without their margin, or None."""
    top, name = path
    lines = _lines(text)
    start = _top_level(lines, top)
    if start is None:
        return None
    margin = _margin_below(lines, start)
    span = _span(lines, start, margin, name)
    return None if span is None else [lines[index][len(margin) :].rstrip() for index in span]


def lines_of(name: str, entry: Mapping[str, object]) -> list[str]:
    """How an entry is written, without a margin: what `entry_of` answers for it."""
    return [line.rstrip() for line in _written(name, entry, "")]


def _lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if re.match(r" *\t", line):
            raise RequestError(f"line {number}: YAML is not indented with tabs", code="broken_settings")
    return lines


def _top_level(lines: list[str], key: str) -> int | None:
    for index, line in enumerate(lines):
        if found := re.match(rf"(['\"]?){re.escape(key)}\1[ ]*:(.*)$", line):
            value = found[2].split(" #")[0].strip()
            if value not in ("", "{}", "null", "~"):
                raise RequestError(
                    f"line {index + 1}: '{key}' is not written as a block", code="broken_settings"
                )
            return index
    return None


def _block(lines: list[str], start: int) -> range:
    """The lines below a top-level key."""
    end = start + 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " #"):
        end += 1
    while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    return range(start + 1, end)


def _margin_below(lines: list[str], start: int) -> str:
    for index in _block(lines, start):
        line = lines[index]
        if line.strip() and not line.lstrip().startswith("#"):
            return line[: len(line) - len(line.lstrip(" "))]
    return "  "


def _span(lines: list[str], start: int, margin: str, name: str) -> range | None:
    """The lines of the entry with that name."""
    block = _block(lines, start)
    for index in block:
        if re.match(rf"{margin}(['\"]?){re.escape(name)}\1[ ]*:", lines[index]):
            end = index + 1
            while end < block.stop and (not lines[end].strip() or lines[end].startswith(margin + " ")):
                end += 1
            return range(index, end)
    return None


def _written(name: str, entry: Mapping[str, object], margin: str) -> list[str]:
    lines = [f"{margin}{name}:\n"]
    for key, value in entry.items():
        if isinstance(value, list) and value:
            items = cast("list[str]", value)
            lines += [f"{margin}  {key}:\n", *(f"{margin}  - {json.dumps(item)}\n" for item in items)]
        else:
            lines.append(f"{margin}  {key}: {json.dumps(value, ensure_ascii=False)}\n")
    return lines
