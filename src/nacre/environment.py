"""The environment of commands: the server's own, plus the login shell's if a desktop application started it.

Above it: `service`. Pure: it is given the environment and what a login shell answers.
"""

from __future__ import annotations

# An editor or a pager that waits for a key nobody presses would hang until the timeout.
QUIET_DEFAULTS = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
# These run code in every shell that starts; what the person wants in each shell stands in their login files.
DROPPED = ("BASH_ENV", "ENV", "PROMPT_COMMAND")
OUR_OWN = "NACRE_"  # what the server itself is told by its environment is none of the commands' business
# What a login shell knows better than the bare environment, and what only describes that shell itself.
_OF_THE_PROBE = ("_", "SHLVL", "PWD", "OLDPWD", "TERM", *DROPPED)
_SYSTEM_PATH = {"", "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"}
_SYSTEM_PATH_EXTRAS = {"/usr/games", "/usr/local/games", "/snap/bin"}


def for_commands(environment: dict[str, str], exclude: tuple[str, ...] = ()) -> dict[str, str]:
    """What every command gets: without the names that the person wants kept from them."""
    kept = {
        name: value
        for name, value in environment.items()
        if name not in DROPPED and not name.startswith(OUR_OWN)
    }
    if exclude:
        kept = {name: value for name, value in kept.items() if not _is_one_of(name, exclude)}
    return {**QUIET_DEFAULTS, **kept}


def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    """Whether a pattern matches a name, in any case: nobody means AWS_KEY and wants aws_key told."""
    from fnmatch import fnmatchcase  # noqa: PLC0415  # few have patterns

    return any(fnmatchcase(name.upper(), pattern.upper()) for pattern in patterns)


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
