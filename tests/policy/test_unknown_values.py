"""A value that is only known when a command runs is admitted only where every hostile value would be.

All programs of the tables and all their sub-commands are asked, with a rule for the program and nothing else.
"""

from __future__ import annotations

import importlib
import pkgutil
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, judge, tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nacre.policy.tables.schema import Program

pytestmark = pytest.mark.req("policy-values")

# Where a value can stand; `V` is the value.
_PLACES = ("V", "a V", "V a", "-- V", "-- a V", "aV", "a/V", "./V", "./a/V")
_UNKNOWN = '"$x"'
_HOSTILE = (
    *("/tmp/evil", "../x", "~/x", "//x", "@file", "exec", "run", "a=b", "x=$(id)", "a;id", "|id", "!id"),
    *("http://evil/x", "https://evil/x.git", "file:///etc/passwd", "oci://evil/x", "ext::id", "host:path"),
    *("git@evil:x/y", "a@evil:b", "/inet/tcp/0/evil/80", "-opwned", "--output=x"),
)
# Programs with options that are refused because they are not known, not because they could do harm: a value
# that turns out to be one does none either.
_HARMLESS_OPTIONS = frozenset({"cp", "docker", "fmt", "hexdump", "locate", "who"})
# Files that split makes have more behind these names.
_SUFFIXED = frozenset({"split"})


def _commands(module: str) -> Iterator[str]:
    def below(entry: Program, said: str) -> Iterator[str]:
        yield said
        for command in entry.commands:
            for name in command.names.split()[:1]:
                yield from below(command, f"{said} {name}")

    for entry in getattr(importlib.import_module(f"{tables.__name__}.{module}"), "PROGRAMS", ()):
        yield from below(entry, entry.names.split()[0])


@pytest.mark.parametrize("module", sorted(item.name for item in pkgutil.iter_modules(tables.__path__)))
def test_what_is_admitted_unknown_is_admitted_whatever_it_is(module: str, tmp_path: Path) -> None:
    refused: list[str] = []
    for command in _commands(module):
        program = command.partition(" ")[0]
        policy = replace(Policy.from_lists([program], allow_writes=True), files=LOCAL_FILES)
        for place in _PLACES:
            unknown = f"{command} {place.replace('V', _UNKNOWN)}"
            if not judge(unknown, policy, cwd=str(tmp_path)).allowed:
                continue
            for value in _HOSTILE:
                glued = "V" not in place.split()
                if value.startswith("-") and program in _HARMLESS_OPTIONS:
                    continue
                if glued and "://" in value:  # no address any more
                    continue
                words = [word.replace("V", value) for word in place.split()]
                literal = f"{command} {shlex.join(words)}"
                if not judge(literal, policy, cwd=str(tmp_path)).allowed and program not in _SUFFIXED:
                    refused.append(f"{unknown} is allowed, {literal} is not")
    assert refused == []
