"""What commands print: the few whose output is proven to be a number, one word, or no option.

Above: `values` asks about substitutions, `programs` about names. Below: `model`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.model import names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from nacre.policy.model import Shape

_PRINTS_DIGITS = regex(r"nproc(?: --all)?|id -[ug]|wc -[lcwm]|date (?:-u )?\+(?:%[YmdHMSsjuVWU])+")
_PRINTS_TOKEN = regex(
    r"uname(?: -[smr])?|whoami|hostname"
    r"|git rev-parse (?:--short |--verify )?HEAD|git merge-base [\w./]+ [\w./]+"
    r"|date (?:-u )?(?:-I|\+%[YmdHMSsjuVWUFT](?:%[YmdHMSsjuVWUFTyzZ]|[A-Za-z0-9_.:-])*)"
)
_PRINTING = names("nproc id wc date pwd uname whoami hostname git")
_PRINTS_OPERAND = regex(r"pwd(?: -[LP])?|date (?:-u )?\+%[YmdHMSsjuVWUFT].*|git rev-parse --show-toplevel")


def is_known_output(name: str) -> bool:
    """Tell whether anything is proven about what a command of this name prints."""
    return name in _PRINTING


def output_shape(words: list[str]) -> Shape:
    """The commands whose output is always a number, or never begins with a dash."""
    text = " ".join(words)
    if _PRINTS_DIGITS.fullmatch(text):
        return "digits"
    if _PRINTS_TOKEN.fullmatch(text):
        return "token"
    return "operand" if _PRINTS_OPERAND.fullmatch(text) else "any"
