"""Programs that run text: shells, interpreters, sed and awk.

Above: `programs`. Below: `inspector` looks through wrappers, `filters` reads the small languages.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import (
    INTERPRETERS,
    PROGRAMS,
    Effect,
    Script,
    base_name,
    effect_at,
    runs,
    shown,
    unresolved,
    writes,
)
from nacre.policy.filters import Finding, awk_findings, is_plain_code, sed_findings
from nacre.policy.inspector import Inspector

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.model import Word
    from nacre.policy.tables import Interpreter

_SHELL_LETTERS = frozenset("efuxvlpahmbBCEHT")
_SHELL_LONG = frozenset({"--norc", "--noprofile", "--login", "--verbose", "--no-rcs", "--restricted"})
_PLAIN_CODE_LETTERS = frozenset("ceEnplawu")
_AWK_OPTION = re.compile(
    r"(?:(?P<program>-e|--source)(?:=?(?P<text>.+))?|(?P<value>-F|-v|--field-separator|--assign)(?P<rest>.+)?|-[bcChnNOPrsStVM]+"
    r"|--(?:posix|traditional|re-interval|non-decimal-data|sandbox|version|help|csv|characters-as-bytes))\Z",
    re.DOTALL,
)
_SED_FLAG = re.compile(
    r"-[nErsuzb]+\Z|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug|sandbox|binary|follow-symlinks|version|help|line-length=\d+)\Z|-l\d+\Z"
)

_FROM_INPUT = "an interpreter that reads its program from its input"


class CodeInspector(Inspector):
    """Adds the programs whose arguments, files or input are programs themselves."""

    def reader(self, name: str) -> Callable[[tuple[Word, ...]], None] | None:
        """Shells and interpreters before everything that only has a table."""
        if name in tables.SHELLS:
            return self._shell
        if name in INTERPRETERS:
            return lambda words: self._interpreter(words, INTERPRETERS[name])
        return super().reader(name)

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
                self.step(words, remembers=False)
                return
            if text.startswith("--"):
                if text not in _SHELL_LONG:
                    effects.append(unresolved(words[index - 1], f"the shell's option `{shown(text)}`", text))
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
            effects.append(unresolved(words[0], "a shell that reads commands from its input", "-"))
        elif not has_text:
            effects.append(unresolved(script, "a shell that runs the commands of a file", script.text))
        elif script.dynamic or script.braces or script.pattern:
            effects.append(unresolved(script, "the text for a shell is only known when it runs"))
        elif shell is None:
            effects.append(unresolved(script, f"texts for {name} are not understood", "-c"))
        else:
            exact = self.context.source[script.start + 1 : script.end - 1] == script.text
            self.found.scripts.append(Script(script.text, shell, script.start, script.end, exact))
        self.step(words, effects, "outer", remembers=False)

    def _interpreter(self, words: tuple[Word, ...], spec: Interpreter) -> None:
        effects: list[Effect] = []
        arguments = self.plain_arguments(words[1:], effects)
        if not self._code_options(arguments, spec, effects) and not effects:
            effects.append(effect_at(words[0], "inline", _FROM_INPUT, "-"))
        self.step(words, effects, remembers=False)

    def _code_options(self, arguments: Sequence[Word], spec: Interpreter, effects: list[Effect]) -> bool:
        """Find code among the options; False when nothing says what to run, so that the input is read."""
        settled = False
        index = 0
        while index < len(arguments):
            word = arguments[index]
            text = word.text
            index += 1
            if spec.modules and text.startswith(spec.modules):
                self._module(arguments[index - 1 :], spec, effects)
                return True
            if spec.permutes and text.startswith("+") and not text[1:].isdigit():
                effects.append(effect_at(word, "inline", f"`+`: {spec.reason}", text))
            elif text in spec.harmless.split():
                settled = True
            elif text in spec.values.split():
                index += 1
            elif _is_inline(text, spec.inline.split()):
                effects.append(_inline_effect(word, arguments[index:], spec))
                return True
            elif text == "-":
                effects.append(effect_at(word, "inline", _FROM_INPUT, "-"))
                return True
            elif not text.startswith("-"):
                # The program's own file: what follows is meant for it, except where options may come later.
                settled = True
                if not spec.permutes:
                    return True
        return settled

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
            effects.append(unresolved(rest[0], "the module is only known when it runs"))
            return
        program = PROGRAMS.get(rest[0].text)
        if program is not None:
            effects += self.table_effects(program, rest[1:])

    def read_sed(self, words: tuple[Word, ...]) -> None:
        """Sed's scripts, wherever its options put them."""
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
        self.step(words, effects)

    def read_awk(self, words: tuple[Word, ...]) -> None:
        """Awk's program, wherever its options put it."""
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
                effects.append(runs(word, f"awk's option `{shown(word.text)}` can run or write", word.text))
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
            effects.append(unresolved(words[0], "an unquoted value can become any option"))
        self._language(scripts, awk_findings, effects)
        self.step(words, effects)

    def _check_operands(self, operands: Sequence[Word], effects: list[Effect]) -> None:
        for word in operands:
            if word.dynamic:
                self.known_words(word, effects, options_end=False)

    def _language(
        self, scripts: Sequence[Word], reader: Callable[[str], list[Finding]], effects: list[Effect]
    ) -> None:
        """Read the program texts; several are one text, as the program joins them."""
        if not scripts:
            return
        known = [self.context.candidates(word) if not word.splits else None for word in scripts]
        for word, texts in zip(scripts, known, strict=True):
            if texts is None or word.pattern:
                effects.append(unresolved(word, "the program text is only known when it runs"))
                return
        joined = ["\n".join(texts[0] for texts in known if texts)] if len(scripts) > 1 else (known[0] or [])
        if len(scripts) > 1 and any(len(texts or ()) != 1 for texts in known):
            effects.append(unresolved(scripts[0], "the program text is only known when it runs"))
            return
        for text in joined:
            effects.extend(_finding_effect(item, scripts[0]) for item in reader(text))


def _finding_effect(finding: Finding, word: Word) -> Effect:
    if finding.kind == "write":
        target = word.with_text(finding.target) if finding.target else None
        return writes(word, finding.reason, "", target)
    return effect_at(word, "run" if finding.kind == "run" else "unresolved", finding.reason, "")


def _shell_letters(text: str, words: tuple[Word, ...], index: int, effects: list[Effect]) -> int:
    """The letters of one option word of a shell; how many more words they take."""
    taken = 0
    for letter in text[1:]:
        if letter in "oO":
            name = words[index].text if index < len(words) else ""
            taken = 1
            if name not in tables.SHELL_OPTIONS:
                effects.append(unresolved(words[index - 1], f"the shell option `{shown(name)}`", text))
        elif letter not in _SHELL_LETTERS and letter != "c":
            effects.append(unresolved(words[index - 1], f"the shell's option `{shown(text)}`", text))
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
        spec.computes
        and (simple or word.text in {"--eval", "--print"})
        and bool(rest)
        and rest[0].literal
        and is_plain_code(rest[0].text)
    )
    flag = word.text.partition("=")[0]
    return Effect("inline", f"`{shown(flag)}`: {spec.reason}", flag, word.start, word.end, plain=plain)


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
        effects.append(writes(word, "sed edits the file in place", "-i"))
        if re.match(r"-[nErsuzb]*i.*e\Z", text):
            effects.append(unresolved(word, "this cluster of sed options is not understood", text))
        return 0
    effects.append(
        unresolved(word, f"sed's option `{shown(text)}` reads a script or is not understood", text)
    )
    return 0
