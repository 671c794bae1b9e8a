"""Secrets by name: their configured sources and their values. Read once, at the start.

Above it: `places`, which pass them to commands. Below: `keeper.launch`, which runs programs that print one,
and `masking`, which hides them. A value never appears in a log, in the arguments of a process, or in an
error.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from nacre.errors import RequestError
from nacre.keeper.launch import output_of_program
from nacre.masking import Mask
from nacre.output import hide

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nacre.config import Config, SecretSource

SHORTEST = 8  # shorter ones occur in too many ordinary words


def known_secrets(config: Config, environment: Mapping[str, str]) -> dict[str, str]:
    """Read the configured secrets, and mask them from now on in everything that leaves."""
    if config.policy is not None:
        check_names(config.policy.secrets, config.secrets)
    secrets = read_secrets(config.secrets, environment)
    hide(Mask(value.encode() for value in secrets.values()))
    return secrets


def hide_typed(text: str, secrets: Mapping[str, str]) -> None:
    """Mask what the person has typed for a program from now on, too, if it is long enough."""
    if len(text) >= SHORTEST and text not in _typed:
        _typed.append(text)
        hide(Mask(value.encode("utf-8", "surrogatepass") for value in (*secrets.values(), *_typed)))


_typed: list[str] = []


def read_secrets(sources: Mapping[str, SecretSource], environment: Mapping[str, str]) -> dict[str, str]:
    """The value of each. RequestError: one cannot be read, or cannot be masked."""
    secrets = {name: _value(name, source, environment) for name, source in sources.items()}
    for name, value in secrets.items():
        if len(value) < SHORTEST or "\0" in value:
            raise _failed(
                name, f"its value has fewer than {SHORTEST} characters, or a NUL: it cannot be hidden"
            )
    return secrets


def check_names(wanted: frozenset[str], sources: Mapping[str, SecretSource]) -> None:
    """Raise RequestError for a secret that a rule names but no setting defines."""
    for name in sorted(wanted - sources.keys()):
        raise RequestError(f"A rule names the secret {name}, which [secrets] does not have.")


def _value(name: str, source: SecretSource, environment: Mapping[str, str]) -> str:
    if source.kind == "env":
        if source.origin not in environment:
            raise _failed(name, f"the server's environment has no {source.origin}")
        return environment[source.origin]
    if source.kind == "file":
        path = os.path.expanduser(source.origin)
        try:
            with open(path, encoding="utf-8") as file:
                return file.read().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no text"
            raise _failed(name, f"{path} cannot be read: {why}") from None
    printed, problem = output_of_program(shlex.split(source.origin))
    if problem:
        raise _failed(name, f"`{source.origin}` failed: {problem}")
    return printed.rstrip("\r\n")


def _failed(name: str, why: str) -> RequestError:
    return RequestError(
        f"The secret {name} cannot be read: {why}.", code="no_secret", hint="Check [secrets] in the settings."
    )
