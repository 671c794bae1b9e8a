"""Whether a program that is about to start may: the rules, held against its real path and arguments.

Above it: `places`, which puts the questions of the exec gate to it and takes the answers back. Below: the
policy, and `exec_gate` for a look at processes. In this order:

    what nacre itself starts            has been judged as a text: expected once, word for word
    what a deny rule names              never
    what an ancestor's rule lets start  `children` (see `policy.children`)
    what a rule allows                  the same verdict as for a command that is sent
    what a rule asks about              if a person has said yes to the command that it belongs to

An ancestor is known by its number and a mark of its own; without a known one the answer is strict.
A process is what it was until the kernel shows that it has become another program (`confirm`): an exec that
was allowed can still fail. Then its environment is looked at, too: what a shell has added to it is held
against the rules as an assignment in a text would be. What was refused is remembered for the command that it
belongs to, and reported with its result.

Each keeper's questions come from a thread of their own, and what nacre knows of commands from the event loop:
what they share is changed under one lock, and the rules are replaced as a whole. A verdict takes no lock.
"""

from __future__ import annotations

import os.path
import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from nacre.keeper.wire import COOKIE_NAME
from nacre.policy import Policy, Verdict, judge_argv
from nacre.policy.children import ANY, BY_DIRECTORY, admits, children_of
from nacre.policy.model import SYSTEM_DIRECTORIES, names
from nacre.policy.tables.shells import MULTICALL
from nacre.policy.variables import Setting, object_to
from nacre.sandbox.processes import (
    LivingProcesses,
    command_of,
    environment_of,
    identify,
    mark_of,
    process_numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from nacre.filesystem import FileSystem
    from nacre.sandbox.exec_gate import Exec

KEPT = 4096  # of each thing that is remembered
ENVIRONMENTS_KEPT = 64  # of one command
REFUSALS_KEPT = 3  # of one command
ANCESTORS = 64  # how far up they are looked for
LONG_ARGUMENTS = 1_000  # bytes; a verdict about less takes a fraction of a millisecond
FREE = names("true false echo printf test [")  # programs of these names do what the free builtins do
# What the functions that a shell comes with start by themselves.
SHELL_HELPERS = {"fish": ("dircolors", "uname")}
# What shells themselves keep in the environment of what they start.
KEPT_BY_SHELLS = {*names("_ A__z LOGNAME LS_COLORS OLDPWD PWD SHLVL USER"), COOKIE_NAME}
LOADERS = ("ld-linux", "ld-musl", "ld.so", "ld64.so")  # they run any file, whatever its permissions say


@dataclass(frozen=True, slots=True)
class Where:
    """What is known of the directories of programs."""

    search_path: Callable[[], Sequence[str]]  # of commands: where a bare name in a rule leads
    home: str
    writable: Callable[[str], bool]  # whether commands could change what lies at a real path


@dataclass(slots=True)
class _Command:
    """A command or a session's shell: what a person has said to it, and what it was refused."""

    id: int
    approved: bool = False
    trusted: bool = False
    environment: bytes = b""  # that nacre has given it
    harmless: set[tuple[bytes, str, str]] = field(default_factory=set[tuple[bytes, str, str]])
    refused: dict[str, str] = field(default_factory=dict[str, str])


class Process(NamedTuple):
    """What a process has become by an exec that was allowed, or what one comes from that is not known."""

    mark: int  # its own, which no later process of its number has
    command: int  # that it belongs to; 0: not known
    children: tuple[str, ...]  # what it and all below it may start
    checked: bool = False  # whether its environment is held against the rules


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer about one exec, and why."""

    allowed: bool
    children: tuple[str, ...] = ()
    asks: bool = False  # allowed, if a person has said yes to the command
    by_rule: bool = False  # allowed by a rule of its own, not by what started it
    rule: str = ""
    reason: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules that hold, and what was found by them."""

    given: Policy
    policy: Policy  # with the programs that do what free builtins do
    forbidding: Policy  # what is denied or asked about, wherever it is started
    verdicts: OrderedDict[tuple[object, ...], Decision]

    @classmethod
    def of(cls, policy: Policy) -> _Rules:
        has_free = policy.free_builtins and policy.mode == "allowlist"
        forbidding = replace(
            policy,
            rules=(*policy.denies, *policy.asks),
            allows=(),
            allows_by_name={},
            allows_by_glob=(),
            mode="open",
            allow_writes=True,
            allowed_directories=(),
        )
        extended = policy.allowing(sorted(FREE)) if has_free else policy
        return cls(policy, extended, forbidding, OrderedDict())


class ExecRules:
    """The rules of one server for all that its commands start. Any thread may ask."""

    def __init__(self, policy: Policy, where: Where) -> None:
        self._where = where
        self._expected: OrderedDict[tuple[str, tuple[str, ...]], list[int]] = OrderedDict()
        self._commands: OrderedDict[int, _Command] = OrderedDict()
        self._processes: OrderedDict[int, Process] = OrderedDict()
        self._given = b""  # the environment of the latest command
        self._living = LivingProcesses()
        self._pending: OrderedDict[int, Process] = OrderedDict()  # what may become another program
        self._lock = threading.Lock()
        self._rules: _Rules
        self.adopt(policy)

    def adopt(self, policy: Policy) -> None:
        """From now on these rules hold."""
        rules = _Rules.of(policy)
        with self._lock:
            self._rules = rules
            for command in self._commands.values():
                command.harmless.clear()

    def close(self) -> None:
        """Stop: no more questions will come."""
        with self._lock:
            self._living.close()

    # -- what nacre knows of its commands

    def expect(self, command: int, program: str, argv: Sequence[str]) -> None:
        """nacre is about to start this itself, with these words. No program: it is found on the PATH."""
        key = (_normal_path(program) if program else "", tuple(argv))
        with self._lock:
            self._commands[command] = _Command(command)
            _bound(self._commands)
            self._expected.setdefault(key, []).append(command)
            _bound(self._expected)

    def approve(self, command: int, *, approved: bool) -> None:
        """Whether a person has said yes to what a command runs now."""
        with self._lock:
            if (known := self._commands.get(command)) is not None:
                known.approved = approved

    def trust(self, command: int) -> None:
        """It is not an agent's: it may start what it likes."""
        with self._lock:
            if (known := self._commands.get(command)) is not None:
                known.trusted = True

    def take_refusals(self, command: int) -> tuple[str, ...]:
        """What was refused to a command since the last time, in sentences."""
        with self._lock:
            known = self._commands.get(command)
            if known is None or not known.refused:
                return ()
            refused, known.refused = tuple(known.refused.values()), {}
        return refused

    # -- one exec

    def is_long(self, asked: Exec) -> bool:
        """Whether a verdict may take long enough to keep others waiting."""
        return len(asked.line) > LONG_ARGUMENTS

    def is_expected(self, pid: int, path: str, argv: tuple[str, ...]) -> bool:
        """Whether nacre itself starts this; then it is known from now on."""
        if (path, argv) not in self._expected:  # the usual case: no need to wait
            return False
        with self._lock:
            waiting = self._expected.get((path, argv))
            if not waiting:
                return False
            command = waiting.pop(0)
            if not waiting:
                del self._expected[path, argv]
            mark = self._living.hold(pid)
            helpers = SHELL_HELPERS.get(_name(path), ())
            self._await(pid, Process(mark, command, helpers))
        return bool(mark)

    def is_fixed(self, path: str) -> bool:
        """Whether no command can change where a path leads."""
        return _is_in(path, SYSTEM_DIRECTORIES) and not self._where.writable(path)

    def confirm(self, asked: Exec) -> bool:
        """A process has become what was allowed; whether it may go on. OSError: it is gone."""
        with self._lock:
            process = self._pending.pop(asked.pid, None)
            if process is None:
                return False
            command = self._commands.get(process.command)
            if not asked.real_path and command is not None:  # nacre has started it
                command.environment = self._given = environment_of(asked.pid)
            elif process.checked and not self._is_harmless(asked, command):
                return False
            self._remember(asked.pid, process)
        return True

    def _is_harmless(self, asked: Exec, command: _Command | None) -> bool:
        """Whether nothing speaks against the variables that were added since nacre started the command."""
        if command is not None and command.approved:
            return True
        called, name = _called(asked), _name(asked.real_path)
        looked_at = (environment_of(asked.pid), called, name)
        if command is not None and looked_at in command.harmless:
            return True
        given = command.environment if command is not None else self._given
        objection = self._objection_to(looked_at[0], given, frozenset({called, name}))
        if command is None:
            return objection is None
        if objection is not None:
            self._note(command, asked, objection)
            return False
        if len(command.harmless) < ENVIRONMENTS_KEPT:
            command.harmless.add(looked_at)
        return True

    def _objection_to(self, environment: bytes, given: bytes, programs: frozenset[str]) -> Decision | None:
        for entry in frozenset(environment.split(b"\0")).difference(given.split(b"\0")):
            name, _, value = os.fsdecode(entry).partition("=")
            if not name or name in KEPT_BY_SHELLS:
                continue
            found = object_to(Setting(name, value, programs=programs), self._rules.policy)
            if found is not None:
                return Decision(allowed=False, rule="environment", reason=found.reason, hint=found.hint)
        return None

    def judge(self, asked: Exec) -> bool:
        """Whether it may start."""
        caller = self.caller(asked)
        return self.conclude(asked, caller, self.decide(asked, caller))

    def conclude(self, asked: Exec, caller: Process, decision: Decision) -> bool:
        """Whether it may start, after a decision."""
        with self._lock:
            return self._conclude(asked, caller, decision)

    def _conclude(self, asked: Exec, caller: Process, decision: Decision) -> bool:
        self._pending.pop(asked.pid, None)
        command = self._commands.get(caller.command)
        if command is not None and command.trusted:
            decision = Decision(allowed=True, children=ANY)
        if decision.allowed and (not decision.asks or (command is not None and command.approved)):
            inherited = caller.children
            children = _together(inherited, decision.children) if decision.children else inherited
            checked = decision.by_rule and inherited != ANY
            self._await(asked.pid, Process(caller.mark, caller.command, children, checked))
            return True
        if command is None:  # for the command that it seems to concern; it gives no rights
            command = self._commands.get(command_of(asked.pid))
        if command is not None:
            self._note(command, asked, decision)
        return False

    def _note(self, command: _Command, asked: Exec, decision: Decision) -> None:
        if len(command.refused) < REFUSALS_KEPT:
            command.refused.setdefault(asked.real_path, _sentence(asked, decision))

    def _await(self, pid: int, process: Process) -> None:
        self._pending[pid] = process
        if len(self._pending) > KEPT:
            _bound(self._pending)

    def _remember(self, pid: int, process: Process) -> None:
        self._processes.pop(pid, None)
        self._processes[pid] = process
        if len(self._processes) > KEPT:
            self._forget_ended()

    def _forget_ended(self) -> None:
        """Processes end without our knowledge; those that live are kept, as long as there is room."""
        numbers = process_numbers()
        for pid, process in tuple(self._processes.items()):
            if pid not in numbers or mark_of(pid) != process.mark:
                del self._processes[pid]
        _bound(self._processes, KEPT // 2)

    def caller(self, asked: Exec) -> Process:
        """What the process is that calls, by its own last exec or that of an ancestor."""
        with self._lock:
            return self._caller(asked)

    def _caller(self, asked: Exec) -> Process:
        own = self._processes.get(asked.pid)
        if own is not None and own.mark == asked.mark:
            return own
        at = asked.parent
        for _ in range(ANCESTORS):
            known = self._processes.get(at)
            if known is not None and self._living.has(at, known.mark):
                return Process(asked.mark, known.command, known.children)
            try:
                at = identify(at).parent
            except OSError:
                break
            if at <= 1:
                break
        return Process(asked.mark, 0, ())

    # -- the verdict

    def decide(self, asked: Exec, caller: Process) -> Decision:
        """The answer for a process with that ancestor, without side effects."""
        key = (asked.path, asked.real_path, asked.argv, asked.directory, asked.script, caller.children)
        rules = self._rules
        found = rules.verdicts.get(key)
        if found is None:
            files = _Noticing(rules.policy, asked.directory)
            found = self._decide(rules, asked, caller.children, files)
            if not files.depends:
                rules.verdicts[key] = found
                _bound(rules.verdicts)
        return found

    def _decide(self, rules: _Rules, asked: Exec, inherited: tuple[str, ...], files: _Noticing) -> Decision:
        own_names = self._names(asked)
        if reason := self._disguise(asked):
            return Decision(allowed=False, rule="programs", reason=reason)
        forbidding = replace(rules.forbidding, files=cast("FileSystem", files))
        objections = [self._objection(name, asked, forbidding) for name in self._all_names(asked, own_names)]
        objection = next(filter(None, objections), None)
        if objection is not None and objection.decision == "deny":
            return _refused(objection)
        if rules.policy.mode != "allowlist" or self._may_be_started(inherited, own_names, asked):
            return Decision(
                allowed=True, asks=objection is not None, rule=objection.rule if objection else ""
            )
        if asked.script and not self._where.writable(asked.script):
            return Decision(
                allowed=True, children=ANY
            )  # the interpreter of a file that commands cannot change
        return self._by_rule(own_names, asked, rules, cast("FileSystem", files))

    def _may_be_started(self, inherited: tuple[str, ...], own_names: Sequence[str], asked: Exec) -> bool:
        """Whether an ancestor's rule lets it start; where commands can write, there are no helpers."""
        if not BY_DIRECTORY.isdisjoint(inherited) and self._where.writable(asked.real_path):
            inherited = tuple(child for child in inherited if child not in BY_DIRECTORY)
        return admits(inherited, own_names, asked.argv)

    def _by_rule(self, own_names: Sequence[str], asked: Exec, rules: _Rules, files: FileSystem) -> Decision:
        if reason := _renamed(asked):
            return Decision(allowed=False, rule="programs", reason=reason)
        policy = replace(rules.policy, files=files)
        verdicts = [
            (name, judge_argv((name, *asked.argv[1:]), policy, cwd=asked.directory)) for name in own_names
        ]
        name, verdict = min(verdicts, key=lambda pair: _STRICTNESS[pair[1].decision])
        if verdict.decision == "deny":
            # Without the free programs, which would be listed as if a person had named them.
            plain = replace(rules.given, files=files)
            return _refused(judge_argv((own_names[0], *asked.argv[1:]), plain, cwd=asked.directory))
        by_text = {rule.text: rule for rule in (*policy.allows, *policy.asks)}
        matched = [by_text[found.rule] for found in verdict.commands if found.rule in by_text]
        children = [child for rule in matched for child in children_of(rule, name, asked.argv)]
        return Decision(
            allowed=True,
            children=tuple(dict.fromkeys(children)),
            asks=verdict.decision == "ask",
            by_rule=True,
            rule=verdict.rule,
            reason=verdict.reason,
        )

    def _objection(self, name: str, asked: Exec, forbidding: Policy) -> Verdict | None:
        """What a deny or ask rule says; what it cannot know of a text inside is seen when that runs."""
        if not (forbidding.denies or forbidding.asks or forbidding.text_rules):
            return None
        verdict = judge_argv((name, *asked.argv[1:]), forbidding, cwd=asked.directory)
        named = {rule.text for rule in (*forbidding.denies, *forbidding.asks)}
        named |= {rule.pattern.pattern for rule in forbidding.text_rules}
        found = [part for part in verdict.commands if part.decision != "allow" and part.rule in named]
        if not found:
            return None
        worst = max(found, key=lambda part: _STRICTNESS[part.decision])
        return Verdict(worst.decision, worst.rule, worst.reason, hint=worst.hint)

    # -- names

    def _names(self, asked: Exec) -> list[str]:
        """What a rule may call the program by, the plainest first."""
        given, real, searched = asked.path, asked.real_path, self._where.search_path()
        if _is_in(real, SYSTEM_DIRECTORIES) and not _is_in(given, (*SYSTEM_DIRECTORIES, *searched)):
            given = real  # a link is not another program
        is_plain = _is_in(given, SYSTEM_DIRECTORIES) or (_is_in(given, searched) and not self._shadows(asked))
        found = [os.path.basename(given), given] if is_plain else [given]
        for base, short in ((asked.directory, "."), (self._where.home, "~")):
            if given.startswith(base.rstrip("/") + "/"):
                found.append(f"{short}/{given[len(base.rstrip('/')) + 1 :]}")
        return [_called(asked)] if found[0] in MULTICALL else found

    def _shadows(self, asked: Exec) -> bool:
        """Whether commands could have put it there, in the place of a program of the same name."""
        name = os.path.basename(asked.path)
        return self._where.writable(asked.real_path) and any(
            self._rules.policy.world.is_file(os.path.join(directory, name))
            for directory in SYSTEM_DIRECTORIES
        )

    def _all_names(self, asked: Exec, own_names: Sequence[str]) -> Iterable[str]:
        return dict.fromkeys([own_names[0], os.path.basename(asked.path), os.path.basename(asked.real_path)])

    def _disguise(self, asked: Exec) -> str:
        if asked.real_path.startswith("/memfd:") or asked.real_path.endswith(" (deleted)"):
            return "it is a program without a name of its own"
        if os.path.basename(asked.real_path).startswith(LOADERS) and not asked.script:
            return "it starts whatever file it is given"
        return ""


_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


class _Noticing:
    """The files of a place; it notices whether a verdict depended on more than the fixed directories."""

    def __init__(self, policy: Policy, directory: str) -> None:
        self._files = policy.world
        fixed = (*policy.allowed_directories, *policy.output_directories, *policy.own_files)
        self._fixed = {directory, self._files.home, *fixed}
        self.depends = False

    def __getattr__(self, name: str) -> object:
        asked = getattr(self._files, name)
        if not callable(asked):
            return asked

        def ask(path: str, *more: object) -> object:
            self.depends = self.depends or path not in self._fixed
            return asked(path, *more)

        return ask


def _called(asked: Exec) -> str:
    """What a program with many names does: what its first word says."""
    return _name(asked.argv[0] if asked.argv else asked.real_path)


def _renamed(asked: Exec) -> str:
    """`exec -a git-grep git log -Ox`: what a program is called can be what it does."""
    called = _called(asked)
    known = {_name(asked.path), _name(asked.real_path)}
    # A login shell has a dash before its name.
    if asked.script or known & MULTICALL or called.removeprefix("-") in known:
        return ""
    return f"it is given another name, {called!r}, by which it may do something else"


@lru_cache(64)
def _normal_path(path: str) -> str:
    """Nearly always that of the shell."""
    return os.path.normpath(path)


def _name(path: str) -> str:
    """What stands after the last slash; `basename` takes five times as long."""
    return path[path.rfind("/") + 1 :]


def _together(inherited: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    if not own or inherited == ANY:
        return inherited
    together = dict.fromkeys((*inherited, *own))
    return ANY if ANY[0] in together else tuple(together)


def _is_in(path: str, directories: Iterable[str]) -> bool:
    return os.path.dirname(path) in directories


def _refused(verdict: Verdict) -> Decision:
    return Decision(allowed=False, rule=verdict.rule, reason=verdict.reason, hint=verdict.hint)


def _sentence(asked: Exec, decision: Decision) -> str:
    program = asked.path if not asked.script else f"{asked.script} (for {asked.path})"
    if decision.allowed:
        return (
            f"{program} was not started: a person must be asked about it ({decision.rule}), which is only"
            " possible for a command that names it itself."
        )
    hint = f" {decision.hint[:1].upper()}{decision.hint[1:]}." if decision.hint else ""
    return f"{program} was not started: {decision.reason} (rule: {decision.rule}).{hint}"


def _bound(kept: OrderedDict[Any, Any], most: int = KEPT) -> None:
    while len(kept) > most:
        kept.popitem(last=False)
