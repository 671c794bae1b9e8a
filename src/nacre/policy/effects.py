"""What a command amounts to: steps, effects, paths and scripts, and small questions that all ask of words.

Above: `inspector`, `interpreters` and `programs` find these; `check` uses them. Below: `model` and `tables`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from nacre.policy.model import SYSTEM_DIRECTORIES, UNKNOWN, Expansion, Word, record
from nacre.policy.patterns import regex
from nacre.policy.tables import has_entry, home_of

if TYPE_CHECKING:
    from collections.abc import Sequence

# run         runs another program, loads code, takes instructions from elsewhere
# write       writes a file
# unlisted    an option or sub-command that no table knows to be harmless
# unresolved  its meaning is only known when the command runs
# inline      code in an argument or on the input
EffectKind = Literal["run", "write", "unlisted", "unresolved", "inline"]
Role = Literal["command", "wrapper", "outer"]
# How a path is used. maybe and alter: it may be no path at all; leave: an option that follows links out;
# fill: a directory gets files whose names are not in the command; touch: a change that brings no content;
# equip: a directory becomes an environment of Python, and gets nothing else;
# repository: git looks for one there; beside: a file in the directory of another, of whose name only the end
# is known; found: files below a directory that find has found are changed; tree: all that is below it is
# read, links too; link: a symbolic link, of which `names` is what it says; pattern: the shell looks for files
# itself.
Access = Literal[
    "read",
    "write",
    "change",
    "enter",
    "maybe",
    "alter",
    "leave",
    "fill",
    "touch",
    "equip",
    "repository",
    "tracked",
    "beside",
    "found",
    "tree",
    "link",
    "pattern",
]

FREE_TARGETS = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "-"})
# The same on Windows; elsewhere these are names of files.
_FREE_ON_WINDOWS = FREE_TARGETS | {"nul", "NUL", "$null"}
_WINDOWS_SHELLS = frozenset({"cmd", "powershell", "pwsh"})
# For other programs (sort -o -, tee -, dd of=-) a dash is the name of a file.
DASH_IS_OUTPUT = frozenset(
    {"curl", "wget", "uniq", "xxd", "iconv", "openssl", "gcc", "g++", "cc", "c++", "clang", "tar", "zip"}
)
ASSIGNMENT = regex(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[[^\]]*\])?\+?=")
# A rule that ends in this takes any argument, also one that is not proven.
ANY = "*"
# `python3.11`, `pytest-3`, `clang-format-15`, `helm3`, `perl5.36-x86_64-linux-gnu`, `python3.13t`.
_VERSIONED = regex(r"([A-Za-z][\w.+-]*?)-?[0-9][0-9.]*(?:t|dm?|-dbg|-[a-z]\w*-linux-\w+)?\Z")
# Kinds of programs that are installed under such names. A number behind another name makes it another
# program: `id3`.
_IN_VERSIONS = frozenset(
    {
        *("build", "clouds", "compilers", "containers", "data", "dotnet", "ecosystems", "forges", "git"),
        *("interpreters", "javascript", "python", "python_packages", "toolchains"),
    }
)
_MORE_IN_VERSIONS = frozenset({"bash", "zsh", "gawk", "go", "R", "uv"})
# `x86_64-linux-gnu-gcc`, `arm-none-eabi-objdump`: a compiler for another machine.
_FOR_A_MACHINE = regex(r"(?:[A-Za-z]\w*-)(?:[\w.]+-){1,3}(?=[a-z])")
# What distributions call them.
_OTHER_NAMES = {
    **dict.fromkeys(("vimx", "vim-nox", "gview", "gvimdiff", "rgvim", "rgview", "evim", "eview"), "vim"),
    **dict.fromkeys(("emacs-nox", "emacs-gtk", "emacs-lucid", "emacs-x11", "emacs-pgtk"), "emacs"),
    **dict.fromkeys(("original-awk", "bwk-awk"), "awk"),
    **dict.fromkeys(("gnuplot-qt", "gnuplot-x11", "gnuplot-nox"), "gnuplot"),
    **dict.fromkeys(("vim.athena", "vim.motif", "vim.gtk", "vim.gtk2", "nvi"), "vim"),
    **dict.fromkeys(("mvnd", "mvnDebug"), "mvn"),
    "gnumake": "make",
    "gnutar": "tar",
    "bsdcpio": "cpio",
    "llvm-nm": "nm",
    "pythonw": "python",
    "sudo-rs": "sudo",
    "python3-dbg": "python3",
    "python-dbg": "python",
    "python3-coverage": "coverage",
    "ninja-build": "ninja",
    "octave-cli": "octave",
    "zsh5": "zsh5",  # a shell whose texts are not read
}

# `${x:-*.py}`: what stands there instead of a value is a pattern to the shell, too, if nothing quotes it.
_INSTEAD = regex(r"\$\{[\w@*!#?-]+(?:\[[^]]*\])?:?[-=+][^}]*[*?\[]")
_OTHER_TILDE = regex("~[^/]")
_LONGEST_NAME = 80
_SHORTEST_IN_VERSIONS = 3


@record
class Effect:
    """Something a command does beyond what its name says; a rule that spells `flag` permits it."""

    kind: EffectKind
    reason: str
    flag: str
    start: int
    end: int
    target: Word | None = None
    plain: bool = False
    # How to write it so that it is allowed.
    hint: str = ""
    # Where its instructions come from: there is no such effect inside of the working directory or the fence.
    place: Word | None = None
    # As it is written, that is below the working directory: there is only an effect where a link leads out.
    near: bool = False
    # Lists of files: where all of one are in the working directory, what runs is the project's own.
    files: tuple[tuple[str, ...], ...] = ()
    # Assignments before the command with one of which there is no such effect.
    unless: frozenset[str] = frozenset()
    # The command that is run, if it is known: rules of its own may allow it.
    inner: tuple[Word, ...] = ()
    # A rule for anything behind this word admits it: `run`, if there is the rule `uv run *`.
    behind: str = ""


@record
class PathUse:
    """An argument that is a path, or may be one."""

    word: Word
    access: Access
    # Of what is found there: patterns for its names, and whether git's own directory is left out.
    names: tuple[str, ...] = ()
    without_git: bool = False
    # But not the name `.git` itself, which may be a file that says where the repository is.
    with_mark: bool = False
    # Other names with a dot before them are no matter: they are not found, or only removed.
    plain: bool = False
    # It is the name of another file without its last part (gunzip a.gz makes a).
    restored: bool = False
    # An archive is unpacked there, and links can be in it.
    brings_links: bool = False
    # A directory that is there keeps what is in it: `cp a/b .`
    stays: bool = False
    # Only where another word turns out to be an option: `cp *.txt .` with a file `-rTS.txt`.
    turned: bool = False


@record
class Step:
    """One command as it will be started; `role` says whether it needs a rule of its own."""

    words: tuple[Word, ...]
    role: Role
    effects: tuple[Effect, ...]
    # Words as rules see them: harmless options before a sub-command left out.
    rule_words: tuple[Word, ...] = ()
    rememberable: bool = True
    # A harmless use of a builtin: it needs no rule.
    free: bool = False
    paths: tuple[PathUse, ...] = ()


@record
class Script:
    """A text that a shell will read, and where it stands."""

    text: str
    shell: str
    start: int
    end: int
    exact: bool
    # It runs at another time, perhaps in another directory; among the commands of later texts?
    later: bool = False
    among_others: bool = False


# What a shell may be that a person has chosen: each reads a text in its own way. To fish and csh a backslash
# before a quote means something else than to these.
_CHOSEN_SHELLS = ("sh", "zsh", "ksh")
_READ_IN_TWO_WAYS = regex(r"\\['\"`]")


def texts_for_chosen_shell(text: str, start: int, end: int) -> tuple[list[Script], Effect | None]:
    """A text for the shell of a user, here or on another machine, and what speaks against it."""
    scripts = [Script(text, shell, start, end, exact=False) for shell in _CHOSEN_SHELLS]
    if not _READ_IN_TWO_WAYS.search(text):
        return scripts, None
    reason = "a shell of the user's choice reads this text, and not all read a backslash before a quote alike"
    return scripts, Effect("unresolved", reason, "", start, end)


@record
class Assigned:
    """A variable that a builtin assigns (`read x`, `export x=1`), or that `env` is given (`env x=1 ls`)."""

    name: str
    word: Word
    exported: bool = False
    before_command: bool = False
    unset: bool = False


class Inspection:
    """All that one simple command amounts to."""

    __slots__ = ("assigned", "scripts", "steps")

    def __init__(self, steps: list[Step] | None = None) -> None:
        self.steps: list[Step] = steps if steps is not None else []
        self.scripts: list[Script] = []
        self.assigned: list[Assigned] = []


class Effects:
    """The effects and paths of one program's arguments, while they are read."""

    __slots__ = ("effects", "paths")

    def __init__(self, effects: list[Effect] | None = None) -> None:
        self.effects: list[Effect] = effects if effects is not None else []
        self.paths: list[PathUse] = []

    def add(self, *effects: Effect) -> None:
        """Write effects down."""
        self.effects += effects

    def uses(self, word: Word | None, access: Access) -> None:
        """Write a path down."""
        if word is not None:
            self.paths.append(PathUse(word, access))


