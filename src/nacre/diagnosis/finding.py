"""A finding: one line of the report, with what would mend it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    status: Status
    name: str
    text: str
    fix: str = ""  # what the person can do

    def __str__(self) -> str:
        fix = f"\n{'':9}{'':15}-> {self.fix}" if self.fix else ""
        return f"{self.status:8} {self.name:14} {self.text}{fix}"
