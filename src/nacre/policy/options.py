"""How a program's arguments are read by its table: which word is an option, which a value, which an operand.

Above: `inspector` asks what the arguments of a command do. Below: `model` and the schema of the tables.
Reading is strict: a name that is not spelled in full, a letter that the table does not know, a value for an
option that takes none are all `unlisted`. A word that is not proven may be anything; where it could turn out
to be an option it is `unproven`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from nacre.policy.model import UNKNOWN, Word, record
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.tables.schema import Options, Style

Kind = Literal[
    "option",
    "reads",
    "writes",
    "changes",
    "runs",
    "places",
    "enters",
    "fills",
    "follows",
    "unlisted",
    "unproven",
    "operand",
]
_FIELDS: tuple[Kind, ...] = ("runs", "writes", "changes", "fills", "places", "enters", "follows", "reads")
# The value is a path.
_TOUCHES: frozenset[Kind] = frozenset({"reads", "writes", "changes", "fills", "places", "enters", "follows"})
# git's second spelling says that no option follows, but leaves `--` its meaning.
_ENDS_OF_GIT = frozenset({"--", "--end-of-options"})
_FIELDS_OF_ONE = frozenset({"field", "clock", "token", "number", "digits"})
# An option that is switched off: `--help=false`.
OFF = "=false"
# Options that take a number: any other word in its place is an error.
_COUNTS = frozenset({"-j", "-n", "-P"})
_NUMBERS = frozenset({"digits", "number"})
_SWITCH = regex(r"(?i)true|false")
# To programs in Go the last one counts, and what looks for the sub-command takes the next word for the value
# of a `--help` that stands before it: `kubectl --help get proxy --help=false` runs the proxy.
_HELPS = frozenset({"-h", "-help", "--help"})
_PRESET = regex(r"--preset(?:=|\Z)")
_NUMBER = regex(r"-[0-9]+\Z")
_SEPARATE_VALUES = {"=": 1, "==": 2}  # how many words of their own follow an option
_SPEC = regex(r"(.*?)(==|=|\?)?\Z", re.DOTALL)


class Spec(NamedTuple):
    """What one option does, and how it takes a value: not at all, `=`, `?` (attached only), `==` (two)."""

    kind: Kind
    arity: str
    # The value must match, else the option counts as one that runs something.
    check: re.Pattern[str] | None = None


@record
class Argument:
    """One option or operand as it was given: what it does, how a person spells it, its values if any."""

    kind: Kind
    flag: str
    word: Word
    values: tuple[Word, ...] = ()
    # Why it is refused, if it is; how it could be written.
    reason: str = ""
    hint: str = ""
    # It is not listed, but may be short for an option that does more than print.
    may_do_more: bool = False

    @property
    def value(self) -> Word | None:
        """The last value: of `--rawfile name file` the file."""
        return self.values[-1] if self.values else None


@record
class Table:
    """The options of a program, ready for lookups."""

    specs: dict[str, Spec]
    style: Style
    numbers: bool
    pattern: re.Pattern[str] | None
    pattern_later: bool = False
    plain_values: bool = False
    ends: frozenset[str] = frozenset({"--"})
    stops: bool = False
    apart: bool = False
    single_letters: bool = False
    last: frozenset[str] = frozenset()
    dashed_values: frozenset[str] = frozenset()
    taken_values: frozenset[str] = frozenset()
    # Options that do more than print, or that a verdict asks about.
    matters: frozenset[str] = frozenset()

    def knows(self, text: str) -> bool:
        """Whether an option is listed, with or without the value in this word."""
        if self.style != "words":
            return text in self.specs
        return _word_name(text.partition("=")[0]) in self.specs

    def near(self, name: str) -> str:
        """The full name of a shortened option, for a hint: of a harmless one if there is one."""
        return next((n for n, spec in self.specs.items() if n.startswith(name) and spec.kind == "option"), "")

    def may_matter(self, flag: str, rest: str) -> bool:
        """Whether an unlisted name is short for an option that matters, or has such letters behind it."""
        if flag.startswith("--") and flag != "--":  # which is a letter of a cluster: `-n-x`
            return any(name.startswith(flag) for name in self.matters)
        return any("-" + letter in self.matters for letter in rest)


@lru_cache(maxsize=512)
def compiled(options: Options, outer: Options | None = None) -> Table:
    """The table of a program or sub-command; options of the outer program count after a sub-command, too."""
    specs: dict[str, Spec] = {}
    style: Style = getattr(options, "style", "getopt")
    for source in (options, outer):
        for kind, listed in _listed(source) if source is not None else ():
            for item in listed.split():
                name, arity = _spelled(item, style)
                specs.setdefault(name, Spec(kind, arity))
        for listed, pattern in source.checks if source is not None else ():
            for item in listed.split():
                name, arity = _spelled(item, style)
                known = specs.get(name)
                if known is None or known.check is None:
                    specs[name] = Spec(known.kind if known is not None else "option", arity, regex(pattern))
    pattern = options.pattern or (outer.pattern if outer is not None else "")
    return Table(
        specs,
        style,
        options.numbers,
        regex(pattern) if pattern else None,
        options.pattern_later,
        bool(getattr(options, "plain_values", False) or getattr(outer, "plain_values", False)),
        _ends(options),
        not getattr(options, "permutes", False)
        and bool(
            getattr(options, "stops", True)
            or getattr(options, "commands", ())
            or getattr(options, "passes", False)
        ),
        bool(getattr(options, "apart", False)),
        bool(getattr(options, "single_letters", False)),
        frozenset(getattr(options, "last", "").split()),
        frozenset(map(_word_name, getattr(options, "dashed_values", "").split())),
        frozenset(map(_word_name, getattr(options, "taken_values", "").split())),
        _mattering(options, specs),
    )


def _ends(options: Options) -> frozenset[str]:
    """The words behind which no option follows."""
    if not getattr(options, "dashes", True):
        return frozenset()
    return _ENDS_OF_GIT if getattr(options, "end_of_options", False) else frozenset({"--"})


def _mattering(options: Options, specs: dict[str, Spec]) -> frozenset[str]:
    """Of programs that put files somewhere (cp, mv) all of them: they say where, and under which names."""
    if getattr(options, "suffixes", ""):
        return frozenset(specs)
    texts = getattr(options, "texts", "").split()  # of a language that may write
    return frozenset([*texts, *(name for name, spec in specs.items() if spec.kind != "option" or spec.check)])


def _listed(source: Options) -> Iterator[tuple[Kind, str]]:
    """What is dangerous wins where an option stands in two lists."""
    yield "runs", getattr(source, "inline", "")
    yield "runs", getattr(source, "module", "")
    for field in _FIELDS:
        yield field, getattr(source, field)
    yield "option", source.options
    yield "option", getattr(source, "quits", "")


def _spelled(item: str, style: Style) -> tuple[str, str]:
    found = _SPEC.match(item)
    name, arity = (found.group(1), found.group(2) or "") if found is not None else (item, "")
    return (_word_name(name) if style == "words" else name), arity


def _word_name(text: str) -> str:
    """`--name` and `-name` are the same to programs that read words; `---name` is something else."""
    return text[1:] if text.startswith("--") and text[2:3] not in {"", "-"} else text


def read(table: Table, words: Sequence[Word]) -> list[Argument]:
    """The options and operands among the arguments of a program."""
    return _Reading(table, words).read() if words else []


class _Reading:
    """One list of arguments while it is read."""

    def __init__(self, table: Table, words: Sequence[Word]) -> None:
        self.table = table
        self.words = words
        self.index = 0
        self.found: list[Argument] = []
        self.has_operand = False

    def read(self) -> list[Argument]:
        words, table, found = self.words, self.table, self.found
        ended = False
        while self.index < len(words):
            word = words[self.index]
            self.index += 1
            if ended:
                found.append(Argument("operand", "--", word))
            elif word.text in table.ends and word.literal:
                ended = True
            elif self._is_option(word):
                self._option(word, known=word.literal)
                ended = bool(table.last) and self._is_last(word.text)
            else:
                doubtful = not word.literal and word.may_be_option
                found.append(Argument("unproven" if doubtful else "operand", "", word))
                self.has_operand = True
                ended = table.stops
        return found

    def _is_last(self, text: str) -> bool:
        """Whether no option follows this one; glued to its value it may be another one: `java -mx64m`."""
        return (text.partition("=")[0] if text.startswith("--") else text) in self.table.last

    def _is_option(self, word: Word) -> bool:
        """It begins with a dash and more, whatever else is unknown about it."""
        if not word.text.startswith(("-", "+")) or word.splits:
            return False
        prefix = word.prefix if word.expansions or word.glob is not None or word.braces else word.text
        if prefix.startswith("+"):
            return prefix in self.table.specs
        return prefix.startswith("-") and word.text != "-"

    def _option(self, word: Word, *, known: bool) -> None:
        text = word.text
        table = self.table
        pattern = table.pattern if self.has_operand or not table.pattern_later else None
        if known and (
            (table.numbers and _NUMBER.match(text))
            or (pattern is not None and not table.knows(text) and pattern.fullmatch(text))
        ):
            self.found.append(Argument("option", text, word))
        elif table.style == "joined":
            self._joined(word)
        elif table.style == "words":
            self._named(word, _word_name(text.partition("=")[0]))
        elif text.startswith("--"):
            self._named(word, text.partition("=")[0])
        else:
            self._cluster(word, known=known)

    # -- styles ------------------------------------------------------------------------------------------

    def _named(self, word: Word, key: str) -> None:
        """`--name`, `--name=value`."""
        name, equals, rest = word.text.partition("=")
        if UNKNOWN in name or (word.glob is not None and word.glob <= len(name)):
            self._unproven(word)
            return
        spec = self.table.specs.get(key)
        if spec is None:
            self._unlisted(word, name)
        elif equals:
            self._attached(spec, name, word, rest)
        else:
            self._separate(spec, name, word)

    def _joined(self, word: Word) -> None:
        """`-Iinclude`, `-o x`, `-std=c11`: the longest name that the word begins with."""
        specs = self.table.specs
        text = word.prefix
        if word.literal and text in specs:
            self._separate(specs[text], text, word)
            return
        name = max((n for n in specs if text.startswith(n)), key=len, default="")
        spec = specs.get(name)
        if spec is None or not (spec.arity or name.endswith((":", ",")) or spec.kind == "runs"):
            self._unlisted(word, word.text)
            return
        rest = word.text[len(name) :].removeprefix("=")
        self._attached(Spec(spec.kind, "=", spec.check), name, word, rest)
        self._maybe_nothing(spec, name, word, word.text[len(name) :])

    def _cluster(self, word: Word, *, known: bool) -> None:
        """The letters of `-xvf`; a letter with a value takes the rest of the word, or the next one."""
        text = word.text
        exact = self.table.specs.get(text)
        if exact is not None and known:
            self._separate(exact, text, word)
            return
        if self.table.single_letters and not text[2:].isdigit():
            self._unlisted(word, text, "is read in two ways", rest=text[1:])
            return
        end = len(text if known else word.prefix)
        for at in range(1, len(text)):
            if at >= end:
                self._unproven(word)
                return
            flag = "-" + text[at]
            spec = self.table.specs.get(flag)
            rest = text[at + 1 :]
            if spec is None:
                self._unlisted(word, flag, rest=rest)
                return
            if spec.arity == "=" and self.table.apart:
                self._separate(spec, flag, word)
                continue
            if spec.arity and (rest or spec.arity != "?"):
                if rest.startswith("=") and _matters(spec, rest[1:]):
                    self._equals(word, flag)
                elif rest:
                    self._attached(spec, flag, word, rest)
                    self._maybe_nothing(spec, flag, word, rest)
                else:
                    self._separate(spec, flag, word)
                return
            self.found.append(Argument(spec.kind, flag, word))

    # -- values ------------------------------------------------------------------------------------------

    def _attached(self, spec: Spec, flag: str, word: Word, rest: str) -> None:
        if not spec.arity and (flag in _HELPS or not (word.literal and _SWITCH.fullmatch(rest))):
            self._unlisted(word, flag, "takes no value")
            return
        if spec.arity == "==":
            self._unlisted(word, flag, "takes two values, as words of their own")
            return
        value = word.with_text(rest) if word.literal else _tail(word, rest)
        if not spec.arity and spec.kind == "option" and rest.casefold() == "false":
            flag += OFF  # whoever asks for it (`--help`, `-check`) does not find it
        self._add(spec, flag, word, (value,))

    def _maybe_nothing(self, spec: Spec, flag: str, word: Word, rest: str) -> None:
        """`env -u"$x" ls id`: where nothing is left of the value, the next word is taken for it."""
        if word.literal or spec.arity != "=" or rest.strip(UNKNOWN):
            return
        pieces = word.expansions[len(word.expansions) - len(rest) :]
        if any(e.shape in _NUMBERS and (not e.empty or flag in _COUNTS) for e in pieces):
            return
        if any(e.kind == "file" for e in pieces):
            return
        reason = f"without a value, `{flag}` takes the next word for it"
        hint = "write the value as a word of its own, in double quotes"
        bare = word.with_text(flag)  # the value has been looked at as such
        self.found.append(Argument("unlisted", flag, bare, (), reason, hint))

    def _separate(self, spec: Spec, flag: str, word: Word) -> None:
        count = _SEPARATE_VALUES.get(spec.arity)
        if count is None:
            self.found.append(Argument(spec.kind, flag, word))
            return
        values = tuple(self.words[self.index : self.index + count])
        self.index += len(values)
        # The option does what it does, whatever else its value turns out to be.
        self._add(spec, flag, word, values)
        for value in values:
            if (
                value.may_be_nothing
                and self.index < len(self.words)
                and not (value.number and flag in _COUNTS)
            ):
                reason = "without output there is no value, and the next word is taken for it"
                hint = "put it into double quotes"
                self.found.append(Argument("unproven", "", value, (), reason, hint))
                return
            if value.splits or (value.glob is not None and value.may_be_option):
                self._unproven(value)
                return
            if value.glob is not None:  # `-cp lib/*:src`: if several files match, the others are operands
                self.found.append(Argument("operand", "", value))
                if self._may_take_next(value):
                    return
            if self.table.plain_values and value.text.startswith(("-", UNKNOWN)) and value.may_be_option:
                self._dashed(value, flag)
                return

    def _may_take_next(self, value: Word) -> bool:
        """`rg -e x/*.y -g --pre=cmd`, where no file matches, and the shell then leaves the pattern out.

        It does so behind `shopt -s nullglob`, also in an earlier command of the session.
        """
        listed = ":" in value.text and self.table.plain_values  # what follows a class path is no option
        if listed or self.index >= len(self.words):
            return False
        reason = "where no file matches, there may be no value, and the next word is taken for it"
        self.found.append(Argument("unproven", "", value, (), reason, "put it into quotes"))
        return True

    def _dashed(self, value: Word, flag: str) -> None:
        name = _word_name(flag)
        if name in self.table.dashed_values or (not value.literal and name in self.table.taken_values):
            return
        if _NUMBER.match(value.text) or (value.literal and value.text == "-"):
            return
        if flag == "--build" and value.literal and _PRESET.match(value.text):
            return  # `cmake --build --preset x`: a directory that the project's own file names
        reason = f"the value of `{flag}` could be taken for an option"
        hint = "write the value attached to its option, after `=`"
        if self.table.style == "joined":
            hint = "write ./ before a file, or write the value out"
        self.found.append(Argument("unproven", "", value, (), reason, hint))

    def _add(self, spec: Spec, flag: str, word: Word, values: tuple[Word, ...]) -> None:
        kind, hint = spec.kind, ""
        if spec.check is not None and values:
            value = values[-1]
            matches = spec.check.fullmatch(value.text) is not None
            known = value.literal or _may_be_filled(value, spec.check) or _is_pattern_of_files(spec, value)
            if not (matches and known) and not _is_any_number(value, spec.check):
                kind = "runs"
                hint = "put it into quotes" if matches and value.glob is not None else ""
        self.found.append(Argument(kind, flag, word, values, hint=hint))

    # -- refusals ----------------------------------------------------------------------------------------

    def _unlisted(
        self, word: Word, flag: str, why: str = "is not known to be harmless", *, rest: str = ""
    ) -> None:
        full = self.table.near(flag) if flag.startswith("--") and flag not in self.table.specs else ""
        hint = f"write the option in full: {full}" if full else ""
        more = self.table.may_matter(flag, rest)
        self.found.append(Argument("unlisted", flag, word, (), f"`{flag}` {why}", hint, may_do_more=more))

    def _equals(self, word: Word, flag: str) -> None:
        """`-f=x`: to some programs the value is `x`, to others `=x`."""
        reason = f"`{flag}=` is read in two ways"
        hint = "write the value as a word of its own"
        more = flag in self.table.matters
        self.found.append(Argument("unlisted", flag, word, (), reason, hint, may_do_more=more))

    def _unproven(self, word: Word) -> None:
        self.found.append(Argument("unproven", "", word))


def _may_be_filled(value: Word, check: re.Pattern[str]) -> bool:
    """Whether a pattern says where something without blanks may be filled in, and that is all that is."""
    fields = all(expansion.shape in _FIELDS_OF_ONE for expansion in value.expansions)
    return fields and UNKNOWN in check.pattern and not value.several and not value.tilde


def _is_any_number(value: Word, check: re.Pattern[str]) -> bool:
    """`-n "$(nproc)"` where any number will do."""
    numbers = (value.text.replace(UNKNOWN, digits) for digits in ("0", "98765"))
    return value.number and all(map(check.fullmatch, numbers))


def _is_pattern_of_files(spec: Spec, value: Word) -> bool:
    """`-cp lib/*:src`: what it matches begins and ends like the pattern."""
    return (
        spec.kind == "reads" and value.glob is not None and not (value.dynamic or value.tilde or value.braces)
    )


def _matters(spec: Spec, value: str) -> bool:
    """Whether it matters that a value could begin behind an equals sign."""
    return spec.kind in _TOUCHES or (spec.check is not None and spec.check.fullmatch(value) is None)


def _tail(word: Word, rest: str) -> Word:
    """The end of a word that is not fully known, with the unknown pieces that belong to it."""
    count = rest.count(UNKNOWN)
    pieces = word.expansions[len(word.expansions) - count :] if count else ()
    cut = len(word.text) - len(rest)
    glob = word.glob - cut if word.glob is not None and word.glob >= cut else None
    return replace(word, text=rest, expansions=pieces, quoted=True, tilde=False, glob=glob)
