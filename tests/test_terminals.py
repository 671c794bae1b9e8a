"""Commands on a terminal: real programs, their screens, keys by name."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from process_table import keeper_of
from test_sdk_comparison import CAPABILITIES, SDK_ONLY
from wire_client import HANDSHAKE, MODERN, text_of

from nacre.errors import RequestError
from nacre.jobs.keys import bytes_of
from nacre.jobs.screen import Screen, changes_between

if TYPE_CHECKING:
    from collections.abc import Callable

    from wire_client import WireClient

    Start = Callable[..., WireClient]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its programs are those of Linux and macOS")


class Terminal:
    """A job on a terminal."""

    def __init__(self, server: WireClient, command: str, **more: Any) -> None:
        self.server = server
        result = server.call("shell", command=command, terminal=True, **more)
        assert result["isError"] is False, result
        self.id = result["structuredContent"]["job"]

    def do(self, action: str, **more: Any) -> dict[str, Any]:
        result = self.server.call("job", action=action, id=self.id, **more)
        assert result["isError"] is False, result
        return result["structuredContent"]

    def until(self, shown: str, action: str = "wait", **more: Any) -> list[str]:
        """Do something, and wait until the screen shows a text; its lines."""
        if action == "send":
            self.do("send", **more)
        lines: list[str] = []
        for _ in range(100):
            lines = self.do("screen")["screen"]["lines"]
            if any(shown in line for line in lines):
                return lines
            self.do("wait", silence=0.05, seconds=2)
        raise AssertionError(f"the screen never shows {shown!r}: {lines}")

    def end(self) -> dict[str, Any]:
        return self.do("wait")


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed")


@pytest.mark.req("terminal-programs")
def test_vim_edits_a_file(server: WireClient, tmp_path: Path) -> None:
    needs("vim")
    (file := tmp_path / "file.txt").write_text("one\ntwo\nthree\n")
    vim = Terminal(server, "vim -u NONE -i NONE file.txt", working_directory=str(tmp_path))
    vim.until("three")
    assert vim.do("screen")["screen"]["alternate"] is True
    vim.until("two and more", "send", text="jA and more", keys="esc")
    vim.until("four", "send", text="Gofour", keys="esc")
    vim.do("send", text=":wq", keys="enter")
    assert vim.end()["exit_code"] == 0
    assert file.read_text() == "one\ntwo and more\nthree\nfour\n"


@pytest.mark.req("terminal-programs")
def test_less_pages_and_searches(server: WireClient, tmp_path: Path) -> None:
    needs("less")
    (tmp_path / "long").write_text("".join(f"line {number}\n" for number in range(1, 501)))
    less = Terminal(server, "less long", working_directory=str(tmp_path))
    assert less.until("line 23")[0] == "line 1"
    less.until("line 40", "send", keys="space")
    less.until("line 333", "send", text="/333", keys="enter")
    less.do("send", text="q")
    assert less.end()["exit_code"] == 0


@pytest.mark.req("terminal-programs")
def test_top_shows_processes_and_ends(server: WireClient) -> None:
    needs("top")
    top = Terminal(server, "top")
    top.until("PID")
    top.do("send", text="q")
    assert top.end()["exit_code"] == 0


@pytest.mark.req("terminal-programs")
@pytest.mark.parametrize(
    ("program", "prompt", "line", "leave"),
    [
        ("python3", ">>>", "6 * 7", {"eof": True}),
        ("node", ">", "6 * 7", {"text": ".exit", "keys": "enter"}),
        ("PS1='ready: ' bash --norc -i", "ready:", "echo $((6 * 7))", {"eof": True}),
    ],
)
def test_an_interpreter_reads_and_answers(
    server: WireClient, program: str, prompt: str, line: str, leave: dict[str, Any]
) -> None:
    answer = "42"
    needs(program.split()[-3] if " " in program else program)
    repl = Terminal(server, program)
    repl.until(prompt)
    lines = repl.until(answer, "send", text=line, keys="enter")
    assert any(shown.strip() == answer for shown in lines)
    repl.do("send", **leave)
    assert repl.end()["state"] == "ended"


@pytest.mark.req("terminal-programs")
def test_git_add_patch_is_answered(server: WireClient, tmp_path: Path) -> None:
    needs("git")
    setup = (
        "git init -q . && git config user.email a@b && git config user.name n && echo one > f &&"
        " git add f && git commit -qm one && echo two >> f"
    )
    assert server.shell(setup, working_directory=str(tmp_path))["exit_code"] == 0
    git = Terminal(server, "git add -p", working_directory=str(tmp_path))
    git.until("Stage this hunk")
    git.do("send", text="y", keys="enter")
    assert git.end()["exit_code"] == 0
    staged = server.shell("git diff --cached --name-only", working_directory=str(tmp_path))
    assert staged["stdout"] == "f\n"


@pytest.mark.req("terminal-programs")
def test_prompts_for_a_password_and_for_yes_or_no_are_answered(server: WireClient) -> None:
    script = "read -rsp 'Password: ' p; echo; read -rp 'Continue (yes/no)? ' y; echo \"${#p} $y\""
    asked = Terminal(server, script)
    reply = asked.do("wait", for_input=True)
    assert (reply["reason"], reply["screen"]["lines"][-1]) == ("input", "Password:")
    lines = asked.until("Continue (yes/no)?", "send", text="s3cret", keys="enter")
    assert not any("s3cret" in line for line in lines)
    asked.do("send", text="yes", keys="enter")
    end = asked.end()
    assert (end["exit_code"], asked.until("6 yes")[-1]) == (0, "6 yes")


@pytest.mark.req("terminal-scrollback")
def test_what_has_scrolled_away_can_be_read(server: WireClient) -> None:
    job = Terminal(server, "seq -f 'line %g' 100; cat")
    job.until("line 100")
    screen = job.do("screen", rows=30)["screen"]
    assert screen["lines"][0] == f"line {101 - len(screen['lines'])}"
    above = [f"line {number}" for number in range(1, 101 - len(screen["lines"]))]
    assert screen["scrollback"] == above[-6:]
    assert job.do("screen", rows=500)["screen"]["scrollback"] == above
    assert "scrollback" not in job.do("screen")["screen"]
    job.do("end")


@pytest.mark.req("terminal-programs")
def test_ctrl_c_interrupts_what_runs_on_the_terminal(server: WireClient) -> None:
    job = Terminal(server, "trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.05; done")
    job.until("ready")
    job.do("send", keys="ctrl-c")
    assert job.end()["exit_code"] == 7


# -- the screen


@pytest.mark.req("terminal-screen")
def test_again_only_what_changed_is_shown_with_cursor_and_title(server: WireClient) -> None:
    command = r"printf '\033]2;A title\007'; seq 10; read x; printf '\033[3;1Hthree'; read x"
    job = Terminal(server, command)
    job.until("10")
    first = job.do("screen")["screen"]
    assert (first["title"], first["lines"][2], first["cursor"]) == ("A title", "3", [11, 1])
    job.do("send", keys="enter")
    job.until("three")
    last = job.do("send", keys="enter", seconds=30)["screen"]
    assert "lines" not in last
    assert set(last["changed"].values()) <= {""}


LINES = st.lists(st.sampled_from(["", "one", "two", "three"]), max_size=6).map(tuple)


@pytest.mark.req("terminal-screen")
@given(LINES, LINES)
def test_what_has_changed_makes_of_one_screen_the_next(then: tuple[str, ...], now: tuple[str, ...]) -> None:
    rows = 6
    changes = changes_between(then, now, rows)
    moved = [*then, *[""] * rows][changes.moved_up :][:rows]
    drawn = [changes.lines.get(row, line) for row, line in enumerate(moved, start=1)]
    assert drawn == [*now, *[""] * (rows - len(now))]


@pytest.mark.req("terminal-screen")
def test_of_a_screen_that_scrolls_only_the_new_lines_are_shown(server: WireClient) -> None:
    job = Terminal(server, "seq 40; echo ready; read x; echo more; read x")
    job.until("ready")
    screen = job.do("send", text="\n", until="more")["screen"]
    assert "lines" not in screen
    assert screen["moved_up"] in (1, 2), "the line that ends with what was typed, and the one that is printed"
    assert "more" in screen["changed"].values()
    job.do("send", text="\n", seconds=30)


@pytest.mark.req("terminal-screen")
def test_the_size_is_the_usual_one_until_it_is_changed(server: WireClient) -> None:
    job = Terminal(server, "stty size; read x; stty size; tput cols; read x")
    job.until("24 80")
    job.do("resize", rows=40, columns=100)
    job.until("40 100", "send", keys="enter")
    job.do("send", keys="enter")
    assert job.end()["exit_code"] == 0
    bad = server.call("job", action="resize", id=job.id, rows=0)
    assert "A terminal has 1 to 500 rows" in text_of(bad)


@pytest.mark.req("terminal-screen")
def test_after_an_alternate_screen_all_is_as_before() -> None:
    screen = Screen(5, 20)
    screen.feed(b"one\r\ntwo")
    before = screen.view()
    screen.feed(b"\x1b[?1049h\x1b[2J\x1b[Hfull\x1b[>4;2m screen")
    assert (screen.view().lines, screen.view().is_alternate) == (("full screen",), True)
    screen.feed(b"\x1b[?1049l")
    assert screen.view() == before


@pytest.mark.req("terminal-screen")
def test_lines_that_scroll_away_are_counted() -> None:
    screen = Screen(3, 20)
    screen.feed(b"".join(b"%d\r\n" % number for number in range(10)))
    assert (screen.view().lines, screen.view().scrolled_lines) == (("8", "9"), 8)


@pytest.mark.req("terminal-screen")
@given(
    st.lists(
        st.sampled_from(
            [
                b"\x1b[",
                b"?1049",
                b"h",
                b"l",
                b"m",
                b"5;",
                b"A",
                b"J",
                b"x",
                "日".encode(),
                b"\r\n",
                b"\xff",
                b"\x1b]2;t\x07",
            ]
        )
    )
)
@example([b"\x1b[", b"?1049", b"J"])
@example([b"\x1b[?1A"])
def test_no_bytes_break_the_screen(parts: list[bytes]) -> None:
    screen = Screen(4, 10)
    for part in parts:
        screen.feed(part)
    assert len(screen.view().lines) <= 4
    screen.feed(b"\x1bc\x1b[Hgoes on")
    assert screen.view().lines[0].startswith("goes on")


# -- keys


@pytest.mark.req("terminal-keys")
@pytest.mark.parametrize(
    ("names", "sent"),
    [
        ("enter", b"\r"),
        ("ctrl-c ctrl-D", b"\x03\x04"),
        ("up down", b"\x1b[A\x1b[B"),
        ("esc : w q enter", b"\x1b:wq\r"),
        ("alt-x alt-up", b"\x1bx\x1b\x1b[A"),
        ("f1 f5 f12", b"\x1bOP\x1b[15~\x1b[24~"),
    ],
)
def test_keys_send_what_a_terminal_sends(names: str, sent: bytes) -> None:
    assert bytes_of(names) == sent


@pytest.mark.req("terminal-keys")
def test_arrows_have_another_form_and_unknown_keys_are_reported() -> None:
    assert bytes_of("up", application_cursor=True) == b"\x1bOA"
    with pytest.raises(RequestError, match=r"There is no key 'hyper'.*ctrl-x"):
        bytes_of("hyper")


# -- what cannot be


@pytest.mark.req("terminal-policy")
def test_a_shell_on_a_terminal_under_rules_is_sent_whole_lines_that_are_judged(
    start: Start, tmp_path: Path
) -> None:
    (file := tmp_path / "nacre.toml").write_text(
        '[policy]\nallow = [{command = "bash", options = ["-"]}, "echo"]\n'
    )
    server = start("--config", str(file), "--shell", "bash", env={"HOME": str(tmp_path)})
    shell = Terminal(server, "bash")
    shell.do("wait", for_input=True)
    for sent in (
        {"text": "uname\n"},
        {"text": "una"},
        {"text": "echo a \\\n"},
        {"text": "echo !u", "keys": "enter"},
        {"keys": "up enter"},
        {"text": "echo \x12", "keys": "enter"},
    ):
        refused = server.call("job", action="send", id=shell.id, **sent)
        assert refused["isError"] is True, sent
    shell.until("42", "send", text="echo $((6 * 7))", keys="enter")
    shell.do("send", keys="ctrl-d")
    assert shell.end()["state"] == "ended"


@pytest.mark.req("terminal-screen")
def test_a_job_without_a_terminal_has_no_screen_and_no_keys(server: WireClient) -> None:
    job = server.call("shell", command="cat", background=True)["structuredContent"]["job"]
    for arguments in ({"action": "screen"}, {"action": "send", "keys": "up"}, {"action": "resize"}):
        refused = server.call("job", id=job, **arguments)
        assert (refused["isError"], "has no terminal" in text_of(refused)) == (True, True)
    assert server.call("job", action="end", id=job)["isError"] is False


@pytest.mark.req("terminal-programs")
def test_the_variables_of_commands_without_a_terminal_are_not_set_on_one(start: Start) -> None:
    bare = dict.fromkeys(("EDITOR", "VISUAL", "PAGER"), "")
    unset = [word for name in bare for word in ("-u", name)]
    server = start("--shell", "bash", program=["env", *unset, sys.executable, "-m", "nacre"])
    job = Terminal(server, 'echo "<$TERM:$EDITOR:$PAGER>"; tty; echo "that is all"; cat')
    lines = job.until("that is all")
    job.do("end")
    assert lines[0] == "<xterm-256color::>"
    assert lines[1].startswith(os.path.join("/dev", "pts"))


# -- passwords that the person types

ASKS = (
    """python3 -c 'import getpass, hashlib; p = getpass.getpass("Password: ");"""
    """ print(hashlib.sha256(p.encode()).hexdigest()); input("more? ")'"""
)
PASSWORD = "correct horse battery"  # noqa: S105  # nobody's
ELICITING = pytest.mark.parametrize("environment", [{}, SDK_ONLY], ids=["fast path", "SDK"])


