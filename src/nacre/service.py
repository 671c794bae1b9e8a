"""The path of every command: all tools, presets and methods go through `Service.run`, and no other way.

One sequence for every kind of work, commands in fresh processes and in sessions, and file tools:

    validate → its turn → admit (policy; the person) → a slot → record the start
    → run, in its place → finish → record the end, in the one `finally` that all calls pass

Above it: the tools. Below: the executions, which differ in kind, the place they run in, the gate, the log.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from nacre.audit import recorder
from nacre.audit.records import Entry
from nacre.eager import Deadlines, Semaphore
from nacre.errors import InternalError, NacreError, RequestError
from nacre.executions.file_execution import FileExecution
from nacre.executions.once import Once
from nacre.executions.sessions import Sessions
from nacre.executions.turn import Turn
from nacre.gate_builder import build_gate, check_start
from nacre.hints import hints_for
from nacre.limits import check_limits, with_limit
from nacre.model import Command, Ended, LeftProcess, Result
from nacre.output import LOSSY, NO_TEXT, without_spool
from nacre.settings import file_changes
from nacre.stderr import log

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator
    from types import ModuleType

    from nacre.abort import AbortFile
    from nacre.config import Config
    from nacre.executions.execution import CommandExecution, Execution
    from nacre.file_records import FileDone, FileWork
    from nacre.gate import Ask, AskSecret
    from nacre.jobs.control import Input, JobControl, Look
    from nacre.jobs.registry import Job
    from nacre.jobs.waits import Until
    from nacre.keeper.frames import Left
    from nacre.model import Text
    from nacre.output_query import Excerpt, Query
    from nacre.outputs import Printed
    from nacre.places.place import Place
    from nacre.spools import StreamName
    from nacre.widening import Widening

CANNOT_RUN = 126  # what shells say of a program that may not be executed
_OLDER_RULES = (
    "The rules have changed since this session was opened: programs that they allow by now may not start"
    " in it. Restart or close the session."
)

Done = TypeVar("Done", bound="Result | FileDone")
Made = TypeVar("Made")


class Service:
    """One configuration, one place, any number of commands at once."""

    def __init__(self, config: Config, place: Place) -> None:
        self.config = config
        self.place = place
        self.shell = self.place.shell
        self.default_directory = self.place.start_directory()
        try:
            check_start(config, self.place, self.default_directory)
            if config.limits or config.limit_tmp_bytes:
                confinement = self.place.confinement
                check_limits(config, own_tmp=confinement is not None and confinement.mounts)
            self._gate = build_gate(config, self.place, self.default_directory)
        except NacreError:
            self.place.release()
            raise
        self._widening: Widening | None = None  # created with the first refusal of a sandbox
        self._hold_in_kernel()
        self._abort = _abort_file(config.abort_file)
        self._slots = Semaphore(config.concurrent_commands)
        self.place.open()
        self.sessions = Sessions(self.place, config)
        self._jobs: JobControl | None = None  # created with the first job
        self.on_jobs_change: Callable[[], None] | None = None  # called when there is another job
        self._patience = Deadlines(self._let_go)
        self._is_prepared = False  # for long outputs
        self._closing = False
        self.settings_note = ""  # which settings of changed files do not apply, and why
        self._older_sessions: set[str] = set()  # whose shells another keeper started, under other rules

    # -- the one sequence

    def run(
        self,
        command: Command,
        on_output: Callable[[int, bytes], None] | None = None,
        ask: Ask | None = None,
    ) -> Coroutine[Any, Any, Result]:
        """Run a command to its end. Cancelling kills all it started. NacreError: it could not be run."""
        execution: Once | Turn
        if command.session is None:
            execution = Once(command, self.place, self.config, self._by_full_path, on_output)
        else:
            execution = Turn(command, self.sessions, self.default_directory, self._by_full_path, on_output)
        if command.answer_within_s == 0:
            self._job_control().jobs.check_room()
        if not self._is_prepared:
            self._is_prepared = True
            return self._carry_out_first(execution, ask)
        return self._carry_out(execution, ask)

    async def _carry_out_first(self, execution: Once | Turn, ask: Ask | None) -> Result:
        """The same for the first command; while it runs, what a long output needs is loaded.

        That takes 3 ms, which neither the start of a server nor the first long output has to wait for then.
        """
        if self.config.pick_lines:
            asyncio.get_running_loop().call_soon(_load_on, _for_long_output())
        return await self._carry_out(execution, ask)

    def _by_full_path(self, command: Command) -> Command:
        """A listed program by its full path, in a shell that searches the current directory first."""
        lists, name = self.shell.dialect.lists, command.text.partition(" ")[0]
        if lists is None or lists.by_full_path is None or name not in self.commands:
            return command
        text = lists.by_full_path(self.shell, command.text, self.place.search_path, self.place.files)
        if not text:
            raise RequestError(
                f"There is no program '{name}' on the PATH of {self.shell.name}.",
                code="not_found",
                hint="Nothing was run. Programs of the current directory do not count.",
            )
        return replace(command, run_text=text)

    async def work_on_file(self, work: FileWork, ask: Ask | None = None) -> FileDone:
        """Read, write or list inside the allowed directories. NacreError: it could not be done."""
        policy = self.config.policy
        roots = (policy.allowed_directories if policy is not None else ()) or (self.default_directory,)
        if work.tool == "read_file":  # replies name the files with the output of commands
            roots = (*roots, self.place.output_directory)
        return await self._carry_out(FileExecution(work, self.place, roots, self.default_directory), ask)

    async def _carry_out(self, execution: Execution[Done], ask: Ask | None) -> Done:
        """Validate, perform, and record the outcome, whatever it is."""
        outcome: Done | NacreError | None = None
        entry = Entry()
        try:
            recorder.check()
            execution.validate()
            outcome = await self._perform(execution, ask, entry)
        except NacreError as error:
            outcome = error
            raise
        except Exception as error:  # in any case the record of its end says that it failed
            outcome = InternalError(f"nacre failed ({type(error).__name__}); its log has the details.")
            raise
        else:
            return outcome
        finally:
            if not isinstance(outcome, Result) or outcome.ended is not Ended.RUNNING:  # jobs: later
                self._record(execution.asked, outcome, entry)
            del outcome  # breaks the reference cycle of an error with its own traceback

    async def _perform(self, execution: Execution[Done], ask: Ask | None, entry: Entry) -> Done:
        """Admit, take a slot, record the start, run, finish."""
        goes_on = False  # as a job
        try:
            await execution.prepare()  # it takes no slot while it waits for its turn
            if self._gate is not None:  # the current one: rules may have changed while it waited
                admission = await execution.admit(self._gate, ask)
                entry.verdict = "approved" if admission.approved else "allow"
                entry.rule = admission.rule
            if self._widening is not None:
                await self._widen(self._widening, execution, ask)
            if not self._slots.take():
                await self._slots.acquire()
            try:
                recorder.started(execution, entry)
                began = time.monotonic()
                await execution.start()
                done = await self._wait_for(execution)
            finally:
                self._slots.release()
            if not isinstance(done, Result):
                return done
            if done.ended is Ended.RUNNING or done.left_running_total:
                goes_on = self._note_jobs(cast("CommandExecution", execution), done, entry)
            if done.stdout.truncated or done.stderr.truncated:
                done = await self._digested(done, cast("Command", execution.asked))
            return self._finish(done, execution.asked, ask, began)  # pyright: ignore[reportReturnType]  # a Result
        finally:
            if not goes_on:
                execution.close()

    async def _wait_for(self, execution: Execution[Done]) -> Done:
        """The result; or the output so far, if the command becomes a job."""
        command = execution.asked
        if not isinstance(command, Command) or command.answer_within_s is None:
            return await execution.wait()
        running: CommandExecution = execution  # pyright: ignore[reportAssignmentType]  # what has a command
        if command.answer_within_s:
            self._patience.begin(running, command.answer_within_s)
        try:
            if not command.answer_within_s and not running.over:
                # Output up to now is a matter of chance: the first wait for the job shows all of it.
                return cast("Done", replace(await running.so_far(), stdout=NO_TEXT, stderr=NO_TEXT))
            return await execution.wait()
        except asyncio.CancelledError:
            running.kill()
            if self.config.offers("job"):
                self._job_control().note_given_up(running)
            raise
        finally:
            self._patience.end(running)

    def _let_go(self, execution: CommandExecution) -> None:
        """Detach the caller, who has waited long enough, unless there are too many jobs."""
        if self._job_control().jobs.has_room:
            execution.detach()

    def _note_jobs(self, execution: CommandExecution, done: Result, entry: Entry) -> bool:
        """Note what continues as a job; whether that is the command itself."""
        if not self.config.offers("job"):
            return False
        if done.ended is Ended.RUNNING:
            self._job_control().keep_running(
                execution, done, lambda outcome: self._record(execution.asked, outcome, entry)
            )
            return True
        self._job_control().note_left(execution, done)
        return False

    def _job_control(self) -> JobControl:
        if self._jobs is None:
            from nacre.jobs.control import JobControl  # noqa: PLC0415  # nothing of jobs is loaded without one

            self._jobs = JobControl(self.config, self.place.outputs, self._hide_typed, self._explain_job)
            self._jobs.jobs.on_change = self.on_jobs_change
        return self._jobs

    def _hide_typed(self, text: str) -> None:
        """Mask what the person has typed for a program in everything that leaves."""
        from nacre.secrets import hide_typed  # noqa: PLC0415  # few are ever asked

        hide_typed(text, self.place.secrets)

    @staticmethod
    async def _widen(widening: Widening, execution: Execution[Any], ask: Ask | None) -> None:
        """Ask the person about what the sandbox refused to this command before."""
        if isinstance(execution, Once):
            execution.keeper = await widening.admit(execution.asked, ask)

    def _finish(self, done: Result, asked: Command | FileWork, ask: Ask | None, began: float) -> Result:
        """Explain a failure, and add news of earlier jobs."""
        has_limits = self.config.limits or self.config.limit_tmp_bytes or self.place.confinement is not None
        if has_limits or not done.ok or done.stdout.spool or done.stderr.spool:
            done = self._explain(done, asked, ask, began)
        if self._jobs is not None and (news := self._jobs.jobs.take_news()):
            done = replace(done, news=news)
        return done

    def _explain_job(self, done: Result, asked: Command) -> Result:
        """The same at the end of a job, when the person cannot be asked."""
        return self._explain(done, asked, None, time.monotonic() - done.execution_time_ms / 1000)

    def _explain(self, done: Result, asked: Command | FileWork, ask: Ask | None, began: float) -> Result:
        """Say what to do next after a failure, and name no file that cannot be read."""
        if self.config.limits or self.config.limit_tmp_bytes:
            done = with_limit(done, self.config)
        hints = done.hints if done.ok or done.hints else self._hints_for(done, asked)
        if self.place.confinement is not None and isinstance(asked, Command):
            refused = self._refusals(asked, done, ask, began)
            hints = (*done.hints, *refused) if refused else hints
        if done.spool is not None and not self._can_read(done.spool, done.working_directory):
            done = replace(done, stdout=without_spool(done.stdout), stderr=without_spool(done.stderr))
        return replace(done, hints=hints) if hints else done

    def _hints_for(self, done: Result, asked: Command | FileWork) -> tuple[str, ...]:
        path = "" if self.shell.runner else self.place.search_path  # wine has programs of its own
        return self._hint_of_older_rules(asked, done) or hints_for(done, path, self.place.files)

    def _hint_of_older_rules(self, asked: Command | FileWork, done: Result) -> tuple[str, ...]:
        """A program that the rules allow by now, in a session that can execute what they allowed before."""
        if done.exit_code != CANNOT_RUN or not isinstance(asked, Command):
            return ()
        return (_OLDER_RULES,) if asked.session in self._older_sessions else ()

    def _refusals(self, asked: Command, done: Result, ask: Ask | None, began: float) -> tuple[str, ...]:
        """A sentence for each thing that the sandbox has refused a command."""
        held = self.place.confinement
        if held is None or (held.proxy is None and (done.ok or done.hints)):
            return ()
        hosts = self.place.refused_hosts(began, self.place.outputs.command_of(done.output_id))
        if not hosts and (done.ok or done.hints):
            return ()
        if self._widening is None:
            self._widening = _widening(self.config, self.place)
        return self._widening.explain(asked, done, held, ask, hosts)

    def _can_read(self, spool: str, directory: str) -> bool:
        """Whether the agent could read the file with all of a command's output, under the rules."""
        if self._gate is None or self.config.offers("files"):
            return True
        return self._gate.can_read(f"{spool}.out", directory)

    def _record(
        self, asked: Command | FileWork, outcome: Result | FileDone | NacreError | None, entry: Entry
    ) -> None:
        """Record the end; a keeper that is lost because the server ends counts as a cancellation."""
        if self._closing and isinstance(outcome, NacreError) and outcome.code == "keeper_lost":
            outcome = None
        recorder.record(asked, outcome, entry)
        if self._abort is None or not isinstance(asked, Command):
            return
        if outcome is None or isinstance(outcome, Result | NacreError):
            self._abort.record(asked, outcome)

    # -- outputs

    async def read_output(self, output_id: str | None, stream: StreamName, query: Query) -> Excerpt:
        """A part of an output, without an id of the last command's. It is never refused."""
        from nacre.output_reader import read  # noqa: PLC0415  # only those who read pay for it

        known_id = output_id or self.place.outputs.newest_id
        if known_id is None:
            raise RequestError("There is no output yet: no command has ended.", code="no_output")
        return await self._read_stream(
            known_id, stream, lambda printed: replace(read(printed, query), output_id=known_id)
        )

    async def _read_stream(self, output_id: str, stream: StreamName, read: Callable[[Printed], Made]) -> Made:
        """Process a stream of a job or a command in a thread."""
        job = self._jobs.jobs.get(output_id) if self._jobs is not None else None
        return await self._read_of(job, output_id, stream, read)

    async def _read_of(
        self, job: Job | None, output_id: str, stream: StreamName, read: Callable[[Printed], Made]
    ) -> Made:
        live = await job.printed(stream) if job is not None else None
        if live is not None:
            return await asyncio.to_thread(read, live)
        return await asyncio.to_thread(self._read_kept, output_id, stream, read)

    def _read_kept(self, output_id: str, stream: StreamName, read: Callable[[Printed], Made]) -> Made:
        with self.place.outputs.open(output_id, stream) as printed:
            return read(printed)

    async def read_running(self, execution: CommandExecution, stream: StreamName, query: Query) -> Excerpt:
        """A part of the output of a command whose caller still waits."""
        from nacre.jobs.registry import Job  # noqa: PLC0415  # only those who watch read it
        from nacre.output_reader import read  # noqa: PLC0415  # the same

        output_id = self.place.outputs.id_of(execution.number)
        job = Job(output_id, execution, self.place.outputs, 0)  # which nobody keeps
        return await self._read_of(job, output_id, stream, lambda printed: read(printed, query))

    async def _digested(self, done: Result, command: Command) -> Result:
        """The same with what tells how it went, where an output was cut."""
        if not self.config.pick_lines:
            return done
        from nacre.digest import digest, digest_spoken  # noqa: PLC0415  # only long output pays for it

        limit_bytes = command.output_limit_bytes or self.config.reply_limit_bytes
        encoding = self.shell.dialect.output_encoding or (LOSSY if self.config.lossy_utf8 else None)
        # What a shell without a private channel has printed begins with the echo of what it was given.
        echoes = done.session is not None and self.shell.dialect.name == "cmd"
        shorten = partial(
            digest_spoken if echoes else digest,
            limit_bytes=limit_bytes,
            encoding=encoding,
            succeeded=done.ok,
        )
        texts: dict[StreamName, Text] = {"stdout": done.stdout, "stderr": done.stderr}
        for stream, cut in texts.items():
            if not cut.truncated:
                continue
            with suppress(NacreError, OSError):  # its file was removed to make room: the two ends are shown
                make = partial(shorten, cut=cut)
                if done.ok and not done.left_running_total:  # little of it is read: quicker than a thread
                    texts[stream] = self._read_kept(done.output_id, stream, make)
                else:
                    texts[stream] = await self._read_stream(done.output_id, stream, make)
        return replace(done, **texts)

    # -- jobs

    def list_jobs(self) -> list[dict[str, Any]]:
        """What there is, for a caller to read."""
        return self._jobs.summaries() if self._jobs is not None else []

    def describe_jobs(self) -> list[dict[str, Any]]:
        """All jobs, as data; their ends do not count as seen."""
        return [job.summary() for job in self._jobs.jobs] if self._jobs is not None else []

    def describe_job(self, job_id: str) -> dict[str, Any]:
        """One of them. RequestError: there is none of that id."""
        return self._job_control().jobs.find(job_id).summary()

    def job(self, job_id: str) -> Job:
        """A job. RequestError: there is none of that id."""
        return self._job_control().jobs.find(job_id)

    def is_job(self, output_id: str) -> bool:
        """Whether what prints there is a job."""
        return self._jobs is not None and self._jobs.jobs.get(output_id) is not None

    def note_end_seen(self, job_id: str) -> None:
        """Note that the caller knows how a job ended, so that no reply repeats it."""
        self._job_control().jobs.note_end_seen(self.job(job_id))

    def cancel_job(self, job_id: str) -> None:
        """Begin to end a job with everything that it has started."""
        if (job := self.job(job_id)).outcome is None:
            job.execution.kill()

    async def stop_job_for_person(self, job_id: str) -> None:
        """End a job at the request of a watching person; the agent is informed."""
        await self._job_control().stop_for_person(job_id)

    def stop_for_person(self, execution: CommandExecution) -> None:
        """The person who watches ends a command that its caller waits for; its result says so."""
        output_id, text = self.place.outputs.id_of(execution.number), execution.asked.text
        log.info("command %s: stopped by the person", output_id)
        recorder.note("stopped by the person", output=output_id, command=text)
        execution.kill(by_person=True)

    def type_into_job(self, job_id: str, text: str, keys: str, *, is_first: bool) -> None:
        """Type into a job for a watching person; the agent is informed once."""
        self._job_control().type_for_person(job_id, text, keys, is_first=is_first)

    def watch_job(self, job_id: str, on_change: Callable[[], None], *, output: bool) -> Callable[[], None]:
        """Call back when a job changes its state or has more output; what is returned ends that."""
        return self._job_control().jobs.find(job_id).listen(on_change, output=output)

    async def wait_for_jobs(self, ids: list[str], until: Until) -> Look:
        """Return with the first thing that happens to one of these jobs."""
        return await self._job_control().wait(ids, until)

    async def send_to_job(self, job_id: str, sent: Input, ask: Ask | None) -> None:
        """Send input to a job; input that a shell would run is judged."""
        await self._job_control().send(job_id, sent, gate=self._gate, ask=ask)

    async def send_secret_to_job(self, job_id: str, question: str, ask: AskSecret | None) -> None:
        """Ask the person for a line of hidden input for a job."""
        await self._job_control().send_secret(job_id, question, ask)

    async def screen_of_job(self, job_id: str, rows: int = 0) -> Look:
        """The screen of a job's terminal; with more rows than it has, also what has scrolled away."""
        return await self._job_control().screen_of(job_id, rows)

    async def resize_job(self, job_id: str, rows: int, columns: int) -> None:
        """Resize a job's terminal."""
        await self._job_control().resize(job_id, rows, columns)

    def signal_job(self, job_id: str, name: str) -> None:
        """Send a signal to everything that a job has started."""
        self._job_control().signal(job_id, name)

    async def end_job(self, job_id: str) -> Look:
        """End a job with everything that it has started."""
        return await self._job_control().end(job_id)

    # -- sessions

    def list_sessions(self) -> list[dict[str, Any]]:
        """What there is, for a caller to read."""
        return [session.summary() for session in self.sessions]

    async def start_session(self, name: str) -> None:
        """Start a session's shell before the first command needs it."""
        await self.sessions.open(name, self.default_directory).start()

    async def restart_session(self, name: str) -> tuple[LeftProcess, ...]:
        """Replace a session's shell by a clean one; all that it started is ended. Returns what survives."""
        return self._ended("restarted", name, await self.sessions.find(name).restart())

    async def close_session(self, name: str) -> tuple[LeftProcess, ...]:
        """End a session with all it started; returns processes that could not be killed."""
        return self._ended("closed", name, await self.sessions.close(name))

    def _ended(self, how: str, name: str, left: Left) -> tuple[LeftProcess, ...]:
        log.info("session %s: %s", how, recorder.one_line(name))
        recorder.note(f"session {how}", session=name)
        self._older_sessions.discard(name)
        for pid, line in left:
            log.warning("could not be killed: %d %s", pid, recorder.one_line(line))
        return tuple(LeftProcess(pid, line) for pid, line in left)

    # -- the list of commands

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that may run, where there is a list of them."""
        return self.config.commands_for(self.shell.dialect.name) or ()

    async def follow_settings(self, on_change: Callable[[], Awaitable[None]]) -> None:
        """Watch the files of all layers; changes apply to the next command, where possible.

        Invalid files change nothing. Both are reported in the logs and by `allowed`.
        """
        if self.config.reread is None:
            return
        async for changed in file_changes.changes(self.config.watched):
            names = ", ".join(changed)
            try:
                new, waiting, renewed = self._adopt(self.config.reread())
            except (NacreError, OSError, ValueError, TypeError) as error:
                self.settings_note = (
                    f"{names} has changed and cannot be used; the settings before it stay: {error}"
                )
                log.warning("%s", self.settings_note)
                recorder.note("settings refused", files=changed, reason=str(error))
                continue
            self.settings_note = self._not_yet_applied(waiting, renewed=renewed)
            changes = "; ".join(filter(None, (f"new: {', '.join(new) or 'nothing'}", self.settings_note)))
            log.info("%s has changed; %s", names, changes)
            for warning in self.config.warnings:
                log.warning("%s", warning)
            recorder.note("settings changed", files=changed, settings=new, waiting=waiting)
            if new:
                await on_change()

    def _adopt(self, config: Config) -> tuple[list[str], list[str], bool]:
        """Adopt other settings; the names of those that apply now, and of those that need a restart.

        And whether another keeper enforces them: sessions that are open stay with the one before.
        """
        from nacre.settings.live import taken_over  # noqa: PLC0415  # only a change needs it

        if config.preset.name != self.config.preset.name:
            raise RequestError("Changing the preset requires a restart of the server.")
        live, new, waiting = taken_over(self.config, config)
        gate = build_gate(live, self.place, self.default_directory)
        if gate is not None and self._gate is not None:
            gate.take_over_session_state(self._gate)
        renewed = self.place.change_rules(live, gate.policy if gate is not None else None)
        if renewed:
            self._older_sessions.update(session.name for session in self.sessions)
        self.config, self._gate = live, gate
        self.sessions.adopt(live)
        if self._jobs is not None:
            self._jobs.adopt(live)
        return new, waiting, renewed

    def _not_yet_applied(self, waiting: list[str], *, renewed: bool) -> str:
        """What changed files ask for and does not apply yet, or not everywhere."""
        notes = [f"not before the next start: {', '.join(waiting)}"] if waiting else []
        has_rules = self._gate is not None and not self._gate.policy.empty
        sandbox_wanted = "sandbox" in waiting or self.place.confinement is not None
        if has_rules and sandbox_wanted and not self.place.decides_execs:
            notes.append("until then, rules apply to the text of commands only")
        if renewed and (names := [session.name for session in self.sessions]):
            notes.append(f"sessions that were open keep the restrictions they had: {', '.join(names)}")
        return "; ".join(notes)

    def _hold_in_kernel(self) -> None:
        """Enforce the rules on what actually starts, too, where there is a sandbox."""
        if self._gate is not None and not self._gate.policy.empty:
            self.place.hold(self._gate.policy)

    # -- directories

    def resolve_directory(self, wanted: str | None, session: str | None = None) -> str:
        """A working directory as an absolute path; relative ones are resolved against the default.

        Empty for a session that keeps its directory.
        """
        if not wanted:
            return "" if session is not None else self.default_directory
        here = self.sessions.directory_of(session) if session is not None else None
        return os.path.normpath(
            os.path.join(here or self.default_directory, self.place.files.expand_home(wanted))
        )

    def use_root(self, directory: str) -> None:
        """Use the client's root as the directory of commands, unless one is configured."""
        if self.config.chosen_directory is not None or not self.place.files.is_directory(directory):
            return
        confinement = self.place.confinement
        if confinement is not None and not confinement.profile.holds(self.place.files.real_path(directory)):
            log.warning("the client's root %s is outside of the sandbox's workspace", directory)
        else:
            self.default_directory = directory
            if self._gate is not None:
                self._gate.start_in(directory)
            log.info("commands start in the client's root %s", directory)

    @property
    def held_by(self) -> str:
        """The level of the sandbox and what enforces it, for a person; empty: none."""
        confinement = self.place.confinement
        gate = ""
        if self.place.decides_execs:
            gate = ", exec gate" if self.place.open_execution else ", exec gate, allowed programs only"
        return f"{confinement.profile.level} ({confinement.held_by}{gate})" if confinement else ""

    async def check_shell(self) -> None:
        """Raise RequestError for a shell that is unknown and not a POSIX shell."""
        await self.place.check_shell()

    async def close(self) -> None:
        """End the keeper and everything that still runs."""
        self._closing = True
        if self._abort is not None:
            self._abort.finish()
        self.sessions.stop()
        if self._jobs is not None:
            self._jobs.jobs.stop()
        await self.place.close()


def _for_long_output() -> Iterator[ModuleType]:
    """`digest`, after what it imports: one module each time."""
    yield import_module("nacre.folding")
    yield import_module("nacre.failure_lines")
    yield import_module("nacre.picking")
    yield import_module("nacre.digest")


def _load_on(modules: Iterator[ModuleType]) -> None:
    """Load the next module, then serve what has come meanwhile: no call waits for all of them."""
    if next(modules, None) is not None:
        asyncio.get_running_loop().call_soon(_load_on, modules)


def _widening(config: Config, place: Place) -> Widening:
    from nacre.widening import Widening  # noqa: PLC0415  # only a sandbox needs it

    own_files = (*config.own_files, os.path.dirname(place.output_directory))
    return Widening(place, own_files, asks=config.sandbox_ask)


def _abort_file(path: str | None) -> AbortFile | None:
    if path is None:
        return None
    from nacre.abort import AbortFile  # noqa: PLC0415  # few want one

    return AbortFile(path)
