"""This machine as a place: its keeper, its shells, the environment of its commands, their output files.

Above it: the service. Below: `connection`, `local_files`, `file_work`, the dialects and the environment.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nacre.dialects import examples, find_shell, is_known
from nacre.dialects.posix import PROBE, PROBE_ANSWER
from nacre.environment import QUIET_DEFAULTS, EnvironmentRules, LoginProbe, is_bare, merge_login
from nacre.errors import RequestError
from nacre.keeper.frames import Spawn
from nacre.keeper.launch import launch
from nacre.model import LOCAL
from nacre.outputs import Outputs
from nacre.places.connection import KeeperConnection
from nacre.places.local_files import LOCAL_FILES
from nacre.spools import Spools

if TYPE_CHECKING:
    from collections.abc import Collection, Coroutine, Mapping

    from nacre.config import Config
    from nacre.file_records import FileDone, FileWork
    from nacre.keeper.launch import Launched
    from nacre.keeper.link import Link
    from nacre.places.confined import Confinement
    from nacre.places.exec_supervision import ExecSupervision
    from nacre.places.file_work import ResolvedPath
    from nacre.places.open_container import Hold
    from nacre.places.proxy import Proxy
    from nacre.policy import Policy
    from nacre.sandbox.grants import Grant
    from nacre.sandbox.profile import Refusal

LOGIN_PATIENCE_S = 5.0
PROBE_PATIENCE_MS = 5000
_log = logging.getLogger("nacre")


class Local:
    """A `Place`: the machine that nacre itself runs on."""

    name = LOCAL
    files = LOCAL_FILES

    def __init__(self, config: Config, launched: Launched | None) -> None:
        """`launched` is a keeper that was started early; a sandbox needs one of its own."""
        self._config = config
        self.secrets: Mapping[str, str] = _known_secrets(config) if config.secrets else {}
        self.shell = find_shell(config.shell, os.environ, self.files)
        self.spools = Spools(os.environ, config.spools_kept, config.spool_total_bytes)
        self.outputs = Outputs(self.spools)
        self._launched = launched
        self.keeper: KeeperConnection
        self.confinement: Confinement | None = None
        self._grants: tuple[Grant, ...] = ()  # what the person has granted since the start
        self._others: list[tuple[KeeperConnection, Confinement]] = []  # keepers whose commands may still run
        self.execs: ExecSupervision | None = None
        self._keeper_rules: tuple[bool, tuple[str, ...]] = (
            False,
            (),
        )  # whether the latest keeper's execs are decided; its executables
        self.open_execution = ""  # why the set of executable files is not restricted
        self._hold: Hold | None = None
        self.warnings: tuple[str, ...] = ()  # settings that cannot be enforced here
        if config.sandbox != "off":
            self._enter_sandbox()
        elif (container := config.preset.container) is not None and container.confine:
            self._hold_in_container(container.network)
        self._rules = _environment_rules(config)
        self._environment = self._environment_from(dict(os.environ))

    def _enter_sandbox(self) -> None:
        """Prepare a keeper inside the sandbox. RequestError: it was requested, but is not available."""
        if self.shell.dialect.name == "cmd" and not self._config.sandbox_chosen:
            why = "wine runs Windows programs in programs of its own, which no rule names"
            self.warnings = (f"Rules hold for the text of commands only, without a sandbox: {why}.",)
            return
        try:
            self.confinement = self._confine()
        except RequestError as error:
            if self._config.sandbox_chosen:
                raise
            self.warnings = (f"Rules hold for the text of commands only. {error}",)
            return
        if self._config.has_allowlist and not self.confinement.gate:
            why = "this kernel, or what we run in, lets nobody decide what a process starts"
            self.warnings = (f"Rules hold for the text of commands only: {why}.",)
        if self.confinement.warning:
            self.warnings = (*self.warnings, self.confinement.warning)
        if self._launched is not None:
            self._launched.abandon()  # it is not confined
            self._launched = None

    def _hold_in_container(self, network: bool) -> None:  # noqa: FBT001  # its only argument
        """Prepare a confined keeper, if the container around us is open."""
        from nacre.places.open_container import hold, is_container  # noqa: PLC0415  # few are in one

        if not is_container():
            return
        found = hold(self.start_directory(), self.spools.path, network=network)
        for warning in found.warnings():
            _log.warning("%s", warning)
        if found.is_needed:
            self._hold = found
            if self._launched is not None:
                self._launched.abandon()  # it is not confined
                self._launched = None

    def _environment_from(self, inherited: dict[str, str]) -> dict[str, str]:
        """What commands inherit from an environment."""
        environment = self._rules.for_commands(inherited)
        if self._config.secrets_given == "all":
            environment.update(self.secrets)
        if self.confinement is not None:
            environment = self.confinement.adapt(environment)
        if self._config.has_rules:
            environment.update(self.shell.dialect.held_environment)
        return environment

    def start(self) -> None:
        """Start its keeper before the event loop, unless it needs a proxy from the start."""
        if self.confinement is None or self.confinement.proxy is None:
            self._launched = self._launch()

    def open(self) -> None:
        """Take over the keeper that was started before, and set it up."""
        if self.spools.problem:
            _log.warning("the directory for output files %s", self.spools.problem)
        self.spools.sweep()
        self.keeper = KeeperConnection(self._launched or self._launch(), self._relaunch, self._greet)
        self._launched = None

    def _confine(self, grants: tuple[Grant, ...] = ()) -> Confinement:
        from nacre.places.confined import confine  # noqa: PLC0415  # only a sandbox needs it
        from nacre.sandbox.grants import widened  # noqa: PLC0415  # the same

        config = widened(self._config, (*self._grants, *grants))
        if not config.sandbox_chosen and not self._texts_are_read and not _may_write(config):
            config = replace(config, sandbox="read-only")  # what such a shell writes cannot be determined
        return confine(config, self.start_directory(), self.files, self.spools.path)

    def widen(self, grants: tuple[Grant, ...], *, for_all: bool) -> KeeperConnection | None:
        """A keeper in a wider sandbox: for one command, or for all that are started from now on.

        Running commands stay where they are: a sandbox is never widened from within. None: it is the usual
        keeper now.
        """
        wider = self._confine(grants)
        keeper = KeeperConnection(self._launch(wider), self._relaunch, self._greet, beside=self.keeper)
        if not for_all:
            self._others.append((keeper, wider))
            return keeper
        if self.confinement is not None:
            self._others.append((self.keeper, self.confinement))
        self.keeper, self.confinement = keeper, wider
        self._grants = (*self._grants, *grants)
        return None

    @property
    def _texts_are_read(self) -> bool:
        """Whether the policy can read the language of its shell."""
        from nacre.policy.grammar import KNOWN_SHELLS  # noqa: PLC0415  # only rules need it

        return self.shell.language in KNOWN_SHELLS

    def _relaunch(self) -> Launched:
        """Start the next keeper; the files under its sandbox may have changed by now."""
        if self.confinement is not None:
            before, self.confinement = self.confinement, self._confine()
            before.release()
        return self._launch()

    def _launch(self, confinement: Confinement | None = None) -> Launched:
        """Start a keeper, confined by the sandbox or as in an open container."""
        if self._hold is not None:
            return launch(self._hold.argv)
        held = confinement or self.confinement
        if held is None:
            return launch()
        gated, executables = self._keeper_rules = (self.decides_execs, self._executables())
        launched = held.launch(os.environ, gated=gated, executables=executables)
        if self.execs is not None and gated:
            self.execs.attend(launched.gate)
        return launched

    def _executables(self) -> tuple[str, ...]:
        """The only files that can be executed, if the rules can be expressed as such a list; none: any."""
        if not self.decides_execs:
            return ()
        from nacre.sandbox.executables import Executables, TooWideError  # noqa: PLC0415  # only rules need it

        self.open_execution = self._why_executables_vary()
        policy = self._config.policy
        if self.open_execution or policy is None:
            return ()
        found = Executables(self.search_path.split(os.pathsep), _real_file, _interpreter_of)
        try:
            return found.of(policy, self.shell.executable)
        except TooWideError as error:
            self.open_execution = str(error)
            return ()

    def _why_executables_vary(self) -> str:
        """Why the programs that commands may start cannot be known when a keeper is started."""
        if self._config.commands is not None or self._config.policy is None:
            return "the list of commands may change"
        return "the login shell is asked for its environment" if self._reads_login_environment else ""

    @property
    def decides_execs(self) -> bool:
        """Whether its keepers ask before each exec: there is a sandbox, and there are rules."""
        rules = self._config.commands is not None or bool(
            self._config.policy and not self._config.policy.empty
        )
        return rules and self.confinement is not None and self.confinement.gate

    def hold(self, policy: Policy) -> None:
        """Have the kernel enforce rules on all that commands start, where a sandbox can."""
        if self.execs is not None:
            self.execs.rules.adopt(policy)
        elif self.decides_execs:
            from nacre.places.exec_supervision import ExecSupervision  # noqa: PLC0415  # only rules need it
            from nacre.sandbox.exec_rules import ExecRules, Where  # noqa: PLC0415  # as above

            where = Where(lambda: self.search_path.split(os.pathsep), self.files.home, self._is_writable)
            self.execs = ExecSupervision(ExecRules(policy, where))
            if self._launched is not None:
                self.execs.attend(self._launched.gate)

    def change_rules(self, config: Config, policy: Policy | None) -> bool:
        """Enforce other rules from now on. True: by another keeper, because this one cannot be changed.

        Which files can be executed at all, and whether execs are decided, is fixed when a keeper starts. What
        runs already stays with its keeper. RequestError: no other keeper can be started; nothing has changed.
        """
        before = self._config
        self._config = replace(before, policy=config.policy, commands=config.commands)
        renewed = self.confinement is not None and self._keeper_rules != (
            self.decides_execs,
            self._executables(),
        )
        decided = self.execs
        try:
            if decided is None and policy is not None:
                self.hold(policy)
            if renewed:
                self.widen((), for_all=True)
        except (RequestError, OSError):
            self._config, self.execs = before, decided
            raise
        if decided is not None:
            from nacre.policy import Policy as NoRules  # noqa: PLC0415  # only rules need it

            decided.rules.adopt(policy or NoRules())
        return renewed

    def _is_writable(self, path: str) -> bool:
        """Whether commands could change the file at a real path."""
        return self.confinement is None or self.confinement.profile.why_not_written(path) is None

    def check_environment(self, environment: Mapping[str, str]) -> None:
        """Raise RequestError for a variable that a call may not set here."""
        name, why = self._rules.objection_to_call(environment)
        if name:
            raise RequestError(
                f"environment.{name} cannot be set: {why}.",
                hint="Nothing was run. Leave it out.",
            )

    @property
    def output_directory(self) -> str:
        """The directory of the files with long output."""
        return self.spools.path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of its commands."""
        return self._environment

    @property
    def quiet_variables(self) -> tuple[str, ...]:
        """Variables that are set only for commands without a terminal."""
        return tuple(name for name, value in QUIET_DEFAULTS.items() if self._environment.get(name) == value)

    @property
    def search_path(self) -> str:
        """The PATH of its commands."""
        return self._environment.get("PATH", "")

    @property
    def inherited_names(self) -> Collection[str]:
        """The variables that its commands inherit."""
        return self._environment.keys() | self.shell.dialect.environment.keys()

    @property
    def ready_link(self) -> Link | None:
        """The link, if its keeper is ready for commands, as nearly always."""
        return self.keeper.ready_link

    def link(self) -> Coroutine[Any, Any, Link]:
        """The link to its keeper, ready for commands. PlaceError: no keeper can be started."""
        return self.keeper.link()

    def start_directory(self) -> str:
        """The directory of commands that name none. RequestError: the configured one does not exist."""
        wanted = self._config.chosen_directory
        directory = Path(wanted).expanduser().absolute() if wanted else Path.cwd()
        if not wanted and directory == Path(directory.anchor):  # where desktop applications start servers
            directory = Path.home()
        if not os.path.isdir(directory):
            raise self._no_directory(directory)
        return str(directory)

    def _no_directory(self, directory: Path) -> RequestError:
        is_workspace = self._config.working_directory is None and self._config.preset.container is not None
        trouble = "is not a directory" if os.path.lexists(directory) else "does not exist"
        return RequestError(
            f"The {'workspace' if is_workspace else 'working directory'} {trouble}: {directory}.",
            code="no_directory",
            hint=f'Mount it (docker run -v "$(pwd):{directory}"), or name another with --working-dir.'
            if is_workspace
            else "Check --working-dir.",
        )

    async def check_shell(self) -> None:
        """Raise RequestError for a shell that is unknown and not a POSIX shell."""
        if is_known(self.shell):
            return
        link = await self.link()
        argv, _ = self.shell.once(PROBE)
        spawn = Spawn(argv=argv, program=self.shell.path, cwd="/", timeout_ms=PROBE_PATIENCE_MS)
        end = await link.run(spawn).exit
        if end.stdout.head != PROBE_ANSWER:
            raise RequestError(
                f"{self.shell.path} is not a POSIX shell, and nacre does not know it.",
                code="no_shell",
                hint=f"Give --shell a shell such as {examples()}.",
            )

    async def close(self) -> None:
        """End its keeper and with it everything that still runs."""
        await asyncio.gather(self.keeper.close(), *(keeper.close() for keeper, _ in self._others))
        if self.execs is not None:
            self.execs.close()
        self.release()
        self.spools.remove()

    def refused_hosts(self, since: float, command: int) -> tuple[Refusal, ...]:
        """The hosts that its sandbox has refused a command since a moment (`time.monotonic`), each once."""
        found = [refusal for proxy in self._proxies() for refusal in proxy.refused_since(since, command)]
        return tuple(dict.fromkeys(found))

    def _proxies(self) -> list[Proxy]:
        held = (self.confinement, *(other for _, other in self._others))
        return [each.proxy for each in held if each is not None and each.proxy is not None]

    def release(self) -> None:
        """Remove what its sandbox has put into the person's directories."""
        for confinement in (self.confinement, *(held for _, held in self._others)):
            if confinement is not None:
                confinement.release()

    # -- files

    async def find_file(self, work: FileWork, roots: tuple[str, ...], directory: str) -> ResolvedPath:
        """The file that is meant, resolved. Refused: it is outside of the roots, or nacre's own."""
        from nacre.places.file_work import AllowedRoots  # noqa: PLC0415  # only servers with file tools pay

        own = self._config.own_files
        found = await asyncio.to_thread(lambda: AllowedRoots(roots, directory, own).find(work))
        if self.confinement is not None:
            self.confinement.check_file(found.path, self.files.home, writes=work.writes)
        return found

    async def work_on_file(self, work: FileWork, found: ResolvedPath) -> FileDone:
        """Do the work. NacreError says why it cannot be done."""
        from nacre.places.file_work import perform  # noqa: PLC0415  # as above

        return await asyncio.to_thread(perform, work, found, self._config.reply_limit_bytes)

    # -- the keeper

    async def _greet(self, link: Link, lost_cookie: str) -> None:
        """Send a new keeper what all commands share."""
        if self.execs is not None:
            link.on_spawn = partial(self.execs.expect, link)
        for proxy in self._proxies():
            proxy.begin()
        self.spools.ensure()
        await link.open(self._environment, self.spools.path, lost_cookie, self.spools.limits)
        if self._reads_login_environment:
            await self._read_login_environment(link)

    @property
    def _reads_login_environment(self) -> bool:
        if os.name != "posix" or not self._rules.asks_login_shell:  # Windows has no such shell
            return False
        wanted = self._config.login_environment
        return wanted == "always" or (wanted == "auto" and is_bare(dict(os.environ)))

    async def _read_login_environment(self, link: Link) -> None:
        """Ask the person's login shell once; a slow or silent shell changes nothing."""
        probe = LoginProbe()
        shell = find_shell(None, os.environ, self.files)
        if not shell.dialect.login_flags:
            _log.warning("%s has no login files; commands run with the server's own environment", shell.name)
            return
        running = link.run(
            Spawn(
                argv=[shell.name, *shell.dialect.login_flags, probe.script],
                program=shell.path,
                cwd="/",
                timeout_ms=round(LOGIN_PATIENCE_S * 1000),
                keep_bytes=1 << 20,
            )
        )
        if self.execs is not None:
            self.execs.rules.trust(running.id)
        login = probe.read((await running.exit).stdout.head)
        if login is None:
            _log.warning("the login shell did not tell its environment; commands run with the server's own")
            return
        self._environment = self._environment_from(merge_login(dict(os.environ), login))
        link.set_up(self._environment, self.spools.path)
        _log.info("started with a bare environment: using the login shell's, PATH=%s", self.search_path)


