"""How the C library treats freed memory, in the keeper and in the server.

glibc raises its threshold with each large block that is freed, and keeps the next ones; output of many sizes
then fragments the heap, and a process that shows 25,000 long outputs grows by ten unused megabytes. With a
fixed threshold, large blocks are returned to the kernel. It knows nothing of nacre.
"""

from __future__ import annotations

import ctypes
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
LARGE_BYTES = 128 << 10  # more than one read from a pipe
SPARE_BYTES = 1 << 20  # kept at the end of the heap for the next command


def return_large_blocks() -> None:
    """Return freed large blocks to the kernel from now on; only glibc needs this."""
    if sys.platform != "linux":
        return
    system = ctypes.CDLL(None)
    if hasattr(system, "mallopt"):
        system.mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
        system.mallopt(M_TRIM_THRESHOLD, SPARE_BYTES)
