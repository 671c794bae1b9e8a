"""`nacre audit show`: which commands are shown, and how."""

from __future__ import annotations

import json
import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import NACRE

from nacre.audit.cli import USAGE_ERROR, main
from nacre.audit.reading import Wanted, commands, moment
from nacre.audit.trail import Trail

if TYPE_CHECKING:
    from pathlib import Path

LOG: list[dict[str, Any]] = [
    {"time": "2026-03-01T10:00:00.000Z", "event": "started", "id": "a-1", "command": "echo one"},
    {
        "time": "2026-03-01T10:00:01.000Z",
        "event": "ended",
        "id": "a-1",
        "command": "echo one",
        "client": "Claude Code",
        "working_directory": "/srv",
        "ended": "exited",
        "exit_code": 0,
        "execution_time_ms": 1000,
    },
    {
        "time": "2026-03-02T10:00:00.000Z",
        "event": "ended",
        "id": "a-2",
        "command": "rm -rf /",
        "client": "zed",
        "session": "s",
        "ended": "not run",
        "code": "denied",
        "verdict": "deny",
        "rule": "rm",
        "security_violation": True,
    },
    {
        "time": "2026-03-03T10:00:00.000Z",
        "event": "ended",
        "id": "a-3",
        "command": "Make Test",
        "client": "zed",
        "ended": "exited",
        "exit_code": 2,
    },
    {"time": "2026-03-03T12:00:00.000Z", "event": "settings changed", "pid": 1, "file": "/etc/x"},
    {"time": "2026-03-04T10:00:00.000Z", "event": "started", "id": "a-4", "command": "sleep 9"},
]


@pytest.fixture
def log(tmp_path: Path) -> str:
    path = tmp_path / "audit.jsonl"
    Trail(str(path)).write([json.dumps(record).encode() + b"\n" for record in LOG])
    return str(path)


def audit(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*NACRE, "audit", *words], capture_output=True, text=True, timeout=30, check=False)


FILTERS = {
    "session": (("--session", "s"), ["a-2"]),
    "client, part of its name": (("--client", "claude"), ["a-1"]),
    "since a day": (("--since", "2026-03-03T00:00Z"), ["a-3", None, "a-4"]),
    "until a time": (("--until", "2026-03-02T10:00Z"), ["a-1"]),
    "a span": (("--since", "2026-03-02T00:00Z", "--until", "2026-03-03T00:00Z"), ["a-2"]),
    "how it ended": (("--ended", "exited"), ["a-1", "a-3"]),
    "a killed server": (("--ended", "no end"), ["a-4"]),
    "denied": (("--denied",), ["a-2"]),
    "failed": (("--failed",), ["a-2", "a-3", "a-4"]),
    "text in any case": (("--text", "make t"), ["a-3"]),
    "two at once": (("--client", "zed", "--failed", "-n", "1"), ["a-3"]),
    "everything": ((), ["a-1", "a-2", "a-3", None, "a-4"]),
    "the records of starts": (("--starts", "--text", "echo"), ["a-1", "a-1"]),
}


@pytest.mark.req("audit-show")
@pytest.mark.parametrize(("options", "ids"), FILTERS.values(), ids=FILTERS)
def test_only_what_is_asked_for_is_shown(log: str, options: tuple[str, ...], ids: list[str | None]) -> None:
    shown = audit("show", "--json", *options, log)
    assert shown.returncode == 0, shown.stderr
    assert [json.loads(line).get("id") for line in shown.stdout.splitlines()] == ids


@pytest.mark.req("audit-show")
def test_the_table_has_a_line_for_each_command_with_who_how_where(log: str) -> None:
    header, first, *_, changed, last = audit("show", log).stdout.splitlines()
    assert header.split() == ["TIME", "ENDED", "TOOK", "CLIENT", "SESSION", "DIRECTORY", "COMMAND"]
    assert first.split() == [
        *("2026-03-01T10:00:01.000Z", "exit", "0", "1000", "ms"),
        *("Claude", "Code", "/srv", "echo", "one"),
    ]
    assert first.index("echo one") == header.index("COMMAND")
    assert "settings changed: file /etc/x" in changed
    assert "no end" in last


@pytest.mark.req("audit-show")
def test_without_a_log_it_is_the_one_that_the_settings_name(
    log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["show"]) == USAGE_ERROR
    assert "set audit_log" in capsys.readouterr().err
    monkeypatch.setenv("NACRE_AUDIT_LOG", log)
    assert main(["show", "--json"]) == 0
    assert "echo one" in capsys.readouterr().out


@pytest.mark.req("audit-show")
def test_a_command_cannot_draw_on_the_persons_terminal(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    odd = {"time": "t", "event": "ended", "ended": "exited", "command": "echo \x1b[2J\nfake \udcff line"}
    Trail(str(path)).write([json.dumps(odd).encode() + b"\n"])
    (_, line) = audit("show", str(path)).stdout.splitlines()
    assert line.endswith(r"echo \x1b[2J\nfake \udcff line")
    assert json.loads(audit("show", "--json", str(path)).stdout)["command"] == odd["command"]


@pytest.mark.req("audit-show")
def test_what_is_recorded_from_now_on_is_shown_as_it_comes_also_after_rotation(log: str) -> None:
    following = subprocess.Popen(
        [*NACRE, "audit", "show", "--json", "-f", "--client", "zed", "-n", "1", log],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert following.stdout is not None
    with following:
        try:
            assert json.loads(following.stdout.readline())["id"] == "a-3"
            trail = Trail(log)
            for number in range(3):
                new = {"event": "ended", "client": "zed", "command": f"new {number}"}
                trail.write([json.dumps({"event": "started", "client": "zed"}).encode() + b"\n"])
                trail.write([json.dumps(new).encode() + b"\n"])
                for part in "ab":  # moved aside more often than anybody looks
                    os.rename(log, f"{log}.{number}{part}")
                    trail.write([json.dumps({**new, "command": f"{part} {number}"}).encode() + b"\n"])
                shown = [json.loads(following.stdout.readline())["command"] for _ in range(3)]
                assert shown == [f"new {number}", f"a {number}", f"b {number}"]
        finally:
            following.kill()


@pytest.mark.req("audit-show")
def test_a_time_may_be_a_date_a_time_or_how_long_ago() -> None:
    assert moment("2026-03-01T10:00Z") == 1772359200
    assert moment("2026-03-01T11:00+01:00") == 1772359200
    assert abs(time.time() - 7200 - moment("2h")) < 600
    with pytest.raises(ValueError, match="isoformat"):
        moment("yesterday")
    wrong = audit("show", "--since", "yesterday", "x")
    assert (wrong.returncode, "not a time: 'yesterday'" in wrong.stderr) == (2, True)


@pytest.mark.req("audit-show")
def test_a_start_stands_for_a_command_only_without_an_end() -> None:
    assert [record["id"] for record in commands(LOG) if "id" in record] == ["a-1", "a-2", "a-3", "a-4"]
    assert not Wanted(since=1.0).holds({"time": "nonsense"})
