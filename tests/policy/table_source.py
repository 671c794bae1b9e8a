"""Commands made of the tables themselves: every option that they call harmless, held against the program.

Above: `fuzz_sources` runs them with real programs, each of which tells that it was started. A command is a
program that is here (or a sub-command of one), options of its own table with as many values as the table
says, in every spelling that the table takes, and operands of the table's kinds, among them names of files
that look like options. Values are what would show: files outside of the project, files to be written,
programs to be run. Around it there may be a wrapper. Options that are always refused are drawn seldom.

`told` compares: what was started, and which files have changed, although the table says otherwise.
"""

from __future__ import annotations

import os
import random
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from claims import Miss, accepted, claims
from crossing_source import Learned
from fragments import fragments
from oracle_driver import ROOT, WORK, build_project
from shell_oracle import Observation

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy, tables
from nacre.policy.children import ANY, admits, default_children
from nacre.policy.command_input import document_of
from nacre.policy.effects import PathUse, Step
from nacre.policy.evaluation import scan_for
from nacre.policy.interpreters import with_document
from nacre.policy.model import SimpleCommand
from nacre.policy.options import Spec, compiled
from nacre.policy.programs import inspect
from nacre.policy.tables.schema import Program, Wrapper
from nacre.policy.values import Context

_KINDS = ("archives", "compilers", "data", "files", "forges", "git", "network", "system", "text")
# They end other programs, never end themselves, or take long for what they say.
_LEFT_OUT = frozenset(fragments("programs left out of tables"))
_READING = frozenset(fragments("git sub-commands that read"))
_OPTION_VALUES = fragments("table values")
_OPERANDS = fragments("table operands")
_FIRST = {
    name: tuple(texts.split(" @@ "))
    for name, _, texts in (line.partition(": ") for line in fragments("table texts"))
}
_CHANGING = frozenset({"write", "change", "alter", "fill", "touch", "beside", "found"})
_SCRIPT_RUNNERS = frozenset({"sh", "bash", "dash", "perl", "python3", "env"})
# Keys of gpg, files of split and csplit without a name, a file of ctags that it forgets.
_OWN_NAMES = re.compile(r"/\.gnupg\Z|\Ax[0-9a-f]{2}\Z|\Axx[0-9]+\Z|/tags\.\w+\Z")
# What a program starts by itself, and cannot be told to do otherwise.
_ALWAYS = (
    ("zless", "gzip -cdfq"),
    ("bzgrep", "grep"),  # or egrep, as its script says
    ("xzless", "xz --format=auto"),
    ("ssh-keygen", "ssh-sk-helper"),
    ("git", "git-upload-pack"),
    ("sftp", "exec /usr/bin/ssh -W"),
    ("scp", "exec /usr/bin/ssh -W"),
    ("yq", "jq"),
    ("pg_dumpall", "pg_dump"),
    ("ag", "git config"),
    ("ssh", "exec ssh -W"),
)
_PROGRAMS = ("/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/lib/git-core/")
_TRIES = 15
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


@dataclass(frozen=True)
class Head:
    """A program, or a sub-command of one, with its options."""

    words: tuple[str, ...]
    specs: Mapping[str, Spec]
    operands: tuple[str, ...]

    @property
    def name(self) -> str:
        return " ".join(self.words)


def _below(words: tuple[str, ...], entry: Program, outer: Program | None) -> Iterator[Head]:
    specs = compiled(entry, outer if outer is not None and outer.persistent else None).specs
    yield Head(words, specs, tuple(entry.operands.split()))
    for command in entry.commands:
        for name in command.names.split():
            yield from _below((*words, name), command, entry)


@cache
def heads() -> tuple[Head, ...]:
    """Every program that has a table and is here."""
    names = [name for kind in _KINDS for name in tables.NAMES[kind].split()]
    found: list[Head] = []
    for name in names:
        entry = tables.program(name)
        if entry is not None and name not in _LEFT_OUT and shutil.which(name):
            found += _below((name,), entry, None)
    return tuple(found)


@cache
def _wrappers() -> tuple[tuple[str, Wrapper], ...]:
    found = ((name, tables.wrapper(name)) for name in fragments("table wrappers") if shutil.which(name))
    return tuple((name, entry) for name, entry in found if entry is not None)


