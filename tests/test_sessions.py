"""Sessions end to end: the tools over stdio, limits, idle time, unknown shells, and the text of dialects."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from process_table import gone, unique_seconds
from session_harness import Harness
from wire_client import MODERN, WireClient, text_of, told_of

from nacre.dialects import Shell, TurnRequest, find_shell, is_known, split_record
from nacre.dialects.posix import BUSYBOX_AS_SH, DIALECT, PLAIN, SHELLS, quote
from nacre.errors import RequestError
from nacre.model import ShellState
from nacre.places.local_files import LOCAL_FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]


# -- over the wire


@pytest.mark.req("000-persistent-shell")
@pytest.mark.req("000-state")
def test_a_client_works_in_a_session(start: Start, tmp_path: Path) -> None:
    client = start("--shell", "bash")
    first = client.shell(f"cd {tmp_path}; X=1; f() {{ echo f; }}", session="work")
    assert first["session"] == {"name": "work", "shell": "new", "note": ""}
    assert first["working_directory"] == str(tmp_path)
    second = client.shell("echo $X; f; pwd", session="work")
    assert second["stdout"] == f"1\nf\n{tmp_path}\n"
    assert client.shell('echo "<$X>"', session="other")["stdout"] == "<>\n"
    assert client.shell("echo $X")["stdout"] == "\n"


@pytest.mark.req("session-tool")
@pytest.mark.req("000-restart")
def test_one_tool_lists_restarts_and_closes(start: Start) -> None:
    client, mark = start("--shell", "bash"), unique_seconds()
    assert text_of(client.call("session", action="list")) == "There are no sessions."
    client.shell(f"X=1; sleep {mark} &", session="a")
    (listed,) = told_of(client.call("session", action="list"))["sessions"]
    assert (listed["name"], listed["state"], listed["shell"], listed["commands"]) == ("a", "idle", "bash", 1)
    restarted = client.call("session", action="restart", name="a")
    assert "was restarted" in text_of(restarted)
    assert gone(mark)
    assert client.shell('echo "<$X>"', session="a")["stdout"] == "<>\n"
    assert "was closed" in text_of(client.call("session", action="close", name="a"))
    refused = client.call("session", action="close", name="a")
    assert refused["isError"]
    assert text_of(refused) == "There is no session 'a'. There are none."
    assert "Missing argument: name" in text_of(client.call("session", action="restart"))
    assert "action must be one of" in text_of(client.call("session", action="explode"))


@pytest.mark.req("000-death")
def test_a_dead_shell_is_an_error_result_that_says_what_happens_next(start: Start) -> None:
    client = start("--shell", "bash")
    result = client.call("shell", command="echo last; exit 3", session="a")
    assert result["isError"]
    data = told_of(result)
    assert (data["ended"], data["exit_code"], data["stdout"]) == ("shell_died", 3, "last\n")
    assert data["session"]["shell"] == "lost"
    assert text_of(result).startswith("The shell of session 'a' ended with code 3 during the command\n")
    again = client.call("shell", command="echo back", session="a")
    assert told_of(again)["session"]["shell"] == "reborn"
    assert "session: A new shell: the one before it ended with code 3." in text_of(again)


@pytest.mark.req("session-timeout")
def test_a_timeout_tells_the_partial_output_and_that_the_shell_lives(start: Start) -> None:
    client = start("--shell", "bash")
    client.shell("X=1", session="a")
    result = client.call("shell", command="echo begun; sleep 60", session="a", timeout=1)
    data = told_of(result)
    assert (data["ended"], data["partial_stdout"], data["timeout_seconds"]) == ("timed_out", "begun\n", 1)
    assert "the shell and its state are kept" in text_of(result)
    assert client.shell("echo $X", session="a")["stdout"] == "1\n"


@pytest.mark.req("session-cancel")
def test_a_cancelled_call_is_not_answered_and_the_session_goes_on(start: Start) -> None:
    client, mark = start("--shell", "bash"), unique_seconds()
    client.shell("X=1", session="a")
    call = client.post_call(
        "shell", {"command": f"echo up; sleep {mark}", "session": "a"}, {"progressToken": 1}
    )
    assert client.receive()["method"] == "notifications/progress"
    client.notify("notifications/cancelled", {"requestId": call})
    assert client.shell("echo $X", session="a")["stdout"] == "1\n"
    assert gone(mark)
    assert call not in [message.get("id") for message in client.others]


@pytest.mark.req("session-stdin")
def test_stdin_can_be_given_to_a_fresh_shell_too(start: Start) -> None:
    client = start("--shell", "bash")
    assert client.shell("cat", stdin="a\nb")["stdout"] == "a\nb"
    assert client.shell("wc -c", stdin="x" * 1_000_000)["stdout"].strip() == "1000000"
    assert client.shell("true", stdin="nobody reads this" * 100_000)["exit_code"] == 0


@pytest.mark.req("000-death")
def test_a_killed_keeper_costs_the_shells_and_nothing_more(start: Start) -> None:
    client = start("--shell", "bash")
    client.shell("cd /usr; X=1", session="a")
    client.call("shell", command="kill -9 $PPID")  # a fresh shell's parent is the keeper
    reply = client.shell("pwd", session="a")
    assert reply["stdout"] == "/usr\n"
    assert reply["session"]["shell"] == "reborn"


@pytest.mark.req("session-busy")
def test_the_rules_judge_a_command_where_its_session_stands(start: Start, tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    client = start("--shell", "bash", "--allow", "cd,echo,pwd", cwd=tmp_path)
    assert client.shell("cd inner", session="a")["working_directory"] == f"{tmp_path}/inner"
    denied = client.call("shell", command="rm -rf .", session="a")
    assert denied["isError"]
    assert "Command 'rm' not allowed" in text_of(denied)
    assert client.shell("pwd", session="a")["stdout"] == f"{tmp_path}/inner\n"


def test_who_relies_on_set_e_in_a_session_is_told(small_harness: Harness) -> None:
    session = small_harness.new()
    assert "`set -e` does not stop" in session("set -e; false; echo reached").note
    assert "`set -e` does not stop" in session("set -o errexit").note
    assert session("echo set; offset -1").note == ""


# -- where commands start


ROOTS = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"roots": {"listChanged": True}},
    "clientInfo": {"name": "tests", "version": "1"},
}


def tell_roots(client: WireClient, *uris: str) -> None:
    asked = client.receive()
    assert asked["method"] == "roots/list"
    roots = [{"uri": uri} for uri in uris]
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": roots}})


@pytest.mark.req("default-directory")
def test_commands_start_in_the_clients_first_root(start: Start, tmp_path: Path) -> None:
    root, other = tmp_path / "the root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    client = start("--shell", "bash", greet=False)
    client.request("initialize", ROOTS)
    client.notify("notifications/initialized")
    call = client.post_call("shell", {"command": "pwd"})  # sent before the roots are known: it waits for them
    tell_roots(client, "https://example.org/", root.as_uri(), other.as_uri())
    assert told_of(client.answer_to(call)["result"])["stdout"] == f"{root}\n"
    assert client.shell("pwd", session="a")["stdout"] == f"{root}\n"
    client.notify("notifications/roots/list_changed")
    tell_roots(client, other.as_uri())
    assert client.shell("pwd")["stdout"] == f"{other}\n"
    assert client.shell("pwd", session="a")["stdout"] == f"{root}\n"


@pytest.mark.req("default-directory")
def test_a_2026_client_is_asked_for_its_roots_in_the_answer_to_its_first_call(
    start: Start, tmp_path: Path
) -> None:
    root = tmp_path / "the root"
    root.mkdir()
    client = start("--shell", "bash", greet=False)
    meta: dict[str, Any] = {**MODERN, "io.modelcontextprotocol/clientCapabilities": {"roots": {}}}
    call: dict[str, Any] = {"name": "shell", "arguments": {"command": "pwd"}, "_meta": meta}
    asked = client.request("tools/call", call)["result"]
    assert asked["resultType"] == "input_required"
    ((key, question),) = asked["inputRequests"].items()
    assert question["method"] == "roots/list"
    answered = {
        "inputResponses": {key: {"roots": [{"uri": root.as_uri()}]}},
        "requestState": asked["requestState"],
    }
    answer = client.request("tools/call", {**call, **answered})["result"]
    assert told_of(answer)["stdout"] == f"{root}\n"
    again = client.request("tools/call", call)["result"]
    assert told_of(again)["stdout"] == f"{root}\n"


@pytest.mark.req("default-directory")
def test_the_command_line_comes_before_the_clients_roots(start: Start, tmp_path: Path) -> None:
    client = start("--shell", "bash", "--working-dir", str(tmp_path), greet=False)
    client.request("initialize", ROOTS)
    client.notify("notifications/initialized")
    assert client.shell("pwd")["stdout"] == f"{tmp_path}\n"
    assert client.others == []


@pytest.mark.req("default-directory")
def test_without_roots_commands_start_where_the_server_does_and_never_in_the_root(
    start: Start, tmp_path: Path
) -> None:
    assert start("--shell", "bash", cwd=tmp_path).shell("pwd")["stdout"] == f"{tmp_path}\n"
    home = tmp_path / "home"
    home.mkdir()
    client = start("--shell", "bash", cwd="/", env={"HOME": str(home)})
    assert client.shell("pwd")["stdout"] == f"{home}\n"


# -- limits


@pytest.fixture
def small_harness() -> Iterator[Harness]:
    harness = Harness("bash", max_sessions=2)
    yield harness
    harness.close()


@pytest.mark.req("session-limits")
def test_there_are_no_more_sessions_than_allowed(small_harness: Harness) -> None:
    first, second, third = (small_harness.new() for _ in range(3))
    first("true")
    second("true")
    with pytest.raises(RequestError, match="2 sessions already") as refused:
        third("true")
    assert refused.value.code == "too_many_sessions"
    assert first.name in refused.value.hint
    first.close()
    assert third("echo in").stdout.text == "in\n"


@pytest.mark.req("session-limits")
def test_an_unused_session_is_closed(small_harness: Harness) -> None:
    session, sessions = small_harness.new(), small_harness.service.sessions
    session("true")
    mark = unique_seconds()
    session(f"sleep {mark} &")
    living = sessions.find(session.name)

    async def let_time_pass() -> None:
        living.used -= small_harness.service.config.session_idle_s + 1
        sessions.close_idle()

    small_harness.do(let_time_pass())
    assert session.name not in [other.name for other in sessions]
    assert gone(mark)


@pytest.mark.req("session-limits")
def test_a_busy_session_is_never_idle(small_harness: Harness) -> None:
    session, sessions = small_harness.new(), small_harness.service.sessions

    async def use() -> None:
        begun = asyncio.Event()
        command = session.command("echo up; sleep 60")
        running = asyncio.create_task(small_harness.service.run(command, lambda _stream, _chunk: begun.set()))
        await begun.wait()
        sessions.find(session.name).used -= small_harness.service.config.session_idle_s + 1
        sessions.close_idle()
        assert sessions.find(session.name).state == "busy"
        running.cancel()
        await asyncio.wait({running})

    small_harness.do(use())


@pytest.mark.req("session-limits")
@pytest.mark.parametrize("name", [" ", "x" * 65, "a\nb"])
def test_a_session_has_a_name_that_can_be_shown(small_harness: Harness, name: str) -> None:
    session = small_harness.new()
    session.name = name
    with pytest.raises(RequestError, match="session must be a name"):
        session("true")


# -- which shell it is


@pytest.mark.req("session-unknown-shell")
def test_an_unknown_shell_that_speaks_posix_is_used(tmp_path: Path, start: Start) -> None:
    (tmp_path / "oursh").symlink_to(shutil.which("dash") or "")
    client = start("--shell", str(tmp_path / "oursh"))
    client.shell("X=1", session="a")
    assert client.shell("echo $X", session="a")["stdout"] == "1\n"


@pytest.mark.req("session-unknown-shell")
def test_what_is_no_shell_is_refused_at_start(start: Start) -> None:
    client = start("--shell", "/bin/cat", greet=False)
    assert client.wait() == 2
    client.read_rest()
    assert b"/bin/cat is not a POSIX shell" in client.stderr


@pytest.mark.parametrize(
    ("name", "real", "variant"),
    [
        ("bash", "bash", SHELLS["bash"]),
        ("sh", "bash", SHELLS["bash"]),
        ("sh", "dash", PLAIN),
        ("sh", "busybox", BUSYBOX_AS_SH),
        ("busybox", "busybox", SHELLS["busybox"]),
        ("ksh", "ksh93", SHELLS["ksh"]),
        ("ksh", "mksh", SHELLS["mksh"]),
        ("oursh", "oursh", PLAIN),
    ],
)
def test_a_shell_is_known_by_its_name_or_by_what_it_links_to(name: str, real: str, variant: object) -> None:
    assert Shell(f"/bin/{name}", DIALECT, name, real).persistent() is variant


# -- the text


@pytest.mark.req("000-marker")
def test_every_command_has_a_marker_of_its_own(
    small_harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, seen = small_harness.new(), list[str]()
    session("true")
    living = small_harness.service.sessions.find(session.name)
    dialect = type(living.dialect)
    plain = dialect.feed

    def feed(self: object, ask: TurnRequest) -> object:
        seen.append(ask.marker)
        return plain(self, ask)  # pyright: ignore[reportArgumentType, reportCallIssue]

    monkeypatch.setattr(dialect, "feed", feed)
    for _ in range(3):
        session("true")
    assert len(set(seen)) == 3
    assert all(re.fullmatch(r"Marker_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", marker) for marker in seen)
    assert all(uuid.UUID(marker.removeprefix("Marker_")).version == 4 for marker in seen)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=50))
def test_a_quoted_text_is_one_word(text: str) -> None:
    quoted = quote(text)
    assert quoted.replace("'\\''", "").count("'") == 2


@pytest.mark.parametrize("record", ["", "x /tmp", "-1 /tmp", "/tmp", " /tmp"])
def test_a_record_that_is_none_is_not_read(record: str) -> None:
    assert split_record(record) is None


@given(st.integers(0, 512), st.text(max_size=20))
def test_a_record_tells_code_and_directory(code: int, directory: str) -> None:
    ending = split_record(f"{code} /{directory}")
    assert ending is not None
    assert (ending.code, ending.directory) == (code, f"/{directory}")


def test_a_session_of_sh_is_whatever_sh_is() -> None:
    harness = Harness("sh")
    try:
        session = harness.new()
        assert session("X=1").shell_state is ShellState.NEW
        assert session("echo $X").stdout.text == "1\n"
    finally:
        harness.close()


def test_shells_are_found_by_name() -> None:
    assert is_known(find_shell("dash", dict(os.environ), LOCAL_FILES))
