"""The prompts that a shell shows: whether it waits for us to give it a line.

Above it: `shells`, which hands over what the shell itself prints. It reads and writes nothing.
"""

from __future__ import annotations


class Prompts:
    """What a shell shows on its own stderr: how often it was ready for a line, against how many it was given.

    The rest is noise. An interrupt can make it show its prompt once more than it was given lines, or throw
    away lines that it has read: so this is a reason to ask, and no proof.
    """

    def __init__(self, shown: str) -> None:
        self._shown = shown.encode()
        self._held = b""
        self._seen = self._given = 0

    def give(self, lines: int) -> None:
        """The shell is given so many lines. Whatever it has shown too often before does not count."""
        self._given = max(self._given, self._seen) + lines

    def hear(self, chunk: bytes) -> None:
        """Take what it prints."""
        held = self._held + chunk
        self._seen += held.count(self._shown)
        self._held = held.rpartition(self._shown)[2][-len(self._shown) :]

    @property
    def waits(self) -> bool:
        """Whether it has read all that it was given, and waits for more."""
        return self._seen >= self._given
