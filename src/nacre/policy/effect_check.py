"""The check of what a command does besides running: writing files, running other texts, inline code.

Above: `check`. Below: `effects`, which names them; `findings`.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import ANY, Effect, base_name
from nacre.policy.patterns import PLAIN_TOKEN, regex
from nacre.policy.tables.shells import RUNNERS, SHELLS, UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.findings import TextFindings
    from nacre.policy.matching import Rule
    from nacre.policy.model import Word
    from nacre.policy.rule_search import Subject
# Rules with more words are not proposed: each of thousands of arguments would have all before it spelled.
_LONGEST_SPELLED = 50


class EffectCheck:
    """Checks the effects of the commands of one text."""

    def __init__(self, findings: TextFindings) -> None:
        self.findings = findings
        self._step: _StepText | None = None  # of the step that was looked at last

    def check(
        self,
        subject: Subject,
        rules: Sequence[Rule],
        assigned: Sequence[str],
        admits: Callable[[Sequence[Word]], bool],
    ) -> None:
        """Check each effect against the rules that speak for the step, and what is assigned before it.

        `admits`: whether rules allow a command as it stands.
        """
        mode = self.findings.policy.mode
        rule = rules[0] if rules else None
        for effect in subject.step.effects:
            span = (effect.start, effect.end)
            if any(_permits(rule, effect) for rule in rules):
                continue
            if self._is_absent(effect, subject, assigned) or (effect.inner and admits(effect.inner)):
                continue
            if effect.kind == "write":
                self.findings.add_write(effect.reason, span)
            elif mode == "open" or (mode == "denylist" and _is_subcommand(effect)):
                self._loose_effect(effect, subject)
            elif effect.kind == "inline":
                self._inline(effect, rule, subject)
            elif effect.kind == "unlisted" and mode != "allowlist":
                # Without an allowlist, what is not known is not refused, unless it names what is denied.
                self._names_denied(effect, subject)
            elif effect.kind in {"run", "unlisted"}:
                hint = effect.hint or self._spelling(effect, rule, subject)
                self.findings.add("deny", "options", effect.reason, span, name=subject.name, hint=hint)
            elif not self._names_denied(effect, subject):
                hint = effect.hint or self._spelling(effect, rule, subject)
                self.findings.add(
                    self.findings.whole.when_unknown,
                    "not resolvable",
                    effect.reason,
                    span,
                    name=subject.name,
                    hint=hint,
                )

    def _is_absent(self, effect: Effect, subject: Subject, assigned: Sequence[str]) -> bool:
        """`GIT_EDITOR=true git rebase`, `make -C /srv/project/sub` in /srv/project: here it does nothing."""
        if not effect.unless.isdisjoint(assigned) and not subject.via:
            return True
        if effect.files and self.findings.whole.has_files(effect.files):
            return True
        place = effect.place
        if effect.near:
            return place is None or not self.findings.whole.leads_out(place.text)
        return place is not None and place.literal and self.findings.whole.is_inside(place.text)

    def _spelling(self, effect: Effect, rule: Rule | None, subject: Subject) -> str:
        """The rule with which a person would allow it."""
        if not effect.flag:
            return "a person would have to run it: no rule can allow what is not known"
        words = subject.step.rule_words[:_LONGEST_SPELLED]
        at = next((i for i, word in enumerate(words) if word.start == effect.start), 0)
        leading = [word.text for word in words[1 : at + 1]]
        first = at == 1 or not effect.flag.startswith("-")
        if effect.flag == ANY:
            spelled = f"{subject.name} *"
        elif leading and first and leading[-1] == effect.flag and all(map(PLAIN_TOKEN.match, leading)):
            spelled = " ".join([subject.name, *leading, "*"])
        else:
            tokens = rule.tokens if rule is not None and rule.tokens[0] != "*" else (subject.name,)
            command = json.dumps(" ".join(tokens))
            spelled = f"{{command = {command}, options = [{json.dumps(effect.flag)}]}}"
        return f"a rule that spells it would allow it: `{spelled}`"

    def _inline(self, effect: Effect, rule: Rule | None, subject: Subject) -> None:
        """Code in an argument: a bare rule for the interpreter admits it when it only computes and prints."""
        bare = rule is not None and rule.tokens[1:] in {(), ("*",)} and rule.first_arguments is None
        if bare and effect.plain:
            return
        hint = self._spelling(effect, rule, subject)
        span = (effect.start, effect.end)
        self.findings.add(
            self.findings.whole.when_unknown, "inline code", effect.reason, span, name=subject.name, hint=hint
        )

    def _loose_effect(self, effect: Effect, subject: Subject) -> None:
        """Without an allowlist, only what might reach a denied command counts."""
        if self._names_denied(effect, subject):
            return
        guarded = bool(self.findings.policy.denies or self.findings.policy.asks)
        dynamic = self._text_of(subject).is_dynamic or not subject.known
        name = base_name(subject.name)
        opaque = dynamic or effect.flag == "-" or name in UNRESOLVABLE or name in SHELLS
        hidden = effect.kind == "run" and tables.wrapper(name) is not None  # `env -S` splits a text itself
        hidden = hidden or (
            name.casefold().removesuffix(".exe") in _POWERSHELLS and self._text_of(subject).is_opaque
        )
        if guarded and (hidden or (opaque and effect.kind == "unresolved")):
            span = (effect.start, effect.end)
            self.findings.add("ask", "not resolvable", effect.reason, span, name=subject.name)

    def _text_of(self, subject: Subject) -> _StepText:
        if self._step is None or self._step.subject is not subject:
            self._step = _StepText(self.findings, subject)
        return self._step

    def _names_denied(self, effect: Effect, subject: Subject) -> bool:
        """Deny, or ask about, a step that runs text in a way of its own, when that names such a command."""
        step = self._text_of(subject)
        rule = step.names_denied if effect.flag != "-" else step.names_denied_in_input
        if rule is None:
            return False
        reason = f"{effect.reason}, and it names `{rule.name}`"
        span = (effect.start, effect.end)
        self.findings.add(rule.decision, rule.text, reason, span, name=subject.name)
        return True


class _StepText:
    """All words of a step as one text, which is searched once, however many effects the step has."""

    def __init__(self, findings: TextFindings, subject: Subject) -> None:
        self.subject = subject
        self._findings = findings
        self._words = [word.text for word in subject.step.words]
        # `-Srm x`; a value of a long option stands behind `=`, and `--rm` of docker is no command.
        glued = (word[2:] for word in self._words if word.startswith("-") and not word.startswith("--"))
        self._text = " ".join([*self._words, *glued])

    @cached_property
    def is_dynamic(self) -> bool:
        """Whether one of its words is only known when it runs."""
        return any(word.dynamic for word in self.subject.step.words)

    @cached_property
    def is_opaque(self) -> bool:
        """Whether a PowerShell is given a text that is not readable, a file, or its input."""
        return any(map(_OPAQUE.fullmatch, self._words))

    @cached_property
    def names_denied(self) -> Rule | None:
        """The rule whose command is named; what is given to an interpreter counts, too: `python3 <<E`."""
        reads = base_name(self.subject.name) in RUNNERS or not _INPUT.isdisjoint(self._words)
        return self.names_denied_in_input if reads else self._search(self._text)

    @cached_property
    def names_denied_in_input(self) -> Rule | None:
        """The same for what takes its input for its program: `make -f -`."""
        whole = self._findings.whole
        return self._search(f"{self._text} {whole.source}\n{whole.given}" if whole.fed else self._text)

    def _search(self, text: str) -> Rule | None:
        policy = self._findings.policy
        program = base_name(self.subject.name).casefold().removesuffix(".exe")
        for rule in (*policy.denies, *(policy.asks if policy.mode != "allowlist" else ())):
            denied = rule.name.rstrip("*")
            if denied and _is_named(denied, text, program):
                return rule
        return None


def _is_named(denied: str, text: str, program: str) -> bool:
    """Whether a text names a command: to a shell of Windows in any case, and by each of its names."""
    if program not in {"cmd", *_POWERSHELLS}:
        return re.search(rf"(?<![\w-]){re.escape(denied)}(?![\w-])", text) is not None
    from nacre.policy.windows_names import synonyms  # noqa: PLC0415  # seldom needed

    several = "|".join(map(re.escape, synonyms(denied, program)))
    return re.search(rf"(?i)(?<![\w-])(?:{several})(?![\w-])", text) is not None


_INPUT = frozenset({"-", "/dev/stdin"})
_POWERSHELLS = frozenset({"pwsh", "powershell"})
# A text that is not readable, a file, the input. Names may be shortened, and have other dashes before them.
_OPAQUE = regex(r"(?i)[-/\u2013-\u2015]{1,2}(?:e|ec|en[a-z]*|f|fi[a-z]*)|-|(?!-).*\.ps1")


def _permits(rule: Rule, effect: Effect) -> bool:
    """Whether a rule spells what is done, or admits anything in its place: `uv run *`."""
    if effect.flag and rule.spells(effect.flag):
        return True
    return bool(effect.behind) and rule.tokens[-2:] == (effect.behind, "*")


def _is_subcommand(effect: Effect) -> bool:
    """`docker compose`, `npm exec`: without an allowlist such sub-commands are ordinary commands."""
    return effect.kind == "run" and effect.flag.isidentifier()
