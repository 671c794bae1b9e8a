"""Secrets by name, through real servers: who gets them, and that they leave nowhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate
from wire_client import WireClient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]

VALUE = "tok-5ecret/Value+9"
RULES = """
[secrets]
TOKEN = {env = "SOURCE"}
[policy]
allow = [{command = "printenv", secrets = ["TOKEN"]}, "test", "base64", "cat"]
"""


def configured(start: Start, directory: Path, settings: str, *options: str, **more: Any) -> WireClient:
    file = directory / "settings.toml"
    file.write_text(settings)
    more.setdefault("env", {"SOURCE": VALUE})
    return start("--shell", "bash", "--config", str(file), *options, cwd=directory, **more)


@pytest.mark.req("secrets-given")
def test_a_secret_is_given_only_where_the_rule_of_every_command_names_it(
    start: Start, tmp_path: Path
) -> None:
    server = configured(start, tmp_path, RULES)
    assert server.shell("printenv TOKEN")["stdout"] == "*" * len(VALUE) + "\n"
    for text in ("printenv TOKEN | cat", "printenv TOKEN; test -n x", 'test -n "${TOKEN-}"'):
        done = server.shell(text)
        assert "*" not in done["stdout"], text
        assert VALUE not in str(done)
    assert server.shell("printenv SOURCE")["stdout"] == ""
    without = server.shell("printenv TOKEN", session="one")
    assert without["stdout"] == ""
    assert "It had no TOKEN: secrets are given to commands without a session only." in without["hints"]


@pytest.mark.req("secrets-given")
def test_without_rules_a_secret_is_given_to_none_or_to_all(start: Start, tmp_path: Path) -> None:
    secrets = '[secrets]\nTOKEN = {env = "SOURCE"}\n'
    server = configured(start, tmp_path, secrets)
    assert server.shell("echo ${#TOKEN} ${#SOURCE}")["stdout"] == "0 0\n"
    server = configured(start, tmp_path, f'secrets_given = "all"\n{secrets}')
    for session in ({}, {"session": "one"}):
        assert server.shell("echo ${#TOKEN}", **session)["stdout"] == f"{len(VALUE)}\n"


@pytest.mark.req("secrets-masked")
def test_a_secret_leaves_by_no_way(start: Start, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    settings = 'secrets_given = "all"\ntools = ["files"]\n[secrets]\nTOKEN = {env = "SOURCE"}\n'
    server = configured(start, tmp_path, settings, "--audit-log", str(audit), "-v")
    for session in ({}, {"session": "one"}):
        for text in (
            "echo $TOKEN",
            "echo $TOKEN >&2; false",
            "printf %s $TOKEN | base64",
            "printf u:%s $TOKEN | base64",
            "for i in $(seq 40); do printf '%s ' $TOKEN; done",
            "yes $TOKEN | head -c 300000",
        ):
            reply = server.call("shell", command=text, **session)
            assert VALUE not in str(reply), text
            assert "dG9rLTV" not in str(reply), text
    left = server.call("shell", command="exec -a name-$TOKEN sleep 30 &")
    assert VALUE not in str(left)
    server.shell("echo $TOKEN > file; seq 5 >> file")
    assert VALUE not in str(server.call("read_file", path="file"))
    for offset in range(0, 12, 3):
        assert VALUE[8:] not in str(server.call("read_file", path="file", offset=offset, unit="bytes"))
    server.call("shell", command=f"echo {VALUE}")
    (tmp_path / VALUE).mkdir(parents=True)
    assert VALUE not in str(server.call("shell", command="pwd", working_directory=VALUE)["content"])
    server.hang_up()
    assert server.wait() == 0
    while server.hear_stderr():
        pass
    assert VALUE.encode() not in server.stderr
    assert VALUE not in audit.read_text()
    assert VALUE in (tmp_path / "file").read_text()


@pytest.mark.req("secrets-given")
@pytest.mark.req("secrets-masked")
@pytest.mark.parametrize("kind", ["file", "command"])
def test_a_secret_comes_from_a_file_or_a_program(start: Start, tmp_path: Path, kind: str) -> None:
    source = tmp_path / "token"
    source.write_text(f"{VALUE}\n")
    origin = str(source) if kind == "file" else f"cat {source}"
    settings = f'secrets_given = "all"\n[secrets]\nTOKEN = {{{kind} = "{origin}"}}\n'
    server = configured(start, tmp_path, settings)
    assert server.shell("echo ${#TOKEN} $TOKEN")["stdout"] == f"{len(VALUE)} {'*' * len(VALUE)}\n"


@pytest.mark.req("secrets-fail-closed")
@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ('[secrets]\nTOKEN = {env = "NOT_THERE"}', "has no NOT_THERE"),
        ('[secrets]\nTOKEN = {file = "/not/there"}', "/not/there cannot be read"),
        ('[secrets]\nTOKEN = {command = "false"}', "`false` failed: exit code 1"),
        ('[secrets]\nTOKEN = {command = "not-a-program"}', "`not-a-program` failed"),
        ('[secrets]\nTOKEN = {env = "SHORT"}', "fewer than 8 characters"),
        (f'[secrets]\nTOKEN = "{VALUE}"', 'must be {env = "…"}'),
        (f'[secrets]\nTOKEN = {{value = "{VALUE}"}}', 'must be {env = "…"}'),
        ("[secrets]\nTOKEN = {}", 'must be {env = "…"}'),
        ('[secrets]\n"A B" = {env = "SOURCE"}', "must have the name of a variable"),
        ('[policy]\nallow = [{command = "ls", secrets = ["OTHER"]}]', "names the secret OTHER"),
        ('[policy]\ndeny = [{command = "ls", secrets = ["TOKEN"]}]', "gets no 'secrets'"),
    ],
)
def test_a_secret_that_is_not_to_be_had_ends_the_start(
    start: Start, tmp_path: Path, settings: str, complaint: str
) -> None:
    if "OTHER" in settings or "deny" in settings:
        settings = f'[secrets]\nTOKEN = {{env = "SOURCE"}}\n{settings}'
    server = configured(start, tmp_path, f"{settings}\n", greet=False, env={"SOURCE": VALUE, "SHORT": "abc"})
    assert server.wait() == 2
    server.wait_for_log(complaint)
    assert VALUE.encode() not in server.stderr


@pytest.mark.req("secrets-given")
@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_secret_is_in_no_argument_of_a_process(start: Start, tmp_path: Path) -> None:
    (tmp_path / "needle").write_text(VALUE)
    server = configured(start, tmp_path, RULES.replace("printenv", "grep"))
    assert server.shell("grep -csFf needle /proc/self/environ")["stdout"] == "1\n"
    assert server.shell("grep -lsFf needle /proc/[0-9]*/cmdline")["stdout"] == ""


@pytest.mark.req("secrets-masked")
def test_a_job_shows_no_half_of_a_secret_however_its_output_is_cut(start: Start, tmp_path: Path) -> None:
    settings = 'secrets_given = "all"\n[secrets]\nTOKEN = {env = "SOURCE"}\n'
    server = configured(start, tmp_path, settings)
    gate = Gate(tmp_path)
    halves = f"printf %s ${{TOKEN:0:9}}; read x < {gate.path}; printf '%s\\n' ${{TOKEN:9}}; echo end"
    job = server.call("shell", command=halves, background=True)["structuredContent"]["job"]
    reply = str(server.call("job", action="wait", id=job, until=r"\*{9}", seconds=30))
    gate.open()
    reply += str(server.call("job", action="wait", id=job))
    assert "end" in reply
    assert VALUE[:9] not in reply
    assert VALUE[9:] not in reply
    read = str(server.call("output", id=job, offset=9))
    assert VALUE[9:] not in read
