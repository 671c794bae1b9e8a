"""Which skips are true: everything that the test command installs must be there, wherever the tests run."""

from __future__ import annotations

# Data that is no part of the project.
BESIDE = "is not beside this checkout"
# What a machine may lack and no package brings. CI has all of it.
ABILITIES = ("may be made here", "can be made here", "does not work here", "no compiler")


def objection(reason: str, *, in_ci: bool) -> str:
    """Why a skip with this reason is a failure; empty: it is a true one."""
    if BESIDE in reason:
        return ""
    if not any(words in reason for words in ABILITIES):
        return "`make test` installs what the tests need: a skip hides a fault"
    return "CI has all that the tests need: a skip hides a fault" if in_ci else ""
