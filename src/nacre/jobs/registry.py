"""Jobs: commands that outlive the call that started them, and what became of them.

Above it: `service`, which starts and ends them. Below: the executions.

A job has the id of its output. Ended jobs are remembered with their results, and the oldest are forgotten
first; their output is kept as long as any other. What a command has left running is a job, too: it ends when
the last of these processes has ended, each with its exit code or signal.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from nacre.errors import NacreError, RequestError
from nacre.model import Ended, Result
from nacre.output import context_bytes, leaving_beginning, leaving_part
from nacre.outputs import Printed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nacre.executions.execution import CommandExecution
    from nacre.jobs.screen import Screen
    from nacre.keeper.frames import LeftEnd, News, Part
    from nacre.outputs import Outputs
    from nacre.spools import StreamName

DRAWN_BYTES = 1 << 18  # drawn at a time
PATIENCE_S = 30.0  # for a keeper's answer
REST_LOOK_S = 0.5  # between two looks at what a process left behind has printed
REMEMBERED = 100  # jobs that have ended
NEWS_LIMIT = 20  # sentences that wait for a reply
SHOWN_CHARACTERS = 80  # of a command
UNKNOWN_CODE = "unknown"  # of a process whose exit code only its shell knows


class Job:
    """One command that outlives its call, or its end."""

    def __init__(self, output_id: str, execution: CommandExecution, outputs: Outputs, ran_s: float) -> None:
        self.id = output_id
        self.execution = execution
        self._outputs = outputs
        self._watchers: list[Callable[[News], None]] = []
        self.screen: Screen | None = None
        if (size := execution.asked.terminal) is not None:
            from nacre.jobs.screen import Screen  # noqa: PLC0415  # only jobs on a terminal pay for it

            self.screen = Screen(*size)
        self.outcome: Result | NacreError | None = None  # None: it runs
        self.shown_bytes = [0, 0]  # how much of stdout and stderr the caller has seen
        self.listeners: list[Callable[[], None]] = []  # called at each change of its state
        self.on_end: Callable[[Job], None] | None = None
        self.end_was_told = False  # in the reply to its call: only processes left behind matter now
        self._began = time.monotonic() - ran_s
        self.began_at = time.time() - ran_s
        self.ended_at = 0.0  # 0: it runs
        self._ended = 0.0
        if (rest := execution.rest) is not None:
            rest.on_change = self._change

    # -- its output

    def watch(self, hear: Callable[[News], None]) -> None:
        """Call back when there is more output."""
        self._watchers.append(hear)
        if self.outcome is None:
            self.execution.watch(self._hear)

    def unwatch(self, hear: Callable[[News], None]) -> None:
        """Stop calling back."""
        self._watchers.remove(hear)
        if not self._watchers and self.outcome is None:
            self.execution.watch(None)

    def listen(self, on_change: Callable[[], None], *, output: bool) -> Callable[[], None]:
        """Call back at each change of its state, or also of its output; what is returned ends that."""
        return _Listener(self, on_change, output=output).stop

    def _hear(self, news: News) -> None:
        for hear in list(self._watchers):
            hear(news)

    async def programs(self) -> tuple[str, ...]:
        """The names of the programs that it runs now, except the shell of its own text."""
        names: asyncio.Future[tuple[str, ...]] = asyncio.get_running_loop().create_future()

        def hear(news: News) -> None:
            if not names.done():
                names.set_result(tuple(news.programs))

        def give_up() -> None:
            if not names.done():
                names.set_result(())

        self.watch(hear)
        self.listeners.append(give_up)
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await names
        finally:
            self.listeners.remove(give_up)
            self.unwatch(hear)

    async def printed(self, stream: StreamName) -> Printed | None:
        """Its output up to now, to be read in a thread; None: it is kept like any other output."""
        number = 1 + (stream == "stderr")
        now = await self._live(number, 0, 0)
        if now is None:
            return None
        loop = asyncio.get_running_loop()

        def read_at(at: int, limit_bytes: int) -> bytes:
            offset = at if not now.missing_bytes or at < now.missing_from else at + now.missing_bytes
            answer = asyncio.run_coroutine_threadsafe(self._live(number, offset, limit_bytes), loop)
            part = answer.result(PATIENCE_S)
            return part.data if part is not None else b""

        return Printed(
            read_at,
            now.total_bytes,
            now.missing_from,
            now.missing_bytes,
            goes_on=True,
            line_ends=now.line_ends,
        )

    async def refresh_screen(self) -> None:
        """Draw the new output; only the end, if there is very much."""
        screen = self.screen
        if screen is None:
            return
        screen.fed_bytes = max(screen.fed_bytes, await self.total_bytes("stdout") - DRAWN_BYTES)
        while True:
            offset, data = await self.read("stdout", screen.fed_bytes, DRAWN_BYTES)
            if not data:
                return
            await asyncio.to_thread(screen.feed, data)
            screen.fed_bytes = offset + len(data)

    async def total_bytes(self, stream: StreamName) -> int:
        """The size of its output up to now."""
        part = await self._live(1 + (stream == "stderr"), 0, 0)
        if part is not None:
            return part.total_bytes
        try:
            with self._outputs.open(self.id, stream) as printed:
                return printed.total_bytes
        except RequestError:
            return 0

    async def read(self, stream: StreamName, offset: int, limit_bytes: int) -> tuple[int, bytes]:
        """Its output from an offset on, or from the first kept byte after it; and that offset.

        Recognizing secrets takes the bytes around it; one at the end may still be incomplete.
        """
        around_bytes = context_bytes()
        if not around_bytes:
            return await self._read(stream, offset, limit_bytes)
        before = min(around_bytes, offset)
        begin, data = await self._read(stream, offset - before, before + limit_bytes + around_bytes)
        if begin != offset - before or begin + len(data) < offset:  # what was before it is not kept
            begin, data = await self._read(stream, offset, limit_bytes + around_bytes)
            before, offset = 0, begin
        hidden = leaving_part(data, cut_before=begin > 0, cut_after=self.runs)
        return offset, hidden[before : before + limit_bytes]

    async def _read(self, stream: StreamName, offset: int, limit_bytes: int) -> tuple[int, bytes]:
        number = 1 + (stream == "stderr")
        part = await self._live(number, offset, limit_bytes)
        if part is None:
            return await asyncio.to_thread(self._read_kept, stream, offset, limit_bytes)
        after = part.missing_from + part.missing_bytes
        if part.missing_bytes and part.missing_from <= offset < after:
            offset = after
            part = await self._live(number, offset, limit_bytes)
        return offset, part.data if part is not None else b""

    async def _live(self, number: int, offset: int, limit_bytes: int) -> Part | None:
        """A part from the keeper, as long as that knows the command."""
        if not self.runs:
            return None
        part = await self.execution.read(number, offset, limit_bytes)
        return part if part.known else None

    def _read_kept(self, stream: StreamName, offset: int, limit_bytes: int) -> tuple[int, bytes]:
        try:
            with self._outputs.open(self.id, stream) as printed:
                offset = printed.skip_missing(offset)
                return offset, printed.read(offset, limit_bytes)
        except RequestError:  # it was removed to make room
            return offset, b""

    # -- its state

    @property
    def name(self) -> str:
        """Its command, for a list."""
        text = " ".join(self.execution.asked.text.split())
        return leaving_beginning(text, SHOWN_CHARACTERS)

    @property
    def is_rest(self) -> bool:
        """Whether its command has ended, and only processes left behind run."""
        return self.outcome is not None and self.execution.rest is not None

    @property
    def runs(self) -> bool:
        """Whether anything of it runs."""
        if self.outcome is None:
            return True
        rest = self.execution.rest
        return rest is not None and not rest.gone

    @property
    def seconds(self) -> float:
        """How long it has been running, or ran."""
        return (time.monotonic() if self.runs else self._ended or time.monotonic()) - self._began

    def end(self, outcome: Result | NacreError) -> None:
        """Note the end of its command."""
        self.outcome = outcome
        if (rest := self.execution.rest) is not None:
            rest.on_change = self._change
        self._change()

    def _change(self) -> None:
        if not self.runs and not self._ended:
            self._ended, self.ended_at = time.monotonic(), time.time()
            if self.on_end is not None:
                self.on_end(self)
        for listener in list(self.listeners):
            listener()

    def how_it_ended(self) -> str:
        """How it ended, in words that follow its name."""
        outcome, rest = self.outcome, self.execution.rest
        if isinstance(outcome, Result) and rest is not None:
            ends = [rest.ended.get(left.pid) for left in outcome.left_running]
            how = ", ".join(_words_for(end) for end in ends if end is not None)
            before = "" if self.end_was_told else f"{_how_it_ended(outcome)} and "
            return f"{before}has left processes behind; they have ended{f' with {how}' if how else ''}"
        return _how_it_ended(outcome) if isinstance(outcome, Result) else f"has failed: {outcome}"

    def summary(self) -> dict[str, Any]:
        """Its description for a caller."""
        shown: dict[str, Any] = {"job": self.id, "command": self.name, "seconds": round(self.seconds, 1)}
        if self.execution.asked.session is not None:
            shown["session"] = self.execution.asked.session
        outcome, rest = self.outcome, self.execution.rest
        if rest is not None and isinstance(outcome, Result):
            shown["state"] = "ended" if rest.gone else "left running"
            shown |= {} if self.end_was_told else end_of(outcome)
            shown["processes"] = [
                {"pid": left.pid, "command": left.command, **_end_of(rest.ended.get(left.pid))}
                for left in outcome.left_running
            ]
        elif outcome is None:
            shown["state"] = "running"
        elif isinstance(outcome, Result):
            shown |= {"state": "ended", **end_of(outcome)}
        else:
            shown |= {"state": "failed", "reason": str(outcome)}
        return shown


class _Listener:
    """Reports each change of a job's state, and on request of its output."""

    def __init__(self, job: Job, on_change: Callable[[], None], *, output: bool) -> None:
        self._job = job
        self._on_change = on_change
        self._wants_output = output
        self._printed = [0, 0]  # at the last report
        self._rest_task: asyncio.Task[None] | None = None
        job.listeners.append(self._note_state)
        if output:
            job.watch(self._hear)
            self._follow_rest()

    def _hear(self, news: News) -> None:
        self._note_printed([news.stdout_bytes, news.stderr_bytes])

    def _note_printed(self, printed: list[int]) -> None:
        before, self._printed = self._printed, printed
        if printed != before:
            self._on_change()

    def _note_state(self) -> None:
        self._on_change()
        self._follow_rest()

    def _follow_rest(self) -> None:
        if self._wants_output and self._rest_task is None and self._job.is_rest and self._job.runs:
            self._rest_task = asyncio.create_task(self._look_at_rest())

    async def _look_at_rest(self) -> None:
        """Poll the output of processes left behind, which the keeper does not report."""
        while self._job.runs:
            self._note_printed([await self._job.total_bytes("stdout"), await self._job.total_bytes("stderr")])
            await asyncio.sleep(REST_LOOK_S)

    def stop(self) -> None:
        """Stop reporting."""
        self._job.listeners.remove(self._note_state)
        if self._wants_output:
            self._job.unwatch(self._hear)
        if self._rest_task is not None:
            self._rest_task.cancel()


