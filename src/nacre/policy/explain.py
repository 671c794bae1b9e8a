"""A verdict in words: what would run, which rule decided, and the part of the command it is about.

Above: `nacre policy explain` prints it, and says what rules would see where there are none. Below: `model`.
Texts only, no terminal is touched. What an agent is told about a denial is written in `gate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nacre.policy.model import Decision, Finding, Verdict

_COLOURS: dict[Decision, str] = {"allow": "\x1b[32m", "ask": "\x1b[33m", "deny": "\x1b[31m"}
_RESET = "\x1b[0m"
_WIDEST = 100


def explain(text: str, verdict: Verdict, *, colour: bool = False) -> str:
    """Several lines about a verdict, for a person."""
    lines = [f"{_painted(verdict.decision.upper(), verdict.decision, colour=colour)}  {verdict.reason}"]
    lines += [f"  rule: {verdict.rule}"] if verdict.rule else []
    if verdict.decision != "allow" and verdict.end > verdict.start:
        lines += _underlined(text, verdict, colour=colour)
        lines.append(f"  characters {verdict.start} to {verdict.end}")
    if verdict.hint:
        lines.append(f"  hint: {verdict.hint}")
    if verdict.commands:
        lines.append("what would run:")
        lines += [_row(item, colour=colour) for item in verdict.commands]
    return "\n".join(lines)


def seen(verdict: Verdict) -> str:
    """What the policy sees in a command, whatever rules would say about it."""
    if not verdict.commands:
        return "with rules, it would see no command"
    rows = [
        f"  {_command(item)}" if item.decision == "allow" else f"  {_command(item)}  [{item.reason}]"
        for item in verdict.commands
    ]
    return "\n".join(["with rules, it would see:", *rows])


def _command(item: Finding) -> str:
    """One simple command on one line."""
    what = _visible(item.text.replace("\n", " "))
    what = what if len(what) <= _WIDEST else what[: _WIDEST - 3] + "..."
    through = f"  (through {', '.join(item.via)})" if item.via else ""
    return what + through


def _row(item: Finding, *, colour: bool) -> str:
    mark = _painted(f"{item.decision:<5}", item.decision, colour=colour)
    return f"  {mark} {_command(item)}  [{item.rule}: {item.reason}]"


def _underlined(text: str, verdict: Verdict, *, colour: bool) -> list[str]:
    """The line of the text in which the part begins, and marks under the part."""
    begin = text.rfind("\n", 0, verdict.start) + 1
    end = text.find("\n", verdict.start)
    end = end if end >= 0 else len(text)
    line = text[begin:end]
    first = verdict.start - begin
    last = max(min(verdict.end, end) - begin, first + 1)
    if len(line) > _WIDEST:
        cut = max(first - _WIDEST // 2, 0)
        line, first, last = line[cut : cut + _WIDEST], first - cut, min(last - cut, _WIDEST)
    marks = " " * first + "^" * max(last - first, 1)
    return [f"  {_visible(line)}", f"  {_painted(marks, verdict.decision, colour=colour)}"]


def _visible(text: str) -> str:
    """Control characters as pictures, so that a text cannot hide itself on the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def _painted(text: str, decision: Decision, *, colour: bool) -> str:
    return f"{_COLOURS[decision]}{text}{_RESET}" if colour else text
