r"""The conversation with a shell that has no private channel (cmd.exe): everything is in its own two streams.

Above it: `turns`. It does no I/O: from what the shell prints it determines a command's output, what to feed
the shell next, and when the command has ended.

The shell is given one line at a time, when it shows its prompt. The last line of a command makes it report:

    stdout   output  CR LF prompt  MARK code CR LF directory CR LF MARK CR LF  prompt
    stderr   output  MARK CR LF

The mark is new for each command and is sent only after the command; so nothing that a command prints, be it
an old mark or the prompt, can end it. A forged prompt only makes the report line come too early.
"""

from __future__ import annotations

import re
from collections import deque

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

STDOUT, STDERR = 1, 2
LINE_END = b"\r\n"
REPORT_LIMIT_BYTES = 1 << 16  # a report and its prompt are shorter; anything longer is output
_CODE_AND_DIRECTORY = re.compile(rb" (-?\d+)\r\n([^\r\n]*)\r\n")


class Conversation:
    """One shell, from its first prompt on. `say` gives it a line to read."""

    def __init__(self, prompt: bytes, say: Callable[[bytes], None]) -> None:
        self._prompt = prompt
        self._say = say
        self._ready = False  # it shows its prompt and waits for a line
        self._lines: deque[bytes] = deque()
        self._held = {STDOUT: b"", STDERR: b""}  # what may turn out to be a part of the report
        self._take: dict[int, Callable[[bytes], None]] = {}
        self._mark = b""
        self._record: str | None = None
        self._stderr_over = False
        self._opening = True
        self._waiting: tuple[str, list[bytes], dict[int, Callable[[bytes], None]]] | None = None

    def open(self, mark: str, lines: list[bytes]) -> None:
        """Feed the shell its first lines after the start; their output is discarded."""
        self._begin(mark, lines, {})

    def begin(self, mark: str, lines: list[bytes], take: dict[int, Callable[[bytes], None]]) -> None:
        """Begin a command: its lines, the last of which reports with `mark`, and where its output goes."""
        if self._opening:
            self._waiting = (mark, lines, take)
        else:
            self._held = {STDOUT: b"", STDERR: b""}  # output between two commands belongs to none
            self._begin(mark, lines, take)

    def _begin(self, mark: str, lines: list[bytes], take: dict[int, Callable[[bytes], None]]) -> None:
        self._mark, self._take = mark.encode(), take
        self._lines.extend(lines)
        self._go_on()

    def hear(self, stream: int, chunk: bytes) -> str | None:
        """Process the shell's output; returns "code directory", in Latin-1, once the command has ended."""
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
        """At the end of the shell: what was held back is output, too."""
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
        before = len(held) - len(chunk) - len(self._prompt) + 1  # it may begin in the previous chunk
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
        """The complete report and the prompt after it; the echo of the requesting line does not count."""
        held, mark = self._held[STDOUT], self._mark
        at = held.find(mark)
        while at >= 0:
            found = _CODE_AND_DIRECTORY.match(held, at + len(mark))
            if found and held.startswith(mark + LINE_END, found.end()):
                return found if held.find(self._prompt, found.end() + len(mark)) >= 0 else None
            at = held.find(mark, at + 1)
        return None

    def _close(self, found: re.Match[bytes]) -> None:
        """With all there: what precedes the prompt before the report is output."""
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
        """Whether the command itself, the last line but one, has not been sent yet."""
        return len(self._lines) > 1


def _certain(held: bytes, *words: bytes) -> int:
    """How many bytes cannot be the beginning of one of these words; only the rest may be held back."""
    at = len(held)
    for word in words:
        for size in range(min(len(word) - 1, len(held)), 0, -1):
            if held.endswith(word[:size]):
                at = min(at, len(held) - size)
                break
    return at
