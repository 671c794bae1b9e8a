"""The environment of commands: the server's own, plus the login shell's if a desktop application started it.

Above it: `places`, which builds it in one function. Pure: it is given the environment and what a login shell
answers. `EnvironmentRules` says of each name whether commands inherit it, and whether a call may set it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# An editor or a pager that waits for a key nobody presses would hang until the timeout.
QUIET_DEFAULTS = {
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "EDITOR": "false",  # git: there was a problem with the editor 'false'
    "VISUAL": "false",
    "TERM": "dumb",
}
# These run code in every shell that starts; what the person wants in each shell stands in their login files.
DROPPED = ("BASH_ENV", "ENV", "PROMPT_COMMAND")
OUR_OWN = "NACRE_"  # what the server itself is told by its environment is none of the commands' business
# These change what every program or shell runs before its own first line. Where rules or a sandbox hold
# commands, nobody but the settings (`environment_set`) gives them one.
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
# What programs need to find themselves at home; the second half is what Windows cannot work without.
CORE_NAMES = (
    *("HOME", "LANG", "LANGUAGE", "LC_*", "LOGNAME", "PATH", "SHELL", "TERM", "TZ", "USER"),
    *("APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP"),
    *("USERNAME", "USERPROFILE", "WINDIR"),
)
# What a login shell knows better than the bare environment, and what only describes that shell itself.
_OF_THE_PROBE = ("_", "SHLVL", "PWD", "OLDPWD", "TERM", *DROPPED)
_SYSTEM_PATH = {"", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}
_SYSTEM_PATH_EXTRAS = {"/usr/games", "/usr/local/games", "/snap/bin"}


@dataclass(frozen=True, slots=True)
class EnvironmentRules:
    """Which variables commands inherit, and which a call may set."""

    inherit: str = "login"  # login, all, core, none
    include: tuple[str, ...] = ()  # inherited although they look like secrets or are not in the core
    exclude: tuple[str, ...] = ()  # not inherited; counts more than `include`
    set: Mapping[str, str] = field(default_factory=dict[str, str])
    held: bool = False  # whether rules or a sandbox hold commands
    hides_secrets: bool = False
    withheld: frozenset[str] = frozenset()  # secrets of the settings: given by name, never inherited

    @property
    def asks_login_shell(self) -> bool:
        """Whether what a login shell would add can reach commands at all."""
        return self.inherit in {"login", "core"}

    def for_commands(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """What every command gets."""
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
        """Why no command is given this variable, and which setting would change that; empty: it may be."""
        if self.held and _is_loading(name):
            return f'it changes what every program runs (only environment_set = {{{name} = "…"}} gives it)'
        if self.exclude and _is_one_of(name, self.exclude):
            return "it is in environment_exclude"
        if self.hides_secrets and _is_one_of(name, SECRET_NAMES) and not _is_one_of(name, self.include):
            return f'its name looks like a secret (environment_include = ["{name}"] lets it through)'
        return ""

    def objection_to_call(self, environment: Mapping[str, str]) -> tuple[str, str]:
        """The first variable of a call that commands are not given, and why; two empty texts: none.

        Where nothing holds commands, a call may give a value of its own to what is not inherited. Where only
        rules do, those refuse what changes every program, in their own words.
        """
        judged = (
            [name for name in environment if self.hides_secrets or not _is_loading(name)] if self.held else []
        )
        found = ((name, self.objection(name)) for name in judged)
        return next(((name, why) for name, why in found if why), ("", ""))


def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a pattern matches a name, in any case: nobody means AWS_KEY and wants aws_key told."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  # few have patterns

    return any(fnmatchcase(name.upper(), pattern.upper()) for pattern in patterns)


def _is_loading(name: str) -> bool:
    """As the loader and the shells spell them: `env` is nobody's but the person's."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  # as above

    return any(fnmatchcase(name, pattern) for pattern in LOADING)


def is_bare(environment: dict[str, str]) -> bool:
    """Whether no shell of the person's has had a hand in it: then PATH lacks what they are used to."""
    return "SHLVL" not in environment and not (
        set(environment.get("PATH", "").split(":")) - _SYSTEM_PATH - _SYSTEM_PATH_EXTRAS
    )


class LoginProbe:
    """One question to a login shell: what its environment is."""

    def __init__(self) -> None:
        from uuid import uuid4  # noqa: PLC0415  # a server that needs no login shell starts without

        self._mark = f"Marker_{uuid4()}"

    @property
    def script(self) -> str:
        """What the login shell is to run. The marks tell the answer from what the rc files print."""
        return f"printf '%s\\0' {self._mark}; env -0; printf '%s\\0' {self._mark}"

    def read(self, output: bytes) -> dict[str, str] | None:
        """The environment in the shell's answer; None when there is none."""
        parts = output.decode("utf-8", "surrogateescape").split(f"{self._mark}\0")
        if len(parts) < 3:  # noqa: PLR2004  # noise, the answer between two marks, noise
            return None
        pairs = (entry.partition("=") for entry in parts[1].split("\0") if "=" in entry)
        return {name: value for name, _, value in pairs if name not in _OF_THE_PROBE}


def merge_login(bare: dict[str, str], login: dict[str, str]) -> dict[str, str]:
    """The login environment fills in; what the client set by itself stays, except PATH."""
    return {**login, **bare, "PATH": login.get("PATH") or bare.get("PATH", "")}