def is_system_name(text: str) -> bool:
    """A bare name, or a path in one of the system's directories: not some other program of that name."""
    return "/" not in text or text.rpartition("/")[0] in SYSTEM_DIRECTORIES


def base_name(text: str) -> str:
    """The name by which the tables know a program."""
    name = text.rpartition("/")[2]
    return name if has_entry(name) else _usual_name(name)


@lru_cache(maxsize=256)
def _usual_name(name: str) -> str:
    """What a program is called elsewhere, without its version or the machine that it is for."""
    if len(name) > _LONGEST_NAME:
        return name
    versioned = _VERSIONED.match(name) if name not in _OTHER_NAMES else None
    plain = versioned.group(1) if versioned is not None else name
    if plain in _OTHER_NAMES:
        return _OTHER_NAMES[plain]
    compiler = _FOR_A_MACHINE.sub("", plain, count=1)
    if compiler != plain and home_of(compiler) == "compilers":
        return compiler
    in_versions = len(plain) >= _SHORTEST_IN_VERSIONS and home_of(plain) in _IN_VERSIONS
    return plain if in_versions or plain in _MORE_IN_VERSIONS else name


_EACH = "write where it belongs, with ./ before it: xargs -I{} command ./{}"
_INPUT_BEHIND_DASHES = (
    "write `--` at the end, behind the command's own options; where files are changed, "
    "`grep -rlZ x src | xargs -0 command`, or `find src -print0 | xargs -0 command`"
)
# For programs that take instructions from beside a file, which must be one of the project.
_FOUND_HERE = "write the names out; for a list of files, `find src -print0 | xargs -0 command`"
_LIST_BEHIND_DASHES = (
    "put it into double quotes, after `--`; for a list of files, write `... | xargs command --`"
)
_LIST_ONE_BY_ONE = "write it out; for a list of files, write `... | xargs -I{} command ./{}`"
# No address, no list, no text, no variable; behind two colons stands the name of a test.
_PLAIN_PATH = regex(r"(?!-)(?:[A-Za-z]:[\\/])?[^:@,{}$]*(?:::.*)?\Z", re.DOTALL)
_GIT_LIST = "put it into double quotes, a commit after `--end-of-options`, a path after `--`"
_GIT_INPUT = (
    "write at the end what the words are: `--end-of-options` for commits, `--` for paths and branches"
)
_GIT_NAME = (
    "write refs/heads/ or refs/tags/ before a name, `--end-of-options` before a commit, `--` before a path"
)
_BEFORE_PATTERN = regex(r"[^*?\[]*")
_GIVE_IT_BEHIND = 'write the text in single quotes, and values behind it: sh -c \'cat -- "$1"\' _ "$x"'
_ACTIVATION = regex(r"((?:.*/)?bin)/activate(?:\.fish)?\Z")


