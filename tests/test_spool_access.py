"""What a reply names can be read: it names the file with a long output where the rules allow reading it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from wire_client import WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]

pytestmark = pytest.mark.req("spool-readable")
LONG = "seq 20000"
NAMED = re.compile(r"whole output: (?:tool output, id \S+ \(file )?([^\s)]+)\)? \.\.\.")


def started(start: Start, tmp_path: Path, policy: str, *options: str) -> WireClient:
    (file := tmp_path / "nacre.toml").write_text(policy)
    return start("--config", str(file), "--shell", "bash", *options)


@pytest.mark.parametrize("session", [{}, {"session": "s"}], ids=["once", "session"])
def test_a_fence_lets_commands_read_what_a_reply_names(
    start: Start, tmp_path: Path, session: dict[str, str]
) -> None:
    rules = (
        f'allow = ["seq", "tail", "tee", "cat"]\nallow_writes = true\nallowed_directories = ["{tmp_path}"]\n'
    )
    server = started(start, tmp_path, f"[policy]\n{rules}")
    found = NAMED.search(text_of(server.call("shell", command=LONG, **session)))
    assert found
    assert server.shell(f"tail -n 1 {found[1]}", **session)["stdout"] == "20000\n"
    above = found[1].rpartition("/")[0]
    for command in (
        f"tee {found[1]}",
        f"tail {above}/../x",
        f"cat {above}/*",
        "tail /etc/passwd",
        f"cd {above}",
    ):
        refused = text_of(server.call("shell", command=command, **session))
        assert "(rule: allowed_directories)" in refused, command


def test_a_reply_names_no_file_that_no_allowed_command_reads_but_the_tool_that_does(
    start: Start, tmp_path: Path
) -> None:
    server = started(start, tmp_path, '[policy]\nallow = ["seq"]\nallowed_directories = ["/usr"]\n')
    result = server.call("shell", command=LONG, working_directory="/usr")
    output_id = result["structuredContent"]["output_id"]
    assert f"bytes left out; whole output: tool output, id {output_id} ..." in text_of(result)
    assert "/nacre-" not in str(result)
    assert server.call("output", id=output_id, tail=1)["structuredContent"]["output"] == "20000\n"


def test_who_has_no_such_tool_is_told_that_what_was_left_out_cannot_be_read(
    start: Start, tmp_path: Path
) -> None:
    rules = 'commands = ["seq"]\n[policy]\nallow = ["seq"]\n'
    server = started(start, tmp_path, rules, "--preset", "commands")
    result = server.call("seq", args="20000")
    assert "bytes left out; what was left out cannot be read under the rules here" in text_of(result)
    assert "/nacre-" not in str(result)


def test_read_file_reads_what_a_reply_names_and_writes_none_of_it(start: Start, tmp_path: Path) -> None:
    server = started(start, tmp_path, '[policy]\nallow = ["seq"]\n', "--tools", "files")
    found = NAMED.search(text_of(server.call("shell", command=LONG)))
    assert found
    page = server.call("read_file", path=found[1])
    assert page["isError"] is False
    assert page["structuredContent"]["content"].startswith("1\n2\n3\n")
    assert server.call("write_file", path=found[1], content="x", mode="overwrite")["isError"] is True
    assert "outside" in text_of(server.call("list_directory", path=found[1].rpartition("/")[0]))


def test_a_list_of_commands_with_one_that_reads_is_told_the_file(start: Start, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("".join(f"{number}\n" for number in range(20000)))
    server = start("--preset", "commands", "--shell", "bash")
    found = NAMED.search(text_of(server.call("cat", args="long")))
    assert found
    assert text_of(server.call("grep", args=f"-c 1 {found[1]}")).isdecimal()
