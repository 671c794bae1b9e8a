"""What a reply says, and what it does not: text and data are each enough alone, and neither is chatty."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from wire_client import WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]

ENDINGS = ["true", "false", "kill -9 $$", "sleep 5", "seq 100000", "sleep 1 & echo hi", "nosuchprogram"]


@pytest.fixture(scope="module", params=["lean", "full"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """A server for each kind of data."""
    options = ("--shell", "bash", "--structured", request.param)
    with WireClient(*options, cwd=tmp_path_factory.mktemp("work")) as client:
        client.shake_hands()
        yield client


def tools_of(server: WireClient) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool for tool in server.request("tools/list")["result"]["tools"]}


def every_key(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        for key, value in schema.items():  # pyright: ignore[reportUnknownVariableType]  # JSON
            yield str(key), value  # pyright: ignore[reportUnknownArgumentType]  # JSON
            yield from every_key(value)


@pytest.mark.req("true-schema")
@pytest.mark.parametrize("command", ENDINGS)
def test_results_validate_against_the_published_schema(server: WireClient, command: str) -> None:
    result = server.call("shell", command=command, timeout=1)
    schema = tools_of(server)["shell"]["outputSchema"]
    jsonschema.validate(result["structuredContent"], {**schema, "additionalProperties": False})


@pytest.mark.req("true-schema")
@pytest.mark.parametrize("command", ["true", "exit 3", "cd /"])
def test_results_of_a_session_validate_too(server: WireClient, command: str) -> None:
    result = server.call("shell", command=command, session="one")
    schema = tools_of(server)["shell"]["outputSchema"]
    jsonschema.validate(result["structuredContent"], {**schema, "additionalProperties": False})


@pytest.mark.req("reply-schema-plain")
def test_no_schema_has_a_list_of_types(server: WireClient) -> None:
    for tool in tools_of(server).values():
        kinds = [value for key, value in every_key(tool) if key == "type"]
        assert kinds
        assert all(isinstance(kind, str) for kind in kinds)


@pytest.mark.req("reply-lean")
def test_the_data_of_a_plain_success_is_the_output_and_the_code(start: Start) -> None:
    result = start("--shell", "bash").call("shell", command="echo hi")
    assert result["structuredContent"] == {"stdout": "hi\n", "stderr": "", "exit_code": 0}
    assert len(json.dumps(result["structuredContent"])) < 120
    assert text_of(result) == "Command executed successfully\n--- stdout\nhi"


@pytest.mark.req("reply-metadata")
def test_what_programs_want_besides_is_in_meta(start: Start, tmp_path: Path) -> None:
    metadata = start("--shell", "bash").call("shell", command="echo hi", timeout=7)["_meta"]["metadata"]
    assert (metadata["command"], metadata["ended"], metadata["exit_code"]) == ("echo hi", "exited", 0)
    assert (metadata["working_directory"], metadata["timeout_seconds"]) == (str(tmp_path), 7)
    assert {"execution_time_ms", "cpu_ms", "max_rss_bytes", "signal", "truncated", "left_running"} <= set(
        metadata
    )
    assert "stdout" not in metadata


@pytest.mark.req("reply-lean")
def test_the_data_tells_what_is_out_of_the_ordinary_and_only_that(start: Start) -> None:
    server = start("--shell", "bash")
    killed = server.call("shell", command="kill -SEGV $$")["structuredContent"]
    assert killed == {"stdout": "", "stderr": "", "ended": "signaled", "signal": "SIGSEGV"}
    late = server.call("shell", command="echo some; sleep 9", timeout=1)["structuredContent"]
    assert set(late) == {"ended", "timeout_seconds", "partial_stdout", "partial_stderr", "hints"}
    assert (late["ended"], late["partial_stdout"]) == ("timed_out", "some\n")
    missing = server.call("shell", command="unmae")["structuredContent"]
    assert set(missing) == {"stdout", "stderr", "exit_code", "hints"}
    assert "Did you mean uname" in missing["hints"][0]
    long = server.call("shell", command="seq 100000")["structuredContent"]
    assert set(long) == {"stdout", "stderr", "exit_code", "truncated", "output_id"}
    left = server.call("shell", command="sleep 5 >/dev/null 2>&1 & echo $!")["structuredContent"]
    (process,) = left["left_running"]  # on a busy machine it may not be `sleep` yet
    assert (process["pid"], "sleep 5" in process["command"]) == (int(left["stdout"]), True)
    assert set(left) == {"stdout", "stderr", "exit_code", "left_running", "job"}


@pytest.mark.req("reply-session-news")
def test_a_session_is_mentioned_when_it_is_new_or_its_directory_changes(start: Start, tmp_path: Path) -> None:
    server = start("--shell", "bash")
    new = server.call("shell", command="true", session="s")
    assert new["structuredContent"]["session"] == {"name": "s", "shell": "new"}
    assert new["structuredContent"]["working_directory"] == str(tmp_path)
    assert f"session: 's' is new, in {tmp_path}" in text_of(new)
    same = server.call("shell", command="X=1", session="s")
    assert same["structuredContent"] == {"stdout": "", "stderr": "", "exit_code": 0}
    assert text_of(same) == "Command executed successfully"
    moved = server.call("shell", command="cd /", session="s")
    assert moved["structuredContent"] == {
        "stdout": "",
        "stderr": "",
        "exit_code": 0,
        "working_directory": "/",
    }
    assert text_of(moved).endswith("session: the directory is / now")
    asked = server.call("shell", command="true", session="s", working_directory=str(tmp_path))
    assert asked["structuredContent"]["working_directory"] == str(tmp_path)


@pytest.mark.req("reply-full")
def test_full_data_has_every_field_always(start: Start) -> None:
    result = start("--shell", "bash", "--structured", "full").call("shell", command="echo hi")
    data = result["structuredContent"]
    assert "_meta" not in result
    assert (data["command"], data["ended"], data["signal"], data["spool"]) == (
        "echo hi",
        "exited",
        None,
        None,
    )
    assert {"stdout", "stderr", "exit_code", "execution_time_ms", "working_directory", "cpu_ms"} <= set(data)


@pytest.mark.req("reply-none")
@pytest.mark.parametrize("preset", ["agent", "commands"])
def test_without_data_there_is_no_schema_for_it_either(start: Start, preset: str) -> None:
    server = start("--shell", "bash", "--preset", preset, "--structured", "none")
    assert all("outputSchema" not in tool for tool in tools_of(server).values())
    good, bad = ("shell", {"command": "echo hi"}), ("shell", {"command": ""})
    if preset == "commands":
        good, bad = ("echo", {"args": "hi"}), ("echo", {"args": "a; b"})
    for tool, arguments in (good, bad):
        result = server.call(tool, **arguments)
        assert "structuredContent" not in result
        assert result["isError"] is (arguments is bad[1])
        assert text_of(result)


@pytest.mark.req("reply-failures")
def test_a_failed_command_is_an_error_unless_the_person_says_otherwise(start: Start) -> None:
    strict, mild = start("--shell", "bash"), start("--shell", "bash", "--failures-are-results")
    for command, in_strict, in_mild in (
        ("exit 3", True, False),
        ("kill -9 $$", True, False),
        ("sleep 9", True, True),
        ("true", False, False),
    ):
        assert strict.call("shell", command=command, timeout=1)["isError"] is in_strict
        assert mild.call("shell", command=command, timeout=1)["isError"] is in_mild
    assert mild.call("shell", command="")["isError"] is True


@pytest.mark.req("reply-failures")
@pytest.mark.parametrize(
    ("preset", "tool", "arguments"),
    [("shell-exec", "shell_exec", {"command": "exit 3"}), ("commands", "grep", {"args": "x /dev/null"})],
)
def test_that_holds_in_other_presets(start: Start, preset: str, tool: str, arguments: dict[str, Any]) -> None:
    server = start("--shell", "bash", "--preset", preset, "--failures-are-results")
    assert server.call(tool, **arguments)["isError"] is False


@pytest.mark.req("reply-timeout-advice")
def test_a_timeout_says_what_to_do(start: Start) -> None:
    server = start("--shell", "bash")
    late = server.call("shell", command="sleep 9", timeout=1)
    advice = "If it needs longer, run it with a higher timeout (up to 1800) or in the background"
    assert advice in late["structuredContent"]["hints"][0]
    assert advice in text_of(late)
    fixed = start("--shell", "bash", "--preset", "shell-exec", "--timeout", "1")
    assert "start the server with a higher --timeout" in text_of(fixed.call("shell_exec", command="sleep 9"))


@pytest.mark.req("small-commands-list")
def test_the_list_of_thirteen_commands_is_small(start: Start) -> None:
    answer = start("--shell", "bash", "--preset", "commands").request("tools/list")
    assert len(answer["result"]["tools"]) == 13
    assert len(json.dumps(answer, separators=(",", ":"))) < 5000


@pytest.mark.req("null-is-absent")
def test_null_for_an_optional_argument_means_that_it_is_absent(start: Start, tmp_path: Path) -> None:
    optional = ("working_directory", "timeout", "environment", "output_limit", "stdin", "session", "wait")
    for server in (start("--shell", "bash"), start("--shell", "bash", env={"NACRE_PLAIN_SDK": "1"})):
        result = server.call("shell", command="pwd", **dict.fromkeys(optional))
        assert result["structuredContent"] == {"stdout": f"{tmp_path}\n", "stderr": "", "exit_code": 0}
        assert "command must be a string, not null" in text_of(server.call("shell", command=None))
        assert "Unknown argument: comand" in text_of(server.call("shell", command="true", comand=None))
    listed = start("--shell", "bash", "--preset", "commands").call("echo", args=None)
    assert text_of(listed) == "(no output)"


REQUIRED_ARGUMENTS: dict[str, dict[str, Any]] = {
    "shell": {"command": "true"},
    "shell_exec": {"command": "echo"},
    "execute_command": {"command": "true"},
    "session": {"action": "list"},
    "job": {"action": "list"},
    "read_file": {"path": "file"},
    "write_file": {"path": "file", "content": "x"},
    "list_directory": {"path": "."},
}


@pytest.mark.req("null-is-absent")
@pytest.mark.parametrize("sdk", [{}, {"NACRE_PLAIN_SDK": "1"}], ids=["fast", "sdk"])
@pytest.mark.parametrize("preset", ["agent", "commands", "shell-exec", "execute-command", "container"])
def test_null_means_absent_for_every_optional_argument_of_every_tool(
    start: Start, tmp_path: Path, preset: str, sdk: dict[str, str]
) -> None:
    (tmp_path / "file").write_text("x")
    own = ("--no-announce", "-w", str(tmp_path)) if preset == "container" else ("--shell", "bash")
    server = start(*own, "--preset", preset, env=sdk)
    for name, tool in tools_of(server).items():
        schema = tool["inputSchema"]
        required = {key: REQUIRED_ARGUMENTS[name][key] for key in schema.get("required", ())}
        nulls = dict.fromkeys(set(schema["properties"]) - set(required))
        plain, with_nulls = (server.call(name, **{**required, **more}) for more in ({}, nulls))
        if name != "set":  # which also shows what the shell has counted since
            assert with_nulls["content"] == plain["content"], name
        assert with_nulls.get("isError") == plain.get("isError"), name


@pytest.mark.req("null-is-absent")
@pytest.mark.parametrize("sdk", [{}, {"NACRE_PLAIN_SDK": "1"}], ids=["fast", "sdk"])
def test_null_for_all_arguments_or_all_parameters_means_that_there_are_none(
    start: Start, sdk: dict[str, str]
) -> None:
    server = start("--shell", "bash", "--preset", "commands", env=sdk)
    called = server.request("tools/call", {"name": "echo", "arguments": None, "_meta": None})["result"]
    assert text_of(called) == "(no output)"
    server.send({"jsonrpc": "2.0", "id": "listing", "method": "tools/list", "params": None})
    assert server.answer_to("listing")["result"]["tools"]
    wrong = server.request("tools/call", {"name": "echo", "arguments": []})["error"]
    assert "`arguments` must be an object" in wrong["message"]
    assert "description" in server.request("prompts/get", {"name": "intro", "arguments": None})["result"]


@pytest.mark.req("null-is-absent")
def test_that_holds_for_methods_without_a_handshake(start: Start, tmp_path: Path) -> None:
    server = start("--preset", "container", "--no-announce", "-w", str(tmp_path), greet=False)
    params = {"command": "echo", "args": None, "cwd": None, "env": None}
    assert server.request("shell/exec", params)["result"]["exitCode"] == 0


@pytest.mark.req("always-loaded")
def test_claude_code_is_asked_to_show_the_tool_at_once(start: Start) -> None:
    for server in (start("--shell", "bash"), start("--shell", "bash", env={"NACRE_PLAIN_SDK": "1"})):
        assert tools_of(server)["shell"]["_meta"] == {"anthropic/alwaysLoad": True}
        assert "_meta" not in tools_of(server)["session"]


@pytest.mark.req("004-table-output")
@pytest.mark.parametrize("session", [{}, {"session": "s"}], ids=["once", "session"])
def test_a_call_may_ask_for_more_than_is_usual(start: Start, session: dict[str, str]) -> None:
    server = start("--shell", "bash", "--max-output", "300KB")
    asked = "seq 40000"
    usual = server.call("shell", command=asked, **session)["structuredContent"]
    assert usual["truncated"]
    assert len(usual["stdout"]) < 40_000
    more = server.call("shell", command=asked, output_limit=300_000, **session)["structuredContent"]
    assert more["stdout"] == "".join(f"{number}\n" for number in range(1, 40001))
    assert "truncated" not in more
    assert "must be at most 300000" in text_of(server.call("shell", command=asked, output_limit=300_001))
    small = start("--shell", "bash", "--max-output", "1KB").call("shell", command=asked)
    assert len(small["structuredContent"]["stdout"]) < 2000


@pytest.mark.req("count-words")
def test_one_byte_is_not_bytes(start: Start) -> None:
    server = start("--shell", "bash", "--tools", "files")
    assert "(1 byte)" in text_of(server.call("write_file", path="one", content="x"))
    assert "1 line, 1 byte\n" in text_of(server.call("read_file", path="one"))
    server.call("write_file", path="two", content="x\ny\n")
    assert "2 lines, 4 bytes\n" in text_of(server.call("read_file", path="two"))
