"""The verdict: every simple command of a text, held against every rule, and the strictest answer wins.

Above: the service, `corpus` and `learn`. Below: the scanners (what is in the text), `part` (what is said
about one command), `hearing` (what was said so far). This module conducts, and does nothing else: it runs
nothing, asks nobody, and reads the file system only through `paths`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from nacre.policy import posix
from nacre.policy.dialect import OTHER_SCANNERS
from nacre.policy.hearing import Hearing
from nacre.policy.model import UNKNOWN, Judged, Refusal, Scan, SimpleCommand, Verdict, Word
from nacre.policy.part import Part
from nacre.policy.programs import has_meaning
from nacre.policy.refusal import PLAINER
from nacre.policy.values import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nacre.policy.effects import Script
    from nacre.policy.hearing import Span
    from nacre.policy.rules import Policy

MAX_SCRIPT_DEPTH = 8
_MOST_SHOWN = 20
_MOST_COMMANDS = 2_000  # in a text and in all texts inside it


def scan_for(text: str, shell: str) -> Scan:
    """The scanner that belongs to a shell; an unknown shell is a refusal."""
    other = OTHER_SCANNERS.get(shell)
    if other is None:
        return posix.scan(text, shell)
    scanner: Callable[[str], Scan] = getattr(importlib.import_module(other[0]), other[1])
    return scanner(text)


def judge(  # noqa: PLR0913 - the text and its circumstances
    text: str,
    policy: Policy,
    *,
    shell: str = "bash",
    cwd: str | None = None,
    fed: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Verdict:
    """The verdict about a text that a shell is to run; `fed`: it is given something to read."""
    shell = shell.replace("\\", "/").rpartition("/")[2].casefold().removesuffix(".exe")
    hearing = Hearing(policy, shell, cwd, fed=fed, environment=environment)
    hearing.say_patterns(text)
    _hear(hearing, text, shell, _here, 0)
    return hearing.verdict(text)


def judge_argv(argv: Sequence[str], policy: Policy, *, cwd: str | None = None, fed: bool = False) -> Verdict:
    """The verdict about a program that is started without a shell: every argument is literal."""
    text = " ".join(argv)
    hearing = Hearing(policy, "bash", cwd, fed=fed)
    hearing.say_patterns(text)
    words: list[Word] = []
    at = 0
    for item in argv:
        words.append(
            Word(item.replace(UNKNOWN, "\N{REPLACEMENT CHARACTER}"), at, at + len(item), quoted=True)
        )
        at += len(item) + 1
    if UNKNOWN in text:
        hearing.judged.append(Judged(text, "", "deny", "malformed", "an argument holds a NUL", 0, len(text)))
    commands = (SimpleCommand(tuple(words), (), (), 0, len(text)),) if words else ()
    _hear_commands(hearing, text, Scan(commands), _here, 0, "")
    return hearing.verdict(text)


def _here(start: int, end: int) -> Span:
    return start, end


def _hear(hearing: Hearing, text: str, shell: str, place: Callable[[int, int], Span], depth: int) -> None:
    """A text: scan it, then hear every command in it."""
    scan = scan_for(text, shell)
    refusal = scan.refusal
    if refusal is not None:
        start, end = place(refusal.start, refusal.end)
        shown = text[refusal.start : refusal.end]
        hint = refusal.hint or PLAINER
        hearing.judged.append(Judged(shown, "", "deny", "not understood", refusal.reason, start, end, hint))
    _hear_commands(hearing, text, scan, place, depth, shell)


def _hear_commands(  # noqa: PLR0913, PLR0917 - the text and its circumstances
    hearing: Hearing, text: str, scan: Scan, place: Callable[[int, int], Span], depth: int, shell: str
) -> None:
    """The simple commands that a scanner found."""
    context = Context(text, scan, shell)
    for item in (*scan.unresolved, *_evaluations(hearing, scan, context)):
        start, end = place(item.start, item.end)
        shown = text[item.start : item.end]
        said = Judged(shown, "", hearing.doubt, "not resolvable", item.reason, start, end, item.hint)
        hearing.judged.append(said)
    if not depth:
        hearing.enter(scan.commands)
    hearing.heard += len(scan.commands)
    if hearing.heard > _MOST_COMMANDS:
        hearing.judged.append(_too_many(text))
        return
    _hear_definitions(hearing, text, scan, place)
    part = Part(hearing, text, context, place)
    functions = {} if _forgets_functions(scan) else dict(scan.functions)
    # What is refused is denied already; a few of its commands are judged for the explanation.
    commands = scan.commands if scan.refusal is None else scan.commands[:_MOST_SHOWN]
    for index, command in enumerate(commands):
        known = functions.get(command.words[0].text) if command.words else None
        defined = known is not None and index >= known
        readings = context.readings(command)
        hearing.remembers = hearing.remembers and not _has_foreign_values(readings)
        for reading in readings:
            for script in part.judge(reading, defined=defined):
                _hear_script(hearing, script, place, depth)
    if not scan.commands and scan.refusal is None and hearing.policy.mode != "open":
        hearing.judged.append(Judged(text, "", "deny", "empty", "there is no command in it", 0, len(text)))


def _too_many(text: str) -> Judged:
    reason = f"more than {_MOST_COMMANDS} commands"
    return Judged("", "", "deny", "not understood", reason, 0, len(text), "run it as several commands")


def _evaluations(hearing: Hearing, scan: Scan, context: Context) -> Iterator[Refusal]:
    """Values that arithmetic would evaluate and that are not proven to be numbers.

    Without an allowlist this is only a matter where the text itself, or a variable of the call, holds
    something that could run.
    """
    strict = hearing.policy.mode == "allowlist" or scan.hostile
    for item in scan.evaluated:
        name = item.word.expansions[0].name
        if not strict and hearing.environment.get(name, "0").isdecimal():
            continue
        if not context.is_number(item.word, item.at):
            shown = f"`{name}`" if name else "this value"
            reason = f"arithmetic evaluates {shown}, which is not proven to be a number"
            hint = f"assign a number to {name} in the same command, before this" if name else "use a number"
            yield Refusal(reason, item.word.start, item.word.end, hint)


def _has_foreign_values(readings: list[SimpleCommand]) -> bool:
    """A value from elsewhere may be another one next time: a person's yes is for this one."""
    return any(
        expansion.kind not in {"process", "file"} and expansion.shape == "any"
        for reading in readings
        for word in reading.words
        for expansion in word.expansions
    )


