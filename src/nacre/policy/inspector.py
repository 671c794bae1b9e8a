"""Looking through a command: arguments by their tables, and wrappers down to the command inside.

Above: `interpreters` and `programs` add the programs that need more than a table. Below: `effects`,
`options`, `tables`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import SHELLS_WITH_BUILTINS, array_names, entered, read_builtin
from nacre.policy.effects import (
    ANY,
    ASSIGNMENT,
    Assigned,
    Effect,
    Effects,
    Inspection,
    PathUse,
    Role,
    Script,
    Step,
    any_beginning,
    any_end,
    base_name,
    from_elsewhere,
    instead_of_activating,
    is_free,
    is_near,
    is_system_name,
    position,
    runs,
    shown,
    unknown_at,
    unlisted,
    unproven,
    unresolved,
    writes,
)
from nacre.policy.model import UNKNOWN, Word
from nacre.policy.options import Argument, compiled, read
from nacre.policy.patterns import regex
from nacre.policy.project_runners import inner_command, is_of_the_system
from nacre.policy.tables.schema import Wrapper
from nacre.policy.tables.shells import MULTICALL, ONLY_SHOWS, RUNNERS, UNRESOLVABLE
from nacre.policy.tables.windows import HARMLESS_CMDLETS, POWERSHELL_ALIASES
from nacre.policy.unpacking import find_unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nacre.policy.effects import Access
    from nacre.policy.options import Kind
    from nacre.policy.tables.schema import Options, Program
    from nacre.policy.values import Context

MAX_WRAPPERS = 20
# What runs a builtin as a builtin; the builtins that are programs, too, and do the same.
_OF_THE_SHELL = frozenset({"command", "builtin", "exec", "noglob", "nocorrect", "time"})
# Of these, no program looks through its arguments: `env builtin ls` starts one of that name, and no ls.
_BUILTINS_ALONE = frozenset({"builtin", "noglob", "nocorrect"})
_PROGRAMS_TOO = frozenset({"echo", "printf", "test", "[", "true", "false"})
_LOADER = regex(r"ld(?:-linux|-musl|64|\.so|-[0-9.]+\.so).*\Z")
_LOADER_WRAPPER = Wrapper(names="ld.so", reason="the dynamic loader starts its argument", transparent=False)
# How the value of an option is used as a path.
_ACCESS: dict[Kind, Access] = {
    "reads": "read",
    "places": "read",
    "writes": "write",
    "changes": "change",
    "fills": "fill",
    "enters": "enter",
    "follows": "leave",
    "unlisted": "maybe",
}
# Some options take several files, or a file behind a name: -cp a:b, -f a,b, -F name=@file.
_LISTED = regex(r"(?<!:)[,:=@]+(?!//)")
# A path that leads away from the working directory, at least at first sight.
_IS_PATH = regex(r"(?:/|\.\./)[^@]*\Z")
# Addresses of keys and certificates that libraries open by loading a module; any address at all.
_CODE_ADDRESS = regex(r"(?i)(?:org\.openssl\.\w+|pkcs11|engine|tpmkey|tpm2tss|handle):")
_ADDRESS = regex(r"[A-Za-z][A-Za-z0-9+.-]+:")
_LITERAL_PART = regex(r"[A-Za-z][A-Za-z0-9.-]+")
# What an unknown end of a word could be, to ask whether a program would refuse it.
_ENDINGS = ("", "::x", "=$(x)", "://x", "{x", "/x", ".js", ";x", "@x")


class Inspector:
    """One simple command being looked through."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found = Inspection()
        self.depth = 0
        # The name before the command that is looked at; does a program start it, which knows no builtins?
        self.outer = ""
        self.is_started = not context.shell  # without a shell, there are programs only

    def walk(self, words: tuple[Word, ...]) -> None:
        """One command, and through it to the commands inside."""
        self.depth += 1
        word = words[0]
        if self.depth > MAX_WRAPPERS:
            self.step(words, [unresolved(word, "too many wrappers around a command")])
            return
        if word.expansions or word.glob is not None or word.braces:
            self.step(words, [unresolved(word, "the command's name is only known when it runs")])
            return
        self.is_started = self.is_started or (self.depth > 1 and self._starts_programs(self.outer))
        self.outer = word.text
        if "/" not in word.text and self._builtin(words):
            return
        name = base_name(word.text)
        reader = self.reader(name)
        if reader is not None:
            reader(words)
            return
        self._program(name, words)

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
        found = read_builtin(words, context.shell, context.arrays or frozenset())
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
            return lambda words: self.wrapper(words, wrapper)
        if name in MULTICALL:
            return self._multicall
        if name.startswith("ld") and _LOADER.match(name):
            return lambda words: self.wrapper(words, _LOADER_WRAPPER)
        return None

    def step(  # noqa: PLR0913 - the fields of a step
        self,
        words: tuple[Word, ...],
        effects: Sequence[Effect] = (),
        role: Role = "command",
        *,
        rememberable: bool = True,
        rule_words: tuple[Word, ...] = (),
        paths: Sequence[PathUse] = (),
    ) -> None:
        """Write one step down."""
        self.found.steps.append(
            Step(words, role, tuple(effects), rule_words or words, rememberable, paths=tuple(paths))
        )

    # -- programs ------------------------------------------------------------------------------------------

    def _program(self, name: str, words: tuple[Word, ...]) -> None:
        found = Effects()
        entry = tables.program(name)
        skip = 0
        if name in UNRESOLVABLE:
            found.add(_unresolvable(name, words))
        elif name in RUNNERS and tuple(word.text for word in words[1:]) not in ONLY_SHOWS.get(name, ()):
            flag = next((word.text for word in words[1:2]), "")
            found.add(unresolved(words[0], f"`{name}` {RUNNERS[name]}", flag))
        if entry is None:
            self.vouched(words[1:], found, harmless=self._is_harmless_cmdlet(name))
        else:
            skip = self.arguments(entry, words[1:], found)
        self.finish(words, found, skip)

    def finish(self, words: tuple[Word, ...], found: Effects, skip: int = 0) -> None:
        """Write the step of a program down; rules need not see the first `skip` arguments."""
        effects = found.effects
        if not is_system_name(words[0].text):
            # Another program of that name, which only a rule that spells it allows: the table is a guess.
            effects = [effect for effect in effects if effect.kind != "unlisted"]
        rule_words = (words[0], *words[1 + skip :]) if skip else ()
        self.step(words, effects, rule_words=rule_words, paths=found.paths)

    def _is_harmless_cmdlet(self, name: str) -> bool:
        if self.context.shell not in {"powershell", "pwsh"}:
            return False
        folded = name.casefold()
        return POWERSHELL_ALIASES.get(folded, folded) in HARMLESS_CMDLETS

    def vouched(self, words: Sequence[Word], found: Effects, *, harmless: bool = False) -> None:
        """Arguments that no table knows: proven ones are the rule's affair, others need `foo *` in it."""
        for word in words:
            found.uses(word, "maybe")
            if harmless or word.literal or word.number or (word.tilde and not word.dynamic) or word.known:
                continue
            if word.glob is not None and not word.dynamic and not word.may_be_option:
                continue
            hint = "write ./ before the pattern" if word.glob is not None and not word.dynamic else ""
            reason = "this argument is only known when it runs, and nothing is known about the program"
            found.add(unresolved(word, reason, ANY, hint=hint))

    def arguments(
        self, entry: Program, words: Sequence[Word], found: Effects, outer: Program | None = None
    ) -> int:
        """What the arguments of a program do; how many words before the sub-command rules need not see."""
        given = read(compiled(entry, outer), words)
        first = next((item for item in given if item.kind in {"operand", "unproven"}), None)
        if first is not None and (entry.commands or entry.passes):
            given = given[: given.index(first)]
        wild, _, tame = entry.tamed.partition(" ")
        tamed = any(tame == item.flag and item.value is not None and item.value.prefix for item in given)
        for item in given:
            looked_at = item.kind != "option" or entry.names_files or entry.suffixes
            if looked_at and not (tamed and item.flag == wild):
                self.option(entry, item, found)
        if entry.response_files or (outer is not None and outer.response_files):
            self._response_files(given, found)
        if first is not None and entry.spelled:
            self._spelled(entry, first.word, words, found)
        if entry.only_with and not any(item.flag in entry.only_with.split() for item in given):
            at = words[0] if words else Word("", 0, 0)
            found.add(writes(at, f"without another option it writes a file: {entry.reason}"))
        if first is None:
            find_unpacked(entry, given, found)
            return 0
        if entry.commands:
            self._subcommand(entry, first, words, found, entry if entry.persistent else outer)
        elif entry.passes:
            self._passed(entry, first, words, found)
        else:
            self.operands(entry, given, found)
            return 0
        harmless = all(item.kind == "option" for item in given)
        return position(words, first.word) if harmless else 0

    def option(self, entry: Options, item: Argument, found: Effects) -> None:
        """What one option does."""
        reason: str = getattr(entry, "reason", "")
        harmless: bool = getattr(entry, "harmless", False)
        value = item.value
        if item.kind == "runs":
            found.add(runs(item.word, f"`{shown(item.flag)}`: {reason}", item.flag))
        elif item.kind == "writes" and not is_free(value, _first_name(entry)):
            found.add(writes(item.word, f"`{item.flag}`: {reason}", item.flag, value))
        elif item.kind == "places" and value is not None and not (is_near(value) or _is_preset(item)):
            said = f"`{item.flag}` takes instructions from elsewhere: {reason}"
            found.add(from_elsewhere(item.word, said, item.flag, value))
        elif item.kind == "unlisted" and not harmless:
            said = f"{item.reason}: {reason}" if reason else item.reason
            found.add(unlisted(item.word, said, item.flag, hint=item.hint))
        elif item.kind == "unproven" and not harmless:
            # Behind `--` it is no option, but where operands can do harm that is no help.
            helps = getattr(entry, "dashes", True) and not getattr(entry, "refuses", "")
            said = unresolved(item.word, item.reason, hint=item.hint) if item.reason else None
            found.add(said or unproven(item.word, self.outer, helps=helps))
        self._option_paths(entry, item, found)

    def _option_paths(self, entry: Options, item: Argument, found: Effects) -> None:
        """The files that an option names."""
        value = item.value
        access = _ACCESS.get(item.kind)
        if item.kind == "reads" and value is not None:
            self._address(entry, value, found)
        if item.kind == "reads" and value is not None and value.literal:
            for part in _LISTED.split(value.text)[1:]:
                found.uses(value.with_text(part), "read")
        if access is not None:
            found.uses(value if item.kind not in {"follows", "unlisted"} else item.word, access)
        names_files: str = getattr(entry, "names_files", "")
        if value is not None and item.flag in names_files.split():
            found.uses(any_end(value) if item.kind == "changes" else unknown_at(value), "change")
        suffixes: str = getattr(entry, "suffixes", "")
        if value is not None and item.flag in suffixes.split():
            found.uses(any_beginning(value), "beside")

    def _response_files(self, given: Sequence[Argument], found: Effects) -> None:
        """`gcc -D @more x.c`: a file of words takes the place of one; a linker gets `-e@more`, too."""
        for value in (value for item in given for value in item.values):
            if value.text.startswith("@"):
                reason = f"`{shown(value.text)}` is a file of further options"
                found.add(runs(value, reason, value.text if value.literal else ""))
            elif value.dynamic and not value.number and value.prefix == "":
                reason = "this value could begin with `@`, which is a file of further options"
                found.add(unresolved(value, reason, hint="write ./ before a file, or write the value out"))

    # -- operands ------------------------------------------------------------------------------------------

    def operands(self, entry: Program, given: Sequence[Argument], found: Effects) -> None:
        """What operands do, by their places."""
        roles = entry.operands.split()
        flags = {item.flag for item in given}
        if len(roles) > 1 and flags & set(entry.texts.split()):
            roles = roles[1:]
        operands = [item.word for item in given if item.kind in {"operand", "unproven"} and not item.reason]
        # A word that is no option after all (`jq -.`) takes the place of an operand.
        uncertain = any(item.kind == "unlisted" for item in given)
        # `ruff check --fix x`: the files that are named are written.
        edits = any(item.kind == "writes" and not item.values for item in given)
        for index, word in enumerate(operands):
            uncertain = uncertain or word.several
            following = roles[min(index, len(roles) - 1) :]
            here = set(following if uncertain else following[:1])
            if "copy" in here:
                here = (here - {"copy"}) | {"change" if word is operands[-1] else "read"}
            self.refused(entry, word, found)
            for role in sorted(here):
                self._operand(entry, role, word, found)
            if entry.max_operands and (index >= entry.max_operands or uncertain):
                flag = word.text if word.literal else ""
                found.add(runs(word, f"`{shown(word.text)}` can be a file of code: {entry.reason}", flag))
            if edits:
                found.uses(word, "alter")
        find_unpacked(entry, given, found)
        self._after(entry, given, found)

    def _operand(self, entry: Program, role: str, word: Word, found: Effects) -> None:
        if role == "write" and not is_free(word, _first_name(entry)):
            found.add(writes(word, f"this file is written: {entry.reason}", word.text, word))
            found.uses(word, "write")
        elif role == "near":
            found.uses(word, "read")
            if not is_near(word):
                said = f"instructions from elsewhere: {entry.reason}"
                found.add(from_elsewhere(word, said, word.text, word))
        elif role == "squeeze":
            found.uses(word, "change")
            found.uses(word.with_text(word.text.rpartition(".")[0] or word.text), "change")
        elif role == "prefix":
            found.uses(any_end(word), "change")
        elif role in {"read", "change", "touch", "maybe", "alter"}:
            self._address(entry, word, found)
            found.uses(word, role)  # pyright: ignore[reportArgumentType]  # the test above

    def _address(self, entry: Options, word: Word, found: Effects) -> None:
        """A file that could be an address, and one that loads code: a key in an engine or on a token."""
        text = word.text if word.literal else word.prefix
        addresses: bool = getattr(entry, "addresses", False)
        if not addresses and ":" not in text:
            return
        if _CODE_ADDRESS.match(text) or (addresses and _ADDRESS.match(text)):
            found.add(runs(word, "this address can load code", word.text if word.literal else ""))
        elif addresses and word.dynamic and "/" not in text:
            reason = "this value can turn out to be an address that loads code"
            found.add(unresolved(word, reason, hint="write ./ before it"))

    def refused(self, entry: Program, word: Word, found: Effects) -> None:
        """Operands that a program's table names by a pattern: `file://`, `SHELL=`, `ext::`."""
        pattern = _pattern(entry.refuses)
        if pattern is None:
            return
        text, endings = word.text, ("",)
        numbers = word.dynamic and all(e.shape in {"digits", "number"} for e in word.expansions)
        if numbers and word.glob is None:
            text, endings = "", (word.text.replace(UNKNOWN, "1"), word.text.replace(UNKNOWN, "-1"))
        elif word.dynamic or word.glob is not None:
            text = word.prefix
            endings = (*_ENDINGS, *_completions(entry.refuses, text))
        if any(pattern.match(text + ending) for ending in endings):
            flag = word.text if word.literal else ""
            place = word if _IS_PATH.match(word.text) else None
            found.add(from_elsewhere(word, f"`{shown(word.text)}`: {entry.reason}", flag, place))

    def _after(self, entry: Program, given: Sequence[Argument], found: Effects) -> None:
        """Words behind `--` that are options of another program."""
        pattern = _pattern(entry.after)
        for item in given if pattern is not None else ():
            if item.flag == "--" and not (
                item.word.literal and pattern and pattern.fullmatch(item.word.text)
            ):
                text = item.word.text
                reason = f"`{shown(text)}` is for another program and not known to be harmless there"
                found.add(unlisted(item.word, reason, text if item.word.literal else ""))

    # -- sub-commands --------------------------------------------------------------------------------------

    def _spelled(self, entry: Program, word: Word, words: Sequence[Word], found: Effects) -> None:
        """A sub-command that runs what it is told."""
        if word.text in entry.spelled.split():
            effect = runs(word, f"`{word.text}` is more than a rule for the program allows", word.text)
            found.add(replace(effect, inner=inner_command(entry, word, words)))

    def _subcommand(
        self, entry: Program, first: Argument, words: Sequence[Word], found: Effects, outer: Program | None
    ) -> None:
        """The first operand: a sub-command with a table of its own, or one that a rule must spell."""
        word = first.word
        rest = words[position(words, word) + 1 :]
        name = entry.names.split()[0]
        if not word.literal:
            found.add(unresolved(word, "the sub-command is only known when it runs"))
            self.vouched(rest, found)
            return
        command = _commands_of(entry).get(word.text)
        if word.text in entry.named.split():
            found.add(runs(word, f"`{word.text}` needs a rule that spells `{name}`", name))
        elif command is None and word.text not in entry.spelled.split():
            reason = f"the sub-command `{shown(word.text)}` of `{name}` is not known to be harmless"
            found.add(unlisted(word, f"{reason}: {entry.reason}" if entry.reason else reason, word.text))
        if command is None:
            self.vouched(rest, found)
        else:
            self.arguments(command, rest, found, outer)

    def _passed(self, entry: Program, first: Argument, words: Sequence[Word], found: Effects) -> None:
        """`npx eslint ...`: another program, whose table is asked if there is one."""
        word = first.word
        rest = words[position(words, word) + 1 :]
        if entry.packages and is_of_the_system(word.text):
            reason = f"`{shown(word.text)}` is a program of the system and no package"
            found.add(unlisted(word, reason, word.text, hint="run the program by its own name"))
        if not word.literal:
            found.add(unresolved(word, "which program it runs is only known when it runs"))
        inner = tables.program(word.text) if word.literal else None
        if inner is not None:
            self.arguments(inner, rest, found)
        else:
            self.vouched(rest, found)

    # -- wrappers ------------------------------------------------------------------------------------------

    def wrapper(self, words: tuple[Word, ...], wrapper: Wrapper) -> None:
        """A command whose arguments are another command."""
        found = Effects()
        given = read(compiled(wrapper), words[1:])
        inner = self._inner_of(words, wrapper, given, found)
        role: Role = "wrapper" if wrapper.transparent and is_system_name(words[0].text) else "outer"
        if not inner:
            # Nothing inside: the wrapper is itself the command (`env`, `exec > log`).
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
            elif operands and not word.several and not word.may_vanish:
                operands -= 1
            else:
                break
            index += 1
        if index < len(words) and words[index].several:
            found.add(unresolved(words[index], "a wrapper's arguments are only known when it runs"))
            return words[index:] if not words[index].dynamic else ()
        return words[index:]

    def _shell_text(self, inner: tuple[Word, ...], wrapper: Wrapper, found: Effects, *, joined: bool) -> bool:
        """`watch ls -l`, `flock f -c 'ls'`: the command is a text for a shell."""
        flags = {item.rstrip("=") for item in wrapper.shell_text.split()}
        given = inner[0].text in flags and len(inner) > 1
        if not given and not joined:
            return False
        words = list(inner[1:2] if given else inner)
        if not all(word.literal for word in words):
            found.add(unresolved(words[0], "the text for a shell is only known when it runs"))
        else:
            text = " ".join(word.text for word in words)
            self.found.scripts.append(Script(text, "sh", words[0].start, words[-1].end, exact=False))
        return True

    def _multicall(self, words: tuple[Word, ...]) -> None:
        inner = words[1:]
        if not inner or inner[0].text.startswith("--"):
            self.step(words, rememberable=False)
            return
        self.step(words[:1], (), "outer", rememberable=False)
        self.walk(inner)


