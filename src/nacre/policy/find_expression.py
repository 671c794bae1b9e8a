"""The arguments of find: where it looks, and an expression of which every word must be known. And of fd.

Above: `programs` looks through the commands that the expression runs. Below: `effects`, and the words of its
language in `tables`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from nacre.policy import tables
from nacre.policy.effects import (
    Effects,
    PathUse,
    base_name,
    is_free,
    shown,
    stem_of,
    unknown_at,
    unlisted,
    unresolved,
    writes,
)
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
from nacre.policy.tables.schema import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.effects import Step
    from nacre.policy.options import Argument

# More than the values that any program takes before the name of another one: timeout -k 5 5 name.
_MANY = 4
_CHANGES_FOUND = frozenset({"write", "change", "alter", "fill"})
_REMOVERS = frozenset({"rm", "grm", "unlink", "shred"})
# What fd finds with these types are no links.
_NO_LINKS = frozenset({"f", "file", "d", "dir", "directory"})
FD_RUNS = frozenset({"-x", "--exec", "-X", "--exec-batch"})
# To some programs no path, but an option, a list of them, an address or an assignment.
_ODD_PLACE = regex(r"[^/]*[:=@]|[^\w./~]")
_ODD_IN_BRACES = regex(r"(?:.*[{,])?(?:[^/]*[:=@]|[^\w./~{])")
_UPWARDS = regex(r"\{\}.*\.\.(?:/|\Z)")
_FD_PLACE = regex(r"\{(?:/|//|\.|/\.|)\}")


class Found(NamedTuple):
    """What is known of all that is found at some point of an expression."""

    names: tuple[str, ...]
    # What is in git's own directory is left out; but is its own name?
    without_git: bool
    with_mark: bool = False
    # So is all else with a dot before its name.
    plain: bool = False


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
        # The same, but `.git` itself is among what is found.
        self._without_inside = False
        self._without_hidden = False
        self._group: list[str] | None = None
        self._is_pruned = False
        self.only_directories = False
        # The same for each of the commands that it runs, what it prints for another program, what it removes.
        self.finds: list[Found] = []
        # Whether each of these commands runs in the directory of what was found.
        self.elsewhere: list[bool] = []
        self.printed: list[Found] = []
        self.removes: list[Found] = []
        # What prints paths that can be links.
        self.printed_links: list[Word] = []

    def read(self) -> None:
        """Options, places, then the expression, of which every word must be known."""
        while self.words and self.words[0].text in {"-H", "-L", "-P"}:
            word = self.words.pop(0)
            if word.text != "-P":
                self.found.uses(word, "leave")
        while self.words and not self._begins_expression(self.words[0]):
            self._place(self.words.pop(0))
        self._is_pruned = _is_pruned([word.text for word in self.words], from_here=self._from_here())
        self.without_git = self._is_pruned
        while self.words:
            self._word(self.words.pop(0))

    def _begins_expression(self, word: Word) -> bool:
        return word.literal and (word.text[:1] == "-" or word.text in {"(", ")", "!", ","})

    def _from_here(self) -> bool:
        """Whether all that is found begins with `./`: `src/../.git` is no `./.git`."""
        return all(word.literal and word.text in {".", "./"} for word in self.places)

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
        negated = self.negated
        if text not in _LIST_OF_NAMES:
            self._group = None  # `( -name x -o -true )` finds everything
        self._read_word(word)
        if negated and text not in _FIND_LOGIC:
            self.negated = False  # `! -empty -path x`: it holds for one word

    def _read_word(self, word: Word) -> None:
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
        elif text in _FIND_FLAGS:
            self._flag(word)
        else:
            reason = f"`{shown(text)}` is not known to be a harmless word of find's"
            self.found.add(unlisted(word, reason, text))

    def _flag(self, word: Word) -> None:
        self._group = None  # `-name x -o -true`: no plain list of names
        if word.text == "-print0":
            self.printed.append(self._found())
            if not self.only_files:
                self.printed_links.append(word)

    def _found(self) -> Found:
        # `-not -path './.git/*'` finds the directory `.git`, into which `cp x {}` copies.
        hidden, known = self._without_hidden, self.without_git or self._without_hidden
        inside = not known and self._without_inside and self.only_files
        return Found(self.names, known or inside, with_mark=inside, plain=hidden)

    def uses(self, found: Found, otherwise: Word) -> list[PathUse]:
        """What is found, at each of the places where it looks, or at another one."""
        return [
            PathUse(place, "found", found.names, found.without_git, found.with_mark, found.plain)
            for place in self.places or [otherwise]
        ]

    def _run(self, word: Word) -> None:
        """The command behind an -exec."""
        end = _find_end(self.words)
        command = self.words[:end]
        if not self.only_files and any("{}" in item.text for item in command) and not _unlinks(command):
            self.found.uses(word, "leave")
        self._check_ends(self.words[:end], closed=end < len(self.words))
        many = end < len(self.words) and self.words[end].text == "+"
        elsewhere = word.text in _IN_DIRECTORY_OF_FILE
        # There BSD's find gives the bare name of a file, which may begin with a dash.
        bare = elsewhere or has_odd_place(self.places)
        self.inner.append(tuple(with_found_paths(self.words[:end], many=many, bare=bare)))
        self.finds.append(self._found())
        self.elsewhere.append(elsewhere)
        del self.words[: end + 1]

    def _delete(self, word: Word) -> None:
        self.found.add(writes(word, "`-delete` removes files", word.text))
        self.deleting.append(word)
        if not self.only_directories:
            self.removes.append(self._found())

    def _check_ends(self, command: Sequence[Word], *, closed: bool) -> None:
        """A value that turns out to be `;` ends the command: what follows it is find's again."""
        if not closed and not all(word.literal for word in command):
            reason = "a command without its end, which a value can turn out to be"
            self.found.add(unresolved(command[0], reason, hint="write it out"))
        for at, word in enumerate(command):
            if word.text == "+":
                reason = "to some versions of find this `+` ends the command, whatever stands before it"
                self.found.add(unresolved(word, reason))
            elif word.several or word.may_vanish:
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
            # What stands behind a comma is asked about all that is found.
            self.names, self.without_git = (), self._is_pruned and text != ","
            self._is_pruned = self.without_git
            self._without_inside = self._without_hidden = False
        elif text == "(":
            self._group = [] if self.opened == 1 and not before else None
        elif text == ")":
            self.names = self.names or tuple(self._group or ())
            self._group = None

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
        text = "" if "\\" in text else text  # `c\onfig` matches config
        if test == "-name" and text and not self.negated:
            if self._group is not None:
                self._group.append(text)
            elif not self.opened:
                self.names = self.names or (text,)
            return
        self._group = None
        if test in _FIND_PATHS and self.negated and not self.opened:
            self._without_hidden = self._without_hidden or _LEAVES_HIDDEN_OUT.fullmatch(text) is not None
            anywhere = _LEAVES_GIT_OUT.fullmatch(text) is not None
            here = self._from_here() and _LEAVES_GIT_OUT_HERE.fullmatch(text) is not None
            if anywhere or here:
                self._without_inside = True
                self.without_git = self.without_git or _LEAVES_MARK_OUT.search(text) is not None

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
_OUTSIDE = regex(OUTSIDE)
# Options of find and grep, and a few more, with which links to directories are followed.
_FOLLOWS_LINKS = regex(r"-[^-]*[RLH]|-follow|-files0|--deref")
# Words of `rm -rf {}`: of a link it removes the link.
_OF_RM = regex(r"-[rRf]+|--|\{\}")
_FIND_FOLLOWS = frozenset(FIND_FOLLOWS.split())
_FIND_RUNS = frozenset(FIND_RUNS.split())
# Words of find with which it prints something else than paths, or paths from a list.
_PRINTS_MORE = ("-print", "-fprint", "-ls", "-fls", "-exec", "-ok", "-files0-from")
# Options of grep with which it prints the names of files only.
_LISTS = frozenset({"-l", "--files-with-matches", "-L", "--files-without-match"})
_IN_DIRECTORY_OF_FILE = frozenset({"-execdir", "-okdir"})
_FIND_LOGIC = frozenset({"-o", "-or", "!", "-not", ",", "(", ")"})
_FIND_PATHS = frozenset({"-path", "-wholename"})
# A list of names in parentheses is made of these alone.
_LIST_OF_NAMES = frozenset({"-name", "-o", "-or", "(", ")"})
# Wherever find starts; where all that it finds begins with `./`.
_LEAVES_GIT_OUT = regex(r"\*+/?\.git/?\*+")
_LEAVES_GIT_OUT_HERE = regex(r"\./\.git/?\*+")
_LEAVES_HIDDEN_OUT = regex(r"\*+/\.\*+")
_LEAVES_MARK_OUT = regex(r"\.git\*+\Z")
# With these, what is in a directory comes before it, or it is not tested: too late to leave it out.
_TOO_LATE = frozenset({"-depth", "-d", "-delete", "-mindepth"})


