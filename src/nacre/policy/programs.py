"""Looking through a command: the commands inside wrappers, the scripts inside shells, and what options do.

Above: `judge` holds what is found here against the rules. Below: `tables` (the data), `options`, `filters`, `values`.
This module knows programs but no rule: it says "this option runs another program", never "this is denied".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from nacre.policy import tables
from nacre.policy.filters import Finding, awk_findings, is_plain_code, sed_findings
from nacre.policy.model import UNKNOWN, Expansion, Word, names
from nacre.policy.options import compiled, read_options
from nacre.policy.values import Context, expand_braces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.tables import Interpreter, Program, Wrapper

EffectKind = Literal["run", "write", "unresolved", "inline"]
Role = Literal["command", "wrapper", "outer"]

MAX_WRAPPERS = 20
FREE_TARGETS = frozenset(
    {"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "-", "nul", "NUL", "$null"}
)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=")
_LOADER = re.compile(r"ld(?:-linux|-musl|64|\.so|-[0-9.]+\.so).*\Z")
_VERSIONED = re.compile(r"(python|pypy|perl|ruby|lua|php|node|pip)[0-9.]+\Z")
_HARMLESS_GIT_KEY = re.compile(
    r"(?i)(?:color\..*|user\.(?:name|email)|core\.(?:quotepath|autocrlf|abbrev)|advice\..*|log\.\w+|diff\.\w*(?:renames|context|algorithm)|column\..*)="
)
_DANGEROUS_GIT_KEY = re.compile(
    r"(?i)alias\.|core\.(?:pager|editor|sshcommand|hookspath|fsmonitor|askpass|gitproxy|worktree|attributesfile)|.*\.(?:command|cmd|process|textconv|driver|helper|program|path|clean|smudge|external|proxy|templatedir|packobjectshook|update)\Z|pager\.|sequence\.|include|url\.|protocol\.|remote\..*\.(?:url|vcs|uploadpack|receivepack)|browser\.|man\.|gpg\.|init\.|submodule\.|trailer\.|web\."
)
_HARMLESS_SSH_OPTION = re.compile(
    r"(?i)(?:connecttimeout|batchmode|serveralive\w+|loglevel|stricthostkeychecking|connectionattempts|requesttty|port|user|addressfamily|compression|identitiesonly)[ =]"
)
_LOCAL_OPTIONS = frozenset(
    {"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"}
)
_SHELL_LETTERS = frozenset("efuxvlpahmbBCEHT")
_SHELL_LONG = frozenset({"--norc", "--noprofile", "--login", "--verbose", "--no-rcs", "--restricted"})
_PLAIN_CODE_LETTERS = frozenset("ceEnplawu")


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a command does beyond what its name says, and the option that a rule must spell to permit it."""

    kind: EffectKind
    reason: str
    flag: str
    start: int
    end: int
    target: Word | None = None
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One command as it will be started; `role` says whether it needs a rule of its own."""

    words: tuple[Word, ...]
    role: Role
    effects: tuple[Effect, ...]
    # Words as rules see them: harmless options before a sub-command left out.
    rule_words: tuple[Word, ...] = ()
    remembers: bool = True


@dataclass(frozen=True, slots=True)
class Script:
    """A text that a shell will read, and where it stands."""

    text: str
    shell: str
    start: int
    end: int
    exact: bool


@dataclass(slots=True)
class Inspection:
    """All that one simple command amounts to."""

    steps: list[Step] = field(default_factory=list[Step])
    scripts: list[Script] = field(default_factory=list[Script])
    assigned: list[tuple[str, Word]] = field(default_factory=list["tuple[str, Word]"])


def is_dangerous_variable(name: str) -> bool:
    """Does this variable change what runs, or which code or configuration is loaded?"""
    # `re` keeps what it has compiled; compiling this at import time would cost every start of the server.
    return re.match(tables.DANGEROUS_VARIABLE + r"\Z", name) is not None


def base_name(text: str) -> str:
    """The name by which the tables know a program."""
    name = text.rpartition("/")[2]
    versioned = _VERSIONED.match(name)
    return versioned.group(1) if versioned is not None and name not in _PLAIN_TABLE else name


def _index(entries: Sequence[Program] | Sequence[Wrapper] | Sequence[Interpreter]) -> dict[str, object]:
    return {name: entry for entry in entries for name in entry.names.split()}


_PLAIN_TABLE: dict[str, object] = _index(tables.PROGRAMS)
_PROGRAMS: dict[str, Program] = {name: entry for entry in tables.PROGRAMS for name in entry.names.split()}
_WRAPPERS: dict[str, Wrapper] = {name: entry for entry in tables.WRAPPERS for name in entry.names.split()}
_INTERPRETERS: dict[str, Interpreter] = {
    name: entry for entry in tables.INTERPRETERS for name in entry.names.split()
}
_LOADER_WRAPPER = tables.Wrapper("ld.so", "the dynamic loader starts its argument", transparent=False)


def inspect(words: Sequence[Word], context: Context) -> Inspection:
    """Look through one simple command."""
    inspector = _Inspector(context)
    inspector.walk(tuple(words))
    return inspector.found


class _Inspector:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.found = Inspection()
        self.depth = 0

    # -- the walk ------------------------------------------------------------------------------------------

    def walk(self, words: tuple[Word, ...]) -> None:
        """One command, and through it to the commands inside."""
        self.depth += 1
        word = words[0]
        if self.depth > MAX_WRAPPERS:
            self._step(words, [_at(word, "unresolved", "too many wrappers around a command", "")])
            return
        if word.dynamic or word.pattern or word.braces:
            self._step(words, [_at(word, "unresolved", "the command's name is only known when it runs", "")])
            return
        name = base_name(word.text)
        reader = self._reader(name)
        if reader is not None:
            reader(words)
            return
        self._step(words, self._program_effects(name, words))

    def _reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        special = _READERS.get(name)
        if special is not None:
            return lambda words: special(self, words)
        if name in _WRAPPERS:
            return lambda words: self._wrapper(words, _WRAPPERS[name])
        if name in tables.SHELLS:
            return self._shell
        if name in _INTERPRETERS:
            return lambda words: self._interpreter(words, _INTERPRETERS[name])
        if name in tables.MULTICALL:
            return self._multicall
        if name.startswith("ld") and _LOADER.match(name):
            return lambda words: self._wrapper(words, _LOADER_WRAPPER)
        return None

    def _step(
        self,
        words: tuple[Word, ...],
        effects: Sequence[Effect] = (),
        role: Role = "command",
        *,
        remembers: bool = True,
        rule_words: tuple[Word, ...] = (),
    ) -> None:
        self.found.steps.append(Step(words, role, tuple(effects), rule_words or words, remembers))

    # -- ordinary programs ---------------------------------------------------------------------------------

    def _program_effects(self, name: str, words: tuple[Word, ...]) -> list[Effect]:
        effects: list[Effect] = []
        if name in tables.UNRESOLVABLE:
            effects.append(_at(words[0], "unresolved", f"`{name}` {tables.UNRESOLVABLE[name]}", ""))
        elif name in tables.RUNNERS:
            flag = words[1].text if len(words) > 1 else ""
            effects.append(_at(words[0], "run", f"`{name}` {tables.RUNNERS[name]}", flag))
        elif name in tables.BUILTIN_FLAGS:
            effects += _builtin_effects(name, words)
        program = _PROGRAMS.get(name)
        if program is not None:
            effects += self.table_effects(program, self.plain_arguments(words[1:], effects, trusted=True))
        if name in tables.ASSIGNING:
            self._assigning(name, words[1:], effects)
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
                plain += [word.with_text(text) for text in expand_braces(word.text)]
            elif not word.dynamic:
                plain.append(word)
            else:
                plain += self._known_words(word, effects, options_end=options_end)
        return plain

    def _known_words(self, word: Word, effects: list[Effect], *, options_end: bool) -> list[Word]:
        texts = self.context.candidates(word)
        if texts is not None:
            if word.splits:
                texts = [piece for text in texts for piece in text.split()]
            return [word.with_text(text) for text in texts]
        if word.splits:
            effects.append(_at(word, "unresolved", "an unquoted value can become any option", ""))
        elif not options_end and self.context.may_be_option(word):
            effects.append(
                _at(word, "unresolved", "this value can turn out to be an option; put `--` before it", "")
            )
        return [word]

    def table_effects(self, program: Program, arguments: Sequence[Word]) -> list[Effect]:
        """What the options of a program do, by its table; a sub-command's own table counts too."""
        effects: list[Effect] = []
        pattern = compiled(program).operands
        operands = 0
        for option in read_options(program, arguments):
            if option.kind == "operand":
                operands += 1
                text = option.word.text
                if option.word.dynamic and not option.flag and self.context.may_be_option(option.word):
                    effects.append(
                        _at(
                            option.word,
                            "unresolved",
                            "this value can turn out to be an option; put `--` before it",
                            "",
                        )
                    )
                if pattern is not None and pattern.match(text) is not None:
                    effects.append(_at(option.word, "run", f"`{_shown(text)}`: {program.reason}", text))
                if operands == 1 and text in program.running.split():
                    effects.append(_at(option.word, "run", f"`{text}` runs programs of its own choice", text))
                if operands == 1 and program.subcommands:
                    effects += self._subcommand(program, option.word, arguments)
                    return effects
                continue
            effect = _option_effect(program, option.kind, option.flag, option.word, option.value)
            if effect is not None:
                effects.append(effect)
            if pattern is not None and option.value is not None and option.kind != "value":
                target = option.value.text
                if pattern.match(target) is not None:
                    effects.append(_at(option.value, "run", f"`{_shown(target)}`: {program.reason}", target))
        return effects

    def _subcommand(self, program: Program, subcommand: Word, arguments: Sequence[Word]) -> list[Effect]:
        rest = arguments[_position(arguments, subcommand) + 1 :]
        effects: list[Effect] = []
        pattern = compiled(program).operands
        for word in rest:
            if pattern is not None and pattern.match(word.text) is not None:
                effects.append(_at(word, "run", f"`{_shown(word.text)}`: {program.reason}", word.text))
        for table in program.subcommands:
            if subcommand.text in table.names.split():
                effects += self.table_effects(table, rest)
        return effects

    def _assigning(self, name: str, arguments: Sequence[Word], effects: list[Effect]) -> None:
        """`export X=1`, `read X`, `printf -v X`: the names they assign, as the judge must see them."""
        if name in {"printf", "wait"}:
            arguments = [
                after for before, after in zip(arguments, arguments[1:], strict=False) if before.text == "-v"
            ]
        for word in arguments:
            if word.text.startswith(UNKNOWN) and name not in {"printf", "wait", "unset", "let"}:
                effects.append(
                    _at(word, "unresolved", "a variable whose name is only known when it runs", "")
                )
            found = _ASSIGNMENT.match(word.text)
            bare = found.group(1) if found is not None else word.text
            if found is not None or name in {
                "read",
                "mapfile",
                "readarray",
                "getopts",
                "printf",
                "wait",
                "unset",
            }:
                self.found.assigned.append((bare.partition("[")[0], word))

    # -- wrappers ------------------------------------------------------------------------------------------

    def _wrapper(self, words: tuple[Word, ...], wrapper: Wrapper) -> None:
        effects: list[Effect] = []
        inner = self._inner_of(words, wrapper, effects)
        role: Role = "wrapper" if wrapper.transparent else "outer"
        if not inner:
            # Nothing inside: the wrapper is itself the command (`env`, `exec > log`).
            self._step(words, effects, "command", remembers=False)
            return
        self._step(words[: len(words) - len(inner)], effects, role, remembers=False)
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
                effects.append(
                    _at(word, "unresolved", "a wrapper's arguments are only known when it runs", "")
                )
                return words[index:] if not word.dynamic else ()
            if text == "--" and not options_end:
                options_end = True
                index += 1
            elif text.startswith("-") and (len(text) > 1 or wrapper.assignments) and not options_end:
                index += self._wrapper_option(word, wrapper, words, index, effects)
            elif wrapper.assignments and _ASSIGNMENT.match(text):
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
            effects.append(_at(word, "write", f"`{name}` writes a file", name, target))
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
            _at(word, kind, f"the option `{_shown(word.text)}` of a wrapper is not understood", name)
        )
        return 1

    def read_command(self, words: tuple[Word, ...]) -> None:
        """`command -v x` only looks a name up."""
        if len(words) > 1 and re.match(r"-[pvV]*[vV]", words[1].text):
            self._step(words)
            return
        self._wrapper(words, _WRAPPERS["command"])

    def _multicall(self, words: tuple[Word, ...]) -> None:
        inner = words[1:]
        if not inner or inner[0].text.startswith("--"):
            self._step(words, remembers=False)
            return
        self._step(words[:1], (), "outer", remembers=False)
        self.walk(inner)

    def read_xargs(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        index, replaced = 1, ""
        while index < len(words) and words[index].text.startswith("-") and len(words[index].text) > 1:
            text = words[index].text
            if words[index].splits:
                break
            index += 1
            if text == "--":
                break
            option = _XARGS_OPTION.match(text)
            if option is None:
                effects.append(
                    _at(words[index - 1], "unresolved", "this option of xargs is not understood", text)
                )
                continue
            takes_next = option.group("value") is not None and not option.group("rest")
            if text.startswith(("-I", "--replace", "-i", "-J")):
                replaced = option.group("rest").lstrip("=") or (
                    words[index].text if takes_next and index < len(words) else "{}"
                )
            index += takes_next
        inner = words[index:]
        at = words[0]
        if not inner:
            inner = (at.with_text("echo"),)
        self._step(words[:index], effects, "wrapper", remembers=False)
        self.walk(_with_input(inner, replaced, at))

    def _shell(self, words: tuple[Word, ...]) -> None:
        """A shell: its `-c` text is a script; a file or its input is not known here."""
        name = base_name(words[0].text)
        effects: list[Effect] = []
        index, has_text = 1, False
        while index < len(words) and words[index].text[:1] in {"-", "+"} and len(words[index].text) > 1:
            text = words[index].text
            index += 1
            if text == "--":
                break
            if text in {"--version", "--help"}:
                self._step(words, remembers=False)
                return
            if text.startswith("--"):
                if text not in _SHELL_LONG:
                    effects.append(
                        _at(words[index - 1], "unresolved", f"the shell's option `{_shown(text)}`", text)
                    )
                continue
            has_text = has_text or "c" in text
            index += _shell_letters(text, words, index, effects)
        self._shell_script(name, words, index, effects, has_text=has_text)

    def _shell_script(
        self, name: str, words: tuple[Word, ...], index: int, effects: list[Effect], *, has_text: bool
    ) -> None:
        script = words[index] if index < len(words) else None
        shell = tables.SCANNED_SHELLS.get(name)
        if script is None:
            effects.append(_at(words[0], "unresolved", "a shell that reads commands from its input", "-"))
        elif not has_text:
            effects.append(_at(script, "unresolved", "a shell that runs the commands of a file", script.text))
        elif script.dynamic or script.braces or script.pattern:
            effects.append(_at(script, "unresolved", "the text for a shell is only known when it runs", ""))
        elif shell is None:
            effects.append(_at(script, "unresolved", f"texts for {name} are not understood", "-c"))
        else:
            exact = self.context.source[script.start + 1 : script.end - 1] == script.text
            self.found.scripts.append(Script(script.text, shell, script.start, script.end, exact))
        self._step(words, effects, "outer", remembers=False)

    # -- interpreters --------------------------------------------------------------------------------------

    def _interpreter(self, words: tuple[Word, ...], spec: Interpreter) -> None:
        effects: list[Effect] = []
        harmless = False
        arguments = self.plain_arguments(words[1:], effects)
        inline, values, known = spec.inline.split(), spec.values.split(), spec.harmless.split()
        index = 0
        while index < len(arguments):
            word = arguments[index]
            text = word.text
            index += 1
            if spec.modules and text.startswith(spec.modules):
                self._module(arguments[index - 1 :], spec, effects)
                break
            if text in known:
                harmless = True
            elif text in values:
                index += 1
            elif _is_inline(text, inline):
                effects.append(_inline_effect(word, arguments[index:], spec))
                break
            elif (
                not text.startswith(("-", "/"))
                or text == "-"
                or (text.startswith("/") and "/c" not in inline)
            ):
                if text == "-":
                    effects.append(
                        _at(word, "inline", "an interpreter that reads its program from its input", "-")
                    )
                break
        else:
            if not harmless and not effects:
                effects.append(
                    _at(words[0], "inline", "an interpreter that reads its program from its input", "-")
                )
        self._step(words, effects, remembers=False)

    def _module(self, arguments: Sequence[Word], spec: Interpreter, effects: list[Effect]) -> None:
        """`python3 -m pytest ...`: the module's own options count, the interpreter's are over."""
        first = arguments[0]
        if first.text == spec.modules:
            rest = list(arguments[1:])
        else:
            rest = [first.with_text(first.text[len(spec.modules) :]), *arguments[1:]]
        if not rest:
            return
        if rest[0].dynamic:
            effects.append(_at(rest[0], "unresolved", "the module is only known when it runs", ""))
            return
        program = _PROGRAMS.get(rest[0].text)
        if program is not None:
            effects += self.table_effects(program, rest[1:])

    # -- programs with a language of their own -------------------------------------------------------------

    def read_find(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        inner: list[tuple[Word, ...]] = []
        index = 0
        while index < len(arguments):
            word = arguments[index]
            text = word.text
            index += 1
            if text in _FIND_EXEC:
                end = _find_end(arguments, index)
                inner.append(tuple(_with_found_path(item) for item in arguments[index:end]))
                index = end + 1
            elif text == "-delete":
                effects.append(_at(word, "write", "`-delete` removes files", text))
                inner.append((word.with_text("rm"), word.with_text("--")))
            elif text in _FIND_WRITES:
                target = arguments[index] if index < len(arguments) else word
                effects.append(_at(word, "write", f"`{text}` writes a file", text, target))
                index += 1
            elif text in _FIND_VALUES:
                index += 1
        self._step(words, effects, remembers=not inner)
        for command in inner:
            if not command:
                self._step(words[:1], [_at(words[0], "unresolved", "an empty -exec", "")])
            elif command[0].text == "rm" and command[-1].text == "--":
                self._step(command, (), "command")
            else:
                self.walk(command)

    def read_fd(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        for index, word in enumerate(arguments):
            if word.text in {"-x", "--exec", "-X", "--exec-batch"}:
                self._step(words, effects, remembers=False)
                inner = tuple(
                    _with_found_path(item) for item in arguments[index + 1 :] if item.text not in {";", "\\;"}
                )
                if inner:
                    self.walk(inner)
                return
            if re.match(r"--exec|-[A-Za-z]*[xX]", word.text):
                effects.append(_at(word, "run", "fd runs a program for each hit", word.text))
        self._step(words, effects)

    def read_sed(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        scripts: list[Word] = []
        operands: list[Word] = []
        index = 1
        arguments = list(words)
        while index < len(arguments):
            word = arguments[index]
            index += 1
            if word.text == "--":
                operands += arguments[index:]
                break
            if not word.text.startswith("-") or word.text == "-":
                operands.append(word)
                continue
            index += _sed_option(word, arguments[index : index + 1], scripts, effects)
        if not scripts and operands:
            scripts.append(operands.pop(0))
        self._check_operands(operands, effects)
        self._language(scripts, sed_findings, effects)
        self._step(words, effects)

    def read_awk(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        scripts: list[Word] = []
        arguments = list(words[1:])
        while arguments:
            word = arguments.pop(0)
            if word.text == "--" or not word.text.startswith("-") or word.text == "-":
                if word.text == "--" and arguments:
                    word = arguments.pop(0)
                if not scripts:
                    scripts.append(word)
                else:
                    arguments.insert(0, word)
                break
            option = _AWK_OPTION.match(word.text)
            if option is None:
                effects.append(
                    _at(word, "run", f"awk's option `{_shown(word.text)}` can run or write", word.text)
                )
            elif option.group("program") is not None:
                scripts.append(
                    word.with_text(option.group("text"))
                    if option.group("text")
                    else arguments.pop(0)
                    if arguments
                    else word
                )
            elif option.group("value") is not None and not option.group("rest") and arguments:
                arguments.pop(0)
        if any(item.splits for item in words[1:]) and not scripts:
            effects.append(_at(words[0], "unresolved", "an unquoted value can become any option", ""))
        self._language(scripts, awk_findings, effects)
        self._step(words, effects)

    def _check_operands(self, operands: Sequence[Word], effects: list[Effect]) -> None:
        for word in operands:
            if word.dynamic:
                self._known_words(word, effects, options_end=False)

    def _language(
        self, scripts: Sequence[Word], reader: Callable[[str], list[Finding]], effects: list[Effect]
    ) -> None:
        """Read the program texts; several are one text, as the program joins them."""
        if not scripts:
            return
        known = [self.context.candidates(word) if not word.splits else None for word in scripts]
        for word, texts in zip(scripts, known, strict=True):
            if texts is None or word.pattern:
                effects.append(_at(word, "unresolved", "the program text is only known when it runs", ""))
                return
        joined = ["\n".join(texts[0] for texts in known if texts)] if len(scripts) > 1 else (known[0] or [])
        if len(scripts) > 1 and any(len(texts or ()) != 1 for texts in known):
            effects.append(_at(scripts[0], "unresolved", "the program text is only known when it runs", ""))
            return
        for text in joined:
            effects.extend(_finding_effect(item, scripts[0]) for item in reader(text))

    def read_tar(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        if arguments and not arguments[0].text.startswith("-"):
            # The old style: letters without a dash, their values are the next words.
            arguments[0] = arguments[0].with_text("-" + arguments[0].text)
            arguments = _old_style(arguments)
        effects += self.table_effects(_TAR, arguments)
        given = {o.flag: o for o in read_options(_TAR, arguments)}
        archive = next((given[f].value for f in ("-f", "--file") if f in given), None)
        if archive is not None and ":" in archive.text and not archive.text.startswith(("/", "./")):
            effects.append(
                _at(archive, "run", "an archive on another machine is reached through a shell", archive.text)
            )
        to_output = archive is not None and archive.text == "-"
        for flag, option in given.items():
            if flag in {"-x", "--extract", "--get"} and not ({"-O", "--to-stdout"} & given.keys()):
                effects.append(
                    _at(option.word, "write", "tar writes the files it extracts", option.word.text)
                )
            elif flag in _TAR_CREATES and not to_output:
                effects.append(_at(option.word, "write", "tar writes the archive", option.word.text, archive))
        for word in words[1:]:
            if word.pattern and word.text[:1] in "*?[":
                effects.append(
                    _at(word, "unresolved", "a file's name could be an option of tar; write ./*", "")
                )
        self._step(words, effects)

    def read_git(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects, trusted=True)
        found = self.table_effects(_PROGRAMS["git"], arguments)
        effects += [item for item in found if not self._harmless_git(item, arguments)]
        skip = 1
        while skip < len(words) and words[skip].text in _LOCAL_OPTIONS:
            skip += 1
        subcommand = words[skip].text if skip < len(words) else ""
        if subcommand == "config":
            effects += _git_config(words[skip + 1 :])
        elif subcommand == "remote" and any(
            word.text.startswith("-") and "exec" in word.text for word in words
        ):
            effects.append(_at(words[skip], "run", "the other side's program is an option", "remote"))
        self._step(words, effects, rule_words=(words[0], *words[skip:]))

    def _harmless_git(self, effect: Effect, arguments: Sequence[Word]) -> bool:
        if effect.flag != "-c":
            return False
        following = next(
            (b for a, b in zip(arguments, arguments[1:], strict=False) if a.start == effect.start), None
        )
        return following is not None and following.literal and bool(_HARMLESS_GIT_KEY.match(following.text))

    def read_ssh(self, words: tuple[Word, ...]) -> None:
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        remote: list[Word] = []
        for option in read_options(_PROGRAMS["ssh"], arguments):
            if remote or option.kind == "operand":
                remote = list(arguments[_position(arguments, option.word) :])
                break
            if option.flag == "-o" and (
                option.value is None or not _HARMLESS_SSH_OPTION.match(option.value.text)
            ):
                effects.append(_at(option.word, "run", "options of ssh can run local commands", "-o"))
            effect = _option_effect(_PROGRAMS["ssh"], option.kind, option.flag, option.word, option.value)
            if effect is not None:
                effects.append(effect)
        remote = remote[1:]
        if remote and remote[0].text.startswith("-"):
            effects.append(_at(remote[0], "unresolved", "an option after the host's name", remote[0].text))
        if any(word.dynamic for word in remote):
            effects.append(_at(remote[0], "unresolved", "the remote command is only known when it runs", ""))
        elif remote:
            text = " ".join(word.text for word in remote)
            self.found.scripts.append(Script(text, "sh", remote[0].start, remote[-1].end, exact=False))
        self._step(words, effects, "outer", remembers=False)

    def read_trap(self, words: tuple[Word, ...]) -> None:
        arguments = [word for word in words[1:] if word.text not in {"--", "-p", "-l"}]
        stores = bool(arguments) and len(words) > 1 and words[1].text not in {"-p", "-l"}
        effects: list[Effect] = []
        if stores and (arguments[0].dynamic or arguments[0].text not in {"", "-"}):
            effects.append(_at(arguments[0], "unresolved", "`trap` keeps a text that runs later", ""))
        self._step(words, effects)

    def read_set(self, words: tuple[Word, ...]) -> None:
        """`set -euo pipefail` and its kin; other options can change how the text is read."""
        effects: list[Effect] = []
        for before, word in zip(words, words[1:], strict=False):
            if (
                before.text[:1] in {"-", "+"}
                and before.text.endswith(("o", "s", "u"))
                and not word.text.startswith("-")
            ):
                if word.text not in tables.SHELL_OPTIONS and (
                    before.text.endswith("o") or words[0].text == "shopt"
                ):
                    effects.append(
                        _at(
                            word,
                            "unresolved",
                            f"the shell option `{_shown(word.text)}` changes how text is read",
                            "",
                        )
                    )
            elif re.match(r"[-+][A-Za-z]*k", word.text) or word.splits:
                effects.append(_at(word, "unresolved", "this changes how the shell reads text", word.text))
        self._step(words, effects)

    def read_writes_operands(self, words: tuple[Word, ...]) -> None:
        """Tee writes every operand, uniq and xxd the second, dd the file after `of=`."""
        name = base_name(words[0].text)
        effects: list[Effect] = []
        program = _PROGRAMS[name]
        arguments = self.plain_arguments(words[1:], effects)
        operands = [o.word for o in read_options(program, arguments) if o.kind == "operand"]
        if name == "dd":
            targets = [
                word.with_text(word.text[3:])
                for word in operands
                if word.text.startswith("of=") or word.text[:1] == UNKNOWN
            ]
        elif name in {"uniq", "xxd"}:
            targets = operands[1:]
        else:
            targets = [word for word in operands if not _is_process(word)]
        effects += [_at(word, "write", f"{name} writes this file", word.text, word) for word in targets]
        self._step(words, [e for e in effects if not _is_free(e)])


# -- helpers of the readers ---------------------------------------------------------------------------------

_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})
_FIND_VALUES = names(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime -mmin -atime -amin "
    "-ctime -cmin -newer -anewer -cnewer -user -group -uid -gid -perm -maxdepth -mindepth -printf -inum -links -fstype "
    "-samefile -used -context -regextype"
)
_XARGS_OPTION = re.compile(
    r"(?:-(?:[0rtpxo]+|-null|-no-run-if-empty|-verbose|-interactive|-exit|-open-tty|-show-limits|-version|-help)"
    r"|(?P<value>-[0rtpxo]*(?:[nPLsdEIaJR])|--max-args|--max-procs|--max-lines|--max-chars|--delimiter|--eof|--arg-file|--process-slot-var)"
    r"|-[ile]|--replace)(?P<rest>(?<=[nPLsdEIaJRile]).*|=.*)?\Z",
    re.DOTALL,
)
_AWK_OPTION = re.compile(
    r"(?:(?P<program>-e|--source)(?:=?(?P<text>.+))?|(?P<value>-F|-v|--field-separator|--assign)(?P<rest>.+)?|-[bcChnNOPrsStVM]+"
    r"|--(?:posix|traditional|re-interval|non-decimal-data|sandbox|version|help|csv|characters-as-bytes))\Z",
    re.DOTALL,
)
_SED_FLAG = re.compile(
    r"-[nErsuzb]+\Z|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug|sandbox|binary|follow-symlinks|version|help|line-length=\d+)\Z|-l\d+\Z"
)
_TAR_CREATES = frozenset(
    {"-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate", "--delete"}
)
_TAR = tables.Program(
    "tar gtar bsdtar",
    "filters, checkpoint actions, scripts and lists of options are programs",
    "--to-command -I --use-compress-program --checkpoint-action -F --info-script --new-volume-script --rmt-command --rsh-command -T --files-from --old-archive-x",
    "--volno-file --index-file --remove-files -g --listed-incremental --unlink-first --recursive-unlink",
    "-f --file -C --directory -b --blocking-factor -H --format -K --starting-file -L --tape-length -N --newer -V --label -X --exclude-from --exclude --strip-components --transform --xform --owner --group --mode --mtime --checkpoint-x",
)  # fmt: skip


def _at(word: Word, kind: EffectKind, reason: str, flag: str, target: Word | None = None) -> Effect:
    return Effect(kind, reason, flag, word.start, word.end, target)


def _shown(text: str) -> str:
    """A text for a message: unknown pieces as `...`, and not too long."""
    text = text.replace(UNKNOWN, "...")
    return text if len(text) <= 60 else text[:57] + "..."  # noqa: PLR2004 - a line's worth


def _position(words: Sequence[Word], word: Word) -> int:
    return next(i for i, item in enumerate(words) if item is word)


def _option_effect(program: Program, kind: str, flag: str, word: Word, value: Word | None) -> Effect | None:
    if kind == "runs":
        return _at(word, "run", f"`{flag}`: {program.reason}", flag)
    if kind == "writes":
        if value is not None and value.literal and value.text in FREE_TARGETS:
            return None
        return _at(word, "write", f"`{flag}`: {program.reason}", flag, value)
    if kind == "places" and (value is None or not _is_near(value)):
        return _at(word, "run", f"`{flag}` takes instructions from elsewhere: {program.reason}", flag)
    return None


def _is_near(word: Word) -> bool:
    """A plain relative path that stays below the working directory."""
    return word.literal and not word.text.startswith(("/", "~", "-")) and ".." not in word.text.split("/")


def _is_free(effect: Effect) -> bool:
    return (
        effect.kind == "write"
        and effect.target is not None
        and effect.target.literal
        and effect.target.text in FREE_TARGETS
    )


def _is_process(word: Word) -> bool:
    return len(word.expansions) == 1 and word.expansions[0].kind == "process" and word.text == UNKNOWN


def _finding_effect(finding: Finding, word: Word) -> Effect:
    if finding.kind == "write":
        target = word.with_text(finding.target) if finding.target else None
        return _at(word, "write", finding.reason, "", target)
    return _at(word, "run" if finding.kind == "run" else "unresolved", finding.reason, "")


def _builtin_effects(name: str, words: tuple[Word, ...]) -> list[Effect]:
    letters, reason = tables.BUILTIN_FLAGS[name]
    effects: list[Effect] = []
    for word in words[1:]:
        if re.match(r"[-+][A-Za-z]+", word.text) and any(
            letter in word.text[1:].partition("=")[0] for letter in letters
        ):
            effects.append(_at(word, "unresolved", f"`{name} {_shown(word.text)}` {reason}", word.text))
        elif word.splits:
            effects.append(
                _at(word, "unresolved", f"the arguments of `{name}` are only known when it runs", "")
            )
    return effects


def _with_input(inner: tuple[Word, ...], replaced: str, at: Word) -> tuple[Word, ...]:
    """The command that xargs will start: its input is put in, or added at the end."""
    if not replaced:
        added = Word(UNKNOWN, at.start, at.end, expansions=(Expansion("variable", "{}", quoted=False),))
        return (*inner, added)
    mark = Expansion("variable", "{}", quoted=True)
    return tuple(
        replace(word, text=word.text.replace(replaced, UNKNOWN), expansions=(*word.expansions, mark))
        if replaced in word.text
        else word
        for word in inner
    )


def _with_found_path(word: Word) -> Word:
    """`{}` becomes a path that find prints: it begins with the place where find started, never with a dash."""
    if "{}" not in word.text:
        return word
    if word.text == "{}":
        return replace(
            word, text="./" + UNKNOWN, expansions=(Expansion("variable", "{}", quoted=True),), braces=False
        )
    return replace(
        word,
        text=word.text.replace("{}", UNKNOWN),
        expansions=(Expansion("variable", "{}", quoted=True),),
        braces=False,
    )


def _find_end(arguments: Sequence[Word], index: int) -> int:
    """Where the command of an -exec ends."""
    for at in range(index, len(arguments)):
        text = arguments[at].text
        if text == ";" or (text == "+" and at > index and arguments[at - 1].text == "{}"):
            return at
    return len(arguments)


def _shell_letters(text: str, words: tuple[Word, ...], index: int, effects: list[Effect]) -> int:
    """The letters of one option word of a shell; how many more words they take."""
    taken = 0
    for letter in text[1:]:
        if letter in "oO":
            name = words[index].text if index < len(words) else ""
            taken = 1
            if name not in tables.SHELL_OPTIONS:
                effects.append(
                    _at(words[index - 1], "unresolved", f"the shell option `{_shown(name)}`", text)
                )
        elif letter not in _SHELL_LETTERS and letter != "c":
            effects.append(_at(words[index - 1], "unresolved", f"the shell's option `{_shown(text)}`", text))
    return taken


def _is_inline(text: str, inline: Sequence[str]) -> bool:
    if text.partition("=")[0] in inline:
        return True
    if text.startswith("--"):
        name = text.partition("=")[0]
        return len(name) > 4 and any(full.startswith(name) for full in inline)  # noqa: PLR2004 - `--ev` is the shortest
    return text.startswith("-") and any(len(flag) == 2 and flag[1] in text[1:] for flag in inline)  # noqa: PLR2004


def _inline_effect(word: Word, rest: Sequence[Word], spec: Interpreter) -> Effect:
    letters = word.text[1:]
    simple = (
        bool(letters) and not word.text.startswith("--") and all(c in _PLAIN_CODE_LETTERS for c in letters)
    )
    plain = (
        (simple or word.text in {"--eval", "--print"})
        and bool(rest)
        and rest[0].literal
        and is_plain_code(rest[0].text)
    )
    flag = word.text.partition("=")[0]
    return Effect("inline", f"`{_shown(flag)}`: {spec.reason}", flag, word.start, word.end, plain=plain)


def _sed_option(word: Word, following: Sequence[Word], scripts: list[Word], effects: list[Effect]) -> int:
    """One option of sed; how many more words it takes."""
    text = word.text
    if _SED_FLAG.match(text) and not word.dynamic:
        return 0
    attached = re.match(r"(?:-[nErsuzb]*e|--e[a-z]*=)(.+)\Z", text, re.DOTALL)
    if attached is not None:
        scripts.append(replace(word, text=attached.group(1)))
        return 0
    if re.match(r"-[nErsuzb]*e\Z|--e[a-z]*\Z", text):
        scripts.extend(following)
        return 1
    if text == "-l":
        return 1
    if re.match(r"-[nErsuzb]*[iI]|--i", text):
        effects.append(_at(word, "write", "sed edits the file in place", "-i"))
        if re.match(r"-[nErsuzb]*i.*e\Z", text):
            effects.append(_at(word, "unresolved", "this cluster of sed options is not understood", text))
        return 0
    effects.append(
        _at(word, "unresolved", f"sed's option `{_shown(text)}` reads a script or is not understood", text)
    )
    return 0


def _git_config(arguments: Sequence[Word]) -> list[Effect]:
    """`git config` may read anything and set what cannot run a program."""
    operands = [word for word in arguments if not word.text.startswith("-")]
    if operands and operands[0].text in {"set", "get", "list", "unset"}:
        operands = operands[1:]
    if any(word.dynamic and word.text.startswith(UNKNOWN) for word in operands[:1]):
        return [_at(operands[0], "unresolved", "the setting is only known when it runs", "")]
    if len(operands) > 1 and _DANGEROUS_GIT_KEY.match(operands[0].text):
        return [_at(operands[0], "run", "this setting makes git run a program", operands[0].text)]
    return []


def _old_style(arguments: list[Word]) -> list[Word]:
    """`tar xfC a.tar dir` as `tar -x -f a.tar -C dir`."""
    first, rest = arguments[0], list(arguments[1:])
    table = compiled(_TAR)
    result: list[Word] = []
    for letter in first.text[1:]:
        flag = "-" + letter
        result.append(first.with_text(flag))
        if table.exact.get(flag) in {"value", "writes", "runs"} and rest:
            result.append(rest.pop(0))
    return result + rest


_READERS: dict[str, Callable[[_Inspector, tuple[Word, ...]], None]] = {
    "command": _Inspector.read_command,
    "xargs": _Inspector.read_xargs,
    "gxargs": _Inspector.read_xargs,
    "find": _Inspector.read_find,
    "gfind": _Inspector.read_find,
    "fd": _Inspector.read_fd,
    "fdfind": _Inspector.read_fd,
    "sed": _Inspector.read_sed,
    "gsed": _Inspector.read_sed,
    "awk": _Inspector.read_awk,
    "gawk": _Inspector.read_awk,
    "mawk": _Inspector.read_awk,
    "nawk": _Inspector.read_awk,
    "tar": _Inspector.read_tar,
    "gtar": _Inspector.read_tar,
    "bsdtar": _Inspector.read_tar,
    "git": _Inspector.read_git,
    "ssh": _Inspector.read_ssh,
    "trap": _Inspector.read_trap,
    "set": _Inspector.read_set,
    "shopt": _Inspector.read_set,
    "tee": _Inspector.read_writes_operands,
    "sponge": _Inspector.read_writes_operands,
    "uniq": _Inspector.read_writes_operands,
    "xxd": _Inspector.read_writes_operands,
    "dd": _Inspector.read_writes_operands,
}
