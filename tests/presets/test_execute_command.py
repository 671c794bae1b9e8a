"""The preset `execute-command`: specification 002, driven by the document's own lines and command line."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate, gone, unique_seconds
from wire_client import HANDSHAKE, MODERN, NACRE, WireClient, text_of

from nacre import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

SERVER_SHELL = ("server", "shell")
PLAIN = {"NACRE_PLAIN_SDK": "1"}
PAGE = Path(__file__).parents[2] / "docs" / "presets" / "execute-command.md"
DENIED = "Command denied by security policy"
HELP = """\
Start an MCP server for shell command execution

Usage: mcpz server shell [OPTIONS]

Options:
  -w, --working-dir <PATH>      Working directory for command execution
                                [default: current directory]
  -t, --timeout <SECONDS>       Command execution timeout in seconds
                                [default: 30]
  -s, --shell <PATH>            Shell to use for command execution
                                [default: /bin/sh]
      --allow <PATTERNS>        Only allow commands matching these patterns
                                (comma-separated, supports wildcards)
                                Example: --allow "ls*,cat*,echo*"
      --deny <PATTERNS>         Deny commands matching these patterns
                                (comma-separated, supports wildcards)
                                Example: --deny "rm*,sudo*,chmod*"
      --no-stderr               Suppress stderr in command output
  -v, --verbose                 Enable verbose logging to stderr
  -h, --help                    Print help
