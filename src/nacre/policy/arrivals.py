"""What comes into a directory lands where the links in it lead: some are there, others come with an archive.

`cp x/f d` writes what d/f leads to, and `tar -x -C d` what is behind d/l, if that is a link to a directory.
Above: `boundaries`, which checks the paths that are named. Below: `paths` resolves, `findings` keeps what was
found.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from nacre.policy.effects import as_pattern, gets_others, known_path
from nacre.policy.hidden_files import is_environment, is_unknown_hidden_file
from nacre.policy.paths import (
    LONGEST_PATH,
    expanded,
    is_at_or_below,
    is_pattern,
    joined,
    links_below,
    may_be_same_name,
    real,
    tells_what_runs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nacre.filesystem import FileSystem
    from nacre.policy.effects import Access, PathUse
    from nacre.policy.findings import TextFindings
    from nacre.policy.paths import OwnFiles

_GETS_CONTENT: frozenset[Access] = frozenset({"write", "change", "equip", "alter", "fill"})
_MOST_HIDDEN = 2_000
_MOST_PUT = 100  # each of them is looked for in each directory
_OTHERWISE_KNOWN = frozenset({".git", ".tox", ".nox"})
_SEVERAL = "run it as several commands"
OF_ITS_OWN = "name a directory of its own (tar -C dir, unzip -d dir); for a patch, use git apply"


class Arrivals:
    """Links in the directories that get files, for the commands of one text."""

    def __init__(self, found: TextFindings) -> None:
        self.findings = found.whole
        self.add = found.add

    def check(self, use: PathUse, uses: Sequence[PathUse], put: Sequence[str]) -> None:
        """A path that is changed; `put`: the names of what is put there, if it is a directory."""
        findings, files = self.findings, self.findings.policy.files
        if (
            files is None
            or use.turned
            or not (use.access in _GETS_CONTENT or (use.access == "touch" and findings.unpacked))
        ):
            return
        if any(item.decision == "deny" for item in findings.items):
            return  # to look through a large directory takes its time
        places = list(self._places(use, files)) if put or use.access == "fill" or findings.unpacked else []
        if findings.unpacked and self._is_led_away(use, uses, places):
            reason = "this text fills that directory: a link that comes along can lead anywhere"
            self._refuse(use, reason, _SEVERAL)
        elif any(self._leads_away(place, use, put, files) for place in places):
            reason = "a link in this directory leads elsewhere, or there is too much in it to know"
            self._refuse(use, reason, OF_ITS_OWN)

    def keep(self, uses: Sequence[PathUse]) -> None:
        """Write down where a step has unpacked something: what follows may land elsewhere."""
        files = self.findings.policy.files
        for use in uses:
            if files is not None and (use.brings_links or _gets_found(use, uses)):
                self.findings.unpacked.update(dict.fromkeys(self._places(use, files)))
                if use.access == "fill" and any(map(_are_several, uses)):
                    reason = "a link that one of several archives brings along leads the next one elsewhere"
                    self._refuse(use, reason, _SEVERAL)

    def comes_along(self, here: str, named: Sequence[str]) -> bool:
        """`git clone u x && cd x/y && git log`: y may be another repository, with its own configuration."""
        findings, files = self.findings, self.findings.policy.files
        if files is None or not findings.unpacked:
            return False
        steps = [expanded(item, files.home) for item in findings.changed_to if len(item) <= LONGEST_PATH]
        ways = ["", *itertools.accumulate(steps, joined)]
        places = {real(files, joined(here, joined(way, inner))) for way in ways for inner in ("", *named)}
        return any(
            place != unpacked and is_at_or_below(place, unpacked)
            for place in places
            for unpacked in findings.unpacked
        )

    def finds_hidden(self, use: PathUse, text: str) -> bool:
        """Whether a file with a dot before its name that may hold instructions is among what is found.

        Editors, agents and hooks have theirs at the top of a project.
        """
        findings, files = self.findings, self.findings.policy.files
        patterns = use.names or ("*",)
        if use.plain:
            return False
        if any(is_unknown_hidden_file(pattern) for pattern in patterns):
            return True
        if files is None or findings.cwd is None or len(text) > LONGEST_PATH:
            return False
        here = real(files, findings.cwd)
        places = {
            real(files, joined(start, expanded(text, files.home))) for start in (here, *findings.directories)
        }
        places |= {here} if any(is_at_or_below(here, place) for place in places) else set()
        return any(
            name is None or any(may_be_same_name(pattern, name) for pattern in patterns)
            for place in places
            for name in _hidden_files(files, place)
        )

    def _places(self, use: PathUse, files: FileSystem) -> Iterator[str]:
        """Where a path is, seen from the directories in which commands run (`tar -C` is for itself alone)."""
        findings, text = self.findings, known_path(use.word)
        if text is None or len(text) > LONGEST_PATH:
            return
        here = findings.cwd or "."
        stayed = [item for item in findings.entered if item in findings.stayed_in]
        starts = [joined(here, expanded(item, files.home)) for item in stayed]
        for start in starts if findings.surely_entered else [here, *starts]:
            yield real(files, joined(start, expanded(text, files.home)))

    def _is_led_away(self, use: PathUse, uses: Sequence[PathUse], places: Sequence[str]) -> bool:
        """Whether it is, or is behind, a name that an archive has brought; if filled, it may hold one."""
        own = self.findings.own
        # Of what is changed, the last gets the others: `mv d/x y` takes something away from d.
        changed = [other for other in uses if other.access == "change"]
        moved = use.access == "change" and changed[-1] is not use
        if moved and not (own is not None and own.may_be(as_pattern(use.word))):
            return False
        return any(
            # What is only moved, removed or touched may itself be a link, but no directory on the way to it.
            is_at_or_below(place.rpartition("/")[0].rpartition("/")[0], unpacked)
            if moved or use.access == "touch"
            else is_at_or_below(place, unpacked) or (use.access == "fill" and is_at_or_below(unpacked, place))
            for place in places
            for unpacked in self.findings.unpacked
        )

    def _leads_away(self, place: str, use: PathUse, put: Sequence[str], files: FileSystem) -> bool:
        """Whether a link that is there already leads to what must not be written."""
        if self.findings.cwd is None or not files.is_directory(place):
            return False
        try:
            entries = files.entries(place)
        except OSError:
            return False  # nobody writes there either
        if use.access != "fill":
            entries = [item for item in entries if any(may_be_same_name(name, item.name) for name in put)]
        found = links_below(files, place, entries)
        return found is None or any(self._is_out_of_bounds(goal, place, files) for goal in found)

    def _is_out_of_bounds(self, goal: str, place: str, files: FileSystem) -> bool:
        findings = self.findings
        fence, own = findings.fence, findings.own
        if (fence is not None and not fence.holds(goal, "/")) or (
            own is not None and own.is_within(goal, "/")
        ):
            return True
        if findings.policy.mode != "allowlist":
            return False
        elsewhere = files.is_directory(goal) and not is_at_or_below(goal, place)
        return elsewhere or tells_what_runs(goal)

    def _refuse(self, use: PathUse, reason: str, hint: str) -> None:
        rule = "allowed_directories" if self.findings.fence is not None else "own files"
        self.add("deny", rule, reason, (use.word.start, use.word.end), hint=hint)


def held(own: OwnFiles, use: PathUse, put: Sequence[str]) -> Callable[[str, str], bool]:
    """How a path that is changed is held against own files: with all that is in it, or what is put there."""
    found = dict.fromkeys(put)
    if not use.stays or not 0 < len(found) <= _MOST_PUT or any(map(is_pattern, found)):
        return own.is_within
    return lambda path, directory: (
        own.is_one(path, directory) or any(own.is_within(joined(path, name), directory) for name in found)
    )


def _hidden_files(files: FileSystem, place: str) -> Iterator[str | None]:
    """The names of files with a dot before them, or in such a directory; None: there are too many.

    git's own are known by their names, and what is in an environment of Python is code of the project.
    """
    waiting, seen = [(place, True)], 0
    while waiting:
        directory, only_hidden = waiting.pop()
        try:
            entries = files.entries(directory)
        except OSError:
            continue  # nothing is found there
        for entry in entries:
            if only_hidden and not (entry.name.startswith(".") and _may_instruct(entry.name)):
                continue
            path = joined(directory, entry.name)
            if entry.is_link or not files.is_directory(path):
                yield entry.name
            else:
                waiting.append((path, False))
            seen += 1
            if seen > _MOST_HIDDEN:
                yield None
                return


def _may_instruct(name: str) -> bool:
    return name not in _OTHERWISE_KNOWN and is_unknown_hidden_file(name) and not is_environment(name)


def _gets_found(use: PathUse, uses: Sequence[PathUse]) -> bool:
    """`find x -exec mv {} y`: links can be among what was found."""
    moved = (other for other in uses if other.access == "change" and other is not use)
    return gets_others(use, uses) and any(known_path(other.word) is None for other in moved)


def _are_several(use: PathUse) -> bool:
    """An archive by a pattern, of a loop or of what was found: more than one may come."""
    if use.access != "read":
        return False
    word = use.word
    looped = any(piece.kind == "file" or piece.name == "{}" for piece in word.expansions)
    return looped or word.glob is not None or (not word.dynamic and is_pattern(word.text))
