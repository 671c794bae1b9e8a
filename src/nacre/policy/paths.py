"""Paths: whether one stays inside the allowed directories, and whether it is one of nacre's own files.

Above: `boundaries` asks for working directories, redirections and arguments. Below: `filesystem`, through
which the place of the commands answers: links and `..` are resolved as its kernel would, patterns are held
against the names that are there, and nothing is compared by a common beginning of two strings alone.
"""

from __future__ import annotations

import fnmatch
import os
import os.path
import re
from typing import TYPE_CHECKING

from nacre.policy.model import UNKNOWN, names
from nacre.policy.patterns import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nacre.filesystem import FileSystem

_GLOB = regex(r"[*?\[]")
_SEPARATOR = regex(r"[/\\]" if os.sep == "\\" else "/")
# Names that are examined for one pattern: more would take too long.
_MOST_NAMES = 20_000
# No system opens a file by a longer path, and to resolve one costs its length squared.
LONGEST_PATH = 32_767 if os.name == "nt" else 4_096
# What git runs, or reads to know what it runs, and what shells and others read in a person's home.
_TELLS_WHAT_RUNS = regex(
    r"(?:.*/)?(?:\.git(?:/(?:.*/)?(?:config(?:\.worktree)?|hooks(?:/.*)?|info/attributes|git-rebase-todo))?"
    r"|\.gitconfig|\.config/git/(?:config|attributes)|\.ssh/(?:config|rc|authorized_keys|environment)"
    r"|\.(?:bash_profile|bash_login|bashrc|profile|zshenv|zshrc|zprofile|zlogin|kshrc|mkshrc)|\.config/fish(?:/.*)?"
    r"|\.(?:curlrc|wgetrc|psqlrc|sqliterc|my\.cnf|gdbinit|lldbinit|terraformrc|exrc|vimrc|pythonrc\.py))\Z",
    re.DOTALL,
)


# One path for each kind of them, to hold patterns against.
_SPECIAL_PATHS = names(
    ".git .git/config .git/config.worktree .git/hooks .git/hooks/pre-commit .git/info/attributes "
    ".git/rebase-merge/git-rebase-todo .gitconfig .config/git/config .config/git/attributes .ssh/config "
    ".ssh/rc .ssh/authorized_keys .ssh/environment .config/fish/config.fish .bashrc .bash_profile "
    ".bash_login .profile .zshenv .zshrc .zprofile .zlogin .kshrc .mkshrc .curlrc .wgetrc .psqlrc "
    ".sqliterc .my.cnf .gdbinit .lldbinit .terraformrc .exrc .vimrc .pythonrc.py"
)


class Fence:
    """The allowed directories, resolved once."""

    def __init__(self, directories: Iterable[str], files: FileSystem) -> None:
        self._files = files
        self.home = files.home
        self.roots = tuple(real(files, expanded(item, self.home)) for item in directories)

    def expanded(self, path: str) -> str:
        """A leading `~` as the shell would replace it; another user's home stays as it is (and outside)."""
        return expanded(path, self.home)

    def holds(self, path: str, directory: str) -> bool:
        """Tell whether a path, seen from a directory, is inside one of the roots."""
        if len(path) > LONGEST_PATH:
            return False
        if path.startswith("~") and not (path == "~" or path.startswith("~/")):
            return False
        return self._holds_real(real(self._files, joined(directory, self.expanded(path))))

    def _holds_real(self, path: str) -> bool:
        return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots)

    def holds_pattern(self, path: str, directory: str) -> bool:
        """The same for a pattern: its beginning, and every link that it matches, must be inside."""
        found = _GLOB.search(path)
        if found is None or len(path) > LONGEST_PATH:
            return self.holds(path, directory)
        borders = [border.end() for border in _SEPARATOR.finditer(path[: found.start()])]
        fixed = path[: borders[-1]] if borders else ""
        segments = [segment for segment in _SEPARATOR.split(path[len(fixed) :]) if segment]
        # `.*` matches `..` in most shells.
        leaves = any(segment.startswith(".") and _segment(segment).match("..") for segment in segments)
        if leaves or not self.holds(fixed or ".", directory):
            return False
        start = real(self._files, joined(directory, self.expanded(fixed or ".")))
        return self._matches_hold(start, segments, [0])

    def _matches_hold(self, directory: str, segments: list[str], seen: list[int]) -> bool:
        """Nothing that the segments match below a directory is a link that leads outside."""
        pattern = _segment(segments[0])
        try:
            entries = self._files.entries(directory)
        except OSError:
            return True  # nothing there to match
        seen[0] += len(entries)
        if seen[0] > _MOST_NAMES:
            return False
        for entry in entries:
            if pattern.match(entry.name) is None:
                continue
            path = joined(directory, entry.name)
            if entry.is_link:
                path = real(self._files, path)
                if not self._holds_real(path):
                    return False
            deeper = segments[1:]
            if deeper and self._files.is_directory(path) and not self._matches_hold(path, deeper, seen):
                return False
        return True


