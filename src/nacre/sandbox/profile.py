"""What a level of the sandbox means on this machine. Pure, given what exists there.

Above it: `places`. It asks the place what is there (`filesystem`) and changes nothing.
"""

from __future__ import annotations

import json
import os.path
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from nacre.model import record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nacre.filesystem import FileSystem


class Level(StrEnum):
    """How tightly commands are confined."""

    OFF = "off"
    WORKSPACE = "workspace"
    READ_ONLY = "read-only"
    STRICT = "strict"


# Below the home directory: what holds keys, tokens and passwords of the person.
SECRETS = (
    ".aws",
    ".azure",
    ".boto",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh/hosts.yml",
    ".config/google-chrome",
    ".config/hub",
    ".config/microsoft-edge",
    ".config/op",
    ".config/rclone",
    ".config/vivaldi",
    ".docker/config.json",
    ".electrum",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".mozilla",
    ".netrc",
    ".oci",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".terraform.d/credentials.tfrc.json",
    ".thunderbird",
    ".vault-token",
    "snap/chromium",
    "snap/firefox",
)
SSH_READABLE = ("authorized_keys", "config", "config.d", "known_hosts", "known_hosts.old")
# A connection to one of these is a way out of the sandbox: below the home directory, and elsewhere.
HOME_SOCKETS = (
    ".colima/default/docker.sock",
    ".docker/desktop/docker.sock",
    ".docker/run/docker.sock",
    ".orbstack/run/docker.sock",
    ".rd/docker.sock",
)
SYSTEM_SOCKETS = (
    "/var/lib/incus/unix.socket",
    "/var/lib/lxd/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
)
# In a writable directory: what other programs execute or trust later, outside of the sandbox.
PROTECTED_DIRECTORIES = (".cursor", ".git/hooks", ".vscode")
PROTECTED_FILES = (
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".git/commondir",  # leads git to another configuration
    ".git/config",
    ".git/config.worktree",
    ".mcp.json",
    "nacre.toml",
)
# The same in the home directory, if it is in a writable directory.
HOME_DIRECTORIES = (
    ".config/autostart",
    ".config/fish",
    ".config/git",
    ".config/nacre",
    ".config/systemd",
    ".local/bin",
    ".ssh",
)
START_UP_FILES = (
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".gitconfig",
    ".profile",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
)
PROTECTED = tuple(sorted((*PROTECTED_DIRECTORIES, *PROTECTED_FILES, *HOME_DIRECTORIES, *START_UP_FILES)))
# In the directory of git's that a linked worktree has in its repository.
WORKTREE_FILES = ("commondir", "config.worktree", "gitdir")
COMMON_DIRECTORY_TEXT = ".\n"  # what git assumes without it: the directory itself
PLACEHOLDER_TEXT = "# nacre's sandbox keeps this name free; the file goes when nacre ends\n"
# bash reads the first of these alone: an empty one would hide the next.
_NEXT_OF_BASH = {
    ".bash_profile": "if [ -f ~/.bash_login ]; then . ~/.bash_login\n"
    "elif [ -f ~/.profile ]; then . ~/.profile; fi\n",
    ".bash_login": "if [ -f ~/.profile ]; then . ~/.profile; fi\n",
}
# Below the home directory: caches that build tools need, and the program for which a missing cache is
# created. No directory of programs is among them.
CACHES = {
    ".cache": "",
    ".bundle/cache": "bundle",
    ".bun/install/cache": "bun",
    ".cargo/git": "cargo",
    ".cargo/registry": "cargo",
    ".gradle/caches": "gradle",
    ".ivy2/cache": "sbt",
    ".m2/repository": "mvn",
    ".npm": "npm",
    ".nuget/packages": "dotnet",
    ".pnpm-store": "pnpm",
    ".yarn/berry": "yarn",
    "go/pkg": "go",
}
TMP = ("/tmp", "/var/tmp")  # noqa: S108  # the directories themselves are meant
SIBLINGS_LOOKED_AT = 500  # directories that are searched for .env files, beside the workspace and its parents


