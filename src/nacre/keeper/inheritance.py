"""Process attributes that differ between the keeper and its commands.

Above it: `posix`, which starts them.

    open files   the keeper raises its limit to the maximum; a command gets the soft limit of the person
    OOM score    when memory runs out, the kernel is to kill a command, not the server or its keeper

A child inherits them at the fork, so both are changed before each start and restored after it: four system
calls, three microseconds together.
"""

from __future__ import annotations

import os
import resource

from nacre.keeper import descriptors

TYPE_CHECKING = False  # without `typing`, a quarter of the keeper's start-up
if TYPE_CHECKING:
    from collections.abc import Callable

OOM_SCORE_FILE = "/proc/self/oom_score_adj"
OOM_RAISE, OOM_HIGHEST = 500, 1000  # as if a command used half of all memory in addition to its own
MACOS_MOST = 10240  # "unlimited" cannot be set there; this is the most that the kernel accepts

COMMAND, KEEPER = 0, 1  # whose values
Limit = tuple[int, int]  # soft and hard


class Inheritance:
    """The keeper's own values, and those of its commands."""

    def __init__(self) -> None:
        self.files = descriptors.UNLIMITED  # of a command, where it may have fewer than the keeper
        self._files: tuple[Limit, Limit] | None = None  # for commands and for the keeper; None: the same
        self._oom_file = -1
        self._oom_scores = b"", b""  # for commands and for the keeper

    def take(self) -> None:
        """Raise this process to the maximum, and remember what commands get."""
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
        if soft >= 0:  # below zero: unlimited
            descriptors.set_limit(soft)

    def _open_oom_score(self) -> None:
        """Any process may raise its score, and lower it again to where it was."""
        try:
            fd = os.open(OOM_SCORE_FILE, os.O_RDWR)
        except OSError:  # another system, or a /proc that cannot be written
            return
        ours = int(os.read(fd, 16))
        theirs = min(ours + OOM_RAISE, OOM_HIGHEST)
        self._oom_file, self._oom_scores = fd, (b"%d" % theirs, b"%d" % ours)
        try:
            for score in self._oom_scores:
                os.pwrite(fd, score, 0)
        except OSError:
            os.close(fd)
            self._oom_file = -1

    def starting(self, start: Callable[[], int]) -> int:
        """Start a process with the attributes of commands."""
        self.change(COMMAND)
        try:
            pid = start()
        except BaseException:  # in any case the keeper gets its own limits back
            self.change(KEEPER)
            raise
        if pid:  # 0: in the child
            self.change(KEEPER)
        return pid

    def change(self, whose: int) -> None:
        """Take the attributes of commands, or our own again."""
        if self._files is not None:
            resource.setrlimit(resource.RLIMIT_NOFILE, self._files[whose])
        if self._oom_file >= 0:
            os.pwrite(self._oom_file, self._oom_scores[whose], 0)
