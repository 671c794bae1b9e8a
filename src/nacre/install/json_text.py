"""Changing one entry of a JSON text (comments and trailing commas allowed) without touching the rest. Pure.

Above it: `settings_file`. A small parser keeps the position of every member, so that comments, order and
indentation of all others stay as the person wrote them.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from nacre.errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_INDENT = "  "
_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass
class Value:
    """One value of the text: its position, and its members if it is an object."""

    start: int
    end: int = 0
    data: object = None
    members: list[Member] = field(default_factory=list["Member"])

    def member(self, key: str) -> Member | None:
        """The member with that key; of several, the one that counts."""
        return next((each for each in reversed(self.members) if each.key == key), None)


@dataclass
class Member:
    """One member of an object."""

    key: str
    start: int
    value: Value
    comma: int | None = None
    """Where the comma behind it stands, if there is one."""


def parse(text: str) -> Value:
    """The value of a whole text. RequestError: it is broken, with line and column."""
    reader = _Reader(text)
    value = reader.value()
    if reader.skip() != len(text):
        reader.fail("nothing more was expected")
    return value


class _Reader:
    """A position in a text that moves forward."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def fail(self, why: str) -> NoReturn:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - (self.text.rfind("\n", 0, self.at) + 1) + 1
        raise RequestError(f"line {line}, column {column}: {why}", code="broken_settings")

    def skip(self) -> int:
        """Pass blanks and comments; where we are then."""
        found = _BLANK.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.at

    def takes(self, mark: str) -> bool:
        self.skip()
        if not self.text.startswith(mark, self.at):
            return False
        self.at += len(mark)
        return True

    def value(self) -> Value:
        value = Value(self.skip())
        if self.takes("{"):
            self._members(value)
        elif self.takes("["):
            self._items(value)
        else:
            value.data = self._scalar()
        value.end = self.at
        return value

    def _members(self, value: Value) -> None:
        value.data = data = {}
        while not self.takes("}"):
            if value.members and value.members[-1].comma is None:
                self.fail("',' or '}' was expected")
            start = self.skip()
            key = self._string()
            if not self.takes(":"):
                self.fail("':' was expected")
            member = Member(key, start, self.value())
            data[key] = member.value.data
            value.members.append(member)
            if self.takes(","):
                member.comma = self.at - 1

    def _items(self, value: Value) -> None:
        value.data = data = list[object]()
        separated = True
        while not self.takes("]"):
            if not separated:
                self.fail("',' or ']' was expected")
            data.append(self.value().data)
            separated = self.takes(",")

    def _string(self) -> str:
        if not (found := _STRING.match(self.text, self.at)):
            self.fail("a string in double quotes was expected")
        self.at = found.end()
        try:
            return json.loads(found[0])
        except ValueError:
            self.at = found.start()
            self.fail("this string has an escape that JSON does not know")

    def _scalar(self) -> object:
        if self.text.startswith('"', self.at):
            return self._string()
        if not (found := _SCALAR.match(self.text, self.at)):
            self.fail("a value was expected")
        self.at = found.end()
        return json.loads(found[0])


def with_entry(text: str, path: Sequence[str], entry: object) -> str:
    """The text with that entry at that path; objects on the way are made where they are missing."""
    if not text.strip():
        return json.dumps(_nested(path, entry), indent=DEFAULT_INDENT, ensure_ascii=False) + "\n"
    here = parse(text)
    for depth, key in enumerate(path):
        members = _object(text, here, path[:depth])
        if (member := members.member(key)) is None:
            return _inserted(text, here, key, _nested(path[depth + 1 :], entry))
        here = member.value
    margin = _indent_of_line(text, here.start)
    return text[: here.start] + _dumped(text, entry, margin) + text[here.end :]


def without_entry(text: str, path: Sequence[str]) -> str:
    """The text without the entry at that path, which may be missing."""
    if not text.strip():
        return text
    here = parse(text)
    for depth, key in enumerate(path):
        member = _object(text, here, path[:depth]).member(key)
        if member is None:
            return text
        if depth == len(path) - 1:
            return _removed(text, here, member)
        here = member.value
    return text


def entries_of(text: str, key: str) -> dict[str, object]:
    """The entries of a top-level key, by name."""
    data = parse(text).data if text.strip() else None
    below = data.get(key) if isinstance(data, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]  # JSON
    return dict(below) if isinstance(below, dict) else {}  # pyright: ignore[reportUnknownArgumentType]  # the same


def _object(text: str, value: Value, path: Sequence[str]) -> Value:
    if not isinstance(value.data, dict):
        line = text.count("\n", 0, value.start) + 1
        what = f'"{".".join(path)}"' if path else "the whole file"
        raise RequestError(f"line {line}: {what} should be an object", code="broken_settings")
    return value


def _nested(path: Sequence[str], entry: object) -> object:
    for key in reversed(path):
        entry = {key: entry}
    return entry


def _dumped(text: str, entry: object, margin: str) -> str:
    lines = json.dumps(entry, indent=_indent_unit(text), ensure_ascii=False).split("\n")
    return "\n".join(lines[:1] + [margin + line for line in lines[1:]])


def _inserted(text: str, value: Value, key: str, entry: object) -> str:
    """A new last member of an object, on a line of its own."""
    outer = _indent_of_line(text, value.start)
    margin = outer + _indent_unit(text)
    if value.members and _begins_line(text, value.members[-1].start):
        margin = _indent_of_line(text, value.members[-1].start)
    new = f"\n{margin}{json.dumps(key)}: {_dumped(text, entry, margin)}"
    if not value.members:
        inside = text[value.start + 1 : value.end - 1].rstrip()
        return text[: value.start + 1] + inside + new + "\n" + outer + text[value.end - 1 :]
    last = value.members[-1]
    end = last.value.end if last.comma is None else last.comma + 1
    new = new if last.comma is None else new + ","
    comma = "," if last.comma is None else ""
    line_end = _rest_of_line(text, end)
    behind = text[line_end:] if "\n" in text[end : value.end] else "\n" + outer + text[line_end:]
    return text[:end] + comma + text[end:line_end] + new + behind


def _removed(text: str, value: Value, member: Member) -> str:
    index = value.members.index(member)
    end = member.value.end if member.comma is None else member.comma + 1
    start = member.start
    before = text[:start].rstrip(" \t")
    if index and member.comma is None:  # the last one: the comma before it goes too
        comma = value.members[index - 1].comma
        if comma is not None:
            before = before[:comma] + before[comma + 1 :]
    rest = text[end:]
    if before.endswith("\n") and not rest[: _rest_of_line(rest, 0)].strip():
        before = before[:-1]
        rest = rest[_rest_of_line(rest, 0) :]
    if (
        len(value.members) == 1
        and not before[value.start + 1 :].strip()
        and not rest[: rest.find("}")].strip()
    ):
        return before.rstrip() + rest[rest.find("}") :]
    return before + rest


def _rest_of_line(text: str, at: int) -> int:
    """Where a comment or blanks behind a member end, if they end its line."""
    found = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)?(?=\n)").match(text, at)
    return found.end() if found else at


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _indent_unit(text: str) -> str:
    found = re.search(r'^([ \t]+)"', text, re.MULTILINE)
    return found[1] if found else DEFAULT_INDENT
