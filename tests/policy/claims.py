"""What the policy claims about a script, held against what a real shell did with it.

A claim is a simple command as the policy saw it: words whose text is known, or whose shape is. `misses` tells
what was really run or changed although nothing of the kind was claimed:

    name        a command that nobody reported
    arguments   a command that was reported with other arguments
    judgement   a command that the policy itself denies, once its arguments are known
    write       a file that appeared or changed, although no rule allows writes
    variable    PATH and its kin have other values
    network     the shell opened a connection
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from oracle_driver import HOME, WORK
from shell_oracle import Observation

from nacre.policy import Policy, judge, judge_argv, tables
from nacre.policy.builtins import SOME_NUMBER
from nacre.policy.evaluation import scan_for
from nacre.policy.model import UNKNOWN, Word
from nacre.policy.programs import inspect
from nacre.policy.values import Context

_MOST_ARGUMENTS = 400
_MOST_BRACES = 32
# A handler in zsh is told the name that `exec -a` gives, not the program's.
_RENAMES = re.compile(r"\bexec\s+-\w*a")
_BARE = re.compile(r"[\w./:,@%+=^!*?\[\]{}~-]+")  # a pattern that needs no quotes
_PIPE = re.compile(r"/(?:dev|proc/self)/fd/[0-9]+")


@dataclass(frozen=True)
class Miss:
    """Something that happened and was not claimed."""

    kind: str
    detail: str


@dataclass(frozen=True)
class Claim:
    """The words of one simple command, as the policy understood them."""

    words: tuple[Word, ...]

    @property
    def name(self) -> str | None:
        """The command's name; None when only its shape is known."""
        word = self.words[0]
        return word.text.rpartition("/")[2] if word.literal or word.tilde else None

    @property
    def literal(self) -> bool:
        """Every word is known."""
        return all(word.literal for word in self.words)

    @cached_property
    def shapes(self) -> tuple[_Shape, ...]:
        """How each argument may look."""
        return tuple(_shape(word) for word in self.words[1:])

    def fits(self, argv: Sequence[str]) -> bool:
        """Tell whether a command that ran is the claimed one."""
        name = self.name
        if name is not None and argv[0].rpartition("/")[2] != name:
            return False
        return _fits(self.shapes, argv[1:])


@dataclass(frozen=True)
class _Shape:
    """What one word may become: how many arguments, and which texts."""

    pattern: re.Pattern[str]
    least: int = 1
    many: bool = False


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


_PIECES = {
    **dict.fromkeys(("any", "operand", "fresh", "field"), ".*"),
    **dict.fromkeys(("token", "clock"), r"[^\s*?\[]*"),
    "number": "-?[0-9]+",
    "digits": "[0-9]+",
}


def _shape(word: Word) -> _Shape:
    if word.literal:
        return _Shape(_compiled(re.escape(word.text).replace(SOME_NUMBER, _PIECES["number"])))
    if word.braces:
        expanded = None if word.dynamic or word.pattern or word.tilde else _expand_braces(word.text)
        texts = [word.text, *(expanded or ())]  # a shell without braces takes them as they are
        pattern = "|".join(re.escape(text) for text in texts) if expanded is not None else ".*"
        return _Shape(_compiled(pattern), 0, many=True)
    if word.tilde and not word.splits:
        pieces = [re.escape(piece) for piece in word.text.partition("/")[2].split(UNKNOWN)]
        return _Shape(_compiled(".*" + ".*".join(pieces)), 0, many=True)
    if word.several:
        return _Shape(_compiled(".*"), 0, many=True)
    start = "" if word.may_be_option else "(?!-).+" if word.text.startswith(UNKNOWN) else ""
    if any(expansion.empty for expansion in word.expansions) and not word.may_be_option:
        start = "(?!-)"
    literals = word.text.split(UNKNOWN)
    pieces = [re.escape(literals[0])]
    for expansion, literal in zip(word.expansions, literals[1:], strict=True):
        pieces += [f"(?:{_PIECES[expansion.shape]}){'?' if expansion.empty else ''}", re.escape(literal)]
    least = 0 if word.may_vanish or word.may_be_nothing else 1  # a command that fails prints nothing
    return _Shape(_compiled(f"(?={start}){''.join(pieces)}"), least)


