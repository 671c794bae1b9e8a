"""Which rules of a policy speak about a step of a command: those that forbid it, ask about it, allow it.

Above: `check`. Below: `matching`, where one rule is held against one command; `windows_names`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.command_input import given_to
from nacre.policy.effects import Step, base_name
from nacre.policy.model import record
from nacre.policy.windows_names import aliases, synonyms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.findings import Span, TextFindings
    from nacre.policy.matching import Rule
    from nacre.policy.model import Decision, Word

_MOST_HINTS = 6


@record
class Subject:
    """The step that is being checked: its name as shown, its place, the wrappers around it."""

    step: Step
    name: str
    span: Span
    via: tuple[str, ...]
    # Is the name known before the command runs? Is it a function of this very text?
    known: bool
    defined: bool


class RuleSearch:
    """The rules for the commands of one text."""

    def __init__(self, findings: TextFindings) -> None:
        self.findings = findings

    def deny(self, subject: Subject) -> None:
        """Record the rules that forbid a step."""
        for rule in self._denying(subject.name):
            if not self.findings.whole.is_for_here(rule):
                continue
            hit = self._hits(rule, subject.step)
            if hit is None:
                reason = f"its arguments are only known when it runs, and `{rule.text}` is denied"
                self._add_rule(self.findings.whole.when_unknown, rule, reason, subject)
            elif hit:
                self._add_rule("deny", rule, rule.reason or f"Command '{subject.name}' is denied", subject)

    def _denying(self, name: str) -> Sequence[Rule]:
        """The rules that forbid a command of this name, or of another one that is the same to the shell."""
        policy = self.findings.policy
        given = synonyms(name, self.findings.shell)
        if len(given) == 1:
            return policy.denies_named(name)
        return [rule for rule in policy.denies if any(map(rule.forbids_name, given))]

    def _hits(self, rule: Rule, step: Step) -> bool | None:
        """Tell whether a rule for what is unwanted hits these arguments, with or without option values."""
        hit = rule.forbids_arguments(step.words[1:])
        if hit is not False:
            return hit
        values = {id(value) for item in given_to(step.words) for value in item.values}
        return rule.forbids_arguments([word for word in step.words[1:] if id(word) not in values])

    def _add_rule(self, decision: Decision, rule: Rule, reason: str, subject: Subject) -> None:
        self.findings.add(decision, rule.text, reason, subject.span, name=subject.name, via=subject.via)

    def permitting(self, subject: Subject) -> list[Rule]:
        """The rules that speak for a step, the deciding one first: one that asks, else the longest."""
        fold = self.findings.whole.windows
        arguments = subject.step.rule_words[1:]
        given = aliases(_spelled(subject), self.findings.shell)
        for rule in self.findings.policy.asks:
            if any(rule.admits_name(name, fold=fold) for name in given) and self._admits(rule, arguments):
                return [rule]
        found = [
            rule
            for rule in self._candidates(given, fold=fold)
            if self._admits(rule, arguments)
            and (len(rule.tokens) == 1 or not _other_addresses(rule, subject.step))
        ]
        if not found and self.findings.policy.mode != "open":
            return []
        asked = self._asked(subject) if self.findings.policy.asks else None
        if len(found) > 1:
            found.sort(key=lambda rule: -len(rule.tokens))
        return [asked, *found] if asked is not None else found

    def _asked(self, subject: Subject) -> Rule | None:
        """A rule that asks about this command in any disguise, so that nothing allowed slips past it."""
        given = synonyms(subject.name, self.findings.shell)
        for rule in self.findings.policy.asks:
            named = any(rule.forbids_name(name) for name in given) and self.findings.whole.is_for_here(rule)
            if named and self._hits(rule, subject.step) is not False:
                return rule
        return None

    def _candidates(self, given: Sequence[str], *, fold: bool) -> Sequence[Rule]:
        policy = self.findings.policy
        if fold:
            return [r for r in policy.allows if any(r.admits_name(name, fold=True) for name in given)]
        return policy.allows_named(given[0])

    def _admits(self, rule: Rule, arguments: Sequence[Word]) -> bool:
        return rule.admits_arguments(arguments) and (not rule.cwd or self.findings.whole.is_for_here(rule))

    def nearest_allowed(self, name: str) -> str:
        """The nearest thing that would be allowed."""
        base = base_name(name).casefold()
        rules = [rule for rule in self.findings.policy.allows if self.findings.whole.is_for_here(rule)]
        elsewhere = [rule for rule in self.findings.policy.allows if rule.cwd and rule not in rules]
        for rule in elsewhere:
            if rule.name.casefold() == base:
                return f"{rule.text} is allowed in {', '.join(rule.cwd)}"
        near = [rule.text for rule in rules if rule.name.casefold() == base]
        near = near or [rule.text for rule in rules if rule.name[:3].casefold() == base[:3]]
        near = near or [rule.text for rule in rules]
        more = f" and {len(near) - _MOST_HINTS} more" if len(near) > _MOST_HINTS else ""
        return f"allowed here: {', '.join(near[:_MOST_HINTS])}{more}" if near else ""


def _spelled(subject: Subject) -> str:
    """The name as rules spell it: in quotes, a tilde is the name of a directory."""
    return (
        f"./{subject.name}"
        if subject.name.startswith("~") and not subject.step.words[0].tilde
        else subject.name
    )


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
    # A sub-command that the rule spells (`docker build https://...`) is none.
    others = [text for text in addresses if text not in rule.tokens]
    return not all(any(_address_matches(p, text) for p in patterns) for text in others)


def _address_matches(pattern: str, text: str) -> bool:
    return re.match(re.escape(pattern).replace(r"\*", ".*") + r"\Z", text) is not None