def _is_pruned(words: Sequence[str], *, from_here: bool) -> bool:
    """`-path ./.git -prune -o`, first of all, and nothing that undoes it."""
    if len(words) < _MANY:
        return False
    test, name, *ends = words[:_MANY]
    known = (test == "-name" and name == ".git") or (
        test in _FIND_PATHS and (name == "*/.git" or (from_here and name == "./.git"))
    )
    return known and ends in (["-prune", "-o"], ["-prune", "-or"]) and _TOO_LATE.isdisjoint(words)


def _unlinks(command: Sequence[Word]) -> bool:
    """Whether what is found is only removed: no link is followed."""
    called = bool(command) and command[0].literal and command[0].text == "rm"
    return called and all(word.literal and _OF_RM.fullmatch(word.text) for word in command[1:])


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


def printed_paths(words: Sequence[Word]) -> list[PathUse]:
    """What is found by a command that prints paths, ended by zeros; nothing where it may print more.

    Each of them begins with a path that is written out.
    """
    name = words[0].text if words else ""
    if name not in {"find", "gfind"}:
        return _listed_by_grep(words)
    others = {word.text for word in words} - {"-print0"}
    if any(text.startswith(_PRINTS_MORE) for text in others):
        return []
    reading = FindExpression(words[1:])
    reading.read()
    links = [PathUse(word, "leave") for word in reading.printed_links]
    here = words[0].with_text(".")
    return [*links, *(use for found in reading.printed for use in reading.uses(found, here))]


