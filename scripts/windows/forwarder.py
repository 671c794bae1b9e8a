"""Write a DLL without code whose exports are forwarded to other DLLs.

Extension modules written in Rust import `ProcessPrng` from bcryptprimitives.dll, which wine 8 does not
have. Windows resolves a forwarded export by name, so a file of headers and one export table is enough.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

FILE_ALIGNMENT, SECTION_ALIGNMENT = 0x200, 0x1000
HEADER_BYTES = FILE_ALIGNMENT
IMAGE_BASE = 0x180000000
AMD64 = 0x8664
DLL_CHARACTERISTICS = 0x2022  # executable image, large addresses, DLL
READABLE_DATA = 0x40000040
DIRECTORIES = 16


@dataclass(frozen=True, slots=True)
class Forward:
    """One export: its name, and `dll.function` that does the work."""

    name: str
    target: str


def forwarding_dll(dll_name: str, forward: Forward) -> bytes:
    """The whole file: headers, then one section with the export table."""
    section = _export_section(dll_name, forward)
    padded = section.ljust(-(-len(section) // FILE_ALIGNMENT) * FILE_ALIGNMENT, b"\0")
    return _headers(len(section), len(padded)).ljust(HEADER_BYTES, b"\0") + padded


def _export_section(dll_name: str, forward: Forward) -> bytes:
    """The export directory, its three one-entry tables, then the strings they point to."""
    at = SECTION_ALIGNMENT
    functions, names, ordinals, strings = at + 40, at + 44, at + 48, at + 50
    texts = [text.encode() + b"\0" for text in (dll_name, forward.name, forward.target)]
    dll_at, name_at, target_at = (strings + sum(map(len, texts[:count])) for count in range(3))
    directory = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, dll_at, 1, 1, 1, functions, names, ordinals)
    return directory + struct.pack("<IIH", target_at, name_at, 0) + b"".join(texts)


def _headers(section_bytes: int, padded_bytes: int) -> bytes:
    dos = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    optional_bytes = 112 + 8 * DIRECTORIES
    coff = struct.pack("<4sHHIIIHH", b"PE\0\0", AMD64, 1, 0, 0, 0, optional_bytes, DLL_CHARACTERISTICS)
    optional = struct.pack(
        "<HBBIIIIIQIIHHHHHHIIIIHHQQQQII",
        *(0x20B, 14, 0, 0, padded_bytes, 0, 0, 0),  # PE32+; no code, no entry point
        *(IMAGE_BASE, SECTION_ALIGNMENT, FILE_ALIGNMENT, 6, 0, 0, 0, 6, 0, 0),
        *(2 * SECTION_ALIGNMENT, HEADER_BYTES, 0, 2, 0x160),  # console subsystem; may be moved in memory
        *(0x100000, 0x1000, 0x100000, 0x1000, 0, DIRECTORIES),
    )
    directories = struct.pack("<II", SECTION_ALIGNMENT, section_bytes) + bytes(8 * (DIRECTORIES - 1))
    section = struct.pack(
        "<8sIIIIIIHHI",
        *(b".rdata", section_bytes, SECTION_ALIGNMENT, padded_bytes, HEADER_BYTES, 0, 0, 0, 0, READABLE_DATA),
    )
    return dos + coff + optional + directories + section
