"""The verdict: every simple command of a text, held against every rule, and the strictest answer wins.

Above: the service, `explain`, `corpus` and `learn`. Below: the scanners (what is in the text), `programs`
(what it amounts to), `rules` (what a person wrote), `paths` (where it may reach). This module decides, and
does nothing else: it runs nothing, asks nobody, and reads the file system only through `paths`.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from nacre.policy import posix, tables
from nacre.policy.dialect import DIALECTS
from nacre.policy.effects import (
    FREE_TARGETS,
    Effect,
    Inspection,
    Script,
    Step,
    base_name,
    is_dangerous_variable,
)
from nacre.policy.model import (
    UNKNOWN,
    Assignment,
    Decision,
    Judged,
    Redirection,
    Scan,
    SimpleCommand,
    Verdict,
    Word,
    names,
    strictness,
)
from nacre.policy.paths import Fence, joined
from nacre.policy.programs import inspect
from nacre.policy.values import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.rules import Policy, Rule

MAX_SCRIPT_DEPTH = 8
_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>"})
_NETWORK = re.compile(r"/+dev/+(?:tcp|udp)(?:/|\Z)")
_DESCRIPTOR = re.compile(r"[0-9]+-?\Z|-\Z")
_WINDOWS = frozenset({"cmd", "powershell", "pwsh"})
# Shells that are rarer than the POSIX ones: their scanners are imported when they are needed.
_OTHERS = {
    "cmd": ("nacre.policy.cmd", "scan"),
    "powershell": ("nacre.policy.powershell", "scan"),
    "pwsh": ("nacre.policy.powershell", "scan"),
    "fish": ("nacre.policy.fish", "scan"),
    "nu": ("nacre.policy.fish", "scan_nu"),
    "nushell": ("nacre.policy.fish", "scan_nu"),
}
# Names that mean something else on Windows than in the tables of POSIX programs.
_NOT_POSIX = names("find sort more date time set type tree label exec command . sc start cd echo cmd where")

ALLOWED = "allowed"


def scan_for(text: str, shell: str) -> Scan:
    """The scanner that belongs to a shell; an unknown shell is a refusal."""
    other = _OTHERS.get(shell)
    if other is None:
        return posix.scan(text, shell)
    scanner: Callable[[str], Scan] = getattr(importlib.import_module(other[0]), other[1])
    return scanner(text)


def judge(text: str, policy: Policy, *, shell: str = "bash", cwd: str | None = None) -> Verdict:
    """The verdict about a text that a shell is to run."""
    court = _Court(policy, shell, cwd)
    court.hear_patterns(text)
    court.hear(text, shell, lambda start, end: (start, end), 0)
    return court.verdict(text)


def judge_argv(argv: Sequence[str], policy: Policy, *, cwd: str | None = None) -> Verdict:
    """The verdict about a program that is started without a shell: every argument is literal."""
    text = " ".join(argv)
    court = _Court(policy, "bash", cwd)
    court.hear_patterns(text)
    words: list[Word] = []
    at = 0
    for item in argv:
        words.append(Word(item.replace(UNKNOWN, "\ufffd"), at, at + len(item), quoted=True))
        at += len(item) + 1
    if any(UNKNOWN in item for item in argv):
        court.add("deny", "malformed", "an argument holds a NUL", 0, len(text), text)
    if words:
        command = SimpleCommand(tuple(words), (), (), 0, len(text))
        court.hear_commands(text, Scan((command,)), lambda start, end: (start, end), 0)
    return court.verdict(text)


class _Court:
    """One hearing: collects what is said about every part of a text."""

    def __init__(self, policy: Policy, shell: str, cwd: str | None) -> None:
        self.policy = policy
        self.shell = shell
        self.cwd = cwd
        self.windows = shell in _WINDOWS
        self.judged: list[Judged] = []
        self.remembers = True
        self.directories: list[str] = []
        self.fence = Fence(policy.allowed_directories) if policy.allowed_directories else None
        # What cannot be resolved is denied under an allowlist and asked about otherwise.
        self.doubt: Decision = "deny" if policy.mode == "allowlist" else "ask"

    # -- hearing -------------------------------------------------------------------------------------------

    def add(  # noqa: PLR0913 - the fields of a judged part
        self,
        decision: Decision,
        rule: str,
        reason: str,
        start: int,
        end: int,
        text: str,
        name: str = "",
        hint: str = "",
        via: tuple[str, ...] = (),
    ) -> None:
        """Write down what is said about one part."""
        self.judged.append(Judged(text, name, decision, rule, reason, start, end, hint, via))

    def hear_patterns(self, text: str) -> None:
        """Regular expressions over the whole text."""
        for rule in self.policy.text_rules:
            found = rule.pattern.search(text)
            if found is not None:
                reason = rule.reason or "the text matches a pattern"
                self.add(
                    rule.decision, rule.pattern.pattern, reason, found.start(), found.end(), found.group()
                )

    def hear(self, text: str, shell: str, place: Callable[[int, int], tuple[int, int]], depth: int) -> None:
        """A text: scan it, then hear every command in it."""
        scan = scan_for(text, shell)
        if scan.refusal is not None:
            start, end = place(scan.refusal.start, scan.refusal.end)
            hint = "write it in a plainer way, or as several commands"
            self.add(
                "deny",
                "not understood",
                scan.refusal.reason,
                start,
                end,
                text[scan.refusal.start : scan.refusal.end],
                hint=hint,
            )
        self.hear_commands(text, scan, place, depth)

    def hear_commands(
        self, text: str, scan: Scan, place: Callable[[int, int], tuple[int, int]], depth: int
    ) -> None:
        """The simple commands that a scanner found."""
        context = Context.of(text, scan.commands)
        for item in scan.unresolved:
            start, end = place(item.start, item.end)
            self.add(self.doubt, "not resolvable", item.reason, start, end, text[item.start : item.end])
        if self.fence is not None and not depth:
            self._enter(context)
        functions = dict(scan.functions)
        for index, command in enumerate(scan.commands):
            part = _Part(self, text, context, place, depth)
            for assignment in command.assignments:
                part.assignment(assignment, command)
            for redirection in command.redirections:
                part.redirection(redirection)
            if command.words:
                known = functions.get(command.words[0].text)
                part.command(command.words, defined=known is not None and index >= known)
        if not scan.commands and scan.refusal is None and self.policy.mode != "open":
            self.add("deny", "empty", "there is no command in it", 0, len(text), text)

    def _enter(self, context: Context) -> None:
        """The working directory, and every directory that the text changes to."""
        assert self.fence is not None  # noqa: S101 - the caller has looked
        start = self.cwd or "."
        if not self.fence.holds(start, start):
            roots = ", ".join(self.policy.allowed_directories)
            self.add(
                "deny", "allowed_directories", f"the working directory is outside of {roots}", 0, 0, start
            )
        self.directories = [start]
        for command in context.commands:
            if len(command.words) > 1 and command.words[0].text in {"cd", "pushd"}:
                target = next((w for w in command.words[1:] if not w.text.startswith("-")), None)
                if target is not None and not target.dynamic:
                    self.directories.append(joined(start, self.fence.expanded(target.text)))

    # -- the end -------------------------------------------------------------------------------------------

    def verdict(self, text: str) -> Verdict:
        """The strictest of all that was said."""
        judged = tuple(self.judged)
        if not judged:
            return Verdict("allow", ALLOWED, "nothing in it needs a rule", 0, len(text))
        worst = max(judged, key=lambda item: strictness(item.decision))
        remembers = worst.decision == "ask" and self.remembers
        reason = (
            worst.reason if worst.decision != "allow" or len(judged) == 1 else "every part of it is allowed"
        )
        start, end = (worst.start, worst.end) if worst.decision != "allow" else (0, len(text))
        return Verdict(worst.decision, worst.rule, reason, start, end, worst.hint, judged, remembers)


class _Part:
    """One simple command before the court."""

    def __init__(
        self,
        court: _Court,
        text: str,
        context: Context,
        place: Callable[[int, int], tuple[int, int]],
        depth: int,
    ) -> None:
        self.court = court
        self.policy = court.policy
        self.text = text
        self.context = context
        self.place = place
        self.depth = depth

    def say(  # noqa: PLR0913 - the fields of a judged part
        self,
        decision: Decision,
        rule: str,
        reason: str,
        start: int,
        end: int,
        name: str = "",
        hint: str = "",
        via: tuple[str, ...] = (),
    ) -> None:
        """Write down an answer, at its place in the text that the person wrote."""
        outer_start, outer_end = self.place(start, end)
        self.court.add(decision, rule, reason, outer_start, outer_end, self.text[start:end], name, hint, via)

    # -- assignments and redirections ----------------------------------------------------------------------

    def assignment(self, assignment: Assignment, command: SimpleCommand) -> None:
        """`NAME=value` before a command or alone."""
        if assignment.name == "IFS" and command.words and command.words[0].text == "read":
            return  # the idiom `IFS= read -r line` changes nothing but how this one line is split
        self.variable(assignment.name, assignment.start, assignment.end)

    def variable(self, name: str, start: int, end: int) -> None:
        """A variable gets a value."""
        if self.policy.mode == "open" or not is_dangerous_variable(name):
            return
        reason = f"the variable {name} changes what runs or how"
        self.say("deny", "variables", reason, start, end, name, "leave the assignment out")

    def redirection(self, redirection: Redirection) -> None:
        """One redirection: writes need permission, the network is never a file."""
        target = redirection.target
        if target is None or redirection.operator == "<<<":
            return
        texts = self.context.candidates(target) or [target.text]
        start, end = redirection.start, redirection.end
        if any(_NETWORK.match(text) for text in texts):
            self.say("deny", "network", "the shell opens a network connection for this file name", start, end)
            return
        duplicates = redirection.operator in {">&", "<&"} and all(_DESCRIPTOR.match(text) for text in texts)
        if duplicates or (target.literal and target.text in FREE_TARGETS - {"-"}):
            return
        if redirection.operator in _WRITES or redirection.operator == ">&":
            self.write(f"`{redirection.operator}` writes a file", start, end)
        if not (
            redirection.operator == "<&" or (target.expansions and target.expansions[0].kind == "process")
        ):
            self.path(target)

    def write(self, reason: str, start: int, end: int) -> None:
        """Something writes a file."""
        if not self.policy.allow_writes:
            hint = "print the text instead, or ask a person to set allow_writes"
            self.say("deny", "allow_writes", reason, start, end, hint=hint)

    def path(self, word: Word) -> None:
        """A path that will be opened must stay inside the allowed directories."""
        court = self.court
        if court.fence is None:
            return
        roots = ", ".join(self.policy.allowed_directories)
        texts = self.context.candidates(word)
        if texts is None:
            self.say(
                court.doubt,
                "allowed_directories",
                f"this path is only known when it runs; allowed: {roots}",
                word.start,
                word.end,
            )
            return
        climbs = len(court.directories) > 1 and any(".." in text.split("/") for text in texts)
        holds = court.fence.holds_pattern if word.pattern or word.braces else court.fence.holds
        if climbs or not all(holds(text, directory) for text in texts for directory in court.directories):
            self.say(
                "deny",
                "allowed_directories",
                f"this path is outside of {roots}",
                word.start,
                word.end,
                hint=f"stay inside {roots}",
            )

    # -- commands ------------------------------------------------------------------------------------------

    def command(self, words: Sequence[Word], *, defined: bool) -> None:
        """A command with a name, seen through all wrappers."""
        if self.court.windows:
            self._windows_effects(words)
        found = self._look_through(words)
        via: tuple[str, ...] = ()
        for position, step in enumerate(found.steps):
            self._step(step, via, defined=defined and position == 0)
            if step.role != "command":
                via += (step.words[0].text,)
        for name, word in found.assigned:
            self.variable(name, word.start, word.end)
        for script in found.scripts:
            self._script(script)

    def _look_through(self, words: Sequence[Word]) -> Inspection:
        """What a command amounts to. On Windows, names are known without case and suffix, some mean other programs."""
        word = words[0]
        if not self.court.windows or not word.literal or re.search(r"[\\/:]", word.text):
            return inspect(words, self.context)
        name = re.sub(r"\.(?:exe|cmd|bat|com)\Z", "", word.text.casefold())
        known = (word.with_text(name), *words[1:])
        if name in _NOT_POSIX or name in tables.POWERSHELL_ALIASES:
            return Inspection([Step(known, "command", (), known)])
        return inspect(known, self.context)

    def _windows_effects(self, words: Sequence[Word]) -> None:
        """Commands of cmd.exe and PowerShell that run text, load code or rename things."""
        word = words[0]
        name = re.sub(r"\.(?:exe|com)\Z", "", re.split(r"[\\/]", word.text.casefold())[-1])
        name = tables.POWERSHELL_ALIASES.get(name, name) if self.court.shell != "cmd" else name
        reason = tables.WINDOWS_UNRESOLVABLE.get(name)
        if name == "foreach-object" and any(not w.dynamic and not w.text.startswith("-") for w in words[1:]):
            reason = "calls a method by its name"
        if name == "cmd" or reason is not None:
            self.say(
                self.court.doubt,
                "not resolvable",
                f"`{word.text}` {reason or 'runs its arguments'}",
                word.start,
                word.end,
                name,
            )

    def _script(self, script: Script) -> None:
        if self.depth >= MAX_SCRIPT_DEPTH:
            self.say("deny", "not understood", "too many shells inside shells", script.start, script.end)
            return
        if script.exact:
            base = script.start + 1

            def place(start: int, end: int) -> tuple[int, int]:
                return self.place(start + base, end + base)
        else:

            def place(start: int, end: int) -> tuple[int, int]:  # noqa: ARG001 - the whole stands for its parts
                return self.place(script.start, script.end)

        self.court.hear(script.text, script.shell, place, self.depth + 1)

    def _step(self, step: Step, via: tuple[str, ...], *, defined: bool) -> None:
        word = step.words[0]
        name = word.text.replace(UNKNOWN, "...")
        start, end = word.start, step.words[-1].end
        end = max(end, start)
        self.court.remembers = self.court.remembers and step.remembers
        said = len(self.court.judged)
        known = not (word.dynamic or word.pattern or word.braces)
        if known:
            self._denied(step, name, start, end, via)
        rule = self._permitting(step, name) if known else None
        self._effects(step, rule, name)
        if self.court.fence is not None:
            self._paths(step)
        if len(self.court.judged) > said and any(
            item.decision != "allow" for item in self.court.judged[said:]
        ):
            return
        self._permit(step, rule, name, start, end, via, defined=defined, known=known)

    def _permit(  # noqa: PLR0913 - what is known about the step
        self,
        step: Step,
        rule: Rule | None,
        name: str,
        start: int,
        end: int,
        via: tuple[str, ...],
        *,
        defined: bool,
        known: bool,
    ) -> None:
        """Nothing spoke against the step: does anything speak for it?"""
        if step.role == "wrapper":
            return
        if rule is not None:
            reason = rule.reason or (
                "a person must say yes to it" if rule.decision == "ask" else "a rule allows it"
            )
            self.say(rule.decision, rule.text, reason, start, end, name, via=via)
        elif defined:
            self.say("allow", "function", "a function of this very text", start, end, name, via=via)
        elif self.policy.mode == "open" and known:
            self.say("allow", ALLOWED, "no rule forbids it", start, end, name, via=via)
        else:
            self.say(
                "deny", "allowlist", self._not_allowed(step, name), start, end, name, self._hint(name), via
            )

    def _not_allowed(self, step: Step, name: str) -> str:
        """Why no rule allowed it; with a list of first arguments, in that list's words."""
        for rule in self.policy.allows_by_glob:
            if rule.first_arguments and rule.admits_name(name, fold=True) and len(step.words) > 1:
                return f"Command '{name}' with argument '{step.words[1].text}' not allowed"
        return f"Command '{name}' not allowed"

    def _hint(self, name: str) -> str:
        """The nearest thing that would be allowed."""
        base = base_name(name)
        same = [
            rule.text
            for rule in self.policy.allows
            if rule.name == base or rule.name.casefold() == base.casefold()
        ]
        if same:
            return "allowed here: " + ", ".join(same[:6])
        near = [rule.text for rule in self.policy.allows if rule.name[:2] == base[:2]]
        names = near or [rule.text for rule in self.policy.allows]
        return "allowed here: " + ", ".join(names[:6]) + (", ..." if len(names) > 6 else "") if names else ""  # noqa: PLR2004

    # -- rules ---------------------------------------------------------------------------------------------

    def _denied(self, step: Step, name: str, start: int, end: int, via: tuple[str, ...]) -> None:
        arguments = step.words[1:]
        names = [name]
        if self.court.shell in {"powershell", "pwsh"}:
            names.append(tables.POWERSHELL_ALIASES.get(name.casefold(), name))
        for rule in self.policy.denies:
            if not any(rule.forbids_name(item) for item in names) or not rule.holds_in(self.court.cwd):
                continue
            hit = rule.forbids_arguments(arguments)
            if hit is None:
                reason = f"its arguments are only known when it runs, and `{rule.text}` is denied"
                self.say(self.court.doubt, rule.text, reason, start, end, name, via=via)
            elif hit:
                reason = rule.reason or f"Command '{name}' is denied"
                self.say("deny", rule.text, reason, start, end, name, via=via)

    def _permitting(self, step: Step, name: str) -> Rule | None:
        """The rule that allows a step, or asks about it (asking is stricter, so it is looked for first)."""
        fold = self.court.windows
        arguments = step.rule_words[1:]
        names = [name]
        if self.court.shell in {"powershell", "pwsh"}:
            names.append(tables.POWERSHELL_ALIASES.get(name.casefold(), name))
        for rule in self.policy.asks:
            if any(rule.admits_name(n, fold=fold) for n in names) and self._admitted(rule, arguments):
                return rule
        best: Rule | None = None
        for rule in self._candidates(names, fold=fold):
            if self._admitted(rule, arguments) and not self._other_addresses(rule, step):
                if best is None or len(rule.tokens) > len(best.tokens):
                    best = rule
        return best

    def _candidates(self, names: Sequence[str], *, fold: bool) -> list[Rule]:
        if fold:
            return [
                rule
                for rule in self.policy.allows
                if any(rule.admits_name(name, fold=True) for name in names)
            ]
        name = names[0]
        base = name.rpartition("/")[2]
        found = [rule for rule in self.policy.allows_by_name.get(base, ()) if rule.admits_name(name)]
        return found + [rule for rule in self.policy.allows_by_glob if rule.admits_name(name)]

    def _admitted(self, rule: Rule, arguments: Sequence[Word]) -> bool:
        return rule.admits_arguments(arguments) and rule.holds_in(self.court.cwd)

    def _other_addresses(self, rule: Rule, step: Step) -> bool:
        """`curl https://ok.example/*` does not allow a second address beside the one it names."""
        patterns = [token for token in rule.tokens[1:] if "://" in token]
        if not patterns:
            return False
        addresses = [word.text for word in step.words[1:] if not word.text.startswith("-")]
        return not all(any(_address_matches(p, text) for p in patterns) for text in addresses)

    # -- effects -------------------------------------------------------------------------------------------

    def _effects(self, step: Step, rule: Rule | None, name: str) -> None:
        for effect in step.effects:
            if effect.flag and rule is not None and rule.spells(effect.flag):
                continue
            if effect.kind == "write":
                self.write(effect.reason, effect.start, effect.end)
                if effect.target is not None:
                    self.path(effect.target)
            elif self.policy.mode == "open" or (self.policy.mode == "denylist" and _is_subcommand(effect)):
                self._open_effect(effect, step, name)
            elif effect.kind == "inline":
                self._inline(effect, rule, name)
            else:
                decision = "deny" if effect.kind == "run" else self.court.doubt
                self.say(
                    decision,
                    "not resolvable" if effect.kind == "unresolved" else "options",
                    effect.reason,
                    effect.start,
                    effect.end,
                    name,
                )

    def _inline(self, effect: Effect, rule: Rule | None, name: str) -> None:
        """Code in an argument: a bare rule for the interpreter admits it when it only computes and prints."""
        bare = (
            rule is not None
            and (len(rule.tokens) == 1 or rule.tokens[1:] == ("*",))
            and rule.first_arguments is None
        )
        if bare and effect.plain:
            return
        hint = f"a rule that spells it would allow it: `{name} {effect.flag} *`"
        self.say(self.court.doubt, "inline code", effect.reason, effect.start, effect.end, name, hint)

    def _open_effect(self, effect: Effect, step: Step, name: str) -> None:
        """Without any allow rule, only what might reach a denied command counts."""
        if not (self.policy.denies or self.policy.asks):
            return
        text = " ".join(word.text for word in step.words)
        for rule in self.policy.denies:
            if re.search(
                rf"(?<![\w-]){re.escape(rule.name.rstrip('*'))}(?![\w-])"
                if rule.name.rstrip("*")
                else r"\Z.",
                text,
            ):
                self.say(
                    "deny",
                    rule.text,
                    f"{effect.reason}, and it names `{rule.name}`",
                    effect.start,
                    effect.end,
                    name,
                )
                return
        literal = all(not word.dynamic for word in step.words)
        if effect.kind == "unresolved" and not (literal and effect.flag != "-" and name not in {"eval"}):
            self.say("ask", "not resolvable", effect.reason, effect.start, effect.end, name)

    def _paths(self, step: Step) -> None:
        """The operands of a file-taking program."""
        first_is_text = tables.FILE_PROGRAMS.get(base_name(step.words[0].text))
        if first_is_text is None or step.role == "wrapper":
            return
        arguments = list(step.words[1:])
        for word in arguments:
            if word.text.startswith("-"):
                if "=" in word.text and "/" in word.text:
                    self.path(word.with_text(word.text.partition("=")[2]) if not word.dynamic else word)
            elif first_is_text and "/" not in word.text[:2]:
                first_is_text = False
            elif word.text not in {"{}", ";", "+", "(", ")", "!"} and not _is_find_path(word):
                self.path(
                    word.with_text(word.text.partition("=")[2])
                    if re.match(r"(?:if|of)=", word.text)
                    else word
                )


def _is_find_path(word: Word) -> bool:
    return (bool(word.expansions) and word.expansions[0].name == "{}") or any(
        e.kind == "process" for e in word.expansions
    )


def _is_subcommand(effect: Effect) -> bool:
    """`docker compose`, `npm exec`: without an allowlist such sub-commands are ordinary commands."""
    return effect.kind == "run" and effect.flag.isidentifier()


def _address_matches(pattern: str, text: str) -> bool:
    return re.match(re.escape(pattern).replace(r"\*", ".*") + r"\Z", text) is not None


def known_shells() -> tuple[str, ...]:
    """Every shell that has a scanner."""
    return (*DIALECTS, *_OTHERS)