def unresolved(word: Word, reason: str, flag: str = "", *, hint: str = "") -> Effect:
    """Something whose meaning is only known when the command runs."""
    return Effect("unresolved", reason, flag, word.start, word.end, hint=hint)


def unknown_text(word: Word) -> Effect:
    """A text for a shell in which values are put together with code."""
    return unresolved(word, "the text for a shell is only known when it runs", hint=_GIVE_IT_BEHIND)


_EACH_ADDRESS = "write the beginning of the address out: xargs -I{} curl -s https://x.example/{}"
_ADDRESS_BEGINS = 'write the beginning of the address out: "https://$x"'
_DATABASE = (
    'write the beginning of the address out: "postgresql://$x"; or give it after -d, '
    'which a rule would have to spell: `{command = "psql", options = ["-d"]}`'
)


def unproven(word: Word, program: str, *, helps: bool, below: bool = False) -> Effect:
    """A word that could turn out to be an option.

    `helps`: behind `--` it could not; `below`: it must be a path below the working directory.
    """
    if word.splits and below and program != "git":
        return unresolved(word, "an unquoted value can become any option", hint=_FOUND_HERE)
    if word.splits:
        hint = _instead_of_list(word, program, helps=helps)
        return unresolved(word, "an unquoted value can become any option", hint=hint)
    if word.glob is not None and not word.dynamic:
        return unresolved(word, "a file's name could be an option", hint="write ./ before the pattern")
    hint = "put `--` before it" if helps else "write ./ before a file, or write the value out"
    if program == "git" and word.dynamic:
        hint = _GIT_NAME
    elif program in {"curl", "wget"} and word.dynamic:
        hint = _ADDRESS_BEGINS
    elif program == "psql" and word.dynamic:
        hint = _DATABASE
    return unresolved(word, f"this value can turn out to be an option; {hint}", hint=hint)


