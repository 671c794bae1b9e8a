"""Programs that run text: shells, interpreters, sed, awk, and the clients of databases.

Above: `programs`. Below: `inspector` looks through wrappers, `languages` reads the small languages.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.builtins import SHELL_OPTIONS
from nacre.policy.effects import (
    Effect,
    Effects,
    PathUse,
    Script,
    any_beginning,
    base_name,
    effect_at,
    is_process,
    position,
    runs,
    shown,
    unknown_at,
    unknown_text,
    unlisted,
    unresolved,
    writes,
)
from nacre.policy.filter_versions import (
    TEXT,
    find_before_script,
    find_connections,
    find_passed_over,
    find_taken_for_script,
)
from nacre.policy.inspector import Inspector
from nacre.policy.model import UNKNOWN, Word, names
from nacre.policy.options import Argument, compiled, read
from nacre.policy.patterns import regex
from nacre.policy.plain_code import files_of_plain_code
from nacre.policy.project_runners import (
    FETCHED,
    find_command,
    find_own_command,
    find_read_again,
    find_side_by_side,
    find_taken_for_command,
    is_of_the_system,
    may_be_package,
)
from nacre.policy.tables.shells import SCANNED_SHELLS, SHELLS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.effects import Step
    from nacre.policy.languages import Action
    from nacre.policy.tables.schema import Interpreter, Program

# With such an option alone, and a file right behind it, these read and run nothing.
_CHECKS_SYNTAX = {
    **dict.fromkeys(("bash", "sh", "dash"), frozenset({"-n"})),
    **dict.fromkeys(("node", "nodejs"), frozenset({"-c", "--check"})),
    "php": frozenset({"-l"}),
}
# Modules that are the same as a program: `python3 -m flask run` is `flask run`, which a rule may allow.
_RUN_AS_MODULES = {
    **{
        name: name
        for name in names(
            "alembic celery flask gunicorn jupyter locust mkdocs scrapy streamlit twine uvicorn"
        )
    },
    "django": "django-admin",
    "pre_commit": "pre-commit",
}
# What all shells take alike: behind -b zsh reads no more options, -T of mksh and -O of bash have values.
_SHELL_LETTERS = frozenset("efuxvl")
_SHELL_LONG = frozenset({"--norc", "--noprofile", "--login"})
_WITHOUT_A_SHELL = "write the commands themselves, without a shell around them"
_NAME_THE_FILE = "write the file's name out; a person can allow it with a rule that names it: `sh tests/a.sh`"
_CHECKED_HERE = (
    'write ./ before the name: `node --check ./"$f"`, `find src -print0 | xargs -0 -n1 node --check`'
)
_FROM_INPUT = "an interpreter that reads its program from its input"
# A file, and no script by its name.
_FILE = regex(r"[./]")
# Names of files that are the input, or something else that no rule has seen.
_DEVICE = regex(r"(?:/+|(?:\.\./)+)(?:dev|proc)/|(?:.*/)?(?:stdin|tty|[0-9]+)\Z")


class CodeInspector(Inspector):
    """Adds the programs whose arguments, files or input are programs themselves."""

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """Shells and interpreters before everything that only has a table."""
        if name in SHELLS:
            return self._shell
        spec = tables.interpreter(name)
        if spec is not None:
            return lambda words: self.interpreter(words, spec)
        return super().reader(name)

    # -- shells --------------------------------------------------------------------------------------------

    def _shell(self, words: tuple[Word, ...]) -> None:
        """A shell: its `-c` text is a script; a file or its input is not known here."""
        if self._checks_syntax(words):
            return
        name = base_name(words[0].text)
        effects: list[Effect] = []
        index, has_text = 1, False
        while index < len(words) and words[index].text[:1] in {"-", "+"}:
            text = words[index].text
            index += 1
            if text == "--":
                break
            if text in {"--version", "--help"}:
                self.step(words, rememberable=False)
                return
            # A sign alone ends the options: the text is the next word. To mksh `+c` is no `-c`.
            if text.startswith(("--", "+")) or text == "-" or not words[index - 1].literal:
                if text not in _SHELL_LONG:
                    effects.append(unresolved(words[index - 1], f"the shell's option `{shown(text)}`", text))
                continue
            has_text = has_text or "c" in text
            index += _shell_letters(text, words, index, effects)
        self._shell_script(name, words, index, effects, has_text=has_text)

    def _checks_syntax(self, words: tuple[Word, ...]) -> bool:
        """`bash -n x.sh`, `php -l "$f"`: a file is only looked at for mistakes; what follows is for it."""
        flags = _CHECKS_SYNTAX.get(base_name(words[0].text), frozenset())
        files = words[2:]
        if not files or words[1].text not in flags or not _is_surely_file(files[0]):
            return False
        self.step(words, rememberable=False, paths=[PathUse(file, "read") for file in files])
        return True

    def _shell_script(
        self, name: str, words: tuple[Word, ...], index: int, effects: list[Effect], *, has_text: bool
    ) -> None:
        script = words[index] if index < len(words) else None
        shell = SCANNED_SHELLS.get(name)
        if script is None:
            has_document = self.context.source.startswith(("<<", " <<"), words[-1].end)
            hint = _WITHOUT_A_SHELL if has_document else ""
            effects.append(unresolved(words[0], "a shell that reads commands from its input", "-", hint=hint))
        elif not has_text:
            flag = script.text if script.literal else ""
            hint = "" if flag else _NAME_THE_FILE
            effects.append(unresolved(script, "a shell that runs the commands of a file", flag, hint=hint))
        elif not script.literal:
            effects.append(unknown_text(script))
        elif shell is None:
            effects.append(unresolved(script, f"texts for {name} are not understood", "-c"))
        else:
            exact = self.context.source[script.start + 1 : script.end - 1] == script.text
            self.found.scripts.append(Script(script.text, shell, script.start, script.end, exact))
        found = Effects(effects)
        for word in words[index:] if not has_text else words[index + 1 :]:
            found.uses(word, "maybe")
        self.step(words, effects, "outer", rememberable=False, paths=found.paths)

    # -- interpreters --------------------------------------------------------------------------------------

    def interpreter(self, words: tuple[Word, ...], spec: Interpreter) -> None:
        """Code in an argument, a file or the input."""
        if self._checks_syntax(words):
            return
        found = Effects()
        if not self._code(words[1:], spec, found):
            found.add(effect_at(words[0], "inline", _FROM_INPUT, "-"))
        self.step(words, found.effects, rememberable=False, paths=found.paths)

    def passed_code(self, name: str, rest: Sequence[Word], found: Effects) -> bool:
        """`npx node -e x`, `uvx python -c x`: code in an argument is code, whoever starts the interpreter."""
        spec = tables.interpreter(base_name(name))
        if spec is None:
            return False
        if not self._code(rest, spec, found):
            found.add(effect_at(rest[0] if rest else Word("", 0, 0), "inline", _FROM_INPUT, "-"))
        # A rule for what starts it is none for the interpreter, to which plain code is admitted.
        found.effects = [replace(e, plain=False) if e.kind == "inline" else e for e in found.effects]
        return True

    def _code(self, words: Sequence[Word], spec: Interpreter, found: Effects) -> bool:
        """Find code among the arguments; False when nothing says what to run, so that the input is read."""
        settled, before = False, list[str]()
        given = read(compiled(spec), words)
        find_side_by_side(given, spec, found)
        for item in given:
            if item.kind in {"operand", "unproven"}:
                settled = True
                if self._is_tool(item, before, words, spec, found) or self._is_settled(
                    item.word, before, words, spec, found
                ):
                    return True
                before.append(item.word.text)
            elif spec.module and item.flag == spec.module.rstrip("="):
                self._module(item, words, spec, found)
                return True
            elif item.kind == "runs":
                settled = True
                found.add(self._inline(item, spec, found))
                if item.flag == "-c" and not spec.permutes:
                    return True  # what follows is for the text
            else:
                settled = settled or item.flag in spec.quits.split() or item.flag in spec.finds.split()
                self.option(spec, item, found)
                find_taken_for_command(item, before, spec, found)
        return settled

    def _is_settled(
        self, word: Word, before: list[str], words: Sequence[Word], spec: Interpreter, found: Effects
    ) -> bool:
        """Whether an operand is what is run, so that all that follows is for it."""
        self._run_by_name(word, before, words, spec, found)
        if before[:1] and before[0] in spec.installs.split() and _is_package(word):
            found.uses(word, "maybe")  # `deno add npm:zod`, `bun add repl`
        elif not self._operand_of(word, spec, found):
            self._script(word, words, spec, found)
            return True
        after = words[position(words, word) + 1 :]
        if spec.hands_on:
            find_read_again(word, before, spec, after, found)
        if not before or before[-1] not in spec.hands_on.split():
            return False
        if _FILE.search(word.text):
            self.vouched(after, found, harmless=True)
        else:
            self.for_scripts(spec, after, found)
        return True

    def _run_by_name(
        self, word: Word, before: list[str], words: Sequence[Word], spec: Interpreter, found: Effects
    ) -> None:
        """What is no script of the project is a program of the system, `bun run rm`; `bun add user/repo`."""
        if before[:1] and before[0] in spec.installs.split() and not _is_package(word):
            reason = f"`{shown(word.text)}` is a package from elsewhere: {spec.reason}"
            found.add(unlisted(word, reason, word.text if word.literal else ""))
        if spec.hands_on:
            find_own_command(word, before, words, found)
        if not spec.scripts or before[-1:] != ["run"]:
            return
        is_last = word is words[-1]
        is_script = word.literal and re.fullmatch(spec.scripts, word.text) is not None
        is_program = tables.home_of(word.text) not in {None, "javascript"} or is_of_the_system(word.text)
        if not is_script or (not is_last and "/" not in word.text and is_program):
            reason = f"`{shown(word.text)}` could be a program of the system, and no script"
            found.add(unlisted(word, reason, word.text if word.literal else ""))

    def _is_tool(
        self, item: Argument, before: list[str], words: Sequence[Word], spec: Interpreter, found: Effects
    ) -> bool:
        """`bun eslint src`, `bun run tsc`, `bun dev`: a tool of the project, or a script of it, by its name.

        What follows is read by the tool's own table; what is neither is no word to begin with.
        """
        word, rest = item.word, words[position(words, item.word) + 1 :]
        by_name = spec.hands_on != "" and before in ([], [spec.hands_on]) and may_be_package(word, spec)
        npx = tables.program("npx")
        if word.expansions and spec.hands_on and before in ([], [spec.hands_on]) and "/" not in word.prefix:
            reason = "which program it runs is only known when it runs"
            found.add(unresolved(word, reason, hint="write its name out"))
            return True
        if not by_name or npx is None:
            return False
        is_script = re.fullmatch(spec.scripts, word.text) is not None
        if tables.home_of(word.text) == "javascript" and not is_script:
            self.passed(npx, item, words, found)
        elif before:
            return False
        elif not is_script and (tables.has_entry(word.text) or is_of_the_system(word.text)):
            reason = f"`{shown(word.text)}` is a program of the system, and no script"
            found.add(unlisted(word, reason, word.text))
        else:
            find_command(word, word.text, rest, found)
            self.for_scripts(spec, rest, found)
        find_read_again(word, before, spec, rest, found)
        return True

    def _operand_of(self, word: Word, spec: Interpreter, found: Effects) -> bool:
        """An operand that is no script: a file for an editor, a command after `+`, a word that runs code."""
        if word.text in spec.inline.split():
            found.add(effect_at(word, "inline", f"`{word.text}`: {spec.reason}", word.text))
            return True
        if not spec.permutes:
            return False
        if spec.hands_on and (word.text == "-" or (word.literal and _DEVICE.match(word.text))):
            found.add(effect_at(word, "inline", _FROM_INPUT, "-"))
        elif word.text.startswith("+") and not word.text[1:].isdigit():
            found.add(effect_at(word, "inline", f"`+`: {spec.reason}", word.text))
        elif not spec.edits and _is_input(word):
            found.add(effect_at(word, "inline", _FROM_INPUT, "-"))
        elif _is_no_file(word, spec):
            reason = f"what is fetched by another program, or is code: {spec.reason}"
            found.add(effect_at(word, "inline", reason, word.text if word.literal else ""))
        elif spec.edits and word.text.startswith("!"):  # `ed '!id'` edits what the command prints
            found.add(effect_at(word, "inline", f"`!`: {spec.reason}", word.text if word.literal else ""))
        elif word.splits:
            reason = "an unquoted value can become any option"
            found.add(unresolved(word, reason, hint="write its name out"))
        elif not word.literal and not word.tilde and _may_be_command(word, spec):
            reason = "this value can turn out to be a command or an option"
            found.add(unresolved(word, reason, hint="write its name out"))
        found.uses(word, "change" if spec.edits else "maybe")
        return True

    def _script(self, word: Word, words: Sequence[Word], spec: Interpreter, found: Effects) -> None:
        """The program's own file; what follows is meant for it."""
        known = not spec.files or (word.literal and re.fullmatch(spec.files, word.text) is not None)
        if not known or "://" in word.text:
            reason = f"`{shown(word.text)}` is no file of the project: {spec.reason}"
            found.add(effect_at(word, "inline", reason, word.text if word.literal else ""))
        elif _is_input(word):
            found.add(effect_at(word, "inline", _FROM_INPUT, "-"))
        elif word.dynamic or (word.glob is not None and not _are_tests(word, words)):
            checks = any(words[0].text in flags for flags in _CHECKS_SYNTAX.values())
            hint = _CHECKED_HERE if checks and word is words[1] else ""
            found.add(unresolved(word, "which program text it runs is only known when it runs", hint=hint))
        found.uses(word, "read")
        for after in words[position(words, word) + 1 :]:
            found.uses(after, "maybe")

    def _module(self, item: Argument, words: Sequence[Word], spec: Interpreter, found: Effects) -> None:
        """`python3 -m pytest ...`: the module's own options count, the interpreter's are over."""
        value = item.value
        if value is None:
            return
        last = item.word if value.start == item.word.start else value
        rest = words[next(i for i, word in enumerate(words) if word.start == last.start) + 1 :]
        if not value.literal:
            found.add(unresolved(value, "the module is only known when it runs"))
            return
        if value.text not in spec.modules.split() and not _OF_THE_PROJECT.match(value.text):
            reason = f"the module `{shown(value.text)}` is not known to be harmless"
            isolated = any(
                word.text[:1] == "-" and {"I", "P"} & set(word.text) for word in words[: -len(rest) or None]
            )
            files = () if isolated else _files_of_module(value.text)
            program = _RUN_AS_MODULES.get(value.text)
            inner = (value.with_text(program), *rest) if program else ()
            found.add(replace(unlisted(value, reason, value.text), files=files, inner=inner))
        entry = tables.module(value.text)
        if entry is not None:
            self.arguments(entry, rest, found)
        else:
            self.vouched(rest, found)

    def _inline(self, item: Argument, spec: Interpreter, found: Effects) -> Effect:
        """Code in an option: plain, if it is proven to read, compute and print."""
        value = item.value
        files: tuple[list[str], list[str]] | None = None
        flags = _CODE_FLAGS_OF.get(spec.language, _CODE_FLAGS)
        if spec.language and value is not None and value.literal and item.flag in flags:
            files = files_of_plain_code(value.text, spec.language)
        if files is not None and value is not None:
            for file in files[0]:
                found.uses(_as_word(value, file), "read")
            for file in files[1]:
                found.add(writes(item.word, _TEXT_WRITES, item.flag))
                found.uses(value.with_text(file), "write")
        reason = f"`{shown(item.flag)}`: {spec.reason}"
        return Effect("inline", reason, item.flag, item.word.start, item.word.end, plain=files is not None)

    # -- sed and awk ---------------------------------------------------------------------------------------

    def read_sed(self, words: tuple[Word, ...]) -> None:
        """Sed's scripts, wherever its options put them."""
        from nacre.policy.languages.sed import sed_actions  # noqa: PLC0415 - when it is first named

        self._filter(words, "sed", {"-e", "--expression"}, sed_actions)

    def read_awk(self, words: tuple[Word, ...]) -> None:
        """Awk's program, wherever its options put it."""
        from nacre.policy.languages.awk import awk_actions  # noqa: PLC0415 - when it is first named

        self._filter(words, "awk", {"-e", "--source"}, awk_actions)

    def _filter(
        self,
        words: tuple[Word, ...],
        name: str,
        gives: set[str],
        reader: Callable[[str], list[Action]],
    ) -> None:
        entry = tables.program(name)
        if entry is None:
            return
        found = Effects()
        given = read(compiled(entry), words[1:])
        scripts = [item.value for item in given if item.flag in gives and item.value is not None]
        operands = [item for item in given if item.kind in {"operand", "unproven"}]
        edits = any(item.kind == "writes" for item in given)
        if edits and operands and operands[0].word.literal and not operands[0].word.text and not scripts:
            operands.pop(0)  # BSD's `sed -i '' script file`
            if operands and any(item.flag in _PRINTS_NOTHING for item in given):
                found.uses(operands[0].word, "change")  # to GNU's sed it is a file, too, which is emptied
        other = any(item.flag in {"-f", "--file", "-E", "--exec"} and item.kind == "runs" for item in given)
        if not scripts and operands and not other:
            scripts.append(operands.pop(0).word)
        for item in given:
            if item.kind != "operand" and not any(item.word is script for script in scripts):
                self._filter_option(entry, item, found)
        for item in operands:
            found.uses(item.word, "change" if edits else "read")
        if name == "awk":
            find_connections(operands, found)
            find_passed_over(words, given, found)
        else:
            options = [at for at, item in enumerate(given) if item.flag in gives]
            before = given[: options[0]] if options else ()
            find_before_script([item.word for item in before if item in operands], reader, found)
            first = operands[:1] if edits and not options else ()
            find_taken_for_script([item.word for item in first], reader, found)
        self.language(scripts, reader, found)
        self.finish(words, found)

    def _filter_option(self, entry: Program, item: Argument, found: Effects) -> None:
        if item.kind == "writes":
            found.add(writes(item.word, "sed edits the file in place", "-i"))
            if item.value is not None:
                found.uses(any_beginning(item.value), "beside")
        else:
            self.option(entry, item, found)

    def language(
        self,
        scripts: Sequence[Word],
        reader: Callable[[str], list[Action]],
        found: Effects,
        flag: str = TEXT,
    ) -> None:
        """Read the program texts; several are one text, as the program joins them."""
        scripts = [_with_number(word) for word in scripts]
        for word in scripts:
            if not word.literal:
                found.add(unresolved(word, "the program text is only known when it runs", flag))
                return
        if not scripts:
            return
        for action in reader("\n".join(word.text for word in scripts)):
            self.action(action, scripts[0], found, flag)

    def action(self, action: Action, word: Word, found: Effects, flag: str) -> None:
        """What a program text does, as an effect of the command."""
        target = word.with_text(action.target) if action.target else None
        if action.kind == "write" and target is not None:
            found.add(writes(word, action.reason, flag, target))
            found.uses(target, "write")
        elif action.kind == "write":
            found.add(unresolved(word, f"{action.reason}, and which one is only known when it runs", flag))
        elif action.kind == "read":
            found.uses(target or unknown_at(word), "read")
        elif action.kind == "run":
            found.add(runs(word, action.reason, flag))
        else:
            found.add(unresolved(word, action.reason, flag))


