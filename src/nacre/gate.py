"""From a verdict to yes or no: the rules decide, or the person, where a rule says "ask".

Above it: `service`, which consults it before anything runs. Below: the policy, which is pure. An approval for
the session is remembered for the exact text, directory, environment and input, but never for interpreters,
shells, wrappers, sudo, or texts with values from elsewhere. No tool can add approvals. Long texts are judged
in a thread, so that they do not block the event loop.
"""

from __future__ import annotations

import asyncio
import functools
import os.path
import posixpath
import re
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from nacre.errors import Refused
from nacre.model import Command
from nacre.output import leaving_beginning, leaving_text
from nacre.policy import Policy, Verdict, judge, judge_argv, judge_unread
from nacre.policy.grammar import KNOWN_SHELLS
from nacre.policy.model import strictness
from nacre.policy.rules import parse_rule

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from nacre.file_records import FileWork
    from nacre.policy.program_table import ProgramTable
    from nacre.policy.single_command import SingleCommandCheck

    Answer = Literal["once", "session", "no"]
    Ask = Callable[["Question"], Awaitable[Answer]]
    AskSecret = Callable[[str], Awaitable[str | None]]  # what the person types; None: nothing


# From these, shells take attributes of variables, functions or options at start.
_IMPORTED = re.compile(r"A__z|_AST_FEATURES|(?:__)?fish_.*|NU_.*|ENV_CONVERSIONS")
# Judging a text of this length takes a few milliseconds at most.
_READERS = ("cat", "head", "tail", "less", "type", "more")
_LONG_TEXT = 1_000
_LONGEST_PART = 80
_GAP = re.compile(r"[ \t]{40,}|\n[ \t\n]{10,}\n")
_LONGEST_VALUE = 200
_LONGEST_INPUT = 1_000


@functools.cache
def _policy_thread() -> ThreadPoolExecutor:
    """One thread for long texts: several would starve the event loop."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="policy")


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked before a command may run."""

    command: str
    working_directory: str
    reason: str
    rememberable: bool
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    stdin: str = ""
    opening: str = ""  # the first words, where it is not the rules that ask
    remembering: str = "allow this exact command for this session"  # the choice that is remembered

    @property
    def text(self) -> str:
        """The question in words."""
        opening = self.opening or f"May this command run in {self.working_directory}?"
        parts = [_visible(opening, kept=""), _without_gaps(_visible(self.command))]
        if self.environment:
            shown = {name: _shown(text, _LONGEST_VALUE) for name, text in self.environment.items()}
            rows = "\n".join(f"{name}={_visible(text, kept='')}" for name, text in shown.items())
            parts.append(f"With these variables:\n{rows}")
        if self.stdin:
            parts.append(f"It reads {len(self.stdin)} characters:\n{_shown(self.stdin, _LONGEST_INPUT)}")
        return "\n\n".join([*parts, f"({self.reason})"])


@dataclass(frozen=True, slots=True)
class Admission:
    """What comes with the permission to run."""

    secrets: frozenset[str] = frozenset()  # the names of the secrets that the command gets
    approved: bool = False  # whether a person has approved it
    rule: str = ""  # the rule that allows it


class VisibleNames(Collection[str]):
    """The variables that programs see: what they inherit, and what earlier commands have exported."""

    def __init__(self, exported: set[str], inherited: Callable[[], Collection[str]]) -> None:
        self._exported = exported
        self._inherited = inherited

    def __contains__(self, name: object) -> bool:
        """Look up what is inherited only when a name is asked for, which is seldom."""
        return name in self._exported or name in self._inherited()

    def __iter__(self) -> Iterator[str]:
        """All of them."""
        return iter({*self._exported, *self._inherited()})

    def __len__(self) -> int:
        """How many there are."""
        return len({*self._exported, *self._inherited()})


