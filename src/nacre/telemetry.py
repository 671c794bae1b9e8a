"""Spans for OpenTelemetry: one for every call of a tool, inside it one for every command.

Only where a person has configured an exporter; otherwise this module is not even loaded, and nothing is sent.
Above it: the server, which loads it when the environment says so (OTEL_EXPORTER_OTLP_ENDPOINT or
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT). It is told of commands by `audit` and of calls by the server. It speaks
OTLP over HTTP in JSON, which every collector understands, from a thread of its own: no command waits for it,
and what a collector does not take within a few seconds is dropped and counted. Texts are those of the log,
with known secrets hidden; outputs and values of variables are not sent.
"""

from __future__ import annotations

import contextvars
import http.client
import json
import os
import queue
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nacre import __version__
from nacre.audit import recorder
from nacre.audit.records import end_of
from nacre.errors import NacreError
from nacre.model import Command, Result
from nacre.output import leaving_text, leaving_value
from nacre.stderr import log

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping

    from nacre.audit.recorder import Work
    from nacre.audit.records import Asked, Entry, Outcome

QUEUE_LIMIT = 2048
BATCH_LIMIT = 256
SEND_PATIENCE_S = 5.0
GATHER_S = 0.5
FINISH_PATIENCE_S = 2.0
TEXT_LIMIT = 4000
STATE_LIMIT = 512
_INTERNAL, _SERVER = 1, 2  # kinds of spans
_OK, _ERROR = 1, 2

_TRACEPARENT = re.compile(
    r"(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?"
)
_call: contextvars.ContextVar[Span | None] = contextvars.ContextVar("call", default=None)


@dataclass
class Span:
    """One span, from its start on."""

    name: str
    kind: int
    trace_id: str
    parent_id: str = ""
    state: str = ""  # of the trace, as the client has it
    sampled: bool = True  # whether the client's trace is kept
    span_id: str = field(default_factory=lambda: os.urandom(8).hex())
    began_ns: int = field(default_factory=time.time_ns)
    attributes: dict[str, object] = field(default_factory=dict[str, object])

    def ended(self, *, failed: bool) -> dict[str, Any]:
        """It as OTLP's JSON has it, without secrets."""
        shown: dict[str, Any] = {
            "traceId": self.trace_id,
            "spanId": self.span_id,
            "name": self.name,
            "kind": self.kind,
            "startTimeUnixNano": str(self.began_ns),
            "endTimeUnixNano": str(time.time_ns()),
            "attributes": as_attributes(self.attributes),
            "status": {"code": _ERROR if failed else _OK},
        }
        more = {"parentSpanId": self.parent_id, "traceState": self.state}
        return leaving_value(shown | {name: value for name, value in more.items() if value})


def as_attributes(values: Mapping[str, object]) -> list[dict[str, Any]]:
    """Attributes as OTLP's JSON has them; empty ones are left out."""
    return [
        {"key": name, "value": _as_value(value)} for name, value in values.items() if value not in (None, "")
    ]


def _as_value(value: object) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": leaving_text(str(value))[:TEXT_LIMIT].encode("utf-8", "replace").decode()}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where spans go, as the environment says."""

    url: str
    headers: Mapping[str, str]
    resource: Mapping[str, object]


def endpoint(environment: Mapping[str, str]) -> Endpoint | None:
    """Where the person wants spans; None: nowhere."""
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return None
    if environment.get("OTEL_TRACES_EXPORTER", "otlp") != "otlp":
        return None
    url = environment.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
    if not url and (base := environment.get("OTEL_EXPORTER_OTLP_ENDPOINT")):
        url = f"{base.rstrip('/')}/v1/traces"
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        return None
    headers = environment.get("OTEL_EXPORTER_OTLP_TRACES_HEADERS") or environment.get(
        "OTEL_EXPORTER_OTLP_HEADERS", ""
    )
    resource: dict[str, object] = {"service.name": "nacre", "service.version": __version__}
    resource |= _pairs(environment.get("OTEL_RESOURCE_ATTRIBUTES", ""))
    if name := environment.get("OTEL_SERVICE_NAME"):
        resource["service.name"] = name
    return Endpoint(url, _pairs(headers), {**resource, "process.pid": os.getpid()})


def _pairs(text: str) -> dict[str, str]:
    """`a=b,c=d`, as the variables of OpenTelemetry have it."""
    parted = (each.partition("=") for each in text.split(",") if "=" in each)
    return {name.strip(): urllib.parse.unquote(value.strip()) for name, _, value in parted}


def parent_of(meta: Mapping[str, Any]) -> tuple[str, str, bool] | None:
    """What a call is a part of, as its client says (W3C Trace Context): trace, span, whether it is kept."""
    found = _TRACEPARENT.fullmatch(str(meta.get("traceparent", "")))
    if found is None or found["version"] == "ff" or (found["version"] == "00" and found["more"]):
        return None
    if not found["trace"].strip("0") or not found["span"].strip("0"):
        return None
    return found["trace"], found["span"], bool(int(found["flags"], 16) & 1)


