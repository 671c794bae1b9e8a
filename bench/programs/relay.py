"""Floor: two processes, as a server with a keeper has them, and nothing but what both must do at least.

One parses requests and answers them, the other starts commands and reads what they print. With the argument
`session` the commands run in one bash, each with streams of its own, and their ends come on a private
channel: exactly what a session needs to tell output, exit code and what was left running.
"""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import sys
import tempfile
from typing import Any

READ_BYTES = 1 << 16
HEAD = struct.Struct("<II")  # the length of what follows, and the number of the request
TOOL = {
    "name": "run",
    "description": "Run a shell command",
    "inputSchema": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}
NOTHING = os.open(os.devnull, os.O_RDWR)


class Frames:
    """Whole frames of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._rest = b""

    def read(self) -> list[tuple[int, bytes]]:
        """The number and the body of each that has come; an end of the pipe ends the process."""
        data = os.read(self.descriptor, READ_BYTES)
        if not data:
            os._exit(0)
        self._rest += data
        found = list[tuple[int, bytes]]()
        while len(self._rest) >= HEAD.size:
            length, number = HEAD.unpack_from(self._rest)
            end = HEAD.size + length
            if len(self._rest) < end:
                break
            found.append((number, self._rest[HEAD.size : end]))
            self._rest = self._rest[end:]
        return found


def send(descriptor: int, number: int, body: bytes) -> None:
    """Write one frame."""
    os.write(descriptor, HEAD.pack(len(body), number) + body)


# -- the process that starts commands


def start(command: bytes) -> tuple[int, int, int]:
    """A command in a shell of its own: its process and its two streams."""
    out, out_child = os.pipe()
    err, err_child = os.pipe()
    streams = [
        (os.POSIX_SPAWN_DUP2, NOTHING, 0),
        (os.POSIX_SPAWN_DUP2, out_child, 1),
        (os.POSIX_SPAWN_DUP2, err_child, 2),
    ]
    argv = ["/bin/sh", "-c", command]
    pid = os.posix_spawn(
        "/bin/sh", argv, os.environ, file_actions=streams, setsigdef=[signal.SIGPIPE], setsid=True
    )
    os.close(out_child)
    os.close(err_child)
    return pid, out, err


def keep_commands(link: Frames, answers: int) -> None:
    """Any number of commands at once, each in a fresh shell."""
    poll = select.poll()
    poll.register(link.descriptor, select.POLLIN)
    running: dict[int, tuple[int, int, int]] = {}  # end of a process -> request, process, its stdout
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == link.descriptor:
                for number, command in link.read():
                    pid, out, err = start(command)
                    ended = os.pidfd_open(pid)
                    poll.register(ended, select.POLLIN)
                    running[ended] = (number, pid, out)
                    os.set_blocking(out, False)
                    os.close(err)
                continue
            number, pid, out = running.pop(descriptor)
            poll.unregister(descriptor)
            os.waitpid(pid, 0)
            send(answers, number, os.read(out, READ_BYTES))
            os.close(descriptor)
            os.close(out)


def keep_session(link: Frames, answers: int) -> None:
    """One bash; every command has streams of its own, and its end comes on a private channel."""
    directory = tempfile.mkdtemp()
    out_path, err_path, channel_path, script = (f"{directory}/{name}" for name in ("o", "e", "c", "run"))
    for path in (out_path, err_path, channel_path):
        os.mkfifo(path, 0o600)
    reading, writing = os.pipe()
    streams = [(os.POSIX_SPAWN_DUP2, reading, 0), *((os.POSIX_SPAWN_DUP2, NOTHING, fd) for fd in (1, 2))]
    argv = ["bash", "--noprofile", "--norc", "--noediting", "-i"]
    pid = os.posix_spawnp("bash", argv, os.environ, file_actions=streams, setsid=True)
    channel = os.open(channel_path, os.O_RDWR)
    file = os.open(script, os.O_RDWR | os.O_CREAT, 0o600)
    while True:
        for number, command in link.read():
            quoted = command.decode().replace("'", r"'\''")
            text = f"\\command eval '{quoted}' <'/dev/null' >'{out_path}' 2>'{err_path}'\n"
            os.ftruncate(file, os.pwrite(file, text.encode(), 0))
            out, err = (os.open(path, os.O_RDONLY | os.O_NONBLOCK) for path in (out_path, err_path))
            tell = f"\\builtin printf '%s %s %s\\n' {number} $? \"$PWD\" >'{channel_path}'\n"
            os.write(writing, f"\\builtin . '{script}'\n{tell}".encode())
            end = os.read(channel, READ_BYTES)
            output, errors = os.read(out, READ_BYTES), os.read(err, READ_BYTES)
            os.close(out)
            os.close(err)
            with open(f"/proc/{pid}/task/{pid}/children", "rb") as children:
                left = children.read()
            send(answers, number, output + errors if end and not left else b"")


# -- the process that talks to the client


def answer(identity: Any, result: dict[str, Any]) -> None:
    """Write one line."""
    os.write(1, json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode() + b"\n")


def handle(message: dict[str, Any], requests: int) -> None:
    """Serve one message."""
    identity: Any = message.get("id")
    method = message["method"]
    if method == "tools/call":
        send(requests, identity, message["params"]["arguments"]["command"].encode())
    elif method == "initialize":
        about = {"name": "relay", "version": "1"}
        version = message["params"]["protocolVersion"]
        answer(identity, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about})
    elif method == "tools/list":
        answer(identity, {"tools": [TOOL]})
    elif identity is not None:
        answer(identity, {})


def serve(link: Frames, requests: int) -> None:
    """Until stdin ends."""
    poll = select.poll()
    poll.register(0, select.POLLIN)
    poll.register(link.descriptor, select.POLLIN)
    rest = b""
    while True:
        for descriptor, _ in poll.poll():
            if descriptor == link.descriptor:
                for number, output in link.read():
                    answer(number, {"content": [{"type": "text", "text": output.decode(errors="replace")}]})
                continue
            data = os.read(0, READ_BYTES)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                handle(json.loads(line), requests)


def main() -> None:
    """Become two processes."""
    requests, to_keeper = os.pipe()
    answers, to_server = os.pipe()
    if os.fork() == 0:
        os.close(to_keeper)
        os.close(answers)
        (keep_session if sys.argv[1:] == ["session"] else keep_commands)(Frames(requests), to_server)
    os.close(requests)
    os.close(to_server)
    serve(Frames(answers), to_keeper)


main()
