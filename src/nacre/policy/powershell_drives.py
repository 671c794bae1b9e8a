"""Drives of PowerShell on which are no files: what names mean, what programs see, the registry.

Whoever writes there changes what later commands do: `Set-Content function:git 'calc'`. A path whose beginning
is a value can be on such a drive. Above: `windows_names` and `cmdlets`. Below: `model`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from nacre.policy.model import Word

# The drive, or the provider's name: `Microsoft.PowerShell.Core\Function::ls`.
_OWN_DRIVE = regex(
    r"(?i)(?:[\w.]+\\)?(?:env(?:ironment)?|function|alias|variable|hk[a-z]{2,4}|registry|cert(?:ificate)?|wsman):"
)
_PARAMETER = regex(r"-[A-Za-z]+:")
_DRIVES = (
    *("env:", "environment:", "function:", "alias:", "variable:", "registry:", "cert:", "certificate:"),
    *("hklm:", "hkcu:", "hkcr:", "hkcc:", "hku:", "wsman:"),
)
_PROVIDERS = "microsoft."
# What surely begins with the path of a directory: no text may set these to anything else.
_DIRECTORY = regex(
    r"""(?i)(?:-[a-z]+:)?(?:"?\$(?:PWD|HOME|PSScriptRoot|env:(?:TEMP|TMP|TMPDIR|USERPROFILE|HOME|APPDATA|LOCALAPPDATA|ProgramData))"""
    r"""|"?\$\{(?:PWD|HOME|PSScriptRoot)\}|"?\$?\(git rev-parse --show-toplevel\))(?=[\\/"]|\Z)"""
)
# `$dir = 'build'`, at the beginning of a text, and whatever could give the variable another value.
_DIRECTORIES = r"\$(?:PWD|HOME|PSScriptRoot)(?:\.Path)?|Get-Location|\(Get-Location\)(?:\.Path)?"
_GIVEN = regex(
    r"""(?i)[\s;]*\$(\w+)[ \t]*=[ \t]*(?:'([^':\n]*)'|"([^":$`\n]*)["]"""
    rf"""|({_DIRECTORIES}|git rev-parse --show-toplevel))[ \t\r]*(?=[;\n])"""
)
_SETS = r"(?i)\$\{{?(?:\w+:)?{0}\}}?(?:[ \t]*(?:[-+*/%]|\?\?)?=|\+\+|--|\s+in\b)"
_BEGINS_WITH = regex(r'(?:-[A-Za-z]+:)?"?\$\{?(\w+)\}?(?![\w:])')

OWN_DRIVE = "on this drive are no files, but what commands mean and what programs see"
MAY_BE_OWN_DRIVE = "this value can name a drive without files, on which names get another meaning"
WRITE_BEFORE = "write ./ before it, or write it out"


def is_own_drive(word: Word) -> bool:
    """Whether a path is on such a drive."""
    return _OWN_DRIVE.match(_PARAMETER.sub("", word.text, count=1)) is not None


def may_be_own_drive(word: Word, source: str) -> bool:
    """Whether the values in a path can put it on such a drive; `source`: the text in which it stands."""
    if UNKNOWN not in word.text:
        return False
    known = _PARAMETER.sub("", word.text, count=1).partition(UNKNOWN)[0].casefold()
    raw = source[word.start : word.end]
    return _may_go_on(known) and _DIRECTORY.match(raw) is None and not _is_given(raw, source)


def _is_given(raw: str, source: str) -> bool:
    """`$dir = 'build'; Set-Content "$dir/x" y`: nothing else can be in the variable."""
    named = _BEGINS_WITH.match(raw)
    at, given = 0, dict[str, str]()
    while named is not None and (found := _GIVEN.match(source, at)) is not None:
        at = found.end()
        given[found[1].casefold()] = found[2] or found[3] or found[4] or ""
    value = given.get(named[1].casefold(), "") if named is not None else ""
    if named is None or not value or _may_go_on(value.casefold()):
        return False
    return re.search(_SETS.format(named[1]), source[at:]) is None


def _may_go_on(known: str) -> bool:
    """Whether the beginning of a path could become the name of such a drive."""
    return known.startswith(_PROVIDERS) or any(name.startswith(known) for name in (*_DRIVES, _PROVIDERS))