class Gate:
    """The rules of this server, and what the person has allowed since it started."""

    def __init__(  # noqa: PLR0913 - the rules and their circumstances
        self,
        policy: Policy,
        shell: str,
        single_command: SingleCommandCheck | None = None,
        program_table: ProgramTable | None = None,
        *,
        write_files: bool = True,
        directory: str | None = None,
        inherited: Callable[[], Collection[str]] = tuple,
    ) -> None:
        self.policy = policy
        self._has_secrets = bool(policy.secrets)
        self._program_table = program_table
        self._shell = shell
        self._single_command = single_command
        self._write_files = write_files and policy.allow_writes
        self._approved: set[tuple[object, ...]] = set()
        # The variables that commands inherit, and those that earlier commands have exported.
        self._exported: set[str] = set()
        self._visible = VisibleNames(self._exported, inherited)
        # The functions and traps that earlier commands have left in sessions.
        self._kept: set[str] = set()
        self._file_policy = Policy.build(
            (*policy.denies, *policy.asks, parse_rule("allow", "*")), policy.text_rules
        )
        # Where commands start; what a command that writes one file may write under an allowlist.
        self._directory = directory
        self._writing = replace(
            Policy.build([parse_rule("allow", "tee")], allow_writes=True),
            own_files=policy.own_files,
            files=policy.files,
        )

    async def admit(self, command: Command, ask: Ask | None) -> Admission:
        """Return what comes with the permission to run; raise Refused if the command may not."""
        if self._program_table is not None:
            self._admit_program(command, self._program_table)
            if self.policy.empty:
                return Admission(rule="allowed_commands")
        self._admit_single_command(command)
        self._admit_environment(command)
        if len(command.text) + len(command.stdin or "") > _LONG_TEXT:
            loop = asyncio.get_running_loop()
            verdict = await loop.run_in_executor(_policy_thread(), self._verdict, command)
        else:
            verdict = self._verdict(command)
        if verdict.decision == "ask":
            await self._admit_by_person(command, verdict, ask)
        elif verdict.decision == "deny":
            raise refusal(command.text, verdict)
        self._exported |= verdict.exported
        self._kept |= verdict.kept
        secrets = self.policy.secrets_for(verdict.commands) if self._has_secrets else frozenset[str]()
        return Admission(secrets, approved=verdict.decision == "ask", rule=verdict.rule)

    def start_in(self, directory: str) -> None:
        """Take another directory for the one in which commands start: the client has named its root."""
        self.policy = replace(self.policy, start_directory=directory)

    def take_over_session_state(self, earlier: Gate) -> None:
        """Take over what commands have exported and defined under the previous rules."""
        self._exported |= earlier._exported
        self._kept |= earlier._kept

    def admit_feeding(self, command: Command, text: str = "") -> None:
        """Raise Refused if what runs would take further input for commands that may not run."""
        if self.policy.empty:
            return
        verdict = self._judge(command, typed=True, given=text)
        if strictness(verdict.decision) > strictness(self._judge(command).decision):
            raise refusal(command.text, verdict)

    def may_leave(self, text: str) -> bool:
        """Whether a text may change the directory, where it matters in which one the next one runs."""
        if self.policy.empty or self._shell not in KNOWN_SHELLS:
            return False
        from nacre.policy.evaluation import changes_directory  # noqa: PLC0415  # loaded with the first verdict

        return changes_directory(text, self._shell)

    def can_read(self, path: str, directory: str) -> bool:
        """Whether some command that prints this file would be allowed or asked about."""
        return any(self._lets(reader, path, directory) for reader in _READERS)

    def _lets(self, reader: str, path: str, directory: str) -> bool:
        argv = (reader, path) if self._program_table is not None else None
        command = Command(f"{reader} {path}", directory, 0, argv=argv)
        try:
            if self._program_table is not None:
                self._admit_program(command, self._program_table)
            self._admit_single_command(command)
            return self.policy.empty or self._judge(command).decision != "deny"
        except Refused:
            return False

    def _admit_single_command(self, command: Command) -> None:
        """Under a command list, a text must be exactly one of the listed commands."""
        refused = self._single_command and self._single_command.refusal(command.text)
        if self._single_command and refused:
            quotable = refused.start > 0 and command.text[refused.start : refused.end].isprintable()
            advice = self._single_command.quoting.advice if quotable else ""
            verdict = Verdict("deny", "one command", refused.reason, refused.start, refused.end, advice)
            raise refusal(command.text, verdict)

    async def admit_file(self, work: FileWork, path: str, ask: Ask | None) -> Admission:
        """Raise Refused if the operation is not allowed on the file at `path`, links resolved.

        Enabling file tools allows them inside the directories; allow rules are about commands. Deny and ask
        rules that name a tool or match a path apply here, and so does the ban on writing. Under an allowlist,
        no file is written that no command may write, because programs take their instructions from it.
        """
        if work.writes and not self._write_files:
            raise Refused(
                f"Denied by the policy: {work.tool} writes a file (rule: allow_writes).",
                hint="A person can set allow_writes; you cannot.",
                rule="allow_writes",
            )
        if work.writes and (self.policy.mode == "allowlist" or self._program_table is not None):
            written = judge_argv(("tee", "--", path), self._writing, cwd=self._directory)
            if written.decision == "deny":
                raise refusal(path, written)
        directory = os.path.dirname(path)
        verdicts = {
            spelling: judge_argv((work.tool, spelling), self._file_policy, cwd=directory)
            for spelling in (path, work.path)
        }
        for spelling, verdict in verdicts.items():
            if verdict.decision == "deny":
                raise refusal(f"{work.tool} {spelling}", verdict)
        asking = next((verdict for verdict in verdicts.values() if verdict.decision == "ask"), None)
        if asking is not None:
            once = replace(asking, rememberable=asking.rememberable and not work.writes)
            await self._admit_by_person(Command(f"{work.tool} {path}", directory, 0), once, ask)
        return Admission(approved=asking is not None, rule=asking.rule if asking is not None else "")

    def _verdict(self, command: Command) -> Verdict:
        verdict = self._judge(command)
        if command.stdin:
            self._admit_input(command, command.stdin, verdict)
        return verdict

    def _judge(self, command: Command, *, typed: bool = False, given: str = "") -> Verdict:
        fed = bool(command.stdin)
        if command.argv is not None:
            return judge_argv(command.argv, self.policy, cwd=command.working_directory, fed=fed, typed=typed)
        if self._shell not in KNOWN_SHELLS:
            return judge_unread(command.text, self.policy)
        return judge(
            command.text,
            self.policy,
            shell=self._shell,
            cwd=command.working_directory,
            fed=fed,
            typed=typed,
            given=given or command.stdin or "",
            environment=command.environment,
            inherited=self._visible,
            kept=self._kept,
        )

    def _admit_program(self, command: Command, table: ProgramTable) -> None:
        objection = table.objection(command.argv, command.working_directory, command.environment)
        if objection is not None:
            raise Refused(objection, rule="allowed_commands")

    def _admit_input(self, command: Command, text: str, verdict: Verdict) -> None:
        """Judge the input of a shell, which is commands, too; if it is denied, the person is not asked."""
        for shell in {posixpath.basename(part.name) for part in verdict.commands} & KNOWN_SHELLS:
            inner = judge(text, self.policy, shell=shell, cwd=command.working_directory)
            if inner.decision == "deny":
                raise refusal(text, inner)

    def _admit_environment(self, command: Command) -> None:
        """Refuse variables that would change what runs, and so evade the rules."""
        if not command.environment or self.policy.empty:
            return
        from nacre.policy.variables import Objection, Setting, object_to  # noqa: PLC0415  # loaded with the first rules

        for name, value in command.environment.items():
            objection = object_to(Setting(name, value), self.policy, self._shell)
            if not name.isascii() or not name.isidentifier() or _IMPORTED.fullmatch(name):
                objection = Objection(f"the variable {name} changes what runs or how", "leave it out")
            if objection is not None:
                hint = f"{objection.hint[:1].upper()}{objection.hint[1:]}."
                message = f"Denied by the policy: environment.{name}: {objection.reason}."
                raise Refused(message, hint=hint, rule=f"environment.{name}")

    async def _admit_by_person(self, command: Command, verdict: Verdict, ask: Ask | None) -> None:
        environment = tuple(sorted(command.environment.items()))
        key = (command.text, command.working_directory, environment, command.stdin, command.session)
        if key in self._approved:
            return
        if ask is None:
            raise Refused(
                f"The policy wants a person to be asked, which this client cannot do: {verdict.reason} "
                f"(rule: {verdict.rule}).",
                hint="The person can allow it in nacre's configuration ([policy] allow); you cannot.",
                rule=verdict.rule,
            )
        question = Question(
            command.text,
            command.working_directory,
            verdict.reason,
            verdict.rememberable,
            command.environment,
            command.stdin or "",
        )
        answer = await ask(question)
        if answer == "no":
            hint = "Do not ask again; find another way."
            raise Refused("The person was asked and said no.", hint=hint, rule=verdict.rule)
        if answer == "session" and verdict.rememberable:
            self._approved.add(key)


