"""`nacre watch`: a person follows real servers through their sockets, and no command can."""

from __future__ import annotations

import json
import os
import select
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from sandbox_harness import TestHome, scratch_directory
from wire_client import NACRE, WireClient, text_of

from nacre.config import Config
from nacre.model import Ended, Result, Text
from nacre.tools import commands, execute_command, plain_exec, results
from nacre.watch import cli, paths, peers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., WireClient]

PATIENCE_S = 60.0
READY = "nacre watch: "


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """A directory for sockets, with a path that is longer than a socket's may be."""
    made = tmp_path / ("long" * 30)
    made.mkdir(mode=0o700)
    return made


def begin(start: Start, runtime: Path, *options: str, **more: Any) -> WireClient:
    client = start("--shell", "bash", "-v", *options, env={"XDG_RUNTIME_DIR": str(runtime)}, **more)
    if "--no-watch" not in options:
        client.wait_for_log(READY)
    return client


def sockets(runtime: Path) -> list[str]:
    there = runtime / "nacre"
    return os.listdir(there) if there.exists() else []


class Watcher:
    """A connection to the only server that there is."""

    def __init__(self, runtime: Path) -> None:
        (name,) = sockets(runtime)
        directory = os.open(runtime / "nacre", os.O_RDONLY)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(f"/proc/self/fd/{directory}/{name}")
        os.close(directory)
        self._file = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def next(self) -> dict[str, Any]:
        line = self._file.readline()
        assert line, "the server has hung up"
        return json.loads(line)

    def event(self, name: str) -> dict[str, Any]:
        while (message := self.next()).get("event") != name:
            pass
        return message

    def rest(self) -> bytes:
        return self._file.read()

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def ask(self, what: str, **more: object) -> dict[str, Any]:
        self.send(json.dumps({"ask": what, "id": "x", **more}).encode() + b"\n")
        while (message := self.next()).get("id") != "x":
            pass
        return message


