"""The exec gate: every exec of every command is decided here, by its real path and arguments.

The keeper has handed us the listener of its seccomp filter (`keeper.confinement`). The kernel stops each
process that calls execve until we answer; it does not matter which shell, script or program made the call.
A second question comes from the new program before its first step: then the kernel's own record of its path
and arguments must be what was approved, or it is killed, so that nobody can change them in between.

Above it: `places`, which owns one per keeper. It knows processes and memory, not rules: `judge` does.
Every answer is quick, and whatever cannot be read is refused: while we think, the process stands still.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RECEIVE, SEND, ID_VALID = 0xC0502100, 0xC0182101, 0x40082102
NOTIFICATION = struct.Struct("=QIIiIQ6Q")  # id, pid, flags, call, architecture, place, six arguments
RESPONSE = struct.Struct("=QqiI")  # id, value, error, flags
CONTINUE = 1
EXECVE = {59, 221}
EXECVEAT = {322, 281}
AT_EMPTY_PATH = 0x1000
WORD = 8
ARGUMENTS_LIMIT_BYTES = 1 << 21  # more than the kernel itself accepts
OPENAT2, RESOLVE_IN_ROOT = 437, 0x10
APPROVED_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class Exec:
    """One call of execve, as the process really made it."""

    pid: int
    path: str  # as it was given, absolute
    real_path: str  # where links lead
    argv: tuple[str, ...]
    directory: str


class ExecGate:
    """Answers one keeper's listener until that keeper is gone."""

    def __init__(self, listener: int, judge: Callable[[Exec], bool]) -> None:
        self.listener = listener
        self._judge = judge
        self._approved: dict[int, Exec] = {}  # by process: what it may become, until it has

    def close(self) -> None:
        """From now on every exec below this keeper fails."""
        os.close(self.listener)

    def answer(self) -> bool:
        """Take one question and answer it; False when there will be no more."""
        buffer = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, RECEIVE, buffer)
        except OSError as error:
            return error.errno in {errno.EINTR, errno.ENOENT, errno.EAGAIN}  # who asked is gone
        identity, pid, _, call, _, _, *arguments = NOTIFICATION.unpack(buffer)
        if call in EXECVE or call in EXECVEAT:
            error = self._decide(identity, pid, call, arguments)
        else:
            error = self._look_again(pid)
        self._respond(identity, error)
        return True

    def _respond(self, identity: int, error: int) -> None:
        response = RESPONSE.pack(identity, 0, -error, 0 if error else CONTINUE)
        with contextlib.suppress(OSError):  # who asked is gone
            fcntl.ioctl(self.listener, SEND, response)

    def _decide(self, identity: int, pid: int, call: int, arguments: list[int]) -> int:
        """0, or the error that the caller sees."""
        try:
            asked = read_exec(pid, arguments, by_directory=call in EXECVEAT)
            fcntl.ioctl(self.listener, ID_VALID, struct.pack("=Q", identity))  # it was this process we read
        except OSError as error:
            # A search along PATH tries what is not there; nothing else that fails here may go on.
            return error.errno if error.errno in {errno.ENOENT, errno.ENOTDIR} else errno.EACCES
        if not self._judge(asked):
            return errno.EACCES
        self._approved[_process_of(pid)] = asked
        while len(self._approved) > APPROVED_KEPT:
            del self._approved[next(iter(self._approved))]
        return 0

    def _look_again(self, pid: int) -> int:
        """The first step of a program, or a later call of the same kind, which is nobody's business."""
        approved = self._approved.pop(_process_of(pid), None)
        if approved is None or self._is_approved(pid, approved):
            return 0
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        return errno.EPERM

    def _is_approved(self, pid: int, approved: Exec) -> bool:
        """Whether a process has become what was approved; a script's interpreter needs a yes of its own."""
        try:
            running = read_running(pid, approved.directory)
        except OSError:
            return False
        if running.real_path == approved.real_path:
            return running.argv == approved.argv
        rest = approved.argv[1:]
        runs_script = (
            len(running.argv) > len(rest) + 1 and running.argv[len(running.argv) - len(rest) :] == rest
        )
        return runs_script and self._judge(running)


def read_running(pid: int, directory: str) -> Exec:
    """What a process has become, by the kernel's own record."""
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        argv = tuple(map(os.fsdecode, file.read().split(b"\0")[:-1]))
    program = os.readlink(f"/proc/{pid}/exe")
    return Exec(pid, program, program, argv, directory)


def read_exec(pid: int, arguments: list[int], *, by_directory: bool) -> Exec:
    """What a stopped process is about to execute. Raises OSError when that cannot be told."""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if by_directory:
            directory_fd, path_at, argv_at, _, flags, _ = arguments
        else:
            (path_at, argv_at), directory_fd, flags = arguments[:2], -100, 0
        given = os.fsdecode(_text_at(memory, path_at, 4096))
        argv = tuple(map(os.fsdecode, _texts_at(memory, argv_at)))
    finally:
        os.close(memory)
    directory = os.readlink(f"/proc/{pid}/cwd")
    if not given and flags & AT_EMPTY_PATH:
        given = os.readlink(f"/proc/{pid}/fd/{_signed(directory_fd)}")
    base = directory
    if not given.startswith("/") and _signed(directory_fd) >= 0:
        base = os.readlink(f"/proc/{pid}/fd/{_signed(directory_fd)}")
    path = os.path.normpath(os.path.join(base, given))
    if path.startswith("/proc/self/"):
        path = f"/proc/{pid}/{path.removeprefix('/proc/self/')}"
    return Exec(pid, path, _real_path(pid, path), argv, directory)


def _signed(descriptor: int) -> int:
    return ctypes.c_int32(descriptor & 0xFFFFFFFF).value


def _text_at(memory: int, address: int, limit: int) -> bytes:
    """The bytes before the next NUL."""
    found = b""
    while len(found) < limit:
        # Not past the end of a page: the next one may not be there.
        data = os.pread(memory, min(4096 - address % 4096, limit - len(found)), address)
        if not data:
            raise OSError(errno.EFAULT, "unreadable")
        text, end, _ = data.partition(b"\0")
        found += text
        if end:
            return found
        address += len(data)
    raise OSError(errno.E2BIG, "too long")


def _texts_at(memory: int, address: int) -> list[bytes]:
    texts: list[bytes] = []
    rest = ARGUMENTS_LIMIT_BYTES
    while address:
        pointer = int.from_bytes(os.pread(memory, WORD, address), "little")
        if not pointer:
            break
        texts.append(_text_at(memory, pointer, rest))
        rest -= len(texts[-1]) + 1 + WORD
        address += WORD
    return texts


def _real_path(pid: int, path: str) -> str:
    """Where links lead, in the view of files that the process has."""
    root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC, 0, RESOLVE_IN_ROOT)
        found = _libc.syscall(OPENAT2, root, os.fsencode(path), how, len(how))
    finally:
        os.close(root)
    if found < 0:
        raise OSError(ctypes.get_errno(), path)
    try:
        return os.readlink(f"/proc/self/fd/{found}")
    finally:
        os.close(found)


_libc = ctypes.CDLL(None, use_errno=True)


def _process_of(thread: int) -> int:
    """The process of a thread: an exec replaces all of them."""
    with open(f"/proc/{thread}/status", "rb") as status:
        for line in status:
            if line.startswith(b"Tgid:"):
                return int(line[5:])
    return thread
