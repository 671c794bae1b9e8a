"""Files whose names are not in a command: of an archive, a patch, a directory that is copied; behind links.

Above: `inspector` asks about the arguments of a program. Below: `effects`, and the schema of the tables.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.argument_facts import only_shows
from nacre.policy.effects import PathUse, known_path, runs, shown, unknown_at, unresolved, writes
from nacre.policy.model import UNKNOWN, Word, names
from nacre.policy.options import compiled
from nacre.policy.patterns import regex
from nacre.policy.tables.archives import TAR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.policy.effects import Effects
    from nacre.policy.options import Argument
    from nacre.policy.tables.schema import Program

_HELPS = frozenset({"-h", "--help"})
# Options of cp and rsync with which a directory is copied with all that is in it.
_COPIES_WHOLE = frozenset(
    {"-r", "-R", "-a", "-d", "--recursive", "--archive", "--dirs", "-T", "--no-target-directory"}
)
_KEEPS_LINKS = _COPIES_WHOLE | {"-P", "-l", "--no-dereference", "--links"}
# Options with which a file keeps the directories of its name where it is put, or is named in a list.
_KEEPS_PATHS = {
    "cp": frozenset({"--parents", "--path"}),
    "rsync": frozenset({"-R", "--relative", "--files-from"}),
}
# Files of another machine whose names are found there.
_NAMES_OF_OTHERS = regex(r"[^/]*:.*[*?\[{]|[^/]*::[^/]*\Z|rsync://[^/]*/[^/]*\Z")

# What operands are to programs that change files.
_CHANGES = frozenset({"change", "copy", "touch", "squeeze"})
# Programs that read files, of which each system has its own version, and shfmt, which reads options as BSD's
# do; by the first name in their tables.
_OF_EVERY_SYSTEM = names(
    "cat tac head tail wc nl cut paste join comm fold fmt expand rev column od hexdump strings base64 md5sum "
    "sort pr diff cmp diff3 sdiff look grep ls stat du df realpath file shfmt"
)
# More letters than tar knows are not read.
_MOST_LETTERS = 32
_ENVIRONMENT = regex(r"(?:.*/)?\.?v?env(?:[0-9._-][\w.-]*)?/?\Z")
_PATTERN = regex(r"[*?\[]")
_END_OF_PATTERN = regex(r"[^*?\]\0]*\Z")
# `-t` and `--target-directory`, of which only the end is known.
_MAY_END_OPTION = regex(r"[a-z-]*\Z")


def find_missing(entry: Program, given: Sequence[Argument], at: Word, found: Effects) -> None:
    """What it does where an option is missing: it writes a file of its own naming, or starts an editor."""
    if entry.only_with and not only_shows(entry, given):
        found.add(writes(at, f"without another option it writes a file: {entry.reason}"))
    flags = {item.flag for item in given if item.word.glob is None}
    if not flags.isdisjoint(_HELPS):
        return
    missing = [listed.split()[0] for listed in entry.asks if flags.isdisjoint(listed.split())]
    if missing:
        reason = "it asks for what is missing, or starts an editor, which can run programs"
        named = " and ".join(f"`{flag}`" for flag in missing)
        found.add(runs(at, reason, missing[0], hint=f"write {named}, too"))


def find_unpacked(entry: Program, given: Sequence[Argument], found: Effects) -> None:
    """Write down the directories that a program fills, and those that it empties."""
    if entry.empties:
        _find_emptied(entry, given, found)
    if not entry.unpacks and entry.operands != "copy":
        return
    flags = {item.flag for item in given}
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    if entry.operands == "copy" and operands:
        _find_copied(entry, given, operands, found)
    elif entry.unpacks and not (
        flags & set(entry.looks.split()) or any(item.kind == "fills" for item in given)
    ):
        at = given[0].word if given else None
        found.uses((at or Word("", 0, 0)).with_text("."), "fill")
    if entry.brings_links:
        found.paths = [
            replace(use, brings_links=True) if use.access == "fill" else use for use in found.paths
        ]


def _find_copied(entry: Program, given: Sequence[Argument], operands: Sequence[Word], found: Effects) -> None:
    """What comes with what is copied: files of any name, and links."""
    flags = {item.flag for item in given}
    targets = [item.value for item in given if item.kind == "changes" and item.value is not None]
    sources = operands if flags & {"-t", "--target-directory"} else operands[:-1]
    if _copies_whole(entry, sources, flags):
        for target in (*targets, operands[-1]):
            found.uses(target, "fill")
    elif "cp" in entry.names.split() and flags.isdisjoint(entry.links.split()):
        found.paths = [replace(use, stays=_is_last(use, operands)) for use in found.paths]
    if flags & _KEEPS_LINKS and any(known_path(word) is None for word in operands):
        found.paths += [PathUse(word, "change", brings_links=True) for word in (*targets, operands[-1])]


def _is_last(use: PathUse, operands: Sequence[Word]) -> bool:
    return use.access == "change" and use.word is operands[-1]


def _find_emptied(entry: Program, given: Sequence[Argument], found: Effects) -> None:
    """`python3 -m venv --clear src`: only what is called like an environment is emptied."""
    if not any(item.flag in entry.empties.split() for item in given):
        return
    for item in given:
        if item.kind in {"operand", "unproven"} and not (
            item.word.literal and _ENVIRONMENT.match(item.word.text)
        ):
            reason = f"all that `{shown(item.word.text)}` holds would be removed"
            found.add(runs(item.word, reason, item.word.text if item.word.literal else ""))


def find_followed(entry: Program, given: Sequence[Argument], found: Effects) -> None:
    """Write down the links that a program makes, and what it reads with all that is linked or named there."""
    if not (entry.symlinks or entry.trees or entry.expands) and entry.operands != "copy":
        return
    flags = {item.flag for item in given}
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    if entry.expands:
        patterns = ((word, _PATTERN.search(word.text)) for word in operands if word.literal)
        found.paths += [PathUse(replace(word, glob=at.start()), "maybe") for word, at in patterns if at]
    if not flags.isdisjoint(entry.symlinks.split()) and flags.isdisjoint({"-r", "--relative"}):
        targets = [item.value for item in given if item.kind == "changes" and item.value is not None]
        said = operands if targets else operands[:-1] or operands
        last = targets or operands[1:][-1:] or [word.with_text(".") for word in operands[:1]]
        names = tuple(word.text for word in said if word.literal)
        found.paths += [PathUse(word, "link", names) for word in last]
    found.paths += [PathUse(word, "found") for word in _linked(entry, given, operands)]
    follows = entry.trees == "*" or not flags.isdisjoint(entry.trees.split())
    if follows and flags.isdisjoint(entry.keeps_links.split()):
        found.paths += [PathUse(word, "tree") for word in operands if ":" not in word.text]
        if entry.packs_all and len(operands) == 1:
            found.paths.append(PathUse(operands[0].with_text("."), "tree"))


def find_turned(entry: Program, given: Sequence[Argument], found: Effects) -> None:
    """`cp "$x" a/config`: a word that turns out to be `-t.git` says where all others are put.

    And `grep "$x" file`: one that turns out to be -f/etc/passwd reads that.
    """
    if entry.harmless and entry.reads:
        unproven = [item.word for item in given if item.kind == "unproven"]
        found.paths += [PathUse(word, "leave") for word in unproven if known_path(word) is None]
    if "-t=" not in entry.changes.split():
        return
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    unproven = [item.word for item in given if item.kind == "unproven"]
    for word in unproven:
        if any(piece.below for piece in word.expansions[:1]):
            continue  # what find has found begins as it was told
        end = _known_end(word)
        if word.splits or (word.several and not end):
            reason = "one of these words could be -t, which says where all others are put"
            hint = "put `--` before it" if word.dynamic else "write ./ before the pattern"
            found.add(unresolved(word, reason, hint=hint))
        others = [other for other in operands if other is not word]
        if entry.operands == "copy" and others and (word.several or len(others) > 1):
            # Or it is `-rT` (`-rTS.txt`), and what is in a directory comes right there.
            found.paths.append(PathUse(others[-1], "fill", turned=True))
        places = [UNKNOWN + end]
        if _MAY_END_OPTION.match(end):  # and the next word is the directory
            places += [other.text for other in others if other.start > word.start][:1]
        for other in others:
            name = other.text.rstrip("/").rpartition("/")[2].replace(UNKNOWN, "*")
            for place in places:
                found.uses(_put_into(place, name, other), "change")


def find_linked_here(entry: Program, given: Sequence[Argument], found: Effects) -> None:
    """`ln sub/file`: the link has the name of the file, in the working directory."""
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    if not entry.symlinks or entry.operands != "change" or len(operands) != 1:
        return
    word = operands[0]
    name = word.text.rstrip("/").rpartition("/")[2]
    found.uses(word.with_text(f"./{name}") if word.literal else unknown_at(word), "change")


def find_displaced(entry: Program, given: Sequence[Argument], found: Effects) -> None:
    """`install hook -m .git/hooks`: BSD's programs take all words behind the first operand for operands.

    And so do those of a system with musl: `cut f -d ../x` reads that, too.
    """
    roles = set(entry.operands.split())
    changes = not roles.isdisjoint(_CHANGES)
    reads = entry.names.partition(" ")[0] in _OF_EVERY_SYSTEM
    if not reads and (not changes or entry.end_of_options or entry.style != "getopt"):
        return
    access = "read" if not changes else "touch" if roles == {"touch"} else "change"
    behind = False
    for item in given:
        behind = behind or item.kind in {"operand", "unproven"}
        for value in item.values if behind else ():
            if value.start > item.word.start:
                found.uses(value, access)


def _put_into(place: str, name: str, word: Word) -> Word:
    """What is put into a directory under this name."""
    first, *further = place.split(UNKNOWN)
    if not further:
        return word.with_text(f"{place}/{name}")
    return replace(unknown_at(word), text=f"{first}{UNKNOWN}{'*'.join(further)}/{name}")


def _known_end(word: Word) -> str:
    """How the directory ends that a word names as an option: `*.py`, `"$x/hooks"`, `"$x=.git"`."""
    end = _END_OF_PATTERN.search(word.file_pattern or word.text)
    return end.group().rpartition("=")[2] if end is not None and not word.braces else ""


def _linked(entry: Program, given: Sequence[Argument], operands: Sequence[Word]) -> list[Word]:
    """What gets other names: `cp -al x y` and `rsync --link-dest=x`, with all that is below x."""
    flags = {item.flag for item in given}
    if entry.operands != "copy":
        return []
    named = [item.value for item in given if item.flag == "--link-dest" and item.value is not None]
    if flags.isdisjoint(entry.links.split()) or flags.isdisjoint(_COPIES_WHOLE):
        return named
    return [*named, *(operands if any(item.kind == "changes" for item in given) else operands[:-1])]


def _copies_whole(entry: Program, sources: Sequence[Word], flags: set[str]) -> bool:
    """`cp -r x/. y`, `rsync -R a/b y`: what comes to be in y is not named, or named with its directories."""
    whole = bool(flags & _COPIES_WHOLE) and any(
        word.text.endswith(("/.", "/..", "/", ":"))
        or word.text in {".", ".."}
        or "-T" in flags
        or (word.text.endswith(UNKNOWN) and word.expansions[-1].kind != "file")
        for word in sources
    )
    keeps = _KEEPS_PATHS.get(entry.names.partition(" ")[0], frozenset())
    return whole or not flags.isdisjoint(keeps) or any(map(_names_of_others, sources))


def _names_of_others(word: Word) -> bool:
    return ":" in word.text and _NAMES_OF_OTHERS.match(word.text) is not None


def tar_with_dashes(arguments: Sequence[Word], found: Effects) -> list[Word]:
    """`tar xfC a.tar dir` as `tar -x -f a.tar -C dir`."""
    if not arguments or arguments[0].text.startswith("-"):
        return list(arguments)
    first, rest = arguments[0], list(arguments[1:])
    if not first.literal or len(first.text) > _MOST_LETTERS:
        hint = "write the options first, with a dash"
        found.add(unresolved(first, "tar takes the first word for letters of options", hint=hint))
        return list(arguments)
    specs = compiled(TAR).specs
    result: list[Word] = []
    for letter in first.text:
        flag = "-" + letter
        result.append(first.with_text(flag))
        spec = specs.get(flag)
        if spec is not None and spec.arity == "=" and rest:
            result.append(rest.pop(0))
    return result + rest
