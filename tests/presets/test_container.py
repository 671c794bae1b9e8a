"""The preset `container` (specification 003), driven by the lines of its document."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from process_table import carrying, unique_seconds
from wire_client import NACRE, Gone, WireClient, ended_records, text_of

from nacre import presets
from nacre.errors import RequestError
from nacre.places.local_files import LOCAL_FILES
from nacre.policy.program_table import ProgramTable, object_to_argv, table_name
from nacre.settings import configuration

if TYPE_CHECKING:
    from collections.abc import Callable

    Start = Callable[..., WireClient]

ANNOUNCEMENT = {
    "jsonrpc": "2.0",
    "id": None,
    "result": {
        "protocolVersion": "2024-11-05",
        "capabilities": {
            "tools": [
                {"name": "shell_exec", "description": "Execute allowed shell commands"},
                {"name": "shell_allowed", "description": "List allowed commands"},
            ]
        },
    },
}
TABLE = {
    "npm": ["install", "test", "run", "build", "start", "dev", "lint"],
    "node": ["--version"],
    "git": ["status", "log", "--version"],
    "ls": ["-la", "-l"],
    "cat": [],
    "echo": [],
}
NPM = """#!/bin/sh
case "$*" in
install) echo 'added 245 packages' ;;
test) echo '✓ All tests passed' ;;
'run dev') echo 'Server running' ;;
'run build') echo "built for $NODE_ENV" ;;
*) echo "npm does not know: $*" >&2; exit 3 ;;
esac
"""


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, str]:
    """Programs named npm and node on PATH, before the real ones."""
    directory = tmp_path / "bin"
    program(directory / "npm", NPM)
    program(directory / "node", "#!/bin/sh\necho v18.20.0\n")
    return {"PATH": f"{directory}:{os.environ['PATH']}"}


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    path = tmp_path / "workspace"
    path.mkdir()
    return path


@pytest.fixture
def talk(start: Start, tools: dict[str, str], workspace: Path) -> Start:
    """Start the preset without a handshake; its first message has been read."""

    def starter(*options: str, **env: str) -> WireClient:
        client = start(
            *("--preset", "container", "--working-dir", str(workspace)),
            *options,
            greet=False,
            env={**tools, **env},
        )
        if "--no-announce" not in options:
            assert client.receive() == ANNOUNCEMENT
        return client

    return starter


def execute(client: WireClient, command: str, *args: str, **more: Any) -> dict[str, Any]:
    """The answer to shell/exec: a result or an error."""
    params: dict[str, Any] = {"command": command, **({"args": list(args)} if args else {}), **more}
    answer = client.request("shell/exec", params)
    return answer["result"] if "result" in answer else answer["error"]


def pipe(line: str, workspace: Path, env: dict[str, str]) -> list[dict[str, Any]]:
    """`echo LINE | nacre --preset container`, as in the document."""
    done = subprocess.run(
        [*NACRE, "--preset", "container", "--working-dir", str(workspace)],
        input=line + "\n",
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [json.loads(answer) for answer in done.stdout.splitlines()]


# -- the messages of the document


@pytest.mark.req("003-announcement")
@pytest.mark.req("003-lines")
def test_the_first_message_comes_before_anything_is_read(
    start: Start, tmp_path: Path, tools: dict[str, str]
) -> None:
    client = start("--preset", "container", "-w", str(tmp_path), greet=False, env=tools)
    assert client.receive() == ANNOUNCEMENT  # nothing was sent


@pytest.mark.req("003-announcement-off")
@pytest.mark.parametrize("way", ["option", "setting"])
def test_a_strict_client_can_be_spared_the_first_message(
    start: Start, tmp_path: Path, workspace: Path, way: str
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[container]\nannounce = false\n")
    said = ["--no-announce"] if way == "option" else ["--config", str(config)]
    client = start("--preset", "container", "-w", str(workspace), *said, greet=False)
    client.send({"jsonrpc": "2.0", "id": 2, "method": "shell/allowed"})
    assert client.receive() == {"jsonrpc": "2.0", "id": 2, "result": {"allowedCommands": TABLE}}


INSTALL = (
    '{"jsonrpc":"2.0","id":1,"method":"shell/exec","params":{"command":"npm","args":["install"]}}',
    '{"jsonrpc":"2.0","id":1,"result":{"command":"npm install","exitCode":0,"stdout":"added 245 packages","stderr":"","success":true}}',  # noqa: E501  # the document's own line
)
TEST = (
    '{"jsonrpc":"2.0","id":2,"method":"shell/exec","params":{"command":"npm","args":["test"]}}',
    '{"jsonrpc":"2.0","id":2,"result":{"command":"npm test","exitCode":0,"stdout":"✓ All tests passed","stderr":"","success":true}}',  # noqa: E501  # the document's own line
)
DEV = (
    '{"jsonrpc":"2.0","id":3,"method":"shell/exec","params":{"command":"npm","args":["run","dev"]}}',
    '{"jsonrpc":"2.0","id":3,"result":{"command":"npm run dev","exitCode":0,"stdout":"Server running","stderr":"","success":true}}',  # noqa: E501  # the document's own line
)


@pytest.mark.req("003-no-handshake")
@pytest.mark.req("003-result")
@pytest.mark.req("003-example-install")
@pytest.mark.req("003-example-test")
@pytest.mark.req("003-example-dev")
@pytest.mark.parametrize(("request_line", "response_line"), [INSTALL, TEST, DEV])
def test_the_pipe_examples_of_the_document(
    workspace: Path, tools: dict[str, str], request_line: str, response_line: str
) -> None:
    first, answer = pipe(request_line, workspace, tools)
    assert first == ANNOUNCEMENT
    assert answer == json.loads(response_line)
    assert list(answer["result"]) == ["command", "exitCode", "stdout", "stderr", "success"]


@pytest.mark.req("003-example-status")
@pytest.mark.req("003-no-handshake")
def test_the_pipe_example_of_git_status(workspace: Path, tools: dict[str, str]) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", str(workspace)], check=True)
    line = '{"jsonrpc":"2.0","id":4,"method":"shell/exec","params":{"command":"git","args":["status"]}}'
    _, answer = pipe(line, workspace, tools)
    assert answer["id"] == 4
    assert answer["result"]["command"] == "git status"
    assert answer["result"]["stdout"].startswith("On branch main\n")
    assert "nothing to commit" in answer["result"]["stdout"]
    assert answer["result"]["success"] is True


@pytest.mark.req("003-exec")
def test_the_request_of_the_reference_with_its_directory(talk: Start, workspace: Path) -> None:
    client = talk()
    params = {"command": "npm", "args": ["install"], "cwd": str(workspace)}
    client.send({"jsonrpc": "2.0", "id": 1, "method": "shell/exec", "params": params})
    assert client.receive() == json.loads(INSTALL[1])


@pytest.mark.req("003-allowed")
def test_shell_allowed_answers_as_in_the_document(talk: Start) -> None:
    client = talk()
    client.send_bytes(b'{"jsonrpc":"2.0","id":2,"method":"shell/allowed"}\n')
    answer = client.receive()
    assert answer == {"jsonrpc": "2.0", "id": 2, "result": {"allowedCommands": TABLE}}
    assert list(answer["result"]["allowedCommands"]) == list(TABLE)


@pytest.mark.req("003-workflow")
@pytest.mark.req("003-environment")
def test_the_project_workflow(talk: Start) -> None:
    client = talk(FROM_THE_CONTAINER="yes")
    for args, said in (
        (["install"], "added 245 packages"),
        (["run", "dev"], "Server running"),
        (["test"], "✓ All tests passed"),
        (["run", "build"], "built for"),
    ):
        assert execute(client, "npm", *args)["stdout"].strip() == said
    reply = execute(client, "npm", "run", "build", env={"NODE_ENV": "production"})
    assert (reply["stdout"], reply["success"]) == ("built for production", True)


@pytest.mark.req("003-environment")
def test_commands_inherit_the_servers_environment_but_not_what_is_its_own(
    talk: Start, tmp_path: Path
) -> None:
    program(tmp_path / "bin" / "npm", "#!/bin/sh\nenv\n")
    client = talk(FROM_THE_CONTAINER="yes", NACRE_TOKEN="secret")  # noqa: S106  # a made-up one
    shown = execute(client, "npm", "start", env={"FOR_THE_CALL": "also"})["stdout"].splitlines()
    assert {"FROM_THE_CONTAINER=yes", "FOR_THE_CALL=also"} <= set(shown)
    assert not any(line.startswith("NACRE_TOKEN") for line in shown)


# -- what may run


@pytest.mark.req("003-table")
def test_every_line_of_the_table_is_let_through(talk: Start) -> None:
    client = talk()
    first = [f"{name} {word}" for name, words in TABLE.items() for word in words]
    for line in (*first, "cat /dev/null", "echo any words at all"):
        reply = execute(client, *line.split())
        assert reply["command"] == line
        assert isinstance(reply["exitCode"], int)


@pytest.mark.req("003-allowlist")
@pytest.mark.req("003-command-not-allowed")
@pytest.mark.req("003-error-format")
def test_the_error_of_the_document(talk: Start, workspace: Path) -> None:
    (workspace / "x").touch()
    client = talk()
    client.send_bytes(
        b'{"jsonrpc":"2.0","id":1,"method":"shell/exec","params":{"command":"rm","args":["x"]}}\n'
    )
    expected = {"code": -32000, "message": "Command 'rm' not allowed"}
    assert client.receive() == {"jsonrpc": "2.0", "id": 1, "error": expected}
    assert (workspace / "x").exists()


@pytest.mark.req("003-allowlist")
def test_only_the_names_of_the_table_are_commands(talk: Start) -> None:
    client = talk()
    for name in ("bash", "/bin/ls", "./npm", "../bin/npm", "ls -la", "npm;ls", " npm", "npm\n"):
        assert execute(client, name) == {"code": -32000, "message": f"Command '{name}' not allowed"}


@pytest.mark.req("003-arguments")
@pytest.mark.req("003-argument-not-allowed")
@pytest.mark.req("003-first-argument")
def test_the_first_argument_is_checked_and_no_other(talk: Start) -> None:
    client = talk()
    assert execute(client, "git", "push", "status") == {
        "code": -32000,
        "message": "Command 'git' with argument 'push' not allowed",
    }
    assert execute(client, "node", "-e", "1")["message"] == "Command 'node' with argument '-e' not allowed"
    assert execute(client, "npm", "run", "publish")["exitCode"] == 3  # npm's own answer
    assert "exitCode" in execute(client, "ls")  # no argument: nothing to check
    assert "exitCode" in execute(client, "ls", "-la", "/")


@pytest.mark.req("003-case")
def test_names_are_case_insensitive_and_arguments_are_not(talk: Start) -> None:
    client = talk()
    assert execute(client, "NPM", "install")["command"] == "npm install"
    assert execute(client, "Npm", "Install") == {
        "code": -32000,
        "message": "Command 'npm' with argument 'Install' not allowed",
    }
    assert execute(client, "RM")["message"] == "Command 'rm' not allowed"


@pytest.mark.req("003-any-arguments")
@pytest.mark.req("003-no-shell")
def test_words_arrive_as_they_are_because_no_shell_reads_them(talk: Start, workspace: Path) -> None:
    words = ["$(touch made)", "`id`", "a  b", "*", "; ls", "| cat", "> made", "'\"", "\\n", "", "ä"]
    reply = execute(talk(), "echo", *words)
    assert reply["stdout"] == " ".join(words)
    assert reply["command"] == "echo " + " ".join(words)
    assert list(workspace.iterdir()) == []


@pytest.mark.req("003-adding")
def test_commands_are_added_by_changing_the_table(talk: Start, tmp_path: Path) -> None:
    for name in ("yarn", "docker", "kubectl", "MyTool"):
        program(tmp_path / "bin" / name, f'#!/bin/sh\necho "{name} did $*"\n')
    config = tmp_path / "config.toml"
    config.write_text("""
