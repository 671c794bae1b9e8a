"""Rules in force: a real server with a policy, driven over stdio; the person answers through the client."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import HANDSHAKE, MODERN, NACRE, WireClient, ended_records, text_of

from nacre.errors import Refused
from nacre.gate import Gate, Question
from nacre.model import Command
from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

CAN_ASK: dict[str, Any] = {**HANDSHAKE, "capabilities": {"elicitation": {}}}
MODERN_CAN_ASK: dict[str, Any] = {
    **MODERN,
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}


@pytest.mark.req("policy-patterns")
def test_rules_given_twice_are_all_held_and_an_empty_list_is_refused(start: Start) -> None:
    server = start("--deny", "touch", "--deny", "mkdir,rmdir")
    for name in ("touch", "mkdir", "rmdir"):
        assert f"`{name}" in text_of(server.call("shell", command=f"true; {name} x"))
    refused = nacre("--allow", " ,")
    assert refused.returncode == 2
    assert "argument --allow: it has no pattern" in refused.stderr


def config_file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return str(path)


@pytest.mark.req("policy-every-part")
@pytest.mark.req("policy-denial")
@pytest.mark.req("policy-patterns")
@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "ls; rm x",
        "ls | rm x",
        "ls && $(rm x)",
        "ls `rm x`",
        "if true; then rm x; fi",
        "ls\nrm x",
        "env rm x",
    ],
)
def test_a_command_that_is_not_allowed_is_refused_wherever_it_hides(
    start: Start, tmp_path: Path, command: str
) -> None:
    (tmp_path / "x").touch()
    server = start("--allow", "ls*,echo,true")
    result = server.call("shell", command=command)
    assert result["isError"] is True
    assert "Denied by the policy" in text_of(result)
    assert "Command 'rm' not allowed" in text_of(result)
    assert (tmp_path / "x").exists()
    assert server.shell("ls; echo fine")["exit_code"] == 0


@pytest.mark.req("policy-deny-wins")
def test_deny_beats_allow(start: Start) -> None:
    server = start("--allow", "*", "--deny", "rm*,sudo*")
    assert "Denied" in text_of(server.call("shell", command="rm -f x"))
    assert server.shell("uname")["exit_code"] == 0


@pytest.mark.req("policy-logged")
@pytest.mark.req("audit-log")
def test_attempts_are_logged_and_audited(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    server = start("--allow", "echo", "--audit-log", str(trail))
    server.call("shell", command="rm secret\nrm more")
    server.shell("echo fine", environment={"COLOUR": "blue42"})
    server.hang_up()
    server.wait()
    server.read_rest()
    assert "not run (denied, Denied by the policy" in server.stderr.decode()
    refused, ran = ended_records(trail.read_text())
    assert (refused["command"], refused["ended"], refused["code"]) == (
        "rm secret\nrm more",
        "not run",
        "denied",
    )
    assert (ran["command"], ran["ended"], ran["exit_code"]) == ("echo fine", "exited", 0)
    assert ran["environment"] == ["COLOUR"]
    assert "blue42" not in trail.read_text()
    assert trail.stat().st_mode & 0o777 == 0o600


ASKING = '[policy]\nallow = ["echo", "true"]\nask = ["git push", "touch"]\n'


def answer_question(server: WireClient, action: str, decision: str | None = None) -> dict[str, Any]:
    """Wait for the question and answer it; the question."""
    question = server.receive()
    assert question["method"] == "elicitation/create", question
    content = {"content": {"decision": decision}} if decision else {}
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": action, **content}})
    return question["params"]


@pytest.mark.req("policy-ask")
@pytest.mark.req("policy-remember")
def test_the_person_is_asked_once_or_for_the_session_or_says_no(start: Start, tmp_path: Path) -> None:
    server = start("--config", config_file(tmp_path, ASKING), greet=False)
    server.request("initialize", CAN_ASK)
    server.notify("notifications/initialized")

    call = server.post_call("shell", {"command": "touch a"})
    question = answer_question(server, "accept", "no")
    assert "touch a" in question["message"]
    assert str(tmp_path) in question["message"]
    assert "said no" in text_of(server.answer_to(call)["result"])

    for action in ("decline", "cancel"):
        call = server.post_call("shell", {"command": "touch a"})
        answer_question(server, action)
        assert "said no" in text_of(server.answer_to(call)["result"])
    assert not (tmp_path / "a").exists()

    call = server.post_call("shell", {"command": "touch a"})
    answer_question(server, "accept", "run once")
    assert server.answer_to(call)["result"]["isError"] is False
    assert (tmp_path / "a").exists()

    call = server.post_call("shell", {"command": "touch a"})
    answer_question(server, "accept", "allow this exact command for this session")
    assert server.answer_to(call)["result"]["isError"] is False
    assert server.shell("touch a")["exit_code"] == 0  # not asked again

    call = server.post_call("shell", {"command": "touch a b"})  # another command: asked
    answer_question(server, "accept", "no")
    server.answer_to(call)


@pytest.mark.req("policy-cannot-ask")
def test_a_client_that_cannot_ask_is_refused_with_a_hint(start: Start, tmp_path: Path) -> None:
    server = start("--config", config_file(tmp_path, ASKING))
    result = server.call("shell", command="touch a")
    assert result["isError"] is True
    assert "cannot do" in text_of(result)
    assert "[policy] allow" in text_of(result)
    assert not (tmp_path / "a").exists()


@pytest.mark.req("policy-ask")
def test_a_client_of_2026_asks_in_a_round_of_its_own(start: Start, tmp_path: Path) -> None:
    server = start("--config", config_file(tmp_path, ASKING), greet=False)
    params: dict[str, Any] = {"name": "shell", "arguments": {"command": "touch a"}, "_meta": MODERN_CAN_ASK}
    first = server.request("tools/call", params)["result"]
    assert first["resultType"] == "input_required"
    (key,) = first["inputRequests"]
    assert "touch a" in first["inputRequests"][key]["params"]["message"]
    assert not (tmp_path / "a").exists()
    reply = {"action": "accept", "content": {"decision": "run once"}}
    again = {**params, "inputResponses": {key: reply}, "requestState": first["requestState"]}
    assert server.request("tools/call", again)["result"]["isError"] is False
    assert (tmp_path / "a").exists()
    # An answer to a question that was never asked is none.
    forged = {**params, "inputResponses": {key: reply}}
    assert server.request("tools/call", forged)["result"]["resultType"] == "input_required"
    # The answer belongs to that command: with another one it is worth nothing.
    other = {**again, "arguments": {"command": "touch b"}}
    assert "error" in server.request("tools/call", other)
    assert not (tmp_path / "b").exists()


@pytest.mark.req("policy-environment")
def test_the_environment_argument_is_no_way_around_the_rules(start: Start) -> None:
    server = start("--allow", "echo")
    result = server.call("shell", command="echo hi", environment={"PYTHONPATH": "/tmp/evil"})
    assert "environment.PYTHONPATH: the variable PYTHONPATH changes what runs" in text_of(result)
    assert server.shell("echo hi", environment={"NO_COLOR": "1"})["exit_code"] == 0


@pytest.mark.req("policy-environment")
@pytest.mark.parametrize("name", ["PATH", "BASH_ENV", "IFS", "LD_PRELOAD", "BASH_FUNC_ls%%", "A__z"])
def test_any_rule_keeps_the_environment_argument_from_changing_what_runs(start: Start, name: str) -> None:
    server = start("--deny", "rm")
    said = text_of(server.call("shell", command="ls", environment={name: "/tmp"}))
    assert re.match(rf"(Denied by the policy: )?environment\.{name}.* changes what .*runs", said), said


@pytest.mark.req("policy-environment")
def test_some_values_of_the_environment_argument_are_refused_where_others_are_not(start: Start) -> None:
    server = start("--allow", "echo", "--allow", "make")
    for name, value in (
        ("LC_ALL", "zh_TW.BIG5"),
        ("VERSION", "$(shell touch x)"),
        ("ASAN_OPTIONS", "log_path=x"),
    ):
        result = server.call("shell", command="echo hi", environment={name: value})
        assert f"environment.{name}: " in text_of(result)
    plain = {"LC_ALL": "C.UTF-8", "VERSION": "1.2", "ASAN_OPTIONS": "detect_leaks=0"}
    assert server.shell("echo hi", environment=plain)["exit_code"] == 0


@pytest.mark.req("policy-variables")
def test_a_variable_that_nobody_knows_is_refused_in_the_environment_until_a_person_names_it(
    start: Start, tmp_path: Path
) -> None:
    rules = '[policy]\nallow = ["echo", "git log"]\n'
    given = {"APP_PLUGIN": "/tmp/x"}
    server = start("--config", config_file(tmp_path, rules))
    refused = text_of(server.call("shell", command="echo fine", environment=given))
    assert "environment.APP_PLUGIN: the variable APP_PLUGIN is not known to be harmless" in refused
    line = re.search(r"allowed_variables = \[.*?\]", refused)
    assert line is not None
    server = start("--config", config_file(tmp_path, rules + line.group()))
    assert server.shell("echo fine", environment=given)["exit_code"] == 0


@pytest.mark.req("policy-variables")
def test_a_variable_that_programs_see_keeps_to_the_rules_in_later_commands(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was inherited, and what an earlier command of the session has exported, is seen by programs."""
    monkeypatch.setenv("INHERITED", "1")
    server = start("--config", config_file(tmp_path, '[policy]\nallow = ["echo", "git log", "export"]\n'))
    for text in ("INHERITED=/tmp/x", "LOG_LEVEL=/tmp/x; export LOG_LEVEL", "export LOG_LEVEL=/tmp/x"):
        assert "is not known to be harmless" in text_of(server.call("shell", command=text, session="a"))
    assert server.shell("OTHER=/tmp/x; LOG_LEVEL=/tmp/x; echo $OTHER", session="a")["exit_code"] == 0
    assert server.shell("export LOG_LEVEL=debug", session="a")["exit_code"] == 0
    again = server.call("shell", command="LOG_LEVEL=/tmp/x", session="a")
    assert "this value of LOG_LEVEL is not known to be harmless" in text_of(again)


