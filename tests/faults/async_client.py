"""An asynchronous client of one server: many calls at once, each answered or cut off by the server's end."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from wire_client import HANDSHAKE

END_PATIENCE_S = 60.0
LINE_LIMIT_BYTES = 1 << 24
Answer = asyncio.Future[dict[str, Any] | None]
_marks = itertools.count(random.randrange(10**6))  # noqa: S311  # a mark, not a secret


class Connection:
    """One server process, and the calls that it owes an answer."""

    def __init__(
        self, process: asyncio.subprocess.Process, lines: asyncio.StreamReader, stdout: asyncio.ReadTransport
    ) -> None:
        self.process = process
        self._lines = lines
        self._stdout = stdout
        self.mark = f"4{next(_marks)}.5"  # an argument for `sleep` that only this server's commands carry
        self.ended = False
        self.unasked: list[dict[str, Any]] = []  # a second answer, or one to nothing
        self._ids = itertools.count(1)
        self._waiting: dict[int, Answer] = {}
        self._reading = asyncio.create_task(self._read())

    @staticmethod
    async def open(directory: Path, *options: str) -> Connection:
        """Start a server whose files lie in that directory, and shake hands."""
        ours, theirs = os.pipe()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nacre", "--shell", "bash", *options),
            stdin=asyncio.subprocess.PIPE,
            stdout=theirs,
            stderr=asyncio.subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": str(directory), "NACRE_WATCH": "false"},  # its socket comes later
            start_new_session=True,
        )
        os.close(theirs)
        lines = asyncio.StreamReader(LINE_LIMIT_BYTES)
        stdout, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(ours, "rb")
        )
        connection = Connection(process, lines, stdout)
        await connection.request("initialize", HANDSHAKE)[1]
        connection._send({"method": "notifications/initialized"})
        return connection

    def request(self, method: str, params: dict[str, Any]) -> tuple[int, Answer]:
        """Send a request; its id, and its answer, which is None when the server ends before."""
        identity = next(self._ids)
        answer = self._waiting[identity] = asyncio.get_running_loop().create_future()
        if self.ended:
            answer.set_result(None)
        else:
            self._send({"id": identity, "method": method, "params": params})
        return identity, answer

    def call(self, **arguments: Any) -> tuple[int, Answer]:
        """Call the tool `shell`."""
        return self.request("tools/call", {"name": "shell", "arguments": arguments})

    def cancel(self, identity: int) -> None:
        """Give a call up: no answer to it is owed any more."""
        self._send({"method": "notifications/cancelled", "params": {"requestId": identity}})
        answer = self._waiting.get(identity)  # one that was answered just before is over anyway
        if answer is not None and not answer.done():
            answer.set_result(None)

    def _send(self, message: dict[str, Any]) -> None:
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    async def _read(self) -> None:
        try:
            while (line := await self._lines.readline()).endswith(b"\n"):  # a killed server may stop midway
                self._take(json.loads(line))
        finally:
            self.ended = True
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_result(None)

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            return
        answer = self._waiting.pop(message["id"], None)
        if answer is None:
            self.unasked.append(message)
        elif not answer.done():
            answer.set_result(message)

    async def finish(self) -> None:
        """Hang up like an orderly client, and wait for the end."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        await self.over()

    async def over(self) -> None:
        """Wait until the server has ended, and all that it has said is read."""
        await asyncio.wait_for(self.process.wait(), END_PATIENCE_S)
        await self._reading

    def drop(self) -> None:
        """Go away without a word: both streams are closed, whatever is owed."""
        assert self.process.stdin is not None
        self.process.stdin.transport.abort()
        self._stdout.close()

    def own_processes(self) -> dict[str, list[int]]:
        """nacre's own processes by what they are: the server, its keeper, the guardian of that."""
        found: dict[str, list[int]] = {"server": [self.process.pid], "keeper": [], "guardian": []}
        for pid in below(self.process.pid):
            line = command_line(pid)
            if "nacre.keeper" in line and not line.startswith(sys.executable):
                found["guardian"].append(pid)
            elif "nacre.keeper" in line:
                found["keeper"].append(pid)
        return found


def below(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [found for child in map(int, children) for found in (child, *below(child))]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""
