"""Batches: several messages in one line, whose answers go back together (in MCP 2025-03-26 alone). Pure.

Above it: the transport, which reports the end of each request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nacre.protocol.messages import Id, Message


class Batch:
    """The answers to one batch, and how many are still missing."""

    def __init__(self) -> None:
        self.answers: list[Message] = []
        self._missing = 1  # as long as its messages are being read

    @property
    def whole(self) -> bool:
        """Whether nothing is missing."""
        return not self._missing

    def expect(self) -> None:
        """Expect one more answer."""
        self._missing += 1

    def settle(self, answer: Message | None = None) -> None:
        """Note that an answer has come, or never will; or that all messages have been read."""
        self._missing -= 1
        if answer is not None:
            self.answers.append(answer)


class Batches:
    """The batches of one client that are not answered yet."""

    def __init__(self) -> None:
        self.allowed = False  # depends on the client's protocol version
        self.reading: Batch | None = None  # the one whose messages are just being read
        self.pending: dict[Id, Batch] = {}  # by unanswered request

    def note(self, identity: Id) -> None:
        """Note an accepted request; if it is in a batch, its answer belongs into one, too."""
        if self.reading is not None:
            self.reading.expect()
            self.pending[identity] = self.reading

    def settle(self, identity: Id, answer: Message | None = None) -> Batch | None:
        """Note that a request is answered, or never will be; returns its batch."""
        batch = self.pending.pop(identity, None)
        if batch is not None:
            batch.settle(answer)
        return batch