def asking_server(start: Start, tmp_path: Path, environment: dict[str, str]) -> WireClient:
    spools = tmp_path / "tmp"
    spools.mkdir()
    options = ("--shell", "bash", "--audit-log", str(tmp_path / "audit"), "--verbose")
    return start(*options, greet=False, env={"TMPDIR": str(spools), **environment})


def traces_of(text: bytes, server: WireClient, tmp_path: Path) -> list[str]:
    """Where a text stands that should stand nowhere: files, arguments, environments, the log."""
    pids = [server.process.pid, keeper_of(server.process.pid)]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    files += [Path(f"/proc/{pid}/{name}") for pid in pids for name in ("cmdline", "environ")]
    found = [str(path) for path in files if text in path.read_bytes()]
    return [*found, *(["stderr"] if text in server.stderr else [])]


@pytest.mark.req("job-password")
@ELICITING
def test_a_password_that_the_person_types_reaches_the_program_and_nobody_else(
    start: Start, tmp_path: Path, environment: dict[str, str]
) -> None:
    server = asking_server(start, tmp_path, environment)
    server.request("initialize", {**HANDSHAKE, "capabilities": {"elicitation": {}}})
    server.notify("notifications/initialized")
    job = Terminal(server, ASKS)
    job.until("Password:")
    asked = server.post_call("job", {"action": "send", "id": job.id, "ask": "The password of the database?"})
    question = server.receive()
    assert question["method"] == "elicitation/create"
    assert question["params"]["message"].startswith(
        "The password of the database?\n\nIt goes to this command"
    )
    typed = {"action": "accept", "content": {"password": PASSWORD}}
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": typed})
    sent = server.answer_to(asked)
    assert sent["result"]["isError"] is False, sent
    digest = hashlib.sha256(PASSWORD.encode()).hexdigest()
    lines = job.until("more?")
    assert (digest in lines, PASSWORD in str(lines)) == (True, False)
    late = server.call("job", action="send", id=job.id, ask="Again?")  # its terminal shows what is typed now
    assert "does not wait for a password" in text_of(late)
    output = server.call("output", id=job.id)
    assert PASSWORD not in str([sent, late, output, server.others])
    assert traces_of(PASSWORD.encode(), server, tmp_path) == []
    assert b"a hidden line, typed by the person" in server.stderr
    job.do("end")


