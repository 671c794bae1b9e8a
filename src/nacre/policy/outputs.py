"""What commands print: the few whose output is proven to be a number, one word, or no option.

Above: `values` asks about substitutions, `programs` about names. Below: `model`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.model import names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    import re

    from nacre.policy.model import Shape

# One commit: no range, and none of the marks that stand for several (`HEAD^@`, `HEAD^!`, `HEAD^-`).
_COMMIT = r"[A-Za-z]\w*(?:[./-]\w+)*(?:[~^][0-9]*)*"
_PRINTS_DIGITS = regex(
    r"nproc(?: --all)?|id -[ug]|wc -[lcwm]|date (?:-u )?\+(?:%[YmdHMSsjuVWU])+"
    r"|getconf _NPROCESSORS_ONLN|git rev-list --count [A-Za-z][\w./~^-]*"
    r"|git log -1 --(?:pretty|format)=%[ac]t"
)
_PRINTS_TOKEN = regex(
    r"uname(?: -[smr])?|whoami|hostname"
    # Without an option that verifies it, a name that is none is printed as it is.
    rf"|git rev-parse HEAD(?:[~^][0-9]*)*|git rev-parse (?:(?:--short(?:=[0-9]+)?|--verify) )+{_COMMIT}"
    rf"|git merge-base(?: --fork-point)?(?: {_COMMIT})+"
    # One line of it, with nothing but a name of the commit or its date.
    r"|git log(?=.* (?:-1|-n 1|-n1|--max-count=1)(?: |\Z))"
    r"(?=.* --(?:pretty|format)=(?:t?format:)?%(?:[hH]|[ac]s|[ac]I)(?: |\Z))"
    r"(?: (?:-1|-n 1|-n1|--max-count=1|--(?:pretty|format)=(?:t?format:)?%(?:[hH]|[ac]s|[ac]I)"
    r"|--(?:no-merges|merges|first-parent|all|follow|reverse)|--diff-filter=[A-Za-z]+"
    r"|--(?:before|after|since|until|grep|author)=[\w.:/-]+|[A-Za-z][\w./~^-]*))*"
    r"(?: --(?: [\w./*][\w./*-]*)+)?"
    r"|git rev-list (?:-1|-n 1|--max-count=1)"
    r"(?: --(?:before|after|since|until)=[\w.:/-]+| --all| [A-Za-z][\w./~^-]*)*"
    r"|date (?:-u )?(?:-I|\+%[YmdHMSsjuVWUFT](?:%[YmdHMSsjuVWUFTyzZ]|[A-Za-z0-9_.:-])*)"
)
# The time of day: tar takes what stands before a colon for a machine.
_HAS_COLON = regex(":|%T|%[ac]I")
# Numbers to gh itself, whatever a server says; of a list the first one, or `null`.
_PRINTS_NUMBER_OF_GH = regex(
    r"gh (?:run|pr|issue) list"
    r"(?: (?:-L|--limit|-b|--branch|-w|--workflow|-s|--state|--status)[ =][\w./-]+| -L1)*"
    r" --json (databaseId|number) (?:--jq|-q) \.\[0\]\.\1"
    r"|gh (?:pr|issue) view(?: [0-9]+)? --json number (?:--jq|-q) \.number"
)
# To a cluster these names are made of small letters, digits, dots and dashes, and begin with no dash.
_PRINTS_NAME_OF_KUBECTL = regex(
    r"kubectl get (?:pods?|po|deploy|deployments?|svc|services?|jobs?|statefulsets?|sts)"
    r"(?: (?:-n|-l|--namespace|--selector|--field-selector)[ =][A-Za-z][\w./=,!-]*| --sort-by=[\w.]+)*"
    r" (?:-o|--output)[ =]jsonpath=\{\.items\[(?:0|-1)\]\.metadata\.name\}"
    r"(?: (?:-n|-l|--namespace|--selector)[ =][A-Za-z][\w./=,!-]*)*"
)
# The name of a branch or a tag: it holds no blank and no pattern, but a remote may call one `--output=x`.
_PRINTS_FIELD = regex(
    r"git branch --show-current|git rev-parse --abbrev-ref HEAD|git symbolic-ref --short HEAD"
    r"|git describe(?: --(?:tags|always|dirty|long|all|exact-match|first-parent|abbrev=[0-9]+))*(?: HEAD)?"
)
# A file or directory that was not there before, in the directory for such.
_PRINTS_FRESH = regex(r"mktemp(?: -d| -q| -dq| -qd)?(?: (?:-t \w[\w.-]*|(?:-d )?/tmp/[\w.-]*X{3,}))?")
# How many lines match, without the name of a file: of the input, or of one file.
_COUNTS = regex(r"-[EFGivwx]?c[EFGivwx]?")
_ONE_FILE = regex(r"[\w./][\w./-]*")
_PRINTING = names("nproc id wc grep date pwd uname whoami hostname git getconf mktemp gh kubectl")
_PRINTS_OPERAND = regex(r"pwd(?: -[LP])?|date (?:-u )?\+%[YmdHMSsjuVWUFT].*|git rev-parse --show-toplevel")
# Programs that print the path of their operand, or the part before its last name.
PRINTS_PATH_OF = (["dirname"], ["realpath"], ["readlink", "-f"])
# What tr removes of a number, so that a number is left.
BLANKS = ([" "], ["[:space:]"], ["[:blank:]"], [" \\n"])


def is_known_output(name: str) -> bool:
    """Tell whether anything is proven about what a command of this name prints."""
    return name in _PRINTING


def output_shape(words: list[str]) -> Shape:
    """The commands whose output is always a number, or never begins with a dash."""
    if words[:1] == ["grep"]:
        return "digits" if _counts_lines(words[1:]) else "any"
    text = " ".join(words)
    apart = not any(" " in word for word in words)  # `git rev-parse "--short HEAD"` prints just that
    shapes = _SHAPES_OF_CLIENTS if words[:1] in (["gh"], ["kubectl"]) else _SHAPES
    for shape, pattern in shapes if apart else ():
        if pattern.fullmatch(text):
            return "clock" if shape == "token" and _HAS_COLON.search(text) else shape
    # Behind the format of date stands nothing: `date +%Y -d nonsense` prints nothing.
    printed = words[1:-1] in ([], ["-u"]) if words[:1] == ["date"] else apart
    return "operand" if printed and _PRINTS_OPERAND.fullmatch(text) else "any"


def _counts_lines(words: list[str]) -> bool:
    """`grep -c x`, `grep -ci x file`."""
    if len(words) not in {2, 3} or _COUNTS.fullmatch(words[0]) is None:
        return False
    return not words[1].startswith("-") and all(map(_ONE_FILE.fullmatch, words[2:]))


_SHAPES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    ("digits", _PRINTS_DIGITS),
    ("token", _PRINTS_TOKEN),
    ("field", _PRINTS_FIELD),
    ("fresh", _PRINTS_FRESH),
)
_SHAPES_OF_CLIENTS: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    ("token", _PRINTS_NUMBER_OF_GH),
    ("token", _PRINTS_NAME_OF_KUBECTL),
)
