"""Every value that can be configured, in one frozen record.

Above it: everything. It reads nothing itself: `settings.configuration` fills it.
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
    """The settings of the preset `container` alone."""

    workspace: str = "/workspace"  # commands stay in it, or in the working directory where that is set
    announce: bool = True  # whether the first message of its specification is sent
    confine: bool = True  # whether commands are confined where the container itself is open
    network: bool = False  # whether confined commands keep the container's network
    allowed_commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    write_files: bool = False  # whether file tools may write; by default only where a rule allows it


@dataclass(frozen=True)
class Preset:
    """A set of tools, defaults and texts. The defaults here are those of `agent`."""

    name: str = "agent"
    specification: str = "004"
    server_name: str = "nacre"
    # Families of nacre.tools.catalogue.
    tools: tuple[str, ...] = ("shell", "session", "job", "output", "allowed")
    texts: Mapping[str, str] = field(default_factory=dict[str, str])  # wording of a specification
    container: ContainerConfig | None = None  # only in the preset `container`


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
    shell: str | None = None  # None: $SHELL, or the platform's default
    working_directory: str | None = None  # None: where the server was started
    default_timeout_s: int = 300
    timeout_chosen: bool = False  # set explicitly: then it also applies to background commands
    min_timeout_s: int = 1
    max_timeout_s: int = 1800
    kill_grace_s: float = 1.0
    reply_limit_bytes: int = 32 * KIB  # for each of stdout and stderr
    max_output_bytes: int = 10 * 1000 * 1000  # what the spool keeps of each stream
    spools_kept: int = 64
    spool_total_bytes: int = 1000 * 1000 * 1000  # of all spools together
    max_sessions: int = 16
    session_idle_s: int = 3600  # an unused session is closed after this time; 0: never
    concurrent_commands: int = 64
    answer_within_s: int = 120  # a command becomes a job after this time; 0: never
    max_jobs: int = 64  # running at the same time
    line_limit_bytes: int = 64 * MIB
    include_stderr: bool = True
    pick_lines: bool = True  # whether the telling lines of an omitted part are shown
    lossy_utf8: bool = False  # invalid UTF-8 is shown as U+FFFD, not as \\xNN
    structured: str = "lean"  # the structured content of a reply: lean, full, none
    failed_command_is_error: bool = True  # whether an exit code other than 0 makes a reply an error
    verbose: bool = False
    log_commands: bool = True
    audit_log: str | None = None  # a file that gets one JSON line for every command
    audit_rotate_bytes: int = 0  # it is rotated at this size; 0: never
    audit_required: bool = False  # whether commands are refused while it cannot be written
    watch: bool = True  # whether the person can follow it with `nacre watch`
    abort_file: str | None = None  # a file that gets the result of a failed command
    policy: Policy | None = None  # None: no rules
    # Only these commands, one at a time (specification 000): a list per family of shells; "" means all.
    commands: Mapping[str, tuple[str, ...]] | None = None
    file: str | None = None  # the user's settings file, whether it exists or not
    files: tuple[str, ...] = ()  # all files that settings come from; no agent may write them
    watched: tuple[str, ...] = ()  # all files that settings may come from, whether they exist or not
    warnings: tuple[str, ...] = ()  # which of their settings were ignored, and why
    reread: Callable[[], Config] | None = None  # reads them again, with the same command line
    login_environment: str = "auto"  # auto, always, never
    environment_inherit: str = ""  # login, all, core, none; empty: the default of the sandbox level
    environment_include: tuple[str, ...] = ()  # patterns of names that commands inherit in any case
    environment_exclude: tuple[str, ...] = ()  # patterns of names that commands do not inherit
    environment_set: Mapping[str, str] = field(default_factory=dict[str, str])
    secrets: Mapping[str, SecretSource] = field(default_factory=dict[str, SecretSource])
    secrets_given: str = "rules"  # which commands get them: rules (those for which a rule names them), all
    sandbox: str = "off"  # off, workspace, read-only, strict
    sandbox_chosen: bool = True  # chosen by the person or the preset, not implied by allow rules
    sandbox_writable: tuple[str, ...] = ()  # directories outside the workspace
    sandbox_readable: tuple[str, ...] = ()  # paths of secrets in the home directory that become readable
    sandbox_unprotected: tuple[str, ...] = ()  # protected files of the workspace that become writable
    sandbox_sockets: tuple[str, ...] = ()  # such as those of an SSH agent or Docker
    sandbox_ask: bool = True  # whether the person is asked when a refused command is tried again
    sandbox_network: str | tuple[str, ...] = ""  # on, off, a list of hosts; empty: the default of the level
    # Limits of each command, and of each session as a whole; 0: none.
    limit_cpu_s: int = 0
    limit_memory_bytes: int = 0
    limit_processes: int = 0
    limit_open_files: int = 0
    limit_file_bytes: int = 0
    limit_output_bytes: int = 0
    limit_tmp_bytes: int = 0  # the private /tmp of a sandbox

    @property
    def chosen_directory(self) -> str | None:
        """The directory that the person has chosen for commands; None: none yet."""
        container = self.preset.container
        return self.working_directory or (container.workspace if container else None)

    @cached_property
    def limits(self) -> dict[str, int]:
        """The limits that the keeper enforces, by the keeper's names."""
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
        """The time limit of a background command; 0: none."""
        return self.default_timeout_s if self.timeout_chosen else 0

    @property
    def has_rules(self) -> bool:
        """Whether anything restricts which commands may run."""
        ruled = self.policy is not None and not self.policy.empty
        return ruled or self.commands is not None or self.preset.container is not None

    @property
    def has_allowlist(self) -> bool:
        """Whether a command runs only if a rule allows it."""
        return self.commands is not None or (self.policy is not None and self.policy.mode == "allowlist")

    @cached_property
    def tool_families(self) -> frozenset[str]:
        """The families of tools that clients are shown."""
        return frozenset((*self.preset.tools, *self.more_tools))

    def offers(self, family: str) -> bool:
        """Whether clients are shown a family of tools."""
        return family in self.tool_families

    @property
    def own_files(self) -> tuple[str, ...]:
        """nacre's own files, which no agent may write."""
        secrets = (source.origin for source in self.secrets.values() if source.kind == "file")
        return tuple(
            path for path in (self.file, *self.files, self.audit_log, self.abort_file, *secrets) if path
        )

    def commands_for(self, dialect: str) -> tuple[str, ...] | None:
        """The command list for a family of shells; None: there is no list at all."""
        if self.commands is None:
            return None
        return self.commands.get(dialect, self.commands.get("", ()))
