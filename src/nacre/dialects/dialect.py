"""What a family of shells is: how a fresh shell gets one command, how a living one gets many. Pure.

Above it: the families (`posix`, `fish`, …) and those who run shells. It knows no shell by name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Protocol

ARGUMENT_LIMIT_BYTES = 120_000  # Linux takes 128 KiB in one argument; longer commands go through a file


@dataclass(frozen=True, slots=True)
class Dialect:
    """One family of shells, as far as a fresh shell for each command goes."""

    name: str
    flags: tuple[str, ...]  # what stands before the command text
    source: str  # a command that runs the text in a file
    known_as: tuple[str, ...]
    limit_bytes: int = ARGUMENT_LIMIT_BYTES  # what it takes as an argument
    one_line: bool = False  # whether it takes only one line as an argument
    prelude: str = ""  # what stands before the text in a file


@dataclass(slots=True)  # not frozen: one is made for every command
class Ask:
    """One command for a shell that lives on, and the files its keeper has made for it."""

    text: str
    marker: str
    base: str  # the files of this shell begin with this path
    pair: int
    directory: str | None = None  # go there first
    environment: dict[str, str] = field(default_factory=dict[str, str])  # export these first
    stdin: str | None = None
    last_code: int = 0
    turn: int = 0  # which command of its shell it is
    said: str = ""  # the line with the command, as the shell was given it; set by those who look for its echo

    @property
    def out(self) -> str:
        """The named pipe for stdout."""
        return f"{self.base}.{self.pair}o"

    @property
    def err(self) -> str:
        """The named pipe for stderr."""
        return f"{self.base}.{self.pair}e"

    @property
    def told(self) -> str:
        """The named pipe where the shell tells the end, if it opens that by its name."""
        return f"{self.base}.told"

    @property
    def input(self) -> str:
        """What the command reads."""
        return "/dev/null" if self.stdin is None else f"{self.base}.stdin"


@dataclass(frozen=True, slots=True)
class Ending:
    """What a shell tells on its private channel when a command is over."""

    code: int
    directory: str


class Persistent(Protocol):
    """How a shell that lives on is started, fed and understood."""

    @property
    def control(self) -> int:
        """The descriptor of the private channel in the shell; 0 where it has none."""
        ...

    @property
    def told(self) -> bool:
        """Whether it opens its private channel by its name, `Ask.told`, to tell the end of a command."""
        ...

    @property
    def shows_prompt(self) -> bool:
        """Whether it shows what `init` is given whenever it is ready for a line."""
        ...

    @property
    def silent(self) -> tuple[int, ...]:
        """Which of its own stdout and stderr hold nothing but prompts and noise."""
        ...

    @property
    def interrupt(self) -> tuple[str, str] | None:
        """The signal that ends a command, and who gets it: what the "turn" started, or also the "shell".

        None: nothing does; the shell is ended with it.
        """
        ...

    @property
    def prompt(self) -> str:
        """What a shell without a private channel shows when it is ready for a line; else nothing."""
        ...

    @property
    def output_encoding(self) -> str | None:
        """What it prints in where that is not UTF-8."""
        ...

    @property
    def environment(self) -> dict[str, str]:
        """What the shell itself is started with; its commands do not see it."""
        ...

    def init(self, ready: str) -> str:
        """The first text it is fed; `ready` is what it is to show when it waits for a line."""
        ...

    def argv(self, name: str) -> list[str]:
        """What starts it."""
        ...

    def check(self, ask: Ask) -> None:
        """Raise RequestError for what it cannot be given truthfully."""
        ...

    def feed(self, ask: Ask) -> tuple[str, dict[str, str]]:
        """The text that makes it run a command, and the files that text needs, by suffix.

        Behind that text comes `report`, but in a conversation, where it is the last line.
        """
        ...

    def report(self, ask: Ask) -> str:
        """The text that makes it tell the end of the present command; given again after an interrupt."""
        ...

    def read(self, record: str) -> Ending | None:
        """What it has told of the end; None for what it cannot have told."""
        ...

    def remark(self, ask: Ask, *, printed: bool) -> str:
        """What the caller should know who runs this in a session, by whether it printed; mostly nothing."""
        ...

    def clean(self, ask: Ask, stream: int, data: bytes) -> bytes:
        """The command's stdout (1) or stderr (2) without what the shell itself has added."""
        ...


class WithChannel:
    """What holds for every shell that has a private channel, named pipes for each command, and UTF-8."""

    __slots__ = ()
    told = False
    shows_prompt = False
    prompt = ""
    output_encoding = None

    def check(self, ask: Ask) -> None:
        """It takes everything."""

    def read(self, record: str) -> Ending | None:
        """As it was told."""
        return split_record(record)


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_identifier(name: str) -> bool:
    """Whether a shell can have a variable of that name."""
    return _IDENTIFIER.fullmatch(name) is not None


def split_record(record: str) -> Ending | None:
    """`code directory`, as it stood between two marks; None for anything else."""
    code, _, directory = record.partition(" ")
    return Ending(int(code), directory) if code.isdecimal() else None


def split_spoken(record: str, encoding: str) -> Ending | None:
    """The same of a conversation, where each character stands for a byte of what the shell printed."""
    ending = split_record(record)
    if ending is None:
        return None
    return Ending(ending.code, ending.directory.encode("latin-1").decode(encoding, "replace"))
