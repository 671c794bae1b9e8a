"""The seals of the audit log: what was done to a file is found, and what servers do to it is not mistaken."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wire_client import NACRE

from nacre.audit.chain import check_lines, seal
from nacre.audit.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., WireClient]

RECORDS = [
    json.dumps({"time": f"t{number}", "command": f"echo {number}"}).encode() + b"\n" for number in range(9)
]


def sealed(records: list[bytes], before: str = "") -> list[bytes]:
    lines: list[bytes] = []
    for record in records:
        line, before = seal(record, before, first=not lines)
        lines.append(line)
    return lines


def problems(lines: list[bytes], before: str | None = None) -> list[int]:
    return [line.number for line in check_lines(lines, before) if line.problem]


def audit(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*NACRE, "audit", *words], capture_output=True, text=True, timeout=30, check=False)


@pytest.mark.req("audit-chain")
@given(st.integers(0, 8), st.integers(1, 255), st.data())
def test_a_change_of_any_byte_of_any_record_is_found(number: int, change: int, data: st.DataObject) -> None:
    lines = sealed(RECORDS)
    place = data.draw(st.integers(0, len(lines[number]) - 2))
    changed = bytearray(lines[number])
    changed[place] ^= change
    if b"\n" not in changed[:-1]:
        assert problems([*lines[:number], bytes(changed), *lines[number + 1 :]])


@pytest.mark.req("audit-chain")
@given(st.integers(0, 7), st.integers(1, 8))
def test_removed_and_moved_records_are_found(number: int, other: int) -> None:
    lines = sealed(RECORDS)
    assert problems(lines) == []
    assert problems([*lines[:number], *lines[number + 1 :]]) == [number + 1]
    if number < other:
        lines[number], lines[other] = lines[other], lines[number]
        assert number + 1 in problems(lines)


@pytest.mark.req("audit-chain")
def test_records_without_a_seal_are_only_believed_before_the_first_one() -> None:
    assert problems([*RECORDS[:3], *sealed(RECORDS[3:])]) == []  # of a version without seals
    assert problems([*sealed(RECORDS[:3]), RECORDS[3]]) == [4]
    assert problems([*RECORDS[:3], *sealed(RECORDS)[3:]]) == [4]  # seals taken away from the first three


@pytest.mark.req("audit-chain")
def test_what_servers_write_is_whole_also_two_at_once_and_across_files(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    one, two = Trail(str(path)), Trail(str(path))
    for record in RECORDS[:4]:
        one.write([record])
        two.write([record, record])
    assert problems(path.read_bytes().splitlines(keepends=True)) == []
    moved = path.rename(tmp_path / "audit.1")
    one.write([RECORDS[5]])
    two.write([RECORDS[6]])
    first, second = moved.read_bytes().splitlines(True), path.read_bytes().splitlines(True)
    assert len(second) == 2
    *_, last = check_lines(first)
    assert problems(second, last.seal) == []
    *_, earlier = check_lines(first[:-1])
    assert problems(second, earlier.seal) == [1]  # the end of the first file is missing


@pytest.mark.req("audit-rotation")
def test_a_file_that_has_grown_is_moved_aside_and_its_chain_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    one, two = Trail(str(path), 500), Trail(str(path), 500)
    for record in RECORDS:
        one.write([record])
        two.write([record])
    files = [*sorted(tmp_path.glob("audit.jsonl.*")), path]
    assert len(files) > 2
    assert all(file.stat().st_size < 1000 for file in files)
    whole = audit("verify", *map(str, files))
    assert (whole.returncode, whole.stdout.split(".")[0]) == (0, "18 records")
    without_one = audit("verify", *map(str, [files[0], *files[2:]]))
    assert without_one.returncode == 1
    assert "it does not follow the file before it" in without_one.stdout


@pytest.mark.req("audit-chain")
def test_a_torn_line_is_reported_and_the_chain_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    Trail(str(path)).write(RECORDS[:2])
    with path.open("ab") as file:
        file.write(RECORDS[2][:10])  # and then its server was killed
    Trail(str(path)).write(RECORDS[3:5])
    found = [line for line in check_lines(path.read_bytes().splitlines(keepends=True)) if line.problem]
    assert [(line.number, line.record) for line in found] == [(3, None)]
    assert "it is torn" in found[0].problem


@pytest.mark.req("audit-chain")
def test_verify_says_which_record_and_the_last_seal(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    server = start("--shell", "bash", "--audit-log", str(path))
    for word in ("one", "two", "three"):
        server.call("shell", command=f"echo {word}")
    server.hang_up()
    server.wait()
    good = audit("verify", str(path))
    assert good.returncode == 0
    assert good.stdout.startswith("6 records. None was changed, removed or moved. Last seal: ")
    last = good.stdout.split()[-1]
    path.write_text(path.read_text().replace("echo two", "echo tow"))
    bad = audit("verify", str(path))
    assert bad.returncode == 1
    assert f"{path}, line 3 (" in bad.stdout
    assert ", echo tow): it was changed" in bad.stdout
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    assert audit("verify", str(path)).returncode == 0  # nothing shows what was cut off at the end ...
    cut = audit("verify", "--expect", last, str(path))
    assert cut.returncode == 1  # ... but a seal that was noted
    assert "records are missing at the end" in cut.stdout
    assert audit("verify", str(tmp_path / "none")).returncode == 2


@pytest.mark.req("audit-show")
def test_show_prints_the_records_that_are_asked_for(start: Start, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    server = start("--shell", "bash", "--deny", "rm", "--audit-log", str(path))
    server.call("shell", command="cd /usr; true", session="s")
    server.call("shell", command="exit 3")
    server.call("shell", command="rm x")
    server.hang_up()
    server.wait()
    _, *everything = audit("show", str(path)).stdout.splitlines()
    assert len(everything) == 3
    assert everything[0].endswith("  cd /usr; true")
    (shown,) = [
        json.loads(line) for line in audit("show", "--json", "--session", "s", str(path)).stdout.splitlines()
    ]
    assert {"cpu_ms", "max_rss_bytes", "stdout_bytes", "stderr_bytes"} <= set(shown)
    (_, failed, denied) = audit("show", "--failed", str(path)).stdout.splitlines()
    assert " exit 3" in failed
    assert "not run (denied)" in denied
    assert audit("show", "--denied", str(path)).stdout.splitlines()[1:] == [denied]
    assert audit("show", "--session", "s", str(path)).stdout.splitlines()[1:] == everything[:1]
    assert json.loads(audit("show", "--json", "-n", "1", str(path)).stdout)["command"] == "rm x"
