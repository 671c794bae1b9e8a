"""Which rules of a policy speak about a step of a command: those that forbid it, ask about it, allow it.

Above: `check`. Below: `matching`, where one rule is held against one command; `windows_names`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.command_input import given_to
from nacre.policy.effects import Step, base_name
from nacre.policy.grammar import behind_prefixes
from nacre.policy.model import Word, names, record
from nacre.policy.patterns import regex
from nacre.policy.tables import has_entry
from nacre.policy.tables.shells import SHELLS
from nacre.policy.windows_names import aliases, synonyms
from nacre.policy.windows_switches import excludes_switches, forbids_switches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.findings import Findings, Span, TextFindings
    from nacre.policy.matching import Rule
    from nacre.policy.model import Decision

_MOST_HINTS = 6
_QUOTING = regex(r"[\"'\\]")
_OPTION = regex(r"(?<![\w-])--?[A-Za-z0-9][\w-]*")
# Builtins whose options are for themselves, and programs that hand them on.
_LOOKS_AT = names("read test [ [[ mapfile readarray cd pwd wait kill type command")
_HANDS_ON = names("echo printf set env xargs printenv")


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
        if self.findings.windows and forbids_switches(rule, step.words, self.findings.shell):
            return True
        values = {id(value) for item in given_to(step.words) for value in item.values}
        arguments = [word for word in step.words[1:] if id(word) not in values]
        hit = rule.forbids_arguments(arguments)
        if hit is False and any(word.expansions for word in arguments):
            return None if self._may_hit(rule, arguments) else False
        return hit

    def _may_hit(self, rule: Rule, arguments: Sequence[Word]) -> bool:
        """Whether a value could be an option that the text itself writes elsewhere: `set -- -rf; rm "$1"`."""
        ends = next((at for at, word in enumerate(arguments) if word.text == "--"), len(arguments))
        unproven = [word for word in arguments[:ends] if word.expansions and word.may_be_option]
        if any(word.prefix.startswith("-") and "=" not in word.prefix for word in unproven):
            return not all(word.number for word in unproven)
        if unproven and _has_braced_option(self.findings.whole.source):
            return True
        options = written_options(self.findings.whole) if unproven else ()
        known = [word for word in arguments if word not in unproven]
        # A value that is quoted is one word. Of several, each may be another of these options.
        several = [options] if len(unproven) > 1 else [[option] for option in options]
        return any(rule.forbids_arguments([*known, *given]) is True for given in several if given)

    def _add_rule(self, decision: Decision, rule: Rule, reason: str, subject: Subject) -> None:
        self.findings.add(decision, rule.text, reason, subject.span, name=subject.name, via=subject.via)

    def permitting(self, subject: Subject) -> list[Rule]:
        """The rules that speak for a step, the deciding one first: one that asks, else the longest."""
        fold = self.findings.whole.windows
        # What another program starts is a program: `env sc stop x` has nothing to do with Set-Content.
        spelled = _spelled(subject)
        given = [spelled] if subject.via else aliases(spelled, self.findings.shell)
        for rule in self.findings.policy.asks:
            if any(rule.admits_name(name, fold=fold) for name in given) and self._admits(rule, subject):
                return [rule]
        found = [
            rule
            for rule in self._candidates(given, fold=fold)
            if self._admits(rule, subject)
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

    def _admits(self, rule: Rule, subject: Subject) -> bool:
        if not rule.admits_arguments(subject.step.rule_words[1:]):
            return False
        windows = bool(rule.not_args) and self.findings.windows
        if windows and excludes_switches(rule, subject.step.words, self.findings.shell):
            return False
        return not rule.cwd or self.findings.whole.is_for_here(rule)

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


def written_options(whole: Findings) -> list[Word]:
    """What looks like an option in a text or in the variables of the call, and may become a value.

    Options of a program that is known stay its own: `grep -rl x | while read -r f`.
    """
    text = whole.source
    for command in whole.commands:
        words = behind_prefixes(command.words)
        for word in words if words and _keeps_its_options(words[0].text) else ():
            if word.literal and word.text.startswith("-"):
                text = text[: word.start] + " " * (word.end - word.start) + text[word.end :]
    texts = (text, *whole.environment.values())
    found = (option for each in texts for option in _OPTION.findall(_QUOTING.sub("", each)))
    return [Word(option, 0, 0) for option in dict.fromkeys(found)]


def _has_braced_option(text: str) -> bool:
    """`-r{f,}`, `{x,-rf}`: braces can put an option together that stands nowhere."""
    return "{" in text and any(
        "-" in word and ("{" in word or "}" in word) and ("," in word or ".." in word)
        for word in text.split()
    )


def _keeps_its_options(name: str) -> bool:
    base = base_name(name)
    return base in _LOOKS_AT or (has_entry(base) and base not in SHELLS and base not in _HANDS_ON)


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
