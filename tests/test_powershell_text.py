"""PowerShell's dialect as text: it cannot be had where these tests run."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.dialects import Ending, Shell, TurnRequest, dialect_of
from nacre.dialects.powershell import DIALECT, PowerShell, quote
from nacre.errors import RequestError
from nacre.keeper.conversation import STDERR, STDOUT, Conversation

MARKER = "Marker_12345678-1234-4123-8123-123456789abc"
PROMPT = "READY_0123456789abcdef"
SHELL = PowerShell(PROMPT)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)))


def ask(text: str, **more: object) -> TurnRequest:
    return TurnRequest(text, MARKER, "/spool/1", 0, **more)  # pyright: ignore[reportArgumentType]  # passed on


def lines_for(text: str, **more: object) -> list[str]:
    feed, files = SHELL.feed(ask(text, **more))
    assert files == {}
    return feed.split("\r\n")


def decoded(line: str) -> list[str]:
    return [base64.b64decode(part).decode() for part in re.findall(r"FromBase64String\('([\w+/=]*)'\)", line)]


@pytest.mark.req("session-powershell-text")
@given(TEXTS)
def test_a_command_is_one_line_that_carries_it_whole_and_a_line_that_reports(text: str) -> None:
    run, report = lines_for(text)
    assert decoded(run) == [text]
    assert run.isascii()
    assert MARKER not in run
    assert report.count(MARKER) == 3


@pytest.mark.req("session-powershell-text")
@given(TEXTS, TEXTS)
def test_directory_and_environment_come_before_the_command(value: str, directory: str) -> None:
    run, _ = lines_for("Get-Location", environment={"NAME": value}, directory=directory)
    assert decoded(run) == [value, directory, "Get-Location"]


@pytest.mark.req("session-powershell-text")
def test_quotes_and_braces_of_the_lines_are_balanced() -> None:
    for line in (*lines_for("if ($true) { 'it''s' }", directory="/a"), SHELL.init("")):
        assert line.count("{") == line.count("}")
        assert line.count("(") == line.count(")")
        assert line.count("'") % 2 == 0
        assert line.count('"') % 2 == 0
    assert quote("it's") == "'it''s'"


@pytest.mark.req("session-powershell-text")
def test_what_it_prints_by_these_lines_is_understood_as_a_conversation() -> None:
    said: list[bytes] = []
    talk = Conversation(PROMPT.encode(), said.append)
    talk.open("Marker_first", [SHELL.report(TurnRequest("", "Marker_first", "", 0)).encode()])
    assert talk.hear(STDOUT, PROMPT.encode()) is None  # what `init` prints
    assert talk.hear(STDERR, b"Marker_first\r\n") is None
    assert talk.hear(STDOUT, b"Marker_first 0\r\n/home\r\nMarker_first\r\n" + PROMPT.encode()) is None
    out: list[bytes] = []
    err: list[bytes] = []
    lines = [line.encode() for line in lines_for("'out'; exit-code 3")]
    talk.begin(MARKER, lines, {STDOUT: out.append, STDERR: err.append})
    talk.hear(STDERR, b"oops\n")
    talk.hear(STDOUT, b"out\nMarker_first 0\r\n\r\n" + PROMPT.encode())
    talk.hear(STDERR, MARKER.encode() + b"\r\n")
    printed = f"{MARKER} 3\r\n/tmp/ä\r\n{MARKER}\r\n{PROMPT}".encode()
    record = talk.hear(STDOUT, printed)
    assert record is not None
    assert SHELL.read(record) == Ending(3, "/tmp/ä")
    assert (b"".join(out), b"".join(err)) == (b"out\nMarker_first 0\r\n", b"oops\n")
    assert [line.endswith(b"\r\n") for line in said] == [True, True, True]


def test_what_it_cannot_be_given_is_refused_before_anything_runs() -> None:
    with pytest.raises(RequestError, match="stdin cannot be given"):
        SHELL.check(ask("read", stdin="text"))
    with pytest.raises(RequestError, match="command contains a byte that is not UTF-8 at offset 1"):
        SHELL.check(ask("a\udcff"))
    SHELL.check(ask("Get-Date"))


def test_both_powershells_are_known_and_never_load_a_profile() -> None:
    assert dialect_of("/usr/bin/pwsh") is dialect_of("powershell.exe") is DIALECT
    kept = Shell("/usr/bin/pwsh", DIALECT, "pwsh").persistent()
    assert kept.argv("pwsh") == ["pwsh", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", "-"]
    assert "never run" in kept.remark(ask("Get-Date"), printed=True)


@pytest.mark.req("session-powershell-text")
def test_the_lines_use_no_word_that_a_command_can_give_another_meaning() -> None:
    lines = [*lines_for("1", directory="/a", environment={"A": "b"}), SHELL.init("")]
    text = re.sub(r"'[^']*'", "''", "\n".join(lines)).replace(MARKER, "")
    assert set(re.findall(r"[\w.\\]*\w+-\w+", text)) == {
        "Microsoft.PowerShell.Core\\Out-Default",
        "Microsoft.PowerShell.Utility\\Out-String",
    }
    own = {"global", "true", "false", "_", "PSStyle", "LASTEXITCODE", "OutputEncoding", "ProgressPreference"}
    assert set(re.findall(r"\$(\w+)", text)) <= {*own, "ExecutionContext"}  # which is a constant
