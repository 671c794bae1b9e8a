"""PowerShell's dialect as text: it cannot be had where these tests run."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.dialects import POWERSHELL, dialect_of
from nacre.dialects.powershell import INIT, PERSISTENT_FLAGS, feed, read

MARKER = "Marker_12345678-1234-4123-8123-123456789abc"


@pytest.mark.req("session-powershell-text")
@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_a_command_is_one_line_that_carries_it_whole(text: str) -> None:
    line = feed(text, MARKER)
    assert line.count("\n") == 1
    assert line.endswith("\n")
    (encoded,) = re.findall(r"FromBase64String\('([A-Za-z0-9+/=]*)'\)", line)
    assert base64.b64decode(encoded).decode() == text


@pytest.mark.req("session-powershell-text")
def test_quotes_and_braces_of_the_line_are_balanced() -> None:
    line = feed("if ($true) { 'it''s' }", MARKER)
    assert line.count("{") == line.count("}")
    assert line.count("(") == line.count(")")
    assert line.count("'") % 2 == 0
    assert INIT.count("{") == INIT.count("}")


@pytest.mark.req("session-powershell-text")
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_end_is_read_from_the_last_mark(end: str) -> None:
    forged = f"{MARKER[:-1]}d:0:C:\\forged{end}"
    told = read(f"out{end}{forged}{MARKER}:3:C:\\work here{end}", MARKER)
    assert told == (f"out{end}{forged}", 3, "C:\\work here")


@pytest.mark.req("session-powershell-text")
@pytest.mark.parametrize(
    "early", ["", "out", MARKER, f"{MARKER}:", f"{MARKER}:3", f"{MARKER}:3:C:\\w", f"{MARKER}:x:C:\n"]
)
def test_before_the_whole_mark_there_is_no_end(early: str) -> None:
    assert read(early, MARKER) is None


def test_both_powershells_are_known_and_never_load_a_profile() -> None:
    assert dialect_of("/usr/bin/pwsh") is dialect_of("powershell.exe") is POWERSHELL
    assert "-NoProfile" in PERSISTENT_FLAGS
    assert PERSISTENT_FLAGS[-1] == "-"
