"""What a level of the sandbox means on this machine: pure, given what exists there.

Above it: `places`. It asks the place what is there (`filesystem`) and changes nothing.
"""

from __future__ import annotations

import json
import os.path
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from nacre.filesystem import FileSystem


class Level(StrEnum):
    """How tightly commands are held."""

    OFF = "off"
    WORKSPACE = "workspace"
    READ_ONLY = "read-only"
    STRICT = "strict"


# Below the home directory: what holds keys, tokens and passwords of the person.
SECRETS = (
    ".aws",
    ".azure",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/gcloud",
    ".config/google-chrome",
    ".config/op",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".mozilla",
    ".netrc",
    ".password-store",
    ".pgpass",
    ".thunderbird",
)
SSH_READABLE = ("authorized_keys", "config", "known_hosts", "known_hosts.old")
# In a directory that commands may write to: what other programs run or believe later, outside of the sandbox.
PROTECTED = (
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cursor",
    ".git/config",
    ".git/hooks",
    ".mcp.json",
    ".profile",
    ".vscode",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "nacre.toml",
)
# Below the home directory: caches that build tools cannot work without. No directory of programs is here.
CACHES = (
    ".cache",
    ".cargo/git",
    ".cargo/registry",
    ".gradle/caches",
    ".m2/repository",
    ".npm",
    ".pnpm-store",
    "go/pkg",
)
TMP = ("/tmp", "/var/tmp")  # noqa: S108  # the directories themselves are meant
SIBLINGS_LOOKED_AT = 500  # directories that are searched for .env files, beside the workspace and its parents


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the settings say."""

    level: Level
    workspace: str
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()  # secrets that are opened after all
    unprotected: tuple[str, ...] = ()  # names out of PROTECTED that are opened
    sockets: tuple[str, ...] = ()  # of an SSH agent, of Docker
    network: bool | None = None  # None: as the level has it
    tmp_bytes: int = 0  # how much the private /tmp holds; 0: what the disk does


@dataclass(frozen=True, slots=True)
class Profile:
    """A level in this place: real paths, and what is shut."""

    level: Level
    workspace: str
    writable: tuple[str, ...]
    hidden: tuple[str, ...]  # cannot be read
    protected: tuple[str, ...]  # below something writable, and cannot be changed
    sockets: tuple[str, ...]
    private_tmp: str
    network: bool
    own_processes_only: bool
    tmp_bytes: int = 0

    def holds(self, path: str) -> bool:
        """Whether a real path is in the workspace or another directory that may be written."""
        return any(is_below(path, root) for root in (self.workspace, *self.writable))

    def why_not_written(self, path: str) -> str:
        """Why a real path cannot be changed, and which setting would open it; empty: it can be."""
        for protected in self.protected:
            if is_below(path, protected):
                root = next(root for root in self.writable if is_below(protected, root))
                return f"it is protected (sandbox_unprotected = [{quoted(os.path.relpath(protected, root))}])"
        if any(is_below(path, root) for root in (*self.writable, self.private_tmp, *TMP)):
            return ""
        if self.level is Level.READ_ONLY:
            return 'nothing but /tmp may be written (sandbox = "workspace")'
        parent = quoted(os.path.dirname(path))
        return f"it is outside of the workspace {self.workspace} (sandbox_writable = [{parent}])"

    def why_not_read(self, path: str, home: str) -> str:
        """Why a real path cannot be read, and which setting would open it; empty: it can be."""
        hidden = next((hidden for hidden in self.hidden if is_below(path, hidden)), None)
        if hidden is None:
            return ""
        name = os.path.relpath(hidden, home) if is_below(hidden, home) else hidden
        return f"secrets are hidden (sandbox_readable = [{quoted(name)}])"


def is_below(path: str, root: str) -> bool:
    """Whether a path is a root or lies in it; both without links."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def quoted(text: str) -> str:
    """A text as TOML has it."""
    return json.dumps(text, ensure_ascii=False)


def build_profile(wishes: Wishes, files: FileSystem, own_files: Iterable[str], private_tmp: str) -> Profile:
    """What a level comes to here. `own_files` are nacre's: neither read nor changed by a command."""
    may_write = wishes.level in {Level.WORKSPACE, Level.STRICT}
    workspace = files.real_path(wishes.workspace)
    roots = [workspace, *(files.real_path(files.expand_home(path)) for path in wishes.writable)]
    writable = roots if may_write else []
    protected = [path for root in writable for path in _protected(root, wishes.unprotected, files)]
    if may_write:
        writable = writable + [path for path in _below(files.home, CACHES) if files.is_directory(path)]
    opened = {files.real_path(os.path.join(files.home, path)) for path in wishes.readable}
    hidden = {*_secrets(files), *_env_files(workspace, files), *map(files.real_path, own_files)}
    strict = wishes.level is Level.STRICT
    return Profile(
        level=wishes.level,
        workspace=workspace,
        writable=tuple(dict.fromkeys(writable)),
        hidden=tuple(sorted(path for path in hidden - opened if _exists(path, files))),
        protected=tuple(dict.fromkeys(protected)),
        sockets=wishes.sockets,
        private_tmp=private_tmp,
        network=not strict if wishes.network is None else wishes.network,
        own_processes_only=strict,
        tmp_bytes=wishes.tmp_bytes,
    )


def _exists(path: str, files: FileSystem) -> bool:
    return files.is_file(path) or files.is_directory(path)


def names_in(directory: str, files: FileSystem) -> list[str]:
    """The names in a directory, as far as it can be read."""
    try:
        return sorted(entry.name for entry in files.entries(directory))
    except OSError:
        return []


def _below(directory: str, names: Iterable[str]) -> Iterator[str]:
    return (os.path.join(directory, name) for name in names)


def _secrets(files: FileSystem) -> Iterator[str]:
    yield from (files.real_path(path) for path in _below(files.home, SECRETS))
    ssh = os.path.join(files.home, ".ssh")
    for name in names_in(ssh, files):
        if name not in SSH_READABLE and not name.endswith(".pub"):
            yield files.real_path(os.path.join(ssh, name))


def _protected(root: str, unprotected: tuple[str, ...], files: FileSystem) -> Iterator[str]:
    """What is there and must stay as it is."""
    for name in PROTECTED:
        path = os.path.join(root, name)
        if name not in unprotected and _exists(path, files):
            yield path


def _env_files(workspace: str, files: FileSystem) -> Iterator[str]:
    """`.env` and its kin in the projects beside the workspace, and above it up to the home directory."""
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
