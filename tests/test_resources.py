"""Jobs and outputs as resources: listed, read, subscribed to, in both eras and on both roads."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from process_table import Gate
from test_sdk_comparison import CAPABILITIES, SDK_ONLY, compare, greeting, heard, request, with_envelope
from wire_client import MODERN, WireClient

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Start = Callable[..., WireClient]

ROADS = pytest.mark.parametrize("environment", [{}, SDK_ONLY], ids=["fast path", "SDK"])


def next_of(server: WireClient, method: str) -> dict[str, Any]:
    """The next notification of that name; its parameters."""
    for index, message in enumerate(server.others):
        if message.get("method") == method:
            return server.others.pop(index).get("params", {})
    while True:
        message = server.receive()
        if message.get("method") == method:
            return message.get("params", {})
        server.others.append(message)


def read(server: WireClient, uri: str, **more: Any) -> list[dict[str, Any]]:
    answer = server.request("resources/read", {"uri": uri, **more})
    assert "result" in answer, answer
    return answer["result"]["contents"]


def start_job(server: WireClient, command: str, **more: Any) -> str:
    arguments = {"command": command, "background": True}
    answer = server.answer_to(server.post_call("shell", arguments, more.get("_meta")))
    return answer["result"]["structuredContent"]["job"]


@pytest.mark.req("resources")
@ROADS
def test_a_client_lists_reads_and_subscribes(
    start: Start, tmp_path: Path, environment: dict[str, str]
) -> None:
    server, first, last = start("--shell", "bash", env=environment), Gate(tmp_path), Gate(tmp_path)
    assert server.request("resources/list")["result"]["resources"] == []
    templates = server.request("resources/templates/list")["result"]["resourceTemplates"]
    assert [each["uriTemplate"] for each in templates] == [
        "job://{id}",
        "output://{id}{?stream,offset,limit}",
    ]
    job = start_job(server, f"echo früh; echo odd >&2; cat {first.path}; cat {last.path}; exit 3")
    next_of(server, "notifications/resources/list_changed")
    listed = server.request("resources/list")["result"]["resources"]
    assert [each["uri"] for each in listed] == [f"job://{job}", f"output://{job}"]
    (state,) = read(server, f"job://{job}")
    assert json.loads(state["text"])["state"] == "running"
    assert server.request("resources/subscribe", {"uri": f"output://{job}"})["result"] == {}
    first.open()
    text = ""
    while "open" not in text:
        assert next_of(server, "notifications/resources/updated") == {"uri": f"output://{job}"}
        text = read(server, f"output://{job}")[0]["text"]
    assert server.request("resources/unsubscribe", {"uri": f"output://{job}"})["result"] == {}
    server.request("resources/subscribe", {"uri": f"job://{job}"})
    last.open()
    assert next_of(server, "notifications/resources/updated") == {"uri": f"job://{job}"}
    (state,) = read(server, f"job://{job}")
    assert {"state": "ended", "exit_code": 3}.items() <= json.loads(state["text"]).items()
    both = read(server, f"output://{job}")
    assert [each["text"] for each in both] == ["früh\nopen\nopen\n", "odd\n"]
    (part,) = read(server, f"output://{job}?stream=stdout&offset=6&limit=4")
    assert (part["text"], part["_meta"]["nacre/nextOffset"]) == ("open", 10)


@pytest.mark.req("resources")
@pytest.mark.parametrize("session", [None, "one"])
def test_what_a_process_left_behind_prints_is_announced(
    start: Start, tmp_path: Path, session: str | None
) -> None:
    server, first, second = start("--shell", "bash"), Gate(tmp_path), Gate(tmp_path)
    command = f"(cat {first.path}; cat {second.path}; exit 3) & echo begun"
    job = server.call("shell", command=command, session=session)["structuredContent"]["job"]
    for uri in (f"output://{job}", f"job://{job}"):
        assert server.request("resources/subscribe", {"uri": uri})["result"] == {}
    for gate, text in ((first, "begun\nopen\n"), (second, "begun\nopen\nopen\n")):
        gate.open()
        while read(server, f"output://{job}")[0]["text"] != text:
            next_of(server, "notifications/resources/updated")
    while json.loads(read(server, f"job://{job}")[0]["text"])["state"] != "ended":
        next_of(server, "notifications/resources/updated")


@pytest.mark.req("resources")
@ROADS
def test_a_client_of_2026_listens(start: Start, tmp_path: Path, environment: dict[str, str]) -> None:
    server, gate = start("--shell", "bash", env=environment, greet=False), Gate(tmp_path)
    job = start_job(server, f"cat {gate.path}; exit 4", _meta=MODERN)
    wanted = {"resourcesListChanged": True, "resourceSubscriptions": [f"job://{job}", "job://none"]}
    server.post("subscriptions/listen", {"notifications": wanted, "_meta": MODERN})
    next_of(server, "notifications/subscriptions/acknowledged")
    start_job(server, "cat", _meta=MODERN)
    next_of(server, "notifications/resources/list_changed")
    listed = server.request("resources/list", {"_meta": MODERN})["result"]
    assert (len(listed["resources"]), listed["resultType"]) == (4, "complete")
    gate.open()
    assert next_of(server, "notifications/resources/updated")["uri"] == f"job://{job}"
    (state,) = read(server, f"job://{job}", _meta=MODERN)
    assert json.loads(state["text"])["exit_code"] == 4


@pytest.mark.req("resources")
def test_the_output_of_any_command_is_read_binary_as_such(start: Start) -> None:
    server = start("--shell", "bash")
    output_id = server.call("shell", command="printf '\\0\\1\\2'; seq 100000 >&2")["structuredContent"][
        "output_id"
    ]
    (binary, _) = read(server, f"output://{output_id}")
    assert (base64.b64decode(binary["blob"]), binary["mimeType"]) == (b"\0\1\2", "application/octet-stream")
    parts, offset = "", 0
    while offset < 588895:
        (part,) = read(server, f"output://{output_id}?stream=stderr&offset={offset}&limit=200000")
        parts, offset = parts + part["text"], part["_meta"]["nacre/nextOffset"]
    assert parts == "".join(f"{number}\n" for number in range(1, 100001))


WRONG = [
    *(
        "file:///etc/passwd",
        "job://",
        "job://none",
        "output://none",
        "output://x?nonsense=1",
        "job://x?offset=1",
    ),
    *("output://x?offset=-1", "nonsense", ""),
]


@pytest.mark.req("resources")
def test_both_roads_read_alike_and_refuse_alike(start: Start) -> None:
    asked = [request(index, "resources/read", uri=uri) for index, uri in enumerate(WRONG, 30)]
    asked += [request(index, "resources/subscribe", uri=uri) for index, uri in enumerate(WRONG, 50)]
    asked += [request(70, "resources/unsubscribe", uri="job://none"), request(71, "resources/list")]

    def scenario(server: WireClient) -> list[Any]:
        exchanged = [*heard(server, greeting()), *heard(server, asked)]
        server.send(request(80, "tools/call", name="shell", arguments={"command": "cat", "background": True}))
        lines = [server.receive_line(), server.receive_line()]
        job = next(json.loads(line) for line in lines if b'"id"' in line)["result"]["structuredContent"][
            "job"
        ]
        server.send(
            request(
                81,
                "tools/call",
                name="job",
                arguments={"action": "send", "id": job, "eof": True, "seconds": 30},
            )
        )
        server.receive_line()
        for index, (method, uri) in enumerate(
            [("read", f"output://{job}"), ("list", ""), ("templates/list", "")], 90
        ):
            server.send(request(index, f"resources/{method}", **({"uri": uri} if uri else {})))
            exchanged.append((method, [server.receive_line().replace(job.encode(), b"JOB")]))
        return exchanged

    compare(start, plain=scenario)


@pytest.mark.req("resources")
def test_both_roads_read_alike_in_2026(start: Start) -> None:
    asked = [request(index, "resources/read", uri=uri) for index, uri in enumerate(WRONG, 30)]
    asked += [request(50, "server/discover"), request(51, "resources/templates/list")]

    def scenario(server: WireClient) -> list[Any]:
        exchanged = heard(server, with_envelope(asked, **{CAPABILITIES: {}}))
        call = request(
            80, "tools/call", name="shell", arguments={"command": "echo hi; cat", "background": True}
        )
        server.send(*with_envelope([call]))
        job = json.loads(server.receive_line())["result"]["structuredContent"]["job"]
        wait = request(
            81, "tools/call", name="job", arguments={"action": "send", "id": job, "eof": True, "seconds": 30}
        )
        server.send(*with_envelope([wait]))
        server.receive_line()
        server.send(*with_envelope([request(90, "resources/read", uri=f"output://{job}")]))
        exchanged.append(("read", [server.receive_line().replace(job.encode(), b"JOB")]))
        server.send(*with_envelope([request(91, "resources/list")]))
        return [*exchanged, ("list", [server.receive_line().replace(job.encode(), b"JOB")])]

    compare(start, plain=scenario)
