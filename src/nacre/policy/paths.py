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
import unicodedata
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from nacre.policy.model import UNKNOWN, names
from nacre.policy.patterns import IN_BRACKETS, may_be_parent, regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from nacre.filesystem import Entry, FileSystem

# A descriptor itself is no path.
_DESCRIPTOR = regex(r"/(?:dev|proc/(?:self|thread-self|[0-9]+))/fd/[0-9]+\Z")
_LONGEST_PATH = 4096  # of Linux
_OF_A_PROCESS = regex(r"//?(?:proc/(?:self|thread-self|[0-9]+)(?:/(?!fd/[0-9]+\Z)|\Z)|dev/fd/[0-9]+/)")

# What is such a link, or holds some: a copy of it (`cp -a`) leads there, too.
_LINKS = regex(r".*/(?:cwd|root|exe|self|thread-self|fd|ns|map_files|task|[0-9]+)(?:/[^/]*)?\Z")

# The input, and what a program was given under a number: whoever writes there opens that file once more.
_INPUT = regex(
    r"/dev/stdin\Z|/(?:dev|proc/(?:self|thread-self))/fd/(?![12]\Z)[0-9]+\Z|/proc/[0-9]+/fd/[0-9]+\Z"
)
_OUTPUT = regex(r"/dev/std(?:out|err)\Z|/(?:dev|proc/(?:self|thread-self))/fd/[12]\Z")
_GLOB = regex(r"[*?\[]")
_BEFORE_GLOB = regex(r"[^*?]*")
_SEPARATOR = regex(r"[/\\]" if os.sep == "\\" else "/")
_INVISIBLE = regex("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufeff]")  # to some systems
_ENDS_IN_DOTS = regex(r"([^/. ])[. ]+(?=/|\Z)")
_SHORT_GIT = regex(r"(?i)(\A|/)git~[0-9]+(?=/|\Z)")
# Names that are examined for one pattern or one directory: more would take too long.
_MOST_NAMES = 20_000
_MOST_COMPARED = 50_000  # for all patterns of a text
# No system opens a longer path, and to resolve one costs its length squared.
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
_FILE_ADDRESS = regex(r"(?i)(?:[a-z]+\+)?(?:file|link|portal):(?://[^/]*)?(.*)", re.DOTALL)
_UP = regex(r"\.\.(?:/|\Z)")
# What cannot stand in a plain path: behind it, another one can begin (`a,/etc/x`, `(load /etc/x)`).
_BETWEEN_PATHS = regex(r"[^\w./~+*?\[\]%-]+")
_WEB_ADDRESS = regex(r"(?i)\b(?!file:)[a-z][a-z0-9+.-]*://[^\s\"'<>,;()]*")
_FROM_SLASH = regex(r"[^/]*?(/.*)", re.DOTALL)
# git's `:(top)x` is seen from the top of the working tree, wherever that is; so is `:/x`.
_MAGIC = regex(r":\(([^)]*)\)(.*)", re.DOTALL)
_MOST_PIECES = 64


_HOOKS = names(
    "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg "
    "post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive "
    "post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite sendemail-validate "
    "fsmonitor-watchman post-index-change"
)
# One path for each kind of them, to hold patterns against.
_SPECIAL_PATHS = names(
    ".git .git/config .git/config.worktree .git/hooks .git/info/attributes "
    ".git/commondir .git/rebase-merge/git-rebase-todo .gitconfig .config/git/config "
    ".config/git/attributes .ssh/config .ssh/rc .ssh/authorized_keys .ssh/environment "
    ".config/fish/config.fish .bashrc .bash_profile "
    ".bash_login .profile .zshenv .zshrc .zprofile .zlogin .kshrc .mkshrc .curlrc .wgetrc .psqlrc "
    ".sqliterc .my.cnf .gdbinit .lldbinit .terraformrc .exrc .vimrc .pythonrc.py .kube/config .aws/config "
    ".aws/credentials .docker/config.json .config/curlrc .config/bat/config .ackrc .bash_aliases "
    ".bash_logout .less .lesskey .manpath .popt .zlogout"
) | {f".git/hooks/{name}" for name in _HOOKS}


