"""The check of variables that get a value for a command: some change what runs, or how.

Above: `check`. Below: `findings`, and `tables.variables`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.effects import base_name, is_dangerous_variable, objection_to_value
from nacre.policy.git_commands import NO_EDITOR
from nacre.policy.patterns import PLAIN_TOKEN
from nacre.policy.tables.variables import GIVES_MEANING, PLAIN_FOR_MAKE, ZSH_TIED

if TYPE_CHECKING:
    from nacre.policy.findings import Span, TextFindings
    from nacre.policy.model import Assignment, SimpleCommand, Word


class VariableCheck:
    """Checks the variables that the commands of one text set."""

    def __init__(self, findings: TextFindings) -> None:
        self.findings = findings

    def assigned_before(self, assignment: Assignment, command: SimpleCommand) -> None:
        """Check `NAME=value` before a command, or alone."""
        if command.words and self.findings.text[assignment.start : assignment.end] in NO_EDITOR:
            return
        if assignment.name == "IFS" and command.words and command.words[0].text == "read":
            return  # the idiom `IFS= read -r line` changes nothing but how this one line is split
        value = self._value(assignment)
        self._variable(assignment.name, value, (assignment.start, assignment.end))
        if command.words:
            self._for_make(command.words[0].text, value, (assignment.start, assignment.end))

    def assigned_by(self, name: str, word: Word, program: str) -> None:
        """Check `NAME=value` among the arguments of a wrapper (`env`, `export`) around a program."""
        _, equals, written = word.text.partition("=")
        value = written if equals and word.literal else None
        self._variable(name, value, (word.start, word.end))
        self._for_make(program, value, (word.start, word.end))

    def _value(self, assignment: Assignment) -> str | None:
        """What a variable becomes, if it is written out."""
        if assignment.value is not None:
            return assignment.value.text if assignment.value.literal else None
        _, equals, written = self.findings.text[assignment.start : assignment.end].partition("=")
        return written if equals and PLAIN_TOKEN.match(written) else None

    def _variable(self, name: str, value: str | None, span: Span) -> None:
        """A variable gets a value; None: it is not known."""
        zsh = self.findings.whole.shell == "zsh"
        meaning = name in GIVES_MEANING and (zsh or name.isupper())
        dangerous = is_dangerous_variable(name) or (zsh and name in ZSH_TIED) or meaning
        objection = objection_to_value(name, value, make=self.findings.policy.admits_make)
        reason = objection or f"the variable {name} changes what runs or how"
        if self.findings.policy.mode != "open" and (dangerous or objection):
            self.findings.add("deny", "variables", reason, span, name=name, hint="leave the assignment out")
        elif meaning and (self.findings.policy.denies or self.findings.policy.asks):
            self.findings.add("ask", "variables", reason, span, name=name, hint="leave the assignment out")

    def _for_make(self, program: str, value: str | None, span: Span) -> None:
        """What stands before make becomes part of its recipes, which a shell reads."""
        plain = value is None or re.fullmatch(PLAIN_FOR_MAKE, value)
        if self.findings.policy.mode == "allowlist" and base_name(program) in {"make", "gmake"} and not plain:
            reason = "make puts the values of variables into texts for a shell"
            self.findings.add("deny", "variables", reason, span, hint="use letters, digits and . , : / only")