[container.allowed_commands]
yarn = ["install", "test", "build"]
docker = ["--version"]
kubectl = ["get", "describe"]
MyTool = []
""")
    client = talk("--config", str(config))
    assert execute(client, "yarn", "install")["stdout"] == "yarn did install"
    assert execute(client, "docker", "--version")["success"] is True
    assert execute(client, "kubectl", "get", "pods")["stdout"] == "kubectl did get pods"
    assert execute(client, "mytool", "x")["stdout"] == "MyTool did x"
    assert execute(client, "docker", "run")["message"] == "Command 'docker' with argument 'run' not allowed"
    assert execute(client, "npm", "install")["message"] == "Command 'npm' not allowed"  # replaced
    assert list(client.request("shell/allowed")["result"]["allowedCommands"]) == [
        *("yarn", "docker", "kubectl", "MyTool")
    ]


@pytest.mark.req("003-adding")
@pytest.mark.parametrize(
    "table", [{"npm": "install"}, {"npm": [1]}, ["npm"], {"npm": [], "NPM": []}, {"": []}]
)
def test_a_table_that_cannot_be_meant_is_refused(table: Any) -> None:
    with pytest.raises(RequestError, match=r"container\.allowed_commands must be"):
        configuration.configure({"container": {"allowed_commands": table}}, preset="container")


def test_a_file_that_says_something_else_about_the_container_keeps_the_table() -> None:
    config = configuration.configure({"container": {"workspace": "/srv"}}, preset="container")
    assert config.preset.container is not None
    assert (config.preset.container.workspace, config.default_timeout_s) == ("/srv", 30)
    assert config.preset.container.allowed_commands == {name: tuple(first) for name, first in TABLE.items()}
    assert configuration.configure({"container": {"workspace": "/srv"}}).preset.container is None
    with pytest.raises(RequestError, match=r"Unknown setting: container\.wrkspace"):
        configuration.configure({"container": {"wrkspace": "/srv"}})


WORDS = st.text(max_size=12) | st.sampled_from([*TABLE, *TABLE["npm"], *TABLE["git"], "-la"])


@pytest.mark.req("003-allowlist")
@pytest.mark.req("003-arguments")
@given(st.lists(WORDS, min_size=1, max_size=4), st.dictionaries(WORDS, st.lists(WORDS).map(tuple)))
def test_what_the_documents_own_function_refuses_is_refused_and_nothing_else(
    argv: list[str], more: dict[str, tuple[str, ...]]
) -> None:
    table = {name: tuple(first) for name, first in TABLE.items()}
    table |= {name.lower(): first for name, first in more.items()}

    def validate_command(command: str, args: list[str]) -> str | None:
        """The document's JavaScript, word by word."""
        cmd = command.lower()
        if cmd not in table:
            return f"Command '{cmd}' not allowed"
        allowed_args = table[cmd]
        if len(allowed_args) == 0:
            return None
        if len(args) > 0 and args[0] not in allowed_args:
            return f"Command '{cmd}' with argument '{args[0]}' not allowed"
        return None

    assert object_to_argv(argv, table) == validate_command(argv[0], argv[1:])
    if object_to_argv(argv, table) is None:
        assert table_name(argv[0], table) in table