def _instead_of_list(word: Word, program: str, *, helps: bool) -> str:
    """What to do where several words, or those that xargs reads, could be options."""
    if not any(expansion.name == "{}" for expansion in word.expansions):
        if word.prefix:  # it is one word, or should be
            return "put it into double quotes"
        return _GIT_LIST if program == "git" else _LIST_BEHIND_DASHES if helps else _LIST_ONE_BY_ONE
    if program in {"curl", "wget"}:
        return _EACH_ADDRESS
    if not helps:
        return _EACH
    return _GIT_INPUT if program == "git" else _INPUT_BEHIND_DASHES


def instead_of_activating(words: Sequence[Word]) -> str:
    """What to do instead of `source .venv/bin/activate`, which is a text for the shell."""
    found = _ACTIVATION.match(words[1].text) if len(words) > 1 and words[1].literal else None
    if words[0].text not in {"source", "."} or found is None:
        return ""
    python = f"{found.group(1)}/python"
    return f"call its programs by path instead: `{python} -m pytest`, with the rule `{python}`"


def runs(word: Word, reason: str, flag: str = "", *, hint: str = "") -> Effect:
    """Something that runs another program, loads code, or takes instructions from elsewhere."""
    return Effect("run", reason, flag, word.start, word.end, hint=hint)


def from_elsewhere(word: Word, reason: str, flag: str, place: Word | None, *, hint: str = "") -> Effect:
    """Instructions that are taken from some place, which may be the project's own after all.

    What is no plain path is never the project's own: an address, a list, a text, the input.
    """
    if place is not None and not _PLAIN_PATH.match(place.text):
        place = None
    return Effect("run", reason, flag, word.start, word.end, place=place, hint=hint)


def from_place(word: Word, reason: str, flag: str, place: Word) -> Effect:
    """The same, where a path below the working directory is the project's own, unless a link leads out."""
    effect = from_elsewhere(word, reason, flag, place)
    return replace(effect, place=place, near=True) if is_near(place) else effect


def unlisted(word: Word, reason: str, flag: str, *, hint: str = "") -> Effect:
    """An option or sub-command that is not known to be harmless."""
    return Effect("unlisted", reason, flag, word.start, word.end, hint=hint)


def writes(word: Word, reason: str, flag: str = "", target: Word | None = None) -> Effect:
    """Something that writes a file."""
    return Effect("write", reason, flag, word.start, word.end, target)


def effect_at(word: Word, kind: EffectKind, reason: str, flag: str, target: Word | None = None) -> Effect:
    """An effect at the place of a word."""
    return Effect(kind, reason, flag, word.start, word.end, target)


def shown(text: str) -> str:
    """A text for a message: unknown pieces as `...`, and not too long."""
    text = text.replace(UNKNOWN, "...")
    return text if len(text) <= 60 else text[:57] + "..."  # noqa: PLR2004 - a line's worth


def position(words: Sequence[Word], word: Word) -> int:
    """The index of this very word."""
    for index, item in enumerate(words):
        if item is word:
            return index
    raise ValueError(word.text)


def is_near(word: Word) -> bool:
    """A plain relative path that stays below the working directory, and no address of another machine."""
    text = word.text
    if not word.literal or text.startswith(("/", "~", "-", "\\")) or "://" in text or "@" in text:
        return False
    if "," in text or "{" in text or "$" in text:
        # To some programs that is a list, a configuration itself (jest --config '{...}'), or a variable.
        return False
    # To Windows a backslash stands between directories, and a colon behind a drive.
    return text != "" and text[1:3] != ":\\" and ".." not in text.replace("\\", "/").split("/")


def is_fresh(word: Word) -> bool:
    """`"$(mktemp -d)/x"`: below a name that was not there before; nothing else in it is unknown."""
    fresh = len(word.expansions) == 1 and word.expansions[0].shape == "fresh" and not word.several
    return fresh and word.text.startswith(UNKNOWN)


def is_process(word: Word) -> bool:
    """`<(cmd)` and `>(cmd)`: a pipe to a command, no file."""
    return len(word.expansions) == 1 and word.expansions[0].kind == "process" and word.text == UNKNOWN


def is_free(word: Word | None, program: str = "", *, shell: str = "") -> bool:
    """Writing there touches no file: /dev/null and the like, pipes to commands, for some programs a dash."""
    if word is not None and word.literal and word.text == "-":
        return program in DASH_IS_OUTPUT
    return word is not None and (is_free_target(word, shell, written=True) or is_process(word))


