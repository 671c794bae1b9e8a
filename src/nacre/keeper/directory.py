"""The private directory of a server and its keeper: spools, scripts, and the named pipes of sessions.

Above it: `spools`, `turns` and `program`, and nacre's own `spools`, which chooses its path. It knows names
and descriptors, but not what the files contain.

Commands run as the same user. They may delete it (`rm -rf /tmp/*`) or put something else in its place. So it
is created again when needed, what is in the way of our files is removed, and no link is followed.

Server and keeper each hold a shared lock on it for life: a directory without a lock belonged to a dead
server.
"""

from __future__ import annotations

import errno
import os
import stat

if os.name == "nt":
    import shutil
else:
    import fcntl

PARENT_PREFIX = "nacre-"  # the beginning of the name of the directory around those of all servers
PRIVATE, OTHERS = 0o700, 0o077
LOCK_NAME = "lock"  # for Windows, where a directory cannot be locked, and an open file not deleted
_NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_OLD_FILE = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_OLD_PIPE = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)

Identity = tuple[int, int]  # device and inode of a file


def identity(found: os.stat_result) -> Identity:
    """Tells a file from another one that has taken its name."""
    return found.st_dev, found.st_ino


class Directory:
    """One directory inside a parent that is ours as well."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._prefix = os.path.join(path, "")
        self._identity: Identity | None = None  # None: not created yet
        self._lock = -1

    def path_of(self, name: str) -> str:
        """The path of a file in it."""
        return self._prefix + name

    @property
    def is_there(self) -> bool:
        """Whether the path still leads to the directory that we created."""
        try:
            return identity(os.lstat(self.path)) == self._identity
        except OSError:
            return False

    def ensure(self) -> None:
        """Create it, unless it exists and is private. Raises OSError."""
        try:
            found = os.lstat(self.path)
        except OSError:
            found = None
        if found is None or identity(found) != self._identity:
            self._make(attempts=3)
        elif found.st_mode & OTHERS and os.name != "nt":
            os.chmod(self.path, PRIVATE)

    def _make(self, attempts: int) -> None:
        self.let_go()
        parent = os.path.dirname(self.path)
        if is_shared_parent(parent):
            _make_or_replace(parent)
        _make_or_replace(self.path)
        try:
            self._lock = _shared_lock(self.path)
            self._identity = identity(os.lstat(self.path))
        except (BlockingIOError, FileNotFoundError):  # another server found it unlocked, and removes it
            if attempts == 1:
                raise
            self._make(attempts - 1)

    def let_go(self) -> None:
        """Release the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    # -- files

    def create(self, name: str) -> int:
        """Create a private file; what is in its place is removed. Raises OSError."""
        self.ensure()
        path = self.path_of(name)
        try:
            return os.open(path, _NEW_FILE, 0o600)
        except FileExistsError:
            self.discard(name)
            return os.open(path, _NEW_FILE, 0o600)

    def write(self, name: str, data: bytes) -> None:
        """Create a file with that content, or none at all. Raises OSError."""
        fd = self.create(name)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
        except OSError as error:
            self.discard(name)
            error.filename = self.path_of(name)
            raise

    def reopen(self, name: str, wanted: Identity) -> int:
        """Open a file again. Raises OSError where it is gone or was replaced."""
        path = self.path_of(name)
        fd = os.open(path, _OLD_FILE)
        if identity(os.fstat(fd)) != wanted:
            os.close(fd)
            raise FileNotFoundError(errno.ENOENT, "the file was replaced by another", path)
        return fd

    def holds(self, name: str, wanted: Identity) -> bool:
        """Whether a file still exists under its name."""
        return self.size_of(name, wanted) is not None

    def size_of(self, name: str, wanted: Identity) -> int | None:
        """The size of a file; None if it no longer exists under its name."""
        try:
            found = os.lstat(self._prefix + name)
        except OSError:
            return None
        return found.st_size if (found.st_dev, found.st_ino) == wanted else None

    def make_pipe(self, name: str) -> None:
        """Create a named pipe; what is in its place is removed. Raises OSError."""
        self.ensure()
        self.discard(name)
        os.mkfifo(self.path_of(name), 0o600)

    def open_pipe(self, name: str) -> int:
        """Open the reading end of a named pipe. Raises OSError, also if it is not a pipe."""
        path = self._prefix + name
        fd = os.open(path, _OLD_PIPE)
        if not stat.S_ISFIFO(os.fstat(fd).st_mode):
            os.close(fd)
            raise FileNotFoundError(errno.ENOENT, "the named pipe was replaced by something else", path)
        return fd

    def hold_pipe(self, name: str) -> int:
        """Open both ends of a named pipe, so that it never reports an end. Raises OSError."""
        return os.open(self.path_of(name), os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW)

    def names(self) -> list[str]:
        """The names in it."""
        return os.listdir(self.path) if self.is_there else []

    def discard(self, name: str) -> bool:
        """Remove what has that name, ours or not; whether it is gone now."""
        if not self.is_there:
            return True  # nothing of ours is in a directory that has replaced it
        path = self.path_of(name)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return True
        except OSError:
            remove_tree(path)
            return not os.path.lexists(path)
        return True

    def remove(self) -> None:
        """Remove it with everything in it, and the parent if that is empty then."""
        there = self.is_there
        if os.name == "nt":  # where an open file cannot be removed
            self.let_go()
        if there:
            remove_with_parent(self.path)
        self.let_go()


