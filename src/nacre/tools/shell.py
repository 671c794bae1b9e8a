"""The tool `shell`: run one command, in a fresh shell or a session (specification 004)."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.model import Command, Ended
from nacre.output import Newest
from nacre.tools.results import output_schema, reply
from nacre.tools.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from nacre.config import Config
    from nacre.gate import Ask
    from nacre.model import Result
    from nacre.service import Service
    from nacre.tools.tool import Caller, Progress, Reply

NEWS_CHARACTERS = 16_384  # of output that waits for the next progress message
OUTPUT_LIMIT_MOST = 16 << 20  # no client accepts a longer reply
SCREEN = (24, 80)  # rows and columns of a terminal, until a call changes that
PATH_BYTES = 100  # of the working directory in the description, at most
OUTPUT_LIMIT_LEAST = 256  # less has no room for the note about the omission


def shell_tool(service: Service) -> Tool:
    """The tool as this server offers it, with its shell and its limits in the description."""
    config = service.config
    return Tool(
        name="shell",
        title="Run a shell command",
        description=(
            f"Run a command with {service.shell.name}. Each call is a fresh shell unless you name a session: "
            "its directory, variables and functions live on for the next call that names it. Multi-line "
            "scripts and heredocs work as typed. Returns exit code, stdout, stderr; long output keeps its "
            "ends and lines that look like errors, the tool output reads the rest. What takes long goes on "
            "as a job."
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
                    "description": "Command timeout in seconds (optional, defaults to "
                    f"{_duration(config.default_timeout_s)}); in a session it is interrupted",
                    "minimum": config.min_timeout_s,
                    "maximum": config.max_timeout_s,
                    "default": config.default_timeout_s,
                },
                "environment": {
                    "type": "object",
                    "description": "Additional environment variables to set (optional)",
                    "additionalProperties": {"type": "string"},
                },
                "output_limit": {
                    "type": "integer",
                    "description": "Bytes shown of stdout and stderr each",
                    "minimum": min(OUTPUT_LIMIT_LEAST, config.reply_limit_bytes),
                    "maximum": max(config.reply_limit_bytes, min(config.max_output_bytes, OUTPUT_LIMIT_MOST)),
                    "default": config.reply_limit_bytes,
                },
                "stdin": {"type": "string", "description": "What it reads; default: nothing"},
                **_job_arguments(config),
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
        output_schema=output_schema(config),
        meta={"anthropic/alwaysLoad": True},  # Claude Code: shown to the model at once, not on a search
        call=partial(_call, service),
    )


def _job_arguments(config: Config) -> dict[str, Any]:
    """The arguments that make a command a job."""
    return {
        "background": {
            "type": "boolean",
            "description": f"Run as a job: {_background_limit(config)}, takes input",
        },
        "terminal": {
            "type": "boolean",
            "description": "The same, on a terminal with a screen",
        },
        "answer_within": {
            "type": "integer",
            "description": "Seconds; then it goes on as a job",
            "minimum": 1,
            "default": config.answer_within_s,
        },
    }


def _background_limit(config: Config) -> str:
    limit_s = config.background_timeout_s
    return f"ended after {limit_s} s unless timeout says else" if limit_s else "no time limit"


def _duration(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return (
        f"{seconds} seconds" if rest else f"{seconds} seconds / {minutes} minute{'' if minutes == 1 else 's'}"
    )


def _default_directory(service: Service) -> str:
    root = "" if service.config.working_directory is not None else "your first root, else "
    where = f"{root}{_end_of(service.default_directory)}"
    return f"Working directory for command execution (optional, defaults to {where})"


def _end_of(path: str) -> str:
    """A path, or the end of a very long one, so that the list of tools stays small."""
    encoded = path.encode(errors="replace")
    return path if len(encoded) <= PATH_BYTES else "…" + encoded[-PATH_BYTES:].decode(errors="ignore")


async def _call(service: Service, arguments: dict[str, Any], caller: Caller) -> Reply:
    session = arguments.get("session")
    terminal = arguments.get("terminal", False)
    background = arguments.get("background", False) or terminal
    if background and session is not None:
        raise RequestError(
            f"{'terminal' if terminal else 'background'} and session exclude each other.",
            hint="A command of a session goes on as a job after answer_within seconds.",
        )
    config = service.config
    usual_s = config.background_timeout_s if background else config.default_timeout_s
    command = Command(
        text=arguments["command"],
        working_directory=service.resolve_directory(arguments.get("working_directory"), session),
        timeout_s=arguments.get("timeout", usual_s),
        environment=arguments.get("environment", {}),
        stdin=arguments.get("stdin"),
        session=session,
        wait=arguments.get("wait", True),
        output_limit_bytes=arguments.get("output_limit"),
        terminal=SCREEN if terminal else None,
        answer_within_s=0 if background else arguments.get("answer_within", config.answer_within_s) or None,
    )
    if caller.progress is None:
        result = await service.run(command, None, caller.ask)
    else:
        result = await _run_with_progress(service, command, caller.progress, caller.ask)
    advice = _timeout_advice(service, command) if result.ended is Ended.TIMED_OUT else ""
    answer = reply(result, config, advice)
    goes_on = result.ended is Ended.RUNNING and not background
    return replace(answer, job=result.output_id) if goes_on else answer


def _timeout_advice(service: Service, command: Command) -> str:
    """What a caller can do about a command that takes longer than its limit."""
    most_s = service.config.max_timeout_s
    higher = f"with a higher timeout (up to {most_s})" if command.timeout_s < most_s else ""
    behind = "in the background (COMMAND >FILE 2>&1 &)" if service.shell.dialect.name != "cmd" else ""
    ways = " or ".join(filter(None, [higher, behind]))
    return f"If it needs longer, run it {ways}." if ways else ""


def run(service: Service, command: Command, caller: Caller) -> Awaitable[Result]:
    """Run a command; the newest output is sent as progress, if the caller wants that."""
    if caller.progress is None:
        return service.run(command, ask=caller.ask)
    return _run_with_progress(service, command, caller.progress, caller.ask)


async def _run_with_progress(
    service: Service, command: Command, progress: Progress, ask: Ask | None
) -> Result:
    ticker = Ticker(progress)
    try:
        result = await service.run(command, ticker.on_output, ask)
        await ticker.finish()
    finally:
        ticker.stop()
    return result


class Ticker:
    """Sends the newest output of a running command as progress. The keeper sets the pace."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._began = time.monotonic()
        self._streams: dict[int, Newest] = {}
        self._news = ""
        self._sending: asyncio.Task[None] | None = None

    def on_output(self, stream: int, chunk: bytes) -> None:
        """Send new output; what arrives meanwhile goes into the next message."""
        if stream not in self._streams:
            self._streams[stream] = Newest()
        self._add(self._streams[stream].feed(chunk))

    def _add(self, text: str) -> None:
        self._news += text
        if len(self._news) > NEWS_CHARACTERS:  # the caller does not read: keep only the newest
            newest = self._news[-NEWS_CHARACTERS:]
            self._news = "…\n" + (newest.partition("\n")[2] or newest)
        if self._news and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._news:
            news, self._news = self._news, ""
            await self._progress(round(time.monotonic() - self._began, 3), news.rstrip("\n"))

    def stop(self) -> None:
        """Send no more."""
        if self._sending is not None:
            self._sending.cancel()

    async def finish(self) -> None:
        """Wait for the last message, so that it does not come after the result."""
        self._add("".join(stream.rest() for stream in self._streams.values()))
        if self._sending is not None:
            await self._sending