def is_free_target(word: Word, shell: str, *, written: bool = False) -> bool:
    """A device that is no file, or a dash, as the shell's system calls them.

    What is written to the input goes into the file that the input is: `tee /dev/stdin < file`.
    """
    if not word.literal or (written and word.text == "/dev/stdin"):
        return False
    return word.text in (_FREE_ON_WINDOWS if shell in _WINDOWS_SHELLS else FREE_TARGETS)


def known_path(word: Word) -> str | None:
    """A path as far as it is known, with the pattern of a loop for its file; None if it is not known."""
    if UNKNOWN not in word.text:
        return word.text
    if len(word.expansions) != 1 or word.expansions[0].kind != "file" or not word.expansions[0].pattern:
        return None
    pattern = word.expansions[0].pattern
    before, _, after = word.text.partition(UNKNOWN)
    if pattern.startswith(before):
        return pattern + after
    # The beginning of the file's name is known: `"./$f"` in a loop over `ab*` is `./ab` and the rest.
    name = _BEFORE_PATTERN.match(pattern)
    if "/" in pattern or name is None or not before.endswith(name.group()):
        return None
    return before.removesuffix(name.group()) + pattern + after


def looks_for_files(word: Word, text: str) -> bool:
    """Whether the shell takes a word of a text for a pattern."""
    instead = word.splits and _INSTEAD.search(text[word.start : word.end]) is not None
    return word.glob is not None or instead


def as_pattern(word: Word) -> str:
    """A path with a star for what is not known of it."""
    return word.text.replace(UNKNOWN, "*")


def is_file_of_loop(word: Word) -> bool:
    """The name of a file that a pattern of the text has found; the pattern was looked at."""
    return known_path(word) is not None and word.dynamic


def is_elsewhere_by_tilde(word: Word) -> bool:
    """`~-/x`, `~+/x`, `~1/x`, `~user/x`: below a directory from before, or a home, that is not known."""
    return word.tilde and _OTHER_TILDE.match(word.text) is not None


def behind_tilde(word: Word) -> tuple[Word, Word]:
    """The two ways to read such a path: below a directory that is not known, and below one's own home."""
    _, slash, rest = word.text.partition("/")
    piece = Expansion("variable", "", quoted=True)
    below = replace(word, text=UNKNOWN + slash + rest, tilde=False, expansions=(piece, *word.expansions))
    return below, replace(word, text=f"~{slash}{rest}")


def any_end(word: Word) -> Word:
    """All files whose names begin like this one; a number or a date in it is any of its kind."""
    if word.spelled:
        word = word.with_text(word.text.replace(UNKNOWN, "0"))
    return replace(word, text=f"{word.text}*", glob=len(word.text) if word.glob is None else word.glob)


def without_ending(word: Word) -> Word:
    """The name of a file without its last part, as far as it is known: of `./*.gz` that is `./*`."""
    if word.file_pattern is not None:
        piece = word.expansions[0]
        return replace(word, expansions=(replace(piece, pattern=stem_of(piece.pattern)),))
    stem = stem_of(word.text)
    ending = word.text[len(stem) :]
    if not word.dynamic and not word.braces:
        shorter = stem if word.glob is None or word.glob < len(stem) else f"{word.text[: word.glob]}*"
        return replace(word, text=shorter)
    if stem and UNKNOWN not in ending and "}" not in ending:
        return replace(word, text=stem)
    return unknown_at(word)


def stem_of(text: str) -> str:
    """What stands before the last dot of a name; all of it if there is none."""
    stem, _, ending = text.rpartition(".")
    return text if "/" in ending or not stem else stem


def any_beginning(word: Word) -> Word:
    """All files whose names end like this; `*` and slashes in it put them elsewhere."""
    end = word.text if word.literal and not {"*", "/"} & set(word.text) else ""
    return replace(unknown_at(word), text=UNKNOWN + end)


def unknown_at(word: Word) -> Word:
    """A word at the same place of which nothing is known."""
    piece = Expansion("variable", "", quoted=True)
    return Word(UNKNOWN, word.start, word.end, quoted=True, expansions=(piece,))


def gets_others(use: PathUse, uses: Sequence[PathUse]) -> bool:
    """Of what is changed, only the first (`mv -t c`) or the last can be where the others come."""
    if use.access != "change":
        return False
    first = next((other for other in uses if other.access == "change"), None)
    last = next((other for other in reversed(uses) if other.access == "change"), None)
    return use is first or use is last
