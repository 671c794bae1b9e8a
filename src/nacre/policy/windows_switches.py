"""Whether the switches of a command of Windows hit a rule that forbids them, in any order and spelling.

`rd /s` is `rd x /S`, `rd/q/s x` and `rd -s`; `Remove-Item -Recurse` is `ri x -rec`. Above: `rule_search`.
Below: `matching` and the aliases of PowerShell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.findings import POWERSHELL
from nacre.policy.matching import Rule, glob_matches
from nacre.policy.patterns import regex
from nacre.policy.tables.windows import POWERSHELL_ALIASES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.model import Word

_SWITCH = regex(r"[-/][A-Za-z?][\w?-]*(?::.*)?")
_CMDLET = regex(r"[a-z]+-[a-z]+")
# Parameters have further names of their own.
_OTHER_NAMES = {
    **dict.fromkeys(("ad", "d"), "directory"),
    **dict.fromkeys(("ah", "h"), "hidden"),
    **dict.fromkeys(("lp", "pspath"), "literalpath"),
    **dict.fromkeys(("first", "head"), "totalcount"),
    "af": "file",
    "ar": "readonly",
    "as": "system",
    "s": "recurse",
    "last": "tail",
    "cf": "confirm",
    "ea": "erroraction",
    "vb": "verbose",
    "wi": "whatif",
}


def forbids_switches(rule: Rule, words: Sequence[Word], shell: str) -> bool:
    """Tell whether all switches and operands that a rule names are among the arguments."""
    patterns = [item for item in rule.tokens[1:] if item != "*"]
    flags = [pattern for pattern in patterns if _SWITCH.fullmatch(pattern)]
    if not flags or excludes_switches(rule, words, shell):
        return False
    operands = [pattern.casefold() for pattern in patterns if not _SWITCH.fullmatch(pattern)]
    others = [text for word in words[1:] if (text := word.text.casefold())[:1] not in {"-", "/"}]
    return (
        all(_is_given(flag, words, shell) for flag in flags)
        and len(others) >= len(operands)
        and all(glob_matches(*pair) for pair in zip(operands, others, strict=False))
    )


def excludes_switches(rule: Rule, words: Sequence[Word], shell: str) -> bool:
    """Tell whether one of the switches is among the arguments with which a rule does not hold."""
    return any(_SWITCH.fullmatch(item) and _is_given(item, words, shell) for item in rule.not_args)


def _is_given(pattern: str, words: Sequence[Word], shell: str) -> bool:
    flag = pattern.casefold().lstrip("-/")
    cmdlet = shell in POWERSHELL and _is_cmdlet(words[0].text)
    given = (part for word in words[1:] for part in _parts(word.text.casefold(), shell))
    return any(_is_same(flag, switch, cmdlet=cmdlet) for switch in given)


def _parts(text: str, shell: str) -> list[str]:
    """cmd.exe reads several switches in one word: `/q/s`."""
    if text[:1] not in {"-", "/"}:
        return []
    return text[1:].split("/") if shell == "cmd" and text.startswith("/") else [text.lstrip("-/")]


def _is_cmdlet(name: str) -> bool:
    plain = name.casefold().rpartition("\\")[2]
    return _CMDLET.fullmatch(POWERSHELL_ALIASES.get(plain, plain)) is not None


def _is_same(flag: str, switch: str, *, cmdlet: bool) -> bool:
    """A switch, what stands behind its colon left out; parameters of cmdlets may be shortened."""
    plain = switch.partition(":")[0]
    if glob_matches(flag, switch) or plain == flag:
        return True
    return cmdlet and plain != "" and (flag.startswith(plain) or _OTHER_NAMES.get(plain) == flag)