class Fence:
    """The allowed directories, resolved once, when a path is first held against them: few texts have one."""

    def __init__(self, directories: Iterable[str], files: FileSystem) -> None:
        self._files, self._directories = files, directories
        self._names = 0  # that were compared with patterns

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
        place = joined(directory, self.expanded(path))
        if is_of_a_process(place, self._files):
            return os.sep in self.roots
        return self._holds_real(real(self._files, place))

    def holds_tree(self, path: str, directory: str) -> bool:
        """Whether a path is inside, and no link below it leads out, for programs that follow them."""
        if not self.holds(path, directory):
            return False
        waiting, seen, count = [real(self._files, joined(directory, self.expanded(path)))], set[str](), 0
        while waiting:
            place = waiting.pop()
            if place in seen or not self._files.is_directory(place):
                continue
            seen.add(place)
            try:
                entries = self._files.entries(place)
            except OSError:
                continue  # nobody reads what is in it
            count += len(entries)
            below = [joined(place, entry.name) for entry in entries if not entry.is_link]
            links = [real(self._files, joined(place, entry.name)) for entry in entries if entry.is_link]
            if count > _MOST_NAMES or not all(map(self._holds_real, links)):
                return False
            waiting += below + links
        return True

    def _holds_real(self, path: str) -> bool:
        return any(path == root or path.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots)

    def holds_pattern(self, path: str, directory: str, *, deep: bool = False, opened: bool = True) -> bool:
        """The same for a pattern: its beginning, and every link that it matches, must be inside.

        `deep`: to the shell, `**` stands for directories below directories. `opened`: what it matches is.
        """
        found = _GLOB.search(path)
        if found is None or len(path) > LONGEST_PATH or path.startswith("~["):  # a name of zsh's
            return self.holds(path, directory)
        borders = [border.end() for border in _SEPARATOR.finditer(path[: found.start()])]
        fixed = path[: borders[-1]] if borders else ""
        segments = [segment for segment in _SEPARATOR.split(path[len(fixed) :]) if segment]
        # `.*` matches `..` in most shells.
        leaves = any(map(may_be_parent, segments))
        if leaves or not self.holds(fixed or ".", directory):
            return False
        start = real(self._files, joined(directory, self.expanded(fixed or ".")))
        if deep and "**" in path:
            return self.holds_tree(start, directory)
        return self._matches_hold(start, [*segments, *([] if opened else [""])])

    def _matches_hold(self, directory: str, segments: list[str]) -> bool:
        """Nothing that the segments match below a directory is a link that leads outside.

        An empty segment at the end: what is there is not opened.
        """
        if (deeper := segments[1:]) == [""]:
            return True
        try:
            entries = self._files.entries(directory)
        except OSError:
            return True  # nothing there to match
        self._names += len(entries)
        if self._names > _MOST_COMPARED:
            return False
        for entry in _matching(entries, segments[0]):
            path = joined(directory, entry.name)
            if entry.is_link:
                path = real(self._files, path)
                if not self._holds_real(path):
                    return False
            if deeper and self._files.is_directory(path) and not self._matches_hold(path, deeper):
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
        """The files without links, in the one spelling for all that some systems take for the same."""
        return tuple(_one_spelling(real(self._files, expanded(file, self._home))) for file in self._own)

    def is_one(self, path: str, directory: str) -> bool:
        """Tell whether a path, seen from a directory, is one of them, by whatever way it leads there."""
        return self._real(path, directory) in self.own

    def is_within(self, path: str, directory: str) -> bool:
        """Tell whether a path is one of them, or a directory that holds one."""
        place = self._real(path, directory)
        return any(file == place or file.startswith(place.rstrip(os.sep) + os.sep) for file in self.own)

    def may_be(self, pattern: str) -> bool:
        """Tell whether a name of which only parts are known (`*` for the rest) could be one of them."""
        name = _last_segment(pattern)
        return any(name.match(os.path.basename(file)) for file in self.own)

    def may_hold(self, pattern: str, directory: str) -> bool:
        """The same for a directory that holds one, seen from another.

        To those above both leads only a way up. Without a directory to see it from, all of them count.
        """
        steps = _SEPARATOR.split(os.path.normpath(pattern))
        if steps[-1] in {".", ".."}:
            return bool(self.own)  # `$x/..`
        name = _last_segment(pattern)
        up = not directory or ".." in _SEPARATOR.split(pattern)
        here = "" if up else self._real(".", directory)
        return any(name.match(part) for file in self.own for part in _apart(file, here)[:-1])

    def kept_in(self, directory: str, start: str) -> tuple[str, ...]:
        """The names of those that are right in a directory, if it is one."""
        place = joined(start, expanded(directory, self._home))
        if len(place) > LONGEST_PATH or not self._files.is_directory(place):
            return ()
        here = _one_spelling(real(self._files, place))
        return tuple(os.path.basename(file) for file in self.own if os.path.dirname(file) == here)

    def _real(self, path: str, directory: str) -> str:
        if len(path) > LONGEST_PATH:
            return path  # no file has such a name
        return _one_spelling(real(self._files, joined(directory, expanded(path, self._home))))


