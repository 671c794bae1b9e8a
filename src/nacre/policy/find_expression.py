"""The arguments of find: where it looks, and an expression of which every word must be known. And of fd.

Above: `programs` looks through the commands that the expression runs. Below: `effects`, and the words of its
language in `tables`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import Effects, is_free, shown, unlisted, unresolved, writes
from nacre.policy.model import UNKNOWN, Expansion, Word
from nacre.policy.options import compiled, read
from nacre.policy.patterns import regex
from nacre.policy.tables.files import (
    FIND_FLAGS,
    FIND_FOLLOWS,
    FIND_READS,
    FIND_RUNS,
    FIND_VALUES,
    FIND_WRITES,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# More than the values that any program takes before the name of another one: timeout -k 5 5 name.
_MANY = 4
_FD_RUNS = frozenset({"-x", "--exec", "-X", "--exec-batch"})
_FD_PLACE = regex(r"\{(?:/|//|\.|/\.|)\}")


class FindExpression:
    """The arguments of find while they are read."""

    def __init__(self, words: Sequence[Word]) -> None:
        self.words = list(words)
        self.found = Effects()
        self.inner: list[tuple[Word, ...]] = []
        # So far, what it finds are files: no links, which another program would follow.
        self.only_files = False
        self.opened = 0
        self.negated = False
        self.deleting: list[Word] = []
        # Where it looks; so far, what the names of all that it finds match, and whether it leaves git's own
        # directory out.
        self.places: list[Word] = []
        self.names: tuple[str, ...] = ()
        self.without_git = False
        self._group: list[str] | None = None
        # The same for each of the commands that it runs.
        self.finds: list[tuple[tuple[str, ...], bool]] = []
        # And for what it removes, where that can be files.
        self.only_directories = False
        self.removes: list[tuple[str, ...]] = []

    def read(self) -> None:
        """Options, places, then the expression, of which every word must be known."""
        while self.words and self.words[0].text in {"-H", "-L", "-P"}:
            word = self.words.pop(0)
            if word.text != "-P":
                self.found.uses(word, "leave")
        while self.words and not self._begins_expression(self.words[0]):
            self._place(self.words.pop(0))
        self._prunes = [word.text for word in self.words[:4]]
        self.without_git = _is_pruned(self._prunes)
        while self.words:
            self._word(self.words.pop(0))

    def _begins_expression(self, word: Word) -> bool:
        return word.literal and (word.text[:1] == "-" or word.text in {"(", ")", "!", ","})

    def _place(self, word: Word) -> None:
        """Where find looks; an unproven one could be the beginning of an expression."""
        self.found.uses(word, "read")
        self.places.append(word)
        if word.may_be_option:
            hint = "write ./ before it"
            reason = "this value can turn out to be a word of find's expression"
            self.found.add(unresolved(word, f"{reason}; {hint}", hint=hint))

    def _word(self, word: Word) -> None:
        text = word.text
        if not word.literal:
            reason = "a word of find's expression is only known when it runs"
            self.found.add(unresolved(word, reason, hint="write it out"))
        elif text in _FIND_RUNS:
            self._run(word)
        elif text == "-delete":
            self._delete(word)
        elif text in _FIND_WRITES or text == "-fprintf":
            self._write(word)
        elif text in _FIND_VALUES or text in _FIND_READS:
            self._value(word)
        elif text in _FIND_FOLLOWS:
            self.found.uses(word, "leave")
        elif text in _FIND_LOGIC:
            self._logic(text)
        elif text not in _FIND_FLAGS:
            reason = f"`{shown(text)}` is not known to be a harmless word of find's"
            self.found.add(unlisted(word, reason, text))

    def _run(self, word: Word) -> None:
        """The command behind an -exec."""
        end = _find_end(self.words)
        if not self.only_files and any("{}" in item.text for item in self.words[:end]):
            self.found.uses(word, "leave")
        self._check_ends(self.words[:end], closed=end < len(self.words))
        many = end < len(self.words) and self.words[end].text == "+"
        self.inner.append(tuple(with_found_paths(self.words[:end], many=many)))
        self.finds.append((self.names, self.without_git))
        if not self.only_directories and self.inner[-1][:1] and self.inner[-1][0].text == "rm":
            self.removes.append(self.names)
        del self.words[: end + 1]

    def _delete(self, word: Word) -> None:
        self.found.add(writes(word, "`-delete` removes files", word.text))
        self.deleting.append(word)
        if not self.only_directories:
            self.removes.append(self.names)

    def _check_ends(self, command: Sequence[Word], *, closed: bool) -> None:
        """A value that turns out to be `;` ends the command: what follows it is find's again."""
        if not closed and not all(word.literal for word in command):
            reason = "a command without its end, which a value can turn out to be"
            self.found.add(unresolved(command[0], reason, hint="write it out"))
        for at, word in enumerate(command):
            if word.several or word.may_vanish:
                reason = (
                    "an unquoted value or pattern can become several words, and one of them the end of this"
                )
                self.found.add(unresolved(word, reason, hint="put it into quotes"))
            elif _may_be_end(word) and any(self._begins_expression(item) for item in command[at + 1 :]):
                reason = "a value that turns out to be `;` would end this command before its options"
                self.found.add(unresolved(word, reason, hint="put options before values"))

    def _logic(self, text: str) -> None:
        """`-type f` holds for all that follows it up to an alternative, if it stands in no parentheses."""
        before, self.negated = self.negated, text in {"!", "-not"} and not self.negated
        self.opened += (text == "(") - (text == ")")
        if text in {"-o", "-or", ","} and not self.opened:
            self.only_files = self.only_directories = False
            self.names, self.without_git = (), _is_pruned(self._prunes)
        elif text == "(":
            self._group = [] if self.opened == 1 and not before else None
        elif text == ")":
            self.names = self.names or tuple(self._group or ())
            self._group = None
        elif text not in {"-o", "-or"}:
            self._group = None  # no plain list of names

    def _value(self, word: Word) -> None:
        value = self.words.pop(0) if self.words else None
        if word.text == "-type" and value is not None and value.literal:
            self.only_files = self.only_files or not (self.opened or self.negated or value.text != "f")
            plain = not (self.opened or self.negated)
            self.only_directories = self.only_directories or (plain and value.text == "d")
        self._name(word.text, value)
        self.negated = False
        if word.text == "-files0-from":
            self.found.uses(word, "leave")
        if value is not None and (value.several or value.may_be_nothing):
            reason = "an unquoted value or pattern can become several words"
            self.found.add(unresolved(value, reason, hint="put it into quotes"))
        if word.text in _FIND_READS:
            self.found.uses(value, "read")

    def _name(self, test: str, value: Word | None) -> None:
        """What a test says about the names of all that is found, if it stands in no alternative."""
        text = value.text if value is not None and value.literal else ""
        if test == "-name" and text and not self.negated:
            if self._group is not None:
                self._group.append(text)
            elif not self.opened:
                self.names = self.names or (text,)
            return
        self._group = None
        if test in _FIND_PATHS and self.negated and not self.opened:
            self.without_git = self.without_git or _LEAVES_GIT_OUT.fullmatch(text) is not None

    def _write(self, word: Word) -> None:
        target = self.words.pop(0) if self.words else word
        if word.text == "-fprintf" and self.words:
            self.words.pop(0)
        if not is_free(target):
            self.found.add(writes(word, f"`{word.text}` writes a file", word.text, target))
            self.found.uses(target, "write")