def _listed_by_grep(words: Sequence[Word]) -> list[PathUse]:
    name = words[0].text if words else ""
    entry = tables.program(name) if name in {"grep", "egrep", "fgrep"} else None
    if entry is None:
        return []
    given = read(compiled(entry), words[1:])
    flags = {item.flag for item in given}
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    starts = operands if flags & {"-e", "--regexp", "-f", "--file"} else operands[1:]
    plain = all(word.literal and word.text[:1] not in {"", "-"} for word in starts)
    if not (plain and flags & _LISTS and flags & {"-Z", "--null"}):
        return []
    # With both, a name that none of them matches is searched, or not: it depends on which comes first.
    included = [item.value for item in given if item.flag == "--include" and "--exclude" not in flags]
    literal = (value.text for value in included if value is not None and value.literal)
    names = tuple(text for text in literal if "\\" not in text)
    without_git = any(
        item.flag == "--exclude-dir" and item.value is not None and item.value.text == ".git"
        for item in given
    )
    return [
        # A file of that name is searched.
        PathUse(place, "found", names if len(names) == len(included) else (), without_git, without_git)
        for place in starts
    ]


def follows_links(words: Sequence[Word]) -> bool:
    """Whether a command that looks for files follows links to them."""
    return any(_FOLLOWS_LINKS.match(word.text) for word in words)


def places_below(paths: Sequence[PathUse]) -> tuple[str, ...]:
    """Where a command looks that follows no links, if that is surely below the working directory."""
    places = [use.word for use in paths if use.access == "found"]
    plain = all(word.literal and not _OUTSIDE.match(word.text) for word in places)
    return tuple(word.text for word in places) if plain else ()


def found_below(word: Word, places: tuple[str, ...]) -> Word:
    """A word of a command for what was found, with the places below which that lies."""
    if not places or not any(piece.name == "{}" for piece in word.expansions):
        return word
    pieces = (replace(piece, below=places) if piece.name == "{}" else piece for piece in word.expansions)
    return replace(word, expansions=tuple(pieces))


def has_odd_place(places: Sequence[Word]) -> bool:
    """Whether what is found begins with something that is no path to another program: `@x`, `host:x`."""
    return any(map(_is_odd, places))


def _is_odd(word: Word) -> bool:
    """A name of which only the beginning is known may go on with a colon: `src*`, `"src$x"`."""
    if word.literal or "/" in word.prefix:
        return _ODD_PLACE.match(word.text if word.literal else word.prefix) is not None
    if word.braces and word.glob is None and not word.dynamic:
        return _ODD_IN_BRACES.match(word.text) is not None
    return bool(word.prefix) or word.glob is not None or word.may_be_option


def with_found_paths(words: Sequence[Word], *, many: bool, bare: bool = False) -> Iterator[Word]:
    """The command with what was found; where it is run once for many, `{}` is several words."""
    for word in words:
        yield from [with_found_path(word, bare=bare)] * (_MANY if many and word.text == "{}" else 1)


def with_found_path(word: Word, *, bare: bool = False) -> Word:
    """`{}` becomes a path that find prints: it begins where find started, never with a dash.

    But a bare name could.
    """
    if "{}" not in word.text:
        return word
    if _UPWARDS.search(word.text):  # `find . -name refs -exec cp x {}/../config`
        return replace(unknown_at(word), expansions=(Expansion("variable", "{}", quoted=True),))
    begins = word.text.startswith("{}") and not bare
    text = ("./" if begins else "") + word.text.replace("{}", UNKNOWN)
    pieces = tuple(Expansion("variable", "{}", quoted=True) for _ in range(text.count(UNKNOWN)))
    return replace(word, text=text, expansions=pieces, braces=False, glob=None)


