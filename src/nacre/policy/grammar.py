"""What differs between the POSIX shells, as far as it changes where a command begins or a word ends.

Above: `words` and `posix` ask these questions while they scan. Below: `model`. A construct that a shell does
not have is refused there, because the shell would read the text in some other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nacre.policy.model import names

if TYPE_CHECKING:
    from nacre.policy.model import Word


@dataclass(frozen=True, slots=True)
class Grammar:
    """One family of shells."""

    name: str
    ansi_quotes: bool = False  # $'...'
    locale_quotes: bool = False  # $"..."
    process_substitution: bool = False  # <(...) >(...)
    extended_test: bool = False  # [[ ... ]]
    arithmetic_command: bool = False  # (( ... )) and for (( ; ; ))
    here_string: bool = False  # <<<
    ampersand_redirect: bool = False  # &> &>> and |&
    arrays: bool = False  # x=(a b)
    keyed_arrays: bool = False  # declare -A x=([a]=b), as far as they are read
    function_keyword: bool = False
    rich_parameters: bool = False  # ${x/a/b} ${x:1:2} ${x^^} ${x@Q} ${!x}
    case_fallthrough: bool = False  # ;& and ;;&
    appends: bool = False  # x+=y
    braces: bool = False  # {a,b}
    declaring: frozenset[str] = frozenset({"export", "readonly"})  # builtins that surely assign
    brace_sequences: bool = False  # {1..5}
    # Builtins and predefined aliases that declare, evaluate or move in ways of this shell alone.
    own_words: frozenset[str] = frozenset()


_POSIX = Grammar("sh")
_KSH = Grammar(
    "ksh",
    ansi_quotes=True,
    extended_test=True,
    here_string=True,
    appends=True,
    braces=True,
    declaring=frozenset({"export", "readonly", "typeset"}),
    own_words=names(
        "autoload chdir compound enum float functions global hist integer login nameref r redirect stop"
    ),
)
_DECLARING = frozenset({"export", "readonly", "typeset", "declare", "local"})
_BASH = Grammar(
    "bash",
    ansi_quotes=True,
    locale_quotes=True,
    process_substitution=True,
    extended_test=True,
    arithmetic_command=True,
    here_string=True,
    ampersand_redirect=True,
    arrays=True,
    keyed_arrays=True,
    function_keyword=True,
    rich_parameters=True,
    case_fallthrough=True,
    appends=True,
    braces=True,
    brace_sequences=True,
    declaring=_DECLARING,
)
# zsh shares most of bash's syntax; what it reads differently (`=ls`, `$x[...]`, glob qualifiers) is refused
# where it is met, by name.
_ZSH = Grammar(
    "zsh",
    ansi_quotes=True,
    process_substitution=True,
    extended_test=True,
    arithmetic_command=True,
    here_string=True,
    ampersand_redirect=True,
    arrays=True,
    rich_parameters=True,
    appends=True,
    braces=True,
    brace_sequences=True,
    declaring=_DECLARING,
    own_words=names(
        "- repeat foreach end nocorrect noglob always integer float autoload bindkey bye chdir compadd "
        "compctl echotc echoti functions getln limit log private pushln r rehash run-help ttyctl unhash "
        "unlimit vared where which-command zformat zle zparseopts zregexparse zstyle"
    ),
)

GRAMMARS: dict[str, Grammar] = {
    "bash": _BASH,
    "zsh": _ZSH,
    "sh": _POSIX,
    "dash": _POSIX,
    "ash": _POSIX,
    "busybox": _POSIX,
    "ksh": _KSH,
    "ksh93": _KSH,
    "mksh": _KSH,
    "lksh": _KSH,
    "oksh": _KSH,
    "loksh": _KSH,
}

# Shells that are rarer than the POSIX ones: their scanners are imported when they are needed.
OTHER_SCANNERS = {
    "cmd": ("nacre.policy.cmd", "scan"),
    "powershell": ("nacre.policy.powershell", "scan"),
    "pwsh": ("nacre.policy.powershell", "scan"),
    "fish": ("nacre.policy.fish", "scan"),
    "nu": ("nacre.policy.fish", "scan_nu"),
    "nushell": ("nacre.policy.fish", "scan_nu"),
}
KNOWN_SHELLS = frozenset({*GRAMMARS, *OTHER_SCANNERS})  # every shell whose language the policy reads

# What may stand before a builtin, any number of times and with options, and changes nothing about it.
_PREFIXES = names("command builtin noglob nocorrect -")


def behind_prefixes(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """A command without `command`, `builtin` and their like before it: `command -p read x` is `read x`."""
    if not words or words[0].text not in _PREFIXES:
        return words
    at = 0
    while at < len(words) and (words[at].text in _PREFIXES or words[at].text.startswith("-")):
        at += 1
    return words[at:]


def own_words(shell: str) -> frozenset[str]:
    """The builtins and aliases that one shell alone reads in its own way."""
    grammar = GRAMMARS.get(shell)
    return grammar.own_words if grammar is not None else frozenset()