@pytest.mark.req("003-allowlist")
def test_a_shells_text_has_no_place_in_a_program_table(talk: Start) -> None:
    assert ProgramTable({"ls": ()}, "/", LOCAL_FILES).objection(None, "/") is not None
    client = talk("--tools", "shell")
    client.shake_hands()
    for more in ({}, {"session": "s"}):
        result = client.call("shell", command="echo hi", **more)
        assert result["isError"] is True
        assert "without a shell" in text_of(result)


# -- where, and with what environment


@pytest.mark.req("003-workspace")
def test_the_default_workspace_is_the_documents() -> None:
    _, defaults = presets.read("container")
    assert defaults["container"]["workspace"] == "/workspace"


@pytest.mark.req("003-workspace")
def test_commands_run_inside_the_workspace_only(talk: Start, tmp_path: Path, workspace: Path) -> None:
    program(tmp_path / "bin" / "npm", "#!/bin/sh\npwd -P\n")
    (workspace / "inner").mkdir()
    (tmp_path / "workspace-secret").mkdir()
    (workspace / "out").symlink_to(tmp_path)
    (workspace / "in").symlink_to(workspace / "inner")
    client = talk()
    assert execute(client, "npm", "start")["stdout"] == str(workspace)
    for inside in (str(workspace), "inner", ".", "in", f"{workspace}/inner/..", "in/../inner"):
        assert execute(client, "npm", "start", cwd=inside)["stdout"].startswith(str(workspace)), inside
    for outside in ("..", "/", "/etc", "out", "out/bin", f"{workspace}-secret", "inner/../..", "~"):
        reply = execute(client, "npm", "start", cwd=outside)
        assert reply["code"] == -32000
        assert "not allowed: it is outside of" in reply["message"], outside


