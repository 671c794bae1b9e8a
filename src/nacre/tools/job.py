"""The tool `job`: list jobs, wait for something, send input, signal, end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nacre.errors import RequestError
from nacre.output import counted
from nacre.tools.shell import SCREEN
from nacre.tools.tool import Reply, Tool

if TYPE_CHECKING:
    from nacre.jobs.control import Look
    from nacre.jobs.registry import Job
    from nacre.jobs.screen import Changes, View
    from nacre.service import Service
    from nacre.tools.tool import Caller

USUAL_WAIT_S = 30
MOST_ROWS, MOST_COLUMNS = 500, 1000
_ACTIONS = ["list", "wait", "send", "signal", "screen", "resize", "end"]
_WAITS = ("until", "port", "silence", "for_input", "seconds")


def job_tool(service: Service) -> Tool:
    """The tool as this server offers it."""
    return Tool(
        name="job",
        description=(
            "Commands that keep running. wait returns at the end, or at the first of: a new line that "
            "matches until, a local port that accepts, silence, waiting for input, the time; it "
            "shows what is new. send can wait, too. end kills all of it."
        ),
        input_schema={
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": _ACTIONS},
                "id": {"type": "string", "description": "Several for wait: separated by spaces"},
                "until": {"type": "string", "description": "Regular expression", "minLength": 1},
                "port": {"type": "integer", "minimum": 1, "maximum": 65535},
                "silence": {"type": "number", "description": "Seconds", "minimum": 0},
                "for_input": {"type": "boolean"},
                "seconds": {
                    "type": "number",
                    "description": "At most",
                    "minimum": 0,
                    "maximum": service.config.max_timeout_s,
                    "default": USUAL_WAIT_S,
                },
                "text": {"type": "string", "description": "To send, with its line breaks"},
                "keys": {
                    "type": "string",
                    "description": "After it, on a terminal: esc enter ctrl-c up f1 …",
                },
                "ask": {
                    "type": "string",
                    "description": "Instead of text: a question; the person types a password, unseen",
                },
                "eof": {"type": "boolean", "description": "End its input"},
                "signal": {"type": "string", "description": "INT, TERM, HUP …"},
                "rows": {"type": "integer", "description": "For screen: this many, with scrollback"},
                "columns": {"type": "integer"},
            },
            "required": ["action"],
            "additionalProperties": False,
        },
        call=lambda arguments, caller: _call(service, arguments, caller),
    )


async def _call(service: Service, arguments: dict[str, Any], caller: Caller) -> Reply:
    action = arguments["action"]
    if action == "list":
        return _list(service.list_jobs())
    ids = arguments.get("id", "").split()
    if not ids or (action != "wait" and len(ids) > 1):
        raise RequestError(
            f"id must name {'a' if not ids else 'one'} job to {action}.", hint="See action list."
        )
    if action == "wait":
        return await _wait(service, ids, arguments)
    if action == "send":
        return await _send(service, ids, arguments, caller)
    return await _steer(service, action, ids[0], arguments)


async def _steer(service: Service, action: str, job: str, arguments: dict[str, Any]) -> Reply:
    if action == "screen":
        return _reply(await service.screen_of_job(job, arguments.get("rows", 0)))
    if action == "resize":
        rows, columns = arguments.get("rows", SCREEN[0]), arguments.get("columns", SCREEN[1])
        if not (0 < rows <= MOST_ROWS and 0 < columns <= MOST_COLUMNS):
            raise RequestError(f"A terminal has 1 to {MOST_ROWS} rows and 1 to {MOST_COLUMNS} columns.")
        await service.resize_job(job, rows, columns)
        return Reply(f"The terminal of job {job} has {rows} rows and {columns} columns.", {"job": job})
    if action == "signal":
        if "signal" not in arguments:
            raise RequestError("Missing argument: signal.")
        service.signal_job(job, arguments["signal"])
        return Reply(f"Sent {arguments['signal']} to job {job}.", {"job": job})
    return _reply(await service.end_job(job))


async def _wait(service: Service, ids: list[str], arguments: dict[str, Any]) -> Reply:
    from nacre.jobs.waits import Until  # noqa: PLC0415  # loaded with the first wait

    until = Until(
        limit_s=arguments.get("seconds", USUAL_WAIT_S),
        pattern=arguments.get("until"),
        port=arguments.get("port"),
        silence_s=arguments.get("silence"),
        input=arguments.get("for_input", False),
    )
    return _reply(await service.wait_for_jobs(ids, until))


async def _send(service: Service, ids: list[str], arguments: dict[str, Any], caller: Caller) -> Reply:
    from nacre.jobs.control import Input  # noqa: PLC0415  # as above

    if "ask" in arguments:
        await _send_secret(service, ids[0], arguments, caller)
        return await _after_sending(service, ids, arguments)
    sent = Input(arguments.get("text", ""), arguments.get("keys", ""), arguments.get("eof", False))
    if not sent.text and not sent.keys and not sent.ends:
        raise RequestError("There is nothing to send.", hint="Give text, keys, or eof: true.")
    await service.send_to_job(ids[0], sent, caller.ask)
    return await _after_sending(service, ids, arguments)


async def _send_secret(service: Service, job: str, arguments: dict[str, Any], caller: Caller) -> None:
    if arguments.keys() & {"text", "keys", "eof"}:
        raise RequestError("ask excludes text, keys and eof.", hint="The line ends with enter by itself.")
    await service.send_secret_to_job(job, arguments["ask"], caller.ask_secret)


async def _after_sending(service: Service, ids: list[str], arguments: dict[str, Any]) -> Reply:
    if any(name in arguments for name in _WAITS):
        return await _wait(service, ids, arguments)
    return Reply(f"Sent to job {ids[0]}.", {"job": ids[0]})


def _list(jobs: list[dict[str, Any]]) -> Reply:
    lines = [_line(job) for job in jobs]
    return Reply("\n".join(lines) or "There are no jobs.", {"jobs": jobs})


def _line(job: dict[str, Any]) -> str:
    how = ", ".join(
        f"{words}{job[name]}"
        for name, words in (("ended", ""), ("exit_code", "exit code "), ("signal", ""), ("reason", ""))
        if name in job and job[name] != "signaled"  # by the signal that is named
    )
    left = "; ".join(
        f"{each['pid']} {each['command']}"
        + "".join(
            f", {words}{each[name]}"
            for name, words in (("exit_code", "exit code "), ("signal", ""))
            if name in each
        )
        for each in job.get("processes", ())
    )
    details = "".join(f" ({words})" for words in (how, left) if words)
    return f"{job['job']}: {job['state']}{details}, {job['seconds']} s: {job['command']}"


_REASONS = {
    "ended": "it has ended",
    "matched": "a line matches",
    "port": "the port accepts connections",
    "silent": "it is silent",
    "input": "it waits for input",
    "time": "the time is over",
    "screen": "the screen",
}


def _reply(look: Look) -> Reply:
    summary = _summary_of(look.job)
    text = [_headline(look), _line(summary)]
    data: dict[str, Any] = {"reason": look.reason, **summary}
    if look.waiting_for_input:
        data["waiting_for_input"] = True
        if look.reason != "input":
            text.append(_with_line(_REASONS["input"], look))
    if look.line:
        data["line"] = look.line
    for name, shown in (("stdout", look.stdout), ("stderr", look.stderr)):
        if shown:
            text.append(f"--- {name}\n{shown.removesuffix(chr(10))}")
            data[name] = shown
    if look.view is not None:
        data["screen"], shown = _screen(look.view, look.changes)
        if look.scrollback:
            data["screen"]["scrollback"] = list(look.scrollback)
            text.append("--- scrolled away\n" + "\n".join(look.scrollback))
        up = data["screen"].get("moved_up")
        moved = f", moved up by {counted(up, 'line')}" if up else ""
        text.append("\n".join([f"--- screen{moved}, cursor at {look.view.row}:{look.view.column}", *shown]))
    if look.others:
        data["others"] = [_summary_of(other) for other in look.others]
        text += [_line(other) for other in data["others"]]
    return Reply("\n".join(text), data)


def _headline(look: Look) -> str:
    """Why it is reported now."""
    reason = _REASONS[look.reason]
    if look.reason == "matched":
        return f"{reason}: {look.line}"
    return _with_line(reason, look) if look.reason == "input" else reason


def _with_line(words: str, look: Look) -> str:
    """With the last line, which may be a prompt, where that is not shown below."""
    is_shown = any(shown.rstrip("\n").endswith(look.line) for shown in (look.stdout, look.stderr) if shown)
    return f"{words}: {look.line}" if look.line and not is_shown else words


def _screen(view: View, changes: Changes | None) -> tuple[dict[str, Any], list[str]]:
    """The screen, or what is new of it, as data and as lines."""
    shown: dict[str, Any] = {"cursor": [view.row, view.column]}
    if changes is None or len(changes.lines) * 2 > len(view.lines):
        shown["lines"] = lines = list(view.lines)
    else:
        if changes.moved_up:
            shown["moved_up"] = changes.moved_up
        shown["changed"] = {str(row): line for row, line in changes.lines.items()}
        lines = [f"{row}: {line}" for row, line in changes.lines.items()] or ["(unchanged)"]
    if view.title:
        shown["title"] = view.title
    if view.is_alternate:
        shown["alternate"] = True
    if view.scrolled_lines:
        shown["scrolled_lines"] = view.scrolled_lines
    return shown, lines


def _summary_of(job: Job) -> dict[str, Any]:
    return job.summary()
