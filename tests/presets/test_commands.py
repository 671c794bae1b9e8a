"""The preset `commands` (specification 000), over stdio, in POSIX shells."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from process_table import carrying, gone, unique_seconds
from wire_client import HANDSHAKE, MODERN, NACRE, PATIENCE_S, WireClient, ended_records, text_of, told_of

from nacre.errors import RequestError
from nacre.keeper.launch import launch
from nacre.settings import configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

PRESET = ("--preset", "commands", "--shell", "bash")
POSIX_LIST = ["ls", "echo", "curl", "cat", "find", "grep", "cd", "which", "export", "set", "podman"]
CMD_LIST = ["dir", "echo", "curl", "type", "find", "findstr", "cd", "where", "set", "podman"]
OWN_TOOLS = ["restart", "list_commands"]
SHAPE = {"success", "command", "output", "exit_code", "reason", "code"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WireClient]:
    """A server for tests that leave its shell as they found it."""
    with WireClient(*PRESET, cwd=tmp_path_factory.mktemp("work")) as client:
        client.shake_hands()
        yield client


def checked_data(result: dict[str, Any]) -> dict[str, Any]:
    """A reply's data, which must have the shape of every reply."""
    shown = told_of(result)
    assert set(shown) >= SHAPE
    assert result["isError"] is (not shown["success"])
    assert (shown["reason"] is None) is shown["success"]
    return shown


def run(client: WireClient, command: str, args: str | None = None) -> dict[str, Any]:
    return checked_data(client.call(command, **({} if args is None else {"args": args})))


def output(client: WireClient, command: str, args: str | None = None) -> str:
    shown = run(client, command, args)
    assert shown["success"], shown
    return shown["output"]


def names(client: WireClient) -> list[str]:
    return [tool["name"] for tool in client.request("tools/list")["result"]["tools"]]


def descendants(pid: int) -> dict[int, str]:
    """The processes below a process, with their names."""
    parents: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            head, _, rest = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue
        parents[int(entry.name)] = int(rest.split()[1]), head.partition("(")[2]
    found: dict[int, str] = {}
    for one, (_, name) in parents.items():
        above = one
        while above in parents and above != pid:
            above = parents[above][0]
        if above == pid and one != pid:
            found[one] = name
    return found


def shells(client: WireClient) -> list[int]:
    return [pid for pid, name in descendants(client.process.pid).items() if name == "bash"]


