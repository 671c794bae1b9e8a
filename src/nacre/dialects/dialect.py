"""What a dialect is: everything that nacre has to know about one family of shells. Pure.

Above it: a module for each family (`posix`, `fish`, …), which fills in one `Dialect`, and the registry in
`nacre.dialects`. It knows no shell by name.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nacre.filesystem import FileSystem

ARGUMENT_LIMIT_BYTES = 120_000  # Linux takes 128 KiB in one argument; longer commands go through a file
NOT_FOUND = 127  # the exit code for a missing command in most shells
# Windows searches the current directory first: a file of the project, `git.bat`, would take the place of git.
ONLY_ON_PATH = {"NoDefaultCurrentDirectoryInExePath": "1"}


@dataclass(frozen=True, slots=True)
class Shell:
    """A shell that was found: its file, and what is known about its family."""

    path: str
    dialect: Dialect
    name: str  # argv[0], and its usual name
    real_name: str = ""  # the target of the link: `sh` may be dash, bash or busybox
    runner: str = ""  # the program that runs it, where the system cannot (wine)
    runner_files: str = ""  # where that program keeps its files

    @property
    def executable(self) -> str:
        """The program that is started."""
        return self.runner or self.path

    @property
    def language(self) -> str:
        """The policy's name of its language; empty: the policy cannot read it."""
        language = self.dialect.language
        return self.name.removesuffix(".exe").lower() if language is None else language

    def once(self, text: str) -> tuple[list[str], str | None]:
        """The argv that runs one command in a fresh shell, and the script file it reads, if it needs one."""
        return self.dialect.once(self, text)

    def persistent(self) -> Persistent:
        """How this shell is used for several commands."""
        return self.dialect.persistent(self)

    def argv(self, persistent: Persistent) -> list[str]:
        """The argv that starts a persistent one."""
        return persistent.argv(self.path if self.runner else self.name)


@dataclass(frozen=True, slots=True)
class CommandLists:
    """How a list of allowed commands (specification 000) is enforced in a family."""

    quoting: str  # the entry in `nacre.policy.single_command` that parses its arguments
    quotes: str  # how to quote an argument, in words
    # Inserts the full path of a listed program, where the shell would search its directory first; empty:
    # there is no such program.
    by_full_path: Callable[[Shell, str, str, FileSystem], str] | None = None


def once_as_argument(shell: Shell, text: str) -> tuple[list[str], str | None]:
    """The command as an argument, or as a file where it is too long for one."""
    dialect = shell.dialect
    fits = len(text) * 4 < dialect.limit_bytes or len(os.fsencode(text)) < dialect.limit_bytes
    if fits and not (dialect.one_line and "\n" in text.strip()):
        argument = text.strip() if dialect.one_line else text
        if dialect.end_of_options and argument.startswith(
            ("-", "+")
        ):  # or it would be taken for options of the shell
            return [shell.name, *dialect.flags, dialect.end_of_options, argument], None
        return [shell.name, *dialect.flags, argument], None
    return [shell.name, *dialect.flags, dialect.source], dialect.prelude + text


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One family of shells."""

    name: str
    programs: tuple[str, ...]  # the names of its shells, in lower case and without `.exe`
    examples: tuple[str, ...] = ()  # the shells that messages name
    # A fresh shell for each command
    flags: tuple[str, ...]  # arguments before the command text
    end_of_options: str = ""  # the argument before a text that looks like an option
    source: str  # a command that runs the text in a file
    limit_bytes: int = ARGUMENT_LIMIT_BYTES  # the longest argument
    one_line: bool = False  # whether it takes only one line as an argument
    prelude: str = ""  # lines before the text in a file
    once: Callable[[Shell, str], tuple[list[str], str | None]] = once_as_argument
    environment: Mapping[str, str] = field(default_factory=dict[str, str])  # added to that of all commands
    held_environment: Mapping[str, str] = field(default_factory=dict[str, str])  # and this under rules
    output_encoding: str | None = None  # of output that is not UTF-8; None: the system's usual one
    # A persistent shell
    persistent: Callable[[Shell], Persistent]
    # Around a command
    # Finds it where PATH does not, from the requested name, the environment and the files of a place.
    find: Callable[[str, Mapping[str, str], FileSystem], Shell | None] | None = None
    login_flags: tuple[str, ...] = ()  # to run a text as a login shell; empty: it has no login files
    missing: tuple[re.Pattern[str], ...] = ()  # its messages for a missing command, with a group `name`
    missing_code: int | None = NOT_FOUND  # the exit code with such a message; None: any
    language: str | None = None  # the policy's name of its language; empty: none; None: the shell's own name
    lists: CommandLists | None = None  # None: a list of allowed commands cannot be enforced in it


@dataclass(slots=True)  # not frozen: created for every command
class TurnRequest:
    """One command for a persistent shell, and the files that its keeper has created for it."""

    text: str
    marker: str
    base: str  # the files of this shell begin with this path
    pair: int
    directory: str | None = None  # go there first
    environment: dict[str, str] = field(default_factory=dict[str, str])  # export these first
    stdin: str | None = None
    last_code: int = 0
    turn: int = 0  # the number of the command in its shell
    said: str = ""  # the line that the shell was given; set by dialects that look for its echo

    @property
    def out(self) -> str:
        """The named pipe for stdout."""
        return f"{self.base}.{self.pair}o"

    @property
    def err(self) -> str:
        """The named pipe for stderr."""
        return f"{self.base}.{self.pair}e"

    @property
    def channel(self) -> str:
        """The named pipe for the record of the end, where the shell opens that by name."""
        return f"{self.base}.channel"

    @property
    def input(self) -> str:
        """The file with the command's input."""
        return "/dev/null" if self.stdin is None else f"{self.base}.stdin"


