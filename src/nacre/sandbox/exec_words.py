"""What a stopped thread is about to execute, read from its memory.

Above it: `exec_gate`, which asks for every exec of every command, mostly with the processor's caches gone
cold: few steps count more than anything else here. It knows pages and pointers, not what they mean.
"""

from __future__ import annotations

import ctypes
import errno
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

AT_FDCWD = -100
WORD = 8
PAGE = 4096
PATH_LIMIT_BYTES = 4096
ARGUMENTS_LIMIT_BYTES = 1 << 21  # more than the kernel itself accepts
ENCODING, ON_ERROR = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


class Words(NamedTuple):
    """What stands in the memory of a thread that calls execve or execveat."""

    path: str
    argv: tuple[str, ...]
    directory_fd: int
    flags: int
    line: bytes  # the arguments as the kernel shows them later: each with a NUL after it


def read_words(memory: Memory, arguments: list[int], *, by_directory: bool) -> Words:
    """What a stopped thread is about to execute, in its own words. OSError: that cannot be told."""
    if by_directory:
        directory_fd, path_at, argv_at, _, flags, _ = arguments
        directory_fd = ctypes.c_int32(directory_fd & 0xFFFFFFFF).value
    else:
        path_at, argv_at, *_ = arguments
        directory_fd, flags = AT_FDCWD, 0
    texts = memory.texts(argv_at)
    path = memory.text(path_at, PATH_LIMIT_BYTES).decode(ENCODING, ON_ERROR)
    argv = tuple([text.decode(ENCODING, ON_ERROR) for text in texts])
    return Words(path, argv, directory_fd, flags, b"\0".join([*texts, b""]))


class _Span(ctypes.Structure):
    """A stretch of memory, as the kernel takes it."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


_libc = ctypes.CDLL(None, use_errno=True)
_libc.process_vm_readv.argtypes = (
    *(ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong),
)


class Room:
    """Where a page of another process is read to: making that anew each time takes longer than reading."""

    def __init__(self) -> None:
        self._page = ctypes.create_string_buffer(PAGE)
        self._source, self._into = _Span(0, PAGE), _Span(ctypes.addressof(self._page), PAGE)
        self._source_at, self._into_at = ctypes.addressof(self._source), ctypes.addressof(self._into)

    def read(self, pid: int, start: int) -> bytes:
        """The page that starts there, or as much of it as there is."""
        self._source.base = start
        count = _libc.process_vm_readv(pid, self._into_at, 1, self._source_at, 1, 0)
        if count < 0:
            raise OSError(ctypes.get_errno(), "unreadable")
        return self._page.raw[:count]


class Memory:
    """The memory of a process, read by pages: what an exec needs lies close together."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        """`read` gives the page that starts at an address."""
        self._read = read
        self._pages: dict[int, bytes] = {}

    def _load(self, start: int) -> bytes:
        page = self._pages[start] = self._read(start)
        if len(page) < PAGE:
            raise OSError(errno.EFAULT, "unreadable")
        return page

    def text(self, address: int, limit: int) -> bytes:
        """The bytes before the next NUL. The page after that may not be there."""
        begin = address & -PAGE
        page = self._pages.get(begin) or self._load(begin)
        end = page.find(b"\0", address - begin)
        if end >= 0:
            return page[address - begin : end]
        found = page[address - begin :]
        while len(found) < limit:
            begin += PAGE
            page = self._pages.get(begin) or self._load(begin)
            text, nul, _ = page.partition(b"\0")
            found += text
            if nul:
                return found
        raise OSError(errno.E2BIG, "too long")

    def texts(self, address: int) -> list[bytes]:
        """The texts that an array of pointers leads to."""
        texts: list[bytes] = []
        rest = ARGUMENTS_LIMIT_BYTES
        while address and (pointer := self._pointer(address)):
            text = self.text(pointer, rest)
            texts.append(text)
            rest -= len(text) + 1 + WORD
            if rest < 0:
                raise OSError(errno.E2BIG, "too long")
            address += WORD
        return texts

    def _pointer(self, address: int) -> int:
        begin = address & -PAGE
        page = self._pages.get(begin) or self._load(begin)
        data = page[address - begin : address - begin + WORD]
        if len(data) < WORD:  # across the border of a page
            begin += PAGE
            data += (self._pages.get(begin) or self._load(begin))[: WORD - len(data)]
        return int.from_bytes(data, "little")
