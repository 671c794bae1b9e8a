"""Links, and other names that a text gives: where a path leads when the command runs, not when it is judged.

Above: `boundaries`, which checks paths as they are now. Below: `renames` knows the new names, `paths`
resolves, `findings` keeps what was found.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from nacre.policy.effects import known_path
from nacre.policy.model import UNKNOWN
from nacre.policy.paths import (
    LONGEST_PATH,
    expanded,
    is_at_or_below,
    joined,
    leads_elsewhere,
    may_match_link,
    real,
    spot,
    tells_what_runs,
)
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nacre.filesystem import FileSystem
    from nacre.policy.effects import Access, PathUse
    from nacre.policy.findings import Span, TextFindings

_NO_PATH: frozenset[Access] = frozenset({"leave", "repository", "found", "tracked", "beside", "link"})
_WRITES: frozenset[Access] = frozenset({"write", "change", "touch", "equip", "alter", "fill"})
_GETS_CONTENT = _WRITES - {"touch", "change"}
_SEVERAL = "run it as several commands"
# cmd.exe looks for a program in the working directory first, under its name with one of these endings.
_RUN_FIRST = regex(
    r"(?i)(?:.*[\\/:])?([^\\/:]+)\.(?:com|exe|bat|cmd|vbs|vbe|js|jse|wsf|wsh|msc|py|pyw|rb|lnk)\Z", re.DOTALL
)


class LinkCheck:
    """Links and new names, for the commands of one text."""

    def __init__(self, found: TextFindings) -> None:
        self.findings = found.whole
        self.add = found.add
        self.shell = found.shell

    def check(self, uses: Sequence[PathUse]) -> None:
        """The paths of one step: the links that it makes or moves, and the names that others have given."""
        if self.shell == "cmd" and self.findings.policy.mode == "allowlist":
            self._found_first(uses)
        findings, files = self.findings, self.findings.policy.files
        if not uses or files is None or findings.too_many_directories:
            return
        for use in uses:
            findings.makes_links = findings.makes_links or use.access == "link"
        if findings.fence is not None:
            for use in uses:
                if use.access == "link" and _is_known(use):
                    self._made(use, files)
            self._moved(uses, files)
        self._follow(uses)

    def _found_first(self, uses: Sequence[PathUse]) -> None:
        """`git.bat` in a directory takes the place of git there."""
        policy = self.findings.policy
        for use in uses:
            found = _RUN_FIRST.match(use.word.text) if use.access in _WRITES else None
            rules = (*policy.allows, *policy.asks) if found is not None else ()
            if found is not None and any(rule.admits_name(found[1], fold=True) for rule in rules):
                reason = f"cmd.exe would run it in the place of `{found[1]}`"
                self.add("deny", "own files", reason, _span(use), hint="give the file another name")

    # -- links ---------------------------------------------------------------------------------------------

    def _made(self, use: PathUse, files: FileSystem) -> None:
        """A symbolic link says where it leads, seen from where it stands."""
        fence = self.findings.fence
        for directory in self.findings.directories:
            place = joined(directory, expanded(use.word.text, files.home))
            start = place if files.is_directory(place) else spot(files, place).rpartition("/")[0] or "/"
            if fence is not None and not all(fence.holds(said, start) for said in use.names):
                reason = (
                    "this link would lead out of the allowed directories: it is seen from where it stands"
                )
                self._refuse(use, reason, hint="write the whole path of what it leads to, or use ln -sr")
                return

    def _moved(self, uses: Sequence[PathUse], files: FileSystem) -> None:
        """A link that is moved to another directory can lead elsewhere."""
        changed = [use for use in uses if use.access == "change" and _is_known(use)]
        for directory in self.findings.directories if len(changed) > 1 else ():
            spots = [spot(files, joined(directory, expanded(use.word.text, files.home))) for use in changed]
            goal = spots[-1] if files.is_directory(spots[-1]) else spots[-1].rpartition("/")[0]
            for use, place in zip(changed[:-1], spots, strict=False):
                if place.rpartition("/")[0] != real(files, goal) and leads_elsewhere(files, place):
                    reason = "a link that comes into another directory could lead out of the allowed ones"
                    self._refuse(
                        use, reason, hint="leave the link where it is, or copy what it leads to: cp a b"
                    )
                    return

    # -- other names ---------------------------------------------------------------------------------------

    def _follow(self, uses: Sequence[PathUse]) -> None:
        """Keep what this step uses and gives another name; the whole text counts, for a loop comes back."""
        findings = self.findings
        command = findings.renames.add(uses, findings.directories)
        findings.used.append((self._by_other_names, uses, command))
        if findings.unpacked and findings.renames.given:
            self._out_of_archives(uses, command)

    def _out_of_archives(self, uses: Sequence[PathUse], command: int) -> None:
        """What an archive of this text has brought along can be a link, under its new name, too."""
        findings, files = self.findings, self.findings.policy.files
        changed = [use for use in uses if use.access == "change"]
        here, home = real(files, findings.cwd or "."), files.home if files is not None else "~"
        stayed = [
            joined(here, expanded(item, home)) for item in findings.entered if item in findings.stayed_in
        ]
        # Of what is changed, the last gets the others.
        for use in (*(use for use in uses if use.access in _GETS_CONTENT), *changed[-1:]):
            meant = [findings.renames.meant_by(use, place, command) or () for place in (here, *stayed)]
            places = {real(files, path) for paths in meant for path in paths}
            if any(is_at_or_below(place, unpacked) for place in places for unpacked in findings.unpacked):
                reason = "this may be a link that has come along where this text has filled a directory"
                self._refuse(use, reason, hint=_SEVERAL)
                return

    def _by_other_names(self, uses: Sequence[PathUse], command: int) -> None:
        """The paths that a command uses, if this text gives any files other names."""
        for use in uses:
            if use.access not in _NO_PATH and _is_path(use):
                self._by_other_name(use, command)

    def _by_other_name(self, use: PathUse, command: int) -> None:
        """A path is also judged by the names that it had before."""
        findings = self.findings
        for directory in findings.directories:
            meant = findings.renames.meant_by(use, directory, command)
            if meant is None:
                self._refuse(use, "this text gives too many files other names", hint=_SEVERAL)
                return
            if not all(self._may_be(path, use) for path in meant):
                reason = "this text gives a file this name, and by its first name it is out of bounds"
                self._refuse(use, reason, hint=_SEVERAL)
                return

    def _may_be(self, path: str, use: PathUse) -> bool:
        """Whether a path that a name may stand for is within all limits."""
        findings, files = self.findings, self.findings.policy.files
        fence, own = findings.fence, findings.own
        writes = use.access in _WRITES
        # A link that has come elsewhere with what holds it can lead anywhere.
        away = files is not None and may_match_link(files, path, deep=use.access == "tree")
        if (away and (writes or fence is not None)) or (
            fence is not None and not fence.holds_pattern(path, "/")
        ):
            return False
        if not writes:
            return True
        is_own = own is not None and own.is_within(path, "/")
        decides_what_runs = tells_what_runs(path) or tells_what_runs(real(files, path))
        return not is_own and not (decides_what_runs and findings.policy.mode == "allowlist")

    def _refuse(self, use: PathUse, reason: str, *, hint: str) -> None:
        self.add("deny", "allowed_directories", reason, _span(use), hint=hint)


def _is_path(use: PathUse) -> bool:
    known = known_path(use.word)
    return known is not None and not use.word.braces and len(known) <= LONGEST_PATH


def _is_known(use: PathUse) -> bool:
    word = use.word
    known = not word.dynamic and UNKNOWN not in word.text  # a program can give names that no text says
    return known and not word.braces and len(word.text) <= LONGEST_PATH


def _span(use: PathUse) -> Span:
    return (use.word.start, use.word.end)
