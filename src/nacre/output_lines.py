"""An output block by block, and the numbers of its lines, where bytes between them were not kept as well.

Above it: `output_reader` and `digest`, which show parts. Below: `outputs`, which has the bytes. It blocks
while it reads. It imports nothing, so that a digest takes no time to load what only `output_reader` needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nacre.outputs import Printed

BLOCK_BYTES = 1 << 18


def blocks(
    printed: Printed, offset: int, end: int | None = None, size: int = BLOCK_BYTES
) -> Iterator[tuple[int, bytes]]:
    """What is kept from an offset on, with where each piece begins."""
    end = printed.total_bytes if end is None else end
    while (offset := printed.skip_missing(offset)) < end and (
        block := printed.read(offset, min(size, end - offset))
    ):
        yield offset, block
        offset += len(block)


def line_number(printed: Printed, offset: int) -> int | None:
    """The number of the line that an offset is in; None where lines before it were not counted."""
    before = 1 + sum(block.count(b"\n") for _, block in blocks(printed, 0, offset))
    if not printed.missing_bytes or offset <= printed.missing_from:
        return before
    missing = missing_lines(printed)
    return None if missing is None else before + missing


def missing_lines(printed: Printed) -> int | None:
    """How many lines end in what was not kept; None: they were not counted."""
    if printed.line_ends is None:
        return None
    return printed.line_ends - sum(block.count(b"\n") for _, block in blocks(printed, 0))
