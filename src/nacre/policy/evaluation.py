"""The verdict about a text: scan it, check every simple command in it, and keep the strictest finding.

Above: the gate, `corpus` and `learn`. Below: the scanners (what is in the text), `check` (one command against
the rules), `findings` (the results so far). It runs nothing, asks nobody, and reads the file system only
through `paths`.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import posix
from nacre.policy.check import CommandCheck
from nacre.policy.command_input import feeds
from nacre.policy.findings import WINDOWS, Findings, entered_apart, may_change_directory
from nacre.policy.grammar import OTHER_SCANNERS, behind_prefixes
from nacre.policy.keyed_arrays import list_names, objections_to_keys
from nacre.policy.model import UNKNOWN, Definition, Finding, Refusal, Scan, SimpleCommand, Verdict, Word
from nacre.policy.patterns import regex
from nacre.policy.programs import has_meaning
from nacre.policy.redirection_check import moves_output
from nacre.policy.refusal import PLAINER
from nacre.policy.values import Context
from nacre.policy.variable_check import exported_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from nacre.policy.check import Inspected
    from nacre.policy.effects import Script
    from nacre.policy.findings import Span
    from nacre.policy.rules import Policy

MAX_SCRIPT_DEPTH = 8
_MOST_SHOWN = 20
_MOST_REMEMBERED = 400  # characters
_LIVE = regex(r"[$`\[]")  # what a value must hold to run something where it is evaluated
# Functions of zsh's hooks and traps, handlers, and (with a dot) those that ksh calls for a variable.
_CALLED_BY_SHELLS = regex(
    r"TRAP[A-Z0-9+]+|chpwd|precmd|preexec|periodic|zsh.*|command_not_found_handler?|.*\..*|.*_functions|fish_.*"
)
# What is kept of a text beside names: that it takes functions away. (`trap f` is kept where a trap calls f.)
_FORGETS = "forgets functions"
_OWN_NAME = "give the function a name of its own"
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
    typed: bool = False,
    given: str = "",
    environment: Mapping[str, str] | None = None,
    inherited: Collection[str] = (),
    kept: Collection[str] = (),
) -> Verdict:
    """The verdict about a text for a shell; `fed`: it is given something to read; `typed`: while it runs."""
    if shell != "bash":
        shell = shell.replace("\\", "/").rpartition("/")[2].casefold().removesuffix(".exe")
    findings = Findings(
        policy,
        shell,
        cwd,
        fed=fed,
        typed=typed,
        given=given,
        environment=environment,
        inherited=inherited,
        kept=kept,
    )
    findings.check_patterns(text)
    _check_text(findings, text, shell, _here, 0)
    return findings.verdict(text)


def changes_directory(text: str, shell: str) -> bool:
    """Whether a text has a command that may go to another directory."""
    return _read(text, shell).changes_directory


def judge_argv(
    argv: Sequence[str], policy: Policy, *, cwd: str | None = None, fed: bool = False, typed: bool = False
) -> Verdict:
    """The verdict about a program that is started without a shell: every argument is literal."""
    text = " ".join(argv)
    findings = Findings(policy, "bash", cwd, fed=fed, typed=typed)
    findings.check_patterns(text)
    words: list[Word] = []
    at = 0
    for item in argv:
        known = item.replace(UNKNOWN, "\N{REPLACEMENT CHARACTER}")
        # A program below the home directory is given by the name that rules have for it.
        words.append(Word(known, at, at + len(item), quoted=True, tilde=not at and item.startswith("~/")))
        at += len(item) + 1
    if UNKNOWN in text:
        findings.add(Finding(text, "", "deny", "malformed", "an argument holds a NUL", 0, len(text)))
    commands = (SimpleCommand(tuple(words), (), (), 0, len(text)),) if words else ()
    _check_commands(findings, _Reading(text, Scan(commands), ""), _here, 0)
    return findings.verdict(text)


def _here(start: int, end: int) -> Span:
    return start, end


def _check_text(
    findings: Findings, text: str, shell: str, place: Callable[[int, int], Span], depth: int
) -> None:
    """A text: scan it, then check every command in it."""
    plain = len(text) <= _MOST_REMEMBERED and "$" not in text and "`" not in text
    reading = _remembered(text, shell) if plain else _read(text, shell)
    if plain and reading.scan.keyed:
        plain, reading = False, _read(text, shell)  # what is left from before matters to it
    # A text inside a text meets what the one around it has left, too.
    left = frozenset({*findings.kept_before, *findings.kept})
    findings.kept.update(reading.lists)
    reading.context.distrust(name[1:] for name in left if name.startswith("$"))
    if reading.context.associative:
        findings.kept.update(f"${name}" for name in reading.context.associative)
    if not plain and findings.kept_before:
        _distrust(reading, findings.kept_before)
    if not plain and _may_be_called_later(reading.scan, findings.policy):
        reading.context.distrust_inside(reading.scan.definitions)
    refusal = reading.scan.refusal
    if refusal is not None:
        start, end = place(refusal.start, refusal.end)
        shown = text[refusal.start : refusal.end]
        hint = refusal.hint or PLAINER
        findings.add(Finding(shown, "", "deny", "not understood", refusal.reason, start, end, hint))
    _check_commands(findings, reading, place, depth, left)


class _Reading:
    """A text as its shell reads it, and the effects of its commands, computed on demand."""

    __slots__ = (
        *("changes_directory", "context", "exports", "feeds", "inspected", "lists", "moves_output", "scan"),
    )

    def __init__(self, text: str, scan: Scan, shell: str) -> None:
        self.scan = scan
        self.context = Context(text, scan, shell)
        self.inspected: Inspected = {}
        self.changes_directory = may_change_directory(scan.commands)
        self.feeds = feeds(scan.commands, text, windows=shell in WINDOWS)
        self.moves_output = any(
            moves_output(item) for command in scan.commands for item in command.redirections
        )
        self.exports = exported_names(scan.commands)
        self.lists = (
            frozenset(f"@{name}" for name in list_names(scan)) if shell == "bash" else frozenset[str]()
        )


def _read(text: str, shell: str) -> _Reading:
    return _Reading(text, scan_for(text, shell), shell)


# Agents run the same few commands again and again. What a text says depends on the text and the shell alone,
# and without expansions a context does not change. Rules, files and variables are looked at each time.
_remembered = functools.lru_cache(maxsize=64)(_read)


def _distrust(reading: _Reading, kept: Collection[str]) -> None:
    """What earlier commands have left can give variables other values than this text does."""
    if _may_call(reading, kept):
        reading.context.forget()


def _may_call(reading: _Reading, kept: Collection[str]) -> bool:
    """Whether a function or trap that was left by an earlier command may run among these commands."""
    return (
        "trap" in kept
        or any(
            word.text in kept
            for command in reading.scan.commands
            for meant in reading.context.readings(command)  # its name may be a value
            for word in meant.words[:1]
        )
    )


def _may_be_called_later(scan: Scan, policy: Policy) -> bool:
    """Whether a rule admits the name of a function: a later command may call it, with other values around."""
    rules = (*policy.allows, *policy.asks)
    return any(rule.admits_name(definition.name) for definition in scan.definitions for rule in rules)


def _check_commands(
    findings: Findings,
    reading: _Reading,
    place: Callable[[int, int], Span],
    depth: int,
    left: Collection[str] = (),
) -> None:
    """The simple commands that a scanner found; `left`: what texts before and around it have defined."""
    scan, context = reading.scan, reading.context
    text = context.source
    _add_objections(findings, text, _objections(findings, scan, context, left), place)
    known_numbers = _numbers(findings)
    findings.texts.append(text)
    if not depth:
        findings.source, findings.commands = text, scan.commands
        findings.start_in_directory(text)
    apart = entered_apart(scan, text) if reading.changes_directory and not depth else ()
    if reading.changes_directory:
        findings.enters_apart = bool(apart)
        findings.enter_directories(
            [meant for command in scan.commands for meant in context.readings(command)]
        )
    findings.fed = findings.fed or reading.feeds
    findings.outputs_moved = findings.outputs_moved or reading.moves_output
    findings.exports |= reading.exports
    findings.command_count += len(scan.commands)
    if findings.command_count > _MOST_COMMANDS:
        findings.add(_too_many(text))
        return
    _check_definitions(findings, text, scan, place)
    check = CommandCheck(findings, context, place, reading.inspected)
    forgets = _forgets_functions(scan)
    if forgets:
        _note_forgetting(findings, place(0, len(text)))
    functions = dict(scan.functions) if scan.functions and not forgets else {}
    closed = bool(functions) and not _may_be_called_later(scan, findings.policy)
    # What is refused is denied already; a few of its commands are checked for the explanation.
    commands = scan.commands if scan.refusal is None else scan.commands[:_MOST_SHOWN]
    for index, command in enumerate(commands):
        known = functions.get(command.words[0].text) if command.words else None
        defined = known is not None and (
            index >= known or (closed and _runs_behind(known, command, scan, context))
        )
        readings = context.readings(command)
        findings.enters_apart = command.start in apart
        findings.rememberable = findings.rememberable and not _has_foreign_values(command, readings)
        for meant in readings:
            for script in check.run(meant, defined=defined):
                called = functions.get(script.text, index + 1) <= index if script.later else False
                kept = _body_of(script, context, scan, findings) if called else script
                _check_script(findings, kept, place, depth)
    if not depth and _numbers(findings) != known_numbers:  # a trap may make a number of a variable
        _add_objections(findings, text, _as_numbers(findings, context, _numbers(findings)), place)
    if not scan.commands and scan.refusal is None and findings.policy.mode != "open":
        findings.add(Finding(text, "", "deny", "empty", "there is no command in it", 0, len(text)))


def _add_objections(
    findings: Findings, text: str, objections: Iterable[Refusal], place: Callable[[int, int], Span]
) -> None:
    for item in objections:
        start, end = place(item.start, item.end)
        shown = text[item.start : item.end]
        found = Finding(
            shown, "", findings.when_unknown, "not resolvable", item.reason, start, end, item.hint
        )
        findings.add(found)


def _runs_behind(first: int, command: SimpleCommand, scan: Scan, context: Context) -> bool:
    """`main() { helper; }; helper() { ls; }; main`: it stands in a function that is only called later.

    `first` is the first command that runs after the helper is there.
    """
    at = scan.commands[first].start if first < len(scan.commands) else len(context.source)
    return context.is_called_only(command.start, lambda place: place >= at)


def _too_many(text: str) -> Finding:
    reason = f"more than {_MOST_COMMANDS} commands"
    return Finding("", "", "deny", "not understood", reason, 0, len(text), "run it as several commands")


def _objections(findings: Findings, scan: Scan, context: Context, left: Collection[str]) -> Iterable[Refusal]:
    """What is understood, but only decided when it runs."""
    if not scan.unresolved and not scan.evaluated and not scan.keyed and context.shell != "zsh":
        return ()
    return (
        *scan.unresolved,
        *objections_to_keys(scan, context, left),
        *_evaluations(findings, scan, context),
        *_as_numbers(findings, context, left),
        *_null_commands(scan, context),
    )


def _evaluations(findings: Findings, scan: Scan, context: Context) -> Iterator[Refusal]:
    """Values that arithmetic would evaluate and that are not proven to be numbers.

    Without an allowlist this is only a matter where the text itself, or a variable of the call, holds
    something that could run.
    """
    strict = findings.policy.mode == "allowlist" or scan.hostile
    for item in scan.evaluated:
        name = item.word.expansions[0].name
        if not strict and not _may_run(name, findings.environment):
            continue
        if not context.is_number(item.word, item.at):
            shown = f"`{name}`" if name else "this value"
            reason = f"arithmetic evaluates {shown}, which is not proven to be a number"
            hint = f"assign a number to {name} in the same command, before this" if name else "use a number"
            yield Refusal(reason, item.word.start, item.word.end, hint)


def _as_numbers(findings: Findings, context: Context, left: Collection[str]) -> Iterator[Refusal]:
    """In zsh a variable that arithmetic has assigned stays a number: what it is given then is evaluated."""
    if context.shell != "zsh":
        return
    names = context.integers()
    findings.kept.update(f"#{name}" for name in names)
    names |= {name[1:] for name in left if name.startswith("#")}
    for item in context.unproven_numbers(names):
        reason = f"zsh evaluates what `{item.name}` is given, which arithmetic has made a number"
        yield Refusal(reason, item.start, item.end, "use a variable with another name")


def _numbers(findings: Findings) -> set[str]:
    return {name for name in findings.kept if name.startswith("#")}


def _null_commands(scan: Scan, context: Context) -> Iterator[Refusal]:
    """`x=; $x < file`: for a command that has become nothing but redirections, zsh runs a pager or `cat`."""
    for command in scan.commands if context.shell == "zsh" else ():
        named_later = any(word.expansions for word in command.words[:1])
        if command.redirections and named_later and not all(m.words for m in context.readings(command)):
            reason = "zsh runs a program of its own where a command becomes a bare redirection"
            yield Refusal(reason, command.start, command.end, "write `cat < file`")


def _may_run(name: str, environment: Mapping[str, str]) -> bool:
    """Whether arithmetic could come to a variable of the call that runs something: by its name, or by any."""
    if name:
        return not environment.get(name, "0").isdecimal()
    return any(_LIVE.search(value) for value in environment.values())


def _has_foreign_values(command: SimpleCommand, readings: list[SimpleCommand]) -> bool:
    """A value from elsewhere may be another one next time: a person's yes is for this one."""
    if len(readings) == 1 and readings[0] is command:
        return False  # there is nothing in it that the shell fills in
    return any(
        expansion.kind not in {"process", "file"} and expansion.shape == "any"
        for reading in readings
        for word in reading.words
        for expansion in word.expansions
    )


