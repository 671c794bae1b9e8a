"""The reply to a command that has ended: text, data, and what only programs need.

Above it: the tools that run commands. Below: the records of `model`. Some clients show their model the text,
others the data: each is sufficient alone, and neither has words that say nothing. What only programs need
(times, memory, the directory) is in the result's `_meta`, which no model is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.model import Ended, ShellState
from nacre.tools.tool import Reply, Written, quote

if TYPE_CHECKING:
    from nacre.config import Config
    from nacre.model import Result

SHOWN_LEFT = 5  # processes that the text lists
LONG_CHARACTERS = 1000  # of a text whose JSON is left to the transport
LONG_MS = 1000  # the duration is shown from here on
_TEXT, _COUNT, _FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
_LEFT = {"type": "array"}  # pid and command of each
_WORDS = {"type": "array"}  # sentences
_SESSION = {"type": "object"}  # name, shell, note
_MAY_BE_NULL: dict[str, Any] = {}  # a kind or null takes many bytes to say: for what decides something
_ENDINGS = [
    *(Ended.SIGNALED, Ended.TIMED_OUT, Ended.CANCELLED, Ended.STOPPED),
    *(Ended.SHELL_DIED, Ended.RUNNING),
]
_LEAN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "stdout": _TEXT,
        "stderr": _TEXT,
        "exit_code": _COUNT,
        "ended": {"enum": _ENDINGS},
        "signal": _TEXT,
        "timeout_seconds": {"type": "number"},
        "partial_stdout": _TEXT,
        "partial_stderr": _TEXT,
        "working_directory": _TEXT,
        "session": _SESSION,
        "truncated": _FLAG,
        "output_id": _TEXT,
        "left_running": _LEFT,
        "limit": _TEXT,
        "job": _TEXT,
        "news": _WORDS,
        "hints": _WORDS,
    },
}


def _or_null(kind: str) -> dict[str, Any]:
    return {"anyOf": [{"type": kind}, {"type": "null"}]}


_FULL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "command": _TEXT,
        "ended": {"enum": [Ended.EXITED, *_ENDINGS]},
        "exit_code": _or_null("integer"),
        "signal": _or_null("string"),
        "stdout": _TEXT,
        "stderr": _TEXT,
        "timeout_seconds": {"type": "number"},
        "partial_stdout": _TEXT,
        "partial_stderr": _TEXT,
        "execution_time_ms": _COUNT,
        "working_directory": _TEXT,
        "truncated": _FLAG,
        "output_id": _MAY_BE_NULL,
        "spool": _MAY_BE_NULL,
        "left_running": _LEFT,
        "cpu_ms": _COUNT,
        "max_rss_bytes": _MAY_BE_NULL,
        "session": _SESSION,
        "limit": _TEXT,
        "job": _TEXT,
        "news": _WORDS,
        "hints": _WORDS,
    },
}


def output_schema(config: Config) -> dict[str, Any]:
    """The schema of the data of a reply under this configuration."""
    return _FULL if config.structured == "full" else _LEAN


def reply(result: Result, config: Config, timeout_advice: str = "") -> Reply:
    """The reply to a finished command; `timeout_advice` says what the caller can do about a time limit."""
    stdout, stderr = result.stdout.text, result.stderr.text if config.include_stderr else ""
    metadata = _metadata(result, config)
    if config.structured == "full" or not _is_uneventful(result):
        return _eventful(result, config, stderr, metadata, timeout_advice)
    text, shown = (
        _with_output(_SUCCEEDED, stdout, stderr),
        {"stdout": stdout, "stderr": stderr, "exit_code": 0},
    )
    if len(text) >= LONG_CHARACTERS:
        return Reply(text, shown, meta={"metadata": metadata})
    return Reply(text, _written_output(shown), meta=_written_metadata(metadata, result.session))


def _written_output(shown: dict[str, Any]) -> Written:
    """The data of an uneventful reply, with its JSON: to write it is far quicker than to encode it."""
    written = Written(shown)
    written.json = f'{{"stdout":{quote(shown["stdout"])},"stderr":{quote(shown["stderr"])},"exit_code":0}}'
    return written


def _written_metadata(shown: dict[str, Any], session: str | None) -> Written:
    """The same, of what only programs need."""
    written = Written(metadata=shown)
    output_id, rss = shown["output_id"], shown["max_rss_bytes"]
    written.json = (
        f'{{"metadata":{{"command":{quote(shown["command"])},"ended":"exited","exit_code":0,"signal":null,'
        f'"execution_time_ms":{shown["execution_time_ms"]},"timeout_seconds":{shown["timeout_seconds"]!r},'
        f'"working_directory":{quote(shown["working_directory"])},"truncated":false,'
        f'"output_id":{"null" if output_id is None else quote(output_id)},"spool":null,"left_running":[],'
        f'"cpu_ms":{shown["cpu_ms"]},"max_rss_bytes":{"null" if rss is None else rss}'
        + (
            "}}"
            if session is None
            else f',"session":{{"name":{quote(session)},"shell":"kept","note":""}}}}}}'
        )
    )
    return written


def _is_uneventful(result: Result) -> bool:
    """Whether there is nothing to tell but success and the output, as nearly always."""
    return (
        result.exit_code == 0
        and result.ended is Ended.EXITED
        and result.execution_time_ms < LONG_MS
        and result.shell_state is (None if result.session is None else ShellState.KEPT)
        and not (result.hints or result.news or result.note or result.directory_changed or result.limit)
        and not (result.left_running or result.left_running_total)
        and not (result.stdout.truncated or result.stderr.truncated)
        and not (result.stdout.spool or result.stderr.spool)
    )


def _eventful(
    result: Result, config: Config, stderr: str, metadata: dict[str, Any], timeout_advice: str
) -> Reply:
    hints, job = _hints(result, timeout_advice), _job_of(result, config)
    text, failed = _text(result, stderr, hints, job), is_failure(result, config)
    full = config.structured == "full"
    shown = _full(metadata, result, stderr, hints) if full else _lean(result, stderr, hints)
    if job or result.news:
        shown |= jobs_of(result, config)
    if full:
        return Reply(text, shown, is_error=failed)
    if metadata["truncated"] or metadata["spool"] is not None:
        shown["output_id"] = metadata["output_id"]
    return Reply(text, shown, is_error=failed, meta={"metadata": metadata})


def is_failure(result: Result, config: Config) -> bool:
    """Whether a reply is an error; a failed command is one only if the settings say so."""
    if result.ended is Ended.RUNNING:
        return False
    if config.failed_command_is_error:
        return not result.ok
    return result.ended in (Ended.TIMED_OUT, Ended.STOPPED, Ended.SHELL_DIED)


def _hints(result: Result, timeout_advice: str) -> tuple[str, ...]:
    if result.ended is Ended.TIMED_OUT and timeout_advice:
        return (*result.hints, timeout_advice)
    return result.hints


# -- data


def _lean(result: Result, stderr: str, hints: tuple[str, ...]) -> dict[str, Any]:
    """The output, the exit code, and everything unusual."""
    shown = _output(result, stderr)
    if result.exit_code is not None:
        shown["exit_code"] = result.exit_code
    if result.ended is not Ended.EXITED:
        shown["ended"] = result.ended.value
    if result.signal is not None and result.ended is not Ended.TIMED_OUT:  # or it is our own
        shown["signal"] = result.signal
    if is_news(result):
        session = {"name": result.session, "shell": result.shell_state, "note": result.note}
        shown["session"] = {name: value for name, value in session.items() if value}
    if result.directory_changed or result.shell_state is ShellState.NEW:
        shown["working_directory"] = result.working_directory
    if is_truncated(result):
        shown["truncated"] = True
    if result.left_running:
        shown["left_running"] = _left(result)
        hints = (*hints, *_lost(result))
    if result.limit:
        shown["limit"] = result.limit
    if hints:
        shown["hints"] = list(hints)
    return shown


def jobs_of(result: Result, config: Config) -> dict[str, Any]:
    """The job that a command, or what it left behind, continues as, and news of others."""
    job = _job_of(result, config)
    shown: dict[str, Any] = {"job": job} if job else {}
    if result.news:
        shown["news"] = list(result.news)
    return shown


def _job_of(result: Result, config: Config) -> str:
    left = result.left_running_total and config.offers("job")
    return result.output_id if left or result.ended is Ended.RUNNING else ""


def _full(metadata: dict[str, Any], result: Result, stderr: str, hints: tuple[str, ...]) -> dict[str, Any]:
    """Everything, always."""
    shown = {**metadata, **_output(result, stderr)}
    if result.ended is not Ended.TIMED_OUT:
        del shown["timeout_seconds"]
    if hints:
        shown["hints"] = list(hints)
    return shown


def _metadata(result: Result, config: Config) -> dict[str, Any]:
    """Everything about a command except its output.

    Without a tool that reads outputs by id, it includes the names of the output files.
    """
    stdout, stderr = result.stdout, result.stderr
    spool = result.spool if stdout.spool or stderr.spool else None
    shown: dict[str, Any] = {
        "command": result.command,
        "ended": result.ended,
        "exit_code": result.exit_code,
        "signal": result.signal,
        "execution_time_ms": result.execution_time_ms,
        "timeout_seconds": result.timeout_s,
        "working_directory": result.working_directory,
        "truncated": stdout.truncated or stderr.truncated,
        "output_id": result.output_id if config.offers("output") else spool,
        "spool": spool,
        "left_running": _left(result) if result.left_running else [],
        "cpu_ms": result.cpu_ms,
        "max_rss_bytes": result.max_rss_bytes,
    }
    if result.session is not None:
        shown["session"] = {"name": result.session, "shell": result.shell_state, "note": result.note}
    if result.limit:
        shown["limit"] = result.limit
    return shown


def _output(result: Result, stderr: str) -> dict[str, Any]:
    """The output, under the specification's names."""
    if result.ended is not Ended.TIMED_OUT:
        return {"stdout": result.stdout.text, "stderr": stderr}
    partial = {"partial_stdout": result.stdout.text, "partial_stderr": stderr}
    return {"timeout_seconds": result.timeout_s, **partial}


