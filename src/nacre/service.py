"""THE path: every command of every tool, preset and method goes through `Service.run`, and no other way.

    1 the gate says yes or raises Refused      2 a keeper is there, or is started anew
    3 the command runs                          4 its output is bounded, decoded, explained
    5 audit.record, in the one `finally` nobody can pass by

Above it: the tools. Below: the living things, the keeper's link, the environment, the log.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nacre import audit, watch
from nacre.dialects import examples
from nacre.eager import Semaphore
from nacre.errors import NacreError, RequestError
from nacre.hints import hints_for
from nacre.model import LeftProcess
from nacre.once import run_once
from nacre.output import without_spool
from nacre.places.local import Local
from nacre.sessions import Sessions

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nacre.abort import AbortFile
    from nacre.config import Config
    from nacre.dialects import Dialect, Shell
    from nacre.file_records import FileDone, FileWork
    from nacre.filesystem import FileSystem
    from nacre.gate import Ask, Gate
    from nacre.keeper.frames import Left
    from nacre.keeper.launch import Launched
    from nacre.model import Command, Result
    from nacre.policy.program_table import ProgramTable
    from nacre.session import Session


class Service:
    """One configuration, one keeper, any number of commands at once."""

    def __init__(self, config: Config, launched: Launched | None) -> None:
        self.config = config
        self.place = Local(config, launched)
        self.shell = self.place.shell
        self.default_directory = self.place.start_directory()
        self._check_start()
        self._gate = self._gate_for(config)
        self._abort = _abort_file(config.abort_file)
        self._slots = Semaphore(config.concurrent_commands)
        self.place.open()
        self.sessions = Sessions(self.place, config)

    def _gate_for(self, config: Config) -> Gate | None:
        files = self.place.files
        table = _program_table(config, self.default_directory, files)
        return _gate(config, self.shell, files, table, self.place.spools.path)

    def _check_start(self) -> None:
        """A directory that was chosen and in which nothing may run is a mistake of the person's (004)."""
        policy, chosen = self.config.policy, self.config.working_directory
        if policy is None or not policy.allowed_directories or chosen is None:
            return
        real = self.place.files.real_path
        here, allowed = real(self.default_directory), [real(each) for each in policy.allowed_directories]
        if not any(here == each or here.startswith(each.rstrip(os.sep) + os.sep) for each in allowed):
            raise RequestError(
                f"The working directory is outside of allowed_directories: {self.default_directory}.",
                code="no_directory",
                hint=f"Give --working-dir a directory inside of {', '.join(policy.allowed_directories)}.",
            )

    async def run(
        self,
        command: Command,
        on_output: Callable[[int, bytes], None] | None = None,
        ask: Ask | None = None,
    ) -> Result:
        """Run a command to its end. Cancelling kills all it started. NacreError: it could not be run."""
        outcome: Result | NacreError | None = None
        try:
            audit.check()
            _check(command)
            session = self._session_of(command)
            if session is not None:
                audit.started(command)
                result = await session.run(command, on_output, self._admission(ask))
            else:
                result = await self._run_once(command, on_output, ask)
            outcome = self._finished(result)
        except NacreError as error:
            outcome = error
            raise
        else:
            return outcome
        finally:
            audit.record(command, outcome)
            if self._abort is not None:
                self._abort.record(command, outcome)
            del outcome  # an error that its own traceback leads to would wait for the garbage collector

    async def _run_once(
        self, command: Command, on_output: Callable[[int, bytes], None] | None, ask: Ask | None
    ) -> Result:
        if self._gate is not None:
            await self._gate.admit(command, ask)
            command = self._by_full_path(command)
        link = await self.place.link()
        await self._slots.acquire()
        try:
            audit.started(command)
            return await run_once(command, self.place, link, self.config, on_output)
        finally:
            self._slots.release()

    def _admission(self, ask: Ask | None) -> Callable[[Command], Awaitable[Command]] | None:
        """How a session asks the gate when a command's turn has come: only then it knows its directory."""
        if self._gate is None:
            return None

        async def admit(command: Command) -> Command:
            if self._gate is not None:  # the one of now: rules may have changed while it waited
                await self._gate.admit(command, ask)
            return self._by_full_path(command)

        return admit

    def _by_full_path(self, command: Command) -> Command:
        """A listed program by its path, in a shell that would take one of the current directory for it."""
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

    def _session_of(self, command: Command) -> Session | None:
        if command.session is None:
            return None
        return self.sessions.open(command.session, self.default_directory)

    async def work_on_file(self, work: FileWork, ask: Ask | None = None) -> FileDone:
        """Read, write or list inside the allowed directories. NacreError: it could not be done."""
        outcome: FileDone | NacreError | None = None
        try:
            audit.check()
            _check_text("path", work.path)
            found = await self.place.find_file(work, self._allowed_roots(work), self.default_directory)
            if self._gate is not None:
                await self._gate.admit_file(work, found.path, ask)
            await self._slots.acquire()
            try:
                outcome = await self.place.work_on_file(work, found)
            finally:
                self._slots.release()
        except NacreError as error:
            outcome = error
            raise
        else:
            return outcome
        finally:
            audit.record(work, outcome)

    def _allowed_roots(self, work: FileWork) -> tuple[str, ...]:
        """Where files may be: the policy's directories, else the one that commands start in.

        What commands have printed may be read, too: replies name such files.
        """
        policy = self.config.policy
        roots = (policy.allowed_directories if policy is not None else ()) or (self.default_directory,)
        return (*roots, self.place.spools.path) if work.tool == "read_file" else roots

    # -- sessions

    def list_sessions(self) -> list[dict[str, Any]]:
        """What there is, for a caller to read."""
        return [session.summary() for session in self.sessions]

    async def start_session(self, name: str) -> None:
        """Start a session's shell before the first command needs it."""
        await self.sessions.open(name, self.default_directory).start()

    async def restart_session(self, name: str) -> tuple[LeftProcess, ...]:
        """End a session's shell with all it started, and start a clean one; returns what does not die."""
        return self._ended("restarted", name, await self.sessions.find(name).restart())

    async def close_session(self, name: str) -> tuple[LeftProcess, ...]:
        """End a session with all it started; returns what does not die."""
        return self._ended("closed", name, await self.sessions.close(name))

    def _ended(self, how: str, name: str, left: Left) -> tuple[LeftProcess, ...]:
        audit.log.info("session %s: %s", how, audit.one_line(name))
        for pid, line in left:
            audit.log.warning("could not be killed: %d %s", pid, audit.one_line(line))
        return tuple(LeftProcess(pid, line) for pid, line in left)

    # -- the list of commands

    @property
    def commands(self) -> tuple[str, ...]:
        """The commands that may run, where there is a list of them."""
        return self.config.commands_for(self.shell.dialect.name) or ()

    async def follow_commands(self, told: Callable[[], Awaitable[None]]) -> None:
        """Watch the person's settings: the list of commands and the rules are those of the file, always.

        A file that cannot be used changes nothing, and the log says why. Other settings wait for a restart.
        """
        if self.config.file is None or self.config.reread is None:
            return
        async for _ in watch.changes(self.config.file):
            before = self.commands
            try:
                self._adopt(self.config.reread())
            except (NacreError, ValueError, TypeError) as error:
                audit.log.warning(
                    "%s has changed and cannot be used; commands and rules stay: %s", self.config.file, error
                )
                continue
            audit.log.info("%s has changed; commands: %s", self.config.file, ", ".join(self.commands))
            if self.commands != before:
                await told()

    def _adopt(self, config: Config) -> None:
        if config.preset.name != self.config.preset.name or config.commands is None:
            raise RequestError("Another preset needs a new start of the server.")
        gate = self._gate_for(config)
        self.config = replace(self.config, commands=config.commands, policy=config.policy)
        self._gate = gate

    # -- directories

    def resolve_directory(self, wanted: str | None, session: str | None = None) -> str:
        """A working directory as an absolute path; relative ones count from where the command would run.

        Empty for a session that is to stay where it is.
        """
        if not wanted:
            return "" if session is not None else self.default_directory
        here = self.sessions.directory_of(session) if session is not None else None
        return os.path.normpath(
            os.path.join(here or self.default_directory, self.place.files.expand_home(wanted))
        )

    def use_root(self, directory: str) -> None:
        """The client has told its root: commands start there, unless the command line says where."""
        if self.config.chosen_directory is not None or not self.place.files.is_directory(directory):
            return
        confinement = self.place.confinement
        if confinement is not None and not confinement.profile.holds(self.place.files.real_path(directory)):
            audit.log.warning("the client's root %s is outside of the sandbox's workspace", directory)
        else:
            self.default_directory = directory
            audit.log.info("commands start in the client's root %s", directory)

    @property
    def held_by(self) -> str:
        """The level of the sandbox and what holds it, for a person; empty: there is none."""
        confinement = self.place.confinement
        return f"{confinement.profile.level} ({confinement.held_by})" if confinement else ""

    async def check_shell(self) -> None:
        """Raise RequestError for a shell that we do not know by name and that does not speak POSIX."""
        await self.place.check_shell()

    async def close(self) -> None:
        """End the keeper and with it everything that still runs."""
        if self._abort is not None:
            self._abort.finish()
        self.sessions.stop()
        await self.place.close()

    # -- afterwards

    def _finished(self, result: Result) -> Result:
        path = "" if self.shell.runner else self.place.search_path  # wine has programs of its own
        hints = hints_for(result, path, self.place.files)
        if self.place.confinement is not None and not result.ok:
            hints = self._refusals(result) or hints
        if result.output_id is not None and not self._can_read_output(result):
            out, err = without_spool(result.stdout), without_spool(result.stderr)
            result = replace(result, stdout=out, stderr=err, output_id=None)
        return replace(result, hints=hints) if hints else result

    def _can_read_output(self, result: Result) -> bool:
        """Whether the agent could read the file with all of a command's output, under the rules."""
        if self._gate is None or "files" in (*self.config.preset.tools, *self.config.more_tools):
            return True
        return self._gate.can_read(f"{result.output_id}.out", result.working_directory)

    def _refusals(self, result: Result) -> tuple[str, ...]:
        """What the sandbox has refused a command, as far as its messages tell."""
        from nacre.sandbox.refusals import refusals  # noqa: PLC0415  # only a sandbox needs it

        confinement = self.place.confinement
        return refusals(result, confinement.profile, self.place.files) if confinement else ()


