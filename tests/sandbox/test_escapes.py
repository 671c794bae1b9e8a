"""Attempts to get out of the sandbox at each level, held by bubblewrap or by Landlock alone."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import uuid
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from escape_attempts import ATTEMPTS, EVERYWHERE, PROMISES
from sandbox_harness import TestHome, scratch_directory
from wire_client import told_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

ATTEMPTS_FILE = Path(__file__).with_name("escape_attempts.py")
DOCUMENT = Path(__file__).parents[2] / "docs" / "sandbox.md"
LEAST = 60
FIRST_OWN_PID = 1000  # numbers below are those of processes in a namespace of their own
HELD = [(name, column) for name, (promise, _) in ATTEMPTS.items() for column in PROMISES[promise]]


class Outside:
    """What lies around a sandbox: files, secrets, a process, sockets, shared memory."""

    def __init__(self, base: Path, column: str) -> None:
        self._stack = ExitStack()
        self.home = self._stack.enter_context(
            TestHome(
                base,
                {
                    "outside/victim": "untouched",
                    ".aws/credentials": "PRIVATE",
                    ".ssh/id_ed25519": "PRIVATE",
                    "other/.env": "PRIVATE",
                    "project/.git/config": "",
                    "project/.git/hooks/pre-commit.sample": "",
                },
            )
        )
        (self.home.home / ".cache").mkdir()
        shutil.copy(ATTEMPTS_FILE, base / "attempts.py")
        self.mark = f"nacre-test-{uuid.uuid4().hex}"
        self.tmp = Path("/tmp") / self.mark  # the machine's own, which the sandbox must not show
        self.tmp.mkdir()
        self._stack.callback(shutil.rmtree, self.tmp)
        self.process = self._start_process()
        self.sockets = [self._listen(path) for path in self._socket_paths().values()]
        datagrams = self._stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        datagrams.bind(f"\0{self.mark}-datagrams")
        self.tcp = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        level, _, holder = column.partition(", ")
        self.column, self.level, self.without = column, level, "bwrap" if holder else ""

    def close(self) -> None:
        self._stack.close()

    def _start_process(self) -> subprocess.Popen[bytes]:
        """One with a secret in its environment and its arguments, whose number nobody has inside."""
        while True:
            script = "exec sleep 600 # PRIVATE"
            process = subprocess.Popen(
                ["sh", "-c", 'read x; echo "$x"', "PRIVATE"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                env={"PRIVATE": script},
                cwd=self.home.home / "outside",
                start_new_session=True,
            )
            if process.pid >= FIRST_OWN_PID:
                break
            process.communicate()
        self._stack.enter_context(process)
        self._stack.callback(process.kill)
        return process

    def _socket_paths(self) -> dict[str, str]:
        return {
            "abstract": f"\0{self.mark}",
            "tmp_socket": str(self.tmp / "socket"),
            "agent": str(self.home.home / "agent.sock"),
            "docker": str(self.home.home / "docker.sock"),
        }

    def _listen(self, path: str) -> socket.socket:
        listener = self._stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(path)
        listener.listen()
        return listener

    def run(self) -> dict[str, str]:
        """Every attempt, in a server at this level; what came of each."""
        paths = self._socket_paths()
        other = self.home.start("off")
        other.shell("seq 100000")
        (output,) = Path(self.spool_of(other.process.pid)).glob("*.out")
        server = self.home.start(
            self.level,
            without=self.without,
            SSH_AUTH_SOCK=paths["agent"],
            DOCKER_HOST=f"unix://{paths['docker']}",
        )
        shared, key = self._shared_memory()
        context = {
            **paths,
            "abstract": self.mark,
            "home": str(self.home.home),
            "workspace": str(self.home.workspace),
            "outside": str(self.home.home / "outside"),
            "victim": str(self.home.home / "outside" / "victim"),
            "secret": str(self.home.home / ".aws" / "credentials"),
            "server": server.process.pid,
            "process": self.process.pid,
            "other_output": str(output),
            "shared": shared,
            "shared_key": key,
            "port": self.tcp.getsockname()[1],
        }
        prepare = 'mkdir scratch 2>/dev/null && cd scratch || cd "$(mktemp -d)"; '
        argv = [sys.executable, "-I", str(self.home.base / "attempts.py")]
        command = f"{prepare}{shlex.join(argv)} {shlex.quote(json.dumps(context))}"
        done = told_of(server.answer_to(server.post_call("shell", {"command": command}), 120)["result"])
        assert done["exit_code"] == 0, done
        assert server.shell("echo alive")["stdout"] == "alive\n"
        return json.loads(done["stdout"])

    @staticmethod
    def spool_of(pid: int) -> str:
        """The directory that a server keeps its output in: it holds a lock there."""
        links = (os.readlink(f"/proc/{pid}/fd/{each}") for each in os.listdir(f"/proc/{pid}/fd"))
        return next(link for link in links if f"/nacre-{os.geteuid()}/" in link)

    def _shared_memory(self) -> tuple[str, int]:
        shared = Path("/dev/shm") / self.mark  # the directory itself is meant
        shared.write_text("PRIVATE")
        self._stack.callback(shared.unlink)
        libc, key = ctypes.CDLL(None), uuid.uuid4().int & 0x7FFFFFFF
        segment = libc.shmget(key, 4096, 0o1600)
        assert segment >= 0
        self._stack.callback(libc.shmctl, segment, 0, None)
        return str(shared), key


@pytest.fixture(scope="module")
def outcomes() -> Iterator[Callable[[str], dict[str, str]]]:
    """What came of every attempt at a level; each level is run once, and its world looked at afterwards."""
    found: dict[str, dict[str, str]] = {}

    def outcome(column: str) -> dict[str, str]:
        if column not in found:
            with scratch_directory() as base:
                outside = Outside(base, column)
                try:
                    found[column] = outside.run()
                    found[column]["the world outside"] = look_at(outside)
                finally:
                    outside.close()
        return found[column]

    yield outcome
    found.clear()


def look_at(outside: Outside) -> str:
    """What has changed outside; empty: nothing."""
    directory = outside.home.home / "outside"
    changed = [path.name for path in directory.iterdir() if path.name != "victim"]
    if (directory / "victim").read_text() != "untouched":
        changed.append("victim")
    if outside.process.poll() is not None:
        changed.append("process")
    return " ".join(changed)


@pytest.mark.req("sandbox-escapes")
@pytest.mark.parametrize(("name", "column"), HELD)
def test_an_attempt_to_get_out_is_held(
    outcomes: Callable[[str], dict[str, str]], name: str, column: str
) -> None:
    came = outcomes(column)[name]
    assert not came.startswith(("ESCAPED", "BROKEN")), came


@pytest.mark.req("sandbox-escapes")
@pytest.mark.parametrize("column", EVERYWHERE)
def test_the_world_outside_is_as_it_was_after_all_attempts(
    outcomes: Callable[[str], dict[str, str]], column: str
) -> None:
    assert outcomes(column)["the world outside"] == ""


@pytest.mark.req("sandbox-escapes")
def test_the_attempts_can_succeed_where_nothing_holds_them(
    outcomes: Callable[[str], dict[str, str]],
) -> None:
    """Else they would prove nothing: what `workspace` does not promise is seen to be possible there."""
    came = outcomes("workspace")
    for name in ("write_in_the_workspace", "see_a_process", "connect_to_a_server_outside"):
        assert came[name].startswith("ESCAPED"), (name, came[name])


@pytest.mark.req("sandbox-escapes")
def test_the_table_of_the_document_is_the_one_that_is_tested() -> None:
    assert len(ATTEMPTS) >= LEAST
    assert {promise for promise, _ in ATTEMPTS.values()} == set(PROMISES)
    assert promise_table() in DOCUMENT.read_text(), promise_table()


def promise_table() -> str:
    """What each level holds, as docs/sandbox.md shows it."""
    counts: dict[str, int] = {}
    for promise, _ in ATTEMPTS.values():
        counts[promise] = counts.get(promise, 0) + 1
    rows = [
        f"| {promise} | {counts[promise]} | "
        + " | ".join("yes" if column in columns else "**no**" for column in EVERYWHERE)
        + " |"
        for promise, columns in PROMISES.items()
    ]
    head = f"| held | attempts | {' | '.join(f'`{c}`' if ',' not in c else _plain(c) for c in EVERYWHERE)} |"
    return "\n".join([head, f"|{'---|' * (len(EVERYWHERE) + 2)}", *rows]) + "\n"


def _plain(column: str) -> str:
    level, _, holder = column.partition(", ")
    return f"`{level}`, {holder} alone"