def _known_secrets(config: Config) -> dict[str, str]:
    from nacre.secrets import known_secrets  # noqa: PLC0415  # few have secrets

    return known_secrets(config, os.environ)


def _real_file(path: str) -> str:
    real = os.path.realpath(path)
    return real if os.path.isfile(real) and os.access(real, os.X_OK) else ""


def _interpreter_of(path: str) -> tuple[str, ...]:
    from nacre.sandbox.executables import HEAD_BYTES, words_of  # noqa: PLC0415  # only rules need it

    try:
        with open(path, "rb") as file:
            return tuple(words_of(file.read(HEAD_BYTES)))
    except OSError:
        return ()


def _may_write(config: Config) -> bool:
    return config.policy is not None and config.policy.allow_writes


def _environment_rules(config: Config) -> EnvironmentRules:
    """The settings of the environment, with the defaults of the sandbox level."""
    return EnvironmentRules(
        inherit=config.environment_inherit or ("core" if config.sandbox == "strict" else "login"),
        include=config.environment_include,
        exclude=config.environment_exclude,
        set=config.environment_set,
        held=config.sandbox != "off" or config.has_rules,
        hides_secrets=config.sandbox != "off",
        withheld=frozenset(
            {*config.secrets, *(source.origin for source in config.secrets.values() if source.kind == "env")}
        ),
    )
