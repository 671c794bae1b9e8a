"""Looking through a command: options by their tables, and wrappers down to the command inside.

Above: `interpreters` and `programs` add the programs that need more than a table. Below: `effects`,
`options`, `values`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import SHELLS_WITH_BUILTINS, read_builtin
from nacre.policy.effects import (
    ASSIGNMENT,
    PROGRAMS,
    WRAPPERS,
    Effect,
    EffectKind,
    Inspection,
    Role,
    Step,
    base_name,
    effect_at,
    is_system_name,
    option_effect,
    position,
    runs,
    shown,
    unresolved,
    writes,
)
from nacre.policy.options import Option, compiled, read_options
from nacre.policy.values import Context, expand_braces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.model import Word
    from nacre.policy.tables import Program, Wrapper

MAX_WRAPPERS = 20
_LOADER = re.compile(r"ld(?:-linux|-musl|64|\.so|-[0-9.]+\.so).*\Z")
_LOADER_WRAPPER = tables.Wrapper("ld.so", "the dynamic loader starts its argument", transparent=False)


class Inspector:
    """One simple command being looked through."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found = Inspection()
        self.depth = 0

    def walk(self, words: tuple[Word, ...]) -> None:
        """One command, and through it to the commands inside."""
        self.depth += 1
        word = words[0]
        if self.depth > MAX_WRAPPERS:
            self.step(words, [unresolved(word, "too many wrappers around a command")])
            return
        if word.dynamic or word.pattern or word.braces:
            self.step(words, [unresolved(word, "the command's name is only known when it runs")])
            return
        if "/" not in word.text and self._builtin(words):
            return
        name = base_name(word.text)
        reader = self.reader(name)
        if reader is not None:
            reader(words)
            return
        self.step(words, self._program_effects(name, words))

    def _builtin(self, words: tuple[Word, ...]) -> bool:
        """A builtin of the shell that reads the text, if there is one."""
        found = (
            read_builtin(words, self.context.shell) if self.context.shell in SHELLS_WITH_BUILTINS else None
        )
        if found is None:
            return False
        self.found.assigned += found.assigned
        self.found.steps.append(Step(words, "command", tuple(found.effects), words, free=found.free))
        return True

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """How a program is looked through, if an option table is not enough."""
        if name in WRAPPERS:
            return lambda words: self.wrapper(words, WRAPPERS[name])
        if name in tables.MULTICALL:
            return self._multicall
        if name.startswith("ld") and _LOADER.match(name):
            return lambda words: self.wrapper(words, _LOADER_WRAPPER)
        return None

    def step(
        self,
        words: tuple[Word, ...],
        effects: Sequence[Effect] = (),
        role: Role = "command",
        *,
        remembers: bool = True,
        rule_words: tuple[Word, ...] = (),
    ) -> None:
        """Write one step down."""
        self.found.steps.append(Step(words, role, tuple(effects), rule_words or words, remembers))

    def _program_effects(self, name: str, words: tuple[Word, ...]) -> list[Effect]:
        effects: list[Effect] = []
        if name in tables.UNRESOLVABLE:
            effects.append(unresolved(words[0], f"`{name}` {tables.UNRESOLVABLE[name]}"))
        elif name in tables.RUNNERS:
            flag = next((word.text for word in words[1:2]), "")
            effects.append(unresolved(words[0], f"`{name}` {tables.RUNNERS[name]}", flag))
        elif name in tables.BUILTIN_FLAGS:
            effects += _builtin_effects(name, words)
        program = PROGRAMS.get(name)
        if program is not None:
            effects += self.table_effects(program, self.plain_arguments(words[1:], effects, trusted=True))
        return effects

    def plain_arguments(
        self, arguments: Sequence[Word], effects: list[Effect], *, trusted: bool = False
    ) -> list[Word]:
        """Arguments with braces and known variables put in; what may become an option is an effect.

        With `trusted`, the caller looks at quoted unknown words itself, because it knows which are values.
        """
        plain: list[Word] = []
        options_end = trusted
        for word in arguments:
            options_end = options_end or word.text == "--"
            if word.braces and not word.dynamic:
                expanded = expand_braces(word.text)
                if expanded is None:
                    effects.append(unresolved(word, "these braces become too many words to look at"))
                plain += [word.with_text(text) for text in expanded or ()]
            elif not word.dynamic:
                plain.append(word)
            else:
                plain += self.known_words(word, effects, options_end=options_end)
        return plain

    def known_words(self, word: Word, effects: list[Effect], *, options_end: bool) -> list[Word]:
        """An unknown word as what it can be; what may become an option is an effect."""
        texts = self.context.candidates(word)
        if texts is not None:
            if word.splits:
                texts = [piece for text in texts for piece in text.split()]
            return [word.with_text(text) for text in texts]
        if word.splits:
            effects.append(unresolved(word, "an unquoted value can become any option"))
        elif not options_end and self.context.may_be_option(word):
            effects.append(unresolved(word, "this value can turn out to be an option; put `--` before it"))
        return [word]

    def table_effects(self, program: Program, arguments: Sequence[Word]) -> list[Effect]:
        """What the options of a program do, by its table; a sub-command's own table counts too."""
        effects: list[Effect] = []
        first = True
        for option in read_options(program, arguments):
            if option.kind == "operand":
                effects += self._operand_effects(program, option)
                if first:
                    effects += self._subcommand(program, option.word, arguments)
                    if program.stops or program.subcommands:
                        break
                first = False
                continue
            effect = option_effect(program, option.kind, option.flag, option.word, option.value)
            effects += [effect] if effect is not None else []
            if option.value is not None and option.kind != "value":
                effects += _hit_by_pattern(program, option.value)
        return effects

    def _operand_effects(self, program: Program, option: Option) -> list[Effect]:
        word = option.word
        effects = _hit_by_pattern(program, word)
        if word.dynamic and not option.flag and self.context.may_be_option(word):
            effects.append(unresolved(word, "this value can turn out to be an option; put `--` before it"))
        return effects

    def _subcommand(self, program: Program, word: Word, arguments: Sequence[Word]) -> list[Effect]:
        """The first operand: a sub-command with a table of its own, or another program altogether."""
        rest = arguments[position(arguments, word) + 1 :]
        effects: list[Effect] = []
        if word.text in program.running.split():
            effects.append(runs(word, f"`{word.text}` runs programs of its own choice", word.text))
        if program.subcommands:
            for item in rest:
                effects += _hit_by_pattern(program, item)
        for table in program.subcommands:
            if word.text in table.names.split():
                effects += self.table_effects(table, rest)
        inner = PROGRAMS.get(word.text) if program.stops else None
        return effects + (self.table_effects(inner, rest) if inner is not None else [])

    def wrapper(self, words: tuple[Word, ...], wrapper: Wrapper) -> None:
        """A command whose arguments are another command."""
        effects: list[Effect] = []
        inner = self._inner_of(words, wrapper, effects)
        role: Role = "wrapper" if wrapper.transparent and is_system_name(words[0].text) else "outer"
        if not inner:
            # Nothing inside: the wrapper is itself the command (`env`, `exec > log`).
            self.step(words, effects, "command", remembers=False)
            return
        self.step(words[: len(words) - len(inner)], effects, role, remembers=False)
        self.walk(inner)

    def _inner_of(self, words: tuple[Word, ...], wrapper: Wrapper, effects: list[Effect]) -> tuple[Word, ...]:
        """The words after a wrapper's options, operands and assignments."""
        index = 1
        operands = wrapper.operands
        options_end = False
        while index < len(words):
            word = words[index]
            text = word.text
            if word.splits or word.braces or (word.pattern and not operands):
                effects.append(unresolved(word, "a wrapper's arguments are only known when it runs"))
                return words[index:] if not word.dynamic else ()
            if text == "--" and not options_end:
                options_end = True
                index += 1
            elif text.startswith("-") and (len(text) > 1 or wrapper.assignments) and not options_end:
                index += self._wrapper_option(word, wrapper, words, index, effects)
            elif wrapper.assignments and ASSIGNMENT.match(text):
                self.found.assigned.append((text.partition("=")[0], word))
                index += 1
            elif operands:
                operands -= 1
                index += 1
            else:
                break
        return words[index:]

    def _wrapper_option(
        self, word: Word, wrapper: Wrapper, words: tuple[Word, ...], index: int, effects: list[Effect]
    ) -> int:
        """How many words one option of a wrapper takes."""
        name = word.text.partition("=")[0]
        if name in wrapper.flags.split():
            return 1
        if name in wrapper.values.split():
            return 1 if "=" in word.text else 2
        if name in wrapper.writes.split() or word.text[:2] in wrapper.writes.split():
            target = words[index + 1] if index + 1 < len(words) else word
            effects.append(writes(word, f"`{name}` writes a file", name, target))
            return 2 if name == word.text else 1
        if word.text[:2] in wrapper.values.split() and not word.text.startswith("--"):
            return 1
        letters = word.text[1:]
        if (
            not word.text.startswith("--")
            and letters
            and all("-" + c in wrapper.flags.split() for c in letters)
        ):
            return 1
        kind: EffectKind = "run" if name in wrapper.runs.split() else "unresolved"
        effects.append(
            effect_at(word, kind, f"the option `{shown(word.text)}` of a wrapper is not understood", name)
        )
        return 1

    def _multicall(self, words: tuple[Word, ...]) -> None:
        inner = words[1:]
        if not inner or inner[0].text.startswith("--"):
            self.step(words, remembers=False)
            return
        self.step(words[:1], (), "outer", remembers=False)
        self.walk(inner)


def _hit_by_pattern(program: Program, word: Word) -> list[Effect]:
    """Operands that a program's table names by a pattern: `file://`, `SHELL=`, `ext::`."""
    pattern = compiled(program).operands
    if pattern is None or pattern.match(word.text) is None:
        return []
    return [runs(word, f"`{shown(word.text)}`: {program.reason}", word.text)]


def _builtin_effects(name: str, words: tuple[Word, ...]) -> list[Effect]:
    letters, reason = tables.BUILTIN_FLAGS[name]
    effects: list[Effect] = []
    for word in words[1:]:
        if re.match(r"[-+][A-Za-z]+", word.text) and any(
            letter in word.text[1:].partition("=")[0] for letter in letters
        ):
            effects.append(unresolved(word, f"`{name} {shown(word.text)}` {reason}", word.text))
        elif word.splits:
            effects.append(unresolved(word, f"the arguments of `{name}` are only known when it runs"))
    return effects
