"""What a person who watches a server (`nacre watch`) is told, and can ask: to stop jobs and type into them.

Above it: `server`, which loads this when its first calls are answered. Below: `service` and `audit`. It is no
way to run a command. Where they connect, and who may, is the matter of `endpoint`.

Both sides send JSON, one object on a line. First comes `hello` with all there is; then `started`, `ended` and
`noted` as things happen. A request is {"ask": ..., "id": any}; its answer has the same id, and `answer` or
`error`. Whoever does not read what is sent is let go.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from nacre import __version__
from nacre.audit import recorder
from nacre.audit.records import end_record, start_record, time_text
from nacre.errors import NacreError, RequestError
from nacre.model import Command, Result
from nacre.output import leaving
from nacre.output_query import Query
from nacre.stderr import log
from nacre.watch.endpoint import endpoint
from nacre.watch.paths import socket_directory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from nacre.audit.recorder import Work
    from nacre.audit.records import Asked, Entry, Outcome
    from nacre.executions.execution import CommandExecution
    from nacre.service import Service

    Begun = tuple[float, int, Work, Entry]
    Ended = tuple[float, int, Asked, Outcome, Entry]

PROTOCOL = 1
RECENT = 20  # commands that have ended, for who comes later
WATCHERS = 8  # at once
REQUEST_BYTES = 1 << 16
BEHIND_BYTES = 1 << 22  # what may wait for a watcher
OUTPUT_BYTES = 1 << 16  # of an output at a time
LINES = 1000
GATHER_S = 0.02


class WatchListener:
    """Who watches one server."""

    def __init__(self, service: Service, environment: Mapping[str, str]) -> None:
        self._service = service
        self._endpoint = endpoint.Endpoint(socket_directory(environment))
        self._is_open = False
        self._watchers: set[asyncio.StreamWriter] = set()
        self._untold: list[Callable[[], dict[str, Any]]] = []  # what happened since they were told last
        self._numbers = 0
        self._running: dict[int, Begun] = {}  # by the identity of their entries
        self._ended: deque[Ended] = deque(maxlen=RECENT)
        self._typed: set[str] = set()  # jobs whose agent knows that a person types
        self._asked: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {
            "state": self._tell_state,
            "output": self._output,
            "screen": self._screen,
            "type": self._type,
            "stop": self._stop,
        }

    @property
    def path(self) -> str:
        """Where it is."""
        return self._endpoint.path

    async def open(self) -> None:
        """Listen. Raises OSError: it cannot be made, and the server does without."""
        await self._endpoint.open(self._meet, REQUEST_BYTES)
        self._is_open = True
        recorder.observers.append(self)

    def close(self) -> None:
        """Disconnect all."""
        if not self._is_open:
            return
        recorder.observers.remove(self)
        self._endpoint.close()
        self._tell_all()
        for writer in self._watchers:
            writer.close()

    # -- what happens

    def started(self, work: Work, entry: Entry) -> None:
        """A command is about to start."""
        self._numbers += 1
        begun = self._running[id(entry)] = time.time(), self._numbers, work, entry
        if self._watchers:
            self._tell(partial(_as_started, *begun))

    def ended(self, asked: Asked, outcome: Outcome, entry: Entry) -> None:
        """It has ended, or was not run."""
        begun = self._running.pop(id(entry), None)
        if begun is None:
            self._numbers += 1
        over = time.time(), begun[1] if begun else self._numbers, asked, outcome, entry
        self._ended.append(over)
        if self._watchers:
            self._tell(partial(_as_ended, *over))

    def noted(self, event: str, more: Mapping[str, object]) -> None:
        """Something else has happened."""
        if self._watchers:
            note = {"event": "noted", "time": time_text(time.time()), "what": event, **more}
            self._tell(lambda: note)

    def _tell(self, make: Callable[[], dict[str, Any]]) -> None:
        """Tell all watchers, a moment later and many things at once: no reply waits for it."""
        if not self._untold:
            asyncio.get_running_loop().call_later(GATHER_S, self._tell_all)
        self._untold.append(make)

    def _tell_all(self) -> None:
        lines = b"".join(_line(make()) for make in self._untold)
        self._untold.clear()
        for writer in list(self._watchers):
            self._send(writer, lines)

    def _send(self, writer: asyncio.StreamWriter, line: bytes) -> None:
        if writer.transport.get_write_buffer_size() > BEHIND_BYTES:
            self._watchers.discard(writer)
            writer.transport.abort()
        else:
            writer.write(line)

    # -- one watcher

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        why_not = endpoint.refusal(writer)
        if not why_not and len(self._watchers) >= WATCHERS:
            why_not = f"There are {WATCHERS} watchers already."
        if why_not:
            log.warning("nacre watch was refused: %s", why_not)
            writer.write(_line({"event": "refused", "reason": why_not}))
            writer.close()
            return
        self._tell_all()  # to the others: the hello has it
        self._watchers.add(writer)
        try:
            self._send(writer, _line(self._hello()))
            while line := await reader.readline():
                self._send(writer, _line(await self._answer(line)))
        except (OSError, ValueError):  # it is gone, or its line is too long
            return
        finally:
            self._watchers.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        identity: Any = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise RequestError("A request is an object.")
            request = cast("dict[str, Any]", request)
            identity = request.get("id")
            answer = self._asked.get(str(request.get("ask")))
            if answer is None:
                raise RequestError(f"ask is one of: {', '.join(self._asked)}.")
            return {"id": identity, "answer": await answer(request)}
        except ValueError:
            return {"id": identity, "error": "A request is JSON, on one line."}
        except NacreError as error:
            return {"id": identity, "error": str(error)}

    def _hello(self) -> dict[str, Any]:
        service = self._service
        return {
            "event": "hello",
            "protocol": PROTOCOL,
            "version": __version__,
            "pid": os.getpid(),
            "client": recorder.circumstances.client,
            "preset": service.config.preset.name,
            "sandbox": recorder.circumstances.sandbox,
            "directory": service.default_directory,
            **self._state(),
            "recent": [_as_ended(*each) for each in self._ended],
        }

    def _state(self) -> dict[str, Any]:
        return {
            "client": recorder.circumstances.client,
            "sessions": self._service.list_sessions(),
            "jobs": [
                {**job, "terminal": self._service.job(job["job"]).screen is not None}
                for job in self._service.describe_jobs()
            ],
            "running": [
                {**_as_started(*each), **self._where_it_prints(each[2])} for each in self._running.values()
            ],
        }

    def _where_it_prints(self, work: Work) -> dict[str, str]:
        """The id of its output, which a command has as soon as it runs."""
        execution = _command_that_runs(work)
        return {"output": self._service.place.outputs.id_of(execution.number)} if execution else {}

    def _running_as(self, output_id: str) -> CommandExecution | None:
        """The command that prints there, unless it has ended or is none of this server."""
        for _, _, work, _ in self._running.values():
            if self._where_it_prints(work).get("output") == output_id:
                return cast("CommandExecution", work)
        return None

    # -- what is asked

    async def _tell_state(self, _: dict[str, Any]) -> dict[str, Any]:
        return self._state()

    async def _output(self, request: dict[str, Any]) -> dict[str, Any]:
        """The last lines of what a command has printed."""
        stream, lines = request.get("stream", "stdout"), request.get("lines", LINES)
        if stream not in ("stdout", "stderr") or not isinstance(lines, int) or not 0 < lines <= LINES:
            raise RequestError(f"stream is stdout or stderr, lines a number up to {LINES}.")
        output_id, query = _job_of(request), Query(OUTPUT_BYTES, tail=lines)
        if (running := self._running_as(output_id)) is not None:
            found = await self._service.read_running(running, stream, query)
        else:
            found = await self._service.read_output(output_id, stream, query)
        return {"text": found.text, "total_bytes": found.total_bytes, "goes_on": found.goes_on}

    async def _screen(self, request: dict[str, Any]) -> dict[str, Any]:
        """What is on a job's terminal. What its agent was shown of it stays as it was."""
        job = self._service.job(_job_of(request))
        if job.screen is None:
            raise RequestError(f"Job {job.id} has no terminal.")
        await job.refresh_screen()
        view = job.screen.view()
        return {"lines": view.lines, "row": view.row, "column": view.column, "runs": job.runs}

    async def _type(self, request: dict[str, Any]) -> dict[str, Any]:
        text, keys, job_id = request.get("text", ""), request.get("keys", ""), _job_of(request)
        if not endpoint.KNOWS_COMMANDS:
            raise RequestError("This system does not tell a person from a command: nobody types into jobs.")
        if not isinstance(text, str) or not isinstance(keys, str):
            raise RequestError("text and keys are texts.")
        self._service.type_into_job(job_id, text, keys, is_first=job_id not in self._typed)
        self._typed.add(job_id)
        return {}

    async def _stop(self, request: dict[str, Any]) -> dict[str, Any]:
        output_id = _job_of(request)
        running = self._running_as(output_id)
        if self._service.is_job(output_id):
            await self._service.stop_job_for_person(output_id)
        elif running is not None:
            self._service.stop_for_person(running)
        else:
            raise RequestError(self._why_not_stopped(output_id))
        return {}

    def _why_not_stopped(self, output_id: str) -> str:
        outcomes = [outcome for _, _, _, outcome, _ in self._ended]
        is_over = any(isinstance(each, Result) and each.output_id == output_id for each in outcomes)
        return f"Command {output_id} has ended." if is_over else f"There is no job or command {output_id!r}."


def _job_of(request: dict[str, Any]) -> str:
    job_id = request.get("job")
    if not isinstance(job_id, str) or not job_id:
        raise RequestError("job is the id of a job, or of an output.")
    return job_id


def _command_that_runs(work: Work) -> CommandExecution | None:
    """It, where it is a command and no file work, and its keeper has it."""
    if not isinstance(work.asked, Command):
        return None
    execution = cast("CommandExecution", work)
    return execution if execution.begun else None


def _as_started(when: float, number: int, work: Work, entry: Entry) -> dict[str, Any]:
    return {**start_record(when, work.asked, entry, recorder.circumstances), "number": number}


def _as_ended(when: float, number: int, asked: Asked, outcome: Outcome, entry: Entry) -> dict[str, Any]:
    output = {"output": outcome.output_id} if isinstance(outcome, Result) else {}
    return {**end_record(when, asked, outcome, entry, recorder.circumstances), **output, "number": number}


def _line(message: dict[str, Any]) -> bytes:
    """As it leaves: without secrets."""
    return leaving(json.dumps(message).encode())[0] + b"\n"
