"""Refuse what no operating system can run or open, before anything starts. Pure.

Above it: the executions. It knows texts, not what they mean.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nacre.errors import RequestError

if TYPE_CHECKING:
    from nacre.model import Command
    from nacre.places.place import Place


def check_command(command: Command, place: Place) -> None:
    """Raise RequestError when the command could not be passed to a process unchanged."""
    if command.place != place.name:
        raise RequestError(
            f"There is no place '{command.place}'.", code="no_place", hint=f"Commands run in '{place.name}'."
        )
    if command.argv is None:
        check_text("command", command.text)
    else:
        for index, word in enumerate(command.argv):
            check_text(f"args[{index - 1}]" if index else "command", word)
    if command.stdin is not None:
        _check_encoding("stdin", command.stdin)
    for name, value in command.environment.items():
        if not name or "=" in name:
            raise RequestError(
                f"environment: {name!r} is not a variable name.", hint="A name is not empty and has no '='."
            )
        check_text(f"environment.{name}", name)
        check_text(f"environment.{name}", value)
    if command.environment:
        place.check_environment(command.environment)


def check_text(argument: str, text: str) -> None:
    """Raise RequestError for text that cannot be in an argument or a file name."""
    if "\0" in text:
        at = text.index("\0")
        raise RequestError(
            f"{argument} contains a NUL character at offset {at}.",
            hint="No shell can take one; use printf '\\0' to make it.",
        )
    if not text.isascii():
        _check_encoding(argument, text)


def _check_encoding(argument: str, text: str) -> None:
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise RequestError(
            f"{argument} contains half of a surrogate pair at offset {error.start}.",
            hint="Send it as whole characters.",
        ) from None
