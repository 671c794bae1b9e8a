"""Commands whose arguments run, write or read elsewhere, for campaigns with real programs.

Above: `test_fuzz` runs them in a sandbox and looks at what happened. `DangerSource` takes commands that run
or write, as they are and then with words that went through variables, patterns, braces and quotes, among
ordinary ones; `OptionSource` tries every option that a program's own help tells, with values that would show;
`OutsideSource` does the same as the first for files outside of the allowed directories.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace

from claims import Miss
from corpus_mutator import Case, Mutator
from fragments import fragments
from oracle_driver import ROOT, WORK, build_project, plainer
from shell_oracle import Observation

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy

NAMES = ("pwn", "c9")
# Programs that the policy knows, and that the machines of the tests have.
_PROGRAMS = fragments("programs with tables")
# Their very work is to write, or (git) a sub-command's: a rule for the bare name permits that.
_WRITERS = frozenset({"git", "gzip", "xz", "zip", "unzip", "patch", "split", "csplit", "cc", "gcc"})
_RULES = [
    *(name for name in _PROGRAMS if name not in _WRITERS),
    *(f"git {name}" for name in ("log", "status", "diff", "show", "grep", "shortlog", "blame", "ls-files")),
]
_POLICY = Policy.from_lists(_RULES, allow_writes=False)
_INTERPRETERS = Policy.from_lists([*_RULES, "python3", "node", "perl", "npm"], allow_writes=True)
_WRITING = Policy.from_lists([*_PROGRAMS, "npm test", "npm run *"], allow_writes=True)
_FENCED = replace(
    Policy.from_mapping(
        {"allow": [*_RULES, "python3", "node"], "allow_writes": False, "allowed_directories": [str(WORK)]}
    ),
    files=LOCAL_FILES,
)
_DANGERS = fragments("dangers")
_PROJECT = fragments("project commands")
_OUTSIDE = fragments("outside reads")
_SUBCOMMANDS = {"git": fragments("git sub-commands"), "openssl": ("version", "x509", "rand", "enc", "dgst")}
_SCRIPT = re.compile(r"\bevil\b")
_OPTION = re.compile(r"(?<![\w-])(--?[A-Za-z][A-Za-z0-9-]*)")
_OPTION_VALUES = (
    *("PWNED", "pwn", "a.txt", "./evil.sh", "evil.conf", "evil.mk", "exec=pwn", "1", "|pwn", "!pwn"),
    *("ext::pwn", "sub", "=PWNED", "=pwn", ".", "core.pager=pwn", "alias.x=!pwn"),
)


def effects(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """What happened and no rule allows."""
    del shell
    # A rule for an interpreter is a rule for every script.
    scripted = policy is _INTERPRETERS and any(_SCRIPT.search(plainer(text)) for text in texts)
    found = [Miss("ran", repr(list(argv))) for argv in seen.commands if not scripted]
    found += [Miss("write", name) for name in seen.files if not policy.allow_writes]
    is_secret_named = any("SECRET" in text for text in texts)  # then an error message may repeat it
    if policy.allowed_directories and "secret" in seen.notes and not is_secret_named:
        found.append(Miss("read", "a file outside of the allowed directories"))
    return found


class _Mutated:
    def __init__(
        self, seed: int, lines: Sequence[str], others: Sequence[str], policies: Sequence[Policy]
    ) -> None:
        self.mutator = Mutator(seed, [Case(line, {}) for line in (*lines, *lines, *others)])
        self.policies = policies
        self.plain = list(lines)

    def next(self) -> tuple[list[str], Policy]:
        """One command, changed a little; sometimes after another one of the same session."""
        chance = self.mutator.random
        if self.plain:
            return [self.plain.pop()], self.policies[0]
        texts = [self.mutator.next()[0]]
        if chance.random() < 0.1:
            texts.insert(0, self.mutator.next()[0])
        return texts, chance.choice(self.policies)


class DangerSource(_Mutated):
    """Commands that run or write, in disguise."""

    def __init__(self, seed: int, shell: str) -> None:
        del shell
        super().__init__(seed, _DANGERS, _PROJECT, (_POLICY, _POLICY, _INTERPRETERS, _WRITING))


class OutsideSource(_Mutated):
    """Commands that read outside of the project, in disguise."""

    def __init__(self, seed: int, shell: str) -> None:
        del shell
        build_project(ROOT)  # links are followed when a command is judged, too
        super().__init__(seed, _OUTSIDE, _PROJECT, (_FENCED,))


def _help(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            words,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout + done.stderr


def _heads() -> list[tuple[str, list[str]]]:
    """Every program with a help text (for some, every sub-command), and the options that are told there."""
    found: list[tuple[str, list[str]]] = []
    for program in _PROGRAMS:
        if shutil.which(program) is None or program in {"bash", "sh", "man", "env"}:
            continue
        for subcommand in _SUBCOMMANDS.get(program, ("",)):
            words = (
                [program, subcommand, "-h"] if program == "git" else [program, *subcommand.split(), "--help"]
            )
            options = sorted(set(_OPTION.findall(_help(words))))
            if program == "curl":
                options = sorted({*options, *_OPTION.findall(_help(["curl", "--help", "all"]))})
            letters = [f"-{letter}" for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0"]
            found.append((f"{program} {subcommand}".strip(), [*options, *letters]))
    return found


class OptionSource:
    """Options from help texts, alone and together, shortened and glued, with values that would show."""

    def __init__(self, seed: int, shell: str) -> None:
        del shell
        self.random = random.Random(seed)  # noqa: S311 - reproducible, not secret
        self.heads = _heads()

    def next(self) -> tuple[list[str], Policy]:
        """One command with one to three options."""
        chance = self.random
        head, options = chance.choice(self.heads)
        words = [head, *(self._option(options) for _ in range(chance.choice((1, 1, 2, 3))))]
        words += [
            chance.choice(("a.txt", "b.txt", "a.tar", "HEAD", "x", ".", "data.json", "db.sqlite"))
        ] * chance.randrange(3)
        return [" ".join(words)], chance.choice((_POLICY, _WRITING))

    def _option(self, options: Sequence[str]) -> str:
        chance = self.random
        option = chance.choice(options)
        value = chance.choice(_OPTION_VALUES)
        if option.startswith("--") and chance.random() < 0.25 and len(option) > 5:
            option = option[: chance.randrange(4, len(option))]
        glued = f"{option}={value}" if option.startswith("--") else option + value
        cluster = option + chance.choice(options)[1:2] if not option.startswith("--") else option
        return chance.choice((option, f"{option} {value}", glued, f"{cluster} {value}", cluster + value))
