"""The check of variables that get a value: which ones, and which programs see them.

Above: `check`. Below: `variables` says what is known about a variable, `findings` keeps the objections and
the names that the text exports.

A program sees a variable that stands before its command, that is exported, or that was in the environment
before. What else a text assigns is the shell's own affair: `x=1; echo "$x"`. Under an allowlist nothing can
export a variable but what is seen here: `export`, `declare -x` and the like, whatever place of the text they
stand at; `set -a` is refused.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.alternatives import with_nothing
from nacre.policy.command_facts import place_of
from nacre.policy.effects import base_name
from nacre.policy.git_commands import NO_EDITOR
from nacre.policy.grammar import behind_prefixes
from nacre.policy.model import names
from nacre.policy.patterns import PLAIN_TOKEN, regex
from nacre.policy.variables import Setting, gives_meaning, is_evaluated, object_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.effects import Assigned, Inspection
    from nacre.policy.findings import TextFindings
    from nacre.policy.model import Assignment, Decision, SimpleCommand, Word
    from nacre.policy.values import Context
    from nacre.policy.variables import Objection

_EXPORTING = frozenset({"export", "declare", "typeset", "local", "readonly"})
_SPECIAL = names(": . break continue eval exec exit export readonly return set shift times trap unset")
_ATTRIBUTE = regex(r"-[A-Za-z]*x[A-Za-z]*\Z")
_ELSEWHERE = regex(r"^[/~]|\.\.|=/")
_NAME = regex(r"([A-Za-z_][A-Za-z0-9_]*)(?:\+?=|\Z)")


def exported_names(commands: Sequence[SimpleCommand]) -> set[str]:
    """The variables that the commands of a text export, wherever they stand."""
    found: set[str] = set()
    for command in commands:
        if command.assignments:
            found |= {item.name for item in command.assignments if item.exported}
        called = behind_prefixes(command.words)
        if not called or called[0].text not in _EXPORTING:
            continue
        words = [word.text for word in called]
        if words[0] == "export" or any(_ATTRIBUTE.match(word) for word in words[1:]):
            found |= {name.group(1) for word in words[1:] if (name := _NAME.match(word))}
    return found


class VariableCheck:
    """Checks the variables that the commands of one text set."""

    def __init__(self, findings: TextFindings, context: Context) -> None:
        self.findings = findings
        self.context = context
        self.policy = findings.policy
        self.text = findings.text

    def check(self, command: SimpleCommand, found: Inspection | None) -> None:
        """Check the assignments of a command; `found`: what the command amounts to."""
        settings = [
            (self._setting(item, value, command, found), (item.start, item.end))
            for item in command.assignments
            for value in self._values(item, command)
        ]
        settings += [
            (self._assigned(item, found), (item.word.start, item.word.end))
            for item in (found.assigned if found is not None else ())
        ]
        for setting, span in settings:
            objection = self._objection(setting) if setting is not None else None
            if objection is None or setting is None:
                continue
            decision: Decision = "deny" if self.policy.mode != "open" else "ask"
            if decision == "deny" or self.policy.denies or self.policy.asks:
                reason, hint = objection.reason, objection.hint
                self.findings.add(decision, "variables", reason, span, name=setting.name, hint=hint)

    def _objection(self, setting: Setting) -> Objection | None:
        shell = self.findings.shell
        meaningful = gives_meaning(setting.name, shell) or is_evaluated(setting, shell)
        if self.policy.mode == "open" and not meaningful:
            return None
        return object_to(setting, self.policy, shell)

    def _setting(
        self, item: Assignment, value: str | None, command: SimpleCommand, found: Inspection | None
    ) -> Setting | None:
        """An assignment by itself, before a command, or after `declare`."""
        if not command.words or item.start > command.words[0].start:
            exported = item.exported or self.findings.whole.is_exported(item.name)
            return Setting(item.name, value, exported=exported)
        if self.text[item.start : item.end] in NO_EDITOR:
            return None
        if item.name == "IFS" and command.words[0].text == "read" and item is command.assignments[-1]:
            # The idiom `IFS= read -r line` changes nothing but how this one line is split; but what stands
            # between the two is split by it, too: `IFS=x y=$(cmd $z) read line`.
            return None
        # Before a special builtin it stays, in some shells for the programs of later commands, too. Functions
        # of this text and of earlier commands run others.
        name, whole = command.words[0].text, self.findings.whole
        any_program = name in _SPECIAL or name in whole.kept or name in whole.kept_before
        programs = None if any_program else _programs(found, item.name)
        return Setting(item.name, value, programs=programs)

    def _assigned(self, item: Assigned, found: Inspection | None) -> Setting:
        """What a builtin assigns, or `env` before a command."""
        _, equals, written = item.word.text.partition("=")
        value = written if equals and item.word.literal else None
        if item.unset:
            value = ""
        if item.before_command:
            return Setting(item.name, value, programs=_programs(found, item.name))
        return Setting(item.name, value, exported=item.exported or self.findings.whole.is_exported(item.name))

    def _values(self, item: Assignment, command: SimpleCommand) -> Sequence[str | None]:
        """What a variable can become, as far as it is written out: None for anything else."""
        written = self.text[item.start : item.end]
        if written.startswith(f"{item.name}+="):
            return (None,)
        if item.value is not None:
            # No file takes the place of a pattern here: `DEBUG=app:*`.
            plain = replace(item.value, glob=None) if not item.listed else item.value
            if plain.literal:
                return (plain.text,)
            return self._proven(plain, command) if written.startswith(f"{item.name}=") else (None,)
        _, equals, value = written.partition("=")
        return (value if equals and PLAIN_TOKEN.match(value) else None,)

    def _proven(self, value: Word, command: SimpleCommand) -> Sequence[str | None]:
        """`for p in 3001 3002; do PORT=$p node x.js; done`: the values that this very text gives."""
        readings = with_nothing(self.context.alternatives(value, place_of(command), splits=False))
        if not all(len(words) == 1 and words[0].literal for words in readings):
            return (None,)
        return [words[0].text for words in readings]


def _programs(found: Inspection | None, variable: str) -> frozenset[str] | None:
    """Every program that a command starts, if that is known: a text for a shell may start any."""
    if found is None or found.scripts:
        return None
    # Code that lies elsewhere does not look for modules in the project; with the variable it would.
    if variable == "PYTHONPATH" and any(
        not word.literal or _ELSEWHERE.search(word.text) for step in found.steps for word in step.words[1:]
    ):
        return None
    return frozenset(base_name(step.words[0].text) for step in found.steps)
