"""Texts in the small languages of arguments: sed, awk, SQL, jq, Python, JavaScript, Perl, find's expressions.

Above: `fuzz_sources` runs them with real programs, each of which tells that it was started. A text is made of
statements whose places are filled with expressions, and these with others: what computes and prints, and what
runs, writes or reads elsewhere, next to each other, with blanks, comments and ends of lines where the
language takes them. Then a character or a token may be doubled, dropped or put elsewhere. Pieces that are
always refused are drawn seldom. An accepted text must compute and print, whatever it looks like.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from claims import Miss, accepted, claims
from crossing_source import Learned
from fragments import fragments
from oracle_driver import ROOT, WORK, build_project
from shell_oracle import Observation
from table_source import own_name, quoted, written

from nacre.places.local_files import LOCAL_FILES
from nacre.policy import Policy

_RULES = [
    *("sed", "awk", "mawk", "gawk", "jq", "sqlite3", "python3", "node", "perl", "find"),
    *("cat", "grep", "wc", "echo", "head"),
]
_POLICIES = (
    Policy.from_lists(_RULES, allow_writes=False),
    Policy.from_lists(_RULES, allow_writes=True),
)
_FENCED: dict[str, object] = {"allow": _RULES, "allow_writes": False, "allowed_directories": [str(WORK)]}
_HOLE = re.compile(r"%([a-z])%")
_TOKEN = re.compile(r"\w+|\s+|.", re.DOTALL)
_DEEPEST = 4
_TRIES = 15


@dataclass(frozen=True)
class Language:
    """How a program is given a text, and what stands between its statements."""

    commands: tuple[str, ...]
    pieces: Mapping[str, tuple[str, ...]]
    between: tuple[str, ...]


def _language(name: str, between: tuple[str, ...]) -> Language:
    pieces: dict[str, list[str]] = {}
    for line in fragments(f"language {name}"):
        kind, _, text = line.partition(" ")
        pieces.setdefault(kind, []).append(text)
    commands = tuple(line for line in pieces.pop("run") if shutil.which(line.split()[0]))
    return Language(commands, {kind: tuple(texts) for kind, texts in pieces.items()}, between)


def languages() -> list[Language]:
    """The languages whose programs are here."""
    known = (
        _language("sed", (";", "\n", "; ", ";\n# w PWNED\n")),
        _language("awk", ("\n", "; ", " ", "\n# x\n", ";")),
        _language("sql", ("; ", ";\n", ";", ";-- x\n", "; /* x */ ")),
        _language("jq", (" | ", "|", " , ", " | # x\n")),
        _language("python", ("; ", "\n", "\n# x\n")),
        _language("javascript", ("; ", "\n", ";", ", ")),
        _language("perl", ("; ", ";", ";\n")),
        _language("find", (" ", " -o ", " , ", " ! ")),
    )
    return [language for language in known if language.commands]


class LanguageSource:
    """Texts of all languages, from one seed."""

    def __init__(self, seed: int, shell: str) -> None:
        build_project(ROOT)  # links are followed when a command is judged, too
        self.random = random.Random(f"language/{seed}/{shell}")  # noqa: S311 - reproducible, not secret
        self.shell = shell
        self.learned = Learned(self.random)
        self.languages = languages()
        self.policies = (*_POLICIES, replace(Policy.from_mapping(_FENCED), files=LOCAL_FILES))

    def next(self) -> tuple[list[str], Policy]:
        """An accepted command, or the last of some that were not."""
        command, policy = "", self.random.choice(self.policies)
        language = self.random.choice(self.languages)
        for _ in range(_TRIES):
            command = self._command(language)
            taken = accepted([command], policy, self.shell)
            self.learned.learn(taken=taken)
            if taken:
                break
        return [command], policy

    def _command(self, language: Language) -> str:
        statements = [self._piece(language, "s", 0) for _ in range(self.random.choice((1, 1, 2, 3)))]
        text = self.random.choice(language.between).join(statements)
        if self.random.random() < 0.25:
            text = self._disturbed(text)
        run = self.learned.pick(language.commands)
        words = text.split() if run.startswith("find") else [text]
        if "EOF" in run:
            return run.replace("%text%", text) if self.shell != "fish" else f"echo {quoted(text, 'fish')}"
        return run.replace("%text%", " ".join(quoted(word, self.shell) for word in words))

    def _piece(self, language: Language, kind: str, depth: int) -> str:
        pieces = language.pieces[kind]
        if depth >= _DEEPEST:  # what has no places, or at least none of its own kind
            plain = tuple(piece for piece in pieces if _HOLE.search(piece) is None)
            pieces = plain or tuple(piece for piece in pieces if f"%{kind}%" not in piece)
        drawn = self.learned.pick(pieces)
        return _HOLE.sub(lambda hole: self._piece(language, hole[1], depth + 1), drawn)

    def _disturbed(self, text: str) -> str:
        """A token twice, not at all, elsewhere, or with a break before it."""
        tokens = _TOKEN.findall(text)
        if not tokens:
            return text
        at, other = self.random.randrange(len(tokens)), self.random.randrange(len(tokens))
        change = self.random.randrange(5)
        if change == 0:
            del tokens[at]
        elif change == 1:
            tokens.insert(other, tokens[at])
        elif change == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            marks = (
                " ",
                "\n",
                "\\",
                "\t",
                ";",
                "#",
                "'",
                '"',
                "/",
                "|",
                "`",
                "\\\n",
                "}",
                "{",
                ",",
                "e",
                "w",
            )
            tokens.insert(at, self.random.choice(marks))
        return "".join(tokens)


def computed(texts: Sequence[str], policy: Policy, shell: str, seen: Observation) -> list[Miss]:
    """What an accepted text did but compute and print."""
    found = [Miss("ran", repr(list(argv))) for argv in seen.commands]
    if policy.allowed_directories and "secret" in seen.notes and "SECRET" not in texts[0]:
        found.append(Miss("read", "a file outside of the allowed directories"))
    found += written(texts, policy, shell, seen)
    # Not their arguments: what find has found is any path.
    claimed = {claim.name for claim in claims(texts, shell)}
    for start in seen.started:
        argv = own_name(start[2:])
        if start[1] and argv[0].rpartition("/")[2] not in claimed:
            found.append(Miss("started", repr(list(argv))))
    return found
