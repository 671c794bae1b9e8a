"""One rule, and whether it speaks about one command.

Above: `rules` reads rules and puts them in order, `check` asks them. Below: `model`. A rule knows names and
arguments only; wrappers, flags that run programs, and paths are other modules' business.
"""

from __future__ import annotations

import fnmatch
import itertools
import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from nacre.policy.model import SYSTEM_DIRECTORIES, UNKNOWN, Decision, Word
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_EXECUTABLE_SUFFIX = regex(r"\.(?:exe|cmd|bat|com)\Z", re.IGNORECASE)
_INVISIBLE = regex("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
WILDCARD = regex(r"[*?\[]")
_SHORT_FLAGS = regex(r"-[A-Za-z0-9]+\Z")
_LETTERS = regex(r"-([A-Za-z0-9]+)")
_SHORT = 2  # a dash and a letter
# Long spellings of the short flags that deny rules most often name.
_LONG_NAMES = {
    "--recursive": "r",
    "--force": "f",
    "--dir": "d",
    "--interactive": "i",
    "--verbose": "v",
}


@lru_cache(maxsize=4096)
def _glob(pattern: str) -> re.Pattern[str] | None:
    """A pattern of a rule, compiled; None: there is no wildcard in it."""
    return re.compile(fnmatch.translate(pattern)) if WILDCARD.search(pattern) else None


def glob_matches(pattern: str, text: str) -> bool:
    """Does a shell-style pattern match all of a text? `..` never hides behind a wildcard."""
    compiled = _glob(pattern)
    if compiled is None:
        return pattern == text
    if ".." in text and "/" in pattern and ".." not in pattern and ".." in text.replace("\\", "/").split("/"):
        return False
    return compiled.match(text) is not None


def folded(name: str) -> str:
    """A name as deny rules see it: look-alike letters, case, directory and suffix removed."""
    name = name.replace("\\", "/").rstrip("/").rpartition("/")[2] or name
    if not name.isascii():
        name = _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)).strip()
    if "." in name:
        name = _EXECUTABLE_SUFFIX.sub("", name)
    return name.casefold()


@lru_cache(maxsize=4096)
def _forbidden(pattern: str) -> tuple[str, str]:
    """The name in a deny rule without its case, and as `folded` sees it."""
    return pattern.casefold(), folded(pattern.casefold())


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a policy: a name pattern, patterns for the leading arguments, and conditions."""

    decision: Decision
    tokens: tuple[str, ...]
    text: str
    not_args: tuple[str, ...] = ()
    cwd: tuple[str, ...] = ()
    reason: str = ""
    # A list of first arguments (and no other), as in a per-command argument list; None: `tokens` decides.
    first_arguments: frozenset[str] | None = None
    folds_case: bool = False
    # Options that this rule permits wherever they stand.
    options: frozenset[str] = frozenset()
    # Secrets that a command gets which this rule lets run.
    secrets: frozenset[str] = frozenset()
    # What the program may start, as texts of rules; None: not given, see `children`.
    children: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The pattern for the command's name."""
        return self.tokens[0]

    def spells(self, flag: str) -> bool:
        """Tell whether this very option is written out in the rule, so that the person meant it."""
        if flag in self.options or (self.first_arguments is not None and flag in self.first_arguments):
            return True
        return any(_spells(token, flag) for token in self.tokens[1:])

    def admits_name(self, word: str, *, fold: bool = False) -> bool:
        """Tell whether an allow or ask rule speaks about a command spelled like this."""
        pattern = self.name
        if pattern == "*":
            return True
        if fold or self.folds_case:
            word, pattern = _EXECUTABLE_SUFFIX.sub("", word).casefold(), pattern.casefold()
            pattern = _EXECUTABLE_SUFFIX.sub("", pattern)
        if "/" in word and "/" not in pattern:
            directory, _, base = word.rpartition("/")
            return directory in SYSTEM_DIRECTORIES and glob_matches(pattern, base)
        return glob_matches(pattern, word)

    def forbids_name(self, word: str) -> bool:
        """Tell whether a deny rule speaks about a command spelled like this, in any disguise."""
        pattern, plain = _forbidden(self.tokens[0])
        name, spelled = folded(word), word.casefold()
        return (
            glob_matches(pattern, name)
            or (plain != pattern and glob_matches(plain, name))
            or (spelled != name and glob_matches(pattern, spelled))
        )

    def admits_arguments(self, arguments: Sequence[Word]) -> bool:
        """Tell whether the leading arguments match, one by one, and none of `not_args`."""
        if self.first_arguments is not None:
            return not arguments or not self.first_arguments or _is_one_of(arguments[0], self.first_arguments)
        if len(self.tokens) == 1 and not self.not_args:
            return True
        patterns = self.tokens[1:]
        rest = bool(patterns) and patterns[-1] == "*"
        if rest:
            patterns = patterns[:-1]
        if len(arguments) < len(patterns):
            return False
        for pattern, word in zip(patterns, arguments, strict=False):
            if not _admits(pattern, word):
                return False
        if not self.not_args:
            return True
        # What the rule itself writes out is not excluded by it.
        pairs = zip(patterns, arguments, strict=False)
        spelled = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1].text, pairs)))
        return not any(self._excluded(word) for word in arguments[spelled:])

    def _excluded(self, word: Word) -> bool:
        if word.splits or word.braces:
            return True
        return any(
            _flag_matches(pattern, word.text) or (not word.literal and _may_become(word, pattern))
            for pattern in self.not_args
        )

    def forbids_arguments(self, arguments: Sequence[Word]) -> bool | None:
        """Do the arguments hit a deny rule in any order of its flags? None: it depends on unknown text."""
        if self.not_args and any(_flag_matches(p, w.text) for p in self.not_args for w in arguments):
            return False
        patterns = self.tokens[1:]
        if patterns and patterns[-1] == "*":
            patterns = patterns[:-1]
        if not patterns:
            return True
        flags = [p for p in patterns if p.startswith("-")]
        operands = [p for p in patterns if not p.startswith("-")]
        if _prefix_hits(patterns, arguments) or (
            _flags_hit(flags, arguments) and _operands_hit(operands, arguments)
        ):
            return True
        unknown = any(_may_be_flags(word) or (operands and _begins_unknown(word)) for word in arguments)
        return None if unknown else False

    def holds_in(self, directories: Sequence[str] | None, real: Callable[[str], str]) -> bool:
        """Tell whether the rule is for all directories that a command may run in, or a deny rule for any.

        `real` takes links out of a path. A deny rule also holds where the directories are not known.
        """
        if not self.cwd:
            return True
        if directories is None:
            return self.decision != "allow"
        patterns = [
            pattern.rstrip("/") if WILDCARD.search(pattern) else real(pattern) for pattern in self.cwd
        ]
        held = (any(_is_in(real(directory), pattern) for pattern in patterns) for directory in directories)
        return all(held) if self.decision == "allow" else any(held)


