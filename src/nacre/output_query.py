"""What is asked of an output, and the part of it that is the answer. Records, without behaviour.

Above it: `output_reader`, which reads, and the tools that ask.
"""

from __future__ import annotations

from nacre.model import record


@record
class Query:
    """What to read of a stream. At most one of offset, line and tail is given; none: from the beginning."""

    limit_bytes: int
    offset: int | None = None
    line: int | None = None  # the first one is 1
    tail: int | None = None  # how many of the last lines
    lines: int | None = None  # at most this many
    search: str | None = None  # a regular expression
    context: int = 0  # lines shown around each that matches
    as_base64: bool = False


@record
class Excerpt:
    """A part of a stream."""

    text: str
    offset: int  # where it begins
    next_offset: int  # where the next part begins
    total_bytes: int  # printed so far
    first_line: int | None  # its number; None where bytes before it were not kept
    skipped_bytes: int = 0  # before it, which were not kept
    goes_on: bool = False  # more may be printed
    matches: int | None = None  # of a search: lines from `offset` on
    shown_matches: int = 0
    encoding: str = ""  # base64, or binary: no text, and described instead of shown
    output_id: str = ""
