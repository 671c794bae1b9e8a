"""The preset `commands` (specification 000) in the shell that its document means: cmd.exe, under wine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import wine_harness
from wire_client import WireClient, text_of, told_of

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.wine

CMD_LIST = ["dir", "echo", "curl", "type", "find", "findstr", "cd", "where", "set", "podman"]


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def cmd(work: Path) -> Iterator[WireClient]:
    """A server with one cmd.exe."""
    options = ("--preset", "commands", "--shell", "cmd.exe")
    with WireClient(*options, cwd=work, env=wine_harness.wine_environment()) as client:
        client.shake_hands()
        yield client


def run(client: WireClient, command: str, args: str = "") -> dict[str, Any]:
    result = client.call(command, args=args)
    assert result["isError"] is (not told_of(result)["success"])
    return told_of(result)


def cmd_shells(client: WireClient) -> list[int]:
    """The cmd.exe below this server that live on."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if b"/K" in line and b"cmd.exe" in line and _is_below(int(entry.name), client.process.pid):
            found.append(int(entry.name))
    return found


def _is_below(pid: int, ancestor: int) -> bool:
    while pid > 1 and pid != ancestor:
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return pid == ancestor


@pytest.mark.req("000-cmd-exe")
@pytest.mark.req("000-allowlist")
@pytest.mark.req("000-one-tool-each")
def test_the_tools_are_the_documents_list(cmd: WireClient) -> None:
    tools = cmd.request("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == [*CMD_LIST, "restart", "list_commands"]
    find = next(tool for tool in tools if tool["name"] == "find")
    assert "double quotes" in find["description"]


@pytest.mark.req("000-clean-output")
@pytest.mark.req("000-streams")
def test_echo_dir_and_type_answer_with_their_output_and_nothing_else(cmd: WireClient, work: Path) -> None:
    assert run(cmd, "echo", "hi")["output"] == "hi"
    (work / "note.txt").write_bytes(b"first\r\nsecond\r\n")
    assert run(cmd, "type", "note.txt")["output"] == "first\nsecond"
    assert run(cmd, "dir", "/b")["output"] == "note.txt"
    (work / "note.txt").unlink()


@pytest.mark.req("000-state")
def test_cd_and_set_live_on(cmd: WireClient) -> None:
    assert run(cmd, "cd", r"/d C:\windows")["success"]
    assert run(cmd, "cd")["output"].lower() == r"c:\windows"
    assert run(cmd, "set", "COLOUR=blue")["success"]
    assert run(cmd, "set", "COLOUR")["output"] == "COLOUR=blue"


@pytest.mark.req("000-restart-tool")
def test_restart_gives_a_clean_cmd(cmd: WireClient, work: Path) -> None:
    run(cmd, "set", "COLOUR=blue")
    run(cmd, "cd", r"/d C:\windows")
    assert "A new shell is there" in text_of(cmd.call("restart"))
    assert run(cmd, "set", "COLOUR")["exit_code"] == 1
    assert run(cmd, "cd")["output"] == "Z:" + str(work).replace("/", "\\")


@pytest.mark.req("000-replies")
@pytest.mark.req("000-combined-output")
def test_a_failure_has_its_code_and_what_was_said(cmd: WireClient) -> None:
    shown = run(cmd, "type", "nothing.here")
    assert (shown["success"], shown["exit_code"], shown["code"]) == (False, 1, "failed")
    assert shown["output"]


@pytest.mark.req("000-operators")
@pytest.mark.req("000-operators-hidden")
@pytest.mark.parametrize(
    "args",
    [
        "x&& echo y>pwned", "x|| echo y>pwned", "x& echo y>pwned", "x| type con>pwned", "x>pwned",
        "x>>pwned", "x<nul", "x<<nul",
        "x^& echo y", "%COMSPEC%", '"%COMSPEC%"', "!COMSPEC!", "x$y", "x;y", "x\r\necho y>pwned",
        "x\necho y>pwned",
        '"x"& echo y>pwned', '"x\\"& echo y>pwned"', '"x""& echo y>pwned', '"unclosed', "(x", "x)",
    ],
)  # fmt: skip
def test_an_injection_is_refused_and_nothing_runs(cmd: WireClient, work: Path, args: str) -> None:
    shown = run(cmd, "echo", args)
    assert (shown["success"], shown["code"], shown["output"]) == (False, "denied", "")
    assert list(work.iterdir()) == []


@pytest.mark.req("000-operators-quoted")
@pytest.mark.parametrize(
    "text", ["a & b | c < d > e ^ f ; g ( h ) $ i", "&& || << >> call start", "it's `so`"]
)
def test_quoted_text_passes_as_it_is(cmd: WireClient, work: Path, text: str) -> None:
    assert run(cmd, "echo", f'"{text}"')["output"] == f'"{text}"'
    assert list(work.iterdir()) == []


@pytest.mark.req("000-no-injection")
@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("set", "PATH=C:\\evil"),
        ("set", '"PATH=C:\\evil"'),
        ("set", "/a PATH=1"),
        ("set", "ComSpec=evil.exe"),
        ("set", "PATHEXT=.evil"),
        ("set", "NoDefaultCurrentDirectoryInExePath="),
        ("curl", "-o pwned file:///etc/hostname"),
        ("podman", "run --rm alpine"),
    ],
)
def test_arguments_cannot_change_what_runs(cmd: WireClient, command: str, args: str) -> None:
    assert run(cmd, command, args)["code"] == "denied"


