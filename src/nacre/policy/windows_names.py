"""What commands are called on Windows: without case and suffix, with aliases, some like programs elsewhere.

PowerShell puts the arguments of a program together to one text, and in its older versions without escaping
the quotes in them: an argument that holds quotes may arrive as several, an empty one not at all.

Above: `check` and `rule_search`. Below: `tables.windows`.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.cmdlets import CmdletReader
from nacre.policy.effects import Effect, Inspection, PathUse, Step, unknown_at, unlisted
from nacre.policy.findings import POWERSHELL
from nacre.policy.model import BLOCK, Word, names
from nacre.policy.patterns import BECOMES_PLAIN, ON_ANOTHER_MACHINE, regex
from nacre.policy.powershell_drives import (
    MAY_BE_OWN_DRIVE,
    OWN_DRIVE,
    WRITE_BEFORE,
    is_own_drive,
    may_be_own_drive,
)
from nacre.policy.powershell_lists import divided_list, is_one_argument, with_lists
from nacre.policy.programs import has_meaning, inspect
from nacre.policy.tables.windows import (
    CMD_SYNONYMS,
    CMDLETS,
    DIVIDED_AS_ON_WINDOWS,
    HARMLESS_CMDLETS,
    NO_BATCH_FILES,
    POWERSHELL_ALIASES,
    READS_ALL_LETTERS,
    WINDOWS_COMMANDS,
    WINDOWS_UNRESOLVABLE,
)
from nacre.policy.windows_commands import of_windows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.effects import Effect
    from nacre.policy.values import Context

# Names that mean something else on Windows than in the tables of POSIX programs.
_NOT_POSIX = names(
    "find sort more date time set type tree label exec command . sc start cd echo cmd where at fc expand "
    "finger hostname link mklink mount netstat nslookup ping print rename reset timeout umount whoami dir "
    "mkdir rmdir pushd popd"
)
_OF_TIMEOUT = regex(r"/|-?\d+\Z")  # how the one of Windows is called
_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z")
# Other names of the same command, by shell.
_SYNONYMS = {"cmd": CMD_SYNONYMS, **dict.fromkeys(POWERSHELL, POWERSHELL_ALIASES)}


# Cmdlets by their verbs, as far as programs elsewhere are not called so; all else may be a program.
_CMDLET = regex(
    r"(?:get|set|new|remove|clear|copy|move|rename|import|export|convertto|convertfrom|convert|out|write|read|test"
    r"|measure|format|push|pop|where|foreach|sort|group|compare|select|join|split|resolve|tee)-[a-z]+\Z"
)
# Further cmdlets, whose verbs programs have, too, and their aliases as far as these are no programs.
_FURTHER_CMDLETS = names(
    "invoke-webrequest invoke-restmethod iwr irm add-content compress-archive expand-archive "
    "start-transcript stop-process wait-process"
)
# Cmdlets that put what they get from the network into a file, if they are told to.
_FETCHES = names("invoke-webrequest invoke-restmethod")
# Parameters of every cmdlet that assign what it prints, also to `env:PATH` and `function:ls`; and of some.
_ASSIGNING = names("outvariable errorvariable warningvariable informationvariable pipelinevariable")
_ASSIGNING_SHORT = names("ov ev wv iv pv")
_ASSIGNING_OF = {
    "tee-object": ("variable",),
    **dict.fromkeys(
        _FETCHES, ("sessionvariable", "sv", "responseheadersvariable", "rhv", "statuscodevariable")
    ),
}
# Aliases that no program takes the place of.
_NO_PROGRAMS = names("cd chdir pushd popd")
_GOES_THERE = names("set-location push-location")
_FOR_BLOCKS = regex(r"-(?:b(?:egin)?|p(?:r|ro|roc|rocess|arallel)?|e(?:nd)?)\Z", re.IGNORECASE)
_PARAMETER = regex(r"-([a-z]+)(?::.*)?\Z", re.DOTALL)
_NAMED_LIKE_CMDLET = regex(r"[a-z]+-[a-z]+\Z")
_ONLY_LOOKS = regex(r"(?:get|test|show|find)-")
# Cmdlets that are given the files by another one where no path is named, and those to which the second word
# is a text.
_TAKES_FILES = names("remove-item move-item rename-item clear-content clear-item")
_PUTS_TEXT = names("set-content add-content")
_NO_VALUE = regex(r"-(?:[rfvi]+|recurse|force)\Z", re.IGNORECASE)
_PATH_PARAMETER = regex(r"-(?:pa[a-z]*|l[a-z]*)(?::|\Z)", re.IGNORECASE)
_TEXT_PARAMETER = regex(r"-va[a-z]*\Z", re.IGNORECASE)
_FOLLOWS_LINKS = regex(r"-fol[a-z]*(?::|\Z)", re.IGNORECASE)
# Cmdlets that only look, but also at other machines.
_LOOKS_ELSEWHERE = names("get-process get-service get-eventlog get-winevent get-hotfix get-module get-help")
_OF_ANOTHER_MACHINE = names("computername cimsession pssession online")
_GET = "get-"
_OPERATORS = regex(r"[&|<>%]")
_ANOTHER_MACHINE = "it connects to another machine"


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
    given = [name, target, *(alias for alias, command in known.items() if command == target)]
    if shell in POWERSHELL and "-" not in target:
        # What it does not find it looks for with this before it: `content x` is Get-Content.
        full = f"{_GET}{target}"
        given += [full, *(alias for alias, command in known.items() if command == full)]
    return given


def inspect_windows(words: Sequence[Word], context: Context, shell: str) -> Inspection:
    """What a command amounts to where names have neither case nor suffix, and some mean other programs."""
    cmdlet = _cmdlet(words[0], shell)
    if cmdlet:
        effects, paths = CmdletReader(words, cmdlet, context.source, shell).read()
        found = Inspection([Step(tuple(words), "command", effects, tuple(words), paths=paths)])
        more: tuple[PathUse, ...] = ()
    else:
        found = _inspect(words, context, shell)
        more = tuple(_paths_of(words, shell)) if words[0].literal else ()
    connects = tuple(_connections(words, shell))
    if more or connects:
        first = found.steps[0]
        found.steps[0] = replace(first, paths=(*first.paths, *more), effects=(*first.effects, *connects))
    return found


def _cmdlet(word: Word, shell: str) -> str:
    """The full name of a cmdlet whose parameters are known, if this is one on all systems."""
    if shell not in POWERSHELL or not word.literal:
        return ""
    name = word.text.casefold()
    full = POWERSHELL_ALIASES.get(name, name)
    # Elsewhere than on Windows pwsh leaves the names of programs to them.
    program = shell == "pwsh" and has_meaning(name) and name not in _NO_PROGRAMS
    return full if full in CMDLETS and not program else ""


def _full_name(word: Word, shell: str) -> str:
    """What a name is an alias for; pwsh has given up those for `curl` and `wget`."""
    name = word.text.casefold().rpartition("\\")[2]
    full = POWERSHELL_ALIASES.get(name, name)
    return name if shell == "pwsh" and full in _FETCHES and has_meaning(name) else full


def _connections(words: Sequence[Word], shell: str) -> Iterator[Effect]:
    r"""Arguments that make a command connect: `Test-Path \\host\x` tells that machine who looks."""
    name = words[0].text.casefold()
    elsewhere = shell in POWERSHELL and POWERSHELL_ALIASES.get(name, name) in _LOOKS_ELSEWHERE
    for word in words[1:]:
        if ON_ANOTHER_MACHINE.search(word.text):
            effect = unlisted(word, _ANOTHER_MACHINE, word.text, hint="name a file of this machine")
            yield replace(effect, behind=words[0].text)
        parameter = _PARAMETER.match(word.text.casefold()) if elsewhere else None
        if parameter is not None and (
            parameter[1] == "cn" or any(full.startswith(parameter[1]) for full in _OF_ANOTHER_MACHINE)
        ):
            yield unlisted(word, _ANOTHER_MACHINE, word.text, hint="leave it out")


def _paths_of(words: Sequence[Word], shell: str) -> Iterator[PathUse]:
    """The files that a command of the shell's own changes, and an option that follows links."""
    name = _EXECUTABLE_SUFFIX.sub("", words[0].text.casefold().rpartition("\\")[2])
    if shell not in POWERSHELL:
        return
    full = POWERSHELL_ALIASES.get(name, name)
    if full == "get-childitem":
        yield from (PathUse(word, "leave") for word in words[1:] if _FOLLOWS_LINKS.match(word.text))
    named = _NAMED_LIKE_CMDLET.match(full) is not None or full == "mkdir"
    if named and not (full in HARMLESS_CMDLETS or _ONLY_LOOKS.match(full) or has_meaning(full)):
        yield from _changed(full, words)