@pytest.mark.req("policy-session-state")
def test_a_session_whose_directory_was_moved_is_not_judged_for_where_it_was(
    start: Start, tmp_path: Path
) -> None:
    """Its shell stays in the directory, so that `..` leads elsewhere."""
    inside = tmp_path / "inside"
    (inside / "a" / "b").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret\n")
    rules = f'[policy]\nallow = ["cat", "mv", "mkdir"]\nallowed_directories = ["{inside}"]\n'
    server = start("--shell", "bash", "--config", config_file(tmp_path, rules), cwd=inside)
    assert server.shell("cd a/b", session="s")["exit_code"] == 0
    assert server.shell("mv a/b c")["exit_code"] == 0
    assert "does not exist" in text_of(server.call("shell", command="cat ../../secret", session="s"))
    assert server.shell("mkdir a/b")["exit_code"] == 0
    again = server.shell("cat ../../secret", session="s")
    assert (again["exit_code"], again["stdout"]) == (1, "")


@pytest.mark.req("policy-input")
def test_what_a_call_gives_to_read_is_looked_at_for_denied_commands(start: Start, tmp_path: Path) -> None:
    server = start("--config", config_file(tmp_path, '[policy]\ndeny = ["rm"]\n'), cwd=tmp_path)
    for command in ("python3", "python3 -", "sqlite3 x.db", "ed x"):
        given = text_of(server.call("shell", command=command, stdin="!rm x\n"))
        assert "(rule: rm)" in given, command
    assert server.shell("python3", stdin="print(5)\n")["stdout"] == "5\n"
    own = text_of(server.call("shell", command="python3", stdin=f"open('{tmp_path}/config.toml', 'w')\n"))
    assert "own files" in own