def _unresolvable(name: str, words: tuple[Word, ...]) -> Effect:
    """A builtin that runs text; of `source file` a person can vouch for the file."""
    reason = f"`{name}` {UNRESOLVABLE[name]}"
    file = next(iter(words[1:]), words[0])
    known = name in {"source", "."} and not (file.several or file.dynamic or file.text.startswith("-"))
    hint = instead_of_activating(words)
    return unresolved(file, reason, file.text, hint=hint) if known else unresolved(words[0], reason)


@lru_cache(maxsize=512)
def _commands_of(entry: Program) -> dict[str, Program]:
    """The sub-commands of a program by their names; the first of two with the same one counts."""
    return {name: item for item in reversed(entry.commands) for name in item.names.split()}


def _is_preset(item: Argument) -> bool:
    """`cmake --build --preset x`: no directory, but one that the project's own file names."""
    value = item.value.text if item.value is not None and item.value.literal else ""
    return item.flag == "--build" and (value == "--preset" or value.startswith("--preset="))


def _completions(pattern: str, start: str) -> Iterator[str]:
    """The rest of every word that a pattern is made of, where a text ends with its beginning."""
    for word in set(_LITERAL_PART.findall(pattern)):
        for length in range(len(word)):
            if start.endswith(word[:length]):
                yield from (word[length:] + end for end in ("", ":", "::x", "://x", "/x", "=x"))


def _pattern(text: str) -> re.Pattern[str] | None:
    """A pattern of a table (`re` keeps what it has compiled)."""
    return re.compile(text, re.DOTALL) if text else None


__all__ = ["MAX_WRAPPERS", "UNKNOWN", "Inspector"]


def _first_name(entry: Options) -> str:
    """The program that a table is for; sub-commands are listed under their own names."""
    names: str = getattr(entry, "names", "")
    return names.partition(" ")[0]