def _changed(name: str, words: Sequence[Word]) -> Iterator[PathUse]:
    """Every argument of a cmdlet that may be a file: each of a list, and what stands behind a colon."""
    access = "fill" if name == "expand-archive" else "change"
    positions, given = 0, False
    for before, word in itertools.pairwise(words):
        text, quoted = word.text, word.quoted
        given = given or (not quoted and _PATH_PARAMETER.match(text) is not None)
        if not quoted and text.startswith("-"):
            _, colon, text = text.partition(":")
            if not colon:
                continue
        elif not before.text.startswith("-") or before is words[0] or _NO_VALUE.match(before.text):
            positions += 1
        if name in _PUTS_TEXT and (positions > 1 or _TEXT_PARAMETER.match(before.text)):
            continue
        for part in text.split(",") if word.literal else ():
            yield PathUse(word.with_text(part.strip("'\" ")), access)
        if not word.literal:
            yield PathUse(word, access)
    if name in _TAKES_FILES and not positions and not given:
        yield PathUse(unknown_at(words[0]), access)


def _inspect(words: Sequence[Word], context: Context, shell: str) -> Inspection:
    word, words = words[0], _apart(_with_lists(words, context.source, shell), shell)
    if not word.literal or re.search(r"[\\/:]", word.text):
        return inspect(words, context)
    name = _EXECUTABLE_SUFFIX.sub("", word.text.casefold())
    known = (word.with_text(name), *words[1:])
    alias = shell in POWERSHELL and name in POWERSHELL_ALIASES
    if alias and name != word.text.casefold():
        # `curl.exe`, `sc.exe` are programs, and no aliases: rules for a cmdlet do not speak of them.
        return inspect(words, context) if name not in _NOT_POSIX else of_windows(name, words)
    windows = name in _NOT_POSIX or (name in WINDOWS_COMMANDS and not has_meaning(name))
    if name == "timeout" and not all(_OF_TIMEOUT.match(item.text) for item in words[1:]):
        windows = False  # Git and MSYS bring one that runs what it is given
    if not windows and not alias:  # cmd.exe has no aliases: its curl is curl
        return inspect(known, context)
    if shell == "pwsh" and has_meaning(name):
        # It runs on other systems, too, where the name is the program's: both must be harmless.
        found = inspect(known, context)
        first = found.steps[0]
        found.steps[0] = replace(first, paths=(*first.paths, *_maybe(known[1:])))
        return found
    return of_windows("" if alias else name, known)