def _left(result: Result) -> list[dict[str, Any]]:
    return [{"pid": left.pid, "command": left.command} for left in result.left_running]


def is_truncated(result: Result) -> bool:
    """Whether the reply shows less than was printed."""
    return result.stdout.truncated or result.stderr.truncated


def is_news(result: Result) -> bool:
    """Whether there is news of a session: a new shell, or the end of one."""
    return result.session is not None and (result.shell_state is not ShellState.KEPT or bool(result.note))


# -- text


def _text(result: Result, stderr: str, hints: tuple[str, ...], job: str) -> str:
    parts = [status_line(result)]
    if result.session is not None:
        parts += _session_lines(result)
    if result.news:
        parts += [f"news: {words}" for words in result.news]
    if result.left_running_total:
        parts.append(left_line(result, job))
    if hints:
        parts += [f"hint: {hint}" for hint in hints]
    return _with_output("\n".join(parts), result.stdout.text, stderr)


def _with_output(text: str, stdout: str, stderr: str) -> str:
    if stdout:
        text += "\n--- stdout\n" + stdout.removesuffix("\n")
    if stderr:
        text += "\n--- stderr\n" + stderr.removesuffix("\n")
    return text


def _session_lines(result: Result) -> list[str]:
    """Lines about a new shell, the fate of the old one, and a changed directory."""
    lines = [f"session: {result.note}"] if result.note else []
    if result.shell_state is ShellState.NEW:
        lines.append(f"session: '{result.session}' is new, in {result.working_directory}")
    elif result.directory_changed:
        lines.append(f"session: the directory is {result.working_directory} now")
    return lines


