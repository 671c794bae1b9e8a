"""Paths: whether one stays inside the allowed directories, and whether it is one of nacre's own files.

Above: `boundaries` asks for working directories, redirections and arguments. Below: nothing. The only module
of the package that touches the file system: links and `..` are resolved as the kernel would, patterns are
held against the names that are there, and nothing is compared by a common beginning of two strings alone.
"""

from __future__ import annotations

import fnmatch
import os
import os.path
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_GLOB = re.compile(r"[*?\[]")
_SEPARATOR = re.compile(r"[/\\]" if os.sep == "\\" else "/")
# Names that are looked at for one pattern: beyond, nobody waits for the answer.
_MOST_NAMES = 20_000
# What git runs, or reads to know what it runs.
_RUN_BY_GIT = re.compile(
    r"(?:.*/)?\.git(?:/(?:.*/)?(?:config(?:\.worktree)?|hooks(?:/.*)?|info/attributes|git-rebase-todo))?\Z",
    re.DOTALL,
)


class Fence:
    """The allowed directories, resolved once."""

    def __init__(self, directories: Iterable[str], home: str | None = None) -> None:
        self.home = home or os.path.expanduser("~")
        self.roots = tuple(real(expanded(item, self.home)) for item in directories)

    def expanded(self, path: str) -> str:
        """A leading `~` as the shell would replace it; another user's home stays as it is (and outside)."""
        return expanded(path, self.home)

    def holds(self, path: str, directory: str) -> bool:
        """Tell whether a path, seen from a directory, is inside one of the roots."""
        if path.startswith("~") and not (path == "~" or path.startswith("~/")):
            return False
        return self._holds_real(real(joined(directory, self.expanded(path))))

    def _holds_real(self, path: str) -> bool:
        return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots)

    def holds_pattern(self, path: str, directory: str) -> bool:
        """The same for a pattern: its beginning, and every link that it matches, must be inside."""
        found = _GLOB.search(path)
        if found is None:
            return self.holds(path, directory)
        borders = [border.end() for border in _SEPARATOR.finditer(path[: found.start()])]
        fixed = path[: borders[-1]] if borders else ""
        segments = [segment for segment in _SEPARATOR.split(path[len(fixed) :]) if segment]
        if ".." in segments or not self.holds(fixed or ".", directory):
            return False
        start = real(joined(directory, self.expanded(fixed or ".")))
        return self._matches_hold(start, segments, [0])

    def _matches_hold(self, directory: str, segments: list[str], seen: list[int]) -> bool:
        """Nothing that the segments match below a directory is a link that leads outside."""
        pattern = _segment(segments[0])
        try:
            entries = list(os.scandir(directory))
        except OSError:
            return True  # nothing there to match
        seen[0] += len(entries)
        if seen[0] > _MOST_NAMES:
            return False
        for entry in entries:
            if pattern.match(entry.name) is None:
                continue
            path = real(entry.path) if entry.is_symlink() else entry.path
            if entry.is_symlink() and not self._holds_real(path):
                return False
            if segments[1:] and os.path.isdir(path) and not self._matches_hold(path, segments[1:], seen):
                return False
        return True


class OwnFiles:
    """Files of nacre itself: its configuration, its audit log, and whatever else an agent must not write."""

    def __init__(self, files: Iterable[str]) -> None:
        self.files = tuple(real(expanded(file, os.path.expanduser("~"))) for file in files)

    def is_one(self, path: str, directory: str) -> bool:
        """Tell whether a path, seen from a directory, is one of them, by whatever way it leads there."""
        return real(joined(directory, expanded(path, os.path.expanduser("~")))) in self.files

    def is_within(self, path: str, directory: str) -> bool:
        """Tell whether a path is one of them, or a directory that holds one."""
        place = real(joined(directory, expanded(path, os.path.expanduser("~"))))
        return any(file == place or file.startswith(place.rstrip(os.sep) + os.sep) for file in self.files)

    def may_be(self, pattern: str) -> bool:
        """Tell whether a name of which only parts are known (`*` for the rest) could be one of them."""
        name = _segment(_SEPARATOR.split(pattern)[-1])
        return any(name.match(os.path.basename(file)) for file in self.files)

    def receives(self, directory: str, name: str, start: str) -> bool:
        """Tell whether a file of this name, put into a directory, would take the place of one of them."""
        place = joined(start, expanded(directory, os.path.expanduser("~")))
        if not os.path.isdir(place):
            return False
        pattern = _segment(_SEPARATOR.split(name.rstrip("/"))[-1] or "*")
        here = real(place)
        return any(
            os.path.dirname(file) == here and pattern.match(os.path.basename(file)) for file in self.files
        )


def is_run_by_git(path: str) -> bool:
    """A file that git runs, or that tells it what to run: a hook, a repository's configuration."""
    return _RUN_BY_GIT.match(os.path.normpath(path).replace(os.sep, "/")) is not None


def _segment(segment: str) -> re.Pattern[str]:
    """A part of a pattern between two slashes; brackets are read as any character, which is never less."""
    return re.compile(fnmatch.translate(re.sub(r"\[[^/]*", "*", segment)))


def real(path: str) -> str:
    """A path without links and `..`, in the one spelling that Windows takes its many for."""
    return os.path.normcase(os.path.realpath(path))


def expanded(path: str, home: str) -> str:
    """A leading `~` as the shell would replace it."""
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def joined(directory: str, path: str) -> str:
    """A directory as `cd path` would leave it."""
    return os.path.join(directory, path)
