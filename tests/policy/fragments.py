"""Pieces of scripts for the generators: the sections of `fragments.txt`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_STANDS_FOR = {"%n%": "\n", "%t%": "\t", "%space%": " ", "%empty%": ""}


@cache
def _sections() -> dict[str, tuple[str, ...]]:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split("\n"):
        if line.startswith("== ") and line.endswith(" =="):
            current = sections.setdefault(line[3:-3], [])
        elif line:
            current.append(filled(line, _STANDS_FOR))
    return {name: tuple(items) for name, items in sections.items()}


def fragments(section: str) -> tuple[str, ...]:
    """The pieces of one section."""
    return _sections()[section]


def filled(text: str, values: dict[str, str]) -> str:
    """A piece with its places filled in."""
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text
