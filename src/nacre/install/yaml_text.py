"""Changing one entry below a top-level key of a YAML text, line by line. Pure.

Above it: `settings_file`. Only block style is followed, which is what the client itself writes; anything else
at that key is refused with its line.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

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


def entries_of(text: str, top: str) -> dict[str, dict[str, object]]:
    """The entries below a key, each as far as it can be read: texts, lists of texts, tables of texts."""
    lines = _lines(text)
    start = _top_level(lines, top)
    if start is None:
        return {}
    margin = _margin_below(lines, start)
    found: dict[str, dict[str, object]] = {}
    for index in _block(lines, start):
        if match := re.match(rf"{margin}(\S.*?)[ ]*:[ ]*(?:#.*)?$", lines[index]):
            name = _scalar(match[1])
            span = _span(lines, start, margin, name) or range(index, index + 1)
            found[name] = _fields(lines[span.start + 1 : span.stop])
    return found


def entry_lines(text: str, path: Sequence[str]) -> list[str] | None:
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
    """How an entry is written, without a margin: what `entry_lines` answers for it."""
    return [line.rstrip() for line in _written(name, entry, "")]


def _lines(text: str) -> list[str]:
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if re.match(r" *\t", line):
            raise RequestError(f"line {number}: YAML is not indented with tabs", code="broken_settings")
    _refuse_second_document(lines)
    return lines


def _refuse_second_document(lines: list[str]) -> None:
    """Goose reads files of one document only, and which of two an entry belongs to is not ours to guess."""
    begun = False
    for number, line in enumerate(lines, 1):
        marker = re.match(r"(---|\.\.\.)(\s|$)", line)
        if marker and begun:
            raise RequestError(
                f"line {number}: '{marker[1]}' ends the YAML document, and the client reads only one",
                code="broken_settings",
            )
        begun = begun or bool(line.strip() and not line.lstrip().startswith(("#", "%")))


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


def _fields(lines: list[str]) -> dict[str, object]:
    """What the lines of an entry say: each field with the lines below it."""
    written = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    margin = min((_indent(line) for line in written), default=0)
    fields: dict[str, object] = {}
    key = ""
    for line in written:
        pair = _pair(line)
        if _indent(line) == margin and pair is not None:
            key, fields[pair[0]] = pair
        elif line.lstrip().startswith("- "):
            fields[key] = [*_list(fields.get(key)), _scalar(line.lstrip()[2:])]
        elif pair is not None:
            fields[key] = {**_table(fields.get(key)), pair[0]: pair[1]}
    return fields


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _pair(line: str) -> tuple[str, object] | None:
    """The key and the value of a line, unless it is a list item."""
    found = re.match(r"(?!- )(.+?)[ ]*:(?:[ ]+(.*))?$", line.strip())
    return None if found is None else (_scalar(found[1]), _value(found[2] or ""))


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _value(text: str) -> object:
    """A text, or a list or table of texts in braces, as JSON writes them."""
    try:
        return json.loads(text) if text[:1] in ("[", "{") else _scalar(text)
    except ValueError:
        return text


def _scalar(text: str) -> str:
    """A text without its quotes, or without the comment behind it."""
    text = text.strip()
    if text.startswith('"') and (found := re.match(r'"(?:[^"\\]|\\.)*"', text)):
        try:
            return str(json.loads(found[0]))
        except ValueError:
            return found[0][1:-1]
    if found := re.match(r"'((?:[^']|'')*)'", text):
        return found[1].replace("''", "'")
    return re.sub(r"(^|\s)#.*$", "", text).strip()


def _written(name: str, entry: Mapping[str, object], margin: str) -> list[str]:
    lines = [f"{margin}{name}:\n"]
    for key, value in entry.items():
        if isinstance(value, list) and value:
            items = cast("list[str]", value)
            lines += [f"{margin}  {key}:\n", *(f"{margin}  - {json.dumps(item)}\n" for item in items)]
        else:
            lines.append(f"{margin}  {key}: {json.dumps(value, ensure_ascii=False)}\n")
    return lines
