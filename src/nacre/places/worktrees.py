"""Whether a directory is a linked worktree of git, and where its repository is.

Above it: `confined`, which lets commands write to that repository, because git commits there. The files of a
worktree may have been written by a command, so they are trusted only where the repository confirms them: it
lists its worktrees in a directory that no command could write to before.
"""

from __future__ import annotations

import os

from nacre.sandbox.profile import Worktree

LONGEST = 4096
MARK = "gitdir: "


def find_worktree(directory: str) -> Worktree | None:
    """The worktree in a directory; None: there is none, or its repository does not know it."""
    link = os.path.join(os.path.realpath(directory), ".git")
    said = _line_of(link)
    if not said.startswith(MARK):
        return None
    git_directory = os.path.realpath(os.path.join(directory, said.removeprefix(MARK)))
    common = os.path.dirname(os.path.dirname(git_directory))
    is_listed = os.path.basename(os.path.dirname(git_directory)) == "worktrees"
    if not is_listed or os.path.basename(common) != ".git":
        return None
    known = os.path.realpath(os.path.join(git_directory, _line_of(os.path.join(git_directory, "gitdir"))))
    led_to = os.path.realpath(os.path.join(git_directory, _line_of(os.path.join(git_directory, "commondir"))))
    return Worktree(git_directory, common) if (known, led_to) == (link, common) else None


def _line_of(path: str) -> str:
    """The content of a small file; empty if it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(LONGEST).strip()
    except OSError:
        return ""
