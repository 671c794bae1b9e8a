"""Kinds of options that several command lines share: lists of patterns, which never vanish silently."""

from __future__ import annotations

import argparse
from typing import Any


def patterns(text: str) -> str:
    """An empty list is refused: whoever writes `--allow "$LIST"` does not mean to allow everything."""
    if not text.replace(",", "").strip():
        raise argparse.ArgumentTypeError("it holds no pattern")
    return text


class Gathered(argparse.Action):
    """A comma list that may be given in several parts: the last one does not undo those before it."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002  # argparse's signature
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,  # noqa: ARG002  # the same
    ) -> None:
        """Put what was given behind what was there."""
        before: str | None = getattr(namespace, self.dest)
        setattr(namespace, self.dest, f"{before},{values}" if before else values)


PATTERN_LIST: dict[str, Any] = {"action": Gathered, "type": patterns, "metavar": "PATTERNS"}