_PACKAGE = regex(r"(?:@[\w.-]+/)?[A-Za-z0-9_][\w.-]*(?:@(?!\.)[\w.^~<>=*|-]*)?")
_PRINTS_NOTHING = frozenset({"-n", "--quiet", "--silent"})


def _is_no_file(word: Word, spec: Interpreter) -> bool:
    """An address, or what else is code of another kind than a file of the project."""
    known = not spec.files or re.fullmatch(spec.files, word.text) is not None
    return not known or "://" in word.text or (spec.fetches and FETCHED.match(word.text) is not None)


def _may_be_command(word: Word, spec: Interpreter) -> bool:
    """Whether a value can turn out to be an option, or a command that does more than to run a script."""
    commands = f"{spec.inline} {spec.installs} {spec.hands_on}".split()
    return word.prefix[:1] in {"", "-"} or any(name.startswith(word.prefix) for name in commands)


def _is_package(word: Word) -> bool:
    """A package of the registry, by its name and perhaps its version."""
    text = word.text.removeprefix("npm:").removeprefix("jsr:")
    return word.literal and _PACKAGE.fullmatch(text) is not None


# Modules that are the project's own by custom: Python has none of these names.
_MODULE = regex(r"[A-Za-z]\w*(?:\.[A-Za-z_]\w*)*\Z")
_OF_THE_PROJECT = regex(r"(?:src|app|apps|tests|scripts|backend|server|api)(?:\.[A-Za-z_]\w*)*\Z")


