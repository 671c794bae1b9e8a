"""The calls that the chaos run makes, each with the answer that is right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wire_client import told_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

FLOOD_LINES = 40_000
SESSIONS = 4


@dataclass
class Call:
    """One call with the answer that is right."""

    arguments: dict[str, Any]
    stdout: str | None = None  # None: judged by `check`
    exit_code: int | None = 0
    check: Callable[[dict[str, Any]], bool] | None = None
    tool: str = "shell"
    leaves: bool = False  # whether it leaves a process, unless the server ends, which ends that first

    def is_answered_rightly(self, result: dict[str, Any], *, at_end: bool) -> bool:
        """Whether this is the result that the call must have; any that is no error for other tools."""
        if self.tool != "shell":
            return bool(result.get("content")) and not result.get("isError")
        if "structuredContent" not in result:
            return False
        data = told_of(result)
        named = not self.leaves or at_end or len(data["left_running"]) == 1
        return named and self._is_right(data)

    def _is_right(self, reply: dict[str, Any]) -> bool:
        if self.check is not None:
            return self.check(reply)
        return reply["exit_code"] == self.exit_code and reply["stdout"] == self.stdout


class Calls:
    """Makes calls of all kinds, and remembers what sessions must have counted to."""

    def __init__(self, choices: random.Random) -> None:
        self.random = choices
        self._counts: dict[str, set[int]] = {}  # what a session may count to next

    def make(self, mark: str, number: int, *, leave: bool) -> Call:
        """A call of some kind; `leave`: whether it may leave processes, which carry the mark."""
        weights = [0 if kind.startswith("leaves") and not leave else KINDS[kind][0] for kind in KINDS]
        kind = self.random.choices(list(KINDS), weights=weights)[0]
        return KINDS[kind][1](self, mark, number)

    def count_in_session(self) -> Call:
        """A variable in a session goes up by one each time, in the order of the calls."""
        name = f"s{self.random.randrange(SESSIONS)}"
        self._counts.setdefault(name, {1})

        def check(reply: dict[str, Any]) -> bool:
            count, fresh = reply["stdout"].strip(), reply["session"]["shell"] in ("new", "reborn")
            if reply["exit_code"] != 0 or not count.isdigit():
                return False
            known = {1} if fresh else self._counts[name]
            self._counts[name] = {int(count) + 1}
            return int(count) in known

        return Call({"command": "N=$((N + 1)); echo $N", "session": name}, check=check)

    def failed(self, call: Call) -> None:
        """A command of a session that failed may have counted, or not."""
        name = call.arguments.get("session", "")
        if name in self._counts:
            self._counts[name] |= {count + 1 for count in self._counts[name]} | {1}

    def forget_sessions(self) -> None:
        """A new server has none."""
        self._counts.clear()


def _echo(calls: Calls, _mark: str, number: int) -> Call:
    text = f"{number}-{calls.random.random()}-é€"
    return Call({"command": f"echo '{text}'"}, f"{text}\n")


def _fail(calls: Calls, _mark: str, _number: int) -> Call:
    code = calls.random.randrange(1, 126)
    return Call({"command": f"echo $((40 + 2)); exit {code}"}, "42\n", code)


def _flood(calls: Calls, _mark: str, number: int) -> Call:
    lines = calls.random.randrange(1000, FLOOD_LINES)

    def check(reply: dict[str, Any]) -> bool:
        shown = reply["stdout"]
        return (
            reply["exit_code"] == 0
            and shown.startswith(f"{number}\n")
            and shown.endswith(f"\n{number + lines}\n")
        )

    return Call({"command": f"seq {number} {number + lines}"}, check=check)


def _read_stdin(calls: Calls, _mark: str, number: int) -> Call:
    text = f"{number}x" * calls.random.randrange(1, 2000)
    return Call({"command": "cat", "stdin": text}, text)


def _long_text(_: Calls, _mark: str, number: int) -> Call:
    return Call({"command": f": {'x' * 140_000}\necho {number}"}, f"{number}\n")


def _leave_behind(_: Calls, mark: str, _number: int) -> Call:
    return Call({"command": f"sleep {mark} >/dev/null 2>&1 & echo left"}, "left\n", leaves=True)


def _clear_traces(_: Calls, mark: str, _number: int) -> Call:
    script = f"(env -i setsid sleep {mark} </dev/null >/dev/null 2>&1 &); echo done"
    return Call({"command": script}, "done\n")


def _time_out(_: Calls, mark: str, _number: int) -> Call:
    script = f"trap '' TERM; (setsid sleep {mark} &) ; echo before; sleep {mark}"

    def check(reply: dict[str, Any]) -> bool:
        return reply["ended"] == "timed_out" and reply["partial_stdout"] == "before\n"

    return Call({"command": script, "timeout": 1}, check=check)


# What is called: how often, and how.
KINDS: dict[str, tuple[int, Callable[[Calls, str, int], Call]]] = {
    "echo": (300, _echo),
    "fail": (100, _fail),
    "flood": (60, _flood),
    "stdin": (60, _read_stdin),
    "long text": (20, _long_text),
    "leaves a process": (20, _leave_behind),
    "leaves a process without a trace": (10, _clear_traces),
    "session": (400, lambda calls, _mark, _number: calls.count_in_session()),
    "times out": (2, _time_out),
}
