"""Looking through a command: what it really runs, and wrappers down to the command inside.

Above: `interpreters` and `programs` add the programs that need more than a table. Below:
`argument_inspector`, which reads arguments by the tables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.argument_inspector import ArgumentInspector, pattern_of
from nacre.policy.builtins import SHELLS_WITH_BUILTINS, array_names, entered, read_builtin
from nacre.policy.effects import (
    ASSIGNMENT,
    Assigned,
    Effect,
    Effects,
    Role,
    Script,
    Step,
    base_name,
    instead_of_activating,
    is_system_name,
    position,
    shown,
    texts_for_chosen_shell,
    unknown_at,
    unknown_text,
    unresolved,
)
from nacre.policy.model import UNKNOWN, Word
from nacre.policy.options import Argument, compiled, read
from nacre.policy.patterns import regex
from nacre.policy.tables.schema import Wrapper
from nacre.policy.tables.shells import MULTICALL, ONLY_SHOWS, RUNNERS, UNRESOLVABLE
from nacre.policy.tables.windows import HARMLESS_CMDLETS, POWERSHELL_ALIASES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


MAX_WRAPPERS = 20
_WRITE_NUMBER = "write the number out"
_WRITE_NAME = "write the program's name out: no rule can allow what is not known"
# What runs a builtin as a builtin; the builtins that are programs, too, and do the same.
_OF_THE_SHELL = frozenset({"command", "builtin", "exec", "noglob", "nocorrect", "time"})
# Of these, no program looks through its arguments: `env builtin ls` starts one of that name, and no ls.
_BUILTINS_ALONE = frozenset({"builtin", "noglob", "nocorrect"})
# In other shells `builtin` is a program, if there is one; that of ksh adds builtins.
_WITH_BUILTIN = frozenset({"bash", "zsh", "mksh", "fish"})
_PROGRAMS_TOO = frozenset({"echo", "printf", "test", "[", "true", "false"})
# Some systems have scripts of these names that hand their arguments to bash's builtin.
_SCRIPTS_TOO = frozenset({"getopts", "jobs", "read", "wait"})
_CHANGES_THE_SHELL = frozenset({"alias", "autoload", "setopt", "unsetopt", "zmodload", "emulate", "bind"})
_LOADER = regex(r"ld(?:-linux|-musl|64|\.so|-[0-9.]+\.so).*\Z")
_LOADER_WRAPPER = Wrapper(names="ld.so", reason="the dynamic loader starts its argument", transparent=False)
_ONLY_HELPS = frozenset({"-h", "-V", "--help", "--version"})
# Options of busybox and its like with which they only tell what they are.
_LISTS_PROGRAMS = frozenset({"--help", "--version", "--list", "--list-full", "--long"})
_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z")


class Inspector(ArgumentInspector):
    """One simple command being looked through."""

    def walk(self, words: tuple[Word, ...]) -> None:
        """One command, and through it to the commands inside."""
        self.depth += 1
        word = words[0]
        if self.depth > MAX_WRAPPERS:
            self.step(words, [unresolved(word, "too many wrappers around a command")])
            return
        if word.expansions or word.glob is not None or word.braces:
            reason = "the command's name is only known when it runs"
            self.step(words, [unresolved(word, reason, hint=_WRITE_NAME)])
            return
        self.is_started = self.is_started or (self.depth > 1 and self._starts_programs(self.outer))
        self.outer = word.text
        if "/" not in word.text and self._builtin(words):
            return
        name = base_name(word.text)
        reader = self.reader(name)
        if reader is not None:
            reader(words)
        elif not self._is_known(name) and self._is_known(plain := _without_case(name)):
            self._with_plain_name(words, plain)
        else:
            self._program(name, words)

    def _is_known(self, name: str) -> bool:
        return (
            tables.has_entry(name) or name in UNRESOLVABLE or name in RUNNERS or self.reader(name) is not None
        )

    def _with_plain_name(self, words: tuple[Word, ...], plain: str) -> None:
        """`GIT`, `git.exe`: on some systems that is git. Rules see the name as it is written."""
        word, before = words[0], len(self.found.steps)
        directory = word.text.rpartition("/")[:2]
        known = word.with_text("".join((*directory, plain)))
        self.walk((known, *words[1:]))
        for at, step in enumerate(self.found.steps[before:], before):
            if step.words[0] is known:
                shown_to_rules = (word, *step.rule_words[1:])
                self.found.steps[at] = replace(step, words=(word, *step.words[1:]), rule_words=shown_to_rules)

    def _starts_programs(self, wrapper: str) -> bool:
        """Whether what stands behind a wrapper is a program in any case, also if a builtin has its name."""
        return wrapper not in _OF_THE_SHELL or (wrapper == "command" and self.context.shell == "fish")

    def _builtin(self, words: tuple[Word, ...]) -> bool:
        """A builtin of the shell that reads the text, if there is one."""
        context = self.context
        if context.shell not in SHELLS_WITH_BUILTINS:
            return False
        if self.is_started and words[0].text not in _PROGRAMS_TOO:
            return False  # `xargs type`: a program of that name
        if context.arrays is None and words[0].text == "local":
            context.arrays = array_names(context.commands)
        source = context.source if self.depth == 1 else ""
        found = read_builtin(words, context.shell, context.arrays or frozenset(), source)
        if found is None:
            return False
        self.found.assigned += found.assigned
        if found.kept is not None:
            self.keep(found.kept, to_end=found.kept_to_end)
        self.found.steps.append(
            Step(words, "command", tuple(found.effects), words, free=found.free, paths=entered(words))
        )
        return True

    def keep(self, word: Word, *, to_end: bool) -> None:
        """A text that the shell runs later, in whatever directory it is in then."""
        exact = self.context.source[word.start + 1 : word.end - 1] == word.text
        place = (word.start, word.end)
        self.found.scripts.append(
            Script(word.text, self.context.shell, *place, exact, later=True, among_others=not to_end)
        )

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """How a program is looked through, if an option table is not enough."""
        wrapper = tables.wrapper(name)
        if wrapper is not None and not (self.is_started and name in _BUILTINS_ALONE):
            if name == "builtin" and self.context.shell not in _WITH_BUILTIN:
                wrapper = replace(wrapper, transparent=False)
            return lambda words: self.wrapper(words, wrapper)
        if name in MULTICALL:
            return self._multicall
        if name.startswith("ld") and _LOADER.match(name):
            return lambda words: self.wrapper(words, _LOADER_WRAPPER)
        return None

    def _program(self, name: str, words: tuple[Word, ...]) -> None:
        found = Effects()
        entry = tables.program(name)
        skip = 0
        if name in UNRESOLVABLE:
            found.add(_unresolvable(name, words))
        elif name in RUNNERS and tuple(word.text for word in words[1:]) not in ONLY_SHOWS.get(name, ()):
            flag = next((word.text for word in words[1:2]), "")
            found.add(unresolved(words[0], f"`{name}` {RUNNERS[name]}", flag))
        elif name in _SCRIPTS_TOO:
            use = read_builtin((words[0].with_text(name), *words[1:]), "bash", frozenset())
            for effect in use.effects if use is not None else ():
                found.add(effect)
        if entry is None:
            self.vouched(words[1:], found, harmless=self._is_harmless_cmdlet(name))
        else:
            skip = self.arguments(entry, words[1:], found)
        self.finish(words, found, skip)

    def _is_harmless_cmdlet(self, name: str) -> bool:
        if self.context.shell not in {"powershell", "pwsh"}:
            return False
        folded = name.casefold()
        return POWERSHELL_ALIASES.get(folded, folded) in HARMLESS_CMDLETS

    def wrapper(self, words: tuple[Word, ...], wrapper: Wrapper) -> None:
        """A command whose arguments are another command."""
        found = Effects()
        given = read(compiled(wrapper), words[1:])
        inner = self._inner_of(words, wrapper, given, found)
        if wrapper.replaces:
            inner = tuple(unknown_at(word) if word.text == wrapper.replaces else word for word in inner)
        role: Role = "wrapper" if wrapper.transparent and is_system_name(words[0].text) else "outer"
        if not inner:
            # Nothing inside: the wrapper is itself the command (`env`, `exec > log`).
            if wrapper.starts_shell and not any(item.flag in _ONLY_HELPS for item in given):
                found.add(unresolved(words[0], "without a command it starts a shell, which reads its input"))
            self.step(words, found.effects, "command", rememberable=False, paths=found.paths)
            return
        joined = wrapper.joined and not any(item.flag in wrapper.unless.split() for item in given)
        text = self._shell_text(inner, wrapper, found, joined=joined)
        self.step(
            words[: len(words) - len(inner)], found.effects, role, rememberable=False, paths=found.paths
        )
        if not text:
            self.walk(inner)

    def wrapper_options(self, given: Sequence[Argument], wrapper: Wrapper, found: Effects) -> None:
        """The options of a wrapper; one that is not known hides where the command begins."""
        for item in given:
            if item.kind == "unlisted":
                reason = f"the option `{shown(item.flag)}` of a wrapper is not known"
                found.add(unresolved(item.word, reason, item.flag, hint=item.hint))
            elif item.kind == "unproven" and wrapper.operand and not item.reason:
                reason = "this value can turn out to be an option, or the command"
                found.add(unresolved(item.word, reason, hint=_WRITE_NUMBER))
            elif item.kind != "operand":
                self.option(wrapper, item, found)
            if item.kind == "places":  # env -C: the command runs there
                found.uses(item.value, "enter")
            for value in item.values:
                if value.may_vanish:
                    reason = "without output there is no value, and the next word is taken for it"
                    found.add(unresolved(value, reason, hint="put it into double quotes"))

    def _inner_of(
        self, words: tuple[Word, ...], wrapper: Wrapper, given: Sequence[Argument], found: Effects
    ) -> tuple[Word, ...]:
        """The words after a wrapper's options, operands and assignments."""
        self.wrapper_options(given, wrapper, found)
        first = next((item for item in given if item.kind in {"operand", "unproven"}), None)
        if first is None:
            return ()
        index = position(words, first.word)
        if first.kind == "unproven":
            return ()
        operands = wrapper.operands
        while index < len(words):
            word = words[index]
            if wrapper.assignments and word.text == "-":
                pass
            elif wrapper.assignments and (name := ASSIGNMENT.match(word.text)) and not word.splits:
                self.found.assigned.append(Assigned(name.group(1), word, before_command=True))
            elif wrapper.assignments and "=" in word.text and not word.dynamic:
                reason = "it takes this for a variable, whatever its name, and the next word for the command"
                found.add(unresolved(word, reason, hint="leave it out"))
                return ()
            elif operands and not word.several and not word.may_vanish:
                operands -= 1
                self._wrapper_operand(wrapper, word, found)
            else:
                break
            index += 1
        if index < len(words) and words[index].several:
            found.add(unresolved(words[index], "a wrapper's arguments are only known when it runs"))
            return words[index:] if not words[index].dynamic else ()
        return words[index:]

    def _wrapper_operand(self, wrapper: Wrapper, word: Word, found: Effects) -> None:
        """What stands before the command: a number of processors, a file that is locked."""
        pattern = pattern_of(wrapper.operand)
        if pattern is not None and not (word.number or (word.literal and pattern.fullmatch(word.text))):
            reason = f"`{shown(word.text)}` may be taken for the command"
            found.add(unresolved(word, reason, hint=_WRITE_NUMBER))
        if wrapper.makes_file:
            found.uses(word, "touch")

    def _shell_text(self, inner: tuple[Word, ...], wrapper: Wrapper, found: Effects, *, joined: bool) -> bool:
        """`watch ls -l`, `flock f -c 'ls'`: the command is a text for a shell."""
        flags = {item.rstrip("=") for item in wrapper.shell_text.split()}
        given = inner[0].text in flags and len(inner) > 1
        if not given and not joined:
            return False
        words = list(inner[1:2] if given else inner)
        if not all(word.literal for word in words):
            found.add(unknown_text(words[0]))
        else:
            text, place = " ".join(word.text for word in words), (words[0].start, words[-1].end)
            scripts, objection = [Script(text, "sh", *place, exact=False)], None
            if given:
                scripts, objection = texts_for_chosen_shell(text, *place)
            self.found.scripts += scripts
            found.effects += [objection] if objection is not None else []
        return True

    def _multicall(self, words: tuple[Word, ...]) -> None:
        inner = words[1:]
        if not inner or inner[0].text.startswith("--"):
            effects: list[Effect] = []
            if inner and not (inner[0].literal and inner[0].text in _LISTS_PROGRAMS):
                reason = f"`{shown(inner[0].text)}` may name a program, or put links to it somewhere"
                effects.append(unresolved(inner[0], reason, inner[0].text if inner[0].literal else ""))
            self.step(words, effects, rememberable=False)
            return
        self.step(words[:1], (), "outer", rememberable=False)
        self.walk(inner)


def _without_case(name: str) -> str:
    return base_name(_EXECUTABLE_SUFFIX.sub("", name.casefold()))


def _unresolvable(name: str, words: tuple[Word, ...]) -> Effect:
    """A builtin that runs text; of `source file` a person can vouch for the file."""
    reason = f"`{name}` {UNRESOLVABLE[name]}"
    file = next(iter(words[1:]), words[0])
    known = name in {"source", "."} and not (file.several or file.dynamic or file.text.startswith("-"))
    hint = instead_of_activating(words) or ("leave it out" if name in _CHANGES_THE_SHELL else "")
    return (
        unresolved(file, reason, file.text, hint=hint) if known else unresolved(words[0], reason, hint=hint)
    )


__all__ = ["MAX_WRAPPERS", "UNKNOWN", "Inspector"]