@pytest.mark.req("000-operators-hidden")
@pytest.mark.parametrize(
    "sign", ["\N{FULLWIDTH AMPERSAND}", "\N{FULLWIDTH VERTICAL LINE}", "\N{FULLWIDTH GREATER-THAN SIGN}"]
)
def test_a_look_alike_never_becomes_an_operator_in_a_code_page(
    cmd: WireClient, work: Path, sign: str
) -> None:
    shown = run(cmd, "echo", f"x {sign} pwned")
    assert shown["output"] == f"x {sign} pwned" if shown["success"] else shown["code"] == "bad_request"
    assert list(work.iterdir()) == []


@pytest.mark.req("000-no-injection")
def test_the_directory_is_no_place_to_look_for_programs(cmd: WireClient) -> None:
    assert run(cmd, "set", "NoDefault")["output"] == "NoDefaultCurrentDirectoryInExePath=1"


@pytest.mark.req("000-plain-words")
@pytest.mark.req("000-cmd-reading-set")
def test_words_that_cmd_does_not_act_on_are_text(cmd: WireClient, work: Path) -> None:
    for text in ("call dir", "start dir", "x,START dir"):
        assert run(cmd, "echo", text)["output"] == text
    assert "system32" in run(cmd, "set", "PATH")["output"].lower()
    assert list(work.iterdir()) == []


@pytest.mark.req("000-long-arguments")
def test_arguments_that_are_too_long_are_refused_with_advice_that_can_be_followed(cmd: WireClient) -> None:
    shown = run(cmd, "echo", "x" * 9000)
    assert (shown["success"], shown["code"]) == (False, "bad_request")
    assert "args is too long: cmd.exe reads no line of more than 8,000 characters" in shown["reason"]
    assert "Give it fewer or shorter arguments" in shown["reason"]


@pytest.mark.req("000-cmd-full-path")
def test_a_program_beside_a_listed_one_does_not_run_in_its_place(cmd: WireClient, work: Path) -> None:
    programs = [work / name for name in ("curl.bat", "findstr.cmd", "podman.com", "find.exe")]
    for program in programs:
        program.write_text("@echo pwned > pwned\r\n")
    try:
        for command in ("curl", "podman"):  # wine has none
            shown = run(cmd, command, "--version")
            assert (shown["success"], shown["code"]) == (False, "not_found")
            assert f"There is no program '{command}' on the PATH of cmd.exe." in shown["reason"]
        (work / "lines").write_text("one\r\ntwo\r\n")
        assert "two" in run(cmd, "find", '"two" lines')["output"]
        run(cmd, "findstr", "two lines")  # wine's prints nothing
        assert not (work / "pwned").exists()
    finally:
        for program in [*programs, work / "lines"]:
            program.unlink(missing_ok=True)


@pytest.mark.req("000-one-shell")
@pytest.mark.req("000-same-shell")
def test_there_is_one_cmd(cmd: WireClient) -> None:
    run(cmd, "echo", "up")
    before = cmd_shells(cmd)
    run(cmd, "dir", "/b")
    run(cmd, "set", "A=1")
    assert cmd_shells(cmd) == before
    assert len(before) == 1
