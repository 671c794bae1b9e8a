"""Spans for OpenTelemetry: a real receiver gets them, and without one configured there is nothing at all."""

from __future__ import annotations

import json
import os
import queue
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from wire_client import MODERN

from nacre.audit.records import Entry
from nacre.model import Command
from nacre.telemetry import Endpoint, Telemetry, as_attributes, endpoint, parent_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., WireClient]

PATIENCE_S = 30


class Collector(ThreadingHTTPServer):
    """A receiver of OTLP over HTTP, in JSON."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Receiver)
        self.requests: queue.SimpleQueue[tuple[str, dict[str, str], dict[str, Any]]] = queue.SimpleQueue()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def spans(self, count: int) -> list[dict[str, Any]]:
        """The next so many, with their attributes as plain values."""
        found: list[dict[str, Any]] = []
        while len(found) < count:
            _, _, body = self.requests.get(timeout=PATIENCE_S)
            for resource in body["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found += [{**span, "attributes": plain(span["attributes"])} for span in scope["spans"]]
        return found


class Receiver(BaseHTTPRequestHandler):
    """One request to it."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert isinstance(self.server, Collector)
        self.server.requests.put((self.path, dict(self.headers), body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the base class
        """Nothing."""


def plain(attributes: list[dict[str, Any]]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in attributes}


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.req("secrets-sent")
def test_no_span_repeats_a_secret_that_the_agent_has_sent(
    start: Start, collector: Collector, tmp_path: Path
) -> None:
    value = "tok-5ecret+Value9"
    settings = tmp_path / "settings.toml"
    settings.write_text('[secrets]\nTOKEN = {env = "SOURCE"}\n')
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "SOURCE": value}
    server = start("--shell", "bash", "--config", str(settings), env=environment)
    trace = {"traceparent": f"00-{'a' * 32}-{'b' * 16}-01", "tracestate": f"x={value}"}
    for tool in ("shell", value):
        arguments = {"command": f"echo {value}", "session": value}
        server.answer_to(server.post_call(tool, arguments, trace))
    server.hang_up()
    server.wait()
    spans = collector.spans(2)
    assert [value in str(span) for span in spans] == [False] * len(spans)
    assert "*" * len(value) in str(spans)


@pytest.mark.req("telemetry")
def test_a_call_and_its_command_are_spans_of_one_trace(start: Start, collector: Collector) -> None:
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b"}
    server = start("--shell", "bash", "--deny", "rm", env={**environment, "OTEL_SERVICE_NAME": "mine"})
    server.shell("echo hi; exit 3", session="s")
    server.call("shell", command="rm x")
    server.hang_up()
    server.wait()
    path, headers, body = collector.requests.get(timeout=PATIENCE_S)
    assert (path, headers["X-Key"]) == ("/v1/traces", "a b")
    assert plain(body["resourceSpans"][0]["resource"]["attributes"])["service.name"] == "mine"
    collector.requests.put((path, headers, body))
    ran, call, refused, other = collector.spans(4)
    assert (call["name"], call["kind"]) == ("tools/call shell", 2)
    assert call["attributes"]["mcp.client.name"] == "tests"
    assert (ran["name"], ran["traceId"], ran["parentSpanId"]) == ("command", call["traceId"], call["spanId"])
    assert (
        ran["attributes"].items()
        >= {
            "nacre.command": "echo hi; exit 3",
            "nacre.session": "s",
            "nacre.ended": "shell_died",
            "process.exit.code": "3",
            "nacre.verdict": "allow",
            "nacre.stdout_bytes": "3",
        }.items()
    )
    assert ran["status"]["code"] == 2
    assert int(call["startTimeUnixNano"]) <= int(ran["startTimeUnixNano"]) <= int(ran["endTimeUnixNano"])
    assert refused["attributes"].items() >= {"nacre.verdict": "deny", "nacre.rule": "rm"}.items()
    assert refused["parentSpanId"] == other["spanId"]
    assert other["traceId"] != call["traceId"]


@pytest.mark.req("telemetry")
def test_calls_at_once_keep_their_commands_apart(start: Start, collector: Collector) -> None:
    server = start("--shell", "bash", env={"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{collector.url}/own"})
    for number in range(8):
        server.post_call("shell", {"command": f"sleep 0.0{number}; echo {number}"})
    for _ in range(8):
        server.receive()
    server.hang_up()
    server.wait()
    spans = collector.spans(16)
    calls = {span["spanId"]: span for span in spans if span["name"] != "command"}
    commands = [span for span in spans if span["name"] == "command"]
    assert len({span["parentSpanId"] for span in commands}) == 8
    assert all(calls[span["parentSpanId"]]["traceId"] == span["traceId"] for span in commands)


@pytest.mark.req("telemetry")
def test_a_collector_that_is_not_there_keeps_no_command_waiting(start: Start) -> None:
    server = start("--shell", "bash", env={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    assert server.shell("echo hi")["stdout"] == "hi\n"
    server.wait_for_log("spans cannot be sent")
    assert server.shell("echo on")["stdout"] == "on\n"
    server.hang_up()
    assert server.wait() == 0


TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENTS = {
    f"00-{TRACE}-{SPAN}-01": (TRACE, SPAN, True),
    f"00-{TRACE}-{SPAN}-00": (TRACE, SPAN, False),
    f"00-{TRACE}-{SPAN}-03": (TRACE, SPAN, True),
    f"cc-{TRACE}-{SPAN}-01-of-the-future": (TRACE, SPAN, True),
    f"00-{TRACE}-{SPAN}-01-more": None,
    f"ff-{TRACE}-{SPAN}-01": None,
    f"00-{'0' * 32}-{SPAN}-01": None,
    f"00-{TRACE}-{'0' * 16}-01": None,
    f"00-{TRACE.upper()}-{SPAN}-01": None,
    f" 00-{TRACE}-{SPAN}-01": None,
    f"00-{TRACE}-{SPAN}": None,
    "": None,
}


@pytest.mark.req("telemetry-parent")
@pytest.mark.parametrize("text", PARENTS)
def test_the_parent_of_a_call_is_read_as_the_w3c_says(text: str) -> None:
    assert parent_of({"traceparent": text}) == PARENTS[text]


@pytest.mark.req("telemetry-parent")
def test_what_is_no_text_is_no_parent() -> None:
    values: tuple[object, ...] = (None, 5, [], {"a": 1}, True)
    for value in values:
        assert parent_of({"traceparent": value}) is None


@pytest.mark.req("telemetry-parent")
@pytest.mark.parametrize("more", [{}, MODERN], ids=["handshake", "2026"])
def test_a_call_belongs_to_the_trace_of_its_client(
    start: Start, collector: Collector, more: dict[str, Any]
) -> None:
    server = start("--shell", "bash", env={"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url}, greet=not more)
    dropped, kept = ({"traceparent": f"00-{TRACE}-{SPAN}-0{flag}", "tracestate": "a=b"} for flag in (0, 1))
    for meta in (dropped, kept):
        server.answer_to(server.post_call("shell", {"command": "echo hi"}, {**more, **meta}))
    server.answer_to(server.post_call("shell", {"command": "echo alone"}, {**more, "traceparent": "none"}))
    server.hang_up()
    server.wait()
    command, call, _, alone = collector.spans(4)
    assert (call["traceId"], call["parentSpanId"], call["traceState"]) == (TRACE, SPAN, "a=b")
    assert (command["traceId"], command["parentSpanId"]) == (TRACE, call["spanId"])
    assert alone["traceId"] != TRACE
    assert "parentSpanId" not in alone


WRONG_ANSWERS = (
    b"what is this\r\n\r\n",
    b"",
    b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: gopher://x/\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
)


@pytest.mark.req("telemetry")
def test_a_collector_that_answers_nonsense_costs_no_command_and_no_later_span() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        telemetry = Telemetry(Endpoint(f"http://127.0.0.1:{listener.getsockname()[1]}/", {}, {}))
        for wrong in (*WRONG_ANSWERS, b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"):
            telemetry.ended(Command("echo", "/", 1.0), None, Entry())
            connection, _ = listener.accept()  # the thread that sends has survived what was before
            with connection:
                connection.settimeout(PATIENCE_S)
                assert connection.recv(1 << 16).startswith(b"POST ")
                connection.sendall(wrong)
        telemetry.finish()


@pytest.mark.req("telemetry")
@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_SERVICE_NAME": "x"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"},
    ],
    ids=["nothing", "a name alone", "switched off"],
)
def test_without_an_exporter_there_is_no_thread_and_no_socket(
    start: Start, environment: dict[str, str]
) -> None:
    server = start("--shell", "bash", env=environment)
    server.shell("echo hi")
    process = f"/proc/{server.process.pid}"
    with open(f"{process}/net/tcp", encoding="ascii") as table:
        sockets = {line.split()[9] for line in table.readlines()[1:]}
    held = {os.readlink(f"{process}/fd/{fd}") for fd in os.listdir(f"{process}/fd")}
    assert not {f"socket:[{inode}]" for inode in sockets} & held
    if "OTEL_SDK_DISABLED" not in environment:
        with open(f"{process}/maps", encoding="utf-8") as maps:
            assert "_ssl" not in maps.read()  # what speaks to collectors would have loaded it


@pytest.mark.req("telemetry")
def test_the_variables_of_opentelemetry_are_read_as_they_mean() -> None:
    assert endpoint({"OTEL_EXPORTER_OTLP_ENDPOINT": "ftp://x"}) is None
    assert endpoint({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_TRACES_EXPORTER": "none"}) is None
    found = endpoint({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x/", "OTEL_RESOURCE_ATTRIBUTES": "a=1,b=2"})
    assert found is not None
    assert found.url == "http://x/v1/traces"
    assert found.resource.items() >= {"a": "1", "b": "2", "service.name": "nacre"}.items()
    assert as_attributes({"text": "x", "number": 3, "yes": True, "nothing": None}) == [
        {"key": "text", "value": {"stringValue": "x"}},
        {"key": "number", "value": {"intValue": "3"}},
        {"key": "yes", "value": {"boolValue": True}},
    ]
