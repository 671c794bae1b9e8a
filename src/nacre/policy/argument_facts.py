"""What the arguments of a program say, once they are read: which are operands, which are for others.

Above: `argument_inspector`, which tells what they do. Below: `options`, which has read them by a table.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from nacre.policy.options import OFF, Argument, compiled
from nacre.policy.patterns import may_be_parent, regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.model import Word
    from nacre.policy.tables.schema import Program

_PATH = regex(r"[./]")
# Before a path all of them, else one.
_LETTERS = regex(r"-[A-Za-z]+(?=[/~.])|-.")
_SESSION = regex(r"\w[\w.-]*")
_LITERAL_PART = regex(r"[A-Za-z][A-Za-z0-9.-]+")


def first_operand(given: Sequence[Argument]) -> Argument | None:
    """The first word that is no option, or may be none."""
    for item in given:
        if item.kind == "operand" or item.kind == "unproven":  # noqa: PLR1714 - a set would be looked up for each
            return item
    return None


def sorted_out(given: Sequence[Argument]) -> tuple[set[str], list[Word], bool, bool]:
    """The options that are given, the operands, whether one may be missing among them, and be written."""
    flags: set[str] = set()
    operands: list[Word] = []
    uncertain = edits = False
    for item in given:
        flags.add(item.flag)
        if item.kind in {"operand", "unproven"}:
            if not item.reason:
                operands.append(item.word)
        elif item.kind == "unlisted":
            uncertain = True  # a word that is no option after all (`jq -.`) takes the place of an operand
        elif item.kind == "writes" and not item.values:
            edits = True  # `ruff check --fix x`: the files that are named are written
    return flags, operands, uncertain, edits


def tamed(entry: Program, given: Sequence[Argument]) -> str | None:
    """The option that does no harm beside another one that is given."""
    wild, _, tame = entry.tamed.partition(" ")
    tamed = any(tame == item.flag and item.value is not None and item.value.prefix for item in given)
    return wild if tamed else None


def written_out(words: Sequence[Word]) -> list[Word]:
    """Words that are known, or begin so: `~/x`, `/tmp/*.js`. Any other one is refused where it stands."""
    known = [word for word in words if word.literal or not word.dynamic]
    return [word if word.glob is None else word.with_text(word.prefix) for word in known]


def first_operands(
    entry: Program, outer: Program | None, given: Sequence[Argument], first: Argument | None
) -> Iterator[Argument]:
    """What may be the sub-command: `yarn --emoji false exec`, where the first one is an option's value."""
    if not entry.commands:
        # A switch that some version does not know takes the next word there: `mocha --fail-zero x init y`.
        yield from (item for item in given if item.kind in {"operand", "unproven"} and item.flag != "--")
        return
    if first is not None:
        yield first
    specs = compiled(entry, outer).specs
    before: Argument | None = None
    for item in given:
        if item.kind in {"operand", "unproven"}:
            if item is not first:
                yield item
            spec = specs.get(before.flag) if before is not None and not before.values else None
            if spec is None or not (spec.arity == "?" or item.word.text.casefold() in {"true", "false"}):
                return
        before = item if item.kind not in {"operand", "unproven"} else None


def values_for_script(word: Word) -> list[Word]:
    """The word itself, and what stands behind a name in it: `--outputFile=x`, `-ox`, `a:x/b`."""
    values = [word]
    if word.literal and not word.text.startswith("-"):
        values += [word.with_text(text) for text in word.text.split(":")[1:] if _PATH.search(text)]
    if word.literal and word.text.startswith("-"):
        name, _, value = word.text.partition("=")
        glued = "" if name.startswith("--") else _LETTERS.sub("", word.text)
        values += [word.with_text(text) for text in (value, glued) if text]
    return values


def is_for_script(entry: Program, item: Argument) -> bool:
    """Operands, and options that are none of the program's own; before `--` nox takes names of sessions."""
    if (
        entry.names == "nox"
        and item.flag != "--"
        and item.word.literal
        and _SESSION.fullmatch(item.word.text)
    ):
        return False
    return item.kind in {"operand", "unproven"} or (bool(entry.pattern) and item.flag == item.word.text)


def only_shows(entry: Program, given: Sequence[Argument]) -> bool:
    """Whether one of its options keeps a program from writing a file of its own naming.

    The last one counts (`-check -check=false`), and to npm a `false` in a word of its own is a value.
    """
    off = {item.flag.removesuffix(OFF).lstrip("-") for item in given if item.flag.endswith(OFF)}
    if any(flag.lstrip("-") in off for flag in entry.only_with.split()):
        return False
    if any(item.word.text == "false" for item in given):
        return False
    flags = [item.flag if item.flag.endswith(OFF) else item.flag.partition("=")[0] for item in given]
    if entry.style == "getopt":  # behind a file it can come too late: `ctags x.c --list-kinds`
        before = len(list(itertools.takewhile(lambda item: item.kind != "operand", given)))
    else:
        before = len(flags)
    shows, alone = set(entry.only_with.split()), entry.alone.split()
    if entry.shows_only[0] and not all(map(regex(entry.shows_only[1]).fullmatch, _of_language(given))):
        shows.discard(entry.shows_only[0])
    return any(flag in shows for flag in flags[:before]) or (bool(flags) and all(map(alone.count, flags)))


def _of_language(given: Sequence[Argument]) -> Iterator[str]:
    """The operands, and the values of -x, which say in what language they are.

    A name that is only known when it runs counts where something else would be made of it: gcc -c.
    """
    makes = any(item.flag == "-c" for item in given)
    for item in given:
        if item.kind in {"operand", "unproven"}:
            if makes or not item.word.dynamic:
                yield item.word.text
        elif item.flag == "-x" and item.value is not None:
            yield item.value.text


def completions(pattern: str, start: str) -> Iterator[str]:
    """The rest of every word that a pattern is made of, where a text ends with its beginning."""
    for word in set(_LITERAL_PART.findall(pattern)):
        for length in range(len(word)):
            if start.endswith(word[:length]):
                yield from (word[length:] + end for end in ("", ":", "::x", "://x", "/x", "=x"))


def may_lead_away(word: Word, *, is_checked: bool) -> bool:
    """Whether a path that is only known when it runs may be outside.

    What a pattern finds is not, unless that may be `..`. `is_checked`: a table says which paths are not.
    """
    if word.glob is not None and any(part != ".." and may_be_parent(part) for part in word.text.split("/")):
        return True
    unknown = word.dynamic and any(e.kind != "file" and not e.below for e in word.expansions)
    return unknown and not is_checked and not word.known and word.prefix[:1] in {"", ".", "/"}
