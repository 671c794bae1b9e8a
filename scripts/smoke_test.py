"""Drive an installed nacre with the SDK's client, on any system: smoke_test.py PROGRAM [ARGUMENT...].

A command, a failure, a session that keeps its state, a timeout, a job, which `nacre watch` stops. It needs
only what the server itself needs. Exits 0 if every answer is right.
"""

from __future__ import annotations

import sys
import tempfile
from typing import Any

import anyio
from mcp import Client, StdioServerParameters, stdio_client

WINDOWS = sys.platform == "win32"
FOREVER = "ping -n 600 127.0.0.1 >nul" if WINDOWS else "sleep 600"
ATTEMPTS = 20
FAIL = "cmd /c exit 3" if WINDOWS else "sh -c 'exit 3'"
SET, SHOW = ("set X=pearl", "echo %X%") if WINDOWS else ("X=pearl", 'echo "$X"')


class Driver:
    """One client, and checks of the answers that it gets."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.wrong: list[str] = []

    async def expect(self, what: str, wanted: dict[str, Any], tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool; its answer must have these fields."""
        answer = await self._client.call_tool(tool, arguments)
        data: dict[str, Any] = answer.structured_content or {}
        if {name: data.get(name) for name in wanted} == wanted:
            print(f"ok: {what}")
        else:
            self.wrong.append(f"{what}: wanted {wanted}, got {data}")
        return data


async def drive(program: list[str], directory: str) -> list[str]:
    """All checks, against one server; what was wrong."""
    server = StdioServerParameters(command=program[0], args=[*program[1:], "--working-dir", directory])
    async with Client(stdio_client(server), mode="legacy") as client:
        driver = Driver(client)
        await driver.expect("a command", {"stdout": "hello\n", "exit_code": 0}, "shell", command="echo hello")
        await driver.expect("a failure", {"exit_code": 3}, "shell", command=FAIL)
        await driver.expect("a session", {"exit_code": 0}, "shell", command=SET, session="s")
        await driver.expect("its state", {"stdout": "pearl\n"}, "shell", command=SHOW, session="s")
        await driver.expect("a timeout", {"ended": "timed_out"}, "shell", command=FOREVER, timeout=1)
        job = await driver.expect("a job", {"ended": "running"}, "shell", command=FOREVER, background=True)
        driver.wrong += await stop_by_watch(program, job.get("job", ""))
        await driver.expect("its end", {"ended": "stopped"}, "job", action="wait", id=job.get("job", ""))
        return driver.wrong


async def stop_by_watch(program: list[str], job: str) -> list[str]:
    """Stop a job as the person can; what was wrong. A server can be watched a second after its start."""
    said = b""
    for _ in range(ATTEMPTS):
        done = await anyio.run_process([*program, "watch", "--stop", job], check=False)
        if done.returncode == 0:
            print("ok: nacre watch")
            return []
        said = done.stderr
        await anyio.sleep(0.5)
    return [f"nacre watch: {said.decode(errors='replace')}"]


def main(program: list[str]) -> None:
    """Check that program."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        wrong = anyio.run(drive, program, directory)
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1:])
