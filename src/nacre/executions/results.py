"""From the end of a command, as the keeper reports it, to the result that the caller gets.

Above it: the executions, which add what only they know. Below: `output`, which renders every byte that
leaves.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from nacre.keeper.frames import Stream
from nacre.model import Ended, LeftProcess, Result
from nacre.output import LOSSY, leaving_cut, render

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.executions.execution import CommandExecution
    from nacre.keeper.frames import Exit, TurnEnd
    from nacre.model import Command
    from nacre.outputs import Outputs
    from nacre.places.place import Place
    from nacre.spools import StreamName

_STREAMS: tuple[tuple[int, StreamName], ...] = ((1, "stdout"), (2, "stderr"))


def refused_execs(place: Place, command: int) -> tuple[str, ...]:
    """The programs that a command was not allowed to start, where the kernel enforces the rules."""
    return place.execs.rules.take_refusals(command) if place.execs is not None else ()


def result_of(  # noqa: PLR0913  # what every command has, by name
    command: Command,
    end: Exit | TurnEnd,
    *,
    ended: Ended,
    exit_code: int | None,
    signal: str | None,
    config: Config,
    outputs: Outputs,
    number: str,
    encoding: str | None,
    streams: tuple[Stream, Stream] | None = None,
    working_directory: str = "",
    **more: Any,
) -> Result:
    """The result of a command. `number` is the one under which its output is kept.

    `streams` replaces the keeper's, where those needed cleaning, and `working_directory` the command's own.
    """
    limit_bytes = command.output_limit_bytes or config.reply_limit_bytes
    encoding = encoding or (LOSSY if config.lossy_utf8 else None)
    kept_out, kept_err = streams or (end.stdout, end.stderr)
    if config.audit_log is not None:
        _add_hash(kept_out)
        _add_hash(kept_err)
    output_id = outputs.keep(number, kept_out, kept_err)
    shown_id = output_id if "output" in config.tool_families else None
    stdout = render(kept_out, limit_bytes, encoding, shown_id)
    stderr = render(kept_err, limit_bytes, encoding, shown_id)
    return Result(
        command=command.text,
        working_directory=working_directory or command.working_directory,
        ended=ended,
        exit_code=exit_code,
        signal=signal,
        stdout=stdout,
        stderr=stderr,
        execution_time_ms=end.wall_ms,
        timeout_s=command.timeout_s,
        cpu_ms=end.cpu_ms,
        max_rss_bytes=end.max_rss_bytes,
        left_running=tuple(LeftProcess(pid, leaving_cut(line)) for pid, line in end.left) if end.left else (),
        left_running_total=end.left_total,
        output_id=output_id,
        limit=end.limit,
        **more,
    )


def _add_hash(stream: Stream) -> None:
    """Add the hash of a complete stream; the keeper has computed it where not all of it is here."""
    if stream.total_bytes and stream.total_bytes == len(stream.head) + len(stream.tail) and not stream.sha256:
        from hashlib import sha256  # noqa: PLC0415  # only servers with an audit log hash

        stream.sha256 = sha256(stream.head + stream.tail).hexdigest()


async def result_so_far(
    execution: CommandExecution, began: float, config: Config, outputs: Outputs, encoding: str | None
) -> Result:
    """The result of a running command: its output up to now."""
    command = execution.asked
    limit_bytes = command.output_limit_bytes or config.reply_limit_bytes
    encoding = encoding or (LOSSY if config.lossy_utf8 else None)
    output_id = outputs.mention(execution.number)
    shown_id = output_id if config.offers("output") else None
    stdout, stderr = [
        render(
            await _stream_so_far(execution, stream, limit_bytes, outputs.path_of(execution.number, name)),
            limit_bytes,
            encoding,
            shown_id,
        )
        for stream, name in _STREAMS
    ]
    return Result(
        command=command.text,
        working_directory=command.working_directory,
        ended=Ended.RUNNING,
        exit_code=None,
        signal=None,
        stdout=stdout,
        stderr=stderr,
        execution_time_ms=round((time.monotonic() - began) * 1000),
        timeout_s=command.timeout_s,
        session=command.session,
        output_id=output_id,
    )


async def _stream_so_far(execution: CommandExecution, stream: int, limit_bytes: int, path: str) -> Stream:
    """The beginning and the end of the output up to now."""
    first = await execution.read(stream, 0, limit_bytes)
    if len(first.data) == first.total_bytes:
        return Stream(first.total_bytes, first.line_ends, first.data)
    last = await execution.read(stream, max(len(first.data), first.total_bytes - limit_bytes), limit_bytes)
    return Stream(last.total_bytes, last.line_ends, first.data, last.data, path, last.missing_bytes)
