"""The preset `shell-exec`: specification 001, driven by the document's own examples."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from process_table import gone, unique_seconds
from wire_client import MODERN, WireClient, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

PRESET = ("--preset", "shell-exec")
PLAIN = {"NACRE_PLAIN_SDK": "1"}

BASIC = """
{
  "name": "shell_exec",
  "parameters": {
    "command": "echo Hello, World!"
  }
}
"""
HEREDOC = r"""
{
  "name": "shell_exec",
  "parameters": {
    "command": "cat << EOF | grep 'example'\nThis is an example text.\nAnother line without the keyword.\nEOF"
  }
}
"""
PULL_REQUEST = r"""
{
  "name": "shell_exec",
  "parameters": {
    "command": "cat << EOF | gh pr create --title \"New Feature\" --body-file -\n## Summary\nThis is a PR for a new feature.\n\n## Changes\n- Feature A: Add login functionality\n- Feature B: Profile editing functionality\n\n## Tested Items\n- [x] Unit tests\n- [x] Integration tests\nEOF"
  }
}
"""  # noqa: E501  # as it stands in the document
GH = '#!/bin/sh\nfor word; do echo "<$word>"; done\ncat\n'


@pytest.fixture(scope="module")
def bash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """A server that many tests use: commands leave no trace in it. `gh` on its PATH is ours."""
    home = tmp_path_factory.mktemp("work")
    (home / "gh").write_text(GH)
    (home / "gh").chmod(0o755)
    path = {"PATH": f"{home}:{os.environ['PATH']}"}
    with WireClient(*PRESET, "-s", "bash", cwd=home, env=path) as client:
        client.shake_hands()
        yield client


def run(client: WireClient, command: str) -> dict[str, Any]:
    return client.call("shell_exec", command=command)


def both_roads(start: Start, *options: str) -> list[WireClient]:
    return [start(*PRESET, *options), start(*PRESET, *options, env=PLAIN)]


# -- the tool


@pytest.mark.req("001-tool")
@pytest.mark.req("001-only-tool")
def test_one_tool_with_one_string_parameter(bash: WireClient) -> None:
    (tool,) = bash.request("tools/list")["result"]["tools"]
    assert tool["name"] == "shell_exec"
    assert tool["description"].startswith("Executes commands in the specified shell (bash)")
    assert list(tool["inputSchema"]["properties"]) == ["command"]
    assert tool["inputSchema"]["properties"]["command"]["type"] == "string"
    assert tool["inputSchema"]["required"] == ["command"]


@pytest.mark.req("001-example-basic")
@pytest.mark.req("001-single-line")
@pytest.mark.req("001-example-words")
@pytest.mark.parametrize(
    ("example", "printed"),
    [
        pytest.param(BASIC, "Hello, World!\n", id="basic"),
        pytest.param(HEREDOC, "This is an example text.\n", id="heredoc"),
    ],
)
@pytest.mark.req("001-example-heredoc")
@pytest.mark.req("001-multi-line")
def test_the_examples_of_the_document_run_as_they_stand(bash: WireClient, example: str, printed: str) -> None:
    call = json.loads(example)
    result = bash.request("tools/call", call)["result"]
    assert result == {"content": [{"type": "text", "text": printed}], "isError": False}
    in_mcps_words = {"name": call["name"], "arguments": call["parameters"]}
    assert bash.request("tools/call", in_mcps_words)["result"] == result


@pytest.mark.req("001-example-pull-request")
def test_the_pull_request_example_gives_gh_its_arguments_and_its_text(bash: WireClient) -> None:
    text = text_of(bash.request("tools/call", json.loads(PULL_REQUEST))["result"])
    arguments, _, body = text.partition("## Summary\n")
    assert arguments == "<pr>\n<create>\n<--title>\n<New Feature>\n<--body-file>\n<->\n"
    assert body.startswith("This is a PR for a new feature.\n\n## Changes\n- Feature A: Add login")
    assert body.endswith("## Tested Items\n- [x] Unit tests\n- [x] Integration tests\n")


@pytest.mark.req("001-example-words")
def test_the_examples_words_are_understood_on_the_sdks_road_too(start: Start) -> None:
    server = start(*PRESET, "-s", "sh", env=PLAIN)
    assert text_of(server.request("tools/call", json.loads(BASIC))["result"]) == "Hello, World!\n"


@pytest.mark.req("001-multi-line")
def test_several_lines_are_one_script(bash: WireClient) -> None:
    script = 'greet() {\n  echo "hello $1"\n}\nfor name in a b; do\n  greet $name\ndone'
    assert text_of(run(bash, script)) == "hello a\nhello b\n"


# -- results


@pytest.mark.req("001-result")
def test_a_success_is_what_was_printed_and_nothing_else(bash: WireClient) -> None:
    assert run(bash, "printf 'no newline'") == {
        "content": [{"type": "text", "text": "no newline"}],
        "isError": False,
    }
    assert text_of(run(bash, "true")) == ""


@pytest.mark.req("001-result")
def test_what_was_printed_on_stderr_alone_is_the_result(bash: WireClient) -> None:
    reply = run(bash, "echo warning >&2")
    assert reply["content"] == [{"type": "text", "text": "warning\n"}]
    assert reply["isError"] is False


@pytest.mark.req("001-result")
def test_beside_stdout_stderr_stands_in_a_block_of_its_own(bash: WireClient) -> None:
    reply = run(bash, """echo '{"a": 1}'; echo warning >&2""")
    first, second = [part["text"] for part in reply["content"]]
    assert json.loads(first) == {"a": 1}
    assert second == "--- stderr\nwarning\n"


def test_a_process_that_is_left_running_is_reported(bash: WireClient) -> None:
    seconds = unique_seconds()
    until_it_is_sleep = "until grep -q sleep /proc/$!/cmdline; do :; done"  # and no shell any more
    reply = run(bash, f"sleep {seconds} & {until_it_is_sleep}; echo $!")
    first, second = [part["text"] for part in reply["content"]]
    assert second.startswith(f"still running: {first.strip()} sleep {seconds} (its output goes to /")
    run(bash, f"kill {first}")
    assert gone(seconds)


@pytest.mark.req("001-failure")
@pytest.mark.req("001-error-message")
def test_a_failure_is_an_error_with_its_code_and_all_that_was_printed(bash: WireClient) -> None:
    reply = run(bash, "echo out; echo err >&2; exit 3")
    assert reply["isError"] is True
    assert text_of(reply) == "Command failed with exit code 3\n--- stdout\nout\n--- stderr\nerr"


@pytest.mark.req("001-failure")
def test_a_signal_and_a_missing_command_are_reported_as_what_they_are(bash: WireClient) -> None:
    assert text_of(run(bash, "kill -9 $$")).startswith("Command was ended by SIGKILL\n")
    missing = text_of(run(bash, "sleeep 1"))
    assert missing.startswith("Command failed with exit code 127\n")
    assert "Did you mean sleep?" in missing


@pytest.mark.req("001-failure")
def test_a_timeout_kills_the_tree_and_keeps_what_was_printed(start: Start) -> None:
    server = start(*PRESET, "-s", "bash", "--timeout", "1")
    seconds = unique_seconds()
    reply = run(server, f"echo so far; sleep {seconds} & sleep {seconds}")
    assert reply["isError"] is True
    assert text_of(reply).startswith("Command timed out after 1 seconds; everything it started was killed\n")
    assert text_of(reply).endswith("--- stdout\nso far")
    assert gone(seconds)


@pytest.mark.req("001-error-message")
def test_what_cannot_be_run_is_an_error_result_and_no_fault_of_the_parameters(
    start: Start, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    for server in both_roads(start, "-w", str(place), "--deny", "rm*"):
        denied = run(server, "rm x")
        assert denied["isError"] is True
        assert "Denied by the policy: Command 'rm' is denied (rule: rm*)." in text_of(denied)
        place.rmdir()
        lost = run(server, "echo hi")
        assert lost["isError"] is True
        assert f"does not exist: {place}" in text_of(lost)
        place.mkdir()


# -- errors by name


BAD_CALLS: list[dict[str, Any]] = [
    {"name": "shell_exec", "arguments": {}},
    {"name": "shell_exec"},
    {"name": "shell_exec", "arguments": {"command": ""}},
    {"name": "shell_exec", "arguments": {"command": 1}},
    {"name": "shell_exec", "arguments": {"command": "true", "shell": "zsh"}},
    {"name": "shell_exec", "arguments": {"command": "echo a\0b"}},
    {"name": "shell_exec", "arguments": "true"},
    {"name": "shell_exec", "arguments": None},
    {"name": "shell_exec", "parameters": ["true"]},
    {"name": 1, "arguments": {}},
    {"arguments": {"command": "true"}},
]


@pytest.mark.req("001-invalid-parameters")
def test_invalid_parameters_are_named_so_on_every_road(start: Start) -> None:
    fast, plain = both_roads(start)
    for call in BAD_CALLS:
        answers = [server.request("tools/call", call)["error"] for server in (fast, plain)]
        modern = fast.request("tools/call", {**call, "_meta": MODERN})["error"]
        for error in (*answers, modern):
            assert error["code"] == -32602, call
            assert error["message"].startswith("InvalidParameters: "), call
            assert error["data"] == {"code": "InvalidParameters"}
        assert answers[0] == answers[1]


@pytest.mark.req("001-tool-not-found")
def test_a_tool_that_does_not_exist_is_named_so_on_every_road(start: Start) -> None:
    fast, plain = both_roads(start)
    call = {"name": "shell_run", "arguments": {"command": "true"}}
    modern = start(*PRESET, greet=False)
    answers = [server.request("tools/call", call) for server in (fast, plain)]
    answers.append(modern.request("tools/call", {**call, "_meta": MODERN}))
    for answer in answers:
        assert answer["error"] == {
            "code": -32602,
            "message": "ToolNotFound: there is no tool 'shell_run'",
            "data": {"code": "ToolNotFound"},
        }


def test_a_client_of_2026_gets_the_same_answers(start: Start, bash: WireClient) -> None:
    modern = start(*PRESET, "-s", "bash", greet=False)
    for command in ("echo hi", "echo out; echo err >&2", "exit 3"):
        call = {"name": "shell_exec", "arguments": {"command": command}}
        new = modern.request("tools/call", {**call, "_meta": MODERN})["result"]
        old = bash.request("tools/call", call)["result"]
        assert new["isError"] == old["isError"]
        shown = [[part["text"].partition(" (")[0] for part in result["content"]] for result in (new, old)]
        assert shown[0] == shown[1]
    bad = modern.request("tools/call", {"name": "shell_exec", "arguments": {}, "_meta": MODERN})
    assert bad["error"]["data"] == {"code": "InvalidParameters"}


# -- which shell


SHELLS = {
    "bash": "a=(x y); echo ${#a[@]} $BASH_VERSION",
    "zsh": "a=(x y); echo ${#a} $ZSH_VERSION",
    "fish": "set a x y; echo (count $a) $FISH_VERSION",
    "elvish": "var a = [x y]; echo (count $a) $version",
    "dash": "set -- x y; echo $# dash",
    "ksh": "set -A a x y; echo ${#a[@]} $KSH_VERSION",
    "mksh": "set -A a x y; echo ${#a[@]} $KSH_VERSION",
    "yash": "a=(x y); echo ${a[#]} $YASH_VERSION",
    "busybox": "set -- x y; echo $# busybox",
}


@pytest.mark.req("001-various-shells")
@pytest.mark.req("001-shell-option")
@pytest.mark.req("001-configured-shell")
@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_runs_what_is_its_own(start: Start, shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    server = start(*PRESET, "-s", shell)
    text = text_of(run(server, SHELLS[shell]))
    assert re.fullmatch(r"2 \S.*\n", text), text
    failed = run(server, "echo one\necho two\nexit 7")
    assert failed["isError"] is True
    assert text_of(failed).startswith("Command failed with exit code 7\n")
    if shell not in {"fish", "elvish"}:  # which have no heredocs
        heredoc = json.loads(HEREDOC)
        text = text_of(server.request("tools/call", heredoc)["result"])
        # ksh waits for the last program of a pipeline only: the first may be listed as still running.
        assert text.partition("still running")[0] == "This is an example text.\n"


@pytest.mark.req("001-shell-default")
@pytest.mark.req("001-shell-option")
@pytest.mark.req("001-bash-default")
@pytest.mark.parametrize(
    ("options", "variable", "expected"),
    [
        (("-s", "dash"), "/bin/bash", "dash"),
        (("--shell", "/bin/dash"), "/bin/bash", "dash"),
        ((), "/bin/dash", "dash"),
        ((), "", "bash"),
        ((), "/no/such/shell", "bash"),
    ],
)
def test_the_shell_is_the_options_then_the_persons_then_the_platforms(
    start: Start, options: tuple[str, ...], variable: str, expected: str
) -> None:
    server = start(*PRESET, *options, "--login-env", "never", env={"SHELL": variable})
    assert text_of(run(server, 'echo "${BASH_VERSION:+bash}${BASH_VERSION:-dash}"')).startswith(expected)


@pytest.mark.req("001-start-up-information")
def test_shell_platform_host_and_user_are_announced_at_start_up(start: Start) -> None:
    server = start(*PRESET, "-s", "dash", greet=False)
    instructions = server.shake_hands()["instructions"]
    server.hang_up()
    assert server.wait() == 0
    assert server.read_rest() == []
    for said in (instructions, server.stderr.decode()):
        assert re.search(r"shell \S*/dash, platform Linux \S+, host \S+, user \S+", said)