def _fits(shapes: Sequence[_Shape], arguments: Sequence[str]) -> bool:
    """Whether the arguments can be divided among the shapes, in order."""
    if len(arguments) > _MOST_ARGUMENTS:
        return True
    reachable = {0}
    for shape in shapes:
        following = set(reachable) if shape.least == 0 else set[int]()
        for start in reachable:
            at = start
            while at < len(arguments) and shape.pattern.fullmatch(arguments[at]):
                at += 1
                following.add(at)
                if not shape.many:
                    break
        reachable = following
        if not reachable:
            return False
    return len(arguments) in reachable


def claims(texts: Iterable[str], shell: str, policy: Policy | None = None, depth: int = 0) -> list[Claim]:
    """Every command that the policy saw in some texts, with those inside wrappers and shells."""
    found: list[Claim] = []
    kept: set[str] = set()
    associative: set[str] = set()
    for text in texts:
        scan = scan_for(text, shell)
        context = Context(text, scan, shell)
        if "trap" in kept or any(
            word.text in kept
            for command in scan.commands
            for reading in context.readings(command)
            for word in reading.words[:1]
        ):
            context.forget()
        context.distrust(associative)
        rules = policy.allows if policy is not None else ()
        if any(rule.admits_name(item.name) for item in scan.definitions for rule in rules):
            context.distrust_inside(scan.definitions)
        associative |= context.associative
        if policy is not None:
            kept |= judge(text, policy, shell=shell, kept=kept).kept
        else:
            kept |= {item.name for item in scan.definitions} | ({"trap"} if "trap" in text else set[str]())
        for command in scan.commands:
            for reading in context.readings(command):
                if not reading.words:
                    continue
                found.append(Claim(reading.words))
                looked = inspect(reading.words, context)
                found += _steps_claims([step.words for step in looked.steps])
                for script in looked.scripts if depth < 4 else ():
                    found += claims([script.text], script.shell, policy, depth + 1)
    return found


def _steps_claims(steps: Sequence[tuple[Word, ...]]) -> list[Claim]:
    """Each step alone, and with what is inside it: `sudo ls` is run as a whole, then ls by sudo."""
    whole = (tuple(word for words in steps[at:] for word in words) for at in range(len(steps) - 1))
    return [*(Claim(words) for words in steps), *(Claim(words) for words in whole)]


def accepted(
    texts: Sequence[str], policy: Policy, shell: str, environment: Mapping[str, str] | None = None
) -> bool:
    """Whether every one of the texts would be run, and the stand-ins can play their parts in it."""
    if any(_RENAMES.search(text) for text in texts):
        return False
    cwd = str(WORK) if policy.allowed_directories or policy.own_files else None
    exported: set[str] = set()
    kept: set[str] = set()
    for text in texts:
        verdict = judge(
            text, policy, shell=shell, cwd=cwd, environment=environment, inherited=exported, kept=kept
        )
        if not verdict.allowed:
            return False
        exported |= verdict.exported  # as the gate remembers them
        kept |= verdict.kept
    return True