@record
class SandboxSettings:
    """The person's settings, and facts about the machine."""

    level: Level
    workspace: str
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()  # secrets that are readable nevertheless
    unprotected: tuple[str, ...] = ()  # names of PROTECTED that are writable nevertheless
    sockets: tuple[str, ...] = ()  # such as those of an SSH agent or Docker
    network: bool | None = None  # None: the default of the level
    hosts: tuple[str, ...] | None = None  # those that are reached through a proxy, without a network
    tmp_bytes: int = 0  # how much the private /tmp holds; 0: what the disk does
    hidden: tuple[str, ...] = ()  # hidden besides secrets: directories of other servers
    worktree: Worktree | None = None  # if the workspace is one
    known_sockets: tuple[str, ...] = ()  # of services that the environment names
    own_processes_only: bool = False  # if the kernel cannot restrict signals otherwise
    search_path: str | None = None  # where programs are looked for whose caches are to be made


@dataclass(frozen=True, slots=True)
class Worktree:
    """A linked worktree of git: its repository is elsewhere, and must be writable for a commit."""

    git_directory: str  # of this worktree, in its repository's
    common_directory: str  # of the repository: …/.git


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Stands for something protected that does not exist, so that a mount can cover it.

    An empty directory, which no other program takes for what is missing, and git does not see; a file where
    only a file does no harm.
    """

    path: str
    text: str | None = None  # None: a directory
    with_parents: bool = False  # whether the directories above it are made as well
    unmistakable: bool = False  # whether no other program would create a file of this name


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that the sandbox keeps from commands, and the setting with which a person opens it."""

    path: str
    reason: str
    setting: str
    value: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.opening})"

    @property
    def opening(self) -> str:
        """The line of a settings file that opens it."""
        value = quoted(self.value)
        one = self.setting == "sandbox" or self.value in {"on", "off"}
        return f"{self.setting} = {value if one else f'[{value}]'}"


@record
class Profile:
    """A level in this place: real paths, and what is closed."""

    level: Level
    workspace: str
    writable: tuple[str, ...]
    hidden: tuple[str, ...]  # not readable
    protected: tuple[str, ...]  # not writable, below something writable
    sockets: tuple[str, ...]
    private_tmp: str
    network: bool
    hosts: tuple[str, ...] | None  # those that are reached through a proxy, without a network; None: no proxy
    own_processes_only: bool
    tmp_bytes: int = 0
    placeholders: tuple[Placeholder, ...] = ()  # for protected files that do not exist
    caches: tuple[str, ...] = ()  # directories of `writable` that have to be created
    closed_sockets: tuple[str, ...] = ()  # those of `hidden` that are sockets of services

    @property
    def proxy(self) -> bool:
        """Whether some hosts can be reached through a proxy."""
        return self.hosts is not None

    @property
    def reach(self) -> str:
        """The network access of commands, for a person."""
        if self.hosts is None:
            return "yes" if self.network else "no"
        return f"only {', '.join(self.hosts)}" if self.hosts else "no"

    def holds(self, path: str) -> bool:
        """Whether a real path is in the workspace or another directory that may be written."""
        return any(is_below(path, root) for root in (self.workspace, *self.writable))

    def why_not_written(self, path: str, *, own_tmp: bool = True) -> Refusal | None:
        """Why a real path cannot be changed; None: it can be.

        `own_tmp`: whether /tmp is the one that commands have for themselves, and not the machine's.
        """
        for protected in (*self.protected, *(each.path for each in self.placeholders)):
            if is_below(path, protected):
                name = protected_name(protected)
                return Refusal(path, "it is protected", "sandbox_unprotected", name)
        in_tmp = own_tmp and not is_below(path, self.workspace) and _is_in(path, (self.private_tmp, *TMP))
        if in_tmp or _is_in(path, self.writable):
            return None
        if self.level is Level.READ_ONLY:
            return Refusal(path, "nothing but /tmp may be written", "sandbox", "workspace")
        reason = f"it is outside of the workspace {self.workspace}"
        return Refusal(path, reason, "sandbox_writable", os.path.dirname(path))

    def why_not_read(self, path: str, home: str) -> Refusal | None:
        """Why a real path cannot be read; None: it can be."""
        hidden = next((hidden for hidden in self.hidden if is_below(path, hidden)), None)
        if hidden is None or is_below(path, os.path.dirname(self.private_tmp)):  # this server's own output
            return None
        if hidden in self.closed_sockets:
            return self.why_no_socket(hidden)
        name = os.path.relpath(hidden, home) if is_below(hidden, home) else hidden
        return Refusal(path, "secrets are hidden", "sandbox_readable", name)

    def why_no_socket(self, path: str) -> Refusal | None:
        """Why a socket cannot be used; None: it can be, or is not one of those."""
        if path in self.sockets:
            return None
        gone = path in self.closed_sockets or (_is_in(path, ("/run", *TMP)) and not self.holds(path))
        return Refusal(path, "sockets of services are closed", "sandbox_sockets", path) if gone else None