@pytest.mark.req("policy-session-state")
def test_a_function_of_an_earlier_command_counts_in_later_ones(start: Start, tmp_path: Path) -> None:
    server = start("--config", config_file(tmp_path, '[policy]\nallow = ["echo", "find", "mine"]\n'))
    later = 'x=a; mine; find . -name x "$x"'
    before = text_of(server.call("shell", command=later.replace("mine", "echo"), session="a"))
    assert "only known when it runs" not in before
    assert server.shell("mine() { x=-delete; }", session="a")["exit_code"] == 0
    assert "only known when it runs" in text_of(server.call("shell", command=later, session="a"))


@pytest.mark.req("policy-ask")
@pytest.mark.req("policy-remember")
def test_a_question_shows_variables_and_input_and_a_yes_is_for_them_alone(
    start: Start, tmp_path: Path
) -> None:
    rules = ASKING + 'allowed_variables = ["COLOUR"]\n'
    server = start("--config", config_file(tmp_path, rules), greet=False)
    server.request("initialize", CAN_ASK)
    server.notify("notifications/initialized")
    arguments = {"command": "touch a", "environment": {"COLOUR": "blue\x1b[2K"}, "stdin": "some text\n"}

    call = server.post_call("shell", arguments)
    question = answer_question(server, "accept", "allow this exact command for this session")
    assert "COLOUR=blue\\x1b[2K" in question["message"]
    assert "It reads 10 characters:\nsome text\n" in question["message"]
    assert server.answer_to(call)["result"]["isError"] is False
    assert server.call("shell", **arguments)["isError"] is False  # not asked again

    others: list[dict[str, Any]] = [{"environment": {"COLOUR": "red"}}, {"stdin": "x"}, {"environment": {}}]
    for changed in others:
        call = server.post_call("shell", {**arguments, **changed})
        answer_question(server, "accept", "no")
        assert "said no" in text_of(server.answer_to(call)["result"])

    call = server.post_call("shell", {"command": 'touch "x$COLOUR"', "environment": {"COLOUR": "blue"}})
    question = answer_question(server, "accept", "no")  # its words are not all known: only this once
    assert "session" not in str(question["requestedSchema"])
    server.answer_to(call)


