"""Real logs of real tools, each too long for a reply: the line that answers is shown.

`scripts/log_corpus` makes them: projects with a planted fault, and which line shows it. Half of them, by the
hash of their names, were kept aside while the patterns were made.
"""

from __future__ import annotations

import json
import lzma
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nacre.digest import digest
from nacre.keeper.frames import Stream
from nacre.output import readable, render
from nacre.outputs import Printed

if TYPE_CHECKING:
    from collections.abc import Callable

LOGS = Path(__file__).parent / "logs"
ANSWERS: dict[str, list[str]] = json.loads((LOGS / "answers.json").read_text())
KEPT_LEAST = 0.95
LOOKED_CHARACTERS = 300  # of a line that answers: of a longer one the beginning is shown


def is_held_out(name: str) -> bool:
    return sha256(name.encode()).digest()[0] % 2 == 1


def keeps_answer(name: str, limit: int) -> bool:
    """Whether every line that answers is in what a reply shows."""
    whole = lzma.decompress((LOGS / f"{name}.log.xz").read_bytes())
    lines = whole.count(b"\n")
    cut = render(Stream(len(whole), lines, whole[:limit], whole[limit:][-limit:], "/s/1.out"), limit)
    assert cut.truncated, name
    printed = Printed(lambda at, size: whole[at : at + size], len(whole), line_ends=lines)
    shown = digest(printed, cut, limit).text
    assert len(shown.encode()) <= limit
    return all(readable(answer.encode())[:LOOKED_CHARACTERS].strip() in shown for answer in ANSWERS[name])


@pytest.mark.req("cut-answers")
def test_there_is_a_line_that_answers_for_each_of_at_least_60_logs() -> None:
    assert {file.name.removesuffix(".log.xz") for file in LOGS.glob("*.xz")} == set(ANSWERS)
    assert len(ANSWERS) >= 60
    assert all(ANSWERS.values())
    aside = sum(map(is_held_out, ANSWERS))
    assert 0.4 <= aside / len(ANSWERS) <= 0.6


@pytest.mark.req("cut-answers")
@pytest.mark.parametrize("limit", [32_768, 8192])
@pytest.mark.parametrize("held_out", [False, True], ids=["seen", "held out"])
def test_the_line_that_answers_is_kept_in_at_least_95_percent_of_real_logs(
    limit: int, record_property: Callable[[str, object], None], *, held_out: bool
) -> None:
    names = [name for name in ANSWERS if is_held_out(name) is held_out]
    lost = [name for name in names if not keeps_answer(name, limit)]
    record_property("kept", f"{len(names) - len(lost)} of {len(names)}")
    assert len(names) - len(lost) >= KEPT_LEAST * len(names), f"lost: {lost}"
