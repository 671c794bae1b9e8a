"""The prompts that a shell shows: whether it waits for a line.

Above it: `shells`, which passes on what the shell itself prints. It does no I/O.
"""

from __future__ import annotations


class Prompts:
    """Counts the prompts on a shell's stderr, and the lines that it was given.

    After an interrupt a shell may show one prompt too many, or discard lines that it has read: so this is a
    reason to ask the shell again, not a proof.
    """

    def __init__(self, shown: str) -> None:
        self._shown = shown.encode()
        self._held = b""
        self._seen = self._given = 0

    def give(self, lines: int) -> None:
        """Note that the shell is given lines. Prompts in excess until now do not count."""
        self._given = max(self._given, self._seen) + lines

    def hear(self, chunk: bytes) -> None:
        """Process what the shell prints."""
        held = self._held + chunk
        self._seen += held.count(self._shown)
        self._held = held.rpartition(self._shown)[2][-len(self._shown) :]

    @property
    def waits(self) -> bool:
        """Whether it has read all lines and waits for more."""
        return self._seen >= self._given