def _gate(
    config: Config, shell: Shell, files: FileSystem, table: ProgramTable | None, outputs: str
) -> Gate | None:
    """Without rules there is nothing to load and nothing to ask."""
    policy, commands = config.policy, config.commands_for(shell.dialect.name)
    if commands is None and table is None and (policy is None or policy.empty):
        return None
    from nacre.gate import Gate  # noqa: PLC0415  # see above
    from nacre.policy import Policy  # noqa: PLC0415  # the same
    from nacre.policy.grammar import KNOWN_SHELLS  # noqa: PLC0415  # the same

    policy, name = policy or Policy(allow_writes=commands is None), shell.language
    policy = replace(policy, own_files=config.own_files, files=files, output_directories=(outputs,))
    if name not in KNOWN_SHELLS and table is None and not policy.empty:  # such a table needs no shell
        raise RequestError(
            f"{shell.name}: rules cannot be held in this shell, whose language the policy does not read.",
            hint=f"Use --shell with {examples(_is_readable)}, or start without rules.",
        )
    if commands is None:
        return Gate(policy, name, program_table=table, write_files=config.write_files)
    from nacre.policy.single_command import single_command_check  # noqa: PLC0415  # the same

    lists = shell.dialect.lists
    if lists is None:
        raise RequestError(
            f"{shell.name}: a list of commands cannot be held in this shell.",
            hint=f"Use --shell with {examples(lambda dialect: dialect.lists)}.",
        )
    check = single_command_check(commands, lists.quoting)
    return Gate(policy.allowing(commands), name, check, table)


