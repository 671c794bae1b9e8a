"""From the end of a command, as its keeper saw it, to the result that its caller gets.

Above it: the executions, which add what only they know. Below: `output`, which every byte passes that leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.model import LeftProcess, Result
from nacre.output import LOSSY, leaving_text, render

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.keeper.frames import Exit, Stream, TurnEnd
    from nacre.model import Command, Ended
    from nacre.outputs import Outputs


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
    **more: Any,
) -> Result:
    """What happened to a command. `number` is the one that its output is kept by.

    `streams`, where they are not quite what the keeper has kept.
    """
    limit_bytes = command.output_limit_bytes or config.reply_limit_bytes
    encoding = encoding or (LOSSY if config.lossy_utf8 else None)
    kept_out, kept_err = streams or (end.stdout, end.stderr)
    output_id = outputs.keep(number, kept_out, kept_err)
    told_id = output_id if config.offers("output") else None
    stdout = render(kept_out, limit_bytes, encoding, told_id)
    stderr = render(kept_err, limit_bytes, encoding, told_id)
    more.setdefault("working_directory", command.working_directory)
    return Result(
        command=command.text,
        ended=ended,
        exit_code=exit_code,
        signal=signal,
        stdout=stdout,
        stderr=stderr,
        execution_time_ms=end.wall_ms,
        timeout_s=command.timeout_s,
        cpu_ms=end.cpu_ms,
        max_rss_bytes=end.max_rss_bytes,
        left_running=tuple(LeftProcess(pid, leaving_text(line)) for pid, line in end.left)
        if end.left
        else (),
        left_running_total=end.left_total,
        output_id=output_id,
        limit=end.limit,
        **more,
    )
