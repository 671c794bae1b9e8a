"""A secret that the agent itself has sent, in any argument: nothing that the server writes repeats it."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import NACRE, WireClient

from nacre import presets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Start = Callable[..., WireClient]

VALUE = "tok-5ecret+Value9"
HALF = VALUE[:9]
SECRETS = '[secrets]\nTOKEN = {env = "SOURCE"}\n'
PATIENCE_S = 60.0


class Overheard:
    """A server that knows the secret, and every line that it sends."""

    def __init__(self, start: Start, directory: Path, settings: str) -> None:
        file = directory / "settings.toml"
        file.write_text(f"{settings}\n{SECRETS}")
        self.audit, self.abort = directory / "audit.jsonl", directory / "abort.json"
        self._environment = {"SOURCE": VALUE, "XDG_RUNTIME_DIR": str(directory), "TMPDIR": str(directory)}
        options = (
            *("--config", str(file), "--working-dir", str(directory), "-v"),
            *("--audit-log", str(self.audit), "--abort-file", str(self.abort)),
        )
        self.client = start(*options, cwd=directory, env=self._environment, greet=False)
        self._directory = directory
        self.lines: list[bytes] = []
        receive_line = self.client.receive_line

        def overhear(patience_s: float = PATIENCE_S) -> bytes:
            self.lines.append(receive_line(patience_s))
            return self.lines[-1]

        self.client.receive_line = overhear
        self.client.shake_hands()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer, whatever it is."""
        posted = self.client.post_call(tool, arguments, {"progressToken": "p"})
        return self.client.answer_to(posted)

    def watch(self, *options: str) -> str:
        """What `nacre watch` prints."""
        self.client.wait_for_log("nacre watch: ")
        done = subprocess.run(
            [*NACRE, "watch", *options],
            env={**os.environ, **self._environment, "SOURCE": ""},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        return done.stdout + done.stderr

    def overheard(self) -> dict[str, str]:
        """All that it has written anywhere, to its end."""
        shown = self.watch("--json", "--once") + self.watch("--plain", "--once")
        spools = self._directory.glob("nacre-*/**/*")
        self.client.hang_up()
        self.client.read_rest()
        while self.client.hear_stderr():
            pass
        abort = self.abort.read_text() if self.abort.exists() else ""
        return {
            "replies": b"\n".join(self.lines).decode(),
            "log": self.client.stderr.decode(),
            "audit log": self.audit.read_text(),
            "abort file": abort,
            "nacre watch": shown,
            "names of spools": "\n".join(map(str, spools)),
        }


def leaks(overheard: dict[str, str], secret: str = VALUE) -> list[tuple[str, str]]:
    """Where it is, with what stands around it."""
    return [
        (where, text[max(0, at - 200) : at + 60])
        for where, text in overheard.items()
        if (at := text.find(secret)) >= 0
    ]


def calls_of(tool: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Calls of a tool with the secret in each argument in turn, of the right type and of wrong ones."""
    properties: dict[str, Any] = tool["inputSchema"].get("properties", {})
    usual = {"command": "true", "path": "here.txt", "id": "none-1", "commands": ["true"]}
    required = {name: usual.get(name, "x") for name in tool["inputSchema"].get("required", [])}
    actions = properties.get("action", {}).get("enum", [None])
    for action in actions:
        base = {**required, **({"action": action} if action else {})}
        for name in (*properties, VALUE):
            for value in (VALUE, f"echo {VALUE}", f"sh -c 'exit 3' {VALUE}", [VALUE], {VALUE: VALUE}, 7):
                yield {**base, name: value}
    yield {VALUE: VALUE}


@pytest.mark.req("secrets-sent")
@pytest.mark.parametrize("rules", ["", '[policy]\ndeny = ["echo", "sh"]\n'], ids=["free", "rules"])
@pytest.mark.parametrize("preset", presets.names())
def test_no_argument_of_a_tool_comes_back(start: Start, tmp_path: Path, preset: str, rules: str) -> None:
    files = 'tools = ["files"]\n' if preset == "agent" else ""
    server = Overheard(start, tmp_path, f'preset = "{preset}"\n{files}{rules}')
    tools = server.client.request("tools/list").get("result", {}).get("tools", [])
    for tool in tools:
        for arguments in calls_of(tool):
            server.call(tool["name"], **arguments)
    assert len(server.lines) > len(tools)
    assert leaks(server.overheard()) == []


@pytest.mark.req("secrets-sent")
def test_no_listing_state_or_news_repeats_it(start: Start, tmp_path: Path) -> None:
    server = Overheard(start, tmp_path, 'shell = "bash"')
    server.call("shell", command=f"cd . # {VALUE}", session=VALUE, environment={"X": VALUE}, stdin=VALUE)
    server.call("shell", command="pwd", working_directory=f"/{VALUE}/x")
    server.call("shell", command=f"{VALUE}; ls /{VALUE}", label=VALUE)
    begun = server.call("shell", command=f": {VALUE}; cat", terminal=True)
    job = begun["result"]["structuredContent"]["job"]
    server.call("job", action="send", id=job, text=f"{VALUE}\r")
    server.call("job", action="wait", id=job, until=VALUE, seconds=0)  # no line matches what is masked in all
    server.call("job", action="screen", id=job)
    server.call("job", action="list")
    server.call("output", id=job, search=VALUE)
    server.call("output", id=job)
    given_up = server.client.post_call("shell", {"command": f": {VALUE}; exec sleep 600"})
    server.client.wait_for_log("exec sleep 600")
    server.client.notify("notifications/cancelled", {"requestId": given_up, "reason": VALUE})
    server.call("job", action="stop", id=job)
    for method in ("resources/list", "resources/templates/list", "prompts/list", VALUE):
        server.client.request(method, {"cursor": VALUE})
    server.client.request("resources/read", {"uri": f"nacre://{VALUE}"})
    server.client.request("prompts/get", {"name": VALUE, "arguments": {VALUE: VALUE}})
    server.call(VALUE)
    server.client.send_bytes(f'{{"jsonrpc": "2.0", "id": 9, {VALUE}}}\n'.encode())
    server.client.request("ping")
    overheard = server.overheard()
    assert leaks(overheard) == []
    assert "*" * len(VALUE) in overheard["replies"]
    assert "*" * len(VALUE) in overheard["nacre watch"]


@pytest.mark.req("secrets-sent")
def test_where_a_text_is_cut_no_part_of_a_secret_is_left(start: Start, tmp_path: Path) -> None:
    denied = '[policy]\ndeny = ["rm"]\nask = ["touch"]\n'
    server = Overheard(start, tmp_path, f'shell = "bash"\n{denied}')
    for before in range(60, 82):
        text = f"sleep 600 # {'x' * (before - 12)}{VALUE}{'y' * 200}"
        begun = server.call("shell", command=text, background=True)
        server.call("job", action="list")
        server.call("job", action="stop", id=begun["result"]["structuredContent"]["job"])
        server.call("shell", command=f"true; rm {'x' * before}{VALUE}{'y' * 200}")
    for before in range(170, 200, 3):
        server.call("shell", command=f"bash -c 'sleep 600; : {'x' * before}' {VALUE}{'y' * 200} & true")
    assert leaks(server.overheard(), HALF) == []


@pytest.mark.req("secrets-sent")
def test_a_question_to_the_person_shows_it_to_nobody(start: Start, tmp_path: Path) -> None:
    server = Overheard(start, tmp_path, 'shell = "bash"\n[policy]\nask = ["touch"]\n')
    call = server.client.post_call("shell", {"command": f"touch {VALUE}"})
    server.client.answer_to(call)
    assert leaks(server.overheard()) == []


@pytest.mark.req("secrets-sent")
def test_a_request_is_answered_by_its_own_id_and_token_whatever_they_are(
    start: Start, tmp_path: Path
) -> None:
    server = Overheard(start, tmp_path, 'shell = "bash"')
    request = {
        "name": "shell",
        "arguments": {"command": "echo hi; sleep 0.2"},
        "_meta": {"progressToken": VALUE},
    }
    server.client.send({"jsonrpc": "2.0", "id": VALUE, "method": "tools/call", "params": request})
    assert server.client.answer_to(VALUE)["result"]["structuredContent"]["exit_code"] == 0
    news = [one["params"] for one in server.client.others if one.get("method") == "notifications/progress"]
    assert {one["progressToken"] for one in news} <= {VALUE}
    assert news