@pytest.mark.req("policy-ask")
def test_nothing_of_a_question_is_hidden_from_the_person() -> None:
    def asked(command: str, directory: str = "/srv", environment: dict[str, str] | None = None) -> str:
        return Question(command, directory, "why", rememberable=False, environment=environment or {}).text

    for char in "\u202e\u2066\u200b\u2028\u00a0\U000e0041\x85":
        assert char not in asked(f"rm 'a{char}b'", f"/srv/{char}", {"A": char})
        assert f"a\\x{ord(char):02x}b" in asked(f"rm 'a{char}b'")
    assert asked("ls", "/srv\n\nMay ls run?").startswith(
        "May this command run in /srv\\x0a\\x0aMay ls run??\n\nls\n"
    )
    assert "A=x\\x0a(it is harmless)" in asked("ls", environment={"A": "x\n(it is harmless)"})
    assert "ls; [400 blanks] rm x" in asked(f"ls;{' ' * 400}rm x")
    assert "ls [30 blanks] rm x" in asked("ls" + "\n" * 30 + "rm x")
    plain = "cat <<'EOF'\n\tgrüße 世界\n\n    x\nEOF"
    assert plain in asked(plain)


@pytest.mark.req("policy-bounded")
def test_a_ping_is_answered_while_a_long_text_is_judged(start: Start) -> None:
    server = start("--allow", "ls")
    call = server.post_call("shell", {"command": "ls " + "'a'\"b\" " * 9_900 + "; rm x"})
    ping = server.post("ping")
    assert server.receive()["id"] == ping
    assert "Command 'rm' not allowed" in text_of(server.answer_to(call)["result"])
    result = server.call("shell", command="ls " + "a " * 400_000)
    assert "more than 10000 words" in text_of(result)
    assert "Run it as several commands" in text_of(result)


@pytest.mark.req("policy-input")
def test_a_program_that_takes_commands_from_its_input_is_not_given_any(start: Start) -> None:
    server = start("--allow", "sqlite3,cat")
    result = server.call("shell", command="sqlite3 x.db", stdin=".shell id\n")
    assert "takes commands from its input" in text_of(result)
    assert server.shell("cat", stdin=".shell id\n")["stdout"] == ".shell id\n"


@pytest.mark.req("policy-input")
def test_what_a_shell_reads_on_stdin_passes_the_same_gate(start: Start, tmp_path: Path) -> None:
    (tmp_path / "x").touch()
    server = start("--deny", "rm*")
    for shell in ("bash", "sh -s", "/bin/dash", "env bash"):
        result = server.call("shell", command=shell, stdin="echo hi; rm x\n")
        assert "Denied by the policy `rm x`" in text_of(result), shell
    assert (tmp_path / "x").exists()
    harmless = server.call("shell", command="bash", stdin="echo fine\n")
    assert "a shell that reads commands from its input" in text_of(harmless)  # the person is to be asked
    assert server.shell("cat", stdin="rm is only text here\n")["stdout"] == "rm is only text here\n"