def _is_in(directory: str, pattern: str) -> bool:
    """A directory that a pattern names, or one below it."""
    return glob_matches(pattern, directory) or directory.startswith(pattern.rstrip("/*") + "/")


def _may_be_flags(word: Word) -> bool:
    """`$x` may be any flags, `-r[f]` the name of a file that is like them."""
    return word.splits or (word.pattern and word.text.startswith("-"))


def _begins_unknown(word: Word) -> bool:
    return word.dynamic and word.text.startswith(UNKNOWN)


def _spells(token: str, flag: str) -> bool:
    """`--output=*` spells --output, `-xzf` spells -x."""
    if token == flag:
        return True
    if flag.startswith("--"):
        return token.startswith(flag + "=")
    return len(flag) == _SHORT and bool(_SHORT_FLAGS.match(token)) and flag[1] in token[1:]


def _is_one_of(word: Word, allowed: frozenset[str]) -> bool:
    return word.literal and word.text in allowed


def _admits(pattern: str, word: Word) -> bool:
    if pattern == "*":
        return not word.splits
    if word.literal:
        return glob_matches(pattern, word.text)
    # A glob or unknown piece may be anything: only its literal beginning can satisfy a pattern's beginning.
    if word.splits or word.braces or not pattern.endswith("*") or WILDCARD.search(pattern[:-1]):
        return False
    return word.text.split(UNKNOWN)[0].startswith(pattern[:-1]) and ".." not in word.text


def _may_become(word: Word, pattern: str) -> bool:
    """Whether a word that is only known when it runs could be one that a pattern is for."""
    if word.number or (word.tilde and word.text.startswith("~")):
        return False
    known = word.prefix
    start = WILDCARD.split(pattern)[0]
    if known.startswith(start) or start.startswith(known):
        return True
    return pattern.startswith("-") and known.startswith("-")  # `-x"$y"` can be `-xf`, `--fo"$x"` is `--force`


def _flag_matches(pattern: str, text: str) -> bool:
    """`-f` also hits the cluster `-uf` and `-f/x`; `--force` also `--force=x` and the shortened `--forc`.

    And to some programs `--name=x` is the same as `-name`.
    """
    if glob_matches(pattern, text):
        return True
    if pattern.startswith("--") and _is_shortened(text, pattern):
        return True
    if pattern[:1] != "-" or text[:1] != "-":
        return False
    if len(pattern) > _SHORT:
        return pattern.lstrip("-") == text.partition("=")[0].lstrip("-")
    return pattern[1:] in _letters(text)


def _letters(text: str) -> str:
    """The options that a word may begin with, whatever is glued to them: `-so/tmp/x`, `-c'print(1)'`."""
    found = _LETTERS.match(text)
    return found.group(1) if found is not None else ""


def _is_shortened(text: str, name: str) -> bool:
    """Whether a program could take a text for a long option: most take any beginning of its name."""
    given = text.partition("=")[0]
    return len(given) > len("--") and given.startswith("--") and name.startswith(given)


def _prefix_hits(patterns: Sequence[str], arguments: Sequence[Word]) -> bool:
    if len(arguments) < len(patterns):
        return False
    return all(glob_matches(p, word.text) for p, word in zip(patterns, arguments, strict=False))


def _flags_hit(flags: Sequence[str], arguments: Sequence[Word]) -> bool:
    given = [word.text for word in arguments]
    letters = {letter.lower() for text in given for letter in _letters(text)}
    letters |= {
        letter for name, letter in _LONG_NAMES.items() if any(_is_shortened(text, name) for text in given)
    }
    for flag in flags:
        short = bool(_SHORT_FLAGS.match(flag))
        if short and {letter.lower() for letter in flag[1:]} <= letters:
            continue
        if _LONG_NAMES.get(flag) in letters:  # `--force` also hits `-f`
            continue
        if not any(_flag_matches(flag, text) for text in given):
            return False
    return True


def _operands_hit(operands: Sequence[str], arguments: Sequence[Word]) -> bool:
    given = [word.text for word in arguments if not word.text.startswith("-")]
    return len(given) >= len(operands) and all(
        glob_matches(p, text) for p, text in zip(operands, given, strict=False)
    )