def _check_definitions(findings: Findings, text: str, scan: Scan, place: Callable[[int, int], Span]) -> None:
    """A function that takes the name of something known gives later commands another meaning."""
    if not scan.definitions or findings.policy.mode != "allowlist":
        return
    for definition in scan.definitions:
        findings.kept.add(definition.name)
        reason, hint = _objection_to(definition, scan, fenced=findings.fence is not None)
        if f"trap {definition.name}" in findings.kept_before:
            reason, hint = "a trap of an earlier command calls this function", _OWN_NAME
        if reason:
            span = place(definition.start, definition.head_end)
            shown = text[definition.start : definition.head_end]
            findings.add(Finding(shown, definition.name, "deny", "functions", reason, *span, hint))


def _objection_to(definition: Definition, scan: Scan, *, fenced: bool) -> tuple[str, str]:
    """Why a function may not be defined, and what to do instead; nothing if it may."""
    name, hint = definition.name, _OWN_NAME
    if has_meaning(name):
        return f"a function named `{name}` changes what `{name}` means from now on", hint
    if _CALLED_BY_SHELLS.fullmatch(name):
        return f"some shells call a function named `{name}` by themselves", hint
    if fenced and _changes_directory(scan, definition):
        reason = "later commands can call this function, which changes the directory"
        return reason, "change the directory outside of the function"
    return "", ""


