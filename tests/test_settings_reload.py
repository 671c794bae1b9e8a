"""Settings that change while the server runs: they hold for the next command, or it is said why not."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from sandbox_harness import scratch_directory
from wire_client import NACRE, WireClient, text_of

from nacre import presets
from nacre.config import Config
from nacre.settings.live import LIVE, taken_over

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]

CHANGED = "notifications/tools/list_changed"
# How each preset runs a command.
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "agent": ("shell", {"command": "uname"}),
    "commands": ("uname", {}),
    "container": ("shell_exec", {"command": "uname"}),
    "execute-command": ("execute_command", {"command": "uname"}),
    "shell-exec": ("shell_exec", {"command": "uname"}),
}


def news(client: WireClient) -> None:
    while client.receive().get("method") != CHANGED:
        pass


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "nacre").mkdir(parents=True)
    return tmp_path / "home"


def follow(start: Start, home: Path, *options: str) -> WireClient:
    return start("--shell", "bash", *options, env={"XDG_CONFIG_HOME": str(home)})


@pytest.mark.req("settings-reload")
@pytest.mark.parametrize("preset", presets.names())
def test_a_rule_of_the_persons_file_holds_for_the_next_command_in_every_preset(
    start: Start, tmp_path: Path, home: Path, preset: str
) -> None:
    options = ("--preset", preset, "--working-dir", str(tmp_path), "--sandbox", "off")
    file = home / "nacre" / "config.toml"
    programs = "[container.allowed_commands]\nuname = []\n" if preset == "container" else ""
    commands = 'commands = ["uname"]\n' if preset == "commands" else ""
    file.write_text(commands + programs)
    client = follow(start, home, *options)
    tool, arguments = CALLS[preset]
    assert "Linux" in str(client.call(tool, **arguments))
    file.write_text(f'{commands}{programs}[policy]\ndeny = ["uname"]\n')
    client.wait_for_log("has changed; new: policy")
    if preset != "execute-command":  # whose document has a handshake without notifications
        news(client)
    denied = client.request("tools/call", {"name": tool, "arguments": arguments})
    assert "denied" in str(denied).casefold()
    client.stderr = b""
    file.write_text(commands + programs)
    client.wait_for_log("has changed; new: policy")
    assert "Linux" in str(client.call(tool, **arguments))


@pytest.mark.req("settings-reload")
def test_a_projects_file_is_followed_from_its_first_day_and_may_only_tighten(
    start: Start, tmp_path: Path, home: Path
) -> None:
    (home / "nacre" / "config.toml").write_text('[policy]\ndeny = ["id"]\n')
    client = follow(start, home, "--working-dir", str(tmp_path))
    (tmp_path / "nacre.toml").write_text('timeout = 7\nverbose = true\n[policy]\ndeny = ["uname"]\n')
    news(client)
    for word in ("uname", "id"):
        assert client.call("shell", command=word)["isError"] is True
    client.wait_for_log("would widen what commands may do")
    trusted = subprocess.run(
        [*NACRE, "trust", str(tmp_path / "nacre.toml")],
        env={"XDG_CONFIG_HOME": str(home), "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert trusted.returncode == 0, trusted.stderr
    client.wait_for_log("trusted.json has changed; new: nothing; not before the next start: verbose")


@pytest.mark.req("settings-reload")
@pytest.mark.parametrize(
    "broken", ["[policy", "tiemout = 5", 'timeout = "soon"', "[policy]\ndeny = [5]", 'preset = "commands"']
)
def test_a_broken_file_changes_nothing_and_is_reported_everywhere(
    start: Start, tmp_path: Path, home: Path, broken: str
) -> None:
    file, log = home / "nacre" / "config.toml", tmp_path / "audit.jsonl"
    file.write_text('[policy]\ndeny = ["uname"]\n')
    client = follow(start, home, "--audit-log", str(log))
    file.write_text(broken)
    client.wait_for_log("has changed and cannot be used; the settings before it stay")
    assert client.call("shell", command="uname")["isError"] is True
    assert f"settings: {file} has changed and cannot be used" in text_of(client.call("allowed"))
    file.write_text('[policy]\ndeny = ["id"]\n')
    news(client)
    assert client.shell("uname")["exit_code"] == 0
    assert "cannot be used" not in text_of(client.call("allowed"))
    client.hang_up()
    client.wait()
    noted = [record for record in map(json.loads, log.read_text().splitlines()) if "files" in record]
    assert [(record["event"], record["files"]) for record in noted] == [
        ("settings refused", [str(file)]),
        ("settings changed", [str(file)]),
    ]
    assert noted[0]["reason"]
    assert noted[1]["settings"] == ["policy"]


@pytest.mark.req("settings-reload")
def test_what_waits_for_a_start_is_named_and_the_rest_holds(start: Start, tmp_path: Path, home: Path) -> None:
    file = home / "nacre" / "config.toml"
    file.write_text('[policy]\ndeny = ["id"]\n')
    client = follow(start, home, "--working-dir", str(tmp_path))
    file.write_text('sandbox = "read-only"\nmax_timeout = 60\n[policy]\ndeny = ["id"]\n')
    news(client)
    text = text_of(client.call("allowed"))
    assert "settings: not before the next start: sandbox" in text
    assert "sandbox: off" in text
    assert client.shell("touch made")["exit_code"] == 0  # no sandbox yet
    (shell,) = [tool for tool in client.request("tools/list")["result"]["tools"] if tool["name"] == "shell"]
    assert shell["inputSchema"]["properties"]["timeout"]["maximum"] == 60


@pytest.mark.req("settings-reload")
def test_a_session_that_runs_obeys_the_new_rules_and_keeps_its_state(
    start: Start, tmp_path: Path, home: Path
) -> None:
    client = follow(start, home, "--working-dir", str(tmp_path))
    assert client.shell("x=5; cd /usr", session="s")["exit_code"] == 0
    (home / "nacre" / "config.toml").write_text('reply_limit = 1000\n[policy]\ndeny = ["uname"]\n')
    news(client)
    assert client.shell("echo $x $PWD", session="s")["stdout"] == "5 /usr\n"
    assert client.call("shell", command="uname", session="s")["isError"] is True
    assert len(client.shell("printf %05000d 1", session="s")["stdout"]) < 2500


@pytest.mark.req("settings-reload-sandbox")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a sandbox")
def test_changed_rules_decide_in_a_sandbox_which_programs_can_be_executed(start: Start, home: Path) -> None:
    file = home / "nacre" / "config.toml"
    file.write_text('[policy]\nallow = ["ls"]\n')
    with scratch_directory() as directory:
        client = follow(start, home, "--working-dir", str(directory))
        assert client.shell("ls", session="a")["exit_code"] == 0
        file.write_text('[policy]\nallow = ["ls", "cat"]\n')
        client.wait_for_log("sessions that were open keep the restrictions they had: a")
        assert "sessions that were open" in text_of(client.call("allowed"))
        assert client.shell("cat /dev/null")["exit_code"] == 0
        assert client.shell("cat /dev/null", session="b")["exit_code"] == 0
        older = client.call("shell", command="cat /dev/null", session="a")
        assert "The rules have changed since this session was opened" in text_of(older)
        client.stderr = b""
        file.write_text("timeout = 50\n")
        client.wait_for_log("has changed; new: ")
        assert client.shell("uname")["exit_code"] == 0


@pytest.mark.req("settings-reload-sandbox")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a sandbox")
def test_the_first_rules_of_a_server_in_a_sandbox_hold_for_what_is_started_from_then_on(
    start: Start, home: Path
) -> None:
    file = home / "nacre" / "config.toml"
    with scratch_directory() as directory:
        script = directory / "run.sh"
        script.write_text("#!/bin/sh\nuname\n")
        script.chmod(0o755)
        client = follow(start, home, "--working-dir", str(directory), "--sandbox", "workspace")
        assert client.shell("./run.sh")["stdout"] == "Linux\n"
        file.write_text('[policy]\nallow = [{command = "./run.sh", children = ["sh"]}]\n')
        news(client)
        assert "/uname was not started" in text_of(client.call("shell", command="./run.sh"))
        assert "exec gate" in text_of(client.call("allowed"))


@pytest.mark.req("settings-reload-sandbox")
def test_the_first_rules_of_a_server_without_a_sandbox_are_said_to_hold_for_texts_only(
    start: Start, tmp_path: Path, home: Path
) -> None:
    client = follow(start, home, "--working-dir", str(tmp_path))
    (home / "nacre" / "config.toml").write_text('[policy]\nallow = ["ls"]\n')
    news(client)
    text = text_of(client.call("allowed"))
    assert "not before the next start: sandbox; until then, rules apply to the text of commands only" in text


@pytest.mark.req("settings-reload")
def test_every_setting_that_is_taken_over_is_one() -> None:
    assert {*Config.__dataclass_fields__} >= LIVE
    config, new, waiting = taken_over(Config(), Config(max_timeout_s=5, sandbox="strict", kill_grace_s=9.0))
    assert (config.max_timeout_s, config.sandbox, config.kill_grace_s) == (5, "off", 9.0)
    assert "max_timeout" in new
    assert waiting == ["sandbox"]
