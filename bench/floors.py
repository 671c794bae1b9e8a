"""The floors without a server: what the bare system needs for a command, asked as a server would be.

`Spawn` starts `/bin/sh -c` anew for each command, `BashPipe` keeps one bash and cuts its output at a mark.
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import time
from collections import deque
from typing import TYPE_CHECKING

from bench.model import Gone, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

READ_BYTES = 1 << 20
now = time.perf_counter


class Spawn:
    """`posix_spawn` of `/bin/sh -c`, and a read of its pipe."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._nothing = os.open(os.devnull, os.O_RDWR)

    def _start(self, command: str) -> tuple[int, int]:
        reading, writing = os.pipe()
        pid = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", command],
            self._env,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, self._nothing, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_DUP2, writing, 2),
            ],
            setsigdef=[signal.SIGPIPE],  # Python ignores it; a command must not inherit that
        )
        os.close(writing)
        return pid, reading

    def call(self, command: str) -> Reply:
        """Run a command and read all it prints."""
        began = now()
        pid, reading = self._start(command)
        parts = list[bytes]()
        while data := os.read(reading, READ_BYTES):
            parts.append(data)
        os.close(reading)
        os.waitpid(pid, 0)
        took_s = now() - began
        return Reply(took_s, b"".join(parts).decode(errors="replace"))

    def many(self, commands: Sequence[str], in_flight: int, patience_s: float) -> tuple[float, list[Reply]]:
        """Run all, so many at a time."""
        waiting, flying = deque(enumerate(commands)), dict[int, tuple[int, int, float, list[bytes]]]()
        replies = [Reply(patience_s, "", failure="no answer")] * len(commands)
        poll, began = select.poll(), now()
        while waiting or flying:
            while waiting and len(flying) < in_flight:
                index, command = waiting.popleft()
                sent = now()
                pid, reading = self._start(command)
                flying[reading] = (index, pid, sent, [])
                poll.register(reading, select.POLLIN)
            for reading, _ in poll.poll():
                index, pid, sent, parts = flying[reading]
                if data := os.read(reading, READ_BYTES):
                    parts.append(data)
                    continue
                poll.unregister(reading)
                os.close(reading)
                os.waitpid(pid, 0)
                del flying[reading]
                replies[index] = Reply(now() - sent, b"".join(parts).decode(errors="replace"))
        return now() - began, replies

    def close(self) -> None:
        """Nothing lives on."""
        os.close(self._nothing)


class BashPipe:
    """One bash on a pipe pair; a mark that is new for each command tells its end."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["/bin/bash", "--norc", "--noprofile"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(env),
            bufsize=0,
        )
        assert self._process.stdin
        assert self._process.stdout
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()

    def call(self, command: str) -> Reply:
        """Run a command in the shell that is there."""
        began = now()
        mark = f"\x01{random.randrange(1 << 60)}\x01".encode()  # noqa: S311  # a mark, not a secret
        os.write(self._in, command.encode() + b"\nprintf '\\n%s:%d\\n' '" + mark + b"' $?\n")
        output = bytearray()
        while mark not in output[-64:]:
            data = os.read(self._out, READ_BYTES)
            if not data:
                raise Gone("bash has ended")
            output += data
        took_s = now() - began
        return Reply(took_s, output[: output.rfind(b"\n" + mark)].decode(errors="replace"))

    def close(self) -> None:
        """End the shell."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()