@pytest.mark.req("policy-directories")
@pytest.mark.req("policy-blocked")
@pytest.mark.req("settings-file")
def test_the_table_of_specification_004_is_in_force(start: Start, tmp_path: Path) -> None:
    inside = tmp_path / "project"
    inside.mkdir()
    (tmp_path / "project-secret").mkdir()
    text = f"""
[shell_tool]
default_timeout = 5
max_timeout = 20
max_output_size = "10MB"
allowed_directories = ["{inside}"]
blocked_commands = ["rm -rf", "format", "dd"]
log_commands = true
"""
    server = start("--config", config_file(tmp_path, text), "--working-dir", str(inside))
    timeout = server.request("tools/list")["result"]["tools"][0]["inputSchema"]["properties"]["timeout"]
    assert (timeout["default"], timeout["maximum"]) == (5, 20)
    assert server.shell("echo hi > new; cat new")["stdout"] == "hi\n"
    for command in ("rm -rf x", "rm -r -f x", "dd if=/dev/zero of=x"):
        assert "Denied" in text_of(server.call("shell", command=command))
    for command in ("cat ../project-secret/x", "cat /etc/passwd", "echo x > ../outside"):
        assert "Denied" in text_of(server.call("shell", command=command)), command
    outside = server.call("shell", command="true", working_directory=str(tmp_path / "project-secret"))
    assert "Denied" in text_of(outside)


@pytest.mark.req("policy-allowed-tool")
def test_a_server_with_rules_tells_them(start: Start) -> None:
    server = start("--allow", "ls,git log", "--deny", "rm*")
    names = [tool["name"] for tool in server.request("tools/list")["result"]["tools"]]
    assert names[-1] == "allowed"
    result = server.call("allowed")
    rules = {"allow": ["ls", "git log"], "deny": ["rm*"], "allow_writes": False}
    assert result["structuredContent"] == {**rules, "sandbox": result["structuredContent"]["sandbox"]}
    assert "allow: ls, git log" in text_of(result)


def nacre(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*NACRE, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.req("settings-file")
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("shel = 'x'", "Did you mean shell?"),
        ("timeout = 9999", "The setting timeout must be a whole number of seconds"),
        ("[policy]\nalow = []", "unknown policy setting 'alow'"),
        ("[policy]\nallow = 'ls'", "allow"),
        ("[shell_tool]\ncolour = 1", "Unknown setting: shell_tool.colour"),
        ("not toml", "is not TOML"),
        ('[[policy.allow]]\ncommand = "git push"\nmatch = ["git pull"]', "git pull"),
    ],
)
def test_a_configuration_that_cannot_be_used_ends_with_2_and_a_sentence(
    tmp_path: Path, text: str, complaint: str
) -> None:
    shown = nacre("--config", config_file(tmp_path, text))
    assert shown.returncode == 2
    assert complaint in shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_configuration_that_was_named_must_be_there() -> None:
    assert "does not exist: /no/such.toml" in nacre("--config", "/no/such.toml").stderr


@pytest.mark.req("policy-cli")
def test_explain_shows_what_would_run_and_underlines_the_part() -> None:
    done = nacre("policy", "explain", "ls; rm -rf /x", "--allow", "ls")
    shown = done.stdout
    assert done.returncode == 1
    assert shown.startswith("DENY  Command 'rm' not allowed\n")
    assert "  ls; rm -rf /x\n      ^^^^^^^^^\n" in shown
    assert "hint: allowed here: ls" in shown
    assert shown.splitlines()[-1].endswith("config.toml (not there), --allow")
    assert nacre("policy", "explain", "ls", "--allow", "ls").returncode == 0
    assert nacre("policy", "explain", "ls", "--config", "/no/such").returncode == 2


@pytest.mark.req("policy-cli")
def test_explain_without_rules_says_so_and_shows_what_rules_would_see(tmp_path: Path) -> None:
    done = nacre("policy", "explain", "ls | env wc -l; eval x", "--config", config_file(tmp_path, ""))
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["ALLOW  There are no rules: every command is allowed.", "with rules, it would see:"]
    assert lines[2:4] == ["  ls", "  wc -l  (through env)"]
    assert "`eval` runs text" in lines[4]
    assert lines[-1].startswith(f"policy: {tmp_path}")
    assert nacre("policy", "explain", "ls \x1b[2K", "--config", config_file(tmp_path, "")).returncode == 1