def fd_commands(words: Sequence[Word]) -> tuple[list[Word], list[tuple[Word, Sequence[Word]]]]:
    """fd's own words, and what it runs: each command ends at a `;`, and more options may follow."""
    own: list[Word] = []
    commands: list[tuple[Word, Sequence[Word]]] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word.text not in FD_RUNS:
            own.append(word)
            continue
        end = next((at for at, item in enumerate(rest) if item.text == ";"), len(rest))
        commands.append((word, rest[:end]))
        del rest[: end + 1]
    return own, commands


def finds_bare_names(given: Sequence[Argument]) -> bool:
    """What fd finds begins with `./`, unless that is taken away, or with the name of a directory."""
    return any(item.flag == "--strip-cwd-prefix" for item in given) or has_odd_place(_places_of_fd(given))


def _places_of_fd(given: Sequence[Argument]) -> list[Word]:
    operands = [item.word for item in given if item.kind in {"operand", "unproven"}]
    return [*operands[1:], *(item.value for item in given if item.flag == "--search-path" and item.value)]


def fd_command(option: Word, command: Sequence[Word], *, bare: bool) -> tuple[Word, ...]:
    """The command with what was found, at its place or at the end. A part of a name may begin with a dash."""
    if any(not word.literal for word in command):
        ends = Expansion("variable", "{}", quoted=False)  # a value could be the `;`, or a place
        return (Word(UNKNOWN, option.start, option.end, expansions=(ends,)),)
    if not any(_FD_PLACE.search(word.text) for word in command):
        command = [*command, option.with_text("{}")]
    found: list[Word] = []
    for word in command:
        if word.text == "{}":
            found += with_found_paths([word], many=option.text in {"-X", "--exec-batch"}, bare=bare)
        elif _FD_PLACE.search(word.text):
            text = _FD_PLACE.sub(UNKNOWN, word.text)
            piece = Expansion("variable", "{}", quoted=option.text in {"-x", "--exec"})
            found.append(replace(word, text=text, expansions=(piece,) * text.count(UNKNOWN)))
        else:
            found.append(word)
    return tuple(found)


def where_found(step: Step) -> Step:
    """`find -execdir`: relative paths are seen from the directory of what was found, whichever that is."""
    effects = [replace(effect, files=(), place=None) for effect in step.effects]
    return replace(step, effects=tuple(effects), paths=tuple(_use_where_found(use) for use in step.paths))


def _use_where_found(use: PathUse) -> PathUse:
    word = use.word
    if use.access in {"found", "leave"} or is_found(word) or word.text.startswith(("/", "~")):
        return use
    piece = Expansion("variable", "", quoted=True)
    text = f"{UNKNOWN}/{word.text}"
    return replace(use, word=replace(word, text=text, expansions=(piece, *word.expansions), glob=None))


def found_by_fd(words: Sequence[Word], given: Sequence[Argument]) -> list[PathUse]:
    """What fd finds for its commands, by its own options."""
    places = _places_of_fd(given)
    ends = [item.value.text for item in given if item.flag in {"-e", "--extension"} and item.value]
    hidden = bool({"-H", "--hidden", "-u", "--unrestricted"} & {item.flag for item in given})
    types = {item.value.text for item in given if item.flag in {"-t", "--type"} and item.value}
    links = words[1:] if not types or types - _NO_LINKS else ()
    return [
        *(PathUse(word, "leave") for word in links if word.text in FD_RUNS),
        *(
            PathUse(place, "found", tuple(f"*.{end}" for end in ends), not hidden, plain=not hidden)
            for place in places or [words[0].with_text(".")]
        ),
    ]


def for_what_is_found(step: Step, uses: Sequence[PathUse], *, by_links: bool = False) -> Step:
    """A command for what was found: where it changes that, it matters what can be found, behind links too."""
    leaves = [use for use in uses if use.access == "leave"]
    found = [use for use in uses if use.access != "leave"]
    if any(use.restored for use in step.paths):  # what is found, and what was packed into it
        found = [replace(use, names=(*use.names, *map(stem_of, use.names))) for use in found]
    accesses = {use.access for use in step.paths if is_found(use.word)}
    if not accesses & _CHANGES_FOUND:
        removes = "touch" in accesses and base_name(step.words[0].text) in _REMOVERS
        found = removed(found) if removes else []
    elif by_links:
        reason = "what is found behind a link may be anywhere, and is changed"
        linked = unresolved(step.words[0], reason, hint="leave the option out")
        step = replace(step, effects=(*step.effects, linked))
    return replace(step, paths=(*step.paths, *leaves, *found))


def removed(uses: Sequence[PathUse]) -> list[PathUse]:
    """What is found, where it is removed: files of nacre itself matter, and not what git runs."""
    return [replace(use, without_git=True, plain=True) for use in uses]


def is_found(word: Word) -> bool:
    """Whether it is, or holds, a path that find has found."""
    return any(expansion.name == "{}" for expansion in word.expansions)
