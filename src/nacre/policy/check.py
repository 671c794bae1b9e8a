"""The check of one simple command: its assignments, redirections, effects and paths, against the rules.

Above: `evaluation`. Below: a module for each of these (`variable_check`, `redirection_check`, `effect_check`,
`boundaries`, `own_mentions`), `rule_search` for the rules, `programs` for what the command amounts to,
`findings` for what was found.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from nacre.policy.boundaries import Boundaries
from nacre.policy.command_input import INSTEAD, document_of, is_plain_input, reads_commands, reads_keys
from nacre.policy.effect_check import EffectCheck
from nacre.policy.effects import (
    ANY,
    Inspection,
    Script,
    Step,
    base_name,
    instead_of_activating,
    known_path,
)
from nacre.policy.findings import TextFindings
from nacre.policy.interpreters import with_document
from nacre.policy.model import UNKNOWN, Decision, SimpleCommand, Word
from nacre.policy.own_mentions import is_known_to_read, mentions_own_file, named_own_file
from nacre.policy.programs import inspect
from nacre.policy.redirection_check import RedirectionCheck
from nacre.policy.rule_search import RuleSearch, Subject
from nacre.policy.variable_check import VariableCheck
from nacre.policy.windows_names import inspect_windows, objection_to_argument, unresolvable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.findings import Findings, Span
    from nacre.policy.matching import Rule
    from nacre.policy.paths import OwnFiles
    from nacre.policy.values import Context

    # What commands amount to, by the identity of their words.
    Inspected = dict[int, tuple[Sequence[Word], Inspection]]


class CommandCheck:
    """Checks the simple commands of one text; what it finds goes into the findings."""

    def __init__(
        self, findings: Findings, context: Context, place: Callable[[int, int], Span], inspected: Inspected
    ) -> None:
        self.findings = found = TextFindings(findings, context.source, place, context.shell)
        self.context = context
        self.inspected = inspected
        self.boundaries = Boundaries(found)
        self.rules = RuleSearch(found)
        # What precedes the checked command, as written: `A=b`.
        self.assigned: list[str] = []
        # What it is given to read by the text itself.
        self.document: str | None = None

    @cached_property
    def redirections(self) -> RedirectionCheck:
        """For the few commands that have any."""
        return RedirectionCheck(self.findings, self.context, self.boundaries)

    def run(self, command: SimpleCommand, *, defined: bool) -> list[Script]:
        """Everything about one simple command; the scripts inside it are for `evaluation` to read."""
        for redirection in command.redirections:
            self.redirections.check(redirection)
        if self.findings.whole.fence is not None:
            self.boundaries.check_patterns(command)
        if not command.words:
            VariableCheck(self.findings, self.context).check(command, None)
            return []
        if command.assignments or self.assigned:
            self.assigned = [self.findings.text[item.start : item.end] for item in command.assignments]
        self.document = document_of(command, self.context) if command.redirections else None
        found = self._command(command.words, defined=defined)
        if command.assignments or found.assigned:
            VariableCheck(self.findings, self.context).check(command, found)
        return found.scripts

    def _command(self, words: Sequence[Word], *, defined: bool) -> Inspection:
        """A command with a name, seen through all wrappers."""
        if self.findings.windows:
            self._windows(words)
        found = self._look_through(words)
        via: tuple[str, ...] = ()
        if len(found.steps) > 1:
            self.document = None  # what is around a program may read it instead
        for position, inspected in enumerate(found.steps):
            step = inspected if self.document is None else with_document(inspected, self.document)
            if defined and not position:
                step = _as_function(step)
            self._step(step, via, defined=defined and not position)
            self._input(step)
            if step.role != "command":
                via += (step.words[0].text,)
        return found

    def _names_own_file(self, own: OwnFiles, subject: Subject) -> None:
        """Refuse what may write a file of nacre itself, or be told to by what it is given to read."""
        if is_known_to_read(subject.step, self.findings.shell):
            return
        named = named_own_file(self.findings.whole, own, subject.step)
        # `OUT=nacre.toml cmd`, and what the call gives it to read.
        given = " ".join((self.document or "", self.findings.whole.given, *self.assigned))
        if named is None and not mentions_own_file(self.findings.whole, own, given):
            return
        reason = "it names a file of nacre itself, and is not known to leave it as it is"
        span = subject.span if named is None else (named.start, named.end)
        hint = "read it with `cat`, or leave it to a person"
        self.findings.add("deny", "own files", reason, span, name=subject.name, hint=hint)

    def _loose_input(self, step: Step) -> None:
        """Without allow rules, what a text could tell such a program counts if it names what is forbidden."""
        whole, policy = self.findings.whole, self.findings.policy
        span = (step.words[0].start, step.words[-1].end)
        reason, read = reads_commands(step.words), f"{whole.source}\n{whole.given}"
        if not reason:
            return
        if whole.own is not None and mentions_own_file(whole, whole.own, read):
            self.findings.add("deny", "own files", f"{reason}, and a file of nacre itself is named", span)
        for rule in (*policy.denies, *policy.asks):
            name = rule.name.rstrip("*")
            if name and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", read):
                self.findings.add("ask", rule.text, f"{reason}, and `{rule.name}` is named", span)

    def _input(self, step: Step) -> None:
        """Check a program that takes commands from its input, if these have not been checked."""
        whole = self.findings.whole
        if not whole.fed:
            return
        if self.findings.policy.mode == "open":
            self._loose_input(step)
            return
        shell = self.findings.shell
        reason = reads_keys(step.words, shell) if whole.typed else reads_commands(step.words)
        name = base_name(step.words[0].text) if reason else ""
        known = self.document is not None and step.role == "command" and not whole.typed
        if reason and not (known and is_plain_input(name, self.document or "")):
            span = (step.words[0].start, step.words[-1].end)
            hint = INSTEAD.get(name, "ask a person to run it")
            self.findings.add(whole.when_unknown, "not resolvable", reason, span, name=name, hint=hint)

    def _look_through(self, words: Sequence[Word]) -> Inspection:
        if self.findings.windows:
            return inspect_windows(words, self.context, self.findings.shell)
        known = self.inspected.get(id(words))
        if known is None or known[0] is not words:
            known = self.inspected[id(words)] = (words, inspect(words, self.context))
        return known[1]

    def _windows(self, words: Sequence[Word]) -> None:
        """Commands of cmd.exe and PowerShell that run text, load code or rename things."""
        word = words[0]
        name, reason = unresolvable(words, self.findings.shell)
        if reason:
            text = f"`{word.text}` {reason}"
            decision = self.findings.whole.when_unknown
            self.findings.add(decision, "not resolvable", text, (word.start, word.end), name=name)
        objection = objection_to_argument(words, self.findings.shell, self.context.source)
        if objection is not None:
            argument, reason, hint = objection
            span = (argument.start, argument.end)
            decision = self.findings.whole.when_unknown
            self.findings.add(decision, "not resolvable", reason, span, name=name, hint=hint)

    def _step(self, step: Step, via: tuple[str, ...], *, defined: bool) -> None:
        word = step.words[0]
        known = not (word.expansions or word.glob is not None or word.braces)
        span = (word.start, max(step.words[-1].end, word.end))
        subject = Subject(step, word.text.replace(UNKNOWN, "..."), span, via, known, defined)
        whole, policy = self.findings.whole, self.findings.policy
        whole.rememberable = whole.rememberable and step.rememberable
        before = len(whole.items)
        if known and policy.denies:
            self.rules.deny(subject)
        rules = self.rules.permitting(subject) if known else []
        rule = rules[0] if rules else None
        needs_rule = known and not defined and step.role != "wrapper" and policy.mode != "open"
        if rule is None and needs_rule and not self._is_free(step):
            # What no rule allows needs no further reason.
            self._not_allowed(subject)
            return
        if step.effects:
            EffectCheck(self.findings).check(subject, rules, self.assigned, self._admits)
        if step.paths:
            self.boundaries.check(step.paths, rules, step.words[0].text)
        if whole.own is not None and step.role == "command":
            self._names_own_file(whole.own, subject)
        if step.role != "wrapper" and not whole.has_objection_since(before):
            self._permit(subject, rule)

    def _admits(self, words: Sequence[Word]) -> bool:
        """`uv run pytest`: rules of its own allow what is run, and nothing else speaks against it."""
        if self.findings.policy.mode != "allowlist":
            return False
        found = inspect(words, self.context)
        if found.scripts or found.assigned:
            return False
        whole = self.findings.whole
        before = len(whole.items)
        for step in found.steps:
            self._step(step, (), defined=False)
            self._input(step)
        refused = whole.has_objection_since(before)
        if refused:
            del whole.items[before:]
        return not refused

    def _is_free(self, step: Step) -> bool:
        """A harmless use of a builtin needs no rule, unless the person wants one."""
        if not step.free or not self.findings.policy.free_builtins:
            return False
        # Without a fence, another directory can mean other configurations and other scripts.
        return self.findings.whole.fence is not None or step.words[0].text != "cd"

    def _permit(self, subject: Subject, rule: Rule | None) -> None:
        """Nothing speaks against the step: record what speaks for it."""
        decision: Decision = "allow"
        if rule is not None:
            decision, text, reason = rule.decision, rule.text, rule.reason or "a rule allows it"
            if decision == "ask" and not rule.reason:
                reason = "a person must say yes to it"
        elif subject.defined:
            text, reason = "function", "a function of this very text"
        elif subject.step.free and self.findings.policy.mode == "allowlist":
            text, reason = "builtin", "a harmless use of a builtin"
        else:
            text, reason = "allowed", "no rule forbids it"
        self.findings.add(decision, text, reason, subject.span, name=subject.name, via=subject.via)

    def _not_allowed(self, subject: Subject) -> None:
        """No rule allows it; where first arguments are listed, use that list's words."""
        name, words = subject.name, subject.step.words
        reason = f"Command '{name}' not allowed"
        for rule in self.findings.policy.allows_by_glob:
            if rule.first_arguments and len(words) > 1 and rule.admits_name(name, fold=True):
                reason = f"Command '{name}' with argument '{words[1].text}' not allowed"
        hint = instead_of_activating(words) or self.rules.nearest_allowed(name)
        if name in self.findings.whole.kept:  # `f() { ...; }; trap f EXIT`
            hint = "write the function's commands here instead of its name"
        self.findings.add("deny", "allowlist", reason, subject.span, name=name, hint=hint, via=subject.via)


def _as_function(step: Step) -> Step:
    """A function of this text: whatever it is given is unproven where its own commands are checked."""
    return replace(
        step,
        effects=tuple(effect for effect in step.effects if effect.flag != ANY),
        paths=tuple(use for use in step.paths if known_path(use.word) is not None),
    )
