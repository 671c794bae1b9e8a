"""What a command touches: its paths, against the allowed directories and nacre's own files.

Above: `redirection_check` and `check`, which hand over paths. Below: `findings` keeps what was
found, `paths` resolves. With a fence every argument that is not known to be no path must be inside, and a
path that is only known when the command runs is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.effects import FREE_TARGETS, Access, PathUse, is_process
from nacre.policy.model import UNKNOWN, Word
from nacre.policy.paths import (
    LONGEST_PATH,
    expanded,
    is_other_repository,
    joined,
    may_tell_what_runs,
    real,
    tells_what_runs,
)
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.policy.findings import Span, TextFindings
    from nacre.policy.matching import Rule

_CHANGES: frozenset[Access] = frozenset({"write", "change", "touch", "alter", "fill"})
_FILE_ADDRESS = regex(r"(?i)(?:[a-z]+\+)?(?:file|link|portal):(?://[^/]*)?(.*)", re.DOTALL)
_OF_ITS_OWN = "name a directory of its own (tar -C dir, unzip -d dir); for a patch, use git apply"
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
            if _is_no_file(use.word) and use.access != "leave":
                continue
            if use.access == "repository":
                if not any(rule.spells("-C") for rule in rules):  # else a person trusts others, too
                    self._in_repository(use.word)
                continue
            if use.access == "enter":
                self._entered(use.word)
            if findings.fence is not None:
                self._fenced(use)
            if use.access in _CHANGES:
                self._changed(use, uses)

    def _entered(self, word: Word) -> None:
        """Paths may be seen from this directory, too."""
        known = _texts(word)
        if known is None or word.glob is not None or word.braces:
            self.findings.directory_is_known = False
        else:
            self.findings.entered.append(known)
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
        text = _texts(word) or _pattern(word)
        if self.findings.policy.mode == "allowlist" and self._reaches_what_runs(use, text, uses):
            reason = "programs run what stands there"
            hint = "leave it to a person" if word.literal else "write the name of the file out"
            if not word.literal:
                reason = "it could be a file that tells programs what to run (.git/config, ~/.profile)"
            self.add("deny", "own files", reason, _span(word), hint=hint)
        elif use.access == "fill" and self.findings.policy.mode == "allowlist" and self._is_run_from(text):
            reason = "what is put there can be what git or a shell runs (.git/hooks, .git/config, ~/.profile)"
            self.add("deny", "own files", reason, _span(word), hint=_OF_ITS_OWN)
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
                hint = "leave it to a person" if known else "write the name of the file out"
                self.add("deny", "own files", reason, _span(word), hint=hint)
                return

    def _tells_what_runs(self, text: str) -> bool:
        """`cd .git && cp x config`: the directory is part of the name."""
        directories = [self.findings.cwd or ".", *self.findings.entered]
        places = [text, *(joined(directory, text) for directory in directories)]
        return any(tells_what_runs(place) for place in places)

    def _reaches_what_runs(self, use: PathUse, text: str, uses: Sequence[PathUse]) -> bool:
        """The path itself, or what is put there under its own name: `cp -r x/.git .`."""
        if self._tells_what_runs(text) or (use.access != "touch" and self._may_tell(use.word)):
            return True
        put = [
            _pattern(other.word).rstrip("/").rpartition("/")[2]
            for other in uses
            if use.access == "change" and other is not use and other.access in {"read", "change"}
        ]
        return any(self._tells_what_runs(joined(text, name)) for name in put)

    def _may_tell(self, word: Word) -> bool:
        """A path that is not fully known and could be such a file."""
        if word.literal or _is_file_of_loop(word):
            return False
        return may_tell_what_runs(joined(self.findings.cwd or ".", word.text))

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
        here, places = findings.cwd, [findings.cwd]
        if findings.entered or word.text:
            here = real(files, here)
            entered = [*findings.entered, *([word.text] if word.literal and word.text else [])]
            entered = [item for item in entered if len(item) <= LONGEST_PATH]
            places = [here, *(real(files, joined(here, expanded(item, files.home))) for item in entered)]
        if any(is_other_repository(files, place, here) for place in places):
            reason = "another repository is there, or what looks like one: its configuration can run programs"
            hint = "a person can allow it with a rule that spells it: `git -C *`, or run git there"
            self.add("deny", "other repository", reason, _span(word), hint=hint)

    def _receives(self, use: PathUse, uses: Sequence[PathUse], directory: str) -> bool:
        """`cp x/nacre.toml .`: what is put into a directory has a name there."""
        own = self.findings.own
        if own is None:
            return False
        others = [other.word for other in uses if other is not use and other.access != "leave"]
        return any(own.receives(use.word.text, _pattern(other), directory) for other in others)


def _span(word: Word) -> Span:
    return (word.start, word.end)


def _pattern(word: Word) -> str:
    return word.text.replace(UNKNOWN, "*")


def _is_no_file(word: Word) -> bool:
    """Pipes to commands, what find has found below where it started, and devices that are no files."""
    if is_process(word) or any(expansion.name == "{}" and word.prefix for expansion in word.expansions):
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