@pytest.mark.req("003-missing-workspace")
def test_without_its_workspace_the_server_says_what_to_do(start: Start, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[container]\nworkspace = "/no/such/workspace"\n')
    client = start("--preset", "container", "--config", str(config), greet=False)
    with pytest.raises(Gone):
        client.receive()
    assert client.wait() == 2
    assert b"The workspace does not exist: /no/such/workspace. Mount it" in client.stderr
    assert b"--working-dir" in client.stderr


@pytest.mark.req("003-environment-control")
def test_a_variable_that_changes_what_runs_is_refused(talk: Start) -> None:
    client = talk()
    for name in (
        *("PATH", "LD_PRELOAD", "NODE_OPTIONS", "GIT_DIR", "GIT_SSH_COMMAND", "HOME", "BASH_ENV", "IFS"),
        *(
            "npm_config_script_shell",
            "NPM_CONFIG_PREFIX",
            "Npm_Config_Script_Shell",
            "PREFIX",
            "NACRE_COMMAND",
        ),
    ):
        message = f"Environment variable '{name}' not allowed: it changes what runs or how"
        assert execute(client, "npm", "test", env={name: "x"}) == {"code": -32000, "message": message}


# -- results and errors


@pytest.mark.req("003-failing-command")
@pytest.mark.req("003-capture")
def test_a_command_that_fails_is_a_result_without_success(talk: Start) -> None:
    reply = execute(talk(), "npm", "lint")
    assert reply == {
        "command": "npm lint",
        "exitCode": 3,
        "stdout": "",
        "stderr": "npm does not know: lint",
        "success": False,
    }


@pytest.mark.req("003-timeout")
@pytest.mark.req("003-timeout-setting")
def test_a_command_that_takes_too_long_is_ended_with_all_it_started(talk: Start, tmp_path: Path) -> None:
    assert configuration.configure({}, preset="container").default_timeout_s == 30
    mark = unique_seconds()
    program(tmp_path / "bin" / "npm", f"#!/bin/sh\necho begun\nsetsid sleep {mark} &\nsleep {mark}\n")
    reply = execute(talk("--timeout", "1"), "npm", "run", "dev")
    assert reply == {
        "code": -32000,
        "message": "Command timeout after 1 seconds",
        "data": {"stdout": "begun"},
    }
    assert carrying(mark) == []


@pytest.mark.req("003-timeout")
def test_the_text_of_the_timeout_is_the_documents() -> None:
    preset, _ = presets.read("container")
    assert preset.texts["timeout"].format(seconds="30") == "Command timeout after 30 seconds"


@pytest.mark.req("003-failed")
@pytest.mark.req("003-not-found")
@pytest.mark.req("003-permission")
def test_a_command_that_cannot_start_or_crashes_has_failed(
    talk: Start, tmp_path: Path, workspace: Path
) -> None:
    client = talk()
    program(tmp_path / "bin" / "npm", "#!/bin/sh\necho begun\nkill -SEGV $$\n")
    assert execute(client, "npm", "start") == {
        "code": -32000,
        "message": "Command execution failed: ended by SIGSEGV",
        "data": {"stdout": "begun"},
    }
    reply = execute(client, "npm", "start", cwd="missing")
    missing = workspace / "missing"
    assert reply["message"] == f"Command execution failed: working_directory does not exist: {missing}"
    program(tmp_path / "bin" / "npm", "#!/no/such/interpreter\n")
    assert execute(client, "npm", "start")["message"].startswith("Command execution failed: ")
    program(tmp_path / "bin" / "npm", "")  # neither a program nor a script
    assert "Exec format error" in execute(client, "npm", "start")["message"]
    huge = execute(client, "echo", "x" * 5_000_000)
    assert (huge["code"], "Argument list too long" in huge["message"]) == (-32000, True)
    client = talk(PATH=str(workspace))
    assert execute(client, "npm", "start") == {
        "code": -32000,
        "message": "Command execution failed: npm: not found on PATH",
    }
    (workspace / "npm").touch(mode=0o644)
    assert "Permission denied" in execute(client, "npm", "start")["message"]


@pytest.mark.req("003-bad-params")
def test_wrong_parameters_are_named(talk: Start) -> None:
    client = talk()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "Missing argument: command."),
        ({"command": 1}, "command must be a string, not an integer."),
        ({"command": ""}, "command must not be empty."),
        ({"command": "ls", "args": "-l"}, "args must be an array, not a string."),
        ({"command": "ls", "args": ["-l", 1]}, "args[1] must be a string, not an integer."),
        ({"command": "ls", "cwd": []}, "cwd must be a string, not an array."),
        ({"command": "ls", "env": {"A": 1}}, "env.A must be a string, not an integer."),
        ({"command": "ls", "shell": True}, "Unknown argument: shell."),
        ({"command": "echo", "args": ["a\0b"]}, "args[0] contains a NUL character at offset 1."),
        ({"command": "echo", "env": {"A=B": "1"}}, "environment: 'A=B' is not a variable name."),
    ]
    for params, complaint in wrong:
        error = client.request("shell/exec", params)["error"]
        assert error["code"] == -32602
        assert error["message"].startswith(complaint)


