"""What callers do with jobs: list them, wait for them, send them input, signal and end them.

Above it: `service`, which loads this with the first job. Below: `registry`, `waits`, the executions.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from nacre.audit import recorder
from nacre.errors import NacreError, RequestError
from nacre.jobs.registry import SHOWN_CHARACTERS, Job, Jobs
from nacre.model import Command, record
from nacre.output import counted, describe_binary, leaving_beginning, readable
from nacre.stderr import log

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.config import Config
    from nacre.executions.execution import CommandExecution
    from nacre.gate import Ask, AskSecret, Gate
    from nacre.jobs.screen import Changes, View
    from nacre.jobs.waits import Until
    from nacre.model import Result, Text
    from nacre.outputs import Outputs
    from nacre.spools import StreamName

    Recorded = Result | NacreError | None

SHELLS = {
    *("sh", "bash", "rbash", "dash", "ash", "busybox", "zsh", "ksh", "mksh", "yash", "csh", "tcsh", "fish"),
    *(
        "elvish",
        "nu",
        "xonsh",
        "pwsh",
        "powershell",
        "powershell.exe",
        "cmd",
        "cmd.exe",
        "su",
        "sudo",
        "doas",
    ),
}
# Nothing is sent in advance to one that may be started later.
SHELL_WORD = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(SHELLS)))})(?![\w-])")
# What is sent to a shell is judged for the directory that the job was started in: a shell that a text names
# is in it only if it is the whole command. `env -C x bash`, `cd x; bash` and `su -` go elsewhere.
BY_ITSELF = re.compile(
    rf"\s*(?:exec\s+)?(?:[\w./-]*/)?"
    rf"(?:{'|'.join(map(re.escape, sorted(SHELLS - {'su', 'sudo', 'doas'})))})(?:\s+-[\w-]+)*\s*"
)
GOES_ELSEWHERE = re.compile(r"(?i)\b(?:cd|chdir|pushd|popd|(?:set|push|pop)-location)\b")
SIGNALS = ("HUP", "INT", "QUIT", "TERM", "KILL", "USR1", "USR2", "STOP", "CONT", "WINCH")
PLAIN_KEYS = {"enter", "ctrl-c", "ctrl-d"}  # what a shell under rules may be sent
ENTER = b"\r"
INPUT_LIMIT_BYTES = 1 << 20
LINE_BYTES = 2000  # of a prompt
END_PATIENCE_S = 10.0  # how long a call waits for the end of a job
_STREAMS: tuple[StreamName, StreamName] = ("stdout", "stderr")


@record
class Look:
    """A job, and its output since the caller last saw it."""

    job: Job
    reason: str  # why it is returned
    line: str  # the matching one; or the last one, where it waits for input
    stdout: str
    stderr: str
    waiting_for_input: str = ""  # the process that waits
    view: View | None = None  # of a terminal
    changes: Changes | None = None  # what is new of it; None: all
    others: tuple[Job, ...] = ()  # the other awaited jobs
    scrollback: tuple[str, ...] = ()  # lines above the screen


@record
class Input:
    """Input for a job."""

    text: str = ""
    keys: str = ""  # by name, on a terminal
    ends: bool = False


class JobControl:
    """The jobs of one server, and what is done with them."""

    def __init__(
        self,
        config: Config,
        outputs: Outputs,
        hide_typed: Callable[[str], None],
        finish: Callable[[Result, Command], Result],
    ) -> None:
        self.jobs = Jobs(config.max_jobs)
        self._config = config
        self._hide_typed = hide_typed  # masks it in everything that leaves
        self._outputs = outputs
        self._finish = finish

    def adopt(self, config: Config) -> None:
        """Use other settings from now on."""
        self._config = config

    # -- from a command to a job

    def keep_running(
        self, execution: CommandExecution, so_far: Result, record_end: Callable[[Recorded], None]
    ) -> None:
        """Make a running command a job."""
        job = self._add(execution, so_far)
        self.jobs.keep(asyncio.create_task(self._see_to_end(job, record_end)))

    async def _see_to_end(self, job: Job, record_end: Callable[[Recorded], None]) -> None:
        execution = job.execution
        outcome: Recorded = None
        try:
            outcome = self._finish(await execution.wait(), execution.asked)
        except NacreError as error:
            outcome = error
        finally:
            execution.close()
            record_end(outcome)
            if outcome is not None:
                job.end(outcome)

    def note_left(self, execution: CommandExecution, result: Result) -> None:
        """Make the processes that a command left behind a job."""
        if execution.rest is not None and self.jobs.get(result.output_id) is None:
            job = self._add(execution, result)
            job.end_was_told = True
            job.end(result)

    def _add(self, execution: CommandExecution, result: Result) -> Job:
        job = Job(result.output_id, execution, self._outputs, result.execution_time_ms / 1000)
        job.shown_bytes = [result.stdout.total_bytes, result.stderr.total_bytes]
        return self.jobs.add(job)

    def note_given_up(self, execution: CommandExecution) -> None:
        """Note a cancelled call, whose outcome the next reply mentions."""
        text = " ".join(execution.asked.text.split())
        output_id = self._outputs.id_of(execution.number)
        shown = leaving_beginning(text, SHOWN_CHARACTERS)
        self.jobs.tell(f"The call of `{shown}` was given up and ended. Its output has the id {output_id}.")

    # -- requests of callers

    async def wait(self, ids: list[str], until: Until) -> Look:
        """Wait for the first thing that happens to one of these."""
        from nacre.jobs.waits import wait_for  # noqa: PLC0415  # it loads more

        jobs = [self.jobs.find(job_id) for job_id in ids]
        waited = await wait_for(jobs, until)
        job, line = waited.job, waited.line
        if not job.runs:
            self.jobs.note_end_seen(job)
        others = tuple(other for other in jobs if other is not job)
        if job.screen is not None:
            await job.refresh_screen()
            view, changes = job.screen.changes()
            return Look(job, waited.reason, line, "", "", waited.waiting_for_input, view, changes, others)
        stdout, stderr = [await self._new_output(job, index) for index in (0, 1)]
        if waited.waiting_for_input and not line:
            line = await self._last_line(job)
        return Look(job, waited.reason, line, stdout, stderr, waited.waiting_for_input, others=others)

    async def screen_of(self, job_id: str, rows: int) -> Look:
        """A job's screen; with more rows than it has, also lines that have scrolled away."""
        job = self.jobs.find(job_id)
        if job.screen is None:
            raise RequestError(f"Job {job_id} has no terminal.", hint="Start it with terminal: true.")
        await job.refresh_screen()
        view, _ = job.screen.changes()
        above = job.screen.scrollback(rows - job.screen.rows)
        return Look(job, "screen", "", "", "", view=view, scrollback=above)

    async def resize(self, job_id: str, rows: int, columns: int) -> None:
        """Resize a job's terminal."""
        job = self._running(job_id)
        if job.screen is None:
            raise RequestError(f"Job {job_id} has no terminal.", hint="Start it with terminal: true.")
        await job.execution.resize(rows, columns)
        job.screen.resize(rows, columns)

    @staticmethod
    async def _last_line(job: Job) -> str:
        """The unfinished line on either stream; otherwise the last line of stdout."""
        lines: list[str] = []
        for stream in _STREAMS:
            total = await job.total_bytes(stream)
            _, data = await job.read(stream, max(0, total - LINE_BYTES), LINE_BYTES)
            if data and not data.endswith(b"\n"):
                return readable(data.rpartition(b"\n")[2])
            lines.append(readable(data.rstrip(b"\n").rpartition(b"\n")[2]))
        return lines[0]

    async def _new_output(self, job: Job, index: int) -> str:
        """Its output since the caller last saw it; the end, if it is long."""
        limit_bytes, stream, shown = self._config.reply_limit_bytes, _STREAMS[index], job.shown_bytes[index]
        total = await job.total_bytes(stream)
        if total - shown > limit_bytes and (digested := await self._digested(job, index)) is not None:
            return digested
        begin = max(shown, total - limit_bytes)
        at, data = await job.read(stream, begin, limit_bytes)
        if not data:
            return ""
        job.shown_bytes[index] = at + len(data)
        skipped = at - shown
        note = f"[… {counted(skipped, 'byte')} before this: tool output, id {job.id}, offset {shown} …]\n"
        text, where = readable(data), f"tool output, id {job.id}"
        if "\\x" in text and (binary := describe_binary(data, limit_bytes, where, offset=at)) is not None:
            text, _ = binary
        return (note if skipped else "") + text

    async def _digested(self, job: Job, index: int) -> str | None:
        """The same for long output: beginning, end, and the most telling lines."""
        if not self._config.pick_lines:
            return None
        from nacre.digest import digest_since  # noqa: PLC0415  # only long output pays for it

        stream, begin, limit_bytes = _STREAMS[index], job.shown_bytes[index], self._config.reply_limit_bytes
        live = await job.printed(stream)
        rest = f"tool output, id {job.id}, offset {begin}"

        def digest_it() -> Text | None:
            with self._outputs.open(job.id, stream) if live is None else nullcontext(live) as printed:
                return digest_since(printed, begin, limit_bytes, rest)

        try:
            text = await asyncio.to_thread(digest_it)
        except (NacreError, OSError):
            return None  # its file was removed to make room
        if text is not None:
            job.shown_bytes[index] = begin + text.total_bytes
        return text and text.text

    async def send(
        self, job_id: str, sent: Input, *, gate: Gate | None = None, ask: Ask | None = None
    ) -> None:
        """Send input to a job: a text, then keys, then the end of input if it `ends`."""
        job, ends = self._running(job_id), sent.ends
        data = sent.text.encode("utf-8", "surrogateescape") + self._keys(job, sent.keys)
        if len(data) > INPUT_LIMIT_BYTES:
            raise RequestError(f"Input is limited to {INPUT_LIMIT_BYTES:,} bytes at a time.")
        if data and gate is not None:
            await self._admit_input(job, sent, gate, ask)
        if data:
            job.execution.feed(data)
        if ends:
            job.execution.feed(b"")
        log.info("job %s: %d bytes of input%s", job.id, len(data), ", then its end" if ends else "")
        recorder.note("input", **_about(job), text=sent.text, keys=sent.keys, ends=ends)

    async def send_secret(self, job_id: str, question: str, ask: AskSecret | None) -> None:
        """Ask the person for a line of hidden input, such as a password, which no agent sees.

        It is typed only into a terminal that does not echo, so that it cannot appear in the output.
        """
        job = self._running(job_id)
        if ask is None:
            raise RequestError(
                "Your client cannot ask the person.",
                code="no_elicitation",
                hint="It does not support elicitation. The person can type it elsewhere, or set up a key.",
            )
        if job.screen is None:
            raise RequestError(f"Job {job_id} has no terminal.", hint="Start it with terminal: true.")
        if not await job.execution.feed_hidden(b""):
            raise _not_hidden(job_id)
        typed = await ask(f"{question}\n\nIt goes to this command, and the agent does not see it: {job.name}")
        if typed is None:
            raise RequestError("The person did not answer.", code="declined", hint="Nothing was sent.")
        self._hide_typed(typed)
        if not await job.execution.feed_hidden(typed.encode("utf-8", "surrogatepass") + ENTER):
            raise _not_hidden(job_id)
        log.info("job %s: a hidden line, typed by the person", job.id)
        recorder.note("hidden input", **_about(job))

    @staticmethod
    def _keys(job: Job, names: str) -> bytes:
        if not names:
            return b""
        if job.screen is None:
            raise RequestError(f"Job {job.id} has no terminal, so it takes no keys.", hint="Send text.")
        from nacre.jobs.keys import bytes_of  # noqa: PLC0415  # only those who press keys pay for it

        return bytes_of(names, application_cursor=job.screen.application_cursor)

    async def _admit_input(self, job: Job, sent: Input, gate: Gate, ask: Ask | None) -> None:
        """Judge input to a program that reads commands as a command.

        So it has to be complete: parts, edits and commands from a history could not be judged.
        """
        command = job.execution.asked
        gate.admit_feeding(command, sent.text)
        if not SHELL_WORD.search(command.text) and not SHELLS.intersection(await job.programs()):
            return
        if set(sent.keys.split()) - PLAIN_KEYS or not _is_whole(sent, on_terminal=job.screen is not None):
            raise RequestError(
                "A shell under rules is sent whole lines only.",
                code="not_judged",
                hint="Send the whole command with its line break (or the key enter), without other keys,"
                " a backslash at its end or control characters.",
            )
        text = sent.text.strip()
        elsewhere = GOES_ELSEWHERE.search(command.text) or (
            SHELL_WORD.search(command.text) and not BY_ITSELF.fullmatch(command.text)
        )
        if text and (elsewhere or gate.may_leave(text) or job.execution.has_moved):
            raise RequestError(
                "A shell under rules stays in the directory that it was started in.",
                code="not_judged",
                hint="Name working_directory when you start it, or use a session, which may change it.",
            )
        if text:
            await gate.admit(Command(text, command.working_directory, command.timeout_s), ask)

    def signal(self, job_id: str, name: str) -> None:
        """Send a signal to everything that a job has started."""
        job = self._running(job_id)
        name = name.upper().removeprefix("SIG")
        if name not in SIGNALS:
            raise RequestError(f"There is no signal {name!r} here.", hint=f"There are: {', '.join(SIGNALS)}.")
        job.execution.signal(name)
        log.info("job %s: signal %s", job.id, name)
        recorder.note("signal", **_about(job), signal=name)

    async def end(self, job_id: str) -> Look:
        """End a job with everything that it has started."""
        job = self.jobs.find(job_id)
        if job.outcome is None:
            job.execution.kill()
        elif job.runs:
            await job.execution.end_rest()
        return await self.wait([job_id], _end_within(END_PATIENCE_S))

    # -- requests of the person

    async def stop_for_person(self, job_id: str) -> None:
        """Begin to end a job with everything that it has started; its end is reported as usual."""
        job = self.jobs.find(job_id)
        if not job.runs:
            raise RequestError(f"Job {job_id} {job.how_it_ended()}.", code="job_ended")
        log.info("job %s: stopped by the person", job.id)
        recorder.note("stopped by the person", **_about(job))
        self.jobs.tell(f"The person has stopped job {job.id} ({job.name}).")
        if job.outcome is None:
            job.execution.kill(by_person=True)
        else:
            await job.execution.end_rest()

    def type_for_person(self, job_id: str, text: str, keys: str, *, is_first: bool) -> None:
        """Type into a job for the person: no rules apply, and it is not recorded (it may be a password)."""
        job = self._running(job_id)
        data = text.encode("utf-8", "surrogateescape") + self._keys(job, keys)
        if is_first:
            log.info("job %s: the person types", job.id)
            recorder.note("typed by the person", **_about(job))
            self.jobs.tell(f"The person has typed into job {job.id} ({job.name}).")
        if data:
            job.execution.feed(data)

    def _running(self, job_id: str) -> Job:
        job = self.jobs.find(job_id)
        if job.outcome is not None:
            raise RequestError(f"Job {job_id} {job.how_it_ended()}.", code="job_ended")
        return job

    def summaries(self) -> list[dict[str, Any]]:
        """All known jobs; their ends count as seen."""
        for job in self.jobs:
            if not job.runs:
                self.jobs.note_end_seen(job)
        return [job.summary() for job in self.jobs]


def _not_hidden(job_id: str) -> RequestError:
    return RequestError(
        f"Job {job_id} does not wait for a password: its terminal would show what is typed.",
        code="not_hidden",
        hint="Nothing was sent. Wait until it asks (action screen), then try again.",
    )


def _about(job: Job) -> dict[str, object]:
    """A job in the audit log: its output and its command."""
    return {"job": job.id, "command": job.execution.asked.text}


def _end_within(limit_s: float) -> Until:
    from nacre.jobs.waits import Until  # noqa: PLC0415  # see `wait`

    return Until(limit_s)


def _is_whole(sent: Input, *, on_terminal: bool) -> bool:
    """Whether a shell would read a text exactly as it is judged."""
    text = sent.text
    if not text:
        return True
    ends = text.endswith("\n") or sent.ends or "enter" in sent.keys.split()
    odd = any(not character.isprintable() and character not in "\n\t" for character in text)
    expands = on_terminal and "!" in text  # from the history of an interactive shell
    return ends and not odd and not expands and not text.rstrip().endswith("\\")
