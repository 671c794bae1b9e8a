"""An audit log under attack and in trouble: what was done to it is named, and records go on."""

from __future__ import annotations

import itertools
import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_client import configured, ended_records

from nacre.audit import cli
from nacre.audit.chain import check_lines
from nacre.audit.reading import Wanted, checked_lines, commands, in_order
from nacre.audit.report import page
from nacre.audit.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., WireClient]


def record(number: int) -> bytes:
    return json.dumps({"time": f"t{number}", "command": f"echo {number}"}).encode() + b"\n"


def wrong(path: Path) -> list[tuple[int, bool]]:
    """The numbers of lines that have a problem, and whether they are records."""
    found = check_lines(path.read_bytes().splitlines(keepends=True))
    return [(line.number, line.record is not None) for line in found if line.problem]


@pytest.mark.req("audit-attacked")
def test_the_torn_line_of_another_server_takes_no_record_of_ours_with_it(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    ours = Trail(str(path))
    ours.write([record(1)])
    with path.open("ab") as file:
        file.write(record(2)[:10])  # and then that server was killed
    ours.write([record(3)])
    assert wrong(path) == [(2, False)]
    assert json.loads(path.read_bytes().splitlines()[2])["command"] == "echo 3"


@pytest.mark.req("audit-attacked")
@pytest.mark.parametrize("left", [1, 2, 3])
@pytest.mark.parametrize(
    "instead", [b"", b'{"time": "t", "command": "echo instead of it, and longer"}\n' * 9]
)
def test_records_that_are_cut_off_under_a_running_server_are_missed_by_the_next_one(
    tmp_path: Path, left: int, instead: bytes
) -> None:
    path = tmp_path / "audit.jsonl"
    ours = Trail(str(path))
    ours.write([record(number) for number in range(1, 5)])
    kept = path.read_bytes().splitlines(keepends=True)[:left]
    path.write_bytes(b"".join(kept) + instead)
    ours.write([record(5)])
    assert ours.cut
    lines = len(path.read_bytes().splitlines())
    assert wrong(path)[-1] == (lines, True)
    ours.write([record(6)])
    assert wrong(path)[-1] == (lines, True)  # that one only: what follows holds to it


@pytest.mark.req("audit-attacked")
def test_what_other_servers_write_and_a_file_that_is_emptied_are_no_attack(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    ours, theirs = Trail(str(path)), Trail(str(path))
    for number in range(1, 9, 2):
        ours.write([record(number)])
        theirs.write([record(number + 1)])
    assert (ours.cut, theirs.cut, wrong(path)) == (False, False, [])
    copy = tmp_path / "copy"
    copy.write_bytes(path.read_bytes())
    os.truncate(path, 0)  # as logrotate does with copytruncate
    theirs.write([record(9)])
    assert (theirs.cut, [line.problem for _, line in checked_lines([str(copy), str(path)])]) == (
        False,
        [""] * 9,
    )


@pytest.mark.req("audit-rotation")
def test_a_file_that_cannot_be_moved_aside_grows_on_and_no_command_is_refused(
    start: Start, tmp_path: Path
) -> None:
    name = "a" * 250  # with the time behind it, longer than a name may be
    server = configured(
        start, tmp_path, f'audit_log = "{name}"\naudit_rotate = "1KB"\naudit_required = true\n'
    )
    for number in range(4):
        assert server.shell(f"echo {number}")["stdout"] == f"{number}\n"
    server.wait_for_log("cannot be moved aside, and grows on: File name too long")
    assert len(ended_records((tmp_path / name).read_text())) == 4
    assert wrong(tmp_path / name) == []


@pytest.mark.req("audit-rotation")
def test_behind_a_link_the_file_is_moved_aside_and_not_the_link(tmp_path: Path) -> None:
    large, link = tmp_path / "large", tmp_path / "audit.jsonl"
    large.mkdir()
    link.symlink_to(large / "log")
    trail = Trail(str(link), 200)
    for number in range(9):
        trail.write([record(number)])
    assert link.is_symlink()
    assert len([*large.iterdir()]) > 2
    assert [line.problem for _, line in checked_lines([*map(str, large.iterdir())])] == [""] * 9


@pytest.mark.req("audit-rotation")
@pytest.mark.parametrize("quiet_rounds", [1, 2, 5])
def test_the_chain_holds_where_servers_come_and_go_while_others_move_the_file_aside(
    tmp_path: Path, quiet_rounds: int
) -> None:
    path = tmp_path / "audit.jsonl"
    quiet, busy = Trail(str(path), 150), Trail(str(path), 150)
    for number in range(12):  # a file has two records
        busy.write([record(number)])
        if number % quiet_rounds == 0:
            quiet.write([record(100 + number)])
        if number % 3 == 0:
            Trail(str(path), 150).write([record(200 + number)])
    files = [str(each) for each in tmp_path.iterdir()]
    assert len(files) > 5
    assert {line.problem for _, line in checked_lines(files)} == {""}


@pytest.mark.req("audit-rotation")
def test_files_are_read_in_the_order_of_their_seals_however_they_are_named(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    names = [f"{path}.2026111{day}" for day in (9, 8, 7)]  # the clock was set back by a day each time
    trail = Trail(str(path))
    for number, name in enumerate(names):
        trail.write([record(number)])
        path.rename(name)
    first, second, third = names
    for given_order in itertools.permutations((first, second, third)):
        assert in_order(given_order) == [first, second, third]
        assert [line.problem for _, line in checked_lines(given_order)] == [""] * 3
    assert any(line.problem for _, line in checked_lines((first, third)))  # one is missing


@pytest.mark.req("audit-attacked")
def test_a_log_that_was_begun_anew_is_named_as_such(tmp_path: Path) -> None:
    for name in ("one", "two"):
        Trail(str(tmp_path / name)).write([record(1), record(2)])
    problems = [line.problem for _, line in checked_lines([str(tmp_path / "one"), str(tmp_path / "two")])]
    assert problems == ["", "", "it begins a chain of its own, and does not follow the file before it", ""]


@pytest.mark.req("audit-attacked")
@pytest.mark.parametrize(
    ("of_file", "of_directory", "said"),
    [
        (0o600, 0o700, ""),
        (0o640, 0o750, ""),
        (0o600, 0o1777, ""),
        (0o644, 0o755, "read by all"),
        (0o660, 0o700, "changed by other"),
        (0o602, 0o700, "changed by other"),
        (0o600, 0o777, "replaced by other"),
        (0o600, 0o770, "replaced by other"),
    ],
)
def test_a_file_that_others_can_change_or_read_is_reported(
    tmp_path: Path, of_file: int, of_directory: int, said: str
) -> None:
    directory = tmp_path / "log"
    directory.mkdir()
    path = directory / "audit.jsonl"
    path.touch()
    path.chmod(of_file)
    directory.chmod(of_directory)
    exposed = Trail(str(path)).exposed
    assert said in exposed
    assert bool(said) == bool(exposed)


# -- readers


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("time", "event", "id", "command", "tool", "path", "ended", "exit_code", "signal", "code", "missing")
MORE = ("execution_time_ms", "client", "session", "working_directory", "rule", "verdict", "hints", "reason")
HOSTILE = st.dictionaries(st.sampled_from((*FIELDS, *MORE)), ANY_JSON, max_size=8)


@pytest.mark.req("audit-attacked")
@settings(max_examples=30)
@given(st.lists(HOSTILE, max_size=4))
def test_no_record_whatever_it_holds_keeps_the_others_from_being_read(records: list[dict[str, Any]]) -> None:
    shown = list(commands([*records, {"event": "ended", "id": "x", "command": "echo"}]))
    assert any(each.get("id") == "x" for each in shown)
    wanted = Wanted(text="e", since=0.0, until=1e12)
    for each in shown:
        assert cli.as_text(each).isprintable()
        wanted.holds(each)
    data = page(shown, ["log"], 0).partition('id="data">')[2].partition("</script>")[0]
    rows = json.loads(data, parse_constant=pytest.fail)["rows"]  # a browser does not know NaN
    assert all(took is None or isinstance(took, int) for _, _, _, took, *_ in rows)


@pytest.mark.req("audit-attacked")
@pytest.mark.parametrize("line", [b"[" * 100_000, b'{"a":' * 100_000, b"\xff\xfe", b"1" * 9000, b"\0", b"{}"])
def test_a_line_that_nobody_can_read_is_a_problem_and_not_the_end(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    trail = Trail(str(path))
    trail.write([record(1)])
    with path.open("ab") as file:
        file.write(line + b"\n")
    trail.write([record(2)])
    assert [number for number, _ in wrong(path)] == [2]


@pytest.mark.req("audit-show")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["-n", "0"], "try 20"),
        (["-n", "-3"], "try 20"),
        (["-n", "all"], "try 20"),
        (["--ended", "exit"], "there are: exited, signaled"),
        (["--since", "yesterday"], "try 2026-11-17"),
        (["--since", ""], "try 2026-11-17"),
        (["--until", "2026-13-01"], "try 2026-11-17"),
        (["--since", "0001-01-01"], "try 2026-11-17"),
        (["--since", "9999999999999999999999d"], ""),
    ],
)
def test_a_filter_that_makes_no_sense_is_refused_with_one_that_does(
    given: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "audit.jsonl"
    Trail(str(path)).write([record(1)])
    try:
        code = cli.main(["show", *given, str(path)])
    except SystemExit as stop:
        code = stop.code
    assert code == (2 if said else 0)
    assert said in capsys.readouterr().err
