"""Processes that hide or do not die: each is attributed to its command, and ended with it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from process_table import Bell, carrying, gone, guardian_of, keeper_of, unique_seconds, wait_for_end
from unkillable import unkillable
from wire_client import text_of, told_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wire_client import WireClient

    Start = Callable[..., WireClient]

WITHOUT_A_TRACE = "(env -i /usr/bin/setsid /bin/sleep {mark} >/dev/null 2>&1 &)"
AT_ONCE = 40
NOBODY = 65534  # a user other than root; only root can become another


@pytest.fixture
def busy(start: Start, tmp_path: Path) -> Iterator[WireClient]:
    """A server on which other commands run, so that nothing can be attributed by elimination."""
    server, bell = start(), Bell(tmp_path)
    for _ in range(2):
        server.post_call("shell", {"command": f"{bell.ring}; sleep {unique_seconds()}"})
    bell.wait(2)
    bell.close()
    yield server
    server.close()


@pytest.mark.req("fault-no-trace")
def test_a_process_that_wiped_every_trace_is_named_by_the_command_that_started_it(busy: WireClient) -> None:
    mark = unique_seconds()
    left = busy.shell(WITHOUT_A_TRACE.format(mark=mark))["left_running"]
    while not (found := carrying(mark)):  # it may be on its way from env to sleep, with no arguments to see
        os.sched_yield()
    assert [each["pid"] for each in left] == found
    assert busy.shell("echo hi")["left_running"] == []


@pytest.mark.req("fault-no-trace")
def test_a_process_that_wiped_every_trace_dies_with_its_commands_timeout(busy: WireClient) -> None:
    mark = unique_seconds()
    reply = busy.shell(f"{WITHOUT_A_TRACE.format(mark=mark)}; sleep {mark}", timeout=1)
    assert (reply["ended"], reply["left_running"]) == ("timed_out", [])
    assert carrying(mark) == []


@pytest.mark.req("fault-no-trace")
def test_a_process_that_wiped_every_trace_dies_with_a_cancelled_call(
    busy: WireClient, tmp_path: Path
) -> None:
    mark, bell = unique_seconds(), Bell(tmp_path)
    text = f"{WITHOUT_A_TRACE.format(mark=mark)}; {bell.ring}; sleep {mark}"
    call = busy.post_call("shell", {"command": text})
    bell.wait()
    bell.close()
    assert carrying(mark)
    busy.notify("notifications/cancelled", {"requestId": call})
    assert gone(mark)


@pytest.mark.req("fault-no-trace")
def test_a_process_that_wiped_every_trace_dies_with_its_session(busy: WireClient) -> None:
    mark = unique_seconds()
    reply = busy.shell(WITHOUT_A_TRACE.format(mark=mark), session="s")
    assert [each["pid"] for each in reply["left_running"]] == carrying(mark) != []
    busy.call("session", action="close", name="s")
    assert carrying(mark) == []


@pytest.mark.req("fault-exec-window")
def test_a_process_that_is_just_becoming_its_program_is_named(start: Start) -> None:
    """Without an environment, for that moment, and without a session that would show whose it is."""
    server = start("--shell", "sh")
    for _ in range(100):
        mark = unique_seconds()
        left = server.shell(f"setsid sleep {mark} >/dev/null 2>&1 &")["left_running"]
        assert len(left) == 1, left
        os.kill(left[0]["pid"], signal.SIGKILL)


@pytest.mark.req("fault-late-keeper")
def test_commands_that_ended_in_time_are_not_called_late_because_nacre_is(
    start: Start, tmp_path: Path
) -> None:
    """Their ends and their deadlines have all passed when the keeper gets to see them."""
    server, bell, gate = start(), Bell(tmp_path), Bell(tmp_path)
    server.shell("true")  # its keeper is there
    mark = unique_seconds()
    command = f": {mark}; {bell.ring}; read go < {gate.path}"
    calls = [server.post_call("shell", {"command": command, "timeout": 2}) for _ in range(AT_ONCE)]
    keeper = keeper_of(server.process.pid)
    bell.wait(AT_ONCE)
    os.kill(keeper, signal.SIGSTOP)
    gate.path.write_text("go\n" * AT_ONCE)
    assert gone(mark)
    subprocess.run(["sleep", "2"], check=True)
    os.kill(keeper, signal.SIGCONT)
    ends = [told_of(server.answer_to(call)["result"]) for call in calls]
    assert {(end["ended"], end["exit_code"]) for end in ends} == {("exited", 0)}
    for each in (bell, gate):
        each.close()


@pytest.mark.req("fault-unkillable")
def test_a_process_that_cannot_be_killed_is_reported_as_such(start: Start, tmp_path: Path) -> None:
    server, bell = start(), Bell(tmp_path)
    mark = unique_seconds()
    text = f"sleep {mark} & echo $! > pid; {bell.ring}; wait"
    call = server.post_call("shell", {"command": text, "timeout": 1})
    bell.wait()
    bell.close()
    sleeper = int((tmp_path / "pid").read_text())
    with unkillable(sleeper):
        result = server.answer_to(call)["result"]
        data = told_of(result)
        assert data["ended"] == "timed_out"
        assert [each["pid"] for each in data["left_running"]] == [sleeper]
        assert "everything it started was killed" not in text_of(result)
        assert "not everything it started could be killed" in text_of(result)
    assert gone(mark)
    assert server.shell("echo hi")["stdout"] == "hi\n"


@pytest.mark.req("fault-unkillable")
@pytest.mark.parametrize("action", ["close", "restart"])
def test_a_session_does_not_claim_to_have_ended_what_cannot_be_killed(start: Start, action: str) -> None:
    server, mark = start(), unique_seconds()
    (left,) = server.shell(f"sleep {mark} &", session="s")["left_running"]
    with unkillable(left["pid"]):
        text = text_of(server.call("session", action=action, name="s"))
        assert f"have not died of it: {left['pid']} sleep {mark}" in text
    assert gone(mark)


@pytest.mark.req("fault-session-ends-whole")
@pytest.mark.parametrize("action", ["close", "restart"])
@pytest.mark.parametrize("lost", ["", "exit 3", "exit 3; exit 4"])
def test_all_that_a_session_has_started_is_gone_when_its_end_is_reported(
    start: Start, action: str, lost: str
) -> None:
    """Also what earlier shells have left, and what leaves its group and ignores signals."""
    server = start()
    for _ in range(2):  # the second time in a session that was there before; each takes the whole grace
        mark = unique_seconds()
        some = f"(trap '' HUP TERM; setsid sleep {mark} & sleep {mark} &)"
        for text in ("true", *filter(None, lost.split("; "))):
            assert server.shell(f"{some}; {text}", session="s")["left_running"] != []
        server.shell(some, session="s")
        assert "all it had started are gone" in text_of(server.call("session", action=action, name="s"))
        assert carrying(mark) == []


PYTHON = sys.executable
HARD_TO_END = {
    "stopped": "sh -c 'kill -STOP $$; : {mark}' &",
    "ignores all signals": "(trap '' TERM HUP INT QUIT; exec setsid sleep {mark}) &",
    "double fork": f"{PYTHON} -c 'import os,time\nif os.fork() == 0:\n os.setsid()\n if os.fork() == 0:\n"
    "  os.environ.clear(); time.sleep({mark})' &",
    "waits for a vfork": f"{PYTHON} -c 'import ctypes\nif ctypes.CDLL(None).vfork() == 0:\n"
    "  ctypes.CDLL(None).sleep(int({mark}))' &",
    "first thread gone": f"{PYTHON} -c 'import ctypes,threading,time\n"
    "threading.Thread(target=time.sleep, args=({mark},)).start()\nctypes.CDLL(None).pthread_exit(None)' &",
    "other user": "setpriv --reuid={uid} --clear-groups env -i setsid sleep {mark} &",
    "own namespaces": "unshare -Urpf env -i setsid sleep {mark} &",
    "traced": f"{PYTHON} -c 'import ctypes,os,time\npid = os.fork()\nif pid == 0:\n"
    " ctypes.CDLL(None).ptrace(0, 0, 0, 0); os.kill(os.getpid(), 19)\ntime.sleep({mark})' &",
    "flees": f"{PYTHON} -c 'import os,time # {{mark}}\nend = time.monotonic() + 60\n"
    "while time.monotonic() < end:\n if os.fork(): os._exit(0)' &",
    "flees into new sessions": f"{PYTHON} -c 'import os,time # {{mark}}\nend = time.monotonic() + 60\n"
    "while time.monotonic() < end:\n if os.fork(): os._exit(0)\n os.setsid()' &",
}


@pytest.mark.req("fault-hard-to-end")
@pytest.mark.parametrize("how", HARD_TO_END)
@pytest.mark.parametrize("end", ["timeout", "server", "keeper"])
def test_no_kind_of_process_survives_its_command(start: Start, tmp_path: Path, how: str, end: str) -> None:
    server, bell, mark = start(), Bell(tmp_path), unique_seconds()
    some = HARD_TO_END[how].replace("{mark}", mark).replace("{uid}", str(os.getuid() or NOBODY))
    arguments = {"command": f"{some}\n{bell.ring}\nsleep {mark}", "timeout": 1 if end == "timeout" else 100}
    call = server.post_call("shell", arguments)
    bell.wait()
    bell.close()
    keeper, guardian = keeper_of(server.process.pid), guardian_of(server.process.pid)
    if end == "timeout":
        assert told_of(server.answer_to(call)["result"])["left_running"] == []
        assert carrying(mark) == []
    else:
        os.kill(keeper if end == "keeper" else server.process.pid, signal.SIGKILL)
        assert wait_for_end([guardian], patience_s=30)
        assert carrying(mark) == []