_SUCCEEDED = "Command executed successfully"
_STATUS = {
    Ended.RUNNING: "Command is still running: job {job}",
    Ended.CANCELLED: "Command was ended on demand",
    Ended.STOPPED: "Command was stopped by the person",
    Ended.SIGNALED: "Command was ended by {signal}",
}


def status_line(result: Result) -> str:
    """How it ended, in a sentence of specification 004."""
    took = f" ({result.execution_time_ms / 1000:.1f} s)" if result.execution_time_ms >= LONG_MS else ""
    if result.ended is Ended.TIMED_OUT:
        some = "not everything it started could be killed" if result.left_running_total else ""
        what = "" if result.session else f"; {some or 'everything it started was killed'}"
        return f"Command timed out after {result.timeout_s:g} seconds{what}"
    if result.ended is Ended.SHELL_DIED:
        if result.signal is None and result.exit_code is None:
            return f"The shell of session '{result.session}' could not tell how the command ended{took}"
        how = f"by {result.signal}" if result.signal else f"with code {result.exit_code}"
        return f"The shell of session '{result.session}' ended {how} during the command{took}"
    if result.ended in _STATUS:
        return _STATUS[result.ended].format(job=result.output_id, signal=result.signal) + took
    if result.exit_code == 0:
        return f"{_SUCCEEDED}{took}"
    return f"Command failed with exit code {result.exit_code}{took}"


def left_line(result: Result, job: str = "") -> str:
    """A line about what the command has left running, with its job, if it is one."""
    shown = "; ".join(f"{left.pid} {left.command}" for left in result.left_running[:SHOWN_LEFT])
    rest = result.left_running_total - SHOWN_LEFT
    more = f" and {rest} more" if rest > 0 else ""
    spools = [text.spool for text in (result.stdout, result.stderr) if text.goes_on and text.spool]
    where = f" (its output goes to {' and '.join(spools)})" if spools and not job else ""
    lost = "".join(f" ({words[0].lower()}{words[1:].removesuffix('.')})" for words in _lost(result))
    as_job = f"; job {job}{', whose output is kept' if spools else ''}" if job else ""
    return f"still running: {shown}{more}{where}{lost}{as_job}"


def _lost(result: Result) -> tuple[str, ...]:
    why = result.stdout.rest_lost or result.stderr.rest_lost
    return (f"What it prints from now on is lost: {why}.",) if why else ()
