"""What a command touches: its paths, against the allowed directories and nacre's own files.

Above: `redirection_check` and `check`, which hand over paths. Below: `findings` keeps what was
found, `paths` resolves. With a fence every argument that is not known to be no path must be inside, and a
path that is only known when the command runs is refused.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from nacre.policy.effects import FREE_TARGETS, Access, PathUse, is_fresh, is_process
from nacre.policy.model import UNKNOWN, Word
from nacre.policy.paths import (
    LONGEST_PATH,
    MadePath,
    expanded,
    is_at_or_below,
    is_other_repository,
    joined,
    makes_repository,
    may_be_run,
    may_tell_what_runs,
    real,
    tells_what_runs,
)
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from nacre.policy.findings import Span, TextFindings
    from nacre.policy.matching import Rule

_CHANGES: frozenset[Access] = frozenset({"write", "change", "touch", "alter", "fill", "beside"})
_FILE_ADDRESS = regex(r"(?i)(?:[a-z]+\+)?(?:file|link|portal):(?://[^/]*)?(.*)", re.DOTALL)
_OF_ITS_OWN = "name a directory of its own (tar -C dir, unzip -d dir); for a patch, use git apply"
_FIND_LESS = "say what is to be found: -name '*.py', -not -path './.git/*', or start in a directory below"
# Paths that are held against directories: more would take too long.
_MOST_PAIRS = 20_000
_MOST_STEPS = 8
_GIT_ELSEWHERE = "a person can allow it with a rule that spells it: `git -C *`, or run git there"
# What mktemp makes, as far as its name matters.
_FRESH = "/tmp/tmp.0123456789"  # noqa: S108 - no file of ours
# What leads up from a directory that is not known leads to another one that is not known.
_ABOVE = regex(r"(?:\.\.?(?:/+|\Z))+")
_WRITTEN_OUT = "write the name of the file out, or loop over a pattern: for f in src/*.txt"
_FROM_SLASH = regex(r"[^/]*?(/.*)", re.DOTALL)


class Boundaries:
    """The allowed directories and own files, for the commands of one text."""

    def __init__(self, found: TextFindings) -> None:
        self.findings = found.whole
        self.add = found.add

    def check(self, uses: Sequence[PathUse], rules: Sequence[Rule] = ()) -> None:
        """Hold the paths of one step against the limits; `rules` speak for the step."""
        findings = self.findings
        if findings.fence is None and findings.own is None and findings.policy.mode != "allowlist":
            return
        # A directory that is entered changes what the others mean, wherever it stands.
        for use in sorted(uses, key=lambda item: item.access != "enter"):
            if findings.too_many_directories or (_is_no_file(use.word) and use.access != "leave"):
                continue
            if use.access == "repository":
                if not any(rule.spells("-C") for rule in rules):  # else a person trusts others, too
                    self._in_repository(use.word)
                continue
            if use.access == "found":
                self._found(use)
                continue
            if use.access == "enter":
                self._entered(use.word, uses)
            if findings.fence is not None and use.access != "beside":
                self._fenced(use)
            if use.access in _CHANGES:
                self._changed(use, uses)

    def _entered(self, word: Word, uses: Sequence[PathUse]) -> None:
        """Paths may be seen from this directory, too."""
        known = _texts(word)
        # `tar -x -C build` is there for itself alone.
        if known is not None and not any(use.access == "fill" and use.word is word for use in uses):
            self.findings.stayed_in.add(known)
        if known is None or word.glob is not None or word.braces:
            self.findings.directory_is_known = False
        else:
            self.findings.enter_directory(known)

    # -- the fence -----------------------------------------------------------------------------------------

    def _fenced(self, use: PathUse) -> None:
        if use.access == "leave":
            found = use.word.text.startswith(("-exec", "-ok"))
            reason = f"`{use.word.text}` can follow links or lists out of {self._roots()}"
            hint = "write `-type f` first among the tests" if found else "leave the option out"
            self.add("deny", "allowed_directories", reason, _span(use.word), hint=hint)
            return
        known = _texts(use.word)
        if known is None:
            self._unknown(use)
            return
        if self._is_output(use, known):
            return
        texts = list(_readings(known)) if use.access in {"maybe", "alter"} else [known]
        if not all(self._holds(text, use.word) for text in texts):
            reason = f"this path is outside of {self._roots()}"
            self.add(
                "deny", "allowed_directories", reason, _span(use.word), hint=f"stay inside {self._roots()}"
            )
        elif use.access == "enter" and (use.word.glob is not None or use.word.braces):
            reason = "the directory is only known when it runs"
            self.add(
                "deny", "allowed_directories", reason, _span(use.word), hint="write the directory's name out"
            )

    def _is_output(self, use: PathUse, known: str) -> bool:
        """Whether a file is only read in which nacre keeps what a command has printed."""
        outputs = self.findings.outputs
        plain = not (use.word.glob is not None or use.word.braces or use.word.dynamic)
        if outputs is None or not plain or use.access not in {"read", "maybe"} or not known.startswith("/"):
            return False
        return outputs.holds(known, "/")

    def _unknown(self, use: PathUse) -> None:
        if use.access == "maybe" and self.findings.policy.mode != "allowlist":
            return
        reason = f"this path is only known when it runs; allowed: {self._roots()}"
        hint = "write the path out, or loop over a pattern: for f in *.txt"
        self.add(self.findings.when_unknown, "allowed_directories", reason, _span(use.word), hint=hint)

    def _holds(self, text: str, word: Word) -> bool:
        fence, directories = self.findings.fence, self.findings.directories
        if fence is None:
            return True
        if len(directories) > 1 and ".." in text.split("/"):
            return False
        pattern = word.glob is not None or word.braces or word.dynamic
        holds = fence.holds_pattern if pattern else fence.holds
        return all(holds(text, directory) for directory in directories)

    def _roots(self) -> str:
        return ", ".join(self.findings.policy.allowed_directories)

    # -- nacre's own files ---------------------------------------------------------------------------------

    def _changed(self, use: PathUse, uses: Sequence[PathUse]) -> None:
        """A file that is written, changed or removed."""
        word = use.word
        if is_fresh(word):
            rest = word.text.removeprefix(UNKNOWN)
            # Where no such file could be made, there is nothing before the rest.
            for path in {_FRESH + rest, rest or _FRESH}:
                self._changed(
                    replace(use, word=word.with_text(path)), [item for item in uses if item is not use]
                )
            return
        text = _texts(word) or _pattern(word)
        if self.findings.policy.mode == "allowlist":
            self._changed_under_allowlist(use, text, uses)
        own = self.findings.own
        if own is None:
            return
        exact = own.is_within if use.access in {"change", "touch", "fill"} else own.is_one
        known = word.literal or (word.tilde and not word.dynamic)
        # A relative path means a file of that name anywhere, where the directory is not known.
        known = known and (self.findings.directory_is_known or text.startswith(("/", "~")))
        sure = self.findings.surely_entered and use.access != "enter"
        for directory in self.findings.directories[sure:]:
            if known:
                hit = exact(text, directory) or self._receives(use, uses, directory)
            else:
                hit = own.may_be(text)
            if hit:
                reason = (
                    "it is, or could be, a file of nacre itself" if not known else "a file of nacre itself"
                )
                hint = "leave it to a person" if known else _WRITTEN_OUT
                self.add("deny", "own files", reason, _span(word), hint=hint)
                return

    def _changed_under_allowlist(self, use: PathUse, text: str, uses: Sequence[PathUse]) -> None:
        """A file that may tell git or a shell what to run, or a repository, must not be made by a command."""
        word = use.word
        if use.access != "beside":
            self._made(use, uses)
        if self._reaches_what_runs(use, text, uses):
            reason = "programs run what stands there"
            hint = "leave it to a person" if word.literal else _WRITTEN_OUT
            if not word.literal:
                reason = "it could be a file that tells programs what to run (.git/config, ~/.profile)"
            self.add("deny", "own files", reason, _span(word), hint=hint)
        elif use.access == "fill" and self._is_run_from(text):
            reason = "what is put there can be what git or a shell runs (.git/hooks, .git/config, ~/.profile)"
            self.add("deny", "own files", reason, _span(word), hint=_OF_ITS_OWN)

    def _made(self, use: PathUse, uses: Sequence[PathUse]) -> None:
        """Write down what this text makes: git must not take it for a repository."""
        findings = self.findings
        # `git clone x y` and `git init y` make repositories with a configuration of git's own.
        accesses = [other.access for other in uses]
        if "repository" in accesses and accesses.count("change") == 1:
            return
        put = _put_there(use, uses)
        findings.made.append((use, put))
        if findings.repositories and self._is_made_here(findings.repositories, len(findings.made) - 1):
            reason = "what git is used in becomes another repository here: its configuration can run programs"
            self.add("deny", "other repository", reason, _span(use.word), hint=_GIT_ELSEWHERE)

    def _found(self, use: PathUse) -> None:
        """Files below a directory are changed, whichever are found: nacre's own, or what git runs."""
        findings, word = self.findings, use.word
        text = _texts(word) or _pattern(word)
        patterns = use.names or ("*",)
        own = findings.own
        if own is not None and any(own.may_be(pattern) for pattern in patterns):
            known = word.literal and findings.directory_is_known
            if not known or any(own.is_within(text, directory) for directory in findings.directories):
                reason = "a file of nacre itself can be among what is found there"
                self.add("deny", "own files", reason, _span(word), hint=_FIND_LESS)
                return
        if findings.policy.mode != "allowlist":
            return
        inside = self._tells_what_runs(joined(text, "x"), "change")
        git, home = self._holds_what_runs(text)
        if inside or may_be_run(patterns, git=git and not use.without_git, home=home):
            reason = (
                "a file that tells programs what to run (.git/config, ~/.profile) can be among what is found"
            )
            self.add("deny", "own files", reason, _span(word), hint=_FIND_LESS)

    def _holds_what_runs(self, text: str) -> tuple[bool, bool]:
        """Whether a repository, and a person's home, are at a place or below it."""
        findings = self.findings
        files = findings.policy.files
        if findings.cwd is None or files is None:
            return False, False
        if not findings.directory_is_known or "*" in text or len(text) > LONGEST_PATH:
            return True, True
        here, home = real(files, findings.cwd), real(files, files.home)
        places = [real(files, joined(start, expanded(text, files.home))) for start in findings.directories]
        git = any(
            files.is_directory(joined(place, ".git")) or is_at_or_below(here, place) for place in places
        )
        return git, any(is_at_or_below(home, place) for place in places)

    def _tells_what_runs(self, text: str, access: Access) -> bool:
        """`cd .git && cp x config`: the directory is part of the name."""
        directories = [self.findings.cwd or ".", *self.findings.entered]
        places = [text, *(joined(directory, text) for directory in directories)]
        return any(tells_what_runs(place, gets_content=access != "touch") for place in places)

    def _reaches_what_runs(self, use: PathUse, text: str, uses: Sequence[PathUse]) -> bool:
        """The path itself, or what is put there under its own name: `cp -r x/.git .`."""
        if self._tells_what_runs(text, use.access) or (
            use.access != "touch" and self._may_tell(use.word, use.access)
        ):
            return True
        put = _put_there(use, uses)
        if not self.findings.directory_is_known and use.access != "touch" and not text.startswith(("/", "~")):
            # `cd "$d" && cp x config`: it may be .git that was entered.
            names = [_ABOVE.sub("", name) for name in (text, *(joined(text, name) for name in put))]
            return any(may_tell_what_runs(joined(UNKNOWN, name)) for name in names if name)
        return any(self._tells_what_runs(joined(text, name), use.access) for name in put)

    def _may_tell(self, word: Word, access: Access) -> bool:
        """A path that is not fully known and could be such a file."""
        if word.literal:
            return False
        if word.spelled:
            # A number or the like is a part of a name: whichever it is, it is none of these names.
            return self._tells_what_runs(word.text.replace(UNKNOWN, "0"), access)
        # The name of a file in a loop is one that its pattern matches: `for d in .g*; do cp x "$d/config"`.
        text = (_texts(word) or word.text) if _is_file_of_loop(word) else word.text
        return may_tell_what_runs(joined(self.findings.cwd or ".", text))

    def _is_run_from(self, text: str) -> bool:
        """A directory with a repository in it, or a person's home, or one that is not known."""
        findings = self.findings
        files = findings.policy.files
        if findings.cwd is None or files is None:
            return False
        if not findings.directory_is_known or "*" in text:
            return True
        start = [findings.cwd, *(joined(findings.cwd, entered) for entered in findings.entered)]
        if findings.surely_entered:
            start = start[1:]  # what follows `cd build &&` runs there or not at all
        if len(text) > LONGEST_PATH:
            return True
        places = {real(files, joined(directory, expanded(text, files.home))) for directory in start}
        home = real(files, files.home)
        marks = [joined(place, ".git") for place in places]
        return home in places or any(files.is_directory(mark) or files.is_file(mark) for mark in marks)

    def _in_repository(self, word: Word) -> None:
        """git, in the working directory, in those that the text changes to, and in the one it is told."""
        findings = self.findings
        files = findings.policy.files
        if findings.policy.mode != "allowlist" or files is None or findings.cwd is None:
            return
        here = real(files, findings.cwd)
        told = [word.text] if word.literal and word.text else []
        stayed = [item for item in findings.entered if item in findings.stayed_in]
        places = self._places_of_git(here, [*findings.entered, *told])
        staying = self._places_of_git(here, [*stayed, *told])
        new = [place for place in staying if place not in findings.repositories]
        findings.repositories.update(dict.fromkeys(new))
        if any(is_other_repository(files, place, here) for place in places) or self._is_made_here(new):
            reason = "another repository is there, or what looks like one: its configuration can run programs"
            self.add("deny", "other repository", reason, _span(word), hint=_GIT_ELSEWHERE)

    def _places_of_git(self, here: str, entered: Sequence[str]) -> list[str]:
        """The working directory, and those that are entered from there, or from one another."""
        files = self.findings.policy.files
        if files is None:
            return []
        steps = [expanded(item, files.home) for item in dict.fromkeys(entered) if len(item) <= LONGEST_PATH]
        deeper = itertools.accumulate(steps, joined)
        pairs = (
            (joined(*pair) for pair in itertools.permutations(steps, 2)) if len(steps) <= _MOST_STEPS else ()
        )
        return list(
            dict.fromkeys([here, *(real(files, joined(here, path)) for path in (*steps, *deeper, *pairs))])
        )

    def _is_made_here(self, places: Collection[str], already: int = 0) -> bool:
        """Whether a directory in which git is used becomes a repository by what this very text makes."""
        findings = self.findings
        if findings.policy.files is None or not places:
            return False
        for use, put in findings.made[len(findings.made_paths) :]:
            findings.made_paths.append(tuple(self._made_paths(use, put)))
        found = [path for made in findings.made_paths[already:] for path in made]
        if len(found) * len(places) > _MOST_PAIRS:
            return True
        return any(makes_repository(path, place) for path in found for place in places)

    def _made_paths(self, use: PathUse, put: Sequence[str]) -> Iterator[MadePath]:
        files = self.findings.policy.files
        text = _texts(use.word) or _pattern(use.word)
        if files is None or len(text) > LONGEST_PATH:
            return
        for start in self.findings.directories:
            there = real(files, joined(start, expanded(text, files.home)))
            # What is put into a directory that is there has a name; what comes into another one is not known.
            inside = files.is_directory(there) and use.access != "fill"
            yield MadePath(there, unseen=not inside and use.access != "touch")
            if inside:
                yield from (MadePath(joined(there, name), unseen=use.access != "touch") for name in put)

    def _receives(self, use: PathUse, uses: Sequence[PathUse], directory: str) -> bool:
        """`cp x/nacre.toml .`: what is put into a directory has a name there."""
        own = self.findings.own
        if own is None:
            return False
        others = [other.word for other in uses if other is not use and other.access != "leave"]
        return any(own.receives(use.word.text, _pattern(other), directory) for other in others)


