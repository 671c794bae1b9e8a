"""The keeper's own dataclasses: what it uses of them is there, and the standard module is not loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nacre.keeper.records import dataclass, field

SOURCE = Path(__file__).parents[2] / "src"


@dataclass(slots=True)
class Thing:
    """A record of a test."""

    name: str
    size: int = 3
    parts: list[str] = field(default_factory=list[str])


def test_fields_are_taken_by_place_and_by_name_and_have_defaults() -> None:
    plain, full = Thing("a"), Thing("b", size=4, parts=["x"])
    assert (plain.name, plain.size, plain.parts) == ("a", 3, [])
    assert (full.name, full.size, full.parts) == ("b", 4, ["x"])


def test_a_default_is_made_anew_for_every_record() -> None:
    first, second = Thing("a"), Thing("b")
    first.parts.append("x")
    assert second.parts == []


def test_what_is_missing_or_unknown_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="name"):
        Thing()  # pyright: ignore[reportCallIssue]  # that is the test
    with pytest.raises(TypeError, match="colour"):
        Thing("a", colour=1)  # pyright: ignore[reportCallIssue]  # that is the test
    with pytest.raises(AttributeError):
        Thing("a").colour = 1  # pyright: ignore[reportAttributeAccessIssue]  # slots


@pytest.mark.req("keeper-small")
def test_the_keeper_loads_nothing_heavy() -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r}); import nacre.keeper.program; "
        "print(sorted({'dataclasses', 'inspect', 'typing', 'asyncio', 'mcp'} & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, check=True)
    assert shown.stdout.strip() == b"[]"