def may_take_the_place(name: str, kept: Iterable[str]) -> bool:
    """Whether a file of this name, put where own files are kept, would take the place of one of them."""
    pattern = _segment(_one_spelling(_SEPARATOR.split(name.rstrip("/"))[-1]) or "*")
    return any(pattern.match(file) for file in kept)


def _last_segment(pattern: str) -> re.Pattern[str]:
    """A pattern for the last name of a path; `x/.` and `x/` are x."""
    return _segment(_one_spelling(_SEPARATOR.split(os.path.normpath(pattern))[-1]))


def _apart(file: str, directory: str) -> list[str]:
    """The parts of a path that a directory does not share."""
    parts = file.split(os.sep)
    for here in directory.rstrip(os.sep).split(os.sep):
        if not parts or parts[0] != here:
            break
        del parts[0]
    return parts


def tells_what_runs(path: str, *, gets_content: bool = True) -> bool:
    """A file that git runs, or that tells it or a shell what to run: a hook, a configuration."""
    text = _plain_spelling(os.path.normpath(path).replace(os.sep, "/"))
    return _TELLS_WHAT_RUNS.match(text) is not None or (
        gets_content and _TAKES_WHAT_RUNS.match(text) is not None
    )


def may_tell_what_runs(pattern: str) -> bool:
    """The same for a path with unknown pieces, which may be anything, and patterns, which match no dot."""
    segments = os.path.normpath(pattern).replace(os.sep, "/").casefold().split("/")
    return any(_may_end_in(segments, path.split("/")) for path in _SPECIAL_PATHS)


def may_be_run(patterns: Iterable[str], *, git: bool, home: bool) -> bool:
    """Whether a name that matches can be such a file, or a directory of such, in a repository or a home."""
    special = [path.split("/") for path in _SPECIAL_PATHS]
    files = {part for parts in special if (git if parts[0] == ".git" else home) for part in parts}
    files |= _HOOKS if git else frozenset[str]()
    return any(_segment(pattern.casefold()).match(name) for pattern in patterns for name in files)


def _may_end_in(segments: list[str], special: list[str]) -> bool:
    """Whether a path whose parts are known so far could end in these names."""
    for segment, name in zip(reversed(segments), reversed(special), strict=False):
        if UNKNOWN in segment:
            return _segment("*" + segment.rpartition(UNKNOWN)[2]).match(name) is not None
        hidden = name.startswith(".") and segment[:1] in {"*", "?", "["}
        if hidden or not _segment(segment).match(name):
            return False
    return len(segments) >= len(special)


def _one_spelling(path: str) -> str:
    """The systems that see no difference between capitals, or between forms of a letter, are not asked."""
    return unicodedata.normalize("NFC", path if path.isascii() else _INVISIBLE.sub("", path)).casefold()


def _plain_spelling(path: str) -> str:
    """What macOS and Windows take for the same: `.git./config`, `git~1/config`, a letter without a width."""
    if not path.isascii():
        path = _INVISIBLE.sub("", unicodedata.normalize("NFC", path))
    return _SHORT_GIT.sub(r"\1.git", _ENDS_IN_DOTS.sub(r"\1", path))


def _segment(segment: str) -> re.Pattern[str]:
    """A part of a pattern between two slashes; brackets are read as any character, which is never less."""
    return re.compile(fnmatch.translate(IN_BRACKETS.sub("*", segment)))


