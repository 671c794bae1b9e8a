"""What may be asked about the files that commands see. Questions only: nothing here changes a file.

A place answers them (`places.local_files` for this machine). The policy, the dialects, the hints and the
sessions ask through this protocol, never the operating system that nacre itself runs on, because commands may
run elsewhere.

Every floor above may import this one; it imports nothing of nacre.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a directory."""

    name: str
    is_link: bool
    is_directory: bool  # itself: a link to one is none


@dataclass(frozen=True, slots=True)
class Status:
    """The type, permissions and owner of a file."""

    is_directory: bool
    mode: int  # the permission bits
    owner: str
    group: str
    readable: bool  # by the user that commands run as
    writable: bool
    executable: bool  # for a directory: it can be entered


class FileSystem(Protocol):
    """The files of one place, as the user that commands run as sees them."""

    @property
    def home(self) -> str:
        """The directory that `~` stands for."""
        ...

    @property
    def user(self) -> str:
        """The user that commands run as."""
        ...

    def expand_home(self, path: str) -> str:
        """A path whose leading `~` or `~name` is replaced, where there is such a home."""
        ...

    def real_path(self, path: str) -> str:
        """A path without links and `..`, as the kernel would resolve it; missing components are kept."""
        ...

    def is_directory(self, path: str) -> bool:
        """Whether there is a directory of that name, links followed."""
        ...

    def is_file(self, path: str) -> bool:
        """Whether there is a plain file of that name, links followed."""
        ...

    def is_link(self, path: str) -> bool:
        """Whether that name itself is a link."""
        ...

    def identity(self, path: str) -> tuple[int, int] | None:
        """What stays the same when a file is moved, links followed; None: there is none."""
        ...

    def why_not_entered(self, directory: str) -> int:
        """The error number that starting a process there would give; 0: it would work."""
        ...

    def entries(self, directory: str) -> list[Entry]:
        """All names in a directory, in no order. OSError: it cannot be read."""
        ...

    def status(self, path: str) -> Status:
        """The status of a file, links followed. OSError: it cannot be examined."""
        ...

    def find_program(self, name: str, search_path: str | None) -> str | None:
        """The file that a name or path would run; None: there is none."""
        ...

    def free_bytes(self, directory: str) -> int | None:
        """The free space on the disk that holds a directory; None: unknown."""
        ...