def _how_it_ended(result: Result) -> str:
    how = f"signal {result.signal}" if result.signal else f"exit code {result.exit_code}"
    by_itself = result.ended in (Ended.EXITED, Ended.SIGNALED, Ended.SHELL_DIED)
    return f"has ended with {how}" if by_itself else f"has ended: {result.ended.value}"


def end_of(result: Result) -> dict[str, Any]:
    """How a command has ended, as data."""
    shown: dict[str, Any] = {}
    if result.exit_code is not None:
        shown["exit_code"] = result.exit_code
    if result.ended is not Ended.EXITED:
        shown["ended"] = result.ended.value
    if result.signal is not None:
        shown["signal"] = result.signal
    return shown


def _end_of(end: LeftEnd | None) -> dict[str, Any]:
    if end is None:
        return {}
    if end.signal is not None:
        return {"signal": end.signal}
    return {"exit_code": end.code if end.code is not None else UNKNOWN_CODE}


def _words_for(end: LeftEnd) -> str:
    if end.signal is not None:
        return f"signal {end.signal}"
    return f"exit code {end.code}" if end.code is not None else "an exit code that only their shell knows"


class Jobs:
    """All jobs of one server."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._jobs: dict[str, Job] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._news: list[str] = []  # what callers have not been sent yet
        self.on_change: Callable[[], None] | None = None  # called when there is another one, or one less
        self._ends_unseen: dict[Job, None] = {}  # jobs whose end callers do not know

    def __iter__(self) -> Iterator[Job]:
        return iter(list(self._jobs.values()))

    @property
    def has_room(self) -> bool:
        """Whether one more may run."""
        return sum(job.outcome is None for job in self._jobs.values()) < self.most

    def check_room(self) -> None:
        """Raise RequestError when there are too many."""
        if not self.has_room:
            raise RequestError(
                f"There are {self.most} jobs already, which is the limit.",
                code="too_many_jobs",
                hint="Wait for one, or end one (tool job).",
            )

    def add(self, job: Job) -> Job:
        """Add a job, and forget the oldest ended ones."""
        self._jobs[job.id] = job
        job.on_end = self._note_end
        over = [each for each in self._jobs.values() if not each.runs]
        for each in over[: max(0, len(over) - REMEMBERED)]:
            del self._jobs[each.id]
        if self.on_change is not None:
            self.on_change()
        return job

    def _note_end(self, job: Job) -> None:
        self._ends_unseen[job] = None

    def keep(self, task: asyncio.Task[None]) -> None:
        """Keep a reference to the task that waits for a job."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def get(self, job_id: str) -> Job | None:
        """The job of that id, if it is known."""
        return self._jobs.get(job_id)

    def find(self, job_id: str) -> Job:
        """The job of that id. RequestError: there is none."""
        job = self._jobs.get(job_id)
        if job is None:
            running = [each.id for each in self if each.runs]
            known = f"Running: {', '.join(running)}." if running else "None is running."
            raise RequestError(f"There is no job {job_id!r}.", code="no_job", hint=known)
        return job

    def tell(self, sentence: str) -> None:
        """Add a sentence to the next reply."""
        self._news = [*self._news[1 - NEWS_LIMIT :], sentence]

    def take_news(self) -> tuple[str, ...]:
        """The pending sentences, each returned once."""
        if not self._news and not self._ends_unseen:
            return ()
        news = [
            *self._news,
            *(f"Job {job.id} ({job.name}) {job.how_it_ended()}." for job in self._ends_unseen),
        ]
        self._news.clear()
        self._ends_unseen.clear()
        return tuple(news[-NEWS_LIMIT:])

    def note_end_seen(self, job: Job) -> None:
        """Note that the caller knows how it ended."""
        self._ends_unseen.pop(job, None)

    def stop(self) -> None:
        """Stop, since the server ends; its keeper ends the commands."""
        for task in self._tasks:
            task.cancel()