def _changes_directory(scan: Scan, definition: Definition) -> bool:
    """Whether a function has a command that goes to another directory."""
    inside = (command for command in scan.commands if definition.start <= command.start < definition.end)
    return any(word.text in {"cd", "pushd", "popd", "chdir"} for command in inside for word in command.words)


def _body_of(script: Script, context: Context, scan: Scan, findings: Findings) -> Script:
    """`trap f EXIT`: what runs later is the body of f, whatever variables hold then."""
    found = [definition for definition in scan.definitions if definition.name == script.text]
    if len(found) != 1 or _FORGETS in {*findings.kept, *findings.kept_before}:
        return script  # which of them it will be, or whether it will be there, is not followed
    start, end = found[0].head_end, found[0].end
    findings.kept.add(f"trap {script.text}")
    return replace(script, text=context.source[start:end], start=start - 1, end=end, exact=True)


def _forgets_functions(scan: Scan) -> bool:
    """Whether a text takes functions away again, so that their names may mean programs."""
    called = (behind_prefixes(command.words)[:1] for command in scan.commands)
    return any(word.text in {"unset", "unfunction"} for words in called for word in words)


def _note_forgetting(findings: Findings, span: Span) -> None:
    """A name that a trap calls must stay a function's; `unset x` takes a function away, too."""
    findings.kept.add(_FORGETS)
    if any(name.startswith("trap ") for name in {*findings.kept, *findings.kept_before}):
        reason = "it may take away a function that a trap calls"
        hint = "write the function's commands here instead of its name"
        findings.add(Finding("", "unset", findings.when_unknown, "functions", reason, *span, hint))


def _check_script(findings: Findings, script: Script, place: Callable[[int, int], Span], depth: int) -> None:
    """A text inside a text; its parts are shown where they stand, if its characters are the source's."""
    if depth >= MAX_SCRIPT_DEPTH:
        span = place(script.start, script.end)
        reason = "too many shells inside shells"
        findings.add(Finding(script.text, "", "deny", "not understood", reason, *span))
        return

    if script.among_others:
        findings.kept.add("trap")
    if script.later:
        findings.directory_is_known = False
        if findings.fence is not None:
            span = place(script.start, script.end)
            reason = "this text runs later, in a directory that is only known then"
            hint = "run the command at the end instead"
            findings.add(
                Finding(script.text, "", findings.when_unknown, "allowed_directories", reason, *span, hint)
            )

    def inner(start: int, end: int) -> Span:
        if script.exact:
            return place(start + script.start + 1, end + script.start + 1)
        return place(script.start, script.end)

    _check_text(findings, script.text, script.shell, inner, depth + 1)