def protected_name(path: str) -> str:
    """The setting's name for something protected, wherever it is."""
    return next((name for name in PROTECTED if path.endswith(f"/{name}")), path)


def private_directories(private_tmp: str) -> tuple[str, str]:
    """What commands have in place of each directory of TMP."""
    return private_tmp, f"{private_tmp}-var"


def is_below(path: str, root: str) -> bool:
    """Whether a path is a root or below it; both without links."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def quoted(text: str) -> str:
    """A text as TOML has it."""
    return json.dumps(text, ensure_ascii=False)


def build_profile(
    settings: SandboxSettings, files: FileSystem, own_files: Iterable[str], private_tmp: str
) -> Profile:
    """The profile of a level. `own_files` are nacre's: no command can read or change them."""
    may_write = settings.level in {Level.WORKSPACE, Level.STRICT}
    workspace = files.real_path(settings.workspace)
    roots = [workspace, *(files.real_path(files.expand_home(path)) for path in settings.writable)]
    roots = roots if may_write else []
    shared = settings.worktree if may_write else None
    own = tuple(map(files.real_path, own_files))
    caches = list(_caches(files, settings.search_path)) if may_write else []
    closed = [
        path
        for path in _protected(roots, own, shared, files)
        if protected_name(path) not in settings.unprotected
    ]
    standing = [each for each in _placeholders(roots, shared, files) if each.path in closed]
    opened = {files.real_path(os.path.join(files.home, path)) for path in settings.readable}
    given = tuple(files.real_path(files.expand_home(path)) for path in settings.sockets)
    sockets = {*_sockets(files), *map(files.real_path, settings.known_sockets)} - {*given}
    hidden = {*_secrets(files), *_env_files(workspace, files), *own, *settings.hidden, *sockets}
    strict = settings.level is Level.STRICT
    return Profile(
        level=settings.level,
        workspace=workspace,
        writable=tuple(dict.fromkeys([*roots, *([shared.common_directory] if shared else []), *caches])),
        hidden=tuple(sorted(path for path in hidden - opened if _exists(path, files))),
        protected=tuple(dict.fromkeys(path for path in closed if _exists(path, files))),
        sockets=given,
        private_tmp=private_tmp,
        network=settings.hosts is None and (not strict if settings.network is None else settings.network),
        hosts=settings.hosts,
        own_processes_only=strict or settings.own_processes_only,
        tmp_bytes=settings.tmp_bytes,
        placeholders=tuple(dict.fromkeys(each for each in standing if _can_stand(each, files))),
        caches=tuple(path for path in caches if not files.is_directory(path)),
        closed_sockets=tuple(sorted(sockets)),
    )


def _exists(path: str, files: FileSystem) -> bool:
    """Whether there is anything of that name, also a socket."""
    try:
        files.status(path)
    except OSError:
        return False
    return True


