"""The line of a settings file that an error message is about. Pure.

Above it: `layers`, which has the message about the mistake and the text of the file. A message names the
setting (`shell_tool.timeout`), the secret or the rule that is wrong; TOML's parser does not keep lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Line(NamedTuple):
    """A line with a key, or the header of a table."""

    number: int
    table: str
    key: str  # empty: a header
    text: str


def line_of(text: str, table: Mapping[str, Any], message: str) -> int | None:
    """The line that an error message is about; None: it names no setting of the text."""
    for outer, key in _names(table):
        if re.search(_spelled(outer, key), message):
            lines = {(line.table, line.key): line.number for line in reversed([*_lines(text)])}
            written = ((outer, key), ("", f"{outer}.{key}"), ("", outer))
            return next((lines[place] for place in written if place in lines), None)
    return _line_of_rule(text, message) if message.startswith("The policy") else None


def _names(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The settings of a table, those of inner tables first."""
    for outer, value in table.items():
        if isinstance(value, dict):
            yield from ((outer, str(key)) for key in cast("dict[str, Any]", value))
    yield from (("", key) for key, value in table.items() if key != "policy" or not isinstance(value, dict))


def _spelled(outer: str, key: str) -> str:
    """How messages name a setting."""
    name = re.escape(key)
    if outer == "policy":
        return rf"policy setting '{name}'|in '{name}'"
    if outer == "secrets":
        return rf"^The secret '?{name}\b"
    return rf"(?<![\w.]){re.escape(outer)}\.{name}(?!\w)" if outer else rf"(?<![\w.']){name}(?![\w.'])"


def _line_of_rule(text: str, message: str) -> int | None:
    """The first line below [policy] that has what the message quotes."""
    for quoted in re.findall(r"'([^']+)'", message):
        for line in _lines(text, every=True):
            if line.table == "policy" and quoted in line.text:
                return line.number
    return None


def _lines(text: str, *, every: bool = False) -> Iterator[Line]:
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$", line):
            table = header[1].replace('"', "")
            yield Line(number, "", table, line)
        elif (found := re.match(r'\s*"?([\w.-]+)"?\s*=', line)) or every:
            yield Line(number, table, found[1] if found else "", line)
