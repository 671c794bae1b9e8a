"""What the commands of one text link, move and copy: a path can lead to what has another name before it runs.

`mv d e && cat e/x` reads what is d/x while the text is judged, and `ln -s .. l` in another directory makes a
link that leads from there. Above: `boundaries` holds the paths that a path may stand for against the limits,
too. Below: `paths` and `effects`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nacre.policy.effects import known_path
from nacre.policy.paths import (
    LONGEST_PATH,
    expanded,
    is_at_or_below,
    is_pattern,
    joined,
    may_be_same,
    paths_in,
    spot,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from nacre.filesystem import FileSystem
    from nacre.policy.effects import PathUse

# Names that are given, and names that are followed for all paths: more would take too long.
_MOST_NAMES = 4_000
_MOST_STEPS = 4_000
_CHANGES = ("change", "fill")
_SOURCES = ("read", "change")
_GIVING = frozenset({*_CHANGES, "link"})
_MOST_STEPS_UP = 6


class Renames:
    """New names, and what they are names for; absolute, and links before the last part are resolved."""

    def __init__(self, files: FileSystem | None) -> None:
        self._files = files
        # By each name what had another one before, and which command gave the name; 0: several.
        self._made: dict[str, dict[str, int]] = {}
        # Those among them that are patterns, which stand for all that they match.
        self._patterns: dict[str, None] = {}
        self._command = 0
        self._count = 0
        self._steps = _MOST_STEPS
        self._spots: dict[tuple[str, str], str] = {}
        # What is moved, and so is no longer where it was.
        self._gone: set[str] = set()
        self._later: dict[str, list[tuple[str, int]]] = {}

    @property
    def given(self) -> bool:
        """Whether there are any."""
        return self._count > 0

    def add(self, uses: Sequence[PathUse], directories: Sequence[str]) -> int:
        """Note what one command gives another name; which one it is."""
        self._command += 1
        if _GIVING.isdisjoint({use.access for use in uses}):  # nearly always
            return self._command
        if any(use.brings_links for use in uses):
            return self._command  # what comes out of an archive has no name before
        targets = [use for use in uses if use.access in _CHANGES and _is_known(use)]
        sources = [use for use in uses if use.access in _SOURCES and _is_known(use)]
        links = [use for use in uses if use.access == "link" and _is_known(use)]
        # Where several are changed, the first (`mv -t x`) or the last gets the others.
        goals = {id(use): use for use in (*targets[:1], *targets[-1:])}.values()
        for directory in directories:
            for goal in goals:
                self._put(_text(goal), [_text(use) for use in sources if use is not goal], directory)
            for link in links:
                self._link(link, directory)
            self._gone |= {self._spot(_text(use), directory) for use in targets}
        return self._command

    def _put(self, target: str, sources: Sequence[str], directory: str) -> None:
        if self._count > _MOST_NAMES or not sources:
            return
        new = self._spot(target, directory)
        for source in sources:
            old = self._spot(source, directory)
            for name in (new, joined(new, old.rpartition("/")[2])):
                self._give(name, old)

    def _link(self, link: PathUse, directory: str) -> None:
        """What a symbolic link says is seen from where it stands."""
        new = self._spot(_text(link), directory)
        for said in link.names:
            base = said.rstrip("/").rpartition("/")[2]
            ways = ((new, new.rpartition("/")[0] or "/"), (joined(new, base), new))
            for name, start in ways:
                self._give(name, self._spot(said, start))

    def _give(self, name: str, old: str) -> None:
        olds = self._made.setdefault(name, {})
        if old in olds:
            olds[old] = olds[old] if olds[old] == self._command else 0
        elif not is_at_or_below(old, name):  # nothing takes the place of what holds it
            olds[old] = self._command
            self._count += 1
            if is_pattern(name):
                self._patterns[name] = None
            self._steps = self._steps if self._count <= _MOST_NAMES else 0

    def meant_by(self, use: PathUse, directory: str, command: int) -> Sequence[str] | None:
        """The paths that a path may stand for, to a command that did not name it; None: they are too many."""
        path = _text(use)
        if not self._count or len(path) > LONGEST_PATH:
            return ()
        if self._steps < 0:
            return None
        found: dict[str, None] = {}
        paths = tuple(paths_in(path)) if use.access in {"maybe", "alter"} else (path,)
        waiting = [self._absolute(each, directory) for each in paths]
        # Seen from a directory that has come elsewhere by then, it is another path.
        starts = self._later_names(directory, command)
        moved = [joined(start, each) for start in starts for each in paths if self._is_seen_from_here(each)]
        found.update(dict.fromkeys(moved))
        waiting += moved
        if (use.word.glob is not None and "**" in path) or path.count("..") > _MOST_STEPS_UP:
            return None
        if use.access == "tree":
            waiting += [name for name in self._made if is_at_or_below(name, self._spot(path, directory))]
        while waiting:
            for way in self._ways(waiting.pop()):
                for following in self._olds_of(way, command):
                    self._steps -= 1
                    if following not in found and len(following) <= LONGEST_PATH:
                        found[following] = None
                        waiting.append(following)
            if self._steps < 0:
                return None
        return tuple(found)

    def _later_names(self, directory: str, command: int) -> tuple[str, ...]:
        """Where a directory is once others have moved it, or one that holds it: `mv x ../here y ../..`."""
        if directory not in self._later:
            place = self._spot(directory, "/")
            self._later[directory] = [
                (name + place[len(old) :], giver)
                for name, olds in self._made.items()
                for old, giver in olds.items()
                if old in self._gone and is_at_or_below(place, old)
            ]
        found = self._later[directory]
        self._steps -= len(found)
        return tuple(dict.fromkeys(name for name, giver in found if giver != command))

    def _is_seen_from_here(self, path: str) -> bool:
        return not path.startswith(("/", "~"))

    def _ways(self, path: str) -> Iterator[str]:
        """A path by its names; what `..` leads up from can be a link by then, and is looked for, too."""
        yield from dict.fromkeys((self._spot(path, "/"), self._normal(path)))
        parts = path.split("/")
        for at, part in enumerate(parts):
            if part == ".." and at > 1:
                self._steps -= 4
                yield joined(self._spot("/".join(parts[:at]), "/"), "/".join(parts[at:]))

    def _olds_of(self, path: str, command: int) -> Iterator[str]:
        """What a path, or a directory on the way to it, was called before."""
        at, patterned = len(path), is_pattern(path)
        while at > 0 and self._steps >= 0:
            here = path[:at]
            if here in self._made:
                yield from (old + path[at:] for old in self._given_by_others(here, command))
            for name in self._made if patterned and is_pattern(here) else self._patterns:
                self._steps -= 1
                if name != here and may_be_same(name, here):
                    yield from (
                        _with_last_of(here, old) + path[at:] for old in self._given_by_others(name, command)
                    )
            at = path.rfind("/", 0, at)

    def _given_by_others(self, name: str, command: int) -> Iterator[str]:
        return (old for old, giver in self._made[name].items() if giver != command)

    def _spot(self, path: str, directory: str) -> str:
        key = (path, directory)
        if key not in self._spots:
            self._spots[key] = spot(self._files, self._absolute(path, directory))
        return self._spots[key]

    def _normal(self, path: str) -> str:
        return spot(None, path)

    def _absolute(self, path: str, directory: str) -> str:
        return joined(directory, expanded(path, self._files.home if self._files is not None else "~"))


def _with_last_of(here: str, old: str) -> str:
    """What a pattern has moved keeps its name: behind `mv a/*.py b`, b/x.py was a/x.py."""
    directory, _, name = old.rpartition("/")
    last = here.rpartition("/")[2]
    return f"{directory}/{last}" if is_pattern(name) and may_be_same(name, last) else old


def _text(use: PathUse) -> str:
    return known_path(use.word) or ""


def _is_known(use: PathUse) -> bool:
    return 0 < len(_text(use)) <= LONGEST_PATH
