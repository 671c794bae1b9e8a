"""The check of what a command does besides running: writing files, running other texts, inline code.

Above: `check`. Below: `effects`, which names them; `findings`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import ANY, Effect, base_name
from nacre.policy.patterns import PLAIN_TOKEN, regex
from nacre.policy.tables.shells import SHELLS, UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.findings import TextFindings
    from nacre.policy.matching import Rule
    from nacre.policy.model import Word
    from nacre.policy.rule_search import Subject


class EffectCheck:
    """Checks the effects of the commands of one text."""

    def __init__(self, findings: TextFindings) -> None:
        self.findings = findings

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
                continue  # without an allowlist, what is not known is not refused
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
        words = subject.step.rule_words
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
        dynamic = any(word.dynamic for word in subject.step.words) or not subject.known
        name = base_name(subject.name)
        opaque = dynamic or effect.flag == "-" or name in UNRESOLVABLE or name in SHELLS
        hidden = effect.kind == "run" and tables.wrapper(name) is not None  # `env -S` splits a text itself
        hidden = hidden or (
            name in _POWERSHELLS and any(_OPAQUE.fullmatch(w.text) for w in subject.step.words)
        )
        if guarded and (hidden or (opaque and effect.kind == "unresolved")):
            span = (effect.start, effect.end)
            self.findings.add("ask", "not resolvable", effect.reason, span, name=subject.name)

    def _names_denied(self, effect: Effect, subject: Subject) -> bool:
        """Deny a step that runs text in some way of its own, when that text names a denied command."""
        words = [word.text for word in subject.step.words]
        # `-Srm x`; a value of a long option stands behind `=`, and `--rm` of docker is no command.
        glued = (word[2:] for word in words if word.startswith("-") and not word.startswith("--"))
        text = " ".join([*words, *glued])
        for rule in self.findings.policy.denies:
            denied = rule.name.rstrip("*")
            if denied and re.search(rf"(?<![\w-]){re.escape(denied)}(?![\w-])", text):
                reason = f"{effect.reason}, and it names `{rule.name}`"
                self.findings.add("deny", rule.text, reason, (effect.start, effect.end), name=subject.name)
                return True
        return False


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