def _visible(text: str, kept: str = "\n\t") -> str:
    """A text for a person: characters that cannot be seen, or turn the order of others round, are escaped."""
    return "".join(char if char.isprintable() or char in kept else f"\\x{ord(char):02x}" for char in text)


def _without_gaps(text: str) -> str:
    """Nothing stands where nobody looks: far to the right, or far below."""
    return _GAP.sub(lambda gap: f" [{len(gap.group())} blanks] ", text)


def _shown(text: str, longest: int) -> str:
    """A text for a person: invisible characters are escaped, and it is shortened."""
    text = leaving_text(text)
    plain = _visible(text[:longest], kept="\n")
    return plain if len(text) <= longest else f"{plain}… ({len(text) - longest} more)"


def refusal(text: str, verdict: Verdict) -> Refused:
    """A refusal that names the rule, the part of the command, the reason, and an alternative."""
    part = text[verdict.start : verdict.end].strip()
    where = f" `{leaving_beginning(part, _LONGEST_PART)}`" if part and part != text.strip() else ""
    return Refused(
        f"Denied by the policy{where}: {verdict.reason} (rule: {verdict.rule}).",
        hint=f"{verdict.hint[:1].upper()}{verdict.hint[1:]}." if verdict.hint else "",
        rule=verdict.rule,
    )