def with_document(step: Step, document: str) -> Step:
    """The step of an interpreter whose program stands in a here-document: it may only compute and print."""
    spec = tables.interpreter(base_name(step.words[0].text))
    if spec is None or not spec.language or not any(_is_from_input(effect) for effect in step.effects):
        return step
    files = files_of_plain_code(document, spec.language)
    if files is None:
        return step
    effects = tuple(replace(e, plain=True) if _is_from_input(e) else e for e in step.effects)
    name = step.words[0]
    used = [PathUse(_as_word(name, file), "read") for file in files[0]]
    used += [PathUse(name.with_text(file), "write") for file in files[1]]
    if files[1]:
        effects += (writes(name, _TEXT_WRITES, "-"),)
    return replace(step, effects=effects, paths=(*step.paths, *used))


def _as_word(word: Word, file: str) -> Word:
    return unknown_at(word) if file == UNKNOWN else word.with_text(file)


def _is_input(word: Word) -> bool:
    """A file of code that is the input, or a pipe."""
    device = word.literal and _DEVICE.match(_without_dots(word.text)) is not None
    return word.text == "-" or is_process(word) or device


def _without_dots(path: str) -> str:
    """`/tmp/../dev/./stdin` as `/dev/stdin`, links aside."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in {"", "."} and not (part == ".." and path.startswith("/")):
            parts.append(part)
    return ("/" if path.startswith("/") else "") + "/".join(parts)


def _with_number(word: Word) -> Word:
    """`sed -n "$((n - 5)),${n}p"`: which number it is makes no difference to what a text can do."""
    numbers = all(piece.shape in {"digits", "number"} for piece in word.expansions)
    return word.with_text(word.text.replace(UNKNOWN, "1")) if word.spelled and numbers else word


def _is_from_input(effect: Effect) -> bool:
    return effect.kind == "inline" and effect.flag == "-"


def _are_tests(word: Word, words: Sequence[Word]) -> bool:
    """`node --test test/*.js`: files of tests, none of which can be taken for an option."""
    return not word.may_be_option and any(item.text == "--test" for item in words[: position(words, word)])


# Options whose value is code that can be read; the others load code from somewhere.
_CODE_FLAGS = frozenset({"-c", "-e", "--eval", "-p", "--print", "-pe", "-ep"})
# To some these letters are for something else: `ruby -c`, `ruby -r json`, `node -r x`.
_CODE_FLAGS_OF = {
    "ruby": frozenset({"-e"}),
    "php": frozenset({"-r"}),
    "r": frozenset({"-e"}),
    "julia": frozenset({"-e", "--eval"}),
}


_TEXT_WRITES = "this text writes a file"


def _files_of_module(name: str) -> tuple[tuple[str, ...], ...]:
    """The files that make a module the project's own: Python looks for it in the working directory first.

    That is not so for some of its own modules; a directory that is no package could be one elsewhere.
    """
    from nacre.policy.tables.interpreters import PYTHON_MODULES  # noqa: PLC0415 - when it is first named

    *above, last = name.split(".")
    if not _MODULE.match(name) or name.partition(".")[0] in PYTHON_MODULES:
        return ()
    packages = tuple("/".join([*above[: count + 1], "__init__.py"]) for count in range(len(above)))
    directory = "/".join([*above, last])
    return (
        (*packages, f"{directory}.py"),
        (*packages, f"{directory}/__init__.py", f"{directory}/__main__.py"),
    )


def _is_surely_file(word: Word) -> bool:
    """No option: `bash -n +n` runs what it reads after all. What follows the first file is for it."""
    return not word.splits and word.prefix[:1] not in {"", "-", "+"}


def _shell_letters(text: str, words: tuple[Word, ...], index: int, effects: list[Effect]) -> int:
    """The letters of one option word of a shell; how many more words they take."""
    taken = 0
    for letter in text[1:]:
        if letter == "o":
            name = words[index].text if index < len(words) else ""
            taken = 1
            # To some shells the rest of the word would be the name.
            if name not in SHELL_OPTIONS or text.count("o") > 1 or text[-1] != "o":
                effects.append(unresolved(words[index - 1], f"the shell option `{shown(name)}`", text))
        elif letter not in _SHELL_LETTERS and letter != "c":
            effects.append(unresolved(words[index - 1], f"the shell's option `{shown(text)}`", text))
    return taken
