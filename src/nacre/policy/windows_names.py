"""What commands are called on Windows: without case and suffix, with aliases, some like programs elsewhere.

Above: `check` and `rule_search`. Below: `tables.windows`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.effects import Inspection, PathUse, Step
from nacre.policy.findings import POWERSHELL
from nacre.policy.model import Word, names
from nacre.policy.patterns import regex
from nacre.policy.programs import has_meaning, inspect
from nacre.policy.tables.windows import CMD_SYNONYMS, POWERSHELL_ALIASES, WINDOWS_UNRESOLVABLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.values import Context

# Names that mean something else on Windows than in the tables of POSIX programs.
_NOT_POSIX = names("find sort more date time set type tree label exec command . sc start cd echo cmd where")
_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z")
# Other names of the same command, by shell.
_SYNONYMS = {"cmd": CMD_SYNONYMS, **dict.fromkeys(POWERSHELL, POWERSHELL_ALIASES)}


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
    folded = _EXECUTABLE_SUFFIX.sub("", name.casefold())
    target = known.get(folded, folded)
    return [name, target, *(alias for alias, command in known.items() if command == target)]


def inspect_windows(words: Sequence[Word], context: Context, shell: str) -> Inspection:
    """What a command amounts to where names have neither case nor suffix, and some mean other programs."""
    word = words[0]
    if not word.literal or re.search(r"[\\/:]", word.text):
        return inspect(words, context)
    name = _EXECUTABLE_SUFFIX.sub("", word.text.casefold())
    known = (word.with_text(name), *words[1:])
    alias = shell in POWERSHELL and name in POWERSHELL_ALIASES
    if name not in _NOT_POSIX and not alias:  # cmd.exe has no aliases: its curl is curl
        return inspect(known, context)
    if shell == "pwsh" and has_meaning(name):
        # It runs on other systems, too, where the name is the program's: both must be harmless.
        found = inspect(known, context)
        first = found.steps[0]
        found.steps[0] = replace(first, paths=(*first.paths, *_maybe(known[1:])))
        return found
    return Inspection([Step(known, "command", (), known, paths=_maybe(known[1:]))])


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
    elif name == "foreach-object" and any(not w.dynamic and not w.text.startswith("-") for w in words[1:]):
        reason = "calls a method by its name"
    return name, reason
