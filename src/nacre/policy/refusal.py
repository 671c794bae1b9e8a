"""The signal that a text is not understood: where, why, and how to write it in a plainer way.

Above: every scanner raises it and turns it into a `Refusal` at its door. Below: `model`.
"""

from __future__ import annotations

from nacre.policy.model import Refusal

PLAINER = "write it in a plainer way, or as several commands"


class NotUnderstood(Exception):  # noqa: N818 - a control flow signal inside the scanners, never seen outside
    """The text is not understood at this offset."""

    def __init__(self, reason: str, at: int, end: int | None = None, *, hint: str = PLAINER) -> None:
        super().__init__(reason)
        self.refusal = Refusal(reason, at, at + 1 if end is None else end, hint)
