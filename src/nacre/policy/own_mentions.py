"""Whether a command names a file of nacre itself, for programs of which it is not known what they do with it.

Above: `check`. Below: `paths`, which knows these files. Where a table says what a program does with each of
its arguments, `boundaries` holds its paths against them. For all others a name is enough: it may be written.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.effects import as_pattern, base_name, is_file_of_loop, known_path
from nacre.policy.findings import WINDOWS
from nacre.policy.paths import paths_in
from nacre.policy.patterns import regex
from nacre.policy.programs import has_meaning
from nacre.policy.tables.shells import RUNNERS
from nacre.policy.tables.windows import POWERSHELL_ALIASES, WINDOWS_COMMANDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.policy.effects import Step
    from nacre.policy.findings import Findings
    from nacre.policy.model import Word
    from nacre.policy.paths import OwnFiles

# What ends a path inside of a text that is no path: code, a list of options.
_NO_PATH = regex(r"[\s\"'`=,:;()<>|&{}\[\]@]+")

# A directory with a pattern, or one of several in braces, among its parts.
_BEFORE_A_PATTERN = regex(r"(?P<directory>(?:[^/*?\[{(]*/)*)[^/*?\[{(]*[*?\[{(]")

_SHORT_NAME = regex(r"([^\\/\s:=,;~]{1,8})~[0-9]")  # it has six letters at most before the sign

# In PowerShell: cmdlets, whose paths `windows_names` knows.
_CMDLET = regex(r"(?i)[a-z]+-[a-z]+\Z")
_SUFFIX = regex(r"(?i)\.(?:exe|com)\Z")


def is_known_to_read(step: Step, shell: str) -> bool:
    """Whether a table says of each argument what is done with it, and nothing else is done."""
    if shell in WINDOWS and _is_known_on_windows(step, shell):
        return True
    return _has_table(step) and all(effect.kind == "write" or effect.plain for effect in step.effects)


def named_own_file(findings: Findings, own: OwnFiles, step: Step) -> Word | None:
    """The first argument that names such a file, or is a pattern or a link that leads to it."""
    # What else a pattern can match is why `zip a.zip *` is unresolved: that alone is no reason here.
    loose = _has_table(step) and all(effect.kind in {"write", "unresolved"} for effect in step.effects)
    words = [word for word in step.words[1:] if not (loose and word.several)]
    return next((word for word in words if _names(findings, own, word)), None)


def mentions_own_file(findings: Findings, own: OwnFiles, text: str) -> bool:
    """Whether a path to such a file stands anywhere in a text."""
    return any(_is_one(findings, own, path) for path in _paths_to(own, text))


def _has_table(step: Step) -> bool:
    name = base_name(step.words[0].text)
    if _runs_scripts(name) and not any(effect.plain for effect in step.effects):
        return False  # what a script does with its arguments is not known
    return _is_tabled(name)


@lru_cache(maxsize=256)
def _runs_scripts(name: str) -> bool:
    return tables.home_of(name) == "interpreters"


@lru_cache(maxsize=256)
def _is_tabled(name: str) -> bool:
    return has_meaning(name) and name not in RUNNERS


def _is_known_on_windows(step: Step, shell: str) -> bool:
    name = step.words[0].text.casefold()
    if _SUFFIX.sub("", name) in WINDOWS_COMMANDS:
        return True
    return shell != "cmd" and (name in POWERSHELL_ALIASES or _CMDLET.match(name) is not None)


def _names(findings: Findings, own: OwnFiles, word: Word) -> bool:
    text = known_path(word) or as_pattern(word)
    if findings.windows and _has_short_name(own, text):
        return True
    if word.glob is not None or word.braces or is_file_of_loop(word):
        return own.may_be(text) and any(_may_match(own, text, start) for start in findings.directories)
    return any(_is_one(findings, own, path) for path in (*paths_in(text), *_paths_to(own, text)))


def _may_match(own: OwnFiles, pattern: str, start: str) -> bool:
    """Whether a pattern whose last part fits looks where such a file is."""
    where = pattern.rpartition("/")[0]
    known = _BEFORE_A_PATTERN.match(where)
    if known is None:
        return bool(own.kept_in(where or ("/" if pattern.startswith("/") else "."), start))
    return ".." in where.split("/") or own.is_within(known["directory"] or ".", start)


def _has_short_name(own: OwnFiles, text: str) -> bool:
    """`NACRE~1.TOM`: the name that Windows gives to a file beside its own."""
    short = _SHORT_NAME.findall(text.casefold())
    names = [file.replace("\\", "/").rpartition("/")[2].casefold().lstrip(".") for file in own.own]
    return any(name.startswith(stem) for stem in short for name in names)


def _paths_to(own: OwnFiles, text: str) -> Iterator[str]:
    """The parts of a text that end in the name of such a file."""
    names = [file.replace("\\", "/").rpartition("/")[2].lower() for file in own.own]
    if any(name in text.lower() for name in names):
        for piece in dict.fromkeys(_NO_PATH.split(text)):
            ends = {piece.lower().rfind(name) + len(name) for name in names if name in piece.lower()}
            yield from (piece[:end] for end in ends)


def _is_one(findings: Findings, own: OwnFiles, path: str) -> bool:
    """A path of which a part is not known leads anywhere; so does one from a directory that is not known."""
    if "*" in path or not (findings.directory_is_known or path.startswith(("/", "~"))):
        return len(path.strip("*")) > 1 and own.may_be(path)
    return any(own.is_one(path, start) for start in findings.directories)
