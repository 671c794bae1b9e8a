"""The exec gate: every exec of every command is decided here, by its real path and arguments.

The keeper has handed us the listener of its seccomp filter (`keeper.confinement`). The kernel stops each
process that calls execve until we answer; it does not matter which shell, script or program made the call.
A second question comes from the new program before its first step: then the kernel's own record of its path
and arguments must be what was approved, or it is killed, so that nobody can change them in between.

Above it: `places`, which owns one per keeper. It knows processes and memory, not rules: `judge` does, at once
or, where that takes a while, later (`settle`): until then the process that asked stands still, and nobody
else. Whatever cannot be read is refused. An exec can fail after it was approved, so what a program may do
counts from the second question on (`confirm`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import stat
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nacre.sandbox.exec_words import ENCODING, ON_ERROR, Words, read_words
from nacre.sandbox.processes import contents, identify

if TYPE_CHECKING:
    from collections.abc import Callable

RECEIVE, SEND, SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
SYNCHRONOUS_WAKE_UP = 1  # the one who asks and the one who answers take turns on one processor
NOTIFICATION = struct.Struct("=QIIiIQ6Q")  # id, pid, flags, call, architecture, place, six arguments
RESPONSE = struct.Struct("=QqiI")  # id, value, error, flags
CONTINUE = 1
EXECVE = {59, 221}
EXECVEAT = {322, 281}
AT_EMPTY_PATH = 0x1000
OPENAT2, RESOLVE_IN_ROOT = 437, 0x10
APPROVED_KEPT = 10_000
NOT_THERE = {errno.ENOENT, errno.ENOTDIR}


class Exec(NamedTuple):  # made for every exec: a dataclass takes five times as long
    """One call of execve, as the process really made it."""

    pid: int  # of the process, not of the thread that called
    path: str  # as it was given, absolute
    real_path: str  # where links lead
    argv: tuple[str, ...]
    directory: str
    question: int = 0  # what an answer refers to
    parent: int = 0
    mark: int = 0  # of the process (see `processes`)
    line: bytes = b""  # the arguments as the kernel shows them later: each with a NUL after it
    script: str = ""  # the program is the interpreter of this file, by the choice of the kernel


def _nothing_is_expected(_pid: int, _path: str, _argv: tuple[str, ...]) -> bool:
    return False


def _whatever_it_is(_asked: Exec) -> bool:
    return True


def _no_path_is_fixed(_path: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Judge:
    """Who decides about the execs of one keeper."""

    # Yes or no; None: it will be settled later.
    judge: Callable[[Exec], bool | None]
    # Asked first, with a process, a path and arguments: whether the keeper itself starts this.
    is_expected: Callable[[int, str, tuple[str, ...]], bool] = _nothing_is_expected
    # A process has become what was approved; whether it may go on.
    confirm: Callable[[Exec], bool] = _whatever_it_is
    # Whether a path leads where it led before, because no command can change that.
    is_fixed: Callable[[str], bool] = _no_path_is_fixed


class ExecGate:
    """Answers one keeper's listener until that keeper is gone. One thread uses it, from start to end."""

    def __init__(self, listener: int, judge: Judge, keeper_memory: int = -1) -> None:
        """What a keeper starts stands in its memory first, which we may not be able to open: here it is."""
        self._keeper_memory = keeper_memory
        self.listener = listener
        self._judge = judge
        self._response = bytearray(RESPONSE.size)
        self._expected_programs: dict[str, str] = {}  # where the paths lead that the keeper starts
        self._fixed_paths: dict[str, str] = {}  # where those lead that no command can change
        self._approved: dict[int, Exec] = {}  # by process: what it may become, until it has
        with contextlib.suppress(OSError):  # kernels before 6.6 do without
            fcntl.ioctl(listener, SET_FLAGS, SYNCHRONOUS_WAKE_UP)

    def close(self) -> None:
        """From now on every exec below this keeper fails."""
        os.close(self.listener)
        if self._keeper_memory >= 0:
            os.close(self._keeper_memory)

    def answer(self) -> None:
        """Take the question that is there, and answer it."""
        notification = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, RECEIVE, notification)
        except OSError:  # the asking process is gone
            return
        question, pid, _, call, _, _, *arguments = NOTIFICATION.unpack(notification)
        try:
            if call in EXECVE or call in EXECVEAT:
                self._ask(question, pid, call, arguments)
            else:
                self._respond(question, self._look_again(pid))
        except BaseException:  # in any case the process that asked is answered, with a no
            self._respond(question, errno.EACCES)
            raise

    def settle(self, asked: Exec, *, allowed: bool) -> None:
        """Answer a question that was left open."""
        if not allowed:
            self._respond(asked.question, errno.EACCES)
            return
        self._approve(asked)
        if not self._respond(asked.question, 0):
            self._approved.pop(asked.pid, None)

    def _respond(self, question: int, error: int) -> bool:
        """Whether the asking process was still there, and therefore is the one that was read and judged."""
        RESPONSE.pack_into(self._response, 0, question, 0, -error, 0 if error else CONTINUE)
        try:
            fcntl.ioctl(self.listener, SEND, self._response)
        except OSError:
            return False
        return True

    def _ask(self, question: int, pid: int, call: int, arguments: list[int]) -> None:
        try:
            words = self._read_words(pid, call, arguments)
            if self._judge.is_expected(pid, words.path, words.argv):
                self.settle(
                    Exec(pid, words.path, "", words.argv, "", question, line=words.line), allowed=True
                )
                return
            asked = self._read_exec(pid, words, question)
        except OSError as error:
            # A search along PATH tries what is not there; nothing else that fails here may go on.
            self._respond(question, error.errno if error.errno in NOT_THERE else errno.EACCES)
            return
        allowed = self._judge.judge(asked)
        if allowed is not None:
            self.settle(asked, allowed=allowed)

    def _read_words(self, pid: int, call: int, arguments: list[int]) -> Words:
        try:
            memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        except PermissionError:
            if self._keeper_memory < 0:
                raise
            return read_words(self._keeper_memory, arguments, by_directory=call in EXECVEAT)
        try:
            return read_words(memory, arguments, by_directory=call in EXECVEAT)
        finally:
            os.close(memory)

    def _read_exec(self, pid: int, words: Words, question: int) -> Exec:
        """What the words lead to. OSError: that cannot be found out, or is not there."""
        directory, path = os.readlink(f"/proc/{pid}/cwd"), words.path
        real_path = self._fixed_paths.get(path)
        if real_path is None:
            path = self._path(pid, words, directory)
            real_path = self._real_path(pid, path)
        process, parent, mark = identify(pid)
        return Exec(process, path, real_path, words.argv, directory, question, parent, mark, words.line)

    def _path(self, pid: int, words: Words, directory: str) -> str:
        """The path that is meant, absolute."""
        base, given = directory, words.path
        if not given and words.flags & AT_EMPTY_PATH:
            given = os.readlink(f"/proc/{pid}/fd/{words.directory_fd}")
        if not given.startswith("/") and words.directory_fd >= 0:
            base = os.readlink(f"/proc/{pid}/fd/{words.directory_fd}")
        path = os.path.normpath(os.path.join(base, given))
        if path.startswith("/proc/self/"):
            path = f"/proc/{pid}/{path.removeprefix('/proc/self/')}"
        return path

    def _real_path(self, pid: int, path: str) -> str:
        """Where a path leads. What was found before is compared with the truth at the second look."""
        real = self._fixed_paths.get(path)
        if real is None:
            real = _real_path(pid, path)
            if self._judge.is_fixed(path) and len(self._fixed_paths) < APPROVED_KEPT:
                self._fixed_paths[path] = real
        return real

    def _approve(self, asked: Exec) -> None:
        self._approved[asked.pid] = asked
        if len(self._approved) > APPROVED_KEPT:
            del self._approved[next(iter(self._approved))]

    def _look_again(self, pid: int) -> int:
        """Check the first step of a program; later calls of the same kind need no check."""
        approved = self._approved.pop(pid, None)
        is_fine = False
        try:
            is_fine = approved is None or self._is_approved(pid, approved)
        finally:
            if not is_fine:
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
        return 0 if is_fine else errno.EPERM

    def _is_approved(self, pid: int, approved: Exec) -> bool:
        """Whether a process has become what was approved, by the kernel's own record."""
        try:
            line, program = contents(f"/proc/{pid}/cmdline"), os.readlink(f"/proc/{pid}/exe")
            expected = approved.real_path or self._real_path_of_expected(pid, approved.path, program)
            if program == expected:
                return line == approved.line and self._judge.confirm(approved)
            if self._fixed_paths.pop(approved.path, None) and _real_path(pid, approved.path) == program:
                return line == approved.line and self._has_become(approved._replace(real_path=program))
            return self._is_interpreter(pid, approved, program, line)
        except OSError:
            return False

    def _is_interpreter(self, pid: int, approved: Exec, program: str, line: bytes) -> bool:
        """Whether a process has become the interpreter of a script, which needs a yes of its own."""
        argv = tuple([word.decode(ENCODING, ON_ERROR) for word in line.split(b"\0")[:-1]])
        rest = approved.argv[1:]
        if len(argv) <= len(rest) + 1 or argv[len(argv) - len(rest) :] != rest:
            return False
        path = argv[0] if _real_path(pid, argv[0]) == program else program
        script = approved.real_path or approved.path
        other = approved._replace(path=path, real_path=program, argv=argv, script=script)
        return self._judge.confirm(approved) and self._has_become(other)

    def _has_become(self, other: Exec) -> bool:
        """Whether it may be another program than the one that was approved."""
        return self._judge.judge(other) is True and self._judge.confirm(other)

    def _real_path_of_expected(self, pid: int, path: str, program: str) -> str:
        """Where a path leads that the keeper starts: nearly always the shell, which is found once."""
        if self._expected_programs.get(path) != program:
            self._expected_programs[path] = _real_path(pid, path)
        return self._expected_programs[path]


_libc = ctypes.CDLL(None, use_errno=True)


def _real_path(pid: int, path: str) -> str:
    """The file that links lead to, in the view of files that the process has."""
    root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, RESOLVE_IN_ROOT)
        found = _libc.syscall(OPENAT2, root, os.fsencode(path), how, len(how))
    finally:
        os.close(root)
    if found < 0:
        raise OSError(ctypes.get_errno(), path)
    try:
        if not stat.S_ISREG(os.fstat(found).st_mode):
            raise OSError(errno.EACCES, path)
        return os.readlink(f"/proc/self/fd/{found}")
    finally:
        os.close(found)
