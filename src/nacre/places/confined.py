"""How a keeper is started inside a sandbox: the settings become a profile, and that an argv. Linux.

Above it: `local`. Below: `sandbox`, which says what a level means, and `keeper.launch`, which can try whether
bubblewrap works here. A level that is not available ends the start with the reason; nothing is left open in
silence.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from nacre.errors import Refused, RequestError
from nacre.keeper.confinement import LISTENER, SCOPES_SINCE, can_decide_execs, landlock_version
from nacre.keeper.launch import confined_argv, launch, launch_gated, local_argv, why_it_fails
from nacre.model import record
from nacre.places.placeholders import Placeholders
from nacre.places.worktrees import find_worktree
from nacre.sandbox.bubblewrap import bubblewrap_argv
from nacre.sandbox.plan import build_plan
from nacre.sandbox.profile import Level, Profile, SandboxSettings, build_profile, private_directories
from nacre.watch.paths import make_to_be_hidden, socket_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nacre.config import Config
    from nacre.filesystem import FileSystem
    from nacre.keeper.launch import Launched
    from nacre.places.proxy import Proxy

# They lead to services of the person: an agent with keys, Docker, the desktop, an editor.
SOCKET_VARIABLES = (
    "CONTAINER_HOST",
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DOCKER_HOST",
    "SSH_AUTH_SOCK",
    "VSCODE_GIT_IPC_HANDLE",
    "VSCODE_IPC_HOOK_CLI",
)
# Commands can read the environment that their keeper was started with.
KEEPER_VARIABLES = ("PATH", "LD_", "DYLD_")


@record
class Confinement:
    """What a keeper and its commands are held by."""

    profile: Profile
    outer: list[str]  # starts a program in its own view of the files; empty: bubblewrap does not work here
    plan: str  # what a program does to itself then
    landlock: int  # the version of its interface
    placeholders: Placeholders
    gate: bool = False  # whether every exec can be decided by rules
    proxy: Proxy | None = None  # the way to the hosts that the settings name
    problem: str = ""  # why there is no bubblewrap

    @property
    def argv(self) -> list[str]:
        """Starts the keeper."""
        return [*self.outer, *local_argv(), self.plan]

    def argv_of(self, program: Sequence[str]) -> list[str]:
        """Starts another program in there."""
        return [*self.outer, *confined_argv(self.plan, program)]

    @property
    def mounts(self) -> bool:
        """Whether bubblewrap gives commands a view of the files of their own."""
        return bool(self.outer)

    @property
    def warning(self) -> str:
        """What the level promises and Landlock alone does not hold; empty: it all holds."""
        if self.mounts:
            return ""
        kept = "" if self.profile.level is Level.READ_ONLY else "protected files of the workspace, "
        return (
            f"bubblewrap does not work here ({self.problem}), so Landlock holds the sandbox alone: {kept}"
            "sockets of services and the names of secrets are open to commands. Install the package"
            " bubblewrap, or permit user namespaces."
        )

    @property
    def held_by(self) -> str:
        """What holds it, for a person."""
        network = f"; network: {self.profile.reach}" if self.profile.hosts is not None else ""
        return f"{'bubblewrap, ' if self.mounts else ''}Landlock {self.landlock}, seccomp{network}"

    def check_file(self, path: str, home: str, *, writes: bool) -> None:
        """Raise Refused for a real path that a command could not read or write: file tools may do no more."""
        profile = self.profile
        why = profile.why_not_read(path, home)
        if writes and why is None:
            why = profile.why_not_written(path, own_tmp=False)
        if why is not None:
            raise Refused(
                f"The sandbox ({profile.level}) refused {path}: {why}.",
                hint="Only the person can change that.",
                rule="sandbox",
            )

    def adapt(self, environment: dict[str, str]) -> dict[str, str]:
        """The environment of commands with the directory for temporary files that they have in there."""
        if self.proxy is not None:
            environment = {**environment, **self.proxy.variables}
        if not self.mounts:
            return {**environment, "TMPDIR": self.profile.private_tmp}
        return {name: value for name, value in environment.items() if name != "TMPDIR"}  # /tmp is theirs

    def release(self) -> None:
        """Remove what it has put into the person's directories, and close the proxy."""
        self.placeholders.remove()
        if self.proxy is not None:
            self.proxy.close()

    def launch(
        self, own: Mapping[str, str], *, gated: bool = False, executables: Sequence[str] = ()
    ) -> Launched:
        """Start the keeper, with no more of our environment than starting needs.

        `gated`: every exec below it is decided by whoever holds the other end of its channel. `executables`
        are the only files that it can execute then; none: any.
        """
        starter = partial(launch_gated, executables=json.dumps(executables)) if gated else launch
        kept = {name: value for name, value in own.items() if name.startswith(KEEPER_VARIABLES)}
        if self.proxy is None:
            return starter(self.argv, kept)
        with self.proxy.expect_listener() as there:
            kept[LISTENER] = f"{self.proxy.port}:{there.fileno()}"
            return starter(self.argv, kept, (there.fileno(),))


