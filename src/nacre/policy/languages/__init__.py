"""The small languages inside commands: what a sed script, a statement or a line of code would do.

Above: `interpreters` and `programs` ask about the text that follows `sed`, `awk`, `sqlite3`, `python3 -c`.
Below: nothing. Each reader knows a small part of its language, the part that is proven to do nothing but
compute and print, in every version of the program; what is outside of it is `unknown`, which is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# run: runs a program or loads code. write, read: opens a file. unknown: not understood.
Kind = Literal["run", "write", "read", "unknown"]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that a program text would do beyond computing and printing."""

    kind: Kind
    reason: str
    # The file, where it is written out.
    target: str = ""


# A longer text is not read: a verdict would take too long.
LONGEST = 100_000
TOO_LONG = Action("unknown", f"a text of more than {LONGEST} characters in an argument is not read")


class UnknownTextError(Exception):
    """The text is not understood."""
