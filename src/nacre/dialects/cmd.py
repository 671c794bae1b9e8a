"""cmd.exe: how one command is given to a fresh one. Pure."""

from __future__ import annotations

from nacre.dialects.dialect import Dialect
from nacre.keeper.wire import SCRIPT_MARK

DIALECT = Dialect(
    "cmd",
    ("/d", "/s", "/c"),
    f'"{SCRIPT_MARK}"',  # no `call`: wine's cmd loses the exit code with it
    ("cmd",),
    limit_bytes=8000,  # it reads no line longer than 8191 characters
    one_line=True,  # and stops at the end of the first
    prelude="@echo off\n",
)
