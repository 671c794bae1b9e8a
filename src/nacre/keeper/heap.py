"""What the C library does with freed memory, of the keeper and of the server.

glibc learns from each large block that is freed to keep the next ones; then output of many sizes scatters
the heap, and a process that shows 25,000 long outputs grows by ten megabytes that nobody uses. With a fixed
limit large blocks go back to the kernel. It knows nothing of nacre.
"""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGE_BYTES = 128 << 10  # more than what is read from a pipe at once
SPARE_BYTES = 1 << 20  # what is kept at the end of the heap for the next command


def return_large_blocks() -> None:
    """From now on; other C libraries than glibc have other ways."""
    if sys.platform != "linux":
        return
    system = ctypes.CDLL(None)
    if hasattr(system, "mallopt"):
        system.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        system.mallopt(M_TRIM_THRESHOLD, SPARE_BYTES)
