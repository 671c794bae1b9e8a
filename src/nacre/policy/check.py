"""The check of one simple command: its assignments, redirections, effects and paths, against the rules.

Above: `evaluation`. Below: `programs` says what the command amounts to, `boundaries` looks at its paths,
`findings` keeps what was found.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.boundaries import Boundaries
from nacre.policy.command_input import given_to, reads_commands
from nacre.policy.effects import (
    ANY,
    FREE_TARGETS,
    Effect,
    Inspection,
    PathUse,
    Script,
    Step,
    base_name,
    is_dangerous_variable,
    objection_to_value,
)
from nacre.policy.findings import POWERSHELL
from nacre.policy.git_commands import NO_EDITOR
from nacre.policy.model import UNKNOWN, Assignment, Decision, Finding, Redirection, SimpleCommand, Word, names
from nacre.policy.patterns import regex
from nacre.policy.programs import has_meaning, inspect
from nacre.policy.tables.shells import SHELLS, UNRESOLVABLE
from nacre.policy.tables.variables import GIVES_MEANING, PLAIN_FOR_MAKE, ZSH_TIED
from nacre.policy.tables.windows import CMD_SYNONYMS, POWERSHELL_ALIASES, WINDOWS_UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.findings import Findings, Span
    from nacre.policy.matching import Rule
    from nacre.policy.values import Context

_WRITES = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
_NETWORK = regex(r"/+dev/+(?:tcp|udp)(?:/|\Z)")
_CONNECTING_SHELLS = frozenset({"bash", "ksh", "ksh93"})
_DESCRIPTOR = regex(r"[0-9]+-?\Z|-\Z")
# Names that mean something else on Windows than in the tables of POSIX programs.
_NOT_POSIX = names("find sort more date time set type tree label exec command . sc start cd echo cmd where")
_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z")
_MOST_HINTS = 6
# Other names of the same command, by shell.
_SYNONYMS = {"cmd": CMD_SYNONYMS, **dict.fromkeys(POWERSHELL, POWERSHELL_ALIASES)}
# A word that can stand in a rule as it is.
_PLAIN_TOKEN = regex(r"[A-Za-z0-9_./:=@+,-]+\Z")


@dataclass(frozen=True, slots=True)
class _Subject:
    """The step that is being checked: its name as shown, its place, the wrappers around it."""

    step: Step
    name: str
    span: Span
    via: tuple[str, ...]
    # Is the name known before the command runs? Is it a function of this very text?
    known: bool
    defined: bool


class CommandCheck:
    """Checks the simple commands of one text; what it finds goes into the findings."""

    def __init__(
        self, findings: Findings, text: str, context: Context, place: Callable[[int, int], Span]
    ) -> None:
        self.findings = findings
        self.policy = findings.policy
        self.text = text
        self.context = context
        self.place = place
        self.boundaries = Boundaries(findings, self._add_limit)
        # What stands before the command that is checked, as it is written: `A=b`.
        self.assigned: list[str] = []

    def _add_limit(self, decision: Decision, rule: str, reason: str, span: Span, hint: str) -> None:
        self.add(decision, rule, reason, span, hint=hint)

    def add(  # noqa: PLR0913 - the fields of a finding
        self,
        decision: Decision,
        rule: str,
        reason: str,
        span: Span,
        *,
        name: str = "",
        hint: str = "",
        via: tuple[str, ...] = (),
    ) -> None:
        """Record a finding, at its place in the text that the person wrote."""
        start, end = self.place(*span)
        shown = self.text[span[0] : span[1]]
        self.findings.add(Finding(shown, name, decision, rule, reason, start, end, hint, via))

    def run(self, command: SimpleCommand, *, defined: bool) -> list[Script]:
        """Everything about one simple command; the scripts inside it are for `evaluation` to read."""
        for assignment in command.assignments:
            self._assignment(assignment, command)
        for redirection in command.redirections:
            self._redirection(redirection)
        if not command.words:
            return []
        self.assigned = [self.text[item.start : item.end] for item in command.assignments]
        return self._command(command.words, defined=defined)

    # -- assignments and redirections ----------------------------------------------------------------------

    def _assignment(self, assignment: Assignment, command: SimpleCommand) -> None:
        if command.words and self.text[assignment.start : assignment.end] in NO_EDITOR:
            return
        if assignment.name == "IFS" and command.words and command.words[0].text == "read":
            return  # the idiom `IFS= read -r line` changes nothing but how this one line is split
        value = self._value(assignment)
        self._variable(assignment.name, value, (assignment.start, assignment.end))
        if command.words:
            self._for_make(command.words[0].text, value, (assignment.start, assignment.end))

    def _value(self, assignment: Assignment) -> str | None:
        """What a variable becomes, if it is written out."""
        if assignment.value is not None:
            return assignment.value.text if assignment.value.literal else None
        _, equals, written = self.text[assignment.start : assignment.end].partition("=")
        return written if equals and _PLAIN_TOKEN.match(written) else None

    def _variable(self, name: str, value: str | None, span: Span) -> None:
        """A variable gets a value; None: it is not known."""
        zsh = self.findings.shell == "zsh"
        meaning = name in GIVES_MEANING and (zsh or name.isupper())
        dangerous = is_dangerous_variable(name) or (zsh and name in ZSH_TIED) or meaning
        objection = objection_to_value(name, value, make=self.policy.admits_make)
        reason = objection or f"the variable {name} changes what runs or how"
        if self.policy.mode != "open" and (dangerous or objection):
            self.add("deny", "variables", reason, span, name=name, hint="leave the assignment out")
        elif meaning and (self.policy.denies or self.policy.asks):
            self.add("ask", "variables", reason, span, name=name, hint="leave the assignment out")

    def _for_make(self, program: str, value: str | None, span: Span) -> None:
        """What stands before make becomes part of its recipes, which a shell reads."""
        plain = value is None or re.fullmatch(PLAIN_FOR_MAKE, value)
        if self.policy.mode == "allowlist" and base_name(program) in {"make", "gmake"} and not plain:
            reason = "make puts the values of variables into texts for a shell"
            self.add("deny", "variables", reason, span, hint="use letters, digits and . , : / only")

    def _redirection(self, redirection: Redirection) -> None:
        """Writes need permission, and the network is never a file."""
        target = redirection.target
        if target is None or redirection.operator == "<<<":
            return
        texts = self.context.candidates(target) or [target.text]
        span = (redirection.start, redirection.end)
        if any(_NETWORK.match(text) for text in texts):
            self.add("deny", "network", "the shell opens a network connection for this file name", span)
            return
        if self._may_connect(target) and (self.policy.mode == "allowlist" or self._names_network):
            reason = "this file name could open a network connection"
            hint = 'write ./ before the name: < ./"$file"'
            self.add(self.findings.when_unknown, "network", reason, span, hint=hint)
            return
        duplicates = redirection.operator in {">&", "<&"} and all(_DESCRIPTOR.match(text) for text in texts)
        if duplicates or (target.literal and target.text in FREE_TARGETS and target.text != "-"):
            return
        if redirection.operator in _WRITES:
            self._write(f"`{redirection.operator}` writes a file", span)
        if redirection.operator != "<&":
            access = "write" if redirection.operator in _WRITES else "read"
            self.boundaries.check([PathUse(target, access)])

    @cached_property
    def _names_network(self) -> bool:
        """Whether such a name stands anywhere in the text; looked for once, however many ask."""
        return _NETWORK.search(self.text) is not None

    def _may_connect(self, target: Word) -> bool:
        """A name that is not proven and could become /dev/tcp/..., which some shells open as a connection."""
        if target.literal or self.findings.shell not in _CONNECTING_SHELLS or target.file_pattern is not None:
            return False
        if any(expansion.kind == "process" for expansion in target.expansions):
            return False
        prefix = re.sub("/+", "/", target.prefix)
        return any(name.startswith(prefix) or prefix.startswith(name) for name in ("/dev/tcp/", "/dev/udp/"))

    def _write(self, reason: str, span: Span) -> None:
        if not self.policy.allow_writes:
            hint = "print the text instead, or ask a person to set allow_writes"
            self.add("deny", "allow_writes", reason, span, hint=hint)

    # -- commands ------------------------------------------------------------------------------------------

    def _command(self, words: Sequence[Word], *, defined: bool) -> list[Script]:
        """A command with a name, seen through all wrappers."""
        if self.findings.windows:
            self._windows(words)
        found = self._look_through(words)
        via: tuple[str, ...] = ()
        for position, step in enumerate(found.steps):
            self._step(step, via, defined=defined and not position)
            self._input(step)
            if step.role != "command":
                via += (step.words[0].text,)
        for name, word in found.assigned:
            _, equals, written = word.text.partition("=")
            value = written if equals and word.literal else None
            self._variable(name, value, (word.start, word.end))
            self._for_make(
                found.steps[-1].words[0].text if found.steps else "", value, (word.start, word.end)
            )
        return found.scripts

    def _input(self, step: Step) -> None:
        """A program that takes commands from its input, and is given some that nobody has looked at."""
        reason = reads_commands(step.words) if self.findings.fed and self.policy.mode != "open" else ""
        if reason:
            span = (step.words[0].start, step.words[-1].end)
            name = base_name(step.words[0].text)
            self.add(self.findings.when_unknown, "not resolvable", reason, span, name=name)

    def _look_through(self, words: Sequence[Word]) -> Inspection:
        """On Windows, names are known without case and suffix, and some mean other programs."""
        word = words[0]
        if not self.findings.windows or not word.literal or re.search(r"[\\/:]", word.text):
            return inspect(words, self.context)
        name = _EXECUTABLE_SUFFIX.sub("", word.text.casefold())
        known = (word.with_text(name), *words[1:])
        alias = self.findings.shell in POWERSHELL and name in POWERSHELL_ALIASES
        if name not in _NOT_POSIX and not alias:  # cmd.exe has no aliases: its curl is curl
            return inspect(known, self.context)
        if self.findings.shell == "pwsh" and has_meaning(name):
            # It runs on other systems, too, where the name is the program's: both must be harmless.
            found = inspect(known, self.context)
            first = found.steps[0]
            found.steps[0] = replace(first, paths=(*first.paths, *_maybe(known[1:])))
            return found
        return Inspection([Step(known, "command", (), known, paths=_maybe(known[1:]))])

    def _windows(self, words: Sequence[Word]) -> None:
        """Commands of cmd.exe and PowerShell that run text, load code or rename things."""
        word = words[0]
        name = _EXECUTABLE_SUFFIX.sub("", re.split(r"[\\/]", word.text.casefold())[-1])
        name = POWERSHELL_ALIASES.get(name, name) if self.findings.shell in POWERSHELL else name
        reason = WINDOWS_UNRESOLVABLE.get(name)
        if name == "cmd":
            reason = "runs its arguments"
        elif name == "foreach-object" and any(
            not w.dynamic and not w.text.startswith("-") for w in words[1:]
        ):
            reason = "calls a method by its name"
        if reason is not None:
            text = f"`{word.text}` {reason}"
            self.add(self.findings.when_unknown, "not resolvable", text, (word.start, word.end), name=name)

    def _step(self, step: Step, via: tuple[str, ...], *, defined: bool) -> None:
        word = step.words[0]
        known = not (word.dynamic or word.pattern or word.braces)
        span = (word.start, max(step.words[-1].end, word.end))
        subject = _Subject(step, word.text.replace(UNKNOWN, "..."), span, via, known, defined)
        self.findings.rememberable = self.findings.rememberable and step.rememberable
        before = len(self.findings.items)
        if known:
            self._denied(subject)
        rules = self._permitting(subject) if known else []
        rule = rules[0] if rules else None
        needs_rule = known and not defined and step.role != "wrapper" and self.policy.mode != "open"
        if rule is None and needs_rule and not self._is_free(step):
            # What no rule allows needs no further reason.
            self._not_allowed(subject)
            return
        self._effects(subject, rules)
        self.boundaries.check(step.paths)
        if step.role != "wrapper" and not self.findings.has_objection_since(before):
            self._permit(subject, rule)

    def _is_free(self, step: Step) -> bool:
        """A harmless use of a builtin needs no rule, unless the person wants one."""
        if not step.free or not self.policy.free_builtins:
            return False
        # Without a fence, another directory can mean other configurations and other scripts.
        return self.findings.fence is not None or step.words[0].text != "cd"

    def _permit(self, subject: _Subject, rule: Rule | None) -> None:
        """Nothing speaks against the step: record what speaks for it."""
        decision: Decision = "allow"
        if rule is not None:
            decision, text, reason = rule.decision, rule.text, rule.reason or "a rule allows it"
            if decision == "ask" and not rule.reason:
                reason = "a person must say yes to it"
        elif subject.defined:
            text, reason = "function", "a function of this very text"
        elif subject.step.free and self.policy.mode == "allowlist":
            text, reason = "builtin", "a harmless use of a builtin"
        else:
            text, reason = "allowed", "no rule forbids it"
        self.add(decision, text, reason, subject.span, name=subject.name, via=subject.via)

    def _not_allowed(self, subject: _Subject) -> None:
        """No rule allows it; where first arguments are listed, use that list's words."""
        name, words = subject.name, subject.step.words
        reason = f"Command '{name}' not allowed"
        for rule in self.policy.allows_by_glob:
            if rule.first_arguments and len(words) > 1 and rule.admits_name(name, fold=True):
                reason = f"Command '{name}' with argument '{words[1].text}' not allowed"
        hint = self._hint(name)
        self.add("deny", "allowlist", reason, subject.span, name=name, hint=hint, via=subject.via)

    def _hint(self, name: str) -> str:
        """The nearest thing that would be allowed."""
        base = base_name(name).casefold()
        rules = [rule for rule in self.policy.allows if rule.holds_in(self.findings.cwd)]
        elsewhere = [rule for rule in self.policy.allows if rule.cwd and rule not in rules]
        for rule in elsewhere:
            if rule.name.casefold() == base:
                return f"{rule.text} is allowed in {', '.join(rule.cwd)}"
        near = [rule.text for rule in rules if rule.name.casefold() == base]
        near = near or [rule.text for rule in rules if rule.name[:2].casefold() == base[:2]]
        near = near or [rule.text for rule in rules]
        more = ", ..." if len(near) > _MOST_HINTS else ""
        return f"allowed here: {', '.join(near[:_MOST_HINTS])}{more}" if near else ""

    # -- rules ---------------------------------------------------------------------------------------------

    def _names(self, subject: _Subject) -> list[str]:
        """The name, and in PowerShell what it is an alias for."""
        if self.findings.shell not in POWERSHELL:
            return [subject.name]
        return [subject.name, POWERSHELL_ALIASES.get(subject.name.casefold(), subject.name)]

    def _all_names(self, subject: _Subject) -> list[str]:
        """Every name of the same command, for rules that forbid it or ask about it."""
        synonyms = _SYNONYMS.get(self.findings.shell)
        if synonyms is None:
            return [subject.name]
        folded = _EXECUTABLE_SUFFIX.sub("", subject.name.casefold())
        target = synonyms.get(folded, folded)
        return [subject.name, target, *(alias for alias, command in synonyms.items() if command == target)]

    def _denied(self, subject: _Subject) -> None:
        given = self._all_names(subject) if self.policy.denies else ()
        for rule in self.policy.denies:
            if not any(rule.forbids_name(name) for name in given) or not rule.holds_in(self.findings.cwd):
                continue
            hit = self._hits(rule, subject.step)
            if hit is None:
                reason = f"its arguments are only known when it runs, and `{rule.text}` is denied"
                self._add_rule(self.findings.when_unknown, rule, reason, subject)
            elif hit:
                self._add_rule("deny", rule, rule.reason or f"Command '{subject.name}' is denied", subject)

    def _hits(self, rule: Rule, step: Step) -> bool | None:
        """Tell whether a rule for what is unwanted hits these arguments, with or without option values."""
        hit = rule.forbids_arguments(step.words[1:])
        if hit is not False:
            return hit
        values = {id(value) for item in given_to(step.words) for value in item.values}
        return rule.forbids_arguments([word for word in step.words[1:] if id(word) not in values])

    def _add_rule(self, decision: Decision, rule: Rule, reason: str, subject: _Subject) -> None:
        self.add(decision, rule.text, reason, subject.span, name=subject.name, via=subject.via)

    def _permitting(self, subject: _Subject) -> list[Rule]:
        """The rules that speak for a step, the deciding one first: one that asks, else the longest."""
        fold = self.findings.windows
        arguments = subject.step.rule_words[1:]
        given = self._names(subject)
        for rule in self.policy.asks:
            if any(rule.admits_name(name, fold=fold) for name in given) and self._admits(rule, arguments):
                return [rule]
        found = [
            rule
            for rule in self._candidates(given, fold=fold)
            if self._admits(rule, arguments) and not _other_addresses(rule, subject.step)
        ]
        if not found and self.policy.mode != "open":
            return []
        asked = self._asked(subject)
        found.sort(key=lambda rule: -len(rule.tokens))
        return [asked, *found] if asked is not None else found

    def _asked(self, subject: _Subject) -> Rule | None:
        """A rule that asks about this command in any disguise, so that nothing allowed slips past it."""
        given = self._all_names(subject) if self.policy.asks else ()
        for rule in self.policy.asks:
            named = any(rule.forbids_name(name) for name in given) and rule.holds_in(self.findings.cwd)
            if named and self._hits(rule, subject.step) is not False:
                return rule
        return None

    def _candidates(self, given: Sequence[str], *, fold: bool) -> list[Rule]:
        if fold:
            return [r for r in self.policy.allows if any(r.admits_name(name, fold=True) for name in given)]
        name = given[0]
        base = name.rpartition("/")[2]
        found = [rule for rule in self.policy.allows_by_name.get(base, ()) if rule.admits_name(name)]
        return found + [rule for rule in self.policy.allows_by_glob if rule.admits_name(name)]

    def _admits(self, rule: Rule, arguments: Sequence[Word]) -> bool:
        return rule.admits_arguments(arguments) and rule.holds_in(self.findings.cwd)

    # -- effects -------------------------------------------------------------------------------------------

    def _effects(self, subject: _Subject, rules: Sequence[Rule]) -> None:
        mode = self.policy.mode
        rule = rules[0] if rules else None
        for effect in subject.step.effects:
            span = (effect.start, effect.end)
            if effect.flag and any(rule.spells(effect.flag) for rule in rules):
                continue
            if not effect.unless.isdisjoint(self.assigned) and not subject.via:
                continue
            if effect.kind == "write":
                self._write(effect.reason, span)
            elif mode == "open" or (mode == "denylist" and _is_subcommand(effect)):
                self._loose_effect(effect, subject)
            elif effect.kind == "inline":
                self._inline(effect, rule, subject)
            elif effect.kind == "unlisted" and mode != "allowlist":
                continue  # without an allowlist, what is not known is not refused
            elif effect.kind in {"run", "unlisted"}:
                hint = effect.hint or self._spelling(effect, rule, subject)
                self.add("deny", "options", effect.reason, span, name=subject.name, hint=hint)
            elif not self._names_denied(effect, subject):
                hint = effect.hint or self._spelling(effect, rule, subject)
                self.add(
                    self.findings.when_unknown,
                    "not resolvable",
                    effect.reason,
                    span,
                    name=subject.name,
                    hint=hint,
                )

    def _spelling(self, effect: Effect, rule: Rule | None, subject: _Subject) -> str:
        """The rule with which a person would allow it."""
        if not effect.flag:
            return "a person would have to run it: no rule can allow what is not known"
        words = subject.step.rule_words
        at = next((i for i, word in enumerate(words) if word.start == effect.start), 0)
        leading = [word.text for word in words[1 : at + 1]]
        first = at == 1 or not effect.flag.startswith("-")
        if effect.flag == ANY:
            spelled = f"{subject.name} *"
        elif leading and first and leading[-1] == effect.flag and all(map(_PLAIN_TOKEN.match, leading)):
            spelled = " ".join([subject.name, *leading, "*"])
        else:
            tokens = rule.tokens if rule is not None and rule.tokens[0] != "*" else (subject.name,)
            command = json.dumps(" ".join(tokens))
            spelled = f"{{command = {command}, options = [{json.dumps(effect.flag)}]}}"
        return f"a rule that spells it would allow it: `{spelled}`"

    def _inline(self, effect: Effect, rule: Rule | None, subject: _Subject) -> None:
        """Code in an argument: a bare rule for the interpreter admits it when it only computes and prints."""
        bare = rule is not None and rule.tokens[1:] in {(), ("*",)} and rule.first_arguments is None
        if bare and effect.plain:
            return
        hint = self._spelling(effect, rule, subject)
        span = (effect.start, effect.end)
        self.add(self.findings.when_unknown, "inline code", effect.reason, span, name=subject.name, hint=hint)

    def _loose_effect(self, effect: Effect, subject: _Subject) -> None:
        """Without an allowlist, only what might reach a denied command counts."""
        if self._names_denied(effect, subject):
            return
        guarded = bool(self.policy.denies or self.policy.asks)
        dynamic = any(word.dynamic for word in subject.step.words) or not subject.known
        name = base_name(subject.name)
        opaque = dynamic or effect.flag == "-" or name in UNRESOLVABLE or name in SHELLS
        hidden = effect.kind == "run" and tables.wrapper(name) is not None  # `env -S` splits a text itself
        if guarded and (hidden or (opaque and effect.kind == "unresolved")):
            span = (effect.start, effect.end)
            self.add("ask", "not resolvable", effect.reason, span, name=subject.name)

    def _names_denied(self, effect: Effect, subject: _Subject) -> bool:
        """Deny a step that runs text in some way of its own, when that text names a denied command."""
        words = [word.text for word in subject.step.words]
        text = " ".join([*words, *(word[2:] for word in words if word.startswith("-"))])  # `-Srm x`
        for rule in self.policy.denies:
            denied = rule.name.rstrip("*")
            if denied and re.search(rf"(?<![\w-]){re.escape(denied)}(?![\w-])", text):
                reason = f"{effect.reason}, and it names `{rule.name}`"
                self.add("deny", rule.text, reason, (effect.start, effect.end), name=subject.name)
                return True
        return False


def _maybe(words: Sequence[Word]) -> tuple[PathUse, ...]:
    return tuple(PathUse(word, "maybe") for word in words)


def _is_subcommand(effect: Effect) -> bool:
    """`docker compose`, `npm exec`: without an allowlist such sub-commands are ordinary commands."""
    return effect.kind == "run" and effect.flag.isidentifier()


def _other_addresses(rule: Rule, step: Step) -> bool:
    """`curl https://ok.example/*` does not allow a second address beside the one it names."""
    patterns = [token for token in rule.tokens[1:] if "://" in token]
    if not patterns:
        return False
    given = given_to(step.words)
    addresses = [item.word.text for item in given if item.kind in {"operand", "unproven"}]
    addresses += [item.value.text for item in given if item.flag == "--url" and item.value is not None]
    if not given:
        addresses = [word.text for word in step.words[1:] if not word.text.startswith("-")]
    return not all(any(_address_matches(p, text) for p in patterns) for text in addresses)


def _address_matches(pattern: str, text: str) -> bool:
    return re.match(re.escape(pattern).replace(r"\*", ".*") + r"\Z", text) is not None
