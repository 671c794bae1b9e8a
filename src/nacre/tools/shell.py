"""The tool `shell`: run one command, in a fresh shell or a session, and tell the truth about it (004)."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from nacre.model import Command, Ended
from nacre.output import Newest
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.model import Result
    from nacre.service import Service
    from nacre.tools.tool import Caller, Progress

NEWS_CHARACTERS = 16_384  # of output that waits to be told
OUTPUT_LIMIT_LEAST = 256  # less could not even hold the note about what was left out
_TEXT = {"type": "string"}
_COUNT = {"type": "integer"}
OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": _TEXT,
        "ended": {"enum": [Ended.EXITED, Ended.SIGNALED, Ended.TIMED_OUT, Ended.SHELL_DIED]},
        "exit_code": {"type": ["integer", "null"]},
        "signal": {"type": ["string", "null"]},
        "stdout": _TEXT,
        "stderr": _TEXT,
        "timeout_seconds": {"type": "number"},
        "partial_stdout": _TEXT,
        "partial_stderr": _TEXT,
        "execution_time_ms": _COUNT,
        "working_directory": _TEXT,
        "truncated": {"type": "boolean"},
        "output_id": {"type": ["string", "null"]},
        "left_running": {
            "type": "array",
            "items": {"type": "object", "properties": {"pid": _COUNT, "command": _TEXT}},
        },
        "cpu_ms": _COUNT,
        "max_rss_bytes": {"type": ["integer", "null"]},
        "session": {"type": "object", "properties": {"name": _TEXT, "shell": _TEXT, "note": _TEXT}},
    },
    "required": ["command", "ended", "execution_time_ms", "working_directory", "truncated", "left_running"],
}


def shell_tool(service: Service) -> Tool:
    """The tool as this server offers it: its shell and its limits stand in the description."""
    config = service.config
    return Tool(
        name="shell",
        title="Run a shell command",
        description=(
            f"Run a command with {service.shell.name}. Each call is a fresh shell unless you name a session: "
            "its directory, variables and functions live on for the next call that names it. Multi-line "
            "scripts and heredocs work as typed. Returns exit code, stdout, stderr; long output keeps its "
            "beginning and end and names the file with the rest. A background process lives on and is "
            "listed in left_running."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "The shell command to execute", "minLength": 1},
                "working_directory": {
                    "type": "string",
                    "description": _default_directory(service),
                },
                "timeout": {
                    "type": "integer",
                    "description": "Seconds; then it is killed (in a session: interrupted)",
                    "minimum": config.min_timeout_s,
                    "maximum": config.max_timeout_s,
                    "default": config.default_timeout_s,
                },
                "environment": {
                    "type": "object",
                    "description": "Additional environment variables",
                    "additionalProperties": {"type": "string"},
                },
                "output_limit": {
                    "type": "integer",
                    "description": "Bytes shown of stdout and stderr each",
                    "minimum": min(OUTPUT_LIMIT_LEAST, config.reply_limit_bytes),
                    "maximum": config.reply_limit_bytes,
                },
                "stdin": {"type": "string", "description": "What it reads; default: nothing"},
                "session": {
                    "type": "string",
                    "description": "Name of a persistent shell; made at first use",
                    "minLength": 1,
                },
                "wait": {
                    "type": "boolean",
                    "description": "If the session is busy: wait, or fail at once",
                    "default": True,
                },
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        output_schema=OUTPUT_SCHEMA,
        annotations={
            "readOnlyHint": False,
            "destructiveHint": True,
            "idempotentHint": False,
            "openWorldHint": True,
        },
        call=lambda arguments, caller: _call(service, arguments, caller),
    )


def _default_directory(service: Service) -> str:
    if service.config.working_directory is not None:
        return f"Default: {service.default_directory}"
    return f"Default: your first root, else {service.default_directory}"


async def _call(service: Service, arguments: dict[str, Any], caller: Caller) -> Reply:
    session = arguments.get("session")
    command = Command(
        text=arguments["command"],
        working_directory=service.resolve_directory(arguments.get("working_directory"), session),
        timeout_s=arguments.get("timeout", service.config.default_timeout_s),
        environment=arguments.get("environment", {}),
        stdin=arguments.get("stdin"),
        session=session,
        wait=arguments.get("wait", True),
        output_limit_bytes=arguments.get("output_limit"),
    )
    return reply(await run(service, command, caller), include_stderr=service.config.include_stderr)


async def run(service: Service, command: Command, caller: Caller) -> Result:
    """Run a command; a caller who wants to know is told its newest output while it runs."""
    if caller.progress is None:
        return await service.run(command, ask=caller.ask)
    ticker = Ticker(caller.progress)
    try:
        result = await service.run(command, ticker.on_output, caller.ask)
        await ticker.finish()
    finally:
        ticker.stop()
    return result


class Ticker:
    """Tells a caller the newest output of a command that still runs. The keeper sets the pace."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._began = time.monotonic()
        self._streams: dict[int, Newest] = {}
        self._news = ""
        self._sending: asyncio.Task[None] | None = None

    def on_output(self, stream: int, chunk: bytes) -> None:
        """Take new output; what arrives while a message is on its way goes into the next one."""
        if stream not in self._streams:
            self._streams[stream] = Newest()
        self._add(self._streams[stream].feed(chunk))

    def _add(self, text: str) -> None:
        self._news += text
        if len(self._news) > NEWS_CHARACTERS:  # the caller takes nothing: the newest will do
            newest = self._news[-NEWS_CHARACTERS:]
            self._news = "…\n" + (newest.partition("\n")[2] or newest)
        if self._news and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._news:
            news, self._news = self._news, ""
            await self._progress(round(time.monotonic() - self._began, 3), news.rstrip("\n"))

    def stop(self) -> None:
        """Say no more."""
        if self._sending is not None:
            self._sending.cancel()

    async def finish(self) -> None:
        """Wait until the last news is out, so that it does not come after the result."""
        self._add("".join(stream.rest() for stream in self._streams.values()))
        if self._sending is not None:
            await self._sending


