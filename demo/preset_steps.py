"""The presets in a few lines each: `demo.py` plays these steps after its own.

A step starts its own server, shows what it sends and gets, and checks it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp import Client, StdioServerParameters, stdio_client
from stage import must, paint, quiet

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


async def ask(client: Client, tool: str, **arguments: Any) -> tuple[str, bool]:
    """Call a tool, show the call and its answer; the text and whether it is an error."""
    print(paint(f"  ❯ {tool} {json.dumps(arguments)}", "36"))
    result = await client.call_tool(tool, arguments)
    text = "".join(getattr(part, "text", "") for part in result.content)
    for line in text.splitlines():
        print(paint(f"    {line}", "31" if result.is_error else "32"))
    return text, bool(result.is_error)


def server(*options: str) -> Client:
    """A client of a server that is started for it."""
    print(paint(f"  $ nacre {' '.join(options)}", "2"))
    parameters = StdioServerParameters(command=sys.executable, args=["-m", "nacre", *options])
    return Client(stdio_client(parameters, errlog=quiet()), mode="legacy")


async def shell_exec() -> None:
    """Preset shell-exec (001): any shell, and the reply is what was printed."""
    async with server("--preset", "shell-exec", "--shell", "bash") as client:
        heredoc = "cat << EOF | grep 'example'\nThis is an example text.\nAnother line.\nEOF"
        text, _ = await ask(client, "shell_exec", command=heredoc)
        must(text == "This is an example text.\n", "the document's heredoc")
        text, failed = await ask(client, "shell_exec", command="ls /nonexistent")
        must(failed and "exit code 2" in text, "a failure with its details")


async def execute_command() -> None:
    """Preset execute-command (002): three fields, whatever happened."""
    async with server("server", "shell", "--deny", "rm*", "--timeout", "1") as client:
        answers: list[tuple[str, int, str]] = [
            ("echo hello", 0, "hello\n"),
            ("ls; rm -rf /tmp/x", -1, "Command denied by security policy"),
            ("echo so far; sleep 60", -1, "so far\nCommand timed out after 1 seconds"),
        ]
        for command, code, output in answers:
            text, _ = await ask(client, "execute_command", command=command)
            fields = json.loads(text)
            must(
                fields["return_code"] == code and fields["output"].startswith(output), f"{command}: {output}"
            )


async def commands() -> None:
    """Preset commands (000): a tool for each command of a list, one shell, no operators."""
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
        file.write('commands = ["ls", "cd", "echo", "find"]\n')
        file.flush()
        async with server("--preset", "commands", "--shell", "bash", "--config", file.name) as client:
            await ask(client, "cd", args="/usr")
            text, _ = await ask(client, "ls", args="-d lib")
            must(text == "lib", "the directory lives on")
            for args in ("hi; rm -rf x", "hi > file", "$(rm x)", "'hi'\nrm x"):
                _, refused = await ask(client, "echo", args=args)
                must(refused, f"{args} is refused")
            text, _ = await ask(client, "echo", args="'a && b; c | d'")
            must(text == "a && b; c | d", "quoted text is text")
            _, refused = await ask(client, "find", args=". -exec rm {} +")
            must(refused, "an argument is no way to another command")
            text, _ = await ask(client, "restart")
            must("A new shell is there" in text, "a clean shell")


async def agent() -> None:
    """Preset agent (004): a failure is left in a file for a workflow; file tools stay in their directory."""
    with tempfile.TemporaryDirectory() as directory:
        abort = Path(directory, "abort.json")
        options = ("--tools", "files", "--working-dir", directory, "--abort-file", str(abort))
        async with server(*options) as client:
            await ask(client, "shell", command="echo 'one test failed' >&2; exit 101")
            record = json.loads(abort.read_text())  # noqa: ASYNC240  # a small file
            print(paint(f"    abort.json: exit_code {record['exit_code']}, stderr {record['stderr']!r}", "2"))
            must(record["exit_code"] == 101, "the failure in the abort file")
            await ask(client, "write_file", path="note.txt", content="first\nsecond\n")
            text, _ = await ask(client, "read_file", path="note.txt", offset=1)
            must("lines 2 to 2 of 2 lines" in text, "a page of the file")
            text, refused = await ask(client, "read_file", path="../../etc/passwd")
            must(refused and "is outside of" in text, "nothing from outside")


def piped(workspace: str, *lines: str) -> list[dict[str, Any]]:
    """Lines through a pipe, without any handshake, and what comes back."""
    print(paint("  $ echo … | nacre --preset container", "2"))
    answered = subprocess.run(
        [sys.executable, "-m", "nacre", "--preset", "container", "--working-dir", workspace],
        input="\n".join(lines) + "\n",
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    ).stdout.splitlines()
    for line in lines:
        print(paint(f"  ❯ {line}", "36"))
    for line in answered:
        print(paint(f"    {line}", "31" if '"error"' in line else "32"))
    return [json.loads(line) for line in answered]


async def container() -> None:
    """Preset container (003): programs of a table, without a shell and without a handshake."""
    echo = '"method":"shell/exec","params":{"command":"ECHO","args":["; rm -rf /","$(id)"]}'
    refused = '"method":"shell/exec","params":{"command":"git","args":["push"]}'
    with tempfile.TemporaryDirectory() as workspace:
        first, *answers = piped(
            workspace, f'{{"jsonrpc":"2.0","id":1,{echo}}}', f'{{"jsonrpc":"2.0","id":2,{refused}}}'
        )
    must(first["id"] is None and "capabilities" in first["result"], "the document's first message")
    by_id = {answer["id"]: answer for answer in answers}
    must(by_id[1]["result"]["stdout"] == "; rm -rf / $(id)", "words that no shell has read")
    must(
        by_id[2]["error"] == {"code": -32000, "message": "Command 'git' with argument 'push' not allowed"},
        "the document's error",
    )


STEPS: list[Callable[[], Awaitable[None]]] = [
    agent,
    shell_exec,
    execute_command,
    commands,
    container,
]
