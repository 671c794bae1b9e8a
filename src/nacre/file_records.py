"""The records of file work: what is asked, what was done. Frozen, without behaviour.

Like `model`, but loaded only by servers with file tools. Every floor above may import them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class ReadFile:
    """Read a part of a file. The offset counts what is skipped; without a limit, one page is read."""

    tool: ClassVar[str] = "read_file"
    writes: ClassVar[bool] = False
    path: str
    offset: int = 0
    limit: int | None = None
    unit: str = "lines"  # or bytes


@dataclass(frozen=True, slots=True)
class WriteFile:
    """Write a whole file."""

    tool: ClassVar[str] = "write_file"
    writes: ClassVar[bool] = True
    path: str
    content: bytes
    mode: str = "write"  # or create: only if it does not exist; replace: only if it does


@dataclass(frozen=True, slots=True)
class ListDirectory:
    """List a part of a directory, by name."""

    tool: ClassVar[str] = "list_directory"
    writes: ClassVar[bool] = False
    DEFAULT: ClassVar[int] = 1000
    path: str
    offset: int = 0
    limit: int = DEFAULT


FileWork = ReadFile | WriteFile | ListDirectory


@dataclass(frozen=True, slots=True)
class FileDone:
    """The path with links resolved, and a few words for the log."""

    path: str
    summary: str


@dataclass(frozen=True, slots=True)
class Page(FileDone):
    """A part of a file."""

    content: str
    encoding: str  # of `content`: utf-8, or base64 where the bytes are no text
    unit: str
    offset: int
    count: int  # lines or bytes in this page
    next: tuple[str, int] | None  # unit and offset of the next page
    total_bytes: int
    total_lines: int | None  # None: not counted


@dataclass(frozen=True, slots=True)
class Written(FileDone):
    """A file that was written."""

    size_bytes: int
    created: bool  # whether it did not exist before


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a directory."""

    name: str
    kind: str  # file, directory, link, other; unknown or gone
    size_bytes: int | None = None
    modified: str | None = None
    target: str | None = None  # of a link


@dataclass(frozen=True, slots=True)
class Listing(FileDone):
    """A part of a directory."""

    entries: tuple[Entry, ...]
    offset: int
    next: int | None
    total: int