@pytest.mark.req("job-password")
def test_a_client_of_2026_is_asked_for_a_password_by_an_answer(start: Start, tmp_path: Path) -> None:
    server = asking_server(start, tmp_path, {})
    meta: dict[str, Any] = {**MODERN, CAPABILITIES: {"elicitation": {"form": {}}}}
    started = {"command": ASKS, "terminal": True}
    job = server.answer_to(server.post_call("shell", started, meta))["result"]["structuredContent"]["job"]
    wait = {"action": "wait", "id": job, "for_input": True, "seconds": 60}
    server.answer_to(server.post_call("job", wait, meta))
    asking = {"name": "job", "arguments": {"action": "send", "id": job, "ask": "Password?"}, "_meta": meta}
    asked = server.request("tools/call", asking)["result"]
    assert asked["resultType"] == "input_required"
    (key,) = asked["inputRequests"]
    reply = {key: {"action": "accept", "content": {"password": PASSWORD}}}
    again = {**asking, "inputResponses": reply, "requestState": asked["requestState"]}
    assert server.request("tools/call", again)["result"]["isError"] is False
    wait = {"action": "wait", "id": job, "until": hashlib.sha256(PASSWORD.encode()).hexdigest()}
    matched = server.answer_to(server.post_call("job", wait, meta))["result"]["structuredContent"]
    assert (matched["reason"], PASSWORD in str(matched)) == ("matched", False)
    assert traces_of(PASSWORD.encode(), server, tmp_path) == []