def profile_of(config: Config, workspace: str, files: FileSystem, spool_directory: str) -> Profile:
    """What the settings come to here, if it is available. Nothing is changed."""
    network = config.sandbox_network
    settings = SandboxSettings(
        Level(config.sandbox),
        workspace,
        config.sandbox_writable,
        config.sandbox_readable,
        config.sandbox_unprotected,
        config.sandbox_sockets,
        network={"on": True, "off": False}.get(network) if isinstance(network, str) else None,
        hosts=network if isinstance(network, tuple) else None,
        tmp_bytes=config.limit_tmp_bytes,
        hidden=(
            os.path.dirname(spool_directory),  # with the output files of other servers
            socket_directory(os.environ),  # whoever reaches these sockets can stop jobs
        ),
        own_processes_only=landlock_version() < SCOPES_SINCE,
        worktree=find_worktree(workspace),
        known_sockets=tuple(_named_sockets(os.environ)),
        search_path=os.environ.get("PATH"),
    )
    return build_profile(settings, files, config.own_files, os.path.join(spool_directory, "tmp"))


def confine(config: Config, workspace: str, files: FileSystem, spool_directory: str) -> Confinement:
    """The confinement that the settings ask for. RequestError: it is not available here."""
    if sys.platform != "linux":
        raise _not_here("there is none for this system yet", "Start without --sandbox.")
    version = landlock_version()
    if not version:
        raise _not_here("this kernel has no Landlock", "Linux 5.13 or newer has it, unless it was left out.")
    network = config.sandbox_network
    proxy = _proxy(network) if isinstance(network, tuple) else None
    placeholders = Placeholders()
    make_to_be_hidden(socket_directory(os.environ))
    profile = _prepare(profile_of(config, workspace, files, spool_directory), spool_directory, placeholders)
    needed = dict.fromkeys((sys.base_prefix, sys.prefix, local_argv()[-1]))
    outer = bubblewrap_argv(profile, files, spool_directory, _unreadable(spool_directory), needed)
    problem = why_it_fails([*outer, "true"])
    if problem:  # nothing can be mounted over them
        placeholders.remove()
        profile = replace(profile, placeholders=())
    if problem and profile.level is Level.STRICT:
        raise _not_here(f"bubblewrap does not work here ({problem})", "Install the package bubblewrap.")
    if problem and proxy is not None:
        raise _not_here(
            f"a list of hosts needs bubblewrap, which does not work here ({problem})",
            'Install the package bubblewrap, or set sandbox_network to "on" or "off".',
        )
    plan = build_plan(profile, files, spool_directory, mounts=not problem)
    outer, gate = [] if problem else outer, can_decide_execs()
    return Confinement(profile, outer, json.dumps(plan), version, placeholders, gate, proxy, problem)


def _proxy(entries: tuple[str, ...]) -> Proxy:
    from nacre.places.proxy import Proxy  # noqa: PLC0415  # few have a list of hosts
    from nacre.sandbox.hosts import AllowedHosts  # noqa: PLC0415  # as above

    try:
        return Proxy(AllowedHosts(entries))
    except ValueError as error:
        raise RequestError(f"The setting sandbox_network cannot be used: {error}.") from None


def _named_sockets(environment: Mapping[str, str]) -> Iterator[str]:
    """Sockets of services that run for the person, as far as variables name them."""
    for name in SOCKET_VARIABLES:
        path = environment.get(name, "").partition(",")[0]  # D-Bus has more to say behind a comma
        for scheme in ("unix://", "unix:path="):
            path = path.removeprefix(scheme)
        if path.startswith("/"):
            yield path


def _not_here(why: str, hint: str) -> RequestError:
    return RequestError(f"The sandbox is not available: {why}.", code="no_sandbox", hint=hint)


def _unreadable(spool_directory: str) -> str:
    return os.path.join(spool_directory, "unreadable")


def _make_unreadable(path: str) -> None:
    """Make what covers a secret: a device node without a device, because root can read an empty file.

    bubblewrap lets no device be opened. Where no node can be made, it is a file that others cannot read.
    """
    with contextlib.suppress(FileExistsError):
        try:
            os.mknod(path, stat.S_IFCHR, os.makedev(0, 0))
        except (PermissionError, NotImplementedError):
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0))


def _prepare(profile: Profile, spool_directory: str, placeholders: Placeholders) -> Profile:
    """Create what mounts need, which goes with the server, and caches, which stay; the profile with them."""
    for directory in private_directories(profile.private_tmp):
        os.makedirs(directory, 0o700, exist_ok=True)
        os.chmod(directory, 0o1777)  # noqa: S103  # as /tmp is; the directory around it is private
    _make_unreadable(_unreadable(spool_directory))
    for cache in profile.caches:
        with contextlib.suppress(OSError):  # the tool will say what it misses
            os.makedirs(cache, exist_ok=True)
    missing = {path for path in profile.caches if not os.path.isdir(path)}
    return replace(
        profile,
        writable=tuple(path for path in profile.writable if path not in missing),
        placeholders=placeholders.make(profile.placeholders),
    )
