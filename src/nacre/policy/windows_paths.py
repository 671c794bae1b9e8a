"""The files that a path means to Windows, which takes many spellings for the same.

Above: `boundaries`. Below: `effects` and `paths`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.effects import PathUse, unknown_at
from nacre.policy.model import names
from nacre.policy.paths import joined
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

_ACTIVE = regex(r"[*?\[]")
# What can stand for the dot of `.git` and `.npmrc`: on Windows names that begin with one are like others.
_HIDDEN = regex(r"(?:(?<=/)|\A)(?:\*/|(?:\*|\?|\[[^\]/]*\])(?=[\w*?\[]))")
_CHANGES = frozenset({"write", "change", "touch", "fill"})
_SURELY_FILES = frozenset({"read", "write", "change", "touch", "fill", "enter"})
# `NACRE~1.TOM`: a second name that Windows gives to a file.
_SHORT_NAME = regex(r"~[0-9]")
# Drives of PowerShell, and those of Windows as seen from elsewhere: no directory below this one.
_DRIVE = regex(r"(?i)(?!env:)[a-z][\w.]*:")
# Programs, with names that PowerShell gives to nothing of its own.
_NO_CMDLETS = names(
    "git npm npx pnpm yarn bun node python python3 py pip uv dotnet cargo go docker kubectl gh make mvn"
)
_LETTERED = regex("(?i)[a-z]:")
_LETTER = 2  # `C:`
_ON_WINDOWS = "\\" in joined("a", "b")


def as_windows_reads(uses: Sequence[PathUse], shell: str, name: str) -> Iterator[PathUse]:
    """A backslash stands between directories, to PowerShell on all systems; commands look for patterns.

    Cmdlets know drives with names (`Temp:x`); to programs (`name`), and to cmd.exe, they are letters.
    """
    name = name.casefold()
    drives = shell != "cmd" and name not in _NO_CMDLETS and not name.endswith(".exe")
    for use in uses:
        word = use.word
        if use.access == "leave":
            continue
        if use.access in _SURELY_FILES and _SHORT_NAME.search(word.text):
            yield replace(use, word=unknown_at(word))
        for text in _as_windows_spells(word.text, drives=drives):
            pattern = _ACTIVE.search(text) if word.glob is None else None
            if text != word.text or pattern is not None:
                glob = pattern.start() if pattern is not None else word.glob
                yield replace(use, word=replace(word, text=text, glob=glob))
            hidden = _HIDDEN.sub(_with_dot, text) if use.access in _CHANGES else text
            if hidden != text:
                found = _ACTIVE.search(hidden)
                yield replace(use, word=replace(word, text=hidden, glob=found.start() if found else None))


def _with_dot(found: re.Match[str]) -> str:
    return ".*/" if found.group() == "*/" else "."


def _as_windows_spells(text: str, *, drives: bool) -> Iterator[str]:
    """The file that a path means: not the stream behind a colon, nor the dots and blanks at a name's end."""
    text = text.replace("\\", "/")
    drive = (_DRIVE if drives else _LETTERED).match(text)
    if drive is not None and len(drive.group()) == _LETTER and _ON_WINDOWS:
        yield drive.group() + "/".join(map(_without_stream, text[_LETTER:].split("/")))
        return
    plain = "/".join(map(_without_stream, text.split("/")))
    yield plain
    if drive is not None and not text.startswith(("http:", "https:")):
        yield f"/{plain}"


def _without_stream(name: str) -> str:
    name = name.partition(":")[0] or name
    return name.rstrip(". ") or name