def _matching(entries: Sequence[Entry], segment: str) -> list[Entry]:
    """What a part of a pattern matches; most parts match nothing, which is seen without compiling them."""
    plain = IN_BRACKETS.sub("*", segment)
    head, least = _BEFORE_GLOB.match(plain), len(plain) - plain.count("*")
    begins = head.group() if head is not None else ""
    found = [entry for entry in entries if len(entry.name) >= least and entry.name.startswith(begins)]
    pattern = _segment(plain) if found else None
    return [entry for entry in found if pattern is not None and pattern.match(entry.name)]


def is_other_repository(files: FileSystem, place: str, here: str) -> bool:
    """Whether git, from a place, would find another repository than the one that it should find from here.

    A directory with HEAD, objects and refs is one, also where such files were put into another one, or above.
    """
    return any(
        _looks_like_repository(files, each) or (_is_below(each, here) and has_repository(files, each))
        for each in seen_by_git(files, place)
    )


def seen_by_git(files: FileSystem, place: str) -> Iterator[str]:
    """The directories in which git looks for a repository, from a place up to the one that has it."""
    yield place
    marks = (".git", ".git/HEAD")  # without its HEAD, .git is a directory like others
    while not any(files.is_file(joined(place, mark)) for mark in marks) and os.path.dirname(place) != place:
        place = os.path.dirname(place)
        yield place


def has_repository(files: FileSystem, place: str) -> bool:
    """Whether a repository is right in a directory."""
    return files.is_directory(joined(place, ".git")) or files.is_file(joined(place, ".git"))


def work_tree(files: FileSystem, place: str) -> str:
    """The directory with the repository that git finds from a place; empty: there is none."""
    return next((each for each in seen_by_git(files, place) if has_repository(files, each)), "")


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


def is_file_of_a_descriptor(path: str, *, outputs: bool = False) -> bool:
    """Whether writing there changes a file that was opened to be read; `outputs`: they may be such, too."""
    plain = os.path.normpath(path).replace("//", "/", 1)
    return _INPUT.match(plain) is not None or (outputs and _OUTPUT.match(plain) is not None)


def is_link_of_a_process(path: str, files: FileSystem | None = None) -> bool:
    """Whether a copy of what is there may be a link that leads elsewhere for each program."""
    if is_file_of_a_descriptor(path, outputs=True):
        return True
    return is_of_a_process(path, files) and _LINKS.match(os.path.normpath(path)) is not None


def is_of_a_process(path: str, files: FileSystem | None = None) -> bool:
    """Whether it depends on who asks where an absolute path leads, also if a link or `..` is on its way."""
    plain = os.path.normpath(path)
    if _OF_A_PROCESS.match(plain) is not None:
        return True
    if files is None or not os.path.isabs(path) or _DESCRIPTOR.match(path) is not None:
        return False
    if len(path) > _LONGEST_PATH:
        return True  # nothing opens it
    # Nearly always there is no link on the way.
    return files.real_path(plain) != path.rstrip("/") and _passes(path, files)


def _passes(path: str, files: FileSystem) -> bool:
    """Walk down a path, and look at each place on the way."""
    at, parts = "/", [part for part in path.split("/") if part not in {"", "."}]
    for number, part in enumerate(parts, 1):
        here = os.path.join(at, part)
        last = number == len(parts)
        if part != ".." and _OF_A_PROCESS.match(here) is not None:
            return True
        if last:
            return False
        at = _beyond(at, part, files)
        if _OF_A_PROCESS.match(at) is not None:
            return True
    return False


def _beyond(at: str, part: str, files: FileSystem) -> str:
    """The real path of an entry of a real directory; only a link has to be followed."""
    if part == "..":
        return os.path.dirname(at)
    here = os.path.join(at, part)
    return files.real_path(here) if files.is_link(here) else here


def normal(path: str) -> str:
    """A path without `..` as it is written, whatever is a link."""
    return os.path.normpath(path)


def is_at_or_below(path: str, directory: str) -> bool:
    """The same, or that directory itself."""
    return path == directory or _is_below(path, directory)


def _is_below(path: str, directory: str) -> bool:
    """Whether a path, without links, is inside of a directory."""
    return path.startswith(directory.rstrip(os.sep) + os.sep)


def real(files: FileSystem | None, path: str) -> str:
    """A path without links and `..`, in the one spelling that Windows takes its many for.

    Where nobody can be asked about links, there are none.
    """
    return os.path.normcase(os.path.normpath(path) if files is None else files.real_path(path))