class Telemetry:
    """Makes spans of what happens, and sends them from a thread."""

    def __init__(self, target: Endpoint) -> None:
        self._target = target
        self._commands: dict[int, Span] = {}  # by their entry
        self._queue: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._dropped = 0
        self._told = False  # that a collector does not take them
        self._thread = threading.Thread(target=self._send_all, daemon=True, name="telemetry")
        self._thread.start()

    # -- calls

    async def traced(
        self, tool: str, answering: Coroutine[Any, Any, dict[str, Any]], meta: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Let a client's call be answered; commands that it runs belong to its span."""
        span, failed = self._span_of_call(tool, meta), True
        _call.set(span)
        try:
            answer = await answering
            failed = bool(answer.get("isError"))
            return answer
        finally:
            self._put(span, failed=failed)

    @staticmethod
    def _span_of_call(tool: str, meta: Mapping[str, Any]) -> Span:
        trace_id, parent_id, sampled = parent_of(meta) or (os.urandom(16).hex(), "", True)
        state = str(meta.get("tracestate", ""))[:STATE_LIMIT] if parent_id else ""
        span = Span(f"tools/call {tool}", _SERVER, trace_id, parent_id, state, sampled)
        known = recorder.circumstances
        span.attributes = {
            "mcp.method.name": "tools/call",
            "gen_ai.tool.name": tool,
            "mcp.client.name": known.client,
            "mcp.client.version": known.client_version,
        }
        return span

    # -- commands (an observer of `audit`)

    def started(self, work: Work, entry: Entry) -> None:
        """A command starts."""
        self._commands[id(entry)] = self._span_for(work.asked)

    def _span_for(self, asked: Asked) -> Span:
        if (call := _call.get()) is None:
            above = (os.urandom(16).hex(), "", "", True)
        else:
            above = (call.trace_id, call.span_id, call.state, call.sampled)
        if not isinstance(asked, Command):
            span = Span(asked.tool, _INTERNAL, *above)
            span.attributes = {"nacre.file.path": asked.path}
            return span
        span = Span("command", _INTERNAL, *above)
        span.attributes = {
            "nacre.command": asked.text,
            "nacre.session": asked.session,
            "nacre.working_directory": asked.working_directory,
            "nacre.place": asked.place,
            "nacre.sandbox": recorder.circumstances.sandbox,
        }
        return span

    def ended(self, asked: Asked, outcome: Outcome, entry: Entry) -> None:
        """A command has ended, or was not run."""
        span = self._commands.pop(id(entry), None) or self._span_for(asked)
        found = end_of(outcome, entry)
        span.attributes |= {
            "nacre.verdict": found.get("verdict") or entry.verdict,
            "nacre.rule": found.get("rule") or entry.rule,
            "nacre.ended": found.get("ended"),
            "process.exit.code": found.get("exit_code"),
            "nacre.signal": found.get("signal"),
            "nacre.cpu_ms": found.get("cpu_ms"),
            "nacre.stdout_bytes": found.get("stdout_bytes"),
            "nacre.stderr_bytes": found.get("stderr_bytes"),
            "error.type": outcome.code if isinstance(outcome, NacreError) else None,
        }
        failed = outcome is None or isinstance(outcome, NacreError)
        self._put(span, failed=failed or (isinstance(outcome, Result) and not outcome.ok))

    def noted(self, event: str, more: Mapping[str, object]) -> None:
        """Not for spans."""

    # -- sending

    def _put(self, span: Span, *, failed: bool) -> None:
        if not span.sampled:
            return
        if self._queue.qsize() >= QUEUE_LIMIT:
            self._dropped += 1
        else:
            self._queue.put(span.ended(failed=failed))

    def _send_all(self) -> None:
        going = True
        while going:
            batch: list[dict[str, Any]] = []
            deadline: float | None = None
            while len(batch) < BATCH_LIMIT:
                try:
                    wait_s = None if deadline is None else max(0.0, deadline - time.monotonic())
                    span = self._queue.get(timeout=wait_s)
                except queue.Empty:
                    break
                if span is None:
                    going = False
                    break
                batch.append(span)
                deadline = deadline or time.monotonic() + GATHER_S
            if batch:
                self._send(batch)

    def _send(self, batch: list[dict[str, Any]]) -> None:
        scope = {"scope": {"name": "nacre", "version": __version__}, "spans": batch}
        resource = {"attributes": as_attributes(self._target.resource)}
        body = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}).encode()
        headers = {"Content-Type": "application/json", **self._target.headers}
        request = urllib.request.Request(self._target.url, body, headers, method="POST")  # noqa: S310  # `endpoint` takes http and https only
        try:
            with urllib.request.urlopen(request, timeout=SEND_PATIENCE_S):  # noqa: S310  # the same
                self._told = False
        except (OSError, ValueError, http.client.HTTPException) as error:
            self._dropped += len(batch)
            if not self._told:
                self._told = True
                log.warning("spans cannot be sent (%s); they are dropped until they can", _why(error))

    def finish(self) -> None:
        """The server ends: send what is left, as far as that goes quickly."""
        self._queue.put(None)
        self._thread.join(FINISH_PATIENCE_S)
        lost = self._dropped + self._queue.qsize()
        if lost:
            log.warning("%d spans were not sent", lost)


def _why(error: Exception) -> str:
    """Without the address, which may hold a password."""
    reason = getattr(error, "reason", error)
    if isinstance(error, urllib.error.HTTPError):
        return f"HTTP {error.code}"
    return "no answer in HTTP" if isinstance(error, http.client.HTTPException) else str(reason)
