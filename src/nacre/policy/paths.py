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
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

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
    re.DOTALL | re.IGNORECASE,
)
# The same where contents are put: of git's directory all but what is known to be a text or the name of a
# commit (.git/commondir leads git to another configuration), programs and libraries that take the place of
# others, and more of what programs read in a home directory.
_TAKES_WHAT_RUNS = regex(
    r"(?:.*/)?(?:\.git/(?!(?:info/(?:exclude|sparse-checkout)|description|(?:COMMIT_EDIT|MERGE_|SQUASH_|TAG_EDIT)MSG|(?:ORIG_|FETCH_|MERGE_)?HEAD|refs|logs)(?:/.*)?\Z).*"
    r"|\.ssh(?:/(?!(?:known_hosts|id_[\w.-]+)(?:/[^/]*)?\Z).*)?|\.(?:gnupg|kube|aws|docker|terminfo|vim|nmap|groff)(?:/.*)?"
    r"|\.config/(?:bat|containers|curlrc|elvish|gdb|gh|git|glab-cli|lesskey|nano|nushell|nvim|pip|powershell|procps|sqlite3|wireshark)(?:/.*)?"
    r"|\.local/(?:bin|lib)/.*|\.cargo/bin/.*|\.(?:httpie|nvm)/.*|\.psqlrc-[\d.]+"
    r"|\.(?:ackrc|bash_aliases|bash_logout|digrc|gdbearlyinit|gvimrc|less|lesskey|ltrace\.conf|manpath|mongorc\.js|mongoshrc\.js"
    r"|nanorc|popt|redisclirc|tofurc|valgrindrc|yashrc|yash_profile|zlogout))\Z"
    r"|/(?:usr/)?(?:local/)?(?:s?bin|lib(?:32|64|exec)?)/.*\Z"
    r"|/etc/(?:ld\.so\.|profile|bash|zsh|environment|gitconfig|cron|sudoers|ssh/|systemd/|pam\.d/|alternatives/|popt|manpath|wgetrc|npmrc|pip\.conf).*\Z",
    re.DOTALL | re.IGNORECASE,
)


# One path for each kind of them, to hold patterns against.
_SPECIAL_PATHS = names(
    ".git .git/config .git/config.worktree .git/hooks .git/hooks/pre-commit .git/info/attributes "
    ".git/commondir .git/rebase-merge/git-rebase-todo .gitconfig .config/git/config "
    ".config/git/attributes .ssh/config .ssh/rc .ssh/authorized_keys .ssh/environment "
    ".config/fish/config.fish .bashrc .bash_profile "
    ".bash_login .profile .zshenv .zshrc .zprofile .zlogin .kshrc .mkshrc .curlrc .wgetrc .psqlrc "
    ".sqliterc .my.cnf .gdbinit .lldbinit .terraformrc .exrc .vimrc .pythonrc.py .kube/config .aws/config "
    ".aws/credentials .docker/config.json .config/curlrc .config/bat/config .ackrc .bash_aliases "
    ".bash_logout .less .lesskey .manpath .popt .zlogout"
)


_HOOKS = names(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg "
    "post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive "
    "post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate "
    "fsmonitor-watchman post-index-change"
)


class Fence:
    """The allowed directories, resolved once, when a path is first held against them: few texts have one."""

    def __init__(self, directories: Iterable[str], files: FileSystem) -> None:
        self._files = files
        self._directories = directories

    @cached_property
    def home(self) -> str:
        """What `~` stands for."""
        return self._files.home

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The directories without links."""
        return tuple(real(self._files, self.expanded(directory)) for directory in self._directories)

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
    """Files of nacre itself: its configuration, its audit log, and whatever else an agent must not write.

    They are resolved once, when a path is first compared with them.
    """

    def __init__(self, own: Iterable[str], files: FileSystem) -> None:
        self._files = files
        self._own = own

    @cached_property
    def _home(self) -> str:
        return self._files.home

    @cached_property
    def own(self) -> tuple[str, ...]:
        """The files without links."""
        return tuple(real(self._files, expanded(file, self._home)) for file in self._own)

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


def tells_what_runs(path: str, *, gets_content: bool = True) -> bool:
    """A file that git runs, or that tells it or a shell what to run: a hook, a configuration."""
    text = os.path.normpath(path).replace(os.sep, "/")
    return _TELLS_WHAT_RUNS.match(text) is not None or (
        gets_content and _TAKES_WHAT_RUNS.match(text) is not None
    )


def may_tell_what_runs(pattern: str) -> bool:
    """The same for a path with unknown pieces, which may be anything, and patterns, which match no dot."""
    segments = os.path.normpath(pattern).replace(os.sep, "/").casefold().split("/")
    return any(_may_end_in(segments, path.split("/")) for path in _SPECIAL_PATHS)


def may_be_run(patterns: Iterable[str], *, git: bool, home: bool) -> bool:
    """Whether a name that matches one of these patterns can be such a file, in a repository or a home."""
    special = [path for path in _SPECIAL_PATHS if (git if path.startswith(".git/") else home)]
    files = {path.rpartition("/")[2] for path in special} | (_HOOKS if git else frozenset[str]())
    return any(_segment(pattern.casefold()).match(name) for pattern in patterns for name in files)


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

    A directory with HEAD, objects and refs is a repository without a working tree, also where files of these
    names were put into a directory of another one.
    """
    while True:
        if _looks_like_repository(files, place):
            return True
        parent = os.path.dirname(place)
        if place in {here, parent} or not _is_below(place, here):
            return False
        mark = joined(place, ".git")
        if files.is_directory(mark) or files.is_file(mark):
            return True
        place = parent


class MadePath(NamedTuple):
    """A path that a text makes or changes, without links, and whether nobody has looked at what it gets."""

    path: str
    unseen: bool


def makes_repository(made: MadePath, place: str) -> bool:
    """Whether git could take a directory for a repository once this path is made."""
    if made.unseen and is_at_or_below(place, made.path):
        return True
    return os.path.dirname(made.path) == place and os.path.basename(made.path).casefold() in _PARTS


_PARTS = names("head objects refs commondir .git")


def _looks_like_repository(files: FileSystem, place: str) -> bool:
    """Two of the three that git looks for (HEAD may lead to nothing), or a file that says where they are."""
    head = files.is_file(joined(place, "HEAD"))
    objects = files.is_directory(joined(place, "objects"))
    if (head or objects) and ((head and objects) or files.is_directory(joined(place, "refs"))):
        return True
    return files.is_file(joined(place, "commondir"))


def is_at_or_below(path: str, directory: str) -> bool:
    """The same, or that directory itself."""
    return path == directory or _is_below(path, directory)


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