def until(condition: Callable[[], Any]) -> None:
    """Look until something is so: the process table sends no events."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it did not come to pass"


def news(client: WireClient, method: str) -> dict[str, Any]:
    """The next notification of that kind."""
    while True:
        for index, message in enumerate(client.others):
            if message.get("method") == method:
                return client.others.pop(index)
        client.others.append(client.receive())


# -- the interface


@pytest.mark.req("000-mcp-server")
@pytest.mark.req("000-protocol")
@pytest.mark.req("000-allowlist")
@pytest.mark.req("000-one-tool-each")
def test_each_command_of_the_list_is_a_tool(start: Start) -> None:
    client = start(*PRESET, greet=False)
    greeting = client.shake_hands()
    assert greeting["capabilities"] == {"prompts": {}, "tools": {"listChanged": True}}
    tools = client.request("tools/list")["result"]["tools"]
    assert [tool["name"] for tool in tools] == POSIX_LIST + OWN_TOOLS
    assert all(tool["description"] for tool in tools)
    for tool in tools[: len(POSIX_LIST)]:
        assert list(tool["inputSchema"]["properties"]) == ["args"]
        assert tool["inputSchema"]["properties"]["args"]["type"] == "string"
        assert "required" not in tool["inputSchema"]


@pytest.mark.req("000-allowlist")
def test_the_list_for_cmd_is_the_documents_own() -> None:
    config = configuration.configure({}, preset="commands")
    assert config.commands_for("cmd") == tuple(CMD_LIST)
    assert config.commands_for("posix") == tuple(POSIX_LIST)


@pytest.mark.req("000-args")
def test_arguments_are_one_optional_string(shared: WireClient) -> None:
    assert output(shared, "echo") == ""
    assert output(shared, "echo", "") == ""
    assert output(shared, "echo", "  a  'b  c'\td ") == "a b  c d"
    assert run(shared, "echo")["command"] == "echo"
    wrong = checked_data(shared.call("ls", args=["-l"]))
    assert (wrong["code"], wrong["reason"]) == ("bad_request", "args must be a string, not an array.")
    assert "Unknown argument: arg." in checked_data(shared.call("ls", arg="-l"))["reason"]


@pytest.mark.req("000-intro")
def test_the_intro_prompt_describes_the_tools_that_are_there(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('commands = ["ls", "uname"]\n')
    client = start(*PRESET, "--config", str(file))
    (prompt,) = client.request("prompts/list")["result"]["prompts"]
    assert prompt["name"] == "intro"

    def intro() -> str:
        return client.request("prompts/get", {"name": "intro"})["result"]["messages"][0]["content"]["text"]

    assert re.findall(r"^- (\w+):", intro(), re.MULTILINE) == ["ls", "uname", *OWN_TOOLS]
    file.write_text('commands = ["ls", "date"]\n')
    news(client, "notifications/tools/list_changed")
    assert re.findall(r"^- (\w+):", intro(), re.MULTILINE) == ["ls", "date", *OWN_TOOLS]


@pytest.mark.req("000-list-commands")
def test_a_tool_lists_the_commands(shared: WireClient) -> None:
    shown = checked_data(shared.call("list_commands"))
    assert [each["name"] for each in shown["commands"]] == POSIX_LIST
    assert shown["output"].splitlines()[0] == "ls: List the files of a directory."


@pytest.mark.req("000-stdio-only")
def test_nothing_listens_and_nothing_is_connected(shared: WireClient) -> None:
    output(shared, "echo", "up")
    inodes: set[str] = set()
    for pid in (shared.process.pid, *descendants(shared.process.pid)):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            inodes.update(re.findall(r"socket:\[(\d+)\]", os.readlink(entry)))
    for kind in ("tcp", "tcp6", "udp", "udp6", "raw", "unix"):
        rows = Path(f"/proc/{shared.process.pid}/net/{kind}").read_text().splitlines()[1:]
        named = [row for row in rows if kind != "unix" or len(row.split()) > 7]  # a unix socket with a path
        assert not inodes & {field for row in named for field in row.split()}, kind


@pytest.mark.req("000-clients")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_lists_and_calls(mode: str) -> None:
    async def talk() -> None:
        parameters = StdioServerParameters(command=NACRE[0], args=[*NACRE[1:], *PRESET])
        async with Client(stdio_client(parameters), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == POSIX_LIST + OWN_TOOLS
            result = await client.call_tool("echo", {"args": "'a;b'"})
            assert result.structured_content is not None
            assert result.structured_content["output"] == "a;b"
            refused = await client.call_tool("echo", {"args": "a;b"})
            assert refused.is_error is True
            assert (await client.list_prompts()).prompts[0].name == "intro"

    anyio.run(talk)


def test_both_roads_give_the_same_answers(start: Start) -> None:
    def conversation(client: WireClient) -> list[dict[str, Any]]:
        answers = [client.request("tools/list"), client.request("prompts/get", {"name": "intro"})]
        calls: list[tuple[str, dict[str, Any]]] = [
            ("echo", {"args": "a 'b;c'"}), ("echo", {"args": "a;b"}), ("ls", {"args": "/nowhere"}),
            ("echo", {"args": 5}), ("restart", {}), ("list_commands", {}), ("nothing", {}),
        ]  # fmt: skip
        answers += [client.request("tools/call", {"name": n, "arguments": a}) for n, a in calls]
        for answer in answers:
            answer.get("result", {}).get("_meta", {}).get("metadata", {}).pop("execution_time_ms", None)
        return answers

    assert conversation(start(*PRESET)) == conversation(start(*PRESET, env={"NACRE_PLAIN_SDK": "1"}))


# -- the list


@pytest.mark.req("000-source-of-truth")
def test_a_line_in_the_configuration_is_a_tool(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('preset = "commands"\ncommands = ["echo", "basename"]\n')
    client = start("--config", str(file))
    assert names(client) == ["echo", "basename", *OWN_TOOLS]
    assert output(client, "basename", "/a/b.c .c") == "b"
    answer = client.request("tools/call", {"name": "ls", "arguments": {}})
    assert answer["error"] == {"code": -32602, "message": "Unknown tool: ls"}


@pytest.mark.req("000-source-of-truth")
def test_a_table_has_a_list_for_each_family_of_shells(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[commands]\ncmd = ["dir"]\nposix = ["ls"]\n')
    assert names(start(*PRESET, "--config", str(file))) == ["ls", *OWN_TOOLS]
    assert configuration.configure({"commands": {"cmd": ["dir"]}}).commands_for("posix") == ()


@pytest.mark.parametrize(
    "commands",
    [["restart"], ["list_commands"], ["a b"], ["../x"], [""], [5], "ls", ["ls;"], {"fish": ["ls"]}],
)
def test_a_list_that_cannot_be_used_is_refused(commands: Any) -> None:
    with pytest.raises(RequestError, match="commands"):
        configuration.configure({"commands": commands}, preset="commands")


@pytest.mark.req("000-live-list")
def test_the_list_is_followed_while_the_server_runs(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('commands = ["echo", "cd"]\n')
    client = start(*PRESET, "--config", str(file))
    output(client, "cd", "/usr")
    file.write_text('commands = ["echo", "pwd", "dirname"]\n')
    assert news(client, "notifications/tools/list_changed") == {
        "jsonrpc": "2.0",
        "method": "notifications/tools/list_changed",
    }
    assert names(client) == ["echo", "pwd", "dirname", *OWN_TOOLS]
    assert output(client, "pwd") == "/usr"  # the same shell
    assert client.request("tools/call", {"name": "cd", "arguments": {}})["error"]["code"] == -32602
    replacement = tmp_path / "new.toml"  # as editors do it
    replacement.write_text('commands = ["cd"]\n')
    replacement.replace(file)
    news(client, "notifications/tools/list_changed")
    assert names(client) == ["cd", *OWN_TOOLS]


@pytest.mark.req("000-live-list")
def test_the_default_file_is_followed_too_from_its_first_day(start: Start, tmp_path: Path) -> None:
    client = start(*PRESET, env={"XDG_CONFIG_HOME": str(tmp_path)})
    assert names(client) == POSIX_LIST + OWN_TOOLS
    (tmp_path / "nacre").mkdir()
    (tmp_path / "nacre" / "config.toml").write_text('commands = ["uname"]\n')
    news(client, "notifications/tools/list_changed")
    assert names(client) == ["uname", *OWN_TOOLS]
    (tmp_path / "nacre" / "config.toml").unlink()
    news(client, "notifications/tools/list_changed")
    assert names(client) == POSIX_LIST + OWN_TOOLS


@pytest.mark.req("000-live-list")
@pytest.mark.parametrize(
    "broken", ["commands = [", 'commands = ["a b"]', "comands = []", 'preset = "agent"', "preset = 5"]
)
def test_a_broken_file_changes_nothing_and_is_logged(start: Start, tmp_path: Path, broken: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text('commands = ["echo", "pwd"]\n')
    options = ("--shell", "bash") if broken.startswith("preset") else PRESET
    if broken.startswith("preset"):
        file.write_text('preset = "commands"\ncommands = ["echo", "pwd"]\n')
    client = start(*options, "--config", str(file))
    file.write_text(broken)
    until(lambda: names(client) and b"cannot be used; the settings before it stay" in client.stderr)
    assert names(client) == ["echo", "pwd", *OWN_TOOLS]
    assert output(client, "echo", "fine") == "fine"
    file.write_text('preset = "commands"\ncommands = ["pwd"]\n')
    news(client, "notifications/tools/list_changed")
    assert names(client) == ["pwd", *OWN_TOOLS]


@pytest.mark.req("000-live-list")
def test_a_client_of_2026_is_told_through_its_subscription(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('commands = ["echo"]\n')
    client = start(*PRESET, "--config", str(file), greet=False)
    found = client.request("server/discover", {"_meta": MODERN})["result"]
    assert found["capabilities"]["tools"] == {"listChanged": True}
    listening = client.post(
        "subscriptions/listen", {"_meta": MODERN, "notifications": {"toolsListChanged": True}}
    )
    news(client, "notifications/subscriptions/acknowledged")
    file.write_text('commands = ["echo", "pwd"]\n')
    change = news(client, "notifications/tools/list_changed")
    assert change["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == listening
    tools = client.request("tools/list", {"_meta": MODERN})["result"]["tools"]
    assert [tool["name"] for tool in tools] == ["echo", "pwd", *OWN_TOOLS]
    called = client.request("tools/call", {"_meta": MODERN, "name": "pwd", "arguments": {}})["result"]
    assert told_of(called)["success"] is True


@pytest.mark.req("000-live-list")
def test_rules_of_the_file_are_followed_too(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('commands = ["echo", "find"]\n')
    client = start(*PRESET, "--config", str(file))
    assert run(client, "find", ". -maxdepth 0 -fprintf made x")["code"] == "denied"
    file.write_text('commands = ["echo", "find", "pwd"]\n[policy]\nallow_writes = true\n')
    news(client, "notifications/tools/list_changed")
    assert run(client, "find", ". -maxdepth 0 -fprintf made x")["success"]
    assert (tmp_path / "made").read_text() == "x"


def test_an_empty_list_lets_nothing_run(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("commands = []\n")
    client = start(*PRESET, "--config", str(file))
    assert names(client) == OWN_TOOLS
    assert checked_data(client.call("list_commands"))["output"] == "There are no commands on the list."


def test_the_list_is_a_lock_in_every_preset(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('commands = ["echo"]\n')
    client = start("--shell", "bash", "--config", str(file))
    assert client.shell("echo hi")["stdout"] == "hi\n"
    for text in ("echo hi; ls", "ls", "echo $HOME", " echo"):
        assert "rule: one command" in text_of(client.call("shell", command=text))


def test_a_shell_that_quotes_in_its_own_way_is_refused_at_the_start(start: Start) -> None:
    client = start("--preset", "commands", "--shell", "fish", greet=False)
    assert client.read_rest() == []
    assert client.wait() == 2
    assert b"fish: a list of commands cannot be enforced in this shell" in client.stderr


# -- security

ATTACKS = [
    "x && touch pwned", "x || touch pwned", "x; touch pwned", "x | touch pwned", "x > pwned", "x >> pwned",
    "x >pwned",
    "x 2>pwned", "x &> pwned", "< /dev/null > pwned", "<< pwned", "x & touch pwned", "x &touch pwned",
    "$(touch pwned)",
    "`touch pwned`", "x\ntouch pwned", "x\r\ntouch pwned", "x\rtouch pwned", "\\\ntouch pwned",
    "'x';touch pwned",
    "'x'; touch pwned; echo 'y'", '"x"; touch pwned; echo "y"', '"$(touch pwned)"', '"`touch pwned`"',
    "x' ; touch pwned ; echo ' ; y", "\\'; touch pwned; \\'", "${x:-$(touch pwned)}",
    "$((x[$(touch pwned)]))",
    "<(touch pwned)", ">(touch pwned)", "() { touch pwned; }", "() touch pwned", "x %COMSPEC%",
    "x ^& touch pwned",
    "!!", "!touch", "x;touch\tpwned", "\x1b;touch pwned", "x #\ntouch pwned",
    "x\u0000;touch pwned", "x\x85touch pwned", "'unclosed", '"unclosed', "trailing\\",
]  # fmt: skip


@pytest.mark.req("000-operators")
@pytest.mark.req("000-operators-hidden")
@pytest.mark.parametrize("args", ATTACKS)
def test_an_injection_is_refused_and_nothing_runs(shared: WireClient, args: str) -> None:
    before = output(shared, "ls", "-a")
    for command in ("echo", "cd", "export"):
        refused = run(shared, command, args)
        assert refused["code"] in ("denied", "bad_request")
        assert (refused["output"], refused["exit_code"]) == ("", None)
    assert output(shared, "ls", "-a") == before


@pytest.mark.req("000-operators-quoted")
@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("'", "a && b || c; d | e > f >> g < h << i & j ^ k % l $ m ! call start"),
        ('"', "a && b || c; d | e > f < g & h ^ i % j call start"),
        ("'", "$(touch pwned) `touch pwned` ${x}"),
        ("'", 'a"b; touch pwned'),
        ('"', "it's"),
        ("", "\N{FULLWIDTH SEMICOLON} touch \N{FULLWIDTH AMPERSAND}"),
        ("", "started restart recall"),
    ],
)
def test_text_that_only_looks_like_operators_passes(shared: WireClient, quote: str, text: str) -> None:
    assert output(shared, "echo", f"{quote}{text}{quote}") == text


@pytest.mark.req("000-no-injection")
@pytest.mark.parametrize(
    ("command", "args"),
    [
        ("find", ". -exec touch pwned ';'"),
        ("find", ". -exec touch pwned {} +"),
        ("find", ". -execdir sh -c 'touch pwned' ';'"),
        ("find", ". -delete"),
        ("find", ". -fprintf pwned x"),
        ("curl", "-o pwned file:///etc/hostname"),
        ("curl", "-K evil.conf"),
        ("export", "PATH=/tmp"),
        ("export", "{PATH,X}=/tmp"),
        ("export", "'PATH=/tmp'"),
        ("export", "LD_PRELOAD=./evil.so"),
        ("export", "BASH_ENV=evil"),
        ("export", "PROMPT_COMMAND='touch pwned'"),
        ("export", "-f ls"),
        ("set", "-k"),
        ("set", "-o posix"),
        ("podman", "run --rm alpine touch pwned"),
        ("podman", "exec box sh"),
        ("podman", "--connection evil ps"),
    ],
)
def test_arguments_cannot_change_what_runs(shared: WireClient, command: str, args: str) -> None:
    before = output(shared, "ls", "-a")
    refused = run(shared, command, args)
    assert refused["code"] == "denied", refused
    assert output(shared, "ls", "-a") == before


@pytest.mark.req("000-no-injection")
def test_what_a_listed_command_may_run_is_listed_too(shared: WireClient) -> None:
    assert output(shared, "find", ". -maxdepth 0 -exec echo found {} ';'") == "found ."


@pytest.mark.req("000-no-injection")
def test_a_person_can_open_what_is_closed(start: Start, tmp_path: Path) -> None:
    file, bin_ = tmp_path / "config.toml", tmp_path / "bin"
    bin_.mkdir()
    (bin_ / "podman").write_text('#!/bin/sh\necho "podman got: $*"\n')
    (bin_ / "podman").chmod(0o755)
    file.write_text('[policy]\nallow = ["podman run *"]\n')
    client = start(*PRESET, "--config", str(file), env={"PATH": f"{bin_}:{os.environ['PATH']}"})
    assert output(client, "podman", "run --rm box") == "podman got: run --rm box"
    assert run(client, "podman", "exec box sh")["code"] == "denied"
    assert run(client, "ls", "; podman ps")["code"] == "denied"


# -- one shell


@pytest.mark.req("000-one-shell")
@pytest.mark.req("000-started-once")
@pytest.mark.req("000-same-shell")
def test_there_is_one_shell_from_the_start_to_the_end(start: Start) -> None:
    client = start(*PRESET)
    until(lambda: shells(client))
    (shell,) = shells(client)
    for command, args in (
        ("echo", "a"),
        ("ls", "/nowhere"),
        ("cd", "/"),
        ("echo", "a;b"),
        ("cat", "/dev/null"),
    ):
        run(client, command, args)
        assert shells(client) == [shell]


@pytest.mark.req("000-popen")
def test_the_shell_lives_below_the_one_process_that_the_server_starts(start: Start) -> None:
    client = start(*PRESET)
    run(client, "echo")
    below = [pid for pid in descendants(client.process.pid) if parent_of(pid) == client.process.pid]
    keepers = [parent_of(shell) for shell in shells(client)]
    assert [parent_of(keeper) for keeper in keepers] == below  # the guardian above the keeper
    launched = launch()
    assert isinstance(launched.process, subprocess.Popen)
    with launched.process as keeper:
        assert keeper.stdin
        keeper.stdin.close()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.req("000-one-shell")
def test_calls_wait_for_their_turn(start: Start, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('commands = ["sleep", "echo"]\n')
    client = start(*PRESET, "--config", str(tmp_path / "config.toml"))
    posted = [
        client.post_call("sleep", {"args": "0.2"}),
        *(client.post_call("echo", {"args": f"{n}"}) for n in range(8)),
    ]
    answered = [client.receive()["id"] for _ in posted]
    assert answered == posted
    assert len(shells(client)) == 1


@pytest.mark.req("000-state")
def test_state_is_kept_from_call_to_call(start: Start) -> None:
    client = start(*PRESET)
    output(client, "cd", "/usr/lib")
    output(client, "export", "COLOUR='deep blue'")
    output(client, "set", "-- one two")
    assert run(client, "ls", "-d .")["working_directory"] == "/usr/lib"
    assert "COLOUR='deep blue'" in output(client, "set").splitlines()
    assert 'declare -x COLOUR="deep blue"' in output(client, "export").splitlines()


@pytest.mark.req("000-restart-tool")
@pytest.mark.req("000-restart")
def test_restart_gives_a_clean_shell(start: Start, tmp_path: Path) -> None:
    client = start(*PRESET)
    output(client, "cd", "/usr")
    output(client, "export", "COLOUR=blue")
    (before,) = shells(client)
    done = checked_data(client.call("restart"))
    assert done["output"].endswith(f"A new shell is there, with a clean environment, in {tmp_path}.")
    until(lambda: shells(client))
    (after,) = shells(client)
    assert after != before
    assert "COLOUR" not in output(client, "export")
    assert run(client, "echo")["working_directory"] == str(tmp_path)


@pytest.mark.req("000-restart-tool")
def test_restart_ends_a_command_that_runs_and_those_that_wait_get_the_new_shell(
    start: Start, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text('commands = ["sleep", "echo", "export"]\n')
    client = start(*PRESET, "--config", str(tmp_path / "config.toml"))
    output(client, "export", "COLOUR=blue")
    mark = unique_seconds()
    running = client.post_call("sleep", {"args": mark})
    until(lambda: carrying(mark))
    waiting = client.post_call("export", {})
    restart = client.post_call("restart", {})
    assert checked_data(client.answer_to(restart)["result"])["success"]
    ended = checked_data(client.answer_to(running)["result"])
    assert (ended["code"], ended["success"]) == ("shell_died", False)
    assert "was restarted" in ended["note"]
    assert gone(mark)
    fresh = checked_data(client.answer_to(waiting)["result"])
    assert fresh["success"]
    assert "COLOUR" not in fresh["output"]
    assert len(shells(client)) == 1


@pytest.mark.req("000-restart-tool")
def test_restarts_at_once_leave_one_shell(start: Start) -> None:
    client = start(*PRESET)
    output(client, "echo")
    posted = [client.post_call("restart", {}) for _ in range(4)] + [client.post_call("echo", {"args": "up"})]
    assert all(checked_data(client.answer_to(identity)["result"])["success"] for identity in posted)
    assert len(shells(client)) == 1


@pytest.mark.req("000-death")
@pytest.mark.req("000-restarted-only")
def test_a_shell_that_dies_is_replaced_and_the_caller_is_told(start: Start) -> None:
    client = start(*PRESET)
    output(client, "cd", "/usr")
    output(client, "export", "COLOUR=blue")
    (shell,) = shells(client)
    os.kill(shell, signal.SIGKILL)
    until(lambda: not Path(f"/proc/{shell}").exists())
    shown = run(client, "ls", "-d .")
    assert shown["success"]
    assert (
        shown["note"] == "A new shell: the one before it was ended by SIGKILL. Only the directory was kept."
    )
    assert shown["working_directory"] == "/usr"
    assert run(client, "echo")["note"] == ""
    assert "COLOUR" not in output(client, "export")
    assert len(shells(client)) == 1


@pytest.mark.req("000-death")
def test_a_shell_that_dies_in_a_command_is_reported_as_a_failure(start: Start, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('commands = ["sleep", "echo"]\n')
    client = start(*PRESET, "--config", str(tmp_path / "config.toml"))
    output(client, "echo")
    mark = unique_seconds()
    running = client.post_call("sleep", {"args": mark})
    until(lambda: carrying(mark))
    os.kill(shells(client)[0], signal.SIGKILL)
    died = checked_data(client.answer_to(running)["result"])
    assert (died["code"], died["reason"]) == ("shell_died", "the shell ended with signal SIGKILL")
    assert output(client, "echo", "again") == "again"


@pytest.mark.req("000-death")
def test_a_shell_that_dies_just_before_a_command_holds_nobody_up(start: Start) -> None:
    client = start(*PRESET)
    for number in range(12):
        output(client, "echo")
        os.kill(shells(client)[0], signal.SIGKILL)
        shown = run(client, "echo", f"{number}")  # it may die before, or while, it gets the command
        assert (shown["code"], shown["output"]) in (("ok", f"{number}"), ("shell_died", ""))


@pytest.mark.req("000-restarted-only")
def test_the_shell_is_never_closed_for_being_idle() -> None:
    config = configuration.configure({}, preset="commands")
    assert (config.session_idle_s, config.max_sessions) == (0, 1)


def test_the_shell_stands_where_it_was_started_whatever_roots_a_client_has(
    start: Start, tmp_path: Path
) -> None:
    client = start(*PRESET, greet=False)
    client.request("initialize", {**HANDSHAKE, "capabilities": {"roots": {}}})
    client.notify("notifications/initialized")
    assert run(client, "echo")["working_directory"] == str(tmp_path)
    assert [message for message in client.others if message.get("method") == "roots/list"] == []


# -- output, replies, timeouts, log


@pytest.mark.req("000-plain-words")
def test_call_and_start_are_words_where_no_shell_acts_on_them(start: Start, tmp_path: Path) -> None:
    (podman := tmp_path / "podman").write_text('#!/bin/sh\necho "$@"\n')
    podman.chmod(0o755)
    client = start(*PRESET, env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert output(client, "echo", "call touch pwned") == "call touch pwned"
    assert output(client, "echo", "start the engine") == "start the engine"
    assert output(client, "podman", "start NAME") == "start NAME"
    assert output(client, "set", "PATH") == ""
    (file := tmp_path / "nacre.toml").write_text('commands = ["env"]')
    other = run(start(*PRESET, "--config", str(file)), "env", "start x")
    assert "start starts another command" in other["reason"]


@pytest.mark.req("000-replies")
@pytest.mark.req("000-streams")
def test_success_and_failure_have_one_shape(shared: WireClient) -> None:
    good = shared.call("echo", args="hi")
    assert text_of(good) == "hi"
    shown = checked_data(good)
    assert (shown["output"], shown["exit_code"], shown["code"]) == ("hi", 0, "ok")
    bad = shared.call("grep", args="x /dev/null")
    assert text_of(bad) == "Failed: exit code 1."
    shown = checked_data(bad)
    assert (shown["output"], shown["exit_code"], shown["code"], shown["reason"]) == (
        "",
        1,
        "failed",
        "exit code 1",
    )
    assert text_of(shared.call("cd", args=".")) == "(no output)"


@pytest.mark.req("000-streams")
def test_a_command_that_reads_finds_nothing(shared: WireClient) -> None:
    assert output(shared, "cat") == ""


@pytest.mark.req("000-combined-output")
def test_stderr_follows_stdout_when_it_has_content(shared: WireClient, tmp_path: Path) -> None:
    shown = run(shared, "ls", f"-d {tmp_path} /nowhere")
    lines = shown["output"].splitlines()
    assert lines[0] == str(tmp_path)
    assert "No such file" in lines[1]
    assert len(lines) == 2


@pytest.mark.req("000-clean-output")
@pytest.mark.req("000-marker")
@pytest.mark.parametrize("shell", ["bash", "dash", "zsh"])
def test_output_has_no_prompt_no_echo_and_no_marker(start: Start, shell: str) -> None:
    client = start("--preset", "commands", "--shell", shell)
    for _ in range(3):
        assert output(client, "echo", "'one  two'") == "one  two"
    assert output(client, "cd", "/") == ""
    # dash keeps the last word of the last command in $_: a marker that is used up.
    assert "Marker_" not in re.sub(r"^_=.*$", "", output(client, "set"), flags=re.MULTILINE)
    assert output(client, "echo", "Marker_00000000-0000-4000-8000-000000000000 0 /") == (
        "Marker_00000000-0000-4000-8000-000000000000 0 /"
    )


@pytest.mark.req("000-timeout")
def test_a_timeout_is_reported_and_the_shell_lives_on(start: Start, tmp_path: Path) -> None:
    assert configuration.configure({}, preset="commands").default_timeout_s == 30
    (tmp_path / "config.toml").write_text('commands = ["sleep", "echo", "export"]\n')
    client = start(*PRESET, "--config", str(tmp_path / "config.toml"), "-t", "1")
    output(client, "export", "COLOUR=blue")
    mark = unique_seconds()
    result = client.call("sleep", args=mark)
    shown = checked_data(result)
    assert (shown["code"], shown["exit_code"]) == ("timed_out", None)
    assert shown["reason"] == "timed out after 1 seconds"
    assert text_of(result).startswith(
        "Failed: timed out after 1 seconds.\nNote: The command was interrupted;"
    )
    assert gone(mark)
    assert "COLOUR" in output(client, "export")


@pytest.mark.req("000-logging")
def test_commands_and_refusals_are_logged(start: Start, tmp_path: Path) -> None:
    trail = tmp_path / "audit.jsonl"
    client = start(*PRESET, "--audit-log", str(trail))
    run(client, "echo", "hi")
    run(client, "ls", "/nowhere")
    run(client, "echo", "a; touch pwned")
    client.call("restart")
    client.hang_up()
    client.read_rest()
    log = client.stderr.decode()
    assert "exited, exit 0" in log
    assert "exited, exit 2" in log
    assert "not run (denied, Denied by the policy `;`" in log
    assert "session restarted: main" in log
    entries = ended_records(trail.read_text())
    assert [(entry["command"], entry["ended"]) for entry in entries] == [
        ("echo hi", "exited"),
        ("ls /nowhere", "exited"),
        ("echo a; touch pwned", "not run"),
    ]


def test_progress_tells_what_a_command_prints(start: Start, tmp_path: Path) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    client = start(*PRESET)
    posted = client.post_call("cat", {"args": str(fifo)}, meta={"progressToken": "p"})
    with fifo.open("w") as pipe:
        pipe.write("first\n")
        pipe.flush()
        assert news(client, "notifications/progress")["params"]["message"] == "first"
    assert checked_data(client.answer_to(posted)["result"])["output"] == "first"
