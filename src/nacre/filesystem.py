"""What may be asked about the files that commands see. Questions only: nothing here changes a file.

A place answers them (`places.local_files` for this machine), and whoever decides something gets the answers
through this protocol: the policy, the dialects, the hints, the sessions. None of them asks the operating
system that nacre itself runs on, because commands may run elsewhere.

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


@dataclass(frozen=True, slots=True)
class Status:
    """What a file is, and to whom it belongs."""

    is_directory: bool
    mode: int  # the permission bits
    owner: str
    group: str
    readable: bool  # to the user that commands run as
    writable: bool
    executable: bool  # of a directory: it can be entered


class FileSystem(Protocol):
    """The files of one place, as the user that commands run as sees them."""

    @property
    def home(self) -> str:
        """The directory that `~` stands for."""
        ...

    @property
    def user(self) -> str:
        """Whom commands run as."""
        ...

    def expand_home(self, path: str) -> str:
        """A path whose leading `~` or `~name` is replaced, where there is such a home."""
        ...

    def real_path(self, path: str) -> str:
        """A path without links and `..`, as the kernel would resolve it; what is not there stays as it is."""
        ...

    def is_directory(self, path: str) -> bool:
        """Whether there is a directory of that name, links followed."""
        ...

    def is_file(self, path: str) -> bool:
        """Whether there is a plain file of that name, links followed."""
        ...

    def why_not_entered(self, directory: str) -> int:
        """The error number that a process would get which starts there; 0: it can."""
        ...

    def entries(self, directory: str) -> list[Entry]:
        """All names in a directory, in no order. OSError: it cannot be read."""
        ...

    def status(self, path: str) -> Status:
        """What is there under that name, links followed. OSError: it cannot be seen."""
        ...

    def find_program(self, name: str, search_path: str | None) -> str | None:
        """The file that a name or path would run; None: there is none."""
        ...

    def free_bytes(self, directory: str) -> int | None:
        """The room on the disk that a directory is on; None: nobody knows."""
        ...