_FIND_FLAGS = frozenset(FIND_FLAGS.split())
_FIND_VALUES = frozenset(FIND_VALUES.split())
_FIND_READS = frozenset(FIND_READS.split())
_FIND_WRITES = frozenset(FIND_WRITES.split())
_FIND_FOLLOWS = frozenset(FIND_FOLLOWS.split())
_FIND_RUNS = frozenset(FIND_RUNS.split())
# Words of find with which it prints something else than paths, or paths from a list.
_PRINTS_MORE = ("-print", "-ls", "-exec", "-ok", "-files0-from")
# Options of grep with which it prints the names of files only.
_LISTS = frozenset({"-l", "--files-with-matches", "-L", "--files-without-match"})
_FIND_LOGIC = frozenset({"-o", "-or", "!", "-not", ",", "(", ")"})
_FIND_PATHS = frozenset({"-path", "-wholename"})
_LEAVES_GIT_OUT = regex(r"(?:\.?/|\*/?)*\.git(?:/?\*)")


def _is_pruned(words: Sequence[str]) -> bool:
    """`-path ./.git -prune -o`, first of all."""
    tests, ends = {"-name", *_FIND_PATHS}, (["-prune", "-o"], ["-prune", "-or"])
    return (
        len(words) == _MANY and words[0] in tests and words[1] in _GIT_DIRECTORY and list(words[2:]) in ends
    )


