"""What other versions of sed and awk make of the same words: BSD's, and the addresses that gawk knows.

Above: `interpreters`. Below: `effects`, `options` and `model`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.effects import Effects, is_process, runs, shown, unlisted, unresolved
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nacre.policy.languages import Action
    from nacre.policy.model import Word
    from nacre.policy.options import Argument

# How a rule admits a program text that stands where an operand does: `options = ["text"]`.
TEXT = "text"
# Where it is no script that sed understands, it is the name of a file.
_PLAIN_FILE = regex(r"[\w./@+-]+")
# To gawk such a file is a connection to another machine.
_CONNECTION = "/inet"
# Variables that no text may set.
_DIRECTORIES = frozenset({"HOME", "PWD", "OLDPWD"})


def find_taken_for_script(
    first: Sequence[Word], reader: Callable[[str], list[Action]], found: Effects
) -> None:
    """`sed -i p 'w x' f`: to BSD's sed the first word is an ending for copies, the second the script."""
    for word in first:
        for action in reader(word.text):
            if action.kind == "write" and action.target:
                found.uses(word.with_text(action.target), "write")


def find_before_script(files: Sequence[Word], reader: Callable[[str], list[Action]], found: Effects) -> None:
    """`sed 'w x' -e p`: the options of BSD's sed end at the first operand, which is the script then."""
    hint = "write -e and its script before the files"
    for word in files:
        if not word.literal:
            found.add(unresolved(word, "some versions take this for the script", TEXT, hint=hint))
            continue
        named = _PLAIN_FILE.fullmatch(word.text) is not None
        for action in reader(word.text):
            if action.kind in {"write", "run"} or not named:
                reason = f"some versions take this for the script: {action.reason}"
                found.add(unlisted(word, reason, TEXT, hint=hint))


def find_passed_over(words: Sequence[Word], given: Sequence[Argument], found: Effects) -> None:
    """Options that BSD's awk does not know and passes over: the first word behind them is the program."""
    for item in given:
        apart = any(item.value is word for word in words)
        value = item.value.text if item.value is not None else ""
        if value and item.word.text.startswith("-") and not item.word.text.startswith(item.flag):
            reason = f"some versions pass over `{shown(item.word.text)}`, and take its value for the program"
            hint = "write the option as a word of its own"
            found.add(unlisted(item.word, reason, item.flag, hint=hint))
        elif item.flag in {"-e", "--source"} and (not apart or value.startswith("-")):
            reason = f"some versions pass over `{item.flag}`, and take another word for the program"
            hint = "write the program as a word of its own" if not apart else ""
            found.add(unlisted(item.word, reason, item.flag, hint=hint))
        elif item.flag in {"--assign", "--field-separator"} and apart:
            reason = f"some versions pass over `{item.flag}`, and take its value for the program"
            found.add(unlisted(item.word, reason, item.flag, hint="write -v for --assign, -F for the other"))


def find_connections(operands: Sequence[Argument], found: Effects) -> None:
    """Operands of gawk that can be addresses of other machines."""
    for item in operands:
        find_connection(item.word, found)


def find_connection(word: Word, found: Effects) -> None:
    """A file that gawk takes for the address of another machine, or that can turn out to be one."""
    prefix = word.prefix
    if prefix.startswith(_CONNECTION):
        found.add(runs(word, "gawk connects to another machine", TEXT))
    elif word.dynamic and not is_process(word) and not word.known and not word.spelled:
        first = word.expansions[0]
        of_loop = first.kind == "file" and first.pattern[:1] not in {"", "/"}
        elsewhere = of_loop or word.tilde or first.name in _DIRECTORIES or not _CONNECTION.startswith(prefix)
        if word.splits or not elsewhere:
            reason = "this value can turn out to be an address, to which gawk connects"
            hint = "write `find src -print0 | xargs -0 awk ...`" if word.splits else "write ./ before it"
            found.add(unresolved(word, reason, TEXT, hint=hint))