@pytest.mark.req("job-password")
def test_no_password_is_asked_for_where_it_could_be_seen(start: Start, tmp_path: Path) -> None:
    plain = start("--shell", "bash")
    job = Terminal(plain, ASKS)
    words = text_of(plain.call("job", action="send", id=job.id, ask="Password?"))
    assert words.startswith("Your client cannot ask the person.")
    server = asking_server(start, tmp_path, {})
    server.request("initialize", {**HANDSHAKE, "capabilities": {"elicitation": {}}})
    server.notify("notifications/initialized")
    for command in ("cat", "bash --norc -i", "stty -echo -icanon; echo raw; cat"):
        shown = Terminal(server, command)
        shown.do("wait", for_input=True, seconds=60)
        words = text_of(server.call("job", action="send", id=shown.id, ask="Password?"))
        assert "does not wait for a password" in words, command
        shown.do("end")
    piped = server.call("shell", command="cat", background=True)["structuredContent"]["job"]
    assert "has no terminal" in text_of(server.call("job", action="send", id=piped, ask="Password?"))
    both = server.call("job", action="send", id=piped, ask="Password?", text="x")
    assert "ask excludes text, keys and eof" in text_of(both)


@pytest.mark.req("job-password")
@pytest.mark.parametrize(
    "reply", [{"action": "decline"}, {"action": "accept", "content": {"password": "a\nb"}}]
)
def test_what_is_no_password_is_not_sent(start: Start, tmp_path: Path, reply: dict[str, Any]) -> None:
    server = asking_server(start, tmp_path, {})
    server.request("initialize", {**HANDSHAKE, "capabilities": {"elicitation": {}}})
    server.notify("notifications/initialized")
    job = Terminal(server, ASKS)
    job.until("Password:")
    asked = server.post_call("job", {"action": "send", "id": job.id, "ask": "Password?"})
    server.send({"jsonrpc": "2.0", "id": server.receive()["id"], "result": reply})
    assert text_of(server.answer_to(asked)["result"]).startswith("The person did not answer.")
    assert job.do("wait", for_input=True)["reason"] == "input"