@pytest.mark.req("003-unknown-method")
def test_an_unknown_method_is_reported_with_and_without_a_handshake(talk: Start) -> None:
    client = talk()
    assert client.request("shell/kill")["error"]["code"] == -32601
    assert client.request("shell/allowed")["result"] == {"allowedCommands": TABLE}
    client = talk()
    client.shake_hands()
    assert client.request("shell/kill")["error"]["code"] == -32601


@pytest.mark.req("003-separate-process")
def test_each_command_is_a_process_of_its_own_and_many_run_at_once(talk: Start, tmp_path: Path) -> None:
    program(tmp_path / "bin" / "npm", "#!/bin/sh\necho $$\n")
    client = talk()
    ids = [client.post("shell/exec", {"command": "npm", "args": ["test"]}) for _ in range(20)]
    assert len({client.answer_to(one)["result"]["stdout"] for one in ids}) == 20


# -- as tools


@pytest.mark.req("003-tools")
@pytest.mark.parametrize("plain", ["", "1"])
def test_the_tools_give_the_same_with_a_handshake(talk: Start, plain: str) -> None:
    client = talk(NACRE_PLAIN_SDK=plain)
    greeting = client.shake_hands()
    assert greeting["serverInfo"]["name"] == "mcp-shell-server"
    listed = {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}
    assert list(listed) == ["shell_exec", "shell_allowed"]
    assert list(listed["shell_exec"]["inputSchema"]["properties"]) == ["command", "args", "cwd", "env"]
    result = client.call("shell_exec", command="npm", args=["install"])
    assert result["structuredContent"] == json.loads(INSTALL[1])["result"] == json.loads(text_of(result))
    assert result["isError"] is False
    failing = client.call("shell_exec", command="npm", args=["lint"])
    assert (failing["isError"], failing["structuredContent"]["success"]) == (False, False)
    refused = client.call("shell_exec", command="rm", args=["-rf", "/"])
    assert (refused["isError"], text_of(refused)) == (True, "Command 'rm' not allowed")
    allowed = client.call("shell_allowed")
    assert allowed["structuredContent"] == {"allowedCommands": TABLE} == json.loads(text_of(allowed))
    wrong = client.call("shell_exec", command="ls", args="-l")
    assert (wrong["isError"], text_of(wrong)) == (True, "args must be an array, not a string.")
    assert execute(client, "npm", "test")["success"] is True  # the plain methods work beside them