def spot(files: FileSystem | None, path: str) -> str:
    """Where a name stands: links before its last part are resolved, it itself may be one."""
    path = path.rstrip(os.sep) or os.sep
    directory, name = os.path.split(path)
    if name in {"", ".", ".."}:
        return real(files, path)
    return joined(real(files, directory or "."), os.path.normcase(name))


def leads_elsewhere(files: FileSystem, path: str) -> bool:
    """Whether a link is on the way to a path, or at its end."""
    return real(files, path) != os.path.normcase(os.path.normpath(path))


def is_pattern(path: str) -> bool:
    """Whether a shell may take a path for a pattern."""
    return _GLOB.search(path) is not None


def may_be_same(one: str, other: str) -> bool:
    """Whether two paths, each of which may be a pattern, can mean the same file."""
    if one.count("/") != other.count("/"):
        return False
    ones, others = one.split("/"), other.split("/")
    return all(may_be_same_name(*pair) for pair in zip(ones, others, strict=True))


def may_be_same_name(one: str, other: str) -> bool:
    """The same for names without a slash."""
    if one == other or (is_pattern(one) and is_pattern(other)):
        return True
    pattern, name = (one, other) if is_pattern(one) else (other, one)
    return pattern == name or (is_pattern(pattern) and _segment(pattern).match(name) is not None)


def links_below(files: FileSystem, place: str, entries: Iterable[Entry]) -> list[str] | None:
    """Where the links among some entries of a directory lead, and those below; None: there is too much."""
    goals: list[str] = []
    waiting, count = [(place, list(entries))], 0
    while waiting:
        directory, found = waiting.pop()
        count += len(found)
        if count > _MOST_NAMES:
            return None
        goals += [real(files, joined(directory, entry.name)) for entry in found if entry.is_link]
        for below in (joined(directory, entry.name) for entry in found if entry.is_directory):
            try:
                waiting.append((below, files.entries(below)))
            except OSError:
                continue  # nobody writes there
    return goals


def may_match_link(files: FileSystem, path: str, *, deep: bool = False) -> bool:
    """Whether a link is on the way to what a path or a pattern means, or at its end; `deep`: or below."""
    found = _GLOB.search(path)
    fixed = path if found is None else path[: found.start()].rpartition("/")[0]
    if leads_elsewhere(files, fixed or "/"):
        return True
    segments: list[str | None] = [*path[len(fixed) :].strip("/").split("/")] if found is not None else []
    places, count = [os.path.normpath(fixed or "/")], 0
    for segment in [*segments, *([None] if deep else [])]:
        following: list[str] = []
        while places:
            place = places.pop()
            try:
                entries = files.entries(place) if files.is_directory(place) else []
            except OSError:
                entries = []  # nobody reads what is in it
            count += len(entries)
            entries = [entry for entry in entries if segment is None or _segment(segment).match(entry.name)]
            if count > _MOST_NAMES or any(entry.is_link for entry in entries):
                return True
            below = [joined(place, entry.name) for entry in entries]
            (places if segment is None else following).extend(below)
        places = following
    return False


def paths_in(text: str) -> Iterator[str]:
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
    magic = _MAGIC.match(text)
    if magic is not None:
        yield f"/{magic.group(2)}" if "top" in magic.group(1).split(",") else magic.group(2)
    if text.startswith("-"):
        found = _FROM_SLASH.match(text)
        if found is not None:
            yield found.group(1)
        if text[2:]:
            yield text[2:]
        if _UP.search(text):
            yield text[text.index("..") :]
    pieces = dict.fromkeys(_BETWEEN_PATHS.split(_WEB_ADDRESS.sub("", text)))
    few = len(pieces) <= _MOST_PIECES
    # A name alone can be a link; where there are so many it is a text.
    yield from (piece for piece in pieces if piece and (few or "/" in piece or piece.startswith(("~", ".."))))


def expanded(path: str, home: str) -> str:
    """A leading `~` as the shell would replace it."""
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def joined(directory: str, path: str) -> str:
    """A directory as `cd path` would leave it."""
    return os.path.join(directory, path)


def entered_again(files: FileSystem, here: str, step: str) -> Iterator[str]:
    """Where a loop comes to that enters the same directory more than once."""
    place = real(files, joined(here, step))
    for _ in range(8):
        following = real(files, joined(place, step))
        if following == place or not files.is_directory(following):
            return
        yield following
        place = following
