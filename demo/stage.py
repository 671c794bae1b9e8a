"""What every part of the demo needs: colours, promises, and a place for the servers' logs."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import TextIO

COLOUR = sys.stdout.isatty() or bool(os.environ.get("FORCE_COLOR"))


def paint(text: str, code: str) -> str:
    """Text in a colour, where colours are shown."""
    return f"\x1b[{code}m{text}\x1b[0m" if COLOUR else text


class Unexpected(Exception):  # noqa: N818  # what happened
    """A step did not do what it says."""


def must(condition: object, what: str) -> None:
    """Stop the demo when a promise is not kept."""
    if not condition:
        raise Unexpected(what)


@functools.cache
def quiet() -> TextIO:
    """Where the servers' logs go; closed with the process."""
    return Path(os.devnull).open("w")