def objection_to_argument(words: Sequence[Word], shell: str, source: str) -> tuple[Word, str, str] | None:
    """The argument that does not arrive as it is written, or assigns something: why, and what to write."""
    if shell not in POWERSHELL:
        return None
    name = _Name(words[0], shell)
    found = _objection_to_list(words, name, source)
    objections = (_objection_to_word(word, name, source) for word in words[1:])
    found = found or next((item for item in objections if item is not None), None)
    if found is not None or name.cmdlet:
        return found
    return _objection_to_dashes(words) or _objection_to_operators(words)


class _Name:
    """What the name of a command in PowerShell can mean."""

    __slots__ = ("cmdlet", "full", "maybe_cmdlet", "plain", "program", "short")

    def __init__(self, word: Word, shell: str) -> None:
        self.plain = _EXECUTABLE_SUFFIX.sub("", word.text.casefold())
        self.full = _full_name(word, shell)
        self.cmdlet = _is_cmdlet(word.text.casefold())
        named = _NAMED_LIKE_CMDLET.match(self.full) is not None
        self.maybe_cmdlet = self.cmdlet or (named and not has_meaning(self.full))
        # Parameters may be shortened.
        self.short = self.cmdlet and self.plain not in POWERSHELL_ALIASES
        self.program = not self.cmdlet or (shell == "pwsh" and has_meaning(self.plain))


def _objection_to_list(words: Sequence[Word], name: _Name, source: str) -> tuple[Word, str, str] | None:
    program = name.program and (name.cmdlet or not name.maybe_cmdlet)
    divided = divided_list(words, source) if program else None
    if divided is None or (is_one_argument(divided, source) and not name.cmdlet):
        return None
    reason = "to a program such a list may be one argument or several"
    return divided[-1], reason, "put it into quotes, or write blanks in place of the commas"


