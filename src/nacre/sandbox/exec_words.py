"""What a stopped thread is about to execute, read from its memory.

Above it: `exec_gate`, which asks for every exec of every command, with the processor's caches gone cold each
time: then few steps, and the same ones as elsewhere, count more than anything else. (That is why memory is
read as a file: a call through `ctypes` takes half as long, but three times as long when it is cold.) It knows
pages and pointers, not what they mean.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from typing import NamedTuple

AT_FDCWD = -100
WORD = 8
POINTER = struct.Struct("=Q")
PAGE = 4096
ADDRESSES = 1 << 63  # there are none above it that a program can read
PATH_LIMIT_BYTES = 4096
ARGUMENTS_LIMIT_BYTES = 1 << 21  # more than the kernel itself accepts
ENCODING, ON_ERROR = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()


class Words(NamedTuple):
    """The arguments of execve or execveat in the memory of the calling thread."""

    path: str
    argv: tuple[str, ...]
    directory_fd: int
    flags: int
    line: bytes  # the arguments as the kernel shows them later: each with a NUL after it


def read_words(memory: int, arguments: list[int], *, by_directory: bool) -> Words:
    """What a stopped thread is about to execute; `memory` is a descriptor. OSError: that cannot be read."""
    if by_directory:
        directory_fd, path_at, argv_at, _, flags, _ = arguments
        directory_fd = ctypes.c_int32(directory_fd & 0xFFFFFFFF).value
    else:
        path_at, argv_at, *_ = arguments
        directory_fd, flags = AT_FDCWD, 0
    pages = _Pages(memory)
    texts = pages.texts(argv_at)
    path = pages.text(path_at, PATH_LIMIT_BYTES).decode(ENCODING, ON_ERROR)
    argv = tuple([text.decode(ENCODING, ON_ERROR) for text in texts])
    return Words(path, argv, directory_fd, flags, b"\0".join([*texts, b""]))


class _Pages:
    """The memory of a process, read by pages: what an exec needs lies close together."""

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._pages: dict[int, bytes] = {}

    def _load(self, start: int) -> bytes:
        page = os.pread(self._memory, PAGE, start) if start < ADDRESSES else b""
        if len(page) < PAGE:
            raise OSError(errno.EFAULT, "unreadable")
        self._pages[start] = page
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
        while address:
            begin = address & -PAGE
            page = self._pages.get(begin) or self._load(begin)
            if address - begin <= PAGE - WORD:
                (pointer,) = POINTER.unpack_from(page, address - begin)
            else:
                pointer = self._split_pointer(address)
            if not pointer:
                break
            start = pointer - begin
            end = page.find(b"\0", start) if 0 <= start < PAGE else -1
            text = page[start:end] if end >= 0 else self.text(pointer, rest)
            texts.append(text)
            rest -= len(text) + 1 + WORD
            if rest < 0:
                raise OSError(errno.E2BIG, "too long")
            address += WORD
        return texts

    def _split_pointer(self, address: int) -> int:
        """One across the border of two pages."""
        begin = address & -PAGE
        data = (self._pages.get(begin) or self._load(begin)) + self._load(begin + PAGE)
        (pointer,) = POINTER.unpack_from(data, address - begin)
        return pointer