def is_shared_parent(path: str) -> bool:
    """Whether that is the directory around those of all servers, which nacre creates and removes."""
    return os.path.basename(path).startswith(PARENT_PREFIX)


def _make_or_replace(path: str) -> None:
    """Create a private directory; a file or a link in its place is removed. Raises OSError."""
    try:
        make_private(path)
    except FileExistsError:
        os.unlink(path)
        make_private(path)


def make_private(path: str) -> None:
    """Create a private directory, unless it exists. Raises OSError."""
    try:
        os.mkdir(path, PRIVATE)
    except FileExistsError:
        if not _closed_to_others(path):
            raise
    else:
        os.chmod(path, PRIVATE)  # regardless of the umask


def _closed_to_others(path: str) -> bool:
    """Make a directory private; False if it is not a directory. Raises OSError for another user's."""
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        return False
    if os.name != "nt":
        if found.st_uid != os.geteuid():
            raise PermissionError(errno.EACCES, "belongs to another user", path)
        if stat.S_IMODE(found.st_mode) != PRIVATE:
            os.chmod(path, PRIVATE)
    return True


# -- locks


def _shared_lock(path: str) -> int:
    """Mark the directory as in use; returns the locked descriptor. Raises OSError if it is being removed."""
    if os.name == "nt":
        return os.open(os.path.join(path, LOCK_NAME), os.O_RDWR | os.O_CREAT)
    fd = os.open(path, _DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise
    except OSError:  # a file system without locks: then no server can take it for a dead one's either
        return fd
    return fd


def remove_if_dead(path: str) -> None:
    """Remove a directory that is not locked.

    One that is just being created is not locked yet either; its creator notices, and creates another.
    """
    if os.name == "nt":
        _remove_unless_open(path)
        return
    try:
        fd = os.open(path, _DIRECTORY)
    except OSError:
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_uid == os.geteuid():
            remove_tree(path)
    except OSError:  # in use, or a file system without locks
        return
    finally:
        os.close(fd)


def _remove_unless_open(path: str) -> None:
    try:
        os.unlink(os.path.join(path, LOCK_NAME))
    except FileNotFoundError:
        pass
    except OSError:  # another process has it open
        return
    remove_tree(path)


# -- removal


def remove_with_parent(path: str) -> None:
    """Remove a server's directory, and its parent if that is empty then."""
    remove_tree(path)
    parent = os.path.dirname(path)
    if is_shared_parent(parent):
        try:
            os.rmdir(parent)
        except OSError:  # others are in it
            return


def remove_tree(path: str) -> None:
    """Remove a directory with all that is in it, as far as possible; links are not followed."""
    if os.name == "nt":
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        top = os.open(path, _DIRECTORY)
    except OSError:
        return
    try:
        _empty(top)
        os.rmdir(path)
    except OSError:  # something in it cannot be removed
        return
    finally:
        os.close(top)


def _empty(top: int) -> None:
    """Empty a directory. Inner directories are moved up into it first, so that no path gets too long."""
    again = True
    while again:
        again = False
        for name in os.listdir(top):
            try:
                again |= _remove_entry(name, top, top)
            except OSError:  # others may still be removable
                continue


def _remove_entry(name: str, directory: int, top: int) -> bool:
    """Remove a file, a link, or a directory whose subdirectories are moved up; whether there were any."""
    if not stat.S_ISDIR(os.lstat(name, dir_fd=directory).st_mode):
        os.unlink(name, dir_fd=directory)
        return False
    os.chmod(name, PRIVATE, dir_fd=directory)
    if directory != top:
        os.rename(name, os.urandom(8).hex(), src_dir_fd=directory, dst_dir_fd=top)
        return True
    inner = os.open(name, _DIRECTORY, dir_fd=directory)
    try:
        moved = [_remove_entry(child, inner, top) for child in os.listdir(inner)]
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=directory)
    return any(moved)