def names_in(directory: str, files: FileSystem) -> list[str]:
    """The names in a directory, as far as it can be read."""
    try:
        return sorted(entry.name for entry in files.entries(directory))
    except OSError:
        return []


def _below(directory: str, names: Iterable[str]) -> Iterator[str]:
    return (os.path.join(directory, name) for name in names)


def _sockets(files: FileSystem) -> Iterator[str]:
    return map(files.real_path, (*_below(files.home, HOME_SOCKETS), *SYSTEM_SOCKETS))


def _secrets(files: FileSystem) -> Iterator[str]:
    yield from (files.real_path(path) for path in _below(files.home, SECRETS))
    ssh = os.path.join(files.home, ".ssh")
    for name in names_in(ssh, files):
        if name not in SSH_READABLE and not name.endswith(".pub"):
            yield files.real_path(os.path.join(ssh, name))


def _protected(
    roots: list[str], own: tuple[str, ...], shared: Worktree | None, files: FileSystem
) -> Iterator[str]:
    """Names that must not change, whether they exist or not."""
    if shared is not None:
        yield os.path.join(roots[0], ".git")
        yield from _below(shared.common_directory, ("commondir", "config", "config.worktree", "hooks"))
        yield from _below(shared.git_directory, WORKTREE_FILES)
    for root in roots:
        yield from _below(root, (*PROTECTED_DIRECTORIES, *PROTECTED_FILES, *START_UP_FILES))
    home = files.real_path(files.home)
    if _is_in(home, roots):
        yield from _below(home, HOME_DIRECTORIES)
    yield from (path for path in own if _is_in(path, roots))


def _placeholders(roots: list[str], shared: Worktree | None, files: FileSystem) -> Iterator[Placeholder]:
    """What stands for names that another program would read. A start-up file is one at home only."""
    git_directories = [os.path.join(root, ".git") for root in roots]
    for directory in [*git_directories, *([shared.common_directory] if shared else [])]:
        yield Placeholder(os.path.join(directory, "hooks"))
        yield Placeholder(os.path.join(directory, "config"), "")
        yield Placeholder(os.path.join(directory, "commondir"), COMMON_DIRECTORY_TEXT, unmistakable=True)
    for root in roots:
        yield from map(Placeholder, _below(root, (".cursor", ".vscode")))
        yield Placeholder(os.path.join(root, ".mcp.json"), unmistakable=True)
    home = files.real_path(files.home)
    if _is_in(home, roots):
        yield from (Placeholder(path, with_parents=True) for path in _below(home, HOME_DIRECTORIES))
        for name in START_UP_FILES:
            text = PLACEHOLDER_TEXT + _NEXT_OF_BASH.get(name, "")
            yield Placeholder(os.path.join(home, name), text, unmistakable=True)


def _can_stand(placeholder: Placeholder, files: FileSystem) -> bool:
    """Whether its directory is there or can be made; a name that is taken may be another server's doing."""
    return placeholder.with_parents or files.is_directory(os.path.dirname(placeholder.path))


def _is_in(path: str, roots: Iterable[str]) -> bool:
    return any(is_below(path, root) for root in roots)


def _caches(files: FileSystem, search_path: str | None) -> Iterator[str]:
    """Those that are there, and those that an installed program will want to make."""
    for name, program in CACHES.items():
        path = os.path.join(files.home, name)
        if files.is_directory(path) or not program or files.find_program(program, search_path):
            yield files.real_path(path)


def _env_files(workspace: str, files: FileSystem) -> Iterator[str]:
    """`.env` and the like in the projects beside the workspace, and above it up to the home directory."""
    home = os.path.join(files.home, "")
    here, looked_at = workspace, 0
    while here.startswith(home):
        here = os.path.dirname(here)
        for directory in [here, *_below(here, names_in(here, files))]:
            looked_at += 1
            if looked_at > SIBLINGS_LOOKED_AT:
                return
            if directory != workspace and files.is_directory(directory):
                yield from (
                    os.path.join(directory, name)
                    for name in names_in(directory, files)
                    if name == ".env" or name.startswith(".env.")
                )
