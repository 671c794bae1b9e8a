r"""The conversation with a shell that has no private channel (cmd.exe): all comes in its own two streams.

Above it: `turns`. It does no I/O: it is given what the shell has printed, and says what is a command's
output, what the shell is to be fed next, and when the command is over.

The shell is given one line at a time, when it shows its prompt. The last line of a command has it report:

    stdout   output  CR LF prompt  MARK code CR LF directory CR LF MARK CR LF  prompt
    stderr   output  MARK CR LF

The mark is new for each command and comes to the shell when the command is over; so what a command prints,
be it an old mark or the prompt, ends nothing. A forged prompt has the report fed too early, no more.
"""

from __future__ import annotations

import re
from collections import deque

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

STDOUT, STDERR = 1, 2
LINE_END = b"\r\n"
REPORT_LIMIT_BYTES = 1 << 16  # what may stand between a prompt and the end of a report; more is output
_CODE_AND_DIRECTORY = re.compile(rb" (-?\d+)\r\n([^\r\n]*)\r\n")


class Conversation:
    """One shell, from its first prompt on. `say` gives it a line to read."""

    def __init__(self, prompt: bytes, say: Callable[[bytes], None]) -> None:
        self._prompt = prompt
        self._say = say
        self._ready = False  # it shows its prompt, and was given nothing since
        self._lines: deque[bytes] = deque()
        self._held = {STDOUT: b"", STDERR: b""}  # what may turn out to be more than output
        self._take: dict[int, Callable[[bytes], None]] = {}
        self._mark = b""
        self._record: str | None = None
        self._stderr_over = False
        self._opening = True
        self._waiting: tuple[str, list[bytes], dict[int, Callable[[bytes], None]]] | None = None

    def open(self, mark: str, lines: list[bytes]) -> None:
        """The shell was started: what it is to run before everything else; nobody takes its output."""
        self._begin(mark, lines, {})

    def begin(self, mark: str, lines: list[bytes], take: dict[int, Callable[[bytes], None]]) -> None:
        """A command: its lines, the last of which reports with `mark`, and who takes its output."""
        if self._opening:
            self._waiting = (mark, lines, take)
        else:
            self._held = {STDOUT: b"", STDERR: b""}  # what somebody has printed since is nobody's
            self._begin(mark, lines, take)

    def _begin(self, mark: str, lines: list[bytes], take: dict[int, Callable[[bytes], None]]) -> None:
        self._mark, self._take = mark.encode(), take
        self._lines.extend(lines)
        self._go_on()

    def hear(self, stream: int, chunk: bytes) -> str | None:
        """Take what the shell printed; "code directory" once the command is over, its bytes as Latin-1."""
        self._held[stream] += chunk
        if stream == STDOUT:
            self._hear_stdout(chunk)
        else:
            self._hear_stderr()
        if self._record is None or not self._stderr_over:
            return None
        record = self._record
        self._record, self._mark, self._stderr_over, self._take = None, b"", False, {}
        if not self._opening:
            return record
        self._opening = False
        if self._waiting is not None:
            self._begin(*self._waiting)
        return None

    def end(self) -> None:
        """The shell says no more: what was held back is output too."""
        for stream, held in self._held.items():
            self._pass_on(stream, len(held))
        self._take = {}

    def _go_on(self) -> None:
        if self._ready and self._lines:
            self._ready = False
            self._say(self._lines.popleft() + LINE_END)

    def _hear_stdout(self, chunk: bytes) -> None:
        held = self._held[STDOUT]
        if self._record is None and self._mark and (found := self._report()):
            self._close(found)
            return
        before = len(held) - len(chunk) - len(self._prompt) + 1  # it may have begun in the chunk before
        at = held.rfind(self._prompt, max(0, before))
        if at >= 0:
            if self._preparing:
                held = self._held[STDOUT] = held[at + len(self._prompt) :]
            self._ready = True
            self._go_on()
        at = held.rfind(self._prompt)
        if at < 0 or len(held) - at > REPORT_LIMIT_BYTES:
            self._pass_on(STDOUT, _certain(held, LINE_END + self._prompt, self._prompt))
        else:
            self._pass_on(STDOUT, len(held[:at].removesuffix(LINE_END)))

    def _report(self) -> re.Match[bytes] | None:
        """The report, whole, and the prompt behind it. The echo of the line that asks for it is none."""
        held, mark = self._held[STDOUT], self._mark
        at = held.find(mark)
        while at >= 0:
            found = _CODE_AND_DIRECTORY.match(held, at + len(mark))
            if found and held.startswith(mark + LINE_END, found.end()):
                return found if held.find(self._prompt, found.end() + len(mark)) >= 0 else None
            at = held.find(mark, at + 1)
        return None

    def _close(self, found: re.Match[bytes]) -> None:
        """All is there: what stands before the prompt that came before the report is output."""
        held, start = self._held[STDOUT], found.start() - len(self._mark)
        at = held.rfind(self._prompt, 0, start)
        output = held[: at if at >= 0 else start]
        self._pass_on(STDOUT, len(output.removesuffix(LINE_END)))
        self._held[STDOUT] = b""
        self._record = f"{int(found[1]) & 0xFFFFFFFF} {found[2].decode('latin-1')}"
        self._ready = True

    def _hear_stderr(self) -> None:
        held = self._held[STDERR]
        at = held.find(self._mark) if self._mark else -1
        if at < 0:
            self._pass_on(STDERR, _certain(held, self._mark))
        elif held.find(b"\n", at) >= 0:
            self._pass_on(STDERR, at)
            self._held[STDERR] = b""
            self._stderr_over = True

    def _pass_on(self, stream: int, size: int) -> None:
        if size > 0:
            held = self._held[stream]
            self._held[stream] = held[size:]
            if stream in self._take and not (stream == STDOUT and self._preparing):
                self._take[stream](held[:size])

    @property
    def _preparing(self) -> bool:
        """Whether the command itself, the last line but one, is still to come."""
        return len(self._lines) > 1


def _certain(held: bytes, *words: bytes) -> int:
    """How much cannot be the beginning of one of these words; no more than that may be kept from a reader."""
    at = len(held)
    for word in words:
        for size in range(min(len(word) - 1, len(held)), 0, -1):
            if held.endswith(word[:size]):
                at = min(at, len(held) - size)
                break
    return at