def _is_readable(dialect: Dialect) -> bool:
    """Whether the policy reads its language."""
    return dialect.language != ""


def _abort_file(path: str | None) -> AbortFile | None:
    if path is None:
        return None
    from nacre.abort import AbortFile  # noqa: PLC0415  # few want one

    return AbortFile(path)


def _program_table(config: Config, directory: str, files: FileSystem) -> ProgramTable | None:
    if config.container is None:
        return None
    from nacre.policy.program_table import ProgramTable  # noqa: PLC0415  # few presets have one

    return ProgramTable(config.container.allowed_commands, directory, files)


def _check(command: Command) -> None:
    """What no operating system can run is refused before anything starts."""
    if command.argv is None:
        _check_text("command", command.text)
    for index, word in enumerate(command.argv or ()):
        _check_text(f"args[{index - 1}]" if index else "command", word)
    if command.stdin is not None:
        _check_encoding("stdin", command.stdin)
    for name, value in command.environment.items():
        if not name or "=" in name:
            raise RequestError(
                f"environment: {name!r} is not a variable name.", hint="A name is not empty and has no '='."
            )
        _check_text(f"environment.{name}", name)
        _check_text(f"environment.{name}", value)


def _check_text(argument: str, text: str) -> None:
    if "\0" in text:
        at = text.index("\0")
        raise RequestError(
            f"{argument} holds a NUL character at offset {at}.",
            hint="No shell can take one; use printf '\\0' to make it.",
        )
    _check_encoding(argument, text)


def _check_encoding(argument: str, text: str) -> None:
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise RequestError(
            f"{argument} holds half of a surrogate pair at offset {error.start}.",
            hint="Send it as whole characters.",
        ) from None
