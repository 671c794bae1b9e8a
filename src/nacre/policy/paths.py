"""Path rules: whether a path stays inside the allowed directories.

Above: `judge` asks for working directories, redirections and the operands of file-taking programs. Below:
nothing. The only module of the package that touches the file system, and only through `os.path.realpath`:
links and `..` are resolved as the kernel would, and never compared as strings with a common beginning.
"""

from __future__ import annotations

import os
import os.path
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_GLOB = re.compile(r"[*?\[{]")
_SEPARATOR = re.compile(r"[/\\]" if os.sep == "\\" else "/")


class Fence:
    """The allowed directories, resolved once."""

    def __init__(self, directories: Iterable[str], home: str | None = None) -> None:
        self.home = home or os.path.expanduser("~")
        self.roots = tuple(_real(self.expanded(item)) for item in directories)

    def expanded(self, path: str) -> str:
        """A leading `~` as the shell would replace it; another user's home stays as it is (and outside)."""
        if path == "~" or path.startswith("~/"):
            return self.home + path[1:]
        return path

    def holds(self, path: str, directory: str) -> bool:
        """Tell whether a path, seen from a directory, is inside one of the roots."""
        if path.startswith("~") and not (path == "~" or path.startswith("~/")):
            return False
        real = _real(joined(directory, self.expanded(path)))
        return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in self.roots)

    def holds_pattern(self, path: str, directory: str) -> bool:
        """The same for a pattern: its fixed beginning must be inside, and nothing after it may climb out."""
        found = _GLOB.search(path)
        if found is None:
            return self.holds(path, directory)
        fixed, rest = path[: found.start()], path[found.start() :]
        if ".." in _SEPARATOR.split(rest):
            return False
        borders = [border.end() for border in _SEPARATOR.finditer(fixed)]
        return self.holds(fixed[: borders[-1]] if borders else ".", directory)


def _real(path: str) -> str:
    """A path without links and `..`, in the one spelling that Windows takes its many for."""
    return os.path.normcase(os.path.realpath(path))


def joined(directory: str, path: str) -> str:
    """A directory as `cd path` would leave it."""
    return os.path.join(directory, path)
