"""Commands of cmd.exe and programs of Windows, whose options begin with a slash.

Above: `windows_names`. Below: `tables.windows`, which lists their switches. To cmd.exe `/s` is a switch
wherever it stands, in quotes, too; what is not listed is refused, and so is what begins with a dash: some
take it for a switch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.effects import (
    ANY,
    Effect,
    Inspection,
    PathUse,
    Step,
    any_beginning,
    shown,
    unknown_at,
    unlisted,
    unresolved,
)
from nacre.policy.patterns import regex
from nacre.policy.tables.windows import SHOWS_WITH_T, WINDOWS_COMMANDS, Command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.model import Word

_LINKS = frozenset({"mklink"})
_PATTERN_OR_DIRECTORY = regex(r"[*?]|(?:\A|[\\/])(?:[^.\\/]*|\.+)\Z")


def of_windows(name: str, words: Sequence[Word]) -> Inspection:
    """What a command amounts to; of one that no table knows, any argument may be a file."""
    entry = WINDOWS_COMMANDS.get(name)
    effects = list(_unproven(words))
    if entry is not None:
        effects += _switches(entry, words)
        paths = tuple(_paths(entry, words))
    else:
        effects += _sets(name, words)
        paths = tuple(PathUse(word, "maybe") for word in words[1:])
    return Inspection([Step(tuple(words), "command", tuple(effects), tuple(words), paths=paths)])


def _unproven(words: Sequence[Word]) -> Iterator[Effect]:
    for word in words[1:]:
        if word.dynamic:
            reason = "this argument is only known when it runs, and may be a switch"
            yield unresolved(word, reason, ANY)


def _sets(name: str, words: Sequence[Word]) -> Iterator[Effect]:
    if name in SHOWS_WITH_T and [word.text.casefold() for word in words[1:]] != ["/t"]:
        yield unlisted(words[-1], f"`{name}` sets it, or asks for it", ANY, hint="write /t behind it")
    if name in _LINKS:
        yield unlisted(words[0], "it gives a file another name", ANY)


def _is_switch(entry: Command, word: Word) -> bool:
    return word.text.startswith(("/", "-")) and not _is_text(entry, word)


def _is_text(entry: Command, word: Word) -> bool:
    return bool(entry.texts) and regex(entry.texts).fullmatch(word.text.casefold()) is not None


def _switches(entry: Command, words: Sequence[Word]) -> Iterator[Effect]:
    known = regex(entry.switches)
    for word in words[1:]:
        # What is looked for may hold slashes: `/c:"a/b"`.
        text = word.text.casefold()
        several = text[1:].split("/") if not text.startswith("/c:") else [text[1:]]
        listed = bool(entry.switches) and all(known.fullmatch(item) for item in several)
        if _is_switch(entry, word) and not (listed and text.startswith("/")):
            reason = f"`{shown(word.text)}` is no switch that is known to be harmless"
            hint = "write the path with backslashes" if "/" in text[1:] else ""
            yield unlisted(word, reason, word.text, hint=hint)


def _paths(entry: Command, words: Sequence[Word]) -> Iterator[PathUse]:
    files = [word for word in words[1:] if not _is_switch(entry, word) and not _is_text(entry, word)]
    given = "".join(word.text.casefold() for word in words[1:] if _is_switch(entry, word))
    deep = bool(entry.deep) and f"/{entry.deep}" in given
    if entry.fills and (entry.fills == "always" or _several(files[:1])):
        yield PathUse(files[1] if len(files) > 1 else unknown_at(words[0]).with_text("."), "fill")
    elif entry.fills and len(files) == 1:  # `copy sub\\x.txt` makes x.txt here
        name = files[0].text.replace("\\", "/").rpartition("/")[2]
        yield PathUse(unknown_at(files[0]) if files[0].dynamic else files[0].with_text(name), "change")
    for at, word in enumerate(files):
        if entry.beside and at == 1:
            yield PathUse(_beside(files[0], word), entry.access)
            continue
        yield PathUse(word, entry.access)
        if deep:
            name = word.text.replace("\\", "/").rpartition("/")[2]
            yield PathUse(any_beginning(word.with_text(name)), entry.access)


def _several(files: Sequence[Word]) -> bool:
    """A pattern, or what may be a directory: the names of its files are not known."""
    return any(_PATTERN_OR_DIRECTORY.search(word.text) for word in files)


def _beside(first: Word, name: Word) -> Word:
    directory = first.text.replace("\\", "/").rpartition("/")[0]
    if first.dynamic or name.dynamic:
        return unknown_at(name)
    return name.with_text(f"{directory}/{name.text}") if directory else name