@dataclass(frozen=True, slots=True)
class Ending:
    """What a shell reports on its private channel after a command."""

    code: int
    directory: str


class Persistent(Protocol):
    """How a persistent shell is started, fed and read."""

    @property
    def control(self) -> int:
        """The descriptor of the private channel in the shell; 0 where it has none."""
        ...

    @property
    def names_channel(self) -> bool:
        """Whether it opens its private channel by name (`TurnRequest.channel`) to report an end."""
        ...

    @property
    def shows_prompt(self) -> bool:
        """Whether it shows the prompt that `init` is given whenever it is ready for a line."""
        ...

    @property
    def silent(self) -> tuple[int, ...]:
        """Which of its own stdout and stderr contain only prompts and noise."""
        ...

    @property
    def interrupts(self) -> tuple[str, ...]:
        """The signals that end a command for sure, so that nothing of the rest of its text runs.

        The last one is for everything; the shell and its subshells get the others before. If there is none,
        the shell is ended with the command.
        """
        ...

    @property
    def prompt(self) -> str:
        """The prompt of a shell without a private channel; otherwise empty."""
        ...

    @property
    def output_encoding(self) -> str | None:
        """The encoding of output that is not UTF-8."""
        ...

    @property
    def environment(self) -> dict[str, str]:
        """Variables for the shell itself; its commands do not see them."""
        ...

    def init(self, ready: str) -> str:
        """The first text it is fed; `ready` is the prompt that it is to show when it waits for a line."""
        ...

    def argv(self, name: str) -> list[str]:
        """Its command line."""
        ...

    def check(self, request: TurnRequest) -> None:
        """Raise RequestError for a command that cannot be said in a conversation.

        A shell with a private channel takes everything, and is not asked.
        """
        ...

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """The text that makes it run a command, and the files that text needs, by suffix.

        `report` follows that text, except in a conversation, where it is the last line.
        """
        ...

    def report(self, request: TurnRequest) -> str:
        """The text that makes it report the end of the current command; sent again after an interrupt."""
        ...

    def read(self, record: str) -> Ending | None:
        """The end in a record; None for a record that the shell cannot have written."""
        ...

    def remark(self, request: TurnRequest, *, printed: bool) -> str:
        """A remark on a command in a session, which may depend on whether it printed; mostly empty."""
        ...

    @property
    def adds_output(self) -> bool:
        """Whether it prints something of its own into the streams of commands, which `clean` removes."""
        ...

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:
        """The command's stdout (1) or stderr (2) without what the shell has added."""
        ...


class WithChannel:
    """What all shells with a private channel, named pipes and UTF-8 have in common."""

    __slots__ = ()
    names_channel = False
    shows_prompt = False
    prompt = ""
    adds_output = True
    output_encoding = None

    def check(self, request: TurnRequest) -> None:
        """It takes everything, and is not asked."""

    def read(self, record: str) -> Ending | None:
        """As it was reported."""
        return split_record(record)


_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def program_name(path: str) -> str:
    """The name of a program: its file's name in lower case, without the extension."""
    return os.path.splitext(os.path.basename(path))[0].lower()


def is_identifier(name: str) -> bool:
    """Whether a shell variable can have that name."""
    return _IDENTIFIER.fullmatch(name) is not None


def split_record(record: str) -> Ending | None:
    """`code directory`, as found between two marks; None for anything else."""
    code, _, directory = record.partition(" ")
    return Ending(int(code), directory) if code.isdecimal() else None


def split_spoken(record: str, encoding: str) -> Ending | None:
    """The same for a conversation, where each character is one byte of the shell's output."""
    ending = split_record(record)
    if ending is None:
        return None
    return Ending(ending.code, ending.directory.encode("latin-1").decode(encoding, "replace"))