def watch(runtime: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*NACRE, "watch", *options],
        env={**os.environ, "XDG_RUNTIME_DIR": str(runtime)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def job_of(client: WireClient, command: str, **more: Any) -> str:
    reply = text_of(client.call("shell", command=command, background=True, **more))
    return reply.split("job ", 1)[1].split()[0]


# -- what is told


@pytest.mark.req("watch-protocol")
def test_a_watcher_is_told_what_there_is_and_then_what_happens(start: Start, runtime: Path) -> None:
    client = begin(start, runtime, "--deny", "rm")
    client.call("shell", command="echo before", session="main")
    with Watcher(runtime) as watcher:
        hello = watcher.next()
        assert (hello["event"], hello["pid"], hello["client"]) == ("hello", client.process.pid, "tests")
        assert (hello["preset"], hello["sandbox"]) == ("agent", "off")
        assert [each["name"] for each in hello["sessions"]] == ["main"]
        assert [each["command"] for each in hello["recent"]] == ["echo before"]
        client.call("shell", command="echo during; exit 3")
        started, ended = watcher.event("started"), watcher.event("ended")
        assert started["number"] == ended["number"]
        assert (ended["command"], ended["exit_code"]) == ("echo during; exit 3", 3)
        printed = watcher.ask("output", job=ended["output"])["answer"]
        assert printed["text"] == "during\n"
        client.call("shell", command="rm x")
        denied = watcher.event("ended")
        assert (denied["command"], denied["verdict"], denied["rule"]) == ("rm x", "deny", "rm")


@pytest.mark.req("watch-protocol")
def test_what_makes_no_sense_is_answered_and_the_watcher_stays(start: Start, runtime: Path) -> None:
    begin(start, runtime)
    with Watcher(runtime) as watcher:
        watcher.event("hello")
        for wrong in (b"{", b"[]", b'"stop"', b"\xff"):
            watcher.send(wrong + b"\n")
            assert "error" in watcher.next()
        for what, more in (
            ("run", {"command": "true"}),
            ("stop", {}),
            ("stop", {"job": "none-1"}),
            ("output", {"job": "none-1"}),
            ("output", {"job": "none-1", "lines": "all"}),
            ("screen", {"job": 5}),
            ("type", {"job": "none-1", "text": 5}),
        ):
            assert "error" in watcher.ask(what, **more), (what, more)
        assert watcher.ask("state")["answer"]["jobs"] == []


@pytest.mark.req("watch-protocol")
def test_a_watcher_that_does_not_read_is_let_go_and_holds_up_nothing(start: Start, runtime: Path) -> None:
    client = begin(start, runtime)
    with Watcher(runtime) as asleep:
        for _ in range(50):  # each is told twice
            assert client.shell(f": {'x' * 100_000}")["exit_code"] == 0
        assert asleep.rest().count(b'"event": "ended"') < 50  # it was cut off
    with Watcher(runtime) as watcher:
        assert watcher.next()["running"] == []


@pytest.mark.req("watch-protocol")
def test_the_command_line_tells_the_same_and_stops_jobs(start: Start, runtime: Path) -> None:
    client = begin(start, runtime)
    job = job_of(client, "echo begun; echo other >&2; exec sleep 600")
    client.call("job", action="wait", id=job, until="begun")
    plain = watch(runtime, "--plain", "--once")
    assert f"server {client.process.pid}: tests, preset agent" in plain.stdout
    assert f"job {job}: running" in plain.stdout
    told = json.loads(watch(runtime, "--json", "--once").stdout)
    assert (told["server"], told["jobs"][0]["job"]) == (client.process.pid, job)
    assert watch(runtime, "--output", job).stdout == "begun\nother\n"
    assert watch(runtime, "--stop", job).returncode == 0
    assert "stopped" in text_of(client.call("job", action="wait", id=job))
    again = watch(runtime, "--stop", job)
    assert (again.returncode, "has ended" in again.stderr) == (1, True)
    unknown = watch(runtime, "--stop", "none-1")
    assert (unknown.returncode, "No server" in unknown.stderr) == (1, True)


@pytest.mark.req("watch-protocol")
def test_without_a_server_that_is_said(runtime: Path) -> None:
    nothing = watch(runtime, "--plain", "--once")
    assert (nothing.returncode, nothing.stdout) == (1, "")
    assert "No server of yours" in nothing.stderr


# -- what the person does


@pytest.mark.req("watch-acts")
def test_the_agent_is_told_what_the_person_did_and_no_log_has_what_was_typed(
    start: Start, runtime: Path, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    client = begin(start, runtime, "--audit-log", str(log))
    job = job_of(client, "read -s -p 'Password: ' x; echo got ${#x}; exec sleep 600", terminal=True)
    client.call("job", action="wait", id=job, until="Password")
    with Watcher(runtime) as watcher:
        assert watcher.ask("screen", job=job)["answer"]["lines"] == ["Password:"]
        assert watcher.ask("type", job=job, text="swordfish", keys="enter")["answer"] == {}
        assert "got 9" in text_of(client.call("job", action="wait", id=job, until="got"))
        assert watcher.ask("stop", job=job)["answer"] == {}
        assert watcher.event("ended")["ended"] == "stopped"
    told = text_of(client.call("shell", command="true"))
    assert f"The person has typed into job {job}" in told
    assert f"The person has stopped job {job}" in told
    records = [json.loads(line)["event"] for line in log.read_text().splitlines()]
    assert {"typed by the person", "stopped by the person"} <= {*records}
    client.hang_up()
    client.read_rest()
    assert "swordfish" not in log.read_text() + client.stderr.decode()


def running(watcher: Watcher, printed: str) -> str:
    """The id of the only command that runs, as soon as it has printed that."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for record in watcher.ask("state")["answer"]["running"]:
            output = record.get("output")
            if output and printed in watcher.ask("output", job=output)["answer"]["text"]:
                return output
    raise TimeoutError(printed)


@pytest.mark.req("watch-foreground")
@pytest.mark.parametrize("more", [{}, {"session": "main"}], ids=["once", "session"])
def test_a_command_in_the_foreground_is_read_and_stopped_and_its_result_says_by_whom(
    start: Start, runtime: Path, tmp_path: Path, more: dict[str, Any]
) -> None:
    log = tmp_path / "audit.jsonl"
    client = begin(start, runtime, "--audit-log", str(log))
    call = client.post_call("shell", {"command": "echo begun; sleep 600; echo on", **more})
    with Watcher(runtime) as watcher:
        output = running(watcher, "begun")
        plain = watch(runtime, "--plain", "--once").stdout
        assert f"  {output}: " in plain
        assert watch(runtime, "--stop", output).returncode == 0
        result = client.answer_to(call)["result"]
        assert watcher.event("ended")["ended"] == "stopped"
    assert text_of(result).startswith("Command was stopped by the person")
    assert "Ask the person before you run it again." in text_of(result)
    told = result["structuredContent"]
    assert (told["ended"], told["stdout"]) == ("stopped", "begun\n")
    assert result["isError"]
    again = watch(runtime, "--stop", output)
    assert (again.returncode, f"Command {output} has ended" in again.stderr) == (1, True)
    assert client.shell("echo on", **more)["stdout"] == "on\n"
    events = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(each["event"], each.get("ended")) for each in events][:3] == [
        ("started", None),
        ("stopped by the person", None),
        ("ended", "stopped"),
    ]


@pytest.mark.req("watch-foreground")
@pytest.mark.parametrize("family", ["shell", "shell_exec", "commands", "execute_command"])
def test_every_family_of_tools_says_that_the_person_has_stopped_a_command(family: str) -> None:
    stopped = Result("make", "/", Ended.STOPPED, None, "SIGTERM", Text("some\n"), Text(""), 10, 1.0)
    texts = {
        "shell": results.reply(stopped, Config()).text,
        "shell_exec": plain_exec.plain(stopped, Config()).text,
        "commands": commands.reply(stopped, Config()).text,
        "execute_command": execute_command.output_of(stopped, include_stderr=True),
    }
    assert "stopped by the person" in texts[family]
    assert "some" in texts[family]


@pytest.mark.req("watch-foreground")
def test_a_client_without_tools_is_told_that_the_person_has_stopped_its_program(
    start: Start, runtime: Path, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text('[container.allowed_commands]\ntail = ["-f", "/dev/null"]\n')
    options = ("--preset", "container", "--working-dir", str(tmp_path), "--config", str(settings), "-v")
    client = start(*options, env={"XDG_RUNTIME_DIR": str(runtime)}, greet=False)
    client.wait_for_log(READY)
    call = client.post("shell/exec", {"command": "tail", "args": ["-f", "/dev/null"]})
    with Watcher(runtime) as watcher:
        assert watcher.ask("stop", job=running(watcher, ""))["answer"] == {}
    assert "stopped by the person" in client.answer_to(call)["error"]["message"]


# -- who may not


ESCAPES = {
    "plain": "{}",
    "a new session": "setsid -w {}",
    "an orphan": "(setsid {} 2>&1 & ) | cat",  # cat reads until the orphan has ended
    "no environment": "env -i XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR PATH=$PATH {}",
}


@pytest.mark.req("watch-private")
@pytest.mark.parametrize("how", ESCAPES)
def test_no_process_of_a_command_is_let_in(start: Start, runtime: Path, how: str) -> None:
    client = begin(start, runtime)
    attempt = ESCAPES[how].format(f"{shlex.join(NACRE)} watch --plain --once")
    for more in ({}, {"session": "main"}):
        tried = client.shell(attempt, **more)
        assert "was started by a command" in tried["stdout"], tried
        assert "preset" not in tried["stdout"]
    client.wait_for_log("nacre watch was refused")


@pytest.mark.req("watch-private")
def test_a_command_of_another_server_is_not_let_in_either(start: Start, runtime: Path) -> None:
    begin(start, runtime)
    other = begin(start, runtime, "--no-watch")
    tried = other.shell(f"{shlex.join(NACRE)} watch --plain --once")
    assert "was started by a command" in tried["stdout"], tried


@pytest.mark.req("watch-private")
@pytest.mark.parametrize("level", ["workspace", "read-only", "strict"])
def test_a_command_in_a_sandbox_does_not_see_the_sockets(level: str) -> None:
    with scratch_directory() as base, TestHome(base) as home:
        runtime = base / "runtime"  # where the sandbox has no other reason to hide it
        runtime.mkdir(mode=0o700)
        client = home.start(level, "-v", XDG_RUNTIME_DIR=str(runtime))
        client.wait_for_log(READY)
        (name,) = sockets(runtime)
        path = runtime / "nacre" / name
        seen = client.shell(f"ls {path.parent}; test -e {path} && echo there; cat {path}")
        assert "there" not in seen["stdout"], seen
        assert name not in seen["stdout"]
        program = f"import socket; socket.socket(socket.AF_UNIX).connect({str(path)!r})"
        connected = client.shell(f"{shlex.quote(sys.executable)} -c {shlex.quote(program)}")
        assert connected["exit_code"] == 1, connected
        with Watcher(runtime) as watcher:
            assert watcher.next()["sandbox"] == level


@pytest.mark.req("watch-private")
def test_another_user_and_who_cannot_be_looked_at_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        user = os.geteuid()
        monkeypatch.setattr(os, "geteuid", lambda: user + 1)
        assert peers.refusal(ours) == "It belongs to another user."
    with socket.socket(socket.AF_INET) as nobody:
        assert peers.refusal(nobody)


class MacSocket:
    """Answers as a socket of macOS does."""

    def __init__(self, credentials: bytes, pid: bytes) -> None:
        self._told = {(0, 1, 76): credentials, (0, 2, 4): pid}

    def getsockopt(self, level: int, name: int, size: int) -> bytes:
        return self._told[level, name, size]


@pytest.mark.req("watch-private")
def test_macos_is_asked_for_the_user_and_the_process_and_believed_in_its_own_version_only() -> None:
    groups = struct.pack("=hxx16I", 1, *range(16))
    pid = struct.pack("=i", 4711)
    mac: Any = MacSocket(struct.pack("=II", 0, 501) + groups, pid)
    assert peers.pid_and_user_on_macos(mac) == (4711, 501)
    newer: Any = MacSocket(struct.pack("=II", 1, 501) + groups, pid)
    short: Any = MacSocket(b"\0" * 4, pid)
    with pytest.raises(ValueError, match="1"):
        peers.pid_and_user_on_macos(newer)
    with pytest.raises(struct.error):
        peers.pid_and_user_on_macos(short)


@pytest.mark.req("watch-private")
def test_nobody_types_where_a_command_could_pass_for_the_person(start: Start, runtime: Path) -> None:
    """As on macOS, where an orphan of a command has no parent that tells of it."""
    as_there = (
        "from nacre.watch import unix_sockets; unix_sockets.KNOWS_COMMANDS = False;"
        " from nacre.cli import main; main()"
    )
    client = begin(start, runtime, program=[sys.executable, "-c", as_there])
    job = job_of(client, "read x", terminal=True)
    with Watcher(runtime) as watcher:
        assert "nobody types" in watcher.ask("type", job=job, text="x")["error"]
        assert watcher.ask("stop", job=job)["answer"] == {}


@pytest.mark.req("watch-private")
def test_the_directory_of_the_sockets_is_closed_to_others(start: Start, runtime: Path) -> None:
    (runtime / "nacre").mkdir()
    (runtime / "nacre").chmod(0o777)
    begin(start, runtime)
    assert (runtime / "nacre").stat().st_mode & 0o777 == 0o700


# -- the end


@pytest.mark.req("watch-off")
def test_a_server_that_is_not_to_be_watched_has_no_socket(
    start: Start, runtime: Path, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("watch = false\n")
    begin(start, runtime, "--no-watch")
    start("--config", str(file), env={"XDG_RUNTIME_DIR": str(runtime)})
    watched = begin(start, runtime)  # the last one to start is the last one to listen
    (name,) = sockets(runtime)
    assert name.startswith(f"{watched.process.pid}-")


@pytest.mark.req("watch-leaves-nothing")
def test_the_socket_is_gone_after_the_end_and_watchers_are_let_go(start: Start, runtime: Path) -> None:
    client = begin(start, runtime)
    with Watcher(runtime) as watcher:
        watcher.event("hello")
        client.hang_up()
        assert client.wait() == 0
        assert watcher.rest() == b""
    assert sockets(runtime) == []


@pytest.mark.req("watch-leaves-nothing")
def test_a_directory_in_tmp_is_neither_made_to_be_hidden_nor_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "FALLBACK", str(tmp_path / "nacre-watch-"))
    fallback, runtime = tmp_path / "nacre-watch-0", tmp_path / "runtime"
    for path in (fallback, runtime):
        paths.make_to_be_hidden(str(path))
    assert (fallback.exists(), runtime.exists()) == (False, True)
    fallback.mkdir()
    (fallback / "other").touch()
    paths.remove_if_empty(str(fallback))
    assert fallback.exists()
    (fallback / "other").unlink()
    for path in (fallback, runtime):
        paths.remove_if_empty(str(path))
    assert (fallback.exists(), runtime.exists()) == (False, True)


@pytest.mark.req("watch-leaves-nothing")
@pytest.mark.parametrize("who", ["the next server", "nacre watch"])
def test_the_socket_of_a_killed_server_is_removed(start: Start, runtime: Path, who: str) -> None:
    killed = begin(start, runtime)
    (stale,) = sockets(runtime)
    killed.process.send_signal(signal.SIGKILL)
    killed.wait()
    assert sockets(runtime) == [stale]
    if who == "nacre watch":
        assert watch(runtime, "--plain", "--once").returncode == 1
    else:
        begin(start, runtime)
    assert stale not in sockets(runtime)


# -- on a terminal


class Tmux:
    """A terminal in tmux that runs `nacre watch`."""

    def __init__(self, directory: Path, runtime: Path) -> None:
        self._socket = directory / "tmux"
        pipe = directory / "drawn"
        os.mkfifo(pipe)
        self._drawn = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
        program = shlex.join(
            ["env", "-u", "COLUMNS", "-u", "LINES", f"XDG_RUNTIME_DIR={runtime}", *NACRE, "watch"]
        )
        self.run("new-session", "-d", "-x", "150", "-y", "40", f"read go; exec {program}")
        self.run("pipe-pane", f"exec cat > {shlex.quote(str(pipe))}")
        self.press("Enter")

    def run(self, *words: str) -> str:
        argv = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *words]
        return subprocess.run(argv, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout

    def press(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def expect(self, *texts: str) -> str:
        """Wait until all of that is to be seen: whatever is drawn is a reason to look again."""
        deadline = time.monotonic() + PATIENCE_S
        while not all(text in (seen := self.run("capture-pane", "-p")) for text in texts):
            left = deadline - time.monotonic()
            assert left > 0, f"{texts} not in:\n{seen}"
            select.select([self._drawn], [], [], min(left, 1.0))
            os.read(self._drawn, 1 << 20) if select.select([self._drawn], [], [], 0)[0] else b""
        return seen

    def close(self) -> None:
        subprocess.run(["tmux", "-S", str(self._socket), "kill-server"], capture_output=True, check=False)
        os.close(self._drawn)


@pytest.fixture
def short() -> Iterator[Path]:
    """A directory with a short path: tmux has a socket there."""
    with tempfile.TemporaryDirectory(prefix="w-", dir="/tmp") as made:
        yield Path(made)


@pytest.mark.req("watch-terminal")
def test_a_person_sees_commands_and_stops_and_types_into_jobs_in_tmux(
    start: Start, runtime: Path, short: Path
) -> None:
    client = begin(start, runtime, "--deny", "rm")
    client.call("shell", command="rm -rf x")
    waits = job_of(client, "echo printed; exec sleep 600")
    asks = job_of(client, "read -p 'Name? ' x; echo hello $x; read y", terminal=True)
    tmux = Tmux(short, runtime)
    try:
        tmux.expect("deny rm", "rm -rf x", waits, asks, "Stop it")
        tmux.expect(f"output of {waits}", "printed")
        client.call("shell", command="echo later", session="main")
        tmux.expect("echo later", "main (idle)", " exit 0")
        tmux.press("s")
        tmux.expect(f"Stop job {waits}?")
        tmux.press("y")
        tmux.expect("ended SIGTERM", "stopped SIGTERM")
        tmux.press("Down")
        tmux.expect(f"output of {asks}", "Name?")
        tmux.press("t")
        tmux.expect("Ctrl-] gives it back", "Name?")
        tmux.press("Bob", "Enter")
        tmux.expect("hello Bob")
        tmux.press("C-]")
        tmux.expect("commands", f"output of {asks}")
        call = client.post_call("shell", {"command": "echo foreground; sleep 600"})
        tmux.expect("echo foreground")
        tmux.press("Tab")
        tmux.press("End")
        tmux.expect("││foreground")
        tmux.press("s")
        tmux.expect("Stop command")
        tmux.press("y")
        told = text_of(client.answer_to(call)["result"])
        assert "stopped by the person" in told
        assert f"The person has stopped job {waits}" in told
        assert f"The person has typed into job {asks}" in told
    finally:
        tmux.close()
    assert client.shell("echo on")["stdout"] == "on\n"


@pytest.mark.req("watch-terminal")
def test_without_textual_it_says_what_to_install(
    runtime: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.delitem(sys.modules, "nacre.watch.app", raising=False)
    monkeypatch.setitem(sys.modules, "textual.app", None)
    assert cli.main([]) == 2
    said = capsys.readouterr().err
    assert "pip install 'nacre[watch]'" in said
    assert "--plain" in said
