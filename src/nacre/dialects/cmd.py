r"""cmd.exe, for a single command and as a persistent shell. Pure.

A persistent cmd.exe is fed through a pipe, one line at a time, each when it shows its prompt: further lines
in the pipe could be read by a command, and wine's cmd.exe loses them. One command is

    the text                                      as it was typed, with nothing to read
    echo MARK %ERRORLEVEL%&cd&echo MARK&…         the report, on both streams

- The report is a line of its own, because %ERRORLEVEL% is replaced when a line is read. `(call )` at its end
  makes it 0 again: echo, set and their kind would leave it as they found it.
- There is no private channel, but the mark is new for each command, and the shell gets it when the command
  is over. See `keeper.conversation`.
- Text of several lines goes through a batch file, as it does in a fresh cmd.exe. It changes the same shell.
- A simple command reads `nul`, or a file with what it is to read (`<nul command`); so does a batch file. What
  stands in `if`, `for` or a group reads the silent pipe.
- `echo on&prompt …` takes back what a command may have done to the prompt, which we wait for.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nacre.dialects.dialect import (
    ONLY_ON_PATH,
    CommandLists,
    Dialect,
    Ending,
    Shell,
    TurnRequest,
    split_spoken,
)
from nacre.errors import RequestError
from nacre.keeper.wire import SCRIPT_MARK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nacre.filesystem import FileSystem

LINE_LIMIT = 8000  # it reads no line longer than 8191 characters
_PRELUDE = "@echo off\n"
WINE_CMD = (
    r"C:\windows\system32\cmd.exe"  # by its full name: otherwise wine starts another program in between
)
# wine derives its code pages from the locale; with this one they are known. It writes much to stderr.
WINE_ENVIRONMENT = {"LC_ALL": "C.UTF-8", "WINEDEBUG": "-all"}
WINDOWS_ENCODINGS, WINE_ENCODINGS = ("oem", "oem"), ("cp437", "cp1252")  # what it reads, what it prints
_SEPARATOR = re.compile(r"&&|\|\||(?<![<>])&|\|")
_BEFORE_A_COMMAND = re.compile(r"^[\s@,;=]+")
_NOT_SIMPLE = re.compile(r"(?:if|for|rem)\b|[:^]")  # with a caret, its meaning is unknown
_SPECIAL = re.compile(r'[\^&|<>()"]')
_NO_WINDOWS_NAME = re.compile(r'[\\:*?"<>|]')


@dataclass(frozen=True, slots=True)
class CmdShell:
    """cmd.exe, kept alive: on Windows, or under wine, whose files are in `prefix`."""

    prompt: str
    prefix: str | None = None

    control = 0
    names_channel = shows_prompt = False
    adds_output = True  # the echo of its input
    silent = ()
    interrupts = ()  # without a console of its own there is no Ctrl+C

    @property
    def environment(self) -> dict[str, str]:
        """The variables that wine needs; none on Windows."""
        return {} if self.prefix is None else WINE_ENVIRONMENT

    @property
    def encodings(self) -> tuple[str, str]:
        """The encodings of its input and output: one code page on Windows, two under wine."""
        return WINDOWS_ENCODINGS if self.prefix is None else WINE_ENCODINGS

    @property
    def output_encoding(self) -> str:
        """The encoding of lines that are not UTF-8."""
        return self.encodings[1]

    def init(self, ready: str) -> str:  # noqa: ARG002  # it shows no prompt of ours
        """Nothing."""
        return ""

    def argv(self, name: str) -> list[str]:
        """Its command line: no AutoRun commands, and the prompt that we wait for."""
        wine = () if self.prefix is None else ("wine",)
        return [*wine, name, "/D", "/K", f"prompt {self.prompt}"]

    # -- a command

    def check(self, request: TurnRequest) -> None:
        """Raise RequestError for a command that it cannot run unchanged."""
        self._check_letters("command", request.text)
        lines = _lines(request.text)
        if len(max(lines, key=len)) > LINE_LIMIT:
            raise RequestError(
                f"command has a line of more than {LINE_LIMIT:,} characters.",
                hint="cmd.exe reads no longer ones; give it several lines, or a file.",
            )
        if len(lines) == 1:
            _check_whole(lines[0])
            if request.stdin is not None and not _is_one_pipeline(lines[0]):
                raise RequestError(
                    "stdin can be given to one simple command or pipeline only.",
                    hint="In a session of cmd.exe, put several commands on lines of their own.",
                )
        for name, value in request.environment.items():
            self._check_letters(f"environment.{name}", value)
            if "\n" in value or "\r" in value:
                raise RequestError(
                    f"environment.{name} has several lines.",
                    hint="cmd.exe cannot set such a value; leave `session` out.",
                )
        if request.directory is not None:
            self._check_directory(request.directory)

    def _check_letters(self, argument: str, text: str) -> None:
        check_letters(argument, text, self.encodings[0])

    def _check_directory(self, directory: str) -> None:
        self._check_letters("working_directory", directory)
        if self.prefix is not None and _NO_WINDOWS_NAME.search(directory):
            raise RequestError(
                f"working_directory has a name that Windows cannot have: {directory}.",
                hint="Nothing was run.",
            )

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        """The lines, and the files they name; each character is one byte."""
        lines: list[str] = []
        files: dict[str, str] = {}
        source = "nul"
        if request.environment or request.directory is not None:
            files[f"{request.turn}.before.cmd"] = self._before(request)
            lines.append(f'"{self._file(request, "before.cmd")}"')
        if request.last_code and "errorlevel" in request.text.lower():
            lines.append(f"<nul cmd /d /c exit {_signed(request.last_code)}")
        if request.stdin is not None:
            files[f"{request.turn}.in"] = request.stdin.encode(errors="surrogateescape").decode("latin-1")
            source = f'"{self._file(request, "in")}"'
        given = _lines(request.text)
        if len(given) > 1:
            files[f"{request.turn}.cmd"] = self._bytes("\r\n".join(["@echo off", *given, ""]))
            request.said = f'"{self._file(request, "cmd")}" <{source}{self._afterwards}'
        else:
            simple = _with_input(given[0], source)
            request.said = given[0] if simple is None else simple + self._afterwards
        lines += [request.said, self.report(request)]
        return "\r\n".join(map(self._bytes, lines)), files

    @property
    def _afterwards(self) -> str:
        """Written with a caret, so that the echo of the line does not look like the prompt."""
        return f"&echo on&prompt {self.prompt[0]}^{self.prompt[1:]}"

    def _bytes(self, text: str) -> str:
        return text.encode(self.encodings[0]).decode("latin-1")

    def _file(self, request: TurnRequest, suffix: str) -> str:
        return self.there(f"{request.base}.{request.turn}.{suffix}")

    def _before(self, request: TurnRequest) -> str:
        """A batch file, because only there a percent sign can be written down."""
        lines = [f"@set {name}={escape(value)}" for name, value in request.environment.items()]
        if request.directory is not None:
            lines.append(f'@cd /d "{self.there(request.directory).replace("%", "%%")}"')
        return self._bytes("\r\n".join([*lines, ""]))

    def report(self, request: TurnRequest) -> str:
        """The line that reports the end: `marker code`, the directory, `marker`; on stderr the marker."""
        marker = request.marker
        report = f"echo {marker} %ERRORLEVEL%&cd&echo {marker}&echo {marker}>&2"
        # A variable of that name would hide the real one.
        return f'{report}{self._afterwards}&set "ERRORLEVEL="&(call )'

    # -- its output

    def read(self, record: str) -> Ending | None:
        """The code and the directory, as a path of this machine."""
        ending = split_spoken(record, self.output_encoding)
        return None if ending is None else Ending(ending.code, self.here(ending.directory))

    def remark(self, request: TurnRequest, *, printed: bool) -> str:  # noqa: ARG002  # nothing is different
        """Nothing."""
        return ""

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:
        """The output without the echo of its input, and without prompts and echoed lines of a batch file."""
        if stream != 1:
            return data
        data = data.removeprefix(f"{request.said}\r\n".encode(self.encodings[0], "replace"))
        if (prompt := self.prompt.encode()) in data:
            data = re.sub(rb"(?:\r\n)?" + prompt + rb"[^\r\n]+\r\n", b"", data)
        return data

    # -- directories

    def there(self, path: str) -> str:
        """A path as cmd.exe writes it: under wine, drive Z is the file system of Linux."""
        return path.replace("/", "\\") if self.prefix is None else "Z:" + path.replace("/", "\\")

    def here(self, path: str) -> str:
        """A path of cmd.exe's as this machine writes it."""
        if self.prefix is None or path[1:2] != ":":
            return path
        drive, rest = path[0].lower(), path[2:].replace("\\", "/")
        return rest if drive == "z" else f"{self.prefix}/dosdevices/{drive}:{rest.rstrip('/')}"


