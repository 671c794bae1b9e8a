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
import select
import signal
import stat
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nacre.sandbox.processes import contents, identify

if TYPE_CHECKING:
    from collections.abc import Callable

RECEIVE, SEND, ID_VALID, SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082102, 0x40082104
SYNCHRONOUS_WAKE_UP = 1  # the one who asks and the one who answers take turns on one processor
NOTIFICATION = struct.Struct("=QIIiIQ6Q")  # id, pid, flags, call, architecture, place, six arguments
RESPONSE = struct.Struct("=QqiI")  # id, value, error, flags
CONTINUE = 1
EXECVE = {59, 221}
EXECVEAT = {322, 281}
AT_EMPTY_PATH, AT_FDCWD = 0x1000, -100
WORD = 8
PAGE = 4096
PATH_LIMIT_BYTES = 4096
ARGUMENTS_LIMIT_BYTES = 1 << 21  # more than the kernel itself accepts
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
    script: str = ""  # the program is the interpreter of this file, by the choice of the kernel


def _nothing_is_expected(_pid: int, _path: str, _argv: tuple[str, ...]) -> bool:
    return False


def _any_environment(_asked: Exec, _environment: bytes) -> bool:
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
    # A process has become what was approved, with this environment; whether it may go on.
    confirm: Callable[[Exec, bytes], bool] = _any_environment
    # Whether a path leads where it led before, because no command can change that.
    is_fixed: Callable[[str], bool] = _no_path_is_fixed


class ExecGate:
    """Answers one keeper's listener until that keeper is gone."""

    def __init__(self, listener: int, judge: Judge, keeper_memory: int = -1) -> None:
        """What a keeper starts stands in its memory first, which we may not be able to open: here it is."""
        self._keeper_memory = keeper_memory
        self.listener = listener
        self._judge = judge
        self._expected_programs: dict[str, str] = {}  # where the paths lead that the keeper starts
        self._fixed_paths: dict[str, str] = {}  # where those lead that no command can change
        self._approved: dict[int, Exec] = {}  # by process: what it may become, until it has
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        with contextlib.suppress(OSError):  # kernels before 6.6 do without
            fcntl.ioctl(listener, SET_FLAGS, SYNCHRONOUS_WAKE_UP)

    def close(self) -> None:
        """From now on every exec below this keeper fails."""
        os.close(self.listener)
        if self._keeper_memory >= 0:
            os.close(self._keeper_memory)

    def answer(self) -> bool:
        """Take one question and answer it; False when nobody is left who could ask.

        Without a question it returns at once: waiting for one is the event loop's business.
        """
        ready = self._poll.poll(0)
        if ready and not ready[0][1] & select.POLLIN:
            return False
        if ready:
            self._take()
        return True

    def _take(self) -> None:
        buffer = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, RECEIVE, buffer)
        except OSError:  # who asked is gone
            return
        question, pid, _, call, _, _, *arguments = NOTIFICATION.unpack(buffer)
        if call in EXECVE or call in EXECVEAT:
            self._ask(question, pid, call, arguments)
        else:
            self._respond(question, self._look_again(pid))

    def settle(self, asked: Exec, *, allowed: bool) -> None:
        """Answer a question that was left open."""
        if allowed:
            self._approve(asked)
        self._respond(asked.question, 0 if allowed else errno.EACCES)

    def _respond(self, question: int, error: int) -> None:
        response = RESPONSE.pack(question, 0, -error, 0 if error else CONTINUE)
        with contextlib.suppress(OSError):  # who asked is gone
            fcntl.ioctl(self.listener, SEND, response)

    def _ask(self, question: int, pid: int, call: int, arguments: list[int]) -> None:
        try:
            words = self._read_words(pid, call, arguments)
            if self._judge.is_expected(pid, words.path, words.argv):
                self._approve(Exec(pid, words.path, "", words.argv, ""))
                self._respond(question, 0)
                return
            asked = self._read_exec(pid, words, question)
            fcntl.ioctl(self.listener, ID_VALID, struct.pack("=Q", question))  # it was this process we read
        except OSError as error:
            # A search along PATH tries what is not there; nothing else that fails here may go on.
            self._respond(question, error.errno if error.errno in NOT_THERE else errno.EACCES)
            return
        allowed = self._judge.judge(asked)
        if allowed is not None:
            self.settle(asked, allowed=allowed)

    def _read_words(self, pid: int, call: int, arguments: list[int]) -> Words:
        try:
            return read_words(_Memory(pid), arguments, by_directory=call in EXECVEAT)
        except PermissionError:
            if self._keeper_memory < 0:
                raise
        return read_words(_FileMemory(self._keeper_memory), arguments, by_directory=call in EXECVEAT)

    def _read_exec(self, pid: int, words: Words, question: int) -> Exec:
        """What the words lead to. OSError: that cannot be told, or is not there."""
        directory, given = os.readlink(f"/proc/{pid}/cwd"), words.path
        if not given and words.flags & AT_EMPTY_PATH:
            given = os.readlink(f"/proc/{pid}/fd/{words.directory_fd}")
        base = directory
        if not given.startswith("/") and words.directory_fd >= 0:
            base = os.readlink(f"/proc/{pid}/fd/{words.directory_fd}")
        path = os.path.normpath(os.path.join(base, given))
        if path.startswith("/proc/self/"):
            path = f"/proc/{pid}/{path.removeprefix('/proc/self/')}"
        real_path, caller = self._real_path(pid, path), identify(pid)
        return Exec(caller.pid, path, real_path, words.argv, directory, question, caller.parent, caller.mark)

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
        while len(self._approved) > APPROVED_KEPT:
            del self._approved[next(iter(self._approved))]

    def _look_again(self, pid: int) -> int:
        """The first step of a program, or a later call of the same kind, which is nobody's business."""
        approved = self._approved.pop(pid, None)
        if approved is None or self._is_approved(pid, approved):
            return 0
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
        return errno.EPERM

    def _is_approved(self, pid: int, approved: Exec) -> bool:
        """Whether a process has become what was approved; a script's interpreter needs a yes of its own."""
        try:
            program, argv, environment = read_running(pid)
            expected = approved.real_path or self._real_path_of_expected(pid, approved.path, program)
            if program == expected:
                return argv == approved.argv and self._judge.confirm(approved, environment)
            if self._fixed_paths.pop(approved.path, None) and _real_path(pid, approved.path) == program:
                return argv == approved.argv and self._has_become(
                    approved._replace(real_path=program), environment
                )
            rest = approved.argv[1:]
            if len(argv) <= len(rest) + 1 or argv[len(argv) - len(rest) :] != rest:
                return False
            path = argv[0] if _real_path(pid, argv[0]) == program else program
        except OSError:
            return False
        if not self._judge.confirm(approved, environment):
            return False
        script = approved.real_path or approved.path
        other = approved._replace(path=path, real_path=program, argv=argv, script=script)
        return self._has_become(other, environment)

    def _has_become(self, other: Exec, environment: bytes) -> bool:
        """Whether it may be another program than the one that was approved."""
        return self._judge.judge(other) is True and self._judge.confirm(other, environment)

    def _real_path_of_expected(self, pid: int, path: str, program: str) -> str:
        """Where a path leads that the keeper starts: nearly always the shell, which is found once."""
        if self._expected_programs.get(path) != program:
            self._expected_programs[path] = _real_path(pid, path)
        return self._expected_programs[path]


