"""Every value a person can set, in one frozen record.

Above it: everything. It reads nothing by itself: `configuration` fills it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nacre.policy import Policy

KIB, MIB = 1024, 1024 * 1024


@dataclass(frozen=True)  # no slots: the defaults are read from the class
class ContainerConfig:
    """What only the preset `container` has."""

    workspace: str = "/workspace"  # commands stay in it, or in the working directory where that is set
    announce: bool = True  # whether the document's first message is sent
    confine: bool = True  # whether commands are held where the container was left open
    network: bool = False  # whether they have the container's network nevertheless
    allowed_commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    write_files: bool = False  # whether file tools may write: only if the rules say so


@dataclass(frozen=True)
class Preset:
    """A set of tools, defaults and texts. The defaults here are those of `agent`."""

    name: str = "agent"
    specification: str = "004"
    server_name: str = "nacre"
    # Families of nacre.tools.catalogue.
    tools: tuple[str, ...] = ("shell", "session", "job", "output", "allowed")
    texts: Mapping[str, str] = field(default_factory=dict[str, str])  # a document's own words
    container: ContainerConfig | None = None  # of the preset of that name only


SECRET_SOURCES = ("env", "file", "command")


@dataclass(frozen=True, slots=True)
class SecretSource:
    """Where the value of a secret comes from."""

    kind: str  # one of SECRET_SOURCES
    origin: str  # the variable, the path, the command line


@dataclass(frozen=True)  # no slots: the defaults are read from the class
class Config:
    """How this server behaves. No tool argument can change it."""

    preset: Preset = field(default_factory=Preset)
    more_tools: tuple[str, ...] = ()  # families besides the preset's own
    shell: str | None = None  # None: $SHELL, then what the platform has
    working_directory: str | None = None  # None: where the server was started
    default_timeout_s: int = 300
    timeout_chosen: bool = False  # by the person; then it holds for commands in the background, too
    min_timeout_s: int = 1
    max_timeout_s: int = 1800
    kill_grace_s: float = 1.0
    reply_limit_bytes: int = 32 * KIB  # for each of stdout and stderr
    max_output_bytes: int = 10 * 1000 * 1000  # what the spool keeps of each stream
    spools_kept: int = 64
    spool_total_bytes: int = 1000 * 1000 * 1000  # of all spools together
    max_sessions: int = 16
    session_idle_s: int = 3600  # then an unused session is closed; 0: never
    concurrent_commands: int = 64
    answer_within_s: int = 120  # then a command goes on as a job; 0: never
    max_jobs: int = 64  # that run at once
    line_limit_bytes: int = 64 * MIB
    include_stderr: bool = True
    pick_lines: bool = True  # whether lines that tell how it went are shown of what a cut left out
    lossy_utf8: bool = False  # bytes that are no UTF-8 are shown as U+FFFD, not as \\xNN
    structured: str = "lean"  # the data of a reply: lean, full, none
    failed_command_is_error: bool = True  # whether an exit code other than 0 makes a reply an error
    verbose: bool = False
    log_commands: bool = True
    audit_log: str | None = None  # a file that gets one JSON line for every command
    audit_rotate_bytes: int = 0  # when it has grown to this it is moved aside; 0: never
    audit_required: bool = False  # whether commands are refused while that file cannot be written
    watch: bool = True  # whether the person can follow it with `nacre watch`
    abort_file: str | None = None  # a file that gets the result of a command that failed
    policy: Policy | None = None  # None: no rules
    # Only these commands, each alone (specification 000): a list for each family of shells, or for "" all.
    commands: Mapping[str, tuple[str, ...]] | None = None
    file: str | None = None  # where the settings were read, or would be
    files: tuple[str, ...] = ()  # all files that say what holds, which no agent may write
    watched: tuple[str, ...] = ()  # all files that may say so, whether they are there or not
    warnings: tuple[str, ...] = ()  # what of them was left out, and why
    reread: Callable[[], Config] | None = None  # reads them once more, under the same command line
    login_environment: str = "auto"  # auto, always, never
    environment_inherit: str = ""  # login, all, core, none; empty: as the level of the sandbox has it
    environment_include: tuple[str, ...] = ()  # patterns of names that commands inherit after all
    environment_exclude: tuple[str, ...] = ()  # patterns of names that commands do not inherit
    environment_set: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: Mapping[str, SecretSource] = field(default_factory=dict[str, SecretSource])
    secrets_given: str = "rules"  # which commands get them: rules (those that rules name them for), all
    sandbox: str = "off"  # off, workspace, read-only, strict
    sandbox_chosen: bool = True  # by the person or the preset; else it came with allow rules
    sandbox_writable: tuple[str, ...] = ()  # directories outside the workspace
    sandbox_readable: tuple[str, ...] = ()  # secrets of the home directory that are opened
    sandbox_unprotected: tuple[str, ...] = ()  # files of the workspace that are opened for writing
    sandbox_sockets: tuple[str, ...] = ()  # of an SSH agent, of Docker
    sandbox_ask: bool = True  # whether the person is asked about what was refused, at the next try
    sandbox_network: str | tuple[str, ...] = ""  # on, off, a list of hosts; empty: as the level has it
    # Limits of each command, and of each session as a whole; 0: none.
    limit_cpu_s: int = 0
    limit_memory_bytes: int = 0
    limit_processes: int = 0
    limit_open_files: int = 0
    limit_file_bytes: int = 0
    limit_output_bytes: int = 0
    limit_tmp_bytes: int = 0  # of the private /tmp of a sandbox

    @property
    def chosen_directory(self) -> str | None:
        """Where the person has said that commands start; None: nowhere yet."""
        container = self.preset.container
        return self.working_directory or (container.workspace if container else None)

    @cached_property
    def limits(self) -> dict[str, int]:
        """What the keeper holds commands to, by its names."""
        limits = {
            "cpu_s": self.limit_cpu_s,
            "memory_bytes": self.limit_memory_bytes,
            "processes": self.limit_processes,
            "open_files": self.limit_open_files,
            "file_bytes": self.limit_file_bytes,
            "output_bytes": self.limit_output_bytes,
        }
        return {name: limit for name, limit in limits.items() if limit}

    @property
    def background_timeout_s(self) -> int:
        """The time limit of a command that was started to run on; 0: none."""
        return self.default_timeout_s if self.timeout_chosen else 0

    @property
    def has_rules(self) -> bool:
        """Whether anything says which commands may run."""
        ruled = self.policy is not None and not self.policy.empty
        return ruled or self.commands is not None or self.preset.container is not None

    @property
    def has_allowlist(self) -> bool:
        """Whether only what a rule allows may run."""
        return self.commands is not None or (self.policy is not None and self.policy.mode == "allowlist")

    def offers(self, family: str) -> bool:
        """Whether clients are shown a family of tools."""
        return family in self.preset.tools or family in self.more_tools

    @property
    def own_files(self) -> tuple[str, ...]:
        """Files of nacre itself, which no agent may write."""
        secrets = (source.origin for source in self.secrets.values() if source.kind == "file")
        return tuple(
            path for path in (self.file, *self.files, self.audit_log, self.abort_file, *secrets) if path
        )

    def commands_for(self, dialect: str) -> tuple[str, ...] | None:
        """The list of commands for a family of shells; None: there is no such list at all."""
        if self.commands is None:
            return None
        return self.commands.get(dialect, self.commands.get("", ()))