"""
SESSION = """\
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"test","version":"1.0"}}}
{"jsonrpc":"2.0","method":"initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"execute_command","arguments":{"command":"echo hello"}}}
"""  # noqa: E501  # as it stands in the document
HELLO: dict[str, Any] = {
    "protocolVersion": "2024-11-05",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "mcpz-shell", "version": __version__},
}
LIST = {
    "tools": [
        {
            "name": "execute_command",
            "description": "Execute a shell command and return its output",
            "inputSchema": {
                "type": "object",
                "properties": {"command": {"type": "string", "description": "Shell command to execute"}},
                "required": ["command"],
            },
        }
    ]
}
SAID_HELLO = {
    "content": [
        {
            "type": "text",
            "text": '{\n  "command": "echo hello",\n  "output": "hello\\n",\n  "return_code": 0\n}',
        }
    ]
}


def nacre(*options: str, lines: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*NACRE, *options], input=lines, capture_output=True, text=True, timeout=60, check=False
    )


def checked_fields(result: dict[str, Any]) -> dict[str, Any]:
    """The three fields of a reply, which has nothing else except what a denial says to programs."""
    (block,) = result["content"]
    fields = json.loads(block["text"])
    assert set(result) - {"content"} == ({"_meta"} if fields["output"] == DENIED else set()), result
    assert list(fields) == ["command", "output", "return_code"]
    return fields


def run(server: WireClient, command: str) -> tuple[str, int]:
    fields = checked_fields(server.call("execute_command", command=command))
    assert fields["command"] == command
    return fields["output"], fields["return_code"]


def both_roads(start: Start, *options: str) -> list[WireClient]:
    return [start(*SERVER_SHELL, *options), start(*SERVER_SHELL, *options, env=PLAIN)]


def log_of(server: WireClient) -> str:
    server.hang_up()
    assert server.wait() == 0
    assert server.read_rest() == []
    return server.stderr.decode()


# -- the conversation of the document


@pytest.mark.req("002-command")
@pytest.mark.req("002-example-session")
@pytest.mark.req("002-initialize")
@pytest.mark.req("002-initialized")
@pytest.mark.req("002-tools-list")
@pytest.mark.req("002-tools-call")
@pytest.mark.parametrize("environment", [{}, PLAIN], ids=["express", "plain SDK"])
def test_the_example_session_line_by_line(start: Start, environment: dict[str, str]) -> None:
    server = start(*SERVER_SHELL, greet=False, env=environment)
    replies: list[dict[str, Any]] = []
    for line in SESSION.splitlines():
        server.send_bytes(line.encode() + b"\n")
        if '"id"' in line:
            replies.append(server.receive())
    assert replies == [
        {"jsonrpc": "2.0", "id": 1, "result": HELLO},
        {"jsonrpc": "2.0", "id": 2, "result": LIST},
        {"jsonrpc": "2.0", "id": 3, "result": SAID_HELLO},
    ]


@pytest.mark.req("002-one-line")
@pytest.mark.req("002-stdout-clean")
@pytest.mark.req("002-empty-lines")
@pytest.mark.req("002-start-line")
def test_the_session_in_one_go_with_empty_lines_and_a_log() -> None:
    session = SESSION.replace("\n", "\n\n\n")
    done = nacre(*SERVER_SHELL, "--verbose", lines="\n" + session)
    assert done.returncode == 0
    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert {message["id"]: message["result"] for message in messages} == {1: HELLO, 2: LIST, 3: SAID_HELLO}
    assert "nacre shell server started\n" in done.stderr


def test_the_preset_by_its_name_is_the_same_server(start: Start) -> None:
    server = start("--preset", "execute-command", greet=False)
    assert server.shake_hands("2024-11-05") == HELLO
    assert server.request("tools/list")["result"] == LIST
    assert run(server, "echo $0") == ("sh\n", 0)


def test_a_client_of_2026_gets_the_same_reply(start: Start) -> None:
    server = start(*SERVER_SHELL, greet=False)
    call = {"name": "execute_command", "arguments": {"command": "echo hello"}, "_meta": MODERN}
    result = server.request("tools/call", call)["result"]
    assert result["content"] == SAID_HELLO["content"]
    assert "isError" not in result
    assert "structuredContent" not in result


@pytest.mark.req("002-tools-call")
def test_the_text_is_what_serde_json_would_write(start: Start) -> None:
    """Two spaces, UTF-8 as it is, short escapes where JSON has them, else four small digits."""
    server = start(*SERVER_SHELL)
    command = "printf 'é€\U0001f41a \"q\" \\\\\\\\ /\\t|\\177'"
    text = server.call("execute_command", command=command)["content"][0]["text"]
    assert text == (
        '{\n  "command": "printf \'é€\U0001f41a \\"q\\" \\\\\\\\\\\\\\\\ /\\\\t|\\\\177\'",\n'
        '  "output": "é€\U0001f41a \\"q\\" \\\\\\\\ /\\t|\\\\x7f",\n  "return_code": 0\n}'
    )
    control = server.call("execute_command", command="echo '\x01\x1f\x08\x0c'")["content"][0]["text"]
    assert r'"command": "echo ' + r"'\u0001\u001f\b\f'" + '"' in control


@pytest.mark.req("002-method-named")
@pytest.mark.req("002-unknown-method")
def test_an_unknown_method_is_named(start: Start) -> None:
    for server in both_roads(start):
        for method in ("tools/run", "resources/list", "initialized"):
            error = {"code": -32601, "message": f"Method not found: {method}"}
            assert server.request(method)["error"] == error
    modern = start(*SERVER_SHELL, greet=False).request("tools/run", {"_meta": MODERN})
    assert modern["error"] == {"code": -32601, "message": "Method not found: tools/run"}


@pytest.mark.req("002-missing-name")
@pytest.mark.req("002-unknown-tool")
@pytest.mark.req("002-missing-command")
def test_calls_that_name_no_tool_or_no_command_are_clear_errors(start: Start) -> None:
    name = "execute_command"
    cases: list[tuple[dict[str, Any], str]] = [
        ({}, "Missing tool name: `name` must be a string"),
        ({"name": 1, "arguments": {}}, "Missing tool name: `name` must be a string"),
        ({"name": "run", "arguments": {"command": "true"}}, "Unknown tool: run"),
        ({"name": name}, "Missing command argument"),
        ({"name": name, "arguments": {"command": 1}}, "Missing command argument"),
        ({"name": name, "arguments": {"command": None}}, "Missing command argument"),
        ({"name": name, "arguments": "true"}, "`arguments` must be an object"),
        (
            {"name": name, "arguments": {"command": "true", "timeout": 5}},
            "Invalid params: Unknown argument: timeout. This tool takes: command.",
        ),
    ]
    fast, plain = both_roads(start)
    for call, message in cases:
        error = {"code": -32602, "message": message}
        assert fast.request("tools/call", call)["error"] == error
        assert plain.request("tools/call", call)["error"] == error
        assert fast.request("tools/call", {**call, "_meta": MODERN})["error"] == error
    assert run(fast, "echo still here") == ("still here\n", 0)


# -- commands


@pytest.mark.req("002-output")
@pytest.mark.req("002-return-code")
@pytest.mark.req("002-lossy")
@pytest.mark.req("002-no-code")
def test_output_and_return_code(start: Start) -> None:
    server = start(*SERVER_SHELL)
    assert run(server, "echo err >&2; echo out; exit 3") == ("out\nerr\n", 3)
    assert run(server, "printf out; echo err >&2") == ("outerr\n", 0)
    assert run(server, "") == ("", 0)
    assert run(server, "exit 255") == ("", 255)
    assert run(server, r"printf 'a\377b\342\202c\n'") == ("a\ufffdb\ufffdc\n", 0)
    assert run(server, "cat <<EOF\none\ntwo\nEOF") == ("one\ntwo\n", 0)
    output, code = run(server, "printf half; kill -9 $$")
    assert output == "half\nCommand was ended by SIGKILL\n"
    assert code == -1


@pytest.mark.req("002-no-stderr")
def test_stderr_can_be_left_out(start: Start) -> None:
    server = start(*SERVER_SHELL, "--no-stderr")
    assert run(server, "echo err >&2; echo out; exit 3") == ("out\n", 3)


def test_a_process_that_is_left_running_is_named_in_the_output(start: Start) -> None:
    server = start(*SERVER_SHELL)
    seconds = unique_seconds()
    output, code = run(server, f"sleep {seconds} & echo started")
    where = r"\(its output goes to \S+\.out and \S+\.err\)"
    assert re.fullmatch(rf"started\nstill running: \d+ sleep {seconds} {where}\n", output)
    assert code == 0


@pytest.mark.req("002-failed")
def test_what_cannot_be_started_says_why(start: Start, tmp_path: Path) -> None:
    shell, place = tmp_path / "dash", tmp_path / "place"
    place.mkdir()
    shutil.copy("/bin/dash", shell)
    server = start(*SERVER_SHELL, "-s", str(shell), "-w", str(place), "-v")
    output, code = run(server, "echo a\0b")
    assert output.startswith("Failed to execute: command contains a NUL character at offset 6.")
    assert code == -1
    place.rmdir()
    output, code = run(server, "true")
    assert output.startswith(f"Failed to execute: working_directory does not exist: {place}.")
    assert code == -1
    place.mkdir()
    shell.unlink()
    output, code = run(server, "true")
    assert output.startswith(f"Failed to execute: {shell}: ")
    assert code == -1
    assert f"[nacre] Error: {shell}: " in log_of(server)


@pytest.mark.req("002-timeout")
@pytest.mark.req("002-timeout-option")
@pytest.mark.parametrize("option", ["-t", "--timeout"])
def test_a_timeout_is_applied_to_the_whole_tree_and_keeps_the_output(start: Start, option: str) -> None:
    server = start(*SERVER_SHELL, option, "1")
    seconds = unique_seconds()
    output, code = run(server, f"printf 'so far'; sleep {seconds} & sleep {seconds}")
    assert output == "so far\nCommand timed out after 1 seconds; everything it started was killed\n"
    assert code == -1
    assert gone(seconds)
    assert run(server, "echo next") == ("next\n", 0)


@pytest.mark.req("002-timeout")
def test_a_command_that_ends_well_when_its_time_is_up_has_no_code_all_the_same(start: Start) -> None:
    server = start(*SERVER_SHELL, "-t", "1", "-s", "bash")
    output, code = run(server, "trap 'echo bye; exit 0' TERM; sleep 60 & wait")
    assert output == "bye\nCommand timed out after 1 seconds; everything it started was killed\n"
    assert code == -1


@pytest.mark.req("002-in-turn")
def test_commands_run_in_turn_while_other_requests_are_answered(start: Start, tmp_path: Path) -> None:
    server = start(*SERVER_SHELL)
    gate = Gate(tmp_path)
    waiting = f"cat {gate.path} && echo first > order"
    one = server.post_call("execute_command", {"command": waiting})
    two = server.post_call("execute_command", {"command": "cat order"})
    assert server.request("ping")["result"] == {}
    assert server.request("tools/list")["result"] == LIST
    gate.open()
    assert checked_fields(server.answer_to(one)["result"])["return_code"] == 0
    assert checked_fields(server.answer_to(two)["result"])["output"] == "first\n"


@pytest.mark.req("002-in-turn")
def test_a_script_of_calls_that_is_piped_in_runs_in_its_order(tmp_path: Path) -> None:
    """Longer than a pipe, so that some lines come before the handshake is answered and some after."""
    commands = [f"echo {number} >> order # {'.' * 1000}" for number in range(200)]
    calls = [{"name": "execute_command", "arguments": {"command": command}} for command in commands]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": call})
        for identity, call in enumerate(calls, 10)
    ]
    done = nacre(*SERVER_SHELL, "-w", str(tmp_path), lines=SESSION + "\n".join(lines) + "\n")
    assert (tmp_path / "order").read_text().split() == [str(number) for number in range(200)]
    answered = [json.loads(line)["id"] for line in done.stdout.splitlines()]
    assert [identity for identity in answered if identity >= 10] == list(range(10, 210))


@pytest.mark.req("002-defaults")
@pytest.mark.req("002-shell")
def test_the_defaults_are_this_directory_thirty_seconds_and_sh(start: Start, tmp_path: Path) -> None:
    server = start(*SERVER_SHELL, "-v", greet=False, env={"SHELL": "/bin/bash"})
    server.request("initialize", {**HANDSHAKE, "capabilities": {"roots": {}}})
    server.notify("notifications/initialized")
    assert run(server, 'pwd; tr "\\0" "|" </proc/$$/cmdline') == (
        f'{tmp_path}\nsh|-c|pwd; tr "\\0" "|" </proc/$$/cmdline|',
        0,
    )
    assert server.others == [], "the client is not asked for its roots"
    log = log_of(server)
    assert "shell /bin/sh, " in log
    assert f"starting (in {tmp_path}, timeout 30 s, sets nothing): pwd" in log


@pytest.mark.req("002-working-dir")
@pytest.mark.req("002-options")
@pytest.mark.parametrize(("directory", "shell"), [("-w", "-s"), ("--working-dir", "--shell")])
def test_directory_and_shell_can_be_chosen(start: Start, tmp_path: Path, directory: str, shell: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    server = start(*SERVER_SHELL, directory, str(place), shell, "bash")
    assert run(server, "pwd; echo ${BASH_VERSION:+bash}") == (f"{place}\nbash\n", 0)
    assert run(server, "cd /; pwd") == ("/\n", 0)
    assert run(server, "pwd") == (f"{place}\n", 0)


@pytest.mark.req("002-audit")
@pytest.mark.req("002-verbose")
def test_verbose_tells_every_command_and_its_exit_code_on_stderr(start: Start) -> None:
    server = start(*SERVER_SHELL, "-v", "--deny", "rm*")
    run(server, "echo {braces}")
    run(server, "echo '\n[nacre] Exit code: 0'; exit 7")
    run(server, "kill -9 $$")
    assert run(server, "rm {x}") == (DENIED, -1)
    log = log_of(server)
    ours = [line for line in log.splitlines() if line.startswith("[nacre] ")]
    assert ours == [
        "[nacre] Executing: echo {braces}",
        "[nacre] Exit code: 0",
        "[nacre] Executing: echo '\\n[nacre] Exit code: 0'; exit 7",
        "[nacre] Exit code: 7",
        "[nacre] Executing: kill -9 $$",
        "[nacre] Exit code: -1",
    ]
    reason = "not run (denied, Denied by the policy: Command 'rm' is denied (rule: rm*).): rm {x}"
    assert reason in log, "the true reason is in the log"


def test_without_verbose_the_documents_lines_are_not_said(start: Start) -> None:
    server = start(*SERVER_SHELL)
    run(server, "true")
    assert "[nacre]" not in log_of(server)


# -- rules


@pytest.mark.req("002-denied")
@pytest.mark.req("002-deny-first")
@pytest.mark.req("002-allow-list")
@pytest.mark.req("002-comma-lists")
@pytest.mark.req("002-wildcards")
@pytest.mark.req("policy-deny-wins")
@pytest.mark.req("policy-patterns")
def test_deny_comes_before_allow_in_lists_with_wildcards(start: Start) -> None:
    server = start(*SERVER_SHELL, "--allow", " ec* , tr*,id,date", "--deny", "true , idle*")
    for command in ("echo hi", "echo", "tr a b", "date", "id -u"):
        assert run(server, command)[1] == 0, command
    for command in ("true", "ls", "uname", "idle3", "dates", "", "echo hi; ls", "echo $(ls)"):
        assert run(server, command) == (DENIED, -1), command


@pytest.mark.req("002-no-allow-list")
def test_without_an_allow_list_all_runs_that_is_not_denied(start: Start) -> None:
    server = start(*SERVER_SHELL, "--deny", "true,una*")
    assert run(server, "echo hi > file; cat file") == ("hi\n", 0)
    assert run(server, "truer")[1] == 127
    for command in ("true", "uname -s", "/bin/true", "echo a | una[m]e", "echo a\ntrue"):
        assert run(server, command) == (DENIED, -1), command


@pytest.mark.req("002-recommended")
def test_the_recommended_deny_list_denies_what_it_names(start: Start, tmp_path: Path) -> None:
    recommended = "rm*,sudo*,chmod*,chown*,kill*,pkill*,dd*,mkfs*,fdisk*,shutdown*,reboot*"
    assert f'--deny "{recommended}"' in PAGE.read_text()
    (tmp_path / "file").touch()
    server = start(*SERVER_SHELL, "--deny", recommended)
    dangerous = [
        "rm -f file",
        "rmdir .",
        "sudo -n true",
        "chmod 0 file",
        "chown 1 file",
        "kill -0 $$",
        "killall nothing-of-this-name",
        "pkill nothing-of-this-name",
        "dd if=/dev/null of=file",
        "mkfs.ext4 file",
        "fdisk -l file",
        "shutdown --help",
        "reboot --help",
        "ls && /bin/rm file",
        "find . -name file -exec rm {} +",
        "echo file | xargs rm",
        "sh -c 'rm file'",
        "'r'm file",
    ]
    for command in dangerous:
        assert run(server, command) == (DENIED, -1), command
    assert run(server, "ls; echo rm sudo; touch file") == ("file\nrm sudo\n", 0)


def test_a_persons_own_settings_apply_and_the_command_line_adds_to_them(start: Start, tmp_path: Path) -> None:
    (tmp_path / "nacre").mkdir()
    (tmp_path / "nacre" / "config.toml").write_text('timeout = 7\n[policy]\ndeny = ["uname"]\n')
    home = {"XDG_CONFIG_HOME": str(tmp_path)}
    server = start(*SERVER_SHELL, "-v", "--deny", "id", env=home)
    for command in ("uname", "id"):
        assert run(server, command) == (DENIED, -1)
    assert run(server, "echo ok") == ("ok\n", 0)
    assert "timeout 7 s" in log_of(server)


def test_rules_that_ask_go_to_the_person_before_they_deny(start: Start, tmp_path: Path) -> None:
    (tmp_path / "nacre").mkdir()
    (tmp_path / "nacre" / "config.toml").write_text('[policy]\nask = ["uname"]\n')
    server = start(*SERVER_SHELL, greet=False, env={"XDG_CONFIG_HOME": str(tmp_path)})
    server.request("initialize", {**HANDSHAKE, "capabilities": {"elicitation": {}}})
    call = server.post_call("execute_command", {"command": "uname"})
    question = server.receive()
    assert question["method"] == "elicitation/create"
    answer = {"action": "accept", "content": {"decision": "run once"}}
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": answer})
    assert checked_fields(server.answer_to(call)["result"])["output"] == "Linux\n"


# -- the command line


@pytest.mark.req("002-help")
def test_help_is_the_documents_text() -> None:
    ours = HELP.replace("mcpz", "nacre")
    for flag in ("-h", "--help"):
        shown = nacre(*SERVER_SHELL, flag)
        assert (shown.returncode, shown.stdout, shown.stderr) == (0, ours, "")
    assert f"```\n$ nacre server shell --help\n{ours}```" in PAGE.read_text()
    assert "nacre server shell ..." in nacre("--help").stdout


@pytest.mark.req("002-wrong-options")
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--time", "3"], "unrecognized arguments: --time 3"),
        (["ls"], "unrecognized arguments: ls"),
        (["--preset", "agent"], "unrecognized arguments: --preset agent"),
        (["--timeout"], "argument -t/--timeout: expected one argument"),
        (["--timeout", "0"], "argument -t/--timeout: '0' is not a whole number from 1 to 1000000"),
        (["-t", "soon"], "argument -t/--timeout: 'soon' is not a whole number from 1 to 1000000"),
        (["--allow", ""], "argument --allow: it has no pattern"),
        (["--deny", " , "], "argument --deny: it has no pattern"),
        (["--deny", "rm", "--deny", "dd"], "the argument '--deny' cannot be used multiple times"),
    ],
)
def test_a_wrong_option_is_reported_and_ends_with_2(options: list[str], complaint: str) -> None:
    shown = nacre(*SERVER_SHELL, *options)
    usage = "Usage: nacre server shell [OPTIONS]\n\nFor more information, try '--help'.\n"
    assert shown.stderr == f"error: {complaint}\n\n{usage}"
    assert (shown.returncode, shown.stdout) == (2, "")


@pytest.mark.req("002-wrong-options")
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--shell", "/no/such/shell"], "No shell '/no/such/shell' was found."),
        (["--working-dir", "/no/such/dir"], "The working directory does not exist: /no/such/dir."),
    ],
)
def test_a_shell_or_directory_that_is_not_there_is_reported_and_ends_with_2(
    options: list[str], complaint: str
) -> None:
    shown = nacre(*SERVER_SHELL, *options)
    assert complaint in shown.stderr
    assert "Traceback" not in shown.stderr
    assert (shown.returncode, shown.stdout) == (2, "")


@pytest.mark.req("002-options")
def test_options_can_be_written_in_every_usual_way(start: Start, tmp_path: Path) -> None:
    server = start(*SERVER_SHELL, "-v", "-t40", "--shell=bash", f"--working-dir={tmp_path}", "--deny=rm*,dd")
    assert run(server, "dd") == (DENIED, -1)
    run(server, "true")
    assert "timeout 40 s" in log_of(server)


@pytest.mark.req("002-options")
def test_a_timeout_longer_than_that_of_other_presets_is_taken(start: Start) -> None:
    server = start(*SERVER_SHELL, "-v", "-t", "1000000")
    assert run(server, "echo hi") == ("hi\n", 0)
    assert "timeout 1e+06 s" in log_of(server)


@pytest.mark.req("002-server")
def test_server_alone_tells_what_there_is() -> None:
    asked, alone, wrong = nacre("server", "--help"), nacre("server"), nacre("server", "git")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "Usage: nacre server <COMMAND>" in asked.stdout
    assert "  shell  Start an MCP server for shell command execution" in asked.stdout
    assert (alone.returncode, alone.stdout, alone.stderr) == (2, "", asked.stdout)
    assert wrong.stderr.startswith("error: there is no server 'git'; there is: shell\n")
    assert wrong.returncode == 2


# -- the configuration of a client, as the page shows it


def snippets() -> list[dict[str, Any]]:
    blocks = re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [json.loads(block) for block in blocks if "mcpServers" in block]


@pytest.mark.req("002-desktop-basic")
def test_the_basic_client_configuration(start: Start) -> None:
    assert snippets()[0] == {"mcpServers": {"shell": {"command": "nacre", "args": ["server", "shell"]}}}
    server = start(*snippets()[0]["mcpServers"]["shell"]["args"])
    assert run(server, "echo hello") == ("hello\n", 0)


@pytest.mark.req("002-desktop-sandboxed")
def test_the_client_configuration_with_rules(start: Start, tmp_path: Path) -> None:
    entry = snippets()[1]["mcpServers"]["shell"]
    assert entry["command"] == "nacre"
    assert shlex.join(entry["args"]) == (
        "server shell --working-dir /home/user/projects --allow 'ls*,cat*,grep*,find*,echo*'"
        " --deny 'rm*,sudo*,chmod*,chown*' --timeout 60"
    )
    place = [str(tmp_path) if word == "/home/user/projects" else word for word in entry["args"]]
    (tmp_path / "notes").write_text("pearl\nshell\n")
    server = start(*place, "--verbose")
    assert run(server, "ls") == ("notes\n", 0)
    assert run(server, "cat notes | grep pearl") == ("pearl\n", 0)
    assert run(server, "find . -name 'no*'") == ("./notes\n", 0)
    for command in ("rm notes", "sudo ls", "pwd", "find . -name notes -delete", "find . -exec rm {} +"):
        assert run(server, command) == (DENIED, -1), command
    assert "timeout 60 s" in log_of(server)


@pytest.mark.req("002-stricter")
def test_a_denial_that_the_document_does_not_know_is_marked(start: Start) -> None:
    server = start(*SERVER_SHELL, "--allow", "ls*,echo", "--deny", "rm*")
    for command, stricter in (("rm x", False), ("cat x", False), ("ls; rm x", True), ("echo $(rm x)", True)):
        result = server.call("execute_command", command=command)
        assert json.loads(text_of(result))["output"] == DENIED
        denial = result["_meta"]["denial"]
        assert "Denied by the policy" in denial["reason"]
        assert denial.get("stricter_than_document", False) is stricter
    log = log_of(server)
    assert log.count("specification 002 looks at the first word only, and would have run: ") == 2