# -- the log, and the second lock


@pytest.mark.req("003-debug")
def test_debug_logs_more(talk: Start) -> None:
    for said, expected in (("mcp-shell", True), ("other,mcp-*", True), ("other", False)):
        client = talk(DEBUG=said)
        execute(client, "echo", "hi")
        client.hang_up()
        client.read_rest()
        client.wait()
        assert (b"starting (in " in client.stderr) is expected


@pytest.mark.req("003-audit")
def test_what_ran_and_what_was_refused_is_in_the_audit_log(talk: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    client = talk("--audit-log", str(trail))
    execute(client, "echo", "two words", env={"TOKEN": "secret"})
    execute(client, "rm", "-rf", "/")
    client.hang_up()
    client.read_rest()
    client.wait()
    ran, refused = ended_records(trail.read_text())
    assert (ran["command"], ran["exit_code"], ran["environment"]) == ("echo 'two words'", 0, ["TOKEN"])
    assert (refused["ended"], refused["reason"]) == ("not run", "Command 'rm' not allowed")
    assert "secret" not in trail.read_text()


@pytest.mark.req("003-second-lock")
def test_a_persons_policy_is_a_second_lock(talk: Start, workspace: Path) -> None:
    client = talk("--deny", "git log*,cat /etc/*")
    assert execute(client, "git", "--version")["success"] is True
    reply = execute(client, "cat", "/etc/passwd")
    assert (reply["code"], "Denied by the policy" in reply["message"]) == (-32000, True)
    assert "Denied by the policy" in execute(client, "git", "log", "-1")["message"]
    assert execute(client, "echo", "; cat /etc/passwd")["success"] is True  # words, not commands
    assert list(workspace.iterdir()) == []


@pytest.mark.req("003-bare-lines")
def test_lines_of_the_documents_workflow_are_served(start: Start, tmp_path: Path) -> None:
    client = start("--preset", "container", "--no-announce", "-w", str(tmp_path), greet=False)
    client.send({"method": "shell/exec", "params": {"command": "echo", "args": ["hi"]}})
    answer = client.receive()
    assert (answer["jsonrpc"], answer["id"], answer["result"]["stdout"]) == ("2.0", None, "hi")
    client.send({"id": 7, "method": "shell/allowed"})
    assert client.receive()["id"] == 7
    client.send({"jsonrpc": "1.0", "id": 8, "method": "shell/allowed"})
    assert client.receive()["error"]["code"] == -32600
    client.send({"jsonrpc": "2.0", "method": "shell/allowed"})  # a notification has no answer
    client.send({"id": 9, "method": "shell/allowed"})
    assert client.receive()["id"] == 9
    strict = start(greet=False)
    strict.send({"id": 1, "method": "ping"})
    assert strict.receive()["error"]["code"] == -32600