def reply(result: Result, *, include_stderr: bool = True) -> Reply:
    """The reply to a finished command: text to be read at once, and the same as data."""
    stderr = result.stderr.text if include_stderr else ""
    return Reply(_text(result, stderr), _structured(result, stderr), is_error=not result.ok)


def _structured(result: Result, stderr: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "command": result.command,
        "ended": result.ended.value,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "execution_time_ms": result.execution_time_ms,
        "working_directory": result.working_directory,
        "truncated": result.stdout.truncated or result.stderr.truncated,
        "output_id": result.output_id,
        "left_running": [{"pid": left.pid, "command": left.command} for left in result.left_running],
        "cpu_ms": result.cpu_ms,
        "max_rss_bytes": result.max_rss_bytes,
    }
    if result.session is not None:
        shell = result.shell_state.value if result.shell_state else None
        shown["session"] = {"name": result.session, "shell": shell, "note": result.note}
    if result.ended is Ended.TIMED_OUT:
        partial = {"partial_stdout": result.stdout.text, "partial_stderr": stderr}
        return {**shown, "timeout_seconds": result.timeout_s, **partial}
    return {**shown, "stdout": result.stdout.text, "stderr": stderr}


def status_line(result: Result) -> str:
    """How it ended, in a sentence of specification 004."""
    took = f"{result.execution_time_ms} ms"
    if result.ended is Ended.TIMED_OUT:
        some = "not everything it started could be killed" if result.left_running_total else ""
        what = "" if result.session else f"; {some or 'everything it started was killed'}"
        return f"Command timed out after {result.timeout_s:g} seconds{what}"
    if result.ended is Ended.SHELL_DIED:
        if result.signal is None and result.exit_code is None:
            return f"The shell of session '{result.session}' could not tell how the command ended ({took})"
        how = f"by {result.signal}" if result.signal else f"with code {result.exit_code}"
        return f"The shell of session '{result.session}' ended {how} during the command ({took})"
    if result.ended is Ended.SIGNALED:
        return f"Command was ended by {result.signal} ({took})"
    if result.exit_code == 0:
        return f"Command executed successfully ({took})"
    return f"Command failed with exit code {result.exit_code} ({took})"


def left_line(result: Result) -> str:
    """What the command has left running, in a line."""
    shown = "; ".join(f"{left.pid} {left.command}" for left in result.left_running[:5])
    more = f" and {result.left_running_total - 5} more" if result.left_running_total > 5 else ""  # noqa: PLR2004  # a taste
    spools = [text.spool for text in (result.stdout, result.stderr) if text.goes_on and text.spool]
    where = f" (prints on into {' and '.join(spools)})" if spools else ""
    if lost := result.stdout.rest_lost or result.stderr.rest_lost:
        where += f" (what it prints from now on is lost: {lost})"
    return f"still running: {shown}{more}{where}"


def _text(result: Result, stderr: str) -> str:
    parts = [status_line(result)]
    if result.note:
        parts.append(f"session: {result.note}")
    if result.left_running_total:
        parts.append(left_line(result))
    parts += [f"hint: {hint}" for hint in result.hints]
    if result.stdout.text:
        parts.append("--- stdout\n" + result.stdout.text.removesuffix("\n"))
    if stderr:
        parts.append("--- stderr\n" + stderr.removesuffix("\n"))
    return "\n".join(parts)