_GIT_DIRECTORY = frozenset({".git", "./.git", "*/.git"})


def _find_end(words: Sequence[Word]) -> int:
    """Where the command of an -exec ends."""
    for at, word in enumerate(words):
        if word.text == ";" or (word.text == "+" and at and words[at - 1].text == "{}"):
            return at
    return len(words)


def _may_be_end(word: Word) -> bool:
    """Nothing but a value, which could be anything."""
    only_values = bool(word.expansions) and not word.text.strip(UNKNOWN)
    return only_values and not all(e.shape in {"digits", "number"} for e in word.expansions)


def prints_whole_paths(words: Sequence[Word]) -> bool:
    """Whether a command prints paths that end with zeros and begin with a path that is written out."""
    name = words[0].text if words else ""
    if name in {"find", "gfind"}:
        others = {word.text for word in words} - {"-print0"}
        printed = any(word.text == "-print0" for word in words)
        return printed and not any(text.startswith(_PRINTS_MORE) for text in others)
    entry = tables.program(name) if name in {"grep", "egrep", "fgrep"} else None
    if entry is None:
        return False
    given = read(compiled(entry), words[1:])
    flags = {item.flag for item in given}
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    starts = operands if flags & {"-e", "--regexp", "-f", "--file"} else operands[1:]
    plain = all(word.literal and word.text[:1] not in {"", "-"} for word in starts)
    return bool(starts) and plain and bool(flags & _LISTS) and bool(flags & {"-Z", "--null"})


def with_found_paths(words: Sequence[Word], *, many: bool) -> Iterator[Word]:
    """The command with what was found; where it is run once for many, `{}` is several words."""
    for word in words:
        yield from [with_found_path(word)] * (_MANY if many and word.text == "{}" else 1)


def with_found_path(word: Word) -> Word:
    """`{}` becomes a path that find prints: it begins where find started, never with a dash."""
    if "{}" not in word.text:
        return word
    text = "./" + UNKNOWN if word.text == "{}" else word.text.replace("{}", UNKNOWN)
    pieces = tuple(Expansion("variable", "{}", quoted=True) for _ in range(text.count(UNKNOWN)))
    return replace(word, text=text, expansions=pieces, braces=False, glob=None)


def fd_commands(words: Sequence[Word]) -> tuple[list[Word], list[tuple[Word, ...]]]:
    """fd's own words, and the commands that it runs: each ends at a `;`, and more options may follow."""
    own: list[Word] = []
    commands: list[tuple[Word, ...]] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.text not in _FD_RUNS:
            own.append(word)
            continue
        end = next((at for at, item in enumerate(rest) if item.text == ";"), len(rest))
        commands.append(_fd_command(word, rest[:end]))
        del rest[: end + 1]
    return own, commands


def _fd_command(option: Word, command: Sequence[Word]) -> tuple[Word, ...]:
    """The command with what was found, at its place or at the end. A part of a name may begin with a dash."""
    if any(not word.literal for word in command):
        ends = Expansion("variable", "{}", quoted=False)  # a value could be the `;`, or a place
        return (Word(UNKNOWN, option.start, option.end, expansions=(ends,)),)
    if not any(_FD_PLACE.search(word.text) for word in command):
        command = [*command, option.with_text("{}")]
    found: list[Word] = []
    for word in command:
        if word.text == "{}":
            found += with_found_paths([word], many=option.text in {"-X", "--exec-batch"})
        elif _FD_PLACE.search(word.text):
            text = _FD_PLACE.sub(UNKNOWN, word.text)
            piece = Expansion("variable", "{}", quoted=option.text in {"-x", "--exec"})
            found.append(replace(word, text=text, expansions=(piece,) * text.count(UNKNOWN)))
        else:
            found.append(word)
    return tuple(found)
