"""What a program that a rule allows may start in its turn.

Above: `sandbox.exec_rules` asks, where the kernel tells of every program that starts. Below: `rules` and
`matching`. A rule can say it (`children`); where it does not, the kind of program decides. Runners and
interpreters are a rule for anything, and so are scripts, shells that were given a file, and programs that
nobody here knows: their rule is a person's word for them. A program that is known to start none starts none.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from nacre.policy import tables
from nacre.policy.matching import glob_matches
from nacre.policy.model import Word, names
from nacre.policy.programs import has_meaning
from nacre.policy.rules import parse_rule
from nacre.policy.tables.shells import RUNNERS, SCANNED_SHELLS, SHELLS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nacre.policy.matching import Rule

ANY = ("*",)
# Whatever a program of these tables is told to do, it starts others: compilers, tests, scripts.
_RUNNERS = names(
    "build compilers containers ecosystems interpreters javascript python python_packages toolchains"
)
_COMPRESSORS = tuple(
    sorted(names("brotli bzip2 compress gzip lz4 lzip lzma lzop pigz uncompress unxz xz zstd"))
)
# Helpers that are known by their directory, which must be one that commands cannot write to.
BY_DIRECTORY = frozenset({"*/git-core/*", "*/man-db/*", "*/lib/autossh/autossh"})
# Scripts around the compressors.
_COMPARERS = (
    *sorted(
        names("cat cmp diff less ls mkdir mktemp more printf rm sed stty tempfile zcat zdiff xzdiff bzdiff")
    ),
    *_COMPRESSORS,
)
# With -J, ssh starts another one for the machine on the way; a blank in an argument is no blank in a rule.
_JUMPS = ("sh -c exec?/usr/bin/ssh?*",)
_GIT = ("git", "*/git-core/*", "ssh", "gpg", "gpg2", "cat", "less")
_TYPESETTERS = (
    *tuple(
        sorted(names("preconv tbl eqn pic refer groff nroff troff grotty col cat less sed locale soelim"))
    ),
    *_COMPRESSORS,
    "*/man-db/*",
)
# What the others start, besides what their arguments name, which is judged by itself.
_HELPERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        names("gunzip gzip zcat uncompress xz unxz xzcat unzip bzip2 file less more"), _COMPRESSORS
    ),
    **dict.fromkeys(
        names("zless zmore xzless xzmore bzless bzmore zcmp zdiff xzcmp xzdiff bzcmp bzdiff"), _COMPARERS
    ),
    # GNU tar has a shell start what compresses.
    **dict.fromkeys(
        names("tar gtar bsdtar"), (*_COMPRESSORS, *(f"sh -c {program}" for program in _COMPRESSORS))
    ),
    **dict.fromkeys(
        names("egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep zstdgrep"),
        ("cat", "expr", "grep", "mktemp", "rm", "sed", "zgrep", "bzgrep", "xzgrep", *_COMPRESSORS),
    ),
    **dict.fromkeys(names("git gh glab"), _GIT),
    "ssh": _JUMPS,
    **dict.fromkeys(names("sftp rsync"), ("ssh", *_JUMPS)),
    # Debian has a script around it, which looks for a free port.
    "autossh": ("ssh", *_JUMPS, "egrep", "grep", "od", "printf", "seq", "tr", "*/lib/autossh/autossh"),
    "scp": ("ssh", "cp", *_JUMPS),  # from here to here
    "sdiff": ("diff",),
    # The texts that they hand to a shell stand in their arguments, and each program in them needs its rule.
    **dict.fromkeys(names("watch hyperfine"), ("sh -c *",)),
    "flock": tuple(f"{shell} -c *" for shell in SCANNED_SHELLS),  # the one that the user has chosen
    **dict.fromkeys(names("man apropos whatis"), _TYPESETTERS),
    **dict.fromkeys(names("apt apt-get apt-cache aptitude dpkg brew dnf apk"), ANY),
}


def children_of(rule: Rule, program: str, argv: Sequence[str]) -> tuple[str, ...]:
    """What a program may start that a rule allows: texts of rules, `ANY` of them, or none.

    `program` is its name, with a slash where it is known by its path.
    """
    if rule.children is not None:
        return rule.children
    return default_children(program, argv)


def default_children(program: str, argv: Sequence[str] = ()) -> tuple[str, ...]:
    """The same where the rule says nothing."""
    if program in SHELLS:  # the words of a text after -c are commands, and judged as such
        return () if any(_is_text_flag(word) for word in argv[1:2]) else ANY
    if program in _HELPERS:
        return _HELPERS[program]
    known = has_meaning(program) and program not in RUNNERS
    return () if known and tables.home_of(program) not in _RUNNERS else ANY


def _is_text_flag(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and "c" in word


def admits(children: Iterable[str], program_names: Sequence[str], argv: Sequence[str]) -> bool:
    """Whether one of these texts of rules speaks about a program, known by these names."""
    words = [Word(text, 0, 0, quoted=True) for text in argv[1:]]
    return any(
        any(_is_called(rule, name) for name in program_names) and rule.admits_arguments(words)
        for rule in map(_rule, children)
    )


def _is_called(rule: Rule, name: str) -> bool:
    return rule.admits_name(name) or ("/" in rule.name and glob_matches(rule.name, name))


@cache
def _rule(text: str) -> Rule:
    return parse_rule("allow", text)
