"""Floor: a hand-written JSON loop around `posix_spawn`, with any number of commands at once.

Its own arguments, if there are any, stand before each command: a program that confines it, for example.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from typing import Any

READ_BYTES = 1 << 20
TOOL = {
    "name": "run",
    "description": "Run a shell command",
    "inputSchema": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}
BEFORE = sys.argv[1:]
NOTHING = os.open(os.devnull, os.O_RDWR)
flying: dict[int, tuple[Any, int, list[bytes]]] = {}  # pipe -> request, process, output
poll = select.poll()


def answer(identity: Any, result: dict[str, Any]) -> None:
    """Write one line, whole."""
    data = memoryview(json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode() + b"\n")
    while data:
        data = data[os.write(1, data) :]


def start(identity: Any, command: str) -> None:
    """Start a command; its pipe tells the rest."""
    reading, writing = os.pipe()
    streams = [
        (os.POSIX_SPAWN_DUP2, NOTHING, 0),
        (os.POSIX_SPAWN_DUP2, writing, 1),
        (os.POSIX_SPAWN_DUP2, writing, 2),
    ]
    argv = [*BEFORE, "/bin/sh", "-c", command]
    pid = os.posix_spawnp(argv[0], argv, os.environ, file_actions=streams, setsigdef=[signal.SIGPIPE])
    os.close(writing)
    poll.register(reading, select.POLLIN)
    flying[reading] = (identity, pid, [])


def handle(message: dict[str, Any]) -> None:
    """Serve one message."""
    method, identity = message["method"], message.get("id")
    if method == "tools/call":
        start(identity, message["params"]["arguments"]["command"])
    elif method == "initialize":
        about = {"name": "json-loop", "version": "1"}
        version = message["params"]["protocolVersion"]
        answer(identity, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about})
    elif method == "tools/list":
        answer(identity, {"tools": [TOOL]})
    elif identity is not None:
        answer(identity, {})


def finish(reading: int) -> None:
    """A command's pipe has ended."""
    identity, pid, parts = flying.pop(reading)
    poll.unregister(reading)
    os.close(reading)
    os.waitpid(pid, 0)
    answer(identity, {"content": [{"type": "text", "text": b"".join(parts).decode(errors="replace")}]})


def serve() -> None:
    """Until stdin ends."""
    poll.register(0, select.POLLIN)
    rest = b""
    while True:
        for descriptor, _ in poll.poll():
            data = os.read(descriptor, READ_BYTES)
            if descriptor == 0:
                if not data:
                    sys.exit()
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    handle(json.loads(line))
            elif data:
                flying[descriptor][2].append(data)
            else:
                finish(descriptor)


serve()