def misses(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """All that happened and was not claimed."""
    found = [Miss("write", name) for name in seen.files if not policy.allow_writes]
    found += [Miss("network" if note == "network" else "variable", note) for note in seen.notes]
    claimed = claims(texts, shell, policy)
    known = {claim.name for claim in claimed}
    for name in seen.names:
        # No program is named like an option; dash takes `exec -a` so.
        if name not in known and None not in known and not name.startswith("-"):
            found.append(Miss("name", name))
    for argv in dict.fromkeys(seen.commands):
        found += command_misses(
            argv,
            claimed,
            policy,
            shell,
            before=_before(argv, texts),
            given_program=any("<<" in text for text in texts),
        )
    return found


def _before(argv: tuple[str, ...], texts: Sequence[str]) -> str:
    """What arguments do not tell: that git starts no editor, that xargs is given whole paths."""
    if argv[0] == "xargs":
        feeders = {"-print0": "find . -print0 | ", r"grep -\w*Z": "grep -lZ x . | "}
        return next((feeder for sign, feeder in feeders.items() if re.search(sign, "\n".join(texts))), "")
    named = argv[0] == "git" and any("GIT_EDITOR=true" in text for text in texts)
    return "GIT_EDITOR=true " if named else ""


def command_misses(  # noqa: PLR0913 - the command and its circumstances
    argv: tuple[str, ...],
    claimed: Sequence[Claim],
    policy: Policy,
    shell: str,
    *,
    before: str = "",
    given_program: bool = False,
) -> list[Miss]:
    """What is wrong about one command that ran."""
    fitting = [claim for claim in claimed if claim.fits(argv)]
    if not fitting and shell == "zsh" and argv[0].startswith("-"):
        argv = (argv[0][1:], *argv[1:])  # `- ls`: zsh puts a dash before the name, as login does
        fitting = [claim for claim in claimed if claim.fits(argv)]
    if not fitting:
        names = {claim.name for claim in claimed}
        kind = "arguments" if argv[0].rpartition("/")[2] in names else "name"
        return [Miss(kind, repr(list(argv)))]
    if policy.mode != "allowlist" and not any(claim.literal for claim in fitting):
        return []  # a deny list is a guard rail: it does not ask about every value from elsewhere
    # The pipe of a process substitution is no file; a text that names one itself is judged as that text.
    argv = tuple("/dev/null" if _PIPE.fullmatch(word) else word for word in argv)
    if _takes_any_option(argv):
        written = {word.text for claim in fitting for word in claim.words if word.literal}
        argv = tuple(word if word in written or not word.startswith("-") else "x" for word in argv)
    # As a text some builtins need no rule; without a shell any character may be in an argument.
    # A program below the home directory is given by the name that rules have for it.
    verdict = judge_argv((argv[0].replace(f"{HOME}/", "~/", 1), *argv[1:]), policy)
    rules = {rule.text.replace("~", str(HOME), 1) for rule in policy.rules if rule.text.startswith("~/")}
    if verdict.reason.endswith("from its input") and given_program:
        return []  # a here-document, which the judge has read: it is not among the arguments
    # A target that is not known is refused where a server has files of its own.
    targets = verdict.rule == "own files" and not any(claim.literal for claim in fitting)
    if targets or rules & {*argv[1:]}:  # behind a wrapper it cannot be given by the name of its rule
        return []
    patterns = {word.text for claim in fitting for word in claim.words if word.glob is not None}
    bare = {word for word in patterns if _BARE.fullmatch(word)}
    quoted = " ".join(word if word in bare else _quoted(word, shell) for word in argv)
    if not verdict.allowed and not judge(before + quoted, policy, shell=shell).allowed:
        return [Miss("judgement", f"{list(argv)!r}: {verdict.reason}")]
    return []


def _quoted(word: str, shell: str) -> str:
    """A word as a shell reads it: to fish a backslash escapes in quotes, to zsh `=ls` is a path without."""
    if shell == "fish" and "\\" in word:
        return "'" + word.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return f"'{word}'" if re.fullmatch("=[^']*", word) else shlex.quote(word)


def _takes_any_option(argv: Sequence[str]) -> bool:
    """Whether a value that turns out to be any option does no harm: `docker rm $(docker ps -q)`."""
    entry = tables.program(argv[0])
    if entry is None:
        return False
    if entry.harmless or argv[0] == "docker":
        return True
    called = [command for command in entry.commands if {*argv[1:2]} & {*command.names.split()}]
    return any({*command.names_with.split()} & {*argv} for command in called)  # git tag -d $(git tag -l)


def _expand_braces(text: str) -> list[str] | None:
    """`a{b,c}` as `ab ac`; None when it becomes too many words to look at."""
    done: list[str] = []
    todo = [text]
    while todo:
        if len(todo) + len(done) > _MOST_BRACES:
            return None
        current = todo.pop(0)
        group = _innermost_group(current)
        if group is None:
            done.append(current)
            continue
        begin, end = group
        todo = [
            current[:begin] + choice + current[end + 1 :] for choice in current[begin + 1 : end].split(",")
        ] + todo
    return done


def _innermost_group(text: str) -> tuple[int, int] | None:
    opened: list[int] = []
    for at, char in enumerate(text):
        if char == "{":
            opened.append(at)
        elif char == "}" and opened:
            begin = opened.pop()
            if "," in text[begin:at]:
                return begin, at
    return None