class OwnFiles:
    """Files of nacre itself: its configuration, its audit log, and whatever else an agent must not write."""

    def __init__(self, own: Iterable[str], files: FileSystem) -> None:
        self._files = files
        self._home = files.home
        self.own = tuple(real(files, expanded(file, self._home)) for file in own)

    def is_one(self, path: str, directory: str) -> bool:
        """Tell whether a path, seen from a directory, is one of them, by whatever way it leads there."""
        return self._real(path, directory) in self.own

    def is_within(self, path: str, directory: str) -> bool:
        """Tell whether a path is one of them, or a directory that holds one."""
        place = self._real(path, directory)
        return any(file == place or file.startswith(place.rstrip(os.sep) + os.sep) for file in self.own)

    def may_be(self, pattern: str) -> bool:
        """Tell whether a name of which only parts are known (`*` for the rest) could be one of them."""
        name = _segment(_SEPARATOR.split(pattern)[-1])
        return any(name.match(os.path.basename(file)) for file in self.own)

    def receives(self, directory: str, name: str, start: str) -> bool:
        """Tell whether a file of this name, put into a directory, would take the place of one of them."""
        place = joined(start, expanded(directory, self._home))
        if len(place) > LONGEST_PATH or not self._files.is_directory(place):
            return False
        pattern = _segment(_SEPARATOR.split(name.rstrip("/"))[-1] or "*")
        here = real(self._files, place)
        return any(
            os.path.dirname(file) == here and pattern.match(os.path.basename(file)) for file in self.own
        )

    def _real(self, path: str, directory: str) -> str:
        if len(path) > LONGEST_PATH:
            return path  # no file has such a name
        return real(self._files, joined(directory, expanded(path, self._home)))


def tells_what_runs(path: str) -> bool:
    """A file that git runs, or that tells it or a shell what to run: a hook, a configuration."""
    return _TELLS_WHAT_RUNS.match(os.path.normpath(path).replace(os.sep, "/")) is not None


def may_tell_what_runs(pattern: str) -> bool:
    """The same for a path with unknown pieces, which may be anything, and patterns, which match no dot."""
    segments = os.path.normpath(pattern).replace(os.sep, "/").split("/")
    return any(_may_end_in(segments, path.split("/")) for path in _SPECIAL_PATHS)


def _may_end_in(segments: list[str], special: list[str]) -> bool:
    """Whether a path whose parts are known so far could end in these names."""
    for segment, name in zip(reversed(segments), reversed(special), strict=False):
        if UNKNOWN in segment:
            return name.endswith(segment.rpartition(UNKNOWN)[2])
        hidden = name.startswith(".") and segment[:1] in {"*", "?", "["}
        if hidden or not _segment(segment).match(name):
            return False
    return len(segments) >= len(special)


def _segment(segment: str) -> re.Pattern[str]:
    """A part of a pattern between two slashes; brackets are read as any character, which is never less."""
    return re.compile(fnmatch.translate(re.sub(r"\[[^/]*", "*", segment)))


def is_other_repository(files: FileSystem, place: str, here: str) -> bool:
    """Whether git, from a place, would find another repository than the one that it finds from here.

    A directory with HEAD and objects is a repository without a working tree, also where files of these names
    were put into a directory of another one.
    """
    while True:
        if files.is_file(joined(place, "HEAD")) and files.is_directory(joined(place, "objects")):
            return True
        parent = os.path.dirname(place)
        if place in {here, parent} or not _is_below(place, here):
            return False
        mark = joined(place, ".git")
        if files.is_directory(mark) or files.is_file(mark):
            return True
        place = parent


def _is_below(path: str, directory: str) -> bool:
    """Whether a path, without links, is inside of a directory."""
    return path.startswith(directory.rstrip(os.sep) + os.sep)


def real(files: FileSystem, path: str) -> str:
    """A path without links and `..`, in the one spelling that Windows takes its many for."""
    return os.path.normcase(files.real_path(path))


def expanded(path: str, home: str) -> str:
    """A leading `~` as the shell would replace it."""
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def joined(directory: str, path: str) -> str:
    """A directory as `cd path` would leave it."""
    return os.path.join(directory, path)