def escape(value: str) -> str:
    """A value as written after `set NAME=` in a batch file."""
    return _SPECIAL.sub(r"^\g<0>", value).replace("%", "%%")


def once_under_wine(shell: Shell, text: str) -> tuple[list[str], str | None]:
    """The argv for one command in a fresh cmd.exe under wine, and the script file it reads, if any.

    wine joins the arguments into one string, and would put a backslash before each quote.
    """
    line = text.strip()
    if not re.search(r'["\r\n]|\\\Z', line) and len(line) < LINE_LIMIT:
        return ["wine", shell.path, "/d", "/s", "/c", line], None
    check_letters("command", text, WINE_ENCODINGS[0])
    lines = _PRELUDE + text.replace("\r\n", "\n")
    script = lines.replace("\n", "\r\n").encode(WINE_ENCODINGS[0]).decode(errors="surrogateescape")
    return ["wine", shell.path, "/d", "/c", f"Z:{SCRIPT_MARK}"], script


def check_letters(argument: str, text: str, encoding: str) -> None:
    """Raise RequestError for a text that cannot be written in cmd.exe's code page."""
    if _fits(text, encoding):
        return
    at = next(index for index, letter in enumerate(text) if not _fits(letter, encoding))
    raise RequestError(
        f"{argument} contains {text[at]!r} at offset {at}, which cmd.exe's code page lacks.",
        hint=f"Nothing was run. It reads {encoding} here.",
    )


