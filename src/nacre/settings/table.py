"""Every setting, once: its name, its kind, what it does, its flag. Pure data.

The command line, the settings file, their error messages and docs/configuration.md are all made from this
table. Defaults are in `Config`, or in a preset. Above it: `configuration` and the command line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nacre.config import Config, ContainerConfig
from nacre.dialects import DIALECTS
from nacre.settings import kinds

if TYPE_CHECKING:
    from nacre.settings.kinds import Kind

NOTHING = object()  # the flag takes an argument


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that a person can set."""

    name: str  # in the settings file
    kind: Kind
    help: str  # one line
    field: str = ""  # of the table's record; empty: another module reads the value
    flags: tuple[str, ...] = ()
    flag_means: Any = NOTHING  # the value that a flag without an argument stands for
    flag_help: str = ""  # where the flag differs from the setting
    default: str = ""  # in words, where the record's default is not enough

    @property
    def option(self) -> str:
        """Its attribute of the parsed command line."""
        return self.flags[-1].lstrip("-").replace("-", "_")


SETTINGS = (
    Setting(
        "preset",
        kinds.NAME,
        "the tools and defaults of a specification: {presets}",
        flags=("--preset",),
        default="agent",
    ),
    Setting(
        "tools",
        kinds.TEXTS,
        "additional tools: files",
        "more_tools",
        flags=("--tools",),
        default="none",
    ),
    Setting(
        "shell",
        kinds.PATH,
        "shell to use, by name or path",
        "shell",
        flags=("-s", "--shell"),
        default="$SHELL, then /bin/bash, /bin/sh, on Windows cmd.exe",
    ),
    Setting(
        "working_directory",
        kinds.PATH,
        "where commands start",
        "working_directory",
        flags=("-w", "--working-dir"),
        default="the client's first root, the current directory, home",
    ),
    Setting(
        "timeout",
        kinds.SECONDS,
        "time limit of a command unless the call sets one, 1 to 1800; a command in the background has one"
        " only if this is set",
        "default_timeout_s",
        flags=("-t", "--timeout"),
        default=f"{Config.default_timeout_s}, or the preset's",
    ),
    Setting("max_timeout", kinds.SECONDS, "the longest time limit a call may set", "max_timeout_s"),
    Setting("reply_limit", kinds.SIZE, "how much of stdout and of stderr a reply shows", "reply_limit_bytes"),
    Setting(
        "max_output_size",
        kinds.SIZE,
        "how much of stdout and of stderr the output file keeps (beginning and end), and the most that a call"
        " may ask to be shown",
        "max_output_bytes",
        flags=("--max-output",),
    ),
    Setting(
        "spools_kept",
        kinds.COUNT,
        "how many output files are kept, and as many more that background processes still write to",
        "spools_kept",
    ),
    Setting(
        "spool_total",
        kinds.SIZE,
        "total size of all output files; the oldest are removed first",
        "spool_total_bytes",
        flags=("--spool-total",),
    ),
    Setting(
        "max_sessions",
        kinds.COUNT,
        "maximum number of sessions (persistent shells)",
        "max_sessions",
        flags=("--max-sessions",),
    ),
    Setting(
        "session_idle",
        kinds.IDLE_SECONDS,
        "close a session that has not been used for this long; 0: never",
        "session_idle_s",
        flags=("--session-idle",),
    ),
    Setting(
        "concurrent_commands",
        kinds.COUNT,
        "how many commands run at once; others wait",
        "concurrent_commands",
    ),
    Setting(
        "answer_within",
        kinds.IDLE_SECONDS,
        "a command that takes longer is answered with the output so far and goes on as a job; 0: never",
        "answer_within_s",
        flags=("--answer-within",),
    ),
    Setting("max_jobs", kinds.COUNT, "how many jobs run at once", "max_jobs"),
    Setting("line_limit", kinds.SIZE, "the longest message a client may send", "line_limit_bytes"),
    Setting(
        "include_stderr",
        kinds.YES_OR_NO,
        "whether replies show stderr",
        "include_stderr",
        flags=("--no-stderr",),
        flag_means=False,
        flag_help="leave stderr out of replies",
    ),
    Setting(
        "pick_lines",
        kinds.YES_OR_NO,
        "what a reply shows of an output that is too long: its two ends, and between them the lines that look"
        " like errors, failures and summaries, with repeated lines folded; false: its two ends alone",
        "pick_lines",
        default="true; false in the presets of other specifications",
    ),
    Setting(
        "lossy_utf8",
        kinds.YES_OR_NO,
        "show bytes that are not UTF-8 as U+FFFD instead of \\xNN, which keeps their values",
        "lossy_utf8",
    ),
    Setting(
        "structured",
        kinds.DATA,
        "structured content of replies: lean (output, exit code, and whatever is out of the"
        " ordinary), full (everything, always), none",
        "structured",
        flags=("--structured",),
    ),
    Setting(
        "failed_command_is_error",
        kinds.YES_OR_NO,
        "whether a nonzero exit code makes the reply an error (isError); some agents give up after errors",
        "failed_command_is_error",
        flags=("--failures-are-results",),
        flag_means=False,
        flag_help="a nonzero exit code does not make the reply an error (isError)",
    ),
    Setting(
        "login_environment",
        kinds.WHEN,
        "read the login shell's environment once: auto, always, never; auto: when a desktop application"
        " started the server without it",
        "login_environment",
        flags=("--login-env",),
    ),
    Setting(
        "environment_inherit",
        kinds.INHERIT,
        "what commands inherit: login (the server's variables and, as login_environment says, the login"
        " shell's), all (the server's), core (HOME, LANG, PATH and the like), none",
        "environment_inherit",
        default="login; core for sandbox strict",
    ),
    Setting(
        "environment_include",
        kinds.TEXTS,
        "patterns of variables that commands inherit even if their names look like secrets or are not in"
        " the core (GH_TOKEN)",
        "environment_include",
        default="none",
    ),
    Setting(
        "environment_exclude",
        kinds.TEXTS,
        "patterns of variables that commands do not inherit (AWS_*)",
        "environment_exclude",
        default="none",
    ),
    Setting(
        "environment_set",
        kinds.VARIABLES,
        "a table of variables that every command gets (docs/sandbox.md)",
        "environment_set",
        default="none",
    ),
    Setting(
        "secrets_given",
        kinds.GIVEN,
        "which commands get the values of [secrets]: rules (those whose rules name them), all"
        " (docs/sandbox.md)",
        "secrets_given",
    ),
    Setting(
        "sandbox",
        kinds.SANDBOX,
        "let the kernel confine commands: off, workspace, read-only, strict (docs/sandbox.md)",
        "sandbox",
        default="workspace with allow rules, else off",
        flags=("--sandbox",),
    ),
    Setting(
        "sandbox_writable",
        kinds.TEXTS,
        "directories outside the workspace that commands may write to",
        "sandbox_writable",
        default="none",
    ),
    Setting(
        "sandbox_readable",
        kinds.TEXTS,
        "secrets in the home directory that commands may read (.kube)",
        "sandbox_readable",
        default="none",
    ),
    Setting(
        "sandbox_unprotected",
        kinds.TEXTS,
        "protected files of the workspace that commands may change (.git/config)",
        "sandbox_unprotected",
        default="none",
    ),
    Setting(
        "sandbox_sockets",
        kinds.TEXTS,
        "sockets that commands may use, for example of an SSH agent or Docker",
        "sandbox_sockets",
        default="none",
    ),
    Setting(
        "sandbox_ask",
        kinds.YES_OR_NO,
        "ask the person through the client about what the sandbox has refused, when the command is run again",
        "sandbox_ask",
    ),
    Setting(
        "sandbox_network",
        kinds.NETWORK,
        "whether commands in a sandbox have a network: on, off, or the hosts that they reach through a proxy"
        ' (["api.example.com", "*.example.org"])',
        "sandbox_network",
        default="on; off for strict",
    ),
    Setting("limit_cpu", kinds.COUNT, "CPU seconds that a command may use", "limit_cpu_s", default="none"),
    Setting(
        "limit_memory",
        kinds.SIZE,
        "memory that a command, or a session, may use with all it has started",
        "limit_memory_bytes",
        default="none",
    ),
    Setting(
        "limit_processes",
        kinds.COUNT,
        "how many processes a command, or a session, may have at once",
        "limit_processes",
        default="none",
    ),
    Setting(
        "limit_open_files",
        kinds.COUNT,
        "how many files each process may have open",
        "limit_open_files",
        default="as the server",
    ),
    Setting(
        "limit_file_size",
        kinds.SIZE,
        "the largest file that may be written",
        "limit_file_bytes",
        default="none",
    ),
    Setting(
        "limit_output",
        kinds.SIZE,
        "how much a command may print before it is ended",
        "limit_output_bytes",
        default="none",
    ),
    Setting(
        "limit_tmp",
        kinds.SIZE,
        "how much the private /tmp of a sandbox holds",
        "limit_tmp_bytes",
        default="none",
    ),
    Setting(
        "commands",
        kinds.command_lists(sorted({dialect.name for dialect in DIALECTS if dialect.lists})),
        "allow only these commands, one per call (docs/presets/commands.md)",
        "commands",
        default="no such list",
    ),
    Setting(
        "audit_log",
        kinds.FILE,
        "append JSON lines to this file, before each command and after it (docs/audit.md)",
        "audit_log",
        flags=("--audit-log",),
        default="none",
    ),
    Setting(
        "audit_rotate",
        kinds.SIZE,
        "move the audit log aside (FILE.TIME.NUMBER) when it has grown to this size, and begin a new one",
        "audit_rotate_bytes",
        default="never",
    ),
    Setting(
        "audit_required",
        kinds.YES_OR_NO,
        "refuse commands while the audit log cannot be written (disk full, for example)",
        "audit_required",
        flags=("--audit-required",),
        flag_means=True,
    ),
    Setting(
        "watch",
        kinds.YES_OR_NO,
        "whether `nacre watch` can follow this server, through a socket of the same user's (docs/watch.md)",
        "watch",
        flags=("--no-watch",),
        flag_means=False,
        flag_help="no socket for `nacre watch`",
    ),
    Setting(
        "abort_file",
        kinds.FILE,
        "write the result of a failed command to this file, as JSON",
        "abort_file",
        flags=("--abort-file",),
        default="none",
    ),
    Setting(
        "verbose",
        kinds.YES_OR_NO,
        "log more to stderr",
        "verbose",
        flags=("-v", "--verbose"),
        flag_means=True,
    ),
)
SHELL_TOOL_SETTINGS = (  # the table of specification 004, as it stands
    Setting("default_timeout", kinds.SECONDS, "`timeout`", "default_timeout_s"),
    Setting("max_timeout", kinds.SECONDS, "the setting of that name", "max_timeout_s"),
    Setting("max_output_size", kinds.SIZE, "the setting of that name", "max_output_bytes"),
    Setting("log_commands", kinds.YES_OR_NO, "whether stderr gets a line for every command", "log_commands"),
    Setting("abort_file", kinds.FILE, "the setting of that name", "abort_file", default="none"),
    Setting(
        "environment_exclude",
        kinds.TEXTS,
        "the setting of that name",
        "environment_exclude",
        default="none",
    ),
    Setting(
        "allowed_directories",
        kinds.TEXTS,
        "the policy's setting of that name (docs/policy.md)",
        default="any",
    ),
    Setting(
        "blocked_commands", kinds.TEXTS, "the policy's setting of that name (docs/policy.md)", default="none"
    ),
)
CONTAINER_SETTINGS = (  # of the preset `container` only
    Setting("workspace", kinds.PATH, "commands stay in it", "workspace"),
    Setting(
        "announce",
        kinds.YES_OR_NO,
        "whether to send the first message of the specification, which strict clients reject",
        "announce",
        flags=("--no-announce",),
        flag_means=False,
        flag_help="preset container: do not send its first message, which strict clients reject",
    ),
    Setting(
        "confine",
        kinds.YES_OR_NO,
        "in a container: confine commands where its runtime has left open what the specification closes",
        "confine",
        flags=("--no-confine",),
        flag_means=False,
        flag_help="preset container: rely on the container alone to confine commands",
    ),
    Setting(
        "network",
        kinds.YES_OR_NO,
        "whether commands that are confined like this may use the container's network (npm install)",
        "network",
        flags=("--container-network",),
        flag_means=True,
        flag_help="preset container: commands may use the network, if the container has one (npm install)",
    ),
    Setting(
        "allowed_commands",
        kinds.PROGRAM_TABLE,
        "programs and their first arguments; replaces the preset's own table (docs/presets/container.md)",
        "allowed_commands",
        default="the preset's",
    ),
)
TABLES = {"": SETTINGS, "shell_tool": SHELL_TOOL_SETTINGS, "container": CONTAINER_SETTINGS}


def default_text(setting: Setting) -> str:
    """A setting's default in words."""
    if setting.default or not setting.field:
        return setting.default
    record = ContainerConfig if setting in CONTAINER_SETTINGS else Config
    value = getattr(record, setting.field)
    if setting.kind is kinds.SIZE:
        return _size_text(value)
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _size_text(size_bytes: int) -> str:
    for unit, factor in (("MiB", 1 << 20), ("MB", 10**6), ("KiB", 1 << 10), ("KB", 10**3)):
        if size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return str(size_bytes)
