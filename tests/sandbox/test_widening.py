"""Asking the person to open what the sandbox has refused, through clients that can ask."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_harness import TestHome, scratch_directory
from wire_client import HANDSHAKE, told_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wire_client import WireClient

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

CAN_ASK: dict[str, Any] = {**HANDSHAKE, "capabilities": {"elicitation": {}}}
ONCE, SESSION, NO = "run once", "allow that to every command until nacre ends", "no"
FILES = {"other/file": "", ".aws/key": "PRIVATE", "project/.git/config": "", "project/.git/hooks/x": ""}
AGAIN = "Run the same command again, and the person is asked."


@pytest.fixture
def home() -> Iterator[TestHome]:
    """A home directory with a secret and a directory beside the workspace."""
    with scratch_directory() as base, TestHome(base, FILES) as made:
        yield made


def start(home: TestHome, settings: str = "") -> WireClient:
    return home.start("workspace", handshake=CAN_ASK, settings=settings)


def ask_for(server: WireClient, command: str, decision: str | None) -> tuple[str, dict[str, Any]]:
    """Run a command about which the person is asked, and answer; the question, and what came of it."""
    identity = server.post_call("shell", {"command": command})
    question = server.receive()
    assert question["method"] == "elicitation/create", question
    accepted = {"action": "accept", "content": {"decision": decision}} if decision else {"action": "cancel"}
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": accepted})
    return question["params"]["message"], told_of(server.answer_to(identity)["result"])


def hint(result: dict[str, Any]) -> str:
    return " ".join(result.get("hints", []))


@pytest.mark.req("sandbox-ask")
def test_what_was_refused_is_asked_about_when_the_same_command_is_run_again(home: TestHome) -> None:
    server, command = start(home), f"echo x > {home.home}/other/file"
    assert AGAIN in hint(server.shell(command))
    question, done = ask_for(server, command, ONCE)
    assert f"to write {home.home}/other/file?" in question
    assert command in question
    assert done["exit_code"] == 0
    assert (home.home / "other" / "file").read_text() == "x\n"


@pytest.mark.req("sandbox-ask")
def test_once_is_for_one_command_and_what_it_printed_stays(home: TestHome) -> None:
    server, command = start(home), f"seq 50000; echo x >> {home.home}/other/file"
    server.shell(command)
    _, done = ask_for(server, command, ONCE)
    assert done["truncated"]
    assert AGAIN in hint(server.shell(command))  # it is asked about anew
    assert "The sandbox (workspace) refused" in hint(server.shell(f"echo y > {home.home}/other/file"))
    assert (home.home / "other" / "file").read_text() == "x\n"
    read = server.call("output", id=done["output_id"], tail=1)
    assert "50000" in str(read)


@pytest.mark.req("sandbox-ask")
def test_for_the_session_is_for_every_command_from_then_on_and_no_other_path(home: TestHome) -> None:
    server, command = start(home), f"echo x > {home.home}/other/file"
    server.shell("sleep 60 & x=kept", session="a")
    server.shell(command)
    assert ask_for(server, command, SESSION)[1]["exit_code"] == 0
    assert server.shell(f"echo y > {home.home}/other/file")["exit_code"] == 0
    assert server.shell(f"echo y > {home.home}/other/file", session="new")["exit_code"] == 0
    assert server.shell(f"echo y > {home.home}/other/new")["exit_code"]
    assert server.shell("echo $x; jobs | wc -l", session="a")["stdout"] == "kept\n1\n"  # nothing was ended
    assert server.shell(f"echo z > {home.home}/other/file", session="a")["exit_code"]  # it stays where it is
    home.end(server)
    assert start(home).shell(command)["exit_code"]  # nothing is remembered


@pytest.mark.req("sandbox-ask")
@pytest.mark.parametrize("decision", [NO, None])
def test_a_no_is_final(home: TestHome, decision: str | None) -> None:
    server, command = start(home), f"echo x > {home.home}/other/file"
    server.shell(command)
    assert ask_for(server, command, decision)[1]["exit_code"]
    for _ in range(2):
        refused = server.shell(command)
        assert refused["exit_code"]
        assert "Only the person can change that." in hint(refused)
    assert (home.home / "other" / "file").read_text() == ""


@pytest.mark.req("sandbox-ask")
def test_secrets_and_protected_files_can_be_asked_for_and_nacres_own_files_cannot(home: TestHome) -> None:
    server = start(home, settings="# settings\n")
    server.shell("cat ~/.aws/key")
    question, done = ask_for(server, "cat ~/.aws/key", ONCE)
    assert "to read the secret .aws?" in question
    assert done["stdout"] == "PRIVATE"
    server.shell("echo x > .git/config")
    question, done = ask_for(server, "echo x > .git/config", SESSION)
    assert "to change the protected .git/config?" in question
    assert done["exit_code"] == 0
    assert server.shell("echo x > .git/hooks/pre-commit")["exit_code"]
    assert server.shell(f"cat {home.base}/settings.toml")["stdout"] == ""
    refused = server.shell(f"echo x > {home.base}/settings.toml")
    assert "Only the person can change that." in hint(refused)


@pytest.mark.req("sandbox-ask")
def test_nobody_is_asked_where_the_client_cannot_or_the_settings_forbid_it(home: TestHome) -> None:
    command = f"echo x > {home.home}/other/file"
    for server in (home.start("workspace"), start(home, settings="sandbox_ask = false\n")):
        for _ in range(2):
            refused = server.shell(command)
            assert refused["exit_code"]
            assert "Only the person can change that." in hint(refused)


@pytest.mark.req("sandbox-ask")
@pytest.mark.req("network-refusals")
def test_a_refused_host_is_asked_about_and_reached_if_the_person_says_so(home: TestHome) -> None:
    server = start(home, 'sandbox_network = ["example.org"]\n')
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        command = (
            "python3 -c \"import socket; s = socket.create_connection(('127.0.0.1', 3128));"
            f" s.send(b'CONNECT 127.0.0.1:{port} HTTP/1.1\\r\\n\\r\\n');"
            ' print(s.recv(99).split()[1].decode())"'
        )
        refused = server.shell(command)
        assert (refused["stdout"], AGAIN in hint(refused)) == ("403\n", True)
        question, done = ask_for(server, command, ONCE)
        assert f"to reach 127.0.0.1:{port}?" in question
        assert done["stdout"] == "200\n"
        assert server.shell("echo done")["stdout"] == "done\n"


@pytest.mark.req("sandbox-start")
def test_a_sandbox_that_has_refused_nothing_loads_neither_rules_nor_questions(home: TestHome) -> None:
    server = home.start("workspace", "-v", PYTHONPROFILEIMPORTTIME="1")
    assert server.shell("echo hi")["stdout"] == "hi\n"
    server.hang_up()
    server.wait()
    while server.hear_stderr():
        pass
    loaded = {line.rpartition("|")[2].strip() for line in server.stderr.decode().splitlines()}
    assert "nacre.places.confined" in loaded
    assert not loaded & {"nacre.gate", "nacre.policy", "nacre.widening", "nacre.sandbox.explain"}
