"""The environment of commands: the server's own, plus the login shell's if a desktop application started it.

Above it: `places`, which builds it in one function. Pure: the environment and the login shell's answer are
passed in. `EnvironmentRules` decides for each name whether commands inherit it and whether a call may set it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# An editor or a pager would wait for a key press until the command times out.
QUIET_DEFAULTS = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "EDITOR": "false",  # git: there was a problem with the editor 'false'
    "VISUAL": "false",
    "TERM": "dumb",
}
# These run code in every shell that starts; what the person wants in each shell is in their login files.
DROPPED = ("BASH_ENV", "ENV", "PROMPT_COMMAND")
OUR_OWN = "NACRE_"  # variables that configure the server itself are not passed on
# These make every program or shell run something before its own first line. Under rules or a sandbox, only
# the settings (`environment_set`) can pass them to commands.
LOADING = (
    *DROPPED,
    "BASHOPTS",
    "BASH_FUNC_*",
    "DYLD_*",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LD_*",
    f"{OUR_OWN}*",
    "PS4",
    "SHELLOPTS",
)
SECRET_NAMES = ("*CREDENTIAL*", "*KEY*", "*PASSWD*", "*PASSWORD*", "*SECRET*", "*TOKEN*", "OTEL_*HEADERS")
# What programs need in order to work; the second half is what Windows requires.
CORE_NAMES = (
    *("HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TZ", "USER"),
    *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
    *("USERNAME", "USERPROFILE", "WINDIR"),
)
# What a login shell sets that a bare environment lacks, and what only describes that shell itself.
_OF_THE_PROBE = ("_", "SHLVL", "PWD", "OLDPWD", "TERM", *DROPPED)
_SYSTEM_PATH = {"", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}
_SYSTEM_PATH_EXTRAS = {"/usr/games", "/usr/local/games", "/snap/bin"}


@dataclass(frozen=True, slots=True)
class EnvironmentRules:
    """Which variables commands inherit, and which a call may set."""

    inherit: str = "login"  # login, all, core, none
    include: tuple[str, ...] = ()  # inherited even if they look like secrets or are not in the core
    exclude: tuple[str, ...] = ()  # not inherited; takes precedence over `include`
    set: Mapping[str, str] = field(default_factory=dict[str, str])
    held: bool = False  # whether rules or a sandbox restrict commands
    hides_secrets: bool = False
    withheld: frozenset[str] = frozenset()  # secrets from the settings: passed by name, never inherited

    @property
    def asks_login_shell(self) -> bool:
        """Whether commands could inherit anything from a login shell."""
        return self.inherit in {"login", "core"}

    def for_commands(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """The environment of every command."""
        kept = {name: value for name, value in inherited.items() if self._is_inherited(name)}
        return {**QUIET_DEFAULTS, **kept, **self.set}

    def _is_inherited(self, name: str) -> bool:
        if name in DROPPED or name in self.withheld or name.startswith(OUR_OWN) or self.objection(name):
            return False
        if self.inherit in {"login", "all"}:
            return True
        core = CORE_NAMES if self.inherit == "core" else ()
        return _is_one_of(name, (*core, *self.include))

    def objection(self, name: str) -> str:
        """Why commands do not get this variable, and which setting would change that; empty: they may."""
        if self.held and _is_loading(name):
            return f'it changes what every program runs (only environment_set = {{{name} = "…"}} gives it)'
        if self.exclude and _is_one_of(name, self.exclude):
            return "it is in environment_exclude"
        if self.hides_secrets and _is_one_of(name, SECRET_NAMES) and not _is_one_of(name, self.include):
            return f'its name looks like a secret (environment_include = ["{name}"] lets it through)'
        return ""

    def objection_to_call(self, environment: Mapping[str, str]) -> tuple[str, str]:
        """The first variable of a call that commands may not get, and why; two empty strings: all may pass.

        Without restrictions, a call may set variables that are not inherited. Under rules alone, the rules
        themselves refuse the variables that change every program.
        """
        judged = (
            [name for name in environment if self.hides_secrets or not _is_loading(name)] if self.held else []
        )
        found = ((name, self.objection(name)) for name in judged)
        return next(((name, why) for name, why in found if why), ("", ""))


def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a pattern matches a name, ignoring case: a pattern for AWS_KEY is meant for aws_key, too."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  # seldom needed

    return any(fnmatchcase(name.upper(), pattern.upper()) for pattern in patterns)


def _is_loading(name: str) -> bool:
    """Case-sensitively, as the loader and the shells read them: `env` is an ordinary name."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  # as above

    return any(fnmatchcase(name, pattern) for pattern in LOADING)


def is_bare(environment: dict[str, str]) -> bool:
    """Whether no login shell has contributed to it: then PATH lacks what the person is used to."""
    return "SHLVL" not in environment and not (
        set(environment.get("PATH", "").split(":")) - _SYSTEM_PATH - _SYSTEM_PATH_EXTRAS
    )


class LoginProbe:
    """A query for the environment of a login shell."""

    def __init__(self) -> None:
        from uuid import uuid4  # noqa: PLC0415  # a server that needs no login shell starts without

        self._mark = f"Marker_{uuid4()}"

    @property
    def script(self) -> str:
        """The script for the login shell. Marks separate the answer from what the rc files print."""
        return f"printf '%s\\0' {self._mark}; env -0; printf '%s\\0' {self._mark}"

    def read(self, output: bytes) -> dict[str, str] | None:
        """The environment in the shell's answer; None: there is none."""
        parts = output.decode("utf-8", "surrogateescape").split(f"{self._mark}\0")
        if len(parts) < 3:  # noqa: PLR2004  # noise, the answer between two marks, noise
            return None
        pairs = (entry.partition("=") for entry in parts[1].split("\0") if "=" in entry)
        return {name: value for name, _, value in pairs if name not in _OF_THE_PROBE}


def merge_login(bare: dict[str, str], login: dict[str, str]) -> dict[str, str]:
    """Add the login environment to the client's own, whose values win, except for PATH."""
    return {**login, **bare, "PATH": login.get("PATH") or bare.get("PATH", "")}
