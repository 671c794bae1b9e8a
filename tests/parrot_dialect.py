"""A dialect for a shell that does not exist: the one file that a new shell needs. `test_dialects` adds it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from nacre.dialects.dialect import CommandLists, Dialect, WithChannel
from nacre.keeper.wire import SCRIPT_MARK

if TYPE_CHECKING:
    from nacre.dialects.dialect import TurnRequest

CONTROL = 3


class ParrotShell(WithChannel):
    """parrot, kept alive: it reads a JSON array for each command."""

    control = CONTROL
    silent = (1, 2)
    interrupts = ("INT",)

    @property
    def environment(self) -> dict[str, str]:
        return {"PARROT_LIVES_ON": "yes"}

    def init(self, ready: str) -> str:  # noqa: ARG002  # it shows no prompt
        return ""

    def argv(self, name: str) -> list[str]:
        return [name, "-loop"]

    def feed(self, request: TurnRequest) -> tuple[str, dict[str, str]]:
        return json.dumps([request.marker, request.input, request.out, request.err, request.text]) + "\n", {}

    def report(self, request: TurnRequest) -> str:  # noqa: ARG002  # the loop reports by itself
        return ""

    def remark(self, request: TurnRequest, *, printed: bool) -> str:  # noqa: ARG002  # the same for every command
        return "Parrots repeat themselves."

    def clean(self, request: TurnRequest, stream: int, data: bytes) -> bytes:  # noqa: ARG002  # the same for both streams
        return data.replace(b"squawk ", b"")


DIALECT = Dialect(
    name="parrot",
    programs=("parrot",),
    examples=("parrot",),
    flags=("-run",),
    source=f"read {SCRIPT_MARK}",
    limit_bytes=1000,
    environment={"PARROT_MOOD": "fresh"},
    output_encoding="latin-1",
    persistent=lambda _: ParrotShell(),
    missing=(re.compile(r"^what is (?P<name>\w+)\?$", re.MULTILINE),),
    missing_code=9,
    language="sh",
    lists=CommandLists("posix", "'parrot quotes'"),
    held_environment={"PARROT_RULES": "1"},
)