def _objection_to_word(word: Word, name: _Name, source: str) -> tuple[Word, str, str] | None:
    parameter = _PARAMETER.match(word.text.casefold()) if name.maybe_cmdlet else None
    if parameter is not None and _assigns(name.full, parameter.group(1), short=name.short):
        return word, "this parameter gives a variable a value, of any name", "write $x = and the command"
    writes = name.maybe_cmdlet and _writes(name.plain)
    if writes and is_own_drive(word):
        return word, OWN_DRIVE, "name a file, or assign to $env:NAME"
    if writes and name.program and may_be_own_drive(word, source):
        return word, MAY_BE_OWN_DRIVE, WRITE_BEFORE
    return _objection_to_text(word, name) if name.program else None


def _objection_to_text(word: Word, name: _Name) -> tuple[Word, str, str] | None:
    if name.plain not in READS_ALL_LETTERS and BECOMES_PLAIN.search(word.text):
        reason = "a program may be given a plain quote, dash or slash in the place of this letter"
        return word, reason, "write plain quotes, dashes and slashes"
    if _is_torn(word):
        reason = "PowerShell may hand this over as another argument, as several or as none"
        return word, reason, "leave out empty arguments, double quotes and a backslash at the end"
    if not name.cmdlet and _is_divided(word, name.plain):
        reason = "some programs take this for quotes of their own, or for a file of arguments"
        return word, reason, "leave out single quotes, and an @ at the beginning"
    return None


def _objection_to_dashes(words: Sequence[Word]) -> tuple[Word, str, str] | None:
    """`npm test -- --x`: npm is a script there, and PowerShell takes the dashes for its own."""
    at = next((at for at, word in enumerate(words) if word.text == "--" and not word.quoted), len(words))
    if not any(word.may_be_option for word in words[at + 1 :]):
        return None
    reason = "PowerShell keeps these dashes to itself where the program is a script: an option follows"
    return words[at], reason, "put the dashes into quotes: '--'"


def _objection_to_operators(words: Sequence[Word]) -> tuple[Word, str, str] | None:
    """`npm.cmd test '&id'`: an argument without a blank comes to cmd.exe without quotes, which runs `id`."""
    name = words[0].text.casefold().replace("\\", "/").rpartition("/")[2]
    if name.removesuffix(".exe") in NO_BATCH_FILES or name in POWERSHELL_ALIASES:
        return None
    for word in words[1:]:
        if _OPERATORS.search(word.text) and not any(char.isspace() for char in word.text):
            reason = "where the program is a script of cmd.exe, this is read as an operator"
            return word, reason, "leave out these characters: & | < > %"
    return None


def _writes(name: str) -> bool:
    full = POWERSHELL_ALIASES.get(name, name)
    return full not in HARMLESS_CMDLETS or full in _GOES_THERE


def _is_cmdlet(name: str) -> bool:
    """What is written with a suffix, `sort.exe`, is none."""
    return name in _FURTHER_CMDLETS or _CMDLET.match(POWERSHELL_ALIASES.get(name, name)) is not None


def _assigns(cmdlet: str, parameter: str, *, short: bool) -> bool:
    """Names may be shortened; to what may be a program, one letter is an option (not `short`)."""
    if parameter in _ASSIGNING_SHORT:
        return True
    assigning = (*_ASSIGNING, *_ASSIGNING_OF.get(cmdlet, ()))
    return (short or len(parameter) > 1) and any(full.startswith(parameter) for full in assigning)


def _is_torn(word: Word) -> bool:
    """Quotes are not escaped, an empty text is left out, a backslash escapes the quote behind it."""
    blank = any(char.isspace() for char in word.text)
    return not word.text or '"' in word.text or (blank and word.text.endswith("\\"))


def _is_divided(word: Word, name: str) -> bool:
    """Without a blank in it, an argument has no quotes around it when it comes to a program."""
    if name in DIVIDED_AS_ON_WINDOWS:
        return False
    return word.text.startswith("@") or ("'" in word.text and not any(map(str.isspace, word.text)))


def _apart(words: Sequence[Word], shell: str) -> Sequence[Word]:
    """What a value holds may be quotes: to a program it may be several arguments."""
    if shell not in POWERSHELL or _is_cmdlet(words[0].text.casefold()):
        return words
    return tuple(
        replace(word, expansions=tuple(replace(item, quoted=False) for item in word.expansions))
        for word in words
    )


def _with_lists(words: Sequence[Word], source: str, shell: str) -> Sequence[Word]:
    """A list is one argument to a program: `sed -n 1,5p f`."""
    program = shell in POWERSHELL and not _Name(words[0], shell).maybe_cmdlet
    return with_lists(words, source) if program else words


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
