"""What commands are called on Windows: without case and suffix, with aliases, some like programs elsewhere.

PowerShell puts the arguments of a program together to one text, and in its older versions without escaping
the quotes in them: an argument that holds quotes may arrive as several, an empty one not at all.

Above: `check` and `rule_search`. Below: `tables.windows`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.effects import Inspection, PathUse, Step, writes
from nacre.policy.findings import POWERSHELL
from nacre.policy.model import BLOCK, Word, names
from nacre.policy.patterns import regex
from nacre.policy.programs import has_meaning, inspect
from nacre.policy.tables.windows import (
    CMD_SYNONYMS,
    HARMLESS_CMDLETS,
    POWERSHELL_ALIASES,
    WINDOWS_UNRESOLVABLE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.values import Context

# Names that mean something else on Windows than in the tables of POSIX programs.
_NOT_POSIX = names("find sort more date time set type tree label exec command . sc start cd echo cmd where")
_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z")
# Other names of the same command, by shell.
_SYNONYMS = {"cmd": CMD_SYNONYMS, **dict.fromkeys(POWERSHELL, POWERSHELL_ALIASES)}


# Cmdlets by their verbs, as far as programs elsewhere are not called so; all else may be a program.
_CMDLET = regex(
    r"(?:get|set|new|remove|clear|copy|move|rename|import|export|convertto|convertfrom|convert|out|write|read|test"
    r"|measure|format|push|pop|where|foreach|sort|group|compare|select|join|split|resolve|tee)-[a-z]+\Z"
)
# Parameters of every cmdlet that assign what it prints, also to `env:PATH` and `function:ls`.
_ASSIGNING = names("outvariable errorvariable warningvariable informationvariable pipelinevariable")
_ASSIGNING_SHORT = names("ov ev wv iv pv")
# Where variables of the environment, functions and aliases are files to a cmdlet that writes.
_OWN_DRIVE = regex(r"(?:-[a-z]+:)?(?:env|function|alias|variable):", re.IGNORECASE)
_GOES_THERE = names("set-location push-location")
_FOR_BLOCKS = regex(r"-(?:b(?:egin)?|p(?:r|ro|roc|rocess|arallel)?|e(?:nd)?)\Z", re.IGNORECASE)
_PARAMETER = regex(r"-([a-z]+)(?::.*)?\Z", re.DOTALL)


def aliases(name: str, shell: str) -> list[str]:
    """The name, and in PowerShell what it is an alias for."""
    if shell not in POWERSHELL:
        return [name]
    return [name, POWERSHELL_ALIASES.get(name.casefold(), name)]


def synonyms(name: str, shell: str) -> list[str]:
    """Every name of the same command, for rules that forbid it or ask about it."""
    known = _SYNONYMS.get(shell)
    if known is None:
        return [name]
    # In PowerShell a module's name can stand before that of its command: Microsoft.PowerShell.Management\\ri
    folded = _EXECUTABLE_SUFFIX.sub("", name.casefold().rpartition("\\")[2])
    target = known.get(folded, folded)
    return [name, target, *(alias for alias, command in known.items() if command == target)]


def inspect_windows(words: Sequence[Word], context: Context, shell: str) -> Inspection:
    """What a command amounts to where names have neither case nor suffix, and some mean other programs."""
    word, words = words[0], _apart(words, shell)
    if not word.literal or re.search(r"[\\/:]", word.text):
        return inspect(words, context)
    name = _EXECUTABLE_SUFFIX.sub("", word.text.casefold())
    known = (word.with_text(name), *words[1:])
    alias = shell in POWERSHELL and name in POWERSHELL_ALIASES
    if alias and name != word.text.casefold():
        # `curl.exe`, `sc.exe` are programs, and no aliases: rules for a cmdlet do not speak of them.
        return inspect(words, context) if name not in _NOT_POSIX else _of_windows(name, words)
    if name not in _NOT_POSIX and not alias:  # cmd.exe has no aliases: its curl is curl
        return inspect(known, context)
    if shell == "pwsh" and has_meaning(name):
        # It runs on other systems, too, where the name is the program's: both must be harmless.
        found = inspect(known, context)
        first = found.steps[0]
        found.steps[0] = replace(first, paths=(*first.paths, *_maybe(known[1:])))
        return found
    return _of_windows("" if alias else name, known)


def _of_windows(name: str, words: Sequence[Word]) -> Inspection:
    """A command that no table knows; `sort /o x` writes a file."""
    writing = [word for word in words[1:] if name == "sort" and word.text.casefold().startswith("/o")]
    effects = tuple(writes(word, "`/o` writes a file", word.text) for word in writing)
    return Inspection([Step(tuple(words), "command", effects, tuple(words), paths=_maybe(words[1:]))])


def objection_to_argument(words: Sequence[Word], shell: str) -> tuple[Word, str, str] | None:
    """The argument that does not arrive as it is written, or assigns something: why, and what to write."""
    if shell not in POWERSHELL:
        return None
    name = _EXECUTABLE_SUFFIX.sub("", words[0].text.casefold())
    cmdlet = _is_cmdlet(words[0].text.casefold())
    for word in words[1:]:
        parameter = _PARAMETER.match(word.text.casefold())
        if (
            cmdlet
            and parameter is not None
            and _assigns(parameter.group(1), alias=name in POWERSHELL_ALIASES)
        ):
            return word, "this parameter gives a variable a value, of any name", "write $x = and the command"
        if cmdlet and _writes(name) and _OWN_DRIVE.match(word.text):
            reason = "on this drive are no files, but what commands mean and what programs see"
            return word, reason, "name a file, or assign to $env:NAME"
        if (not cmdlet or (shell == "pwsh" and has_meaning(name))) and _is_torn(word):
            reason = "PowerShell may hand this over as another argument, as several or as none"
            return word, reason, "leave out empty arguments, double quotes and a backslash at the end"
    return None if cmdlet else _objection_to_dashes(words)


def _objection_to_dashes(words: Sequence[Word]) -> tuple[Word, str, str] | None:
    """`npm test -- --x`: npm is a script there, and PowerShell takes the dashes for its own."""
    at = next((at for at, word in enumerate(words) if word.text == "--" and not word.quoted), len(words))
    if not any(word.may_be_option for word in words[at + 1 :]):
        return None
    reason = "PowerShell keeps these dashes to itself where the program is a script: an option follows"
    return words[at], reason, "put the dashes into quotes: '--'"


def _writes(name: str) -> bool:
    full = POWERSHELL_ALIASES.get(name, name)
    return full not in HARMLESS_CMDLETS or full in _GOES_THERE


def _is_cmdlet(name: str) -> bool:
    """What is written with a suffix, `sort.exe`, is none."""
    return _CMDLET.match(POWERSHELL_ALIASES.get(name, name)) is not None


def _assigns(parameter: str, *, alias: bool) -> bool:
    """Names may be shortened; to a program that is called like an alias, one letter is an option."""
    shortened = any(full.startswith(parameter) for full in _ASSIGNING)
    return parameter in _ASSIGNING_SHORT or (shortened and not (alias and len(parameter) == 1))


def _is_torn(word: Word) -> bool:
    """Quotes are not escaped, an empty text is left out, a backslash escapes the quote behind it."""
    blank = any(char.isspace() for char in word.text)
    return not word.text or '"' in word.text or (blank and word.text.endswith("\\"))


def _apart(words: Sequence[Word], shell: str) -> Sequence[Word]:
    """What a value holds may be quotes: to a program it may be several arguments."""
    if shell not in POWERSHELL or _is_cmdlet(words[0].text.casefold()):
        return words
    return tuple(
        replace(word, expansions=tuple(replace(item, quoted=False) for item in word.expansions))
        for word in words
    )


def _is_block(word: Word) -> bool:
    """A block as it is written, or a parameter for one. A value can name a method, as `-m:Delete` does."""
    if word.dynamic:
        return all(item.name == BLOCK for item in word.expansions)
    return not word.quoted and _FOR_BLOCKS.match(word.text) is not None


def _maybe(words: Sequence[Word]) -> tuple[PathUse, ...]:
    return tuple(PathUse(word, "maybe") for word in words)


def unresolvable(words: Sequence[Word], shell: str) -> tuple[str, str]:
    """The name and the reason, where a command runs text, loads code or renames things; else no reason."""
    word = words[0]
    name = _EXECUTABLE_SUFFIX.sub("", re.split(r"[\\/]", word.text.casefold())[-1])
    name = POWERSHELL_ALIASES.get(name, name) if shell in POWERSHELL else name
    reason = WINDOWS_UNRESOLVABLE.get(name, "")
    if name == "cmd":
        reason = "runs its arguments"
    elif name == "foreach-object" and not all(map(_is_block, words[1:])):
        reason = "calls a method by its name"
    return name, reason
