"""What commands must not inherit from the keeper, and what they inherit that the keeper itself does without.

Above it: `posix`, which starts them.

    open files   the keeper takes as many as it may; a command gets the soft limit that the person has set
    OOM score    where memory runs out, the kernel is to kill a command, and not the server or its keeper

A child has what its parent has at the fork, so both are changed before each start and changed back after it:
four system calls, three microseconds together.
"""

from __future__ import annotations

import os
import resource

from nacre.keeper import descriptors

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

OOM_SCORE_FILE = "/proc/self/oom_score_adj"
OOM_RAISE, OOM_HIGHEST = 500, 1000  # as if a command used half of the memory that there is, beside its own
MACOS_MOST = 10240  # there an unlimited limit cannot be set, and this is what the kernel takes

Limit = tuple[int, int]  # soft and hard


class Inheritance:
    """The keeper's own values, and those of its commands."""

    def __init__(self) -> None:
        self.files = descriptors.UNLIMITED  # of a command, where it may have fewer than we
        self._files: tuple[Limit, Limit] | None = None  # a command's and ours; None: they are the same
        self._oom_file = -1
        self._oom_scores = b"", b""  # a command's and ours

    def take(self) -> None:
        """Take for this process what it may have."""
        self._take_files()
        self._open_oom_score()

    def _take_files(self) -> None:
        given = resource.getrlimit(resource.RLIMIT_NOFILE)
        soft, hard = given
        for most in (hard, MACOS_MOST):
            if 0 <= most <= soft:
                break
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            except (OSError, ValueError):
                continue
            self._files = given, (most, hard)
            self.files, soft = soft, most
            break
        if soft >= 0:  # below zero: there is no limit
            descriptors.set_limit(soft)

    def _open_oom_score(self) -> None:
        """Raising it is allowed to everybody, and so is going back to where one has been."""
        try:
            fd = os.open(OOM_SCORE_FILE, os.O_RDWR)
        except OSError:  # another system, or a /proc that cannot be written
            return
        ours = int(os.read(fd, 16))
        theirs = min(ours + OOM_RAISE, OOM_HIGHEST)
        self._oom_file, self._oom_scores = fd, (b"%d" % theirs, b"%d" % ours)
        try:
            self._set_oom_score(0)
            self._set_oom_score(1)
        except OSError:
            os.close(fd)
            self._oom_file = -1

    def _set_oom_score(self, whose: int) -> None:
        os.pwrite(self._oom_file, self._oom_scores[whose], 0)

    def starting(self, start: Callable[[], int]) -> int:
        """Start a process that is to have what commands have."""
        self._change(0)
        try:
            pid = start()
        except BaseException:  # whatever it is, the keeper gets its own limits back
            self._change(1)
            raise
        if pid:  # 0: this is the child of a fork
            self._change(1)
        return pid

    def _change(self, whose: int) -> None:
        if self._files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, self._files[whose])
        if self._oom_file >= 0:
            self._set_oom_score(whose)