def _put_there(use: PathUse, uses: Sequence[PathUse]) -> list[str]:
    """The names of what is put into a directory, if it is one: `cp a/b c` makes c/b."""
    return [
        _pattern(other.word).rstrip("/").rpartition("/")[2]
        for other in uses
        if use.access == "change" and other is not use and other.access in {"read", "change"}
    ]


def _span(word: Word) -> Span:
    return (word.start, word.end)


def _pattern(word: Word) -> str:
    return word.text.replace(UNKNOWN, "*")


def _is_no_file(word: Word) -> bool:
    """Pipes to commands, what find has found below where it started, and devices that are no files."""
    if is_process(word) or (word.text == "./" + UNKNOWN and word.expansions[0].name == "{}"):
        return True
    return word.literal and word.text in FREE_TARGETS


def _is_file_of_loop(word: Word) -> bool:
    """The name of a file that a pattern of the text has found; the pattern was looked at."""
    return _texts(word) is not None and word.dynamic


def _texts(word: Word) -> str | None:
    """A path as far as it is known, with the pattern of a loop for its file; None if it is not known."""
    if not word.dynamic:
        return word.text
    if len(word.expansions) != 1 or word.expansions[0].kind != "file" or not word.expansions[0].pattern:
        return None
    pattern = word.expansions[0].pattern
    before, _, after = word.text.partition(UNKNOWN)
    if pattern.startswith(before):
        return pattern + after
    return before + pattern + after if "/" not in pattern else None


def _readings(text: str) -> Iterator[str]:
    """The paths that an argument could mean: itself, and what follows `=`, `@` or an option's letter."""
    yield text
    _, equals, value = text.partition("=")
    if equals:
        yield value
    if text.startswith("@"):
        yield text[1:]
    address = _FILE_ADDRESS.match(text)
    if address is not None:
        yield address.group(1)
    if text.startswith("-"):
        found = _FROM_SLASH.match(text)
        if found is not None:
            yield found.group(1)
        if text[2:]:
            yield text[2:]
