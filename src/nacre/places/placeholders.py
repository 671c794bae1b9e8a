"""Placeholders for protected files that do not exist, as long as a sandbox lasts.

Above it: `confined`. Below: `sandbox.profile`, which says which are needed. They are created before the first
mount, outside of the sandbox, and removed when it has ended; anything that has replaced them stays.

Several servers may share one. Each holds a shared lock on it, and only the last holder removes it: otherwise
the kernel would lift the mounts of the others.
"""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nacre.sandbox.profile import Placeholder


class Placeholders:
    """The placeholders of one server."""

    def __init__(self) -> None:
        self._held: list[tuple[Placeholder, int]] = []
        self._parents: list[str] = []  # directories that were created for them

    def make(self, wanted: Iterable[Placeholder]) -> tuple[Placeholder, ...]:
        """Create them; returns those that exist now. Where we cannot create one, no command can either."""
        for placeholder in wanted:
            with contextlib.suppress(OSError):
                self._make(placeholder)
        return tuple(placeholder for placeholder, _ in self._held)

    def _make(self, placeholder: Placeholder) -> None:
        if placeholder.with_parents:
            self._make_parents(os.path.dirname(placeholder.path))
        try:
            self._put(placeholder)
        except FileExistsError:
            self._adopt(placeholder)
        else:
            self._hold_new(placeholder)

    def _put(self, placeholder: Placeholder) -> None:
        if placeholder.text is None:
            os.mkdir(placeholder.path, 0o755)
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(placeholder.path, flags, 0o644), "w", encoding="utf-8") as file:
            file.write(placeholder.text)

    def _adopt(self, placeholder: Placeholder) -> None:
        """Share a placeholder of another server, or take over that of a killed one."""
        if placeholder.unmistakable or _is_held(placeholder.path):
            descriptor = self._hold(placeholder)
            if not _is_untouched(placeholder, descriptor):
                self._held.pop()
                os.close(descriptor)

    def _make_parents(self, directory: str) -> None:
        if not os.path.isdir(directory):
            self._make_parents(os.path.dirname(directory))
            os.mkdir(directory, 0o755)
            self._parents.append(directory)

    def _hold_new(self, placeholder: Placeholder) -> None:
        try:
            self._hold(placeholder)
        except OSError:  # a file system without locks: its owner could not be determined later
            with contextlib.suppress(OSError):
                (os.rmdir if placeholder.text is None else os.unlink)(placeholder.path)
            raise

    def _hold(self, placeholder: Placeholder) -> int:
        descriptor = _open(placeholder.path)
        _lock(descriptor, shared=True)
        self._held.append((placeholder, descriptor))
        return descriptor

    def remove(self) -> None:
        """Remove them, except for those that are shared or were filled."""
        for placeholder, descriptor in self._held:
            with contextlib.suppress(OSError):
                _remove(placeholder, descriptor)
            os.close(descriptor)
        self._held.clear()
        for directory in reversed(self._parents):
            with contextlib.suppress(OSError):
                os.rmdir(directory)
        self._parents.clear()


def _open(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)


def _lock(descriptor: int, *, shared: bool) -> None:
    """Lock an open file. OSError: others hold it, or there are no locks here."""
    import fcntl  # noqa: PLC0415  # there is none on Windows

    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _is_held(path: str) -> bool:
    descriptor = _open(path)
    try:
        _lock(descriptor, shared=False)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _is_untouched(placeholder: Placeholder, descriptor: int) -> bool:
    """Whether it is still the one that was created, and empty."""
    if placeholder.text is None:
        return stat.S_ISDIR(os.fstat(descriptor).st_mode) and not os.listdir(descriptor)
    return os.pread(descriptor, len(placeholder.text) + 1, 0) == placeholder.text.encode()


def _remove(placeholder: Placeholder, descriptor: int) -> None:
    _lock(descriptor, shared=False)
    if not os.path.samestat(os.fstat(descriptor), os.lstat(placeholder.path)):
        return
    if placeholder.text is None:
        os.rmdir(placeholder.path)  # fails if it is not empty
    elif _is_untouched(placeholder, descriptor):
        os.unlink(placeholder.path)