@pytest.mark.req("policy-cli")
def test_test_prints_the_figures_last_and_fails_when_a_case_does(tmp_path: Path) -> None:
    case: dict[str, Any] = {
        "id": "1",
        "family": "f",
        "shell": "bash",
        "policy": {"allow": ["ls"], "deny": []},
        "why": "",
    }
    good = {**case, "command": "ls", "expect": "allow"}
    bad = {**case, "id": "2", "command": "ls", "expect": "deny"}
    corpus = tmp_path / "c.jsonl"
    corpus.write_text(json.dumps(good))
    done = nacre("policy", "test", str(corpus))
    assert (done.returncode, done.stdout) == (0, "false_allow=0 false_deny=0 passed=1 total=1\n")
    strict = {**case, "id": "3", "command": "rm", "expect": "allow"}
    corpus.write_text("\n".join(map(json.dumps, (good, strict, bad))))
    done = nacre("policy", "test", str(corpus))
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0].strip() for line in lines[:4]] == [
        *("false allow (it would have run)", "2 (f)", "false deny (it should have run)", "3 (f)"),
    ]
    assert lines[-1] == "false_allow=1 false_deny=1 passed=1 total=3"
    assert nacre("policy", "test", "/no/such").returncode == 2


@pytest.mark.req("policy-cli")
def test_learn_proposes_rules_that_allow_what_was_run(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    server = start("--audit-log", str(trail))
    for command in ("echo one", "echo two; uname -a", "ls | head -3"):
        server.shell(command)
    server.hang_up()
    server.wait()
    proposed = nacre("policy", "learn", str(trail)).stdout
    config = config_file(tmp_path, proposed)
    assert "echo" in nacre("policy", "list", "--config", config).stdout
    for command in ("echo one", "echo two; uname -a", "ls | head -3"):
        assert nacre("policy", "explain", command, "--config", config).stdout.startswith("ALLOW")
    assert nacre("policy", "explain", "rm x", "--config", config).stdout.startswith("DENY")
    assert "not a line of an audit log" in nacre("policy", "learn", __file__).stderr


@pytest.mark.req("policy-cli")
def test_explain_names_the_project_s_file_where_its_rules_decide(tmp_path: Path) -> None:
    project = tmp_path / "nacre.toml"
    project.write_text('[policy]\nallow = ["ls"]\n', encoding="utf-8")
    done = nacre("policy", "explain", "rm x", "--config", config_file(tmp_path, ""), "-w", str(tmp_path))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].endswith(f", {project}")


@pytest.mark.req("policy-cli")
def test_list_tells_which_rules_come_from_a_ready_made_set(tmp_path: Path) -> None:
    text = '[policy]\ninclude = ["git-read"]\nallow = ["make test", "git log"]\n'
    lines = nacre("policy", "list", "--config", config_file(tmp_path, text)).stdout.splitlines()
    assert "allow                make test" in lines
    assert "allow                git log" in lines
    assert "allow                git status  (git-read)" in lines
    assert lines[-1].startswith(f"policy: {tmp_path}")


@pytest.mark.req("policy-cli")
def test_learn_looks_only_at_what_ran_well(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    server = start("--audit-log", str(trail), "--deny", "uname")
    for command in ("echo well", "uname -a", "ls /no/such", "kill -9 $$", "printf x"):
        server.call("shell", command=command)
    server.hang_up()
    server.wait()
    proposed = nacre("policy", "learn", str(trail)).stdout
    assert '"echo"' in proposed
    assert '"uname"' not in proposed
    assert '"ls"' not in proposed
    assert '"kill"' not in proposed
    assert "# not looked at: 3 commands that were refused, cancelled or failed\n" in proposed


@pytest.mark.req("policy-every-part")
def test_rules_are_not_held_without_a_sandbox_in_a_shell_that_the_policy_cannot_read(
    start: Start, tmp_path: Path
) -> None:
    (shell := tmp_path / "oursh").symlink_to("/bin/dash")
    assert start("--shell", str(shell)).shell("echo free")["stdout"] == "free\n"
    ruled = start("--shell", str(shell), "--allow", "echo", "--sandbox", "off", greet=False)
    assert ruled.read_rest() == []
    assert ruled.wait() == 2
    assert b"oursh: rules cannot be enforced" in ruled.stderr


@pytest.mark.req("policy-every-part")
def test_the_root_that_a_client_names_is_the_project() -> None:
    rules = replace(
        Policy.from_lists(["cp"], allow_writes=True), files=LOCAL_FILES, start_directory="/srv/elsewhere"
    )
    gate, command = Gate(rules, "bash"), Command("cp a b", "/usr/src/app", 5)
    with pytest.raises(Refused):
        asyncio.run(gate.admit(command, None))
    gate.start_in("/usr/src/app")
    assert asyncio.run(gate.admit(command, None)).rule == "cp"