def _hear_definitions(hearing: Hearing, text: str, scan: Scan, place: Callable[[int, int], Span]) -> None:
    """A function that takes the name of something known gives later commands another meaning."""
    if hearing.policy.mode != "allowlist":
        return
    for name, first, last in scan.definitions:
        if has_meaning(name):
            reason = f"a function named `{name}` changes what `{name}` means from now on"
            span = place(first, last)
            hint = "give the function a name of its own"
            said = Judged(text[first:last], name, "deny", "functions", reason, *span, hint)
            hearing.judged.append(said)


def _forgets_functions(scan: Scan) -> bool:
    """Whether a text takes functions away again, so that their names may mean programs."""
    first_words = [{word.text for word in command.words[:4]} for command in scan.commands]
    return any({"unset", "unfunction"} & words for words in first_words)


def _hear_script(hearing: Hearing, script: Script, place: Callable[[int, int], Span], depth: int) -> None:
    """A text inside a text; its parts are shown where they stand, if its characters are the source's."""
    if depth >= MAX_SCRIPT_DEPTH:
        span = place(script.start, script.end)
        reason = "too many shells inside shells"
        hearing.judged.append(Judged(script.text, "", "deny", "not understood", reason, *span))
        return

    def inner(start: int, end: int) -> Span:
        if script.exact:
            return place(start + script.start + 1, end + script.start + 1)
        return place(script.start, script.end)

    _hear(hearing, script.text, script.shell, inner, depth + 1)
