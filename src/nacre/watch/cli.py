"""`nacre watch`: a person follows the running servers of their own. It runs no command.

Above it: the command line. Below: `client`, and `app`, which needs a package of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from nacre.argument_parser import Parser
from nacre.audit.reading import how_of, what_of
from nacre.errors import NacreError, RequestError
from nacre.watch.client import Servers, WatchedServer
from nacre.watch.endpoint import IS_OFFERED
from nacre.watch.paths import socket_directory

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

FAILED, USAGE_ERROR = 1, 2
NO_TEXTUAL = """\
nacre: a whole-terminal view needs the package textual, which is not installed here.
Install it (`pip install 'nacre[watch]'`), or use `nacre watch --plain`."""
NOT_HERE = "nacre: servers can be watched on Linux, macOS and Windows only.\n"


def parser() -> argparse.ArgumentParser:
    """The options, with their help."""
    top = Parser(
        prog="nacre watch",
        description="Follow your running servers: every command with its verdict and its end, sessions, jobs"
        " and what they print. Stop a job or a command, or type into a job's terminal.",
    )
    how = top.add_mutually_exclusive_group()
    how.add_argument(
        "--plain", action="store_true", help="a line for each event, instead of a whole terminal"
    )
    how.add_argument("--json", action="store_true", help="the same as JSON lines")
    how.add_argument("--stop", metavar="ID", help="stop this job or command, and end")
    how.add_argument(
        "--output", metavar="ID", help="print the last lines of this job, command or output, and end"
    )
    top.add_argument("--once", action="store_true", help="with --plain or --json: what there is now, and end")
    return top


def main(arguments: Sequence[str]) -> int:
    """Watch until the person has seen enough; the exit code."""
    top = parser()
    options = top.parse_args(arguments)
    if options.once and not (options.plain or options.json):
        top.error("--once goes with --plain or --json")
    try:
        return _watch(options, socket_directory(os.environ)) if IS_OFFERED else _not_here()
    except NacreError as error:
        sys.stderr.write(f"nacre: {error}\n")
        return FAILED


def _not_here() -> int:
    sys.stderr.write(NOT_HERE)
    return USAGE_ERROR


def _watch(options: argparse.Namespace, directory: str) -> int:
    if options.stop or options.output:
        return asyncio.run(_ask(directory, options))
    if options.plain or options.json:
        return asyncio.run(_print(directory, as_json=options.json, once=options.once))
    return _run_app(directory)


def _run_app(directory: str) -> int:
    try:
        from nacre.watch.app import WatchApp  # noqa: PLC0415  # an extra, which may be missing
    except ModuleNotFoundError:
        sys.stderr.write(f"{NO_TEXTUAL}\n")
        return USAGE_ERROR
    app = WatchApp(directory)
    app.run()
    return app.return_code or 0


async def _print(directory: str, *, as_json: bool, once: bool) -> int:
    def hear(server: WatchedServer, message: dict[str, Any]) -> None:
        for line in [json.dumps({"server": server.pid, **message})] if as_json else as_lines(server, message):
            sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    servers = Servers(directory, hear)
    try:
        await servers.look()
        if not list(servers):
            yet = "" if once else " yet"
            why = f"clients start one when they need it (looked in {directory})"
            sys.stderr.write(f"No server of yours can be watched{yet}: {why}.\n")
        if not once:
            await servers.follow()
        return 0 if list(servers) else FAILED
    finally:
        servers.close()


async def _ask(directory: str, options: argparse.Namespace) -> int:
    """Stop a job or a command, or show what it has printed: at the server that knows it."""
    wanted: str = options.stop or options.output
    servers = Servers(directory, lambda _, __: None)
    try:
        await servers.look()
        for server in servers:
            try:
                if options.stop:
                    await server.ask("stop", job=wanted)
                    sys.stdout.write(f"{wanted} is being stopped.\n")
                else:
                    for stream in ("stdout", "stderr"):
                        found = await server.ask("output", job=wanted, stream=stream)
                        sys.stdout.write(found["text"])
            except RequestError as error:
                if f"There is no {'job' if options.stop else 'output'}" in str(error):
                    continue
                raise
            return 0
    finally:
        servers.close()
    raise RequestError(
        f"No server that can be watched knows {wanted!r}.", hint="See `nacre watch --plain --once`."
    )


# -- as text


def as_lines(server: WatchedServer, message: dict[str, Any]) -> list[str]:
    """An event for a person."""
    event = message["event"]
    if event == "hello":
        lines = [f"server {server.pid}: {about(message)}"]
        lines += [
            f"  session {one['name']}: {one['state']}, in {one['directory']}" for one in message["sessions"]
        ]
        lines += [
            f"  job {one['job']}: {one['state']}, {one['seconds']} s: {one['command']}"
            for one in message["jobs"]
        ]
        lines += [f"  {as_text(one)}" for one in message["recent"]]
        lines += [f"  {one.get('output', 'not begun')}: {as_text(one)}" for one in message["running"]]
        return [printable(line) for line in lines]
    if event == "gone":
        return [f"server {server.pid}: ended"]
    if event == "refused":
        return [f"server {server.name}: refused: {printable(message['reason'])}"]
    return [printable(f"{server.pid}  {as_text(message)}")]


def about(hello: dict[str, Any]) -> str:
    """A server in a few words."""
    client = hello["client"] or "no client yet"
    return f"{client}, preset {hello['preset']}, sandbox {hello['sandbox']}, in {hello['directory']}"


def as_text(record: dict[str, Any]) -> str:
    """When, how it ended, by which verdict, and what it was."""
    if record["event"] == "noted":
        return f"{record['time']}  {record['what']}: {record.get('command') or record.get('session') or ''}"
    session = f" [{record['session']}]" if "session" in record else ""
    return f"{record['time']}  {state_of(record)}{verdict_of(record)}{session}: {what_of(record)}"


def state_of(record: dict[str, Any]) -> str:
    """Whether it runs, or how it ended."""
    return "started" if record["event"] == "started" else how_of(record)


def verdict_of(record: dict[str, Any]) -> str:
    """What the rules say, where they say more than yes."""
    verdict, rule = record.get("verdict", "allow"), record.get("rule", "")
    return "" if verdict == "allow" and not rule else f" ({verdict}{f', {rule}' if rule else ''})"


def printable(text: str) -> str:
    """On one line, and without what a terminal would obey."""
    return text if text.isprintable() else text.encode("unicode_escape").decode("ascii")
