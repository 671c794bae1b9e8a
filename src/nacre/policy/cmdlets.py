"""Reads the arguments of a cmdlet: which parameter each of them is for, and what is done with it.

Above: `windows_names`. Below: `tables.windows`, which lists the parameters that are known. PowerShell takes a
word for a parameter by how it is written, never by what a value holds; everything else is given to parameters
by its place. Names are spelled in full here: `-Rec` is refused, though PowerShell takes it for `-Recurse`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from nacre.policy.effects import ANY, Effect, PathUse, shown, unknown_at, unlisted, writes
from nacre.policy.model import BLOCK, UNKNOWN, Word, names
from nacre.policy.patterns import regex
from nacre.policy.powershell_drives import MAY_BE_OWN_DRIVE, WRITE_BEFORE, may_be_own_drive
from nacre.policy.tables.windows import CMDLETS, Cmdlet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.effects import Access

_PARAMETER = regex(r"-([^\W\d]\w*)(:?)")
_SWITCHED = regex(r"(?i):\$(?:true|false)\Z")
_WITH_BLANKS = regex(r"\s*,")
# To every cmdlet; `Break` and `Inquire` wait for a person.
_COMMON_SWITCHES = frozenset({"verbose", "whatif", "confirm"})
_COMMON = {
    "erroraction": "(?i)silentlycontinue|stop|continue|ignore",
    "ea": "(?i)silentlycontinue|stop|continue|ignore",
}
_MOST_OBJECTIONS = 20  # each is held against all words
_NOT_KNOWN = "is not known to be harmless"
# What is piped to a command, where it comes from a cmdlet whose own paths are checked.
_PIPED = regex(r"(?<!\|)\|[\s&`]*\Z")
# A statement that begins so, not a text that says so: quotes are read from the beginning on.
_PIPED_FILES = regex(
    r"""(?i)(?:(?:[^'"#`]|'[^']*'|"[^"$`]*")*(?:[;({]|(?<=[\w)}'"])[ \t\r]*\n))?"""
    r"""[ \t]*(?:\$\w+[ \t]*=[ \t]*)?"""
    r"""(?:get-childitem|gci|dir|ls|get-item|gi)(?:[ \t](?:[^|;&\n(){}'"#`]|'[^']*'|"[^"$`]*")*)?\|\s*\Z"""
)
# What lists files, and its arguments: names, of which a pattern with a dot in it is for files.
_LISTS = regex(r"(?i)(?<![\w-])(?:get-childitem|gci|dir|ls)(?![\w-])([^|;&\n(){}]*)")
_NAMES_PLACE = regex(r"(?i)-(?:literal)?path")
# -Recurse, which is -s too, and -Depth.
_GOES_DEEPER = regex(r"(?i)-[rsd]")
_MOST_LISTINGS = 100
_BETWEEN_NAMES = regex(r"[\s,]+")
_LAST = regex(r"[^\\/]*[*?\[][^\\/]*\Z")
_BEFORE_PATTERN = regex(r"/?[^/]*[*?\[].*\Z")
# Parameters that are bound to what is piped, besides those for files: a block in their value is run for each.
_BOUND = names("id name displayname totalcount first head tail last date seconds milliseconds itemtype type")
# What these take from properties of what is piped to them: another machine, a link and what it leads to, a
# module that is loaded.
_TAKES_PROPERTIES = names("get-process get-service new-item mkdir get-command get-help get-module")
# Objects that can have any property, among them the path of a file.
_MAKES_OBJECTS = regex(r"(?i)json|csv|xml|restmethod|\birm\b|select")


@dataclass(slots=True)
class _Given:
    """A parameter and its values: those of a list are several."""

    name: str
    word: Word
    values: list[Word]


class CmdletReader:
    """The arguments of one call of a cmdlet."""

    def __init__(self, words: Sequence[Word], name: str, source: str, shell: str) -> None:
        self.words = words
        self.name = name
        self.entry = CMDLETS[name]
        self.source = source
        self.shell = shell
        self.kinds = _kinds(name)
        self.effects: list[Effect] = []
        self.given: list[_Given] = []
        self.too_many = 0

    def read(self) -> tuple[tuple[Effect, ...], tuple[PathUse, ...]]:
        """What the call does beyond its name, and the files that it reads and changes."""
        self._divide()
        piped = _PIPED.search(self.source[: self.words[0].start]) is not None
        for given in self.given:
            self.effects += self._objections(given)
            self.effects += self._run_for_each(given) if piped else ()
        if self.name == "invoke-webrequest" and self.shell == "powershell":
            self._parses_pages()
        if self.name in _TAKES_PROPERTIES and piped:
            reason = "it takes more than a value from what is piped to it"
            self.effects.append(unlisted(self.words[0], reason, ANY))
        if self.entry.enters and piped:
            reason, hint = "it goes where the pipe says", "write the directory behind the command's name"
            self.effects.append(unlisted(self.words[0], reason, "", hint=hint))
        paths = tuple(self._paths())
        self.effects += self._on_other_drives(paths)
        return tuple(self.effects), paths

    def _on_other_drives(self, paths: Sequence[PathUse]) -> Iterator[Effect]:
        """`$x = 'function:'; cd $x; Set-Content git 'calc'` gives `git` another meaning."""
        # What is not written there comes through the pipe, or is where it was before (`popd`).
        written = [use for use in paths if use.word.start != self.words[0].start]
        for use in written if not self.entry.only_files else ():
            if use.access in {"enter", "change"} and may_be_own_drive(use.word, self.source):
                yield unlisted(use.word, MAY_BE_OWN_DRIVE, "", hint=WRITE_BEFORE)

    # -- which argument is for which parameter

    def _divide(self) -> None:
        waiting: _Given | None = None  # for its value
        last: _Given | None = None
        end = self.words[0].end
        for word in self.words[1:]:
            raw = self.source[word.start : word.end]
            listed = _WITH_BLANKS.match(self.source, end, word.start) is not None
            end = word.end
            parameter = _PARAMETER.match(raw)
            if listed and (last is None or parameter is not None):
                self._object(word, f"`{shown(word.text)}` in a list {_NOT_KNOWN}")
            elif listed and last is not None:
                last.values.append(word)
            elif parameter is not None:
                last = waiting = self._parameter(word, raw, parameter[1].casefold())
            elif waiting is not None:
                waiting.values.append(word)
                last, waiting = waiting, None
            else:
                last = self._by_place(word)
            if waiting is not None and waiting.values:
                waiting = None
        for item in self.given:
            if not item.values and self.kinds.get(item.name) != "switch":
                self._object(item.word, "a value is missing")

    def _parameter(self, word: Word, raw: str, name: str) -> _Given | None:
        kind = self.kinds.get(name, "")
        given = _Given(name, word, [])
        colon = raw[len(name) + 1 :]
        if not kind:
            self._unknown(word, name)
            return None
        if kind == "switch":
            if colon and not _SWITCHED.match(colon):
                self._object(word, f"the value of `-{name}` {_NOT_KNOWN}")
            self.given.append(given)
            return None
        if colon:
            before, sign, value = word.text.partition(":")
            if not colon.startswith(":") or not value:
                self._object(word, f"`{shown(word.text)}` {_NOT_KNOWN}")
            glob = None if word.glob is None else word.glob - len(before + sign)
            given.values.append(replace(word, text=value, glob=glob))
        self.given.append(given)
        return given

    def _unknown(self, word: Word, name: str) -> None:
        full = [known for known in self.kinds if known.startswith(name)]
        hint = f"write it in full: -{full[0]}" if len(full) == 1 else ""
        reason = f"the parameter `-{name}` {_NOT_KNOWN}"
        self.effects.append(unlisted(word, reason, word.text.partition(":")[0], hint=hint))

    def _object(self, word: Word, reason: str) -> None:
        self.effects.append(unlisted(word, reason, "" if word.dynamic else word.text))

    def _by_place(self, word: Word) -> _Given | None:
        """The next of the parameters that are given by place, and not yet by name."""
        named = {item.name for item in self.given}
        free = [name for name in self.entry.positions.split() if name not in named]
        last = self.entry.positions.split()[-1:]
        if not free and self.entry.rest:
            free = last
        # With -LiteralPath another set of parameters holds, and other places.
        if not free or "literalpath" in named or word.text == "--":
            self.too_many += 1
            if self.too_many < _MOST_OBJECTIONS:
                self._object(word, f"`{shown(word.text)}` is one argument too many")
            elif self.too_many == _MOST_OBJECTIONS:  # that many no rule can spell
                self.effects.append(unlisted(word, "there are far too many arguments", ""))
            return None
        given = _Given(free[0], word, [word])
        self.given.append(given)
        return given

    # -- what the values are

    def _objections(self, given: _Given) -> Iterator[Effect]:
        kind, name = self.kinds.get(given.name, ""), given.name
        check = _COMMON.get(name) or dict(self.entry.checks).get(name)
        for value in given.values:
            plain = value.literal or (value.glob is not None and not value.dynamic)
            block = value.dynamic and all(item.name == BLOCK for item in value.expansions)
            known = value.text.partition(UNKNOWN)[0]
            if check is not None and not (regex(check).fullmatch(value.text if plain else known)):
                yield unlisted(value, f"this value of `-{name}` {_NOT_KNOWN}", value.text if plain else "")
            elif kind == "block" and not block:
                yield unlisted(
                    value, "this can name a method, or hold a block", "", hint="write a block: { ... }"
                )
            elif kind == "property" and not (plain or block):
                hint = "write the property's name, or a block"
                yield unlisted(value, "this value can hold a block of commands", "", hint=hint)
        if kind == "writes":
            yield writes(given.word, f"`-{name}` writes a file", given.word.text)

    def _run_for_each(self, given: _Given) -> Iterator[Effect]:
        """`x | Get-Item -Path $y`: if the value is a block, of a function, say, it is run."""
        bound = given.name in _BOUND and self.name != "select-object"
        if not bound and self.kinds.get(given.name, "") not in _ACCESS:
            return
        for value in given.values:
            if (
                any(not item.quoted and item.name != BLOCK for item in value.expansions)
                and value.text == UNKNOWN
            ):
                hint = 'put it into double quotes: "$x"'
                yield unlisted(value, "this value can hold a block of commands", "", hint=hint)

    def _parses_pages(self) -> None:
        if not {"usebasicparsing", "outfile"} & {item.name for item in self.given}:
            reason = "Windows PowerShell can run the scripts of the page that it gets"
            self.effects.append(unlisted(self.words[0], reason, "", hint="add -UseBasicParsing"))

    # -- the files

    def _paths(self) -> Iterator[PathUse]:
        beside = self._values("path") + self._values("literalpath")
        for item in self.given:
            access = _ACCESS.get(self.kinds.get(item.name, ""))
            for value in item.values if access is not None else ():
                if access is None:
                    continue
                if self.name == "compress-archive" and access == "read":
                    yield PathUse(value, "tree")
                elif access == "enter" and value.text in {"-", "+"}:  # where it was before
                    yield PathUse(unknown_at(value), access)
                elif item.name == "newname":
                    yield from (PathUse(_beside(path, value), access) for path in beside)
                elif item.name == "name" and beside:
                    yield from (PathUse(_below(path, value), access) for path in beside)
                else:
                    yield PathUse(value, access)
                if item.name == "outfile":  # in a directory, the address names the file
                    yield PathUse(value, "fill")
        yield from self._piped(beside)

    def _values(self, name: str) -> list[Word]:
        return [value for item in self.given if item.name == name for value in item.values]

    def _piped(self, beside: Sequence[Word]) -> Iterator[PathUse]:
        """Where no path is given, it is a property of what is piped to the cmdlet."""
        named = {item.name for item in self.given}
        if beside or "p" in named:
            named |= {"path", "filepath"}
        missing = [name for name in self.entry.given.split() if name not in named]
        if self.name == "new-item" and "path" in named:
            missing = []
        before = self.source[: self.words[0].start]
        unknown = unknown_at(self.words[0])
        if missing and (self.entry.reads or self.name == "copy-item") and _PIPED.search(before):
            yield from self._listed()
        for name in missing:
            access = _ACCESS.get(self.kinds.get(name, ""), "read")
            if access == "read":
                harmless = self.name == "select-string" and not _MAKES_OBJECTS.search(before)
                if not harmless and _PIPED.search(before) and not _PIPED_FILES.match(before):
                    yield PathUse(unknown, "read")
            elif name == "path" and self.name == "copy-item":
                yield from (PathUse(word, "fill") for word in self._values("destination"))
                if not _PIPED_FILES.match(before):
                    yield PathUse(unknown, "read")
            elif name in {"destination", "destinationpath"} and not _PIPED.search(before):
                here = unknown.with_text(".")
                yield PathUse(Word(here.text, here.start, here.end, quoted=True), "fill")
            else:
                yield PathUse(unknown, access)

    def _listed(self) -> Iterator[PathUse]:
        """`gci src | gc` reads what the links in src lead to."""
        word = self.words[0]
        listings = _listings(self.source)
        if len(listings) > _MOST_LISTINGS:
            yield PathUse(unknown_at(word), "read")
            return
        for start, place, deep in listings:
            if start >= word.start:
                continue
            if deep:
                yield PathUse(word.with_text(place), "tree")
            else:
                yield PathUse(replace(word.with_text(f"{place}/*"), glob=len(place) + 1), "read")


@lru_cache(maxsize=8)
def _listings(source: str) -> list[tuple[int, str, bool]]:
    """Where each directory is first listed, which it is, and whether with all that is below it."""
    first: dict[tuple[str, bool], int] = {}
    for found in _LISTS.finditer(source):
        names = [text.strip("'\"") for text in _BETWEEN_NAMES.split(found[1]) if text]
        places = [text for text in names if not text.startswith("-")]
        named = names[:1] == places[:1] != [] or any(map(_NAMES_PLACE.fullmatch, names))
        recurses = any(map(_GOES_DEEPER.match, names))
        for place in places if named else [".", *places]:
            plain, last = place.replace("\\", "/"), _LAST.search(place)
            if "$" not in place and not (last is not None and "." in last[0]):
                known = (plain if last is None else _BEFORE_PATTERN.sub("", plain)) or "."
                deep = recurses or last is not None
                first.setdefault((known, deep), found.start())
    return [(start, known, deep) for (known, deep), start in first.items()]


_ACCESS: dict[str, Access] = {
    "reads": "read",
    "changes": "change",
    "writes": "write",
    "fills": "fill",
    "enters": "enter",
}


def _beside(path: Word, name: Word) -> Word:
    """A file of this name in the directory of another."""
    text = path.text.replace("\\", "/")
    return _joined(text.rpartition("/")[0], path, name)


def _below(path: Word, name: Word) -> Word:
    return _joined(path.text.replace("\\", "/"), path, name)


def _joined(directory: str, path: Word, name: Word) -> Word:
    if UNKNOWN in directory or not path.literal:
        return unknown_at(name)
    return name.with_text(f"{directory}/{name.text}") if directory else name


@cache
def _kinds(name: str) -> dict[str, str]:
    """What the values of each parameter of a cmdlet are."""
    entry: Cmdlet = CMDLETS[name]
    fields = {
        "text": entry.texts,
        "switch": entry.switches,
        "reads": entry.reads,
        "changes": entry.changes,
        "writes": entry.writes,
        "fills": entry.fills,
        "enters": entry.enters,
        "property": entry.properties,
        "block": entry.blocks,
    }
    kinds = {parameter: kind for kind, names in fields.items() for parameter in names.split()}
    return {**dict.fromkeys(_COMMON, "text"), **dict.fromkeys(_COMMON_SWITCHES, "switch"), **kinds}
