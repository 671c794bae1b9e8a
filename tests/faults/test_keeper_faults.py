"""Failures inside the keeper while it handles one command: that command ends, and all others go on."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from faults.faulty_keeper import FaultyHarness
from process_table import Gate, gone, unique_seconds

from nacre.errors import InternalError
from nacre.model import Command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nacre.model import Result

# Where it fails -> the fault, and a command that meets it; every one of these would end the keeper unguarded.
ONCE = {
    "in starting a process": ("fail(posix, 'start', lambda spec, _: 'VICTIM' in spec.argv[-1])", "sleep %s"),
    "in making a command of a process": (
        "fail(commands.Command, '_open_streams', lambda self, _: victim(self))",
        "sleep %s",
    ),
    "in reading output": (
        "fail(capture.Capture, 'feed', lambda _, chunk: b'bang' in chunk)",
        "echo bang; sleep %s",
    ),
    "in reading output that comes at once": (  # nobody can tell beforehand which way it is read
        (
            "fail(capture.Capture, 'feed', lambda _, chunk: b'bang' in chunk)\n"
            "fail(streams, 'is_short', lambda chunk, _: b'bang' in chunk)"
        ),
        "echo bang",
    ),
    "in a timer": ("fail(commands.Command, '_watch', lambda self: victim(self))", "sleep %s"),
    "in killing at the timeout": (
        "fail(commands.Command, 'kill', lambda self, *_: victim(self))",
        "sleep %s & sleep %s",
    ),
    "in signalling the tree": ("fail(process_tree.ProcessTree, 'ask_to_end', lambda *_: True)", "sleep %s"),
    "in reaping": ("fail(commands.Command, 'ended', lambda self, _: victim(self))", "sleep %s & exit 3"),
    "in reporting the end": (
        "fail(commands.Command, '_outcome', lambda self: victim(self))",
        "sleep %s & exit 3",
    ),
    "in asking who was left": ("fail(commands, 'named', lambda left: True)", "setsid sleep %s & exit 3"),
    "for lack of memory": (
        "fail(commands.Command, 'ended', lambda self, _: victim(self), MemoryError())",
        "sleep %s & exit 3",
    ),
    "in feeding it": (
        "fail(posix.Writer, 'write', lambda self, data: b'too much' in data)",
        "sleep %s; cat",
    ),
}
TURN = {
    "in giving it to its shell": (
        "fail(turns.ShellFiles, 'provide', lambda _, run: 'VICTIM' in str(run.files))",
        "exit",
    ),
    "in making a turn of it": (
        "fail(turns.Turn, '__init__', lambda *a: 'VICTIM' in str(a[2].files))",
        "exit",
    ),
    "in hearing of its end": (
        "fail(turns.Turn, 'hear', lambda self, _: self.number == 3)",
        "sleep %s & true",
    ),
    "in reporting its end": (
        "fail(turns.Turn, 'close', lambda self, *_, **__: self.number == 3)",
        "sleep %s & true",
    ),
    "in its timer": ("fail(turns.Turn, '_takes_long', lambda self: self.number == 3)", "sleep %s"),
}


@pytest.fixture
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[FaultyHarness]:
    harness = FaultyHarness("bash", request.param, tmp_path / "log")
    yield harness
    harness.close()


def keeper_pid(harness: FaultyHarness) -> int:
    return harness.link._process.started.pid  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]


def once(text: str, **more: Any) -> Command:
    return Command(text, "/", 1, **more)


async def bystander_and(harness: FaultyHarness, gate: Gate, victim: Command) -> tuple[Result, InternalError]:
    """A command that waits at a gate while the victim meets the fault."""
    waiting = asyncio.create_task(harness.service.run(Command(f"cat {gate.path}", "/", 30)))
    await harness.service.run(once("echo another"))  # by now the one before has been started too
    with pytest.raises(InternalError) as caught:
        await harness.service.run(victim)
    await asyncio.to_thread(gate.open)
    return await waiting, caught.value


@pytest.mark.req("fault-keeper-one-command")
@pytest.mark.parametrize(("harness", "command"), list(ONCE.values()), ids=list(ONCE), indirect=["harness"])
def test_a_failure_inside_the_keeper_ends_one_command(
    harness: FaultyHarness, command: str, tmp_path: Path
) -> None:
    mark, before = unique_seconds(), keeper_pid(harness)
    session = harness.new()
    session("X=kept")
    victim = once(f"{command.replace('%s', mark)} # VICTIM", stdin="too much" if "cat" in command else None)
    bystander, error = harness.do(bystander_and(harness, Gate(tmp_path), victim))
    assert (error.code, "killed" in str(error)) == ("internal", True)
    assert bystander.stdout.text == "open\n"
    assert session("echo $X").stdout.text == "kept\n"
    assert gone(mark)
    assert keeper_pid(harness) == before
    assert "Traceback" in harness.log.read_text(), "a person finds it on stderr"


@pytest.mark.req("fault-keeper-one-command")
@pytest.mark.parametrize(("harness", "command"), list(TURN.values()), ids=list(TURN), indirect=["harness"])
def test_a_failure_inside_the_keeper_ends_one_session(
    harness: FaultyHarness, command: str, tmp_path: Path
) -> None:
    mark, before = unique_seconds(), keeper_pid(harness)
    session, other = harness.new(), harness.new()
    session("X=lost")
    session("Y=also")
    other("X=kept")
    victim = session.command(f"{command.replace('%s', mark)} # VICTIM")
    bystander, error = harness.do(bystander_and(harness, Gate(tmp_path), victim))
    assert "injected" in str(error)
    assert bystander.stdout.text == "open\n"
    assert other("echo $X").stdout.text == "kept\n"
    result = session("echo new$X")
    assert result.stdout.text == "new\n"
    assert "A new shell" in result.note
    assert gone(mark)
    assert keeper_pid(harness) == before


@pytest.mark.req("fault-keeper-one-command")
@pytest.mark.parametrize(
    "harness", ["fail(capture.Capture, 'feed', lambda _, chunk: b'late' in chunk)"], indirect=True
)
def test_a_failure_with_what_was_left_behind_ends_that_alone(harness: FaultyHarness, tmp_path: Path) -> None:
    mark, gate, before = unique_seconds(), Gate(tmp_path), keeper_pid(harness)
    result = harness.do(harness.service.run(once(f"(cat {gate.path}; echo late; sleep {mark}) & echo early")))
    assert result.stdout.text == "early\n"
    gate.open()
    assert gone(mark)
    assert harness.do(harness.service.run(once("echo next"))).stdout.text == "next\n"
    assert keeper_pid(harness) == before