def read_running(pid: int) -> tuple[str, tuple[str, ...], bytes]:
    """The program that a process has become, its arguments and environment, by the kernel's own record."""
    argv = tuple(map(os.fsdecode, contents(f"/proc/{pid}/cmdline").split(b"\0")[:-1]))
    return os.readlink(f"/proc/{pid}/exe"), argv, contents(f"/proc/{pid}/environ")


class Words(NamedTuple):
    """What stands in the memory of a thread that calls execve or execveat."""

    path: str
    argv: tuple[str, ...]
    directory_fd: int
    flags: int


def read_words(memory: _Memory, arguments: list[int], *, by_directory: bool) -> Words:
    """What a stopped thread is about to execute, in its own words. OSError: that cannot be told."""
    if by_directory:
        directory_fd, path_at, argv_at, _, flags, _ = arguments
    else:
        (path_at, argv_at), directory_fd, flags = arguments[:2], AT_FDCWD, 0
    path = os.fsdecode(memory.text(path_at, PATH_LIMIT_BYTES))
    argv = tuple(map(os.fsdecode, memory.texts(argv_at)))
    return Words(path, argv, _signed(directory_fd), flags)


def _signed(descriptor: int) -> int:
    return ctypes.c_int32(descriptor & 0xFFFFFFFF).value


class _Span(ctypes.Structure):
    """A stretch of memory, as the kernel takes it."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


_libc = ctypes.CDLL(None, use_errno=True)
_libc.process_vm_readv.argtypes = (
    *(ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong),
)
# One page is read at a time, into the same place: making that place anew takes longer than reading.
_page = ctypes.create_string_buffer(PAGE)
_source, _into = _Span(0, PAGE), _Span(ctypes.addressof(_page), PAGE)
_source_at, _into_at = ctypes.addressof(_source), ctypes.addressof(_into)


class _Memory:
    """The memory of a process, read by pages: what an exec needs lies close together."""

    def __init__(self, source: int) -> None:
        self._source = source
        self._pages: dict[int, bytes] = {}

    def _read(self, start: int) -> bytes:
        _source.base = start
        count = _libc.process_vm_readv(self._source, _into_at, 1, _source_at, 1, 0)
        if count < 0:
            raise OSError(ctypes.get_errno(), "unreadable")
        return _page.raw[:count]

    def _at(self, address: int) -> tuple[bytes, int]:
        """The page of an address, and where in it that is; the next page may not be there."""
        offset = address & (PAGE - 1)
        start = address - offset
        page = self._pages.get(start)
        if page is None:
            page = self._pages[start] = self._read(start)
            if len(page) < PAGE:
                raise OSError(errno.EFAULT, "unreadable")
        return page, offset

    def text(self, address: int, limit: int) -> bytes:
        """The bytes before the next NUL."""
        page, start = self._at(address)
        end = page.find(b"\0", start)
        if end >= 0:
            return page[start:end]
        found = page[start:]
        while len(found) < limit:
            page, _ = self._at(address + len(found))
            text, nul, _ = page.partition(b"\0")
            found += text
            if nul:
                return found
        raise OSError(errno.E2BIG, "too long")

    def texts(self, address: int) -> list[bytes]:
        """The texts that an array of pointers leads to."""
        texts: list[bytes] = []
        rest = ARGUMENTS_LIMIT_BYTES
        while address:
            pointer = self._pointer(address)
            if not pointer:
                break
            texts.append(self.text(pointer, rest))
            rest -= len(texts[-1]) + 1 + WORD
            address += WORD
        return texts

    def _pointer(self, address: int) -> int:
        page, start = self._at(address)
        data = page[start : start + WORD]
        if len(data) < WORD:  # across the border of a page
            data += self._at(address + len(data))[0][: WORD - len(data)]
        return int.from_bytes(data, "little")


class _FileMemory(_Memory):
    """The same, from a descriptor of /proc/PID/mem."""

    def _read(self, start: int) -> bytes:
        return os.pread(self._source, PAGE, start)


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
