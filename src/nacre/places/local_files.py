"""The files of this machine: what `filesystem` asks, answered by the operating system that nacre runs on.

Above it: `local`, the place that provides it, and `nacre policy`. Below: `filesystem`. Apart from
`file_work`, this is the only module in which a question about the files of commands reaches the system.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from nacre.filesystem import Entry, Status


class LocalFiles:
    """A `FileSystem`. It caches nothing."""

    @property
    def home(self) -> str:
        """The directory that `~` stands for."""
        return os.path.expanduser("~")

    @property
    def user(self) -> str:
        """The user that commands run as."""
        return _user_name(os.getuid() if hasattr(os, "getuid") else 0)

    def expand_home(self, path: str) -> str:
        """A path whose leading `~` or `~name` is replaced, where there is such a home."""
        return os.path.expanduser(path)

    def real_path(self, path: str) -> str:
        """A path without links and `..`, as far as they may be read."""
        try:
            return os.path.realpath(path)
        except OSError:  # a link of another process, as in /proc/1/root
            return os.path.abspath(path)

    def is_directory(self, path: str) -> bool:
        """Whether there is a directory of that name, links followed."""
        return os.path.isdir(path)

    def is_file(self, path: str) -> bool:
        """Whether there is a plain file of that name, links followed."""
        return os.path.isfile(path)

    def is_link(self, path: str) -> bool:
        """Whether that name itself is a link."""
        return os.path.islink(path)

    def identity(self, path: str) -> tuple[int, int] | None:
        """What stays the same when a file is moved, links followed; None: there is none."""
        try:
            seen = os.stat(path)
        except (OSError, ValueError):
            return None
        return seen.st_dev, seen.st_ino

    def why_not_entered(self, directory: str) -> int:
        """The error number that starting a process there would give; 0: it would work."""
        if not os.path.exists(directory):
            return errno.ENOENT
        if not os.path.isdir(directory):
            return errno.ENOTDIR
        return 0 if os.access(directory, os.X_OK) else errno.EACCES

    def entries(self, directory: str) -> list[Entry]:
        """All names in a directory, in no order. OSError: it cannot be read."""
        with os.scandir(directory) as found:
            return [
                Entry(entry.name, entry.is_symlink(), entry.is_dir(follow_symlinks=False)) for entry in found
            ]

    def status(self, path: str) -> Status:
        """The status of a file, links followed. OSError: it cannot be examined."""
        seen = os.stat(path)
        return Status(
            is_directory=stat.S_ISDIR(seen.st_mode),
            mode=stat.S_IMODE(seen.st_mode),
            owner=_user_name(seen.st_uid),
            group=_group_name(seen.st_gid),
            readable=os.access(path, os.R_OK),
            writable=os.access(path, os.W_OK),
            executable=os.access(path, os.X_OK),
        )

    def find_program(self, name: str, search_path: str | None) -> str | None:
        """The file that a name or path would run; None: there is none."""
        if os.path.isabs(name) and sys.platform != "win32":  # where no extensions have to be tried
            return name if os.path.isfile(name) and os.access(name, os.X_OK) else None
        import shutil  # noqa: PLC0415  # a server that finds its shell by its path starts without

        return shutil.which(name, path=search_path)

    def free_bytes(self, directory: str) -> int | None:
        """The free space on the disk that holds a directory; None: unknown."""
        import shutil  # noqa: PLC0415  # the same

        try:
            return shutil.disk_usage(directory).free
        except OSError:
            return None


LOCAL_FILES = LocalFiles()


def _user_name(uid: int) -> str:
    try:
        import pwd  # noqa: PLC0415  # not on Windows

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError):
        return str(uid)


def _group_name(gid: int) -> str:
    try:
        import grp  # noqa: PLC0415  # not on Windows

        return grp.getgrgid(gid).gr_name
    except (ImportError, KeyError):
        return str(gid)
