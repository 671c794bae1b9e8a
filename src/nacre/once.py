"""Once: one command in a fresh process, of a shell or of its own, with no memory of the one before.

Above it: `service`. Below: a shell's dialect, a link to a keeper, and `output`.
"""

from __future__ import annotations

import asyncio
import errno
import os
from typing import TYPE_CHECKING

from nacre.errors import RequestError
from nacre.keeper.frames import Spawn
from nacre.keeper.link import SpawnError
from nacre.model import Ended, LeftProcess, Result
from nacre.output import LOSSY, kept_bytes, render

if TYPE_CHECKING:
    from collections.abc import Callable

    from nacre.config import Config
    from nacre.filesystem import FileSystem
    from nacre.keeper.frames import Exit
    from nacre.keeper.link import Link
    from nacre.model import Command
    from nacre.places.place import Place

FOLLOW_MS = 100  # progress at most ten times a second
_ENDS = {"timeout": Ended.TIMED_OUT, "killed": Ended.CANCELLED}


async def run_once(
    command: Command,
    place: Place,
    link: Link,
    config: Config,
    on_output: Callable[[int, bytes], None] | None = None,
) -> Result:
    """Run a command to its end. Cancelling this coroutine kills everything the command started."""
    shell = place.shell
    argv, script = (
        shell.once(command.run_text or command.text) if command.argv is None else (list(command.argv), None)
    )
    spawn = Spawn(
        argv=argv,
        program=shell.executable if command.argv is None else "",
        cwd=command.working_directory,
        timeout_ms=round(command.timeout_s * 1000),
        grace_ms=round(config.kill_grace_s * 1000),
        keep_bytes=kept_bytes(command.output_limit_bytes, config.reply_limit_bytes),
        spool_bytes=config.max_output_bytes,
    )
    if command.environment or shell.dialect.environment:
        spawn.environment = {**shell.dialect.environment, **command.environment}
    if script is not None:
        spawn.script = script
    if on_output is not None:
        spawn.follow_ms = FOLLOW_MS
    if command.stdin:
        spawn.stdin = True
    running = link.run(spawn, on_output=on_output)
    if command.stdin:
        link.feed(running, os.fsencode(command.stdin))
        link.feed(running, b"")
    try:
        told = await running.exit
    except asyncio.CancelledError:
        running.on_output = None  # who has cancelled wants to hear no more of it
        link.kill(running, round(config.kill_grace_s * 1000))
        raise
    except SpawnError as error:
        del running  # it holds the error, whose traceback leads here: a circle for the garbage collector
        raise explain(error, command.working_directory, place.files) from None
    return _result(command, told, config, shell.dialect.output_encoding)


def explain(error: SpawnError, directory: str, files: FileSystem) -> Exception:
    """Tell a missing directory, which the caller can fix, from a missing shell, which is the place's."""
    if error.file != directory:
        return error
    if error.errno == errno.ENOENT:
        parent = directory
        while parent != os.path.dirname(parent) and not files.is_directory(parent):
            parent = os.path.dirname(parent)
        return RequestError(
            f"working_directory does not exist: {directory}.",
            code="no_directory",
            hint=f"Nothing was run. The nearest directory that exists is {parent}.",
        )
    return RequestError(
        f"working_directory cannot be entered: {directory}: {os.strerror(error.errno)}.",
        code="no_directory",
        hint="Nothing was run.",
    )


def _result(command: Command, told: Exit, config: Config, encoding: str | None) -> Result:
    limit_bytes = command.output_limit_bytes or config.reply_limit_bytes
    if config.lossy_utf8:
        encoding = encoding or LOSSY
    stdout = render(told.stdout, limit_bytes, encoding)
    stderr = render(told.stderr, limit_bytes, encoding)
    spool = stdout.spool or stderr.spool
    ended = _ENDS[told.why] if told.why else Ended.SIGNALED if told.signal else Ended.EXITED
    return Result(
        command=command.text,
        working_directory=command.working_directory,
        ended=ended,
        exit_code=told.code,
        signal=told.signal,
        stdout=stdout,
        stderr=stderr,
        execution_time_ms=told.wall_ms,
        timeout_s=command.timeout_s,
        cpu_ms=told.cpu_ms,
        max_rss_bytes=told.max_rss_bytes,
        left_running=tuple(LeftProcess(pid, line) for pid, line in told.left) if told.left else (),
        left_running_total=told.left_total,
        output_id=os.path.splitext(spool)[0] if spool else None,
    )