@cache
def _policies() -> tuple[Policy, ...]:
    rules = [head.name for head in heads()]
    quiet = Policy.from_lists(rules, allow_writes=False)
    fenced: dict[str, object] = {
        "allow": rules,
        "allow_writes": False,
        "allowed_directories": [str(WORK)],
    }
    return (
        quiet,
        Policy.from_lists(rules, allow_writes=True),
        replace(Policy.from_mapping(fenced), files=LOCAL_FILES),
    )


class TableSource:
    """Commands from the tables, from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        build_project(ROOT)  # links are followed when a command is judged, too
        self.random = random.Random(f"table/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        # Each program as often as the others, however many sub-commands it has.
        self.heads: dict[str, list[Head]] = {}
        for head in heads():
            self.heads.setdefault(head.words[0], []).append(head)

    def next(self) -> tuple[list[str], Policy]:
        """An accepted command, or the last of some that were not."""
        text, policy = "", self.random.choice(_policies())
        head = self.random.choice(self.heads[self.random.choice(list(self.heads))])
        for _ in range(_TRIES):
            text = self._text(head)
            taken = accepted([text], policy, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return [text], policy

    def _text(self, head: Head) -> str:
        words = [*head.words, *self._arguments(head)]
        if self.random.random() < 0.1 and _wrappers():
            name, entry = self.random.choice(_wrappers())
            wrapper = Head((name,), compiled(entry).specs, ())
            before = [word for _ in range(self.random.choice((0, 1, 1, 2))) for word in self._option(wrapper)]
            words = [name, *before, *(["1"] * entry.operands), *words]
        return " ".join(quoted(word, self.shell) for word in words)

    def _arguments(self, head: Head) -> list[str]:
        chance = self.random
        parts: list[list[str]] = []
        if head.specs:
            parts += [self._option(head) for _ in range(chance.choice((0, 1, 1, 2, 2, 3, 4)))]
        operands = [[self._operand(head, at)] for at in range(chance.choice((0, 1, 1, 1, 2, 3)))]
        if operands and chance.random() < 0.15:
            operands.insert(chance.randrange(len(operands)), ["--"])
        if chance.random() < 0.3:  # options behind operands, and among them
            parts = _merged(chance, parts, operands)
        else:
            parts += operands
        return [word for part in parts for word in part]

    def _operand(self, head: Head, at: int) -> str:
        texts = _FIRST.get(head.name) or _FIRST.get(head.words[0], ())
        if texts and at == 0 and self.random.random() < 0.8:
            return self.learned.pick(texts)
        if self.random.random() < 0.15:
            return self.learned.pick(_OPTION_VALUES)
        return self.learned.pick(_OPERANDS)

    # -- options -------------------------------------------------------------------------------------------

    def _option(self, head: Head) -> list[str]:
        """One option with its values, in one of its spellings."""
        drawn = self.learned.pick([f"{head.name} {name}" for name in head.specs])
        name = drawn.rpartition(" ")[2]
        spec = head.specs[name]
        values = [self._value(spec) for _ in range({"=": 1, "==": 2, "?": 1}.get(spec.arity, 0))]
        chance = self.random
        if chance.random() < 0.04:  # as the table does not say
            values = [self._value(spec)] if not values else []
        if not values:
            return [self._clustered(head, name)]
        if spec.arity == "==":
            return [name, *values]
        glue = "=" if name.startswith("--") or len(name) > 2 else chance.choice(("", "", "="))
        if spec.arity == "?" or chance.random() < 0.5:
            return [name] if spec.arity == "?" and chance.random() < 0.3 else [f"{name}{glue}{values[0]}"]
        return [self._clustered(head, name, last=True), values[0]]

    def _clustered(self, head: Head, name: str, *, last: bool = False) -> str:
        """Short options in one word, sometimes; an abbreviation of a long one, seldom."""
        chance = self.random
        if name.startswith("--"):
            return (
                name[: chance.randrange(3, len(name))] if len(name) > 4 and chance.random() < 0.02 else name
            )
        others = [other for other, spec in head.specs.items() if len(other) == 2 and not spec.arity]
        if len(name) != 2 or not others or chance.random() < 0.7:
            return name
        other = chance.choice(others)
        return f"{other}{name[1]}" if last else f"{name}{other[1]}"

    def _value(self, spec: Spec) -> str:
        values = list(_OPTION_VALUES)
        if spec.check is not None:
            told = _WORD.findall(spec.check.pattern)
            values = [value for value in (*values, *told) if spec.check.fullmatch(value)] or values
        return self.random.choice(values)


def _merged(chance: random.Random, first: list[list[str]], second: list[list[str]]) -> list[list[str]]:
    merged = [*first]
    at = 0
    for part in second:
        at = chance.randrange(at, len(merged) + 1)
        merged.insert(at, part)
        at += 1
    return merged


def quoted(word: str, shell: str) -> str:
    """A word as a shell takes it for nothing else."""
    if shell != "fish" or shlex.quote(word) == word:
        return shlex.quote(word)
    return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"


# -- what the tables say, and what happened ------------------------------------------------------------------


def told(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """What was started, changed or read although the tables say otherwise."""
    found = [Miss("ran", repr(list(argv))) for argv in seen.commands]
    if policy.allowed_directories and "secret" in seen.notes and "SECRET" not in texts[0]:
        found.append(Miss("read", "a file outside of the allowed directories"))
    if not _changes_by_nature(texts[0]):
        found += written(texts, policy, shell, seen)
    return found + _started(texts, shell, seen)


def written(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """Files that have changed although the command does not name them as such."""
    paths = [use for use in _paths(texts[0], shell) if use.access in _CHANGING]
    return [Miss("write", name) for name in seen.files if not _is_told(name, paths, texts[0], policy)]


def _changes_by_nature(text: str) -> bool:
    """Whether it is a command of git whose very work is to change the project."""
    words = text.split()
    return "git" in words and not _READING & set(words)


def _paths(text: str, shell: str) -> list[PathUse]:
    scan = scan_for(text, shell)
    context = Context(text, scan, shell)
    return [
        use
        for command in scan.commands
        for reading in context.readings(command)
        if reading.words
        for step in _steps(reading, context)
        for use in step.paths
    ]


def _steps(command: SimpleCommand, context: Context) -> Sequence[Step]:
    """What a command amounts to, with what it is given to read."""
    steps, document = inspect(command.words, context).steps, document_of(command, context)
    return steps if document is None or len(steps) > 1 else [with_document(steps[0], document)]


def _is_told(name: str, paths: Sequence[PathUse], text: str, policy: Policy) -> bool:
    """Whether a file is what a path of the command names, lies below it, or has a name made of it."""
    named = re.search(rf"(?<!\w){re.escape(os.path.basename(name))}", text) is not None
    if _OWN_NAMES.search(name) or (policy.allow_writes and not named):
        return True  # a file of the program's own naming (a.out)
    # A link that is moved has changed where it stands, not where it leads.
    changed = {os.path.realpath(WORK / name), os.path.normpath(WORK / name)}
    for use in paths:
        if not use.word.literal:
            return True
        said = os.path.join(WORK, use.word.text)
        for path in (os.path.realpath(said), os.path.normpath(said)):  # `bzip2 link` makes link.bz2
            place = os.path.dirname(path) if use.access == "beside" else path
            if place == str(WORK) or any(c.startswith(place) or place.startswith(c) for c in changed):
                return True
    return False


def _started(texts: Sequence[str], shell: str, seen: Observation) -> list[Miss]:
    """Programs that were started, and that neither the text nor the table of their starter tells of."""
    claimed = claims(texts, shell)
    records = {start[0]: (start[1], own_name(start[2:])) for start in seen.started}
    found: list[Miss] = []
    for starter, argv in records.values():
        if (
            starter
            and not any(claim.fits(argv) for claim in claimed)
            and not _admitted(records, starter, argv)
        ):
            found.append(Miss("started", repr(list(argv))))
    return found


def _admitted(
    records: Mapping[str, tuple[str, tuple[str, ...]]], starter: str, argv: tuple[str, ...]
) -> bool:
    """Whether one of those that led to a program may start it."""
    names = (argv[0], argv[0].rpartition("/")[2])
    while starter in records:
        above, its_argv = records[starter]
        if above:  # the shell itself has none
            name = its_argv[0].rpartition("/")[2]
            children = default_children(name, its_argv)
            if any(program == name and what in " ".join(argv) for program, what in _ALWAYS):
                return True
            if children == ANY or admits(children, names, argv) or name == names[1]:
                return True
        starter = above
    return False


def own_name(argv: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of a script as it was called, and not as the kernel calls its interpreter."""
    if argv and argv[0].rpartition("/")[2] in _SCRIPT_RUNNERS:
        for at, word in enumerate(argv[1:3], 1):
            if word.startswith(_PROGRAMS):
                return (word, *argv[at + 1 :])
    return argv