def _fits(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:  # Windows' own codec does not say where
        return False
    return True


def _signed(code: int) -> int:
    return code - (1 << 32) if code >= 1 << 31 else code


def _lines(text: str) -> list[str]:
    """Its lines, without empty ones around them."""
    return text.replace("\r\n", "\n").strip("\n").split("\n")


def _masked(text: str) -> tuple[str, str]:
    """The text with dots for quoted and escaped characters, and what is open at its end: quote, caret."""
    shown: list[str] = []
    quoted = escaped = False
    for letter in text:
        if escaped:
            escaped = False
            shown.append(".")
        elif letter == '"':
            quoted = not quoted
            shown.append(letter)
        else:
            escaped = letter == "^" and not quoted
            shown.append("." if quoted or escaped else letter)
    return "".join(shown), "quote" if quoted else "caret" if escaped else ""


def _check_whole(line: str) -> None:
    """Raise RequestError for a line that would make cmd.exe wait for another one."""
    masked, lacks = _masked(line)
    if lacks == "caret":
        raise RequestError(
            "command ends in ^, and cmd.exe would wait for another line.", hint="Leave it out."
        )
    if masked.lstrip(" \t@").startswith("(") and masked.count("(") > masked.count(")") and not lacks:
        raise RequestError(
            "command opens a group that it does not close, and cmd.exe would wait for the rest.",
            hint="Close it with a parenthesis, or escape it: ^(.",
        )


def _commands(line: str) -> list[tuple[str, int, int]] | None:
    """The separator, start and end of each simple command; None if the text is more complex."""
    masked, lacks = _masked(line)
    if lacks or "(" in masked or ")" in masked:
        return None
    found: list[tuple[str, int, int]] = []
    separator, start = "", 0
    for match in _SEPARATOR.finditer(masked):
        found.append((separator, start, match.start()))
        separator, start = match[0], match.end()
    found.append((separator, start, len(line)))
    words = [_BEFORE_A_COMMAND.sub("", line[start:end]).lower() for _, start, end in found]
    return None if any(_NOT_SIMPLE.match(word) for word in words) else found


def _with_input(line: str, source: str) -> str | None:
    """Simple commands, with input for each that does not read a pipe; None if the text is more complex."""
    commands = _commands(line)
    if commands is None:
        return None
    parts: list[str] = []
    for separator, start, end in commands:
        text = line[start:end]
        parts += [separator, f"<{source} {text}" if text.strip() and separator != "|" else text]
    return "".join(parts)


def _is_one_pipeline(line: str) -> bool:
    commands = _commands(line)
    return commands is not None and all(separator in ("", "|") for separator, _, _ in commands)


def _persistent(shell: Shell) -> CmdShell:
    return CmdShell(f"READY_{os.urandom(16).hex()}", shell.runner_files or None)


def _under_wine(wanted: str, environment: Mapping[str, str], files: FileSystem) -> Shell | None:
    """cmd.exe on another system than Windows: the named file, or wine's own; None without wine."""
    if sys.platform == "win32":
        return None
    wine = files.find_program("wine", environment.get("PATH"))
    named = os.path.sep in wanted
    if wine is None or (named and not files.is_file(wanted)):
        return None
    prefix = environment.get("WINEPREFIX") or os.path.join(environment.get("HOME", "/"), ".wine")
    program = os.path.abspath(wanted) if named else WINE_CMD
    return Shell(program, UNDER_WINE, "cmd.exe", "cmd", wine, prefix)


INTERNAL = frozenset({
    "assoc", "break", "call", "cd", "chdir", "cls", "color", "copy", "date", "del", "dir", "echo", "endlocal",
    "erase", "exit", "for", "ftype", "goto", "if", "md", "mkdir", "mklink", "move", "path", "pause", "popd",
    "prompt", "pushd", "rd", "rem", "ren", "rename", "rmdir", "set", "setlocal", "shift", "start", "time",
    "title", "type", "ver", "verify", "vol",
})  # fmt: skip
_ENDINGS = (".com", ".exe", ".bat", ".cmd")
_WINE_DIRECTORIES = (r"C:\windows\system32", r"C:\windows", r"C:\windows\system32\wbem")


def by_full_path(shell: Shell, text: str, search_path: str, files: FileSystem) -> str:
    """The text with its program's full path, since cmd.exe searches the current directory first.

    Empty: there is no such program on the PATH. Builtins of cmd.exe need no path.
    """
    name, blank, rest = text.partition(" ")
    if name.casefold() in INTERNAL:
        return text
    endings = ("",) if name.casefold().endswith(_ENDINGS) else _ENDINGS
    for directory, seen in _directories(shell, search_path):
        for ending in endings:
            if files.is_file(os.path.join(seen, name.lower() + ending)):
                return f'"{directory}\\{name}{ending}"{blank}{rest}'
    return ""


def _directories(shell: Shell, search_path: str) -> Iterator[tuple[str, str]]:
    """The directories in which programs are searched: as the shell writes them, and as we do."""
    if not shell.runner_files:
        for directory in search_path.split(os.pathsep):
            if os.path.isabs(directory):
                yield directory.rstrip("\\"), directory
        return
    for directory in _WINE_DIRECTORIES:
        yield directory, os.path.join(shell.runner_files, "drive_c", *directory.split("\\")[1:])


DIALECT = Dialect(
    name="cmd",
    programs=("cmd",),
    examples=("cmd.exe",),
    flags=("/d", "/s", "/c"),
    source=f'"{SCRIPT_MARK}"',  # no `call`: wine's cmd loses the exit code with it
    limit_bytes=LINE_LIMIT,
    one_line=True,  # and stops after the first line
    prelude=_PRELUDE,
    persistent=_persistent,
    find=_under_wine,
    missing=(
        re.compile(r"'(?P<name>[^'\s]+)[^']*' (?:is not recognized )?as an internal or external command"),
    ),
    missing_code=None,
    held_environment=ONLY_ON_PATH,
    language="cmd",
    lists=CommandLists(
        "cmd",
        '"double quotes"',
        by_full_path,  # wine's searches the current directory first all the same
    ),
)
UNDER_WINE = replace(
    DIALECT, once=once_under_wine, environment=WINE_ENVIRONMENT, output_encoding=WINE_ENCODINGS[1]
)
