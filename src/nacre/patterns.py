"""Regular expressions from an agent: compiled within bounds, matched within a time limit.

Above it: what searches output. `re` has no time limit, and one expression could block every call. This is the
only module that uses the package `regex`, which is loaded with the first expression.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from nacre.errors import RequestError

if TYPE_CHECKING:
    import regex

LONGEST_CHARACTERS = 2000


class Pattern:
    """One expression, with a time limit for all of its matching together."""

    def __init__(self, expression: str, limit_s: float) -> None:
        """RequestError: the text is not a valid expression."""
        import regex  # noqa: PLC0415  # only those who search pay for it

        if len(expression) > LONGEST_CHARACTERS:
            raise RequestError(f"A regular expression has at most {LONGEST_CHARACTERS:,} characters here.")
        try:
            self._compiled: regex.Pattern[str] = regex.compile(expression)
        except (regex.error, OverflowError, RecursionError, MemoryError) as error:
            raise RequestError(
                f"This is not a valid regular expression: {error}.",
                hint="Escape special characters with a backslash.",
            ) from None
        self._limit_s = self._left_s = limit_s

    def is_in(self, text: str) -> bool:
        """Whether it matches anywhere. RequestError: the time is used up."""
        began = time.monotonic()
        try:
            if self._left_s > 0:
                return self._compiled.search(text, timeout=self._left_s, concurrent=True) is not None
        except TimeoutError:
            pass
        finally:
            self._left_s -= time.monotonic() - began
        raise RequestError(
            f"The search took more than {self._limit_s:g} s.",
            code="too_slow",
            hint="Make the expression simpler, or search less.",
        )
